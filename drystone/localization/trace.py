"""An execution as a list of statements over values: the trace formula of Kettl 2022, Definition 15, statement by statement.

The interpreter runs the program on the inputs of the counterexample; before each edge, its operation is read over the symbols
of what was written last. Every write gets a symbol of its own (static single assignment), so each statement is an equation
between a few symbols, and nothing is merged: the execution decides which way control goes and where in memory accesses lie.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.concrete.code_generation import ProcedureCode, ProgramCode
from drystone.concrete.flat_memory import Ended
from drystone.concrete.inputs import Consumed, RecordedInputs
from drystone.concrete.machine import Machine
from drystone.counterexamples.replay import Replayed
from drystone.frontend.library.models import is_in_model
from drystone.ir.automaton import Edge, Origin, Program
from drystone.ir.expressions import Expression, Input, Variable
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Declare,
    Fill,
    Reallocate,
    Store,
    ThreadOperation,
)
from drystone.ir.simplify import coerce
from drystone.localization.values import Values
from drystone.logic import terms
from drystone.logic.terms import Term

_LONGEST_COPY = 256  # bytes that are followed


class Write(msgspec.Struct, frozen=True):
    """A symbol that a statement gives a value, and what it is called."""

    symbol: Term
    term: Term
    value: int
    variable: Variable | None  # None: memory


class Statement(msgspec.Struct, frozen=True):
    """What one edge of the execution did."""

    origin: Origin  # in the program: for what a library function does, that of its call
    function: str
    activation: int  # number of the call
    writes: tuple[Write, ...] = ()
    condition: Term | None = None  # which held
    places: tuple[Term, ...] = ()  # the addresses that it uses are those of the execution
    is_fixed: bool = False  # an input: no fault
    is_call: bool = False
    is_return: bool = False
    block: int = 0  # of the linear decomposition, calls inlined, in the order in which the execution comes to them


class Trace(msgspec.Struct, frozen=True):
    statements: list[Statement]
    inputs: list[Term]  # what the environment has given
    skipped: int  # edges at the beginning, which are taken as they were
    untracked: tuple[str, ...]  # what else is taken as it was


def trace_of(program: Program, replayed: Replayed, longest: int) -> Trace:
    """The last edges of the execution, at most so many, as statements. The program has no threads."""
    return _Tracing(program, replayed, max(0, replayed.outcome.steps - longest)).trace()


_Visit = tuple[Origin, str, int]
"""Of a line of the program: where, in which function, in which call of it."""


class _Tracing:
    def __init__(self, program: Program, replayed: Replayed, skipped: int) -> None:
        self.program, self.skipped = program, skipped
        self.machine = Machine(ProgramCode(program, longest_segment=1), RecordedInputs(replayed.inputs))
        self.values = Values(self.machine)
        self.statements: list[Statement] = []
        self.inputs: list[Term] = []
        self.untracked: dict[str, None] = {}
        self.activations = [0]
        self.library: list[_Visit] = []  # of the library functions that are open, where the program called the first one
        self.calls: list[Edge] = []
        self.count = 0
        self.block = 0

    def trace(self) -> Trace:
        machine = self.machine
        exit = machine.code.begin(machine.code.procedure.entry)
        taken = 0
        while True:
            code, location, depth = exit.code, exit.location, len(machine.stack)
            is_followed = taken >= self.skipped
            read = self._read(code, location) if is_followed else {}
            if not self.library and (code.incoming[location] > 1 or len(code.outgoing[location]) > 1):
                self.block += 1  # a block without branches ends where ways part or meet
            consumed = len(machine.environment.consumed)
            callee = code.procedure
            try:
                exit = machine.advance(exit)
            except Ended as end:
                assert end.kind == "error", end.kind
                return Trace(self.statements, self.inputs, min(taken, self.skipped), tuple(self.untracked))
            taken += exit.cost
            for edge in exit.edges:
                self._entered_or_done(edge, read.get(id(edge)), machine.environment.consumed[consumed:], depth, code)
            if len(machine.stack) < depth:
                self._returned(callee.name, is_followed)

    # before an edge

    def _read(self, code: ProcedureCode, location: int) -> dict[int, _Reading]:
        """What the edges from here would do."""
        outgoing = code.outgoing[location] if location not in code.procedure.marks else []
        return {id(edge): _Reading(self, edge, code) for edge in outgoing}

    # after it

    def _entered_or_done(
        self, edge: Edge, read: _Reading | None, consumed: list[Consumed], depth: int, code: ProcedureCode
    ) -> None:
        machine = self.machine
        is_entered = len(machine.stack) > depth
        if read is not None:
            self._resolve(read, consumed)
        visit = self.library[-1] if self.library else (edge.origin, code.procedure.name, self.activations[-1])
        if is_entered:
            self.count += 1
            self.activations.append(self.count)
            self.calls.append(edge)
            if self.library or is_in_model(self.program, machine.code.procedure.origin):
                self.library.append(visit)
        if read is None:
            return
        writes = tuple(self._parameters(read, machine.code) if is_entered else self._effects(edge, read, code))
        condition = read.terms[0] if isinstance(edge.operation, Assume) else None
        fixed = edge.origin.file < 0 or read.is_input
        is_call = is_entered and not self.library
        if writes or condition is not None or is_call:
            self.statements.append(Statement(*visit, writes, condition, tuple(read.places), fixed, is_call, block=self.block))

    def _resolve(self, read: _Reading, consumed: list[Consumed]) -> None:
        """What the environment gave; an input that was not asked for is 0."""
        left = list(consumed)
        for input, symbol in read.inputs.items():
            found = next((each for each in left if (each.index, each.name) == (input.index, input.name)), None)
            value = found.value if found is not None and isinstance(found.value, int) else 0
            if found is not None:
                left.remove(found)
            self.values.concrete[symbol] = value
            self.inputs.append(terms.equal(symbol, terms.constant(symbol.sort, value)))

    def _parameters(self, read: _Reading, callee: ProcedureCode) -> Iterator[Write]:
        for position, parameter in enumerate(callee.procedure.parameters):
            term = read.terms[position] if position < len(read.terms) else None
            if term is not None and term.sort != parameter.sort:
                term = read.coerced(position, parameter)
            yield from self._assign(parameter, term, callee, self.machine.locals)

    def _effects(self, edge: Edge, read: _Reading, code: ProcedureCode) -> Iterator[Write]:
        values, machine = self.values, self.machine
        match edge.operation:
            case Assign(target, _):
                yield from self._assign(target, read.terms[0], code, machine.locals)
            case Allocate(target):
                yield from self._assign(target, None, code, machine.locals)
                values.forget_object(values.variable_value(target, code, machine.locals))
            case Reallocate(target):
                yield from self._assign(target, None, code, machine.locals)
                values.move_object(read.addresses[0], read.size, values.variable_value(target, code, machine.locals))
            case Store():
                symbol = values.store(read.addresses[0], read.terms[1])
                yield Write(symbol, read.terms[1], values.concrete[symbol], None)
            case Copy(_, _, size) | Fill(_, _, size) if size > _LONGEST_COPY:
                self.untracked[f"copies of more than {_LONGEST_COPY} bytes"] = None
                values.forget(read.addresses[0], size)
            case Copy(_, _, size) | Fill(_, _, size):
                for offset, content in enumerate(read.copied):
                    symbol = values.store(read.addresses[0] + offset, content)
                    yield Write(symbol, content, values.concrete[symbol], None)
            case Declare(name):
                found = machine.memory.object_at(values.address(name, code, machine.locals))
                if found is not None:
                    values.forget(found[0], found[1] - found[0])
            case Call() | CallPointer() | ThreadOperation() if edge.operation.result is not None:
                yield from self._assign(edge.operation.result, None, code, machine.locals)
            case _:
                pass

    def _assign(self, target: Variable, term: Term | None, code: ProcedureCode, locals_: list[int]) -> Iterator[Write]:
        """Without a term, the variable has the value that it has in the execution."""
        key = self.values.key(target, code, self.activations[-1])
        if term is None:
            self.values.variables.pop(key, None)
            return
        symbol = self.values.assign(key, target, code, locals_)
        yield Write(symbol, term, self.values.concrete[symbol], target)

    def _returned(self, function: str, is_followed: bool) -> None:
        """The caller receives the result: no statement of its own, since a call gives what the function returned."""
        machine, values = self.machine, self.values
        callee, call = self.activations.pop(), self.calls.pop()
        is_of_library = bool(self.library)
        if is_of_library:
            self.library.pop()
        visit = self.library[-1] if self.library else (call.origin, machine.code.procedure.name, self.activations[-1])
        operation = call.operation
        assert isinstance(operation, (Call, CallPointer))
        if operation.result is None:
            return
        procedure = self.program.procedures[function]
        given = procedure.result
        key = values.key(operation.result, machine.code, self.activations[-1])
        returned = values.variables.get(("", callee, given.name)) if given is not None else None
        values.variables.pop(key, None)
        if returned is None or given is None or not is_followed:
            return
        converted = coerce(Variable(given.name, given.sort), operation.result.sort)
        if converted is None:
            return
        term = values.term(converted, lambda variable: returned)
        writes = tuple(self._assign(operation.result, term, machine.code, machine.locals))
        self.statements.append(Statement(*visit, writes, is_fixed=True, is_return=not is_of_library, block=self.block))


class _Reading:
    """An edge over the state before it."""

    def __init__(self, tracing: _Tracing, edge: Edge, code: ProcedureCode) -> None:
        self.tracing, self.edge, self.code = tracing, edge, code
        self.locals = list(tracing.machine.locals)
        self.places: list[Term] = []
        self.inputs: dict[Input, Term] = {}
        self.addresses: list[int] = []
        self.copied: list[Term] = []
        self.size = 0  # of the object that realloc ends
        self.terms: list[Term] = [self.term(each) for each in _operands(edge)]
        match edge.operation:
            case Store():
                self.addresses = [self._placed(self.terms[0])]
            case Copy(_, _, size) if size <= _LONGEST_COPY:
                self.addresses = [self._placed(self.terms[0]), self._placed(self.terms[1])]
                self.copied = [tracing.values.load_bytes(self.addresses[1] + at, 1) for at in range(size)]
            case Fill(_, _, size):
                self.addresses = [self._placed(self.terms[0])]
                self.copied = [self.terms[1]] * min(size, _LONGEST_COPY)
            case Copy():
                self.addresses = [self._placed(self.terms[0])]
            case Reallocate():
                self.addresses = [self._placed(self.terms[0])]
                self.size = tracing.values.size_behind(self.addresses[0])
            case _:
                pass

    @property
    def is_input(self) -> bool:
        """Does the edge only take what the environment gives?"""
        if not isinstance(self.edge.operation, Assign):
            return False
        expression = self.edge.operation.value
        while hasattr(expression, "arguments") and len(expression.arguments) == 1:
            expression = expression.arguments[0]
        return isinstance(expression, Input)

    def coerced(self, position: int, parameter: Variable) -> Term | None:
        converted = coerce(_operands(self.edge)[position], parameter.sort)
        return self.term(converted) if converted is not None else None

    def term(self, expression: Expression) -> Term:
        values = self.tracing.values
        return values.term(
            expression,
            lambda variable: values.variable(variable, self.code, self.tracing.activations[-1], self.locals),
            lambda target: values.address(target, self.code, self.locals),
            self._placed,
            self._input,
        )

    def _placed(self, address: Term) -> int:
        """Where it lies in the execution; the statement counts on that."""
        place = self.tracing.values.evaluated(address)
        if address.operator != "const":
            self.places.append(terms.equal(address, terms.constant(address.sort, place)))
        return place

    def _input(self, input: Input) -> Term:
        if input not in self.inputs:
            self.inputs[input] = self.tracing.values.fresh("input", input.sort)
        return self.inputs[input]


def _operands(edge: Edge) -> tuple[Expression, ...]:
    match edge.operation:
        case Assume(condition):
            return (condition,)
        case Assign(_, value):
            return (value,)
        case Store(address, value):
            return address, value
        case Copy(target, source, _):
            return target, source
        case Fill(target, byte, _):
            return target, byte
        case Reallocate(_, address):
            return (address,)
        case Call(_, arguments, _) | CallPointer(_, arguments, _):
            return arguments
        case _:
            return ()
