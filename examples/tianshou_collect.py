"""Tianshou: its PettingZooEnv, games side by side, and one learner for each player.

    pip install 'tianshou>=2'       # in an environment of its own: it wants pandas below 3
    python examples/tianshou_collect.py

Watch out for:

- Tianshou's observation is a batch with `obs`, `mask` (booleans) and `agent_id`: networks get `obs` of it. Its DQN
  takes no action that the mask forbids, random exploration included; its PPO does not look at the mask.
- Rewards come as one row for each player: the collected returns are arrays, the same number for everybody in co-op.
- Every player gets a learner of its own from `MultiAgentOffPolicyAlgorithm`; for one network that plays all seats
  give the same algorithm several times.
- Its wrapper calls `last()` with an argument of its own and needs all players to have the same spaces, which they
  have.
"""

import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

from timeline_twist import coop_v0

GAMES = 4


def make_env() -> PettingZooEnv:
    return PettingZooEnv(coop_v0.env(knowledge="expert", slots="sorted"))


def learner(env: PettingZooEnv) -> DQN:
    shape, actions = env.observation_space["observation"].shape, env.action_space.n
    network = Net(state_shape=shape, action_shape=actions, hidden_sizes=[64])
    policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_training=0.2)
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=100)


def main() -> None:
    np.random.seed(0)
    torch.manual_seed(0)
    env = make_env()
    players = MultiAgentOffPolicyAlgorithm(algorithms=[learner(env) for _ in env.agents], env=env)
    envs = DummyVectorEnv([make_env] * GAMES)
    buffer = VectorReplayBuffer(2000, len(envs))
    collector = Collector(players, envs, buffer, exploration_noise=True)
    collected = collector.collect(n_episode=2 * GAMES, reset_before_collect=True)
    print(f"{collected.n_collected_episodes} games, {collected.n_collected_steps} steps, ", end="")
    print(f"mean return of each player {np.mean(collected.returns, axis=0).round(2).tolist()}")
    legal = np.take_along_axis(buffer.obs.mask[: len(buffer)], buffer.act[: len(buffer), None], axis=1)
    print(f"legal: {bool(legal.all())}")


if __name__ == "__main__":
    main()
