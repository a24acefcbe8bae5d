"""How work that takes long tells how far it is."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # what is being done, how much of it is done, how much there is


def no_progress(what: str, done: int, total: int) -> None:
    """For those who do not want to see any."""
