"""The contents of a block in canonical order, and their hash.

The order comes from the structure alone: a depth-first search from the entry that takes the branch c before the
branch not c, read as reverse postorder, so that it is topological where the block has no loop inside. Along it, local
variables, local objects, literals, inputs and locations are numbered by first occurrence; globals and functions keep
their names. The hash covers what is executed and which kind of end each exit is. It does not cover source positions,
C types, and what else is written for people.

So blocks with equal hashes are the same up to the names of locals: the k-th edge of one corresponds to the k-th edge
of the other, and the k-th exit to the k-th exit. An edit elsewhere changes no hash. (Memory regions will be named by
their smallest member, for the same reason.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

import msgspec

from drystone.base.digests import blake2b
from drystone.ir.automaton import MemoryObject, ObjectKind, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
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
)
from drystone.logic.sorts import Sort

_HASH_BYTES = 16


class Contents(msgspec.Struct, frozen=True, gc=False):
    edges: tuple[int, ...]
    exits: tuple[int, ...]
    contains_loop: bool


class Reader:
    """Reads the contents of blocks of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.procedure = procedure = program.procedures[program.entry]
        self.outgoing: list[list[int]] = [[] for _ in range(procedure.locations)]
        for number, edge in enumerate(procedure.edges):
            self.outgoing[edge.source].append(number)
        for leaving in self.outgoing:
            if len(leaving) == 2 and self._is_negation_of(leaving[0], leaving[1]):
                leaving.reverse()
        self._literals: dict[str, str] = {}

    def read(self, entry: int, exits: Collection[int], edges: Sequence[int]) -> Contents:
        """Edges that the entry does not reach, which no valid block has, come last, in ascending order."""
        procedure = self.procedure
        mine = set(edges)
        order, contains_loop = self._order(entry, exits, mine)
        in_order = [number for location in order for number in self.outgoing[location] if number in mine]
        if len(in_order) < len(mine):
            in_order += sorted(mine.difference(in_order))
        ordered_exits = dict.fromkeys(target for number in in_order if (target := procedure.edges[number].target) in exits)
        ordered_exits |= dict.fromkeys(sorted(location for location in exits if location not in ordered_exits))
        return Contents(tuple(in_order), tuple(ordered_exits), contains_loop)

    def hash(self, entry: int, exits: Sequence[int], edges: Sequence[int]) -> str:
        """Of what was read, in the order in which it was read."""
        order, _ = self._order(entry, exits, set(edges))
        return self._digest(entry, order, edges, exits)

    def line(self, location: int) -> int:
        """The source line of a location: that of its first edge that has one."""
        for number in self.outgoing[location]:
            origin = self.procedure.edges[number].origin
            if origin.file >= 0:
                return origin.line
        return 0

    def _is_negation_of(self, first: int, second: int) -> bool:
        """Does the first edge assume the negation of what the second assumes?"""
        left, right = self.procedure.edges[first].operation, self.procedure.edges[second].operation
        if not (isinstance(left, Assume) and isinstance(right, Assume)):
            return False
        condition = left.condition
        return isinstance(condition, Apply) and condition.operator == "not" and condition.arguments[0] == right.condition

    def _order(self, entry: int, exits: Collection[int], mine: set[int]) -> tuple[list[int], bool]:
        """The locations inside the block in reverse postorder, and whether an edge leads back to one of them."""
        table = self.procedure.edges
        opened = {entry}
        closed: set[int] = set()
        postorder: list[int] = []
        contains_loop = False
        stack = [(entry, reversed(self.outgoing[entry]))]
        while stack:
            location, remaining = stack[-1]
            for number in remaining:
                target = table[number].target
                if number not in mine or target in exits:
                    continue
                if target not in opened:
                    opened.add(target)
                    stack.append((target, reversed(self.outgoing[target])))
                    break
                contains_loop = contains_loop or target not in closed
            else:
                stack.pop()
                closed.add(location)
                postorder.append(location)
        postorder.reverse()
        return postorder, contains_loop

    def _digest(self, entry: int, order: Sequence[int], edges: Sequence[int], exits: Sequence[int]) -> str:
        numbers = {location: f"{index}" for index, location in enumerate(order)}
        targets = dict(numbers)
        for index, location in enumerate(exits):
            targets[location] = f"x{index}"
        writer = _Writer(self)
        text = writer.text
        for location in exits:
            text.append("entry" if location == entry else self._kind(location))
        for number in edges:
            edge = self.procedure.edges[number]
            text.append(numbers.get(edge.source) or f"?{edge.source}")
            writer.operation(edge.operation)
            text.append(targets.get(edge.target) or f"?{edge.target}")
        return blake2b("\n".join(text).encode(), digest_size=_HASH_BYTES).hexdigest()

    def _kind(self, location: int) -> str:
        """How an exit ends the block: at a mark, at the end of the program, or where another block begins."""
        if self.outgoing[location]:
            return "cut"
        mark = self.procedure.marks.get(location)
        return str(mark.kind) if mark is not None else "exit"

    def object(self, name: str) -> MemoryObject | None:
        return self.procedure.objects.get(name) or self.program.objects.get(name)

    def literal(self, item: MemoryObject) -> str:
        """A literal is known by its bytes: its name is a number that edits elsewhere change."""
        known = self._literals.get(item.name)
        if known is None:
            known = self._literals[item.name] = blake2b(item.content, digest_size=_HASH_BYTES).hexdigest()
        return known


class _Writer:
    """Operations as lines, names replaced by numbers in the order of their first occurrence.

    Every operation and operator is written with its name before its arguments, whose number is fixed or written too: so
    different contents have different lines.
    """

    def __init__(self, reader: Reader) -> None:
        self.text: list[str] = []
        self._reader = reader
        self._globals = reader.program.variables
        self._variables: dict[str, str] = {}
        self._objects: dict[str, str] = {}
        self._inputs: dict[int, int] = {}  # of the current edge, by their indices

    def operation(self, operation: Operation) -> None:
        if self._inputs:
            self._inputs = {}
        write = self._expression
        self.text.append(type(operation).__name__)
        match operation:
            case Assign(target, value):
                write(target)
                write(value)
            case Assume(condition):
                write(condition)
            case Skip() | Report():
                pass
            case Store(address, value):
                write(address)
                write(value)
            case Copy(to, source, size):
                write(to)
                write(source)
                self.text.append(f"{size}")
            case Fill(to, byte, size):
                write(to)
                write(byte)
                self.text.append(f"{size}")
            case Declare(name):
                self.text.append(self._object(name))
            case Allocate(target, amount, zeroed, lifetime, _):
                write(target)
                write(amount)
                self.text.append(f"{zeroed} {lifetime}")
            case Reallocate(target, address, amount):
                write(target)
                write(address)
                write(amount)
            case Free(address):
                write(address)
            case Call(procedure, arguments, result):
                self._call(procedure, arguments, result)
            case CallPointer(pointer, arguments, result):
                write(pointer)
                self._call("", arguments, result)
            case ThreadOperation(name, arguments, result):
                self._call(name, arguments, result)

    def _call(self, name: str, arguments: tuple[Expression, ...], result: Variable | None) -> None:
        self.text.append(f"{name} {len(arguments)} {result is not None}")
        for argument in arguments:
            self._expression(argument)
        if result is not None:
            self._expression(result)

    def _expression(self, expression: Expression) -> None:
        """Prefix notation; by recursion, which `MAX_DEPTH` bounds."""
        add = self.text.append
        match expression:
            case Variable(name):
                add(self._variables.get(name) or self._new_variable(expression))
            case Apply(operator, sort, arguments):
                add(f"{operator} {_sort(sort)} {len(arguments)}")
                for argument in arguments:
                    self._expression(argument)
            case Constant(sort, value):
                add(f"{value} {_sort(sort)}")
            case Load(sort, address):
                add(f"* {_sort(sort)}")
                self._expression(address)
            case Address(target, sort):
                add(f"& {_sort(sort)}")
                add(self._objects.get(target) or self._object(target))
            case Input(index, sort, kind):
                number = self._inputs.setdefault(index, len(self._inputs))
                add(f"input {number} {_sort(sort)} {kind}")

    def _new_variable(self, variable: Variable) -> str:
        local = variable.name not in self._globals
        text = f"v{len(self._variables)} {_sort(variable.sort)}" if local else f"g {_sort(variable.sort)} {variable.name}"
        self._variables[variable.name] = text
        return text

    def _object(self, name: str) -> str:
        text = self._objects.get(name)
        if text is None:
            item = self._reader.object(name)
            if item is None:  # a function
                text = f"f {name}"
            elif item.kind is ObjectKind.LITERAL:
                text = f"l{len(self._objects)} {item.size} {item.align} {self._reader.literal(item)}"
            elif item.kind is ObjectKind.LOCAL:
                text = f"o{len(self._objects)} {item.size} {item.align}"
            else:
                text = f"{item.kind} {item.size} {item.align} {name}"
            self._objects[name] = text
        return text


@cache
def _sort(sort: Sort) -> str:
    return str(sort)
