"""The run folder: everything that a training run was, is, and needs to go on.

| file | |
|---|---|
| `config.yaml` | the whole config, defaults included |
| `run.json` | command, versions, git commit |
| `tb/` | TensorBoard logs |
| `best/`, `last/` | the agent (timeline_twist_training.release): the best in evaluations so far, and the newest |
| `resume.pt`, `resume-before.pt` | all that `--resume` needs, newest and the one before |
| `snapshots/000/`, .. | self-play: what the agent was, as agents to load; opponents of later ones |
| `metrics.json` | the evaluations so far: steps, minutes, scores |

Every file appears whole or not at all. A resume file holds numbers only and is read without executing anything in it,
but it is trusted: a run goes on with whatever weights and games stand there.
"""

import io
import json
import pickle
import platform
import shlex
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import sb3_contrib
import stable_baselines3
import torch

import timeline_twist
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.code import git_state
from timeline_twist.files import check_can_hold_files, make_folder, write_json, write_text, write_whole
from timeline_twist_training import config as configs
from timeline_twist_training.arrays import ArraysVecEnv
from timeline_twist_training.sb3 import GamesPPO

CONFIG, ABOUT, METRICS = "config.yaml", "run.json", "metrics.json"
RESUME, BEFORE = "resume.pt", "resume-before.pt"
FORMAT = 1


def create(folder: Path, config: configs.Config, **more: Any) -> None:
    """A new run folder, with `more` in its `run.json`; what is there already is never overwritten."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SettingsError(f"--out: {folder} is not empty; give another folder, or --resume {folder} to go on")
    make_folder("--out", folder)
    check_can_hold_files("--out", folder)
    write_text(folder / CONFIG, configs.dump(config))
    write_json(folder / ABOUT, about() | more)


def about() -> dict[str, Any]:
    """What ran: command, versions, commit."""
    commit, dirty = git_state()
    modules = {"gymnasium": gymnasium, "sb3_contrib": sb3_contrib, "stable_baselines3": stable_baselines3}
    versions = {name: module.__version__ for name, module in modules.items()}
    versions |= {"timeline_twist": timeline_twist.__version__, "python": platform.python_version()}
    versions |= {"torch": str(torch.__version__), "numpy": np.__version__}
    if "ray" in sys.modules:
        versions["ray"] = sys.modules["ray"].__version__
    command = shlex.join(["timeline-twist", *sys.argv[1:]])
    return {"command": command, "versions": versions, "git_commit": commit, "git_dirty": dirty}


def save_resume(folder: Path, model: GamesPPO, env: ArraysVecEnv, progress: dict[str, Any]) -> None:
    """Write all that the run needs to go on; the file before it is kept."""
    content = {
        "format": FORMAT,
        "progress": json.dumps(progress),
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "torch_random": torch.get_rng_state(),
        "numpy_random": numpy_random(),
    } | env.kept()
    if (folder / RESUME).exists():
        (folder / RESUME).replace(folder / BEFORE)
    buffer = io.BytesIO()
    torch.save(content, buffer)
    # Written by Python: what torch says of a full disk names neither file nor reason.
    write_whole(folder / RESUME, buffer.getvalue())


def load_resume(folder: Path, model: GamesPPO, env: ArraysVecEnv) -> dict[str, Any]:
    """Bring a model and its games to where they were saved; give the progress kept with them."""
    content = read_resume(folder)
    try:
        model.policy.load_state_dict(content["policy"])
        model.policy.optimizer.load_state_dict(content["optimizer"])
        env.restore(content)
    except (KeyError, RuntimeError, ValueError) as error:
        raise SettingsError(f"{folder / RESUME}: does not fit {folder / CONFIG}; was one of them changed?") from error
    model.num_timesteps, model._n_updates = content["steps"], content["updates"]
    torch.set_rng_state(content["torch_random"])
    keys, position = content["numpy_random"]
    np.random.set_state(("MT19937", keys.numpy().astype(np.uint32), position, 0, 0.0))
    progress: dict[str, Any] = json.loads(content["progress"])
    return progress


def read_resume(folder: Path) -> dict[str, Any]:
    path = folder / RESUME
    if not path.is_file() and (folder / BEFORE).is_file():
        path = folder / BEFORE  # killed between the two renames
    if not path.is_file():
        raise SettingsError(f"--resume: {folder} has no {RESUME}: it stopped before the first one; start anew")
    try:
        content: dict[str, Any] = torch.load(path, weights_only=True)
    except (RuntimeError, OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
        hint = f"; copy {BEFORE} over it to go on from there" if (folder / BEFORE).is_file() else ""
        raise SettingsError(f"{path}: damaged, nothing was changed{hint}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SettingsError(f"{path}: of another version; resume with the program that wrote it")
    return content


def numpy_random() -> tuple[torch.Tensor, int]:
    """The state of the generator that stable-baselines3 shuffles minibatches with."""
    _, keys, position, _, _ = np.random.get_state(legacy=True)
    return torch.from_numpy(np.asarray(keys).astype(np.int64)), int(position)
