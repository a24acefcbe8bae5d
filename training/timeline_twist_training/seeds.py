"""Several seeds of one experiment in one table: the interquartile mean of their scores, and an interval over seeds.

The interquartile mean leaves out the best and the worst quarter of the seeds (a part of a seed counts as a part), and
the interval is that of a bootstrap over seeds, 95 %. The field's library for this, rliable, brings scipy, pandas,
seaborn and arch along for what are a weighted mean and a resampling here.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from timeline_twist.evaluation import evaluate
from timeline_twist.evaluation.suites import load_suite
from timeline_twist.evaluation.wording import value_name
from timeline_twist.files import write_json
from timeline_twist_training import release

GAMES = 1000
RESAMPLES = 10_000

Numbers = npt.NDArray[np.float64]


def interquartile_mean(values: Any) -> Any:
    """The mean of the middle half along the last axis; values at its borders count in part."""
    ordered = np.sort(np.asarray(values, np.float64), axis=-1)
    count = ordered.shape[-1]
    left_out = count / 4
    places = np.arange(count)
    weights = np.clip(np.minimum(places + 1 - left_out, count - left_out - places), 0, 1)
    return ordered @ weights / weights.sum()


def interval_over_seeds(values: Any, seed: int = 0) -> tuple[float, float] | None:
    """The 95 % interval of the interquartile mean; None for one seed, which tells nothing of others."""
    given = np.asarray(values, np.float64)
    if len(given) < 2:
        return None
    drawn = np.random.default_rng(seed).choice(given, (RESAMPLES, len(given)))
    low, high = np.quantile(interquartile_mean(drawn), [0.025, 0.975])
    return float(low), float(high)


def report(folders: list[Path], out: Path) -> dict[str, Any]:
    """Evaluate the best agent of each run on the same held-out deals; print the table and write `seeds.json`."""
    config = release.read_config(folders[0])
    found = evaluate([str(folder / "best") for folder in folders], config.suite, GAMES, hindsight=False)
    scores = [float(np.mean(result.values)) for result in found.results]
    summary: dict[str, Any] = {
        "suite": config.suite,
        "games": GAMES,
        "scores": dict(zip([folder.name for folder in folders], scores, strict=True)),
        "interquartile_mean": float(interquartile_mean(scores)),
        "interval": interval_over_seeds(scores),
    }
    write_json(out / "seeds.json", summary)
    show(summary, folders)
    return summary


def show(summary: dict[str, Any], folders: list[Path]) -> None:
    measure = value_name(load_suite(summary["suite"]))
    digits = 2 if measure == "score" else 3
    table = Table("run", title=f"{summary['suite']}: mean {measure} on {summary['games']:,} held-out deals")
    for heading in ("minutes", measure):
        table.add_column(heading, justify="right")
    for folder in folders:
        minutes = json.loads((folder / release.METRICS).read_text(encoding="utf-8"))["minutes"]
        table.add_row(folder.name, f"{minutes:.1f}", f"{summary['scores'][folder.name]:.{digits}f}")
    interval = summary["interval"]
    between = f" ({interval[0]:.{digits}f} to {interval[1]:.{digits}f})" if interval else ""
    table.add_row("interquartile mean", "", f"{summary['interquartile_mean']:.{digits}f}{between}", style="bold")
    Console().print(table)
