"""A small part of C as syntax trees, and its text.

Values are numbers. All arithmetic is that of `int`, and the generator keeps it small, so that nothing overflows; a variable
of a narrower type wraps what is stored, as gcc does. A variable of type `unsigned int` is read through a cast to `int`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Type:
    name: str
    width: int
    signed: bool

    def wrap(self, value: int) -> int:
        if self.width == 1:
            return int(value != 0)
        value &= (1 << self.width) - 1
        return value - (1 << self.width) if self.signed and value >> (self.width - 1) else value


UCHAR = Type("unsigned char", 8, False)
SCHAR = Type("signed char", 8, True)
BOOL = Type("_Bool", 1, False)
SHORT = Type("short", 16, True)
INT = Type("int", 32, True)
UNSIGNED = Type("unsigned int", 32, False)


@dataclass(frozen=True)
class Variable:
    """A scalar, an array (`size` > 0), or a pointer to scalars of `type`."""

    name: str
    type: Type
    bits: int  # what is assigned is kept within so many bits; of an uninitialised one, no more is ever read
    size: int = 0
    is_pointer: bool = False
    extent: int = 1  # of a pointer: so many elements can be accessed from where it points
    initial: tuple[int, ...] | None = None  # None: uninitialised (or a parameter, or a pointer)


# places


@dataclass(frozen=True)
class Scalar:
    variable: Variable


@dataclass(frozen=True)
class Element:
    array: Variable
    index: Expression


@dataclass(frozen=True)
class Through:
    """`*p`, or `p[index]`."""

    pointer: Variable
    index: Expression | None = None


Place = Scalar | Element | Through

# expressions


@dataclass(frozen=True)
class Number:
    value: int


@dataclass(frozen=True)
class Read:
    place: Place


@dataclass(frozen=True)
class Nondet:
    """`__VERIFIER_nondet_uchar() & (2^bits - 1)`; with bits 0 `__VERIFIER_nondet_bool()`."""

    function: str
    bits: int

    @property
    def choices(self) -> int:
        return 1 << (self.bits or 1)


@dataclass(frozen=True)
class Unary:
    operator: str  # - ~ !
    operand: Expression


@dataclass(frozen=True)
class Binary:
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional:
    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True)
class Cast:
    type: Type
    operand: Expression


@dataclass(frozen=True)
class Address:
    """`&x`, `&a[index]`, `a + index`: a pointer."""

    variable: Variable
    index: Expression | None = None
    sum: bool = False


@dataclass(frozen=True)
class PointerValue:
    """The value of a pointer variable."""

    variable: Variable


@dataclass(frozen=True)
class CallValue:
    """The result of a call; only where nothing else of the same expression depends on the order."""

    function: Function
    arguments: tuple[Expression, ...]


Expression = Number | Read | Nondet | Unary | Binary | Conditional | Cast | Address | PointerValue | CallValue


# statements; they are compared by identity


@dataclass(eq=False)
class Assign:
    place: Place | PointerValue
    value: Expression
    short: str = ""  # the text, if not `place = value;`


@dataclass(eq=False)
class Call:
    function: Function
    arguments: tuple[Expression, ...]


@dataclass(eq=False)
class Block:
    statements: list[Statement]
    closed: bool = False  # no jumps from outside into it


@dataclass(eq=False)
class If:
    condition: Expression
    yes: Block
    no: Block | None = None


@dataclass(eq=False)
class While:
    condition: Expression
    body: Block


@dataclass(eq=False)
class DoWhile:
    body: Block
    condition: Expression


@dataclass(eq=False)
class For:
    start: Assign
    condition: Expression | None
    step: Assign
    body: Block


@dataclass(eq=False)
class Switch:
    value: Expression
    cases: list[tuple[tuple[int, ...], Block]]  # no labels: default
    """Control falls from a case into the next; a `Break` at its end is a statement of its block."""


@dataclass(eq=False)
class Declare:
    variable: Variable


@dataclass(eq=False)
class Label:
    name: str


@dataclass(eq=False)
class Goto:
    label: str


@dataclass(eq=False)
class Break:
    pass


@dataclass(eq=False)
class Continue:
    pass


@dataclass(eq=False)
class Return:
    value: Expression | None


@dataclass(eq=False)
class Assume:
    condition: Expression


@dataclass(eq=False)
class Abort:
    pass


@dataclass(eq=False)
class Check:
    """`if (condition) reach_error();` — the condition is found when the values that get here are known."""

    condition: Expression = Number(0)
    scope: tuple[Variable, ...] = ()  # what it may speak of


Statement = (
    Assign | Call | Block | If | While | DoWhile | For | Switch | Declare | Label | Goto | Break | Continue | Return
    | Assume | Abort | Check
)  # fmt: skip


@dataclass(eq=False)
class Function:
    name: str
    result: Type | None
    parameters: list[Variable]
    body: Block = field(default_factory=lambda: Block([]))
    statics: list[Variable] = field(default_factory=list)  # local to the function, but they keep their values


@dataclass(eq=False)
class Source:
    globals: list[Variable]
    functions: list[Function]  # callees first; the last one is main

    def text(self) -> str:
        return Printer(self).text()

    def error_lines(self) -> dict[Check, int]:
        printer = Printer(self)
        printer.text()
        return printer.lines_of_checks


def nested(statement: Statement) -> Iterator[Statement]:
    """The statement and all inside."""
    yield statement
    match statement:
        case Block():
            inner: Sequence[Statement] = statement.statements
        case If():
            inner = [statement.yes] + ([statement.no] if statement.no else [])
        case While() | DoWhile() | For():
            inner = [statement.body]
        case Switch():
            inner = [block for _, block in statement.cases]
        case _:
            inner = []
    for each in inner:
        yield from nested(each)


# the text

_HEAD = """\
extern void reach_error(void);
extern void abort(void);
extern void __VERIFIER_assume(int);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern signed char __VERIFIER_nondet_char(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
"""


def expression_text(expression: Expression) -> str:
    match expression:
        case Number(value):
            return str(value) if value >= 0 else f"({value})"
        case Read(place):
            text = place_text(place)
            return f"(int){text}" if _type(place) is UNSIGNED else text
        case Nondet(function, bits):
            return f"({function}() & {(1 << bits) - 1})" if bits else f"{function}()"
        case Unary(operator, operand):
            return f"({operator}({expression_text(operand)}))"
        case Binary(operator, left, right):
            return f"({expression_text(left)} {operator} {expression_text(right)})"
        case Conditional(condition, yes, no):
            return f"({expression_text(condition)} ? {expression_text(yes)} : {expression_text(no)})"
        case Cast(type_, operand):
            return f"({type_.name})({expression_text(operand)})"
        case Address(variable, index, sum):
            if index is None:
                return variable.name if variable.size else f"&{variable.name}"
            return f"({variable.name} + {expression_text(index)})" if sum else f"&{variable.name}[{expression_text(index)}]"
        case PointerValue(variable):
            return variable.name
        case CallValue(function, arguments):
            return f"{function.name}({', '.join(map(expression_text, arguments))})"


def place_text(place: Place | PointerValue) -> str:
    match place:
        case Scalar(variable) | PointerValue(variable):
            return variable.name
        case Element(array, index):
            return f"{array.name}[{expression_text(index)}]"
        case Through(pointer, index):
            return f"*{pointer.name}" if index is None else f"{pointer.name}[{expression_text(index)}]"


def _type(place: Place) -> Type:
    match place:
        case Scalar(variable) | Element(variable, _) | Through(variable, _):
            return variable.type


def _declaration(variable: Variable, is_parameter: bool = False) -> str:
    name = f"*{variable.name}" if variable.is_pointer else variable.name
    text = f"{variable.type.name} {name}" + (f"[{variable.size}]" if variable.size else "")
    if variable.initial is None or is_parameter:
        return text
    values = ", ".join(map(str, variable.initial))
    return f"{text} = {{{values}}}" if variable.size else f"{text} = {values}"


class Printer:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines: list[str] = []
        self.lines_of_checks: dict[Check, int] = {}

    def text(self) -> str:
        self.lines = _HEAD.splitlines()
        self.lines += [f"{_declaration(variable)};" for variable in self.source.globals]
        for function in self.source.functions:
            parameters = ", ".join(_declaration(each, is_parameter=True) for each in function.parameters) or "void"
            self.lines.append(f"{function.result.name if function.result else 'void'} {function.name}({parameters}) {{")
            self.lines += [f"  static {_declaration(variable)};" for variable in function.statics]
            self._block(function.body, 1)
            self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def _block(self, block: Block, depth: int) -> None:
        for statement in block.statements:
            self._statement(statement, depth)

    def _statement(self, statement: Statement, depth: int) -> None:
        def line(text: str) -> None:
            self.lines.append("  " * depth + text)

        def body(block: Block, end: str = "}") -> None:
            self._block(block, depth + 1)
            line(end)

        match statement:
            case Assign():
                line(_assignment(statement) + ";")
            case Call(function, arguments):
                line(expression_text(CallValue(function, arguments)) + ";")
            case Block():
                line("{")
                body(statement)
            case If(condition, yes, no):
                line(f"if ({expression_text(condition)}) {{")
                body(yes, "} else {" if no else "}")
                if no:
                    body(no)
            case While(condition, inner):
                line(f"while ({expression_text(condition)}) {{")
                body(inner)
            case DoWhile(inner, condition):
                line("do {")
                body(inner, f"}} while ({expression_text(condition)});")
            case For(start, condition, step, inner):
                text = expression_text(condition) if condition is not None else ""
                line(f"for ({_assignment(start)}; {text}; {_assignment(step)}) {{")
                body(inner)
            case Switch(value, cases):
                line(f"switch ({expression_text(value)}) {{")
                for labels, inner in cases:
                    line(" ".join(f"case {label}:" for label in labels) or "default:")
                    line("{")
                    body(inner)
                line("}")
            case Declare(variable):
                line(_declaration(variable) + ";")
            case Label(name):
                line(f"{name}: ;")
            case Goto(label):
                line(f"goto {label};")
            case Break():
                line("break;")
            case Continue():
                line("continue;")
            case Return(value):
                line(f"return {expression_text(value)};" if value is not None else "return;")
            case Assume(condition):
                line(f"__VERIFIER_assume({expression_text(condition)});")
            case Abort():
                line("abort();")
            case Check(condition):
                line(f"if ({expression_text(condition)}) reach_error();")
                self.lines_of_checks[statement] = len(self.lines)


def _assignment(statement: Assign) -> str:
    return statement.short or f"{place_text(statement.place)} = {expression_text(statement.value)}"
