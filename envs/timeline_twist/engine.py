"""The rules of the game, compiled. Every rule of both modes lives in this file and nowhere else.

A whole game is one NumPy record (see timeline_twist.records): an array is a batch, `games[i] = games[j]` a clone. All
functions take a record and change it in place; after the deal none of them needs the catalogue, and none
knows what a player may see. They trust their arguments: give records and masks of the right kind and length. Call them
from loops of your own under `@numba.njit`, but without its `cache=True`: it does not notice a new version of the rules.

    from timeline_twist import Coop, engine

    game = Coop(players=2).deal(7)[0]
    engine.coop_step(game, engine.PLAY + 0)     # True: the action was legal and has been carried out

**Actions.** Co-op: `PLAY + slot`, `DISCARD + slot`, `END_TURN` (0..3, 4..7, 8). Competitive:
`slot * (catalogue size + 1) + position`, position 0 = before the first card of the timeline.

**Random numbers.** SplitMix64: `state += 0x9E3779B97F4A7C15; z = state; z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
z = (z ^ z >> 27) * 0x94D049BB133111EB; output z ^ z >> 31`, all modulo 2**64. A number below n is the upper half
of `(output >> 32) * n`; it is drawn again while the lower half is less than `2**32 % n`, which makes it
exactly uniform. A shuffle goes up from place 0 and swaps place i with place `i + below(length - i)`; the last place
is left as it is.

A game uses three streams. The one that starts at `seed` shuffles the catalogue: its beginning is the draw order. The
one that starts at `seed ^ ICON_STREAM` shuffles the catalogue's (front, back) pairs: pair i goes to card i of the draw
order. The one that starts at `seed ^ LATER_STREAM` is for competitive reshuffles of the discards, in the order in which
they were discarded, and for the seed of the following game: its next output, shifted right by one bit. So a given draw
order leaves everything else as it is, and the seeds of following games stay below 2**63: the upper half of the range
is free for deals that no run ever meets by itself. The tags are the bytes "TT-icons" and "TT-later", highest first;
random play keeps its choices apart from the deal with a third, "TT-moves".
"""

from typing import Any

import numpy as np

from timeline_twist.compiled import compiled
from timeline_twist.records import MAX_DECK, MAX_HAND, MAX_PLAYERS, RECENT

# Co-op actions; add the hand slot to the first two.
PLAY, DISCARD, END_TURN = 0, 4, 8
COOP_ACTIONS = 9
ANY_PLAY = 0b1111

# Phases of a co-op turn.
START, MUST_PLAY, PLACED_ONE = 0, 1, 2

END_REASONS = ("running", "all_cards_used", "no_legal_action", "failed_play", "won", "draw", "max_rounds")
RUNNING, ALL_CARDS_USED, NO_LEGAL_ACTION, FAILED_PLAY, WON, DRAW, MAX_ROUNDS = range(7)

# Public events. Co-op: where a flipped card went, and the other actions; competitive: whether the position was right.
EVENTS = ("none", "low_end", "high_end", "gap", "equal", "stuck", "discarded", "ended_turn", "right", "wrong")
NO_EVENT, LOW_END, HIGH_END, GAP, EQUAL, STUCK, DISCARDED, ENDED_TURN, RIGHT, WRONG = range(10)

NO_CARD = -1
NOBODY = -1

ICON_STREAM = np.uint64(int.from_bytes(b"TT-icons", "big"))
LATER_STREAM = np.uint64(int.from_bytes(b"TT-later", "big"))
MOVE_STREAM = np.uint64(int.from_bytes(b"TT-moves", "big"))

# --- random numbers ---------------------------------------------------------------------------------------------------

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
LOW_HALF = np.uint64(0xFFFFFFFF)
TWO_32 = np.uint64(1 << 32)
S1, S27, S30, S31, S32 = (np.uint64(bits) for bits in (1, 27, 30, 31, 32))


@compiled
def mix(state: Any) -> Any:
    """The 64 random bits that belong to a state of the generator."""
    z = np.uint64(state)
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@compiled
def below(state: Any, bound: Any) -> Any:
    """A whole number from 0 to bound - 1, each equally likely, and the new state."""
    n = np.uint64(bound)
    # An int, too, is 64 bits without a sign here; mixing the two would turn them into a float.
    state = np.uint64(state) + GAMMA
    product = (mix(state) >> S32) * n
    # The division is needed about once in 2**32 / n draws.
    if (product & LOW_HALF) < n:
        while (product & LOW_HALF) < TWO_32 % n:
            state += GAMMA
            product = (mix(state) >> S32) * n
    return np.int64(product >> S32), state


@compiled
def shuffle(state: Any, items: Any, length: int, count: int) -> Any:
    """Bring `count` random ones of the first `length` items, in random order, to the front; give the new state."""
    state = np.uint64(state)
    for i in range(min(count, length - 1)):
        offset, state = below(state, length - i)
        items[i], items[i + offset] = items[i + offset], items[i]
    return state


@compiled
def shuffled_indices(state: Any, length: int, count: int) -> Any:
    """0..length-1, of which the first `count` are shuffled."""
    indices = np.arange(length, dtype=np.int16)
    shuffle(state, indices, length, count)
    return indices


@compiled
def seed_of_next(game: Any) -> Any:
    """The seed of the game that follows this one at the same table."""
    return mix(game.rng + GAMMA) >> S1


# --- co-op: the deal --------------------------------------------------------------------------------------------------


@compiled
def coop_deal(game: Any, cards: Any, seed: Any) -> None:
    """Deal a new game from a seed; the record's settings stay."""
    order = shuffled_indices(seed, cards.shape[0], game.deck_size)
    coop_deal_order(game, cards, seed, order)


@compiled
def coop_deal_order(game: Any, cards: Any, seed: Any, order: Any) -> None:
    """Deal a new game whose cards come in a given order; the seed decides the icons."""
    game.seed = seed
    for i in range(game.deck_size):
        game.card[i] = order[i]
        game.time[i] = cards[order[i]].time
    if game.printed_icons:
        icons_of = order
    else:
        icons_of = shuffled_indices(game.seed ^ ICON_STREAM, cards.shape[0], game.deck_size)
    for i in range(game.deck_size):
        game.front[i] = cards[icons_of[i]].front
        game.back[i] = cards[icons_of[i]].back
    game.rng = game.seed ^ LATER_STREAM
    coop_lay_out(game)


@compiled
def coop_lay_out(game: Any) -> None:
    """Hands, the first card of the main row and of the discard pile, from the cards in draw order."""
    for i in range(MAX_DECK):
        game.main[i] = NO_CARD
        game.gap[i] = NO_CARD
        game.ties[i] = NO_CARD
        game.discards[i] = NO_CARD
    game.drawn = 0
    for seat in range(MAX_PLAYERS):
        for slot in range(MAX_HAND):
            game.stuck[seat, slot] = 0
            game.hands[seat, slot] = NO_CARD
            if seat < game.players and slot < game.hand_size:
                game.hands[seat, slot] = coop_take_top(game)
    game.main[0] = coop_take_top(game)
    game.discards[0] = coop_take_top(game)
    game.main_count = game.main_cards = game.discard_count = 1
    game.gap_cards = game.tie_count = 0
    game.turn = game.first_player
    game.phase = START
    game.end = RUNNING
    game.recent[:] = NO_EVENT
    game.legal = coop_legal_actions(game)


@compiled
def coop_take_top(game: Any) -> Any:
    """The top card of the draw pile, taken off it."""
    game.drawn += 1
    return game.drawn - 1


# --- co-op: a turn ----------------------------------------------------------------------------------------------------


@compiled
def coop_legal_actions(game: Any) -> Any:
    """What the player on turn may do, as a set of bits: bit a for action a."""
    phase, turn = game.phase, game.turn
    open_icon = game.back[game.discards[game.discard_count - 1]]
    actions = 1 << END_TURN if phase == PLACED_ONE else 0
    for slot in range(MAX_HAND):
        card = game.hands[turn, slot]
        if card != NO_CARD:
            if game.stuck[turn, slot] == 0:
                actions |= 1 << (PLAY + slot)
            if phase == START and game.front[card] == open_icon:
                actions |= 1 << (DISCARD + slot)
    return actions


@compiled
def coop_is_legal(game: Any, action: int) -> Any:
    return 0 <= action < COOP_ACTIONS and game.legal >> action & 1 == 1


@compiled
def coop_mask(game: Any, mask: Any) -> Any:
    """Write 1 for each legal action and 0 for the others; give the number of legal ones."""
    actions = game.legal
    count = 0
    for action in range(COOP_ACTIONS):
        legal = actions >> action & 1
        mask[action] = legal
        count += legal
    return count


@compiled
def coop_step(game: Any, action: int) -> Any:
    """Carry out a legal action and answer True; answer False to any other and leave the game as it is."""
    if not coop_is_legal(game, action):
        return False
    if action == END_TURN:
        remember(game, ENDED_TURN, NO_CARD)
        coop_end_turn(game)
    elif action < DISCARD:
        coop_play(game, action - PLAY)
    else:
        coop_discard(game, action - DISCARD)
    return True


@compiled
def remember(game: Any, event: int, card: int) -> None:
    """Put an event of the player on turn before the earlier ones; in both modes."""
    for i in range(RECENT - 1, 0, -1):
        for part in range(3):
            game.recent[i, part] = game.recent[i - 1, part]
    game.recent[0, 0] = event
    game.recent[0, 1] = game.turn
    game.recent[0, 2] = card


@compiled
def coop_discard(game: Any, slot: int) -> None:
    remember(game, DISCARDED, game.hands[game.turn, slot])
    game.discards[game.discard_count] = game.hands[game.turn, slot]
    game.discard_count += 1
    game.hands[game.turn, slot] = NO_CARD
    game.stuck[game.turn, slot] = 0
    coop_end_turn(game)


@compiled
def coop_play(game: Any, slot: int) -> None:
    """Flip a card: it is placed or stuck, and the turn goes on or ends."""
    second = game.phase == PLACED_ONE
    card = game.hands[game.turn, slot]
    event = coop_place(game, card)
    placed = event != NO_EVENT
    remember(game, event if placed else STUCK, card)
    if placed:
        game.hands[game.turn, slot] = NO_CARD
    else:
        game.stuck[game.turn, slot] = 1
    game.phase = PLACED_ONE if placed or second else MUST_PLAY
    game.legal = coop_legal_actions(game)
    nothing_to_try = game.legal & ANY_PLAY == 0
    if game.phase == MUST_PLAY:
        if nothing_to_try:
            game.end = FAILED_PLAY
    elif nothing_to_try or (placed and second):
        coop_end_turn(game)


@compiled
def coop_place(game: Any, card: int) -> Any:
    """Put a flipped card where the rules say, and tell where that is; NO_EVENT if its gap slot is taken."""
    time = game.time[card]
    if time > game.time[game.main[game.main_count - 1]]:
        coop_insert_main(game, game.main_count, card)
        return HIGH_END
    if time < game.time[game.main[0]]:
        coop_insert_main(game, 0, card)
        return LOW_END
    left = game.main_count - 1
    while game.time[game.main[left]] > time:
        left -= 1
    if game.time[game.main[left]] == time:
        coop_lay_on_equal(game, card)
        game.main_cards += 1
        return EQUAL
    if game.gap[left] == NO_CARD:
        game.gap[left] = card
        game.gap_cards += 1
        return GAP
    if game.time[game.gap[left]] == time:
        coop_lay_on_equal(game, card)
        game.gap_cards += 1
        return EQUAL
    # The main row grows only at its ends, so a taken slot stays taken: the card is stuck for good.
    return NO_EVENT


@compiled
def coop_insert_main(game: Any, position: int, card: int) -> None:
    """Add a new end to the main row: position 0 or main_count."""
    for i in range(game.main_count, position, -1):
        game.main[i] = game.main[i - 1]
        game.gap[i] = game.gap[i - 1]
    game.main[position] = card
    game.gap[position] = NO_CARD
    game.main_count += 1
    game.main_cards += 1


@compiled
def coop_lay_on_equal(game: Any, card: int) -> None:
    game.ties[game.tie_count] = card
    game.tie_count += 1


@compiled
def coop_end_turn(game: Any) -> None:
    """Draw, then find who is next; the game ends if nobody holds a card or the next player cannot act."""
    for slot in range(game.hand_size):
        if game.hands[game.turn, slot] == NO_CARD and game.drawn < game.deck_size:
            game.hands[game.turn, slot] = coop_take_top(game)
    game.phase = START
    for _ in range(game.players):
        game.turn = game.turn + 1 if game.turn + 1 < game.players else 0
        if holds_cards(game):
            game.legal = coop_legal_actions(game)
            if game.legal == 0:
                game.end = NO_LEGAL_ACTION
            return
    game.legal = 0
    game.end = ALL_CARDS_USED


@compiled
def holds_cards(game: Any) -> Any:
    """Whether the player on turn has any card; in both modes."""
    for slot in range(MAX_HAND):
        if game.hands[game.turn, slot] != NO_CARD:
            return True
    return False


@compiled
def coop_score(game: Any) -> Any:
    """2 a card of the main row, 1 a card of the gap row, -1 each for all others."""
    return 3 * game.main_cards + 2 * game.gap_cards - game.deck_size


# --- competitive: the deal --------------------------------------------------------------------------------------------


@compiled
def competitive_deal(game: Any, cards: Any, seed: Any) -> None:
    """Deal a new game from a seed; the record's settings stay."""
    order = shuffled_indices(seed, game.catalogue_size, game.catalogue_size)
    competitive_deal_order(game, cards, seed, order)


@compiled
def competitive_deal_order(game: Any, cards: Any, seed: Any, order: Any) -> None:
    """Deal a new game whose cards come in a given order; the seed decides later reshuffles."""
    game.seed = seed
    game.rng = game.seed ^ LATER_STREAM
    for i in range(game.catalogue_size):
        game.pile[i] = order[i]
        game.time[i] = cards[i].time
        game.timeline[i] = NO_CARD
        game.discards[i] = NO_CARD
        game.seen[i] = 0
    game.pile_start, game.pile_end = 0, game.catalogue_size
    for seat in range(MAX_PLAYERS):
        game.active[seat] = seat < game.players
        game.finished[seat] = 0
        for slot in range(MAX_HAND):
            game.hands[seat, slot] = NO_CARD
            if seat < game.players and slot < game.hand_size:
                game.hands[seat, slot] = competitive_take_top(game)
    game.timeline[0] = competitive_take_top(game)
    game.seen[game.timeline[0]] = 1
    game.timeline_count = 1
    game.discard_count = 0
    game.turn = game.first_player
    game.tie_break = game.rounds = 0
    game.recent[:] = NO_EVENT
    game.end = RUNNING
    game.winner = NOBODY


@compiled
def competitive_take_top(game: Any) -> Any:
    """The top card of the draw pile, taken off it."""
    game.pile_start += 1
    return game.pile[game.pile_start - 1]


# --- competitive: a turn ----------------------------------------------------------------------------------------------


@compiled
def competitive_is_legal(game: Any, action: int) -> Any:
    places = game.catalogue_size + 1
    if game.end != RUNNING or action < 0 or action >= MAX_HAND * places:
        return False
    return game.hands[game.turn, action // places] != NO_CARD and action % places <= game.timeline_count


@compiled
def competitive_mask(game: Any, mask: Any) -> Any:
    """Write 1 for each legal action and 0 for the others; give the number of legal ones."""
    mask[:] = 0
    if game.end != RUNNING:
        return 0
    open_places = game.timeline_count + 1
    count = 0
    for slot in range(MAX_HAND):
        if game.hands[game.turn, slot] != NO_CARD:
            first = slot * (game.catalogue_size + 1)
            mask[first : first + open_places] = 1
            count += open_places
    return count


@compiled
def competitive_step(game: Any, action: int) -> Any:
    """Carry out a legal action and answer True; answer False to any other and leave the game as it is."""
    if not competitive_is_legal(game, action):
        return False
    places = game.catalogue_size + 1
    competitive_place(game, action // places, action % places)
    if game.end == RUNNING:
        competitive_end_turn(game)
    return True


@compiled
def competitive_place(game: Any, slot: int, position: int) -> None:
    """Flip a card at a position: it stays if it is right there, otherwise it is discarded and replaced."""
    card = game.hands[game.turn, slot]
    game.hands[game.turn, slot] = NO_CARD
    game.seen[card] = 1
    fits = competitive_fits(game, game.time[card], position)
    remember(game, RIGHT if fits else WRONG, card)
    if fits:
        for i in range(game.timeline_count, position, -1):
            game.timeline[i] = game.timeline[i - 1]
        game.timeline[position] = card
        game.timeline_count += 1
        game.finished[game.turn] = not holds_cards(game)
        return
    game.discards[game.discard_count] = card
    game.discard_count += 1
    if not game.tie_break:
        competitive_draw(game)


@compiled
def competitive_fits(game: Any, time: int, position: int) -> Any:
    """Right between its neighbours; a card of equal time may lie on either side of it."""
    if position > 0 and game.time[game.timeline[position - 1]] > time:
        return False
    return position == game.timeline_count or time <= game.time[game.timeline[position]]


@compiled
def competitive_draw(game: Any) -> None:
    """Give the player on turn one card; if none is left anywhere, the game is a draw."""
    if game.pile_start == game.pile_end:
        competitive_reshuffle(game)
    if game.pile_start == game.pile_end:
        game.end = DRAW
        return
    slot = 0
    while game.hands[game.turn, slot] != NO_CARD:
        slot += 1
    game.hands[game.turn, slot] = competitive_take_top(game)


@compiled
def competitive_reshuffle(game: Any) -> None:
    """The discards, shuffled, are the new draw pile."""
    game.pile_start, game.pile_end = 0, game.discard_count
    for i in range(game.discard_count):
        game.pile[i] = game.discards[i]
        game.discards[i] = NO_CARD
    game.discard_count = 0
    game.rng = shuffle(game.rng, game.pile, game.pile_end, game.pile_end)


@compiled
def competitive_end_turn(game: Any) -> None:
    """Pass the turn to the next player still in, judge the round if it is over, draw if it is a tie-break."""
    leader = competitive_next_active(game, game.first_player)
    game.turn = competitive_next_active(game, game.turn + 1)
    if game.turn == leader:
        competitive_judge_round(game)
    if game.end == RUNNING and game.tie_break:
        competitive_draw(game)


@compiled
def competitive_next_active(game: Any, seat: int) -> Any:
    """`seat`, or the first seat clockwise from it that is still in."""
    seat %= game.players
    while not game.active[seat]:
        seat = (seat + 1) % game.players
    return seat


@compiled
def competitive_judge_round(game: Any) -> None:
    """At the end of a round: one finisher wins, several play on alone, none changes nothing."""
    finishers = 0
    for seat in range(game.players):
        finishers += game.finished[seat]
    if finishers > 0:
        for seat in range(game.players):
            game.active[seat] = game.finished[seat]
            game.finished[seat] = 0
    game.rounds += 1
    # The leader may be out now: the next player still in leads.
    game.turn = competitive_next_active(game, game.first_player)
    if finishers == 1:
        game.end = WON
        game.winner = game.turn
        return
    if finishers > 1:
        game.tie_break = 1
    if game.rounds >= game.max_rounds:
        game.end = MAX_ROUNDS


# --- batches ----------------------------------------------------------------------------------------------------------


@compiled
def coop_deal_batch(games: Any, cards: Any, seeds: Any) -> None:
    for i in range(games.shape[0]):
        coop_deal(games[i], cards, seeds[i])


@compiled
def competitive_deal_batch(games: Any, cards: Any, seeds: Any) -> None:
    for i in range(games.shape[0]):
        competitive_deal(games[i], cards, seeds[i])
