"""What tournaments (timeline_twist.evaluation.tournaments) and cross-play (timeline_twist.evaluation.partners) share:
agents that sit down together, and the same tables on every deal.

All tables of a deal are played with the same cards, the same private estimates of each seat and the same random bits
for agents that draw some. They are played together; what an interruption leaves are whole deals. Intervals are over
deals: all tables of one are a single unit.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.playing import play
from timeline_twist.agents.registry import make
from timeline_twist.batch import Indices
from timeline_twist.engine import END_REASONS
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.deals import deal_hash, deal_seeds, fingerprints
from timeline_twist.evaluation.evaluating import (
    MOST_THREADS,
    Given,
    check_different,
    check_playable,
    describe_agent,
    environment,
    now,
)
from timeline_twist.evaluation.files import Kind
from timeline_twist.evaluation.progress import Progress, no_progress
from timeline_twist.evaluation.running import InChunks, outcomes, smallest_chunk, win_shares
from timeline_twist.evaluation.statistics import mean, mean_with_interval
from timeline_twist.evaluation.suites import Suite
from timeline_twist.tables import check_seed, whole_number

Values = npt.NDArray[np.float64]
Numbers = dict[str, Any]

KIND = Kind("timeline-twist tournament", "tournament.json", ("tournament.md", "cross_table.png", "ratings.png"))
FORMAT_VERSION = 1
MOST_GAMES = 10_000_000
GAMES_AT_ONCE = 4096


class Tables(InChunks):
    """Plays all tables of so many deals; `seating(deals)` says who sits where, [deal, table, seat]."""

    def __init__(
        self, agents: Sequence[Agent], suite: Suite, seating: Callable[[range], Indices], deals: int, seed: int
    ) -> None:
        super().__init__("deals at all tables", deals)
        self.agents, self.suite, self.seating, self.seed = agents, suite, seating, seed
        _, self.tables, players = seating(range(1)).shape
        self.smallest = ceil(max(map(smallest_chunk, agents)) / self.tables)
        self.largest = max(1, GAMES_AT_ONCE // self.tables)
        # What each seat won, or the score of all.
        self.values: Values = np.zeros((deals, self.tables, players if suite.mode == "competitive" else 1))
        self.ends = np.zeros((deals, self.tables), np.int8)
        self.rounds = np.zeros((deals, self.tables), np.int32)

    def _play_chunk(self, numbers: range) -> None:
        deals = np.repeat(np.array(numbers), self.tables)
        batch = self.suite.make_batch(len(deals))
        seeds = deal_seeds(numbers, self.seed)
        batch.deal(range(len(deals)), [seed for seed in seeds for _ in range(self.tables)])
        seating = self.seating(numbers).reshape(len(deals), -1)
        # The number is that of the deal, so that a table's game does not depend on which others are laid.
        play(batch, self.agents, seating, numbers=deals, seed=self.seed)
        for seat in range(self.values.shape[2]):
            seats = np.full(len(deals), seat)
            if self.suite.mode == "competitive":
                won = win_shares(batch.games, seats)
                self.rounds[numbers] = batch.games["rounds"].reshape(-1, self.tables)
            else:
                won = outcomes(batch, seats, seats)["score"]
            self.values[numbers, :, seat] = won.reshape(-1, self.tables)
        self.ends[numbers] = batch.games["end"].reshape(-1, self.tables)
        self.done[numbers] = True


@dataclass
class Contest:
    """Agents that have sat down together on the deals of a suite; only finished deals count."""

    kind: ClassVar[str]
    suite: Suite
    agents: list[str]
    config: list[Numbers]  # what each agent is
    asked: int  # so many deals
    seed: int
    deals: list[str]  # fingerprints of those that are finished
    tables: int  # on each deal
    values: Values  # [deal, table, seat]
    ends: npt.NDArray[np.int8]
    rounds: npt.NDArray[np.int32]
    command: str | None = None
    environment: Numbers = field(default_factory=environment)
    created: Numbers = field(default_factory=dict)

    @property
    def played(self) -> int:
        return len(self.deals)

    @property
    def partial(self) -> bool:
        return self.played < self.asked

    @property
    def games(self) -> int:
        return self.played * self.tables

    @property
    def players(self) -> int:
        return self.suite.players

    def place(self, agent: str) -> int:
        if agent not in self.agents:
            raise SettingsError(f"{self.kind}: {agent!r} did not play; there are {', '.join(self.agents)}")
        return self.agents.index(agent)

    def ended(self, tables: Sequence[int] | slice = slice(None)) -> dict[str, float]:
        """Which share of the games at these tables ended how."""
        ends = self.ends[:, tables].ravel().tolist()
        counts = Counter(END_REASONS[end] for end in ends)
        return {reason: count / len(ends) for reason, count in sorted(counts.items())}

    def content(self) -> Numbers:
        """What goes into the file, but for the results."""
        agents = [{"name": name} | config for name, config in zip(self.agents, self.config, strict=True)]
        config = {"agents": agents, "suite": self.suite.content(), "deals": self.asked, "seed": self.seed}
        config |= {"tables": self.tables, "deal_hash": deal_hash(self.deals)}
        return {
            "format": KIND.format,
            "format_version": FORMAT_VERSION,
            "kind": self.kind,
            "config": config,
            "environment": self.environment,
            "command": self.command,
            "deals": self.played,
            "games": self.games,
            "partial": self.partial,
            "ended": self.ended(),
        }


def sit_down(given: Sequence[Given], suite: Suite, alone: str | None) -> tuple[list[Agent], list[str]]:
    """The agents and their names, checked before the first game; `alone`: what to say to a single one."""
    agents = [make(agent) for agent in given]
    names = names_of(given, agents)
    check_different(names)
    if len(agents) < 2 and alone:
        raise SettingsError(f"agents: {', '.join(names) or 'none'}; {alone}")
    check_playable(agents, suite)
    return agents, names


def names_of(given: Sequence[Given], agents: Sequence[Agent]) -> list[str]:
    """The agents' names; different folders of the same name are told apart by their paths."""
    names = [agent.name for agent in agents]
    folders = [folder_of(str(text)) if isinstance(text, str | Path) else None for text in given]
    places = list(zip(names, folders, strict=True))
    return [
        str(text) if folder and len({path for other, path in places if other == name}) > 1 else name
        for text, (name, folder) in zip(given, places, strict=True)
    ]


def folder_of(text: str) -> Path | None:
    """The folder of a trained agent, with a search on top of it or without; None for other agents."""
    name = text.partition(":")[0]
    found = [path for path in (name, name.rpartition("+")[0]) if path and Path(path).is_dir()]
    return Path(found[0]).resolve() if found else None


def play_all(
    kind: type[Contest],
    players: tuple[list[Agent], list[str]],
    given: Sequence[Given],
    suite: Suite,
    seating: Callable[[range], Indices],
    *,
    deals: int,
    seed: int,
    threads: int,
    chunk: int | None,
    progress: Progress = no_progress,
    **more: Any,
) -> Any:
    """Play the tables on all deals and give what `kind` makes of them."""
    agents, names = players
    whole_number("threads", threads, 1, MOST_THREADS)
    whole_number("chunk", 1 if chunk is None else chunk, 1, MOST_GAMES)
    started, tables = now(), seating(range(1)).shape[1]
    whole_number("deals", deals, 1, MOST_GAMES // tables)
    marks = fingerprints(suite, deals, check_seed(seed), progress)
    work = Tables(agents, suite, seating, deals, seed)
    finished, _ = work.run(threads, chunk, progress)
    return kind(
        suite=suite,
        agents=names,
        config=[describe_agent(agent, text) for agent, text in zip(agents, given, strict=True)],
        asked=deals,
        seed=seed,
        deals=marks[:finished],
        tables=tables,
        values=work.values[:finished],
        ends=work.ends[:finished],
        rounds=work.rounds[:finished],
        created={"started": started, "finished": now()},
        **more,
    )


def numbers_of(values: Values) -> Numbers:
    """Mean and interval of one value for each deal."""
    return mean_with_interval(values.tolist())


def mean_of(values: Any) -> float:
    return mean(np.asarray(values, float).ravel().tolist())
