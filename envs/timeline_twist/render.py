"""The table as text and as a picture: what lies openly on a real table, and nothing hidden.

    print(ansi(table, game))
    frame = picture(table, game)            # uint8, (800, 1280, 3); needs pygame-ce
    window = Window()
    window.show(table, game, fps=4)
    window.close()

Text and picture are drawn from a `View`. It alone reads the record, and holds public things only: what is not in
the view cannot show. Pygame is imported where the first picture is drawn, so that this module costs nothing before.
"""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from timeline_twist.arrangement import HEIGHT, WIDTH
from timeline_twist.drawing import Painter, load_pygame, picture, picture_of
from timeline_twist.errors import SettingsError
from timeline_twist.public_view import Card, View, counted, view
from timeline_twist.tables import Table

if TYPE_CHECKING:
    import pygame

__all__ = ["Window", "ansi", "picture", "picture_of", "text_of"]


def ansi(table: Table, game: Any, show_pile_top: bool = True) -> str:
    """The table as plain text, low times first."""
    return text_of(view(table, game, show_pile_top))


def text_of(seen: View, positions: bool = False) -> str:
    """What is in a view as plain text; `positions` numbers the places where a card can be put (competitive)."""
    return "\n".join(_text_lines(seen, positions))


def _text_lines(seen: View, positions: bool) -> Iterator[str]:
    yield f"Timeline Twist · {seen.game} · {seen.headline} · {seen.details}"
    yield seen.status
    yield ""
    yield f"Timeline: {seen.row_note}"
    yield from _numbered_row(seen) if positions else _text_row(seen)
    yield ""
    yield f"Draw pile: {counted(seen.pile_size)}" + (
        f", next {_text_card(seen, seen.pile_top)}" if seen.pile_top else ""
    )
    wanted = "" if seen.open_icon is None else f", to match [{seen.icons[seen.open_icon]}]"
    yield f"Discard pile: {counted(len(seen.discards))}{wanted}" + (", top first" if len(seen.discards) > 1 else "")
    yield from (f"    {_text_card(seen, card)}" for card in reversed(seen.discards))
    for seat in seen.seats:
        yield ""
        yield f"{'>' if seat.lit else ' '} {seat.name}" + (f": {seat.note}" if seat.note else "")
        yield from (f"    {slot}  {_text_card(seen, card)}" for slot, card in enumerate(seat.hand))


def _text_row(seen: View) -> Iterator[str]:
    """One card a line, the gap row in a column of its own."""
    times = [str(card.time) for place in seen.row for card in (*place.cards, *(place.gap or ()))]
    width = max(map(len, times))
    for place in seen.row:
        for i, card in enumerate(place.cards):
            yield f"    {card.time:>{width}}  {_indent(seen, width)}{'= ' if i else ''}{card.title}"
        for i, card in enumerate(place.gap or ()):
            yield f"    {'':{width}}  {card.time:>{width}}  {'= ' if i else ''}{card.title}"


def _numbered_row(seen: View) -> Iterator[str]:
    """A timeline of single cards; the number before each is the position before it."""
    width = max(len(str(place.cards[0].time)) for place in seen.row)
    for position, place in enumerate(seen.row):
        yield f"  {position:>3} > {place.cards[0].time:>{width}}  {place.cards[0].title}"
    yield f"  {len(seen.row):>3} > {'':{width}}  (after the last card)"


def _indent(seen: View, width: int) -> str:
    return " " * (width + 2) if seen.gap_row else ""


def _text_card(seen: View, card: Card | None) -> str:
    if card is None:
        return "-"
    icon = "" if card.front is None else f" [{seen.icons[card.front]}]"
    if card.time is None:
        return f"{card.title}{icon}"
    back = "" if card.back is None else f", back [{seen.icons[card.back]}]"
    return f"{card.title}{icon}, {'STUCK, ' if card.stuck else ''}time {card.time}{back}"


class Window:
    """A window that shows a game. Once its user has closed it, it stays closed and `show` does nothing."""

    def __init__(self) -> None:
        self._opened = False
        self._dismissed = False

    def show(self, table: Table, game: Any, fps: float, show_pile_top: bool = True) -> None:
        """Draw the game, and let the picture stand so long that `fps` of them make a second; 0: do not wait."""
        until = time.monotonic() + (1 / fps if fps > 0 else 0)
        seen = view(table, game, show_pile_top)
        if self._dismissed:
            return
        pg = load_pygame("human")
        screen = self._screen(pg)
        screen.blit(Painter(pg, seen).paint(), (0, 0))
        pg.display.flip()
        self._look_for_events(pg)
        while self._opened and (wait := until - time.monotonic()) > 0:
            # In short naps, so that the window answers its user meanwhile.
            time.sleep(min(wait, 0.05))
            self._look_for_events(pg)

    def close(self) -> None:
        """Close the window, if it is open; the next `show` opens a new one."""
        if self._opened:
            pg = load_pygame("human")
            # Only what was opened here: pygame itself may serve others.
            pg.display.quit()
        self._opened = False

    def _screen(self, pg: Any) -> "pygame.Surface":
        """The window, opened anew if it was never open or somebody else has closed it."""
        screen: pygame.Surface | None = pg.display.get_surface() if pg.display.get_init() else None
        if screen is None or screen.get_size() != (WIDTH, HEIGHT):
            try:
                pg.display.init()
                screen = pg.display.set_mode((WIDTH, HEIGHT))
            except pg.error as error:
                raise SettingsError(
                    f"render_mode: 'human' cannot open a window ({error}); use 'rgb_array' or 'ansi'"
                ) from error
            pg.display.set_caption("Timeline Twist")
        self._opened = True
        return screen

    def _look_for_events(self, pg: Any) -> None:
        if any(event.type == pg.QUIT for event in pg.event.get()):
            self._dismissed = True
            self.close()
