"""Training: configs, games for the learner, networks, run folders, released agents, search on top."""

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from commands import run as run_command
from timeline_twist import coop_v0
from timeline_twist.agents import make
from timeline_twist.agents.playing import lens_for, play, take_turn
from timeline_twist.agents.seen import Seen
from timeline_twist.coop_hidden import NEXT_CARDS
from timeline_twist.errors import SettingsError
from timeline_twist.evaluation.deals import HELD_OUT
from timeline_twist.evaluation.running import win_shares
from timeline_twist.evaluation.suites import load_suite
from timeline_twist.vector import CoopVectorEnv
from timeline_twist_training import config as configs
from timeline_twist_training import imitate, release, run, train
from timeline_twist_training.networks import CardsActor, make_actor
from timeline_twist_training.policy import GamesPolicy
from timeline_twist_training.sb3 import GamesVecEnv
from timeline_twist_training.seeds import interquartile_mean, interval_over_seeds

ROOT = Path(__file__).parents[1]
SMALL: dict[str, Any] = {
    "suite": "tiny",
    "network": {"widths": [16]},
    "critic": {"widths": [16]},
    "ppo": {"steps": 512, "games": 16, "horizon": 8, "minibatch": 64},
    "evaluation": {"every": 256, "games": 10},
}


GAMES_32 = {"games": 32, "horizon": 4, "minibatch": 64}


def small(**changes: Any) -> configs.Config:
    return configs.check(SMALL | changes, "test")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    train.train(small(), folder)
    return folder


# --- configs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"suite": "tiny", "ppo": {"learning_rte": 1.0}},
            "ppo.learning_rte: unknown setting; did you mean 'learning_r",
        ),
        ({"suite": "tiny", "ppo": {"learning_rate": "3e-4"}}, "write 3.0e-4"),
        ({"suite": "tiny", "version": 2}, "version: 2; this program reads 1"),
        ({"suite": "tinny"}, "did you mean 'tiny'"),
        ({"suite": "competitive-2p-noisy10"}, "competitive"),
        ({}, "suite: missing"),
        ({"suite": "tiny", "ppo": {"games": 2, "horizon": 2}}, "ppo.minibatch"),
        ({"suite": "tiny", "ppo": {"steps": True}}, "ppo.steps"),
    ],
)
def test_a_mistake_in_a_config_is_one_line_that_names_the_place(content: Any, message: str) -> None:
    with pytest.raises(SettingsError) as error:
        configs.check(content, "my.yaml")
    assert str(error.value).startswith("my.yaml: ") and message in str(error.value) and "\n" not in str(error.value)


def test_settings_can_be_changed_from_outside(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("suite: tiny\n")
    assert configs.load(path, ["ppo.steps=1_000_000", "network.widths=[8, 8]"]).network.widths == [8, 8]
    with pytest.raises(SettingsError, match="write name=value"):
        configs.load(path, ["ppo.steps"])
    with pytest.raises(SettingsError, match="has no settings of its own"):
        configs.load(path, ["suite.steps=3"])


@pytest.mark.parametrize("path", [*sorted((ROOT / "configs").glob("*p-*.yaml")), ROOT / "configs" / "quick.yaml"])
def test_every_config_of_the_repository_can_be_read_and_written_back(path: Path, tmp_path: Path) -> None:
    config = configs.load(path)
    (tmp_path / "again.yaml").write_text(configs.dump(config))
    assert configs.load(tmp_path / "again.yaml") == config


# --- games for the learner --------------------------------------------------------------------------------------------


def test_the_learners_games_are_those_of_the_vector_environment() -> None:
    env = GamesVecEnv(coop_v0.make_batch(8, knowledge="expert"))
    env.deal(5)
    seen: Any = env.observe()
    others = CoopVectorEnv(8, knowledge="expert")
    expected, infos = others.reset(seed=5)
    random = np.random.default_rng(0)
    for _ in range(120):
        assert np.array_equal(seen[:, : env.seen], expected)
        assert np.array_equal(env.env_method("action_masks"), infos["action_mask"])
        actions = (infos["action_mask"] * random.random((8, 9))).argmax(axis=1)
        seen, rewards, dones, _ = env.step(actions)
        expected, wanted, ended, _, infos = others.step(actions)
        assert np.array_equal(rewards, wanted.astype(np.float32)) and np.array_equal(dones, ended)
    assert len(env.take_endings()) > 0 and len(env.take_endings()) == 0


def test_training_never_deals_a_held_out_game() -> None:
    env = GamesVecEnv(coop_v0.make_batch(64, knowledge="expert"))
    env.deal(2**31 * train.SEEDS_APART)
    for _ in range(150):
        env.step(env.action_masks().argmax(axis=1))
        assert (env.batch.games["seed"] < HELD_OUT).all()


def test_the_hidden_part_is_the_pile_and_what_cards_truly_are() -> None:
    env = GamesVecEnv(coop_v0.make_batch(3, players=2, knowledge="noisy"))
    env.deal(1)
    hidden = env.observe()[1, env.seen :]
    game = env.batch.games[1]
    pile = list(range(int(game["drawn"]), 36))
    expected = np.zeros(100, np.float32)
    for order, card in enumerate(pile):
        expected[game["time"][card]] = (36 - order) / 36
    assert np.allclose(hidden[:100], expected)
    following = hidden[100 : 100 + NEXT_CARDS * 10].reshape(NEXT_CARDS, 10)
    assert np.allclose(following[:, 1] * 100 - 0.5, game["time"][pile[:NEXT_CARDS]])
    assert (following[:, 2:6].argmax(axis=1) == game["front"][pile[:NEXT_CARDS]]).all()
    assert (following[:, 6:].argmax(axis=1) == game["back"][pile[:NEXT_CARDS]]).all()
    visible = hidden[100 + NEXT_CARDS * 10 :].reshape(9, 5)
    hands = [*game["hands"][0], *game["hands"][1], pile[0]]
    assert np.allclose(visible[:, 0] * 100 - 0.5, game["time"][hands])
    assert (visible[:, 1:].argmax(axis=1) == game["back"][hands]).all()


def test_the_actor_sees_nothing_of_the_hidden_part_and_the_critic_does() -> None:
    model, env = train.make_model(small(), load_suite("tiny"))
    env.deal(0)
    seen = torch.as_tensor(env.observe().copy())
    changed = seen.clone()
    changed[:, env.seen :] += 1
    policy: Any = model.policy
    assert isinstance(policy, GamesPolicy)
    masks = env.action_masks()
    first, second = policy.get_distribution(seen, masks), policy.get_distribution(changed, masks)
    assert torch.equal(first.distribution.logits, second.distribution.logits)
    assert not torch.equal(policy.predict_values(seen), policy.predict_values(changed))


# --- networks ---------------------------------------------------------------------------------------------------------


def cards_actor(players: int) -> tuple[CardsActor, Any]:
    batch = coop_v0.make_batch(4, players, knowledge="expert")
    batch.deal(range(4), range(4))
    batch.observe_turns()
    settings = configs.Network(kind="cards", widths=[32], card_widths=[16, 16], head_width=16)
    torch.manual_seed(0)
    actor = make_actor(settings, batch.layout)
    assert isinstance(actor, CardsActor)
    for parameter in actor.parameters():
        torch.nn.init.normal_(parameter, 0, 0.3)
    return actor, batch


def test_the_order_of_a_hand_does_not_matter_to_the_cards_network() -> None:
    actor, batch = cards_actor(2)
    seen = batch.observations.copy()
    moved = seen.copy()
    order = [2, 0, 3, 1]
    for name in ("cards", "fates"):
        batch.layout[name].of(moved)[:, :4] = batch.layout[name].of(seen)[:, order]
    logits, others = (actor(torch.from_numpy(part)).detach().numpy() for part in (seen, moved))
    assert np.allclose(others[:, :4], logits[:, order], atol=1e-5)
    assert np.allclose(others[:, 4:8], logits[:, 4:8][:, order], atol=1e-5)
    assert np.allclose(others[:, 8], logits[:, 8], atol=1e-5)
    assert not np.allclose(logits[:, :4], logits[:, order], atol=1e-3)


def test_the_weights_of_the_cards_network_serve_any_number_of_players() -> None:
    actor, _ = cards_actor(2)
    for players in (1, 3, 6):
        other, batch = cards_actor(players)
        other.load_state_dict(actor.state_dict())
        assert other(torch.from_numpy(batch.observations)).shape == (4, 9)


@pytest.mark.parametrize("changes", [{}, {"rows": True}, {"canonical": False}, {"features": "raw"}])
@pytest.mark.parametrize("kind", ["mlp", "cards"])
def test_every_network_takes_every_kind_of_inputs(kind: str, changes: dict[str, Any]) -> None:
    network = {"kind": kind, "widths": [16], "card_widths": [8], "head_width": 8}
    config = small(network=network, **changes)
    env = train.make_games(config, load_suite("tiny"), 8)
    env.deal(0)
    seen = torch.from_numpy(env.observe()[:, : env.seen])
    assert make_actor(config.network, env.layout)(seen).shape == (8, 9)


# --- runs -------------------------------------------------------------------------------------------------------------


def test_a_run_folder_holds_what_the_run_was(trained: Path) -> None:
    assert configs.load(trained / "config.yaml") == small()
    about = json.loads((trained / "run.json").read_text())
    assert about["versions"]["torch"] == str(torch.__version__) and "git_commit" in about
    metrics = json.loads((trained / "metrics.json").read_text())
    assert [line["steps"] for line in metrics["evaluations"]] == [0, 256, 512]
    assert metrics["best"] == max(line["score"] for line in metrics["evaluations"])
    board = EventAccumulator(str(trained / "tb")).Reload()
    tags = set(board.Tags()["scalars"])
    wanted = {"games/score", "evaluation/score", "evaluation/share_of_hindsight", "evaluation/length", "games/length"}
    wanted |= {"train/value_loss", "train/entropy_loss", "train/explained_variance", "speed/steps_per_second"}
    wanted |= {"ends/failed_play", "ranks/7_Time_Travelers", "train/learning_rate"}
    assert wanted <= tags, wanted - tags
    assert board.Tags()["images"] == ["table"]


def interrupt_after(updates: int) -> Any:
    def say(line: dict[str, Any]) -> None:
        if "speed" in line and line["steps"] == updates * 128:
            raise KeyboardInterrupt

    return say


@pytest.mark.parametrize(
    "changes",
    [
        {"precision": "bfloat16"},
        {"precision": "float32"},
        {"imitation": {"agent": "greedy", "steps": 384}},
    ],
)
def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = small(**changes)
    train.train(config, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train.train(config, tmp_path / "parts", say=interrupt_after(3))
    train.resume(tmp_path / "parts")
    whole, parts = (torch.load(tmp_path / name / "resume.pt") for name in ("whole", "parts"))
    for name, weights in whole["policy"].items():
        assert torch.equal(weights, parts["policy"][name]), name
    assert torch.equal(whole["games"], parts["games"]) and whole["updates"] == parts["updates"]
    for number, state in whole["optimizer"]["state"].items():
        assert torch.equal(state["exp_avg"], parts["optimizer"]["state"][number]["exp_avg"])
    scores = [json.loads((tmp_path / name / "metrics.json").read_text())["evaluations"] for name in ("whole", "parts")]
    assert [line["score"] for line in scores[0]] == [line["score"] for line in scores[1]]


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    path, folder = tmp_path / "a.yaml", tmp_path / "run"
    # Far more steps than it is given time for.
    path.write_text(configs.dump(small(checkpoint_minutes=0.001, ppo=SMALL["ppo"] | {"steps": 100_000_000})))
    command = [sys.executable, "-c", "from timeline_twist.cli import main; main()", "train", str(path)]
    running = subprocess.Popen([*command, "--out", str(folder)], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 300
        while not (folder / "resume-before.pt").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
    steps = run.read_resume(folder)["steps"]
    assert steps > 0
    with pytest.raises(KeyboardInterrupt):
        train.resume(folder, say=interrupt_after(steps // 128 + 2))
    assert run.read_resume(folder)["steps"] == steps + 2 * 128


def test_nothing_is_overwritten(trained: Path) -> None:
    before = (trained / "resume.pt").read_bytes()
    with pytest.raises(SettingsError, match="is not empty"):
        train.train(small(), trained)
    assert (trained / "resume.pt").read_bytes() == before


def stopped(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train.train(small(), folder, say=interrupt_after(2))
    return folder


def test_a_damaged_resume_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    folder = stopped(tmp_path)
    content = (folder / "resume.pt").read_bytes()
    for damaged in (content[: len(content) // 2], b"", content[:2000] + bytes(200) + content[2200:]):
        (folder / "resume.pt").write_bytes(damaged)
        with pytest.raises(SettingsError, match=r"resume\.pt: (damaged|of another|does not fit)"):
            train.resume(folder)
        assert (folder / "resume.pt").read_bytes() == damaged


def test_a_resume_file_does_not_execute_anything(tmp_path: Path) -> None:
    folder = stopped(tmp_path)
    (folder / "resume.pt").write_bytes(pickle.dumps(Evil(tmp_path / "evil"), protocol=2))
    with pytest.raises(SettingsError, match="damaged"):
        train.resume(folder)
    assert not (tmp_path / "evil").exists()


def test_a_run_of_another_config_version_is_refused(tmp_path: Path) -> None:
    folder = stopped(tmp_path)
    text = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(text.replace("version: 1", "version: 9"))
    with pytest.raises(SettingsError, match="version: 9"):
        train.resume(folder)


def test_weights_that_are_no_numbers_stop_the_run_and_reach_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stopped(tmp_path)
    before = (folder / "resume.pt").read_bytes()
    training = train.Training(release.read_config(folder), folder, train.quiet)
    training.restore()
    training.look()
    spoil = next(training.actor.parameters()).data.fill_
    monkeypatch.setattr(training.model, "train", lambda: spoil(float("nan")))
    with pytest.raises(train.TrainingError, match=r"\(nan\)"):
        training.update()
    assert (folder / "resume.pt").read_bytes() == before


def test_a_full_disk_is_one_line_and_leaves_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = stopped(tmp_path)
    training = train.Training(release.read_config(folder), folder, train.quiet)
    training.restore()

    def full(path: Path, _: bytes) -> None:
        raise SettingsError(f"{path}: cannot be written: No space left on device; choose another place")

    monkeypatch.setattr(run, "write_whole", full)
    with pytest.raises(SettingsError, match="No space left"):
        training.save()
    assert run.read_resume(folder)["steps"] == 256


def test_a_new_critic_may_learn_alone_before_the_actor_does(tmp_path: Path) -> None:
    training = train.Training(small(critic={"widths": [16], "alone": 128}), tmp_path, train.quiet)
    training.progress["evaluations"] = [{"steps": 0}]
    training.look()
    before = copy.deepcopy(training.actor.state_dict())
    training.update()
    assert all(torch.equal(value, before[name]) for name, value in training.actor.state_dict().items())
    training.update()
    assert not all(torch.equal(value, before[name]) for name, value in training.actor.state_dict().items())


# --- learning from others ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slots", ["sorted", "table"])
@pytest.mark.parametrize("canonical", [True, False])
def test_a_teacher_means_the_same_cards_as_its_pupil(slots: str, canonical: bool) -> None:
    config = configs.check({"suite": "coop-2p-expert", "slots": slots, "canonical": canonical, "ppo": GAMES_32}, "test")
    env = train.make_games(config, load_suite(config.suite), 32)
    env.deal(3)
    env.observe()
    for decision in range(12):
        chances = imitate.Teacher("greedy", env, 0).chances(decision)
        assert np.array_equal(chances.sum(axis=1), np.ones(32)) and (chances <= env.action_masks()).all()
        expected = env.batch.games.copy()
        alone: Any = load_suite("coop-2p-expert").make_batch(32)
        alone.games, alone.estimates = expected, env.batch.estimates.copy()
        take_turn(make("greedy"), alone.lens("full", "table"), np.arange(32), np.zeros(32, np.uint64))
        _, _, ended, _ = env.step(chances.argmax(axis=1))
        for name in ("hands", "turn", "main", "discards"):
            assert np.array_equal(env.batch.games[name][~ended], alone.games[name][~ended])


def test_a_learner_comes_to_decide_as_its_teacher_does(tmp_path: Path) -> None:
    ppo = {"steps": 30_000, "games": 32, "horizon": 32, "minibatch": 128, "learning_rate": 3.0e-3}
    changes = {"imitation": {"agent": "greedy", "steps": 30_000, "minibatch": 128}, "ppo": ppo}
    train.train(small(network={"widths": [64]}, evaluation={"every": 30_000, "games": 10}, **changes), tmp_path / "run")
    board = EventAccumulator(str(tmp_path / "run" / "tb")).Reload()
    agreement = [event.value for event in board.Scalars("imitation/agreement")]
    assert agreement[0] < 0.7 and agreement[-1] > 0.85


def test_a_search_teaches_what_it_finds_and_not_what_its_network_thinks(trained: Path) -> None:
    agent = make(f"{trained / 'best'}+rollout:rollouts=16,floor=0")
    batch = load_suite("tiny").make_batch(20)
    batch.deal(range(20), range(20))
    seen = Seen(lens_for(agent, batch), np.arange(20), np.arange(20, dtype=np.uint64))
    chances = agent.probabilities(seen)
    assert np.array_equal(chances.argmax(axis=1), agent.act(seen)) and (chances.max(axis=1) == 1).all()
    assert not np.array_equal(agent.act(seen), make(trained / "best").act(seen))


def test_imitation_needs_somebody_to_imitate() -> None:
    with pytest.raises(SettingsError, match=r"imitation\.agent: missing"):
        small(imitation={"steps": 100})


# --- released agents --------------------------------------------------------------------------------------------------


class Evil:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def test_a_released_agent_plays_from_config_and_weights_alone(trained: Path) -> None:
    assert sorted(path.name for path in (trained / "best").iterdir()) == ["config.yaml", "model.safetensors"]
    agent = make(trained / "best")
    assert agent.name == "small/best"
    batch = load_suite("tiny").make_batch(5)
    batch.deal(range(5), range(5))
    play(batch, [agent])
    assert (batch.games["end"] > 0).all()


def test_weights_that_would_execute_code_are_refused(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text((trained / "config.yaml").read_text())
    (tmp_path / "model.safetensors").write_bytes(pickle.dumps(Evil(tmp_path / "evil"), protocol=2))
    with pytest.raises(SettingsError, match="not in the format safetensors"):
        make(tmp_path)
    assert not (tmp_path / "evil").exists()


def test_an_agent_at_the_wrong_table_is_one_line(trained: Path) -> None:
    batch = coop_v0.make_batch(1, 3, knowledge="expert")
    with pytest.raises(SettingsError, match="trained for tiny"):
        lens_for(make(trained / "best"), batch)


def test_bad_folders_and_settings_of_trained_agents(trained: Path, tmp_path: Path) -> None:
    for given, message in [
        (str(tmp_path), "no config.yaml in it"),
        (f"{trained / 'best'}+tree", "is no search"),
        (f"{trained / 'best'}:rollouts=3", "has none without"),
        (f"{trained / 'best'}+rollout:rolouts=3", "did you mean 'rollouts'"),
        (f"{trained / 'best'}+rollout:floor=2", "from 0 to 1"),
    ]:
        with pytest.raises(SettingsError, match=message.replace("+", r"\+")):
            make(given)


def test_an_agent_can_start_from_a_released_one(trained: Path, tmp_path: Path) -> None:
    training = train.Training(small(start_from=str(trained / "best")), tmp_path, train.quiet)
    for name, weights in load_file(trained / "best" / "model.safetensors").items():
        assert torch.equal(training.actor.state_dict()[name], weights)


@pytest.mark.parametrize("suffix", ["", "+rollout:rollouts=8,floor=0"])
def test_trained_agents_do_not_see_what_their_seat_cannot_know(trained: Path, suffix: str) -> None:
    agent = make(f"{trained / 'best'}{suffix}")
    batch: Any = load_suite("tiny").make_batch(12)
    batch.deal(range(12), range(12))
    keys = np.arange(12, dtype=np.uint64)
    before = agent.act(Seen(lens_for(agent, batch), np.arange(12), keys))
    for game in batch.games:
        below = np.arange(int(game["drawn"]) + 1, 12)
        for name in ("time", "card", "front", "back"):
            game[name][below] = game[name][below[::-1]]
        batch.estimates[:, 0] = batch.games["time"][:, :12]
        hidden = [*game["hands"][0][:2], *game["hands"][1][:2], int(game["drawn"])]
        game["back"][hidden] = (game["front"][hidden] + 1) % 3
        game["seed"] += np.uint64(1)
    assert np.array_equal(agent.act(Seen(lens_for(agent, batch), np.arange(12), keys)), before)


def test_search_finds_better_actions_than_the_policy_alone(trained: Path) -> None:
    scores = {}
    for suffix in ("", "+rollout:rollouts=32,floor=0,most=9"):
        batch: Any = load_suite("tiny").make_batch(60)
        batch.deal(range(60), range(60))
        play(batch, [make(f"{trained / 'best'}{suffix}")])
        scores[suffix] = batch._scores(batch.games).mean()
    assert scores["+rollout:rollouts=32,floor=0,most=9"] > scores[""] + 1


def test_search_gives_the_values_it_decides_by(trained: Path) -> None:
    agent = make(f"{trained / 'best'}+rollout:rollouts=16,floor=0")
    batch = load_suite("tiny").make_batch(6)
    batch.deal(range(6), range(6))
    seen = Seen(lens_for(agent, batch), np.arange(6), np.arange(6, dtype=np.uint64))
    values = agent.values(seen)
    assert values is not None and (np.isnan(values) | (seen.masks == 1)).all()
    assert (np.nanmax(values, axis=1) <= 36).all() and np.isfinite(values).any(axis=1).all()


# --- several seeds ----------------------------------------------------------------------------------------------------


def test_the_interquartile_mean_leaves_out_a_quarter_at_each_end() -> None:
    assert interquartile_mean([0, 10, 20, 1000]) == 15
    assert interquartile_mean([7.0]) == 7
    # Of three, the middle one counts whole and a quarter of each of the others.
    assert interquartile_mean([0, 10, 40]) == pytest.approx((0.25 * 0 + 10 + 0.25 * 40) / 1.5)
    low, high = interval_over_seeds([1.0, 2.0, 3.0]) or (0, 0)
    assert 1 <= low < 2 < high <= 3
    assert interval_over_seeds([1.0]) is None


def test_several_seeds_give_one_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(configs.dump(small()))
    monkeypatch.setattr("timeline_twist_training.seeds.GAMES", 20)
    done = run_command(capsys, monkeypatch, "train", path, "--out", tmp_path / "runs", "--seeds", 2)
    assert done.code == 0 and "interquartile mean" in done.out
    summary = json.loads((tmp_path / "runs" / "seeds.json").read_text())
    assert sorted(summary["scores"]) == ["seed-0", "seed-1"]


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_trains_and_compares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(configs.dump(small()))
    monkeypatch.setattr("timeline_twist_training.commands.GAMES", 20)
    done = run_command(capsys, monkeypatch, "train", path, "--set", "seed=3", "--out", tmp_path / "run")
    assert done.code == 0, done.err
    for word in ("random", "greedy", "bayes", "run/best", "tensorboard --logdir", "timeline-twist watch"):
        assert word in done.out
    assert "512 steps" in done.err
    assert "timeline-twist train" in json.loads((tmp_path / "run" / "run.json").read_text())["command"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "CONFIG.yaml: missing"),
        (["nothing.yaml"], "nothing.yaml: cannot be read"),
        (["--resume", "nowhere"], "nowhere: no config.yaml in it"),
        (["a.yaml", "--resume", "run"], "--resume: goes on with the run as it was begun"),
        (["a.yaml", "--seeds", "0"], "--seeds"),
    ],
)
def test_mistakes_on_the_command_line_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    done = run_command(capsys, monkeypatch, "train", *arguments)
    assert done.code == 2 and message in done.err and done.err.count("\n") == 1


def test_without_the_extra_the_command_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("timeline_twist_training")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    done = run_command(capsys, monkeypatch, "train", "a.yaml")
    assert done.code == 2 and "pip install 'timeline-twist[train]'" in done.err and done.err.count("\n") == 1


def test_a_run_becomes_a_released_agent(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tiny-agent"
    done = run_command(capsys, monkeypatch, "release", trained, folder, "--games", 30)
    assert done.code == 0, done.err
    assert sorted(path.name for path in folder.iterdir()) == ["config.yaml", "metrics.json", "model.safetensors"]
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["held_out"]["games"] == 30 and metrics["training"]["evaluations"][-1]["steps"] == 512
    assert make(folder).name == "tiny-agent"
    again = run_command(capsys, monkeypatch, "release", trained, folder)
    assert again.code == 2 and "--force" in again.err


RELEASED = sorted(path.parent for path in (ROOT / "checkpoints").glob("*/config.yaml"))


@pytest.mark.parametrize("folder", [folder for folder in RELEASED if folder.name.startswith("coop")])
def test_released_coop_agents_beat_chance_at_their_tables(folder: Path) -> None:
    batch: Any = load_suite(release.read_config(folder).suite).make_batch(20)
    batch.deal(range(20), range(20))
    play(batch, [make(folder)])
    # Random play makes about -13 at all of them.
    assert batch._scores(batch.games).mean() > -8


@pytest.mark.parametrize("folder", [folder for folder in RELEASED if folder.name.startswith("competitive")])
def test_released_competitive_agents_beat_chance_at_their_tables(folder: Path) -> None:
    suite = load_suite(release.read_config(folder).suite)
    batch: Any = suite.make_batch(40)
    batch.deal(range(40), range(40))
    seats = np.arange(40) % suite.players
    seating = np.ones((40, suite.players), np.int64)
    seating[np.arange(40), seats] = 0
    play(batch, [make(folder), make("random")], seating)
    assert win_shares(batch.games, seats).mean() > 0.8
