"""Worlds that a player imagines: all that is known stays, and what is hidden is drawn as likely as it is."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from test_knowledge import KINDS, coop_public
from test_observation import LARGE, TIED, TINY, make, noisy, states
from timeline_twist import Coop, agents, engine
from timeline_twist.agents.competitive_imagine import competitive_imagine, competitive_prepare
from timeline_twist.agents.coop_imagine import coop_imagine, coop_prepare
from timeline_twist.catalogue import Catalogue
from timeline_twist.records import minds_dtype, pool_dtype

Chances = dict[Any, float]

SAMPLES = 20_000
KEYS = np.array([7], np.uint64)


def imagined(seen: agents.Seen, count: int) -> Iterator[tuple[Any, Any]]:
    """Worlds that the player on turn may be in, and what the seats believe in them."""
    size = len(seen.cards)
    pools, minds = np.zeros(1, pool_dtype(size)), np.zeros(1, minds_dtype(size))
    worlds = np.zeros(1, seen.table.record)
    pool, mind, world, known, view = pools[0], minds[0], worlds[0], seen.games[0], seen.view[0]
    if isinstance(seen.table, Coop):
        coop_prepare(known, seen.cards, view, pool)
    else:
        competitive_prepare(known, view, pool)
    imagine: Callable[..., Any] = coop_imagine if isinstance(seen.table, Coop) else competitive_imagine
    state = np.uint64(1)
    for _ in range(count):
        worlds[0] = known
        state = imagine(known, seen.estimates[0], seen.sigmas[0], seen.cards, view, pool, np.uint64(state), world, mind)
        yield world, mind


def seen_by_turn(batch: Any) -> agents.Seen:
    return agents.Seen(batch, np.array([0]), KEYS)


# --- what is known stays ----------------------------------------------------------------------------------------------


def mixed_catalogue() -> Catalogue:
    """60 cards of three difficulties and four icons, of which many share their times."""
    chooser = np.random.default_rng(3)
    icons = [tuple(chooser.permutation(list("abcd"))[:2]) for _ in range(60)]
    fronts, backs = zip(*icons, strict=True)
    titles, times = tuple(f"card {i}" for i in range(60)), tuple(int(time) for time in chooser.integers(0, 40, 60))
    return Catalogue("mixed", "mixed.csv", titles, times, fronts, backs, 61, (0.5, 1.0, 3.0) * 20)


MIXED = mixed_catalogue()
HIDDEN = ("front", "back", "time", "card")


def check_coop_world(batch: Any, seen: agents.Seen, world: Any, minds: Any) -> None:
    truth, cards, deck = batch.games[0], seen.cards, batch.table.deck_size
    for name in set(world.dtype.names) - {*HIDDEN, "seed", "rng"}:
        assert np.array_equal(world[name], truth[name]), name
    public = sorted(coop_public(truth))
    visible = range(min(int(truth["drawn"]) + batch.show_pile_top, deck))
    for name in HIDDEN:
        assert np.array_equal(world[name][public], truth[name][public]), name
    assert np.array_equal(world["front"][visible], truth["front"][visible])
    numbers = world["card"][:deck]
    assert len({*numbers.tolist()}) == deck and (numbers >= 0).all()
    assert np.array_equal(world["time"][:deck], cards["time"][numbers])
    pairs = Counter(zip(world["front"][:deck].tolist(), world["back"][:deck].tolist(), strict=True))
    assert not pairs - Counter(zip(cards["front"].tolist(), cards["back"].tolist(), strict=True))
    if batch.table.icons == "printed":
        assert np.array_equal(world["back"][:deck], cards["back"][numbers])
        assert np.array_equal(world["front"][:deck], cards["front"][numbers])
    check_belief(batch, seen, world, minds, [card for card in visible if card not in public], numbers)


def check_competitive_world(batch: Any, seen: agents.Seen, world: Any, minds: Any) -> None:
    truth, known, size = batch.games[0], seen.games[0], len(seen.cards)
    for name in set(world.dtype.names) - {"seed", "rng", "hands", "pile", "time"}:
        assert np.array_equal(world[name], truth[name]), name
    assert np.array_equal(world["hands"], known["hands"])
    public = truth["seen"][:size] == 1
    assert np.array_equal(world["time"][:size][public], truth["time"][:size][public])
    assert sorted(world["time"][:size].tolist()) == sorted(truth["time"][:size].tolist())
    held = world["hands"][world["hands"] >= 0].tolist()
    pile = world["pile"][world["pile_start"] : world["pile_end"]].tolist()
    laid = world["timeline"][: world["timeline_count"]].tolist() + world["discards"][: world["discard_count"]].tolist()
    assert sorted(held + pile + laid) == list(range(size))
    in_hand = truth["hands"][truth["hands"] >= 0]
    flipped = truth["seen"][in_hand] == 1
    assert [card for card in held if public[card]] == in_hand[flipped].tolist(), "flipped cards keep their numbers"
    assert sorted(card for card in pile if public[card]) == sorted(
        card for card in truth["pile"][truth["pile_start"] : truth["pile_end"]].tolist() if public[card]
    )
    shown = pile[:1] if batch.show_pile_top else []
    check_belief(batch, seen, world, minds, [card for card in held + shown if not public[card]])


def check_belief(batch: Any, seen: agents.Seen, world: Any, minds: Any, hidden: list[int], numbers: Any = None) -> None:
    """The player's own belief of visible cards is a fact, and times known for certain are the world's."""
    row = batch.knowledge.row_of(int(world["turn"]))
    for card in hidden:
        estimate, sigma = seen.estimates[0, card], seen.sigmas[0, card]
        assert minds["estimates"][row, card] == estimate and minds["sigmas"][row, card] == sigma
        assert sigma > 0 or world["time"][card] == estimate
        if numbers is not None and batch.knowledge.name == "noisy":
            assert batch.knowledge.sigma[row, numbers[card]] == sigma, "a difficulty that is seen"


COOP_TABLES: dict[str, dict[str, Any]] = {
    "3 players": {"players": 3},
    "pile top hidden": {"players": 2, "show_pile_top": False, "catalogue": "history"},
    "difficulties": {"players": 2, "catalogue": MIXED},
    "printed icons": {"players": 2, "icons": "printed", "catalogue": MIXED},
    "140 cards, 6 players": {"players": 6, "catalogue": LARGE},
    "solitaire, tiny": {"players": 1, "hand_size": 1, "deck_size": 4, "catalogue": TINY},
    "no draw pile": {"players": 2, "hand_size": 2, "deck_size": 6, "catalogue": TIED, "icons": "printed"},
}
COMPETITIVE_TABLES: dict[str, dict[str, Any]] = {
    "3 players": {"players": 3},
    "pile top hidden": {"players": 2, "show_pile_top": False, "catalogue": TIED},
    "difficulties": {"players": 2, "catalogue": MIXED},
    "140 cards, 6 players": {"players": 6, "catalogue": LARGE, "max_rounds": 10},
    "reshuffles": {"players": 2, "hand_size": 4, "catalogue": TINY, "max_rounds": 30},
}


@pytest.mark.parametrize("talk", ["open", "none"])
@pytest.mark.parametrize("kind", [*KINDS, "never errs"])
@pytest.mark.parametrize("table", COOP_TABLES)
def test_every_coop_world_keeps_what_is_known(table: str, kind: str, talk: str) -> None:
    settings = COOP_TABLES[table]
    sigmas = noisy(0, *[4] * (settings["players"] - 1))
    batch = make("coop", knowledge=KINDS.get(kind, sigmas), communication=talk, **settings)
    for i, game in enumerate(states(batch, 5, 0.8)):
        if game["end"] == engine.RUNNING and i % 4 == 0:
            seen = seen_by_turn(batch)
            for world, minds in imagined(seen, 3):
                check_coop_world(batch, seen, world, minds)
                assert np.array_equal(batch.table.mask(world), seen.masks[0])


@pytest.mark.parametrize("kind", [*KINDS, "never errs"])
@pytest.mark.parametrize("table", COMPETITIVE_TABLES)
def test_every_competitive_world_keeps_what_is_known(table: str, kind: str) -> None:
    settings = COMPETITIVE_TABLES[table]
    batch = make("competitive", knowledge=KINDS.get(kind, noisy(0, *[4] * (settings["players"] - 1))), **settings)
    came_back = 0
    for i, game in enumerate(states(batch, 5, 0.2)):
        if game["end"] == engine.RUNNING and (i % 4 == 0 or table == "reshuffles"):
            seen = seen_by_turn(batch)
            came_back += bool(game["seen"][game["pile"][game["pile_start"] : game["pile_end"]]].any())
            for world, minds in imagined(seen, 3):
                check_competitive_world(batch, seen, world, minds)
                assert np.array_equal(batch.table.mask(world), seen.masks[0])
    assert came_back or table != "reshuffles", "no card came back from the discards"


def test_a_world_can_be_imagined_even_if_a_seat_is_certain_of_wrong_times() -> None:
    batch = make("coop", players=2, catalogue=TIED, knowledge=noisy(0), icons="printed")
    batch.deal([0], [1], {"estimates": np.full((2, len(TIED)), 3)})
    for world, _ in imagined(seen_by_turn(batch), 20):
        numbers = world["card"][:36]
        assert len({*numbers.tolist()}) == 36
        assert np.array_equal(world["back"][:36], TIED.cards["back"][numbers])


# --- what is hidden is as likely as it is -----------------------------------------------------------------------------


def small_catalogue(times: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 7)) -> Catalogue:
    fronts, backs = tuple("aaaabbcc"), tuple("bbcdacab")
    return Catalogue("small", "small.csv", tuple("12345678"), times, fronts, backs, 9, (1.0, 2.0) * 4)


SMALL = small_catalogue()
# Cards 0 and 1 are in hands, 2 lies on the timeline, 3 on the discards, 4 is the top of the pile, 5 below it.
SMALL_TABLE: dict[str, Any] = {"players": 2, "hand_size": 1, "deck_size": 6, "catalogue": SMALL}


def frequencies(batch: Any, fact: Callable[[Any], Any], count: int = SAMPLES) -> Chances:
    counts = Counter(fact(world) for world, _ in imagined(seen_by_turn(batch), count))
    return {what: number / count for what, number in counts.items()}


def normalised(weights: dict[Any, float]) -> Chances:
    total = sum(weights.values())
    return {what: weight / total for what, weight in weights.items() if weight}


def difference(ones: Chances, others: Chances) -> float:
    """The total variation distance."""
    return sum(abs(ones.get(what, 0.0) - others.get(what, 0.0)) for what in {*ones, *others}) / 2


def icons_of(world: Any) -> tuple[int, ...]:
    return (*world["back"][[0, 1, 4, 5]].tolist(), int(world["front"][5]))


def numbers_of(world: Any) -> tuple[int, ...]:
    return tuple(world["card"][[0, 1, 4, 5]].tolist())


def test_back_icons_are_as_likely_as_the_fronts_leave_them() -> None:
    batch = make("coop", knowledge="expert", **SMALL_TABLE)
    batch.deal([0], [4])
    game, exact = batch.games[0], Counter[Any]()
    cards = SMALL.cards
    for deal in itertools.permutations(range(8), 6):
        front, back = cards["front"][list(deal)].tolist(), cards["back"][list(deal)].tolist()
        if front[:5] == game["front"][:5].tolist() and back[2:4] == game["back"][2:4].tolist():
            exact[(back[0], back[1], back[4], back[5], front[5])] += 1
    assert len(exact) > 10
    assert difference(frequencies(batch, icons_of), normalised(dict(exact))) < 0.03


@pytest.mark.parametrize("icons", ["shuffled", "printed"])
def test_unseen_cards_are_equally_likely(icons: str) -> None:
    batch = make("coop", knowledge="blind", icons=icons, **SMALL_TABLE)
    batch.deal([0], [4])
    game, exact = batch.games[0], Counter[Any]()
    for deal in itertools.permutations(range(8), 6):
        alike = SMALL.cards["front"][list(deal[:5])].tolist() == game["front"][:5].tolist()
        if list(deal[2:4]) == game["card"][2:4].tolist() and (icons == "shuffled" or alike):
            exact[(deal[0], deal[1], deal[4], deal[5])] += 1
    assert len(exact) >= (360 if icons == "shuffled" else 5)
    assert difference(frequencies(batch, numbers_of), normalised(dict(exact))) < 0.07


def test_cards_of_equal_time_are_equally_likely_under_expert() -> None:
    """With printed icons they may have different backs."""
    catalogue = small_catalogue((1, 1, 1, 1, 2, 2, 3, 3))
    batch = make("coop", knowledge="expert", icons="printed", **SMALL_TABLE | {"catalogue": catalogue})
    batch.deal([0], [0], {"draw_order": [0, 4, 6, 7, 5, 1]})
    assert frequencies(batch, lambda world: int(world["card"][0])) == pytest.approx(
        dict.fromkeys(range(4), 0.25), abs=0.02
    )


def bell(estimate: float, time: int, sigma: float) -> float:
    """As far as three sigmas."""
    distance = (time - estimate) / sigma
    return math.exp(-distance * distance / 2) if abs(distance) <= 3 else 0.0


def test_the_time_of_a_card_is_as_likely_as_its_estimate_leaves_it() -> None:
    """The difficulty of a card, every other one's here, is seen with it."""
    batch = make(
        "coop", players=1, hand_size=1, deck_size=4, catalogue=SMALL, knowledge=noisy(1.5), show_pile_top=False
    )
    batch.deal([0], [0], {"draw_order": [2, 4, 7, 5], "estimates": np.full((1, 8), 3.3)})
    exact: defaultdict[Any, float] = defaultdict(float)
    for number, unseen in itertools.permutations([0, 1, 2, 3, 5, 6], 2):
        if number % 2 == 0:
            exact[(number, unseen)] += bell(3.3, SMALL.cards["time"][number], 1.5)
    found = frequencies(batch, lambda world: (int(world["card"][0]), int(world["card"][3])))
    assert difference(found, normalised(dict(exact))) < 0.03


def test_the_times_of_two_cards_are_nearly_as_likely_as_their_estimates_leave_them() -> None:
    batch = make("coop", knowledge=noisy(2), communication="none", **SMALL_TABLE)
    batch.deal([0], [0], {"draw_order": [0, 2, 1, 3, 4, 6], "estimates": np.full((2, 8), 2.5)})
    exact: defaultdict[Any, float] = defaultdict(float)
    for deal in itertools.permutations([0, 2, 4, 5, 6, 7], 3):
        # The two hands and the top of the pile are of the same difficulty.
        if all(number % 2 == 0 for number in deal):
            exact[deal] += math.prod(bell(2.5, SMALL.cards["time"][number], 2) for number in deal)
    found = frequencies(batch, lambda world: numbers_of(world)[:3])
    assert difference(found, normalised(dict(exact))) < 0.1


def test_other_seats_believe_the_imagined_time_with_their_own_noise() -> None:
    batch = make("coop", players=3, knowledge=noisy(5, 2, 0), communication="none")
    batch.deal([0], [2])
    errors: list[list[float]] = [[], [], []]
    for world, minds in imagined(seen_by_turn(batch), 4000):
        for seat in range(3):
            errors[seat].append(float(minds["estimates"][seat, 5] - world["time"][5]))
    assert abs(np.mean(errors[1])) < 0.15 and 1.9 < np.std(errors[1]) < 2.1
    assert not any(errors[2])
    own = seen_by_turn(batch).estimates[0, 5]
    assert 2 < np.std(errors[0]) < 6 and own == batch.estimates[0, 0, 5]


def test_a_competitive_pile_is_any_order_of_the_cards_that_lie_nowhere_else() -> None:
    batch = make("competitive", players=2, hand_size=1, catalogue=SMALL, knowledge="blind")
    batch.deal([0], [0])
    # 0 and 1 are in hands and 2 is the timeline's; of the pile 3 is visible.
    found = frequencies(batch, lambda world: tuple(world["time"][world["pile"][4:6]].tolist()))
    known = int(batch.games[0]["timeline"][0])
    rest = [number for number in range(8) if number != known]
    exact = Counter(tuple(SMALL.cards["time"][list(pair)].tolist()) for pair in itertools.permutations(rest, 2))
    assert difference(found, normalised(dict(exact))) < 0.04


def test_a_reshuffled_pile_is_any_order_of_its_cards() -> None:
    batch = make("competitive", players=2, hand_size=1, catalogue=SMALL, knowledge="expert")
    for game in (game for seed in range(50) for game in states(batch, seed, 0.1)):
        pile = game["pile"][game["pile_start"] : game["pile_end"]]
        if game["end"] == engine.RUNNING and len(pile) == 4 and game["seen"][pile].all():
            break
    else:
        raise AssertionError("the discards never became the pile")
    start, cards = int(game["pile_start"]), pile.tolist()
    found = frequencies(batch, lambda world: tuple(world["pile"][start : start + 4].tolist()))
    exact = dict.fromkeys([(cards[0], *order) for order in itertools.permutations(cards[1:])], 1.0)
    assert difference(found, normalised(exact)) < 0.03
    assert all(
        world["time"][card] == game["time"][card] for world, _ in imagined(seen_by_turn(batch), 5) for card in cards
    )


def test_the_time_of_a_competitive_card_is_as_likely_as_its_estimate_leaves_it() -> None:
    batch = make("competitive", players=2, hand_size=1, catalogue=SMALL, knowledge=noisy(1), show_pile_top=False)
    batch.deal([0], [0], {"draw_order": [0, 1, 2, 3, 4, 5, 6, 7], "estimates": np.array([[1.8] * 8, [5.2] * 8])})
    exact: defaultdict[Any, float] = defaultdict(float)
    for own, other in itertools.product([0, 4, 6], [1, 3, 5, 7]):
        times = SMALL.cards["time"][[own, other]].tolist()
        # Seat 0 goes by its own estimates; the other card is of the other difficulty.
        exact[tuple(times)] += bell(1.8, times[0], 1) * bell(1.8, times[1], 2)
    found = frequencies(batch, lambda world: tuple(world["time"][[0, 1]].tolist()))
    assert difference(found, normalised(dict(exact))) < 0.03
