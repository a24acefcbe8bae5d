"""Gymnasium vector environments: thousands of games in one compiled call, into preallocated buffers.

    envs = gymnasium.make_vec("timeline_twist/Coop-v0", num_envs=1024, vectorization_mode="vector_entry_point")
    observations, infos = envs.reset(seed=0)             # game i has seed 0 + i
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    infos["action_mask"]                                 # int8 [games, actions], also envs.action_masks()

Settings, observations and rewards are those of the single environments (timeline_twist.single), and so is the course
of every game: same seed, same actions, same observations. Further arguments:

- `autoreset_mode`: `"SameStep"` (default: where a game ends, the next one is dealt at once, and `infos["final_obs"]`
  and `infos["final_info"]` hold what was last seen of the old one), `"NextStep"` (the next step deals, its action is
  ignored) or `"Disabled"` (`reset(options={"reset_mask": ...})` deals). The members of Gymnasium's AutoresetMode do
  as well.
- `copy`: `True` (default) gives new arrays in every step. With `False` observations, masks and `final_obs` are those
  of two sets of buffers in turn, which saves up to a sixth of the time, and stay as they are only until the step after
  the next.
- `episode_statistics`: whether `infos["episode"]` tells return `r`, length `l` and seconds `t` of the games that
  ended, as Gymnasium's RecordEpisodeStatistics does (turn one of the two off: both want the key).

Gymnasium's own vector environments default to next-step; its NormalizeObservation needs that or disabled.

In `infos` the games that an entry is about are marked under its name with an underscore: `infos["_episode"]`,
`infos["_final_obs"]`; other rows have no meaning. `score` (co-op), `seat`, `cards_left` and `rounds` (competitive)
are there for all games; `end_reason`, `rank` (co-op) and `winners` (competitive, one flag per seat) for those that
ended: in `infos["final_info"]`, with the last score, or in `infos` itself without same-step autoreset.
"""

import copy as copying
import time
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from timeline_twist import competitive_v0, coop_v0
from timeline_twist.aec import RENDER_FPS, RENDER_MODES, Picture, observation_space
from timeline_twist.batch import Batch, CompetitiveBatch, CoopBatch, check_names, check_seeds
from timeline_twist.engine import END_REASONS, MAX_ROUNDS, RUNNING
from timeline_twist.errors import SettingsError
from timeline_twist.observation import NEXT_STEP, NO_AUTORESET, SAME_STEP, Layout
from timeline_twist.opposition import Opposition
from timeline_twist.ranks import RANK_BOUNDS, RANK_NAMES
from timeline_twist.tables import true_or_false, whole_number

Floats = npt.NDArray[np.float32]
Step = tuple[Floats, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]

AUTORESET = {
    AutoresetMode.DISABLED: NO_AUTORESET,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.NEXT_STEP: NEXT_STEP,
}
MOST_GAMES = 1_000_000
ENDINGS = np.array(END_REASONS)
RANKS = np.array(RANK_NAMES["en"])


class TableVectorEnv(gymnasium.vector.VectorEnv[Floats, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """What both modes have in common."""

    batch: Batch

    def __init__(
        self,
        batch: Batch,
        autoreset_mode: str | AutoresetMode,
        copy: bool,
        episode_statistics: bool,
        render_mode: str | None,
    ) -> None:
        mode = read_autoreset(autoreset_mode)
        self.batch = batch
        self.num_envs = len(batch)
        self.autoreset = AUTORESET[mode]
        self.copy = true_or_false("copy", copy)
        self.episode_statistics = true_or_false("episode_statistics", episode_statistics)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": mode,
        }
        self.picture = Picture(render_mode, RENDER_FPS)
        self.render_mode = render_mode
        self.single_observation_space = observation_space(batch)
        self.single_action_space = spaces.Discrete(batch.table.actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._spare = (np.zeros_like(batch.observations), np.zeros_like(batch.masks), batch.final_observations.copy())
        self._started = np.zeros(self.num_envs)

    @property
    def games(self) -> Any:
        """The engine's records, hidden information included."""
        return self.batch.games

    @property
    def layout(self) -> Layout:
        """Where the sections of the observation are."""
        return self.batch.layout

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The masks in the form that sb3-contrib asks for."""
        self.batch.check_dealt()
        return self.batch.masks.astype(np.bool_)

    def state(self) -> Floats:
        """The whole hidden state of every game (see timeline_twist.state); takes tens of microseconds for each."""
        return np.stack([self.batch.state(i) for i in range(self.num_envs)])

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Deal all games, or those of `options["reset_mask"]`: game i from `seed + i`, or from the i-th of a list of
        seeds, or, without a seed, the one that follows its last. Other options: as in timeline_twist.coop_v0."""
        seeds = check_seeds(seed, self.num_envs)
        which = self._to_reset(options)
        self.batch.deal(which, [seeds[i] for i in which], options)
        super().reset(seed=seeds[0])
        self._started[which] = time.perf_counter()
        self._begin(np.asarray(which, np.int64))
        self._swap_buffers()
        self.batch.observe_turns()
        self._show()
        return self._observations(), self._standing_infos()

    def step(self, actions: Any) -> Step:
        """One action in every game; illegal ones change nothing and are marked in `infos["illegal_action"]`."""
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            raise SettingsError(f"actions: give {self.num_envs} whole numbers, one for each game")
        self.batch.check_dealt()
        if self.autoreset == NO_AUTORESET and (self.batch.games["end"] != RUNNING).any():
            raise SettingsError("step: a game is over; deal it anew with reset(options={'reset_mask': ...})")
        self._swap_buffers()
        self._advance(np.ascontiguousarray(given, np.int64))
        outcomes = self.batch.outcomes
        self._show()
        ends = (outcomes["terminated"].astype(np.bool_), outcomes["truncated"].astype(np.bool_))
        return self._observations(), outcomes["reward"].copy(), *ends, self._infos()

    def _swap_buffers(self) -> None:
        batch = self.batch
        used = (batch.observations, batch.masks, batch.final_observations)
        batch.observations, batch.masks, batch.final_observations = self._spare
        self._spare = used

    def _observations(self) -> Floats:
        return self.batch.observations.copy() if self.copy else self.batch.observations

    def _to_reset(self, options: Any) -> list[int]:
        mask = options.get("reset_mask") if isinstance(options, Mapping) else None
        if mask is None:
            return list(range(self.num_envs))
        self.batch.check_dealt()
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise SettingsError(f"reset_mask: give {self.num_envs} booleans, at least one of them True")
        return [int(i) for i in np.flatnonzero(mask)]

    def _standing_infos(self) -> dict[str, Any]:
        """What there is to tell of every game."""
        masks = self.batch.masks
        every = np.ones(self.num_envs, np.bool_)
        return {"action_mask": masks.copy() if self.copy else masks, "_action_mask": every, **self._standing()}

    def _infos(self) -> dict[str, Any]:
        outcomes = self.batch.outcomes
        infos = self._standing_infos()
        if (illegal := outcomes["illegal"].astype(np.bool_)).any():
            infos["illegal_action"] = infos["_illegal_action"] = illegal
        ended = outcomes["end"] != RUNNING
        if ended.any():
            self._add_endings(infos, ended)
        return infos

    def _add_endings(self, infos: dict[str, Any], ended: npt.NDArray[np.bool_]) -> None:
        outcomes = self.batch.outcomes
        which = np.flatnonzero(ended)
        reasons = np.zeros(self.num_envs, ENDINGS.dtype)
        reasons[which] = ENDINGS[outcomes["end"][which]]
        last = {"end_reason": reasons, "_end_reason": ended, **self._final(ended)}
        if self.autoreset == SAME_STEP:
            last_seen = self.batch.final_observations
            infos["final_obs"] = last_seen.copy() if self.copy else last_seen
            infos["final_info"] = last
            infos["_final_obs"] = infos["_final_info"] = ended
        else:
            # The score of a game that is over is its last one.
            infos.update({name: value for name, value in last.items() if name not in infos})
        if self.episode_statistics:
            now = time.perf_counter()
            infos["episode"] = {
                "r": np.where(ended, outcomes["final_return"], 0.0),
                "l": np.where(ended, outcomes["final_length"], 0),
                "t": np.where(ended, np.round(now - self._started, 6), 0.0),
            }
            infos["_episode"] = ended
            self._started[ended] = now

    def clone(self) -> "TableVectorEnv":
        """An independent copy of the environment with its games."""
        return copying.deepcopy(self)

    # A shallow copy would move the games of the original.
    __copy__ = clone

    def _show(self) -> None:
        if self.render_mode == "human":
            self.picture.show(self.batch)

    def render(self) -> tuple[Any, ...] | None:
        """A text or a picture of every game; in `human` mode a window shows the first one."""
        if self.render_mode in (None, "human"):
            self.picture.show(self.batch)
            return None
        return tuple(self.picture.show(self.batch, i) for i in range(self.num_envs))

    def close_extras(self, **_: Any) -> None:
        # Gymnasium closes what is thrown away, an environment whose settings were refused included.
        if hasattr(self, "picture"):
            self.picture.close()

    def _begin(self, which: npt.NDArray[np.int64]) -> None:
        """What happens after the deal before the agent's first turn."""

    def _advance(self, actions: npt.NDArray[np.int64]) -> None:
        """Carry out the actions: games, outcomes, observations and masks."""
        raise NotImplementedError

    def _standing(self) -> dict[str, Any]:
        return {}

    def _final(self, ended: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Infos of the games that ended."""
        raise NotImplementedError


class CoopVectorEnv(TableVectorEnv):
    """`timeline_twist/Coop-v0`, vectorised: one agent plays every seat in turn in every game."""

    batch: CoopBatch

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        copy: bool = True,
        episode_statistics: bool = True,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        check_names("Coop-v0", settings, coop_v0.make_batch, CoopVectorEnv)
        batch = coop_v0.make_batch(whole_number("num_envs", num_envs, 1, MOST_GAMES), **settings)
        super().__init__(batch, autoreset_mode, copy, episode_statistics, render_mode)

    def _advance(self, actions: npt.NDArray[np.int64]) -> None:
        self.batch.step(actions, self.autoreset)

    def _standing(self) -> dict[str, Any]:
        return {"score": self.batch.outcomes["score"].astype(np.int64), "_score": np.ones(self.num_envs, np.bool_)}

    def _final(self, ended: npt.NDArray[np.bool_]) -> dict[str, Any]:
        scores = self.batch.outcomes["final_score"].astype(np.int64)
        ranks = np.zeros(self.num_envs, RANKS.dtype)
        ranks[ended] = RANKS[np.searchsorted(RANK_BOUNDS, scores[ended], side="right")]
        return {"score": scores, "_score": ended, "rank": ranks, "_rank": ended}


class CompetitiveVectorEnv(TableVectorEnv):
    """`timeline_twist/Competitive-v0`, vectorised: one agent in one seat of every game, `opponents` in the others."""

    batch: CompetitiveBatch

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponents: Any = "random",
        seat: int | str = 0,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        copy: bool = True,
        episode_statistics: bool = True,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        check_names("Competitive-v0", settings, competitive_v0.make_batch, CompetitiveVectorEnv)
        batch = competitive_v0.make_batch(whole_number("num_envs", num_envs, 1, MOST_GAMES), **settings)
        super().__init__(batch, autoreset_mode, copy, episode_statistics, render_mode)
        self.opposition = Opposition(batch, opponents, seat)
        self._winners = np.zeros((num_envs, batch.table.players), np.bool_)
        self._last_seats = np.zeros(num_envs, np.int64)

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """The agent's own in each game."""
        return self.opposition.seats

    def _begin(self, which: npt.NDArray[np.int64]) -> None:
        self.opposition.begin(which)

    def _advance(self, actions: npt.NDArray[np.int64]) -> None:
        games, outcomes = self.batch.games, self.batch.outcomes
        over = games["end"] != RUNNING
        going_on = np.flatnonzero(~over)
        self.opposition.check_turn(going_on)
        legal = np.ones(self.num_envs, np.bool_)
        legal[going_on] = self.batch.step_some(going_on, actions[going_on])
        self.opposition.answer(going_on)
        outcomes["illegal"] = ~legal
        self._score(going_on)
        fresh = np.flatnonzero(over)
        if self.autoreset == SAME_STEP:
            fresh = going_on[games["end"][going_on] != RUNNING]
            if len(fresh):
                last, masks = np.empty((len(fresh), self.layout.size), np.float32), self.batch.masks[: len(fresh)]
                self.batch.observe_some(fresh, self.seats[fresh], last, masks)
                self.batch.final_observations[fresh] = last
        else:
            # The step that deals anew has no reward and ends nothing.
            outcomes[fresh] = np.zeros((), outcomes.dtype)
        if len(fresh):
            self.batch.deal_next(fresh)
            self._begin(fresh)
        self.batch.observe_seats(self.seats)

    def _score(self, which: npt.NDArray[np.int64]) -> None:
        """Rewards, endings and episode statistics after a step of these games."""
        games, outcomes = self.batch.games, self.batch.outcomes
        outcomes["reward"][which] = self.batch.rewards(which, self.seats)
        outcomes["episode_return"][which] += outcomes["reward"][which]
        outcomes["episode_length"][which] += 1
        end = games["end"]
        outcomes["end"][which] = end[which]
        outcomes["terminated"] = (outcomes["end"] != RUNNING) & (outcomes["end"] != MAX_ROUNDS)
        outcomes["truncated"] = outcomes["end"] == MAX_ROUNDS
        ended = which[end[which] != RUNNING]
        for final, running in (("final_return", "episode_return"), ("final_length", "episode_length")):
            outcomes[final][ended] = outcomes[running][ended]
            outcomes[running][ended] = 0
        self._last_seats[ended] = self.seats[ended]
        players = self.batch.table.players
        drawn = games["active"][ended, :players].astype(np.bool_) & (games["winner"][ended, None] < 0)
        self._winners[ended] = drawn | (np.arange(players) == games["winner"][ended, None])
        self._winners[ended] &= (end[ended] != MAX_ROUNDS)[:, None]

    def _final(self, ended: npt.NDArray[np.bool_]) -> dict[str, Any]:
        return {"winners": self._winners.copy(), "_winners": ended, "seat": self._last_seats.copy(), "_seat": ended}

    def _standing(self) -> dict[str, Any]:
        games, every = self.batch.games, np.ones(self.num_envs, np.bool_)
        left = (games["hands"][:, : self.batch.table.players] >= 0).sum(axis=2)
        infos = {"seat": self.seats.copy(), "cards_left": left, "rounds": games["rounds"].copy()}
        return infos | {f"_{name}": every for name in infos}


def read_autoreset(mode: Any) -> AutoresetMode:
    """A member of AutoresetMode, its value, or that in other spelling, such as `same-step`."""
    plain = str(getattr(mode, "value", mode)).replace("-", "").replace("_", "").lower()
    for member in AutoresetMode:
        if member.value.lower() == plain:
            return member
    raise SettingsError(f"autoreset_mode: {mode!r} is not known; choose SameStep, NextStep or Disabled")
