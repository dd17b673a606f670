"""Do an inline definition and the external one of another file mean the same?

C does not say which of the two a call uses (C11 6.7.4p7), and gcc's choice depends on attributes and optimisation. The same text
may mean different things in two files: macros, types, constants, and what is `static` there or in the function itself. So
the definitions are compared as clang prints them, macros expanded, with the types and values of all their expressions, and
must refer to the same external symbols and to nothing that is internal to a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, library, text_of
from drystone.frontend.clang.cursors import evaluate, pretty_print
from drystone.frontend.clang.nodes import Node, tree_of
from drystone.frontend.declarations.linking import Entity
from drystone.frontend.declarations.types import Array, CType, Function, Int, Pointer, Record, Scalar

_LINKAGE_NONE, _STATIC = 1, 3


class _Internal(Exception):
    """A definition refers to what only its own file, or itself, has."""


def agree(inline: Entity, external: Entity, resolve: Callable[[Entity], Entity]) -> bool:
    """Does a call mean the same by either definition? `resolve` finds the external definition of what the inline one calls."""
    compared: set[str] = set()
    pending = [(inline, external)]
    while pending:
        one, other = pending.pop()
        if one.symbol in compared:
            continue
        compared.add(one.symbol)
        try:
            if list(_meaning(one)) != list(_meaning(other)):
                return False
            called = [each for node in _nodes(one) if (each := _referred(one, node)) is not None and each.is_inline]
        except _Internal:
            return False
        pending.extend((each, found) for each in called if (found := resolve(each)) is not each)
    return True


def _nodes(entity: Entity) -> list[Node]:
    """The definition without its attributes, which may say that one of the two is inline."""
    assert entity.definition is not None
    found = [tree_of(entity.definition)]
    for node in found:
        found.extend(child for child in node.children if not kinds.ATTR_FIRST <= child.kind <= kinds.ATTR_LAST)
    return found


def _meaning(entity: Entity) -> Iterator[object]:
    """Everything that the meaning of a definition depends on, in an order that depends on the definition only."""
    unit, lib = entity.unit, library()
    assert entity.definition is not None
    yield pretty_print(entity.definition).partition("{")[2]
    yield _described(unit.types.of(entity.definition), set())
    for node in _nodes(entity):
        yield node.kind
        yield node.operator
        if kinds.EXPR_FIRST <= node.kind <= kinds.EXPR_LAST or node.kind in (kinds.VAR_DECL, kinds.PARM_DECL):
            type_ = lib.clang_getCanonicalType(lib.clang_getCursorType(node.cursor))
            yield text_of(lib.clang_getTypeSpelling(type_))
            yield _described(unit.types.convert(type_), set())
        if kinds.EXPR_FIRST <= node.kind <= kinds.EXPR_LAST:
            yield evaluate(node.cursor)
        if node.kind == kinds.VAR_DECL and lib.clang_Cursor_getStorageClass(node.cursor) == _STATIC:
            raise _Internal
        referred = _referred(entity, node)
        if referred is not None:
            yield referred.symbol


def _referred(entity: Entity, node: Node) -> Entity | None:
    """The function or global variable that an expression or a declaration in a block means."""
    cursor: CXCursor = node.cursor
    if node.kind == kinds.DECL_REF_EXPR:
        cursor = library().clang_getCursorReferenced(cursor)
    if cursor.kind not in (kinds.FUNCTION_DECL, kinds.VAR_DECL) or library().clang_getCursorLinkage(cursor) == _LINKAGE_NONE:
        return None
    found = entity.unit.entities.entity(cursor)
    if found.is_internal or "weakref" in found.attributes.names:
        raise _Internal
    return found


def _described(type_: CType, seen: set[str]) -> object:
    """A type with all that its name does not tell; a record that is part of itself by its name."""
    what: list[object] = [type(type_).__name__, type_.size, type_.align]
    if isinstance(type_, Int):
        what += [type_.signed, type_.rank, type_.is_bool]
    elif isinstance(type_, Pointer):
        what.append(_described(type_.target, seen))
    elif isinstance(type_, Scalar):
        what.append(str(type_.sort))
    elif isinstance(type_, Array):
        what += [type_.count, _described(type_.element, seen)]
    elif isinstance(type_, Function):
        what += [_described(each, seen) for each in (type_.result, *type_.parameters)] + [type_.variadic, type_.noreturn]
    elif isinstance(type_, Record) and str(type_) not in seen:
        seen.add(str(type_))
        what += [(each.name, each.offset, each.bits, each.volatile, _described(each.type, seen)) for each in type_.fields]
    return what
