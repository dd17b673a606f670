"""Unary and binary operators on values."""

from __future__ import annotations

from drystone.frontend.clang.kinds import TRUTH_VALUES
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import strip, without_conversions
from drystone.frontend.declarations.types import Array, CType, Function, Int, Lanes, Pointer, Real
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions import addresses
from drystone.frontend.expressions.accesses import address_of, displaced
from drystone.frontend.expressions.bitfields import carrier_of, reduced
from drystone.frontend.expressions.checks import checked_negation, checked_operands, refuse_own_type
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.function_pointers import is_moved_back
from drystone.frontend.expressions.lanes import lanes_of, materialised, part_of
from drystone.frontend.expressions.lvalues import read
from drystone.frontend.expressions.operands import operand_values
from drystone.frontend.expressions.zeros import is_folded_to_negation
from drystone.frontend.lowering.conversions import arithmetic, convert, makes_nan, resize, shift
from drystone.ir.expressions import Constant, Expression
from drystone.ir.simplify import as_bits, make, negate


def unary(lowering: Evaluation, node: Node) -> Expression:
    operand = node.children[0]
    operator = node.operator
    type_ = lowering.type_of(node)
    if operator in ("__real", "__imag"):
        return part_of(lowering, node)
    if isinstance(type_, Lanes) and operator in ("-", "~"):
        return materialised(lowering, lanes_of(lowering, node), type_)
    if isinstance(type_, Lanes) and operator == "!":
        raise NotSupported(f"! of {type_}")
    if operator in ("-", "~", "+") and isinstance(type_, Int) and (own := lowering.bit_fields.own_type(node)) is not None:
        value = operand_in(lowering, operand, own)
        if operator != "+":
            refuse_own_type(lowering, node, own)
            value = make("bvneg" if operator == "-" else "bvnot", value.sort, value)
        return resize(reduced(value, own), type_.width, own.signed)
    match operator:
        case "&":
            inner = strip(operand)
            if isinstance(lowering.type_of(inner), Function):
                return lowering.rvalue(inner)
            return address_of(lowering, node, lowering.place(inner))
        case "*":
            return lowering.rvalue(operand) if isinstance(type_, Function) else read(lowering, node)
        case "+" | "__extension__":
            return lowering.rvalue(operand)
        case "!":
            return as_bits(negate(lowering.condition(operand)), 32)
        case "-":
            value = checked_negation(lowering, node, lowering.rvalue(operand), type_)
            return make("fp.neg" if isinstance(type_, Real) else "bvneg", value.sort, value)
        case "~":
            value = lowering.rvalue(operand)
            return make("bvnot", value.sort, value)
        case _:
            raise NotSupported(f"operator {operator}")


def binary(lowering: Evaluation, node: Node) -> Expression:
    operator = node.operator
    left, right = node.children
    if isinstance(type_ := lowering.type_of(node), Lanes):
        return materialised(lowering, lanes_of(lowering, node), type_)
    if operator in TRUTH_VALUES:
        return as_bits(lowering.condition(node), 32)
    own = lowering.bit_fields.own_type(node) if isinstance(type_, Int) and type_.width >= 32 else None
    if own is not None and isinstance(type_, Int):
        return _own_arithmetic(lowering, node, own, type_)
    left_type, right_type = lowering.type_of(left), lowering.type_of(right)
    if isinstance(left_type, Pointer) and is_moved_back(lowering.context, operator, right):
        lowering.not_accessed.add(strip(left).key)
    a, b = operand_values(lowering, node, left, right)
    return operate(lowering, operator, a, b, type_, left_type, right_type, node)


def operand_in(lowering: Evaluation, node: Node, type_: Int) -> Expression:
    """The value of an operand in a type that gcc gives to arithmetic with bit-fields, in the carrier of that type."""
    inner = without_conversions(node)
    own, value = lowering.bit_fields.own_type(inner), lowering.rvalue(inner)
    source = lowering.type_of(inner)
    if own is not None:
        value, source = resize(value, own.width, own.signed), own
    return resize(convert(lowering.builder, value, source, type_), carrier_of(type_).width, type_.signed)


def _own_arithmetic(lowering: Evaluation, node: Node, own: Int, type_: Int) -> Expression:
    """A binary operator in the type that gcc does it in; the result in clang's."""
    left, right = node.children
    refuse_own_type(lowering, node, own)
    carrier = carrier_of(own)
    a = operand_in(lowering, left, own)
    if right.effects == EFFECTS:
        a = lowering.builder.keep(a)
    is_shift = node.operator in ("<<", ">>")
    b, b_type = (lowering.rvalue(right), lowering.type_of(right)) if is_shift else (operand_in(lowering, right, own), carrier)
    result = reduced(operate(lowering, node.operator, a, b, carrier, carrier, b_type, node), own)
    return resize(result, type_.width, own.signed)


def operate(
    lowering: Evaluation, operator: str, a: Expression, b: Expression, type_: CType, left: CType, right: CType, node: Node
) -> Expression:
    """A binary operator on values of types `left` and `right`, giving `type_`."""
    if isinstance(left, (Pointer, Array)) or isinstance(right, (Pointer, Array)):
        return _pointer_arithmetic(lowering, operator, a, b, left, right, node)
    a, b = checked_operands(lowering, node, operator, a, b, type_, right)
    if operator in ("<<", ">>"):
        return shift(lowering.builder, operator, a, b, type_, right, _lazy_text(lowering, node, operator))
    if isinstance(type_, Real) and type_.size <= 8 and lowering.context.pointer_width == 32:
        what = "float and double have no excess precision, as with gcc -msse2 -mfpmath=sse"
        lowering.context.note("floating point", what, lowering.builder.origin)
    value = arithmetic(lowering.builder, operator, a, b, type_, _lazy_text(lowering, node, operator))
    if isinstance(type_, Real) and isinstance(a, Constant) and isinstance(b, Constant) and makes_nan(type_.sort, a, b, value):
        return lowering.made_nan(operator, a, b, value)
    is_from_zero = operator == "-" and isinstance(type_, Real) and a == Constant(type_.sort, 0)
    if is_from_zero and is_folded_to_negation(node.children[1], lambda part: _real_type(lowering, part)):
        return lowering.zero_difference(b, value)
    return value


def _real_type(lowering: Evaluation, node: Node) -> Real | None:
    return type_ if isinstance(type_ := lowering.type_of(node), Real) else None


def _lazy_text(lowering: Evaluation, node: Node, operator: str) -> str:
    """Tokens are slow: only operations that can be undefined need their text."""
    return lowering.text(node) if operator in ("/", "%", "<<", ">>") else ""


def _pointer_arithmetic(
    lowering: Evaluation, operator: str, a: Expression, b: Expression, left: CType, right: CType, node: Node
) -> Expression:
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        size = lowering.size_of(left.target)
        difference = make("bvsub", a.sort, *addresses.as_pointers(a, b))
        if isinstance(size, Constant) and size.value == 0:
            raise NotSupported(f"difference of pointers to {left.target}")
        return make("bvsdiv", a.sort, difference, size)
    if isinstance(left, Pointer):
        return displaced(lowering, node, a, b, right, left.target, negative=operator == "-")
    assert isinstance(right, Pointer)
    return displaced(lowering, node, b, a, left, right.target, negative=False)
