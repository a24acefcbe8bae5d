"""What lies openly on a table: the only part of rendering that reads records. What is not in a view cannot show."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from timeline_twist import engine
from timeline_twist.errors import SettingsError
from timeline_twist.ranks import rank_name
from timeline_twist.tables import Coop, Table, check_single, read_result


@dataclass(frozen=True)
class Card:
    """A card as everybody sees it: time and back icon are None until it has been flipped. Icons are numbers."""

    title: str
    front: int | None = None
    time: int | None = None
    back: int | None = None
    stuck: bool = False


@dataclass(frozen=True)
class Place:
    """A place of the timeline: its card and those lying on it, and the same for the gap slot that follows."""

    cards: tuple[Card, ...]
    gap: tuple[Card, ...] | None = None  # None: there is no such slot, (): it is empty


@dataclass(frozen=True)
class Seat:
    name: str
    hand: tuple[Card | None, ...]
    note: str = ""
    lit: bool = False  # on turn, or a winner
    out: bool = False


@dataclass(frozen=True)
class View:
    """All that is public of a game."""

    game: str
    status: str
    headline: str
    details: str
    row: tuple[Place, ...]
    row_note: str
    seats: tuple[Seat, ...]
    pile_size: int
    pile_top: Card | None
    discards: tuple[Card, ...]  # from the bottom up
    open_icon: int | None  # what a discarded card must show
    icons: tuple[str, ...]
    gap_row: bool


def view(table: Table, game: Any, show_pile_top: bool = True) -> View:
    """What everybody at the table sees; `show_pile_top=False` hides the face of the next card."""
    check_single(game)
    if getattr(game, "dtype", None) != table.record:
        raise SettingsError(f"game: not dealt at this table, {table!r}")
    seen = _coop_view(table, game) if isinstance(table, Coop) else _competitive_view(table, game)
    return seen if show_pile_top else replace(seen, pile_top=None)


class _CoopCards:
    """Cards of a co-op record, which knows them by their place in the draw order."""

    def __init__(self, table: Coop, game: Any) -> None:
        self.catalogue = table.catalogue
        self.number, self.front, self.back = (game[name].tolist() for name in ("card", "front", "back"))

    def face(self, card: int) -> Card:
        return Card(printable(self.catalogue.titles[self.number[card]]), self.front[card])

    def flipped(self, card: int, stuck: bool = False) -> Card:
        moment = self.catalogue.times[self.number[card]]
        return replace(self.face(card), time=moment, back=self.back[card], stuck=stuck)

    def held(self, card: int, stuck: int) -> Card | None:
        if card == engine.NO_CARD:
            return None
        return self.flipped(card, stuck=True) if stuck else self.face(card)


def _coop_view(table: Coop, game: Any) -> View:
    cards = _CoopCards(table, game)
    score = read_result(game).score or 0
    discards = tuple(cards.flipped(card) for card in game["discards"][: game["discard_count"]].tolist())
    drawn, deck_size = int(game["drawn"]), int(game["deck_size"])
    return View(
        game=f"co-op · {printable(table.catalogue.name)}",
        status=_coop_status(game),
        headline=f"score {score}",
        details=rank_name(score),
        row=_coop_row(cards, game),
        row_note=f"main row {game['main_cards']} · gap row {game['gap_cards']}",
        seats=tuple(_coop_seat(cards, game, seat) for seat in range(table.players)),
        pile_size=deck_size - drawn,
        pile_top=cards.face(drawn) if drawn < deck_size else None,
        discards=discards,
        open_icon=discards[-1].back if discards else None,
        icons=tuple(printable(icon) for icon in table.catalogue.icons),
        gap_row=True,
    )


def _coop_row(cards: _CoopCards, game: Any) -> tuple[Place, ...]:
    """The main row with the gap slots between its cards; a card of equal time lies on the one it equals."""
    count = int(game["main_count"])
    laid_on: dict[int | None, list[Card]] = {}
    for card in game["ties"][: game["tie_count"]].tolist():
        tied = cards.flipped(card)
        laid_on.setdefault(tied.time, []).append(tied)

    def stack(card: int) -> tuple[Card, ...]:
        if card == engine.NO_CARD:
            return ()
        lowest = cards.flipped(card)
        return (lowest, *laid_on.get(lowest.time, ()))

    main, gap = game["main"][:count].tolist(), game["gap"][:count].tolist()
    return tuple(Place(stack(main[i]), stack(gap[i]) if i + 1 < count else None) for i in range(count))


def _coop_seat(cards: _CoopCards, game: Any, seat: int) -> Seat:
    size = int(game["hand_size"])
    slots = zip(game["hands"][seat, :size].tolist(), game["stuck"][seat, :size].tolist(), strict=True)
    hand = tuple(cards.held(card, stuck) for card, stuck in slots)
    on_turn = bool(game["end"] == engine.RUNNING and game["turn"] == seat)
    out = all(card is None for card in hand)
    note = "on turn" if on_turn else "no cards left" if out else ""
    return Seat(_player(seat), hand, note, lit=on_turn, out=out)


COOP_PHASES = {
    engine.START: "plays or discards",
    engine.MUST_PLAY: "has failed and must play another card",
    engine.PLACED_ONE: "has placed a card, and ends the turn or plays another",
}
COOP_ENDINGS = {
    engine.ALL_CARDS_USED: "all cards used, nobody holds one",
    engine.NO_LEGAL_ACTION: "no legal action for {player}",
    engine.FAILED_PLAY: "failed play, {player} could not place a card",
}


def _coop_status(game: Any) -> str:
    player = _player(game["turn"])
    end = int(game["end"])
    if end == engine.RUNNING:
        return f"{player} {COOP_PHASES[int(game['phase'])]}"
    return f"Game over: {COOP_ENDINGS[end].format(player=player)}"


def _competitive_view(table: Table, game: Any) -> View:
    titles, times = table.catalogue.titles, table.catalogue.times
    seen = game["seen"].tolist()

    def card(number: int) -> Card:
        return Card(printable(titles[number]), time=times[number] if seen[number] else None)

    start, end = int(game["pile_start"]), int(game["pile_end"])
    rounds = int(game["rounds"])
    running = game["end"] == engine.RUNNING
    still_in = f"{int(game['active'].sum())} of {table.players} players in"
    return View(
        game=f"competition · {printable(table.catalogue.name)}",
        status=_competitive_status(game),
        headline=f"round {rounds + 1}" if running else f"{rounds} rounds played",
        details=f"tie-break · {still_in}" if game["tie_break"] else still_in,
        row=tuple(Place((card(number),)) for number in game["timeline"][: game["timeline_count"]].tolist()),
        row_note=counted(int(game["timeline_count"])),
        seats=tuple(_competitive_seat(card, game, seat) for seat in range(table.players)),
        pile_size=end - start,
        pile_top=card(int(game["pile"][start])) if start < end else None,
        discards=tuple(card(number) for number in game["discards"][: game["discard_count"]].tolist()),
        open_icon=None,
        icons=(),
        gap_row=False,
    )


def _competitive_seat(card: Callable[[int], Card], game: Any, seat: int) -> Seat:
    hand = tuple(
        None if number == engine.NO_CARD else card(number)
        for number in game["hands"][seat, : game["hand_size"]].tolist()
    )
    result = read_result(game)
    running = result.end_reason is None
    winner = seat in result.winners
    on_turn = bool(running and game["turn"] == seat)
    out = not game["active"][seat]
    left = f"{counted(sum(held is not None for held in hand))} left"
    notes = (
        (on_turn, "on turn" if game["tie_break"] else f"on turn, {left}"),
        (winner, "winner" if len(result.winners) == 1 else "shares the draw"),
        (out, "out"),
        (game["finished"][seat] and game["tie_break"], "right in this round"),
        (game["finished"][seat], "has placed the last card"),
        (game["tie_break"], "still in"),
        (True, left),
    )
    note = next(words for holds, words in notes if holds)
    return Seat(_player(seat), hand, note, lit=on_turn or winner, out=out)


def _competitive_status(game: Any) -> str:
    result = read_result(game)
    if result.end_reason is None:
        return f"{_player(game['turn'])} places a card on the timeline"
    winners = ", ".join(map(str, result.winners))
    return {
        engine.WON: f"Game over: won by Player {winners}",
        engine.DRAW: f"Game over: draw between Players {winners}, no card is left",
        engine.MAX_ROUNDS: f"Game over: max rounds, broken off after {game['rounds']}",
    }[int(game["end"])]


def _player(seat: int) -> str:
    return f"Player {seat}"


def printable(words: str) -> str:
    """On one line and without control characters, which neither fonts nor terminals take well."""
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())


def counted(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards} cards"
