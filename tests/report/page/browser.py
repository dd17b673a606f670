"""Chromium without a window, told what to do over a pipe (the DevTools protocol): opens pages, presses keys, takes pictures.

It is started with an empty profile and without any service that asks the network; each request that a page makes is kept.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Json = dict[str, Any]

NO_CHROMIUM = "chromium is not installed"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_PATIENCE = 60.0  # seconds, for an answer
_KEYS = {
    "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
}  # fmt: skip


def chromium() -> str | None:
    return next((found for name in _NAMES if (found := shutil.which(name)) is not None), None)


class Browser:
    def __init__(self, program: str, profile: str) -> None:
        ours, theirs = os.pipe(), os.pipe()

        def connect() -> None:
            """It reads from 3 and writes to 4."""
            read, write = os.dup(ours[0]), os.dup(theirs[1])
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=connect,
            start_new_session=True,
        )
        os.close(ours[0])
        os.close(theirs[1])
        self._write, self._read = ours[1], theirs[0]
        self._buffer = b""
        self._number = 0
        self.events: list[Json] = []

    def ask(self, method: str, session: str | None = None, **parameters: Any) -> Json:
        self._number += 1
        message: Json = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: Json = answer["result"]
                return result
            self.events.append(answer)

    def _message(self) -> Json:
        limit = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(limit - time.monotonic(), 0))
            assert ready, "the browser does not answer"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser has ended"
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        found: Json = json.loads(text)
        return found

    def page(self, width: int = 1400, height: int = 900) -> Page:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, target, session, width, height)

    def kill(self) -> None:
        """As by a user who has had enough."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        os.close(self._write)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._read)


class Page:
    def __init__(self, browser: Browser, target: str, session: str, width: int, height: int) -> None:
        self._browser, self._target, self._session = browser, target, session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")
        self.resize(width, height)

    def _ask(self, method: str, **parameters: Any) -> Json:
        return self._browser.ask(method, self._session, **parameters)

    def resize(self, width: int, height: int) -> None:
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, **features: str) -> None:
        """As people can set up their machine: prefers_color_scheme="dark"."""
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self._ask("Emulation.setEmulatedMedia", features=wanted)

    def open(self, address: str | Path) -> None:
        url = Path(address).absolute().as_uri() if isinstance(address, Path) else address
        self._ask("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """Of an expression, or of the promise that it is."""
        found = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        limit = time.monotonic() + _PATIENCE
        while not self.value(f"Boolean({condition})"):
            assert time.monotonic() < limit, f"never: {condition}"
            time.sleep(0.02)

    def text(self, selector: str) -> str:
        found: str = self.value(
            f"(([found]) => found?.innerText ?? found?.textContent ?? '')(document.querySelectorAll({json.dumps(selector)}))"
        )
        return found

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.value(f"[...document.querySelectorAll({json.dumps(selector)})].map((each) => each.innerText)")
        return found

    def count(self, selector: str) -> int:
        return int(self.value(f"document.querySelectorAll({json.dumps(selector)}).length"))

    def click(self, selector: str) -> None:
        """With the mouse, in the middle of the element."""
        where = self.value(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)}); found.scrollIntoView({{block: 'nearest'}});"
            " const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self._ask("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)

    def press(self, key: str, times: int = 1, *, shift: bool = False) -> None:
        code = _KEYS.get(key, ord(key.upper()[0]))
        about = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else None)
        for _ in range(times):
            self._ask("Input.dispatchKeyEvent", type="keyDown", **about, **({"text": text} if text else {}))
            self._ask("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text: str) -> None:
        self._ask("Input.insertText", text=text)

    def picture(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"]))

    def printed(self) -> bytes:
        """As PDF."""
        return base64.b64decode(self._ask("Page.printToPDF", printBackground=True)["data"])

    def requests(self) -> list[str]:
        self.value("1")  # events that came before the answer are there
        return [each["params"]["request"]["url"] for each in self._events("Network.requestWillBeSent")]

    def complaints(self) -> list[str]:
        """What the console has: errors, warnings, exceptions, what the policy has blocked."""
        self.value("1")
        found = [json.dumps(each["params"]["exceptionDetails"])[:500] for each in self._events("Runtime.exceptionThrown")]
        found += [each["params"]["entry"]["text"] for each in self._events("Log.entryAdded")]
        return found + [json.dumps(each["params"]["args"])[:500] for each in self._events("Runtime.consoleAPICalled")]

    def _events(self, method: str) -> list[Json]:
        return [each for each in self._browser.events if each.get("method") == method and each.get("sessionId") == self._session]

    def close(self) -> None:
        self._browser.ask("Target.closeTarget", targetId=self._target)
        self._browser.events = [each for each in self._browser.events if each.get("sessionId") != self._session]


@contextmanager
def browser() -> Iterator[Browser]:
    program = chromium()
    assert program is not None, NO_CHROMIUM
    with tempfile.TemporaryDirectory(prefix="drystone-browser-", ignore_cleanup_errors=True) as profile:
        started = Browser(program, profile)
        try:
            yield started
        finally:
            started.close()
