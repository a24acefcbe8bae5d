"""The command line as a user meets it: output, exit codes, one line for a mistake."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import timeline_twist

COMMAND = Path(sys.executable).with_name("timeline-twist")
QUICK = ["speed", "engine", "--seconds", "0.02", "--batches", "1,8", "--threads", "1,2"]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_version() -> None:
    assert run("--version").stdout.strip() == timeline_twist.__version__


def test_help_names_the_commands() -> None:
    text = run("--help").stdout
    assert all(command in text for command in ("speed", "catalogue", "watch", "play"))


def test_speed_engine_prints_both_modes_beside_the_reference_model(tmp_path: Path) -> None:
    out = tmp_path / "speed.json"
    done = run(*QUICK, "--out", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("reference model") == 2 and "bytes" in done.stdout
    cases = json.loads(out.read_text())["cases"]
    asked = {(case["mode"], case["batch"], case["threads"]) for case in cases if case["what"] == "engine"}
    assert asked == {(mode, batch, n) for mode in ("co-op", "competitive") for batch in (1, 8) for n in (1, 2)}
    assert all(rate > 0 for case in cases for rate in case["steps_per_second"])
    assert [path.name for path in tmp_path.iterdir()] == ["speed.json"]


@pytest.mark.parametrize("players", [1, 6])
def test_speed_engine_for_other_tables(players: int) -> None:
    done = run(*QUICK, "--players", players, "--catalogue", "history")
    assert done.returncode == 0 and f"co-op with {players} players" in done.stdout
    assert f"competitive with {max(2, players)} players" in done.stdout


def test_speed_env_prints_every_interface_beside_connect_four(tmp_path: Path) -> None:
    out = tmp_path / "speed.json"
    done = run("speed", "env", "--seconds", "0.01", "--games", "4", "--players", "2,3", "--out", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("connect_four-v3") == 3, "the heading and a line for env() and for raw_env"
    cases = json.loads(out.read_text())["cases"]
    vector = {(case["what"], case["players"]) for case in cases if case["mode"] == "vector"}
    kinds = ("expert", "noisy", "faces", "blind")
    assert {(f"co-op, {kind}", players) for kind in kinds for players in (2, 3)} < vector
    assert all(rate > 0 for case in cases for rate in case["steps_per_second"])


def test_catalogue_says_what_is_in_it() -> None:
    done = run("catalogue", "history", "--cards")
    assert done.returncode == 0 and "128 cards" in done.stdout and "The Big Bang" in done.stdout


def test_catalogue_prints_titles_and_icons_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "odd[red].csv"
    path.write_text("title,time,front_icon,back_icon\nWar [/end] :bomb:,1,[/x],[bold]\n")
    done = run("catalogue", path, "--cards")
    assert done.returncode == 0, done.stderr
    assert all(text in done.stdout for text in ("odd[red]", "War [/end] :bomb:", "[/x]", "[bold]"))


def test_catalogue_checks_a_users_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("title,time,front_icon,back_icon\nFire,-5,a,a\n")
    done = run("catalogue", path)
    assert done.returncode == 2 and done.stdout == ""
    assert f"{path}:2: front_icon and back_icon are both 'a'" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["catalogue", "scnes"], "did you mean 'scenes'?"),
        (["speed", "engine", "--players", "9"], "--players: 9 is not a whole number from 1 to 6"),
        (["speed", "engine", "--batches", "1,x"], "--batches: 'x' is not a whole number from 1 to 1000000"),
        (["speed", "engine", "--threads", "0"], "--threads: 0 is not a whole number from 1 to 256"),
        (["speed", "engine", "--seconds", "-1"], "--seconds: -1.0 is not between 0 and 3600"),
        (["speed", "engine", "--batches", "9" * 5000], "--batches: 99999999999999999999 is not a whole number"),
        (["speed", "env", "--games", "0"], "--games: 0 is not a whole number from 1 to 1000000"),
        (["speed", "env", "--players", "2,9"], "--players: 9 is not a whole number from 1 to 6"),
        (["speed", "engine", "--out", "/"], "--out: / is a folder; give the name of a file"),
        (["speed", "engine", "--catalogue", "nowhere.csv"], "'nowhere.csv': no such file or built-in catalogue"),
        (["speed", "engine", "--out", "no/such/folder/x.json"], "--out: the folder no/such/folder does not exist"),
        (["sped"], "No such command"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_2(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
