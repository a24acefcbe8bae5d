"""Suites and their deals: strict files, and deals that are held out, pinned and shared."""

from pathlib import Path

import numpy as np
import pytest

from timeline_twist import SettingsError, coop_v0, engine
from timeline_twist.evaluation import load_suite, suite_names
from timeline_twist.evaluation.deals import HELD_OUT, check_same_deals, deal_hash, deal_seeds, fingerprints

MASK = 2**64 - 1


def splitmix(state: int) -> int:
    """The generator's output function, written down once more."""
    state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ state >> 27) * 0x94D049BB133111EB) & MASK
    return state ^ state >> 31


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", suite_names())
def test_every_shipped_suite_can_be_dealt(name: str) -> None:
    suite = load_suite(name)
    assert suite.name == name and (f"{suite.players}p" in name or name in ("tiny", "small"))
    assert len(set(fingerprints(suite, 3))) == 3
    assert suite.mode in name or name in ("tiny", "small")
    assert suite.settings.get("communication", "open") == ("none" if name.endswith("-none") else "open")
    kind = suite.make_batch(1).knowledge
    if "noisy" in name:
        sigma = float(name.split("noisy")[1].split("-")[0])
        assert kind.name == "noisy" and (kind.private == sigma).all()
    elif name.endswith("-handicap"):
        assert kind.name == "noisy" and (kind.private[0] < kind.private[1:]).all()
    else:
        assert kind.name == next((kind for kind in ("blind", "faces") if kind in name), "expert")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a mapping; it has description, mode"),
        ("description: x\nmode: coop\nsetings: {}", "setings: unknown key; did you mean 'settings'?"),
        ("description: x\nmode: cop", "mode: 'cop' is not known; did you mean 'coop'?"),
        ("mode: coop", "description: missing"),
        ("description: x\nmode: coop\nsettings: [1]", "settings: [1] is not a mapping"),
        (
            "description: x\nmode: coop\nsettings: {player: 2}",
            "settings.player: unknown setting; did you mean 'players'?",
        ),
        ("description: x\nmode: coop\nsettings: {slots: sorted}", "settings.slots: unknown setting; there are players"),
        ("description: x\nmode: coop\nsettings: {players: 9}", "settings.players: 9 is not a whole number from 1 to 6"),
        ("description: x\nmode: coop\nsettings: {catalogue: scnes}", "settings.catalogue: 'scnes': no such file"),
        ("description: x\nmode: coop\nsettings: {players: 2, players: 3}", "3: not YAML: 'players' stands there twice"),
        ("description: x\nmode: coop\nopponent: random", "opponent: a co-op game has none; leave it out"),
        ("description: x\nmode: competitive", "opponent: missing"),
        ("description: x\nmode: coop\noptimum: best", "optimum: 'best' is not known; write exact"),
        ("description: x\nmode: coop\noptimum: exact", "optimum: known for co-op under 'expert' knowledge"),
        ("description: [", "not YAML"),
    ],
)
def test_a_mistake_names_the_file_and_the_key(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load_suite(path)
    assert str(caught.value).startswith(str(path)) and message in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_suite_gets_the_nearest_name() -> None:
    with pytest.raises(SettingsError, match="did you mean 'coop-2p-expert'"):
        load_suite("coop-2p-exprt")


def test_a_catalogue_is_looked_for_beside_the_file(tmp_path: Path) -> None:
    rows = [f"card {i},{i},a,b" for i in range(40)]
    (tmp_path / "cards.csv").write_text("\n".join(["title,time,front_icon,back_icon", *rows]))
    suite = load_suite(write(tmp_path, "description: x\nmode: coop\nsettings: {catalogue: cards.csv}"))
    assert len(suite.catalogue) == 40


# --- deals ------------------------------------------------------------------------------------------------------------


def test_deal_seeds_are_pinned() -> None:
    assert deal_seeds(range(3)) == [14566541355878967184, 17428242001008571413, 11045551967892492530]
    assert deal_seeds([0], seed=5) == [17325088639399477075]


def test_deal_seeds_are_what_the_docs_say() -> None:
    run = splitmix(int.from_bytes(b"TT-tests", "big") ^ 9)
    expected = [2**63 | splitmix((run + 0x9E3779B97F4A7C15 * (1 + i)) & MASK) >> 1 for i in (0, 1, 77)]
    assert deal_seeds([0, 1, 77], seed=9) == expected


def test_deals_of_tests_are_in_the_upper_half_and_those_of_training_in_the_lower() -> None:
    seeds = deal_seeds(range(20_000))
    assert min(seeds) >= HELD_OUT and len(set(seeds)) == len(seeds)
    batch = coop_v0.make_batch(1)
    assert batch.next_seed(0) < HELD_OUT, "a first game without a seed"
    for seed in (0, 12345, HELD_OUT - 1, *seeds[:300], 2**64 - 1):
        batch.deal([0], [seed])
        assert batch.next_seed(0) < HELD_OUT
        game = batch.games[0]
        assert int(engine.seed_of_next(game)) == batch.next_seed(0)


def test_fingerprints_are_pinned() -> None:
    assert fingerprints(load_suite("coop-2p-expert"), 2) == ["2f9a6fd2", "fdc242ce"]
    assert fingerprints(load_suite("coop-2p-noisy5-none"), 2) == ["22c7f6c3", "bd40ac9a"]
    assert fingerprints(load_suite("competitive-2p-noisy10"), 2) == ["2d64de6d", "033f9ff3"]


def test_suites_with_the_same_table_have_the_same_deals() -> None:
    marks = {name: fingerprints(load_suite(name), 4) for name in suite_names()}
    for name in marks:
        if name.endswith("-open"):
            assert marks[name] == marks[name.replace("-open", "-none")], "with and without talk"
    assert marks["coop-2p-blind"] == marks["coop-2p-faces"] == marks["coop-2p-expert"]
    kinds = (
        "coop-2p-expert",
        "coop-2p-noisy5-none",
        "coop-2p-noisy10-none",
        "coop-4p-expert",
        "coop-2p-history",
        "small",
    )
    assert len({marks[name][0] for name in kinds}) == len(kinds), "another table or other estimates are other deals"
    assert fingerprints(load_suite("small"), 4, seed=1)[0] not in marks["small"]


def test_a_fingerprint_does_not_depend_on_how_many_deals_are_asked_for() -> None:
    suite = load_suite("coop-2p-noisy2-open")
    many = fingerprints(suite, 1002)
    assert fingerprints(suite, 3) == many[:3] and len(set(many)) == len(many)


def test_only_the_same_deals_in_the_same_order_are_paired() -> None:
    marks = fingerprints(load_suite("coop-2p-expert"), 6)
    assert check_same_deals(("a", marks), ("b", marks[:4])) == 4
    shuffled = [marks[i] for i in (0, 1, 3, 2, 4, 5)]
    with pytest.raises(SettingsError, match="a and b: game 2 was dealt differently"):
        check_same_deals(("a", marks), ("b", shuffled))
    assert deal_hash(marks) != deal_hash(shuffled)


def test_hands_and_cards_of_a_deal_are_those_of_its_seed() -> None:
    suite = load_suite("coop-2p-expert")
    batch = suite.make_batch(5)
    batch.deal(range(5), deal_seeds(range(5)))
    again = coop_v0.make_batch(1, players=2, knowledge="expert")
    for i, seed in enumerate(deal_seeds(range(5))):
        again.deal([0], [seed])
        assert again.games[0] == batch.games[i]
    assert np.array_equal(batch.games["seed"], np.array(deal_seeds(range(5)), np.uint64))
