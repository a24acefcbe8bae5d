"""The picture of a table, drawn from a view with pygame, which is imported where the first picture is drawn."""

import colorsys
import itertools
import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from timeline_twist.arrangement import BAR, CAPTION, HEIGHT, MARGIN, SPACE, WIDTH, Box, elided, layout, row_layout
from timeline_twist.errors import SettingsError
from timeline_twist.public_view import Card, Seat, View, view
from timeline_twist.tables import Table

if TYPE_CHECKING:
    import pygame

Colour = tuple[int, int, int] | tuple[int, int, int, int]

TABLE_TOP: Colour = (38, 62, 70)
TABLE_BOTTOM: Colour = (24, 42, 50)
FELT: Colour = (255, 255, 255, 14)
LIT: Colour = (255, 236, 196, 34)
SLOT: Colour = (8, 20, 26, 70)
LINE: Colour = (255, 255, 255, 46)
PAPER: Colour = (251, 247, 238)
GAP_PAPER: Colour = (226, 236, 238)
STUCK_PAPER: Colour = (236, 220, 211)
EDGE: Colour = (216, 208, 192)
INK: Colour = (38, 46, 52)
BAND: Colour = (52, 86, 100)
STUCK_BAND: Colour = (166, 72, 58)
CHALK: Colour = (238, 240, 234)
FAINT: Colour = (160, 180, 184)
AMBER: Colour = (244, 186, 82)
WHITE: Colour = (255, 255, 255)

ICON_COLOURS: tuple[Colour, ...] = ((45, 108, 166), (196, 92, 48), (58, 134, 92), (164, 122, 22))
FINENESS = 3
SHARPNESS = 4  # shapes are drawn so many times larger and scaled down, which smooths their edges


def picture(table: Table, game: Any, show_pile_top: bool = True) -> npt.NDArray[np.uint8]:
    """The table as an array (HEIGHT, WIDTH, 3)."""
    return picture_of(view(table, game, show_pile_top))


def picture_of(seen: View) -> npt.NDArray[np.uint8]:
    """What is in a view as an array (HEIGHT, WIDTH, 3)."""
    pg = load_pygame("rgb_array")
    pixels = pg.image.tobytes(Painter(pg, seen).paint(), "RGB")
    return np.frombuffer(pixels, np.uint8).reshape(HEIGHT, WIDTH, 3).copy()


def load_pygame(render_mode: str) -> Any:
    # It greets on standard output otherwise, where the output of commands belongs.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
        import pygame.font
    except ImportError as error:
        raise SettingsError(
            f"render_mode: {render_mode!r} needs pygame-ce; pip install 'timeline-twist[render]'"
        ) from error
    pygame.font.init()
    return pygame


class _Font:
    """Pygame's own font. Letters are drawn larger and scaled down: at their size they would stand unevenly."""

    def __init__(self, pg: Any, size: int) -> None:
        self.pg = pg
        self.large: pygame.font.Font = pg.font.Font(None, size * FINENESS)
        self.step = math.ceil(self.large.get_height() / FINENESS * 0.92)  # from one line to the next
        self.widths: dict[str, int] = {}

    def width(self, words: str) -> int:
        if words not in self.widths:
            self.widths[words] = math.ceil(self.large.size(words)[0] / FINENESS)
        return self.widths[words]

    def render(self, words: str, colour: Colour) -> "pygame.Surface":
        large = self.large.render(words, True, colour)
        size = (self.width(words), math.ceil(large.get_height() / FINENESS))
        small: pygame.Surface = self.pg.transform.smoothscale(large, size)
        return small


class Painter:
    """Draws one view. Fonts are kept no longer than that: they die when somebody else quits pygame."""

    def __init__(self, pg: Any, seen: View) -> None:
        self.pg = pg
        self.seen = seen
        self.canvas: pygame.Surface = pg.Surface((WIDTH, HEIGHT))
        self.fonts: dict[int, _Font] = {}
        self.shapes: dict[Any, pygame.Surface] = {}

    def paint(self) -> "pygame.Surface":
        parts = layout(len(self.seen.seats), self.seen.gap_row)
        self.background()
        self.bar(Box(MARGIN, 0, WIDTH - 2 * MARGIN, BAR))
        self.sidebar(parts.sidebar)
        self.timeline(parts.timeline)
        for seat, box in zip(self.seen.seats, parts.seats, strict=True):
            self.seat(seat, box)
        return self.canvas

    # --- parts of the table ---

    def background(self) -> None:
        gradient = self.pg.Surface((1, 2))
        gradient.set_at((0, 0), TABLE_TOP)
        gradient.set_at((0, 1), TABLE_BOTTOM)
        self.put(self.pg.transform.smoothscale(gradient, (WIDTH, HEIGHT)), 0, 0)

    def bar(self, box: Box) -> None:
        third = box.width // 4
        left, right = Box(box.x, 0, third, BAR), Box(box.right - third, 0, third, BAR)
        middle = Box(left.right, 0, box.width - 2 * third, BAR)
        self.line("Timeline Twist", 30, CHALK, left.inset(0, 10)._replace(height=26), "left")
        self.line(self.seen.game, 20, FAINT, left.below(38)._replace(height=16), "left")
        size = next((size for size in range(28, 18, -1) if self.font(size).width(self.seen.status) <= middle.width), 18)
        self.line(self.seen.status, size, AMBER, middle, "centre")
        self.line(self.seen.headline, 30, CHALK, right.inset(0, 10)._replace(height=26), "right")
        self.line(self.seen.details, 20, FAINT, right.below(38)._replace(height=16), "right")

    def sidebar(self, box: Box) -> None:
        """Draw pile and discard pile side by side, below them the earlier discards."""
        self.put(self.rounded(box.size, 14, FELT), box.x, box.y)
        inner = box.inset(12, 8)
        width = (inner.width - 12) // 2
        height = 128 if self.seen.gap_row else 104
        pile = Box(inner.x, inner.y + CAPTION, width, height)
        discards = pile._replace(x=inner.right - width)
        self.line(f"pile {self.seen.pile_size}", 20, FAINT, pile._replace(y=inner.y, height=18), "left")
        self.line(f"discards {len(self.seen.discards)}", 20, FAINT, discards._replace(y=inner.y, height=18), "left")
        self.pile(self.seen.pile_top, self.seen.pile_size, pile)
        self.pile(self.seen.discards[-1] if self.seen.discards else None, len(self.seen.discards), discards)
        rest = inner.below(CAPTION + height + 12)
        if self.seen.open_icon is not None:
            badge = self.badge(self.seen.open_icon, 20)
            self.put(badge, rest.right - 20, rest.y)
            words = f"to match: {self.seen.icons[self.seen.open_icon]}"
            self.line(words, 20, CHALK, rest._replace(width=rest.width - 26, height=20), "right")
            rest = rest.below(28)
        self.earlier_discards(rest)

    def pile(self, top: Card | None, count: int, box: Box) -> None:
        """A pile with its top card; a pile of cards without a top one is not to be looked at."""
        if not count:
            self.put(self.rounded(box.size, 9, SLOT), box.x, box.y)
            self.line("empty", 20, FAINT, box, "centre")
            return
        self.card((top,) if top else (), box, PAPER, below=min(3, (count + 1) // 3))

    def earlier_discards(self, box: Box) -> None:
        """Titles and times of the discards below the top one, the latest first, as far as there is room."""
        cards = self.seen.discards[-2::-1]
        room = box.height // 17
        if not cards or room < 1:
            return
        shown = cards if len(cards) <= room else cards[: room - 1]
        for i, card in enumerate(shown):
            line = Box(box.x, box.y + 17 * i, box.width, 16)
            width = self.line(short_time_words(card.time), 18, AMBER, line._replace(width=70), "left")
            self.line(card.title, 18, CHALK, Box(line.x + width + 7, line.y, line.width - width - 7, 16), "left")
        if len(shown) < len(cards):
            line = Box(box.x, box.y + 17 * len(shown), box.width, 16)
            self.line(f"and {len(cards) - len(shown)} more", 18, FAINT, line, "left")

    def timeline(self, box: Box) -> None:
        self.put(self.rounded(box.size, 14, FELT), box.x, box.y)
        caption = Box(box.x + 14, box.y + 8, box.width - 28, 18)
        self.line("« earlier", 20, FAINT, caption, "left")
        self.line(self.seen.row_note, 20, FAINT, caption, "centre")
        self.line("later »", 20, FAINT, caption, "right")
        area = box.inset(12, 10).below(CAPTION - 4)
        places = elided(self.seen.row, area, self.seen.gap_row)
        row = row_layout(len(places), area, self.seen.gap_row)
        for y in sorted({box.y for box in row.main}):
            self.put(self.rounded((area.width, 4), 2, LINE), area.x, y + row.main[0].height // 2 - 2)
        for place, main, gap in zip(places, row.main, row.gap, strict=True):
            if isinstance(place, int):
                self.put(self.rounded(main.size, 9, BAND), main.x, main.y)
                self.paragraph(self.canvas, f"{place} more", (20, 16), CHALK, main.inset(3, 2))
                continue
            self.card(place.cards, main, PAPER, below=min(2, len(place.cards) - 1))
            if place.gap == ():
                self.put(self.rounded(gap.size, radius_of(gap.size), SLOT), gap.x, gap.y)
            elif place.gap:
                self.card(place.gap, gap, GAP_PAPER, below=min(2, len(place.gap) - 1))

    def seat(self, seat: Seat, box: Box) -> None:
        if seat.lit:
            self.put(self.rounded(box.size, 14, AMBER), box.x, box.y)
            inner = box.inset(3, 3)
            self.put(self.rounded(inner.size, 12, TABLE_TOP), inner.x, inner.y)
        self.put(self.rounded(box.size, 14, LIT if seat.lit else FELT), box.x, box.y)
        caption = Box(box.x + 14, box.y + 9, box.width - 28, 20)
        width = self.line(seat.name, 23, FAINT if seat.out else CHALK, caption, "left")
        words = caption._replace(x=caption.x + width + 10, width=caption.width - width - 10)
        self.line(seat.note, 20, AMBER if seat.lit else FAINT, words, "right")
        area = box.inset(12, 10).below(CAPTION)
        pitch = min((area.width + SPACE) // len(seat.hand), 190)
        left = area.x + (area.width + SPACE - pitch * len(seat.hand)) // 2
        for slot, card in enumerate(seat.hand):
            place = Box(left + slot * pitch, area.y, pitch - SPACE, area.height)
            if card is None:
                self.put(self.rounded(place.size, radius_of(place.size), SLOT), place.x, place.y)
            elif card.stuck:
                self.tilted(card, place)
            else:
                self.card((card,), place, PAPER)

    # --- cards ---

    def card(self, cards: tuple[Card, ...], box: Box, paper: Colour, below: int = 0) -> None:
        """A card that lies flat, on `below` others whose edges show."""
        self.put(self.shadow(box.size), box.x - 4, box.y - 2)
        size = (box.width - 2 * below, box.height - 2 * below)
        for layer in range(below, 0, -1):
            self.put(self.blank(size, paper), box.x + 2 * layer, box.y + 2 * layer)
        self.put(self.face(cards, size, paper), box.x, box.y)

    def blank(self, size: tuple[int, int], paper: Colour) -> "pygame.Surface":
        radius = radius_of(size)
        surface = self.rounded(size, radius, EDGE).copy()
        surface.blit(self.rounded((size[0] - 2, size[1] - 2), radius - 1, paper), (1, 1))
        return surface

    def tilted(self, card: Card, box: Box) -> None:
        """A stuck card lies turned, so much smaller that it stays within its place."""
        angle = math.radians(TILT)
        width = (box.width * math.cos(angle) - box.height * math.sin(angle)) / math.cos(2 * angle)
        height = (box.height * math.cos(angle) - box.width * math.sin(angle)) / math.cos(2 * angle)
        size = (int(width) - 1, int(height) - 1)
        # The shadow's clear rim keeps the turned edges smooth.
        flat = self.shadow(size).copy()
        flat.blit(self.face((card,), size, STUCK_PAPER), (4, 2))
        turned = self.pg.transform.rotozoom(flat, TILT, 1)
        x = box.x + (box.width - turned.get_width()) // 2
        self.put(turned, x, box.y + (box.height - turned.get_height()) // 2)

    def face(self, cards: tuple[Card, ...], size: tuple[int, int], paper: Colour) -> "pygame.Surface":
        """One card, or several that lie on each other and share their time; none: a card nobody looks at."""
        whole = Box(0, 0, *size)
        surface = self.blank(size, paper)
        if not cards:
            self.paragraph(surface, "?", (44,), EDGE, whole)
            return surface
        top = cards[-1]
        words = whole.inset(max(3, size[0] // 18), max(1, size[1] // 24))
        if top.time is not None:
            height = max(14, min(26, size[1] // 4))
            stripe = Box(0, size[1] - height, size[0], height)
            self.stripe(surface, top, stripe, radius_of(size))
            words = words._replace(height=size[1] - height - 2 * words.y)
        if top.front is not None and (top.time is None or top.stuck):
            diameter = max(16, min(34, size[1] // 4))
            surface.blit(self.badge(top.front, diameter), ((size[0] - diameter) // 2, words.y + 3))
            words = words.below(diameter + 5)
        self.titles(surface, [card.title for card in cards], words)
        return surface

    def stripe(self, surface: "pygame.Surface", card: Card, box: Box, radius: int) -> None:
        """The reverse of a flipped card: its time and its back icon."""
        colour = STUCK_BAND if card.stuck else BAND
        # The upper half of a taller shape is cut off, so that only the lower corners are round.
        shape = self.rounded((box.width, box.height + 2 * radius), radius, colour)
        surface.blit(shape, (box.x, box.y), (0, 2 * radius, box.width, box.height))
        words = box.inset(4, 0)
        if card.back is not None:
            diameter = box.height - 4
            surface.blit(self.badge(card.back, diameter), (box.right - diameter - 3, box.y + 2))
            words = words._replace(width=box.width - diameter - 10)
        font, text = self.fitting_time(card.time, words)
        rendered = font.render(text, WHITE)
        x = words.x + (words.width - rendered.get_width()) // 2
        surface.blit(rendered, (x, box.y + (box.height - rendered.get_height() + 1) // 2))

    def fitting_time(self, moment: int | None, box: Box) -> tuple["_Font", str]:
        """In full if that is readable, otherwise in short."""
        largest = min(30, box.height + 6)
        for text in (time_words(moment), short_time_words(moment)):
            for size in range(largest, 15, -2):
                if self.font(size).width(text) <= box.width:
                    return self.font(size), text
        return self.font(14), self.shortened(self.font(14), short_time_words(moment), box.width)

    def titles(self, surface: "pygame.Surface", titles: list[str], box: Box) -> None:
        """Titles below each other, with a line between two; those for which there is no room are counted."""
        room = max(1, box.height // 13)
        if len(titles) > room:
            titles = [*titles[: room - 1], f"… {len(titles) - room + 1} more"]
        height = box.height // len(titles)
        for i, title in enumerate(titles):
            part = Box(box.x, box.y + i * height, box.width, height - 1)
            self.paragraph(surface, title, range(min(24, 12 + box.width // 10), 13, -1), INK, part)
            if i and height > 15:
                self.pg.draw.line(surface, BAND, (part.x, part.y - 1), (part.right - 1, part.y - 1))

    # --- words ---

    def font(self, size: int) -> "_Font":
        if size not in self.fonts:
            self.fonts[size] = _Font(self.pg, size)
        return self.fonts[size]

    def line(self, words: str, size: int, colour: Colour, box: Box, align: str) -> int:
        """One line, in the middle of the box's height, shortened to its width; answer the width it takes."""
        font = self.font(size)
        rendered = font.render(self.shortened(font, words, box.width), colour)
        spare = box.width - rendered.get_width()
        x = box.x + {"left": 0, "centre": spare // 2, "right": spare}[align]
        self.put(rendered, x, box.y + (box.height - rendered.get_height()) // 2)
        return rendered.get_width()

    def paragraph(self, surface: "pygame.Surface", words: str, sizes: Sequence[int], colour: Colour, box: Box) -> None:
        """Wrapped and centred, in the largest of the sizes that fits."""
        font, lines = self.fitted(words, sizes, box)
        step = font.step
        y = box.y + (box.height - step * len(lines)) // 2
        for i, line in enumerate(lines):
            rendered = font.render(line, colour)
            # One pixel down: most letters have nothing below the line, and would seem to stand too high.
            top = y + i * step + (step - rendered.get_height()) // 2 + 1
            surface.blit(rendered, (box.x + (box.width - rendered.get_width()) // 2, top))

    def fitted(self, words: str, sizes: Sequence[int], box: Box) -> tuple["_Font", list[str]]:
        """The largest font in which all words fit unbroken; in the smallest they are broken and shortened."""
        for size in sizes:
            font = self.font(size)
            lines, whole = self.wrapped(font, words, box.width)
            if whole and len(lines) * font.step <= box.height:
                return font, lines
        room = max(1, box.height // font.step)
        if len(lines) > room:
            lines = [*lines[: room - 1], self.shortened(font, " ".join(lines[room - 1 :]), box.width)]
        return font, lines

    def wrapped(self, font: "_Font", words: str, width: int) -> tuple[list[str], bool]:
        """Lines no wider than that, and whether no word had to be broken."""
        lines = [""]
        whole = True
        for word in words.split():
            longer = f"{lines[-1]} {word}".lstrip()
            if font.width(longer) <= width:
                lines[-1] = longer
                continue
            if lines[-1]:
                lines.append("")
            while font.width(word) > width and len(word) > 1:
                whole = False
                fits = (n for n in range(len(word) - 1, 1, -1) if font.width(f"{word[:n]}-") <= width)
                length = next(fits, 1)
                lines[-1], word = f"{word[:length]}-", word[length:]
                lines.append("")
            lines[-1] = word
        return lines, whole

    def shortened(self, font: "_Font", words: str, width: int) -> str:
        if font.width(words) <= width:
            return words
        kept = words
        while kept and font.width(f"{kept}…") > width:
            kept = kept[:-1].rstrip()
        return f"{kept}…" if kept else ""

    # --- shapes ---

    def put(self, surface: "pygame.Surface", x: int, y: int) -> None:
        """Everything that comes onto the canvas comes through here."""
        self.canvas.blit(surface, (x, y))

    def clear(self, size: tuple[int, int], colour: Colour = WHITE) -> "pygame.Surface":
        surface: pygame.Surface = self.pg.Surface(size, self.pg.SRCALPHA)
        surface.fill((*colour[:3], 0))
        return surface

    def disc(self, diameter: int, colour: Colour) -> "pygame.Surface":
        key = ("disc", diameter, colour)
        if key not in self.shapes:
            large = self.clear((diameter * SHARPNESS, diameter * SHARPNESS), colour)
            self.pg.draw.ellipse(large, colour, large.get_rect())
            self.shapes[key] = self.pg.transform.smoothscale(large, (diameter, diameter))
        return self.shapes[key]

    def rounded(self, size: tuple[int, int], radius: int, colour: Colour) -> "pygame.Surface":
        """A rectangle with smooth round corners; do not draw on it."""
        key = ("rounded", size, radius, colour)
        if key not in self.shapes:
            width, height = size
            surface = self.clear(size, colour)
            surface.fill(colour, (radius, 0, width - 2 * radius, height))
            surface.fill(colour, (0, radius, width, height - 2 * radius))
            corners = self.disc(2 * radius, colour)
            for x in (0, 1):
                for y in (0, 1):
                    place = (x * (width - radius), y * (height - radius), radius, radius)
                    surface.fill((*colour[:3], 0), place)
                    surface.blit(corners, place, (x * radius, y * radius, radius, radius))
            self.shapes[key] = surface
        return self.shapes[key]

    def shadow(self, size: tuple[int, int]) -> "pygame.Surface":
        key = ("shadow", size)
        if key not in self.shapes:
            surface = self.clear((size[0] + 8, size[1] + 8), (0, 0, 0))
            for inset in range(4):
                layer = self.rounded((size[0] + 8 - 2 * inset, size[1] + 8 - 2 * inset), 10, (0, 0, 0, 20))
                surface.blit(layer, (inset, inset))
            self.shapes[key] = surface
        return self.shapes[key]

    def badge(self, icon: int, diameter: int) -> "pygame.Surface":
        """A coloured disc with the icon's sign, or the first letters of its name."""
        key = ("badge", icon, diameter)
        if key not in self.shapes:
            name = self.seen.icons[icon]
            size = diameter * SHARPNESS
            large = self.clear((size, size), icon_colour(icon))
            self.pg.draw.ellipse(large, icon_colour(icon), large.get_rect())
            if name in GLYPHS:
                GLYPHS[name](_Pen(self.pg, large, icon_colour(icon)))
            else:
                letters = self.font(size * 3 // 4).render(name[:2], WHITE)
                scale = min(1, 0.76 * size / max(letters.get_size()))
                letters = self.pg.transform.smoothscale_by(letters, scale)
                large.blit(letters, letters.get_rect(center=(size // 2, size // 2)))
            self.shapes[key] = self.pg.transform.smoothscale(large, (diameter, diameter))
        return self.shapes[key]


TILT = 6  # degrees


def radius_of(size: tuple[int, int]) -> int:
    return max(5, min(10, min(size) // 9))


def time_words(moment: int | None) -> str:
    """With separators from 10,000 on, where it can no longer be a year of the calendar."""
    if moment is None:
        return ""
    return str(moment) if abs(moment) < 10_000 else f"{moment:,}"


def short_time_words(moment: int | None) -> str:
    """To four digits: 13.8 bn for 13,800,000,000."""
    if moment is None or abs(moment) < 10_000:
        return time_words(moment)
    for unit, name in ((10**9, " bn"), (10**6, " M"), (10**3, " k")):
        if unit <= abs(moment) < 1000 * unit:
            return f"{moment / unit:.4g}{name}"
    return f"{float(moment):.3g}"


def icon_colour(icon: int) -> Colour:
    """The first four are chosen, the others go round the colour wheel in steps that come close to none before."""
    if icon < len(ICON_COLOURS):
        return ICON_COLOURS[icon]
    red, green, blue = colorsys.hsv_to_rgb(icon * 0.618 % 1, 0.62, 0.62)
    return int(255 * red), int(255 * green), int(255 * blue)


# --- icons ------------------------------------------------------------------------------------------------------------


class _Pen:
    """Draws in white on a square surface whose sides are 100 long; `ground` is the colour below."""

    def __init__(self, pg: Any, surface: "pygame.Surface", ground: Colour) -> None:
        self.draw, self.surface, self.ground = pg.draw, surface, ground
        self.scale = surface.get_width() / 100

    def point(self, x: float, y: float) -> tuple[float, float]:
        return x * self.scale, y * self.scale

    def disc(self, x: float, y: float, radius: float, colour: Colour = WHITE) -> None:
        self.draw.circle(self.surface, colour, self.point(x, y), radius * self.scale)

    def shape(self, *points: tuple[float, float], colour: Colour = WHITE) -> None:
        self.draw.polygon(self.surface, colour, [self.point(*point) for point in points])

    def stroke(self, *points: tuple[float, float], width: float = 8, colour: Colour = WHITE) -> None:
        """A line with round ends and joints."""
        for start, end in itertools.pairwise(points):
            across = math.atan2(end[1] - start[1], end[0] - start[0]) + math.pi / 2
            x, y = math.cos(across) * width / 2, math.sin(across) * width / 2
            corners = ((start[0] + x, start[1] + y), (end[0] + x, end[1] + y))
            self.shape(*corners, (end[0] - x, end[1] - y), (start[0] - x, start[1] - y), colour=colour)
        for point in points:
            self.disc(*point, width / 2, colour=colour)


def _arc(x: float, y: float, radius: float, start: float, end: float) -> list[tuple[float, float]]:
    """Points on a circle; degrees go clockwise from the right."""
    angles = [math.radians(start + (end - start) * i / 16) for i in range(17)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def _anchor(pen: _Pen) -> None:
    pen.stroke(*_arc(50, 26, 8, 0, 360), width=6)
    pen.stroke((50, 35), (50, 80))
    pen.stroke((34, 44), (66, 44), width=7)
    pen.stroke(*_arc(50, 52, 28, 20, 160))
    pen.shape((83, 52), (84, 70), (66, 62))
    pen.shape((17, 52), (16, 70), (34, 62))


def _comet(pen: _Pen) -> None:
    pen.disc(36, 64, 16)
    pen.shape((24, 52), (80, 20), (47, 76))
    pen.stroke((30, 42), (52, 24), width=5)
    pen.stroke((60, 70), (78, 50), width=5)


def _feather(pen: _Pen) -> None:
    pen.shape((30, 72), (28, 54), (38, 36), (56, 23), (78, 18), (76, 40), (66, 56), (48, 68))
    pen.stroke((20, 82), (34, 66), width=7)
    pen.stroke((32, 68), (66, 31), width=4, colour=pen.ground)
    pen.stroke((50, 48), (68, 50), width=3, colour=pen.ground)


def _lantern(pen: _Pen) -> None:
    pen.stroke(*_arc(50, 28, 12, 180, 360), width=5)
    pen.shape((34, 38), (66, 38), (60, 28), (40, 28))
    pen.shape((32, 42), (68, 42), (64, 74), (36, 74))
    pen.shape((32, 77), (68, 77), (68, 84), (32, 84))
    pen.shape((50, 47), (58, 61), (55, 69), (45, 69), (42, 61), colour=pen.ground)


GLYPHS: dict[str, Callable[[_Pen], None]] = {
    "anchor": _anchor,
    "comet": _comet,
    "feather": _feather,
    "lantern": _lantern,
}
