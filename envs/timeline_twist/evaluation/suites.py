"""Suites: the tables that agents are evaluated at, one YAML file each (configs/suites).

    description: Two players who may not talk; each errs by about 5 positions
    mode: coop                      # or competitive
    settings:                       # what differs from the defaults of coop_v0 or competitive_v0
      players: 2
      knowledge: {kind: noisy, sigma: 5}
      communication: none

| key | |
|---|---|
| `description` | one line |
| `mode` | `coop` or `competitive` |
| `settings` | arguments of `make_batch` in coop_v0 or competitive_v0; a catalogue's path is relative to the file |
| `opponent` | competitive only: the agent on all seats but that of the evaluated one |
| `optimum` | `exact`: the table is small enough for timeline_twist.agents.solver (co-op, expert knowledge) |

`features`, `slots` and `reward` are no settings of a suite: every agent has its own, and scores do not depend on them.
"""

import inspect
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from timeline_twist import competitive_v0, coop_v0
from timeline_twist.agents import solver
from timeline_twist.batch import Batch
from timeline_twist.catalogue import Catalogue, load
from timeline_twist.errors import CatalogueError, SettingsError, UserError
from timeline_twist.replay import catalogue_hash
from timeline_twist.tables import nearest

PACKAGE = Path(__file__).parents[1]
CHECKOUT = PACKAGE.parents[1]
# A wheel carries the files inside the package; in a checkout they stand at the top.
FOLDERS = (PACKAGE / "suites", CHECKOUT / "configs" / "suites")

MAKERS: dict[str, Any] = {"coop": coop_v0.make_batch, "competitive": competitive_v0.make_batch}
KEYS = ("description", "mode", "settings", "opponent", "optimum")
NOT_A_SUITES_MATTER = ("count", "reward", "features", "slots")


@dataclass(frozen=True)
class Suite:
    """A table to evaluate agents at."""

    name: str
    description: str
    mode: str
    settings: dict[str, Any]
    opponent: str | None = None
    optimum: str | None = None
    source: str = field(default="suite", compare=False)  # for messages
    own_cards: Catalogue | None = field(default=None, repr=False, compare=False)  # instead of those of the settings
    catalogue: Catalogue = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "catalogue", self._catalogue())
        self._check()

    def make_batch(self, count: int, *, private: bool = False) -> Batch:
        """Games of this suite, not yet dealt; `private`: with the estimates as they are before anybody talks."""
        settings = self.settings | {"catalogue": self.catalogue}
        if private:
            settings["communication"] = "none"
        batch: Batch = MAKERS[self.mode](count, **settings)
        return batch

    @property
    def players(self) -> int:
        return self.make_batch(1).table.players

    def content(self) -> dict[str, Any]:
        """All that results depend on, for the record; the catalogue by its content."""
        settings, given = dict(self.settings), self.settings.get("catalogue")
        # A catalogue may also be given as a path or as itself, which JSON does not know.
        if given is not None and not isinstance(given, str):
            settings["catalogue"] = given.name if isinstance(given, Catalogue) else str(given)
        what = {"name": self.name, "description": self.description, "mode": self.mode, "settings": settings}
        kept = {"opponent": self.opponent, "optimum": self.optimum, "catalogue_sha256": catalogue_hash(self.catalogue)}
        return what | kept

    def _catalogue(self) -> Catalogue:
        if self.own_cards is not None:
            return self.own_cards
        given = self.settings.get("catalogue", "scenes")
        beside = Path(self.source).parent / str(given)
        try:
            return load(beside if str(given).endswith(".csv") and beside.is_file() else given)
        except CatalogueError as error:
            raise SettingsError(f"{self.source}: settings.catalogue: {error}") from error

    def _check(self) -> None:
        known = [name for name in inspect.signature(MAKERS[self.mode]).parameters if name not in NOT_A_SUITES_MATTER]
        for name in self.settings:
            if name not in known:
                raise SettingsError(
                    f"{self.source}: settings.{name}: unknown setting; {nearest(str(name), known, 'there are')}"
                )
        try:
            batch = self.make_batch(1)
        except UserError as error:
            raise SettingsError(f"{self.source}: settings.{error}") from error
        if self.mode == "competitive" and self.opponent is None:
            raise SettingsError(f"{self.source}: opponent: missing; name the agent on the other seats, such as bayes")
        if self.mode == "coop" and self.opponent is not None:
            raise SettingsError(f"{self.source}: opponent: a co-op game has none; leave it out")
        if self.optimum and (self.mode != "coop" or batch.knowledge.name != "expert" or not batch.show_pile_top):
            raise SettingsError(
                f"{self.source}: optimum: known for co-op under 'expert' knowledge with the pile's top shown only; "
                "leave it out"
            )
        if self.optimum:
            self._check_that_it_can_be_solved(batch)

    def _check_that_it_can_be_solved(self, batch: Batch) -> None:
        """The solver's own check: what it cannot do must be known before games are played, not after them."""
        try:
            solver._check_table(batch.table)  # type: ignore[arg-type]
        except UserError as error:
            raise SettingsError(f"{self.source}: optimum: {error}; or leave optimum out") from error


def load_suite(name_or_path: str | Path | Suite) -> Suite:
    """A suite by its name, or from the path of a YAML file."""
    if isinstance(name_or_path, Suite):
        return name_or_path
    path = find(str(name_or_path))
    return read_suite(path.stem, read_yaml(path), str(path))


def suite_names() -> list[str]:
    """The suites that ship with the package."""
    return sorted({path.stem for folder in FOLDERS for path in folder.glob("*.yaml")})


def find(name: str) -> Path:
    for folder in FOLDERS:
        if name in suite_names() and (folder / f"{name}.yaml").is_file():
            return folder / f"{name}.yaml"
    path = Path(name)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        return path
    hint = nearest(name, suite_names(), "there are")
    raise SettingsError(f"suite: {name[:100]!r} is neither a suite nor a YAML file; {hint}")


def read_suite(name: str, content: Any, source: str, own_cards: Catalogue | None = None) -> Suite:
    """The content of a suite's file, or of a result, checked."""
    check_keys(content, KEYS, source)
    for key in ("description", "mode"):
        if not isinstance(content.get(key), str) or "\n" in content[key]:
            raise SettingsError(f"{source}: {key}: missing, or not one line of text")
    mode, settings, opponent, optimum = (content.get(key) for key in KEYS[1:])
    if mode not in MAKERS:
        raise SettingsError(f"{source}: mode: {mode!r} is not known; {nearest(mode, tuple(MAKERS))}")
    settings = {} if settings is None else settings
    if not isinstance(settings, dict):
        raise SettingsError(f"{source}: settings: {settings!r} is not a mapping, such as {{players: 2}}")
    if not isinstance(opponent, str | None):
        raise SettingsError(f"{source}: opponent: {opponent!r} is not the name of an agent")
    if optimum not in (None, "exact"):
        raise SettingsError(f"{source}: optimum: {optimum!r} is not known; write exact, or leave it out")
    return Suite(name, content["description"], mode, settings, opponent, optimum, source, own_cards)


def check_keys(content: Any, known: tuple[str, ...], source: str, where: str = "") -> None:
    """An error for what is no mapping, or has a key that nobody knows."""
    if not isinstance(content, dict):
        raise SettingsError(f"{source}: {where}not a mapping; it has {', '.join(known)}")
    for key in content:
        if key not in known:
            raise SettingsError(f"{source}: {where}{key}: unknown key; {nearest(str(key), known, 'there are')}")


class StrictLoader(yaml.SafeLoader):
    """YAML in which a key may stand only once: of two, the first would be lost without a word."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"{key!r} stands there twice", node.start_mark)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> Any:
    """The content of a YAML file; a mistake in it is one line that names the file and the place."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), StrictLoader)  # noqa: S506  (it is a SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1}" if mark else str(path)
        raise SettingsError(f"{place}: not YAML: {getattr(error, 'problem', None) or 'unreadable'}") from error
