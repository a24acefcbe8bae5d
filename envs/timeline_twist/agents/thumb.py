"""Agents that act by rule of thumb: `greedy` and `bayes`, for both modes."""

from typing import ClassVar

import numpy as np

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.competitive_thumb import competitive_choose_batch
from timeline_twist.agents.coop_thumb import coop_choose_batch
from timeline_twist.agents.seen import Seen
from timeline_twist.agents.weights import EXACT, coop_weights, setting_of
from timeline_twist.batch import Indices
from timeline_twist.records import think_dtype
from timeline_twist.tables import Coop


class ThumbAgent(Agent):
    """What both have in common: the action of the highest worth."""

    certain: ClassVar[int]

    def act(self, seen: Seen) -> Indices:
        actions = np.zeros(len(seen), np.int64)
        known = (seen.games, seen.estimates, seen.sigmas, seen.view)
        think = np.zeros(1, think_dtype(len(seen.cards)))
        if isinstance(seen.table, Coop):
            coop_choose_batch(*known, self.weights(seen), self.certain, think, actions)
        else:
            competitive_choose_batch(*known, self.certain, think, actions)
        return actions

    def weights(self, seen: Seen) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        raise NotImplementedError


class GreedyAgent(ThumbAgent):
    """Takes its estimates for the truth, and what is unknown as evenly spread."""

    name = "greedy"
    certain = 1

    def weights(self, seen: Seen) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return coop_weights(EXACT, seen.table.players)


class BayesAgent(ThumbAgent):
    """Weighs every position that a card may have; under `expert` the same as greedy."""

    name = "bayes"
    certain = 0

    def weights(self, seen: Seen) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        return coop_weights(setting_of(int(seen.view["kind"][0])), seen.table.players)
