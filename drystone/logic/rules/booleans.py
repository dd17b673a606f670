"""Rules for `not`, `and`, `or`, `ite`."""

from __future__ import annotations

from collections.abc import Callable

from drystone.logic.sorts import BOOL, Bool, Sort
from drystone.logic.terms import FALSE, RULES, TRUE, Term, intern, make, negate


def _not(sort: Sort, a: Term) -> Term | None:
    return a.arguments[0] if a.operator == "not" else None


def _connective(operator: str, dual: str, neutral: Term, absorbing: Term) -> Callable[[Sort, Term, Term], Term | None]:
    """The rule of `and`; with everything exchanged, of `or`."""

    def rule(sort: Sort, a: Term, b: Term) -> Term | None:
        if a is neutral or a is b:
            return b
        if b is neutral:
            return a
        if a is absorbing or b is absorbing:
            return absorbing
        kind_a, kind_b = a.operator, b.operator
        if (kind_a == "not" and a.arguments[0] is b) or (kind_b == "not" and b.arguments[0] is a):
            return absorbing
        if kind_b in _NESTING:
            absorbed = absorb(a, b)
            if absorbed is not None:
                return absorbed
        if kind_a in _NESTING:
            absorbed = absorb(b, a)
            if absorbed is not None:
                return absorbed
            if kind_a == dual == kind_b:
                shared = _all_but_one(a, b)
                if shared is not None:
                    return shared
        if b.hash < a.hash:
            return intern(operator, BOOL, (b, a))
        return None

    def absorb(a: Term, b: Term) -> Term | None:
        """For `and`: a ∧ b where b is a conjunction, a disjunction, or the negation of one that speaks about a."""
        if b.operator == operator:
            x, y = b.arguments
            if a is x or a is y:  # a ∧ (a ∧ y)
                return b
            return absorbing if _opposite(a, x) or _opposite(a, y) else None  # a ∧ (¬a ∧ y)
        if b.operator == dual:
            x, y = b.arguments
            if a is x or a is y:  # a ∧ (a ∨ y)
                return a
            if _opposite(a, x):  # a ∧ (¬a ∨ y)
                return make(operator, BOOL, a, y)
            return make(operator, BOOL, a, x) if _opposite(a, y) else None
        inner = b.arguments[0]
        if inner.operator == operator:
            x, y = inner.arguments
            if a is x:  # a ∧ ¬(a ∧ y)
                return make(operator, BOOL, a, negate(y))
            if a is y:
                return make(operator, BOOL, a, negate(x))
            return a if _opposite(a, x) or _opposite(a, y) else None  # a ∧ ¬(¬a ∧ y)
        if inner.operator == dual:
            x, y = inner.arguments
            if a is x or a is y:  # a ∧ ¬(a ∨ y)
                return absorbing
            if _opposite(a, x) or _opposite(a, y):  # a ∧ ¬(¬a ∨ y)
                return b
        return None

    return rule


_NESTING = frozenset(("and", "or", "not"))


def _all_but_one(a: Term, b: Term) -> Term | None:
    """(x ∧ y) ∨ (x ∧ ¬y) is x: the guard where two branches meet again."""
    x, y = a.arguments
    u, v = b.arguments
    if x is u:
        return x if _opposite(y, v) else None
    if x is v:
        return x if _opposite(y, u) else None
    if y is u:
        return y if _opposite(x, v) else None
    if y is v:
        return y if _opposite(x, u) else None
    return None


def _opposite(a: Term, b: Term) -> bool:
    return (a.operator == "not" and a.arguments[0] is b) or (b.operator == "not" and b.arguments[0] is a)


def _ite(sort: Sort, c: Term, a: Term, b: Term) -> Term | None:
    if c.operator == "const":
        return a if c.payload else b
    if a is b:
        return a
    if c.operator == "not":
        return make("ite", sort, c.arguments[0], b, a)
    if a.operator == "ite" and a.arguments[0] is c:
        return make("ite", sort, c, a.arguments[1], b)
    if b.operator == "ite" and b.arguments[0] is c:
        return make("ite", sort, c, a, b.arguments[2])
    if type(sort) is Bool:
        return _boolean_ite(c, a, b)
    if b.operator == "ite":
        d, x, y = b.arguments
        if x is a:  # c ? a : d ? a : y
            return make("ite", sort, make("or", BOOL, c, d), a, y)
        if y is a:  # c ? a : d ? x : a
            return make("ite", sort, make("or", BOOL, c, negate(d)), a, x)
    if a.operator == "ite":
        d, x, y = a.arguments
        if y is b:  # c ? (d ? x : b) : b
            return make("ite", sort, make("and", BOOL, c, d), x, b)
        if x is b:  # c ? (d ? b : y) : b
            return make("ite", sort, make("and", BOOL, c, negate(d)), y, b)
    return None


def _boolean_ite(c: Term, a: Term, b: Term) -> Term | None:
    if a is TRUE or a is c:
        return make("or", BOOL, c, b)
    if b is FALSE or b is c:
        return make("and", BOOL, c, a)
    if a is FALSE or _opposite(a, c):
        return make("and", BOOL, negate(c), b)
    if b is TRUE or _opposite(b, c):
        return make("or", BOOL, negate(c), a)
    return make("=", BOOL, c, a) if _opposite(a, b) else None


RULES["not"] = _not
RULES["and"] = _connective("and", "or", TRUE, FALSE)
RULES["or"] = _connective("or", "and", FALSE, TRUE)
RULES["ite"] = _ite
