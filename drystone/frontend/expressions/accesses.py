"""Accesses through pointers and indices: from where an address was derived, what checks are told, what they have not looked at.

An access is valid inside the living object that its pointer was derived from, so the pointer goes with the place to where it is
read or written. `p[i]` is derived from p, however large i is. What is computed from a pointer and kept must stay in the slot of
its object (`logic.slots`); where it would not, the program goes on in a way that is not modelled.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from drystone.checks.facts import Access, Check, ElementAddress, Ending, Movement, PointerCall, Release, Subscript
from drystone.frontend.clang import kinds
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import is_implicit, strip
from drystone.frontend.declarations.types import Array, CType, Int, Pointer, Record, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.checks import make_errors
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.expressions.operands import is_order_open
from drystone.frontend.lowering.conversions import is_signed
from drystone.frontend.lowering.extents import Extents
from drystone.frontend.lowering.places import Derived, Index, InMemory, InVariable, Place
from drystone.ir.automaton import MarkKind, ObjectKind
from drystone.ir.conventions import LOST_BLOCKS
from drystone.ir.expressions import FALSE, TRUE, Address, Apply, Constant, Determinant, Expression, InputKind, Load, constant
from drystone.ir.operations import Report
from drystone.ir.simplify import as_bits, make, negate, truth
from drystone.logic.semantics import signed
from drystone.logic.slots import slots
from drystone.logic.sorts import BOOL, bitvec


def watch(lowering: Evaluation, extents: Extents) -> None:
    """From now on, checks are told of the accesses that are lowered."""

    def on_access(address: Expression, derived: Derived | None, size: int, is_write: bool) -> None:
        if derived is not None and not derived.is_checked and size > 0 and is_write not in lowering.builder.ranges:
            _check_access(lowering, extents, address, derived, constant(_width(address), size), is_write)

    lowering.memory.on_access = on_access


def _check_access(
    lowering: Evaluation, extents: Extents, address: Expression, derived: Derived, size: Expression, is_write: bool
) -> None:
    in_library = derived.in_library or lowering.unit.is_model
    for index in derived.indices:
        fact = Subscript(index.value, index.is_signed, index.count, is_write, in_library)
        make_errors(lowering, lowering.access_checks, fact, index.text, derived.origin)
    pointer = derived.pointer
    if pointer is None:
        return
    located = _located(lowering, pointer, address)
    where, slot, base = address, _slot(pointer), make("slot_base", pointer.sort, pointer)
    if located is not None:  # in an object that has a name here: it lives
        where, entry = located
        slot, base = constant(_width(pointer), extents.slots.heap - 1), constant(_width(pointer), 0)
    else:
        entry = lowering.builder.keep(extents.of(pointer))
    access = Access(pointer, where, size, entry, slot, base, derived.wraps, is_write, extents.slots, in_library)
    make_errors(lowering, lowering.access_checks, access, derived.text, derived.origin)


def _located(lowering: Evaluation, pointer: Expression, address: Expression) -> tuple[Expression, Expression] | None:
    """The distance from the begin of the object that the pointer names, and what the table would say of it."""
    name = _object(pointer)
    if name is None:
        return None
    object_ = lowering.builder.objects.get(name.target) or lowering.context.objects.get(name.target)
    is_known = object_ is not None and not (object_.kind is ObjectKind.EXTERNAL and "[]" in object_.ctype)
    size = object_.size if object_ is not None and is_known else _size_of_global(lowering, name) if object_ is None else -1
    return (_distance(address, name), constant(_width(pointer), size + 1)) if size >= 0 else None


def _size_of_global(lowering: Evaluation, name: Address) -> int:
    """Of one that an initialiser before it refers to; -1: that is not known. A structure may be longer than its type says."""
    symbol = lowering.context.symbols.globals.get(name.target)
    return symbol.type.size if symbol is not None and symbol.defined and isinstance(symbol.type, (Array, Scalar)) else -1


def _distance(address: Expression, name: Address) -> Expression:
    if address == name:
        return constant(_width(name), 0)
    if isinstance(address, Apply) and address.operator in ("bvadd", "bvsub"):
        first, second = address.arguments
        return make(address.operator, address.sort, _distance(first, name), second)
    return make("bvsub", address.sort, *(make("position", each.sort, each) for each in (address, name)))


def check_release(lowering: Evaluation, node: Node, pointer: Expression) -> Expression:
    """`free` or `realloc` of this pointer, which is returned as it is then."""
    extents = lowering.builder.extents
    if extents is None:
        return pointer
    builder = lowering.builder
    pointer = builder.keep(pointer)
    builder.approved.add(pointer)
    if not lowering.are_accesses_checked:
        return pointer
    slot, base = _slot(pointer), make("slot_base", pointer.sort, pointer)
    first, end = (constant(_width(pointer), number) for number in (extents.slots.external, extents.slots.stack))
    is_outside = make("and", BOOL, make("bvule", BOOL, first, slot), make("bvult", BOOL, slot, end))
    refuse_if(lowering, is_outside, f"whether memory that the environment gives may be freed: {lowering.text(node)}")
    fact = Release(pointer, builder.keep(extents.of(pointer)), slot, base, extents.slots)
    make_errors(lowering, lowering.access_checks, fact, lowering.text(node), lowering.origin(node.cursor))
    return pointer


def check_call(lowering: Evaluation, node: Node, pointer: Expression) -> Expression:
    """The function at this pointer, which is returned as it is then, is about to be called. Functions lie in the slot of NULL."""
    if not lowering.are_accesses_checked or isinstance(pointer, Address):
        return pointer
    pointer = lowering.builder.keep(pointer)
    make_errors(lowering, lowering.access_checks, PointerCall(pointer), lowering.text(node), lowering.origin(node.cursor))
    is_object = negate(make("=", BOOL, _slot(pointer), Constant(pointer.sort, 0)))
    refuse_if(lowering, is_object, f"call of what is no function: {lowering.text(node)}")
    return pointer


def check_ending(lowering: Evaluation, what: str, frames_live: bool) -> None:
    """The program ends here. `frames_live`: variables of functions are still there, and what they hold leads to blocks."""
    builder = lowering.builder
    if builder.extents is None or (blocks := builder.extents.blocks) is None:
        return
    lost: Expression | None = None
    if "leak" in lowering.access_checks:
        builder.emit(Report(LOST_BLOCKS, (as_bits(TRUE if frames_live else FALSE, 32),)))
        lost = truth(builder.keep(builder.input(bitvec(32), InputKind.EXTERNAL, LOST_BLOCKS, Determinant.IMPLEMENTATION)))
    make_errors(lowering, lowering.access_checks, Ending(blocks, lost), what, builder.origin)


def check_range(
    lowering: Evaluation,
    call: Node,
    argument: int,
    pointer: Expression,
    size: Expression,
    *,
    is_write: bool,
    behind: Expression | None = None,
) -> Expression:
    """The function of the library that is called is about to access so many bytes from this argument on, or at a distance behind
    it. The argument is returned as it is then."""
    extents = lowering.builder.extents
    if not lowering.access_checks or extents is None:
        return pointer
    lowering.checked.add(call.children[argument].key)
    pointer = lowering.builder.keep(pointer) if _loads(pointer) else pointer
    derived = Derived(lowering.text(call), lowering.origin(call.cursor), pointer, in_library=True)
    lowering.builder.approved.add(pointer)
    builder, size = lowering.builder, lowering.builder.keep(size)
    is_empty = make("=", BOOL, size, Constant(size.sort, 0))
    if is_empty == TRUE:
        return pointer
    some, join = builder.location(), builder.location()
    builder.branch(is_empty, join, some)
    builder.current = some
    address = pointer
    if behind is not None:
        address = make("bvadd", pointer.sort, pointer, make("scale", pointer.sort, behind, constant(_width(pointer), 1)))
    _check_access(lowering, extents, address, derived, size, is_write)
    builder.place(join)
    return pointer


def refuse_if(lowering: Evaluation, condition: Expression, what: str) -> None:
    """Where this holds, the program goes on in a way that is not modelled."""
    if condition == FALSE:
        return
    if condition == TRUE:
        raise NotSupported(what)
    builder = lowering.builder
    refused, goes_on = builder.location(), builder.location()
    builder.branch(condition, refused, goes_on)
    builder.current = refused
    builder.end(MarkKind.UNKNOWN, what)
    builder.place(goes_on)


# Places


def without_check(where: Place) -> Place:
    """The same place, which was looked at already."""
    if isinstance(where, InVariable) or where.derived is None:
        return where
    return msgspec.structs.replace(where, derived=msgspec.structs.replace(where.derived, is_checked=True))


def pointed(lowering: Evaluation, node: Node, pointer: Node) -> tuple[Expression, Derived | None]:
    """The value of a pointer that `node` accesses something by, and what its place is derived from."""
    value = lowering.rvalue(pointer)
    if not lowering.access_checks:
        return value, None
    value = lowering.builder.keep(value) if _loads(value) else value
    return value, _derived(lowering, node, value)


def _derived(lowering: Evaluation, node: Node, pointer: Expression) -> Derived:
    lowering.checked.add(node.key)
    return Derived(lowering.text(node), lowering.origin(node.cursor), pointer)


def element(lowering: Evaluation, node: Node, base: Node, index: Node, element_type: CType, negative: bool = False) -> InMemory:
    """The place of `base[index]`, or of `*(base - index)`."""
    if node.effects == EFFECTS and is_order_open(lowering, node):
        raise NotSupported(
            f"an element whose operands can be evaluated in any order, where memory is checked: {lowering.text(node)}"
        )
    lowering.checked.add(node.key)
    inner = _array(lowering, base)
    count = -1
    if inner is not None:
        array = lowering.type_of(inner)
        assert isinstance(array, Array)
        where = lowering.place(inner)
        count = array.count
    else:
        value, derived = pointed(lowering, node, base)
        where = InMemory(value, derived=derived)
    if not isinstance(where, InMemory):
        raise NotSupported(f"element of {lowering.text(base)}")
    if index.effects == EFFECTS:
        kept = lowering.memory.keep_place(where)
        assert isinstance(kept, InMemory)
        where = kept
    number, type_ = lowering.rvalue(index), lowering.type_of(index)
    number = number if isinstance(number, Constant) else lowering.builder.keep(number)
    address = lowering.displace(where.address, number, type_, element_type, negative)
    text = lowering.text(node)
    derived = where.derived or Derived(text, lowering.origin(node.cursor))
    if negative or count < 0 or (inner is not None and derived.pointer is not None and _is_trailing(lowering, inner)):
        moves = derived.moves or inner is None or not isinstance(derived.pointer, Constant)  # not &((struct s *)0)->a[2]
        derived = msgspec.structs.replace(derived, pointer=derived.pointer or where.address, moves=moves)
    else:
        derived = msgspec.structs.replace(derived, indices=(*derived.indices, Index(number, is_signed(type_), count, text)))
    limit = _NEAR if derived.pointer is None else _ANYWHERE
    wraps = make("or", BOOL, derived.wraps, _wraps(lowering, number, type_, element_type, limit))
    derived = msgspec.structs.replace(derived, wraps=wraps, text=text, origin=lowering.origin(node.cursor))
    return InMemory(address, derived=derived)


def _array(lowering: Evaluation, base: Node) -> Node | None:
    """The array that was converted to this pointer, if it was one."""
    inner = strip(base)
    while is_implicit(inner):
        inner = strip(inner.children[0])
        if isinstance(lowering.type_of(inner), Array):
            return inner
    return inner if isinstance(lowering.type_of(inner), Array) else None


def _is_trailing(lowering: Evaluation, array: Node) -> bool:
    """Is it the end of a structure that a pointer leads to? Programs allocate more than the structure has."""
    node = array
    while node.kind == kinds.MEMBER_REF_EXPR:
        base = strip(node.children[0])
        type_ = lowering.type_of(base)
        record = type_.target if isinstance(type_, Pointer) else type_
        if not isinstance(record, Record):
            return False
        field = record.field(lowering.lib.clang_getCursorReferenced(node.cursor))
        if not record.is_union and field != record.fields[-1]:
            return False
        if isinstance(type_, Pointer):
            return True
        node = base
    if node is array:
        return False
    return node.kind == kinds.UNARY_OPERATOR or (
        node.kind == kinds.ARRAY_SUBSCRIPT and _array(lowering, node.children[0]) is None
    )


# Distances


def displaced(
    lowering: Evaluation, node: Node, base: Expression, index: Expression, index_type: CType, target: CType, negative: bool
) -> Expression:
    """`base + index` as a value: it stays near its object."""
    if lowering.access_checks:
        lowering.checked.add(node.key)
    if not lowering.are_accesses_checked:
        return lowering.displace(base, index, index_type, target, negative)
    base = base if _is_fixed(base) else lowering.builder.keep(base)
    index = index if isinstance(index, Constant) else lowering.builder.keep(index)
    address = lowering.displace(base, index, index_type, target, negative)
    wraps = _wraps(lowering, index, index_type, target, _ANYWHERE)
    _check_movement(lowering, node, base, address, wraps)
    if _object(base) is not None:
        leaves = make("or", BOOL, _wraps(lowering, index, index_type, target, _NEAR), _leaves_slot(address))
        refuse_if(lowering, leaves, f"{_FAR}: {lowering.text(node)}")
        return address if isinstance(index, Constant) else lowering.builder.keep(address)
    address = lowering.builder.keep(address)
    _stay(lowering, node, base, address, wraps)
    return address


def address_of(lowering: Evaluation, node: Node, where: Place) -> Expression:
    """`&` of a place, or the array there as a pointer to its first element."""
    address = lowering.memory.address_of(where)
    assert isinstance(where, InMemory)
    if where.derived is None or not lowering.are_accesses_checked:
        return address
    _check_indices(lowering, node, where.derived, address)
    if where.derived.pointer is None:
        leaves = make("or", BOOL, where.derived.wraps, _leaves_slot(address))
        refuse_if(lowering, leaves, f"{_FAR}: {lowering.text(node)}")
        return address
    address = lowering.builder.keep(address)
    _stay(lowering, node, where.derived.pointer, address, where.derived.wraps)
    return address


def _check_indices(lowering: Evaluation, node: Node, derived: Derived, address: Expression) -> None:
    """The address of what these indices lead to is kept; of members alone there is nothing to say."""
    checks = _checks_of_movement(lowering)
    if not checks:
        return
    for index in derived.indices:
        fact = ElementAddress(index.value, index.is_signed, index.count)
        make_errors(lowering, checks, fact, lowering.text(node), lowering.origin(node.cursor))
    pointer = derived.pointer
    if pointer is None and (name := _object(address)) is not None:
        if len(derived.indices) > 1 or not _is_one_index(address, name):
            _check_movement(lowering, node, name, address, FALSE)
    elif derived.moves or (derived.indices and pointer is not None and not isinstance(pointer, Constant)):
        assert pointer is not None
        _check_movement(lowering, node, pointer, address, derived.wraps)


def _check_movement(lowering: Evaluation, node: Node, pointer: Expression, address: Expression, wraps: Expression) -> None:
    checks, extents = _checks_of_movement(lowering), lowering.builder.extents
    if not checks or extents is None:
        return
    type_ = lowering.type_of(node)
    target_size = type_.target.size if isinstance(type_, Pointer) else type_.size
    zero = constant(_width(pointer), 0)
    located = _located(lowering, _object(pointer) or pointer, address)
    if located is not None:
        fact = Movement(None, *located, zero, wraps, target_size)
    elif isinstance(pointer, Constant):  # it leads to no object
        fact = Movement(pointer, address, zero, zero, wraps, target_size)
    else:
        pointer = lowering.builder.keep(pointer)
        entry, base = lowering.builder.keep(extents.of(pointer)), make("slot_base", pointer.sort, pointer)
        fact = Movement(pointer, address, entry, base, wraps, target_size)
    make_errors(lowering, checks, fact, lowering.text(node), lowering.origin(node.cursor))


def _checks_of_movement(lowering: Evaluation) -> Mapping[str, Check]:
    """The library's own functions may go astray as they do where they are compiled."""
    return {} if lowering.unit.is_model or _MOVES not in lowering.access_checks else lowering.access_checks


def _stay(lowering: Evaluation, node: Node, base: Expression, address: Expression, wraps: Expression) -> None:
    leaves = wraps
    if base != address and not isinstance(address, Constant):
        leaves = make("or", BOOL, wraps, negate(make("=", BOOL, _slot(base), _slot(address))))
    refuse_if(lowering, leaves, f"{_FAR}: {lowering.text(node)}")


def _leaves_slot(address: Expression) -> Expression:
    """Of an object with a name. Each of its indices is near, so that their sum does not wrap around; it may be far."""
    name = _object(address)
    if name is None or address == name or _is_one_index(address, name):
        return FALSE
    known = slots(_width(name))
    place = make("bvadd", name.sort, _distance(address, name), constant(_width(name), known.begin))
    return make("bvule", BOOL, constant(_width(name), 1 << known.bits), place)


def _is_one_index(address: Expression, name: Address) -> bool:
    """Is nothing else added to where the object begins?"""
    return isinstance(address, Apply) and address.arguments[0] == name and not isinstance(address.arguments[1], Constant)


def _is_fixed(address: Expression) -> bool:
    """Is it a number, or a place in an object with a name that is known here?"""
    while isinstance(address, Apply) and address.operator in ("bvadd", "bvsub") and isinstance(address.arguments[1], Constant):
        address = address.arguments[0]
    return isinstance(address, (Address, Constant))


def _object(address: Expression) -> Address | None:
    """The object that an address in it was made from."""
    while isinstance(address, Apply) and address.operator in ("bvadd", "bvsub"):
        address = address.arguments[0]
    return address if isinstance(address, Address) else None


def _wraps(lowering: Evaluation, index: Expression, type_: CType, target: CType, limit: tuple[int, int]) -> Expression:
    """Is the distance of so many elements too large? `limit` in eighths of a slot, down and up; 0: as large as an address."""
    assert isinstance(type_, Int)
    if target.size < 0:
        raise NotSupported(f"pointer arithmetic with {target}, where memory is checked")
    width, size = lowering.context.pointer_width, max(target.size, 1)
    down, up = ((eighths << (slots(width).bits - 3) if eighths else 1 << (width - 2)) // size - 1 for eighths in limit)
    if isinstance(index, Constant):
        number = signed(index.value, type_.width) if type_.signed else index.value
        return FALSE if -down <= number <= up else TRUE
    largest = (1 << (type_.width - (1 if type_.signed else 0))) - 1
    if type_.signed and down < largest:
        is_low = make("bvslt", BOOL, index, constant(type_.width, -down))
    else:
        is_low = FALSE
    if up >= largest:
        return is_low
    limit_up = constant(type_.width, up)
    return make("or", BOOL, is_low, make("bvslt" if type_.signed else "bvult", BOOL, limit_up, index))


_MOVES = "pointer-arithmetic"
_NEAR = (1, 6)
_ANYWHERE = (0, 0)
_FAR = "a pointer far from the object that it was derived from"


# Expressions


def _slot(pointer: Expression) -> Expression:
    return make("slot", pointer.sort, pointer)


def _width(value: Expression) -> int:
    return int(getattr(value.sort, "width", 0))


def _loads(value: Expression) -> bool:
    return isinstance(value, Load) or (isinstance(value, Apply) and any(map(_loads, value.arguments)))


__all__ = ["address_of", "check_release", "displaced", "element", "pointed", "watch", "without_check"]
