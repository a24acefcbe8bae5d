"""A trained network at a table: the action that it finds best, from what the seats on turn see."""

import copy
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
from timeline_twist_training.canonical import Canonical, canonical_for
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
        self._sights: dict[Any, Sight] = {}

    def check(self, seen: Seen) -> None:
        self.sight(seen)

    def sight(self, seen: Seen) -> "Sight":
        """The network for a table; the weights of `cards` serve tables of any number of players."""
        cards, kind = seen.table.catalogue, int(seen.view["kind"][0])
        sizes = (seen.table.players, cards.positions, len(cards.icons), len(cards))
        layout = coop_layout(*sizes, kind, self.features == "full")
        key = (kind, *((section.name, section.shape) for section in layout.values()))
        if key not in self._sights:
            canonical = canonical_for(self._config, layout, kind)
            shown = canonical.layout if canonical else layout
            actor = build_actor(self._config, shown, self._weights, self.name)
            self._sights[key] = Sight(layout, canonical, actor)
        return self._sights[key]

    def act(self, seen: Seen) -> Indices:
        chosen: Indices = self.logits(seen).argmax(dim=1).numpy()
        return chosen

    def probabilities(self, seen: Seen) -> npt.NDArray[np.float64]:
        return self.policy(seen)

    def policy(self, seen: Seen) -> npt.NDArray[np.float64]:
        """How likely the network would choose each action."""
        return self.logits(seen).double().softmax(dim=1).numpy()

    def logits(self, seen: Seen) -> Tensor:
        """The network's scores, illegal actions far below all others."""
        sight = self.sight(seen)
        return sight.logits(seen.observations, seen.masks)


class Sight:
    """A network and how it is shown the observations of a table (timeline_twist_training.canonical)."""

    def __init__(self, layout: Layout, canonical: Canonical | None, actor: nn.Module) -> None:
        self.layout, self.canonical, self.actor = layout, canonical, actor
        self.kind = next(actor.parameters()).dtype

    def logits(self, observations: Any, masks: Any) -> Tensor:
        """The network's scores, illegal actions far below all others."""
        if self.canonical is None:
            return legal_only(self.run(observations), masks)
        shown = np.empty((len(observations), self.canonical.layout.size), np.float32)
        changes = self.canonical.rewrite(observations, masks, shown, np.empty_like(masks))
        given = self.canonical.scores(self.run(shown).numpy(), changes)
        return legal_only(torch.from_numpy(given), masks)

    def run(self, shown: Any) -> Tensor:
        with torch.inference_mode():
            logits: Tensor = self.actor(torch.from_numpy(shown).to(self.kind))
        return logits.float()

    def in_half(self) -> "Sight":
        """The same with products taken in bfloat16."""
        return Sight(self.layout, self.canonical, copy.deepcopy(self.actor).bfloat16())


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
