"""Gymnasium's vector wrappers around thousands of games.

    python examples/gymnasium_vector_wrappers.py

Watch out for:

- The vector environments tell `infos["episode"]` themselves; Gymnasium's `RecordEpisodeStatistics` wants that key for
  itself: give `episode_statistics=False` where it is used. Before Gymnasium 1.4 it miscounts with same-step
  autoreset, the default here.
- `NormalizeObservation` needs `autoreset_mode="NextStep"` or `"Disabled"`: with same-step the last observation of a
  game is not among those it sees. Masks are not normalised, they are in `infos`.
- `NormalizeReward` and `TransformReward` change what is learned, not `infos["score"]`.
- With `"NextStep"` the step after an end deals anew and ignores its action: leave it out of what you learn from.
"""

import gymnasium
import numpy as np
from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics, TransformReward

import timeline_twist  # noqa: F401  (makes the ids known)

GAMES, STEPS = 256, 100


def main() -> None:
    envs = gymnasium.make_vec(
        "timeline_twist/Coop-v0",
        GAMES,
        vectorization_mode="vector_entry_point",
        autoreset_mode="NextStep",
        episode_statistics=False,
        knowledge="expert",
    )
    statistics = RecordEpisodeStatistics(envs, buffer_length=10_000)
    wrapped = TransformReward(NormalizeObservation(statistics), lambda rewards: rewards / 10)
    observations, infos = wrapped.reset(seed=0)
    for _ in range(STEPS):
        # The first legal action. In a game that is over none is legal, and any number will do.
        observations, _, _, _, infos = wrapped.step(infos["action_mask"].argmax(axis=1))
    ended = len(statistics.return_queue)
    spread = float(np.abs(observations).max())
    print(f"{ended} games, mean return {np.mean(statistics.return_queue):.2f}, mean length", end=" ")
    print(f"{np.mean(statistics.length_queue):.1f}; observations within {spread:.1f} standard deviations")


if __name__ == "__main__":
    main()
