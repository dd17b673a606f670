"""Threads in the interpreter: each has activations of its own; which one goes on is an input.

A thread is chosen before each edge that others may notice (`ir.thread_steps`), once there are two. It then goes on to the next
such edge. An atomic section is one step; where a thread has to wait in one before it has written anything, it waits at its begin.
A thread that ends the process or fails an assumption outside of such a section is one that the schedule does not choose any more:
a run goes on with the others, as if it had been slower.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.concrete.code_generation import Exit, ProcedureCode, ProgramCode
from drystone.concrete.flat_memory import Ended
from drystone.concrete.generated_text import START
from drystone.concrete.inputs import InputSource
from drystone.concrete.machine import Activation, Machine, open_calls_of
from drystone.concrete.races import Next, Races
from drystone.ir.automaton import DATA_RACE, Edge
from drystone.ir.expressions import Input, InputKind
from drystone.ir.operations import CallPointer, ThreadAction, ThreadOperation
from drystone.ir.thread_steps import is_step, writes
from drystone.logic.sorts import bitvec

_MAIN = 0
_LONGEST_LOCAL = 1_000  # edges that nobody notices, after which another thread may be chosen
_NUMBER = bitvec(8)
_MOST_THREADS = 1 << _NUMBER.width


class _Thread:
    """One thread while it does not run, and whether it can."""

    __slots__ = ("number", "exit", "locals", "stack", "code", "is_alive", "has_ended", "waits", "result", "own")

    def __init__(self, number: int, exit: Exit, locals_: list[int], stack: list[Activation], code: ProcedureCode) -> None:
        self.number, self.exit, self.locals, self.stack, self.code = number, exit, locals_, stack, code
        self.is_alive = True
        self.has_ended = False  # so that it can be waited for
        self.waits = False  # until another one has done something
        self.result = 0
        self.own: list[int] = []  # values of thread-local variables


class _Section(msgspec.Struct):
    """Where an atomic section began, to go back there."""

    exit: Exit
    locals: list[int]
    stack: list[Activation]
    code: ProcedureCode
    consumed: int
    is_dirty: bool = False


class ThreadedMachine(Machine):
    """Runs one edge at a time: `schedule`, then `advance`."""

    def __init__(self, program_code: ProgramCode, source: InputSource) -> None:
        super().__init__(program_code, source)
        program = program_code.program
        self._seen = frozenset(program.variables) - program.thread_locals  # by other threads
        self._own = [program_code.layout.global_slot[name] for name in sorted(program.thread_locals)]
        self._blank = [self.globals[slot] for slot in self._own]
        entry = self.code.begin(self.code.procedure.entry)
        self.current = _Thread(_MAIN, entry, self.locals, self.stack, self.code)
        self.threads = [self.current]
        self.latest = entry  # where the thread that ran last was
        self.depth = 0  # atomic sections
        self.section: _Section | None = None
        self.is_noticed = False  # has the current thread taken a step since it was chosen?
        self.local_edges = 0
        self._went_back = False
        self._steps: dict[tuple[str, int], bool] = {}
        self._races = Races(self._seen, program.synchronising) if program.data_race is not None else None

    @property
    def thread(self) -> int:
        return self.current.number

    @property
    def went_back(self) -> bool:
        return self._went_back

    # which thread goes on

    def schedule(self, exit: Exit) -> Exit:
        """Where the next edge begins: of the thread that has come to `exit`, or of another one. Raises `Ended` if none can, and
        at a data race, if that is the error."""
        exit = self._scheduled(exit)
        if self._races is not None and len(self.threads) > 1:
            mine = Next(self.thread, exit, self.locals, self.stack, self.depth > 0)
            others = [each for each in self.threads if each.is_alive and each is not self.current]
            waiting = [Next(each.number, each.exit, each.locals, each.stack) for each in others]
            self.race = self._races.between(self, mine, waiting)
            if self.race is not None:
                raise Ended("error", DATA_RACE.what)
        return exit

    def _scheduled(self, exit: Exit) -> Exit:
        current = self.current
        current.exit = exit
        if self.depth:
            return exit
        if current.is_alive and not current.waits:
            if not self._is_step(exit):
                self.local_edges += 1
                if self.local_edges < _LONGEST_LOCAL or len(self.threads) == 1:
                    return exit
            elif not self.is_noticed:
                self.is_noticed = True
                return exit
        if not current.waits:
            for thread in self.threads:
                thread.waits = False
        self._switch(self._chosen())
        self.local_edges, self.is_noticed = 0, self._is_step(self.current.exit)
        return self.current.exit

    def _chosen(self) -> _Thread:
        ready = [thread for thread in self.threads if thread.is_alive and not thread.waits]
        if not ready:
            raise Ended("blocked", "no thread can go on")
        if len(self.threads) == 1:
            return ready[0]
        able = sum(1 << thread.number for thread in ready)
        given = self.value(Input(able, _NUMBER, InputKind.SCHEDULE, "thread"), START)
        chosen = next((thread for thread in ready if thread.number == given), ready[given % len(ready)])
        consumed = self.environment.consumed
        consumed[-1] = msgspec.structs.replace(consumed[-1], value=chosen.number)
        return chosen

    def _switch(self, thread: _Thread) -> None:
        current = self.current
        current.locals, current.stack, current.code = self.locals, self.stack, self.code
        current.own = [self.globals[slot] for slot in self._own]
        self.current = thread
        for slot, value in zip(self._own, thread.own, strict=False):
            self.globals[slot] = value
        self.locals, self.stack, self.code = thread.locals, thread.stack, thread.code
        stack = self.stack
        self.environment.open_calls = lambda: open_calls_of(stack)

    def _is_step(self, exit: Exit) -> bool:
        procedure = exit.code.procedure
        key = (procedure.name, exit.location)
        known = self._steps.get(key)
        if known is None:
            known = any(is_step(edge.operation, self._seen) for edge in exit.code.outgoing[exit.location])
            self._steps[key] = known
        is_start = self.current.number != _MAIN and not self.stack and exit.location == procedure.entry
        return known or is_start

    def activations(self) -> Iterator[tuple[ProcedureCode, list[int]]]:
        """Of all threads: code and variables."""
        for thread in self.threads:
            is_current = thread is self.current
            yield (self.code, self.locals) if is_current else (thread.code, thread.locals)
            for variables, _, caller, _, _ in reversed(self.stack if is_current else thread.stack):
                yield caller, variables

    # one edge

    def advance(self, exit: Exit) -> Exit:
        """Takes the edge; where that ends the thread, but not the run, an exit without edges."""
        self.latest, self._went_back = exit, False
        try:
            following = exit.run(self)
        except Ended as end:
            return self._stopped(exit, end)
        if self.section is not None:
            variables = self.code.program_code.program.variables
            self.section.is_dirty |= any(writes(edge.operation, variables) for edge in following.edges)
        return following

    def _stopped(self, exit: Exit, end: Ended) -> Exit:
        thread = self.current
        if end.kind == "waits" and not self.depth:
            thread.waits = True
        elif end.kind == "ended" and not self.depth:
            thread.is_alive, thread.has_ended = False, True
        elif end.kind == "returned" and self.depth:
            raise Ended("unknown", "a thread ends in an atomic section")
        elif end.kind == "returned" and thread.number != _MAIN:
            thread.is_alive, thread.has_ended = False, True
            thread.result = int(self.locals[self.code.frame.result_slot]) if self.code.procedure.result is not None else 0
        elif end.kind in ("halt", "blocked", "returned", "waits"):
            if not self.depth:
                thread.is_alive = False
            elif not self._goes_back():
                raise Ended("halt", end.what, end.edge, end.taken) from None
            else:
                return thread.exit
        else:
            raise end
        if end.kind != "waits" and not any(each.is_alive for each in self.threads):
            raise end if thread.number == _MAIN and end.kind != "ended" else Ended("halt", "all threads have ended")
        return exit.code.begin(exit.location)

    def _goes_back(self) -> bool:
        """To the begin of the atomic section, to wait there, unless it has done something already."""
        section, thread = self.section, self.current
        if section is None or section.is_dirty or section.consumed != len(self.environment.consumed):
            return False
        self.locals, self.stack[:], self.code = section.locals, section.stack, section.code
        self.depth, self.section, self._went_back = 0, None, True
        thread.waits, thread.exit = True, section.exit.code.begin(section.exit.location)
        return True

    # operations

    def thread_operation(self, edge: Edge, arguments: tuple[int, ...]) -> int:
        operation = edge.operation
        assert isinstance(operation, ThreadOperation)
        match operation.action:
            case ThreadAction.CREATE:
                return self._create(edge, operation, arguments)
            case ThreadAction.JOIN:
                return self._join(edge, arguments[0])
            case ThreadAction.EXIT if not self.depth:
                self.current.result = arguments[0]
                raise Ended("ended", "", edge)
            case ThreadAction.SELF:
                return self.current.number + 1
            case ThreadAction.WAKES:
                return 0  # a proof must allow for it, an error must be reached without
            case ThreadAction.BEGIN:
                if not self.depth:
                    stack = [(each[0].copy(), each[1], each[2], each[3], each[4]) for each in self.stack]
                    consumed = len(self.environment.consumed)
                    self.section = _Section(self.latest, self.locals.copy(), stack, self.code, consumed)
                self.depth += 1
                return 0
            case ThreadAction.END if self.depth:
                self.depth -= 1
                if not self.depth:
                    self.section = None
                return 0
        raise Ended("unknown", f"thread operation {operation.name}", edge)

    def _create(self, edge: Edge, operation: ThreadOperation, arguments: tuple[int, ...]) -> int:
        layout, program = self.code.program_code.layout, self.code.program_code.program
        function = layout.function_at.get(arguments[0])
        name = program.functions.get(function) if function is not None else None
        if len(self.threads) == _MOST_THREADS:
            raise Ended("limit", f"{_MOST_THREADS} threads", edge)
        if name is None or name not in program.procedures:
            raise Ended("unknown", "a thread of an unknown function", edge)
        call = CallPointer(operation.arguments[0], operation.arguments[1:], None)
        adapt, site = self.code.pointer_call(call, name, edge, (edge,))
        values = adapt(self, *arguments[1:])
        frame, memory = site.callee.frame, self.memory
        memory.keeps_stack = True
        locals_ = frame.blank.copy()
        locals_[1 : 1 + len(values)] = values
        if frame.size:
            locals_[0] = memory.enter(frame.offsets, frame.sizes, frame.size)
        begin = site.callee.begin(site.callee.procedure.entry)
        self.threads.append(_Thread(len(self.threads), begin, locals_, [], site.callee))
        self.threads[-1].own = self._blank.copy()
        return len(self.threads)

    def _join(self, edge: Edge, identifier: int) -> int:
        number = identifier - 1
        if not 0 <= number < len(self.threads) or self.threads[number] is self.current:
            raise Ended("unknown", "waiting for a thread that there is not", edge)
        if not self.threads[number].has_ended:
            raise Ended("waits", "waits for a thread", edge, False)
        return self.threads[number].result
