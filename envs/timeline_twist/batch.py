"""Games with everything that their players see: what all environments of this package are made of.

A batch holds engine records, the seats' estimates, and preallocated buffers for observations and masks; one compiled
call advances all of it. The PettingZoo environments are batches of one.

Different batches may run in different threads; one batch (and so one environment) may not, not even two observations
at a time: they share its working memory.
"""

import copy
import difflib
import hashlib
import inspect
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist import competitive_batch, coop_batch, engine
from timeline_twist import knowledge as knowing
from timeline_twist.catalogue import Catalogue
from timeline_twist.competitive_observation import competitive_layout
from timeline_twist.coop_observation import coop_layout
from timeline_twist.errors import SettingsError
from timeline_twist.observation import FEATURES, NO_AUTORESET, ONE, SLOTS, Layout
from timeline_twist.records import OUTCOME, view_dtype, work_dtype
from timeline_twist.state import state_vector
from timeline_twist.tables import Competitive, Coop, Games, Table, check_seed, nearest, one_of, true_or_false

REWARDS = ("delta", "final")
RESET_OPTIONS = ("draw_order", "estimates", "reset_mask")

Floats = npt.NDArray[np.float32]
Masks = npt.NDArray[np.int8]
Indices = npt.NDArray[np.int64]


class Batch(ABC):
    """`count` games at one table, not yet dealt."""

    table: Table
    layout: Layout

    def __init__(
        self,
        table: Table,
        count: int,
        *,
        knowledge: str | Mapping[str, Any] = "noisy",
        communication: str = "open",
        features: str = "full",
        slots: str = "table",
        show_pile_top: bool = True,
    ) -> None:
        self.table = table
        self.knowledge = knowing.read(table, knowledge, communication)
        self.knowledge_setting = knowledge  # as it was given, for recordings
        self.features = one_of("features", features, FEATURES)
        self.slots = one_of("slots", slots, SLOTS)
        self.show_pile_top = true_or_false("show_pile_top", show_pile_top)
        self.layout = self._layout()
        self.view = self._view()
        self.work = np.zeros(1, work_dtype(len(table.catalogue)))
        self.games: Games = np.zeros(count, table.record)
        self.estimates = np.zeros((count, len(self.knowledge.sigma), table.cards_in_game), np.float32)
        self.observations = np.zeros((count, self.layout.size), np.float32)
        self.masks = np.zeros((count, table.actions), np.int8)
        self.final_observations = np.zeros_like(self.observations)
        self.outcomes = np.zeros(count, OUTCOME)
        self.dealt = False  # becomes True when all have been

    def __len__(self) -> int:
        return len(self.games)

    def _view(self) -> npt.NDArray[np.record]:
        """The settings for compiled code."""
        cards = self.table.catalogue.cards
        count = len(cards)
        times = self.table.catalogue.positions
        view = np.zeros(1, view_dtype(count))
        view["times"], view["per_time"], view["catalogue_size"] = times, 1 / times, count
        view["icons"] = len(self.table.catalogue.icons)
        view["kind"], view["rows"] = self.knowledge.kind, len(self.knowledge.sigma)
        view["full"], view["sorted_slots"] = self.features == "full", self.slots == "sorted"
        view["show_pile_top"] = self.show_pile_top
        view["copies"][0, :times] = np.bincount(cards["time"], minlength=times) * ONE
        view["labels"][0, :count] = labels(self.table.catalogue)
        view["numbers"][0, :count] = np.arange(count)
        view["private"][0, : self.table.players, :count] = self.knowledge.private
        view["sigma"][0, : len(self.knowledge.sigma), :count] = self.knowledge.sigma
        view["stops"][0, : len(self.layout.stops)] = self.layout.stops
        return view

    def deal(self, which: Sequence[int], seeds: Sequence[int | None], options: Mapping[str, Any] | None = None) -> None:
        """Deal games anew, each from a seed or as the one that follows its last.

        `options` may give a `draw_order` and the seats' private `estimates`.
        """
        if not isinstance(options, Mapping | None):
            raise SettingsError(f"options: {options!r} is not a mapping, such as {{'draw_order': [...]}}")
        order, given = read_options(options or {})
        numbers = [self.next_seed(i) if seed is None else seed for i, seed in zip(which, seeds, strict=True)]
        if given is not None:
            given = knowing.check_estimates(given, self.knowledge)
        if order is None:
            games = self.table.deal(numbers)
        else:
            games = np.concatenate([self.table.deal_order(order, seed) for seed in numbers])
        estimates = np.zeros((len(games), *self.estimates.shape[1:]), np.float32)
        if given is None:
            self._draw_estimates(games, estimates)
        else:
            heard = knowing.heard(given, self.knowledge)
            for i, game in enumerate(games):
                estimates[i] = heard[:, self.table.card_numbers(game)]
        # Nothing has been touched so far: a mistake in the arguments leaves the running games as they are.
        self.games[which], self.estimates[which] = games, estimates
        self.outcomes[which] = np.zeros((), OUTCOME)
        self.outcomes["score"][which] = self._scores(games)

    def check_dealt(self) -> None:
        """Compiled code would not find its way in games that have never been dealt."""
        self.dealt = self.dealt or bool((self.games["players"] > 0).all())
        if not self.dealt:
            raise SettingsError("env: no game has been dealt yet; call reset() first")

    def next_seed(self, i: int) -> int:
        """The seed of the game that follows game i; a random one if none has been dealt yet."""
        if self.games[i]["players"] == 0:
            return secrets.randbits(63)
        return int(engine.seed_of_next(self.games[i]))

    def adopt(self, game: Any) -> None:
        """Make game 0 a copy of a record dealt at this table; estimates are those that belong to its seed."""
        self.table.check_dealt_here(game)
        self.games[0] = game
        self._draw_estimates(self.games[:1], self.estimates[:1])
        self.observe_turns()

    def lens(self, features: str, slots: str) -> "Batch":
        """The same games and estimates, presented to players who want other features or slots."""
        other = copy.copy(self)
        other.features = one_of("features", features, FEATURES)
        other.slots = one_of("slots", slots, SLOTS)
        other.layout = other._layout()
        other.view = other._view()
        other.work = np.zeros_like(self.work)
        return other

    def slot_order(self, i: int) -> list[int]:
        """The table slots of the player on turn in game i, in the order in which they are presented."""
        self._order(i)
        return [int(slot) for slot in self.work["order"][0]]

    def state(self, i: int) -> Floats:
        """The whole hidden state of game i (see timeline_twist.state)."""
        self.check_dealt()
        return state_vector(self.table, self.games[i], self.estimates[i])

    def observe(self, i: int, seat: int) -> dict[str, Any]:
        """What a seat of game i sees; its mask is all zero unless it is on turn."""
        self.check_dealt()
        observation = np.empty(self.layout.size, np.float32)
        mask = np.empty(self.table.actions, np.int8)
        self._observe_seat(i, seat, observation, mask)
        return {"observation": observation, "action_mask": mask}

    def turns(self, which: Indices) -> Indices:
        """Who is on turn in these games."""
        seats: Indices = self.games["turn"][which].astype(np.int64)
        return seats

    def play(self, action: int) -> bool:
        """Carry out an action in game 0 and observe whoever is on turn then; an illegal one gives False, no more."""
        self.check_dealt()
        # What is no action at all may be larger than compiled code can take.
        return 0 <= action < self.table.actions and self._play(action)

    @abstractmethod
    def _play(self, action: int) -> bool: ...

    @abstractmethod
    def observe_turns(self) -> None:
        """Fill the buffers with what the players on turn see."""

    @abstractmethod
    def _layout(self) -> Layout: ...

    @abstractmethod
    def _scores(self, games: Games) -> Any: ...

    @abstractmethod
    def _draw_estimates(self, games: Games, estimates: Floats) -> None: ...

    @abstractmethod
    def _order(self, i: int) -> None:
        """Leave the presented order of the player on turn in `work`."""

    @abstractmethod
    def _observe_seat(self, i: int, seat: int, observation: Floats, mask: Masks) -> None: ...

    @abstractmethod
    def step_some(self, which: Indices, actions: Any) -> npt.NDArray[np.bool_]:
        """`actions[k]` in game `which[k]`; tells which were legal."""

    @abstractmethod
    def observe_some(self, which: Indices, seats: Indices, observations: Floats, masks: Masks) -> None:
        """What seat `seats[k]` sees of game `which[k]`, into row k."""


class CoopBatch(Batch):
    """Co-op games."""

    table: Coop

    def __init__(self, table: Coop, count: int, *, reward: str = "delta", **settings: Any) -> None:
        super().__init__(table, count, **settings)
        self.reward = one_of("reward", reward, REWARDS)
        self.view["final_reward"] = reward == "final"
        self.actions = np.zeros(count, np.int64)

    def step(self, actions: Any, autoreset: int) -> None:
        """One action in every game, new deals where `autoreset` says so, then what the players on turn see."""
        coop_batch.coop_step_batch(
            self.games,
            self.estimates,
            actions,
            self.table.catalogue.cards,
            self.view,
            self.work,
            self.observations,
            self.masks,
            self.final_observations,
            self.outcomes,
            autoreset,
        )

    def step_some(self, which: Indices, actions: Any) -> npt.NDArray[np.bool_]:
        legal = np.zeros(len(which), np.bool_)
        coop_batch.coop_step_some(self.games, self.estimates, which, actions, self.view, self.work, legal)
        return legal

    def observe_some(self, which: Indices, seats: Indices, observations: Floats, masks: Masks) -> None:
        coop_batch.coop_observe_some(
            self.games, self.estimates, which, seats, self.view, self.work, observations, masks
        )

    def _play(self, action: int) -> bool:
        self.actions[0] = action
        self.step(self.actions, NO_AUTORESET)
        return not self.outcomes["illegal"][0]

    def observe_turns(self) -> None:
        coop_batch.coop_observe_turns(self.games, self.estimates, self.view, self.work, self.observations, self.masks)

    def _layout(self) -> Layout:
        cards, full = self.table.catalogue, self.features == "full"
        sizes = (self.table.players, cards.positions, len(cards.icons), len(cards))
        return coop_layout(*sizes, self.knowledge.kind, full)

    def _scores(self, games: Games) -> Any:
        return 3 * games["main_cards"] + 2 * games["gap_cards"] - self.table.deck_size

    def _draw_estimates(self, games: Games, estimates: Floats) -> None:
        coop_batch.coop_draw_estimates(games, estimates, self.view)

    def _observe_seat(self, i: int, seat: int, observation: Floats, mask: Masks) -> None:
        coop_batch.coop_observe_seat(self.games, self.estimates, i, seat, self.view, self.work, observation, mask)

    def _order(self, i: int) -> None:
        coop_batch.coop_order_turn(self.games, self.estimates, i, self.view, self.work)


class CompetitiveBatch(Batch):
    """Competitive games; a step advances any of them by one player's turn."""

    table: Competitive

    def __init__(self, table: Competitive, count: int, **settings: Any) -> None:
        super().__init__(table, count, **settings)
        self.all = np.arange(count)

    def step_some(self, which: Indices, actions: Any) -> npt.NDArray[np.bool_]:
        legal = np.zeros(len(which), np.bool_)
        competitive_batch.competitive_step_some(self.games, self.estimates, which, actions, self.view, self.work, legal)
        return legal

    def deal_next(self, which: Indices) -> None:
        """The games that follow these."""
        competitive_batch.competitive_deal_next(
            self.games, self.table.catalogue.cards, self.estimates, which, self.view
        )

    def observe_some(self, which: Indices, seats: Indices, observations: Floats, masks: Masks) -> None:
        competitive_batch.competitive_observe_some(
            self.games, self.estimates, which, seats, self.view, self.work, observations, masks
        )

    def observe_seats(self, seats: Indices) -> None:
        """Fill the buffers with what one seat of each game sees."""
        self.observe_some(self.all, seats, self.observations, self.masks)

    def mask_some(self, which: Indices, masks: Masks) -> None:
        """The mask alone of the player on turn in game `which[k]`, into row k."""
        competitive_batch.competitive_mask_some(self.games, self.estimates, which, self.view, self.work, masks)

    def rewards(self, which: Indices, seats: Indices) -> npt.NDArray[np.float64]:
        """What `seats[i]` gets for game i, for each i in `which`; 0 while it is running."""
        rewards = np.zeros(len(which))
        competitive_batch.competitive_rewards(self.games, which, seats, rewards)
        return rewards

    def _play(self, action: int) -> bool:
        legal = bool(self.step_some(self.all[:1], np.array([action]))[0])
        self.observe_turns()
        return legal

    def observe_turns(self) -> None:
        self.observe_seats(self.turns(self.all))

    def _layout(self) -> Layout:
        cards, full = self.table.catalogue, self.features == "full"
        return competitive_layout(self.table.players, cards.positions, len(cards), self.knowledge.kind, full)

    def _scores(self, games: Games) -> Any:  # noqa: ARG002  (only co-op has scores)
        return 0

    def _draw_estimates(self, games: Games, estimates: Floats) -> None:
        competitive_batch.competitive_draw_estimates(games, estimates, self.view)

    def _observe_seat(self, i: int, seat: int, observation: Floats, mask: Masks) -> None:
        self.observe_some(self.all[i : i + 1], np.array([seat]), observation[None], mask[None])

    def _order(self, i: int) -> None:
        competitive_batch.competitive_order_turn(self.games, self.estimates, i, self.view, self.work)


def check_names(env: str, settings: Mapping[str, Any], *makers: Callable[..., Any]) -> None:
    """An error for a setting that none of the makers takes; it names the nearest one."""
    taken = [name for maker in makers for name in inspect.signature(maker).parameters]
    known = [name for name in taken if name not in ("self", "count", "settings")]
    for name in settings:
        if name not in known:
            raise SettingsError(f"{name}: {env} has no such setting; {nearest(name, known, 'it has')}")


def labels(catalogue: Catalogue) -> npt.NDArray[np.int16]:
    """A fixed shuffle of the catalogue, by a hash of the titles: files are often sorted by time."""
    order = sorted(range(len(catalogue)), key=lambda card: hashlib.sha256(catalogue.titles[card].encode()).digest())
    places = np.empty(len(catalogue), np.int16)
    places[order] = np.arange(len(catalogue))
    return places


def read_options(options: Mapping[str, Any]) -> tuple[Any, Any]:
    """Draw order and estimates. Unknown options are ignored, as PettingZoo asks; misspelt ones are not."""
    for name in options:
        for known in difflib.get_close_matches(str(name), RESET_OPTIONS, n=1, cutoff=0.8):
            if name != known:
                raise SettingsError(f"options: {name!r} is not known; did you mean {known!r}?")
    return options.get("draw_order"), options.get("estimates")


def check_seeds(seed: Any, count: int) -> list[int | None]:
    """One seed per game: those given, or `seed`, `seed + 1`, ...; None for games that follow their last."""
    if seed is None:
        return [None] * count
    if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
        if len(seed) != count:
            raise SettingsError(f"seed: {len(seed)} seeds for {count} games; give one for each, or the first")
        return [None if one is None else check_seed(one) for one in seed]
    first = check_seed(seed)
    return [(first + i) % 2**64 for i in range(count)]
