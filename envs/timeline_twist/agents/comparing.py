"""Actions that are tried in the same worlds, compared: which is best, and which need not be tried any further.

From time to time those that fall behind the best by more than chance explains are dropped, so that rollouts go where
they still matter. Sets of actions are bits of an integer.
"""

import math
from typing import Any

import numpy as np

from timeline_twist.compiled import compiled

# After so many worlds, and whenever their number has doubled, actions that fall behind are dropped.
FIRST_LOOK = 16
# Behind by so many standard errors of the paired difference.
TOO_FAR_BEHIND = 3.0


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
            squares = 0.0
            for i in range(count):
                squares += (np.float64(scores[best, i]) - scores[action, i] - behind) ** 2
            if behind > TOO_FAR_BEHIND * math.sqrt(squares / (count * max(count - 1, 1))):
                tried &= ~(1 << action)
    return tried


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
