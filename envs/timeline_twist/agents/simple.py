"""The simplest agent: any legal action."""

from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.seen import Seen
from timeline_twist.batch import Indices
from timeline_twist.compiled import compiled
from timeline_twist.engine import below


class RandomAgent(Agent):
    """Each legal action with the same chance."""

    name = "random"

    def act(self, seen: Seen) -> Indices:
        actions = np.zeros(len(seen), np.int64)
        choose_legal(seen.masks, seen.keys, actions)
        return actions

    def probabilities(self, seen: Seen) -> npt.NDArray[np.float64]:
        chances: npt.NDArray[np.float64] = seen.masks / seen.masks.sum(axis=1, keepdims=True, dtype=np.float64)
        return chances


@compiled
def choose_legal(masks: Any, keys: Any, actions: Any) -> None:
    """One of the legal actions in each row."""
    for k in range(masks.shape[0]):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[k, action]
        wanted, _ = below(keys[k], legal)
        action = 0
        while masks[k, action] == 0 or wanted > 0:
            wanted -= masks[k, action]
            action += 1
        actions[k] = action
