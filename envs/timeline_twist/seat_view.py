"""The table as one seat knows it, for text and pictures: the public view, with what the seat believes of hidden cards.

    print(render.text_of(seat_view(batch, 0)))

| knowledge | a hidden card is shown as |
|---|---|
| `expert` | its title and time |
| `noisy` | `about 32 (28..37)`: the estimate and one sigma to each side, as times of the catalogue |
| `faces` | its title |
| `blind` | `a card` |

Under `noisy` and `blind` the title would tell which card it is, and so stays away until the card is flipped, as in
timeline_twist.text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from timeline_twist.batch import Batch, CoopBatch
from timeline_twist.drawing import short_time_words
from timeline_twist.knowledge import BLIND, EXPERT, FACES
from timeline_twist.public_view import Card, Seat, View, printable, view
from timeline_twist.tables import whole_number


def seat_view(batch: Batch, seat: int) -> View:
    """What a seat of game 0 knows of its table."""
    batch.check_dealt()
    seat = whole_number("seat", seat, 0, batch.table.players - 1)
    game = batch.games[0]
    seen = view(batch.table, game, batch.show_pile_top)
    top = seen.pile_top
    if top is not None:
        top = believed(batch, seat, top, top_of_pile(game))
    return replace(seen, seats=tuple(hands(batch, seat, seen)), pile_top=top)


def spectator_view(batch: Batch) -> View:
    """What lies openly on the table of game 0: every face, and no time before it is flipped."""
    batch.check_dealt()
    return view(batch.table, batch.games[0], batch.show_pile_top)


def top_of_pile(game: Any) -> int:
    return int(game["drawn"] if "drawn" in game.dtype.names else game["pile"][game["pile_start"]])


def hands(batch: Batch, seat: int, seen: View) -> Iterator[Seat]:
    for owner, shown in enumerate(seen.seats):
        cards = batch.games[0]["hands"][owner].tolist()
        hand = [card and believed(batch, seat, card, cards[slot]) for slot, card in enumerate(shown.hand)]
        yield replace(shown, hand=tuple(hand))


def believed(batch: Batch, seat: int, shown: Card, card: int) -> Card:
    """A card in the words of what the seat knows; `card` is its number in the record."""
    if shown.time is not None:
        return shown
    return replace(shown, title=belief_words(batch, seat, card))


def belief_words(batch: Batch, seat: int, card: int) -> str:
    """What a seat knows of a card that has not been flipped."""
    knowledge, catalogue = batch.knowledge, batch.table.catalogue
    number = int(batch.games[0]["card"][card]) if isinstance(batch, CoopBatch) else card
    if knowledge.kind == BLIND:
        return "a card"
    if knowledge.kind in (EXPERT, FACES):
        title = printable(catalogue.titles[number])
        return title if knowledge.kind == FACES else f"{title} (time {catalogue.times[number]})"
    row = knowledge.row_of(seat)
    estimate, sigma = float(batch.estimates[0][row, card]), float(knowledge.sigma[row, number])
    moments = Moments(batch)
    if sigma == 0:
        return f"time {moments.at(estimate)}"
    return f"about {moments.at(estimate)} ({moments.at(estimate - sigma)}..{moments.at(estimate + sigma)})"


class Moments:
    """Positions as times of the catalogue: people think in years, not in places among the different ones."""

    def __init__(self, batch: Batch) -> None:
        self.times = [float(time) for time in sorted(set(batch.table.catalogue.times))]

    def at(self, position: float) -> str:
        """The time at a position, between two of them in proportion; beyond the ends it is the last one."""
        moment = float(np.interp(position, range(len(self.times)), self.times))
        # A belief is no better than three digits, and shorter so.
        coarse = round(moment) if abs(moment) < 10_000 else int(float(f"{moment:.3g}"))
        return short_time_words(coarse).replace(" ", "")


def named(seen: View, names: Sequence[str], last: int | None = None) -> View:
    """The view with the players' names; the hand of seat `last` comes last, nearest to whoever reads text."""
    seats = [replace(seat, name=name) for seat, name in zip(seen.seats, names, strict=True)]
    if last is not None:
        seats = [*seats[last + 1 :], *seats[: last + 1]]
    return replace(seen, seats=tuple(seats))
