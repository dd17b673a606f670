"""Laws of operators: what follows from their meaning (`semantics`), and both rewriters rely on.

There are two of these, since they have different normal forms: the one of expressions (`ir.simplify`) keeps a program as it was
written, the one of terms (`logic.rules`) makes what is equal the same term, wherever it comes from.

A constant stands for one of each width, its low bits: -1 has all bits set. Tests derive every law from the meaning.
"""

from __future__ import annotations

from typing import NamedTuple

EXTENSIONS = frozenset(("zero_extend", "sign_extend"))
"""Injective, and of the low bits of the result all are those of the operand."""

LOW_BITS = frozenset(("bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvneg", "bvnot"))
"""The low bits of the result depend on the low bits of the operands only."""


class Law(NamedTuple):
    """Of an operator on bit-vectors that is commutative and associative."""

    neutral: int  # a op neutral = a
    absorbing: int | None = None  # a op absorbing = absorbing
    same: int | None = None  # a op a = same
    is_idempotent: bool = False  # a op a = a


LAWS = {
    "bvadd": Law(0),
    "bvmul": Law(1, absorbing=0),
    "bvand": Law(-1, absorbing=0, is_idempotent=True),
    "bvor": Law(0, absorbing=-1, is_idempotent=True),
    "bvxor": Law(0, same=0),
}
