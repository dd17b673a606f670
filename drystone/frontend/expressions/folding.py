"""Might gcc compute a value without some operand, so that what is in the operand need not trap? And which operands may trap?"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext

from drystone.checks.registry import MEMORY, UNINITIALISED
from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.kinds import COMPARISONS, STEPS
from drystone.frontend.clang.nodes import PURE, Node
from drystone.frontend.clang.shapes import strip
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.types import CType, Pointer
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.conversions import is_signed


class Folding:
    """Looks at the expressions of one function or initialiser."""

    def __init__(self, builder: Builder, unit: Unit, type_of: Callable[[Node], CType], checks: Collection[str]) -> None:
        self._checks = checks
        self._builder = builder
        self._unit = unit
        self._type_of = type_of
        self._divisions: dict[int, bool] = {}  # which parts of expressions divide
        self._failing: dict[int, bool] = {}  # in which parts checks may find something

    def around(self, node: Node) -> AbstractContextManager[None]:
        """While this expression is lowered: might gcc compute its value without some operand (`0 * x`, `x - x`), so that what is
        in it need not trap?"""
        if self._builder.word is None or node.kind != kinds.BINARY_OPERATOR or node.operator in ("=", ","):
            return nullcontext()
        if not self._divides(node):
            return nullcontext()
        left, right = (strip(child) for child in node.children)
        looked_at = (left,) if node.operator in ("/", "%") else (left, right)
        known = [value for operand in looked_at if isinstance(value := evaluate(operand.cursor), int)]
        if node.operator in COMPARISONS:
            decides = bool(known) and not (is_signed(self._type_of(left)) and abs(known[0]) < 1 << 31)  # what is beyond the range
        else:
            decides = any(value in (-1, 0, 1) for value in known)
        if decides or self._unit.clang.tokens.of(left.cursor) == self._unit.clang.tokens.of(right.cursor):
            return self._builder.folding()
        return nullcontext()

    def is_harmless(self, node: Node) -> bool:
        """May it be evaluated where the program would not? A division that traps may not, and what is checked may not."""
        return node.effects == PURE and (self._builder.word is None or not self._divides(node)) and not self.may_fail(node)

    def may_fail(self, node: Node) -> bool:
        """Might a check find something in it?"""
        return bool(self._checks) and self._has(node, lambda part: may_fail(part, self._checks, self._type_of), self._failing)

    def _divides(self, node: Node) -> bool:
        """Is there a division in it?"""
        return self._has(node, lambda part: part.operator in ("/", "%"), self._divisions)

    def _has(self, node: Node, is_meant: Callable[[Node], bool], known: dict[int, bool]) -> bool:
        """Is one of its parts meant? Found for all parts at once: expressions may be deep."""
        if id(node) not in known:
            parts, position = [node], 0
            while position < len(parts):
                parts += [child for child in parts[position].children if id(child) not in known]
                position += 1
            for part in reversed(parts):
                known[id(part)] = is_meant(part) or any(known[id(child)] for child in part.children)
        return known[id(node)]


_MEMORY = frozenset(MEMORY)
_PLACES = frozenset((kinds.DECL_REF_EXPR, kinds.MEMBER_REF_EXPR))
_CHECKED = frozenset(("+", "-", "*", "/", "%", "<<", ">>"))


def may_fail(node: Node, checks: Collection[str], type_of: Callable[[Node], CType]) -> bool:
    """Might one of the checks find something in the operation itself?"""
    if not _MEMORY.isdisjoint(checks) and is_access(node, type_of):
        return True
    if UNINITIALISED in checks and node.kind in _PLACES:
        return True
    if _MEMORY.issuperset(checks):
        return False
    return is_operation(node) or ("conversion" in checks and node.kind in (kinds.UNEXPOSED_EXPR, kinds.CAST_EXPR))


def is_access(node: Node, type_of: Callable[[Node], CType]) -> bool:
    """Does it go through a pointer or an index, or move a pointer?"""
    if node.kind == kinds.UNARY_OPERATOR:
        return node.operator == "*" or (node.operator in STEPS and isinstance(type_of(node), Pointer))
    if node.kind in (kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGN):
        return node.operator in ("+", "-", "+=", "-=") and isinstance(type_of(node), Pointer)
    if node.kind == kinds.MEMBER_REF_EXPR:
        return bool(node.children) and isinstance(type_of(node.children[0]), Pointer)
    return node.kind == kinds.ARRAY_SUBSCRIPT


def is_operation(node: Node) -> bool:
    """Does it compute a number of which C may leave the result undefined?"""
    if node.kind == kinds.BINARY_OPERATOR:
        return node.operator in _CHECKED
    if node.kind == kinds.UNARY_OPERATOR:
        return node.operator == "-" or node.operator in STEPS
    return node.kind == kinds.COMPOUND_ASSIGN and node.operator[:-1] in _CHECKED
