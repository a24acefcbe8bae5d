"""Ratings from the wins of a tournament, by the library choix (the extra `tournament`).

The model is Luce's: each seat of a table wins with a chance in proportion to the strength of who sits there. So of two
seats A and B of a table, whoever else is there, A wins rather than B in the ratio of their strengths (Bradley and
Terry), and every game counts for every two seats held by different agents; a draw is shared. The strengths are those of
maximum likelihood (choix.ilsr_pairwise_dense). All games count at once: their order has no say.

Ratings are on the scale of chess: 400 points are odds of 10 to 1 between two seats; the mean of all agents is 0, so
that they say nothing outside of their tournament. One drawn game between every two agents is added: who never won would
have no finite rating otherwise. The 95 % intervals come from drawing the deals 500 times anew, all games of a deal
together.
"""

import importlib.util
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.evaluation.statistics import FEWEST_FOR_AN_INTERVAL

POINTS = 400 / math.log(10)
DRAWN_ANEW = 500
HALF_A_GAME = 0.5
MOST_STEPS = 10_000

Wins = npt.NDArray[np.float64]


def ratings_missing() -> str | None:
    """How to get ratings, if they cannot be calculated."""
    if importlib.util.find_spec("choix") is None:
        return "no ratings: they need choix: pip install 'timeline-twist[tournament]'"
    return None


def rate(wins: Wins, seed: int = 0) -> list[dict[str, Any]]:
    """Mean and interval of each agent's rating from `wins[deal, a, b]`, how often a won rather than b."""
    middle = fit(wins.sum(axis=0))
    if len(wins) < FEWEST_FOR_AN_INTERVAL:
        return [{"mean": value, "interval": None} for value in middle.tolist()]
    deals, agents = wins.shape[:2]
    often = np.random.default_rng(seed).multinomial(deals, np.full(deals, 1 / deals), size=DRAWN_ANEW)
    again = (often @ wins.reshape(deals, -1)).reshape(DRAWN_ANEW, agents, agents)
    low, high = np.quantile([fit(total) for total in again], (0.025, 0.975), axis=0)
    return [
        {"mean": float(value), "interval": [float(low[agent]), float(high[agent])]}
        for agent, value in enumerate(middle)
    ]


def fit(total: Wins) -> Wins:
    """The ratings that make these wins most likely."""
    import choix

    counts = total + HALF_A_GAME * (1 - np.eye(len(total)))
    strengths = np.asarray(choix.ilsr_pairwise_dense(counts, max_iter=MOST_STEPS))
    points: Wins = POINTS * (strengths - strengths.mean())
    return points


def wins_by_pairs(seating: npt.NDArray[np.int64], shares: Wins, agents: int) -> Wins:
    """`wins[deal, a, b]` from who sat where and what each seat won, both [deal, table, seat]."""
    deals, _, players = seating.shape
    wins = np.zeros((deals, agents, agents))
    every = np.arange(deals)[:, None]
    for one in range(players):
        for other in range(players):
            if one != other:
                np.add.at(wins, (every, seating[..., one], seating[..., other]), shares[..., one])
    wins[:, np.arange(agents), np.arange(agents)] = 0
    return wins
