"""The runs of a sweep as trials of Ray Tune: as many at a time as there is room for."""

import os
import sys
from pathlib import Path
from typing import Any

import typer
from ray import tune

from timeline_twist.errors import SettingsError
from timeline_twist_training.rllib.train import Cluster, Session
from timeline_twist_training.sweeps import INTERRUPTED, Run, carry_out, is_done

TRIALS = "tune"  # Tune's own notes, in the folder of the sweep


class Tell(tune.Callback):  # type: ignore[misc]  # ray has no types
    """A line on stderr for each run that is over."""

    def __init__(self, every: list[Run]) -> None:
        self.every, self.over = every, 0

    def tell(self, trial: Any, how: str) -> None:
        self.over += 1
        place = self.every[trial.config["number"]].place
        print(f"{place}: {how}; {self.over} of {len(self.every)}", file=sys.stderr, flush=True)

    def on_trial_complete(self, iteration: int, trials: Any, trial: Any, **_: Any) -> None:  # noqa: ARG002  (Tune's)
        self.tell(trial, "done")

    def on_trial_error(self, iteration: int, trials: Any, trial: Any, **_: Any) -> None:  # noqa: ARG002  (Tune's)
        self.tell(trial, "failed")


def carry_out_all(every: list[Run], folder: Path, parallel: int | None, address: str | None) -> None:
    """Every run, each in a process of its own; one that fails does not stop the others."""
    # Tune would change the working directory of trials, and paths in configs may be relative.
    os.environ.setdefault("RAY_CHDIR_TO_TRIAL_DIR", "0")
    runners = max(run.engine.runners or 0 for run in every)
    with Session(Cluster(runners=runners, address=address)):
        trial = tune.with_resources(
            tune.with_parameters(work, every=every),
            tune.PlacementGroupFactory([{"CPU": 1.0}] + [{"CPU": 1.0}] * runners, strategy="PACK"),
        )
        results = tune.Tuner(
            trial,
            param_space={"number": tune.grid_search(list(range(len(every))))},
            tune_config=tune.TuneConfig(max_concurrent_trials=parallel or len(every)),
            run_config=tune.RunConfig(
                name=TRIALS, storage_path=str(folder.absolute()), verbose=0, callbacks=[Tell(every)]
            ),
        ).fit()
    check(results, every, folder)


def check(results: Any, every: list[Run], folder: Path) -> None:
    """Say what failed; stop here if nothing is left to compare, or if somebody pressed Ctrl-C."""
    for result in results:
        if result.error is not None:
            last = str(result.error).strip().splitlines()[-1]
            print(f"timeline-twist: {every[result.config['number']].place}: {last}", file=sys.stderr)
    if len(results.errors) == len(every):
        raise SettingsError(f"{folder}: every run failed; the reasons are above")
    if not results.errors and not all(is_done(run) for run in every):
        again = f"timeline-twist sweep, as before: it goes on with {folder}"
        print(f"timeline-twist: interrupted; go on with: {again}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def work(settings: dict[str, Any], every: list[Run]) -> None:
    """One trial."""

    def say(line: dict[str, Any]) -> None:
        if "evaluation" in line:
            tune.report({"steps": line["steps"], "score": line["score"]})

    carry_out(every[settings["number"]], say)
