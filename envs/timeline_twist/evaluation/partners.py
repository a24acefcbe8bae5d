"""Cross-play of co-op agents: every two at one table, and how well they do with partners they were not trained with.

    from timeline_twist.evaluation import cross_play, save_contest

    result = cross_play(["checkpoints/one", "checkpoints/two", "bayes"], "coop-2p-noisy5-none", deals=1000)
    result.score("bayes", "checkpoints/one")    # mean and 95 % interval, the same both ways
    result.strangers()                          # off the diagonal, on it, and the difference
    save_contest(result, "results")             # tournament.json, tournament.md and a heat map

`timeline-twist tournament --coop` does the same.

| number | definition |
|---|---|
| score | of two agents: the mean over both orders of seats on each deal; A B A B and B A B A with four players |
| diagonal | an agent with itself on all seats (self-play) |
| with others | the mean of an agent's scores with all other agents |
| off the diagonal | the mean over all pairs of different agents (cross-play) |
| difference | off the diagonal minus on it, deal by deal |
| interval | 95 %, over deals: all games of a deal are one unit |
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import numpy as np

from timeline_twist.batch import Indices
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.contest import Contest, Numbers, Values, numbers_of, play_all, sit_down
from timeline_twist.evaluation.evaluating import Given
from timeline_twist.evaluation.progress import Progress, no_progress
from timeline_twist.evaluation.seatings import as_array, teams
from timeline_twist.evaluation.statistics import paired
from timeline_twist.evaluation.suites import Suite, load_suite
from timeline_twist.evaluation.tournaments import command

SUITE = "coop-2p-noisy5-none"


@dataclass
class CrossPlay(Contest):
    """The games of every two agents together, and the numbers that follow from them."""

    kind: ClassVar[str] = "cross-play"

    def score(self, agent: str, partner: str) -> Numbers:
        return numbers_of(self._scores(agent, partner))

    def with_others(self, agent: str) -> Numbers:
        """The score with all other agents, with itself, and the difference deal by deal."""
        others = np.mean([self._scores(agent, other) for other in self.agents if other != agent], axis=0)
        return compared(others, self._scores(agent, agent), "others", "itself")

    def strangers(self) -> Numbers:
        """The mean off the diagonal, on it, and the difference deal by deal."""
        off = np.mean([self._scores(one, other) for one, other in combinations(self.agents, 2)], axis=0)
        on = np.mean([self._scores(agent, agent) for agent in self.agents], axis=0)
        return compared(off, on, "off_diagonal", "diagonal")

    def content(self) -> Numbers:
        """What goes into tournament.json."""
        matrix = {one: {other: self.score(one, other) for other in self.agents} for one in self.agents}
        per_deal = {
            one: {other: self._scores(one, other).tolist() for other in self.agents[place:]}
            for place, one in enumerate(self.agents)
        }
        return super().content() | {
            "results": {agent: self.with_others(agent) for agent in self.agents},
            "cross_table": matrix,
            "strangers": self.strangers(),
            "per_deal": {"deal": self.deals, "score": per_deal},
            "created": self.created,
        }

    def _scores(self, agent: str, partner: str) -> Values:
        """One value for each deal: the mean over both orders of seats."""
        one, other, count = self.place(agent), self.place(partner), len(self.agents)
        scores: Values = self.values[:, [one * count + other, other * count + one], 0].mean(axis=1)
        return scores


def compared(first: Values, second: Values, name: str, other: str) -> Numbers:
    return {name: numbers_of(first), other: numbers_of(second), "difference": paired(first.tolist(), second.tolist())}


def cross_play(
    agents: Sequence[Given],
    suite: str | Path | Suite = SUITE,
    deals: int = 1000,
    *,
    seed: int = 0,
    threads: int = 1,
    chunk: int | None = None,
    progress: Progress = no_progress,
) -> CrossPlay:
    """Play every two agents together on the first `deals` deals of a co-op suite; settings as in a tournament."""
    suite = load_suite(suite)
    if suite.mode != "coop":
        raise SettingsError(f"suite: {suite.name} is a competitive table; --coop needs a co-op one")
    if suite.players < 2:
        raise SettingsError(f"suite: {suite.name} is a table for one; partners need two players or more")
    players = sit_down(agents, suite, "name a second one to play with it")
    once = as_array(teams(len(agents), suite.players), suite.players)

    def seating(numbers: range) -> Indices:
        return np.broadcast_to(once, (len(numbers), *once.shape))

    settings: Numbers = {"deals": deals, "seed": seed, "threads": threads, "chunk": chunk, "progress": progress}
    words = command(agents, suite, deals, seed, "--coop")
    result: CrossPlay = play_all(CrossPlay, players, agents, suite, seating, **settings, command=words)
    return result
