"""Which edges of a program with threads others may notice: a thread is chosen before each of them, and at no other edge.

This is said of the program as it is read, before anything is known of what threads share: of what lies in memory or is global,
others may have a say. Whoever runs or transforms such a program counts the same edges: one schedule means the same to all.
"""

from __future__ import annotations

from collections.abc import Container

from drystone.ir.expressions import Load, Variable
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import (
    Allocate,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Reallocate,
    Store,
    ThreadAction,
    ThreadOperation,
    assigned,
)

_SILENT = frozenset((ThreadAction.END, ThreadAction.SELF, ThreadAction.WAKES, ThreadAction.EXIT))
_CHANGE_MEMORY = (Store, Copy, Fill, Declare, Allocate, Reallocate, Free)


def is_step(operation: Operation, globals_: Container[str]) -> bool:
    """Does it touch memory or a global variable, begin an atomic section, create a thread or wait for one?"""
    if isinstance(operation, ThreadOperation):
        return operation.action not in _SILENT
    return writes(operation, globals_) or any(
        isinstance(part, Load) or (isinstance(part, Variable) and part.name in globals_)
        for expression in expressions_of(operation)
        for part in subexpressions(expression)
    )


def writes(operation: Operation, globals_: Container[str]) -> bool:
    """Does it change what others may see?"""
    target = assigned(operation)
    is_creation = isinstance(operation, ThreadOperation) and operation.action is ThreadAction.CREATE
    return isinstance(operation, _CHANGE_MEMORY) or is_creation or (target is not None and target.name in globals_)
