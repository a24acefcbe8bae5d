"""Evaluation: the numbers follow from the games, the games from the deals, and nothing else has a say."""

import json
import math
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stubs import First, Illegal, Knowing, Last, Searches, Stops, searches
from timeline_twist import SettingsError, agents, cli, coop_v0, read_result
from timeline_twist.agents import registry
from timeline_twist.evaluation import (
    Report,
    Suite,
    bounds,
    evaluate,
    load_suite,
    plots,
    save,
    statistics,
    suite_names,
    wording,
)
from timeline_twist.evaluation.code import agent_code, code_hash
from timeline_twist.evaluation.deals import deal_seeds
from timeline_twist.evaluation.report import difference, ranks
from timeline_twist.evaluation.running import Chunks, win_shares
from timeline_twist.tables import Competitive, Coop

__all__ = ["searches"]

SUITE = "coop-2p-expert"
DUEL = Suite("duel", "experts", "competitive", {"players": 3, "knowledge": "expert"}, opponent="random")


def quick(*given: Any, games: int = 12, suite: Any = SUITE, **settings: Any) -> Report:
    return evaluate(list(given), suite, games, hindsight=False, **settings)


# --- statistics -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degrees", "t"), [(5, 2.570582), (9, 2.262157), (29, 2.045230), (99, 1.984217), (9999, 1.960201)]
)
def test_students_t_is_that_of_the_tables(degrees: int, t: float) -> None:
    assert statistics.student_t(degrees) == pytest.approx(t, abs=3e-4)


def test_known_scores_give_known_numbers() -> None:
    numbers = statistics.describe([2, 4, 4, 4, 5, 5, 7, 9])
    assert numbers["mean"] == 5 and numbers["median"] == 4.5 and numbers["worst_5_percent"] == 2
    assert numbers["standard_deviation"] == pytest.approx(math.sqrt(32 / 7))
    # scipy.stats.t.interval(0.95, 7, 5, sqrt(32 / 7 / 8))
    assert numbers["interval"] == pytest.approx([3.212506, 6.787494], abs=1e-4)


def test_no_interval_below_six_games() -> None:
    assert statistics.interval([1, 2, 3, 4, 5]) is None and statistics.interval([1, 2, 3, 4, 5, 6]) is not None
    assert statistics.deviation([3]) is None


def test_no_interval_where_all_games_are_equal() -> None:
    assert statistics.interval([0.1] * 1000) is None and statistics.interval([0.0] * 9) is None
    assert wording.with_interval(statistics.describe([1.0] * 9), 3) == "1.000 ± –"  # noqa: RUF001


@pytest.mark.parametrize(("games", "taken"), [(1, 1), (20, 1), (21, 2), (100, 5)])
def test_the_worst_games_are_a_twentieth_rounded_up(games: int, taken: int) -> None:
    scores = list(range(games, 0, -1))
    assert statistics.worst(scores) == sum(range(1, taken + 1)) / taken


def test_the_share_of_hindsight_is_a_ratio_of_means() -> None:
    assert statistics.share([10, 30], [40, 40]) == 0.5
    assert statistics.share([1, 40], [2, 80]) == 0.5
    assert statistics.share([0, 10], [1, 100]) == pytest.approx(10 / 101), "the mean of ratios would be 1/20"
    assert statistics.share([-5, 1], [40, 40]) is None and statistics.share([5, 5], [-1, -1]) is None


def test_differences_are_taken_deal_by_deal() -> None:
    numbers = statistics.paired([1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5])
    assert numbers["mean"] == 1 and numbers["interval"] is None and numbers["wins"] == 6
    numbers = statistics.paired([3, 1, 2, 2], [2, 2, 2, 5])
    assert (numbers["wins"], numbers["ties"], numbers["losses"], numbers["mean"]) == (1, 1, 2, -0.75)
    with pytest.raises(SettingsError, match="3 values and 2"):
        statistics.paired([1, 2, 3], [1, 2])


def test_ranks_are_shares_of_the_games() -> None:
    shares = ranks([-1, 0, 10, 11, 61, 69, -30, 20])
    assert list(shares.values()) == [2 / 8, 2 / 8, 2 / 8, 0, 0, 0, 0, 2 / 8]
    assert shares["Team Wannabes"] == 0.25 and shares["Time Travelers"] == 0.25


# --- playing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 3])
def test_scores_are_those_of_the_deals(seed: int) -> None:
    report = quick("random", First(), games=9, seed=seed)
    batch = coop_v0.make_batch(9, players=2, knowledge="expert")
    for agent in (agents.make("random"), First()):
        batch.deal(range(9), deal_seeds(range(9), seed))
        agents.play(batch, [agent], seed=seed)
        assert report[agent.name].values == [read_result(game).score for game in batch.games]
        assert [read_result(game).end_reason for game in batch.games] == [
            ("failed_play" if end == 3 else "no_legal_action" if end == 2 else "all_cards_used")
            for end in report[agent.name].columns["end"]
        ]


def test_the_length_of_a_game_counts_its_decisions() -> None:
    class Counts(First):
        name = "counts"
        asked = 0

        def act(self, seen: agents.Seen) -> Any:
            self.asked += len(seen)
            return super().act(seen)

    agent = Counts()
    lengths = quick(agent, games=7)["counts"].columns["length"]
    assert sum(lengths) == agent.asked and min(lengths) >= 2


@pytest.mark.parametrize("suite", [SUITE, DUEL], ids=["coop", "competitive"])
def test_results_depend_neither_on_chunks_nor_on_threads(suite: Any) -> None:
    whole = quick("random", games=30, suite=suite)
    for settings in ({"chunk": 1}, {"chunk": 7}, {"chunk": 4, "threads": 2}, {"threads": 2}):
        again = quick("random", games=30, suite=suite, **settings)
        assert again["random"].columns == whole["random"].columns
    assert quick("random", games=10, suite=suite)["random"].values == whole["random"].values[:10]
    assert quick("random", games=30, suite=suite, seed=1)["random"].columns != whole["random"].columns


def test_chunks_grow_for_fast_agents_and_stay_small_for_slow_ones() -> None:
    chunks = Chunks(10_000)
    first = chunks.take()
    assert first == range(1)
    chunks.report(1, 60.0, first=True)  # compiling says nothing about the agent
    assert chunks.take() == range(1, 2)
    chunks.report(1, 0.001, first=False)
    assert chunks.take() == range(2, 10)
    chunks.report(8, 80.0, first=False)
    assert chunks.take() == range(10, 11)


def test_the_evaluated_agent_sits_on_seat_deal_mod_players() -> None:
    agent = Knowing(best=True)
    report = quick(agent, games=6, suite=DUEL, chunk=1)
    seats = [asked[0] for asked in agent.asked]
    changes = [seat for i, seat in enumerate(seats) if i == 0 or seat != seats[i - 1]]
    assert changes == [0, 1, 2, 0, 1, 2] == report["right"].columns["seat"]


def test_who_is_always_right_wins_and_who_is_always_wrong_does_not() -> None:
    report = quick(Knowing(best=True), Knowing(best=False), games=30, suite=DUEL)
    right, wrong = report.summary("right"), report.summary("wrong")
    assert right["mean"] == 1 and right["reward"]["mean"] == 1 and right["end_reasons"] == {"won": 30}
    assert right["mean_rounds"] == 4 and right["win_share_by_seat"] == {"0": 1, "1": 1, "2": 1}
    assert wrong["mean"] == 0 and wrong["reward"]["mean"] == -0.5
    assert report.differences()[0]["wins"] == 30


def test_a_draw_is_shared_by_those_still_in() -> None:
    games = Competitive(players=4).deal(range(4))
    games["end"] = [5, 5, 4, 6]  # draw, draw, won, broken off
    games["active"][:, :4] = [[1, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    games["winner"] = [-1, -1, 2, -1]

    assert win_shares(games, np.array([2, 0, 2, 1])).tolist() == [0.5, 0.25, 1, 0]
    assert win_shares(games, np.array([1, 3, 0, 1])).tolist() == [0, 0.25, 0, 0]


def test_an_illegal_action_is_the_agents_mistake() -> None:
    with pytest.raises(SettingsError, match=r"illegal: action \d is not legal"):
        quick(Illegal())


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_leaves_the_finished_games(threads: int) -> None:
    report = quick(First(), Stops(after=60), Last(), games=40, chunk=4, threads=threads)
    assert report.partial and report.not_played == ["last"] and report.agents == ["first", "stops"]
    stopped = report.summary("stops")
    assert stopped["partial"] and 0 < stopped["games"] < 40 and not report.summary("first")["partial"]
    assert report["stops"].values == report["first"].values[: stopped["games"]], "the same choices on the same deals"
    assert report.differences()[0]["ties"] == stopped["games"]


def test_names_are_normalised_and_stand_there_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tuned(First):
        def __init__(self, depth: Any = 3) -> None:
            self.depth = int(depth)
            self.name = "tuned" if self.depth == 3 else f"tuned:depth={self.depth}"

    monkeypatch.setitem(registry.BUILT_IN, "tuned", Tuned)
    report = quick("tuned:depth=3", "tuned:depth=4", games=2)
    assert report.agents == ["tuned", "tuned:depth=4"]
    assert report["tuned"].config["settings"] == {"depth": 3} and report["tuned"].config["given"] == "tuned:depth=3"
    with pytest.raises(SettingsError, match="'tuned' stands there more than once"):
        quick("tuned", "tuned:depth=3")


def test_speed_counts_the_evaluated_agent_alone() -> None:
    class Slow(First):
        name = "slow"

        def act(self, seen: agents.Seen) -> Any:
            time.sleep(0.001)
            return super().act(seen)

    suite = Suite("x", "x", "competitive", {"players": 2, "max_rounds": 3}, opponent="random")
    report = quick(Slow(), games=8, suite=suite, chunk=4)
    # Three rounds, one decision in each of the four games of the second chunk.
    assert report["slow"].speed["decisions"] == 12 and report["slow"].speed["seconds"] >= 0.003


# --- the best scores --------------------------------------------------------------------------------------------------


def test_hindsight_gives_share_and_regret(searches: Searches) -> None:  # noqa: ARG001
    report = evaluate(["random", First()], SUITE, 20)
    assert report.hindsight is not None and report.bounds["hindsight"]["beam"] == 7
    numbers = report.summary("first")
    regret = sum(report.hindsight) / 20 - numbers["mean"]
    assert numbers["hindsight"]["regret"]["mean"] == pytest.approx(regret) and numbers["hindsight"]["above"] == 0
    assert numbers["hindsight"]["share"] is None, "the mean score is below zero"


def test_the_gap_to_the_optimum_is_taken_deal_by_deal(searches: Searches) -> None:  # noqa: ARG001
    report = evaluate("random", "tiny", 8)
    assert report.exact is not None and report.hindsight is not None
    gaps = [best - score for best, score in zip(report.exact, report["random"].values, strict=True)]
    assert report.summary("random")["exact"]["gap"] == statistics.mean_with_interval(gaps)
    assert report.summary("random")["ranks"] is None, "ranks are for the full deck"


def test_the_searches_themselves_stand_behind_the_bounds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    report = evaluate(["greedy"], "tiny", 3)
    table = report.suite.make_batch(1).table
    assert isinstance(table, Coop)
    games = table.deal(deal_seeds(range(3)))
    assert report.hindsight == [agents.hindsight.hindsight(game) for game in games]
    assert report.exact == [agents.solver.solve(table, game) for game in games]
    # With hindsight nobody can do worse than a player without it did.
    assert all(best >= score for best, score in zip(report.hindsight, report["greedy"].values, strict=True))


def test_scores_with_hindsight_are_kept(searches: Searches) -> None:
    first = bounds.bound("hindsight", load_suite(SUITE), 10)
    assert searches.deals == 10 and first is not None
    again = bounds.bound("hindsight", load_suite("coop-2p-noisy5-none"), 6)
    assert searches.deals == 10 and again is not None and again.values == first.values[:6], "knowledge plays no part"
    bounds.bound("hindsight", load_suite(SUITE), 12)
    assert searches.deals == 12, "only what is missing"
    bounds.bound("hindsight", load_suite(SUITE), 3, seed=1)
    bounds.bound("hindsight", load_suite("coop-3p-expert"), 3)
    assert searches.deals == 18, "other deals, another table"
    searches.BEAM = 8
    bounds.bound("hindsight", load_suite(SUITE), 2)
    assert searches.deals == 20, "another search"


@pytest.mark.parametrize("damage", ["", "{", '{"values": [1, 2, 3]}', "change"])
def test_a_damaged_cache_is_written_anew(searches: Searches, damage: str) -> None:
    suite = load_suite(SUITE)
    first = bounds.bound("hindsight", suite, 3)
    (path,) = bounds.cache_folder().glob("hindsight-*.json")
    good = path.read_text()
    path.write_text(good.replace('"values": [', '"values": [1') if damage == "change" else damage)
    assert bounds.bound("hindsight", suite, 3) == first and searches.deals == 6
    assert path.read_text() == good


def test_an_interrupted_search_leaves_the_games(searches: Searches) -> None:
    def press() -> None:
        raise KeyboardInterrupt

    searches.stop = press
    report = evaluate("random", SUITE, 8)
    assert report.interrupted and not report.partial and report.hindsight is None and report["random"].games == 8


def clear(*caches: Any) -> None:
    for one in caches:
        one.cache_clear()


def test_the_code_hash_sees_code_and_not_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from timeline_twist.evaluation import code

    before = agent_code(agents.make("random"))
    assert before == agent_code(agents.make("random")) != code_hash("engine")
    monkeypatch.setattr(code, "PACKAGE", tmp_path)
    hashes = []
    caches = (code.bare, code.dumped, code.code_hash)
    for number, engine in ((1, "1"), (1, "1  # why"), (1, "2")):
        clear(*caches)
        (tmp_path / "a.py").write_text(f'"""Words."""\nfrom timeline_twist import b\nX = {number}\n')
        (tmp_path / "b.py").write_text(f"Y = {engine}\n")
        hashes.append(code_hash("a"))
    clear(*caches)
    (tmp_path / "b.json").write_text("{}")
    hashes.append(code_hash("a"))
    clear(*caches)
    assert hashes[0] == hashes[1] != hashes[2], "an import counts, a comment does not"
    assert hashes[2] != hashes[3], "the data of a module counts"


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_report_reads_back_as_it_was_written(tmp_path: Path, searches: Searches) -> None:  # noqa: ARG001
    report = evaluate(["random", First()], SUITE, 12)
    assert save(report, tmp_path / "out") == []
    again = Report.read(tmp_path / "out" / "metrics.json")
    assert again.content() == report.content()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "metrics.json", "report.md", "scores.png", "differences.png",
    }  # fmt: skip
    text = (tmp_path / "out" / "report.md").read_text()
    assert "| random | 12 |" in text and "Definitions" in text and "no command makes this again" in text


def test_two_runs_differ_in_their_times_alone(searches: Searches) -> None:  # noqa: ARG001
    one, other = (evaluate(["random"], SUITE, 10).content() for _ in range(2))
    assert one["command"] == "timeline-twist evaluate random --suite coop-2p-expert --games 10 --seed 0"
    for content in (one, other):
        del content["created"], content["speed"]
    assert one == other and json.loads(json.dumps(one)) == one


def test_a_file_whose_numbers_do_not_follow_from_its_games_is_refused(tmp_path: Path) -> None:
    save(quick("random", First()), tmp_path)
    path = tmp_path / "metrics.json"
    good = json.loads(path.read_text())
    changes: list[tuple[str, Any]] = [
        ("results: the numbers do not follow", lambda c: c["results"]["random"].update(mean=30)),
        ("the numbers do not follow", lambda c: c["per_game"]["agents"]["first"]["score"].reverse()),
        ("deals: not those of its suite", lambda c: c["config"].update(seed=1)),
        ("deals: not those of its suite", lambda c: c["config"]["suite"]["settings"].update(players=3)),
        ("deals: not those of its suite", lambda c: c["config"].update(first_and_last_deal_seed=[1, 2])),
        ("12 deals for 11 games", lambda c: c["config"].update(games=11)),
        ("deal_hash: does not belong", lambda c: c["per_game"]["deal"].reverse()),
        ("suite: its catalogue has changed", lambda c: c["config"]["suite"].update(catalogue_sha256="0")),
        ("format version 9", lambda c: c.update(format_version=9)),
        ("damaged", lambda c: c.pop("per_game")),
    ]
    for message, change in changes:
        content = json.loads(json.dumps(good))
        change(content)
        path.write_text(json.dumps(content))
        with pytest.raises(SettingsError, match=message):
            Report.read(path)


DAMAGES: list[tuple[str, Any]] = [
    ("score[3]: 'None' is not a number", lambda c: scores_of(c).__setitem__(3, None)),
    ("score[3]: '7' is not a number", lambda c: scores_of(c).__setitem__(3, "7")),
    ("score: 'None' is not a list", lambda c: c["per_game"]["agents"]["random"].update(score=None)),
    ("random.length: missing", lambda c: c["per_game"]["agents"]["random"].pop("length")),
    ("columns of 11 and 12 values", lambda c: c["per_game"]["agents"]["random"]["length"].pop()),
    (
        "columns of 0 values",
        lambda c: c["per_game"]["agents"].update(random={"score": [], "end": [], "length": []}),
    ),
    ("end: 99 is no end", lambda c: c["per_game"]["agents"]["random"]["end"].__setitem__(0, 99)),
    ("hindsight: 2 values for 12 games", lambda c: c["per_game"].update(hindsight=[1, 2])),
    ("games: '12' is not a whole number", lambda c: c["config"].update(games="12")),
    ("games: 'True' is not a whole number", lambda c: c["config"].update(games=True)),
    ("seed: -1 is not", lambda c: c["config"].update(seed=-1)),
    ("agents: none", lambda c: c["config"].update(agents=[])),
    ("agents[0].name: missing", lambda c: c["config"]["agents"][0].pop("name")),
    ("suite: '7' is not a mapping", lambda c: c["config"].update(suite=7)),
    ("description: missing", lambda c: c["config"]["suite"].update(description=3)),
    ("settings: 5 is not a mapping", lambda c: c["config"]["suite"].update(settings=5)),
    ("git_commit: '5' is not", lambda c: c["environment"].update(git_commit=5)),
    ("environment: '[]' is not a mapping", lambda c: c.update(environment=[])),
    ("speed.random: missing", lambda c: c.update(speed={})),
    ("numbers do not follow", lambda c: c["results"]["random"].update(interval=["a", "b"])),
    ("numbers do not follow", lambda c: c.update(results={"random": None})),
]


def scores_of(content: Any) -> list[Any]:
    scores: list[Any] = content["per_game"]["agents"]["random"]["score"]
    return scores


@pytest.mark.parametrize(("message", "damage"), DAMAGES, ids=[message for message, _ in DAMAGES])
def test_a_damaged_file_is_one_line_that_names_it(tmp_path: Path, message: str, damage: Any) -> None:
    path = tmp_path / "metrics.json"
    content = quick("random").content()
    damage(content)
    path.write_text(json.dumps(content))
    with pytest.raises(SettingsError) as caught:
        Report.read(path)
    told = str(caught.value)
    assert told.startswith(f"{path}: ") and message in told and "\n" not in told


def test_a_result_whose_equal_games_have_an_interval_is_still_read(tmp_path: Path) -> None:
    report = quick(Knowing(best=True), games=9, suite=DUEL)
    content = report.content()
    assert content["results"]["right"]["interval"] is None
    content["results"]["right"]["interval"] = [1.0, 1.0]
    (tmp_path / "metrics.json").write_text(json.dumps(content))
    assert Report.read(tmp_path / "metrics.json").content() == report.content()


def test_a_catalogue_given_as_itself_goes_into_the_file(tmp_path: Path) -> None:
    suite = Suite("own", "x", "coop", {"catalogue": load_suite("small").catalogue, "deck_size": 20})
    save(quick("random", suite=suite), tmp_path)
    assert Report.read(tmp_path / "metrics.json").suite.catalogue.titles == suite.catalogue.titles


def test_results_on_other_deals_are_not_compared() -> None:
    one, other = quick("random"), quick(First(), seed=1)
    with pytest.raises(SettingsError, match="random and first: game 0 was dealt differently"):
        difference(one["random"], other["first"])


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    report = quick("random")
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(SettingsError, match=r"holds 'thesis.tex', which is not a result of ours"):
        save(report, tmp_path, force=True)
    (tmp_path / "thesis.tex").rename(tmp_path / "metrics.json")
    with pytest.raises(SettingsError, match=r"holds 'metrics.json'"):
        save(report, tmp_path, force=True)
    (tmp_path / "metrics.json").unlink()
    save(quick("random", First()), tmp_path)
    with pytest.raises(SettingsError, match="holds results already"):
        save(report, tmp_path)
    save(report, tmp_path, force=True)
    assert not (tmp_path / "differences.png").exists(), "the plot of the results before"


def test_without_matplotlib_all_else_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)  # noqa: ARG005
    (hint,) = save(quick("random"), tmp_path)
    assert "pip install 'timeline-twist[plots]'" in hint
    assert {path.name for path in tmp_path.iterdir()} == {"metrics.json", "report.md"}


def test_bins_hold_the_same_number_of_scores() -> None:
    for low, high in ((-30, 60.4), (3, 3), (0, 10)):
        edges = plots.bins(low, high)
        widths = {right - left for left, right in pairwise(edges)}
        assert len(widths) == 1 and widths.pop() == round(edges[1] - edges[0]) and edges[0] < low and edges[-1] > high


# --- the command ------------------------------------------------------------------------------------------------------


def command(monkeypatch: pytest.MonkeyPatch, *arguments: Any) -> int:
    monkeypatch.setattr("sys.argv", ["timeline-twist", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    return int(left.value.code or 0)


def test_evaluate_prints_tables_that_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, searches: Searches
) -> None:
    long = "last:with=many,and=long,settings=of,all=kinds,that=go,on=and,more=1"
    monkeypatch.setitem(registry.BUILT_IN, "last", lambda **_: Last())
    monkeypatch.setattr(Last, "name", long)
    monkeypatch.setattr("timeline_twist.agents.registry.build", lambda name, _: registry.BUILT_IN[name]())
    arguments = ("evaluate", "random", long, "--games", 8, "--threads", 2, "--out", tmp_path / "x")
    assert command(monkeypatch, *arguments) == 0 and searches.deals == 8
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 110 and "few games (8)" in shown and "on the same deals" in shown
    again = Report.read(tmp_path / "x" / "metrics.json").command
    assert again == f"timeline-twist evaluate random {long} --suite coop-2p-expert --games 8 --seed 0"


def test_ctrl_c_keeps_what_is_finished(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(registry.BUILT_IN, "stops", Stops)
    arguments = ("evaluate", "random", "stops", "--games", 500, "--no-hindsight", "--out", tmp_path / "x")
    assert command(monkeypatch, *arguments) == 130
    told = capsys.readouterr()
    assert "partial" in told.out and "interrupted" in told.err
    report = Report.read(tmp_path / "x" / "metrics.json")
    assert report.partial and report["random"].games == 500 and 0 < report["stops"].games < 500


def test_an_interrupted_run_does_not_replace_a_whole_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(registry.BUILT_IN, "stops", Stops)
    arguments = ("--no-hindsight", "--out", tmp_path / "x")
    assert command(monkeypatch, "evaluate", "random", "--games", 20, *arguments) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "x").iterdir()}
    assert command(monkeypatch, "evaluate", "random", "stops", "--games", 500, "--force", *arguments) == 130
    told = capsys.readouterr()
    assert "partial" in told.out and "x keeps its earlier results" in told.err
    assert {path.name: path.read_bytes() for path in (tmp_path / "x").iterdir()} == before


def test_names_in_tables_are_broken_at_punctuation_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "stop:depth=1234567,rate=0.0000005"

    class Named(First):
        pass

    Named.name = name
    monkeypatch.setitem(registry.BUILT_IN, "named", Named)
    monkeypatch.setenv("COLUMNS", "60")
    assert command(monkeypatch, "evaluate", "random", "named", "--games", 8, "--no-hindsight") == 0
    shown = capsys.readouterr().out
    assert name in shown, "with room for it"
    assert wording.folded(name, 30).splitlines() == ["stop:depth=1234567,", "rate=0.0000005"]
    assert wording.folded("runs/long-folder/of-an-agent/x", 20).splitlines() == ["runs/long-folder/of-", "an-agent/x"]
    assert wording.folded("x" * 70, 30).splitlines() == ["x" * 30, "x" * 30, "x" * 10]


def test_agents_and_suites_are_listed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(wording.AGENTS) == set(registry.BUILT_IN)
    assert command(monkeypatch, "agents") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["random", "greedy", "bayes", "rollout:rollouts=200,policy=bayes"]
    assert command(monkeypatch, "suites") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == suite_names()
    assert any("Two players who know every time they can see" in line for line in lines)


def test_progress_tells_of_deals_too() -> None:
    told: list[tuple[str, int, int]] = []
    quick("random", games=2500, progress=lambda *each: told.append(each))
    assert told[:4] == [("deals", done, 2500) for done in (0, 1000, 2000, 2500)]


@pytest.mark.parametrize("chunk", [0, -3, 1.5, True])
def test_a_chunk_is_a_whole_number(chunk: Any) -> None:
    with pytest.raises(SettingsError, match=f"chunk: {chunk} is not a whole number"):
        quick("random", chunk=chunk)


@pytest.mark.parametrize("words", [["evaluate", "random", "--suite"], ["benchmark", "--agents", "random", "--suites"]])
def test_an_optimum_that_nobody_can_find_is_refused_before_the_first_game(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("description: x\nmode: coop\noptimum: exact\nsettings: {knowledge: expert}")
    monkeypatch.setattr("timeline_twist.evaluation.evaluating.Runner", None)
    assert command(monkeypatch, *words, path, "--games", 6, "--out", tmp_path / "out") == 2
    told = capsys.readouterr().err
    assert f"{path}: optimum: table: " in told and "36 of 100 cards" in told and told.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "rndom"], "agent: 'rndom' is neither a built-in agent nor a folder; did you mean 'random'?"),
        (
            ["evaluate", "random", "--suite", "nowhere"],
            "suite: 'nowhere' is neither a suite nor a YAML file; there are",
        ),
        (["evaluate", "random", "--games", "0"], "games: 0 is not a whole number from 1 to 1000000"),
        (["evaluate", "random", "--threads", "0"], "threads: 0 is not a whole number from 1 to 256"),
        (["evaluate", "random", "--seed", "-1"], "seed: -1 is not a whole number from 0"),
        (["evaluate", "random", "random"], "agents: 'random' stands there more than once"),
        (["evaluate", "random", "--out", "/proc/nothing"], "--out: /proc/nothing cannot be written to"),
        (["evaluate", "random", "--out", __file__], "cannot be written to"),
        (["benchmark", "--games", "5"], "--out: missing; the repository's own benchmark"),
        (["benchmark", "--agents", "rndom", "--out", "{tmp}"], "agent: 'rndom' is neither"),
        (["benchmark", "--config", "nowhere.yaml", "--out", "{tmp}"], "nowhere.yaml: cannot be read"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert command(monkeypatch, *(part.format(tmp=tmp_path) for part in arguments)) == 2
    told = capsys.readouterr().err
    assert told.startswith("timeline-twist: ") and message in told and told.count("\n") == 1
