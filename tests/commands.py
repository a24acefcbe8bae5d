"""The command line in this process, with what is typed given as text: quicker than a process for every call."""

import io
import sys
from dataclasses import dataclass

import pytest

from timeline_twist import cli


@dataclass
class Done:
    code: int
    out: str
    err: str


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: object, typed: str = ""
) -> Done:
    """Run `timeline-twist` with these arguments; `typed` is what comes from standard input."""
    monkeypatch.setattr(sys, "argv", ["timeline-twist", *map(str, arguments)])
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr()
    # Whichever test comes first compiles, and is told so.
    errors = [line for line in told.err.splitlines(keepends=True) if "timeline_twist: compiling" not in line]
    return Done(int(ended.value.code or 0), told.out, "".join(errors))
