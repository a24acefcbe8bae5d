"""A run of self-play: that of timeline_twist_training.train, with snapshots, and wins against the suite's opponent.

An evaluation plays the fixed deals against the opponent that the suite names, on each seat in turn, as `timeline-twist
evaluate` does; the best agent is the one with the highest share of wins.
"""

from pathlib import Path
from typing import Any, cast

import numpy as np

from timeline_twist.agents.registry import make
from timeline_twist.engine import END_REASONS
from timeline_twist.evaluation.running import Runner
from timeline_twist.evaluation.statistics import mean_with_interval
from timeline_twist_training import release
from timeline_twist_training.config import Config
from timeline_twist_training.selfplay import SelfPlayVecEnv
from timeline_twist_training.train import Say, Training


class SelfPlayTraining(Training):
    """One run of self-play, from its first update or from a checkpoint to its end."""

    def __init__(self, config: Config, folder: Path, say: Say) -> None:
        super().__init__(config, folder, say)
        self.pool = cast("SelfPlayVecEnv", self.env).pool
        self.progress["snapshots"] = []

    def update(self) -> None:
        self.take_snapshots()
        super().update()

    def take_snapshots(self) -> None:
        """What the learner is now becomes an opponent, and an agent in the run folder, as often as the config says."""
        settings = self.pool.settings
        while self.pool.taken * settings.every <= self.model.num_timesteps:
            number = self.pool.take(self.actor)
            self.progress["snapshots"].append({"number": number, "steps": self.model.num_timesteps})
            self.keep(f"{release.SNAPSHOTS}/{number:03}")

    def evaluate(self) -> None:
        """Play the fixed deals, log what became of them, keep the agent if none was better."""
        settings = self.config.evaluation
        opponent = make(cast("str", self.suite.opponent))
        runner = Runner(self.agent(), self.suite, settings.games, opponent=opponent, seed=settings.seed)
        columns = runner.play(chunk=settings.games).columns
        result = mean_with_interval(columns["win_share"].tolist())
        line = {
            "steps": self.model.num_timesteps,
            "minutes": round(self.progress["seconds"] / 60, 2),
            "win_share": result["mean"],
            "interval": result["interval"],
            "against": opponent.name,
        }
        self.progress["evaluations"].append(line)
        self.log_wins(columns)
        self.compare(line, line["win_share"])

    def log_wins(self, columns: dict[str, Any]) -> None:
        logger = self.model.logger
        logger.record("evaluation/win_share", float(columns["win_share"].mean()))
        for seat in np.unique(columns["seat"]):
            wins = columns["win_share"][columns["seat"] == seat]
            logger.record(f"evaluation/win_share_on_seat_{seat}", float(wins.mean()))
        for name in ("rounds", "length"):
            logger.record(f"evaluation/{name}", float(columns[name].mean()))
        for number, name in enumerate(END_REASONS):
            if (columns["end"] == number).any():
                logger.record(f"ends/{name}", float((columns["end"] == number).mean()))
        logger.dump(self.model.num_timesteps)

    def log_games(self, seconds: float, steps: int) -> None:
        """What became of the games that ended in this update, against the whole pool."""
        model, logger, ended = self.model, self.model.logger, self.env.take_endings()
        logger.record("speed/steps_per_second", steps / seconds)
        logger.record("train/entropy_coefficient", model.ent_coef)
        logger.record("selfplay/opponents", len(self.pool.players))
        if len(ended):
            logger.record("games/reward", float(ended["final_return"].mean()))
            logger.record("games/length", float(ended["final_length"].mean()))
        logger.dump(model.num_timesteps)
        self.say({"steps": model.num_timesteps, "speed": steps / seconds, "seconds": self.progress["seconds"]})

    def metrics(self) -> dict[str, Any]:
        return super().metrics() | {"snapshots": self.progress["snapshots"]}
