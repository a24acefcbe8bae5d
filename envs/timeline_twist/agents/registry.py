"""Agents by name: `random`, `greedy`, `bayes`, `rollout`, with settings such as `rollout:rollouts=200`."""

import inspect
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from timeline_twist.agents.agent import Agent, FunctionAgent
from timeline_twist.agents.rollout import RolloutAgent
from timeline_twist.agents.simple import RandomAgent
from timeline_twist.agents.thumb import BayesAgent, GreedyAgent
from timeline_twist.errors import SettingsError
from timeline_twist.tables import nearest

BUILT_IN: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "bayes": BayesAgent,
    "rollout": RolloutAgent,
}

# Who loads trained agents: functions that take a folder and settings. The training package names one.
LOADERS = "timeline_twist.agents"
# What may stand behind a folder and a plus: the trained agent plays the rollouts of a search.
SEARCH = "rollout"


def make(agent: str | Path | Agent | Callable[..., Any], **settings: Any) -> Agent:
    """An agent from its name with settings, from the folder of a trained one, or from a function of observations and
    masks; an agent is given back as it is."""
    if isinstance(agent, str | Path):
        return from_text(str(agent), settings)
    if settings:
        raise SettingsError(f"agent: {agent!r} takes no settings here; only names and folders do")
    if isinstance(agent, Agent):
        if not isinstance(agent.name, str) or not agent.name:
            raise SettingsError(f"agent: {type(agent).__name__} has the name {agent.name!r}; give it one to be told by")
        return agent
    if isinstance(agent, type) and issubclass(agent, Agent):
        raise SettingsError(f"agent: {agent.__name__} is a class; give an agent of it, such as {agent.__name__}()")
    if callable(agent):
        return FunctionAgent(agent)
    raise SettingsError(f"agent: {agent!r} is neither a name, a folder, a function nor an agent")


def from_text(text: str, settings: dict[str, Any]) -> Agent:
    name, colon, given = text.partition(":")
    settings = (read_settings(text, given) if colon else {}) | settings
    if name in BUILT_IN:
        return build(name, settings)
    if name and Path(name).is_dir():
        return load_folder(name, settings)
    folder, _, search = name.rpartition("+")
    if folder and Path(folder).is_dir():
        if search != SEARCH:
            raise SettingsError(f"{name}: {search!r} is no search; write {folder}+{SEARCH}")
        return load_folder(folder, settings | {"search": search})
    hint = nearest(name, tuple(BUILT_IN), "choose one of")
    raise SettingsError(f"agent: {name!r} is neither a built-in agent nor a folder; {hint}")


def build(name: str, settings: dict[str, Any]) -> Agent:
    maker = BUILT_IN[name]
    known = [parameter for parameter in inspect.signature(maker).parameters if parameter != "self"]
    for setting in settings:
        if setting not in known:
            has = nearest(setting, known, "it has") if known else "it has none"
            raise SettingsError(f"{name}: no setting {setting!r}; {has}")
    return maker(**settings)


def read_settings(text: str, given: str) -> dict[str, Any]:
    """`a=1,b=2` as a mapping."""
    settings: dict[str, Any] = {}
    for part in given.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise SettingsError(f"{text}: {part!r} is not a setting; write name=value, separated by commas")
        if key.strip() in settings:
            raise SettingsError(f"{text}: {key.strip()!r} stands there twice; give each setting once")
        settings[key.strip()] = value.strip()
    return settings


def load_folder(folder: str, settings: dict[str, Any]) -> Agent:
    for loader in entry_points(group=LOADERS):
        agent: Agent = loader.load()(Path(folder), **settings)
        return agent
    raise SettingsError(
        f"{folder}: a folder, and nothing that loads trained agents is installed; name a built-in agent"
    )
