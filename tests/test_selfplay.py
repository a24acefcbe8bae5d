"""Self-play: what the network is shown, the pool of opponents, runs, released agents."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from commands import run as run_command
from test_knowledge import change_competitive
from timeline_twist import competitive_v0
from timeline_twist.agents import Agent, make
from timeline_twist.agents.competitive_foresight import CompetitiveForesight
from timeline_twist.agents.playing import lens_for, play
from timeline_twist.agents.seen import Seen
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.deals import HELD_OUT
from timeline_twist.evaluation.suites import load_suite
from timeline_twist_training import config as configs
from timeline_twist_training import release, speed, train
from timeline_twist_training.config import SelfPlay
from timeline_twist_training.networks import make_actor
from timeline_twist_training.pairs import Pairs
from timeline_twist_training.selfplay import NEWEST, SelfPlayVecEnv, least_missed

ROOT = Path(__file__).parents[1]
SUITE = (
    "description: Small\nmode: competitive\nopponent: bayes\nsettings: {catalogue: tiny, players: 2, hand_size: 2}\n"
)
NETWORK: dict[str, Any] = {"kind": "pairs", "widths": [16], "card_widths": [8], "head_width": 8}
SMALL: dict[str, Any] = {
    "network": NETWORK,
    "critic": {"widths": [16]},
    "ppo": {"steps": 512, "games": 16, "horizon": 8, "minibatch": 64, "reward_scale": 1.0},
    "evaluation": {"every": 256, "games": 10},
    "selfplay": {"every": 128, "keep": 2},
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("suites") / "small-versus.yaml"
    path.write_text(SUITE)
    return str(path)


def small(suite: str, **changes: Any) -> configs.Config:
    return configs.check({"suite": suite} | SMALL | changes, "test")


@pytest.fixture(scope="module")
def trained(suite: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "versus"
    train.train(small(suite), folder)
    return folder


# --- configs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"suite": "competitive-2p-noisy10"}, "network.kind: 'mlp' is for co-op"),
        ({"suite": "tiny", "network": {"kind": "pairs"}}, "network.kind: 'pairs' is for competitive"),
        ({"suite": "tiny", "selfplay": {}}, "selfplay: tiny is a co-op suite"),
        ({"rows": True}, "rows: for co-op suites"),
        ({"features": "raw"}, "features: for co-op suites"),
        ({"selfplay": {"agents": {"bays": 1.0}}}, "selfplay.agents: 'bays' is no built-in agent; did you mean 'bayes'"),
        ({"selfplay": {"agents": {"rollout:rolouts=3": 1.0}}}, "did you mean 'rollouts'"),
        ({"selfplay": {"agents": {"bayes": 0.0}}}, "selfplay.agents.bayes"),
        ({"selfplay": {"newst": 1.0}}, "selfplay.newst: unknown setting; did you mean 'newest'"),
        ({"selfplay": {"newest": 0.0, "past": 0.0, "built_in": 0.0}}, "all 0"),
    ],
)
def test_a_setting_of_the_wrong_mode_is_one_line(content: dict[str, Any], message: str) -> None:
    competitive = {"suite": "competitive-2p-noisy10", "network": NETWORK}
    with pytest.raises(SettingsError) as error:
        configs.check(content if "suite" in content else competitive | content, "my.yaml")
    assert str(error.value).startswith("my.yaml: ") and message in str(error.value) and "\n" not in str(error.value)


# --- what the network is shown ----------------------------------------------------------------------------------------


def some_games(count: int = 40, **settings: Any) -> Any:
    """Competitive games, some turns after their deal."""
    given: dict[str, Any] = {"players": 3, "knowledge": "noisy", "slots": "sorted"}
    batch = competitive_v0.make_batch(count, **given | settings)
    batch.deal(range(count), range(count))
    for _ in range(9):
        batch.observe_turns()
        running = np.flatnonzero(batch.games["end"] == 0)
        batch.step_some(running, batch.masks[running].argmax(axis=1))
    batch.observe_turns()
    return batch


def shown_of(batch: Any, places: int = 3) -> tuple[Pairs, Any]:
    pairs = Pairs(batch.layout, places)
    out = np.full((len(batch), pairs.layout.size), np.nan, np.float32)
    pairs.rewrite(batch.observations, out)
    return pairs, out


@pytest.mark.parametrize("kind", ["noisy", "expert", "faces", "blind"])
def test_all_that_is_shown_is_a_small_number(kind: str) -> None:
    pairs, out = shown_of(some_games(knowledge=kind))
    assert np.isfinite(out).all()
    assert (np.abs(out[:, pairs.layout["pairs"].start :]) < 20).all()


def test_the_likeliest_places_of_each_card_are_described_best_first() -> None:
    batch = some_games()
    pairs, out = shown_of(batch)
    chances = batch.layout["chances"].of(batch.observations)
    places = pairs.layout["places"].of(out).astype(int)
    facts = pairs.layout["pairs"].of(out)
    present = batch.layout["cards"].of(batch.observations)[:, :4, 0] == 1
    assert present.any()
    for game, slot in np.argwhere(present):
        best = np.sort(chances[game, slot])[::-1][:3]
        exists = facts[game, slot, :, 0] == 1
        assert exists.sum() == min(3, int(batch.games["timeline_count"][game]) + 1)
        assert np.allclose(chances[game, slot, places[game, slot]][exists], best[exists])
        assert np.allclose(facts[game, slot, :, 1][exists], best[exists])
    assert (facts[~present] == 0).all()


def test_the_shown_logarithms_are_those_of_the_chances() -> None:
    batch = some_games()
    pairs, out = shown_of(batch)
    chances = batch.layout["chances"].of(batch.observations)
    legal = batch.masks.reshape(len(batch), 4, -1) == 1
    logs = pairs.layout["log_chances"].of(out)
    assert np.allclose(logs[legal], np.log(np.maximum(chances[legal], 1e-6)), atol=1e-5)


def actor_for(pairs: Pairs) -> torch.nn.Module:
    torch.manual_seed(0)
    return make_actor(configs.Network(**NETWORK), pairs.layout)


def test_an_untrained_network_places_the_likeliest_card_where_it_is_likeliest() -> None:
    batch = some_games()
    pairs, out = shown_of(batch)
    with torch.no_grad():
        logits = actor_for(pairs)(torch.from_numpy(out)).numpy()
    chosen = np.where(batch.masks == 1, logits, -np.inf).argmax(axis=1)
    chances = batch.layout["chances"].of(batch.observations).reshape(len(batch), -1)
    running = batch.games["end"] == 0
    best = np.where(batch.masks == 1, chances, -1).max(axis=1)
    assert (chances[np.arange(len(batch)), chosen][running] > best[running] - 0.02).all()
    assert np.isfinite(logits).all(), "every legal action stays possible"


def test_the_order_of_the_hand_does_not_matter_to_how_a_card_is_encoded() -> None:
    batch = some_games()
    pairs, out = shown_of(batch)
    order = [2, 0, 3, 1]
    moved = batch.observations.copy()
    for name in ("cards", "chances"):
        batch.layout[name].of(moved)[:, :4] = batch.layout[name].of(batch.observations)[:, order]
    batch.layout["best"].of(moved)[:, :4] = batch.layout["best"].of(batch.observations)[:, order]
    again = np.empty_like(out)
    pairs.rewrite(moved, again)
    for name in ("log_chances", "pairs", "own", "places"):
        section = pairs.layout[name]
        assert np.allclose(section.of(again), section.of(out)[:, order], atol=1e-5), name


def test_the_weights_serve_any_number_of_players_and_cards() -> None:
    pairs, _ = shown_of(some_games(2))
    weights = actor_for(pairs).state_dict()
    for settings in ({"players": 6}, {"players": 2, "catalogue": "history"}, {"catalogue": "tiny", "hand_size": 2}):
        batch = some_games(4, **settings)
        others, out = shown_of(batch)
        actor = actor_for(others)
        actor.load_state_dict(weights)
        assert actor(torch.from_numpy(out)).shape == batch.masks.shape


# --- games for the learner --------------------------------------------------------------------------------------------


def env_of(config: configs.Config) -> SelfPlayVecEnv:
    _, env = train.make_model(config, load_suite(config.suite))
    assert isinstance(env, SelfPlayVecEnv)
    return env


def big(suite: str = "competitive-4p-noisy10", **selfplay: Any) -> configs.Config:
    ppo = {"games": 400, "horizon": 2, "minibatch": 16, "reward_scale": 1.0}
    return small(suite, ppo=ppo, selfplay=SMALL["selfplay"] | selfplay)


def test_the_learner_sits_on_every_seat_as_often() -> None:
    env = env_of(big())
    env.deal(0)
    counts = np.bincount(env.pool.seats, minlength=4)
    assert (counts > 60).all() and counts.sum() == 400


def test_every_other_seat_is_filled_by_the_shares_of_the_config() -> None:
    env = env_of(big(newest=2.0, past=1.0, built_in=1.0, agents={"greedy": 3.0, "random": 1.0}))
    env.deal(0)
    first = np.bincount(env.pool.assigned.ravel() + 2, minlength=3) / 1200
    # Without snapshots theirs is the newest self's.
    assert np.allclose(first, [1 / 16, 3 / 16, 3 / 4], atol=0.04)
    actor = env.pool.players[NEWEST].actor
    for _ in range(2):
        env.pool.take(actor)
    env.deal(5000)
    numbers, counts = np.unique(env.pool.assigned, return_counts=True)
    assert numbers.tolist() == [-2, -1, 0, 1, 2]
    assert np.allclose(counts / 1200, [1 / 16, 3 / 16, 1 / 2, 1 / 8, 1 / 8], atol=0.04)
    # Seats of one game are filled independently of each other.
    same = (env.pool.assigned[:, 0] == env.pool.assigned[:, 1]).mean()
    assert same == pytest.approx((np.array([1, 3, 8, 2, 2]) ** 2).sum() / 256, abs=0.08)


def test_a_full_pool_drops_the_snapshot_that_leaves_the_smallest_hole() -> None:
    assert least_missed([0, 1, 2]) == 1 and least_missed([0, 4, 5, 6, 10]) == 5 and least_missed([3, 9]) == 3
    env = env_of(big(keep=3))
    env.deal(0)
    for number in range(6):
        assert env.pool.take(env.pool.players[NEWEST].actor) == number
        assert len(env.pool.snapshots) <= 3 and env.pool.snapshots[-1] == number
    assert env.pool.snapshots[0] == 0
    assert set(env.pool.players) == {NEWEST, -1, -2, -3, *(number + 1 for number in env.pool.snapshots)}
    assert set(np.unique(env.pool.assigned)) <= set(env.pool.players)


def test_a_snapshot_stays_what_it_was() -> None:
    env = env_of(big())
    actor = env.pool.players[NEWEST].actor
    env.pool.take(actor)
    before = {name: value.clone() for name, value in actor.state_dict().items()}
    with torch.no_grad():
        for value in actor.parameters():
            value += 1
    kept = env.pool.players[1].actor.state_dict()
    assert all(torch.equal(value, before[name]) for name, value in kept.items())
    assert env.pool.players[NEWEST].actor is actor


class Watcher(Agent):
    """Plays the first legal action and notes what it was shown."""

    name = "watcher"
    modes = ("competitive",)

    def __init__(self) -> None:
        self.told: list[tuple[Any, Any]] = []

    def act(self, seen: Seen) -> Any:
        self.told.append((seen.seats.copy(), seen.observations.copy()))
        return seen.masks.argmax(axis=1)


def test_opponents_act_for_their_own_seats_and_the_learner_for_its_own() -> None:
    env = env_of(big())
    watcher = Watcher()
    env.pool.players = dict.fromkeys(env.pool.players, watcher)
    env.pool.seen_by = dict.fromkeys(env.pool.players, lens_for(watcher, env.batch))
    env.deal(0)
    for _ in range(6):
        turns = env.batch.games["turn"]
        assert (turns == env.pool.seats).all() and (env.batch.games["end"] == 0).all()
        expected = env.games.batch.lens("full", "sorted")
        seen = np.zeros_like(env.batch.observations)
        expected.observe_some(np.arange(400), env.pool.seats, seen, np.zeros_like(env.batch.masks))
        env.pairs.rewrite(seen, shown := np.zeros((400, env.seen), np.float32))
        assert np.array_equal(env.observe()[:, : env.seen], shown)
        env.step(env.action_masks().argmax(axis=1))
    own_turn = env.batch.layout["turn"]
    for _, observations in watcher.told:
        # Who is on turn is told from the observer on: an opponent sees itself there.
        assert (own_turn.of(observations)[:, 0] == 1).all()
    assert {seat for seats, _ in watcher.told for seat in seats} == {0, 1, 2, 3}


def test_rewards_are_those_of_the_learners_seat() -> None:
    env = env_of(big(newest=0.0, past=0.0, built_in=1.0, agents={"bayes": 1.0}))
    env.deal(0)
    rewards, ends = [], []
    for _ in range(30):
        _, reward, done, _ = env.step(env.action_masks().argmax(axis=1))
        assert (reward[~done] == 0).all()
        rewards += reward[done].tolist()
        ends.append(env.take_endings())
    told = np.concatenate(ends)
    assert len(told) == len(rewards) > 100 and np.allclose(told["final_return"], rewards)
    # The winner 1, the others -1/3 each; shares of draws lie between. Nobody wins by placing anywhere.
    assert np.mean(np.isclose(rewards, -1 / 3)) > 0.9 and max(rewards) <= 1


def test_self_play_never_deals_a_held_out_game() -> None:
    env = env_of(big())
    env.deal(2**31 * train.SEEDS_APART)
    for _ in range(20):
        env.step(env.action_masks().argmax(axis=1))
        assert (env.batch.games["seed"] < HELD_OUT).all()


def test_the_actor_does_not_see_what_its_seat_cannot_know_and_the_critic_does(suite: str) -> None:
    config = small(suite)
    model, env = train.make_model(config, load_suite(suite))
    assert isinstance(env, SelfPlayVecEnv)
    env.deal(3)
    seen = env.observe().copy()
    rng = np.random.default_rng(0)
    masks = env.action_masks().copy()
    changed = 0
    for _ in range(5):
        for i, seat in enumerate(env.pool.seats):
            one = copy.copy(env.batch)
            one.games, one.estimates = env.batch.games[i : i + 1], env.batch.estimates[i : i + 1]
            change_competitive(one, int(seat), rng)
        after = env.observe()
        assert np.array_equal(after[:, : env.seen], seen[:, : env.seen])
        assert np.array_equal(env.action_masks(), masks)
        changed += int((after[:, env.seen :] != seen[:, env.seen :]).any(axis=1).sum())
    assert changed > 0
    policy: Any = model.policy
    tensor = torch.from_numpy(seen)
    other = tensor.clone()
    other[:, env.seen :] += 1
    first, second = policy.get_distribution(tensor, masks), policy.get_distribution(other, masks)
    assert torch.equal(first.distribution.logits, second.distribution.logits)
    assert not torch.equal(policy.predict_values(tensor), policy.predict_values(other))


def test_the_forecast_comes_true_if_everybody_plays_by_rule_of_thumb() -> None:
    batch = competitive_v0.make_batch(60, players=3)
    batch.deal(range(60), range(60))
    seats = np.arange(60) % 3
    foreseen = np.zeros((60, 2), np.float32)
    CompetitiveForesight(batch).write(seats, foreseen)
    play(batch, [make("bayes")])
    assert np.allclose(foreseen[:, 0], batch.rewards(np.arange(60), seats))
    assert np.allclose(foreseen[:, 1] * 16, batch.games["rounds"])


# --- runs -------------------------------------------------------------------------------------------------------------


def interrupt_after(updates: int) -> Any:
    def say(line: dict[str, Any]) -> None:
        if "speed" in line and line["steps"] == updates * 128:
            raise KeyboardInterrupt

    return say


def test_an_interrupted_run_of_self_play_goes_on_as_if_nothing_had_happened(suite: str, tmp_path: Path) -> None:
    config = small(suite)
    train.train(config, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train.train(config, tmp_path / "parts", say=interrupt_after(3))
    train.resume(tmp_path / "parts")
    whole, parts = (torch.load(tmp_path / name / "resume.pt") for name in ("whole", "parts"))
    for name, weights in whole["policy"].items():
        assert torch.equal(weights, parts["policy"][name]), name
    for name in ("games", "estimates", "outcomes"):
        assert torch.equal(whole[name], parts[name]), name
    for name in ("seats", "choices", "assigned"):
        assert torch.equal(whole["pool"][name], parts["pool"][name]), name
    assert whole["pool"]["taken"] == parts["pool"]["taken"] == 4
    assert whole["pool"]["snapshots"].keys() == parts["pool"]["snapshots"].keys()
    for number, weights in whole["pool"]["snapshots"].items():
        for name, value in weights.items():
            assert torch.equal(value, parts["pool"]["snapshots"][number][name]), (number, name)
    told = [json.loads((tmp_path / name / "metrics.json").read_text()) for name in ("whole", "parts")]
    assert [line["win_share"] for line in told[0]["evaluations"]] == [
        line["win_share"] for line in told[1]["evaluations"]
    ]
    assert told[0]["snapshots"] == told[1]["snapshots"]


def test_snapshots_are_agents_in_the_run_folder(trained: Path) -> None:
    told = json.loads((trained / "metrics.json").read_text())["snapshots"]
    assert told == [{"number": number, "steps": 128 * number} for number in range(4)]
    folders = sorted((trained / "snapshots").iterdir())
    assert [folder.name for folder in folders] == ["000", "001", "002", "003"]
    agents = [make(folder) for folder in folders[:2]]
    assert agents[1].name == "versus/snapshots/001"
    batch = competitive_v0.make_batch(4)
    batch.deal(range(4), range(4))
    play(batch, agents, np.array([[0, 1], [1, 0]] * 2))
    assert (batch.games["end"] > 0).all()


def test_a_run_is_judged_by_wins_against_the_suites_opponent(trained: Path) -> None:
    metrics = json.loads((trained / "metrics.json").read_text())
    assert [line["steps"] for line in metrics["evaluations"]] == [0, 256, 512]
    assert metrics["best"] == max(line["win_share"] for line in metrics["evaluations"])
    assert all(line["against"] == "bayes" for line in metrics["evaluations"])


def test_a_released_agent_of_self_play_is_evaluated_and_watched(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "versus-agent"
    done = run_command(capsys, monkeypatch, "release", trained, folder, "--games", 20)
    assert done.code == 0, done.err
    assert sorted(path.name for path in folder.iterdir()) == ["config.yaml", "metrics.json", "model.safetensors"]
    held_out = json.loads((folder / "metrics.json").read_text())["held_out"]
    assert held_out["against"] == "bayes" and 0 <= held_out["win_share"]["mean"] <= 1
    suite = release.read_config(folder).suite
    done = run_command(capsys, monkeypatch, "evaluate", folder, "--suite", suite, "--games", 10)
    assert done.code == 0 and "versus-agent" in done.out
    done = run_command(capsys, monkeypatch, "watch", folder, "--mode", "competitive", "--seed", 1)
    assert done.code == 0, done.err


def test_agents_of_one_mode_are_refused_at_tables_of_the_other(
    trained: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run_command(capsys, monkeypatch, "evaluate", trained / "best", "--suite", "tiny")
    assert done.code == 2 and "plays competitive games only" in done.err and done.err.count("\n") == 1
    done = run_command(capsys, monkeypatch, "evaluate", f"{trained / 'best'}+rollout", "--suite", "tiny")
    assert done.code == 2 and "+rollout is for co-op" in done.err and done.err.count("\n") == 1


def test_trained_agents_of_self_play_do_not_see_what_their_seat_cannot_know(trained: Path) -> None:
    agent = make(trained / "best")
    rng = np.random.default_rng(1)
    for seed in range(20):
        batch = competitive_v0.make_batch(1, players=3)
        batch.deal([0], [seed])
        keys = np.zeros(1, np.uint64)
        before = agent.probabilities(Seen(lens_for(agent, batch), np.arange(1), keys))
        change_competitive(batch, 0, rng)
        assert np.array_equal(agent.probabilities(Seen(lens_for(agent, batch), np.arange(1), keys)), before)


def test_self_play_is_measured_with_networks_at_least_as_large() -> None:
    co_op = configs.check({"suite": "tiny", "network": {"widths": [16]}, "critic": {"widths": [16]}}, "test")
    weights = speed.weights_of(train.make_model(co_op, load_suite("tiny"))[0])
    alike = speed.as_large(speed.self_play(co_op), weights + 5000)
    own = speed.weights_of(train.make_model(alike, load_suite(alike.suite))[0])
    assert weights + 5000 <= own < weights + 25_000
    assert alike.ppo.steps == co_op.ppo.steps and alike.ppo.games == co_op.ppo.games


def test_the_defaults_of_self_play_are_those_of_the_config() -> None:
    config = configs.load(ROOT / "configs" / "competitive-2p-noisy10.yaml")
    assert config.competitive and config.selfplay == SelfPlay()
    assert configs.check(json.loads(json.dumps(config.model_dump())), "again") == config
