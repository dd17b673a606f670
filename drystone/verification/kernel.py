"""A verification, in the child process: run the engines, replay what they found, check what they proved, report.

No FALSE leaves here that the interpreter has not replayed, no TRUE without a certificate that was checked.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drystone.base.clock import now
from drystone.base.deadline import Deadline
from drystone.base.refusal import Refusal
from drystone.claims.certificates import Certificate, ContractsCertificate, NothingToProve, kind_of
from drystone.claims.property import error_marks, functions_of_marks, unknown_marks
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import Consumed
from drystone.counterexamples.confirmation import Confirmed, Doubtful, Readings
from drystone.counterexamples.replay import NotReplayed, Replayed, tidied
from drystone.counterexamples.told import Counterexample, NativeRun
from drystone.engines.obstacles import UndefinedSeen
from drystone.engines.outcome import EngineResult, ErrorVerdict, Happening, Progress, Violation
from drystone.engines.portfolio.auto import check as check_program
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, Loaded
from drystone.ir.automaton import CONVENTIONS, Mark, Program
from drystone.ir.conventions import ALL
from drystone.pipeline import PreparedProgram
from drystone.solvers.dump import asked_by
from drystone.verification.messages import Doing, Known, Told
from drystone.verification.near_misses import HINT, is_nothing_asserted, near_misses, nothing_reached
from drystone.verification.options import Options, worker_count
from drystone.verification.places import Places
from drystone.verification.result import (
    CertificateReport,
    CounterexampleReport,
    ErrorReport,
    Evidence,
    LoopInvariant,
    Result,
    UndefinedReport,
    assumptions_of,
    condition_of,
    contract_of,
    place_text,
    race_text,
)
from drystone.verification.supervised import Tell, planned, working_seconds
from drystone.verification.tasks import property_of
from drystone.verification.unknowns import (
    Limit,
    Unknown,
    no_execution_gets_past,
    unchecked,
    undecided,
    undefined_report,
)
from drystone.verification.vacuity import vacuous

if TYPE_CHECKING:
    from drystone.certificates.readiness import Ready
    from drystone.engines.details import Details
    from drystone.engines.input_styles import Constants
    from drystone.engines.question import Suggestions
    from drystone.engines.strategy import Turn

_VACUITY_SECONDS = 5.0
_SMALL = 300  # lines, which are read in no time
_PATIENCE, _LEAST_PATIENCE = 0.25, 0.15  # of the time of the search, and seconds: for the solver that did not find the proof


class Verification:
    def __init__(
        self,
        options: Options,
        files: list[str],
        frontend_options: FrontendOptions,
        loaded: Loaded,
        blank: Result,
        scratch: Path,
        tell_parent: Tell,
        places: Places,
        seconds: float | None = None,
        last: Deadline | None = None,
    ) -> None:
        """`seconds`: that the engines have, where they are not all that there are; evidence has until the `last` deadline."""
        self.last = last
        self.places = places
        self.seconds = options.counted or seconds or working_seconds(options.timeout)
        self.options, self.files, self.frontend_options = options, files, frontend_options
        self.program: Program = loaded.program
        self.loaded = loaded
        self.scratch, self.tell_parent = scratch, tell_parent
        self._latest_native: tuple[Replayed, NativeRun] | None = None
        self._latest_told: tuple[tuple[Program, Mark, tuple[Consumed, ...]], Counterexample] | None = None
        self.functions = functions_of_marks(self.program)
        self.blank = msgspec.structs.replace(
            blank,
            errors=[self._error_report(mark, Verdict.UNKNOWN) for mark in error_marks(self.program)],
            assumptions=assumptions_of(self.program),
            warnings=near_misses(loaded),
        )
        self.engine = options.engine
        self.counters: dict[str, int] = {}
        self.explanation: list[str] = []
        self.details: Details | None = None
        self.known_violation: Violation | None = None
        self.undefined_seen: dict[UndefinedReport, bool] = {}  # and whether the counterexample is one that meets it
        self._ready: Ready | None = None  # for the check
        self.began = now()  # the search
        self.readings = Readings(self.program, files, frontend_options)
        self.reading = self.readings.first

    def run(self, deadline: Deadline) -> Result:
        self.tell_parent(Known(self.blank, False))
        decided = self._decided_at_once(deadline)
        if decided is not None:
            return decided
        doubt: Doubtful | None = None
        while True:
            try:
                return self._decided(deadline, doubt)
            except Doubtful as found:
                doubt = doubt or found
                following = self.readings.after(self.reading, found) if not deadline.expired() else None
                if following is None:
                    return self._unknown(Unknown(str(doubt), doubt.cause, doubt.hint))
                self.reading.release()
                self.reading, self.known_violation = following, None
                self.explanation.append(f"continuing, since {found}")

    def _strategy(self) -> tuple[Turn, ...]:
        if self.options.strategy is None:
            return ()
        from drystone.verification.strategy import turns_in

        return tuple(turns_in(self.options.strategy))

    def _settings(self) -> Settings:
        options = self.options
        return Settings(
            options.seed,
            options.candidates,
            options.decomposition,
            options.summaries,
            worker_count(options),
            options.predictable,
            options.routing == "broadcast",
            options.memory or math.inf,
            options.start,
            options.max_cubes,
            options.instantiation,
            options.domain,
            options.direction,
            options.switches,
            options.max_states,
            options.abstraction,
            options.reduction,
            options.blk,
            options.encoding,
            options.selection,
            options.precedence,
            self._strategy(),
            options.maxenum,
            options.is_told,
        )

    def _decided(self, deadline: Deadline, doubt: Doubtful | None) -> Result:
        """What the engines find in the current reading; `doubt`: why it is not the first one. Raises `Doubtful`."""
        options = self.options
        result = check_program(
            self.options.engine,
            self.reading.prepared,
            self._settings(),
            deadline,
            self._observe,
            self._compiled if self._may_be_compiled() else None,
            self.places.setting(self.reading is self.readings.first),  # a recording is of one program
            self.readings.to_be_executed(self.reading),
            self._load_checker,
        )
        self.engine, self.counters = result.engine, dict(result.counters)
        if result.verdict is Verdict.UNKNOWN:
            self.explanation.append(f"{result.engine}: {result.reason}")
        self.explanation += result.explanation
        self.details = result.details
        if options.is_told:
            self._tell_story(result)
        if result.verdict is Verdict.FALSE:
            return self._violated(result, self.last or deadline)
        if result.verdict is Verdict.UNKNOWN and self.known_violation is not None:
            found = self.known_violation  # an engine that had found it had no time to say so in the end
            return self._violated(EngineResult(Verdict.FALSE, "", found.error, found.inputs), self.last or deadline)
        if doubt is not None and (result.verdict is Verdict.UNKNOWN or not self.reading.is_all):
            ending = result.reason if result.verdict is Verdict.UNKNOWN else "no other execution reaches the error"
            self.explanation.append(f"without this: {ending}")
            return self._unknown(Unknown(str(doubt), doubt.cause, doubt.hint))
        if result.verdict is Verdict.TRUE:
            return self._proved(result, self.last or deadline)
        limit = Limit(deadline.expired(), self.seconds, options.counted is not None)
        unknown = undecided(self.reading.prepared, result.engine, result.obstacle, limit, result.reason)
        return self._unknown(unknown, errors=result.errors)

    def _may_be_compiled(self) -> bool:
        """To look for an error. Without one, there may still be what is not modelled."""
        return not (self.options.no_native or self.program.has_threads) and bool(error_marks(self.program))

    def _load_checker(self) -> None:
        """While engines look for a proof. What cannot be loaded is told when it is needed."""
        if self.options.counted is not None:
            return  # the solver's work would count
        import drystone.certificates.check  # noqa: F401
        from drystone.certificates.readiness import make_ready

        is_small = self.loaded.lines <= _SMALL
        with suppress(OSError, ImportError, Refusal), asked_by("certificate"):
            self._ready = make_ready(self.files, self.reading.options, reads_program=is_small)

    def _compiled(self, constants: Constants) -> Suggestions:
        """The compiled program, as a source of inputs for `execute`."""
        from drystone.counterexamples.native.search import CompiledSearch

        return CompiledSearch(
            self.reading.program,
            error_marks(self.program)[0],
            self.files,
            self.reading.options,
            integers=constants.integers,
            floats=constants.floats,
            seed=self.options.seed,
            seconds=planned(self.options.timeout),
        )

    def _tell_story(self, result: EngineResult) -> None:
        from drystone.verification.relevant_lines import covered  # for reports alone

        lines = covered(self.reading.program, now() - self.began) if result.verdict is Verdict.TRUE else ()
        self.tell_parent(Told(result.story, result.turns, lines))

    # what needs no engine

    def _decided_at_once(self, deadline: Deadline) -> Result | None:
        if error_marks(self.program):
            return None
        unknown = unknown_marks(self.program)
        sought = property_of(self.frontend_options).errors
        nothing = f"nothing to prove: {self.program.entry} reaches no {', no '.join(sought)}"
        is_all_asked = self.options.check is None or not self.frontend_options.checks
        if not unknown and is_all_asked and is_nothing_asserted(self.loaded, self.files, self.frontend_options):
            reason = f"nothing to prove: {self.frontend_options.entry} reaches no assertion"
            report = self._unknown(Unknown(reason, "nothing", HINT))
            return msgspec.structs.replace(report, warnings=nothing_reached(self.loaded, self.files, self.frontend_options))
        if not unknown:
            return self._proved(EngineResult(Verdict.TRUE, nothing, certificate=NothingToProve()), deadline)
        if self.frontend_options.checks:
            return None  # what is not modelled may be a matter of values, such as an address far away
        return self._unknown(no_execution_gets_past(self.program, unknown[0]))

    def _observe(self, event: Happening) -> None:
        if isinstance(event, Progress):
            self.tell_parent(Doing(event.activity, event.counters, event.engine, event.checked))
        elif isinstance(event, UndefinedSeen):
            self.undefined_seen.setdefault(undefined_report(self.program, event), False)
        elif self.known_violation is None:  # should time run out now, the verdict is known
            self.known_violation = event
            confirmed = self.readings.plainly_confirmed(self.reading, event.error, event.inputs)
            if confirmed is not None:  # otherwise it takes longer to know
                self.tell_parent(Known(self._false(confirmed, {event.error: Verdict.FALSE}, natively=False), False))

    # verdicts

    def _violated(self, result: EngineResult, deadline: Deadline) -> Result:
        """FALSE if the interpreter reaches the error, too, and a compiled program can. Raises `Doubtful` if that is not clear."""
        self.tell_parent(Doing("replaying", {}))
        confirmed: list[Confirmed] = []
        problem: str = ""
        doubt: Doubtful | None = None
        claimed = [each for each in result.errors if each.verdict is Verdict.FALSE]
        if not claimed and result.error is not None:
            claimed = [ErrorVerdict(result.error, Verdict.FALSE, result.inputs)]
        errors: dict[Mark, Verdict] = {
            each.error: Verdict.UNKNOWN if each.verdict is Verdict.FALSE else each.verdict for each in result.errors
        }
        for each in claimed:
            try:
                found = self.readings.confirmed(self.reading, each.error, each.inputs, self._natively, deadline)
                confirmed.append(found)
                errors[each.error] = Verdict.FALSE
            except NotReplayed as failure:
                problem = problem or str(failure)
            except Doubtful as reason:
                doubt = doubt or reason
        if confirmed:
            confirmed.sort(key=lambda each: each.replayed.error.convention not in CONVENTIONS)  # assertions before checks
            report = self._false(confirmed[0], errors, natively=self.options.replay == "native")
            report = self._with_other_kinds(report, confirmed)
            if self.options.localize or self.options.localize_blocks is not None:
                from drystone.verification.localizing import localized

                report = localized(report, confirmed[0], self.readings, self.options, deadline, self.tell_parent)
            return report
        if doubt is not None:
            raise doubt
        self.explanation.append(problem)
        what = "an error was found, but the interpreter does not reach it with the same inputs"
        return self._unknown(Unknown(what, "replay", "another --engine; please report this"))

    def _unknown(self, unknown: Unknown, errors: tuple[ErrorVerdict, ...] = (), evidence: Evidence | None = None) -> Result:
        report = self._report("UNKNOWN", unknown.reason, errors=errors, evidence=evidence)
        return msgspec.structs.replace(report, cause=unknown.cause, hint=unknown.hint, unmodelled=unknown.unmodelled)

    def _false(self, confirmed: Confirmed, errors: dict[Mark, Verdict], natively: bool) -> Result:
        from drystone.counterexamples.telling import tell  # not needed for TRUE

        program, replayed = confirmed.program, tidied(confirmed.program, confirmed.replayed)
        for event in replayed.outcome.undefined:
            self.undefined_seen[undefined_report(program, event)] = True
        execution = (program, replayed.error, replayed.inputs)
        if self._latest_told is None or self._latest_told[0] != execution:  # a long one takes long
            self._latest_told = execution, tell(program, replayed)
            if self.options.witness is not None:
                from drystone.verification.evidence_files import violation_witnessed

                is_asked = self.options.check is not None
                self.tell_parent(violation_witnessed(program, replayed, self.files, self.reading.options, is_asked=is_asked))
        told = msgspec.structs.asdict(self._latest_told[1])
        example = CounterexampleReport(**told, id=program.identify(replayed.error))
        if natively:
            example = msgspec.structs.replace(example, native=self._natively(program, replayed))
        found = (
            race_text(example) if example.race else f"{example.error} at {place_text(example.file, example.line)} can be reached"
        )
        verdicts = tuple(ErrorVerdict(mark, verdict) for mark, verdict in errors.items())
        return self._report("FALSE", found, errors=verdicts, evidence=Evidence(counterexample=example))

    def _with_other_kinds(self, report: Result, confirmed: Sequence[Confirmed]) -> Result:
        """An execution for each other kind of errors, where kinds are told apart."""
        from drystone.counterexamples.telling import tell

        seen, others = {confirmed[0].replayed.error.convention}, []
        for each in confirmed[1:] if self.frontend_options.checks and self.frontend_options.errors == ALL else ():
            if each.replayed.error.convention not in seen:
                seen.add(each.replayed.error.convention)
                told = msgspec.structs.asdict(tell(each.program, tidied(each.program, each.replayed)))
                others.append(CounterexampleReport(**told, id=each.program.identify(each.replayed.error)))
        return msgspec.structs.replace(report, evidence=msgspec.structs.replace(report.evidence, others=others))

    def _natively(self, program: Program, replayed: Replayed) -> NativeRun:
        if self.options.no_native:
            return NativeRun(False, "compiled executions are turned off by --no-native")
        if self._latest_native is not None and self._latest_native[0] is replayed:
            return self._latest_native[1]
        from drystone.counterexamples.native.replay import replay_natively

        self.tell_parent(Doing("replaying natively", {}))
        os.makedirs(self.scratch, exist_ok=True)
        seconds = min(30.0, max(1.0, planned(self.options.timeout) / 10))
        run = replay_natively(program, replayed, self.files, self.frontend_options, seconds=seconds, harness=self.options.harness)
        self._latest_native = replayed, run
        return run

    def _proved(self, result: EngineResult, deadline: Deadline) -> Result:
        certificate = self._checked(result.certificate, deadline)
        evidence = Evidence(certificate=certificate)
        if (certificate is None or not certificate.checked) and not self.options.uncertified:
            self.explanation.append(result.reason or "a proof was found")
            return self._unknown(unchecked(certificate.problem if certificate is not None else ""), evidence=evidence)
        empty = self._vacuous(deadline)
        if empty and self.options.vacuity == "error":
            unknown = Unknown(f"proved, but {empty[-1]}", "vacuous", "weaken or remove the assumption")
            return self._unknown(unknown, result.errors, evidence)
        self.blank = msgspec.structs.replace(self.blank, warnings=[*self.blank.warnings, *empty])
        if result.certificate is not None and self.options.certificate is not None:
            from drystone.verification.evidence_files import proved

            self.tell_parent(proved(self.loaded, self.reading.options, result.certificate))
        if self.options.witness is not None:
            from drystone.verification.evidence_files import proof_witnessed, without_checks

            given = self.reading.options if self.options.check is not None else without_checks(self.reading.options)
            self.tell_parent(proof_witnessed(self.reading.prepared, result.certificate, self.files, given))
        if not self.reading.is_machine:
            return self._report("TRUE", result.reason, errors=result.errors, evidence=evidence)
        reason = f"{result.reason or 'proved'}, if undefined operations give what gcc's code gives"
        report = self._report("TRUE", reason, errors=result.errors, evidence=evidence)
        return msgspec.structs.replace(report, assumptions=assumptions_of(self.reading.executed.program))

    def _vacuous(self, deadline: Deadline) -> list[str]:
        """Of a program of a user: what no execution reaches, though it should."""
        is_wanted = self.options.vacuity or ("warn" if self.frontend_options.errors == ALL else "off")
        if is_wanted == "off" or not error_marks(self.program):
            return []
        self.tell_parent(Doing("looking whether the assertions are reached", {}))
        settings = Settings(seed=self.options.seed, memory=self.options.memory or math.inf)

        def ask(program: Program, deadline: Deadline) -> Verdict:
            return check_program("auto", PreparedProgram(program), settings, deadline, lambda event: None).verdict

        return vacuous(self.program, self.options.seed, ask, deadline.within(min(_VACUITY_SECONDS, deadline.remaining() / 3)))

    def _checked(self, certificate: Certificate | None, deadline: Deadline) -> CertificateReport | None:
        """The certificate after an independent check: `certificates.check.check`."""
        if certificate is None:
            return None
        kind = kind_of(certificate)
        self.tell_parent(Doing("checking the certificate", {}))
        from drystone.certificates.check import check

        with asked_by("certificate"):
            checked = check(
                self.files,
                self.reading.options,
                certificate,
                deadline,
                jobs=worker_count(self.options),
                patience=max(_LEAST_PATIENCE, _PATIENCE * (now() - self.began)),
                ready=self._ready,
            )
        proof, contracts = certificate, []
        if isinstance(certificate, ContractsCertificate):
            proof = certificate.proof
            contracts = [contract_of(self.program, each) for each in certificate.contracts]
        invariants = [LoopInvariant(each.where, each.text) for each in getattr(proof, "invariants", ()) if each.text]
        return CertificateReport(kind, checked.valid, checked.checked_by, invariants, checked.reason, contracts)

    def _report(
        self, verdict: str, reason: str, *, errors: tuple[ErrorVerdict, ...] = (), evidence: Evidence | None = None
    ) -> Result:
        known = {each.error: each.verdict for each in errors}
        if verdict == "TRUE" and (condition := condition_of(self.blank.assumptions, self.blank.options)):
            reason = f"{condition}: {reason or 'the error cannot be reached'}"
        default = Verdict.TRUE if verdict == "TRUE" else Verdict.UNKNOWN
        marks = dict.fromkeys((*error_marks(self.program), *known))
        return msgspec.structs.replace(
            self.blank,
            verdict=verdict,
            reason=reason,
            engine=self.engine or self.options.engine,
            undefined_seen=[msgspec.structs.replace(each, is_in_counterexample=it) for each, it in self.undefined_seen.items()],
            counters=self.counters,
            explanation=self.explanation,
            **(msgspec.structs.asdict(self.details) if self.details is not None else {}),
            errors=[self._error_report(mark, known.get(mark, default), evidence) for mark in marks],
            evidence=evidence or Evidence(),
        )

    def _error_report(self, mark: Mark, verdict: Verdict, evidence: Evidence | None = None) -> ErrorReport:
        file, line = self.program.place(mark.origin)
        function = self.functions.get(mark, "")
        example = evidence.counterexample if evidence is not None else None
        if example is not None and example.race:  # an error that has no location of its own
            file, line, function = example.file, example.line, example.function
        kind = str(mark.convention) if mark.convention is not None else mark.what  # of a data race, there is no convention
        return ErrorReport(self.program.identify(mark), mark.what, file, line, function, verdict.value, kind)
