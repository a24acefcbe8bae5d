"""TorchRL: its PettingZooWrapper, the check of its specs, and a rollout with masked random actions.

    pip install torchrl
    python examples/torchrl_rollout.py

Watch out for:

- `use_mask=True` is needed for games in turns: `mask` says which player is on turn, `action_mask` which actions are
  legal. Only the player on turn has legal actions; the wrapper shows everybody else a mask of all True, and ignores
  their actions.
- Infos must be numbers, and have the same names in every step: ours are words too (`rank`, `end_reason`), so that
  `Quiet` leaves them out.
- In turns every player is a group of its own unless `group_map` says otherwise; here all of them are in one,
  `players`, with a row for each.
- Actions are one-hot unless `categorical_actions=True`.
- The wrapper steps one game in Python. For speed take `timeline-twist train`, or the vector environments.
"""

import torch
from pettingzoo.utils import BaseWrapper
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import check_env_specs

from timeline_twist import competitive_v0, coop_v0

PLAYERS = 3


class Quiet(BaseWrapper):
    """A game without infos."""

    @property
    def infos(self):
        return {agent: {} for agent in self.env.infos}


def main() -> None:
    torch.manual_seed(0)
    for name, module in (("co-op", coop_v0), ("competitive", competitive_v0)):
        groups = {"players": [f"player_{seat}" for seat in range(PLAYERS)]}
        env = PettingZooWrapper(
            Quiet(module.env(players=PLAYERS)), group_map=groups, use_mask=True, categorical_actions=True, seed=1
        )
        check_env_specs(env)
        rollout = env.rollout(200)
        group = rollout["players"]
        on_turn = group["mask"]
        legal = group["action_mask"].gather(-1, group["action"].unsqueeze(-1)).squeeze(-1)
        print(f"{name}: {len(rollout)} steps, {int(on_turn.sum())} of them with somebody on turn, ", end="")
        print(
            f"legal: {bool(legal[on_turn].all())}, return {rollout['next', 'players', 'reward'].sum(0)[0].item():.0f}"
        )
        env.close()


if __name__ == "__main__":
    main()
