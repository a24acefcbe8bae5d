"""Steps per second of training, beside what limits it and beside the usual way, in one run.

- *training*: what `timeline-twist train` does: games, networks, updates.
- *torch alone*: the same networks on random numbers: as many forward passes, as many epochs, no game, no PPO around it.
- *usual recipe*: `coop_v0.env()` wrapped for one agent, eight of them in a DummyVecEnv, networks of the same widths,
  MaskablePPO as it comes: ten epochs, minibatches of 64.
- *recipe, our epochs*: the same with as many epochs as ours and minibatches of 1,024.
- *self-play*: training at the competitive suite for 2 players, steps of the learner alone, against a pool that is full.
  All its layers are made wider until its networks have at least as many weights as those of the co-op training.

Of a competitive config, training and torch alone are measured.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

from timeline_twist import coop_v0
from timeline_twist.evaluation.suites import load_suite
from timeline_twist_training.config import Config, check
from timeline_twist_training.policy import calculates_in_half
from timeline_twist_training.selfplay import NEWEST, SelfPlayVecEnv
from timeline_twist_training.train import make_model

ROUNDS = 3
SELF_PLAY = "competitive-2p-noisy10"
WIDER = 16  # added to the widths of all layers at a time
RECIPE_ENVS, RECIPE_STEPS = 8, 256


@dataclass
class Line:
    """One line of the table: `run` does some steps and gives their number."""

    what: str
    run: Callable[[], int]
    weights: int = 0  # of actor and critic
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)


def measure(config: Config, seconds: float) -> list[Line]:
    """All lines, in turns, so that a busy machine is busy for all of them."""
    torch.set_num_threads(config.threads)
    own = {"n_epochs": config.ppo.epochs, "batch_size": 1024}
    lines = [training(config, "training"), ceiling(config)]
    if not config.competitive:
        lines += [recipe(config, "usual recipe", {}), recipe(config, "recipe, our epochs", own)]
        lines += [training(as_large(self_play(config), lines[0].weights), "self-play")]
    for line in lines:
        line.run()  # compiles, and fills caches
    for _ in range(ROUNDS):
        for line in lines:
            began, steps = time.perf_counter(), 0
            while (passed := time.perf_counter() - began) < seconds or not steps:
                steps += line.run()
            line.rates.append(steps / passed)
    return lines


def self_play(config: Config) -> Config:
    """The same training in competitive games."""
    network, ppo = {"kind": "pairs", "widths": config.network.widths}, config.ppo.model_dump() | {"reward_scale": 1.0}
    content = {"suite": SELF_PLAY, "network": network, "critic": config.critic.model_dump(), "ppo": ppo}
    return check(content | {"threads": config.threads, "precision": config.precision}, "self-play")


def as_large(config: Config, weights: int) -> Config:
    """The config with all layers as wide as it takes to have so many weights."""
    alone = config.model_copy(update={"ppo": config.ppo.model_copy(update={"games": 1, "horizon": 2, "minibatch": 2})})
    while weights_of(make_model(alone, load_suite(config.suite))[0]) < weights:
        alone = alone.model_copy(update={"network": wider(alone.network), "critic": wider(alone.critic)})
    return alone.model_copy(update={"ppo": config.ppo})


def wider(part: Any) -> Any:
    return part.model_copy(update={"widths": [width + WIDER for width in part.widths]})


def weights_of(model: Any) -> int:
    return sum(part.numel() for part in model.policy.parameters())


def training(config: Config, what: str) -> Line:
    model, env = make_model(config, load_suite(config.suite))
    if isinstance(env, SelfPlayVecEnv):
        for _ in range(env.pool.settings.keep):
            env.pool.take(env.pool.players[NEWEST].actor)
    env.deal(0)
    model._last_obs = env.observe()
    model._last_episode_starts = np.ones(env.num_envs, np.bool_)
    quiet(model)
    nothing = CallbackList([])
    nothing.init_callback(model)

    def run() -> int:
        model.collect_rollouts(env, nothing, model.rollout_buffer, config.ppo.horizon)
        model.train()
        env.take_endings()
        return config.ppo.horizon * config.ppo.games

    return Line(what, run, weights_of(model))


def ceiling(config: Config) -> Line:
    """The arithmetic alone: it reads and writes no more than it must."""
    model, env = make_model(config, load_suite(config.suite))
    policy: Any = model.policy
    ppo = config.ppo
    size = env.observation_space.shape[0]  # type: ignore[index]
    kind = torch.bfloat16 if calculates_in_half(config.precision) else torch.float32
    played, batch = torch.rand(ppo.games, size, dtype=kind), torch.rand(ppo.minibatch, size, dtype=kind)
    seen = env.seen

    def run() -> int:
        with torch.no_grad():
            for _ in range(ppo.horizon):
                policy._run(policy.actor, played[:, :seen])
                policy._run(policy.critic, played)
        for _ in range(ppo.epochs * ppo.horizon * ppo.games // ppo.minibatch):
            outputs = (
                policy._run(policy.actor, batch[:, :seen]).pow(2).mean() + policy._run(policy.critic, batch).mean()
            )
            policy.optimizer.zero_grad()
            outputs.backward()
            policy.optimizer.step()
        return ppo.horizon * ppo.games

    return Line("torch alone", run, weights_of(model))


def recipe(config: Config, what: str, settings: dict[str, Any]) -> Line:
    suite = load_suite(config.suite)
    widths = config.network.widths
    model = MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([lambda: OneAgent(suite.settings)] * RECIPE_ENVS),
        n_steps=RECIPE_STEPS,
        **settings,
        policy_kwargs={"net_arch": {"pi": widths, "vf": config.critic.widths}, "activation_fn": nn.ReLU},
        device="cpu",
    )

    def run() -> int:
        before = model.num_timesteps
        model.learn(RECIPE_ENVS * RECIPE_STEPS, reset_num_timesteps=False)
        return int(model.num_timesteps - before)

    return Line(what, run, weights_of(model))


class OneAgent(gymnasium.Env[Any, Any]):
    """The PettingZoo environment for one agent that plays every seat, as tutorials wrap it."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.games = coop_v0.env(**settings)
        self.games.reset(seed=0)
        first = self.games.possible_agents[0]
        self.observation_space = self.games.observation_space(first)["observation"]
        self.action_space = self.games.action_space(first)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.games.reset(seed=seed, options=options)
        return self.games.last()[0]["observation"], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        actor = self.games.agent_selection
        self.games.step(int(action))
        observation, _, ended, truncated, _ = self.games.last()
        return observation["observation"], self.games.rewards[actor], ended, truncated, {}

    def action_masks(self) -> Any:
        return self.games.last()[0]["action_mask"]


def quiet(model: Any) -> None:
    from stable_baselines3.common.logger import Logger

    model.set_logger(Logger(None, []))
