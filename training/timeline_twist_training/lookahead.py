"""Expert iteration beside PPO: the learner looks one action ahead and learns what it finds.

    lookahead: {steps: 1_000_000, worlds: 8}        # the last of ppo.steps

PPO knows of every decision only how one action turned out with one order of the draw pile. Here every action that the
policy finds worth a thought is tried in several worlds that its seat may be in, the same ones for all of them, and the
critic, who may see what those worlds hide, says what each is worth. Luck is the same for all and drops out. The policy
then moves towards what is better on the mean: a decision costs some ten times as much as under PPO and tells far more.

What an action is worth is the points that it makes at once and the critic's word on the situation after it. The
policy's chances times exp(worth / temperature), made to sum to one, are what it learns.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from timeline_twist.agents.seen import Seen, decision_keys
from timeline_twist.batch import Indices
from timeline_twist.engine import RUNNING
from timeline_twist_training.sb3 import GamesVecEnv
from timeline_twist_training.search import Worlds

Array = npt.NDArray[Any]
GAMES_AT_A_TIME = 256  # whose worlds are in memory together


class Lookahead:
    """Says how likely each action should be chosen in the games of a learner, by looking one action ahead."""

    def __init__(self, policy: Any, env: GamesVecEnv, settings: Any, seed: int) -> None:
        self.policy, self.env, self.settings, self.seed = policy, env, settings, seed
        self.games = np.arange(env.num_envs)

    def chances(self, decision: int) -> Array:
        """Of every action as the learner is shown it, [game, action]."""
        env, settings = self.env, self.settings
        with torch.no_grad():
            distribution = self.policy.get_distribution(torch.from_numpy(env._shown), env.action_masks())
        shown: Array = distribution.distribution.probs.double().numpy()
        chances = env.as_shown(shown)
        seen = Seen(env.batch, self.games, decision_keys(self.games, decision, self.seed))
        tried = chances >= settings.floor
        tried &= env.batch.masks == 1
        open_ones = np.flatnonzero(tried.sum(axis=1) > 1)
        for first in range(0, len(open_ones), GAMES_AT_A_TIME):
            which = open_ones[first : first + GAMES_AT_A_TIME]
            worth = self.worth(seen, which, tried[which])
            better = chances[which] * np.exp((worth - worth.max(axis=1, keepdims=True)) / settings.temperature)
            chances[which] = better / better.sum(axis=1, keepdims=True)
        return env.as_shown(chances)

    def worth(self, seen: Seen, which: Indices, tried: npt.NDArray[np.bool_]) -> Array:
        """The mean final score that the critic expects of each tried action of these games; -inf of the others."""
        count = self.settings.worlds
        tables = Worlds(seen, which)
        game, action = np.nonzero(tried)
        games, estimates = tables.branch(np.arange(len(which)), game, action, count)
        scores = 3.0 * games["main_cards"] + 2.0 * games["gap_cards"]
        running = np.flatnonzero(games["end"] == RUNNING)
        scores[running] += self.ask_critic(tables, games, estimates, running)
        worth = np.full(tried.shape, -np.inf)
        worth[game, action] = scores.reshape(len(game), count).mean(axis=1)
        return worth

    def ask_critic(self, tables: Worlds, games: Any, estimates: Any, running: Indices) -> Array:
        """The points that are still to come in games `running`."""
        env = self.env
        observations, masks = tables.observe(games, estimates, running, env.batch.layout.size)
        out = np.empty((len(running), env.presenter.size), np.float32)
        env.presenter.show(games[running], estimates[running], observations, masks, out, np.empty_like(masks))
        with torch.no_grad():
            values: Array = self.policy.predict_values(torch.from_numpy(out)).numpy()[:, 0]
        return values / env.reward_scale
