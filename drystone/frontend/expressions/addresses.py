"""Comparisons of addresses whose outcome C leaves open.

A pointer behind the end of one object may or may not equal the address of the next one (C17 6.5.9). In drystone's memory no
object begins where another one ends. So where this is asked, the answer is an input of the implementation: a proof holds for both
answers, a counterexample must not depend on it. Whether string literals are one object is not specified either (C17 6.4.5): here
those are found that are written several times; they get an object each, and `memory.sharing` says which may be one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import direct_callee, strip
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.types import Array, CType, Pointer, Record
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import resize
from drystone.frontend.lowering.lowering import Lowering
from drystone.frontend.source_text.literals import string_bytes
from drystone.ir import names
from drystone.ir.automaton import MemoryObject, ObjectKind
from drystone.ir.expressions import FALSE, TRUE, Address, Apply, Constant, Expression
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL

_MOST = 16  # objects that one comparison looks at

_MOVES = frozenset(("+", "-", "+=", "-=", "++", "--", "post++", "post--"))

_ONLY_READ = frozenset(
    "printf fprintf sprintf snprintf dprintf puts fputs perror strcmp strncmp strcasecmp strlen memcmp strcpy strncpy strcat "
    "memcpy memmove __assert_fail __assert __VERIFIER_assert fopen".split()
)
"""Functions that do not hand on the address of a literal that they are given."""

_GIVE_ENDS = frozenset(
    "mempcpy wmempcpy stpcpy stpncpy wcpcpy wcpncpy strtol strtoul strtoll strtoull strtod strtof strtold rawmemchr".split()
)
"""Functions that give pointers that may be behind the end of an object."""


def find_open(context: Context) -> None:
    """Enters into the context what makes comparisons open: literals that are written several times, pointers that are moved."""
    counted: Counter[bytes] = Counter()
    own = [symbol for symbol in context.symbols.functions.values() if symbol.definition is not None and not symbol.unit.is_model]
    only_read = _ONLY_READ.difference(names.spelled(symbol.name) for symbol in own)
    roots = [(symbol.unit, symbol.tree) for symbol in context.symbols.functions.values()]
    roots += [(symbol.unit, symbol.initialiser) for symbol in context.symbols.globals.values()]
    for unit, root in roots:
        if root is not None and not unit.is_model:
            counted.update(_literals(unit, root, context.moved_pointers, only_read))
    context.repeated_literals.update(content for content, count in counted.items() if count > 1)


def _literals(unit: Unit, root: Node, moved: set[str], only_read: frozenset[str]) -> Iterator[bytes]:
    """The contents of the string literals whose addresses the program may compare."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.kind == kinds.STRING_LITERAL:
            type_ = unit.types.of(node.cursor)
            if isinstance(type_, Array):
                yield string_bytes(spelling(node.cursor), type_.element.size, max(type_.count, 0))
            continue
        if _moves(node) and isinstance(pointer := unit.types.of(node.cursor), Pointer):
            moved.add(_plain(pointer.target))
        children = node.children
        if node.kind == kinds.CALL_EXPR and (callee := direct_callee(node)) is not None:
            name = spelling(callee.cursor).removeprefix("__builtin_")
            if name in only_read:
                children = [child for child in children if not _is_literal(child)]
            if name in _GIVE_ENDS:
                moved.add("void")
        stack.extend(children)


def _moves(node: Node) -> bool:
    """May its value be a pointer behind the end of an object?"""
    if node.operator == "&" and node.kind == kinds.UNARY_OPERATOR:
        return strip(node.children[0]).kind == kinds.ARRAY_SUBSCRIPT
    return node.operator in _MOVES


def _plain(type_: CType) -> str:
    return " ".join(word for word in str(type_).split() if word not in ("const", "volatile", "restrict"))


def _is_literal(node: Node) -> bool:
    while node.kind in (kinds.UNEXPOSED_EXPR, kinds.PAREN_EXPR, kinds.CAST_EXPR) and len(node.children) == 1:
        node = node.children[0]
    return node.kind == kinds.STRING_LITERAL


def as_pointers(*values: Expression) -> list[Expression]:
    """Not as numbers: C does not ask for the order or the distance of pointers to different objects, or after an object's end."""
    if any(isinstance(value, Constant) for value in values):
        return list(values)
    return [value if isinstance(value, Address) else make("pointer", value.sort, value) for value in values]


def equal(lowering: Lowering, a: Expression, b: Expression, target: CType, are_numbers: bool = False) -> Expression:
    """`a == b` for pointers to `target`, also as numbers."""
    a, b = (resize(value, lowering.context.pointer_width, False) for value in (a, b))  # wider as numbers
    plain = make("=", BOOL, a, b)
    if isinstance(a, Constant) or isinstance(b, Constant):
        return plain
    known = _base(a), _base(b)
    if not are_numbers and not isinstance(plain, Constant):
        plain = make("=", BOOL, *as_pointers(a, b))
    if any(each is not None and _object(lowering, each[0]) is None for each in known):
        return plain  # a function, or an object that is not known yet
    if known[0] is None:
        a = lowering.builder.keep(a)
    if known[1] is None:
        b = lowering.builder.keep(b)
    pointers = [pointer for pointer, base in zip((a, b), known, strict=True) if base is None]
    for what, may_be_one in (
        ("adjacent objects", _adjacent(lowering, a, b, target)),
        ("the place of an object that has ended", _any(lowering, (_has_ended(lowering, pointer) for pointer in pointers))),
    ):
        if may_be_one != FALSE:
            plain = make("or", BOOL, plain, make("and", BOOL, may_be_one, lowering.environment.approximated(BOOL, what)))
    return plain


def _adjacent(lowering: Lowering, a: Expression, b: Expression, target: CType) -> Expression:
    """Is one of the pointers behind the end of an object in which the other one is not?"""
    known = _base(a), _base(b)
    if known[0] is not None and known[1] is not None:
        return TRUE if _touch(lowering, known[0], known[1]) or _touch(lowering, known[1], known[0]) else FALSE
    for other, base in ((b, known[0]), (a, known[1])):
        if base is not None:
            behind, object_ = base[1], _object(lowering, base[0])
            if object_ is not None and behind == object_.size and behind > 0:
                return negate(_within(lowering, other, object_))
            if behind != 0:
                return FALSE  # inside of an object: nothing ends there
    if not _may_be_behind(lowering.context, target):
        return FALSE
    arrays = _arrays(lowering, target)
    if len(arrays) > _MOST:
        lowering.context.note("address order", "no object begins where another one ends", lowering.builder.origin)
        return FALSE
    pairs = [(one, other) for one, other, base in ((a, b, known[0]), (b, a, known[1])) if base is None]
    return _any(
        lowering,
        (
            make("and", BOOL, _is_end(lowering, one, array), negate(_within(lowering, other, array)))
            for array in arrays
            for one, other in pairs
            if (known_other := _base(other)) is None or known_other[0] != array.name
        ),
    )


def _has_ended(lowering: Lowering, pointer: Expression) -> Expression:
    """Does it lead to a block that was given back, or to a variable that has ended, where another object may lie by now? The
    table of what lives where tells, if there is one; where there is none, proofs are for any addresses (`memory.pointers`)."""
    extents = lowering.builder.extents
    if extents is None or lowering.unit.is_model:
        return FALSE
    from drystone.checks.lifetimes import is_in_frames, is_in_heap, is_nothing

    slot = make("slot", pointer.sort, pointer)
    is_own = make("or", BOOL, is_in_heap(slot, extents.slots), is_in_frames(slot, extents.slots))
    return make("and", BOOL, is_own, is_nothing(lowering.builder.keep(extents.of(pointer))))


def _may_be_behind(context: Context, target: CType) -> bool:
    """May a pointer to `target` be behind the end of an object? One to a scalar may be any pointer that is moved, cast."""
    moved = context.moved_pointers
    return bool(moved) if not isinstance(target, Record) else not moved.isdisjoint((_plain(target), "void"))


def _touch(lowering: Lowering, first: tuple[str, int], second: tuple[str, int]) -> bool:
    object_ = _object(lowering, first[0])
    return object_ is not None and first[0] != second[0] and first[1] == object_.size and second[1] == 0


def _arrays(lowering: Lowering, target: CType) -> list[MemoryObject]:
    """The arrays in sight that pointers to `target` may run through."""
    size = max(target.size, 1)
    found = [*lowering.builder.objects.values(), *lowering.context.objects.values()]
    return [
        each
        for each in found
        if (each.kind is ObjectKind.LITERAL or (each.kind in (ObjectKind.LOCAL, ObjectKind.GLOBAL) and "]" in each.ctype))
        and each.size % size == 0
        and each.size > 0
    ]


def _within(lowering: Lowering, pointer: Expression, object_: MemoryObject) -> Expression:
    """Does it point into the object, or just behind it?"""
    base = _base(pointer)
    if base is not None:
        return TRUE if base[0] == object_.name else FALSE
    start, end = _ends(lowering, object_)
    where = _position(pointer)
    return make("and", BOOL, make("bvule", BOOL, start, where), make("bvule", BOOL, where, end))


def _is_end(lowering: Lowering, pointer: Expression, object_: MemoryObject) -> Expression:
    return make("=", BOOL, _position(pointer), _ends(lowering, object_)[1])


def _ends(lowering: Lowering, object_: MemoryObject) -> tuple[Expression, Expression]:
    start = Address(object_.name, lowering.context.pointer)
    return _position(start), _position(lowering.memory.offset(start, object_.size))


def _position(pointer: Expression) -> Expression:
    """For questions that the program does not ask: they expose no object, and no pointer becomes another one by them. What the
    program learns is whether two pointers are equal, which `a == b` asks itself."""
    return make("position", pointer.sort, pointer)


def _object(lowering: Lowering, name: str) -> MemoryObject | None:
    return lowering.builder.objects.get(name) or lowering.context.objects.get(name)


def _base(value: Expression) -> tuple[str, int] | None:
    """Object and distance, of an address that is known."""
    if isinstance(value, Address):
        return value.target, 0
    if isinstance(value, Apply) and value.operator == "bvadd":
        first, second = value.arguments
        if isinstance(first, Address) and isinstance(second, Constant):
            return first.target, second.value
    return None


def _any(lowering: Lowering, conditions: Iterable[Expression]) -> Expression:
    result: Expression = FALSE
    for condition in conditions:
        result = lowering.builder.shallow(make("or", BOOL, result, condition))
    return result
