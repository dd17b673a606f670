"""Small programs built by hand for tests."""

from __future__ import annotations

from drystone.ir.automaton import Edge, Frame, Mark, MarkKind, MemoryObject, ObjectKind, Origin, Procedure, Program
from drystone.ir.expressions import Apply, Constant, Expression, Input, InputKind, Variable, apply, constant
from drystone.ir.operations import Assume, Operation
from drystone.logic.sorts import BOOL, Sort, bitvec

INT = bitvec(32)
POINTER = bitvec(64)


def var(name: str, sort: Sort = INT) -> Variable:
    return Variable(name, sort)


def num(value: int) -> Constant:
    return constant(32, value)


def nondet(name: str = "__VERIFIER_nondet_int", sort: Sort = INT) -> Input:
    return Input(0, sort, InputKind.NONDET, name)


def op(operator: str, *arguments: Expression) -> Apply:
    comparison = operator in ("=", "not", "and", "or", "bvslt", "bvsle", "bvult", "bvule") or operator.startswith(
        ("fp.eq", "fp.l")
    )
    return apply(operator, BOOL if comparison else arguments[-1].sort, *arguments)


def at(line: int) -> Origin:
    return Origin(0, line, 1, line, 2)


class Builder:
    """A procedure, edge by edge; location 0 is the entry, 1 the exit."""

    def __init__(self, name: str, parameters: tuple[Variable, ...] = (), result: Variable | None = None) -> None:
        self.name = name
        self.parameters = parameters
        self.result = result
        self.variables = {item.name: item for item in (*parameters, *([result] if result else []))}
        self.objects: dict[str, MemoryObject] = {}
        self.edges: list[Edge] = []
        self.marks: dict[int, Mark] = {}
        self.locations = 2

    def local(self, name: str, sort: Sort = INT) -> Variable:
        return self.variables.setdefault(name, Variable(name, sort))

    def object(self, name: str, size: int) -> None:
        self.objects[name] = MemoryObject(name, size, 4, ObjectKind.LOCAL)

    def new(self) -> int:
        self.locations += 1
        return self.locations - 1

    def edge(self, source: int, operation: Operation, target: int | None = None, line: int | None = None) -> int:
        target = self.new() if target is None else target
        self.edges.append(Edge(source, target, operation, at(len(self.edges) + 1 if line is None else line)))
        return target

    def chain(self, source: int, *operations: Operation, to: int | None = None) -> int:
        for operation in operations[:-1]:
            source = self.edge(source, operation)
        return self.edge(source, operations[-1], to)

    def branch(self, source: int, condition: Expression) -> tuple[int, int]:
        return self.edge(source, Assume(condition)), self.edge(source, Assume(op("not", condition)))

    def mark(self, location: int, kind: MarkKind = MarkKind.ERROR, what: str = "reach_error()") -> None:
        self.marks[location] = Mark(kind, what, at(99))

    def build(self) -> Procedure:
        return Procedure(
            name=self.name,
            parameters=self.parameters,
            result=self.result,
            variables=self.variables,
            objects=self.objects,
            entry=0,
            exit=1,
            edges=self.edges,
            marks=self.marks,
            locations=self.locations,
            frames=[Frame(self.name)],
        )


def program(
    *procedures: Builder, variables: dict[str, int] | None = None, functions: dict[str, str | None] | None = None
) -> Program:
    """The first procedure is the entry."""
    initial = variables or {}
    return Program(
        entry=procedures[0].name,
        procedures={item.name: item.build() for item in procedures},
        variables={name: var(name) for name in initial},
        initial={name: num(value) for name, value in initial.items()},
        objects={},
        functions=functions or {},
        pointer_width=64,
        files=["test.c"],
        approximations=[],
    )
