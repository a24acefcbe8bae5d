"""What metrics.json looks like: damage is known by its shape, before anything is made of the numbers.

A shape is a type, a mapping of the keys that must be there (`ANY_KEY`: of whatever there is), a list with the shape of
its items, or a tuple of shapes of which one must fit.
"""

from collections.abc import Iterable
from typing import Any

from timeline_twist.engine import END_REASONS
from timeline_twist.evaluation.running import COMPETITIVE_COLUMNS, COOP_COLUMNS

ANY_KEY = "*"
NOTHING = type(None)
WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a mapping",
    list: "a list",
}

AGENT = {"name": str, "given": (str, NOTHING), "settings": dict}
SHAPE: dict[str, Any] = {
    "config": {
        "agents": [AGENT],
        "not_played": [str],
        "suite": {"name": str},
        "games": int,
        "seed": int,
        "deal_hash": str,
        "bounds": {ANY_KEY: (str, dict)},
        "opponent": (dict, NOTHING),
        "first_and_last_deal_seed": [int],
    },
    "environment": {ANY_KEY: (str, bool, NOTHING)},
    "command": (str, NOTHING),
    "partial": bool,
    "results": dict,
    "differences": list,
    "per_game": {"deal": [str], "hindsight": ([float], NOTHING), "exact": ([float], NOTHING), "agents": dict},
    "created": dict,
    "speed": {ANY_KEY: {ANY_KEY: (float, NOTHING)}},
}
CARDS = {"name": str, "titles": [str], "times": [int], "fronts": [str], "backs": [str], "difficulties": [float]}


class Damaged(ValueError):  # noqa: N818  (it says what the file is)
    """A file that no run of ours has written."""


def check_shape(content: dict[str, Any]) -> None:
    """Raise Damaged unless everything that will be read is there, and of its type."""
    expect(content, SHAPE, "")
    if "catalogue" in content:
        expect(content["catalogue"], CARDS, "catalogue")
    config, deals = content["config"], content["per_game"]["deal"]
    if not config["agents"]:
        raise Damaged("config.agents: none")
    if len(deals) != config["games"] or not deals:
        raise Damaged(f"per_game.deal: {len(deals)} deals for {config['games']} games")
    longest = max(check_columns(content, agent["name"]) for agent in config["agents"])
    for kind in ("hindsight", "exact"):
        values = content["per_game"][kind]
        if values is not None and len(values) != longest:
            raise Damaged(f"per_game.{kind}: {len(values)} values for {longest} games")


def check_columns(content: dict[str, Any], name: str) -> int:
    """How many games of an agent are there."""
    per_game, games = content["per_game"], content["config"]["games"]
    wanted = COOP_COLUMNS if content["config"]["suite"].get("mode") == "coop" else COMPETITIVE_COLUMNS
    expect(per_game["agents"], {name: {column: [float] for column in wanted}}, "per_game.agents")
    expect(content["speed"], {name: dict}, "speed")
    columns = per_game["agents"][name]
    lengths = sorted({len(values) for values in columns.values()})
    if len(lengths) > 1 or not 1 <= lengths[0] <= games:
        found = " and ".join(map(str, lengths))
        raise Damaged(f"per_game.agents.{name}: columns of {found} values for {games} games")
    wrong = [end for end in columns["end"] if end not in range(1, len(END_REASONS))]
    if wrong:
        raise Damaged(f"per_game.agents.{name}.end: {wrong[0]} is no end of a game")
    return lengths[0]


def expect(value: Any, shape: Any, where: str) -> None:
    """Raise Damaged, with the place, unless the value has this shape."""
    if isinstance(shape, tuple):
        if not any(fits(value, one) for one in shape):
            wanted = [one for one in shape if one is not NOTHING]
            expect(value, wanted[-1], where)
        return
    kind = type(shape) if isinstance(shape, dict | list) else shape
    if not isinstance(value, (int, float) if kind is float else kind) or (isinstance(value, bool) and kind is not bool):
        raise Damaged(f"{where}: {str(value)[:40]!r} is not {WORDS[kind]}")
    for place, item, inner in items(value, shape, where):
        expect(item, inner, place)


def items(value: Any, shape: Any, where: str) -> Iterable[tuple[str, Any, Any]]:
    """What is inside, each with its place and its shape."""
    if isinstance(shape, list):
        yield from ((f"{where}[{i}]", item, shape[0]) for i, item in enumerate(value))
    elif isinstance(shape, dict):
        for key in value if ANY_KEY in shape else shape:
            if key not in value:
                raise Damaged(f"{where}{'.' if where else ''}{key}: missing")
            yield f"{where}{'.' if where else ''}{key}", value[key], shape.get(key, shape.get(ANY_KEY))


def fits(value: Any, shape: Any) -> bool:
    if shape is NOTHING:
        return value is None
    try:
        expect(value, shape, "")
    except Damaged:
        return False
    return True
