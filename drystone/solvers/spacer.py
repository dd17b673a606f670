"""Horn clauses by Spacer, a part of z3 (Komuravelli, Gurfinkel, Chaki 2014): formulas for relations along a path.

Spacer was made for linear arithmetic. Of bit-vectors it finds equalities and bounds that the clauses mention; where these do not
suffice, it goes through values or single bits, or does not answer within its limits.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_void_p
from typing import Any

import z3

from drystone.base import clock
from drystone.logic import terms
from drystone.logic.sorts import BOOL, Sort, bitvec
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.logic.translation import Unsupported
from drystone.solvers.clauses import Clause
from drystone.solvers.z3 import Z3Solver
from drystone.solvers.z3_library import Z3Error, is_in_library

_LONG = 1e6  # seconds, for no limit


def solve(clauses: Sequence[Clause], effort: int, limit_seconds: float) -> list[list[Term]] | None:
    """See `horn.interpolants`."""
    if not is_in_library(z3.z3core.Z3_mk_not.__defaults__[0].f):
        return None  # the package has found another libz3, to which our terms mean nothing
    try:
        with _silence():
            return _Clauses().solve(clauses, effort, limit_seconds)
    except (Unsupported, Z3Error, z3.Z3Exception):
        return None  # so it also tells that a limit was reached


@contextmanager
def _silence() -> Iterator[None]:
    """Where lemmas about bit-vectors are simplified to other ones, Spacer stops with a long text on standard error."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


class _Clauses(Z3Solver):
    """Clauses in a context of their own."""

    def __init__(self) -> None:
        self._context = z3.Context()
        super().__init__(context=self._context.ref())

    def solve(self, clauses: Sequence[Clause], effort: int, limit_seconds: float) -> list[list[Term]] | None:
        engine = z3.Fixedpoint(ctx=self._context)
        engine.set(engine="spacer", rlimit=effort)
        if clock.effort(limit_seconds) is None:
            engine.set(timeout=max(1, int(min(limit_seconds, _LONG) * 1000)))
        engine.set("xform.slice", False, "xform.inline_eager", False, "xform.inline_linear", False)  # the relations stay
        symbols = [list(clause.values) for clause in clauses[:-1]]
        used = [term for clause in clauses for term in (*clause.terms(), *clause.values)]
        for symbol in terms.free_symbols(used):
            engine.declare_var(self._z3(symbol))
        relations = [self._relation(engine, f"relation {number}", each) for number, each in enumerate((*symbols, []))]
        for number, clause in enumerate(clauses):
            body = [self._z3(clause.guard)]
            if number:
                body.append(relations[number - 1](*map(self._z3, symbols[number - 1])))
            engine.rule(relations[number](*map(self._z3, clause.values.values())), body)
        if engine.query(relations[-1]()) != z3.unsat:
            return None
        solved = zip(relations, symbols, strict=False)  # but for the last one, the end of the path: false
        return [_conjuncts(engine.get_cover_delta(-1, relation), arguments) for relation, arguments in solved]

    def _relation(self, engine: Any, name: str, arguments: Sequence[Term]) -> Any:
        sorts = [self._z3(symbol).sort() for symbol in arguments]
        relation = z3.Function(name, *sorts, z3.BoolSort(self._context))
        engine.register_relation(relation)
        return relation

    def _z3(self, term: Term) -> Any:
        return z3.z3._to_expr_ref(z3.Ast.from_buffer_copy(c_void_p(self.translate(term))), self._context)


def _conjuncts(formula: Any, symbols: Sequence[Term]) -> list[Term]:
    found: dict[Term, None] = {}
    for part in formula.children() if z3.is_and(formula) else [formula]:
        try:
            found.update(dict.fromkeys(terms.conjuncts(_term(part, symbols))))
        except Unsupported:
            continue
    found.pop(TRUE, None)
    return [FALSE] if FALSE in found else list(found)


# from z3's terms


def _term(formula: Any, symbols: Sequence[Term]) -> Term:
    """The formula in terms, variable n as the n-th symbol."""
    known: dict[int, Term] = {}
    stack: list[Any] = [formula]
    while stack:
        node = stack[-1]
        if node.get_id() in known:
            stack.pop()
            continue
        parts = [] if z3.is_var(node) or z3.is_quantifier(node) else node.children()
        missing = [part for part in parts if part.get_id() not in known]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        known[node.get_id()] = _node(node, [known[part.get_id()] for part in parts], symbols)
    return known[int(formula.get_id())]


def _node(node: Any, parts: list[Term], symbols: Sequence[Term]) -> Term:
    if z3.is_var(node):
        return symbols[int(z3.get_var_index(node))]
    if z3.is_bv_value(node):
        return terms.constant(bitvec(node.size()), node.as_long())
    if z3.is_true(node) or z3.is_false(node):
        return TRUE if z3.is_true(node) else FALSE
    build = _BUILD.get(node.decl().kind()) if z3.is_app(node) else None
    if build is None:
        raise Unsupported(str(node.decl()) if z3.is_app(node) else "a quantifier")
    return build(node, parts)


_Build = Callable[[Any, list[Term]], Term]


def _sort(node: Any) -> Sort:
    return BOOL if z3.is_bool(node) else bitvec(node.size())


def _chain(operator: str) -> _Build:
    """Of any number of arguments."""

    def build(node: Any, parts: list[Term]) -> Term:
        result = parts[0]
        for part in parts[1:]:
            result = terms.make(operator, result.sort, result, part)
        return result

    return build


def _plain(operator: str) -> _Build:
    return lambda node, parts: terms.make(operator, _sort(node), *parts)


def _swapped(operator: str) -> _Build:
    return lambda node, parts: terms.make(operator, BOOL, parts[1], parts[0])


def _concat(node: Any, parts: list[Term]) -> Term:
    result = parts[0]
    for part in parts[1:]:
        result = terms.concat(result, part)
    return result


def _extension(signed: bool) -> _Build:
    return lambda node, parts: terms.resize(parts[0], node.size(), signed)


def _distinct(node: Any, parts: list[Term]) -> Term:
    pairs = ((a, b) for number, a in enumerate(parts) for b in parts[:number])
    return terms.conjunction(terms.negate(terms.equal(a, b)) for a, b in pairs)


def _comparison_as_bit(node: Any, parts: list[Term]) -> Term:
    return terms.ite(terms.equal(*parts), terms.constant(bitvec(1), 1), terms.constant(bitvec(1), 0))


def _bit_as_condition(node: Any, parts: list[Term]) -> Term:
    (position,) = node.params()
    return terms.equal(terms.extract(parts[0], position, position), terms.constant(bitvec(1), 1))


_BUILD: dict[int, _Build] = {
    z3.Z3_OP_AND: lambda node, parts: terms.conjunction(parts),
    z3.Z3_OP_OR: lambda node, parts: terms.disjunction(parts),
    z3.Z3_OP_NOT: lambda node, parts: terms.negate(parts[0]),
    z3.Z3_OP_IMPLIES: lambda node, parts: terms.implies(*parts),
    z3.Z3_OP_ITE: lambda node, parts: terms.ite(*parts),
    z3.Z3_OP_EQ: lambda node, parts: terms.equal(*parts),
    z3.Z3_OP_IFF: lambda node, parts: terms.equal(*parts),
    z3.Z3_OP_XOR: lambda node, parts: terms.negate(terms.equal(*parts)),
    z3.Z3_OP_DISTINCT: _distinct,
    z3.Z3_OP_BADD: _chain("bvadd"),
    z3.Z3_OP_BSUB: _chain("bvsub"),
    z3.Z3_OP_BMUL: _chain("bvmul"),
    z3.Z3_OP_BAND: _chain("bvand"),
    z3.Z3_OP_BOR: _chain("bvor"),
    z3.Z3_OP_BXOR: _chain("bvxor"),
    z3.Z3_OP_BNEG: _plain("bvneg"),
    z3.Z3_OP_BNOT: _plain("bvnot"),
    z3.Z3_OP_BUDIV: _plain("bvudiv"),
    z3.Z3_OP_BUREM: _plain("bvurem"),
    z3.Z3_OP_BSDIV: _plain("bvsdiv"),
    z3.Z3_OP_BSREM: _plain("bvsrem"),
    z3.Z3_OP_BUDIV_I: _plain("bvudiv"),
    z3.Z3_OP_BUREM_I: _plain("bvurem"),
    z3.Z3_OP_BSDIV_I: _plain("bvsdiv"),
    z3.Z3_OP_BSREM_I: _plain("bvsrem"),
    z3.Z3_OP_BSHL: _plain("bvshl"),
    z3.Z3_OP_BLSHR: _plain("bvlshr"),
    z3.Z3_OP_BASHR: _plain("bvashr"),
    z3.Z3_OP_ULT: _plain("bvult"),
    z3.Z3_OP_ULEQ: _plain("bvule"),
    z3.Z3_OP_SLT: _plain("bvslt"),
    z3.Z3_OP_SLEQ: _plain("bvsle"),
    z3.Z3_OP_UGT: _swapped("bvult"),
    z3.Z3_OP_UGEQ: _swapped("bvule"),
    z3.Z3_OP_SGT: _swapped("bvslt"),
    z3.Z3_OP_SGEQ: _swapped("bvsle"),
    z3.Z3_OP_CONCAT: _concat,
    z3.Z3_OP_EXTRACT: lambda node, parts: terms.extract(parts[0], *node.params()),
    z3.Z3_OP_ZERO_EXT: _extension(False),
    z3.Z3_OP_SIGN_EXT: _extension(True),
    z3.Z3_OP_BCOMP: _comparison_as_bit,
    z3.Z3_OP_BIT2BOOL: _bit_as_condition,
}
