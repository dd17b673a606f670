"""Values that are used: checks are told whether anybody has written them (`lowering.shadows`).

A copy of bytes is no use: of a structure as a whole, by `memcpy`, or of a character to a character, which is how C programs copy
memory byte by byte. What has no value has none at its new place.
"""

from __future__ import annotations

from drystone.checks.facts import Read
from drystone.checks.registry import UNINITIALISED
from drystone.frontend.clang import kinds
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import without_casts, without_conversions
from drystone.frontend.declarations.symbols import VariableSymbol
from drystone.frontend.declarations.types import CType, Int, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import refuse_if
from drystone.frontend.expressions.checks import make_errors
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.lowering.places import Derived, InBits, InMemory, InVariable, Place
from drystone.frontend.lowering.shadows import LOST, Shadows, is_all, ones
from drystone.ir.expressions import TRUE, Expression, byte_size, constant
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL, bitvec


def watch_reads(lowering: Evaluation, shadows: Shadows) -> None:
    """From now on, checks are told of the values that are used."""

    def on_read(where: Place, type_: Scalar) -> None:
        has_value = _has_value(shadows, where, type_)
        if has_value == TRUE:
            return
        derived = where.derived or Derived("a value", lowering.builder.origin)
        make_errors(
            lowering, {UNINITIALISED: lowering.access_checks[UNINITIALISED]}, Read(has_value), derived.text, derived.origin
        )

    lowering.memory.on_read = on_read


def _has_value(shadows: Shadows, where: Place, type_: Scalar) -> Expression:
    match where:
        case InVariable(variable):
            return shadows.flags.get(variable.name, TRUE)
        case InMemory(address):
            return shadows.are_set(address, byte_size(type_.sort))
        case InBits(address, size, shift, bits):
            others = constant(8 * size, ~(((1 << bits) - 1) << shift))
            are_set = is_all(make("bvor", others.sort, shadows.bits(address, size), others))
            return make("or", BOOL, shadows.is_outside(address), are_set)


def copied_character(lowering: Evaluation, where: Place, node: Node, type_: CType) -> tuple[Expression, Expression] | None:
    """The character that is about to be written there, and which of its bits have a value, if it is only copied from another
    place."""
    shadows = lowering.builder.shadows
    if shadows is None or not _is_followed(shadows, where) or not _is_character(type_):
        return None
    inner = without_conversions(node)
    is_pointee = inner.kind == kinds.UNARY_OPERATOR and inner.operator == "*"
    source = lowering.type_of(inner)
    if not (inner.kind in _PLACES or is_pointee) or not _is_character(source) or (source != type_ and lowering.checks):
        return None
    if inner.kind == kinds.DECL_REF_EXPR and not isinstance(lowering.denoted(inner), VariableSymbol):
        return None
    place = lowering.place(inner)
    if isinstance(place, InBits) or place.volatile is not None:
        raise NotSupported(f"a copy of a volatile character, where it is asked what has a value: {lowering.text(node)}")
    bits = _bits(shadows, place)
    if isinstance(where, InMemory):
        is_lost = make("and", BOOL, shadows.is_outside(where.address), negate(is_all(bits)))
        refuse_if(lowering, is_lost, LOST)
    return lowering.memory.copied(place, source), bits


def is_named(node: Node) -> bool:
    """Is it a variable, or a member of one, perhaps made `void`? Where that is a statement, nothing is read."""
    node = without_casts(node)
    while node.kind == kinds.MEMBER_REF_EXPR and node.children:
        node = without_casts(node.children[0])
    return node.kind == kinds.DECL_REF_EXPR


def _bits(shadows: Shadows, place: InVariable | InMemory) -> Expression:
    if isinstance(place, InVariable):
        flag = shadows.flags.get(place.variable.name, TRUE)
        return make("ite", bitvec(8), flag, ones(8), constant(8, 0))
    if shadows.is_static(place.address):
        return ones(8)
    return make("ite", bitvec(8), shadows.is_outside(place.address), ones(8), shadows.bits(place.address, 1))


def _is_followed(shadows: Shadows, where: Place) -> bool:
    """May what is written there have no value?"""
    match where:
        case InVariable(variable):
            return variable.name in shadows.flags
        case InMemory(address):
            return not shadows.is_static(address)
        case _:
            return False


def _is_character(type_: CType) -> bool:
    return isinstance(type_, Int) and type_.width == 8 and not type_.is_bool


_PLACES = frozenset((kinds.DECL_REF_EXPR, kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT))
