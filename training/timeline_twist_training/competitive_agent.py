"""A network trained by self-play at a table: the pair of card and position that it finds best."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.seen import Seen
from timeline_twist.batch import Indices
from timeline_twist.competitive_observation import competitive_layout
from timeline_twist_training.agent import build_actor
from timeline_twist_training.competitive_network import LegalScores
from timeline_twist_training.config import Config
from timeline_twist_training.pairs import Pairs


class PairsAgent(Agent):
    """The released actor; it keeps nothing between two calls. Its weights serve any number of players and cards."""

    modes = ("competitive",)

    def __init__(self, name: str, config: Config, weights: dict[str, Tensor]) -> None:
        self.name = name
        self.trained_for = config.suite
        self.features, self.slots = config.features, config.slots  # type: ignore[misc]  # the class has one, each agent its own
        self._config, self._weights = config, weights
        self._sights: dict[Any, tuple[Pairs, Any]] = {}

    def check(self, seen: Seen) -> None:
        self.sight(seen)

    def sight(self, seen: Seen) -> tuple[Pairs, Any]:
        """The network for a table, and what shows it the observations there."""
        cards, kind = seen.table.catalogue, int(seen.view["kind"][0])
        sizes = (seen.table.players, cards.positions, len(cards), kind)
        if sizes not in self._sights:
            pairs = Pairs(competitive_layout(*sizes, True), self._config.network.places)
            self._sights[sizes] = pairs, build_actor(self._config, pairs.layout, self._weights, self.name)
        return self._sights[sizes]

    def act(self, seen: Seen) -> Indices:
        chosen: Indices = self.scores(seen).best().numpy()
        return chosen

    def probabilities(self, seen: Seen) -> npt.NDArray[np.float64]:
        return self.scores(seen).chances().double().numpy()

    def scores(self, seen: Seen) -> LegalScores:
        pairs, actor = self.sight(seen)
        shown = np.empty((len(seen), pairs.layout.size), np.float32)
        pairs.rewrite(seen.observations, shown)
        with torch.inference_mode():
            return LegalScores(actor.scores, torch.from_numpy(shown), seen.masks)
