"""The commands `train`, `sweep`, `release`, `speed train`, `speed rllib`; the package of that extra does the work."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from timeline_twist.errors import SettingsError


def register(app: typer.Typer, speed_app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("train")(train)
    app.command("sweep")(sweep)
    app.command("release")(release)
    speed_app.command("train")(speed_train)
    speed_app.command("rllib")(speed_rllib)


def train(
    config: Annotated[Path | None, typer.Argument(help="A YAML file, such as configs/quick.yaml.")] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change a setting, such as ppo.steps=1_000_000; may be repeated.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The run folder; runs/NAME by default, NAME that of the file.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.")] = None,
    seeds: Annotated[int, typer.Option(help="So many runs with different seeds, and a table of them all.")] = 1,
    engine: Annotated[
        str | None, typer.Option(help="sb3 (default, one process) or rllib (Ray; needs the extra `ray`).")
    ] = None,
    runners: Annotated[
        int | None, typer.Option(help="With rllib: so many processes play; 0: the program itself. 1 by default.")
    ] = None,
    learners: Annotated[
        int | None, typer.Option(help="With rllib: so many processes learn; 0 (default): the program itself.")
    ] = None,
    ray_address: Annotated[
        str | None, typer.Option(help="With rllib: a cluster that runs already, such as auto or HOST:PORT.")
    ] = None,
) -> None:
    """Train an agent with PPO; Ctrl-C stops, --resume goes on."""
    how = training_package("engines").Engine(engine, runners, learners, ray_address)
    training_package("commands").run_command(config, changes or [], out, resume, seeds, how)


def sweep(
    file: Annotated[Path, typer.Argument(help="A YAML file: config, settings to vary, seeds.")],
    out: Annotated[Path | None, typer.Option(help="A folder for all runs; runs/NAME by default.")] = None,
    parallel: Annotated[int | None, typer.Option(help="With Ray: at most so many runs at a time.")] = None,
    ray_address: Annotated[str | None, typer.Option(help="A Ray cluster that runs already.")] = None,
    local: Annotated[bool, typer.Option("--local", help="One run after the other, even if Ray is installed.")] = False,
) -> None:
    """Train at several settings and seeds, and show one table; begun again, it goes on with what is there."""
    training_package("sweeps").run_sweep(file, out, parallel, ray_address, local)


def release(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    folder: Annotated[Path, typer.Argument(help="A new folder for the agent, such as checkpoints/NAME.")],
    games: Annotated[int, typer.Option(help="Held-out deals that it is measured on.")] = 5000,
    force: Annotated[bool, typer.Option("--force", help="Replace an agent that was released there.")] = False,
) -> None:
    """Make a released agent of a run: config, weights that execute nothing, and what it scores on held-out deals."""
    training_package("commands").run_release(run, folder, games, force)


def speed_train(
    config: Annotated[Path | None, typer.Argument(help="A YAML file; the defaults at coop-2p-expert without.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="Change a setting; may be repeated.")] = None,
    seconds: Annotated[float, typer.Option(help="Time for each line and round.")] = 10.0,
) -> None:
    """Steps per second of training, beside torch alone and beside the usual recipe."""
    training_package("commands").run_speed(config, changes or [], seconds)


def speed_rllib(
    config: Annotated[Path | None, typer.Argument(help="A YAML file; the defaults at coop-2p-expert without.")] = None,
    changes: Annotated[list[str] | None, typer.Option("--set", help="Change a setting; may be repeated.")] = None,
    seconds: Annotated[float, typer.Option(help="Time for each line and round.")] = 10.0,
    runners: Annotated[str, typer.Option(help="Also train with so many runners, such as 1,2; none by default.")] = "",
) -> None:
    """Steps per second of RLlib on whole batches of games, beside RLlib's own ways."""
    training_package("commands").run_rllib_speed(config, changes or [], seconds, runners)


def training_package(module: str) -> ModuleType:
    """A module of the training package; one line that says how to get it if it is not there."""
    try:
        return importlib.import_module(f"timeline_twist_training.{module}")
    except ImportError as error:
        raise SettingsError(
            f"train: {error.name} is not installed; pip install 'timeline-twist[train]' brings all that training needs"
        ) from error
