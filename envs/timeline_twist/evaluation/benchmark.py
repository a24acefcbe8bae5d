"""The benchmark: agents x suites, one file of results for each cell.

A cell that has been run is not run again as long as all that it depends on stays the same: the suite, the deals, the
agent with its settings and its code, the version and the number of games. So an interrupted benchmark goes on where it
stopped, and a changed agent gets new numbers. `configs/benchmark.yaml` says what to run:

    agents: [random, greedy, bayes, rollout]
    suites: [coop-2p-expert, competitive-2p-noisy10]
    games: 1000
    exceptions:                     # the last one that fits holds
      - {agent: "rollout*", games: 200}
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import timeline_twist
from timeline_twist.agents.registry import make
from timeline_twist.errors import SettingsError, UserError
from timeline_twist.evaluation.bounds import EXACT, HINDSIGHT, settings_of
from timeline_twist.evaluation.deals import deal_hash, fingerprints
from timeline_twist.evaluation.evaluating import MOST_GAMES, describe_agent, evaluate, seat
from timeline_twist.evaluation.files import make_folder
from timeline_twist.evaluation.report import Report
from timeline_twist.evaluation.running import Progress, no_progress
from timeline_twist.evaluation.suites import CHECKOUT, PACKAGE, Suite, check_keys, load_suite, read_yaml
from timeline_twist.files import write_json
from timeline_twist.tables import whole_number

CONFIGS = (PACKAGE / "benchmark.yaml", CHECKOUT / "configs" / "benchmark.yaml")
KEYS = ("agents", "suites", "games", "exceptions")
EXCEPTION_KEYS = ("agent", "suite", "games")


@dataclass(frozen=True)
class Plan:
    """What to run."""

    agents: tuple[str, ...]
    suites: tuple[str, ...]
    games: int
    exceptions: tuple[dict[str, Any], ...] = ()

    def games_of(self, agent: str, suite: str) -> int:
        games = self.games
        for exception in self.exceptions:
            fits = fnmatchcase(agent, exception.get("agent", "*"))
            if fits and fnmatchcase(suite, exception.get("suite", "*")):
                games = exception["games"]
        return games

    def only(self, agents: Sequence[str], suites: Sequence[str], games: int | None) -> "Plan":
        """The plan with other agents, suites or numbers of games where they are given."""
        plan = replace(self, agents=tuple(agents) or self.agents, suites=tuple(suites) or self.suites)
        return (
            plan if games is None else replace(plan, games=whole_number("games", games, 1, MOST_GAMES), exceptions=())
        )


@dataclass(frozen=True)
class Places:
    """Where the page, the plots and the cells go."""

    page: Path
    plots: Path
    readme: Path | None = None

    @property
    def cells(self) -> Path:
        return self.plots / "cells"


def places(out: Path | None) -> Places:
    """A folder of its own, or the repository's files when run in a checkout."""
    if out is not None:
        return Places(out / "BENCHMARK.md", out)
    if not (CHECKOUT / "pyproject.toml").is_file():
        raise SettingsError("--out: missing; outside a checkout the benchmark needs a folder to write to")
    return Places(CHECKOUT / "BENCHMARK.md", CHECKOUT / "docs" / "benchmark", CHECKOUT / "README.md")


def read_plan(path: Path | None = None) -> Plan:
    """What a YAML file says, or the one that ships with the package."""
    path = path or next((path for path in CONFIGS if path.is_file()), CONFIGS[-1])
    content = read_yaml(path)
    check_keys(content, KEYS, str(path))
    lists = {}
    for key in ("agents", "suites"):
        names = content.get(key)
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise SettingsError(f"{path}: {key}: missing, or not a list of names")
        lists[key] = tuple(names)
    exceptions = content.get("exceptions") or []
    if not isinstance(exceptions, list):
        raise SettingsError(f"{path}: exceptions: {exceptions!r} is not a list")
    for exception in exceptions:
        check_keys(exception, EXCEPTION_KEYS, str(path), "exceptions: ")
        whole_number(f"{path}: exceptions: games", exception.get("games"), 1, MOST_GAMES)
    games = whole_number(f"{path}: games", content.get("games"), 1, MOST_GAMES)
    return Plan(lists["agents"], lists["suites"], games, tuple(exceptions))


def run(
    plan: Plan, cells: Path, *, threads: int = 1, progress: Progress = no_progress, say: Any = print
) -> Iterator[Report]:
    """Run every cell that is missing or out of date; give the new ones. Stops after one that was interrupted."""
    make_folder(cells)
    suites = [load_suite(name) for name in plan.suites]
    # A mistake in the last cell should be known before the first game.
    for suite in suites:
        seat(plan.agents, suite)
    grid = [(suite, agent) for suite in suites for agent in plan.agents]
    for place, (suite, agent) in enumerate(grid, 1):
        path, games = cell_path(cells, suite.name, agent), plan.games_of(agent, suite.name)
        if is_current(path, agent, suite, games):
            continue
        say(f"cell {place} of {len(grid)}: {suite.name}, {agent}, {games:,} games")
        report = evaluate(agent, suite, games, threads=threads, progress=progress)
        if not report.interrupted:
            write_json(path, report.content())
        yield report
        if report.interrupted:
            return


def cell_path(cells: Path, suite: str, agent: str) -> Path:
    """A file name for any agent; one that had to be changed gets a few digits, so that no two share a file."""
    plain = re.sub(r"[^A-Za-z0-9_.=-]+", "-", agent)
    tail = "" if plain == agent else "-" + hashlib.sha256(agent.encode()).hexdigest()[:6]
    return cells / f"{suite}--{plain}{tail}.json"


def is_current(path: Path, agent: str, suite: Suite, games: int) -> bool:
    """Whether a cell has been run with exactly this: nothing that its numbers depend on has changed since."""
    if not path.is_file():
        return False
    try:
        report = Report.read(path)
    except UserError:
        return False
    player = make(agent)
    bounds = {HINDSIGHT: settings_of(HINDSIGHT)} if suite.mode == "coop" else {}
    bounds |= {EXACT: settings_of(EXACT)} if suite.optimum else {}
    content = report.content()["config"]
    expected: dict[str, Any] = {
        "agents": [{"name": player.name} | describe_agent(player, agent)],
        "suite": suite.content(),
    }
    opponent = None if suite.opponent is None else describe_agent(make(suite.opponent), suite.opponent)
    expected |= {
        "opponent": opponent,
        "games": games,
        "seed": 0,
        "bounds": bounds,
        "deal_hash": deal_hash(fingerprints(suite, games)),
    }
    same = all(content[key] == value for key, value in expected.items())
    return same and not report.partial and report.environment.get("timeline_twist") == timeline_twist.__version__


def out_of_date(plan: Plan, cells: Path) -> list[str]:
    """The files of cells that are there but would be played anew."""
    grid = [(load_suite(suite), agent) for suite in plan.suites for agent in plan.agents]
    paths = [(cell_path(cells, suite.name, agent), suite, agent) for suite, agent in grid]
    there = [(path, suite, agent) for path, suite, agent in paths if path.is_file()]
    old = (path for path, suite, agent in there if not is_current(path, agent, suite, plan.games_of(agent, suite.name)))
    return [path.name for path in old]


def collect(plan: Plan, cells: Path) -> dict[tuple[str, str], Report]:
    """The cells of the plan that are there, by suite and agent; an error for a file that cannot be trusted."""
    found = {}
    for suite in plan.suites:
        for agent in plan.agents:
            path = cell_path(cells, load_suite(suite).name, agent)
            if path.is_file():
                found[suite, agent] = Report.read(path)
    return found
