"""Batches of co-op games, compiled: deal, step and observe thousands of games in one call."""

from typing import Any

from timeline_twist.compiled import compiled
from timeline_twist.coop_observation import (
    coop_observe,
    coop_order,
    coop_presented_mask,
    coop_table_action,
)
from timeline_twist.engine import RUNNING, coop_deal, coop_score, coop_step, seed_of_next
from timeline_twist.knowledge import draw_estimates
from timeline_twist.observation import NEXT_STEP, SAME_STEP, row_of


@compiled
def coop_step_batch(
    games: Any,
    estimates: Any,
    actions: Any,
    cards: Any,
    views: Any,
    works: Any,
    observations: Any,
    masks: Any,
    final_observations: Any,
    outcomes: Any,
    autoreset: int,
) -> None:
    """Carry out one action in every game, and observe whoever is on turn then.

    An illegal action leaves its game as it is. Where a game ends, `autoreset` says whether the next one is dealt at
    once (the last observation of the old one goes to `final_observations`), in the next step (whose action is
    ignored), or never.
    """
    view, work = views[0], works[0]
    for i in range(games.shape[0]):
        game, outcome = games[i], outcomes[i]
        if game.end != RUNNING and autoreset == NEXT_STEP:
            deal_next(game, cards, estimates[i], view)
            start_episode(game, outcome)
        else:
            take_action(game, estimates[i], view, actions[i], outcome, work)
            if outcome.end != RUNNING and autoreset == SAME_STEP:
                observe_turn(game, estimates[i], view, final_observations[i], masks[i], work)
                deal_next(game, cards, estimates[i], view)
                outcome.score = coop_score(game)
        observe_turn(game, estimates[i], view, observations[i], masks[i], work)


@compiled
def take_action(game: Any, estimates: Any, view: Any, action: int, outcome: Any, work: Any) -> None:
    coop_order(game, game.turn, estimates, row_of(view, game.turn), view, work)
    before = coop_score(game)
    legal = coop_step(game, coop_table_action(action, work))
    after = coop_score(game)
    ended = legal and game.end != RUNNING
    outcome.illegal = not legal
    outcome.terminated = ended
    outcome.score = after
    if view.final_reward:
        outcome.reward = after if ended else 0
    else:
        outcome.reward = after - before
    outcome.episode_return += outcome.reward
    outcome.episode_length += 1
    outcome.end = game.end if ended else RUNNING
    if ended:
        outcome.final_score = after
        outcome.final_return = outcome.episode_return
        outcome.final_length = outcome.episode_length
        outcome.episode_return = 0
        outcome.episode_length = 0


@compiled
def start_episode(game: Any, outcome: Any) -> None:
    outcome.reward = outcome.episode_return = 0
    outcome.episode_length = 0
    outcome.score = coop_score(game)
    outcome.end = outcome.terminated = outcome.truncated = outcome.illegal = 0


@compiled
def deal_next(game: Any, cards: Any, estimates: Any, view: Any) -> None:
    """The game that follows this one at the same table."""
    coop_deal(game, cards, seed_of_next(game))
    draw_estimates(game, game.card, view, estimates)


@compiled
def observe_turn(game: Any, estimates: Any, view: Any, observation: Any, mask: Any, work: Any) -> None:
    """Observation and mask of the player on turn."""
    coop_observe(game, game.turn, estimates, view, observation, work)
    coop_presented_mask(game, mask, work)


@compiled
def coop_draw_estimates(games: Any, estimates: Any, views: Any) -> None:
    """What the seats go by in newly dealt games."""
    for i in range(games.shape[0]):
        draw_estimates(games[i], games[i].card, views[0], estimates[i])


@compiled
def coop_observe_seat(
    games: Any, estimates: Any, i: int, seat: int, views: Any, works: Any, observation: Any, mask: Any
) -> None:
    """What a seat of game i sees; only the player on turn has legal actions."""
    game = games[i]
    coop_observe(game, seat, estimates[i], views[0], observation, works[0])
    mask[:] = 0
    if seat == game.turn:
        coop_presented_mask(game, mask, works[0])


@compiled
def coop_observe_turns(games: Any, estimates: Any, views: Any, works: Any, observations: Any, masks: Any) -> None:
    """What the players on turn see."""
    for i in range(games.shape[0]):
        observe_turn(games[i], estimates[i], views[0], observations[i], masks[i], works[0])


@compiled
def coop_step_some(games: Any, estimates: Any, which: Any, actions: Any, views: Any, works: Any, legal: Any) -> None:
    """Carry out `actions[k]` in game `which[k]`; `legal[k]` tells whether it was. An illegal one changes nothing."""
    view, work = views[0], works[0]
    for k in range(which.shape[0]):
        game = games[which[k]]
        coop_order(game, game.turn, estimates[which[k]], row_of(view, game.turn), view, work)
        legal[k] = coop_step(game, coop_table_action(actions[k], work))


@compiled
def coop_observe_some(
    games: Any, estimates: Any, which: Any, seats: Any, views: Any, works: Any, observations: Any, masks: Any
) -> None:
    """What seat `seats[k]` sees of game `which[k]`, into row k; only the player on turn has legal actions."""
    for k in range(which.shape[0]):
        coop_observe_seat(games, estimates, which[k], seats[k], views, works, observations[k], masks[k])


@compiled
def coop_order_turn(games: Any, estimates: Any, i: int, views: Any, works: Any) -> None:
    """The presented order of the slots of the player on turn in game i, into the work record."""
    game = games[i]
    coop_order(game, game.turn, estimates[i], row_of(views[0], game.turn), views[0], works[0])
