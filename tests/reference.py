"""A slow, literal model of both modes of the game, to be compared with the fast engine move by move.

Nothing here is clever: every function is one sentence or one paragraph of the rules. Cards are named by their
index in the catalogue, seats count from 0, and every pile is a plain list.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeVar

Card = tuple[int, str, str]  # time, front icon, back icon
Hand = list[int | None]  # one entry per place: a card, or None where the place is empty
Item = TypeVar("Item")

HAND_PLACES = 4
LARGEST_DECK = 36
MOST_PLAYERS = 6

ICON_STREAM = int.from_bytes(b"TT-icons", "big")
LATER_STREAM = int.from_bytes(b"TT-later", "big")

FIRST_PLAY_ACTION = 0
FIRST_DISCARD_ACTION = HAND_PLACES
END_TURN_ACTION = 2 * HAND_PLACES
COOP_ACTIONS = END_TURN_ACTION + 1


class IllegalActionError(ValueError):
    """The action is not allowed now; the game is as it was before."""


class SplitMix64:
    """The random generator that every implementation of the game shares, so that a seed means the same deal."""

    def __init__(self, seed: int) -> None:
        """Start a stream at the given 64-bit state."""
        self.state = seed % 2**64

    def next(self) -> int:
        """Return the next 64-bit number of the stream."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, each equally likely."""
        product = (self.next() >> 32) * n
        # The lowest few remainders would make some results likelier than others, so they are drawn again.
        while product % 2**32 < 2**32 % n:
            product = (self.next() >> 32) * n
        return product >> 32

    def shuffle(self, items: list[Item], count: int) -> None:
        """Put random items into the first `count` places; the last place of all has nothing left to choose."""
        for i in range(min(count, len(items) - 1)):
            j = i + self.below(len(items) - i)
            items[i], items[j] = items[j], items[i]

    def copy(self) -> SplitMix64:
        """Return a separate stream that goes on from the same state."""
        return SplitMix64(self.state)


def require(condition: bool, message: str) -> None:
    """Refuse a game that the rules do not know."""
    if not condition:
        raise ValueError(message)


def require_table(players: int, fewest_players: int, hand_size: int, first_player: int) -> None:
    """Check what both modes have in common."""
    require(fewest_players <= players <= MOST_PLAYERS, f"{players} players are not allowed in this mode")
    require(1 <= hand_size <= HAND_PLACES, f"a hand has 1 to {HAND_PLACES} cards, not {hand_size}")
    require(0 <= first_player < players, f"there is no seat {first_player}")


def require_deck(deck_size: int, dealt: int, catalogue_size: int) -> None:
    """Check that the co-op deck exists and leaves a card for the main row and one for the discard pile."""
    require(deck_size <= min(LARGEST_DECK, catalogue_size), f"a deck of {deck_size} cards is too large")
    require(deck_size >= dealt + 2, f"a deck of {deck_size} cards is too small")


def require_draw_order(draw_order: list[int], length: int, catalogue_size: int) -> None:
    """Check that a given draw order has the right number of cards, all in the catalogue and all different."""
    require(len(draw_order) == length, f"the draw order has {len(draw_order)} cards instead of {length}")
    require(len(set(draw_order)) == length, "the draw order holds a card twice")
    require(all(0 <= card < catalogue_size for card in draw_order), "the draw order holds an unknown card")


def require_legal(action: int, mask: list[bool]) -> None:
    """Refuse an action that does not exist or is not legal now."""
    if not (0 <= action < len(mask) and mask[action]):
        raise IllegalActionError(f"action {action} is not legal now")


def shuffled_cards(catalogue: list[Card], count: int, seed: int) -> list[int]:
    """Shuffle the catalogue and take the first `count` cards."""
    cards = list(range(len(catalogue)))
    SplitMix64(seed).shuffle(cards, count)
    return cards[:count]


def deal_hands(pile: list[int], players: int, hand_size: int) -> list[Hand]:
    """Take each seat's whole hand from the top of the pile, seat 0 first."""
    hands: list[Hand] = []
    for _ in range(players):
        hand: Hand = [None] * HAND_PLACES
        for place in range(hand_size):
            hand[place] = pile.pop(0)
        hands.append(hand)
    return hands


def cards_in(hand: Hand) -> list[int]:
    """List the cards of a hand without its empty places."""
    return [card for card in hand if card is not None]


def take(hand: Hand, place: int) -> int:
    """Take the card out of a place, which is then empty."""
    card = hand[place]
    assert card is not None, "only a place with a card is ever chosen"
    hand[place] = None
    return card


def put_into_lowest_empty_place(hand: Hand, card: int) -> None:
    """Add a drawn card to a hand."""
    hand[hand.index(None)] = card


class Coop:
    """One game of the co-operative mode."""

    def __init__(
        self,
        catalogue: list[Card],
        *,
        players: int,
        seed: int = 0,
        hand_size: int = 4,
        deck_size: int = 36,
        icons: str = "shuffled",
        first_player: int = 0,
        draw_order: list[int] | None = None,
    ) -> None:
        """Shuffle, deal the hands, start the main row and the discard pile."""
        require_table(players, 1, hand_size, first_player)
        require_deck(deck_size, players * hand_size, len(catalogue))
        if draw_order is None:
            draw_order = shuffled_cards(catalogue, deck_size, seed)
        require_draw_order(draw_order, deck_size, len(catalogue))

        self.catalogue = list(catalogue)
        self.players = players
        self.hand_size = hand_size
        self.later = SplitMix64(seed ^ LATER_STREAM)
        self.draw_order = list(draw_order)
        self._give_icons(icons, seed)

        self.pile = list(draw_order)
        self.hands = deal_hands(self.pile, players, hand_size)
        self.stuck = [[False] * HAND_PLACES for _ in range(players)]
        self.main = [[self.pile.pop(0)]]
        self.gap: list[list[int]] = []
        self.discards = [self.pile.pop(0)]

        self.seat = first_player
        self.phase = "start"
        self.end_reason: str | None = None

    def _give_icons(self, icons: str, seed: int) -> None:
        """Decide which front and back icon each card of this game carries."""
        require(icons in ("shuffled", "printed"), f"icons are shuffled or printed, not {icons}")
        pairs = [(front, back) for _, front, back in self.catalogue]
        if icons == "shuffled":
            SplitMix64(seed ^ ICON_STREAM).shuffle(pairs, len(self.draw_order))
            dealt = pairs[: len(self.draw_order)]
        else:
            dealt = [pairs[card] for card in self.draw_order]
        self.front = {card: front for card, (front, _) in zip(self.draw_order, dealt, strict=True)}
        self.back = {card: back for card, (_, back) in zip(self.draw_order, dealt, strict=True)}

    def mask(self) -> list[bool]:
        """Say for each of the nine actions whether it is legal now."""
        legal = [False] * COOP_ACTIONS
        if self.end_reason is not None:
            return legal
        for place in range(HAND_PLACES):
            legal[FIRST_PLAY_ACTION + place] = self._can_play(place)
            legal[FIRST_DISCARD_ACTION + place] = self._can_discard(place)
        legal[END_TURN_ACTION] = self.phase == "placed_one"
        return legal

    def _can_play(self, place: int) -> bool:
        """Any card that is not stuck may be tried."""
        return self.hands[self.seat][place] is not None and not self.stuck[self.seat][place]

    def _can_discard(self, place: int) -> bool:
        """Only instead of playing, and only a card whose front icon matches the back icon on the pile."""
        card = self.hands[self.seat][place]
        if card is None or self.phase != "start":
            return False
        return self.front[card] == self.back[self.discards[-1]]

    def step(self, action: int) -> None:
        """Carry out one action of the player on turn and everything that follows from it by itself."""
        require_legal(action, self.mask())
        if action == END_TURN_ACTION:
            self._finish_turn()
        elif action >= FIRST_DISCARD_ACTION:
            self._discard(action - FIRST_DISCARD_ACTION)
        else:
            self._play(action - FIRST_PLAY_ACTION)

    def _discard(self, place: int) -> None:
        """Flip a card onto the discard pile; that is the whole turn."""
        self.discards.append(take(self.hands[self.seat], place))
        self.stuck[self.seat][place] = False
        self._finish_turn()

    def _play(self, place: int) -> None:
        """Flip a card; it goes where it belongs, or back to its owner as a stuck card."""
        card = take(self.hands[self.seat], place)
        if self._place(card):
            self._after_success()
        else:
            self.hands[self.seat][place] = card
            self.stuck[self.seat][place] = True
            self._after_failure()

    def _after_success(self) -> None:
        """A second success ends the turn, and so does a first one when nothing is left to try."""
        if self.phase == "placed_one" or not self._has_card_to_try():
            self._finish_turn()
        else:
            self.phase = "placed_one"

    def _after_failure(self) -> None:
        """With nothing placed the player must go on; when that is impossible the game is over."""
        if self.phase == "placed_one":
            if not self._has_card_to_try():
                self._finish_turn()
        elif self._has_card_to_try():
            self.phase = "must_play"
        else:
            self.end_reason = "failed_play"

    def _has_card_to_try(self) -> bool:
        """Tell whether the player on turn holds a card that is not stuck."""
        return any(self._can_play(place) for place in range(HAND_PLACES))

    def _time(self, card: int) -> int:
        """Look up the time on the reverse of a card."""
        return self.catalogue[card][0]

    def _place(self, card: int) -> bool:
        """Put a flipped card where its time belongs; False if there is no room for it."""
        time = self._time(card)
        for stack in self.main + self.gap:
            if stack and self._time(stack[0]) == time:
                stack.append(card)
                return True
        if time < self._time(self.main[0][0]):
            self.main.insert(0, [card])
            self.gap.insert(0, [])
            return True
        if time > self._time(self.main[-1][0]):
            self.main.append([card])
            self.gap.append([])
            return True
        return self._place_between(card)

    def _place_between(self, card: int) -> bool:
        """Put a card into the slot between its two neighbours of the main row, if that slot is empty."""
        for slot, (low, high) in enumerate(zip(self.main, self.main[1:], strict=False)):
            if self._time(low[0]) < self._time(card) < self._time(high[0]):
                if self.gap[slot]:
                    return False
                self.gap[slot].append(card)
                return True
        raise AssertionError("a card between the two ends lies between two neighbours")

    def _finish_turn(self) -> None:
        """Draw up to a full hand, then let the next player begin."""
        hand = self.hands[self.seat]
        while self.pile and len(cards_in(hand)) < self.hand_size:
            put_into_lowest_empty_place(hand, self.pile.pop(0))
        self._begin_next_turn()

    def _begin_next_turn(self) -> None:
        """Find the next player with cards; the game is over if there is none, or none with a legal action."""
        self.phase = "start"
        # The last seat asked is the one that has just played: it may be the only one with cards left.
        for distance in range(1, self.players + 1):
            seat = (self.seat + distance) % self.players
            if cards_in(self.hands[seat]):
                self.seat = seat
                if not any(self.mask()):
                    self.end_reason = "no_legal_action"
                return
        self.end_reason = "all_cards_used"

    def score(self) -> int:
        """Two points per main-row card, one per gap-row card, minus one for each card anywhere else."""
        main_cards = sum(len(stack) for stack in self.main)
        gap_cards = sum(len(stack) for stack in self.gap)
        cards_in_hands = sum(len(cards_in(hand)) for hand in self.hands)
        return 2 * main_cards + gap_cards - len(self.discards) - len(self.pile) - cards_in_hands

    def next_seed(self) -> int:
        """Return the seed of the game that would follow this one."""
        return self.later.copy().next() >> 1

    def snapshot(self) -> dict[str, object]:
        """Copy everything there is to know about the game."""
        ended = self.end_reason is not None
        return {
            "turn": None if ended else self.seat,
            "phase": None if ended else self.phase,
            "hands": [list(hand) for hand in self.hands],
            "stuck": [list(flags) for flags in self.stuck],
            "main": [list(stack) for stack in self.main],
            "gap": [list(stack) for stack in self.gap],
            "discards": list(self.discards),
            "pile": list(self.pile),
            "fronts": dict(self.front),
            "backs": dict(self.back),
            "mask": self.mask(),
            "score": self.score(),
            "end_reason": self.end_reason,
        }


class Competitive:
    """One game of the competitive mode."""

    def __init__(
        self,
        catalogue: list[Card],
        *,
        players: int,
        seed: int = 0,
        hand_size: int = 4,
        first_player: int = 0,
        max_rounds: int = 1000,
        draw_order: list[int] | None = None,
    ) -> None:
        """Shuffle the whole catalogue, deal the hands and flip the starting card."""
        require_table(players, 2, hand_size, first_player)
        require(len(catalogue) >= hand_size * players + 1, "the catalogue has too few cards")
        require(max_rounds >= 1, "at least one round is played")
        if draw_order is None:
            draw_order = shuffled_cards(catalogue, len(catalogue), seed)
        require_draw_order(draw_order, len(catalogue), len(catalogue))

        self.catalogue = list(catalogue)
        self.players = players
        self.first_player = first_player
        self.max_rounds = max_rounds
        self.later = SplitMix64(seed ^ LATER_STREAM)

        self.pile = list(draw_order)
        self.hands = deal_hands(self.pile, players, hand_size)
        self.timeline = [self.pile.pop(0)]
        self.discards: list[int] = []
        self.seen = {self.timeline[0]}

        self.active = [True] * players
        self.finished = [False] * players
        self.tie_break = False
        self.rounds = 0
        self.to_play = self._seats_of_a_round()
        self.winners: list[int] = []
        self.end_reason: str | None = None

    def _seats_still_in(self) -> list[int]:
        """List the seats that have not been eliminated."""
        return [seat for seat in range(self.players) if self.active[seat]]

    def _seats_of_a_round(self) -> list[int]:
        """List the active seats clockwise, from the first player or, if that one is out, the next one in."""
        clockwise = [(self.first_player + distance) % self.players for distance in range(self.players)]
        return [seat for seat in clockwise if self.active[seat]]

    def mask(self) -> list[bool]:
        """Say for each hand place and each position of the timeline whether the choice is legal now."""
        positions = len(self.catalogue) + 1
        legal = [False] * (HAND_PLACES * positions)
        if self.end_reason is not None:
            return legal
        hand = self.hands[self.to_play[0]]
        for place in range(HAND_PLACES):
            if hand[place] is not None:
                for position in range(len(self.timeline) + 1):
                    legal[place * positions + position] = True
        return legal

    def step(self, action: int) -> None:
        """Carry out one turn and everything that follows from it by itself."""
        require_legal(action, self.mask())
        place, position = divmod(action, len(self.catalogue) + 1)
        seat = self.to_play[0]
        card = take(self.hands[seat], place)
        self.seen.add(card)
        if self._is_right(card, position):
            self.timeline.insert(position, card)
            # In a tie-break the hand is the one card drawn this turn, so the same question decides there.
            self.finished[seat] = not cards_in(self.hands[seat])
        else:
            self.discards.append(card)
            if not self.tie_break:
                self._draw(seat)
        if self.end_reason is None:
            self._pass_the_turn()

    def _is_right(self, card: int, position: int) -> bool:
        """A position is right if neither neighbour contradicts it; equal times never do."""
        times = [self.catalogue[placed][0] for placed in self.timeline]
        time = self.catalogue[card][0]
        before_is_fine = position == 0 or times[position - 1] <= time
        after_is_fine = position == len(times) or time <= times[position]
        return before_is_fine and after_is_fine

    def _draw(self, seat: int) -> None:
        """Draw one card, after a reshuffle if need be; without any card left the game is a draw."""
        if not self.pile:
            self.later.shuffle(self.discards, len(self.discards))
            self.pile = self.discards
            self.discards = []
        if self.pile:
            put_into_lowest_empty_place(self.hands[seat], self.pile.pop(0))
        else:
            self._end("draw", self._seats_still_in())

    def _pass_the_turn(self) -> None:
        """Go on to the next player of the round, or judge the round and begin another."""
        self.to_play.pop(0)
        if not self.to_play:
            self._judge_round()
            if self.end_reason is not None:
                return
            self.to_play = self._seats_of_a_round()
        if self.tie_break:
            self._draw(self.to_play[0])

    def _judge_round(self) -> None:
        """Find out who has won, who is out, and whether there has been enough play."""
        self.rounds += 1
        finishers = [seat for seat in range(self.players) if self.finished[seat]]
        self.finished = [False] * self.players
        if finishers:
            self.active = [seat in finishers for seat in range(self.players)]
        if len(finishers) == 1:
            self._end("won", finishers)
            return
        if len(finishers) > 1:
            self.tie_break = True
        if self.rounds >= self.max_rounds:
            self._end("max_rounds", [])

    def _end(self, reason: str, winners: list[int]) -> None:
        """End the game; a round that was under way is judged no more."""
        self.end_reason = reason
        self.winners = winners
        self.finished = [False] * self.players

    def next_seed(self) -> int:
        """Return the seed of the game that would follow this one."""
        return self.later.copy().next() >> 1

    def snapshot(self) -> dict[str, object]:
        """Copy everything there is to know about the game."""
        return {
            "turn": None if self.end_reason is not None else self.to_play[0],
            "hands": [list(hand) for hand in self.hands],
            "timeline": list(self.timeline),
            "pile": list(self.pile),
            "discards": list(self.discards),
            "active": list(self.active),
            "finished": list(self.finished),
            "tie_break": self.tie_break,
            "rounds": self.rounds,
            "seen": sorted(self.seen),
            "mask": self.mask(),
            "winners": list(self.winners),
            "end_reason": self.end_reason,
        }


def random_play(game_class_factory: Callable[[int], Coop | Competitive], steps: int, seed: int) -> int:
    """Play that many random legal actions, game after game, and return how many games were finished."""
    chooser = random.Random(seed)
    game = game_class_factory(seed)
    finished_games = 0
    for _ in range(steps):
        legal_actions = [action for action, legal in enumerate(game.mask()) if legal]
        game.step(chooser.choice(legal_actions))
        if game.end_reason is not None:
            finished_games += 1
            game = game_class_factory(game.next_seed())
    return finished_games
