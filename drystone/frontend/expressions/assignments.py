"""Assignments, compound ones, and steps (`++`, `--`)."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import strip
from drystone.frontend.declarations.types import CType, Int, Lanes, Pointer, Real, Scalar, common_type, promote
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import displaced, without_check
from drystone.frontend.expressions.bitfields import carrier_of, reduced, wider
from drystone.frontend.expressions.checks import checked_conversion, checked_operands, refuse_own_type
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.lanes import compound_lanes, materialised, read_lanes
from drystone.frontend.expressions.lvalues import is_atomic, is_shown_atomic
from drystone.frontend.expressions.operators import operand_in, operate
from drystone.frontend.expressions.reads import copied_character
from drystone.frontend.lowering.conversions import convert, resize
from drystone.frontend.lowering.places import InBits, InMemory, InVariable, Place
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Constant, Expression, constant
from drystone.ir.operations import ThreadAction
from drystone.ir.simplify import as_bits, make, truth
from drystone.logic.floats import arithmetic as arithmetic_of


def assignment(lowering: Evaluation, node: Node, is_used: bool) -> Expression:
    """Its value, if it is used, is what was stored: the place is not read again, since the store may have moved it."""
    left, right = node.children
    type_ = lowering.type_of(left)
    if lowering.orders.get(node.key):
        if is_shown_atomic(lowering, left, type_):
            raise NotSupported("assignment to an atomic object, with another order of evaluation", Unmodelled.THREADS)
        value = lowering.memory.kept(lowering.rvalue(right), type_)
        where = lowering.place(left)
        return lowering.memory.store(where, _narrowed(lowering, right, where, value, type_), type_, is_used)
    where = lowering.place(left)
    if right.effects == EFFECTS or lowering.memory.reads_input(where):
        where = lowering.memory.keep_place(where)
    if is_shown_atomic(lowering, left, type_):
        value = lowering.builder.keep(lowering.rvalue(right))
        lowering.builder.atomic(True, ThreadAction.BEGIN)
        stored = lowering.memory.store(where, value, type_, is_used)
        lowering.builder.atomic(True, ThreadAction.END)
        return stored
    if not is_used or (isinstance(where, InVariable) and not lowering.context.has_threads):
        assign(lowering, where, right, type_)
        return where.variable if isinstance(where, InVariable) else constant(32, 0)
    return lowering.memory.store(where, _narrowed(lowering, right, where, lowering.rvalue(right), type_), type_, is_used)


def assign(lowering: Evaluation, where: Place, node: Node, type_: CType) -> None:
    """Evaluates an expression into a place of its type."""
    copied = copied_character(lowering, where, node, type_)
    if copied is not None:
        value, bits = copied
        lowering.memory.write(where, value, type_, bits)
        return
    value = _narrowed(lowering, node, where, lowering.rvalue(node), type_)
    if isinstance(where, InVariable) and strip(node).kind == kinds.CALL_EXPR and not lowering.context.has_threads:
        if lowering.builder.redirect(value, where.variable):
            return
    lowering.memory.write(where, value, type_)


def compound_assignment(lowering: Evaluation, node: Node, is_used: bool = True) -> Expression:
    left, right = node.children
    operator = node.operator[:-1]
    type_, right_type = lowering.type_of(left), lowering.type_of(right)
    b: Expression | None = None
    if lowering.orders.get(node.key) and isinstance(type_, Scalar) and lowering.bit_fields.own_type(right) is None:
        b = lowering.builder.keep(lowering.rvalue(right))
    where = lowering.place(left)
    if right.effects == EFFECTS or lowering.memory.reads_input(where):
        where = lowering.memory.keep_place(where)
    if isinstance(type_, Lanes):
        kept = InMemory(lowering.builder.keep(lowering.memory.address_of(where)))
        new = materialised(lowering, compound_lanes(lowering, read_lanes(lowering, kept.address, type_), node, type_), type_)
        return lowering.memory.store(kept, new, type_, is_used)
    if isinstance(where, InBits) and is_atomic(lowering, left):
        raise NotSupported("atomic bit-field")
    own = _own_type_of_compound(lowering, where, right, operator, type_)
    if own is not None and is_atomic(lowering, left):
        raise NotSupported(f"{node.operator} on an atomic object with such an operand")
    if own is not None:
        value = operand_in(lowering, right, own) if b is None else convert(lowering.builder, b, right_type, own)
        new = _in_own_type(lowering, node, where, value, type_, own)
        return lowering.memory.store(where, new, type_, is_used)
    if isinstance(type_, Real) and lowering.bit_fields.own_type(right) is not None:
        raise NotSupported("arithmetic of a float with a bit-field that is wider than int")
    b = lowering.builder.keep(lowering.rvalue(right)) if b is None else b
    is_section = is_atomic(lowering, left)
    lowering.builder.atomic(is_section, ThreadAction.BEGIN)
    old = lowering.memory.read(where, type_)  # after the right side, as compilers do
    where = without_check(where)
    if isinstance(type_, Pointer):
        new = displaced(lowering, node, old, b, right_type, type_.target, negative=operator == "-")
    else:
        wide = _promoted(lowering, where, type_)
        if operator not in ("<<", ">>"):
            wide = common_type(wide, right_type, lowering.types)
            b = convert(lowering.builder, checked_conversion(lowering, right, b, right_type, wide), right_type, wide)
        a = convert(lowering.builder, checked_conversion(lowering, left, old, type_, wide), type_, wide)
        result = operate(lowering, operator, a, b, wide, wide, right_type, node)
        result = checked_conversion(lowering, node, result, wide, type_, bits=_bits(where))
        new = convert(lowering.builder, result, wide, type_)
    stored = lowering.memory.store(where, new, type_, is_used)
    lowering.builder.atomic(is_section, ThreadAction.END)
    return stored


def _in_own_type(lowering: Evaluation, node: Node, where: Place, value: Expression, type_: CType, own: Int) -> Expression:
    """The new value of `x op= value`, computed in the type that gcc does it in."""
    refuse_own_type(lowering, node, own)
    carrier = carrier_of(own)
    value = lowering.builder.keep(resize(value, carrier.width, own.signed))
    old = resize(convert(lowering.builder, lowering.memory.read(where, type_), type_, own), carrier.width, own.signed)
    result = reduced(operate(lowering, node.operator[:-1], old, value, carrier, carrier, carrier, node), own)
    is_bool = isinstance(type_, Int) and type_.is_bool
    return as_bits(truth(result), 8 * type_.size) if is_bool else resize(result, 8 * type_.size, own.signed)


def _own_type_of_compound(lowering: Evaluation, where: Place, right: Node, operator: str, type_: CType) -> Int | None:
    """The type of `x op= y`, if one of them has a type of its own. What is shifted out is cut off by the store anyway."""
    if operator in ("<<", ">>") or not isinstance(type_, Int):
        return None
    given = lowering.bit_fields.own_type(right)
    left: CType = _promoted(lowering, where, type_)
    if isinstance(where, InBits) and 32 < where.bits < type_.width:
        left = Int(f"{type_}:{where.bits}", where.bits, type_.align, type_.signed, type_.rank)
    elif given is None:
        return None
    return wider(left, given or lowering.bit_fields.plain_type(right))


def _promoted(lowering: Evaluation, where: Place, type_: CType) -> CType:
    """Integer promotion of an lvalue; a narrow bit-field becomes `int` whatever its declared type."""
    if isinstance(where, InBits) and where.bits < 32 + int(where.signed):
        return lowering.types.int
    if isinstance(where, InBits) and where.bits == 32:
        return lowering.types.unsigned
    return promote(type_, lowering.types)


def step(lowering: Evaluation, node: Node, is_used: bool = True) -> Expression:
    (operand,), operator, type_ = node.children, node.operator, lowering.type_of(node)
    where = lowering.place(operand)
    if operand.effects == EFFECTS or lowering.memory.reads_input(where):
        where = lowering.memory.keep_place(where)
    is_section = is_atomic(lowering, operand)
    lowering.builder.atomic(is_section, ThreadAction.BEGIN)
    old = lowering.memory.read(where, type_)
    where = without_check(where)
    is_old_used = is_used and operator.startswith("post")
    if is_old_used:
        old = lowering.builder.keep(old)
    negative = operator.endswith("--")
    if isinstance(type_, Pointer):
        new = displaced(lowering, node, old, lowering.pointer_constant(1), lowering.types.size, type_.target, negative)
    elif isinstance(type_, Real):
        one = Constant(type_.sort, arithmetic_of(type_.sort).from_integer(1))
        new = make("fp.sub" if negative else "fp.add", type_.sort, old, one)
    elif isinstance(type_, Int) and type_.is_bool:
        new = constant(type_.width, 1) if not negative else make("bvxor", type_.sort, old, constant(type_.width, 1))
    elif isinstance(type_, Int):
        new = _stepped(lowering, node, where, old, type_)
    else:
        raise NotSupported(f"{operator} on {type_}")
    stored = lowering.memory.store(where, new, type_, is_used and not is_old_used)
    lowering.builder.atomic(is_section, ThreadAction.END)
    return old if is_old_used else stored


def _stepped(lowering: Evaluation, node: Node, where: Place, old: Expression, type_: Int) -> Expression:
    """One more or less, computed in the promoted type: what does not fit is cut off by the conversion back."""
    operator = "-" if node.operator.endswith("--") else "+"
    name = "bvadd" if operator == "+" else "bvsub"
    wide = _promoted(lowering, where, type_)
    if not lowering.checks or not isinstance(wide, Int):
        return make(name, type_.sort, old, constant(type_.width, 1))
    if isinstance(where, InBits) and 32 < where.bits < type_.width:
        refuse_own_type(lowering, node, type_)
    a, one = resize(old, wide.width, type_.signed), constant(wide.width, 1)
    a, _ = checked_operands(lowering, node, operator, a, one, wide, wide)
    result = make(name, wide.sort, a, one)
    return resize(checked_conversion(lowering, node, result, wide, type_, bits=_bits(where)), type_.width, wide.signed)


def _narrowed(lowering: Evaluation, node: Node, where: Place, value: Expression, type_: CType) -> Expression:
    """A value of the declared type of a bit-field on its way there."""
    return checked_conversion(lowering, node, value, type_, type_, bits=where.bits) if isinstance(where, InBits) else value


def _bits(where: Place) -> int:
    return where.bits if isinstance(where, InBits) else 0
