"""What a seat sees: against a slow twin, against the tables of the docs pages, and on small tables worked by hand."""

import json
import math
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import slow_observation as slow
from handmade import catalogue_of
from test_twin import competitive_wish, coop_wish, tied_catalogue
from timeline_twist import competitive_v0, coop_v0, engine, records, state
from timeline_twist.batch import CoopBatch
from timeline_twist.observation import HIGHEST, LOWEST, Section
from timeline_twist.state import state_size

Floats = npt.NDArray[np.float32]

MAKERS = {"coop": coop_v0, "competitive": competitive_v0}
TIED = tied_catalogue()
LARGE = catalogue_of([i // 2 for i in range(140)])
TINY = catalogue_of([1, 1, 2, 3, 3, 4, 5, 6, 6, 7])


def noisy(*sigma: float) -> dict[str, Any]:
    return {"kind": "noisy", "sigma": sigma[0] if len(sigma) == 1 else list(sigma)}


def make(mode: str, **settings: Any) -> Any:
    return MAKERS[mode].make_batch(1, **settings)


def wish(game: Any, legal: list[int], chooser: random.Random, skill: float) -> int:
    """A random action, or one chosen by looking at the hidden times: `skill` is how often."""
    if chooser.random() >= skill:
        return chooser.choice(legal)
    return (coop_wish if "stuck" in game.dtype.names else competitive_wish)(game, legal, chooser)


def states(batch: Any, seed: int, skill: float) -> Iterator[Any]:
    """The game of a seed after each of its actions, the deal and the end included."""
    batch.deal([0], [seed])
    chooser, game = random.Random(seed), batch.games[0]
    yield game
    while game["end"] == engine.RUNNING:
        legal = np.flatnonzero(batch.table.mask(game)).tolist()
        assert batch.table.step(game, wish(game, legal, chooser, skill))
        yield game


SKILLS = (0, 0.7, 1)


def games(batch: Any, count: int) -> Iterator[Any]:
    for seed in range(count):
        yield from states(batch, seed, SKILLS[seed % 3])


# --- the twin ---------------------------------------------------------------------------------------------------------

# Under `noisy`, `faces` and `blind` the compiled code keeps expected cards in whole parts of 1/4096.
EXPECTATIONS = ("fates", "outward", "outlook")

COOP_CASES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "expert": {"knowledge": "expert"},
    "expert, history, 5 players, sorted": {
        "knowledge": "expert",
        "catalogue": "history",
        "players": 5,
        "slots": "sorted",
    },
    "expert, shared times": {"knowledge": "expert", "catalogue": TIED, "players": 3},
    "expert, raw, another begins": {"knowledge": "expert", "features": "raw", "players": 4, "first_player": 2},
    "faces": {"knowledge": "faces", "players": 3},
    "faces, shared times, sorted": {"knowledge": "faces", "catalogue": TIED, "slots": "sorted"},
    "blind, history": {"knowledge": "blind", "catalogue": "history"},
    "blind, shared times, hidden pile": {"knowledge": "blind", "catalogue": TIED, "show_pile_top": False},
    "solitaire": {"players": 1, "knowledge": noisy(3)},
    "6 players, history": {"players": 6, "catalogue": "history", "knowledge": noisy(12)},
    "own estimates only, sorted": {"players": 3, "communication": "none", "slots": "sorted", "knowledge": noisy(6)},
    "a seat that never errs": {"players": 2, "communication": "none", "knowledge": noisy(0, 8)},
    "a seat that never errs tells": {"players": 3, "knowledge": noisy(9, 0, 4), "slots": "sorted"},
    "no idea": {"knowledge": noisy(1000), "slots": "sorted"},
    "good guesses": {"players": 2, "knowledge": noisy(1)},
    "very good guesses": {"players": 2, "communication": "none", "knowledge": noisy(0.5, 0.1), "slots": "sorted"},
    "good guesses, shared times": {"players": 4, "knowledge": noisy(2), "catalogue": TIED},
    "good guesses, shared times, sorted": {
        "players": 3,
        "knowledge": noisy(0.5, 1, 3),
        "communication": "none",
        "catalogue": TIED,
        "slots": "sorted",
    },
    "hand of 1": {"hand_size": 1, "deck_size": 12, "knowledge": noisy(5), "catalogue": TIED},
    "hand of 2, hidden pile, sorted": {"hand_size": 2, "deck_size": 12, "show_pile_top": False, "slots": "sorted"},
    "smallest deck, expert": {"players": 3, "hand_size": 3, "deck_size": 11, "knowledge": "expert"},
    "raw, noisy, sorted": {"features": "raw", "slots": "sorted", "players": 2},
}
COMPETITIVE_CASES: dict[str, dict[str, Any]] = {
    "defaults": {},
    "expert": {"knowledge": "expert"},
    "expert, shared times": {"knowledge": "expert", "catalogue": TIED, "players": 3, "slots": "sorted"},
    "faces, history": {"knowledge": "faces", "catalogue": "history", "players": 2},
    "faces, shared times, sorted": {"knowledge": "faces", "catalogue": TIED, "slots": "sorted", "players": 4},
    "blind, reshuffles": {"knowledge": "blind", "catalogue": TINY},
    "noisy, reshuffles": {"knowledge": noisy(0.5, 3), "catalogue": TINY, "slots": "sorted"},
    "expert, reshuffles, hidden pile": {"knowledge": "expert", "catalogue": TINY, "show_pile_top": False},
    "noisy, shared times": {"knowledge": noisy(1), "catalogue": TIED, "players": 3, "first_player": 1},
    "noisy, 6 players": {"knowledge": noisy(4), "players": 6, "slots": "sorted"},
    "a seat that never errs": {"knowledge": noisy(0, 5, 0.3), "players": 3, "slots": "sorted"},
    "no idea, few rounds": {"knowledge": noisy(1000), "max_rounds": 6, "catalogue": "history"},
    "large catalogue": {"knowledge": noisy(10), "catalogue": LARGE, "max_rounds": 12},
    "large catalogue, expert": {"knowledge": "expert", "catalogue": LARGE, "max_rounds": 12, "slots": "sorted"},
    "large catalogue, faces": {"knowledge": "faces", "catalogue": LARGE, "max_rounds": 6, "features": "full"},
    "hand of 1, raw": {"hand_size": 1, "features": "raw", "catalogue": TINY, "players": 6, "slots": "sorted"},
}


def sections_of(batch: Any, observation: Floats) -> dict[str, Floats]:
    return {name: section.of(observation) for name, section in batch.layout.items()}


def assert_twins_agree(batch: Any, seat: int) -> None:
    look = slow.look_of(batch, seat)
    expected = slow.observe(look)
    observation = batch.observe(0, seat)["observation"]
    assert np.isfinite(observation).all() and observation.min() >= LOWEST and observation.max() <= HIGHEST
    seen = sections_of(batch, observation)
    assert list(seen) == list(expected)
    for name, section in seen.items():
        rounded = name in EXPECTATIONS and look.kind != "expert"
        if not (name == "outward" and rounded and slow.order_is_doubtful(look)):
            np.testing.assert_allclose(section, expected[name], rtol=0, atol=3e-3 if rounded else 1e-4, err_msg=name)


def assert_twins_agree_over(batch: Any, count: int, every: int) -> None:
    """Every so many states all seats look at the table, in the others one of them."""
    for i, _ in enumerate(games(batch, count)):
        seats = range(batch.table.players) if i % every == 0 else [i % batch.table.players]
        for seat in seats:
            assert_twins_agree(batch, seat)


@pytest.mark.parametrize("name", COOP_CASES)
def test_the_co_op_observation_is_what_the_docs_page_says(name: str) -> None:
    assert_twins_agree_over(make("coop", **COOP_CASES[name]), count=9, every=6)


@pytest.mark.parametrize("name", COMPETITIVE_CASES)
def test_the_competitive_observation_is_what_the_docs_page_says(name: str) -> None:
    assert_twins_agree_over(make("competitive", **COMPETITIVE_CASES[name]), count=6, every=10)


def coop_sights(game: Any) -> set[str]:
    gaps = game.gap[: game.main_count - 1]
    sights = {
        "long row": game.main_count > 9,
        "full gaps": len(gaps) > 3 and bool((gaps >= 0).all()),
        "stuck": game.stuck.any(),
        "equal": game.tie_count > 0,
        "empty pile": game.drawn == game.deck_size,
        "out of cards": game.end == engine.RUNNING and bool((game.hands[: game.players] < 0).all(axis=1).any()),
        "must play": game.phase == engine.MUST_PLAY,
        "placed one": game.phase == engine.PLACED_ONE,
        engine.END_REASONS[game.end]: True,
    }
    return {sight for sight, there in sights.items() if there}


def competitive_sights(game: Any) -> set[str]:
    sights = {
        "tie-break": bool(game.tie_break),
        "somebody is out": not game.active[: game.players].all(),
        "flipped card in the pile": bool(game.seen[game.pile[game.pile_start : game.pile_end]].any()),
        "flipped card in a hand": bool(game.seen[game.hands[game.hands >= 0]].any()),
        "empty pile": game.pile_start == game.pile_end,
        engine.END_REASONS[game.end]: True,
    }
    return {sight for sight, there in sights.items() if there}


def test_the_compared_co_op_games_are_varied() -> None:
    seen = Counter[str]()
    for name in ("defaults", "expert, shared times", "hand of 1"):
        for game in games(make("coop", **COOP_CASES[name]), 9):
            seen.update(coop_sights(game))
    rare = {"long row", "full gaps", "stuck", "equal", "empty pile", "out of cards", "must play", "placed one"}
    assert set(seen) >= rare | {"running", "failed_play", "all_cards_used"}


def test_the_compared_competitive_games_are_varied() -> None:
    seen = Counter[str]()
    for name in ("defaults", "blind, reshuffles", "noisy, shared times", "no idea, few rounds"):
        for game in games(make("competitive", **COMPETITIVE_CASES[name]), 6):
            seen.update(competitive_sights(game))
    rare = {"tie-break", "somebody is out", "flipped card in the pile", "flipped card in a hand", "empty pile"}
    assert set(seen) >= rare | {"running", "won", "draw", "max_rounds"}


# --- the limits of the numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MAKERS)
@pytest.mark.parametrize("slots", ["table", "sorted"])
@pytest.mark.parametrize("sigma", [0.5, 5, 1000])
def test_estimates_far_off_the_scale_keep_every_number_in_the_observation_space(
    mode: str, slots: str, sigma: float
) -> None:
    env = MAKERS[mode].raw_env(catalogue=TIED, slots=slots, knowledge=noisy(sigma))
    estimates = np.resize([-30_000.0, 30_000.0, -900.0, 3.5, 700.0, 12.4], (2, len(TIED)))
    env.reset(seed=4, options={"estimates": estimates})
    while not env.terminations["player_0"]:
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen) and np.isfinite(seen["observation"]).all()
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))


def test_more_than_36_cards_of_one_time_count_as_36() -> None:
    batch = make("competitive", catalogue=catalogue_of([5] * 45), knowledge="expert", hand_size=1)
    batch.deal([0], [1])
    game = batch.games[0]
    while game["timeline_count"] < 40 and game["end"] == engine.RUNNING:
        assert batch.table.step(game, int(np.flatnonzero(batch.table.mask(game))[0]))
    assert game["timeline_count"] == 40
    assert sections_of(batch, batch.observe(0, 0)["observation"])["timeline"].tolist() == [36]


# --- the tables of the docs pages -------------------------------------------------------------------------------------

LAYOUT_ROW = re.compile(r"^\| `(\w+)` \| `([^`]+)` \| (\d+) \| ", re.M)
STATE_ROW = re.compile(r"^\| `(\w+)` \| `([^`]+)` \| `([^`]+)` \| ", re.M)


def length(formula: str, sizes: dict[str, int]) -> int:
    """`5+2I` as a number."""
    total = 0
    for term in formula.strip("()").replace(" ", "").split("+"):
        match = re.fullmatch(r"(\d*)([A-Z]?)", term)
        assert match is not None and term, f"{formula!r} is not understood"
        total += int(match[1] or 1) * (sizes[match[2]] if match[2] else 1)
    return total


def shape(formula: str, sizes: dict[str, int]) -> tuple[int, ...]:
    return tuple(length(part, sizes) for part in formula.split(" x "))


def sizes_of(batch: Any) -> dict[str, int]:
    catalogue = batch.table.catalogue
    count = len(catalogue)
    return {
        "T": len(set(catalogue.times)),
        "N": count,
        "P": batch.table.players,
        "I": len(catalogue.icons),
        "F": count if batch.knowledge.name == "faces" else 0,
        "D": batch.table.cards_in_game,
        "R": batch.estimates.shape[1],
    }


def documented_layout(mode: str) -> list[tuple[str, str, int]]:
    return [(name, formula, int(start)) for name, formula, start in LAYOUT_ROW.findall(MAKERS[mode].__doc__ or "")]


@pytest.mark.parametrize(
    ("mode", "settings"),
    [
        ("coop", {}),
        ("coop", {"players": 5, "catalogue": "history", "knowledge": "faces"}),
        ("coop", {"players": 1, "catalogue": TIED, "knowledge": "blind", "hand_size": 2, "deck_size": 9}),
        ("competitive", {}),
        ("competitive", {"players": 6, "catalogue": "history", "knowledge": "faces"}),
        ("competitive", {"players": 3, "catalogue": TIED, "knowledge": "expert", "hand_size": 1}),
    ],
)
def test_the_layout_is_the_table_of_the_docs_page(mode: str, settings: dict[str, Any]) -> None:
    env = MAKERS[mode].env(**settings)
    sizes = sizes_of(env.unwrapped.batch)
    rows = documented_layout(mode)
    layout = env.unwrapped.layout
    assert [(name, shape(formula, sizes)) for name, formula, _ in rows] == [
        (section.name, section.shape) for section in layout.values()
    ]
    assert layout.size == env.observation_space("player_0")["observation"].shape[0]


@pytest.mark.parametrize("mode", MAKERS)
def test_the_starts_of_the_docs_page_are_those_of_the_defaults(mode: str) -> None:
    layout = MAKERS[mode].env().unwrapped.layout
    assert [(name, start) for name, _, start in documented_layout(mode)] == [
        (name, section.start) for name, section in layout.items()
    ]


def test_sections_follow_each_other_without_a_hole() -> None:
    for mode in MAKERS:
        layout = make(mode, knowledge="faces").layout
        ends = [0, *(section.stop for section in layout.values())]
        assert [section.start for section in layout.values()] == ends[:-1] and layout.size == ends[-1]


def test_a_section_of_a_batch_of_observations_has_its_shape_for_each() -> None:
    section = Section("pairs", (3, 2), 1)
    observations = np.arange(16, dtype=np.float32).reshape(2, 8)
    assert section.of(observations).tolist() == [[[1, 2], [3, 4], [5, 6]], [[9, 10], [11, 12], [13, 14]]]


@pytest.mark.parametrize(
    ("mode", "settings"),
    [
        ("coop", {}),
        ("coop", {"players": 3, "communication": "none", "catalogue": TIED, "deck_size": 20}),
        ("competitive", {}),
        ("competitive", {"players": 4, "catalogue": "history", "knowledge": "expert"}),
    ],
)
def test_the_state_has_the_sections_of_its_table(mode: str, settings: dict[str, Any]) -> None:
    env = MAKERS[mode].raw_env(**settings)
    env.reset(seed=1)
    rows = STATE_ROW.findall(state.__doc__ or "")
    assert [name for name, _, _ in rows] == ["cards", "estimates", "players", "game"]
    column = 1 if mode == "coop" else 2
    documented = sum(math.prod(shape(row[column], sizes_of(env.batch))) for row in rows)
    assert env.state().shape == env.state_space.shape == (documented,)
    assert state_size(env.batch.table, env.batch.estimates.shape[1]) == documented


@pytest.mark.parametrize("mode", MAKERS)
@pytest.mark.parametrize("kind", ["noisy", "faces"])
def test_raw_features_are_the_beginning_of_the_full_ones(mode: str, kind: str) -> None:
    full, raw = make(mode, knowledge=kind), make(mode, knowledge=kind, features="raw")
    for game in states(full, 5, 0.7):
        raw.games[0], raw.estimates[0] = game, full.estimates[0]
        for seat in range(2):
            long, short = full.observe(0, seat), raw.observe(0, seat)
            assert short["observation"].tolist() == long["observation"][: raw.layout.size].tolist()
    assert list(raw.layout) == list(full.layout)[: len(raw.layout)] and list(raw.layout)[-1] == "recent"


WORKED_ROW = re.compile(r"^\| `player_(\d)` \| (play [^|]+?)(?::[^|]*)? \| ([-0-9, ]+) \| (-?\d+) \|$", re.M)


def test_the_worked_game_of_the_docs_page_replays() -> None:
    rows = WORKED_ROW.findall(coop_v0.__doc__ or "")
    assert len(rows) == 9
    env = coop_v0.env(knowledge="expert")
    env.reset(seed=7)
    raw = env.unwrapped
    for seat, actions, rewards, score in rows:
        for action, reward in zip(actions.split(", "), rewards.split(", "), strict=True):
            first = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])
            assert (env.agent_selection, f"play {first}") == (f"player_{seat}", action)
            env.step(first)
            assert env.rewards == dict.fromkeys(raw.agents, float(reward))
        assert env.infos["player_0"]["score"] == int(score)
    assert all(env.terminations.values()) and env.infos["player_0"]["end_reason"] == "failed_play"
    assert "all stuck, which ends the game" in (coop_v0.__doc__ or "")


def test_the_rewards_of_the_worked_game_sum_to_what_the_docs_page_says() -> None:
    total, score = 0, 0
    for _, _, rewards, after in WORKED_ROW.findall(coop_v0.__doc__ or ""):
        total += sum(int(reward) for reward in rewards.split(", "))
        score = int(after)
    assert f"sum to {total} = {score} + 36 - 3" in (coop_v0.__doc__ or "") and total == score + 33


# --- slots as presented -----------------------------------------------------------------------------------------------


def pair(mode: str, **settings: Any) -> tuple[Any, Any]:
    """The same game twice, with sorted slots and with those of the table."""
    return make(mode, slots="sorted", **settings), make(mode, slots="table", **settings)


def presented(batch: Any, action: int) -> int:
    """The number that a table action has for the player on turn."""
    order = batch.slot_order(0)
    if isinstance(batch, CoopBatch):
        return action if action == engine.END_TURN else order.index(action % 4) + action // 4 * 4
    places = batch.table.cards_in_game + 1
    return int(order.index(action // places) * places + action % places)


SLOT_CASES = [
    ("coop", {"knowledge": "expert"}),
    ("coop", {"knowledge": noisy(4), "communication": "none", "players": 3, "catalogue": TIED}),
    ("coop", {"knowledge": "faces"}),
    ("competitive", {"knowledge": noisy(0.5, 3), "catalogue": TINY}),
    ("competitive", {"knowledge": "expert", "catalogue": TIED, "players": 3}),
    ("competitive", {"knowledge": "blind", "catalogue": TINY}),
]


@pytest.mark.parametrize(("mode", "settings"), SLOT_CASES)
def test_an_action_by_sorted_slots_leads_to_the_same_game_as_the_one_it_stands_for(
    mode: str, settings: dict[str, Any]
) -> None:
    batch, table = pair(mode, **settings)
    for seed in range(6):
        batch.deal([0], [seed])
        batch.observe_turns()
        chooser = random.Random(seed)
        while batch.games[0]["end"] == engine.RUNNING:
            twin = table.table.deal([0])
            twin[0] = batch.games[0]
            legal = np.flatnonzero(table.table.mask(twin[0])).tolist()
            assert sorted(presented(batch, action) for action in legal) == np.flatnonzero(batch.masks[0]).tolist()
            action = wish(twin[0], legal, chooser, 0.7)
            assert table.table.step(twin[0], action) and batch.play(presented(batch, action))
            assert batch.games[0] == twin[0]


@pytest.mark.parametrize(("mode", "settings"), SLOT_CASES)
def test_sorted_and_table_slots_show_the_same_cards(mode: str, settings: dict[str, Any]) -> None:
    batch, table = pair(mode, **settings)
    moved = 0
    for game in games(batch, 6):
        table.games[0], table.estimates[0] = game, batch.estimates[0]
        seat = int(game["turn"])
        by_time, as_they_lie = (
            sections_of(each, each.observe(0, seat)["observation"])["cards"] for each in (batch, table)
        )
        order = batch.slot_order(0)
        assert by_time[:4].tolist() == as_they_lie[order].tolist()
        for hand in range(1, batch.table.players):
            rows = slice(4 * hand, 4 * hand + 4)
            assert sorted(by_time[rows].tolist()) == sorted(as_they_lie[rows].tolist())
        assert by_time[-1].tolist() == as_they_lie[-1].tolist()
        moved += order != [0, 1, 2, 3]
    # What a seat does not know, the order must not tell.
    assert (moved == 0) == (settings["knowledge"] in ("faces", "blind"))


def test_only_the_player_on_turn_has_legal_actions_and_nobody_once_the_game_is_over() -> None:
    for mode in MAKERS:
        batch = make(mode, players=3, catalogue=TIED)
        for game in states(batch, 3, 0.7):
            has = [bool(batch.observe(0, seat)["action_mask"].any()) for seat in range(3)]
            running = game["end"] == engine.RUNNING
            assert has == [running and seat == game["turn"] for seat in range(3)]


def test_the_buffers_of_a_batch_hold_what_observe_gives_the_player_on_turn() -> None:
    for mode in MAKERS:
        batch = make(mode, players=2, slots="sorted")
        for game in states(batch, 2, 0.7):
            batch.observe_turns()
            seen = batch.observe(0, int(game["turn"]))
            assert seen["observation"].tobytes() == batch.observations[0].tobytes()
            assert seen["action_mask"].tolist() == batch.masks[0].tolist()


@pytest.mark.parametrize("mode", MAKERS)
def test_an_observation_does_not_depend_on_what_was_looked_at_before(mode: str) -> None:
    used, fresh = (make(mode, players=3, catalogue=TIED, knowledge=noisy(2)) for _ in range(2))
    for game in games(used, 3):
        fresh.games[0], fresh.estimates[0] = game, used.estimates[0]
        fresh.work.view(np.int8)[:] = 0x55
        for seat in range(3):
            assert used.observe(0, seat)["observation"].tobytes() == fresh.observe(0, seat)["observation"].tobytes()


INTERPRETED = """
import json
from timeline_twist import competitive_v0, coop_v0
for module in (coop_v0, competitive_v0):
    env = module.raw_env(players=3, knowledge={"kind": "noisy", "sigma": [2, 3, 5]}, slots="sorted")
    env.reset(seed=6)
    print(json.dumps(env.observe("player_1")["observation"].tolist()))
"""


def test_interpreted_the_kernels_see_the_same_as_compiled() -> None:
    interpreted = subprocess.run(
        [sys.executable, "-c", INTERPRETED],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert interpreted.returncode == 0, interpreted.stderr
    for module, line in zip(MAKERS.values(), interpreted.stdout.splitlines(), strict=True):
        env = module.raw_env(players=3, knowledge=noisy(2, 3, 5), slots="sorted")
        env.reset(seed=6)
        np.testing.assert_allclose(env.observe("player_1")["observation"], json.loads(line), rtol=0, atol=1e-5)


def test_no_field_of_a_record_has_the_name_of_something_that_every_record_has() -> None:
    # Interpreted, `record.mean` would be NumPy's method and not the field.
    for dtype in records.ALL:
        assert not set(dtype.names or ()) & set(dir(np.record))


# --- tables worked by hand --------------------------------------------------------------------------------------------


def table(
    hands: Sequence[Sequence[int]],
    main: int,
    pile: Sequence[int],
    *,
    discard: int = 99,
    estimates: dict[int, float] | None = None,
    **settings: Any,
) -> Any:
    """A co-op table of scenes: a card is given by its position, 0 to 99, and so are the estimates that are wrong."""
    order = [card for hand in hands for card in hand] + [main, discard, *pile]
    settings = {"knowledge": "expert", **settings}
    env = coop_v0.raw_env(players=len(hands), hand_size=len(hands[0]), deck_size=len(order), **settings)
    options: dict[str, Any] = {"draw_order": order}
    if estimates is not None:
        believed = np.arange(100.0)
        believed[list(estimates)] = list(estimates.values())
        options["estimates"] = np.tile(believed, (len(hands), 1))
    env.reset(seed=1, options=options)
    return env


def section(env: Any, name: str, seat: int = 0) -> Any:
    part: Section = env.layout[name]
    return part.of(env.observe(f"player_{seat}")["observation"])


def example() -> Any:
    """Main row 10, 50 after player 0 has played 50 and may play once more.

    Player 0 holds 20, player 1 holds 5 and 70, 30 is on top of the pile with two unseen cards below. Public are 10, 50
    and 99. The unseen cards are two of the 100 - 3 - 4 = 93 others, so each of those is unseen in the pile with 2/93.
    """
    env = table([[50, 20], [5, 70]], main=10, pile=[30, 60, 80])
    env.step(engine.PLAY + 0)
    return env


PER_CARD = 2 / 93 / 8  # one position of the example, in the unit of expected cards


def test_rows_count_the_cards_at_each_position() -> None:
    env = example()
    assert np.flatnonzero(section(env, "main")).tolist() == [10, 50]
    assert np.flatnonzero(section(env, "discards")).tolist() == [99] and not section(env, "gap").any()
    env.step(engine.PLAY + 1)
    assert np.flatnonzero(section(env, "gap")).tolist() == [20]


def test_a_card_between_two_neighbours_is_for_their_gap() -> None:
    fate = section(example(), "fates")[1]
    # 30, on top of the pile, wants the gap too; of the 39 positions 11 to 49, 20 and 30 are not unseen.
    assert fate[:8] == pytest.approx([0, 0, 1, 0, 0, 0, 1 / 8, 37 * PER_CARD], abs=1e-6)


def test_a_card_beyond_an_end_swallows_what_lies_between() -> None:
    low, high = section(example(), "fates")[4:6]
    assert low[:8] == pytest.approx([1, 0, 0, 0, 0, 4 * PER_CARD, 0, 0], abs=1e-6)  # 6 to 9
    assert high[:8] == pytest.approx([0, 1, 0, 0, 0, 19 * PER_CARD, 0, 0], abs=1e-6)  # 51 to 69


def test_outward_lists_go_from_each_end_to_the_furthest_card() -> None:
    env = table([[50, 90], [5, 70]], main=10, pile=[60, 30, 80])
    env.step(engine.PLAY + 0)
    low, high = section(env, "outward")
    assert low[0] == pytest.approx([1, 0, 1 / 6, 0, 4 * PER_CARD, 1 / 4], abs=1e-6) and not low[1:].any()
    top, theirs, mine = high[:3]
    assert top == pytest.approx([1, 0, 0, 1, 9 * PER_CARD, 0], abs=1e-6)  # 51 to 59, then 61 to 69 and 71 to 89
    assert theirs == pytest.approx([1, 0, 1 / 6, 0, 9 * PER_CARD, 2 / 4], abs=1e-6)
    assert mine == pytest.approx([1, 1, 0, 0, 19 * PER_CARD, 2 / 4], abs=1e-6) and not high[3:].any()


def test_the_outlook_counts_room_gaps_and_unseen_cards() -> None:
    # Unseen can be: nine of the positions 0 to 9, 47 of 51 to 98, 37 of 11 to 49.
    unseen = [9 * PER_CARD, 47 * PER_CARD, 37 * PER_CARD, 0]
    expected = 37 * 2 / 93
    filled = [expected / (1 + expected) / 8, 1 / 8]
    assert section(example(), "outlook") == pytest.approx([0.1, 0.49, 1 / 8, 0, *unseen, *filled], abs=1e-6)


def test_a_card_for_a_taken_gap_will_be_stuck() -> None:
    env = table([[50, 20, 30]], main=10, pile=[60])
    env.step(engine.PLAY + 0)
    env.step(engine.PLAY + 1)
    assert section(env, "fates")[2][:5].tolist() == [0, 0, 0, 1, 0]
    assert section(env, "outlook")[2:4].tolist() == [0, 1 / 8]


def test_a_stuck_card_shows_its_time_and_its_back_to_everybody() -> None:
    env = table([[50, 30, 31], [1, 2, 3]], main=10, pile=[60, 61, 62], knowledge="blind")
    env.step(engine.PLAY + 0)
    env.step(engine.PLAY + 1)
    for action in (engine.PLAY + 0, engine.PLAY + 1):  # player 1
        env.step(action)
    env.step(engine.PLAY + 2)
    assert env.game.stuck[0, 2] and env.game.time[env.game.hands[0, 2]] == 31
    for seat, place in ((0, 2), (1, 6)):
        card = section(env, "cards", seat)[place]
        assert card[:5] == pytest.approx([1, 1, 1, 31.5 / 100, 0])
        assert card[5:9].sum() == 1 and card[9:].argmax() == env.game.back[env.game.hands[0, 2]]


def test_a_card_of_a_hand_shows_its_estimate_its_sigma_and_its_front() -> None:
    env = table([[50], [5]], main=10, pile=[60], knowledge=noisy(8, 8), estimates={5: 12.5})
    card = section(env, "cards")[4]
    # Two seats with sigma 8 know together what one would with 8 / sqrt(2).
    assert card[:5] == pytest.approx([1, 0, 0, 13 / 100, 8 / math.sqrt(2) / 100])
    assert card[5:9].argmax() == env.game.front[1] and not card[9:].any()


def test_an_estimate_between_two_positions_makes_both_equally_likely() -> None:
    # Sigma 0.1 looks at 9 and 10 only; 10 lies on the main row, so 9 it is.
    env = table([[9], [5]], main=10, pile=[60], knowledge=noisy(0.1), estimates={9: 9.5})
    assert section(env, "fates")[0][:5] == pytest.approx([1, 0, 0, 0, 0], abs=1e-6)
    env = table([[20], [5]], main=10, pile=[60], knowledge=noisy(0.1), estimates={20: 20.5})
    # 20 swallows 11 to 19, 21 swallows 11 to 20: one more, of which half is expected to be the card itself.
    assert section(env, "outward")[1][0][:4] == pytest.approx([1, 1, 0, 0], abs=1e-6)


def test_a_vague_card_may_go_to_either_side() -> None:
    env = table([[20]], main=50, pile=[60, 61], knowledge=noisy(1000), estimates={20: 49.5})
    low, high, *others = section(env, "fates")[0][:5]
    # 50 positions below and 48 above have not been public (99 is discarded).
    assert [low, high] == pytest.approx([50 / 98, 48 / 98], abs=2e-3) and not any(others)


def test_a_blind_seat_expects_every_card_that_was_not_public() -> None:
    fate = section(table([[20]], main=30, pile=[60], knowledge="blind"), "fates")[0]
    assert fate[:5] == pytest.approx([30 / 98, 68 / 98, 0, 0, 0], abs=1e-6)


def test_recent_events_come_newest_first_with_who_and_when() -> None:
    env = example()
    env.step(engine.END_TURN)
    ended, played = section(env, "recent", seat=1)[:2]
    assert ended.tolist() == pytest.approx([0, 0, 0, 0, 0, 0, 1, 1 / 6, 0])
    assert played.tolist() == pytest.approx([0, 1, 0, 0, 0, 0, 0, 1 / 6, 50.5 / 100])


def test_turn_and_phase_are_seen_from_the_observer_and_empty_at_the_end() -> None:
    env = example()
    assert section(env, "turn").tolist() == [1, 0] and section(env, "turn", 1).tolist() == [0, 1]
    assert section(env, "phase", 1).tolist() == [0, 0, 1]
    env = table([[20]], main=10, pile=[])
    env.step(engine.PLAY + 0)
    assert env.terminations["player_0"]
    assert not section(env, "turn").any() and not section(env, "phase").any()


def test_counts_are_shares_of_36() -> None:
    assert section(example(), "counts") == pytest.approx([3 / 36, 2 / 36, 0, 1 / 36])


def test_the_open_icon_is_the_back_on_top_of_the_discards_and_says_which_cards_may_follow() -> None:
    env = example()
    icon = int(section(env, "open_icon").argmax())
    assert icon == env.game.back[env.game.discards[0]]
    fronts = section(env, "cards")[:, 5:9]
    assert section(env, "fates")[:, 8].tolist() == fronts[:, icon].tolist()


def duel(order: Sequence[int], **settings: Any) -> Any:
    """A competitive table of ten cards at the positions 0 to 9, dealt in an order."""
    settings = {"knowledge": "expert", "hand_size": 1, **settings}
    env = competitive_v0.raw_env(players=2, catalogue=catalogue_of(range(10)), **settings)
    env.reset(seed=1, options={"draw_order": order})
    return env


def test_chances_of_a_known_card_are_1_at_its_place() -> None:
    env = duel([6, 2, 4, 9, 8, 7, 5, 3, 1, 0])
    chances = section(env, "chances")
    assert chances[0].tolist() == [0, 1] + [0] * 9 and not chances[1:].any()
    assert section(env, "best")[[0, 4, 8]].tolist() == [1, 1, 1]


def test_chances_of_a_card_of_which_nothing_is_known_are_shares_of_the_rest() -> None:
    env = duel([6, 2, 4, 9, 8, 7, 5, 3, 1, 0], knowledge="blind")
    # On the timeline lies 4: below it are four, above it five of the nine other cards.
    assert section(env, "chances")[0][:2] == pytest.approx([4 / 9, 5 / 9])
    assert section(env, "best")[0] == pytest.approx(5 / 9)


def test_players_and_progress_follow_the_game() -> None:
    env = duel([6, 2, 4, 9, 8, 7, 5, 3, 1, 0], hand_size=1, max_rounds=10)
    env.step(0)  # player 0 puts 6 before 4, which is wrong, and draws 9
    env.step(0)  # player 1 puts 2 before 4 and wins, alone in this round
    assert section(env, "players").tolist() == [[1 / 4, 0, 0, 0], [0, 1, 0, 1]]
    assert section(env, "progress") == pytest.approx([1 / 10, 0, 6 / 10, 1 / 10])
    right, wrong = section(env, "recent")[:2]
    assert right == pytest.approx([1, 0, 1 / 6, 2.5 / 10]) and wrong == pytest.approx([0, 1, 0, 6.5 / 10])


# --- what once went wrong ---------------------------------------------------------------------------------------------


def test_two_cards_expected_at_one_position_do_not_split_a_gap() -> None:
    # Main row 10, 50; 30 and 31 are both believed to lie at 30, where only one card can be.
    env = table([[50, 30, 31, 20]], main=10, pile=[60, 61, 62], knowledge=noisy(0.3), estimates={31: 30.0})
    env.step(engine.PLAY + 0)
    fate = section(env, "fates")[3]
    # For the gap of 20 are 30 and 31, too, and what is unseen of all 39 positions between 10 and 50.
    assert fate[6] == pytest.approx(2 / 8, abs=3e-3)
    assert fate[7] == pytest.approx(section(env, "outlook")[6], abs=3e-3) and fate[7] > 0


def test_several_cards_expected_on_a_card_of_the_main_row_leave_no_trace_in_the_unseen_ones() -> None:
    # Two cards share every time: the main row's 10 has one twin, and three cards are believed to be it.
    catalogue = catalogue_of([i // 2 for i in range(100)])
    order = [22, 24, 26, 40, 20, 98, 60, 61, 62]
    env = coop_v0.raw_env(players=1, catalogue=catalogue, deck_size=9, knowledge=noisy(0.3))
    believed = np.array([i // 2 for i in range(100)], np.float32)
    believed[[22, 24, 26]] = 10
    env.reset(seed=1, options={"draw_order": order, "estimates": believed[None]})
    observation = env.observe("player_0")["observation"]
    assert env.observation_space("player_0").contains(env.observe("player_0"))
    unseen = env.layout["outlook"].of(observation)[4:8]
    assert 8 * float(unseen.sum()) == pytest.approx(2, abs=0.02)
