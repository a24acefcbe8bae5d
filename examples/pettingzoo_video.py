"""PettingZoo's RecordVideo (PettingZoo 1.26 and newer) around a game of several players.

    pip install 'timeline-twist[render]' moviepy
    python examples/pettingzoo_video.py videos

Watch out for:

- It takes a picture after every step, the empty steps of players in a finished game included: the last picture stands
  for as many frames as there are players.
- `clone()` and `unwrapped` reach through it; `env.state()`, `env.layout` and the other additions are at
  `env.unwrapped`.
- Older versions of PettingZoo have no such wrapper; `timeline-twist watch --gif` needs none.
"""

import sys
from pathlib import Path

import numpy as np
from pettingzoo.utils.wrappers.record_video import RecordVideo

from timeline_twist import coop_v0


def main(folder: Path) -> None:
    env = RecordVideo(coop_v0.env(knowledge="expert", render_mode="rgb_array"), str(folder), lambda game: game == 0)
    env.reset(seed=5)
    rng = np.random.default_rng(0)
    info = {}
    for _agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        over = terminated or truncated
        env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    env.close()
    print(f"score {info['score']}:", *(path.name for path in sorted(folder.glob("*.mp4"))))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "videos"))
