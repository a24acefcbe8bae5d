"""What a seat sees of a co-op game; the sections are documented in timeline_twist.coop_v0."""

from typing import Any

import numpy as np

from timeline_twist.compiled import compiled
from timeline_twist.engine import DISCARD, END_TURN, ENDED_TURN, NO_CARD, NO_EVENT, RUNNING
from timeline_twist.knowledge import EXPERT, FACES, NOISY
from timeline_twist.observation import (
    CARDS,
    HIGHEST,
    MAIN,
    MAIN_BIT,
    MAINS,
    NO_PLACE,
    ONE,
    ONE_BIT,
    PER_COUNT,
    PER_PLAYER,
    VISIBLE_BIT,
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
from timeline_twist.records import MAX_DECK, MAX_HAND, RECENT

CARD_FACTS = ("present", "stuck", "public", "time", "sigma")  # then front icons, then back icons
FATES = ("low_end", "high_end", "gap", "stuck", "equal", "swallows", "rivals", "gap_unseen", "discardable")
OUTWARD = ("chance", "mine", "turns_away", "on_pile", "unseen_between", "slot")
OUTLOOK = (
    "low_space",
    "high_space",
    "free_gaps",
    "taken_gaps",
    "unseen_low",
    "unseen_high",
    "unseen_in_free",
    "unseen_in_taken",
    "filled_by_unseen",
    "filled_by_visible",
)
RECENT_FACTS = ENDED_TURN + 2  # one for each event, seat, time
LONGEST_OUTWARD = 8
# A card is listed outward of an end if it lies there with at least this chance.
LIKELY = np.float32(0.25)
PER_DECK = np.float32(1 / MAX_DECK)
PER_SLOT = np.float32(1 / MAX_HAND)
NOTHING, CERTAIN = np.float32(0), np.float32(1)


def coop_layout(players: int, times: int, icons: int, catalogue: int, kind: int, full: bool) -> Layout:
    """The sections of a co-op observation."""
    visible = MAX_HAND * players + 1
    shapes: list[tuple[str, tuple[int, ...]]] = [
        ("main", (times,)),
        ("gap", (times,)),
        ("discards", (times,)),
        ("cards", (visible, len(CARD_FACTS) + 2 * icons)),
        ("faces", (visible, catalogue if kind == FACES else 0)),
        ("open_icon", (icons,)),
        ("turn", (players,)),
        ("phase", (3,)),
        ("counts", (4,)),
        ("recent", (RECENT, RECENT_FACTS)),
    ]
    if full:
        shapes += [
            ("fates", (visible, len(FATES))),
            ("outward", (2, LONGEST_OUTWARD, len(OUTWARD))),
            ("outlook", (len(OUTLOOK),)),
        ]
    return Layout(shapes)


@compiled
def coop_observe(game: Any, seat: int, estimates: Any, view: Any, out: Any, work: Any) -> None:
    """Write the observation of a seat into `out`, and leave the order of its own slots in `work.order`."""
    out[:] = 0
    row = row_of(view, seat)
    see_cards(game, seat, estimates, row, view, work)
    at = write_rows(game, view, out, work)
    section = check_section(at, view, 2)
    at = write_cards(game, estimates, row, view, out, at, work)
    section = check_section(at, view, section)
    at = write_faces(game, view, out, at, work)
    section = check_section(at, view, section)
    at = write_situation(game, seat, view, out, at)
    # Open icon, turn, phase and counts.
    section = check_section(at, view, section + 3)
    at = write_recent(game, seat, view, out, at)
    section = check_section(at, view, section)
    if view.full:
        if view.kind == EXPERT:
            know_cards(game, work)
        else:
            spread_cards(game, estimates, row, view, work)
        per_unseen = expect_unseen(game, view, work)
        fates = at
        at = write_fates(game, view, per_unseen, out, at, work)
        section = check_section(at, view, section)
        if view.kind == EXPERT:
            at = write_known_outward(game, view, per_unseen, out, at, work)
        else:
            at = write_outward(game, per_unseen, out, at, fates, work)
        section = check_section(at, view, section)
        at = write_outlook(game, view, per_unseen, out, at, work)
        check_section(at, view, section)


@compiled
def see_cards(game: Any, seat: int, estimates: Any, row: int, view: Any, work: Any) -> None:
    """The visible cards: the own hand, those of the seats that follow, the top of the draw pile."""
    for relative in range(game.players - 1, -1, -1):
        owner = seat + relative if seat + relative < game.players else seat + relative - game.players
        coop_order(game, owner, estimates, row, view, work)
        place = np.uint8(MAX_HAND * relative)
        for k in range(MAX_HAND):
            slot = np.uint8(work.order[k])
            see_card(place + k, game.hands[np.uint8(owner), slot], game.stuck[np.uint8(owner), slot], work)
    shown = view.show_pile_top and game.drawn < game.deck_size
    see_card(MAX_HAND * game.players, game.drawn if shown else np.int8(NO_CARD), 0, work)


@compiled
def see_card(place: Any, card: Any, stuck: Any, work: Any) -> None:
    work.cards[place] = card
    # Some card stands for an empty place, with nothing but zeros: no branch is needed then.
    work.card[place] = max(card, np.int8(0))
    work.present[place] = card >= 0
    work.public[place] = stuck
    work.playable[place] = (card >= 0) & (stuck == 0)


@compiled
def write_rows(game: Any, view: Any, out: Any, work: Any) -> Any:
    """Main row, gap row and discards by position; what is public is no longer unseen."""
    times = np.uint32(view.times)
    for t in range(times):
        work.unseen[t] = view.copies[t]
    for i in range(game.main_count):
        time = np.uint16(game.time[np.uint8(game.main[i])])
        out[time] = 1
        work.unseen[time] += MAIN - ONE
        taken = game.gap[i] >= 0
        time = np.uint16(game.time[np.uint8(max(game.gap[i], np.int8(0)))])
        out[times + time] += np.float32(taken)
        work.unseen[time] -= np.int64(taken) << ONE_BIT
    for i in range(game.tie_count):
        # It lies in the row of the card it is equal to.
        row = 0 if out[np.uint16(game.time[game.ties[i]])] > 0 else times
        mark(game, game.ties[i], row, out, work)
    for i in range(game.discard_count):
        mark(game, game.discards[i], 2 * times, out, work)
    return 3 * times


@compiled
def mark(game: Any, card: Any, row: Any, out: Any, work: Any) -> None:
    time = np.uint16(game.time[np.uint8(card)])
    out[row + time] += CERTAIN
    work.unseen[time] -= ONE


@compiled
def write_cards(game: Any, estimates: Any, row: int, view: Any, out: Any, start: Any, work: Any) -> Any:
    """The facts of every visible card."""
    at = np.uint32(start)
    icons = np.uint8(view.icons)
    estimated = np.float32(view.kind <= NOISY)
    for j in range(visible_places(game)):
        card = work.card[j]
        public = np.float32(work.public[j])
        hidden = work.playable[j] * estimated
        position = public * np.float32(game.time[card]) + hidden * estimates[row, card]
        out[at] = work.present[j]
        out[at + 1] = out[at + 2] = public
        out[at + 3] = estimate_share(position, view) * (public + hidden)
        out[at + 4] = min(view.sigma[row, np.uint16(game.card[card])] * view.per_time, HIGHEST) * hidden
        out[at + len(CARD_FACTS) + np.uint8(game.front[card])] = work.present[j]
        out[at + len(CARD_FACTS) + icons + np.uint8(game.back[card])] = public
        at += len(CARD_FACTS) + 2 * icons
    return at


@compiled
def write_faces(game: Any, view: Any, out: Any, at: int, work: Any) -> Any:
    """Under `faces`, which card it is: one of all cards of the catalogue."""
    if view.kind != FACES:
        return at
    for j in range(visible_places(game)):
        if work.cards[j] != NO_CARD:
            out[at + view.labels[game.card[work.cards[j]]]] = 1
        at += view.catalogue_size
    return at


@compiled
def write_situation(game: Any, seat: int, view: Any, out: Any, start: Any) -> Any:
    """The icon to match, whose turn it is, its phase, and how many cards lie where."""
    at = np.uint32(start)
    out[at + game.back[game.discards[game.discard_count - 1]]] = 1
    at += view.icons
    if game.end == RUNNING:
        out[at + turns_away(game, seat, game.turn)] = 1
        out[at + game.players + game.phase] = 1
    at += game.players + 3
    out[at] = (game.deck_size - game.drawn) * PER_DECK
    out[at + 1] = game.main_cards * PER_DECK
    out[at + 2] = game.gap_cards * PER_DECK
    out[at + 3] = game.discard_count * PER_DECK
    return at + 4


@compiled
def write_recent(game: Any, seat: int, view: Any, out: Any, start: Any) -> Any:
    """The last public events, newest first: what, who, and the time of the card that was flipped."""
    at = np.uint32(start)
    for i in range(RECENT):
        event = game.recent[i, 0]
        if event != NO_EVENT:
            out[at + event - 1] = 1
            out[at + ENDED_TURN] = turns_away(game, seat, game.recent[i, 1]) * PER_PLAYER
            if event != ENDED_TURN:
                out[at + ENDED_TURN + 1] = share(game.time[game.recent[i, 2]], view)
        at += RECENT_FACTS
    return at


# --- what a good player computes --------------------------------------------------------------------------------------


@compiled
def know_cards(game: Any, work: Any) -> None:
    """For every visible card its position, which is known, and nothing is left to chance."""
    for j in range(visible_places(game)):
        time = np.uint16(game.time[work.card[j]])
        work.first[j] = time
        work.unseen[time] += (np.int64(work.playable[j]) << VISIBLE_BIT) - (np.int64(work.present[j]) << ONE_BIT)


@compiled
def spread_cards(game: Any, estimates: Any, row: int, view: Any, work: Any) -> None:
    """For every visible card the chance of each position; what is left over is unseen."""
    for j in range(visible_places(game)):
        if work.public[j]:
            work.unseen[game.time[work.cards[j]]] -= ONE
    for t in range(view.times):
        work.available[t] = (work.unseen[t] & CARDS) // ONE
    unknown = -1
    for j in range(visible_places(game)):
        work.twins[j] = 0
        card = work.cards[j]
        if card == NO_CARD:
            continue
        sigma = view.sigma[row, game.card[card]]
        if is_exact(view, work.public[j], sigma):
            work.twins[j] = work.public[j] == 0
            time = game.time[card] if work.public[j] else np.int16(estimates[row, card])
            work.first[j] = work.last[j] = work.middle[j] = time
            work.weights[j, time] = work.chances[j, time + 1] = 1
            work.chances[j, time] = 0
        elif view.kind >= FACES and unknown >= 0:
            # Nothing tells cards of unknown time apart: the first one stands for all.
            work.twins[unknown] += 1
            work.first[j], work.last[j], work.middle[j] = work.first[unknown], work.last[unknown], work.middle[unknown]
        else:
            unknown = j
            work.twins[j] = 1
            spread_card(j, estimates[row, card], sigma, view, work)
    take_from_unseen(game, view, work)


@compiled
def spread_card(j: int, estimate: Any, sigma: Any, view: Any, work: Any) -> None:
    first, last = spread(estimate, sigma, view, work.available, work.weights[j])
    mean = below = NOTHING
    for t in range(first, last + 1):
        work.chances[j, t] = below
        below += work.weights[j, t]
        mean += np.float32(t) * work.weights[j, t]
    work.chances[j, last + 1] = below
    work.first[j], work.last[j], work.middle[j] = first, last, mean


@compiled
def chance_below(j: int, position: Any, work: Any) -> Any:
    """The chance that a visible card lies below a position."""
    return work.chances[j, np.uint16(min(max(position, work.first[j]), work.last[j] + 1))]


@compiled
def chance_in_gap(j: int, gap: int, work: Any) -> Any:
    return chance_below(j, work.main_time[gap], work) - chance_below(j, work.main_time[gap - 1] + 1, work)


@compiled
def take_from_unseen(game: Any, view: Any, work: Any) -> None:
    """What is visible is not unseen."""
    for j in range(visible_places(game)):
        if work.twins[j] > 0:
            cards = np.float32(ONE) * np.float32(work.twins[j])
            for t in range(work.first[j], work.last[j] + 1):
                work.unseen[t] -= np.int64(work.weights[j, t] * cards)
    # Several cards may be expected where only one is left.
    for t in range(view.times):
        on_main = np.int64(MAIN if work.unseen[t] > MAIN // 2 else 0)
        work.unseen[t] = max(work.unseen[t], on_main)


@compiled
def expect_unseen(game: Any, view: Any, work: Any) -> Any:
    """Where the rest of the draw pile is expected; give the share of a card that ONE in `work.below` stands for."""
    total = add_up(view.times, work)
    below_top = np.float32(game.deck_size - game.drawn) - work.present[visible_places(game) - 1]
    per_unseen = below_top / np.float32(max(int(total) & CARDS, 1))
    prepare_gaps(game, per_unseen, work)
    if view.kind != EXPERT:
        count_in_gaps(game, work)
    return per_unseen


@compiled
def prepare_gaps(game: Any, per_unseen: Any, work: Any) -> None:
    """Tables of the gaps; gap k lies after k cards of the main row: 0 and the last are not gaps but beyond the ends."""
    main = game.main_count
    work.free[0] = work.taken[0] = work.in_gap[0] = work.gap_unseen[0] = 0
    work.free[main] = work.taken[main] = work.in_gap[main] = work.gap_unseen[main] = 0
    work.gap_time[0] = work.gap_time[main] = -1
    work.main_time[0] = game.time[np.uint8(game.main[0])]
    for k in range(1, main):
        card = game.gap[k - 1]
        work.taken[k] = card >= 0
        work.free[k] = card < 0
        work.gap_time[k] = game.time[card] if card >= 0 else -1
        work.main_time[k] = game.time[np.uint8(game.main[k])]
        start, stop = work.main_time[k - 1] + 1, work.main_time[k]
        work.gap_unseen[k] = np.float32(between(start, stop, work)) * per_unseen
        # Where positions are known; otherwise they are counted by chances below.
        work.in_gap[k] = (work.below[np.uint16(stop)] >> VISIBLE_BIT) - (work.below[np.uint16(start)] >> VISIBLE_BIT)


@compiled
def count_in_gaps(game: Any, work: Any) -> None:
    """How many visible cards are expected in each gap."""
    for j in range(visible_places(game)):
        if work.twins[j] > 0:
            for gap in range(1, game.main_count):
                work.in_gap[gap] += chance_in_gap(j, gap, work) * np.float32(work.twins[j])


@compiled
def add_up(times: int, work: Any) -> Any:
    """Running sums of `work.unseen` into `work.below`; gives the last one.

    Four parts at a time, since one addition would have to wait for the other.
    """
    part = (times + 3) // 4
    for t in range(times, 4 * part):
        work.unseen[t] = 0
    a = b = c = d = np.int64(0)
    for t in range(part):
        work.below[t], work.below[t + part], work.below[t + 2 * part], work.below[t + 3 * part] = a, b, c, d
        a += work.unseen[t]
        b += work.unseen[t + part]
        c += work.unseen[t + 2 * part]
        d += work.unseen[t + 3 * part]
    for t in range(part, 2 * part):
        work.below[t] += a
    for t in range(2 * part, 3 * part):
        work.below[t] += a + b
    for t in range(3 * part, 4 * part):
        work.below[t] += a + b + c
    work.below[4 * part] = a + b + c + d
    return a + b + c + d


@compiled
def between(start: Any, stop: Any, work: Any) -> Any:
    """Expected cards from position `start` to before `stop`, in parts of ONE."""
    return (work.below[np.uint16(stop)] & CARDS) - (work.below[np.uint16(start)] & CARDS)


@compiled
def write_fates(game: Any, view: Any, per_unseen: Any, out: Any, start: Any, work: Any) -> Any:
    """For every visible card where it would go if it were played now, and what that would cost."""
    at = np.uint32(start)
    if view.kind == EXPERT:
        write_known_fates(game, per_unseen, out, at, work)
    open_icon = game.back[game.discards[game.discard_count - 1]]
    unknown = at
    for j in range(visible_places(game)):
        if view.kind != EXPERT and work.cards[j] != NO_CARD:
            if work.public[j]:
                out[at + 3] = 1
            elif work.twins[j] == 0:
                for i in range(len(FATES) - 1):
                    out[at + i] = out[unknown + i]
            else:
                unknown = at
                write_ends(game, j, per_unseen, out, at, work)
                write_gaps(game, j, out, at, work)
        out[at + 8] = work.present[j] * np.float32(game.front[work.card[j]] == open_icon)
        at += len(FATES)
    return at


@compiled
def write_known_fates(game: Any, per_unseen: Any, out: Any, start: Any, work: Any) -> None:
    """The fates of cards whose positions are known: what `write_ends` and `write_gaps` say, without a branch.

    Chances are 0 or 1 here, and multiplied where others would branch: the processor cannot foresee where cards go.
    """
    at = np.uint32(start)
    main = game.main_count
    per_count = per_unseen * PER_COUNT
    below_low = work.below[np.uint16(work.main_time[0])] & CARDS
    below_high = work.below[np.uint16(work.main_time[main - 1] + 1)] & CARDS
    for j in range(visible_places(game)):
        time = np.uint16(work.first[j])
        here, above = work.below[time], work.below[np.uint16(time + 1)]
        gap = np.uint8(here >> MAIN_BIT & MAINS)
        on_main = work.playable[j] * np.float32((above >> MAIN_BIT & MAINS) - gap)
        off_main = work.playable[j] - on_main
        low, high = off_main * np.float32(gap == 0), off_main * np.float32(gap == main)
        free, taken = off_main * work.free[gap], off_main * work.taken[gap]
        on_equal = taken * np.float32(work.gap_time[gap] == time)
        out[at], out[at + 1], out[at + 2] = low, high, free
        out[at + 3] = np.float32(work.public[j]) + taken - on_equal
        out[at + 4] = on_main + on_equal
        swallowed_low = low * np.float32(below_low - (above & CARDS))
        swallowed_high = high * np.float32((here & CARDS) - below_high)
        out[at + 5] = (swallowed_low + swallowed_high) * per_count
        out[at + 6] = free * (work.in_gap[gap] - CERTAIN) * PER_COUNT
        out[at + 7] = free * work.gap_unseen[gap] * PER_COUNT
        at += len(FATES)


@compiled
def write_ends(game: Any, j: int, per_unseen: Any, out: Any, at: Any, work: Any) -> None:
    """The chances of both ends, and how many unseen cards would then lie between the old end and the new."""
    low, high = work.main_time[0], work.main_time[game.main_count - 1]
    swallowed = NOTHING
    for t in range(work.first[j], min(work.last[j] + 1, low)):
        swallowed += work.weights[j, t] * np.float32(between(t + 1, low, work))
    for t in range(max(work.first[j], high + 1), work.last[j] + 1):
        swallowed += work.weights[j, t] * np.float32(between(high + 1, t, work))
    out[at] = chance_below(j, low, work)
    out[at + 1] = work.chances[j, np.uint16(work.last[j] + 1)] - chance_below(j, high + 1, work)
    out[at + 5] = swallowed * per_unseen * PER_COUNT


@compiled
def write_gaps(game: Any, j: int, out: Any, at: Any, work: Any) -> None:
    """The chances of a free gap, a taken one, an equal card; who else wants that gap."""
    free = stuck = equal = rivals = unseen = NOTHING
    for gap in range(1, game.main_count):
        here = chance_in_gap(j, gap, work)
        in_free = here * work.free[gap]
        on_equal = chance_at(j, work.gap_time[gap], work)
        free += in_free
        # Not a rival of itself.
        rivals += in_free * (work.in_gap[gap] - here)
        unseen += in_free * work.gap_unseen[gap]
        stuck += here * work.taken[gap] - on_equal
        equal += on_equal
    for i in range(game.main_count):
        equal += chance_at(j, work.main_time[i], work)
    out[at + 2], out[at + 3], out[at + 4] = free, max(stuck, NOTHING), equal
    out[at + 6] = max(rivals, NOTHING) * PER_COUNT
    out[at + 7] = unseen * PER_COUNT


@compiled
def chance_at(j: int, position: Any, work: Any) -> Any:
    """The chance that a visible card lies at a position; 0 at -1, which is none."""
    return work.weights[j, np.uint16(position)] if work.first[j] <= position <= work.last[j] else NOTHING


@compiled
def write_outward(game: Any, per_unseen: Any, out: Any, start: Any, fates: Any, work: Any) -> Any:
    """For each end of the main row the visible cards beyond it, the nearest first."""
    at = np.uint32(start)
    choose_outward(game, out, fates, work)
    for side in range(2):
        previous = np.float32(work.main_time[0 if side == 0 else game.main_count - 1])
        for i in range(min(work.count[side], LONGEST_OUTWARD)):
            j = work.chosen[side, i]
            inner, outer = min(work.middle[j], previous), max(work.middle[j], previous)
            cards = (below_at(outer, work) - below_at(inner + CERTAIN, work)) * per_unseen
            chance = out[fates + j * len(FATES) + side]
            write_outward_card(game, j, chance, cards, out, at + i * len(OUTWARD))
            previous = work.middle[j]
        at += LONGEST_OUTWARD * len(OUTWARD)
    return at


@compiled
def write_known_outward(game: Any, view: Any, per_unseen: Any, out: Any, start: Any, work: Any) -> Any:
    """The same for cards whose positions are known: the running sums tell the place of each among the others."""
    low, high = work.main_time[0], work.main_time[game.main_count - 1]
    order_by_time(game, low, work)
    below_low = work.below[np.uint16(low)] >> VISIBLE_BIT
    up_to_high = work.below[np.uint16(high + 1)] >> VISIBLE_BIT
    all_playable = work.below[np.uint16(view.times)] >> VISIBLE_BIT
    at, previous = np.uint32(start), low
    for i in range(min(below_low, LONGEST_OUTWARD)):
        j = np.uint8(work.by_time[np.uint8(below_low - 1 - i)])
        cards = np.float32(between(work.first[j] + 1, previous, work)) * per_unseen
        write_outward_card(game, j, CERTAIN, cards, out, at)
        previous = work.first[j]
        at += len(OUTWARD)
    at, previous = np.uint32(start + LONGEST_OUTWARD * len(OUTWARD)), high
    for i in range(min(all_playable - up_to_high, LONGEST_OUTWARD)):
        j = np.uint8(work.by_time[np.uint8(up_to_high + i)])
        cards = np.float32(between(previous + 1, work.first[j], work)) * per_unseen
        write_outward_card(game, j, CERTAIN, cards, out, at)
        previous = work.first[j]
        at += len(OUTWARD)
    return np.uint32(start + 2 * LONGEST_OUTWARD * len(OUTWARD))


@compiled
def order_by_time(game: Any, low: Any, work: Any) -> None:
    """The playable cards by their positions; equal ones in order outward."""
    for k in range(visible_places(game)):
        work.by_time[k] = -1
    for j in range(visible_places(game)):
        if work.playable[j] > 0:
            time = np.uint16(work.first[j])
            outward = -1 if time < low else 1
            place = (work.below[np.uint16(time + (time < low))] >> VISIBLE_BIT) - (time < low)
            while work.by_time[np.uint8(place)] >= 0:
                place += outward
            work.by_time[np.uint8(place)] = j


@compiled
def write_outward_card(game: Any, j: Any, chance: Any, cards: Any, out: Any, at: Any) -> None:
    """One entry of an outward list; `cards` are expected between it and the one before."""
    in_hand = j < visible_places(game) - 1
    out[at] = chance
    out[at + 1] = j < MAX_HAND
    out[at + 2] = np.float32(j // MAX_HAND) * PER_PLAYER * np.float32(in_hand)
    out[at + 3] = not in_hand
    out[at + 4] = max(cards, NOTHING) * PER_COUNT
    out[at + 5] = np.float32(j % MAX_HAND + 1) * PER_SLOT * np.float32(in_hand)


@compiled
def choose_outward(game: Any, out: Any, fates: int, work: Any) -> None:
    """Which visible cards lie beyond each end, in order outward."""
    work.count[0] = work.count[1] = 0
    for j in range(visible_places(game)):
        for side in range(2):
            if out[fates + side] >= LIKELY:
                insert_outward(j, side, work)
        fates += len(FATES)


@compiled
def insert_outward(j: int, side: int, work: Any) -> None:
    direction = -CERTAIN if side == 0 else CERTAIN
    distance = direction * work.middle[j]
    k = work.count[side]
    while k > 0 and direction * work.middle[work.chosen[side, k - 1]] > distance:
        work.chosen[side, k] = work.chosen[side, k - 1]
        k -= 1
    work.chosen[side, k] = j
    work.count[side] += 1


@compiled
def below_at(position: Any, work: Any) -> Any:
    """Expected cards below a position that need not be whole, in parts of ONE."""
    whole = np.int32(position)
    below = work.below[whole] & CARDS
    part = position - np.float32(whole)
    if part == NOTHING:
        return np.float32(below)
    return np.float32(below) + part * np.float32((work.below[whole + 1] & CARDS) - below)


@compiled
def write_outlook(game: Any, view: Any, per_unseen: Any, out: Any, start: Any, work: Any) -> Any:
    """The room beyond both ends, and what the gaps will still take."""
    at = np.uint32(start)
    low, high = work.main_time[0], work.main_time[game.main_count - 1]
    free = taken = unseen_free = unseen_taken = by_unseen = by_visible = NOTHING
    for gap in range(1, game.main_count):
        unseen = work.gap_unseen[gap]
        free += work.free[gap]
        taken += work.taken[gap]
        unseen_free += unseen * work.free[gap]
        unseen_taken += unseen * work.taken[gap]
        # Roughly how likely it is that one comes at all.
        by_unseen += unseen / (CERTAIN + unseen) * work.free[gap]
        by_visible += min(work.in_gap[gap], CERTAIN) * work.free[gap]
    out[at] = np.float32(low) / np.float32(view.times)
    out[at + 1] = np.float32(view.times - 1 - high) / np.float32(view.times)
    out[at + 2] = free * PER_COUNT
    out[at + 3] = taken * PER_COUNT
    out[at + 4] = between(0, low, work) * per_unseen * PER_COUNT
    out[at + 5] = between(high + 1, view.times, work) * per_unseen * PER_COUNT
    out[at + 6] = unseen_free * PER_COUNT
    out[at + 7] = unseen_taken * PER_COUNT
    out[at + 8] = by_unseen * PER_COUNT
    out[at + 9] = by_visible * PER_COUNT
    return at + len(OUTLOOK)


# --- actions as presented ---------------------------------------------------------------------------------------------


@compiled
def coop_order(game: Any, owner: int, estimates: Any, row: int, view: Any, work: Any) -> None:
    """The slots of a hand as they are presented to whoever goes by `estimates[row]`, into `work.order`."""
    if not is_sorted(view, work):
        return
    for slot in range(MAX_HAND):
        card = game.hands[owner, slot]
        if card == NO_CARD:
            work.keys[slot] = NO_PLACE + slot
        else:
            position = np.float32(game.time[card]) if game.stuck[owner, slot] else estimates[row, card]
            work.keys[slot] = sort_key(position, slot)
    sort_slots(work)


@compiled
def coop_table_action(action: int, work: Any) -> Any:
    """The engine's number for an action given by presented slot; what is no action stays none."""
    if 0 <= action < DISCARD:
        return work.order[action]
    if DISCARD <= action < END_TURN:
        return work.order[action - DISCARD] + DISCARD
    return action


@compiled
def coop_presented_mask(game: Any, mask: Any, work: Any) -> None:
    """The mask of the player on turn by presented slot; `work.order` is the order of that hand."""
    legal = game.legal
    for k in range(MAX_HAND):
        slot = work.order[k]
        mask[k] = legal >> slot & 1
        mask[DISCARD + k] = legal >> (DISCARD + slot) & 1
    mask[END_TURN] = legal >> END_TURN & 1
