"""The competitive rules, sentence by sentence, on deals in a given order.

In `Competition(order, players=2)` the first four cards are seat 0's, the next four seat 1's, the next starts the
timeline. A card's time is its number unless the test gives other times.
"""

import numpy as np
import pytest

from handmade import Competition
from timeline_twist import Competitive, engine, read_result, records
from timeline_twist.engine import competitive_step as step


def end_reason(match: Competition) -> str | None:
    return read_result(match.game).end_reason


def timeline(match: Competition) -> list[int]:
    row: list[int] = match.game.timeline[: match.game.timeline_count].tolist()
    return row


def pile(match: Competition) -> list[int]:
    cards: list[int] = match.game.pile[match.game.pile_start : match.game.pile_end].tolist()
    return cards


def discards(match: Competition) -> list[int]:
    cards: list[int] = match.game.discards[: match.game.discard_count].tolist()
    return cards


def play_round(match: Competition, *right: bool) -> None:
    """Every player of the round places the first card of the hand, rightly or wrongly."""
    for is_right in right:
        match.place(match.hand(match.game.turn)[0], right=is_right)


# --- set-up -----------------------------------------------------------------------------------------------------------


def test_the_whole_catalogue_is_dealt_hands_first_then_the_starting_card() -> None:
    match = Competition(range(20), players=2, first_player=1)
    assert match.hand(0) == [0, 1, 2, 3] and match.hand(1) == [4, 5, 6, 7]
    assert timeline(match) == [8] and pile(match) == list(range(9, 20))
    assert match.game.turn == 1


def test_icons_play_no_part() -> None:
    names = records.COMPETITIVE_128.names
    assert names is not None and not {"front", "back"} & set(names)


# --- placing ----------------------------------------------------------------------------------------------------------


def test_a_timeline_of_n_cards_has_n_plus_1_positions_for_each_card_held() -> None:
    match = Competition(range(20), players=2)
    mask = np.zeros(match.table.actions, np.int8)
    assert engine.competitive_mask(match.game, mask) == 4 * 2
    assert np.flatnonzero(mask).tolist() == [0, 1, 21, 22, 42, 43, 63, 64]


@pytest.mark.parametrize(("position", "stays"), [(0, True), (1, False)])
def test_a_card_stays_only_at_its_right_position(position: int, stays: bool) -> None:
    match = Competition(range(20), players=2)
    assert step(match.game, 0 * 21 + position)
    assert timeline(match) == ([0, 8] if stays else [8])
    assert discards(match) == ([] if stays else [0])


def test_between_two_neighbours_is_a_position_too() -> None:
    match = Competition([0, 5, 2, 3, 4, 10, 6, 7, 8, 9, 1, 11], players=2)
    match.place(0)
    match.place(10)
    assert timeline(match) == [0, 8, 10]
    step(match.game, 1 * 13 + 1)
    assert timeline(match) == [0, 5, 8, 10]


@pytest.mark.parametrize("position", [0, 1])
def test_a_card_of_equal_time_is_right_on_either_side_of_it(position: int) -> None:
    match = Competition([0, 1, 2, 3, 4, 5], players=2, times=[7, 1, 2, 3, 7, 9], hand_size=2)
    step(match.game, position)
    assert sorted(timeline(match)) == [0, 4] and timeline(match)[position] == 0


def test_a_card_of_equal_time_is_wrong_away_from_it() -> None:
    match = Competition([1, 0, 2, 3, 4, 5], players=2, times=[7, 1, 9, 3, 7, 8], hand_size=2)
    match.place(1)
    match.place(2)
    assert [match.times[card] for card in timeline(match)] == [1, 7, 9]
    step(match.game, 1 * 7 + 0)
    assert discards(match) == [0] and timeline(match) == [1, 4, 2]


def test_a_card_may_lie_between_two_of_its_own_time() -> None:
    match = Competition([0, 1, 2, 3, 4, 5], players=2, times=[7, 7, 7, 3, 7, 9], hand_size=2)
    step(match.game, 0)
    step(match.game, 1)
    assert timeline(match) == [0, 2, 4]


def test_a_wrong_card_is_discarded_and_replaced_from_the_pile() -> None:
    match = Competition(range(20), players=2)
    match.place(2, right=False)
    assert discards(match) == [2] and match.game.hands[0].tolist() == [0, 1, 9, 3]
    assert match.game.turn == 1


def test_a_right_card_is_not_replaced() -> None:
    match = Competition(range(20), players=2)
    match.place(2)
    assert match.game.hands[0].tolist() == [0, 1, -1, 3]


def test_the_drawn_card_goes_to_the_lowest_empty_place() -> None:
    match = Competition(range(20), players=2)
    match.place(1)
    match.place(4, right=False)
    match.place(3, right=False)
    assert match.game.hands[0].tolist() == [0, 10, 2, -1]


def test_an_empty_pile_is_replaced_by_the_shuffled_discards_the_last_one_included() -> None:
    match = Competition(range(6), players=2, hand_size=2)
    match.place(0, right=False)
    assert pile(match) == [] and discards(match) == [0]
    match.place(2, right=False)
    assert discards(match) == [] and sorted([*pile(match), match.game.hands[1, 0]]) == [0, 2]


def test_the_discards_really_are_shuffled_by_the_later_stream_in_the_order_of_discarding() -> None:
    match = Competition(range(12), players=2, hand_size=1)
    play_round(match, *[False] * 9)
    assert discards(match) == list(range(2)) + list(range(3, 10)) and pile(match) == []
    play_round(match, False)
    expected = np.array([0, 1, *range(3, 11)], np.int16)
    engine.shuffle(np.uint64(0) ^ engine.LATER_STREAM, expected, 10, 10)
    assert [*match.hand(1), *pile(match)] == expected.tolist() != sorted(expected.tolist())


def test_a_reshuffle_can_bring_back_the_card_just_discarded() -> None:
    match = Competition(range(5), players=2, hand_size=2)
    match.place(0, right=False)
    assert match.hand(0) == [0, 1]


def test_flipped_cards_are_known_for_good_also_after_a_reshuffle() -> None:
    match = Competition(range(5), players=2, hand_size=2)
    match.place(0, right=False)
    match.place(3)
    assert np.flatnonzero(match.game.seen).tolist() == [0, 3, 4]


@pytest.mark.parametrize("action", [-1, 2, 21 + 2, 20, 84, 10**6])
def test_an_illegal_action_is_refused_and_changes_nothing(action: int) -> None:
    match = Competition(range(20), players=2)
    before = match.game.copy()
    assert not step(match.game, action) and match.game == before


def test_an_empty_place_cannot_be_played() -> None:
    match = Competition(range(20), players=2)
    match.place(0)
    match.place(4)
    assert not step(match.game, 0)


# --- rounds -----------------------------------------------------------------------------------------------------------


def test_turns_go_clockwise_from_the_first_player() -> None:
    match = Competition(range(20), players=3, first_player=1)
    turns = []
    for _ in range(6):
        turns.append(int(match.game.turn))
        match.place(match.hand(match.game.turn)[0], right=False)
    assert turns == [1, 2, 0, 1, 2, 0]


def test_the_only_player_to_place_the_last_card_in_a_round_wins_at_its_end() -> None:
    match = Competition(range(10), players=2, hand_size=1)
    match.place(0)
    assert end_reason(match) is None
    match.place(1, right=False)
    assert end_reason(match) == "won" and read_result(match.game).winners == (0,)


def test_it_is_decided_at_the_end_of_the_round_never_in_its_middle() -> None:
    match = Competition(range(10), players=3, hand_size=1)
    play_round(match, False, True)
    assert end_reason(match) is None and match.game.turn == 2
    play_round(match, False)
    assert read_result(match.game).winners == (1,)


def test_when_nobody_finished_play_goes_on() -> None:
    match = Competition(range(20), players=2)
    play_round(match, True, True)
    assert end_reason(match) is None and match.game.rounds == 1 and match.game.turn == 0


def test_several_finishers_stay_in_and_the_others_are_out() -> None:
    match = Competition(range(10), players=3, hand_size=1)
    play_round(match, True, False, True)
    assert match.game.tie_break and match.game.active[:3].tolist() == [1, 0, 1]
    assert match.game.turn == 0


def test_in_a_tie_break_the_player_draws_one_card_at_the_start_of_the_turn() -> None:
    match = Competition(range(10), players=2, hand_size=1)
    play_round(match, True, True)
    assert match.game.hands[0].tolist() == [3, -1, -1, -1] and match.hand(1) == []
    match.place(3)
    assert match.hand(1) == [4]


def test_in_a_tie_break_a_wrong_card_is_not_replaced() -> None:
    match = Competition(range(10), players=2, hand_size=1)
    play_round(match, True, True, False)
    assert match.hand(0) == [] and discards(match) == [3]


def test_exactly_one_right_in_a_tie_break_round_wins() -> None:
    match = Competition(range(10), players=2, hand_size=1)
    play_round(match, True, True, False, True)
    assert end_reason(match) == "won" and read_result(match.game).winners == (1,)


def test_several_right_in_a_tie_break_round_stay_and_the_others_are_out() -> None:
    match = Competition(range(20), players=4, hand_size=1)
    play_round(match, True, True, True, True)
    play_round(match, True, False, True, False)
    assert end_reason(match) is None and match.game.active[:4].tolist() == [1, 0, 1, 0]


def test_none_right_in_a_tie_break_round_all_stay() -> None:
    match = Competition(range(20), players=3, hand_size=1)
    play_round(match, True, True, False)
    play_round(match, False, False)
    assert end_reason(match) is None and match.game.active[:3].tolist() == [1, 1, 0]
    assert match.game.rounds == 2


def test_if_the_leader_is_out_the_next_player_still_in_leads() -> None:
    match = Competition(range(20), players=4, hand_size=1, first_player=2)
    play_round(match, False, True, False, True)  # seats 2, 3, 0, 1
    assert match.game.active[:4].tolist() == [0, 1, 0, 1] and match.game.turn == 3
    play_round(match, True)
    assert match.game.turn == 1
    play_round(match, True)
    assert match.game.turn == 3


def test_a_tie_break_draw_reshuffles_the_discards_when_the_pile_is_empty() -> None:
    match = Competition(range(5), players=2, hand_size=1)
    play_round(match, True, True, False, False)
    assert end_reason(match) is None
    assert sorted([*match.hand(0), *pile(match)]) == [3, 4] and discards(match) == []


def test_no_card_left_anywhere_is_a_draw_among_the_players_still_in() -> None:
    match = Competition(range(6), players=3, hand_size=1)
    play_round(match, True, False, True)
    play_round(match, True)
    # Seat 1's wrong card was reshuffled for seat 0 or 2; two rounds later everything is used up.
    while end_reason(match) is None:
        play_round(match, True)
    assert end_reason(match) == "draw" and read_result(match.game).winners == (0, 2)


def test_a_draw_may_come_in_the_middle_of_a_round_and_ignores_what_happened_in_it() -> None:
    match = Competition(range(4), players=2, hand_size=1)
    play_round(match, True, True, True)
    assert end_reason(match) == "draw" and read_result(match.game).winners == (0, 1)
    assert match.game.rounds == 1


def test_players_who_never_err_tie_until_the_catalogue_is_used_up() -> None:
    match = Competition(range(30), players=3)
    while end_reason(match) is None:
        play_round(match, True)
    assert end_reason(match) == "draw" and timeline(match) == list(range(30))


def test_the_game_is_broken_off_after_max_rounds() -> None:
    match = Competition(range(10), players=2, hand_size=1, max_rounds=3)
    play_round(match, False, False, False, False, False)
    assert end_reason(match) is None
    play_round(match, False)
    assert end_reason(match) == "max_rounds" and read_result(match.game).winners == ()


def test_a_win_in_the_last_round_counts() -> None:
    match = Competition(range(10), players=2, hand_size=1, max_rounds=1)
    play_round(match, True, False)
    assert end_reason(match) == "won"


def test_a_tie_in_the_last_round_is_broken_off_before_anybody_draws() -> None:
    match = Competition(range(10), players=2, hand_size=1, max_rounds=1)
    play_round(match, True, True)
    assert end_reason(match) == "max_rounds" and match.hand(0) == []


def test_the_limit_is_1000_rounds_unless_told_otherwise() -> None:
    assert Competitive().deal(0)[0].max_rounds == 1000


def test_nothing_is_legal_in_a_finished_game_and_nothing_changes_it() -> None:
    match = Competition(range(10), players=2, hand_size=1)
    play_round(match, True, False)
    before = match.game.copy()
    mask = np.ones(match.table.actions, np.int8)
    assert engine.competitive_mask(match.game, mask) == 0 and not mask.any()
    assert not any(step(match.game, action) for action in range(match.table.actions))
    assert match.game == before


def test_the_last_four_placed_cards_are_remembered_newest_first() -> None:
    match = Competition(range(20), players=2)
    match.place(0)
    match.place(4, right=False)
    match.place(1)
    assert match.game.recent.tolist() == [[engine.RIGHT, 0, 1], [engine.WRONG, 1, 4], [engine.RIGHT, 0, 0], [0, 0, 0]]
    match.place(5)
    match.place(2)
    assert match.game.recent[:, 2].tolist() == [2, 5, 1, 4]
