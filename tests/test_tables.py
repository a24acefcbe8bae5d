"""Settings and deals: what is accepted, what is refused and with which words, and what a seed decides."""

import copy
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handmade import catalogue_of
from timeline_twist import CatalogueError, Competitive, Coop, SettingsError, engine, read_result, records


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"players": 0}, "players: 0 is not a whole number from 1 to 6"),
        ({"players": 7}, "players: 7 is not a whole number from 1 to 6"),
        ({"players": 2.0}, r"players: 2\.0 is not a whole number"),
        ({"players": True}, "players: True is not a whole number"),
        ({"players": "2"}, "players: '2' is not a whole number"),
        ({"hand_size": 5}, "hand_size: 5 is not a whole number from 1 to 4"),
        ({"deck_size": 37}, "deck_size: 37 is not a whole number from 1 to 36"),
        ({"deck_size": 9}, "deck_size: 9 cards are too few for 2 players with 4 cards each.* it takes 10"),
        ({"first_player": 2}, "first_player: 2 is not a whole number from 0 to 1"),
        ({"icons": "random"}, "icons: 'random' is not known; choose one of shuffled, printed"),
    ],
)
def test_co_op_settings_out_of_range_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Coop(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"players": 1}, "players: 1 is not a whole number from 2 to 6"),
        ({"max_rounds": 0}, "max_rounds: 0 is not a whole number from 1 to"),
        ({"hand_size": 0}, "hand_size: 0 is not a whole number from 1 to 4"),
    ],
)
def test_competitive_settings_out_of_range_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Competitive(**settings)


def test_a_deck_size_has_no_meaning_in_competitive_mode() -> None:
    with pytest.raises(TypeError):
        Competitive(deck_size=36)  # type: ignore[call-arg]


def test_too_few_cards_for_the_mode_are_refused_with_file_and_line() -> None:
    small = catalogue_of(range(20))
    with pytest.raises(CatalogueError, match=r"handmade\.csv:21: 20 cards are too few for a co-op deck of 36"):
        Coop(catalogue=small)
    with pytest.raises(CatalogueError, match=r"handmade\.csv:21: 20 cards are too few for 5 players.* it takes 21"):
        Competitive(players=5, catalogue=small)
    Coop(catalogue=small, deck_size=20)
    Competitive(players=4, catalogue=small)


@pytest.mark.parametrize("players", [1, 6])
def test_the_smallest_deck_is_a_game(players: int) -> None:
    game = Coop(players, deck_size=4 * players + 2).deal(0)[0]
    assert game.drawn == game.deck_size and game.legal


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", None])
def test_a_seed_is_a_whole_number_of_64_bits(seed: Any) -> None:
    with pytest.raises(SettingsError, match="seed"):
        Coop().deal([seed])


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (range(35), "draw_order: 35 cards where the game needs 36"),
        ([*range(35), 0], "draw_order: card 0 stands there more than once"),
        ([*range(35), 100], "draw_order: 100 is not a whole number from 0 to 99"),
        ([*range(35), "x"], "draw_order: 'x' is not a whole number"),
    ],
)
def test_a_draw_order_must_fit_the_game(order: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Coop().deal_order(order)


def test_a_draw_order_of_the_competitive_game_is_the_whole_catalogue() -> None:
    with pytest.raises(SettingsError, match="36 cards where the game needs 100"):
        Competitive().deal_order(range(36))


@pytest.mark.parametrize("table", [Coop(3), Competitive(3)], ids=["co-op", "competitive"])
def test_a_game_dealt_from_its_own_draw_order_is_the_same_game(table: Coop | Competitive) -> None:
    game = table.deal(11)[0]
    order = game.card if isinstance(table, Coop) else game.pile[: table.cards_in_game]
    assert table.deal_order(order.tolist(), seed=11)[0] == game


def test_the_same_seed_deals_the_same_cards_whatever_the_icons() -> None:
    shuffled, printed = Coop().deal(3)[0], Coop(icons="printed").deal(3)[0]
    assert (shuffled.card == printed.card).all() and (shuffled.front != printed.front).any()


@pytest.mark.parametrize("table", [Coop(2), Competitive(4)], ids=["co-op", "competitive"])
def test_a_seed_means_the_same_game_in_any_batch_on_any_number_of_threads(table: Coop | Competitive) -> None:
    seeds = np.arange(40, dtype=np.uint64)
    together, choices = table.deal(seeds), seeds.copy()
    table.random_play(together, 150, choices)

    apart, own = table.deal(seeds), seeds.copy()
    for i in range(40):
        table.random_play(apart[i : i + 1], 150, own[i : i + 1])
    assert (apart == together).all() and (own == choices).all()

    threaded, shared = table.deal(seeds), seeds.copy()
    parts = zip(np.array_split(threaded, 3), np.array_split(shared, 3), strict=True)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda part: table.random_play(part[0], 150, part[1]), parts))
    assert (threaded == together).all()


@pytest.mark.parametrize("table", [Coop(2), Competitive(2)], ids=["co-op", "competitive"])
def test_random_play_goes_on_with_the_next_seed_and_counts_the_games_that_ended(table: Coop | Competitive) -> None:
    games = table.deal(5)
    seeds = [int(games[0].seed)]
    choices = np.zeros(1, np.uint64)
    ended = 0
    while len(seeds) < 4:
        before = games.copy()
        if table.random_play(games, 1, choices):
            ended += 1
            seeds.append(int(games[0].seed))
            assert games[0] == table.deal(seeds[-1])[0], "a record's seed deals that very game again"
            assert isinstance(table, Competitive) or seeds[-1] == int(engine.seed_of_next(before[0]))
    assert ended == 3 and len(set(seeds)) == 4 and max(seeds) < 2**63


@pytest.mark.parametrize("choices", [np.zeros(2, np.uint64), np.zeros(3, np.int64), np.zeros((3, 1), np.uint64)])
def test_random_play_needs_one_state_for_each_game(choices: Any) -> None:
    table = Coop(2)
    with pytest.raises(SettingsError, match="choices: give an array of 3 uint64, one for each game"):
        table.random_play(table.deal(range(3)), 1, choices)


@pytest.mark.parametrize(
    "games",
    [Competitive(2, "history").deal(1), Competitive(3).deal(1), Coop().deal(1), Competitive().deal(1)[0], [1]],
)
def test_random_play_takes_only_games_of_its_own_table(games: Any) -> None:
    with pytest.raises(
        SettingsError, match="games: not dealt at this table, <Competitive catalogue='scenes', players=2"
    ):
        Competitive(2).random_play(games, 1, np.zeros(1, np.uint64))


@pytest.mark.parametrize("table", [Coop(2), Competitive(2)], ids=["co-op", "competitive"])
def test_random_play_deals_anew_for_a_game_that_had_ended_before(table: Coop | Competitive) -> None:
    games = table.deal(5)
    while games[0].end == engine.RUNNING:
        table.step(games[0], int(table.mask(games[0]).argmax()))
    following = int(engine.seed_of_next(games[0]))
    assert table.random_play(games, 1, np.zeros(1, np.uint64)) == 1
    assert games[0] == table.deal(following)[0]


def test_the_choices_of_random_play_are_not_those_that_shuffled_the_deck() -> None:
    table = Coop(2)
    seeds = np.arange(20_000, dtype=np.uint64)
    scores = []
    for choices in (seeds.copy(), seeds + 10**9):
        games = table.deal(seeds)
        table.random_play(games, 3, choices)
        scores.append(3.0 * games["main_cards"] + 2.0 * games["gap_cards"])
    difference = scores[0] - scores[1]
    assert abs(difference.mean()) < 5 * difference.std() / len(seeds) ** 0.5


@pytest.mark.parametrize("kind", [int, np.int64, np.uint64])
def test_any_kind_of_whole_number_is_the_same_seed(kind: type) -> None:
    coop, versus = Coop(), Competitive()
    game = coop.deal(kind(7))
    engine.coop_deal(game[0], coop.catalogue.cards, kind(7))
    assert (game == coop.deal(7)).all() and (coop.deal(np.array(7)) == game).all()
    rivals = versus.deal(kind(7))
    engine.competitive_deal_batch(rivals, versus.catalogue.cards, np.array([kind(7)]))
    assert (rivals == versus.deal(7)).all()
    assert engine.below(kind(7), 100) == engine.below(np.uint64(7), 100)


def test_a_table_tells_its_settings() -> None:
    table = Coop(3, "history", deck_size=20, hand_size=2, first_player=1, icons="printed")
    assert (table.players, table.deck_size, table.hand_size, table.first_player) == (3, 20, 2, 1)
    assert "catalogue='history', players=3" in repr(table) and Competitive(max_rounds=9).max_rounds == 9


@pytest.mark.parametrize("table", [Coop(2), Competitive(2, "history")], ids=["co-op", "competitive"])
def test_pickled_tables_deal_the_same_games(table: Coop | Competitive) -> None:
    other = pickle.loads(pickle.dumps(table))  # noqa: S301  (our own bytes)
    assert (other.deal(range(5)) == table.deal(range(5))).all()
    assert other.catalogue == table.catalogue and not other.catalogue.cards.flags.writeable


def test_a_result_is_read_from_one_game() -> None:
    with pytest.raises(SettingsError, match=r"game: 2 games at once; give one of them, such as games\[0\]"):
        read_result(Coop().deal(range(2)))


@pytest.mark.parametrize("table", [Coop(2), Competitive(2)], ids=["co-op", "competitive"])
def test_copies_and_pickles_keep_the_game(table: Coop | Competitive) -> None:
    games = table.deal(range(3))
    table.random_play(games, 7, np.arange(3, dtype=np.uint64))
    for kept in (games.copy(), copy.deepcopy(games), pickle.loads(pickle.dumps(games))):  # noqa: S301  (our own bytes)
        assert (kept == games).all() and kept[0].turn == games[0].turn


def test_a_deal_leaves_nothing_of_the_game_before() -> None:
    table = Coop(2)
    used = table.deal(1)
    table.random_play(used, 500, np.zeros(1, np.uint64))
    engine.coop_deal_batch(used, table.catalogue.cards, np.array([9], np.uint64))
    assert used[0] == table.deal(9)[0]


@pytest.mark.parametrize("record", records.ALL, ids=lambda record: record.itemsize)
def test_records_are_aligned_without_hidden_bytes_and_explained(record: np.dtype[np.record]) -> None:
    assert record.names is not None and record.fields is not None and not record.isalignedstruct
    sizes = {name: record.fields[name][0].itemsize for name in record.names}
    assert sum(sizes.values()) == record.itemsize
    assert all(record.fields[name][1] % record.fields[name][0].base.itemsize == 0 for name in record.names)
    assert record.itemsize % max(record.fields[name][0].base.itemsize for name in record.names) == 0
    explained = " ".join(re.findall("`[^`]*`", records.__doc__ or ""))
    assert set(record.names) <= set(re.findall(r"\w+", explained))


def test_copies_of_a_game_are_the_same_bytes() -> None:
    games = Competitive(2).deal(range(20))
    copies = [games[i].copy() for i in range(20)]
    assert [game.tobytes() for game in copies] == [game.tobytes() for game in games]


@pytest.mark.parametrize("table", [Coop(2), Competitive(2)], ids=["co-op", "competitive"])
def test_mask_and_step_take_one_game_of_this_table(table: Coop | Competitive) -> None:
    others = [Coop(2, deck_size=20).deal(1)[0], Competitive(2, "history").deal(1)[0], 5, None]
    for game in others:
        with pytest.raises(SettingsError, match="game: not dealt at this table"):
            table.mask(game)
        with pytest.raises(SettingsError, match="game: not dealt at this table"):
            table.step(game, 0)
    with pytest.raises(SettingsError, match="game: 3 games at once; give one of them"):
        table.step(table.deal(range(3)), 0)
    with pytest.raises(TypeError, match="float"):
        table.step(table.deal(1)[0], 0.0)  # type: ignore[arg-type]
    assert not table.step(table.deal(1)[0], 2**80) and not table.step(table.deal(1)[0], -(2**80))


def test_games_in_read_only_memory_are_not_changed() -> None:
    table = Coop(2)
    games = table.deal(range(2))
    before = games.copy()
    games.flags.writeable = False
    with pytest.raises(SettingsError, match="game: its memory is read-only; step a copy of it"):
        table.step(games[0], 0)
    with pytest.raises(SettingsError, match="games: their memory is read-only"):
        table.random_play(games, 1, np.zeros(2, np.uint64))
    assert table.mask(games[0]).any() and (games == before).all()


def test_a_co_op_game_takes_at_most_512_bytes() -> None:
    assert records.COOP.itemsize <= 512


def test_a_users_csv_works_like_a_built_in_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rows = [f"Event {i},{i * i},{'ab'[i % 2]},{'ba'[i % 2]}" for i in range(1000)]
    path.write_text("title,time,front_icon,back_icon\n" + "\n".join(rows))
    for table in (Coop(2, path), Coop(2, str(path)), Competitive(6, path)):
        games = table.deal(range(4))
        table.random_play(games, 50, np.arange(4, dtype=np.uint64))
        assert read_result(games[0]) is not None and table.actions in (9, 4004)


def test_dates_far_apart_cost_nothing_extra() -> None:
    ancient = Coop(catalogue=catalogue_of([-13_800_000_000, *range(35)]))
    assert ancient.deal(1)[0].time.max() == 35


def test_results_of_a_running_game() -> None:
    assert read_result(Competitive().deal(0)[0]).end_reason is None
    result = read_result(Coop().deal(0)[0])
    assert (result.end_reason, result.score, result.winners) == (None, -33, ())
    assert result.rank("de") == "Team Taugenixe" and read_result(Competitive().deal(0)[0]).rank() is None
