"""What operations read and write: names of variables, and of memory regions (`region NAME`)."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.ir.expressions import Apply, Expression, Load, Variable
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
from drystone.memory.regions import Region, Regions


def array_name(region: Region) -> str:
    """The name of a region where it stands beside variables."""
    return "region " + region.name


def reads_and_writes(operation: Operation, regions: Regions) -> tuple[list[str], list[str]]:
    """Memory is written in part: the old contents of a region that is written still matter to those who read it."""
    match operation:
        case Assume(condition):
            return list(reads(condition, regions)), []
        case Assign(target, value):
            return list(reads(value, regions)), [target.name]
        case Store(address, value):
            return [*reads(address, regions), *reads(value, regions)], [array_name(regions.of(address, value.sort))]
        case Copy(target_address, source, size):
            touched = list(dict.fromkeys(array_name(region) for _, region in regions.cells(target_address, size)))
            return [*touched, *reads(target_address, regions), *reads(source, regions)], touched
        case Fill(target_address, byte, size):
            touched = list(dict.fromkeys(array_name(region) for _, region in regions.cells(target_address, size)))
            return [*reads(target_address, regions), *reads(byte, regions)], touched
        case Declare(name):
            return [], [array_name(region) for region in regions.of_object(name)]
        case Allocate(target, size_expression):
            fresh = [array_name(region) for region in regions.of_pointer(target)]
            return list(reads(size_expression, regions)), [target.name, *fresh]
        case Reallocate(target, address, size_expression):
            moved = [array_name(region) for region in regions.of_pointer(target)]
            return [*moved, *reads(address, regions), *reads(size_expression, regions)], [target.name, *moved]
        case Free(address):
            return list(reads(address, regions)), []
        case Skip():
            return [], []
        case _:
            raise ValueError(f"only programs without calls have their data flow here, not {operation}")


def reads(expression: Expression, regions: Regions) -> Iterator[str]:
    stack = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Variable):
            yield part.name
        elif isinstance(part, Load):
            yield array_name(regions.of(part.address, part.sort))
            stack.append(part.address)
        elif isinstance(part, Apply):
            stack.extend(part.arguments)
