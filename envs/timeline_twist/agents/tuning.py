"""Tunes the weights of the rules of thumb by the cross-entropy method, and writes them into weights.json.

    python -m timeline_twist.agents.tuning --players 2 --setting exact
    python -m timeline_twist.agents.tuning --players 2 --setting exact --refine --rounds 25 --games 2400

Each round draws weights around the present ones, plays the same new deals with all of them and moves to the best few.
`exact` weights are tuned under `expert`, `estimated` ones under a mixture of `noisy` knowledge (sigma 2, 5, 10, open
and none), `unknown` ones under `blind`. The deals are those of training: evaluation has its own.
"""

import argparse
import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_twist import coop_v0
from timeline_twist.agents.coop_thumb import WEIGHTS, coop_choose
from timeline_twist.agents.weights import ESTIMATED, EXACT, FILE, UNKNOWN, read_file
from timeline_twist.batch import CoopBatch
from timeline_twist.compiled import compiled
from timeline_twist.engine import RUNNING, coop_step
from timeline_twist.files import write_json
from timeline_twist.knowledge import EXPERT, NOISY
from timeline_twist.observation import row_of
from timeline_twist.records import MAX_DECK, think_dtype

KNOWLEDGE: dict[str, list[dict[str, Any]]] = {
    EXACT: [{"knowledge": "expert"}],
    ESTIMATED: [
        {"knowledge": {"kind": "noisy", "sigma": sigma}, "communication": communication}
        for sigma in (2, 5, 10)
        for communication in ("open", "none")
    ],
    UNKNOWN: [{"knowledge": "blind"}],
}
# Where the search begins if there are no weights yet: a card closed off is a card lost, gaps can wait.
BEGINNING = dict.fromkeys(WEIGHTS, 0.0) | {
    "end_mine": 2.0, "end_others": 2.5, "end_unseen": 0.7, "gap": 1.8, "gap_mine": 0.6, "gap_others": 0.8,
    "gap_unseen": 0.8, "equal": 3.0, "stuck": -1.0, "stuck_second": -1.0, "ruin": -1.0, "ruin_pile": -3.0,
    "second": -1.3, "discard_dead": 1.0, "discard_value": 0.5,
}  # fmt: skip
CANDIDATES, ELITE, STEP = 64, 8, 0.7
SPREAD, REFINING_SPREAD, SMALLEST_SPREAD = 0.8, 0.2, 0.02
FIRST_SEED = 1 << 40

Vector = npt.NDArray[np.float64]


def tune(
    players: int, setting: str, rounds: int, games: int, seed: int = 0, *, refine: bool = False
) -> dict[str, float]:
    """The weights after so many rounds; `games` are played by each candidate in a round.

    `refine` goes on from the present weights, near to them.
    """
    rng = np.random.default_rng(seed)
    beginning = read_file()[setting][str(players)] if refine else BEGINNING
    mean = np.array([beginning[name] for name in WEIGHTS])
    spread = np.full(len(WEIGHTS), REFINING_SPREAD if refine else SPREAD)
    began = time.monotonic()
    for number in range(rounds):
        batches = deal(players, setting, games, FIRST_SEED + (seed * rounds + number) * games)
        candidates = rng.normal(mean, spread, (CANDIDATES, len(WEIGHTS)))
        candidates[0] = mean
        scores = np.array([mean_score(batches, candidate) for candidate in candidates])
        elite = candidates[np.argsort(-scores)[:ELITE]]
        mean = STEP * elite.mean(axis=0) + (1 - STEP) * mean
        spread = STEP * elite.std(axis=0) + (1 - STEP) * spread + SMALLEST_SPREAD
        seconds = time.monotonic() - began
        print(f"round {number + 1}/{rounds}: {scores[0]:.2f} points, {seconds:.0f} s", file=sys.stderr, flush=True)
    return {name: round(float(weight), 3) for name, weight in zip(WEIGHTS, mean, strict=True)}


def deal(players: int, setting: str, games: int, first_seed: int) -> list[CoopBatch]:
    """The deals of a round, shared out among the kinds of knowledge."""
    count = max(games // len(KNOWLEDGE[setting]), 1)
    batches = [coop_v0.make_batch(count, players, **settings) for settings in KNOWLEDGE[setting]]
    for batch in batches:
        batch.deal(range(count), range(first_seed, first_seed + count))
    return batches


def mean_score(batches: list[CoopBatch], weights: Vector) -> float:
    """What these weights reach on dealt games, which stay as they are."""
    scores = []
    for batch in batches:
        games = batch.games.copy()
        think = np.zeros(1, think_dtype(len(batch.table.catalogue)))
        play_by_thumb(games, batch.estimates, batch.view, weights.astype(np.float32), think)
        scores.append(float(batch._scores(games).mean()))
    return float(np.mean(scores))


@compiled
def play_by_thumb(games: Any, estimates: Any, views: Any, weights: Any, thinks: Any) -> None:
    """Play games to their end; the rules of thumb look at nothing that the seat on turn cannot know."""
    view = views[0]
    sigmas = np.zeros(MAX_DECK, np.float32)
    for i in range(games.shape[0]):
        game = games[i]
        while game.end == RUNNING:
            row = row_of(view, game.turn)
            for card in range(game.deck_size):
                if view.kind != EXPERT:
                    sigmas[card] = view.sigma[row, game.card[card]] if view.kind == NOISY else np.float32(np.inf)
            coop_step(game, coop_choose(game, estimates[i, row], sigmas, view, weights, 0, thinks[0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--players", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--setting", choices=tuple(KNOWLEDGE), nargs="+", default=list(KNOWLEDGE))
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--refine", action="store_true", help="go on from the present weights")
    arguments = parser.parse_args()
    for setting in arguments.setting:
        for players in arguments.players:
            print(f"{setting}, {players} players", file=sys.stderr)
            amount = (arguments.rounds, arguments.games, arguments.seed)
            tuned = tune(players, setting, *amount, refine=arguments.refine)
            save(setting, players, tuned)


def save(setting: str, players: int, tuned: dict[str, float]) -> None:
    """Put the weights into the file."""
    read_file.cache_clear()
    weights = read_file() if FILE.exists() else {}
    weights = {name: dict(weights.get(name, {})) for name in KNOWLEDGE}
    weights[setting][str(players)] = tuned
    write_json(FILE, weights)


if __name__ == "__main__":
    main()
