"""Agents for tests, and stand-ins for the searches that take long."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from timeline_twist.agents import Agent, Seen
from timeline_twist.batch import Indices
from timeline_twist.competitive_observation import competitive_layout
from timeline_twist.engine import coop_score
from timeline_twist.evaluation import bounds
from timeline_twist.knowledge import EXPERT


class First(Agent):
    """The first legal action."""

    name = "first"

    def act(self, seen: Seen) -> Indices:
        actions: Indices = seen.masks.argmax(axis=1)
        return actions


class Last(Agent):
    """The last legal action."""

    name = "last"

    def act(self, seen: Seen) -> Indices:
        actions: Indices = seen.masks.shape[1] - 1 - seen.masks[:, ::-1].argmax(axis=1)
        return actions


class Knowing(Agent):
    """In competitive games between experts: the place with the best chance (or the worst) to be right."""

    def __init__(self, *, best: bool) -> None:
        self.name, self.sign = ("right", 1) if best else ("wrong", -1)
        self.asked: list[tuple[int, ...]] = []

    def act(self, seen: Seen) -> Indices:
        self.asked.append(tuple(seen.seats.tolist()))
        cards = seen.table.catalogue
        layout = competitive_layout(seen.table.players, cards.positions, len(cards), EXPERT, True)
        chances = layout["chances"].of(seen.observations).reshape(len(seen), -1)
        actions: Indices = np.where(seen.masks == 1, self.sign * chances, -9).argmax(axis=1)
        return actions


class Stops(First):
    """Presses Ctrl-C at its n-th decision."""

    name = "stops"

    def __init__(self, after: int = 60) -> None:
        self.left, self.lock = after, threading.Lock()

    def act(self, seen: Seen) -> Indices:
        with self.lock:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return super().act(seen)


class Illegal(Agent):
    name = "illegal"

    def act(self, seen: Seen) -> Indices:
        actions: Indices = seen.masks.argmin(axis=1)
        return actions


class Searches:
    """Stands in for the modules hindsight and solver; counts the deals that it is asked for."""

    BEAM = 7

    def __init__(self) -> None:
        self.deals = 0
        self.stop: Callable[[], None] = lambda: None

    def hindsight_scores(self, games: Any, beam: int = BEAM, threads: int = 1) -> Any:  # noqa: ARG002
        self.deals += len(games)
        self.stop()
        return np.array([best(game) for game in games], np.int16)

    def solve_many(self, table: Any, games: Any, progress: Any = None, threads: int = 1) -> Any:  # noqa: ARG002
        self.deals += len(games)
        for i in range(len(games)):
            progress(i)
        return np.array([best(game) / 2 for game in games])


def best(game: Any) -> int:
    """Some number that follows from the deal."""
    return int(coop_score(game)) + 60 + int(game["time"][0]) % 7


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Searches:
    """No search takes long, and the user's cache is left alone."""
    found = Searches()
    monkeypatch.setattr(bounds, "module_of", lambda kind: found)  # noqa: ARG005
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    return found
