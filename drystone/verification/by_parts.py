"""The program of a user with checks: all of its errors together first, then what is left open of them, part by part.

Together they share the invariants and the reading of the program, and whoever finds an execution to one has it at once. But what
one part needs may keep engines from all the others, and an execution ends with the first error of any part: so each that is open
is looked at by itself. The assertions come first and have most of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.checks.registry import GROUPS, MEMORY
from drystone.claims.property import error_marks
from drystone.frontend.load import FrontendOptions, Loaded
from drystone.ir.automaton import CONVENTIONS
from drystone.ir.conventions import ALL, NONE
from drystone.verification.messages import Doing, Known, Message, Proved, Told, Witnessed
from drystone.verification.near_misses import HINT, is_nothing_asserted, nothing_reached
from drystone.verification.options import Options
from drystone.verification.parts import ASSERTIONS, BEFORE, NOT_CHECKED, Part, concluded, joined, named, reports
from drystone.verification.result import PartReport, Result
from drystone.verification.search import Search
from drystone.verification.supervised import Tell

_TOGETHER, _SHARE = 8.0, 0.25  # seconds at most, and of the time, for all parts together
_FIRST, _SLOWER = 8.0, 3.0  # seconds of a first look at a part by itself; times as long for each further look
_WEIGHT = 6.0  # of the assertions, compared with the other parts
_LEAST = 0.3  # seconds, without which it is no use to begin
_BRIEFLY = 1.0  # seconds at least for what nobody has looked at yet, when something is violated
_FINAL = frozenset(("nothing", "vacuous", "interrupted"))  # causes that no look at parts changes


class ByParts:
    def __init__(
        self, search: Search, options: FrontendOptions, parts: Sequence[Part], deadline: Deadline, tell_parent: Tell
    ) -> None:
        self.search, self.deadline, self.tell_parent = search, deadline, tell_parent
        self.asked: Options = search.options
        self.parts = list(parts)
        self.options = options
        self.total = deadline.remaining()
        self.settled: set[str] = set()  # parts that are open for another reason than time
        self.apart: set[str] = set()  # parts that were, with others
        self.left_out: list[PartReport] = []

    def result(self) -> Result:
        report = self._together()
        if not report.parts or not is_split(self.asked) or report.verdict == "TRUE":
            return report
        return self._beside_violations(report) if report.verdict == "FALSE" else self._in_rounds(report)

    def _together(self) -> Result:
        loaded = self.search.load(self.options)
        if self.asked.check is None and loaded.unchecked:
            self._leave_out(loaded.unchecked)
            loaded = self.search.load(self.options)
        seconds = min(_TOGETHER, _SHARE * self.total) if is_split(self.asked) else None
        unasserted = self._unasserted(loaded)

        def with_parts(found: Result) -> Result:
            first, *checked = reports(self.parts, found)
            if unasserted is not None:
                first, missed = unasserted
                found = msgspec.structs.replace(found, warnings=list(dict.fromkeys((*missed, *found.warnings))))
            return concluded(msgspec.structs.replace(found, parts=[first, *checked, *self.left_out]))

        def tell(message: Message) -> None:
            self.tell_parent(Known(with_parts(message.result), False) if isinstance(message, Known) else message)

        found = self.search.result(self.options, self.deadline, tell, loaded, seconds)
        return found if found.cause in _FINAL else with_parts(found)

    def _unasserted(self, loaded: Loaded) -> tuple[PartReport, list[str]] | None:
        """What to say of the assertions if the program reaches none, with warnings. Checks that always fail, or that are not
        modelled, may stand before all of them."""
        if any(mark.convention in CONVENTIONS for mark in error_marks(loaded.program)):
            return None
        options = msgspec.structs.replace(self.options, checks=())
        plain = self.search.load(options)
        if error_marks(plain.program) or not is_nothing_asserted(plain, self.search.files, options):
            return None
        self.settled.add(ASSERTIONS)
        reason = f"{options.entry} reaches no assertion"
        told = nothing_reached(plain, self.search.files, options)
        if self.asked.check is not None or len(told) == 1:  # who asks for checks may mean nothing else
            return PartReport(ASSERTIONS, NOT_CHECKED, reason), []
        return PartReport(ASSERTIONS, "UNKNOWN", f"nothing to prove: {reason}", cause="nothing", hint=HINT), told

    def _leave_out(self, unchecked: dict[str, str]) -> None:
        """Groups of checks that nobody has asked for, and that do not know programs like this one."""
        without = {name for group in unchecked for name in GROUPS[group]}
        self.left_out = [PartReport(group, NOT_CHECKED, reason, checks=[*GROUPS[group]]) for group, reason in unchecked.items()]
        checks = tuple(name for name in self.options.checks if name not in without)
        self.options = msgspec.structs.replace(self.options, checks=checks)
        self.parts = [part for part in self.parts if part.name not in unchecked]

    def _beside_violations(self, report: Result) -> Result:
        """Executions end where a check fails, and so an assertion behind it seemed to hold. What else is left is looked at if
        all is wanted; and where only checks have failed, as long as it took up to now."""
        assertions = next(each for each in report.parts if each.name == ASSERTIONS)
        is_conditional = assertions.verdict == "UNKNOWN" or assertions.reason == BEFORE
        if is_conditional and ASSERTIONS not in self.settled:
            (unit,) = [[part] for part in self.parts if part.name == ASSERTIONS]
            report = self._look(report, unit, self.deadline.remaining() * (0.5 if self.asked.all else 1.0))
        if self.asked.all:
            return self._in_rounds(report)
        if not any(each.verdict == "FALSE" for each in report.parts if each.name == ASSERTIONS):
            rest = [part for part in self.parts if part.checks and _verdict(report, part.name) == "UNKNOWN"]
            took = self.total - self.deadline.remaining()
            if rest and self.deadline.remaining() > _LEAST:
                report = self._look(report, rest, min(max(_BRIEFLY, took), self.deadline.remaining()))
        return report

    def _in_rounds(self, report: Result) -> Result:
        """Each part that is open by itself, longer each time."""
        step = _FIRST
        while units := self._open(report):
            weights = [_WEIGHT if any(not part.checks for part in unit) else 1.0 for unit in units]
            for number, (unit, weight) in enumerate(zip(units, weights, strict=True)):
                left = self.deadline.remaining()
                if left < _LEAST:
                    return report
                share = left * weight / sum(weights[number:])
                report = self._look(report, unit, share if share <= 1.5 * step * weight else step * weight)
                if report.verdict == "FALSE" and not self.asked.all:
                    return self._beside_violations(report)
            step *= _SLOWER
        return report

    def _open(self, report: Result) -> list[list[Part]]:
        """Looked at together are `division`, `shift` and checks of which the front end has left nothing; all else by itself."""
        known = {each.name: each for each in report.parts}
        found = [part for part in self.parts if self._is_open(known[part.name], report, part)]
        simple = [part for part in found if self._is_simple(part, known[part.name])]
        return [*([part] for part in found if part not in simple), *([simple] if simple else [])]

    def _is_simple(self, part: Part, known: PartReport) -> bool:
        if not part.checks or part.name in self.apart or set(part.checks) & set(MEMORY):
            return False
        return part.name in ("division", "shift") or not known.errors

    def _is_open(self, known: PartReport, report: Result, part: Part) -> bool:
        if part.name in self.settled or known.verdict in ("TRUE", NOT_CHECKED):
            return False
        return known.verdict == "UNKNOWN" or any(part.has(each) and each.verdict == "UNKNOWN" for each in report.errors)

    def _look(self, report: Result, unit: Sequence[Part], seconds: float) -> Result:
        """What is known then."""
        self.tell_parent(Doing(f"looking at {named(unit)} alone", {}))

        def tell(message: Message) -> None:
            match message:
                case Known(found, _):
                    self.tell_parent(Known(joined(report, found, unit), False))
                case Proved() | Witnessed("TRUE") | Told() if not _has_assertions(unit) or isinstance(message, Proved):
                    return  # about one part
                case Witnessed("FALSE") if report.verdict == "FALSE":
                    return
                case other:
                    self.tell_parent(other)

        errors = ALL if _has_assertions(unit) else NONE
        checks = tuple(name for name in self.options.checks if any(name in part.checks for part in unit))
        passed_over = tuple(each.id for each in report.errors if each.verdict == "FALSE" and any(part.has(each) for part in unit))
        given = msgspec.structs.replace(self.options, errors=errors, checks=checks, passed_over=passed_over)
        found = self.search.result(given, self.deadline, tell, seconds=seconds)
        if found.verdict == "UNKNOWN" and found.cause != "time":
            (self.apart if len(unit) > 1 else self.settled).update(part.name for part in unit)
        after = joined(report, found, unit)
        self.tell_parent(Known(after, False))
        return after


def is_split(options: Options) -> bool:
    """What is recorded, or counted, is one run."""
    return not (options.record or options.trace or options.counted or options.predictable)


def _has_assertions(unit: Sequence[Part]) -> bool:
    return any(not part.checks for part in unit)


def _verdict(report: Result, name: str) -> str:
    return next((each.verdict for each in report.parts if each.name == name), "")
