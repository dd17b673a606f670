"""The bibliography is true to the code: what it names exists, and the code cites by names that it has."""

from __future__ import annotations

import re

import pytest

from tests.places import ROOT

PAPERS = (ROOT / "docs" / "papers.md").read_text()
SOURCES = sorted((ROOT / "drystone").rglob("*.py"))
DOCUMENTS = sorted((ROOT / "docs").rglob("*.md"))
CITATION = re.compile(r"[A-Z][\w-]+(?:, [A-Z][\w-]+)* (?:19|20)\d\d\b")
NO_CITATIONS = {"January", "February", "C", "POPL", "TS", "PLDI", "SV-COMP"}


def test_every_module_that_is_named_exists() -> None:
    named = re.findall(r"`((?:[\w-]+/)*\w+\.py)`", PAPERS)
    assert len(named) > 40
    missing = [name for name in named if not (ROOT / "drystone" / name).exists() and not (ROOT / name).exists()]
    assert missing == []


@pytest.mark.parametrize("text", ["paper 1", "Paper 3", "design section 7"])
def test_the_pattern_finds_numbers_of_papers(text: str) -> None:
    assert numbered(text)


def numbered(text: str) -> list[str]:
    return re.findall(r"papers? [1-5]\b|design section", text, re.IGNORECASE)


def test_papers_are_cited_by_names() -> None:
    texts = {path: path.read_text() for path in [*SOURCES, *DOCUMENTS]}
    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if numbered(text)] == []


def test_what_is_cited_is_in_the_bibliography() -> None:
    cited = {citation for path in SOURCES for citation in CITATION.findall(" ".join(path.read_text().split()))}
    cited = {citation for citation in cited if citation.split()[0].rstrip(",") not in NO_CITATIONS}
    assert "Beyer, Kettl, Lemberger 2024" in cited
    assert sorted(citation for citation in cited if f"**{citation}.**" not in PAPERS) == []
