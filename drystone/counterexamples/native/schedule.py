"""The schedule of a recorded execution, as a compiled program can follow it.

A compiled program knows neither edges nor locations. What it has in common with the interpreter is what each thread does that
others may notice, in this order: it reads, writes, begins an atomic section, waits for a thread, begins and ends. These are the
*points* of a schedule, each with the lines of the source where it happens. `counterexamples/native/c/baton.c` lets the threads
of the compiled program pass them in the recorded order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

import msgspec

from drystone.concrete.inputs import Consumed, RecordedInputs
from drystone.concrete.threads import ThreadedMachine
from drystone.counterexamples.steps import Execution, Moment
from drystone.ir.automaton import Origin, Program
from drystone.ir.expressions import Address, Load, Variable
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Copy, Fill, Operation, Store, ThreadAction, ThreadOperation, assigned

MOST_POINTS = 200_000  # of a schedule that is compiled


class PointKind(IntEnum):
    """As `baton.c` numbers them."""

    READ = 0
    WRITE = 1
    SECTION = 2  # an atomic section begins: one of the program, or what an operation on a lock is
    JOIN = 3
    START = 4  # of a thread
    END = 5


class Point(msgspec.Struct, frozen=True):
    thread: int
    kind: PointKind
    origin: Origin
    is_optional: bool = False  # of an object that compilers may know to be the thread's own


class Schedule(msgspec.Struct, frozen=True):
    points: list[Point]  # from the moment on at which there are two threads
    threads: int  # how many there are
    takers: list[int]  # of each input, the thread that read it


def schedule_of_run(program: Program, inputs: Sequence[Consumed], length: int) -> Schedule | None:
    """Runs the interpreter on recorded inputs for so many edges; None: the schedule is too long."""
    most = 3 * length + 1_000  # calls and returns count for themselves
    execution = Execution(program, RecordedInputs(inputs))
    machine = execution.machine
    assert isinstance(machine, ThreadedMachine)
    recorder = _Recorder(program, machine)
    for moment in execution.moments(most, range(most)):
        recorder.take(moment)
        if len(recorder.points) > MOST_POINTS:
            return None
    recorder.note_takers(machine.thread)
    return Schedule(recorder.points, len(machine.threads), recorder.takers)


class _Recorder:
    def __init__(self, program: Program, machine: ThreadedMachine) -> None:
        self.program, self.machine = program, machine
        self.points: list[Point] = []
        self.takers: list[int] = []
        self._seen = frozenset(program.variables) - program.thread_locals
        self._begun, self._ended = {0}, set[int]()
        self._depth, self._owner = 0, 0  # of the atomic section, and whose it is
        self._section: int | None = None  # its point

    def take(self, moment: Moment) -> None:
        self.note_takers(moment.thread)
        self._note_ended(moment)
        if self._depth and moment.thread != self._owner:  # it had to wait before it did anything, and begins again later
            if self._section is not None:
                del self.points[self._section]
            self._depth = 0
        if moment.thread not in self._begun:
            self._begun.add(moment.thread)
            self._add(moment, PointKind.START)
        operation = moment.edge.operation
        if isinstance(operation, ThreadOperation):
            self._operate(moment, operation)
        elif not (self._depth or moment.is_inside_library or moment.is_return):
            for kind, is_optional in self._accesses(operation):
                self._add(moment, kind, is_optional)

    def note_takers(self, thread: int) -> None:
        self.takers += [thread] * (len(self.machine.environment.consumed) - len(self.takers))

    def _note_ended(self, moment: Moment) -> None:
        for thread in self.machine.threads:
            if thread.has_ended and thread.number not in self._ended and thread.number != moment.thread:
                self._ended.add(thread.number)
                self.points.append(Point(thread.number, PointKind.END, moment.at.origin))

    def _operate(self, moment: Moment, operation: ThreadOperation) -> None:
        match operation.action:
            case ThreadAction.BEGIN:
                if not self._depth:
                    self._owner, self._section = moment.thread, self._add(moment, PointKind.SECTION)
                self._depth += 1
            case ThreadAction.END:
                self._depth -= 1
            case ThreadAction.JOIN:
                self._add(moment, PointKind.JOIN)

    def _add(self, moment: Moment, kind: PointKind, is_optional: bool = False) -> int | None:
        """Its position; None if there is only one thread so far."""
        if len(self.machine.threads) == 1:
            return None
        self.points.append(Point(moment.thread, kind, moment.at.origin, is_optional))
        return len(self.points) - 1

    def _accesses(self, operation: Operation) -> Iterator[tuple[PointKind, bool]]:
        """Reads come before the write."""
        for expression in expressions_of(operation):
            for part in subexpressions(expression):
                if isinstance(part, Load):
                    yield PointKind.READ, self._is_of_a_frame(part)
                elif isinstance(part, Variable) and part.name in self._seen:
                    yield PointKind.READ, False
        target = assigned(operation)
        if isinstance(operation, Store):
            yield PointKind.WRITE, self._is_of_a_frame(operation)
        elif isinstance(operation, (Copy, Fill)):
            yield PointKind.WRITE, True
        elif target is not None and target.name in self._seen:
            yield PointKind.WRITE, False

    def _is_of_a_frame(self, access: Load | Store) -> bool:
        """Does it name a local object? A compiler does not ask others about one whose address nobody has."""
        return any(
            isinstance(part, Address) and part.target not in self.program.objects for part in subexpressions(access.address)
        )
