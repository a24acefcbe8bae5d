"""Gymnasium environments with one agent: the whole team in co-op, one seat among others in competitive mode.

    gymnasium.make("timeline_twist/Coop-v0", players=3)
    gymnasium.make("timeline_twist/Competitive-v0", players=4, opponents="random", seat="random")

In `Coop-v0` one agent plays every seat in turn and gets the observation of the player on turn. In `Competitive-v0` it
plays one seat; `opponents` (timeline_twist.opposition) fill the others: one for all of them, or a list in the order
after its seat. `seat` is a number or `"random"`, anew in each game. All other arguments, observations and rewards are
those of timeline_twist.coop_v0 and competitive_v0; `info["action_mask"]` and `action_masks()` (for sb3-contrib) give
the mask.

An illegal action leaves the game as it is: reward 0, and `info["illegal_action"]` is True; an agent that never looks
at the mask may stay there for ever (Gymnasium's TimeLimit helps). `env.unwrapped.clone()` and
`copy.deepcopy(env)` copy the game.
"""

import copy
import operator
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from timeline_twist import competitive_v0, coop_v0
from timeline_twist.aec import RENDER_FPS, RENDER_MODES, Picture, observation_space
from timeline_twist.batch import Batch, CompetitiveBatch, CoopBatch, check_names
from timeline_twist.engine import MAX_ROUNDS, RUNNING
from timeline_twist.errors import SettingsError
from timeline_twist.observation import Layout
from timeline_twist.opposition import Opposition
from timeline_twist.tables import check_seed

Floats = npt.NDArray[np.float32]
METADATA = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}
Step = tuple[Floats, float, bool, bool, dict[str, Any]]


def whole_action(action: Any) -> int:
    try:
        return operator.index(action)
    except TypeError:
        raise SettingsError(f"action: {action!r} is not a whole number") from None


class TableEnv(gymnasium.Env[Floats, np.int64]):
    """What both modes have in common."""

    metadata = METADATA

    def __init__(self, batch: Batch, render_mode: str | None) -> None:
        self.batch = batch
        self.picture = Picture(render_mode, RENDER_FPS)
        self.render_mode = render_mode
        self.observation_space = observation_space(batch)
        self.action_space = spaces.Discrete(batch.table.actions)

    @property
    def game(self) -> Any:
        """The engine's record of the game, hidden information included."""
        return self.batch.games[0]

    @property
    def layout(self) -> Layout:
        """Where the sections of the observation are."""
        return self.batch.layout

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The mask in the form that sb3-contrib asks for."""
        self.batch.check_dealt()
        mask: npt.NDArray[np.bool_] = self.batch.masks[0].astype(np.bool_)
        return mask

    def state(self) -> Floats:
        """The whole hidden state (see timeline_twist.state)."""
        return self.batch.state(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Deal a game: the one of `seed`, or the one that follows the last. `options`: as in timeline_twist.coop_v0."""
        super().reset(seed=None if seed is None else check_seed(seed))
        self.batch.deal([0], [seed], options)
        self._begin()
        self.batch.observe_turns()
        if self.render_mode == "human":
            self.render()
        return self.batch.observations[0].copy(), self._info()

    def step(self, action: Any) -> Step:
        self.batch.check_dealt()
        legal, reward = self._play(whole_action(action))
        info = self._info()
        if not legal:
            info["illegal_action"] = True
        end = self.game["end"]
        if self.render_mode == "human":
            self.render()
        observation = self.batch.observations[0].copy()
        return observation, reward, bool(end not in (RUNNING, MAX_ROUNDS)), bool(end == MAX_ROUNDS), info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.batch.masks[0].copy(), **self._standing()}

    def clone(self) -> "TableEnv":
        """An independent copy of the environment with its game."""
        return copy.deepcopy(self)

    # A shallow copy would move the game of the original.
    __copy__ = clone

    def render(self) -> Any:
        return self.picture.show(self.batch)

    def close(self) -> None:
        self.picture.close()

    def _begin(self) -> None:
        """What happens after the deal before the agent's first turn."""

    def _play(self, action: int) -> tuple[bool, float]:
        """Carry out an action; whether it was legal, and its reward."""
        raise NotImplementedError

    def _standing(self) -> dict[str, Any]:
        raise NotImplementedError


class CoopEnv(TableEnv):
    """`timeline_twist/Coop-v0`: one agent plays every seat in turn."""

    batch: CoopBatch

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        check_names("Coop-v0", settings, coop_v0.make_batch, CoopEnv)
        super().__init__(coop_v0.make_batch(1, **settings), render_mode)

    def _play(self, action: int) -> tuple[bool, float]:
        legal = self.batch.play(action)
        return legal, float(self.batch.outcomes["reward"][0]) if legal else 0.0

    def _standing(self) -> dict[str, Any]:
        return coop_v0.standing(self.batch)


class CompetitiveEnv(TableEnv):
    """`timeline_twist/Competitive-v0`: one agent in one seat, `opponents` in the others."""

    batch: CompetitiveBatch

    def __init__(
        self, opponents: Any = "random", seat: int | str = 0, render_mode: str | None = None, **settings: Any
    ) -> None:
        check_names("Competitive-v0", settings, competitive_v0.make_batch, CompetitiveEnv)
        super().__init__(competitive_v0.make_batch(1, **settings), render_mode)
        self.opposition = Opposition(self.batch, opponents, seat)

    @property
    def seat(self) -> int:
        """The agent's own in this game."""
        return int(self.opposition.seats[0])

    def _begin(self) -> None:
        self.opposition.begin(self.batch.all)

    def _play(self, action: int) -> tuple[bool, float]:
        self.opposition.check_turn(self.batch.all)
        if not self.batch.play(action):
            return False, 0.0
        self.opposition.answer(self.batch.all)
        self.batch.observe_seats(self.opposition.seats)
        return True, float(self.batch.rewards(self.batch.all, self.opposition.seats)[0])

    def _standing(self) -> dict[str, Any]:
        return {"seat": self.seat, **competitive_v0.standing(self.batch)}
