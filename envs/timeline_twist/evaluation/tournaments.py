"""Tournaments of competitive agents: everybody against everybody, in all seats, on the same held-out deals.

    from timeline_twist.evaluation import save_contest, tournament

    result = tournament(["greedy", "bayes", my_function], "competitive-2p-noisy10", deals=1000)
    result.win_share("bayes")               # against all others: mean and 95 % interval
    result.against("bayes", "greedy")       # one cell of the cross table
    result.ratings()["bayes"]               # on the scale of chess, with the extra `tournament`
    result.by_seat()                        # what each seat wins
    save_contest(result, "results")         # tournament.json, tournament.md and plots

`timeline-twist tournament` does the same. Who sits where: timeline_twist.evaluation.seatings; ratings:
timeline_twist.evaluation.ratings.

| number | definition |
|---|---|
| share of wins | 1 for a win, 1/k for a draw among k, 0 otherwise, also in games broken off by `max_rounds` |
| chance | 1 / players: what everybody gets among equals |
| against | share of wins of one agent against another, who has all other seats; the mean over its seats on each deal |
| win share | the mean of that over all others |
| mixed | share of wins at tables of different agents |
| interval | 95 %, over deals: all games of a deal are one unit |

**Seats.** Every agent plays every deal from every seat, so that neither cards nor seats favour anybody, whatever they
are worth. What a seat is worth shows in `by_seat`: the share of wins of each seat over all pairs, whoever sits there,
and of each agent in each seat. With `mirror=True` every agent also plays against itself: what the seats then win is the
advantage of the seat alone.

**Handicaps.** A suite may give each seat a sigma of its own:

    description: One who errs by 2 positions against one who errs by 10
    mode: competitive
    opponent: bayes
    settings:
      players: 2
      knowledge: {kind: noisy, sigma: [2, 10]}

The better estimates belong to the seat, not to the agent, so they favour no agent: everybody has them equally often,
and `by_seat` tells what they are worth. (`opponent` is for `timeline-twist evaluate`; tournaments ignore it.)

**Measured.** On 2,000 deals of competitive-2p-noisy10 `bayes` against itself wins 0.549 +- 0.022 from the seat that
leads the rounds; of competitive-4p-noisy10 0.297, 0.267, 0.231 and 0.205 (each +- 0.02) from the four seats in the
order of turns (`timeline-twist tournament bayes --mirror --deals 2000`).

**Experts.** Under `expert` knowledge the game is degenerate: players who never err finish in the same round and tie
until the catalogue is used up: all of 200 games of `bayes` against itself end as draws. `ended` tells how many do.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from timeline_twist.batch import Indices
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.contest import Contest, Numbers, Values, mean_of, numbers_of, play_all, sit_down
from timeline_twist.evaluation.evaluating import Given, called
from timeline_twist.evaluation.progress import Progress, no_progress
from timeline_twist.evaluation.ratings import rate, ratings_missing, wins_by_pairs
from timeline_twist.evaluation.seatings import Lone, Mixed, as_array, lones, mirrors, pairs
from timeline_twist.evaluation.suites import Suite, load_suite
from timeline_twist.tables import check_seed

SUITE = "competitive-2p-noisy10"
EVERYBODY = "everybody"
SECOND = "name a second one, or ask for mirrors (--mirror) to see it against itself"


@dataclass
class Tournament(Contest):
    """The games of a tournament and the numbers that follow from them."""

    kind: ClassVar[str] = "tournament"
    mirror: bool = False

    def __post_init__(self) -> None:
        self.plan = Plan(len(self.agents), self.players, self.seed, self.mirror)
        self._lones = list(lones(self.plan.pairs))
        self._ratings: dict[str, Numbers] | None = None

    @property
    def chance(self) -> float:
        return 1 / self.players

    def against(self, agent: str, other: str) -> Numbers:
        """The share of wins of one agent against the other."""
        return numbers_of(self._mean(self._games(agent, other)))

    def win_share(self, agent: str) -> Numbers:
        """The share of wins of an agent against all others."""
        return numbers_of(self._mean(self._games(agent)))

    def mixed(self, agent: str) -> Numbers | None:
        """The share of wins of an agent at tables of different agents; None if there were none."""
        return numbers_of(self._at_mixed(agent)) if self.plan.mixed.count else None

    def by_seat(self) -> dict[str, list[Numbers]]:
        """What each seat wins: whoever sits there, each agent, and each agent against itself."""
        seats = range(self.players)
        rows: dict[str, list[Numbers]] = {}
        if self.plan.pairs:
            rows[EVERYBODY] = [numbers_of(self.values[:, self.plan.part("pairs"), seat].mean(axis=1)) for seat in seats]
            for agent in self.agents:
                games = self._games(agent)
                rows[agent] = [numbers_of(self._mean([one for one in games if one.seat == seat])) for seat in seats]
        first = self.plan.part("mirrors").start
        for place, agent in enumerate(self.agents if self.mirror else ()):
            rows[itself(agent)] = [numbers_of(self.values[:, first + place, seat]) for seat in seats]
        return rows

    def ratings(self) -> dict[str, Numbers] | None:
        """The rating of each agent; None without the library for it, or with nobody to compare."""
        if self._ratings is None and len(self.agents) > 1 and ratings_missing() is None:
            seating, counted = self.plan.seating(range(self.played)), self.plan.part("pairs", "mixed")
            wins = wins_by_pairs(seating[:, counted], self.values[:, counted], len(self.agents))
            self._ratings = dict(zip(self.agents, rate(wins, self.seed), strict=True))
        return self._ratings

    def pair_rows(self) -> list[Numbers]:
        """How the games of each two agents went and ended."""
        rows: list[Numbers] = []
        for one, other in self.plan.pairs_of_agents():
            games = [lone.table for lone in self._games(self.agents[one], self.agents[other])]
            row = {"first": self.agents[one], "second": self.agents[other]}
            rows.append(row | {"win_share": self.against(*row.values())} | self._ends(games))
        first = self.plan.part("mirrors").start
        for place, agent in enumerate(self.agents if self.mirror else ()):
            rows.append({"first": agent, "second": "itself", "win_share": None} | self._ends([first + place]))
        return rows

    def content(self) -> Numbers:
        """What goes into tournament.json."""
        ratings = self.ratings() or {}
        results = {
            agent: {"win_share": self.win_share(agent), "mixed": self.mixed(agent), "rating": ratings.get(agent)}
            for agent in (self.agents if self.plan.pairs else ())
        }
        cross = {
            agent: {other: self.against(agent, other) for other in self.agents if other != agent}
            for agent in self.agents
        }
        mixed = {"tables": self.plan.mixed.count, "drawn": self.plan.mixed.drawn}
        return super().content() | {
            "mixed": mixed,
            "mirror": self.mirror,
            "chance": self.chance,
            "mean_rounds": mean_of(self.rounds),
            "results": results,
            "cross_table": cross,
            "by_seat": self.by_seat(),
            "pairs": self.pair_rows(),
            "per_deal": self._per_deal(),
            "created": self.created,
        }

    def _per_deal(self) -> Numbers:
        pairs = {
            agent: {other: self._mean(self._games(agent, other)).tolist() for other in self.agents if other != agent}
            for agent in self.agents
        }
        mixed = {agent: self._at_mixed(agent).tolist() for agent in self.agents if self.plan.mixed.count}
        first = self.plan.part("mirrors").start
        mirrors = {
            agent: self.values[:, first + place].tolist()
            for place, agent in enumerate(self.agents if self.mirror else ())
        }
        return {"deal": self.deals, "against": pairs, "mixed": mixed, "mirror": mirrors}

    def _ends(self, tables: Sequence[int]) -> Numbers:
        ended = {"ended": self.ended(tables), "mean_rounds": mean_of(self.rounds[:, tables])}
        return {"games": self.played * len(tables)} | ended

    def _games(self, agent: str, other: str | None = None) -> list[Lone]:
        """The tables of pairs that count for an agent, against one other or all."""
        one, second = self.place(agent), None if other is None else self.place(other)
        if one == second:
            raise SettingsError(f"against: {agent!r} twice; what seats win against themselves is in by_seat")
        return [lone for lone in self._lones if lone.agent == one and second in (None, lone.other)]

    def _mean(self, games: Sequence[Lone]) -> Values:
        """One value for each deal: the share of wins at these tables and seats."""
        tables, seats = [lone.table for lone in games], [lone.seat for lone in games]
        means: Values = self.values[:, tables, seats].mean(axis=1)
        return means

    def _at_mixed(self, agent: str) -> Values:
        """One value for each deal; an agent that has more seats than one counts with each."""
        part = self.plan.part("mixed")
        own = self.plan.seating(range(self.played))[:, part] == self.place(agent)
        shares: Values = (self.values[:, part] * own).sum(axis=(1, 2)) / own.sum(axis=(1, 2))
        return shares


def itself(agent: str) -> str:
    return f"{agent} against itself"


class Plan:
    """The tables of each deal: pairs first, then mirrors, then mixed ones."""

    def __init__(self, agents: int, players: int, seed: int, mirror: bool) -> None:
        self.agents, self.players = agents, players
        self.pairs = pairs(agents, players)
        self.mirrors = mirrors(agents, players) if mirror else []
        self.mixed = Mixed(agents, players, seed)

    def seating(self, numbers: range) -> Indices:
        once = as_array(self.pairs + self.mirrors, self.players)
        same = np.broadcast_to(once, (len(numbers), *once.shape))
        return np.concatenate([same, self.mixed.seating(numbers)], axis=1)

    def part(self, *names: str) -> Any:
        """Where tables of these sorts stand among those of a deal: a slice, or a list of numbers for several."""
        counts = {"pairs": len(self.pairs), "mirrors": len(self.mirrors), "mixed": self.mixed.count}
        starts = dict(zip(counts, np.cumsum([0, *counts.values()]).tolist(), strict=False))
        if len(names) == 1:
            return slice(starts[names[0]], starts[names[0]] + counts[names[0]])
        return [starts[name] + i for name in names for i in range(counts[name])]

    def pairs_of_agents(self) -> list[tuple[int, int]]:
        """The pairs whose games differ: with two players both ways are the same games."""
        both = [(one, other) for one in range(self.agents) for other in range(self.agents)]
        return [(one, other) for one, other in both if (one < other if self.players == 2 else one != other)]


def tournament(
    agents: Sequence[Given],
    suite: str | Path | Suite = SUITE,
    deals: int = 1000,
    *,
    mirror: bool = False,
    seed: int = 0,
    threads: int = 1,
    chunk: int | None = None,
    progress: Progress = no_progress,
) -> Tournament:
    """Play everybody against everybody on the first `deals` deals of a competitive suite.

    `mirror`: also everybody against itself. `seed` chooses the deals (0: those of published results) and the agents'
    random choices. `threads` and `chunk` (deals played at a time) change no result. After Ctrl-C the result has the
    deals that were finished, and `partial` is True.
    """
    suite = load_suite(suite)
    if suite.mode != "competitive":
        raise SettingsError(f"suite: {suite.name} is a co-op table; a tournament needs a competitive one, or --coop")
    players = sit_down(agents, suite, None if mirror and agents else SECOND)
    plan = Plan(len(agents), suite.players, check_seed(seed), mirror)
    settings: Numbers = {"deals": deals, "seed": seed, "threads": threads, "chunk": chunk, "progress": progress}
    words = command(agents, suite, deals, seed, *["--mirror"] * mirror)
    result: Tournament = play_all(
        Tournament, players, agents, suite, plan.seating, **settings, mirror=mirror, command=words
    )
    return result


def command(given: Sequence[Given], suite: Suite, deals: int, seed: int, *more: str) -> str | None:
    """The command line that gives these results again; None for agents that have no name to be called by."""
    if not all(isinstance(agent, str | Path) for agent in given):
        return None
    words = ["timeline-twist", "tournament", *map(str, given), *more, "--suite", called(suite)]
    return shlex.join([*words, "--deals", str(deals), "--seed", str(seed)])
