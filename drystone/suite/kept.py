"""Results in a folder, so that a suite goes on where it was interrupted, whatever has interrupted it.

Each result is a file of its own, complete or not there. A program whose result is there is not verified again; but once a suite
has come to its end, only what is decided stays: time and luck may decide the rest the next time. What was told of a run, for a
report, is a file beside its result.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from drystone.base.refusal import Refusal
from drystone.suite.outcome import Outcome
from drystone.verification.messages import Told

_LOCK, _IGNORED, _ENDED = "lock", ".gitignore", "ended"
_RESULT, _TOLD, _PART = ".json", ".told", ".part"
_DECIDED = ("TRUE", "FALSE")


class Kept:
    """The folder, for one suite at a time."""

    def __init__(self, folder: str, fresh: bool) -> None:
        self.folder = Path(folder)
        self._lock: IO[str] | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / _IGNORED).write_text("*\n")
            self._lock = (self.folder / _LOCK).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refusal(f"{folder}: another suite is keeping its results there: use another --results") from None
        except OSError as problem:
            raise Refusal(f"{folder}: results cannot be kept there: {problem.strerror}") from None
        self._has_ended = (self.folder / _ENDED).exists()
        for pattern in (f"*{_PART}", *((f"*{_RESULT}", f"*{_TOLD}") if fresh else ())):
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)

    def get(self, identity: str, limit: float | None) -> Outcome | None:
        """A file that is not what was written is as none; so is one that says that another limit was not enough."""
        try:
            found = msgspec.json.decode(self._path(identity, _RESULT).read_bytes(), type=Outcome)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
        if found.verdict in _DECIDED:
            return found
        return None if self._has_ended or found.limit != limit else found

    def told(self, identity: str) -> Told | None:
        """None: nobody had asked for it."""
        try:
            return msgspec.msgpack.decode(self._path(identity, _TOLD).read_bytes(), type=Told)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def put(self, identity: str, outcome: Outcome, told: Told | None) -> None:
        """Where the result is, the rest is."""
        if told is not None:
            self._write(self._path(identity, _TOLD), msgspec.msgpack.encode(told))
        else:
            self._path(identity, _TOLD).unlink(missing_ok=True)
        self._write(self._path(identity, _RESULT), msgspec.json.encode(outcome))

    def _write(self, path: Path, data: bytes) -> None:
        part = path.with_suffix(_PART)
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError as problem:
            part.unlink(missing_ok=True)
            raise Refusal(f"{path}: the result cannot be kept: {problem.strerror}") from None

    def begin(self) -> None:
        """From now on, an end is an interruption."""
        (self.folder / _ENDED).unlink(missing_ok=True)

    def end(self) -> None:
        with suppress(OSError):
            (self.folder / _ENDED).touch()

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def _path(self, identity: str, kind: str) -> Path:
        return self.folder / f"{identity[:40]}{kind}"
