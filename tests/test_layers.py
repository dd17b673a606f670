"""Nothing below imports anything above: the folders of the architecture in their order, read from the imports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "drystone"

# The order of the architecture's listing, lowest first: a folder may import what stands before it, less what it has no
# business with. Adding a folder means saying here where it stands.
ALLOWED: dict[str, set[str]] = {
    "logic": set(),
    "solvers": {"logic"},  # knows no program
    "program": {"logic"},
    "frontend": {"logic", "program"},
    "blocks": {"logic", "program"},
    "analysis": {"logic", "solvers", "program", "blocks"},
    "engines": {"logic", "solvers", "program", "blocks", "analysis"},  # pure: get their messages and hosts passed in
    "runtime": {"logic", "solvers", "program", "blocks", "analysis", "engines"},
    "evidence": {"logic", "solvers", "program", "frontend", "blocks"},  # checks independently: from the C text, without engines
    "localize": {"logic", "solvers", "program", "blocks", "evidence"},
    "report": {"logic", "program", "blocks", "engines", "runtime", "evidence", "localize"},
    "cli": {
        "logic",
        "solvers",
        "program",
        "frontend",
        "blocks",
        "analysis",
        "engines",
        "runtime",
        "evidence",
        "localize",
        "report",
    },
}


def imports_of(source: str, package: str) -> set[str]:
    """The folders of drystone that a module imports, also inside functions and under TYPE_CHECKING."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            names = [".".join([*base, *(node.module or "").split(".")]).rstrip(".")]
            names += [f"{names[0]}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            if parts[0] == "drystone" and len(parts) > 1 and parts[1] in ALLOWED:
                found.add(parts[1])
    return found


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_imports_upwards(path: Path) -> None:
    folder = path.relative_to(ROOT).parts[0]
    assert folder in ALLOWED, f"{folder}/ has no place in the order of the architecture yet"
    package = ".".join(["drystone", *path.relative_to(ROOT).parts[:-1]])
    upward = imports_of(path.read_text(), package) - ALLOWED[folder] - {folder}
    assert not upward, f"{folder} must not import {', '.join(sorted(upward))}"


def test_the_table_itself_only_looks_down() -> None:
    below: set[str] = set()
    for folder, used in ALLOWED.items():
        assert used <= below, f"{folder} may not use {used - below}"
        below.add(folder)


def test_every_way_to_import_is_seen() -> None:
    for statement in (
        "import drystone.cli.main",
        "from drystone import cli",
        "from drystone.cli import main",
        "from ..cli import main",
        "from .. import cli",
        "def f():\n    from drystone.cli.main import main",
    ):
        assert imports_of(statement, "drystone.program") == {"cli"}, statement
