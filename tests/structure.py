"""The structural rule of automata (drystone/ir/automaton.py), checked."""

from __future__ import annotations

from drystone.ir.automaton import Procedure, inputs
from drystone.ir.expressions import Apply, Constant, Expression
from drystone.ir.operations import Assume
from drystone.logic.sorts import BOOL


def _is_negation(left: Expression, right: Expression) -> bool:
    """Is one of the two syntactically the negation of the other, or are they the two constants?"""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return left.sort == right.sort == BOOL and left.value != right.value
    for a, b in ((left, right), (right, left)):
        if isinstance(a, Apply) and a.operator == "not" and a.arguments[0] == b:
            return True
    return False


def structural_faults(procedure: Procedure) -> list[str]:
    """Violations of the rule, in words; empty for a well-formed automaton."""
    faults: list[str] = []
    for location, edges in enumerate(procedure.outgoing()):
        ends = location == procedure.exit or location in procedure.marks
        if ends != (not edges):
            faults.append(
                f"{procedure.name}: location {location} "
                + ("has edges after its end" if edges else "is a dead end without a mark")
            )
        if len(edges) > 2:
            faults.append(f"{procedure.name}: location {location} has {len(edges)} outgoing edges")
        elif len(edges) == 2:
            first, second = edges[0].operation, edges[1].operation
            if not (isinstance(first, Assume) and isinstance(second, Assume) and _is_negation(first.condition, second.condition)):
                faults.append(f"{procedure.name}: the branches at location {location} are not c and not c")
        for edge in edges:
            if isinstance(edge.operation, Assume) and any(True for _ in inputs(edge.operation.condition)):
                faults.append(f"{procedure.name}: the condition at location {location} reads an input")
    return faults
