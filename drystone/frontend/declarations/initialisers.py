"""Initialiser lists as flat lists of assignments (C11 6.7.9).

libclang shows the list as written: designators, elided braces and missing elements are worked out here.
"""

from __future__ import annotations

import re
from itertools import pairwise, product

import msgspec

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import string_literal
from drystone.frontend.clang.unit import TranslationUnit
from drystone.frontend.declarations.types import Array, Complex, CType, Field, Int, Lanes, Record, Scalar, Types, Void
from drystone.frontend.errors import NotSupported

_CHANGES = frozenset(("=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", "++", "--", "post++", "post--"))
_COMMENT = regex(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)


class Slot(msgspec.Struct, frozen=True):
    """Initialise the object of `type` at byte `offset` by `node`, or with zeros where `node` is None."""

    offset: int
    type: CType
    node: Node | None
    field: Field | None = None  # the bit-field this is, if it is one


# for a union, by its offset and type: which of its members is initialised, and the union's size
_Chosen = dict[tuple[int, int], tuple[int, int]]


class _Level(msgspec.Struct):
    """An aggregate being filled and the position of its next member."""

    type: CType
    offset: int
    position: int


def flatten(unit: TranslationUnit, types: Types, type_: CType, node: Node) -> list[Slot]:
    """The assignments, in order; bytes they do not cover are zero."""
    slots: list[Slot] = []
    _flatten(unit, types, type_, node, 0, None, slots, {})
    slots = [slot for index, slot in enumerate(slots) if slot.node is not None or not _is_written_over(slots, index)]
    for index, slot in enumerate(slots):
        if slot.node is not None and isinstance(slot.type, Record):
            first, end = extent(slot)
            later = [extent(each) for each in slots[index + 1 :]]
            if any(first <= other[0] and other[1] <= end and other != (first, end) for other in later):
                # what the other members are then is open: those of the record for clang, zero for gcc
                raise NotSupported("record that initialises a member of which a part is initialised again")
    return slots


def _is_written_over(slots: list[Slot], index: int) -> bool:
    """Do the next slots initialise all that this one does?"""
    first, end = extent(slots[index])
    for position in range(index + 1, len(slots)):
        start, behind = extent(slots[position])
        if slots[position].node is None or behind <= first:
            continue
        if start != first:
            return False
        first = behind
        if first >= end:
            return True
    return False


def in_order_of_effects(slots: list[Slot]) -> list[Slot]:
    """The slots in the order in which their items are evaluated. C leaves it open, and also whether an item that another one
    overrides is evaluated at all (C11 6.7.9); gcc evaluates what is left of a list in the order of the members.
    Zeros where nothing was written yet are left out: what no slot covers is zero."""
    slots = [slot for index, slot in enumerate(slots) if slot.node is not None or _overlaps(slot, slots[:index])]
    effects = [index for index, slot in enumerate(slots) if slot.node is not None and _has_effect(slot.node)]
    for index in effects:
        if _overlaps(slots[index], slots[index + 1 :]):
            raise NotSupported("side effect in an initialiser that another one overrides")
    extents = [extent(slot) for slot in slots]
    if all(one <= two for one, two in pairwise(extents)):
        return slots
    if all(extents[one] <= extents[two] for one, two in pairwise(effects)) and overlap(slots):
        return slots
    if overlap(slots):
        raise NotSupported("side effects out of order in a list that initialises a member twice")
    return sorted(slots, key=extent)


def overlap(slots: list[Slot]) -> bool:
    """Is something initialised twice?"""
    return any(one[1] > two[0] for one, two in pairwise(sorted(map(extent, slots))))


def _overlaps(slot: Slot, others: list[Slot]) -> bool:
    first, end = extent(slot)
    return any(first < other[1] and other[0] < end for other in map(extent, others))


def _has_effect(node: Node) -> bool:
    """Has it a side effect besides making compound literals?"""
    if node.effects != EFFECTS:
        return False
    inner = [child for child in node.children if child.effects == EFFECTS]
    return node.kind in (kinds.CALL_EXPR, kinds.STMT_EXPR) or node.operator in _CHANGES or any(map(_has_effect, inner))


def extent(slot: Slot) -> tuple[int, int]:
    """The bits that a slot initialises: first, and behind the last."""
    if slot.field is not None:
        first = slot.offset * 8 + slot.field.offset % 8
        return first, first + slot.field.bits
    return slot.offset * 8, (slot.offset + max(slot.type.size, 0)) * 8


def is_string_for(type_: CType, node: Node) -> bool:
    """Does this string literal initialise that character array as a whole?"""
    return isinstance(type_, Array) and isinstance(type_.element, Int) and string_literal(node) is not None


def _flatten(
    unit: TranslationUnit,
    types: Types,
    type_: CType,
    node: Node,
    offset: int,
    field: Field | None,
    slots: list[Slot],
    chosen: _Chosen,
) -> None:
    if node.kind != kinds.INIT_LIST:
        slots.append(Slot(offset, type_, node, field))
    elif not isinstance(type_, (Array, Record)):
        if any(_is_designated(types, child) for child in node.children):
            raise NotSupported(f"designator in {type_}")
        if any(child.effects == EFFECTS for child in node.children[1:]):
            raise NotSupported("side effect in an initialiser for more members than there are")
        if node.children:
            _flatten(unit, types, type_, node.children[0], offset, field, slots, chosen)
        else:
            slots.append(Slot(offset, type_, None, field))
    elif isinstance(type_, Complex):
        if len(node.children) != 1:
            raise NotSupported(f"initialiser of {type_} with {len(node.children)} parts")  # gcc and clang differ
        _flatten(unit, types, type_, node.children[0], offset, field, slots, chosen)
    elif len(node.children) == 1 and is_string_for(type_, node.children[0]):
        slots.append(Slot(offset, type_, node.children[0]))
    else:
        _fill(unit, types, type_, node.children, offset, slots, chosen)


def _is_designated(types: Types, item: Node) -> bool:
    return item.kind == kinds.UNEXPOSED_EXPR and isinstance(types.of(item.cursor), Void)


def _needs_no_conversion(types: Types, type_: CType, items: list[Node]) -> bool:
    """Do these items mean the same whether clang has looked at them or not: is none designated, or has each the type already?"""
    if not any(_is_designated(types, item) for item in items):
        return True
    values = [item.children[-1] if _is_designated(types, item) else item for item in items]
    if not isinstance(type_, Array) or not isinstance(type_.element, Scalar):
        return False
    return all(types.of(value.cursor) is type_.element for value in values)


def _fill(
    unit: TranslationUnit, types: Types, type_: CType, items: list[Node], offset: int, slots: list[Slot], chosen: _Chosen
) -> None:
    """One braced list. `stack` is the path to the member that the next item initialises."""
    stack = [_Level(type_, offset, 0)]
    filled_to = offset
    for number, item in enumerate(items):
        value = item
        designations: list[list[int]] = [[]]  # the paths of positions that the item initialises; empty: the next member
        if _is_designated(types, item):
            value = item.children[-1]
            if len(item.children) == 1:
                raise NotSupported("designator behind an initialiser for more members than there are")  # clang skips it
            designations = [list(path) for path in product(*_designators(unit, type_, item.children[:-1]))]
        for path in designations:
            if path:
                _descend(stack, path, slots, chosen)
            else:
                while len(stack) > 1 and stack[-1].position >= _count(stack[-1].type):
                    stack.pop()
                if stack[-1].position >= _count(stack[-1].type):
                    if value.effects == EFFECTS:
                        raise NotSupported("side effect in an initialiser for more members than there are")
                    if not _needs_no_conversion(types, type_, items[number + 1 :]):
                        # gcc goes on there, clang neither checks nor converts what follows
                        raise NotSupported("designator behind an initialiser for more members than there are")
                    continue  # clang has warned, compilers ignore it
            found = _target(types, stack, value, slots, chosen)
            if found is None:
                continue
            member_type, member_offset, field = found
            if value.kind == kinds.INIT_LIST and member_offset < filled_to and isinstance(member_type, (Array, Record)):
                _forget(member_type, member_offset, slots, chosen)
            _flatten(unit, types, member_type, value, member_offset, field, slots, chosen)
            filled_to = max(filled_to, member_offset + max(member_type.size, 0))


def _descend(stack: list[_Level], path: list[int], slots: list[Slot], chosen: _Chosen) -> None:
    """Goes from the root of the list to the member that a designation names."""
    del stack[1:]
    for index, position in enumerate(path):
        top = stack[-1]
        top.position = position
        if index + 1 < len(path):
            _choose(top, slots, chosen)
            member_type, member_offset, _ = _member(top.type, top.offset, position)
            _advance(top)
            stack.append(_Level(member_type, member_offset, 0))


def _choose(level: _Level, slots: list[Slot], chosen: _Chosen) -> None:
    """Where the list turns to another member of a union, what the members before it were initialised to is lost."""
    if not isinstance(level.type, Record) or not level.type.is_union:
        return
    key = level.offset, id(level.type)
    before = chosen.get(key)
    if before is not None and before[0] == level.position:
        return
    if before is not None:
        _forget(level.type, level.offset, slots, chosen)
    chosen[key] = level.position, level.type.size
    member_type, member_offset, _ = _member(level.type, level.offset, level.position)
    slots.extend(_zeros(member_type, member_offset))


def _forget(type_: CType, offset: int, slots: list[Slot], chosen: _Chosen) -> None:
    """An object is initialised anew: what was said about its parts does not count."""
    end = offset + max(type_.size, 0)
    inside = [slot for slot in slots if offset * 8 <= extent(slot)[0] and extent(slot)[1] <= end * 8]
    if any(slot.node is not None and _has_effect(slot.node) for slot in inside):
        raise NotSupported("side effect in an initialiser that another one overrides")
    slots[:] = [slot for slot in slots if not (offset * 8 <= extent(slot)[0] and extent(slot)[1] <= end * 8)]
    for key in [key for key, (_, size) in chosen.items() if offset <= key[0] and key[0] + size <= end]:
        del chosen[key]


def _target(
    types: Types, stack: list[_Level], value: Node, slots: list[Slot], chosen: _Chosen
) -> tuple[CType, int, Field | None] | None:
    """The member that takes the value: where braces are left out, the first scalar inside the next member."""
    while True:
        top = stack[-1]
        member_type, member_offset, field = _member(top.type, top.offset, top.position)
        _choose(top, slots, chosen)
        _advance(top)
        if (
            value.kind == kinds.INIT_LIST
            or not isinstance(member_type, (Array, Record))
            or isinstance(member_type, Complex)
            or is_string_for(member_type, value)
            or (isinstance(member_type, Record) and member_type.is_same(types.of(value.cursor)))
        ):
            return member_type, member_offset, field
        if _count(member_type) == 0:
            return None
        stack.append(_Level(member_type, member_offset, 0))


def _zeros(type_: CType, offset: int) -> list[Slot]:
    """What is zero in a member of a union that is initialised in part (C11 6.7.9): its elements and members, not its padding."""
    if isinstance(type_, Array) and type_.size > 0 and isinstance(type_.element, Scalar):
        return [Slot(offset, type_, None)]
    if not isinstance(type_, Record) or type_.is_union or isinstance(type_, Lanes):
        return []
    members = [each for each in members_of(type_) if each.bits < 0]
    scalars = [Slot(offset + each.offset // 8, each.type, None) for each in members if isinstance(each.type, Scalar)]
    return scalars + [slot for each in members for slot in _zeros(each.type, offset + each.offset // 8)]


def _advance(level: _Level) -> None:
    if isinstance(level.type, Record) and level.type.is_union:
        level.position = _count(level.type)  # a union takes one initialiser
    else:
        level.position += 1


def members_of(record: Record) -> list[Field]:
    """Members that take an initialiser: all but unnamed bit-fields."""
    return [field for field in record.fields if field.bits < 0 or field.name]


def _count(type_: CType) -> int:
    if isinstance(type_, Array):
        return type_.count if type_.count >= 0 else 1 << 60
    assert isinstance(type_, Record)
    return len(members_of(type_))


def _member(type_: CType, offset: int, position: int) -> tuple[CType, int, Field | None]:
    if isinstance(type_, Array):
        return type_.element, offset + position * type_.element.size, None
    assert isinstance(type_, Record)
    field = members_of(type_)[position]
    return field.type, offset + field.offset // 8, field if field.bits >= 0 else None


def _designators(unit: TranslationUnit, type_: CType, parts: list[Node]) -> list[list[int]]:
    """The positions that each level of a designation names, such as `[0 ... 2].x[1]`."""
    levels: list[list[int]] = []
    index = 0
    while index < len(parts):
        part = parts[index]
        if part.kind == kinds.MEMBER_REF:
            if not isinstance(type_, Record):
                raise NotSupported("designator of a member of no record")
            wanted = type_.field(library().clang_getCursorReferenced(part.cursor))
            levels.append([members_of(type_).index(wanted)])
        else:
            first = last = evaluate(part.cursor)
            if index + 1 < len(parts) and parts[index + 1].kind != kinds.MEMBER_REF and _is_range(unit, part, parts[index + 1]):
                index += 1
                last = evaluate(parts[index].cursor)
            if not isinstance(first, int) or not isinstance(last, int) or not isinstance(type_, Array):
                raise NotSupported("designator that is no constant")
            levels.append(list(range(first, last + 1)))
        type_ = _member(type_, 0, levels[-1][0])[0]
        index += 1
    return levels


def _is_range(unit: TranslationUnit, first: Node, second: Node) -> bool:
    """Are these the bounds of `[first ... second]`, rather than `[first][second]`?"""
    file, start, end = unit.source.between(first.cursor, second.cursor)
    text = _COMMENT.sub(b" ", unit.source.text(file)[start:end])
    if b"..." in text:
        return True
    if b"]" in text:
        return False
    raise NotSupported("designator made by macros")
