"""Is a run all that a program can do? It is if nothing that was chosen decides anything.

The run is followed edge by edge, and with it what its values come from. A value is *settled* if it is the same in every run; it
is an *address* if it is the place of a settled offset within an object, wherever the object lies; all other values are *chosen*:
inputs (uninitialised memory among them), bits of addresses, distances and order of different objects, and what is computed from
these. As long as conditions and sizes are settled and all memory is accessed at addresses, every other run takes the same edges.

What is here takes one edge at a time and knows all cases; most edges are taken many at a time, by generated code
(`concrete.determinism_code`) that leaves the others to it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from drystone.concrete.code_generation import Exit, ProcedureCode, ProgramCode
from drystone.concrete.determinism_code import CHOSEN, LARGEST, SETTLED, Follower, SegmentWriter, Way
from drystone.concrete.flat_memory import Ended
from drystone.concrete.inputs import ZeroInputs, bit_width
from drystone.concrete.interpreter import Machine
from drystone.concrete.output import TAKING_LISTS
from drystone.ir.automaton import Edge, MemoryObject, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable, byte_size
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Declare,
    Fill,
    Free,
    Lifetime,
    Operation,
    Report,
    Skip,
    Store,
)
from drystone.logic import semantics
from drystone.logic.floats import extended_from_memory, is_extended
from drystone.logic.sorts import EXTENDED, BitVec, Bool, Sort
from drystone.memory.sharing import may_be_equal

MOST_FOLLOWED = 10_000_000
"""Edges: a longer run is not followed to its end."""

_FIRST = 2
_CHOSEN_BYTE = b"\1"
"""Marks of bytes: 0 is settled, 1 chosen, those from `_FIRST` on the bytes of an address."""
_WITHOUT_PIECES = b"\0" + _CHOSEN_BYTE * 255

_ENDS = frozenset(("returned", "halt", "blocked"))
_WAYS_BETWEEN_LOOKS = 200  # at the time

Value = tuple[int, int]
"""What it is in this run, if it is not chosen, and where it comes from."""


class NotSettled(Exception):
    """Something that was chosen decides what the program does: what that is, and where."""

    def __init__(self, what: str, edge: Edge | None = None) -> None:
        super().__init__(what)
        self.edge = edge


class Followed(NamedTuple):
    """The run with zeros for all inputs."""

    problem: str  # why it is not all that the program can do, or not free of errors; empty if it is
    steps: int  # edges and returns
    is_error: bool = False  # does it reach an error?


def follow(program: Program, max_steps: int, is_over: Callable[[], bool] = lambda: False) -> Followed:
    """Follows the run for at most so many steps, until it is over."""
    try:
        following = Following(program)
        ended = following.run(max_steps, is_over)
    except NotSettled as choice:
        where = f" at {program.where(choice.edge.origin)}" if choice.edge is not None else ""
        return Followed(f"there are other executions: {choice} may be something else{where}", 0)
    if ended.kind not in _ENDS:
        problem = f"the execution does not come to its end: {ended.kind} {ended.what}".rstrip()
        return Followed(problem, following.steps, ended.kind == "error")
    return Followed("", following.steps)


class Following:
    """Follows one run. `by_edge`: one edge at a time, without generated code."""

    def __init__(self, program: Program, by_edge: bool = False) -> None:
        self.code = ProgramCode(program, longest_segment=1, merges=False)  # an address tells which object it is of
        self.machine = Machine(self.code, ZeroInputs())
        self.memory = self.machine.memory
        self.memory.reuses_stack = False  # an address tells which activation's object it is of
        self.frames: dict[int, tuple[int, MemoryObject]] = {}  # living local objects by address, and their activation's
        self.static = {self.code.address(object_.name): object_ for object_ in program.objects.values()}
        self.by_edge = by_edge
        self.segments: dict[ProcedureCode, dict[int, Callable[[Follower], Way]]] = {}
        self.edge: Edge | None = None
        self.steps = 0
        self.is_reported = False  # does what was printed last have a result that is settled?
        self.is_assumed = False  # is it an assumption about what was chosen?
        self.here: ProcedureCode = self.machine.code  # whose variables the current edge is about
        self.globals: list[int] = [SETTLED] * len(self.code.global_slot)  # origins of variables
        self.locals: list[int] = [SETTLED] * len(self.here.blank)  # of the current activation
        self.callers: list[tuple[list[int], Edge, ProcedureCode]] = []
        self.bases: list[int] = []  # of the activations' objects
        self.given_back: set[int] = set()  # objects that end with a block or a function, though they still seem to be there
        self.marks: dict[
            int, bytearray
        ] = {}  # of bytes, by the first address of their object; an object without has only settled ones
        self.words: dict[int, int] = {}  # origins of addresses in memory, by the place of their first byte
        word = program.pointer_width // 8
        self.word, self.settled_word, self.address_word = word, bytes(word), bytes(range(_FIRST, _FIRST + word))
        self.printed: list[tuple[int, int]] = []  # address, size: what was looked at to print something
        self._listen()
        self._begin(program)

    def _listen(self) -> None:
        memory = self.memory
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
            self.globals[self.code.global_slot[name]] = self._static_origin(value)
        for name, memory_object in program.objects.items():
            for offset, expression in memory_object.relocations:
                place = self.code.address(name) + offset
                self._mark(place, byte_size(expression.sort), self._static_origin(expression))
        for _, name, size in self.code.external_objects():
            self._mark(self.code.address(name), size, CHOSEN)
        for parameter in self.here.procedure.parameters:
            self.locals[self.here.slot[parameter.name]] = CHOSEN
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
        """How the run ends. Raises `NotSettled`."""
        machine = self.machine
        way = self._way(machine.code.begin(machine.code.procedure.entry))
        ways = 0
        while self.steps < max_steps:
            ways += 1
            if ways % _WAYS_BETWEEN_LOOKS == 0 and is_over():
                return Ended("limit", "of time")
            way = way.run(self)
            self.steps += way.cost
            if not way.is_stuck:
                continue
            if self.steps >= max_steps:
                break
            try:
                way = self._way(self._take(way.code.begin(way.location)))
            except Ended as ended:
                if ended.kind == "blocked" and self.is_assumed:
                    raise NotSettled("an assumption", self.edge) from None  # with other inputs it may hold
                return ended
            self.steps += 1
        return Ended("limit", f"{max_steps} steps")

    def _way(self, exit: Exit) -> Way:
        return Way(exit.code, exit.location, 0)

    def segment(self, code: ProcedureCode, head: int) -> Callable[[Follower], Way]:
        """Takes edges from there on, as far as that is simple."""
        segments = self.segments.setdefault(code, {})
        if head not in segments:
            if self.by_edge or not code.outgoing[head] or head == code.procedure.exit or head in code.procedure.marks:
                stuck = Way(code, head, 0, is_stuck=True)
                segments[head] = lambda _: stuck
            else:
                segments[head] = SegmentWriter(code, head).compiled()
        return segments[head]

    def _take(self, exit: Exit) -> Exit:
        """One edge, or the return of the current activation. Raises `Ended`."""
        machine = self.machine
        self.here, depth, self.is_assumed = machine.code, len(machine.stack), False
        outgoing = () if exit.location in self.here.procedure.marks else self.here.outgoing[exit.location]
        then = None
        if outgoing and exit.location != self.here.procedure.exit:
            self.edge = outgoing[0]
            then = self._before(outgoing[0].operation, is_branch=len(outgoing) > 1)
        exit = exit.run(machine)
        if len(machine.stack) < depth:
            self._leave()
        elif then is not None:
            then()
        return exit

    # edges: what is looked at before, and what is noted after they are taken

    def _before(self, operation: Operation, is_branch: bool) -> Callable[[], None] | None:
        match operation:
            case Skip():
                return None
            case Report(name, arguments):
                passed = [self._value(argument) for argument in (arguments[:-1] if name in TAKING_LISTS else arguments)]
                self.printed.clear()
                return lambda: self._reported(passed)
            case Free(address):
                freed, origin = self._value(address)
                if origin == CHOSEN:
                    raise NotSettled("what is freed", self.edge)
                return lambda: self._freed(freed)
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
                marks, words = self._marked(from_, size), self._words(from_, size)
                return lambda: self._move(to, marks, words)
            case Fill(to_address, byte, size):
                place, (_, origin) = self._place(to_address, size), self._value(byte)
                return lambda: self._mark(place, size, SETTLED if origin == SETTLED else CHOSEN)
            case Declare(name):
                return lambda: self.forget(self.machine.locals[0] + self.here.offset[name], self._size_of(name))
            case Allocate(target, wanted):
                count = self._settled(wanted, "the size of an allocation")
                return lambda: self._allocated(target, count, operation.zeroed, operation.lifetime is Lifetime.FRAME)
            case Call(_, arguments):
                return self._calling(arguments)
            case CallPointer(pointer, arguments):
                if self._value(pointer)[1] == CHOSEN:
                    raise NotSettled("which function is called", self.edge)
                return self._calling(arguments)
            case _:
                raise NotSettled(f"{type(operation).__name__} is not followed", self.edge)

    def _reported(self, passed: list[Value]) -> None:
        """Was the same printed as in every run? Addresses may only lead to text, or to the stream that it goes to."""
        led = {place for place, _ in self.printed} | self.machine.output.streams.keys()
        addresses = {value for value, origin in passed if origin not in (SETTLED, CHOSEN)}
        is_chosen = any(origin == CHOSEN for _, origin in passed)
        for place, size in self.printed:
            marks = self._marked(place, size)
            if marks == self.address_word:
                assert self.edge is not None
                addresses.add(int.from_bytes(self.memory.read(place, size, self.edge), "little"))
            elif any(marks):
                is_chosen = True
        self.is_reported = not is_chosen and addresses <= led

    def _freed(self, place: int) -> None:
        if self.memory.object_at(place) is None:
            self.marks.pop(place, None)

    def _assign(self, target: Variable, origin: int) -> None:
        slot = self.here.slot.get(target.name)
        if slot is not None:
            self.locals[slot] = origin
        else:
            self.globals[self.code.global_slot[target.name]] = origin

    def _allocated(self, target: Variable, size: int, zeroed: bool, is_local: bool) -> None:
        base = self._variable(target)
        if is_local:
            self.given_back.add(base)
        self._assign(target, base if base else SETTLED)
        if base and zeroed:
            self.marks.pop(base, None)  # an object that has gone may have begun there
        elif base:
            self.forget(base, size)

    def _calling(self, arguments: Sequence[Expression]) -> Callable[[], None]:
        origins = [(argument.sort, self._value(argument)[1]) for argument in arguments]
        depth = len(self.machine.stack)

        def enter() -> None:
            if len(self.machine.stack) <= depth:
                raise NotSettled("what a function without a body does", self.edge)
            assert self.edge is not None
            self.callers.append((self.locals, self.edge, self.here))
            self.here = self.machine.code
            self.locals = [SETTLED] * len(self.here.blank)
            for position, parameter in enumerate(self.here.procedure.parameters):
                sort, origin = origins[position] if position < len(origins) else (None, CHOSEN)
                self.locals[self.here.slot[parameter.name]] = _passed(origin, sort, parameter.sort)
            self._enter_frame()

        return enter

    def _leave(self) -> None:
        given = self.here.procedure.result
        origin = self.locals[self.here.slot[given.name]] if given is not None else CHOSEN
        base = self.bases.pop()
        for offset in self.here.offsets:
            self.frames.pop(base + offset, None)
            self.marks.pop(base + offset, None)
        self.locals, edge, self.here = self.callers.pop()
        operation = edge.operation
        assert isinstance(operation, Call | CallPointer)
        if operation.result is not None:
            self._assign(operation.result, _passed(origin, given.sort if given else None, operation.result.sort))

    def _enter_frame(self) -> None:
        """All objects of an activation are uninitialised."""
        base, objects = self.machine.locals[0], self.here.procedure.objects
        for (name, offset), size in zip(self.here.offset.items(), self.here.sizes, strict=True):
            self.frames[base + offset] = (base, objects[name])
            self.forget(base + offset, size)
        self.bases.append(base)

    # memory: a byte is settled, chosen, or one of the bytes of an address, which are in their order

    def _place(self, address: Expression, size: int) -> int:
        """Where an access goes: within one object, whatever was chosen."""
        place, base = self._value(address)
        if base == CHOSEN:
            raise NotSettled("the address of an access", self.edge)
        found = self.memory.object_at(place)
        if found is None or place + size > found[1] or (base != SETTLED and base != found[0]):
            raise NotSettled("an access outside of the object", self.edge)
        return place

    def _marked(self, place: int, size: int) -> bytes:
        """The marks of bytes of one object."""
        found = self.memory.object_at(place)
        marks = self.marks.get(found[0]) if found is not None else None
        if found is None or marks is None:
            return bytes(size)
        return bytes(marks[place - found[0] : place - found[0] + size])

    def _words(self, place: int, size: int) -> dict[int, int]:
        """The origins of addresses among so many bytes, by their offset."""
        return {at: self.words[place + at] for at in self._whole_addresses(self._marked(place, size))}

    def _whole_addresses(self, marks: bytes) -> list[int]:
        found, at = [], marks.find(self.address_word)
        while at >= 0:
            found.append(at)
            at = marks.find(self.address_word, at + self.word)
        return found

    def _mark(self, place: int, size: int, origin: int) -> None:
        found = self.memory.object_at(place)
        if found is None or size == 0:
            return
        base, end = found
        marks = self.marks.get(base)
        if marks is None:
            if origin == SETTLED:
                return
            marks = self.marks[base] = bytearray(end - base)
        offset = place - base
        if origin == SETTLED:
            marks[offset : offset + size] = bytes(size)
        elif origin != CHOSEN and size == self.word:
            marks[offset : offset + size] = self.address_word
            self.words[place] = origin
        else:
            marks[offset : offset + size] = _CHOSEN_BYTE * size

    def forget(self, place: int, size: int) -> None:
        """An object begins there that was not written yet."""
        if size > LARGEST:
            raise NotSettled("an object of that size is not followed", self.edge)
        self.marks[place] = bytearray(_CHOSEN_BYTE * size)
        self.machine.environment.consumed.clear()  # the record of what it holds is not needed, and would grow

    def _move(self, to: int, marks: bytes, words: dict[int, int]) -> None:
        """Pieces of an address are chosen where they arrive: others may complete it there, and it would be another one."""
        if marks.count(0) != len(marks):
            self._mark(to, len(marks), CHOSEN)
            found = self.memory.object_at(to)
            assert found is not None
            arrived = bytearray(marks.translate(_WITHOUT_PIECES))
            for at, origin in words.items():
                arrived[at : at + self.word] = self.address_word
                self.words[to + at] = origin
            offset = to - found[0]
            self.marks[found[0]][offset : offset + len(marks)] = arrived
        else:
            self._mark(to, len(marks), SETTLED)

    # what generated code does with memory; None or False: the edge is to be taken by itself, and nothing was done

    def _block(self, address: int, origin: int, size: int) -> tuple[int, bytearray] | None:
        """First address and bytes of the living object that has all of these."""
        memory = self.memory
        if address >= memory.stack_start:
            index = bisect_right(memory.stack_bases, address) - 1
            base, block = memory.stack_bases[index], memory.stack_blocks[index]
        elif address >= memory.heap_start:
            index = bisect_right(memory.heap_bases, address) - 1
            base, block = memory.heap_bases[index], memory.heap_blocks[index]
        else:
            index = bisect_right(memory.static_bases, address) - 1
            base, block = memory.static_bases[index], memory.static_blocks[index]
        if address + size > base + len(block) or (origin and origin != base) or address == base + len(block):
            return None
        return base, block

    def load(self, address: int, origin: int, size: int) -> int | None:
        found = self._block(address, origin, size)
        if found is None:
            return None
        base, block = found
        offset = address - base
        marks = self.marks.get(base)
        if marks is not None and any(marks[offset : offset + size]):
            return None
        return int.from_bytes(block[offset : offset + size], "little")

    def load_address(self, address: int, origin: int) -> tuple[int, int] | None:
        size = self.word
        found = self._block(address, origin, size)
        if found is None:
            return None
        base, block = found
        offset = address - base
        marks, origin = self.marks.get(base), SETTLED
        if marks is not None:
            of_word = marks[offset : offset + size]
            if of_word == self.address_word:
                origin = self.words[address]
            elif of_word != self.settled_word:
                return None
        return int.from_bytes(block[offset : offset + size], "little"), origin

    def store(self, address: int, origin: int, value: int, size: int) -> bool:
        found = self._block(address, origin, size)
        if found is None:
            return False
        base, block = found
        offset = address - base
        block[offset : offset + size] = value.to_bytes(size, "little")
        marks = self.marks.get(base)
        if marks is not None:
            marks[offset : offset + size] = bytes(size)
        return True

    def store_address(self, address: int, origin: int, value: int, value_origin: int) -> bool:
        found = self._block(address, origin, self.word)
        if found is None:
            return False
        base, block = found
        block[address - base : address - base + self.word] = value.to_bytes(self.word, "little")
        self._mark(address, self.word, value_origin)
        return True

    def copy(self, to: int, to_origin: int, from_: int, from_origin: int, size: int) -> bool:
        target, source = self._block(to, to_origin, size), self._block(from_, from_origin, size)
        if target is None or source is None:
            return False
        marks, words = self._marked(from_, size), self._words(from_, size)
        target[1][to - target[0] : to - target[0] + size] = source[1][from_ - source[0] : from_ - source[0] + size]
        self._move(to, marks, words)
        return True

    def fill(self, to: int, origin: int, byte: int, size: int) -> bool:
        target = self._block(to, origin, size)
        if target is None:
            return False
        target[1][to - target[0] : to - target[0] + size] = bytes((byte,)) * size
        self._mark(to, size, SETTLED)
        return True

    def _size_of(self, name: str) -> int:
        return self.here.procedure.objects[name].size

    # values

    def _settled(self, expression: Expression, what: str) -> int:
        value, origin = self._value(expression)
        if origin != SETTLED:
            raise NotSettled(what, self.edge)
        return value

    def _variable(self, variable: Variable) -> int:
        slot = self.here.slot.get(variable.name)
        return int(self.machine.locals[slot] if slot is not None else self.machine.globals[self.code.global_slot[variable.name]])

    def _value(self, expression: Expression) -> Value:
        match expression:
            case Constant(_, value):
                return value, SETTLED
            case Variable(name):
                slot = self.here.slot.get(name)
                origin = self.locals[slot] if slot is not None else self.globals[self.code.global_slot[name]]
                return (0, CHOSEN) if origin == CHOSEN else (self._variable(expression), origin)
            case Address(target):
                is_local = target in self.here.offset
                base = self.machine.locals[0] + self.here.offset[target] if is_local else self.code.address(target)
                return base, base
            case Input():
                known = self.machine.environment.known(expression) if self.is_reported else None
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
        marks = self._marked(place, size)
        base: int = SETTLED
        if marks == self.address_word:
            base = self.words[place]
        elif any(marks):
            return 0, CHOSEN
        assert self.edge is not None
        value = int.from_bytes(self.memory.read(place, size, self.edge), "little")
        match sort:
            case Bool():
                value = int(value != 0)
            case BitVec(width):
                value &= (1 << width) - 1
        if sort == EXTENDED:
            return (extended_from_memory(value), base) if is_extended(value) else (0, CHOSEN)
        return value, base

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
            base = self.origin(expression.operator, operands)
            if base == CHOSEN:
                return 0, CHOSEN
        sorts = tuple([argument.sort for argument in expression.arguments])
        return semantics.function(expression.operator, expression.sort, sorts)(*(value for value, _ in operands)), base

    def origin(self, operator: str, operands: list[Value]) -> int:
        """Of what is computed from an address, at least one."""
        if operator in ("position", "pointer"):
            return operands[0][1]
        if len(operands) != 2:
            return CHOSEN
        (a, left), (b, right) = operands
        match operator:
            case "bvadd" if left == SETTLED or right == SETTLED:
                return right if left == SETTLED else left
            case "bvsub" if right == SETTLED:
                return left
            case "bvsub" | "=" if left == right:
                return SETTLED  # offsets in one object
            case "bvult" | "bvule" if left == right:  # elsewhere, a number beyond the object might wrap around
                return SETTLED if self._is_in(a, left) and self._is_in(b, right) else CHOSEN
            case "=" if left == SETTLED:  # only NULL is no address of anything
                return SETTLED if a == 0 and self._is_in(b, right) else CHOSEN
            case "=" if right == SETTLED:
                return SETTLED if b == 0 and self._is_in(a, left) else CHOSEN
            case "=":
                are_within = self._is_within(a, left) and self._is_within(b, right)
                are_apart = self._live_together(left, right) and not self._may_be_shared(*operands)
                return SETTLED if are_within and are_apart else CHOSEN
            case _:
                return CHOSEN

    def _live_together(self, first: int, second: int) -> bool:
        """Not two locals of one activation in blocks that are apart, or of variable length: one may lie where the other lay."""
        if first in self.given_back and second in self.given_back:
            return False
        one, other = self.frames.get(first), self.frames.get(second)
        return one is None or other is None or one[0] != other[0] or one[1].may_live_with(other[1])

    def _is_in(self, address: int, base: int) -> bool:
        """In that object, or just behind it?"""
        if base in self.code.function_at:
            return address == base
        found = self.memory.object_at(base)
        return found is not None and base <= address <= found[1]

    def _may_be_shared(self, one: Value, other: Value) -> bool:
        """Are they places in literals that may be one?"""
        (a, first), (b, second) = one, other
        objects = [self.frames[base][1] if base in self.frames else self.static.get(base) for base in (first, second)]
        if objects[0] is None or objects[1] is None:
            return False
        return may_be_equal(objects[0], a - first, objects[1], b - second)

    def _is_within(self, address: int, base: int) -> bool:
        """Not behind its end, where another object may begin. Functions are never compared with what is behind them."""
        if base in self.code.function_at:
            return address == base
        found = self.memory.object_at(address)
        return found is not None and found[0] == base


def _passed(origin: int, given: Sort | None, wanted: Sort) -> int:
    """Of a value that is passed where another sort may be expected."""
    if given is None:
        return CHOSEN
    return origin if origin == SETTLED or given == wanted else CHOSEN
