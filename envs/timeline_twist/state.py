"""The whole hidden state of a game as one vector, for centralised critics; what `state()` of the environments gives.

| section | co-op shape | competitive shape | what |
|---|---|---|---|
| `cards` | `D x (9 + P + 2I)` | `N x (8 + P)` | every card: co-op in draw order, competitive in the catalogue's |
| `estimates` | `R x D` | `R x N` | what the seats go by; R = 1 where all know the same, otherwise one row per seat |
| `players` | `P x 1` | `P x 3` | is on turn; competitive also: still in, finished in this round |
| `game` | `4 + I` | `2` | co-op: phase (3), running, the icon to match; competitive: share of the rounds, tie-break |

Columns of a card: time (0 to 1); where it is: main row or timeline, gap row (co-op), discards, hand, draw pile; its
place in the draw pile (0 the top); stuck (co-op) or seen (competitive); whose hand (P); slot; front and back icon
(co-op, I each). D cards are in a co-op deck, N in the catalogue; P players; I icons.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist import engine
from timeline_twist.tables import Coop, Table

Floats = npt.NDArray[np.float32]
LOWEST, HIGHEST = -1.0, 2.0


def state_vector(table: Table, game: Any, estimates: Floats) -> Floats:
    """Everything there is to know about a game; `estimates` are what its seats go by, [row, card]."""
    times = table.catalogue.positions
    cards = coop_cards(table, game, times) if isinstance(table, Coop) else competitive_cards(table, game, times)
    beliefs = np.clip((estimates + 0.5) / times, LOWEST, HIGHEST)
    parts = [cards, beliefs, *situation(table, game)]
    return np.concatenate([np.ravel(part) for part in parts]).astype(np.float32)


def state_size(table: Table, rows: int) -> int:
    players = table.players
    if isinstance(table, Coop):
        icons = len(table.catalogue.icons)
        return table.deck_size * (9 + players + 2 * icons + rows) + players + 4 + icons
    return table.cards_in_game * (8 + players + rows) + 3 * players + 2


def coop_cards(table: Table, game: Any, times: int) -> Floats:
    deck, icons = game.deck_size, len(table.catalogue.icons)
    on_main = game.time[game.main[: game.main_count]]
    ties = game.ties[: game.tie_count]
    in_main_row = np.isin(game.time[ties], on_main)
    where = np.zeros((deck, 5))
    gaps = game.gap[: game.main_count]
    where[[*game.main[: game.main_count], *ties[in_main_row]], 0] = 1
    where[[*gaps[gaps >= 0], *ties[~in_main_row]], 1] = 1
    where[game.discards[: game.discard_count], 2] = 1
    where[game.drawn :, 4] = 1
    in_pile = np.maximum(np.arange(deck) - game.drawn, 0) / deck
    owner = held(table, game.hands, deck)
    slot, stuck = slots(table, game, deck)
    where[:, 3] = owner.any(axis=1)
    front, back = np.eye(icons)[game.front[:deck]], np.eye(icons)[game.back[:deck]]
    time = (game.time[:deck] + 0.5) / times
    return np.column_stack([time, where, in_pile, stuck, owner, slot, front, back]).astype(np.float32)


def held(table: Table, hands: Any, cards: int) -> npt.NDArray[np.float64]:
    """[card, seat]: 1 where the seat holds it."""
    owner = np.zeros((cards, table.players))
    for seat in range(table.players):
        hand = hands[seat]
        owner[hand[hand >= 0], seat] = 1
    return owner


def slots(table: Table, game: Any, cards: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Of every card its slot, 1/4 to 1, and whether it is stuck (co-op); 0 if it is in no hand."""
    slot, stuck = np.zeros(cards), np.zeros(cards)
    for seat in range(table.players):
        for place, card in enumerate(game.hands[seat]):
            if card != engine.NO_CARD:
                slot[card] = (place + 1) / 4
                stuck[card] = game.stuck[seat, place] if isinstance(table, Coop) else 0
    return slot, stuck


def competitive_cards(table: Table, game: Any, times: int) -> Floats:
    cards = table.cards_in_game
    where = np.zeros((cards, 4))
    pile = game.pile[game.pile_start : game.pile_end]
    owner = held(table, game.hands, cards)
    where[game.timeline[: game.timeline_count], 0] = 1
    where[game.discards[: game.discard_count], 1] = 1
    where[:, 2] = owner.any(axis=1)
    where[pile, 3] = 1
    in_pile = np.zeros(cards)
    in_pile[pile] = np.arange(len(pile)) / cards
    time = (game.time[:cards] + 0.5) / times
    slot, _ = slots(table, game, cards)
    columns = [time, where, in_pile, game.seen[:cards], owner, slot]
    return np.column_stack(columns).astype(np.float32)


def situation(table: Table, game: Any) -> list[Any]:
    running = game.end == engine.RUNNING
    turn = np.zeros(table.players)
    turn[game.turn] = running
    if isinstance(table, Coop):
        phase = np.zeros(3)
        phase[game.phase] = running
        open_icon = np.zeros(len(table.catalogue.icons))
        open_icon[game.back[game.discards[game.discard_count - 1]]] = 1
        return [turn, phase, [running], open_icon]
    active, finished = game.active[: table.players], game.finished[: table.players]
    return [np.column_stack([turn, active, finished]), [game.rounds / game.max_rounds, game.tie_break]]
