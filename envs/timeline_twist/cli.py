"""The command `timeline-twist`. It works without torch."""

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numba
import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

import timeline_twist
from timeline_twist import cli_evaluate, cli_tournament, cli_train, cli_watch, records, speed
from timeline_twist.catalogue import BUILT_IN, Catalogue, load
from timeline_twist.errors import SettingsError, UserError
from timeline_twist.files import check_writable, write_whole
from timeline_twist.tables import whole_number

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Timeline Twist for reinforcement learning.")
speed_app = typer.Typer(no_args_is_help=True, help="Measure speed on this machine.")
app.add_typer(speed_app, name="speed")
cli_watch.register(app)
cli_evaluate.register(app)
cli_tournament.register(app)
cli_train.register(app, speed_app)


def main() -> None:
    """Run the command; a user's mistake is one line and exit code 2."""
    try:
        app()
    except UserError as error:
        print(f"timeline-twist: {error}", file=sys.stderr)
        sys.exit(2)


def show_version(wanted: bool) -> None:
    if wanted:
        print(timeline_twist.__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Timeline Twist for reinforcement learning."""


@app.command("catalogue")
def show_catalogue(
    name: Annotated[str, typer.Argument(help=f"{', '.join(BUILT_IN)}, or the path of a CSV file.")],
    cards: Annotated[bool, typer.Option("--cards", help="List every card.")] = False,
) -> None:
    """Check a catalogue and say what is in it."""
    catalogue = load(name)
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(
        f"{catalogue.name}: {len(catalogue)} cards, times {min(catalogue.times):,} to {max(catalogue.times):,}"
    )
    shared = sum(count > 1 for count in Counter(catalogue.times).values())
    console.print(f"times that several cards share: {shared}")
    console.print(icon_table(catalogue))
    if cards:
        console.print(card_table(catalogue))


def icon_table(catalogue: Catalogue) -> Table:
    table = Table("icon", "on fronts", "on backs")
    for icon in catalogue.icons:
        table.add_row(Text(icon), str(catalogue.fronts.count(icon)), str(catalogue.backs.count(icon)))
    return table


def card_table(catalogue: Catalogue) -> Table:
    table = Table("card", "time", "title", "front", "back")
    for i, title in enumerate(catalogue.titles):
        faces = (Text(title), Text(catalogue.fronts[i]), Text(catalogue.backs[i]))
        table.add_row(str(i), str(catalogue.times[i]), *faces)
    return table


@speed_app.command("engine")
def speed_engine(
    players: Annotated[int, typer.Option(help="Players at the table.")] = 2,
    catalogue: Annotated[str, typer.Option(help="Name or CSV path.")] = "scenes",
    batches: Annotated[str, typer.Option(help="Batch sizes.")] = "1,64,1024,8192",
    threads: Annotated[str, typer.Option(help="Thread counts.")] = "1,2",
    seconds: Annotated[float, typer.Option(help="Time for each line of the table.")] = 1.0,
    out: Annotated[Path | None, typer.Option(help="Also write the figures to this JSON file.")] = None,
) -> None:
    """Random-play steps per second: masks, choosing the action and new deals included."""
    whole_number("--players", players, 1, records.MAX_PLAYERS)
    sizes, counts = numbers("--batches", batches, 1_000_000), numbers("--threads", threads, 256)
    cases = measured(lambda: speed.engine_cases(players, catalogue, sizes, counts), seconds, out)
    print_speeds(cases)
    if out is not None:
        write_speeds(out, cases, catalogue)


@speed_app.command("env")
def speed_env(
    games: Annotated[int, typer.Option(help="Games of the vector environments.")] = 1024,
    players: Annotated[str, typer.Option(help="Player counts for the vector environments.")] = "2,4,6",
    seconds: Annotated[float, typer.Option(help="Time for each line of the table.")] = 1.0,
    out: Annotated[Path | None, typer.Option(help="Also write the figures to this JSON file.")] = None,
) -> None:
    """Steps per second of the environments, beside PettingZoo's connect_four-v3."""
    whole_number("--games", games, 1, 1_000_000)
    counts = [whole_number("--players", count, 1, records.MAX_PLAYERS) for count in numbers("--players", players, 6)]
    cases = measured(lambda: speed_env_cases(games, counts), seconds, out)
    print_env_speeds(cases)
    if out is not None:
        write_speeds(out, cases, "scenes")


def speed_env_cases(games: int, players: list[int]) -> list[speed.Case]:
    # Imported here: the other commands need neither PettingZoo's classics nor their start-up time.
    from timeline_twist import speed_env

    return speed_env.env_cases(games, players)


def measured(make_cases: Callable[[], list[speed.Case]], seconds: float, out: Path | None) -> list[speed.Case]:
    """Check the arguments, then time the cases under a progress bar."""
    if not 0 < seconds <= 3600:
        raise SettingsError(f"--seconds: {seconds} is not between 0 and 3600")
    if out is not None:
        check_writable("--out", out)
    cases = make_cases()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        for _ in progress.track(speed.measure(cases, seconds), len(cases) * speed.ROUNDS, description="measuring"):
            pass
    return cases


def print_env_speeds(cases: list[speed.Case]) -> None:
    from timeline_twist import speed_env

    console = Console()
    table = Table("interface", "what", title="random play through the environments, one core", caption=machine())
    for heading in ("players", "games", "steps/s", f"x {speed_env.YARDSTICK}"):
        table.add_column(heading, justify="right")
    for case, ratio in zip(cases, speed_env.ratios(cases), strict=True):
        times = "-" if ratio is None else f"{ratio:,.2f}"
        row = (str(case.players), str(case.batch or 1), f"{case.steps_per_second:,.0f}", times)
        table.add_row(case.mode, case.what, *row)
    console.print(table)
    if not any(case.what == speed_env.YARDSTICK for case in cases):
        console.print("connect_four needs pygame-ce: pip install 'timeline-twist[render]'", markup=False)


def numbers(name: str, text: str, high: int) -> list[int]:
    """Whole numbers separated by commas."""
    parts = [part.strip()[:20] for part in text.split(",")]
    return [whole_number(name, int(part) if part.isdecimal() else part, 1, high) for part in parts]


def print_speeds(cases: list[speed.Case]) -> None:
    console = Console()
    players = {case.mode: case.players for case in cases}
    title = ", ".join(f"{mode} with {count} players" for mode, count in players.items())
    table = Table("mode", "what", title=f"random play: {title}", caption=machine())
    for heading in ("batch", "threads", "steps/s", "x reference"):
        table.add_column(heading, justify="right")
    ratios = speed.ratios(cases)
    for case, ratio in zip(cases, ratios, strict=True):
        batch = "-" if case.batch is None else f"{case.batch:,}"
        times = "-" if ratio is None else f"{ratio:,.1f}"
        rate = f"{case.steps_per_second:,.0f}"
        table.add_row(case.mode, case.what, batch, str(case.threads), rate, times)
    console.print(table)
    console.print(f"a co-op game takes {records.COOP.itemsize} bytes, a competitive one", end=" ")
    console.print(f"{records.COMPETITIVE_128.itemsize:,} (up to 128 cards) or {records.COMPETITIVE_1000.itemsize:,}")
    if all(ratio is None for ratio in ratios):
        console.print("the reference model is part of a checkout's tests, not of the installed package: no ratio")


def machine() -> str:
    return (
        f"{os.cpu_count()} cores, Python {platform.python_version()}, numba {numba.__version__}, numpy {np.__version__}"
    )


def write_speeds(path: Path, cases: list[speed.Case], catalogue: str) -> None:
    """The figures as JSON; the file appears whole or not at all."""
    content = {
        "version": timeline_twist.__version__,
        "machine": machine(),
        "catalogue": catalogue,
        "cases": [
            {name: value for name, value in vars(case).items() if name not in ("run", "rates")}
            | {"steps_per_second": case.rates}
            for case in cases
        ],
    }
    write_whole(path, (json.dumps(content, indent=2) + "\n").encode())
