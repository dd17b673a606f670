"""Runs work in a process of its own, under limits of wall time and memory that hold whatever the work does.

Solvers overshoot their own time-outs, and a limit of the address space makes them abort; so the parent watches from outside. It
polls the memory of the child and all its descendants, and ends them together. Before `supervise` returns, by whatever way, no
process that the work started is left: descendants that lose their parent become children of this process (Linux calls it a
subreaper), and are found and ended here.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from functools import partial
from types import FrameType

import msgspec

from drystone.base.pipes import Receiver, send
from drystone.base.process_tree import children, descendants, end_with, prctl, proportional, resident

INTERVAL = 0.05  # seconds between two looks
_SHORTEST = 0.003  # near the limit of memory
_SELDOM = 20.0  # times as long as counting shared pages once took, until it is done again
_FASTEST = 2 << 30  # bytes that a process touches in a second, at most
_CRASHED = 70  # exit code of a child whose work raised an exception
_SET_SUBREAPER = 36  # of prctl

Send = Callable[[bytes], None]


class End(StrEnum):
    DONE = "done"  # the work returned
    CRASHED = "crashed"  # it raised an exception or was ended by a signal that was not ours
    TIME = "time"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"  # by Ctrl-C, or this process was asked to end


class Limits(msgspec.Struct, frozen=True):
    """Each may be infinite."""

    seconds: float
    bytes: float


class Usage(msgspec.Struct, frozen=True):
    end: End
    detail: str  # for people: the signal or exit code of a crash
    wall: float  # seconds
    cpu: float
    peak: int  # bytes, of all processes together


class Interrupted(KeyboardInterrupt):
    """This process got a signal that asks it to end."""


def supervise(
    work: Callable[[Send], None],
    limits: Limits,
    receive: Callable[[bytes], None],
    tick: Callable[[float], None] = lambda elapsed: None,
) -> Usage:
    """Forks, runs `work(send)` in the child, hands what it sends to `receive`; `tick` is called at every look.

    This process must have no other threads: the child is a copy of it.
    """
    start = time.monotonic()
    with _adopting_orphans() as orphans, _asked_to_end_as_interrupt():
        reading, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _be_the_child(work, writing, parent)
        os.close(writing)
        watch = _Watch(child, limits, start)
        try:
            end = watch.until_the_end(Receiver(reading), receive, tick)
        except KeyboardInterrupt:
            end = End.INTERRUPTED
        finally:
            with _uninterrupted():
                status, cpu, peak = _end_all(child, orphans)
                os.close(reading)
    detail = ""
    if end is End.DONE and status != 0:
        end, detail = End.CRASHED, _how(status)
    return Usage(end, detail, time.monotonic() - start, cpu, max(peak, watch.peak))


class _Watch:
    def __init__(self, child: int, limits: Limits, start: float) -> None:
        self.child, self.limits, self.start = child, limits, start
        self.peak = 0  # bytes
        self._exactly_from = 0.0

    def until_the_end(self, receiver: Receiver, receive: Callable[[bytes], None], tick: Callable[[float], None]) -> End:
        last_look, interval = 0.0, INTERVAL
        while True:
            ready, _, _ = select.select([receiver.pipe], [], [], interval)
            now = time.monotonic()
            if now - last_look >= interval or not ready:
                last_look = now
                memory = self._memory(now)
                interval = min(INTERVAL, max(_SHORTEST, (self.limits.bytes - memory) / _FASTEST))
                if memory > self.limits.bytes:
                    return End.MEMORY
                if now - self.start > self.limits.seconds:
                    return End.TIME
                tick(now - self.start)
            if ready:
                for message in receiver.receive():
                    receive(message)
                if receiver.has_ended:
                    return End.DONE  # the child has closed its side: it is over

    def _memory(self, now: float) -> int:
        """Of all processes. The quick sum counts pages twice that two of them share, for instance after a fork; where that could
        be a new peak, or more than the limit, they are counted once, which takes longer."""
        family = [self.child, *descendants(self.child)]
        memory = resident(family)
        if len(family) > 1:
            if memory <= self.limits.bytes and (memory <= self.peak or now < self._exactly_from):
                return memory
            began = time.monotonic()
            memory = min(memory, proportional(family))
            self._exactly_from = now + _SELDOM * (time.monotonic() - began)
        self.peak = max(self.peak, memory)
        return memory


def _be_the_child(work: Callable[[Send], None], writing: int, parent: int) -> None:
    """Does not return."""
    code = _CRASHED
    try:
        os.setpgid(0, 0)  # Ctrl-C is the parent's business
        if not end_with(parent):
            os._exit(_CRASHED)  # it died before the line above
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        work(partial(send, writing))
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _end_all(child: int, orphans: Callable[[], list[int]]) -> tuple[int, float, int]:
    """Ends the child and everything below it; its wait status, processor seconds and greatest resident set (bytes)."""
    family = descendants(child)
    for process in (*family, child):  # if the child is over already, this changes nothing: nobody has waited for it
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024
    while left := orphans():
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
            with suppress(ChildProcessError):
                _, _, used = os.wait4(process, 0)
                cpu, peak = cpu + used.ru_utime + used.ru_stime, max(peak, used.ru_maxrss * 1024)
    return status, cpu, peak


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"by signal {number} ({signal.Signals(number).name})"
    return f"with exit code {os.WEXITSTATUS(status)}"


# signals


@contextmanager
def _asked_to_end_as_interrupt() -> Iterator[None]:
    """SIGTERM and SIGHUP end the work as Ctrl-C does. Signals are the business of the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Interrupted

    wanted = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup
        wanted.append(signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """A second Ctrl-C waits until everything has been ended."""
    waiting = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, waiting)


@contextmanager
def _adopting_orphans() -> Iterator[Callable[[], list[int]]]:
    """Inside, processes below this one that lose their parent become its children; the function lists the new ones."""
    before = set(children(os.getpid()))
    with suppress(OSError):
        prctl(_SET_SUBREAPER, 1)
    try:
        yield lambda: [process for process in children(os.getpid()) if process not in before]
    finally:
        with suppress(OSError):
            prctl(_SET_SUBREAPER, 0)
