"""Documents are true to the files: links lead somewhere, modules that are named exist, versions agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from drystone import __version__
from tests.places import ROOT

DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "examples").glob("*.md"),
    *(ROOT / "bench").rglob("*.md"),
]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
FILE = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|c|h|txt|md|json|yml))`")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    assert [link for link in LINK.findall(document.read_text()) if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/how-it-works.md", "docs/soundness.md", "bench/README.md"])
def test_files_that_are_named_exist(name: str) -> None:
    named = FILE.findall((ROOT / name).read_text())
    below = (ROOT, ROOT / "drystone", ROOT / "bench")
    assert [file for file in named if "FILE" not in file and not any((folder / file).exists() for folder in below)] == []


def test_the_citation_has_the_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == __version__ and citation["license"] == "Apache-2.0"


def test_hooks_and_workflows_run_what_there_is() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    makefile = (ROOT / "Makefile").read_text()
    assert [hook["id"] for hook in hooks] == ["ruff", "ruff-format", "mypy"]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in hooks) and "\t$(BIN)/mypy --strict\n" in makefile
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]["test"]["steps"]
    assert steps[-2]["run"] == ".ci/run" and (ROOT / ".ci" / "run").exists()
    for name in ("example-verify.yml", "example-suite.yml"):
        example = (ROOT / ".github" / "workflows" / name).read_text()
        assert yaml.safe_load(example)["jobs"]["verify"]["steps"]
        assert [file for file in re.findall(r"examples/[\w/]+\.c", example) if not (ROOT / file).exists()] == []
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"].startswith("drystone suite ")
