"""The program as instructions over cells of memory.

There is no recursion, so every variable of every function has cells of its own; where a function is not active, they
hold nothing. Reading nothing, or beyond an array, is a fault of the generator and raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.explicit import syntax
from tests.explicit.syntax import (
    Address,
    Assign,
    Binary,
    Block,
    CallValue,
    Cast,
    Check,
    Conditional,
    Element,
    Expression,
    Function,
    Nondet,
    Number,
    Place,
    PointerValue,
    Read,
    Scalar,
    Source,
    Statement,
    Through,
    Type,
    Unary,
    Variable,
)

Memory = tuple[int | None, ...]


class Choices:
    """The choices of one step: the given ones first, then always the first possibility."""

    def __init__(self, given: list[int]) -> None:
        self.given = given
        self.taken: list[tuple[int, int]] = []  # with the number of possibilities

    def choose(self, possibilities: int) -> int:
        position = len(self.taken)
        choice = self.given[position] if position < len(self.given) else 0
        self.taken.append((choice, possibilities))
        return choice

    def following(self) -> list[int] | None:
        """The next ones in lexicographic order."""
        taken = list(self.taken)
        while taken:
            choice, possibilities = taken.pop()
            if choice + 1 < possibilities:
                return [before for before, _ in taken] + [choice + 1]
        return None


Evaluator = Callable[[Memory, Choices], int]


# instructions


@dataclass
class Set:
    cell: Evaluator
    value: Evaluator
    type: Type | None  # None: a pointer
    next: int


@dataclass
class Arbitrary:
    """A variable begins its life without a value."""

    first: int
    count: int
    possibilities: int
    name: str
    next: int


@dataclass
class Forget:
    cell: int
    next: int


@dataclass
class Test:
    condition: Evaluator
    yes: int = -1
    no: int = -1
    check: Check | None = None


@dataclass
class Select:
    value: Evaluator
    targets: dict[int, int]
    default: int


@dataclass
class Jump:
    next: int


@dataclass
class Enter:
    entry: int
    arguments: list[tuple[int, Evaluator, Type | None]]
    next: int


@dataclass
class Leave:
    value: Evaluator | None
    type: Type | None
    result: int
    cells: range  # of the function


@dataclass
class End:
    how: str  # error, returned, halt, blocked
    check: Check | None = None


Instruction = Set | Arbitrary | Forget | Test | Select | Jump | Enter | Leave | End

_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
}
_UNARY: dict[str, Callable[[int], int]] = {"-": lambda a: -a, "~": lambda a: ~a, "!": lambda a: int(not a)}
_LARGEST = 1 << 30


def _small(value: int) -> int:
    assert -_LARGEST < value < _LARGEST, "the generator promises small numbers"
    return value


class Machine:
    """The program as instructions, every variable with its cells."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.code: list[Instruction] = []
        self.cell: dict[Variable, int] = {}
        self.cells = 0
        self.checks: dict[Check, int] = {}  # where they are
        self.global_variables = list(source.globals) + [v for function in source.functions for v in function.statics]
        for variable in self.global_variables:
            self._place(variable)
        self.global_cells = self.cells
        self.entries: dict[Function, int] = {}
        self.results: dict[Function, int] = {}
        for function in source.functions:
            self._function(function)
        initial: list[int | None] = [None] * self.cells
        for variable in self.global_variables:
            values = variable.initial or (0,)
            for offset in range(variable.size or 1):
                initial[self.cell[variable] + offset] = variable.type.wrap(values[offset] if offset < len(values) else 0)
        self.initial: Memory = tuple(initial)
        self.entry = self.entries[source.functions[-1]]

    def _place(self, variable: Variable) -> None:
        assert variable not in self.cell, variable.name
        self.cell[variable] = self.cells
        self.cells += variable.size or 1

    # expressions

    def value(self, expression: Expression) -> Evaluator:
        match expression:
            case Number(value):
                return lambda memory, choices: value
            case Read(place):
                cell = self.address(place)

                def read(memory: Memory, choices: Choices) -> int:
                    found = memory[cell(memory, choices)]
                    assert found is not None, "nothing is here"
                    return found

                return read
            case Nondet():
                possibilities = expression.choices
                return lambda memory, choices: choices.choose(possibilities)
            case Unary(operator, operand):
                apply, inner = _UNARY[operator], self.value(operand)
                return lambda memory, choices: apply(inner(memory, choices))
            case Binary("&&", left, right):
                first, second = self.value(left), self.value(right)
                return lambda memory, choices: int(first(memory, choices) != 0 and second(memory, choices) != 0)
            case Binary("||", left, right):
                first, second = self.value(left), self.value(right)
                return lambda memory, choices: int(first(memory, choices) != 0 or second(memory, choices) != 0)
            case Binary(operator, left, right):
                combine, first, second = _BINARY[operator], self.value(left), self.value(right)
                return lambda memory, choices: _small(combine(first(memory, choices), second(memory, choices)))
            case Conditional(condition, yes, no):
                test, first, second = self.value(condition), self.value(yes), self.value(no)
                return lambda memory, choices: first(memory, choices) if test(memory, choices) else second(memory, choices)
            case Cast(type_, operand):
                inner = self.value(operand)
                return lambda memory, choices: type_.wrap(inner(memory, choices))
            case Address(variable, index):
                base = self.cell[variable]
                if index is None:
                    return lambda memory, choices: base
                offset = self.value(index)
                return lambda memory, choices: base + offset(memory, choices)
            case PointerValue(variable):
                return self.value(Read(Scalar(variable)))
            case CallValue():
                raise TypeError("calls are instructions")

    def address(self, place: Place) -> Evaluator:
        match place:
            case Scalar(variable):
                cell = self.cell[variable]
                return lambda memory, choices: cell
            case Element(array, index):
                base, size, offset = self.cell[array], array.size, self.value(index)

                def element(memory: Memory, choices: Choices) -> int:
                    at = offset(memory, choices)
                    assert 0 <= at < size, "within the array"
                    return base + at

                return element
            case Through(pointer, index):
                at, extent = self.cell[pointer], pointer.extent
                inner = self.value(index) if index is not None else None

                def through(memory: Memory, choices: Choices) -> int:
                    target = memory[at]
                    assert target is not None, "the pointer has a value"
                    if inner is None:
                        return target
                    offset = inner(memory, choices)
                    assert 0 <= offset < extent, "within what the pointer points to"
                    return target + offset

                return through

    # statements

    def _function(self, function: Function) -> None:
        first = self.cells
        for variable in function.parameters:
            self._place(variable)
        for statement in syntax.nested(function.body):
            if isinstance(statement, syntax.Declare):
                self._place(statement.variable)
        cells = range(first, self.cells)
        self.results[function] = self.cells
        self.cells += 1
        self.entries[function] = len(self.code)
        is_main = function is self.source.functions[-1]
        _Body(self, function, cells, is_main).compile()

    def emit(self, instruction: Instruction) -> int:
        self.code.append(instruction)
        return len(self.code) - 1


class _Body:
    """The instructions of one function."""

    def __init__(self, machine: Machine, function: Function, cells: range, is_main: bool) -> None:
        self.machine, self.function, self.cells, self.is_main = machine, function, cells, is_main
        self.labels: dict[str, tuple[int, list[Variable]]] = {}
        self.gotos: list[tuple[int, str, list[Variable]]] = []
        self.declared: list[Variable] = []  # in scope
        self.breaks: list[list[Jump]] = []
        self.continues: list[list[Jump]] = []

    @property
    def here(self) -> int:
        return len(self.machine.code)

    def compile(self) -> None:
        self._block(self.function.body)
        self._return(None)
        for position, label, declared in self.gotos:
            target, there = self.labels[label]
            skipped = [variable for variable in there if variable not in declared]
            at = self.here
            for variable in skipped:  # enters the scope without passing the declaration
                self._arbitrary(variable)
            self.machine.emit(Jump(target))
            jump = self.machine.code[position]
            assert isinstance(jump, Jump)
            jump.next = at

    def _jump(self) -> Jump:
        jump = Jump(-1)
        self.machine.emit(jump)
        return jump

    def _return(self, value: Expression | None) -> None:
        machine = self.machine
        evaluator = machine.value(value) if value is not None else None
        if self.is_main:
            machine.emit(End("returned"))
        else:
            machine.emit(Leave(evaluator, self.function.result, machine.results[self.function], self.cells))

    def _arbitrary(self, variable: Variable) -> None:
        self.machine.emit(
            Arbitrary(self.machine.cell[variable], variable.size or 1, 1 << variable.bits, variable.name, self.here + 1)
        )

    def _block(self, block: Block) -> None:
        outside = len(self.declared)
        for statement in block.statements:
            self._statement(statement)
        del self.declared[outside:]

    def _call(self, function: Function, arguments: tuple[Expression, ...]) -> None:
        machine = self.machine
        passed = [
            (machine.cell[parameter], machine.value(argument), None if parameter.is_pointer else parameter.type)
            for parameter, argument in zip(function.parameters, arguments, strict=True)
        ]
        machine.emit(Enter(machine.entries[function], passed, self.here + 1))

    def _with_calls(self, expression: Expression, use: Callable[[Evaluator], None]) -> None:
        """Calls first; the value is used by one instruction (or two, where control branches)."""
        calls = list(_calls(expression))
        assert len(calls) <= 1
        if not calls:
            use(self.machine.value(expression))
            return
        call = calls[0]
        result = self.machine.results[call.function]
        self._call(call.function, call.arguments)
        holder = Variable(f"result of {call.function.name}", call.function.result or syntax.INT, 0)
        self.machine.cell[holder] = result
        use(self.machine.value(_replaced(expression, call, Read(Scalar(holder)))))

    def _test(self, condition: Expression, check: Check | None = None) -> Test:
        test = Test(lambda memory, choices: 0, check=check)

        def use(value: Evaluator) -> None:
            test.condition = value
            self.machine.emit(test)

        self._with_calls(condition, use)
        test.yes = self.here
        calls = list(_calls(condition))
        if calls:  # the result is forgotten on both ways
            cell = self.machine.results[calls[0].function]
            self.machine.emit(Forget(cell, self.here + 2))
            test.no = self.machine.emit(Forget(cell, -1))
        return test

    def _no(self, test: Test) -> None:
        """The other way of the branch goes here."""
        if test.no < 0:
            test.no = self.here
        else:
            forget = self.machine.code[test.no]
            assert isinstance(forget, Forget)
            forget.next = self.here

    def _loop(self, body: Block) -> tuple[list[Jump], list[Jump]]:
        self.breaks.append([])
        self.continues.append([])
        self._block(body)
        return self.breaks.pop(), self.continues.pop()

    def _land(self, jumps: list[Jump]) -> None:
        for jump in jumps:
            jump.next = self.here

    def _statement(self, statement: Statement) -> None:
        machine = self.machine
        match statement:
            case Assign(place, value):
                self._assign(place, value)
            case syntax.Call(function, arguments):
                self._call(function, arguments)
                machine.emit(Forget(machine.results[function], self.here + 1))
            case Block():
                self._block(statement)
            case syntax.If(condition, yes, no):
                test = self._test(condition)
                self._block(yes)
                over = self._jump()
                self._no(test)
                if no:
                    self._block(no)
                over.next = self.here
            case syntax.While(condition, body):
                head = self.here
                test = self._test(condition)
                breaks, continues = self._loop(body)
                machine.emit(Jump(head))
                for jump in continues:
                    jump.next = head
                self._no(test)
                self._land(breaks)
            case syntax.DoWhile(body, condition):
                head = self.here
                breaks, continues = self._loop(body)
                self._land(continues)
                test = self._test(condition)
                machine.emit(Jump(head))
                self._no(test)
                self._land(breaks)
            case syntax.For(start, condition, step, body):
                self._statement(start)
                head = self.here
                until = self._test(condition) if condition is not None else None
                breaks, continues = self._loop(body)
                self._land(continues)
                self._statement(step)
                machine.emit(Jump(head))
                if until is not None:
                    self._no(until)
                self._land(breaks)
            case syntax.Switch(value, cases):
                self._switch(value, cases)
            case syntax.Declare(variable):
                if variable.initial is None and not variable.is_pointer:
                    self._arbitrary(variable)
                else:
                    for offset, number in enumerate(variable.initial or ()):
                        self._assign(Element(variable, Number(offset)) if variable.size else Scalar(variable), Number(number))
                if not variable.is_pointer:
                    self.declared.append(variable)
            case syntax.Label(name):
                self.labels[name] = (self.here, list(self.declared))
            case syntax.Goto(label):
                self.gotos.append((self.here, label, list(self.declared)))
                self._jump()
            case syntax.Break():
                self.breaks[-1].append(self._jump())
            case syntax.Continue():
                self.continues[-1].append(self._jump())
            case syntax.Return(value):
                self._return(value)
            case syntax.Assume(condition):
                test = self._test(condition)
                over = self._jump()
                self._no(test)
                machine.emit(End("blocked"))
                over.next = self.here
            case syntax.Abort():
                machine.emit(End("halt"))
            case Check(condition):
                machine.checks[statement] = self.here
                test = self._test(condition, statement)
                machine.emit(End("error", statement))
                self._no(test)

    def _assign(self, place: Place | PointerValue, value: Expression) -> None:
        machine = self.machine
        if isinstance(place, PointerValue):
            cell, type_ = machine.address(Scalar(place.variable)), None
        else:
            cell, type_ = machine.address(place), _type(place)
        self._with_calls(value, lambda evaluator: void(machine.emit(Set(cell, evaluator, type_, self.here + 1))))
        for call in _calls(value):
            machine.emit(Forget(machine.results[call.function], self.here + 1))

    def _switch(self, value: Expression, cases: list[tuple[tuple[int, ...], Block]]) -> None:
        select = Select(self.machine.value(value), {}, -1)
        self.machine.emit(select)
        self.breaks.append([])
        for labels, block in cases:
            for label in labels:
                select.targets[label] = self.here
            if not labels:
                select.default = self.here
            self._block(block)
        if select.default < 0:
            select.default = self.here
        self._land(self.breaks.pop())


def void(_: object) -> None:
    pass


def _type(place: Place) -> Type:
    match place:
        case Scalar(variable) | Element(variable, _) | Through(variable, _):
            return variable.type


def _calls(expression: Expression) -> Iterator[CallValue]:
    match expression:
        case CallValue():
            yield expression
        case Unary(_, inner) | Cast(_, inner):
            yield from _calls(inner)
        case Binary(_, left, right):
            yield from _calls(left)
            yield from _calls(right)


def _replaced(expression: Expression, call: CallValue, value: Expression) -> Expression:
    match expression:
        case CallValue():
            return value if expression is call else expression
        case Unary(operator, inner):
            return Unary(operator, _replaced(inner, call, value))
        case Cast(type_, inner):
            return Cast(type_, _replaced(inner, call, value))
        case Binary(operator, left, right):
            return Binary(operator, _replaced(left, call, value), _replaced(right, call, value))
        case _:
            return expression
