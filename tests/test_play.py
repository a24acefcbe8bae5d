"""`timeline-twist play`: a person at the table, who types, asks, errs and leaves."""

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import commands
from test_cli import COMMAND
from test_knowledge import CHANGES, LEAK_CASES, leak_settings
from test_observation import make, states
from timeline_twist import agents, coop_v0, replay
from timeline_twist.agents.agent import Agent
from timeline_twist.agents.seen import Seen, decision_keys
from timeline_twist.agents.simple import RandomAgent
from timeline_twist.person import PROMPT, Person
from timeline_twist.text import describe, format_action

Play = Callable[..., commands.Done]
COOP = ("--with", "random", "--seed", 4)
VERSUS = ("--mode", "competitive", *COOP)


@pytest.fixture
def play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Play:
    return partial(commands.run, capsys, monkeypatch, "play")


def answers(out: str) -> list[str]:
    """What came after each prompt."""
    return out.split(PROMPT)[1:]


# --- a game -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("settings", "ending"), [(COOP, "Score "), (VERSUS, "Game over: won by Player ")])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_is_played_to_its_end_and_saved(
    play: Play, tmp_path: Path, settings: tuple[Any, ...], ending: str, seat: int
) -> None:
    path = tmp_path / "game.json"
    done = play(*settings, "--seat", seat, "--save", path, typed="a\n0 0\n1 0\n2 0\n3 0\n" * 200)
    assert done.code == 0 and done.err == "", done.err
    last = done.out.splitlines()[-2]
    assert last.startswith("Game over: ") and ending in last and last.endswith("This was seed 4.")
    game = replay.load(path)
    assert game.players[seat] == "human" and game.players[1 - seat] == "random"
    assert game.result.end_reason is not None
    if game.result.score is not None:
        assert f"Score {game.result.score}: {game.result.rank()}." in last
    else:
        assert ("You win!" if game.result.winners == (seat,) else "You lose.") in last


def test_what_the_others_did_is_told_before_the_next_question(play: Play) -> None:
    done = play(*COOP, "--seat", 1, "--players", 3, typed="a\n")
    before = done.out.split(PROMPT)[0]
    assert "Player 0 (random): play " in before and "Player 1 (you): on turn" in before
    assert before.index("Player 0 (random): play ") < before.index("Player 1 (you): on turn")
    assert before.rindex("Player 0 (random)") < before.index("> Player 1 (you)"), (
        "the own hand stands next to the prompt"
    )


def test_partners_may_differ(play: Play) -> None:
    done = play("--with", "random", "--with", "random", "--seed", 1, typed="q\n")
    assert done.out.startswith("coop, scenes: Player 0 (you), Player 1 (random), Player 2 (random)\n")


def test_one_may_play_alone(play: Play) -> None:
    done = play("--with", "random", "--players", 1, "--seed", 4, typed="?\na\nq\n")
    assert done.code == 0 and "random would: " in done.out and "Player 0 (you): play 0." in done.out


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("play 3", "Player 0 (you): play 3."),
        ("  PLAY   3 ", "Player 0 (you): play 3."),
        ("p3", "Player 0 (you): play 3."),
        ("p 3", "Player 0 (you): play 3."),
        ("d", "Player 0 (you): play 3."),
        ("d1", "Player 0 (you): discard 1."),
        ("F", "Player 0 (you): discard 1."),
        ("play 3\ne", "Player 0 (you): end turn. Score -30."),
        ("play 3\nend turn", "Player 0 (you): end turn. Score -30."),
    ],
)
def test_actions_are_typed_as_words_or_letters(play: Play, typed: str, told: str) -> None:
    assert f"\n{told}" in play(*COOP, typed=f"{typed}\n").out.replace(PROMPT, "\n")


@pytest.mark.parametrize("typed", ["place 1 at 0", "1 0", "1,0", "1 at 0", "p1 0"])
def test_a_card_and_a_position_are_enough_in_a_competition(play: Play, typed: str) -> None:
    done = play(*VERSUS, typed=f"{typed}\n")
    assert "You may: place 0 at 0 to 1   place 1 at 0 to 1" in done.out
    assert "Player 0 (you): place 1 at 0." in done.out


def test_positions_stand_beside_the_timeline_in_a_competition(play: Play) -> None:
    first = play(*VERSUS, typed="q\n").out.split(PROMPT)[0]
    assert "\n    0 > " in first and "\n    1 > " in first and "(after the last card)" in first


@pytest.mark.parametrize(
    ("settings", "typed", "told"),
    [
        (COOP, "99", "99 alone could mean several things; type the letter of an action, or words such as 'play 99'."),
        (COOP, "0", "0 alone could mean several things; type the letter of an action, or words such as 'play 0'."),
        (COOP, "g", "g is not in the list; there are a, b, c, d, f."),
        (COOP, "e", "end turn is not possible now; you may play 0"),
        (VERSUS, "3", "3 alone could mean several things; type a slot and a position, such as '3 0'"),
        (VERSUS, "a", "action: 'a' is not understood; write 'place SLOT at POSITION'."),
        (COOP, "hello", "action: 'hello' is not understood; write 'play SLOT', 'discard SLOT' or 'end turn'."),
        (COOP, "9" * 5000, "is not understood; write"),
        (COOP, "play 9", "slot: 9 is not a whole number from 0 to 3."),
        (COOP, "discard 0", "discard 0 is not possible now; you may play 0, play 1, play 2, play 3, discard 1."),
        (COOP, "end turn", "end turn is not possible now; you may play 0"),
        (
            VERSUS,
            "place 0 at 7",
            "place 0 at 7 is not possible now; slots with cards are 0, 1, 2, 3, positions 0 to 1.",
        ),
        (VERSUS, "play 0", "action: 'play 0' is not understood; write 'place SLOT at POSITION'."),
    ],
)
def test_what_is_wrong_is_explained_and_asked_again(
    play: Play, settings: tuple[Any, ...], typed: str, told: str
) -> None:
    done = play(*settings, typed=f"{typed}\nq\n")
    assert done.code == 0 and told in answers(done.out)[0] and len(answers(done.out)) == 2


def test_help_and_the_table_again(play: Play) -> None:
    helped, shown, _ = answers(play(*COOP, typed="h\nt\nq\n").out)
    assert "play 1     or p1: flip the card in slot 1" in helped and "q  leave the game" in helped
    assert "Timeline: main row 1" in shown and "You may: (a) play 0" in shown


# --- advice -----------------------------------------------------------------------------------------------------------


def test_advice_has_the_chances(play: Play) -> None:
    advice = answers(play(*COOP, typed="?\nq\n").out)[0]
    assert advice == "random would: play 0 (20%), play 1 (20%), play 2 (20%), play 3 (20%), discard 1 (20%)\n"
    assert "random would: place 0 at 0 (12%)" in play(*VERSUS, "--advisor", "random", typed="?\nq\n").out


def test_advice_tells_what_a_search_expects_of_each_action(play: Play) -> None:
    advice = answers(play(*COOP, "--advisor", "rollout:rollouts=20", typed="?\nq\n").out)[0]
    (line,) = [line for line in advice.splitlines() if line.startswith("It expects a final score of")]
    scores = [float(number) for number in re.findall(r"(-?\d+\.\d\d) after", line)]
    assert len(scores) >= 2 and scores == sorted(scores, reverse=True)


class LastSorted(RandomAgent):
    """Sure of the last card that it may play, in hands in order of time."""

    name = "last"
    slots = "sorted"

    def probabilities(self, seen: Seen) -> Any:
        chances = np.zeros(seen.masks.shape)
        chances[:, 3] = 1
        return chances


def person_at(batch: Any, advisor: Agent | None = None) -> tuple[Person, list[str]]:
    told: list[str] = []
    names = [f"Player {seat}" for seat in range(batch.table.players)]
    return Person(batch, names, lambda _: "q", told.append, advisor or agents.make("random")), told


def test_advice_speaks_of_table_slots_also_if_the_advisor_sees_sorted_hands() -> None:
    batch = coop_v0.make_batch(1, knowledge="expert")
    batch.deal([0], [4])
    seen = Seen(batch, np.zeros(1, np.int64), decision_keys(np.zeros(1, np.int64), 0, 0))
    latest = int(np.argmax(batch.games[0]["time"][batch.games[0]["hands"][0]]))
    assert latest != 3
    assert person_at(batch, LastSorted())[0].advice(seen) == f"last would: play {latest} (100%)"


# --- leaving ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["p3\nq\n", "p3\nquit\n", "p3\n", "p3"])
def test_whoever_leaves_keeps_the_game_so_far(play: Play, tmp_path: Path, typed: str) -> None:
    path = tmp_path / "game.json"
    done = play(*COOP, "--save", path, typed=typed)
    assert done.code == 0 and "You have left the table." in done.out
    assert f"The game is not over. Score -30. This was seed 4.\nSaved: timeline-twist watch {path}\n" in done.out
    assert replay.load(path).words() == ["play 3"]


def test_ctrl_c_leaves_with_its_own_exit_code_and_keeps_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    command = [str(COMMAND), "play", *map(str, COOP), "--save", str(path)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"play 3\n")
        process.stdin.flush()
        seen = b""
        while seen.count(PROMPT.encode()) < 2:
            seen += process.stdout.read1(4096)  # type: ignore[attr-defined]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and b"Traceback" not in err and b"The game is not over" in out
    assert replay.load(path).words() == ["play 3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seat", "2", *COOP], "--seat: 2 is not a whole number from 0 to 1"),
        (["--with", "nobody"], "agent: 'nobody' is neither a built-in agent nor a folder"),
        (["--advisor", "nobody", *COOP], "agent: 'nobody' is neither a built-in agent nor a folder"),
        ([*COOP, "--with", "random", "--players", "4"], "--with: 2 for 3 seats; name one for all of them, or one for"),
        ([*VERSUS, "--players", "1"], "players: 1 is not a whole number from 2 to 6"),
        ([*COOP, "--save", "no/game.json"], "--save: the folder no does not exist"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(play: Play, arguments: list[Any], message: str) -> None:
    done = play(*arguments)
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1 and done.out == ""


# --- what is shown ----------------------------------------------------------------------------------------------------


def moments(mode: str, kind: str, talk: str | None, slots: str) -> Iterator[Any]:
    batch = make(mode, catalogue="scenes", **leak_settings(kind, talk, slots))
    for _ in states(batch, 0, 0.7):
        if batch.games[0]["end"] == 0:
            yield batch


@pytest.mark.parametrize(("mode", "kind", "talk", "slots"), [case for case in LEAK_CASES if case[3] == "table"])
def test_nothing_is_printed_that_the_seat_cannot_know(mode: str, kind: str, talk: str | None, slots: str) -> None:
    rng, hidden = np.random.default_rng(2), 0
    for batch in moments(mode, kind, talk, slots):
        seat = int(batch.games[0]["turn"])
        kept = batch.games[0].copy(), batch.estimates[0].copy()
        person, told = person_at(batch)
        seen = Seen(batch, np.zeros(1, np.int64), decision_keys(np.zeros(1, np.int64), 0, 0))
        person.show(seat)
        told.append(person.advice(seen))
        before, state = "\n".join(told), batch.state(0)
        CHANGES[mode](batch, seat, rng)
        hidden += not np.array_equal(state, batch.state(0))
        told.clear()
        person.show(seat)
        told.append(person.advice(seen))
        assert "\n".join(told) == before
        batch.games[0], batch.estimates[0] = kept
    assert hidden > 3, "the changes must be real ones"


def test_the_list_has_exactly_the_legal_actions() -> None:
    for batch in moments("coop", "noisy", "open", "table"):
        person, _ = person_at(batch)
        listed = [part.split(") ")[1] for part in person.options().split("   ")]
        assert listed == [
            format_action(batch, int(action)) for action in np.flatnonzero(batch.table.mask(batch.games[0]))
        ]
        assert all(each in describe(batch, int(batch.games[0]["turn"])) for each in listed)


def test_the_letter_of_ending_a_turn_is_e(play: Play) -> None:
    done = play(*COOP, typed="p3\nq\n")
    assert "(e) end turn" in answers(done.out)[0] and "(e) " not in done.out.split(PROMPT)[0]


def test_the_seed_is_not_told_before_the_end(play: Play) -> None:
    done = play("--with", "random", "--seed", 987654, typed="q\n")
    assert done.out.count("987654") == 1 and "This was seed 987654." in done.out.splitlines()[-1]
