"""Which variables and regions take few values: constants are assigned to them, and others of these; nothing is computed."""

from __future__ import annotations

from collections.abc import Collection

from drystone.ir.automaton import Procedure
from drystone.ir.expressions import Address, Apply, Constant, Expression, Load, Variable
from drystone.ir.operations import Assign, Assume, Declare, Free, Skip, Store
from drystone.logic.sorts import Bool
from drystone.memory.dataflow import array_name, reads_and_writes
from drystone.memory.regions import Regions


def few_valued(procedure: Procedure, regions: Regions) -> frozenset[str]:
    found = {*procedure.variables, *(array_name(region) for region in regions)}
    for edge in procedure.edges:
        found.update(*reads_and_writes(edge.operation, regions))
    before = -1
    while before != len(found):
        before = len(found)
        for edge in procedure.edges:
            match edge.operation:
                case Assume() | Declare() | Skip() | Free():
                    pass
                case Assign(target, given):
                    if target.name in found and not _is_few(given, found, regions):
                        found.remove(target.name)
                case Store(address, given):
                    if not _is_few(given, found, regions):
                        found.discard(array_name(regions.of(address, given.sort)))
                case operation:
                    found.difference_update(reads_and_writes(operation, regions)[1])
    return frozenset(found)


def _is_few(expression: Expression, few: Collection[str], regions: Regions) -> bool:
    match expression:
        case Constant() | Address():
            return True
        case Variable(name):
            return name in few
        case Load(sort, address):
            return array_name(regions.of(address, sort)) in few
        case Apply("ite", _, (_, yes, no)):
            return _is_few(yes, few, regions) and _is_few(no, few, regions)
        case _:
            return isinstance(expression.sort, Bool)
