"""The PettingZoo interface that both modes share: agents in turn (AEC), and all at once (parallel)."""

import copy
import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers

from timeline_twist import observation, render, state
from timeline_twist.batch import Batch
from timeline_twist.errors import SettingsError
from timeline_twist.text import format_action

RENDER_MODES = ("human", "rgb_array", "ansi")
RENDER_FPS = 2

B = TypeVar("B", bound=Batch)
Observation = dict[str, Any]


class IllegalActionError(SettingsError):
    """An action that the rules forbid now; the game is as it was."""


def observation_space(batch: Batch) -> Any:
    return spaces.Box(observation.LOWEST, observation.HIGHEST, (batch.layout.size,), np.float32)


def check_render_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise SettingsError(f"render_mode: {mode!r} is not known; choose one of {', '.join(RENDER_MODES)} or None")
    return mode


class Picture:
    """Shows one game of a batch in the way `render_mode` says."""

    def __init__(self, mode: str | None, fps: int) -> None:
        self.mode = check_render_mode(mode)
        self.fps = fps
        self.window = render.Window() if mode == "human" else None

    def __getstate__(self) -> dict[str, Any]:
        # A window belongs to its process: copies open their own.
        return {"mode": self.mode, "fps": self.fps, "window": None}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self.window = render.Window() if self.mode == "human" else None

    def show(self, batch: Batch, i: int = 0) -> Any:
        """A text, an array, or None after drawing into the window."""
        batch.check_dealt()
        table, game, top = batch.table, batch.games[i], batch.show_pile_top
        if self.mode is None:
            gymnasium.logger.warn("render() needs a render_mode: give one of human, rgb_array, ansi to the constructor")
            return None
        if self.mode == "ansi":
            return render.ansi(table, game, top)
        if self.mode == "rgb_array":
            return render.picture(table, game, top)
        if self.window is not None:
            self.window.show(table, game, self.fps, top)
        return None

    def close(self) -> None:
        if self.window is not None:
            self.window.close()


class TableEnv(AECEnv[str, Observation, Any], Generic[B], ABC):
    """One game in PettingZoo's AEC interface; the modes fill in rewards and infos."""

    metadata: dict[str, Any]

    def __init__(self, batch: B, render_mode: str | None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.batch = batch
        self.picture = Picture(render_mode, self.metadata["render_fps"])
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(batch.table.players)]
        self.agents: list[str] = []
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        mask = spaces.Box(0, 1, (batch.table.actions,), np.int8)
        seen: dict[str, spaces.Space[Any]] = {"observation": observation_space(batch), "action_mask": mask}
        self.observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(batch.table.actions) for agent in self.possible_agents}
        size = state.state_size(batch.table, batch.estimates.shape[1])
        self.state_space = spaces.Box(state.LOWEST, state.HIGHEST, (size,), np.float32)

    def __repr__(self) -> str:
        return f"<{self.metadata['name']}: {self.batch.table!r}>"

    # What a spectator or a tool may want to look at; the records are the engine's own.
    @property
    def game(self) -> Any:
        """The engine's record of the game, hidden information included."""
        return self.batch.games[0]

    @property
    def layout(self) -> observation.Layout:
        """Where the sections of the observation are."""
        return self.batch.layout

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a game: the one of `seed`, or the one that follows the last.

        `options`: `draw_order` (catalogue numbers) deals the cards in that order; `estimates` (seats x cards of the
        catalogue) are the seats' private estimates under `noisy` knowledge. Others are ignored.
        """
        self.batch.deal([0], [seed], options)
        self.batch.observe_turns()
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._infos()
        # PettingZoo's memory of empty steps that the last game may still have owed.
        self._skip_agent_selection = None  # type: ignore[assignment]
        self.agent_selection = self.possible_agents[self.game["turn"]]
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Carry out an action of the agent on turn; an illegal one is an error and leaves the game as it is."""
        self.batch.check_dealt()
        if not self.agents:
            raise SettingsError("step: the game is over; call reset() for another one")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            # PettingZoo: every agent of a finished game takes one empty step.
            self._was_dead_step(action)
            return
        self._play(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._finish_step()
        for other in self.agents:
            self._cumulative_rewards[other] += self.rewards[other]
        self.agent_selection = self.possible_agents[self.batch.games["turn"][0]]
        if self.render_mode == "human":
            self.render()

    def _play(self, agent: str, action: Any) -> None:
        try:
            number = operator.index(action)
        except TypeError:
            raise SettingsError(f"{agent}: action {action!r} is not a whole number") from None
        if not self.batch.play(number):
            raise IllegalActionError(self._illegal(agent, number))

    def _illegal(self, agent: str, action: int) -> str:
        legal = np.flatnonzero(self.batch.masks[0])
        shown = ", ".join(f"{number} ({self._words(number)})" for number in legal[:9])
        more = f" and {len(legal) - 9} more" if len(legal) > 9 else ""
        known = f" ({self._words(action)})" if 0 <= action < self.batch.table.actions else ""
        return f"{agent}: action {action}{known} is not legal now; legal are {shown}{more}"

    def _words(self, action: int) -> str:
        return format_action(self, action)

    def observe(self, agent: str) -> Observation:
        """What an agent sees now; only the one on turn has legal actions."""
        seat = self._seat.get(agent)
        if seat is None:
            raise SettingsError(f"agent: {agent!r} is not at this table; there are {', '.join(self.possible_agents)}")
        self.batch.check_dealt()
        if seat == self.batch.games["turn"][0]:
            # Seen already, when the turn came to that seat.
            return {"observation": self.batch.observations[0].copy(), "action_mask": self.batch.masks[0].copy()}
        return self.batch.observe(0, seat)

    def state(self) -> npt.NDArray[np.float32]:
        """The whole hidden state, for centralised critics (see timeline_twist.state)."""
        return self.batch.state(0)

    def render(self) -> Any:
        return self.picture.show(self.batch)

    def close(self) -> None:
        self.picture.close()

    def clone(self) -> "TableEnv[B]":
        """An independent copy of the environment with its game."""
        return copy.deepcopy(self)

    # A shallow copy would move the game of the original.
    __copy__ = clone

    @abstractmethod
    def _finish_step(self) -> None:
        """Rewards, endings and infos after an action."""

    @abstractmethod
    def _infos(self) -> dict[str, dict[str, Any]]:
        """What every agent is told beside its observation."""


class ParallelTableEnv(ParallelEnv[str, Observation, int]):
    """The same game with all agents at once: only the action of the one on turn counts, the others' are ignored.

    Here an illegal action leaves the game as it is, with reward 0 and `illegal_action` in the infos.
    """

    def __init__(self, table_env: TableEnv[Any]) -> None:
        self.aec_env = table_env
        self.metadata = {**table_env.metadata, "is_parallelizable": True}
        self.render_mode = table_env.render_mode
        self.possible_agents = table_env.possible_agents
        self.agents: list[str] = []
        self.observation_spaces = table_env.observation_spaces
        self.action_spaces = table_env.action_spaces
        self.state_space = table_env.state_space

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    @property
    def game(self) -> Any:
        return self.aec_env.game

    @property
    def layout(self) -> observation.Layout:
        return self.aec_env.layout

    @property
    def batch(self) -> Any:
        return self.aec_env.batch

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        self.aec_env.reset(seed=seed, options=options)
        self.agents = self.possible_agents.copy()
        return self._observe(), self.aec_env._infos()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        self.batch.check_dealt()
        if not self.agents:
            # PettingZoo's way with a game that is over.
            return {}, {}, {}, {}, {}
        env, agent = self.aec_env, self.aec_env.agent_selection
        if agent not in actions:
            raise SettingsError(f"actions: {agent} is on turn and has none; give one for it")
        try:
            env.step(actions[agent])
            rewards, infos = dict(env.rewards), env._infos()
        except IllegalActionError:
            rewards = dict.fromkeys(self.agents, 0.0)
            infos = env._infos()
            infos[agent]["illegal_action"] = True
        terminations, truncations = dict(env.terminations), dict(env.truncations)
        answer = (self._observe(), rewards, terminations, truncations, infos)
        if any(terminations.values()) or any(truncations.values()):
            self.agents = []
        return answer

    def _observe(self) -> dict[str, Observation]:
        return {agent: self.aec_env.observe(agent) for agent in self.possible_agents}

    def state(self) -> npt.NDArray[np.float32]:
        return self.aec_env.state()

    def render(self) -> Any:
        return self.aec_env.render()

    def close(self) -> None:
        self.aec_env.close()

    def clone(self) -> "ParallelTableEnv":
        """An independent copy of the environment with its game."""
        return copy.deepcopy(self)

    __copy__ = clone


class OrderEnforcing(wrappers.OrderEnforcingWrapper[str, Observation, int]):
    """PettingZoo's wrapper, with a `clone()` that keeps the wrappers."""

    def __str__(self) -> str:
        return str(self.env)

    def clone(self) -> "OrderEnforcing":
        """An independent copy of the environment with its game."""
        return copy.deepcopy(self)

    __copy__ = clone


class AssertOutOfBounds(wrappers.AssertOutOfBoundsWrapper[str, Observation, int]):
    """PettingZoo's wrapper, for numbers beyond 64 bits too, of which older versions of Gymnasium cannot tell."""

    def step(self, action: Any) -> None:
        try:
            super().step(action)
        except OverflowError:
            raise AssertionError("action is not in action space") from None


def wrap(raw: TableEnv[Any]) -> OrderEnforcing:
    """What `env()` adds: clear errors for actions out of bounds and for calls in the wrong order."""
    return OrderEnforcing(AssertOutOfBounds(raw))
