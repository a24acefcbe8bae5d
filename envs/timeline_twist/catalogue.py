"""Catalogues: the cards of an edition, read from a CSV file.

    title,time,front_icon,back_icon
    The Big Bang,-13800000000,comet,anchor

`time` is a whole number, negative for years BCE; cards may share one. The two icons of a card differ. A column
`difficulty` may tell how hard a card's time is to estimate (a factor on the noise of `noisy` knowledge, 0.1 to 10, at
most five different ones; 1 where empty); further columns are ignored. A file holds at most 1,000 cards, in any order;
a card's number is its place in the file, from 0. Three catalogues ship with the package: `scenes` (100 scenes of a
voyage, times 1..100), `history` (128 events, from the Big Bang to today, some of them in the same year) and `tiny` (12
scenes of a day, for games so small that they can be solved). Their four icons, three in `tiny`, are balanced on both
sides.

    catalogue = load("history")             # or the path of your own file
    catalogue.titles[0], catalogue.times[0]
"""

import csv
import difflib
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.errors import CatalogueError
from timeline_twist.records import CARD, MAX_CATALOGUE

FOLDER = Path(__file__).parent / "catalogues"
BUILT_IN = tuple(sorted(path.stem for path in FOLDER.glob("*.csv")))
COLUMNS = ("title", "time", "front_icon", "back_icon")
OPTIONAL = "difficulty"
MAX_ICONS = 100
MAX_DIFFICULTIES = 5
EASIEST, HARDEST = 0.1, 10.0
MAX_DIGITS = 30
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class Catalogue:
    """All cards of an edition; card i is the i-th of the file."""

    name: str
    source: str
    titles: tuple[str, ...]
    times: tuple[int, ...]
    fronts: tuple[str, ...]
    backs: tuple[str, ...]
    last_line: int
    difficulties: tuple[float, ...] = ()  # all 1 where none are given
    icons: tuple[str, ...] = field(init=False, compare=False)
    cards: npt.NDArray[np.record] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "difficulties", self.difficulties or (1.0,) * len(self.titles))
        self._check()
        object.__setattr__(self, "icons", tuple(sorted({*self.fronts, *self.backs})))
        object.__setattr__(self, "cards", self._engine_cards())

    def __len__(self) -> int:
        return len(self.titles)

    def __reduce__(self) -> tuple[type["Catalogue"], tuple[Any, ...]]:
        # Built anew in the other process, so that the cards stay read-only.
        columns = (self.titles, self.times, self.fronts, self.backs)
        return Catalogue, (self.name, self.source, *columns, self.last_line, self.difficulties)

    def _check(self) -> None:
        """What compiled code relies on; a file's own mistakes are found earlier, with their lines."""
        where = f"{self.source}:{self.last_line}"
        columns = (self.titles, self.times, self.fronts, self.backs, self.difficulties)
        if len({len(column) for column in columns}) > 1:
            raise CatalogueError(
                f"{where}: titles, times, fronts, backs and difficulties differ in number; give one of each per card"
            )
        if not 1 <= len(self) <= MAX_CATALOGUE:
            raise CatalogueError(f"{where}: {len(self)} cards; a catalogue has 1 to {MAX_CATALOGUE:,}")
        if any(front == back for front, back in zip(self.fronts, self.backs, strict=True)):
            raise CatalogueError(f"{where}: a card has the same icon on both sides; they must differ")
        if len({*self.fronts, *self.backs}) > MAX_ICONS:
            raise CatalogueError(f"{where}: more than {MAX_ICONS} different icons; use fewer")
        if not all(EASIEST <= difficulty <= HARDEST for difficulty in self.difficulties):
            raise CatalogueError(f"{where}: a difficulty is not between {EASIEST} and {HARDEST}; 1 is usual")
        if len(set(self.difficulties)) > MAX_DIFFICULTIES:
            # A difficulty is seen with the card: one of its own would give the card away.
            raise CatalogueError(f"{where}: more than {MAX_DIFFICULTIES} different difficulties; use a few classes")

    def _engine_cards(self) -> npt.NDArray[np.record]:
        """What the engine needs: dense ranks of the times, and icons as numbers."""
        rank = {time: i for i, time in enumerate(sorted(set(self.times)))}
        number = {icon: i for i, icon in enumerate(self.icons)}
        cards = np.zeros(len(self), CARD)
        cards["time"] = [rank[time] for time in self.times]
        cards["front"] = [number[icon] for icon in self.fronts]
        cards["back"] = [number[icon] for icon in self.backs]
        cards.flags.writeable = False
        return cards

    @property
    def positions(self) -> int:
        """How many different times there are; a position is a place among them."""
        return len(set(self.times))

    def require(self, count: int, purpose: str) -> None:
        """Raise an error unless there are enough cards for `purpose`."""
        if len(self) < count:
            raise CatalogueError(
                f"{self.source}:{self.last_line}: {len(self)} cards are too few for {purpose}; it takes {count}"
            )


def load(catalogue: str | Path | Catalogue) -> Catalogue:
    """A built-in catalogue by its name, or anyone's from the path of a CSV file."""
    if isinstance(catalogue, Catalogue):
        return catalogue
    if isinstance(catalogue, str) and catalogue in BUILT_IN:
        return _read(FOLDER / f"{catalogue}.csv", source=f"{catalogue}.csv")
    if not isinstance(catalogue, str | Path):
        raise CatalogueError(f"catalogue: {catalogue!r} is neither a name nor a path; names are {', '.join(BUILT_IN)}")
    path = Path(catalogue)
    if not is_file(path):
        raise CatalogueError(
            f"{str(catalogue)[:100]!r}: no such file or built-in catalogue; {_suggestion(str(catalogue))}"
        )
    return _read(path, source=str(catalogue))


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that cannot be one is no error."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _suggestion(name: str) -> str:
    near = difflib.get_close_matches(name, BUILT_IN, n=1)
    return f"did you mean {near[0]!r}?" if near else f"built in are {', '.join(BUILT_IN)}"


def _read(path: Path, source: str) -> Catalogue:
    rows = _rows(_text(path, source), source)
    columns = _header(next(rows, None), source)
    cards: list[tuple[str, int, str, str, float]] = []
    line_of: dict[str, int] = {}
    last_line = 1
    for last_line, row in rows:
        if len(cards) == MAX_CATALOGUE:
            raise CatalogueError(f"{source}:{last_line}: more than {MAX_CATALOGUE:,} cards; leave some out")
        card = _card(row, columns, f"{source}:{last_line}")
        if card[0] in line_of:
            raise CatalogueError(
                f"{source}:{last_line}: the title {card[0]!r} stands on line {line_of[card[0]]} already; "
                "titles must differ"
            )
        line_of[card[0]] = last_line
        cards.append(card)
    if not cards:
        raise CatalogueError(f"{source}:{last_line}: there are no cards below the header")
    titles, times, fronts, backs, difficulties = zip(*cards, strict=True)
    return Catalogue(path.stem, source, titles, times, fronts, backs, last_line, difficulties)


def _text(path: Path, source: str) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CatalogueError(f"{source}: cannot be read: {error.strerror}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CatalogueError(f"{source}:{line}: not UTF-8 text; save the file as UTF-8") from error


def _rows(text: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, with the line on which each ends."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise CatalogueError(f"{source}:{reader.line_num}: not a CSV row: {error}") from error


def _header(first: tuple[int, list[str]] | None, source: str) -> list[str]:
    expected = ",".join(COLUMNS)
    if first is None:
        raise CatalogueError(f"{source}:1: the file is empty; its first line must be {expected}")
    line, columns = first
    for column in COLUMNS:
        if columns.count(column) != 1:
            what = "no column" if column not in columns else "more than one column"
            raise CatalogueError(
                f"{source}:{line}: {what} {column!r}; the header must have {expected}, separated by commas"
            )
    if columns.count(OPTIONAL) > 1:
        raise CatalogueError(f"{source}:{line}: more than one column {OPTIONAL!r}; leave one")
    return columns


def _card(row: list[str], columns: list[str], where: str) -> tuple[str, int, str, str, float]:
    if len(row) != len(columns):
        raise CatalogueError(
            f"{where}: {len(row)} fields where the header has {len(columns)}; put a title with a comma in double quotes"
        )
    cells = dict(zip(columns, row, strict=True))
    for column in COLUMNS:
        if not cells[column]:
            raise CatalogueError(f"{where}: {column} is empty; every card needs one")
    title, time, front, back = (cells[column] for column in COLUMNS)
    if not WHOLE_NUMBER.fullmatch(time):
        raise CatalogueError(f"{where}: time {time[:40]!r} is not a whole number; write years BCE as negative numbers")
    if len(time) > MAX_DIGITS:
        raise CatalogueError(f"{where}: time has more than {MAX_DIGITS} digits; use a coarser unit than that")
    if front == back:
        raise CatalogueError(
            f"{where}: front_icon and back_icon are both {front!r}; the two sides of a card must differ"
        )
    return title, int(time), front, back, _difficulty(cells.get(OPTIONAL, ""), where)


def _difficulty(cell: str, where: str) -> float:
    """The factor on a card's noise; 1 where nothing is said."""
    try:
        value = float(cell or 1)
    except ValueError:
        value = math.nan
    if not EASIEST <= value <= HARDEST:
        raise CatalogueError(f"{where}: difficulty {cell[:40]!r} is not a number from {EASIEST} to {HARDEST}")
    return value
