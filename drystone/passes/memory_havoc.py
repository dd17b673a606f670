"""A program that forgets what is in memory: every load gives any value, stores do nothing.

Every execution of the program is one of this program, too, with the values that the loads gave as inputs. So what cannot be
reached here cannot be reached there: a TRUE carries over, a counterexample does not. Memory at known addresses should have become
variables before (`scalarise`); then the properties of many programs, drivers above all, do not depend on the rest.

Locations keep their numbers; new ones come behind them.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, Procedure, Program, inputs
from drystone.ir.expressions import Apply, Expression, Input, InputKind, Load, Variable, apply
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Reallocate,
    Skip,
    Store,
)

WHAT = "memory that is not looked at"


def forget_memory(program: Program) -> Program:
    """`program` has a single procedure."""
    procedure = _Forgetting(program.procedures[program.entry]).run()
    return msgspec.structs.replace(program, procedures={program.entry: procedure})


class _Forgetting:
    def __init__(self, procedure: Procedure) -> None:
        self.procedure = procedure
        self.variables = dict(procedure.variables)
        self.locations = procedure.locations
        self.frame_of = list(procedure.frame_of) if procedure.frame_of is not None else None
        self.edges: list[Edge] = []

    def run(self) -> Procedure:
        for location, leaving in enumerate(self.procedure.outgoing()):
            if leaving and isinstance(leaving[0].operation, Assume):
                self._branch(location, leaving)
            else:
                for edge in leaving:
                    self._edge(edge.source, edge.target, _without_memory(edge.operation), edge)
        return msgspec.structs.replace(
            self.procedure, edges=self.edges, locations=self.locations, frame_of=self.frame_of, variables=self.variables
        )

    def _edge(self, source: int, target: int, operation: Operation, edge: Edge) -> None:
        self.edges.append(Edge(source, target, operation, edge.origin))

    def _branch(self, location: int, leaving: list[Edge]) -> None:
        """Both sides must see the same value, and conditions read no inputs: it is chosen before."""
        chosen: dict[Load, Variable] = {}
        source = location

        def choose(load: Load) -> Expression:
            nonlocal source
            variable = chosen.get(load)
            if variable is None:
                name = names.own(f"forgotten.{location}.{len(chosen)}")
                variable = chosen[load] = self.variables[name] = Variable(name, load.sort)
                target, self.locations = self.locations, self.locations + 1
                if self.frame_of is not None:
                    self.frame_of.append(self.frame_of[location])
                self._edge(source, target, Assign(variable, Input(0, load.sort, InputKind.UNDEFINED, WHAT)), leaving[0])
                source = target
            return variable

        conditions = []
        for edge in leaving:
            assert isinstance(edge.operation, Assume)
            conditions.append(_replaced(edge.operation.condition, choose))
        for edge, condition in zip(leaving, conditions, strict=True):
            self._edge(source, edge.target, Assume(condition), edge)


def _without_memory(operation: Operation) -> Operation:
    match operation:
        case Store() | Copy() | Fill() | Declare() | Free():
            return Skip("memory is forgotten")
        case Assign(target, value):
            return Assign(target, _any_values(value))
        case Allocate(_, size):
            return msgspec.structs.replace(operation, size=_any_values(size))
        case Reallocate(target, address, size):
            return Reallocate(target, _any_values(address), _any_values(size))
        case _:
            return operation


def _any_values(expression: Expression) -> Expression:
    """Every load is an input; the same load the same one."""
    taken = {each.index for each in inputs(expression)}
    chosen: dict[Load, Input] = {}

    def choose(load: Load) -> Expression:
        found = chosen.get(load)
        if found is None:
            index = next(index for index in range(len(taken) + 1) if index not in taken)
            taken.add(index)
            found = chosen[load] = Input(index, load.sort, InputKind.UNDEFINED, WHAT)
        return found

    return _replaced(expression, choose)


def _replaced(expression: Expression, choose: Callable[[Load], Expression]) -> Expression:
    match expression:
        case Load():
            return choose(expression)
        case Apply(operator, sort, arguments):
            replaced = tuple(_replaced(argument, choose) for argument in arguments)
            return apply(operator, sort, *replaced) if any(map(_differ, arguments, replaced)) else expression
        case _:
            return expression


def _differ(before: Expression, after: Expression) -> bool:
    return before is not after
