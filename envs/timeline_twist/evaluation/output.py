"""A report for people: tables on the terminal, report.md, and the folder with everything."""

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

import timeline_twist.evaluation.wording as wording
from timeline_twist.evaluation.contest import Contest
from timeline_twist.evaluation.deals import deal_hash
from timeline_twist.evaluation.files import METRICS, prepare_folder
from timeline_twist.evaluation.plots import draw_differences, draw_scores, plots_missing
from timeline_twist.evaluation.report import Report
from timeline_twist.evaluation.wording import NOTHING, markdown_table, number, percent
from timeline_twist.files import write_json, write_text

WIDTH = 100
NAME_WIDTH = 30  # so much room a name always gets
WIDEST = 1000  # no table comes near it


def save(report: Report, folder: Path | str, *, force: bool = False) -> list[str]:
    """Write metrics.json, report.md and plots; give what could not be written, in words."""
    folder = Path(folder)
    prepare_folder(folder, force=force)
    write_json(folder / METRICS, report.content())
    write_text(folder / "report.md", markdown(report))
    # An earlier result's plots must not stay beside the numbers of this one.
    for name in ("scores.png", "differences.png"):
        (folder / name).unlink(missing_ok=True)
    if hint := plots_missing():
        return [hint]
    draw_scores(report, folder / "scores.png")
    if len(report.results) > 1:
        draw_differences(report, folder / "differences.png")
    return []


def show(report: Report, console: Console) -> None:
    """The tables on the terminal."""
    suite, digits = report.suite, wording.digits_of(report.suite)
    console.print(f"{suite.name}: {suite.description}", markup=False, highlight=False)
    rows = [wording.main_row(report, agent) for agent in report.agents]
    print_table(console, terminal_table(wording.main_columns(report), rows, 1))
    if differences := report.differences():
        rows = [wording.difference_row(numbers, digits) for numbers in differences]
        print_table(console, terminal_table(wording.DIFFERENCE_COLUMNS, rows, 2, title="on the same deals"))
    for line in wording.remarks(report):
        console.print(line, markup=False, highlight=False)


def terminal_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], names: int, title: str | None = None
) -> Table:
    """A table of 100 columns if names of agents allow it; long ones are broken at punctuation, numbers never."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, collapse_padding=True)
    room = max(NAME_WIDTH, (WIDTH - sum(widths(columns, rows)[names:]) - 2 * len(columns)) // names)
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < names else "right", no_wrap=True)
    for row in rows:
        cells = [wording.folded(cell, room) if place < names else cell for place, cell in enumerate(row)]
        table.add_row(*(Text(cell) for cell in cells))
    return table


def print_table(console: Console, table: Table) -> None:
    """Print a table whole: on a narrower terminal its lines are broken by the terminal, not its words by us."""
    own = console.width
    console.width = max(own, WIDEST)
    console.print(table)
    console.width = own


def widths(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(line[place]) for line in [columns, *rows]) for place in range(len(columns))]


def markdown(report: Report) -> str:
    """The content of report.md; nothing in it but speeds differs between two runs."""
    suite, digits = report.suite, wording.digits_of(report.suite)
    rows = [wording.main_row(report, agent) for agent in report.agents]
    parts = [f"# {suite.name}\n", f"{suite.description}.\n", markdown_table(wording.main_columns(report), rows)]
    parts += [wording.remark_list(report)]
    if differences := report.differences():
        rows = [wording.difference_row(numbers, digits) for numbers in differences]
        parts += ["## Differences on the same deals\n", markdown_table(wording.DIFFERENCE_COLUMNS, rows)]
    parts += ["## Details\n", details(report), "## Made by\n", made_by(report), "## Definitions\n", wording.DEFINITIONS]
    return "\n".join(parts)


def details(report: Report) -> str:
    """What the main table has no room for, one column per agent."""
    summaries = [report.summary(agent) for agent in report.agents]
    rows = [["standard deviation", *(number(one["standard_deviation"], 2) for one in summaries)]]
    rows += [["mean length (decisions)", *(number(one["mean_length"]) for one in summaries)]]
    for end in sorted({end for one in summaries for end in one["end_reasons"]}):
        rows.append([f"ended by {end}", *(percent(one["end_reasons"].get(end, 0) / one["games"]) for one in summaries)])
    for rank in summaries[0].get("ranks") or ():
        rows.append([f"rank {rank}", *(percent(one["ranks"][rank]) for one in summaries)])
    for seat in summaries[0].get("win_share_by_seat", ()):
        shares = (number(one["win_share_by_seat"].get(seat), 3) for one in summaries)
        rows.append([f"win share on seat {seat}", *shares])
    return markdown_table(["", *report.agents], rows)


def made_by(report: Report | Contest) -> str:
    what = report.environment
    versions = ", ".join(f"{name} {what.get(name)}" for name in ("timeline_twist", "python", "numpy", "numba"))
    commit = f"commit {what.get('git_commit') or NOTHING}" + (" with changes" if what.get("git_dirty") else "")
    command = (
        f"    {report.command}\n\n" if report.command else "Agents without a name: no command makes this again.\n\n"
    )
    return f"{command}{versions}; {commit}; deals {deal_hash(report.deals)[:16]}\n"
