"""Compile a function with Numba, and keep the machine code on disk between runs.

Two traps of Numba's own cache are avoided here by the name of the cache folder:

- It looks only at the file a function stands in: when a function it calls from *another* file changes, the cached
  caller silently keeps the old rule. The name holds a hash of every source file with compiled functions.
- It names a record type in its symbols by a number, given in order of first appearance in the process. Processes that
  meet the records in another order would take each other's machine code for that of another record. All records are
  therefore numbered here, before anything is compiled, and the folder's name holds their numbers.

`NUMBA_CACHE_DIR` moves the cache, `NUMBA_DISABLE_JIT=1` runs everything interpreted.
"""

import atexit
import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event

from timeline_twist import records

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent

# Kept, so that Numba does not forget their numbers.
RECORD_TYPES = [numba.from_dtype(dtype) for dtype in records.ALL]


def compiled(function: F) -> F:
    """Decorate a function whose body Numba can compile; it runs without the GIL."""
    if numba.config.DISABLE_JIT:
        # The generator's 64-bit arithmetic wraps around, as it should; NumPy would warn each time.
        interpreted: F = np.errstate(over="ignore")(function)
        return interpreted
    numba_wide = numba.config.CACHE_DIR
    # Numba reads this setting while it decorates: set for our functions only, other users of Numba keep theirs.
    numba.config.CACHE_DIR = str(CACHE)
    try:
        dispatcher: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = numba_wide
    return dispatcher


def source_key(folder: Path) -> str:
    """A short hash of all files below `folder` that compiled code depends on."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        if b"@compiled" in source or path.name == "records.py":
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + source)
    return digest.hexdigest()[:16]


def cache_folder() -> Path | None:
    """Where machine code of exactly these sources and record numbers is kept; None if nothing is writable."""
    numbers = "-".join(str(record._code) for record in RECORD_TYPES)
    key = f"compiled-{source_key(PACKAGE)}-{numbers}"
    return first_writable(home / key for home in cache_homes())


def cache_homes() -> list[Path]:
    """Folders that may hold the cache, best first."""
    if numba.config.CACHE_DIR:
        return [Path(numba.config.CACHE_DIR)]
    homes = []
    # In containers an account may have no home.
    with contextlib.suppress(RuntimeError):
        homes.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "timeline-twist")
    return [*homes, PACKAGE / "__pycache__"]


def first_writable(folders: Iterable[Path]) -> Path | None:
    """The first of `folders` that exists or can be made, and can be written to; None if there is none."""
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    return None


def own_folder() -> Path:
    """A folder for this process only."""
    folder = Path(tempfile.mkdtemp(prefix="timeline-twist-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Announcer(event.Listener):  # type: ignore[misc]  # mypy does not look into Numba
    """Says once per process why the first call takes seconds."""

    def __init__(self) -> None:
        self.silent = False

    def on_start(self, event: event.Event) -> None:
        if self.silent or not event.data["dispatcher"].py_func.__module__.startswith("timeline_twist."):
            return
        self.silent = True
        how_often = "once for each mode" if KEPT else "at every start: no cache folder is writable, set NUMBA_CACHE_DIR"
        print(f"timeline_twist: compiling; this takes some seconds, {how_often}", file=sys.stderr)

    def on_end(self, event: event.Event) -> None:
        """Nothing to say: the work goes on."""


KEPT = cache_folder()
CACHE = KEPT or own_folder()
event.register("numba:compile", Announcer())
