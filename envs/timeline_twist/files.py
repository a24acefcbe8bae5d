"""Files that commands write: they appear whole or not at all, and what cannot be written is refused early."""

import os
from pathlib import Path

from timeline_twist.errors import SettingsError


def check_writable(name: str, path: Path) -> None:
    """Raise an error now, not after the work, if a file cannot be written there; `name` is the option that asks."""
    if not path.parent.is_dir():
        raise SettingsError(f"{name}: the folder {path.parent} does not exist; make it first")
    if path.is_dir():
        raise SettingsError(f"{name}: {path} is a folder; give the name of a file")
    if not os.access(path.parent, os.W_OK):
        raise SettingsError(f"{name}: the folder {path.parent} cannot be written to; choose another")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name first: a reader never meets half of it."""
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise SettingsError(f"{path}: cannot be written: {error.strerror}; choose another place") from error
