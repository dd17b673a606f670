"""Does an execution depend on some of its inputs? Follows what is computed from them, along the execution.

What depends on them is a set of variables and of bytes in memory. The execution itself does as soon as a condition, an address,
a called function or the size of an allocation does: then with other inputs it might have been another one. Where it is not clear
what was read to compute what, it counts as if it were: an edge is looked at as a whole.

Of a number like the one that `strcmp` returns, only the magnitude depends on an input: who asks whether it is 0, or its sign,
learns nothing about the input. Variables that hold such a number are known; in memory it is like all else.

A model of a library function, which calls a function for such an input, may branch on it. From there until it returns, all
that it computes depends on them, and so do all bytes of the objects that it was given: with other inputs it might write there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from drystone.base.deadline import Deadline
from drystone.concrete.code_generation import ProgramCode
from drystone.concrete.flat_memory import Ended
from drystone.concrete.inputs import InputSource
from drystone.concrete.machine import Machine
from drystone.frontend.library.magnitudes import Settled, settled_by
from drystone.frontend.library.models import is_in_model
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, InputKind, Load, Variable, byte_size
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
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
    Report,
    Skip,
    Store,
)
from drystone.logic.sorts import BitVec

_LARGEST = 1 << 20  # bytes that are followed one by one
_STEPS_BETWEEN_LOOKS = 1_000  # at the deadline
MOST_FOLLOWED = 1_000_000
"""Edges, including those of calls and returns: a longer execution is not followed to its end."""
_LAZY = frozenset(("ite", "and", "or"))
_THRESHOLDS = {"=": ((), ()), "bvslt": ((0, 1), (-1, 0)), "bvsle": ((-1, 0), (0, 1))}
"""Signed limits that separate numbers by their sign: to the right of the comparison, and to the left."""


class _Depends(Exception):
    """The execution does."""


def depends_on(
    program: Program,
    inputs: InputSource,
    is_meant: Callable[[Input], bool],
    max_steps: int,
    deadline: Deadline | None = None,
) -> bool:
    """Does the run with these inputs depend on those that are meant? Yes, if it is longer than that, there is no time,
    or there are threads, which are not followed."""
    if program.has_threads:
        return True
    try:
        return not _Following(program, inputs, is_meant).run(max_steps, deadline or Deadline())
    except _Depends:
        return True


class _Following:
    def __init__(self, program: Program, inputs: InputSource, is_meant: Callable[[Input], bool]) -> None:
        self.is_meant = is_meant
        self.code = ProgramCode(program, longest_segment=1)
        self.machine = Machine(self.code, inputs)
        self.here = self.machine.code  # whose variables the current edge is about
        self.globals: set[str] = set()
        self.locals: set[str] = set()  # of its activation
        self.callers: list[tuple[set[str], dict[str, Settled], Edge]] = []
        self.local_numbers: dict[str, Settled] = {}  # affected ones, of which something does not depend on the inputs
        self.global_numbers: dict[str, Settled] = {}
        self.readers = {name for name, each in program.procedures.items() if any(map(self._reads, each.edges))}
        self.library = list(self._library_objects(program))
        self.is_branched = False  # has the last activation, of a model, branched on such an input?
        self.bytes: set[int] = set()
        self.asked: list[Input] = []  # for, by the current edge
        self.loaded: list[tuple[int, int]] = []  # address, size: by the current edge
        self.written: list[tuple[int, int, int | None]] = []  # address, size, and where they were copied from
        self._listen()

    def _library_objects(self, program: Program) -> Iterator[range]:
        """What models may write without having been given it: the bytes of the library's own objects."""
        for name, each in program.objects.items():
            if is_in_model(program, each.origin):
                yield range(self.code.layout.address(name), self.code.layout.address(name) + each.size)

    def _listen(self) -> None:
        machine, memory, loaded, written = self.machine, self.machine.memory, self.loaded, self.written
        environment, asked = machine.environment, self.asked

        def value(input: Input, edge: Edge) -> int:
            asked.append(input)
            return environment.value(input, edge)

        def load(address: int, size: int, edge: Edge) -> int:
            loaded.append((address, size))
            return memory.load(address, size, edge)

        def store(address: int, value: int, size: int, edge: Edge) -> None:
            written.append((address, size, None))
            memory.store(address, value, size, edge)

        def copy(target: int, source: int, size: int, edge: Edge) -> None:
            written.append((target, size, source))
            memory.copy(target, source, size, edge)

        def fill(target: int, byte: int, size: int, edge: Edge) -> None:
            written.append((target, size, None))
            memory.fill(target, byte, size, edge)

        machine.load, machine.store, machine.copy, machine.fill = load, store, copy, fill
        machine.value = value

    def run(self, max_steps: int, deadline: Deadline) -> bool:
        """To the end: is it one that depends on nothing?"""
        machine = self.machine
        exit = machine.code.begin(machine.code.procedure.entry)
        for number in range(max_steps):
            if number % _STEPS_BETWEEN_LOOKS == 0 and deadline.expired():
                return False
            self.here, depth = machine.code, len(machine.stack)
            self.asked.clear()
            self.loaded.clear()
            self.written.clear()
            try:
                exit = exit.run(machine)
            except Ended:
                return not self.is_branched
            if len(machine.stack) < depth:
                self._leave()
                continue
            for edge in exit.edges:
                self._follow(edge, is_entered=len(machine.stack) > depth)
        return False

    def _follow(self, edge: Edge, is_entered: bool) -> None:
        operation = edge.operation
        if self.is_branched and not isinstance(operation, Assign | Assume | Skip | Report | Store | Copy | Fill | Declare):
            raise _Depends  # whether it is called, allocated, freed
        match operation:
            case Assume(condition) if self.here.procedure.name in self.readers:
                if not self.is_branched and self._is_affected(condition):
                    self._branch()
            case Assign(target, value):
                self._set(target, self._is_affected(value), self._settled(value))
            case Store(address, value):
                self._must_not(address)
                self._write(address, byte_size(value.sort), self._is_affected(value))
            case Copy(target_address, source_address):
                self._must_not(target_address)
                self._must_not(source_address)
                for place, count, source in self.written:
                    assert source is not None
                    self._mark(place, [self.is_branched or source + offset in self.bytes for offset in range(count)])
            case Fill(target_address, byte, size):
                self._must_not(target_address)
                self._write(target_address, size, self._is_affected(byte))
            case Call(_, arguments, result) | CallPointer(_, arguments, result):
                if isinstance(operation, CallPointer):
                    self._must_not(operation.pointer)
                if is_entered:
                    self._enter(edge, arguments)
                elif result is not None:  # of a function without a body
                    self._set(result, False)
            case Reallocate() if self.bytes:
                raise _Depends  # what is in the object is copied
            case _:  # conditions, sizes, what is freed
                for each in expressions_of(operation):
                    self._must_not(each)
                if isinstance(operation, Allocate | Reallocate):
                    self._set(operation.target, False)

    def _enter(self, edge: Edge, arguments: Iterable[Expression]) -> None:
        passed = zip(self.machine.code.procedure.parameters, arguments, strict=False)
        affected = {parameter.name: argument for parameter, argument in passed if self._is_affected(argument)}
        numbers = {name: settled for name, argument in affected.items() if (settled := self._settled(argument)) is not None}
        self.callers.append((self.locals, self.local_numbers, edge))
        self.locals, self.local_numbers = set(affected), numbers

    def _branch(self) -> None:
        """All objects that the activation was given are affected from now on, and all that it has computed."""
        self.is_branched = True
        memory = self.machine.memory
        for parameter in self.here.procedure.parameters:
            if "*" in parameter.ctype and not parameter.ctype.startswith("const "):
                found = memory.object_at(self.machine.locals[self.here.frame.slot[parameter.name]])
                if found is None or found[1] - found[0] > _LARGEST:
                    raise _Depends  # there is no telling where its bytes end, or there are too many
                self.bytes.update(range(*found))
        for place in self.library:
            self.bytes.update(place)
        self.locals, self.local_numbers = set(self.here.frame.slot), {}

    def _leave(self) -> None:
        given = self.here.procedure.result
        is_affected = given is not None and given.name in self.locals
        settled = self.local_numbers.get(given.name) if given is not None else None
        self.is_branched = False
        self.here = self.machine.code
        self.locals, self.local_numbers, edge = self.callers.pop()
        operation = edge.operation
        assert isinstance(operation, Call | CallPointer)
        if operation.result is not None:
            is_same = given is not None and operation.result.sort == given.sort
            self._set(operation.result, is_affected, settled if is_same else None)

    def _reads(self, edge: Edge) -> bool:
        """Models do, by calls; such an input that the front end puts into the program's own procedures is of another kind."""
        parts = (part for each in expressions_of(edge.operation) for part in subexpressions(each))
        return any(isinstance(part, Input) and part.kind is InputKind.NONDET and self.is_meant(part) for part in parts)

    # What is affected

    def _set(self, variable: Variable, is_affected: bool, settled: Settled | None = None) -> None:
        is_local = variable.name in self.here.frame.slot
        if self.is_branched and not is_local:
            raise _Depends  # whether it is assigned
        names = self.locals if is_local else self.globals
        (names.add if is_affected or self.is_branched else names.discard)(variable.name)
        numbers = self.local_numbers if is_local else self.global_numbers
        numbers.pop(variable.name, None)
        if is_affected and settled is not None and not self.is_branched:
            numbers[variable.name] = settled

    def _must_not(self, expression: Expression) -> None:
        if not self.is_branched and self._is_affected(expression):
            raise _Depends

    def _is_affected(self, expression: Expression) -> bool:
        """Does its value depend on the inputs? Raises `_Depends` where more than its value does."""
        if self.is_branched:
            return True
        parts = list(self._open_parts(expression))
        loads = [part for part in parts if isinstance(part, Load)]
        read = any(map(self._is_source, parts))
        held = bool(loads) and self._has_loaded(loads)
        if not read and not held:
            return False
        if any(isinstance(part, Input) and not self.is_meant(part) and part.kind is not InputKind.MACHINE for part in parts):
            raise _Depends  # whether it is asked for may depend
        if loads and any(isinstance(part, Apply) and part.operator in _LAZY for part in parts):
            raise _Depends  # whether it reads
        for each in loads:
            inner = list(subexpressions(each.address))
            if any(map(self._is_source, inner)) or (held and any(isinstance(part, Load) for part in inner)):
                raise _Depends  # where it reads
        return True

    def _settled(self, expression: Expression) -> Settled | None:
        """What of this number does not depend on the inputs, although it does."""
        if isinstance(expression, Variable):
            return (self.local_numbers if expression.name in self.here.frame.slot else self.global_numbers).get(expression.name)
        if isinstance(expression, Apply) and expression.operator == "sign_extend":
            return self._settled(expression.arguments[0])
        found = settled_by(expression)
        if found is None:
            return None
        value, settled = found
        return settled if not self._is_source(value) else None

    def _open_parts(self, expression: Expression) -> Iterator[Expression]:
        """The parts that may depend on the inputs: not questions for what is settled."""
        if not self.local_numbers and not self.global_numbers:
            return subexpressions(expression)
        return subexpressions(expression, self._is_settled_question)

    def _is_settled_question(self, expression: Expression) -> bool:
        """`n == 0`, `n < 0`, `n > 0`, as the simplifier may have written it, of a number whose truth or sign is settled."""
        if not isinstance(expression, Apply) or expression.operator not in _THRESHOLDS:
            return False
        for index, (number, limit) in enumerate((expression.arguments, expression.arguments[::-1])):
            if isinstance(limit, Constant) and isinstance(limit.sort, BitVec):
                settled = self._settled(number)
                signed = limit.value - (limit.value >> limit.sort.width - 1 << limit.sort.width)
                if expression.operator == "=":
                    return settled is not None and signed == 0
                return settled is Settled.SIGN and signed in _THRESHOLDS[expression.operator][index]
        return False

    def _is_source(self, part: Expression) -> bool:
        if not isinstance(part, Variable):
            return isinstance(part, Input) and self.is_meant(part) and part in self.asked
        return part.name in (self.locals if part.name in self.here.frame.slot else self.globals)

    def _has_loaded(self, loads: Iterable[Load]) -> bool:
        if not self.bytes:
            return False
        for address, size in (*self.loaded, *self._static(loads)):
            if any(address + position in self.bytes for position in range(size)):
                return True
        return False

    def _static(self, loads: Iterable[Load]) -> Iterator[tuple[int, int]]:
        """Of loads at known addresses the machine is not told."""
        for each in loads:
            address = self._address(each.address)
            if address is not None:
                yield address, byte_size(each.sort)

    def _address(self, expression: Expression) -> int | None:
        offset = 0
        if isinstance(expression, Apply) and expression.operator == "bvadd" and isinstance(expression.arguments[1], Constant):
            offset, expression = expression.arguments[1].value, expression.arguments[0]
        if not isinstance(expression, Address) or expression.target in self.here.frame.offset:
            return None
        return self.code.layout.address(expression.target) + offset

    def _write(self, address: Expression, size: int, is_affected: bool) -> None:
        places = [(target, count) for target, count, _ in self.written]
        if not places:
            known = self._address(address)
            assert known is not None
            places = [(known, size)]
        for target, count in places:
            self._mark(target, [is_affected] * count)

    def _mark(self, target: int, affected: list[bool]) -> None:
        if not self.bytes and not any(affected):
            return
        if self.is_branched and not all(target + position in self.bytes for position in range(len(affected))):
            raise _Depends  # it writes to what it was not given
        for position, is_affected in enumerate(affected):
            (self.bytes.add if is_affected else self.bytes.discard)(target + position)
