"""Could what a program computes depend on where its objects lie? Read from its operations, without a run."""

from __future__ import annotations

from drystone.program.automaton import Program
from drystone.program.expressions import Address, Apply, Expression, Load
from drystone.program.features import expressions_of
from drystone.program.operations import (
    Allocate,
    CallPointer,
    Copy,
    Fill,
    Operation,
    Reallocate,
    Report,
    Store,
    ThreadOperation,
)


def has_addresses_as_data(program: Program) -> bool:
    """Not if addresses are only used to get at the objects."""
    objects = [program.objects, *(procedure.objects for procedure in program.procedures.values())]
    if any(each.relocations for some in objects for each in some.values()):
        return True
    if any(map(_is_data, program.initial.values())):
        return True
    return any(_has_data(edge.operation) for procedure in program.procedures.values() for edge in procedure.edges)


def _has_data(operation: Operation) -> bool:
    match operation:
        case Store(address, value):
            return _is_data_within(address) or _is_data(value)
        case Copy(target, source):
            return _is_data_within(target) or _is_data_within(source)
        case Fill(target, byte):
            return _is_data_within(target) or _is_data(byte)
        case Allocate() | Reallocate() | CallPointer() | ThreadOperation() | Report():
            return True
        case _:
            return any(map(_is_data, expressions_of(operation)))


def _is_data_within(address: Expression) -> bool:
    """An address may be a sum of an object's address and numbers; these are computed without addresses."""
    match address:
        case Address():
            return False
        case Apply("bvadd", _, arguments):
            return any(map(_is_data_within, arguments))
        case _:
            return _is_data(address)


def _is_data(expression: Expression) -> bool:
    match expression:
        case Address():
            return True
        case Load(_, address):
            return _is_data_within(address)
        case Apply(_, _, arguments):
            return any(map(_is_data, arguments))
        case _:
            return False
