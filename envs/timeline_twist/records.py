"""The records: one NumPy dtype per mode holds a whole game. These dtypes are the documentation of the state.

In a co-op record a card is its place in the draw order, 0..35; `game.card` gives its catalogue number. In a competitive
record a card is its catalogue number. `NO_CARD` (-1) marks an empty place. Times are dense ranks: 0, 1, 2, ... in order
of time, equal for equal times.
"""

from typing import Any

import numpy as np

MAX_PLAYERS = 6
MAX_HAND = 4
MAX_DECK = 36
MAX_CATALOGUE = 1000


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[np.record]:
    """An aligned dtype whose records give their fields as attributes."""
    dtype: np.dtype[np.record] = np.dtype((np.record, np.dtype(fields, align=True)))  # type: ignore[assignment]
    return dtype


# What the deal needs to know of a card of the catalogue.
CARD = record_dtype([("time", "i2"), ("front", "i1"), ("back", "i1")])

COOP = record_dtype(
    [
        ("seed", "u8"),  # deals this very game again
        ("rng", "u8"),  # the third random stream
        # The settings; they survive a new deal.
        ("players", "i1"),
        ("hand_size", "i1"),
        ("deck_size", "i1"),
        ("first_player", "i1"),
        ("printed_icons", "i1"),
        # Where the game stands.
        ("turn", "i1"),  # the seat that acts
        ("phase", "i1"),  # START, MUST_PLAY, PLACED_ONE
        ("end", "i1"),  # index into END_REASONS, 0 while running
        ("legal", "i2"),  # bit a is set where action a is legal; 0 once the game has ended
        ("drawn", "i1"),  # cards that have left the draw pile = the card on its top
        ("main_count", "i1"),  # positions of the main row
        ("tie_count", "i1"),
        ("discard_count", "i1"),
        ("main_cards", "i1"),  # cards that score 2: the main row and what lies on it
        ("gap_cards", "i1"),  # cards that score 1: the gap row and what lies on it
        ("hands", "i1", (MAX_PLAYERS, MAX_HAND)),
        ("stuck", "i1", (MAX_PLAYERS, MAX_HAND)),  # 1 where the hand's card was flipped and could not be placed
        ("main", "i1", (MAX_DECK,)),  # from low to high
        ("gap", "i1", (MAX_DECK,)),  # gap[i] lies between main[i] and main[i + 1]
        ("ties", "i1", (MAX_DECK,)),  # cards lying on one of equal time, in order of play
        ("discards", "i1", (MAX_DECK,)),  # bottom to top
        # The cards in draw order.
        ("front", "i1", (MAX_DECK,)),
        ("back", "i1", (MAX_DECK,)),
        ("time", "i2", (MAX_DECK,)),
        ("card", "i2", (MAX_DECK,)),
    ]
)


def competitive_dtype(catalogue_size: int) -> np.dtype[np.record]:
    """The competitive record for catalogues of that size; two sizes exist, so that little is compiled twice."""
    return COMPETITIVE_128 if catalogue_size <= 128 else COMPETITIVE_1000


def _competitive(capacity: int) -> np.dtype[np.record]:
    return record_dtype(
        [
            ("seed", "u8"),  # deals this very game again
            ("rng", "u8"),  # the third random stream
            # The settings; they survive a new deal.
            ("max_rounds", "i4"),
            ("catalogue_size", "i2"),
            ("players", "i1"),
            ("hand_size", "i1"),
            ("first_player", "i1"),
            # Where the game stands.
            ("turn", "i1"),  # the seat that acts
            ("tie_break", "i1"),  # 1 once several players have finished in one round
            ("end", "i1"),  # index into END_REASONS, 0 while running
            ("winner", "i1"),  # seat, or NOBODY
            ("rounds", "i4"),  # completed rounds
            ("timeline_count", "i2"),
            ("pile_start", "i2"),  # the draw pile is pile[pile_start:pile_end], top first
            ("pile_end", "i2"),
            ("discard_count", "i2"),
            ("active", "i1", (MAX_PLAYERS,)),  # 1 for the players still in
            ("finished", "i1", (MAX_PLAYERS,)),  # 1 for those who placed their last card in this round
            ("hands", "i2", (MAX_PLAYERS, MAX_HAND)),
            ("timeline", "i2", (capacity,)),  # from low to high
            ("pile", "i2", (capacity,)),
            ("discards", "i2", (capacity,)),  # in order of discarding
            ("seen", "i1", (capacity,)),  # 1 for every card ever flipped: its time is public for good
            ("time", "i2", (capacity,)),
        ]
    )


COMPETITIVE_128 = _competitive(128)
COMPETITIVE_1000 = _competitive(MAX_CATALOGUE)

# Every record type that compiled functions take; see timeline_twist.compiled for why they are listed.
ALL = (CARD, COOP, COMPETITIVE_128, COMPETITIVE_1000)
