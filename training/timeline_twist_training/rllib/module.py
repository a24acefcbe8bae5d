"""The networks as a module of RLlib: logits that no illegal action can win, and values for the learner alone."""

from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from timeline_twist_training.agent import IMPOSSIBLE
from timeline_twist_training.networks import COOP_ACTIONS, layers, make_actor


class MaskedModule(TorchRLModule, ValueFunctionAPI, InferenceOnlyAPI):  # type: ignore[misc]  # ray has no types
    """Actor and critic share nothing; on runners there is only the actor.

    `model_config`: `network` and `critic` (settings of a config), `layout` of what the actor sees, `half_precision`.
    """

    def setup(self) -> None:
        given = self.model_config
        size = self.observation_space.shape[0] - COOP_ACTIONS
        self.seen, self.half_precision = given["layout"].size, given["half_precision"]
        self.actor = make_actor(given["network"], given["layout"])
        self.critic = layers([size, *given["critic"].widths], 1)

    def get_non_inference_attributes(self) -> list[str]:
        return ["critic"]

    def _run(self, network: Any, observations: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half_precision):
            output: Tensor = network(observations)
        return output.float()

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {Columns.ACTION_DIST_INPUTS: self.masked_logits(batch[Columns.OBS])}

    def masked_logits(self, observations: Tensor) -> Tensor:
        """The scores of all actions, illegal ones far below the others."""
        logits = self._run(self.actor, observations[:, : self.seen])
        return logits.masked_fill(observations[:, -COOP_ACTIONS:] == 0, IMPOSSIBLE)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:  # noqa: ARG002  (RLlib's)
        """What the critic expects."""
        values: Tensor = self._run(self.critic, batch[Columns.OBS][:, :-COOP_ACTIONS])
        return values.squeeze(-1)
