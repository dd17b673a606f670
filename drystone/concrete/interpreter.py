"""Runs a program on given inputs, exactly as its automata say: no regions, no slicing, no encoding.

This is the reference for what a program means. It replays counterexamples, explores programs at random,
and is tested against gcc. Procedures call each other with a stack of activations of their own, so recursion is limited by the
steps only; a program inlined to one procedure runs by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from drystone.concrete.code_generation import LONGEST_SEGMENT, Exit, ProgramCode
from drystone.concrete.flat_memory import LARGEST_OBJECT, Ended
from drystone.concrete.inputs import (
    Consumed,
    Event,
    InputSource,
    KeyedInputs,
    ListedInputs,
    RecordedInputs,
    SeededInputs,
    ZeroInputs,
)
from drystone.concrete.machine import Machine
from drystone.concrete.output import STOPPED_BY_SEGMENTATION
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Edge, MemoryObject, OpenCall, Origin, Program

if TYPE_CHECKING:
    from drystone.concrete.found_races import Race
    from drystone.concrete.threads import ThreadedMachine

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
    race: Race | None = None  # the error, if it is a data race
    calls: tuple[OpenCall, ...] = ()  # at an error or at something that is not modelled: that are open there, outermost first


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
            self.program_code = ProgramCode(program, 1 if program.has_threads else LONGEST_SEGMENT, tight=tight)

    def run(
        self,
        inputs: InputSource,
        *,
        max_steps: int = 1_000_000,
        record_path: bool = False,
        make_machine: Callable[[ProgramCode, InputSource], Machine] | None = None,
    ) -> Outcome:
        """One run from the entry. It may exceed `max_steps` by the length of a straight piece of code."""
        if self._too_large is not None:
            what = f"object {self._too_large.name} of {self._too_large.size:,} bytes is too large to be run"
            return Outcome("limit", what, self._too_large.origin, 0, (), (), (), (), None, {}, {}, self.program.entry, {})
        if self.program.has_threads:
            from drystone.concrete.threads import ThreadedMachine

            return self._run_threads(ThreadedMachine(self.program_code, inputs), max_steps, record_path)
        machine = (make_machine or Machine)(self.program_code, inputs)
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
        return self._ended(machine, exit, ended, steps, taken if record_path else None)

    def _run_threads(self, machine: ThreadedMachine, max_steps: int, record_path: bool) -> Outcome:
        """Threads take turns, as the schedule says, which is a part of the inputs."""
        exit = machine.code.begin(machine.code.procedure.entry)
        steps, taken = 0, [exit]
        try:
            while steps < max_steps:
                exit = machine.schedule(exit)
                exit = machine.advance(exit)
                steps += max(exit.cost, 1)
                if record_path:
                    taken.append(exit)
            ended = Ended("limit", f"{max_steps} edges")
        except Ended as end:
            ended, exit = end, machine.latest
        return self._ended(machine, exit, ended, steps, taken if record_path else None)

    def _ended(self, machine: Machine, exit: Exit, ended: Ended, steps: int, taken: list[Exit] | None) -> Outcome:
        """What is to be said of a run that has come to `exit`, and ended there or in the segment behind it."""
        path = [edge for passed in taken or () for edge in passed.edges]
        origin = NOWHERE
        if ended.edge is not None:
            last = exit.code.taken_before(exit.location, ended.edge)
            if ended.taken:
                last.append(ended.edge)
            steps += len(last)
            path += last
            origin = ended.edge.origin
        elif machine.race is None and exit.location in exit.code.procedure.marks:
            origin = exit.code.procedure.marks[exit.location].origin
        return self._outcome(machine, ended, origin, steps, tuple(path) if taken is not None else ())

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
            objects={
                name: machine.static_blocks[index]
                for name, index in self.program_code.layout.static_index.items()
                if name != names.EXTENTS
            },
            procedure=code.procedure.name,
            locals={name: int(machine.locals[slot]) for name, slot in code.frame.slot.items()},
            output=bytes(machine.output.texts[1]),
            errors=bytes(machine.output.texts[2]),
            unprinted=tuple(machine.output.missing),
            status=_status(machine, ended.kind, has_result),
            stack=machine.memory.deepest - machine.memory.stack_start,
            calls=machine.environment.open_calls() if ended.kind in ("unknown", "error") else (),
            race=machine.race,
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
