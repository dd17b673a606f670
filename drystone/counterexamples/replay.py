"""An execution that reaches the error, as steps of the source with values in C terms.

A counterexample is made in three movements: *replay* (the interpreter runs the unsliced program on the recorded inputs and
must end at the same error), *tidy* (inputs that nobody chose, like the contents of uninitialised memory, become zero where the
error is still reached), *tell* (the execution is followed edge by edge and joined to source lines).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import msgspec

from drystone.base.deadline import Deadline
from drystone.concrete.inputs import CHOSEN_BY_USER, Consumed, RecordedInputs, bit_width
from drystone.concrete.interpreter import Interpreter, Outcome
from drystone.counterexamples.steps import Execution, Moment, is_temporary, shown_name
from drystone.counterexamples.taint import MOST_FOLLOWED, depends_on
from drystone.counterexamples.values import input_text, value_text
from drystone.ir.automaton import Edge, Mark, Program, inputs
from drystone.ir.callgraph import call_graph
from drystone.ir.expressions import (
    Apply,
    Constant,
    Determinant,
    Expression,
    Input,
    InputKind,
    Load,
    Variable,
    is_approximated,
)
from drystone.ir.features import expressions_of
from drystone.ir.operations import Assume, Skip
from drystone.ir.text import operation_text
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.pipeline import PreparedProgram

FIRST_STEPS, LAST_STEPS = 500, 5_000
"""How many steps of a long execution are kept from its beginning and from its end."""
_DETAILED_FIRST, _DETAILED_LAST = 10_000, 30_000  # edges, of which these steps usually are
_MOST_EDGES = 3_000_000
_LONGEST_PADDING = 64  # bytes, of one input
_MOST_ORDERS = 32  # orders of evaluation in which an execution is repeated
_LARGE = 10_000  # edges
_SHOWN_SOURCE = 160
_RELATED = 8  # assumptions before the error whose variables are shown
_MOST_FINAL_VALUES = 12


class NotReplayed(Exception):
    """The interpreter does not end at the error on these inputs; the message says where it does."""


class Step(msgspec.Struct, frozen=True):
    """What happened on one source line before control went to another."""

    file: str | None  # None: drystone's own, like the start of the program
    line: int | None
    function: str
    depth: int  # open calls
    source: str  # the line's text
    operations: list[str]
    changes: dict[str, str]  # what was written, the values at the end of the step
    inputs: list[str]  # "__VERIFIER_nondet_int() = 3"


class InputValue(msgspec.Struct, frozen=True):
    """An input in the order in which the execution reads it."""

    name: str
    kind: str
    value: str  # in C terms
    bits: str  # hexadecimal: the value exactly; bytes of memory in their order, without zeros at the end
    size: int  # in bits
    file: str | None
    line: int | None


class Counterexample(msgspec.Struct, frozen=True):
    error: str
    file: str | None
    line: int | None
    function: str
    steps: list[Step]
    omitted_steps: int  # between the first and the last ones
    length: int  # edges
    inputs: list[InputValue]
    values: dict[str, str]  # of the variables in the failing condition, at the error
    undefined: list[str]  # "x / y at file:line": the execution relies on undefined behaviour
    external: list[str]  # calls of unknown code
    replayed: bool = True


class NativeRun(msgspec.Struct, frozen=True):
    """What became of the attempt to reach the error natively (`counterexamples.native.replay`)."""

    reproduced: bool
    reason: str  # the compiler that built it, or why it was not reproduced
    compiler: str = ""
    contradicts: bool = False  # it had all that the execution has, and ended otherwise


class Replayed(msgspec.Struct, frozen=True):
    """A run of the interpreter that ended at the error, and the inputs with which it does."""

    error: Mark
    inputs: tuple[Consumed, ...]
    outcome: Outcome


def replay(
    program: Program, error: Mark, inputs: Sequence[Consumed], max_steps: int = _MOST_EDGES, tight: bool = False
) -> Replayed:
    """Runs the program on recorded inputs; raises `NotReplayed` unless it ends at the same error. `tight`: with objects at other
    addresses than engines think."""
    outcome = Interpreter(program, tight).run(RecordedInputs(inputs), max_steps=max_steps)
    if not _ends_at(outcome, error):
        where = program.where(outcome.origin)
        raise NotReplayed(f"the replay of the counterexample ended differently: {outcome.kind} {outcome.what} at {where}")
    return Replayed(error, outcome.inputs, outcome)


def _ends_at(outcome: Outcome, error: Mark) -> bool:
    return outcome.kind == "error" and outcome.what == error.what and outcome.origin == error.origin


def relies_on_approximation(prepared: PreparedProgram, replayed: Replayed, deadline: Deadline) -> Consumed | None:
    """Why the real program may do otherwise: it determines a value that drystone knows too roughly; the first of these."""
    program = prepared.program
    rough = next(filter(is_rough, replayed.inputs), None)
    if all(_is_order(each) or _is_padding(each) for each in filter(is_rough, replayed.inputs)):
        if _is_reached_in_any_order(program, replayed) and _is_reached_with_any_padding(program, replayed):
            return None
    if rough is None or not depends_on(program, RecordedInputs(replayed.inputs), is_rough, MOST_FOLLOWED, deadline):
        return None  # what is computed from such a value does not matter to the execution
    if not _may_depend_on_approximation(prepared):
        return None
    return rough


def _is_order(input: Input | Consumed) -> bool:
    return input.determinant is Determinant.ORDER


def _is_padding(input: Consumed) -> bool:
    return input.determinant is Determinant.PADDING


def _is_reached_with_any_padding(program: Program, replayed: Replayed) -> bool:
    """Also with other bytes there: all zero, all one, alternating? Reading a bit-field reads those around it."""
    if not any(map(_is_padding, replayed.inputs)):
        return True
    interpreter = Interpreter(program)
    for byte in (0x00, 0xFF, 0xAA, 0x55):
        pattern = int.from_bytes(bytes([byte]) * _LONGEST_PADDING)
        inputs = [
            msgspec.structs.replace(each, value=pattern & (1 << bit_width(each.sort)) - 1)
            if _is_padding(each) and each.sort is not None
            else each
            for each in replayed.inputs
        ]
        if not _ends_at(interpreter.run(RecordedInputs(inputs), max_steps=_MOST_EDGES), replayed.error):
            return False
    return True


def _is_reached_in_any_order(program: Program, replayed: Replayed) -> bool:
    """Also if the operands of each expression are evaluated in another order, the same one whenever it is evaluated?"""
    if not any(map(_is_order, replayed.inputs)):
        return True
    interpreter = Interpreter(program)
    waiting: list[dict[str, int]] = [{}]
    for _ in range(_MOST_ORDERS):
        if not waiting:
            return True
        orders = waiting.pop()
        outcome = interpreter.run(_OrderedInputs(orders, replayed.inputs), max_steps=_MOST_EDGES)
        if not _ends_at(outcome, replayed.error):
            return False
        met = [name for name in dict.fromkeys(map(_expression, filter(_is_order, outcome.inputs))) if name not in orders]
        waiting += [orders | dict.fromkeys(met[:index], 0) | {name: 1} for index, name in enumerate(met)]
    return False


def _expression(order: Consumed) -> str:
    return f"{order.origin} {order.name}"


class _OrderedInputs:
    """The inputs of a run with an order of evaluation for each expression, from the left to the right if nothing is said."""

    def __init__(self, orders: Mapping[str, int], inputs: Iterable[Consumed]) -> None:
        self.orders = orders
        self.others = RecordedInputs(each for each in inputs if not _is_order(each))

    def value(self, input: Input, edge: Edge) -> int:
        if _is_order(input):
            return self.orders.get(f"{edge.origin} {input.name}", 0)
        return self.others.value(input, edge)

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        return self.others.block(size, what, edge)


def is_rough(input: Input | Consumed) -> bool:
    """Also what is left undefined where it is known what the machine gives: what a call does not pass."""
    if isinstance(input, Consumed) and (input.determined or isinstance(input.value, bytes)):
        return False  # known after all, or the contents of memory
    return is_approximated(input) or input.kind is InputKind.UNDEFINED


def _may_depend_on_approximation(prepared: PreparedProgram) -> bool:
    """Is there such a value in the slice: in what errors depend on?"""
    program = prepared.program
    if call_graph(program).recursive:
        return True  # beyond the bound, the slice does not show it
    if sum(len(procedure.edges) for procedure in program.procedures.values()) > _LARGE:
        return True  # slicing takes its time
    try:
        flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True).program
    except TooLarge:
        return True
    operations = [edge.operation for edge in flat.procedures[flat.entry].edges]
    expressions = [each for operation in operations for each in expressions_of(operation)]
    return any(is_rough(each) for expression in expressions for each in inputs(expression))


def tidied(program: Program, replayed: Replayed) -> Replayed:
    """The same with zeros for the inputs that no caller chose, as far as that still reaches the error."""
    interpreter = Interpreter(program)
    best = replayed
    for kinds in (
        (InputKind.UNINITIALISED, InputKind.UNDEFINED),
        (InputKind.UNINITIALISED,),
    ):
        if not any(entry.kind in kinds and _is_nonzero(entry) for entry in best.inputs):
            continue
        inputs = [_zeroed(entry) if entry.kind in kinds else entry for entry in best.inputs]
        outcome = interpreter.run(RecordedInputs(inputs), max_steps=_MOST_EDGES)
        if not _ends_at(outcome, replayed.error) or any(map(is_rough, outcome.inputs)):
            continue  # what was confirmed is another execution
        if len(outcome.undefined) <= len(best.outcome.undefined):
            best = Replayed(replayed.error, outcome.inputs, outcome)
            break
    return best


def _is_nonzero(entry: Consumed) -> bool:
    return any(entry.value) if isinstance(entry.value, bytes) else entry.value != 0


def _zeroed(entry: Consumed) -> Consumed:
    return msgspec.structs.replace(entry, value=bytes(len(entry.value)) if isinstance(entry.value, bytes) else 0)


def tell(program: Program, replayed: Replayed) -> Counterexample:
    """The execution as steps."""
    outcome = replayed.outcome
    telling = _Telling(program, replayed, range(_DETAILED_FIRST, outcome.steps - _DETAILED_LAST))
    if not telling.is_detailed():
        telling = _Telling(program, replayed)
    execution = telling.execution
    file, line = program.place(replayed.error.origin)
    return Counterexample(
        error=replayed.error.what,
        file=file,
        line=line,
        function=execution.machine.code.procedure.name,
        steps=[telling.step(moments) for moments in (*telling.first, *telling.last)],
        omitted_steps=telling.count - len(telling.first) - len(telling.last),
        length=outcome.steps,
        inputs=[_input_value(program, entry) for entry in outcome.inputs],
        values=_final_values(execution, telling.conditions),
        undefined=[f"{event.what} at {program.where(event.origin)}" for event in outcome.undefined],
        external=[f"{event.what} at {program.where(event.origin)}" for event in outcome.external],
    )


class _Telling:
    """Joins consecutive edges of one line and one activation to a step; keeps the moments of the first and the last steps."""

    def __init__(self, program: Program, replayed: Replayed, plain: range = range(0)) -> None:
        self.program = program
        self.execution = Execution(program, RecordedInputs(replayed.inputs))
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
        if self._moments and not self._continues(moment):
            self._close()
        self._moments.append(moment)
        if isinstance(moment.edge.operation, Assume):
            self.conditions.append(moment.edge)

    def _continues(self, moment: Moment) -> bool:
        """Is it still the same visit of the same line? A second evaluation of a loop's condition is a new one."""
        before = self._moments[-1]
        origin, other = moment.edge.origin, before.edge.origin
        return (
            (origin.file, origin.line, moment.function, moment.depth) == (other.file, other.line, before.function, before.depth)
            and len(self._moments) < 200
            and moment.edge is not self._moments[0].edge
        )

    def _close(self) -> None:
        moments, self._moments = self._moments, []
        shown = [moment for moment in moments if not isinstance(moment.edge.operation, Skip)]
        if not shown:
            return
        self.count += 1
        self.first.append(shown) if len(self.first) < FIRST_STEPS else self.last.append(shown)

    def step(self, moments: list[Moment]) -> Step:
        edge = moments[0].edge
        file, line = self.program.place(edge.origin)
        changes = {change.name: change.value for moment in moments for change in moment.changes if not change.temporary}
        return Step(
            file=file,
            line=line,
            function=moments[0].function,
            depth=moments[0].depth,
            source=source_line(file, line),
            operations=list(dict.fromkeys(operation_text(moment.edge.operation) for moment in moments)),
            changes=changes,
            inputs=[f"{_input_name(entry)} = {input_text(entry)}" for moment in moments for entry in moment.inputs],
        )


def _input_name(entry: Consumed) -> str:
    return f"{entry.name}()" if entry.kind is InputKind.NONDET else entry.name


def _input_value(program: Program, entry: Consumed) -> InputValue:
    file, line = program.place(entry.origin)
    if isinstance(entry.value, bytes):
        bits, size = entry.value.rstrip(b"\0").hex(), 8 * len(entry.value)
    else:
        bits, size = f"{entry.value:#x}", bit_width(entry.sort) if entry.sort is not None else 0
    return InputValue(entry.name, str(entry.kind), input_text(entry), bits, size, file, line)


def chosen(inputs: Iterable[InputValue]) -> list[InputValue]:
    """Those that the environment was asked for, not the contents of memory that nothing has written."""
    return [entry for entry in inputs if entry.kind in CHOSEN_BY_USER]


def source_line(file: str | None, line: int | None) -> str:
    if file is None or line is None:
        return ""
    lines = _lines(file)
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return text if len(text) <= _SHOWN_SOURCE else text[: _SHOWN_SOURCE - 1] + "…"


@cache
def _lines(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read().splitlines()
    except OSError:
        return []


def _final_values(execution: Execution, conditions: Sequence[Edge]) -> dict[str, str]:
    """The variables of the last conditions before the error, those of the last one first."""
    values: dict[str, str] = {}
    for edge in reversed(conditions):
        for expression in expressions_of(edge.operation):
            _collect(execution, expression, values)
        if values and edge is not conditions[-1] and len(values) >= 4:
            break
    return dict(list(values.items())[:_MOST_FINAL_VALUES])


def _collect(execution: Execution, expression: Expression, values: dict[str, str]) -> None:
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Variable):
            value = execution.value(node)
            if value is not None and not is_temporary(node.name):
                values.setdefault(shown_name(node.name), value_text(value, node.sort, node.ctype))
        elif isinstance(node, Load):
            held = execution.loaded(node)
            if held is not None:
                values.setdefault(held.name, held.value)
            elif not isinstance(node.address, Constant):
                stack.append(node.address)
        elif isinstance(node, Apply):
            stack.extend(reversed(node.arguments))
