"""Random play, compiled: the yardstick of speed, and the simplest of all players.

One call advances every game of a batch step by step: fill the mask, choose one of the legal actions, carry it out,
deal anew where a game has ended. Each game has a random state of its own for the choices. It may be the game's seed:
the choices come from another stream than the deal.
"""

from typing import Any

from timeline_twist.compiled import compiled
from timeline_twist.engine import (
    COOP_ACTIONS,
    MOVE_STREAM,
    NO_CARD,
    RUNNING,
    below,
    competitive_deal,
    competitive_mask,
    competitive_step,
    coop_deal,
    coop_mask,
    coop_step,
    seed_of_next,
)


@compiled
def coop_batch(games: Any, cards: Any, masks: Any, steps: int, choices: Any) -> Any:
    """`steps` times one random legal action in every game, a new deal wherever one ends; give the games ended."""
    ended = 0
    for _ in range(steps):
        for i in range(games.shape[0]):
            game = games[i]
            if game.end == RUNNING:
                action, choices[i] = coop_action(game, masks[i], choices[i])
                coop_step(game, action)
            if game.end != RUNNING:
                ended += 1
                coop_deal(game, cards, seed_of_next(game))
    return ended


@compiled
def coop_action(game: Any, mask: Any, state: Any) -> Any:
    """Fill the mask, choose one of the legal actions, give it and the new state of the generator."""
    wanted, state = below(state ^ MOVE_STREAM, coop_mask(game, mask))
    action = legal_so_far = 0
    # Counting instead of leaving the loop at the right place: the processor cannot foresee where that is.
    for candidate in range(COOP_ACTIONS):
        legal_so_far += mask[candidate]
        action += legal_so_far <= wanted
    return action, state ^ MOVE_STREAM


@compiled
def competitive_batch(games: Any, cards: Any, masks: Any, steps: int, choices: Any) -> Any:
    """`steps` times one random legal action in every game, a new deal wherever one ends; give the games ended."""
    ended = 0
    for _ in range(steps):
        for i in range(games.shape[0]):
            game = games[i]
            if game.end == RUNNING:
                action, choices[i] = competitive_action(game, masks[i], choices[i])
                competitive_step(game, action)
            if game.end != RUNNING:
                ended += 1
                competitive_deal(game, cards, seed_of_next(game))
    return ended


@compiled
def competitive_action(game: Any, mask: Any, state: Any) -> Any:
    """Fill the mask, choose one of the legal actions, give it and the new state of the generator."""
    wanted, state = below(state ^ MOVE_STREAM, competitive_mask(game, mask))
    open_places = game.timeline_count + 1
    slot = 0
    while game.hands[game.turn, slot] == NO_CARD or wanted >= open_places:
        if game.hands[game.turn, slot] != NO_CARD:
            wanted -= open_places
        slot += 1
    return slot * (game.catalogue_size + 1) + wanted, state ^ MOVE_STREAM
