"""The deals of all evaluations: fixed ones, that no training meets.

Deal number i of `seed` is dealt from `2**63 | (mix(run + GAMMA * (1 + i)) >> 1)`, where run = mix(seed ^ TEST_STREAM)
and the stream's tag is the bytes "TT-tests". Environments deal the games that follow from seeds below 2**63
(timeline_twist.engine), and take a first one below it when none is given: only who asks for such a seed by its number
plays such a deal. Results are published for seed 0; whoever tunes an agent should do it on another.

The deals are the same for every agent, and for all suites whose tables agree. A *fingerprint* of each (hands, cards,
times, icons and, under `noisy` knowledge, the private estimates, whoever hears them) goes into every result, and only
results with the same fingerprints are compared deal by deal.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from timeline_twist.batch import Batch, CoopBatch
from timeline_twist.engine import GAMMA, mix
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.progress import Progress, no_progress
from timeline_twist.evaluation.suites import Suite
from timeline_twist.knowledge import NOISY
from timeline_twist.tables import check_seed

TEST_STREAM = int.from_bytes(b"TT-tests", "big")
HELD_OUT = 2**63  # these seeds and all above are for tests
ALL_BITS = 2**64 - 1
FINGERPRINT_DIGITS = 8

# What a new deal consists of; all else follows from the settings. Competitive games reshuffle by `rng`.
COOP_FIELDS = ("players", "hand_size", "turn", "hands")
COOP_CARDS = ("card", "time", "front", "back")
COMPETITIVE_FIELDS = ("players", "hand_size", "turn", "hands", "rng")
COMPETITIVE_CARDS = ("pile", "time")


def deal_seeds(numbers: Sequence[int] | range, seed: int = 0) -> list[int]:
    """The seeds of the deals of these numbers."""
    run = int(mix(np.uint64(check_seed(seed) ^ TEST_STREAM)))
    states = (np.uint64((run + int(GAMMA) * (1 + number)) & ALL_BITS) for number in numbers)
    return [HELD_OUT | int(mix(state)) >> 1 for state in states]


def fingerprints(suite: Suite, count: int, seed: int = 0, progress: Progress = no_progress) -> list[str]:
    """A short hash of each of the first deals."""
    marks: list[str] = []
    for first in range(0, count, 1000):
        progress("deals", first, count)
        numbers = range(first, min(first + 1000, count))
        batch = suite.make_batch(len(numbers), private=True)
        batch.deal(range(len(numbers)), deal_seeds(numbers, seed))
        marks += [fingerprint(batch, i) for i in range(len(batch))]
    progress("deals", count, count)
    return marks


def fingerprint(batch: Batch, i: int) -> str:
    coop = isinstance(batch, CoopBatch)
    game = batch.games[i]
    digest = hashlib.sha256(b"coop" if coop else b"competitive")
    for name in COOP_FIELDS if coop else COMPETITIVE_FIELDS:
        digest.update(portable(game[name]))
    for name in COOP_CARDS if coop else COMPETITIVE_CARDS:
        digest.update(portable(game[name][: batch.table.cards_in_game]))
    if batch.knowledge.kind == NOISY:
        digest.update(portable(batch.estimates[i]))
    return digest.hexdigest()[:FINGERPRINT_DIGITS]


def portable(values: Any) -> bytes:
    """The same bytes on machines of either byte order."""
    array = np.asarray(values)
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def deal_hash(marks: Sequence[str]) -> str:
    """One hash for all deals of a result, in their order."""
    return hashlib.sha256("".join(marks).encode()).hexdigest()


def check_same_deals(first: tuple[str, Sequence[str]], second: tuple[str, Sequence[str]]) -> int:
    """How many deals two results have in common, or an error unless they are the same in the same order.

    Each result is given by its name and its fingerprints; one may have more deals than the other.
    """
    (name, marks), (other, others) = first, second
    for i, (mark, other_mark) in enumerate(zip(marks, others, strict=False)):
        if mark != other_mark:
            raise SettingsError(
                f"{name} and {other}: game {i} was dealt differently ({mark} and {other_mark}); "
                "only results on the same deals can be compared: same table, same seed, same version"
            )
    return min(len(marks), len(others))
