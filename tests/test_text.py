"""The ranks."""

import pytest

from timeline_twist import SettingsError
from timeline_twist.text import RANK_NAMES, rank_name, rank_of


@pytest.mark.parametrize(
    ("score", "rank"),
    [
        (-33, 0),
        (-1, 0),
        (0, 1),
        (10, 1),
        (11, 2),
        (20, 2),
        (21, 3),
        (30, 3),
        (31, 4),
        (40, 4),
        (41, 5),
        (50, 5),
        (51, 6),
        (60, 6),
        (61, 7),
    ],
)
def test_the_bounds_of_the_ranks(score: int, rank: int) -> None:
    assert rank_of(score) == rank


@pytest.mark.parametrize(
    ("language", "lowest", "highest"),
    [
        ("en", "Team Wannabes", "Time Travelers"),
        ("fr", "Équipe Espoir", "Voyageurs Temporels"),
        ("de", "Team Taugenixe", "Team Timeline-Tausendsassa"),
        ("es", "Aspirantes a Equipo", "Viajeros del Tiempo"),
    ],
)
def test_ranks_have_names_in_four_languages(language: str, lowest: str, highest: str) -> None:
    assert rank_name(-5, language) == lowest and rank_name(69, language) == highest
    assert len(set(RANK_NAMES[language])) == 8


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(SettingsError, match="language: 'it' is not known; choose one of en, fr, de, es"):
        rank_name(3, "it")
