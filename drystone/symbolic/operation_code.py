"""Compiles operations into functions that build terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from drystone.ir.automaton import MemoryObject
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable
from drystone.ir.operations import Allocate, Assign, Assume, Copy, Declare, Fill, Free, Operation, Reallocate, Skip, Store
from drystone.logic import terms
from drystone.logic.terms import make
from drystone.memory.regions import Regions
from drystone.symbolic.environment import Environment
from drystone.symbolic.heap_objects import allocate, reallocate
from drystone.symbolic.region_memory import ExecutedProgram, Memory

Compiled = Callable[[Environment, ExecutedProgram], Any]


class _Code:
    """The text of a function and the objects it mentions.

    Everything but operators is such an object, names of variables as well: so operations of the same shape have the same text,
    in copies of a function above all, and Python compiles it once.
    """

    def __init__(self, memory: Memory, regions: Regions) -> None:
        self.memory = memory
        self.regions = regions
        self.objects: dict[str, Any] = {"make": make}

    def name(self, value: object) -> str:
        name = f"k{len(self.objects)}"
        self.objects[name] = value
        return name

    def text(self, expression: Expression) -> str:
        match expression:
            case Variable(name):
                return f"E[{self.name(name)}]"
            case Constant(sort, value):
                return self.name(terms.constant(sort, value))
            case Address(target):
                return self.name(self.memory.address(target))
            case Input(index, sort):
                return f"P.fresh({self.name(expression)}, {self.name(f'{index}:{expression.name}')}, {self.name(sort)})"
            case Load(sort, address):
                region = self.regions.of(address, sort)
                return f"P.memory.load(P, E, {self.name(region)}, {self.text(address)}, {self.name(sort)})"
            case Apply(operator, sort, arguments):
                parts = ", ".join(self.text(argument) for argument in arguments)
                return f"make({operator!r}, {self.name(sort)}, {parts})"

    def function(self, body: str) -> Compiled:
        return FunctionType(_code_of(body), self.objects)


@lru_cache(maxsize=50_000)
def _code_of(body: str) -> CodeType:
    module = compile(f"def function(E, P):\n    {body}\n", "<operation>", "exec")
    code: CodeType = module.co_consts[0]
    return code


def compile_expression(expression: Expression, memory: Memory, regions: Regions) -> Compiled:
    code = _Code(memory, regions)
    return code.function(f"return {code.text(expression)}")


def compile_operation(operation: Operation, memory: Memory, regions: Regions, objects: Mapping[str, MemoryObject]) -> Compiled:
    code = _Code(memory, regions)
    match operation:
        case Assume(condition):
            return code.function(f"return {code.text(condition)}")
        case Assign(target, value):
            return code.function(f"E[{code.name(target.name)}] = {code.text(value)}")
        case Store(address, value):
            region = regions.of(address, value.sort)
            return code.function(f"P.memory.store(P, E, {code.name(region)}, {code.text(address)}, {code.text(value)})")
        case Copy(target_address, source, _):
            return code.function(f"P.memory.copy(P, E, {code.name(operation)}, {code.text(target_address)}, {code.text(source)})")
        case Fill(target_address, byte, _):
            return code.function(f"P.memory.fill(P, E, {code.name(operation)}, {code.text(target_address)}, {code.text(byte)})")
        case Declare(name):
            object_ = objects[name]
            return code.function(f"P.memory.declare(P, E, {code.name(object_)})")
        case Allocate(_, size):
            return code.function(f"{code.name(allocate)}(P.memory, P, E, {code.name(operation)}, {code.text(size)})")
        case Reallocate(_, address, size):
            arguments = f"{code.name(operation)}, {code.text(address)}, {code.text(size)}"
            return code.function(f"{code.name(reallocate)}(P.memory, P, E, {arguments})")
        case Free(address):
            return code.function(code.text(address))
        case Skip():
            return code.function("return None")
        case _:
            raise ValueError(f"symbolic execution works on programs without calls, not on {operation}")
