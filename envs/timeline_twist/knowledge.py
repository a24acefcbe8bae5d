"""What each seat knows of hidden times, and what it hears from the others.

A time that has been public once (timeline, discards, stuck cards) is known to everybody, exactly and for good. Of all
other cards a seat knows what `knowledge` says: a name, or a mapping with the kind and its settings.

| kind | a seat knows of a face |
|---|---|
| `noisy` (default, `sigma` 5) | its own private estimate, drawn once per game: true position plus Gaussian noise |
| `expert` | its exact time |
| `faces` | which card it is: its time must be learned over many games, as people learn it |
| `blind` | its front icon (co-op), nothing (competitive) |

A position is the place of a time among the catalogue's different times, from 0. `sigma` is in positions, 0.1 to
1,000, or 0 for a seat that never errs; one number, or one per seat: `{"kind": "noisy", "sigma": [2, 10]}`. A
catalogue may have a column `difficulty` of at most five different numbers: a card's sigma is the seat's, times its
difficulty.

`communication` is `open` (default: everybody hears everybody's estimates, pooled by precision; players out of cards
still talk) or `none` (a seat has only its own). In competitive mode nobody shares. Between seats that know the same
(`expert`, `faces`, `blind`) it makes no difference.

**The noise.** The estimate of seat s of card c (a catalogue number) uses output `1 + 1000 s + c` of the generator that
starts at `seed ^ NOISE_STREAM` (the bytes "TT-noise"): its upper 53 bits are the middle of a cell of (0, 1), and
Wichura's AS 241 turns that into a Gaussian with nothing but additions, multiplications, divisions and a square root,
so that it is the same on every platform. Neither the deal nor later random numbers depend on it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.compiled import compiled
from timeline_twist.engine import GAMMA, mix
from timeline_twist.errors import SettingsError
from timeline_twist.tables import Coop, Table, one_of

KINDS = ("expert", "noisy", "faces", "blind")
EXPERT, NOISY, FACES, BLIND = range(4)
COMMUNICATION = ("open", "none")
DEFAULT_SIGMA = 5.0
SMALLEST_SIGMA, LARGEST_SIGMA = 0.1, 1000.0
FARTHEST_ESTIMATE = 100_000

NOISE_STREAM = np.uint64(int.from_bytes(b"TT-noise", "big"))
S11 = np.uint64(11)
LOG_2 = 0.6931471805599453
ROOT_HALF = 0.7071067811865476

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Knowledge:
    """Checked settings of one table."""

    kind: int
    communication: str
    positions: int  # how many there are
    private: Floats  # [seat, card of the catalogue]: the sigma of a seat's own estimates
    sigma: Floats  # [row, card]: the sigma of what a seat goes by; one row where all seats know the same

    @property
    def name(self) -> str:
        return KINDS[self.kind]

    def row_of(self, seat: int) -> int:
        return 0 if len(self.sigma) == 1 else seat


def read(table: Table, knowledge: str | Mapping[str, Any], communication: str) -> Knowledge:
    """Check `knowledge` and `communication` for a table."""
    kind, sigma = read_kind(knowledge)
    if communication not in COMMUNICATION:
        choices = ", ".join(COMMUNICATION)
        raise SettingsError(f"communication: {communication!r} is not known; choose one of {choices}")
    difficulty = np.array(table.catalogue.difficulties, np.float32)
    positions = table.catalogue.positions
    if kind != NOISY:
        nothing = np.zeros((table.players, len(difficulty)), np.float32)
        return Knowledge(kind, communication, positions, nothing, nothing[:1])
    private = np.outer(seat_sigmas(sigma, table.players), difficulty).astype(np.float32)
    if not isinstance(table, Coop) or communication == "none":
        return Knowledge(kind, communication, positions, private, private)
    with np.errstate(divide="ignore"):
        pooled = (1 / np.sqrt((1 / private.astype(np.float64) ** 2).sum(0, keepdims=True))).astype(np.float32)
    return Knowledge(kind, communication, positions, private, pooled)


def read_kind(knowledge: Any) -> tuple[int, Any]:
    """The kind, and the sigma where there is one."""
    settings = {"kind": knowledge} if isinstance(knowledge, str) else knowledge
    if not isinstance(settings, Mapping) or "kind" not in settings:
        raise SettingsError(f"knowledge: {knowledge!r} is neither a name nor a mapping with a kind; {choices()}")
    kind = settings["kind"]
    one_of("knowledge", kind, KINDS)
    allowed = {"kind", "sigma"} if kind == "noisy" else {"kind"}
    for name in settings:
        if name not in allowed:
            raise SettingsError(
                f"knowledge.{name}: {kind!r} has no such setting; it takes {', '.join(sorted(allowed))}"
            )
    return KINDS.index(kind), settings.get("sigma", DEFAULT_SIGMA)


def choices() -> str:
    return f"choose one of {', '.join(KINDS)}"


def seat_sigmas(sigma: Any, players: int) -> list[float]:
    """One sigma for each seat."""
    values = list(sigma) if isinstance(sigma, list | tuple | np.ndarray) else [sigma] * players
    if len(values) != players:
        raise SettingsError(f"knowledge.sigma: {len(values)} numbers for {players} players; give one, or one per seat")
    return [check_sigma(value) for value in values]


def check_sigma(value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if number != 0 and not SMALLEST_SIGMA <= number <= LARGEST_SIGMA:
        limits = f"{SMALLEST_SIGMA:g} to {LARGEST_SIGMA:,.0f}"
        raise SettingsError(f"knowledge.sigma: {value!r} is not 0 or a number from {limits} (in positions)")
    return number


def check_estimates(estimates: Any, knowledge: Knowledge) -> Floats:
    """Private estimates given from outside, [seat, card of the catalogue]."""
    if knowledge.kind != NOISY:
        raise SettingsError(f"estimates: only 'noisy' knowledge has them, this table's is {knowledge.name!r}")
    try:
        values = np.asarray(estimates, np.float32)
    except (TypeError, ValueError):
        values = np.empty(0, np.float32)
    seats, cards = knowledge.private.shape
    if values.shape != (seats, cards) or not (np.abs(values) <= FARTHEST_ESTIMATE).all():
        raise SettingsError(
            f"estimates: give {seats} rows (seats) of {cards} numbers (cards of the catalogue), "
            f"positions between {-FARTHEST_ESTIMATE:,} and {FARTHEST_ESTIMATE:,}"
        )
    exact = values[knowledge.private == 0]
    if ((exact != np.round(exact)) | (exact < 0) | (exact >= knowledge.positions)).any():
        raise SettingsError(
            "estimates: a seat with sigma 0 knows positions: give whole numbers of the catalogue's range"
        )
    return values


def heard(given: Floats, knowledge: Knowledge) -> Floats:
    """What the seats go by, [row, card], if these are their private estimates."""
    if len(knowledge.sigma) > 1:
        return given
    exact = np.flatnonzero((knowledge.private == 0).any(axis=1))
    if len(exact):
        return given[exact[:1]]
    weights = 1 / knowledge.private.astype(np.float64) ** 2
    pooled: Floats = ((weights * given).sum(0, keepdims=True) / weights.sum(0)).astype(np.float32)
    return pooled


# --- Gaussians --------------------------------------------------------------------------------------------------------


@compiled
def logarithm(x: float) -> Any:
    """The natural logarithm of a positive number, the same to the last bit everywhere (the system's own is not)."""
    mantissa, exponent = math.frexp(x)
    if mantissa < ROOT_HALF:
        mantissa *= 2.0
        exponent -= 1
    s = (mantissa - 1.0) / (mantissa + 1.0)
    square = s * s
    total = 0.0
    for k in range(21, 0, -2):
        total = total * square + 1.0 / k
    return exponent * LOG_2 + 2.0 * s * total


@compiled
def quantile(p: float) -> Any:
    """The standard Gaussian quantile of 0 < p < 1: Wichura's AS 241, seven digits."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        above = ((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179
        return q * above / (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0)
    r = math.sqrt(-logarithm(min(p, 1.0 - p)))
    if r <= 5.0:
        r -= 1.6
        above = ((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777
        value = above / ((0.12021132975 * r + 0.73700164250) * r + 1.0)
    else:
        r -= 5.0
        above = ((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150
        value = above / ((0.012258202635 * r + 0.24197894225) * r + 1.0)
    return value if q > 0 else -value


@compiled
def gaussian(seed: Any, seat: int, card: int) -> Any:
    """The noise in a seat's estimate of a card of the catalogue, in units of its sigma."""
    bits = mix((np.uint64(seed) ^ NOISE_STREAM) + GAMMA * np.uint64(1 + 1000 * seat + card))
    return quantile((np.float64(bits >> S11) + 0.5) * 2.0**-53)


# --- estimates --------------------------------------------------------------------------------------------------------


@compiled
def draw_estimates(game: Any, cards: Any, view: Any, estimates: Any) -> None:
    """Fill in what the seats go by: `estimates[row, i]` of card i of the game, whose catalogue number is `cards[i]`."""
    for i in range(estimates.shape[1]):
        if view.kind == EXPERT:
            estimates[0, i] = game.time[i]
        elif view.kind != NOISY:
            estimates[0, i] = 0
        elif estimates.shape[0] == 1:
            estimates[0, i] = pooled_estimate(game, cards[i], game.time[i], view)
        else:
            for seat in range(estimates.shape[0]):
                estimates[seat, i] = private_estimate(game.seed, seat, cards[i], game.time[i], view)


@compiled
def private_estimate(seed: Any, seat: int, card: int, time: int, view: Any) -> Any:
    sigma = np.float64(view.private[seat, card])
    return time + (sigma * gaussian(seed, seat, card) if sigma > 0 else 0.0)


@compiled
def pooled_estimate(game: Any, card: int, time: int, view: Any) -> Any:
    """The seats' estimates weighed by their precision; a seat that never errs decides alone."""
    total = weights = 0.0
    for seat in range(game.players):
        sigma = np.float64(view.private[seat, card])
        estimate = private_estimate(game.seed, seat, card, time, view)
        if sigma == 0:
            return estimate
        total += estimate / (sigma * sigma)
        weights += 1.0 / (sigma * sigma)
    return total / weights
