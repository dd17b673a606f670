"""Programs as text for people: expressions as in C, operations as guarded commands.

Mertens 2014, section 4.3, writes `[x < 3]` for an assumption and `x := y + 1` for an assignment. Signedness is
in the operators here: `<`, `/`, `%`, `>>` are signed, `<u`, `/u`, `%u`, `>>u` unsigned; `(int64)x` extends
with the sign, `(uint64)x` with zeros. Where values come from the environment the text names the reason:
`nondet(__VERIFIER_nondet_int)`, `undefined(x / y)`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from drystone.base.shown_files import shown_file
from drystone.ir.automaton import NOWHERE, MemoryObject, ObjectKind, Origin, Procedure, Program
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
    Lifetime,
    Operation,
    Reallocate,
    Report,
    Skip,
    Store,
    ThreadOperation,
)
from drystone.logic.semantics import signed
from drystone.logic.sorts import BitVec, Bool, Float, Sort

# Precedences as in C; a higher number binds more tightly.
_TERNARY, _OR, _AND, _BIT_OR, _BIT_XOR, _BIT_AND, _EQUAL, _LESS, _SHIFT, _SUM, _PRODUCT, _UNARY, _ATOM = range(1, 14)

_INFIX: dict[str, tuple[str, int]] = {
    "and": ("&&", _AND),
    "or": ("||", _OR),
    "=": ("==", _EQUAL),
    "bvadd": ("+", _SUM),
    "bvsub": ("-", _SUM),
    "bvmul": ("*", _PRODUCT),
    "scale": ("*", _PRODUCT),
    "bvudiv": ("/u", _PRODUCT),
    "bvurem": ("%u", _PRODUCT),
    "bvsdiv": ("/", _PRODUCT),
    "bvsrem": ("%", _PRODUCT),
    "bvand": ("&", _BIT_AND),
    "bvor": ("|", _BIT_OR),
    "bvxor": ("^", _BIT_XOR),
    "bvshl": ("<<", _SHIFT),
    "bvlshr": (">>u", _SHIFT),
    "bvashr": (">>", _SHIFT),
    "bvult": ("<u", _LESS),
    "bvule": ("<=u", _LESS),
    "bvslt": ("<", _LESS),
    "bvsle": ("<=", _LESS),
    "fp.add": ("+", _SUM),
    "fp.sub": ("-", _SUM),
    "fp.mul": ("*", _PRODUCT),
    "fp.div": ("/", _PRODUCT),
    "fp.eq": ("==", _EQUAL),
    "fp.lt": ("<", _LESS),
    "fp.leq": ("<=", _LESS),
}
# How the negation of a comparison of bit-vectors reads; floats have none because of NaN.
_NEGATED = {"=": ("!=", _EQUAL), "bvult": (">=u", _LESS), "bvule": (">u", _LESS), "bvslt": (">=", _LESS), "bvsle": (">", _LESS)}
_PREFIX = {"not": "!", "bvneg": "-", "bvnot": "~", "fp.neg": "-"}
_UNSIGNED = {"bvudiv", "bvurem", "bvult", "bvule", "bvlshr"}
_FUNCTION = {"fp.abs": "fabs", "fp.isNaN": "isnan", "fp.isInfinite": "isinf", "fp.to_bits": "bits"}


def type_text(sort: Sort, signed: bool = True) -> str:
    """`int32`, `uint8`, `double`, `bool`."""
    return ("int" if signed else "uint") + str(sort.width) if isinstance(sort, BitVec) else str(sort)


def expression_text(expression: Expression) -> str:
    return _text(expression, 0, False)


def _text(expression: Expression, context: int, unsigned: bool) -> str:
    """In parentheses where it binds less tightly than `context`; constants as unsigned numbers if so said."""
    match expression:
        case Variable():
            return expression.name
        case Constant():
            return constant_text(expression, unsigned)
        case Address():
            return f"&{expression.target}"
        case Input():
            return f"{expression.kind}({expression.name})" + (f"#{expression.index}" if expression.index else "")
        case Load():
            return f"*({type_text(expression.sort)}*){_text(expression.address, _UNARY, True)}"
        case Apply():
            text, precedence = _apply_text(expression)
            return f"({text})" if precedence < context else text


def _apply_text(expression: Apply) -> tuple[str, int]:
    """The text of an operation and how tightly its outermost operator binds."""
    operator, arguments = expression.operator, expression.arguments
    first = arguments[0]
    if (
        operator == "not"
        and isinstance(first, Apply)
        and first.operator in _NEGATED
        and not isinstance(first.arguments[0].sort, Float)
    ):
        return _infix_text(first, *_NEGATED[first.operator])
    if operator == "=" and isinstance(first.sort, Float):
        return f"same_bits({expression_text(first)}, {expression_text(arguments[1])})", _ATOM
    if operator in _INFIX:
        return _infix_text(expression, *_INFIX[operator])
    if operator in _PREFIX:
        inner = _text(first, _UNARY, False)
        return _PREFIX[operator] + (" " if inner.startswith("-") and _PREFIX[operator] == "-" else "") + inner, _UNARY
    match operator:
        case "pointer":
            return _text(first, _UNARY, False), _UNARY
        case "ite":
            condition, yes, no = arguments
            return f"{_text(condition, _OR, False)} ? {_text(yes, _OR, False)} : {_text(no, _TERNARY, False)}", _TERNARY
        case "zero_extend" | "fp.to_ubv":
            return f"({type_text(expression.sort, signed=False)}){_text(first, _UNARY, True)}", _UNARY
        case "sign_extend" | "truncate" | "fp.to_sbv" | "fp.to_fp" | "fp.from_sbv":
            return f"({type_text(expression.sort)}){_text(first, _UNARY, False)}", _UNARY
        case "fp.from_ubv":
            return f"({type_text(expression.sort)})({type_text(first.sort, signed=False)}){_text(first, _UNARY, True)}", _UNARY
        case "fp.from_bits":
            return f"as_{type_text(expression.sort)}({expression_text(first)})", _ATOM
        case _:
            name = _FUNCTION.get(operator) or operator.removeprefix("fp.")
            return f"{name}({', '.join(expression_text(argument) for argument in arguments)})", _ATOM


def _infix_text(expression: Apply, sign: str, precedence: int) -> tuple[str, int]:
    left, right = expression.arguments
    unsigned = expression.operator in _UNSIGNED
    left_context, right_context = precedence, precedence + 1
    if precedence in (_BIT_OR, _BIT_XOR, _BIT_AND):  # C reads `a & b == c` as nobody expects: parentheses in any case
        left_context = precedence if _same_operator(left, expression) else _UNARY
        right_context = _UNARY
    return f"{_text(left, left_context, unsigned)} {sign} {_text(right, right_context, unsigned)}", precedence


def _same_operator(expression: Expression, other: Apply) -> bool:
    return isinstance(expression, Apply) and expression.operator == other.operator


def constant_text(constant: Constant, unsigned: bool = False) -> str:
    match constant.sort:
        case Bool():
            return "true" if constant.value else "false"
        case BitVec(width):
            return str(constant.value if unsigned or width == 1 else signed(constant.value, width))
        case Float():
            return _float_text(constant.sort, constant.value)
        case _:
            return f"constant({constant.value})"


def _float_text(sort: Float, bits: int) -> str:
    fraction_bits = sort.significand - 1
    fraction = bits & ((1 << fraction_bits) - 1)
    exponent = bits >> fraction_bits & ((1 << sort.exponent) - 1)
    sign = "-" if bits >> (sort.width - 1) & 1 else ""
    if exponent == (1 << sort.exponent) - 1:
        return f"{sign}nan({fraction:#x})" if fraction else f"{sign}inf"
    if (sort.exponent, sort.significand) == (11, 53):
        return repr(struct.unpack("<d", bits.to_bytes(8, "little"))[0])
    if (sort.exponent, sort.significand) == (8, 24):
        return f"{struct.unpack('<f', bits.to_bytes(4, 'little'))[0]:.9g}f"
    bias = (1 << (sort.exponent - 1)) - 1
    leading = 1 if exponent else 0
    scale = max(exponent, 1) - bias - fraction_bits
    return f"{sign}{fraction | leading << fraction_bits:#x}p{scale}" if fraction or exponent else f"{sign}0.0"


def operation_text(operation: Operation) -> str:
    """A guarded command on one line."""
    match operation:
        case Skip(note):
            return f"skip ({note})" if note else "skip"
        case Assume(condition):
            return f"[{expression_text(condition)}]"
        case Assign(target, value):
            return f"{target.name} := {expression_text(value)}"
        case Store(address, value):
            return f"*({type_text(value.sort)}*){_text(address, _UNARY, True)} := {expression_text(value)}"
        case Copy(to, source, size):
            return f"copy {size} bytes to {expression_text(to)} from {expression_text(source)}"
        case Fill(to, byte, size):
            return f"fill {size} bytes at {expression_text(to)} with {_text(byte, 0, True)}"
        case Declare(name):
            return f"declare {name}"
        case Allocate(target, amount, zeroed, lifetime, _, align):
            how = ("zeroed " if zeroed else "") + ("until return " if lifetime is Lifetime.FRAME else "")
            how += f"aligned to {align} " if align != 16 else ""
            name = f" ({operation.name})" if operation.name else ""
            return f"{target.name} := allocate {how}{_text(amount, _UNARY, True)} bytes{name}"
        case Reallocate(target, address, amount):
            return f"{target.name} := reallocate {_text(address, _UNARY, True)} to {_text(amount, _UNARY, True)} bytes"
        case Free(address):
            return f"free {expression_text(address)}"
        case Call(procedure, arguments, result):
            return _call_text(procedure, arguments, result)
        case CallPointer(pointer, arguments, result):
            return _call_text(f"(*{_text(pointer, _UNARY, True)})", arguments, result)
        case Report(name, arguments):
            return "report " + _call_text(name, arguments, None)
        case ThreadOperation(name, arguments, result):
            return "thread " + _call_text(name, arguments, result)


def _call_text(callee: str, arguments: tuple[Expression, ...], result: Variable | None) -> str:
    call = f"{callee}({', '.join(expression_text(argument) for argument in arguments)})"
    return call if result is None else f"{result.name} := {call}"


def path_texts(procedure: Procedure) -> list[str]:
    """For each frame its call path with the lines of the calls: `main/f@12/g@5`."""
    texts: list[str] = []
    for frame in procedure.frames or []:
        own = f"{frame.function}@{frame.call.line}" if frame.call != NOWHERE else frame.function
        texts.append(f"{texts[frame.parent]}/{own}" if frame.parent >= 0 else own)  # a parent comes before its children
    return texts or [procedure.name]


def location_kind(procedure: Procedure, location: int) -> str:
    """`error`, `unknown`, `halt`, `entry`, `exit` or `location`."""
    mark = procedure.marks.get(location)
    if mark is not None:
        return str(mark.kind)
    return "entry" if location == procedure.entry else "exit" if location == procedure.exit else "location"


def declaration_lines(program: Program, procedure: Procedure) -> Iterator[str]:
    """The signature of a procedure, its variables and its objects."""
    parameters = ", ".join(_declaration(parameter) for parameter in procedure.parameters)
    result = f" -> {_declaration(procedure.result)}" if procedure.result is not None else ""
    yield f"procedure {procedure.name}({parameters}){result}" + source_comment(program, procedure.origin)
    signature = {variable.name for variable in procedure.parameters}
    if procedure.result is not None:
        signature.add(procedure.result.name)
    for variable in procedure.variables.values():
        if variable.name not in signature:
            yield f"  local {_declaration(variable)}"
    for item in procedure.objects.values():
        yield f"  object {_object_text(item)}" + source_comment(program, item.origin)


def procedure_lines(program: Program, procedure: Procedure) -> Iterator[str]:
    """The automaton, one location after the other: its edges with their targets and source lines."""
    yield from declaration_lines(program, procedure)
    paths = path_texts(procedure)
    digits = len(str(max(procedure.locations - 1, 0)))
    last_frame = 0
    for location, edges in enumerate(procedure.outgoing()):
        frame = procedure.frame_of[location] if procedure.frame_of is not None else 0
        if frame != last_frame:
            yield f"  in {paths[frame]}"
            last_frame = frame
        label = f"  {location:>{digits}}: "
        kind = location_kind(procedure, location)
        if kind == "entry":
            yield f"{label}(entry)"
            label = " " * len(label)
        mark = procedure.marks.get(location)
        if mark is not None:
            body = f"{label}{mark.kind.upper()} {mark.what}"
            yield body + source_comment(program, mark.origin, len(body))
        elif kind == "exit" or (location == procedure.exit and not edges):
            yield f"{label}(exit)"
        for edge in edges:
            body = f"{label}{operation_text(edge.operation)}  -> {edge.target}"
            yield body + source_comment(program, edge.origin, len(body))
            label = " " * len(label)


def program_lines(program: Program) -> Iterator[str]:
    """The whole intermediate program."""
    yield from header_lines(program)
    for procedure_ in program.procedures.values():
        yield ""
        yield from procedure_lines(program, procedure_)


def header_lines(program: Program) -> Iterator[str]:
    """The files and everything global."""
    yield f"program {program.entry}, {program.pointer_width}-bit pointers"
    for file in program.files:
        yield f"file {shown_file(file)}"
    if program.objects:
        yield ""
        for item in program.objects.values():
            yield f"object {_object_text(item)}" + source_comment(program, item.origin)
    if program.variables:
        yield ""
        for name, variable in program.variables.items():
            initial = program.initial.get(name)
            yield f"global {_declaration(variable)}" + (f" := {expression_text(initial)}" if initial is not None else "")
    if program.functions:
        yield ""
        for function, procedure in program.functions.items():
            yield f"address taken: {function}" + ("" if procedure is not None else " (no body)")


def program_text(program: Program) -> str:
    return "\n".join(program_lines(program)) + "\n"


def _declaration(variable: Variable) -> str:
    return f"{variable.name}: {variable.ctype or type_text(variable.sort)}"


def _object_text(item: MemoryObject) -> str:
    text = f"{item.name}: {item.ctype + ', ' if item.ctype else ''}{item.size} bytes, {item.kind}"
    if item.kind in (ObjectKind.GLOBAL, ObjectKind.LITERAL):
        text += f" {_bytes_text(item.content)}"
    for offset, value in item.relocations[:_SHOWN]:
        text += f", {expression_text(value)} at {offset}"
    return text + (f", and {len(item.relocations) - _SHOWN} more" if len(item.relocations) > _SHOWN else "")


_SHOWN = 16


def _bytes_text(content: bytes) -> str:
    content = content.rstrip(b"\0")
    if not content:
        return "zero"
    shown = content[: 3 * _SHOWN]
    if all(32 <= byte < 127 or byte in b"\n\t" for byte in shown):
        text = (
            '"' + shown.decode("ascii").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'
        )
    else:
        text = shown[:_SHOWN].hex(" ")
        shown = shown[:_SHOWN]
    return text + (" …" if len(content) > len(shown) else "")


def source_comment(program: Program, origin: Origin, used: int = 60) -> str:
    """The source line, aligned where few characters were used; nothing for what drystone added."""
    return f"{'':{max(2, 60 - used)}}// {program.where(origin)}" if origin.file >= 0 else ""
