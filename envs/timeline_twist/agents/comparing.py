"""Actions that are tried in the same worlds, compared: which is best, and which need not be tried any further.

From time to time those that fall behind the best by more than chance explains are dropped, so that rollouts go where
they still matter. Sets of actions are bits of an integer.
"""

import math
from typing import Any

from timeline_twist.compiled import compiled

# After so many worlds, and whenever their number has doubled, actions that fall behind are dropped.
FIRST_LOOK = 16
# Behind by so many standard errors of the paired difference.
TOO_FAR_BEHIND = 3.0
# Ahead by so many of them.
CLEARLY_AHEAD = 1.0


@compiled
def compare(tried: int, scores: Any, count: int, values: Any) -> Any:
    """The mean scores so far, into `values`; give the actions that are not too far behind the best."""
    for action in range(values.shape[0]):
        if tried >> action & 1:
            values[action] = mean_of(scores[action], count)
    best = best_of(tried, values)
    for action in range(values.shape[0]):
        if tried >> action & 1 and action != best:
            behind = values[best] - values[action]
            if behind > TOO_FAR_BEHIND * standard_error(scores[best], scores[action], behind, count):
                tried &= ~(1 << action)
    return tried


@compiled
def standard_error(scores: Any, others: Any, difference: float, count: int) -> Any:
    """Of the mean difference between two actions in the same worlds."""
    squares = 0.0
    for i in range(count):
        squares += (scores[i] - others[i] - difference) ** 2
    return math.sqrt(squares / (count * max(count - 1, 1)))


@compiled
def settle(tried: int, scores: Any, count: int, values: Any, usual: int) -> Any:
    """The best action; the usual one if that was never dropped and the best is not clearly ahead of it.

    Rollouts that are few or say little would otherwise replace a good rule by chance.
    """
    best = best_of(tried, values)
    if best == usual or not tried >> usual & 1:
        return best
    ahead = values[best] - values[usual]
    error = standard_error(scores[best], scores[usual], ahead, count)
    return best if ahead > CLEARLY_AHEAD * error else usual


@compiled
def mean_of(scores: Any, count: int) -> Any:
    total = 0.0
    for i in range(count):
        total += scores[i]
    return total / count


@compiled
def best_of(tried: int, values: Any) -> Any:
    """The action of the highest value; the first of those that have none."""
    best = -1
    for action in range(values.shape[0]):
        if tried >> action & 1 and (best < 0 or values[action] > values[best]):
            best = action
    return best
