"""A small process that hosts are forked from.

It is itself a fork of the coordinator's process, from before that has read the program: so hosts have the code, and nothing
else. It imports what hosts need when the first is wanted; the next ones are there within milliseconds.

Hosts do not outlive the coordinator. Each has the reading end of a pipe whose other end only the coordinator has, and the
kernel sends it a signal when that is closed, whatever it is doing (a solver may not listen for minutes).
"""

from __future__ import annotations

import array
import fcntl
import os
import select
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress

_FORK, _HOW = b"f", b"h"


class Zygote:
    def __init__(self, not_for_hosts: Sequence[int] = ()) -> None:
        """`not_for_hosts`: descriptors of this process that hosts must not have."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = os.fork()
        if self.process == 0:
            try:
                self._control.close()
                for descriptor in not_for_hosts:
                    os.close(descriptor)
                _be_the_zygote(theirs)
            finally:
                os._exit(0)
        theirs.close()

    def fork(self, lifeline: int, compress: bool) -> tuple[socket.socket, int]:
        """A new host: a stream to it, and its process. It dies when nobody can write to `lifeline` any more."""
        ours, theirs = socket.socketpair()
        descriptors = array.array("i", [theirs.fileno(), lifeline])
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
        try:
            self._control.sendmsg([_FORK + bytes([compress])], ancillary)
            answer = self._control.recv(64)
            if not answer:
                raise BrokenPipeError
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        return ours, int(answer)

    def how(self, process: int) -> str:
        """How a host ended."""
        try:
            self._control.send(_HOW + str(process).encode())
            return self._control.recv(256).decode()
        except OSError:
            return "lost"

    def close(self) -> None:
        """Ends it, and all hosts with it."""
        self._control.close()
        with suppress(ChildProcessError):
            os.waitpid(self.process, 0)


def _be_the_zygote(control: socket.socket) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    ended: dict[int, int] = {}
    living: set[int] = set()
    while True:
        ready, _, _ = select.select([control], [], [], 1.0 if living else None)
        _reap(living, ended)
        if not ready:
            continue
        data, descriptors, _, _ = socket.recv_fds(control, 64, 2)
        if not data:
            break
        if data[:1] == _FORK:
            import bitwuzla  # noqa: F401

            import drystone.runtime.host  # noqa: F401
            from drystone.engines.dss.registry import SUMMARIES
            from drystone.engines.hosting import KINDS

            for kind in KINDS.values():
                kind.load()
            for domain in SUMMARIES.values():
                domain.load()

            process = os.fork()
            if process == 0:
                control.close()
                _be_a_host(descriptors[0], descriptors[1], bool(data[1]))
            for each in descriptors:
                os.close(each)
            living.add(process)
            control.send(str(process).encode())
        else:
            process = int(data[1:])
            with suppress(ChildProcessError):
                if process not in ended:
                    ended[process] = os.waitpid(process, 0)[1]
                    living.discard(process)
            control.send(_text(ended.get(process)).encode())
    for process in living:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(process, 0)


def _reap(living: set[int], ended: dict[int, int]) -> None:
    for process in list(living):
        with suppress(ChildProcessError):
            found, status = os.waitpid(process, os.WNOHANG)
            if found:
                ended[process] = status
                living.discard(process)


def _text(status: int | None) -> str:
    if status is None:
        return "lost"
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)} ({signal.Signals(os.WTERMSIG(status)).name})"
    return f"exit code {os.WEXITSTATUS(status)}"


def _be_a_host(stream: int, lifeline: int, compress: bool) -> None:
    """Does not return."""
    code = 1
    try:
        from drystone.base.frames import Channel, Damaged
        from drystone.runtime.host import Host

        signal.signal(signal.SIGIO, signal.SIG_DFL)  # which ends the process
        with suppress(OSError):  # one end that all hosts share could have only one of them as its owner
            lifeline = os.open(f"/proc/self/fd/{lifeline}", os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
        if select.select([lifeline], [], [], 0)[0]:
            os._exit(0)  # closed already
        host, channel = Host(), Channel(socket.socket(fileno=stream), compress)
        try:
            while (data := channel.receive()) is not None:
                answer = host.handle(data)
                if answer is not None:
                    channel.send(answer)
            code = 0
        except Damaged:
            code = 2
        except OSError:
            code = 0  # nobody listens any more
        except MemoryError:
            code = 3
    finally:
        os._exit(code)
