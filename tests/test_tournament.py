"""Tournaments and cross-play: everybody in every seat of the same deals, and numbers that follow from the games."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import run
from stubs import First, Knowing, Last, Stops
from timeline_twist import SettingsError, agents, competitive_v0, coop_v0, read_result
from timeline_twist.agents import registry
from timeline_twist.agents.agent import Agent
from timeline_twist.agents.seen import Seen
from timeline_twist.evaluation import (
    CrossPlay,
    Suite,
    Tournament,
    cross_play,
    ratings,
    save_contest,
    statistics,
    tournament,
)
from timeline_twist.evaluation.contest import names_of
from timeline_twist.evaluation.contest_output import cross_rows, markdown
from timeline_twist.evaluation.deals import deal_seeds
from timeline_twist.evaluation.heat_map import colours
from timeline_twist.evaluation.seatings import Mixed, lones, pairs, teams

SMALL: dict[str, Any] = {"catalogue": "tiny", "hand_size": 2}
TEAM: dict[str, Any] = {"players": 2, "catalogue": "tiny", "hand_size": 2, "deck_size": 12, "knowledge": "expert"}


def duel(players: int = 2, **settings: Any) -> Suite:
    return Suite("duel", "small", "competitive", SMALL | {"players": players} | settings, opponent="random")


def team(players: int = 2, **settings: Any) -> Suite:
    return Suite("team", "small", "coop", TEAM | {"players": players} | settings)


def match(*given: Any, suite: Suite | None = None, deals: int = 8, **settings: Any) -> Tournament:
    return tournament(list(given), suite or duel(), deals, **settings)


# --- who sits where ---------------------------------------------------------------------------------------------------


def test_two_players_meet_in_both_seats() -> None:
    assert pairs(3, 2) == [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    games = [(one.agent, one.other, one.table, one.seat) for one in lones(pairs(2, 2))]
    assert games == [(0, 1, 0, 0), (1, 0, 0, 1), (1, 0, 1, 0), (0, 1, 1, 1)]


def test_among_more_players_one_sits_with_copies_of_the_other_in_every_seat() -> None:
    tables = pairs(3, 4)
    assert len(tables) == len(set(tables)) == 3 * 2 * 4
    for one, other in permutations(range(3), 2):
        own = [each for each in lones(tables) if (each.agent, each.other) == (one, other)]
        assert [each.seat for each in own] == [0, 1, 2, 3]
        assert all(Counter(tables[each.table]) == {one: 1, other: 3} for each in own)


def test_mixed_tables_are_all_orders_of_all_choices() -> None:
    assert Mixed(4, 4, 0).every == sorted(permutations(range(4)))
    assert len(Mixed(4, 3, 0).every or ()) == 4 * 6
    assert Mixed(2, 4, 0).every == [] and Mixed(5, 2, 0).every == []


def test_with_fewer_agents_than_seats_some_sit_twice_evenly() -> None:
    every = Mixed(3, 4, 0).every or []
    assert len(every) == len(set(every)) == 3 * 12
    assert {tuple(sorted(Counter(seats).values())) for seats in every} == {(1, 1, 2)}
    assert all(Counter(seats[place] for seats in every) == {0: 12, 1: 12, 2: 12} for place in range(4))


@pytest.mark.parametrize(("count", "players"), [(5, 4), (8, 4), (6, 6), (7, 3), (4, 6), (20, 6)])
def test_too_many_mixed_tables_are_drawn_with_everybody_in_every_seat(count: int, players: int) -> None:
    mixed = Mixed(count, players, seed=3)
    tables = mixed.seating(range(5))
    assert mixed.drawn and tables.shape == (5, mixed.count, players)
    for deal in tables:
        seats = [Counter(deal[:, seat].tolist()) for seat in range(players)]
        assert set(seats[0]) == set(range(count)) and all(seat == seats[0] for seat in seats)
        assert all(len(set(table)) == min(count, players) for table in deal.tolist())
    assert (tables[0] != tables[1]).any() and (Mixed(count, players, 3).seating(range(2, 4)) == tables[2:4]).all()
    assert (Mixed(count, players, 4).seating(range(5)) != tables).any()


def test_partners_take_alternating_seats_in_both_orders() -> None:
    assert teams(2, 4) == [(0, 0, 0, 0), (0, 1, 0, 1), (1, 0, 1, 0), (1, 1, 1, 1)]
    assert teams(2, 3)[1:3] == [(0, 1, 0), (1, 0, 1)]


# --- ratings ----------------------------------------------------------------------------------------------------------


def test_ten_to_one_is_400_points() -> None:
    one, other = ratings.rate(np.array([[[0, 100_000], [10_000, 0]]], float))
    assert one["mean"] - other["mean"] == pytest.approx(400, abs=0.1) and one["mean"] == -other["mean"]
    assert one["interval"] is None, "no interval from one deal"


def test_known_strengths_are_found_at_tables_of_any_size() -> None:
    strengths = np.array([1.0, 2.0, 4.0])
    seating = np.array([[[0, 1, 2, 2], [0, 0, 0, 1], [1, 2, 2, 2]]])
    weights = strengths[seating]
    shares = 1e6 * weights / weights.sum(axis=2, keepdims=True)
    found = [one["mean"] for one in ratings.rate(ratings.wins_by_pairs(seating, shares, 3))]
    doubled = 400 * np.log10(2)
    assert found == pytest.approx([-doubled, 0, doubled], abs=0.01)


def test_the_order_of_deals_has_no_say() -> None:
    wins = np.random.default_rng(5).integers(0, 3, (40, 3, 3)).astype(float)
    forwards, backwards = ratings.rate(wins), ratings.rate(wins[::-1])
    assert [one["mean"] for one in forwards] == pytest.approx([one["mean"] for one in backwards])
    assert forwards == ratings.rate(wins) and forwards != ratings.rate(wins, seed=1)
    assert all(one["interval"][0] < one["mean"] < one["interval"][1] for one in forwards)


def test_who_never_wins_has_a_finite_rating() -> None:
    found = ratings.rate(np.array([[[0, 0], [5, 0]]] * 10, float))
    assert -2000 < found[0]["mean"] < -400


def test_without_the_library_there_are_no_ratings_but_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)  # noqa: ARG005
    result = match(First(), Last())
    assert result.ratings() is None and "pip install 'timeline-twist[tournament]'" in markdown(result)


# --- tournaments ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3])
def test_shares_are_those_of_the_games(players: int) -> None:
    one, other, deals = First(), agents.make("greedy"), 7
    result = match(one, other, suite=duel(players), deals=deals, seed=2)
    shares = np.zeros((deals, players))
    for seat in range(players):
        batch = competitive_v0.make_batch(deals, players=players, **SMALL)
        batch.deal(range(deals), deal_seeds(range(deals), 2))
        agents.play(batch, [one, other], np.array([[int(place != seat) for place in range(players)]] * deals), seed=2)
        for number, game in enumerate(batch.games):
            winners = read_result(game).winners
            shares[number, seat] = (seat in winners) / max(1, len(winners))
    assert result.against("first", "greedy")["mean"] == pytest.approx(shares.mean())
    means = shares.mean(axis=1).tolist()
    assert result.against("first", "greedy") == statistics.mean_with_interval(means), "all seats of a deal are one unit"
    assert [seat["mean"] for seat in result.by_seat()["first"]] == pytest.approx(shares.mean(axis=0))


def test_two_players_share_all_wins() -> None:
    result = match(First(), "greedy", "random", deals=12)
    assert result.against("first", "greedy")["mean"] + result.against("greedy", "first")["mean"] == pytest.approx(1)
    assert sum(seat["mean"] for seat in result.by_seat()["everybody"]) == pytest.approx(1)
    cells = [result.against("greedy", other)["mean"] for other in ("first", "random")]
    assert result.win_share("greedy")["mean"] == pytest.approx(sum(cells) / 2)


def test_a_pairing_does_not_depend_on_who_else_plays() -> None:
    whole = match(First(), "random", "greedy", suite=duel(3))
    assert whole.against("random", "greedy") == match("random", "greedy", suite=duel(3)).against("random", "greedy")
    assert whole.mixed("first") is not None and match("random", "greedy", suite=duel(3)).mixed("random") is None


def test_a_seed_is_checked_before_tables_are_drawn() -> None:
    many = [Trained(f"agent-{i}") for i in range(7)]
    with pytest.raises(SettingsError, match="seed: -1 is not a whole number from 0"):
        tournament(many, duel(3), 2, seed=-1)
    result = tournament(many, duel(3), 2)
    assert result.plan.mixed.drawn and "drawn for each deal" in markdown(result)


def test_shares_at_mixed_tables_add_up() -> None:
    result = match(First(), "random", "greedy", suite=duel(3), deals=9)
    mixed = [result.mixed(agent) for agent in result.agents]
    assert sum(one["mean"] for one in mixed if one) == pytest.approx(1)


@pytest.mark.parametrize("settings", [{"chunk": 1}, {"chunk": 3, "threads": 2}, {"threads": 2}])
def test_results_depend_neither_on_chunks_nor_on_threads(settings: dict[str, int]) -> None:
    whole = match("random", First(), "greedy", suite=duel(3), deals=11, mirror=True)
    again = match("random", First(), "greedy", suite=duel(3), deals=11, mirror=True, **settings)
    for part in ("results", "cross_table", "by_seat", "pairs", "per_deal"):
        assert again.content()[part] == whole.content()[part]
    assert (
        match("random", First(), deals=11, seed=1).values.tolist() != match("random", First(), deals=11).values.tolist()
    )


def test_a_better_informed_seat_wins_more_whoever_sits_there() -> None:
    handicap: dict[str, Any] = {"knowledge": {"kind": "noisy", "sigma": [1, 6]}}
    result = match("greedy", "bayes", suite=duel(**handicap), deals=40, mirror=True)
    rows = result.by_seat()
    for row in ("everybody", "greedy against itself", "bayes against itself"):
        informed, guessing = rows[row]
        assert informed["mean"] > 0.6
        assert informed["mean"] + guessing["mean"] == pytest.approx(1)
    assert 0.35 < result.against("bayes", "greedy")["mean"] < 0.65, "both have the good seat equally often"


def test_between_experts_every_game_is_a_draw() -> None:
    result = match("greedy", Knowing(best=True), suite=duel(knowledge="expert"))
    assert result.ended() == {"draw": 1.0}
    assert set(result.values.ravel().tolist()) == {0.5} and result.against("greedy", "right")["interval"] is None


@pytest.mark.parametrize("players", [2, 3])
def test_players_who_always_err_are_broken_off_and_nobody_wins(players: int) -> None:
    wrong, right = Knowing(best=False), Knowing(best=True)
    result = match(wrong, right, suite=duel(players, knowledge="expert", max_rounds=25), deals=6, mirror=True)
    (row,) = [row for row in result.pair_rows() if (row["first"], row["second"]) == ("wrong", "itself")]
    assert row["ended"] == {"max_rounds": 1.0} and row["mean_rounds"] == 25
    assert [seat["mean"] for seat in result.by_seat()["wrong against itself"]] == [0] * players
    assert result.win_share("wrong")["mean"] == 0


def test_an_agent_that_is_slow_game_by_game_is_asked_about_many() -> None:
    class Together(First):
        name = "together"
        smallest_chunk = 16
        asked: list[int] = []  # noqa: RUF012  (one agent, one list)

        def act(self, seen: Seen) -> Any:
            self.asked.append(len(seen))
            return super().act(seen)

    agent = Together()
    match(agent, "random", deals=8)
    assert agent.asked[0] == 8, "it leads half of the sixteen games that come first"


# --- cross-play -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "orders"), [(2, ((0, 1), (1, 0))), (3, ((0, 1, 0), (1, 0, 1)))])
def test_the_score_of_two_is_the_mean_over_both_orders(players: int, orders: tuple[tuple[int, ...], ...]) -> None:
    given = [First(), agents.make("random")]
    result = cross_play(given, team(players), 7, seed=4)
    scores = np.zeros(7)
    for seats in orders:
        batch = coop_v0.make_batch(7, **(TEAM | {"players": players}))
        batch.deal(range(7), deal_seeds(range(7), 4))
        agents.play(batch, given, np.array([seats] * 7), seed=4)
        scores += np.array([read_result(game).score for game in batch.games]) / 2
    assert result.score("first", "random") == result.score("random", "first")
    assert result.score("first", "random") == statistics.mean_with_interval(scores.tolist())


def test_strangers_are_compared_with_agents_that_play_with_themselves() -> None:
    result = cross_play([First(), "random", "greedy"], team(), 10)
    numbers = result.strangers()
    own = [result.score(agent, agent)["mean"] for agent in result.agents]
    other = [
        result.score(one, two)["mean"] for one, two in (("first", "random"), ("first", "greedy"), ("random", "greedy"))
    ]
    assert numbers["diagonal"]["mean"] == pytest.approx(sum(own) / 3)
    assert numbers["off_diagonal"]["mean"] == pytest.approx(sum(other) / 3)
    assert numbers["difference"]["mean"] == pytest.approx(sum(other) / 3 - sum(own) / 3)
    assert result.with_others("first")["others"]["mean"] == pytest.approx(sum(other[:2]) / 2)


def test_a_table_for_one_has_no_partners() -> None:
    with pytest.raises(SettingsError, match="team is a table for one"):
        cross_play([First(), "random"], team(1), 3)


# --- names, files and the command -------------------------------------------------------------------------------------


class Trained(Agent):
    def __init__(self, name: str) -> None:
        self.name = name

    def act(self, seen: Seen) -> Any:
        return seen.masks.argmax(axis=1)


def test_folders_of_the_same_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    folders = [tmp_path / "a" / "best", tmp_path / "b" / "best"]
    for folder in folders:
        folder.mkdir(parents=True)
    texts = [str(folder) for folder in folders]
    assert names_of([*texts, "random"], [Trained("best"), Trained("best"), Trained("random")]) == [*texts, "random"]
    assert names_of([texts[0], "random"], [Trained("best"), Trained("random")]) == ["best", "random"]
    twice = [texts[0], f"{texts[0]}/"]
    assert names_of(twice, [Trained("best"), Trained("best")]) == ["best", "best"], "one folder stays one agent"


def test_a_tournament_is_saved_whole(tmp_path: Path) -> None:
    result = match(First(), "random", "greedy", suite=duel(3), mirror=True)
    assert save_contest(result, tmp_path) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cross_table.png",
        "ratings.png",
        "tournament.json",
        "tournament.md",
    ]
    content = json.loads((tmp_path / "tournament.json").read_text())
    assert content["cross_table"]["first"]["greedy"] == result.against("first", "greedy")
    values = content["per_deal"]["against"]["first"]["greedy"]
    assert statistics.mean_with_interval(values) == result.against("first", "greedy") and len(values) == 8
    assert content["chance"] == pytest.approx(1 / 3) and set(content["results"]["random"]) == {
        "win_share",
        "mixed",
        "rating",
    }
    with pytest.raises(SettingsError, match="holds results already"):
        save_contest(result, tmp_path)
    save_contest(result, tmp_path, force=True)


def test_cross_play_is_saved_whole(tmp_path: Path) -> None:
    result = cross_play([First(), "random"], team(), 8)
    save_contest(result, tmp_path)
    content = json.loads((tmp_path / "tournament.json").read_text())
    assert content["kind"] == "cross-play" and content["strangers"] == result.strangers()
    assert (tmp_path / "cross_table.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "tournament.md").read_text()
    assert "off the diagonal" in text and "Agents without a name" in text


def test_results_of_another_kind_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "metrics.json").write_text("{}")
    with pytest.raises(SettingsError, match=r"holds 'metrics.json', which is not a result of ours"):
        save_contest(match(First(), Last()), tmp_path, force=True)


def test_long_names_are_numbered_over_columns() -> None:
    result = match(First(), Trained("a-name-longer-than-a-column"))
    columns, rows = cross_rows(result, 3)
    assert columns == ["", "1", "2"] and [row[0] for row in rows] == ["1 first", "2 a-name-longer-than-a-column"]


def test_chance_has_the_colour_of_neither_side() -> None:
    colour = colours([0.1, 0.9], 0.25)
    assert max(colour(0.25)[:3]) - min(colour(0.25)[:3]) < 0.02 < max(colour(0.1)[:3]) - min(colour(0.1)[:3])


def suite_file(folder: Path, suite: Suite) -> str:
    path = folder / f"{suite.name}.yaml"
    opponent = f"opponent: {suite.opponent}\n" if suite.opponent else ""
    path.write_text(f"description: x\nmode: {suite.mode}\n{opponent}settings: {json.dumps(suite.settings)}\n")
    return str(path)


def test_the_command_shows_and_writes_a_tournament(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    suite = suite_file(tmp_path, duel())
    words = ["tournament", "random", "greedy", "--mirror", "--suite", suite, "--deals", 8]
    done = run(capsys, monkeypatch, *words, "--out", tmp_path / "out")
    assert done.code == 0 and "greedy against itself" in done.out and "chance is 0.500" in done.out
    written = (tmp_path / "out" / "tournament.md").read_text()
    assert f"timeline-twist tournament random greedy --mirror --suite {suite} --deals 8 --seed 0" in written
    again = run(capsys, monkeypatch, *words, "--threads", 2)
    assert again.out == done.out, "and threads change nothing"


def test_the_command_shows_cross_play(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    suite = suite_file(tmp_path, team())
    done = run(capsys, monkeypatch, "tournament", "random", "greedy", "--coop", "--suite", suite, "--deals", 8)
    assert done.code == 0 and "score of row and column together" in done.out
    assert "all: off the diagonal, on it" in done.out


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_leaves_whole_deals(threads: int) -> None:
    whole = match("random", First(), deals=40)
    part = match("random", Stops(after=40), deals=40, chunk=3, threads=threads)
    assert part.partial and 0 < part.played < 40 and part.played % 3 == 0
    kept = [part.content()["per_deal"]["against"]["random"]["stops"]]
    assert kept == [whole.content()["per_deal"]["against"]["random"]["first"][: part.played]]


def test_an_interruption_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    suite = suite_file(tmp_path, duel())
    monkeypatch.setattr("timeline_twist.evaluation.contest.GAMES_AT_ONCE", 2)
    for after, told in ((1, "interrupted; no deal was finished, nothing was written"), (60, "the results above are")):
        monkeypatch.setitem(registry.BUILT_IN, "stops", lambda after=after: Stops(after))
        out = tmp_path / str(after)
        words = ["tournament", "random", "stops", "--suite", suite, "--deals", 60, "--out", out]
        done = run(capsys, monkeypatch, *words)
        assert done.code == 130 and told in done.err
        assert (out / "tournament.json").exists() == (after > 1)
    assert "partial: interrupted after" in done.out and json.loads((out / "tournament.json").read_text())["partial"]
    before = (out / "tournament.json").read_bytes()
    monkeypatch.setitem(registry.BUILT_IN, "stops", lambda: Stops(60))
    done = run(capsys, monkeypatch, *words, "--force")
    assert done.code == 130 and "keeps its earlier results" in done.err
    assert (out / "tournament.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "agents: random; name a second one, or ask for mirrors (--mirror)"),
        (["random", "--coop"], "agents: random; name a second one to play with it"),
        (["random", "greedy", "random"], "agents: 'random' stands there more than once; name each once"),
        (["random", "checkpoints/nowhere"], "agent: 'checkpoints/nowhere' is neither a built-in agent nor a folder"),
        (["random", "team"], "team: plays coop games only, this one is competitive"),
        (["random", "choosy"], "choosy: trained for three players; this table has 2"),
        (["random", "choosy", "--coop"], "choosy: trained for three players; this table has 2"),
        (["random", "greedy", "--suite", "tiny"], "suite: tiny is a co-op table; a tournament needs a competitive one"),
        (
            ["random", "greedy", "--coop", "--suite", "competitive-2p-noisy10"],
            "suite: competitive-2p-noisy10 is a competitive table; --coop needs a co-op one",
        ),
        (["random", "greedy", "--suite", "nowhere"], "suite: 'nowhere' is neither a suite nor a YAML file"),
        (["random", "greedy", "--coop", "--mirror"], "--mirror: with --coop every agent plays with itself anyway"),
        (["random", "greedy", "--deals", "0"], "deals: 0 is not a whole number from 1 to 5000000"),
        (["random", "greedy", "--deals", "5000001"], "deals: 5000001 is not a whole number from 1 to 5000000"),
        (["random", "greedy", "--threads", "0"], "threads: 0 is not a whole number from 1 to 256"),
        (["random", "greedy", "--seed", "-1"], "seed: -1 is not a whole number from 0"),
        (["random", "greedy", "--out", "{full}"], "which is not a result of ours; give an empty folder"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    class Choosy(First):
        name = "choosy"

        def check(self, seen: Seen) -> None:
            if seen.table.players != 3:
                raise SettingsError(f"choosy: trained for three players; this table has {seen.table.players}")

    class TeamPlayer(First):
        name, modes = "team", ("coop",)

    monkeypatch.setitem(registry.BUILT_IN, "choosy", Choosy)
    monkeypatch.setitem(registry.BUILT_IN, "team", TeamPlayer)
    (tmp_path / "mine.txt").write_text("x")
    done = run(capsys, monkeypatch, "tournament", *(part.format(full=tmp_path) for part in arguments))
    assert done.code == 2 and done.err.startswith("timeline-twist: ")
    assert message in done.err and done.err.count("\n") == 1


def test_cross_play_and_tournament_are_different_results() -> None:
    assert CrossPlay.kind != Tournament.kind
    with pytest.raises(SettingsError, match="'nobody' did not play; there are first, last"):
        match(First(), Last()).win_share("nobody")
    with pytest.raises(SettingsError, match="'first' twice"):
        match(First(), Last()).against("first", "first")
