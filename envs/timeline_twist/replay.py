"""Recorded games: one JSON file holds a game of either mode, and every state of it can be rebuilt.

    batch = coop_v0.make_batch(1, players=2)
    batch.deal([0], [7])
    replay, = record(batch, [agents.make("random")])
    replay.save("game.json")

    replay = load("game.json")
    replay.batch_at(12)                 # the game after twelve actions, a batch of one
    for batch in replay.states(): ...   # one batch, from the deal to the last action

| field | |
|---|---|
| `format`, `version` | `timeline-twist replay`, 1 |
| `mode` | `coop` or `competitive` |
| `settings` | keyword arguments of `make_batch` (timeline_twist.coop_v0, competitive_v0), all of them but those below |
| `catalogue` | `source`: name or path; `sha256`: of its cards |
| `seed` | of the deal, of the noise in estimates and of later shuffles |
| `deal` | `draw_order`: catalogue numbers; `icons` (co-op): front and back of each of them |
| `estimates` | what the seats go by, [row][card of the game], if it was given from outside; otherwise null |
| `players` | agents' names, or `human` |
| `actions` | number and words of each; always by table slots |
| `result` | score, winners and end reason; no end reason if the game was not finished |
| `checksum` | of settings, estimates and the final state |

`features`, `slots` and `reward` are how a player is shown a game and no part of it. A game of `play` that its player
left, and a batch that stands in its middle, are recorded as far as they went. Reading plays the game again and checks
everything. A path of a catalogue is looked up as it is and then beside the replay; `load(path, catalogue=...)` takes
another place.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from timeline_twist import catalogue as catalogues
from timeline_twist import competitive_v0, coop_v0
from timeline_twist import knowledge as knowing
from timeline_twist.agents.agent import MODES, Agent
from timeline_twist.agents.playing import Moves, mode_of, turns
from timeline_twist.batch import Batch, Floats
from timeline_twist.catalogue import Catalogue
from timeline_twist.errors import SettingsError, UserError
from timeline_twist.files import check_writable, write_whole
from timeline_twist.tables import Coop, Result, check_seed, read_result
from timeline_twist.text import format_action

FORMAT, VERSION = "timeline-twist replay", 1
MAKERS: dict[str, Any] = {"coop": coop_v0.make_batch, "competitive": competitive_v0.make_batch}
FIELDS = (
    *("format", "version", "mode", "settings", "catalogue", "seed", "deal"),
    *("estimates", "players", "actions", "result", "checksum"),
)
SHARED_SETTINGS = ("players", "knowledge", "communication", "show_pile_top", "hand_size", "first_player")
SETTINGS = {"coop": (*SHARED_SETTINGS, "icons", "deck_size"), "competitive": (*SHARED_SETTINGS, "max_rounds")}
LARGEST_FILE = 50_000_000
GAME_0 = np.zeros(1, np.int64)

# What a state is, by the names of its record; parts beyond a count have no meaning and do not count.
COUNTED = {
    "coop": {"main": "main_count", "gap": "main_count", "ties": "tie_count", "discards": "discard_count"},
    "competitive": {"timeline": "timeline_count", "discards": "discard_count", "pile": "pile_end"},
}
WHOLE = {
    "coop": ("seed", "rng", "turn", "phase", "end", "drawn", "main_cards", "gap_cards", "hands", "stuck"),
    "competitive": (
        *("seed", "rng", "turn", "rounds", "tie_break", "end", "winner", "active", "finished", "hands", "pile_start"),
    ),
}
PER_CARD = {"coop": ("card", "time", "front", "back"), "competitive": ("time", "seen")}


@dataclass(frozen=True)
class Replay:
    """A recorded game; `settings` are keyword arguments of `make_batch` without the catalogue."""

    mode: str
    settings: Mapping[str, Any]
    catalogue: Catalogue
    seed: int
    draw_order: Sequence[int]
    players: Sequence[str]
    actions: Sequence[int]  # by table slots
    estimates: Floats | None = field(default=None, compare=False)

    def __len__(self) -> int:
        """How many actions there are."""
        return len(self.actions)

    def states(self) -> Iterator[Batch]:
        """A batch of one with the deal, then the same batch after each action."""
        batch = self._dealt()
        yield batch
        for number, action in enumerate(self.actions):
            if not batch.step_some(GAME_0, np.array([action]))[0]:
                raise SettingsError(f"actions[{number}]: action {action} is not legal there; the replay was changed")
            yield batch

    def batch_at(self, count: int) -> Batch:
        """The game after so many actions, as a batch of its own; negative numbers count from the end."""
        if not -len(self) - 1 <= count <= len(self):
            raise SettingsError(f"batch_at: {count} is not a number of actions from 0 to {len(self)}")
        wanted = count % (len(self) + 1)
        return next(batch for number, batch in enumerate(self.states()) if number == wanted)

    def words(self) -> list[str]:
        """The actions in words: `play 2`, `place 1 at 4`."""
        game = self._dealt().games[0]
        return [format_action(game, action) for action in self.actions]

    @property
    def result(self) -> Result:
        return read_result(self.batch_at(-1).games[0])

    def save(self, path: str | Path) -> None:
        """Write the replay as JSON; the file appears whole or not at all."""
        check_writable("replay", Path(path))
        write_whole(Path(path), to_json(self).encode())

    def _dealt(self) -> Batch:
        batch: Batch = MAKERS[self.mode](1, catalogue=self.catalogue, **self.settings)
        batch.deal([0], [self.seed], {"draw_order": list(self.draw_order)})
        if self.estimates is not None:
            batch.estimates[0] = self.estimates
        return batch


# --- recording --------------------------------------------------------------------------------------------------------


class Recorder:
    """Keeps what is done in the games of a batch that have just been dealt."""

    def __init__(self, batch: Batch, players: Sequence[Sequence[str]]) -> None:
        """`players[game]` are the names of those who sit there."""
        batch.check_dealt()
        self.mode, self.settings = mode_of(batch), settings_of(batch)
        self.catalogue = batch.table.catalogue
        self.starts = [self._start(batch, i, players[i]) for i in range(len(batch))]
        self.actions: list[list[int]] = [[] for _ in range(len(batch))]

    def add(self, moves: Moves) -> None:
        """Take down actions; timeline_twist.agents.playing.turns gives them."""
        for game, action in zip(moves.which.tolist(), moves.actions.tolist(), strict=True):
            self.actions[game].append(action)

    def replay(self, game: int) -> Replay:
        """What has happened in a game so far."""
        settings = {"mode": self.mode, "settings": self.settings, "catalogue": self.catalogue}
        return Replay(**settings, **self.starts[game], actions=tuple(self.actions[game]))  # type: ignore[arg-type]

    def _start(self, batch: Batch, i: int, players: Sequence[str]) -> dict[str, Any]:
        game = batch.games[i]
        if len(players) != batch.table.players:
            raise SettingsError(f"players: {len(players)} names for {batch.table.players} seats; give one for each")
        order, seed = draw_order(batch, i), int(game["seed"])
        fresh: Batch = MAKERS[self.mode](1, catalogue=self.catalogue, **self.settings)
        fresh.deal([0], [seed], {"draw_order": order})
        if fresh.games[0] != game:
            raise SettingsError("batch: a game in it has begun or was laid by hand; record games from their deal on")
        given = None if np.array_equal(fresh.estimates[0], batch.estimates[i]) else batch.estimates[i].copy()
        return {"seed": seed, "draw_order": tuple(order), "players": tuple(players), "estimates": given}


def record(
    batch: Batch, agents: Sequence[Agent], seating: Any = None, *, numbers: Any = None, seed: int = 0
) -> list[Replay]:
    """Play all games of a batch to their end, as `agents.play` does, and give a replay of each."""
    batch.check_dealt()
    seats = np.zeros((len(batch), batch.table.players), np.int64) if seating is None else np.asarray(seating)
    recorder = Recorder(batch, [[agents[place].name for place in row] for row in seats.tolist()])
    for moves in turns(batch, agents, seats, numbers=numbers, seed=seed):
        recorder.add(moves)
    return [recorder.replay(i) for i in range(len(batch))]


def settings_of(batch: Batch) -> dict[str, Any]:
    """The keyword arguments that make a batch with the same games, without the catalogue."""
    table, knowledge = batch.table, batch.knowledge
    setting: Any = knowledge.name
    if knowledge.kind == knowing.NOISY:
        sigma = knowing.read_kind(batch.knowledge_setting)[1]
        setting = {"kind": "noisy", "sigma": knowing.seat_sigmas(sigma, table.players)}
    settings = {
        "players": table.players,
        "knowledge": setting,
        "communication": knowledge.communication if isinstance(table, Coop) else "none",
        "show_pile_top": batch.show_pile_top,
        "hand_size": table.hand_size,
        "first_player": table.first_player,
    }
    if isinstance(table, Coop):
        return settings | {"icons": table.icons, "deck_size": table.deck_size}
    return settings | {"max_rounds": table.settings["max_rounds"]}


def draw_order(batch: Batch, i: int) -> list[int]:
    """The catalogue numbers of a game that has just been dealt, in the order in which they were drawn."""
    game = batch.games[i]
    field_name = "card" if isinstance(batch.table, Coop) else "pile"
    order: list[int] = game[field_name][: batch.table.cards_in_game].tolist()
    return order


# --- writing ----------------------------------------------------------------------------------------------------------


def to_json(replay: Replay) -> str:
    """The file's text: a line for each field and for each action, so that people can read and compare files."""
    content = as_content(replay)
    lines = []
    for name, value in content.items():
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if name == "actions" and value:
            text = "[\n    " + ",\n    ".join(json.dumps(action) for action in value) + "\n  ]"
        lines.append(f'  "{name}": {text}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def as_content(replay: Replay) -> dict[str, Any]:
    first, last = replay.batch_at(0), replay.batch_at(-1)
    estimates = None if replay.estimates is None else replay.estimates.tolist()
    return {
        "format": FORMAT,
        "version": VERSION,
        "mode": replay.mode,
        "settings": dict(replay.settings),
        "catalogue": {"source": source_of(replay.catalogue), "sha256": catalogue_hash(replay.catalogue)},
        "seed": replay.seed,
        "deal": deal_of(first),
        "estimates": estimates,
        "players": list(replay.players),
        "actions": [list(pair) for pair in zip(replay.actions, replay.words(), strict=True)],
        "result": result_of(last),
        "checksum": checksum(replay, last),
    }


def source_of(catalogue: Catalogue) -> str:
    """The name of a built-in catalogue, or the path of the file."""
    built_in = catalogue.name in catalogues.BUILT_IN and catalogue.source == f"{catalogue.name}.csv"
    return catalogue.name if built_in else catalogue.source


def catalogue_hash(catalogue: Catalogue) -> str:
    """Of everything that plays a part in a game; lines and names of files may change."""
    columns = (catalogue.titles, catalogue.times, catalogue.fronts, catalogue.backs, catalogue.difficulties)
    return hashlib.sha256(json.dumps(columns).encode()).hexdigest()


def deal_of(batch: Batch) -> dict[str, Any]:
    deal: dict[str, Any] = {"draw_order": draw_order(batch, 0)}
    if isinstance(batch.table, Coop):
        icons, game = batch.table.catalogue.icons, batch.games[0]
        sides = (game["front"][: batch.table.deck_size].tolist(), game["back"][: batch.table.deck_size].tolist())
        deal["icons"] = [[icons[front], icons[back]] for front, back in zip(*sides, strict=True)]
    return deal


def result_of(batch: Batch) -> dict[str, Any]:
    result = read_result(batch.games[0])
    if result.score is not None:
        return {"end_reason": result.end_reason, "score": result.score, "rank": result.rank()}
    return {
        "end_reason": result.end_reason,
        "winners": list(result.winners),
        "rounds": int(batch.games[0]["rounds"]),
    }


def checksum(replay: Replay, last: Batch) -> str:
    """Of what the game was and of where it led."""
    game, mode = last.games[0], replay.mode
    state = {name: game[name].tolist() for name in WHOLE[mode]}
    state |= {name: game[name][: game[count]].tolist() for name, count in COUNTED[mode].items()}
    state |= {name: game[name][: last.table.cards_in_game].tolist() for name in PER_CARD[mode]}
    believed = last.estimates[0].astype("<f4").tolist()
    return sha256([mode, dict(replay.settings), list(replay.players), len(replay), believed, state])


def sha256(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


# --- reading ----------------------------------------------------------------------------------------------------------


def load(path: str | Path, catalogue: str | Path | Catalogue | None = None) -> Replay:
    """Read a replay and play it again; an error names the file, the field and what to do.

    `catalogue` says where the catalogue is now, if it is not where it was.
    """
    try:
        content = parse(read_text(Path(path)))
        replay = from_content(content, Path(path).parent, catalogue)
        compare(content, replay)
    except UserError as error:
        raise SettingsError(f"{path}: {error}") from error
    return replay


def read_text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SettingsError("too large for a replay; give a file written by --save or Replay.save")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError("not a replay: it is no UTF-8 text; give a file written by --save") from error


def parse(text: str) -> dict[str, Any]:
    """The fields of the file; whether they fit together is another question."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f"line {error.lineno}: " if isinstance(error, json.JSONDecodeError) else ""
        raise SettingsError(f"{line}not a whole JSON file; record the game again or get another copy") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SettingsError(f"format: not a replay, which says {FORMAT!r} there; give a file written by --save")
    if content.get("version") != VERSION:
        raise SettingsError(
            f"version: {content.get('version')!r} is not {VERSION}, the one this release reads; "
            "use the release that wrote the file"
        )
    for name in FIELDS:
        if name not in content:
            raise SettingsError(f"{name}: missing; the file is damaged, get another copy")
    if unknown := [name for name in content if name not in FIELDS]:
        raise SettingsError(f"{unknown[0]}: a replay has no such field; take it out")
    return content


def from_content(content: dict[str, Any], folder: Path, catalogue: str | Path | Catalogue | None) -> Replay:
    mode = content["mode"]
    if mode not in MODES:
        raise SettingsError(f"mode: {mode!r} is not known; it is one of {', '.join(MODES)}")
    settings = need("settings", content["settings"], dict)
    if sorted(settings) != sorted(SETTINGS[mode]):
        raise SettingsError(f"settings: a {mode} replay has {', '.join(SETTINGS[mode])} there; get another copy")
    deal = need("deal", content["deal"], dict)
    order = need("deal.draw_order", deal.get("draw_order"), list)
    players = [need("players", name, str) for name in need("players", content["players"], list)]
    return Replay(
        mode=mode,
        settings=settings,
        catalogue=find_catalogue(content["catalogue"], folder, catalogue),
        seed=check_seed(content["seed"]),
        draw_order=tuple(order),
        players=tuple(players),
        actions=tuple(read_actions(content["actions"])),
        estimates=read_estimates(content["estimates"]),
    )


def need(name: str, value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        shapes: dict[type, str] = {dict: "a mapping in braces", list: "a list in brackets", str: "text in quotes"}
        raise SettingsError(f"{name}: {shapes[kind]} must stand there; the file is damaged, get another copy")
    return value


def read_actions(actions: Any) -> Iterator[int]:
    for number, action in enumerate(need("actions", actions, list)):
        pair = isinstance(action, list) and len(action) == 2
        if not pair or type(action[0]) is not int or not 0 <= action[0] < 2**31 or not isinstance(action[1], str):
            raise SettingsError(f'actions[{number}]: {action!r} is no action; write a number and words: [2, "play 2"]')
        yield action[0]


def read_estimates(estimates: Any) -> Floats | None:
    if estimates is None:
        return None
    try:
        return np.array(need("estimates", estimates, list), np.float32)
    except (TypeError, ValueError) as error:
        raise SettingsError("estimates: rows of numbers must stand there, or null") from error


def find_catalogue(content: Any, folder: Path, given: str | Path | Catalogue | None) -> Catalogue:
    """The catalogue of the game: where it was, beside the replay, or where `given` says; with the same cards."""
    source = need("catalogue.source", need("catalogue", content, dict).get("source"), str)
    place: str | Path | Catalogue = source if given is None else given
    if given is None and source not in catalogues.BUILT_IN and not catalogues.is_file(Path(source)):
        beside = folder / Path(source).name
        if not catalogues.is_file(beside):
            raise SettingsError(
                f"catalogue: there is no {source[:200]!r}, neither there nor beside the replay; "
                "say where it is with --catalogue or load(path, catalogue=...)"
            )
        place = beside
    found = catalogues.load(place)
    if catalogue_hash(found) != content.get("sha256"):
        raise SettingsError(
            f"catalogue: the cards of {found.source} are not those the game was played with; "
            "restore them, or give the old file with --catalogue or load(path, catalogue=...)"
        )
    return found


def compare(content: dict[str, Any], replay: Replay) -> None:
    """Play the game again and hold it against everything that the file says."""
    first = check_deal(content, replay)
    for number, (action, words) in enumerate(content["actions"]):
        if not 0 <= action < first.table.actions or format_action(first.games[0], action) != words:
            raise SettingsError(f"actions[{number}]: {words[:60]!r} and action {action} are not the same; {CHANGED}")
    last = replay.batch_at(-1)
    if content["result"] != result_of(last):
        raise SettingsError(f"result: the game did not end so, but with {json.dumps(result_of(last))}; {CHANGED}")
    if content["checksum"] != checksum(replay, last):
        raise SettingsError(f"checksum: it is not the one of this game; {CHANGED}")


CHANGED = "the file was changed, get another copy"


def check_deal(content: dict[str, Any], replay: Replay) -> Batch:
    """The game as it was dealt, if settings, deal and estimates can be those of one."""
    try:
        bare: Batch = MAKERS[replay.mode](1, catalogue=replay.catalogue, **replay.settings)
    except UserError as error:
        raise SettingsError(f"settings.{error}") from error
    if len(replay.players) != bare.table.players:
        raise SettingsError(f"players: {len(replay.players)} names for {bare.table.players} seats; {CHANGED}")
    try:
        bare.deal([0], [replay.seed], {"draw_order": list(replay.draw_order)})
    except UserError as error:
        raise SettingsError(f"deal.{error}") from error
    if content["deal"] != deal_of(bare):
        raise SettingsError(f"deal.icons: the seed deals others to these cards; {CHANGED}")
    if replay.estimates is not None:
        check_estimates(replay.estimates, bare)
    return bare


def check_estimates(estimates: Floats, batch: Batch) -> None:
    """Compiled code relies on what estimates can be: positions, and those of a seat that never errs existing ones."""
    knowledge, shape = batch.knowledge, batch.estimates[0].shape
    if knowledge.kind != knowing.NOISY:
        raise SettingsError(f"estimates: only 'noisy' knowledge has them, this is {knowledge.name!r}; {CHANGED}")
    fits = estimates.shape == shape and bool((np.abs(estimates) <= knowing.FARTHEST_ESTIMATE).all())
    if fits:
        sure = estimates[knowledge.sigma[:, batch.table.card_numbers(batch.games[0])] == 0]
        fits = bool(((sure == np.round(sure)) & (sure >= 0) & (sure < knowledge.positions)).all())
    if not fits:
        raise SettingsError(f"estimates: {shape[0]} rows of {shape[1]} positions must stand there; {CHANGED}")
