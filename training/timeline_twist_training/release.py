"""Released agents: a folder with `config.yaml`, `model.safetensors` and `metrics.json`.

The weights are plain numbers (safetensors): loading a folder from a stranger executes nothing. Whoever plays with it
needs nothing else; the critic and the optimiser stay in the run folder.
"""

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as save_weights
from torch import nn

from timeline_twist.agents.agent import Agent
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.suites import read_yaml
from timeline_twist.files import write_text, write_whole
from timeline_twist.tables import nearest
from timeline_twist_training import config as configs
from timeline_twist_training.agent import NetworkAgent
from timeline_twist_training.competitive_agent import PairsAgent
from timeline_twist_training.search import SearchAgent

CONFIG, MODEL, METRICS = "config.yaml", "model.safetensors", "metrics.json"
SNAPSHOTS = "snapshots"  # of a run of self-play


def save(folder: Path, config: configs.Config, actor: nn.Module) -> None:
    """Write an agent's weights and config, each whole or not at all."""
    weights = {name: value.detach().contiguous() for name, value in actor.state_dict().items()}
    write_whole(folder / MODEL, save_weights(weights))
    write_text(folder / CONFIG, configs.dump(config))


def load_agent(folder: Path, *, search: str = "", **settings: Any) -> Agent:
    """The agent of a folder; `search="rollout"` puts rollouts on top of it."""
    known = ("rollouts", "most", "floor") if search else ()
    for setting in settings:
        if setting not in known:
            has = nearest(setting, known, "it has") if known else "a trained agent has none without +rollout"
            raise SettingsError(f"{folder}: no setting {setting!r}; {has}")
    # Several threads spin and wait for each other where cores are shared; agents are asked from threads of their own.
    torch.set_num_threads(1)
    config = read_config(folder)
    if not search:
        return make_agent(name_of(folder), config, read_weights(folder))
    if config.competitive:
        raise SettingsError(f"{folder}: plays competitive games, and +{search} is for co-op; leave it out")
    return SearchAgent(name_of(folder), config, read_weights(folder), **settings)


def make_agent(name: str, config: configs.Config, weights: dict[str, torch.Tensor]) -> Agent:
    """The agent that these weights are, of the mode of its suite."""
    make: Any = PairsAgent if config.competitive else NetworkAgent
    agent: Agent = make(name, config, weights)
    return agent


def name_of(folder: Path) -> str:
    """The name of an agent; `best`, `last` and the snapshots of a run are named with it."""
    path = folder.resolve()
    if path.parent.name == SNAPSHOTS:
        return "/".join(path.parts[-3:])
    return f"{path.parent.name}/{path.name}" if path.name in ("best", "last") else path.name


def read_config(folder: Path) -> configs.Config:
    if not (folder / CONFIG).is_file():
        raise SettingsError(f"{folder}: no {CONFIG} in it; give the folder of a trained agent")
    return configs.check(read_yaml(folder / CONFIG), str(folder / CONFIG))


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    path = folder / MODEL
    if not path.is_file():
        raise SettingsError(f"{folder}: no {MODEL} in it; give the folder of a trained agent")
    try:
        weights: dict[str, torch.Tensor] = load_file(path)
    except (SafetensorError, OSError) as error:
        raise SettingsError(f"{path}: damaged, or not in the format safetensors: {error}; get it anew") from error
    return weights


def take_over(actor: nn.Module, folder: Path) -> list[str]:
    """Take over the weights of a released agent that have the same shape; give the names of the others."""
    given, own = read_weights(folder), actor.state_dict()
    fitting = {name: value for name, value in given.items() if name in own and own[name].shape == value.shape}
    if not fitting:
        raise SettingsError(f"start_from: nothing in {folder} fits this network; leave it out, or use its network")
    actor.load_state_dict(own | fitting)
    return sorted(set(own) - set(fitting))
