"""Nothing below imports anything above, and no modules import each other: read from the imports."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.places import SOURCES as ROOT

# The rooms, lowest first: a room may import what stands before it, less what it has no business with. Adding a room means
# saying here where it stands.
_FOUNDATION = {"base", "logic", "ir"}
_MEANING = {"memory", "passes", "threads", "concrete", "symbolic", "pipeline"}
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "logic": set(),
    "solvers": {"base", "logic"},  # know no program
    "ir": {"base", "logic"},
    "memory": _FOUNDATION,
    "passes": _FOUNDATION | {"memory"},
    "threads": _FOUNDATION | {"memory", "passes"},
    "concrete": _FOUNDATION | {"memory"},
    "symbolic": _FOUNDATION | {"memory", "passes", "concrete"},
    "modular": _FOUNDATION | {"memory", "passes", "threads", "concrete", "symbolic"},
    "large_blocks": {"ir"},
    "pipeline": _FOUNDATION | {"memory", "passes", "threads", "symbolic"},
    "checks": _FOUNDATION,
    "frontend": _FOUNDATION | {"memory", "passes", "concrete", "checks"},
    "blocks": _FOUNDATION,
    "claims": {"logic", "ir"},
    "cpa": _FOUNDATION | _MEANING | {"large_blocks", "solvers"},
    "invariants": _FOUNDATION | _MEANING | {"solvers", "cpa"},
    "engines": _FOUNDATION
    | _MEANING
    | {"cpa", "modular", "solvers", "blocks", "claims", "invariants"},  # hosts and messages are passed in
    "certificates": _FOUNDATION
    | _MEANING
    | {"modular", "solvers", "frontend", "claims"},  # check from the C text, without engines
    "counterexamples": _FOUNDATION | _MEANING | {"frontend"},
    "witnesses": _FOUNDATION | _MEANING | {"frontend", "claims", "certificates", "counterexamples"},
    "localization": _FOUNDATION | {"concrete", "solvers", "frontend", "counterexamples"},
    "runtime": {"base", "engines"},
    "verification": _FOUNDATION
    | _MEANING
    | {"solvers", "checks", "frontend", "blocks", "claims", "invariants", "engines", "certificates", "counterexamples"}
    | {"witnesses", "localization", "runtime"},
    "suite": {"base", "frontend", "verification"},
    "report": {"base", "checks", "engines", "counterexamples", "runtime", "verification", "suite"},  # of engines, what they tell
    "cli": _FOUNDATION
    | _MEANING
    | {"solvers", "large_blocks", "checks", "frontend", "blocks", "claims", "invariants", "engines"}
    | {"certificates", "counterexamples", "witnesses", "runtime", "verification", "suite", "report"},
}

# Parts of a room, lowest first: a part may import what stands before it, and the modules beside the parts that are named here.
# All other modules beside the parts stand above them.
PARTS: dict[str, list[str]] = {
    "cpa": ["protocol", "reached", "waitlists", "algorithm", "cegar", "encodings", "domains"],
    "frontend": ["errors", "clang", "source_text", "declarations", "lowering", "expressions", "library", "functions"],
}


def imported(source: str, package: str) -> list[tuple[str, str]]:
    """What a module imports, also inside functions and under TYPE_CHECKING: a module, or a name from one."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            found += [(module, alias.name) for alias in node.names]
    return found


def imports_of(source: str, package: str) -> set[str]:
    """The rooms of drystone that a module imports."""
    paths = [[*module.split("."), name] for module, name in imported(source, package)]
    return {path[1] for path in paths if path[0] == "drystone" and path[1] in ALLOWED}


def cycle_of(sources: Mapping[str, str]) -> list[str]:
    """Modules of which each is imported by the next, and the last is the first again; empty if there are none such.

    A package's `__init__` is a module, too; who imports a module does not import the packages that it lies in.
    """
    graph: dict[str, set[str]] = {}
    for name, source in sources.items():
        module = name.removesuffix(".__init__")
        package = module if name.endswith(".__init__") else name.rpartition(".")[0]
        graph[module] = set()
        for imported_module, member in imported(source, package):
            submodule = f"{imported_module}.{member}"
            graph[module].add(submodule if {submodule, f"{submodule}.__init__"} & sources.keys() else imported_module)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as problem:
        return list(problem.args[1])
    return []


def rooms_with_parts() -> list[str]:
    """Packages in which packages lie, by their paths."""
    return sorted({str(path.parent.parent.relative_to(ROOT)) for path in ROOT.glob("*/*/**/__init__.py")})


def parts_of(room: str) -> dict[str, set[str]]:
    """The folders and modules of a room, and which of the others each imports."""
    folder = ROOT / room
    prefix = ["drystone", *Path(room).parts]
    parts = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    graph: dict[str, set[str]] = {part: set() for part in parts}
    for path in folder.rglob("*.py"):
        part = path.relative_to(folder).parts[0].removesuffix(".py")
        package = ".".join(["drystone", *path.relative_to(ROOT).parts[:-1]])
        names = [[*module.split("."), name] for module, name in imported(path.read_text(), package)]
        graph[part] |= {name[len(prefix)] for name in names if name[: len(prefix)] == prefix} & parts - {part}
    return graph


def modules() -> list[Path]:
    """All but those that stand beside the rooms: the command, and what BenchExec asks for."""
    beside = {"__init__.py", "__main__.py", "tool_info.py"}
    return sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.name not in beside)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_imports_upwards(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0].removesuffix(".py")
    assert room in ALLOWED, f"{room} has no place in the order of the rooms yet"
    package = ".".join(["drystone", *path.relative_to(ROOT).parts[:-1]])
    upward = imports_of(path.read_text(), package) - ALLOWED[room] - {room}
    assert not upward, f"{room} must not import {', '.join(sorted(upward))}"


@pytest.mark.parametrize("room", PARTS)
def test_parts_of_a_room_only_look_down(room: str) -> None:
    order = PARTS[room]
    for path in sorted((ROOT / room).rglob("*.py")):
        part = path.relative_to(ROOT / room).parts[0].removesuffix(".py")
        below = order[: order.index(part) + 1] if part in order else None  # None: beside the parts
        package = ".".join(["drystone", *path.relative_to(ROOT).parts[:-1]])
        for module, name in imported(path.read_text(), package):
            names = [*module.split("."), name]
            assert names[:2] != ["drystone", room] or below is None or names[2] in below, f"{path} must not import {module}"


@pytest.mark.parametrize("room", PARTS)
def test_every_part_has_a_place(room: str) -> None:
    folders = {path.parent.name for path in (ROOT / room).glob("*/__init__.py")}
    assert folders <= set(PARTS[room]) and all(
        (ROOT / room / part).is_dir() or (ROOT / room / f"{part}.py").is_file() for part in PARTS[room]
    )


@pytest.mark.parametrize("room", rooms_with_parts())
def test_folders_in_a_room_have_an_order(room: str) -> None:
    """Folders are no excuse for a cycle: taken as a whole, they and the modules beside them can be read one after the other."""
    try:
        TopologicalSorter(parts_of(room)).prepare()
    except CycleError as problem:
        pytest.fail(f"in {room}, these import each other: {' <- '.join(problem.args[1])}")


def test_every_room_exists() -> None:
    assert all((ROOT / room).is_dir() or (ROOT / f"{room}.py").is_file() for room in ALLOWED)


def test_the_table_itself_only_looks_down() -> None:
    below: set[str] = set()
    for room, used in ALLOWED.items():
        assert used <= below, f"{room} may not use {used - below}"
        below.add(room)


def test_no_modules_import_each_other() -> None:
    names = {path: ".".join(["drystone", *path.relative_to(ROOT).with_suffix("").parts]) for path in ROOT.rglob("*.py")}
    cycle = cycle_of({name: path.read_text() for path, name in names.items()})
    assert not cycle, f"these import each other: {' <- '.join(cycle)}"


def test_every_way_to_import_is_seen() -> None:
    for statement in (
        "import drystone.cli.main",
        "from drystone import cli",
        "from drystone.cli import main",
        "from ..cli import main",
        "from .. import cli",
        "def f():\n    from drystone.cli.main import main",
    ):
        assert imports_of(statement, "drystone.ir") == {"cli"}, statement


@pytest.mark.parametrize(
    ("first", "second", "is_cycle"),
    [
        ("from drystone.p.second import f", "from drystone.p.first import g", True),
        ("import drystone.p.second", "from drystone.p import first", True),
        ("from . import second", "def f():\n    from .first import g", True),
        ("from drystone.p.second import f", "if TYPE_CHECKING:\n    from drystone.p.first import g", True),
        ("from drystone.p.second import f", "from drystone.p import h", True),  # the package has first's names
        ("from drystone.p.second import f", "import drystone.p", True),
        ("from drystone.p.second import f", "from drystone import p", True),
        ("from drystone.p.second import f", "from drystone.logic import terms", False),
        ("", "from drystone.p import first, h", False),
        ("import ast", "import drystone.p.first", False),
    ],
)
def test_cycles_are_found(first: str, second: str, is_cycle: bool) -> None:
    package = "from drystone.p.first import h"
    assert bool(cycle_of({"drystone.p.__init__": package, "drystone.p.first": first, "drystone.p.second": second})) is is_cycle
