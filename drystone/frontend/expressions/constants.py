"""Literals, and addresses of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drystone.base.regex import regex
from drystone.frontend.clang.bindings import library
from drystone.frontend.clang.cursors import evaluate, spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.types import Array, Int, Lanes, Real
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.lanes import lanes_of, materialised
from drystone.frontend.lowering.conversions import float_pattern
from drystone.frontend.source_text.literals import string_bytes
from drystone.ir.expressions import Address, Constant, Expression, constant
from drystone.logic.floats import arithmetic as arithmetic_of
from drystone.logic.sorts import FLOAT32, FLOAT64

if TYPE_CHECKING:
    from fractions import Fraction

_NUMBER = regex(
    r"(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)p[+-]?[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)(?:l[ij]?|[ij]l)"
)
"""A literal of type long double; of an imaginary one, clang shows the number inside with its text."""


def integer(lowering: Evaluation, node: Node) -> Expression:
    value = evaluate(node.cursor)
    type_ = lowering.type_of(node)
    if not isinstance(value, int) or not isinstance(type_, Int):
        raise NotSupported(f"literal {lowering.text(node)}")
    return constant(type_.width, value)


def floating(lowering: Evaluation, node: Node) -> Expression:
    type_ = lowering.type_of(node)
    if not isinstance(type_, Real):
        raise NotSupported(f"literal {lowering.text(node)}")
    if type_.sort in (FLOAT32, FLOAT64):
        value = evaluate(node.cursor)
        if isinstance(value, float):
            return Constant(type_.sort, arithmetic_of(type_.sort).from_python(value))
    number = _NUMBER.fullmatch(lowering.unit.clang.tokens.first(node.cursor).lower().replace("'", ""))
    if number is None:
        raise NotSupported(f"literal {lowering.text(node)} of type {type_}")
    return Constant(type_.sort, float_pattern(type_.sort, _exact(number[1])))


def imaginary(lowering: Evaluation, node: Node) -> Expression:
    type_ = lowering.type_of(node)
    assert isinstance(type_, Lanes)
    return materialised(lowering, lanes_of(lowering, node), type_)


def string_address(lowering: Evaluation, node: Node) -> Expression:
    type_ = lowering.type_of(node)
    assert isinstance(type_, Array)
    content = string_bytes(spelling(node.cursor), type_.element.size, max(type_.count, 0))
    return lowering.context.literal(
        content, type_.element.align, str(type_), lowering.builder.origin, (id(lowering.unit), node.key)
    )


def label_address(lowering: Evaluation, node: Node) -> Expression:
    return Address(lowering.context.symbols.labels[label_key(node.children[0])][0], lowering.context.pointer)


def _exact(word: str) -> Fraction:
    """The exact value of a floating literal without suffix."""
    from fractions import Fraction

    if word.startswith("0x"):
        digits, _, exponent = word[2:].partition("p")
        whole, _, part = digits.partition(".")
        return Fraction(int((whole + part) or "0", 16)) * Fraction(2) ** (int(exponent or "0") - 4 * len(part))
    return Fraction(word)


def label_key(reference: Node) -> int:
    """The statement that a reference to a label means."""
    key: int = library().clang_getCursorReferenced(reference.cursor).d1
    return key
