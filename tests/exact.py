"""Slow, plain answers for small co-op games: every legal action is tried, nothing is left out, nothing is guessed."""

import copy
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

import reference
from timeline_twist import Catalogue, Coop


def small_table(times: tuple[int, ...] = tuple(range(12)), players: int = 2, hand_size: int = 2) -> Coop:
    """A table for games of so few cards that every course of them can be looked at."""
    titles = tuple(f"card {i}" for i in range(len(times)))
    fronts, backs = ("a", "b", "c") * len(times), ("b", "c", "a", "c", "a", "b") * len(times)
    catalogue = Catalogue("small", "small.csv", titles, times, fronts[: len(times)], backs[: len(times)], 1)
    return Coop(players, catalogue, hand_size=hand_size, deck_size=len(times))


def twin(table: Coop, seed: int) -> reference.Coop:
    """The same deal in the slow model of the rules."""
    catalogue = table.catalogue
    cards = list(zip(catalogue.times, catalogue.fronts, catalogue.backs, strict=True))
    return reference.Coop(cards, seed=seed, players=table.players, hand_size=table.hand_size, deck_size=table.deck_size)


def with_hindsight(game: reference.Coop, known: dict[str, int] | None = None) -> int:
    """The highest final score that can be reached from here when all cards are known."""
    if game.end_reason is not None:
        return game.score()
    known = {} if known is None else known
    key = repr((game.seat, game.phase, game.hands, game.stuck, game.main, game.gap, game.discards, game.pile))
    if key not in known:
        known[key] = max(with_hindsight(after(game, action), known) for action in legal(game))
    return known[key]


def legal(game: reference.Coop) -> list[int]:
    return [action for action, allowed in enumerate(game.mask()) if allowed]


def after(game: reference.Coop, action: int) -> reference.Coop:
    """What an action leads to; the game itself stays as it is."""
    following = copy.copy(game)
    following.hands = [list(hand) for hand in game.hands]
    following.stuck = [list(flags) for flags in game.stuck]
    following.main, following.gap = [list(cards) for cards in game.main], [list(cards) for cards in game.gap]
    following.discards, following.pile = list(game.discards), list(game.pile)
    following.step(action)
    return following


def flipped(game: reference.Coop) -> set[int]:
    """The cards whose back icon everybody has seen."""
    stuck = {
        card
        for hand, flags in zip(game.hands, game.stuck, strict=True)
        for card, flag in zip(hand, flags, strict=True)
        if card is not None and flag
    }
    return {card for stack in game.main + game.gap for card in stack} | {*game.discards} | stuck


def seen(game: reference.Coop) -> str:
    """All that the players see: what two games that they cannot tell apart have in common."""
    faces = [card for hand in game.hands for card in hand if card is not None] + game.pile[:1]
    fronts, backs = {card: game.front[card] for card in faces}, {card: game.back[card] for card in flipped(game)}
    table = (game.end_reason, game.seat, game.phase, game.hands, game.stuck, game.main, game.gap, game.discards)
    return repr((table, game.pile[:1], fronts, sorted(backs.items())))


def deals_of_icons(cards: list[int], pairs: Counter[Any], fronts: Any, backs: Any) -> Iterator[dict[int, Any]]:
    """Every way to give these cards the pairs, each as likely as any other, that agrees with the icons seen."""
    if not cards:
        yield {}
        return
    card, *others = cards
    for pair in [pair for pair, count in pairs.items() if count]:
        if fronts.get(card, pair[0]) == pair[0] and backs.get(card, pair[1]) == pair[1]:
            for deal in deals_of_icons(others, pairs - Counter([pair]), fronts, backs):
                yield {card: pair, **deal}


def worlds(game: reference.Coop) -> list[reference.Coop]:
    """Every game that looks like this one to its players, each as likely as any other."""
    backs = {card: game.back[card] for card in flipped(game)}
    faces = {card for hand in game.hands for card in hand if card is not None} | {*game.pile[:1], *backs}
    fronts = {card: game.front[card] for card in faces}
    pairs = Counter((front, back) for _, front, back in game.catalogue)
    result = []
    for icons in deals_of_icons(game.draw_order, pairs, fronts, backs):
        for order in permutations(game.pile[1:]):
            world = copy.copy(game)
            world.pile = game.pile[:1] + list(order)
            world.front = {card: front for card, (front, _) in icons.items()}
            world.back = {card: back for card, (_, back) in icons.items()}
            result.append(world)
    return result


def without_hindsight(alike: list[reference.Coop]) -> Fraction:
    """The expected final score of the best plan for games that the players cannot tell apart."""
    if alike[0].end_reason is not None:
        return Fraction(alike[0].score())
    best = Fraction(-100)
    for action in legal(alike[0]):
        groups = defaultdict(list)
        for world in alike:
            following = after(world, action)
            groups[seen(following)].append(following)
        total = sum(len(group) * without_hindsight(group) for group in groups.values())
        best = max(best, Fraction(total) / len(alike))
    return best
