"""Copies of procedures (`passes.inline`): each activation has names of its own, made of its call path."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, MemoryObject, Procedure, Program
from drystone.ir.expressions import Address, Apply, Expression, Load, Variable
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
    Report,
    Skip,
    Store,
    ThreadOperation,
    assigned,
)
from drystone.ir.simplify import make
from drystone.logic.sorts import Sort


class Template:
    """What all copies of one procedure share."""

    def __init__(self, procedure: Procedure, thread_locals: frozenset[str] = frozenset()) -> None:
        self.procedure, self.thread_locals = procedure, thread_locals
        self.outgoing = procedure.outgoing()
        self.result_may_be_unassigned = procedure.result is not None and _exit_without(procedure.result, procedure, self.outgoing)
        self._assigned: set[str] | None = None
        self._closed: dict[int, bool] = {}  # by identity; the procedure keeps the expressions alive

    def keeps(self, parameter: Variable) -> bool:
        """Is the parameter never assigned?"""
        if self._assigned is None:
            self._assigned = {target.name for edge in self.procedure.edges if (target := assigned(edge.operation)) is not None}
        return parameter.name not in self._assigned

    def is_closed(self, expression: Apply | Load) -> bool:
        """Does the expression mention no variable and no object of the procedure, so that all copies can share it?"""
        known = self._closed.get(id(expression))
        if known is None:
            parts = expression.arguments if isinstance(expression, Apply) else (expression.address,)
            known = self._closed[id(expression)] = all(self._part_is_closed(part) for part in parts)
        return known

    def _part_is_closed(self, part: Expression) -> bool:
        match part:
            case Variable():
                return part.name not in self.procedure.variables and part.name not in self.thread_locals
            case Address():
                return part.target not in self.procedure.objects
            case Apply() | Load():
                return self.is_closed(part)
            case _:
                return True


def _exit_without(variable: Variable, procedure: Procedure, outgoing: list[list[Edge]]) -> bool:
    """Is there a path in the automaton from entry to exit that never assigns the variable?"""
    seen = {procedure.entry}
    stack = [procedure.entry]
    while stack:
        for edge in outgoing[stack.pop()]:
            if edge.target not in seen and assigned(edge.operation) != variable:
                seen.add(edge.target)
                stack.append(edge.target)
    return procedure.exit in seen


class Activation:
    """One copy of a procedure: its frame, its names, and where it returns to."""

    __slots__ = (
        "children",
        "constants",
        "frame",
        "locations",
        "memo",
        "nesting",
        "objects",
        "parent",
        "prefix",
        "return_edge",
        "template",
        "variables",
    )

    def __init__(self, template: Template, parent: Activation | None, return_edge: Edge | None, frame: int, prefix: str) -> None:
        self.template = template
        self.parent = parent
        self.return_edge = return_edge  # the call in the parent
        self.frame = frame
        self.prefix = prefix
        self.nesting: dict[str, int] = parent.nesting if parent is not None else {}
        self.locations: dict[int, int] = {}
        self.children: dict[str, int] = {}  # how often a label such as `f@12` was given below this activation
        self.variables: dict[str, Variable] = {}
        self.objects: dict[str, str] = {}
        self.memo: dict[int, Expression] = {}
        self.constants: dict[str, Expression] = {}  # parameters that have one value

    def label(self, name: str, line: int) -> str:
        """A name for something at this line of the activation, different from all others."""
        label = f"{self.prefix}{name}@{line}"
        count = self.children[label] = self.children.get(label, 0) + 1
        return label if count == 1 else f"{label}#{count}"


class Copies:
    """The expressions and operations of activations, with their variables and objects, which are collected."""

    def __init__(self, program: Program, thread: str = "") -> None:
        """`thread`: which one's thread-local variables are meant; those of the first one keep their names."""
        self.program, self.thread = program, thread
        self.variables: dict[str, Variable] = {}
        self.objects: dict[str, MemoryObject] = {}

    def temporary(self, name: str, sort: Sort) -> Variable:
        """A variable that no copied one is."""
        variable = self.variables[name] = Variable(name, sort)
        return variable

    def variable(self, activation: Activation, variable: Variable) -> Variable:
        """The activation's own, if it is a local one."""
        if variable.name not in activation.template.procedure.variables:
            return self._own(variable) if self.thread and variable.name in self.program.thread_locals else variable
        renamed = activation.variables.get(variable.name)
        if renamed is None:
            name = self._local_name(activation, variable.name, self.program.variables)
            renamed = variable if name == variable.name else Variable(name, variable.sort, variable.ctype)
            activation.variables[variable.name] = self.variables[name] = renamed
        return renamed

    def _own(self, variable: Variable) -> Variable:
        name = names.thread_local(self.thread, variable.name)
        return self.variables.setdefault(name, Variable(name, variable.sort, variable.ctype))

    def _object(self, activation: Activation, target: str) -> str:
        declared = activation.template.procedure.objects.get(target)
        if declared is None:
            return target
        renamed = activation.objects.get(target)
        if renamed is None:
            renamed = activation.objects[target] = self._local_name(activation, target, self.program.objects)
            relocations = tuple((offset, self.expression(activation, value)) for offset, value in declared.relocations)
            self.objects[renamed] = msgspec.structs.replace(declared, name=renamed, relocations=relocations)
        return renamed

    def _local_name(self, activation: Activation, name: str, globals_: Iterable[str]) -> str:
        """The entry function keeps its names, unless a callee could take them for globals."""
        if activation.prefix:
            return activation.prefix + name
        return names.derived(name, "local") if name in globals_ else name

    def expression(self, activation: Activation, expression: Expression) -> Expression:
        match expression:
            case Variable():
                return activation.constants.get(expression.name) or self.variable(activation, expression)
            case Address():
                target = self._object(activation, expression.target)
                return expression if target == expression.target else Address(target, expression.sort)
            case Apply() | Load():
                if activation.template.is_closed(expression):
                    return expression
                renamed = activation.memo.get(id(expression))
                if renamed is None:
                    if isinstance(expression, Apply):
                        arguments = tuple(self.expression(activation, argument) for argument in expression.arguments)
                        renamed = (
                            make(expression.operator, expression.sort, *arguments)
                            if activation.constants
                            else Apply(expression.operator, expression.sort, arguments, expression.depth)
                        )
                    else:
                        renamed = Load(expression.sort, self.expression(activation, expression.address), expression.depth)
                    activation.memo[id(expression)] = renamed
                return renamed
            case _:
                return expression

    def operation(self, activation: Activation, operation: Operation) -> Operation:
        match operation:
            case Assign(target, value):
                return Assign(self.variable(activation, target), self.expression(activation, value))
            case Assume(condition):
                return Assume(self.expression(activation, condition))
            case Store(address, value):
                return Store(self.expression(activation, address), self.expression(activation, value))
            case Copy(target, source, size):
                return Copy(self.expression(activation, target), self.expression(activation, source), size)
            case Fill(target, byte, size):
                return Fill(self.expression(activation, target), self.expression(activation, byte), size)
            case Declare(target):
                return Declare(self._object(activation, target))
            case Allocate(target, size):
                renamed = self.variable(activation, target)
                return msgspec.structs.replace(operation, target=renamed, size=self.expression(activation, size))
            case Reallocate(target, address, size):
                return Reallocate(
                    self.variable(activation, target), self.expression(activation, address), self.expression(activation, size)
                )
            case Free(address):
                return Free(self.expression(activation, address))
            case ThreadOperation(_, arguments, result):
                copied = tuple(self.expression(activation, argument) for argument in arguments)
                given = self.variable(activation, result) if result is not None else None
                return msgspec.structs.replace(operation, arguments=copied, result=given)
            case Skip():
                return operation
            case Report(name):
                return Skip(f"{name}()")
            case _:
                raise TypeError(f"{type(operation).__name__} is expanded, not copied")
