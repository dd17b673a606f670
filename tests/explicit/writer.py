"""Variables, expressions and statements of random programs, valid where they are put."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from tests.explicit.syntax import (
    BOOL,
    INT,
    SCHAR,
    SHORT,
    UCHAR,
    UNSIGNED,
    Abort,
    Address,
    Assign,
    Assume,
    Binary,
    Block,
    Break,
    Call,
    CallValue,
    Cast,
    Check,
    Conditional,
    Continue,
    Declare,
    DoWhile,
    Element,
    Expression,
    For,
    Function,
    Goto,
    If,
    Label,
    Nondet,
    Number,
    Place,
    PointerValue,
    Read,
    Return,
    Scalar,
    Statement,
    Switch,
    Through,
    Type,
    Unary,
    Variable,
    While,
)

_MOST = 4_000  # of a value in between


def masked(value: Expression, bits: int) -> Expression:
    return Binary("&", value, Number((1 << bits) - 1))


def value_range(expression: Expression) -> tuple[int, int]:
    """Between which numbers the value is."""
    match expression:
        case Number(value):
            return value, value
        case Read(Scalar(variable) | Element(variable, _) | Through(variable, _)):
            type_ = variable.type
            if variable.initial is not None and type_.width > 8:
                return (-(1 << (variable.bits - 1)) if type_.signed else 0), (1 << variable.bits) - 1
            width = min(type_.width, 16)
            return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if type_.signed else (0, (1 << width) - 1)
        case Nondet():
            return 0, expression.choices - 1
        case Unary("!", _) | Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||", _, _):
            return 0, 1
        case Unary("-", operand):
            low, high = value_range(operand)
            return -high, -low
        case Unary("~", operand):
            low, high = value_range(operand)
            return ~high, ~low
        case Binary("&", _, Number(mask)) if mask >= 0:
            return 0, mask
        case Binary("%", _, Number(modulus)):
            return -modulus + 1, modulus - 1
        case Binary("+", left, right):
            (a, b), (c, d) = value_range(left), value_range(right)
            return a + c, b + d
        case Binary("-", left, right):
            (a, b), (c, d) = value_range(left), value_range(right)
            return a - d, b - c
        case Binary("*", left, right):
            (a, b), (c, d) = value_range(left), value_range(right)
            products = (a * c, a * d, b * c, b * d)
            return min(products), max(products)
        case Conditional(_, yes, no):
            (a, b), (c, d) = value_range(yes), value_range(no)
            return min(a, c), max(b, d)
        case Cast(type_, _):
            return (-(1 << (type_.width - 1)), (1 << (type_.width - 1)) - 1) if type_.signed else (0, (1 << type_.width) - 1)
        case _:
            return -(1 << 20), 1 << 20


class Writer:
    """Makes variables, expressions and statements that are valid where they are put."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.globals: list[Variable] = []
        self.functions: list[Function] = []
        self.body: list[Statement] = []
        self.prologue: list[Statement] = []
        self.scope: list[Variable] = []  # scalars and arrays
        self.pointers: list[Variable] = []
        self.protected: set[Variable] = set()  # nobody else assigns them now
        self.loops = 0  # around the place that is written
        self.function_: Function | None = None
        self.names = 0

    # variables

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def type(self) -> Type:
        return self.chance.choice((UCHAR, UCHAR, UCHAR, SCHAR, INT, UNSIGNED, BOOL, SHORT))

    def variable(self, prefix: str, type_: Type, bits: int, initial: int | None = 0, size: int = 0) -> Variable:
        bits = min(bits, type_.width)
        values = None if initial is None else (initial,) * (size or 1)
        return Variable(self.name(prefix), type_, bits, size, initial=values)

    def global_variable(self) -> Variable:
        type_ = self.type()
        bits = self.chance.choice((1, 2, 2, 3, 4))
        variable = self.variable("g", type_, bits, self.chance.randrange(2))
        self.globals.append(variable)
        return variable

    def global_array(self) -> Variable:
        variable = self.variable(
            "ga", self.chance.choice((UCHAR, UCHAR, SCHAR, INT)), self.chance.choice((1, 2)), 0, self.chance.choice((2, 2, 3, 4))
        )
        self.globals.append(variable)
        return variable

    def local(self, type_: Type, bits: int, initial: int | None = 0, size: int = 0) -> Variable:
        variable = self.variable("a" if size else "x", type_, bits, initial, size)
        self.prologue.append(Declare(variable))
        self.scope.append(variable)
        return variable

    def local_variable(self) -> Variable:
        if self.chance.random() < 0.25:
            return self.local(self.chance.choice((UCHAR, SCHAR, INT, UNSIGNED)), self.chance.choice((1, 2)), None)
        return self.local(self.type(), self.chance.choice((1, 2, 2, 3, 4)), self.chance.randrange(2))

    def local_array(self) -> Variable:
        initial = None if self.chance.random() < 0.3 else self.chance.randrange(2)
        return self.local(
            self.chance.choice((UCHAR, UCHAR, SCHAR)), 1 if initial is None else 2, initial, self.chance.choice((2, 2, 3, 4))
        )

    def counter(self, bits: int = 4, type_: Type | None = None) -> Variable:
        """A local that only its fragment assigns."""
        variable = self.local(type_ or self.chance.choice((UCHAR, UCHAR, INT, UNSIGNED)), bits, 0)
        self.protected.add(variable)
        return variable

    def pointer(self) -> Variable | None:
        """To elements of arrays and scalars of one type; it points to one of them from the start."""
        targets = [each for each in [*self.globals, *self.scope] if each not in self.protected]
        if not targets:
            return None
        target = self.chance.choice(targets)
        extent = self.chance.choice((1, 2)) if target.size > 1 else 1
        bits = min(each.bits for each in targets if each.type is target.type)
        pointer = Variable(self.name("p"), target.type, bits, is_pointer=True, extent=extent)
        address = self.address(pointer)
        assert address is not None
        self.prologue += [Declare(pointer), Assign(PointerValue(pointer), address)]
        self.pointers.append(pointer)
        return pointer

    def address(self, pointer: Variable) -> Expression | None:
        """Something this pointer may point to."""
        targets = [
            each
            for each in [*self.globals, *self.scope]
            if each.type is pointer.type
            and (each.size or 1) >= pointer.extent
            and each not in self.protected
            and (each.initial is not None or each.bits >= pointer.bits)
        ]
        if not targets:
            return None
        target = self.chance.choice(targets)
        if not target.size:
            return Address(target)
        places = target.size - pointer.extent + 1
        if self.chance.random() < 0.5 or places < 2:
            return Address(target, Number(self.chance.randrange(places)), sum=self.chance.random() < 0.5)
        index = masked(self.value(1), 1) if places < 4 else masked(self.value(1), 2)
        return Address(target, index, sum=self.chance.random() < 0.5)

    # functions

    @contextmanager
    def body_of(self, function: Function) -> Iterator[None]:
        self.body, self.prologue, self.pointers = [], [], [each for each in function.parameters if each.is_pointer]
        self.scope = [each for each in function.parameters if not each.is_pointer]
        self.protected, self.loops, self.function_ = set(), 0, function
        yield
        function.body = Block([*self.prologue, *self.body])

    def function(self) -> None:
        chance = self.chance
        parameters = [
            Variable(self.name("v"), chance.choice((UCHAR, INT, SCHAR)), 3, initial=(0,))
            for _ in range(chance.choice((0, 1, 1, 2)))
        ]
        if chance.random() < 0.3:
            parameters.append(Variable(self.name("q"), UCHAR, 1, is_pointer=True))
        result = chance.choice((None, UCHAR, INT, SCHAR))
        function = Function(self.name("f"), result, parameters)
        if chance.random() < 0.2:
            function.statics.append(self.variable("s", UCHAR, 2, 0))
        with self.body_of(function):
            self.scope += function.statics
            if chance.random() < 0.4:
                self.local_variable()
            self.add(*self.statements(chance.randint(1, 3), 1))
            if self.scope or self.globals:
                if chance.random() < 0.35:
                    self.add(self.check())
            if result is not None:
                self.add(Return(masked(self.value(2), 3)))
        self.functions.append(function)

    def arguments(self, function: Function) -> tuple[Expression, ...] | None:
        found: list[Expression] = []
        for parameter in function.parameters:
            if parameter.is_pointer:
                candidates = [each for each in self.pointers if each.type is parameter.type]
                address = self.address(parameter)
                if candidates and self.chance.random() < 0.4:
                    found.append(PointerValue(self.chance.choice(candidates)))
                elif address is not None:
                    found.append(address)
                else:
                    return None
            else:
                found.append(self.stored(parameter, self.value(1)))
        return tuple(found)

    def callable_functions(self) -> list[tuple[Function, tuple[Expression, ...]]]:
        pairs = [(function, self.arguments(function)) for function in self.functions]
        return [(function, arguments) for function, arguments in pairs if arguments is not None]

    # expressions

    def assignable(self) -> list[Variable]:
        return [each for each in [*self.globals, *self.scope] if each not in self.protected]

    def readable(self) -> list[Variable]:
        return [*self.globals, *self.scope]

    def index(self, size: int) -> Expression:
        chance = self.chance
        if chance.random() < 0.3:
            return Number(chance.randrange(size))
        if size == 3:
            return Binary("%", masked(self.value(1), 3), Number(3))
        return masked(self.value(1), size.bit_length() - 1)

    def read(self, variable: Variable) -> Expression:
        place: Place = Element(variable, self.index(variable.size)) if variable.size else Scalar(variable)
        return masked(Read(place), variable.bits) if variable.initial is None else Read(place)

    def nondet(self, bits: int) -> Expression:
        functions = ["__VERIFIER_nondet_uchar", "__VERIFIER_nondet_uchar", "__VERIFIER_nondet_int", "__VERIFIER_nondet_char"]
        if bits == 1 and self.chance.random() < 0.3:
            return Nondet("__VERIFIER_nondet_bool", 0)
        return Nondet(self.chance.choice(functions), bits)

    def leaf(self) -> Expression:
        chance = self.chance
        readable = self.readable()
        if not readable or chance.random() < 0.25:
            return Number(chance.choice((0, 1, 1, 2, 3, 5, 7)))
        if self.pointers and chance.random() < 0.2:
            pointer = chance.choice(self.pointers)
            index = masked(self.value(0), 1) if pointer.extent == 2 and chance.random() < 0.6 else None
            return masked(Read(Through(pointer, index)), pointer.bits)
        return self.read(chance.choice(readable))

    def value(self, depth: int) -> Expression:
        chance = self.chance
        if depth <= 0 or chance.random() < 0.3:
            return self.leaf()
        match chance.randrange(12):
            case 0 | 1 | 2:
                result: Expression = Binary("+", self.value(depth - 1), self.value(depth - 1))
            case 3 | 4:
                result = Binary("-", self.value(depth - 1), self.value(depth - 1))
            case 5:
                result = Binary(chance.choice("&|^"), masked(self.value(depth - 1), 4), masked(self.value(depth - 1), 4))
                return masked(result, 4)
            case 6:
                result = Binary("*", self.value(depth - 1), Number(chance.choice((2, 3, 5))))
            case 7:
                result = Binary("%", self.value(depth - 1), Number(chance.choice((2, 3, 5))))
            case 8:
                result = Conditional(self.condition(depth - 1), self.value(depth - 1), self.value(depth - 1))
            case 9:
                result = Cast(chance.choice((UCHAR, SCHAR)), self.value(depth - 1))
            case 10:
                result = Unary(chance.choice("-~!"), self.value(depth - 1))
            case _:
                result = masked(
                    Binary(chance.choice(("<<", ">>")), masked(self.value(depth - 1), 4), Number(chance.choice((1, 2)))), 4
                )
        low, high = value_range(result)
        return result if low > -_MOST and high < _MOST else masked(result, 4)

    def condition(self, depth: int) -> Expression:
        chance = self.chance
        if depth > 0 and chance.random() < 0.25:
            return Binary(chance.choice(("&&", "||")), self.condition(depth - 1), self.condition(depth - 1))
        if chance.random() < 0.15:
            return self.nondet(1)
        if chance.random() < 0.1:
            return Unary("!", self.value(depth))
        if len(self.pointers) > 0 and chance.random() < 0.1:
            pointer = chance.choice(self.pointers)
            address = self.address(pointer)
            if address is not None:
                return Binary(chance.choice(("==", "!=")), PointerValue(pointer), address)
        operator = chance.choice(("==", "!=", "<", "<=", ">", ">="))
        return Binary(operator, self.value(depth), self.leaf() if chance.random() < 0.4 else Number(chance.randrange(7)))

    # statements

    def stored(self, variable: Variable, value: Expression) -> Expression:
        """Within the bits of the variable."""
        if variable.type is BOOL:
            return value
        low, high = value_range(value)
        if variable.type.signed:
            half = 1 << (variable.bits - 1)
            if -half <= low and high < half:
                return value
            return Binary("-", masked(value, variable.bits), Number(half))
        return value if low >= 0 and high < 1 << variable.bits else masked(value, variable.bits)

    def assign(self, variable: Variable, value: Expression) -> Assign:
        place: Place = Element(variable, self.index(variable.size)) if variable.size else Scalar(variable)
        return Assign(place, self.stored(variable, value))

    def step(self, variable: Variable, by: int = 1, bits: int = 0) -> Assign:
        """`x = x + by`, within the bits if they are given."""
        value: Expression = Binary("+" if by >= 0 else "-", Read(Scalar(variable)), Number(abs(by)))
        if bits:
            return Assign(Scalar(variable), masked(value, bits))
        short = {1: f"{variable.name}++", -1: f"--{variable.name}"}.get(by, f"{variable.name} += {by}")
        return Assign(Scalar(variable), value, short if self.chance.random() < 0.7 else "")

    def check(self) -> Check:
        return Check(scope=tuple(self.readable()))

    def add(self, *statements: Statement) -> None:
        self.body += statements

    def statements(self, count: int, depth: int) -> list[Statement]:
        return [self.statement(depth) for _ in range(count)]

    def inner(self, depth: int) -> Block:
        """A block inside a loop."""
        self.loops += 1
        block = Block(self.statements(self.chance.choice((1, 1, 2)), depth - 1))
        self.loops -= 1
        return block

    def statement(self, depth: int) -> Statement:
        chance = self.chance
        kind = chance.randrange(26 if depth > 0 else 12)
        targets = self.assignable()
        match kind:
            case 0 | 1 | 2 | 3 if targets:
                return self.assign(chance.choice(targets), self.value(2))
            case 4 | 5 if targets:
                variable = chance.choice(targets)
                return self.assign(variable, self.nondet(min(variable.bits, chance.choice((1, 1, 2)))))
            case 6 if self.pointers:
                pointer = chance.choice(self.pointers)
                address = self.address(pointer)
                if (
                    address is not None
                    and chance.random() < 0.4
                    and pointer not in (self.function_.parameters if self.function_ else [])
                ):
                    return Assign(PointerValue(pointer), address)
                index = masked(self.value(0), 1) if pointer.extent == 2 else None
                signed_half = 1 if pointer.type.signed and pointer.bits == 1 else 0
                return Assign(
                    Through(pointer, index),
                    Binary("-", masked(self.value(1), pointer.bits), Number(signed_half))
                    if signed_half
                    else masked(self.value(1), max(1, pointer.bits - int(pointer.type.signed))),
                )
            case 7 | 8 if self.functions:
                return self.call()
            case 9 if self.loops:
                return If(self.condition(1), Block([chance.choice((Break, Continue))()]))
            case 10:
                if chance.random() < 0.5:
                    return Assume(self.condition(1))
                return If(
                    self.condition(1),
                    Block([Abort() if chance.random() < 0.5 or self.function_ is None else self.early_return()]),
                )
            case 12 | 13 | 14 | 15:
                no = Block(self.statements(1, depth - 1)) if chance.random() < 0.5 else None
                return If(self.condition(2), Block(self.statements(chance.choice((1, 2)), depth - 1)), no)
            case 16 | 17:
                counter = self.counter(3)
                body = self.inner(depth)
                self.protected.discard(counter) if chance.random() < 0.3 else None
                limit = Number(chance.randint(1, 6)) if chance.random() < 0.7 else masked(self.value(1), 2)
                return For(
                    Assign(Scalar(counter), Number(0)),
                    Binary("<", Read(Scalar(counter)), limit),
                    self.step(counter, bits=4),
                    body,
                )
            case 18 | 19:
                return While(self.nondet(1) if chance.random() < 0.5 else self.condition(1), self.inner(depth))
            case 20:
                return DoWhile(self.inner(depth), self.condition(1))
            case 21 | 22:
                return self.switch(depth)
            case 23:
                return self.block_with_local(depth)
            case 24:
                return self.check() if self.readable() else Assume(Number(1))
            case _:
                if not targets:
                    return Assume(self.condition(1))
                return self.assign(chance.choice(targets), self.value(1))

    def early_return(self) -> Statement:
        assert self.function_ is not None
        return Return(None if self.function_.result is None else Number(self.chance.randrange(3)))

    def call(self) -> Statement:
        possible = self.callable_functions()
        targets = self.assignable()
        if not possible:
            return Assume(self.condition(1))
        function, arguments = self.chance.choice(possible)
        if function.result is None or not targets or self.chance.random() < 0.2:
            return Call(function, arguments)
        if self.chance.random() < 0.25:
            test = Binary(self.chance.choice(("==", "<", "!=")), CallValue(function, arguments), Number(self.chance.randrange(5)))
            return If(test, Block([self.assign(self.chance.choice(targets), self.value(1))]))
        variable = self.chance.choice([each for each in targets if not each.size] or targets)
        if variable.size:
            return Call(function, arguments)
        return Assign(Scalar(variable), self.stored(variable, CallValue(function, arguments)))

    def switch(self, depth: int) -> Switch:
        chance = self.chance
        labels = list(range(4))
        chance.shuffle(labels)
        cases: list[tuple[tuple[int, ...], Block]] = []
        while labels and len(cases) < 3:
            taken = tuple(labels.pop() for _ in range(min(len(labels), chance.choice((1, 1, 2)))))
            block = Block(self.statements(1, depth - 1))
            if chance.random() < 0.6:
                block.statements.append(Break())
            cases.append((taken, block))
        if chance.random() < 0.5:
            cases.insert(chance.randrange(len(cases) + 1), ((), Block([*self.statements(1, 0), Break()])))
        return Switch(masked(self.value(1), 2), cases)

    def block_with_local(self, depth: int) -> Block:
        """`{ unsigned char y; ... }`: without a value each time."""
        initial = None if self.chance.random() < 0.6 else 1
        variable = self.variable("y", self.chance.choice((UCHAR, SCHAR, INT)), 1 if initial is None else 2, initial)
        self.scope.append(variable)
        block = Block([Declare(variable), *self.statements(self.chance.choice((1, 2)), depth - 1)])
        targets = [each for each in self.assignable() if each is not variable]
        if targets:
            block.statements.append(self.assign(self.chance.choice(targets), self.read(variable)))
        self.scope.remove(variable)
        return block

    def add_jumps(self) -> None:
        """A label somewhere, and jumps to it from elsewhere: loops with several entries come from this."""
        chance = self.chance
        blocks = [block for block in _open_blocks(Block(self.body)) if block.statements] or [Block(self.body)]
        label = self.name("L")
        outer = Block(self.body)
        target = chance.choice([outer, *blocks])
        statements = self.body if target is outer else target.statements
        statements.insert(chance.randrange(len(statements) + 1), Label(label))
        for _ in range(chance.choice((1, 1, 2))):
            source = chance.choice([outer, *blocks])
            statements = self.body if source is outer else source.statements
            condition = self.nondet(1) if chance.random() < 0.4 else self.condition(1)
            statements.insert(chance.randrange(len(statements) + 1), If(condition, Block([Goto(label)])))


def _open_blocks(block: Block) -> Iterator[Block]:
    """The blocks in it that a jump may enter."""
    for statement in block.statements:
        inner: list[Block] = []
        match statement:
            case Block():
                inner = [statement]
            case If(_, yes, no):
                inner = [yes] + ([no] if no else [])
            case While(_, body) | DoWhile(body, _) | For(_, _, _, body):
                inner = [body]
            case Switch(_, cases):
                inner = [each for _, each in cases]
        for each in inner:
            if not each.closed:
                yield each
                yield from _open_blocks(each)
