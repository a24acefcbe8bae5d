"""The command `timeline-twist tournament`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timeline_twist.cli_evaluate import LateBar, interrupted, results_console, say
from timeline_twist.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from timeline_twist.evaluation.contest import Contest


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("tournament")(run_tournament)


def run_tournament(
    agents: Annotated[list[str], typer.Argument(help="Names with settings (`timeline-twist agents`), or folders.")],
    suite: Annotated[
        str | None,
        typer.Option(help="Name or YAML file; competitive-2p-noisy10, with --coop coop-2p-noisy5-none."),
    ] = None,
    coop: Annotated[bool, typer.Option("--coop", help="Co-op agents: how well every two play together.")] = False,
    mirror: Annotated[bool, typer.Option("--mirror", help="Also each agent against itself: what seats are worth.")] = (
        False
    ),
    deals: Annotated[int, typer.Option(help="Deals; all agents play all of them in all seats.")] = 1000,
    out: Annotated[
        Path | None, typer.Option(help="Write tournament.json, tournament.md and plots to this folder.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Other deals and random choices; 0 for published results.")] = 0,
    threads: Annotated[int, typer.Option(help="Threads; results do not depend on them.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace earlier results in the folder.")] = False,
) -> None:
    """Everybody against everybody in all seats; with --coop every two agents together."""
    # Imported here: the other commands start faster without.
    from timeline_twist.evaluation import cross_play, tournament
    from timeline_twist.evaluation.contest import KIND
    from timeline_twist.evaluation.files import prepare_folder

    if coop and mirror:
        raise SettingsError("--mirror: with --coop every agent plays with itself anyway; leave it out")
    if out is not None:
        prepare_folder(out, force=force, kind=KIND)
    settings: dict[str, Any] = {"deals": deals, "seed": seed, "threads": threads}
    settings |= {} if coop else {"mirror": mirror}
    settings |= {} if suite is None else {"suite": suite}
    tell(played(cross_play if coop else tournament, agents, settings), out)


def played(play: "Callable[..., Contest]", agents: list[str], settings: dict[str, Any]) -> "Contest":
    """What was played, under a progress bar; the end of the command if that is nothing."""
    bar = LateBar()
    try:
        result = play(agents, **settings, progress=bar)
    except KeyboardInterrupt:
        interrupted("no deal was finished, nothing was written")
    finally:
        bar.finish()
    if not result.played:
        interrupted("no deal was finished, nothing was written")
    return result


def tell(result: "Contest", out: Path | None) -> None:
    """Show and write what was played."""
    from timeline_twist.evaluation import contest_output
    from timeline_twist.evaluation.contest import KIND

    contest_output.show_contest(result, results_console())
    if result.partial and out is not None and (out / KIND.main).exists():
        interrupted(f"{out} keeps its earlier results; what was finished stands above and nowhere else")
    if out is not None:
        for hint in contest_output.save_contest(result, out, force=True):
            say(hint)
    if result.partial:
        interrupted("the results above are the deals that were finished")
