"""The records: one NumPy dtype per mode holds a whole game. These dtypes are the documentation of the state.

In a co-op record a card is its place in the draw order, 0..35; `card` gives its catalogue number. In a competitive
record a card is its catalogue number. `NO_CARD` (-1) marks an empty place. Times are dense ranks: 0, 1, 2, ... in order
of time, equal for equal times. What lies beyond a count is -1 or of no meaning.

**Both modes.** `seed`: deals this very game again. `rng`: the random stream for what comes after the deal.
`players`, `hand_size`, `first_player`: settings; they survive a new deal. `turn`: the seat that acts. `end`: index
into `engine.END_REASONS`, 0 while running. `hands[seat, slot]`: cards. `time[card]`: its rank. `discards`: from the
bottom up, `discard_count` of them.

**Co-op.** `deck_size`, `printed_icons`: settings. `phase`: START, MUST_PLAY (a flip failed, nothing is placed yet) or
PLACED_ONE. `legal`: bit a is set where action a is legal. `drawn`: how many cards have left the draw pile, and so the
card on its top. `main`: the main row from low to high, `main_count` positions. `gap[i]`: lies between `main[i]` and
`main[i + 1]`. `ties`: cards lying on one of equal time, in order of play, `tie_count` of them. `main_cards` and
`gap_cards`: cards that score 2 and 1, those lying on others included. `stuck[seat, slot]`: 1 where the card was flipped
and could not be placed. `front[card]`, `back[card]`: icons. `card[card]`: catalogue number.

**Competitive.** `max_rounds`, `catalogue_size`: settings. `rounds`: completed ones. `timeline`: from low to high,
`timeline_count` cards. `pile[pile_start:pile_end]`: the draw pile, top first. `active[seat]`: 1 for the players still
in. `finished[seat]`: 1 for those who placed their last card in this round, or were right in a tie-break. `tie_break`: 1
once several players have finished in one round. `winner`: a seat, or `NOBODY` (-1). `seen[card]`: 1 for every card ever
flipped, its time is public for good. `padding`: always 0.
"""

from typing import Any

import numpy as np

MAX_PLAYERS = 6
MAX_HAND = 4
MAX_DECK = 36
MAX_CATALOGUE = 1000


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


COMPETITIVE_128 = _competitive(128)
COMPETITIVE_1000 = _competitive(MAX_CATALOGUE)

# Every record type that compiled functions take; see timeline_twist.compiled for why they are listed.
ALL = (CARD, COOP, COMPETITIVE_128, COMPETITIVE_1000)
