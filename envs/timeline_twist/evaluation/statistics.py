"""Numbers from scores: means with intervals, differences between two agents on the same deals.

| name | definition |
|---|---|
| interval | 95 %: mean -+ t * s / sqrt(n), t of Student with n - 1 degrees of freedom; none for < 6 or equal values |
| s | the standard deviation, with n - 1 |
| worst 5 % | the mean of the ceil(n / 20) lowest values |
| median | the middle value, or the mean of the two middle ones |
| share | mean score / mean score with hindsight (never a mean of ratios); none unless both are positive |
| regret | mean of (score with hindsight - score), deal by deal |
| difference | mean of (first - second), deal by deal; wins, ties and losses are the first one's |

Sums are exact (math.fsum), so that the same scores give the same numbers, to the last bit, on every machine.
"""

import math
from collections.abc import Sequence
from typing import Any

from timeline_twist.errors import SettingsError

FEWEST_FOR_AN_INTERVAL = 6
Z = 1.959963984540054  # the standard Gaussian's quantile of 0.975

Values = Sequence[float]


def student_t(degrees: int) -> float:
    """The quantile of 0.975 of Student's t: Fisher's expansion in 1 / degrees, to the fourth power.

    (Abramowitz and Stegun 26.7.5.) From 5 degrees on it is right to 0.0003; below it is not good enough.
    """
    g1 = (Z**3 + Z) / 4
    g2 = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    g3 = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    g4 = (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160
    return Z + g1 / degrees + g2 / degrees**2 + g3 / degrees**3 + g4 / degrees**4


def mean(values: Values) -> float:
    return math.fsum(values) / len(values)


def deviation(values: Values) -> float | None:
    """The standard deviation of the distribution that the values were drawn from; None for a single value."""
    if len(values) < 2:
        return None
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def interval(values: Values) -> list[float] | None:
    """The 95 % interval of the mean, as [low, high].

    None where all values are equal: then nothing is known of how far others may lie from them, least of all that they
    do not.
    """
    spread = deviation(values)
    if spread is None or len(values) < FEWEST_FOR_AN_INTERVAL or min(values) == max(values):
        return None
    reach = student_t(len(values) - 1) * spread / math.sqrt(len(values))
    return [mean(values) - reach, mean(values) + reach]


def mean_with_interval(values: Values) -> dict[str, Any]:
    return {"mean": mean(values), "interval": interval(values)}


def median(values: Values) -> float:
    ordered, half = sorted(values), len(values) // 2
    return float(ordered[half]) if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def worst(values: Values) -> float:
    """The mean of the worst 5 % of the games."""
    return mean(sorted(values)[: math.ceil(len(values) / 20)])


def describe(values: Values) -> dict[str, Any]:
    """What is told of the values of one agent's games."""
    spread = {"median": median(values), "worst_5_percent": worst(values), "standard_deviation": deviation(values)}
    return mean_with_interval(values) | spread


def share(scores: Values, hindsight: Values) -> float | None:
    """How much of the score with hindsight is reached; a share of nothing, or of less, has no meaning."""
    ours, best = mean(scores), mean(hindsight)
    return ours / best if ours > 0 and best > 0 else None


def paired(first: Values, second: Values) -> dict[str, Any]:
    """The difference of two lists, item by item."""
    if len(first) != len(second):
        raise SettingsError(f"pairing: {len(first)} values and {len(second)}; give as many of both")
    differences = [one - other for one, other in zip(first, second, strict=True)]
    return mean_with_interval(differences) | {
        "games": len(differences),
        "wins": sum(difference > 0 for difference in differences),
        "ties": sum(difference == 0 for difference in differences),
        "losses": sum(difference < 0 for difference in differences),
    }
