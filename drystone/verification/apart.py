"""Verifications and checks in a process of their own, for programs that are more than a command.

`verify` and `check` make copies of their process, take over its signals and end whatever children it gets meanwhile: right for a
command, wrong in a program with threads, or in a notebook. So another Python does that, and this process only hears from it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from drystone.base.frames import Frames, frame
from drystone.base.process_tree import end_with
from drystone.base.refusal import Refusal
from drystone.verification.check import Checked, check
from drystone.verification.messages import Doing, Refused
from drystone.verification.options import CheckOptions, Options
from drystone.verification.supervised import OnProgress
from drystone.verification.verify import Verified, verify


class Verify(msgspec.Struct, frozen=True, tag=True):
    files: list[str]
    options: Options


class Check(msgspec.Struct, frozen=True, tag=True):
    certificate: str
    files: list[str]
    options: CheckOptions


_Job = Verify | Check
Said = Doing | Refused | Verified | Checked
_Answer = TypeVar("_Answer", Verified, Checked)
_READ_AT_ONCE = 1 << 16  # bytes


def verified(job: Verify, on_progress: OnProgress) -> Verified:
    return _answer(job, Verified, on_progress)


def checked(job: Check, on_progress: OnProgress) -> Checked:
    return _answer(job, Checked, on_progress)


class Asked:
    """Another Python at work on a job. Whatever has come of it, `end` has to be called."""

    def __init__(self, job: _Job) -> None:
        command = [sys.executable, "-P", "-m", __name__, str(os.getpid())]
        places = [str(Path(__file__).parents[2]), *filter(None, sys.path)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
            process_group=0,  # Ctrl-C is the business of this process
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._output = self._process.stdout
        self._is_over = False
        self._frames = Frames()
        self._decoder: msgspec.msgpack.Decoder[Said] = msgspec.msgpack.Decoder(Said)
        with suppress(BrokenPipeError), self._process.stdin as stdin:  # broken: it has ended already, and so will what is read
            stdin.write(frame(msgspec.msgpack.encode(job)))

    def fileno(self) -> int:
        return self._output.fileno()

    def said(self) -> list[Said] | None:
        """Waits until there is something; None: nothing comes any more."""
        part = os.read(self.fileno(), _READ_AT_ONCE)
        self._is_over = not part
        return list(map(self._decoder.decode, self._frames.feed(part))) if part else None

    def end(self) -> int:
        """No process of the job is left then. The exit code."""
        if not self._is_over:
            self._process.terminate()  # it ends all that it has started
        self._output.close()
        return self._process.wait()


def _answer(job: _Job, kind: type[_Answer], on_progress: OnProgress) -> _Answer:
    """When this returns or raises anything, for instance a KeyboardInterrupt, no process of the job is left."""
    answer: _Answer | None = None
    asked = Asked(job)
    try:
        while (messages := asked.said()) is not None:
            for message in messages:
                match message:
                    case Doing(phase, counters):
                        on_progress(phase, counters)
                    case Refused(reason):
                        raise Refusal(reason)
                    case kind():
                        answer = message
    finally:
        code = asked.end()
    if answer is None:
        raise RuntimeError(f"the process that was asked ended without an answer, with exit code {code}")
    return answer


def main() -> None:
    """In the other process: what to do comes from its input, what it says goes to its output."""
    if not end_with(int(sys.argv[1])):
        return
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever else is printed must not come between

    def say(message: Said) -> None:
        output.write(frame(msgspec.msgpack.encode(message)))

    def progress(phase: str, counters: dict[str, int]) -> None:
        say(Doing(phase, counters))

    (job,) = Frames().feed(sys.stdin.buffer.read())
    try:
        match msgspec.msgpack.decode(job, type=_Job):
            case Verify(files, options):
                say(verify(files, options, progress))
            case Check(certificate, files, options):
                say(check(certificate, files, options, progress))
    except Refusal as refusal:
        say(Refused(str(refusal)))


if __name__ == "__main__":
    main()
