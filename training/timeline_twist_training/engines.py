"""What trains: `sb3`, stable-baselines3 in one process, or `rllib`, Ray with runners and learners of its own.

Both take the same config and write the same run folder; `--resume` finds out which of them a run was begun with.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from timeline_twist.errors import SettingsError
from timeline_twist.tables import one_of, whole_number
from timeline_twist_training import run, train
from timeline_twist_training.config import Config
from timeline_twist_training.train import Say

ENGINES = ("sb3", "rllib")
MOST = 10_000  # of runners, of learners


@dataclass(frozen=True)
class Engine:
    """What the command line says of it; None where it says nothing."""

    name: str | None = None
    runners: int | None = None
    learners: int | None = None
    address: str | None = None  # of a Ray cluster

    def check(self, name: str) -> "Engine":
        """Itself, if what is given suits the engine of that name."""
        if self.name is not None:
            one_of("--engine", self.name, ENGINES)
        for option, count in (("--runners", self.runners), ("--learners", self.learners)):
            if count is not None:
                whole_number(option, count, 0, MOST)
        given = {"--runners": self.runners, "--learners": self.learners, "--ray-address": self.address}
        for option, value in given.items():
            if value is not None and name != "rllib":
                raise SettingsError(f"{option}: only with --engine rllib; the engine here is {name}")
        return self

    def train(self, config: Config, folder: Path, say: Say) -> dict[str, Any]:
        """A new run."""
        name = self.name or "sb3"
        self.check(name)
        if name == "sb3":
            return train.train(config, folder, say=say)
        rllib = rllib_package()
        found: dict[str, Any] = rllib.train(config, folder, self.cluster(rllib), say=say)
        return found

    def resume(self, folder: Path, say: Say) -> dict[str, Any]:
        """Go on with a run, by the engine that it was begun with."""
        name = engine_of(folder)
        self.check(name)
        if self.name not in (None, name):
            raise SettingsError(f"--engine: {folder} was begun with {name}, and can only go on with it")
        if name == "sb3":
            return train.resume(folder, say=say)
        rllib = rllib_package()
        found: dict[str, Any] = rllib.resume(folder, self.cluster(rllib, begun_with(folder)), say=say)
        return found

    def cluster(self, rllib: ModuleType, before: dict[str, Any] | None = None) -> Any:
        """Runners and learners as given, or as a run had them, or one runner."""
        before = before or {}
        runners = self.runners if self.runners is not None else before.get("runners", 1)
        learners = self.learners if self.learners is not None else before.get("learners", 0)
        return rllib.Cluster(runners, learners, self.address)


def begun_with(folder: Path) -> dict[str, Any]:
    """What `run.json` says."""
    try:
        about = json.loads((folder / run.ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def engine_of(folder: Path) -> str:
    """The engine that a run was begun with."""
    return str(begun_with(folder).get("engine", "sb3"))


def has_checkpoint(folder: Path) -> bool:
    """Whether a run can go on."""
    return any((folder / name).exists() for name in (run.RESUME, run.BEFORE, "rllib", "rllib-before"))


def rllib_package() -> ModuleType:
    """The module that trains with RLlib; one line that says how to get it if Ray is not there."""
    try:
        from timeline_twist_training.rllib import train as rllib
    except ImportError as error:
        raise SettingsError(
            f"--engine rllib: {error.name} is not installed; pip install 'timeline-twist[ray]' brings Ray and RLlib"
        ) from error
    return rllib
