"""Which edges of a program with threads others may notice: a thread is chosen before each of them, and at no other edge.

This is said of the program as it is read, before anything is known of what threads share: of what lies in memory or is global,
others may have a say. Whoever runs or transforms such a program counts the same edges: one schedule means the same to all.
"""

from __future__ import annotations

from collections.abc import Container

from drystone.ir.expressions import Apply, Expression, Load, Variable
from drystone.ir.features import expressions_of
from drystone.ir.operations import (
    Allocate,
    Assign,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Reallocate,
    Skip,
    Store,
    ThreadAction,
    ThreadOperation,
    assigned,
)

_SILENT = frozenset((ThreadAction.END, ThreadAction.SELF, ThreadAction.WAKES, ThreadAction.EXIT))


def is_step(operation: Operation, globals_: Container[str]) -> bool:
    """Does it touch memory or a global variable, begin an atomic section, create a thread or wait for one?"""
    match operation:
        case Skip():
            return False
        case ThreadOperation():
            return operation.action not in _SILENT
        case Store() | Copy() | Fill() | Declare() | Allocate() | Reallocate() | Free():
            return True
        case Assign(target, value):
            return target.name in globals_ or _looks(value, globals_)
        case _:
            target_ = assigned(operation)
            return (target_ is not None and target_.name in globals_) or any(
                _looks(each, globals_) for each in expressions_of(operation)
            )


def writes(operation: Operation, globals_: Container[str]) -> bool:
    """Does it change what others may see?"""
    target = assigned(operation)
    is_bulk = isinstance(operation, (Store, Copy, Fill, Declare, Allocate, Reallocate, Free))
    is_creation = isinstance(operation, ThreadOperation) and operation.action is ThreadAction.CREATE
    return is_bulk or is_creation or (target is not None and target.name in globals_)


def _looks(expression: Expression, globals_: Container[str]) -> bool:
    stack = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Load) or (isinstance(part, Variable) and part.name in globals_):
            return True
        if isinstance(part, Apply):
            stack.extend(part.arguments)
    return False
