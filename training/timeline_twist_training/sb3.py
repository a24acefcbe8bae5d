"""Thousands of co-op games as one stable-baselines3 VecEnv, and MaskablePPO that steps them without Python per game.

`GamesVecEnv` keeps its games in one CoopBatch: masks, observations, rewards and ends are arrays, and
`env_method("action_masks")` is one array too. With `critic_sees_hidden` every observation has a tail
(timeline_twist.coop_hidden) that the critic alone reads; `networks` holds the actor to the part before it.

`GamesPPO` is sb3-contrib's MaskablePPO with a collection of rollouts that does not look at every game in turn;
`GamesBuffer` keeps them as tensors.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from timeline_twist.batch import CoopBatch
from timeline_twist.coop_hidden import coop_write_hidden, hidden_size
from timeline_twist.engine import RUNNING
from timeline_twist.observation import SAME_STEP
from timeline_twist_training.arrays import ArraysVecEnv
from timeline_twist_training.canonical import Canonical

Array = npt.NDArray[Any]


class Presenter:
    """What actor and critic are shown of games: observations, rewritten or as they are, and the critic's tail."""

    def __init__(self, batch: CoopBatch, canonical: Canonical | None, *, critic_sees_hidden: bool) -> None:
        self.canonical = canonical
        self.layout = canonical.layout if canonical else batch.layout
        self.view, self.work = batch.view, np.zeros_like(batch.work)
        catalogue = batch.table.catalogue
        sizes = (batch.table.players, catalogue.positions, len(catalogue.icons))
        self.tail = hidden_size(*sizes) if critic_sees_hidden else 0
        self.size = self.layout.size + self.tail

    def show(self, games: Any, estimates: Any, observations: Any, masks: Any, out: Array, shown_masks: Array) -> Any:
        """Fill `out` and `shown_masks`; gives what was changed, for `turned`."""
        seen, tail = out[:, : self.layout.size], out[:, self.layout.size :]
        changes: Any = None
        if self.canonical:
            changes = self.canonical.rewrite(observations, masks, seen, shown_masks)
        else:
            seen[:], shown_masks[:] = observations, masks
        if self.tail:
            hidden = np.empty((len(games), self.tail), np.float32)
            coop_write_hidden(games, estimates, self.view, self.work, hidden)
            if self.canonical:
                self.canonical.rewrite_hidden(hidden, changes, tail)
            else:
                tail[:] = hidden
        return changes

    def turned(self, numbers: Array, changes: Any) -> Array:
        """Numbers by actions as given, by actions as shown, or the other way: what is turned twice is as it was."""
        return self.canonical.scores(numbers, changes) if self.canonical else numbers


class GamesVecEnv(ArraysVecEnv):
    """Co-op games of one batch; where a game ends the next one is dealt at once."""

    batch: CoopBatch

    def __init__(
        self,
        batch: CoopBatch,
        *,
        canonical: Canonical | None = None,
        critic_sees_hidden: bool = True,
        reward_scale: float = 1.0,
        autoreset: int = SAME_STEP,
    ) -> None:
        self.batch, self.reward_scale, self.autoreset = batch, np.float32(reward_scale), autoreset
        self.presenter = Presenter(batch, canonical, critic_sees_hidden=critic_sees_hidden)
        self.layout, self.seen = self.presenter.layout, self.presenter.layout.size
        self._shown = np.zeros((len(batch), self.presenter.size), np.float32)
        self._masks = np.zeros_like(batch.masks)
        self._changes: Any = None
        self._actions = np.zeros(len(batch), np.int64)
        space = spaces.Box(-1, 36, (self.presenter.size,), np.float32)
        super().__init__(len(batch), space, spaces.Discrete(batch.table.actions))

    def deal(self, seed: int) -> None:
        """New games: the first has this seed, and each of the others one of its own."""
        self.batch.deal(range(self.num_envs), range(seed, seed + self.num_envs))

    def observe(self) -> Array:
        """Fill in what the players on turn see, and what the critic sees beside it."""
        self.batch.observe_turns()
        return self._show()

    def _show(self) -> Array:
        batch = self.batch
        games = (batch.games, batch.estimates, batch.observations, batch.masks)
        self._changes = self.presenter.show(*games, self._shown, self._masks)
        return self._shown

    def as_shown(self, scores: Array) -> Array:
        """Numbers by actions of the batch, by actions as they are shown."""
        return self.presenter.turned(scores, self._changes)

    def reset(self) -> Array:
        """The games as they stand; `deal` gives new ones."""
        if not (self.batch.games["players"] > 0).all():
            self.deal(0)
        return self.observe()

    def step_async(self, actions: Array) -> None:
        canonical = self.presenter.canonical
        self._actions[:] = canonical.action(actions, self._changes) if canonical else actions

    def step_wait(self) -> Any:
        self.batch.step(self._actions, self.autoreset)
        outcomes = self.batch.outcomes
        if (ended := outcomes["end"] != RUNNING).any():
            self.endings.append(outcomes[ended])
        rewards = outcomes["reward"].astype(np.float32) * self.reward_scale
        return self._show(), rewards, outcomes["terminated"].astype(np.bool_), []


class GamesBuffer(MaskableRolloutBuffer):
    """Observations as one tensor, in the precision that the networks calculate in: nothing is converted twice."""

    def __init__(self, *args: Any, half_precision: bool = False, **settings: Any) -> None:
        self.half_precision = half_precision
        self.seen_by_networks: torch.Tensor | None = None
        self.targets: torch.Tensor | None = None
        super().__init__(*args, **settings)

    def reset(self) -> None:
        super().reset()
        if self.seen_by_networks is None:
            kind = torch.bfloat16 if self.half_precision else torch.float32
            self.seen_by_networks = torch.zeros(self.observations.shape, dtype=kind)
        # SB3's own array is never touched, and so takes no memory.
        self.observations = np.zeros((self.buffer_size, self.n_envs, 0), np.float32)

    def show(self, observations: Array) -> torch.Tensor:
        """Keep the observations of the next step; gives them as the networks want them."""
        assert self.seen_by_networks is not None  # noqa: S101  (for mypy: `reset` has made it)
        row = self.seen_by_networks[self.pos]
        return row.copy_(torch.from_numpy(observations))

    def keep_targets(self, chances: Array) -> None:
        """What a teacher would do in the next step's situations."""
        if self.targets is None:
            self.targets = torch.zeros(self.buffer_size * self.n_envs, chances.shape[1])
        self.targets[self.pos * self.n_envs : (self.pos + 1) * self.n_envs] = torch.from_numpy(chances)

    def store(self, actions: Array, rewards: Array, starts: Array, values: Any, log_probs: Any, masks: Array) -> None:
        """All else about that step."""
        at = self.pos
        self.actions[at, :, 0] = actions
        self.rewards[at] = rewards
        self.episode_starts[at] = starts
        self.values[at] = values.numpy()[:, 0]
        self.log_probs[at] = log_probs.numpy()
        self.action_masks[at] = masks
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def get(self, batch_size: int | None = None) -> Iterator[MaskableRolloutBufferSamples]:  # type: ignore[override]
        """Minibatches in random order."""
        for which in self.shuffled(batch_size):
            yield self.take(which)

    def shuffled(self, batch_size: int | None = None) -> tuple[torch.Tensor, ...]:
        """The decisions in random order, in parts of one minibatch."""
        total = self.buffer_size * self.n_envs
        return torch.split(torch.from_numpy(np.random.permutation(total)), batch_size or total)

    def take(self, which: torch.Tensor) -> MaskableRolloutBufferSamples:
        """What is kept of these decisions."""
        total = self.buffer_size * self.n_envs
        parts = (self.actions, self.values, self.log_probs, self.advantages, self.returns)
        picked = [torch.from_numpy(part).reshape(total).index_select(0, which) for part in parts]
        observations = self.seen_by_networks.reshape(total, -1).index_select(0, which)  # type: ignore[union-attr]
        masks = torch.from_numpy(self.action_masks).reshape(total, self.mask_dims).index_select(0, which)
        return MaskableRolloutBufferSamples(*[observations, *picked, masks])


class GamesPPO(MaskablePPO):
    """MaskablePPO whose rollouts are arrays from end to end."""

    teacher: Any = None  # who is asked about every decision (timeline_twist_training.imitate)

    def collect_rollouts(
        self, env: Any, callback: Any, rollout_buffer: Any, n_rollout_steps: int, use_masking: bool = True
    ) -> bool:
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        starts: Any = self._last_episode_starts
        for _ in range(n_rollout_steps):
            seen = rollout_buffer.show(self._last_obs)
            masks = env.action_masks().copy() if use_masking else np.ones_like(env.action_masks())
            with torch.no_grad():
                actions, values, log_probs = self.policy(seen, action_masks=masks)
            chosen = actions.numpy()
            if self.teacher is not None:
                rollout_buffer.keep_targets(self.teacher.chances(self.num_timesteps))
            self._last_obs, rewards, dones, _ = env.step(chosen)
            rollout_buffer.store(chosen, rewards, starts, values, log_probs, masks)
            self.num_timesteps += env.num_envs
            starts = dones
        self._last_episode_starts = starts
        with torch.no_grad():
            last = self.policy.predict_values(torch.as_tensor(self._last_obs))
        rollout_buffer.compute_returns_and_advantage(last_values=last, dones=starts)
        callback.update_locals(locals())
        callback.on_rollout_end()
        # Asked once for each rollout: nothing stops in its middle.
        return bool(callback.on_step())
