"""The table as text and picture: what is public shows, what is hidden never does, and nothing leaves the picture."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from timeline_twist import (
    Catalogue,
    Competitive,
    Coop,
    SettingsError,
    arrangement,
    drawing,
    engine,
    load_catalogue,
    public_view,
)
from timeline_twist.arrangement import HEIGHT, WIDTH, Box
from timeline_twist.render import Window, ansi, picture

Table = Coop | Competitive
WHOLE_PICTURE = Box(0, 0, WIDTH, HEIGHT)


def play(table: Table, seed: int, steps: int, peek: bool = False) -> Any:
    """A game some steps on: at random, or by looking at the hidden times, which makes rows long."""
    rng = np.random.default_rng(seed)
    game = table.deal(seed)[0]
    for _ in range(steps):
        actions = np.flatnonzero(table.mask(game)).tolist()
        if not actions:
            break
        action = informed(table, game, actions) if peek else rng.choice(actions)
        assert table.step(game, int(action))
    return game


def informed(table: Table, game: Any, actions: list[int]) -> int:
    """The action after which most cards lie on the timeline."""

    def laid(action: int) -> int:
        after = np.array([game], table.record)
        table.step(after[0], action)
        return int(after[0]["timeline_count"] if isinstance(table, Competitive) else engine.coop_score(after[0]))

    return max(actions, key=laid)


def same(table: Table, game: Any, other_table: Table, other: Any, **settings: Any) -> bool:
    """Whether the two look the same, as text and as a picture."""
    text = ansi(table, game, **settings) == ansi(other_table, other, **settings)
    return text and np.array_equal(picture(table, game, **settings), picture(other_table, other, **settings))


def copied(game: Any) -> Any:
    return np.array([game], game.dtype).view(game.dtype)[0]


def retimed(catalogue: Catalogue, hidden: set[int]) -> Catalogue:
    """The same catalogue with other times on these cards."""
    times = tuple(7_000_000 + i if i in hidden else moment for i, moment in enumerate(catalogue.times))
    return replace(catalogue, times=times)


def flipped_coop(game: Any) -> set[int]:
    """Places in the draw order of the cards whose reverse everybody has seen."""
    count = int(game.main_count)
    rows = [*game.main[:count], *game.gap[:count], *game.ties[: game.tie_count], *game.discards[: game.discard_count]]
    return {int(card) for card in [*rows, *game.hands[game.stuck == 1]] if card != engine.NO_CARD}


COOP_TABLES = [Coop(2), Coop(6, "history"), Coop(3, "history", hand_size=2)]
COMPETITIVE_TABLES = [Competitive(2), Competitive(6, "history")]


# --- hidden -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [0, 8, 200])
@pytest.mark.parametrize("table", COOP_TABLES, ids=repr)
def test_hidden_times_and_backs_do_not_show_in_coop(table: Coop, steps: int) -> None:
    game = play(table, 5, steps, peek=True)
    hidden = set(range(table.deck_size)) - flipped_coop(game)
    other = copied(game)
    for card in hidden:
        other.time[card] = 30_000 - other.time[card]
        other.back[card] = (other.back[card] + 1) % 4
    catalogue = retimed(table.catalogue, {int(game.card[card]) for card in hidden})
    twin = Coop(table.players, catalogue, hand_size=table.hand_size)
    assert hidden and same(table, game, twin, other)


@pytest.mark.parametrize("steps", [0, 8])
@pytest.mark.parametrize("table", COOP_TABLES, ids=repr)
def test_the_coop_pile_shows_its_top_card_only(table: Coop, steps: int) -> None:
    game = play(table, 5, steps)
    top, end = int(game.drawn), table.deck_size
    assert end - top >= 3
    below_top, with_top = copied(game), copied(game)
    for name in ("card", "front", "back", "time"):
        below_top[name][top + 1 : end] = game[name][top + 1 : end][::-1]
        with_top[name][top:end] = game[name][top:end][::-1]
    assert same(table, game, table, below_top)
    assert not same(table, game, table, with_top)
    assert same(table, game, table, with_top, show_pile_top=False)


def test_cards_that_are_not_in_a_coop_game_do_not_show() -> None:
    table = Coop(2, deck_size=20)
    game = play(table, 1, 6)
    other = copied(game)
    for name in ("card", "front", "back", "time"):
        other[name][20:] = 1
    assert same(table, game, table, other)


@pytest.mark.parametrize("steps", [0, 20, 60])
@pytest.mark.parametrize("table", COMPETITIVE_TABLES, ids=repr)
def test_hidden_times_do_not_show_in_a_competition(table: Competitive, steps: int) -> None:
    game = play(table, 3, steps)
    hidden = set(np.flatnonzero(game.seen[: table.cards_in_game] == 0).tolist())
    other = copied(game)
    for card in hidden:
        other.time[card] = 30_000 - other.time[card]
    twin = Competitive(table.players, retimed(table.catalogue, hidden))
    assert hidden and same(table, game, twin, other)


@pytest.mark.parametrize("steps", [0, 20])
@pytest.mark.parametrize("table", COMPETITIVE_TABLES, ids=repr)
def test_the_competitive_pile_shows_its_top_card_only(table: Competitive, steps: int) -> None:
    game = play(table, 3, steps)
    start, end = int(game.pile_start), int(game.pile_end)
    below_top, with_top = copied(game), copied(game)
    below_top.pile[start + 1 : end] = game.pile[start + 1 : end][::-1]
    with_top.pile[start:end] = game.pile[start:end][::-1]
    assert same(table, game, table, below_top)
    assert not same(table, game, table, with_top)
    assert same(table, game, table, with_top, show_pile_top=False)


@pytest.mark.parametrize("table", [Coop(2), Competitive(2)], ids=repr)
def test_seeds_and_random_states_do_not_show(table: Table) -> None:
    game = play(table, 2, 5)
    other = copied(game)
    other.seed, other.rng = 1, 2
    assert same(table, game, table, other)


# --- public -----------------------------------------------------------------------------------------------------------


def test_the_text_of_a_new_coop_game() -> None:
    table = Coop(2, icons="printed", hand_size=1, deck_size=6)
    game = table.deal_order([0, 1, 2, 3, 4, 5])[0]
    assert ansi(table, game).splitlines() == [
        "Timeline Twist · co-op · scenes · score -3 · Team Wannabes",
        "Player 0 plays or discards",
        "",
        "Timeline: main row 1 · gap row 0",
        "    3     The villagers study the old map",
        "",
        "Draw pile: 2 cards, next The village meets under the oak [lantern]",
        "Discard pile: 1 card, to match [anchor]",
        "    Grandmother tells of distant islands [feather], time 4, back [anchor]",
        "",
        "> Player 0: on turn",
        "    0  A storm uncovers a buried chest [comet]",
        "",
        "  Player 1",
        "    0  A girl opens the sandy chest [lantern]",
    ]


@pytest.mark.parametrize("seed", range(5))
def test_titles_and_times_of_flipped_cards_show_in_coop(seed: int) -> None:
    table = Coop(4, "history")
    game = play(table, seed, 200, peek=True)
    lines = ansi(table, game).splitlines()
    for card in flipped_coop(game):
        number = game.card[card]
        title, moment = table.catalogue.titles[number], str(table.catalogue.times[number])
        assert any(title in line and moment in line for line in lines)
    held = game.hands[game.hands != engine.NO_CARD]
    icons = table.catalogue.icons
    assert all(
        f"{table.catalogue.titles[game.card[card]]} [{icons[game.front[card]]}]" in ansi(table, game) for card in held
    )


@pytest.mark.parametrize("table", [Coop(2), Competitive(2)], ids=repr)
def test_every_public_change_changes_the_picture(table: Table) -> None:
    game = table.deal(4)[0]
    pictures = [picture(table, game)]
    while table.mask(game).any() and len(pictures) < 12:
        table.step(game, int(np.flatnonzero(table.mask(game))[0]))
        pictures.append(picture(table, game))
    assert len(pictures) > 5
    assert all(not np.array_equal(one, other) for one, other in combinations(pictures, 2))


def with_a_stuck_card(table: Coop) -> Any:
    return next(game for seed in range(50) if (game := play(table, seed, 6)).stuck.any() and not game.end)


def test_a_stuck_card_shows_its_time_and_back_icon() -> None:
    table = Coop(2)
    game = with_a_stuck_card(table)
    seat, slot = np.argwhere(game.stuck)[0]
    number = game.card[game.hands[seat, slot]]
    (line,) = [line for line in ansi(table, game).splitlines() if table.catalogue.titles[number] in line]
    assert f"STUCK, time {table.catalogue.times[number]}, back [" in line
    unstuck = copied(game)
    unstuck.stuck[seat, slot] = 0
    assert line not in ansi(table, unstuck) and line.split(",")[0] in ansi(table, unstuck)


@pytest.mark.parametrize("players", [2, 6])
def test_a_stuck_card_lies_turned(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Coop(players)
    game = with_a_stuck_card(table)
    places: list[Box] = []
    tilted = drawing.Painter.tilted

    def watched(painter: Any, card: public_view.Card, box: Box) -> None:
        places.append(box)
        tilted(painter, card, box)

    monkeypatch.setattr(drawing.Painter, "tilted", watched)
    frame = picture(table, game)
    assert len(places) == game.stuck.sum()
    for box in places:
        paper = (frame[box.y : box.bottom, box.x : box.right] == drawing.STUCK_PAPER).all(axis=2)
        upper_edge = paper.argmax(axis=0)
        assert upper_edge[box.width // 4] > upper_edge[box.width * 3 // 4] > 0


def test_cards_of_equal_time_lie_on_each_other() -> None:
    titles = tuple("abcdef")
    catalogue = Catalogue("ties", "ties.csv", titles, (10, 20, 10, 20, 30, 30), ("x",) * 6, ("y",) * 6, 7)
    table = Coop(1, catalogue, hand_size=4, deck_size=6)
    game = table.deal_order([2, 1, 3, 5, 0, 4])[0]
    for action in (engine.PLAY, engine.PLAY + 1, engine.PLAY + 2):
        assert table.step(game, action)
    row = public_view.view(table, game).row
    assert [[card.title for card in place.cards] for place in row] == [["a", "c"], ["b", "d"]]
    assert "    10      = c" in ansi(table, game)


def test_a_card_in_the_gap_row_stands_in_its_own_column() -> None:
    table = Coop(1, icons="printed", hand_size=3, deck_size=5)
    game = table.deal_order([9, 5, 20, 1, 30])[0]
    for action in (engine.PLAY, engine.PLAY + 1):
        assert table.step(game, action)
    titles = table.catalogue.titles
    assert f"     2      {titles[1]}\n         6  {titles[5]}\n    10      {titles[9]}" in ansi(table, game)


@pytest.mark.parametrize(
    ("phase", "words"), [(engine.START, "plays or discards"), (engine.MUST_PLAY, "must"), (engine.PLACED_ONE, "placed")]
)
def test_the_phase_of_a_coop_turn_shows(phase: int, words: str) -> None:
    table = Coop(2)
    game = table.deal(1)[0]
    game.phase = phase
    assert words in ansi(table, game).splitlines()[1]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (engine.ALL_CARDS_USED, "Game over: all cards used"),
        (engine.NO_LEGAL_ACTION, "Game over: no legal action for Player 1"),
        (engine.FAILED_PLAY, "Game over: failed play, Player 1"),
    ],
)
def test_the_end_of_a_coop_game_shows_with_score_and_rank(end: int, words: str) -> None:
    table = Coop(2)
    game = table.deal(1)[0]
    game.end, game.turn, game.main_cards, game.gap_cards = end, 1, 15, 8
    first, second, *rest = ansi(table, game).splitlines()
    assert first.endswith("score 25 · Sophisticated Crew") and second.startswith(words)
    assert not any(line.startswith(">") for line in rest)


@pytest.mark.parametrize(
    ("end", "words", "lit"),
    [
        (engine.WON, "Game over: won by Player 2", [2]),
        (engine.DRAW, "Game over: draw between Players 0, 2", [0, 2]),
        (engine.MAX_ROUNDS, "Game over: max rounds, broken off after 7", []),
    ],
)
def test_the_end_of_a_competition_shows_with_its_winners(end: int, words: str, lit: list[int]) -> None:
    table = Competitive(3)
    game = table.deal(1)[0]
    game.end, game.winner, game.rounds, game.active[1] = end, 2 if end == engine.WON else engine.NOBODY, 7, 0
    seen = public_view.view(table, game)
    assert seen.status.startswith(words)
    assert [seat for seat in range(3) if seen.seats[seat].lit] == lit


def test_a_competition_shows_round_tie_break_and_who_is_in() -> None:
    table = Competitive(3)
    game = table.deal(1)[0]
    assert ansi(table, game).startswith("Timeline Twist · competition · scenes · round 1 · 3 of 3 players in\nPlayer 0")
    assert "> Player 0: on turn, 4 cards left" in ansi(table, game) and "  Player 1: 4 cards left" in ansi(table, game)
    game.tie_break, game.active[1], game.rounds = 1, 0, 8
    assert "round 9 · tie-break · 2 of 3 players in" in ansi(table, game)
    assert "  Player 1: out" in ansi(table, game) and "  Player 2: still in" in ansi(table, game)


def test_a_card_once_seen_keeps_its_time_in_a_hand_and_on_the_pile() -> None:
    table = Competitive(2)
    game = table.deal(1)[0]
    held, top = int(game.hands[1, 2]), int(game.pile[game.pile_start])
    titles, times = table.catalogue.titles, table.catalogue.times
    assert f"{titles[held]}, time" not in ansi(table, game)
    game.seen[[held, top]] = 1
    assert f"2  {titles[held]}, time {times[held]}" in ansi(table, game)
    assert f"next {titles[top]}, time {times[top]}" in ansi(table, game)


def test_control_characters_in_a_title_stay_out_of_the_text() -> None:
    titles = ("\x1b[31mred", "two\nlines", "\u200b", "nul\0", "e", "f")
    catalogue = Catalogue("odd", "odd.csv", titles, (1, 2, 3, 4, 5, 6), ("x",) * 6, ("y",) * 6, 7)
    table = Coop(1, catalogue, deck_size=6)
    game = table.deal(0)[0]
    assert "\x1b" not in ansi(table, game) and "two lines" in ansi(table, game)
    assert picture(table, game).shape == (HEIGHT, WIDTH, 3)


def test_a_game_of_another_table_is_refused() -> None:
    with pytest.raises(SettingsError, match="game: not dealt at this table, <Coop"):
        ansi(Coop(2), Competitive(2).deal(1)[0])
    with pytest.raises(SettingsError, match="game: 2 games at once"):
        picture(Coop(2), Coop(2).deal([1, 2]))


# --- the picture ------------------------------------------------------------------------------------------------------


def long_words(count: int) -> Catalogue:
    """Very long titles, times and icon names."""
    titles = tuple(
        f"Donaudampfschifffahrtselektrizitätenhauptbetriebswerk {i} and so on {'W' * 60}" for i in range(count)
    )
    times = tuple((-1) ** i * 10 ** (i % 29) - i for i in range(count))
    fronts = tuple(f"icon with a very long name {i % 7}" for i in range(count))
    backs = tuple(f"icon with a very long name {(i + 1) % 7}" for i in range(count))
    return Catalogue("a" * 200, "long.csv", titles, times, fronts, backs, count + 1)


def hard_games() -> Iterator[tuple[Table, Any]]:
    """Tables with much to show."""
    for players in (1, 2, 3, 6):
        for catalogue in (load_catalogue("history"), long_words(90)):
            coop = Coop(players, catalogue)
            yield coop, coop.deal(1)[0]
            yield coop, play(coop, 1, 300, peek=True)
            longest = coop.deal(2)[0]
            longest.main[: coop.deck_size] = range(coop.deck_size)
            longest.gap[: coop.deck_size - 1] = range(coop.deck_size - 1)
            longest.discards[: coop.deck_size] = range(coop.deck_size)
            longest.main_count = longest.discard_count = coop.deck_size
            longest.stuck[:] = 1
            yield coop, longest
    for catalogue in (load_catalogue("history"), long_words(1000)):
        competition = Competitive(6, catalogue)
        game = competition.deal(1)[0]
        yield competition, game
        full = copied(game)
        count = len(catalogue)
        full.seen[:] = 1
        full.timeline[:count] = full.discards[:count] = np.argsort(full.time[:count], kind="stable")
        full.timeline_count = full.discard_count = count
        full.end = engine.DRAW
        yield competition, full


def contains(outer: Box, inner: Box) -> bool:
    return outer.x <= inner.x and outer.y <= inner.y and inner.right <= outer.right and inner.bottom <= outer.bottom


def apart(one: Box, other: Box) -> bool:
    return one.right <= other.x or other.right <= one.x or one.bottom <= other.y or other.bottom <= one.y


def test_nothing_leaves_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Box] = []
    put = drawing.Painter.put

    def watched(painter: Any, surface: Any, x: int, y: int) -> None:
        drawn.append(Box(x, y, *surface.get_size()))
        put(painter, surface, x, y)

    monkeypatch.setattr(drawing.Painter, "put", watched)
    for table, game in hard_games():
        picture(table, game)
    assert len(drawn) > 1000
    assert [box for box in drawn if not contains(WHOLE_PICTURE, box)] == []


def test_words_stay_on_their_card(monkeypatch: pytest.MonkeyPatch) -> None:
    spilt: list[tuple[str, Box]] = []
    fitted = drawing.Painter.fitted

    def watched(painter: Any, words: str, sizes: Any, box: Box) -> Any:
        font, lines = fitted(painter, words, sizes, box)
        if len(lines) * font.step > box.height or any(font.width(line) > box.width for line in lines):
            spilt.append((words, box))
        return font, lines

    monkeypatch.setattr(drawing.Painter, "fitted", watched)
    for table, game in hard_games():
        picture(table, game)
    assert spilt == []


@pytest.mark.parametrize("gap_row", [True, False])
@pytest.mark.parametrize("players", range(1, 7))
def test_the_parts_of_the_table_do_not_overlap(players: int, gap_row: bool) -> None:
    parts = arrangement.layout(players, gap_row)
    boxes = [parts.sidebar, parts.timeline, *parts.seats]
    assert len(parts.seats) == players
    assert all(contains(WHOLE_PICTURE, box) for box in boxes)
    assert all(apart(one, other) for one, other in combinations(boxes, 2))


@pytest.mark.parametrize("players", [2, 6])
@pytest.mark.parametrize(("gap_row", "counts"), [(True, range(1, 37)), (False, [*range(1, 60), 100, 128, 150])])
def test_cards_of_the_timeline_do_not_overlap(players: int, gap_row: bool, counts: Any) -> None:
    area = arrangement.layout(players, gap_row).timeline.inset(12, 20)
    for count in counts:
        row = arrangement.row_layout(count, area, gap_row)
        boxes = [*row.main, *row.gap[:-1]] if gap_row else row.main
        assert len(row.main) == count
        assert all(contains(area, box) for box in boxes)
        assert all(apart(one, other) for one, other in combinations(boxes, 2))
        assert all(left.x < right.x or left.y < right.y for left, right in zip(row.main, row.main[1:], strict=False))


def test_a_gap_slot_lies_above_and_between_its_neighbours() -> None:
    row = arrangement.row_layout(5, Box(0, 0, 900, 300), gap_row=True)
    for i in range(4):
        assert row.gap[i].bottom < row.main[i].y
        assert row.main[i].x < row.gap[i].x < row.main[i + 1].x < row.gap[i].right


def test_a_very_long_timeline_keeps_its_ends() -> None:
    places = [public_view.Place((public_view.Card(str(i)),)) for i in range(1000)]
    area = arrangement.layout(6, gap_row=False).timeline
    shown = arrangement.elided(places, area, gap_row=False)
    (more,) = [place for place in shown if isinstance(place, int)]
    assert shown[0] == places[0] and shown[-1] == places[-1] and more + len(shown) - 1 == 1000
    smallest = arrangement.row_layout(len(shown), area, gap_row=False).main[0]
    assert smallest.width > 40 and smallest.height > 20


def test_36_cards_of_a_coop_row_are_all_shown() -> None:
    places = [public_view.Place((public_view.Card(str(i)),), ()) for i in range(36)]
    assert (
        arrangement.elided(places, arrangement.layout(6, gap_row=True).timeline.inset(12, 20), gap_row=True) == places
    )


@pytest.mark.parametrize("table", [Coop(2), Coop(6), Competitive(2), Competitive(6)], ids=repr)
def test_the_size_of_the_picture_is_constant(table: Table) -> None:
    for steps in (0, 5, 400):
        frame = picture(table, play(table, 1, steps))
        assert frame.shape == (HEIGHT, WIDTH, 3) and frame.dtype == np.uint8
        assert frame.flags.writeable and frame.flags.c_contiguous


@pytest.mark.parametrize(
    ("moment", "words", "short"),
    [
        (42, "42", "42"),
        (-3100, "-3100", "-3100"),
        (-74_000, "-74,000", "-74 k"),
        (-13_800_000_000, "-13,800,000,000", "-13.8 bn"),
        (999_999_999, "999,999,999", "1000 M"),
        (10**28, f"{10**28:,}", "1e+28"),
    ],
)
def test_times_in_words(moment: int, words: str, short: str) -> None:
    assert drawing.time_words(moment) == words
    assert drawing.short_time_words(moment) == short


def test_icons_have_different_colours() -> None:
    assert len({drawing.icon_colour(icon) for icon in range(24)}) == 24


@pytest.mark.parametrize("table", [Coop(6, "history"), Competitive(6, "history")], ids=repr)
@pytest.mark.parametrize(("draw", "limit"), [(ansi, 0.005), (picture, 0.2)])
def test_text_and_pictures_are_fast(table: Table, draw: Callable[[Table, Any], object], limit: float) -> None:
    game = play(table, 1, 40)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        draw(table, game)
        seconds.append(time.perf_counter() - start)
    # About ten times what they take, for a busy machine.
    assert min(seconds) < limit


# --- the window -------------------------------------------------------------------------------------------------------


@pytest.fixture
def pg(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    pygame = pytest.importorskip("pygame")
    yield pygame
    pygame.display.quit()


def test_a_window_shows_the_picture_and_closes_twice(pg: Any) -> None:
    table = Coop(2)
    game = table.deal(1)[0]
    window = Window()
    window.close()
    window.show(table, game, fps=0)
    shown = pg.surfarray.array3d(pg.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, picture(table, game))
    window.close()
    window.close()
    assert not pg.display.get_init() and pg.font.get_init()


def test_a_window_opens_again_after_close(pg: Any) -> None:
    table = Competitive(2)
    window = Window()
    for _ in range(2):
        window.show(table, table.deal(1)[0], fps=0, show_pile_top=False)
        assert pg.display.get_surface().get_size() == (WIDTH, HEIGHT)
        window.close()


def test_a_window_closed_by_its_user_stays_closed(pg: Any) -> None:
    table = Coop(2)
    game = table.deal(1)[0]
    window = Window()
    window.show(table, game, fps=0)
    pg.event.post(pg.event.Event(pg.QUIT))
    window.show(table, game, fps=0.01)
    assert not pg.display.get_init()
    window.show(table, game, fps=0)
    assert not pg.display.get_init()
    window.close()


def test_window_and_pictures_outlive_somebody_elses_pygame_quit(pg: Any) -> None:
    table = Coop(2)
    game = table.deal(1)[0]
    window = Window()
    window.show(table, game, fps=0)
    before = picture(table, game)
    pg.quit()
    assert np.array_equal(picture(table, game), before)
    window.show(table, game, fps=0)
    assert pg.display.get_init()
    window.close()


def test_a_picture_stands_for_its_time(pg: Any) -> None:
    table = Coop(2)
    window = Window()
    start = time.monotonic()
    for _ in range(3):
        window.show(table, table.deal(1)[0], fps=20)
    assert pg.display.get_init() and time.monotonic() - start > 0.99 * 3 / 20
    window.close()


def test_without_a_screen_a_window_says_so(pg: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pg.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "there is no such driver")
    with pytest.raises(SettingsError, match=r"^render_mode: 'human' cannot open a window \(.*\); use 'rgb_array'"):
        Window().show(Coop(2), Coop(2).deal(1)[0], fps=0)


# --- without pygame ---------------------------------------------------------------------------------------------------


def test_without_pygame_there_is_text_and_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    table = Coop(2)
    game = table.deal(1)[0]
    assert ansi(table, game)
    advice = r"needs pygame-ce; pip install 'timeline-twist\[render\]'$"
    with pytest.raises(SettingsError, match=rf"^render_mode: 'rgb_array' {advice}"):
        picture(table, game)
    with pytest.raises(SettingsError, match=rf"^render_mode: 'human' {advice}"):
        Window().show(table, game, fps=1)


def test_importing_the_module_does_not_import_pygame_and_drawing_prints_nothing() -> None:
    code = (
        "import sys; from timeline_twist import Coop, render; assert 'pygame' not in sys.modules; "
        "table = Coop(2); render.picture(table, table.deal(1)[0]); assert 'pygame' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
