"""Sweeps without Ray, and what the command line says of engines."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import run as run_command
from timeline_twist.errors import SettingsError
from timeline_twist_training import config as configs
from timeline_twist_training import engines, sweeps, train

TINY: dict[str, Any] = {
    "suite": "tiny",
    "network": {"widths": [16]},
    "critic": {"widths": [16]},
    "ppo": {"games": 16, "horizon": 8, "minibatch": 64, "steps": 128},
    "evaluation": {"every": 128, "games": 10},
}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.yaml"
    path.write_text(configs.dump(configs.check(TINY, "test")))
    return path


def write(folder: Path, text: str) -> Path:
    path = folder / "sweep.yaml"
    path.write_text(f"config: base.yaml\n{text}\n")
    return path


def test_without_samples_every_combination_is_a_point(base: Path) -> None:
    path = write(base.parent, "set: {ppo.epochs: [1, 2], network.widths: [[8], [8, 8]]}")
    found = sweeps.points(sweeps.load(path))
    assert len(found) == 4 and {"ppo.epochs": 2, "network.widths": [8, 8]} in found
    table = sweeps.runs(path, sweeps.load(path), base.parent / "out")
    assert table[3][0].config.network.widths == [8, 8] and table[3][0].config.ppo.epochs == 2


def test_ranges_are_drawn_between_their_ends_and_always_the_same(base: Path) -> None:
    path = write(base.parent, "samples: 50\nset: {ppo.learning_rate: {low: 0.0001, high: 0.01, log: true}}")
    sweep = sweeps.load(path)
    rates = [point["ppo.learning_rate"] for point in sweeps.points(sweep)]
    assert min(rates) >= 0.0001 and max(rates) <= 0.01 and len(set(rates)) == 50
    # Evenly in the logarithm: about half of them below the geometric mean.
    assert 10 < sum(rate < 0.001 for rate in rates) < 40
    assert sweeps.points(sweep) == sweeps.points(sweeps.load(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("set: {ppo.learning_rate: [0.001]}\nseed: 3", r"seed: unknown setting; did you mean 'seeds'"),
        ("set: {ppo.learning_rate: []}", r"set\.ppo\.learning_rate: an empty list"),
        ("set: {ppo.learning_rate: {low: 0.1, high: 0.2}}", "has no end of values"),
        ("samples: 3\nset: {ppo.learning_rate: {low: 0, high: 0.2, log: true}}", "low must be less than high"),
        ("seeds: 2", "set: field required"),
    ],
)
def test_mistakes_in_the_file_are_one_line(base: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        sweeps.load(write(base.parent, text))


def test_a_setting_that_nobody_knows_is_found_before_anything_runs(base: Path) -> None:
    path = write(base.parent, "set: {ppo.learning_rte: [0.1]}")
    with pytest.raises(SettingsError, match="did you mean 'learning_rate'"):
        sweeps.runs(path, sweeps.load(path), base.parent / "out")
    assert not (base.parent / "out").exists()


def test_a_sweep_without_ray_gives_one_table_and_goes_on_with_what_is_there(
    base: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "GAMES", 20)
    path = write(base.parent, "seeds: 2\nset: {ppo.epochs: [1, 2]}")
    out = base.parent / "out"
    done = run_command(capsys, monkeypatch, "sweep", path, "--out", out, "--local")
    assert done.code == 0 and "interquartile mean" in done.out, done.err
    points = json.loads((out / "sweep.json").read_text())["points"]
    assert [sorted(point["scores"]) for point in points] == [["seed-0", "seed-1"]] * 2
    assert points[0]["interquartile_mean"] >= points[1]["interquartile_mean"]
    monkeypatch.setattr(train, "train", None)  # nothing is trained twice
    assert run_command(capsys, monkeypatch, "sweep", path, "--out", out, "--local").code == 0
    monkeypatch.undo()
    monkeypatch.setattr(sweeps, "GAMES", 20)
    # One that ended before its first checkpoint begins anew.
    lost = out / "point-1" / "seed-1"
    for name in ("resume.pt", "metrics.json"):
        (lost / name).unlink()
    assert run_command(capsys, monkeypatch, "sweep", path, "--out", out, "--local").code == 0
    assert (lost / "resume.pt").exists()
    other = write(base.parent, "seeds: 2\nset: {ppo.epochs: [2, 1]}")
    again = run_command(capsys, monkeypatch, "sweep", other, "--out", out, "--local")
    assert again.code == 2 and "was begun with other settings" in again.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--engine", "tf"), "--engine: 'tf' is not known; choose one of sb3, rllib"),
        (("--runners", "2"), "--runners: only with --engine rllib"),
        (("--engine", "rllib", "--runners", "-1"), "--runners"),
        (("--engine", "rllib"), "pip install 'timeline-twist[ray]'"),
    ],
)
def test_mistakes_about_engines_are_one_line(
    base: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    # As it is where Ray is not installed.
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in [name for name in sys.modules if name.startswith("timeline_twist_training.rllib")]:
        monkeypatch.delitem(sys.modules, name)
    out = base.parent / "run"
    done = run_command(capsys, monkeypatch, "train", base, *arguments, "--out", out)
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1
    assert not out.exists()


def test_a_run_goes_on_with_the_engine_that_it_was_begun_with(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"engine": "rllib", "runners": 3, "learners": 0}')
    assert engines.engine_of(tmp_path) == "rllib" and engines.engine_of(tmp_path / "none") == "sb3"
    with pytest.raises(SettingsError, match="was begun with rllib"):
        engines.Engine("sb3").resume(tmp_path, train.quiet)
