"""What the players on turn know of their games: all that an agent ever gets.

`Seen` holds n games, each from the seat of its player on turn:

| field | shape | |
|---|---|---|
| `observations`, `masks` | `[n, size]`, `[n, actions]` | as in the environments (timeline_twist.coop_v0) |
| `games` | `[n]` records | the engine's records (timeline_twist.records) without what the seat cannot know |
| `estimates`, `sigmas` | `[n, cards]` | where each visible card of the record is believed to be, in positions |
| `keys` | `[n]` uint64 | random bits for this decision; they have nothing to do with the game's own seed |

In `games` every time that is not public is -1, and so is the back icon of every card that has not been flipped. Cards
of the draw pile below its visible top are entirely -1. Seeds and random states are 0. A visible card is known by its
estimate: sigma 0 means that its position is known for certain, infinity that nothing is known. Which card of the
catalogue it is stands nowhere: in co-op `card` is -1 until it is flipped, in competitive records, where a card is
its catalogue number, hidden cards have been given other numbers of cards that nobody has seen yet, the lowest first.

The functions of timeline_twist.engine work on such a record as far as they do not flip what is unknown.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.batch import Batch, CoopBatch, Floats, Indices, Masks
from timeline_twist.compiled import compiled
from timeline_twist.engine import GAMMA, NO_CARD, mix
from timeline_twist.knowledge import EXPERT, NOISY
from timeline_twist.observation import row_of
from timeline_twist.records import MAX_HAND
from timeline_twist.tables import Games, States

UNKNOWN = np.int8(-1)
NOTHING_KNOWN = np.float32(math.inf)
CHOICE_STREAM = np.uint64(int.from_bytes(b"TT-agent", "big"))


class Seen:
    """What the players on turn know of games `which` of a batch."""

    def __init__(self, batch: Batch, which: Indices, keys: States) -> None:
        self._batch, self._which = batch, which
        self.keys = keys
        self.table = batch.table
        self.view = batch.view  # settings, catalogue and sigmas for compiled code
        self.seats = batch.turns(which)

    def __len__(self) -> int:
        return len(self._which)

    @property
    def cards(self) -> npt.NDArray[np.record]:
        """The cards of the catalogue, which everybody knows: times as positions, pairs of icons."""
        return self.table.catalogue.cards

    @cached_property
    def _presented(self) -> tuple[Floats, Masks]:
        observations = np.empty((len(self), self._batch.layout.size), np.float32)
        masks = np.empty((len(self), self.table.actions), np.int8)
        self._batch.observe_some(self._which, self.seats, observations, masks)
        return observations, masks

    @property
    def observations(self) -> Floats:
        return self._presented[0]

    @property
    def masks(self) -> Masks:
        return self._presented[1]

    @cached_property
    def _known(self) -> tuple[Games, Floats, Floats]:
        games = self._batch.games[self._which]
        estimates = np.zeros((len(self), self.table.cards_in_game), np.float32)
        sigmas = np.full_like(estimates, NOTHING_KNOWN)
        hide = coop_hide_batch if isinstance(self._batch, CoopBatch) else competitive_hide_batch
        hide(games, self._batch.estimates[self._which], self.view, estimates, sigmas)
        return games, estimates, sigmas

    @property
    def games(self) -> Games:
        return self._known[0]

    @property
    def estimates(self) -> Floats:
        return self._known[1]

    @property
    def sigmas(self) -> Floats:
        return self._known[2]


def decision_keys(numbers: Indices, decision: int, seed: int) -> States:
    """Random bits for the games of these numbers, the same in any batch; neither the deal nor its seed is in them."""
    keys = np.zeros(len(numbers), np.uint64)
    draw_keys(numbers.astype(np.uint64), np.uint64(decision), np.uint64(seed), keys)
    return keys


@compiled
def draw_keys(numbers: Any, decision: Any, seed: Any, keys: Any) -> None:
    run = mix(np.uint64(seed) ^ CHOICE_STREAM)
    for k in range(numbers.shape[0]):
        game = mix(run + GAMMA * np.uint64(1 + numbers[k]))
        keys[k] = mix(game + GAMMA * np.uint64(1 + decision))


# --- co-op ------------------------------------------------------------------------------------------------------------


@compiled
def coop_hide_batch(games: Any, given: Any, views: Any, estimates: Any, sigmas: Any) -> None:
    """Leave in copies of records only what the players on turn know."""
    for k in range(games.shape[0]):
        coop_hide(games[k], given[k], views[0], estimates[k], sigmas[k])


@compiled
def coop_hide(game: Any, given: Any, view: Any, estimates: Any, sigmas: Any) -> None:
    """`given[row, card]` are the seats' estimates; `estimates` and `sigmas` become what the seat on turn knows."""
    row = row_of(view, game.turn)
    game.seed = game.rng = 0
    shown = game.drawn + 1 if view.show_pile_top and game.drawn < game.deck_size else np.int64(game.drawn)
    for card in range(game.deck_size):
        sigmas[card] = 0 if card < shown else NOTHING_KNOWN
        estimates[card] = game.time[card] if card < shown else np.float32(0)
        if card >= shown:
            coop_hide_reverse(game, card)
            game.front[card] = UNKNOWN
    for seat in range(game.players):
        for slot in range(MAX_HAND):
            card = game.hands[seat, slot]
            if card != NO_CARD and game.stuck[seat, slot] == 0:
                coop_believe(game, card, given, row, view, estimates, sigmas)
    if shown > game.drawn:
        coop_believe(game, game.drawn, given, row, view, estimates, sigmas)


@compiled
def coop_believe(game: Any, card: int, given: Any, row: int, view: Any, estimates: Any, sigmas: Any) -> None:
    """A visible card that has not been flipped."""
    estimates[card], sigmas[card] = belief(given[row, card], view.sigma[row, game.card[card]], view)
    coop_hide_reverse(game, card)


@compiled
def coop_hide_reverse(game: Any, card: int) -> None:
    game.time[card] = game.card[card] = UNKNOWN
    game.back[card] = UNKNOWN


@compiled
def belief(estimate: Any, sigma: Any, view: Any) -> Any:
    """Estimate and sigma of a hidden card that is visible."""
    if view.kind == EXPERT:
        return estimate, np.float32(0)
    if view.kind == NOISY:
        return estimate, sigma
    return np.float32(0), NOTHING_KNOWN


# --- competitive ------------------------------------------------------------------------------------------------------


@compiled
def competitive_hide_batch(games: Any, given: Any, views: Any, estimates: Any, sigmas: Any) -> None:
    """Leave in copies of records only what the players on turn know."""
    for k in range(games.shape[0]):
        competitive_hide(games[k], given[k], views[0], estimates[k], sigmas[k])


@compiled
def competitive_hide(game: Any, given: Any, view: Any, estimates: Any, sigmas: Any) -> None:
    row = row_of(view, game.turn)
    game.seed = game.rng = 0
    for card in range(game.catalogue_size):
        estimates[card] = game.time[card] if game.seen[card] else np.float32(0)
        sigmas[card] = 0 if game.seen[card] else NOTHING_KNOWN
        if not game.seen[card]:
            game.time[card] = UNKNOWN
    number = 0
    for seat in range(game.players):
        for slot in range(MAX_HAND):
            game.hands[seat, slot], number = competitive_rename(
                game, game.hands[seat, slot], number, given, row, view, estimates, sigmas
            )
    first = game.pile_start
    if view.show_pile_top and first < game.pile_end:
        game.pile[first], number = competitive_rename(
            game, game.pile[first], number, given, row, view, estimates, sigmas
        )
        first += 1
    for i in range(first, game.catalogue_size):
        game.pile[i] = UNKNOWN
    for i in range(game.pile_start):
        game.pile[i] = UNKNOWN


@compiled
def competitive_rename(
    game: Any, card: Any, number: int, given: Any, row: int, view: Any, estimates: Any, sigmas: Any
) -> Any:
    """Give a hidden card the next number of one that nobody has seen; its own would tell its time."""
    if card == NO_CARD or game.seen[card]:
        return card, number
    while game.seen[number]:
        number += 1
    estimates[number], sigmas[number] = belief(given[row, card], view.sigma[row, card], view)
    return np.int16(number), number + 1
