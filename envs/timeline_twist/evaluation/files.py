"""Files of results: written whole or not at all, and never over anything that is not ours."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from timeline_twist.errors import SettingsError

FORMAT, FORMAT_VERSION = "timeline-twist evaluation", 1
METRICS = "metrics.json"
NAMES = (METRICS, "report.md", "scores.png", "differences.png")


def write_text(path: Path, text: str) -> None:
    write_with(path, lambda partial: partial.write_text(text, encoding="utf-8"))


def write_json(path: Path, content: Any) -> None:
    write_text(path, json.dumps(content, indent=1, allow_nan=False) + "\n")


def write_with(path: Path, write: Callable[[Path], Any]) -> None:
    """Let `write` make a file beside `path`, then put it there at once."""
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    partial = Path(name)
    try:
        write(partial)
        # mkstemp makes files for their owner alone; results are for everybody, as far as the umask allows.
        mask = os.umask(0)
        os.umask(mask)
        partial.chmod(0o666 & ~mask)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def prepare_folder(folder: Path, *, force: bool = False) -> None:
    """Make a folder for results, or raise an error now, not after the games, if they cannot go there."""
    make_folder(folder)
    there = sorted(path.name for path in folder.iterdir())
    foreign = [name for name in there if name not in NAMES]
    if METRICS in there and not is_ours(folder / METRICS):
        foreign.append(METRICS)
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


def is_ours(path: Path) -> bool:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT
