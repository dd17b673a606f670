"""The state of a run, as the generated code sees it: variables, memory, the activations that have called others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from drystone.concrete.code_generation import CallSite, Exit, PointerSite, ProcedureCode, ProgramCode
from drystone.concrete.flat_memory import NULL_PAGE, Ended
from drystone.concrete.generated_text import START
from drystone.concrete.inputs import Environment, InputSource
from drystone.concrete.output import STANDARD_STREAMS, Output, stream_object
from drystone.concrete.slotted_memory import memory_of
from drystone.ir import names
from drystone.ir.automaton import Edge, OpenCall
from drystone.ir.expressions import Determinant, Input, InputKind
from drystone.ir.operations import CallPointer, ThreadOperation

if TYPE_CHECKING:
    from drystone.concrete.found_races import Race

Activation = tuple[list[int], CallSite, ProcedureCode, int, int]
"""One that has called another: its variables, the call, its code, and how far the stack was in use."""


def open_calls_of(stack: list[Activation]) -> tuple[OpenCall, ...]:
    return tuple(OpenCall(site.callee.procedure.name, site.enter.edges[-1].origin) for _, site, _, _, _ in stack)


def _zeros(size: int) -> bytearray:
    """The table of what lives where is large, and a run touches little of it: only that is to cost something."""
    from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap

    return cast(bytearray, mmap(-1, size, flags=MAP_PRIVATE | MAP_ANONYMOUS))  # it has what is asked of a block


class Machine:
    """The state of a run, as the generated code sees it."""

    __slots__ = (
        "locals", "globals", "static_blocks", "stack", "code", "memory", "environment",
        "load", "store", "copy", "fill", "declare", "allocate", "allocate_in_frame", "reallocate", "free",
        "layout", "value", "note_external", "output", "report", "race",
    )  # fmt: skip

    def __init__(self, program_code: ProgramCode, source: InputSource) -> None:
        self.environment = environment = Environment(source)
        layout = program_code.layout
        table = layout.static_index.get(names.EXTENTS)
        images = enumerate(layout.images)
        self.static_blocks = [_zeros(len(image)) if index == table else bytearray(image) for index, image in images]
        self.memory = memory = memory_of(layout.space, layout.static_bases, self.static_blocks, environment)
        self.load, self.store, self.copy, self.fill = memory.load, memory.store, memory.copy, memory.fill
        self.declare, self.free = memory.declare, memory.free
        self.allocate, self.allocate_in_frame, self.reallocate = memory.allocate, memory.allocate_in_frame, memory.reallocate
        self.value, self.note_external = environment.value, environment.note_external
        streams = {name: layout.static_index.get(stream_object(name)) for name in STANDARD_STREAMS}
        numbers = {layout.static_bases[at]: number for number, at in enumerate(streams.values()) if at is not None}
        self.layout = layout
        self.output = Output(memory, numbers, environment, program_code.program.pointer_width, self._is_block_lost)
        self.report = self.output.report
        self.race: Race | None = None  # the data race that has ended the run
        self.stack: list[Activation] = []
        environment.open_calls = partial(open_calls_of, self.stack)
        for index, name, size in layout.external_objects():
            self.static_blocks[index][:] = environment.block(size, InputKind.EXTERNAL, name, START)
        self.locals: list[int] = []
        self.globals: list[int] = program_code.initial_globals(self)
        self.code = entry = program_code.procedure(program_code.program.entry)
        frame = entry.frame
        self.locals = frame.blank.copy()
        for position, parameter in enumerate(entry.procedure.parameters):
            given = Input(position, parameter.sort, InputKind.EXTERNAL, parameter.name, ctype=parameter.ctype)
            self.locals[1 + position] = self.value(given, START)
        if frame.size:
            self.locals[0] = memory.enter(frame.offsets, frame.sizes, frame.size)

    @property
    def thread(self) -> int:
        """The number of the thread that runs; others are those of a `ThreadedMachine`."""
        return 0

    @property
    def went_back(self) -> bool:
        """Has the latest edge taken the thread back to the begin of an atomic section?"""
        return False

    def activations(self) -> Iterator[tuple[ProcedureCode, list[int]]]:
        """Code and variables of all that is open, the latest first."""
        yield self.code, self.locals
        for variables, _, caller, _, _ in reversed(self.stack):
            yield caller, variables

    def _is_block_lost(self, frames_live: bool) -> bool:
        from drystone.concrete.lost_blocks import is_block_lost  # most programs do not ask

        values = list(self.globals)
        for _, variables in self.activations() if frames_live else ():
            values += variables
        table, width = self.layout.static_index[names.EXTENTS], self.layout.program.pointer_width
        return is_block_lost(self.memory, (table,), values, width, frames_live=frames_live)

    def schedule(self, exit: Exit) -> Exit:
        """Where the next edge begins, in the thread that is to take it."""
        return exit

    def advance(self, exit: Exit) -> Exit:
        """Runs the segment there, and gives the exit that it left by."""
        return exit.run(self)

    def call(self, site: CallSite, arguments: tuple[int, ...]) -> Exit:
        callee, memory = site.callee, self.memory
        self.stack.append((self.locals, site, self.code, memory.stack_next, len(memory.stack_bases)))
        self.code, frame = callee, callee.frame
        self.locals = variables = frame.blank.copy()
        variables[1 : 1 + len(arguments)] = arguments
        if frame.size:
            variables[0] = memory.enter(frame.offsets, frame.sizes, frame.size)
        return site.enter

    def call_pointer(self, site: PointerSite, address: int, arguments: tuple[int, ...]) -> Exit:
        target = site.target(address)
        if target is not None:
            adapt, call = target
            return self.call(call, adapt(self, *arguments))
        if address < NULL_PAGE:
            raise Ended("crash", "call of a null pointer", site.edge)
        function = site.caller.program_code.layout.function_at.get(address)
        name = f"call of {function} through a pointer" if function is not None else "call through a pointer to no function"
        self.note_external(name, site.edge)
        operation = site.edge.operation
        assert isinstance(operation, CallPointer)
        if operation.result is not None:
            result = operation.result
            given = Input(-1, result.sort, InputKind.EXTERNAL, name, Determinant.FUNCTION, result.ctype)
            value = self.value(given, site.edge)
            slot = site.caller.frame.slot.get(result.name)
            if slot is not None:
                self.locals[slot] = value
            else:
                self.globals[site.caller.program_code.layout.global_slot[operation.result.name]] = value
        return site.skip

    def thread_operation(self, edge: Edge, arguments: tuple[int, ...]) -> int:
        """Its result. Here there is only one thread."""
        assert isinstance(edge.operation, ThreadOperation)
        raise Ended("unknown", f"thread operation {edge.operation.name}", edge)

    def leave(self) -> Exit:
        """The current activation ends."""
        if not self.stack:
            raise Ended("returned", "")
        result = self.locals[self.code.frame.result_slot]
        self.locals, site, self.code, base, objects = self.stack.pop()
        memory = self.memory
        if len(memory.stack_bases) != objects:
            memory.leave(base, objects)
        if site.receive is not None:
            site.receive(self, result)
        return site.resume
