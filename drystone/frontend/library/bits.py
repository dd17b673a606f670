"""Builtins on bits, and arithmetic that reports overflow."""

from __future__ import annotations

from collections.abc import Callable

from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Int, Pointer
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import Handler, is_bool
from drystone.frontend.lowering.conversions import resize
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Constant, Expression, InputKind, constant
from drystone.ir.operations import Store
from drystone.ir.simplify import as_bits, make, negate
from drystone.logic.sorts import BOOL, BitVec, bitvec


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
        kind = InputKind.UNDEFINED if lowering.builder.word is None else InputKind.APPROXIMATED  # processors differ
        wild = lowering.builder.input(bitvec(32), kind, f"{symbol.name}(0)")
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


def _reverse_bits(lowering: ExpressionLowering, value: Expression) -> Expression:
    """By swapping neighbouring groups of bits, then of groups twice as large."""
    sort = value.sort
    assert isinstance(sort, BitVec)
    width, group = sort.width, 1
    while group < width:
        mask = constant(width, sum(((1 << group) - 1) << position for position in range(0, width, 2 * group)))
        value, distance = lowering.builder.keep(value), constant(width, group)
        high = make("bvshl", sort, make("bvand", sort, value, mask), distance)
        value = make("bvor", sort, high, make("bvand", sort, make("bvlshr", sort, value, distance), mask))
        group *= 2
    return value


def _redundant_signs(lowering: ExpressionLowering, value: Expression) -> Expression:
    """The bits behind the sign that are like it: leading zeros of what differs from the sign, without the sign itself."""
    sort = value.sort
    assert isinstance(sort, BitVec)
    sign = make("bvashr", sort, value, constant(sort.width, sort.width - 1))
    differing = _leading_zeros(lowering, make("bvxor", sort, value, sign))
    return make("bvsub", bitvec(32), differing, constant(32, 1))


def _rotate(to_the_left: bool) -> Handler:
    """By any number of bits: clang's builtins take it modulo the width."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        value, count = map(lowering.builder.keep, lowering.arguments(node))
        sort = value.sort
        assert isinstance(sort, BitVec) and count.sort == sort
        last = constant(sort.width, sort.width - 1)
        there = make("bvand", sort, count, last)
        back = make("bvand", sort, make("bvneg", sort, count), last)
        left, right = (there, back) if to_the_left else (back, there)
        return make("bvor", sort, make("bvshl", sort, value, left), make("bvlshr", sort, value, right))

    return handler


def _with_carry(operator: str) -> Handler:
    """__builtin_addc(a, b, carry, &out): two additions, of which at most one overflows unless the carry is more than 1."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        builder = lowering.builder
        first, second, carry, place = lowering.arguments(node)
        sort = first.sort
        assert isinstance(sort, BitVec) and second.sort == sort and carry.sort == sort
        wide = bitvec(sort.width + 1)
        out: Expression = Constant(sort, 0)
        result = first
        for operand in (second, carry):
            exact = builder.keep(make(operator, wide, resize(result, wide.width, False), resize(operand, wide.width, False)))
            result = builder.keep(make("truncate", sort, exact))
            lost = make("bvlshr", wide, exact, constant(wide.width, sort.width))
            out = make("bvor", sort, out, make("truncate", sort, lost))
        builder.emit(Store(place, builder.keep(out)))
        return result

    return handler


def _overflow(operator: str) -> Handler:
    """__builtin_add_overflow(a, b, &r): computed exactly, then checked against the type of r."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        builder = lowering.builder
        values = lowering.arguments(node)
        left, right, pointer = (lowering.type_of(child) for child in node.children[1:4])
        target = pointer.target if isinstance(pointer, Pointer) else None
        if not (isinstance(left, Int) and isinstance(right, Int) and isinstance(target, Int)):
            raise NotSupported(f"builtin {symbol.name}", Unmodelled.BUILTIN, symbol.name)
        width = 2 * max(left.width, right.width, target.width) + 2
        wide = bitvec(width)
        a, b = resize(values[0], width, left.signed), resize(values[1], width, right.signed)
        exact = builder.keep(make(operator, wide, a, b))
        stored = builder.keep(make("truncate", target.sort, exact))
        builder.emit(Store(values[2], stored))
        return as_bits(negate(make("=", BOOL, resize(stored, width, target.signed), exact)), 8 if is_bool(lowering, node) else 32)

    return handler


def _table() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for suffix in ("", "l", "ll"):
        table[f"__builtin_clz{suffix}"] = _bits(_leading_zeros, True)
        table[f"__builtin_ctz{suffix}"] = _bits(_trailing_zeros, True)
        table[f"__builtin_popcount{suffix}"] = _bits(_bit_count, False)
        table[f"__builtin_parity{suffix}"] = _bits(_parity, False)
        table[f"__builtin_ffs{suffix}"] = table[f"ffs{suffix}"] = _bits(_find_first, False)
        table[f"__builtin_clrsb{suffix}"] = _bits(_redundant_signs, False)
    table["__builtin_clzs"], table["__builtin_ctzs"] = _bits(_leading_zeros, True), _bits(_trailing_zeros, True)
    for width in (8, 16, 32, 64):
        table[f"__builtin_rotateleft{width}"], table[f"__builtin_rotateright{width}"] = _rotate(True), _rotate(False)
        table[f"__builtin_bitreverse{width}"] = _bits(_reverse_bits, False)
    for suffix in ("b", "s", "", "l", "ll"):
        table[f"__builtin_addc{suffix}"], table[f"__builtin_subc{suffix}"] = _with_carry("bvadd"), _with_carry("bvsub")
    for width in (16, 32, 64):
        table[f"__builtin_bswap{width}"] = _bits(_swap_bytes, False)
    for name, operator in (("add", "bvadd"), ("sub", "bvsub"), ("mul", "bvmul")):
        table[f"__builtin_{name}_overflow"] = _overflow(operator)
        for sign in ("s", "u"):
            for suffix in ("", "l", "ll"):
                table[f"__builtin_{sign}{name}{suffix}_overflow"] = _overflow(operator)
    return table


PRIMITIVES = _table()
