"""Reports for everybody: axe-core finds nothing serious in any view, light or dark, wide or narrow; and they can be printed."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from drystone.report.page import html
from tests.report.page.browser import Browser, Page
from tests.report.page.large import contents
from tests.report.page.reports import VIEWS, opened, picture, report, show

_RULES = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'], resultTypes: ['violations']}"


@cache
def axe() -> str:
    """Its script; the package is in the lock of what tests need."""
    found = importlib.util.find_spec("axe_core_python")
    assert found is not None and found.origin is not None
    return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")


def findings(page: Page) -> list[str]:
    """Of each finding the rule, how bad it is, and where."""
    if not page.value("'axe' in window"):
        page.value(f"{axe()}; true")
    found: list[dict[str, Any]] = page.value(f"axe.run({_RULES}).then((results) => results.violations)")
    return [f"{each['impact']}: {each['id']}: {node['target']}: {node['html'][:120]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("program", ["unsafe", "safe", "large"])
def test_axe_finds_nothing(browser: Browser, program: str, scheme: str, tmp_path: Path) -> None:
    match program:
        case "unsafe":
            file = report(tmp_path, "examples/bank.c", code=1)
        case "safe":
            file = report(tmp_path, "examples/lock.c", "--engine", "dss", code=0)
        case _:
            file = tmp_path / "large.html"
            file.write_text(html.page(contents(200, 1_000)), encoding="utf-8")
    with opened(browser, file) as page:
        page.prefer(prefers_color_scheme=scheme)
        for view in VIEWS:
            show(page, view)
            assert findings(page) == [], view
            picture(page, f"{program}-{view}-{scheme}")


def test_a_finding_is_found(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/bank.c", code=1)) as page:
        page.value("document.documentElement.removeAttribute('lang'); true")
        assert any("html-has-lang" in each for each in findings(page))


def test_nothing_is_cut_off_where_there_is_little_room(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/lock.c", "--engine", "dss", code=0), 380, 800) as page:
        for view in VIEWS:
            show(page, view)
            assert page.value("document.documentElement.scrollWidth") <= 380, view
            assert page.value("document.getElementById('tab-time').getBoundingClientRect().right") <= 380
            picture(page, f"narrow-{view}")


def test_on_paper_there_is_everything_that_can_be_read(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/bank.c", code=1)) as page:
        page.value("dispatchEvent(new Event('beforeprint'))")
        paper = page.value("document.querySelector('.paper').textContent")
        assert "can be reached" in paper and "balance = balance + amount;" in paper and "balance = 200" in paper
        page.value("dispatchEvent(new Event('afterprint'))")
        assert page.count(".paper") == 0
        assert page.printed().startswith(b"%PDF")
    (tmp_path / "large.html").write_text(html.page(contents()), encoding="utf-8")
    with opened(browser, tmp_path / "large.html") as page:
        assert page.printed().count(b"/Type /Page\n") < 40
