"""The cross table of a tournament or of cross-play as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from timeline_twist.evaluation.plots import INK, QUIET, new_figure, store
from timeline_twist.evaluation.wording import NOTHING, folded

NAME_WIDTH = 18
CELL, MARGIN, SMALLEST, HEAD = 1.0, 2.6, 5.5, 1.7  # inches
BAD, NEITHER, GOOD = "#c2452d", "#f4f4f4", "#3b6ea5"
LOW, HIGH = "#f2f5f9", "#1f4e82"
DARK = 0.45  # below this brightness words are white


def draw_cross_table(
    path: Path,
    names: Sequence[str],
    cells: Sequence[Sequence[dict[str, Any] | None]],
    title: str,
    words: tuple[str, str],
    *,
    digits: int,
    middle: float | None = None,
) -> None:
    """One square for each pair, row agent by column agent; `middle` is the value of equals, between 0 and 1.

    `words` tell what rows and columns are.
    """
    side = CELL * len(names)
    figure, (axis,) = new_figure(max(SMALLEST, MARGIN + side), HEAD + side)
    values = [[None if cell is None else cell["mean"] for cell in row] for row in cells]
    colour = colours([value for row in values for value in row if value is not None], middle)
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            draw_cell(axis, (column, row), cell, colour, digits)
    axis.set_xlim(-0.5, len(names) - 0.5)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.set_aspect("equal")
    labels = [folded(name, NAME_WIDTH) for name in names]
    longest = max(len(line) for label in labels for line in label.split("\n"))
    tilt: dict[str, Any] = {"rotation": 30, "ha": "left"} if longest > 10 else {}
    axis.set_xticks(range(len(names)), labels, **tilt)
    axis.set_yticks(range(len(names)), labels)
    axis.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0, labelsize=8)
    for spine in axis.spines.values():
        spine.set_visible(False)
    axis.set_ylabel(words[0], fontsize=8, color=QUIET)
    axis.set_xlabel(words[1], fontsize=8, color=QUIET)
    figure.suptitle(title, fontsize=10, color=INK)
    store(figure, path)


def draw_cell(axis: Any, place: tuple[int, int], cell: dict[str, Any] | None, colour: Any, digits: int) -> None:
    from matplotlib.patches import Rectangle

    column, row = place
    red, green, blue = (0.97, 0.97, 0.97) if cell is None else colour(cell["mean"])[:3]
    square = (column - 0.5, row - 0.5)
    axis.add_patch(Rectangle(square, 1, 1, facecolor=(red, green, blue), edgecolor="white", linewidth=2))
    ink = "white" if 0.3 * red + 0.59 * green + 0.11 * blue < DARK else INK
    if cell is None:
        axis.text(column, row, NOTHING, ha="center", va="center", color=QUIET)
        return
    words: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "color": ink}
    axis.annotate(f"{cell['mean']:.{digits}f}", place, xytext=(0, 4), fontsize=11, **words)
    bounds = cell["interval"]
    reach = "no interval" if bounds is None else f"± {(bounds[1] - bounds[0]) / 2:.{digits}f}"
    axis.annotate(reach, place, xytext=(0, -9), fontsize=7, **words)


def colours(values: Sequence[float], middle: float | None) -> Any:
    """A colour for each value: on both sides of `middle`, or from the lowest to the highest."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize, TwoSlopeNorm

    stops = [LOW, HIGH] if middle is None else [BAD, NEITHER, GOOD]
    scale: Normalize = Normalize(min(values), max(values)) if middle is None else TwoSlopeNorm(middle, 0, 1)
    table = LinearSegmentedColormap.from_list("cells", stops)
    return lambda value: table(scale(value))
