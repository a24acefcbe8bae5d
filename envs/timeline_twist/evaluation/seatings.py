"""Who sits where in a tournament: the tables that are laid on every deal.

*Pairs*: of every two agents one sits among copies of the other, in every seat, and the other way round. With two
players that is A against B and B against A; with four it is one A against three of B in each seat, and one B against
three of A.

*Mixed tables* (three agents or more, three players or more): every choice of as many different agents as there are
seats, in every order. With fewer agents than seats all of them sit down, some twice, as evenly as can be, in every
different order. Where that makes more than 60 tables a deal, each deal draws some: the agents are shuffled and cut
into tables, the last one is filled up with agents of the others, and each table is played in all its rotations:
everybody sits in every seat, and every deal has everybody. The shuffle follows from the number of the deal and the
seed.

*Mirrors* (on demand): an agent against itself.

*Teams* (co-op): every two agents take alternating seats, in both orders; and each agent plays with itself alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from math import ceil

import numpy as np

from timeline_twist.batch import Indices

MOST_MIXED = 60  # tables of different agents on one deal

Seats = tuple[int, ...]


@dataclass(frozen=True)
class Lone:
    """A game that counts for one agent against another: which table of the deal, and the seat of the first."""

    agent: int
    other: int
    table: int
    seat: int


def rotations(seats: Seats) -> list[Seats]:
    return [seats[shift:] + seats[:shift] for shift in range(len(seats))]


def pairs(agents: int, players: int) -> list[Seats]:
    """Every two agents: one among the others' copies, in every seat."""
    if players == 2:
        return [seats for one, other in combinations(range(agents), 2) for seats in ((one, other), (other, one))]
    return [
        tuple(one if seat == place else other for place in range(players))
        for one, other in permutations(range(agents), 2)
        for seat in range(players)
    ]


def lones(tables: Iterable[Seats]) -> Iterator[Lone]:
    """For which agents against which these tables count; with two players each does for both."""
    for number, seats in enumerate(tables):
        for seat, agent in enumerate(seats):
            if seats.count(agent) == 1:
                yield Lone(agent, seats[seat - 1], number, seat)


def mirrors(agents: int, players: int) -> list[Seats]:
    return [(agent,) * players for agent in range(agents)]


def teams(agents: int, players: int) -> list[Seats]:
    """Every two agents in alternating seats, in both orders; an agent with itself needs but one."""
    return [
        tuple((one, other)[seat % 2] for seat in range(players)) for one in range(agents) for other in range(agents)
    ]


class Mixed:
    """The tables of different agents: all of them on every deal, or some drawn for each."""

    def __init__(self, agents: int, players: int, seed: int, *, most: int = MOST_MIXED) -> None:
        self.agents, self.players, self.seed = agents, players, seed
        self.every = [] if min(agents, players) < 3 else self._all(most)
        self.drawn = self.every is None
        self.count = ceil(agents / players) * players if self.every is None else len(self.every)

    def _all(self, most: int) -> list[Seats] | None:
        """All tables, or None if there are more than `most`."""
        found: list[Seats] = []
        for chosen in compositions(self.agents, self.players):
            for seats in different_orders(chosen):
                found.append(seats)
                if len(found) > most:
                    return None
        return found

    def seating(self, numbers: range) -> Indices:
        """Who sits where on these deals, [deal, table, seat]."""
        if self.every is not None:
            once = np.array(self.every, np.int64).reshape(self.count, self.players)
            return np.broadcast_to(once, (len(numbers), *once.shape))
        return np.stack([self.draw(number) for number in numbers])

    def draw(self, deal: int) -> Indices:
        """The tables drawn for one deal."""
        order = np.random.default_rng([self.seed, deal]).permutation(self.agents)
        # The last table is filled up with the first agents: with those of other tables, or as evenly as can be.
        whole = np.resize(order, ceil(self.agents / self.players) * self.players).reshape(-1, self.players)
        tables = [rotated for seats in whole.tolist() for rotated in rotations(tuple(seats))]
        return np.array(tables, np.int64)


def compositions(agents: int, players: int) -> Iterator[Seats]:
    """The agents at each table, in order: all different, or all of them with some twice (or more), evenly."""
    often, extra = divmod(players, agents)
    for more in combinations(range(agents), extra):
        yield tuple(sorted([*range(agents)] * often + [*more]))


def different_orders(chosen: Seats) -> Iterator[Seats]:
    """The orders of these agents, each once; copies of one agent are the same."""
    if not chosen:
        yield ()
        return
    for first in dict.fromkeys(chosen):
        place = chosen.index(first)
        for rest in different_orders(chosen[:place] + chosen[place + 1 :]):
            yield (first, *rest)


def as_array(tables: list[Seats], players: int) -> Indices:
    return np.array(tables, np.int64).reshape(len(tables), players)
