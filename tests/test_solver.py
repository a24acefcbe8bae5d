"""The solver: compared with plain enumeration of every world that the players cannot tell from theirs."""

from typing import Any

import pytest

import exact
from exact import small_table, twin
from timeline_twist import Competitive, Coop, SettingsError, engine
from timeline_twist.agents import solver
from timeline_twist.agents.solver import Solver, solve, solve_many

SIZES = [(8, 2, 1), (7, 1, 2), (8, 2, 2), (8, 3, 1), (6, 1, 1)]


def table_of(cards: int, players: int, hand_size: int) -> Coop:
    return small_table(tuple(range(cards)), players, hand_size)


def tiny() -> Coop:
    return Coop(2, "tiny", hand_size=2, deck_size=12)


def half_played(table: Coop, seed: int, steps: int) -> tuple[Any, Any]:
    """The same game in the engine and in the slow model, after some actions that the seed decides."""
    game, slow = table.deal(seed)[0], twin(table, seed)
    for step in range(steps):
        actions = exact.legal(slow)
        if actions:
            action = actions[(seed + 3 * step) % len(actions)]
            engine.coop_step(game, action)
            slow.step(action)
    return game, slow


@pytest.mark.parametrize(("cards", "players", "hand_size"), SIZES)
def test_the_value_is_that_of_the_best_plan_over_all_worlds_alike(cards: int, players: int, hand_size: int) -> None:
    table = table_of(cards, players, hand_size)
    expected = [exact.without_hindsight(exact.worlds(twin(table, seed))) for seed in range(3)]
    assert solve_many(table, table.deal(range(3))) == pytest.approx([float(value) for value in expected], abs=1e-9)


@pytest.mark.parametrize(("cards", "players", "hand_size"), [(8, 2, 2), (8, 2, 1), (7, 1, 2)])
def test_a_game_in_its_middle_has_the_value_of_what_is_still_hidden(cards: int, players: int, hand_size: int) -> None:
    table = table_of(cards, players, hand_size)
    memory = Solver(table)
    for seed in range(12):
        game, slow = half_played(table, seed, 1 + seed % 4)
        assert memory.solve(game) == pytest.approx(float(exact.without_hindsight(exact.worlds(slow))), abs=1e-9)


@pytest.mark.parametrize("seed", [3, 7])
def test_where_hindsight_would_help_the_value_lies_below_it_and_above_a_fixed_plan(seed: int) -> None:
    table = table_of(12, 2, 2)
    game, slow = half_played(table, seed, 3)
    worlds = exact.worlds(slow)
    hindsight = sum(map(exact.with_hindsight, worlds)) / len(worlds)
    plan = sum(map(first_legal_to_the_end, worlds)) / len(worlds)
    value = solve(table, game)
    assert value == pytest.approx(float(exact.without_hindsight(worlds)), abs=1e-9)
    assert plan + 0.1 < value < hindsight - 0.1


def test_no_value_passes_the_mean_of_hindsight_over_all_worlds_alike() -> None:
    for seed in range(12):
        table = table_of(8, 2, 1 + seed % 2)
        worlds = exact.worlds(twin(table, seed))
        hindsight = sum(map(exact.with_hindsight, worlds)) / len(worlds)
        plan = sum(map(first_legal_to_the_end, worlds)) / len(worlds)
        assert plan - 1e-9 <= solve(table, table.deal(seed)[0]) <= hindsight + 1e-9


def first_legal_to_the_end(game: Any) -> int:
    """The score of players who always take the first legal action: a plan that looks at nothing hidden."""
    while game.end_reason is None:
        game = exact.after(game, exact.legal(game)[0])
    return int(game.score())


def test_what_nobody_sees_changes_nothing() -> None:
    table = table_of(9, 2, 1)
    game = table.deal(3)[0]
    value = solve(table, game)
    hidden = slice(int(game.drawn) + 1, 9)
    for field in ("card", "time", "front", "back"):
        game[field][hidden] = game[field][hidden][::-1].copy()
    held = game.hands[game.hands != engine.NO_CARD]
    game.back[held] = (game.back[held] + 1) % 3
    assert solve(table, game) == value


def test_the_game_stays_as_it_is() -> None:
    table = table_of(9, 2, 1)
    games = table.deal(range(2))
    before = games.copy()
    solve_many(table, games)
    assert (games == before).all()


def test_a_game_that_has_ended_is_worth_its_score() -> None:
    table = table_of(8, 2, 1)
    game, _ = half_played(table, 1, 20)
    assert game.end != engine.RUNNING and solve(table, game) == engine.coop_score(game)


def test_known_values_of_tiny_games() -> None:
    # Searches without bounds, and without common names for icons, came to the same numbers.
    assert solve_many(tiny(), tiny().deal([2, 10])) == pytest.approx([13, 16 + 377 / 720], abs=1e-9)


def test_a_small_memory_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(9, 2, 1)
    games = table.deal(range(4))
    values = solve_many(table, games)
    monkeypatch.setattr(solver, "FIRST_CAPACITY", 256)
    assert solve_many(table, games) == pytest.approx(values, abs=1e-9)


def test_threads_change_nothing_and_progress_is_told() -> None:
    table = table_of(9, 2, 1)
    games = table.deal(range(5))
    done: list[int] = []
    assert solve_many(table, games, done.append, threads=2) == pytest.approx(solve_many(table, games), abs=1e-9)
    assert sorted(done) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Coop(2, "tiny", hand_size=2, deck_size=12, icons="printed"), "has printed icons.*give icons='shuffled'"),
        (Coop(2, "tiny", hand_size=2, deck_size=10), "plays 10 of 12 cards; give deck_size=12"),
        (small_table((0, 1, 1, 2, 3, 4)), "has cards of equal time; give a catalogue without them"),
        (small_table(tuple(range(17))), "has 17 cards and 3 icons; up to 16 cards with 4 icons"),
        (Competitive(2, "tiny"), "is not a co-op table"),
    ],
)
def test_a_table_that_cannot_be_solved_is_refused(table: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        solve_many(table, [])


def test_a_game_of_another_table_is_refused() -> None:
    with pytest.raises(SettingsError, match="game: not dealt at this table"):
        solve(tiny(), table_of(8, 2, 1).deal(0)[0])
