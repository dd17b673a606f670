"""The result of a verification, or of a check, as one object: what the console shows and what `--json` writes.

`SCHEMA_VERSION` changes when a field changes its meaning or goes; new fields may come at any time.
"""

from __future__ import annotations

from typing import Any

import msgspec

from drystone.claims.certificates import StatedContract
from drystone.counterexamples.told import Counterexample, NativeRun
from drystone.counterexamples.told_faults import Localization
from drystone.engines.details import BlockDetails, MessageDetails, OperatorDetails
from drystone.frontend.approximated_functions import approximated_functions
from drystone.ir.automaton import Program
from drystone.passes.readings import undefined_operations

SCHEMA_VERSION = 1


class ErrorReport(msgspec.Struct, frozen=True):
    """An error location and the verdict about it."""

    id: str  # the same from run to run

    what: str
    file: str | None
    line: int | None
    function: str
    verdict: str
    kind: str = ""  # call, assertion, label, data race


class Assumption(msgspec.Struct, frozen=True):
    kind: str
    what: str
    file: str | None
    line: int | None
    name: str = ""  # of the function that it is about
    assumed: str = ""  # about this function: `what` without the name


class UnmodelledReport(msgspec.Struct, frozen=True):
    """What a verdict would depend on that is not modelled."""

    kind: str  # construct, body, library, builtin, assembly, volatile, recursion, threads
    name: str  # of the function or object, if it has one
    what: str  # for people
    file: str | None  # where the user has written it, or called what has it
    line: int | None


class UndefinedReport(msgspec.Struct, frozen=True):
    """Undefined behaviour that an execution has met."""

    what: str  # "write outside every object"; in a function of the library, with its name
    file: str | None
    line: int | None
    is_in_counterexample: bool = False


class LoopInvariant(msgspec.Struct, frozen=True):
    """What holds whenever control is at a loop."""

    where: str  # file:line
    invariant: list[str]  # conjuncts, as C expressions over the variables in scope


class FunctionContract(msgspec.Struct, frozen=True):
    """What holds when a recursive function is called, and when it returns."""

    function: str
    requires: list[str]  # conjuncts, as C expressions over parameters and `\\old(g)` of global variables
    ensures: list[str]  # also over `\\result` and `\\new(g)`
    where: str = ""  # file:line


class CertificateReport(msgspec.Struct, frozen=True):
    kind: str
    checked: bool
    checked_by: str
    invariants: list[LoopInvariant] = []
    problem: str = ""  # why the check failed
    contracts: list[FunctionContract] = []


class CounterexampleReport(Counterexample, frozen=True, kw_only=True):
    id: str = ""  # of the error, as in `ErrorReport`
    native: NativeRun | None = None  # None: not asked for
    localization: Localization | None = None  # likewise


class PartReport(msgspec.Struct, frozen=True):
    """What is known by itself about the assertions of a program, or about one of its checks or groups of checks."""

    name: str  # assertions, or as --check names it
    verdict: str  # TRUE, FALSE, UNKNOWN; or "not checked"
    reason: str = ""  # what proved it, or why it is open or not checked
    checks: list[str] = []  # none: calls, assertions and labels
    errors: int = 0  # error locations that the front end has left
    cause: str = ""  # as of a result
    hint: str = ""
    unmodelled: UnmodelledReport | None = None
    certificate: CertificateReport | None = None  # where it was proved by itself


class Evidence(msgspec.Struct, frozen=True):
    counterexample: CounterexampleReport | None = None
    others: list[CounterexampleReport] = []  # of other kinds, as far as they are known; with --all: one for each further error
    certificate: CertificateReport | None = None


class Result(msgspec.Struct, kw_only=True):
    """Everything about one verification."""

    schema_version: int = SCHEMA_VERSION
    drystone: str  # version
    verdict: str
    reason: str  # what was proved and by what, or why the verdict is UNKNOWN; for FALSE, the first violation
    cause: str = ""
    """Why it is UNKNOWN, or with --all some errors are, in one word: time, memory, threads, unsupported, engine, replay, nothing,
    vacuous, approximation, undefined, ..."""
    hint: str = ""  # what to try
    warnings: list[str] = []  # what looks like an assertion and is none; assertions and assumptions that no execution gets to
    unmodelled: UnmodelledReport | None = None  # for UNKNOWN: the construct that the verdict depends on
    engine: str
    file: str
    files: list[str]
    property: str
    entry: str
    data_model: str
    options: dict[str, Any] = {}  # all that decides what the program is, as in the claim of a certificate
    seed: int
    timeout_s: float | None  # None: no limit
    counted_s: float | None = None  # the limit of counted work, instead of time
    memory_mb: int | None
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    errors: list[ErrorReport] = []
    parts: list[PartReport] = []  # for the program of a user with checks: each kind of errors by itself
    rest: str | None = None  # with --all: why some errors are open, empty if none is; None: only one was looked for
    counters: dict[str, int] = {}
    assumptions: list[Assumption] = []
    undefined_seen: list[UndefinedReport] = []  # by executions, whatever the verdict is
    blocks: list[BlockDetails] = []  # of dss: what each did
    messages: MessageDetails | None = None  # between them
    operators: dict[str, OperatorDetails] = {}  # of dss: what packing, combining and so on took
    explanation: list[str] = []  # lines for people: what the engine tried, and what came of it
    evidence: Evidence = Evidence()


class CheckResult(msgspec.Struct, kw_only=True):
    """Everything about one check; the fields that `Result` has, too, mean the same."""

    schema_version: int = SCHEMA_VERSION
    drystone: str
    certificate: str  # the file
    kind: str
    result: str = "undecided"  # valid; rejected: it proves nothing; undecided: time, memory or the solvers were not enough
    reason: str = ""  # what is not shown, with file:line
    checked_by: str = ""
    files: list[str]
    other_texts: list[str] = []  # what was read that is not what the certificate was made for
    property: str
    data_model: str
    std: str
    defines: list[str]
    options: dict[str, Any]  # all that decides what the program is: from the command line, and the certificate claims the same
    assumptions: list[Assumption] = []
    timeout_s: float | None
    memory_mb: int | None
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0


class ValidationResult(msgspec.Struct, kw_only=True):
    """Everything about one validation; the fields that `Result` has, too, mean the same."""

    schema_version: int = SCHEMA_VERSION
    drystone: str
    witness: str  # the file
    kind: str  # violation, or correctness
    producer: str  # as the witness says
    result: str = "undecided"  # valid; rejected: what it says does not hold; undecided
    reason: str = ""
    place: str = ""  # of what does not hold: file:line
    engine: str = ""  # that decided it
    files: list[str]
    property: str
    data_model: str
    options: dict[str, Any]
    assumptions: list[Assumption] = []
    timeout_s: float | None
    memory_mb: int | None
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0


_ANY_RESULT = "any result that the library may give"


def assumptions_of(program: Program) -> list[Assumption]:
    """Each once per place. What the machine gives for an undefined operation is one."""
    found = [
        Assumption(item.kind, item.what, *program.place(item.origin), item.name, item.assumed) for item in program.approximations
    ]
    for name, origin in approximated_functions(program):
        found.append(Assumption("approximated function", f"{name}: {_ANY_RESULT}", *program.place(origin), name, _ANY_RESULT))
    for what, edge in undefined_operations(program):
        found.append(Assumption("undefined operation", f"{what}: what gcc's code gives", *program.place(edge.origin)))
    return list(dict.fromkeys(found))


def contract_of(program: Program, stated: StatedContract) -> FunctionContract:
    procedure = program.procedures.get(stated.procedure)
    where = program.where(procedure.origin) if procedure is not None else ""
    return FunctionContract(stated.procedure, stated.requires, stated.ensures, where)


def condition_of(assumptions: list[Assumption], options: dict[str, Any]) -> str:
    """Which executions a proof is about, if not about all; for the first line of a result."""
    if options.get("unwind") is None:
        return ""
    from drystone.passes.unwinding import UNWINDING

    cut = [each.what for each in assumptions if each.kind == UNWINDING]
    if not cut:
        return ""
    loops, calls = f"no loop runs more than {options['unwind']} times", f"no calls are nested more than {options['unwind']} deep"
    is_call = [" nested calls of " in what for what in cut]
    return "if " + " and ".join([loops] * (not all(is_call)) + [calls] * any(is_call))


def part_of(result: Result, error: ErrorReport) -> PartReport | None:
    """None: the result is about all errors at once."""
    own = next((part for part in result.parts if error.kind in part.checks), None)
    return own or next((part for part in result.parts if not part.checks), None)


def violated(result: Result) -> list[ErrorReport]:
    return [error for error in result.errors if error.verdict == "FALSE"]


def race_text(example: Counterexample) -> str:
    """What a data race is about, and its two accesses."""
    accesses = [f"thread {each.thread} {each.what} at {place_text(each.file, each.line)}" for each in example.race]
    return f"data race: {' while '.join(accesses)}"


def place_text(file: str | None, line: int | None) -> str:
    return f"{file}:{line}" if file is not None else "(added by drystone)"
