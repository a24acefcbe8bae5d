"""The records: one NumPy dtype per mode holds a whole game. These dtypes are the documentation of the state.

In a co-op record a card is its place in the draw order, 0..35; `card` gives its catalogue number. In a competitive
record a card is its catalogue number. `NO_CARD` (-1) marks an empty place. Times are dense ranks: 0, 1, 2, ... in order
of time, equal for equal times. What lies beyond a count is -1 or of no meaning.

**Both modes.** `seed`: deals this very game again. `rng`: the random stream for what comes after the deal.
`players`, `hand_size`, `first_player`: settings; they survive a new deal. `turn`: the seat that acts. `end`: index
into `engine.END_REASONS`, 0 while running. `hands[seat, slot]`: cards. `time[card]`: its rank. `discards`: from the
bottom up, `discard_count` of them. `recent`: the last public events, newest first, each as (event, seat, card).

**Co-op.** `deck_size`, `printed_icons`: settings. `phase`: START, MUST_PLAY (a flip failed, nothing is placed yet) or
PLACED_ONE. `legal`: bit a is set where action a is legal. `drawn`: how many cards have left the draw pile, and so the
card on its top. `main`: the main row from low to high, `main_count` positions. `gap[i]`: lies between `main[i]` and
`main[i + 1]`. `ties`: cards lying on one of equal time, in order of play, `tie_count` of them. `main_cards` and
`gap_cards`: cards that score 2 and 1, those lying on others included. `stuck[seat, slot]`: 1 where the card was flipped
and could not be placed. `front[card]`, `back[card]`: icons. `card[card]`: catalogue number. `padding`: always 0.

**Competitive.** `max_rounds`, `catalogue_size`: settings. `rounds`: completed ones. `timeline`: from low to high,
`timeline_count` cards. `pile[pile_start:pile_end]`: the draw pile, top first. `active[seat]`: 1 for the players still
in. `finished[seat]`: 1 for those who placed their last card in this round, or were right in a tie-break. `tie_break`: 1
once several players have finished in one round. `winner`: a seat, or `NOBODY` (-1). `seen[card]`: 1 for every card ever
flipped, its time is public for good. `padding`: always 0.

A VIEW record holds what compiled code needs to know of a catalogue, of the seats' knowledge and of the observation:
`times`: how many different ones the catalogue has; `per_time`: 1 divided by that; `catalogue_size`; `icons`: how many
there are; `kind`: index into `knowledge.KINDS`; `rows`: 1 where all seats know the same, otherwise one per seat;
`full`, `sorted_slots`, `show_pile_top`: 1 if so; `final_reward`: 1 for `reward="final"`. `copies[time]`: how many
cards have it, times `observation.ONE`. `labels[card]`: its place in a fixed shuffle of the catalogue, which tells
nothing about its time. `numbers[card]`: the card itself. `private[seat, card]`: sigma of the seat's own estimates;
`sigma[row, card]`: of what it goes by. `stops`: the ends of the observation's sections.

A WORK record is memory that an observation needs while it is written. `order`: the slots of one hand as presented,
sorted by `keys`. Then of each visible card, in the order of the observation: `cards`, NO_CARD for empty places;
`card`, the same with any card for those (co-op); `present` and `playable` (present and not stuck), 0 or 1; `public`, 1
where the time is; `first` and `last`, the positions where it may be; `weights[visible card, position]`, the chances of
those, and `chances`, their running sum; `middle`, the expected one; `twins`, how many cards these are the chances of
(0 for all but the first of several alike). `chosen[end]`: the visible cards beyond each end of the main row,
`count[end]` of them; `by_time`: the playable ones in order of time, where positions are known. `available[time]`: how
many cards of that time have not been public. `unseen[time]`: how many of those are not visible either, expected, in
parts of `observation.ONE`; a card of the main row counts as `observation.MAIN`, a playable one of known position as
`observation.VISIBLE`. `below`: its running sum. `main_time[i]`: the time of main card i. Of the gap after k cards of
the main row: `free[k]` and `taken[k]`, 0 or 1; `gap_time[k]`, the time of the card in it or -1; `in_gap[k]`, the
expected number of visible cards for it; `gap_unseen[k]`, of unseen ones. `padding`: of no meaning.

A THINK record is memory of an agent's rules of thumb while it decides. `visible[position]`: the visible cards expected
there, packed as `agents.coop_thumb` says; `unseen[position]`: those of the draw pile, likewise; `below`: their running
sum. `available[position]`: cards that have not been public. Of own card `slot`: `row[slot]` is the row of `weights`
that holds the chances of its positions, `first` to `last`; `placed` is what its places are worth, `stuck` the chance
that it has none. `worth`: of every action. `per_unseen`: the expected cards of the draw pile for each unseen one.
`main_time[i]`: the time of main card i. `other`: the chances of a card that is not the player's own; `reach`: running
sums of those of an own one. Competitive: `place[slot]`, where a card is likeliest right, `second[slot]`, the next
likeliest, with the chances `worth` and `next_worth`; `room`: how far its neighbours are.

A POOL record is what an agent has to give out when it imagines a world that it may be in: `hidden`, the visible cards
that have not been flipped, `hidden_count` of them, and `order`, the same in random order; `numbers`: the catalogue
numbers that have not been public, `number_count` of them; `pairs`: catalogue numbers that stand for the pairs of icons
that have not been public, `pair_count` of them; `given[number]`: 1 where it has been public. `rest`: what is left
while a world is filled in, `rest_count` of them; `available[position]`: how many of those that a card may be have it;
`chances[position]`: where it may be. A MINDS record is what the seats believe in that world: `estimates[row, card]` and
`sigmas[row, card]`.

`OUTCOME` is what a step of one game in a batch gave: `reward`; `score` (co-op) after it; `terminated`, `truncated`,
`illegal`: 1 if so. `episode_return` and `episode_length` count on through the episode. If a game ended in this step,
`end` tells why, and `final_score`, `final_return` and `final_length` are those of the whole game; otherwise `end` is 0.

`CANDIDATE` is a position that a search (timeline_twist.agents.hindsight) may keep. `key`: equal for positions with the
same future. `parent`: index of the position before the turn that led here; `first` and `second`: the actions of that
turn, -1 for none. `score`: of the game so far; `value`: what the position is ranked by. `padding`: of no meaning.
"""

from typing import Any

import numpy as np

MAX_PLAYERS = 6
MAX_HAND = 4
MAX_DECK = 36
MAX_CATALOGUE = 1000
SMALL_CATALOGUE = 128
MAX_VISIBLE = MAX_PLAYERS * MAX_HAND + 1  # all hands and the top of the draw pile
MAX_SECTIONS = 16
RECENT = 4  # how many public events a game remembers


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[np.record]:
    """A dtype whose records give their fields as attributes.

    Its fields are aligned by their order, not through NumPy's `align`: files do not keep that flag, and Numba would
    take a loaded game for another type. Without hidden padding, copies are equal in every byte.
    """
    # NumPy's own types take it for a dtype of plain voids.
    dtype: np.dtype[np.record] = np.dtype((np.record, fields))  # type: ignore[assignment]
    return dtype


# What the deal needs to know of a card of the catalogue.
CARD = record_dtype([("time", "i2"), ("front", "i1"), ("back", "i1")])

COOP = record_dtype(
    [
        ("seed", "u8"),
        ("rng", "u8"),
        ("legal", "i2"),
        ("players", "i1"),
        ("hand_size", "i1"),
        ("deck_size", "i1"),
        ("first_player", "i1"),
        ("printed_icons", "i1"),
        ("turn", "i1"),
        ("phase", "i1"),
        ("end", "i1"),
        ("drawn", "i1"),
        ("main_count", "i1"),
        ("tie_count", "i1"),
        ("discard_count", "i1"),
        ("main_cards", "i1"),
        ("gap_cards", "i1"),
        ("hands", "i1", (MAX_PLAYERS, MAX_HAND)),
        ("stuck", "i1", (MAX_PLAYERS, MAX_HAND)),
        ("main", "i1", (MAX_DECK,)),
        ("gap", "i1", (MAX_DECK,)),
        ("ties", "i1", (MAX_DECK,)),
        ("discards", "i1", (MAX_DECK,)),
        ("front", "i1", (MAX_DECK,)),
        ("back", "i1", (MAX_DECK,)),
        ("recent", "i1", (RECENT, 3)),
        ("padding", "i1", (4,)),
        ("time", "i2", (MAX_DECK,)),
        ("card", "i2", (MAX_DECK,)),
    ]
)


def _competitive(capacity: int) -> np.dtype[np.record]:
    return record_dtype(
        [
            ("seed", "u8"),
            ("rng", "u8"),
            ("max_rounds", "i4"),
            ("rounds", "i4"),
            ("catalogue_size", "i2"),
            ("timeline_count", "i2"),
            ("pile_start", "i2"),
            ("pile_end", "i2"),
            ("discard_count", "i2"),
            ("hands", "i2", (MAX_PLAYERS, MAX_HAND)),
            ("recent", "i2", (RECENT, 3)),
            ("timeline", "i2", (capacity,)),
            ("pile", "i2", (capacity,)),
            ("discards", "i2", (capacity,)),
            ("time", "i2", (capacity,)),
            ("players", "i1"),
            ("hand_size", "i1"),
            ("first_player", "i1"),
            ("turn", "i1"),
            ("tie_break", "i1"),
            ("end", "i1"),
            ("winner", "i1"),
            ("active", "i1", (MAX_PLAYERS,)),
            ("finished", "i1", (MAX_PLAYERS,)),
            ("seen", "i1", (capacity,)),
            ("padding", "i1", (3,)),
        ]
    )


COMPETITIVE_128 = _competitive(SMALL_CATALOGUE)
COMPETITIVE_1000 = _competitive(MAX_CATALOGUE)


def competitive_dtype(catalogue_size: int) -> np.dtype[np.record]:
    """The competitive record for catalogues of that size; two sizes exist, so that little is compiled twice."""
    return COMPETITIVE_128 if catalogue_size <= SMALL_CATALOGUE else COMPETITIVE_1000


def view_dtype(catalogue_size: int) -> np.dtype[np.record]:
    return VIEW_128 if catalogue_size <= SMALL_CATALOGUE else VIEW_1000


def work_dtype(catalogue_size: int) -> np.dtype[np.record]:
    return WORK_128 if catalogue_size <= SMALL_CATALOGUE else WORK_1000


def _view(capacity: int) -> np.dtype[np.record]:
    return record_dtype(
        [
            ("stops", "i8", (MAX_SECTIONS,)),
            ("copies", "i8", (capacity,)),
            ("per_time", "f4"),
            ("private", "f4", (MAX_PLAYERS, capacity)),
            ("sigma", "f4", (MAX_PLAYERS, capacity)),
            ("labels", "i2", (capacity,)),
            ("numbers", "i2", (capacity,)),
            ("times", "i2"),
            ("catalogue_size", "i2"),
            ("icons", "i1"),
            ("kind", "i1"),
            ("rows", "i1"),
            ("full", "i1"),
            ("sorted_slots", "i1"),
            ("show_pile_top", "i1"),
            ("final_reward", "i1"),
            ("padding", "i1", (1,)),
        ]
    )


def _work(capacity: int) -> np.dtype[np.record]:
    return record_dtype(
        [
            ("unseen", "i8", (capacity + 4,)),
            ("below", "i8", (capacity + 4,)),
            ("weights", "f4", (MAX_VISIBLE, capacity)),
            ("chances", "f4", (MAX_VISIBLE, capacity + 1)),
            ("available", "f4", (capacity,)),
            ("middle", "f4", (MAX_VISIBLE,)),
            ("present", "f4", (MAX_VISIBLE,)),
            ("playable", "f4", (MAX_VISIBLE,)),
            ("in_gap", "f4", (MAX_DECK + 1,)),
            ("gap_unseen", "f4", (MAX_DECK + 1,)),
            ("free", "f4", (MAX_DECK + 1,)),
            ("taken", "f4", (MAX_DECK + 1,)),
            ("keys", "i4", (MAX_HAND,)),
            ("gap_time", "i2", (MAX_DECK + 1,)),
            ("main_time", "i2", (MAX_DECK,)),
            ("first", "i2", (MAX_VISIBLE,)),
            ("last", "i2", (MAX_VISIBLE,)),
            ("cards", "i2", (MAX_VISIBLE,)),
            ("card", "u1", (MAX_VISIBLE,)),
            ("public", "i1", (MAX_VISIBLE,)),
            ("twins", "i1", (MAX_VISIBLE,)),
            ("chosen", "u1", (2, MAX_VISIBLE)),
            ("by_time", "i1", (MAX_VISIBLE,)),
            ("count", "u1", (2,)),
            ("order", "i1", (MAX_HAND,)),
            ("padding", "i1", (4,)),
        ]
    )


VIEW_128, VIEW_1000 = _view(SMALL_CATALOGUE), _view(MAX_CATALOGUE)
WORK_128, WORK_1000 = _work(SMALL_CATALOGUE), _work(MAX_CATALOGUE)


def _think(capacity: int) -> np.dtype[np.record]:
    return record_dtype(
        [
            ("visible", "i8", (capacity,)),
            ("unseen", "i8", (capacity,)),
            ("below", "i8", (capacity + 1,)),
            ("weights", "f4", (MAX_HAND, capacity)),
            ("other", "f4", (capacity,)),
            ("reach", "f4", (capacity + 1,)),
            ("available", "f4", (capacity,)),
            ("worth", "f4", (2 * MAX_HAND + 1,)),
            ("placed", "f4", (MAX_HAND,)),
            ("stuck", "f4", (MAX_HAND,)),
            ("next_worth", "f4", (MAX_HAND,)),
            ("per_unseen", "f4"),
            ("first", "i2", (MAX_HAND,)),
            ("last", "i2", (MAX_HAND,)),
            ("main_time", "i2", (MAX_DECK,)),
            ("place", "i2", (MAX_HAND,)),
            ("second", "i2", (MAX_HAND,)),
            ("room", "i2", (MAX_HAND,)),
            ("row", "i1", (MAX_HAND,)),
            ("padding", "i1", (8,)),
        ]
    )


def think_dtype(catalogue_size: int) -> np.dtype[np.record]:
    return THINK_128 if catalogue_size <= SMALL_CATALOGUE else THINK_1000


def _pool(capacity: int) -> np.dtype[np.record]:
    return record_dtype(
        [
            ("available", "f4", (capacity,)),
            ("chances", "f4", (capacity,)),
            ("numbers", "i2", (capacity,)),
            ("pairs", "i2", (capacity,)),
            ("rest", "i2", (capacity,)),
            ("hidden", "i2", (MAX_VISIBLE,)),
            ("order", "i2", (MAX_VISIBLE,)),
            ("number_count", "i2"),
            ("pair_count", "i2"),
            ("rest_count", "i2"),
            ("hidden_count", "i2"),
            ("given", "i1", (capacity,)),
            ("padding", "i1", (4,)),
        ]
    )


def _minds(capacity: int) -> np.dtype[np.record]:
    return record_dtype([("estimates", "f4", (MAX_PLAYERS, capacity)), ("sigmas", "f4", (MAX_PLAYERS, capacity))])


def pool_dtype(catalogue_size: int) -> np.dtype[np.record]:
    return POOL_128 if catalogue_size <= SMALL_CATALOGUE else POOL_1000


def minds_dtype(catalogue_size: int) -> np.dtype[np.record]:
    return MINDS_128 if catalogue_size <= SMALL_CATALOGUE else MINDS_1000


POOL_128, POOL_1000 = _pool(SMALL_CATALOGUE), _pool(MAX_CATALOGUE)
MINDS_128, MINDS_1000 = _minds(SMALL_CATALOGUE), _minds(MAX_CATALOGUE)
THINK_128, THINK_1000 = _think(SMALL_CATALOGUE), _think(MAX_CATALOGUE)

OUTCOME = record_dtype(
    [
        ("reward", "f8"),
        ("episode_return", "f8"),
        ("final_return", "f8"),
        ("episode_length", "i4"),
        ("final_length", "i4"),
        ("score", "i2"),
        ("final_score", "i2"),
        ("end", "i1"),
        ("terminated", "i1"),
        ("truncated", "i1"),
        ("illegal", "i1"),
    ]
)

CANDIDATE = record_dtype(
    [
        ("key", "u8"),
        ("parent", "i4"),
        ("value", "i2"),
        ("score", "i2"),
        ("first", "i1"),
        ("second", "i1"),
        ("padding", "i1", (6,)),
    ]
)

# Every record type that compiled functions take; see timeline_twist.compiled for why they are listed.
ALL = (
    CARD,
    COOP,
    COMPETITIVE_128,
    COMPETITIVE_1000,
    VIEW_128,
    VIEW_1000,
    WORK_128,
    WORK_1000,
    THINK_128,
    THINK_1000,
    POOL_128,
    POOL_1000,
    MINDS_128,
    MINDS_1000,
    OUTCOME,
    CANDIDATE,
)
