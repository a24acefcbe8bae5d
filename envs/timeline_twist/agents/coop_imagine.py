"""Worlds that a player may be in: hidden times, the draw pile and back icons, filled in at random, compiled.

What a sample keeps: everything the player knows. What it draws: the time of every visible card by the player's own
belief (among cards that have not been public), the cards of the draw pile from the rest of the catalogue, the icons
from the catalogue's pairs that are left, a visible card's back among those with its front; and what the other seats
believe, from the times just drawn with the noise that they are known to have. A visible card is one of its difficulty
and, where icons are printed, of its front. Cards are drawn one after the other, in random order: where two estimates
lie close together this is near to their joint distribution, not exactly it.
"""

from typing import Any

import numpy as np

from timeline_twist.agents.seen import NOTHING_KNOWN
from timeline_twist.compiled import compiled
from timeline_twist.engine import GAMMA, NO_CARD, below, coop_legal_actions, mix, shuffle
from timeline_twist.knowledge import EXPERT, NOISY, S11, quantile
from timeline_twist.observation import row_of, spread
from timeline_twist.records import MAX_HAND

ANY_FRONT = -1


@compiled
def coop_prepare(known: Any, cards: Any, view: Any, pool: Any) -> None:
    """What all worlds have in common: which cards and which pairs of icons are still to be given out.

    `pool.hidden`: the visible cards that have not been flipped. `pool.numbers`: catalogue numbers that have not been
    public. `pool.pairs`: catalogue numbers that stand for the pairs of icons that have not been public.
    """
    pool.hidden_count = 0
    for seat in range(known.players):
        for slot in range(MAX_HAND):
            card = known.hands[seat, slot]
            if card != NO_CARD and known.stuck[seat, slot] == 0:
                pool.hidden[pool.hidden_count] = card
                pool.hidden_count += 1
    if first_unseen(known, view) > known.drawn:
        pool.hidden[pool.hidden_count] = known.drawn
        pool.hidden_count += 1
    for number in range(view.catalogue_size):
        pool.given[number] = 0
        pool.pairs[number] = number
    pool.pair_count = view.catalogue_size
    for card in range(known.deck_size):
        if known.card[card] >= 0:
            pool.given[known.card[card]] = 1
            take_pair(known.front[card], known.back[card], cards, pool)
    pool.number_count = 0
    for number in range(view.catalogue_size):
        if not pool.given[number]:
            pool.numbers[pool.number_count] = number
            pool.number_count += 1


@compiled
def first_unseen(known: Any, view: Any) -> Any:
    """From this card on, nobody has seen the draw pile."""
    return known.drawn + 1 if view.show_pile_top and known.drawn < known.deck_size else np.int64(known.drawn)


@compiled
def take_pair(front: Any, back: Any, cards: Any, pool: Any) -> None:
    """One of the pairs of these two icons is no longer to be given out."""
    for i in range(pool.pair_count):
        if cards[pool.pairs[i]].front == front and cards[pool.pairs[i]].back == back:
            pool.pair_count -= 1
            pool.pairs[i] = pool.pairs[pool.pair_count]
            return


@compiled
def coop_imagine(
    known: Any, estimates: Any, sigmas: Any, cards: Any, view: Any, pool: Any, state: Any, world: Any, minds: Any
) -> Any:
    """Fill in what is hidden in `world`, a copy of `known`; `minds` becomes what every seat believes in it."""
    state = draw_numbers(known, estimates, sigmas, cards, view, pool, state, world)
    if known.printed_icons:
        read_icons(known, cards, view, pool, world)
    else:
        state = draw_icons(known, cards, view, pool, state, world)
    world.legal = coop_legal_actions(world)
    for row in range(view.rows):
        for card in range(known.deck_size):
            number, time = world.card[card], world.time[card]
            state = imagine_belief(row, card, number, time, view, state, minds)
    # What the player on turn believes of visible cards is a fact, not imagined.
    own = row_of(view, known.turn)
    for i in range(pool.hidden_count):
        card = pool.hidden[i]
        minds.estimates[own, card], minds.sigmas[own, card] = estimates[card], sigmas[card]
    return state


@compiled
def imagine_belief(row: int, card: int, number: Any, time: Any, view: Any, state: Any, minds: Any) -> Any:
    """What the seats of a row would believe of a card; in both modes."""
    minds.sigmas[row, card] = 0 if view.kind == EXPERT else NOTHING_KNOWN
    minds.estimates[row, card] = time
    if view.kind == NOISY:
        sigma = view.sigma[row, number]
        minds.sigmas[row, card] = sigma
        if sigma > 0:
            state += GAMMA
            noise = quantile((np.float64(mix(state) >> S11) + 0.5) * 2.0**-53)
            minds.estimates[row, card] = np.float32(time + sigma * noise)
    return state


@compiled
def draw_numbers(
    known: Any, estimates: Any, sigmas: Any, cards: Any, view: Any, pool: Any, state: Any, world: Any
) -> Any:
    """A card of the catalogue for every hidden one: visible ones by belief, the draw pile from what is left."""
    state = begin_drawing(view, pool, state)
    for i in range(pool.hidden_count):
        card = pool.order[i]
        front = np.int64(known.front[card]) if known.printed_icons else ANY_FRONT
        number, state = draw_number(known, front, estimates[card], sigmas[card], cards, view, pool, state)
        give_number(world, card, number, cards)
    first = first_unseen(known, view)
    count = known.deck_size - first
    state = shuffle(state, pool.rest, pool.rest_count, count)
    for i in range(count):
        give_number(world, first + i, pool.rest[i], cards)
    return state


@compiled
def give_number(world: Any, card: Any, number: Any, cards: Any) -> None:
    world.card[card] = number
    world.time[card] = cards[number].time


@compiled
def begin_drawing(view: Any, pool: Any, state: Any) -> Any:
    """All numbers are left, and the visible cards come in random order; in both modes."""
    for i in range(pool.number_count):
        pool.rest[i] = pool.numbers[i]
    pool.rest_count = pool.number_count
    for i in range(pool.hidden_count):
        pool.order[i] = pool.hidden[i]
    if view.kind == NOISY:
        state = shuffle(state, pool.order, pool.hidden_count, pool.hidden_count)
    return state


@compiled
def draw_number(known: Any, front: Any, estimate: Any, sigma: Any, cards: Any, view: Any, pool: Any, state: Any) -> Any:
    """A card of the catalogue for a visible one, by the player's belief, taken from the rest; in both modes."""
    count = find_alike(front, sigma, row_of(view, known.turn), cards, view, pool)
    time, state = draw_time(estimate, sigma, view, pool, state)
    wanted, state = below(state, max(np.int64(pool.available[time]), 1))
    place = 0
    for i in range(count):
        if cards[pool.rest[i]].time == time:
            place = i
            wanted -= 1
            if wanted < 0:
                break
    # None of that time is left only if a seat was given wrong times for certain: then any card must do.
    number = pool.rest[place]
    pool.rest_count -= 1
    pool.rest[place] = pool.rest[pool.rest_count]
    return number, state


@compiled
def find_alike(front: Any, sigma: Any, row: int, cards: Any, view: Any, pool: Any) -> Any:
    """Bring the cards that a visible one may be to the front of the rest, and count their times; give their number."""
    for t in range(view.times):
        pool.available[t] = 0
    count = 0
    for i in range(pool.rest_count):
        number = pool.rest[i]
        # The difficulty is seen with the card.
        alike = view.kind != NOISY or view.sigma[row, number] == sigma
        if alike and (front == ANY_FRONT or cards[number].front == front):
            pool.rest[i], pool.rest[count] = pool.rest[count], number
            pool.available[cards[number].time] += 1
            count += 1
    return count


@compiled
def draw_time(estimate: Any, sigma: Any, view: Any, pool: Any, state: Any) -> Any:
    """The time of a visible card, by the player's belief, among those of cards that it may be."""
    if sigma == 0:
        return np.int64(estimate), state
    first, last = spread(estimate, sigma, view, pool.available, pool.chances)
    state += GAMMA
    wanted = np.float64(mix(state) >> S11) * 2.0**-53
    time = first
    for t in range(first, last + 1):
        # Never one without a chance, whatever the rounding does.
        if pool.chances[t] > 0:
            time = t
            wanted -= pool.chances[t]
            if wanted < 0:
                break
    return np.int64(time), state


@compiled
def read_icons(known: Any, cards: Any, view: Any, pool: Any, world: Any) -> None:
    """The printed icons of the cards that have been drawn."""
    for i in range(pool.hidden_count):
        card = pool.hidden[i]
        world.back[card] = cards[world.card[card]].back
    for card in range(first_unseen(known, view), known.deck_size):
        world.front[card] = cards[world.card[card]].front
        world.back[card] = cards[world.card[card]].back


@compiled
def draw_icons(known: Any, cards: Any, view: Any, pool: Any, state: Any, world: Any) -> Any:
    """A back for every visible card among the pairs with its front, any of the pairs that are left for the others."""
    for i in range(pool.pair_count):
        pool.rest[i] = pool.pairs[i]
    left = int(pool.pair_count)
    for i in range(pool.hidden_count):
        card = pool.hidden[i]
        candidates = 0
        for j in range(left):
            candidates += cards[pool.rest[j]].front == known.front[card]
        wanted, state = below(state, candidates)
        j = 0
        while cards[pool.rest[j]].front != known.front[card] or wanted > 0:
            wanted -= cards[pool.rest[j]].front == known.front[card]
            j += 1
        world.back[card] = cards[pool.rest[j]].back
        left -= 1
        pool.rest[j] = pool.rest[left]
    first = first_unseen(known, view)
    count = known.deck_size - first
    state = shuffle(state, pool.rest, left, count)
    for i in range(count):
        world.front[first + i] = cards[pool.rest[i]].front
        world.back[first + i] = cards[pool.rest[i]].back
    return state
