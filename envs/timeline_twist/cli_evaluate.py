"""The commands `timeline-twist evaluate` and `timeline-twist benchmark`."""

import inspect
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from timeline_twist.errors import SettingsError

if TYPE_CHECKING:
    from timeline_twist.evaluation.benchmark import Plan

INTERRUPTED = 130  # as shells have it: 128 + SIGINT
PATIENCE = 2.0  # seconds without a progress bar
NAMES_WIDTH = 36


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("evaluate")(evaluate_agents)
    app.command("benchmark")(run_benchmark)
    app.command("agents")(list_agents)
    app.command("suites")(list_suites)


class LateBar:
    """A progress bar on stderr that appears when something takes longer than two seconds."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task: TaskID | None = None
        self.what = ""
        self.began = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        if what != self.what:
            self.finish()
            self.what, self.began = what, time.monotonic()
        late = time.monotonic() - self.began > PATIENCE and done < total
        if self.task is None and late and self.progress.console.is_terminal:
            self.progress.start()
            self.task = self.progress.add_task(what, total=total)
        if self.task is not None:
            self.progress.update(self.task, completed=done, total=total)
            if done >= total:
                self.finish()

    def finish(self) -> None:
        """Take the bar away."""
        if self.task is not None:
            self.progress.stop()
            self.progress.remove_task(self.task)
            self.task = None


def evaluate_agents(
    agents: Annotated[list[str], typer.Argument(help="Names with settings (`timeline-twist agents`), or folders.")],
    suite: Annotated[
        str, typer.Option(help="Name (`timeline-twist suites`), or path of a YAML file.")
    ] = "coop-2p-expert",
    games: Annotated[int, typer.Option(help="Deals; every agent plays all of them.")] = 1000,
    out: Annotated[Path | None, typer.Option(help="Write metrics.json, report.md and plots to this folder.")] = None,
    seed: Annotated[int, typer.Option(help="Other deals and random choices; 0 for published results.")] = 0,
    no_hindsight: Annotated[bool, typer.Option("--no-hindsight", help="Do not look for the best scores.")] = False,
    threads: Annotated[int, typer.Option(help="Threads; results do not depend on them.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace earlier results in the folder.")] = False,
) -> None:
    """Play agents on the same held-out deals and compare them."""
    # Imported here: the other commands start faster without.
    from timeline_twist.evaluation import evaluate, output
    from timeline_twist.evaluation.files import METRICS, prepare_folder

    if out is not None:
        prepare_folder(out, force=force)
    replaces = out is not None and (out / METRICS).exists()
    bar = LateBar()
    try:
        report = evaluate(agents, suite, games, seed=seed, hindsight=not no_hindsight, threads=threads, progress=bar)
    except KeyboardInterrupt:
        interrupted("nothing was finished")
    finally:
        bar.finish()
    if not report.results:
        interrupted("no game was finished")
    output.show(report, results_console())
    if report.interrupted and replaces:
        interrupted(f"{out} keeps its earlier results; what was finished stands above and nowhere else")
    if out is not None:
        for hint in output.save(report, out, force=True):
            say(hint)
    if report.interrupted:
        interrupted("the results above are what was finished")


def results_console() -> Console:
    """The terminal, but never wider than tables are; files and pipes get lines of that length too."""
    from timeline_twist.evaluation.output import WIDTH

    console = Console()
    return Console(width=WIDTH) if console.width > WIDTH or not console.is_terminal else console


def interrupted(what: str) -> NoReturn:
    say(f"interrupted; {what}")
    raise typer.Exit(INTERRUPTED)


def run_benchmark(
    agents: Annotated[str, typer.Option(help="Only these, with commas; see `timeline-twist agents`.")] = "",
    suites: Annotated[str, typer.Option(help="Only these, with commas; see `timeline-twist suites`.")] = "",
    games: Annotated[int | None, typer.Option(help="So many for every agent and suite.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for page, plots and cells.")] = None,
    config: Annotated[Path | None, typer.Option(help="What to run; configs/benchmark.yaml by default.")] = None,
    threads: Annotated[int, typer.Option(help="Threads; results do not depend on them.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Also replace cells that have more games.")] = False,
) -> None:
    """Play agents x suites and write BENCHMARK.md; goes on where it stopped."""
    from timeline_twist.evaluation import benchmark, benchmark_page

    whole = benchmark.read_plan(config)
    plan = whole.only(split_agents(agents), [name.strip() for name in suites.split(",") if name.strip()], games)
    # The repository's page shows what its own configuration says, and nothing weaker.
    foreign = games is not None or config is not None or not set(plan.agents) <= set(whole.agents)
    if out is None and (foreign or not set(plan.suites) <= set(whole.suites)):
        raise SettingsError("--out: missing; the repository's own benchmark is that of configs/benchmark.yaml")
    places = benchmark.places(out)
    if out is not None:
        given: dict[str, object] = {"--agents": agents, "--suites": suites, "--games": games, "--config": config}
        plan = named_by_options(plan, {name: value for name, value in given.items() if value}, out)
    bar = LateBar()
    stopped = False
    try:
        for report in benchmark.run(plan, places.cells, threads=threads, progress=bar, say=say, force=force):
            stopped = report.interrupted
    except KeyboardInterrupt:
        stopped = True
    finally:
        bar.finish()
    shown = plan if out is not None else whole
    if old := benchmark.out_of_date(shown, places.cells):
        say(f"{len(old)} cells on the page are out of date, such as {old[0]}; run without --agents and --suites")
    for hint in benchmark_page.write_page(shown, benchmark.collect(shown, places.cells, say), places):
        say(hint)
    print(places.page)
    if stopped:
        interrupted("finished cells are kept; the same command goes on from here")


def named_by_options(plan: "Plan", options: dict[str, object], out: Path) -> "Plan":
    """The plan with the command as it was typed: that is what says what was run, unless it had no options."""
    typed = [f"{name} {shlex.quote(str(value))}" for name, value in (options | {"--out": out}).items()]
    return replace(plan, command=" ".join([plan.command, *typed]), source=None if options else plan.source)


def list_agents() -> None:
    """The built-in agents with their settings."""
    from timeline_twist.agents.registry import BUILT_IN
    from timeline_twist.evaluation.wording import AGENTS

    for name, maker in BUILT_IN.items():
        parameters = inspect.signature(maker).parameters.values()
        settings = ",".join(f"{each.name}={each.default}" for each in parameters)
        print_entry(f"{name}:{settings}" if settings else name, AGENTS.get(name, ""))


def list_suites() -> None:
    """The tables that agents are evaluated at."""
    from timeline_twist.evaluation import load_suite, suite_names

    for name in suite_names():
        suite = load_suite(name)
        print_entry(name, suite.description + (f"; against {suite.opponent}" if suite.opponent else ""))


def print_entry(name: str, words: str) -> None:
    """One line; off a terminal it is never broken."""
    console = Console(markup=False, emoji=False, highlight=False, soft_wrap=not sys.stdout.isatty())
    console.print(f"{name:<{NAMES_WIDTH}}{words}")


def split_agents(text: str) -> list[str]:
    """Names separated by commas; `a:x=1,y=2` is one name, since a setting cannot be an agent."""
    names: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if names and "=" in part and ":" not in part:
            names[-1] += f",{part}"
        elif part:
            names.append(part)
    return names


def say(text: str) -> None:
    print(f"timeline-twist: {text}", file=sys.stderr)
