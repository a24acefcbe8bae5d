"""Training with RLlib: games as it takes them, runners that die, checkpoints, the command (`make test-ray`)."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from timeline_twist.agents import make
from timeline_twist.agents.playing import play
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.suites import load_suite
from timeline_twist_training import config as configs
from timeline_twist_training import release, run
from timeline_twist_training.networks import COOP_ACTIONS
from timeline_twist_training.rllib import train
from timeline_twist_training.rllib.algorithm import ppo_config
from timeline_twist_training.rllib.games import FIRST_HELD_OUT, first_seed
from timeline_twist_training.train import quiet

UPDATE = 64 * 16  # steps


def small(**changes: Any) -> configs.Config:
    content: dict[str, Any] = {
        "suite": "coop-2p-expert",
        "network": {"widths": [32]},
        "critic": {"widths": [32]},
        # The rate does not fall: a run that goes on after its last step must still learn something.
        "ppo": {"games": 64, "horizon": 16, "minibatch": 256, "steps": 6 * UPDATE, "final_learning_rate": 1.0e-3},
        "evaluation": {"every": 3 * UPDATE, "games": 40},
        "checkpoint_minutes": 60.0,
    }
    for name, value in changes.items():
        content[name] = {**content[name], **value} if isinstance(content.get(name), dict) else value
    return configs.check(content, "test")


@pytest.fixture(scope="module")
def session() -> Iterator[None]:
    """Ray, for all tests that need it in this process."""
    with train.Session(train.Cluster(runners=2, learners=1)):
        yield


@pytest.fixture(scope="module")
def runners(session: None) -> dict[str, Any]:  # noqa: ARG001
    """Our runner and RLlib's own, with the same networks and the same first deals."""
    config = small()
    made = {
        name: ppo_config(config, 0, 0, batched=batched).build_algo().env_runner_group.local_env_runner
        for name, batched in (("ours", True), ("theirs", False))
    }
    made["theirs"].module.set_state(made["ours"].module.get_state())
    return made


def test_no_action_of_a_runner_is_illegal_and_every_piece_fits_the_next(runners: dict[str, Any]) -> None:
    last: dict[bytes, int] = {}
    for _ in range(3):
        episodes = runners["ours"].sample()
        assert sum(len(episode) for episode in episodes) == UPDATE
        begun = {episode.get_observations(0).tobytes() for episode in episodes}
        assert set(last) <= begun
        for episode in episodes:
            seen, actions = episode.get_observations(slice(0, len(episode))), episode.get_actions()
            masks = seen[:, -COOP_ACTIONS:]
            assert masks[np.arange(len(actions)), actions].all()
            given = episode.get_extra_model_outputs("action_dist_inputs")
            assert ((given > -1e8) == (masks == 1)).all()
        last = {each.get_observations(-1).tobytes(): 1 for each in episodes if not each.is_terminated}
        assert last


def test_rllibs_own_runner_plays_the_same_games(runners: dict[str, Any]) -> None:
    played = {}
    for name, runner in runners.items():
        # As if nothing had been played yet: the deals are those of a runner that has just begun.
        runner.num_env_steps_sampled_lifetime = 0
        episodes = runner._sample(num_timesteps=64 * 60, explore=False, force_reset=True)
        whole = [each for each in episodes if each.is_terminated]
        first = {each.get_observations(0).tobytes(): (len(each), round(float(each.get_return()), 4)) for each in whole}
        played[name] = first
    common = set(played["ours"]) & set(played["theirs"])
    assert len(common) >= 64
    assert all(played["ours"][key] == played["theirs"][key] for key in common)


def test_a_runner_that_replaces_another_deals_other_games() -> None:
    config = small(seed=3)
    fresh = [first_seed(config, runner, 32, 0) for runner in (1, 2)]
    assert fresh[1] - fresh[0] == 32
    later = [first_seed(config, runner, 32, steps) for runner in (1, 2) for steps in (1024, 2048)]
    assert len({*fresh, *later}) == 6 and max(later) < FIRST_HELD_OUT


class Killer:
    """Kills the first runner after so many updates."""

    def __init__(self, after: int) -> None:
        self.after, self.lines = after, 0
        self.training: Any = None
        self.killed = 0
        self.alive: list[int] = []  # when all was done
        self.seen: list[dict[str, Any]] = []

    def __call__(self, line: dict[str, Any]) -> None:
        self.seen.append(line)
        self.lines += "evaluation" not in line
        if self.lines == self.after and not self.killed:
            self.killed = self.pids()[0]
            os.kill(self.killed, signal.SIGKILL)

    def pids(self) -> list[int]:
        found: list[int] = self.training.algorithm.env_runner_group.foreach_env_runner(lambda _: os.getpid())
        return found


@pytest.fixture(scope="module")
def trained(session: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Killer]:  # noqa: ARG001
    """A run on two runners, one of which was killed in its middle."""
    folder, killer, cluster = tmp_path_factory.mktemp("runs") / "killed", Killer(2), train.Cluster(runners=2)
    config = small()
    run.create(folder, config, **train.ENGINE)
    killer.training = train.RllibTraining(config, folder, cluster, killer)
    killer.training.begin()
    try:
        killer.training.go_on()
        until = time.monotonic() + 600
        while len(killer.alive) < 2 and time.monotonic() < until:
            # A process takes its time to begin, and nobody waits for it.
            killer.training.algorithm.train()
            killer.alive = killer.pids()
    finally:
        killer.training.algorithm.stop()
    return folder, killer


def test_a_killed_runner_is_replaced_and_training_goes_on(trained: tuple[Path, Killer]) -> None:
    folder, killer = trained
    assert killer.killed
    assert len(killer.alive) == 2 and killer.killed not in killer.alive
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["evaluations"][-1]["steps"] >= 6 * UPDATE and metrics["engine"] == "rllib"
    assert killer.lines >= 6


def test_its_agent_is_released_in_the_safe_format_and_plays(trained: tuple[Path, Killer]) -> None:
    folder, _ = trained
    assert sorted(path.name for path in (folder / "best").iterdir()) == ["config.yaml", "model.safetensors"]
    batch: Any = load_suite("coop-2p-expert").make_batch(20)
    batch.deal(range(20), range(20))
    play(batch, [make(folder / "best")])
    assert (batch.games["end"] > 0).all()


def test_a_run_goes_on_where_it_stopped(trained: tuple[Path, Killer], session: None, tmp_path: Path) -> None:  # noqa: ARG001
    folder, _ = trained
    before = release.read_weights(folder / "last")
    config = small()
    training = train.RllibTraining(config, folder, train.Cluster(runners=1), quiet)
    training.restore_from(train.checkpoint_in(folder))
    try:
        assert training.model.num_timesteps >= 6 * UPDATE
        assert all(torch.equal(value, before[name]) for name, value in training.actor.state_dict().items())
        steps = training.model.num_timesteps
        training.update()
        assert training.model.num_timesteps == steps + UPDATE
        assert not all(torch.equal(value, before[name]) for name, value in training.actor.state_dict().items())
    finally:
        training.algorithm.stop()


def test_several_learners_share_the_work(session: None, tmp_path: Path) -> None:  # noqa: ARG001
    config = small(ppo={"steps": 2 * UPDATE})
    last = train.train(config, tmp_path / "run", train.Cluster(runners=1, learners=1))
    assert last["steps"] >= 2 * UPDATE


def test_an_agent_can_start_from_a_released_one(trained: tuple[Path, Killer], session: None, tmp_path: Path) -> None:  # noqa: ARG001
    folder, _ = trained
    config = small(start_from=str(folder / "best"))
    training = train.RllibTraining(config, tmp_path, train.Cluster(runners=0), quiet)
    training.begin()
    training.algorithm.stop()
    for name, weights in release.read_weights(folder / "best").items():
        assert torch.equal(training.actor.state_dict()[name], weights)


@pytest.mark.parametrize(
    ("config", "runners", "learners", "message"),
    [
        (small(), 3, 0, "--runners: 64 games"),
        (small(), 1, 7, "--learners: 1,024 steps"),
        (small(critic={"alone": 100}), 1, 0, "critic.alone: not with --engine rllib"),
    ],
)
def test_what_this_engine_cannot_do_is_one_line(
    config: configs.Config, runners: int, learners: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        train.train(config, tmp_path / "run", train.Cluster(runners, learners))
    assert not (tmp_path / "run").exists()


def test_a_damaged_checkpoint_is_refused(trained: tuple[Path, Killer], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="has no rllib"):
        train.checkpoint_in(tmp_path)
    folder, _ = trained
    assert train.checkpoint_in(folder).name == "rllib"
    (folder / "rllib").rename(folder / "rllib-before")
    assert train.checkpoint_in(folder).name == "rllib-before"
    (folder / "rllib-before").rename(folder / "rllib")


# --- the command ------------------------------------------------------------------------------------------------------


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from timeline_twist.cli import main; main()", *map(str, arguments)]


def test_the_command_trains_stops_at_ctrl_c_goes_on_and_evaluates(tmp_path: Path) -> None:
    path, folder = tmp_path / "a.yaml", tmp_path / "run"
    path.write_text(configs.dump(small(ppo={"steps": 2_000_000}, evaluation={"every": 2_000_000})))
    begin = command("train", path, "--engine", "rllib", "--runners", 2, "--out", folder)
    # In a group of its own, all of which gets the signal, as from a terminal.
    running = subprocess.Popen(begin, stderr=subprocess.PIPE, text=True, start_new_session=True)
    until = time.monotonic() + 900
    # The evaluation before the first update is written when runners play already.
    while not (folder / "metrics.json").exists() and running.poll() is None and time.monotonic() < until:
        time.sleep(1)
    time.sleep(5)
    os.killpg(running.pid, signal.SIGINT)
    told = running.communicate(timeout=900)[1]
    assert running.returncode == 130 and f"train --resume {folder}" in told, told[-2000:]
    # Nobody waits for two million steps: what is left is made less.
    text = (folder / "config.yaml").read_text()
    done = json.loads((folder / "rllib" / "timeline-twist.json").read_text())["steps"]
    (folder / "config.yaml").write_text(text.replace("steps: 2000000", f"steps: {done + UPDATE}"))
    resumed = subprocess.run(command("train", "--resume", folder), capture_output=True, text=True, check=False)
    assert resumed.returncode == 0 and "run/best" in resumed.stdout, resumed.stderr[-2000:]
    assert json.loads((folder / "metrics.json").read_text())["runners"] == 2
    evaluated = command("evaluate", folder / "best", "--suite", "coop-2p-expert", "--games", 20, "--no-hindsight")
    shown = subprocess.run(evaluated, capture_output=True, text=True, check=False)
    assert shown.returncode == 0 and "run/best" in shown.stdout


def test_a_sweep_runs_as_trials_of_tune(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(configs.dump(small(ppo={"steps": UPDATE})))
    sweep = tmp_path / "rates.yaml"
    sweep.write_text("config: a.yaml\nseeds: 1\nset: {ppo.learning_rate: [0.001, 0.003]}\n")
    out = tmp_path / "out"
    done = subprocess.run(command("sweep", sweep, "--out", out), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    summary = json.loads((out / "sweep.json").read_text())
    assert [sorted(row["scores"]) for row in summary["points"]] == [["seed-0"]] * 2
    assert (out / "tune").is_dir()


def test_nobody_at_an_address_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(configs.dump(small()))
    arguments = ("train", tmp_path / "a.yaml", "--engine", "rllib", "--ray-address", "127.0.0.1:1")
    done = subprocess.run(command(*arguments), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--ray-address" in done.stderr and "Traceback" not in done.stderr
