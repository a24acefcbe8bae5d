"""How a competitive game would end if everybody played on by rule of thumb, compiled; for critics, never for agents.

Every seat goes by its own estimates, the cards are those that truly come. While nobody does anything else the forecast
stays the same from turn to turn: for a critic that is told it only deviations from the rules of thumb are news, and the
luck of the cards is none.
"""

from typing import Any

import numpy as np

from timeline_twist.agents.competitive_search import LONGEST_PLAYOUT
from timeline_twist.agents.competitive_thumb import competitive_choose
from timeline_twist.competitive_batch import competitive_reward
from timeline_twist.compiled import compiled
from timeline_twist.engine import RUNNING, competitive_step
from timeline_twist.knowledge import NOISY
from timeline_twist.observation import row_of
from timeline_twist.records import think_dtype

WEIGHING = 0  # as `bayes` does


class CompetitiveForesight:
    """The reward to come of one seat of each game, into a column; and how many turns of that seat until then."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch
        self.world = np.zeros(1, batch.table.record)
        self.think = np.zeros(1, think_dtype(len(batch.table.catalogue)))
        self.sigmas = batch.knowledge.sigma.copy()
        if batch.knowledge.kind > NOISY:
            self.sigmas[:] = np.inf

    def write(self, seats: Any, out: Any) -> None:
        batch = self.batch
        foresee_all(batch.games, batch.estimates, self.sigmas, seats, batch.view, self.world, self.think, out)


@compiled
def foresee_all(
    games: Any, estimates: Any, sigmas: Any, seats: Any, views: Any, worlds: Any, thinks: Any, out: Any
) -> None:
    """Row i of `out` becomes the reward of seat `seats[i]`, and the rounds that are left, divided by 16."""
    for i in range(games.shape[0]):
        worlds[0] = games[i]
        play_on(worlds[0], estimates[i], sigmas, views[0], thinks[0])
        out[i, 0] = competitive_reward(worlds[0], seats[i])
        out[i, 1] = np.float32(min(worlds[0].rounds - games[i].rounds, 32)) / np.float32(16)


@compiled
def play_on(world: Any, estimates: Any, sigmas: Any, view: Any, think: Any) -> None:
    """Everybody plays by rule of thumb to the end, or for so many rounds."""
    last_round = world.rounds + LONGEST_PLAYOUT
    while world.end == RUNNING and world.rounds < last_round:
        row = row_of(view, world.turn)
        competitive_step(world, competitive_choose(world, estimates[row], sigmas[row], view, WEIGHING, think))
