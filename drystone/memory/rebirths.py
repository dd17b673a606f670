"""Variables that begin again, where memory is checked: a pointer to what they were must not count as one to what they are.

A variable of a block in a loop, or of a function whose call is inlined in one, is the same object in each round, at the same
address. Where such a variable begins and something may still hold its address that is read later, each of its lives becomes an
object of its own (`memory.lives`). (Other activations of a function have other addresses in executions.)
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from drystone.base.graphs import strongly_connected_components
from drystone.ir import names
from drystone.ir.automaton import Edge, Mark, MarkKind, Procedure
from drystone.ir.expressions import Apply, Expression, Load, Variable
from drystone.ir.features import expressions_of
from drystone.ir.operations import assigned
from drystone.memory.lives import allocate_each_life, entered
from drystone.memory.pointsto import PointsTo


def separate_rebirths(procedure: Procedure, pointers: PointsTo, lasting: Set[str]) -> bool:
    """Gives each life of such variables an object of its own. `lasting`: variables that others may read after the procedure.

    Was there one?
    """
    births = [(edge, name) for edge, name in _births(procedure) if name in procedure.objects]
    if not births:
        return False
    in_loop = _in_loops(procedure)
    births = [(edge, name) for edge, name in births if edge.source in in_loop]
    if not births:
        return False
    pointers.in_procedure(procedure)
    live = _Liveness(procedure)
    kept: dict[str, list[Edge]] = {}
    for edge, name in births:
        node = pointers.find(pointers.object_cell(name))[0]
        if _is_stored(pointers, node, name) or any(
            variable.name in lasting or variable.name in live.at(edge.source) for variable in _holding(pointers, live, node)
        ):
            kept.setdefault(name, []).append(edge)
    for name, edges in kept.items():
        if not allocate_each_life(procedure, name):
            _refuse(procedure, name, edges)
    return bool(kept)


def _refuse(procedure: Procedure, name: str, births: list[Edge]) -> None:
    what = f"a pointer to {names.local(name)} as it was before it began again, where memory is checked"
    refused = {edge.source: Mark(MarkKind.UNKNOWN, what, edge.origin) for edge in births}
    procedure.marks.update(refused)
    procedure.edges[:] = [edge for edge in procedure.edges if edge.source not in refused]


def _births(procedure: Procedure) -> Iterator[tuple[Edge, str]]:
    for edge in procedure.edges:
        found = entered(edge.operation)
        if found is not None and found[1] > 0:
            yield edge, found[0]


def _in_loops(procedure: Procedure) -> set[int]:
    successors: dict[int, list[int]] = {location: [] for location in range(procedure.locations)}
    for edge in procedure.edges:
        successors[edge.source].append(edge.target)
    components = strongly_connected_components(successors)
    return {
        location for component in components for location in component if len(component) > 1 or location in successors[location]
    }


def _is_stored(pointers: PointsTo, node: int, name: str) -> bool:
    """May memory hold the address, other than the object itself?"""
    for number, each in pointers.roots():
        if any(pointers.find(cell)[0] == node for cell in each.fields.values()):
            if number != node or any(member != name for member, _ in each.members):
                return True
    return False


def _holding(pointers: PointsTo, live: _Liveness, node: int) -> Iterator[Variable]:
    for variable in live.variables.values():
        cell = pointers.cell(variable)
        if cell is not None and pointers.find(cell)[0] == node:
            yield variable


class _Liveness:
    """Which variables may be read before they are assigned, by location."""

    def __init__(self, procedure: Procedure) -> None:
        self.variables: dict[str, Variable] = {}
        self._live: list[set[str]] = [set() for _ in range(procedure.locations)]
        if procedure.result is not None:
            self.variables[procedure.result.name] = procedure.result
            self._live[procedure.exit].add(procedure.result.name)
        incoming: list[list[Edge]] = [[] for _ in range(procedure.locations)]
        reads: dict[int, set[str]] = {}
        for edge in procedure.edges:
            incoming[edge.target].append(edge)
            found = [variable for expression in expressions_of(edge.operation) for variable in _variables(expression)]
            self.variables.update((variable.name, variable) for variable in found)
            reads[id(edge)] = {variable.name for variable in found}
        waiting = list(range(procedure.locations))
        while waiting:
            location = waiting.pop()
            for edge in incoming[location]:
                given = assigned(edge.operation)
                after = self._live[location] - {given.name} if given is not None else self._live[location]
                before = self._live[edge.source]
                if not (reads[id(edge)] | after) <= before:
                    before |= reads[id(edge)] | after
                    waiting.append(edge.source)

    def at(self, location: int) -> set[str]:
        return self._live[location]


def _variables(expression: Expression) -> Iterator[Variable]:
    if isinstance(expression, Variable):
        yield expression
    elif isinstance(expression, Load):
        yield from _variables(expression.address)
    elif isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from _variables(argument)
