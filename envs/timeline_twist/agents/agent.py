"""What an agent is: it is shown what the players on turn know (timeline_twist.agents.seen) and chooses for each.

    class FirstLegal(Agent):
        name = "first"

        def act(self, seen):
            return seen.masks.argmax(axis=1)

An agent works for any number of games at once, keeps nothing between two calls, and takes its random numbers from
`seen.keys`: then its choices do not depend on which other games are asked about in the same call. (A function of
observations and masks has no such keys: if it draws random numbers of its own, its results change with the size of the
batches.) `features` and `slots` say which observations and action numbers it wants.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.seen import Seen
from timeline_twist.batch import Indices
from timeline_twist.errors import SettingsError

MODES = ("coop", "competitive")


class Agent(ABC):
    """Chooses actions for the players on turn."""

    name: str  # as on the command line, with the settings that are not the default ones; else the class's
    modes: tuple[str, ...] = MODES
    features: ClassVar[str] = "full"
    slots: ClassVar[str] = "table"

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if not hasattr(cls, "name"):
            cls.name = cls.__name__

    @abstractmethod
    def act(self, seen: Seen) -> Indices:
        """One legal action for each of the games."""

    def probabilities(self, seen: Seen) -> npt.NDArray[np.float64]:
        """How likely it is to choose each action, [n, actions]; by default it is certain of what it does."""
        chances = np.zeros((len(seen), seen.table.actions))
        chances[np.arange(len(seen)), self.act(seen)] = 1
        return chances

    def values(self, seen: Seen) -> npt.NDArray[np.float64] | None:  # noqa: ARG002  (most agents have none)
        """What it expects of each action (co-op: the final score, competitive: the reward), NaN where it did not look;
        None if it does not think in such numbers."""
        return None

    def check(self, seen: Seen) -> None:  # noqa: B027  (most agents play at any table)
        """Raise a SettingsError if the agent cannot play at this table; called before the first action."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


class FunctionAgent(Agent):
    """A function of observations and action masks, both in batch, that gives actions."""

    def __init__(self, function: Callable[[Any, Any], Any], name: str | None = None) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))

    def act(self, seen: Seen) -> Indices:
        return check_actions(self, self.function(seen.observations, seen.masks), len(seen))


def check_actions(agent: Agent, actions: Any, count: int) -> Indices:
    """The actions as an array, or an error if they are not whole numbers, one for each game."""
    try:
        array = np.asarray(actions)
    except ValueError:
        raise SettingsError(f"{agent.name}: gave lists of different lengths; give {count} whole numbers") from None
    if array.shape != (count,) or not np.issubdtype(array.dtype, np.integer):
        raise SettingsError(f"{agent.name}: gave {array.dtype} of shape {array.shape}; give {count} whole numbers")
    return array.astype(np.int64)
