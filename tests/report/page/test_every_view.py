"""Every view of every kind of report, light, dark and on a phone, with keys alone: nothing is cut off, hidden from anybody or odd."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from drystone.report.page import html
from tests.report.page.browser import Browser, Page
from tests.report.page.large import contents
from tests.report.page.reports import VIEWS, opened, picture, report, show
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


def test_both_accesses_of_a_data_race_are_shown(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(_THREADS)
    (tmp_path / "a.prp").write_text("CHECK( init(main()), LTL(G ! data-race) )\n")
    file = report(tmp_path, tmp_path / "a.c", "--property", tmp_path / "a.prp", code=1)
    with opened(browser, file) as page:
        accesses = [line for line in page.text(".banner").splitlines() if line.startswith("thread")]
        assert len(accesses) == 1 and ", while thread" in accesses[0] and accesses[0].count("shared") == 2
        page.click(".banner .step-through")
        last = page.text(".line.at .number"), page.text(".line.at .values"), page.text(".told")
        page.press("ArrowUp")
        first = page.text(".line.at .number"), page.text(".line.at .values"), page.text(".told")
        assert {first[0], last[0]} == {"5", "11"} and all(
            "here, thread" in each[1] and "shared" in each[1] for each in (first, last)
        )
        assert {first[2][-8:], last[2][-8:]} == {"thread 0", "thread 1"}


_KEPT = ("kind", "verdict", "index")  # what the script chooses by, and an address, which quoting makes harmless


def _hostile(value: Any, key: str = "") -> Any:
    """All texts are markup, script and signs that change what is around them."""
    if isinstance(value, str):
        return value if key in _KEPT or not value else f"</script><b onclick=alert(1)>&lt;\u202e\x1b\n`${{{value}}}"
    if isinstance(value, dict):
        return {name if key != "changes" else _hostile(name): _hostile(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_hostile(each, key) for each in value]
    return value


@pytest.mark.parametrize("words", [("examples/stack.c", "--localize"), ("examples/lock.c", "--engine", "dss")])
def test_no_text_of_any_kind_is_markup(browser: Browser, words: tuple[str, ...], tmp_path: Path) -> None:
    file = report(tmp_path, *words, code=int("stack" in words[0]))
    before, data, after = re.split(r'(?<=id="contents">)(.*?)(?=</script>)', file.read_text(encoding="utf-8"), maxsplit=1)
    contents = json.loads(data)
    for message in contents["story"]["messages"] if contents["story"] else ():
        message[0] = {"kind": message[0]}
    contents = _hostile(contents)
    for message in contents["story"]["messages"] if contents["story"] else ():
        message[0] = message[0]["kind"]
    file.write_text(before + html.data_block(contents) + after, encoding="utf-8")
    with opened(browser, file) as page:
        for view in VIEWS:
            show(page, view)
            assert page.count("b, img, iframe, [onclick], script[src]") == 0
            text = page.text(f"#view-{view}")
            assert "<b onclick=alert(1)>" in text or view == "time" or "There are no blocks" in text
        assert page.printed().startswith(b"%PDF")
