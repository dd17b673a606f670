"""An execution that reaches the error, as steps of the source with values in C terms.

A step is what happened on one line of the program before control went to another; what library functions do there belongs to it.
"""

from __future__ import annotations

from collections import deque

from drystone.base.source_lines import source_line as line_text
from drystone.concrete.inputs import Consumed, RecordedInputs, bit_width
from drystone.counterexamples.changes import joined
from drystone.counterexamples.final_values import final_values
from drystone.counterexamples.given_inputs import GivenInputs, called_name
from drystone.counterexamples.replay import Replayed
from drystone.counterexamples.steps import Execution, Moment
from drystone.counterexamples.told import Counterexample, InputValue, Step
from drystone.counterexamples.told_races import told_race
from drystone.counterexamples.values import input_text
from drystone.ir.automaton import NOWHERE, Edge, Origin, Program
from drystone.ir.expressions import InputKind
from drystone.ir.operations import Assume, Skip
from drystone.ir.text import operation_text
from drystone.memory.lives import entered

FIRST_STEPS, LAST_STEPS = 500, 5_000
"""How many steps of a long execution are kept from its beginning and from its end."""
_DETAILED_FIRST, _DETAILED_LAST = 10_000, 30_000  # edges, of which these steps usually are
_LONGEST_STEP = 200  # edges of the program
_SHOWN_SOURCE = 160
_RELATED = 8  # assumptions before the error whose variables are shown


def tell(program: Program, replayed: Replayed) -> Counterexample:
    """The execution as steps."""
    outcome = replayed.outcome
    telling = _Telling(program, replayed, range(_DETAILED_FIRST, outcome.steps - _DETAILED_LAST))
    if not telling.is_detailed():
        telling = _Telling(program, replayed)
    execution = telling.execution
    race = told_race(execution)
    file, line = (race[0].file, race[0].line) if race else program.place(replayed.error.origin)
    return Counterexample(
        error=replayed.error.what,
        file=file,
        line=line,
        function=race[0].function if race else execution.machine.code.procedure.name,
        steps=[telling.step(moments) for moments in (*telling.first, *telling.last)],
        omitted_steps=telling.count - len(telling.first) - len(telling.last),
        length=outcome.steps,
        inputs=[_input_value(program, entry) for entry in outcome.inputs],
        given=telling.given.texts(execution),
        given_as_c=telling.given.as_c(execution),
        values=final_values(execution, telling.conditions),
        undefined=[f"{event.what} at {program.where(event.origin)}" for event in outcome.undefined],
        external=[f"{event.what} at {program.where(event.origin)}" for event in outcome.external],
        race=race,
    )


class _Telling:
    """Joins consecutive edges of one line and one activation to a step; keeps the moments of the first and the last steps."""

    def __init__(self, program: Program, replayed: Replayed, plain: range = range(0)) -> None:
        self.program = program
        self.execution = Execution(program, RecordedInputs(replayed.inputs))
        self.given = GivenInputs(program)
        self.first: list[list[Moment]] = []
        self.last: deque[list[Moment]] = deque(maxlen=LAST_STEPS)
        self.conditions: deque[Edge] = deque(maxlen=_RELATED)
        self.count = 0
        self._moments: list[Moment] = []
        for moment in self.execution.moments(3 * replayed.outcome.steps + 1_000, plain):  # calls and returns count for themselves
            self._take(moment)
        assert self.execution.kind == "error", self.execution.kind
        self._close()

    def is_detailed(self) -> bool:
        return all(moment.detailed for moments in (*self.first, *self.last) for moment in moments)

    def _take(self, moment: Moment) -> None:
        self.given.take(moment)
        if self._moments and not self._continues(moment):
            self._close()
        if moment.is_inside_library:
            if moment.changes or not self._moments:
                self._moments.append(moment)
            return
        self._moments.append(moment)
        if isinstance(moment.edge.operation, Assume):
            self.conditions.append(moment.edge)

    def _continues(self, moment: Moment) -> bool:
        """Is it still the same visit of the same line? A second evaluation of a loop's condition is a new one."""
        before = self._moments[-1]
        origin, other = moment.at.origin, before.at.origin
        is_there = (moment.thread, origin.file, origin.line, moment.function, moment.depth) == (
            before.thread,
            other.file,
            other.line,
            before.function,
            before.depth,
        )
        if moment.is_inside_library or moment.is_return or not is_there:
            return is_there
        return len(self._moments) < _LONGEST_STEP and moment.edge is not self._moments[0].edge

    def _close(self) -> None:
        moments, self._moments = self._moments, []
        shown = [moment for moment in moments if not _is_nobodys(moment.edge)]
        if not shown:
            return
        self.count += 1
        self.first.append(shown) if len(self.first) < FIRST_STEPS else self.last.append(shown)

    def step(self, moments: list[Moment]) -> Step:
        file, line = self.program.place(moments[0].at.origin)
        own = [moment for moment in moments if not moment.is_inside_library]
        return Step(
            file=file,
            line=line,
            function=moments[0].function,
            depth=moments[0].depth,
            source=source_line(self.program, moments[0].at.origin),
            operations=list(dict.fromkeys(operation_text(moment.edge.operation) for moment in own)),
            changes=joined(change for moment in moments for change in moment.changes if not change.temporary),
            inputs=[
                f"{called_name(entry)} = {input_text(entry, self.program.types)}"
                for moment in own
                for entry in moment.inputs
                if entry.kind is not InputKind.SCHEDULE
            ],
            thread=moments[0].thread if self.program.has_threads else None,
        )


def _is_nobodys(edge: Edge) -> bool:
    """Nothing happens, or drystone's own table gets to know, at the start, the objects that there are."""
    is_told = edge.origin == NOWHERE and entered(edge.operation) is not None
    return is_told or isinstance(edge.operation, Skip)


def _input_value(program: Program, entry: Consumed) -> InputValue:
    file, line = program.place(entry.origin)
    if isinstance(entry.value, bytes):
        bits, size = entry.value.rstrip(b"\0").hex(), 8 * len(entry.value)
    else:
        bits, size = f"{entry.value:#x}", bit_width(entry.sort) if entry.sort is not None else 0
    return InputValue(entry.name, str(entry.kind), input_text(entry, program.types), bits, size, file, line)


def source_line(program: Program, origin: Origin) -> str:
    text = line_text(program.files[origin.file], origin.line) if origin.file >= 0 else ""
    return text if len(text) <= _SHOWN_SOURCE else text[: _SHOWN_SOURCE - 1] + "…"
