"""Situations that differ by names only, shown to networks as one and the same.

Two things about a co-op game are arbitrary: which icon is called what, and in which direction time runs. A network that
sees observations as they are has to learn every situation up to 48 times. Here an observation is rewritten:

- Icons are numbered anew: the open one (which a discard must match) first, then those that are most frequent in the own
  hand, then in all that is visible.
- The timeline is turned round if there is more room beyond its low end than beyond its high end: positions, ends, lists
  and sorted hands change sides, and with the hands the actions. Never under `faces`, where the network itself must
  learn which dates the faces have.

`open_icon` and `turn`, which are always the same then, are left out, and so are the three rows of positions unless
`rows` asks for them. What a network would have to compare every card with every other one for is added:

- `hands`, `P x (3 + 2I)`: for each player from the observer on, cards, expected playable ones, discardable ones; of
  every icon, expected cards that are stuck or would be, then of every icon the others.
- `ties`, `(4P+1) x 8`: for each visible card how many of the observer's and how many other cards lie between it and its
  end of the main row; beyond it; in the same free gap; are stuck and match its back icon (expected where it is hidden).

All of it is divided by 4. Cards in `ties` are expected ones; of several positions the best guess stands for all.

Everything is a function of the observation, so that nothing can be seen here that was not seen there. The tail that
critics see behind it (timeline_twist.coop_hidden) is rewritten in the same way.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from timeline_twist.compiled import compiled
from timeline_twist.coop_hidden import NEXT_CARDS
from timeline_twist.coop_observation import CARD_FACTS, FATES, LONGEST_OUTWARD, OUTWARD, RECENT_FACTS
from timeline_twist.engine import DISCARD, END_TURN, ENDED_TURN
from timeline_twist.knowledge import FACES
from timeline_twist.observation import Layout
from timeline_twist.records import MAX_HAND, MAX_PLAYERS, RECENT

Array = npt.NDArray[Any]

ROWS = ("main", "gap", "discards")
KEPT = ("cards", "faces", "phase", "counts", "recent", "fates", "outward", "outlook")
FACTS, FATE_FACTS, OUTWARD_FACTS, MOST_ICONS = len(CARD_FACTS), len(FATES), len(OUTWARD), 64
TIES = 8  # numbers for each card in the section `ties`
PER_HAND = np.float32(1 / MAX_HAND)
NOTHING, ONE = np.float32(0), np.float32(1)


class Sizes(NamedTuple):
    """What the compiled part must know of a table; `at_` are the beginnings of sections as given."""

    players: int
    times: int
    icons: int
    visible: int
    faces: int
    rows: bool
    full: bool
    turns: bool
    sorted_hands: bool
    estimated: bool
    at_cards: int
    at_faces: int
    at_open: int
    at_phase: int
    at_recent: int
    at_fates: int
    at_outward: int
    at_outlook: int


class Canonical:
    """Rewrites the observations of one table."""

    def __init__(self, layout: Layout, kind: int, *, sorted_slots: bool, rows: bool) -> None:
        players, icons, full = layout["turn"].shape[0], layout["open_icon"].shape[0], "fates" in layout
        names = [name for name in (*(ROWS if rows else ()), *KEPT) if name in layout]
        visible = layout["cards"].shape[0]
        added: list[tuple[str, tuple[int, ...]]] = [("hands", (players, 3 + 2 * icons)), ("ties", (visible, TIES))]
        self.layout = Layout([(name, layout[name].shape) for name in names] + (added if full else []))
        starts = {f"at_{name}": layout[name].start if name in layout else 0 for name in KEPT if name != "counts"}
        self.sizes = Sizes(
            players=players,
            times=layout["main"].shape[0],
            icons=icons,
            visible=visible,
            faces=layout["faces"].shape[1],
            rows=rows,
            full=full,
            turns=kind != FACES,
            sorted_hands=sorted_slots and kind < FACES,
            estimated=kind < FACES,
            at_open=layout["open_icon"].start,
            **starts,
        )

    def rewrite(self, observations: Array, masks: Array, out: Array, shown: Array) -> Array:
        """Observations into the first columns of `out`, masks into `shown`; gives how each was turned and renamed.

        Column k of the mask shown is column `turned_action(k)` of the one given, and the other way round.
        """
        changes = np.zeros((len(observations), self.sizes.players + 1 + self.sizes.icons), np.int8)
        rewrite_all(observations, masks, self.sizes, out, shown, changes)
        return changes

    def rewrite_hidden(self, hidden: Array, changes: Array, out: Array) -> None:
        """The critic's tails into `out`."""
        rewrite_all_hidden(hidden, changes, self.sizes, out)

    def scores(self, shown: Array, changes: Array) -> Array:
        """Scores of the actions as given, from the network's scores of the actions as shown."""
        given = np.empty_like(shown)
        turn_scores(shown, changes, given)
        return given

    def action(self, actions: Array, changes: Array) -> Array:
        """The actions meant by actions chosen from what was shown."""
        given = np.empty(len(actions), np.int64)
        turn_actions(actions, changes, given)
        return given


def canonical_for(config: Any, layout: Layout, kind: int) -> Canonical | None:
    """What rewrites the observations of a table for an agent with this config; None if they are shown as they are."""
    if not config.canonical:
        return None
    rows = config.rows or config.features == "raw"
    return Canonical(layout, kind, sorted_slots=config.slots == "sorted", rows=rows)


# --- compiled ---------------------------------------------------------------------------------------------------------
# `change` of an observation: for each player how many sorted cards change places (0: none), then whether the timeline
# is turned round, then the new number of every icon.


@compiled
def rewrite_all(observations: Any, masks: Any, sizes: Any, out: Any, shown: Any, changes: Any) -> None:
    """Rewrite every observation and mask."""
    for i in range(observations.shape[0]):
        given, change = observations[i], changes[i]
        decide(given, sizes, change)
        rewrite_one(given, sizes, change, out[i])
        for action in range(masks.shape[1]):
            shown[i, action] = masks[i, turned_action(action, change)]


@compiled
def decide(given: Any, sizes: Any, change: Any) -> None:
    """Whether to turn the timeline round, and how to call the icons."""
    change[:] = 0
    turned = sizes.turns and more_room_below(given, sizes)
    change[sizes.players] = turned
    if turned and sizes.sorted_hands:
        for player in range(sizes.players):
            for slot in range(MAX_HAND):
                change[player] += given[card_at(MAX_HAND * player + slot, sizes)] > 0
    name_icons(given, sizes, change[sizes.players + 1 :])


@compiled
def card_at(place: int, sizes: Any) -> Any:
    return sizes.at_cards + place * (FACTS + 2 * sizes.icons)


@compiled
def more_room_below(given: Any, sizes: Any) -> Any:
    """Whether there are more positions below the main row than above it."""
    low = 0
    while given[low] == 0 and low < sizes.times - 1:
        low += 1
    high = sizes.times - 1
    while given[high] == 0 and high > 0:
        high -= 1
    return low > sizes.times - 1 - high


@compiled
def name_icons(given: Any, sizes: Any, names: Any) -> None:
    """The new number of every icon: the open one first, then the most frequent ones."""
    for icon in range(sizes.icons):
        weight = icon_weight(given, icon, sizes)
        for other in range(sizes.icons):
            heavier = icon_weight(given, other, sizes)
            names[icon] += heavier > weight or (heavier == weight and other < icon)


@compiled
def icon_weight(given: Any, icon: int, sizes: Any) -> Any:
    """How early an icon comes: a visible card counts 1, an own one 32, the open icon more than all of them."""
    weight = given[sizes.at_open + icon] * np.float32(1024)
    for place in range(sizes.visible):
        counts = np.float32(32) if place < MAX_HAND else ONE
        weight += given[card_at(place, sizes) + FACTS + icon] * counts
    return weight


@compiled
def turned_action(action: int, change: Any) -> Any:
    """The action whose card stands where this one's would without turning."""
    if action >= END_TURN:
        return action
    slot = action % DISCARD
    return action - slot + (change[0] - 1 - slot if slot < change[0] else slot)


@compiled
def turn_actions(actions: Any, changes: Any, given: Any) -> None:
    for i in range(actions.shape[0]):
        given[i] = turned_action(actions[i], changes[i])


@compiled
def turn_scores(shown: Any, changes: Any, given: Any) -> None:
    for i in range(shown.shape[0]):
        for action in range(shown.shape[1]):
            given[i, action] = shown[i, turned_action(action, changes[i])]


@compiled
def source_of(place: int, change: Any, sizes: Any) -> Any:
    """The place of the visible cards, as given, from which a place is filled."""
    player, slot = place // MAX_HAND, place % MAX_HAND
    if player < sizes.players and slot < change[player]:
        return place - slot + change[player] - 1 - slot
    return place


@compiled
def rewrite_one(given: Any, sizes: Any, change: Any, out: Any) -> None:
    turned = change[sizes.players] > 0
    at = 0
    if sizes.rows:
        for row in range(3):
            copy_row(given[row * sizes.times : (row + 1) * sizes.times], turned, out[at : at + sizes.times])
            at += sizes.times
    for place in range(sizes.visible):
        source = card_at(source_of(place, change, sizes), sizes)
        at = rewrite_card(given, source, sizes, change, out, at)
    for place in range(sizes.visible if sizes.faces else 0):
        source = sizes.at_faces + source_of(place, change, sizes) * sizes.faces
        at = copy(given, source, sizes.faces, out, at)
    # Phase and counts follow each other.
    at = copy(given, sizes.at_phase, 3 + 4, out, at)
    at = rewrite_recent(given, sizes, turned, out, at)
    if sizes.full:
        for place in range(sizes.visible):
            source = sizes.at_fates + source_of(place, change, sizes) * FATE_FACTS
            at = copy_with_sides(given, source, FATE_FACTS, turned, out, at)
        at = rewrite_outward(given, sizes, change, out, at)
        at = rewrite_outlook(given, sizes, turned, out, at)
        at = add_up_hands(given, sizes, change, out, at)
        compare_cards(given, sizes, change, out, at)


@compiled
def copy(given: Any, start: int, count: int, out: Any, at: int) -> Any:
    for k in range(count):
        out[at + k] = given[start + k]
    return at + count


@compiled
def copy_row(given: Any, turned: Any, out: Any) -> None:
    last = given.shape[0] - 1
    for k in range(last + 1):
        out[k] = given[last - k if turned else k]


@compiled
def copy_with_sides(given: Any, start: int, count: int, turned: Any, out: Any, at: int) -> Any:
    """Copy; the first two numbers belong to the low and the high end."""
    end = copy(given, start, count, out, at)
    if turned:
        out[at], out[at + 1] = out[at + 1], out[at]
    return end


@compiled
def rewrite_card(given: Any, source: int, sizes: Any, change: Any, out: Any, at: int) -> Any:
    copy(given, source, FACTS, out, at)
    known = given[source] > 0 and (sizes.estimated or given[source + 2] > 0)
    if known and change[sizes.players]:
        out[at + 3] = ONE - out[at + 3]
    names = change[sizes.players + 1 :]
    at += FACTS
    for side in range(2):
        for icon in range(sizes.icons):
            out[at + names[icon]] = given[source + FACTS + side * sizes.icons + icon]
        at += sizes.icons
    return at


@compiled
def rewrite_recent(given: Any, sizes: Any, turned: Any, out: Any, at: int) -> Any:
    for event in range(RECENT):
        source = sizes.at_recent + event * RECENT_FACTS
        flipped = given[source + ENDED_TURN + 1] > 0
        end = copy_with_sides(given, source, RECENT_FACTS, turned, out, at)
        if turned and flipped:
            out[at + ENDED_TURN + 1] = ONE - out[at + ENDED_TURN + 1]
        at = end
    return at


@compiled
def rewrite_outward(given: Any, sizes: Any, change: Any, out: Any, at: int) -> Any:
    """Both lists; a slot in a turned hand is counted from the other side."""
    turned = change[sizes.players] > 0
    side_size = LONGEST_OUTWARD * OUTWARD_FACTS
    for side in range(2):
        source = sizes.at_outward + (1 - side if turned else side) * side_size
        copy(given, source, side_size, out, at)
        for k in range(at, at + side_size, OUTWARD_FACTS):
            owner = int(out[k + 2] * np.float32(MAX_PLAYERS) + np.float32(0.5))
            slot = int(out[k + 5] * np.float32(MAX_HAND) + np.float32(0.5)) - 1
            if 0 <= slot < change[owner]:
                out[k + 5] = (change[owner] - slot) * PER_HAND
        at += side_size
    return at


@compiled
def rewrite_outlook(given: Any, sizes: Any, turned: Any, out: Any, at: int) -> Any:
    """The room and the unseen cards beyond the ends change sides."""
    end = copy_with_sides(given, sizes.at_outlook, 10, turned, out, at)
    if turned:
        out[at + 4], out[at + 5] = out[at + 5], out[at + 4]
    return end


@compiled
def add_up_hands(given: Any, sizes: Any, change: Any, out: Any, at: int) -> Any:
    """The section `hands`."""
    names = change[sizes.players + 1 :]
    for player in range(sizes.players):
        out[at : at + 3 + 2 * sizes.icons] = 0
        for place in range(MAX_HAND * player, MAX_HAND * (player + 1)):
            card, fate = card_at(place, sizes), sizes.at_fates + place * FATE_FACTS
            present = given[card] * PER_HAND
            stuck = given[fate + 3] * PER_HAND
            out[at] += present
            out[at + 1] += present - stuck
            out[at + 2] += given[fate + 8] * PER_HAND
            for icon in range(sizes.icons):
                shows = given[card + FACTS + icon]
                out[at + 3 + names[icon]] += shows * stuck
                out[at + 3 + sizes.icons + names[icon]] += shows * (present - stuck)
        at += 3 + 2 * sizes.icons
    return at


@compiled
def compare_cards(given: Any, sizes: Any, change: Any, out: Any, at: int) -> None:
    """The section `ties`."""
    cards = np.empty((5, sizes.visible), np.float32)
    gather(given, sizes, change, cards)
    wanted = icons_of_the_stuck(given, sizes)
    for place in range(sizes.visible):
        compare_with(cards, place, 0, min(MAX_HAND, sizes.visible), out, at)
        compare_with(cards, place, MAX_HAND, sizes.visible, out, at + 1)
        out[at + 6] = out[at + 7] = 0
        card = card_at(source_of(place, change, sizes), sizes)
        if given[card] > 0:
            for icon in range(sizes.icons):
                chance = chance_of_back(given, card, icon, sizes)
                out[at + 6] += chance * wanted[0, icon]
                out[at + 7] += chance * wanted[1, icon]
        at += TIES


@compiled
def gather(given: Any, sizes: Any, change: Any, cards: Any) -> None:
    """Of every visible card its position, its chances of low end, high end and free gap, and its gap: how many times of
    the main row are below its position."""
    for place in range(sizes.visible):
        source = source_of(place, change, sizes)
        fate = sizes.at_fates + source * FATE_FACTS
        cards[0, place] = given[card_at(source, sizes) + 3]
        cards[1, place], cards[2, place], cards[3, place] = given[fate], given[fate + 1], given[fate + 2]
        cards[4, place] = 0
    per_time = np.float32(1 / sizes.times)
    for t in range(sizes.times):
        if given[t] > 0:
            position = (np.float32(t) + np.float32(0.5)) * per_time
            for place in range(sizes.visible):
                cards[4, place] += np.float32(cards[0, place] > position)


@compiled
def compare_with(cards: Any, place: int, first: int, last: int, out: Any, at: int) -> None:
    """What the cards from `first` to before `last` are to one card; they stand in every other place of `out`."""
    position, low, high, gap = cards[0, place], cards[1, place], cards[2, place], cards[4, place]
    nearer = beyond = rivals = NOTHING
    for other in range(first, last):
        above, below = np.float32(cards[0, other] > position), np.float32(cards[0, other] < position)
        both_low, both_high = low * cards[1, other], high * cards[2, other]
        nearer += both_low * above + both_high * below
        beyond += both_low * below + both_high * above
        rivals += cards[3, other] * np.float32(cards[4, other] == gap)
    if first <= place < last:
        rivals -= cards[3, place]
    out[at], out[at + 2] = nearer * PER_HAND, beyond * PER_HAND
    out[at + 4] = max(rivals, NOTHING) * cards[3, place] * PER_HAND


@compiled
def icons_of_the_stuck(given: Any, sizes: Any) -> Any:
    """Expected stuck cards by front icon, the observer's and others; the top of the draw pile cannot be discarded."""
    wanted = np.zeros((2, sizes.icons), np.float32)
    for place in range(sizes.visible - 1):
        stuck = given[sizes.at_fates + place * FATE_FACTS + 3] * PER_HAND
        for icon in range(sizes.icons):
            wanted[int(place >= MAX_HAND), icon] += stuck * given[card_at(place, sizes) + FACTS + icon]
    return wanted


@compiled
def chance_of_back(given: Any, card: int, icon: int, sizes: Any) -> Any:
    """The chance that a card has this icon on its back; the two sides always differ."""
    if given[card + 2] > 0:
        return given[card + FACTS + sizes.icons + icon]
    return (ONE - given[card + FACTS + icon]) / np.float32(max(sizes.icons - 1, 1))


@compiled
def rewrite_all_hidden(hidden: Any, changes: Any, sizes: Any, out: Any) -> None:
    """The critic's tail: the pile by position, its next cards, the visible cards as they truly are."""
    next_size, card_size = 2 + 2 * sizes.icons, 1 + sizes.icons
    for i in range(hidden.shape[0]):
        given, change = hidden[i], changes[i]
        turned = change[sizes.players] > 0
        names = change[sizes.players + 1 :]
        copy_row(given[: sizes.times], turned, out[i, : sizes.times])
        at = sizes.times
        for _ in range(NEXT_CARDS):
            copy(given, at, 2, out[i], at)
            if turned and given[at] > 0:
                out[i, at + 1] = ONE - given[at + 1]
            for icon in range(sizes.icons):
                out[i, at + 2 + names[icon]] = given[at + 2 + icon]
                out[i, at + 2 + sizes.icons + names[icon]] = given[at + 2 + sizes.icons + icon]
            at += next_size
        for place in range(sizes.visible):
            source = sizes.times + NEXT_CARDS * next_size + source_of(place, change, sizes) * card_size
            out[i, at] = ONE - given[source] if turned and given[source] > 0 else given[source]
            for icon in range(sizes.icons):
                out[i, at + 1 + names[icon]] = given[source + 1 + icon]
            at += card_size
