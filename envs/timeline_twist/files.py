"""Files that commands write: they appear whole or not at all, and what cannot be written is refused early."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    write_with(path, lambda partial: partial.write_bytes(content))


def write_text(path: Path, text: str) -> None:
    write_whole(path, text.encode())


def write_json(path: Path, content: Any) -> None:
    write_text(path, json.dumps(content, indent=1, allow_nan=False) + "\n")


def write_with(path: Path, write: Callable[[Path], Any]) -> None:
    """Let `write` make a file beside `path`, then put it there at once: a reader never meets half of it."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written: {error.strerror}; choose another place") from error
    partial = Path(name)
    try:
        write(partial)
        # mkstemp makes files for their owner alone; results are for everybody, as far as the umask allows.
        mask = os.umask(0)
        os.umask(mask)
        partial.chmod(0o666 & ~mask)
        partial.replace(path)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written: {error.strerror}; choose another place") from error
    finally:
        partial.unlink(missing_ok=True)
