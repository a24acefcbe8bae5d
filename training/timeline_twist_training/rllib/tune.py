"""The runs of a sweep as trials of Ray Tune: as many at a time as there is room for."""

import os
import sys
from pathlib import Path
from typing import Any

from ray import tune

from timeline_twist.errors import SettingsError
from timeline_twist_training.rllib.train import Cluster, Session
from timeline_twist_training.sweeps import Run, carry_out

TRIALS = "tune"  # Tune's own notes, in the folder of the sweep


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
            run_config=tune.RunConfig(name=TRIALS, storage_path=str(folder.absolute()), verbose=1),
        ).fit()
    for result in results:
        if result.error is not None:
            place = every[result.config["number"]].place if result.config else folder
            last = str(result.error).strip().splitlines()[-1]
            print(f"timeline-twist: {place}: failed: {last}", file=sys.stderr)
    if len(results.errors) == len(every):
        raise SettingsError(f"{folder}: every run failed; the reasons are above")


def work(settings: dict[str, Any], every: list[Run]) -> None:
    """One trial."""
    # Tune ends trials by SIGTERM at Ctrl-C: a run then writes its checkpoint, as at any interruption.
    run = every[settings["number"]]
    carry_out(
        run, lambda line: tune.report({"steps": line["steps"], "score": line["score"]}) if "score" in line else None
    )
