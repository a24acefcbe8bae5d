"""Slow, plain answers for small co-op games: every legal action is tried, nothing is left out, nothing is guessed."""

import copy
from collections.abc import Iterator

from reference import Coop


def with_hindsight(game: Coop, known: dict[str, int] | None = None) -> int:
    """The highest final score that can be reached from here when all cards are known."""
    if game.end_reason is not None:
        return game.score()
    known = {} if known is None else known
    key = repr((game.seat, game.phase, game.hands, game.stuck, game.main, game.gap, game.discards, game.pile))
    if key not in known:
        known[key] = max(with_hindsight(following, known) for following in successors(game))
    return known[key]


def successors(game: Coop) -> Iterator[Coop]:
    """What each legal action leads to."""
    for action, legal in enumerate(game.mask()):
        if legal:
            yield after(game, action)


def after(game: Coop, action: int) -> Coop:
    """What an action leads to; the game itself stays as it is."""
    following = copy.copy(game)
    following.hands = [list(hand) for hand in game.hands]
    following.stuck = [list(flags) for flags in game.stuck]
    following.main, following.gap = [list(cards) for cards in game.main], [list(cards) for cards in game.gap]
    following.discards, following.pile = list(game.discards), list(game.pile)
    following.step(action)
    return following
