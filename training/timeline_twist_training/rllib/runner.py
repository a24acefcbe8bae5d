"""A runner that steps its games as arrays, and cuts them into RLlib's episodes only when all have been played.

RLlib's own SingleAgentEnvRunner steps vector environments, but keeps every game's observations one by one in Python
lists and passes them through its connectors at every step. Here a step is one call of the games and one of the
network; `timeline-twist speed rllib` measures both. There are no connectors between games and module: observations are
what the networks take already, masks included.
"""

from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.utils.metrics import EPISODE_LEN_MEAN, EPISODE_RETURN_MEAN, WEIGHTS_SEQ_NO

from timeline_twist_training import config as configs
from timeline_twist_training.networks import COOP_ACTIONS
from timeline_twist_training.rllib.games import first_seed

SCORE = "score"  # of the games that ended, in the results of RLlib


class GamesRunner(SingleAgentEnvRunner):  # type: ignore[misc]  # ray has no types
    """A drop-in for RLlib's runner, for `GamesVectorEnv` with same-step autoreset."""

    def __init__(self, **settings: Any) -> None:
        # Runners share the cores: several threads in each would wait for one another.
        torch.set_num_threads(1)
        super().__init__(**settings)
        self._now: Any = None  # what the games show

    def _sample(
        self, *, num_timesteps: int | None = None, explore: bool = True, force_reset: bool = False, **_: Any
    ) -> list[SingleAgentEpisode]:
        if num_timesteps is None:
            raise NotImplementedError("games are played for a number of steps, not of episodes")
        if self._now is None or force_reset:
            self._deal()
        horizon = -(-num_timesteps // self.num_envs)
        played = self._play(horizon, explore)
        self._log_games(horizon * self.num_envs)
        return self._cut(*played)

    def _deal(self) -> None:
        given, env = self.config.env_config, self.env.unwrapped
        # RLlib counts in floats.
        steps = int(given["steps_before"] + self.num_env_steps_sampled_lifetime)
        config = configs.check(dict(given["config"]), "config")
        env.games.deal(first_seed(config, self.worker_index or 0, self.num_envs, steps))
        self._now = env.flat(env.games.observe())

    def _play(self, horizon: int, explore: bool) -> tuple[Any, dict[str, Any], Any]:
        """Observations, all else by its column in RLlib, and where games ended; one row per game."""
        games, env = self.num_envs, self.env.unwrapped
        seen = np.empty((games, horizon + 1, self._now.shape[1]), np.float32)
        ended = np.zeros((games, horizon), np.bool_)
        columns: dict[str, Any] = {
            Columns.ACTIONS: np.empty((games, horizon), np.int64),
            Columns.REWARDS: np.empty((games, horizon), np.float32),
            Columns.ACTION_LOGP: np.empty((games, horizon), np.float32),
            Columns.ACTION_DIST_INPUTS: np.empty((games, horizon, COOP_ACTIONS), np.float32),
        }
        for t in range(horizon):
            seen[:, t] = self._now
            actions, log_probs, logits = self._choose(explore)
            self._now, rewards, ended[:, t], _, _ = env.step(actions)
            for column, values in zip(columns.values(), (actions, rewards, log_probs, logits), strict=True):
                column[:, t] = values
        seen[:, horizon] = self._now
        return seen, columns, ended

    def _choose(self, explore: bool) -> tuple[Any, Any, Any]:
        forward = self.module.forward_exploration if explore else self.module.forward_inference
        logits = forward({Columns.OBS: torch.from_numpy(self._now)})[Columns.ACTION_DIST_INPUTS]
        log_probs = logits.log_softmax(dim=1)
        chosen = torch.multinomial(log_probs.exp(), 1) if explore else logits.argmax(dim=1, keepdim=True)
        return chosen[:, 0].numpy(), log_probs.gather(1, chosen)[:, 0].numpy(), logits.numpy()

    def _cut(self, seen: Any, columns: dict[str, Any], ended: Any) -> list[SingleAgentEpisode]:
        """Episodes, and pieces of those that go on or began before.

        After its end nobody decides anything in a game: RLlib wants an observation there, and gets that of the next.
        """
        games, horizon = ended.shape
        episodes = []
        for game in range(games):
            first = 0
            for last in [*(np.flatnonzero(ended[game]) + 1), horizon]:
                if last > first:
                    row = {name: values[game, first:last] for name, values in columns.items()}
                    episodes.append(self._episode(seen[game, first : last + 1], row, bool(ended[game, last - 1])))
                first = last
        return episodes

    def _episode(self, seen: Any, row: dict[str, Any], ended: bool) -> SingleAgentEpisode:
        actions, rewards = row.pop(Columns.ACTIONS), row.pop(Columns.REWARDS)
        return SingleAgentEpisode(
            observations=seen,
            observation_space=self.env.single_observation_space,
            infos=[{}] * len(seen),
            actions=actions,
            action_space=self.env.single_action_space,
            rewards=rewards,
            terminated=ended,
            extra_model_outputs=row | {WEIGHTS_SEQ_NO: np.full(len(actions), self._weights_seq_no)},
            len_lookback_buffer=0,
        )

    def _log_games(self, steps: int) -> None:
        """RLlib's own figures, from the games that ended."""
        endings = self.env.unwrapped.games.take_endings()
        self.num_env_steps_sampled_lifetime += steps
        self._log_env_steps(metric=self._metrics_num_env_steps_sampled, num_steps=steps)
        self._increase_sampled_metrics(steps, len(endings))
        names = {SCORE: "final_score", EPISODE_RETURN_MEAN: "final_return", EPISODE_LEN_MEAN: "final_length"}
        for name, field in names.items() if len(endings) else ():
            self.metrics.log_value(name, float(endings[field].mean()), window=1)
