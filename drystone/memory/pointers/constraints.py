"""What operations say about pointers: whatever may hold the same pointer is unified."""

from __future__ import annotations

from drystone.ir import names
from drystone.ir.automaton import Edge, Procedure
from drystone.ir.expressions import Expression, Load, Variable
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Fill,
    Free,
    Reallocate,
    Store,
    ThreadAction,
    ThreadOperation,
)
from drystone.memory.pointers.forms import is_zero
from drystone.memory.pointers.values import Values


class Constraints:
    """Of the procedure that `Places` is in."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.program = values.program
        self.classes = values.classes
        self.places = values.places
        self.numbers = values.numbers
        self.forms = values.forms
        self._returned = Variable(
            names.own("returned by a thread"), self.program.pointer
        )  # by any: who waits for whom is not asked

    def add(self, edge: Edge, index: int) -> None:
        operation = edge.operation
        match operation:
            case Assign(variable, value):
                self.values.equate(variable, value)
            case Assume(condition):
                self.values.cell(condition)
            case Store(address, value):
                self._store(address, value)
            case Copy(first, second, size):
                self.classes.unify(self.values.bulk(first, size), self.values.bulk(second, size))
            case Fill(address, byte, size):
                self.values.bulk(address, size, fills=not is_zero(byte), clears=is_zero(byte))
                self.values.cell(byte)
            case Allocate(variable, size_expression):
                self.values.cell(size_expression)
                self.values.bind(variable, self.places.allocation(edge, index))
            case Reallocate(variable, address, size_expression):
                self.values.cell(size_expression)
                old = self.values.target(address)
                fresh = self.places.allocation(edge, index)
                self.classes.unify(old, fresh)
                self.values.bind(variable, fresh)
            case Free(address):
                self.values.cell(address)
            case Call(name, arguments, result):
                self._call(name, arguments, result)
            case CallPointer(pointer_expression, arguments, result):
                self.values.target(pointer_expression)
                for name in self.targets(pointer_expression):
                    self._call(name, arguments, result)
                for argument in arguments:
                    self.values.cell(argument)
            case ThreadOperation(_, (value,), _, ThreadAction.EXIT):
                self.values.equate(self._returned, value)
            case ThreadOperation(_, _, Variable() as result, ThreadAction.JOIN):
                self.values.equate(result, self._returned)
            case ThreadOperation(_, arguments, _):
                self._thread(arguments)
            case _:
                pass

    def _store(self, address: Expression, value: Expression) -> None:
        cell = self.values.access(address, value.sort, writes=not isinstance(value, Load) and not is_zero(value))
        if isinstance(value, Load):
            source = self.values.access(value.address, value.sort)
            pointer = self.values.loaded(value, source)
            self.numbers.move(cell, source)
        else:
            pointer = self.values.cell(value)
        if not self.forms.is_wide(value):
            return
        number, offset = self.classes.find(cell)
        known = self.classes.nodes[number].fields.get(offset)
        if pointer is not None:
            self.classes.add_pointer((number, offset), pointer)
        elif known is not None:
            self.values.bind(value, known)

    def _call(self, name: str, arguments: tuple[Expression, ...], result: Variable | None) -> None:
        callee = self.program.procedures.get(name)
        if callee is None:
            return
        caller = self.places.procedure
        for parameter, argument in zip(callee.parameters, arguments, strict=False):
            self._flow(caller, argument, callee, parameter)
        if result is not None and callee.result is not None:
            self._flow(caller, result, callee, callee.result)

    def _flow(self, caller: Procedure | None, outside: Expression, callee: Procedure, inside: Variable) -> None:
        """`outside` in the caller and `inside` in the callee may be equal."""
        self.places.procedure = caller
        cell = self.values.cell(outside)
        self.places.procedure = callee
        if cell is not None:
            if self.forms.is_wide(inside):
                self.values.bind(inside, cell)
            else:
                self.numbers.expose(cell)
        known = self.values.cell(inside)
        self.places.procedure = caller
        if cell is None and known is not None:
            if self.forms.is_wide(outside):
                self.values.bind(outside, known)
            else:
                self.numbers.expose(known)
                self.numbers.guess(known)

    def _thread(self, arguments: tuple[Expression, ...]) -> None:
        """A thread starts in any function among the arguments, with any of the others as its argument."""
        for position, pointer in enumerate(arguments):
            self.values.target(pointer)
            for name in self.targets(pointer):
                for argument in (*arguments[:position], *arguments[position + 1 :]):
                    self._call(name, (argument,), self._returned)

    def targets(self, pointer: Expression) -> list[str]:
        """The procedures that a function pointer may mean."""
        functions = self.program.functions
        return [procedure for name in self.functions(pointer) if (procedure := functions[name]) is not None]

    def functions(self, pointer: Expression) -> list[str]:
        """The functions that a pointer may mean."""
        return [name for name, _ in self.classes.nodes[self.values.target(pointer)[0]].members if name in self.program.functions]
