"""Agents at a table: plays the games of a batch to their end.

    batch = coop_v0.make_batch(1000, players=2, knowledge="expert")
    batch.deal(range(1000), range(1000))
    play(batch, [agents.make("greedy")])

A game's course depends on its deal, the agents and the game's number alone, not on the batch it is played in.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.agent import Agent, check_actions
from timeline_twist.agents.seen import Seen, decision_keys
from timeline_twist.batch import Batch, CoopBatch, Indices
from timeline_twist.engine import RUNNING
from timeline_twist.errors import SettingsError


@dataclass
class Effort:
    """How many decisions each agent has taken, and in how many seconds."""

    decisions: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.seconds = np.zeros(len(self.decisions))


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
    batch.check_dealt()
    seats = np.zeros((len(batch), batch.table.players), np.int64) if seating is None else np.asarray(seating)
    games = np.arange(len(batch)) if numbers is None else np.asarray(numbers)
    lenses = [lens_for(agent, batch) for agent in agents]
    effort = Effort(np.zeros(len(agents), np.int64))
    decision = 0
    while len(running := np.flatnonzero(batch.games["end"] == RUNNING)):
        on_turn = seats[running, batch.games["turn"][running]]
        for place, (agent, lens) in enumerate(zip(agents, lenses, strict=True)):
            which = running[on_turn == place]
            if len(which):
                began = time.perf_counter()
                take_turn(agent, lens, which, decision_keys(games[which], decision, seed))
                effort.seconds[place] += time.perf_counter() - began
                effort.decisions[place] += len(which)
        decision += 1
    return effort


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
    """Let an agent act in these games; give its actions, by the numbers of its lens."""
    actions = check_actions(agent, agent.act(Seen(lens, which, keys)), len(which))
    legal = lens.step_some(which, actions)
    if not legal.all():
        wrong = int(actions[np.flatnonzero(~legal)[0]])
        raise SettingsError(f"{agent.name}: action {wrong} is not legal; an agent must choose one where the mask is 1")
    return actions
