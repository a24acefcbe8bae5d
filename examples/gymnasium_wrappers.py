"""Gymnasium's own wrappers around one game: statistics, a limit of steps, a video.

    pip install 'timeline-twist[render]' moviepy
    python examples/gymnasium_wrappers.py videos

Watch out for:

- Wrappers hide what is not in Gymnasium's interface: the mask is in `info["action_mask"]` after `reset` and `step`,
  or `env.unwrapped.action_masks()`.
- An illegal action is a step too (reward 0, `info["illegal_action"]`): an agent that never looks at the mask stays
  where it is for ever, which `TimeLimit` ends. A limit below some 60 steps cuts off games of two players.
- `RecordVideo` takes a picture for every step, two of them for a second (`render_fps`); it needs
  `render_mode="rgb_array"` and moviepy. It writes the file when the game is over, or at `close()`.
"""

import sys
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo, TimeLimit

import timeline_twist  # noqa: F401  (makes the ids known)

STEPS = 80


def main(folder: Path) -> None:
    env = gymnasium.make("timeline_twist/Coop-v0", players=2, knowledge="expert", render_mode="rgb_array")
    env = RecordVideo(
        RecordEpisodeStatistics(TimeLimit(env, STEPS)), str(folder), episode_trigger=lambda game: game == 0
    )
    rng = np.random.default_rng(0)
    for game in range(3):
        _, info = env.reset(seed=game)
        over = False
        while not over:
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            _, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        print(f"game {game}: score {info['score']}, return {info['episode']['r']:.0f}, {info['episode']['l']} steps")
    env.close()
    print(*(path.name for path in sorted(folder.glob("*.mp4"))))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "videos"))
