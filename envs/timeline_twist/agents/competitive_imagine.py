"""Worlds that a competitive player may be in, filled in at random, compiled; see timeline_twist.agents.coop_imagine."""

from typing import Any

import numpy as np

from timeline_twist.agents.coop_imagine import ANY_FRONT, begin_drawing, draw_number, imagine_belief
from timeline_twist.compiled import compiled
from timeline_twist.engine import NO_CARD, shuffle
from timeline_twist.records import MAX_HAND


@compiled
def competitive_prepare(known: Any, view: Any, pool: Any) -> None:
    """What all worlds have in common: the visible cards that were never flipped, and the numbers of such cards."""
    pool.hidden_count = 0
    for seat in range(known.players):
        for slot in range(MAX_HAND):
            note_hidden(known, known.hands[seat, slot], pool)
    if first_unseen(known, view) > known.pile_start:
        note_hidden(known, known.pile[known.pile_start], pool)
    pool.number_count = 0
    for number in range(known.catalogue_size):
        if not known.seen[number]:
            pool.numbers[pool.number_count] = number
            pool.number_count += 1


@compiled
def note_hidden(known: Any, card: Any, pool: Any) -> None:
    if card != NO_CARD and not known.seen[card]:
        pool.hidden[pool.hidden_count] = card
        pool.hidden_count += 1


@compiled
def first_unseen(known: Any, view: Any) -> Any:
    """From this place of the draw pile on, nobody knows the cards."""
    shown = view.show_pile_top and known.pile_start < known.pile_end
    return known.pile_start + 1 if shown else np.int64(known.pile_start)


@compiled
def competitive_imagine(
    known: Any, estimates: Any, sigmas: Any, cards: Any, view: Any, pool: Any, state: Any, world: Any, minds: Any
) -> Any:
    """Fill in what is hidden in `world`, a copy of `known`; `minds` becomes what every seat believes in it.

    Cards keep the numbers they have in `known`, which say nothing; `pool.rest` holds those whose times are left.
    """
    state = imagine_visible(known, estimates, sigmas, cards, view, pool, state, world, minds)
    state = shuffle(state, pool.rest, pool.rest_count, pool.rest_count)
    used = 0
    for card in range(known.catalogue_size):
        # Visible hidden cards have got their times by now.
        if world.time[card] < 0:
            state = become(card, pool.rest[used], cards, view, state, world, minds)
            used += 1
        elif known.seen[card]:
            for row in range(view.rows):
                minds.estimates[row, card], minds.sigmas[row, card] = world.time[card], 0
    return imagine_pile(known, view, pool, state, world)


@compiled
def imagine_visible(
    known: Any, estimates: Any, sigmas: Any, cards: Any, view: Any, pool: Any, state: Any, world: Any, minds: Any
) -> Any:
    """Times for the visible cards that were never flipped, by the player's own belief."""
    state = begin_drawing(view, pool, state)
    for i in range(pool.hidden_count):
        card = pool.order[i]
        number, state = draw_number(known, ANY_FRONT, estimates[card], sigmas[card], cards, view, pool, state)
        state = become(card, number, cards, view, state, world, minds)
        own = 0 if view.rows == 1 else np.int64(known.turn)
        minds.estimates[own, card], minds.sigmas[own, card] = estimates[card], sigmas[card]
    return state


@compiled
def become(card: Any, number: Any, cards: Any, view: Any, state: Any, world: Any, minds: Any) -> Any:
    """Let a hidden card be that card of the catalogue."""
    world.time[card] = cards[number].time
    for row in range(view.rows):
        state = imagine_belief(row, card, number, cards[number].time, view, state, minds)
    return state


@compiled
def imagine_pile(known: Any, view: Any, pool: Any, state: Any, world: Any) -> Any:
    """All cards that are known to lie nowhere else, in any order."""
    find_placed(known, view, pool)
    first = first_unseen(known, view)
    count = 0
    for card in range(known.catalogue_size):
        if not pool.given[card]:
            pool.rest[count] = card
            count += 1
    state = shuffle(state, pool.rest, count, count)
    for i in range(known.pile_end - first):
        world.pile[first + i] = pool.rest[i]
    world.rng = state
    return state


@compiled
def find_placed(known: Any, view: Any, pool: Any) -> None:
    """Mark the cards whose places are known: timeline, discards, hands, the visible top of the pile."""
    for card in range(known.catalogue_size):
        pool.given[card] = 0
    for i in range(known.timeline_count):
        pool.given[known.timeline[i]] = 1
    for i in range(known.discard_count):
        pool.given[known.discards[i]] = 1
    for seat in range(known.players):
        for slot in range(MAX_HAND):
            if known.hands[seat, slot] != NO_CARD:
                pool.given[known.hands[seat, slot]] = 1
    if first_unseen(known, view) > known.pile_start:
        pool.given[known.pile[known.pile_start]] = 1
