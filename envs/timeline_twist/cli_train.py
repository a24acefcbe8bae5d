"""The commands `timeline-twist train`, `release` and `speed train`; their work is done by the package of that extra."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from timeline_twist.errors import SettingsError


def register(app: typer.Typer, speed_app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("train")(train)
    app.command("release")(release)
    speed_app.command("train")(speed_train)


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
) -> None:
    """Train an agent with PPO; Ctrl-C stops, --resume goes on."""
    training_package("commands").run_command(config, changes or [], out, resume, seeds)


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


def training_package(module: str) -> ModuleType:
    """A module of the training package; one line that says how to get it if it is not there."""
    try:
        return importlib.import_module(f"timeline_twist_training.{module}")
    except ImportError as error:
        raise SettingsError(
            f"train: {error.name} is not installed; pip install 'timeline-twist[train]' brings all that training needs"
        ) from error
