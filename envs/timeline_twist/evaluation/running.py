"""Plays an agent on the deals of a suite.

The games are played in chunks, the first ones small: their time tells how large the following may be, so that progress
is seen and an interruption loses little. With several threads each plays chunks of its own. Neither changes a result:
a game depends on its deal, the agents and its number alone. The agent is then asked from several threads at once.

Ctrl-C leaves the games up to the first one that is not finished. Whole chunks are lost, whatever happened in them, so
what is left is no choice of short games.
"""

import threading
import time
from abc import ABC, abstractmethod
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.agents.agent import Agent
from timeline_twist.agents.playing import play
from timeline_twist.batch import Batch, CoopBatch, Indices
from timeline_twist.engine import DRAW, WON
from timeline_twist.evaluation.deals import deal_seeds
from timeline_twist.evaluation.progress import Progress, no_progress
from timeline_twist.evaluation.suites import Suite

FIRST_CHUNK, LARGEST_CHUNK = 1, 1024
SECONDS_PER_CHUNK = 1.0
FASTEST_GROWTH = 8
MANY = 2**31

# What is kept of each game. The first column is what agents are compared by.
COOP_COLUMNS = ("score", "end", "length")
COMPETITIVE_COLUMNS = ("win_share", "reward", "rounds", "end", "length", "seat")

Columns = dict[str, npt.NDArray[Any]]


@dataclass
class Played:
    """What became of one agent's games, in the order of the deals, and how long its decisions took."""

    columns: Columns
    games: int  # so many of them are finished
    decisions: int  # of the agent itself, without the first chunk, in which code may have been compiled
    seconds: float
    interrupted: bool


@dataclass
class Chunks:
    """Deals out chunks of games to the threads, as large as their time allows."""

    total: int
    size: int | None = None  # always so many
    smallest: int = FIRST_CHUNK  # what is slow game by game may be fast side by side
    largest: int = LARGEST_CHUNK
    following: int = 0
    next_size: int = field(init=False)
    finished: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.next_size = self.smallest

    def take(self) -> range | None:
        """The games of the next chunk; None when there are no more."""
        with self.lock:
            if self.following >= self.total:
                return None
            first = self.following
            self.following = min(self.total, first + (self.size or self.next_size))
            return range(first, self.following)

    def stop(self) -> None:
        with self.lock:
            self.following = self.total

    def report(self, games: int, seconds: float, first: bool) -> None:
        """A chunk is finished; the time of the first one is mostly that of compiling."""
        with self.lock:
            self.finished += games
            if not first:
                wanted = int(games * SECONDS_PER_CHUNK / max(seconds, 1e-6))
                self.next_size = max(self.smallest, min(wanted, games * FASTEST_GROWTH, self.largest))


class InChunks(ABC):
    """So many pieces of work, numbered from 0, done in chunks by one thread or several."""

    smallest, largest = FIRST_CHUNK, LARGEST_CHUNK

    def __init__(self, what: str, pieces: int) -> None:
        self.what, self.pieces = what, pieces
        self.done = np.zeros(pieces, np.bool_)

    @abstractmethod
    def _play_chunk(self, numbers: range) -> None:
        """Do these pieces and mark them as done."""

    def run(self, threads: int = 1, chunk: int | None = None, progress: Progress = no_progress) -> tuple[int, bool]:
        """How many pieces are done without a gap, and whether that is so because of an interruption."""
        chunks = Chunks(self.pieces, chunk, self.smallest, self.largest)
        interrupted = False
        try:
            # Alone: while code is compiled all threads wait, and their decisions would look slow.
            self._work(chunks, progress, most=1)
            if threads == 1:
                self._work(chunks, progress)
            else:
                self._work_in_threads(chunks, threads, progress)
        except KeyboardInterrupt:
            interrupted = True
        return self.pieces if self.done.all() else int(np.argmin(self.done)), interrupted

    def _work(self, chunks: Chunks, progress: Progress, most: int = MANY) -> None:
        """Do chunks until there are no more, or so many."""
        for _ in range(most):
            if (numbers := chunks.take()) is None:
                return
            began = time.perf_counter()
            self._play_chunk(numbers)
            chunks.report(len(numbers), time.perf_counter() - began, numbers.start == 0)
            progress(self.what, chunks.finished, self.pieces)

    def _work_in_threads(self, chunks: Chunks, threads: int, progress: Progress) -> None:
        with ThreadPoolExecutor(threads) as pool:
            running: set[Future[None]] = {pool.submit(self._work, chunks, no_progress) for _ in range(threads)}
            try:
                while running:
                    ended, running = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                    for worker in ended:
                        worker.result()
                    progress(self.what, chunks.finished, self.pieces)
            finally:
                # After an interruption the others finish the chunks that they have.
                chunks.stop()


class Runner(InChunks):
    """One agent on the first `games` deals of a suite."""

    def __init__(self, agent: Agent, suite: Suite, games: int, *, opponent: Agent | None, seed: int) -> None:
        super().__init__(agent.name, games)
        self.agent, self.suite, self.opponent, self.seed = agent, suite, opponent, seed
        self.smallest = smallest_chunk(agent)
        names = COOP_COLUMNS if suite.mode == "coop" else COMPETITIVE_COLUMNS
        floats = ("win_share", "reward")
        self.columns: Columns = {name: np.zeros(games, float if name in floats else np.int64) for name in names}
        self.effort: list[tuple[int, int, float]] = []  # first game, decisions and seconds of each chunk

    def play(self, *, threads: int = 1, chunk: int | None = None, progress: Progress = no_progress) -> Played:
        finished, interrupted = self.run(threads, chunk, progress)
        columns = {name: values[:finished] for name, values in self.columns.items()}
        later = [effort for effort in self.effort if effort[0] > 0] or self.effort
        decisions, seconds = sum(effort[1] for effort in later), sum(effort[2] for effort in later)
        return Played(columns, finished, decisions, seconds, interrupted)

    def _play_chunk(self, numbers: range) -> None:
        batch = self.suite.make_batch(len(numbers))
        batch.deal(range(len(numbers)), deal_seeds(numbers, self.seed))
        games, players = np.array(numbers), batch.table.players
        agents = [self.agent] if self.opponent is None else [self.agent, self.opponent]
        # In co-op the agent has every seat, otherwise each seat in turn.
        seats = games % players
        seating = np.full((len(games), players), len(agents) - 1)
        seating[np.arange(len(games)), seats] = 0
        effort = play(batch, agents, seating, numbers=games, seed=self.seed)
        for name, values in outcomes(batch, seats, effort.lengths).items():
            self.columns[name][games] = values
        self.effort.append((numbers.start, int(effort.decisions[0]), float(effort.seconds[0])))
        self.done[games] = True


def smallest_chunk(agent: Agent) -> int:
    """How many games at least the agent wants to be asked about together."""
    return int(getattr(agent, "smallest_chunk", FIRST_CHUNK))


def outcomes(batch: Batch, seats: Indices, lengths: Indices) -> Columns:
    """What is kept of games that have ended."""
    games = batch.games
    both: Columns = {"end": games["end"], "length": lengths}
    if isinstance(batch, CoopBatch):
        return both | {"score": batch._scores(games).astype(np.int64)}
    every = np.arange(len(games))
    rewards = np.zeros(len(games))
    rewards[:] = batch.rewards(every, seats)  # type: ignore[attr-defined]
    shares = {"win_share": win_shares(games, seats), "reward": rewards}
    return both | shares | {"rounds": games["rounds"], "seat": seats}


def win_shares(games: Any, seats: Indices) -> npt.NDArray[np.float64]:
    """1 for who wins alone, 1/k for each of k who draw, 0 for the others and in games that were broken off."""
    own = games["active"][np.arange(len(games)), seats]
    drawing = games["active"].sum(axis=1, dtype=np.int64)
    shares = np.where(games["end"] == WON, games["winner"] == seats, 0.0)
    draws = (games["end"] == DRAW) & (own == 1)
    shares[draws] = 1 / drawing[draws]
    return shares
