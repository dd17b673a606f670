"""Reports that tests open, and what must hold of each page that they open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.report.page.browser import Browser, Page
from tests.running import verify

PICTURES = os.environ.get("DRYSTONE_PICTURES")
"""The folder where pictures are kept, for people to look at."""
MOST_NODES = 2_500
_ODD_TEXTS = """(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const { data, parentElement: { tagName } } = walker.currentNode;
    if (tagName !== "SCRIPT" && /^(null|undefined|NaN|true|false)$|\\[object|undefined (ms|s)\\b|NaN/.test(data.trim())) found.push(data.trim());
  }
  return found;
})()"""
"""What a script writes by mistake."""
VIEWS = ("verdict", "source", "blocks", "messages", "time")


def report(folder: Path, *arguments: str | Path, code: int) -> Path:
    done = verify(*arguments, "--report", folder / "report.html", "--quiet")
    assert done.returncode == code, done.stderr
    return folder / "report.html"


@contextmanager
def opened(browser: Browser, file: Path, width: int = 1400, height: int = 900) -> Iterator[Page]:
    """Nothing is asked for but the file, nothing is complained about, the document stays small."""
    page = browser.page(width, height)
    try:
        page.open(file)
        yield page
        assert page.complaints() == []
        assert [url for url in page.requests() if not url.startswith(file.absolute().as_uri()) and url != "data:,"] == []
        assert page.count("*") < MOST_NODES
        assert page.value(_ODD_TEXTS) == []
    finally:
        page.close()


def show(page: Page, view: str) -> None:
    """With the mouse; until it is drawn."""
    page.click(f"#tab-{view}")
    page.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def picture(page: Page, name: str) -> None:
    if PICTURES:
        page.picture(Path(PICTURES) / f"{name}.png")
