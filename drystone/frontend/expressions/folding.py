"""Might gcc compute a value without some operand, so that what is in the operand need not trap? And which operands may trap?"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.kinds import COMPARISONS
from drystone.frontend.clang.nodes import PURE, Node
from drystone.frontend.clang.shapes import strip
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.types import CType
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.conversions import is_signed


class Folding:
    """Looks at the expressions of one function or initialiser."""

    def __init__(self, builder: Builder, unit: Unit, type_of: Callable[[Node], CType]) -> None:
        self._builder = builder
        self._unit = unit
        self._type_of = type_of
        self._divisions: dict[int, bool] = {}  # which parts of expressions divide

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
        """May it be evaluated where the program would not? A division that traps may not."""
        return node.effects == PURE and (self._builder.word is None or not self._divides(node))

    def _divides(self, node: Node) -> bool:
        """Is there a division in it? Found for all parts at once: expressions may be deep."""
        known = self._divisions
        if id(node) not in known:
            parts, position = [node], 0
            while position < len(parts):
                parts += [child for child in parts[position].children if id(child) not in known]
                position += 1
            for part in reversed(parts):
                known[id(part)] = part.operator in ("/", "%") or any(known[id(child)] for child in part.children)
        return known[id(node)]
