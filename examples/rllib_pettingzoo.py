"""RLlib: its PettingZooEnv with PPO of the new API stack, and a module that knows about masks.

    pip install 'timeline-twist[ray]'
    python examples/rllib_pettingzoo.py

Watch out for:

- Observations are dictionaries with `observation` and `action_mask`, as PettingZoo has them; RLlib's own example of
  masking wants the key `observations`. `PettingZooModule` takes PettingZoo's, and needs no deprecated base class.
- RLlib checks environments by playing without looking at masks, and an illegal action is an error here: turn its check
  off (`disable_env_checking=True`).
- RLlib's wrapper says that a game is over only if all players terminate or all truncate. Here all of them end the
  same way in the same step; wrappers that end them differently (PettingZoo's TerminateIllegalWrapper) would leave it
  waiting for ever.
- It steps one game at a time in Python. `timeline-twist train --engine rllib` steps games as arrays: `timeline-twist
  speed rllib` measures the difference.
- OMP_NUM_THREADS=1 for every process: several threads in each would wait for one another.
"""

import logging
import os

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from timeline_twist import coop_v0
from timeline_twist_training.config import Critic, Network
from timeline_twist_training.rllib.module import PettingZooModule

SETTINGS = {"players": 2, "knowledge": "expert", "slots": "sorted"}


def main() -> None:
    torch.set_num_threads(1)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    one_thread = {"env_vars": {"OMP_NUM_THREADS": "1"}}
    ray.init(address="local", num_cpus=2, include_dashboard=False, logging_level=logging.ERROR, runtime_env=one_thread)
    register_env("timeline-twist", lambda _: PettingZooEnv(coop_v0.env(**SETTINGS)))
    layout = coop_v0.raw_env(**SETTINGS).layout
    networks = {"network": Network(widths=[64]), "critic": Critic(widths=[64]), "layout": layout}
    spec = RLModuleSpec(module_class=PettingZooModule, model_config=networks | {"half_precision": False, "threads": 1})
    algorithm = (
        PPOConfig()
        .environment("timeline-twist", disable_env_checking=True)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=4, rollout_fragment_length=64)
        .multi_agent(policies={"everybody"}, policy_mapping_fn=lambda *_, **__: "everybody")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"everybody": spec}))
        .training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=1, use_kl_loss=False)
        .debugging(seed=0, log_level="ERROR")
        .build_algo()
    )
    for number in range(2):
        played = algorithm.train()["env_runners"]
        # Every player is told the team's reward, and RLlib adds them up.
        print(f"update {number}: {played['num_env_steps_sampled_lifetime']:.0f} steps, ", end="")
        print(f"mean return {played['episode_return_mean'] / SETTINGS['players']:.2f}, ", end="")
        print(f"mean length {played['episode_len_mean']:.1f}")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
