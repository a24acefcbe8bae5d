"""The benchmark: agents x suites, one file of results for each cell.

A cell that has been run is not run again as long as all that it depends on stays the same: the suite, the deals, the
agent with its settings and its code, the version and the number of games. So an interrupted benchmark goes on where it
stopped, and a changed agent gets new numbers. A cell with more games than asked for is kept, too: it took longer to
make, and says more. `configs/benchmark.yaml` says what to run:

    agents: [random, greedy, bayes, rollout]
    suites: [coop-2p-expert, competitive-2p-noisy10]
    games: 1000
    exceptions:                     # the last one that fits holds
      - {agent: "rollout*", games: 200}

An agent such as `checkpoints/{suite}` is another folder for each suite; suites without one are left out, and so are
cells of which 0 games are asked for.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import timeline_twist
from timeline_twist.agents.registry import make
from timeline_twist.errors import SettingsError, UserError
from timeline_twist.evaluation.bounds import EXACT, HINDSIGHT, settings_of
from timeline_twist.evaluation.evaluating import MOST_GAMES, describe_agent, evaluate, seat
from timeline_twist.evaluation.files import make_folder
from timeline_twist.evaluation.progress import Progress, no_progress
from timeline_twist.evaluation.report import Report
from timeline_twist.evaluation.suites import CHECKOUT, PACKAGE, Suite, check_keys, load_suite, read_yaml
from timeline_twist.files import write_json
from timeline_twist.tables import whole_number

CONFIGS = (PACKAGE / "benchmark.yaml", CHECKOUT / "configs" / "benchmark.yaml")
KEYS = ("agents", "suites", "games", "exceptions")
EXCEPTION_KEYS = ("agent", "suite", "games")
COMMAND = "timeline-twist benchmark"
SUITE = "{suite}"  # stands for the suite's name in the name of an agent

Cells = dict[tuple[str, str], Report]  # by the suite's name and the agent as it was asked for
Say = Callable[[str], None]


def say_nothing(text: str) -> None:
    """For those who do not want to hear any."""


@dataclass(frozen=True)
class Plan:
    """What to run."""

    agents: tuple[str, ...]
    suites: tuple[str, ...]
    games: int
    exceptions: tuple[dict[str, Any], ...] = ()
    command: str = COMMAND  # as it was typed, for the page
    source: str | None = "configs/benchmark.yaml"  # what says all this; None if the command does

    def agent_at(self, agent: str, suite: Suite) -> str | None:
        """The agent as it is called at a suite; None if it is not to play there."""
        name = agent.replace(SUITE, suite.name)
        there = name == agent or Path(name.partition(":")[0].partition("+")[0]).is_dir()
        return name if there and self.games_of(agent, suite.name) else None

    def grid(self) -> Iterator[tuple[Suite, str, str]]:
        """All cells: suite, agent as the plan has it, agent as it is called there."""
        for suite in self.load_suites():
            for agent in self.agents:
                if name := self.agent_at(agent, suite):
                    yield suite, agent, name

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

    def load_suites(self) -> list[Suite]:
        """The suites themselves; no two with the same name, by which cells and rows of the page are told apart."""
        suites = [load_suite(name) for name in self.suites]
        names = [suite.name for suite in suites]
        for name in names:
            if names.count(name) > 1:
                raise SettingsError(f"suites: {name!r} stands there more than once; each may be run once")
        return suites

    def showing(self, cells: Cells) -> "Plan":
        """The plan with everything that there are cells of: suites by their names, agents after those of the plan."""
        suites, agents = (tuple(dict.fromkeys(key[i] for key in cells)) for i in range(2))
        return replace(self, suites=suites, agents=tuple(dict.fromkeys([*self.agents, *agents])))


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
        whole_number(f"{path}: exceptions: games", exception.get("games"), 0, MOST_GAMES)
        for key in ("agent", "suite"):
            if not isinstance(exception.get(key, "*"), str):
                raise SettingsError(
                    f"{path}: exceptions: {key}: {exception[key]!r} is not a name or a pattern, such as 'rollout*'"
                )
    games = whole_number(f"{path}: games", content.get("games"), 1, MOST_GAMES)
    return Plan(lists["agents"], lists["suites"], games, tuple(exceptions))


def run(
    plan: Plan,
    cells: Path,
    *,
    threads: int = 1,
    progress: Progress = no_progress,
    say: Say = print,
    force: bool = False,
) -> Iterator[Report]:
    """Run every cell that is missing or out of date; give the new ones. Stops after one that was interrupted.

    `force`: also play those anew that have more games than the plan says.
    """
    grid = list(plan.grid())
    # A mistake in the last cell should be known before the first game.
    for suite in {suite.name: suite for suite, _, _ in grid}.values():
        seat([agent for place, _, agent in grid if place.name == suite.name], suite)
    make_folder(cells)
    for place, (suite, planned, agent) in enumerate(grid, 1):
        path, games = cell_path(cells, suite.name, agent), plan.games_of(planned, suite.name)
        there = current_games(path, agent, suite)
        what = f"cell {place} of {len(grid)}: {suite.name}, {agent}"
        if there > games and not force:
            say(f"{what}: kept with {there:,} games, more than {games:,}; --force plays it anew")
        if there == games or (there > games and not force):
            continue
        say(f"{what}, {games:,} games")
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


def current_games(path: Path, agent: str, suite: Suite) -> int:
    """How many games a cell has that was run with exactly this; 0 if it is missing, damaged, or anything that its
    numbers depend on has changed since."""
    if not path.is_file():
        return 0
    try:
        report = Report.read(path)
    except UserError:
        return 0
    player = make(agent)
    bounds = {HINDSIGHT: settings_of(HINDSIGHT)} if suite.mode == "coop" else {}
    bounds |= {EXACT: settings_of(EXACT)} if suite.optimum else {}
    opponent = None if suite.opponent is None else describe_agent(make(suite.opponent), suite.opponent)
    # The deals follow from suite, games and seed; Report.read has dealt them again.
    expected: dict[str, Any] = {
        "agents": [{"name": player.name} | describe_agent(player, agent)],
        "suite": suite.content(),
        "opponent": opponent,
        "seed": 0,
        "bounds": bounds,
    }
    content = report.content()["config"]
    same = all(content[key] == value for key, value in expected.items())
    of_now = not report.partial and report.environment.get("timeline_twist") == timeline_twist.__version__
    return report.games if same and of_now else 0


def out_of_date(plan: Plan, cells: Path) -> list[str]:
    """The files of cells that are there but would be played anew."""
    old = []
    for suite, planned, agent in plan.grid():
        path = cell_path(cells, suite.name, agent)
        if path.is_file() and current_games(path, agent, suite) < plan.games_of(planned, suite.name):
            old.append(path.name)
    return old


def collect(plan: Plan, cells: Path, say: Say = say_nothing) -> Cells:
    """All cells of a folder, those of the plan first; what cannot stand on one page with them is left out, with a word.

    The folder may hold cells of earlier commands with other agents and suites: they stay on the page.
    """
    there = {}
    for path in sorted(cells.glob("*.json")):
        try:
            report = Report.read(path)
        except UserError as error:
            say(f"not on the page: {error}")
            continue
        key = report.suite.name, str(report.results[0].config["given"])
        if not report.partial and len(report.results) == 1 and cell_path(cells, *key) == path:
            there[key] = report
    grid = [(suite.name, planned, agent) for suite, planned, agent in plan.grid()]
    found: Cells = {(suite, planned): there.pop((suite, own)) for suite, planned, own in grid if (suite, own) in there}
    for (suite, agent), report in there.items():
        beside = next((other for (name, _), other in found.items() if name == suite), report)
        if go_together(report, beside):
            found[suite, agent] = report
        else:
            say(f"not on the page: {report.suite.source}: an earlier {suite} or other bounds; run {agent!r} anew")
    rank = {name: i for i, name in enumerate(dict.fromkeys(suite for suite, _ in found))}
    return dict(sorted(found.items(), key=lambda item: rank[item[0][0]]))


def go_together(report: Report, other: Report) -> bool:
    """Whether two cells of a suite can be compared: the same table, the same deals, the same search for bounds."""
    same_deals = all(one == two for one, two in zip(report.deals, other.deals, strict=False))
    return same_deals and report.suite.content() == other.suite.content() and report.bounds == other.bounds
