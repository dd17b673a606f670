"""Tells the checks that are asked for what is about to be computed, and makes errors of what they find."""

from __future__ import annotations

from collections.abc import Mapping

from drystone.checks.facts import Arithmetic, Check, Conversion, Fact
from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate, spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import CASTS
from drystone.frontend.declarations.types import CType, Int, Real
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.lowering.builder import reads_input
from drystone.ir import names
from drystone.ir.automaton import ErrorKind, Origin
from drystone.ir.expressions import Apply, Constant, Expression, Load

_CHECKED = frozenset(("+", "-", "*", "/", "%", "<<", ">>"))
_OF_ATOMICS = "__drystone_"  # begins the names in the macros of atomic functions; no program has such names


def checked_operands(
    lowering: Evaluation, node: Node, operator: str, a: Expression, b: Expression, type_: CType, amount: CType
) -> tuple[Expression, Expression]:
    """The operands of an operator that is about to be applied to them in this type; the errors that it may be are behind us."""
    if not lowering.checks or not isinstance(type_, Int) or operator not in _CHECKED:
        return a, b
    a, b = _kept(lowering, a), _kept(lowering, b)
    is_amount_signed = isinstance(amount, Int) and amount.signed
    _check(lowering, node, Arithmetic(operator, a, b, str(type_), type_.signed, is_amount_signed))
    return a, b


def checked_negation(lowering: Evaluation, node: Node, value: Expression, type_: CType) -> Expression:
    """The same for the operand of a unary minus."""
    if not lowering.checks or not isinstance(type_, Int):
        return value
    value = _kept(lowering, value)
    _check(lowering, node, Arithmetic("neg", value, value, str(type_), type_.signed))
    return value


def checked_conversion(
    lowering: Evaluation, node: Node, value: Expression, source: CType, target: CType, *, is_written: bool = False, bits: int = 0
) -> Expression:
    """The same for a number that is about to be converted; `bits`: of the bit-field that takes it."""
    if not lowering.checks or (source is target and not bits) or not isinstance(target, Int) or target.is_bool:
        return value
    if not isinstance(source, (Int, Real)):
        return value
    value = _kept(lowering, value)
    is_signed = isinstance(source, Int) and source.signed
    name = f"{target} : {bits}" if bits else str(target)
    _check(lowering, node, Conversion(value, is_signed, bits or target.width, name, target.signed, is_written))
    return value


def checked_arguments(lowering: Evaluation, node: Node, name: str, values: list[Expression], type_: CType) -> list[Expression]:
    """The same for arguments, all of them of this type, of a function of the library whose model is not looked into."""
    is_negating, is_dividing = name in _NEGATING, name in _DIVIDING
    if not lowering.checks or not isinstance(type_, Int) or len(values) != (1 if is_negating else 2 if is_dividing else 0):
        return values
    values = [_kept(lowering, value) for value in values]
    operator = "neg" if is_negating else "/"
    _check(lowering, node, Arithmetic(operator, values[0], values[-1], str(type_), type_.signed))
    return values


_NEGATING = frozenset(("abs", "labs", "llabs", "imaxabs"))
"""Of the values that these negate, the least is the only one whose negative does not fit."""
_DIVIDING = frozenset(("div", "ldiv", "lldiv", "imaxdiv"))


def _check(lowering: Evaluation, node: Node, fact: Fact) -> None:
    lowering.checked.add(node.key)
    if isinstance(fact, Arithmetic) and _is_atomic(node):
        return
    make_errors(lowering, lowering.checks, fact, lowering.text(node), lowering.origin(node.cursor))


def make_errors(lowering: Evaluation, checks: Mapping[str, Check], fact: Fact, text: str, origin: Origin) -> None:
    """Of what these checks find in an operation that is written so; in a function of the library, callers are told its name."""
    if lowering.unit.is_model:
        text = f"{names.spelled(lowering.owner)}()"
    for name, violations in checks.items():
        for found in violations(fact):
            if isinstance(found.condition, Constant) and not found.condition.value:
                continue
            lowering.fail(found.condition, ErrorKind(name), found.told(text or "an argument"), origin)


def _is_atomic(node: Node) -> bool:
    """Is it what an atomic function computes? That wraps around (C11 7.17.7.5)."""
    waiting = [*node.children]
    while waiting:
        part = waiting.pop()
        if part.kind == kinds.DECL_REF_EXPR and spelling(part.cursor).startswith(_OF_ATOMICS):
            return True
        if part.kind in (*CASTS, kinds.PAREN_EXPR) or (part.kind == kinds.UNARY_OPERATOR and part.operator == "-"):
            waiting += part.children
    return False


def _kept(lowering: Evaluation, value: Expression) -> Expression:
    """An operand is looked at several times: what takes long, may change or is asked for is kept."""
    is_small = not isinstance(value, (Apply, Load)) or (value.depth <= 3 and not _loads(value))
    return value if is_small and not reads_input(value) else lowering.builder.keep(value)


def _loads(value: Expression) -> bool:
    return isinstance(value, Load) or (isinstance(value, Apply) and any(map(_loads, value.arguments)))


def is_unchecked(lowering: Evaluation, node: Node) -> bool:
    """Might a check find something in this expression, of which it is not told: in the size of an array that is not lowered?"""
    return lowering.folding.may_fail(node) and evaluate(node.cursor) is None


def refuse_own_type(lowering: Evaluation, node: Node, own: CType) -> None:
    """Arithmetic with bit-fields wider than int is done in types that C has no name for."""
    if lowering.checks:
        raise NotSupported(f"checks of arithmetic in {own}: {lowering.text(node)}")


def refuse_lanes(lowering: Evaluation, node: Node, operator: str, element: CType) -> None:
    """Whether the lanes of a vector may overflow, compilers do not say."""
    if lowering.checks and operator in _CHECKED and isinstance(element, Int):
        raise NotSupported(f"checks of arithmetic on {lowering.type_of(node)}: {lowering.text(node)}")
