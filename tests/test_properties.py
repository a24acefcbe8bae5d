"""What holds in every game, whatever is played: settings, deals and actions are chosen by Hypothesis."""

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handmade import catalogue_of
from snapshots import mask_of
from timeline_twist import Competitive, Coop, engine, load_catalogue, read_result
from timeline_twist.catalogue import Catalogue

CATALOGUES = {
    "scenes": load_catalogue("scenes"),
    "history": load_catalogue("history"),
    "few times": catalogue_of([i % 9 for i in range(40)]),
    "all equal": catalogue_of([5] * 40),
}
catalogues = st.sampled_from(sorted(CATALOGUES)).map(CATALOGUES.__getitem__)
seeds = st.integers(0, 2**64 - 1)
# Which of the legal actions to take, as a share; exhausted lists go on with the first one.
choices = st.lists(st.floats(0, 1, exclude_max=True), max_size=60)
many = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def coop_tables(draw: st.DrawFn) -> Coop:
    players, hand_size = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    deck_size = draw(st.integers(players * hand_size + 2, 36))
    icons, first = draw(st.sampled_from(["shuffled", "printed"])), draw(st.integers(0, players - 1))
    return Coop(players, draw(catalogues), icons=icons, hand_size=hand_size, deck_size=deck_size, first_player=first)


@st.composite
def competitive_tables(draw: st.DrawFn) -> Competitive:
    players, hand_size = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    small = st.integers(players * hand_size + 1, 40).map(lambda n: catalogue_of([i % 17 for i in range(n)]))
    cards: Catalogue = draw(st.one_of(catalogues, small))
    return Competitive(
        players, cards, hand_size=hand_size, first_player=draw(st.integers(0, players - 1)), max_rounds=40
    )


def play(table: Coop | Competitive, game: Any, shares: list[float]) -> Any:
    """Yield the game before the first and after every action, to its end."""
    yield game
    taken = 0
    while game.end == engine.RUNNING:
        legal = np.flatnonzero(mask_of(table, game))
        assert len(legal) > 0, "the mask of a running game is never empty"
        share = shares[taken] if taken < len(shares) else 0.0
        assert table.step(game, int(legal[int(share * len(legal))])), "every legal action is accepted"
        taken += 1
        assert taken < 5000, "every game ends"
        yield game
    assert not any(mask_of(table, game))


@many
@given(coop_tables(), seeds, choices)
def test_co_op_cards_are_conserved(table: Coop, seed: int, shares: list[float]) -> None:
    for game in play(table, table.deal(seed)[0], shares):
        places = [game.hands.ravel(), game.main, game.gap, game.ties, game.discards]
        lying = [card for place in places for card in place.tolist() if card != engine.NO_CARD]
        assert sorted([*lying, *range(game.drawn, game.deck_size)]) == list(range(game.deck_size))


@many
@given(coop_tables(), seeds, choices)
def test_the_main_row_is_sorted_and_each_gap_holds_at_most_one_time(
    table: Coop, seed: int, shares: list[float]
) -> None:
    for game in play(table, table.deal(seed)[0], shares):
        main = game.time[game.main[: game.main_count]]
        assert (np.diff(main) > 0).all()
        for slot in range(game.main_count - 1):
            if game.gap[slot] != engine.NO_CARD:
                assert main[slot] < game.time[game.gap[slot]] < main[slot + 1]
        gap = game.gap[: game.main_count - 1]
        placed = {*main.tolist(), *game.time[gap[gap != engine.NO_CARD]].tolist()}
        assert all(int(game.time[tie]) in placed for tie in game.ties[: game.tie_count])
        assert (game.gap[max(0, game.main_count - 1) :] == engine.NO_CARD).all()


@many
@given(coop_tables(), seeds, choices)
def test_the_co_op_score_counts_every_card_once(table: Coop, seed: int, shares: list[float]) -> None:
    for game in play(table, table.deal(seed)[0], shares):
        in_hands = int((game.hands != engine.NO_CARD).sum())
        in_pile = game.deck_size - game.drawn
        others = in_hands + in_pile + game.discard_count
        assert game.main_cards + game.gap_cards + others == game.deck_size
        assert read_result(game).score == 2 * game.main_cards + game.gap_cards - others


@many
@given(coop_tables(), seeds, choices)
def test_stuck_cards_stay_unplaceable(table: Coop, seed: int, shares: list[float]) -> None:
    for game in play(table, table.deal(seed)[0], shares):
        for seat, slot in zip(*np.nonzero(game.stuck), strict=True):
            assert game.hands[seat, slot] != engine.NO_CARD
            assert not engine.coop_place(game.copy(), game.hands[seat, slot])


@many
@given(competitive_tables(), seeds, choices)
def test_competitive_cards_are_conserved_and_the_timeline_is_sorted(
    table: Competitive, seed: int, shares: list[float]
) -> None:
    for game in play(table, table.deal(seed)[0], shares):
        hands = game.hands[game.hands != engine.NO_CARD].tolist()
        timeline = game.timeline[: game.timeline_count].tolist()
        pile = game.pile[game.pile_start : game.pile_end].tolist()
        discards = game.discards[: game.discard_count].tolist()
        assert sorted([*hands, *timeline, *pile, *discards]) == list(range(len(table.catalogue)))
        assert (np.diff(game.time[timeline]) >= 0).all()
        assert game.rounds <= 40, "the round limit ends the game at the latest"
        assert set(timeline) | set(discards) <= set(np.flatnonzero(game.seen).tolist())


@many
@given(st.one_of(coop_tables(), competitive_tables()), seeds, choices, st.integers(-(2**40), 2**40))
def test_every_illegal_action_is_refused_and_changes_nothing(
    table: Coop | Competitive, seed: int, shares: list[float], wild: int
) -> None:
    for game in play(table, table.deal(seed)[0], shares[:12]):
        mask = mask_of(table, game)
        illegal = [action for action, legal in enumerate(mask) if not legal]
        before = game.copy()
        for action in [*illegal[:: len(illegal) // 40 + 1], -1, len(mask), wild if not 0 <= wild < len(mask) else -2]:
            assert not table.step(game, action)
            assert game == before


@many
@given(st.one_of(coop_tables(), competitive_tables()), seeds, choices)
def test_a_clone_goes_its_own_way_and_the_same_way(table: Coop | Competitive, seed: int, shares: list[float]) -> None:
    games = np.repeat(table.deal(seed), 2)
    assert games[0] == games[1]
    for game in play(table, games[0], shares):
        last = game
    assert games[0] != games[1], "one was played, the other not"
    for game in play(table, games[1], shares):
        last = game
    assert last == games[0]
