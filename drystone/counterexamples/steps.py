"""A run told step by step: for every edge the values it changed and the inputs it read.

The interpreter runs the program in segments of one edge here, and everything that changes memory is listened to. Nothing is
computed a second time, so what is told cannot differ from the run.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from drystone.concrete.code_generation import ProcedureCode, ProgramCode
from drystone.concrete.flat_memory import Ended
from drystone.concrete.inputs import Consumed, InputSource
from drystone.concrete.interpreter import Machine
from drystone.counterexamples.values import bytes_text, value_text
from drystone.ir import names
from drystone.ir.automaton import Edge, MemoryObject, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Load, Variable, byte_size
from drystone.ir.operations import Allocate, Assign, Call, CallPointer, Copy, Declare, Fill, Reallocate, Store
from drystone.logic.floats import extended_from_memory
from drystone.logic.sorts import EXTENDED, Sort


class Change(msgspec.Struct, frozen=True):
    """A place that an edge wrote, and what is there now."""

    name: str
    value: str
    temporary: bool = False  # a variable that the front end made up


class Moment(msgspec.Struct, frozen=True):
    """One edge of a run."""

    edge: Edge
    function: str
    depth: int  # calls that are open
    changes: tuple[Change, ...]
    inputs: tuple[Consumed, ...]
    detailed: bool = True  # otherwise nobody looked for changes


class Execution:
    """The moments of one run; `kind` tells how it ended once they are exhausted."""

    def __init__(self, program: Program, inputs: InputSource) -> None:
        self.program = program
        self.code = ProgramCode(program, longest_segment=1)
        self.machine = Machine(self.code, inputs)
        self.kind = ""
        self._statics = list(program.objects.values())
        self._written: list[tuple[int, int | bytes, int]] = []  # address, what, size: of the current edge
        self._listen()

    def moments(self, max_steps: int, plain: range = range(0)) -> Iterator[Moment]:
        """The run. Edges whose position is in `plain` come without their changes, which takes most of the time."""
        machine = self.machine
        exit = machine.code.begin(machine.code.procedure.entry)
        read = 0
        calls: list[Edge] = []  # the open ones
        for position in range(max_steps):
            code, depth = machine.code, len(machine.stack)
            locals_ = machine.locals
            self._written.clear()
            try:
                exit = exit.run(machine)
            except Ended as end:
                self.kind = end.kind
                return
            consumed = tuple(machine.environment.consumed[read:])
            read += len(consumed)
            detailed = position not in plain
            for edge in exit.edges:
                changes = tuple(self._changes(edge, code, locals_)) if detailed else ()
                yield Moment(edge, code.procedure.name, depth, changes, consumed, detailed)
            if len(machine.stack) > depth:
                calls.append(exit.edges[-1])
            elif len(machine.stack) < depth:
                yield from self._returned(calls.pop())
        self.kind = "limit"

    def value(self, variable: Variable) -> int | None:
        """Of a variable that is visible where the run is now."""
        code = self.machine.code
        if variable.name in code.frame.slot:
            return int(self.machine.locals[code.frame.slot[variable.name]])
        slot = self.code.layout.global_slot.get(variable.name)
        return int(self.machine.globals[slot]) if slot is not None else None

    def loaded(self, load: Load) -> Change | None:
        """What a constant address in a static object or in a local one of the current activation holds now."""
        place, size = self._static_place(load.address), byte_size(load.sort)
        object_ = self._object(self.machine.code, place[0]) if place is not None else None
        if place is None or object_ is None:
            return None
        name, offset = place
        if name in self.code.layout.static_index:
            block = self.machine.static_blocks[self.code.layout.static_index[name]]
        else:
            index = self.machine.memory.stack_bases.index(self.machine.locals[0] + self.machine.code.frame.offset[name])
            block = self.machine.memory.stack_blocks[index]
        if offset + size > len(block):
            return None
        held = int.from_bytes(block[offset : offset + size], "little")
        return self._memory_change(object_, offset, held, size, load.sort)

    def _static_place(self, address: Expression) -> tuple[str, int] | None:
        offset = 0
        if isinstance(address, Apply) and address.operator == "bvadd" and isinstance(address.arguments[1], Constant):
            offset, address = address.arguments[1].value, address.arguments[0]
        if isinstance(address, Address) and (
            address.target in self.code.layout.static_index or address.target in self.machine.code.frame.offset
        ):
            return address.target, offset
        return None

    def _listen(self) -> None:
        """What writes to memory also notes where."""
        machine, memory, written = self.machine, self.machine.memory, self._written

        def store(address: int, value: int, size: int, edge: Edge) -> None:
            memory.store(address, value, size, edge)
            written.append((address, value, size))

        def copy(target: int, source: int, size: int, edge: Edge) -> None:
            memory.copy(target, source, size, edge)
            written.append((target, memory.read(target, min(size, 64), edge), size))

        def fill(target: int, byte: int, size: int, edge: Edge) -> None:
            memory.fill(target, byte, size, edge)
            written.append((target, bytes((byte,)) * min(size, 64), size))

        machine.store, machine.copy, machine.fill = store, copy, fill

    def _returned(self, edge: Edge) -> Iterator[Moment]:
        """The caller receives the result of a call, on the edge of the call."""
        operation = edge.operation
        if isinstance(operation, (Call, CallPointer)) and operation.result is not None:
            code = self.machine.code
            change = self._variable_change(operation.result, code, self.machine.locals)
            yield Moment(edge, code.procedure.name, len(self.machine.stack), (change,), ())

    def _changes(self, edge: Edge, code: ProcedureCode, locals_: list[int]) -> Iterator[Change]:
        operation = edge.operation
        match operation:
            case Assign() | Allocate() | Reallocate():
                yield self._variable_change(operation.target, code, locals_)
            case Store(address, value):
                place = self._fixed(address)
                if place is not None:
                    block = self.machine.static_blocks[self.code.layout.static_index[place[0]]]
                    size = byte_size(value.sort)
                    bits = int.from_bytes(block[place[1] : place[1] + size], "little")
                    yield self._memory_change(self.program.objects[place[0]], place[1], bits, size, value.sort)
                for target, written, size in self._written:
                    yield self._change_at(target, written, size, value.sort, code, locals_)
            case Copy() | Fill():
                for target, written, size in self._written:
                    yield self._change_at(target, written, size, None, code, locals_)
            case Declare():
                pass
            case Call(procedure):
                callee = self.machine.code
                if callee.procedure.name == procedure:
                    for parameter in callee.procedure.parameters:
                        yield self._variable_change(parameter, callee, self.machine.locals)
            case _:
                pass

    def _fixed(self, address: Expression) -> tuple[str, int] | None:
        """Object and offset of a store that the generated code does without the machine; none was listened to then."""
        if self._written:
            return None
        place = self._static_place(address)
        return place if place is not None and place[0] in self.code.layout.static_index else None

    def _variable_change(self, variable: Variable, code: ProcedureCode, locals_: list[int]) -> Change:
        slot = code.frame.slot.get(variable.name)
        value = int(locals_[slot] if slot is not None else self.machine.globals[self.code.layout.global_slot[variable.name]])
        return Change(shown_name(variable.name), value_text(value, variable.sort, variable.ctype), is_temporary(variable.name))

    def _change_at(
        self, address: int, written: int | bytes, size: int, sort: Sort | None, code: ProcedureCode, locals_: list[int]
    ) -> Change:
        found = self._object_at(address, code, locals_)
        if found is None:
            return Change(f"*({address:#x})", _content(written, size, sort, ""))
        return self._memory_change(found[0], found[1], written, size, sort)

    def _memory_change(self, object_: MemoryObject, offset: int, written: int | bytes, size: int, sort: Sort | None) -> Change:
        return Change(element_text(object_, offset, size), _content(written, size, sort, _element_type(object_, size)))

    def _object(self, code: ProcedureCode, name: str) -> MemoryObject | None:
        return code.procedure.objects.get(name) or self.program.objects.get(name)

    def _object_at(self, address: int, code: ProcedureCode, locals_: list[int]) -> tuple[MemoryObject, int] | None:
        """A static object, or one of an activation on the stack, and the offset in it."""
        space = self.code.layout.space
        if address < space.heap:
            index = bisect_right(self.code.layout.static_bases, address) - 1
            if index > 0:
                object_ = self._statics[index - 1]
                offset = address - self.code.layout.static_bases[index]
                return (object_, offset) if offset < object_.size else None
            return None
        if address < space.stack:
            return None
        frames = [(code, locals_), *((caller, variables) for variables, _, caller, _, _ in reversed(self.machine.stack))]
        for owner, variables in frames:
            distance = address - variables[0]
            if 0 <= distance < owner.frame.size:
                index = bisect_right(owner.frame.offsets, distance) - 1
                object_ = list(owner.procedure.objects.values())[index]
                offset = distance - owner.frame.offsets[index]
                return (object_, offset) if offset < object_.size else None
        return None


def is_temporary(name: str) -> bool:
    return names.is_own(name) and names.local(name) != names.RESULT


def shown_name(name: str) -> str:
    return "return value" if names.local(name) == names.RESULT else name


_ARRAY = re.compile(r"^(?P<element>[^\[\]]+?)\s*\[(?P<count>\d+)\]$")


def element_text(object_: MemoryObject, offset: int, size: int) -> str:
    """`x`, `a[3]`, or `s + 8` where the members are not known any more."""
    if offset == 0 and size >= object_.size:
        return object_.name
    array = _ARRAY.match(object_.ctype)
    if array is not None and int(array["count"]):
        element = object_.size // int(array["count"])
        if element and offset % element == 0 and size <= element:
            return f"{object_.name}[{offset // element}]"
    return f"{object_.name} + {offset}" if offset else object_.name


def _element_type(object_: MemoryObject, size: int) -> str:
    array = _ARRAY.match(object_.ctype)
    if array is not None:
        return array["element"]
    return object_.ctype if size == object_.size else ""


def _content(written: int | bytes, size: int, sort: Sort | None, ctype: str) -> str:
    if isinstance(written, bytes):
        return f"{size} zero bytes" if not any(written) else bytes_text(written)
    if sort is None:
        return str(written)
    return value_text(extended_from_memory(written) if sort == EXTENDED else written, sort, ctype)
