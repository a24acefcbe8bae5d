"""Every example runs in the environment of its library, and says what it should (`make test-clients`)."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

# What the last lines of each must look like, and how many videos it leaves.
SAYS = {
    "gymnasium_wrappers": (r"game 0: score -?\d+, return \d+, \d+ steps\n(.*\n)*rl-video-episode-0\.mp4\n$", 1),
    "gymnasium_vector_wrappers": (r"^\d{3,} games, mean return \d+\.\d\d, mean length \d+\.\d; observations within", 0),
    "pettingzoo_video": (r"score -?\d+: rl-video-episode-0\.mp4\n$", 1),
    "torchrl_rollout": (r"co-op: .*legal: True, return \d+\ncompetitive: .*legal: True, return", 0),
    "tianshou_collect": (r"8 games, \d+ steps, mean return of each player \[[\d.]+, [\d.]+\]\nlegal: True\n$", 0),
    "rllib_pettingzoo": (r"update 1: \d{4} steps, mean return \d+\.\d\d, mean length \d+\.\d\n$", 0),
}


def test_no_example_is_forgotten() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_example(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", tmp_path / "videos"],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    says, videos = SAYS[name]
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(says, done.stdout), done.stdout
    files = list((tmp_path / "videos").glob("*.mp4"))
    assert len(files) == videos and all(path.stat().st_size > 1000 for path in files)


@pytest.mark.parametrize("name", SAYS)
def test_what_to_watch_out_for_stands_beside_it(name: str) -> None:
    assert "Watch out for:\n\n- " in (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
