"""Is what a witness says true? It is asked of the program with the witness in its text (`witnesses.instrument`).

Nothing is believed: a proof is one of the property and of every invariant, with a certificate that was checked; a violation is an
execution that the interpreter has repeated, and that passes all waypoints. What is not understood is undecided, never ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drystone.base.clock import now
from drystone.base.refusal import Refusal
from drystone.base.scratch import scratch_folder
from drystone.base.shown_files import shown_file
from drystone.base.version import __version__
from drystone.claims.property import parse_property
from drystone.runtime.watchdog import End
from drystone.verification.options import Options, ValidateOptions
from drystone.verification.result import Assumption, Result, ValidationResult
from drystone.verification.supervised import Ending, OnProgress, OnTick, unheard
from drystone.verification.tasks import property_of, read_text, resolve
from drystone.verification.verify import verify

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions
    from drystone.verification.verify import Verified
    from drystone.witnesses.instrument import Instrumented
    from drystone.witnesses.reading import Read

_FORCED = 0.3
"""Of the time: for the execution that the values of a violation are of, before all that pass its waypoints are looked for."""


class Validated(msgspec.Struct, frozen=True):
    result: ValidationResult
    ending: Ending


def validate(
    witness: str,
    given: Sequence[str],
    options: ValidateOptions,
    on_progress: OnProgress = unheard,
    on_tick: OnTick = lambda elapsed: None,
) -> Validated:
    """Raises a `Refusal` for files or options that cannot be used."""
    from drystone.frontend.load import FrontendError
    from drystone.witnesses.places import NotValidated, Unsuitable
    from drystone.witnesses.reading import read_witness

    if options.unwind is not None:
        raise Refusal("--unwind: what a witness says is about all executions")
    read = read_witness(witness, read_text(witness))
    files, frontend_options = resolve(given, options)
    validation = _Validation(read, files, frontend_options, options, on_progress, on_tick)
    result = ValidationResult(
        drystone=__version__,
        witness=witness,
        kind="violation" if read.is_violation else "correctness",
        producer=read.producer,
        files=list(map(shown_file, files)),
        property=property_of(frontend_options).text,
        data_model=frontend_options.data_model,
        options=msgspec.structs.asdict(frontend_options),
        timeout_s=options.timeout,
        memory_mb=options.memory >> 20 if options.memory is not None else None,
    )
    ending = Ending(End.DONE)
    began = now()
    try:
        ending = validation.conclude(result)
    except Unsuitable as problem:
        result.result, result.reason = "rejected", str(problem)
    except NotValidated as problem:
        result.reason = f"not supported: {problem}"
    except FrontendError as problem:
        result.reason = f"with the witness in its text, the program is not read: {str(problem).splitlines()[0]}"
    result.wall_s = round(now() - began, 3)
    return Validated(result, ending)


class _Validation:
    def __init__(
        self,
        read: Read,
        files: list[str],
        frontend_options: FrontendOptions,
        options: ValidateOptions,
        on_progress: OnProgress,
        on_tick: OnTick,
    ) -> None:
        self.read, self.files, self.frontend_options, self.options = read, files, frontend_options, options
        self.on_progress, self.on_tick = on_progress, on_tick

    def conclude(self, result: ValidationResult) -> Ending:
        self._check_task()
        if self.read.problems:
            result.reason = "; ".join(self.read.problems)
            return Ending(End.DONE)
        with scratch_folder() as folder:
            folder.mkdir(0o700)
            decide = self._violation if self.read.is_violation else self._correctness
            return decide(result, folder)

    def _check_task(self) -> None:
        """Is the witness about this program and this property?"""
        from drystone.verification.evidence_files import claimed_text
        from drystone.witnesses.form import task_of
        from drystone.witnesses.places import NotValidated, Unsuitable

        task = self.read.witness.task
        texts = task_of(self.files, "", "").hashes
        for name, claimed in zip(task.files, task.hashes, strict=True):
            if claimed and not re.fullmatch("[0-9a-fA-F]{64}", claimed):
                raise NotValidated(f"{claimed} is no SHA-256 of {Path(name).name}")
            if claimed and claimed.lower() not in texts:
                raise Unsuitable(f"it is about another text of {Path(name).name}")
        if task.data_model and task.data_model != self.frontend_options.data_model:
            raise Refusal(f"the witness is about a program with data model {task.data_model}: add --data-model {task.data_model}")
        if task.specification:
            if not _is_same_property(task.specification, claimed_text(self.frontend_options)):
                raise NotValidated(f"it is about another property, {task.specification}")

    def _verified(self, made: Instrumented, seconds: float | None) -> Verified:
        options = self.options
        asked = Options(
            timeout=seconds, memory=options.memory, workers=options.workers, no_native=options.no_native, vacuity="off"
        )
        return verify(made.files, asked, self.on_progress, self.on_tick, made.options)

    def _correctness(self, result: ValidationResult, folder: Path) -> Ending:
        from drystone.witnesses.instrument import with_invariants

        made = with_invariants(self.read.witness, self.files, self.frontend_options, folder)
        verified = self._verified(made, self.options.timeout)
        found = verified.result
        _take(result, verified)
        if found.verdict == "TRUE" and (undefined := _undefined(found, made)):
            result.reason = undefined
        elif found.verdict == "TRUE":
            result.result, result.assumptions = "valid", _of_the_program(found.assumptions, made.files, self.files)
            count = len(set(made.failures.values()))
            also = f", and so {'do all' if count > 1 else 'does'} {count} invariant{'s' if count > 1 else ''}" if count else ""
            result.reason = f"the property holds{also}"
        elif found.verdict == "FALSE":
            result.result = "rejected"
            failed = [each for each in found.errors if each.verdict == "FALSE"]
            places = [(each.file or "", each.line or 0) for each in failed]
            broken = next((made.failures[place] for place in places if place in made.failures), None)
            if broken is None:
                result.reason = "the property is violated"
            elif made.has_threads:
                result.result = "undecided"
                result.reason = f"{broken.value} does not hold if other threads go on while it is evaluated"
            else:
                result.place = f"{broken.location.file}:{broken.location.line}"
                result.reason = f"{broken.value} does not hold at {result.place}"
        else:
            result.reason = _shown(found.reason, folder, self.files)
        return verified.ending

    def _violation(self, result: ValidationResult, folder: Path) -> Ending:
        from drystone.witnesses.instrument import with_waypoints

        witness, seconds = self.read.witness, self.options.timeout
        verified: Verified | None = None
        for is_forced in (True, False):
            inside = folder / ("forced" if is_forced else "any")
            inside.mkdir()
            made = with_waypoints(witness, self.files, self.frontend_options, inside, is_forced=is_forced)
            began = now()
            verified = self._verified(made, seconds * _FORCED if is_forced and seconds is not None else seconds)
            seconds = max(1.0, seconds - (now() - began)) if seconds is not None else None
            _take(result, verified)
            is_over = verified.ending.end not in (End.DONE, End.TIME if is_forced else End.DONE)
            if verified.result.verdict == "FALSE" or is_over:
                break
        assert verified is not None
        match verified.result.verdict:
            case "FALSE":
                result.reason = "an execution passes all waypoints and violates the property"
                if undefined := _undefined_in_execution(verified.result, made):
                    result.reason = undefined
                else:
                    result.result = "valid"
            case "TRUE":
                result.reason = "no execution that passes all waypoints violates the property"
                if undefined := _undefined(verified.result, made):
                    result.reason = undefined
                elif any(len(segment) > 1 for segment in witness.segments[1:]):
                    result.reason += ", if each waypoint is passed as soon as it can be"
                else:
                    result.result = "rejected"
            case _:
                result.reason = _shown(verified.result.reason, folder, self.files)
        return verified.ending


def _is_same_property(one: str, other: str) -> bool:
    found = parse_property(one)
    return one == other or (found is not None and found == parse_property(other))


def _undefined(found: Result, made: Instrumented) -> str:
    """An undefined operation may end an execution before an error: what the witness adds must not. Why it may, if it may."""
    for each in found.assumptions:
        if each.kind == "undefined operation" and (each.file, each.line) in made.evaluating:
            return f"this depends on what is undefined in line {each.line}, where the witness says something: {each.what}"
    return ""


def _undefined_in_execution(found: Result, made: Instrumented) -> str:
    """What the execution does that C leaves undefined where something of the witness is evaluated."""
    example = found.evidence.counterexample
    for each in example.undefined if example is not None else ():
        line = next((line for file, line in made.evaluating if each.endswith(f" at {file}:{line}")), None)
        if line is not None:
            what = each.rsplit(" at ", 1)[0]
            return f"the execution depends on what is undefined in line {line}, where the witness says something: {what}"
    return ""


def _of_the_program(assumptions: list[Assumption], made: list[str], files: list[str]) -> list[Assumption]:
    """Without those about what was added."""
    from drystone.witnesses.probes import PREFIX

    given = dict(zip(made, files, strict=True))
    own = (each for each in assumptions if not each.name.startswith(PREFIX))
    return [msgspec.structs.replace(each, file=given.get(each.file or "", each.file)) for each in own]


def _take(result: ValidationResult, verified: Verified) -> None:
    found = verified.result
    result.engine = found.engine
    result.cpu_s = round(result.cpu_s + found.cpu_s, 3)
    result.peak_mb = max(result.peak_mb, found.peak_mb)


def _shown(reason: str, folder: Path, files: Sequence[str]) -> str:
    """In the words of the program as it was given."""
    for number, file in enumerate(files):
        for place in (folder / str(number), folder / "any" / str(number), folder / "forced" / str(number)):
            reason = reason.replace(str(place / Path(file).name), shown_file(file))
    return reason
