"""Files that commands write: they appear whole or not at all, and what cannot be written is refused early."""

import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from timeline_twist.errors import SettingsError

# A list of numbers and words over several lines. Line breaks are never inside of strings, so none is changed.
ITEM = r'\n *(?:[^\s\[\]{}",]+|"[^\s"\\]*")'
PLAIN_LIST = re.compile(rf"\[{ITEM}(?:,{ITEM})*\n *\]")


def check_writable(name: str, path: Path) -> None:
    """Raise an error now, not after the work, if a file cannot be written there; `name` is the option that asks."""
    if not path.parent.is_dir():
        raise SettingsError(f"{name}: the folder {path.parent} does not exist; make it first")
    if path.is_dir():
        raise SettingsError(f"{name}: {path} is a folder; give the name of a file")
    check_can_hold_files(name, path.parent)


def check_can_hold_files(name: str, folder: Path) -> None:
    # Tried, not asked: permissions do not tell of file systems that take no files.
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise SettingsError(f"{name}: the folder {folder} cannot be written to; choose another") from error


def check_can_be_made(name: str, folder: Path) -> None:
    """Raise an error now if a folder neither is there to be written to nor can be made; it is not made."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise SettingsError(f"{name}: the folder {folder} cannot be made: {there} is a file; choose another")
    check_can_hold_files(name, there)


def make_folder(name: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"{name}: the folder {folder} cannot be made: {error.strerror}; choose another") from error


def write_whole(path: Path, content: bytes) -> None:
    write_with(path, lambda partial: partial.write_bytes(content))


def write_text(path: Path, text: str) -> None:
    write_whole(path, text.encode())


def write_json(path: Path, content: Any) -> None:
    """Mappings with a line for each item, lists of plain values on one line: thousands of scores would fill a book."""
    text = json.dumps(content, indent=1, allow_nan=False)
    write_text(path, PLAIN_LIST.sub(lambda found: " ".join(found[0].split()), text) + "\n")


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
