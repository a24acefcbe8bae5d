"""Training with RLlib's PPO: `timeline-twist train CONFIG.yaml --engine rllib`.

    from timeline_twist_training import config
    from timeline_twist_training.rllib import train
    train.train(config.load("configs/quick.yaml"), Path("runs/ray"), train.Cluster(runners=2))

The same config, the same evaluations, the same run folder as timeline_twist_training.train, and beside them:

| file | |
|---|---|
| `rllib/` | RLlib's own checkpoint: networks, optimiser, counters; any program that knows RLlib can read it |
| `rllib-before/` | the one before, while the next is being written |

RLlib's checkpoints are pickles, which execute code when they are loaded: go on only with runs of your own. The agents
in `best/` and `last/` are plain numbers, as always.

What differs from sb3-contrib's PPO: advantages are normalised over all steps of an update, not over each minibatch.
Games that were being played are not kept: a run that goes on, and a runner that replaces one that died, begin with new
deals, other ones than those before. So two runs with one seed are the same only as long as nothing dies.
"""

import json
import logging
import os
import pickle
import shutil
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ray
import torch
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_RL_MODULE, DEFAULT_MODULE_ID
from ray.rllib.utils.metrics import (
    ENV_RUNNER_RESULTS,
    EPISODE_LEN_MEAN,
    LEARNER_RESULTS,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
)
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.suites import load_suite
from timeline_twist.files import write_json
from timeline_twist_training import release, run
from timeline_twist_training.config import Config
from timeline_twist_training.networks import make_actor
from timeline_twist_training.rllib.algorithm import check, networks, ppo_config
from timeline_twist_training.rllib.runner import SCORE
from timeline_twist_training.train import Say, Training, TrainingError, quiet

CHECKPOINT, BEFORE, NEXT = "rllib", "rllib-before", "rllib-next"
PROGRESS = "timeline-twist.json"
REACHED_IN = 10.0  # seconds
STARTS = 4  # how often Ray is started on this machine until it answers
ENGINE = {"engine": "rllib"}  # in run.json and metrics.json (timeline_twist_training.engines)
ACTOR = "actor"  # the name of the actor in MaskedModule
LEARNED = ("policy_loss", "vf_loss", "entropy", "vf_explained_var", "default_optimizer_learning_rate")


@dataclass(frozen=True)
class Cluster:
    """Where to train: so many runners and learners; none of one kind means that the program itself does that work."""

    runners: int = 1
    learners: int = 0
    address: str | None = None  # of a cluster; None starts Ray on this machine for this run alone


def train(config: Config, folder: Path, cluster: Cluster | None = None, *, say: Say = quiet) -> dict[str, Any]:
    """Train in a new folder; gives the last line of its metrics."""
    cluster = cluster or Cluster()
    check(config, cluster.runners, cluster.learners)
    with Session(cluster):
        run.create(folder, config, **ENGINE, **asdict(cluster))
        training = RllibTraining(config, folder, cluster, say)
        training.begin()
        return training.finish()


def resume(folder: Path, cluster: Cluster | None = None, *, say: Say = quiet) -> dict[str, Any]:
    """Go on where a run stopped, here or on another cluster."""
    cluster, config, place = cluster or Cluster(), release.read_config(folder), checkpoint_in(folder)
    check(config, cluster.runners, cluster.learners)
    with Session(cluster):
        training = RllibTraining(config, folder, cluster, say)
        training.restore_from(place)
        return training.finish()


def checkpoint_in(folder: Path) -> Path:
    """The newest whole checkpoint of a run."""
    for name in (CHECKPOINT, BEFORE):
        if (folder / name / PROGRESS).is_file():
            return (folder / name).absolute()
    raise SettingsError(f"--resume: {folder} has no {CHECKPOINT}: it stopped before the first one; start anew")


class Session:
    """Ray, as long as a run lasts; where Ray runs already (in a trial of Tune) it is left as it is."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.ours = False

    def __enter__(self) -> None:
        if ray.is_initialized():
            return
        cluster = self.cluster
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # Several threads in every process wait for each other where cores are shared.
        settings: dict[str, Any] = {
            "runtime_env": {"env_vars": {"OMP_NUM_THREADS": "1"}},
            "logging_level": logging.ERROR,
            "log_to_driver": False,
        }
        if cluster.address is None:
            # Ray counts cores; runners on a small machine share them.
            cores = max(os.cpu_count() or 1, cluster.runners + cluster.learners + 1)
            settings |= {"address": "local", "num_cpus": cores, "include_dashboard": False}
        else:
            check_reachable(cluster.address)
            settings["address"] = cluster.address
        self.start(settings)
        self.ours = True

    def start(self, settings: dict[str, Any]) -> None:
        address = self.cluster.address
        for attempt in range(1 if address else STARTS):
            try:
                ray.init(**settings)
            except Exception as error:  # Ray raises whatever it has
                # Ray gives its own processes thirty seconds, which are too few on a very busy machine; by the second
                # time what they read is in memory.
                ray.shutdown()
                first = (str(error).strip() or type(error).__name__).splitlines()[0]
                if address:
                    raise SettingsError(f"--ray-address: {address}: {first}; is the cluster running?") from error
                if attempt == STARTS - 1:
                    raise TrainingError(f"Ray cannot be started on this machine: {first}; is it very busy?") from error
            else:
                return

    def __exit__(self, *_: object) -> None:
        if self.ours:
            ray.shutdown()


def check_reachable(address: str) -> None:
    """An error now if nobody listens at HOST:PORT; Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return  # a name, such as auto
    try:
        socket.create_connection((host, int(port)), timeout=REACHED_IN).close()
    except (OSError, OverflowError) as error:
        raise SettingsError(f"--ray-address: {address}: {error}; is the cluster running?") from error


class RllibTraining(Training):
    """One run; evaluations, logs and agents are those of every training, playing and learning are RLlib's."""

    def __init__(self, config: Config, folder: Path, cluster: Cluster, say: Say) -> None:
        # Not the base's: that one makes a model of stable-baselines3.
        torch.set_num_threads(config.threads)
        self.config, self.folder, self.cluster, self.say = config, folder, cluster, say
        self.suite = load_suite(config.suite)
        self.actor = make_actor(config.network, networks(config)["layout"])
        self.progress: dict[str, Any] = {"seconds": 0.0, "evaluations": [], "best": None, "steps": 0}
        self.board = TensorBoardOutputFormat(str(folder / "tb"))
        # As much of a model of stable-baselines3 as the base asks for.
        self.model: Any = SimpleNamespace(num_timesteps=0, logger=Logger(str(folder), [self.board]))
        self.algorithm: Any = None
        self.saved = time.monotonic()

    def build(self) -> None:
        """Start runners and learners."""
        runners, learners = self.cluster.runners, self.cluster.learners
        settings = ppo_config(self.config, runners, learners, steps_before=self.progress["steps"])
        self.algorithm = settings.build_algo()

    def begin(self) -> None:
        """A new run, from nothing or from a released agent."""
        self.build()
        if self.config.start_from is not None:
            self.fetch()
            release.take_over(self.actor, Path(self.config.start_from))
            self.give()
        self.fetch()

    def restore_from(self, place: Path) -> None:
        """Bring networks, optimiser and counters to where a checkpoint has them."""
        self.progress = json.loads((place / PROGRESS).read_text(encoding="utf-8"))
        self.model.num_timesteps = self.progress["steps"]
        self.build()
        try:
            self.algorithm.restore_from_path(str(place))
        except (OSError, EOFError, KeyError, RuntimeError, ValueError, pickle.UnpicklingError) as error:
            raise SettingsError(
                f"{place}: damaged, or not of {self.folder / run.CONFIG}; nothing was changed"
            ) from error
        self.fetch()

    def finish(self) -> dict[str, Any]:
        """Train until all steps are done."""
        try:
            return self.go_on()
        finally:
            self.algorithm.stop()

    def look(self) -> None:
        """Nothing: runners keep their games."""

    def module_state(self) -> dict[str, Any]:
        """The learner's networks, by the names of their weights."""
        state = self.algorithm.learner_group.get_state(components=f"{COMPONENT_LEARNER}/{COMPONENT_RL_MODULE}")
        found: dict[str, Any] = state[COMPONENT_LEARNER][COMPONENT_RL_MODULE][DEFAULT_MODULE_ID]
        return found

    def fetch(self) -> None:
        """The learner's actor into ours."""
        state = self.module_state()
        own = {name: torch.as_tensor(state[f"{ACTOR}.{name}"]) for name in self.actor.state_dict()}
        self.actor.load_state_dict(own)

    def give(self) -> None:
        """Our actor to learners and runners."""
        own = {f"{ACTOR}.{name}": value.numpy() for name, value in self.actor.state_dict().items()}
        group = self.algorithm.learner_group
        group.set_state({COMPONENT_LEARNER: {COMPONENT_RL_MODULE: {DEFAULT_MODULE_ID: self.module_state() | own}}})
        self.algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=group, inference_only=True)

    def update(self) -> None:
        """Play on, learn from it, log it."""
        began, before = time.perf_counter(), self.model.num_timesteps
        results = self.algorithm.train()
        played = results.get(ENV_RUNNER_RESULTS, {})
        steps = int(played.get(NUM_ENV_STEPS_SAMPLED_LIFETIME, before))
        seconds = time.perf_counter() - began
        self.model.num_timesteps = self.progress["steps"] = steps
        self.progress["seconds"] += seconds
        self.fetch()
        self.log_results(results, (steps - before) / seconds)
        self.check_numbers()

    def log_results(self, results: dict[str, Any], speed: float) -> None:
        """What became of the games that ended in this update, and what RLlib says of learning."""
        logger, played = self.model.logger, results.get(ENV_RUNNER_RESULTS, {})
        logger.record("speed/steps_per_second", speed)
        line = {"steps": self.model.num_timesteps, "speed": speed, "seconds": self.progress["seconds"]}
        if SCORE in played:
            line["score"] = float(played[SCORE])
            logger.record("games/score", line["score"])
            logger.record("games/length", float(played[EPISODE_LEN_MEAN]))
        learned = results.get(LEARNER_RESULTS, {}).get(DEFAULT_MODULE_ID, {})
        for name in LEARNED:
            if name in learned:
                logger.record(f"train/{name}", float(learned[name]))
        logger.dump(self.model.num_timesteps)
        self.say(line)

    def check_numbers(self) -> None:
        """A weight that is no number spoils everything after it: stop before it is written anywhere."""
        self.check_weights(self.actor.named_parameters())

    def metrics(self) -> dict[str, Any]:
        return super().metrics() | ENGINE | {"runners": self.cluster.runners, "learners": self.cluster.learners}

    def save(self) -> None:
        """A checkpoint; at every moment one of two names has a whole one."""
        folder = self.folder
        self.keep("last")
        shutil.rmtree(folder / NEXT, ignore_errors=True)
        self.algorithm.save_to_path(str((folder / NEXT).absolute()))
        write_json(folder / NEXT / PROGRESS, self.progress)
        shutil.rmtree(folder / BEFORE, ignore_errors=True)
        if (folder / CHECKPOINT).exists():
            (folder / CHECKPOINT).replace(folder / BEFORE)
        (folder / NEXT).replace(folder / CHECKPOINT)
        write_json(folder / run.METRICS, self.metrics())
        self.saved = time.monotonic()
