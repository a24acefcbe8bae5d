"""Compile a function with Numba, and keep the machine code on disk between runs.

Numba's own cache looks only at the file a function stands in: when a function it calls from *another* file
changes, the cached caller silently keeps the old rule. Here the cache folder is named after a hash of every
source file of the package that holds compiled functions, so that any change starts a fresh one.

`NUMBA_CACHE_DIR` moves the cache, `NUMBA_DISABLE_JIT=1` runs everything interpreted.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent


def compiled(function: F) -> F:
    """Decorate a function whose body Numba can compile; it runs without the GIL."""
    numba_wide = numba.config.CACHE_DIR
    # Numba reads this setting while it decorates: set for our functions only, other users of Numba keep theirs.
    numba.config.CACHE_DIR = str(CACHE)
    try:
        dispatcher: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        numba.config.CACHE_DIR = numba_wide
    return dispatcher


def source_key(folder: Path) -> str:
    """A short hash of all files below `folder` that hold compiled functions."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        if b"@compiled" in source:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + source)
    return digest.hexdigest()[:16]


def first_writable(folders: Iterable[Path]) -> Path:
    """The first of `folders` that exists or can be made, and can be written to."""
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    # Nothing is writable: every process gets a folder of its own and compiles for itself.
    return Path(tempfile.mkdtemp(prefix="timeline-twist-"))


def cache_folder() -> Path:
    """Where machine code of exactly these sources is kept."""
    if numba.config.CACHE_DIR:
        homes = [Path(numba.config.CACHE_DIR)]
    else:
        user_cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        homes = [PACKAGE / "__pycache__", user_cache / "timeline-twist"]
    key = f"compiled-{source_key(PACKAGE)}"
    return first_writable(home / key for home in homes)


class Announcer(event.Listener):  # type: ignore[misc]  # mypy does not look into Numba
    """Says once per process why the first call takes seconds."""

    def __init__(self) -> None:
        self.silent = False

    def on_start(self, event: event.Event) -> None:
        if self.silent or not event.data["dispatcher"].py_func.__module__.startswith("timeline_twist."):
            return
        self.silent = True
        print("timeline_twist: compiling the rules; this takes some seconds, once for this version", file=sys.stderr)

    def on_end(self, event: event.Event) -> None:
        """Nothing to say: the work goes on."""


CACHE = cache_folder()
event.register("numba:compile", Announcer())
