"""Comparisons that the program makes itself: branch conditions and assertions, their negations and weaker variants.

Also `x <= y` and the like for the variables that matter most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from drystone.invariants.context import Candidates, Context
from drystone.logic import terms
from drystone.logic.sorts import BOOL, BitVec
from drystone.logic.terms import Term, equal, make, negate
from drystone.symbolic.transformers import TransitionSystem

_MOST_PAIRED = 12
_MOST_UNTESTED = 10  # candidates where no state was sampled
_ORDERS = {"bvult": ("bvult", "bvule"), "bvule": ("bvult", "bvule"), "bvslt": ("bvslt", "bvsle"), "bvsle": ("bvslt", "bvsle")}


class Guards:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        pool = context.atoms
        found: Candidates = {}
        for cut in system.cut_points:
            if context.deadline.expired():
                break
            if not context.has_samples(cut):
                found[cut] = [negate(atom) for atom in pool.own(cut)][:_MOST_UNTESTED]  # an error's, most of all
                continue
            atoms = pool.at(cut)
            found[cut] = context.consistent(cut, comparisons(context, cut, atoms))[: context.limit]
        return found


def comparisons(context: Context, cut: int, atoms: Sequence[Term]) -> Iterator[Term]:
    """The atoms, their negations and variants, and comparisons between variables."""
    for atom in atoms:
        yield atom
        yield negate(atom)
    for atom in atoms:
        yield from variants(atom)
    variables = context.variables(cut, _MOST_PAIRED)
    expressions = [(x, e) for e in context.atoms.expressions(cut) for x in variables]
    for x, y in [*combinations(variables, 2), *expressions]:
        if x.sort == y.sort and terms.width(x) > 1:
            yield make("bvsle", BOOL, x, y)
            yield make("bvsle", BOOL, y, x)
            yield negate(equal(x, y))


def variants(atom: Term) -> Iterator[Term]:
    """Comparisons of the same sides, strict or not, in both directions, and off by one."""
    if len(atom.arguments) != 2 or not isinstance(atom.arguments[0].sort, BitVec):
        return
    a, b = atom.arguments
    if atom.operator == "=":
        orders: tuple[str, ...] = ("bvsle", "bvule")
    elif atom.operator in _ORDERS:
        orders = _ORDERS[atom.operator]
    else:
        return
    one = terms.constant(a.sort, 1)
    for order in orders:
        yield make(order, BOOL, a, b)
        yield make(order, BOOL, b, a)
    loose = orders[-1]
    yield make(loose, BOOL, a, make("bvadd", b.sort, b, one))
    yield make(loose, BOOL, b, make("bvadd", a.sort, a, one))
    yield make(loose, BOOL, make("bvsub", a.sort, a, one), b)  # where b may be the largest number
    yield make(loose, BOOL, make("bvsub", a.sort, b, one), a)
    yield equal(a, b)
    yield negate(equal(a, b))
