"""Where an lvalue lies; and what a read of it gives where it is volatile."""

from __future__ import annotations

import msgspec

from drystone.frontend.clang import kinds
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import is_implicit, strip
from drystone.frontend.declarations.symbols import EnumConstant, FunctionSymbol, VariableSymbol
from drystone.frontend.declarations.types import Array, CType, Field, Int, Lanes, Pointer, Record, Scalar, Vector
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import address_of, element, pointed
from drystone.frontend.expressions.constants import string_address
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.function_pointers import note_function, note_members
from drystone.frontend.expressions.operands import in_both_orders, is_order_open, operand_values
from drystone.frontend.expressions.thread_locals import is_own, own_place
from drystone.frontend.expressions.type_operands import chosen
from drystone.frontend.lowering.places import Derived, InBits, InMemory, InVariable, Place, Volatile
from drystone.frontend.lowering.shadows import base_of
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Address, Constant, Determinant, Expression, Variable, constant
from drystone.ir.operations import ThreadAction


def place_of(lowering: Evaluation, node: Node) -> Place:
    """Where an lvalue lies (also record rvalues, which lie in a temporary object)."""
    node = strip(node)
    where = _place(lowering, node)
    if (
        not lowering.context.volatile_is_input
        or lowering.unit.is_model
        or where.volatile is not None
        or not _is_volatile(lowering, node)
    ):
        return where
    if isinstance(where, InVariable) and where.variable.name in lowering.builder.variables:
        return where  # a local whose address nobody has: nothing else can change it
    if lowering.is_confined(node):
        return where  # and a part of one
    where = msgspec.structs.replace(where, volatile=_volatile_input(lowering, node, where))
    if isinstance(where, InMemory) and not _is_volatile_itself(lowering, node):
        return msgspec.structs.replace(where, in_part=True)
    return where


def _place(lowering: Evaluation, node: Node) -> Place:
    kind = node.kind
    if node.effects == EFFECTS:
        lowering.evaluated.add(node.key)
    if kind == kinds.DECL_REF_EXPR:
        return _symbol_place(lowering, node)
    if kind == kinds.MEMBER_REF_EXPR:
        return _member(lowering, node)
    if kind == kinds.ARRAY_SUBSCRIPT:
        return _element(lowering, node) if lowering.access_checks else InMemory(_subscript(lowering, node))
    if kind == kinds.UNARY_OPERATOR and node.operator == "*":
        return _pointee(lowering, node)
    if kind == kinds.UNARY_OPERATOR and node.operator == "__extension__":
        return place_of(lowering, node.children[0])
    if kind == kinds.UNARY_OPERATOR and node.operator in ("__real", "__imag"):
        return _part_place(lowering, node)
    if kind == kinds.COMPOUND_LITERAL:
        return InMemory(lowering.compound_literal(node))
    if kind == kinds.STRING_LITERAL:
        return InMemory(string_address(lowering, node))
    if kind == kinds.GENERIC:
        return place_of(lowering, chosen(lowering, node))
    if is_implicit(node) and lowering.type_of(node).size == lowering.type_of(node.children[0]).size:
        return place_of(lowering, node.children[0])
    if isinstance(lowering.type_of(node), (Record, Array)):
        return InMemory(lowering.rvalue(node))
    raise NotSupported(f"assignment to {lowering.text(node)}")


def reference(lowering: Evaluation, node: Node) -> Expression:
    symbol = lowering.denoted(node)
    if isinstance(symbol, EnumConstant):
        type_ = lowering.type_of(node)
        assert isinstance(type_, Int)
        return constant(type_.width, symbol.value)
    if isinstance(symbol, FunctionSymbol):
        note_function(lowering.context, symbol, lowering.type_of(node))
        return lowering.pointer_constant(0) if symbol.is_null else lowering.context.address_of_function(symbol)
    return read(lowering, node)


def read(lowering: Evaluation, node: Node) -> Expression:
    where, type_ = place_of(lowering, node), lowering.type_of(node)
    if lowering.access_checks and isinstance(type_, Array) and isinstance(where, InMemory):
        return address_of(lowering, node, where)
    is_section = is_shown_atomic(lowering, node, type_)
    lowering.builder.atomic(is_section, ThreadAction.BEGIN)
    value = lowering.memory.read(where, type_)
    lowering.builder.atomic(is_section, ThreadAction.END)
    return value


def is_atomic(lowering: Evaluation, node: Node) -> bool:
    """Is it an object that no other thread may change between a read and a write of one operator?"""
    return lowering.context.has_threads and lowering.types.is_atomic(lowering.lib.clang_getCursorType(strip(node).cursor))


def is_shown_atomic(lowering: Evaluation, node: Node, type_: CType) -> bool:
    """Is it such an object, and are its reads and writes to be told from those that are not atomic? A structure would have to be
    copied at once, which is not modelled."""
    if not isinstance(type_, Scalar) and is_atomic(lowering, node):
        raise NotSupported(f"access to an atomic {type_}", Unmodelled.THREADS)
    return lowering.context.shows_accesses and is_atomic(lowering, node)


def _element(lowering: Evaluation, node: Node) -> Place:
    """An element, for checks to look at."""
    left, right = node.children
    if isinstance(lowering.type_of(left), Vector):
        raise NotSupported(f"an element of {lowering.type_of(left)}, where memory is checked")
    pointer, index = (left, right) if isinstance(lowering.type_of(left), (Pointer, Array)) else (right, left)
    return element(lowering, node, pointer, index, lowering.type_of(node))


def _pointee(lowering: Evaluation, node: Node) -> Place:
    operand = node.children[0]
    inner = strip(operand)
    if lowering.access_checks and inner.kind == kinds.BINARY_OPERATOR and inner.operator in ("+", "-"):
        left, right = inner.children
        if not isinstance(lowering.type_of(left), (Pointer, Array)):
            left, right = right, left
        return element(lowering, node, left, right, lowering.type_of(node), negative=inner.operator == "-")
    address, derived = pointed(lowering, node, operand)
    return InMemory(address, derived=derived)


def _part_place(lowering: Evaluation, node: Node) -> Place:
    whole, type_ = place_of(lowering, node.children[0]), lowering.type_of(node.children[0])
    if isinstance(type_, Lanes) and isinstance(whole, InMemory):
        return lowering.memory.field_place(whole.address, type_.fields[int(node.operator == "__imag")])
    if node.operator == "__imag":
        raise NotSupported(f"imaginary part of {type_}")
    return whole


def _symbol_place(lowering: Evaluation, node: Node) -> Place:
    symbol = lowering.denoted(node)
    if isinstance(symbol, VariableSymbol):
        if symbol.is_global:
            if symbol.is_null:
                return InMemory(lowering.pointer_constant(0))
            if is_own(lowering.context, symbol):
                return own_place(lowering, symbol)
            if symbol.in_memory:
                return InMemory(lowering.context.address_of_global(symbol))
            assert isinstance(symbol.type, Scalar)
            return InVariable(Variable(symbol.name, symbol.type.sort, symbol.spelling))
        known = lowering.locals.get(symbol.cursor.d0)
        if known is None:
            raise NotSupported(f"variable {symbol.name} outside its scope")
        return _named(lowering, node, known)
    raise NotSupported(f"reference to {lowering.text(node)}")


def _named(lowering: Evaluation, node: Node, place: Place) -> Place:
    """The place, with what it is called, where it is asked what has a value."""
    if lowering.builder.shadows is None:
        return place
    if not isinstance(place, InVariable) and not isinstance(base_of(place.address), Address):
        return place
    return msgspec.structs.replace(place, derived=Derived(lowering.text(node), lowering.origin(node.cursor)))


def _member(lowering: Evaluation, node: Node) -> Place:
    base = node.children[0]
    base_type = lowering.type_of(base)
    if isinstance(base_type, Pointer):
        record = base_type.target
        address, derived = pointed(lowering, node, base)
    else:
        record = base_type
        where = place_of(lowering, base)
        if not isinstance(where, InMemory):
            raise NotSupported(f"member of {lowering.text(base)}")
        address, derived = where.address, where.derived
    if not isinstance(record, Record) or isinstance(record, Lanes):
        raise NotSupported(f"member of {record}")
    note_members(lowering.context, record)
    field = record.field(lowering.lib.clang_getCursorReferenced(node.cursor))
    if lowering.context.shows_accesses and lowering.context.has_threads:
        _refuse_neighbours(record, field)
    place = lowering.memory.field_place(address, field)
    if derived is None:
        return _named(lowering, node, place)
    told = msgspec.structs.replace(derived, text=lowering.text(node), origin=lowering.origin(node.cursor))
    return msgspec.structs.replace(place, derived=told)


def _refuse_neighbours(record: Record, field: Field) -> None:
    """Bit-fields with no other member between them are one memory location (C11 3.14), even if they share no byte."""
    others = [each for each in record.fields if each.bits > 0 and each.cell != field.cell and field.bits >= 0]
    for each in others:
        first, last = sorted((each.offset, field.offset))
        if not any(member.bits < 0 and first < member.offset < last for member in record.fields):
            raise NotSupported("bit-field in another byte than its neighbour: data races of the two", Unmodelled.THREADS)


def _subscript(lowering: Evaluation, node: Node) -> Expression:
    left, right = node.children
    vector = lowering.type_of(left)
    if isinstance(vector, Vector):
        lanes = lowering.builder.keep(lowering.memory.address_of(place_of(lowering, left)))
        return lowering.displace(lanes, lowering.rvalue(right), lowering.type_of(right), vector.element)
    pointer, index = (left, right) if isinstance(lowering.type_of(left), (Pointer, Array)) else (right, left)
    if index.effects == EFFECTS and _is_array_in_value(lowering, pointer):
        # gcc reads it where the record came from, after the index was evaluated
        raise NotSupported(f"element of an array in the value of an expression: {lowering.text(node)}")
    pointer_type = lowering.type_of(pointer)
    element = pointer_type.target if isinstance(pointer_type, Pointer) else lowering.type_of(node)

    def displaced() -> Expression:
        base, distance = operand_values(lowering, node, pointer, index)
        return lowering.displace(base, distance, lowering.type_of(index), element)

    if node.effects == EFFECTS and is_order_open(lowering, node):
        return in_both_orders(lowering, node, pointer_type, displaced)
    return displaced()


def _is_array_in_value(lowering: Evaluation, node: Node) -> bool:
    """Is it an array inside a record that is no object but the value of an expression, such as `(s = t).a`?"""
    node = strip(node)
    while is_implicit(node) or node.kind in (kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT):
        if isinstance(lowering.type_of(node.children[0]), Pointer) and not is_implicit(strip(node.children[0])):
            return False
        node = strip(node.children[0])
    return isinstance(lowering.type_of(node), Record) and (
        node.kind in (kinds.CALL_EXPR, kinds.CONDITIONAL, kinds.STMT_EXPR, kinds.COMPOUND_ASSIGN)
        or (node.kind == kinds.BINARY_OPERATOR and node.operator in ("=", ","))
    )


def _is_volatile_itself(lowering: Evaluation, node: Node) -> bool:
    raw = lowering.lib.clang_getCanonicalType(lowering.lib.clang_getCursorType(node.cursor))
    return bool(lowering.lib.clang_isVolatileQualifiedType(raw))


def _is_volatile(lowering: Evaluation, node: Node) -> bool:
    """Also a structure with a part that is; an array is never read as a whole."""
    raw = lowering.lib.clang_getCursorType(node.cursor)
    return not isinstance(lowering.types.convert(raw), Array) and lowering.types.has_volatile(raw)


def _volatile_input(lowering: Evaluation, node: Node, where: Place) -> Volatile:
    """An object of the program holds what the program has put there unless something else changes it, which is as good as an
    approximation; what lies outside, at a fixed address or in no file of the program, is chosen by the environment."""
    what = f"volatile {lowering.text(node)}"
    if isinstance(where, InMemory | InBits) and isinstance(where.address, Constant):
        return Volatile(what, Determinant.NOTHING)
    inner = node
    while inner.kind in (kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT) and inner.children:
        inner = strip(inner.children[0])
        while inner.kind == kinds.UNEXPOSED_EXPR and inner.children:
            inner = strip(inner.children[0])
    if inner.kind == kinds.DECL_REF_EXPR:
        symbol = lowering.context.symbols.resolve(
            lowering.unit, lowering.lib.clang_getCursorReferenced(inner.cursor), lowering.owner
        )
        if isinstance(symbol, VariableSymbol) and not symbol.defined and not isinstance(symbol.type, Pointer):
            return Volatile(what, Determinant.NOTHING)
    return Volatile(what, Determinant.VOLATILE)
