"""Tiny co-op games solved: the expected final score of best play, without hindsight.

    table = Coop(players=2, catalogue="tiny", hand_size=2, deck_size=12)
    games = table.deal(range(10))
    solve(table, games[0])              # the expected score of perfect players from here on
    solve_many(table, games)            # the same for each game of a batch

The players are experts who talk openly: all of them know the time of every card they see, and share what they know.
They see all hands, the top card of the draw pile, and whatever has been flipped. They do not see the order of the cards
below the top, nor the back icon of a card before it is flipped. So the team is one player against chance:

- A flipped card shows its back icon. The pairs of icons were dealt at random, so the card has each of the pairs
  with its front that have not been seen yet with the same chance.
- A card that comes to the top of the draw pile shows its face: each time not seen yet with the same chance, and each of
  the fronts that are left once those of the visible cards are taken away.

Every legal action is tried unless a bound proves it no better than another, those included that look useless: a card
known to have no place can be flipped, as a second try, to learn its back icon for nothing. All rules are the engine's;
it plays on records in which what is hidden is filled in, one possibility after the other.

What the players know is remembered by a key of 128 bits, which two different situations share with a chance below 1 in
10**20. Situations that differ in names only have the same key: seats are counted from the player on turn, times by
their order, early and late may be swapped, and icons are named by what is seen of them.

This asks for the whole catalogue in the deck, shuffled icons, and different times.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.compiled import compiled
from timeline_twist.engine import (
    COOP_ACTIONS,
    DISCARD,
    END_TURN,
    NO_CARD,
    PLAY,
    RUNNING,
    coop_is_legal,
    coop_legal_actions,
    coop_score,
    coop_step,
    mix,
)
from timeline_twist.errors import SettingsError
from timeline_twist.records import COOP, MAX_HAND
from timeline_twist.tables import Coop, whole_number

MAX_CARDS = 16
MAX_ICONS = 4
MAX_THREADS = 1024

# Room for the possible outcomes of every action on the way to the end of a game. A turn draws two cards at most, so 13
# hidden cards and four icons, the most there can be, take less than 21,000 places.
ROOM = 1 << 15

# Places of a new memory, half of which stay free: more than the actions of a game, since all situations on the way
# down are entered on the way back, and a search in a full memory would not end.
FIRST_CAPACITY = 1 << 16

# What a card means to the key: of no more use, or where it is; a card in a hand is told by seat and icons.
GONE, UNSEEN, TOP, HELD = 0, 1, 2, 3
ICON_BITS, SEAT_BITS = 3, 3
NO_ICON = MAX_ICONS
SALT = np.uint64(0xD1B54A32D192ED03)
IN_GAP, DEAD, END_OF_ROW = (np.uint64(i << 40) for i in range(1, 4))
NOTHING, ONE = np.uint64(0), np.uint64(1)


@compiled
def order_icons(game: Any, pool: Any, order: Any) -> None:
    """The icons in an order that does not depend on their names: the open one first, then by what can be seen of them.

    Any order would do, for names mean nothing. The more often it is the same for situations that differ in names
    only, the more of them are solved at once.
    """
    icons, rank = pool.shape[0], order[1]
    open_icon = game.back[game.discards[game.discard_count - 1]]
    for icon in range(icons):
        rank[icon] = pool[icon, open_icon] << 8 | pool[open_icon, icon] << 4 | pool[icon].sum()
    rank[open_icon] = 1 << 12
    for seat in range(game.players):
        for slot in range(MAX_HAND):
            card = game.hands[seat, slot]
            if card != NO_CARD:
                rank[game.front[card]] += (1 + (seat - game.turn) % game.players) << 16
    rank[open_icon] += 1 << 40
    for i in range(icons):
        order[0, i] = i
        for j in range(i, 0, -1):
            if rank[order[0, j]] > rank[order[0, j - 1]]:
                order[0, j], order[0, j - 1] = order[0, j - 1], order[0, j]


@compiled
def token(game: Any, seat: int, slot: int, name: Any) -> Any:
    """What a card in a hand means to the future: whose it is, counted from the player on turn, and its known icons."""
    card = game.hands[seat, slot]
    back = name[game.back[card]] if game.stuck[seat, slot] else NO_ICON
    relative = (seat - game.turn) % game.players
    return HELD + (((relative << ICON_BITS | name[game.front[card]]) << ICON_BITS | back) << SEAT_BITS)


@compiled
def fill_tokens(game: Any, unseen: Any, icons: int, order: Any, tokens: Any) -> None:
    """For each time, what the card that has it means to the future."""
    name = order[1]
    for i in range(icons):
        name[order[0, i]] = i
    for time in range(game.deck_size):
        tokens[time] = UNSEEN if unseen >> np.uint64(time) & np.uint64(1) else GONE
    for seat in range(game.players):
        for slot in range(MAX_HAND):
            if game.hands[seat, slot] != NO_CARD:
                tokens[game.time[game.hands[seat, slot]]] = token(game, seat, slot, name)
    if game.drawn < game.deck_size:
        tokens[game.time[game.drawn]] = TOP + (name[game.front[game.drawn]] << SEAT_BITS)


@compiled
def half_key(game: Any, pool: Any, order: Any, tokens: Any, salt: Any) -> Any:
    """64 bits that stand for all that matters to the future; another salt gives other bits.

    Beyond an end of the row the order of the cards matters, seen from the row; early and late are alike. In a gap only
    matters who has which cards: the first one fills it. The cards of filled gaps are dead wherever they are.
    """
    key = salt
    for front in range(pool.shape[0]):
        for back in range(pool.shape[0]):
            key = mix(key + np.uint64(pool[order[0, front], order[0, back]]))
    key = mix(key + np.uint64(game.phase))
    last = game.main_count - 1
    low = high = salt ^ END_OF_ROW
    for time in range(game.time[game.main[0]] - 1, -1, -1):
        if tokens[time] != GONE:
            low = mix(low + np.uint64(tokens[time]))
    for time in range(game.time[game.main[last]] + 1, game.deck_size):
        if tokens[time] != GONE:
            high = mix(high + np.uint64(tokens[time]))
    key += mix(low) + mix(high)
    for i in range(last):
        in_gap, dead = NOTHING, game.gap[i] != NO_CARD
        for time in range(game.time[game.main[i]] + 1, game.time[game.main[i + 1]]):
            if tokens[time] != GONE:
                in_gap += mix(salt ^ (DEAD if dead else IN_GAP) ^ np.uint64(tokens[time]))
        key += in_gap if dead else mix(in_gap)
    return mix(key)


@compiled
def whole_key(game: Any, pool: Any, unseen: Any, scratch: Any) -> Any:
    """Both halves of the key; the first one is never 0."""
    order, tokens = scratch[:2], scratch[2]
    order_icons(game, pool, order)
    fill_tokens(game, unseen, pool.shape[0], order, tokens)
    key = half_key(game, pool, order, tokens, SALT) | np.uint64(1)
    return key, half_key(game, pool, order, tokens, ~SALT)


@compiled
def bound(game: Any, unseen: Any) -> Any:
    """Points to come at most: three for each card beyond an end of the row, two for each free gap that a card fits."""
    to_come = unseen
    if game.drawn < game.deck_size:
        to_come |= ONE << np.uint64(game.time[game.drawn])
    for seat in range(game.players):
        for slot in range(MAX_HAND):
            if game.hands[seat, slot] != NO_CARD:
                to_come |= ONE << np.uint64(game.time[game.hands[seat, slot]])
    points, last = 0, game.main_count - 1
    for time in range(game.deck_size):
        outside = time < game.time[game.main[0]] or time > game.time[game.main[last]]
        points += 3 * (outside and to_come >> np.uint64(time) & ONE != NOTHING)
    for i in range(last):
        low, high = np.uint64(game.time[game.main[i]]), np.uint64(game.time[game.main[i + 1]])
        points += 2 * (game.gap[i] == NO_CARD and to_come & ((ONE << high) - (ONE << low)) != NOTHING)
    return points


@compiled
def hope(here: int, begin: int, end: int, games: Any, unseen: Any, chances: Any) -> Any:
    """The expected points to come if every outcome came up to its bound."""
    points = 0.0
    for there in range(begin, end):
        gain = coop_score(games[there]) - coop_score(games[here])
        points += chances[there] * (gain + bound(games[there], unseen[there]))
    return points


@compiled
def find(keys: Any, key: Any, other: Any) -> Any:
    """Where this key is, or the free place where it belongs."""
    last = keys.shape[0] - 1
    place = np.int64(key) & last
    while keys[place, 0] != NOTHING and (keys[place, 0] != key or keys[place, 1] != other):
        place = (place + 1) & last
    return place


@compiled
def value(
    here: int, games: Any, pools: Any, unseen: Any, chances: Any, scratch: Any, keys: Any, values: Any, used: Any
) -> Any:
    """The expected points still to come in the situation at place `here`; NaN if the memory is full.

    What is known of a situation stands at the same place of four arrays: the game, the pairs of icons not yet seen, the
    times not yet seen, and the chance to come here. The places after it are free.
    """
    most = bound(games[here], unseen[here])
    if games[here].end != RUNNING or most == 0:
        return 0.0
    key, other = whole_key(games[here], pools[here], unseen[here], scratch)
    place = find(keys, key, other)
    if keys[place, 0] != NOTHING:
        return values[place]
    if 2 * used[0] >= keys.shape[0]:
        return np.nan
    best = 0.0
    for action in range(COOP_ACTIONS):
        # Nothing can be better than the bound.
        if coop_is_legal(games[here], action) and best < most:
            begin, end = outcomes(here, action, games, pools, unseen, chances)
            expected = hope(here, begin, end, games, unseen, chances)
            # From the last one on: what follows from it may take the places after it.
            for there in range(end - 1, begin - 1, -1):
                if expected <= best:
                    # Even if all others came up to their bounds, the action would be no better than another.
                    break
                most_there = bound(games[there], unseen[there])
                to_come = value(there, games, pools, unseen, chances, scratch, keys, values, used)
                expected -= chances[there] * (most_there - to_come)
            if np.isnan(expected):
                return np.nan
            best = max(best, expected)
    place = find(keys, key, other)
    keys[place, 0], keys[place, 1], values[place] = key, other, best
    used[0] += 1
    return best


@compiled
def outcomes(here: int, action: int, games: Any, pools: Any, unseen: Any, chances: Any) -> Any:
    """Lay out all that an action may lead to, behind `here`; give the first place and the one after the last."""
    game = games[here]
    begin = end = here + 1
    card = NO_CARD
    if action != END_TURN:
        slot = action - PLAY if action < DISCARD else action - DISCARD
        if game.stuck[game.turn, slot] == 0:
            card = game.hands[game.turn, slot]
    if card == NO_CARD:
        copy(here, end, games, pools, unseen)
        chances[end] = 1.0
        end += 1
    else:
        front = game.front[card]
        for back in range(pools.shape[1]):
            if pools[here, front, back] > 0:
                copy(here, end, games, pools, unseen)
                games[end].back[card] = back
                pools[end, front, back] -= 1
                chances[end] = pools[here, front, back] / pools[here, front].sum()
                end += 1
    for there in range(begin, end):
        coop_step(games[there], action)
    # How many are drawn depends on the action only. The card at `drawn` is the top, and seen.
    seen_before, seen_now = games[here].drawn, min(games[begin].drawn, game.deck_size - 1)
    for shown in range(seen_before + 1, seen_now + 1):
        begin, end = show(begin, end, shown, games, pools, unseen, chances)
    for there in range(begin, end):
        if games[there].end == RUNNING:
            games[there].legal = coop_legal_actions(games[there])
    return begin, end


@compiled
def copy(here: int, there: int, games: Any, pools: Any, unseen: Any) -> None:
    games[there] = games[here]
    pools[there] = pools[here]
    unseen[there] = unseen[here]


@compiled
def show(begin: int, end: int, shown: int, games: Any, pools: Any, unseen: Any, chances: Any) -> Any:
    """Lay out behind the others what they become when a card is seen; give their first place and the end."""
    fronts = np.empty(MAX_ICONS, np.int64)
    free = end
    for here in range(begin, end):
        hidden = games[here].deck_size - shown
        count_hidden_fronts(games[here], pools[here], shown, fronts)
        for time in range(games[here].deck_size):
            bit = np.uint64(1) << np.uint64(time)
            if unseen[here] & bit == NOTHING:
                continue
            for front in range(pools.shape[1]):
                if fronts[front] > 0:
                    copy(here, free, games, pools, unseen)
                    games[free].time[shown] = time
                    games[free].front[shown] = front
                    unseen[free] ^= bit
                    chances[free] = chances[here] * fronts[front] / (hidden * hidden)
                    free += 1
    return end, free


@compiled
def count_hidden_fronts(game: Any, pool: Any, shown: int, fronts: Any) -> None:
    """How often each icon is the front of a card from `shown` on, which nobody has seen yet."""
    for front in range(pool.shape[0]):
        fronts[front] = pool[front].sum()
    for seat in range(game.players):
        for slot in range(MAX_HAND):
            card = game.hands[seat, slot]
            if card != NO_CARD and card < shown and game.stuck[seat, slot] == 0:
                fronts[game.front[card]] -= 1
    for card in range(game.drawn, shown):
        fronts[game.front[card]] -= 1


class Solver:
    """Room to solve games of one table, one after the other."""

    def __init__(self, table: Coop) -> None:
        _check_table(table)
        self.table = table
        icons = len(table.catalogue.icons)
        self._pairs = np.zeros((icons, icons), np.int8)
        np.add.at(self._pairs, (table.catalogue.cards["front"], table.catalogue.cards["back"]), 1)
        self._games = np.empty(ROOM, COOP)
        self._pools = np.empty((ROOM, icons, icons), np.int8)
        self._unseen = np.empty(ROOM, np.uint64)
        self._chances = np.empty(ROOM)
        self._scratch = np.zeros((3, MAX_CARDS), np.int64)
        self._forget()

    def _forget(self) -> None:
        self._used = np.zeros(1, np.int64)
        self._keys = np.zeros((FIRST_CAPACITY, 2), np.uint64)
        self._values = np.empty(FIRST_CAPACITY)

    @property
    def situations(self) -> int:
        """How many different situations the last game took."""
        return int(self._used[0])

    def solve(self, game: Any) -> float:
        """The expected final score of best play from what the players see in this game."""
        self.table.check_dealt_here(game)
        # What other games of the table have in common with this one has been measured: it is not worth the memory.
        self._forget()
        self._games[0] = game
        flipped = _flipped(game)
        self._pools[0] = self._pairs
        np.subtract.at(self._pools[0], (game.front[flipped], game.back[flipped]), 1)
        hidden = range(int(game.drawn) + 1, self.table.deck_size)
        self._unseen[0] = sum(1 << int(game.time[card]) for card in hidden)
        while True:
            memory = (self._keys, self._values, self._used)
            to_come = value(0, self._games, self._pools, self._unseen, self._chances, self._scratch, *memory)
            if not np.isnan(to_come):
                return float(coop_score(game) + to_come)
            self._grow()

    def _grow(self) -> None:
        """Twice the memory; what has been solved stays, so little is lost by beginning again."""
        keys, values = np.zeros((2 * len(self._keys), 2), np.uint64), np.empty(2 * len(self._values))
        move(self._keys, self._values, keys, values)
        self._keys, self._values = keys, values


@compiled
def move(keys: Any, values: Any, new_keys: Any, new_values: Any) -> None:
    for i in range(keys.shape[0]):
        if keys[i, 0] != NOTHING:
            place = find(new_keys, keys[i, 0], keys[i, 1])
            new_keys[place, 0], new_keys[place, 1], new_values[place] = keys[i, 0], keys[i, 1], values[i]


def solve(table: Coop, game: Any) -> float:
    """The expected final score of best play from what the players see in this game."""
    return Solver(table).solve(game)


def solve_many(
    table: Coop, games: Any, progress: Callable[[int], object] | None = None, threads: int = 1
) -> npt.NDArray[np.float64]:
    """The same for each game of a batch; `progress` is called after each one, with its index."""
    whole_number("threads", threads, 1, MAX_THREADS)
    results = np.empty(len(games))

    def solve_every(first: int) -> None:
        solver = Solver(table)
        for i in range(first, len(games), threads):
            results[i] = solver.solve(games[i])
            if progress is not None:
                progress(i)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(solve_every, range(threads)))
    return results


def _flipped(game: Any) -> list[int]:
    """The cards whose back icon has been seen."""
    piles = (game.main[: game.main_count], game.gap[: game.main_count], game.ties[: game.tie_count])
    cards = [*(card for pile in piles for card in pile), *game.discards[: game.discard_count]]
    return [int(card) for card in (*cards, *game.hands[game.stuck == 1]) if card != NO_CARD]


def _check_table(table: Coop) -> None:
    if not isinstance(table, Coop):
        raise SettingsError(f"table: {table!r} is not a co-op table; only co-op games can be solved")
    catalogue = table.catalogue
    where, cards = f"table: {table!r}", len(catalogue)
    if table.icons != "shuffled":
        raise SettingsError(f"{where} has printed icons, which experts know; give icons='shuffled'")
    if table.deck_size != cards:
        raise SettingsError(f"{where} plays {table.deck_size} of {cards} cards; give deck_size={cards} or fewer cards")
    if catalogue.positions < cards:
        raise SettingsError(f"{where} has cards of equal time; give a catalogue without them, such as 'tiny'")
    if cards > MAX_CARDS or len(catalogue.icons) > MAX_ICONS:
        raise SettingsError(
            f"{where} has {cards} cards and {len(catalogue.icons)} icons; "
            f"up to {MAX_CARDS} cards with {MAX_ICONS} icons can be solved, such as 'tiny'"
        )
