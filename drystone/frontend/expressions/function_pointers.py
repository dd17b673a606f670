"""Which functions a call through a pointer does not mean, as far as types tell.

A call through a pointer goes to any function that the pointer may mean, whatever its type. A pointer from outside may be every
function whose address is kept in memory that is not told apart from what is outside. Of those, a call excludes the functions that
take other arguments, unless the program makes such a pointer of one to them: by conversions, of pointers to functions or of
pointers to where these lie, by unions, by declarations that differ, or by arguments without a type
(docs/decisions/048-types-of-callees.md).
"""

from __future__ import annotations

from collections.abc import Iterable

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import without_casts
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Array, CType, Function, Int, Pointer, Record, Scalar, Void
from drystone.frontend.lowering.context import Context, Signature
from drystone.ir.automaton import Origin
from drystone.logic.sorts import BitVec, bitvec

_INT = 32  # bits
_ANYTHING: Signature = ("anything",)  # that is no pointer to a function
_Layout = tuple[tuple[int, Signature], ...]
_ASSUMED = "a pointer that comes from outside is called as what it is: it means no function that takes other arguments"


def signature(type_: Function) -> Signature:
    """What a function is called with; the same for two of them that may be called in each other's place."""
    if not type_.prototyped:
        return _ANYTHING
    result = str(type_.result) if isinstance(type_.result, Record) else ""  # the caller says where it goes
    return ("variadic" if type_.variadic else "", result, *map(_passed, type_.parameters))


def note_conversion(context: Context, operand: Node, source: CType, target: CType) -> None:
    """The operand, of type `source`, is converted."""
    if source is target or isinstance(target, Void):
        return
    before, after = _function(source), _function(target)
    if before is not None or after is not None:
        if before is not None or without_casts(operand).kind != kinds.INTEGER_LITERAL:
            _note(context, _kind(before), _kind(after))
    elif isinstance(source, Pointer) and isinstance(target, Pointer):
        old, new = source.target, target.target
        if _is_known(old) and _is_known(new):
            common = 8 * min(old.size, new.size)
            _note_layouts(context, [_within(common, _layout(context, each)) for each in (old, new)])
        else:
            for each in (old, new):
                if not isinstance(each, Record):  # records are kept behind `void *` everywhere
                    note_untyped(context, each)


def is_moved_back(context: Context, operator: str, distance: Node) -> bool:
    """Does a pointer leave its object for what lies around that one, as in `container_of`?"""
    known = evaluate(distance.cursor)
    if not isinstance(known, int):
        return False
    half = 1 << (context.pointer_width - 1)
    return 0 < known < half if operator == "-" else known < 0 or known >= half


def note_members(context: Context, record: Record) -> None:
    """A member of it is used: what one member of a union in it has put there, another one may see."""
    if record in context.seen_records or record.size < 0:
        return
    context.seen_records.add(record)
    if record.is_union:
        _note_layouts(context, [_layout(context, field.type) for field in record.fields])
    for field in record.fields:
        inner = field.type
        while isinstance(inner, Array):
            inner = inner.element
        if isinstance(inner, Record):
            note_members(context, inner)


def note_function(context: Context, symbol: FunctionSymbol, declared: CType) -> None:
    """A use of its name, with the type that it has there."""
    if isinstance(declared, Function) and declared is not symbol.type:
        _note(context, signature(symbol.type), signature(declared))


def note_untyped(context: Context, type_: CType) -> None:
    """A value of this type is put where types do not tell what it is, and may be taken from there as anything."""
    for _, kind in _layout(context, type_):
        _note(context, kind, _ANYTHING)
        _note(context, _ANYTHING, kind)


def excluded_callees(context: Context) -> dict[Origin, frozenset[str]]:
    """The functions that each call does not mean if its pointer comes from outside; this is noted."""
    found = {}
    taken = [(symbol.name, _reached(context, signature(symbol.type))) for symbol in context.symbols.address_taken]
    for origin, called in context.pointer_calls.items():
        excluded = frozenset(name for name, kinds_ in taken if _ANYTHING not in called and kinds_.isdisjoint(called))
        if excluded:
            found[origin] = excluded
            context.note("function pointer", _ASSUMED, origin)
    return found


def _reached(context: Context, kind: Signature) -> set[Signature]:
    """As what a pointer to such a function may be called."""
    if kind == _ANYTHING:
        return {called for kinds_ in context.pointer_calls.values() for called in kinds_}
    found, waiting = {kind}, [kind]
    while waiting:
        for after in context.function_conversions.get(waiting.pop(), ()):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def _note(context: Context, before: Signature, after: Signature) -> None:
    if before != after:
        context.function_conversions.setdefault(before, set()).add(after)


def _passed(type_: CType) -> object:
    """How an argument is passed: small integers as `int`."""
    if not isinstance(type_, Scalar):
        return str(type_)
    sort = type_.sort
    return bitvec(_INT) if isinstance(sort, BitVec) and sort.width < _INT else sort


def _function(type_: CType) -> Function | None:
    target = type_.target if isinstance(type_, Pointer) else type_
    return target if isinstance(target, Function) else None


def _kind(function: Function | None) -> Signature:
    return signature(function) if function is not None else _ANYTHING


def _is_known(type_: CType) -> bool:
    """Does a pointer to it say what lies there?"""
    return not isinstance(type_, Void) and type_.size >= 0 and not (isinstance(type_, Int) and type_.width == 8)


def _note_layouts(context: Context, layouts: Iterable[_Layout]) -> None:
    """The same memory is seen in all these ways."""
    known = set(layouts)
    if len(known) > 1:
        for kind in {kind for layout in known for _, kind in layout}:
            _note(context, kind, _ANYTHING)
            _note(context, _ANYTHING, kind)


def _within(bits: int, layout: _Layout) -> _Layout:
    return tuple((offset, kind) for offset, kind in layout if offset < bits)


def _layout(context: Context, type_: CType) -> _Layout:
    """Where pointers to functions lie in it, and to which ones; of an array, in its first element."""
    known = context.layouts.get(type_)
    if known is None:
        found: _Layout = ()
        if isinstance(type_, Array):
            found = _layout(context, type_.element)
        elif isinstance(type_, Record) and type_.size >= 0:
            inner = ((field.offset, _layout(context, field.type)) for field in type_.fields)
            found = tuple((offset + distance, kind) for offset, layout in inner for distance, kind in layout)
        elif (function := _function(type_)) is not None:
            found = ((0, signature(function)),)
        known = context.layouts[type_] = found
    return known
