"""Self-play: the learner on a random seat of every competitive game, a pool of opponents on the others.

The pool holds the learner as it is now, snapshots of what it was, and built-in agents; the section `selfplay` of a
config (timeline_twist_training.config) says how often each is met. When a game is dealt, every other seat is filled by
itself, from random bits of the game's seed: nothing else has to be remembered for a run to go on exactly. Networks play
as they would be released, always the action that they find best. All games of one opponent are asked about in one call.

Every snapshot is kept in the run folder, too, as an agent that can be loaded (`snapshots/003`). When the pool is full,
the one that leaves the smallest hole in the history is no longer an opponent; the newest self takes over its games.

Train under `noisy` knowledge. Under `expert` there is nothing to learn: players who never err finish in the same round
and tie until the catalogue is used up. Sigmas may differ from seat to seat; the learner sits on all of them.
"""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces

from timeline_twist.agents.competitive_foresight import CompetitiveForesight
from timeline_twist.agents.playing import lens_for
from timeline_twist.agents.registry import make
from timeline_twist.batch import Batch, CompetitiveBatch
from timeline_twist.competitive_hidden import competitive_hidden_size, competitive_write_hidden
from timeline_twist.compiled import compiled
from timeline_twist.engine import RUNNING, below
from timeline_twist.opposition import RANDOM, Opposition
from timeline_twist.vector import CompetitiveVectorEnv
from timeline_twist_training.arrays import ArraysVecEnv, as_tensor, fill
from timeline_twist_training.competitive_network import LegalScores
from timeline_twist_training.config import SelfPlay
from timeline_twist_training.pairs import Pairs

Array = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]

NEWEST = 0  # its number in the pool; built-in agents have negative ones, the k-th snapshot has k + 1
POOL_STREAM = np.uint64(int.from_bytes(b"TT-pools", "big"))
FINENESS = 1 << 30
FORESEEN = 2


class NetworkPlayer:
    """A network on other seats: a function of observations and masks, both in batch, as opponents may be."""

    def __init__(self, actor: Any, pairs: Pairs) -> None:
        self.actor, self.pairs = actor, pairs

    def __call__(self, observations: Array, masks: Array) -> Array:
        shown = np.empty((len(observations), self.pairs.layout.size), np.float32)
        self.pairs.rewrite(observations, shown)
        with torch.no_grad():
            actions: Array = LegalScores(self.actor.scores, torch.from_numpy(shown), masks).best().numpy()
        return actions


class Pool(Opposition):
    """Opponents drawn for every game and seat."""

    def __init__(self, batch: CompetitiveBatch, settings: SelfPlay, pairs: Pairs) -> None:
        super().__init__(batch, RANDOM, RANDOM)
        self.settings, self.pairs = settings, pairs
        self.players: dict[int, Any] = {}
        self.seen_by: dict[int, Batch] = {}
        self.shares: dict[int, float] = {}  # of the built-in agents
        for number, (name, share) in enumerate(settings.agents.items(), 1):
            agent = make(name)
            self.players[-number], self.shares[-number] = agent, share
            self.seen_by[-number] = lens_for(agent, batch)
        self.snapshots: list[int] = []
        self.taken = 0  # snapshots so far
        self.assigned = np.zeros((len(batch), batch.table.players - 1), np.int64)

    def join(self, actor: torch.nn.Module) -> None:
        """The newest self is this network, whatever becomes of it."""
        self.players[NEWEST] = NetworkPlayer(actor, self.pairs)

    def take(self, actor: torch.nn.Module) -> int:
        """Take a snapshot of a network; give its number."""
        number = self.taken
        self.taken += 1
        self.add(number, copy.deepcopy(actor).requires_grad_(False))
        if len(self.snapshots) > self.settings.keep:
            self.drop(least_missed(self.snapshots))
        return number

    def add(self, number: int, actor: torch.nn.Module) -> None:
        self.snapshots.append(number)
        self.players[number + 1] = NetworkPlayer(actor, self.pairs)

    def drop(self, number: int) -> None:
        self.snapshots.remove(number)
        del self.players[number + 1]
        self.assigned[self.assigned == number + 1] = NEWEST

    def odds(self) -> tuple[Indices, npt.NDArray[np.float64]]:
        """Numbers of opponents, and up to where each is drawn by a random number from 0 to 1."""
        settings, past = self.settings, [number + 1 for number in self.snapshots]
        numbers, weights = [NEWEST], [settings.newest + (0 if past else settings.past)]
        numbers += past
        weights += [settings.past / max(len(past), 1)] * len(past)
        total = sum(self.shares.values())
        numbers += list(self.shares)
        weights += [settings.built_in * share / total for share in self.shares.values()]
        bounds = np.cumsum(weights)
        return np.array(numbers, np.int64), bounds / bounds[-1]

    def begin(self, which: Indices) -> None:
        assigned = np.empty((len(which), self.assigned.shape[1]), np.int64)
        draw_opponents(self.batch.games["seed"][which], *self.odds(), assigned)
        self.assigned[which] = assigned
        super().begin(which)

    def groups(self, which: Indices) -> Iterator[tuple[Any, Batch, Indices]]:
        numbers = self.assigned[which, self.places(which)]
        for number in np.unique(numbers):
            yield self.players[int(number)], self.seen_by.get(int(number), self.batch), which[numbers == number]


def least_missed(numbers: list[int]) -> int:
    """Which of these, in order, leaves the smallest hole; never the first or the last one."""
    if len(numbers) < 3:
        return numbers[0]
    holes = [after - before for before, after in zip(numbers[:-2], numbers[2:], strict=True)]
    return numbers[1 + int(np.argmin(holes))]


@compiled
def draw_opponents(seeds: Any, numbers: Any, bounds: Any, assigned: Any) -> None:
    """An opponent for each seat but the learner's, from a random stream of each game's own."""
    for k in range(seeds.shape[0]):
        state = seeds[k] ^ POOL_STREAM
        for place in range(assigned.shape[1]):
            drawn, state = below(state, FINENESS)
            j = 0
            while j + 1 < numbers.shape[0] and drawn >= bounds[j] * FINENESS:
                j += 1
            assigned[k, place] = numbers[j]


class SelfPlayVecEnv(ArraysVecEnv):
    """Competitive games for one learner; where a game ends the next one is dealt at once."""

    def __init__(
        self, games: CompetitiveVectorEnv, settings: SelfPlay, places: int, *, critic: Any, reward_scale: float
    ) -> None:
        self.games, self.batch, self.reward_scale = games, games.batch, np.float32(reward_scale)
        self.pairs = Pairs(games.batch.layout, places)
        self.layout, self.seen = self.pairs.layout, self.pairs.layout.size
        games.opposition = self.pool = Pool(games.batch, settings, self.pairs)
        self._masks = games.batch.masks
        hidden = competitive_hidden_size(games.batch.table.players) if critic.sees_hidden else 0
        self._foresight = CompetitiveForesight(games.batch) if settings.foresight else None
        self._hidden = np.zeros((games.num_envs, hidden), np.float32)
        self._foreseen = np.zeros((games.num_envs, FORESEEN if settings.foresight else 0), np.float32)
        size = self.seen + hidden + self._foreseen.shape[1]
        self._shown = np.zeros((games.num_envs, size), np.float32)
        space = spaces.Box(-np.inf, np.inf, (size,), np.float32)
        super().__init__(games.num_envs, space, spaces.Discrete(games.batch.table.actions))

    def join(self, actor: torch.nn.Module) -> None:
        """What the learner is, as an opponent of itself; before the first deal."""
        self.pool.join(actor)

    def deal(self, seed: int) -> None:
        every = np.arange(self.num_envs)
        self.batch.deal(every.tolist(), range(seed, seed + self.num_envs))
        self.pool.begin(every)

    def observe(self) -> Array:
        self.games.batch.observe_seats(self.pool.seats)
        return self._show()

    def _show(self) -> Array:
        batch, pool = self.games.batch, self.pool
        self.pairs.rewrite(batch.observations, self._shown)
        behind = self.seen + self._hidden.shape[1]
        if self._hidden.shape[1]:
            competitive_write_hidden(batch.games, batch.estimates, pool.seats, batch.view, batch.work, self._hidden)
            self._shown[:, self.seen : behind] = self._hidden
        if self._foresight:
            self._foresight.write(pool.seats, self._foreseen)
            self._shown[:, behind:] = self._foreseen
        return self._shown

    def reset(self) -> Array:
        """The games as they stand; `deal` gives new ones."""
        if not (self.batch.games["players"] > 0).all():
            self.deal(0)
        return self.observe()

    def step_async(self, actions: Array) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        self.games._advance(self._actions)
        outcomes = self.batch.outcomes
        ended = outcomes["end"] != RUNNING
        if ended.any():
            self.endings.append(outcomes[ended])
        return self._show(), outcomes["reward"].astype(np.float32) * self.reward_scale, ended, []

    def kept(self) -> dict[str, Any]:
        pool = self.pool
        actors = {str(number): pool.players[number + 1].actor.state_dict() for number in pool.snapshots}
        arrays = {name: as_tensor(getattr(pool, name)) for name in ("seats", "choices", "assigned")}
        return super().kept() | {"pool": arrays | {"taken": pool.taken, "snapshots": actors}}

    def restore(self, content: dict[str, Any]) -> None:
        super().restore(content)
        pool, kept = self.pool, content["pool"]
        for name in ("seats", "choices", "assigned"):
            fill(getattr(pool, name), kept[name])
        for number in pool.snapshots.copy():
            pool.drop(number)
        pool.taken = kept["taken"]
        for number, weights in kept["snapshots"].items():
            actor = copy.deepcopy(pool.players[NEWEST].actor).requires_grad_(False)
            actor.load_state_dict(weights)
            pool.add(int(number), actor)
        fill(pool.assigned, kept["assigned"])
