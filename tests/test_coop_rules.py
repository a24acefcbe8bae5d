"""The co-operative rules, sentence by sentence, on tables laid by hand."""

import numpy as np
import pytest

from handmade import DISCARD, END_TURN, PLAY, coop, gap_row, hand, legal, main_row, ready, same_time, times
from timeline_twist import Coop, engine, read_result
from timeline_twist.engine import coop_step as step


def end_reason(game: object) -> str | None:
    return read_result(game).end_reason


# --- set-up -----------------------------------------------------------------------------------------------------------


def test_36_cards_of_the_catalogue_are_in_the_game_and_each_of_them_once() -> None:
    game = Coop(players=4).deal(5)[0]
    assert len(set(game.card.tolist())) == 36 and set(game.card.tolist()) < set(range(100))


def test_each_seat_is_dealt_its_whole_hand_at_once_seat_0_first_whoever_begins() -> None:
    game = Coop(players=3, first_player=2).deal_order(range(36))[0]
    assert [game.card[seat].tolist() for seat in game.hands[:3]] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert game.turn == 2


def test_the_next_card_starts_the_main_row_and_the_one_after_it_the_discard_pile() -> None:
    game = Coop(players=2).deal_order(range(36))[0]
    assert game.card[game.main[0]] == 8 and game.main_count == 1
    assert game.card[game.discards[0]] == 9 and game.discard_count == 1


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 6])
def test_the_draw_pile_holds_the_rest(players: int) -> None:
    game = Coop(players=players).deal(1)[0]
    assert game.deck_size - game.drawn == 36 - 4 * players - 2


def test_player_0_begins_unless_told_otherwise() -> None:
    assert Coop(players=2).deal(3)[0].turn == 0


# --- playing a card ---------------------------------------------------------------------------------------------------


def test_a_card_earlier_than_all_becomes_the_low_end() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[5, 60]])
    assert step(game, PLAY + 0)
    assert main_row(game) == [5, 10, 50] and gap_row(game) == [None, 30]


def test_a_card_later_than_all_becomes_the_high_end() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[5, 60]])
    assert step(game, PLAY + 1)
    assert main_row(game) == [10, 50, 60] and gap_row(game) == [30, None]


def test_a_card_between_two_neighbours_takes_their_gap_slot_once() -> None:
    game = coop(main=[10, 50], hands=[[20, 30, 60, 70]])
    assert step(game, PLAY + 0) and gap_row(game) == [20]
    step(game, PLAY + 1)
    assert game.stuck[0, 1] and gap_row(game) == [20] and hand(game, 0) == [None, 30, 60, 70]


def test_each_gap_has_a_slot_of_its_own() -> None:
    game = coop(main=[10, 30, 50], gap={0: 20}, hands=[[40, 60]])
    step(game, PLAY + 0)
    assert gap_row(game) == [20, 40]


def test_an_equal_time_lies_on_the_main_row_card_and_scores_2() -> None:
    game = coop(main=[10, 50], hands=[[40, 60]])
    same_time(game, 40, 50)
    before = engine.coop_score(game)
    step(game, PLAY + 0)
    assert main_row(game) == [10, 50] and times(game, game.ties[:1]) == [50]
    assert game.main_cards == 3 and engine.coop_score(game) == before + 3


def test_an_equal_time_inside_the_main_row_lies_on_its_card_and_leaves_the_gaps_free() -> None:
    game = coop(main=[10, 30, 50], gap={0: 20}, hands=[[40, 60]])
    same_time(game, 40, 30)
    assert step(game, PLAY + 0) and not game.stuck[0, 0]
    assert main_row(game) == [10, 30, 50] and gap_row(game) == [20, None] and game.main_cards == 4


def test_an_equal_time_lies_on_the_gap_row_card_and_scores_1() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[40, 60]])
    same_time(game, 40, 30)
    before = engine.coop_score(game)
    assert step(game, PLAY + 0)
    assert gap_row(game) == [30] and game.gap_cards == 2 and not game.stuck[0, 0]
    assert engine.coop_score(game) == before + 2


@pytest.mark.parametrize("end", [10, 50])
def test_an_equal_time_at_an_end_takes_no_slot_of_its_own(end: int) -> None:
    game = coop(main=[10, 50], hands=[[40, 60]])
    same_time(game, 40, end)
    step(game, PLAY + 0)
    assert main_row(game) == [10, 50] and gap_row(game) == [None]


def test_a_card_lying_on_another_never_blocks_the_gap() -> None:
    game = coop(main=[10, 50], hands=[[40, 30, 60]])
    same_time(game, 40, 10)
    step(game, PLAY + 0)
    step(game, PLAY + 1)
    assert gap_row(game) == [30]


def test_a_stuck_card_can_never_be_played_again() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20, 60, 70], [80, 90]])
    step(game, PLAY + 0)
    assert PLAY + 0 not in legal(game) and not step(game, PLAY + 0)
    step(game, PLAY + 1)
    step(game, END_TURN)
    step(game, PLAY + 0)
    step(game, END_TURN)
    assert game.turn == 0 and legal(game) == [PLAY + 2]


# --- the course of a turn ---------------------------------------------------------------------------------------------


def test_after_a_failed_flip_with_nothing_placed_only_another_card_may_be_tried() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20, 60, 70]], fronts={60: 1})
    assert DISCARD + 1 in legal(game)
    step(game, PLAY + 0)
    assert legal(game) == [PLAY + 1, PLAY + 2]


def test_without_another_card_to_try_the_game_ends_at_once_and_nobody_draws() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20], [60]], pile=[70])
    step(game, PLAY + 0)
    assert end_reason(game) == "failed_play" and legal(game) == []
    assert game.drawn == game.deck_size - 1 and hand(game, 0) == [20, None, None, None]


def test_the_game_ends_too_when_the_last_of_several_flips_fails() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20, 40], [60]])
    step(game, PLAY + 0)
    assert end_reason(game) is None
    step(game, PLAY + 1)
    assert end_reason(game) == "failed_play"


def test_after_a_failed_flip_a_success_saves_the_turn() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20, 60, 70]])
    step(game, PLAY + 0)
    step(game, PLAY + 1)
    assert legal(game) == [PLAY + 2, END_TURN]


def test_after_the_first_success_the_player_may_end_the_turn_or_try_a_second_card_but_not_discard() -> None:
    game = coop(main=[10, 50], hands=[[60, 70, 80]], fronts={70: 1})
    step(game, PLAY + 0)
    assert legal(game) == [PLAY + 1, PLAY + 2, END_TURN]


def test_the_turn_cannot_be_ended_before_a_card_is_placed() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20, 60]])
    assert END_TURN not in legal(game)
    step(game, PLAY + 0)
    assert END_TURN not in legal(game) and not step(game, END_TURN)


def test_a_second_success_ends_the_turn() -> None:
    game = coop(main=[10, 50], hands=[[60, 70, 80], [90]])
    step(game, PLAY + 0)
    step(game, PLAY + 1)
    assert game.turn == 1 and hand(game, 0) == [None, None, 80, None]


def test_after_a_failed_second_try_the_player_may_end_the_turn_or_try_again() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[60, 20, 70], [90]])
    step(game, PLAY + 0)
    step(game, PLAY + 1)
    assert game.turn == 0 and legal(game) == [PLAY + 2, END_TURN]


def test_a_success_after_a_failed_second_try_ends_the_turn() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[60, 20, 70, 80], [90]])
    step(game, PLAY + 0)
    step(game, PLAY + 1)
    step(game, PLAY + 2)
    assert game.turn == 1 and hand(game, 0) == [None, 20, None, 80]


def test_with_nothing_left_to_try_after_a_success_the_turn_ends_by_itself() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[60, 20], [90]])
    step(game, PLAY + 0)
    step(game, PLAY + 1)
    assert game.turn == 1 and end_reason(game) is None


def test_the_turn_ends_by_itself_too_when_the_only_card_was_placed() -> None:
    game = coop(main=[10, 50], hands=[[60], [90]])
    step(game, PLAY + 0)
    assert game.turn == 1


def test_stuck_cards_left_over_do_not_keep_a_turn_open() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[60, 20], [90]])
    game.stuck[0, 1] = 1
    step(ready(game), PLAY + 0)
    assert game.turn == 1


# --- discarding -------------------------------------------------------------------------------------------------------


def test_only_a_front_icon_equal_to_the_back_icon_on_top_may_be_discarded() -> None:
    game = coop(main=[10, 50], hands=[[20, 30, 60, 70]], fronts={20: 2, 30: 1, 70: 1}, top_icon=1)
    assert legal(game) == [PLAY + 0, PLAY + 1, PLAY + 2, PLAY + 3, DISCARD + 1, DISCARD + 3]


def test_the_discarded_cards_back_icon_is_the_new_one_to_match_and_the_turn_is_over() -> None:
    game = coop(main=[10, 50], hands=[[20, 30], [60, 70]], fronts={20: 1, 60: 2, 70: 1}, top_icon=1)
    game.back[0] = 2
    assert step(game, DISCARD + 0)
    assert times(game, game.discards[:2]) == [999, 20] and game.turn == 1
    assert legal(game) == [PLAY + 0, PLAY + 1, DISCARD + 0]


def test_a_stuck_card_may_be_discarded_and_the_next_card_in_its_place_is_not_stuck() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20, 60], [70]], fronts={20: 1}, pile=[80], hand_size=2)
    game.stuck[0, 0] = 1
    assert legal(ready(game)) == [PLAY + 1, DISCARD + 0]
    step(game, DISCARD + 0)
    assert hand(game, 0)[:2] == [80, 60] and not game.stuck[0, 0]


# --- drawing ----------------------------------------------------------------------------------------------------------


def test_at_the_end_of_a_turn_the_player_draws_up_to_the_hand_size() -> None:
    game = coop(main=[10, 50], hands=[[60, 70, 80, 90], [91]], pile=[1, 2, 3])
    step(game, PLAY + 2)
    step(game, END_TURN)
    assert hand(game, 0) == [60, 70, 1, 90] and game.drawn == game.deck_size - 2


def test_two_played_cards_are_replaced_lowest_place_first() -> None:
    game = coop(main=[10, 50], hands=[[20, 60, 70, 80], [90]], pile=[1, 2, 3])
    step(game, PLAY + 3)
    step(game, PLAY + 0)
    assert game.turn == 1 and hand(game, 0) == [1, 60, 70, 2]


def test_a_small_hand_draws_only_up_to_its_own_size() -> None:
    game = coop(main=[10, 50], hands=[[60, 70], [90, 91]], pile=[1, 2, 3], hand_size=2)
    step(game, PLAY + 0)
    step(game, PLAY + 1)
    assert hand(game, 0) == [1, 2, None, None]


def test_nobody_draws_between_the_two_cards_of_a_turn() -> None:
    game = coop(main=[10, 50], hands=[[60, 70], [90]], pile=[1, 2])
    step(game, PLAY + 0)
    assert hand(game, 0) == [None, 70, None, None]


def test_stuck_cards_count_among_the_hand() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20, 25, 60, 70], [90]], pile=[1, 2, 3])
    game.stuck[0, :2] = 1
    step(ready(game), PLAY + 2)
    step(game, END_TURN)
    assert hand(game, 0) == [20, 25, 1, 70]


def test_drawing_stops_when_the_pile_is_empty() -> None:
    game = coop(main=[10, 50], hands=[[60, 70, 80], [90]], pile=[1])
    step(game, PLAY + 0)
    step(game, PLAY + 1)
    assert hand(game, 0) == [1, None, 80, None] and game.drawn == game.deck_size


# --- the end ----------------------------------------------------------------------------------------------------------


def test_a_player_without_cards_is_passed_over_and_the_others_go_on() -> None:
    game = coop(main=[10, 50], hands=[[60], [70], [80, 90]])
    step(game, PLAY + 0)
    step(game, PLAY + 0)
    assert game.turn == 2
    step(game, PLAY + 0)
    step(game, END_TURN)
    assert game.turn == 2 and legal(game) == [PLAY + 1]


def test_the_game_ends_when_no_player_holds_a_card() -> None:
    game = coop(main=[10, 50], hands=[[60], [70]])
    step(game, PLAY + 0)
    assert end_reason(game) is None
    step(game, PLAY + 0)
    assert end_reason(game) == "all_cards_used" and legal(game) == []


def test_the_game_ends_when_the_last_card_is_discarded() -> None:
    game = coop(main=[10, 50], hands=[[60]], fronts={60: 1})
    step(game, DISCARD + 0)
    assert end_reason(game) == "all_cards_used"


def test_the_game_ends_when_the_player_whose_turn_begins_can_neither_play_nor_discard() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[60, 70], [20, 40], [80]])
    game.stuck[1, :2] = 1
    step(game, PLAY + 0)
    step(game, END_TURN)
    assert end_reason(game) == "no_legal_action" and legal(game) == []


def test_a_stuck_hand_with_a_matching_icon_goes_on() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[60, 70], [20, 40]], fronts={40: 1})
    game.stuck[1, :2] = 1
    step(game, PLAY + 0)
    step(game, END_TURN)
    assert end_reason(game) is None and legal(game) == [DISCARD + 1]


def test_nobody_is_obliged_to_discard_a_stuck_card() -> None:
    game = coop(main=[10, 50], gap={0: 30}, hands=[[20, 60]], fronts={20: 1})
    game.stuck[0, 0] = 1
    assert PLAY + 1 in legal(ready(game))


def test_nothing_is_legal_in_a_finished_game_and_nothing_changes_it() -> None:
    game = coop(main=[10, 50], hands=[[60]])
    step(game, PLAY + 0)
    before = game.copy()
    assert not any(step(game, action) for action in range(-1, 12))
    assert game == before


@pytest.mark.parametrize("action", [-1, -9, 9, 255, 10**6, DISCARD + 0, PLAY + 2, END_TURN])
def test_an_illegal_action_is_refused_and_changes_nothing(action: int) -> None:
    game = coop(main=[10, 50], hands=[[60, 70], [80]])
    before = game.copy()
    assert not step(game, action) and game == before


# --- the score --------------------------------------------------------------------------------------------------------


def test_the_example_of_the_rules_scores_25() -> None:
    main, discards = list(range(100, 115)), list(range(300, 311))
    gap = {slot: 200 + slot for slot in range(8)}
    game = coop(main=main, gap=gap, hands=[[], [400, 401]], discards=discards)
    assert game.deck_size == 36
    assert engine.coop_score(game) == 30 + 8 - 2 - 11 == 25
    assert read_result(game).score == 25 and read_result(game).rank() == "Sophisticated Crew"


def test_cards_in_the_draw_pile_cost_a_point_each() -> None:
    game = coop(main=[10], hands=[[60]], pile=[1, 2, 3])
    assert engine.coop_score(game) == 2 - 1 - 1 - 3


def test_the_first_score_is_3_less_the_deck() -> None:
    assert read_result(Coop().deal(1)[0]).score == 3 - 36


def test_the_highest_conceivable_score_is_69() -> None:
    # Every card on the main row but the one that the discard pile begins with.
    game = coop(main=list(range(100, 135)), hands=[[]])
    assert engine.coop_score(game) == 69


# --- icons ------------------------------------------------------------------------------------------------------------


def test_printed_icons_are_the_catalogues_own() -> None:
    table = Coop(icons="printed")
    game = table.deal(4)[0]
    cards = table.catalogue.cards[game.card]
    assert (game.front == cards["front"]).all() and (game.back == cards["back"]).all()


def test_shuffled_icons_are_pairs_of_the_catalogue_dealt_anew_each_game() -> None:
    table = Coop()
    games = table.deal(range(50))
    assert (games["front"] != games["back"]).all()
    own = table.catalogue.cards[games["card"]]
    assert 0.1 < np.mean(own["front"] == games["front"]) < 0.4


def test_shuffled_icons_use_each_pair_of_the_catalogue_at_most_as_often_as_it_has_it() -> None:
    table = Coop(players=1, deck_size=36)
    pairs = [(card["front"], card["back"]) for card in table.catalogue.cards]
    for game in table.deal(range(50)):
        dealt = list(zip(game.front, game.back, strict=True))
        assert all(dealt.count(pair) <= pairs.count(pair) for pair in set(dealt))


# --- the memory of public events --------------------------------------------------------------------------------------


def events(game: np.record) -> list[tuple[str, int, int | None]]:
    """Event, seat and the card's time, newest first."""
    remembered = [event for event in game.recent.tolist() if event[0] != engine.NO_EVENT]
    return [(engine.EVENTS[what], seat, times(game, [card])[0]) for what, seat, card in remembered]


def test_the_last_four_public_events_are_remembered_newest_first() -> None:
    game = coop(main=[10, 50], hands=[[60, 5, 20, 30], [70, 80]], fronts={70: 1})
    assert events(game) == []
    for action in (PLAY + 0, PLAY + 1, DISCARD + 0, PLAY + 2):
        assert step(game, action)
    assert events(game) == [("gap", 0, 20), ("discarded", 1, 70), ("low_end", 0, 5), ("high_end", 0, 60)]
    assert step(game, PLAY + 3) and events(game)[:2] == [("stuck", 0, 30), ("gap", 0, 20)] and len(events(game)) == 4


def test_ending_the_turn_and_an_equal_card_are_remembered() -> None:
    game = coop(main=[10, 50], hands=[[51, 60], [70]])
    same_time(game, 51, 50)
    assert step(game, PLAY + 0) and step(game, END_TURN)
    assert events(game) == [("ended_turn", 0, None), ("equal", 0, 50)]


def test_an_illegal_action_is_not_remembered() -> None:
    game = coop(main=[10], hands=[[20], [30]])
    assert not step(game, END_TURN) and events(game) == []
