"""Folders of results: never over anything that is not ours."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from timeline_twist.errors import SettingsError

FORMAT, FORMAT_VERSION = "timeline-twist evaluation", 1
METRICS = "metrics.json"


@dataclass(frozen=True)
class Kind:
    """What lies in a folder of results: a main file, which tells its format, and others beside it."""

    format: str
    main: str
    others: tuple[str, ...]


EVALUATION = Kind(FORMAT, METRICS, ("report.md", "scores.png", "differences.png"))


def prepare_folder(folder: Path, *, force: bool = False, kind: Kind = EVALUATION) -> None:
    """Make a folder for results, or raise an error now, not after the games, if they cannot go there."""
    make_folder(folder)
    there = sorted(path.name for path in folder.iterdir())
    foreign = [name for name in there if name not in (kind.main, *kind.others)]
    if kind.main in there and not is_ours(folder / kind.main, kind):
        foreign.append(kind.main)
    if foreign:
        raise SettingsError(
            f"--out: {folder} holds {foreign[0]!r}, which is not a result of ours; give an empty folder"
        )
    if there and not force:
        raise SettingsError(f"--out: {folder} holds results already; give another folder, or --force to replace them")


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to, or raise an error."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise SettingsError(
            f"--out: {folder} cannot be written to ({error.strerror}); choose another folder"
        ) from error


def is_ours(path: Path, kind: Kind = EVALUATION) -> bool:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("format") == kind.format
