"""Initialiser lists as flat lists of assignments (C11 6.7.9).

libclang shows the list as written: designators, elided braces and missing elements are worked out here.
"""

from __future__ import annotations

from dataclasses import dataclass

from drystone.frontend import clang
from drystone.frontend.clang import Node, TranslationUnit, library
from drystone.frontend.types import Array, CType, Field, Int, Record, Types, Void


@dataclass(frozen=True, slots=True)
class Slot:
    """Initialise the object of `type` at byte `offset` by `node`, or with zeros where `node` is None."""

    offset: int
    type: CType
    node: Node | None
    field: Field | None = None  # the bit-field this is, if it is one


@dataclass(slots=True)
class _Level:
    """An aggregate being filled and the position of its next member."""

    type: CType
    offset: int
    position: int


def flatten(unit: TranslationUnit, types: Types, type_: CType, node: Node) -> list[Slot]:
    """The assignments, in order; bytes they do not cover are zero."""
    slots: list[Slot] = []
    _flatten(unit, types, type_, node, 0, None, slots)
    return slots


def strip(node: Node) -> Node:
    """Without parentheses."""
    while node.kind == clang.PAREN_EXPR:
        node = node.children[0]
    return node


def is_string_for(type_: CType, node: Node) -> bool:
    """Does this string literal initialise that character array as a whole?"""
    return isinstance(type_, Array) and isinstance(type_.element, Int) and string_literal(node) is not None


def string_literal(node: Node) -> Node | None:
    node = strip(node)
    while node.kind == clang.UNEXPOSED_EXPR and len(node.children) == 1:
        node = strip(node.children[0])
    return node if node.kind == clang.STRING_LITERAL else None


def _flatten(
    unit: TranslationUnit, types: Types, type_: CType, node: Node, offset: int, field: Field | None, slots: list[Slot]
) -> None:
    if node.kind != clang.INIT_LIST:
        slots.append(Slot(offset, type_, node, field))
    elif not isinstance(type_, (Array, Record)):
        if node.children:
            _flatten(unit, types, type_, node.children[0], offset, field, slots)
        else:
            slots.append(Slot(offset, type_, None, field))
    elif len(node.children) == 1 and is_string_for(type_, node.children[0]):
        slots.append(Slot(offset, type_, node.children[0]))
    else:
        _fill(unit, types, type_, node.children, offset, slots)


def _fill(unit: TranslationUnit, types: Types, type_: CType, items: list[Node], offset: int, slots: list[Slot]) -> None:
    """One braced list. `stack` is the path to the member that the next item initialises."""
    root = _Level(type_, offset, 0)
    stack = [root]
    filled_to = offset
    for item in items:
        repeat = [0]
        value = item
        designated = item.kind == clang.UNEXPOSED_EXPR and isinstance(types.of(item.cursor), Void)
        if designated:
            del stack[1:]
            value = item.children[-1]
            repeat = _designate(unit, types, item, stack)
        else:
            while stack and stack[-1].position >= _count(stack[-1].type):
                stack.pop()
            if not stack:
                return  # more items than members: clang has warned, C ignores them
        top = stack[-1]
        for position in repeat:
            if designated:
                top.position = position
            while True:
                top = stack[-1]
                member_type, member_offset, field = _member(top.type, top.offset, top.position)
                is_leaf = (
                    value.kind == clang.INIT_LIST
                    or not isinstance(member_type, (Array, Record))
                    or is_string_for(member_type, value)
                    or (isinstance(member_type, Record) and isinstance(types.of(value.cursor), Record))
                )
                _advance(top)
                if is_leaf:
                    break
                if _count(member_type) == 0:
                    break
                stack.append(_Level(member_type, member_offset, 0))
            if is_leaf:
                if value.kind == clang.INIT_LIST and member_offset < filled_to and isinstance(member_type, (Array, Record)):
                    slots.append(Slot(member_offset, member_type, None))  # replaces what an earlier item put there
                _flatten(unit, types, member_type, value, member_offset, field, slots)
            filled_to = max(filled_to, member_offset + max(member_type.size, 0))


def _advance(level: _Level) -> None:
    if isinstance(level.type, Record) and level.type.is_union:
        level.position = _count(level.type)  # a union takes one initialiser
    else:
        level.position += 1


def _members(record: Record) -> list[Field]:
    """Members that take an initialiser: all but unnamed bit-fields."""
    return [field for field in record.fields if field.bits < 0 or field.name]


def _count(type_: CType) -> int:
    if isinstance(type_, Array):
        return type_.count if type_.count >= 0 else 1 << 60
    assert isinstance(type_, Record)
    return len(_members(type_))


def _member(type_: CType, offset: int, position: int) -> tuple[CType, int, Field | None]:
    if isinstance(type_, Array):
        return type_.element, offset + position * type_.element.size, None
    assert isinstance(type_, Record)
    field = _members(type_)[position]
    return field.type, offset + field.offset // 8, field if field.bits >= 0 else None


def _designate(unit: TranslationUnit, types: Types, item: Node, stack: list[_Level]) -> list[int]:
    """Follows the designators of an item; returns the positions in the last level that it initialises."""
    parts = item.children[:-1]
    is_range = len(parts) >= 2 and "..." in unit.tokens(item.cursor)
    repeat = [0]
    index = 0
    while index < len(parts):
        part = parts[index]
        top = stack[-1]
        if part.kind == clang.MEMBER_REF:
            assert isinstance(top.type, Record)
            wanted = top.type.field(library().clang_getCursorReferenced(part.cursor))
            repeat = [_members(top.type).index(wanted)]
        else:
            first = unit.evaluate(part.cursor)
            last = first
            if is_range and index + 1 < len(parts) and parts[index + 1].kind != clang.MEMBER_REF:
                index += 1
                last = unit.evaluate(parts[index].cursor)
            assert isinstance(first, int) and isinstance(last, int)
            repeat = list(range(first, last + 1))
        top.position = repeat[0]
        index += 1
        if index < len(parts):
            member_type, member_offset, _ = _member(top.type, top.offset, top.position)
            _advance(top)
            stack.append(_Level(member_type, member_offset, 0))
    return repeat
