"""Recorded games, replayed line by line by the engine and by the reference model."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from recording import FILES, action_number, action_words, read, replay_engine, replay_reference


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_engine_replays(path: Path) -> None:
    recording = read(path)
    assert list(replay_engine(recording)) == recording.lines


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_reference_model_replays(path: Path) -> None:
    recording = read(path)
    assert list(replay_reference(recording)) == recording.lines


def test_the_recordings_are_short_and_show_every_end() -> None:
    recordings = [read(path) for path in FILES]
    assert 6 <= len(recordings) <= 10 and max(len(recording.lines) for recording in recordings) <= 40
    last_lines = " ".join(recording.lines[-1] for recording in recordings)
    for reason in ("all_cards_used", "no_legal_action", "failed_play", "won", "draw", "max_rounds"):
        assert reason in last_lines
    everything = " ".join(" ".join(recording.lines) for recording in recordings)
    assert "+" in everything and "*" in everything and "tie-break" in everything


def test_the_recordings_show_what_is_rare_in_competitive_games() -> None:
    def standing(line: str) -> tuple[int, int, bool]:
        """Cards of the draw pile, players still in, and whether it is a tie-break."""
        pile, still_in = re.search(r"pile (\d+)", line), re.search(r"\| in ([\d ]+)", line)
        assert pile
        return int(pile[1]), len(still_in[1].split()) if still_in else 0, "tie-break" in line

    games = [[standing(line) for line in read(path).lines] for path in FILES if path.stem.startswith("competitive")]
    steps = [step for game in games for step in pairwise(game)]
    assert any(not before[2] and after[2] for before, after in steps), "a tie-break"
    assert any(before[1] > after[1] > 0 for before, after in steps), "an elimination"
    assert any(before[0] < after[0] for before, after in steps), "the discards become a new pile"
    assert any("max_rounds" in read(path).lines[-1] for path in FILES), "a game that is broken off"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_words_and_numbers_of_actions_go_both_ways(path: Path) -> None:
    recording = read(path)
    for words in recording.actions:
        assert action_words(action_number(words, recording.table), recording.table) == words
