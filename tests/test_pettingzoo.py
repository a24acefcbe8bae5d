"""The PettingZoo environments: PettingZoo's own tests over every variant, and what a user may rely on beyond them."""

import copy
import importlib
import pickle
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo import ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers.base import BaseWrapper

from handmade import DISCARD, END_TURN, PLAY, catalogue_of
from timeline_twist import CatalogueError, SettingsError, competitive_v0, coop_v0, read_result
from timeline_twist.arrangement import HEIGHT, WIDTH
from timeline_twist.text import format_action

with warnings.catch_warnings():
    # PettingZoo's tests import its own games in a way that it has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    theirs: Any = importlib.import_module("pettingzoo.test")

MODULES = {"coop": coop_v0, "competitive": competitive_v0}
Settings = dict[str, Any]
Variant = tuple[str, Settings]

# PettingZoo takes observations for plain arrays, although its own board games have masks beside them.
knows_no_dicts = pytest.mark.filterwarnings(
    r"ignore:Observation is not a NumPy array\Z:UserWarning",
    r"ignore:Observation space for each agent probably should be gymnasium\.spaces\.box or "
    r"gymnasium\.spaces\.discrete\Z:UserWarning",
)
both_modes = pytest.mark.parametrize("mode", ["coop", "competitive"])


def knowledge_variants(mode: str, players: int) -> Iterator[Settings]:
    """Sharing what one knows changes something only between several players who know different things."""
    for kind in ("noisy", "expert", "faces", "blind"):
        yield {"knowledge": kind}
    if mode == "coop" and players > 1:
        yield {"knowledge": "noisy", "communication": "none"}


def all_variants() -> Iterator[Variant]:
    for mode, catalogue, players in product(MODULES, ("scenes", "history"), range(1, 7)):
        if mode == "coop" or players > 1:
            for known in knowledge_variants(mode, players):
                yield mode, {"players": players, "catalogue": catalogue, **known}
    for mode in MODULES:
        yield mode, {"knowledge": {"kind": "noisy", "sigma": [0, 20]}, "slots": "sorted"}
        yield mode, {"features": "raw", "show_pile_top": False, "first_player": 1}
        yield mode, {"hand_size": 1, "slots": "sorted", "knowledge": "expert"}
    yield "coop", {"players": 1, "hand_size": 1, "deck_size": 3, "icons": "printed", "reward": "final"}
    yield "competitive", {"players": 4, "max_rounds": 1}


def name(variant: Variant) -> str:
    mode, settings = variant
    return "-".join([mode, *(f"{value}".replace(" ", "") for value in settings.values())])


over_all_variants = pytest.mark.parametrize(
    ("mode", "settings"), [pytest.param(*v, id=name(v)) for v in all_variants()]
)


# --- PettingZoo's own tests -------------------------------------------------------------------------------------------


@knows_no_dicts
@over_all_variants
def test_the_api_is_pettingzoos(mode: str, settings: Settings) -> None:
    theirs.api_test(MODULES[mode].env(**settings), num_cycles=40)
    theirs.api_test(MODULES[mode].raw_env(**settings), num_cycles=20)


@over_all_variants
def test_the_parallel_api_is_pettingzoos(mode: str, settings: Settings) -> None:
    theirs.parallel_api_test(MODULES[mode].parallel_env(**settings), num_cycles=60)


@over_all_variants
def test_a_seed_decides_everything(mode: str, settings: Settings) -> None:
    theirs.seed_test(partial(MODULES[mode].env, **settings), num_cycles=20)
    theirs.parallel_seed_test(partial(MODULES[mode].parallel_env, **settings), num_cycles=20)


class FirstLegalInstead(BaseWrapper[str, Any, Any]):
    """Replaces illegal actions: `state_test` samples without the mask, and our answer to those is an error."""

    def step(self, action: Any) -> None:
        seen: Any = self.observe(self.agent_selection)
        legal = action is None or seen["action_mask"][action]
        super().step(action if legal else int(seen["action_mask"].argmax()))


@over_all_variants
def test_the_state_is_pettingzoos(mode: str, settings: Settings) -> None:
    module = MODULES[mode]
    theirs.state_test(FirstLegalInstead(module.env(**settings)), module.parallel_env(**settings), num_cycles=30)


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows that nobody sees, and that do not stand still for a viewer."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for module in MODULES.values():
        monkeypatch.setitem(module.METADATA, "render_fps", 0)


@pytest.mark.usefixtures("no_screen")
@pytest.mark.parametrize("catalogue", ["scenes", "history"])
@pytest.mark.parametrize("players", [2, 6])
@both_modes
def test_all_render_modes_are_pettingzoos(mode: str, players: int, catalogue: str) -> None:
    pictures = {"rgb_array": lambda frame: frame.shape == (HEIGHT, WIDTH, 3), "ansi": lambda text: len(text) > 100}
    theirs.render_test(partial(MODULES[mode].env, players=players, catalogue=catalogue), custom_tests=pictures)


# `max_cycles_test` has no place here: it asks for an argument `max_cycles` and samples actions without a mask. What
# `max_rounds` does stands below.


# --- making ----------------------------------------------------------------------------------------------------------


@both_modes
def test_metadata_tell_what_tools_ask_for(mode: str) -> None:
    module = MODULES[mode]
    for env in (module.env(), module.raw_env(), module.parallel_env()):
        assert env.metadata["name"] == str(env) == f"timeline_twist_{mode}_v0"
        assert env.metadata["render_modes"] == ["human", "rgb_array", "ansi"]
        # PettingZoo's own conversion does not fit; ours is a parallel environment already.
        assert env.metadata["is_parallelizable"] is isinstance(env, ParallelEnv)
        assert env.metadata["render_fps"] > 0


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
@both_modes
def test_the_registry_makes_both_kinds_with_settings(mode: str) -> None:
    aec = pettingzoo.make("aec", f"timeline_twist/{mode}-v0", players=3)
    parallel = pettingzoo.make("parallel", f"timeline_twist/{mode}-v0", players=4)
    assert isinstance(aec, pettingzoo.AECEnv) and isinstance(aec.unwrapped, MODULES[mode].raw_env)
    assert isinstance(parallel, pettingzoo.ParallelEnv) and str(parallel) == str(aec)
    assert aec.possible_agents == ["player_0", "player_1", "player_2"] and len(parallel.possible_agents) == 4


@both_modes
def test_every_call_gives_the_same_space_object(mode: str) -> None:
    module = MODULES[mode]
    for env in (module.env(players=3), module.parallel_env(players=3)):
        for agent in env.possible_agents:
            before = env.observation_space(agent), env.action_space(agent)
            env.reset(seed=1)
            assert env.observation_space(agent) is before[0] and env.action_space(agent) is before[1]


@both_modes
def test_observations_are_vectors_with_masks(mode: str) -> None:
    env = MODULES[mode].env(players=3)
    env.reset(seed=4)
    for agent in env.agents:
        seen = env.observe(agent)
        assert list(seen) == ["observation", "action_mask"]
        assert seen["observation"].dtype == np.float32 and seen["observation"].ndim == 1
        assert seen["action_mask"].dtype == np.int8 and seen["action_mask"].shape == (env.action_space(agent).n,)


@both_modes
def test_only_the_agent_on_turn_has_legal_actions(mode: str) -> None:
    env = MODULES[mode].env(players=3)
    for _ in random_steps(env, 200, seed=2):
        for agent in env.agents:
            on_turn = agent == env.agent_selection and not env.terminations[agent]
            assert env.observe(agent)["action_mask"].any() == on_turn


@both_modes
def test_observations_belong_to_who_asked_for_them(mode: str) -> None:
    env = MODULES[mode].env()
    env.reset(seed=4)
    seen = {agent: env.observe(agent) for agent in env.agents}
    before = copy.deepcopy(seen)
    act(env)
    for agent, old in before.items():
        assert (seen[agent]["observation"] == old["observation"]).all()
        assert (seen[agent]["action_mask"] == old["action_mask"]).all()


# --- playing, for the tests below -------------------------------------------------------------------------------------


def act(env: Any, rng: np.random.Generator | None = None) -> int:
    """The agent on turn takes a legal action: a random one, or the first."""
    legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
    action = int(legal[0] if rng is None else rng.choice(legal))
    env.step(action)
    return action


def over(env: Any) -> bool:
    return any(env.terminations.values()) or any(env.truncations.values())


def random_steps(env: Any, steps: int, seed: int) -> Iterator[int]:
    """Play at random, and deal anew without a seed where a game ends; gives the number of each step after it."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for step in range(steps):
        if over(env):
            env.reset()
        act(env, rng)
        yield step


def finish(env: Any, seed: int) -> None:
    """Play a game at random to its end."""
    for _ in random_steps(env, 100_000, seed):
        if over(env):
            return


def situation(env: Any) -> dict[str, Any]:
    """All that a user can see of an AEC environment, as values that later steps do not change."""
    seen = {agent: env.observe(agent) for agent in env.possible_agents}
    return {
        "game": env.unwrapped.game.tobytes(),
        "turn": env.agent_selection,
        "agents": list(env.agents),
        "seen": {agent: (each["observation"].tobytes(), each["action_mask"].tobytes()) for agent, each in seen.items()},
        "rewards": dict(env.rewards),
        "sums": {agent: env._cumulative_rewards[agent] for agent in env.agents},
        "ends": (dict(env.terminations), dict(env.truncations)),
        "infos": copy.deepcopy(env.infos),
        "state": env.state().tobytes(),
    }


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"playes": 3}, r"playes: \w+_v0 has no such setting; did you mean 'players'\?"),
        ({"sigma": 3}, r"sigma: \w+_v0 has no such setting; it has players, catalogue, knowledge"),
        ({"count": 3}, r"count: \w+_v0 has no such setting"),
        ({"players": 7}, "players: 7 is not a whole number from [12] to 6"),
        ({"players": 2.0}, r"players: 2\.0 is not a whole number"),
        ({"players": True}, "players: True is not a whole number"),
        ({"knowledge": "nosy"}, "knowledge: 'nosy' is not known; did you mean 'noisy'"),
        ({"knowledge": 5}, "knowledge: 5 is neither a name nor a mapping with a kind; choose one of"),
        ({"knowledge": {"sigma": 5}}, r"knowledge: .* is neither a name nor a mapping with a kind"),
        ({"knowledge": {"kind": "expert", "sigma": 5}}, r"knowledge\.sigma: 'expert' has no such setting"),
        ({"knowledge": {"kind": "noisy", "sgma": 5}}, r"knowledge\.sgma: 'noisy' has no such setting; .*sigma"),
        (
            {"knowledge": {"kind": "noisy", "sigma": -1}},
            r"knowledge\.sigma: -1 is not 0 or a number from 0\.1 to 1,000",
        ),
        ({"knowledge": {"kind": "noisy", "sigma": "5"}}, r"knowledge\.sigma: '5' is not"),
        ({"knowledge": {"kind": "noisy", "sigma": float("nan")}}, r"knowledge\.sigma: nan is not"),
        ({"knowledge": {"kind": "noisy", "sigma": [1, 2, 3]}}, r"knowledge\.sigma: 3 numbers for 2 players"),
        ({"features": "ful"}, "features: 'ful' is not known; did you mean 'full'?"),
        ({"slots": None}, "slots: None is not known; choose one of table, sorted"),
        ({"show_pile_top": 1}, "show_pile_top: 1 is neither True nor False"),
        ({"hand_size": 5}, "hand_size: 5 is not a whole number from 1 to 4"),
        ({"first_player": 2}, "first_player: 2 is not a whole number from 0 to 1"),
        ({"render_mode": "rgb"}, "render_mode: 'rgb' is not known; choose one of human, rgb_array, ansi"),
    ],
)
@both_modes
def test_a_bad_setting_is_named(mode: str, settings: Settings, message: str) -> None:
    for make in (MODULES[mode].env, MODULES[mode].raw_env, MODULES[mode].parallel_env):
        with pytest.raises(SettingsError, match=f"^{message}"):
            make(**settings)


@pytest.mark.parametrize(
    ("mode", "settings", "message"),
    [
        ("coop", {"players": 0}, "players: 0 is not a whole number from 1 to 6"),
        ("competitive", {"players": 1}, "players: 1 is not a whole number from 2 to 6"),
        ("coop", {"communication": "closed"}, "communication: 'closed' is not known; choose one of open, none"),
        ("coop", {"communication": None}, "communication: None is not known"),
        ("coop", {"reward": "score"}, "reward: 'score' is not known; choose one of delta, final"),
        ("coop", {"icons": "random"}, "icons: 'random' is not known; choose one of shuffled, printed"),
        ("coop", {"icons": np.array(["shuffled", "printed"])}, "icons: .* is not known"),
        ("coop", {"deck_size": 37}, "deck_size: 37 is not a whole number from 1 to 36"),
        ("coop", {"deck_size": 9}, "deck_size: 9 cards are too few for 2 players"),
        ("coop", {"max_rounds": 9}, "max_rounds: coop_v0 has no such setting"),
        ("competitive", {"max_rounds": 0}, "max_rounds: 0 is not a whole number from 1 to"),
        (
            "competitive",
            {"communication": "open"},
            "communication: 'open' is for co-op; in competitive mode nobody shares",
        ),
        ("competitive", {"deck_size": 36}, "deck_size: competitive_v0 has no such setting"),
        ("competitive", {"reward": "delta"}, "reward: competitive_v0 has no such setting"),
    ],
)
def test_a_setting_that_its_mode_refuses_is_named(mode: str, settings: Settings, message: str) -> None:
    with pytest.raises(SettingsError, match=f"^{message}"):
        MODULES[mode].env(**settings)


@pytest.mark.parametrize(
    ("catalogue", "message"),
    [
        ("scene", "'scene': no such file or built-in catalogue; did you mean 'scenes'?"),
        ("no/such.csv", "'no/such.csv': no such file or built-in catalogue; built in are history, scenes, tiny"),
        (3, "catalogue: 3 is neither a name nor a path"),
        (catalogue_of(range(8)), "handmade.csv:9: 8 cards are too few"),
    ],
)
@both_modes
def test_a_bad_catalogue_is_named(mode: str, catalogue: Any, message: str) -> None:
    with pytest.raises(CatalogueError, match=f"^{re.escape(message)}"):
        MODULES[mode].env(catalogue=catalogue)


@both_modes
def test_a_catalogue_may_be_a_file(mode: str, tmp_path: Path) -> None:
    cards = "\n".join(f"Card {i},{i},sun,moon" for i in range(40))
    file = tmp_path / "own.csv"
    file.write_text(f"title,time,front_icon,back_icon\n{cards}\n")
    env = MODULES[mode].env(catalogue=str(file), render_mode="ansi")
    env.reset(seed=0)
    assert "Card " in env.render()


ILLEGAL = {"coop": END_TURN, "competitive": 5}  # nothing is placed yet; the timeline has one card


@pytest.mark.parametrize("steps", [0, 5])
@pytest.mark.parametrize("slots", ["table", "sorted"])
@both_modes
def test_an_illegal_action_is_an_error_and_changes_nothing(mode: str, slots: str, steps: int) -> None:
    for make in (MODULES[mode].env, MODULES[mode].raw_env):
        env = make(slots=slots, players=3)
        env.reset(seed=3)
        for _ in range(steps):
            act(env)
        before = situation(env)
        mask = env.observe(env.agent_selection)["action_mask"]
        for action in np.flatnonzero(mask == 0)[:20]:
            with pytest.raises(SettingsError, match=f"^{env.agent_selection}: action {action} .*is not legal now"):
                env.step(int(action))
            assert situation(env) == before


@pytest.mark.parametrize("slots", ["table", "sorted"])
@both_modes
def test_the_error_lists_the_legal_actions_in_words(mode: str, slots: str) -> None:
    env = MODULES[mode].env(slots=slots)
    env.reset(seed=3)
    legal = np.flatnonzero(env.observe("player_0")["action_mask"])
    words = ", ".join(f"{action} ({format_action(env, int(action))})" for action in legal)
    wrong = format_action(env, ILLEGAL[mode])
    with pytest.raises(SettingsError) as caught:
        env.step(ILLEGAL[mode])
    assert str(caught.value) == f"player_0: action {ILLEGAL[mode]} ({wrong}) is not legal now; legal are {words}"


def test_a_long_list_of_legal_actions_is_cut() -> None:
    env = competitive_v0.raw_env(knowledge="expert")
    env.reset(seed=3)
    for _ in range(4):
        place(env, right=True)
    legal = int(env.observe(env.agent_selection)["action_mask"].sum())
    with pytest.raises(SettingsError, match=rf"\) and {legal - 9} more$"):
        env.step(90)


@pytest.mark.parametrize("action", [None, 1.0, "play 1", [1], -1, 10**6, 2**63, -(2**70)])
@both_modes
def test_what_is_no_action_is_a_clear_error_too(mode: str, action: Any) -> None:
    env = MODULES[mode].raw_env()
    env.reset(seed=3)
    before = situation(env)
    with pytest.raises(SettingsError, match=r"^player_0: action "):
        env.step(action)
    assert situation(env) == before
    wrapped = MODULES[mode].env()
    wrapped.reset(seed=3)
    with pytest.raises(AssertionError, match="action is not in action space"):
        wrapped.step(action)
    assert situation(wrapped) == before


@pytest.mark.parametrize("kind", [int, np.int32, np.int64, np.uint8, np.array])
@both_modes
def test_any_whole_number_is_an_action(mode: str, kind: Callable[[int], Any]) -> None:
    env = MODULES[mode].raw_env()
    env.reset(seed=3)
    env.step(kind(1))
    other = MODULES[mode].raw_env()
    other.reset(seed=3)
    other.step(1)
    assert situation(env) == situation(other)


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.observe("player_0"),
        lambda env: env.state(),
        lambda env: env.render(),
        lambda env: env.agent_iter(),
    ],
    ids=["step", "observe", "state", "render", "agent_iter"],
)
@both_modes
def test_env_refuses_calls_before_reset(mode: str, call: Callable[[Any], Any]) -> None:
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before"):
        call(MODULES[mode].env(render_mode="ansi"))
    for attribute in ("rewards", "terminations", "truncations", "infos", "agent_selection", "agents"):
        with pytest.raises(AttributeError, match=f"{attribute} cannot be accessed before reset"):
            getattr(MODULES[mode].env(), attribute)


@pytest.mark.parametrize(
    "call",
    [lambda env: env.step({"player_0": 0, "player_1": 0}), lambda env: env.state(), lambda env: env.render()],
    ids=["step", "state", "render"],
)
@both_modes
def test_parallel_env_refuses_calls_before_reset(mode: str, call: Callable[[Any], Any]) -> None:
    with pytest.raises(SettingsError, match=r"reset\(\)"):
        call(MODULES[mode].parallel_env(render_mode="ansi"))


@both_modes
def test_a_finished_game_takes_empty_steps_only_and_then_warns(mode: str) -> None:
    env = MODULES[mode].env(players=3, hand_size=1)
    finish(env, seed=1)
    game = env.unwrapped.game.copy()
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    while env.agents:
        env.step(None)
    assert env.unwrapped.game == game
    EnvLogger.suppress_output()
    EnvLogger.flush()
    env.step(None)
    EnvLogger.unsuppress_output()
    assert "step() called after all agents are terminated or truncated" in EnvLogger.mqueue[-1]


# --- reset ------------------------------------------------------------------------------------------------------------


@both_modes
def test_unknown_reset_options_are_ignored(mode: str) -> None:
    env = MODULES[mode].env()
    env.reset(seed=3, options={"colour": "blue"})
    before = situation(env)
    env.reset(seed=3)
    assert situation(env) == before


def bad_resets(mode: str) -> dict[str, tuple[Settings, str]]:
    size = 36 if mode == "coop" else 100
    order = list(range(size))
    return {
        "seed": ({"seed": -1}, "seed: -1 is not a whole number"),
        "seed kind": ({"seed": 1.5}, r"seed: 1\.5 is not a whole number"),
        "short": ({"options": {"draw_order": [1, 2]}}, f"draw_order: 2 cards where the game needs {size}"),
        "twice": ({"options": {"draw_order": [*order[1:], 1]}}, "draw_order: card 1 stands there more than once"),
        "no card": ({"options": {"draw_order": [*order[1:], 100]}}, "draw_order: 100 is not a whole number"),
        "no list": ({"options": {"draw_order": 3}}, "draw_order: "),
        "estimates": ({"options": {"estimates": np.zeros((2, 3))}}, r"estimates: give 2 rows \(seats\) of 100 numbers"),
        "no numbers": ({"options": {"estimates": "high"}}, "estimates: give 2 rows"),
        "infinite": ({"options": {"estimates": np.full((2, 100), np.inf)}}, "estimates: give 2 rows"),
        "one of two": ({"options": {"draw_order": order, "estimates": [1]}}, "estimates: give 2 rows"),
        "other": ({"options": {"draw_order": [1], "estimates": np.zeros((2, 100))}}, "draw_order: 1 cards"),
    }


@pytest.mark.parametrize("mistake", bad_resets("coop"))
@both_modes
def test_a_mistake_in_reset_leaves_the_running_game_unharmed(mode: str, mistake: str) -> None:
    arguments, message = bad_resets(mode)[mistake]
    env, parallel = MODULES[mode].env(), MODULES[mode].parallel_env()
    env.reset(seed=3)
    parallel.reset(seed=3)
    for _ in range(4):
        parallel.step({env.agent_selection: act(env)})
    before = situation(env)
    for each in (env, parallel):
        with pytest.raises(SettingsError, match=f"^{message}"):
            each.reset(**arguments)
    assert situation(env) == before and parallel.game.tobytes() == before["game"]
    assert parallel.step({env.agent_selection: act(env)})[1] == env.rewards


@pytest.mark.parametrize("knowledge", ["expert", "faces", "blind"])
@both_modes
def test_estimates_have_no_place_where_nobody_estimates(mode: str, knowledge: str) -> None:
    env = MODULES[mode].env(knowledge=knowledge)
    with pytest.raises(
        SettingsError, match=f"^estimates: only 'noisy' knowledge has them, this table's is '{knowledge}'"
    ):
        env.reset(options={"estimates": np.zeros((2, 100))})


def test_a_draw_order_deals_exactly_that_in_coop() -> None:
    env = coop_v0.env(players=3)
    order = np.random.default_rng(0).permutation(100)[:36]
    env.reset(seed=5, options={"draw_order": order})
    game = env.unwrapped.game
    assert (game.card == order).all() and game.seed == 5
    assert game.card[game.hands[:3].ravel()].tolist() == order[:12].tolist()
    assert game.card[game.main[0]] == order[12] and game.card[game.discards[0]] == order[13]


def test_a_draw_order_deals_exactly_that_in_a_competition() -> None:
    env = competitive_v0.env(players=3)
    order = np.random.default_rng(0).permutation(100)
    env.reset(seed=5, options={"draw_order": order.tolist()})
    game = env.unwrapped.game
    assert game.hands[:3].ravel().tolist() == order[:12].tolist() and game.timeline[0] == order[12]
    assert (game.pile[game.pile_start : game.pile_end] == order[13:]).all()


def seen_shares(env: Any, agent: str) -> Any:
    """Estimates of an agent's own hand as its observation has them."""
    seen = env.observe(agent)["observation"]
    column = 3 if "phase" in env.unwrapped.layout else 2
    return env.unwrapped.layout["cards"].of(seen)[:4, column]


@pytest.mark.parametrize(
    ("mode", "settings"),
    [("coop", {"communication": "none"}), ("coop", {"communication": "open"}), ("competitive", {})],
)
def test_estimates_from_outside_are_what_the_seats_go_by(mode: str, settings: Settings) -> None:
    env = MODULES[mode].env(**settings)
    order = np.random.default_rng(0).permutation(100)[: 36 if mode == "coop" else 100]
    estimates = np.array([np.arange(100) + 2.0, np.arange(100) + 40.0])
    env.reset(seed=5, options={"draw_order": order, "estimates": estimates})
    heard = [estimates.mean(0)] * 2 if settings.get("communication") == "open" else estimates
    for seat, agent in enumerate(env.agents):
        own = heard[seat][order[4 * seat : 4 * seat + 4]]
        assert seen_shares(env, agent) == pytest.approx((own + 0.5) / 100)


@both_modes
def test_reset_without_a_seed_goes_on_the_same_way_each_time(mode: str) -> None:
    courses = []
    for _ in range(2):
        env = MODULES[mode].env(hand_size=1)
        games = [env.unwrapped.game.tobytes() for _ in random_steps(env, 300, seed=8)]
        courses.append(games)
    assert courses[0] == courses[1] and len(set(courses[0])) > 250


@both_modes
def test_without_any_seed_games_differ(mode: str) -> None:
    seeds = set()
    for _ in range(3):
        env = MODULES[mode].env()
        env.reset()
        seeds.add(int(env.unwrapped.game.seed))
    assert len(seeds) == 3


# --- ends and rewards -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"players": 3, "hand_size": 1}, {"players": 6, "max_rounds": 3}])
@both_modes
def test_all_agents_end_in_the_same_step_and_the_same_way(mode: str, settings: Settings) -> None:
    settings = {key: value for key, value in settings.items() if mode == "competitive" or key != "max_rounds"}
    env = MODULES[mode].env(**settings)
    ends = 0
    for _ in random_steps(env, 400, seed=1):
        ways = {(env.terminations[agent], env.truncations[agent]) for agent in env.possible_agents}
        assert len(ways) == 1 and ways <= {(False, False), (True, False), (False, True)}
        assert all(("end_reason" in info) == over(env) for info in env.infos.values())
        ends += over(env)
    assert ends > 1


def test_max_rounds_breaks_off_for_everybody_without_a_reward() -> None:
    env = competitive_v0.env(players=3, max_rounds=2, knowledge="expert")
    env.reset(seed=0)
    for _ in range(6):
        assert not over(env)
        place(env, right=False)
    assert env.truncations == dict.fromkeys(env.possible_agents, True)
    assert env.terminations == dict.fromkeys(env.possible_agents, False)
    assert env.rewards == dict.fromkeys(env.possible_agents, 0.0)
    assert env.infos["player_2"] == {"cards_left": [4] * 3, "rounds": 2, "end_reason": "max_rounds", "winners": []}


@pytest.mark.parametrize("players", [1, 2, 5])
@pytest.mark.parametrize("deck_size", [36, 22])
def test_delta_rewards_sum_to_the_score_plus_deck_size_minus_3(players: int, deck_size: int) -> None:
    env = coop_v0.env(players=players, deck_size=deck_size, knowledge="expert")
    for seed in range(10):
        sums = dict.fromkeys(env.possible_agents, 0.0)
        for _ in random_steps(env, 1000, seed):
            assert set(env.rewards.values()) <= {0.0, 2.0, 3.0} and len(set(env.rewards.values())) == 1
            sums = {agent: sums[agent] + env.rewards[agent] for agent in sums}
            if over(env):
                break
        assert set(sums.values()) == {env.infos["player_0"]["score"] + deck_size - 3}


@pytest.mark.parametrize("players", [1, 4])
def test_final_rewards_are_the_score_once(players: int) -> None:
    env = coop_v0.env(players=players, reward="final")
    for seed in range(10):
        for _ in random_steps(env, 1000, seed):
            score = read_result(env.unwrapped.game).score
            assert set(env.rewards.values()) == {float(score or 0) if over(env) else 0.0}
            if over(env):
                break


def test_the_worked_game_of_the_docs_is_right() -> None:
    text = coop_v0.__doc__ or ""
    rows = re.findall(r"^\| `(player_\d)` \| (.+?) \| ([\d, ]+) \| (-?\d+) \|$", text, re.MULTILINE)
    for reward in ("delta", "final"):
        env = coop_v0.env(knowledge="expert", reward=reward)
        env.reset(seed=7)
        total = 0.0
        for agent, _, rewards, score in rows:
            for delta in rewards.split(","):
                assert env.agent_selection == agent and not over(env)
                act(env)
                total += env.rewards[agent]
                assert env.rewards[agent] == (float(delta) if reward == "delta" else -15.0 * over(env))
            assert env.infos[agent]["score"] == int(score)
        assert len(rows) == 9 and over(env) and total == (18 if reward == "delta" else -15)


def out_of_cards_game() -> Any:
    """Two players with two cards each and no draw pile; every card is higher than those before it."""
    env = coop_v0.env(hand_size=2, deck_size=6, knowledge="expert")
    env.reset(seed=0, options={"draw_order": [51, 52, 53, 54, 50, 10]})
    return env


def test_a_player_out_of_cards_is_skipped_and_still_paid() -> None:
    env = out_of_cards_game()
    turns = []
    for action in (PLAY + 0, PLAY + 1, PLAY + 0, END_TURN, PLAY + 1):
        turns.append(env.agent_selection)
        env.step(action)
        assert env.rewards["player_0"] == env.rewards["player_1"] == (0.0 if action == END_TURN else 3.0)
    assert turns == ["player_0", "player_0", "player_1", "player_1", "player_1"]
    assert env.infos["player_0"]["end_reason"] == "all_cards_used" and env.infos["player_0"]["score"] == 9
    # Since its own last action each: that card and both of the other's; the last card alone.
    assert {agent: env._cumulative_rewards[agent] for agent in env.agents} == {"player_0": 9.0, "player_1": 3.0}


@pytest.mark.parametrize("settings", [{"hand_size": 2, "deck_size": 14, "players": 3}, {"players": 5}])
@both_modes
def test_last_tells_what_came_in_since_the_agents_last_action(mode: str, settings: Settings) -> None:
    settings = {key: value for key, value in settings.items() if mode == "coop" or key != "deck_size"}
    env = MODULES[mode].env(**settings)
    rng = np.random.default_rng(1)
    for seed in range(20):
        env.reset(seed=seed)
        due = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            assert reward == due[agent] and info == env.infos[agent]
            if terminated or truncated:
                env.step(None)
                continue
            due[agent] = 0.0
            act(env, rng)
            due = {other: due[other] + env.rewards[other] for other in due}


def place(env: Any, *, right: bool) -> None:
    """The player on turn places the first card of the hand at a right or at a wrong position (by its time)."""
    game = env.unwrapped.game
    slot = int(np.flatnonzero(game.hands[game.turn] >= 0)[0])
    row = game.time[game.timeline[: game.timeline_count]]
    position = int(np.searchsorted(row, game.time[game.hands[game.turn, slot]]))
    if not right:
        position = 0 if position else len(row)
    env.step(slot * (int(game.catalogue_size) + 1) + position)


def contest(players: int, cards: int) -> Any:
    """One card for each player; card i has time i, the first on the timeline is card `players`."""
    env = competitive_v0.env(players=players, hand_size=1, catalogue=catalogue_of(range(cards)), knowledge="expert")
    env.reset(seed=0, options={"draw_order": range(cards)})
    return env


@pytest.mark.parametrize(
    ("right", "end", "winners", "rewards"),
    [
        ([0, 1], "won", [1], [-1, 1]),
        ([1, 0, 0], "won", [0], [1, -1 / 2, -1 / 2]),
        ([0, 0, 0, 0, 0, 1], "won", [5], [-1 / 5] * 5 + [1]),
        ([1, 1, 0], "draw", [0, 1], [1 / 2, 1 / 2, -1]),
        ([0, 1, 0, 1], "draw", [1, 3], [-1 / 2, 1 / 2, -1 / 2, 1 / 2]),
        ([1, 1, 0, 1, 0], "draw", [0, 1, 3], [1 / 3, 1 / 3, -1 / 2, 1 / 3, -1 / 2]),
        ([1, 1], "draw", [0, 1], [0, 0]),
        ([1, 1, 1, 1], "draw", [0, 1, 2, 3], [0] * 4),
    ],
)
def test_who_gets_what_in_a_competition(right: list[int], end: str, winners: list[int], rewards: list[float]) -> None:
    # Without a draw pile, those who finish together have nothing left to break the tie with.
    env = contest(len(right), cards=len(right) + 1)
    for fits in right:
        assert not over(env) and set(env.rewards.values()) == {0.0}
        place(env, right=bool(fits))
    assert [env.rewards[agent] for agent in env.agents] == pytest.approx(rewards)
    assert sum(env.rewards.values()) == pytest.approx(0)
    for info in env.infos.values():
        assert info["end_reason"] == end and info["winners"] == winners
    assert all(env.terminations.values()) and not any(env.truncations.values())


def test_an_eliminated_player_is_not_asked_any_more_and_is_paid_at_the_end() -> None:
    env = contest(3, cards=20)
    for right in (True, False, True):
        place(env, right=right)
    turns = []
    for right in (True, True, False, False, True, False):
        turns.append(env.agent_selection)
        assert not over(env) and not env.observe("player_1")["action_mask"].any()
        place(env, right=right)
    assert turns == ["player_0", "player_2"] * 3
    assert env.rewards == {"player_0": 1.0, "player_1": -0.5, "player_2": -0.5}
    paid = {}
    for agent in env.agent_iter():
        paid[agent] = env.last()[1]
        env.step(None)
    assert paid == {"player_0": 1.0, "player_1": -0.5, "player_2": -0.5}


def test_several_actions_of_one_turn_have_the_same_agent_selection() -> None:
    env = coop_v0.env(knowledge="expert")
    env.reset(seed=7)
    assert env.agent_selection == "player_0"
    env.step(PLAY)
    assert env.agent_selection == "player_0" and env.rewards["player_1"] == 3.0
    env.step(END_TURN)
    assert env.agent_selection == "player_1"


@pytest.mark.parametrize("first", [0, 1, 2])
@both_modes
def test_the_first_player_begins(mode: str, first: int) -> None:
    env = MODULES[mode].env(players=3, first_player=first)
    env.reset(seed=1)
    assert env.agent_selection == f"player_{first}"


def test_coop_infos_tell_score_rank_and_in_the_end_why() -> None:
    env = coop_v0.env(players=3)
    reasons = set()
    for _ in random_steps(env, 600, seed=2):
        result = read_result(env.unwrapped.game)
        expected = {"score": result.score, "rank": result.rank()}
        if result.end_reason:
            expected["end_reason"] = result.end_reason
        assert all(info == expected for info in env.infos.values())
        reasons.add(result.end_reason)
    assert {None, "failed_play"} <= reasons


def test_competitive_infos_tell_cards_left_and_rounds() -> None:
    env = contest(2, cards=9)
    assert env.infos["player_1"] == {"cards_left": [1, 1], "rounds": 0}
    place(env, right=True)
    assert env.infos["player_1"] == {"cards_left": [0, 1], "rounds": 0}
    place(env, right=False)
    assert env.infos["player_0"] == {"cards_left": [0, 1], "rounds": 1, "end_reason": "won", "winners": [0]}


@both_modes
def test_one_agents_info_is_not_the_others(mode: str) -> None:
    env = MODULES[mode].env()
    env.reset(seed=0)
    act(env)
    before = copy.deepcopy(env.infos["player_1"])
    for value in env.infos["player_0"].values():
        if isinstance(value, list):
            value.append("mine")
    env.infos["player_0"]["note"] = "mine"
    assert env.infos["player_1"] == before


# --- copies -----------------------------------------------------------------------------------------------------------


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))  # noqa: S301  (our own bytes)


COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda env: env.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickled,
}
every_copy = pytest.mark.parametrize("how", COPIES)


def course(env: Any, steps: int, seed: int) -> list[Any]:
    """A random course from here on, through ends of games."""
    rng = np.random.default_rng(seed)
    passed = []
    for _ in range(steps):
        if over(env):
            env.reset()
        passed.append((act(env, rng), situation(env)))
    return passed


def parallel_course(env: Any, steps: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    passed = []
    seen = {agent: env.aec_env.observe(agent) for agent in env.possible_agents}
    for _ in range(steps):
        actions = {agent: choice(rng, each["action_mask"]) for agent, each in seen.items()}
        seen, *others = env.step(actions)
        passed.append((env.game.tobytes(), copy.deepcopy(others)))
        if not env.agents:
            seen, _ = env.reset()
    return passed


def choice(rng: np.random.Generator, mask: Any) -> int:
    legal = np.flatnonzero(mask)
    return int(rng.choice(legal)) if len(legal) else 0


@every_copy
@pytest.mark.parametrize("make", ["env", "raw_env"])
@both_modes
def test_copies_keep_the_game_and_go_their_own_ways(mode: str, make: str, how: str) -> None:
    env = getattr(MODULES[mode], make)(hand_size=2)
    env.reset(seed=6)
    course(env, 7, seed=0)
    twin = COPIES[how](env)
    assert type(twin) is type(env) and situation(twin) == situation(env)
    kept = situation(env)
    followed = course(twin, 100, seed=1)
    assert situation(env) == kept, "a step of the copy changed the original"
    assert course(env, 100, seed=1) == followed


@every_copy
@both_modes
def test_copies_of_parallel_envs_keep_the_game_and_go_their_own_ways(mode: str, how: str) -> None:
    env = MODULES[mode].parallel_env(hand_size=2)
    env.reset(seed=6)
    parallel_course(env, 7, seed=0)
    twin = COPIES[how](env)
    kept = env.game.tobytes(), env.state().tobytes()
    followed = parallel_course(twin, 100, seed=1)
    assert (env.game.tobytes(), env.state().tobytes()) == kept, "a step of the copy changed the original"
    assert parallel_course(env, 100, seed=1) == followed


@every_copy
@both_modes
def test_an_env_without_a_game_can_be_copied(mode: str, how: str) -> None:
    env = MODULES[mode].env(players=3)
    twin = COPIES[how](env)
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        twin.step(0)
    env.reset(seed=4)
    twin.reset(seed=4)
    assert situation(twin) == situation(env)


@pytest.mark.usefixtures("no_screen")
@every_copy
def test_a_copy_of_an_env_with_a_window_shows_and_closes_its_own(how: str) -> None:
    env = coop_v0.env(render_mode="human")
    env.reset(seed=4)
    twin = COPIES[how](env)
    act(twin)
    twin.close()
    act(env)
    env.close()


# --- parallel ---------------------------------------------------------------------------------------------------------


@both_modes
def test_the_parallel_env_plays_the_same_game_also_where_one_player_acts_twice(mode: str) -> None:
    env, parallel = MODULES[mode].env(players=3, hand_size=2), MODULES[mode].parallel_env(players=3, hand_size=2)
    env.reset(seed=2)
    seen, infos = parallel.reset(seed=2)
    rng = np.random.default_rng(0)
    turns = []
    for _ in range(300):
        assert infos == env.infos and list(seen) == env.possible_agents
        for agent, each in seen.items():
            assert (each["observation"] == env.observe(agent)["observation"]).all()
            assert (each["action_mask"] == env.observe(agent)["action_mask"]).all()
        turns.append(env.agent_selection)
        actions = {**dict.fromkeys(parallel.agents, 0), turns[-1]: act(env, rng)}
        seen, rewards, terminations, truncations, infos = parallel.step(actions)
        assert (rewards, terminations, truncations) == (env.rewards, env.terminations, env.truncations)
        assert (parallel.agents == []) == over(env)
        if over(env):
            env.reset()
            seen, infos = parallel.reset()
    assert mode == "competitive" or any(a == b for a, b in pairwise(turns))


@pytest.mark.parametrize("noise", [None, 8, -3, "nonsense"])
@both_modes
def test_the_actions_of_the_others_are_ignored(mode: str, noise: Any) -> None:
    quiet, noisy = MODULES[mode].parallel_env(), MODULES[mode].parallel_env()
    seen, _ = quiet.reset(seed=2)
    noisy.reset(seed=2)
    while quiet.agents and quiet.aec_env.infos["player_0"].get("rounds", 0) < 20:
        turn = next(agent for agent, each in seen.items() if each["action_mask"].any())
        action = int(seen[turn]["action_mask"].argmax())
        seen, *rest = quiet.step({turn: action})
        assert noisy.step({**dict.fromkeys(noisy.agents, noise), turn: action})[1:] == tuple(rest)
        assert noisy.game == quiet.game


@pytest.mark.parametrize("action", ["illegal", -1, 10**6, 2**70])
@both_modes
def test_an_illegal_action_in_parallel_is_marked_and_changes_nothing(mode: str, action: Any) -> None:
    env = MODULES[mode].parallel_env(players=3)
    seen, infos = env.reset(seed=2)
    game = env.game.copy()
    tried = ILLEGAL[mode] if action == "illegal" else action
    after, rewards, terminations, truncations, marked = env.step({"player_0": tried, "player_1": 0, "player_2": 0})
    assert env.game == game and rewards == dict.fromkeys(env.possible_agents, 0.0)
    assert not any(terminations.values()) and not any(truncations.values()) and len(env.agents) == 3
    assert [marked[agent].get("illegal_action", False) for agent in env.agents] == [True, False, False]
    assert all((after[agent]["observation"] == seen[agent]["observation"]).all() for agent in seen)
    assert "illegal_action" not in env.step({"player_0": 0})[4]["player_0"] and env.game != game
    assert infos.keys() == marked.keys()


@pytest.mark.parametrize("action", [None, "play 1", 1.5])
@both_modes
def test_what_is_no_number_is_an_error_in_parallel_too(mode: str, action: Any) -> None:
    env = MODULES[mode].parallel_env()
    env.reset(seed=2)
    game = env.game.copy()
    with pytest.raises(SettingsError, match=r"player_0: action .* is not a whole number"):
        env.step({"player_0": action, "player_1": 0})
    assert env.game == game


@both_modes
def test_agents_who_are_not_there_and_steps_at_the_wrong_time_are_named(mode: str) -> None:
    env = MODULES[mode].raw_env()
    with pytest.raises(SettingsError, match="call reset"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(SettingsError, match="agent: 'player_5' is not at this table; there are player_0, player_1"):
        env.observe("player_5")
    for agent in env.agent_iter():
        over = env.terminations[agent] or env.truncations[agent]
        env.step(None if over else int(env.observe(agent)["action_mask"].argmax()))
    with pytest.raises(SettingsError, match="the game is over; call reset"):
        env.step(0)


@both_modes
def test_a_misspelt_reset_option_is_an_error_and_an_unknown_one_is_not(mode: str) -> None:
    env = MODULES[mode].env()
    env.reset(seed=1, options={"foo": 1})
    with pytest.raises(SettingsError, match="options: 'draworder' is not known; did you mean 'draw_order'"):
        env.reset(seed=1, options={"draworder": [1]})


def test_an_illegal_action_in_parallel_does_not_pay_the_last_reward_again() -> None:
    env = coop_v0.parallel_env(knowledge="expert")
    env.reset(seed=7)
    assert env.step({"player_0": PLAY})[1] == {"player_0": 3.0, "player_1": 3.0}
    _, rewards, _, _, infos = env.step({"player_0": DISCARD + 1})
    assert rewards == {"player_0": 0.0, "player_1": 0.0} and infos["player_0"]["illegal_action"]


@both_modes
def test_the_agent_on_turn_must_have_an_action(mode: str) -> None:
    env = MODULES[mode].parallel_env()
    env.reset(seed=2)
    with pytest.raises(SettingsError, match=r"^actions: player_0 is on turn and has none; give one for it"):
        env.step({"player_1": 0})


@both_modes
def test_a_finished_parallel_game_has_no_agents(mode: str) -> None:
    env = MODULES[mode].parallel_env(hand_size=1)
    env.reset(seed=0)
    terminations: Mapping[str, bool] = {}
    truncations: Mapping[str, bool] = {}
    rng = np.random.default_rng(0)
    while env.agents:
        turn = env.aec_env.agent_selection
        action = choice(rng, env.aec_env.observe(turn)["action_mask"])
        _, _, terminations, truncations, infos = env.step({turn: action})
    assert set(terminations.values()) == {True} and set(truncations.values()) == {False}
    assert all("end_reason" in info for info in infos.values())
    assert env.step({}) == ({}, {}, {}, {}, {})


# --- pictures ---------------------------------------------------------------------------------------------------------


@both_modes
def test_ansi_and_rgb_array_show_the_game(mode: str) -> None:
    for make in (MODULES[mode].env, MODULES[mode].parallel_env):
        text, frame = make(render_mode="ansi"), make(render_mode="rgb_array")
        text.reset(seed=1)
        frame.reset(seed=1)
        title = text.unwrapped.batch.table.catalogue.titles[first_card(text.unwrapped.game)]
        assert title in text.render()
        picture = frame.render()
        assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8 and picture.std() > 5
        frame.reset(seed=2)
        assert (frame.render() != picture).any()


def first_card(game: Any) -> int:
    """The catalogue number of the card that lies on the timeline from the start."""
    return int(game.card[game.main[0]] if "phase" in game.dtype.names else game.timeline[0])


@pytest.mark.usefixtures("no_screen")
@both_modes
def test_human_mode_shows_each_step_by_itself(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[bytes] = []
    monkeypatch.setattr("timeline_twist.render.Window.show", lambda *seen: shown.append(seen[2].tobytes()))
    env = MODULES[mode].env(render_mode="human")
    env.reset(seed=1)
    act(env)
    assert len(shown) == 2 and shown[0] != shown[1] and shown[1] == env.unwrapped.game.tobytes()
    assert env.render() is None and len(shown) == 3
    env.close()


@pytest.mark.usefixtures("no_screen")
@both_modes
def test_a_window_can_be_closed_twice_and_opened_again(mode: str) -> None:
    import pygame

    env = MODULES[mode].env(render_mode="human")
    env.reset(seed=1)
    surface = pygame.display.get_surface()
    assert surface is not None and surface.get_size() == (WIDTH, HEIGHT)
    env.close()
    env.close()
    assert not pygame.display.get_init()
    act(env)
    assert pygame.display.get_init()
    env.close()


@both_modes
def test_rendering_without_a_mode_warns(mode: str) -> None:
    for make in (MODULES[mode].env, MODULES[mode].parallel_env):
        env = make()
        env.reset(seed=1)
        with pytest.warns(UserWarning, match="render_mode: give one of human, rgb_array, ansi"):
            assert env.render() is None
