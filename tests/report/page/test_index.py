"""The index of a suite in a browser: what failed comes first, each program's report is a click away, and there is a way back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from drystone.report.page.html import index_page
from drystone.report.page.index import Index, IndexRow
from tests.places import ROOT
from tests.report.page.browser import Browser
from tests.report.page.reports import MOST_NODES, opened, picture
from tests.report.page.test_access import findings

_SAFE = "void reach_error(void);\nint main(void) { int x = 1; if (x != 1) reach_error(); return 0; }\n"
_UNSAFE = _SAFE.replace("!=", "==")


def indexed(folder: Path, *names: str, code: int, report: str = "report.html") -> Path:
    done = subprocess.run(
        [sys.executable, "-m", "drystone", "suite", *names, "--report", report, "--jobs", "1"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return folder / report


def test_from_the_index_to_a_program_and_back(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name, text in (("safe.c", _SAFE), ("unsafe.c", _UNSAFE), ("broken.c", "int main(void) {")):
        (tmp_path / "src" / name).write_text(text)
    file = indexed(tmp_path, "src/safe.c", "src/broken.c", "src/unsafe.c", code=1)
    with opened(browser, file) as page:
        assert page.text("h1") == "✗ FALSE" and page.text(".banner p").startswith("3 programs: 1 TRUE, 1 FALSE, 1 not usable")
        assert page.texts(".program .name") == ["unsafe.c", "broken.c", "safe.c"]
        assert "unsafe.c:2: reach_error()" in page.text(".program .about") and page.count(".program a") == 2
        picture(page, "index")
        for scheme in ("light", "dark"):
            page.prefer(prefers_color_scheme=scheme)
            assert findings(page) == []
        page.click(".kind input")
        assert page.texts(".program .name") == ["broken.c", "safe.c"] and page.text("[role=status]") == "2 of 3 programs"
        page.click(".kind input")
        page.click("input[type=search]")
        page.type("expected")
        assert page.texts(".program .name") == ["broken.c"]
        assert page.printed().startswith(b"%PDF")
    page = browser.page()
    try:
        page.open(file)
        page.click(".program a")
        page.wait("document.querySelector('.view.verdict h1')")
        assert (
            page.text("h1") == "✗ FALSE"
            and Path(unquote(urlsplit(page.value("location.href")).path)).parent.name == "report-pages"
        )
        page.click("header a")
        page.wait("document.querySelector('.programs')")
        assert page.complaints() == []
    finally:
        page.close()


def test_names_of_programs_are_texts(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "<b>#?%41"
    folder.mkdir()
    names = ("a\n<img src=x onerror=alert(1)>.c", "javascript:alert(1).c", "…/é.c".replace("/", ""))
    for name in names:
        (folder / name).write_text(_UNSAFE)
    file = indexed(folder, *names, code=1, report="re#port?%41.html")
    with opened(browser, file) as page:
        assert page.texts(".program .name") == [name.replace("\n", "␊") for name in names]
        assert page.count("img, b") == 0
    page = browser.page()
    try:
        page.open(file)
        page.value("document.querySelectorAll('.program a')[1].click()")
        page.wait("document.querySelector('.view.verdict h1')")
        assert "javascript:alert(1).c" in page.text("header")
        page.click("header a")
        page.wait("document.querySelector('.programs')")
    finally:
        page.close()


@pytest.mark.parametrize("width", [1400, 380])
def test_an_index_of_many_programs(browser: Browser, width: int, tmp_path: Path) -> None:
    rows = [
        IndexRow(
            f"src/deep/{number}.c",
            ("TRUE", "FALSE", "UNKNOWN")[number % 3],
            "about it " * 30,
            number / 7,
            False,
            f"p/{number}.html",
        )
        for number in range(5_000)
    ]
    index = Index(drystone="0", title="suite", verdict="FALSE", headline="5,000 programs", asked=[("engine", "auto")], rows=rows)
    (tmp_path / "index.html").write_text(index_page(index), encoding="utf-8")
    with opened(browser, tmp_path / "index.html", width, 800) as page:
        assert page.count("*") < MOST_NODES and page.value("document.documentElement.scrollWidth") <= width
        page.click("#order")
        page.press("ArrowDown", 2)
        page.press("Enter")
        assert page.text(".program .name") == "4999.c"
        page.value("document.querySelector('.programs').focus()")
        page.press("End")
        page.wait("[...document.querySelectorAll('.program .name')].some((each) => each.innerText === '0.c')")
        picture(page, f"index-many-{width}")
