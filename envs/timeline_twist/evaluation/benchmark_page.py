"""BENCHMARK.md: everything on it follows from the cells (timeline_twist.evaluation.benchmark)."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import timeline_twist.evaluation.wording as wording
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.benchmark import SUITE, Cells, Places, Plan
from timeline_twist.evaluation.deals import check_same_deals
from timeline_twist.evaluation.output import details
from timeline_twist.evaluation.plots import draw_scores, plots_missing
from timeline_twist.evaluation.report import Report, difference
from timeline_twist.evaluation.statistics import mean, paired
from timeline_twist.evaluation.suites import Suite
from timeline_twist.evaluation.wording import NOTHING, markdown_table, with_interval
from timeline_twist.files import write_text
from timeline_twist.replay import catalogue_hash

LADDER = ("tiny", "small", "coop-2p-expert")
BEGIN, END = "<!-- benchmark table -->", "<!-- end of benchmark table -->"

TOP = """\
# Benchmark

Written by `{command}` from the files in [{cells}]({cells}){source}.
Run the command again: cells that are up to date are kept, all others are played anew. The deals are fixed, the same for
all agents, and never met in training; results do not depend on the number of threads.
"""
RESULTS = """\
Mean ± half of the 95 % interval, share of the score with hindsight; for competitive suites the share of wins against
the agent named there. A cell with fewer games than others of its row says so: means over different numbers of deals are
not comparable directly, the differences in the sections of the suites are.
"""


def write_page(plan: Plan, cells: Cells, places: Places) -> list[str]:
    """Write the page and its plots, refill the table in README; give what could not be done, in words."""
    if not cells:
        return ["no cell is finished: no page"]
    hint, shown = plots_missing(), plan.showing(cells)
    for report in merged_suites(shown, cells):
        path = places.plots / f"{report.suite.name}.png"
        if hint is None:
            draw_scores(report, path)
        else:
            # A plot of earlier numbers must not stay beside those of now.
            path.unlink(missing_ok=True)
    write_text(places.page, page(plan, cells, places))
    if places.readme is not None and places.readme.is_file():
        refill(places.readme, main_table(shown, cells))
    return [hint] if hint else []


def page(plan: Plan, cells: Cells, places: Places) -> str:
    """The text of the page."""
    plan = plan.showing(cells)
    source = "" if plan.source is None else f"; `{plan.source}` says what it runs"
    folder = Path(os.path.relpath(places.cells, places.page.parent)).as_posix()
    parts = [TOP.format(command=plan.command, cells=folder, source=source), environments(cells.values())]
    parts += ["## Agents\n", agent_list(plan, cells), "## Results\n", RESULTS]
    parts += [main_table(plan, cells), ladder(plan, cells), value_of_talk(plan, cells)]
    parts += [section(report, places) for report in merged_suites(plan, cells)]
    return "\n".join([*(part for part in parts if part), "## Definitions\n", wording.DEFINITIONS])


def main_table(plan: Plan, cells: Cells) -> str:
    """Suites x agents."""
    rows = []
    for suite in plan.suites:
        reports = [cells.get((suite, agent)) for agent in plan.agents]
        if found := [report for report in reports if report]:
            games = sorted({report.results[0].games for report in found})
            count = f"{games[0]:,}" if len(games) == 1 else f"{games[0]:,} to {games[-1]:,}"
            rows.append([row_name(found[0].suite), *(cell_text(report, games[-1]) for report in reports), count])
    return markdown_table(["suite", *plan.agents, "games"], rows)


def row_name(suite: Suite) -> str:
    """The suite, and what its numbers are where they are not scores."""
    return suite.name if suite.mode == "coop" else f"{suite.name} (win share against {suite.opponent})"


def cell_text(report: Report | None, most: int) -> str:
    """`31.20 ± 0.40 (78 %)`, with the number of games if others of the row have more."""
    if report is None:
        return NOTHING
    numbers = report.summary(report.agents[0])
    share = numbers.get("hindsight", {}).get("share")
    text = with_interval(numbers, wording.digits_of(report.suite)) + (
        "" if share is None else f" ({100 * share:.0f} %)"
    )
    return text if numbers["games"] == most else f"{text}, {numbers['games']:,} games"


def agent_list(plan: Plan, cells: Cells) -> str:
    """What each name stands for, with all settings."""
    lines = []
    for agent in plan.agents:
        reports = [report for (_, name), report in cells.items() if name == agent]
        meanings = sorted({wording.agent_words(agent, report.results[0].config) for report in reports})
        if SUITE in agent and reports:
            meanings = [wording.RELEASED]
        lines += [f"- `{agent}`: {' or '.join(meanings)}\n"] if meanings else []
    return "".join(lines)


def environments(reports: Iterable[Report]) -> str:
    """What the cells were made with."""
    lines = Counter(environment_line(report) for report in reports)
    return "".join(f"- {count} cells: {line}\n" for line, count in sorted(lines.items()))


def environment_line(report: Report) -> str:
    what = report.environment
    names = ("timeline_twist", "python", "numpy", "numba", "machine")
    commit = (what.get("git_commit") or NOTHING)[:12] + (" with changes" if what.get("git_dirty") else "")
    return ", ".join(f"{name} {what.get(name)}" for name in names) + f", commit {commit}"


# --- suites -----------------------------------------------------------------------------------------------------------


def merged_suites(plan: Plan, cells: Cells) -> list[Report]:
    """One report for each suite, with all its agents."""
    merged = []
    for suite in plan.suites:
        if reports := [cells[suite, agent] for agent in plan.agents if (suite, agent) in cells]:
            merged.append(merge(reports))
    return merged


def merge(reports: Sequence[Report]) -> Report:
    """Reports on the same deals as one; an error if the deals, or the bounds found for them, are not the same."""
    longest = max(reports, key=lambda report: len(report.deals))
    for report in reports:
        check_same_deals((report.agents[0], report.deals), (longest.agents[0], longest.deals))
        for kind in ("hindsight", "exact"):
            ours, theirs = getattr(report, kind), getattr(longest, kind)
            if (ours is None) != (theirs is None) or (ours is not None and ours != theirs[: len(ours)]):
                raise SettingsError(
                    f"{report.suite.source}: {kind}: other values than in {longest.suite.source}; run both cells anew"
                )
    results = [result for report in reports for result in report.results]
    whole = Report(longest.suite, longest.games, longest.seed, longest.deals, results)
    whole.hindsight, whole.exact, whole.bounds = longest.hindsight, longest.exact, longest.bounds
    return whole


def section(report: Report, places: Places) -> str:
    """All numbers of one suite."""
    suite = report.suite
    rows = [wording.main_row(report, agent) for agent in report.agents]
    parts = [f"## {suite.name}\n", f"{suite.description}.\n", markdown_table(wording.main_columns(report), rows)]
    parts += [wording.remark_list(report)]
    ordered = sorted(report.results, key=lambda result: mean(result.values), reverse=True)
    if len(ordered) > 1:
        steps = [difference(better, worse) for better, worse in pairwise(ordered)]
        rows = [wording.difference_row(step, wording.digits_of(suite)) for step in steps]
        parts += ["Each agent and the next weaker one, on the same deals:\n"]
        parts += [markdown_table(wording.DIFFERENCE_COLUMNS, rows)]
    parts += [details(report)]
    plot = places.plots / f"{suite.name}.png"
    if plot.is_file():
        parts += [f"![{suite.name}]({Path(os.path.relpath(plot, places.page.parent)).as_posix()})\n"]
    return "\n".join(parts)


# --- ladder and talk --------------------------------------------------------------------------------------------------


def ladder(plan: Plan, cells: Cells) -> str:
    """From the tiny game to the full one: how far agents are from the best that is known."""
    rows = []
    for suite in LADDER:
        if any((suite, agent) in cells for agent in plan.agents):
            rows.append([suite, *(distance(cells.get((suite, agent))) for agent in plan.agents)])
    note = "Mean gap to the exact optimum where it is known, otherwise mean regret against hindsight, in points.\n"
    return "\n".join(["## Ladder\n", note, markdown_table(["suite", *plan.agents], rows)]) if rows else ""


def distance(report: Report | None) -> str:
    """`gap 1.20 ± 0.30` or `regret 9.80 ± 0.30`"""
    if report is None:
        return NOTHING
    numbers = report.summary(report.agents[0])
    if "exact" in numbers:
        return f"gap {with_interval(numbers['exact']['gap'], 2)}"
    return f"regret {with_interval(numbers['hindsight']['regret'], 2)}" if "hindsight" in numbers else NOTHING


def value_of_talk(plan: Plan, cells: Cells) -> str:
    """What open talk is worth: the same agent on the same deals, with pooled estimates and with its own alone."""
    suites = {suite: report.suite for (suite, _), report in cells.items()}
    rows = []
    for name, suite in suites.items():
        for other_name, other in suites.items():
            if differ_by_talk(suite, other):
                texts = [talk_text(cells.get((name, agent)), cells.get((other_name, agent))) for agent in plan.agents]
                rows.append([f"{name} - {other_name}", *texts])
    return "\n".join(["## Value of talk\n", markdown_table(["suites", *plan.agents], rows)]) if rows else ""


def differ_by_talk(suite: Suite, other: Suite) -> bool:
    """Whether everybody talks at the first table, nobody at the second, and all else is the same."""
    rest, other_rest = dict(suite.settings), dict(other.settings)
    talk = (rest.pop("communication", "open"), other_rest.pop("communication", "open"))
    same_cards = catalogue_hash(suite.catalogue) == catalogue_hash(other.catalogue)
    return suite.mode == other.mode == "coop" and talk == ("open", "none") and rest == other_rest and same_cards


def talk_text(spoken: Report | None, silent: Report | None) -> str:
    if spoken is None or silent is None:
        return NOTHING
    first, second = spoken.results[0], silent.results[0]
    names = (f"{spoken.suite.name} {first.agent}", f"{silent.suite.name} {second.agent}")
    games = check_same_deals((names[0], first.deals), (names[1], second.deals))
    return with_interval(paired(first.values[:games], second.values[:games]), 2, sign=True)


# --- README -----------------------------------------------------------------------------------------------------------


def refill(readme: Path, table: str) -> bool:
    """Put the table between the two marks of a text, if they are there."""
    text = readme.read_text(encoding="utf-8")
    if BEGIN not in text:
        return False
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SettingsError(f"{readme}: {BEGIN} without {END} after it; add the second mark")
    write_text(readme, f"{before}{BEGIN}\n\n{table}\n{END}{after}")
    return True
