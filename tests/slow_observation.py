"""The observation once more, slow and obvious: written from the docs pages of coop_v0, competitive_v0 and knowledge.

Nothing here is shared with the compiled code but the records it reads. A position is the place of a time among the
different times of the catalogue. Every visible card has a list of chances, one for each position; all else follows
from those lists and from what lies open on the table.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Sections = dict[str, Array]

NO_CARD = -1
LARGEST = 36.0  # the observation space ends there
LIKELY = 0.25 - 1e-9  # a quarter or more, however it was added up
EIGHT = 8.0  # expected numbers of cards are divided by it
COOP_EVENTS = ("low_end", "high_end", "gap", "equal", "stuck", "discarded", "ended_turn")
ENDED_TURN = 7


@dataclass(frozen=True)
class Look:
    """Whose eyes see which game, and how the environment is set up."""

    table: Any
    game: Any
    estimates: Any  # [row, card of the record]
    sigma: Any  # [row, card of the catalogue]
    seat: int
    kind: str
    labels: Any  # [card of the catalogue]
    full: bool = True
    sorted_slots: bool = False
    show_pile_top: bool = True

    @property
    def row(self) -> int:
        return self.seat if len(self.estimates) > 1 else 0

    @property
    def catalogue_times(self) -> list[int]:
        """The position of every card of the catalogue."""
        different = sorted(set(self.table.catalogue.times))
        return [different.index(time) for time in self.table.catalogue.times]

    @property
    def positions(self) -> int:
        return len(set(self.table.catalogue.times))

    def turns_after(self, seat: int) -> int:
        return (seat - self.seat) % int(self.table.players)


@dataclass(frozen=True)
class Seen:
    """A place where a card can be seen: a hand slot as presented, or the top of the draw pile."""

    card: int
    turns: int | None  # from the observer to the hand's owner; None for the draw pile
    slot: int
    stuck: bool
    public: bool
    chances: Array


def share(look: Look, position: float) -> float:
    """A position as a share of all, its middle; estimates far outside are cut."""
    return min(max((position + 0.5) / look.positions, -1.0), 2.0)


def one_hot(length: int, place: int | None) -> Array:
    values = np.zeros(length)
    if place is not None:
        values[place] = 1
    return values


def count_positions(look: Look, cards: list[int]) -> Array:
    counts = np.zeros(look.positions)
    for card in cards:
        counts[look.game.time[card]] += 1
    return counts


# --- what a seat knows ------------------------------------------------------------------------------------------------


def still_hidden(look: Look, public_cards: list[int]) -> Array:
    """How many cards of each time have not been public, those out of the game included."""
    counts: Array = np.bincount(look.catalogue_times, minlength=look.positions).astype(np.float64)
    return np.asarray(counts - count_positions(look, public_cards))


def chances_of(look: Look, card: int, number: int, public: bool, available: Array) -> Array:
    """The chance of each position for a card, as the observing seat knows it."""
    if public or look.kind == "expert":
        return one_hot(look.positions, int(look.game.time[card]))
    if look.kind != "noisy":
        return np.asarray(available / available.sum())
    estimate, sigma = float(look.estimates[look.row, card]), float(look.sigma[look.row, number])
    # Four sigmas outside an estimate says no more than "at the very end".
    estimate = min(max(estimate, -4 * sigma), look.positions - 1 + 4 * sigma)
    nearest = min(max(estimate, 0.0), look.positions - 1.0)
    if sigma == 0:
        return one_hot(look.positions, round(nearest))
    weights = available * [math.exp(-0.5 * ((p - estimate) / sigma) ** 2) for p in range(look.positions)]
    weights[: max(int(nearest - 3 * sigma), 0)] = 0
    weights[int(nearest + 3 * sigma) + 2 :] = 0
    if weights.sum() == 0:
        weights = available
    return np.asarray(weights / weights.sum())


def presented_slots(look: Look, hand: list[int], public: list[bool]) -> list[int]:
    """The table slots of a hand in the order in which they are shown; empty ones go last where hands are sorted."""
    if not look.sorted_slots or look.kind in ("faces", "blind"):
        return list(range(4))

    def key(slot: int) -> float:
        card = hand[slot]
        if card == NO_CARD:
            return math.inf
        if public[slot] or look.kind == "expert":
            return float(look.game.time[card])
        return int(float(look.estimates[look.row, card]) * 64) / 64

    return sorted(range(4), key=key)


def visible_cards(
    look: Look, top: int, number: Callable[[int], int], is_public: Callable[[int], bool], available: Array
) -> list[Seen]:
    """All hands from the observer's on, then the top of the draw pile."""
    game, seen = look.game, []
    for turns in range(look.table.players):
        owner = (look.seat + turns) % look.table.players
        hand = game.hands[owner].tolist()
        public = [card != NO_CARD and is_public(card) for card in hand]
        for place, slot in enumerate(presented_slots(look, hand, public)):
            seen.append(look_at(look, hand[slot], turns, place, number, is_public, available))
    return [*seen, look_at(look, top if look.show_pile_top else NO_CARD, None, 0, number, is_public, available)]


def look_at(
    look: Look,
    card: int,
    turns: int | None,
    place: int,
    number: Callable[[int], int],
    is_public: Callable[[int], bool],
    available: Array,
) -> Seen:
    if card == NO_CARD:
        return Seen(NO_CARD, turns, place, False, False, np.zeros(look.positions))
    public = is_public(card)
    # In co-op a card of a hand is public only because it is stuck.
    stuck = public and "stuck" in look.game.dtype.names
    return Seen(card, turns, place, stuck, public, chances_of(look, card, number(card), public, available))


def known_time(look: Look, seen: Seen, number: int) -> list[float]:
    """Time or estimate and its sigma, as shares; 0 where nothing is known."""
    if seen.public or look.kind == "expert":
        return [share(look, int(look.game.time[seen.card])), 0.0]
    if look.kind == "noisy":
        sigma = float(look.sigma[look.row, number])
        return [share(look, float(look.estimates[look.row, seen.card])), min(sigma / look.positions, LARGEST)]
    return [0.0, 0.0]


def faces(look: Look, seen: list[Seen], number: Callable[[int], int]) -> Array:
    if look.kind != "faces":
        return np.zeros((len(seen), 0))
    cards = len(look.table.catalogue)
    return np.array([one_hot(cards, None if s.card == NO_CARD else look.labels[number(s.card)]) for s in seen])


def whose_turn(look: Look) -> Array:
    return one_hot(look.table.players, None if look.game.end else look.turns_after(int(look.game.turn)))


# --- co-op ------------------------------------------------------------------------------------------------------------


def coop(look: Look) -> Sections:
    """All sections of a co-op observation, in their order."""
    board = Board(look)
    sections = {
        "main": count_positions(look, board.on_main),
        "gap": count_positions(look, board.on_gaps),
        "discards": count_positions(look, board.discards),
        "cards": np.array([coop_card(look, seen) for seen in board.seen]),
        "faces": faces(look, board.seen, board.number),
        "open_icon": one_hot(len(look.table.catalogue.icons), board.open_icon),
        "turn": whose_turn(look),
        "phase": one_hot(3, None if look.game.end else int(look.game.phase)),
        "counts": np.array([board.pile, len(board.on_main), len(board.on_gaps), len(board.discards)]) / 36,
        "recent": np.array([coop_event(look, event) for event in look.game.recent.tolist()]),
    }
    if look.full:
        sections["fates"] = np.array([board.fate(seen) for seen in board.seen])
        sections["outward"] = np.array([board.outward(low=True), board.outward(low=False)])
        sections["outlook"] = np.array(board.outlook())
    return sections


def coop_card(look: Look, seen: Seen) -> list[float]:
    icons = len(look.table.catalogue.icons)
    if seen.card == NO_CARD:
        return [0.0] * (5 + 2 * icons)
    game = look.game
    facts = [1.0, float(seen.stuck), float(seen.public), *known_time(look, seen, int(game.card[seen.card]))]
    back = one_hot(icons, int(game.back[seen.card]) if seen.public else None)
    return [*facts, *one_hot(icons, int(game.front[seen.card])), *back]


def coop_event(look: Look, event: list[int]) -> list[float]:
    what, seat, card = event
    if what == 0:
        return [0.0] * 9
    time = 0.0 if what == ENDED_TURN else share(look, int(look.game.time[card]))
    return [*one_hot(len(COOP_EVENTS), what - 1), look.turns_after(seat) / 6, time]


@dataclass(frozen=True)
class Gap:
    """The slot between two neighbours of the main row."""

    low: int
    high: int
    taken_at: int | None  # the position of its card

    def inside(self, values: Array) -> float:
        return float(values[self.low + 1 : self.high].sum())


class Board:
    """A co-op table as one seat sees it."""

    def __init__(self, look: Look) -> None:
        self.look, game = look, look.game
        row, ties = game.main[: game.main_count].tolist(), game.ties[: game.tie_count].tolist()
        gap_cards = [card for card in game.gap[: game.main_count - 1].tolist() if card != NO_CARD]
        main_times = {int(game.time[card]) for card in row}
        self.on_main = row + [card for card in ties if game.time[card] in main_times]
        self.on_gaps = gap_cards + [card for card in ties if game.time[card] not in main_times]
        self.discards = game.discards[: game.discard_count].tolist()
        self.row = [int(game.time[card]) for card in row]
        self.gaps = [self.gap(i) for i in range(len(row) - 1)]
        self.stuck_cards = [int(card) for card in game.hands[game.stuck == 1]]
        self.public = [*self.on_main, *self.on_gaps, *self.discards, *self.stuck_cards]
        self.open_icon = int(game.back[self.discards[-1]])
        self.pile = int(game.deck_size) - int(game.drawn)
        self.available = still_hidden(look, self.public)
        top = int(game.drawn) if self.pile else NO_CARD
        self.seen = visible_cards(look, top, self.number, self.is_public, self.available)
        self.unseen = self.expected_unseen()

    def gap(self, i: int) -> Gap:
        card = int(self.look.game.gap[i])
        return Gap(self.row[i], self.row[i + 1], None if card == NO_CARD else int(self.look.game.time[card]))

    def number(self, card: int) -> int:
        return int(self.look.game.card[card])

    def is_public(self, card: int) -> bool:
        return card in self.stuck_cards

    def expected_unseen(self) -> Array:
        """For each position the expected cards of the draw pile below its visible top."""
        hidden = [seen for seen in self.seen if seen.card != NO_CARD and not seen.public]
        density = np.clip(self.available - sum((s.chances for s in hidden), np.zeros(self.look.positions)), 0, None)
        count = self.pile - (1 if self.seen[-1].card != NO_CARD else 0)
        return density * (count / density.sum()) if density.sum() > 0 else density

    def fate(self, seen: Seen) -> list[float]:
        if seen.card == NO_CARD:
            return [0.0] * 9
        chances, low, high = seen.chances, self.row[0], self.row[-1]
        taken = [gap for gap in self.gaps if gap.taken_at is not None]
        equal = float(chances[self.row].sum() + sum(chances[gap.taken_at] for gap in taken))
        stuck = sum(gap.inside(chances) - float(chances[gap.taken_at]) for gap in taken)
        free = sum(gap.inside(chances) for gap in self.free_gaps())
        matches = float(self.look.game.front[seen.card] == self.open_icon)
        swallowed, rivals, unseen = self.swallowed(chances), self.rivals(chances), self.unseen_for_gap(chances)
        ends = [float(chances[:low].sum()), float(chances[high + 1 :].sum())]
        return [*ends, free, stuck, equal, swallowed / EIGHT, rivals / EIGHT, unseen / EIGHT, matches]

    def free_gaps(self) -> list[Gap]:
        return [gap for gap in self.gaps if gap.taken_at is None]

    def swallowed(self, chances: Array) -> float:
        """Unseen cards that would come to lie between the card and the old end of the row."""
        low, high = self.row[0], self.row[-1]
        below = sum(chances[p] * self.unseen[p + 1 : low].sum() for p in range(low))
        above = sum(chances[p] * self.unseen[high + 1 : p].sum() for p in range(high + 1, self.look.positions))
        return float(below + above)

    def visible_in(self, gap: Gap) -> float:
        return sum(gap.inside(seen.chances) for seen in self.seen if not seen.stuck)

    def rivals(self, chances: Array) -> float:
        return sum(gap.inside(chances) * (self.visible_in(gap) - gap.inside(chances)) for gap in self.free_gaps())

    def unseen_for_gap(self, chances: Array) -> float:
        return sum(gap.inside(chances) * gap.inside(self.unseen) for gap in self.free_gaps())

    def outward(self, *, low: bool) -> list[list[float]]:
        """The visible cards beyond one end, the nearest first."""
        end = self.row[0] if low else self.row[-1]
        beyond = []
        for seen in self.seen:
            chance = float(seen.chances[:end].sum() if low else seen.chances[end + 1 :].sum())
            mean = float(seen.chances @ np.arange(self.look.positions))
            if chance >= LIKELY:
                beyond.append((-mean if low else mean, seen, chance))
        rows, before = [], float(end)
        for key, seen, chance in sorted(beyond, key=lambda entry: entry[0])[:8]:
            between = self.between(abs(key), before) / EIGHT
            rows.append(outward_row(seen, chance, between))
            before = abs(key)
        return rows + [[0.0] * 6] * (8 - len(rows))

    def between(self, mean: float, before: float) -> float:
        """Expected unseen cards strictly between two places, which need not be whole positions."""
        running = np.concatenate([[0.0], np.cumsum(self.unseen)])
        first, last = min(mean, before) + 1, max(mean, before)
        return max(float(np.diff(np.interp([first, last], range(len(running)), running))[0]), 0.0)

    def outlook(self) -> list[float]:
        low, high, positions = self.row[0], self.row[-1], self.look.positions
        free, taken = self.free_gaps(), [gap for gap in self.gaps if gap.taken_at is not None]
        unseen_in_free = [gap.inside(self.unseen) for gap in free]
        cards = [
            self.unseen[:low].sum(),
            self.unseen[high + 1 :].sum(),
            sum(unseen_in_free),
            sum(gap.inside(self.unseen) for gap in taken),
            sum(count / (1 + count) for count in unseen_in_free),
            sum(min(1.0, self.visible_in(gap)) for gap in free),
        ]
        room = [low / positions, (positions - 1 - high) / positions]
        return [*room, len(free) / EIGHT, len(taken) / EIGHT, *(float(number) / EIGHT for number in cards)]


def outward_row(seen: Seen, chance: float, between: float) -> list[float]:
    if seen.turns is None:
        return [chance, 0.0, 0.0, 1.0, between, 0.0]
    return [chance, float(seen.turns == 0), seen.turns / 6, 0.0, between, (seen.slot + 1) / 4]


# --- competitive ------------------------------------------------------------------------------------------------------


def competitive(look: Look) -> Sections:
    """All sections of a competitive observation, in their order."""
    game, cards = look.game, look.table.cards_in_game
    timeline = game.timeline[: game.timeline_count].tolist()
    discards = game.discards[: game.discard_count].tolist()
    pile = game.pile[game.pile_start : game.pile_end].tolist()
    available = still_hidden(look, np.flatnonzero(game.seen[:cards]).tolist())
    top = pile[0] if pile else NO_CARD
    seen = visible_cards(look, top, lambda card: card, lambda card: bool(game.seen[card]), available)
    sections = {
        "timeline": count_positions(look, timeline),
        "discards": count_positions(look, discards),
        "cards": np.array([competitive_card(look, each) for each in seen]),
        "faces": faces(look, seen, lambda card: card),
        "players": np.array([player(look, turns) for turns in range(look.table.players)]),
        "turn": whose_turn(look),
        "progress": np.array(
            [game.rounds / look.table.max_rounds, game.tie_break, len(pile) / cards, len(discards) / cards]
        ),
        "recent": np.array([competitive_event(look, event) for event in game.recent.tolist()]),
    }
    if look.full:
        row = [int(game.time[card]) for card in timeline]
        right = [right_places(look, each.chances, row) for each in seen]
        sections["chances"] = np.array(right[:4])
        sections["best"] = np.array([places.max() for places in right])
    return sections


def competitive_card(look: Look, seen: Seen) -> list[float]:
    if seen.card == NO_CARD:
        return [0.0] * 4
    return [1.0, float(seen.public), *known_time(look, seen, seen.card)]


def player(look: Look, turns: int) -> list[float]:
    game, players = look.game, look.table.players
    seat = (look.seat + turns) % players
    clockwise = [(int(game.first_player) + step) % players for step in range(players)]
    leader = next(other for other in clockwise if game.active[other])
    held = sum(card != NO_CARD for card in game.hands[seat].tolist())
    return [held / 4, float(game.active[seat]), float(game.finished[seat]), float(seat == leader)]


def competitive_event(look: Look, event: list[int]) -> list[float]:
    what, seat, card = event
    if what == 0:
        return [0.0] * 4
    right, wrong = what == 8, what == 9
    return [float(right), float(wrong), look.turns_after(seat) / 6, share(look, int(look.game.time[card]))]


def right_places(look: Look, chances: Array, row: list[int]) -> Array:
    """For each place of the timeline the chance that the card is right there; equal neighbours are right too."""
    places = np.zeros(look.table.cards_in_game + 1)
    for place in range(len(row) + 1):
        first = row[place - 1] if place > 0 else 0
        last = row[place] if place < len(row) else look.positions - 1
        places[place] = chances[first : last + 1].sum()
    return places


# --- fast and slow side by side ---------------------------------------------------------------------------------------


def look_of(batch: Any, seat: int) -> Look:
    """The eyes of a seat of a batch's first game."""
    return Look(
        batch.table,
        batch.games[0],
        batch.estimates[0],
        batch.knowledge.sigma,
        seat,
        batch.knowledge.name,
        batch.view["labels"][0],
        batch.features == "full",
        batch.slots == "sorted",
        batch.show_pile_top,
    )


def observe(look: Look) -> Sections:
    """The observation of either mode."""
    return coop(look) if "stuck" in look.game.dtype.names else competitive(look)


def order_is_doubtful(look: Look) -> bool:
    """Whether rounding decides which cards a list of `outward` has, or in which order."""
    board = Board(look)
    low, high = board.row[0], board.row[-1]
    held = [seen.chances for seen in board.seen if seen.card != NO_CARD]
    beyond = [chances[part].sum() for chances in held for part in (slice(0, low), slice(high + 1, None))]
    means = np.sort([float(chances @ np.arange(look.positions)) for chances in held])
    # Cards of which nothing is known have equal means to the last bit.
    close = look.kind == "noisy" and bool((np.diff(means) < 1e-4).any())
    return close or any(abs(chance - 0.25) < 1e-5 for chance in beyond)
