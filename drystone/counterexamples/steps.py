"""A run told step by step: for every edge the values it changed and the inputs it read.

The interpreter runs the program in segments of one edge here, and everything that changes memory is listened to. Nothing is
computed a second time, so what is told cannot differ from the run. What the models of library functions do is told where the
program calls them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from drystone.concrete.code_generation import ProcedureCode, ProgramCode
from drystone.concrete.flat_memory import Ended
from drystone.concrete.inputs import Consumed, InputSource
from drystone.concrete.machine import Machine
from drystone.counterexamples.changes import Change, changes_in
from drystone.counterexamples.given_memory import GivenMemory
from drystone.counterexamples.known_objects import KnownObjects, Owner, shown_name
from drystone.counterexamples.values import AddressText, bytes_text, value_text
from drystone.ir import names
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Address, Apply, Constant, Determinant, Expression, Variable, byte_size
from drystone.ir.operations import Allocate, Assign, Call, CallPointer, Copy, Fill, Reallocate, Store
from drystone.ir.source_types import array_of, plain
from drystone.logic.floats import extended_from_memory
from drystone.logic.sorts import EXTENDED, Float, Sort

_NOTHING = Determinant.NOTHING
_LONGEST_WRITE = 1 << 12  # bytes that are looked at


class Moment(msgspec.Struct, frozen=True):
    """One edge of a run."""

    edge: Edge
    at: Edge  # the edge itself; in a library function, the call of the program that led there
    function: str  # of the program
    depth: int  # calls of the program that are open
    changes: tuple[Change, ...]
    inputs: tuple[Consumed, ...]
    detailed: bool = True  # otherwise nobody looked for changes
    is_return: bool = False  # the caller receives the result, on the edge of the call
    thread: int = 0  # in the order of their creation; the first one is 0

    @property
    def is_inside_library(self) -> bool:
        return self.at is not self.edge


class _Activation(msgspec.Struct, frozen=True):
    """Of a function of the program, or of a library function that one of them has called."""

    function: str
    depth: int
    call: Edge | None  # of the library function


class _Open(NamedTuple):
    """What is open in one thread."""

    calls: list[Edge]
    activations: list[_Activation]


def _machine(code: ProgramCode, inputs: InputSource) -> Machine:
    if not code.program.has_threads:
        return Machine(code, inputs)
    from drystone.concrete.threads import ThreadedMachine

    return ThreadedMachine(code, inputs)


class Execution:
    """The moments of one run; `kind` tells how it ended once they are exhausted."""

    def __init__(self, program: Program, inputs: InputSource) -> None:
        self.program = program
        self.code = ProgramCode(program, longest_segment=1)
        self.machine = _machine(self.code, inputs)
        self.kind = ""
        self.objects = KnownObjects(program, self.code, self.machine)
        self.given = GivenMemory(self.machine)
        self._written: list[tuple[int, bytes]] = []  # address, what: of the current edge
        self._listen()

    def moments(self, max_steps: int, plain: range = range(0)) -> Iterator[Moment]:
        """The run. Edges before which as many were taken as `plain` says come without their changes, which takes most of the
        time."""
        machine = self.machine
        exit = machine.code.begin(machine.code.procedure.entry)
        read = taken = 0
        open_: dict[int, _Open] = {}
        for _ in range(max_steps):
            self._written.clear()
            try:
                exit = machine.schedule(exit)
                code, depth, locals_ = machine.code, len(machine.stack), machine.locals
                thread = machine.thread
                exit = machine.advance(exit)
            except Ended as end:
                self.kind = end.kind
                return
            consumed = tuple(machine.environment.consumed[read:])
            read += len(consumed)
            detailed = taken not in plain
            taken += exit.cost
            if thread not in open_:
                open_[thread] = _Open([], [_Activation(code.procedure.name, 0, None)])
            calls, activations = open_[thread]
            here = activations[-1]
            for edge in exit.edges:
                if detailed:
                    changes = tuple(self._changes(edge, code, locals_, here.call is not None))
                else:
                    changes = ()
                    self._learn(edge, code, locals_)
                yield Moment(edge, here.call or edge, here.function, here.depth, changes, consumed, detailed, thread=thread)
            if len(machine.stack) > depth:
                calls.append(exit.edges[-1])
                activations.append(self._entered(here, calls[-1]))
            elif machine.went_back:
                del calls[len(machine.stack) :], activations[len(machine.stack) + 1 :]
            elif len(machine.stack) < depth:
                activations.pop()
                for moment in self._returned(calls.pop(), activations[-1], detailed):
                    yield msgspec.structs.replace(moment, thread=thread)
        self.kind = "limit"

    def _learn(self, edge: Edge, code: ProcedureCode, locals_: list[int]) -> None:
        """Nobody looks for changes, but what pointers say of the memory behind them is needed later."""
        if isinstance(edge.operation, Assign) and edge.operation.target.ctype:
            target, slot = edge.operation.target, code.frame.slot.get(edge.operation.target.name)
            if slot is not None and target.sort == self.program.pointer:
                self.objects.learn(int(locals_[slot]), target.ctype)

    def _entered(self, caller: _Activation, call: Edge) -> _Activation:
        procedure = self.machine.code.procedure
        if self.objects.is_of_library(procedure.origin):
            return _Activation(caller.function, caller.depth, caller.call or call)
        return _Activation(procedure.name, caller.depth + 1, None)

    def value(self, variable: Variable, code: ProcedureCode, locals_: list[int]) -> int:
        """Of a local variable of an activation, or a global one."""
        slot = code.frame.slot.get(variable.name)
        return int(locals_[slot] if slot is not None else self.machine.globals[self.code.layout.global_slot[variable.name]])

    def looked_at(self) -> Iterator[tuple[Owner, int, bytes]]:
        """Of the memory that the environment gave, what was read before it was written: objects, offsets, bytes."""
        for address, content in self.given.looked_at():
            found = self.objects.at(address, self.machine.code, self.machine.locals)
            if found is not None:
                yield *found, content

    def pointed(self, name: str) -> tuple[Owner | None, bytes]:
        """The memory behind an argument of the entry, up to the last byte that was read; zeros where none was."""
        owner, whole = self.objects.by_name(name), bytearray()
        for found, offset, content in self.looked_at():
            if found.text == name:
                whole = whole.ljust(offset, b"\0") + content
        return owner, bytes(whole)

    def _listen(self) -> None:
        """What writes to memory also notes where, and what begins there gets a name."""
        machine, memory, written, objects, given = self.machine, self.machine.memory, self._written, self.objects, self.given

        def store(address: int, value: int, size: int, edge: Edge) -> None:
            memory.store(address, value, size, edge)
            written.append((address, value.to_bytes(size, "little")))
            given.note(address, size, is_read=False)

        def copy(target: int, source: int, size: int, edge: Edge) -> None:
            given.note(source, size, is_read=True)
            memory.copy(target, source, size, edge)
            written.append((target, memory.read(target, min(size, _LONGEST_WRITE), edge)))
            given.note(target, size, is_read=False)

        def fill(target: int, byte: int, size: int, edge: Edge) -> None:
            memory.fill(target, byte, size, edge)
            written.append((target, bytes((byte,)) * min(size, _LONGEST_WRITE)))
            given.note(target, size, is_read=False)

        def allocate(size: int, zeroed: bool, what: str, edge: Edge, align: int = 16, determinant: Determinant = _NOTHING) -> int:
            base = memory.allocate(size, zeroed, what, edge, align, determinant)
            objects.allocated(base, size, what, determinant)
            given.begun(base, size, determinant)
            return base

        def allocate_in_frame(
            size: int, zeroed: bool, what: str, edge: Edge, align: int = 16, determinant: Determinant = _NOTHING
        ) -> int:
            base = memory.allocate_in_frame(size, zeroed, what, edge, align, determinant)
            objects.allocated(base, size, what, Determinant.LOCAL if not what.endswith("alloca") else determinant)
            return base

        def reallocate(address: int, size: int, edge: Edge) -> int:
            known = objects.type_at(address)
            base = memory.reallocate(address, size, edge)
            objects.allocated(base, size, "realloc", Determinant.NOTHING, known)
            return base

        machine.store, machine.copy, machine.fill = store, copy, fill
        machine.allocate, machine.allocate_in_frame, machine.reallocate = allocate, allocate_in_frame, reallocate

    def _returned(self, edge: Edge, caller: _Activation, detailed: bool) -> Iterator[Moment]:
        """The caller receives the result of a call, on the edge of the call."""
        operation = edge.operation
        if isinstance(operation, (Call, CallPointer)) and operation.result is not None:
            code, result = self.machine.code, operation.result
            changes: tuple[Change, ...] = ()
            if detailed:
                changes = tuple(self._variable_change(result, code, self.machine.locals, caller.call is not None))
            elif result.ctype and result.sort == self.program.pointer:
                self.objects.learn(self.value(result, code, self.machine.locals), result.ctype)
            yield Moment(edge, caller.call or edge, caller.function, caller.depth, changes, (), detailed, is_return=True)

    def _changes(self, edge: Edge, code: ProcedureCode, locals_: list[int], is_inside: bool) -> Iterator[Change]:
        operation = edge.operation
        match operation:
            case Assign(variable) if names.is_shadow(variable.name):
                pass  # nor what has a value
            case Store(Apply("shadow")) | Copy(Apply("shadow")) | Fill(Apply("shadow")):
                pass
            case Assign() | Allocate() | Reallocate():
                yield from self._variable_change(operation.target, code, locals_, is_inside)
            case Store(Apply("bvadd", _, (Address(names.EXTENTS), _))):
                pass  # what lives where is no matter of the source
            case Store(address, value):
                place = self._fixed(address)
                if place is not None:
                    held = self.machine.memory.peek(place, byte_size(value.sort))
                    yield from self.changes_at(place, held or b"", value.sort, code, locals_)
                for target, written in self._written:
                    yield from self.changes_at(target, written, value.sort, code, locals_)
            case Copy() | Fill():
                for target, written in self._written:
                    yield from self.changes_at(target, written, None, code, locals_)
            case Call() | CallPointer():
                callee = self.machine.code
                is_entered = self.machine.locals is not locals_
                if is_entered and not self.objects.is_of_library(callee.procedure.origin):
                    for parameter in callee.procedure.parameters:
                        yield from self._variable_change(parameter, callee, self.machine.locals, False)
            case _:
                pass

    def _fixed(self, address: Expression) -> int | None:
        """Where the generated code stores without the machine, in a static object; nothing was listened to then."""
        offset = 0
        if isinstance(address, Apply) and address.operator == "bvadd" and isinstance(address.arguments[1], Constant):
            offset, address = address.arguments[1].value, address.arguments[0]
        if self._written or not isinstance(address, Address) or address.target not in self.code.layout.static_index:
            return None
        return self.code.layout.address(address.target) + offset

    def _variable_change(self, variable: Variable, code: ProcedureCode, locals_: list[int], is_inside: bool) -> Iterator[Change]:
        """None is told of a library function's own, but the types of pointers are taken."""
        value = self.value(variable, code, locals_)
        if variable.ctype and variable.sort == self.program.pointer:
            self.objects.learn(value, variable.ctype)
        name = shown_name(variable.name)
        array = array_of(variable.ctype)  # of variable length
        ctype = f"{array[0]} *" if array is not None else variable.ctype
        text = value_text(value, variable.sort, ctype, self.program.types, self.addresses(code, locals_))
        if text == name:
            found = self.objects.at(value, code, locals_)
            if found is None or found[0].is_pointed:
                return  # an array of variable length is where it is, an argument of the entry what it was given
            text = f"&{text}[0]"  # of another function
        if not is_inside:
            yield Change(name, text, is_temporary(variable.name))

    def changes_at(
        self, address: int, written: bytes, sort: Sort | None, code: ProcedureCode, locals_: list[int]
    ) -> Iterator[Change]:
        """Bytes in memory, as if an activation had just written them."""
        found = self.objects.at(address, code, locals_)
        if found is None or found[1] >= found[0].size:
            yield Change(f"*({address:#x})", _bits_text(written, sort))
            return
        owner, offset = found
        if owner.is_hidden:
            return
        types, step = self.program.types, self.program.types.size(owner.ctype)
        if len(written) == types.pointer_size:
            self._learn_from_member(owner, offset, written)
        if not step:
            place = f"{owner.text} + {offset}" if offset else f"*{owner.text}" if owner.is_pointed else owner.text
            yield Change(place, _bits_text(written, sort))
            return
        before, whole = self._whole_scalars(owner.ctype, step, address, offset, written)
        content, texts = whole[: owner.size - offset + before], self.addresses(code, locals_)
        yield from changes_in(owner, offset - before, content, types, texts, is_float=isinstance(sort, Float))

    def _whole_scalars(self, ctype: str, step: int, address: int, offset: int, written: bytes) -> tuple[int, bytes]:
        """What was written, with the rest of the scalars that were written in part; and how much was added in front."""
        parts, size = self.program.types.parts, len(written)
        first = parts("", ctype, offset % step, size)[-1]
        last = parts("", ctype, (offset + size - 1) % step)[-1]
        before = first.offset if self._is_scalar(first.ctype) else 0
        behind = self.program.types.size(last.ctype) - 1 - last.offset if self._is_scalar(last.ctype) else 0
        if not before and (behind <= 0 or size >= _LONGEST_WRITE):
            return 0, written
        held = self.machine.memory.peek(address - before, before + size + max(behind, 0))
        return (before, held) if held is not None else (0, written)

    def _is_scalar(self, ctype: str) -> bool:
        return array_of(ctype) is None and plain(ctype) not in self.program.types.records

    def _learn_from_member(self, owner: Owner, offset: int, written: bytes) -> None:
        """A typed pointer in memory."""
        step = self.program.types.size(owner.ctype)
        if step:
            last = self.program.types.parts("", owner.ctype, offset % step, len(written))[-1]
            if last.offset == 0:
                self.objects.learn(int.from_bytes(written, "little"), last.ctype)

    def addresses(self, code: ProcedureCode, locals_: list[int]) -> AddressText:
        """How an activation writes pointers."""
        return lambda value, target: self.objects.address_text(value, target, code, locals_)


def is_temporary(name: str) -> bool:
    return names.is_own(name) and names.local(name) != names.RESULT


def _bits_text(written: bytes, sort: Sort | None) -> str:
    """What is known of bytes whose type is not."""
    bits = int.from_bytes(written, "little")
    if sort is None:
        return bytes_text(written)
    return value_text(extended_from_memory(bits) if sort == EXTENDED else bits, sort)
