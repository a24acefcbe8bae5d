"""Results: what agents made of the deals of one suite, the numbers that follow from it, and their file.

`metrics.json` holds what was asked for (`config`), with what (`environment`), the values of every game (`per_game`) and
the numbers (`results`, `differences`). Everything that may differ between two runs of the same command stands under
`created` and `speed`. `Report.read` deals the games again and works the numbers out from them, and refuses a file that
does not agree. Cards of a catalogue that does not ship with the package go into the file (`catalogue`): it can be read
wherever it lies.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import timeline_twist.evaluation.statistics as statistics
from timeline_twist.catalogue import BUILT_IN, Catalogue
from timeline_twist.engine import END_REASONS
from timeline_twist.errors import SettingsError, UserError
from timeline_twist.evaluation.deals import check_same_deals, deal_hash, deal_seeds, fingerprints
from timeline_twist.evaluation.files import FORMAT, FORMAT_VERSION
from timeline_twist.evaluation.shape import CARDS, check_shape
from timeline_twist.evaluation.suites import KEYS, Suite, read_suite
from timeline_twist.ranks import RANK_NAMES, rank_of

FULL_DECK = 36  # the ranks are those of the full game
NO_WIDTH = 1e-9

# What a file may hold to make reading it fail, whatever it is that has been changed in it.
DAMAGE = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)


@dataclass
class Result:
    """One agent's games at one suite, in the order of the deals."""

    agent: str
    config: dict[str, Any]  # what the agent is: name as given, settings, code
    columns: dict[str, list[Any]]
    deals: list[str]  # fingerprints
    asked: int  # so many games
    speed: dict[str, Any] = field(default_factory=dict)

    @property
    def partial(self) -> bool:
        return self.games < self.asked

    @property
    def games(self) -> int:
        return len(self.values)

    @property
    def values(self) -> list[float]:
        """What agents are compared by: scores in co-op, shares of wins otherwise."""
        return self.columns.get("score") or self.columns["win_share"]


@dataclass
class Report:
    """Agents on the same deals of one suite."""

    suite: Suite
    games: int  # asked for
    seed: int
    deals: list[str]
    results: list[Result]
    hindsight: list[float] | None = None
    exact: list[float] | None = None
    bounds: dict[str, Any] = field(default_factory=dict)  # how they were found
    opponent: dict[str, Any] | None = None  # competitive: what the agent on the other seats is
    not_played: list[str] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)
    command: str | None = None
    created: dict[str, Any] = field(default_factory=dict)

    @property
    def partial(self) -> bool:
        return bool(self.not_played) or any(result.partial for result in self.results)

    @property
    def interrupted(self) -> bool:
        """Whether anything that was asked for is missing."""
        return self.partial or "interrupted" in self.bounds.values()

    @property
    def agents(self) -> list[str]:
        return [result.agent for result in self.results]

    def __getitem__(self, agent: str) -> Result:
        for result in self.results:
            if result.agent == agent:
                return result
        raise SettingsError(f"report: no results of {agent!r}; there are {', '.join(self.agents)}")

    def summary(self, agent: str) -> dict[str, Any]:
        """All numbers of one agent but its speed."""
        return summarise(self[agent], self.suite, self.hindsight, self.exact)

    def differences(self) -> list[dict[str, Any]]:
        """Every two agents, deal by deal."""
        return [difference(one, other) for one, other in combinations(self.results, 2)]

    def content(self) -> dict[str, Any]:
        """What goes into metrics.json."""
        agents = [{"name": result.agent} | result.config for result in self.results]
        config = {"agents": agents, "not_played": self.not_played, "suite": self.suite.content(), "games": self.games}
        config |= {"seed": self.seed, "deal_hash": deal_hash(self.deals), "bounds": self.bounds}
        ends = deal_seeds((0, self.games - 1), self.seed)
        config |= {"opponent": self.opponent, "first_and_last_deal_seed": ends}
        per_game = {"deal": self.deals, "hindsight": self.hindsight, "exact": self.exact}
        cards = {} if shipped(self.suite) else {"catalogue": cards_of(self.suite.catalogue)}
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "config": config,
            "environment": self.environment,
            "command": self.command,
            "partial": self.partial,
            "results": {agent: self.summary(agent) for agent in self.agents},
            "differences": self.differences(),
            "per_game": per_game | {"agents": {result.agent: result.columns for result in self.results}},
            "created": self.created,
            "speed": {result.agent: result.speed for result in self.results},
        } | cards

    @staticmethod
    def read(path: Path | str) -> "Report":
        """A report from its file, or a SettingsError that names the file and what is wrong with it."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise SettingsError(f"{path}: not a result: {str(error).splitlines()[0]}") from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise SettingsError(f"{path}: not a result: its format is not {FORMAT!r}")
        if content.get("format_version") != FORMAT_VERSION:
            raise SettingsError(
                f"{path}: format version {content.get('format_version')!r}; this program reads {FORMAT_VERSION}"
            )
        try:
            check_shape(content)
            report = from_content(content, str(path))
            check_agreement(report, content, str(path))
        except UserError as error:
            told = str(error)
            raise SettingsError(told if told.startswith(f"{path}:") else f"{path}: {told}") from error
        except DAMAGE as error:
            raise SettingsError(f"{path}: damaged: {' '.join(str(error).split())}; make it anew") from error
        return report


def shipped(suite: Suite) -> bool:
    """Whether everybody who has the package has the suite's cards."""
    given = suite.settings.get("catalogue", "scenes")
    return isinstance(given, str) and given in BUILT_IN


def cards_of(catalogue: Catalogue) -> dict[str, Any]:
    columns = {name: list(getattr(catalogue, name)) for name in CARDS if name != "name"}
    return {"name": catalogue.name} | columns


def cards_from(content: dict[str, Any] | None, source: str) -> Catalogue | None:
    """The cards that a file brings along; None if they have to be looked for."""
    if content is None:
        return None
    columns = {name: tuple(content[name]) for name in CARDS if name != "name"}
    return Catalogue(content["name"], source, last_line=1 + len(content["titles"]), **columns)


def from_content(content: dict[str, Any], source: str) -> Report:
    config, per_game, suite = content["config"], content["per_game"], content["config"]["suite"]
    cards = cards_from(content.get("catalogue"), source)
    results = []
    for agent in config["agents"]:
        name, columns = agent["name"], per_game["agents"][agent["name"]]
        rest = {key: value for key, value in agent.items() if key != "name"}
        played = len(columns["end"])
        results.append(Result(name, rest, columns, per_game["deal"][:played], config["games"], content["speed"][name]))
    return Report(
        suite=read_suite(suite["name"], {key: suite[key] for key in KEYS if suite.get(key) is not None}, source, cards),
        games=config["games"],
        seed=config["seed"],
        deals=per_game["deal"],
        results=results,
        hindsight=per_game["hindsight"],
        exact=per_game["exact"],
        bounds=config["bounds"],
        opponent=config["opponent"],
        not_played=config["not_played"],
        environment=content["environment"],
        command=content["command"],
        created=content["created"],
    )


def check_agreement(report: Report, content: dict[str, Any], source: str) -> None:
    """The numbers of a file must be those that follow from its games, and its deals those of its suite and seed."""
    again = report.content()
    for part in ("results", "differences", "partial"):
        if without_points(again[part]) != without_points(content[part]):
            raise SettingsError(f"{source}: {part}: the numbers do not follow from the games in it; make it anew")
    if again["config"]["suite"] != content["config"]["suite"]:
        raise SettingsError(f"{source}: suite: its catalogue has changed since; make it anew")
    if again["config"]["deal_hash"] != content["config"]["deal_hash"]:
        raise SettingsError(f"{source}: deal_hash: does not belong to the deals in it; make it anew")
    ends = "first_and_last_deal_seed"
    dealt = fingerprints(report.suite, report.games, report.seed) == report.deals
    if not dealt or again["config"][ends] != content["config"][ends]:
        raise SettingsError(f"{source}: deals: not those of its suite, seed and number of games; make it anew")


def without_points(numbers: Any) -> Any:
    """The numbers without intervals that are no wider than a point: earlier versions gave such to equal values."""
    if isinstance(numbers, list):
        return [without_points(one) for one in numbers]
    if not isinstance(numbers, dict):
        return numbers
    ends = numbers.get("interval")
    two = isinstance(ends, list) and len(ends) == 2 and all(isinstance(end, float | int) for end in ends)
    point = two and abs(ends[1] - ends[0]) < NO_WIDTH  # type: ignore[index]
    kept = {key: without_points(value) for key, value in numbers.items()}
    return kept | {"interval": None} if point else kept


def summarise(
    result: Result, suite: Suite, hindsight: Sequence[float] | None, exact: Sequence[float] | None
) -> dict[str, Any]:
    """The numbers of one agent; timeline_twist.evaluation.statistics defines them."""
    values, games = result.values, result.games
    ends = Counter(END_REASONS[end] for end in result.columns["end"])
    numbers = {"games": games, "partial": result.partial} | statistics.describe(values)
    numbers |= {"end_reasons": dict(sorted(ends.items())), "mean_length": statistics.mean(result.columns["length"])}
    if suite.mode == "competitive":
        rewards, rounds = result.columns["reward"], result.columns["rounds"]
        seats = {"win_share_by_seat": by_seat(values, result.columns["seat"])}
        means = {"reward": statistics.mean_with_interval(rewards), "mean_rounds": statistics.mean(rounds)}
        return numbers | means | seats
    numbers |= {"ranks": ranks(values) if has_ranks(suite) else None}
    if hindsight is not None:
        numbers["hindsight"] = against_hindsight(values, hindsight[:games])
    if exact is not None:
        gaps = [best - value for best, value in zip(exact[:games], values, strict=True)]
        numbers["exact"] = {"mean_optimum": statistics.mean(exact[:games]), "gap": statistics.mean_with_interval(gaps)}
    return numbers


def by_seat(values: Sequence[float], seats: Sequence[int]) -> dict[str, float]:
    """The mean on each seat: who leads the rounds may have an advantage."""
    pairs = list(zip(values, seats, strict=True))
    return {str(seat): statistics.mean([value for value, own in pairs if own == seat]) for seat in sorted(set(seats))}


def against_hindsight(scores: Sequence[float], best: Sequence[float]) -> dict[str, Any]:
    """Share and regret; `above` counts games in which the search, a lower bound, found less than the agent did."""
    regrets = [one - score for one, score in zip(best, scores, strict=True)]
    return {
        "mean": statistics.mean(best),
        "share": statistics.share(scores, best),
        "regret": statistics.mean_with_interval(regrets),
        "above": sum(regret < 0 for regret in regrets),
    }


def has_ranks(suite: Suite) -> bool:
    return suite.mode == "coop" and suite.make_batch(1).table.cards_in_game == FULL_DECK


def ranks(scores: Sequence[float]) -> dict[str, float]:
    """Which share of the games reached each rank."""
    counts = Counter(rank_of(int(score)) for score in scores)
    return {name: counts[rank] / len(scores) for rank, name in enumerate(RANK_NAMES["en"])}


def difference(first: Result, second: Result) -> dict[str, Any]:
    """First minus second on the deals that both have played; an error if these are not the same."""
    games = check_same_deals((first.agent, first.deals), (second.agent, second.deals))
    compared = statistics.paired(first.values[:games], second.values[:games])
    return {"first": first.agent, "second": second.agent} | compared
