"""The cache of machine code: a change in any compiled source starts a fresh one; other users of Numba keep theirs."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import pytest

from handmade import catalogue_of
from timeline_twist import Competitive, read_result
from timeline_twist.compiled import CACHE, cache_homes, compiled, first_writable, own_folder, source_key

CALLER = """
from timeline_twist.compiled import compiled
from timeline_twist.callee import points
@compiled
def score(cards):
    return cards * points()
"""


def callee(points: int) -> str:
    return f"from timeline_twist.compiled import compiled\n@compiled\ndef points():\n    return {points}\n"


def test_a_rule_changed_in_another_file_is_not_answered_from_the_cache(tmp_path: Path) -> None:
    package = tmp_path / "timeline_twist"
    package.mkdir()
    original = Path(sys.modules["timeline_twist.compiled"].__file__ or "")
    (package / "compiled.py").write_text(original.read_text())
    (package / "__init__.py").write_text("")
    (package / "records.py").write_text("ALL = ()\n")
    (package / "caller.py").write_text(CALLER)

    def answer_with(points: int) -> tuple[str, str]:
        (package / "callee.py").write_text(callee(points))
        code = "from timeline_twist.caller import score; print(score(10))"
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip(), done.stderr.strip()

    assert answer_with(2)[0] == "20"
    answer, words = answer_with(2)
    assert (answer, words) == ("20", ""), "the second run finds the first one's machine code and says nothing"
    answer, words = answer_with(3)
    assert answer == "30" and words.count("compiling") == 1


def test_the_key_changes_with_compiled_sources_only(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("@compiled\ndef f(): ...\n")
    (tmp_path / "words.py").write_text("RANK = 1\n")
    key = source_key(tmp_path)
    (tmp_path / "words.py").write_text("RANK = 2\n")
    assert source_key(tmp_path) == key
    (tmp_path / "rules.py").write_text("@compiled\ndef f(): return 1\n")
    assert source_key(tmp_path) != key


BOTH_RECORDS = """
import sys
from handmade import catalogue_of
from timeline_twist import Competitive
for cards in map(int, sys.argv[1:]):
    print(Competitive(2, catalogue_of(range(cards))).deal(7)[0].hands.tolist())
"""


def hands_of(cache: Path, *sizes: int, before: str = "") -> list[str]:
    """The hands that a process of its own deals, with catalogues of these sizes in this order."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-c", before + BOTH_RECORDS, *map(str, sizes)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize(("small", "large"), [(100, 150), (150, 100)])
def test_processes_that_meet_the_records_in_another_order_do_not_mix_them_up(
    tmp_path: Path, small: int, large: int
) -> None:
    (first,) = hands_of(tmp_path, small)
    second, again = hands_of(tmp_path, large, small)
    assert again == first != second
    assert hands_of(tmp_path, small, large) == [first, second]


def test_a_process_that_has_used_records_of_its_own_gets_another_folder(tmp_path: Path) -> None:
    expected = hands_of(tmp_path, 100, 150)
    before = "import numba, numpy; own = numba.from_dtype(numpy.dtype([('x', 'i4')]))\n"
    assert hands_of(tmp_path, 100, 150, before=before) == expected
    assert len(list(tmp_path.iterdir())) == 2


SAVED_GAMES = """
import sys
import numpy as np
from handmade import catalogue_of
from timeline_twist import Competitive, engine, read_result
for cards in map(int, sys.argv[1:]):
    table = Competitive(3, catalogue_of(range(cards)))
    games = np.load(f"{cards}.npy")
    for game in games:
        while (mask := table.mask(game)).any():
            table.step(game, int(mask.argmax()))
    print([read_result(game).winners for game in games], games["rounds"].tolist())
"""


def test_saved_games_are_played_like_dealt_ones_in_any_process(tmp_path: Path) -> None:
    expected = {}
    for cards in (100, 200):
        table = Competitive(3, catalogue_of(range(cards)))
        games = table.deal(range(8))
        np.save(tmp_path / f"{cards}.npy", games)
        for game in games:
            while (mask := table.mask(game)).any():
                table.step(game, int(mask.argmax()))
        expected[cards] = f"{[read_result(game).winners for game in games]} {games['rounds'].tolist()}"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parent)}
    for order in ([100], [200], [100, 200], [200, 100]):
        command = [sys.executable, "-W", "error", "-c", SAVED_GAMES, *map(str, order)]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [expected[cards] for cards in order]


def test_an_account_without_a_home_can_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert [home.name for home in cache_homes()] == ["__pycache__"]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_homes()[0] == tmp_path / "timeline-twist"


def test_the_first_folder_that_can_be_written_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    good = tmp_path / "deep" / "folder"
    assert first_writable([blocked / "below", good, tmp_path]) == good and good.is_dir()
    assert first_writable([blocked / "below"]) is None
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert own_folder().parent == tmp_path


def test_numbas_own_setting_is_left_as_it_was() -> None:
    before = numba.config.CACHE_DIR
    compiled(lambda: 1)
    assert before == numba.config.CACHE_DIR and CACHE.is_dir()


@pytest.mark.parametrize("mode", ["Coop", "Competitive"])
def test_the_interpreted_engine_plays_the_same_game(mode: str) -> None:
    code = (
        "import numpy as np, timeline_twist as t;"
        f"table = t.{mode}(3); games = table.deal(range(3)); choices = np.arange(3, dtype=np.uint64);"
        "table.random_play(games, 60, choices); print(games['seed'].tolist(), games['hands'].tolist(), choices)"
    )

    def run(**extra: str) -> str:
        environment = {**os.environ, **extra}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert run() == run(NUMBA_DISABLE_JIT="1")
