"""The generator and the shuffle, pinned: the same seed gives the same game on every machine and in every version."""

import numpy as np
import pytest

from timeline_twist import Competitive, Coop, engine

STATE = np.uint64(1234567)
MASK = 2**64 - 1


def outputs(seed: int, count: int) -> list[int]:
    """The first outputs, as the generator's definition has them: mix(seed + i * GAMMA)."""
    states = [np.uint64(seed + i * int(engine.GAMMA) & MASK) for i in range(1, count + 1)]
    return [int(engine.mix(state)) for state in states]


def test_splitmix64_gives_its_published_values() -> None:
    assert outputs(1234567, 5) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_a_number_below_n_is_the_upper_half_of_the_product() -> None:
    number, state = engine.below(STATE, 100)
    assert number == (6457827717110365317 >> 32) * 100 >> 32 == 35
    assert int(state) == 1234567 + int(engine.GAMMA)


def test_numbers_that_would_be_too_likely_are_drawn_again() -> None:
    # For n = 3 * 2**30 a quarter of all draws has to be repeated: find such a one among the first states.
    n = 3 << 30
    for seed in range(100):
        first, second = outputs(seed, 2)
        if (first >> 32) * n % 2**32 < 2**32 % n and (second >> 32) * n % 2**32 >= 2**32 % n:
            number, state = engine.below(np.uint64(seed), n)
            assert number == (second >> 32) * n >> 32
            assert int(state) == (seed + 2 * int(engine.GAMMA)) & MASK
            return
    pytest.fail("no state with a repeated draw")


@pytest.mark.parametrize("n", [1, 2, 3, 36, 500])
def test_every_number_below_n_is_about_equally_likely(n: int) -> None:
    state, counts, draws = np.uint64(1), np.zeros(n), 200 * n
    for _ in range(draws):
        number, following = engine.below(state, n)
        state = np.uint64(following)
        counts[number] += 1
    # Chi-squared with n - 1 degrees of freedom; five standard deviations above its mean.
    assert ((counts - 200) ** 2 / 200).sum() <= n - 1 + 5 * (2 * n) ** 0.5


def test_the_shuffle_is_pinned() -> None:
    items = np.arange(10, dtype=np.int16)
    engine.shuffle(STATE, items, 10, 10)
    assert items.tolist() == [3, 2, 6, 4, 9, 7, 8, 5, 1, 0]


def test_a_partial_shuffle_is_the_beginning_of_the_whole_one() -> None:
    whole = engine.shuffled_indices(STATE, 100, 100)
    part = engine.shuffled_indices(STATE, 100, 36)
    assert part[:36].tolist() == whole[:36].tolist() and sorted(part.tolist()) == list(range(100))


def test_the_last_place_of_a_shuffle_costs_no_random_number() -> None:
    items = np.arange(5, dtype=np.int16)
    assert int(engine.shuffle(STATE, items, 5, 5)) == (1234567 + 4 * int(engine.GAMMA)) & MASK


def test_every_card_is_equally_likely_in_every_place_of_the_draw_order() -> None:
    counts = np.zeros((12, 12))
    for seed in range(3000):
        counts[range(12), engine.shuffled_indices(np.uint64(seed), 12, 12)] += 1
    assert ((counts - 250) ** 2 / 250).sum() < 121 + 5 * (2 * 121) ** 0.5


def test_the_streams_start_at_the_seed_and_at_the_seed_xor_a_tag() -> None:
    assert int(engine.ICON_STREAM) == 0x54542D69636F6E73 and int(engine.LATER_STREAM) == 0x54542D6C61746572
    game = Coop().deal(99)[0]
    assert int(game.rng) == 99 ^ 0x54542D6C61746572
    assert game.card.tolist() == engine.shuffled_indices(np.uint64(99), 100, 36)[:36].tolist()


def test_deals_are_pinned() -> None:
    cards = [38, 2, 90, 59, 47, 28, 49, 37, 20, 46]
    game = Coop(players=2).deal(7)[0]
    assert game.card.tolist()[:10] == cards
    assert game.front.tolist()[:10] == [3, 3, 1, 3, 0, 0, 0, 0, 0, 2]
    assert game.back.tolist()[:10] == [0, 2, 0, 1, 3, 2, 3, 1, 2, 3]
    assert int(engine.seed_of_next(game)) == 7563195685425344399
    assert Competitive(players=2).deal(7)[0].pile.tolist()[:10] == cards
    history = Competitive(players=2, catalogue="history").deal(2**64 - 1)[0]
    assert history.pile.tolist()[:10] == [114, 116, 29, 56, 91, 106, 120, 37, 100, 10]
