"""The agent `rollout`: tries actions in worlds that its seat may be in, with rules of thumb for everything after."""

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.competitive_search import CANDIDATES, competitive_search_batch
from timeline_twist.agents.coop_search import coop_search_batch
from timeline_twist.agents.seen import Seen
from timeline_twist.agents.thumb import BayesAgent, GreedyAgent, ThumbAgent
from timeline_twist.batch import Indices
from timeline_twist.engine import COOP_ACTIONS
from timeline_twist.records import minds_dtype, pool_dtype, think_dtype
from timeline_twist.tables import Coop, one_of, whole_number

ROLLOUTS = 200
POLICIES: dict[str, type[ThumbAgent]] = {"bayes": BayesAgent, "greedy": GreedyAgent}

Values = npt.NDArray[np.float64]


class RolloutAgent(Agent):
    """`rollouts`: how many worlds, at most; `policy`: who plays on in them, `bayes` or `greedy`."""

    def __init__(self, rollouts: int | str = ROLLOUTS, policy: str = "bayes") -> None:
        number = int(rollouts) if isinstance(rollouts, str) and rollouts.isdecimal() else rollouts
        self.rollouts = whole_number("rollouts", number, 1, 1_000_000)
        self.policy = one_of("policy", policy, tuple(POLICIES))
        self._playing_on = POLICIES[policy]()
        others = [f"rollouts={self.rollouts}"] if self.rollouts != ROLLOUTS else []
        others += [f"policy={policy}"] if policy != "bayes" else []
        self.name = ":".join(["rollout", *([",".join(others)] if others else [])])

    def act(self, seen: Seen) -> Indices:
        return self.search(seen)[0]

    def values(self, seen: Seen) -> Values:
        return self.search(seen)[1]

    def search(self, seen: Seen) -> tuple[Indices, Values]:
        """The best actions, and the mean results of all that were tried, NaN elsewhere."""
        actions = np.zeros(len(seen), np.int64)
        known = (seen.games, seen.estimates, seen.sigmas, seen.cards, seen.view)
        size = len(seen.cards)
        minds, pool, think = (np.zeros(1, dtype(size)) for dtype in (minds_dtype, pool_dtype, think_dtype))
        worlds = np.zeros(2, seen.table.record)
        if isinstance(seen.table, Coop):
            scores, values = np.zeros((COOP_ACTIONS, self.rollouts)), np.zeros((len(seen), COOP_ACTIONS))
            memory = (scores, worlds, minds, pool, think)
            weights = self._playing_on.weights(seen)
            coop_search_batch(*known, weights, self._playing_on.certain, seen.keys, *memory, values, actions)
            return actions, values
        scores, tried = np.zeros((CANDIDATES, self.rollouts)), np.zeros((len(seen), CANDIDATES))
        candidates = np.zeros((len(seen), CANDIDATES), np.int64)
        memory = (scores, worlds, minds, pool, think)
        competitive_search_batch(*known, self._playing_on.certain, seen.keys, *memory, candidates, tried, actions)
        return actions, by_action(candidates, tried, seen.table.actions)


def by_action(candidates: Indices, tried: Values, actions: int) -> Values:
    """The values of candidates, at the places of their actions."""
    values = np.full((len(candidates), actions), np.nan)
    for row, actions_of_row in enumerate(candidates):
        there = actions_of_row >= 0
        values[row, actions_of_row[there]] = tried[row, there]
    return values
