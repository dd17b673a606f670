"""Runs a program on given inputs, exactly as its automata say: no regions, no slicing, no encoding.

This is the reference for what a program means. It replays counterexamples, explores programs at random,
and is tested against gcc. Procedures call each other with a stack of activations of their own, so recursion is limited by the
steps only; a program inlined to one procedure runs by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import msgspec

from drystone.concrete.code_generation import CallSite, Exit, PointerSite, ProcedureCode, ProgramCode
from drystone.concrete.flat_memory import LARGEST_OBJECT, NULL_PAGE, Ended, FlatMemory
from drystone.concrete.generated_text import START
from drystone.concrete.inputs import (
    Consumed,
    Environment,
    Event,
    InputSource,
    KeyedInputs,
    ListedInputs,
    RecordedInputs,
    SeededInputs,
    ZeroInputs,
)
from drystone.concrete.output import STANDARD_STREAMS, STOPPED_BY_SEGMENTATION, Output, stream_object
from drystone.ir.automaton import NOWHERE, Edge, MemoryObject, OpenCall, Origin, Program
from drystone.ir.expressions import Determinant, Input, InputKind
from drystone.ir.operations import CallPointer

__all__ = [
    "Consumed",
    "Event",
    "InputSource",
    "Interpreter",
    "KeyedInputs",
    "ListedInputs",
    "Outcome",
    "RecordedInputs",
    "SeededInputs",
    "ZeroInputs",
    "interpret",
]


class Outcome(msgspec.Struct, frozen=True):
    """How a run ended. All values are bit patterns: unsigned numbers."""

    kind: str
    """error, unknown, halt: a location with that mark; returned: from the entry procedure; blocked: an assumption failed;
    crash: an access through a null pointer; limit: of steps or of the stack."""
    what: str
    origin: Origin
    steps: int  # edges taken
    path: tuple[Edge, ...]  # the edges, if they were to be recorded
    inputs: tuple[Consumed, ...]  # in the order in which they were read
    undefined: tuple[Event, ...]  # each undefined operation once
    external: tuple[Event, ...]  # each call of unknown code through a pointer once
    result: int | None  # of the entry procedure, if it returned
    globals: Mapping[str, int]  # final values of the global variables that are not in memory
    objects: Mapping[str, bytearray]  # final bytes of the global objects
    procedure: str  # the one in which the run ended
    locals: Mapping[str, int]  # and the values of its variables
    output: bytes = b""  # what was printed to the standard output
    errors: bytes = b""  # and to the standard error
    unprinted: tuple[str, ...] = ()  # what is missing there, and why
    status: int | None = None
    """With which the program ends, as a shell sees it: 0 to 255, or minus the number of a signal; None: it did not end."""
    stack: int = 0  # bytes of it that were in use at most, by objects
    calls: tuple[OpenCall, ...] = ()  # if it ended at something that is not modelled: those that are open there, outermost first


_Activation = tuple[list[int], CallSite, ProcedureCode, int, int]
"""One that has called another: its variables, the call, its code, and how far the stack was in use."""


def _open_calls(stack: list[_Activation]) -> tuple[OpenCall, ...]:
    return tuple(OpenCall(site.callee.procedure.name, site.enter.edges[-1].origin) for _, site, _, _, _ in stack)


class Machine:
    """The state of a run, as the generated code sees it."""

    __slots__ = (
        "locals", "globals", "static_blocks", "stack", "code", "memory", "environment",
        "load", "store", "copy", "fill", "declare", "allocate", "allocate_in_frame", "reallocate", "free",
        "value", "note_external", "output", "report",
    )  # fmt: skip

    def __init__(self, program_code: ProgramCode, source: InputSource) -> None:
        self.environment = environment = Environment(source)
        layout = program_code.layout
        self.static_blocks = [bytearray(image) for image in layout.images]
        self.memory = memory = FlatMemory(layout.space, layout.static_bases, self.static_blocks, environment)
        self.load, self.store, self.copy, self.fill = memory.load, memory.store, memory.copy, memory.fill
        self.declare, self.free = memory.declare, memory.free
        self.allocate, self.allocate_in_frame, self.reallocate = memory.allocate, memory.allocate_in_frame, memory.reallocate
        self.value, self.note_external = environment.value, environment.note_external
        streams = {name: layout.static_index.get(stream_object(name)) for name in STANDARD_STREAMS}
        numbers = {layout.static_bases[at]: number for number, at in enumerate(streams.values()) if at is not None}
        self.output = Output(memory, numbers, environment, program_code.program.pointer_width)
        self.report = self.output.report
        self.stack: list[_Activation] = []
        environment.open_calls = partial(_open_calls, self.stack)
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


def _all_objects(program: Program) -> Iterator[MemoryObject]:
    yield from program.objects.values()
    for procedure in program.procedures.values():
        yield from procedure.objects.values()


class Interpreter:
    """Runs one program any number of times; what was compiled for one run serves the next."""

    def __init__(self, program: Program, tight: bool = False) -> None:
        """`tight`: with objects at other addresses, close together."""
        self.program = program
        self._too_large = next((object_ for object_ in _all_objects(program) if object_.size > LARGEST_OBJECT), None)
        if self._too_large is None:
            self.program_code = ProgramCode(program, tight=tight)

    def run(
        self,
        inputs: InputSource,
        *,
        max_steps: int = 1_000_000,
        record_path: bool = False,
        make_machine: Callable[[ProgramCode, InputSource], Machine] = Machine,
    ) -> Outcome:
        """One run from the entry. It may exceed `max_steps` by the length of a straight piece of code."""
        if self._too_large is not None:
            what = f"object {self._too_large.name} of {self._too_large.size:,} bytes is too large to be run"
            return Outcome("limit", what, self._too_large.origin, 0, (), (), (), (), None, {}, {}, self.program.entry, {})
        machine = make_machine(self.program_code, inputs)
        entry = machine.code
        exit = entry.begin(entry.procedure.entry)
        steps, taken = 0, [exit]
        try:
            if record_path:
                while steps < max_steps:
                    exit = exit.run(machine)
                    steps += exit.cost
                    taken.append(exit)
            else:
                while steps < max_steps:
                    exit = exit.run(machine)
                    steps += exit.cost
            ended = Ended("limit", f"{max_steps} edges")
        except Ended as end:
            ended = end
        path = [edge for passed in taken for edge in passed.edges]
        origin = NOWHERE
        if ended.edge is not None:
            last = exit.code.taken_before(exit.location, ended.edge)
            if ended.taken:
                last.append(ended.edge)
            steps += len(last)
            path += last
            origin = ended.edge.origin
        elif exit.location in exit.code.procedure.marks:
            origin = exit.code.procedure.marks[exit.location].origin
        return self._outcome(machine, ended, origin, steps, tuple(path) if record_path else ())

    def _outcome(self, machine: Machine, ended: Ended, origin: Origin, steps: int, path: tuple[Edge, ...]) -> Outcome:
        code = machine.code
        has_result = ended.kind == "returned" and code.procedure.result is not None
        return Outcome(
            kind=ended.kind,
            what=ended.what,
            origin=origin,
            steps=steps,
            path=path,
            inputs=tuple(machine.environment.consumed),
            undefined=tuple(machine.environment.undefined.values()),
            external=tuple(machine.environment.external),
            result=int(machine.locals[code.frame.result_slot]) if has_result else None,
            globals={name: int(value) for name, value in zip(self.program.variables, machine.globals, strict=True)},
            objects={name: machine.static_blocks[index] for name, index in self.program_code.layout.static_index.items()},
            procedure=code.procedure.name,
            locals={name: int(machine.locals[slot]) for name, slot in code.frame.slot.items()},
            output=bytes(machine.output.texts[1]),
            errors=bytes(machine.output.texts[2]),
            unprinted=tuple(machine.output.missing),
            status=_status(machine, ended.kind, has_result),
            stack=machine.memory.deepest - machine.memory.stack_start,
            calls=machine.environment.open_calls() if ended.kind == "unknown" else (),
        )


def _status(machine: Machine, kind: str, has_result: bool) -> int | None:
    match kind:
        case "returned":
            return machine.locals[machine.code.frame.result_slot] & 0xFF if has_result else 0
        case "halt" | "error":
            return machine.output.status
        case "crash":
            return STOPPED_BY_SEGMENTATION
        case _:
            return None


def interpret(program: Program, inputs: InputSource, *, max_steps: int = 1_000_000, record_path: bool = False) -> Outcome:
    """One run of a program. For many runs, keep an `Interpreter`."""
    return Interpreter(program).run(inputs, max_steps=max_steps, record_path=record_path)
