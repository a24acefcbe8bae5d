"""Batches of competitive games, compiled. `which` picks games of the batch: players wait for each other, games do
not."""

from typing import Any

from timeline_twist.competitive_observation import (
    competitive_observe,
    competitive_order,
    competitive_presented_mask,
    competitive_table_action,
)
from timeline_twist.compiled import compiled
from timeline_twist.engine import DRAW, RUNNING, WON, competitive_deal, competitive_step, seed_of_next
from timeline_twist.knowledge import draw_estimates
from timeline_twist.observation import row_of


@compiled
def competitive_step_some(
    games: Any, estimates: Any, which: Any, actions: Any, views: Any, works: Any, legal: Any
) -> None:
    """Carry out `actions[k]` in game `which[k]`; `legal[k]` tells whether it was. An illegal one changes nothing."""
    view, work = views[0], works[0]
    for k in range(which.shape[0]):
        game = games[which[k]]
        competitive_order(game, game.turn, estimates[which[k]], row_of(view, game.turn), view, work)
        legal[k] = competitive_step(game, competitive_table_action(game, actions[k], work))


@compiled
def competitive_deal_next(games: Any, cards: Any, estimates: Any, which: Any, views: Any) -> None:
    """The games that follow these at the same table."""
    view = views[0]
    for k in range(which.shape[0]):
        game = games[which[k]]
        competitive_deal(game, cards, seed_of_next(game))
        draw_estimates(game, view.numbers, view, estimates[which[k]])


@compiled
def competitive_observe_some(
    games: Any, estimates: Any, which: Any, seats: Any, views: Any, works: Any, observations: Any, masks: Any
) -> None:
    """What seat `seats[k]` sees of game `which[k]`, into row k; only the player on turn has legal actions."""
    view, work = views[0], works[0]
    for k in range(which.shape[0]):
        game = games[which[k]]
        competitive_observe(game, seats[k], estimates[which[k]], view, observations[k], work)
        masks[k] = 0
        if seats[k] == game.turn:
            competitive_presented_mask(game, masks[k], work)


@compiled
def competitive_mask_some(games: Any, estimates: Any, which: Any, views: Any, works: Any, masks: Any) -> None:
    """The mask alone of the player on turn in game `which[k]`, into row k."""
    view, work = views[0], works[0]
    for k in range(which.shape[0]):
        game = games[which[k]]
        competitive_order(game, game.turn, estimates[which[k]], row_of(view, game.turn), view, work)
        competitive_presented_mask(game, masks[k], work)


@compiled
def competitive_reward(game: Any, seat: int) -> Any:
    """What a seat gets for a game: +1 for the winner, shared by those who draw; the others pay it; 0 otherwise."""
    if game.end == WON:
        return 1.0 if seat == game.winner else -1.0 / (game.players - 1)
    if game.end != DRAW:
        return 0.0
    drawing = 0
    for other in range(game.players):
        drawing += game.active[other]
    if drawing == game.players:
        return 0.0
    return 1.0 / drawing if game.active[seat] else -1.0 / (game.players - drawing)


@compiled
def competitive_rewards(games: Any, which: Any, seats: Any, rewards: Any) -> None:
    for k in range(which.shape[0]):
        game = games[which[k]]
        rewards[k] = competitive_reward(game, seats[which[k]]) if game.end != RUNNING else 0.0


@compiled
def competitive_draw_estimates(games: Any, estimates: Any, views: Any) -> None:
    """What the seats go by in newly dealt games."""
    for i in range(games.shape[0]):
        draw_estimates(games[i], views[0].numbers, views[0], estimates[i])


@compiled
def competitive_order_turn(games: Any, estimates: Any, i: int, views: Any, works: Any) -> None:
    """The presented order of the slots of the player on turn in game i, into the work record."""
    game = games[i]
    competitive_order(game, game.turn, estimates[i], row_of(views[0], game.turn), views[0], works[0])
