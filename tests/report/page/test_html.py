"""The file is one file: its policy names what it runs, nothing in a program's texts gets out of the data."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

from drystone.report.page.html import data_block
from tests.places import ROOT
from tests.running import command, verify

HOSTILE = '</script><script>alert(1)</script><!--<img src=x onerror="alert(2)">]]>&lt;\u2028\u2029\x00\x1b[31m\u202e'
COMMENT = HOSTILE.replace("\0", "")


class Elements(HTMLParser):
    """The elements of a file, their attributes and the texts of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._is_in = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.texts.append("")
        self._is_in = True

    def handle_data(self, data: str) -> None:
        if self._is_in:
            self.texts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._is_in = False


def test_data_is_one_json_text_in_which_nothing_ends() -> None:
    block = data_block({"text": HOSTILE, "name": "a\udcff.c"})
    assert json.loads(block) == {"text": HOSTILE, "name": "a?.c"}
    assert not set("<>&\u2028\u2029") & set(block)


def test_the_policy_allows_exactly_what_is_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        f"// {COMMENT}\nextern void reach_error(void);\nint main(void) {{ reach_error(); }}\n", encoding="utf-8"
    )
    done = verify(tmp_path / "a.c", "--report", tmp_path / "a.html")
    assert done.returncode == 1, done.stderr
    page = Elements((tmp_path / "a.html").read_text(encoding="utf-8"))
    (policy,) = [about["content"] for tag, about in page.found if about.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None and "default-src 'none'" in policy and "unsafe" not in policy
    scripts = [(about, text) for (tag, about), text in zip(page.found, page.texts, strict=True) if tag == "script"]
    assert [about.get("type") for about, _ in scripts] == ["application/json", None]
    (style,) = [text for (tag, _), text in zip(page.found, page.texts, strict=True) if tag == "style"]
    hashes = {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, scripts[1][1])}
    assert set(re.findall(r"'sha256-[^']*'", policy)) == hashes
    assert not any(name in ("src", "srcset") or name.startswith("on") for _, about in page.found for name in about)
    assert [about["href"] for _, about in page.found if "href" in about] == ["data:,"]
    assert COMMENT in json.loads(scripts[0][1])["files"][0]["text"]


def test_a_report_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    done = verify("examples/bank.c", "--report", tmp_path / "none" / "a.html")
    assert done.returncode == 3 and "cannot be written" in done.stderr and not done.stdout


def test_files_are_written_though_nobody_reads_the_output(tmp_path: Path) -> None:
    words = command("examples/bank.c", "--sarif", "/dev/full", "--report", tmp_path / "r.html")
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert running.stdout is not None and running.stderr is not None
    running.stdout.close()
    errors = running.stderr.read()
    assert running.wait() in (3, 141) and "Traceback" not in errors
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
