"""Games in words: what a seat knows, and actions that can be written and read.

    describe(env, 0)                        # all that seat 0 may know, in plain language
    format_action(env, 2)                   # 'play 2'
    parse_action(env, "place 1 at 4")       # its number

Words always speak of table slots, also where `slots="sorted"` gives the actions other numbers. A description has titles
under `expert` and `faces`; under `noisy` and `blind` a card is only known by where it lies, as in the observation,
and its title appears with its time, once that is public. An engine record can be described too: `describe(game, seat,
table=table, knowledge="expert")`.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from timeline_twist import engine
from timeline_twist.batch import Batch, CompetitiveBatch, CoopBatch
from timeline_twist.errors import SettingsError
from timeline_twist.knowledge import BLIND, EXPERT, NOISY
from timeline_twist.ranks import RANK_BOUNDS, RANK_NAMES, rank_name, rank_of
from timeline_twist.records import MAX_HAND
from timeline_twist.tables import Coop, Table, check_single, read_result, whole_number

__all__ = ["RANK_BOUNDS", "RANK_NAMES", "describe", "format_action", "parse_action", "rank_name", "rank_of"]

PATTERNS = {
    "coop": re.compile(r"(?P<what>play|discard)\s+(?P<slot>\d{1,2})|(?P<end>end\s+turn)"),
    "competitive": re.compile(r"place\s+(?P<slot>\d{1,2})\s+at\s+(?P<position>\d{1,4})"),
}
FORMS = {"coop": "'play SLOT', 'discard SLOT' or 'end turn'", "competitive": "'place SLOT at POSITION'"}


# --- actions ----------------------------------------------------------------------------------------------------------


def format_action(env_or_game: Any, action: int) -> str:
    """An action in words: `play 2`, `discard 0`, `end turn`, `place 1 at 4`."""
    game, order = game_and_order(env_or_game)
    if "phase" in game.dtype.names:
        number = whole_number("action", action, 0, engine.COOP_ACTIONS - 1)
        if number == engine.END_TURN:
            return "end turn"
        return f"{'play' if number < engine.DISCARD else 'discard'} {order[number % MAX_HAND]}"
    places = int(game["catalogue_size"]) + 1
    number = whole_number("action", action, 0, MAX_HAND * places - 1)
    return f"place {order[number // places]} at {number % places}"


def parse_action(env_or_game: Any, words: str) -> int:
    """The number of an action given in words; whether it is legal is another question."""
    game, order = game_and_order(env_or_game)
    mode = "coop" if "phase" in game.dtype.names else "competitive"
    match = PATTERNS[mode].fullmatch(" ".join(words.lower().split())) if isinstance(words, str) else None
    if match is None:
        shown = words[:60] if isinstance(words, str) else words
        raise SettingsError(f"action: {shown!r} is not understood; write {FORMS[mode]}")
    if mode == "coop" and match["end"]:
        return engine.END_TURN
    slot = order.index(whole_number("slot", int(match["slot"]), 0, MAX_HAND - 1))
    if mode == "coop":
        return slot + (engine.DISCARD if match["what"] == "discard" else engine.PLAY)
    places = int(game["catalogue_size"]) + 1
    return slot * places + whole_number("position", int(match["position"]), 0, places - 1)


def game_and_order(env_or_game: Any) -> tuple[Any, list[int]]:
    """The game, and the table slots in the order in which the player on turn has them."""
    batch = batch_of(env_or_game)
    if batch is None:
        check_single(env_or_game)
        return env_or_game, list(range(MAX_HAND))
    batch.check_dealt()
    return batch.games[0], batch.slot_order(0)


def batch_of(env_or_game: Any) -> Batch | None:
    """The batch that an environment plays; None for a record."""
    if isinstance(env_or_game, Batch):
        return env_or_game
    if isinstance(getattr(env_or_game, "dtype", None), np.dtype):
        return None
    batch = getattr(getattr(env_or_game, "unwrapped", env_or_game), "batch", None)
    if not isinstance(batch, Batch):
        raise SettingsError(f"{type(env_or_game).__name__}: neither an environment of this package nor a game")
    if len(batch) > 1:
        raise SettingsError(f"env: {len(batch)} games at once; give one of them, such as envs.games[0], with its table")
    return batch


# --- descriptions -----------------------------------------------------------------------------------------------------


def describe(
    env_or_game: Any,
    seat: int,
    *,
    table: Table | None = None,
    knowledge: str | Mapping[str, Any] | None = None,
    communication: str | None = None,
    show_pile_top: bool | None = None,
) -> str:
    """All that a seat may know of a game, in plain language.

    For a bare record give its `table`, and `knowledge`, `communication` and `show_pile_top` if they differ from the
    environments' defaults; estimates are then those that belong to the game's seed.
    """
    given = {"knowledge": knowledge, "communication": communication, "show_pile_top": show_pile_top}
    settings = {name: value for name, value in given.items() if value is not None}
    batch = batch_of(env_or_game)
    if batch is None:
        if table is None:
            raise SettingsError("table: a record does not know its catalogue; give the table it was dealt at")
        batch = batch_for(env_or_game, table, settings)
    elif table is not None or settings:
        names = ", ".join((["table"] if table is not None else []) + list(settings))
        raise SettingsError(f"{names}: an environment has its own; give these for a bare record only")
    batch.check_dealt()
    seat = whole_number("seat", seat, 0, batch.table.players - 1)
    writer = CoopWords(batch, seat) if isinstance(batch, CoopBatch) else CompetitiveWords(batch, seat)
    return "\n".join(writer.lines())


def batch_for(game: Any, table: Table, settings: dict[str, Any]) -> Batch:
    kind = CoopBatch if isinstance(table, Coop) else CompetitiveBatch
    batch: Batch = kind(table, 1, **settings)  # type: ignore[arg-type]
    batch.adopt(game)
    return batch


class Words:
    """What both modes have in common: cards as a seat knows them."""

    def __init__(self, batch: Batch, seat: int) -> None:
        self.batch, self.seat = batch, seat
        self.game = batch.games[0]
        self.catalogue = batch.table.catalogue
        self.kind = batch.knowledge.kind
        self.row = batch.knowledge.row_of(seat)

    def number(self, card: int) -> int:
        """The catalogue number of a card of the record."""
        raise NotImplementedError

    def icon(self, card: int) -> str:
        """What the front icon adds to the words for a card."""
        raise NotImplementedError

    def flipped(self, card: int) -> str:
        """A card whose time is public."""
        number = self.number(card)
        return f"{self.catalogue.titles[number]} ({self.moment(card)})"

    def moment(self, card: int) -> str:
        time = f"time {self.catalogue.times[self.number(card)]}"
        return f"{time}, position {self.game['time'][card]}" if self.kind == NOISY else time

    def hidden(self, card: int) -> str:
        """A card whose time is not public, as this seat knows it."""
        number = self.number(card)
        if self.kind == EXPERT:
            return f"{self.catalogue.titles[number]} (time {self.catalogue.times[number]}){self.icon(card)}"
        if self.kind == NOISY:
            estimate = float(self.batch.estimates[0][self.row, card])
            sigma = float(self.batch.knowledge.sigma[self.row, number])
            return f"a card at about position {estimate:.1f} (sigma {sigma:.3g}){self.icon(card)}"
        if self.kind == BLIND:
            return f"a card{self.icon(card)}"
        return f"{self.catalogue.titles[number]}{self.icon(card)}"

    def who(self, seat: int) -> str:
        return f"you (player {seat})" if seat == self.seat else f"player {seat}"

    def hand(self, seat: int) -> str:
        """A hand by table slots."""
        parts = []
        for slot, card in enumerate(self.game["hands"][seat].tolist()):
            if card != engine.NO_CARD:
                parts.append(f"  slot {slot}: {self.held(seat, slot, card)}")
        name = "Your hand:" if seat == self.seat else f"Hand of player {seat}:"
        return "\n".join([name, *(parts or ["  no cards"])])

    def held(self, seat: int, slot: int, card: int) -> str:
        raise NotImplementedError

    def events(self) -> str:
        recent = [self.event(*event) for event in self.game["recent"].tolist() if event[0] != engine.NO_EVENT]
        return "Last events, newest first: " + ("; ".join(recent) or "none") + "."

    def event(self, event: int, seat: int, card: int) -> str:
        raise NotImplementedError

    def options(self) -> str:
        """The legal actions if it is this seat's turn."""
        game = self.game
        if game["end"] != engine.RUNNING or game["turn"] != self.seat:
            return ""
        return f"You may: {self.legal()}."

    def legal(self) -> str:
        raise NotImplementedError

    def hands(self) -> list[str]:
        players = self.batch.table.players
        return [self.hand((self.seat + relative) % players) for relative in range(players)]


class CoopWords(Words):
    PHASES: ClassVar = (
        "begins the turn",
        "must try another card",
        "has placed a card and may end the turn or play another",
    )
    PLACES: ClassVar = {
        engine.LOW_END: "became the new low end",
        engine.HIGH_END: "became the new high end",
        engine.GAP: "went into a gap",
        engine.EQUAL: "lies on a card of the same time",
        engine.STUCK: "could not be placed and is stuck",
    }

    def lines(self) -> list[str]:
        game = self.game
        result = read_result(game)
        table = self.batch.table
        lines = [
            f"Timeline Twist, co-op, {table.players} players, {table.cards_in_game} cards. You are player {self.seat}.",
            f"Score so far: {result.score} ({result.rank()}).",
        ]
        if result.end_reason is None:
            lines.append(f"On turn: {self.who(int(game['turn']))}, who {self.PHASES[game['phase']]}.")
        else:
            lines.append(f"The game is over: {result.end_reason}.")
        lines += [self.timeline(), self.discards(), self.pile(), *self.hands(), self.events(), self.options()]
        return [line for line in lines if line]

    def number(self, card: int) -> int:
        return int(self.game["card"][card])

    def icon(self, card: int) -> str:
        return f", {self.catalogue.icons[self.game['front'][card]]} in front"

    def held(self, seat: int, slot: int, card: int) -> str:
        if not self.game["stuck"][seat, slot]:
            return self.hidden(card)
        back = self.catalogue.icons[self.game["back"][card]]
        return f"stuck: {self.flipped(card)}{self.icon(card)}, {back} behind"

    def timeline(self) -> str:
        game = self.game
        rows = ["Timeline from low to high (main row; the gap after each card):"]
        for i, card in enumerate(game["main"][: game["main_count"]].tolist()):
            gap = game["gap"][i]
            rows.append(f"  {self.stack(card)}")
            if i < game["main_count"] - 1:
                rows.append(f"    gap: {'free' if gap == engine.NO_CARD else self.stack(int(gap))}")
        return "\n".join(rows)

    def stack(self, card: int) -> str:
        """A card of the timeline with those of equal time that lie on it."""
        game = self.game
        ties = game["ties"][: game["tie_count"]].tolist()
        on_it = [tie for tie in ties if game["time"][tie] == game["time"][card]]
        return " and ".join(self.flipped(each) for each in [card, *on_it])

    def discards(self) -> str:
        game = self.game
        cards = game["discards"][: game["discard_count"]].tolist()
        icon = self.catalogue.icons[game["back"][cards[-1]]]
        listed = "; ".join(self.flipped(card) for card in cards)
        return f"Discards, bottom first: {listed}. A card with {icon} in front may be discarded next."

    def pile(self) -> str:
        left = int(self.game["deck_size"] - self.game["drawn"])
        if left == 0 or not self.batch.show_pile_top:
            return f"Draw pile: {left} cards."
        return f"Draw pile: {left} cards; on top {self.hidden(int(self.game['drawn']))}."

    def event(self, event: int, seat: int, card: int) -> str:
        if event == engine.ENDED_TURN:
            return f"{self.who(seat)} ended the turn"
        if event == engine.DISCARDED:
            return f"{self.who(seat)} discarded {self.flipped(card)}"
        return f"{self.who(seat)} played {self.flipped(card)}, which {self.PLACES[event]}"

    def legal(self) -> str:
        actions = np.flatnonzero(self.batch.table.mask(self.game))
        return ", ".join(format_action(self.game, int(action)) for action in actions)


class CompetitiveWords(Words):
    def lines(self) -> list[str]:
        game = self.game
        result = read_result(game)
        cards, players = self.batch.table.cards_in_game, self.batch.table.players
        lines = [
            f"Timeline Twist, competitive, {players} players, {cards} cards. You are player {self.seat}.",
            f"Rounds played: {game['rounds']}." + (" This is a tie-break." if game["tie_break"] else ""),
        ]
        if result.end_reason is None:
            lines.append(f"On turn: {self.who(int(game['turn']))}.")
        else:
            winners = ", ".join(self.who(seat) for seat in result.winners)
            lines.append(f"The game is over: {result.end_reason}" + (f", {winners}." if winners else "."))
        lines += [self.standing(), self.timeline(), self.discards(), self.pile()]
        lines += [*self.hands(), self.events(), self.options()]
        return [line for line in lines if line]

    def number(self, card: int) -> int:
        return card

    def icon(self, card: int) -> str:  # noqa: ARG002  (icons play no part)
        return ""

    def known(self, card: int) -> str:
        return self.flipped(card) if self.game["seen"][card] else self.hidden(card)

    def held(self, seat: int, slot: int, card: int) -> str:  # noqa: ARG002  (no card is stuck)
        return self.known(card)

    def standing(self) -> str:
        game, players = self.game, self.batch.table.players
        out = [self.who(seat) for seat in range(players) if not game["active"][seat]]
        done = [self.who(seat) for seat in range(players) if game["finished"][seat]]
        leader = int(engine.competitive_next_active(game, game["first_player"]))
        lines = [f"Rounds begin with {self.who(leader)}."]
        lines += [f"Out of the game: {', '.join(out)}."] if out else []
        lines += [f"Finished in this round: {', '.join(done)}."] if done else []
        return " ".join(lines)

    def timeline(self) -> str:
        cards = self.game["timeline"][: self.game["timeline_count"]].tolist()
        rows = [f"  {self.flipped(card)}\n    place SLOT at {i + 1}" for i, card in enumerate(cards)]
        return "\n".join(["Timeline from low to high, with the places for a card:", "    place SLOT at 0", *rows])

    def discards(self) -> str:
        cards = self.game["discards"][: self.game["discard_count"]].tolist()
        return f"Discards: {'; '.join(self.flipped(card) for card in cards) or 'none'}."

    def pile(self) -> str:
        game = self.game
        left = int(game["pile_end"] - game["pile_start"])
        if left == 0 or not self.batch.show_pile_top:
            return f"Draw pile: {left} cards."
        return f"Draw pile: {left} cards; on top {self.known(int(game['pile'][game['pile_start']]))}."

    def event(self, event: int, seat: int, card: int) -> str:
        return f"{self.who(seat)} placed {self.flipped(card)} {'rightly' if event == engine.RIGHT else 'wrongly'}"

    def legal(self) -> str:
        slots = [str(slot) for slot, card in enumerate(self.game["hands"][self.seat]) if card != engine.NO_CARD]
        return f"place SLOT at POSITION, with slot {' or '.join(slots)} and position 0 to {self.game['timeline_count']}"
