"""Games in words: actions that can be written and read, and descriptions that tell all a seat may know and no more."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from handmade import catalogue_of
from timeline_twist import Competitive, Coop, SettingsError, competitive_v0, coop_v0, engine, read_result
from timeline_twist.single import CompetitiveEnv, CoopEnv
from timeline_twist.text import describe, format_action, parse_action
from timeline_twist.vector import CompetitiveVectorEnv, CoopVectorEnv

MODULES = {"coop": coop_v0, "competitive": competitive_v0}
TABLES = {"coop": Coop, "competitive": Competitive}
KINDS = ("noisy", "expert", "faces", "blind")
both_modes = pytest.mark.parametrize("mode", ["coop", "competitive"])
both_slots = pytest.mark.parametrize("slots", ["table", "sorted"])
all_kinds = pytest.mark.parametrize("kind", KINDS)


def moments(env: Any, seed: int, steps: int) -> Iterator[None]:
    """Stops before each step of a random game, and at its end."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        yield
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        if not len(legal):
            return
        env.step(int(rng.choice(legal)))
    yield


def mid_game(mode: str, seed: int = 3, steps: int = 9, **settings: Any) -> Any:
    """An environment in the middle of a game."""
    env = MODULES[mode].env(**settings)
    for _ in moments(env, seed, steps):
        pass
    return env


def turn(env: Any) -> int:
    return int(env.unwrapped.game.turn)


# --- actions ----------------------------------------------------------------------------------------------------------


@both_slots
@both_modes
def test_all_actions_are_written_and_read_back(mode: str, slots: str) -> None:
    env = MODULES[mode].env(slots=slots)
    for _ in moments(env, 1, 12):
        actions = range(env.action_space("player_0").n)
        words = [format_action(env, action) for action in actions]
        assert [parse_action(env, each) for each in words] == list(actions) and len(set(words)) == len(words)


@pytest.mark.parametrize(
    ("mode", "action", "words"),
    [
        ("coop", 0, "play 0"),
        ("coop", 2, "play 2"),
        ("coop", 4, "discard 0"),
        ("coop", 7, "discard 3"),
        ("coop", 8, "end turn"),
        ("competitive", 0, "place 0 at 0"),
        ("competitive", 105, "place 1 at 4"),
        ("competitive", 403, "place 3 at 100"),
    ],
)
def test_the_words_of_actions(mode: str, action: int, words: str) -> None:
    env = MODULES[mode].env()
    env.reset(seed=0)
    assert format_action(env, action) == words and parse_action(env, words) == action
    assert format_action(env, np.int64(action)) == words  # type: ignore[arg-type]


@both_slots
@both_modes
def test_words_speak_of_the_slots_of_the_table(mode: str, slots: str) -> None:
    differs = False
    env = MODULES[mode].raw_env(slots=slots, knowledge="expert")
    for _ in moments(env, 2, 12):
        for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[:40].tolist():
            words = format_action(env, action)
            if words == "end turn":
                continue
            slot = int(words.split()[1])
            card = int(env.game.hands[turn(env), slot])
            after = env.clone()
            after.step(action)
            assert int(after.game.recent[0, 2]) == card, "the card that these words name is the one that was moved"
            differs |= slot != (action % 4 if mode == "coop" else action // 101)
    assert differs == (slots == "sorted")


@pytest.mark.parametrize(
    ("mode", "words", "plain"),
    [
        ("coop", "PLAY 2", "play 2"),
        ("coop", "  Discard \t 1\n", "discard 1"),
        ("coop", "End  Turn", "end turn"),
        ("coop", "play 02", "play 2"),
        ("competitive", " Place  1   AT 4 ", "place 1 at 4"),
        ("competitive", "place 0 at 007", "place 0 at 7"),
    ],
)
def test_case_and_spaces_do_not_matter(mode: str, words: str, plain: str) -> None:
    env = MODULES[mode].env()
    env.reset(seed=0)
    assert format_action(env, parse_action(env, words)) == plain


COOP_FORMS = "write 'play SLOT', 'discard SLOT' or 'end turn'"
COMPETITIVE_FORMS = "write 'place SLOT at POSITION'"


@pytest.mark.parametrize(
    ("mode", "words", "message"),
    [
        ("coop", "", f"action: '' is not understood; {COOP_FORMS}"),
        ("coop", "play", f"action: 'play' is not understood; {COOP_FORMS}"),
        ("coop", "play two", f"action: 'play two' is not understood; {COOP_FORMS}"),
        ("coop", "play -1", f"action: 'play -1' is not understood; {COOP_FORMS}"),
        ("coop", "play 1 2", f"action: 'play 1 2' is not understood; {COOP_FORMS}"),
        ("coop", "endturn", f"action: 'endturn' is not understood; {COOP_FORMS}"),
        ("coop", "place 1 at 4", f"action: 'place 1 at 4' is not understood; {COOP_FORMS}"),
        ("coop", "play 4", "slot: 4 is not a whole number from 0 to 3"),
        ("coop", "discard 12", "slot: 12 is not a whole number from 0 to 3"),
        ("competitive", "play 1", f"action: 'play 1' is not understood; {COMPETITIVE_FORMS}"),
        ("competitive", "end turn", f"action: 'end turn' is not understood; {COMPETITIVE_FORMS}"),
        ("competitive", "place 1", f"action: 'place 1' is not understood; {COMPETITIVE_FORMS}"),
        ("competitive", "place 4 at 0", "slot: 4 is not a whole number from 0 to 3"),
        ("competitive", "place 0 at 101", "position: 101 is not a whole number from 0 to 100"),
        ("coop", "x" * 1000, f"action: '{'x' * 60}' is not understood"),
        ("coop", 2, "action: 2 is not understood"),
        ("competitive", None, "action: None is not understood"),
    ],
)
def test_what_is_not_understood_is_a_clear_error(mode: str, words: Any, message: str) -> None:
    env = MODULES[mode].env()
    env.reset(seed=0)
    with pytest.raises(SettingsError, match=f"^{re.escape(message)}"):
        parse_action(env, words)


@pytest.mark.parametrize(("mode", "count"), [("coop", 9), ("competitive", 404)])
def test_what_is_no_action_cannot_be_written(mode: str, count: int) -> None:
    env = MODULES[mode].env()
    env.reset(seed=0)
    for action in (-1, count, 1.0, "1", True, None):
        with pytest.raises(SettingsError, match=f"^action: {action!r} is not a whole number from 0 to {count - 1}$"):
            format_action(env, action)  # type: ignore[arg-type]


@both_modes
def test_a_bare_record_has_words_for_actions_too(mode: str) -> None:
    game = TABLES[mode]().deal(0)[0]
    words = "discard 2" if mode == "coop" else "place 2 at 1"
    assert format_action(game, parse_action(game, words)) == words
    with pytest.raises(SettingsError, match=r"^game: 2 games at once; give one of them, such as games\[0\]"):
        parse_action(TABLES[mode]().deal(range(2)), words)


# --- descriptions: what they work on ----------------------------------------------------------------------------------


def kinds_of_env(mode: str, **settings: Any) -> list[Any]:
    module = MODULES[mode]
    single = {"coop": CoopEnv, "competitive": CompetitiveEnv}[mode](**settings)
    made = gymnasium.make(
        {"coop": "timeline_twist/Coop-v0", "competitive": "timeline_twist/Competitive-v0"}[mode], **settings
    )
    return [module.env(**settings), module.raw_env(**settings), module.parallel_env(**settings), single, made]


@all_kinds
@both_modes
def test_every_kind_of_env_and_a_bare_record_tell_the_same(mode: str, kind: str) -> None:
    envs = kinds_of_env(mode, knowledge=kind, players=3)
    for env in envs:
        env.reset(seed=6)
    table = TABLES[mode](3)
    game = table.deal(6)[0]
    for seat in range(3):
        texts = {describe(env, seat) for env in envs} | {describe(game, seat, table=table, knowledge=kind)}
        assert len(texts) == 1
    assert len({describe(envs[0], seat) for seat in range(3)}) == 3
    words = {format_action(env, 3) for env in [*envs, game]}
    assert len(words) == 1


def test_a_bare_record_is_described_with_the_settings_given() -> None:
    table = Coop(2)
    game = table.deal(6)[0]
    env = coop_v0.env(communication="none", show_pile_top=False, knowledge={"kind": "noisy", "sigma": [1, 9]})
    env.reset(seed=6)
    settings: dict[str, Any] = {"communication": "none", "show_pile_top": False}
    for seat in (0, 1):
        text = describe(game, seat, table=table, knowledge={"kind": "noisy", "sigma": [1, 9]}, **settings)
        assert text == describe(env, seat)


def test_describing_a_record_does_not_change_it() -> None:
    table = Competitive(3)
    game = table.deal(6)[0]
    before = game.tobytes()
    describe(game, 0, table=table)
    assert game.tobytes() == before


@both_modes
def test_a_record_needs_the_table_it_was_dealt_at(mode: str) -> None:
    game = TABLES[mode](2).deal(6)[0]
    with pytest.raises(SettingsError, match=r"^table: a record does not know its catalogue; give the table"):
        describe(game, 0)
    other = Coop(2, deck_size=20) if mode == "coop" else Competitive(2, "history")
    with pytest.raises(SettingsError, match=r"^game: not dealt at this table"):
        describe(game, 0, table=other)


@pytest.mark.parametrize("settings", [{"knowledge": "blind"}, {"table": Coop(2)}, {"knowlege": "expert"}])
def test_an_env_has_its_own_settings_and_takes_no_others(settings: dict[str, Any]) -> None:
    env = coop_v0.env(knowledge="expert")
    env.reset(seed=0)
    with pytest.raises((SettingsError, TypeError), match=next(iter(settings))):
        describe(env, 0, **settings)


@pytest.mark.parametrize("seat", [-1, 2, 0.0, "player_0", None, True])
@both_modes
def test_a_bad_seat_is_a_clear_error(mode: str, seat: Any) -> None:
    env = MODULES[mode].env()
    env.reset(seed=0)
    with pytest.raises(SettingsError, match=f"^seat: {seat!r} is not a whole number from 0 to 1"):
        describe(env, seat)


@pytest.mark.parametrize(
    "thing", [3, "game", None, gymnasium.make("CartPole-v1"), object()], ids=lambda x: type(x).__name__
)
def test_other_things_are_refused(thing: Any) -> None:
    for call in (lambda: describe(thing, 0), lambda: format_action(thing, 0), lambda: parse_action(thing, "play 1")):
        with pytest.raises(SettingsError, match="neither an environment of this package nor a game"):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda env, _: describe(env, 0),
        lambda env, _: format_action(env, 1),
        lambda env, words: parse_action(env, words),
    ],
    ids=["describe", "format_action", "parse_action"],
)
@both_modes
def test_before_reset_there_is_nothing_to_say(mode: str, call: Callable[[Any, str], Any]) -> None:
    words = {"coop": "play 2", "competitive": "place 1 at 4"}[mode]
    for env in kinds_of_env(mode):
        with pytest.raises(SettingsError, match=r"no game has been dealt yet; call reset\(\) first"):
            call(env, words)


@both_modes
def test_of_many_games_one_has_to_be_chosen(mode: str) -> None:
    envs = {"coop": CoopVectorEnv, "competitive": CompetitiveVectorEnv}[mode](2)
    env = MODULES[mode].env()
    envs.reset(seed=5)
    env.reset(seed=6)
    with pytest.raises(SettingsError, match="2 games at once; give one of them"):
        describe(envs, 0)
    assert describe(envs.games[1], 0, table=envs.batch.table) == describe(env, 0)


def test_a_record_of_another_table_is_refused() -> None:
    table = Coop(2, "scenes")
    others = [Coop(3, "scenes").deal(1)[0], Coop(2, "history").deal(1)[0], Coop(2, deck_size=30).deal(1)[0]]
    for game in others:
        with pytest.raises(SettingsError, match="game: not dealt at this table"):
            describe(game, 0, table=table)


# --- descriptions: everything public is there -------------------------------------------------------------------------


def title(env: Any, card: int) -> str:
    game, catalogue = env.unwrapped.game, env.unwrapped.batch.table.catalogue
    number = int(game.card[card]) if "phase" in game.dtype.names else card
    return str(catalogue.titles[number])


def flipped(env: Any, card: int) -> str:
    """How a description names a card whose time is public."""
    game, catalogue = env.unwrapped.game, env.unwrapped.batch.table.catalogue
    number = int(game.card[card]) if "phase" in game.dtype.names else card
    return f"{catalogue.titles[number]} (time {catalogue.times[number]}"


def line(text: str, start: str) -> str:
    """The one line that begins so."""
    found = [each for each in text.splitlines() if each.startswith(start)]
    assert len(found) == 1, (start, text)
    return found[0]


def hand_lines(text: str, name: str) -> list[str]:
    """The lines below the heading of a hand."""
    after = text.split(f"{name}:\n")[1].splitlines()
    return [each for i, each in enumerate(after) if all(other.startswith("  ") for other in after[: i + 1])]


@all_kinds
@pytest.mark.parametrize("catalogue", ["scenes", "history"])
def test_a_coop_description_has_the_whole_table(catalogue: str, kind: str) -> None:
    env = coop_v0.env(players=3, knowledge=kind, catalogue=catalogue)
    for _ in moments(env, 5, 40):
        game, result = env.unwrapped.game, read_result(env.unwrapped.game)
        for seat in range(3):
            text = describe(env, seat)
            assert f"3 players, 36 cards. You are player {seat}." in text
            assert f"Score so far: {result.score} ({result.rank()})." in text
            assert line(text, "Draw pile: ").startswith(f"Draw pile: {36 - game.drawn} cards")
            assert_coop_timeline(env, text)
            discards = [int(card) for card in game.discards[: game.discard_count]]
            told = line(text, "Discards, bottom first: ")
            assert [told.count(flipped(env, card)) for card in discards] == [1] * len(discards)
            icon = env.unwrapped.batch.table.catalogue.icons[game.back[discards[-1]]]
            assert f"A card with {icon} in front may be discarded next." in told


def assert_coop_timeline(env: Any, text: str) -> None:
    """Main row and gaps stand there in order, cards of equal time beside each other."""
    game = env.unwrapped.game
    rows = text.split("the gap after each card):\n")[1].split("Discards")[0].splitlines()
    expected = []
    for i, card in enumerate(game.main[: game.main_count]):
        expected.append((int(card), "  "))
        if i < game.main_count - 1:
            expected.append((int(game.gap[i]), "    gap: "))
    assert len(rows) == len(expected)
    for row, (card, indent) in zip(rows, expected, strict=True):
        name = "free" if card == engine.NO_CARD else flipped(env, card)
        assert row.startswith(indent + name)
        ties = [
            tie for tie in game.ties[: game.tie_count] if card != engine.NO_CARD and game.time[tie] == game.time[card]
        ]
        assert all(flipped(env, int(tie)) in row for tie in ties)


@all_kinds
def test_a_coop_description_has_all_hands_by_table_slot(kind: str) -> None:
    env = coop_v0.env(players=2, knowledge=kind, slots="sorted")
    icons = env.unwrapped.batch.table.catalogue.icons
    stuck = 0
    for _ in moments(env, 5, 40):
        game = env.unwrapped.game
        for seat, holder in ((0, 0), (0, 1), (1, 0), (1, 1)):
            name = "Your hand" if seat == holder else f"Hand of player {holder}"
            lines = hand_lines(describe(env, seat), name)
            held = [(slot, int(card)) for slot, card in enumerate(game.hands[holder]) if card >= 0]
            assert len(lines) == len(held) or lines == ["  no cards"]
            for row, (slot, card) in zip(lines, held, strict=False):
                assert row.startswith(f"  slot {slot}: ") and f"{icons[game.front[card]]} in front" in row
                if game.stuck[holder, slot]:
                    stuck += 1
                    assert row.startswith(f"  slot {slot}: stuck: {flipped(env, card)}")
                    assert row.endswith(f"{icons[game.back[card]]} behind")
                else:
                    assert row.endswith("in front") and not row.startswith(f"  slot {slot}: stuck")
    assert stuck


@all_kinds
@pytest.mark.parametrize("catalogue", ["scenes", "history"])
def test_a_competitive_description_has_the_whole_table(catalogue: str, kind: str) -> None:
    env = competitive_v0.env(players=3, knowledge=kind, catalogue=catalogue, hand_size=2)
    cards = len(env.unwrapped.batch.table.catalogue)
    for _ in moments(env, 5, 40):
        game = env.unwrapped.game
        for seat in range(3):
            text = describe(env, seat)
            assert f"3 players, {cards} cards. You are player {seat}." in text
            assert line(text, "Rounds played: ").startswith(f"Rounds played: {game.rounds}.")
            assert line(text, "Draw pile: ").startswith(f"Draw pile: {game.pile_end - game.pile_start} cards")
            row = text.split("places for a card:\n")[1].split("Discards")[0].splitlines()
            assert row[0] == "    place SLOT at 0" and len(row) == 2 * game.timeline_count + 1
            for i, card in enumerate(game.timeline[: game.timeline_count]):
                assert row[2 * i + 1].startswith(f"  {flipped(env, int(card))}")
                assert row[2 * i + 2] == f"    place SLOT at {i + 1}"
            told = line(text, "Discards: ")
            assert all(flipped(env, int(card)) in told for card in game.discards[: game.discard_count])
            assert text.count("  slot ") == (game.hands[:3] >= 0).sum()


def test_a_competitive_description_tells_who_is_out_and_that_it_is_a_tie_break() -> None:
    env = competitive_v0.env(players=3, hand_size=1, catalogue=catalogue_of(range(12)), knowledge="expert")
    env.reset(seed=0, options={"draw_order": range(12)})
    assert "Rounds begin with player 0." in describe(env, 1)
    env.step(parse_action(env, "place 0 at 1"))
    env.step(parse_action(env, "place 0 at 0"))
    assert "Finished in this round: you (player 1)." in describe(env, 1)
    env.step(parse_action(env, "place 0 at 1"))
    assert "This is a tie-break." in describe(env, 0) and "Out of the game: you (player 0)." in describe(env, 0)
    assert "Out of the game: player 0." in describe(env, 2) and "Rounds begin with player 1." in describe(env, 2)


def test_cards_of_a_competition_that_were_seen_once_stay_known_after_a_reshuffle() -> None:
    env = competitive_v0.env(hand_size=1, catalogue=catalogue_of(range(4)), knowledge="blind")
    env.reset(seed=0, options={"draw_order": [0, 3, 2, 1]})
    env.step(parse_action(env, "place 0 at 1"))  # wrong; card 1 is drawn
    env.step(parse_action(env, "place 0 at 0"))  # wrong; the discards 0 and 3 are shuffled, and one of them is drawn
    hand = hand_lines(describe(env, 0), "Hand of player 1")[0]
    top = line(describe(env, 0), "Draw pile: 1 cards; on top ")
    assert {
        hand.endswith(f"{name})") or top.endswith(f"{name}).") for name in ("card 0 (time 0", "card 3 (time 3")
    } == {True}
    assert hand_lines(describe(env, 0), "Your hand") == ["  slot 0: a card"]


@both_modes
def test_whose_turn_it_is_and_what_may_be_done(mode: str) -> None:
    for slots in ("table", "sorted"):
        env = MODULES[mode].env(players=3, slots=slots)
        for _ in moments(env, 7, 25):
            if read_result(env.unwrapped.game).end_reason:
                continue
            for seat in range(3):
                text = describe(env, seat)
                who = f"you (player {seat})" if seat == turn(env) else f"player {turn(env)}"
                assert line(text, "On turn: ").startswith(f"On turn: {who}")
                assert ("You may: " in text) == (seat == turn(env))
            assert offered(env) == np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()


def offered(env: Any) -> list[int]:
    """The actions that the description offers to the player on turn."""
    words = line(describe(env, turn(env)), "You may: ").removeprefix("You may: ").removesuffix(".")
    match = re.fullmatch(r"place SLOT at POSITION, with slot (.+) and position 0 to (\d+)", words)
    if match is None:
        return sorted(parse_action(env, each) for each in words.split(", "))
    places = range(int(match[2]) + 1)
    return sorted(parse_action(env, f"place {slot} at {place}") for slot in match[1].split(" or ") for place in places)


@both_modes
def test_last_events_come_newest_first(mode: str) -> None:
    env = MODULES[mode].env(knowledge="expert")
    env.reset(seed=7)
    assert line(describe(env, 0), "Last events") == "Last events, newest first: none."
    cards: list[str] = []
    for _ in range(3):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        cards.insert(0, flipped(env, int(env.unwrapped.game.recent[0, 2])))
    told = line(describe(env, 0), "Last events")
    places = [told.index(card) for card in cards]
    assert places == sorted(places) and told.count(";") == 2 and "you (player 0)" in told and "player 1 " in told


def test_an_ended_turn_is_an_event() -> None:
    env = coop_v0.env(knowledge="expert")
    env.reset(seed=7)
    env.step(parse_action(env, "play 0"))
    assert "has placed a card and may end the turn or play another" in line(describe(env, 1), "On turn: ")
    env.step(parse_action(env, "end turn"))
    assert "newest first: player 0 ended the turn; player 0 played " in describe(env, 1)


@both_modes
def test_a_finished_game_tells_why_and_offers_nothing(mode: str) -> None:
    env = MODULES[mode].env(hand_size=1)
    for _ in moments(env, 1, 10_000):
        pass
    result = read_result(env.unwrapped.game)
    text = describe(env, 0)
    assert result.end_reason is not None
    assert line(text, "The game is over: ").startswith(f"The game is over: {result.end_reason}")
    assert "On turn" not in text and "You may" not in text
    if mode == "competitive":
        winner = "you (player 0)" if result.winners == (0,) else f"player {result.winners[0]}"
        assert line(text, "The game is over: ") == f"The game is over: won, {winner}."


@both_modes
def test_the_top_of_the_pile_shows_only_where_it_is_visible(mode: str) -> None:
    shown, hidden = (mid_game(mode, knowledge="expert", show_pile_top=show) for show in (True, False))
    game = shown.unwrapped.game
    top = int(game.drawn if mode == "coop" else game.pile[game.pile_start])
    assert f"; on top {title(shown, top)} (time " in line(describe(shown, 0), "Draw pile: ")
    assert "on top" not in describe(hidden, 0) and title(hidden, top) not in describe(hidden, 0)


# --- descriptions: what is known of hidden cards, and nothing else ----------------------------------------------------


def hidden_cards(env: Any) -> dict[str, list[int]]:
    """Cards whose time is not public: those in hands, the top of the pile, and the pile below it."""
    game = env.unwrapped.game
    if "phase" in game.dtype.names:
        held = [int(card) for card in game.hands[(game.hands >= 0) & (game.stuck == 0)]]
        pile = list(range(int(game.drawn), int(game.deck_size)))
    else:
        held = [int(card) for card in game.hands[game.hands >= 0] if not game.seen[card]]
        pile = [int(card) for card in game.pile[game.pile_start : game.pile_end] if not game.seen[card]]
    return {"held": held, "top": pile[:1], "below": pile[1:]}


@all_kinds
@both_modes
def test_titles_of_hidden_cards_show_under_expert_and_faces_only(mode: str, kind: str) -> None:
    for steps in (0, 9):
        env = mid_game(mode, steps=steps, knowledge=kind)
        hidden = hidden_cards(env)
        for seat in (0, 1):
            text = describe(env, seat)
            for card in hidden["held"] + hidden["top"]:
                assert (title(env, card) in text) == (kind in ("expert", "faces"))
                assert (flipped(env, card) in text) == (kind == "expert")
            assert not any(title(env, card) in text for card in hidden["below"])


@pytest.mark.parametrize(
    ("mode", "settings"),
    [("coop", {"communication": "none"}), ("coop", {"communication": "open"}), ("competitive", {})],
)
def test_estimates_are_those_of_the_seat(mode: str, settings: dict[str, Any]) -> None:
    env = MODULES[mode].env(knowledge={"kind": "noisy", "sigma": [2, 8]}, **settings)
    estimates = np.array([np.arange(100) + 0.25, np.arange(100) + 10.25])
    env.reset(seed=0, options={"draw_order": range(36 if mode == "coop" else 100), "estimates": estimates})
    pooled = (estimates[0] / 4 + estimates[1] / 64) / (1 / 4 + 1 / 64)
    for seat, sigma in ((0, "2"), (1, "8")):
        own, sigma = (pooled, "1.94") if settings.get("communication") == "open" else (estimates[seat], sigma)
        lines = hand_lines(describe(env, seat), "Hand of player 1" if seat == 0 else "Hand of player 0")
        first = 4 if seat == 0 else 0
        expected = [f"  slot {i}: a card at about position {own[first + i]:.1f} (sigma {sigma})" for i in range(4)]
        assert [row.split(",")[0] for row in lines] == expected


def test_blind_seats_know_the_icon_in_coop_and_nothing_in_a_competition() -> None:
    coop, versus = coop_v0.env(knowledge="blind"), competitive_v0.env(knowledge="blind")
    coop.reset(seed=0)
    versus.reset(seed=0)
    icons = coop.unwrapped.batch.table.catalogue.icons
    game = coop.unwrapped.game
    expected = [f"  slot {i}: a card, {icons[game.front[game.hands[0, i]]]} in front" for i in range(4)]
    assert hand_lines(describe(coop, 0), "Your hand") == expected
    assert hand_lines(describe(versus, 0), "Your hand") == [f"  slot {i}: a card" for i in range(4)]


@pytest.mark.parametrize("steps", [0, 9])
@pytest.mark.parametrize("kind", ["noisy", "faces", "blind"])
@both_modes
def test_what_a_seat_cannot_know_does_not_show(mode: str, kind: str, steps: int) -> None:
    settings: dict[str, Any] = {"communication": "none"} if mode == "coop" else {}
    env = mid_game(mode, steps=steps, knowledge=kind, **settings)
    before = describe(env, 0)
    game, batch, hidden = env.unwrapped.game, env.unwrapped.batch, hidden_cards(env)
    unseen = hidden["held"] + hidden["top"] + hidden["below"]
    game.time[unseen] = game.time[unseen][::-1].copy()
    game.rng += 1
    if kind == "noisy":
        batch.estimates[0, 1] += 7
    if mode == "coop":
        game.back[unseen] = (game.back[unseen] + 1) % 4
        below = hidden["below"]
        for field in ("card", "front", "back", "time"):
            game[field][below] = game[field][below][::-1].copy()
        if kind != "faces":
            game.card[unseen] = game.card[unseen][::-1].copy()
    else:
        game.pile[game.pile_start + 1 : game.pile_end] = game.pile[game.pile_start + 1 : game.pile_end][::-1].copy()
    assert describe(env, 0) == before


@both_modes
def test_what_an_expert_knows_does_show(mode: str) -> None:
    env = mid_game(mode, steps=0, knowledge="expert")
    game, before = env.unwrapped.game, describe(env, 0)
    if mode == "coop":
        game.card[hidden_cards(env)["held"]] = game.card[hidden_cards(env)["held"]][::-1].copy()
    else:
        game.hands[0, :4] = game.hands[0, :4][::-1].copy()
    assert describe(env, 0) != before
