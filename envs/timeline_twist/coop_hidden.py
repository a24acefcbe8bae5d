"""What nobody at the table sees of a co-op game, for critics that judge a game while an agent learns, compiled.

A critic that knows the cards to come tells luck from skill: what the draw pile gives depends on no action. Agents never
get any of this. One flat float32 vector for the player on turn (T: positions of the catalogue, I: icons, P: players):

| part | shape | what |
|---|---|---|
| pile | `T` | cards of the draw pile at each position; the next one counts 1, the last one almost 0 |
| next | `8 x (2 + 2I)` | the next cards of the pile: present, position as in observations, front icon, back icon |
| visible | `(4P+1) x (1 + I)` | the visible cards, in the order of the observation: true position, back icon |
"""

from typing import Any

import numpy as np

from timeline_twist.compiled import compiled
from timeline_twist.coop_observation import see_cards
from timeline_twist.observation import row_of, share, visible_places
from timeline_twist.records import MAX_DECK, MAX_HAND

NEXT_CARDS = 8


def hidden_size(players: int, times: int, icons: int) -> int:
    """The length of the vector."""
    return times + NEXT_CARDS * (2 + 2 * icons) + (MAX_HAND * players + 1) * (1 + icons)


@compiled
def coop_write_hidden(games: Any, estimates: Any, views: Any, works: Any, out: Any) -> None:
    """Row i of `out` becomes what is hidden in game i."""
    view, work = views[0], works[0]
    for i in range(games.shape[0]):
        out[i] = 0
        write_pile(games[i], view, out[i])
        write_visible(games[i], estimates[i], view, work, out[i])


@compiled
def write_pile(game: Any, view: Any, out: Any) -> None:
    icons = view.icons
    for card in range(game.drawn, game.deck_size):
        out[game.time[card]] += np.float32(MAX_DECK - (card - game.drawn)) / np.float32(MAX_DECK)
    at = np.int64(view.times)
    for card in range(game.drawn, min(game.drawn + NEXT_CARDS, game.deck_size)):
        out[at] = 1
        out[at + 1] = share(game.time[card], view)
        out[at + 2 + game.front[card]] = 1
        out[at + 2 + icons + game.back[card]] = 1
        at += 2 + 2 * icons


@compiled
def write_visible(game: Any, estimates: Any, view: Any, work: Any, out: Any) -> None:
    see_cards(game, game.turn, estimates, row_of(view, game.turn), view, work)
    at = view.times + NEXT_CARDS * (2 + 2 * view.icons)
    for j in range(visible_places(game)):
        if work.present[j] > 0:
            out[at] = share(game.time[work.card[j]], view)
            out[at + 1 + game.back[work.card[j]]] = 1
        at += 1 + view.icons
