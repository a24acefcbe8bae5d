"""Evaluation: agents on held-out deals, with intervals, against each other and against the best that can be found.

    from timeline_twist.evaluation import evaluate, save

    report = evaluate(["random", my_function], "coop-2p-expert", games=1000)
    report.summary("random")["mean"]        # and "interval", "median", "worst_5_percent", "hindsight", ...
    report.differences()                    # every two agents, deal by deal
    save(report, "results")                 # metrics.json, report.md and plots

| module | |
|---|---|
| timeline_twist.evaluation.suites | the tables, one YAML file each |
| timeline_twist.evaluation.deals | the deals, which no training meets |
| timeline_twist.evaluation.statistics | what the numbers mean |
| timeline_twist.evaluation.bounds | the best scores: with hindsight, and exact |
| timeline_twist.evaluation.report | results and their file |
| timeline_twist.evaluation.tournaments | competitive agents against each other, cross tables and ratings |
| timeline_twist.evaluation.partners | co-op agents with partners that they do not know |
| timeline_twist.evaluation.benchmark | agents x suites, the repository's BENCHMARK.md |
"""

from timeline_twist.evaluation.contest_output import save_contest
from timeline_twist.evaluation.evaluating import evaluate
from timeline_twist.evaluation.output import save
from timeline_twist.evaluation.partners import CrossPlay, cross_play
from timeline_twist.evaluation.report import Report, Result
from timeline_twist.evaluation.suites import Suite, load_suite, suite_names
from timeline_twist.evaluation.tournaments import Tournament, tournament

__all__ = [
    "CrossPlay",
    "Report",
    "Result",
    "Suite",
    "Tournament",
    "cross_play",
    "evaluate",
    "load_suite",
    "save",
    "save_contest",
    "suite_names",
    "tournament",
]
