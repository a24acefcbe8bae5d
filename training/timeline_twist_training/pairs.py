"""Competitive observations as the network `pairs` sees them: what there is to say of each card, and of its best places.

An action is a card of the hand and a position of the timeline. Of each card the positions with the highest chances are
described by facts of their own; any other legal position is judged by its chance alone. Nothing here depends on the
number of players, the length of the timeline or the size of the catalogue, but for the list of all chances.

- `log_chances`, `4 x (N+1)`: of each card and position the logarithm of the chance that it is right, at least that of
  1e-6.
- `places`, `4 x K`: the K likeliest positions of each card, best first; where there are fewer, 0.
- `pairs`, `4 x K x 11`: of each of these: exists, chance, logarithm of its share of the best chance, width of the gap,
  room below and above the estimate, is the low end, is the high end, and how many cards are expected in the same gap:
  own others, the next player's, all others (the top of the pile too).
- `own`, `4 x 20`: of each own card: present, public, time, sigma, best chance, its logarithm, second chance, how far
  ahead of the best other card, is the likeliest card, how far ahead of the top of the pile; then what `pairs` says of
  its best place, but for the first.
- `context`, `32`: hand, round, players and the top of the pile in numbers; see `write_context`.

Everything is a function of the observation, so that nothing can be seen here that was not seen there. Where an
observation gives only estimates, cards of others are taken to be spread around them without looking at what has been
public.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from timeline_twist.compiled import compiled
from timeline_twist.observation import Layout
from timeline_twist.records import MAX_HAND

Array = npt.NDArray[Any]

PAIR_FACTS, CARD_FACTS, CONTEXT = 11, 10, 32
OWN_FACTS = CARD_FACTS + PAIR_FACTS - 1
LEAST_CHANCE = 1e-6
LOG_SCALE = np.float32(1 / 4)
ROOT_HALF = 0.7071067811865476
GIVEN = 4  # facts of a card in an observation
FROM_ONE_ON = np.float32(1 / 6)


class Sizes(NamedTuple):
    """What the compiled part must know of a table; `at_` are the beginnings of sections as given."""

    players: int
    times: int
    positions: int
    visible: int
    places: int
    at_cards: int
    at_players: int
    at_progress: int
    at_chances: int
    at_best: int


class Pairs:
    """Rewrites the observations of one competitive table."""

    def __init__(self, layout: Layout, places: int) -> None:
        positions = layout["chances"].shape[1]
        places = min(places, positions)
        self.layout = Layout(
            [
                ("log_chances", (MAX_HAND, positions)),
                ("places", (MAX_HAND, places)),
                ("pairs", (MAX_HAND, places, PAIR_FACTS)),
                ("own", (MAX_HAND, OWN_FACTS)),
                ("context", (CONTEXT,)),
            ]
        )
        given = ("cards", "players", "progress", "chances", "best")
        self.sizes = Sizes(
            players=layout["players"].shape[0],
            times=layout["timeline"].shape[0],
            positions=positions,
            visible=layout["cards"].shape[0],
            places=places,
            **{f"at_{name}": layout[name].start for name in given},
        )
        # Where the cards of the timeline are, and how much of each visible card is expected below each of them.
        self._edges = np.zeros(positions + 1, np.float32)
        self._below = np.zeros((self.sizes.visible, positions + 1), np.float32)
        self._places = np.zeros((MAX_HAND, places), np.int64)

    def rewrite(self, observations: Array, out: Array) -> None:
        """Observations into the first columns of `out`."""
        rewrite_all(observations, self.sizes, self._edges, self._below, self._places, out)


@compiled
def rewrite_all(observations: Any, sizes: Any, edges: Any, below: Any, places: Any, out: Any) -> None:
    for i in range(observations.shape[0]):
        rewrite(observations[i], sizes, edges, below, places, out[i])


@compiled
def rewrite(given: Any, sizes: Any, edges: Any, below: Any, places: Any, out: Any) -> None:
    count = read_timeline(given, sizes, edges)
    for j in range(sizes.visible):
        spread_card(given[sizes.at_cards + GIVEN * j : sizes.at_cards + GIVEN * (j + 1)], count, edges, below[j])
    at = write_chances(given, sizes, count, out)
    for slot in range(MAX_HAND):
        find_places(given, sizes, slot, count, places[slot])
        for k in range(sizes.places):
            out[at + k] = max(places[slot, k], 0)
        at += sizes.places
    for slot in range(MAX_HAND):
        for k in range(sizes.places):
            write_pair(given, sizes, slot, k, count, edges, below, places, out[at : at + PAIR_FACTS])
            at += PAIR_FACTS
    for slot in range(MAX_HAND):
        write_own(given, sizes, slot, places, out[at : at + OWN_FACTS])
        # All facts of the best place but that it exists.
        write_pair(given, sizes, slot, 0, count, edges, below, places, out[at + CARD_FACTS - 1 : at + OWN_FACTS])
        write_lead(given, sizes, slot, places, out[at + CARD_FACTS - 1 : at + CARD_FACTS])
        at += OWN_FACTS
    write_context(given, sizes, count, edges, below, places, out[at : at + CONTEXT])


@compiled
def read_timeline(given: Any, sizes: Any, edges: Any) -> Any:
    """The positions of the timeline's cards in order, as shares; give their number."""
    count = 0
    for t in range(sizes.times):
        for _ in range(int(given[t])):
            edges[count] = (np.float32(t) + np.float32(0.5)) / np.float32(sizes.times)
            count += 1
    return count


@compiled
def spread_card(card: Any, count: int, edges: Any, below: Any) -> None:
    """How much of a card is expected below each card of the timeline; the last entry is the whole of it."""
    present, public, time, sigma = card[0], card[1], card[2], card[3]
    below[count] = present
    for i in range(count):
        if public > 0 or (sigma == 0 and time > 0):
            below[i] = present if time < edges[i] else np.float32(0)
        elif sigma == 0:
            below[i] = present * edges[i]  # nothing is known of it
        else:
            below[i] = present * np.float32(0.5 + 0.5 * math.erf((edges[i] - time) / sigma * ROOT_HALF))


@compiled
def write_chances(given: Any, sizes: Any, count: int, out: Any) -> Any:
    for slot in range(MAX_HAND):
        first = slot * sizes.positions
        for position in range(sizes.positions):
            out[first + position] = 0
        for position in range(count + 1):
            chance = given[sizes.at_chances + first + position]
            out[first + position] = math.log(max(chance, np.float32(LEAST_CHANCE)))
    return MAX_HAND * sizes.positions


@compiled
def find_places(given: Any, sizes: Any, slot: int, count: int, places: Any) -> None:
    """The likeliest positions of a card, best first; -1 where there are no more."""
    first = sizes.at_chances + slot * sizes.positions
    places[:] = -1
    if given[sizes.at_cards + GIVEN * slot] == 0:
        return
    for position in range(count + 1):
        k = sizes.places - 1
        if places[k] >= 0 and given[first + places[k]] >= given[first + position]:
            continue
        while k > 0 and (places[k - 1] < 0 or given[first + places[k - 1]] < given[first + position]):
            places[k] = places[k - 1]
            k -= 1
        places[k] = position


@compiled
def chance_at(given: Any, sizes: Any, slot: int, place: int) -> Any:
    return given[sizes.at_chances + slot * sizes.positions + place] if place >= 0 else np.float32(0)


@compiled
def write_pair(
    given: Any, sizes: Any, slot: int, k: int, count: int, edges: Any, below: Any, places: Any, out: Any
) -> None:
    out[:] = 0
    place = places[slot, k]
    if place < 0:
        return
    chance = chance_at(given, sizes, slot, place)
    time = given[sizes.at_cards + GIVEN * slot + 2]
    low = edges[place - 1] if place > 0 else np.float32(0)
    high = edges[place] if place < count else np.float32(1)
    out[0], out[1] = 1, chance
    out[2] = LOG_SCALE * math.log(
        max(chance, np.float32(LEAST_CHANCE))
        / max(chance_at(given, sizes, slot, places[slot, 0]), np.float32(LEAST_CHANCE))
    )
    out[3], out[4], out[5] = high - low, time - low, high - time
    out[6], out[7] = place == 0, place == count
    for j in range(sizes.visible):
        if j != slot:
            inside = below[j, place] - (below[j, place - 1] if place > 0 else np.float32(0))
            out[8 if j < MAX_HAND else 9 if j < 2 * MAX_HAND else 10] += inside


@compiled
def write_own(given: Any, sizes: Any, slot: int, places: Any, out: Any) -> None:
    """The facts of a card but for the last one, which stands where its best place says that it exists."""
    out[:] = 0
    at = sizes.at_cards + GIVEN * slot
    if given[at] == 0:
        return
    best = chance_at(given, sizes, slot, places[slot, 0])
    second = chance_at(given, sizes, slot, places[slot, min(1, sizes.places - 1)])
    ahead = np.float32(1)
    for other in range(MAX_HAND):
        if other != slot and places[other, 0] >= 0:
            ahead = min(ahead, best - chance_at(given, sizes, other, places[other, 0]))
    out[0], out[1], out[2], out[3] = given[at], given[at + 1], given[at + 2], given[at + 3]
    out[4], out[5] = best, LOG_SCALE * math.log(max(best, np.float32(LEAST_CHANCE)))
    out[6], out[7], out[8] = second, ahead, ahead >= 0


@compiled
def write_lead(given: Any, sizes: Any, slot: int, places: Any, out: Any) -> None:
    """How much likelier a card is than the top of the pile, by which it would be replaced."""
    out[0] = 0
    if places[slot, 0] >= 0:
        out[0] = chance_at(given, sizes, slot, places[slot, 0]) - given[sizes.at_best + sizes.visible - 1]


@compiled
def write_context(given: Any, sizes: Any, count: int, edges: Any, below: Any, places: Any, out: Any) -> None:
    """The hand as a whole (0-5), the round (6-11), the next player (12-18), the others (19-24), the pile (25-31)."""
    out[:] = 0
    write_hand(given, sizes, places, out)
    progress = sizes.at_progress
    out[6], out[7], out[8] = min(np.float32(50) * given[progress], np.float32(2)), given[progress + 1], 0
    out[9], out[10], out[11] = given[progress + 2], given[progress + 3], np.float32(count) / np.float32(16)
    write_players(given, sizes, out)
    top = sizes.visible - 1
    for fact in range(GIVEN):
        out[25 + fact] = given[sizes.at_cards + GIVEN * top + fact]
    out[29] = given[sizes.at_best + top]
    # The gap that the top of the pile most likely belongs into.
    before = np.float32(0)
    for position in range(count + 1):
        inside = below[top, position] - before
        before = below[top, position]
        if inside > out[30]:
            low = edges[position - 1] if position > 0 else np.float32(0)
            high = edges[position] if position < count else np.float32(1)
            out[30], out[31] = inside, high - low


@compiled
def write_hand(given: Any, sizes: Any, places: Any, out: Any) -> None:
    worst, product = np.float32(1), np.float32(1)
    for slot in range(MAX_HAND):
        if places[slot, 0] >= 0:
            best = chance_at(given, sizes, slot, places[slot, 0])
            out[0] += np.float32(0.25)
            out[1] += best * np.float32(0.25)
            out[2] = max(out[2], best)
            worst = min(worst, best)
            product *= best
            # Turns that it takes on average, if the chance stays what it is.
            out[5] += np.float32(1 / 8) / max(best, np.float32(0.1))
    out[3], out[4] = worst, product


@compiled
def write_players(given: Any, sizes: Any, out: Any) -> None:
    """Who has what left to place, and how many are still to come in this round."""
    at, facts = sizes.at_players, 4
    out[12] = given[at + 3]
    before_leader = True
    fewest, others = np.float32(1), 0
    for other in range(1, sizes.players):
        cards, active = given[at + facts * other], given[at + facts * other + 1]
        finished, leads = given[at + facts * other + 2], given[at + facts * other + 3]
        before_leader = before_leader and leads == 0 and given[at + 3] == 0
        if given[at + 3] > 0 or before_leader:
            out[8] += active * FROM_ONE_ON
        best = np.float32(0)
        for slot in range(MAX_HAND):
            best += np.float32(0.25) * given[sizes.at_best + MAX_HAND * other + slot]
        if other == 1:
            out[13], out[14], out[15], out[16], out[17] = cards, active, finished, leads, best
        else:
            others += 1
            out[19] += active * FROM_ONE_ON
            out[20] += finished * FROM_ONE_ON
            out[21] += best * FROM_ONE_ON
            out[22] += cards * FROM_ONE_ON
        if active > 0:
            fewest = min(fewest, cards)
            out[18] = max(out[18], finished)
    out[23], out[24] = fewest, np.float32(others) * FROM_ONE_ON
