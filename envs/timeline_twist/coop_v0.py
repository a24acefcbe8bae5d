"""# Co-op (`timeline_twist/coop-v0`)

One to six players place cards of hidden date on a shared timeline and are scored together. Everybody sees every face;
nobody sees a date before the card is flipped.

| | |
|---|---|
| Import | `from timeline_twist import coop_v0` |
| Creation | `coop_v0.env()`, `coop_v0.parallel_env()`, `pettingzoo.make("aec", "timeline_twist/coop-v0")` |
| Agents | `player_0` .. `player_{P-1}` |
| Action space | `Discrete(9)` |
| Observation space | `{"observation": float32 vector, "action_mask": int8[9]}` |
| Reward | shared by all players |

## Arguments

| argument | default | |
|---|---|---|
| `players` | `2` | 1 to 6 |
| `catalogue` | `"scenes"` | `scenes`, `history`, `tiny` (with `deck_size=12`), or the path of a CSV file (timeline_twist.catalogue) |
| `knowledge` | `"noisy"` | what a seat knows of hidden times: `noisy`, `expert`, `faces`, `blind`, or a mapping such as `{"kind": "noisy", "sigma": [2, 10]}` (timeline_twist.knowledge) |
| `communication` | `"open"` | `open`: estimates are pooled; `none`: a seat has only its own |
| `reward` | `"delta"` | `delta` or `final`, see below |
| `features` | `"full"` | `raw`: the facts; `full`: also what a good player computes from them |
| `slots` | `"table"` | `table`: hand slots as they lie; `sorted`: each hand by (estimated) time, actions and mask accordingly |
| `icons` | `"shuffled"` | `shuffled`: each game deals the icons anew to the cards; `printed`: as in the catalogue |
| `show_pile_top` | `True` | whether the face of the next card of the draw pile is seen |
| `hand_size` | `4` | 1 to 4 |
| `deck_size` | `36` | at most 36, at least hand_size * players + 2 |
| `first_player` | `0` | the seat that begins |
| `render_mode` | `None` | `human`, `rgb_array` (both need pygame-ce), `ansi` |

`reset(seed=..., options={"draw_order": [...]})` deals the catalogue numbers in that order, `"estimates"` (seats x cards of the
catalogue, in positions) are the seats' private estimates. Without a seed the game follows from the last one.

## Actions

| action | meaning |
|---|---|
| `0..3` | play the card in hand slot 0..3 |
| `4..7` | discard the card in hand slot 0..3 |
| `8` | end the turn (after the first placed card) |

A player's several actions in one turn are several steps with the same `agent_selection`. An illegal action raises an error that
lists the legal ones; the game is unchanged. The mask of the agent on turn is never empty, all others' are zero. In
`parallel_env` only the action of the agent on turn counts, and an illegal one changes nothing (reward 0,
`infos[agent]["illegal_action"]`); PettingZoo's `aec_to_parallel` cannot convert a game in which a player may act twice. `timeline_twist.text` reads and writes actions as words, always by table slots.

## Rewards

`delta`: the change of the score, +3 for a card of the main row, +2 for one of the gap row, 0 otherwise. `final`: the score, once,
at the end. A worked game (`coop_v0.env(knowledge="expert")`, seed 7, always the first legal action) goes

| agent | action | `delta` | score |
|---|---|---|---|
| `player_0` | play 0 | 3 | -30 |
| `player_0` | play 1 | 3 | -27 |
| `player_1` | play 0 | 3 | -24 |
| `player_1` | play 1 | 2 | -22 |
| `player_0` | play 0 | 2 | -20 |
| `player_0` | play 1 | 3 | -17 |
| `player_1` | play 0 | 2 | -15 |
| `player_1` | play 1, play 2, play 3: all stuck | 0, 0, 0 | -15 |
| `player_0` | play 0, play 1, play 2, play 3: all stuck, which ends the game | 0, 0, 0, 0 | -15 |

Under `delta` the rewards sum to 18 = -15 + 36 - 3; under `final` they are 0 but for the last, which is -15.

The sum of `delta` is the score plus deck size minus 3: before the first action the score is 3 - deck size, since one card lies
on the main row. A player without cards is skipped and still receives the team's reward.

`infos[agent]` has `score` and `rank` so far, and at the end `end_reason`: `all_cards_used`, `no_legal_action` or `failed_play`.

## Observation

One vector of named sections, seen from the observing seat: hands come in the order of turns, its own first. `env.unwrapped.layout`
has the sections by name: `layout["cards"].of(observation)` is one of them, in its shape. T: different times of the catalogue (a position is a place among them), N: its cards, I: its icons,
P: players; starts are those of the defaults (2 players, `scenes`: T = N = 100, I = 4).

| section | shape | start | what |
|---|---|---|---|
| `main` | `T` | 0 | cards of the main row at each position |
| `gap` | `T` | 100 | cards of the gap row |
| `discards` | `T` | 200 | cards of the discard pile |
| `cards` | `(4P+1) x (5+2I)` | 300 | visible cards: all hands, then the top of the draw pile: present, stuck, time public, time or estimate as (position + 1/2) / T, sigma / T (both 0 if unknown), front icon (I), back icon (I, only if public) |
| `faces` | `(4P+1) x F` | 417 | which card each of them is; F is N under `faces`, otherwise 0. Cards are numbered by a fixed shuffle that tells nothing about times |
| `open_icon` | `I` | 417 | the icon that a discard must show in front |
| `turn` | `P` | 421 | who is on turn, from the observer on; all 0 when the game is over |
| `phase` | `3` | 423 | start of the turn; a flip failed and nothing is placed; one card is placed; all 0 when the game is over |
| `counts` | `4` | 426 | draw pile, main row, gap row, discards, divided by 36 |
| `recent` | `4 x 9` | 430 | the last public events, newest first: low end, high end, gap, on an equal card, stuck, discarded, turn ended (7), by whom (turns after the observer, divided by 6), the card's time as above |
| `fates` | `(4P+1) x 9` | 466 | for each visible card, if it were played now: chance of low end, high end, free gap, stuck, equal card; expected unseen cards it would swallow at an end; expected other visible cards for its gap; expected unseen cards for its gap; front icon matches |
| `outward` | `2 x 8 x 6` | 547 | beyond the low and the high end, the nearest first, each visible card that lies there with chance 1/4 or more: chance, mine, turns away (divided by 6), top of the draw pile, expected unseen cards between it and the one before, slot (1/4 to 1; 0 for the top of the draw pile) |
| `outlook` | `10` | 643 | positions below the low end and above the high end (divided by T); free and taken gaps; expected unseen cards below, above, in free gaps, in taken gaps; free gaps that unseen cards (x / (1 + x) for x expected in it) and that visible cards (at most 1 each) will fill |

`features="raw"` ends after `recent`. Unseen cards are those of the draw pile below its visible top; which cards of the
catalogue they are is inferred from what is public and visible. Expected numbers of cards and numbers of gaps are divided by 8. Under
`noisy` a hidden card's position has a distribution: the Gaussian around the estimate, times the number of cards of that time that have
not been public, as far as 3 sigma to each side. Under `faces` and `blind` every card that has not been public is equally likely, and
`slots="sorted"` is the table's order; otherwise sorted hands have their empty places last. Estimates are cut off at -1 and 2 (as shares
of T), everything else at 36; expected numbers are exact to about 1/1000.

`state()` is the whole hidden state (timeline_twist.state). `clone()`, `copy` and `pickle` keep the game. Different
environments may run in different threads, one environment in one thread at a time only.

## Version history

- v0: first version.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timeline_twist.aec import RENDER_FPS, RENDER_MODES, ParallelTableEnv, TableEnv, wrap
from timeline_twist.batch import CoopBatch, check_names
from timeline_twist.catalogue import Catalogue
from timeline_twist.engine import END_REASONS
from timeline_twist.ranks import rank_name
from timeline_twist.tables import Coop

METADATA = {
    "name": "timeline_twist_coop_v0",
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
    communication: str = "open",
    reward: str = "delta",
    features: str = "full",
    slots: str = "table",
    icons: str = "shuffled",
    show_pile_top: bool = True,
    hand_size: int = 4,
    deck_size: int = 36,
    first_player: int = 0,
) -> CoopBatch:
    """`count` games with these settings; every co-op environment is made of this."""
    return CoopBatch(
        Coop(players, catalogue, icons=icons, hand_size=hand_size, deck_size=deck_size, first_player=first_player),
        count,
        knowledge=knowledge,
        communication=communication,
        features=features,
        slots=slots,
        show_pile_top=show_pile_top,
        reward=reward,
    )


class raw_env(TableEnv[CoopBatch]):  # noqa: N801  (PettingZoo's name)
    """The co-op game without wrappers; see the module's documentation for the arguments."""

    metadata = METADATA

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        check_names("coop_v0", settings, make_batch, raw_env)
        super().__init__(make_batch(1, **settings), render_mode)

    def _finish_step(self) -> None:
        reward, ended = self.batch.outcomes[["reward", "terminated"]][0]
        for agent in self.agents:
            self.rewards[agent] = float(reward)
        if ended:
            self.terminations = dict.fromkeys(self.agents, True)
        self.infos = self._infos()

    def _infos(self) -> dict[str, dict[str, Any]]:
        info = standing(self.batch)
        return {agent: info.copy() for agent in self.agents}


def standing(batch: CoopBatch) -> dict[str, Any]:
    """What the infos tell of game 0: score and rank so far, at the end why it ended."""
    score = int(batch.outcomes["score"][0])
    info: dict[str, Any] = {"score": score, "rank": rank_name(score)}
    if end := batch.games["end"][0]:
        info["end_reason"] = END_REASONS[end]
    return info


def env(**settings: Any) -> Any:
    """The co-op game in PettingZoo's AEC interface."""
    return wrap(raw_env(**settings))


def parallel_env(**settings: Any) -> ParallelTableEnv:
    """The co-op game in PettingZoo's parallel interface."""
    return ParallelTableEnv(raw_env(**settings))
