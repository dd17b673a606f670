"""`drystone verify --serve` as people use it: this machine sees the run, nobody else does, and nothing is left behind."""

from __future__ import annotations

import http.client
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from drystone.base.process_tree import descendants
from tests.places import ROOT
from tests.report.page.browser import Browser, Page
from tests.report.page.conftest import browser  # noqa: F401
from tests.report.page.reports import picture
from tests.running import command, left_behind, with_scratch

_LONG = """void reach_error(void);
unsigned in(void);
int main(void) {
  unsigned long long a = in(), b = in();
  if (a > 1 && b > 1 && a * b == 10780379821730533709ull) reach_error();
}
"""  # to find these two prime numbers takes long


@contextmanager
def served(folder: Path, *words: str, text: str = _LONG) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A run, and its address. Its scratch files are in a folder of their own."""
    (folder / "a.c").write_text(text)
    (folder / "scratch").mkdir(exist_ok=True)
    running = subprocess.Popen(
        command(folder / "a.c", *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=with_scratch(folder / "scratch"),
        start_new_session=True,
    )
    try:
        assert running.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/[\w-]{30,}/", running.stderr.readline())
        assert found is not None
        wait_until_heard(found[0])
        yield running, found[0]
    finally:
        running.kill()
        running.communicate()


def wait_until_heard(address: str) -> None:
    limit = time.monotonic() + 30
    while True:
        try:
            if asked(address, "state")[0] == 200:
                return
        except OSError:
            pass
        assert time.monotonic() < limit
        time.sleep(0.05)


def asked(address: str, name: str = "", method: str = "GET", **headers: str) -> tuple[int, bytes]:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    try:
        connection.request(method, parts.path + name, headers={key.replace("_", "-"): value for key, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def ended(processes: list[int]) -> bool:
    for _ in range(200):
        if not any(Path(f"/proc/{each}").exists() for each in processes):
            return True
        time.sleep(0.05)
    return False


def is_closed(address: str) -> bool:
    try:
        asked(address)
    except OSError:
        return True
    return False


def test_others_are_refused(tmp_path: Path) -> None:
    with served(tmp_path, "--serve") as (_, address):
        parts = urlsplit(address)
        assert asked(address)[0] == 200 and asked(address, "none")[0] == 404
        assert asked(address, Host=f"localhost:{parts.port}")[0] == 200
        ours = f"http://{parts.netloc}"
        assert asked(address, Origin=ours, Sec_Fetch_Site="same-origin")[0] == 200
        assert asked(address, Origin="http://example.org")[0] == 403
        assert asked(address, Origin="null")[0] == 403
        assert asked(address, Origin=f"http://127.0.0.1:{parts.port or 0 + 1}1")[0] == 403
        assert asked(address, Sec_Fetch_Site="cross-site")[0] == asked(address, Sec_Fetch_Site="same-site")[0] == 403
        assert asked(address, Host=f"example.org:{parts.port}")[0] == asked(address, Host="")[0] == 403
        assert asked(address, "end", "POST", Origin="http://example.org")[0] == 403
        wrong = f"{ours}/{'x' * len(parts.path.strip('/'))}/"
        for other in (wrong, f"{ours}/", address[:-2] + "/", f"{address[:-1]}%00/", f"{ours}/%C3%A9/"):
            for name in ("", "state", "contents", "report"):
                status, body = asked(other, name)
                assert (status, body) == (403, b"refused\n"), other
        assert asked(address, "report")[0] == 404  # not yet
        assert asked(address)[0] == 200


def test_it_listens_to_this_machine_alone(tmp_path: Path) -> None:
    with served(tmp_path, "--serve") as (_, address):
        port = urlsplit(address).port
        wanted = f":{port:04X}"
        sockets = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
        assert [each[1] for each in sockets if each[1].endswith(wanted) and each[3] == "0A"] == [f"0100007F{wanted}"]


def test_the_page_may_end_the_run(tmp_path: Path) -> None:
    with served(tmp_path, "--serve", "--timeout", "100s") as (running, address):
        state = json.loads(asked(address, "state")[1])
        assert not state["is_over"] and state["phase"]
        below = descendants(running.pid)
        assert asked(address, "end", "POST")[0] == 200
        out, _ = running.communicate(timeout=20)
        assert running.returncode == 130 and "UNKNOWN  interrupted" in out
        assert ended(below) and is_closed(address)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_run_is_killed(tmp_path: Path, how: signal.Signals) -> None:
    with served(tmp_path, "--serve", "--timeout", "100s") as (running, address):
        while not list((tmp_path / "scratch").glob("*/*")):
            time.sleep(0.02)  # until there is something that could be left
        below = descendants(running.pid)
        assert below
        running.send_signal(how)
        running.communicate(timeout=20)
        assert ended(below) and is_closed(address)
        assert left_behind(tmp_path / "scratch") == []


def test_the_work_is_killed(tmp_path: Path) -> None:
    with served(tmp_path, "--serve", "--timeout", "100s") as (running, address):
        below = descendants(running.pid)
        for each in below:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        out, _ = running.communicate(timeout=20)
        assert running.returncode == 4 and "SIGKILL" in out
        assert ended(below) and is_closed(address) and left_behind(tmp_path / "scratch") == []


def test_on_a_terminal_it_waits_for_somebody_or_for_ctrl_c(tmp_path: Path) -> None:
    for is_fetched in (True, False):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(ROOT)
            words = command("examples/bank.c", "--serve")
            os.execv(words[0], words)
        said = ""
        while (found := re.search(r"the report is at (\S+) until", said)) is None:
            said += os.read(terminal, 1 << 16).decode(errors="replace")
        if is_fetched:
            assert b"reach_error" in asked(found[1])[1]
        else:
            os.write(terminal, b"\x03")
        with suppress(OSError):
            while not select.select([terminal], [], [], 20)[0] or os.read(terminal, 1 << 16):
                if is_fetched and not is_closed(found[1]):  # who has asked while the run went on may have to ask for its end
                    asked(found[1])
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1 and is_closed(found[1])
        os.close(terminal)


def test_two_runs_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with served(tmp_path, "--serve") as (_, one), served(tmp_path / "other", "--serve") as (_, other):
        assert urlsplit(one).netloc != urlsplit(other).netloc
        assert asked(one)[0] == asked(other)[0] == 200
        assert asked(f"http://{urlsplit(one).netloc}{urlsplit(other).path}")[0] == 403


def test_a_run_that_nobody_watches_ends_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("void reach_error(void);\nint main(void) { reach_error(); }\n")
    done = subprocess.run(
        command(tmp_path / "a.c", "--serve", "--report", tmp_path / "r.html"), capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 1 and (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with served(tmp_path, "--serve") as (_, address):
        done = subprocess.run(
            command(tmp_path / "a.c", "--serve", str(urlsplit(address).port)), capture_output=True, text=True, cwd=ROOT
        )
        assert done.returncode == 3 and "Address already in use" in done.stderr
    for port in ("70000", "-1"):
        assert subprocess.run(command("examples/bank.c", "--serve", port), capture_output=True, cwd=ROOT).returncode == 3


@contextmanager
def watched(browser: Browser, address: str) -> Iterator[Page]:  # noqa: F811
    page = browser.page()
    try:
        page.open(address)
        page.wait("document.querySelector('.live strong')?.textContent")
        yield page
    finally:
        page.close()


def test_the_page_shows_the_run_and_then_its_report(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    with served(tmp_path, "--serve", "--timeout", "8s", text=_LONG) as (running, address), watched(browser, address) as page:
        assert page.text("h1") == "… RUNNING" and "the run goes on" in page.text(".banner")
        page.wait("document.querySelector('.live').innerText.includes('runs')")
        picture(page, "live-verdict")
        page.click("#tab-source")
        assert "10780379821730533709ull" in page.text(".code")
        page.wait("document.title.startsWith('UNKNOWN')")
        page.wait("document.querySelector('.view.source')")
        assert page.value("location.hash") == "#source" and page.count(".live") == 0
        page.click("#tab-verdict")
        assert page.text("h1") == "? UNKNOWN" and "out of time" in page.text(".banner")
        out, _ = running.communicate(timeout=20)
        assert running.returncode == 2 and "UNKNOWN" in out and is_closed(address)
        assert page.complaints() == []
        assert {urlsplit(url).netloc for url in page.requests()} <= {urlsplit(address).netloc, ""}


def test_a_browser_that_goes_away_changes_nothing(tmp_path: Path) -> None:
    from tests.report.page import browser as chromium

    if chromium.chromium() is None:
        pytest.skip(chromium.NO_CHROMIUM)
    with served(tmp_path, "--serve", "--timeout", "8s") as (running, address):
        with chromium.browser() as started:
            page = started.page()
            page.open(address)
            page.wait("document.querySelector('.live strong')?.textContent")
            started.kill()
        out, _ = running.communicate(timeout=30)
        assert running.returncode == 2 and "out of time" in out


def test_a_run_that_crashes_is_said(browser: Browser, tmp_path: Path) -> None:  # noqa: F811
    with served(tmp_path, "--serve", "--timeout", "100s") as (running, address), watched(browser, address) as page:
        running.kill()
        page.wait("document.querySelector('.live').innerText.includes('has ended without a report')")
