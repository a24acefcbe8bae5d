"""Co-op games as RLlib takes them: a Gymnasium vector environment whose observations are all that its modules need.

One flat vector per game: what the seat on turn sees, what the critic alone sees behind it, and the mask as the last
entries. RLlib's runners split batches into single observations and put them together again, so that one array is much
cheaper for them than a dictionary with a key for the mask.

RLlib's stock runners expect next-step autoreset: where a game has ended, the next step deals, and its action is
ignored. With same-step autoreset they would take the first observation of a new game for the last of the old one.
`GamesRunner` (timeline_twist_training.rllib.runner) knows what it steps, and takes same-step.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from timeline_twist.evaluation.suites import load_suite
from timeline_twist.observation import HIGHEST, LOWEST, NEXT_STEP, SAME_STEP
from timeline_twist_training import config as configs
from timeline_twist_training.networks import COOP_ACTIONS
from timeline_twist_training.train import SEEDS_APART, make_games

NAME = "timeline-twist-games"
FIRST_HELD_OUT = 2**63  # seeds from there on are for evaluations (timeline_twist.evaluation.deals)


class GamesVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """The games of one runner."""

    def __init__(self, num_envs: int, config: configs.Config, *, same_step: bool = False) -> None:
        autoreset = SAME_STEP if same_step else NEXT_STEP
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP if same_step else AutoresetMode.NEXT_STEP}
        self.games = make_games(config, load_suite(config.suite), num_envs, autoreset)
        self.num_envs = num_envs
        (size,) = self.games.observation_space.shape or ()
        self.single_observation_space = spaces.Box(LOWEST, HIGHEST, (size + COOP_ACTIONS,), np.float32)
        self.single_action_space = spaces.Discrete(COOP_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:  # noqa: ARG002  (Gymnasium's)
        """Deal all games; runners have neighbouring seeds, and none of them may deal what another one does."""
        self.games.deal(int(seed or 0) * SEEDS_APART)
        return self.flat(self.games.observe()), {}

    def step(self, actions: Any) -> Any:
        """One action in every game."""
        self.games.step_async(actions)
        observations, rewards, terminations, _ = self.games.step_wait()
        return self.flat(observations), rewards, terminations, np.zeros(self.num_envs, np.bool_), {}

    def flat(self, observations: Any) -> Any:
        """Observations and masks in one new array."""
        return np.concatenate([observations, self.games.action_masks()], axis=1, dtype=np.float32)


def first_seed(config: configs.Config, runner: int, games: int, steps_before: int) -> int:
    """The seed of a runner's first deal.

    A runner that replaces another one, or that a run goes on with, deals other games than those before it.
    """
    if steps_before == 0:
        return config.seed * SEEDS_APART + max(0, runner - 1) * games
    drawn = np.random.SeedSequence([config.seed, runner, steps_before]).generate_state(1, np.uint64)[0]
    return int(drawn) % (FIRST_HELD_OUT - games)


def make_env(context: Any) -> GamesVectorEnv:
    """What RLlib calls on each runner; `context` is the `env_config` with the number of games."""
    config = configs.check(dict(context["config"]), "config")
    return GamesVectorEnv(context.get("num_envs", 1), config, same_step=context["same_step"])
