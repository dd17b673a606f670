"""drystone as a library: `drystone.verify`, `drystone.check`, `drystone.load`.

All of them can be called from any thread, at the same time, and from a notebook. They keep no state between calls, print nothing
and leave signals alone; Ctrl-C is a KeyboardInterrupt as everywhere, after which no process is left. What the caller can mend
(files that cannot be read or are not C, options that contradict each other) is a `Refusal`, with the complete message for people.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from drystone.base.refusal import Refusal
from drystone.verification.options import CheckOptions, Options, ProgramOptions
from drystone.verification.result import CheckResult, Result
from drystone.verification.supervised import OnProgress, unheard

if TYPE_CHECKING:
    from drystone.frontend.load import Loaded

Name = str | os.PathLike[str]
Files = Name | Sequence[Name]
"""C files of one program, or a task definition."""
_Kind = TypeVar("_Kind", bound=ProgramOptions)


class Unwritten(Refusal):
    """A file that was asked for cannot be written; the result is known all the same."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


def verify(files: Files, options: Options | None = None, *, progress: OnProgress = unheard) -> Result:
    """Can the error of the program be reached? `verdict` is TRUE, FALSE or UNKNOWN, `evidence` is what shows it.

    No FALSE that the interpreter has not replayed, no TRUE without a certificate that was checked, unless `uncertified` is set.
    The work is done by other processes, under the limits of the options; `progress` is called in this thread with what they are
    at and counters, whenever that changes. What it raises ends the work. A bug in drystone is UNKNOWN, with the cause `crash`.
    """
    from drystone.engines.registry import ENGINES
    from drystone.invariants.registry import SOURCES
    from drystone.verification import apart

    chosen = _checked(options or Options())
    _reject_unknown("engine", chosen.engine, ENGINES)
    for source in chosen.candidates or ():
        _reject_unknown("candidates", source, SOURCES)
    verified = apart.verified(apart.Verify(_names(files), chosen), progress)
    if verified.unwritten:
        raise Unwritten(verified.unwritten, verified.result)
    return verified.result


def check(certificate: Name, files: Files, options: CheckOptions | None = None, *, progress: OnProgress = unheard) -> CheckResult:
    """Does the certificate in this file prove the program? `result` is valid, rejected or undecided, `reason` says why.

    The options must say the same about the program as those of the verification that has written the certificate.
    """
    from drystone.solvers.registry import LIBRARIES
    from drystone.verification import apart

    chosen = _checked(options or CheckOptions())
    if chosen.solver is not None:
        _reject_unknown("solver", chosen.solver, LIBRARIES)
    return apart.checked(apart.Check(os.fspath(certificate), _names(files), chosen), progress).result


def load(files: Files, options: ProgramOptions | None = None) -> Loaded:
    """The program as control-flow automata (`program`), and what the front end has to say about it.

    This is done in the process of the caller, without limits; threads take turns.
    """
    from drystone.frontend.load import load as load_files
    from drystone.verification.tasks import resolve

    return load_files(*resolve(_names(files), _checked(options or ProgramOptions())))


def _names(files: Files) -> list[str]:
    names = [os.fspath(files)] if isinstance(files, str | os.PathLike) else [os.fspath(name) for name in files]
    if not names:
        raise Refusal("there is no file to read")
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError as problem:  # names travel between processes as UTF-8
            raise Refusal(f"{name!a}: {problem}") from None
    return names


def _checked(options: _Kind) -> _Kind:
    """Values that are not what the fields are declared to be are refused."""
    try:
        return msgspec.convert(msgspec.structs.asdict(options), type(options))
    except msgspec.ValidationError as problem:
        raise Refusal(f"{type(options).__name__}: {problem}") from None


def _reject_unknown(field: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        raise Refusal(f"{field}: there is no {name!r}, only {', '.join(known)}")
