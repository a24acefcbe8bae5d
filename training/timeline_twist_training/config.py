"""Experiments: one YAML file each, checked strictly; every setting and its default stands here.

    suite: coop-2p-expert           # the only one that must be given
    ppo: {steps: 40_000_000}

`load("configs/quick.yaml", ["ppo.steps=2_000_000"])` gives a `Config`, which cannot be changed. A setting that nobody
knows is an error that names the nearest one. YAML reads `3e-4` as text: write `3.0e-4`.
"""

import math
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from timeline_twist.errors import SettingsError, UserError
from timeline_twist.evaluation.suites import StrictLoader, load_suite, read_yaml
from timeline_twist.tables import nearest

VERSION = 1  # `Config.version`, of the format; a file of another one is refused


class Strict(BaseModel):
    """No unknown settings, no silent conversions, no changes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Network(Strict):
    """The actor (timeline_twist_training.networks)."""

    kind: Literal["mlp", "cards"] = "mlp"
    widths: list[int] = Field(default=[256, 256], min_length=1)  # of the context, or of all layers of an mlp
    card_widths: list[int] = Field(default=[64, 64], min_length=1)  # of the encoder of cards
    head_width: int = Field(default=64, ge=1, le=4096)  # of the head that scores a card


class Critic(Strict):
    """What judges games while the actor learns; it is not released."""

    widths: list[int] = Field(default=[256, 256], min_length=1)
    sees_hidden: bool = True  # the draw pile, true times and backs (timeline_twist.coop_hidden)
    alone: int = Field(default=0, ge=0)  # steps in which it learns alone: a new critic would spoil a trained actor


class Ppo(Strict):
    """The learner: sb3-contrib's MaskablePPO. Rates fall in a straight line to the `final_` ones."""

    steps: int = Field(default=40_000_000, ge=1)  # decisions in all
    games: int = Field(default=1024, ge=1, le=65_536)  # played side by side
    horizon: int = Field(default=64, ge=1, le=4096)  # decisions of each game between two updates
    epochs: int = Field(default=2, ge=1, le=100)
    minibatch: int = Field(default=4096, ge=2)
    learning_rate: float = Field(default=1.0e-3, gt=0, le=1)
    final_learning_rate: float = Field(default=0.0, ge=0, le=1)
    entropy: float = Field(default=0.01, ge=0, le=10)
    final_entropy: float = Field(default=0.0, ge=0, le=10)
    clip: float = Field(default=0.2, gt=0, le=1)
    gamma: float = Field(default=1.0, gt=0, le=1)  # games are short: nothing is discounted
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    value_weight: float = Field(default=0.5, ge=0, le=100)
    largest_gradient: float = Field(default=0.5, gt=0)
    reward_scale: float = Field(default=0.1, gt=0)  # keeps the critic's errors near 1


class Imitation(Strict):
    """Learning from another agent's decisions before PPO begins (timeline_twist_training.imitate)."""

    agent: str | None = None  # a name or a folder, as on the command line
    steps: int = Field(default=0, ge=0)  # how many of `ppo.steps`; 0: none
    epochs: int = Field(default=1, ge=1, le=100)  # more where the agent takes long to answer
    minibatch: int = Field(default=4096, ge=2)


class Lookahead(Strict):
    """Learning what a look one action ahead finds, after PPO (timeline_twist_training.lookahead)."""

    steps: int = Field(default=0, ge=0)  # the last ones of `ppo.steps`; 0: none
    worlds: int = Field(default=8, ge=1, le=1000)  # in which every action is tried
    floor: float = Field(default=0.001, gt=0, lt=1)  # the least chance of an action that is tried
    temperature: float = Field(default=0.5, gt=0, le=100)  # points; lower: bolder
    epochs: int = Field(default=1, ge=1, le=100)
    minibatch: int = Field(default=1024, ge=2)
    learning_rate: float = Field(default=5.0e-4, gt=0, le=1)
    final_learning_rate: float = Field(default=3.0e-5, ge=0, le=1)


class Evaluation(Strict):
    """Games on fixed deals while training goes on; they choose the best model. Published deals are others (seed 0)."""

    every: int = Field(default=2_000_000, ge=1)  # steps
    games: int = Field(default=1000, ge=1, le=100_000)
    seed: int = Field(default=1, ge=1, le=2**31)


class Config(Strict):
    """An experiment."""

    version: Literal[1] = 1
    suite: str  # the table: a name (`timeline-twist suites`) or the path of a YAML file
    seed: int = Field(default=0, ge=0, le=2**31)
    start_from: str | None = None  # a released agent whose weights are taken over where they fit
    features: Literal["full", "raw"] = "full"
    slots: Literal["sorted", "table"] = "sorted"
    canonical: bool = True  # situations that differ by names only are shown as one (timeline_twist_training.canonical)
    rows: bool = False  # whether networks see the three rows by position too; without full features they always do
    precision: Literal["auto", "bfloat16", "float32"] = "auto"  # of products while training; weights are float32
    threads: int = Field(default=1, ge=1, le=256)  # of torch; on shared cores two were slower than one
    checkpoint_minutes: float = Field(default=2.0, gt=0)
    network: Network = Network()
    critic: Critic = Critic()
    ppo: Ppo = Ppo()
    imitation: Imitation = Imitation()
    lookahead: Lookahead = Lookahead()
    evaluation: Evaluation = Evaluation()

    @field_validator("suite")
    @classmethod
    def _known_suite(cls, name: str) -> str:
        if load_suite(name).mode != "coop":
            raise ValueError(f"{name} is a competitive suite; co-op only")
        return name


def load(path: str | Path, changes: list[str] | None = None) -> Config:
    """The experiment of a YAML file, with changes such as `ppo.steps=1_000_000`."""
    content = read_yaml(Path(path))
    content = {} if content is None else content
    if not isinstance(content, dict):
        raise SettingsError(f"{path}: not a mapping; it has {', '.join(Config.model_fields)}")
    for change in changes or []:
        apply_change(content, change)
    return check(content, str(path))


def check(content: Any, source: str) -> Config:
    """The content of a file as a config; the first mistake is an error of one line."""
    if isinstance(content, dict) and content.get("version", VERSION) != VERSION:
        raise SettingsError(
            f"{source}: version: {content['version']!r}; this program reads {VERSION}: use the one that wrote it"
        )
    try:
        config = Config.model_validate(content)
    except UserError as error:
        raise SettingsError(f"{source}: suite: {error}") from error
    except ValidationError as error:
        raise SettingsError(f"{source}: {describe(error)}") from None
    if config.imitation.steps and config.imitation.agent is None:
        raise SettingsError(f"{source}: imitation.agent: missing; name an agent, or leave imitation.steps out")
    if config.imitation.steps + config.lookahead.steps > config.ppo.steps:
        raise SettingsError(f"{source}: ppo.steps: fewer than those of imitation and lookahead; give more")
    if config.ppo.games * config.ppo.horizon < config.ppo.minibatch:
        raise SettingsError(f"{source}: ppo.minibatch: more than games x horizon; make it smaller")
    return config


def describe(error: ValidationError) -> str:
    """Where, what, and what instead, of the first mistake."""
    first = error.errors()[0]
    place = [str(part) for part in first["loc"]]
    where = ".".join(place)
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown setting; {nearest(place[-1], known_at(place[:-1]), 'there are')}"
    if first["type"] == "missing":
        return f"{where}: missing; name one of `timeline-twist suites`"
    given = first["input"]
    hint = "; YAML reads 3e-4 as text, write 3.0e-4" if isinstance(given, str) and is_number(given) else ""
    return f"{where}: {given!r}: {first['msg'][0].lower()}{first['msg'][1:]}{hint}"


def is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def known_at(place: list[str]) -> list[str]:
    model: Any = Config
    for part in place:
        model = model.model_fields[part].annotation
    return list(model.model_fields)


def apply_change(content: dict[str, Any], change: str) -> None:
    """Set `a.b=value` in the content of a file; the value is read as YAML."""
    key, equals, text = change.partition("=")
    if not equals or not key.strip():
        raise SettingsError(f"--set: {change!r} is not a setting; write name=value, such as ppo.steps=1_000_000")
    *places, name = key.strip().split(".")
    target = content
    for place in places:
        target = target.setdefault(place, {})
        if not isinstance(target, dict):
            raise SettingsError(f"--set: {key.strip()}: {place} has no settings of its own")
    try:
        target[name] = yaml.load(text, StrictLoader)  # noqa: S506  (it is a SafeLoader)
    except yaml.YAMLError:
        raise SettingsError(f"--set: {change!r}: the value is not YAML; put it in quotes") from None


def dump(config: Config) -> str:
    """The whole config as YAML, defaults included."""
    return yaml.safe_dump(config.model_dump(), sort_keys=False, allow_unicode=True)
