"""Is a counterexample an execution that the compiled program can show?

The interpreter reaches the error with the inputs that an engine found. That is not enough where the execution takes values that
no environment chooses: results of undefined operations, which the machine determines, and what drystone only approximates
(library functions, inline assembly, addresses of frames). Then

* an execution that meets undefined operations must reach the error in the other reading, too, in which they give what gcc's code
  gives; where it depends on them, and can be repeated by the compiled program as a whole, that must not end otherwise: gcc folds
  expressions by rules that the reading does not know;
* one that depends on an approximated value must be repeated by the compiled program, to which no such value is given;
* and so must one that does not reach the error if objects lie elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import StrEnum

import msgspec

from drystone.base.deadline import Deadline
from drystone.concrete.inputs import Consumed, RecordedInputs
from drystone.counterexamples.replay import NotReplayed, Replayed, is_rough, relies_on_approximation, replay
from drystone.counterexamples.taint import MOST_FOLLOWED, depends_on
from drystone.counterexamples.told import NativeRun
from drystone.frontend.library.known import shapes
from drystone.frontend.library.models import is_in_model
from drystone.frontend.load import FrontendOptions, load
from drystone.frontend.options import MACHINE
from drystone.frontend.user_places import user_place
from drystone.ir.automaton import Edge, Mark, Program, inputs
from drystone.ir.callgraph import call_graph
from drystone.ir.expressions import Determinant, InputKind, is_approximated
from drystone.ir.features import expressions_of
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.passes.readings import settled, undefined_operations, without_approximations
from drystone.pipeline import PreparedProgram

_LARGE = 20_000  # edges
_SMALL_STACK = 4 << 20  # bytes; mostly a stack has 8 MB
_MADE_UP = (
    Determinant.EXTERNAL,
    Determinant.FRAME,
    Determinant.PADDING,
)  # what a compiled program that shows it has from drystone

_CORRECT_IT = "correct it, or test before whether it is defined"
_ADDRESSES = "where objects lie in memory", "do not compare addresses of different objects, nor compute with them"

Natively = Callable[[Program, Replayed], NativeRun]


class Cause(StrEnum):
    """What makes a counterexample doubtful."""

    UNDEFINED = "undefined"  # operations whose result the machine determines
    APPROXIMATION = "approximation"


class Doubtful(Exception):
    """The complete message for people, and what they can do."""

    def __init__(self, cause: Cause, what: str, hint: str) -> None:
        super().__init__(f"the verdict depends on {what}")
        self.cause, self.hint = cause, hint


class Confirmed(msgspec.Struct, frozen=True):
    """An execution of `program`, which is the reading that it was confirmed in."""

    program: Program
    replayed: Replayed


class Reading(msgspec.Struct, frozen=True):
    """A program to look for errors in."""

    prepared: PreparedProgram  # that engines look at
    executed: PreparedProgram  # that their finds are executions of
    options: FrontendOptions
    is_all: bool = True  # it has all executions: a proof counts

    @property
    def program(self) -> Program:
        return self.prepared.program

    def release(self) -> None:
        """Nobody looks at it any more."""
        self.prepared.release()
        self.executed.release()

    @property
    def is_machine(self) -> bool:
        return self.options.undefined == MACHINE


def _reject_unless_reproduced(run: NativeRun, what: str, hint: str) -> None:
    """Raises `Doubtful`, with what would have to be installed to know more."""
    if not run.reproduced:
        raise Doubtful(Cause.APPROXIMATION, what, f"{hint}; {run.lacks}" if run.lacks else hint)


def _reading(program: Program, options: FrontendOptions) -> Reading:
    """Mostly nothing has to be settled; then engines and those who confirm what they find share what is prepared."""
    executed, seen = PreparedProgram(program), settled(program)
    return Reading(executed if seen is program else PreparedProgram(seen), executed, options)


class Readings:
    """Those of one program: undefined operations give any value; or what the machine gives; and nothing is approximated."""

    def __init__(self, program: Program, files: list[str], options: FrontendOptions) -> None:
        self.files = files
        self.first = _reading(program, options)
        self._machine: Reading | None = self.first if self.first.is_machine else None

    @property
    def machine(self) -> Reading:
        if self._machine is None:
            options = msgspec.structs.replace(self.first.options, undefined=MACHINE)
            self._machine = _reading(load(self.files, options).program, options)
        return self._machine

    @property
    def exact(self) -> Reading:
        """What is reached here is reached without a value that is approximated and matters."""
        machine = self.machine
        program = without_approximations(machine.program, _what_matters(machine.prepared))
        return msgspec.structs.replace(machine, prepared=PreparedProgram(program), is_all=False)

    def to_be_executed(self, reading: Reading) -> Program:
        """Where runs of the interpreter are tried: as the machine would run the program."""
        if not reading.is_all:
            return reading.program
        if not reading.is_machine and _may_be_undefined(reading.program):
            return self.machine.executed.program
        return reading.executed.program

    def after(self, reading: Reading, doubt: Doubtful) -> Reading | None:
        """Where to go on when what was found in `reading` is doubtful; None: nowhere."""
        if doubt.cause is Cause.UNDEFINED:
            return None if reading.is_machine else self.machine
        return self.exact if reading.is_all else None

    def confirmed(
        self, reading: Reading, error: Mark, found: Iterable[Consumed], natively: Natively, deadline: Deadline
    ) -> Confirmed:
        """Raises `NotReplayed` or `Doubtful`."""
        prepared, replayed = self._replayed(reading, error, tuple(found))
        program = prepared.program
        if (rough := relies_on_approximation(prepared, replayed, deadline)) is not None:
            is_made_up = any(each.determinant in _MADE_UP for each in replayed.inputs)
            if is_made_up:
                raise Doubtful(Cause.APPROXIMATION, *_approximated(program, rough))
            _reject_unless_reproduced(natively(program, replayed), *_approximated(program, rough))
            return Confirmed(program, replayed)
        if self._depends_on_the_machine(program, replayed, deadline) and natively(program, replayed).contradicts:
            event = replayed.outcome.undefined[0]
            place = user_place(program, event.origin, event.calls)
            raise Doubtful(Cause.UNDEFINED, f"an undefined operation, {event.what} ({place.text(program)})", _CORRECT_IT)
        if replayed.outcome.stack > _SMALL_STACK:
            what = "local objects that are larger than the stack may be"
            _reject_unless_reproduced(natively(program, replayed), what, "make them static, or smaller")
        if (name := _library_name(program)) and natively(program, replayed).contradicts:
            what = f"{name}(), which the program defines though it is a name of the C library"
            raise Doubtful(Cause.APPROXIMATION, what, f"give {name} another name")
        if not _is_reached_elsewhere(program, replayed):
            _reject_unless_reproduced(natively(program, replayed), *_ADDRESSES)
        if _may_depend_on_addresses(prepared) and natively(program, replayed).contradicts:
            raise Doubtful(Cause.APPROXIMATION, *_ADDRESSES)
        return Confirmed(program, replayed)

    def plainly_confirmed(self, reading: Reading, error: Mark, found: Iterable[Consumed]) -> Confirmed | None:
        """The same where nothing has to be looked at: the execution takes no value that is undefined or approximated, and reaches
        the error wherever objects lie."""
        program = reading.executed.program
        try:
            replayed = replay(program, error, tuple(found))
        except NotReplayed:
            return None
        is_plain = not replayed.outcome.undefined and not any(map(is_rough, replayed.inputs))
        is_plain = is_plain and replayed.outcome.stack <= _SMALL_STACK
        is_plain = is_plain and _is_reached_elsewhere(program, replayed)
        is_plain = is_plain and not _may_depend_on_addresses(reading.executed)
        return Confirmed(program, replayed) if is_plain else None

    def _replayed(self, reading: Reading, error: Mark, found: tuple[Consumed, ...]) -> tuple[PreparedProgram, Replayed]:
        """The execution, in the reading in which undefined operations give what the machine gives if it meets any."""
        try:
            replayed = replay(reading.executed.program, error, found)
        except NotReplayed:
            if reading.is_machine or self._machine is None:
                raise
            return self._machine.executed, replay(self._machine.executed.program, error, found)  # where it was found
        undefined = next(filter(_is_undefined_operation, replayed.inputs), None)
        if undefined is None or reading.is_machine:
            return reading.executed, replayed
        prepared = self.machine.executed
        for inputs_ in ([each for each in replayed.inputs if not _is_undefined_operation(each)], found):
            with suppress(NotReplayed):
                return prepared, replay(prepared.program, error, inputs_)
        place = user_place(self.first.program, undefined.origin).text(self.first.program)
        raise Doubtful(Cause.UNDEFINED, f"an undefined operation, {undefined.name} ({place})", _CORRECT_IT)

    def _depends_on_the_machine(self, program: Program, replayed: Replayed, deadline: Deadline) -> bool:
        if not replayed.outcome.undefined or not undefined_operations(program):
            return False
        is_meant = lambda input: input.kind is InputKind.MACHINE  # noqa: E731
        return depends_on(program, RecordedInputs(replayed.inputs), is_meant, MOST_FOLLOWED, deadline)


def _approximated(program: Program, rough: Consumed) -> tuple[str, str]:
    """What is only approximated, in words, and what to do."""
    place = user_place(program, rough.origin)
    where = place.text(program)
    match rough.determinant:
        case Determinant.VOLATILE:
            return f"{rough.what}, which may change at any time ({where})", "--volatile memory, if only the program changes it"
        case Determinant.EXTERNAL:
            return f"the {rough.what}(), which has no body ({where})", "add the file that defines it, or write a stub"
        case Determinant.ORDER:
            return f"{rough.what} ({where})", "evaluate one of them first, in a statement of its own"
        case Determinant.PADDING:
            return f"what is in the padding of a structure ({where})", "clear it with memset before the members are set"
    name = f"{place.function}()" if place.function else rough.what
    hint = "assume what is known of it (__VERIFIER_assume)"
    hint += f", or write a function {place.function} of your own with the values that matter" if place.function else ""
    return f"{name}, which is only approximated ({where})", hint


def _may_depend_on_addresses(prepared: PreparedProgram) -> bool:
    """Are there addresses in the slice that decide something? Of large programs it is not asked."""
    if sum(len(procedure.edges) for procedure in prepared.program.procedures.values()) > _LARGE:
        return False
    try:
        return bool(prepared.flat(recursion_bound=1, max_edges=_LARGE, sliced=True).regions.pointers.shown)
    except TooLarge:
        return False


def _is_reached_elsewhere(program: Program, replayed: Replayed) -> bool:
    """Does the execution reach the error with objects at other addresses, too?"""
    try:
        replay(program, replayed.error, replayed.inputs, tight=True)
    except NotReplayed:
        return False
    return True


def _library_name(program: Program) -> str:
    """A function of the program that has a name of the library's: a compiler may put its own knowledge in the place of a call."""
    known = shapes()
    for name, procedure in program.procedures.items():
        origin = procedure.origin
        if name in known and origin.file >= 0 and not is_in_model(program, origin):
            return name
    return ""


def _may_be_undefined(program: Program) -> bool:
    """Is there an operation whose result the machine may have to determine? Large programs take long to read."""
    if sum(len(procedure.edges) for procedure in program.procedures.values()) > _LARGE:
        return False
    return any(
        each.kind is InputKind.UNDEFINED
        for procedure in program.procedures.values()
        for edge in procedure.edges
        for expression in expressions_of(edge.operation)
        for each in inputs(expression)
    )


def _is_undefined_operation(entry: Consumed) -> bool:
    """Not the contents of memory outside of all objects, which is chosen like that of uninitialised memory."""
    return entry.kind is InputKind.UNDEFINED and isinstance(entry.value, int)


def _what_matters(prepared: PreparedProgram) -> Callable[[Edge], bool]:
    """Of the edges that take approximated values, those that the slice keeps; all, if it cannot be had."""
    if call_graph(prepared.program).recursive or prepared.program.has_threads:
        return lambda edge: True
    try:
        flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True).program
    except TooLarge:
        return lambda edge: True
    kept = {
        edge.origin
        for edge in flat.procedures[flat.entry].edges
        for expression in expressions_of(edge.operation)
        if any(map(is_approximated, inputs(expression)))
    }
    return lambda edge: edge.origin in kept
