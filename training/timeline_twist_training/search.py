"""`FOLDER+rollout`: a trained policy with search on top.

The policy names the actions that are worth a thought (those it would choose with a chance of `floor` or more, its
`most` favourites at most). Each is tried in worlds that the seat may be in (timeline_twist.agents.coop_imagine), the
same ones for all actions, and the policy plays every world to its end. Worlds come in rounds: a decision is settled as
soon as all other actions are behind the best by more than chance explains, at the latest after `rollouts` worlds. The
policy's own favourite stays unless another is clearly ahead of it, as in timeline_twist.agents.comparing.

All games of a call are searched side by side, so that the network is asked about thousands of positions at a time; an
evaluation therefore plays at least `smallest_chunk` of them together. The last bits of what a network calculates depend
on how many positions it is asked about, so that in one decision out of many thousands a tie may go another way then.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from torch import Tensor

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.comparing import CLEARLY_AHEAD, TOO_FAR_BEHIND
from timeline_twist.agents.coop_worlds import coop_imagine_batch
from timeline_twist.agents.seen import Seen
from timeline_twist.batch import Indices
from timeline_twist.coop_batch import coop_observe_some, coop_step_some
from timeline_twist.engine import RUNNING
from timeline_twist.errors import SettingsError
from timeline_twist.knowledge import FACES
from timeline_twist.records import minds_dtype, pool_dtype, work_dtype
from timeline_twist.tables import whole_number
from timeline_twist_training.agent import NetworkAgent, Sight
from timeline_twist_training.config import Config
from timeline_twist_training.policy import calculates_in_half

# A trained policy is nearly certain of what it does: a higher floor leaves the search nothing to find.
ROLLOUTS, MOST, FLOOR = 64, 4, 0.0005
ROUND = 16  # worlds between two looks at who is behind
GAMES_AT_A_TIME = 256  # whose worlds are in memory together

Values = npt.NDArray[np.float64]


class SearchAgent(NetworkAgent):
    """`rollouts`: worlds, at most; `most`: actions tried, at most; `floor`: the least chance of an action tried."""

    smallest_chunk = 64  # games that are played together; see timeline_twist.evaluation.running

    def __init__(
        self,
        name: str,
        config: Config,
        weights: dict[str, Tensor],
        rollouts: int | str = ROLLOUTS,
        most: int | str = MOST,
        floor: float | str = FLOOR,
    ) -> None:
        super().__init__(name, config, weights)
        self.rollouts = whole_number("rollouts", as_number(rollouts), 2, 1_000_000)
        self.most = whole_number("most", as_number(most), 1, 9)
        self.floor = as_share("floor", floor)
        given = {"rollouts": (self.rollouts, ROLLOUTS), "most": (self.most, MOST), "floor": (self.floor, FLOOR)}
        others = ",".join(f"{key}={value:g}" for key, (value, usual) in given.items() if value != usual)
        self.name = f"{name}+rollout" + (f":{others}" if others else "")

    def check(self, seen: Seen) -> None:
        super().check(seen)
        if int(seen.view["kind"][0]) == FACES:
            raise SettingsError(
                f"{self.name}: under 'faces' a world cannot be imagined: which dates the faces have stands in the "
                "network alone; play without +rollout"
            )

    def act(self, seen: Seen) -> Indices:
        return self.search(seen)[0]

    def probabilities(self, seen: Seen) -> Values:
        """It is certain of what it has found."""
        return Agent.probabilities(self, seen)

    def values(self, seen: Seen) -> Values:
        return self.search(seen)[1]

    def search(self, seen: Seen) -> tuple[Indices, Values]:
        """The best actions, and the mean final scores of those that were tried, NaN elsewhere."""
        chances = self.policy(seen)
        actions = chances.argmax(axis=1)
        values = np.full(chances.shape, np.nan)
        tried = self.worth_trying(chances)
        open_ones = np.flatnonzero(tried.sum(axis=1) > 1)
        for first in range(0, len(open_ones), GAMES_AT_A_TIME):
            which = open_ones[first : first + GAMES_AT_A_TIME]
            self.decide(seen, which, tried[which], actions, values)
        return actions, values

    def worth_trying(self, chances: Values) -> npt.NDArray[np.bool_]:
        """The policy's favourites in each game."""
        lowest = np.sort(chances, axis=1)[:, -self.most][:, None]
        return (chances >= self.floor) & (chances >= lowest) & (chances > 0)

    def decide(
        self, seen: Seen, which: Indices, tried: npt.NDArray[np.bool_], actions: Indices, values: Values
    ) -> None:
        """Try the actions of these games in worlds, round by round, until every game is settled."""
        tables = Rollouts(self.sight(seen), seen, which)
        scores = np.zeros((len(which), tried.shape[1], 0))
        usual = actions[which]
        going_on = np.arange(len(which))
        while len(going_on):
            more = min(ROUND, self.rollouts - scores.shape[2])
            new = np.zeros((len(which), tried.shape[1], more))
            new[going_on] = tables.play(going_on, tried[going_on], more)
            scores = np.concatenate([scores, new], axis=2)
            for k in going_on:
                tried[k] &= ~behind(scores[k], tried[k])
                values[which[k], tried[k]] = scores[k, tried[k]].mean(axis=1)
                actions[which[k]] = settle(scores[k], tried[k], int(usual[k]))
            unsettled = tried[going_on].sum(axis=1) > 1
            going_on = going_on[unsettled] if scores.shape[2] < self.rollouts else going_on[:0]


def behind(scores: Values, tried: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of the tried actions have fallen behind the best by more than chance explains."""
    best = np.where(tried, scores.mean(axis=1), -np.inf).argmax()
    lead = scores[best] - scores
    errors = lead.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    # The best is never behind itself: its lead is 0.
    fallen: npt.NDArray[np.bool_] = tried & (lead.mean(axis=1) > TOO_FAR_BEHIND * errors)
    return fallen


def settle(scores: Values, tried: npt.NDArray[np.bool_], usual: int) -> int:
    """The best action; the usual one if that was not dropped and the best is not clearly ahead of it."""
    best = int(np.where(tried, scores.mean(axis=1), -np.inf).argmax())
    if best == usual or not tried[usual]:
        return best
    lead = scores[best] - scores[usual]
    error = lead.std(ddof=1) / np.sqrt(len(lead))
    return best if lead.mean() > CLEARLY_AHEAD * error else usual


class Worlds:
    """Imagined worlds of several games."""

    def __init__(self, seen: Seen, which: Indices) -> None:
        self.seen, self.which = seen, which
        self.keys = seen.keys[which].copy()
        size = len(seen.cards)
        self.work = np.zeros(1, work_dtype(size))
        self.pool, self.minds = np.zeros(1, pool_dtype(size)), np.zeros(1, minds_dtype(size))

    def branch(self, rows: Indices, game: Indices, action: Indices, count: int) -> tuple[Any, Any]:
        """Action `action[k]` carried out in `count` new worlds of game `rows[game[k]]`: games and estimates, one after
        the other; all actions of a game are tried in the same worlds."""
        worlds, believed = self.imagine(rows, count)
        games = worlds[game].reshape(-1)
        estimates = believed[game].reshape(len(games), *believed.shape[2:])
        self.step(games, estimates, np.arange(len(games)), np.repeat(action, count))
        return games, estimates

    def imagine(self, rows: Indices, count: int) -> tuple[Any, Any]:
        seen, which = self.seen, self.which[rows]
        worlds = np.zeros((len(rows), count), seen.table.record)
        sets = int(seen.view["rows"][0])
        believed = np.zeros((len(rows), count, sets, seen.table.cards_in_game), np.float32)
        keys = self.keys[rows]
        known = (seen.games[which], seen.estimates[which], seen.sigmas[which], seen.cards, seen.view)
        coop_imagine_batch(*known, keys, self.pool, self.minds, worlds, believed)
        self.keys[rows] = keys
        return worlds, believed

    def step(self, games: Any, estimates: Any, which: Indices, actions: Indices) -> None:
        legal = np.zeros(len(which), np.bool_)
        coop_step_some(games, estimates, which, actions, self.seen.view, self.work, legal)

    def observe(self, games: Any, estimates: Any, running: Indices, size: int) -> tuple[Any, Any]:
        """What the players on turn see of games `running`."""
        observations = np.empty((len(running), size), np.float32)
        masks = np.empty((len(running), self.seen.table.actions), np.int8)
        seats = games["turn"][running].astype(np.int64)
        coop_observe_some(games, estimates, running, seats, self.seen.view, self.work, observations, masks)
        return observations, masks


class Rollouts(Worlds):
    """Worlds that a policy plays to their end."""

    def __init__(self, sight: Sight, seen: Seen, which: Indices) -> None:
        super().__init__(seen, which)
        # Half precision: a rollout that errs once in a thousand decisions tells as much in a quarter of the time.
        self.sight = sight.in_half() if calculates_in_half("auto") else sight

    def play(self, rows: Indices, tried: npt.NDArray[np.bool_], count: int) -> Values:
        """The final scores of the tried actions of games `rows` in `count` new worlds, [game, action, world]."""
        game, action = np.nonzero(tried)
        games, estimates = self.branch(rows, game, action, count)
        self.play_on(games, estimates)
        scores = np.zeros((len(rows), tried.shape[1], count))
        final = 3 * games["main_cards"].astype(np.int64) + 2 * games["gap_cards"] - games["deck_size"]
        scores[game, action] = final.reshape(len(game), count)
        return scores

    def play_on(self, games: Any, estimates: Any) -> None:
        """The policy plays all games to their end."""
        while len(running := np.flatnonzero(games["end"] == RUNNING)):
            observations, masks = self.observe(games, estimates, running, self.sight.layout.size)
            chosen = self.sight.logits(observations, masks).argmax(dim=1).numpy()
            self.step(games, estimates, running, chosen)


def as_number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def as_share(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 1:
        raise SettingsError(f"{name}: {value!r} is not a number from 0 to 1")
    return number
