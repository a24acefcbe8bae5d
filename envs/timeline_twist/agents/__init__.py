"""Agents to play with, by name.

    from timeline_twist import agents, coop_v0

    batch = coop_v0.make_batch(1000, players=2, knowledge="expert")
    batch.deal(range(1000), range(1000))
    agents.play(batch, [agents.make("rollout:rollouts=50")])

| name | what it does |
|---|---|
| `random` | any legal action |

An agent gets what the seats on turn know and nothing else (timeline_twist.agents.seen); write your own as a class
(timeline_twist.agents.agent) or as a function of observations and action masks.
"""

from timeline_twist.agents.agent import Agent, FunctionAgent
from timeline_twist.agents.playing import play
from timeline_twist.agents.registry import make
from timeline_twist.agents.seen import Seen

__all__ = ["Agent", "FunctionAgent", "Seen", "make", "play"]
