"""What a seat knows and what it must not: leaks of hidden information, the noise of estimates, pooling, settings."""

import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from handmade import catalogue_of
from test_observation import MAKERS, TIED, make, noisy, sections_of, states
from timeline_twist import CatalogueError, Coop, SettingsError, engine, knowledge, load_catalogue, text
from timeline_twist.batch import labels

Ints = npt.NDArray[np.int64]

KINDS: dict[str, Any] = {"noisy": noisy(4), "expert": "expert", "faces": "faces", "blind": "blind"}


# --- leaks: whatever a seat cannot know is changed, and it must see the very same ------------------------------------


def sight(batch: Any, seat: int) -> tuple[bytes, bytes, str]:
    """All that a seat is given: observation, mask, description."""
    seen = batch.observe(0, seat)
    return seen["observation"].tobytes(), seen["action_mask"].tobytes(), text.describe(batch, seat)


def other_rows(batch: Any, seat: int, rng: np.random.Generator) -> None:
    """Others' private estimates."""
    for row in range(len(batch.estimates[0])):
        if len(batch.estimates[0]) > 1 and row != seat:
            batch.estimates[0][row] = rng.uniform(-5, 105, batch.estimates.shape[2])


def coop_public(game: Any) -> set[int]:
    flipped = [*game.main[: game.main_count], *game.gap[: game.main_count], *game.ties[: game.tie_count]]
    stuck = game.hands[game.stuck == 1].tolist()
    return {int(card) for card in [*flipped, *game.discards[: game.discard_count], *stuck]} - {engine.NO_CARD}


def coop_groups(batch: Any) -> tuple[list[int], list[int]]:
    """The hidden cards: those whose faces are seen, and those of the pile below."""
    game = batch.games[0]
    public = coop_public(game)
    below = int(game["drawn"]) + (1 if batch.show_pile_top else 0)
    deck = int(game["deck_size"])
    seen = [card for card in range(min(below, deck)) if card not in public]
    return seen, list(range(below, deck))


def change_coop(batch: Any, seat: int, rng: np.random.Generator) -> None:
    """Another game that looks the same to a seat."""
    game = batch.games[0]
    seen, unseen = coop_groups(batch)
    catalogue = batch.table.catalogue
    public_numbers = {int(game["card"][card]) for card in coop_public(game)}
    free = rng.permutation([number for number in range(len(catalogue)) if number not in public_numbers])
    if batch.knowledge.name == "expert":
        free = np.setdiff1d(free, game["card"][seen])
        free = rng.permutation(free)
    else:
        # Under `faces` a card that is seen stays the card it is, but might have another time.
        swap_seen(game, seen, free, catalogue, keep_identity=batch.knowledge.name == "faces")
        free = (
            free[len(seen) :]
            if batch.knowledge.name != "faces"
            else rng.permutation(np.setdiff1d(free, game["card"][seen]))
        )
    for card, number in zip(unseen, free, strict=False):
        game["card"][card], game["time"][card] = number, catalogue.cards["time"][number]
    game["front"][unseen] = rng.integers(0, len(catalogue.icons), len(unseen))
    game["back"][seen + unseen] = rng.integers(0, len(catalogue.icons), len(seen + unseen))
    batch.estimates[0][:, unseen] = rng.uniform(-5, 105, (len(batch.estimates[0]), len(unseen)))
    game["seed"], game["rng"] = rng.integers(0, 2**63, 2)
    other_rows(batch, seat, rng)


def swap_seen(game: Any, seen: list[int], free: Ints, catalogue: Any, *, keep_identity: bool) -> None:
    """Other hidden times for the cards whose faces are seen; the estimates of them stay."""
    for card, number in zip(seen, free, strict=False):
        game["time"][card] = catalogue.cards["time"][number]
        if not keep_identity:
            game["card"][card] = number


def change_competitive(batch: Any, seat: int, rng: np.random.Generator) -> None:
    """Another game that looks the same to a seat."""
    game, kind = batch.games[0], batch.knowledge.name
    if kind in ("noisy", "blind"):
        rename_hidden(batch, rng)
    elif kind == "faces":
        hidden = np.flatnonzero(game["seen"][: batch.table.cards_in_game] == 0)
        game["time"][hidden] = game["time"][rng.permutation(hidden)]
    start = int(game["pile_start"]) + (1 if batch.show_pile_top else 0)
    below = game["pile"][start : int(game["pile_end"])]
    below[:] = rng.permutation(below)
    batch.estimates[0][:, below] = rng.uniform(-5, 105, (len(batch.estimates[0]), len(below)))
    if kind == "expert":
        batch.estimates[0][0] = game["time"][: batch.table.cards_in_game]
    game["seed"], game["rng"] = rng.integers(0, 2**63, 2)
    other_rows(batch, seat, rng)


def rename_hidden(batch: Any, rng: np.random.Generator) -> None:
    """Every card that was never flipped becomes another such card; what is believed of it stays with the place."""
    game = batch.games[0]
    hidden = np.flatnonzero(game["seen"][: batch.table.cards_in_game] == 0)
    new = np.arange(batch.table.cards_in_game)
    new[hidden] = rng.permutation(hidden)
    hands, pile = game["hands"], game["pile"][: int(game["pile_end"])]
    hands[hands >= 0] = new[hands[hands >= 0]]
    pile[:] = new[pile]
    believed = batch.estimates[0].copy()
    batch.estimates[0][:, new] = believed


CHANGES: dict[str, Callable[[Any, int, np.random.Generator], None]] = {
    "coop": change_coop,
    "competitive": change_competitive,
}


def assert_no_leak(mode: str, batch: Any, rng: np.random.Generator) -> int:
    """For every seat; gives how many times there was something to hide."""
    kept = batch.games[0].copy(), batch.estimates[0].copy()
    hidden = 0
    for seat in range(batch.table.players):
        before, state = sight(batch, seat), batch.state(0)
        CHANGES[mode](batch, seat, rng)
        hidden += not np.array_equal(state, batch.state(0))
        assert sight(batch, seat) == before
        batch.games[0], batch.estimates[0] = kept
    return hidden


LEAK_CASES = [
    *(
        ("coop", kind, talk, slots)
        for kind in KINDS
        for talk in knowledge.COMMUNICATION
        for slots in ("table", "sorted")
    ),
    *(("competitive", kind, None, slots) for kind in KINDS for slots in ("table", "sorted")),
]


def leak_settings(kind: str, talk: str | None, slots: str) -> dict[str, Any]:
    settings = {"knowledge": KINDS[kind], "slots": slots, "players": 3}
    return settings if talk is None else {**settings, "communication": talk}


@pytest.mark.parametrize(("mode", "kind", "talk", "slots"), LEAK_CASES)
@pytest.mark.parametrize("shown", [True, False])
def test_nothing_that_a_seat_cannot_know_shows(mode: str, kind: str, talk: str | None, slots: str, shown: bool) -> None:
    rng, hidden, looked = np.random.default_rng(1), 0, 0
    for catalogue, seed, skill in (("scenes", 0, 0.0), ("history", 4, 0.7), (TIED, 1, 1.0), (TIED, 2, 0.7)):
        batch = make(mode, catalogue=catalogue, show_pile_top=shown, **leak_settings(kind, talk, slots))
        for i, _ in enumerate(states(batch, seed, skill)):
            if i % 3 == 0:
                hidden += assert_no_leak(mode, batch, rng)
                looked += batch.table.players
    assert hidden > looked / 2, "the changes must be real ones"


@pytest.mark.parametrize("seed", range(3))
def test_a_reshuffled_pile_hides_its_order(seed: int) -> None:
    batch = make("competitive", catalogue=catalogue_of(range(10)), knowledge="expert")
    rng, reshuffled = np.random.default_rng(seed), 0
    for game in states(batch, seed, 0.2):
        if game["seen"][game["pile"][game["pile_start"] : game["pile_end"]]].any():
            reshuffled += 1
            assert_no_leak("competitive", batch, rng)
        if game["rounds"] > 40:
            break
    assert reshuffled > 0


# --- and what a seat may know, it sees --------------------------------------------------------------------------------


def changed_sections(batch: Any, seat: int, change: Callable[[], None]) -> set[str]:
    """The sections that differ after a change; `text` if the description does."""
    before, words = sections_of(batch, batch.observe(0, seat)["observation"]), text.describe(batch, seat)
    change()
    after = sections_of(batch, batch.observe(0, seat)["observation"])
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    return changed | ({"text"} if text.describe(batch, seat) != words else set())


def dealt(mode: str, **settings: Any) -> Any:
    batch = make(mode, **settings)
    batch.deal([0], [3])
    return batch


def put(array: Any, place: Any, value: Any) -> Callable[[], None]:
    def change() -> None:
        array[place] = value

    return change


@pytest.mark.parametrize("mode", MAKERS)
def test_a_seats_own_estimate_shows(mode: str) -> None:
    batch = dealt(mode, **({"communication": "none"} if mode == "coop" else {}))
    card = batch.games[0]["hands"][1, 0]
    own = put(batch.estimates[0], (0, card), batch.estimates[0][0, card] + 7)
    assert changed_sections(batch, 0, own) >= {"cards", "text"}
    others = put(batch.estimates[0], (1, card), batch.estimates[0][1, card] + 7)
    assert not changed_sections(batch, 0, others)


def test_an_estimate_in_the_pool_shows_to_everybody() -> None:
    batch = dealt("coop", players=3)
    assert batch.estimates.shape[1] == 1
    for seat in range(3):
        assert changed_sections(batch, seat, put(batch.estimates[0], (0, 0), 50 + seat)) >= {"cards", "text"}


def test_public_times_show() -> None:
    batch = dealt("coop", knowledge="blind")
    game = batch.games[0]
    assert changed_sections(batch, 1, put(game["time"], game["main"][0], 77)) >= {"main", "fates", "outlook"}
    assert changed_sections(batch, 1, put(game["time"], game["discards"][0], 78)) >= {"discards"}
    versus = dealt("competitive", knowledge="blind")
    game = versus.games[0]
    assert changed_sections(versus, 1, put(game["time"], game["timeline"][0], 77)) >= {"timeline", "chances"}


def test_times_that_are_known_exactly_show_under_expert() -> None:
    for mode in MAKERS:
        batch = dealt(mode, knowledge="expert")
        card = batch.games[0]["hands"][1, 2]
        assert changed_sections(batch, 0, put(batch.estimates[0], (0, card), 3)) >= {"cards"}


@pytest.mark.parametrize("kind", KINDS)
def test_front_icons_show_and_so_does_the_back_on_the_discards(kind: str) -> None:
    batch = dealt("coop", knowledge=KINDS[kind])
    game = batch.games[0]
    card, top = game["hands"][1, 0], game["discards"][0]
    assert changed_sections(batch, 0, put(game["front"], card, (game["front"][card] + 1) % 4)) >= {"cards", "text"}
    assert changed_sections(batch, 0, put(game["back"], top, (game["back"][top] + 1) % 4)) >= {"open_icon", "text"}


def test_which_card_it_is_shows_under_faces_and_only_there() -> None:
    for kind in KINDS:
        batch = dealt("coop", knowledge=KINDS[kind])
        numbers = batch.games[0]["card"]
        swap = put(numbers, [0, 35], numbers[[35, 0]].copy())
        expected = {"faces": {"faces", "text"}, "expert": {"text"}}.get(kind, set())
        assert changed_sections(batch, 1, swap) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MAKERS)
def test_the_top_of_the_pile_shows_only_if_it_is_shown(mode: str, kind: str) -> None:
    for shown in (True, False):
        batch = dealt(mode, knowledge=KINDS[kind], show_pile_top=shown)
        changed = changed_sections(batch, 0, lambda batch=batch: swap_top(batch))  # type: ignore[misc]
        # A blind seat of the competitive game cannot tell one card from another.
        tells_nothing = kind == "blind" and mode == "competitive"
        assert bool(changed) == (shown and not tells_nothing), changed
        if not shown:
            assert not sections_of(batch, batch.observe(0, 0)["observation"])["cards"][-1].any()


def swap_top(batch: Any) -> None:
    """Another card of the pile comes to its top, with its front icon and what is believed of it."""
    game = batch.games[0]
    if "pile" in game.dtype.names:
        start = int(game["pile_start"])
        game["pile"][[start, start + 1]] = game["pile"][[start + 1, start]]
        return
    top = int(game["drawn"])
    other = next(card for card in range(top + 1, 36) if game["front"][card] != game["front"][top])
    for field in ("card", "time", "front", "back"):
        game[field][[top, other]] = game[field][[other, top]]
    batch.estimates[0][:, [top, other]] = batch.estimates[0][:, [other, top]]


def test_a_stuck_cards_time_stays_public_after_it_lies_face_up_again() -> None:
    batch = make("coop", knowledge="blind", catalogue=TIED)
    for game in states(batch, 1, 0.0):
        if game["stuck"][:2].any():
            owner, slot = np.argwhere(game["stuck"])[0]
            row = sections_of(batch, batch.observe(0, 1 - int(owner))["observation"])["cards"][4 + slot]
            time = game["time"][game["hands"][owner, slot]]
            assert row[1:4] == pytest.approx([1, 1, (time + 0.5) / 13])
            return
    raise AssertionError("no card got stuck")


def test_a_reshuffled_card_is_still_known() -> None:
    batch = make("competitive", knowledge="blind", catalogue=catalogue_of(range(10)))
    for game in states(batch, 1, 0.2):
        hand = game["hands"][0].tolist()
        known = [slot for slot, card in enumerate(hand) if card >= 0 and game["seen"][card]]
        if known:
            row = sections_of(batch, batch.observe(0, 1)["observation"])["cards"][4 + known[0]]
            assert row == pytest.approx([1, 1, (game["time"][hand[known[0]]] + 0.5) / 10, 0])
            return
    raise AssertionError("no flipped card came back")


# --- the noise --------------------------------------------------------------------------------------------------------


def test_the_quantile_is_the_standard_gaussian_one() -> None:
    exact = statistics.NormalDist()
    middle = [i / 1000 for i in range(1, 1000)]
    tails = [2.0**-power for power in range(2, 55)]
    for p in [*middle, *tails, *(1 - p for p in tails if p > 2.0**-50)]:
        assert knowledge.quantile(p) == pytest.approx(exact.inv_cdf(p), abs=1e-6)


def test_the_logarithm_is_the_natural_one() -> None:
    for x in [2.0**-power * 1.37 for power in range(60)]:
        assert knowledge.logarithm(x) == pytest.approx(math.log(x), rel=1e-14)


def splitmix(state: int, number: int) -> int:
    """Output `number` (from 1) of the generator that starts at a state, in Python's whole numbers."""
    z = (state + number * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


@pytest.mark.parametrize("seed", [0, 7, 2**63 + 5, 2**64 - 1])
def test_the_noise_is_made_as_documented(seed: int) -> None:
    start = seed ^ int.from_bytes(b"TT-noise", "big")
    for seat, card in ((0, 0), (0, 99), (1, 0), (5, 999)):
        p = ((splitmix(start, 1 + 1000 * seat + card) >> 11) + 0.5) / 2**53
        expected = statistics.NormalDist().inv_cdf(p)
        assert knowledge.gaussian(np.uint64(seed), seat, card) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("seed", "seat", "card", "value"),
    [
        (0, 0, 0, -1.219720136685086),
        (7, 0, 42, 1.7122570193119075),
        (7, 1, 42, 0.0419293877603252),
        (123456789, 3, 17, -0.847112308106199),
        (2**64 - 1, 5, 999, 0.11238402320320602),
    ],
)
def test_the_noise_is_the_same_to_the_last_bit_everywhere(seed: int, seat: int, card: int, value: float) -> None:
    assert float(knowledge.gaussian(np.uint64(seed), seat, card)) == value


def test_the_noise_has_the_moments_of_a_gaussian() -> None:
    draws = np.array(
        [
            knowledge.gaussian(np.uint64(seed), seat, card)
            for seed in range(100)
            for seat in range(2)
            for card in range(100)
        ]
    )
    moments = [np.mean(draws**power) for power in (1, 2, 3, 4)]
    # Five standard errors of 20,000 draws.
    assert moments == pytest.approx([0, 1, 0, 3], abs=0.35)
    assert abs(moments[0]) < 0.036 and abs(moments[1] - 1) < 0.05 and abs(moments[2]) < 0.14


def test_seats_err_independently_of_each_other() -> None:
    batch = make("coop", players=3, communication="none")
    errors = []
    for seed in range(60):
        batch.deal([0], [seed])
        errors.append(batch.estimates[0] - batch.games[0]["time"])
    correlation = np.corrcoef(np.hstack(errors))
    assert np.abs(correlation - np.eye(3)).max() < 0.11  # five standard errors of 60 x 36 pairs


def test_noise_and_deal_do_not_depend_on_each_other() -> None:
    plain, keen = make("coop"), make("coop", knowledge="expert")
    noise = []
    for options in (None, {"draw_order": list(range(36))}, {"draw_order": list(range(35, -1, -1))}):
        plain.deal([0], [11], options)
        keen.deal([0], [11], options)
        assert plain.games[0] == keen.games[0]
        game = plain.games[0]
        error = plain.estimates[0][0] - game["time"]
        noise.append(dict(zip(game["card"].tolist(), error.tolist(), strict=True)))
    # A card is misjudged by the same amount wherever it lies.
    assert noise[1] == pytest.approx(noise[2], abs=1e-5)
    both = noise[0].keys() & noise[1].keys()
    assert both and all(noise[0][card] == pytest.approx(noise[1][card], abs=1e-5) for card in both)


def test_an_estimate_is_the_position_plus_sigma_times_the_noise() -> None:
    batch = make("competitive", players=2, knowledge=noisy(3, 10), catalogue="history")
    batch.deal([0], [5])
    game = batch.games[0]
    for seat, sigma in enumerate((3, 10)):
        for card in (0, 40, 127):
            expected = game["time"][card] + sigma * knowledge.gaussian(np.uint64(5), seat, card)
            assert batch.estimates[0][seat, card] == pytest.approx(expected, abs=1e-4)


# --- pooling ----------------------------------------------------------------------------------------------------------


def test_estimates_are_pooled_by_precision() -> None:
    sigmas = (2.0, 5.0, 11.0)
    pooled = make("coop", players=3, knowledge=noisy(*sigmas))
    alone = make("coop", players=3, knowledge=noisy(*sigmas), communication="none")
    for seed in range(5):
        pooled.deal([0], [seed])
        alone.deal([0], [seed])
        weights = [1 / sigma**2 for sigma in sigmas]
        for card in range(36):
            own = alone.estimates[0][:, card].tolist()
            mean = sum(weight * value for weight, value in zip(weights, own, strict=True)) / sum(weights)
            assert pooled.estimates[0][0, card] == pytest.approx(mean, abs=1e-4)
        assert pooled.knowledge.sigma == pytest.approx(1 / math.sqrt(sum(weights)))


def test_a_seat_that_never_errs_decides_for_the_pool() -> None:
    batch = dealt("coop", players=3, knowledge=noisy(5, 0, 2))
    assert batch.estimates[0][0].tolist() == batch.games[0]["time"].tolist()
    assert not batch.knowledge.sigma.any()


def test_without_talk_only_that_seat_is_sure() -> None:
    batch = dealt("coop", players=2, knowledge=noisy(5, 0), communication="none")
    off = np.abs(batch.estimates[0] - batch.games[0]["time"]).max(axis=1)
    assert off[1] == 0 and off[0] > 1


def test_in_competitive_mode_nobody_shares() -> None:
    batch = dealt("competitive", players=3)
    assert batch.estimates.shape == (1, 3, 100) and batch.knowledge.row_of(2) == 2


@pytest.mark.parametrize("kind", ["expert", "faces", "blind"])
def test_talk_makes_no_difference_between_seats_that_know_the_same(kind: str) -> None:
    talking, silent = (dealt("coop", knowledge=kind, communication=talk) for talk in knowledge.COMMUNICATION)
    for seat in range(2):
        assert sight(talking, seat) == sight(silent, seat)


# --- difficulty -------------------------------------------------------------------------------------------------------

HEADER = "title,time,front_icon,back_icon,difficulty\n"


def write(folder: Path, rows: str) -> Path:
    path = folder / "my_deck.csv"
    path.write_text(HEADER + rows, encoding="utf-8")
    return path


def graded(folder: Path) -> Path:
    """40 cards: every second one is three times as hard, the last has no number."""
    rows = [f"card {i},{i},a,b,{3 if i % 2 else 1}" for i in range(39)]
    return write(folder, "\n".join([*rows, "card 39,39,a,b,"]) + "\n")


def test_difficulty_scales_a_cards_sigma(tmp_path: Path) -> None:
    batch = make("competitive", catalogue=graded(tmp_path), knowledge=noisy(2, 5))
    assert batch.knowledge.sigma[:, :2].tolist() == [[2, 6], [5, 15]] and batch.knowledge.sigma[0, 39] == 2
    batch.deal([0], [1])
    noise = [knowledge.gaussian(np.uint64(1), 1, card) for card in (20, 21)]
    assert batch.estimates[0][1, [20, 21]] == pytest.approx([20 + 5 * noise[0], 21 + 15 * noise[1]], abs=1e-4)


def test_difficulty_shows_as_the_sigma_of_a_card(tmp_path: Path) -> None:
    batch = make("coop", catalogue=graded(tmp_path), knowledge=noisy(2), players=1, deck_size=8)
    batch.deal([0], [1], {"draw_order": [4, 5, 6, 7, 0, 1, 2, 3]})
    sigma = sections_of(batch, batch.observe(0, 0)["observation"])["cards"][:4, 4]
    assert sigma * 40 == pytest.approx([2, 6, 2, 6])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("A,1,a,b,1\nB,2,a,b,hard\n", r"my_deck\.csv:3: difficulty 'hard' is not a number from 0\.1 to 10"),
        ("A,1,a,b,0\n", r"my_deck\.csv:2: difficulty '0' is not a number from 0\.1 to 10"),
        ("A,1,a,b,11\n", r"my_deck\.csv:2: difficulty '11' is not"),
        ("A,1,a,b,nan\n", r"my_deck\.csv:2: difficulty 'nan' is not"),
        ("A,1,a,b\n", r"my_deck\.csv:2: 4 fields where the header has 5"),
        ("".join(f"C{i},{i},a,b,{1 + i}\n" for i in range(6)), r"my_deck\.csv:7: more than 5 different difficulties"),
    ],
)
def test_a_mistake_in_the_difficulty_gives_an_error_with_file_and_line(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        load_catalogue(write(tmp_path, rows))


def test_a_second_column_of_difficulties_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "my_deck.csv"
    path.write_text(HEADER.strip() + ",difficulty\nA,1,a,b,1,1\n", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"my_deck\.csv:1: more than one column 'difficulty'; leave one"):
        load_catalogue(path)


def test_a_catalogue_without_difficulties_has_1_everywhere() -> None:
    assert set(load_catalogue("history").difficulties) == {1.0}


# --- estimates given from outside -------------------------------------------------------------------------------------


@pytest.mark.parametrize("talk", knowledge.COMMUNICATION)
def test_given_estimates_take_the_place_of_the_drawn_ones(talk: str) -> None:
    env = MAKERS["coop"].raw_env(knowledge=noisy(2, 4), communication=talk)
    given = np.array([np.arange(100) + 0.25, np.arange(100) - 0.5])
    env.reset(seed=3, options={"estimates": given})
    numbers = env.game["card"]
    pool = (given[0] / 4 + given[1] / 16) / (1 / 4 + 1 / 16)
    expected = [pool[numbers]] if talk == "open" else given[:, numbers]
    assert env.batch.estimates[0] == pytest.approx(np.array(expected), abs=1e-4)


def test_given_estimates_follow_the_catalogue_in_competitive_mode() -> None:
    env = MAKERS["competitive"].raw_env()
    given = np.array([np.arange(100) + 0.5, np.arange(100) * 2])
    env.reset(seed=3, options={"estimates": given})
    assert env.batch.estimates[0].tolist() == given.tolist()


def test_a_seat_that_never_errs_is_believed_in_what_it_is_given() -> None:
    env = MAKERS["coop"].raw_env(knowledge=noisy(2, 0))
    env.reset(seed=3, options={"estimates": [[50.0] * 100, list(range(99, -1, -1))]})
    assert env.batch.estimates[0][0].tolist() == (99 - env.game["card"]).tolist()


@pytest.mark.parametrize("mode", MAKERS)
def test_a_seat_that_never_errs_goes_by_what_it_is_given_and_not_by_the_hidden_time(mode: str) -> None:
    env = MAKERS[mode].raw_env(knowledge=noisy(0), hand_size=1, **({"deck_size": 5} if mode == "coop" else {}))
    believed = np.arange(100.0)
    believed[19] = 70
    order = [19, 30, 50, 60, 61] if mode == "coop" else [19, 30, 50, *(set(range(100)) - {19, 30, 50})]
    env.reset(seed=1, options={"draw_order": order, "estimates": [believed, believed]})
    name, places = ("fates", 5) if mode == "coop" else ("chances", 2)
    # On the timeline lies 50: at 70 the card would be its high end, where it is wrong.
    seen = env.layout[name].of(env.observe("player_0")["observation"])[0]
    assert seen[:places].tolist() == [0, 1, 0, 0, 0][:places]


@pytest.mark.parametrize(
    ("settings", "estimates", "message"),
    [
        ({}, [[1.0] * 100], "estimates: give 2 rows (seats) of 100 numbers (cards of the catalogue)"),
        ({}, [[1.0] * 99] * 2, "estimates: give 2 rows (seats) of 100 numbers"),
        ({}, [[math.nan] * 100] * 2, "estimates: give 2 rows (seats) of 100 numbers"),
        ({}, [[math.inf] * 100] * 2, "estimates: give 2 rows (seats) of 100 numbers"),
        ({}, "about ten", "estimates: give 2 rows (seats) of 100 numbers"),
        ({}, [[1.0], [1.0, 2.0]], "estimates: give 2 rows (seats) of 100 numbers"),
        ({"knowledge": "faces"}, [[1.0] * 100] * 2, "estimates: only 'noisy' knowledge has them, this table's is"),
    ],
)
def test_wrong_estimates_are_refused_and_the_game_goes_on(
    settings: dict[str, Any], estimates: Any, message: str
) -> None:
    env = MAKERS["coop"].raw_env(**settings)
    env.reset(seed=1)
    before = env.state()
    with pytest.raises(SettingsError) as caught:
        env.reset(seed=2, options={"estimates": estimates})
    assert str(caught.value).startswith(message) and np.array_equal(env.state(), before)


SURE_OF_NONSENSE = """
import numpy as np
from timeline_twist import SettingsError, {mode}_v0
env = {mode}_v0.raw_env(knowledge={{"kind": "noisy", "sigma": 0}})
try:
    env.reset(seed=1, options={{"estimates": np.full((2, 100), {estimate})}})
except SettingsError as error:
    assert str(error).startswith("estimates")
else:
    assert env.observation_space("player_0").contains(env.observe("player_0"))
"""


@pytest.mark.parametrize("mode", MAKERS)
@pytest.mark.parametrize("estimate", [5000.0, -300.0])
def test_a_seat_that_never_errs_but_is_given_a_position_that_does_not_exist_does_no_harm(
    mode: str, estimate: float
) -> None:
    # Interpreted, in a process of its own: compiled code would write beside its arrays.
    program = SURE_OF_NONSENSE.format(mode=mode, estimate=estimate)
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


ONE_IN_REACH = """
import numpy as np
from timeline_twist import coop_v0
env = coop_v0.raw_env(hand_size=1, deck_size=5, knowledge={"kind": "noisy", "sigma": 0.1})
believed = np.arange(100.0)
believed[19] = 19.97
env.reset(seed=1, options={"draw_order": [19, 50, 20, 21, 60], "estimates": [believed, believed]})
print(*env.layout["fates"].of(env.observe("player_0")["observation"])[0][:5])
"""


def test_the_only_card_in_reach_is_certain_however_unlikely_it_was() -> None:
    # Believed at 19.97 with sigma 0.07: 20 and 21 are public, and 19 is 14 sigmas away. In a process of its own, since
    # a mean that is no number is an index into nowhere.
    run = subprocess.run([sys.executable, "-c", ONE_IN_REACH], capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"the process ended with {run.returncode}: {run.stderr}"
    assert [float(chance) for chance in run.stdout.split()] == pytest.approx([1, 0, 0, 0, 0])


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("psychic", "knowledge: 'psychic' is not known; choose one of expert, noisy, faces, blind"),
        (7, "knowledge: 7 is neither a name nor a mapping with a kind; choose one of expert, noisy, faces, blind"),
        ({"sigma": 3}, "knowledge: {'sigma': 3} is neither a name nor a mapping with a kind"),
        ({"kind": "deaf"}, "knowledge: 'deaf' is not known; choose one of expert, noisy, faces, blind"),
        ({"kind": "expert", "sigma": 3}, "knowledge.sigma: 'expert' has no such setting; it takes kind"),
        ({"kind": "noisy", "sgima": 3}, "knowledge.sgima: 'noisy' has no such setting; it takes kind, sigma"),
        (noisy(0.05), "knowledge.sigma: 0.05 is not 0 or a number from 0.1 to 1,000 (in positions)"),
        (noisy(1001), "knowledge.sigma: 1001 is not 0 or a number from 0.1 to 1,000"),
        (noisy(-1), "knowledge.sigma: -1 is not 0 or a number from 0.1 to 1,000"),
        (noisy(math.nan), "knowledge.sigma: nan is not 0 or a number"),
        ({"kind": "noisy", "sigma": True}, "knowledge.sigma: True is not 0 or a number"),
        ({"kind": "noisy", "sigma": "3"}, "knowledge.sigma: '3' is not 0 or a number"),
        ({"kind": "noisy", "sigma": None}, "knowledge.sigma: None is not 0 or a number"),
        (noisy(1, 2, 3), "knowledge.sigma: 3 numbers for 2 players; give one, or one per seat"),
    ],
)
def test_a_wrong_knowledge_is_refused_with_what_is_allowed(setting: Any, message: str) -> None:
    for mode in MAKERS:
        with pytest.raises(SettingsError) as caught:
            MAKERS[mode].raw_env(knowledge=setting)
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize("kind", [["noisy"], {}])
def test_a_kind_that_is_no_name_is_refused(kind: Any) -> None:
    with pytest.raises(SettingsError, match=r"^knowledge: .* is not known; (choose one of|did you mean)"):
        MAKERS["coop"].raw_env(knowledge={"kind": kind})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"communication": "loud"}, "communication: 'loud' is not known; choose one of open, none"),
        ({"features": "ful"}, "features: 'ful' is not known; did you mean 'full'?"),
        ({"features": 1}, "features: 1 is not known; choose one of full, raw"),
        ({"slots": "random"}, "slots: 'random' is not known; choose one of table, sorted"),
        ({"show_pile_top": "yes"}, "show_pile_top: 'yes' is neither True nor False"),
        ({"reward": "sparse"}, "reward: 'sparse' is not known; choose one of delta, final"),
        ({"knowlege": "expert"}, "knowlege: coop_v0 has no such setting; did you mean 'knowledge'?"),
    ],
)
def test_other_wrong_settings_are_refused_with_what_is_allowed(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        MAKERS["coop"].raw_env(**settings)
    assert str(caught.value).startswith(message)


def test_competitive_mode_has_no_communication() -> None:
    with pytest.raises(SettingsError, match="in competitive mode nobody shares"):
        MAKERS["competitive"].raw_env(communication="open")


def test_a_name_and_a_mapping_with_nothing_else_are_the_same() -> None:
    short, long = (knowledge.read(Coop(), setting, "open") for setting in ("noisy", {"kind": "noisy", "sigma": 5}))
    assert short.kind == long.kind and short.sigma.tolist() == long.sigma.tolist()


# --- labels of faces --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scenes", "history"])
def test_labels_of_faces_tell_nothing_about_times(name: str) -> None:
    catalogue = load_catalogue(name)
    places = labels(catalogue)
    assert sorted(places.tolist()) == list(range(len(catalogue)))
    assert abs(np.corrcoef(places, catalogue.cards["time"])[0, 1]) < 0.3
    assert labels(load_catalogue(name)).tolist() == places.tolist()


def test_the_face_of_a_card_is_its_label_in_every_game() -> None:
    batch = make("coop", knowledge="faces")
    places = labels(batch.table.catalogue)
    for seed in range(5):
        batch.deal([0], [seed])
        shown = sections_of(batch, batch.observe(0, 0)["observation"])["faces"]
        hand = batch.games[0]["card"][batch.games[0]["hands"][0]]
        assert shown[:4].argmax(axis=1).tolist() == places[hand].tolist() and shown.sum() == 9


def test_the_smallest_sigma_and_difficulty_leave_every_number_finite(tmp_path: Path) -> None:
    path = tmp_path / "easy.csv"
    rows = [f"card {i},{i},{'abcd'[i % 4]},{'bcda'[i % 4]},0.1" for i in range(60)]
    path.write_text("\n".join(["title,time,front_icon,back_icon,difficulty", *rows]))
    for mode, players in (("coop", 6), ("coop", 2), ("competitive", 2)):
        env = MAKERS[mode].raw_env(players=players, catalogue=path, knowledge={"kind": "noisy", "sigma": 0.1})
        for seed in range(10):
            env.reset(seed=seed)
            assert all(np.isfinite(env.observe(agent)["observation"]).all() for agent in env.agents)


def test_more_than_500_cards_of_one_time_are_not_taken_for_the_main_row() -> None:
    cards = catalogue_of([0] * 600 + list(range(1, 401)))
    outlooks = []
    for setting in ("expert", {"kind": "noisy", "sigma": 0.1}):
        env = MAKERS["coop"].raw_env(players=1, catalogue=cards, knowledge=setting)
        env.reset(seed=4)
        outlooks.append(env.layout["outlook"].of(env.observe("player_0")["observation"]))
    assert outlooks[0] == pytest.approx(outlooks[1], abs=1e-3)


def test_the_state_tells_which_card_lies_on_top_of_the_discards() -> None:
    env = MAKERS["coop"].raw_env(knowledge="expert")
    env.reset(seed=1)
    game = env.game
    game["discards"][:2] = [game["discards"][0], game["drawn"]]
    game["discard_count"], game["drawn"] = 2, game["drawn"] + 1
    game["back"][game["discards"][:2]] = [0, 1]
    state = env.state()
    game["discards"][:2] = game["discards"][:2][::-1].copy()
    assert (env.state() != state).any()
