"""Equations between products of variables of one width, modulo 2^w, where the program multiplies what it does not know."""

from __future__ import annotations

from functools import reduce
from itertools import combinations_with_replacement

from drystone.invariants.context import Candidates, Context
from drystone.invariants.sources.affine import FEWEST_STATES, LARGEST_COEFFICIENT, Relation, relation_term, relations
from drystone.logic import terms
from drystone.logic.polynomials import is_product
from drystone.logic.semantics import signed
from drystone.logic.terms import Term, make, resize
from drystone.logic.walks import reachable
from drystone.symbolic.transformers import TransitionSystem

_MOST_VARIABLES = 7
_MOST_OF_DEGREE_THREE = 4
_MOST_EQUATIONS = 12


class Polynomials:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        if not any(map(is_product, context.all_terms)):
            return {}
        found: Candidates = {}
        for cut in system.cut_points:
            if context.deadline.expired():
                break
            found[cut] = self._at(context, cut)[: context.limit]
        return found

    def _at(self, context: Context, cut: int) -> list[Term]:
        by_width: dict[int, list[Term]] = {}
        for observed in context.observables(cut, 4 * _MOST_VARIABLES):
            by_width.setdefault(terms.width(observed), []).append(observed)
        found: list[Term] = []
        for width, variables in by_width.items():
            narrow = [resize(each, width, signed=True) for other in by_width if 1 < other < width for each in by_width[other]]
            monomials = _monomials([*variables, *narrow][:_MOST_VARIABLES]) if width > 1 else []
            states = context.values(cut, monomials)
            if len(states) >= FEWEST_STATES:
                likely = sorted((each for each in relations(states, width) if _is_likely(each, width)), key=_complexity)
                found += [relation_term(each, monomials, width) for each in likely[:_MOST_EQUATIONS]]
        return context.consistent(cut, [each for each in found if any(map(is_product, reachable((each,))))])


def _is_likely(relation: Relation, width: int) -> bool:
    """Multiples of high powers of two are mostly zero for reasons that say nothing of the program."""
    return all(abs(signed(each, width)) <= LARGEST_COEFFICIENT for each in relation[1:])


def _complexity(relation: Relation) -> tuple[int, int]:
    """By the last monomial, which is one of the highest degree, and by how many there are."""
    used = [position for position, each in enumerate(relation) if each]
    return len(used), used[-1]


def _monomials(variables: list[Term]) -> list[Term]:
    """Single variables first: what has a product is said by what has none. Of many variables, only cubes are of degree three."""
    factors: list[tuple[Term, ...]] = []
    for degree in (1, 2, 3):
        if degree < 3 or len(variables) <= _MOST_OF_DEGREE_THREE:
            factors += combinations_with_replacement(variables, degree)
        else:
            factors += [(each, each, each) for each in variables]
    return [reduce(lambda one, another: make("bvmul", one.sort, one, another), each) for each in factors]
