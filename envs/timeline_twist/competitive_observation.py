"""What a seat sees of a competitive game; the sections are documented in timeline_twist.competitive_v0."""

from typing import Any

import numpy as np

from timeline_twist.compiled import compiled
from timeline_twist.engine import NO_CARD, NO_EVENT, RIGHT, RUNNING, competitive_next_active
from timeline_twist.knowledge import FACES, NOISY
from timeline_twist.observation import (
    HIGHEST,
    NO_PLACE,
    PER_PLAYER,
    Layout,
    check_section,
    estimate_share,
    is_exact,
    is_sorted,
    row_of,
    share,
    sort_key,
    sort_slots,
    spread,
    turns_away,
    visible_places,
)
from timeline_twist.records import MAX_HAND, RECENT

CARD_FACTS = ("present", "public", "time", "sigma")
PLAYER_FACTS = ("cards", "active", "finished", "leads")
PROGRESS = ("rounds", "tie_break", "pile", "discards")
RECENT_FACTS = ("right", "wrong", "seat", "time")
PER_SLOT = np.float32(1 / MAX_HAND)


def competitive_layout(players: int, times: int, catalogue: int, kind: int, full: bool) -> Layout:
    """The sections of a competitive observation."""
    visible = MAX_HAND * players + 1
    shapes: list[tuple[str, tuple[int, ...]]] = [
        ("timeline", (times,)),
        ("discards", (times,)),
        ("cards", (visible, len(CARD_FACTS))),
        ("faces", (visible, catalogue if kind == FACES else 0)),
        ("players", (players, len(PLAYER_FACTS))),
        ("turn", (players,)),
        ("progress", (len(PROGRESS),)),
        ("recent", (RECENT, len(RECENT_FACTS))),
    ]
    if full:
        shapes += [("chances", (MAX_HAND, catalogue + 1)), ("best", (visible,))]
    return Layout(shapes)


@compiled
def competitive_observe(game: Any, seat: int, estimates: Any, view: Any, out: Any, work: Any) -> None:
    """Write the observation of a seat into `out`, and leave the order of its own slots in `work.order`."""
    out[:] = 0
    row = row_of(view, seat)
    see_cards(game, seat, estimates, row, view, work)
    at = write_row(game, game.timeline, game.timeline_count, view, out, 0)
    section = check_section(at, view, 0)
    at = write_row(game, game.discards, game.discard_count, view, out, at)
    section = check_section(at, view, section)
    at = write_cards(game, estimates, row, view, out, at, work)
    section = check_section(at, view, section)
    at = write_faces(game, view, out, at, work)
    section = check_section(at, view, section)
    at = write_players(game, seat, out, at)
    section = check_section(at, view, section)
    if game.end == RUNNING:
        out[at + turns_away(game, seat, game.turn)] = 1
    at += game.players
    section = check_section(at, view, section)
    at = write_progress(game, out, at)
    section = check_section(at, view, section)
    at = write_recent(game, seat, view, out, at)
    section = check_section(at, view, section)
    if view.full:
        count_available(game, view, work)
        best = at + MAX_HAND * (view.catalogue_size + 1)
        check_section(best, view, section)
        write_chances(game, estimates, row, view, out, at, best, work)
        check_section(best + visible_places(game), view, section + 1)


@compiled
def see_cards(game: Any, seat: int, estimates: Any, row: int, view: Any, work: Any) -> None:
    """The visible cards: the own hand, those of the seats that follow, the top of the draw pile."""
    for relative in range(game.players - 1, -1, -1):
        owner = seat + relative if seat + relative < game.players else seat + relative - game.players
        competitive_order(game, owner, estimates, row, view, work)
        for k in range(MAX_HAND):
            see_card(game, MAX_HAND * relative + k, game.hands[owner, work.order[k]], work)
    shown = view.show_pile_top and game.pile_start < game.pile_end
    see_card(game, MAX_HAND * game.players, game.pile[game.pile_start] if shown else np.int16(NO_CARD), work)


@compiled
def see_card(game: Any, place: int, card: Any, work: Any) -> None:
    work.cards[place] = card
    work.public[place] = card != NO_CARD and game.seen[card]


@compiled
def write_row(game: Any, cards: Any, count: int, view: Any, out: Any, at: int) -> Any:
    """How many of these cards have each time."""
    for i in range(count):
        place = at + game.time[cards[i]]
        out[place] = min(out[place] + np.float32(1), HIGHEST)
    return at + view.times


@compiled
def write_cards(game: Any, estimates: Any, row: int, view: Any, out: Any, at: int, work: Any) -> Any:
    """The facts of every visible card."""
    for j in range(visible_places(game)):
        card = work.cards[j]
        if card != NO_CARD:
            out[at] = 1
            if work.public[j]:
                out[at + 1] = 1
                out[at + 2] = share(game.time[card], view)
            elif view.kind <= NOISY:
                out[at + 2] = estimate_share(estimates[row, card], view)
                out[at + 3] = min(view.sigma[row, card] / np.float32(view.times), HIGHEST)
        at += len(CARD_FACTS)
    return at


@compiled
def write_faces(game: Any, view: Any, out: Any, at: int, work: Any) -> Any:
    """Under `faces`, which card it is: one of all cards of the catalogue."""
    if view.kind != FACES:
        return at
    for j in range(visible_places(game)):
        if work.cards[j] != NO_CARD:
            out[at + view.labels[work.cards[j]]] = 1
        at += view.catalogue_size
    return at


@compiled
def write_players(game: Any, seat: int, out: Any, at: int) -> Any:
    """Of every player, from the observer on: cards still to place, still in, finished in this round, leads the
    rounds."""
    leader = competitive_next_active(game, game.first_player)
    for relative in range(game.players):
        other = seat + relative if seat + relative < game.players else seat + relative - game.players
        for slot in range(MAX_HAND):
            if game.hands[other, slot] != NO_CARD:
                out[at] += PER_SLOT
        out[at + 1] = game.active[other]
        out[at + 2] = game.finished[other]
        out[at + 3] = other == leader
        at += len(PLAYER_FACTS)
    return at


@compiled
def write_progress(game: Any, out: Any, at: int) -> Any:
    out[at] = np.float32(game.rounds) / np.float32(game.max_rounds)
    out[at + 1] = game.tie_break
    out[at + 2] = np.float32(game.pile_end - game.pile_start) / np.float32(game.catalogue_size)
    out[at + 3] = np.float32(game.discard_count) / np.float32(game.catalogue_size)
    return at + len(PROGRESS)


@compiled
def write_recent(game: Any, seat: int, view: Any, out: Any, at: int) -> Any:
    """The last cards placed, newest first: right or wrong, who, and the card's time."""
    for i in range(RECENT):
        event = game.recent[i, 0]
        if event != NO_EVENT:
            out[at + event - RIGHT] = 1
            out[at + 2] = turns_away(game, seat, game.recent[i, 1]) * PER_PLAYER
            out[at + 3] = share(game.time[game.recent[i, 2]], view)
        at += len(RECENT_FACTS)
    return at


# --- what a good player computes --------------------------------------------------------------------------------------


@compiled
def count_available(game: Any, view: Any, work: Any) -> None:
    """How many cards of each time have never been public."""
    for t in range(view.times):
        work.available[t] = 0
    for card in range(game.catalogue_size):
        if not game.seen[card]:
            work.available[game.time[card]] += 1


@compiled
def write_chances(game: Any, estimates: Any, row: int, view: Any, out: Any, at: int, best: int, work: Any) -> None:
    """For every own card and position the chance that it is right there; for every visible card the best of them."""
    for j in range(visible_places(game)):
        card = work.cards[j]
        if card == NO_CARD:
            continue
        weights = work.weights[0]
        for t in range(view.times):
            weights[t] = 0
        if is_exact(view, work.public[j], view.sigma[row, card]):
            weights[game.time[card] if work.public[j] else np.int16(estimates[row, card])] = 1
        else:
            spread(estimates[row, card], view.sigma[row, card], view, work.available, weights)
        highest = np.float32(0)
        left: Any = 0
        for position in range(game.timeline_count + 1):
            # A card of equal time may lie on either side: both neighbours' own positions count.
            right = game.time[game.timeline[position]] if position < game.timeline_count else np.int16(view.times - 1)
            chance = np.float32(0)
            for t in range(left, right + 1):
                chance += weights[t]
            left = right
            if j < MAX_HAND:
                out[at + j * (view.catalogue_size + 1) + position] = min(chance, np.float32(1))
            highest = max(highest, chance)
        out[best + j] = min(highest, np.float32(1))


# --- actions as presented ---------------------------------------------------------------------------------------------


@compiled
def competitive_order(game: Any, owner: int, estimates: Any, row: int, view: Any, work: Any) -> None:
    """The slots of a hand as they are presented to whoever goes by `estimates[row]`, into `work.order`."""
    if not is_sorted(view, work):
        return
    for slot in range(MAX_HAND):
        card = game.hands[owner, slot]
        if card == NO_CARD:
            work.keys[slot] = NO_PLACE + slot
        else:
            position = np.float32(game.time[card]) if game.seen[card] else estimates[row, card]
            work.keys[slot] = sort_key(position, slot)
    sort_slots(work)


@compiled
def competitive_table_action(game: Any, action: int, work: Any) -> Any:
    """The engine's number for an action given by presented slot; what is no action stays none."""
    places = game.catalogue_size + 1
    if action < 0 or action >= MAX_HAND * places:
        return action
    return work.order[action // places] * places + action % places


@compiled
def competitive_presented_mask(game: Any, mask: Any, work: Any) -> None:
    """The mask of the player on turn by presented slot; `work.order` is the order of that hand."""
    mask[:] = 0
    if game.end != RUNNING:
        return
    for k in range(MAX_HAND):
        if game.hands[game.turn, work.order[k]] != NO_CARD:
            first = k * (game.catalogue_size + 1)
            mask[first : first + game.timeline_count + 1] = 1
