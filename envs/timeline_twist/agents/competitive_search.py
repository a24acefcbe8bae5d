"""Rollouts for the competitive game, compiled: the two likeliest places of each card, tried in the same worlds."""

from typing import Any

import numpy as np

from timeline_twist.agents.comparing import FIRST_LOOK, best_of, compare, settle
from timeline_twist.agents.competitive_imagine import competitive_imagine, competitive_prepare
from timeline_twist.agents.competitive_thumb import best_slot, competitive_choose, competitive_judge
from timeline_twist.competitive_batch import competitive_reward
from timeline_twist.compiled import compiled
from timeline_twist.engine import NO_CARD, RUNNING, competitive_step
from timeline_twist.observation import row_of
from timeline_twist.records import MAX_HAND

CANDIDATES = 2 * MAX_HAND
# A second place is tried if it is right with at least this chance.
WORTH_TRYING = np.float32(0.1)
# A playout is broken off, as a draw, after so many rounds: players who never err would go on for long.
LONGEST_PLAYOUT = 50


@compiled
def competitive_search_batch(
    games: Any, estimates: Any, sigmas: Any, cards: Any, views: Any, certain: int, keys: Any, scores: Any,
    worlds: Any, minds: Any, pools: Any, thinks: Any, candidates: Any, values: Any, actions: Any,
) -> None:  # fmt: skip
    """The best action in each game. `values[k, c]` is the mean reward of `candidates[k, c]`, NaN if not tried.

    `scores[candidate, world]` is memory, its second length the number of worlds; `worlds` is memory for two games.
    """
    view, think = views[0], thinks[0]
    for k in range(games.shape[0]):
        values[k] = np.nan
        # Whoever plays on later, a card has two places worth trying where an estimate leaves it open.
        competitive_judge(games[k], estimates[k], sigmas[k], view, 0, think)
        tried = choose_candidates(games[k], think, candidates[k])
        if tried & (tried - 1):
            competitive_prepare(games[k], view, pools[0])
            chosen = competitive_search(
                games, k, estimates[k], sigmas[k], cards, view, certain, tried, best_slot(games[k], think), keys[k],
                scores, worlds, minds[0], pools[0], think, candidates[k], values[k],
            )  # fmt: skip
        else:
            chosen = best_of(tried, values[k])
        actions[k] = candidates[k, chosen]


@compiled
def choose_candidates(game: Any, think: Any, candidates: Any) -> Any:
    """The actions to try, as a set of bits."""
    tried = 0
    for slot in range(MAX_HAND):
        candidates[slot] = candidates[MAX_HAND + slot] = -1
        if game.hands[game.turn, slot] != NO_CARD:
            first = slot * (game.catalogue_size + 1)
            candidates[slot] = first + think.place[slot]
            tried |= 1 << slot
            if think.next_worth[slot] >= WORTH_TRYING:
                candidates[MAX_HAND + slot] = first + think.second[slot]
                tried |= 1 << MAX_HAND + slot
    return tried


@compiled
def competitive_search(
    games: Any, k: int, estimates: Any, sigmas: Any, cards: Any, view: Any, certain: int, tried: int, usual: int,
    key: Any, scores: Any, worlds: Any, minds: Any, pool: Any, think: Any, candidates: Any, values: Any,
) -> Any:  # fmt: skip
    """Try the candidates of the set `tried`; give the best one, by preference `usual`, and all their values."""
    state = np.uint64(key)
    look = FIRST_LOOK
    for i in range(scores.shape[1]):
        worlds[0] = games[k]
        state = competitive_imagine(games[k], estimates, sigmas, cards, view, pool, state, worlds[0], minds)
        for c in range(CANDIDATES):
            if tried >> c & 1:
                worlds[1] = worlds[0]
                scores[c, i] = competitive_play_on(worlds[1], candidates[c], view, certain, minds, think)
        if i + 1 == look or i + 1 == scores.shape[1]:
            tried = compare(tried, scores, i + 1, values)
            look *= 2
            if tried & (tried - 1) == 0:
                break
    return settle(tried, scores, scores.shape[1], values, usual)


@compiled
def competitive_play_on(world: Any, action: int, view: Any, certain: int, minds: Any, think: Any) -> Any:
    """The reward of the player on turn if everybody plays by rule of thumb after an action."""
    seat = world.turn
    last_round = world.rounds + LONGEST_PLAYOUT
    competitive_step(world, action)
    while world.end == RUNNING and world.rounds < last_round:
        row = row_of(view, world.turn)
        competitive_step(
            world, competitive_choose(world, minds.estimates[row], minds.sigmas[row], view, certain, think)
        )
    return competitive_reward(world, seat)
