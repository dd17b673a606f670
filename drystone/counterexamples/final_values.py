"""What the variables of the last conditions hold when the error is reached, each in the activation that has asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drystone.concrete.code_generation import ProcedureCode
from drystone.counterexamples.changes import Change, joined
from drystone.counterexamples.known_objects import shown_name
from drystone.counterexamples.steps import Execution, is_temporary
from drystone.counterexamples.values import value_text
from drystone.ir import names
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Address, Apply, Constant, Expression, Load, Variable, byte_size
from drystone.ir.features import expressions_of
from drystone.logic import semantics
from drystone.logic.floats import extended_from_memory
from drystone.logic.sorts import EXTENDED

_MOST = 12
_ENOUGH = 4  # values: conditions before the last one are looked at as long as there are fewer


def final_values(execution: Execution, conditions: Sequence[Edge]) -> dict[str, str]:
    """By the place as C writes it; those of the last condition first."""
    values: dict[str, str] = {}
    for edge in reversed(conditions):
        for name, value in _values_of(execution, edge):
            values.setdefault(name, value)
        if edge is not conditions[-1] and len(values) >= _ENOUGH:
            break
    return dict(list(values.items())[:_MOST])


def _values_of(execution: Execution, condition: Edge) -> Iterator[tuple[str, str]]:
    activation = _activation(execution, condition)
    if activation is None:
        return  # it has ended
    for expression in expressions_of(condition.operation):
        stack = [expression]
        while stack:
            node = stack.pop()
            if isinstance(node, Variable) and not names.is_shadow(node.name):
                yield from joined(activation.told(node)).items()
            elif isinstance(node, Load) and not _is_ghost(node):
                yield from joined(activation.loaded(node)).items()
                stack.append(node.address)
            elif isinstance(node, Apply):
                stack.extend(reversed(node.arguments))


def _is_ghost(load: Load) -> bool:
    """What lives where, and what has a value, is no matter of the source."""
    match load.address:
        case Apply("bvadd", _, (Address(names.EXTENTS), _)) | Apply("shadow"):
            return True
    return False


def _activation(execution: Execution, edge: Edge) -> _Activation | None:
    """The latest one of the function that has the edge."""
    machine = execution.machine
    callers = ((code, variables) for variables, _, code, _, _ in reversed(machine.stack))
    for code, variables in ((machine.code, machine.locals), *callers):
        if edge.source < len(code.outgoing) and any(each is edge for each in code.outgoing[edge.source]):
            return _Activation(execution, code, variables)
    return None


class _Activation:
    """Expressions, where the run is now; None where they read an input, or memory that is not there."""

    def __init__(self, execution: Execution, code: ProcedureCode, locals_: list[int]) -> None:
        self.execution, self.machine, self.layout = execution, execution.machine, execution.code.layout
        self.code, self.locals = code, locals_

    def told(self, variable: Variable) -> Iterator[Change]:
        """A variable of the source. A pointer that still is what the entry was given would be told by itself."""
        value, name = self.execution.value(variable, self.code, self.locals), shown_name(variable.name)
        if not is_temporary(variable.name):
            address = self.execution.addresses(self.code, self.locals)
            text = value_text(value, variable.sort, variable.ctype, self.execution.program.types, address)
            if text != name:
                yield Change(name, text)

    def loaded(self, load: Load) -> Iterator[Change]:
        """What memory holds."""
        address, size = self._evaluated(load.address), byte_size(load.sort)
        held = self.machine.memory.peek(address, size) if address is not None else None
        if address is not None and held is not None:
            yield from self.execution.changes_at(address, held, load.sort, self.code, self.locals)

    def _evaluated(self, expression: Expression) -> int | None:
        match expression:
            case Constant(_, value):
                return value
            case Variable():
                return self.execution.value(expression, self.code, self.locals)
            case Address(target, _):
                offset = self.code.frame.offset.get(target)
                return self.locals[0] + offset if offset is not None else self.layout.address(target)
            case Load(sort, address):
                place = self._evaluated(address)
                held = self.machine.memory.peek(place, byte_size(sort)) if place is not None else None
                bits = int.from_bytes(held, "little") if held is not None else None
                return extended_from_memory(bits) if bits is not None and sort == EXTENDED else bits
            case Apply(operator, sort, arguments, _):
                values = [self._evaluated(each) for each in arguments]
                known = [each for each in values if each is not None]
                if len(known) < len(values):
                    return None
                return int(semantics.function(operator, sort, tuple(each.sort for each in arguments))(*known))
            case _:
                return None
