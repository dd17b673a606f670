"""A verification, seen from outside: checks what was asked for, has a child process do the work (`work`), says what is known.

The work is done under the limits of time and memory. A violation or a proof that was known when it was cut short is not lost.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from drystone.base.scratch import scratch_folder
from drystone.base.shown_files import shown_file
from drystone.base.version import __version__
from drystone.base.written_files import check_writable
from drystone.runtime.watchdog import Usage
from drystone.verification.messages import Known, Message, Proved, Recording, Told, Witnessed
from drystone.verification.named_parts import check_named_parts
from drystone.verification.options import Options, reject_contradictions
from drystone.verification.result import Result
from drystone.verification.supervised import Ending, OnProgress, OnTick, Tell, Watching, unheard
from drystone.verification.tasks import property_of, resolve

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions


class Verified(msgspec.Struct, frozen=True, tag=True):
    """What came of a verification."""

    result: Result
    ending: Ending
    notes: list[str] = []  # files that were asked for and are not written, and why
    told: Told | None = None  # with `is_told`: of the engine that has the verdict
    unwritten: str = ""  # which file could not be written, and why; the verdict is known all the same


def verify(
    given: Sequence[str],
    options: Options,
    on_progress: OnProgress = unheard,
    on_tick: OnTick = lambda elapsed: None,
    default: FrontendOptions | None = None,
    on_message: Callable[[Message], None] = lambda message: None,
) -> Verified:
    """Whether the error can be reached; `default` is for what the options do not say. `on_message`: called with all that is said.

    Raises a `Refusal` for files or options that cannot be used.

    This process must have no other threads, and start no other processes meanwhile (`runtime.watchdog`).
    """
    reject_contradictions(options)
    if options.cluster is not None:
        from drystone.runtime.ray_hosts import check_cluster

        check_cluster(options.cluster)
    check_named_parts(options)
    if options.strategy is not None:
        from drystone.verification.strategy import turns_in

        turns_in(options.strategy)
    for name in (options.certificate, options.witness, options.record, options.trace):
        if name is not None:
            check_writable(name)
    files, frontend_options = resolve(given, options, default, is_verified=True)
    blank = blank_result(given[0], options, files, frontend_options)
    watching = _Watching(on_progress, on_message, blank)
    on_message(Known(blank, False))

    with scratch_folder() as scratch:

        def work(tell: Tell) -> None:
            from drystone.verification.work import work as do_all

            tempfile.tempdir = str(scratch)  # made when needed
            do_all(options, files, frontend_options, blank, scratch, tell)

        usage, ending = watching.supervise(work, options.timeout, options.memory, on_tick)
    return _concluded(watching, usage, ending, options)


class _Watching(Watching):
    """What the work has found."""

    def __init__(self, on_progress: OnProgress, on_message: Callable[[Message], None], blank: Result) -> None:
        super().__init__(on_progress)
        self._on_message = on_message
        self.result = blank
        self.final = False
        self.certificate: str | None = None
        self.witness: Witnessed | None = None
        self.is_recording = False
        self.told: Told | None = None

    def hear(self, message: Message) -> None:
        self._on_message(message)
        match message:
            case Known(result, final):
                self.result, self.final = result, final
            case Proved(text):
                self.certificate = text
            case Witnessed():
                if self.witness is None or self.witness.verdict != "FALSE":  # with --all, what comes later is about other errors
                    self.witness = message
            case Recording():
                self.is_recording = True
            case Told():
                self.told = message
            case about_itself:
                super().hear(about_itself)


def blank_result(first: str, options: Options, files: list[str], frontend_options: FrontendOptions) -> Result:
    """What is known before the work has begun. `first`: of the files that were given, which may be a task definition."""
    return Result(
        drystone=__version__,
        verdict="UNKNOWN",
        reason="",
        engine=options.engine,
        file=shown_file(first),
        files=list(map(shown_file, files)),
        property=property_of(frontend_options).text,
        entry=frontend_options.entry,
        data_model=frontend_options.data_model,
        options=msgspec.structs.asdict(frontend_options),
        seed=options.seed,
        timeout_s=options.timeout,
        counted_s=options.counted,
        memory_mb=options.memory >> 20 if options.memory is not None else None,
    )


def _concluded(watching: _Watching, usage: Usage, ending: Ending, options: Options) -> Verified:
    result = watching.result
    result.wall_s, result.cpu_s = round(usage.wall, 3), round(usage.cpu, 3)
    result.peak_mb = round(usage.peak / (1 << 20), 1)
    if not watching.final:
        result.counters = result.counters or watching.last_counters
        if result.verdict == "UNKNOWN":
            result.reason, result.cause, result.hint = watching.cut_short(usage)
            if result.parts:
                from drystone.verification.parts import cut_short

                result = cut_short(result)
    notes: list[str] = []
    unwritten = ""
    if options.certificate is not None:
        if result.verdict == "TRUE" and watching.certificate is not None:
            unwritten = _write(options.certificate, "wb", watching.certificate.encode())
        else:
            notes.append(f"no certificate is written: {_why_no_certificate(result)}")
    if options.witness is not None:
        if watching.witness is not None and (found := watching.witness).verdict == result.verdict and found.text:
            unwritten = _write(options.witness, "wb", found.text.encode()) or unwritten
        else:
            notes.append(f"no witness is written: {_why_no_witness(watching.witness, result)}")
    if options.record is not None:
        if not watching.is_recording:
            notes.append("no recording is written: no block received a message, and no tree was begun")
        elif not watching.final:
            unwritten = _end_recording(options.record, result) or unwritten
    return Verified(result, ending, notes, watching.told, unwritten)


def _why_no_certificate(result: Result) -> str:
    if result.verdict != "TRUE":
        return f"the verdict is {result.verdict}"
    if any(part.certificate is not None for part in result.parts):
        return "what was proved by itself has one of its own; --check LIST asks for each"
    return "the proof has no certificate"


def _why_no_witness(witness: Witnessed | None, result: Result) -> str:
    if result.verdict == "UNKNOWN":
        return "the verdict is UNKNOWN"
    return witness.problem if witness is not None and witness.verdict == result.verdict else "time was not enough"


def _end_recording(file: str, result: Result) -> str:
    """The verdict of a run that was cut short comes after what the child has written. What went wrong."""
    from drystone.engines.recordings import Ended, chunk

    return _write(file, "ab", chunk([Ended(result.verdict, result.reason)]))


def _write(name: str, mode: str, data: bytes) -> str:
    """What went wrong."""
    try:
        with open(name, mode) as file:
            file.write(data)
    except OSError as problem:
        return f"{name}: cannot be written: {problem.strerror}"
    return ""
