"""Steps per second of RLlib, in one run: `timeline-twist speed rllib`.

One runner plays in the program itself, with the same networks and the same observations, and hands RLlib's episodes
over:

- *games as arrays*: `GamesRunner`, what `timeline-twist train --engine rllib` uses.
- *RLlib's vectorised runner*: its SingleAgentEnvRunner on the same games as a Gymnasium vector environment, with the
  next-step autoreset that it expects.
- *RLlib's PettingZooEnv*: `coop_v0.env()` in RLlib's wrapper and its multi-agent runner, game by game.

Then, if asked, whole training with several numbers of runners in processes of their own.
"""

import time
from collections.abc import Callable
from typing import Any

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from timeline_twist import coop_v0
from timeline_twist.evaluation.suites import load_suite
from timeline_twist_training.config import Config
from timeline_twist_training.rllib.algorithm import networks, ppo_config
from timeline_twist_training.rllib.module import PettingZooModule
from timeline_twist_training.rllib.train import Cluster, Session
from timeline_twist_training.speed import Line

ROUNDS = 3
PETTING_ZOO = "timeline-twist-petting-zoo"
PETTING_ZOO_GAMES = 8  # more of them are not faster: it steps them one by one
POLICY = "everybody"


def playing(config: Config, seconds: float) -> list[Line]:
    """Collecting episodes, in turns, so that a busy machine is busy for all of them."""
    torch.set_num_threads(1)
    # What RLlib's wrapper can show: nothing rewritten, nothing hidden for the critic.
    config = config.model_copy(
        update={"canonical": False, "critic": config.critic.model_copy(update={"sees_hidden": False})}
    )
    with Session(Cluster(runners=0)):
        ways = {
            "games as arrays": ppo_config(config, 0, 0),
            "RLlib's vectorised runner": ppo_config(config, 0, 0, batched=False),
            "RLlib's PettingZooEnv": petting_zoo_config(config),
        }
        algorithms = [settings.build_algo() for settings in ways.values()]
        lines = [Line(what, player(algorithm)) for what, algorithm in zip(ways, algorithms, strict=True)]
        measure(lines, seconds)
        for algorithm in algorithms:
            algorithm.stop()
    return lines


def player(algorithm: Any) -> Callable[[], int]:
    runner = algorithm.env_runner_group.local_env_runner

    def run() -> int:
        return sum(episode.env_steps() for episode in runner.sample())

    return run


def measure(lines: list[Line], seconds: float) -> None:
    for line in lines:
        line.run()  # compiles, and fills caches
    for _ in range(ROUNDS):
        for line in lines:
            began, steps = time.perf_counter(), 0
            while (passed := time.perf_counter() - began) < seconds or not steps:
                steps += line.run()
            line.rates.append(steps / passed)


def petting_zoo_config(config: Config) -> Any:
    """RLlib's usual way with PettingZoo: one policy for all players."""
    suite = load_suite(config.suite)
    settings = suite.settings | {"catalogue": suite.catalogue, "features": config.features, "slots": config.slots}
    register_env(PETTING_ZOO, lambda _: PettingZooEnv(coop_v0.env(**settings)))
    spec = RLModuleSpec(module_class=PettingZooModule, model_config=networks(config))
    return (
        PPOConfig()
        # RLlib's check plays without looking at masks, and an illegal action is an error.
        .environment(PETTING_ZOO, disable_env_checking=True)
        .framework("torch")
        .env_runners(num_env_runners=0, num_envs_per_env_runner=PETTING_ZOO_GAMES, rollout_fragment_length=64)
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda *_, **__: POLICY)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={POLICY: spec}))
        .training(train_batch_size_per_learner=512, minibatch_size=256, use_kl_loss=False)
        .debugging(seed=config.seed, log_level="ERROR")
    )


def training(config: Config, seconds: float, runners: list[int]) -> list[Line]:
    """Whole training, and its playing alone, for each number of runners; the learner is the program itself."""
    torch.set_num_threads(config.threads)
    lines = []
    with Session(Cluster(runners=max(runners))):
        for count in runners:
            algorithm = ppo_config(config, count, 0).build_algo()
            name = f"{count} runner{'' if count == 1 else 's'}"
            pair = [
                Line(f"{name}: training", learner(algorithm, config)),
                Line(f"{name}: playing alone", players(algorithm, config)),
            ]
            # One number after the other: runners that wait would still hold their share of the memory.
            measure(pair, seconds)
            lines += pair
            algorithm.stop()
    return lines


def learner(algorithm: Any, config: Config) -> Callable[[], int]:
    def run() -> int:
        algorithm.train()
        return config.ppo.games * config.ppo.horizon

    return run


def players(algorithm: Any, config: Config) -> Callable[[], int]:
    """All runners at once; their episodes are not sent to anybody."""

    def run() -> int:
        algorithm.env_runner_group.foreach_env_runner(lambda runner: len(runner.sample()))
        return config.ppo.games * config.ppo.horizon

    return run
