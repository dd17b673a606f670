"""Is a run all that a program can do? It is if nothing that was chosen decides anything.

The run is followed edge by edge, and with it what its values come from. A value is *settled* if it is the same in every run; it
is an *address* if it is the place of a settled offset within an object, wherever the object lies; all other values are *chosen*:
inputs (uninitialised memory among them), bits of addresses, distances and order of different objects, and what is computed from
these. As long as conditions and sizes are settled and all memory is accessed at addresses, every other run takes the same edges.

What is here takes one edge at a time and knows all cases; most edges are taken many at a time, by generated code
(`concrete.determinism_code`) that leaves the others to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from drystone.concrete.address_origins import LivingObjects
from drystone.concrete.code_generation import Exit, ProcedureCode, ProgramCode
from drystone.concrete.determinism_code import Follower, SegmentWriter, Way
from drystone.concrete.flat_memory import Ended
from drystone.concrete.inputs import ZeroInputs
from drystone.concrete.machine import Machine
from drystone.concrete.origins import CHOSEN, LARGEST, SETTLED, MemoryOrigins, NotSettled, Value
from drystone.concrete.output import TAKING_LISTS
from drystone.concrete.settled_values import Values, VariableOrigins
from drystone.ir.automaton import Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Variable, byte_size
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

MOST_FOLLOWED = 10_000_000
"""Edges: a longer run is not followed to its end."""

_ENDS = frozenset(("returned", "halt", "blocked"))
_WAYS_BETWEEN_LOOKS = 200  # at the time


class Followed(NamedTuple):
    """The run with zeros for all inputs."""

    problem: str  # why it is not all that the program can do, or not free of errors; empty if it is
    steps: int  # edges and returns
    is_error: bool = False  # does it reach an error?


def follow(program: Program, max_steps: int, is_over: Callable[[], bool] = lambda: False) -> Followed:
    """Follows the run for at most so many steps, until it is over."""
    if program.has_threads:
        return Followed("there are other executions: threads may take turns otherwise", 0)
    try:
        following = Following(program)
        ended = following.run(max_steps, is_over)
    except NotSettled as choice:
        where = f" at {program.where(choice.edge.origin)}" if choice.edge is not None else ""
        return Followed(f"there are other executions: {choice} may be different{where}", 0)
    if ended.kind not in _ENDS:
        problem = f"the execution does not end: {ended.kind} {ended.what}".rstrip()
        return Followed(problem, following.steps, ended.kind == "error")
    return Followed("", following.steps)


class Following:
    """Follows one run. `by_edge`: one edge at a time, without generated code."""

    def __init__(self, program: Program, by_edge: bool = False) -> None:
        self.code = ProgramCode(program, longest_segment=1, merges=False)  # an address tells which object it is of
        self.machine = Machine(self.code, ZeroInputs())
        self.memory = self.machine.memory
        self.memory.reuses_stack = False  # an address tells which activation's object it is of
        static = {self.code.layout.address(object_.name): object_ for object_ in program.objects.values()}
        self.objects = LivingObjects(self.memory, static, self.code.layout.function_at)
        self.bytes = MemoryOrigins(self.memory, program.pointer_width // 8)
        self.variables = VariableOrigins(self.code, self.machine)
        self.values = Values(self.machine, self.variables, self.bytes, self.objects)
        self.by_edge = by_edge
        self.segments: dict[ProcedureCode, dict[int, Callable[[Follower], Way]]] = {}
        self.steps = 0
        self.is_assumed = False  # is the edge an assumption about what was chosen?
        self.bases: list[int] = []  # of the activations' objects
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
            self.variables.globals[self.code.layout.global_slot[name]] = self._static_origin(value)
        for name, memory_object in program.objects.items():
            for offset, expression in memory_object.relocations:
                place = self.code.layout.address(name) + offset
                self.bytes.mark(place, byte_size(expression.sort), self._static_origin(expression))
        for _, name, size in self.code.layout.external_objects():
            self.bytes.mark(self.code.layout.address(name), size, CHOSEN)
        self._enter_frame()

    def _static_origin(self, expression: Expression) -> int:
        match expression:
            case Constant():
                return SETTLED
            case Address(target):
                return self.code.layout.address(target)
            case Apply("bvadd", _, (Address(target), Constant())):
                return self.code.layout.address(target)
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
                    raise NotSettled("an assumption", self.values.edge) from None  # with other inputs it may hold
                return ended
            self.steps += 1
        return Ended("limit", f"{max_steps} edges")

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
        here, depth, self.is_assumed = machine.code, len(machine.stack), False
        self.variables.here = here
        outgoing = () if exit.location in here.procedure.marks else here.outgoing[exit.location]
        then = None
        if outgoing and exit.location != here.procedure.exit:
            self.values.edge = outgoing[0]
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
                passed = [self.values.value(argument) for argument in (arguments[:-1] if name in TAKING_LISTS else arguments)]
                self.printed.clear()
                return lambda: self._reported(passed)
            case Free(address):
                freed, origin = self.values.value(address)
                if origin == CHOSEN:
                    raise NotSettled("what is freed", self.values.edge)
                return lambda: self._freed(freed)
            case Assume(condition) if is_branch:
                self.values.settled(condition, "a condition")
                return None
            case Assume(condition):  # runs in which it fails end here, without an error
                self.is_assumed = self.values.value(condition)[1] != SETTLED
                return None
            case Assign(target, value):
                _, origin = self.values.value(value)
                return lambda: self.variables.assign(target, origin)
            case Store(address, stored):
                count = byte_size(stored.sort)
                place, (_, origin) = self.values.place(address, count), self.values.value(stored)
                return lambda: self.bytes.mark(place, count, origin)
            case Copy(to_address, from_address, size):
                to, from_ = self.values.place(to_address, size), self.values.place(from_address, size)
                marks, words = self.bytes.marked(from_, size), self.bytes.addresses(from_, size)
                return lambda: self.bytes.move(to, marks, words)
            case Fill(to_address, byte, size):
                place, (_, origin) = self.values.place(to_address, size), self.values.value(byte)
                return lambda: self.bytes.mark(place, size, SETTLED if origin == SETTLED else CHOSEN)
            case Declare(name):
                begun = self.variables.here.procedure.objects[name]
                return lambda: self.forget(self.variables.address(name), begun.size)
            case Allocate(target, wanted):
                count = self.values.settled(wanted, "the size of an allocation")
                return lambda: self._allocated(target, count, operation.zeroed, operation.lifetime is Lifetime.FRAME)
            case Call(_, arguments):
                return self._calling(arguments)
            case CallPointer(pointer, arguments):
                if self.values.value(pointer)[1] == CHOSEN:
                    raise NotSettled("which function is called", self.values.edge)
                return self._calling(arguments)
            case _:
                raise NotSettled(f"{type(operation).__name__} is not followed", self.values.edge)

    def _reported(self, passed: list[Value]) -> None:
        """Was the same printed as in every run? Addresses may only lead to text, or to the stream that it goes to."""
        led = {place for place, _ in self.printed} | self.machine.output.streams.keys()
        addresses = {value for value, origin in passed if origin not in (SETTLED, CHOSEN)}
        is_chosen = any(origin == CHOSEN for _, origin in passed)
        for place, size in self.printed:
            marks = self.bytes.marked(place, size)
            if marks == self.bytes.address_word:
                assert self.values.edge is not None
                addresses.add(int.from_bytes(self.memory.read(place, size, self.values.edge), "little"))
            elif any(marks):
                is_chosen = True
        self.values.is_reported = not is_chosen and addresses <= led

    def _freed(self, place: int) -> None:
        if self.memory.object_at(place) is None:
            self.bytes.end(place)

    def _allocated(self, target: Variable, size: int, zeroed: bool, is_local: bool) -> None:
        base = self.variables.value(target.name)
        if is_local:
            self.objects.given_back.add(base)
        self.variables.assign(target, base if base else SETTLED)
        if base and zeroed:
            self.bytes.end(base)  # an object that has gone may have begun there
        elif base:
            self.forget(base, size)

    def _calling(self, arguments: Sequence[Expression]) -> Callable[[], None]:
        given = [(argument.sort, self.values.value(argument)[1]) for argument in arguments]
        depth = len(self.machine.stack)

        def enter() -> None:
            edge = self.values.edge
            if len(self.machine.stack) <= depth:
                raise NotSettled("what a function without a body does", edge)
            assert edge is not None
            self.variables.enter(edge, given)
            self._enter_frame()

        return enter

    def _leave(self) -> None:
        base = self.bases.pop()
        for offset in self.variables.here.frame.offsets:
            self.objects.frames.pop(base + offset, None)
            self.bytes.end(base + offset)
        self.variables.leave()

    def _enter_frame(self) -> None:
        """All objects of an activation are uninitialised."""
        base, here = self.machine.locals[0], self.variables.here
        objects = here.procedure.objects
        for (name, offset), size in zip(here.frame.offset.items(), here.frame.sizes, strict=True):
            self.objects.frames[base + offset] = (base, objects[name])
            self.forget(base + offset, size)
        self.bases.append(base)

    def forget(self, place: int, size: int) -> None:
        """An object begins there that was not written yet."""
        if size > LARGEST:
            raise NotSettled("an object of that size is not followed", self.values.edge)
        self.bytes.begin(place, size)
        self.machine.environment.consumed.clear()  # the record of what it holds is not needed, and would grow
