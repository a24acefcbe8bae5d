"""Observations: named sections in one flat float32 vector. What both modes have in common.

A layout says where each section begins and ends; the compiled writers check themselves against it. Whatever they
write is what the observing seat may know: public facts, and `estimates` and `sigma` of its own row
(timeline_twist.knowledge).

    layout = env.unwrapped.layout
    layout["cards"].of(observation)         # that section of one observation or of a batch, in its shape
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.compiled import compiled
from timeline_twist.knowledge import EXPERT, FACES, NOISY
from timeline_twist.records import MAX_DECK, MAX_HAND, MAX_PLAYERS

FEATURES = ("full", "raw")
SLOTS = ("table", "sorted")
# The key of an empty place of a hand, without its slot.
NO_PLACE = 1 << 28

# Expected numbers of cards are multiplied by this: most are small.
PER_COUNT = np.float32(1 / 8)
PER_PLAYER = np.float32(1 / MAX_PLAYERS)
# Every number of an observation lies between these two.
LOWEST, HIGHEST = np.float32(-1), np.float32(MAX_DECK)
# How many sigmas to each side of an estimate are looked at.
REACH = np.float32(3)
SMALLEST_SPREAD = np.float32(0.05)

# Running sums over positions are whole numbers, since adding those takes a quarter of the time: an expected unseen card
# is ONE; cards of the main row and, where positions are known, visible cards are counted in the upper bits.
ONE_BIT, MAIN_BIT, VISIBLE_BIT = 20, 32, 40
ONE, MAIN, VISIBLE = 1 << ONE_BIT, 1 << MAIN_BIT, 1 << VISIBLE_BIT
CARDS, MAINS = MAIN - 1, (VISIBLE >> MAIN_BIT) - 1

# What a batch does where a game has ended.
NO_AUTORESET, SAME_STEP, NEXT_STEP = range(3)


@dataclass(frozen=True)
class Section:
    """A part of the observation with a name and a shape; the last axis has named columns where there are several."""

    name: str
    shape: tuple[int, ...]
    start: int

    @property
    def stop(self) -> int:
        return self.start + math.prod(self.shape)

    def of(self, observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """This section of one observation or a batch of them, in its shape."""
        part = observations[..., self.start : self.stop]
        return part.reshape(*observations.shape[:-1], *self.shape)


class Layout(dict[str, Section]):
    """The sections by name, in order."""

    def __init__(self, shapes: Sequence[tuple[str, tuple[int, ...]]]) -> None:
        start = 0
        for name, shape in shapes:
            self[name] = Section(name, shape, start)
            start = self[name].stop
        self.size = start
        # The ends of the sections: compiled writers compare where they are.
        self.stops = np.array([section.stop for section in self.values()], np.int64)


@compiled
def check_section(at: int, view: Any, section: int) -> Any:
    """Raise an error unless the section just written ends where the layout says; give the number of the next one."""
    if at != view.stops[section]:
        raise AssertionError("a section of the observation has another length than its layout says")
    return section + 1


@compiled
def is_sorted(view: Any, work: Any) -> Any:
    """Whether hands are presented in order of time; if not, `work.order` is that of the table.

    Under `faces` and `blind` it always is: any other would tell something about the times.
    """
    if view.sorted_slots and view.kind < FACES:
        return True
    work.order[0], work.order[1], work.order[2], work.order[3] = 0, 1, 2, 3
    return False


@compiled
def sort_key(position: Any, slot: int) -> Any:
    """A card's place among those of a hand, by (estimated) position, then by slot; empty places have NO_PLACE."""
    return (np.int32(position * np.float32(64)) << 2) + slot


@compiled
def sort_slots(work: Any) -> None:
    """The slots of a hand in the order of `work.keys`."""
    a, b, c, d = work.keys[0], work.keys[1], work.keys[2], work.keys[3]
    # A sorting network: without branches, which the processor could not foresee.
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    work.order[0], work.order[1], work.order[2], work.order[3] = a & 3, b & 3, c & 3, d & 3


@compiled
def row_of(view: Any, seat: int) -> Any:
    """Where the estimates that a seat goes by are."""
    return 0 if view.rows == 1 else seat


@compiled
def share(position: Any, view: Any) -> Any:
    """A position as a number from 0 to 1."""
    return (np.float32(position) + np.float32(0.5)) * view.per_time


@compiled
def estimate_share(estimate: Any, view: Any) -> Any:
    """An estimated position likewise; it may lie somewhat outside."""
    return min(max(share(estimate, view), LOWEST), np.float32(2))


@compiled
def spread(estimate: float, sigma: Any, view: Any, available: Any, weights: Any) -> Any:
    """Where a hidden card may be: the chance of every position into `weights`; give the first and the last one.

    A position is the likelier the nearer it is to the estimate and the more cards of that time nobody has seen yet. The
    weights of neighbouring positions have a ratio that itself grows by a constant factor: no exponential is needed in
    the loop.
    """
    if view.kind != NOISY:
        return spread_evenly(view, available, weights)
    last_position = view.times - 1
    # A smaller one puts all weight on one position too, and the ratios would grow without bounds.
    sigma = SMALLEST_SPREAD if sigma < SMALLEST_SPREAD else sigma
    # Further outside than this an estimate tells nothing more, and the ratios would grow without bounds.
    centre = min(max(estimate, -4.0 * sigma), last_position + 4.0 * sigma)
    nearest = min(max(centre, 0.0), np.float64(last_position))
    first = max(0, int(nearest - REACH * sigma))
    last = min(last_position, int(nearest + REACH * sigma) + 1)
    precision = 1.0 / (sigma * sigma)
    weight = math.exp(0.5 * precision * ((nearest - centre) ** 2 - (first - centre) ** 2))
    ratio = math.exp(-precision * (first - centre + 0.5))
    factor = math.exp(-precision)
    total = 0.0
    for t in range(first, last + 1):
        weights[t] = weight * available[t]
        total += weights[t]
        weight *= ratio
        ratio *= factor
    if not total > 0.0:
        # Everything near has been seen already: the estimate was far off.
        return spread_evenly(view, available, weights)
    # In double precision: the total may be too small for its inverse to be anything but infinite.
    share = 1.0 / total
    for t in range(first, last + 1):
        weights[t] = weights[t] * share
    return first, last


@compiled
def spread_evenly(view: Any, available: Any, weights: Any) -> Any:
    """Every card that nobody has seen is equally likely."""
    total = np.float32(0.0)
    for t in range(view.times):
        total += available[t]
    share = np.float32(1.0) / max(total, np.float32(1.0))
    for t in range(view.times):
        weights[t] = available[t] * share
    return 0, view.times - 1


@compiled
def is_exact(view: Any, public: int, sigma: float) -> Any:
    """Whether a seat knows a card's time exactly: it is public, or the seat never errs."""
    return public or view.kind == EXPERT or (view.kind == NOISY and sigma == 0.0)


@compiled
def visible_places(game: Any) -> Any:
    return MAX_HAND * game.players + 1


@compiled
def turns_away(game: Any, seat: int, other: int) -> Any:
    return other - seat if other >= seat else other - seat + game.players
