"""The ranks."""

import pytest

from timeline_twist import SettingsError
from timeline_twist.text import rank_name, rank_of


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


RANKS = """
below 0 | Team Wannabes      | Équipe Espoir        | Team Taugenixe             | Aspirantes a Equipo
0       | Newcomers Group    | Groupe d'Apprentis   | Team Teilnahme-Urkunde     | Grupo de Advenedizos
11      | Accredited League  | Ligue Certifiée      | Team Talfahrt              | Liga Acreditada
21      | Sophisticated Crew | Équipage Distingué   | Team Talentschmiede        | Personal Sofisticado
31      | Veteran Squad      | Escouade de Vétérans | Team Tolle Hechte          | Escuadra de Veteranos
41      | Expert Alliance    | Alliance d'Experts   | Team Taktikprofis          | Alianza de Expertos
51      | Genius Circle      | Assemblée de Génies  | Team Tadellos              | Cenáculo de Genios
61      | Time Travelers     | Voyageurs Temporels  | Team Timeline-Tausendsassa | Viajeros del Tiempo
"""


@pytest.mark.parametrize("line", RANKS.strip().splitlines())
def test_ranks_have_names_in_four_languages(line: str) -> None:
    bound, *names = [cell.strip() for cell in line.split("|")]
    score = -1 if bound == "below 0" else int(bound)
    assert [rank_name(score, language) for language in ("en", "fr", "de", "es")] == names


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(SettingsError, match="language: 'it' is not known; choose one of en, fr, de, es"):
        rank_name(3, "it")
