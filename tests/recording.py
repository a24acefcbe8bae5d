"""Recorded games: a few lines of settings, then one line per action with the whole table after it.

    play 0: main 40 44 | gap . | hands [17c __] [3a* 98l] | discards 12>f | pile 6 | turn 0 placed_one | score -6

Cards are written as their times; a card in hand with the first letter of its front icon and a star when it is
stuck, the top of the discards with its back icon. `1969+1969` are cards of equal time lying on each other, `.` is
a free gap. Run this file to write the recordings anew from their settings and actions, and read the difference.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import reference
from snapshots import snapshot
from timeline_twist import Competitive, Coop
from timeline_twist.catalogue import BUILT_IN, Catalogue

FOLDER = Path(__file__).parent / "playthroughs"
FILES = sorted(FOLDER.glob("*.txt"))
NUMBERS = ("players", "hand_size", "deck_size", "first_player", "max_rounds")


@dataclass
class Recording:
    """What a file says: about what, the settings, and the lines."""

    title: str
    header: dict[str, str]
    lines: list[str]

    @property
    def table(self) -> Coop | Competitive:
        name = self.header["catalogue"]
        settings: dict[str, Any] = {key: int(value) for key, value in self.header.items() if key in NUMBERS}
        kind = Coop if self.header["mode"] == "co-op" else Competitive
        return kind(catalogue=name if name in BUILT_IN else FOLDER / name, **settings)

    @property
    def seed(self) -> int:
        return int(self.header["seed"])

    @property
    def actions(self) -> list[str]:
        return [line.split(":")[0] for line in self.lines[1:]]


def read(path: Path) -> Recording:
    head, body = path.read_text(encoding="utf-8").split("\n\n")
    title, *settings = head.splitlines()
    return Recording(title, dict(line.split(": ") for line in settings), body.splitlines())


def write(recording: Recording, path: Path) -> None:
    settings = [f"{key}: {value}" for key, value in recording.header.items()]
    text = "\n".join([recording.title, *settings, "", *recording.lines]) + "\n"
    path.write_text(text, encoding="utf-8")


def replay_engine(recording: Recording) -> Iterator[str]:
    """The lines as the engine has them."""
    table = recording.table
    game = table.deal(recording.seed)[0]

    def take(action: int) -> None:
        assert table.step(game, action), f"action {action} is illegal"

    return replay(table, recording.actions, take, lambda: snapshot(table, game))


def replay_reference(recording: Recording) -> Iterator[str]:
    """The lines as the reference model has them."""
    table = recording.table
    cards = list(zip(table.catalogue.times, table.catalogue.fronts, table.catalogue.backs, strict=True))
    settings = {key: int(value) for key, value in recording.header.items() if key in NUMBERS}
    kind: Any = reference.Coop if isinstance(table, Coop) else reference.Competitive
    model = kind(cards, seed=recording.seed, **settings)
    return replay(table, recording.actions, model.step, model.snapshot)


def replay(
    table: Coop | Competitive, actions: list[str], take: Callable[[int], None], look: Callable[[], dict[str, Any]]
) -> Iterator[str]:
    yield f"deal: {describe(look(), table.catalogue)}"
    for words in actions:
        take(action_number(words, table))
        yield f"{words}: {describe(look(), table.catalogue)}"


def action_number(words: str, table: Coop | Competitive) -> int:
    """The number of `play 2`, `discard 0`, `end turn` or `place 1 at 4`."""
    match words.split():
        case ["play", slot]:
            return int(slot)
        case ["discard", slot]:
            return 4 + int(slot)
        case ["place", slot, "at", position]:
            return int(slot) * (len(table.catalogue) + 1) + int(position)
    assert words == "end turn"
    return 8


def action_words(action: int, table: Coop | Competitive) -> str:
    if isinstance(table, Competitive):
        slot, position = divmod(action, len(table.catalogue) + 1)
        return f"place {slot} at {position}"
    return "end turn" if action == 8 else f"{'discard' if action >= 4 else 'play'} {action % 4}"


def describe(seen: dict[str, Any], catalogue: Catalogue) -> str:
    return describe_coop(seen, catalogue) if "main" in seen else describe_competitive(seen, catalogue)


def describe_coop(seen: dict[str, Any], catalogue: Catalogue) -> str:
    times, fronts, backs = catalogue.times, seen["fronts"], seen["backs"]

    def stack(cards: list[int]) -> str:
        return "+".join(str(times[card]) for card in cards) or "."

    def in_hand(card: int | None, stuck: bool) -> str:
        return "__" if card is None else f"{times[card]}{fronts[card][0]}{'*' * stuck}"

    hands = [list(map(in_hand, hand, stuck)) for hand, stuck in zip(seen["hands"], seen["stuck"], strict=True)]
    parts = [
        f"main {' '.join(map(stack, seen['main']))}",
        f"gap {' '.join(map(stack, seen['gap']))}".rstrip(),
        f"hands {in_brackets(hands)}",
        f"discards {row(seen['discards'], times)}>{backs[seen['discards'][-1]][0]}",
        f"pile {len(seen['pile'])}",
        seen["end_reason"] or f"turn {seen['turn']} {seen['phase']}",
        f"score {seen['score']}",
    ]
    return " | ".join(parts)


def describe_competitive(seen: dict[str, Any], catalogue: Catalogue) -> str:
    times = catalogue.times
    hands = [["__" if card is None else str(times[card]) for card in hand] for hand in seen["hands"]]
    still_in = [seat for seat, active in enumerate(seen["active"]) if active]
    parts = [
        f"timeline {row(seen['timeline'], times)}",
        f"hands {in_brackets(hands)}",
        f"discards {row(seen['discards'], times)}".rstrip(),
        f"pile {len(seen['pile'])}",
        f"in {' '.join(map(str, still_in))}{' tie-break' * seen['tie_break']}",
        f"rounds {seen['rounds']}",
        f"{seen['end_reason']} {seen['winners']}" if seen["end_reason"] else f"turn {seen['turn']}",
    ]
    return " | ".join(parts)


def row(cards: list[int], times: tuple[int, ...]) -> str:
    return " ".join(str(times[card]) for card in cards)


def in_brackets(hands: list[list[str]]) -> str:
    """Hands without the empty places at their ends."""
    return " ".join(f"[{' '.join(hand).rstrip('_ ')}]" for hand in hands)


if __name__ == "__main__":
    for file in FILES:
        recorded = read(file)
        recorded.lines = list(replay_engine(recorded))
        write(recorded, file)
