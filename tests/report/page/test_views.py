"""Reports in a browser: people look at them, step through executions, with the mouse and without."""

from __future__ import annotations

from pathlib import Path

from drystone.report.page import html
from tests.report.page.browser import Browser
from tests.report.page.large import contents
from tests.report.page.reports import MOST_NODES, PICTURES, opened, picture, report, show


def test_an_unsafe_program(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/bank.c", code=1)) as page:
        assert page.text("h1") == "✗ FALSE" and "reach_error()" in page.text(".view.verdict")
        picture(page, "unsafe-verdict")
        page.click("td:last-child button.link")
        assert page.text(".told") == "step 8 of 8, in main"
        page.press("Home")
        page.press("ArrowDown")
        assert page.text(".told") == "step 2 of 8, in deposit"
        page.click("#tab-verdict")
        page.click(".banner .step-through")
        assert page.text(".told") == "step 8 of 8, in main"
        assert "▶" in page.text(".line.at .gutter") and "reach_error()" in page.text(".line.at")
        page.click('button[aria-label="first step"]')
        page.click('button[aria-label="step forward"]')
        assert page.text(".told") == "step 2 of 8, in deposit" and page.text(".line.at .number") == "8"
        page.click('button[aria-label="step forward"]')
        assert "balance = 100" in page.text(".line.at .values") and "balance = 100" in page.text(".value.fresh")
        picture(page, "unsafe-source")


def test_of_several_errors_in_a_line_the_worst_is_said(browser: Browser, tmp_path: Path) -> None:
    text = "extern int in(void);\nint main(void) {\n  int a = in(), b = in();\n  if (a < 0) return 0;\n  return a / b;\n}\n"
    (tmp_path / "a.c").write_text(text)
    with opened(browser, report(tmp_path, tmp_path / "a.c", "--all", "--check", "overflow,division", code=1)) as page:
        found = {tuple(row.split("\t")[:2]) for row in page.texts("tbody tr")}
        assert {("✗ FALSE", "division by zero: a / b"), ("✓ TRUE", "overflow of int: a / b")} <= found
        page.click("#tab-source")
        assert page.texts(".line.error .inline.error") == ["an execution fails here: division by zero: a / b"]


def test_lines_that_could_be_changed(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        "extern void reach_error(void);\nint larger(int x, int y) {\n  int m = x;\n  if (y < x)\n    m = y;\n  return m;\n}\n"
        "int main(void) {\n  int unrelated = 7;\n  if (larger(2, 1) != 2)\n    reach_error();\n  return unrelated;\n}\n"
    )
    with opened(browser, report(tmp_path, tmp_path / "a.c", "--localize", code=1)) as page:
        show(page, "source")
        said = page.texts(".note.fault")
        assert any("could be changed: with m = 2 instead of 1" in each for each in said)
        assert len(page.texts(".faults li")) == len(said) and page.texts(".step.loop") == []
        picture(page, "faults")
        page.click(".faults li button")
        assert page.text(".line.chosen .number") in ("3", "4", "5", "6", "10")


def test_keys_alone(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/bank.c", code=1)) as page:
        page.press("Tab")
        assert page.value("document.activeElement.id") == "tab-verdict"
        page.press("ArrowRight")
        assert page.value("document.activeElement.id") == "tab-source"
        while page.value("document.activeElement.getAttribute('role')") != "tree":
            page.press("Tab")
        page.press("Home")
        page.press("ArrowDown", 4)
        assert page.text(".told") == "step 5 of 8, in deposit"
        page.press("ArrowUp")
        assert page.text(".told") == "step 4 of 8, in main"
        page.press("End")
        assert page.text(".told") == "step 8 of 8, in main"


def test_loops_are_folded(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        "extern void reach_error(void);\nint main(void) {\n  int sum = 0;\n  for (int i = 0; i < 40; i++)\n    sum += i;\n"
        "  if (sum == 780)\n    reach_error();\n}\n"
    )
    with opened(browser, report(tmp_path, tmp_path / "a.c", code=1)) as page:
        page.click("#tab-source")
        assert page.texts(".step.loop") == ["▸ loop at line 4: 40 iterations"]
        picture(page, "loop-folded")
        page.click(".step.loop")
        assert page.texts(".step.iteration")[:2] == ["▸ iteration 1 of 40", "▸ iteration 2 of 40"]
        page.click(".step.iteration")
        assert page.texts(".step:not(.loop):not(.iteration)")[1].split()[0] == "4"
        page.click('button[aria-label="fold all loops"]')
        assert page.texts(".step.iteration") == []
        page.click('button[aria-label="first step"]')
        page.click('button[aria-label="step forward"]')
        assert "▾ loop at line 4: 40 iterations" in page.texts(".step.loop")


def test_a_safe_program(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/lock.c", "--engine", "dss", code=0)) as page:
        assert page.text("h1") == "✓ TRUE" and "inductive, checked by" in page.text(".view.verdict")
        page.click("#tab-source")
        assert "holds whenever control is here: locked == 0" in page.text(".note.invariant")
        assert "no execution fails here" in page.text(".line.error.true")
        page.click(".beside button.link")
        assert page.text(".line.chosen .number") == "9"
        page.click("#search")
        page.type("UNLOCKED")
        page.press("Enter")
        assert page.text('[role="status"]') == "not in this file"
        page.click("button.theme")
        picture(page, "safe-source-dark")


def test_blocks_and_their_messages(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/lock.c", "--engine", "dss", code=0)) as page:
        page.click("#tab-blocks")
        assert page.texts(".pick")[1].split() == "■ 9@3 has refuted an error condition".split()
        page.click("#block-1")
        about = page.text(".aboutblock")
        assert "Precondition" in about and "locked == 0" in about and "Violation conditions" in about and "null" not in about
        page.click(".aboutblock details:last-child summary")
        page.wait("document.querySelector('.canvas.small svg')")
        assert "[locked == 0]" in page.text(".list.edges")
        picture(page, "blocks")
        page.value("document.querySelector('.view.blocks input[type=range]').focus()")
        page.press("Home")
        assert page.text(".view.blocks [role=status]") == "before the first of 8 messages"
        assert "○" in page.texts(".pick")[0] and page.count(".split > .canvas .box.idle") == 1
        page.press("ArrowRight", 3)
        assert "error condition from 9@3 to entry" in page.text(".view.blocks [role=status]")
        page.click("#tab-messages")
        assert "error condition from 9@3 to entry" in page.text(".detail") and "locked != 0" in page.text(".detail")
        assert page.count(".message") == 8
        page.click(".kind:nth-child(1) input")
        assert page.text(".view.messages [role=status]") == "6 of 8 messages"
        page.value("document.querySelector('.messages .messages').focus()")
        page.press("End")
        page.press("ArrowUp")
        assert page.text(".detail strong").startswith("7. refutation from 9@3")
        picture(page, "messages")
        page.click('[aria-label="only of or to this block"]')
        page.type("entry")
        assert page.text(".view.messages [role=status]") == "2 of 8 messages"
        page.click("#tab-time")
        page.wait("document.querySelector('.lanes')")
        assert page.count(".lanes") == 1 and "host 0" in page.text(".lanes") and "unpack_vcond" in page.text(".view.time")
        picture(page, "time")


def test_engines_in_time(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/sum.c", code=0)) as page:
        page.click("#tab-blocks")
        assert "There are no blocks" in page.text(".view.blocks") or page.count(".graph")
        page.click("#tab-time")
        page.wait("document.querySelector('.lanes')")
        assert "execute" in page.text(".lanes") and "execute" in page.text(".figures")
        picture(page, "time-of-engines")


def test_a_large_run(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text(html.page(contents()), encoding="utf-8")
    with opened(browser, tmp_path / "large.html") as page:
        for view in ("blocks", "messages", "time", "source"):
            began = page.value("performance.now()")
            page.click(f"#tab-{view}")
            page.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
            assert page.count("*") < MOST_NODES
            picture(page, f"large-{view}")
            if PICTURES:
                print(f"{view}: {page.value('performance.now()') - began:.0f} ms")
        page.click("#tab-messages")
        page.click('[aria-label="only with this text"]')
        page.type("x == 77 ")
        assert page.text(".view.messages [role=status]") == "20 of 10,000 messages"
        page.click("#tab-blocks")
        page.value("document.querySelector('.view.blocks .list').focus()")
        page.press("End")
        assert page.text(".aboutblock h2") == "main:999" and page.count("*") < MOST_NODES


def test_contracts_of_a_recursive_program(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, report(tmp_path, "examples/mccarthy.c", code=0)) as page:
        page.click("#tab-source")
        assert page.text(".note.ensures").endswith("f ensures: n < 101 || n == \\result + 10")


def test_an_unknown_program(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        'extern void reach_error(void);\nint main(void) {\n  asm goto("" : : : : out);\n  out: reach_error();\n}\n'
    )
    with opened(browser, report(tmp_path, tmp_path / "a.c", code=2)) as page:
        assert page.text("h1") == "? UNKNOWN" and "What to look at" in page.text(".view.verdict")
        picture(page, "unknown-verdict")


def test_a_program_of_several_files(browser: Browser, tmp_path: Path) -> None:
    files = ("examples/account/main.c", "examples/account/account.c")
    with opened(browser, report(tmp_path, *files, "-D", "START=1000", code=0)) as page:
        page.click("#tab-source")
        assert [text.split(maxsplit=1)[-1] for text in page.texts("#file option")][:2] == list(files)
        page.click("#file")
        page.press("ArrowDown")
        page.press("Enter")
        page.wait("document.querySelector('.code').innerText.includes('account.h')")


def test_texts_of_programs_are_texts(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "<img src=x onerror=alert(1)>"
    folder.mkdir()
    file = folder / "a'\"&\x1b\n<b>.c"
    file.write_text(
        "extern void reach_error(void); // </script><script>alert(1)</script> \x0c\x1b[31m\u202e\n"
        'const char *text = "<b onclick=alert(1)>\\0";\n'
        "int main(void) {\n  int $b$ = 1; /* <!-- */\n  $b$ = 7;\n  reach_error();\n}\n",
        encoding="utf-8",
    )
    with opened(browser, report(tmp_path, file, code=1)) as page:
        assert "<img src=x onerror=alert(1)>/a'\"&␛␊<b>.c" in page.text("header")
        page.click("#tab-source")
        assert "// </script><script>alert(1)</script> ␌␛[31m⟨U+202E⟩" in page.text(".code")
        assert page.count("b, img, script[src]") == 0
        picture(page, "hostile-source")


def test_a_long_source(browser: Browser, tmp_path: Path) -> None:
    functions = "".join(f"int f{number}(int x) {{\n  return x + {number}; // {'long ' * 9}\n}}\n" for number in range(10_000))
    file = tmp_path / "long.c"
    file.write_text(f"extern void reach_error(void);\n{functions}int main(void) {{ if (f9999(1) == 10000) reach_error(); }}\n")
    with opened(browser, report(tmp_path, file, code=1)) as page:
        page.click("#tab-source")
        assert page.text(".line.at .number") == "30002"
        page.click("#search")
        page.type("return x + 5000;")
        page.press("Enter")
        assert page.text(".line.chosen .number") == "15003"
        page.value("document.querySelector('.code').scrollTop = 0")
        page.wait("document.querySelector('.line .number').innerText === '1'")
