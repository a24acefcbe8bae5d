"""Results in words: cells of tables, for the terminal and for Markdown alike."""

import re
import textwrap
from collections.abc import Sequence
from typing import Any

from timeline_twist.evaluation.report import Report
from timeline_twist.evaluation.statistics import FEWEST_FOR_AN_INTERVAL
from timeline_twist.evaluation.suites import Suite

NOTHING = "–"  # noqa: RUF001  (a dash in a table)
FEW_GAMES = 100

AGENTS = {
    "random": "each legal action with the same chance",
    "greedy": "rules of thumb with tuned weights; takes its estimates for the truth",
    "bayes": "rules of thumb with tuned weights; weighs every position that a card may have",
    "rollout": "tries each action in worlds that its seat may be in; rules of thumb play on there",
}

RELEASED = "the trained agent in the folder that has the suite's name; what stands behind a plus plays on top of it"

DEFINITIONS = """\
- **±** is half of the 95 % interval of the mean over deals (Student's t), one comparison at a time: among many
  comparisons one in twenty misses the truth by chance. No interval (a dash) below 6 games, nor where all games gave the
  same: then nothing is known of how far others may lie from it.
- **worst 5 %** is the mean of the ceil(n / 20) lowest games.
- **hindsight** is the best score that a beam search finds which sees through every card: a lower bound on the true
  optimum with hindsight, out of reach for players without it. **share** is mean score / mean hindsight score (none
  unless both are positive), **regret** the mean of hindsight score - score.
- **gap** to the optimum is the mean of (expected score of optimal play without hindsight, from what is known at the
  first turn) - score; exact, for tiny tables only.
- **difference** is the mean of first - second on the same deals; wins, ties and losses count deals.
- **win share** (competitive) is 1 for a win, 1/k for a draw among k, 0 otherwise. The agent sits on seat
  (number of the deal) mod players, the suite's opponent on all others; with P equal players everybody gets 1/P.
- **decisions/s** are those of the agent alone, in one thread, by wall time while it decides, in batches of up to 1,024
  games, without the first games, in which code may be compiled. Other work on the machine slows them, and runs of few
  games look slower, since their batches are small.
- Icons: four, balanced on both sides, dealt anew to the cards in each game.
"""


def number(value: float | None, digits: int = 1) -> str:
    return NOTHING if value is None else f"{value:,.{digits}f}"


def percent(value: float | None) -> str:
    return NOTHING if value is None else f"{100 * value:.0f} %"


def with_interval(numbers: dict[str, Any], digits: int = 1, *, sign: bool = False) -> str:
    """`31.2 ± 0.4`, with a dash where there is no interval."""
    mean, bounds = numbers["mean"], numbers["interval"]
    text = f"{mean:{'+' if sign else ''},.{digits}f}"
    return f"{text} ± " + (NOTHING if bounds is None else f"{(bounds[1] - bounds[0]) / 2:,.{digits}f}")


def value_name(suite: Suite) -> str:
    return "score" if suite.mode == "coop" else "win share"


def digits_of(suite: Suite) -> int:
    """Win shares are between 0 and 1."""
    return 2 if suite.mode == "coop" else 3


def main_columns(report: Report) -> list[str]:
    """The columns of the table with one row per agent."""
    # Half of all win shares are 0 or 1: their median and worst games tell nothing.
    own = ["reward", "rounds"] if report.suite.mode == "competitive" else ["median", "worst 5 %"]
    columns = ["agent", "games", value_name(report.suite), *own]
    if report.hindsight is not None:
        columns += ["share", "regret"]
    if report.exact is not None:
        columns += ["gap"]
    return [*columns, "decisions/s"]


def main_row(report: Report, agent: str) -> list[str]:
    numbers, digits = report.summary(agent), digits_of(report.suite)
    games = f"{numbers['games']:,}" + ("*" if numbers["partial"] else "")
    row = [agent, games, with_interval(numbers, digits)]
    if report.suite.mode == "competitive":
        row += [with_interval(numbers["reward"], digits), number(numbers["mean_rounds"])]
    else:
        row += [number(numbers["median"]), number(numbers["worst_5_percent"])]
    if report.hindsight is not None:
        row += [percent(numbers["hindsight"]["share"]), with_interval(numbers["hindsight"]["regret"])]
    if report.exact is not None:
        row += [with_interval(numbers["exact"]["gap"], 2)]
    return [*row, number(report[agent].speed.get("decisions_per_second"), 0)]


DIFFERENCE_COLUMNS = ["first", "second", "games", "first - second", "wins", "ties", "losses"]


def difference_row(numbers: dict[str, Any], digits: int) -> list[str]:
    counts = [f"{numbers[name]:,}" for name in ("wins", "ties", "losses")]
    mean = with_interval(numbers, digits, sign=True)
    return [numbers["first"], numbers["second"], f"{numbers['games']:,}", mean, *counts]


def remarks(report: Report) -> list[str]:
    """What a reader of the numbers must know."""
    lines = []
    counts = [result.games for result in report.results]
    fewest = min(counts)
    if report.partial:
        missing = f"; not played: {', '.join(report.not_played)}" if report.not_played else ""
        lines.append(f"* partial: interrupted before all {report.games:,} games were played{missing}")
    if fewest < max(counts):
        lines.append(
            "means over different numbers of deals are not comparable directly; the differences on the same deals are"
        )
    if fewest < FEWEST_FOR_AN_INTERVAL:
        lines.append(f"few games: no intervals below {FEWEST_FOR_AN_INTERVAL}")
    elif fewest < FEW_GAMES:
        lines.append(f"few games ({fewest}): the intervals are rough")
    if report.hindsight is not None:
        lines.append(hindsight_remark(report, report.hindsight))
    lines += [
        f"{kind}: interrupted, not in this result" for kind in report.bounds if report.bounds[kind] == "interrupted"
    ]
    return lines


def remark_list(report: Report) -> str:
    """The remarks as a list in Markdown; a star in front would not be one."""
    return "".join(f"- {line.removeprefix('* ')}\n" for line in remarks(report))


def hindsight_remark(report: Report, hindsight: Sequence[float]) -> str:
    mean = sum(hindsight) / len(hindsight)
    above = max(report.summary(agent)["hindsight"]["above"] for agent in report.agents)
    text = f"hindsight: {mean:.2f} on average, a lower bound found by a beam search"
    return text + (f"; passed in up to {above} games" if above else "")


def agent_words(name: str, config: dict[str, Any]) -> str:
    """What an agent is, with all its settings."""
    settings = ", ".join(f"{key}={value}" for key, value in config["settings"].items()) or "no settings"
    files = f"; files {config['files']}" if config.get("files") else ""
    words = AGENTS.get(name.partition(":")[0])
    return f"{words}; {settings}{files}" if words else f"{settings}{files}"


def folded(name: str, width: int) -> str:
    """A long name on several lines: broken after a colon or comma if that will do, else after other punctuation."""
    lines = [""]
    for piece in re.findall(r"[^,:]*[,:]?", name):
        parts = [piece] if len(piece) <= width else re.findall(r"[^/_ -]*[/_ -]?", piece)
        for part in parts:
            if lines[-1] and len(lines[-1]) + len(part) > width:
                lines.append("")
            lines[-1] += part
    return "\n".join(part for line in lines for part in textwrap.wrap(line, width))


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, all others to the right."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join("| " + " | ".join(escape(cell) for cell in line) + " |" for line in lines) + "\n"


def escape(cell: str) -> str:
    """A name may hold anything; a bar would begin another column."""
    return cell.replace("|", "\\|").replace("\n", " ")
