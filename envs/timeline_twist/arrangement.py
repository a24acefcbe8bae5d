"""Where things lie in the picture of a table."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from timeline_twist.public_view import Place

WIDTH, HEIGHT = 1280, 800


class Box(NamedTuple):
    """A rectangle of whole pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    def inset(self, x: int, y: int) -> "Box":
        return Box(self.x + x, self.y + y, self.width - 2 * x, self.height - 2 * y)

    def below(self, used: int) -> "Box":
        """What is left under the uppermost pixels."""
        return Box(self.x, self.y + used, self.width, self.height - used)


MARGIN = 16
BAR = 64
SIDEBAR = 232
CAPTION = 24
SPACE = 6  # between two cards
LINES_APART = 12

BIGGEST_CARD = (132, 150)
SMALLEST_CARD = (58, 28)


class Layout(NamedTuple):
    """The picture's parts; they depend on the table alone, so that nothing jumps during a game."""

    sidebar: Box
    timeline: Box
    seats: list[Box]


def layout(players: int, gap_row: bool) -> Layout:
    columns = {1: 1, 2: 2, 3: 3, 4: 2}.get(players, 3)
    lines = math.ceil(players / columns)
    # Without icons a card needs less room, and the timeline more of it.
    height = (196 if gap_row else 168) if lines == 1 else (152 if gap_row else 124)
    width = (WIDTH - MARGIN * (columns + 1)) // columns
    top = HEIGHT - lines * (height + MARGIN)
    seats = [
        Box(MARGIN + i % columns * (width + MARGIN), top + i // columns * (height + MARGIN), width, height)
        for i in range(players)
    ]
    middle = top - BAR - MARGIN
    left = 2 * MARGIN + SIDEBAR
    return Layout(Box(MARGIN, BAR, SIDEBAR, middle), Box(left, BAR, WIDTH - left - MARGIN, middle), seats)


class Row(NamedTuple):
    """Where the cards of a timeline lie: `main[i]`, and `gap[i]` above it and half a card to the right."""

    main: list[Box]
    gap: list[Box]


def row_layout(count: int, area: Box, gap_row: bool) -> Row:
    """As many lines as give the largest cards; each line is read from left to right."""
    rows = 2 if gap_row else 1
    lines = max(range(1, count + 1), key=lambda lines: _readability(*_card_size(count, lines, area, rows)))
    width, height = _card_size(count, lines, area, rows)
    per_line = math.ceil(count / lines)
    lines = math.ceil(count / per_line)
    pitch, line = width + SPACE, rows * (height + SPACE)
    # The last gap slot of a line hangs over its end by half a card.
    used = per_line * pitch + (pitch // 2 if gap_row and lines > 1 else 0)
    # A gap row belongs to the main row below it: the one above stands farther off.
    apart = LINES_APART if gap_row else 0
    left = area.x + (area.width - used) // 2
    top = area.y + (area.height - lines * (line + apart) + apart) // 2
    main = [
        Box(left + i % per_line * pitch + SPACE // 2, top + i // per_line * (line + apart), width, height)
        for i in range(count)
    ]
    gap = [box._replace(x=box.x + pitch // 2) for box in main]
    return Row([box._replace(y=box.y + (rows - 1) * (height + SPACE)) for box in main], gap)


def _readability(width: int, height: int) -> float:
    """How much of a title fits; width counts for more than lines, because long words need it."""
    lines = (height - 16) // 11  # the stripe with the time takes 16
    return width**2 * max(lines, 0.1)


def _card_size(count: int, lines: int, area: Box, rows: int) -> tuple[int, int]:
    """The size of cards that fill so many lines, neither too flat nor too tall; 0 where nothing fits."""
    per_line = math.ceil(count / lines)
    overhang = 0.5 if rows > 1 and lines > 1 else 0
    width = int(area.width / (per_line + overhang)) - SPACE
    height = (area.height - (lines - 1) * (rows - 1) * LINES_APART) // (lines * rows) - SPACE
    width, height = min(width, BIGGEST_CARD[0]), min(height, BIGGEST_CARD[1])
    if width <= 0 or height <= 0:
        return 0, 0
    return min(width, int(2.1 * height)), min(height, int(1.2 * width))


def elided(row: Sequence[Place], area: Box, gap_row: bool) -> list[Place | int]:
    """The row, or its two ends and between them the number of places for which there is no room."""
    columns = area.width // (SMALLEST_CARD[0] + SPACE)
    line = 2 * (SMALLEST_CARD[1] + SPACE) + LINES_APART if gap_row else SMALLEST_CARD[1] + SPACE
    lines = area.height // line
    room = columns * lines
    if len(row) <= room:
        return list(row)
    head = (room - 1) // 2
    tail = room - 1 - head
    return [*row[:head], len(row) - head - tail, *row[len(row) - tail :]]
