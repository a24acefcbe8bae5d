"""Agents see what their seats know and nothing else, act the same in any batch, and play as well as they should."""

import itertools
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handmade
from handmade import END_TURN, PLAY, Competition, catalogue_of
from test_knowledge import CHANGES, KINDS
from test_observation import TIED, make, noisy, states
from timeline_twist import SettingsError, agents, competitive_v0, coop_v0, engine, knowledge
from timeline_twist.agents import coop_thumb, tuning
from timeline_twist.agents.competitive_thumb import competitive_choose
from timeline_twist.agents.weights import FILE, coop_weights
from timeline_twist.records import think_dtype

AGENTS = ("random", "greedy", "bayes", "rollout:rollouts=3", "rollout:rollouts=3,policy=greedy")
KEYS = np.array([7], np.uint64)


# --- leaks ------------------------------------------------------------------------------------------------------------


def seen_by_turn(batch: Any) -> agents.Seen:
    return agents.Seen(batch, np.array([0]), KEYS)


def facts(seen: agents.Seen) -> list[bytes]:
    """Everything an agent is shown."""
    arrays = (seen.games, seen.estimates, seen.sigmas, seen.observations, seen.masks, seen.keys, seen.seats)
    return [array.tobytes() for array in arrays]


def decisions(batch: Any) -> list[list[float]]:
    """What every agent does, and how sure it is of it."""
    made = []
    for name in AGENTS:
        agent, seen = agents.make(name), seen_by_turn(batch)
        values = agent.values(seen)
        made.append([float(agent.act(seen)[0]), *agent.probabilities(seen)[0]])
        made.append([] if values is None else np.nan_to_num(values[0], nan=-999.0).tolist())
    return made


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize(
    ("mode", "kind", "talk"),
    [
        *(("coop", kind, talk) for kind in KINDS for talk in knowledge.COMMUNICATION),
        *(("competitive", kind, "none") for kind in KINDS),
    ],
)
def test_what_a_seat_cannot_know_changes_neither_what_agents_see_nor_what_they_do(
    mode: str, kind: str, talk: str, shown: bool
) -> None:
    rng, hidden, looked = np.random.default_rng(1), 0, 0
    settings = {"knowledge": KINDS[kind], "communication": talk, "players": 3, "show_pile_top": shown}
    for catalogue, seed, skill in (("scenes", 0, 0.7), (TIED, 2, 1.0)):
        batch = make(mode, catalogue=catalogue, **settings)
        for i, game in enumerate(states(batch, seed, skill)):
            if i % 7 or game["end"] != engine.RUNNING:
                continue
            kept, state = (batch.games[0].copy(), batch.estimates[0].copy()), batch.state(0)
            before, did = facts(seen_by_turn(batch)), decisions(batch)
            CHANGES[mode](batch, int(game["turn"]), rng)
            hidden += not np.array_equal(state, batch.state(0))
            looked += 1
            assert facts(seen_by_turn(batch)) == before
            assert decisions(batch) == did
            batch.games[0], batch.estimates[0] = kept
    assert looked > 5 and hidden > looked / 2, "the changes must be real ones"


def test_what_a_seat_knows_does_change_what_it_does() -> None:
    """Otherwise the leak test would prove nothing."""
    acted = set()
    batch = make("coop", knowledge=noisy(4), players=2)
    for seed in range(10):
        batch.deal([0], [seed])
        first = [agents.make(name).act(seen_by_turn(batch))[0] for name in ("greedy", "bayes", "rollout:rollouts=20")]
        batch.estimates[0] = batch.estimates[0][:, ::-1]
        second = [agents.make(name).act(seen_by_turn(batch))[0] for name in ("greedy", "bayes", "rollout:rollouts=20")]
        acted |= {i for i in range(3) if first[i] != second[i]}
    assert acted == {0, 1, 2}


# --- batches ----------------------------------------------------------------------------------------------------------


def scores_of(name: str, numbers: list[int], **settings: Any) -> list[int]:
    batch = coop_v0.make_batch(len(numbers), **settings)
    batch.deal(range(len(numbers)), numbers)
    agents.play(batch, [agents.make(name)], numbers=numbers, seed=5)
    return [int(3 * game.main_cards + 2 * game.gap_cards - game.deck_size) for game in batch.games]


@pytest.mark.parametrize("name", AGENTS)
def test_a_game_takes_the_same_course_in_any_batch(name: str) -> None:
    settings = {"players": 3, "knowledge": noisy(4), "communication": "none"}
    numbers = [3, 1, 4, 15, 9]
    together = scores_of(name, numbers, **settings)
    apart = [scores_of(name, [number], **settings)[0] for number in numbers]
    assert together == apart


def test_greedy_and_bayes_are_the_same_under_expert() -> None:
    numbers = list(range(200))
    assert scores_of("greedy", numbers, knowledge="expert") == scores_of("bayes", numbers, knowledge="expert")


def courses() -> list[list[int]]:
    """What agents do in a few short games."""
    made = []
    for mode, kind in itertools.product(("coop", "competitive"), ("expert", noisy(2), "blind")):
        settings = {"deck_size": 11, "communication": "none"} if mode == "coop" else {"max_rounds": 4}
        for agent in (agents.make(name) for name in ("random", "greedy", "bayes", "rollout:rollouts=2")):
            batch = make(mode, players=2, hand_size=3, catalogue=TIED, knowledge=kind, **settings)
            batch.deal([0], [8])
            actions = []
            while batch.games["end"][0] == engine.RUNNING:
                actions.append(int(agent.act(seen_by_turn(batch))[0]))
                assert batch.play(actions[-1])
            made.append(actions)
    return made


def test_interpreted_agents_do_the_same() -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", "import test_agents; print(test_agents.courses())"]
    done = subprocess.run(
        command, env=environment, cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == courses()


# --- positions with an obvious choice ---------------------------------------------------------------------------------

DECIDED = ("greedy", "bayes", "rollout:rollouts=30")
HUNDRED = catalogue_of(range(100))


def lay(batch: Any, game: Any) -> Any:
    """Put a game made by hand on a table where the time of a card is its number."""
    game.card[:] = game.time
    game.back[(game.front == 0) & (game.back == 0)] = 1
    batch.games[0] = handmade.ready(game)
    batch._draw_estimates(batch.games, batch.estimates)
    return batch


def coop_table(
    main: list[int], hands: list[list[int]], *, kind: Any = "expert", placed: bool = False, **laid: Any
) -> Any:
    """A co-op table of one game in the middle, with an empty draw pile unless `laid` has one."""
    game = handmade.coop(main, hands, discards=(99,), **laid)
    if placed:
        game.phase = engine.PLACED_ONE
    batch = coop_v0.make_batch(1, len(hands), HUNDRED, knowledge=kind, deck_size=max(int(game.deck_size), 10))
    batch.table.deck_size = batch.table.cards_in_game = int(game.deck_size)
    return lay(batch, game)


def choice(name: str, batch: Any) -> int:
    return int(agents.make(name).act(seen_by_turn(batch))[0])


@pytest.mark.parametrize("name", DECIDED)
@pytest.mark.parametrize("kind", ["expert", noisy(0.2)])
def test_the_nearest_card_extends_the_row_before_a_farther_one(name: str, kind: Any) -> None:
    assert choice(name, coop_table([50], [[90, 60], [10, 20]], kind=kind)) == PLAY + 1
    assert choice(name, coop_table([50], [[40, 5], [60, 70]], kind=kind)) == PLAY + 0


@pytest.mark.parametrize("name", DECIDED)
@pytest.mark.parametrize("kind", ["expert", noisy(0.2)])
def test_a_card_known_to_be_unplaceable_is_not_flipped_while_another_can_be_placed(name: str, kind: Any) -> None:
    assert choice(name, coop_table([10, 50], [[20, 40, 55], [60]], gap={0: 30}, kind=kind)) == PLAY + 2


@pytest.mark.parametrize("name", DECIDED)
def test_a_gap_that_nobody_else_wants_is_filled(name: str) -> None:
    assert choice(name, coop_table([10, 50], [[30], [60, 70]], placed=True)) == PLAY + 0


@pytest.mark.parametrize("name", DECIDED)
def test_a_turn_ends_rather_than_close_off_the_cards_of_a_partner(name: str) -> None:
    assert choice(name, coop_table([10, 50], [[90], [60, 70, 80]], placed=True)) == END_TURN


def place_of(name: str, order: list[int], kind: Any, **settings: Any) -> tuple[int, int]:
    """Which card an agent places at which position."""
    batch = competitive_v0.make_batch(1, catalogue=HUNDRED, knowledge=kind, **settings)
    batch.deal([0], [0], {"draw_order": order + [card for card in range(100) if card not in order]})
    slot, position = divmod(choice(name, batch), 101)
    return int(batch.games[0]["hands"][0, slot]), position


@pytest.mark.parametrize("name", DECIDED)
@pytest.mark.parametrize(("start", "right"), [(70, 0), (20, 1)])
def test_a_card_known_for_certain_goes_to_its_place(name: str, start: int, right: int) -> None:
    assert place_of(name, [40, 3, start], "expert", players=2, hand_size=1) == (40, right)


@pytest.mark.parametrize("name", ["greedy", "bayes"])
def test_the_card_farthest_from_the_timeline_is_placed_first(name: str) -> None:
    assert place_of(name, [52, 90, 48, 20, 45, 55, 49, 51, 50], noisy(2), players=2)[0] in (20, 90)


def test_a_flipped_card_that_comes_back_is_known_in_rollouts() -> None:
    """Beliefs are imagined before the playout, so they do not know of it."""
    competition = Competition(range(10), players=2, hand_size=1)
    game = competition.game
    game.seen[0], game.time[:10] = 1, range(10)
    batch = competitive_v0.make_batch(1, 2, competition.table.catalogue, knowledge=noisy(1), hand_size=1)
    estimates, sigmas = np.full(10, 9, np.float32), np.full(10, 1, np.float32)
    assert competitive_choose(game, estimates, sigmas, batch.view[0], 0, np.zeros(1, think_dtype(10))[0]) == 0


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hands", [[[60, 70]], [[60, 70], [40]]])
def test_a_rollout_finds_the_true_score_where_nothing_is_hidden(hands: list[list[int]]) -> None:
    batch = coop_table([50], hands)
    values = agents.make("rollout:rollouts=5").values(seen_by_turn(batch))
    assert values is not None
    cards = sum(len(hand) for hand in hands)
    best = 3 * (1 + cards) - int(batch.games[0]["deck_size"])
    # With 70 first 60 goes to the gap: one point less.
    assert values[0, :2].tolist() == [best, best - 1] and np.isnan(values[0, 2:]).all()


@pytest.mark.parametrize("players", [1, 2, 6])
@pytest.mark.parametrize("size", [100, 1000])
@pytest.mark.parametrize("kind", ["expert", noisy(0.1), noisy(5), noisy(1000), "blind"])
def test_rules_of_thumb_count_every_card_once(players: int, size: int, kind: Any) -> None:
    """Own cards, those of others with the top of the pile, and those below it, over all positions."""
    batch = make("coop", players=players, knowledge=kind, communication="none", catalogue=catalogue_of(range(size)))
    batch.deal([0], [1])
    seen, thinks = seen_by_turn(batch), np.zeros(1, think_dtype(size))
    known = (seen.games[0], seen.estimates[0], seen.sigmas[0], seen.view[0])
    coop_thumb.coop_judge(*known, coop_weights("exact", players), 0, thinks[0])
    below = thinks["below"][0]
    expected = (4, 4 * players - 3, 36 - 4 * players - 3)
    assert coop_thumb.parts(below[size] - below[0], thinks[0]) == pytest.approx(expected, rel=0.05)
    assert (np.diff(below[: size + 1]) >= 0).all()


# --- strength ---------------------------------------------------------------------------------------------------------


def test_experts_who_look_ahead_score_more() -> None:
    numbers = list(range(1000, 1040))
    average = [
        np.mean(scores_of(name, numbers, knowledge="expert")) for name in ("random", "greedy", "rollout:rollouts=40")
    ]
    assert average[0] + 20 < average[1] < average[2]


def test_who_weighs_estimates_scores_more_than_who_believes_them() -> None:
    settings = {"knowledge": noisy(5), "communication": "none"}
    numbers = list(range(1000))
    believing, weighing = (np.mean(scores_of(name, numbers, **settings)) for name in ("greedy", "bayes"))
    assert weighing > believing + 0.5


@pytest.mark.parametrize(
    ("better", "worse", "sigma", "least"), [("greedy", "random", 5, 0.8), ("bayes", "greedy", 15, 0.03)]
)
def test_competitors_who_weigh_their_estimates_win_more(better: str, worse: str, sigma: int, least: float) -> None:
    games = 2000
    batch = competitive_v0.make_batch(games, players=2, knowledge=noisy(sigma))
    batch.deal(range(games), range(games))
    seating = np.array([[game % 2, 1 - game % 2] for game in range(games)])
    agents.play(batch, [agents.make(better), agents.make(worse)], seating)
    # The seat of the better agent.
    rewards = batch.rewards(np.arange(games), np.arange(games) % 2)
    assert rewards.mean() > least


# --- names and settings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gredy", "agent: 'gredy' is neither a built-in agent nor a folder; did you mean 'greedy'?"),
        ("", "agent: '' is neither a built-in agent nor a folder"),
        ("rollout:rolouts=3", "rollout: no setting 'rolouts'; did you mean 'rollouts'?"),
        ("greedy:rollouts=3", "greedy: no setting 'rollouts'; it has none"),
        ("rollout:rollouts=0", "rollouts: 0 is not a whole number from 1"),
        ("rollout:rollouts=abc", "rollouts: 'abc' is not a whole number from 1"),
        ("rollout:rollouts=-3", "rollouts: '-3' is not a whole number from 1"),
        ("rollout:policy=x", "policy: 'x' is not known; choose one of bayes, greedy"),
        ("rollout:", "rollout:: '' is not a setting; write name=value"),
        ("rollout:rollouts=5,rollouts=7", "rollout:rollouts=5,rollouts=7: 'rollouts' stands there twice"),
        ("rollout:rollouts", "rollout:rollouts: 'rollouts' is not a setting; write name=value"),
        ("rollout:rollouts=", "'rollouts=' is not a setting; write name=value"),
        ("rollout:=3", "'=3' is not a setting; write name=value"),
        ("rollout:rollouts=3,", "'' is not a setting; write name=value"),
    ],
)
def test_a_name_that_means_no_agent_is_an_error_that_says_what_is_meant(name: str, message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        agents.make(name)
    assert message in str(raised.value)


def first_legal(observations: Any, masks: Any) -> Any:  # noqa: ARG001
    return masks.argmax(axis=1)


def test_agents_are_made_from_names_functions_and_agents() -> None:
    agent = agents.make("rollout:rollouts=3, policy=greedy")
    assert agent.name == "rollout:rollouts=3,policy=greedy" and agents.make(agent) is agent
    assert agents.make("rollout", rollouts=5).name == "rollout:rollouts=5"
    for what in (agent, first_legal):
        with pytest.raises(SettingsError, match="takes no settings here"):
            agents.make(what, rollouts=3)
    with pytest.raises(SettingsError, match="3 is neither a name, a folder, a function nor an agent"):
        agents.make(3)  # type: ignore[arg-type]


def dealt(count: int = 3, **settings: Any) -> Any:
    batch = coop_v0.make_batch(count, **settings)
    batch.deal(range(count), range(count))
    return batch


def test_a_function_of_observations_and_masks_is_an_agent() -> None:
    batch = dealt()
    effort = agents.play(batch, [agents.make(first_legal)])
    assert (batch.games["end"] != engine.RUNNING).all()
    assert effort.decisions[0] > 10 and agents.make(first_legal).name == "first_legal"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda masks: masks, "gave int8 of shape .3, 9.; give 3 whole numbers"),
        (lambda masks: masks[0, 0].astype(int), "gave int64 of shape ..; give 3 whole numbers"),
        (lambda masks: masks[:, 0].astype(float), "gave float64 of shape .3,.; give 3 whole numbers"),
        (lambda masks: masks.argmin(axis=1), "action . is not legal; an agent must choose one"),
        (lambda masks: masks[:, 0].astype(int) + 100, "action 10. is not legal"),
    ],
)
def test_an_agent_that_gives_no_legal_actions_is_an_error(answer: Callable[..., Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        agents.play(dealt(), [agents.make(lambda _, masks: answer(masks))])


def test_an_agent_of_the_other_mode_is_an_error() -> None:
    class Competitor(agents.FunctionAgent):
        modes = ("competitive",)

    with pytest.raises(SettingsError, match="plays competitive games only, this one is coop"):
        agents.play(dealt(), [Competitor(first_legal)])


@pytest.mark.parametrize("seating", [[[0, 1]] * 3, [[0, -1]] * 3, [[0, 0]] * 2, [0, 0], [[0.5, 0]] * 3])
def test_a_seat_without_an_agent_is_an_error(seating: Any) -> None:
    with pytest.raises(SettingsError, match="seating: give 3 rows"):
        agents.play(dealt(), [agents.make("greedy")], seating)


def test_games_need_agents_and_numbers_of_their_own() -> None:
    with pytest.raises(SettingsError, match="seating: "):
        agents.play(dealt(), [])
    with pytest.raises(SettingsError, match="numbers: give 3 whole numbers"):
        agents.play(dealt(), [agents.make("greedy")], numbers=[1, 2])


# --- weights ----------------------------------------------------------------------------------------------------------


def test_there_are_weights_for_every_setting_and_number_of_players() -> None:
    weights = json.loads(FILE.read_text(encoding="utf-8"))
    assert set(weights) == set(tuning.KNOWLEDGE)
    for by_players in weights.values():
        assert set(by_players) == {str(players) for players in range(1, 7)}
        for named in by_players.values():
            assert set(named) == set(coop_thumb.WEIGHTS) and all(math.isfinite(weight) for weight in named.values())


@pytest.mark.parametrize("setting", tuning.KNOWLEDGE)
def test_tuning_finds_every_weight(setting: str) -> None:
    tuned = tuning.tune(2, setting, rounds=1, games=6)
    assert list(tuned) == list(coop_thumb.WEIGHTS) and all(math.isfinite(weight) for weight in tuned.values())
    assert tuned != tuning.BEGINNING and tuned == tuning.tune(2, setting, rounds=1, games=6)


class Nameless(agents.Agent):
    def act(self, seen: agents.Seen) -> Any:
        return [[0], [0, 1]] if len(seen) > 1 else seen.masks.argmax(axis=1)


def test_an_agent_is_called_by_its_class_unless_it_has_a_name() -> None:
    assert agents.make(Nameless()).name == "Nameless" and "Nameless" in repr(Nameless())
    with pytest.raises(SettingsError, match="Nameless is a class; give an agent of it, such as Nameless"):
        agents.make(Nameless)
    unnamed = Nameless()
    unnamed.name = ""
    with pytest.raises(SettingsError, match="Nameless has the name ''"):
        agents.make(unnamed)


def test_lists_that_are_no_array_are_refused() -> None:
    batch = coop_v0.make_batch(2)
    batch.deal(range(2), range(2))
    with pytest.raises(SettingsError, match="Nameless: gave lists of different lengths; give 2 whole numbers"):
        agents.play(batch, [Nameless()])
