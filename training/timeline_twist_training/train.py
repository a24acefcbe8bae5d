"""Training: from a config to a run folder with an agent in it.

    from timeline_twist_training import config, train
    train.train(config.load("configs/quick.yaml"), Path("runs/first"))

From top to bottom: games (timeline_twist_training.sb3), networks and policy, the updates of MaskablePPO, and between
them evaluations on fixed deals, TensorBoard, checkpoints. Ctrl-C writes a checkpoint and stops; after anything worse
`resume` loses what came after the last one.
"""

import math
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from stable_baselines3.common.utils import set_random_seed

from timeline_twist import coop_v0
from timeline_twist.agents.agent import Agent
from timeline_twist.agents.playing import play
from timeline_twist.engine import END_REASONS
from timeline_twist.errors import UserError
from timeline_twist.evaluation.bounds import HINDSIGHT, bound
from timeline_twist.evaluation.deals import deal_seeds
from timeline_twist.evaluation.statistics import mean_with_interval
from timeline_twist.evaluation.suites import Suite, load_suite
from timeline_twist.files import write_json
from timeline_twist.observation import SAME_STEP
from timeline_twist.ranks import RANK_BOUNDS, RANK_NAMES
from timeline_twist.vector import CompetitiveVectorEnv
from timeline_twist_training import imitate, release, run
from timeline_twist_training.arrays import ArraysVecEnv
from timeline_twist_training.canonical import canonical_for
from timeline_twist_training.competitive_policy import PairsPolicy
from timeline_twist_training.config import Config
from timeline_twist_training.policy import GamesPolicy, calculates_in_half
from timeline_twist_training.sb3 import GamesBuffer, GamesPPO, GamesVecEnv
from timeline_twist_training.selfplay import SelfPlayVecEnv

HINDSIGHT_DEALS = 100  # of the evaluation's, for the share of hindsight: a search takes 0.1 s for each
SEEDS_APART = 1 << 20  # between the first deals of two config seeds
Say = Callable[[dict[str, Any]], None]


class TrainingError(UserError):
    """Training cannot go on; the message says what is kept."""


def quiet(_: dict[str, Any]) -> None:
    """Tell nobody."""


def train(config: Config, folder: Path, *, say: Say = quiet) -> dict[str, Any]:
    """Train in a new folder; gives the last line of its metrics."""
    run.create(folder, config)
    return training_for(config)(config, folder, say).go_on()


def resume(folder: Path, *, say: Say = quiet) -> dict[str, Any]:
    """Go on where a run stopped."""
    config = release.read_config(folder)
    training = training_for(config)(config, folder, say)
    training.restore()
    return training.go_on()


def training_for(config: Config) -> "type[Training]":
    """What a run of the suite's mode is."""
    if not config.competitive:
        return Training
    from timeline_twist_training.selfplay_training import SelfPlayTraining  # made of the class below

    return SelfPlayTraining


def make_games(config: Config, suite: Suite, count: int, autoreset: int = SAME_STEP) -> GamesVecEnv:
    """Co-op games as a config wants them shown; nothing is dealt yet."""
    settings = suite.settings | {"catalogue": suite.catalogue}
    batch = coop_v0.make_batch(count, **settings, features=config.features, slots=config.slots)
    return GamesVecEnv(
        batch,
        canonical=canonical_for(config, batch.layout, batch.knowledge.kind),
        critic_sees_hidden=config.critic.sees_hidden,
        reward_scale=config.ppo.reward_scale,
        autoreset=autoreset,
    )


def make_env(config: Config, suite: Suite) -> ArraysVecEnv:
    """The learner's games; nothing is dealt yet."""
    ppo = config.ppo
    if config.selfplay is None:
        return make_games(config, suite, ppo.games)
    settings = suite.settings | {"catalogue": suite.catalogue}
    games = CompetitiveVectorEnv(ppo.games, **settings, features=config.features, slots=config.slots)
    return SelfPlayVecEnv(
        games, config.selfplay, config.network.places, critic=config.critic, reward_scale=ppo.reward_scale
    )


def make_model(config: Config, suite: Suite) -> tuple[GamesPPO, ArraysVecEnv]:
    """PPO and its games, as a config says; nothing is dealt yet."""
    ppo, env = config.ppo, make_env(config, suite)
    half_precision = calculates_in_half(config.precision)
    set_random_seed(config.seed)
    model = GamesPPO(
        PairsPolicy if config.competitive else GamesPolicy,
        env,
        learning_rate=falling(ppo.learning_rate, ppo.final_learning_rate),
        n_steps=ppo.horizon,
        batch_size=ppo.minibatch,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip,
        ent_coef=ppo.entropy,
        vf_coef=ppo.value_weight,
        max_grad_norm=ppo.largest_gradient,
        seed=config.seed,
        device="cpu",
        rollout_buffer_class=GamesBuffer,
        rollout_buffer_kwargs={"half_precision": half_precision},
        policy_kwargs={
            "network": config.network,
            "critic": config.critic,
            "layout": env.layout,
            "half_precision": half_precision,
        },
    )
    env.join(cast("torch.nn.Module", model.policy.actor))
    return model, env


def falling(first: float, last: float) -> Callable[[float], float]:
    """A rate by the share of training that remains."""
    return lambda remaining: last + (first - last) * remaining


class Training:
    """One run, from its first update or from a checkpoint to its end."""

    def __init__(self, config: Config, folder: Path, say: Say) -> None:
        torch.set_num_threads(config.threads)
        self.config, self.folder, self.say = config, folder, say
        self.suite = load_suite(config.suite)
        self.model, self.env = make_model(config, self.suite)
        self.actor = cast("torch.nn.Module", self.model.policy.actor)
        if config.start_from is not None:
            release.take_over(self.actor, Path(config.start_from))
        self.env.deal(config.seed * SEEDS_APART)
        imitation, self.teacher = config.imitation, None
        if imitation.steps and isinstance(self.env, GamesVecEnv):
            self.teacher = imitate.Teacher(str(imitation.agent), self.env, config.seed)
        self.progress: dict[str, Any] = {"seconds": 0.0, "evaluations": [], "best": None}
        self.board = TensorBoardOutputFormat(str(folder / "tb"))
        self.model.set_logger(Logger(str(folder), [self.board]))
        self.nothing = CallbackList([])  # PPO asks for one
        self.nothing.init_callback(self.model)
        self.saved = time.monotonic()

    def restore(self) -> None:
        """Bring everything to where the last checkpoint was."""
        self.progress = run.load_resume(self.folder, self.model, self.env)

    def go_on(self) -> dict[str, Any]:
        """Train until all steps are done."""
        model, ppo = self.model, self.config.ppo
        self.look()
        if not self.progress["evaluations"]:
            self.evaluate()
        try:
            while model.num_timesteps < ppo.steps:
                self.update()
                if self.due() or model.num_timesteps >= ppo.steps:
                    self.evaluate()
                if time.monotonic() - self.saved > 60 * self.config.checkpoint_minutes:
                    self.save()
        except KeyboardInterrupt:
            self.save()
            raise
        finally:
            model.logger.close()
        self.save()
        last: dict[str, Any] = self.progress["evaluations"][-1]
        return last

    def look(self) -> None:
        """What PPO goes on from: the games as they stand."""
        self.model._last_obs = self.env.observe()
        self.model._last_episode_starts = self.env.batch.outcomes["terminated"].astype(np.bool_)

    def update(self) -> None:
        """Play on, learn from it, log it."""
        model, ppo = self.model, self.config.ppo
        began = time.perf_counter()
        before = model.num_timesteps
        model.teacher = self.teacher if before < self.config.imitation.steps else None
        model.collect_rollouts(self.env, self.nothing, model.rollout_buffer, ppo.horizon)
        model._update_current_progress_remaining(before, ppo.steps)
        model.ent_coef = falling(ppo.entropy, ppo.final_entropy)(model._current_progress_remaining)
        self.actor.requires_grad_(before >= self.config.critic.alone)
        if model.teacher is None:
            model.train()
        else:
            imitate.learn(model, self.config.imitation.epochs, self.config.imitation.minibatch)
        seconds = time.perf_counter() - began
        self.progress["seconds"] += seconds
        self.log_games(seconds, model.num_timesteps - before)
        self.check_numbers()

    def log_games(self, seconds: float, steps: int) -> None:
        """What became of the games that ended in this update."""
        model, logger, ended = self.model, self.model.logger, self.env.take_endings()
        logger.record("speed/steps_per_second", steps / seconds)
        logger.record("train/entropy_coefficient", model.ent_coef)
        line = {"steps": model.num_timesteps, "speed": steps / seconds, "seconds": self.progress["seconds"]}
        if len(ended):
            logger.record("games/score", float(ended["final_score"].mean()))
            logger.record("games/length", float(ended["final_length"].mean()))
            line["score"] = float(ended["final_score"].mean())
        logger.dump(model.num_timesteps)
        self.say(line)

    def check_numbers(self) -> None:
        """A weight that is no number spoils everything after it: stop before it is written anywhere."""
        self.check_weights(self.model.policy.named_parameters())

    def check_weights(self, parameters: Iterable[tuple[str, torch.Tensor]]) -> None:
        for name, weights in parameters:
            if not torch.isfinite(weights).all():
                raise TrainingError(
                    f"{self.folder}: after {self.model.num_timesteps:,} steps {name} is no longer a number (nan); "
                    f"the last checkpoint is kept: lower ppo.learning_rate and start anew"
                )

    def due(self) -> bool:
        last = self.progress["evaluations"][-1]["steps"]
        return bool(self.model.num_timesteps - last >= self.config.evaluation.every)

    def agent(self) -> Agent:
        """The agent as it is now."""
        weights = {name: value.detach().clone() for name, value in self.actor.state_dict().items()}
        return release.make_agent(self.folder.name, self.config, weights)

    def evaluate(self) -> None:
        """Play the fixed deals, log what became of them, keep the agent if none was better."""
        settings = self.config.evaluation
        batch: Any = self.suite.make_batch(settings.games)
        batch.deal(range(settings.games), deal_seeds(range(settings.games), settings.seed))
        effort = play(batch, [self.agent()])
        scores = batch._scores(batch.games).astype(np.int64)
        result = mean_with_interval(scores.tolist())
        hindsight = self.hindsight()
        share = float(scores[: len(hindsight)].mean() / np.mean(hindsight)) if hindsight else math.nan
        line = {
            "steps": self.model.num_timesteps,
            "minutes": round(self.progress["seconds"] / 60, 2),
            "score": result["mean"],
            "interval": result["interval"],
            "share_of_hindsight": share,
        }
        self.progress["evaluations"].append(line)
        self.log_evaluation(scores, batch.games["end"], effort.lengths, share)
        self.log_picture(batch)
        self.compare(line, line["score"])

    def compare(self, line: dict[str, Any], value: float) -> None:
        """Keep the agent if its evaluation is the best so far."""
        if self.progress["best"] is None or value > self.progress["best"]:
            self.progress["best"] = value
            self.keep("best")
        write_json(self.folder / run.METRICS, self.metrics())
        self.say({"evaluation": line, **line})

    def hindsight(self) -> list[float]:
        """The best scores that hindsight finds on the first deals of the evaluation."""
        settings = self.config.evaluation
        found = bound(HINDSIGHT, self.suite, min(HINDSIGHT_DEALS, settings.games), seed=settings.seed)
        return found.values if found else []

    def log_evaluation(self, scores: Any, ends: Any, lengths: Any, share: float) -> None:
        logger = self.model.logger
        logger.record("evaluation/score", float(scores.mean()))
        logger.record("evaluation/share_of_hindsight", share)
        logger.record("evaluation/length", float(lengths.mean()))
        ranks = np.searchsorted(RANK_BOUNDS, scores, side="right")
        for number, name in enumerate(RANK_NAMES["en"]):
            logger.record(f"ranks/{number}_{name.replace(' ', '_')}", float((ranks == number).mean()))
        for number, name in enumerate(END_REASONS):
            if (ends == number).any() or name in ("all_cards_used", "no_legal_action", "failed_play"):
                logger.record(f"ends/{name}", float((ends == number).mean()))
        logger.dump(self.model.num_timesteps)

    def log_picture(self, batch: Any) -> None:
        """The table at the end of the first game, where pictures can be made."""
        try:
            from timeline_twist.public_view import view
            from timeline_twist.render import picture_of

            picture = picture_of(view(batch.table, batch.games[0]))
        except (ImportError, UserError):
            return  # without the extra `render` there are no pictures
        self.board.writer.add_image("table", picture, self.model.num_timesteps, dataformats="HWC")

    def keep(self, name: str) -> None:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        release.save(folder, self.config, self.actor)

    def metrics(self) -> dict[str, Any]:
        keys = ("evaluations", "best")
        minutes = round(self.progress["seconds"] / 60, 2)
        return {"suite": self.config.suite, "minutes": minutes} | {key: self.progress[key] for key in keys}

    def save(self) -> None:
        """A checkpoint."""
        self.keep("last")
        run.save_resume(self.folder, self.model, self.env, self.progress)
        write_json(self.folder / run.METRICS, self.metrics())
        self.saved = time.monotonic()
