"""Observations as networks are shown them: games that differ by names only look the same, and mean the same actions."""

from typing import Any

import numpy as np
import pytest

from timeline_twist import coop_v0
from timeline_twist.batch import CoopBatch
from timeline_twist.coop_hidden import coop_write_hidden, hidden_size
from timeline_twist.engine import HIGH_END, LOW_END, RUNNING
from timeline_twist_training.canonical import Canonical

TIMES, ICONS, GAMES = 100, 4, 64
SETTINGS: list[dict[str, Any]] = [
    {"players": 2, "knowledge": "expert"},
    {"players": 3, "knowledge": "expert", "features": "raw"},
    {"players": 4, "knowledge": "noisy", "communication": "none"},
    {"players": 2, "knowledge": "noisy", "slots": "table"},
    {"players": 2, "knowledge": "faces"},
    {"players": 1, "knowledge": "blind"},
]


def played(steps: int, **settings: Any) -> CoopBatch:
    """Games after some random actions."""
    batch = coop_v0.make_batch(GAMES, **({"slots": "sorted"} | settings))
    batch.deal(range(GAMES), range(GAMES))
    random = np.random.default_rng(0)
    batch.observe_turns()
    for _ in range(steps):
        running = np.flatnonzero(batch.games["end"] == RUNNING)
        legal = batch.masks[running] * random.random((len(running), 9))
        batch.step_some(running, legal.argmax(axis=1))
        batch.observe_turns()
    return batch


def canonical(batch: CoopBatch, rows: bool = True) -> Canonical:
    return Canonical(batch.layout, batch.knowledge.kind, sorted_slots=batch.slots == "sorted", rows=rows)


def shown(batch: CoopBatch, rows: bool = True) -> tuple[Any, Any, Any]:
    """Observations, masks and hidden tails as networks are shown them."""
    rewriting = canonical(batch, rows)
    seen = np.zeros((GAMES, rewriting.layout.size), np.float32)
    masks = np.zeros_like(batch.masks)
    changes = rewriting.rewrite(batch.observations, batch.masks, seen, masks)
    hidden = np.zeros((GAMES, hidden_size(batch.table.players, TIMES, ICONS)), np.float32)
    coop_write_hidden(batch.games, batch.estimates, batch.view, batch.work, hidden)
    tails = np.zeros_like(hidden)
    rewriting.rewrite_hidden(hidden, changes, tails)
    return seen, masks, tails


def rename_icons(batch: CoopBatch, names: list[int]) -> None:
    for side in ("front", "back"):
        batch.games[side] = np.array(names)[batch.games[side]]
    batch.observe_turns()


def turn_round(batch: CoopBatch) -> None:
    """Time runs the other way."""
    batch.games["time"] = TIMES - 1 - batch.games["time"]
    batch.estimates[:] = TIMES - 1 - batch.estimates
    for game in batch.games:
        count = int(game["main_count"])
        game["main"][:count] = game["main"][:count][::-1].copy()
        game["gap"][: count - 1] = game["gap"][: count - 1][::-1].copy()
        for event in game["recent"]:
            event[0] = {LOW_END: HIGH_END, HIGH_END: LOW_END}.get(int(event[0]), int(event[0]))
    batch.observe_turns()


def icons_all_differ(batch: CoopBatch) -> Any:
    """Games in which no two icons are equally frequent, so that their order is given."""
    own, others = np.zeros((GAMES, ICONS)), np.zeros((GAMES, ICONS))
    cards = batch.layout["cards"].of(batch.observations)
    own, others = cards[:, :4, 5:9].sum(axis=1), cards[:, 4:, 5:9].sum(axis=1)
    weights = 33 * own + others + 1000 * batch.layout["open_icon"].of(batch.observations)
    return np.array([len(set(row)) == ICONS for row in np.round(weights, 3)])


def more_room_somewhere(batch: CoopBatch) -> Any:
    games = batch.games
    low = np.array([game["time"][game["main"][0]] for game in games])
    high = np.array([game["time"][game["main"][game["main_count"] - 1]] for game in games])
    return low != TIMES - 1 - high


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("steps", [0, 7, 20])
def test_games_that_differ_by_the_names_of_icons_look_the_same(settings: dict[str, Any], steps: int) -> None:
    batch = played(steps, **settings)
    which = icons_all_differ(batch)
    before, given = shown(batch), batch.observations.copy()
    rename_icons(batch, [2, 0, 3, 1])
    assert which.any() and not np.array_equal(batch.observations[which], given[which])
    for old, new in zip(before, shown(batch), strict=True):
        # Sums over icons are added up in another order.
        assert np.allclose(old[which], new[which], atol=1e-6)


@pytest.mark.parametrize("settings", [each for each in SETTINGS if each["knowledge"] in ("expert", "noisy")])
@pytest.mark.parametrize("steps", [0, 7, 20])
def test_games_that_differ_by_the_direction_of_time_look_the_same(settings: dict[str, Any], steps: int) -> None:
    batch = played(steps, **settings)
    which = more_room_somewhere(batch) & icons_all_differ(batch)
    rewriting = canonical(batch)
    before, mask = shown(batch), batch.masks.copy()
    actions = np.arange(GAMES) % 9
    meant = rewriting.action(actions, changes_of(batch))
    orders = [batch.slot_order(i) for i in range(GAMES)]
    turn_round(batch)
    for old, new in zip(before, shown(batch), strict=True):
        # Estimates are turned with an error in the last bits, and fates follow from estimates.
        assert np.allclose(old[which], new[which], atol=2e-3)
    again = rewriting.action(actions, changes_of(batch))
    for i in np.flatnonzero(which & (mask.sum(axis=1) > 0)):
        # The same action as shown is the same card on the table.
        first, second = int(meant[i]), int(again[i])
        if first < 8 and mask[i, first]:
            assert orders[i][first % 4] == batch.slot_order(int(i))[second % 4] and first // 4 == second // 4


def changes_of(batch: CoopBatch) -> Any:
    rewriting = canonical(batch)
    seen = np.zeros((GAMES, rewriting.layout.size), np.float32)
    return rewriting.rewrite(batch.observations, batch.masks, seen, np.zeros_like(batch.masks))


@pytest.mark.parametrize("settings", SETTINGS)
def test_masks_actions_and_scores_change_places_alike(settings: dict[str, Any]) -> None:
    batch = played(9, **settings)
    rewriting, changes = canonical(batch), changes_of(batch)
    masks = shown(batch)[1]
    scores = np.random.default_rng(1).random((GAMES, 9)).astype(np.float32)
    given = rewriting.scores(scores, changes)
    for action in range(9):
        meant = rewriting.action(np.full(GAMES, action), changes)
        assert np.array_equal(masks[:, action], batch.masks[np.arange(GAMES), meant])
        assert np.array_equal(scores[:, action], given[np.arange(GAMES), meant])
        assert np.array_equal(rewriting.action(meant, changes), np.full(GAMES, action))


def test_half_of_the_games_are_turned_round_and_none_under_faces() -> None:
    turned = changes_of(played(9, players=2, knowledge="expert"))[:, 2]
    assert 0.25 < turned.mean() < 0.75
    assert not changes_of(played(9, players=2, knowledge="faces"))[:, 2].any()


def test_hands_are_added_up_as_documented() -> None:
    batch = played(14, players=2, knowledge="expert")
    rewriting = canonical(batch, rows=False)
    seen = shown(batch, rows=False)[0]
    assert "main" not in rewriting.layout and "open_icon" not in rewriting.layout
    layout = rewriting.layout
    cards, fates, hands = (layout[name].of(seen) for name in ("cards", "fates", "hands"))
    for player in range(2):
        own, fate = cards[:, 4 * player : 4 * player + 4], fates[:, 4 * player : 4 * player + 4]
        present, stuck, icons = own[:, :, 0], fate[:, :, 3], own[:, :, 5:9]
        expected = [present.sum(axis=1), (present - stuck).sum(axis=1), fate[:, :, 8].sum(axis=1)]
        expected += list((icons * stuck[:, :, None]).sum(axis=1).T)
        expected += list((icons * (present - stuck)[:, :, None]).sum(axis=1).T)
        assert np.allclose(hands[:, player], np.array(expected).T / 4, atol=1e-6)


def slow_ties(game: Any, place: int, cards: list[int]) -> list[float]:
    """What the section `ties` says of a card, worked out from the record of a game of experts."""
    times = [int(game["time"][card]) for card in cards]
    main = sorted(int(game["time"][card]) for card in game["main"][: game["main_count"]])
    filled = {sum(m < game["time"][card] for m in main) for card in game["gap"][: game["main_count"] - 1] if card >= 0}

    def where(at: int) -> str | int:
        """Which end, or which gap if it is free."""
        if cards[at] < 0 or is_stuck(game, at):
            return "nowhere"
        below = sum(m < times[at] for m in main)
        return "low" if below == 0 else "high" if below == len(main) else "nowhere" if below in filled else below

    numbers = [0.0] * 8
    for other in [at for at in range(len(cards)) if at != place and cards[at] >= 0]:
        same, column = where(other) == where(place) != "nowhere", int(other >= 4)
        if same and where(place) in ("low", "high"):
            nearer = (times[other] > times[place]) == (where(place) == "low")
            numbers[column + (0 if nearer else 2)] += 0.25
        elif same:
            numbers[column + 4] += 0.25
    backs = [icon for icon in range(ICONS) if icon != game["front"][cards[place]]]
    chance = dict.fromkeys(backs, 1 / 3)
    if is_stuck(game, place):
        chance = {int(game["back"][cards[place]]): 1.0}
    for other in [at for at in range(len(cards) - 1) if cards[at] >= 0]:
        below = sum(m < times[other] for m in main)
        if is_stuck(game, other) or (0 < below < len(main) and below in filled):
            numbers[6 + int(other >= 4)] += 0.25 * chance.get(int(game["front"][cards[other]]), 0)
    return numbers


def is_stuck(game: Any, at: int) -> bool:
    owner = (int(game["turn"]) + at // 4) % int(game["players"])
    return at < 4 * int(game["players"]) and bool(game["stuck"][owner][at % 4])


@pytest.mark.parametrize("steps", [0, 10, 25])
def test_ties_are_counted_as_documented(steps: int) -> None:
    batch = played(steps, players=3, knowledge="expert", slots="table")
    ties = canonical(batch, rows=False).layout["ties"].of(shown(batch, rows=False)[0])
    for i in np.flatnonzero(batch.games["end"] == RUNNING):
        game = batch.games[i]
        hands = [int(card) for seat in range(3) for card in game["hands"][(game["turn"] + seat) % 3]]
        cards = [*hands, int(game["drawn"]) if game["drawn"] < 36 else -1]
        for place in [place for place in range(13) if cards[place] >= 0]:
            assert np.allclose(ties[i, place], slow_ties(game, place, cards), atol=1e-5), (i, place)


def test_the_open_icon_is_called_the_first() -> None:
    batch = played(9, players=2, knowledge="expert")
    rewriting = canonical(batch)
    cards, fates = (rewriting.layout[name].of(shown(batch)[0]) for name in ("cards", "fates"))
    assert np.array_equal(cards[:, :, 5], fates[:, :, 8])
