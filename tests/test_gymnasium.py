"""The Gymnasium environments, single and vectorised: the checkers of the field, and the same games everywhere."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import OrderEnforcing, RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics

from handmade import END_TURN, PLAY, catalogue_of
from timeline_twist import SettingsError, competitive_v0, coop_v0, engine, read_result
from timeline_twist.single import CompetitiveEnv, CoopEnv, TableEnv
from timeline_twist.vector import CompetitiveVectorEnv, CoopVectorEnv, TableVectorEnv

Settings = dict[str, Any]
IDS = {"coop": "timeline_twist/Coop-v0", "competitive": "timeline_twist/Competitive-v0"}
SINGLE: dict[str, Callable[..., TableEnv]] = {"coop": CoopEnv, "competitive": CompetitiveEnv}
VECTOR: dict[str, Callable[..., TableVectorEnv]] = {"coop": CoopVectorEnv, "competitive": CompetitiveVectorEnv}
both_modes = pytest.mark.parametrize("mode", ["coop", "competitive"])

# Games of every kind of view, short enough that several fit into a test.
GAMES: list[tuple[str, Settings]] = [
    ("coop", {}),
    ("coop", {"players": 3, "knowledge": "expert", "slots": "sorted", "catalogue": "history"}),
    ("coop", {"players": 4, "communication": "none", "features": "raw", "first_player": 2}),
    ("coop", {"players": 6, "knowledge": "faces", "reward": "final"}),
    ("coop", {"players": 1, "knowledge": "blind", "hand_size": 2, "deck_size": 12}),
    ("competitive", {"hand_size": 1}),
    ("competitive", {"hand_size": 1, "players": 4, "seat": "random", "slots": "sorted"}),
    ("competitive", {"hand_size": 2, "players": 3, "seat": 2, "knowledge": "blind", "max_rounds": 6}),
    ("competitive", {"hand_size": 1, "players": 6, "seat": 1, "knowledge": "faces", "catalogue": "history"}),
]
over_games = pytest.mark.parametrize(("mode", "settings"), GAMES)


def all_variants() -> Iterator[tuple[str, Settings]]:
    for mode, catalogue, players in product(IDS, ("scenes", "history"), range(1, 7)):
        for kind in ("noisy", "expert", "faces", "blind"):
            if mode == "coop" or players > 1:
                yield mode, {"players": players, "catalogue": catalogue, "knowledge": kind}
        if mode == "coop" and players > 1:
            yield mode, {"players": players, "catalogue": catalogue, "communication": "none"}
    yield from GAMES


over_all_variants = pytest.mark.parametrize(
    ("mode", "settings"),
    [pytest.param(*each, id="-".join([each[0], *map(str, each[1].values())])) for each in all_variants()],
)


# --- the checkers of the field ----------------------------------------------------------------------------------------


@over_all_variants
def test_gymnasiums_checker_is_content(mode: str, settings: Settings) -> None:
    check_env(gymnasium.make(IDS[mode], **settings).unwrapped, skip_render_check=True)


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows that nobody sees, and that hardly stand still for a viewer."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(TableEnv.metadata, "render_fps", 1000)


@pytest.mark.usefixtures("no_screen")
@both_modes
def test_gymnasiums_checker_is_content_with_all_render_modes(mode: str) -> None:
    check_env(gymnasium.make(IDS[mode], render_mode="rgb_array").unwrapped)


@over_all_variants
def test_stable_baselines_checker_is_content(mode: str, settings: Settings) -> None:
    from stable_baselines3.common import env_checker

    env_checker.check_env(SINGLE[mode](**settings), skip_render_check=True)


@both_modes
def test_maskable_ppo_learns_on_the_single_env(mode: str) -> None:
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)
    env = Watched(gymnasium.make(IDS[mode], hand_size=2))
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu")
    before = [weights.detach().clone() for weights in model.policy.parameters()]
    model.learn(64)
    after = list(model.policy.parameters())
    assert any((old != new).any() for old, new in zip(before, after, strict=True))
    assert env.steps == 64 and env.illegal == 0, "the masks must have kept it from illegal actions"


class Watched(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Counts steps and illegal actions."""

    steps = illegal = 0

    def step(self, action: Any) -> Any:
        answer = super().step(action)
        self.steps += 1
        self.illegal += "illegal_action" in answer[4]
        return answer


# --- the single env ---------------------------------------------------------------------------------------------------


def choice(rng: np.random.Generator, mask: Any) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


@over_games
def test_the_mask_is_in_the_info_and_in_action_masks(mode: str, settings: Settings) -> None:
    env = SINGLE[mode](**settings)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=1)
    ended = False
    while not ended:
        mask = env.action_masks()
        assert mask.dtype == np.bool_ and info["action_mask"].dtype == np.int8
        assert mask.any() and (mask == info["action_mask"]).all()
        _, _, terminated, truncated, info = env.step(choice(rng, mask))
        ended = terminated or truncated
    assert not env.action_masks().any() and "end_reason" in info


@both_modes
def test_an_illegal_action_is_marked_and_changes_nothing(mode: str) -> None:
    env = SINGLE[mode](players=3)
    observation, info = env.reset(seed=3)
    game = env.game.copy()
    for action in (*np.flatnonzero(info["action_mask"] == 0)[:9], -1, 10**6, 2**70):
        after, reward, terminated, truncated, told = env.step(action)
        assert told["illegal_action"] is True and reward == 0 and not terminated and not truncated
        assert (after == observation).all() and (told["action_mask"] == info["action_mask"]).all()
        assert env.game == game
    assert "illegal_action" not in env.step(choice(np.random.default_rng(0), info["action_mask"]))[4]


@over_games
def test_a_step_after_the_end_is_illegal_and_pays_nothing(mode: str, settings: Settings) -> None:
    env = SINGLE[mode](**settings)
    for seed in range(4):
        play_to_end(env, seed)
        game = env.game.copy()
        _, reward, _, _, info = env.step(0)
        assert info["illegal_action"] is True and reward == 0 and env.game == game


def play_to_end(env: Any, seed: int) -> tuple[float, int]:
    """Play a random game; its return and its length."""
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    total, length, ended = 0.0, 0, False
    while not ended:
        _, reward, terminated, truncated, info = env.step(choice(rng, info["action_mask"]))
        total, length, ended = total + float(reward), length + 1, terminated or truncated
    return total, length


def test_infos_of_coop_are_those_of_the_game() -> None:
    env = CoopEnv(players=3)
    play_to_end(env, 2)
    _, info = env.reset(seed=2)
    assert (info["score"], info["rank"]) == (-33, "Team Wannabes") and "end_reason" not in info
    play_to_end(env, 2)
    result, info = read_result(env.game), env._info()
    assert (info["score"], info["rank"], info["end_reason"]) == (result.score, result.rank(), result.end_reason)


def test_infos_of_a_competition_are_those_of_the_game() -> None:
    env = CompetitiveEnv(players=3, hand_size=1, seat=1)
    _, info = env.reset(seed=2)
    assert info["seat"] == 1 and info["rounds"] == 0 and len(info["cards_left"]) == 3 and "winners" not in info
    play_to_end(env, 2)
    info = env._info()
    assert info["winners"] == list(read_result(env.game).winners) and info["end_reason"] == "won"


@both_modes
def test_reset_options_deal_a_given_game(mode: str) -> None:
    order = np.random.default_rng(0).permutation(100)[: 36 if mode == "coop" else 100]
    options = {"draw_order": order, "estimates": np.full((2, 100), 31.0), "colour": "blue"}
    single, vector = SINGLE[mode](), VECTOR[mode](3)
    observation, _ = single.reset(seed=5, options=options)
    observations, _ = vector.reset(seed=[5, 5, 5], options=options)
    dealt = single.game.card if mode == "coop" else single.game.pile[:100]
    assert (dealt == order).all() and (observations == observation).all()
    cards = single.layout["cards"].of(observation)[:4]
    assert cards[:, 3 if mode == "coop" else 2] == pytest.approx(0.315)


@both_modes
def test_a_mistake_in_reset_leaves_the_running_game_unharmed(mode: str) -> None:
    single, vector = SINGLE[mode](), VECTOR[mode](2)
    for env in (single, vector):
        env.reset(seed=5)
        games, masks = env.batch.games.copy(), env.batch.masks.copy()
        for options in ({"draw_order": [1]}, {"draw_order": 3}, {"estimates": [1]}):
            with pytest.raises(SettingsError, match=r"^(draw_order|estimates): "):
                env.reset(seed=6, options=options)
        assert (env.batch.games == games).all() and (env.batch.masks == masks).all()


STEP_BEFORE_RESET = """
from timeline_twist import SettingsError
from timeline_twist.single import *
from timeline_twist.vector import *
try:
    {call}
except SettingsError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "call",
    [
        "CoopEnv().step(0)",
        "CompetitiveEnv().step(0)",
        "CoopVectorEnv(1).step([0])",
        "CompetitiveVectorEnv(1).step([0])",
    ],
)
def test_a_step_before_reset_is_a_clear_error(call: str) -> None:
    # In a process of its own: compiled code that walks round an empty table never comes back.
    script = STEP_BEFORE_RESET.format(call=call)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=20, check=False)
    assert "reset()" in run.stdout, run.stderr


@both_modes
def test_made_by_its_id_it_wants_a_reset_first(mode: str) -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        gymnasium.make(IDS[mode]).step(0)


# --- Gymnasium's own wrappers -----------------------------------------------------------------------------------------


@over_games
def test_record_episode_statistics_works_around_it(mode: str, settings: Settings) -> None:
    env = RecordEpisodeStatistics(SINGLE[mode](**settings))
    total, length = play_to_end(env, 3)
    assert env.return_queue[0] == pytest.approx(total) and env.length_queue[0] == length


@both_modes
def test_a_time_limit_works_around_it(mode: str) -> None:
    for env in (TimeLimit(SINGLE[mode](), 3), gymnasium.make(IDS[mode], max_episode_steps=3)):
        rng = np.random.default_rng(0)
        _, info = env.reset(seed=1)
        ends = []
        for _ in range(3):
            _, _, terminated, truncated, info = env.step(choice(rng, info["action_mask"]))
            ends.append((terminated, truncated))
        assert ends == [(False, False), (False, False), (False, True)]


@both_modes
def test_order_enforcing_works_around_it(mode: str) -> None:
    env: Any = OrderEnforcing(SINGLE[mode]())
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=1)
    env.step(0)


# --- same seed, same actions: the same course everywhere --------------------------------------------------------------

STEPS = 150
Course = list[tuple[Any, ...]]


def entry(seen: Any, mask: Any, action: int, reward: Any, ends: tuple[Any, Any], last: Any) -> tuple[Any, ...]:
    """One step: what was seen before it, what was done, and what came of it."""
    ended = bool(ends[0] or ends[1])
    final = last.tobytes() if ended else b""
    return seen.tobytes(), mask.tobytes(), action, float(reward), bool(ends[0]), bool(ends[1]), final


def single_course(env: Any, seed: int, steps: int = STEPS) -> Course:
    rng = np.random.default_rng(seed)
    course: Course = []
    seen, info = env.reset(seed=seed)
    for _ in range(steps):
        mask = info["action_mask"]
        action = choice(rng, mask)
        after, reward, terminated, truncated, info = env.step(action)
        course.append(entry(seen, mask, action, reward, (terminated, truncated), after))
        seen = after
        if terminated or truncated:
            seen, info = env.reset()
    return course


def aec_course(env: Any, seed: int, steps: int = STEPS) -> Course:
    rng = np.random.default_rng(seed)
    course: Course = []
    env.reset(seed=seed)
    for _ in range(steps):
        agent = env.agent_selection
        before = env.observe(agent)
        action = choice(rng, before["action_mask"])
        env.step(action)
        ends = env.terminations[agent], env.truncations[agent]
        after = env.observe(env.agent_selection)["observation"]
        course.append(entry(before["observation"], before["action_mask"], action, env.rewards[agent], ends, after))
        if any(ends):
            env.reset()
    return course


def vector_courses(envs: Any, seed: int, steps: int = STEPS) -> list[Course]:
    """The course of every game, whatever the autoreset mode."""
    games = range(envs.num_envs)
    mode = envs.metadata["autoreset_mode"]
    rngs = [np.random.default_rng(seed + i) for i in games]
    courses: list[Course] = [[] for _ in games]
    seen, infos = envs.reset(seed=seed)
    over = np.zeros(envs.num_envs, np.bool_)
    while min(map(len, courses)) < steps:
        masks = infos["action_mask"]
        actions = [0 if over[i] else choice(rngs[i], masks[i]) for i in games]
        after, rewards, terminated, truncated, infos = envs.step(np.array(actions))
        for i in games:
            if over[i]:
                assert rewards[i] == 0 and not terminated[i] and not truncated[i]
                continue
            same_step = mode == AutoresetMode.SAME_STEP and (terminated[i] or truncated[i])
            last = infos["final_obs"][i] if same_step else after[i]
            ends = terminated[i], truncated[i]
            courses[i].append(entry(seen[i], masks[i], actions[i], rewards[i], ends, last))
        ended = terminated | truncated
        seen = after
        over = ended if mode == AutoresetMode.NEXT_STEP else over
        if mode == AutoresetMode.DISABLED and ended.any():
            seen, infos = envs.reset(options={"reset_mask": ended})
    return [course[:steps] for course in courses]


def ends_of(course: Course) -> int:
    return sum(step[4] or step[5] for step in course)


@pytest.mark.parametrize("settings", [settings for mode, settings in GAMES if mode == "coop"])
def test_coop_games_go_the_same_way_in_aec_and_single(settings: Settings) -> None:
    for seed in range(3):
        course = aec_course(coop_v0.env(**settings), seed)
        assert single_course(CoopEnv(**settings), seed) == course and ends_of(course) > 2


@pytest.mark.parametrize("autoreset", list(AutoresetMode))
@over_games
def test_games_go_the_same_way_alone_and_in_a_vector(mode: str, settings: Settings, autoreset: AutoresetMode) -> None:
    courses = vector_courses(VECTOR[mode](5, autoreset_mode=autoreset, **settings), seed=20)
    for i, course in enumerate(courses):
        assert single_course(SINGLE[mode](**settings), 20 + i) == course and ends_of(course) > 2


@over_games
def test_a_vector_goes_the_same_way_in_smaller_parts(mode: str, settings: Settings) -> None:
    whole = vector_courses(VECTOR[mode](7, **settings), seed=30)
    parts = [vector_courses(VECTOR[mode](n, **settings), seed=30 + first) for n, first in ((1, 0), (4, 1), (2, 5))]
    assert whole == [course for part in parts for course in part]


class Script:
    """An opponent who does what was recorded, and notes what it was shown."""

    def __init__(self, actions: list[int]) -> None:
        self.actions, self.shown = actions, list[tuple[bytes, bytes]]()

    def __call__(self, observations: Any, masks: Any) -> Any:
        assert len(observations) == len(masks) == 1
        self.shown.append((observations[0].tobytes(), masks[0].tobytes()))
        return np.array([self.actions[len(self.shown) - 1]])


def recorded_competition(env: Any, seat: int, seed: int, steps: int) -> tuple[Course, Course]:
    """All seats at random: the steps of one of them with their reward, and those of the others."""
    rng = np.random.default_rng(seed)
    own: Course = []
    others: Course = []
    env.reset(seed=seed)
    for _ in range(steps):
        agent = env.agent_selection
        seen = env.observe(agent)
        action = choice(rng, seen["action_mask"])
        step = (seen["observation"].tobytes(), seen["action_mask"].tobytes(), action)
        (own if agent == f"player_{seat}" else others).append(step)
        env.step(action)
        if env.terminations[agent] or env.truncations[agent]:
            own.append((env.rewards[f"player_{seat}"], env.terminations[agent], env.truncations[agent]))
            env.reset()
    return own, others


@pytest.mark.parametrize(
    ("seat", "settings"),
    [
        (0, {"hand_size": 1}),
        (2, {"hand_size": 1, "players": 4, "slots": "sorted", "first_player": 1}),
        (1, {"hand_size": 2, "players": 3, "knowledge": "expert", "max_rounds": 5}),
    ],
)
def test_competitions_go_the_same_way_in_aec_and_single(seat: int, settings: Settings) -> None:
    own, others = recorded_competition(competitive_v0.env(**settings), seat, seed=4, steps=400)
    script = Script([step[2] for step in others])
    env = CompetitiveEnv(opponents=script, seat=seat, **settings)
    seen, info = env.reset(seed=4)
    answer: tuple[Any, ...] = (0.0, False, False)
    games = 0
    # Where the record breaks off, the others have no answer to the last steps.
    for step in own[: -2 * settings.get("players", 2)]:
        if len(step) == 3 and isinstance(step[0], bytes):
            assert answer == (0.0, False, False)
            assert (seen.tobytes(), info["action_mask"].tobytes()) == step[:2]
            seen, *rest, info = env.step(step[2])
            answer = tuple(rest)
        else:
            assert answer == pytest.approx(step)
            seen, info = env.reset()
            answer = (0.0, False, False)
            games += 1
    assert games > 3 and script.shown == [step[:2] for step in others[: len(script.shown)]]


# --- the vector env ---------------------------------------------------------------------------------------------------


@both_modes
def test_make_vec_makes_the_vector_env(mode: str) -> None:
    envs: Any = gymnasium.make_vec(IDS[mode], num_envs=3, vectorization_mode="vector_entry_point", players=3)
    assert isinstance(envs.unwrapped, TableVectorEnv) and envs.num_envs == 3
    assert isinstance(gymnasium.make_vec(IDS[mode], num_envs=3).unwrapped, TableVectorEnv), "it is the default"
    observations, infos = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    assert infos["action_mask"].shape == (3, envs.single_action_space.n)


@both_modes
def test_game_i_has_seed_plus_i_or_the_ith_seed(mode: str) -> None:
    envs: Any = VECTOR[mode](3)
    envs.reset(seed=40)
    assert envs.games["seed"].tolist() == [40, 41, 42]
    envs.reset(seed=[7, 1, 7])
    assert envs.games["seed"].tolist() == [7, 1, 7]
    envs.reset(seed=np.array([2**63, 1, 2**64 - 1], np.uint64))
    assert envs.games["seed"].tolist() == [2**63, 1, 2**64 - 1]


@both_modes
def test_reset_without_a_seed_goes_on_in_every_game(mode: str) -> None:
    envs: Any = VECTOR[mode](3)
    courses = []
    for _ in range(2):
        envs.reset(seed=40)
        envs.reset()
        courses.append(envs.games.copy())
    assert (courses[0] == courses[1]).all() and len(set(courses[0]["seed"].tolist()) | {40, 41, 42}) == 6


@both_modes
def test_a_seed_left_open_in_a_list_goes_on_as_gymnasium_allows(mode: str) -> None:
    envs: Any = VECTOR[mode](2)
    envs.reset(seed=40)
    envs.reset()
    following = int(envs.games["seed"][1])
    envs.reset(seed=40)
    envs.reset(seed=[9, None])
    assert envs.games["seed"].tolist() == [9, following]


@pytest.mark.parametrize(
    ("seed", "message"),
    [([1], "seed: 1 seeds for 2 games"), ([1, 2.5], r"seed: 2\.5 is not a whole number"), ("ab", "seed: 'ab' is not")],
)
@both_modes
def test_bad_seeds_are_clear_errors(mode: str, seed: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=f"^{message}"):
        VECTOR[mode](2).reset(seed=seed)


@pytest.mark.parametrize(
    "actions",
    [
        [0],
        [0, 0, 0],
        [0.0, 1.0],
        [True, False],
        0,
        None,
        "00",
        [[0], [0]],
        [0, None],
        [0, 2**70],
        np.zeros((2, 2), int),
    ],
)
@both_modes
def test_actions_of_another_shape_or_kind_are_clear_errors(mode: str, actions: Any) -> None:
    envs: Any = VECTOR[mode](2)
    observations, _ = envs.reset(seed=0)
    games, seen = envs.games.copy(), observations.copy()
    with pytest.raises(SettingsError, match=r"^actions: give 2 whole numbers, one for each game"):
        envs.step(actions)
    assert (envs.games == games).all() and (observations == seen).all()


@pytest.mark.parametrize("count", [0, -1, 2.0, "3", True, None, 10**7])
@both_modes
def test_a_bad_number_of_games_is_a_clear_error(mode: str, count: Any) -> None:
    with pytest.raises(SettingsError, match=r"^num_envs: .* is not a whole number from 1 to"):
        VECTOR[mode](count)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"autoreset_mode": "sometimes"}, "autoreset_mode: 'sometimes' is not known; choose SameStep, NextStep or Dis"),
        ({"playes": 3}, r"playes: \w+-v0 has no such setting; did you mean 'players'\?"),
        (
            {"episode_statistic": 3},
            r"episode_statistic: \w+-v0 has no such setting; did you mean 'episode_statistics'\?",
        ),
        ({"render_mode": "rgb"}, "render_mode: 'rgb' is not known"),
        ({"copy": "no"}, "copy: 'no' is neither True nor False"),
        ({"episode_statistics": "no"}, "episode_statistics: 'no' is neither True nor False"),
    ],
)
@both_modes
def test_bad_settings_of_a_vector_are_named(mode: str, settings: Settings, message: str) -> None:
    with pytest.raises(SettingsError, match=f"^{message}"):
        VECTOR[mode](2, **settings)


@pytest.mark.parametrize("mask", [[True], [1, 0], np.zeros(2, np.bool_), np.ones((2, 1), np.bool_), "both"])
@both_modes
def test_a_bad_reset_mask_is_a_clear_error(mode: str, mask: Any) -> None:
    envs: Any = VECTOR[mode](2, autoreset_mode="Disabled")
    envs.reset(seed=0)
    games = envs.games.copy()
    with pytest.raises(SettingsError, match=r"^reset_mask: give 2 booleans, at least one of them True"):
        envs.reset(options={"reset_mask": mask})
    assert (envs.games == games).all()


@pytest.mark.parametrize("given", [AutoresetMode.NEXT_STEP, "NextStep", "next-step", "next_step"])
@both_modes
def test_metadata_tell_the_autoreset_mode(mode: str, given: Any) -> None:
    assert VECTOR[mode](1, autoreset_mode=given).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert VECTOR[mode](1).metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


def first_legal(envs: Any) -> Any:
    return envs.action_masks().argmax(axis=1)


def random_legal(envs: Any, rng: np.random.Generator) -> Any:
    return np.array([choice(rng, mask) if mask.any() else 0 for mask in envs.action_masks()])


def until_an_end(envs: Any, rng: np.random.Generator) -> tuple[Any, ...]:
    """Step until some game ends; the answer of that step."""
    for _ in range(10_000):
        answer: tuple[Any, ...] = envs.step(random_legal(envs, rng))
        if (answer[2] | answer[3]).any():
            return answer
    raise AssertionError("no game ends")


@over_games
def test_same_step_infos_hold_the_last_of_the_old_game_and_the_first_of_the_new(mode: str, settings: Settings) -> None:
    envs: Any = VECTOR[mode](4, **settings)
    envs.reset(seed=3)
    for _ in range(3):
        observations, _, terminated, truncated, infos = until_an_end(envs, np.random.default_rng(1))
        ended = terminated | truncated
        last = infos["final_info"]
        for key in ("_final_obs", "_final_info", "_episode"):
            assert (infos[key] == ended).all()
        assert (last["_end_reason"] == ended).all() and "end_reason" not in infos
        for i in np.flatnonzero(ended):
            assert infos["final_obs"][i].shape == observations[i].shape and infos["action_mask"][i].any()
            assert (infos["final_obs"][i] != observations[i]).any()
            assert last["end_reason"][i] in ("failed_play", "no_legal_action", "all_cards_used", "won", "max_rounds")
        assert (envs.games["end"] == 0).all()


def test_coop_vector_infos_tell_scores_and_ranks() -> None:
    envs = CoopVectorEnv(4)
    _, infos = envs.reset(seed=3)
    assert infos["score"].tolist() == [-33] * 4 and infos["_score"].all()
    singles = [CoopEnv() for _ in range(4)]
    for i, env in enumerate(singles):
        env.reset(seed=3 + i)
    ends = 0
    while ends < 4:
        actions = first_legal(envs)
        _, _, terminated, _, infos = envs.step(actions)
        for i, env in enumerate(singles):
            told = env.step(actions[i])[4]
            if terminated[i]:
                last = infos["final_info"]
                assert (last["score"][i], last["rank"][i], last["end_reason"][i]) == tuple(
                    told[key] for key in ("score", "rank", "end_reason")
                )
                told = env.reset()[1]
                ends += 1
            assert infos["score"][i] == told["score"]


def test_competitive_vector_infos_tell_the_winners() -> None:
    envs = CompetitiveVectorEnv(6, players=3, hand_size=1, seat=1, autoreset_mode="NextStep")
    envs.reset(seed=3)
    rng = np.random.default_rng(0)
    paid = set()
    for _ in range(10):
        _, rewards, terminated, _, infos = until_an_end(envs, rng)
        for i in np.flatnonzero(terminated):
            winners = np.flatnonzero(infos["winners"][i]).tolist()
            assert winners == list(read_result(envs.games[i]).winners) and infos["end_reason"][i] == "won"
            assert rewards[i] == (1.0 if winners == [1] else -0.5)
            paid.add(float(rewards[i]))
    assert paid == {1.0, -0.5}


@both_modes
def test_next_step_deals_in_the_step_after_the_end_and_ignores_its_action(mode: str) -> None:
    envs: Any = VECTOR[mode](3, hand_size=1, autoreset_mode=AutoresetMode.NEXT_STEP)
    envs.reset(seed=3)
    rng = np.random.default_rng(1)
    _, _, terminated, truncated, infos = until_an_end(envs, rng)
    ended = terminated | truncated
    assert "final_obs" not in infos and (infos["_end_reason"] == ended).all()
    assert (envs.games["end"][ended] != 0).all() and not infos["action_mask"][ended].any()
    following = [envs.batch.next_seed(i) for i in np.flatnonzero(ended)]
    actions = random_legal(envs, rng)
    actions[ended] = 10**6
    _, rewards, terminated, truncated, infos = envs.step(actions)
    assert envs.games["seed"][ended].tolist() == following
    assert not rewards[ended].any() and not (terminated | truncated)[ended].any()
    assert infos["action_mask"][ended].any(axis=1).all() and not infos.get("illegal_action", ended * False)[ended].any()


@both_modes
def test_without_autoreset_a_finished_game_must_be_dealt_by_its_mask(mode: str) -> None:
    envs: Any = VECTOR[mode](3, hand_size=1, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=3)
    _, _, terminated, truncated, _ = until_an_end(envs, np.random.default_rng(1))
    ended = terminated | truncated
    games = envs.games.copy()
    with pytest.raises(SettingsError, match=r"^step: a game is over; deal it anew with reset\(options=\{'reset_mask'"):
        envs.step([0, 0, 0])
    assert (envs.games == games).all()
    observations, infos = envs.reset(options={"reset_mask": ended})
    assert (envs.games[~ended] == games[~ended]).all() and (envs.games["end"] == 0).all()
    assert infos["action_mask"].any(axis=1).all() and envs.observation_space.contains(observations)
    seeds = envs.games["seed"].copy()
    envs.reset(seed=[70, 71, 72], options={"reset_mask": np.array([False, True, False])})
    assert envs.games["seed"].tolist() == [seeds[0], 71, seeds[2]]


@both_modes
def test_dealing_one_game_anew_does_not_report_another_once_more(mode: str) -> None:
    envs: Any = VECTOR[mode](2, hand_size=1, players=2, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=[3, 3])
    assert until_both_end(envs)
    _, infos = envs.reset(options={"reset_mask": np.array([True, False])})
    assert not {"episode", "end_reason", "_episode"} & set(infos)


def until_both_end(envs: Any) -> bool:
    """Two equal games, played alike, end in the same step."""
    rng = np.random.default_rng(0)
    for _ in range(10_000):
        _, _, terminated, truncated, _ = envs.step([choice(rng, envs.action_masks()[0])] * 2)
        if (terminated | truncated).any():
            return bool((terminated | truncated).all())
    return False


@both_modes
def test_illegal_actions_in_a_vector_are_marked_and_change_only_their_own_game_not_at_all(mode: str) -> None:
    envs: Any = VECTOR[mode](3)
    before, _ = envs.reset(seed=0)
    games = envs.games.copy()
    wrong = END_TURN if mode == "coop" else 5
    after, rewards, terminated, truncated, infos = envs.step([wrong, 0, -1])
    assert infos["illegal_action"].tolist() == infos["_illegal_action"].tolist() == [True, False, True]
    assert (envs.games[[0, 2]] == games[[0, 2]]).all() and envs.games[1] != games[1]
    assert (after[[0, 2]] == before[[0, 2]]).all() and not rewards[[0, 2]].any() and not (terminated | truncated).any()
    assert "illegal_action" not in envs.step(first_legal(envs))[4]


# Before 1.4 Gymnasium's wrapper takes every autoreset for next-step: with same-step it leaves out the first step of
# each game after the first, and there is nothing to compare with.
KNOWS_SAME_STEP = tuple(int(part) for part in gymnasium.__version__.split(".")[:2]) >= (1, 4)


@pytest.mark.parametrize(
    "autoreset",
    [
        pytest.param(
            AutoresetMode.SAME_STEP,
            marks=pytest.mark.skipif(not KNOWS_SAME_STEP, reason="this Gymnasium counts same-step episodes wrongly"),
        ),
        AutoresetMode.NEXT_STEP,
    ],
)
@over_games
def test_episode_statistics_are_those_of_gymnasiums_wrapper(
    mode: str, settings: Settings, autoreset: AutoresetMode
) -> None:
    ours: Any = VECTOR[mode](4, autoreset_mode=autoreset, **settings)
    plain = VECTOR[mode](4, autoreset_mode=autoreset, episode_statistics=False, **settings)
    theirs = RecordVectorStatistics(plain)
    ours.reset(seed=1)
    theirs.reset(seed=1)
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(120):
        actions = random_legal(ours, rng)
        if rng.random() < 0.1:
            actions[0] = -1  # an illegal action is a step as well
        infos, expected = ours.step(actions)[4], theirs.step(actions)[4]
        assert ("episode" in infos) == ("episode" in expected)
        if "episode" in infos:
            ends += 1
            assert (infos["_episode"] == expected["_episode"]).all()
            for key in ("r", "l"):
                assert (infos["episode"][key] == expected["episode"][key]).all()
                assert infos["episode"][key].dtype.kind == expected["episode"][key].dtype.kind
            assert ((infos["episode"]["t"] > 0) == infos["_episode"]).all()
    assert ends > 3


@both_modes
def test_observations_and_masks_stay_as_they_are_for_one_further_step(mode: str) -> None:
    envs: Any = VECTOR[mode](3)
    observations, infos = envs.reset(seed=0)
    for step in range(6):
        kept = observations.copy(), infos["action_mask"].copy()
        before = observations, infos["action_mask"]
        observations, *_, infos = envs.reset() if step == 3 else envs.step(first_legal(envs))
        assert (before[0] == kept[0]).all() and (before[1] == kept[1]).all()
        assert not np.shares_memory(observations, before[0])


@both_modes
def test_with_copy_they_stay_for_good(mode: str) -> None:
    envs: Any = VECTOR[mode](3, copy=True, hand_size=1)
    given, kept = [], []
    for step in range(40):
        observations, *_, infos = envs.step(first_legal(envs)) if step else envs.reset(seed=0)
        arrays = [observations, infos["action_mask"], *([infos["final_obs"]] if "final_obs" in infos else [])]
        given.append(arrays)
        kept.append([array.copy() for array in arrays])
    for arrays, copies in zip(given, kept, strict=True):
        assert all((a == b).all() for a, b in zip(arrays, copies, strict=True))


@pytest.mark.parametrize("autoreset", list(AutoresetMode))
@over_games
def test_gymnasiums_sync_vector_env_goes_the_same_way(mode: str, settings: Settings, autoreset: AutoresetMode) -> None:
    ours: Any = gymnasium.make_vec(
        IDS[mode], num_envs=3, vectorization_mode="vector_entry_point", autoreset_mode=autoreset, **settings
    )
    theirs = gymnasium.make_vec(
        IDS[mode], num_envs=3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": autoreset}, **settings
    )
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    first: tuple[Any, ...] = ours.reset(seed=5)
    second: tuple[Any, ...] = theirs.reset(seed=5)
    rng = np.random.default_rng(0)
    assert_same_infos(first[1], second[1])
    for _ in range(100):
        actions = random_legal(ours.unwrapped, rng)
        first, second = ours.step(actions), theirs.step(actions)
        for ours_part, their_part in zip(first[:4], second[:4], strict=True):
            assert ours_part.dtype == their_part.dtype and (ours_part == their_part).all()
        assert_same_infos(first[4], second[4])
        ended = first[2] | first[3]
        if autoreset == AutoresetMode.DISABLED and ended.any():
            renewed, expected = (each.reset(options={"reset_mask": ended.copy()}) for each in (ours, theirs))
            assert (renewed[0] == expected[0]).all()


def assert_same_infos(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Ours has less of what can be computed from the rest; what both have must be equal where it is marked."""
    for key in ("action_mask", "score", "end_reason", "final_obs", "illegal_action"):
        assert (key in ours) == (key in theirs), key
        if key in ours:
            assert (ours[f"_{key}"] == theirs[f"_{key}"]).all()
            for i in np.flatnonzero(ours[f"_{key}"]):
                assert np.array_equal(ours[key][i], theirs[key][i]), key
    if "final_info" in theirs:
        ended = theirs["_final_info"]
        for key in ("end_reason", "score", "rank"):
            if key in theirs["final_info"]:
                assert (ours["final_info"][key][ended] == theirs["final_info"][key][ended]).all()


@both_modes
def test_a_vector_renders_every_game(mode: str) -> None:
    envs = VECTOR[mode](2, render_mode="ansi")
    envs.reset(seed=0)
    texts = envs.render()
    single = SINGLE[mode](render_mode="ansi")
    single.reset(seed=1)
    assert texts is not None and len(texts) == 2 and texts[1] == single.render() != texts[0]
    envs.close()


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
@over_games
def test_copies_keep_the_games_and_go_their_own_ways(mode: str, settings: Settings, how: str) -> None:
    for env in (SINGLE[mode](**settings), VECTOR[mode](3, **settings)):
        env.reset(seed=3)
        step_on(env, 5, seed=0)
        twin = copy.deepcopy(env) if how == "deepcopy" else pickle.loads(pickle.dumps(env))  # noqa: S301  (our own bytes)
        games = env.batch.games.copy()
        followed = step_on(twin, 40, seed=1)
        assert (env.batch.games == games).all() and step_on(env, 40, seed=1) == followed


def step_on(env: Any, steps: int, seed: int) -> list[bytes]:
    """Random steps from here on; what was seen, as bytes."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(steps):
        masks = np.atleast_2d(env.action_masks())
        actions = np.array([choice(rng, mask) for mask in masks])
        single = isinstance(env, TableEnv)
        observation, reward, terminated, truncated, _ = env.step(actions[0] if single else actions)
        seen.append(observation.tobytes() + np.asarray(reward).tobytes())
        if single and (terminated or truncated):
            env.reset()
    return seen


# --- opponents --------------------------------------------------------------------------------------------------------


class Counting:
    """An opponent that plays the first legal action and counts whom and how many it was asked for."""

    def __init__(self) -> None:
        self.env: Any = None
        self.batches: list[int] = []
        self.seats: set[int] = set()

    def __call__(self, observations: Any, masks: Any) -> Any:
        assert observations.dtype == np.float32 and masks.dtype == np.int8 and masks.any(axis=1).all()
        assert observations.shape == (len(masks), self.env.layout.size)
        if len(masks) == len(self.env.batch):
            self.seats |= set(self.env.batch.games["turn"].tolist())
        self.batches.append(len(masks))
        return masks.argmax(axis=1)


def test_an_opponent_is_asked_for_all_its_games_at_once() -> None:
    opponent = Counting()
    opponent.env = envs = CompetitiveVectorEnv(50, players=3, opponents=opponent)
    envs.reset(seed=0)
    assert opponent.batches == []
    envs.step(first_legal(envs))
    assert sorted(opponent.batches) in ([50, 50], [100]) and opponent.seats == {1, 2}


@pytest.mark.parametrize("seat", [0, 1, 3])
def test_a_list_of_opponents_sits_in_order_after_the_agent(seat: int) -> None:
    opponents = [Counting() for _ in range(3)]
    env = CompetitiveEnv(players=4, opponents=opponents, seat=seat)
    for opponent in opponents:
        opponent.env = env
    env.reset(seed=0)
    for _ in range(3):
        env.step(int(env.action_masks().argmax()))
    assert [opponent.seats for opponent in opponents] == [{(seat + k) % 4} for k in (1, 2, 3)]


def test_opponents_see_what_their_own_seat_sees() -> None:
    env: Any = None

    def opponent(observations: Any, masks: Any) -> Any:
        seat = int(env.game["turn"])
        own = env.batch.observe(0, seat)
        assert (
            seat != env.seat
            and (observations[0] == own["observation"]).all()
            and (masks[0] == own["action_mask"]).all()
        )
        return masks.argmax(axis=1)

    env = CompetitiveEnv(players=4, opponents=opponent, seat=2, knowledge={"kind": "noisy", "sigma": [1, 5, 20, 3]})
    env.reset(seed=0)
    for _ in range(20):
        env.step(int(env.action_masks().argmax()))


def test_random_and_own_opponents_mix() -> None:
    own = Counting()
    own.env = env = CompetitiveEnv(players=3, opponents=["random", own], hand_size=1)
    play_to_end(env, 1)
    assert own.seats == {2}


def test_random_opponents_are_random_and_follow_the_seed() -> None:
    firsts = []
    for seed in [*range(30), 0]:
        env = CompetitiveEnv(seat=1)
        env.reset(seed=seed)
        slot = [card not in env.game.hands[0] for card in env.game.pile[:4]].index(True)
        firsts.append((seed, slot, int(env.game.recent[0, 0])))
    assert firsts[0] == firsts[-1] and len({slot for _, slot, _ in firsts}) == 4


def test_agents_sit_in_the_other_seats_by_name() -> None:
    settings: dict[str, Any] = {"players": 3, "knowledge": {"kind": "noisy", "sigma": 3}}
    settings["opponents"] = ["bayes", "random"]
    single, vector = CompetitiveEnv(**settings), CompetitiveVectorEnv(4, **settings)
    vector.reset(seed=[5, 6, 7, 8])
    _, info = single.reset(seed=7)
    right: dict[int, list[bool]] = {1: [], 2: []}
    for _ in range(5):
        action = int(info["action_mask"].argmax())
        _, _, over, _, info = single.step(action)
        vector.step(vector.batch.masks.argmax(axis=1))
        for event, seat, _ in single.game.recent.tolist()[:2]:
            right[seat].append(event == engine.RIGHT)
        if over:
            break
        assert np.array_equal(single.game.timeline, vector.games[2].timeline)
    assert np.mean(right[1]) > np.mean(right[2])


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        ([], "opponents: 0 for 3 players; give one, or 2 in the order after your seat"),
        (["random"] * 3, "opponents: 3 for 3 players"),
        ("greddy", "agent: 'greddy' is neither a built-in agent nor a folder; did you mean 'greedy'"),
        (["random", 7], "opponents: 7 is neither an agent, its name, nor a function"),
        (None, "opponents: None is neither"),
    ],
)
def test_bad_opponents_are_refused(opponents: Any, message: str) -> None:
    for make in (CompetitiveEnv, CompetitiveVectorEnv):
        with pytest.raises(SettingsError, match=f"^{message}"):
            make(opponents=opponents, players=3)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda masks: (1 - masks).argmax(axis=1), "opponents: action 2 is not legal; choose one where the mask is 1"),
        (lambda masks: np.full(len(masks), -1), "opponents: action -1 is not legal"),
        (lambda masks: np.zeros(len(masks) + 1, int), r"opponents: gave int64 of shape \(4,\); give 3 whole numbers"),
        (lambda masks: np.zeros(len(masks)), r"opponents: gave float64 of shape \(3,\); give 3 whole numbers"),
        (lambda _: None, "opponents: gave object of shape"),
        (lambda _: 0, r"opponents: gave int64 of shape \(\); give 3 whole numbers"),
    ],
)
def test_a_bad_answer_of_an_opponent_is_a_clear_error(answer: Callable[[Any], Any], message: str) -> None:
    envs = CompetitiveVectorEnv(3, opponents=lambda _, masks: answer(masks), seat=1)
    with pytest.raises(SettingsError, match=f"^{message}"):
        envs.reset(seed=0)


@pytest.mark.parametrize("seat", [-1, 3, True, 1.0, "last", None])
def test_a_bad_seat_is_refused(seat: Any) -> None:
    for make in (CompetitiveEnv, CompetitiveVectorEnv):
        with pytest.raises(SettingsError, match=r"^seat: .* is not a whole number from 0 to 2"):
            make(seat=seat, players=3)


@pytest.mark.parametrize("typo", ["oponents", "seats"])
def test_a_misspelt_setting_of_the_opposition_gets_the_right_hint(typo: str) -> None:
    meant = {"oponents": "opponents", "seats": "seat"}[typo]
    settings: Settings = {typo: 0}
    for make in (CompetitiveEnv, CompetitiveVectorEnv):
        with pytest.raises(SettingsError, match=f"^{typo}: Competitive-v0 has no such setting; did you mean '{meant}'"):
            make(**settings)


def test_a_fixed_seat_stays_and_a_random_one_changes_with_the_game() -> None:
    fixed, drawn = CompetitiveVectorEnv(60, seat=2, players=3), CompetitiveVectorEnv(60, seat="random", players=3)
    for envs in (fixed, drawn):
        envs.reset(seed=0)
        assert (envs.games["turn"] == envs.seats).all(), "it is the agent's turn"
    assert set(fixed.seats.tolist()) == {2}
    counts = np.bincount(drawn.seats, minlength=3)
    assert len(counts) == 3 and counts.min() >= 8
    before = drawn.seats.copy()
    drawn.reset()
    assert (drawn.seats != before).any()
    drawn.reset(seed=0)
    assert (drawn.seats == before).all()


def test_the_single_env_tells_its_seat() -> None:
    env = CompetitiveEnv(seat="random", players=5)
    seats = set()
    for seed in range(40):
        _, info = env.reset(seed=seed)
        assert info["seat"] == env.seat == env.game.turn
        seats.add(env.seat)
    assert seats == set(range(5))


def place_action(game: Any, *, right: bool) -> int:
    """The first card of the hand on turn, at a right or a wrong position by its time."""
    slot = int(np.flatnonzero(game.hands[game.turn] >= 0)[0])
    row = game.time[game.timeline[: game.timeline_count]]
    position = int(np.searchsorted(row, game.time[game.hands[game.turn, slot]]))
    if not right:
        position = 0 if position else len(row)
    return slot * (int(game.catalogue_size) + 1) + position


@pytest.mark.parametrize("vector", [False, True])
def test_an_eliminated_agent_sees_the_end_in_the_step_that_eliminated_it(vector: bool) -> None:
    env: Any = None

    def never_errs(_: Any, masks: Any) -> Any:
        return np.array([place_action(env.batch.games[0], right=True)] * len(masks))

    settings: Settings = {"players": 3, "hand_size": 1, "catalogue": catalogue_of(range(12)), "opponents": never_errs}
    env = CompetitiveVectorEnv(1, **settings) if vector else CompetitiveEnv(**settings)
    env.reset(seed=0, options={"draw_order": range(12)})
    action = place_action(env.batch.games[0], right=False)
    _, reward, terminated, truncated, info = env.step([action] if vector else action)
    # The others tie until no card is left; their draw is paid by the one who is out.
    last = info["final_info"] if vector else info
    assert np.atleast_1d(last["end_reason"])[0] == "draw" and np.ravel(terminated)[0] and not np.ravel(truncated)[0]
    assert np.ravel(reward)[0] == -1.0


def test_the_team_plays_every_seat_in_turn() -> None:
    env = CoopEnv(players=3, knowledge="expert")
    env.reset(seed=1)
    seats = []
    for _ in range(4):
        seats.append(int(env.game["turn"]))
        observation, *_ = env.step(PLAY if env.action_masks()[PLAY] else int(env.action_masks().argmax()))
        assert (observation == env.batch.observe(0, int(env.game["turn"]))["observation"]).all()
        if env.action_masks()[END_TURN]:
            env.step(END_TURN)
    assert seats == [0, 1, 2, 0]


# --- what is left at the end belongs to the learner -------------------------------------------------------------------

UNEQUAL = {"kind": "noisy", "sigma": [2, 20, 7]}


@pytest.mark.parametrize("seat", [0, 1, 2, "random"])
def test_the_last_observation_is_the_learners_whoever_won(seat: int | str) -> None:
    env = CompetitiveEnv(players=3, seat=seat, knowledge=UNEQUAL)
    winners = set()
    for seed in range(12):
        seen, info = env.reset(seed=seed)
        over = False
        while not over:
            seen, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            over = terminated or truncated
        assert (seen == env.batch.observe(0, env.seat)["observation"]).all() and not info["action_mask"].any()
        winners |= {(winner - env.seat) % 3 for winner in info["winners"]}
    assert len(winners) > 1, "somebody else has won too"


@pytest.mark.parametrize("autoreset", ["SameStep", "NextStep"])
def test_the_last_observation_in_a_vector_is_the_learners(autoreset: str) -> None:
    envs = CompetitiveVectorEnv(4, players=3, seat=1, max_rounds=1, knowledge=UNEQUAL, autoreset_mode=autoreset)
    _, infos = envs.reset(seed=3)
    last, *_, truncations, infos = envs.step(infos["action_mask"].argmax(axis=1))
    assert truncations.all()
    cards = envs.layout["cards"].of(infos["final_obs"] if autoreset == "SameStep" else last)
    # The learner's own sigma is 20 of 100 positions.
    assert cards[:, 1:4, 3] == pytest.approx(0.2)


def test_winners_can_be_told_apart_from_the_learner_in_a_vector() -> None:
    envs = CompetitiveVectorEnv(32, players=2, seat="random", knowledge="expert")
    _, infos = envs.reset(seed=0)
    ended = 0
    for _ in range(60):
        _, rewards, terminations, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        for game in np.flatnonzero(terminations):
            last = infos["final_info"]
            assert last["winners"][game][last["seat"][game]] == (rewards[game] > 0 or last["winners"][game].all())
            ended += 1
    assert ended > 20 and (infos["seat"] == envs.seats).all() and infos["cards_left"].shape == (32, 2)


def test_after_an_opponents_error_only_a_reset_goes_on() -> None:
    calls = []

    def opponent(_: Any, masks: Any) -> Any:
        calls.append(len(masks))
        if len(calls) == 3:
            raise RuntimeError("no idea")
        return masks.argmax(axis=1)

    envs = CompetitiveVectorEnv(2, opponents=opponent)
    _, infos = envs.reset(seed=0)
    actions = infos["action_mask"].argmax(axis=1)
    envs.step(actions)
    envs.step(actions)
    with pytest.raises(RuntimeError, match="no idea"):
        envs.step(actions)
    with pytest.raises(SettingsError, match="an error interrupted an opponent's turn; call reset"):
        envs.step(actions)
    envs.reset(seed=0)
    envs.step(actions)


def test_a_refused_step_leaves_masks_and_observations() -> None:
    envs = CoopVectorEnv(2, players=1, hand_size=1, deck_size=3, autoreset_mode="Disabled", copy=False)
    _, infos = envs.reset(seed=0)
    over = False
    while not over:
        seen, _, terminations, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        over = bool(terminations.any())
    masks = envs.action_masks()
    with pytest.raises(SettingsError, match="a game is over"):
        envs.step(np.zeros(2, int))
    assert (envs.action_masks() == masks).all() and envs.batch.observations is seen


@pytest.mark.parametrize("action", [None, 1.5, "play 1"])
def test_an_action_that_is_no_number_is_a_clear_error(action: Any) -> None:
    env = CoopEnv()
    env.reset(seed=0)
    with pytest.raises(SettingsError, match=r"action: .* is not a whole number"):
        env.step(action)


def test_a_mask_of_resets_needs_games_that_have_been_dealt() -> None:
    envs = CoopVectorEnv(3)
    with pytest.raises(SettingsError, match="call reset"):
        envs.reset(options={"reset_mask": np.array([True, False, False])})


def test_stored_observations_stay_as_they_are_by_default() -> None:
    envs = CoopVectorEnv(4)
    seen, infos = envs.reset(seed=0)
    kept, copies = [seen], [seen.copy()]
    for _ in range(5):
        seen, *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
        kept.append(seen)
        copies.append(seen.copy())
    assert all((one == other).all() for one, other in zip(kept, copies, strict=True))


@both_modes
def test_a_vector_has_states_and_copies(mode: str) -> None:
    envs = {"coop": CoopVectorEnv, "competitive": CompetitiveVectorEnv}[mode](3)
    _, infos = envs.reset(seed=0)
    other = copy.copy(envs)
    other.step(infos["action_mask"].argmax(axis=1))
    assert (other.state() != envs.state()).any() and envs.state().shape[0] == 3
