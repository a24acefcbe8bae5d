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


@pytest.fixture(autouse=True)
def two_agents(monkeypatch: pytest.MonkeyPatch, searches: Searches) -> Searches:
    monkeypatch.setitem(registry.BUILT_IN, "first", First)
    return searches


def run(plan: Plan, folder: Path) -> list[tuple[str, str]]:
    """The cells that were played."""
    quiet: Any = lambda text: None  # noqa: ARG005, E731
    return [(report.suite.name, report.agents[0]) for report in benchmark.run(plan, folder / "cells", say=quiet)]


def written(plan: Plan, folder: Path) -> str:
    places = Places(folder / "BENCHMARK.md", folder)
    assert benchmark_page.write_page(plan, collect(plan, places.cells), places) == []
    return places.page.read_text()


def check_main_table(page: str, cells: dict[tuple[str, str], Report], plan: Plan) -> None:
    """Every number of the main table against the games of its cell, worked out here by hand."""
    lines = page.split("## Results\n")[1].split("\n## ")[0].splitlines()
    rows = {
        line.split("|")[1].strip(): [part.strip() for part in line.split("|")[2:-1]] for line in lines if "|" in line
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
    assert set(run(Plan(PLAN.agents, SUITES, 8), tmp_path)) == {(suite, "random") for suite in SUITES}, "other games"


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
    assert benchmark_page.talk_text(spoken, silent) == "+0.00 ± 0.00", "random play does not listen"
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
