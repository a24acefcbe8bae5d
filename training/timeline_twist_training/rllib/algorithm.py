"""RLlib's PPO with the settings of a config: what is ours by name is theirs by another."""

from typing import Any

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.tune.registry import register_env

from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.suites import load_suite
from timeline_twist_training.config import Config
from timeline_twist_training.policy import calculates_in_half
from timeline_twist_training.rllib.games import NAME, make_env
from timeline_twist_training.rllib.module import MaskedModule
from timeline_twist_training.rllib.runner import GamesRunner
from timeline_twist_training.train import make_games

RESTARTS = 1000  # of runners, before a run gives up
WAIT = 600.0  # seconds for a sample, or for a new runner; the first one on a machine compiles


def ppo_config(config: Config, runners: int, learners: int, *, steps_before: int = 0, batched: bool = True) -> Any:
    """RLlib's settings; `batched=False` takes RLlib's own runner."""
    check(config, runners, learners)
    ppo = config.ppo
    register_env(NAME, make_env)
    settings = {"config": config.model_dump(), "same_step": batched, "steps_before": steps_before}
    return (
        PPOConfig()
        .environment(NAME, env_config=settings)
        .framework("torch")
        .env_runners(
            env_runner_cls=GamesRunner if batched else None,
            num_env_runners=runners,
            # One more in the program itself would never play, and would be asked how many steps have been played.
            create_local_env_runner=runners == 0,
            num_envs_per_env_runner=ppo.games // max(1, runners),
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length=ppo.horizon,
            sample_timeout_s=WAIT,
        )
        .learners(num_learners=learners)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config=networks(config)))
        .training(**learning(config, learners))
        .fault_tolerance(
            restart_failed_env_runners=True,
            max_num_env_runner_restarts=RESTARTS,
            env_runner_restore_timeout_s=WAIT,
        )
        .debugging(seed=config.seed, log_level="ERROR")
    )


def check(config: Config, runners: int, learners: int) -> None:
    """Errors for what this engine cannot do."""
    if config.competitive:
        raise SettingsError(f"suite: {config.suite} is competitive, and --engine rllib is for co-op; use --engine sb3")
    games, steps = config.ppo.games, config.ppo.games * config.ppo.horizon
    if games % max(1, runners):
        raise SettingsError(f"--runners: {games} games (ppo.games) cannot be shared equally by {runners} runners")
    if steps % max(1, learners) or config.ppo.minibatch > steps // max(1, learners):
        raise SettingsError(
            f"--learners: {steps:,} steps (ppo.games x ppo.horizon) do not give {learners} learners whole minibatches"
        )
    beyond = {
        "critic.alone": config.critic.alone,
        "imitation.steps": config.imitation.steps,
    }
    for name, value in beyond.items():
        if value:
            raise SettingsError(f"{name}: not with --engine rllib; --set {name}=0, or train with --engine sb3")


def networks(config: Config) -> dict[str, Any]:
    layout = make_games(config, load_suite(config.suite), 1).layout
    half = calculates_in_half(config.precision)
    known = {"network": config.network, "critic": config.critic, "threads": config.threads}
    return known | {"layout": layout, "half_precision": half}


def learning(config: Config, learners: int) -> dict[str, Any]:
    ppo = config.ppo
    return {
        "train_batch_size_per_learner": ppo.games * ppo.horizon // max(1, learners),
        "num_epochs": ppo.epochs,
        "minibatch_size": ppo.minibatch,
        "shuffle_batch_per_epoch": True,
        "lr": schedule(ppo.learning_rate, ppo.final_learning_rate, ppo.steps),
        "entropy_coeff": schedule(ppo.entropy, ppo.final_entropy, ppo.steps),
        "clip_param": ppo.clip,
        "gamma": ppo.gamma,
        "lambda_": ppo.gae_lambda,
        "vf_loss_coeff": ppo.value_weight,
        "vf_clip_param": float("inf"),
        "grad_clip": ppo.largest_gradient,
        "grad_clip_by": "global_norm",
        "use_kl_loss": False,
    }


def schedule(first: float, last: float, steps: int) -> Any:
    """A rate that falls in a straight line."""
    return first if first == last else [[0, first], [steps, last]]
