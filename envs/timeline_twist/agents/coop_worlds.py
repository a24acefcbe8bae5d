"""Many worlds that players of co-op games may be in, at once: for searches that play them on in batches, compiled."""

from typing import Any

import numpy as np

from timeline_twist.agents.coop_imagine import coop_imagine, coop_prepare
from timeline_twist.compiled import compiled


@compiled
def coop_imagine_batch(
    games: Any, estimates: Any, sigmas: Any, cards: Any, views: Any, keys: Any,
    pools: Any, minds: Any, worlds: Any, believed: Any,
) -> None:  # fmt: skip
    """`worlds[k, i]` becomes the i-th world of game k, `believed[k, i]` what the seats believe there.

    `keys` are moved on, so that a further call imagines further worlds.
    """
    view = views[0]
    for k in range(games.shape[0]):
        coop_prepare(games[k], cards, view, pools[0])
        state = np.uint64(keys[k])
        for i in range(worlds.shape[1]):
            worlds[k, i] = games[k]
            state = coop_imagine(
                games[k], estimates[k], sigmas[k], cards, view, pools[0], state, worlds[k, i], minds[0]
            )
            for row in range(believed.shape[2]):
                for card in range(believed.shape[3]):
                    believed[k, i, row, card] = minds[0].estimates[row, card]
        keys[k] = state
