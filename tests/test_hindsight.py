"""Hindsight: what it finds can be reached, and in small games is the best there is."""

from typing import Any

import numpy as np
import pytest

import exact
import handmade
from exact import small_table, twin
from timeline_twist import Coop, SettingsError, engine, random_play
from timeline_twist.agents.hindsight import best_line, hindsight, hindsight_scores

SMALL_BEAM = 100


def replay(game: Any, actions: list[int]) -> Any:
    copy = np.array([game])[0]
    for action in actions:
        assert engine.coop_step(copy, action)
    return copy


@pytest.mark.parametrize(
    ("table", "deals"),
    [
        (small_table(), 6),
        (small_table((0, 1, 1, 2, 3, 3, 4, 5, 5, 6)), 10),
        (small_table(tuple(range(9)), players=1, hand_size=3), 10),
        (small_table(tuple(range(10)), players=3), 10),
    ],
    ids=["12 cards", "equal times", "1 player", "3 players"],
)
def test_hindsight_finds_the_best_of_all_courses_of_a_small_game(table: Coop, deals: int) -> None:
    best = [exact.with_hindsight(twin(table, seed)) for seed in range(deals)]
    assert hindsight_scores(table.deal(range(deals))).tolist() == best


def test_hindsight_finds_the_best_from_the_middle_of_a_turn_too() -> None:
    table = small_table()
    for seed in range(30):
        game, slow = table.deal(seed)[0], twin(table, seed)
        for _ in range(3 + seed % 4):
            if game.end == engine.RUNNING:
                action = handmade.legal(game)[seed % len(handmade.legal(game))]
                engine.coop_step(game, action)
                slow.step(action)
        assert hindsight(game, SMALL_BEAM) == exact.with_hindsight(slow)


@pytest.mark.parametrize("players", range(1, 7))
@pytest.mark.parametrize("catalogue", ["scenes", "history"])
def test_the_score_is_that_of_a_game_that_can_be_played(players: int, catalogue: str) -> None:
    for game in Coop(players, catalogue).deal(range(3)):
        score, actions = best_line(game, SMALL_BEAM)
        end = replay(game, actions)
        assert end.end != engine.RUNNING and engine.coop_score(end) == score


def test_random_play_is_never_better_than_hindsight() -> None:
    games = Coop(2).deal(range(20))
    scores = hindsight_scores(games, SMALL_BEAM)
    mask = np.zeros(engine.COOP_ACTIONS, np.int8)
    for game, best in zip(games, scores, strict=True):
        state = np.uint64(game.seed)
        while game.end == engine.RUNNING:
            action, state = random_play.coop_action(game, mask, np.uint64(state))
            engine.coop_step(game, action)
        assert engine.coop_score(game) < best


def test_the_game_stays_as_it_is() -> None:
    games = Coop(3).deal(range(4))
    before = games.copy()
    hindsight_scores(games, SMALL_BEAM)
    assert (games == before).all()


def test_a_game_that_has_ended_gives_its_score() -> None:
    game = Coop(2).deal(5)[0]
    _, actions = best_line(game, 1)
    end = replay(game, actions)
    assert best_line(end, SMALL_BEAM) == (engine.coop_score(end), [])


def test_a_player_with_nothing_but_stuck_cards_to_come_ends_the_game_at_its_present_score() -> None:
    game = handmade.coop(main=[10, 50], gap={0: 20}, hands=[[30, 40], [60]])
    score, actions = best_line(game, SMALL_BEAM)
    assert score == engine.coop_score(game) and engine.coop_score(replay(game, actions)) == score


def test_threads_change_nothing() -> None:
    games = Coop(4).deal(range(6))
    assert (hindsight_scores(games, SMALL_BEAM, threads=2) == hindsight_scores(games, SMALL_BEAM)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Coop(2).deal(range(2)),), "game: 2 games at once; give one of them"),
        ((7,), "game: not a co-op game"),
        ((Coop(2).deal(0)[0], 0), "beam: 0 is not a whole number from 1"),
    ],
)
def test_what_cannot_be_searched_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        hindsight(*arguments)


def test_a_batch_must_be_one_of_co_op_games() -> None:
    with pytest.raises(SettingsError, match="games: not a batch of co-op games"):
        hindsight_scores(Coop(2).deal(0)[0])
