"""Floating-point functions and classification."""

from __future__ import annotations

from collections.abc import Callable

from drystone.base.regex import regex
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import string_literal
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import Handler
from drystone.frontend.library.effects import may_set_errno
from drystone.frontend.library.magnitudes import with_any_magnitude
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Constant, Expression, constant
from drystone.ir.simplify import as_bits, make, negate
from drystone.logic.floats import arithmetic as arithmetic_of
from drystone.logic.sorts import BOOL, EXTENDED, FLOAT32, FLOAT64, Float, bitvec

_SORTS = {"": FLOAT64, "f": FLOAT32, "l": EXTENDED}
_OPERATORS = {
    "fabs": "fp.abs", "floor": "fp.floor", "ceil": "fp.ceil", "trunc": "fp.trunc", "round": "fp.round",
    "rint": "fp.rint", "nearbyint": "fp.rint", "sqrt": "fp.sqrt", "fmod": "fp.fmod",
}  # fmt: skip

_FAILING = frozenset(("fp.sqrt", "fp.fmod"))

NAMES = tuple(name + suffix for name in _OPERATORS for suffix in _SORTS)


def _float_operation(operator: str, sort: Float) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
        values = lowering.arguments(node)
        if any(value.sort != sort for value in values):
            return None
        if operator in _FAILING and not symbol.name.startswith("__drystone_"):
            may_set_errno(lowering)
        return make(operator, sort, *values)

    return handler


def _float_constant(name: str, sort: Float) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        numbers = arithmetic_of(sort)
        if name == "nan":
            return Constant(sort, numbers.default_nan & ~numbers.sign_bit | _payload(node, sort))
        return Constant(sort, numbers.infinity)

    return handler


def _payload(node: Node, sort: Float) -> int:
    """The bits of a NaN that its argument asks for: a literal with a number as strtoull reads it."""
    literal = string_literal(node.children[1])
    text = spelling(literal.cursor) if literal is not None else ""
    number = _PAYLOAD.fullmatch(text)
    if number is None:
        raise NotSupported(f"NaN with the payload {text}")
    digits = number[1] or "0"
    value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10)
    if value >= 1 << sort.significand - 2:
        raise NotSupported(f"NaN with the payload {text}")
    return value


_PAYLOAD = regex(r'"(0[xX][0-9a-fA-F]+|[1-9][0-9]*|0[0-7]*|)"')


def _classify(test: Callable[[Expression], Expression]) -> Handler:
    """A property of one float, as an int."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        value = lowering.builder.keep(lowering.arguments(node)[0])
        if not isinstance(value.sort, Float):
            raise NotSupported(f"{symbol.name} of {lowering.type_of(node.children[1])}", Unmodelled.LIBRARY, symbol.name)
        result = test(value)
        return as_bits(result, 32) if result.sort == BOOL else result

    return handler


def _signbit(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    """Not 0 for a negative number; which number, C does not say."""
    result = _classify(_sign)(lowering, symbol, node)
    if result is None or lowering.unit.is_model or node.key in lowering.only_signs:
        return result
    return with_any_magnitude(lowering.builder, "__builtin_signbit", result)


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
            raise NotSupported(f"{symbol.name} of different types", Unmodelled.LIBRARY, symbol.name)
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


_REFUSED = "gamma j0 j1 jn y0 y1 yn significand scalb remquo nexttoward lgamma_r".split()


def _refuse(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    raise NotSupported(f"{symbol.name}: it has no model", Unmodelled.LIBRARY, symbol.name)


def _table() -> dict[str, Handler]:
    table: dict[str, Handler] = {
        "__builtin_isnan": _classify(lambda x: make("fp.isNaN", BOOL, x)),
        "__builtin_isinf": _classify(lambda x: make("fp.isInfinite", BOOL, x)),
        "__builtin_isinf_sign": _classify(_infinity_sign),
        **dict.fromkeys(("__builtin_isfinite", "__builtin_finite"), _classify(_is_finite)),
        "__builtin_isnormal": _classify(_is_normal),
        "__builtin_fpclassify": _fpclassify,
    }
    for suffix, sort in _SORTS.items():
        for name, operator in _OPERATORS.items():
            own = "abs" if name == "fabs" else name
            table[name + suffix] = table[f"__drystone_fp_{own}{suffix}"] = _float_operation(operator, sort)
        for name in ("nan", "inf", "huge_val"):
            table[f"__builtin_{name}{suffix}"] = _float_constant(name, sort)
        table[f"__builtin_signbit{suffix}"] = _signbit
        table.update(dict.fromkeys((name + suffix for name in _REFUSED), _refuse))
    for name in ("isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered"):
        table[f"__builtin_{name}"] = _float_comparison(name)
    return table


PRIMITIVES = _table()
