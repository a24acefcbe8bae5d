"""Tournaments and cross-play for people: tables on the terminal, tournament.md, and the folder with everything."""

from pathlib import Path
from typing import Any

from rich.console import Console

from timeline_twist.evaluation.contest import KIND, Contest, Numbers
from timeline_twist.evaluation.files import prepare_folder
from timeline_twist.evaluation.heat_map import draw_cross_table
from timeline_twist.evaluation.output import made_by, print_table, terminal_table
from timeline_twist.evaluation.partners import CrossPlay
from timeline_twist.evaluation.plots import LABEL_WIDTH, draw_intervals, plots_missing
from timeline_twist.evaluation.ratings import ratings_missing
from timeline_twist.evaluation.statistics import FEWEST_FOR_AN_INTERVAL
from timeline_twist.evaluation.tournaments import Tournament
from timeline_twist.evaluation.wording import (
    FEW_GAMES,
    NOTHING,
    agent_words,
    folded,
    markdown_table,
    number,
    percent,
    with_interval,
)
from timeline_twist.files import write_json, write_text

SHARE_DIGITS, SCORE_DIGITS = 3, 2
LONG_NAME = 12  # longer ones are numbered where they stand over columns

DEFINITIONS = """\
- **±** is half of the 95 % interval over deals: all games of a deal are one unit. A dash: fewer than 6 deals, or all
  the same.
"""
TOURNAMENT_DEFINITIONS = """\
- **share of wins**: 1 for a win, 1/k for a draw among k, 0 otherwise. **chance** is what everybody gets among equals.
- **win share** is the mean over all others of the share of wins against them, from every seat of every deal.
- **rating**: strengths of maximum likelihood from all games at once; 400 points are odds of 10 to 1 between two seats,
  the mean is 0. Interval: 500 times the deals drawn anew.
- **by seat**: *everybody* is the share of wins of a seat, whoever sits there; an agent against itself shows the seat
  alone.
"""
CROSS_PLAY_DEFINITIONS = """\
- **score** of two agents is the mean over both orders of seats.
- **difference**: with others minus with itself, and off the diagonal minus on it, deal by deal.
"""

Section = tuple[str, list[str], list[list[str]]]  # title, columns, rows


def save_contest(result: Contest, folder: Path | str, *, force: bool = False) -> list[str]:
    """Write tournament.json, tournament.md and plots; give what could not be written, in words."""
    folder = Path(folder)
    prepare_folder(folder, force=force, kind=KIND)
    write_json(folder / KIND.main, result.content())
    write_text(folder / "tournament.md", markdown(result))
    # An earlier result's plots must not stay beside the numbers of this one.
    for name in ("cross_table.png", "ratings.png"):
        (folder / name).unlink(missing_ok=True)
    if hint := plots_missing():
        return [hint]
    draw(result, folder)
    return []


def show_contest(result: Contest, console: Console) -> None:
    """The tables on the terminal."""
    for line in (f"{result.suite.name}: {result.suite.description}", counts(result)):
        console.print(line, markup=False, highlight=False)
    for title, columns, rows in sections(result):
        console.print(f"\n{title}", markup=False, highlight=False)
        print_table(console, terminal_table(columns, rows, 1))
    for line in remarks(result):
        console.print(line, markup=False, highlight=False)


def markdown(result: Contest) -> str:
    """The content of tournament.md; nothing in it differs between two runs."""
    parts = [f"# {result.suite.name}: {result.kind}\n", f"{result.suite.description}.\n", f"{counts(result)}.\n"]
    for title, columns, rows in sections(result) + more_sections(result):
        parts += [f"## {title[0].upper()}{title[1:]}\n", markdown_table(columns, rows)]
    parts += ["".join(f"- {line}\n" for line in remarks(result))]
    agents = zip(result.agents, result.config, strict=True)
    parts += ["## Agents\n", "".join(f"- `{name}`: {agent_words(name, config)}\n" for name, config in agents)]
    own = TOURNAMENT_DEFINITIONS if isinstance(result, Tournament) else CROSS_PLAY_DEFINITIONS
    return "\n".join([*parts, "## Made by\n", made_by(result), "## Definitions\n", DEFINITIONS + own])


def counts(result: Contest) -> str:
    text = f"{result.played:,} deals, {result.tables} games on each: {result.games:,} games"
    return f"{text}; chance is {result.chance:.3f}" if isinstance(result, Tournament) else text


def sections(result: Contest) -> list[Section]:
    """The tables, for the terminal and for Markdown alike."""
    if isinstance(result, Tournament):
        return tournament_sections(result)
    return cross_play_sections(result) if isinstance(result, CrossPlay) else []


def tournament_sections(result: Tournament) -> list[Section]:
    found: list[Section] = []
    if len(result.agents) > 1:
        found.append(standings(result))
        copies = "" if result.players == 2 else f" (one of the row at {result.players - 1} of the column)"
        found.append((f"share of wins of row against column{copies}", *cross_rows(result, SHARE_DIGITS)))
    rows = [
        [name, *(with_interval(numbers, SHARE_DIGITS) for numbers in seats)] for name, seats in result.by_seat().items()
    ]
    columns = ["", *(f"seat {seat}" for seat in range(result.players))]
    return [*found, ("share of wins by seat", columns, rows)]


def standings(result: Tournament) -> Section:
    ratings, columns = result.ratings(), ["agent", "win share"]
    columns += ["mixed tables"] * bool(result.plan.mixed.count) + ["rating"] * bool(ratings)
    rows = []
    for agent in result.agents:
        row = [agent, with_interval(result.win_share(agent), SHARE_DIGITS)]
        if mixed := result.mixed(agent):
            row.append(with_interval(mixed, SHARE_DIGITS))
        if ratings:
            row.append(with_interval(ratings[agent], 0, sign=True))
        rows.append(row)
    return f"share of wins against all others (chance {result.chance:.3f})", columns, rows


def cross_play_sections(result: CrossPlay) -> list[Section]:
    matrix = ("score of row and column together", *cross_rows(result, SCORE_DIGITS))
    columns = ["agent", "with others", "with itself", "difference"]
    rows = [[agent, *compared_row(result.with_others(agent), "others", "itself")] for agent in result.agents]
    rows.append(["all: off the diagonal, on it", *compared_row(result.strangers(), "off_diagonal", "diagonal")])
    return [matrix, ("how well they work with strangers", columns, rows)]


def compared_row(numbers: Numbers, first: str, second: str) -> list[str]:
    both = [with_interval(numbers[name], SCORE_DIGITS) for name in (first, second)]
    return [*both, with_interval(numbers["difference"], SCORE_DIGITS, sign=True)]


def cross_cells(result: Contest) -> list[list[Numbers | None]]:
    if isinstance(result, CrossPlay):
        return [[result.score(one, other) for other in result.agents] for one in result.agents]
    if not isinstance(result, Tournament):
        return []
    return [[None if one == other else result.against(one, other) for other in result.agents] for one in result.agents]


def cross_rows(result: Contest, digits: int) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of the cross table; long names are numbered."""
    heads, labels = list(result.agents), list(result.agents)
    if max(map(len, labels)) > LONG_NAME:
        heads = [str(place + 1) for place in range(len(labels))]
        labels = [f"{head} {label}" for head, label in zip(heads, labels, strict=True)]
    rows = [
        [label, *(NOTHING if cell is None else with_interval(cell, digits) for cell in cells)]
        for label, cells in zip(labels, cross_cells(result), strict=True)
    ]
    return ["", *heads], rows


def more_sections(result: Contest) -> list[Section]:
    """What the terminal has no room for."""
    if not isinstance(result, Tournament):
        return []
    rows = result.pair_rows()
    reasons = sorted({reason for row in rows for reason in row["ended"]})
    columns = ["first", "second", "games", "share of the first", *reasons, "mean rounds"]
    cells = []
    for row in rows:
        share = NOTHING if row["win_share"] is None else with_interval(row["win_share"], SHARE_DIGITS)
        ended = [percent(row["ended"].get(reason, 0)) for reason in reasons]
        games = f"{row['games']:,}"
        cells.append([row["first"], row["second"], games, share, *ended, number(row["mean_rounds"])])
    return [("how the games ended", columns, cells)]


def remarks(result: Contest) -> list[str]:
    """What a reader of the numbers must know."""
    lines = []
    if result.partial:
        lines.append(f"partial: interrupted after {result.played:,} of {result.asked:,} deals")
    if result.played < FEWEST_FOR_AN_INTERVAL:
        lines.append(f"few deals: no intervals below {FEWEST_FOR_AN_INTERVAL}")
    elif result.played < FEW_GAMES:
        lines.append(f"few deals ({result.played}): the intervals are rough")
    ended = ", ".join(f"{reason} {100 * share:.1f} %" for reason, share in result.ended().items())
    if isinstance(result, Tournament):
        lines.append(f"games ended: {ended}; {result.rounds.mean():.1f} rounds on average")
        if result.plan.mixed.drawn:
            lines.append(f"mixed tables: {result.plan.mixed.count} drawn for each deal; all of them would be too many")
        if (hint := ratings_missing()) and len(result.agents) > 1:
            lines.append(hint)
    else:
        lines.append(f"games ended: {ended}")
    return lines


def draw(result: Contest, folder: Path) -> None:
    if len(result.agents) < 2:
        return
    name, path = f"{result.suite.name}, {result.played:,} deals", folder / "cross_table.png"
    cells = cross_cells(result)
    if not isinstance(result, Tournament):
        words = ("one of two agents", "the other one")
        draw_cross_table(path, result.agents, cells, f"{name}: score together", words, digits=1)
        return
    copies = "" if result.players == 2 else f" on the other {result.players - 1} seats"
    words = ("share of wins of this agent", f"against this one{copies}; white: chance, {result.chance:.2f}")
    draw_cross_table(path, result.agents, cells, name, words, digits=SHARE_DIGITS, middle=result.chance)
    if ratings := result.ratings():
        draw_ratings(result, ratings, folder / "ratings.png")


def draw_ratings(result: Tournament, ratings: dict[str, Any], path: Path) -> None:
    ordered = sorted(result.agents, key=lambda agent: -ratings[agent]["mean"])
    rows = [(folded(agent, LABEL_WIDTH), ratings[agent]) for agent in ordered]
    title = f"{result.suite.name}: ratings from {result.played:,} deals"
    label = "rating, with 95 % interval; 400 points are odds of 10 to 1 between two seats; mean of all: 0"
    draw_intervals(path, rows, title, label, 0, None, digits=0)
