"""Rollouts for the co-op game, compiled: each action is tried in many worlds that the player may be in.

All actions are tried in the same worlds (timeline_twist.agents.comparing).
"""

from typing import Any

import numpy as np

from timeline_twist.agents.comparing import FIRST_LOOK, best_of, compare, settle
from timeline_twist.agents.coop_imagine import coop_imagine, coop_prepare
from timeline_twist.agents.coop_thumb import CERTAIN, best_by_worth, coop_choose, coop_judge
from timeline_twist.compiled import compiled
from timeline_twist.engine import ANY_PLAY, COOP_ACTIONS, RUNNING, coop_score, coop_step
from timeline_twist.observation import row_of
from timeline_twist.records import MAX_HAND


@compiled
def coop_search_batch(
    games: Any, estimates: Any, sigmas: Any, cards: Any, views: Any, weights: Any, certain: int, keys: Any,
    scores: Any, worlds: Any, minds: Any, pools: Any, thinks: Any, values: Any, actions: Any,
) -> None:  # fmt: skip
    """The best action in each game; `values[k, action]` is its mean final score, NaN where it was not tried.

    `scores[action, world]` is memory, its second length the number of worlds; `worlds` is memory for two games.
    """
    view, think = views[0], thinks[0]
    for k in range(games.shape[0]):
        values[k] = np.nan
        tried = worth_trying(games[k], estimates[k], sigmas[k], view, weights, think)
        if tried & (tried - 1):
            coop_prepare(games[k], cards, view, pools[0])
            actions[k] = coop_search(
                games, k, estimates[k], sigmas[k], cards, view, weights, certain, tried, best_by_worth(games[k], think),
                keys[k], scores, worlds, minds[0], pools[0], think, values[k],
            )  # fmt: skip
        else:
            actions[k] = best_of(tried, values[k])


@compiled
def coop_search(
    games: Any, k: int, estimates: Any, sigmas: Any, cards: Any, view: Any, weights: Any, certain: int, tried: int,
    usual: int, key: Any, scores: Any, worlds: Any, minds: Any, pool: Any, think: Any, values: Any,
) -> Any:  # fmt: skip
    """Try the actions of the set `tried`; give the best one, by preference `usual`, and all their values."""
    state = np.uint64(key)
    look = FIRST_LOOK
    for i in range(scores.shape[1]):
        worlds[0] = games[k]
        state = coop_imagine(games[k], estimates, sigmas, cards, view, pool, state, worlds[0], minds)
        for action in range(COOP_ACTIONS):
            if tried >> action & 1:
                worlds[1] = worlds[0]
                scores[action, i] = coop_play_on(worlds[1], action, view, weights, certain, minds, think)
        if i + 1 == look or i + 1 == scores.shape[1]:
            tried = compare(tried, scores, i + 1, values)
            look *= 2
            if tried & (tried - 1) == 0:
                break
    return settle(tried, scores, scores.shape[1], values, usual)


@compiled
def coop_play_on(world: Any, action: int, view: Any, weights: Any, certain: int, minds: Any, think: Any) -> Any:
    """The final score if everybody plays by rule of thumb after an action."""
    coop_step(world, action)
    while world.end == RUNNING:
        row = row_of(view, world.turn)
        choice = coop_choose(world, minds.estimates[row], minds.sigmas[row], view, weights, certain, think)
        coop_step(world, choice)
    return coop_score(world)


@compiled
def worth_trying(game: Any, estimates: Any, sigmas: Any, view: Any, weights: Any, think: Any) -> Any:
    """The legal actions, without plays that are known to fail unless nothing else is legal.

    A failed play places nothing, and the flipped card has fewer uses than before. Whoever plays on later, an estimate
    alone is not knowledge.
    """
    coop_judge(game, estimates, sigmas, view, weights, 0, think)
    hopeless = 0
    for slot in range(MAX_HAND):
        if game.legal & ANY_PLAY & 1 << slot and think.stuck[slot] >= CERTAIN:
            hopeless |= 1 << slot
    remaining = game.legal & ~hopeless
    return remaining if remaining else game.legal
