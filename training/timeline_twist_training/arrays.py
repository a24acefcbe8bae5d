"""What stable-baselines3 asks of a VecEnv, for games that are arrays: nothing passes through Python game by game."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from timeline_twist.batch import Batch
from timeline_twist.observation import Layout

Array = npt.NDArray[Any]


class ArraysVecEnv(VecEnv):
    """Games of one batch: masks, observations, rewards and ends are arrays."""

    batch: Batch
    layout: Layout  # of what the actor sees
    seen: int  # so much of an observation is the actor's
    _masks: Array

    def __init__(self, count: int, observations: spaces.Space[Any], actions: spaces.Space[Any]) -> None:
        self.render_mode = None
        self.endings: list[Array] = []  # outcomes of the games that ended since they were last taken
        super().__init__(count, observations, actions)

    def deal(self, seed: int) -> None:
        """New games: the first has this seed, and each of the others one of its own."""
        raise NotImplementedError

    def observe(self) -> Array:
        """What the learner sees of every game as it stands, and the critic beside it."""
        raise NotImplementedError

    def join(self, actor: torch.nn.Module) -> None:
        """What the learner is, for games in which it also plays by itself; before the first deal."""

    def kept(self) -> dict[str, Any]:
        """The games as they stand, as tensors; `restore` brings them back."""
        return {name: as_tensor(getattr(self.batch, name)) for name in ("games", "estimates", "outcomes")}

    def restore(self, content: dict[str, Any]) -> None:
        for name in ("games", "estimates", "outcomes"):
            fill(getattr(self.batch, name), content[name])

    def take_endings(self) -> Array:
        """The outcomes of the games that have ended since the last call."""
        endings = np.concatenate(self.endings) if self.endings else np.zeros(0, self.batch.outcomes.dtype)
        self.endings = []
        return endings

    def action_masks(self) -> Array:
        return self._masks

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:  # noqa: ARG002
        return getattr(self, method_name)(*args, **kwargs)

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:  # noqa: ARG002
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ARG002
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002
        return [False] * self.num_envs

    def get_images(self) -> Sequence[None]:
        return [None] * self.num_envs

    def close(self) -> None:
        """Nothing to close."""


def as_tensor(array: Any) -> torch.Tensor:
    """The bytes of an array."""
    return torch.from_numpy(np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1).copy())


def fill(array: Any, content: torch.Tensor) -> None:
    """Bring the bytes back; an error if they are not as many."""
    array[...] = content.numpy().view(array.dtype).reshape(array.shape)
