"""Evaluate agents: plays them on the same held-out deals of a suite and gives a Report."""

import platform
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np

import timeline_twist
from timeline_twist.agents.agent import Agent
from timeline_twist.agents.playing import lens_for
from timeline_twist.agents.registry import make
from timeline_twist.errors import SettingsError, UserError
from timeline_twist.evaluation.bounds import EXACT, HINDSIGHT, bound
from timeline_twist.evaluation.code import agent_code, folder_hash, git_state
from timeline_twist.evaluation.deals import fingerprints
from timeline_twist.evaluation.progress import Progress, no_progress
from timeline_twist.evaluation.report import Report, Result
from timeline_twist.evaluation.running import Played, Runner
from timeline_twist.evaluation.suites import FOLDERS, Suite, load_suite
from timeline_twist.tables import check_seed, whole_number

MOST_GAMES, MOST_THREADS = 1_000_000, 256

Given = str | Path | Agent | Callable[..., Any]


def evaluate(
    agents: Given | Sequence[Given],
    suite: str | Path | Suite,
    games: int,
    *,
    seed: int = 0,
    hindsight: bool = True,
    threads: int = 1,
    chunk: int | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Play every agent on the first `games` deals of the suite.

    `seed` chooses the deals (0: those of published results) and the agents' random choices. `hindsight`: also look
    for the best score of each deal (co-op). `threads` and `chunk` (games played at a time) change no result. After
    Ctrl-C the report has what was finished, and `report.partial` is True.
    """
    suite = load_suite(suite)
    whole_number("games", games, 1, MOST_GAMES)
    whole_number("threads", threads, 1, MOST_THREADS)
    whole_number("chunk", 1 if chunk is None else chunk, 1, MOST_GAMES)
    given: list[Any] = list(agents) if isinstance(agents, list | tuple) else [agents]
    players, opponent = seat(given, suite)
    report = Report(suite, games, check_seed(seed), fingerprints(suite, games, seed, progress), [])
    report.environment, report.command = environment(), command(given, suite, games, seed, hindsight)
    report.opponent = None if opponent is None else describe_agent(opponent, suite.opponent or "")
    report.created["started"] = now()
    interrupted = False
    for agent, text in zip(players, given, strict=True):
        if not interrupted:
            runner = Runner(agent, suite, games, opponent=opponent, seed=seed)
            played = runner.play(threads=threads, chunk=chunk, progress=progress)
            interrupted = played.interrupted
            enter(report, agent, text, played)
        else:
            report.not_played.append(agent.name)
    if report.results and suite.mode == "coop":
        add_bounds(report, hindsight, threads, progress, search=not interrupted)
    report.created["finished"] = now()
    return report


def seat(given: Sequence[Given], suite: Suite) -> tuple[list[Agent], Agent | None]:
    """The agents, checked before the first game: they can play here, and no two of them have the same name."""
    if not given:
        raise SettingsError("agents: none; name at least one, such as random")
    players = [make(agent) for agent in given]
    check_different([agent.name for agent in players])
    opponent = None
    if suite.opponent is not None:
        try:
            opponent = make(suite.opponent)
        except UserError as error:
            raise SettingsError(f"{suite.source}: opponent: {error}") from error
    check_playable([*players, opponent] if opponent else players, suite)
    return players, opponent


def check_different(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(f"agents: {name!r} stands there more than once; name each once")


def check_playable(players: Sequence[Agent], suite: Suite) -> None:
    """Raise an error now if one of them cannot play at this table."""
    batch = suite.make_batch(1)
    for agent in players:
        lens_for(agent, batch)


def enter(report: Report, agent: Agent, text: Given, played: Played) -> None:
    """Put an agent's games into the report."""
    if not played.games:
        report.not_played.append(agent.name)
        return
    columns = {name: values.tolist() for name, values in played.columns.items()}
    rate = played.decisions / played.seconds if played.seconds > 0 else None
    speed = {"decisions": played.decisions, "seconds": played.seconds, "decisions_per_second": rate}
    config = describe_agent(agent, text)
    report.results.append(Result(agent.name, config, columns, report.deals[: played.games], report.games, speed))


def describe_agent(agent: Agent, text: Given) -> dict[str, Any]:
    """What an agent is: as it was asked for, with all its settings, and the code it runs."""
    named = isinstance(text, str | Path)
    plain = {key: value for key, value in vars(agent).items() if isinstance(value, bool | int | float | str)}
    settings = {key: value for key, value in sorted(plain.items()) if not key.startswith("_") and key != "name"}
    folder = Path(str(text).partition(":")[0])
    files = folder_hash(folder) if named and folder.is_dir() else None
    return {"given": str(text) if named else None, "settings": settings, "files": files, "code": agent_code(agent)}


def add_bounds(report: Report, hindsight: bool, threads: int, progress: Progress, *, search: bool) -> None:
    """Look for the best scores, as many as the agent with the most games needs."""
    wanted = [HINDSIGHT] if hindsight else []
    wanted += [EXACT] if report.suite.optimum else []
    games = max(result.games for result in report.results)
    for kind in wanted:
        try:
            found = bound(
                kind, report.suite, games, seed=report.seed, threads=threads, progress=progress, search=search
            )
        except KeyboardInterrupt:
            # The games are finished; only this comparison is missing.
            report.bounds[kind] = "interrupted"
            search = False
            continue
        if found is None:
            report.bounds[kind] = "interrupted"
        else:
            setattr(report, kind, found.values)
            report.bounds[kind] = found.settings


def environment() -> dict[str, Any]:
    commit, dirty = git_state()
    versions = {"timeline_twist": timeline_twist.__version__, "python": platform.python_version()}
    versions |= {"numpy": np.__version__, "numba": numba.__version__}
    return versions | {"machine": platform.machine(), "git_commit": commit, "git_dirty": dirty}


def command(given: Sequence[Given], suite: Suite, games: int, seed: int, hindsight: bool) -> str | None:
    """The command line that gives these results again; None for agents that have no name to be called by."""
    if not all(isinstance(agent, str | Path) for agent in given):
        return None
    words = ["timeline-twist", "evaluate", *map(str, given), "--suite", called(suite), "--games", str(games)]
    words += ["--seed", str(seed)] + ([] if hindsight or suite.mode != "coop" else ["--no-hindsight"])
    return shlex.join(words)


def called(suite: Suite) -> str:
    """What stands on a command line for the suite."""
    return suite.name if Path(suite.source).parent in FOLDERS else suite.source


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
