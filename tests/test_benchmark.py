"""The benchmark: cells that are kept as long as they hold, and a page that says what they say."""

import json
from pathlib import Path
from typing import Any

import pytest

from stubs import First, Last, Searches, Stops, searches
from timeline_twist import SettingsError, cli_evaluate
from timeline_twist.agents import registry
from timeline_twist.evaluation import benchmark, benchmark_page
from timeline_twist.evaluation.benchmark import Places, Plan, cell_path, collect, read_plan
from timeline_twist.evaluation.report import Report

__all__ = ["searches"]

ROOT = Path(__file__).parents[1]
SUITES = ("coop-2p-expert", "coop-2p-noisy5-open", "coop-2p-noisy5-none", "tiny")
PLAN = Plan(("random", "first"), SUITES, 12, ({"agent": "fir*", "games": 8},))
PLACES = Places(ROOT / "BENCHMARK.md", ROOT)


class NamedAfterItsFolder(First):
    """Stands for a trained agent."""

    def __init__(self, folder: str) -> None:
        self.name = folder


@pytest.fixture(autouse=True)
def two_agents(monkeypatch: pytest.MonkeyPatch, searches: Searches) -> Searches:
    monkeypatch.setitem(registry.BUILT_IN, "first", First)
    return searches


def run(plan: Plan, folder: Path, say: Any = benchmark.say_nothing, *, force: bool = False) -> list[tuple[str, str]]:
    """The cells that were played."""
    played = benchmark.run(plan, folder / "cells", say=say, force=force)
    return [(report.suite.name, report.agents[0]) for report in played]


def written(plan: Plan, folder: Path) -> str:
    places = Places(folder / "BENCHMARK.md", folder)
    assert benchmark_page.write_page(plan, collect(plan, places.cells), places) == []
    return places.page.read_text()


def check_main_table(page: str, cells: dict[tuple[str, str], Report], plan: Plan) -> None:
    """Every number of the main table against the games of its cell, worked out here by hand."""
    lines = page.split("## Results\n")[1].split("\n## ")[0].splitlines()
    rows = {
        line.split("|")[1].split("(")[0].strip(): [part.strip() for part in line.split("|")[2:-1]]
        for line in lines
        if "|" in line
    }
    assert rows["suite"] == [*plan.agents, "games"]
    for (suite, agent), report in cells.items():
        text = rows[suite][plan.agents.index(agent)]
        values = report[report.agents[0]].values
        assert float(text.split(" ")[0]) == pytest.approx(sum(values) / len(values), abs=0.0051), (suite, agent)
        if "(" in text:
            assert report.hindsight is not None
            share = sum(values) / sum(report.hindsight)
            assert float(text.split("(")[1].split(" ")[0]) == pytest.approx(100 * share, abs=0.51)


def test_a_finished_cell_is_not_played_again(tmp_path: Path) -> None:
    assert len(run(PLAN, tmp_path)) == 8
    assert run(PLAN, tmp_path) == []
    cells = tmp_path / "cells"
    cell_path(cells, "tiny", "random").write_text("{")
    cell_path(cells, "tiny", "first").unlink()
    assert run(PLAN, tmp_path) == [("tiny", "random"), ("tiny", "first")], "damaged and missing ones"
    assert set(run(Plan(PLAN.agents, SUITES, 14), tmp_path)) == set(collect(PLAN, cells)), "more games"


def test_a_cell_with_more_games_is_not_thrown_away_without_a_word(tmp_path: Path) -> None:
    many, few = Plan(("random",), ("tiny",), 12), Plan(("random",), ("tiny",), 8)
    run(many, tmp_path)
    told: list[str] = []
    assert run(few, tmp_path, told.append) == []
    assert told == ["cell 1 of 1: tiny, random: kept with 12 games, more than 8; --force plays it anew"]
    assert benchmark.out_of_date(few, tmp_path / "cells") == []
    assert run(few, tmp_path, force=True) == [("tiny", "random")]
    assert collect(few, tmp_path / "cells")["tiny", "random"].games == 8


@pytest.mark.parametrize("part", ["score", "end"])
def test_a_damaged_cell_is_played_anew(tmp_path: Path, part: str) -> None:
    plan = Plan(("random", "first"), ("tiny",), 6)
    run(plan, tmp_path)
    path = cell_path(tmp_path / "cells", "tiny", "random")
    content = json.loads(path.read_text())
    content["per_game"]["agents"]["random"][part][2] = None
    path.write_text(json.dumps(content))
    told: list[str] = []
    assert list(collect(plan, tmp_path / "cells", told.append)) == [("tiny", "first")]
    assert len(told) == 1 and str(path) in told[0]
    assert run(plan, tmp_path) == [("tiny", "random")]


def test_the_page_shows_all_cells_of_its_folder(tmp_path: Path) -> None:
    run(Plan(("random", "first"), SUITES[:2], 6), tmp_path)
    plan = Plan(("first",), ("tiny",), 6, command="timeline-twist benchmark --games 6", source=None)
    run(plan, tmp_path)
    page = written(plan, tmp_path)
    table = page.split("## Results\n")[1]
    assert "| suite | first | random | games |" in table, "what the command is about comes first"
    assert table.index("| tiny |") < table.index("| coop-2p-expert |") < table.index("| coop-2p-noisy5-open |")
    assert "Written by `timeline-twist benchmark --games 6` from" in page and "benchmark.yaml" not in page
    assert "configs/benchmark.yaml" in benchmark_page.page(PLAN, collect(PLAN, tmp_path / "cells"), PLACES)


def test_a_cell_of_an_earlier_suite_does_not_spoil_the_page(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("description: x\nmode: coop\nsettings: {players: 2}")
    run(Plan(("random", "first"), (str(path),), 6), tmp_path)
    path.write_text("description: x\nmode: coop\nsettings: {players: 3}")
    plan = Plan(("random",), (str(path),), 6)
    run(plan, tmp_path)
    told: list[str] = []
    assert list(collect(plan, tmp_path / "cells", told.append)) == [("mine", "random")]
    assert "an earlier mine or other bounds; run 'first' anew" in told[0]


def test_rows_say_what_their_numbers_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILT_IN, "tuned", Tuned)
    plan = Plan(("tuned", "first"), ("tiny", "duel"), 12, ({"agent": "first", "suite": "tiny", "games": 8},))
    path = tmp_path / "duel.yaml"
    path.write_text("description: x\nmode: competitive\nopponent: random\nsettings: {max_rounds: 5}")
    plan = Plan(plan.agents, ("tiny", str(path)), 12, plan.exceptions)
    run(plan, tmp_path)
    page = written(plan, tmp_path)
    (row,) = [line for line in page.split("## Ladder")[0].splitlines() if line.startswith("| tiny ")]
    _, _, tuned, first, games, _ = (part.strip() for part in row.split("|"))
    assert first.endswith(", 8 games") and "games" not in tuned and games == "8 to 12"
    assert "| duel (win share against random) |" in page and "- `tuned`: depth=3\n" in page
    assert "- means over different numbers of deals are not comparable directly" in page.split("## tiny")[1]
    assert "- means over different" not in page.split("## duel")[1]


class Tuned(First):
    name = "tuned"

    def __init__(self) -> None:
        self.depth = 3


def test_a_suite_with_its_own_cards_runs_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ys").mkdir()
    (tmp_path / "elsewhere").mkdir()
    cards = tmp_path / "ys" / "cards.csv"
    cards.write_text("\n".join(["title,time,front_icon,back_icon", *(f"card {i},{i},a,b" for i in range(40))]))
    (tmp_path / "ys" / "own.yaml").write_text("description: x\nmode: coop\nsettings: {catalogue: cards.csv}")
    monkeypatch.chdir(tmp_path)
    plan = Plan(("random",), ("ys/own.yaml",), 6)
    assert run(plan, tmp_path / "out") == [("own", "random")] and run(plan, tmp_path / "out") == []
    assert "| own |" in written(plan, tmp_path / "out")
    monkeypatch.chdir(tmp_path / "elsewhere")
    plan = Plan(("random",), ("../ys/own.yaml",), 6)
    assert run(plan, tmp_path / "out") == [], "the same suite by another path"
    cards.write_text(cards.read_text().replace("card 3,3", "card 3,99"))
    assert run(plan, tmp_path / "out") == [("own", "random")], "other cards"
    cards.unlink()
    path = cell_path(tmp_path / "out" / "cells", "own", "random")
    assert Report.read(path).suite.catalogue.times[3] == 99
    content = json.loads(path.read_text())
    content["catalogue"]["times"][3] = 98
    path.write_text(json.dumps(content))
    with pytest.raises(SettingsError, match=r"random\.json: .*make it anew"):
        Report.read(path)


def test_a_suite_is_run_once(tmp_path: Path) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text("description: x\nmode: coop")
    for suites in (("tiny", "tiny"), ("tiny", str(path))):
        with pytest.raises(SettingsError, match="suites: 'tiny' stands there more than once"):
            run(Plan(("random",), suites, 6), tmp_path)


def test_without_matplotlib_no_plot_is_promised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(("random",), ("tiny",), 6)
    run(plan, tmp_path)
    assert ".png" in written(plan, tmp_path)
    monkeypatch.setattr(benchmark_page, "plots_missing", lambda: "no plots")
    places = Places(tmp_path / "BENCHMARK.md", tmp_path)
    assert benchmark_page.write_page(plan, collect(plan, places.cells), places) == ["no plots"]
    assert ".png" not in places.page.read_text() and not list(tmp_path.glob("*.png"))


def test_a_cell_of_another_time_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, two_agents: Searches
) -> None:
    plan = Plan(("first",), ("coop-2p-expert",), 6)
    assert len(run(plan, tmp_path)) == 1 and run(plan, tmp_path) == []
    path = cell_path(tmp_path / "cells", "coop-2p-expert", "first")
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"environment": content["environment"] | {"timeline_twist": "0.0.1"}}))
    assert len(run(plan, tmp_path)) == 1, "another version"
    monkeypatch.setattr("timeline_twist.evaluation.evaluating.agent_code", lambda agent: "changed")  # noqa: ARG005
    assert len(run(plan, tmp_path)) == 1, "another code of the agent"
    two_agents.BEAM = 9
    assert len(run(plan, tmp_path)) == 1 and run(plan, tmp_path) == [], "another search for the best score"


def test_a_changed_opponent_is_another_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "duel.yaml"
    path.write_text("description: x\nmode: competitive\nopponent: other\nsettings: {max_rounds: 5}")
    plan = Plan(("random",), (str(path),), 6)

    class Other(First):
        name = "other"

        def __init__(self, depth: int = 1) -> None:
            self.depth = depth

    monkeypatch.setitem(registry.BUILT_IN, "other", Other)
    assert len(run(plan, tmp_path)) == 1 and run(plan, tmp_path) == []
    monkeypatch.setitem(registry.BUILT_IN, "other", lambda: Other(depth=2))
    assert len(run(plan, tmp_path)) == 1 and run(plan, tmp_path) == []


def test_an_interrupted_cell_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILT_IN, "stops", Stops)
    plan = Plan(("random", "stops", "first"), ("coop-2p-expert",), 100)
    assert [agent for _, agent in run(plan, tmp_path)] == ["random", "stops"], "and nothing after it is played"
    assert set(collect(plan, tmp_path / "cells")) == {("coop-2p-expert", "random")}


def test_the_page_says_what_the_cells_say(tmp_path: Path) -> None:
    run(PLAN, tmp_path)
    page = written(PLAN, tmp_path)
    cells = collect(PLAN, tmp_path / "cells")
    check_main_table(page, cells, PLAN)
    assert page == written(PLAN, tmp_path), "nothing but the cells goes into it"
    assert "| tiny | gap " in page and "| coop-2p-expert | regret " in page and "| 8 to 12 |" in page
    assert "coop-2p-noisy5-open - coop-2p-noisy5-none" in page and page.count("the next weaker one") == 4
    for suite in SUITES:
        assert f"![{suite}]({suite}.png)" in page and (tmp_path / f"{suite}.png").stat().st_size > 5000
    del cells["tiny", "first"]
    assert "| – |" in benchmark_page.main_table(PLAN, cells), "a cell that is missing"  # noqa: RUF001


def test_the_value_of_talk_is_paired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.BUILT_IN, "last", Last)
    run(PLAN, tmp_path)
    cells = collect(PLAN, tmp_path / "cells")
    spoken, silent = cells[SUITES[1], "random"], cells[SUITES[2], "random"]
    assert benchmark_page.talk_text(spoken, silent) == "+0.00 ± –", "random play does not listen"  # noqa: RUF001
    silent.results[0].deals.reverse()
    with pytest.raises(SettingsError, match="game 0 was dealt differently"):
        benchmark_page.talk_text(spoken, silent)


def test_cells_with_other_bounds_are_not_put_together(tmp_path: Path) -> None:
    run(Plan(PLAN.agents, SUITES[:1], 6), tmp_path)
    reports = list(collect(PLAN, tmp_path / "cells").values())
    assert len(benchmark_page.merge(reports).results) == 2
    assert reports[1].hindsight is not None
    reports[1].hindsight[3] += 1
    with pytest.raises(SettingsError, match="hindsight: other values"):
        benchmark_page.merge(reports)


def test_an_agent_may_be_another_folder_at_each_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents" / "tiny").mkdir(parents=True)
    monkeypatch.setattr(registry, "load_folder", lambda folder, _: NamedAfterItsFolder(folder))
    plan = Plan(("random", "agents/{suite}"), ("tiny", "coop-2p-expert"), 12)
    assert run(plan, tmp_path) == [("tiny", "random"), ("tiny", "agents/tiny"), ("coop-2p-expert", "random")]
    assert run(plan, tmp_path) == [] and benchmark.out_of_date(plan, tmp_path / "cells") == []
    page = written(plan, tmp_path)
    assert "| suite | random | agents/{suite} | games |" in page
    cells = collect(plan, tmp_path / "cells")
    assert ("tiny", "agents/{suite}") in cells and ("coop-2p-expert", "agents/{suite}") not in cells
    check_main_table(page, cells, plan)


def test_no_games_leave_a_cell_out(tmp_path: Path) -> None:
    plan = Plan(("random", "first"), ("tiny", "small"), 12, ({"agent": "first", "suite": "small", "games": 0},))
    assert run(plan, tmp_path) == [("tiny", "random"), ("tiny", "first"), ("small", "random")]


def test_the_table_in_readme_is_refilled(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- benchmark table -->\nold\n<!-- end of benchmark table -->\nafter\n")
    assert benchmark_page.refill(readme, "| new |\n")
    text = readme.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "| new |" in text and "old" not in text
    assert benchmark_page.refill(readme, "| new |\n") and readme.read_text() == text
    readme.write_text("nothing here")
    assert not benchmark_page.refill(readme, "| new |\n") and readme.read_text() == "nothing here"
    readme.write_text("<!-- benchmark table -->\nand the rest of a precious page")
    with pytest.raises(SettingsError, match="without"):
        benchmark_page.refill(readme, "x")


def test_the_shipped_page_is_that_of_the_shipped_cells(tmp_path: Path) -> None:
    plan, places = read_plan(), benchmark.places(None)
    cells = collect(plan, places.cells)
    if cells:
        page = places.page.read_text(encoding="utf-8")
        assert page == benchmark_page.page(plan, cells, places)
    else:
        assert not places.page.exists()
        plan = Plan(("first",), SUITES[:1], 6)
        run(plan, tmp_path)
        cells, page = collect(plan, tmp_path / "cells"), written(plan, tmp_path)
    check_main_table(page, cells, plan)


def test_the_shipped_plan_names_every_suite() -> None:
    from timeline_twist.evaluation import suite_names

    assert sorted(read_plan().suites) == suite_names()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agents: [a]\nsuites: [b]\ngame: 3", "game: unknown key; did you mean 'games'?"),
        ("agents: a\nsuites: [b]\ngames: 3", "agents: missing, or not a list of names"),
        ("agents: [a]\nsuites: [b]", "games: None is not a whole number"),
        (
            "agents: [a]\nsuites: [b]\ngames: 1\nexceptions: [{agnt: x, games: 1}]",
            "exceptions: agnt: unknown key; did you",
        ),
        ("agents: [a]\nsuites: [b]\ngames: 1\nexceptions: [{agent: x}]", "exceptions: games: None is not"),
        (
            "agents: [a]\nsuites: [b]\ngames: 1\nexceptions: [{agent: 5, games: 3}]",
            "exceptions: agent: 5 is not a name or a pattern",
        ),
    ],
)
def test_a_mistake_in_the_plan_names_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        read_plan(path)
    assert str(caught.value).startswith(str(path)) and message in str(caught.value)


def test_the_last_exception_that_fits_holds() -> None:
    exceptions = ({"agent": "rollout*", "games": 20}, {"agent": "rollout*", "suite": "coop-6p-*", "games": 5})
    plan = Plan(("random", "rollout"), ("a",), 100, exceptions)
    assert plan.games_of("random", "coop-6p-expert") == 100
    assert plan.games_of("rollout:rollouts=9", "tiny") == 20 and plan.games_of("rollout", "coop-6p-expert") == 5
    assert plan.only((), (), 7).games_of("rollout", "tiny") == 7


def test_agents_with_settings_in_a_list() -> None:
    split = cli_evaluate.split_agents
    assert split("random, rollout:a=1,b=2,bayes") == ["random", "rollout:a=1,b=2", "bayes"] and split("") == []


def test_no_two_agents_share_a_file(tmp_path: Path) -> None:
    names = ("rollout", "rollout:n=1", "rollout-n=1", "a/b", "a-b", "a:b")
    assert len({cell_path(tmp_path, "tiny", name) for name in names}) == len(names)
