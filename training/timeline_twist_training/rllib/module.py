"""The networks as a module of RLlib: logits that no illegal action can win, and values for the learner alone."""

from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from timeline_twist_training.agent import IMPOSSIBLE
from timeline_twist_training.layers import layers
from timeline_twist_training.networks import COOP_ACTIONS, make_actor


class MaskedModule(TorchRLModule, ValueFunctionAPI, InferenceOnlyAPI):  # type: ignore[misc]  # ray has no types
    """Actor and critic share nothing; on runners there is only the actor.

    `model_config`: `network` and `critic` (settings of a config), `layout` of what the actor sees, `half_precision`.
    """

    def setup(self) -> None:
        given = self.model_config
        if not self.inference_only:
            # A learner on another machine; what torch takes by itself depends on that machine.
            torch.set_num_threads(given["threads"])
        self.seen, self.half_precision = given["layout"].size, given["half_precision"]
        self.actor = make_actor(given["network"], given["layout"])
        self.critic = layers([self.size(), *given["critic"].widths], 1)

    def size(self) -> int:
        """How many numbers the critic reads."""
        size: int = self.observation_space.shape[0]
        return size - COOP_ACTIONS

    def get_non_inference_attributes(self) -> list[str]:
        return ["critic"]

    def _run(self, network: Any, observations: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half_precision):
            output: Tensor = network(observations)
        return output.float()

    def parts(self, observations: Any) -> tuple[Tensor, Tensor]:
        """What the networks read, and the mask."""
        return observations[:, :-COOP_ACTIONS], observations[:, -COOP_ACTIONS:]

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Scores of all actions, illegal ones far below the others."""
        observations, mask = self.parts(batch[Columns.OBS])
        logits = self._run(self.actor, observations[:, : self.seen])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(mask == 0, IMPOSSIBLE)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:  # noqa: ARG002  (RLlib's)
        """What the critic expects."""
        observations, _ = self.parts(batch[Columns.OBS])
        values: Tensor = self._run(self.critic, observations)
        return values.squeeze(-1)


class PettingZooModule(MaskedModule):
    """The same for RLlib's PettingZooEnv, whose observations are dictionaries: `observation` and `action_mask`.

    RLlib's own example of masking looks for a key `observations`, which PettingZoo's convention does not have.
    """

    def size(self) -> int:
        size: int = self.observation_space["observation"].shape[0]
        return size

    def parts(self, observations: Any) -> tuple[Tensor, Tensor]:
        return observations["observation"], observations["action_mask"]
