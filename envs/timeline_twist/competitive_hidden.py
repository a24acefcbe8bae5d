"""What a seat does not see of a competitive game, for critics that judge a game while an agent learns, compiled.

A critic that knows the cards to come tells luck from skill (see timeline_twist.coop_hidden). Agents never get any of
this. One flat float32 vector for one seat of each game (P: players):

- visible, `(4P+1) x 2`: the visible cards in the order of the observation: true position; whether it would be right now
  where its owner's estimate says (the top of the pile: where this seat's does).
- next, `4 x 2`: the cards of the pile after the top one: present, true position.
"""

from typing import Any

from timeline_twist.competitive_observation import see_cards
from timeline_twist.compiled import compiled
from timeline_twist.engine import NO_CARD
from timeline_twist.observation import row_of, share, visible_places
from timeline_twist.records import MAX_HAND

NEXT_CARDS = 4


def competitive_hidden_size(players: int) -> int:
    """The length of the vector."""
    return 2 * (MAX_HAND * players + 1) + 2 * NEXT_CARDS


@compiled
def competitive_write_hidden(games: Any, estimates: Any, seats: Any, views: Any, works: Any, out: Any) -> None:
    """Row i of `out` becomes what is hidden from seat `seats[i]` in game i."""
    view, work = views[0], works[0]
    for i in range(games.shape[0]):
        out[i] = 0
        write_visible(games[i], seats[i], estimates[i], view, work, out[i])
        write_next(games[i], view, out[i])


@compiled
def write_visible(game: Any, seat: int, estimates: Any, view: Any, work: Any, out: Any) -> None:
    see_cards(game, seat, estimates, row_of(view, seat), view, work)
    for j in range(visible_places(game)):
        card = work.cards[j]
        if card != NO_CARD:
            away = j // MAX_HAND if j < MAX_HAND * game.players else 0
            owner = seat + away if seat + away < game.players else seat + away - game.players
            estimate = estimates[row_of(view, owner), card]
            out[2 * j] = share(game.time[card], view)
            out[2 * j + 1] = 1 if game.seen[card] else is_right(game, game.time[card], estimate)


@compiled
def is_right(game: Any, time: int, estimate: float) -> Any:
    """Whether a card of this time belongs into the gap of the timeline that its estimate lies in."""
    for i in range(game.timeline_count):
        edge = game.time[game.timeline[i]]
        if (edge < estimate and edge > time) or (edge > estimate and edge < time):
            return 0
    return 1


@compiled
def write_next(game: Any, view: Any, out: Any) -> None:
    at = 2 * visible_places(game)
    for i in range(game.pile_start + 1, min(game.pile_start + 1 + NEXT_CARDS, game.pile_end)):
        out[at] = 1
        out[at + 1] = share(game.time[game.pile[i]], view)
        at += 2
