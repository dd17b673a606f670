"""Integer terms as sums of multiples."""

from __future__ import annotations

import msgspec

from drystone.logic import semantics
from drystone.logic.terms import Term


class Sum(msgspec.Struct, frozen=True):
    """Σ factor · term + constant, modulo 2^width; factors and the constant as signed numbers, factors not zero."""

    parts: tuple[tuple[Term, int], ...]
    constant: int


def linear(term: Term) -> Sum:
    """The term as a sum."""
    width = term.sort.width  # type: ignore[union-attr]
    factors: dict[Term, int] = {}
    constant = 0
    waiting = [(term, 1)]
    while waiting:
        node, factor = waiting.pop()
        match node.operator, node.arguments:
            case "const", _:
                constant += factor * node.payload
            case "bvadd", (a, b):
                waiting += [(b, factor), (a, factor)]
            case "bvsub", (a, b):
                waiting += [(b, -factor), (a, factor)]
            case "bvneg", (a,):
                waiting.append((a, -factor))
            case "bvmul" | "scale", (a, b) if "const" in (a.operator, b.operator):
                number, other = (a, b) if a.operator == "const" else (b, a)
                waiting.append((other, factor * number.payload))
            case _:
                factors[node] = factors.get(node, 0) + factor
    parts = tuple((node, reduced) for node, factor in factors.items() if (reduced := semantics.signed(factor, width)))
    return Sum(parts, semantics.signed(constant, width))
