"""What `timeline-twist train` does: runs with a progress bar, several seeds, the comparison at the end."""

import json
import sys
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from timeline_twist.errors import SettingsError
from timeline_twist.evaluation import evaluate, output
from timeline_twist.evaluation.statistics import mean_with_interval
from timeline_twist.evaluation.suites import load_suite
from timeline_twist.files import make_folder, write_json, write_whole
from timeline_twist.tables import whole_number
from timeline_twist_training import config as configs
from timeline_twist_training import release, run, seeds
from timeline_twist_training.engines import Engine, rllib_package

GAMES = 1000  # of the comparison at the end
INTERRUPTED = 130  # as shells have it: 128 + SIGINT


class Bar:
    """Progress on stderr: steps, score, time left; on something that is no terminal a line for each evaluation."""

    def __init__(self, config: configs.Config, name: str) -> None:
        terminal = sys.stderr.isatty()
        self.bar = tqdm(total=config.ppo.steps, desc=name, unit=" steps", unit_scale=True, disable=not terminal)
        self.plain = not terminal
        self.name = name

    def __call__(self, line: dict[str, Any]) -> None:
        self.bar.update(line["steps"] - self.bar.n)
        if "evaluation" in line:
            measure, digits = ("score", 2) if "score" in line else ("win_share", 3)
            low, high = line["interval"] or (line[measure], line[measure])
            text = f"{measure.replace('_', ' ')} {line[measure]:.{digits}f} ± {(high - low) / 2:.{digits}f}"
            self.bar.set_postfix_str(text, refresh=False)
            if self.plain:
                what = f"{self.name}: {line['steps']:,} steps, {line['minutes']:.1f} minutes, {text}"
                print(what, file=sys.stderr, flush=True)


def run_command(
    path: Path | None,
    changes: list[str],
    out: Path | None,
    resume: Path | None,
    count: int,
    engine: Engine | None = None,
) -> None:
    """Train, or go on, and say what came out and what to do next."""
    engine = engine or Engine()
    whole_number("--seeds", count, 1, 100)
    if resume is not None:
        if path is not None or changes or out is not None or count != 1:
            raise SettingsError("--resume: goes on with the run as it was begun; give nothing beside it")
        go_on(resume, engine)
        return
    if path is None:
        raise SettingsError("CONFIG.yaml: missing; name one, such as configs/quick.yaml, or --resume a run")
    folder = out or Path("runs") / path.stem
    if count > 1:
        train_seeds(path, changes, folder, count, engine)
        return
    config = configs.load(path, changes)
    watched(folder, lambda: engine.train(config, folder, Bar(config, folder.name)))
    finish(folder, config)


def go_on(folder: Path, engine: Engine) -> None:
    config = release.read_config(folder)
    watched(folder, lambda: engine.resume(folder, Bar(config, folder.name)))
    finish(folder, config)


def watched(folder: Path, work: Any, again: str = "") -> None:
    """Run training; Ctrl-C ends it with a line that says how to go on."""
    again = again or f"timeline-twist train --resume {folder}"
    try:
        work()
    except KeyboardInterrupt:
        print(f"timeline-twist: interrupted; go on with: {again}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def train_seeds(path: Path, changes: list[str], folder: Path, count: int, engine: Engine) -> None:
    """Runs that differ in their seed alone; runs that are there already are finished, not begun anew."""
    first = configs.load(path, changes)
    for seed in range(first.seed, first.seed + count):
        place = folder / f"seed-{seed}"
        config = configs.load(path, [*changes, f"seed={seed}"])
        if (place / "config.yaml").is_file():
            watched(place, lambda place=place, config=config: engine.resume(place, Bar(config, place.name)))
        else:
            watched(place, lambda place=place, config=config: engine.train(config, place, Bar(config, place.name)))
    seeds.report([folder / f"seed-{seed}" for seed in range(first.seed, first.seed + count)], folder)


def finish(folder: Path, config: configs.Config) -> None:
    """The new agent beside the built-in ones, on the same deals, and what to do with it."""
    best = folder / "best"
    report = evaluate(["random", "greedy", "bayes", str(best)], config.suite, GAMES, hindsight=False)
    output.show(report, Console(width=output.WIDTH))
    print(f"learning curves: tensorboard --logdir {folder / 'tb'}")
    table = f" --mode competitive --players {load_suite(config.suite).players}" if config.competitive else ""
    print(f"watch a game:    timeline-twist watch {best}{table}")


def run_speed(path: Path | None, changes: list[str], seconds: float) -> None:
    """Measure and print the speed of training."""
    from timeline_twist_training import speed

    if not 0 < seconds <= 3600:
        raise SettingsError(f"--seconds: {seconds} is not between 0 and 3600")
    config = configs.load(path, changes) if path else configs.check({"suite": "coop-2p-expert"}, "defaults")
    show_speeds(speed.measure(config, seconds), f"training at {config.suite}: medians of {speed.ROUNDS} rounds")


def show_speeds(lines: list[Any], title: str) -> None:
    """Steps per second, and how the first line compares with each of the others."""
    table = Table("what", title=title)
    for heading in ("weights", "steps/s", "the first is"):
        table.add_column(heading, justify="right")
    for line in lines:
        ratio = lines[0].rate / line.rate
        share = "-" if line is lines[0] else (f"{ratio:.0%} of it" if ratio < 1 else f"{ratio:.1f} times as fast")
        table.add_row(line.what, f"{line.weights:,}" if line.weights else "-", f"{line.rate:,.0f}", share)
    Console().print(table)


def run_rllib_speed(path: Path | None, changes: list[str], seconds: float, runners: str) -> None:
    """Measure and print the speed of RLlib's ways to play, and to train with several runners."""
    rllib_package()
    from timeline_twist_training.rllib import speed

    if not 0 < seconds <= 3600:
        raise SettingsError(f"--seconds: {seconds} is not between 0 and 3600")
    counts = [
        whole_number("--runners", int(part) if part.strip().isdecimal() else part, 0, 1000)
        for part in runners.split(",")
        if part
    ]
    config = configs.load(path, changes) if path else configs.check({"suite": "coop-2p-expert"}, "defaults")
    medians = f"medians of {speed.ROUNDS} rounds"
    show_speeds(speed.playing(config, seconds), f"playing at {config.suite}, one runner: {medians}")
    if counts:
        show_speeds(speed.training(config, seconds, counts), f"training at {config.suite}: {medians}")


def run_release(run_folder: Path, folder: Path, games: int, force: bool) -> None:
    """Copy the best agent of a run, measured on held-out deals beside greedy and bayes."""
    best = run_folder / "best"
    config, about = release.read_config(best), read_about(run_folder)
    names = (release.CONFIG, release.MODEL, release.METRICS)
    foreign = [path.name for path in folder.iterdir() if path.name not in names] if folder.is_dir() else []
    if foreign or (folder.exists() and not force):
        hint = f"holds {foreign[0]!r}" if foreign else "is there already"
        raise SettingsError(f"{folder}: {hint}; give a new folder" + ("" if foreign else ", or --force to replace it"))
    report = evaluate(["greedy", "bayes", str(best)], config.suite, games, hindsight=False)
    output.show(report, Console(width=output.WIDTH))
    training = json.loads((run_folder / release.METRICS).read_text(encoding="utf-8"))
    held_out = mean_with_interval(report.results[-1].values)
    pairs = [pair for pair in report.differences() if pair["second"] == report.results[-1].agent]
    make_folder("FOLDER", folder)
    for name in (release.MODEL, release.CONFIG):
        write_whole(folder / name, (best / name).read_bytes())
    measure = {"win_share": held_out, "against": report.suite.opponent} if config.competitive else {"score": held_out}
    measured = {"games": games, "seed": 0} | measure | {"differences": pairs}
    write_json(folder / release.METRICS, {"held_out": measured, "training": training} | about)


def read_about(run_folder: Path) -> dict[str, Any]:
    try:
        about: dict[str, Any] = json.loads((run_folder / run.ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{run_folder}: no {run.ABOUT} that can be read; give the folder of a run") from error
    return about
