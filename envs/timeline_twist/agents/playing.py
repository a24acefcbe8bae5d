"""Agents at a table: plays the games of a batch to their end.

    batch = coop_v0.make_batch(1000, players=2, knowledge="expert")
    batch.deal(range(1000), range(1000))
    play(batch, [agents.make("greedy")])

A game's course depends on its deal, the agents and the game's number alone, not on the batch it is played in.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.agent import Agent, check_actions
from timeline_twist.agents.seen import Seen, decision_keys
from timeline_twist.batch import Batch, CoopBatch, Indices
from timeline_twist.engine import END_TURN, RUNNING
from timeline_twist.errors import SettingsError
from timeline_twist.records import MAX_HAND


@dataclass
class Effort:
    """How many decisions each agent has taken, and in how many seconds; and how many each game took, of all seats."""

    decisions: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.seconds = np.zeros(len(self.decisions))


@dataclass(frozen=True)
class Moves:
    """What one agent has just done in the games where it was on turn."""

    place: int  # of the agent among the agents
    which: Indices
    actions: Indices  # by table slots, whatever slots the agent was shown
    seconds: float


def play(
    batch: Batch,
    agents: Sequence[Agent],
    seating: Any = None,
    *,
    numbers: Any = None,
    seed: int = 0,
) -> Effort:
    """Play all games of a batch to their end.

    `seating[game, seat]` is the agent that sits there, by its place among `agents`; without it the first one has every
    seat. `numbers` tell games apart for the agents' random choices (by default their places in the batch), together
    with `seed`.
    """
    effort = Effort(np.zeros(len(agents), np.int64), np.zeros(len(batch), np.int64))
    for moves in turns(batch, agents, seating, numbers=numbers, seed=seed):
        effort.seconds[moves.place] += moves.seconds
        effort.decisions[moves.place] += len(moves.which)
        effort.lengths[moves.which] += 1
    return effort


def turns(
    batch: Batch,
    agents: Sequence[Agent],
    seating: Any = None,
    *,
    numbers: Any = None,
    seed: int = 0,
) -> Iterator[Moves]:
    """Play as `play` does, and stop after every agent's actions to tell them; the games stand right after them."""
    batch.check_dealt()
    seats = check_seating(seating, len(batch), batch.table.players, len(agents))
    games = check_numbers(numbers, len(batch))
    lenses = [lens_for(agent, batch) for agent in agents]
    decision = 0
    while len(running := np.flatnonzero(batch.games["end"] == RUNNING)):
        on_turn = seats[running, batch.games["turn"][running]]
        for place, (agent, lens) in enumerate(zip(agents, lenses, strict=True)):
            which = running[on_turn == place]
            if len(which):
                began = time.perf_counter()
                actions = take_turn(agent, lens, which, decision_keys(games[which], decision, seed))
                yield Moves(place, which, actions, time.perf_counter() - began)
        decision += 1


def check_seating(seating: Any, games: int, players: int, agents: int) -> Indices:
    """Who sits where; a seat without an agent would wait for ever."""
    seats = np.zeros((games, players), np.int64) if seating is None else np.asarray(seating)
    whole = seats.shape == (games, players) and np.issubdtype(seats.dtype, np.integer)
    if not agents or not whole or ((seats < 0) | (seats >= agents)).any():
        raise SettingsError(
            f"seating: give {games} rows (games) of {players} numbers (seats), each an agent's place among the {agents}"
        )
    return seats.astype(np.int64)


def check_numbers(numbers: Any, games: int) -> Indices:
    array = np.arange(games) if numbers is None else np.asarray(numbers)
    if array.shape != (games,) or not np.issubdtype(array.dtype, np.integer):
        raise SettingsError(f"numbers: give {games} whole numbers, one for each game")
    return array


def lens_for(agent: Agent, batch: Batch) -> Batch:
    """The batch as the agent wants to see it."""
    mode = mode_of(batch)
    if mode not in agent.modes:
        raise SettingsError(f"{agent.name}: plays {' and '.join(agent.modes)} games only, this one is {mode}")
    lens = batch.lens(agent.features, agent.slots)
    agent.check(Seen(lens, np.zeros(0, np.int64), np.zeros(0, np.uint64)))
    return lens


def mode_of(batch: Batch) -> str:
    return "coop" if isinstance(batch, CoopBatch) else "competitive"


def take_turn(agent: Agent, lens: Batch, which: Indices, keys: npt.NDArray[np.uint64]) -> Indices:
    """Let an agent act in these games; give its actions, by table slots."""
    actions = check_actions(agent, agent.act(Seen(lens, which, keys)), len(which))
    orders = slot_orders(lens, which)  # while it is still the hand that the agent saw
    legal = lens.step_some(which, actions)
    if not legal.all():
        wrong = int(actions[np.flatnonzero(~legal)[0]])
        raise SettingsError(f"{agent.name}: action {wrong} is not legal; an agent must choose one where the mask is 1")
    return on_the_table(lens, orders, actions)


def slot_orders(lens: Batch, which: Indices) -> Indices:
    """The table slots of the players on turn, in the order in which the lens presents them, [game, place]."""
    if lens.slots == "table":
        return np.broadcast_to(np.arange(MAX_HAND), (len(which), MAX_HAND))
    return np.array([lens.slot_order(int(i)) for i in which], np.int64).reshape(len(which), MAX_HAND)


def on_the_table(lens: Batch, orders: Indices, actions: Indices) -> Indices:
    """Actions of a lens by table slots; `orders` are the slots as it presents them."""
    rows = np.arange(len(actions))
    if isinstance(lens, CoopBatch):
        slots = orders[rows, actions % MAX_HAND]
        return np.where(actions == END_TURN, END_TURN, actions - actions % MAX_HAND + slots)
    places = lens.table.cards_in_game + 1
    return orders[rows, actions // places] * places + actions % places
