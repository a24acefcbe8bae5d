"""Engine and reference model side by side: after every action of every game both must tell the same.

The games are random, but not only: half of the players look at the hidden times to go on for long, because purely
random play rarely gets to an empty pile, a tie-break or a reshuffle.
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reference
from handmade import catalogue_of
from snapshots import mask_of, snapshot
from timeline_twist import Competitive, Coop, engine, load_catalogue
from timeline_twist.catalogue import Catalogue

SCENES, HISTORY = load_catalogue("scenes"), load_catalogue("history")


def tied_catalogue() -> Catalogue:
    """40 cards that share 13 times, three icons."""
    chooser = random.Random(1)
    times = [chooser.randrange(13) * 1000 - 6000 for _ in range(40)]
    fronts = [chooser.choice("abc") for _ in times]
    backs = [chooser.choice([icon for icon in "abc" if icon != front]) for front in fronts]
    titles = tuple(f"card {i}" for i in range(40))
    return Catalogue("tied", "tied.csv", titles, tuple(times), tuple(fronts), tuple(backs), 41)


TIED = tied_catalogue()

# name: (games, catalogue, settings)
COOP_CASES: dict[str, tuple[int, Catalogue, dict[str, Any]]] = {
    **{f"scenes {players} players": (900, SCENES, {"players": players}) for players in range(1, 7)},
    **{f"history {players} players": (900, HISTORY, {"players": players}) for players in range(1, 7)},
    "ties": (1200, TIED, {"players": 3}),
    "printed icons": (500, TIED, {"players": 2, "icons": "printed"}),
    "another begins": (400, SCENES, {"players": 4, "first_player": 3}),
    "hand of 1": (700, TIED, {"players": 2, "hand_size": 1, "deck_size": 12}),
    "hand of 2, 12 cards": (700, SCENES, {"players": 2, "hand_size": 2, "deck_size": 12}),
    "hand of 3, smallest deck": (700, HISTORY, {"players": 5, "hand_size": 3, "deck_size": 17}),
}
COMPETITIVE_CASES: dict[str, tuple[int, Catalogue, dict[str, Any]]] = {
    **{f"scenes {players} players": (350, SCENES, {"players": players}) for players in range(2, 7)},
    **{f"history {players} players": (350, HISTORY, {"players": players}) for players in range(2, 7)},
    "ties": (800, TIED, {"players": 3, "first_player": 1}),
    "reshuffles": (900, catalogue_of(range(10)), {"players": 2}),
    "reshuffles, 4 players": (700, catalogue_of(range(10)), {"players": 4, "hand_size": 2, "first_player": 2}),
    "hand of 1": (700, catalogue_of([1, 1, 2, 2, 3, 3, 4]), {"players": 6, "hand_size": 1}),
    "few rounds": (500, SCENES, {"players": 3, "max_rounds": 5}),
    "the largest small record": (20, catalogue_of([i // 2 for i in range(128)]), {"players": 2}),
    "the smallest large record": (20, catalogue_of([i // 2 for i in range(129)]), {"players": 2}),
    "a thousand cards": (3, catalogue_of([i // 3 for i in range(1000)]), {"players": 2, "max_rounds": 250}),
}

assert sum(case[0] for case in [*COOP_CASES.values(), *COMPETITIVE_CASES.values()]) >= 20_000


def cards_of(catalogue: Catalogue) -> list[reference.Card]:
    return list(zip(catalogue.times, catalogue.fronts, catalogue.backs, strict=True))


def coop_wish(game: Any, legal: list[int], chooser: random.Random) -> int:
    """The card that fits closest to the timeline; rather no card at all than a large gap or a failure."""
    reach = {action: distance(game, action) for action in legal if action < engine.DISCARD}
    nearest = min(reach, key=reach.__getitem__, default=None)
    others = [action for action in legal if action >= engine.DISCARD]
    if nearest is None or (others and reach[nearest] > 8):
        return chooser.choice(others)
    return nearest


def distance(game: Any, slot: int) -> int:
    """How far outside the main row a card lies; more than any such distance if it cannot be placed."""
    card = game.hands[game.turn, slot]
    time, row = game.time[card], game.time[game.main[: game.main_count]]
    if not engine.coop_place(game.copy(), card):
        return 10_000
    return max(0, int(row[0] - time), int(time - row[-1]))


def competitive_wish(game: Any, legal: list[int], chooser: random.Random) -> int:
    """A right position."""
    size = game.catalogue_size + 1
    good = [a for a in legal if engine.competitive_fits(game, game.time[game.hands[game.turn, a // size]], a % size)]
    return chooser.choice(good or legal)


def run_together(
    table: Coop | Competitive, model: Any, game: Any, skill: float, chooser: random.Random, wish: Callable[..., int]
) -> dict[str, object]:
    """Play one game to its end in both; `skill` is how often a player looks at the hidden times."""
    seen = snapshot(table, game)
    assert seen == model.snapshot()
    while seen["end_reason"] is None:
        legal = np.flatnonzero(mask_of(table, game)).tolist()
        action = wish(game, legal, chooser) if chooser.random() < skill else chooser.choice(legal)
        assert table.step(game, action)
        model.step(action)
        seen = snapshot(table, game)
        assert seen == model.snapshot()
    assert int(engine.seed_of_next(game)) == model.next_seed()
    return seen


@pytest.mark.parametrize("name", COOP_CASES)
def test_co_op_engine_and_reference_agree_on(name: str) -> None:
    count, catalogue, settings = COOP_CASES[name]
    table, cards, reasons = Coop(catalogue=catalogue, **settings), cards_of(catalogue), Counter[object]()
    for seed, game in enumerate(table.deal(range(count))):
        model = reference.Coop(cards, seed=seed, **settings)
        end = run_together(table, model, game, (0, 0.7, 1)[seed % 3], random.Random(seed), coop_wish)
        reasons[end["end_reason"]] += 1
    assert set(reasons) >= {"failed_play", "all_cards_used"}, "the games must be varied enough to prove something"


@pytest.mark.parametrize("name", COMPETITIVE_CASES)
def test_competitive_engine_and_reference_agree_on(name: str) -> None:
    count, catalogue, settings = COMPETITIVE_CASES[name]
    table, cards, reasons = Competitive(catalogue=catalogue, **settings), cards_of(catalogue), Counter[object]()
    for seed, game in enumerate(table.deal(range(count))):
        model = reference.Competitive(cards, seed=seed, **settings)
        end = run_together(table, model, game, (0.2, 0.7, 1)[seed % 3], random.Random(seed), competitive_wish)
        reasons[end["end_reason"]] += 1
    assert set(reasons) >= ({"max_rounds"} if name == "few rounds" else {"won", "draw"} if count > 3 else set())


@pytest.mark.parametrize("seed", range(200))
def test_a_given_draw_order_is_dealt_the_same_way(seed: int) -> None:
    chooser = random.Random(seed)
    order = chooser.sample(range(100), 36)
    whole = chooser.sample(range(100), 100)
    table, versus = Coop(players=3), Competitive(players=3)
    model = reference.Coop(cards_of(SCENES), players=3, seed=seed, draw_order=order)
    assert snapshot(table, table.deal_order(order, seed)[0]) == model.snapshot()
    rival = reference.Competitive(cards_of(SCENES), players=3, seed=seed, draw_order=whole)
    assert snapshot(versus, versus.deal_order(whole, seed)[0]) == rival.snapshot()
