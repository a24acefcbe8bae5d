"""The ranks of a co-op score and their names in four languages."""

from timeline_twist.errors import SettingsError

# The lowest score of each rank but the first, which takes everything below zero.
RANK_BOUNDS = (0, 11, 21, 31, 41, 51, 61)

RANK_NAMES = {
    "en": (
        "Team Wannabes",
        "Newcomers Group",
        "Accredited League",
        "Sophisticated Crew",
        "Veteran Squad",
        "Expert Alliance",
        "Genius Circle",
        "Time Travelers",
    ),
    "fr": (
        "Équipe Espoir",
        "Groupe d'Apprentis",
        "Ligue Certifiée",
        "Équipage Distingué",
        "Escouade de Vétérans",
        "Alliance d'Experts",
        "Assemblée de Génies",
        "Voyageurs Temporels",
    ),
    "de": (
        "Team Taugenixe",
        "Team Teilnahme-Urkunde",
        "Team Talfahrt",
        "Team Talentschmiede",
        "Team Tolle Hechte",
        "Team Taktikprofis",
        "Team Tadellos",
        "Team Timeline-Tausendsassa",
    ),
    "es": (
        "Aspirantes a Equipo",
        "Grupo de Advenedizos",
        "Liga Acreditada",
        "Personal Sofisticado",
        "Escuadra de Veteranos",
        "Alianza de Expertos",
        "Cenáculo de Genios",
        "Viajeros del Tiempo",
    ),
}


def rank_of(score: int) -> int:
    """The rank of a co-op score, 0 (below zero) to 7 (61 and more)."""
    return sum(score >= bound for bound in RANK_BOUNDS)


def rank_name(score: int, language: str = "en") -> str:
    """The name of the rank of a co-op score, in `en`, `fr`, `de` or `es`."""
    if language not in RANK_NAMES:
        raise SettingsError(f"language: {language!r} is not known; choose one of {', '.join(RANK_NAMES)}")
    return RANK_NAMES[language][rank_of(score)]
