"""Rules of thumb for the competitive game, compiled: place the card that is most likely to be right.

`bayes` weighs every position of every card by its chances. `greedy` takes its estimates for the truth; of its cards it
places the one whose neighbours on the timeline are farthest away. Without any estimate both go by chances.
"""

from typing import Any

import numpy as np

from timeline_twist.agents.coop_thumb import CERTAIN, NOTHING, believe
from timeline_twist.compiled import compiled
from timeline_twist.engine import NO_CARD
from timeline_twist.observation import ONE_BIT as COPIES_BIT
from timeline_twist.records import MAX_HAND


@compiled
def competitive_choose(game: Any, estimates: Any, sigmas: Any, view: Any, certain: int, think: Any) -> Any:
    """The best action by rule of thumb for the player on turn, who believes `estimates` and `sigmas` of each card."""
    competitive_judge(game, estimates, sigmas, view, certain, think)
    slot = best_slot(game, think)
    return slot * (game.catalogue_size + 1) + think.place[slot]


@compiled
def best_slot(game: Any, think: Any) -> Any:
    """The card that is most likely right at its best place."""
    best = -1
    for slot in range(MAX_HAND):
        if game.hands[game.turn, slot] != NO_CARD and (best < 0 or better(slot, best, think)):
            best = slot
    return best


@compiled
def better(slot: int, best: int, think: Any) -> Any:
    if think.worth[slot] == think.worth[best]:
        return think.room[slot] > think.room[best]
    return think.worth[slot] > think.worth[best]


@compiled
def competitive_choose_batch(
    games: Any, estimates: Any, sigmas: Any, views: Any, certain: int, thinks: Any, actions: Any
) -> None:
    for k in range(games.shape[0]):
        actions[k] = competitive_choose(games[k], estimates[k], sigmas[k], views[0], certain, thinks[0])


@compiled
def competitive_judge(game: Any, estimates: Any, sigmas: Any, view: Any, certain: int, think: Any) -> None:
    """Of each card of the hand: its best position, the chance that it is right there, and the room around it."""
    count_unseen(game, view, think)
    for slot in range(MAX_HAND):
        card = game.hands[game.turn, slot]
        if card != NO_CARD:
            believe_card(game, slot, card, estimates, sigmas, view, certain, think)
            find_places(game, slot, view, think)


@compiled
def count_unseen(game: Any, view: Any, think: Any) -> None:
    """Cards that have not been public, by position."""
    for t in range(view.times):
        think.available[t] = np.float32(view.copies[t] >> COPIES_BIT)
    for card in range(game.catalogue_size):
        if game.seen[card]:
            think.available[game.time[card]] -= CERTAIN


@compiled
def believe_card(
    game: Any, slot: int, card: int, estimates: Any, sigmas: Any, view: Any, certain: int, think: Any
) -> None:
    estimate, sigma = estimates[card], sigmas[card]
    if game.seen[card]:
        # Flipped in a rollout, and back from the discards: what was believed before no longer counts.
        estimate, sigma = np.float32(game.time[card]), NOTHING
    first, last = believe(estimate, sigma, view, certain, think, think.weights[slot])
    total = NOTHING
    for t in range(first, last + 1):
        think.reach[t] = total
        total += think.weights[slot, t]
    think.reach[last + 1] = total
    think.first[slot], think.last[slot] = first, last


@compiled
def find_places(game: Any, slot: int, view: Any, think: Any) -> None:
    """The two likeliest places of a card, into `think.place` and `think.second`."""
    first, last = think.first[slot], think.last[slot]
    think.worth[slot], think.next_worth[slot] = NOTHING, NOTHING
    think.place[slot] = think.second[slot] = 0
    think.room[slot] = 0
    left: Any = 0
    for place in range(game.timeline_count + 1):
        right = game.time[game.timeline[place]] if place < game.timeline_count else np.int16(view.times - 1)
        # A card of equal time may lie on either side: both neighbours' own positions count.
        low, high = min(max(left, first), last + 1), min(max(right + 1, first), last + 1)
        chance = min(think.reach[high] - think.reach[low], CERTAIN)
        if chance > think.worth[slot]:
            think.second[slot], think.next_worth[slot] = think.place[slot], think.worth[slot]
            think.place[slot], think.worth[slot] = place, chance
            before = left if place > 0 else np.int16(-view.times)
            after = right if place < game.timeline_count else np.int16(2 * view.times)
            think.room[slot] = min(first - before, after - last)
        elif chance > think.next_worth[slot]:
            think.second[slot], think.next_worth[slot] = place, chance
        left = right
