"""Several settings and seeds of one experiment: one YAML file, one folder of runs, one table.

    config: configs/quick.yaml              # as seen from the sweep's own folder
    seeds: 3                                # runs of every point, with seeds from the config's own on
    set:
      ppo.learning_rate: [3.0e-4, 1.0e-3]   # a list: each of these values
      ppo.entropy: {low: 0.001, high: 0.03, log: true}    # a range, for `samples`
    samples: 20                             # so many points drawn at random; without it every combination of the lists
    engine: sb3                             # or rllib
    runners: 0                              # of each run, with rllib

With Ray installed the runs are trials of Ray Tune, as many at a time as there are cores, on this machine or on a
cluster (whose machines must share the folder of the runs); without it they follow one another. Either way a run is a
run folder like any other, `OUT/POINT/seed-K`, and a sweep begun again finishes what is there and adds what is
missing.

Points are compared by the interquartile mean over seeds (timeline_twist_training.seeds) on deals of their own:
neither those of the evaluation while training, which chose each run's best agent, nor the held-out ones that results
are published for.
"""

import itertools
import json
import math
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml
from pydantic import Field, ValidationError
from rich.console import Console
from rich.table import Table

from timeline_twist.errors import SettingsError
from timeline_twist.evaluation import evaluate
from timeline_twist.evaluation.suites import read_yaml
from timeline_twist.files import check_can_hold_files, make_folder, write_json, write_text
from timeline_twist.tables import nearest
from timeline_twist_training import config as configs
from timeline_twist_training import release
from timeline_twist_training.engines import Engine, has_checkpoint
from timeline_twist_training.seeds import interquartile_mean, interval_over_seeds

SWEEP, SUMMARY = "sweep.yaml", "sweep.json"
GAMES = 1000
DEALS = 2  # the seed of the deals that points are compared on; 0 is for published results, 1 for training
MOST = 10_000  # points
INTERRUPTED = 130  # as shells have it: 128 + SIGINT


class Range(configs.Strict):
    """Numbers between two others, drawn evenly, or evenly in their logarithm."""

    low: float
    high: float
    log: bool = False


class Sweep(configs.Strict):
    """The content of the file."""

    config: str
    set: dict[str, list[Any] | Range] = Field(min_length=1)
    seeds: int = Field(default=1, ge=1, le=100)
    samples: int | None = Field(default=None, ge=1, le=MOST)
    draw: int = Field(default=0, ge=0, le=2**31)  # the seed that points are drawn with
    engine: Literal["sb3", "rllib"] = "sb3"
    runners: int = Field(default=0, ge=0, le=1000)


@dataclass(frozen=True)
class Run:
    """One run: where, and with which changes of the config."""

    place: Path
    config: configs.Config
    engine: Engine


def load(path: Path) -> Sweep:
    """The sweep of a file; the first mistake is an error of one line."""
    content = read_yaml(path)
    try:
        sweep = Sweep.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][:2]) or "content"
        if first["type"] == "extra_forbidden":
            hint = nearest(where, list(Sweep.model_fields), "there are")
            raise SettingsError(f"{path}: {where}: unknown setting; {hint}") from None
        raise SettingsError(f"{path}: {where}: {first['msg'][0].lower()}{first['msg'][1:]}") from None
    for name, values in sweep.set.items():
        if isinstance(values, Range):
            check_range(path, name, values, sweep.samples)
        elif not values:
            raise SettingsError(f"{path}: set.{name}: an empty list; give the values to try")
    return sweep


def check_range(path: Path, name: str, values: Range, samples: int | None) -> None:
    if samples is None:
        raise SettingsError(f"{path}: set.{name}: a range has no end of values; say with `samples` how many points")
    if values.low >= values.high or (values.log and values.low <= 0):
        raise SettingsError(f"{path}: set.{name}: low must be less than high, and above 0 with log")


def points(sweep: Sweep) -> list[dict[str, Any]]:
    """The settings of every point."""
    if sweep.samples is None:
        lists = [values for values in sweep.set.values() if isinstance(values, list)]
        if (count := math.prod(len(values) for values in lists)) > MOST:
            raise SettingsError(f"set: {count:,} combinations; draw some of them with `samples`")
        return [dict(zip(sweep.set, chosen, strict=True)) for chosen in itertools.product(*lists)]
    random = np.random.default_rng(sweep.draw)
    return [{name: drawn(values, random) for name, values in sweep.set.items()} for _ in range(sweep.samples)]


def drawn(values: list[Any] | Range, random: np.random.Generator) -> Any:
    if isinstance(values, list):
        return values[int(random.integers(len(values)))]
    share = random.random()
    if values.log:
        return round(values.low * (values.high / values.low) ** share, 10)
    return round(values.low + (values.high - values.low) * share, 10)


def runs(path: Path, sweep: Sweep, out: Path) -> list[list[Run]]:
    """The runs of every point; all configs are checked before the first of them begins."""
    source = (path.parent / sweep.config).resolve()
    engine = Engine(sweep.engine, sweep.runners if sweep.engine == "rllib" else None)
    found = []
    for number, point in enumerate(points(sweep)):
        changes = [
            f"{name}={yaml.safe_dump(value, default_flow_style=True).split(chr(10))[0]}"
            for name, value in point.items()
        ]
        first = configs.load(source, changes)
        row = []
        for seed in range(first.seed, first.seed + sweep.seeds):
            config = configs.load(source, [*changes, f"seed={seed}"])
            row.append(Run(out.absolute() / f"point-{number}" / f"seed-{seed}", config, engine))
        found.append(row)
    return found


def carry_out(run: Run, say: Callable[[dict[str, Any]], None]) -> None:
    """Train, go on, or do nothing if all is done."""
    place = run.place
    if (place / release.CONFIG).is_file() and release.read_config(place) != run.config:
        raise SettingsError(f"{place}: was begun with other settings; give another folder with --out")
    if is_done(run):
        return
    if has_checkpoint(place):
        Engine(None, run.engine.runners).resume(place, say)
        return
    # Begun, but ended before its first checkpoint: nothing in it is worth keeping.
    shutil.rmtree(place, ignore_errors=True)
    run.engine.train(run.config, place, say)


def is_done(run: Run) -> bool:
    try:
        metrics = json.loads((run.place / release.METRICS).read_text(encoding="utf-8"))
        return bool(metrics["evaluations"][-1]["steps"] >= run.config.ppo.steps)
    except (OSError, ValueError, LookupError, TypeError):
        return False


def run_sweep(path: Path, out: Path | None, parallel: int | None, address: str | None, local: bool) -> None:
    """What `timeline-twist sweep` does."""
    if parallel is not None and parallel < 1:
        raise SettingsError(f"--parallel: {parallel} is not a number of runs; give 1 or more")
    sweep = load(path)
    folder = out or Path("runs") / path.stem
    table = runs(path, sweep, folder)
    make_folder("--out", folder)
    check_can_hold_files("--out", folder)
    write_text(folder / SWEEP, path.read_text(encoding="utf-8"))
    every = [run for row in table for run in row]
    with_tune = tune_if_there(required=address is not None or parallel is not None)
    if local or with_tune is None:
        one_after_the_other(every, folder)
    else:
        with_tune.carry_out_all(every, folder, parallel, address)
    report(table, points(sweep), folder)


def tune_if_there(required: bool) -> Any:
    """The module that works with Ray Tune, None where Ray is not installed."""
    try:
        from timeline_twist_training.rllib import tune
    except ImportError as error:
        if required:
            raise SettingsError(
                f"--parallel and --ray-address need Ray, and {error.name} is not installed; "
                "pip install 'timeline-twist[ray]', or leave them out"
            ) from error
        return None
    return tune


def one_after_the_other(every: list[Run], folder: Path) -> None:
    from timeline_twist_training.commands import Bar, watched

    for run in every:
        name = str(run.place.relative_to(folder.absolute()))
        again = f"timeline-twist sweep, as before: it goes on with {folder}"
        watched(run.place, lambda run=run, name=name: carry_out(run, Bar(run.config, name)), again)


def report(table: list[list[Run]], settings: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Evaluate the best agent of every run on the same deals; print the table, best first, and write `sweep.json`."""
    rows: list[dict[str, Any]] = []
    for row, point in zip(table, settings, strict=True):
        done = [run for run in row if (run.place / "best" / release.MODEL).is_file()]
        scores = {run.place.name: score(run) for run in done}
        values = list(scores.values())
        rows.append(
            {
                "point": row[0].place.parent.name,
                "settings": point,
                "scores": scores,
                "failed": len(row) - len(done),
                "interquartile_mean": float(interquartile_mean(values)) if values else None,
                "interval": interval_over_seeds(values),
            }
        )
    rows.sort(
        key=lambda row: -math.inf if row["interquartile_mean"] is None else row["interquartile_mean"], reverse=True
    )
    summary = {"suite": table[0][0].config.suite, "games": GAMES, "seed_of_deals": DEALS, "points": rows}
    write_json(folder / SUMMARY, summary)
    show(summary)
    print(f"all figures: {folder / SUMMARY}")
    return summary


def score(run: Run) -> float:
    """The mean score of a run's best agent."""
    found = evaluate([str(run.place / "best")], run.config.suite, GAMES, seed=DEALS, hindsight=False)
    return float(np.mean(found.results[0].columns["score"]))


def show(summary: dict[str, Any]) -> None:
    names = list(summary["points"][0]["settings"])
    table = Table("point", *names, title=f"{summary['suite']}: mean score on {summary['games']:,} deals of their own")
    table.add_column("seeds", justify="right")
    table.add_column("interquartile mean", justify="right")
    for row in summary["points"]:
        mean, interval = row["interquartile_mean"], row["interval"]
        between = f" ({interval[0]:.2f} to {interval[1]:.2f})" if interval else ""
        result = "-" if mean is None else f"{mean:.2f}{between}"
        seeds = str(len(row["scores"])) + (f", {row['failed']} failed" if row["failed"] else "")
        table.add_row(row["point"], *(str(row["settings"][name]) for name in names), seeds, result)
    Console(width=None if sys.stdout.isatty() else max(100, 30 * (len(names) + 2))).print(table)
