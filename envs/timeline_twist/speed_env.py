"""How fast the environments are: `timeline-twist speed env`.

Random play in every case. In the AEC interface ours stand beside PettingZoo's `connect_four-v3`, played by the same
loop: once through `env()` with its wrappers, once as `raw_env`. The vector environments step all games at once, with
observations, masks, infos and new deals, on one core and with `copy=False`
but for one line; choosing the actions is included.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from timeline_twist import competitive_v0, coop_v0
from timeline_twist.opposition import choose_randomly
from timeline_twist.speed import Case
from timeline_twist.vector import CompetitiveVectorEnv, CoopVectorEnv

YARDSTICK = "connect_four-v3"
KINDS = ("expert", "noisy", "faces", "blind")


def env_cases(games: int, players: Sequence[int]) -> list[Case]:
    """AEC against the yardstick, then the vector environments over players and knowledge."""
    return [*aec_cases(), *vector_cases(games, players)]


def aec_cases() -> list[Case]:
    cases = []
    yardstick = connect_four()
    for interface in ("env()", "raw_env"):
        name = interface.removesuffix("()")
        if yardstick is not None:
            cases.append(Case(interface, YARDSTICK, 2, aec_runner(getattr(yardstick, name)())))
        for module, mode in ((coop_v0, "co-op"), (competitive_v0, "competitive")):
            for kind in ("expert", "noisy"):
                env = getattr(module, name)(knowledge=kind)
                cases.append(Case(interface, f"{mode}, {kind}", 2, aec_runner(env)))
    return cases


def vector_cases(games: int, players: Sequence[int]) -> list[Case]:
    cases = []
    for count in players:
        for kind in KINDS:
            envs = CoopVectorEnv(games, players=count, knowledge=kind, copy=False)
            cases.append(Case("vector", f"co-op, {kind}", count, vector_runner(envs), games))
    copied = CoopVectorEnv(games, players=players[0], knowledge="expert")
    cases.append(Case("vector", "co-op, expert, copy", players[0], vector_runner(copied), games))
    raw = CoopVectorEnv(games, players=players[0], knowledge="expert", features="raw", copy=False)
    cases.append(Case("vector", "co-op, expert, raw", players[0], vector_runner(raw), games))
    for count in [count for count in players if count > 1]:
        for kind in ("expert", "noisy"):
            against = CompetitiveVectorEnv(games, players=count, knowledge=kind, copy=False)
            cases.append(Case("vector", f"competitive, {kind}", count, vector_runner(against), games))
    return cases


def connect_four() -> Any:
    """PettingZoo's environment, which draws with pygame; None without it."""
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError:
        return None
    return connect_four_v3


def aec_runner(env: Any) -> Callable[[int], int]:
    """Random legal play of whole games in PettingZoo's own loop."""
    choices = random.Random(0)

    def run(steps: int) -> int:
        played = 0
        while played < steps:
            env.reset(seed=played)
            for _ in env.agent_iter():
                observation, _reward, terminated, truncated, _info = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[choices.randrange(len(legal))]))
                played += 1
        return played

    return run


def vector_runner(envs: CoopVectorEnv | CompetitiveVectorEnv) -> Callable[[int], int]:
    envs.reset(seed=0)
    every = np.arange(envs.num_envs)
    choices, actions = np.arange(envs.num_envs, dtype=np.uint64), np.zeros(envs.num_envs, np.int64)

    def run(steps: int) -> int:
        rounds = -(-steps // envs.num_envs)
        for _ in range(rounds):
            choose_randomly(envs.batch.masks, every, choices, actions)
            envs.step(actions)
        return rounds * envs.num_envs

    return run


def ratios(cases: list[Case]) -> list[float | None]:
    """The speed of our AEC environments over the yardstick's through the same interface, None for the others."""
    base = {case.mode: case.steps_per_second for case in cases if case.what == YARDSTICK}
    return [case.steps_per_second / base[case.mode] if case.mode in base else None for case in cases]
