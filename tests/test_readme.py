"""The code in README.md runs and prints what it says it prints."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_there_is_an_example() -> None:
    assert BLOCKS


@pytest.mark.parametrize("code", BLOCKS)
def test_the_example_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102  (the README is ours)
    printed = capsys.readouterr().out.splitlines()
    promised = re.findall(r"^print\(.*# (.*)$", code, flags=re.MULTILINE)
    assert promised and printed == promised
