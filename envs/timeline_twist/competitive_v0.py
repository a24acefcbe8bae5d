"""# Competitive (`timeline_twist/competitive-v0`)

Two to six players place cards of hidden date on one timeline, each says where; the only one to place the last card in a round
wins, several play a tie-break.

| | |
|---|---|
| Import | `from timeline_twist import competitive_v0` |
| Creation | `competitive_v0.env()`, `competitive_v0.parallel_env()`, `pettingzoo.make("aec", "timeline_twist/competitive-v0")` |
| Agents | `player_0` .. `player_{P-1}` |
| Action space | `Discrete(4 * (N + 1))`, N cards in the catalogue |
| Observation space | `{"observation": float32 vector, "action_mask": int8[4 * (N + 1)]}` |
| Reward | at the end, sums to 0 |

## Arguments

| argument | default | |
|---|---|---|
| `players` | `2` | 2 to 6 |
| `catalogue` | `"scenes"` | `scenes`, `history`, `tiny`, or the path of a CSV file (timeline_twist.catalogue); all of it is in the game |
| `knowledge` | `"noisy"` | what a seat knows of hidden times: `noisy`, `expert`, `faces`, `blind`, or a mapping such as `{"kind": "noisy", "sigma": [2, 10]}` (timeline_twist.knowledge); nobody shares it |
| `communication` | `"none"` | nothing else is possible here |
| `features` | `"full"` | `raw`: the facts; `full`: also the chances that a good player computes from them |
| `slots` | `"table"` | `table`: hand slots as they lie; `sorted`: each hand by (estimated) time, actions and mask accordingly |
| `show_pile_top` | `True` | whether the face of the next card of the draw pile is seen |
| `hand_size` | `4` | 1 to 4 |
| `first_player` | `0` | the seat that leads the rounds |
| `max_rounds` | `1000` | after so many rounds the game is broken off: truncation, for every agent at once |
| `render_mode` | `None` | `human`, `rgb_array` (both need pygame-ce), `ansi` |

`reset(seed=..., options={"draw_order": [...]})` deals the catalogue numbers in that order, `"estimates"` (seats x cards of the
catalogue, in positions) are the seats' private estimates. Without a seed the game follows from the last one.

Under `expert` the game is degenerate: players who never err finish in the same round and tie until the catalogue is used up.

## Actions

`slot * (N + 1) + position` places the card of a hand slot at a position of the timeline: 0 before its first card, n after its
n-th. Errors, masks and the parallel interface: as in timeline_twist.coop_v0.

## Rewards

The winner gets +1, the others -1/(P-1) each. If k players draw, each gets +1/k and the others -1/(P-k); a draw of all gives 0, and so does
a game broken off by `max_rounds`. Players who are out of a tie-break are not asked any more and get their reward at the end.

`infos[agent]` has `cards_left` (of every player) and `rounds`, and at the end `end_reason` (`won`, `draw`, `max_rounds`) and
`winners` (seats; those who share a draw).

## Observation

One vector of named sections, seen from the observing seat: players and hands come in the order of turns, its own first.
`env.unwrapped.layout` has the sections by name. T: different times of the catalogue (a position among the times is a place among
them), N: its cards, P: players; starts are those of the defaults (2 players, `scenes`: T = N = 100).

| section | shape | start | what |
|---|---|---|---|
| `timeline` | `T` | 0 | cards of the timeline at each time |
| `discards` | `T` | 100 | cards of the discard pile |
| `cards` | `(4P+1) x 4` | 200 | visible cards: all hands, then the top of the draw pile: present, time public, time or estimate as (position + 1/2) / T, sigma / T (both 0 if unknown) |
| `faces` | `(4P+1) x F` | 236 | which card each of them is; F is N under `faces`, otherwise 0. Cards are numbered by a fixed shuffle that tells nothing about times |
| `players` | `P x 4` | 236 | of every player: cards still to place (divided by 4), still in, finished in this round, leads the rounds |
| `turn` | `P` | 244 | who is on turn, from the observer on; all 0 when the game is over |
| `progress` | `4` | 246 | rounds played (share of `max_rounds`), tie-break, cards in the draw pile and in the discards (shares of N) |
| `recent` | `4 x 4` | 250 | the last cards placed, newest first: right, wrong, by whom (turns after the observer, divided by 6), its time as above |
| `chances` | `4 x (N+1)` | 266 | for each own card and each position of the timeline the chance that it is right there; in the order of the actions |
| `best` | `4P+1` | 670 | for each visible card the chance of its best position |

`features="raw"` ends after `recent`. What has been public once stays known, also after a reshuffle. Under `noisy` a hidden card's
time has a distribution: the Gaussian around the estimate, times the number of cards of that time that have not been public, as far as
3 sigma to each side. Under `faces` and `blind` every card that has not been public is equally likely, and `slots="sorted"` is the
table's order; otherwise sorted hands have their empty places last. Estimates are cut off at -1 and 2 (as shares of T), everything else at 36.

`state()` is the whole hidden state (timeline_twist.state). `clone()`, `copy` and `pickle` keep the game. Different
environments may run in different threads, one environment in one thread at a time only.

## Version history

- v0: first version.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timeline_twist.aec import RENDER_FPS, RENDER_MODES, ParallelTableEnv, TableEnv, wrap
from timeline_twist.batch import CompetitiveBatch, check_names
from timeline_twist.catalogue import Catalogue
from timeline_twist.competitive_batch import competitive_reward
from timeline_twist.engine import END_REASONS, MAX_ROUNDS, RUNNING
from timeline_twist.errors import SettingsError
from timeline_twist.tables import Competitive, read_result

METADATA = {
    "name": "timeline_twist_competitive_v0",
    "render_modes": list(RENDER_MODES),
    "render_fps": RENDER_FPS,
    # PettingZoo's conversion wants players who act once each in turn; see parallel_env.
    "is_parallelizable": False,
}


def make_batch(
    count: int,
    players: int = 2,
    catalogue: str | Path | Catalogue = "scenes",
    *,
    knowledge: str | Mapping[str, Any] = "noisy",
    communication: str = "none",
    features: str = "full",
    slots: str = "table",
    show_pile_top: bool = True,
    hand_size: int = 4,
    first_player: int = 0,
    max_rounds: int = 1000,
) -> CompetitiveBatch:
    """`count` games with these settings; every competitive environment is made of this."""
    if communication != "none":
        raise SettingsError(f"communication: {communication!r} is for co-op; in competitive mode nobody shares: 'none'")
    return CompetitiveBatch(
        Competitive(players, catalogue, hand_size=hand_size, first_player=first_player, max_rounds=max_rounds),
        count,
        knowledge=knowledge,
        communication=communication,
        features=features,
        slots=slots,
        show_pile_top=show_pile_top,
    )


class raw_env(TableEnv[CompetitiveBatch]):  # noqa: N801  (PettingZoo's name)
    """The competitive game without wrappers; see the module's documentation for the arguments."""

    metadata = METADATA

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        check_names("competitive_v0", settings, make_batch, raw_env)
        super().__init__(make_batch(1, **settings), render_mode)

    def _finish_step(self) -> None:
        end = self.batch.games["end"][0]
        if end != RUNNING:
            for agent in self.agents:
                self.rewards[agent] = float(competitive_reward(self.game, self._seat[agent]))
            self.truncations = dict.fromkeys(self.agents, bool(end == MAX_ROUNDS))
            self.terminations = dict.fromkeys(self.agents, bool(end != MAX_ROUNDS))
        self.infos = self._infos()

    def _infos(self) -> dict[str, dict[str, Any]]:
        info = standing(self.batch)
        # Lists of its own for every agent: one that changes its info does not change the others'.
        lists = [name for name, value in info.items() if isinstance(value, list)]
        return {agent: {**info, **{name: info[name].copy() for name in lists}} for agent in self.agents}


def standing(batch: CompetitiveBatch) -> dict[str, Any]:
    """What the infos tell of game 0: cards left of each player, completed rounds, at the end why and who won."""
    game = batch.games[0]
    left = (game["hands"][: batch.table.players] >= 0).sum(axis=1)
    info: dict[str, Any] = {"cards_left": left.tolist(), "rounds": int(game["rounds"])}
    if end := game["end"]:
        info["end_reason"] = END_REASONS[end]
        info["winners"] = list(read_result(game).winners)
    return info


def env(**settings: Any) -> Any:
    """The competitive game in PettingZoo's AEC interface."""
    return wrap(raw_env(**settings))


def parallel_env(**settings: Any) -> ParallelTableEnv:
    """The competitive game in PettingZoo's parallel interface."""
    return ParallelTableEnv(raw_env(**settings))
