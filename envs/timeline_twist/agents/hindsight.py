"""Co-op with hindsight: the best score that can be found by somebody who sees through every card.

    table = Coop(players=3)
    games = table.deal(range(100))
    hindsight(games[0])                     # one score
    hindsight_scores(games, threads=2)      # one score per game, as int16
    best_line(games[0])                     # the score, and the actions that lead to it

It knows the whole draw order and all icons, and looks for the turns that lead to the highest final score. What it
finds can be reached, so it is a *lower bound on the true optimum*: a beam search keeps only the `beam` most promising
positions after each turn. Players who do not see through the cards hardly ever come near, and cannot pass the optimum.
A wider beam takes longer in proportion, finds more on average, and now and then less in a single game.

A layer of the search holds positions at the start of a turn. Each of them is expanded with every whole turn, carried
out by the engine. Positions with the same future are merged, the others ranked by their score plus a guess of what
is still to come.

The game may be in any state, in the middle of a turn too, and is left as it is.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist.compiled import compiled
from timeline_twist.engine import (
    COOP_ACTIONS,
    DISCARD,
    NO_CARD,
    PLACED_ONE,
    RUNNING,
    coop_is_legal,
    coop_score,
    coop_step,
    mix,
)
from timeline_twist.errors import SettingsError
from timeline_twist.records import CANDIDATE, COOP, MAX_DECK, MAX_HAND
from timeline_twist.tables import check_single, whole_number

BEAM = 3000
MAX_BEAM = 1_000_000
MAX_THREADS = 1024

# Four discards, four single plays, twelve pairs of plays.
TURNS = 20
NO_ACTION = -1

# Sets of cards are bits of a uint64, in order of time. Rows of `masks`, which has a column for each card: the card
# itself; those with an earlier time; those with an earlier or the same time; those in the pile once so many are drawn.
ITSELF, EARLIER, UP_TO, PILE = range(4)
NOTHING = np.uint64(0)

# Kinds of card sets, so that the same cards give another part of the key when they are in another place.
LOW, HIGH, GAP, ON_MAIN, ON_GAP, TABLE, HAND = (np.uint64(i << 40) for i in range(1, 8))
DEAD = np.uint64(1 << 39)
NEXT_SEAT = np.uint64(1 << 44)
BYTE = np.uint64(8)

# The value of a position in tenths of a point: its score; for each card to come that lies beyond an end; for each one
# that has another beyond the other end (two ends can grow in one turn); for each free gap that some card fits; for each
# card whose time lies on the row, or in a gap, already. Values are sorted by counting.
POINT, OUTSIDE, BALANCE, IN_GAP, EQUAL_MAIN, EQUAL_GAP = 10, 28, 5, 18, 25, 15
LOWEST = -100 * POINT
VALUES = 4096


def hindsight(game: Any, beam: int = BEAM) -> int:
    """The best final score found for one co-op game from where it stands."""
    return best_line(game, beam)[0]


def hindsight_scores(games: Any, beam: int = BEAM, threads: int = 1) -> npt.NDArray[np.int16]:
    """The best final score found for each game of a batch."""
    if getattr(games, "dtype", None) != COOP or np.ndim(games) != 1:
        raise SettingsError("games: not a batch of co-op games; give what Coop(...).deal(seeds) deals")
    whole_number("threads", threads, 1, MAX_THREADS)
    with ThreadPoolExecutor(threads) as pool:
        return np.array(list(pool.map(lambda game: hindsight(game, beam), games)), np.int16)


def best_line(game: Any, beam: int = BEAM) -> tuple[int, list[int]]:
    """The best final score found for one game, and all actions from where it stands to its end."""
    check_single(game)
    if getattr(game, "dtype", None) != COOP:
        raise SettingsError("game: not a co-op game; give one that Coop(...).deal(seeds) deals, such as games[0]")
    whole_number("beam", beam, 1, MAX_BEAM)
    if game.end != RUNNING:
        return int(coop_score(game)), []
    layers = np.empty((2, max(beam, 2)), COOP)
    layers[0, 0] = game
    candidates = np.empty(TURNS * beam, CANDIDATE)
    slots = np.empty(1 << (2 * TURNS * beam).bit_length(), np.int32)
    # A turn uses up at least one card; only the end of a turn that had begun before does not.
    trail = np.empty((MAX_DECK + 1, beam), CANDIDATE)
    best = np.zeros(1, CANDIDATE)[0]
    best.score = LOWEST
    depth = search(layers, candidates, slots, trail, best)
    return int(best.score), _play_to_the_end(game, _actions(trail, depth, best))


def _actions(trail: Any, depth: int, last_turn: Any) -> list[int]:
    """The actions of all turns up to the last one, found by going back from there."""
    turns = [last_turn]
    for layer in range(depth - 1, -1, -1):
        turns.append(trail[layer, turns[-1].parent])
    return [int(action) for turn in reversed(turns) for action in (turn.first, turn.second) if action != NO_ACTION]


def _play_to_the_end(game: Any, actions: list[int]) -> list[int]:
    """The same actions, and those that remain where all that is left to try will be stuck."""
    copy = np.array([game], COOP)[0]
    for action in actions:
        coop_step(copy, action)
    while copy.end == RUNNING:
        action = int(copy.legal & -copy.legal).bit_length() - 1
        coop_step(copy, action)
        actions.append(action)
    return actions


@compiled
def count_bits(cards: Any) -> Any:
    """How many cards are in the set."""
    count = 0
    while cards != NOTHING:
        cards &= cards - np.uint64(1)
        count += 1
    return count


@compiled
def fill_masks(game: Any, masks: Any) -> None:
    """Everything about the cards that stays the same during the game."""
    deck = game.deck_size
    masks[:] = NOTHING
    for card in range(deck):
        place = 0
        for other in range(deck):
            earlier = game.time[other] < game.time[card]
            place += earlier or (game.time[other] == game.time[card] and other < card)
        masks[ITSELF, card] = np.uint64(1) << np.uint64(place)
    for card in range(deck):
        for other in range(deck):
            if game.time[other] < game.time[card]:
                masks[EARLIER, card] |= masks[ITSELF, other]
            if game.time[other] <= game.time[card]:
                masks[UP_TO, card] |= masks[ITSELF, other]
    for card in range(deck - 1, -1, -1):
        masks[PILE, card] = masks[PILE, card + 1] | masks[ITSELF, card]


@compiled
def cards_to_come(game: Any, masks: Any) -> Any:
    """The cards in hands and in the pile."""
    cards = masks[PILE, game.drawn]
    for seat in range(game.players):
        for slot in range(MAX_HAND):
            if game.hands[seat, slot] != NO_CARD:
                cards |= masks[ITSELF, game.hands[seat, slot]]
    return cards


@compiled
def assess(game: Any, masks: Any) -> Any:
    """A key that positions with the same future share, and the position's value.

    The future depends on who is on turn, the hands whatever their slots, the pile, the icon to be matched, and for
    each card to come: is it beyond an end of the row, in a free gap and with which others, on a card of equal time,
    or dead. Filled gaps and the rest of the row play no part, nor do stuck flags: only dead cards have them.
    """
    to_come = cards_to_come(game, masks)
    last = game.main_count - 1
    low = to_come & masks[EARLIER, game.main[0]]
    high = to_come & ~masks[UP_TO, game.main[last]]
    on_main = to_come & equals(masks, game.main[last])
    on_gap, in_gaps, gaps, key = NOTHING, NOTHING, 0, mix(low | LOW) + mix(high | HIGH)
    for i in range(last):
        on_main |= to_come & equals(masks, game.main[i])
        if game.gap[i] != NO_CARD:
            on_gap |= to_come & equals(masks, game.gap[i])
            continue
        fitting = to_come & masks[EARLIER, game.main[i + 1]] & ~masks[UP_TO, game.main[i]]
        if fitting != NOTHING:
            gaps += 1
            in_gaps |= fitting
            key += mix(fitting | GAP)
    key += mix(on_main | ON_MAIN) + mix(on_gap | ON_GAP)
    key += key_of_hands(game, masks, low | high | in_gaps | on_main | on_gap)
    lows, highs = count_bits(low), count_bits(high)
    value = OUTSIDE * (lows + highs) + BALANCE * min(lows, highs) + IN_GAP * gaps
    value += EQUAL_MAIN * count_bits(on_main) + EQUAL_GAP * count_bits(on_gap)
    return key, value + POINT * coop_score(game)


@compiled
def equals(masks: Any, card: int) -> Any:
    """The cards with the time of this one."""
    return masks[UP_TO, card] & ~masks[EARLIER, card]


@compiled
def key_of_hands(game: Any, masks: Any, live: Any) -> Any:
    """The part of the key for hands, turn and open icon.

    A dead card can only be discarded: two of them with the same icons are as good as one and the same.
    """
    open_icon = np.uint64(game.back[game.discards[game.discard_count - 1]])
    key = mix(TABLE | np.uint64(game.turn) << (BYTE + BYTE) | np.uint64(game.drawn) << BYTE | open_icon)
    for seat in range(game.players):
        kind = HAND + np.uint64(seat) * NEXT_SEAT
        held = NOTHING
        for slot in range(MAX_HAND):
            card = game.hands[seat, slot]
            if card != NO_CARD:
                if masks[ITSELF, card] & live != NOTHING:
                    held |= masks[ITSELF, card]
                else:
                    key += mix(kind | DEAD | np.uint64(game.front[card]) << BYTE | np.uint64(game.back[card]))
        key += mix(kind | held)
    return key


@compiled
def expand(
    state: Any, parent: int, found: Any, candidates: Any, slots: Any, scratch: Any, masks: Any, best: Any
) -> Any:
    """Add what every whole turn leads to; give the number of candidates, `found` of which were there before.

    A card that will be stuck is never tried: that places nothing, and takes away the choice to try it later, which
    is worth nothing either. It may end the game, but the score never falls, so an early end gains nothing.
    """
    before = coop_score(state)
    offered = False
    for first in range(COOP_ACTIONS):
        if not coop_is_legal(state, first):
            continue
        scratch[0] = state
        once = scratch[0]
        coop_step(once, first)
        between = coop_score(once)
        if first < DISCARD and between == before:
            continue
        offered = True
        if once.phase != PLACED_ONE:
            found = offer(once, parent, first, NO_ACTION, found, candidates, slots, masks, best)
            continue
        for second in range(COOP_ACTIONS):
            if coop_is_legal(once, second):
                scratch[1] = once
                twice = scratch[1]
                coop_step(twice, second)
                if second >= DISCARD or coop_score(twice) > between:
                    found = offer(twice, parent, first, second, found, candidates, slots, masks, best)
    if not offered and before > best.score:
        # Every card to try would be stuck and none can be discarded: the game ends here, whatever is tried.
        note(best, parent, NO_ACTION, NO_ACTION, before)
    return found


@compiled
def note(candidate: Any, parent: int, first: int, second: int, score: int) -> None:
    candidate.parent = parent
    candidate.first = first
    candidate.second = second
    candidate.score = score


@compiled
def offer(
    child: Any, parent: int, first: int, second: int, found: Any, candidates: Any, slots: Any, masks: Any, best: Any
) -> Any:
    """Enter a position after a whole turn; give the number of candidates now."""
    score = coop_score(child)
    if child.end != RUNNING:
        if score > best.score:
            note(best, parent, first, second, score)
        return found
    key, value = assess(child, masks)
    last_slot = np.uint64(slots.shape[0] - 1)
    slot = np.int64(key & last_slot)
    while slots[slot] != NO_CARD and candidates[slots[slot]].key != key:
        slot = (slot + 1) & np.int64(last_slot)
    index = slots[slot]
    if index == NO_CARD:
        index = found
        found += 1
        slots[slot] = index
        candidates[index].key = key
    elif candidates[index].score >= score:
        # Cards of equal time may have been placed in one and discarded in the other: the scores can differ.
        return found
    note(candidates[index], parent, first, second, score)
    candidates[index].value = min(max(value - LOWEST, 0), VALUES - 1)
    return found


@compiled
def choose_best(candidates: Any, found: int, beam: int, trail: Any) -> Any:
    """Copy the `beam` candidates of the highest value to the trail; give their number."""
    counts = np.zeros(VALUES, np.int64)
    for i in range(found):
        counts[candidates[i].value] += 1
    bar, above = VALUES - 1, 0
    while bar > 0 and above + counts[bar] <= beam:
        above += counts[bar]
        bar -= 1
    places_at_bar = beam - above
    chosen = 0
    for i in range(found):
        at_bar = candidates[i].value == bar
        if candidates[i].value > bar or (at_bar and places_at_bar > 0):
            places_at_bar -= at_bar
            trail[chosen] = candidates[i]
            chosen += 1
    return chosen


@compiled
def search(layers: Any, candidates: Any, slots: Any, trail: Any, best: Any) -> Any:
    """Fill `best` with the last turn of the best line found, and the trail with what leads there; give its depth."""
    scratch = np.empty_like(layers[0, :2])
    masks = np.empty((4, MAX_DECK + 1), np.uint64)
    fill_masks(layers[0, 0], masks)
    beam = trail.shape[1]
    count, depth, best_depth = 1, 0, 0
    while count > 0:
        here, following = layers[depth % 2], layers[(depth + 1) % 2]
        slots[:] = NO_CARD
        found, best_before = 0, best.score
        for i in range(count):
            found = expand(here[i], i, found, candidates, slots, scratch, masks, best)
        if best.score > best_before:
            best_depth = depth
        count = choose_best(candidates, found, beam, trail[depth])
        for i in range(count):
            step = trail[depth, i]
            following[i] = here[step.parent]
            coop_step(following[i], step.first)
            if step.second != NO_ACTION:
                coop_step(following[i], step.second)
        depth += 1
    return best_depth
