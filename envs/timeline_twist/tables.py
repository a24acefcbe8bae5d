"""Tables: where games are dealt. A table holds checked settings and a catalogue; its games are engine records.

    table = Coop(players=3, catalogue="history")
    games = table.deal(range(1024))         # 1,024 games, one per seed
    game = games[0]
    table.mask(game)                        # 1 for each legal action
    table.step(game, engine.PLAY)           # True: it was legal and has been carried out
    read_result(game)                       # score, rank, winners, why the game ended

`mask` and `step` check what they are given, and take microseconds. For speed compile loops of your own with Numba and
call the functions of timeline_twist.engine there.

Games are plain NumPy arrays: copy, pickle or `np.save` them. `np.load(file).view(table.record)` gives loaded ones their
attributes back.
"""

import difflib
import operator
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist import engine, random_play
from timeline_twist.catalogue import Catalogue, load
from timeline_twist.errors import SettingsError
from timeline_twist.ranks import rank_name
from timeline_twist.records import COOP, MAX_DECK, MAX_HAND, MAX_PLAYERS, competitive_dtype

Games = npt.NDArray[np.record]
States = npt.NDArray[np.uint64]

ICONS = ("shuffled", "printed")
MAX_ROUNDS = 2**31 - 1


class Table(ABC):
    """What the tables of both modes have in common."""

    actions: int  # how many there are, legal or not
    cards_in_game: int
    size_field: str  # where a record keeps that number
    settings: dict[str, int]  # by the names they have in the record
    record: np.dtype[np.record]

    def __init__(
        self, catalogue: str | Path | Catalogue, players: int, fewest: int, hand_size: int, first: int
    ) -> None:
        self.catalogue = load(catalogue)
        self.players = whole_number("players", players, fewest, MAX_PLAYERS)
        self.hand_size = whole_number("hand_size", hand_size, 1, MAX_HAND)
        self.first_player = whole_number("first_player", first, 0, self.players - 1)
        self.settings = {"players": self.players, "hand_size": self.hand_size, "first_player": self.first_player}

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"<{type(self).__name__} catalogue={self.catalogue.name!r}, {settings}>"

    def deal(self, seeds: int | Iterable[int]) -> Games:
        """One new game per seed (0 to 2**64 - 1); a seed deals the same game always and everywhere."""
        states = np.array([check_seed(seed) for seed in as_list(seeds)], np.uint64)
        games = self._undealt(len(states))
        self._deal_batch(games, states)
        return games

    def deal_order(self, draw_order: Sequence[int], seed: int = 0) -> Games:
        """A batch of one game whose cards, as catalogue numbers, come in the given order; the seed decides the rest."""
        order = check_order(draw_order, self.cards_in_game, len(self.catalogue))
        games = self._undealt(1)
        self._deal_order(games[0], order, np.uint64(check_seed(seed)))
        return games

    def mask(self, game: Any) -> npt.NDArray[np.int8]:
        """1 for each legal action of the player on turn, all 0 once the game has ended."""
        self._check_game(game)
        mask = np.empty(self.actions, np.int8)
        self._fill_mask(game, mask)
        return mask

    def step(self, game: Any, action: int) -> bool:
        """Carry out a legal action and answer True; answer False to any other and leave the game as it is."""
        self._check_game(game)
        if not game.flags.writeable:
            raise SettingsError("game: its memory is read-only; step a copy of it")
        number = operator.index(action)
        return 0 <= number < self.actions and bool(self._step(game, number))

    def random_play(self, games: Games, steps: int, choices: States) -> int:
        """Take `steps` random legal actions in every game, a new deal wherever one ends; give the games ended.

        `choices` holds one random state per game and goes on where it stopped: the course of a game does not
        depend on the others in the batch.
        """
        self._check_batch(games, choices)
        masks = np.zeros((len(games), self.actions), np.int8)
        return int(self._random_play(games, masks, steps, choices))

    def _undealt(self, count: int) -> Games:
        games = np.zeros(count, self.record)
        for name, value in self.settings.items():
            games[name] = value
        return games

    def _check_game(self, game: Any) -> None:
        """Compiled code does not look at sizes: what does not fit would be written beside the array."""
        check_single(game)
        if getattr(game, "dtype", None) != self.record or game[self.size_field] != self.cards_in_game:
            raise SettingsError(f"game: not dealt at this table, {self!r}")

    def check_dealt_here(self, game: Any) -> None:
        """Raise an error unless this very table could have dealt the game: settings, cards and their times."""
        self._check_game(game)
        numbers = self.card_numbers(game)
        ours = all(game[name] == value for name, value in self.settings.items())
        ours = ours and bool(((numbers >= 0) & (numbers < len(self.catalogue))).all())
        if not ours or (game["time"][: len(numbers)] != self.catalogue.cards["time"][numbers]).any():
            raise SettingsError(f"game: not dealt at this table, {self!r}")

    def _check_batch(self, games: Any, choices: Any) -> None:
        ours = getattr(games, "dtype", None) == self.record and np.ndim(games) == 1
        if not ours or any((games[name] != value).any() for name, value in self.settings.items()):
            raise SettingsError(f"games: not dealt at this table, {self!r}")
        if not games.flags.writeable:
            raise SettingsError("games: their memory is read-only; play a copy of them")
        if getattr(choices, "dtype", None) != np.uint64 or np.shape(choices) != games.shape:
            raise SettingsError(f"choices: give an array of {len(games)} uint64, one for each game")

    @abstractmethod
    def card_numbers(self, game: Any) -> npt.NDArray[np.int16]:
        """The catalogue numbers of the game's cards, in the record's own order."""

    @abstractmethod
    def _step(self, game: Any, action: int) -> Any: ...

    @abstractmethod
    def _fill_mask(self, game: Any, mask: npt.NDArray[np.int8]) -> None: ...

    @abstractmethod
    def _deal_batch(self, games: Games, seeds: States) -> None: ...

    @abstractmethod
    def _deal_order(self, game: Any, order: npt.NDArray[np.int16], seed: np.uint64) -> None: ...

    @abstractmethod
    def _random_play(self, games: Games, masks: npt.NDArray[np.int8], steps: int, choices: States) -> Any: ...


class Coop(Table):
    """The co-operative mode.

    `players`: 1 to 6. `catalogue`: `scenes`, `history`, `tiny` (with a `deck_size` of 12), the path of a CSV file, or a
    Catalogue. `icons`: `shuffled` deals the catalogue's pairs of icons anew to the cards of each game, so that nobody
    learns a card's back by heart; `printed` keeps the file's. `hand_size` (1 to 4) and `deck_size` (up to 36, at least
    hand_size * players + 2) make smaller games; the numbers of the actions stay. `first_player`: the seat that begins.
    """

    size_field = "deck_size"

    def __init__(
        self,
        players: int = 2,
        catalogue: str | Path | Catalogue = "scenes",
        *,
        icons: str = "shuffled",
        hand_size: int = 4,
        deck_size: int = 36,
        first_player: int = 0,
    ) -> None:
        super().__init__(catalogue, players, 1, hand_size, first_player)
        self.icons = one_of("icons", icons, ICONS)
        self.deck_size = whole_number("deck_size", deck_size, 1, MAX_DECK)
        needed = self.hand_size * self.players + 2
        if self.deck_size < needed:
            raise SettingsError(
                f"deck_size: {deck_size} cards are too few for {players} players with {hand_size} cards each, "
                f"one on the timeline and one discarded; it takes {needed}"
            )
        self.catalogue.require(self.deck_size, f"a co-op deck of {deck_size} (see deck_size)")
        self.actions = engine.COOP_ACTIONS
        self.cards_in_game = self.deck_size
        self.record = COOP
        self.settings |= {"deck_size": self.deck_size, "printed_icons": int(icons == "printed")}

    def card_numbers(self, game: Any) -> npt.NDArray[np.int16]:
        numbers: npt.NDArray[np.int16] = game["card"][: self.deck_size]
        return numbers

    def _step(self, game: Any, action: int) -> Any:
        return engine.coop_step(game, action)

    def _fill_mask(self, game: Any, mask: npt.NDArray[np.int8]) -> None:
        engine.coop_mask(game, mask)

    def _deal_batch(self, games: Games, seeds: States) -> None:
        engine.coop_deal_batch(games, self.catalogue.cards, seeds)

    def _deal_order(self, game: Any, order: npt.NDArray[np.int16], seed: np.uint64) -> None:
        engine.coop_deal_order(game, self.catalogue.cards, seed, order)

    def _random_play(self, games: Games, masks: npt.NDArray[np.int8], steps: int, choices: States) -> Any:
        return random_play.coop_batch(games, self.catalogue.cards, masks, steps, choices)


class Competitive(Table):
    """The competitive mode.

    `players`: 2 to 6. `catalogue`: as in co-op; all of it is in the game, at least hand_size * players + 1 cards.
    `hand_size`: 1 to 4. `first_player`: the seat that leads the rounds. `max_rounds`: the game is broken off, without a
    winner, after so many.
    """

    size_field = "catalogue_size"

    def __init__(
        self,
        players: int = 2,
        catalogue: str | Path | Catalogue = "scenes",
        *,
        hand_size: int = 4,
        first_player: int = 0,
        max_rounds: int = 1000,
    ) -> None:
        super().__init__(catalogue, players, 2, hand_size, first_player)
        self.max_rounds = whole_number("max_rounds", max_rounds, 1, MAX_ROUNDS)
        needed = self.hand_size * self.players + 1
        self.catalogue.require(needed, f"{players} players with {hand_size} cards each and one on the timeline")
        self.cards_in_game = len(self.catalogue)
        self.actions = MAX_HAND * (self.cards_in_game + 1)
        self.record = competitive_dtype(self.cards_in_game)
        self.settings |= {"max_rounds": self.max_rounds, "catalogue_size": self.cards_in_game}

    def card_numbers(self, game: Any) -> npt.NDArray[np.int16]:  # noqa: ARG002  (a card is its number)
        return np.arange(self.cards_in_game, dtype=np.int16)

    def _step(self, game: Any, action: int) -> Any:
        return engine.competitive_step(game, action)

    def _fill_mask(self, game: Any, mask: npt.NDArray[np.int8]) -> None:
        engine.competitive_mask(game, mask)

    def _deal_batch(self, games: Games, seeds: States) -> None:
        engine.competitive_deal_batch(games, self.catalogue.cards, seeds)

    def _deal_order(self, game: Any, order: npt.NDArray[np.int16], seed: np.uint64) -> None:
        engine.competitive_deal_order(game, self.catalogue.cards, seed, order)

    def _random_play(self, games: Games, masks: npt.NDArray[np.int8], steps: int, choices: States) -> Any:
        return random_play.competitive_batch(games, self.catalogue.cards, masks, steps, choices)


@dataclass(frozen=True)
class Result:
    """What can be read from a game of either mode; `end_reason` is None while it is running."""

    end_reason: str | None
    score: int | None = None  # co-op only, at any time
    winners: tuple[int, ...] = ()  # competitive only: one seat, or those who share a draw

    def rank(self, language: str = "en") -> str | None:
        """The name of the co-op score's rank, in `en`, `fr`, `de` or `es`."""
        return None if self.score is None else rank_name(self.score, language)


def read_result(game: Any) -> Result:
    """Score, winners and end reason of one record of either mode."""
    check_single(game)
    end = game["end"]
    end_reason = None if end == engine.RUNNING else engine.END_REASONS[end]
    if "winner" not in game.dtype.names:
        return Result(end_reason, score=int(engine.coop_score(game)))
    if end == engine.WON:
        return Result(end_reason, winners=(int(game["winner"]),))
    still_in = np.flatnonzero(game["active"]).tolist() if end == engine.DRAW else []
    return Result(end_reason, winners=tuple(still_in))


def check_single(game: Any) -> None:
    if np.ndim(game) > 0:
        raise SettingsError(f"game: {len(game)} games at once; give one of them, such as games[0]")


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """The value as an int, or an error unless it is a whole number from `low` to `high`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= high:
        raise SettingsError(f"{name}: {value!r} is not a whole number from {low} to {high}")
    return number


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """The value, or an error that names the choices."""
    if not isinstance(value, str) or value not in choices:
        raise SettingsError(f"{name}: {value!r} is not known; {nearest(str(value), choices)}")
    return value


def nearest(name: str, choices: Sequence[str], otherwise: str = "choose one of") -> str:
    """What somebody may have meant, or all there is to choose from."""
    near = difflib.get_close_matches(name, choices, n=1, cutoff=0.7)
    return f"did you mean {near[0]!r}?" if near else f"{otherwise} {', '.join(choices)}"


def true_or_false(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise SettingsError(f"{name}: {value!r} is neither True nor False")
    return bool(value)


def check_seed(seed: Any) -> int:
    return whole_number("seed", seed, 0, 2**64 - 1)


def as_list(values: Any) -> list[Any]:
    """The items of an iterable, or the one value that is none."""
    try:
        return list(values)
    except TypeError:
        return [values]


def check_order(draw_order: Sequence[int], length: int, catalogue_size: int) -> npt.NDArray[np.int16]:
    """The draw order as an array, or an error unless it has the right number of different cards."""
    cards = [whole_number("draw_order", card, 0, catalogue_size - 1) for card in as_list(draw_order)]
    if len(cards) != length:
        raise SettingsError(f"draw_order: {len(cards)} cards where the game needs {length}")
    if len(set(cards)) < length:
        twice = next(card for card in cards if cards.count(card) > 1)
        raise SettingsError(f"draw_order: card {twice} stands there more than once; each card may come once")
    return np.array(cards, np.int16)
