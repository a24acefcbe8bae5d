"""Pictures of a whole game: a folder of PNG files, or one animated GIF. They need the extra `render`.

save_png(views, Path("frames"))         # frames/000.png, frames/001.png, ...
save_gif(views, Path("game.gif"), seconds=1.0)
"""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from timeline_twist.errors import SettingsError
from timeline_twist.files import write_whole
from timeline_twist.public_view import View
from timeline_twist.render import picture_of

if TYPE_CHECKING:
    from PIL.Image import Image

LAST_FRAME = 4  # the result stays so many times longer than the other pictures
COLOURS = 256


def save_png(views: Iterable[View], folder: Path) -> int:
    """One file for each view, by number; gives how many."""
    load_pillow()
    count = 0
    for count, seen in enumerate(views, start=1):
        content = io.BytesIO()
        image(seen).save(content, "PNG", optimize=True)
        write_whole(folder / f"{count - 1:03d}.png", content.getvalue())
    return count


def save_gif(views: Iterable[View], path: Path, seconds: float) -> int:
    """All views as one animation that starts over again; gives how many there are."""
    pillow = load_pillow()
    frames = [image(seen) for seen in views]
    # One palette for all, made from the first picture and the fullest one: with a palette of its own for each, the
    # table would flicker.
    palette = side_by_side(pillow, frames[0], frames[-1]).quantize(COLOURS, method=pillow.Quantize.MEDIANCUT)
    reduced = [frame.quantize(palette=palette, dither=pillow.Dither.NONE) for frame in frames]
    milliseconds = round(seconds * 1000)
    durations = [milliseconds] * (len(reduced) - 1) + [milliseconds * LAST_FRAME]
    content = io.BytesIO()
    reduced[0].save(
        content, "GIF", save_all=True, append_images=reduced[1:], duration=durations, loop=0, optimize=False
    )
    write_whole(path, content.getvalue())
    return len(frames)


def side_by_side(pillow: Any, left: "Image", right: "Image") -> "Image":
    both: Image = pillow.new("RGB", (left.width + right.width, left.height))
    both.paste(left, (0, 0))
    both.paste(right, (left.width, 0))
    return both


def image(seen: View) -> "Image":
    made: Image = load_pillow().fromarray(picture_of(seen))
    return made


def load_pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise SettingsError("pictures: they need pillow; pip install 'timeline-twist[render]'") from error
    return Image
