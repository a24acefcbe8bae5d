"""Learning from another agent's decisions, before PPO or instead of it.

    imitation: {agent: checkpoints/coop-2p-expert, steps: 3_000_000}

The learner plays, and the other agent says what it would do in every situation that comes up: so it is asked about the
mistakes that the learner makes, not about its own games. A network with other inputs takes over in minutes what
another one has learned in hours. With `+rollout` behind the folder, or `agent: rollout`, the learner takes over what a
search finds: expert iteration is a config that names the last agent twice, as `start_from` and, with `+rollout`, here.
The critic learns from the games themselves, as under PPO.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from torch import nn

from timeline_twist.agents.playing import lens_for, slot_orders
from timeline_twist.agents.registry import make
from timeline_twist.agents.seen import Seen, decision_keys
from timeline_twist.engine import END_TURN
from timeline_twist.records import MAX_HAND
from timeline_twist_training.sb3 import GamesPPO, GamesVecEnv

Array = npt.NDArray[Any]


class Teacher:
    """An agent that says how likely it would choose each action in the games of a learner."""

    def __init__(self, agent: str, env: GamesVecEnv, seed: int) -> None:
        self.agent, self.env, self.seed = make(agent), env, seed
        self.lens = lens_for(self.agent, env.batch)
        self.games = np.arange(env.num_envs)

    def chances(self, decision: int) -> Array:
        """Of every action as the learner is shown it, [game, action]."""
        seen = Seen(self.lens, self.games, decision_keys(self.games, decision, self.seed))
        chances = self.agent.probabilities(seen)
        if self.lens.slots != self.env.batch.slots:
            chances = moved(chances, slot_orders(self.lens, self.games), slot_orders(self.env.batch, self.games))
        return self.env.as_shown(chances)


def moved(chances: Array, given: Array, wanted: Array) -> Array:
    """Chances by slots that are presented in one order, by slots in another one; both tell the slots on the table."""
    rows = np.arange(len(chances))[:, None]
    by_table = np.zeros_like(chances)
    result = chances.copy()
    for first in range(0, END_TURN, MAX_HAND):
        by_table[rows, first + given] = chances[:, first : first + MAX_HAND]
        result[:, first : first + MAX_HAND] = by_table[rows, first + wanted]
    return result


def learn(model: GamesPPO, epochs: int, minibatch: int) -> None:
    """Learn from the rollouts what the teacher said of them."""
    policy: Any = model.policy
    policy.set_training_mode(True)
    model._update_learning_rate(policy.optimizer)
    agreed, errors = [], []
    buffer: Any = model.rollout_buffer
    for which in (part for _ in range(epochs) for part in buffer.shuffled(minibatch)):
        data, targets = buffer.take(which), buffer.targets.index_select(0, which)
        logits = policy.get_distribution(data.observations, data.action_masks).distribution.logits
        apart = -(targets * logits).sum(dim=1).mean()
        error = nn.functional.mse_loss(policy.predict_values(data.observations).flatten(), data.returns)
        policy.optimizer.zero_grad()
        (apart + model.vf_coef * error).backward()
        nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
        policy.optimizer.step()
        agreed.append((logits.argmax(dim=1) == targets.argmax(dim=1)).float().mean().item())
        errors.append(error.item())
    model._n_updates += epochs
    model.logger.record("imitation/agreement", float(np.mean(agreed)))
    model.logger.record("train/value_loss", float(np.mean(errors)))
