"""Agents see what their seats know and nothing else, act the same in any batch, and play as well as they should."""

from typing import Any

import numpy as np
import pytest

from test_knowledge import CHANGES, KINDS
from test_observation import TIED, make, noisy, states
from timeline_twist import agents, coop_v0, engine, knowledge

AGENTS = ("random", "greedy", "bayes", "rollout:rollouts=3", "rollout:rollouts=3,policy=greedy")
KEYS = np.array([7], np.uint64)


# --- leaks ------------------------------------------------------------------------------------------------------------


def seen_by_turn(batch: Any) -> agents.Seen:
    return agents.Seen(batch, np.array([0]), KEYS)


def facts(seen: agents.Seen) -> list[bytes]:
    """Everything an agent is shown."""
    arrays = (seen.games, seen.estimates, seen.sigmas, seen.observations, seen.masks, seen.keys, seen.seats)
    return [array.tobytes() for array in arrays]


def decisions(batch: Any) -> list[list[float]]:
    """What every agent does, and how sure it is of it."""
    made = []
    for name in AGENTS:
        agent, seen = agents.make(name), seen_by_turn(batch)
        values = agent.values(seen)
        made.append([float(agent.act(seen)[0]), *agent.probabilities(seen)[0]])
        made.append([] if values is None else np.nan_to_num(values[0], nan=-999.0).tolist())
    return made


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize(
    ("mode", "kind", "talk"),
    [
        *(("coop", kind, talk) for kind in KINDS for talk in knowledge.COMMUNICATION),
        *(("competitive", kind, "none") for kind in KINDS),
    ],
)
def test_what_a_seat_cannot_know_changes_neither_what_agents_see_nor_what_they_do(
    mode: str, kind: str, talk: str, shown: bool
) -> None:
    rng, hidden, looked = np.random.default_rng(1), 0, 0
    settings = {"knowledge": KINDS[kind], "communication": talk, "players": 3, "show_pile_top": shown}
    for catalogue, seed, skill in (("scenes", 0, 0.7), (TIED, 2, 1.0)):
        batch = make(mode, catalogue=catalogue, **settings)
        for i, game in enumerate(states(batch, seed, skill)):
            if i % 7 or game["end"] != engine.RUNNING:
                continue
            kept, state = (batch.games[0].copy(), batch.estimates[0].copy()), batch.state(0)
            before, did = facts(seen_by_turn(batch)), decisions(batch)
            CHANGES[mode](batch, int(game["turn"]), rng)
            hidden += not np.array_equal(state, batch.state(0))
            looked += 1
            assert facts(seen_by_turn(batch)) == before
            assert decisions(batch) == did
            batch.games[0], batch.estimates[0] = kept
    assert looked > 5 and hidden > looked / 2, "the changes must be real ones"


def test_what_a_seat_knows_does_change_what_it_does() -> None:
    """Otherwise the leak test would prove nothing."""
    acted = set()
    batch = make("coop", knowledge=noisy(4), players=2)
    for seed in range(10):
        batch.deal([0], [seed])
        first = [agents.make(name).act(seen_by_turn(batch))[0] for name in ("greedy", "bayes", "rollout:rollouts=20")]
        batch.estimates[0] = batch.estimates[0][:, ::-1]
        second = [agents.make(name).act(seen_by_turn(batch))[0] for name in ("greedy", "bayes", "rollout:rollouts=20")]
        acted |= {i for i in range(3) if first[i] != second[i]}
    assert acted == {0, 1, 2}


# --- batches ----------------------------------------------------------------------------------------------------------


def scores_of(name: str, numbers: list[int], **settings: Any) -> list[int]:
    batch = coop_v0.make_batch(len(numbers), **settings)
    batch.deal(range(len(numbers)), numbers)
    agents.play(batch, [agents.make(name)], numbers=numbers, seed=5)
    return [int(3 * game.main_cards + 2 * game.gap_cards - game.deck_size) for game in batch.games]


@pytest.mark.parametrize("name", AGENTS)
def test_a_game_takes_the_same_course_in_any_batch(name: str) -> None:
    settings = {"players": 3, "knowledge": noisy(4), "communication": "none"}
    numbers = [3, 1, 4, 15, 9]
    together = scores_of(name, numbers, **settings)
    apart = [scores_of(name, [number], **settings)[0] for number in numbers]
    assert together == apart


def test_greedy_and_bayes_are_the_same_under_expert() -> None:
    numbers = list(range(200))
    assert scores_of("greedy", numbers, knowledge="expert") == scores_of("bayes", numbers, knowledge="expert")
