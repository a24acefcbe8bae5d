"""The frame: what may import what, what the wheel holds, and that torch is not needed."""

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import timeline_twist

ROOT = Path(__file__).parents[1]
ENVS = ROOT / "envs" / "timeline_twist"
MODULES = sorted(path for path in ENVS.rglob("*.py"))


def name_of(path: Path) -> str:
    """`agents.seen` for agents/seen.py."""
    return ".".join(path.relative_to(ENVS).with_suffix("").parts)


# Each module may import those that stand before it, and nothing that stands after it.
ORDER = [
    "errors",
    "records",
    "compiled",
    "engine",
    "random_play",
    "catalogue",
    "ranks",
    "tables",
    "knowledge",
    "observation",
    "coop_observation",
    "competitive_observation",
    "coop_batch",
    "competitive_batch",
    "coop_hidden",
    "state",
    "batch",
    "text",
    "public_view",
    "arrangement",
    "drawing",
    "render",
    "agents.seen",
    "agents.agent",
    "agents.playing",
    "agents.simple",
    "agents.coop_thumb",
    "agents.competitive_thumb",
    "agents.weights",
    "agents.thumb",
    "agents.comparing",
    "agents.coop_imagine",
    "agents.coop_worlds",
    "agents.competitive_imagine",
    "agents.coop_search",
    "agents.competitive_search",
    "agents.rollout",
    "agents.registry",
    "agents.hindsight",
    "agents.solver",
    "agents.__init__",
    "aec",
    "coop_v0",
    "competitive_v0",
    "opposition",
    "single",
    "vector",
    "registration",
    "__init__",
    "files",
    "agents.tuning",
    "seat_view",
    "story",
    "replay",
    "frames",
    "person",
    "evaluation.statistics",
    "evaluation.code",
    "evaluation.files",
    "evaluation.progress",
    "evaluation.suites",
    "evaluation.deals",
    "evaluation.running",
    "evaluation.bounds",
    "evaluation.shape",
    "evaluation.report",
    "evaluation.evaluating",
    "evaluation.seatings",
    "evaluation.ratings",
    "evaluation.contest",
    "evaluation.tournaments",
    "evaluation.partners",
    "evaluation.wording",
    "evaluation.plots",
    "evaluation.heat_map",
    "evaluation.output",
    "evaluation.contest_output",
    "evaluation.benchmark",
    "evaluation.benchmark_page",
    "evaluation.__init__",
    "speed",
    "speed_env",
    "cli_watch",
    "cli_evaluate",
    "cli_tournament",
    "cli_train",
    "cli",
]


def imported(path: Path) -> set[str]:
    """The modules a file imports, `timeline_twist.x` for `from timeline_twist import x` where x is a module."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_under_envs_imports_torch_or_training(path: Path) -> None:
    tops = {name.split(".")[0] for name in imported(path)}
    assert not tops & {"torch", "stable_baselines3", "sb3_contrib", "tensorboard", "timeline_twist_training"}


def test_every_module_has_its_place_in_the_order() -> None:
    assert sorted(ORDER) == sorted(name_of(path) for path in MODULES)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    ours = {name.removeprefix("timeline_twist.") for name in imported(path) if name.startswith("timeline_twist.")}
    ours |= {f"{name}.__init__" for name in ours if f"{name}.__init__" in ORDER}
    assert ours & set(ORDER) <= set(ORDER[: ORDER.index(name_of(path))])


def test_import_works_without_torch() -> None:
    block = (
        "import sys; sys.modules.update(dict.fromkeys(['torch', 'stable_baselines3', 'sb3_contrib', 'tensorboard']))"
    )
    code = f"{block}; import timeline_twist, timeline_twist.cli; print(timeline_twist.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == timeline_twist.__version__


def test_the_wheel_holds_both_packages_with_catalogues_and_types(tmp_path: Path) -> None:
    build = "import hatchling.build, sys; hatchling.build.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    suites = [f"suites/{path.name}" for path in (ROOT / "configs" / "suites").glob("*.yaml")]
    assert len(suites) > 20
    for needed in (
        "catalogues/scenes.csv",
        "catalogues/history.csv",
        "agents/weights.json",
        "py.typed",
        "cli.py",
        *suites,
    ):
        assert f"timeline_twist/{needed}" in names
    assert {"timeline_twist_training/__init__.py", "timeline_twist_training/py.typed"} <= names
    assert not any("__pycache__" in name or name.startswith(("tests", "envs", "training")) for name in names)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_functions_stay_under_40_lines(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno is not None and node.end_lineno - node.lineno < 40, node.name


def test_versions_agree() -> None:
    assert f"version: {timeline_twist.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## {timeline_twist.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_torch_is_pinned_for_the_cpu_build() -> None:
    assert "torch==2.13.0" in (ROOT / "constraints.txt").read_text().splitlines()


def test_ci_runs_exactly_make_test() -> None:
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("exec make test")
