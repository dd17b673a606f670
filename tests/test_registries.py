"""Registries: what they list is there, and all that people are told comes from them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from drystone.base.registry import Entry, told
from drystone.blocks import registry as blocks
from drystone.checks.registry import CHECKS
from drystone.cli.main import main
from drystone.engines.dcpa.domain import DistributedDomain
from drystone.engines.dcpa.registry import DOMAINS, SWITCHES
from drystone.engines.dss.domain import Domain
from drystone.engines.dss.registry import SUMMARIES
from drystone.engines.registry import ENGINES
from drystone.invariants.registry import SOURCES
from drystone.solvers.registry import LIBRARIES, SOLVERS, make_solver, with_another
from tests.places import ROOT

README = (ROOT / "README.md").read_text()

REGISTRIES: dict[str, Mapping[str, Entry[Any]]] = {
    "engines": ENGINES,
    "engines.dss": SUMMARIES,
    "engines.dcpa": DOMAINS,
    "solvers": SOLVERS,
    "blocks": {**blocks.DECOMPOSITIONS, **blocks.WITH_ARGUMENT},
    "invariants": SOURCES,
    "checks": CHECKS,
}
TABLES: dict[str, Mapping[str, str]] = {
    "engine": told(ENGINES),
    "decomposition": blocks.ABOUT,
    "summaries": told(SUMMARIES),
    "domain": told(DOMAINS),
    "switches": SWITCHES,
    "candidates": told(SOURCES),
    "check": told(CHECKS),
    "solver": told(LIBRARIES),
}


@pytest.mark.parametrize("room", REGISTRIES)
def test_what_is_listed_is_there_and_in_its_room(room: str) -> None:
    for entry in REGISTRIES[room].values():
        assert entry.place.startswith(f"drystone.{room}.")
        loaded = entry.load()
        kind = {"engines.dss": Domain, "engines.dcpa": DistributedDomain}.get(room)
        assert isinstance(loaded, kind) if kind is not None else callable(loaded)


@pytest.mark.parametrize("room", REGISTRIES)
def test_a_line_for_people_is_one_line(room: str) -> None:
    for entry in REGISTRIES[room].values():
        assert entry.about and "\n" not in entry.about and "|" not in entry.about and entry.about[-1] not in ".;,"


def test_options_of_blocks_are_found_by_the_name_of_their_domain() -> None:
    for name, entry in SUMMARIES.items():
        assert entry.load().options.__struct_config__.tag == name
    for analysis in DOMAINS.values():
        assert analysis.load().options.__struct_config__.tag == analysis.place


def test_every_library_is_asked_together_with_another_one() -> None:
    for name in LIBRARIES:
        first, second = with_another(name)
        assert first == name != second and second in LIBRARIES
    assert with_another("of somebody else") == with_another(next(iter(LIBRARIES)))
    assert {make_solver(name).name for name in LIBRARIES} == set(LIBRARIES)


@pytest.mark.parametrize("title", TABLES)
def test_readme_has_the_table(title: str) -> None:
    """If it fails: the rows that it expects are those of the registry."""
    rows = [f"| `{name}` | {about} |" for name, about in TABLES[title].items()]
    found = re.search(rf"^\| {title} \| \|\n\| --- \| --- \|\n((?:\|.*\n)*)", README, re.MULTILINE)
    assert found is not None and found[1].splitlines() == rows


@pytest.mark.parametrize(
    ("command", "registries"),
    [
        ("verify", [told(ENGINES), blocks.ABOUT, told(SUMMARIES), told(DOMAINS), SWITCHES, told(SOURCES)]),
        ("check", [told(LIBRARIES)]),
        ("blocks", [blocks.ABOUT]),
    ],
)
def test_help_has_them(command: str, registries: list[Mapping[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for registry in registries:
        assert all(f" {name} {' '.join(about.split())}" in shown for name, about in registry.items())


def test_help_imports_none_of_them() -> None:
    implementations = [
        entry.place.partition(":")[0] for room, registry in REGISTRIES.items() if room != "solvers" for entry in registry.values()
    ]
    probe = (
        "import sys; from drystone.cli.main import main; main(['verify', '--help']);"
        f"print([name for name in {[*implementations, 'msgspec']!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("[]")
