"""The policy of self-play: no more columns than there are legal positions, for most of 404 actions are never legal."""

from typing import Any

import torch
from torch import Tensor

from timeline_twist_training.competitive_network import LegalScores
from timeline_twist_training.policy import GamesPolicy


class PairsPolicy(GamesPolicy):
    """Draws from, and judges, the legal pairs of card and position alone."""

    def _scores(self, observations: Tensor, masks: Any) -> LegalScores:
        actor: Any = self.actor

        def run(seen: Tensor, positions: int) -> Tensor:
            with torch.autocast("cpu", torch.bfloat16, enabled=self.half_precision):
                scores: Tensor = actor.scores(seen, positions)
            return scores

        return LegalScores(run, observations[:, : self.seen], masks)

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        scores = self._scores(obs, action_masks)
        logs = scores.scores.log_softmax(dim=1)
        # The highest score after adding Gumbel noise is a draw by the chances.
        noise = torch.empty_like(logs).exponential_().log_()
        chosen = (logs if deterministic else logs - noise).argmax(dim=1)
        log_prob = logs.gather(1, chosen[:, None])[:, 0]
        return scores.as_actions(chosen), self._run(self.critic, obs), log_prob

    def evaluate_actions(self, obs: Tensor, actions: Tensor, action_masks: Any = None) -> tuple[Tensor, Tensor, Tensor]:
        scores = self._scores(obs, action_masks)
        logs = scores.scores.log_softmax(dim=1)
        log_prob = logs.gather(1, scores.as_columns(actions.long())[:, None])[:, 0]
        entropy = -(logs.exp() * logs).sum(dim=1)
        return self._run(self.critic, obs), log_prob, entropy
