"""`timeline-twist watch`: games of agents and recorded ones, as text, as pictures, from a seat."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import commands
from test_knowledge import CHANGES, LEAK_CASES, leak_settings
from test_observation import TIED, make, states
from timeline_twist import SettingsError, cli_watch, competitive_v0, coop_v0, frames, replay
from timeline_twist.render import ansi, text_of
from timeline_twist.seat_view import seat_view, spectator_view

Watch = Callable[..., commands.Done]


@pytest.fixture
def watch(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Watch:
    return partial(commands.run, capsys, monkeypatch, "watch")


# --- text -------------------------------------------------------------------------------------------------------------


def test_a_game_of_agents_is_told_action_by_action(watch: Watch) -> None:
    done = watch("random", "--seed", 7)
    assert done.code == 0 and done.err == ""
    assert done.out.startswith("coop, scenes, seed 7: Player 0 (random), Player 1 (random)\n")
    assert "\n1 of 14. Player 0 (random): play 0. The village fades behind the stern (time 39) became the new high" in (
        done.out
    )
    assert done.out.count("Timeline Twist · co-op · scenes") == 15, "the deal and fourteen actions"
    assert done.out.endswith("could not place a card. Score -10: Team Wannabes.\n")


def test_without_tables_an_action_is_a_line(watch: Watch) -> None:
    done = watch("random", "--seed", 7, "--no-table", "--delay", 0)
    assert len(done.out.splitlines()) == 1 + 1 + 14 + 2 and "Timeline Twist" not in done.out


def test_competitive_games_tell_what_was_right_and_who_won(watch: Watch) -> None:
    done = watch("random", "--mode", "competitive", "--catalogue", "history", "--players", 3, "--seed", 3, "--no-table")
    assert done.code == 0 and "is right there. Cards left: " in done.out
    assert "is wrong there and was discarded. Cards left: " in done.out and "Game over: won by Player 0." in done.out


def test_several_agents_are_as_many_players(watch: Watch) -> None:
    done = watch("random", "random", "random", "--seed", 1, "--no-table")
    assert "Player 2 (random)" in done.out and "Player 3" not in done.out


def test_a_saved_game_is_watched_again(watch: Watch, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    settings = ["--knowledge", "noisy", "--sigma", "2,10", "--communication", "none", "--seed", 5]
    first = watch("random", *settings, "--save", path)
    again = watch(path)
    assert first.code == again.code == 0 and first.out == again.out
    assert replay.load(path).settings["knowledge"] == {"kind": "noisy", "sigma": [2.0, 10.0]}


def test_a_seed_chosen_by_chance_is_told(watch: Watch) -> None:
    done = watch("random", "--no-table")
    seed = done.out.split("seed ")[1].split(":")[0]
    assert watch("random", "--no-table", "--seed", seed).out == done.out


def test_enter_goes_on_and_q_leaves(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["", "", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    monkeypatch.setattr(cli_watch, "on_terminal", lambda: True)
    done = watch("random", "--seed", 7)
    assert done.code == 0 and done.out.count("Timeline Twist ·") == 3 and "Left after 2 of 14 actions." in done.out
    assert done.out.index("\nThe cards are dealt.") > done.out.index("Draw pile"), "news stand next to the prompt"


@pytest.mark.parametrize(("problem", "code"), [(EOFError, 0), (KeyboardInterrupt, 130)])
def test_the_end_of_input_and_ctrl_c_leave_cleanly(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, problem: type[BaseException], code: int
) -> None:
    def interrupted(_: str) -> str:
        raise problem

    monkeypatch.setattr("builtins.input", interrupted)
    monkeypatch.setattr(cli_watch, "on_terminal", lambda: True)
    done = watch("random", "--seed", 7)
    assert done.code == code and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["randm"], "agent: 'randm' is neither a built-in agent nor a folder; did you mean 'random'?"),
        (["random", "random", "random", "--players", "2"], "agents: 3 for 2 seats; name one for all of them, or one"),
        (["random", "--players", "9"], "players: 9 is not a whole number from 1 to 6"),
        (["random", "--players", "0"], "players: 0 is not a whole number from 1 to 6"),
        (["random", "--mode", "solo"], "--mode: 'solo' is not known; choose one of coop, competitive"),
        (["random", "--sigma", "x"], "--sigma: 'x' is neither a number nor several with commas"),
        (["random", "--sigma", "-1"], "knowledge.sigma: -1.0 is not 0 or a number from 0.1 to 1,000"),
        (["random", "--sigma", "2", "--knowledge", "blind"], "knowledge.sigma: 'blind' has no such setting"),
        (["random", "--seed", "-1"], "seed: -1 is not a whole number from 0"),
        (["random", "--seat", "2"], "--seat: 2 is not a whole number from 0 to 1"),
        (["random", "--delay", "-1"], "--delay: -1 is not a number of seconds from 0 to 3600"),
        (["random", "--frame", "0"], "--frame: 0 is not a number of seconds from 0.02 to 3600"),
        (["random", "--save", "no/x.json"], "--save: the folder no does not exist; make it first"),
        (["random", "--gif", "/"], "--gif: / does not end in .gif; name it so, or give a folder to --png"),
        (["random", "--gif", "game.png"], "--gif: game.png does not end in .gif; name it so, or give a folder"),
        (["random", "--png", __file__], f"cannot be made: {__file__} is a file; choose another"),
        (["random", "--png", "/proc/pictures/x"], "--png: the folder /proc"),
        (["random", "--mode", "competitive", "--communication", "open"], "communication: 'open' is for co-op"),
        (["nowhere.json"], "nowhere.json: cannot be read: No such file"),
        (
            [Path(__file__).parent / "replays" / "coop.json", "--seed", "3"],
            "--seed: a replay has its own; leave it out",
        ),
        ([Path(__file__).parent / "replays" / "nine.csv"], "nine.csv: line 1: not a whole JSON file"),
        (
            [Path(__file__).parent / "replays" / "coop.json", "--catalogue", "history"],
            "coop.json: catalogue: the cards",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(watch: Watch, arguments: list[Any], message: str) -> None:
    done = watch(*arguments)
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1 and done.out == ""


# --- pictures ---------------------------------------------------------------------------------------------------------


def pixels(path: Path) -> Any:
    with Image.open(path) as picture:
        return np.asarray(picture, np.int16)


def test_every_state_is_a_png_and_a_picture_of_the_gif(watch: Watch, tmp_path: Path) -> None:
    folder, gif = tmp_path / "new" / "frames", tmp_path / "game.gif"
    path = Path(__file__).parent / "replays" / "competitive.json"
    done = watch(path, "--png", folder, "--gif", gif, "--frame", 0.5)
    assert done.code == 0 and f"{folder}: 23 pictures" in done.out and f"{gif}: 23 pictures" in done.out
    assert sorted(file.name for file in folder.iterdir()) == [f"{i:03d}.png" for i in range(23)]
    pictures = {name.stem: pixels(name) for name in folder.iterdir()}
    assert len({picture.tobytes() for picture in pictures.values()}) == 23
    assert pictures["022"].shape == (800, 1280, 3)
    with Image.open(gif) as moving:
        assert moving.n_frames == 23 and moving.info["duration"] == 500  # type: ignore[attr-defined]
        moving.seek(12)
        shown = np.asarray(moving.convert("RGB"), np.int16)
    assert np.abs(shown - pictures["012"]).mean() < 2, "one palette does for all pictures"
    again = watch(path, "--png", folder)
    assert again.code == 2 and "has pictures already; give a new or an empty one" in again.err


def test_a_game_without_an_action_has_a_picture_too(tmp_path: Path) -> None:
    batch = coop_v0.make_batch(1)
    batch.deal([0], [0])
    assert frames.save_gif([spectator_view(batch)], tmp_path / "deal.gif", 1.0) == 1
    assert frames.save_png([seat_view(batch, 1)], tmp_path) == 1


def test_without_pillow_pictures_say_what_is_needed(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    for options in (["--gif", tmp_path / "x.gif"], ["--png", tmp_path / "x"]):
        done = watch("random", "--seed", 7, *options, "--save", tmp_path / "game.json")
        assert done.code == 2 and "pip install 'timeline-twist[render]'" in done.err
        assert done.out == "" and list(tmp_path.iterdir()) == [], "known before anything is printed or made"


def test_a_mistake_leaves_no_folder_behind(watch: Watch, tmp_path: Path) -> None:
    done = watch("rndom", "--png", tmp_path / "a" / "b")
    assert done.code == 2 and list(tmp_path.iterdir()) == []


# --- what is shown ----------------------------------------------------------------------------------------------------


def dealt(module: Any, **settings: Any) -> Any:
    batch = module.make_batch(1, **settings)
    batch.deal([0], [4])
    return batch


@pytest.mark.parametrize("module", [coop_v0, competitive_v0])
def test_a_spectator_sees_the_open_table(module: Any) -> None:
    batch = dealt(module, show_pile_top=False)
    assert text_of(spectator_view(batch)) == ansi(batch.table, batch.games[0], show_pile_top=False)


@pytest.mark.parametrize(("mode", "kind", "talk", "slots"), [case for case in LEAK_CASES if case[3] == "table"])
@pytest.mark.parametrize("shown", [True, False])
def test_a_seat_is_shown_nothing_that_it_cannot_know(
    mode: str, kind: str, talk: str | None, slots: str, shown: bool
) -> None:
    rng, hidden = np.random.default_rng(1), 0
    for catalogue, seed in (("scenes", 0), (TIED, 1)):
        batch = make(mode, catalogue=catalogue, show_pile_top=shown, **leak_settings(kind, talk, slots))
        for i, _ in enumerate(states(batch, seed, 0.7)):
            kept = batch.games[0].copy(), batch.estimates[0].copy()
            seat = i % batch.table.players
            before, state = seat_view(batch, seat), batch.state(0)
            CHANGES[mode](batch, seat, rng)
            hidden += not np.array_equal(state, batch.state(0))
            assert seat_view(batch, seat) == before
            batch.games[0], batch.estimates[0] = kept
    assert hidden > 5, "the changes must be real ones"


def test_what_a_seat_knows_does_show() -> None:
    cards = {
        kind: seat_view(dealt(coop_v0, knowledge=kind), 0).seats[1].hand[0] for kind in ("expert", "faces", "blind")
    }
    title = dealt(coop_v0).table.catalogue.titles[int(dealt(coop_v0).games[0].card[4])]
    told = {kind: card.title for kind, card in cards.items() if card is not None}
    assert told["faces"] == title and told["expert"].startswith(f"{title} (time ") and told["blind"] == "a card"
    mine, theirs = (
        seat_view(dealt(coop_v0, communication="none", knowledge={"kind": "noisy", "sigma": [0, 9]}), seat)
        .seats[1]
        .hand
        for seat in (0, 1)
    )
    assert mine != theirs and mine[0] is not None and told["expert"].endswith(f"({mine[0].title})")


def test_estimates_are_told_as_times_of_the_catalogue() -> None:
    batch = coop_v0.make_batch(1, catalogue="history", communication="none", knowledge={"kind": "noisy", "sigma": 3})
    times = sorted(set(batch.table.catalogue.times))
    estimates = np.full((2, 128), 90.0)
    estimates[0, 1], estimates[0, 2] = -50, 90.5
    batch.deal([0], [0], {"draw_order": range(36), "estimates": estimates})
    hand = seat_view(batch, 0).seats[0].hand
    told = [card.title for card in hand if card is not None]
    assert told[0] == f"about {times[90]} ({times[87]}..{times[93]})"
    assert told[1] == "about -13.8bn (-13.8bn..-13.8bn)", "nothing lies beyond the ends"
    assert told[2].startswith(f"about {round((times[90] + times[91]) / 2)} (")
    with pytest.raises(SettingsError, match="seat: 2 is not a whole number from 0 to 1"):
        seat_view(batch, 2)
