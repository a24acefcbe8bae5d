"""The weights of the rules of thumb, as tuned by timeline_twist.agents.tuning and kept in weights.json."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.coop_thumb import WEIGHTS
from timeline_twist.knowledge import EXPERT, NOISY

FILE = Path(__file__).with_name("weights.json")
# What the weights are tuned under: times known, estimated, or not known at all.
EXACT, ESTIMATED, UNKNOWN = "exact", "estimated", "unknown"


def setting_of(kind: int) -> str:
    """Which weights serve a kind of knowledge."""
    if kind == EXPERT:
        return EXACT
    return ESTIMATED if kind == NOISY else UNKNOWN


def coop_weights(setting: str, players: int) -> npt.NDArray[np.float32]:
    """The weights for a number of players, in the order of `coop_thumb.WEIGHTS`."""
    named = read_file()[setting][str(players)]
    return np.array([named[name] for name in WEIGHTS], np.float32)


@cache
def read_file() -> dict[str, dict[str, dict[str, float]]]:
    weights: dict[str, dict[str, dict[str, float]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return weights
