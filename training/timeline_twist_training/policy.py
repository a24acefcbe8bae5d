"""The networks as a policy of sb3-contrib: logits from the actor, values from the critic, masks in between."""

from typing import Any

import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from timeline_twist.observation import Layout
from timeline_twist_training.networks import layers, make_actor


def calculates_in_half(precision: str) -> bool:
    """Whether products are taken in bfloat16; `auto`: where the processor can, elsewhere it is several times slower."""
    if precision == "auto":
        return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    return precision == "bfloat16"


class GamesPolicy(MaskableActorCriticPolicy):
    """Actor and critic share nothing: the critic may see what the actor must not.

    `seen` is how much of an observation is the actor's; what follows is hidden information for the critic.
    """

    def __init__(
        self, *args: Any, network: Any, critic: Any, layout: Layout, half_precision: bool = False, **kwargs: Any
    ) -> None:
        self.half_precision = half_precision
        self.network_settings, self.critic_settings, self.seen = network, critic, layout.size
        self._given_layout = layout
        super().__init__(*args, **kwargs)

    actor: nn.Module
    critic: nn.Module

    def _build(self, lr_schedule: Any) -> None:
        size = self.observation_space.shape[0]  # type: ignore[index]
        self.actor = make_actor(self.network_settings, self._given_layout)
        self.critic = layers([size, *self.critic_settings.widths], 1)
        del self._given_layout
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]  # mypy sees the base class

    def _run(self, network: Any, observations: Tensor) -> Tensor:
        """A network's output; with `half_precision` products are taken in bfloat16, weights stay as they are."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half_precision):
            output: Tensor = network(observations)
        return output.float()

    def _distribution(self, observations: Tensor, action_masks: Any) -> MaskableCategoricalDistribution:
        logits = self._run(self.actor, observations[:, : self.seen])
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution  # type: ignore[return-value]

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        distribution = self._distribution(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, self._run(self.critic, obs), distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        distribution = self._distribution(obs, action_masks)
        return self._run(self.critic, obs), distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: Any, action_masks: Any = None) -> Any:
        return self._distribution(obs, action_masks)

    def predict_values(self, obs: Any) -> Tensor:
        values: Tensor = self._run(self.critic, obs)
        return values
