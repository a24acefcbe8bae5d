"""Recorded games: every state comes back, old files keep loading, a file that was changed is refused in one line."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handmade import catalogue_of
from timeline_twist import SettingsError, agents, competitive_v0, coop_v0, load_catalogue, replay
from timeline_twist.agents import Agent, Seen
from timeline_twist.agents.playing import turns
from timeline_twist.agents.simple import RandomAgent
from timeline_twist.batch import Indices
from timeline_twist.errors import UserError
from timeline_twist.replay import Recorder, Replay
from timeline_twist.text import format_action

GOLDEN = Path(__file__).parent / "replays"
MODULES: dict[str, Any] = {"coop": coop_v0, "competitive": competitive_v0}
both_modes = pytest.mark.parametrize("mode", ["coop", "competitive"])


class SortedAgent(RandomAgent):
    """Plays the earliest card it can, by the numbers of sorted hands."""

    name = "sorted"
    slots = "sorted"

    def act(self, seen: Seen) -> Indices:
        actions: Indices = seen.masks.argmax(axis=1)
        return actions


def dealt(mode: str, seeds: Any = (7,), options: Any = None, **settings: Any) -> Any:
    batch = MODULES[mode].make_batch(len(seeds), **settings)
    batch.deal(range(len(seeds)), seeds, options)
    return batch


def recorded(mode: str, agent: Agent | None = None, **settings: Any) -> Replay:
    return replay.record(dealt(mode, **settings), [agent or agents.make("random")])[0]


def same_state(one: Any, other: Any) -> bool:
    return bool(one.games[0] == other.games[0]) and np.array_equal(one.estimates[0], other.estimates[0])


# --- a game comes back ------------------------------------------------------------------------------------------------

CASES = [
    ("coop", {}),
    ("coop", {"catalogue": "history", "players": 3, "knowledge": "faces"}),
    ("coop", {"communication": "none", "knowledge": {"kind": "noisy", "sigma": [0.3, 9]}, "icons": "printed"}),
    ("coop", {"knowledge": "expert", "first_player": 1, "hand_size": 2, "deck_size": 9, "show_pile_top": False}),
    ("competitive", {"catalogue": "history", "players": 4, "knowledge": {"kind": "noisy", "sigma": 2}}),
    ("competitive", {"knowledge": "blind", "max_rounds": 3, "first_player": 1}),
]


@pytest.mark.parametrize("agent", [RandomAgent(), SortedAgent()], ids=["table slots", "sorted slots"])
@pytest.mark.parametrize(("mode", "settings"), CASES)
def test_every_state_of_a_game_comes_back_from_its_file(
    mode: str, settings: dict[str, Any], agent: Agent, tmp_path: Path
) -> None:
    batch = dealt(mode, **settings)
    recorder = Recorder(batch, [[agent.name] * batch.table.players])
    kept = [(batch.games.copy(), batch.estimates.copy())]
    for moves in turns(batch, [agent]):
        recorder.add(moves)
        kept.append((batch.games.copy(), batch.estimates.copy()))
    recorder.replay(0).save(tmp_path / "game.json")
    loaded = replay.load(tmp_path / "game.json")
    assert loaded == recorder.replay(0) and len(loaded) == len(kept) - 1 > 2
    assert loaded.result.end_reason is not None
    for state, (games, estimates) in zip(loaded.states(), kept, strict=True):
        assert state.games[0] == games[0] and np.array_equal(state.estimates, estimates)
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


@both_modes
def test_what_a_replay_shows_is_what_the_players_saw(mode: str) -> None:
    batch = dealt(mode, knowledge={"kind": "noisy", "sigma": [2, 8]}, show_pile_top=False)
    before = batch.observe(0, 1)["observation"]
    again = replay.record(batch, [agents.make("random")])[0].batch_at(0)
    assert np.array_equal(again.observe(0, 1)["observation"], before)


@both_modes
def test_actions_are_kept_by_table_slots_whatever_the_agent_was_shown(mode: str) -> None:
    batch = dealt(mode, knowledge="expert")
    lens, differs = batch.lens("full", "sorted"), 0
    recorder = Recorder(batch, [["sorted"] * 2])
    agent = SortedAgent()
    chosen: list[str] = []
    act = agent.act
    agent.act = lambda seen: chosen.append(format_action(lens, int(act(seen)[0]))) or act(seen)  # type: ignore[method-assign,func-returns-value]
    for moves in turns(batch, [agent]):
        recorder.add(moves)
        differs += recorder.actions[0][-1] not in (0, int(chosen[-1] == "end turn") * 8)
    assert recorder.replay(0).words() == chosen and differs


def test_many_games_are_recorded_at_once_each_with_its_players() -> None:
    batch = dealt("coop", range(5))
    seating = [[0, 1], [1, 0], [0, 0], [1, 1], [0, 1]]
    replays = replay.record(batch, [RandomAgent(), SortedAgent()], seating, numbers=range(5))
    names = ["random", "sorted"]
    assert [list(one.players) for one in replays] == [[names[place] for place in row] for row in seating]
    assert all(one.batch_at(-1).games[0] == batch.games[i] for i, one in enumerate(replays))
    assert [one.seed for one in replays] == list(range(5))


@both_modes
def test_a_game_that_was_not_finished_is_kept_as_far_as_it_went(mode: str, tmp_path: Path) -> None:
    batch = dealt(mode)
    recorder = Recorder(batch, [["random", "human"]])
    for count, moves in enumerate(turns(batch, [agents.make("random")]), start=1):
        recorder.add(moves)
        if count == 3:
            break
    recorder.replay(0).save(tmp_path / "game.json")
    loaded = replay.load(tmp_path / "game.json")
    assert len(loaded) == 3 and loaded.result.end_reason is None and same_state(loaded.batch_at(-1), batch)
    assert json.loads((tmp_path / "game.json").read_text())["result"]["end_reason"] is None
    nothing = Recorder(dealt(mode), [["random", "human"]]).replay(0)
    nothing.save(tmp_path / "game.json")
    assert len(replay.load(tmp_path / "game.json")) == 0


@both_modes
def test_a_given_order_and_given_estimates_come_back(mode: str, tmp_path: Path) -> None:
    estimates = np.random.default_rng(1).normal(50, 30, (2, 100))
    order = list(range(36 if mode == "coop" else 100))[::-1]
    batch = dealt(mode, options={"draw_order": order, "estimates": estimates})
    game = replay.record(batch, [agents.make("random")])[0]
    game.save(tmp_path / "game.json")
    loaded = replay.load(tmp_path / "game.json")
    assert list(loaded.draw_order) == order and loaded.estimates is not None
    assert same_state(loaded.batch_at(-1), batch)
    assert recorded(mode).estimates is None, "the seed makes them again"


def test_a_state_may_be_asked_for_by_its_number() -> None:
    game = recorded("coop")
    states = [state.games[0].copy() for state in game.states()]
    assert all(game.batch_at(k).games[0] == state for k, state in enumerate(states))
    assert game.batch_at(-1).games[0] == states[-1] and game.batch_at(-len(game) - 1).games[0] == states[0]
    for wrong in (len(game) + 1, -len(game) - 2):
        with pytest.raises(SettingsError, match=f"batch_at: {wrong} is not a number of actions from 0 to {len(game)}"):
            game.batch_at(wrong)


@both_modes
def test_only_a_game_from_its_deal_on_can_be_recorded(mode: str) -> None:
    batch = dealt(mode)
    next(turns(batch, [agents.make("random")]))
    with pytest.raises(SettingsError, match="a game in it has begun or was laid by hand; record games from their deal"):
        replay.record(batch, [agents.make("random")])
    with pytest.raises(SettingsError, match="players: 1 names for 2 seats; give one for each"):
        Recorder(dealt(mode), [["human"]])


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "actions", "result"),
    [("coop.json", 29, {"score": 7, "end_reason": "failed_play"}), ("competitive.json", 22, {"winners": (1,)})],
)
def test_replays_of_the_first_version_keep_loading(name: str, actions: int, result: dict[str, Any]) -> None:
    game = replay.load(GOLDEN / name)
    assert len(game) == actions
    assert {key: getattr(game.result, key) for key in result} == result
    assert replay.to_json(game).split('"catalogue"')[0] == (GOLDEN / name).read_text().split('"catalogue"')[0]


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"replay: the folder .*/no does not exist; make it first"):
        recorded("coop").save(tmp_path / "no" / "game.json")
    assert list(tmp_path.iterdir()) == []


def changed(tmp_path: Path, mode: str, change: Callable[[dict[str, Any]], Any], **settings: Any) -> Path:
    path = tmp_path / "game.json"
    recorded(mode, **settings).save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


def swap(values: list[Any], i: int, j: int) -> None:
    values[i], values[j] = values[j], values[i]


SPOILT: list[tuple[str, Callable[[dict[str, Any]], Any], str]] = [
    ("coop", lambda c: c.update(version=2), "version: 2 is not 1, the one this release reads; use the release that"),
    ("coop", lambda c: c.update(format="x"), "format: not a replay, which says 'timeline-twist replay' there; give"),
    ("coop", lambda c: c.pop("deal"), "deal: missing; the file is damaged, get another copy"),
    ("coop", lambda c: c.update(extra=1), "extra: a replay has no such field; take it out"),
    ("coop", lambda c: c.update(mode="solo"), "mode: 'solo' is not known; it is one of coop, competitive"),
    ("coop", lambda c: c.update(mode="competitive"), "settings: a competitive replay has players, knowledge,"),
    ("coop", lambda c: c.update(seed=-1), "seed: -1 is not a whole number from 0"),
    ("coop", lambda c: c.update(seed=8), "deal.icons: the seed deals others to these cards; the file was changed"),
    ("coop", lambda c: c["deal"]["icons"].reverse(), "deal.icons: the seed deals others to these cards"),
    ("coop", lambda c: c["deal"]["draw_order"].pop(), "deal.draw_order: 35 cards where the game needs 36"),
    ("coop", lambda c: swap(c["deal"]["draw_order"], 0, 4), "actions[|checksum: |result: "),
    ("coop", lambda c: swap(c["deal"]["draw_order"], 34, 35), "checksum: it is not the one of this game; the file was"),
    (
        "coop",
        lambda c: c["settings"].update(players="two"),
        "settings.players: 'two' is not a whole number from 1 to 6",
    ),
    ("coop", lambda c: c["settings"].update(communication="none"), "checksum: it is not the one of this game"),
    ("coop", lambda c: c["settings"].update(show_pile_top=False), "checksum: it is not the one of this game"),
    ("coop", lambda c: c["settings"]["knowledge"].update(sigma=[5, 6]), "checksum: it is not the one of this game"),
    ("coop", lambda c: c["settings"].update(knowledge=[]), "settings.knowledge: [] is neither a name nor a mapping"),
    ("coop", lambda c: c.update(players=["a"]), "players: 1 names for 2 seats; the file was changed"),
    ("coop", lambda c: c.update(players=["a", "b"]), "checksum: it is not the one of this game"),
    ("coop", lambda c: c.update(players=[1, 2]), "players: text in quotes must stand there"),
    ("coop", lambda c: c["actions"][2].__setitem__(0, 6), "actions[2]: 'play "),
    ("coop", lambda c: c["actions"].pop(), "result: the game did not end so, but with {"),
    ("coop", lambda c: c["actions"].append([0, "play 0"]), "actions["),
    ("coop", lambda c: c["actions"].__setitem__(1, "play 2"), "actions[1]: 'play 2' is no action; write a number and"),
    ("coop", lambda c: c["actions"].__setitem__(1, [10**12, "x"]), "actions[1]: [1000000000000, 'x'] is no action"),
    ("competitive", lambda c: c["actions"].__setitem__(0, [9999, "x"]), "actions[0]: 'x' and action 9999 are not the"),
    ("competitive", lambda c: c["result"].update(winners=[0, 1]), "result: the game did not end so, but with {"),
    ("competitive", lambda c: swap(c["deal"]["draw_order"], 98, 99), "checksum: it is not the one of this game"),
    ("competitive", lambda c: c.update(seed=8), "checksum: it is not the one of this game"),
    ("competitive", lambda c: c.update(estimates=[[1]]), "estimates: 2 rows of 100 positions must stand there"),
    ("competitive", lambda c: c.update(estimates="x"), "estimates: rows of numbers must stand there, or null"),
    ("competitive", lambda c: c.update(estimates=[[0] * 100] * 2), "checksum: it is not the one of this game"),
    ("competitive", lambda c: c.update(checksum="0"), "checksum: it is not the one of this game"),
    ("competitive", lambda c: c["catalogue"].update(sha256=""), "catalogue: the cards of scenes.csv are not those the"),
    (
        "competitive",
        lambda c: c["catalogue"].update(source="x"),
        "catalogue: there is no 'x', neither there nor beside",
    ),
    ("competitive", lambda c: c.update(catalogue=0), "catalogue: a mapping in braces must stand there"),
]


@pytest.mark.parametrize(("mode", "change", "message"), SPOILT, ids=[f"{i}" for i in range(len(SPOILT))])
def test_a_changed_file_is_refused_with_file_and_field(
    tmp_path: Path, mode: str, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    path = changed(tmp_path, mode, change)
    with pytest.raises(SettingsError) as error:
        replay.load(path)
    told = str(error.value)
    assert told.startswith(f"{path}: ") and "\n" not in told
    assert any(told.removeprefix(f"{path}: ").startswith(part) for part in message.split("|")), told


@pytest.mark.parametrize(
    ("knowledge", "estimates", "message"),
    [
        ("expert", [[1e9] * 36], "estimates: only 'noisy' knowledge has them"),
        ({"kind": "noisy", "sigma": [0, 5]}, [[0.5] * 36], "estimates: 1 rows of 36 positions must stand there"),
        ({"kind": "noisy", "sigma": [4, 5]}, [[1e9] * 36], "estimates: 1 rows of 36 positions must stand there"),
    ],
)
def test_estimates_that_no_game_can_have_are_refused_before_anything_is_played(
    tmp_path: Path, knowledge: Any, estimates: Any, message: str
) -> None:
    path = changed(tmp_path, "coop", lambda content: content.update(estimates=estimates), knowledge=knowledge)
    with pytest.raises(SettingsError, match=message):
        replay.load(path)


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '"x"', "\x00", "[" * 100_000, '{"seed": ' + "9" * 5000 + "}"])
def test_what_is_no_replay_at_all_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "game.json"
    path.write_text(text)
    with pytest.raises(SettingsError, match=rf"^{re.escape(str(path))}: (line 1: )?(not a whole JSON file|format: )"):
        replay.load(path)


def test_a_file_cut_short_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    recorded("coop").save(path)
    path.write_text(path.read_text()[:-200])
    with pytest.raises(
        SettingsError, match=r"game.json: line \d\d: not a whole JSON file; record the game again or get"
    ):
        replay.load(path)


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "game.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"game.json: (cannot be read: No such file|not a replay: it is no UTF-8)"):
        replay.load(path)


# --- catalogues -------------------------------------------------------------------------------------------------------


def test_a_catalogue_of_ones_own_is_found_by_its_path_beside_the_replay_or_where_it_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cards").mkdir()
    table = (GOLDEN / "nine.csv").read_text()
    own = Path("cards/own.csv")
    own.write_text(table)
    game = recorded("competitive", catalogue=own, hand_size=2)
    game.save("game.json")
    assert replay.load("game.json") == game
    moved = own.rename("own.csv")
    assert replay.load("game.json").actions == game.actions, "beside the replay"
    away = moved.rename("cards/other.csv")
    with pytest.raises(SettingsError, match=r"game.json: catalogue: there is no 'cards/own.csv', neither there nor"):
        replay.load("game.json")
    assert replay.load("game.json", away).actions == game.actions
    away.write_text(table.replace(",9,", ",10,"))
    with pytest.raises(SettingsError, match=r"game.json: catalogue: the cards of cards/other.csv are not those the"):
        replay.load("game.json", catalogue=away)
    away.write_text("title\n")
    with pytest.raises(UserError, match=r"game.json: cards/other.csv:1: no column 'time'"):
        replay.load("game.json", catalogue=away)


def test_a_catalogue_made_in_python_has_to_be_given_again(tmp_path: Path) -> None:
    cards = catalogue_of(range(12))
    game = recorded("competitive", catalogue=cards)
    game.save(tmp_path / "game.json")
    with pytest.raises(SettingsError, match=r"catalogue: there is no 'handmade.csv'"):
        replay.load(tmp_path / "game.json")
    assert replay.load(tmp_path / "game.json", cards) == game
    with pytest.raises(SettingsError, match=r"the cards of scenes.csv are not those"):
        replay.load(tmp_path / "game.json", load_catalogue("scenes"))
