"""Tables laid by hand: cards are given by their times, and lie where the test wants them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from timeline_twist import Competitive, engine, records
from timeline_twist.catalogue import Catalogue

PLAY, DISCARD, END_TURN = engine.PLAY, engine.DISCARD, engine.END_TURN


def catalogue_of(times: Sequence[int]) -> Catalogue:
    """Cards with these times; icons play no part."""
    count = len(times)
    titles = tuple(f"card {i}" for i in range(count))
    return Catalogue("handmade", "handmade.csv", titles, tuple(times), ("a",) * count, ("b",) * count, count + 1)


def coop(
    main: Sequence[int],
    hands: Sequence[Sequence[int]],
    *,
    gap: dict[int, int] | None = None,
    discards: Sequence[int] = (999,),
    pile: Sequence[int] = (),
    fronts: dict[int, int] | None = None,
    top_icon: int = 1,
    hand_size: int = 4,
) -> Any:
    """A co-op game in the middle: `gap` maps a slot (0 = after the first card of the main row) to a time.

    All front icons are 0 but those in `fronts` (by time); the back icon on top of the discards is `top_icon`.
    """
    gap = gap or {}
    laid = [time for hand in hands for time in hand] + [*main, *gap.values(), *discards]
    cards = [*laid, *pile]
    number = {time: i for i, time in enumerate(cards)}
    assert len(number) == len(cards), "give a card an equal time with same_time() afterwards"
    game = np.zeros(1, records.COOP)[0]
    game.players, game.hand_size, game.deck_size = len(hands), hand_size, len(cards)
    game.drawn = len(laid)
    for field in ("hands", "main", "gap", "ties", "discards"):
        game[field][...] = engine.NO_CARD
    game.time[: len(cards)] = cards
    game.card[: len(cards)] = range(len(cards))
    for seat, hand in enumerate(hands):
        game.hands[seat, : len(hand)] = [number[time] for time in hand]
    game.main[: len(main)] = [number[time] for time in main]
    for slot, time in gap.items():
        game.gap[slot] = number[time]
    game.discards[: len(discards)] = [number[time] for time in discards]
    game.main_count = game.main_cards = len(main)
    game.gap_cards, game.discard_count = len(gap), len(discards)
    for time, icon in (fronts or {}).items():
        game.front[number[time]] = icon
    game.back[number[discards[-1]]] = top_icon
    return ready(game)


def ready(game: Any) -> Any:
    """Find the legal actions again after the test has changed the table."""
    game.legal = engine.coop_legal_actions(game)
    return game


def same_time(game: Any, card: int, other: int) -> None:
    """Give the card with time `card` the time `other`."""
    game.time[game.time.tolist().index(card)] = other


def times(game: Any, cards: Any) -> list[int | None]:
    """The times of these cards, None for empty places."""
    return [None if card == engine.NO_CARD else int(game.time[card]) for card in cards]


def main_row(game: Any) -> list[int | None]:
    return times(game, game.main[: game.main_count])


def gap_row(game: Any) -> list[int | None]:
    return times(game, game.gap[: game.main_count - 1])


def hand(game: Any, seat: int) -> list[int | None]:
    return times(game, game.hands[seat])


def legal(game: Any) -> list[int]:
    """The legal co-op actions."""
    mask = np.zeros(engine.COOP_ACTIONS, np.int8)
    engine.coop_mask(game, mask)
    return np.flatnonzero(mask).tolist()


class Competition:
    """A competitive game dealt in a given order; a card's time is its number unless `times` says otherwise."""

    def __init__(
        self, order: Sequence[int], *, players: int, times: Sequence[int] | None = None, **settings: Any
    ) -> None:
        self.times = list(times or range(len(order)))
        self.table = Competitive(players, catalogue_of(self.times), **settings)
        self.game: Any = self.table.deal_order(order)[0]

    def place(self, card: int, *, right: bool = True) -> None:
        """The player on turn places this card at a right or a wrong position."""
        game = self.game
        slot = game.hands[game.turn].tolist().index(card)
        row = [self.times[other] for other in game.timeline[: game.timeline_count]]
        time = self.times[card]
        for position in range(len(row) + 1):
            fits = (position == 0 or row[position - 1] <= time) and (position == len(row) or time <= row[position])
            if fits == right:
                assert engine.competitive_step(game, slot * (len(self.times) + 1) + position)
                return
        raise AssertionError("no such position")

    def hand(self, seat: int) -> list[int]:
        return [card for card in self.game.hands[seat].tolist() if card != engine.NO_CARD]
