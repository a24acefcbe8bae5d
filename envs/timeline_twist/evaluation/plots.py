"""Plots of results, with matplotlib (the extra `plots`)."""

import importlib.util
import math
from pathlib import Path
from typing import Any

from timeline_twist.evaluation.report import Report, has_ranks
from timeline_twist.evaluation.wording import folded, with_interval
from timeline_twist.files import write_with
from timeline_twist.ranks import RANK_BOUNDS, RANK_NAMES

DPI = 150
INK, QUIET, BAND, BAR, BEST = "#222222", "#777777", "#eef1f5", "#3b6ea5", "#c2452d"
LABEL_WIDTH, PAIR_WIDTH = 24, 40
MINUS = "−"  # noqa: RUF001
MOST_BINS = 40


def plots_missing() -> str | None:
    """How to get plots, if they cannot be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        return "no plots: they need matplotlib: pip install 'timeline-twist[plots]'"
    return None


def new_figure(width: float, height: float, rows: int = 1) -> tuple[Any, list[Any]]:
    """A figure and its axes, one below the other; without pyplot, which would look for a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for axis in axes:
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
        axis.tick_params(labelsize=8, colors=INK)
    return figure, list(axes)


def store(figure: Any, path: Path) -> None:
    # Without the date and the version, the same result gives the same file.
    write_with(path, lambda partial: figure.savefig(partial, format="png", metadata={"Software": None}))


def draw_scores(report: Report, path: Path) -> None:
    if report.suite.mode == "coop":
        draw_histograms(report, path)
    else:
        draw_win_shares(report, path)


# --- co-op ------------------------------------------------------------------------------------------------------------


def draw_histograms(report: Report, path: Path) -> None:
    """One histogram per agent below the other, all with the same bins."""
    scores = [score for result in report.results for score in result.values]
    best = None if report.hindsight is None else sum(report.hindsight) / len(report.hindsight)
    seen = [*scores, best] if best is not None else scores
    edges = bins(min(seen), max(seen))
    figure, axes = new_figure(8, 1.0 + 1.35 * len(report.results), len(report.results))
    for axis, result in zip(axes, report.results, strict=True):
        weights = [100 / result.games] * result.games
        axis.hist(result.values, bins=edges, weights=weights, color=BAR, edgecolor="white", linewidth=0.4, zorder=2)
        numbers = report.summary(result.agent)
        axis.axvline(numbers["mean"], color=INK, linewidth=1.2, zorder=3)
        label = f"{folded(result.agent, LABEL_WIDTH)}\n{result.games:,} games\nmean {with_interval(numbers)}"
        axis.set_ylabel(label, fontsize=8, rotation=0, ha="right", va="center")
        axis.yaxis.set_major_formatter("{x:g} %")
        axis.set_xlim(edges[0], edges[-1])
        if has_ranks(report.suite):
            shade_ranks(axis, name_them=axis is axes[0])
        if best is not None:
            axis.axvline(best, color=BEST, linewidth=1.2, linestyle="--", zorder=3)
    note = "" if best is None else f"; dashed: mean score with hindsight (a lower bound), {best:.1f}"
    axes[-1].set_xlabel(f"score; line: mean{note}", fontsize=8)
    figure.suptitle(f"{report.suite.name}: share of games by score", fontsize=10, color=INK)
    store(figure, path)


def bins(low: float, high: float) -> list[float]:
    """Edges between whole scores, so that no bin holds more of them than another."""
    first, last = math.floor(low), math.ceil(high)
    width = max(1, math.ceil((last - first + 1) / MOST_BINS))
    count = math.ceil((last - first + 1) / width)
    return [first - 0.5 + width * i for i in range(count + 1)]


def shade_ranks(axis: Any, *, name_them: bool) -> None:
    """Every other rank on a grey band; above the uppermost plot the names of those in view."""
    low, high = axis.get_xlim()
    edges = [low, *(bound - 0.5 for bound in RANK_BOUNDS), high]
    for rank, name in enumerate(RANK_NAMES["en"]):
        left, right = max(edges[rank], low), min(edges[rank + 1], high)
        if left >= right:
            continue
        if rank % 2 == 0:
            axis.axvspan(left, right, color=BAND, zorder=0, linewidth=0)
        # A band too narrow for its name goes without.
        if name_them and right - left > 0.055 * (high - low):
            words = name.replace(" ", "\n")
            place = {"transform": axis.get_xaxis_transform(), "ha": "center", "va": "bottom"}
            axis.text((left + right) / 2, 1.02, words, fontsize=6.5, color=QUIET, **place)


# --- competitive, and differences -------------------------------------------------------------------------------------


def draw_win_shares(report: Report, path: Path) -> None:
    """The share of wins of each agent, with its interval."""
    rows = [(folded(agent, LABEL_WIDTH), report.summary(agent)) for agent in report.agents]
    par = 1 / report.suite.players
    title = f"{report.suite.name}: share of wins against {report.suite.opponent}"
    draw_intervals(path, rows, title, "share of wins, with 95 % interval; dashed: equal players", par, (0, 1))


def draw_differences(report: Report, path: Path) -> None:
    """The differences of every two agents, with their intervals."""
    rows = [(versus(one["first"], one["second"]), one) for one in report.differences()]
    unit = "points" if report.suite.mode == "coop" else "share of wins"
    label = f"mean difference on the same deals ({unit}), with 95 % interval"
    draw_intervals(path, rows, report.suite.name, label, 0, None)


def versus(first: str, second: str) -> str:
    """`a - b`, on lines of their own if they are long."""
    line = f"{first} {MINUS} {second}"
    return line if len(line) <= PAIR_WIDTH else f"{folded(first, PAIR_WIDTH)}\n{MINUS} {folded(second, PAIR_WIDTH)}"


def draw_intervals(
    path: Path,
    rows: list[tuple[str, dict[str, Any]]],
    title: str,
    label: str,
    line: float,
    limits: Any,
    *,
    digits: int = 2,
) -> None:
    """One row for each mean, the first on top."""
    lines = sum(1 + name.count("\n") for name, _ in rows)
    figure, (axis,) = new_figure(8, 1.1 + 0.27 * lines)
    for place, (_, numbers) in enumerate(rows):
        low, high = numbers["interval"] or (numbers["mean"], numbers["mean"])
        axis.plot([low, high], [place, place], color=BAR, linewidth=2.2, solid_capstyle="butt")
        axis.plot([numbers["mean"]], [place], "o", color=BAR, markersize=5)
        text = f"{numbers['mean']:{'+' if limits is None else ''}.{digits}f}"
        place_text = {"xytext": (6, 0), "textcoords": "offset points", "va": "center", "fontsize": 8}
        # The patch of white keeps the line at zero from running through the number.
        patch = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
        axis.annotate(text, (high, place), color=INK, bbox=patch, **place_text)
    axis.axvline(line, color=QUIET, linewidth=1, linestyle="-" if line == 0 else "--", zorder=0)
    axis.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.margins(x=0.12)
    if limits:
        axis.set_xlim(*limits)
    axis.set_xlabel(label, fontsize=8)
    figure.suptitle(title, fontsize=10, color=INK)
    store(figure, path)
