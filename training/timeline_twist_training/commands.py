"""What `timeline-twist train` does: runs with a progress bar, several seeds, the comparison at the end."""

import sys
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from tqdm import tqdm

from timeline_twist.errors import SettingsError
from timeline_twist.tables import whole_number
from timeline_twist_training import release, seeds, train
from timeline_twist_training import config as configs

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
            low, high = line["interval"] or (line["score"], line["score"])
            text = f"{line['score']:.2f} ± {(high - low) / 2:.2f}"
            self.bar.set_postfix_str(f"score {text}", refresh=False)
            if self.plain:
                what = f"{self.name}: {line['steps']:,} steps, {line['minutes']:.1f} minutes, score {text}"
                print(what, file=sys.stderr, flush=True)


def run_command(path: Path | None, changes: list[str], out: Path | None, resume: Path | None, count: int) -> None:
    """Train, or go on, and say what came out and what to do next."""
    whole_number("--seeds", count, 1, 100)
    if resume is not None:
        if path is not None or changes or out is not None or count != 1:
            raise SettingsError("--resume: goes on with the run as it was begun; give nothing beside it")
        go_on(resume)
        return
    if path is None:
        raise SettingsError("CONFIG.yaml: missing; name one, such as configs/quick.yaml, or --resume a run")
    folder = out or Path("runs") / path.stem
    if count > 1:
        train_seeds(path, changes, folder, count)
        return
    config = configs.load(path, changes)
    watched(folder, lambda: train.train(config, folder, say=Bar(config, folder.name)))
    finish(folder, config)


def go_on(folder: Path) -> None:
    config = release.read_config(folder)
    watched(folder, lambda: train.resume(folder, say=Bar(config, folder.name)))
    finish(folder, config)


def watched(folder: Path, work: Any) -> None:
    """Run training; Ctrl-C ends it with a line that says how to go on."""
    try:
        work()
    except KeyboardInterrupt:
        print(f"timeline-twist: interrupted; go on with: timeline-twist train --resume {folder}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def train_seeds(path: Path, changes: list[str], folder: Path, count: int) -> None:
    """Runs that differ in their seed alone; runs that are there already are finished, not begun anew."""
    first = configs.load(path, changes)
    for seed in range(first.seed, first.seed + count):
        place = folder / f"seed-{seed}"
        config = configs.load(path, [*changes, f"seed={seed}"])
        if (place / "config.yaml").is_file():
            watched(place, lambda place=place, config=config: train.resume(place, say=Bar(config, place.name)))
        else:
            watched(place, lambda place=place, config=config: train.train(config, place, say=Bar(config, place.name)))
    seeds.report([folder / f"seed-{seed}" for seed in range(first.seed, first.seed + count)], folder)


def finish(folder: Path, config: configs.Config) -> None:
    """The new agent beside the built-in ones, on the same deals, and what to do with it."""
    from timeline_twist.evaluation import evaluate

    best = folder / "best"
    report = evaluate(["random", "greedy", "bayes", str(best)], config.suite, 1000, hindsight=False)
    table = Table("agent", title=f"{config.suite}: mean score on the same {report.games:,} held-out deals")
    table.add_column("score", justify="right")
    for result in report.results:
        score = result.columns["score"]
        mean = sum(score) / len(score)
        table.add_row(str(best) if result.name == "best" else result.name, f"{mean:.2f}")
    Console().print(table)
    print(f"learning curves: tensorboard --logdir {folder / 'tb'}")
    print(f"watch a game:    timeline-twist watch {best}")


def run_speed(path: Path | None, changes: list[str], seconds: float) -> None:
    """Measure and print the speed of training."""
    from timeline_twist_training import speed

    if not 0 < seconds <= 3600:
        raise SettingsError(f"--seconds: {seconds} is not between 0 and 3600")
    config = configs.load(path, changes) if path else configs.check({"suite": "coop-2p-expert"}, "defaults")
    lines = speed.measure(config, seconds)
    table = Table("what", title=f"training at {config.suite}: medians of {speed.ROUNDS} rounds")
    for heading in ("steps/s", "training is"):
        table.add_column(heading, justify="right")
    for line in lines:
        ratio = lines[0].rate / line.rate
        share = "-" if line is lines[0] else (f"{ratio:.0%} of it" if ratio < 1 else f"{ratio:.1f} times as fast")
        table.add_row(line.what, f"{line.rate:,.0f}", share)
    Console().print(table)
