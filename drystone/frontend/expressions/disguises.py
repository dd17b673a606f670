"""Pointers in disguise: where a program makes something of an address from which its type does not show what it leads to.

A function without a body may write what it is given (`library/externals.py`), and types say what that is, unless the program has
put an address into a number, or a pointer to an object of its own into one to a structure that only other files know. Numbers are
not followed: where a program does one of these anywhere, every call that could hand the result on counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate, spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import CASTS, direct_callee, is_expression, strip, without_casts
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.types import Array, CType, Function, Int, Pointer, Real, Record, Void
from drystone.frontend.lowering.context import Context

_COPYING = frozenset("memcpy memmove mempcpy memccpy bcopy __memcpy_chk __memmove_chk".split())
_ANY_MEMORY = "memory whose pointers are seen as numbers, or numbers as pointers"


def find_disguises(context: Context) -> None:
    """Enters into the context whether addresses become numbers, and which unknown structures the program makes pointers to."""
    symbols = context.symbols
    own = [unit for unit in symbols.units if not unit.is_model]
    if len(own) > 1:
        context.own_records |= {name for unit in own for name in _complete_records(unit)}
    roots = [(symbol.unit, symbol.tree) for symbol in symbols.functions.values()]
    roots += [(symbol.unit, symbol.initialiser) for symbol in symbols.globals.values()]
    through_void: set[tuple[bool, bool]] = set()  # (to void *, or from it; memory that has pointers)
    for unit, root in roots:
        if root is None or unit.is_model:
            continue
        for node, parent in _expressions(root):
            if found := _disguised(context, unit, node, parent, through_void):
                file, line, _, _, _ = unit.clang.source.extent(node.cursor)
                context.disguise = context.disguise or f"{found} ({os.path.basename(file)}:{line})"
    for has_pointers in (True, False):
        if {(True, has_pointers), (False, not has_pointers)} <= through_void:
            context.disguise = context.disguise or _ANY_MEMORY


def _complete_records(unit: Unit) -> Iterator[str]:
    """The structures of which this file knows the members: others may know only their names."""
    for cursor in unit.clang.declarations():
        if cursor.kind in (kinds.STRUCT_DECL, kinds.UNION_DECL) and (type_ := unit.types.of(cursor)).size >= 0:
            yield plain_name(type_)


def _expressions(root: Node) -> Iterator[tuple[Node, Node]]:
    stack = [(root, root)]
    while stack:
        node, parent = stack.pop()
        yield node, parent
        # clang cannot measure the types of builtins that are called
        is_direct = node.kind == kinds.CALL_EXPR and direct_callee(node) is not None
        stack.extend((child, node) for child in node.children[is_direct:])


def _disguised(context: Context, unit: Unit, node: Node, parent: Node, through_void: set[tuple[bool, bool]]) -> str:
    if node.kind == kinds.MEMBER_REF_EXPR and node.children:
        return _through_union(context, unit, node)
    if node.kind == kinds.CALL_EXPR:
        return _copied(unit, node)
    if node.kind == kinds.BINARY_OPERATOR and node.operator == "-":
        types = [unit.types.of(child.cursor) for child in node.children]
        if all(isinstance(each, (Pointer, Array)) for each in types) and any(map(_is_number, node.children)):
            return "a distance from a fixed address"
    if node.kind not in CASTS or not node.children or not is_expression(node.children[-1]):
        return ""
    inner = node.children[-1]
    to, from_ = unit.types.of(node.cursor), unit.types.of(inner.cursor)
    if isinstance(to, Pointer) and isinstance(from_, Int):
        return "" if evaluate(inner.cursor) is not None else "a number that becomes a pointer"
    if isinstance(to, (Int, Real)) and isinstance(from_, (Pointer, Array, Function)):
        is_bool = isinstance(to, Int) and to.is_bool
        return "" if is_bool or evaluate(node.cursor) is not None else "an address that becomes a number"
    if isinstance(to, Pointer) and isinstance(from_, Pointer) and not _is_null(inner):
        return _reinterpreted(context, unit, node, parent, through_void)
    return ""


def _reinterpreted(context: Context, unit: Unit, node: Node, parent: Node, through_void: set[tuple[bool, bool]]) -> str:
    """A pointer that becomes one to another type."""
    inner = node.children[-1]
    before = unit.types.of(inner.cursor)
    after = unit.types.of(node.cursor)
    assert isinstance(before, Pointer) and isinstance(after, Pointer)
    old, new = before.target, after.target
    if old is new:
        return ""
    is_result = (call := strip(inner)).kind == kinds.CALL_EXPR
    record = new
    while isinstance(record, Pointer):
        record = record.target
    if isinstance(record, Record) and record.size < 0 and not (isinstance(old, Record) and record.is_same(old)):
        if not (isinstance(old, Void) and (isinstance(new, Pointer) or (is_result and _is_outside(context, call)))):
            context.own_records.add(plain_name(record))
    if isinstance(new, Void) and _is_data(old):
        if parent.kind != kinds.CALL_EXPR or (callee := direct_callee(parent)) is None or not _is_library(context, callee):
            through_void.add((True, has_pointers(old)))
    elif isinstance(old, Void) and _is_data(new) and not is_result:
        through_void.add((False, has_pointers(new)))
    elif has_pointers(old) != has_pointers(new) and _is_data(old) and _is_data(new):
        is_moved = parent.kind == kinds.BINARY_OPERATOR or strip(inner).kind == kinds.BINARY_OPERATOR  # as in `container_of`
        if not (is_moved and any(isinstance(each, Record) for each in (old, new)) and any(map(_is_byte, (old, new)))):
            return f"a pointer to {old} as one to {new}"
    return ""


def _through_union(context: Context, unit: Unit, node: Node) -> str:
    """A member of a union that can hold all of an address, next to one that is a pointer."""
    base = unit.types.of(node.children[0].cursor)
    record = base.target if isinstance(base, Pointer) else base
    if isinstance(record, Record) and record.is_union:
        for field in record.fields:
            if isinstance(field.type, Pointer) and isinstance(field.type.target, Record) and len(record.fields) > 1:
                context.own_records.add(plain_name(field.type.target))
    if not isinstance(record, Record) or not any(map(_mixes, _unions(record, context.pointer_width // 8))):
        return ""
    return "a union of addresses and numbers"


def _unions(record: Record, width: int) -> Iterator[tuple[bool, bool]]:
    """Of each union in it: does it have pointers, and members that are numbers as wide as one?"""
    if record.size < 0:
        return
    if record.is_union:
        pointers = [has_pointers(field.type) for field in record.fields]
        wide = [field.type.size >= width for field in record.fields]
        yield any(pointers), any(is_wide and not has for is_wide, has in zip(wide, pointers, strict=True))
    for field in record.fields:
        if isinstance(field.type, Record):
            yield from _unions(field.type, width)


def _mixes(found: tuple[bool, bool]) -> bool:
    return all(found)


def _copied(unit: Unit, call: Node) -> str:
    """Memory that is copied to where it has another type."""
    callee = direct_callee(call)
    if callee is None or spelling(callee.cursor).removeprefix("__builtin_") not in _COPYING or len(call.children) < 3:
        return ""
    given = [unit.types.of(without_casts(each).cursor) for each in call.children[1:3]]
    sorts = []
    for type_ in given:
        target = type_.target if isinstance(type_, Pointer) else type_.element if isinstance(type_, Array) else type_
        sorts.append(None if isinstance(target, Void) else has_pointers(target))
    return "a copy of addresses as numbers" if len(set(sorts)) > 1 else ""


def _is_library(context: Context, callee: Node) -> bool:
    return context.symbols.is_library(spelling(callee.cursor))


def _is_outside(context: Context, call: Node) -> bool:
    """Is what is called a function without a body?"""
    callee = direct_callee(call)
    symbol = context.symbols.functions.get(spelling(callee.cursor)) if callee is not None else None
    return symbol is not None and symbol.definition is None and not context.symbols.is_library(symbol.name)


def _is_data(type_: CType) -> bool:
    return not isinstance(type_, (Void, Function)) and type_.size >= 0


def _is_byte(type_: CType) -> bool:
    return isinstance(type_, Int) and type_.width == 8


def _is_null(node: Node) -> bool:
    return _is_number(node)


def _is_number(node: Node) -> bool:
    """A pointer that is made from a number."""
    return without_casts(node).kind == kinds.INTEGER_LITERAL


def plain_name(record: CType) -> str:
    """Of a structure, whatever its qualifiers."""
    return " ".join(word for word in str(record).split() if word not in ("const", "volatile", "restrict"))


def has_pointers(type_: CType) -> bool:
    """Is it a pointer, or has it one inside?"""
    if isinstance(type_, Array):
        return has_pointers(type_.element)
    if isinstance(type_, Record):
        return type_.size >= 0 and any(has_pointers(field.type) for field in type_.fields)
    return isinstance(type_, Pointer)
