"""Library functions and builtins that are part of the language of verification tasks.

A primitive is lowered here; other library functions have models in C (`frontend/models`); what has
neither is an external function: any result, no other effect, and listed among the assumptions.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from drystone.frontend import clang
from drystone.frontend.builder import ErrorKind
from drystone.frontend.clang import Node
from drystone.frontend.context import NotSupported
from drystone.frontend.conversions import convert, is_signed, resize
from drystone.frontend.expressions import ExpressionLowering, InMemory, InVariable, Place
from drystone.frontend.initialisers import string_literal, strip
from drystone.frontend.symbols import FunctionSymbol
from drystone.frontend.types import Array, CType, Function, Int, Pointer, Real, Record, Scalar, Void
from drystone.logic.floats import arithmetic as arithmetic_of
from drystone.logic.sorts import BOOL, EXTENDED, FLOAT32, FLOAT64, BitVec, Float, bitvec
from drystone.program.automaton import MarkKind
from drystone.program.expressions import Address, Constant, Expression, InputKind, Variable, constant, load
from drystone.program.operations import (
    Allocate,
    Assume,
    Copy,
    Declare,
    Fill,
    Free,
    Lifetime,
    Reallocate,
    Skip,
    Store,
    ThreadOperation,
)
from drystone.program.simplify import as_bits, make, negate, truth

Handler = Callable[[ExpressionLowering, FunctionSymbol, Node], Expression | None]

ERROR_FUNCTIONS = frozenset({"reach_error", "__VERIFIER_error"})
NOTHING = constant(32, 0)
_THREADS = re.compile(r"(pthread_|thrd_|mtx_|cnd_|tss_|sem_(init|wait|post|trywait|destroy|getvalue)$|__VERIFIER_atomic_(begin|end)$)")
_CHECKED = re.compile(r"__builtin___(\w+)_chk$|__(\w+)_chk$")


def primitive(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    """Lowers a call that needs no procedure; None if it is an ordinary call of a defined function."""
    name = symbol.name
    if name in lowering.context.error_functions:
        lowering.builder.error(ErrorKind.CALL, f"{name}()")
        return any_result(lowering, symbol, node, InputKind.EXTERNAL)
    if symbol.definition is not None and not symbol.unit.is_model:
        return _atomic_function(lowering, symbol, node) if name.startswith("__VERIFIER_atomic_") else None
    handler = PRIMITIVES.get(plain_name(name))
    if handler is not None:
        handled = handler(lowering, symbol, node)
        if handled is not None or symbol.definition is not None:
            return handled
    if symbol.definition is not None:
        return None
    if name.startswith("__VERIFIER_nondet_") or name == "nondet":
        lowering.arguments(node)
        return any_result(lowering, symbol, node, InputKind.NONDET)
    if _THREADS.match(name):
        return _thread_operation(lowering, symbol, node)
    if name.startswith(("__builtin_", "__sync_", "__atomic_")):
        value = lowering.unit.clang.evaluate(node.cursor)
        type_ = lowering.type_of(node)
        if isinstance(value, int) and isinstance(type_, Int):
            return constant(type_.width, value)
        if isinstance(value, float) and isinstance(type_, Real) and type_.sort != EXTENDED:
            return Constant(type_.sort, arithmetic_of(type_.sort).from_python(value))
        raise NotSupported(f"builtin {name}")
    return _external(lowering, symbol, node)


def plain_name(name: str) -> str:
    """`__builtin_memcpy`, `__builtin___memcpy_chk` and `__memcpy` all mean `memcpy`."""
    checked = _CHECKED.match(name)
    if checked:
        return checked[1] or checked[2]
    if name in PRIMITIVES:
        return name
    for prefix in ("__builtin_", "__"):
        if name.startswith(prefix) and name[len(prefix) :] in ALIASED:
            return name[len(prefix) :]
    return name


def any_result(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node, kind: InputKind) -> Expression:
    """A result chosen by the environment."""
    type_ = lowering.type_of(node)
    if isinstance(type_, Void):
        return NOTHING
    if isinstance(type_, Scalar):
        return lowering.any_value(type_, kind, symbol.name)
    if isinstance(type_, Record):
        name = lowering.temporary_object(type_, "$result")
        lowering.builder.emit(Declare(name))
        return Address(name, lowering.context.pointer)
    raise NotSupported(f"result of type {type_} from {symbol.name}")


def _external(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """An undefined function: any result (a pointer: NULL or fresh memory), no other effect."""
    lowering.arguments(node)
    lowering.context.note("external function", f"{symbol.name}: any result, no side effect", lowering.builder.origin)
    type_ = lowering.type_of(node)
    if isinstance(type_, Pointer) and not isinstance(type_.target, Function):
        return lowering.fresh_pointer(type_, f"{symbol.name}()", may_be_null=True)
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _thread_operation(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    values = lowering.arguments(node)
    type_ = lowering.type_of(node)
    result = lowering.builder.temporary(type_.sort) if isinstance(type_, Scalar) else None
    lowering.builder.emit(ThreadOperation(symbol.name, tuple(values), result))
    return result if result is not None else NOTHING


def _atomic_function(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """A defined `__VERIFIER_atomic_f` runs without interruption."""
    lowering.builder.emit(ThreadOperation("__VERIFIER_atomic_begin", (), None))
    result = lowering.call_procedure(symbol, node)
    lowering.builder.emit(ThreadOperation("__VERIFIER_atomic_end", (), None))
    return result


# the verifier's own functions, assertions, ends


def _assume(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    condition = lowering.builder.without_inputs(lowering.condition(node.children[1]))
    lowering.builder.emit(Assume(condition))
    return NOTHING


def _verifier_assert(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    holds, fails = lowering.builder.location(), lowering.builder.location()
    lowering.branch(node.children[1], holds, fails)
    lowering.builder.current = fails
    lowering.builder.error(ErrorKind.ASSERTION, f"assertion {lowering.text(node.children[1])}")
    lowering.builder.current = holds
    return NOTHING


def _assert_fail(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    text = ""
    if len(node.children) > 1:
        literal = string_literal(node.children[1])
        text = lowering.unit.clang.spelling(literal.cursor).strip('"') if literal is not None else ""
    lowering.builder.error(ErrorKind.ASSERTION, f"assertion {text}" if text else f"{symbol.name}()")
    return NOTHING


def _end(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    lowering.arguments(node)
    lowering.builder.end(MarkKind.HALT, f"{symbol.name}()")
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _refuse(what: str) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        raise NotSupported(f"{symbol.name}: {what}")

    return handler


# memory


def _allocate(zeroed: bool, lifetime: Lifetime, size_argument: int = 0) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        values = lowering.arguments(node)
        size = _size(lowering, node, values, size_argument)
        target = lowering.builder.temporary(lowering.context.pointer)
        lowering.builder.emit(Allocate(target, size, zeroed, lifetime, symbol.name))
        return target

    return handler


def _size(lowering: ExpressionLowering, node: Node, values: list[Expression], index: int) -> Expression:
    type_ = lowering.type_of(node.children[index + 1])
    return resize(values[index], lowering.context.pointer_width, is_signed(type_))


def _calloc(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """NULL where the product overflows."""
    builder, width = lowering.builder, lowering.context.pointer_width
    values = lowering.arguments(node)
    count, size = (builder.keep(_size(lowering, node, values, index)) for index in (0, 1))
    wide = bitvec(2 * width)
    product = make("bvmul", wide, make("zero_extend", wide, count), make("zero_extend", wide, size))
    fits = make("=", BOOL, make("bvlshr", wide, product, constant(2 * width, width)), constant(2 * width, 0))
    target = builder.temporary(lowering.context.pointer)
    if isinstance(fits, Constant):
        builder.emit(Allocate(target, make("bvmul", count.sort, count, size), True, Lifetime.HEAP, symbol.name))
        return target
    allocated, refused, join = builder.location(), builder.location(), builder.location()
    builder.branch(fits, allocated, refused)
    builder.current = refused
    builder.assign(target, constant(width, 0))
    builder.goto(join)
    builder.current = allocated
    builder.emit(Allocate(target, make("bvmul", count.sort, count, size), True, Lifetime.HEAP, symbol.name))
    builder.place(join)
    return target


def _realloc(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    values = lowering.arguments(node)
    target = lowering.builder.temporary(lowering.context.pointer)
    lowering.builder.emit(Reallocate(target, values[0], _size(lowering, node, values, 1)))
    return target


def _free(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    lowering.builder.emit(Free(lowering.arguments(node)[0]))
    return NOTHING


def _posix_memalign(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    values = lowering.arguments(node)
    target = lowering.builder.temporary(lowering.context.pointer)
    lowering.builder.emit(Allocate(target, _size(lowering, node, values, 2), False, Lifetime.HEAP, symbol.name))
    lowering.builder.emit(Store(values[0], target))
    return NOTHING


def _known_size(lowering: ExpressionLowering, node: Node) -> int | None:
    """The third argument of memcpy and its kin, if it is a constant."""
    if len(node.children) < 4 or node.children[3].effects == clang.EFFECTS:
        return None
    value = lowering.unit.clang.evaluate(node.children[3].cursor)
    return value if isinstance(value, int) and 0 <= value < 1 << 24 else None


def _memcpy(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    size = _known_size(lowering, node)
    if size is None:
        return None
    target, source = lowering.arguments(node)[:2]
    target = lowering.builder.keep(target)
    if size:
        lowering.builder.emit(Copy(target, source, size))
    return target


def _memset(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    size = _known_size(lowering, node)
    if size is None:
        return None
    target, byte = lowering.arguments(node)[:2]
    target = lowering.builder.keep(target)
    if size:
        lowering.builder.emit(Fill(target, resize(byte, 8, False), size))
    return target


# output and input


def _print(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Output has no effect on the program; how many characters were written is not modelled."""
    lowering.arguments(node)
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _scan(first: int) -> Handler:
    """scanf and its kin: every pointer after the format may be written with any value of its type."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        values = lowering.arguments(node)
        for argument, value in list(zip(node.children[1:], values, strict=True))[first:]:
            type_ = lowering.type_of(_before_conversion(argument, lowering))
            if isinstance(type_, Pointer) and isinstance(type_.target, Scalar):
                lowering.havoc(InMemory(value), type_.target, InputKind.EXTERNAL, symbol.name)
        lowering.context.note("input function", f"{symbol.name}: objects behind its pointers become arbitrary", lowering.builder.origin)
        return any_result(lowering, symbol, node, InputKind.EXTERNAL)

    return handler


def _before_conversion(node: Node, lowering: ExpressionLowering) -> Node:
    """The argument before it was converted to `void *`."""
    node = strip(node)
    while node.kind == clang.UNEXPOSED_EXPR and len(node.children) == 1 and isinstance(lowering.type_of(node.children[0]), Pointer):
        node = strip(node.children[0])
    return node


# variable arguments


def _list_place(lowering: ExpressionLowering, node: Node) -> Place:
    """Where a va_list keeps the address of its next argument: at its first word."""
    node = strip(node)
    while node.kind == clang.UNEXPOSED_EXPR and len(node.children) == 1:
        node = strip(node.children[0])
    type_ = lowering.type_of(node)
    if isinstance(type_, Array):
        return lowering.place(node)
    if isinstance(type_, Pointer) and isinstance(type_.target, Record):
        return InMemory(lowering.rvalue(node))  # a parameter of type va_list, LP64
    return lowering.place(node)


def _read_list(lowering: ExpressionLowering, where: Place) -> Expression:
    if isinstance(where, InVariable):
        return where.variable
    assert isinstance(where, InMemory)
    return load(lowering.context.pointer, where.address)


def _write_list(lowering: ExpressionLowering, where: Place, value: Expression) -> None:
    if isinstance(where, InVariable):
        lowering.builder.assign(where.variable, value)
    else:
        assert isinstance(where, InMemory)
        lowering.builder.emit(Store(where.address, value))


def _va_start(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    area = getattr(lowering, "varargs", None)
    if not isinstance(area, Variable):
        raise NotSupported("va_start outside a variadic function")
    _write_list(lowering, _list_place(lowering, node.children[1]), area)
    return NOTHING


def _va_copy(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    target = _list_place(lowering, node.children[1])
    _write_list(lowering, target, _read_list(lowering, _list_place(lowering, node.children[2])))
    return NOTHING


def _va_arg(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    builder, width = lowering.builder, lowering.context.pointer_width
    where = _list_place(lowering, node.children[1])
    size, align = (lowering.unit.clang.evaluate(child.cursor) for child in node.children[2:4])
    if not isinstance(size, int) or not isinstance(align, int):
        raise NotSupported("va_arg of a type without constant size")
    word = width // 8
    step = max(word, min(align, 16)) if width == 64 else word
    old = _read_list(lowering, where)
    if step > word:  # aligned arguments start at a multiple of 16
        old = make("bvand", old.sort, make("bvadd", old.sort, old, constant(width, step - 1)), constant(width, -step))
    address = builder.keep(old)
    after = make("bvadd", address.sort, address, constant(width, -(-size // word) * word))
    _write_list(lowering, where, after)
    return address


def _nothing(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    lowering.arguments(node)
    return NOTHING


def _first_argument(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    return lowering.arguments(node)[0]


def _constant_p(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    return constant(32, 1 if lowering.unit.clang.evaluate(node.children[1].cursor) is not None else 0)


def _object_size(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Unknown, in the words of the builtin."""
    kind = lowering.unit.clang.evaluate(node.children[2].cursor)
    return lowering.pointer_constant(0 if isinstance(kind, int) and kind & 2 else -1)


def _zero(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    lowering.arguments(node)
    type_ = lowering.type_of(node)
    return Constant(type_.sort, 0) if isinstance(type_, Scalar) else NOTHING


def _unknown_address(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


# floats

_SORTS = {"": FLOAT64, "f": FLOAT32, "l": EXTENDED}


def _float_operation(operator: str, sort: Float) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
        values = lowering.arguments(node)
        if any(value.sort != sort for value in values):
            return None
        return make(operator, sort, *values)

    return handler


def _float_constant(name: str, sort: Float) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        numbers = arithmetic_of(sort)
        if name == "nan":
            return Constant(sort, numbers.default_nan & ~numbers.sign_bit)
        return Constant(sort, numbers.infinity)

    return handler


def _classify(test: Callable[[Expression], Expression]) -> Handler:
    """A property of one float, as an int."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        value = lowering.builder.keep(lowering.arguments(node)[0])
        if not isinstance(value.sort, Float):
            raise NotSupported(f"{symbol.name} of {lowering.type_of(node.children[1])}")
        result = test(value)
        return as_bits(result, 32) if result.sort == BOOL else result

    return handler


def _sign(value: Expression) -> Expression:
    sort = value.sort
    assert isinstance(sort, Float)
    bits = make("fp.to_bits", bitvec(sort.width), value)
    return negate(make("=", BOOL, make("bvlshr", bits.sort, bits, constant(sort.width, sort.width - 1)), constant(sort.width, 0)))


def _is_normal(value: Expression) -> Expression:
    sort = value.sort
    assert isinstance(sort, Float)
    least = Constant(sort, 1 << (sort.significand - 1))
    return make("and", BOOL, _is_finite(value), make("fp.leq", BOOL, least, make("fp.abs", sort, value)))


def _is_finite(value: Expression) -> Expression:
    return negate(make("or", BOOL, make("fp.isNaN", BOOL, value), make("fp.isInfinite", BOOL, value)))


def _infinity_sign(value: Expression) -> Expression:
    infinite = make("fp.isInfinite", BOOL, value)
    sign = make("ite", bitvec(32), _sign(value), constant(32, -1), constant(32, 1))
    return make("ite", bitvec(32), infinite, sign, constant(32, 0))


def _fpclassify(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """__builtin_fpclassify(nan, infinite, normal, subnormal, zero, x)."""
    values = lowering.arguments(node)
    nan, infinite, normal, subnormal, zero = values[:5]
    value = lowering.builder.keep(values[5])
    sort = bitvec(32)
    result = make("ite", sort, make("fp.eq", BOOL, value, Constant(value.sort, 0)), zero, subnormal)
    result = make("ite", sort, _is_normal(value), normal, result)
    result = make("ite", sort, make("fp.isInfinite", BOOL, value), infinite, result)
    return make("ite", sort, make("fp.isNaN", BOOL, value), nan, result)


def _float_comparison(name: str) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        a, b = (lowering.builder.keep(value) for value in lowering.arguments(node))
        if a.sort != b.sort or not isinstance(a.sort, Float):
            raise NotSupported(f"{symbol.name} of different types")
        unordered = make("or", BOOL, make("fp.isNaN", BOOL, a), make("fp.isNaN", BOOL, b))
        tests = {
            "isgreater": lambda: make("fp.lt", BOOL, b, a),
            "isgreaterequal": lambda: make("fp.leq", BOOL, b, a),
            "isless": lambda: make("fp.lt", BOOL, a, b),
            "islessequal": lambda: make("fp.leq", BOOL, a, b),
            "islessgreater": lambda: make("or", BOOL, make("fp.lt", BOOL, a, b), make("fp.lt", BOOL, b, a)),
            "isunordered": lambda: unordered,
        }
        return as_bits(tests[name](), 32)

    return handler


# bits


def _bit_count(lowering: ExpressionLowering, value: Expression) -> Expression:
    """The number of ones, by adding neighbouring groups of bits."""
    sort = value.sort
    assert isinstance(sort, BitVec)
    width, group = sort.width, 1
    while group < width:
        mask = sum(((1 << group) - 1) << position for position in range(0, width, 2 * group))
        value = lowering.builder.keep(value)
        high = make("bvand", sort, make("bvlshr", sort, value, constant(width, group)), constant(width, mask))
        value = make("bvadd", sort, make("bvand", sort, value, constant(width, mask)), high)
        group *= 2
    return resize(value, 32, False)


def _trailing_zeros(lowering: ExpressionLowering, value: Expression) -> Expression:
    below = make("bvand", value.sort, make("bvnot", value.sort, value), make("bvsub", value.sort, value, Constant(value.sort, 1)))
    return _bit_count(lowering, below)


def _leading_zeros(lowering: ExpressionLowering, value: Expression) -> Expression:
    sort = value.sort
    assert isinstance(sort, BitVec)
    distance = 1
    while distance < sort.width:
        value = lowering.builder.keep(value)
        value = make("bvor", sort, value, make("bvlshr", sort, value, constant(sort.width, distance)))
        distance *= 2
    return _bit_count(lowering, make("bvnot", sort, value))


def _bits(function: Callable[[ExpressionLowering, Expression], Expression], undefined_at_zero: bool) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        value = lowering.builder.keep(lowering.arguments(node)[0])
        result = function(lowering, value)
        if not undefined_at_zero:
            return result
        wild = lowering.builder.input(bitvec(32), InputKind.UNDEFINED, f"{symbol.name}(0)")
        return make("ite", bitvec(32), make("=", BOOL, value, Constant(value.sort, 0)), wild, result)

    return handler


def _find_first(lowering: ExpressionLowering, value: Expression) -> Expression:
    found = make("bvadd", bitvec(32), _trailing_zeros(lowering, value), constant(32, 1))
    return make("ite", bitvec(32), make("=", BOOL, value, Constant(value.sort, 0)), constant(32, 0), found)


def _parity(lowering: ExpressionLowering, value: Expression) -> Expression:
    return make("bvand", bitvec(32), _bit_count(lowering, value), constant(32, 1))


def _swap_bytes(lowering: ExpressionLowering, value: Expression) -> Expression:
    sort = value.sort
    assert isinstance(sort, BitVec)
    width = sort.width
    result: Expression = constant(width, 0)
    for position in range(0, width, 8):
        byte = make("bvand", sort, make("bvlshr", sort, value, constant(width, position)), constant(width, 255))
        result = make("bvor", sort, result, make("bvshl", sort, byte, constant(width, width - 8 - position)))
    return result


def _overflow(operator: str) -> Handler:
    """__builtin_add_overflow(a, b, &r): computed exactly, then checked against the type of r."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        builder = lowering.builder
        values = lowering.arguments(node)
        left, right, pointer = (lowering.type_of(child) for child in node.children[1:4])
        target = pointer.target if isinstance(pointer, Pointer) else None
        if not (isinstance(left, Int) and isinstance(right, Int) and isinstance(target, Int)):
            raise NotSupported(symbol.name)
        width = 2 * max(left.width, right.width, target.width) + 2
        wide = bitvec(width)
        a, b = resize(values[0], width, left.signed), resize(values[1], width, right.signed)
        exact = builder.keep(make(operator, wide, a, b))
        stored = builder.keep(make("truncate", target.sort, exact))
        builder.emit(Store(values[2], stored))
        return as_bits(negate(make("=", BOOL, resize(stored, width, target.signed), exact)), 8 if _is_bool(lowering, node) else 32)

    return handler


def _is_bool(lowering: ExpressionLowering, node: Node) -> bool:
    type_ = lowering.type_of(node)
    return isinstance(type_, Int) and type_.is_bool


# atomic builtins: one thread runs at a time unless the concurrent engine says otherwise

_FETCH = {"add": "bvadd", "sub": "bvsub", "or": "bvor", "and": "bvand", "xor": "bvxor", "nand": "nand"}


def _fetch(lowering: ExpressionLowering, address: Expression, operand: Expression, name: str, type_: Int | Pointer) -> tuple[Expression, Expression]:
    """Old and new value of an atomic read-modify-write."""
    builder = lowering.builder
    _note_atomic(lowering)
    old = builder.keep(load(type_.sort, address))
    if name == "nand":
        new = make("bvnot", type_.sort, make("bvand", type_.sort, old, operand))
    else:
        new = make(_FETCH[name], type_.sort, old, operand)
    new = builder.keep(new)
    builder.emit(Store(address, new))
    return old, new


def _note_atomic(lowering: ExpressionLowering) -> None:
    lowering.context.note("atomic builtin", "several steps, uninterrupted in a sequential program", lowering.builder.origin)


def _pointee(lowering: ExpressionLowering, node: Node) -> Int | Pointer:
    type_ = lowering.type_of(_before_conversion(node, lowering))
    target = type_.target if isinstance(type_, Pointer) else None
    if not isinstance(target, (Int, Pointer)):
        raise NotSupported(f"atomic operation on {type_}")
    return target


def _sync(name: str, new_value: bool) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        values = lowering.arguments(node)
        type_ = _pointee(lowering, node.children[1])
        operand = resize(values[1], type_.sort.width, is_signed(lowering.type_of(node.children[2])))
        old, new = _fetch(lowering, lowering.builder.keep(values[0]), lowering.builder.keep(operand), name, type_)
        return new if new_value else old

    return handler


def _test_and_set(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    values = lowering.arguments(node)
    type_ = _pointee(lowering, node.children[1])
    _note_atomic(lowering)
    old = lowering.builder.keep(load(type_.sort, values[0]))
    lowering.builder.emit(Store(values[0], resize(values[1], type_.sort.width, True)))
    return old


def _lock_release(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    type_ = _pointee(lowering, node.children[1])
    lowering.builder.emit(Store(lowering.arguments(node)[0], Constant(type_.sort, 0)))
    return NOTHING


def _compare_and_swap(boolean: bool) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        values = [lowering.builder.keep(value) for value in lowering.arguments(node)]
        type_ = _pointee(lowering, node.children[1])
        width = type_.sort.width
        old, equal = _swap(lowering, values[0], resize(values[1], width, True), resize(values[2], width, True), type_)
        return as_bits(equal, 8 if _is_bool(lowering, node) else 32) if boolean else old

    return handler


def _swap(
    lowering: ExpressionLowering, address: Expression, expected: Expression, new: Expression, type_: Int | Pointer
) -> tuple[Expression, Expression]:
    builder = lowering.builder
    _note_atomic(lowering)
    old = builder.keep(load(type_.sort, address))
    equal = builder.keep(make("=", BOOL, old, expected))
    builder.emit(Store(address, make("ite", type_.sort, equal, new, old)))
    return old, equal


def atomic_expression(lowering: ExpressionLowering, name: str, operands: list[Node], type_: CType) -> Expression:
    """`__atomic_*` and `__c11_atomic_*`. libclang lists: pointer, order, value, failure order, second value, weak."""
    builder = lowering.builder
    plain = name.removeprefix("__c11").removeprefix("__atomic_").removeprefix("_atomic_")
    values = [builder.keep(lowering.rvalue(operand)) for operand in operands]
    target = _pointee(lowering, operands[0])
    address = values[0]
    if plain == "init":
        builder.emit(Store(address, resize(values[-1], target.sort.width, True)))
        return NOTHING
    if plain in ("load_n", "load"):
        _note_atomic(lowering)
        value = builder.keep(load(target.sort, address))
        if isinstance(type_, Void):
            builder.emit(Store(values[2], value))
            return NOTHING
        return value
    if plain in ("store_n", "store"):
        indirect = plain == "store" and not name.startswith("__c11")
        value = load(target.sort, values[2]) if indirect else resize(values[2], target.sort.width, True)
        builder.emit(Store(address, value))
        return NOTHING
    if plain in ("exchange_n", "exchange"):
        indirect = isinstance(type_, Void)
        old = builder.keep(load(target.sort, address))
        value = load(target.sort, values[2]) if indirect else resize(values[2], target.sort.width, True)
        builder.emit(Store(address, value))
        if indirect:
            builder.emit(Store(values[3], old))
            return NOTHING
        return old
    if plain.startswith("compare_exchange"):
        indirect = plain == "compare_exchange" and not name.startswith("__c11")
        desired = load(target.sort, values[4]) if indirect else resize(values[4], target.sort.width, True)
        old, equal = _swap(lowering, address, builder.keep(load(target.sort, values[2])), builder.keep(desired), target)
        builder.emit(Store(values[2], old))
        return as_bits(equal, type_.width if isinstance(type_, Int) else 32)
    match = re.fullmatch(r"fetch_(\w+)|(\w+)_fetch", plain)
    if match and (match[1] or match[2]) in _FETCH:
        operand = resize(values[2], target.sort.width, True)
        old, new = _fetch(lowering, address, builder.keep(operand), match[1] or match[2], target)
        return old if match[1] else new
    raise NotSupported(f"builtin {name}")


PRIMITIVES: dict[str, Handler] = {
    "__VERIFIER_assume": _assume,
    "assume_abort_if_not": _assume,
    "__VERIFIER_assert": _verifier_assert,
    "__assert_fail": _assert_fail,
    "__assert_perror_fail": _assert_fail,
    "__assert": _assert_fail,
    "__assert_rtn": _assert_fail,
    "exit": _end,
    "_exit": _end,
    "_Exit": _end,
    "quick_exit": _end,
    "abort": _end,
    "__VERIFIER_silent_exit": _end,
    "__builtin_trap": _end,
    "__builtin_unreachable": _end,
    "longjmp": _refuse("jump to another activation"),
    "_longjmp": _refuse("jump to another activation"),
    "siglongjmp": _refuse("jump to another activation"),
    "setjmp": _zero,
    "_setjmp": _zero,
    "__sigsetjmp": _zero,
    "sigsetjmp": _zero,
    "signal": _refuse("signal handler"),
    "sigaction": _refuse("signal handler"),
    "atexit": _refuse("exit handler"),
    "at_quick_exit": _refuse("exit handler"),
    "malloc": _allocate(False, Lifetime.HEAP),
    "valloc": _allocate(False, Lifetime.HEAP),
    "aligned_alloc": _allocate(False, Lifetime.HEAP, 1),
    "memalign": _allocate(False, Lifetime.HEAP, 1),
    "calloc": _calloc,
    "realloc": _realloc,
    "posix_memalign": _posix_memalign,
    "free": _free,
    "cfree": _free,
    "alloca": _allocate(False, Lifetime.FRAME),
    "__builtin_alloca_with_align": _allocate(False, Lifetime.FRAME),
    "memcpy": _memcpy,
    "memmove": _memcpy,
    "memset": _memset,
    "printf": _print,
    "fprintf": _print,
    "vprintf": _print,
    "vfprintf": _print,
    "dprintf": _print,
    "puts": _print,
    "putchar": _print,
    "fputs": _print,
    "perror": _print,
    "fflush": _print,
    "scanf": _scan(1),
    "fscanf": _scan(2),
    "sscanf": _scan(2),
    "__isoc99_scanf": _scan(1),
    "__isoc99_fscanf": _scan(2),
    "__isoc99_sscanf": _scan(2),
    "__builtin_va_start": _va_start,
    "__builtin_va_end": lambda lowering, symbol, node: NOTHING,
    "__builtin_va_copy": _va_copy,
    "__drystone_va_arg": _va_arg,
    "__builtin_expect": _first_argument,
    "__builtin_expect_with_probability": _first_argument,
    "__builtin_assume_aligned": _first_argument,
    "__builtin_launder": _first_argument,
    "__builtin_assume": _nothing,
    "__builtin_prefetch": _nothing,
    "__builtin___clear_cache": _nothing,
    "__sync_synchronize": _nothing,
    "__atomic_thread_fence": _nothing,
    "__c11_atomic_thread_fence": _nothing,
    "__builtin_constant_p": _constant_p,
    "__builtin_object_size": _object_size,
    "__builtin_dynamic_object_size": _object_size,
    "__builtin_return_address": _unknown_address,
    "__builtin_frame_address": _unknown_address,
    "__builtin_extract_return_addr": _first_argument,
    "__builtin_isnan": _classify(lambda x: make("fp.isNaN", BOOL, x)),
    "__builtin_isinf": _classify(lambda x: make("fp.isInfinite", BOOL, x)),
    "__builtin_isinf_sign": _classify(_infinity_sign),
    "__builtin_isfinite": _classify(_is_finite),
    "__builtin_finite": _classify(_is_finite),
    "__builtin_isnormal": _classify(_is_normal),
    "__builtin_signbit": _classify(_sign),
    "__builtin_signbitf": _classify(_sign),
    "__builtin_signbitl": _classify(_sign),
    "__builtin_fpclassify": _fpclassify,
    "__builtin_bswap16": _bits(_swap_bytes, False),
    "__builtin_bswap32": _bits(_swap_bytes, False),
    "__builtin_bswap64": _bits(_swap_bytes, False),
    "__sync_lock_test_and_set": _test_and_set,
    "__sync_lock_release": _lock_release,
    "__sync_bool_compare_and_swap": _compare_and_swap(True),
    "__sync_val_compare_and_swap": _compare_and_swap(False),
}

_UNARY_FLOAT = {
    "fabs": "fp.abs", "floor": "fp.floor", "ceil": "fp.ceil", "trunc": "fp.trunc", "round": "fp.round",
    "rint": "fp.rint", "nearbyint": "fp.rint", "sqrt": "fp.sqrt", "fmod": "fp.fmod",
}  # fmt: skip

for _suffix, _sort in _SORTS.items():
    for _function, _operator in _UNARY_FLOAT.items():
        PRIMITIVES[_function + _suffix] = _float_operation(_operator, _sort)
        _primitive_name = {"fabs": "abs", "nearbyint": "rint"}.get(_function, _function)
        PRIMITIVES[f"__drystone_fp_{_primitive_name}{_suffix}"] = _float_operation(_operator, _sort)
    for _function in ("nan", "inf", "huge_val"):
        PRIMITIVES[f"__builtin_{_function}{_suffix}"] = _float_constant(_function, _sort)
for _function in ("isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered"):
    PRIMITIVES[f"__builtin_{_function}"] = _float_comparison(_function)
for _suffix in ("", "l", "ll"):
    PRIMITIVES[f"__builtin_clz{_suffix}"] = _bits(_leading_zeros, True)
    PRIMITIVES[f"__builtin_ctz{_suffix}"] = _bits(_trailing_zeros, True)
    PRIMITIVES[f"__builtin_popcount{_suffix}"] = _bits(_bit_count, False)
    PRIMITIVES[f"__builtin_parity{_suffix}"] = _bits(_parity, False)
    PRIMITIVES[f"__builtin_ffs{_suffix}"] = _bits(_find_first, False)
    PRIMITIVES[f"ffs{_suffix}"] = _bits(_find_first, False)
for _function, _operator in (("add", "bvadd"), ("sub", "bvsub"), ("mul", "bvmul")):
    PRIMITIVES[f"__builtin_{_function}_overflow"] = _overflow(_operator)
    for _sign_letter in ("s", "u"):
        for _suffix in ("", "l", "ll"):
            PRIMITIVES[f"__builtin_{_sign_letter}{_function}{_suffix}_overflow"] = _overflow(_operator)
for _function in _FETCH:
    PRIMITIVES[f"__sync_fetch_and_{_function}"] = _sync(_function, False)
    PRIMITIVES[f"__sync_{_function}_and_fetch"] = _sync(_function, True)

ALIASED = frozenset(
    "malloc calloc realloc free alloca memcpy memmove memset printf fprintf vprintf vfprintf puts putchar fputs exit _exit abort".split()
    + list(_UNARY_FLOAT)
    + [name + suffix for name in _UNARY_FLOAT for suffix in ("f", "l")]
)
"""Functions whose `__builtin_` and `__` variants mean the same."""

MODELLED = frozenset({"memcpy", "memmove", "memset"})
"""Primitives for known sizes only: otherwise their model in C is called."""
