"""Which code made a result: a hash of the modules that play games, without their comments and documentation.

A module's data (weights.json beside weights.py) counts with it.

Results are kept (scores with hindsight in the user's cache, cells of the benchmark in the repository) and used again
as long as this hash stays the same. So a changed rule or agent never goes with old numbers, and a changed comment
costs nothing.
"""

import ast
import hashlib
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
NAME = PACKAGE.name
PLAYING = ("engine", "tables", "batch", "agents.playing", "coop_v0", "competitive_v0")


@cache
def code_hash(*modules: str) -> str:
    """A hash of these modules of the package and of all that they import from it."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found and path_of(module).is_file():
            found.add(module)
            waiting += imports(module)
    digest = hashlib.sha256()
    for module in sorted(found):
        digest.update(f"{module}\n{dumped(module)}\n".encode())
        data = path_of(module).with_suffix(".json")
        digest.update(data.read_bytes() if data.is_file() else b"")
    return digest.hexdigest()[:16]


def agent_code(agent: Any) -> str:
    """The hash for an agent's play; code from outside the package counts by its version alone."""
    module = type(agent).__module__
    own = [module.removeprefix(f"{NAME}.")] if module.startswith(f"{NAME}.") else []
    return code_hash(*PLAYING, *own)


def path_of(module: str) -> Path:
    return PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


@cache
def bare(module: str) -> ast.Module:
    """The module's syntax tree without docstrings."""
    tree = ast.parse(path_of(module).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return tree


@cache
def dumped(module: str) -> str:
    return ast.dump(bare(module))


def imports(module: str) -> list[str]:
    """What a module may import from the package; names that are no modules are sorted out by their missing files."""
    names: list[str] = []
    for node in ast.walk(bare(module)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == NAME:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name.startswith(f"{NAME}.")]
    return [name.removeprefix(f"{NAME}.") for name in names if name != NAME]


def folder_hash(folder: Path) -> str:
    """A hash of all files of a folder: a trained agent is no more than that."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def git_state() -> tuple[str | None, bool | None]:
    """The commit of the checkout this package lies in, and whether the package differs from it; None elsewhere.

    Asked once: what has been imported does not change when the files do.
    """
    top = git("rev-parse", "--show-toplevel")
    # An installed package may lie inside somebody's repository, whose commit says nothing about it.
    if top is None or PACKAGE.parents[1].resolve() != Path(top).resolve():
        return None, None
    # Only the code counts: a benchmark writes its own pages while it goes on.
    commit, changes = git("rev-parse", "HEAD"), git("status", "--porcelain", "--untracked-files=no", "--", ".")
    return commit, None if changes is None else bool(changes)


def git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603  (all arguments are ours)
            ["git", "-C", str(PACKAGE), *arguments],  # noqa: S607  (whichever git the user has)
            capture_output=True,
            text=True,
            check=True,
            timeout=20,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
