"""What the laws of rings contradict has no model; and they decide what no circuit would."""

from __future__ import annotations

import pytest

from drystone.logic import terms
from drystone.logic.sorts import BOOL, Array, bitvec
from drystone.logic.terms import Term, constant, equal, ite, make, resize, select, store
from drystone.solvers import Answer, Solver, make_solver
from drystone.solvers.products import Products
from tests.logic.test_implicants import Generator

_BITS = 64
_SORT = bitvec(_BITS)


def _new() -> Solver:
    return make_solver("bitwuzla")


class _Multiplying(Generator):
    """With products everywhere, and some of the equations that programs have."""

    def number(self, depth: int) -> Term:
        if depth > 0 and self.random.random() < 0.5:
            sort = self.variables[0].sort
            operator = self.random.choice(["bvmul", "bvmul", "bvadd", "bvsub", "bvsdiv", "bvurem", "shift", "extend"])
            if operator == "shift":
                by = constant(sort, self.random.choice([1, 1, 2, 3, 7, 15]))
                return make(self.random.choice(["bvlshr", "bvashr", "bvand", "bvshl"]), sort, self.number(depth - 1), by)
            if operator == "extend":
                part = resize(self.number(depth - 1), 2)
                part = make(self.random.choice(["bvmul", "bvadd"]), part.sort, part, resize(self.number(depth - 1), 2))
                return resize(part, sort.width, signed=self.random.random() < 0.5)  # type: ignore[union-attr]
            return make(operator, sort, self.number(depth - 1), self.number(depth - 1))
        return super().number(depth)

    def formula(self, depth: int) -> Term:
        if self.random.random() < 0.4:
            left, right = self.number(2), self.number(2)
            return equal(left, right) if self.random.random() < 0.7 else terms.negate(equal(left, right))
        return super().formula(depth)


@pytest.mark.parametrize("seed", range(30))
def test_contradictions_and_what_is_learned_are_true(seed: int) -> None:
    generator = _Multiplying(seed)
    products = Products(_new)
    for _ in range(12):
        asserted = [generator.formula(2) for _ in range(2)]
        assumed = list(dict.fromkeys(generator.formula(2) for _ in range(4)))
        core = products.contradiction(asserted, assumed, 1.0)
        if core is not None:
            assert set(core) <= set(assumed)
            plain = _new()
            assert plain.check([*asserted, *core]) is Answer.UNSAT
    _are_true(products)


def _are_true(products: Products) -> None:
    meant = [equal(symbol, make("bvmul", symbol.sort, *factors)) for symbol, factors in products.meanings()]
    for lemma in products.learned:
        plain = _new()
        assert plain.check([*meant, terms.negate(lemma)]) is Answer.UNSAT


class _Rewriting(_Multiplying):
    """Terms that are equal by the laws of rings, by a choice, or because of equations."""

    def same(self, term: Term) -> Term:
        sort, chance = term.sort, self.random
        if not term.arguments:
            return self._in_parts(term) if sort == self.variables[0].sort and term.operator != "const" else term
        parts = [self.same(each) for each in term.arguments]
        if term.operator == "bvmul":
            one, another = parts if chance.random() < 0.5 else parts[::-1]
            if another.operator in ("bvadd", "bvsub"):
                each = [make("bvmul", sort, one, part) for part in another.arguments]
                return make(another.operator, sort, *each)
            return make("bvmul", sort, one, another)
        return terms.rebuild(term, tuple(parts))

    def _in_parts(self, leaf: Term) -> Term:
        sort, chance = leaf.sort, self.random
        one, other = constant(sort, 1), chance.choice(self.variables)
        match chance.randrange(6):
            case 0:
                half = make("bvmul", sort, make("bvlshr", sort, leaf, one), constant(sort, 2))
                return make("bvadd", sort, half, make("bvand", sort, leaf, one))
            case 1:
                return make("bvsub", sort, make("bvadd", sort, leaf, other), other)
            case 2:
                whole = make("bvmul", sort, make("bvudiv", sort, leaf, other), other)
                return make("bvadd", sort, whole, make("bvurem", sort, leaf, other))
            case 3:
                return ite(equal(leaf, other), other, leaf)
            case _:
                return leaf


@pytest.mark.parametrize("seed", range(10))
def test_equal_terms_are_not_different(seed: int) -> None:
    generator = _Rewriting(seed)
    products = Products(_new)
    shown = 0
    for _ in range(8):
        x, y, z = generator.variables
        term = generator.number(4)
        asserted = [equal(z, make("bvmul", z.sort, x, make("bvadd", z.sort, y, constant(z.sort, 1))))]
        different = terms.negate(equal(term, generator.same(term)))
        core = products.contradiction(asserted, [generator.formula(1), different], 10.0)
        shown += core is not None
    assert shown >= 1
    _are_true(products)


def _number(value: int) -> Term:
    return constant(_SORT, value)


def _sum(*parts: Term) -> Term:
    total = parts[0]
    for part in parts[1:]:
        total = make("bvadd", _SORT, total, part)
    return total


def _times(*parts: Term) -> Term:
    total = parts[0]
    for part in parts[1:]:
        total = make("bvmul", _SORT, total, part)
    return total


_X, _Y, _Z, _N = (terms.state(name, _SORT) for name in "xyzn")
_FLAG = terms.state("flag", BOOL)
_BYTES = terms.state("bytes", Array(_SORT, _SORT))


def _excludes(*formulas: Term) -> None:
    for name in ("bitwuzla", "z3"):
        solver = make_solver(name)
        for formula in formulas[:-1]:
            solver.add(formula)
        assert solver.check([formulas[-1]], 30.0) is Answer.UNSAT
        assert solver.core() == [formulas[-1]]


def test_sums_of_powers() -> None:
    """2x = y² + y is kept by y += 1; x += y."""
    after = _sum(_Y, _number(1))
    before = equal(_times(_X, _number(2)), _sum(_times(_Y, _Y), _Y))
    again = equal(_times(_sum(_X, after), _number(2)), _sum(_times(after, after), after))
    _excludes(before, terms.negate(again))


def test_cases_of_a_condition() -> None:
    """x·y + z = n is kept whichever of two branches is taken, and by an element of an array."""
    condition = equal(_sum(_Z, _number(1)), _Y)
    x = ite(condition, _sum(_X, _number(1)), _X)
    z = ite(condition, _number(0), _sum(_Z, _number(1)))
    array = store(_BYTES, _N, z)
    before = equal(_sum(_times(_X, _Y), _Z, _number(1)), _N)
    after = equal(_sum(_times(x, _Y), select(array, _N)), _N)
    _excludes(before, terms.negate(after))


def test_equalities_that_follow_from_bounds() -> None:
    """n ≤ x, not n < x, y = n·n: y = x·x."""
    bounds = make("and", BOOL, make("bvule", BOOL, _N, _X), terms.negate(make("bvult", BOOL, _N, _X)))
    _excludes(bounds, equal(_Y, _times(_N, _N)), terms.negate(equal(_Y, _times(_X, _X))))


def test_quotients_and_remainders() -> None:
    """x·y = n is kept by halving x where it is even, and doubling y."""
    two = _number(2)
    even = equal(make("bvsrem", _SORT, _X, two), _number(0))
    after = equal(_times(make("bvsdiv", _SORT, _X, two), _times(_Y, two)), _N)
    _excludes(even, equal(_times(_X, _Y), _N), terms.negate(after))


def test_extensions() -> None:
    small = terms.state("small", bitvec(16))
    wide, inner = resize(small, _BITS, signed=True), resize(small, 32, signed=True)
    six = resize(make("bvmul", bitvec(32), inner, constant(bitvec(32), 6)), _BITS, signed=True)
    _excludes(equal(_X, _times(wide, wide)), terms.negate(equal(_times(six, wide), _times(_X, _number(6)))))


def test_a_model_is_one() -> None:
    """With products that have to be guessed."""
    solver = make_solver("bitwuzla")
    solver.add(equal(_times(_X, _Y, _Z), _N))
    solver.add(equal(_N, _number(3 * 5 * 7 * 1009)))
    assert solver.check([make("bvult", BOOL, _number(1), _X)], 20.0) is Answer.SAT
    x, y, z = (int(solver.value(each)) for each in (_X, _Y, _Z))  # type: ignore[arg-type]
    assert x * y * z % (1 << _BITS) == 3 * 5 * 7 * 1009 and x > 1


def test_levels() -> None:
    solver = make_solver("bitwuzla")
    solver.add(equal(_times(_X, _X), _Y))
    solver.push()
    solver.add(terms.negate(equal(_times(_sum(_X, _number(1)), _sum(_X, _number(1))), _sum(_Y, _X, _X, _number(1)))))
    assert solver.check([], 30.0) is Answer.UNSAT
    assert solver.core() == []
    solver.pop()
    assert solver.check([], 30.0) is Answer.SAT
