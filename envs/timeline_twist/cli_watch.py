"""The commands `timeline-twist watch` and `timeline-twist play`.

`watch` shows a game of agents, or a recorded one, as a spectator sees the table: every face, and no time before its
card is flipped; with `--seat` as that seat knows it. `play` seats a person, who is always shown what that seat knows.
"""

import contextlib
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from timeline_twist import agents as agents_by_name
from timeline_twist import frames, replay
from timeline_twist.agents.agent import MODES, Agent
from timeline_twist.agents.playing import turns
from timeline_twist.batch import Batch
from timeline_twist.errors import SettingsError
from timeline_twist.files import check_can_be_made, check_writable, make_folder
from timeline_twist.person import HUMAN, LeftTheTable, Person
from timeline_twist.public_view import View
from timeline_twist.render import text_of
from timeline_twist.replay import Recorder, Replay
from timeline_twist.seat_view import named, seat_view, spectator_view
from timeline_twist.story import caption, ending, player_names, tell
from timeline_twist.tables import check_seed, one_of, whole_number

DEFAULT_AGENT = "bayes"
DEFAULT_PLAYERS = 2
SEEDS = 1_000_000  # those chosen by chance are short enough to be typed again
INTERRUPTED = 130  # what shells expect after Ctrl-C

ModeOption = Annotated[str | None, typer.Option("--mode", help="coop (default) or competitive.")]
PlayersOption = Annotated[int | None, typer.Option("--players", help="Players at the table.")]
CatalogueOption = Annotated[str | None, typer.Option("--catalogue", help="Name or CSV path; default scenes.")]
KnowledgeOption = Annotated[
    str | None, typer.Option("--knowledge", help="What seats know: noisy (default), expert, faces or blind.")
]
SigmaOption = Annotated[
    str | None,
    typer.Option("--sigma", help="Noise of noisy knowledge in positions; one number, or one per seat: 2,10."),
]
TalkOption = Annotated[str | None, typer.Option("--communication", help="open (default in co-op) or none.")]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Deals this very game; by default any.")]
SaveOption = Annotated[Path | None, typer.Option("--save", help="Write the game to this file, for `watch FILE`.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("watch")(watch)
    app.command("play")(play)


@dataclass(frozen=True)
class Game:
    """Settings of a game as they were typed; None where they were not."""

    mode: str | None
    players: int | None  # must be there to deal
    catalogue: str | None
    knowledge: str | None
    sigma: str | None
    communication: str | None
    seed: int | None

    def dealt(self) -> Batch:
        """A batch with the one game."""
        given = {"catalogue": self.catalogue, "communication": self.communication, "knowledge": self.known()}
        settings = {name: value for name, value in given.items() if value is not None}
        mode = one_of("--mode", "coop" if self.mode is None else self.mode, MODES)
        seed = secrets.randbelow(SEEDS) if self.seed is None else check_seed(self.seed)
        batch: Batch = replay.MAKERS[mode](1, players=self.players, **settings)
        batch.deal([0], [seed])
        return batch

    def known(self) -> Any:
        if self.sigma is None:
            return self.knowledge
        try:
            sigmas = [float(part) for part in self.sigma.split(",")]
        except ValueError as error:
            raise SettingsError(f"--sigma: {self.sigma[:60]!r} is neither a number nor several with commas") from error
        return {"kind": self.knowledge or "noisy", "sigma": sigmas if len(sigmas) > 1 else sigmas[0]}


# --- watch ------------------------------------------------------------------------------------------------------------


def watch(
    who: Annotated[
        list[str] | None,
        typer.Argument(help=f"Agents (one for all seats, or one for each; default {DEFAULT_AGENT}), or one replay."),
    ] = None,
    mode: ModeOption = None,
    players: PlayersOption = None,
    catalogue: CatalogueOption = None,
    knowledge: KnowledgeOption = None,
    sigma: SigmaOption = None,
    communication: TalkOption = None,
    seed: SeedOption = None,
    save: SaveOption = None,
    png: Annotated[Path | None, typer.Option(help="Write a PNG of every state to this folder instead.")] = None,
    gif: Annotated[Path | None, typer.Option(help="Write an animated GIF instead.")] = None,
    frame: Annotated[float, typer.Option(help="Seconds for each picture of the GIF.")] = 1.0,
    seat: Annotated[int | None, typer.Option(help="Show what this seat knows, not the open table.")] = None,
    delay: Annotated[float | None, typer.Option(help="Seconds between actions, instead of Enter.")] = None,
    table: Annotated[bool, typer.Option(help="Show the table after every action.")] = True,
) -> None:
    """Watch a game of agents, or a recorded one: the open table as a spectator sees it, or with --seat what one knows.

    On a terminal Enter goes on and q leaves; elsewhere everything is printed at once.
    """
    between("--delay", delay, 0)
    between("--frame", frame, 0.02)
    check_outputs(save, png, gif)
    game = Game(mode, players, catalogue, knowledge, sigma, communication, seed)
    watched = the_replay(who or [DEFAULT_AGENT], game)
    if seat is not None:
        whole_number("--seat", seat, 0, len(watched.players) - 1)
    if save is not None:
        watched.save(save)
    with leaving_cleanly():
        if png is None and gif is None:
            show(watched, seat, delay, table)
        else:
            draw(watched, seat, png, gif, frame)


def between(name: str, value: float | None, low: float) -> None:
    if value is not None and not low <= value <= 3600:
        raise SettingsError(f"{name}: {value:g} is not a number of seconds from {low:g} to 3600")


def check_outputs(save: Path | None, png: Path | None = None, gif: Path | None = None) -> None:
    """Refuse what cannot be written before a game is played for it, or anything else is written."""
    if save is not None:
        check_writable("--save", save)
    if gif is not None:
        if gif.suffix.lower() != ".gif":
            raise SettingsError(f"--gif: {gif} does not end in .gif; name it so, or give a folder to --png")
        check_writable("--gif", gif)
    if png is not None:
        check_can_be_made("--png", png)
        if any(png.glob("*.png")):
            raise SettingsError(f"--png: the folder {png} has pictures already; give a new or an empty one")
    if png is not None or gif is not None:
        frames.load_pillow()


def the_replay(who: list[str], game: Game) -> Replay:
    """The recorded game that was named, or one that the agents play now."""
    if len(who) == 1 and (who[0].endswith(".json") or Path(who[0]).is_file()):
        for name, value in vars(game).items():
            if value is not None and name != "catalogue":
                raise SettingsError(f"--{name}: a replay has its own; leave it out to watch {who[0]}")
        return replay.load(who[0], game.catalogue)
    # Several agents say how many players there are, unless that is said in so many words.
    count = max(len(who), DEFAULT_PLAYERS) if game.players is None else game.players
    batch = replace(game, players=count).dealt()
    seated, seating = seats(who, batch.table.players, "agents")
    return replay.record(batch, seated, [seating])[0]


def seats(names: list[str], count: int, what: str) -> tuple[list[Agent], list[int]]:
    """Agents, and for each of so many seats the place of its agent among them."""
    if len(names) not in (1, count):
        raise SettingsError(f"{what}: {len(names)} for {count} seats; name one for all of them, or one for each")
    return [agents_by_name.make(name) for name in names], [seat % len(names) for seat in range(count)]


def views(watched: Replay, seat: int | None) -> Iterator[tuple[Batch, View]]:
    """Each state, and what is shown of it."""
    names = player_names(watched.players)
    for batch in watched.states():
        seen = spectator_view(batch) if seat is None else seat_view(batch, seat)
        yield batch, named(seen, names)


def show(watched: Replay, seat: int | None, delay: float | None, table: bool) -> None:
    """The game as text, with a pause after every state."""
    console = plain_console()
    go_on = pace(delay)
    names, words = player_names(watched.players), watched.words()
    console.print(heading(watched), style="bold")
    for number, (batch, seen) in enumerate(views(watched, seat)):
        line = (
            f"{number} of {len(watched)}. {tell(batch, words[number - 1], names)}" if number else "The cards are dealt."
        )
        parts = [f"\n{line}", f"\n{text_of(seen)}"] if table else [line]
        # Whoever waits at the prompt looks at the last lines; whoever reads a file, from the top.
        for part in reversed(parts) if on_terminal() else parts:
            console.print(part, style="bold" if part is parts[0] else None)
        if number < len(watched) and not go_on():
            console.print(f"Left after {number} of {len(watched)} actions.")
            return
    console.print("\n" + ending(batch), style="bold")


def heading(watched: Replay) -> str:
    who = ", ".join(player_names(watched.players))
    return f"{watched.mode}, {watched.catalogue.name}, seed {watched.seed}: {who}"


def pace(delay: float | None) -> Callable[[], bool]:
    """What happens between two actions; False if the watcher wants to leave."""
    if delay is None and not on_terminal():
        return lambda: True

    def wait() -> bool:
        if delay is not None:
            time.sleep(delay)
            return True
        try:
            return input("Enter: next, q: quit ").strip().lower() not in ("q", "quit")
        except EOFError:
            return False

    return wait


def draw(watched: Replay, seat: int | None, png: Path | None, gif: Path | None, seconds: float) -> None:
    """The game as pictures, each with the last action in its head."""
    pictures = []
    for batch, seen in views(watched, seat):
        last = "" if batch.games[0]["end"] else caption(batch)
        pictures.append(replace(seen, status=last or seen.status))
    console = plain_console()
    console.print(heading(watched))
    if png is not None:
        make_folder("--png", png)
        console.print(f"{png}: {frames.save_png(pictures, png)} pictures")
    if gif is not None:
        console.print(f"{gif}: {frames.save_gif(pictures, gif, seconds)} pictures")
    console.print(ending(batch))


# --- play -------------------------------------------------------------------------------------------------------------


def play(
    seat: Annotated[int, typer.Option(help="Where you sit; player 0 begins.")] = 0,
    partners: Annotated[
        list[str] | None, typer.Option("--with", help=f"Agent of the other seats; several: one each ({DEFAULT_AGENT}).")
    ] = None,
    advisor: Annotated[str | None, typer.Option(help="Who answers `?`; by default the first partner.")] = None,
    mode: ModeOption = None,
    players: PlayersOption = None,
    catalogue: CatalogueOption = None,
    knowledge: KnowledgeOption = None,
    sigma: SigmaOption = None,
    communication: TalkOption = None,
    seed: SeedOption = None,
    save: SaveOption = None,
) -> None:
    """Play with agents. You are shown what your seat knows and nothing else.

    Type an action in words, or in co-op its letter; ? asks for advice, h helps, q leaves.
    """
    names = partners or [DEFAULT_AGENT]
    check_outputs(save)
    count = max(len(names) + 1, DEFAULT_PLAYERS) if players is None else players
    batch = Game(mode, count, catalogue, knowledge, sigma, communication, seed).dealt()
    whole_number("--seat", seat, 0, count - 1)
    others, places = seats(names, count - 1, "--with") if count > 1 else ([agents_by_name.make(names[0])], [])
    adviser = agents_by_name.make(advisor) if advisor is not None else others[0]
    console = plain_console()
    # The person is the agent after the others.
    seating = [*places[:seat], len(others), *places[seat:]]
    told = player_names([HUMAN if place == len(others) else others[place].name for place in seating], seat)
    person = Person(batch, told, ask, console.print, adviser)
    sit_down(batch, [*others, person], seating, told, console, save)


def sit_down(
    batch: Batch, seated: Sequence[Agent], seating: list[int], told: list[str], console: Console, save: Path | None
) -> None:
    """Play the game with the person as the last agent, and keep it, even if the person leaves in its middle."""
    recorder = Recorder(batch, [[seated[place].name for place in seating]])
    you = seating.index(len(seated) - 1)
    # The seed would deal the game to anybody who looks: it is told at the end.
    console.print(f"{recorder.mode}, {batch.table.catalogue.name}: {', '.join(told)}", style="bold")
    with leaving_cleanly():
        try:
            for moves in turns(batch, seated, [seating]):
                recorder.add(moves)
                words = recorder.replay(0).words()[-1]
                console.print(tell(batch, words, told), style="bold")
            console.print("\n" + text_of(named(seat_view(batch, you), told, last=you)))
        except (LeftTheTable, EOFError):
            console.print("\nYou have left the table.")
        finally:
            console.print(f"\n{ending(batch, you)} This was seed {batch.games[0]['seed']}.", style="bold")
            if save is not None:
                recorder.replay(0).save(save)
                console.print(f"Saved: timeline-twist watch {save}")


def ask(prompt: str) -> str:
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (arrow keys and earlier answers)
    return input(prompt)


# --- both -------------------------------------------------------------------------------------------------------------


def on_terminal() -> bool:
    """Whether somebody sits there and can answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def plain_console() -> Console:
    """Prints titles as they are; lines are broken on terminals only."""
    return Console(markup=False, emoji=False, highlight=False, soft_wrap=not sys.stdout.isatty())


@contextlib.contextmanager
def leaving_cleanly() -> Iterator[None]:
    """Ctrl-C ends a command without a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
