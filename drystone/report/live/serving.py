"""A run as its page shows it while it goes on: what it is at, what is known so far, and in the end its report."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from drystone.report.live.server import Answer, Server
from drystone.report.page.contents import Contents, contents_of
from drystone.report.page.html import data_block, page
from drystone.verification.messages import Known, Message, Told
from drystone.verification.result import Result

_SHORTEST = 0.2  # seconds between two answers about what the run is at
_LONGEST = 5.0  # until the page hears that nothing has changed
_BETWEEN = 1.0  # two questions of a page
_FAREWELL = 5.0  # for a page that watches, to fetch the report
_RUNNING = "RUNNING"


class State(msgspec.Struct, frozen=True):
    version: int  # of all below
    phase: str
    counters: dict[str, int]
    elapsed: float
    contents: int  # how often what is known has changed
    is_over: bool = False


class Serving:
    """The main thread tells what happens, as to a `Display`; the threads of the server tell it to those who ask."""

    def __init__(self, port: int, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._news = threading.Condition()
        self._state = State(0, "starting", {}, 0.0, 0)
        self._told_at = 0.0
        self._result: Result | None = None
        self._told: Told | None = None
        self._report = b""
        self._watchers = 0  # who are waiting for news
        self._asked_at = -math.inf  # when somebody last had them
        self._visits = self._farewells = 0  # how often the page and the report were fetched
        self._is_ended = False  # this process no longer listens to who wants the run to end
        self._server = Server(port, self._answer)
        self.address = self._server.address

    # what happens

    def phase(self, name: str, counters: dict[str, int]) -> None:
        self._state = msgspec.structs.replace(self._state, phase=name, counters=counters)

    def tick(self, elapsed: float) -> None:
        """The first one comes when the work has its process."""
        if not self._server.is_started:
            self._server.start()
        self._state = msgspec.structs.replace(self._state, elapsed=elapsed)
        if elapsed - self._told_at >= _SHORTEST:
            self._told_at = elapsed
            self._tell()

    def heard(self, message: Message) -> None:
        match message:
            case Known(result):
                self._result = result
            case Told():
                self._told = message
            case _:
                return
        self._tell(contents=self._state.contents + 1)

    def close(self) -> None:
        """The run is over."""
        self._is_ended = True

    def finish(self, report: str, *, may_wait: bool) -> None:
        """Whoever watches gets the report. `may_wait`: until somebody does, should there have been nobody."""
        self._report = report.encode()
        self._tell(is_over=True)
        with self._news:
            if may_wait and not self._visits and self._server.is_started:
                with suppress(KeyboardInterrupt):
                    print(f"drystone: the report is at {self.address} until Ctrl-C", file=sys.stderr, flush=True)
                    self._news.wait_for(lambda: self._farewells > 0)
            elif self._watchers or time.monotonic() - self._asked_at < _BETWEEN:
                self._news.wait_for(lambda: self._farewells > 0, _FAREWELL)

    def _tell(self, **changes: object) -> None:
        with self._news:
            self._state = msgspec.structs.replace(self._state, version=self._state.version + 1, **changes)
            self._news.notify_all()

    # what is asked

    def _answer(self, method: str, name: str, query: dict[str, str]) -> Answer | None:
        match method, name:
            case "GET", "":
                self._visits += 1
                return Answer("text/html", page(self._contents()).encode()) if not self._report else self._farewell()
            case "GET", "state":
                return Answer("application/json", msgspec.json.encode(self._state_after(query.get("seen", ""))))
            case "GET", "contents":
                return Answer("application/json", data_block(self._contents()).encode())
            case "GET", "report" if self._report:
                return self._farewell()
            case "POST", "end":
                if not self._is_ended:
                    os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C
                return Answer("text/plain", b"\n")
        return None

    def _state_after(self, seen: str) -> State:
        """What the run is at, as soon as it is something else than the page has seen."""
        self._watchers += 1
        try:
            with self._news:
                self._news.wait_for(lambda: str(self._state.version) != seen, _LONGEST)
                return self._state
        finally:
            self._watchers -= 1
            self._asked_at = time.monotonic()

    def _farewell(self) -> Answer:
        return Answer("text/html", self._report, self._note_farewell)

    def _note_farewell(self) -> None:
        with self._news:
            self._farewells += 1
            self._news.notify_all()

    def _contents(self) -> Contents:
        """What is known so far. The lock is not held: to make it takes a while."""
        assert self._result is not None, "known before the first tick"
        made = contents_of(self._result, self._texts, self._told)
        return as_running(made)


def as_running(contents: Contents) -> Contents:
    """A verdict that is known may still change in what it rests on, and is not to be taken for the end."""
    is_open = contents.verdict == "UNKNOWN"
    return msgspec.structs.replace(
        contents,
        is_live=True,
        verdict=_RUNNING if is_open else contents.verdict,
        headline="the run goes on" if is_open else f"{contents.headline}; the run goes on",
        answered=[],
        advice=[],
    )
