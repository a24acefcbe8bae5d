"""The other seats of a competitive game: who sits there, and their turns between two of the learner's.

An opponent is an agent (timeline_twist.agents), given by its name such as `"bayes"`, or any function that takes
observations and action masks, both in batch (`[n, size]`, `[n, actions]`), and gives n actions. The choices of
`"random"` and the random numbers of agents depend on the game's seed alone, so that the same seed and the same actions
of the learner are the same game, alone or in any batch. After an error raised by an opponent the games are in the
middle of a step: `reset()`.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.playing import lens_for, take_turn
from timeline_twist.agents.registry import make
from timeline_twist.batch import Batch, CompetitiveBatch
from timeline_twist.compiled import compiled
from timeline_twist.engine import GAMMA, MOVE_STREAM, RUNNING, below, mix
from timeline_twist.errors import SettingsError
from timeline_twist.tables import whole_number

Opponent = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], Any]
Indices = npt.NDArray[np.int64]

RANDOM = "random"
SEAT_STREAM = np.uint64(int.from_bytes(b"TT-seats", "big"))


class Opposition:
    """Fills all seats but one in every game of a batch."""

    def __init__(self, batch: CompetitiveBatch, opponents: Any, seat: int | str) -> None:
        self.batch = batch
        self.opponents = read_opponents(opponents, batch.table.players)
        self.seat = seat if isinstance(seat, str) and seat == RANDOM else check_seat(seat, batch.table.players)
        self.lenses = [lens_for(each, batch) if isinstance(each, Agent) else batch for each in self.opponents]
        self.seats = np.zeros(len(batch), np.int64)
        self.choices = np.zeros(len(batch), np.uint64)
        self.observations = np.zeros_like(batch.observations)
        self.masks = np.zeros_like(batch.masks)

    def begin(self, which: Indices) -> None:
        """Take seats in newly dealt games, and play until it is the learner's turn."""
        seeds = self.batch.games["seed"][which]
        self.choices[which] = seeds
        if self.seat == RANDOM:
            seats = np.zeros(len(which), np.int64)
            draw_seats(seeds, self.batch.table.players, seats)
            self.seats[which] = seats
        else:
            self.seats[which] = self.seat
        self.answer(which)

    def answer(self, which: Indices) -> None:
        """Let the others play in these games until it is the learner's turn or the game is over."""
        while len(which := self.waiting(which)):
            for opponent, lens, theirs in self.groups(which):
                if isinstance(opponent, Agent):
                    take_turn(opponent, lens, theirs, self.next_keys(theirs))
                else:
                    self.take_turn(opponent, theirs)

    def groups(self, which: Indices) -> Iterator[tuple[Any, Batch, Indices]]:
        """Who is on turn in these games: each opponent, what it sees the games through, and those where it is."""
        places = self.places(which)
        for place, opponent in enumerate(self.opponents):
            theirs = which[places == place]
            if len(theirs):
                yield opponent, self.lenses[place], theirs

    def places(self, which: Indices) -> Indices:
        """Whose turn it is, in turns after the learner's, from 0."""
        after: Indices = (self.batch.games["turn"][which] - self.seats[which]) % self.batch.table.players - 1
        return after

    def next_keys(self, which: Indices) -> npt.NDArray[np.uint64]:
        """Random bits for an agent's next decision in these games."""
        keys = np.zeros(len(which), np.uint64)
        advance(self.choices, which, keys)
        return keys

    def take_turn(self, opponent: Any, which: Indices) -> None:
        """Let a function, or random choice, act in these games."""
        observations, masks = self.observations[: len(which)], self.masks[: len(which)]
        if opponent == RANDOM:
            # Random players look at the mask only.
            self.batch.mask_some(which, masks)
            actions = np.zeros(len(which), np.int64)
            choose_randomly(masks, which, self.choices, actions)
        else:
            self.batch.observe_some(which, self.batch.turns(which), observations, masks)
            actions = ask(opponent, observations, masks)
        legal = self.batch.step_some(which, actions)
        if not legal.all():
            k = int(np.flatnonzero(~legal)[0])
            raise SettingsError(f"opponents: action {actions[k]} is not legal; choose one where the mask is 1")

    def check_turn(self, which: Indices) -> None:
        """An error in the middle of the others' turns leaves games in which the learner must not act."""
        if len(self.waiting(which)):
            raise SettingsError("step: an error interrupted an opponent's turn; call reset() to go on")

    def waiting(self, which: Indices) -> Indices:
        games = self.batch.games
        others = (games["end"][which] == RUNNING) & (games["turn"][which] != self.seats[which])
        still_waiting: Indices = which[others]
        return still_waiting


def check_seat(seat: Any, players: int) -> int:
    try:
        return whole_number("seat", seat, 0, players - 1)
    except SettingsError as error:
        raise SettingsError(f"{error}, or {RANDOM!r}") from None


def read_opponents(opponents: Any, players: int) -> list[Any]:
    """One opponent for each seat after the learner's."""
    given = list(opponents) if isinstance(opponents, Sequence) and not isinstance(opponents, str) else None
    chosen = [opponents] * (players - 1) if given is None else given
    if len(chosen) != players - 1:
        raise SettingsError(
            f"opponents: {len(chosen)} for {players} players; give one, or {players - 1} in the order after your seat"
        )
    return [read_opponent(opponent) for opponent in chosen]


def read_opponent(opponent: Any) -> Any:
    """`random`, a function, or the agent of that name."""
    if isinstance(opponent, Agent) or opponent == RANDOM:
        return opponent
    if isinstance(opponent, str | Path):
        return make(opponent)
    if not callable(opponent):
        raise SettingsError(
            f"opponents: {opponent!r} is neither an agent, its name, nor a function of observations and action masks"
        )
    return opponent


def ask(opponent: Opponent, observations: Any, masks: Any) -> npt.NDArray[np.int64]:
    actions = np.asarray(opponent(observations, masks))
    if actions.shape != (len(masks),) or not np.issubdtype(actions.dtype, np.integer):
        raise SettingsError(
            f"opponents: gave {actions.dtype} of shape {actions.shape}; give {len(masks)} whole numbers"
        )
    return actions.astype(np.int64)


@compiled
def draw_seats(seeds: Any, players: int, seats: Any) -> None:
    """A seat for the learner, from a random stream of its own."""
    for k in range(seeds.shape[0]):
        seats[k], _ = below(seeds[k] ^ SEAT_STREAM, players)


@compiled
def choose_randomly(masks: Any, which: Any, choices: Any, actions: Any) -> None:
    """One of the legal actions of game `which[k]` for each row k; `choices` holds a random state per game."""
    for k in range(which.shape[0]):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[k, action]
        wanted, state = below(choices[which[k]] ^ MOVE_STREAM, legal)
        choices[which[k]] = state ^ MOVE_STREAM
        action = 0
        while masks[k, action] == 0 or wanted > 0:
            wanted -= masks[k, action]
            action += 1
        actions[k] = action


@compiled
def advance(choices: Any, which: Any, keys: Any) -> None:
    """The next random bits of each game."""
    for k in range(which.shape[0]):
        state = (choices[which[k]] ^ MOVE_STREAM) + GAMMA
        keys[k] = mix(state)
        choices[which[k]] = state ^ MOVE_STREAM
