"""Agents to play with, by name.

    from timeline_twist import agents, coop_v0

    batch = coop_v0.make_batch(1000, players=2, knowledge="expert")
    batch.deal(range(1000), range(1000))
    agents.play(batch, [agents.make("rollout:rollouts=50")])
    [read_result(game).score for game in batch.games]   # from timeline_twist import read_result

| name | what it does |
|---|---|
| `random` | any legal action |
| `greedy` | rules of thumb with tuned weights, one action ahead; takes its estimates for the truth |
| `bayes` | the same rules, weighing every position that a card may have; under `expert` the same as greedy |
| `rollout` | tries actions in worlds that its seat may be in, and lets `bayes` play on (`rollouts=200`) |

All of them play both modes. Rules of thumb: timeline_twist.agents.coop_thumb, competitive_thumb; how they were tuned:
timeline_twist.agents.tuning; what a rollout imagines: timeline_twist.agents.coop_imagine.

An agent gets what the seats on turn know and nothing else (timeline_twist.agents.seen); write your own as a class
(timeline_twist.agents.agent) or as a function of observations and action masks. To compare agents, use
timeline_twist.evaluation. What could have been reached: with hindsight (timeline_twist.agents.hindsight), and in tiny
games without it, exactly (timeline_twist.agents.solver).
"""

from timeline_twist.agents.agent import Agent, FunctionAgent
from timeline_twist.agents.playing import play
from timeline_twist.agents.registry import make
from timeline_twist.agents.seen import Seen

__all__ = ["Agent", "FunctionAgent", "Seen", "make", "play"]
