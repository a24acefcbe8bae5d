"""How good a score could have been: the score with hindsight, and for tiny tables the exact optimum.

- **Hindsight** (timeline_twist.agents.hindsight): the best score that a beam search finds which sees through every
  card. It is a lower bound on the true optimum with hindsight; no player without can hope to reach it always.
- **Exact** (timeline_twist.agents.solver): the expected score of optimal play without hindsight, from what is known at
  the first turn. A single game may end above it; over many deals nobody's mean does, but for chance.

Both depend on the table and the deals alone. They take long, and so are kept in `$XDG_CACHE_HOME/timeline-twist`
(`~/.cache/timeline-twist`), in files named after everything they depend on: settings, catalogue, seed, the search and
the code. A damaged file counts as missing.
"""

import contextlib
import hashlib
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timeline_twist.agents import hindsight, solver
from timeline_twist.errors import SettingsError, UserError
from timeline_twist.evaluation.code import code_hash
from timeline_twist.evaluation.deals import deal_seeds
from timeline_twist.evaluation.progress import Progress, no_progress
from timeline_twist.evaluation.suites import Suite
from timeline_twist.files import write_text
from timeline_twist.replay import catalogue_hash
from timeline_twist.tables import Coop, Games

HINDSIGHT, EXACT = "hindsight", "exact"
MODULES = {HINDSIGHT: "agents.hindsight", EXACT: "agents.solver"}

# So many deals are searched before they are saved.
BLOCK = {HINDSIGHT: 50, EXACT: 250}


@dataclass(frozen=True)
class Bound:
    """What the best players would have made of each deal."""

    kind: str
    settings: dict[str, Any]
    values: list[float]


def bound(
    kind: str,
    suite: Suite,
    games: int,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Progress = no_progress,
    search: bool = True,
) -> Bound | None:
    """The values of the first deals, from the cache as far as it goes; None if it does not and `search` is False."""
    table = suite.make_batch(1).table
    if not isinstance(table, Coop):
        raise SettingsError(f"{suite.source}: {kind}: competitive games have no scores; give a co-op suite")
    settings = settings_of(kind)
    key = cache_key(kind, table, suite, settings, seed)
    path = cache_folder() / f"{kind}-{digest_of(key)[:24]}.json"
    values = read_cache(path, key)
    find = find_exact if kind == EXACT else find_hindsight
    try:
        while len(values) < games and search:
            numbers = range(len(values), min(games, len(values) + BLOCK[kind]))
            dealt = table.deal(deal_seeds(numbers, seed))
            values += find(table, dealt, threads, Part(kind, numbers.start, games, progress))
            write_cache(path, key, values)
    except UserError as error:
        raise SettingsError(f"{suite.source}: {kind}: {error}") from error
    return Bound(kind, settings, values[:games]) if len(values) >= games else None


@dataclass(frozen=True)
class Part:
    """The progress of a block of deals, as part of the whole."""

    kind: str
    before: int
    total: int
    progress: Progress

    def __call__(self, done: int) -> None:
        self.progress(f"{self.kind} scores", self.before + done, self.total)


def module_of(kind: str) -> Any:
    return hindsight if kind == HINDSIGHT else solver


def settings_of(kind: str) -> dict[str, Any]:
    """What the search depends on besides the deals."""
    code = {"code": code_hash(MODULES[kind])}
    return {"beam": int(module_of(kind).BEAM)} | code if kind == HINDSIGHT else code


def find_hindsight(table: Coop, games: Games, threads: int, done: Part) -> list[float]:  # noqa: ARG001  (the solver needs it)
    """Few deals at a time: Ctrl-C must not wait for all of them."""
    values: list[float] = []
    while len(values) < len(games):
        done(len(values))
        some = games[len(values) : len(values) + 4 * threads]
        values += module_of(HINDSIGHT).hindsight_scores(some, threads=threads).tolist()
    done(len(values))
    return values


def find_exact(table: Coop, games: Games, threads: int, done: Part) -> list[float]:
    """All deals in one call, which remembers what they have in common; after Ctrl-C it stops at the next deal."""
    solved: list[int] = []
    stop = threading.Event()

    def after_each(game: int) -> None:
        solved.append(game)
        if stop.is_set():
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(module_of(EXACT).solve_many, table, games, after_each, threads)
        try:
            while not wait([work], timeout=0.2).done:
                done(len(solved))
        except KeyboardInterrupt:
            stop.set()
            raise
    done(len(games))
    values: list[float] = work.result().tolist()
    return values


def cache_key(kind: str, table: Coop, suite: Suite, settings: dict[str, Any], seed: int) -> dict[str, Any]:
    """All that the values depend on; deals are always the first ones of the seed."""
    what = {"kind": kind, **settings, "seed": seed, "table": table.settings | {"icons": table.icons}}
    first = deal_seeds(range(1), seed)[0]
    return what | {"catalogue": catalogue_hash(suite.catalogue), "first_deal": first}


def cache_folder() -> Path:
    with contextlib.suppress(RuntimeError):
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "timeline-twist"
    return Path("/nonexistent")  # an account without a home keeps nothing


def digest_of(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_cache(path: Path, key: dict[str, Any]) -> list[float]:
    """The values kept for this key; none if the file is missing, damaged or another one's."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        values: list[float] = content["values"]
        whole = content["key"] == key and content["sha256"] == digest_of(values)
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return values if whole else []


def write_cache(path: Path, key: dict[str, Any], values: list[float]) -> None:
    # Without a cache everything works, only slower.
    with contextlib.suppress(OSError, SettingsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if len(values) > len(read_cache(path, key)):
            write_text(path, json.dumps({"key": key, "sha256": digest_of(values), "values": values}))
