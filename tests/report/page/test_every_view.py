"""Every view of every kind of report, light, dark and on a phone, with keys alone: nothing is cut off, hidden from anybody or odd."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.report.page import html
from tests.report.page.browser import Browser, Page
from tests.report.page.large import contents
from tests.report.page.reports import VIEWS, opened, picture, report
from tests.report.page.test_access import findings

_UNKNOWN = 'extern void reach_error(void);\nint main(void) {\n  asm goto("" : : : : out);\n  out: reach_error();\n}\n'
_THREADS = """#include <assert.h>
#include <pthread.h>
int shared;
void *work(void *unused) {
  shared++;
  return 0;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, work, 0);
  shared++;
  pthread_join(other, 0);
  assert(shared == 1);
  return 0;
}
"""
_HOSTILE = """extern void reach_error(void); /* </script><script>alert(1)</script> \x1b[2J\u202e\u2066 -->*/
const char *html = "<img src=x onerror=alert(1)>\\0&lt;";
int __proto__, constructor;
int main(void) {
  int $toString$ = 1;
  while (__proto__ < 3) __proto__++;
  if ($toString$ + __proto__ + constructor == 4) reach_error();
}
"""
_KINDS = {
    "unsafe": 1,
    "safe": 0,
    "unknown": 2,
    "recursive": 0,
    "several-files": 0,
    "threads": 1,
    "hostile": 1,
    "blocks-of-auto": 0,
    "large": 0,
}


def reported(kind: str, folder: Path) -> Path:
    code, file = _KINDS[kind], folder / "a.c"
    match kind:
        case "unsafe":
            return report(folder, "examples/stack.c", "--localize", code=code)
        case "safe":
            return report(folder, "examples/lock.c", "--engine", "dss", code=code)
        case "recursive":
            return report(folder, "examples/mccarthy.c", code=code)
        case "several-files":
            return report(folder, "examples/account/main.c", "examples/account/account.c", "-D", "START=1000", code=code)
        case "blocks-of-auto":
            return report(folder, "examples/lock.c", code=code)
        case "large":
            (folder / "large.html").write_text(html.page(contents()), encoding="utf-8")
            return folder / "large.html"
        case "hostile":
            folder = folder / "<b onclick=alert(1)>"
            folder.mkdir()
            file = folder / "'\"&\x1b\n<title>.c"
    file.write_text({"unknown": _UNKNOWN, "threads": _THREADS, "hostile": _HOSTILE}[kind], encoding="utf-8")
    return report(folder, file, code=code)


def _settled(page: Page) -> None:
    page.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")


@pytest.mark.parametrize("kind", _KINDS)
def test_every_view(browser: Browser, kind: str, tmp_path: Path) -> None:
    with opened(browser, reported(kind, tmp_path)) as page:
        for name, width, scheme in (("light", 1400, "light"), ("dark", 1400, "dark"), ("phone", 380, "light")):
            page.resize(width, 900)
            page.prefer(prefers_color_scheme=scheme)
            page.value("document.getElementById('tab-verdict').focus()")
            page.press("Home")
            for view in VIEWS:
                _settled(page)
                assert page.value("document.activeElement.id") == f"tab-{view}"
                assert len(page.text(f"#view-{view}")) > 20 and page.count(".view:not([hidden])") == 1
                assert page.value("document.documentElement.scrollWidth") <= width, view
                assert page.count("b, img, script[src]") == 0
                if name != "phone":
                    assert findings(page) == [], view
                picture(page, f"{kind}-{view}-{name}")
                page.press("ArrowRight")


def test_an_execution_of_threads_is_stepped_by_keys(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, reported("threads", tmp_path)) as page:
        page.press("Tab")
        page.press("ArrowRight")
        for _ in range(30):
            if page.value("document.activeElement.getAttribute('role')") == "tree":
                break
            page.press("Tab")
        page.press("Home")
        seen = {page.text(".told").rpartition(" ")[2]}
        for _ in range(20):
            page.press("ArrowDown")
            seen.add(page.text(".told").rpartition(" ")[2])
        assert {"0", "1"} <= seen
