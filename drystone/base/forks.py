"""Work in a copy of this process: all that was prepared before is there for it. What it says comes through a pipe."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from drystone.base import clock
from drystone.base.pipes import Receiver, send
from drystone.base.process_tree import descendants, end_with

Say = Callable[[bytes], None]


class Fork:
    """This process must have no other threads. `work` gets the function by which it says something."""

    def __init__(self, work: Callable[[Say], None]) -> None:
        self.pipe, writing = os.pipe()
        self.has_ended, self.end = False, ""
        self._receiver = Receiver(self.pipe)
        self._pauses, self._paused_at = clock.Pauses(), 0.0
        self._bound, is_bound = os.pipe()  # closed by the copy as soon as it cannot outlive this process
        parent = os.getpid()
        self.process = os.fork()
        if self.process == 0:
            os.close(self.pipe)
            os.close(self._bound)
            clock.count(self._pauses)
            _be_the_copy(work, writing, parent, is_bound)
        os.close(writing)
        os.close(is_bound)

    def read(self) -> list[bytes]:
        """What it has said since; waits until there is something, or it has ended."""
        said = self._receiver.receive()
        self.has_ended = self._receiver.has_ended
        return said

    def has_news(self) -> bool:
        """Can it be read without waiting?"""
        return bool(select.select([self.pipe], [], [], 0)[0])

    def is_saying_something(self) -> bool:
        """Has only a part of it been read?"""
        return self._receiver.is_amid_a_message()

    def pause(self) -> None:
        """It and all that it has started take no time until `go_on`, and notice nothing (base/clock.py)."""
        os.read(self._bound, 1)  # one that was paused before would stay for ever if this process died
        self._paused_at = time.monotonic()
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._pauses.add(time.monotonic() - self._paused_at)
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        stop_all([self])

    def _kill(self) -> None:
        os.close(self.pipe)
        os.close(self._bound)
        self._signal(signal.SIGKILL)

    def _wait(self) -> None:
        _, status = os.waitpid(self.process, 0)
        how = f"by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"with exit code {os.WEXITSTATUS(status)}"
        self.end = f"process ended {how}"

    def _signal(self, number: signal.Signals) -> None:
        """To it and all below. What is below can have started more in the meantime."""
        told: set[int] = set()
        while new := {self.process, *descendants(self.process)} - told:
            for process in new:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, number)
            told |= new


def stop_all(forks: Iterable[Fork]) -> None:
    """They end side by side: to give back the memory of one takes a while."""
    forks = list(forks)
    for fork in forks:
        fork._kill()
    for fork in forks:
        fork._wait()


def _be_the_copy(work: Callable[[Say], None], writing: int, parent: int, is_bound: int) -> None:
    """It never returns, and does not outlive its parent."""
    if not end_with(parent):
        os._exit(1)
    os.close(is_bound)
    code = 1
    try:
        work(partial(send, writing))
        code = 0
    except MemoryError:
        code = 3
    except BrokenPipeError:
        pass  # nobody listens any more
    finally:
        os._exit(code)
