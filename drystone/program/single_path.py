"""Is a run all that a program can do? It is if nothing that was chosen decides anything.

The run is followed edge by edge, and with it what its values come from. A value is *settled* if it is the same in every run; it
is an *address* if it is the place of a settled offset within an object, wherever the object lies; all other values are *chosen*:
inputs (uninitialised memory among them), bits of addresses, distances and order of different objects, and what is computed from
these. As long as conditions and sizes are settled and all memory is accessed at addresses, every other run takes the same edges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from drystone.logic import semantics
from drystone.logic.floats import extended_from_memory
from drystone.logic.sorts import EXTENDED, Bool, Sort
from drystone.program.address_data import has_addresses_as_data
from drystone.program.automaton import Edge, Program
from drystone.program.environment import ZeroInputs, bit_width
from drystone.program.expressions import Address, Apply, Constant, Expression, Input, Load, Variable, byte_size
from drystone.program.flat_memory import Ended
from drystone.program.generate import ProcedureCode, ProgramCode
from drystone.program.interpreter import Interpreter, Machine
from drystone.program.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Report,
    Skip,
    Store,
)
from drystone.program.output import TAKING_LISTS

MOST_FOLLOWED = 2_000_000
"""Edges: a longer run is not followed to its end."""

_ENDS = frozenset(("returned", "halt", "blocked"))
_LARGEST = 1 << 20  # bytes of an object that are followed one by one
_EDGES_BETWEEN_LOOKS = 1_000  # at the time

SETTLED, CHOSEN = -2, -1
"""Where a value comes from; any other number is the first address of the object that it is an address in."""
Value = tuple[int, int]
"""What it is in this run, if it is not chosen, and where it comes from."""


class _Decides(Exception):
    """Something that was chosen decides what the program does: what that is, and where."""

    def __init__(self, what: str, edge: Edge | None = None) -> None:
        super().__init__(what)
        self.edge = edge


class Followed(NamedTuple):
    """The run with zeros for all inputs."""

    problem: str  # why it is not all that the program can do, or not free of errors; empty if it is
    steps: int  # edges and returns


def follow(program: Program, max_steps: int, is_over: Callable[[], bool] = lambda: False) -> Followed:
    """Follows the run for at most so many steps, until it is over; one that has nothing to follow need only be run."""
    if not has_addresses_as_data(program):
        outcome = Interpreter(program).run(ZeroInputs(), max_steps=max_steps)
        if outcome.kind in _ENDS and not (outcome.inputs or outcome.undefined or outcome.external):
            return Followed("", outcome.steps)
    try:
        following = _Following(program)
        ended = following.run(max_steps, is_over)
    except _Decides as choice:
        where = f" at {program.where(choice.edge.origin)}" if choice.edge is not None else ""
        return Followed(f"there are other executions: {choice} may be something else{where}", 0)
    if ended.kind not in _ENDS:
        return Followed(f"the execution does not come to its end: {ended.kind} {ended.what}".rstrip(), following.steps)
    return Followed("", following.steps)


class _Following:
    def __init__(self, program: Program) -> None:
        self.code = ProgramCode(program, longest_segment=1)
        self.machine = Machine(self.code, ZeroInputs())
        self.edge: Edge | None = None
        self.steps = 0
        self.is_reported = False  # does what was printed last have a result that is settled?
        self.is_assumed = False  # is it an assumption about what was chosen?
        self.here: ProcedureCode = self.machine.code  # whose variables the current edge is about
        self.globals: dict[str, int] = {}  # of variables that are not settled
        self.locals: dict[str, int] = {}  # of the current activation
        self.callers: list[tuple[dict[str, int], Edge, ProcedureCode]] = []
        self.bytes: dict[int, tuple[int, int]] = {}  # bytes that are not settled: origin, and which byte of an address it is
        self.printed: list[tuple[int, int]] = []  # address, size: what was looked at to print something
        self._listen()
        self._begin(program)

    def _listen(self) -> None:
        memory = self.machine.memory
        peek, string = memory.peek, memory.string

        def peek_and_note(address: int, size: int) -> bytes | None:
            self.printed.append((address, size))
            return peek(address, size)

        def string_and_note(address: int, most: int | None = None) -> bytes | None:
            found = string(address, most)
            if found is not None:  # with the null character, unless it need not be there
                self.printed.append((address, len(found) + (most is None or len(found) < most)))
            return found

        memory.peek, memory.string = peek_and_note, string_and_note  # type: ignore[method-assign]

    def _begin(self, program: Program) -> None:
        for name, value in program.initial.items():
            self._set(self.globals, name, self._static_origin(value))
        for name, memory_object in program.objects.items():
            for offset, expression in memory_object.relocations:
                place = self.code.address(name) + offset
                self._mark(place, byte_size(expression.sort), self._static_origin(expression))
        for _, name, size in self.code.external_objects():
            self._mark(self.code.address(name), size, CHOSEN)
        for parameter in self.here.procedure.parameters:
            self.locals[parameter.name] = CHOSEN
        self._enter_frame()

    def _static_origin(self, expression: Expression) -> int:
        match expression:
            case Constant():
                return SETTLED
            case Address(target):
                return self.code.address(target)
            case Apply("bvadd", _, (Address(target), Constant())):
                return self.code.address(target)
            case _:
                return CHOSEN

    def run(self, max_steps: int, is_over: Callable[[], bool]) -> Ended:
        """How the run ends. Raises `_Decides`."""
        machine = self.machine
        exit = machine.code.begin(machine.code.procedure.entry)
        for self.steps in range(max_steps):
            if self.steps % _EDGES_BETWEEN_LOOKS == 0 and is_over():
                return Ended("limit", "of time")
            self.here, depth = machine.code, len(machine.stack)
            outgoing = () if exit.location in self.here.procedure.marks else self.here.outgoing[exit.location]
            then = None
            if outgoing and exit.location != self.here.procedure.exit:
                self.edge = outgoing[0]
                then = self._before(outgoing[0].operation, is_branch=len(outgoing) > 1)
            try:
                exit = exit.run(machine)
            except Ended as ended:
                if ended.kind == "blocked" and self.is_assumed:
                    raise _Decides("an assumption", self.edge) from None  # with other inputs it may hold
                return ended
            if len(machine.stack) < depth:
                self._leave()
            elif then is not None:
                then()
        return Ended("limit", f"{max_steps} steps")

    # edges: what is looked at before, and what is noted after they are taken

    def _before(self, operation: Operation, is_branch: bool) -> Callable[[], None] | None:
        self.is_assumed = False
        match operation:
            case Skip():
                return None
            case Report(name, arguments):
                passed = [self._value(argument) for argument in (arguments[:-1] if name in TAKING_LISTS else arguments)]
                self.printed.clear()
                return lambda: self._reported(passed)
            case Free(address):
                if self._value(address)[1] == CHOSEN:
                    raise _Decides("what is freed", self.edge)
                return None
            case Assume(condition) if is_branch:
                self._settled(condition, "a condition")
                return None
            case Assume(condition):  # runs in which it fails end here, without an error
                self.is_assumed = self._value(condition)[1] != SETTLED
                return None
            case Assign(target, value):
                _, origin = self._value(value)
                return lambda: self._assign(target, origin)
            case Store(address, stored):
                count = byte_size(stored.sort)
                place, (_, origin) = self._place(address, count), self._value(stored)
                return lambda: self._mark(place, count, origin)
            case Copy(to_address, from_address, size):
                to, from_ = self._place(to_address, size), self._place(from_address, size)
                moved = [self.bytes.get(from_ + position) for position in range(size)] if self.bytes else []
                return lambda: self._move(to, size, moved)
            case Fill(to_address, byte, size):
                place, (_, origin) = self._place(to_address, size), self._value(byte)
                return lambda: self._mark(place, size, SETTLED if origin == SETTLED else CHOSEN)
            case Declare(name):
                return lambda: self._forget(self.machine.locals[0] + self.here.offset[name], self._size_of(name))
            case Allocate(target, wanted):
                count = self._settled(wanted, "the size of an allocation")
                return lambda: self._allocated(target, count, operation.zeroed)
            case Call(_, arguments):
                return self._calling(arguments)
            case CallPointer(pointer, arguments):
                if self._value(pointer)[1] == CHOSEN:
                    raise _Decides("which function is called", self.edge)
                return self._calling(arguments)
            case _:
                raise _Decides(f"{type(operation).__name__} is not followed", self.edge)

    def _reported(self, passed: list[Value]) -> None:
        """Was the same printed as in every run? Addresses may only lead to text, or to the stream that it goes to."""
        led = {place for place, _ in self.printed} | self.machine.output.streams.keys()
        addresses = {value for value, origin in passed if origin not in (SETTLED, CHOSEN)}
        is_chosen = any(origin == CHOSEN for _, origin in passed)
        word = self.code.program.pointer_width // 8
        for place, size in self.printed:
            origins = {mark[0] for at in range(place, place + size) if (mark := self.bytes.get(at)) is not None}
            if size == word and origins and CHOSEN not in origins:
                assert self.edge is not None
                addresses.add(int.from_bytes(self.machine.memory.read(place, size, self.edge), "little"))
            elif origins:
                is_chosen = True
        self.is_reported = not is_chosen and addresses <= led

    def _assign(self, target: Variable, origin: int) -> None:
        self._set(self.locals if target.name in self.here.slot else self.globals, target.name, origin)

    def _allocated(self, target: Variable, size: int, zeroed: bool) -> None:
        base = self._variable(target)
        self._assign(target, base if base else SETTLED)
        if base and not zeroed:
            self._forget(base, size)

    def _calling(self, arguments: Sequence[Expression]) -> Callable[[], None]:
        origins = [(argument.sort, self._value(argument)[1]) for argument in arguments]
        depth = len(self.machine.stack)

        def enter() -> None:
            if len(self.machine.stack) <= depth:
                raise _Decides("what a function without a body does", self.edge)
            assert self.edge is not None
            self.callers.append((self.locals, self.edge, self.here))
            self.locals, self.here = {}, self.machine.code
            parameters = self.here.procedure.parameters
            for position, parameter in enumerate(parameters):
                sort, origin = origins[position] if position < len(origins) else (None, CHOSEN)
                self._set(self.locals, parameter.name, _passed(origin, sort, parameter.sort))
            self._enter_frame()

        return enter

    def _leave(self) -> None:
        given = self.here.procedure.result
        origin = self.locals.get(given.name, SETTLED) if given is not None else CHOSEN
        self.locals, edge, self.here = self.callers.pop()
        operation = edge.operation
        assert isinstance(operation, Call | CallPointer)
        if operation.result is not None:
            self._assign(operation.result, _passed(origin, given.sort if given else None, operation.result.sort))

    def _enter_frame(self) -> None:
        """All objects of an activation are uninitialised."""
        for offset, size in zip(self.here.offsets, self.here.sizes, strict=True):
            self._forget(self.machine.locals[0] + offset, size)

    # memory

    def _place(self, address: Expression, size: int) -> int:
        """Where an access goes: within one object, whatever was chosen."""
        place, base = self._value(address)
        if base == CHOSEN:
            raise _Decides("the address of an access", self.edge)
        found = self.machine.memory.object_at(place)
        if found is None or place + size > found[1] or (base != SETTLED and base != found[0]):
            raise _Decides("an access outside of the object", self.edge)
        return place

    def _mark(self, place: int, size: int, origin: int) -> None:
        if origin == SETTLED:
            if self.bytes:
                for position in range(place, place + size):
                    self.bytes.pop(position, None)
            return
        for position in range(size):
            self.bytes[place + position] = (origin, position)

    def _forget(self, place: int, size: int) -> None:
        if size > _LARGEST:
            raise _Decides("an object of that size is not followed", self.edge)
        self._mark(place, size, CHOSEN)

    def _move(self, to: int, size: int, moved: list[tuple[int, int] | None]) -> None:
        self._mark(to, size, SETTLED)
        for position, mark in enumerate(moved):
            if mark is not None:
                self.bytes[to + position] = mark

    def _size_of(self, name: str) -> int:
        return self.here.procedure.objects[name].size

    # values

    @staticmethod
    def _set(names: dict[str, int], name: str, origin: int) -> None:
        if origin == SETTLED:
            names.pop(name, None)
        else:
            names[name] = origin

    def _settled(self, expression: Expression, what: str) -> int:
        value, origin = self._value(expression)
        if origin != SETTLED:
            raise _Decides(what, self.edge)
        return value

    def _variable(self, variable: Variable) -> int:
        slot = self.here.slot.get(variable.name)
        return int(self.machine.locals[slot] if slot is not None else self.machine.globals[self.code.global_slot[variable.name]])

    def _value(self, expression: Expression) -> Value:
        match expression:
            case Constant(_, value):
                return value, SETTLED
            case Variable(name):
                origin = (self.locals if name in self.here.slot else self.globals).get(name, SETTLED)
                return (0, CHOSEN) if origin == CHOSEN else (self._variable(expression), origin)
            case Address(target):
                is_local = target in self.here.offset
                base = self.machine.locals[0] + self.here.offset[target] if is_local else self.code.address(target)
                return base, base
            case Input():
                known = self.machine.environment.determined.get(expression.name) if self.is_reported else None
                return (known[-1] & (1 << bit_width(expression.sort)) - 1, SETTLED) if known else (0, CHOSEN)
            case Load(sort, address):
                return self._load(sort, address)
            case Apply("and" | "or" | "ite"):
                return self._lazy(expression)
            case Apply():
                return self._apply(expression)

    def _load(self, sort: Sort, address: Expression) -> Value:
        size = byte_size(sort)
        place = self._place(address, size)
        marks = [self.bytes.get(place + position) for position in range(size)] if self.bytes else []
        base: int = SETTLED
        if any(mark is not None for mark in marks):
            first = marks[0]
            is_whole = size == self.code.program.pointer_width // 8
            if (
                first is None
                or first[0] == CHOSEN
                or not is_whole
                or any(mark != (first[0], at) for at, mark in enumerate(marks))
            ):
                return 0, CHOSEN
            base = first[0]
        assert self.edge is not None
        value = int.from_bytes(self.machine.memory.read(place, size, self.edge), "little")
        if isinstance(sort, Bool):
            value = int(value != 0)
        return extended_from_memory(value) if sort == EXTENDED else value, base

    def _lazy(self, expression: Apply) -> Value:
        condition, *rest = expression.arguments
        value, origin = self._value(condition)
        if origin != SETTLED:
            for each in rest:
                self._value(each)  # what it reads must be there in any case
            return 0, CHOSEN
        if expression.operator == "ite":
            return self._value(rest[0] if value else rest[1])
        return self._value(rest[0]) if bool(value) is (expression.operator == "and") else (value, SETTLED)

    def _apply(self, expression: Apply) -> Value:
        operands = [self._value(argument) for argument in expression.arguments]
        origins = [origin for _, origin in operands]
        if CHOSEN in origins:
            return 0, CHOSEN
        base: int = SETTLED
        if any(origin != SETTLED for origin in origins):
            base = self._origin(expression.operator, operands)
            if base == CHOSEN:
                return 0, CHOSEN
        sorts = tuple([argument.sort for argument in expression.arguments])
        return semantics.function(expression.operator, expression.sort, sorts)(*(value for value, _ in operands)), base

    def _origin(self, operator: str, operands: list[Value]) -> int:
        """Of what is computed from an address, at least one."""
        if len(operands) != 2:
            return CHOSEN
        (a, left), (b, right) = operands
        match operator:
            case "bvadd" if left == SETTLED or right == SETTLED:
                return right if left == SETTLED else left
            case "bvsub" if right == SETTLED:
                return left
            case "bvsub" | "bvult" | "bvule" | "=" if left == right:
                return SETTLED  # offsets in one object
            case "=" if left == SETTLED or right == SETTLED:  # only NULL is no address of anything
                return SETTLED if (a if left == SETTLED else b) == 0 else CHOSEN
            case "=":
                return SETTLED if self._is_within(a, left) and self._is_within(b, right) else CHOSEN
            case _:
                return CHOSEN

    def _is_within(self, address: int, base: int) -> bool:
        """Not behind its end, where another object may begin. Functions are never compared with what is behind them."""
        if base in self.code.function_at:
            return address == base
        found = self.machine.memory.object_at(address)
        return found is not None and found[0] == base


def _passed(origin: int, given: Sort | None, wanted: Sort) -> int:
    """Of a value that is passed where another sort may be expected."""
    if given is None:
        return CHOSEN
    return origin if origin == SETTLED or given == wanted else CHOSEN
