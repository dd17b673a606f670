"""An execution that reaches the error, repeated.

A counterexample is made in three movements: *replay* (the interpreter runs the unsliced program on the recorded inputs and
must end at the same error), *tidy* (inputs that nobody chose, like the contents of uninitialised memory, become zero where the
error is still reached), *tell* (`counterexamples.telling`: the execution is followed edge by edge and joined to source lines).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.concrete.inputs import Consumed, RecordedInputs, bit_width
from drystone.concrete.interpreter import Interpreter, Outcome
from drystone.counterexamples.taint import MOST_FOLLOWED, depends_on
from drystone.ir.automaton import Edge, Mark, Program, inputs
from drystone.ir.callgraph import call_graph
from drystone.ir.expressions import (
    Determinant,
    Input,
    InputKind,
    is_approximated,
)
from drystone.ir.features import expressions_of
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.pipeline import PreparedProgram

_MOST_EDGES = 3_000_000
_TIMES_AS_LONG, _MORE_EDGES = 4, 10_000  # as an execution has, that one with zeros may have: a much longer one is not tidier
_LONGEST_PADDING = 64  # bytes, of one input
_MOST_ORDERS = 32  # orders of evaluation in which an execution is repeated
_LARGE = 10_000  # edges


class NotReplayed(Exception):
    """The interpreter does not end at the error on these inputs; the message says where it does."""


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
    if call_graph(program).recursive or program.has_threads:
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
    longest = min(_MOST_EDGES, _TIMES_AS_LONG * replayed.outcome.steps + _MORE_EDGES)
    for kinds in (
        (InputKind.UNINITIALISED, InputKind.UNDEFINED),
        (InputKind.UNINITIALISED,),
    ):
        if not any(entry.kind in kinds and _is_nonzero(entry) for entry in best.inputs):
            continue
        inputs = [_zeroed(entry) if entry.kind in kinds else entry for entry in best.inputs]
        outcome = interpreter.run(RecordedInputs(inputs), max_steps=longest)
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
