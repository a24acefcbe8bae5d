"""A person at the table: an agent that asks on the terminal.

Whoever plays is shown what their seat knows and nothing else (timeline_twist.seat_view), types an action in words or,
in co-op, by its letter, and may ask another agent for advice, which sees the same seat. Numbers are slots and positions
only: one alone might be meant as either, or as a place in the list of actions, and so is refused.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from timeline_twist import engine
from timeline_twist.agents.agent import Agent
from timeline_twist.agents.playing import lens_for, mode_of, on_the_table, slot_orders
from timeline_twist.agents.seen import Seen
from timeline_twist.batch import Batch, Indices
from timeline_twist.errors import SettingsError
from timeline_twist.render import text_of
from timeline_twist.seat_view import named, seat_view
from timeline_twist.text import format_action, parse_action

HUMAN = "human"
PROMPT = "Your action (? advice, h help, q quit): "
GAME_0 = np.zeros(1, np.int64)
MOST_ADVICE = 5
SMALLEST_CHANCE = 0.005

# The letters of co-op actions, for up to eight cards; `e` ends the turn, `h`, `q` and `t` are keys.
LETTERS = "abcdfgij"

# What people type when they are in a hurry.
SHORT_FORMS = {
    "coop": ((r"p(?:lay)?\s*(\d+)", r"play \1"), (r"d(?:iscard)?\s*(\d+)", r"discard \1"), (r"e(?:nd)?", "end turn")),
    "competitive": ((r"(?:p(?:lace)?\s*)?(\d+)(?:\s+at\s+|\s*,\s*|\s+)(\d+)", r"place \1 at \2"),),
}
HELP = {
    "coop": """\
  c          the action of that letter in the list
  play 1     or p1: flip the card in slot 1; the rules say where it goes
  discard 0  or d0: discard the card in slot 0; its icon must match the pile's
  end turn   or e: after the first placed card
A card of the main row scores 2, one of the gap row 1, and every other card
costs 1. A card between two neighbours whose gap is taken gets stuck. Whoever
plays and cannot place a single card ends the game for all.""",
    "competitive": """\
  place 1 at 4  or just 1 4: put the card in slot 1 at position 4
A position is the number that stands before the next card of the timeline. A
card that is right there stays, a wrong one is discarded and replaced. The only
player to place the last card in a round wins; several play a tie-break.""",
}
KEYS = """\
  ?  ask for advice
  t  show the table again
  h  this help
  q  leave the game"""


class LeftTheTable(Exception):  # noqa: N818  (leaving is no error)
    """The person wants to stop."""


class Person(Agent):
    """Asks `ask(prompt)` for the actions of one seat and tells everything through `say`."""

    name = HUMAN

    def __init__(
        self, batch: Batch, names: Sequence[str], ask: Callable[[str], str], say: Callable[[str], None], advisor: Agent
    ) -> None:
        self.batch, self.names, self.ask, self.say = batch, names, ask, say
        self.mode = mode_of(batch)
        self.advisor, self.lens = advisor, lens_for(advisor, batch)

    def act(self, seen: Seen) -> Indices:
        seat = int(seen.seats[0])
        self.show(seat)
        while True:
            action = self.answer(self.ask(PROMPT), seen)
            if action is not None:
                return np.array([action])

    def show(self, seat: int) -> None:
        table = named(seat_view(self.batch, seat), self.names, last=seat)
        self.say("\n" + text_of(table, positions=self.mode == "competitive"))
        self.say(f"\nYou may: {self.options()}")

    def options(self) -> str:
        """The legal actions, in co-op with letters; the cards stand in the hand right above."""
        game, actions = self.batch.games[0], self.legal()
        if self.mode == "coop":
            lettered = self.lettered().items()
            return "   ".join(f"({letter}) {format_action(game, action)}" for letter, action in lettered)
        places = int(game["timeline_count"]) + 1
        rows = [f"{format_action(game, action)} to {places - 1}" for action in actions[::places]]
        return "   ".join(rows)

    def lettered(self) -> dict[str, int]:
        """The legal actions of co-op by their letters."""
        cards = [action for action in self.legal() if action != engine.END_TURN]
        ends = {"e": engine.END_TURN} if engine.END_TURN in self.legal() else {}
        return dict(zip(LETTERS, cards, strict=False)) | ends

    def legal(self) -> list[int]:
        actions: list[int] = np.flatnonzero(self.batch.table.mask(self.batch.games[0])).tolist()
        return actions

    def answer(self, typed: str, seen: Seen) -> int | None:
        """The action that was typed; None if it was something else, which has been dealt with."""
        words = " ".join(typed.lower().split())
        if words in ("q", "quit", "exit"):
            raise LeftTheTable
        if words in ("?", "advice"):
            self.say(self.advice(seen))
        elif words in ("h", "help"):
            self.say(f"{HELP[self.mode]}\n{KEYS}")
        elif words in ("t", "table", ""):
            self.show(int(seen.seats[0]))
        else:
            try:
                return self.read_action(words)
            except SettingsError as error:
                self.say(f"{error}.")
        return None

    def read_action(self, words: str) -> int:
        actions = self.legal()
        if words.isdecimal() and len(words) < 6:
            raise SettingsError(f"{words} alone could mean several things; {self.instead(words)}")
        if self.mode == "coop" and len(words) == 1 and words in LETTERS:
            return self.by_letter(words)
        for form, full in SHORT_FORMS[self.mode]:
            words = re.sub(f"^(?:{form})$", full, words)
        game = self.batch.games[0]
        action = parse_action(game, words)
        if action not in actions:
            raise SettingsError(f"{format_action(game, action)} is not possible now; {self.possible(actions)}")
        return action

    def instead(self, number: str) -> str:
        """How to say what a number alone does not."""
        if self.mode == "coop":
            return f"type the letter of an action, or words such as 'play {number}'"
        return f"type a slot and a position, such as '{number} 0' for 'place {number} at 0'"

    def by_letter(self, letter: str) -> int:
        lettered = self.lettered()
        if letter not in lettered:
            raise SettingsError(f"{letter} is not in the list; there are {', '.join(lettered)}")
        return lettered[letter]

    def possible(self, actions: list[int]) -> str:
        if self.mode == "coop":
            return "you may " + ", ".join(format_action(self.batch.games[0], action) for action in actions)
        game = self.batch.games[0]
        slots = [str(slot) for slot, card in enumerate(game["hands"][game["turn"]].tolist()) if card != engine.NO_CARD]
        return f"slots with cards are {', '.join(slots)}, positions 0 to {game['timeline_count']}"

    def advice(self, seen: Seen) -> str:
        """What the advisor would do in this seat, with its chances, and what it expects of each action."""
        same = Seen(self.lens, GAME_0, seen.keys)
        chances, values = self.advisor.probabilities(same)[0], self.advisor.values(same)
        likely = [int(action) for action in np.argsort(-chances, kind="stable")[:MOST_ADVICE]]
        likely = [action for action in likely if chances[action] >= SMALLEST_CHANCE] or likely[:1]
        words = ", ".join(f"{self.words(action)} ({chances[action]:.0%})" for action in likely)
        lines = [f"{self.advisor.name} would: {words}"]
        if values is not None and not np.isnan(values[0]).all():
            best = [int(action) for action in np.argsort(-np.nan_to_num(values[0], nan=-np.inf), kind="stable")]
            tried = [action for action in best[:MOST_ADVICE] if not np.isnan(values[0][action])]
            what = "a final score of" if self.mode == "coop" else "a reward of"
            expected = ", ".join(f"{values[0][action]:.2f} after {self.words(action)}" for action in tried)
            lines.append(f"It expects {what} {expected}")
        return "\n".join(lines)

    def words(self, action: int) -> str:
        """An action of the advisor's in words, by table slots."""
        on_table = on_the_table(self.lens, slot_orders(self.lens, GAME_0), np.array([action]))
        return format_action(self.batch.games[0], int(on_table[0]))
