"""A trained network at a table: the action that it finds best, from what the seats on turn see."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.seen import Seen
from timeline_twist.batch import Indices
from timeline_twist.coop_observation import coop_layout
from timeline_twist.errors import SettingsError
from timeline_twist.observation import Layout
from timeline_twist_training.config import Config
from timeline_twist_training.networks import make_actor

IMPOSSIBLE = -1e9


class NetworkAgent(Agent):
    """The released actor; it keeps nothing between two calls."""

    modes = ("coop",)

    def __init__(self, name: str, config: Config, weights: dict[str, Tensor]) -> None:
        self.name = name
        self.trained_for = config.suite
        self.features, self.slots = config.features, config.slots  # type: ignore[misc]  # the class has one, each agent its own
        self._config, self._weights = config, weights
        self._actors: dict[Any, nn.Module] = {}

    def check(self, seen: Seen) -> None:
        self.actor_for(self.layout_of(seen))

    def layout_of(self, seen: Seen) -> Layout:
        """Where the sections of the observations are."""
        cards, full = seen.table.catalogue, self.features == "full"
        sizes = (seen.table.players, cards.positions, len(cards.icons), len(cards))
        return coop_layout(*sizes, int(seen.view["kind"][0]), full)

    def actor_for(self, layout: Layout) -> nn.Module:
        """The network for a table; the weights of `cards` serve tables of any number of players."""
        key = tuple((section.name, section.shape) for section in layout.values())
        if key not in self._actors:
            self._actors[key] = build_actor(self._config, layout, self._weights, self.name)
        return self._actors[key]

    def logits(self, layout: Layout, observations: Any, masks: Any) -> Tensor:
        """The network's scores, illegal actions far below all others."""
        with torch.inference_mode():
            logits: Tensor = self.actor_for(layout)(torch.from_numpy(observations))
        return legal_only(logits, masks)

    def act(self, seen: Seen) -> Indices:
        chosen: Indices = self.logits(self.layout_of(seen), seen.observations, seen.masks).argmax(dim=1).numpy()
        return chosen

    def probabilities(self, seen: Seen) -> npt.NDArray[np.float64]:
        logits = self.logits(self.layout_of(seen), seen.observations, seen.masks)
        return logits.double().softmax(dim=1).numpy()


def legal_only(logits: Tensor, masks: Any) -> Tensor:
    """Scores of which no illegal action has the highest."""
    return logits.masked_fill(torch.from_numpy(masks) == 0, IMPOSSIBLE)


def build_actor(config: Config, layout: Layout, weights: dict[str, Tensor], name: str) -> nn.Module:
    """A released actor for a table; an error if its weights are for another kind of table."""
    actor = make_actor(config.network, layout)
    try:
        actor.load_state_dict(weights)
    except RuntimeError as error:
        raise SettingsError(
            f"{name}: trained for {config.suite}, whose observations are not those of this table; "
            "use an agent that was trained for it"
        ) from error
    return actor.eval()
