"""How fast the engine plays: `timeline-twist speed engine`.

Random play: fill the mask, choose a legal action, carry it out, deal anew when a game ends. One round of
measurements takes every case once, the slow reference model among them; the figure of a case is the median of its
rounds. Machines are shared and noisy: compare figures of one run only, which is what the ratio does.
"""

import runpy
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from timeline_twist.catalogue import Catalogue, load
from timeline_twist.records import MAX_CATALOGUE
from timeline_twist.tables import Competitive, Coop, Games, Table

ROUNDS = 5
LONGEST_CALL = 0.2  # seconds; compiled code cannot be interrupted
LONG_TIMELINE = 900
REFERENCE = Path(__file__).parents[2] / "tests" / "reference.py"


@dataclass
class Case:
    """One line of the table: `run(steps)` plays about that many steps and gives how many it really played."""

    mode: str
    what: str
    players: int
    run: Callable[[int], int]
    batch: int | None = None
    threads: int = 1
    rates: list[float] = field(default_factory=list)

    @property
    def steps_per_second(self) -> float:
        return statistics.median(self.rates)


def engine_cases(players: int, catalogue: str | Catalogue, batches: list[int], threads: list[int]) -> list[Case]:
    """Both modes at every batch size and thread count, the reference model first where it is at hand."""
    cards = load(catalogue)
    tables: dict[str, Table] = {"co-op": Coop(players, cards), "competitive": Competitive(max(2, players), cards)}
    cases = []
    reference = reference_model()
    for mode, table in tables.items():
        if reference is not None:
            cases.append(Case(mode, "reference model", table.players, reference_runner(reference, table)))
        for count in threads:
            for batch in batches:
                runner = batch_runner(table, table.deal(range(batch)), count)
                cases.append(Case(mode, "engine", table.players, runner, batch, count))
    return [*cases, *long_timeline_cases(max(2, players))]


def measure(cases: list[Case], seconds: float) -> Iterator[Case]:
    """Time every case ROUNDS times, about `seconds` in all for each; yields the case just timed."""
    in_one_call = min(seconds / ROUNDS, LONGEST_CALL)
    calls = round(seconds / ROUNDS / in_one_call)
    sizes = [steps_for(case.run, in_one_call) for case in cases]
    for _ in range(ROUNDS):
        for case, steps in zip(cases, sizes, strict=True):
            case.rates.append(rate(case.run, steps, calls))
            yield case


def ratios(cases: list[Case]) -> list[float | None]:
    """Each case's speed over that of the reference model with the same game, None without one."""
    base = {case.mode: case.steps_per_second for case in cases if case.what == "reference model"}
    comparable = [case.mode in base and case.what in ("engine", "reference model") for case in cases]
    return [c.steps_per_second / base[c.mode] if fair else None for c, fair in zip(cases, comparable, strict=True)]


def rate(run: Callable[[int], int], steps: int, calls: int) -> float:
    start = time.perf_counter()
    played = sum(run(steps) for _ in range(calls))
    return played / (time.perf_counter() - start)


def steps_for(run: Callable[[int], int], seconds: float) -> int:
    """About how many steps take that long; the first call is not timed, since it may compile."""
    run(1)
    steps = 1000
    while True:
        start = time.perf_counter()
        run(steps)
        taken = time.perf_counter() - start
        if taken >= seconds / 4:
            return max(1, round(steps * seconds / taken))
        steps *= 4


def batch_runner(table: Table, games: Games, threads: int) -> Callable[[int], int]:
    """Random play of the whole batch, cut into equal parts where there are several threads."""
    choices = np.arange(len(games), dtype=np.uint64)
    parts = list(zip(np.array_split(games, threads), np.array_split(choices, threads), strict=True))
    # One thread needs no pool; a batch smaller than the number of threads leaves some of them idle.
    pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def run(steps: int) -> int:
        rounds = -(-steps // len(games))
        if pool is None:
            table.random_play(games, rounds, choices)
        else:
            list(pool.map(lambda part: table.random_play(part[0], rounds, part[1]), parts))
        return rounds * len(games)

    return run


def reference_model() -> SimpleNamespace | None:
    """The slow twin of the rules. It belongs to the tests: a checkout has it, an installed package does not."""
    return SimpleNamespace(**runpy.run_path(str(REFERENCE))) if REFERENCE.is_file() else None


def reference_runner(reference: SimpleNamespace, table: Table) -> Callable[[int], int]:
    cards = list(zip(table.catalogue.times, table.catalogue.fronts, table.catalogue.backs, strict=True))
    game_class = reference.Coop if isinstance(table, Coop) else reference.Competitive

    def new_game(seed: int) -> Any:
        return game_class(cards, players=table.players, seed=seed)

    def run(steps: int) -> int:
        reference.random_play(new_game, steps, 0)
        return steps

    return run


def long_timeline_cases(players: int) -> list[Case]:
    """Competitive games with 1,000 cards, from the deal on and with a timeline that is already long."""
    count = MAX_CATALOGUE
    titles = tuple(f"card {i}" for i in range(count))
    cards = Catalogue("thousand", "thousand.csv", titles, tuple(range(count)), ("a",) * count, ("b",) * count, count)
    table = Competitive(players, cards)
    return [
        Case("competitive", "1,000 cards", players, batch_runner(table, table.deal(range(64)), 1), 64),
        Case("competitive", f"{LONG_TIMELINE} of 1,000 laid", players, long_timeline_runner(table), 64),
    ]


def long_timeline_runner(table: Competitive) -> Callable[[int], int]:
    """Random play around a long timeline: the games are set back to it before any of them can end."""
    start = np.repeat(with_long_timeline(table.deal(0)), 64)
    games = start.copy()
    choices = np.arange(len(games), dtype=np.uint64)
    # A hand of four cards lasts at least four rounds; random players hit one of 901 places about once in 900 turns.
    rounds = 200

    def run(steps: int) -> int:
        repeats = -(-steps // (rounds * len(games)))
        for _ in range(repeats):
            games[:] = start
            table.random_play(games, rounds, choices)
        return repeats * rounds * len(games)

    return run


def with_long_timeline(games: Games) -> Games:
    """The game with most of the draw pile moved to the timeline."""
    game = games[0]
    moved = game.pile[game.pile_start : game.pile_start + LONG_TIMELINE - 1]
    game.timeline[:LONG_TIMELINE] = sorted([game.timeline[0], *moved], key=lambda card: game.time[card])
    game.timeline_count = LONG_TIMELINE
    game.pile_start += LONG_TIMELINE - 1
    game.seen[moved] = 1
    return games
