"""Rules of thumb for the co-op game, compiled: what each action is worth, by a weighted sum of what it costs.

A card that becomes a new end of the row closes off everything between the old end and the new one: of those cards one
will still fit into the new gap, the others are lost. A card for a gap takes it from others. A card that waits keeps its
value as long as nobody plays past it. The rules look one action ahead and know of the unseen cards only how
many of them are expected where.

Positions are beliefs: known for certain, or a distribution (timeline_twist.observation.spread); the value of a card
is the expectation over it. With `certain` set the nearest possible position is taken for certain.
"""

from typing import Any

import numpy as np

from timeline_twist.compiled import compiled
from timeline_twist.engine import DISCARD, END_TURN, NO_CARD, PLACED_ONE, PLAY
from timeline_twist.knowledge import EXPERT, FACES
from timeline_twist.observation import ONE_BIT as COPIES_BIT
from timeline_twist.observation import spread
from timeline_twist.records import MAX_HAND

# The weights, by name; see `value_at_end`, `value_in_gap` and `coop_values` for their use.
WEIGHTS = (
    "end_mine",
    "end_others",
    "end_unseen",
    "end_fill",
    "gap",
    "gap_pile",
    "gap_mine",
    "gap_others",
    "gap_unseen",
    "equal",
    "stuck",
    "stuck_second",
    "ruin",
    "ruin_pile",
    "second",
    "second_pile",
    "discard",
    "discard_pile",
    "discard_dead",
    "discard_value",
)
(
    END_MINE,
    END_OTHERS,
    END_UNSEEN,
    END_FILL,
    GAP,
    GAP_PILE,
    GAP_MINE,
    GAP_OTHERS,
    GAP_UNSEEN,
    EQUAL,
    STUCK,
    STUCK_SECOND,
    RUIN,
    RUIN_PILE,
    SECOND,
    SECOND_PILE,
    DISCARD_ANY,
    DISCARD_PILE,
    DISCARD_DEAD,
    DISCARD_VALUE,
) = range(len(WEIGHTS))

# Expected cards are whole numbers of 1/16384, those of three kinds in one integer, so that one running sum serves
# all: unseen cards in the lowest bits, then visible ones of other players, then the own hand. There is room for 2,047
# unseen and 63 visible cards; coarser parts would lose those that may be anywhere among 1,000.
ONE_PART = 14
ONE = 1 << ONE_PART
OTHERS_BIT, MINE_BIT = 25, 45
UNSEEN_PART, OTHERS_PART = (1 << OTHERS_BIT) - 1, (1 << MINE_BIT - OTHERS_BIT) - 1
COPIES_SHIFT = COPIES_BIT - ONE_PART
PER_ONE = np.float32(1 / ONE)
NOTHING, CERTAIN = np.float32(0), np.float32(1)
IMPOSSIBLE = np.float32(-1e9)


@compiled
def coop_choose(game: Any, estimates: Any, sigmas: Any, view: Any, weights: Any, certain: int, think: Any) -> Any:
    """The best action by rule of thumb for the player on turn, who believes `estimates` and `sigmas` of each card."""
    coop_judge(game, estimates, sigmas, view, weights, certain, think)
    return best_by_worth(game, think)


@compiled
def best_by_worth(game: Any, think: Any) -> Any:
    """The legal action of the highest worth."""
    best, best_worth = -1, IMPOSSIBLE
    for action in range(END_TURN + 1):
        if game.legal >> action & 1 and think.worth[action] > best_worth:
            best, best_worth = action, think.worth[action]
    return best


@compiled
def coop_choose_batch(
    games: Any, estimates: Any, sigmas: Any, views: Any, weights: Any, certain: int, thinks: Any, actions: Any
) -> None:
    for k in range(games.shape[0]):
        actions[k] = coop_choose(games[k], estimates[k], sigmas[k], views[0], weights, certain, thinks[0])


@compiled
def coop_judge(game: Any, estimates: Any, sigmas: Any, view: Any, weights: Any, certain: int, think: Any) -> None:
    """What each action of the player on turn is worth, into `think.worth`; illegal ones have no meaning."""
    count_public(game, view, think)
    believe_visible(game, estimates, sigmas, view, certain, think)
    add_up(game, view, think)
    judge_cards(game, weights, think)
    pile = pile_share(game)
    second = weights[SECOND] + weights[SECOND_PILE] * pile if game.phase == PLACED_ONE else NOTHING
    discard = weights[DISCARD_ANY] + weights[DISCARD_PILE] * pile
    for slot in range(MAX_HAND):
        if game.hands[game.turn, slot] == NO_CARD:
            continue
        worth = think.placed[slot] + think.stuck[slot] * worth_of_failure(game, slot, weights, think)
        think.worth[PLAY + slot] = worth + second
        kept = weights[DISCARD_DEAD] * think.stuck[slot] - weights[DISCARD_VALUE] * max(worth, NOTHING)
        think.worth[DISCARD + slot] = discard + kept
    think.worth[END_TURN] = 0


@compiled
def judge_cards(game: Any, weights: Any, think: Any) -> None:
    """For each card of the hand what its places are worth, and the chance that it cannot be placed."""
    gap = weights[GAP] + weights[GAP_PILE] * pile_share(game)
    for slot in range(MAX_HAND):
        think.placed[slot], think.stuck[slot] = NOTHING, CERTAIN
        if game.hands[game.turn, slot] != NO_CARD and game.stuck[game.turn, slot] == 0:
            think.placed[slot], think.stuck[slot] = expected_worth(game, slot, gap, weights, think)


@compiled
def pile_share(game: Any) -> Any:
    return np.float32(game.deck_size - game.drawn) / np.float32(game.deck_size)


@compiled
def worth_of_failure(game: Any, slot: int, weights: Any, think: Any) -> Any:
    """A card that cannot be placed is lost; if nothing has been placed and all others fail too, so is the game."""
    if game.phase == PLACED_ONE:
        return weights[STUCK_SECOND]
    ruin = CERTAIN
    for other in range(MAX_HAND):
        if other != slot:
            ruin *= think.stuck[other]
    return weights[STUCK] + ruin * (weights[RUIN] + weights[RUIN_PILE] * pile_share(game))


# --- beliefs ----------------------------------------------------------------------------------------------------------


@compiled
def count_public(game: Any, view: Any, think: Any) -> None:
    """Cards that have not been public, by position; the times of the main row."""
    for t in range(view.times):
        think.unseen[t] = view.copies[t] >> COPIES_SHIFT
        think.visible[t] = 0
    for i in range(game.main_count):
        time = game.time[game.main[i]]
        think.main_time[i] = time
        think.unseen[time] -= ONE
        if game.gap[i] != NO_CARD:
            think.unseen[game.time[game.gap[i]]] -= ONE
    for i in range(game.tie_count):
        think.unseen[game.time[game.ties[i]]] -= ONE
    for i in range(game.discard_count):
        think.unseen[game.time[game.discards[i]]] -= ONE
    for seat in range(game.players):
        for slot in range(MAX_HAND):
            if game.stuck[seat, slot]:
                think.unseen[game.time[game.hands[seat, slot]]] -= ONE


@compiled
def believe_visible(game: Any, estimates: Any, sigmas: Any, view: Any, certain: int, think: Any) -> None:
    """Where the visible cards are believed to be; what is visible is not unseen."""
    if view.kind != EXPERT:
        for t in range(view.times):
            think.available[t] = np.float32(think.unseen[t]) * PER_ONE
    even = -1
    for slot in range(MAX_HAND):
        card = game.hands[game.turn, slot]
        if card == NO_CARD or game.stuck[game.turn, slot]:
            continue
        think.row[slot] = slot
        if view.kind >= FACES and even >= 0:
            # Nothing tells cards of unknown time apart: one row of chances serves all.
            think.row[slot] = even
            think.first[slot], think.last[slot] = think.first[even], think.last[even]
        else:
            even = slot
            first, last = believe(estimates[card], sigmas[card], view, certain, think, think.weights[slot])
            think.first[slot], think.last[slot] = first, last
        see(think.weights[think.row[slot]], think.first[slot], think.last[slot], MINE_BIT, think)
    for relative in range(1, game.players):
        seat = (game.turn + relative) % game.players
        for slot in range(MAX_HAND):
            card = game.hands[seat, slot]
            if card != NO_CARD and game.stuck[seat, slot] == 0:
                believe_other(card, estimates, sigmas, view, certain, even, think)
    if view.show_pile_top and game.drawn < game.deck_size:
        believe_other(game.drawn, estimates, sigmas, view, certain, even, think)


@compiled
def believe_other(card: int, estimates: Any, sigmas: Any, view: Any, certain: int, even: int, think: Any) -> None:
    """A visible card that the player on turn does not hold."""
    if view.kind >= FACES and even >= 0:
        see(think.weights[even], think.first[even], think.last[even], OTHERS_BIT, think)
    else:
        first, last = believe(estimates[card], sigmas[card], view, certain, think, think.other)
        see(think.other, first, last, OTHERS_BIT, think)


@compiled
def believe(estimate: Any, sigma: Any, view: Any, certain: int, think: Any, chances: Any) -> Any:
    """The chances of a hidden card's positions; gives the first and the last one."""
    if sigma == 0:
        position = np.int64(estimate)
        chances[position] = CERTAIN
        return position, position
    if certain and view.kind < FACES:
        position = nearest_available(estimate, view, think)
        chances[position] = CERTAIN
        return position, position
    first, last = spread(estimate, sigma, view, think.available, chances)
    return np.int64(first), np.int64(last)


@compiled
def nearest_available(estimate: Any, view: Any, think: Any) -> Any:
    """The position nearest to an estimate whose card has not been public."""
    last = view.times - 1
    middle = min(max(np.int64(np.rint(estimate)), 0), last)
    upward = estimate >= middle
    for distance in range(view.times):
        for side in range(2):
            position = middle + distance if (side == 0) == upward else middle - distance
            if 0 <= position <= last and think.available[position] > 0:
                return position
    return middle


@compiled
def see(chances: Any, first: int, last: int, bit: int, think: Any) -> None:
    for t in range(first, last + 1):
        part = np.int64(chances[t] * np.float32(ONE))
        think.visible[t] += part << bit
        think.unseen[t] -= part


@compiled
def add_up(game: Any, view: Any, think: Any) -> None:
    """Running sums of visible and unseen cards, and the share of the unseen ones that is in the draw pile."""
    total = 0
    for t in range(view.times):
        think.below[t] = total
        # Several cards may be expected where only one is left.
        total += think.visible[t] + max(think.unseen[t], 0)
    think.below[view.times] = total
    pile = game.deck_size - game.drawn
    if view.show_pile_top and pile > 0:
        pile -= 1
    think.per_unseen = np.float32(pile) * np.float32(ONE) / np.float32(max(total & UNSEEN_PART, 1))


# --- worth ------------------------------------------------------------------------------------------------------------


@compiled
def expected_worth(game: Any, slot: int, gap: Any, weights: Any, think: Any) -> Any:
    """What the places where a card of the own hand may go are worth, and the chance that it cannot be placed."""
    total = stuck = NOTHING
    row, first, last = think.row[slot], think.first[slot], think.last[slot]
    chances = think.weights[row]
    sum_up(chances, first, last, think)
    k = 0
    for t in range(first, last + 1):
        chance = chances[t]
        while k < game.main_count and think.main_time[k] < t:
            k += 1
        if chance == 0:
            continue
        if k < game.main_count and think.main_time[k] == t:
            total += chance * weights[EQUAL]
        elif k == 0:
            total += chance * worth_at_end(t + 1, think.main_time[0], first, last, weights, think)
        elif k == game.main_count:
            total += chance * worth_at_end(think.main_time[k - 1] + 1, t, first, last, weights, think)
        elif game.gap[k - 1] == NO_CARD:
            total += chance * worth_in_gap(k, first, last, gap, weights, think)
        elif game.time[game.gap[k - 1]] == t:
            total += chance * weights[EQUAL]
        else:
            stuck += chance
    return total, stuck


@compiled
def sum_up(chances: Any, first: int, last: int, think: Any) -> None:
    """The chances that a card lies below each position, into `think.reach`."""
    total = NOTHING
    for t in range(first, last + 1):
        think.reach[t] = total
        total += chances[t]
    think.reach[last + 1] = total


@compiled
def itself(start: int, stop: int, first: int, last: int, think: Any) -> Any:
    """How much of the card in question is counted among the own cards from `start` to before `stop`."""
    low, high = min(max(start, first), last + 1), min(max(stop, first), last + 1)
    return think.reach[high] - think.reach[low]


@compiled
def worth_at_end(start: int, stop: int, first: int, last: int, weights: Any, think: Any) -> Any:
    """A new end of the row; the cards from `start` to before `stop` are closed off but for one that fits the gap."""
    mine, others, unseen = parts(think.below[stop] - think.below[start], think)
    mine = max(mine - itself(start, stop, first, last, think), NOTHING)
    visible = mine + others
    fill = min(visible, CERTAIN)
    fill += (CERTAIN - fill) * unseen / (CERTAIN + unseen)
    return (
        np.float32(3)
        - weights[END_MINE] * mine
        - weights[END_OTHERS] * others
        - weights[END_UNSEEN] * unseen
        + weights[END_FILL] * fill
    )


@compiled
def worth_in_gap(k: int, first: int, last: int, gap: Any, weights: Any, think: Any) -> Any:
    """A card for the free gap after k cards of the main row; others want it too."""
    start, stop = think.main_time[k - 1] + 1, think.main_time[k]
    mine, others, unseen = parts(think.below[stop] - think.below[start], think)
    # Not a rival of itself.
    mine = max(mine - itself(start, stop, first, last, think), NOTHING)
    return gap - weights[GAP_MINE] * mine - weights[GAP_OTHERS] * others - weights[GAP_UNSEEN] * unseen


@compiled
def parts(cards: Any, think: Any) -> Any:
    """Expected cards of the own hand, of other players, and of the draw pile."""
    mine = np.float32(cards >> MINE_BIT) * PER_ONE
    others = np.float32(cards >> OTHERS_BIT & OTHERS_PART) * PER_ONE
    unseen = np.float32(cards & UNSEEN_PART) * PER_ONE * think.per_unseen
    return mine, others, unseen
