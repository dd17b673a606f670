"""Builds one procedure's automaton: a current location, edges, temporaries, joins.

`goto` does not add an edge: it makes the current location and its target one location, so that the
automaton has an edge per operation and nothing else. Code after a jump is built too (a label may follow);
what the entry does not reach is dropped in `finish`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from drystone.frontend.lowering.extents import Extents
from drystone.frontend.lowering.shadows import Shadows, begin_shadow, copy_shadow
from drystone.ir import names
from drystone.ir.automaton import (
    NOWHERE,
    Edge,
    ErrorKind,
    Frame,
    Mark,
    MarkKind,
    MemoryObject,
    Origin,
    Procedure,
    Unmodelled,
)
from drystone.ir.expressions import (
    MAX_DEPTH,
    Address,
    Apply,
    Constant,
    Determinant,
    Expression,
    Input,
    InputKind,
    Load,
    Variable,
    load,
)
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Operation,
    Reallocate,
    Skip,
    ThreadAction,
    ThreadOperation,
)
from drystone.ir.simplify import negate
from drystone.logic.sorts import BOOL, Sort


class Candidate(msgspec.Struct, frozen=True):
    """A location that is an error if the program's convention is `kind`."""

    location: int
    kind: ErrorKind
    what: str
    origin: Origin


class Builder:
    def __init__(self, name: str, reserved: Callable[[str], bool], word: int | None = None) -> None:
        """`reserved` tells the names of globals and functions: a local of such a name gets another. `word`: undefined operations
        give what a machine of so many bits gives; None: any value."""
        self.name = name
        self.word = word
        self.makes_pointers = False  # from numbers
        self.is_folded = False  # may gcc make no code for what is lowered now?
        self.reserved = reserved
        self.edges: list[tuple[int, int, Operation, Origin]] = []
        self.marks: dict[int, Mark] = {}
        self.variables: dict[str, Variable] = {}
        self.objects: dict[str, MemoryObject] = {}
        self.candidates: list[Candidate] = []
        self.origin = NOWHERE
        self.extents: Extents | None = None  # None: memory is not checked
        self.shadows: Shadows | None = None  # None: it is not asked what has a value
        self.approved: set[Expression] = set()  # addresses of what is copied or freed, which checks have looked at
        self.checked: dict[int, Expression | Operation] = {}  # loads and other accesses that they have, by identity
        self.ranges: set[bool] = set()  # of a model: has it told where all of its reads (False), or writes, will be?
        self._alias: list[int] = []
        self._temporaries = 0
        self._inputs = 0
        self.entry = self.location()
        self.exit = self.location()
        self.current = self.entry

    @contextmanager
    def folding(self) -> Iterator[None]:
        before, self.is_folded = self.is_folded, True
        try:
            yield
        finally:
            self.is_folded = before

    # locations

    def location(self) -> int:
        self._alias.append(len(self._alias))
        return len(self._alias) - 1

    def _find(self, location: int) -> int:
        alias = self._alias
        while alias[location] != location:
            alias[location] = alias[alias[location]]
            location = alias[location]
        return location

    def emit(self, operation: Operation, bits: Expression | None = None) -> None:
        """An edge from the current location to a fresh one, which becomes the current one; and what keeps the table of what lives
        where, and what says which bytes have a value, if the program has these. `bits`: of what is written, if it need not."""
        for each in (operation,) if self.extents is None else self.extents.around(operation):
            if self.shadows is None:
                self.append(each)
                continue
            if isinstance(each, Copy):
                copy_shadow(self, self.shadows, each)
            for one in (*self.shadows.before(each, bits), each, *self.shadows.after(each, bits)):
                self.append(one)
            if isinstance(each, (Allocate, Reallocate)):
                begin_shadow(self, self.shadows, each)

    def append(self, operation: Operation) -> None:
        """An edge for this alone."""
        target = self.location()
        self.edges.append((self.current, target, operation, self.origin))
        self.current = target

    def goto(self, target: int) -> None:
        """Control goes on at `target`; what is built next is unreachable unless it is a label."""
        if self._find(self.current) == self._find(target):
            self.edges.append((self.current, target, Skip("endless loop"), self.origin))
        else:
            self._alias[self._find(self.current)] = self._find(target)
        self.current = self.location()

    def place(self, location: int) -> None:
        """The current location falls through into `location`, which becomes the current one."""
        if self._find(self.current) != self._find(location):
            self.goto(location)
        self.current = location

    def branch(self, condition: Expression, then: int, otherwise: int) -> None:
        """Exclusive branches from the current location."""
        if isinstance(condition, Constant):
            self.goto(then if condition.value else otherwise)
            return
        condition = self.without_inputs(condition)
        self.edges.append((self.current, then, Assume(condition), self.origin))
        self.edges.append((self.current, otherwise, Assume(negate(condition)), self.origin))
        self.current = self.location()

    def end(self, kind: MarkKind, what: str, unmodelled: Unmodelled = Unmodelled.CONSTRUCT, name: str = "") -> None:
        """The path ends at the current location."""
        text = f"not modelled: {what}" if kind is MarkKind.UNKNOWN else what
        self.edges.append((self.current, target := self.location(), Skip(text), self.origin))
        self.marks[target] = Mark(kind, what, self.origin, unmodelled=unmodelled, name=name)
        self.current = self.location()

    def error(self, kind: ErrorKind, what: str, origin: Origin | None = None) -> None:
        """The path ends here, in an error if the program's convention is `kind`. `origin`: of what is wrong."""
        self.emit(Skip(what))
        self.candidates.append(Candidate(self.current, kind, what, self.origin if origin is None else origin))
        self.current = self.location()

    def error_if(self, condition: Expression, kind: ErrorKind, what: str, origin: Origin) -> None:
        """Control goes on only where the condition does not hold."""
        fails, goes_on = self.location(), self.location()
        self.branch(condition, fails, goes_on)
        self.current = fails
        self.error(kind, what, origin)
        self.current = goes_on

    def choose_errors(self, chosen: Callable[[Candidate], bool | None]) -> None:
        """Turns candidates into errors, or into ends of the path; those that are neither (None) are passed."""
        for candidate in self.candidates:
            is_error = chosen(candidate)
            if is_error is not None:
                kind, convention = (MarkKind.ERROR, candidate.kind) if is_error else (MarkKind.HALT, None)
                self.marks[candidate.location] = Mark(kind, candidate.what, candidate.origin, convention)

    # values

    def variable(self, name: str, sort: Sort, ctype: str = "") -> Variable:
        """A local variable; a name that is taken gets a number."""
        unique = self.fresh_name(name)
        variable = self.variables[unique] = Variable(unique, sort, ctype)
        return variable

    def fresh_name(self, name: str) -> str:
        """A name for a local variable or object that means nothing else in this procedure."""
        unique, count = name, 1
        while unique in self.variables or unique in self.objects or self.reserved(unique):
            count += 1
            unique = f"{name}#{count}"
        return unique

    def temporary(self, sort: Sort) -> Variable:
        self._temporaries += 1
        return self.variable(names.temporary(self._temporaries), sort)

    def input(
        self, sort: Sort, kind: InputKind, what: str, determinant: Determinant = Determinant.NOTHING, ctype: str = ""
    ) -> Input:
        self._inputs += 1
        return Input(self._inputs, sort, kind, what, determinant, ctype)

    def assign(self, target: Variable, value: Expression) -> None:
        self.emit(Assign(target, value))

    def atomic(self, is_wanted: bool, action: ThreadAction) -> None:
        """The begin or the end of a section that no other thread interrupts."""
        if is_wanted:
            self.emit(ThreadOperation(f"an {action}", (), None, action))

    def redirect(self, value: Expression, target: Variable) -> bool:
        """If the last edge is a call that puts `value` into a temporary, lets it put it into `target` instead."""
        if not self.edges or not isinstance(value, Variable) or value.sort != target.sort:
            return False
        source, end, operation, origin = self.edges[-1]
        if end != self.current or not isinstance(operation, (Call, CallPointer)) or operation.result != value:
            return False
        self.edges[-1] = (source, end, msgspec.structs.replace(operation, result=target), origin)
        del self.variables[value.name]
        if self.shadows is not None:
            for each in self.shadows.after(self.edges[-1][2], None):
                self.append(each)
        return True

    def keep(self, value: Expression) -> Expression:
        """The value as it is now, whatever is assigned later: in a temporary unless it cannot change."""
        if isinstance(value, (Constant, Address)) or (isinstance(value, Variable) and names.is_temporary(value.name)):
            return value
        temporary = self.temporary(value.sort)
        self.assign(temporary, value)
        return temporary

    def shallow(self, value: Expression) -> Expression:
        """Keeps expressions below MAX_DEPTH."""
        if isinstance(value, (Apply, Load)) and value.depth >= MAX_DEPTH - 8:
            return self.keep(value)
        return value

    def without_inputs(self, value: Expression) -> Expression:
        """Conditions read no inputs: both branches must see the same value."""
        return self.keep(value) if reads_input(value) else value

    def choice(self, what: str, determinant: Determinant = Determinant.NOTHING) -> Variable:
        """A Boolean chosen by the environment."""
        variable = self.temporary(BOOL)
        self.assign(variable, self.input(BOOL, InputKind.CHOICE, what, determinant))
        return variable

    def finish(self, parameters: tuple[Variable, ...], result: Variable | None, origin: Origin) -> Procedure:
        """Numbers what the entry reaches, in depth-first order of the source."""
        outgoing: dict[int, list[tuple[int, int, Operation, Origin]]] = {}
        for edge in self.edges:
            outgoing.setdefault(self._find(edge[0]), []).append(edge)
        marks = {self._find(location): mark for location, mark in self.marks.items()}
        numbers: dict[int, int] = {}
        edges: list[Edge] = []
        stack = [self._find(self.entry)]
        while stack:
            location = stack.pop()
            if location in numbers:
                continue
            numbers[location] = len(numbers)
            if location in marks:
                continue
            for edge in reversed(outgoing.get(location, ())):
                target = self._find(edge[1])
                if target not in numbers:
                    stack.append(target)
        exit_ = self._find(self.exit)
        for location, number in numbers.items():
            if location in marks:
                continue
            if location != exit_ and location not in outgoing:
                # lowering stopped in the middle of a statement: what would follow here is not modelled
                marks[location] = Mark(MarkKind.UNKNOWN, "the rest of a statement", origin)
            for _, target, operation, edge_origin in outgoing.get(location, ()):
                edges.append(Edge(number, numbers[self._find(target)], operation, edge_origin))
        if exit_ not in numbers:
            numbers[exit_] = len(numbers)  # never returns: an exit without incoming edges
        return Procedure(
            name=self.name,
            parameters=parameters,
            result=result,
            variables=self.variables,
            objects=self.objects,
            entry=0,
            exit=numbers[exit_],
            edges=edges,
            marks={numbers[location]: mark for location, mark in marks.items() if location in numbers},
            locations=len(numbers),
            frames=[Frame(self.name)],
            origin=origin,
        )


def emit_checked(builder: Builder, access: Operation) -> None:
    """Of memory that checks have looked at, or that was made just now."""
    builder.checked[id(access)] = access
    builder.emit(access)


def load_checked(builder: Builder, sort: Sort, address: Expression) -> Expression:
    """The same of a value."""
    value = load(sort, address)
    builder.checked[id(value)] = value
    if builder.shadows is not None:
        builder.shadows.reads[id(value)] = value
    return value


def reads_input(value: Expression) -> bool:
    match value:
        case Apply():
            return any(reads_input(argument) for argument in value.arguments)
        case Load():
            return reads_input(value.address)
        case Input():
            return True
        case _:
            return False
