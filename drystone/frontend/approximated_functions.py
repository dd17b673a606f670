"""Which functions of the library that a program calls are only approximated: their models take values that the library gives."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.frontend.user_places import first_call, is_own
from drystone.ir import names
from drystone.ir.automaton import Origin, Procedure, Program, inputs
from drystone.ir.callgraph import call_graph, reached
from drystone.ir.expressions import Determinant
from drystone.ir.features import expressions_of


def approximated_functions(program: Program) -> Iterator[tuple[str, Origin]]:
    """Their names, and where the user calls each for the first time."""
    models = {name for name, procedure in program.procedures.items() if is_own(program, procedure.origin)}
    rough = {name for name in models if _takes_approximated_values(program.procedures[name])}
    callees = call_graph(program).callees
    called = dict.fromkeys(callee for caller in program.procedures if caller not in models for callee in callees[caller])
    for name in called:
        if name in models and not rough.isdisjoint(reached(name, callees)):
            yield names.spelled(name), first_call(program, name)


def _takes_approximated_values(procedure: Procedure) -> bool:
    return any(
        each.determinant is Determinant.IMPLEMENTATION
        for edge in procedure.edges
        for expression in expressions_of(edge.operation)
        for each in inputs(expression)
    )
