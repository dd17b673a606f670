"""Remainders that do not change: `x mod m = r`, `x mod m = y mod m`, with m from the sampled states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import gcd

from drystone.invariants.context import Candidates, Context
from drystone.logic import terms
from drystone.logic.terms import Term, equal, make
from drystone.symbolic.transformers import TransitionSystem

LARGEST_MODULUS = 1 << 12
_MOST_VARIABLES = 40
_MOST_PAIRED = 16
_SMALL = (2, 3, 4, 5, 7, 8, 10)


class Congruences:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        found: Candidates = {}
        for cut in system.cut_points:
            observed = [each for each in context.observables(cut, _MOST_VARIABLES) if terms.width(each) >= 4]
            states = context.values(cut, observed)
            if len(states) >= 4:
                found[cut] = context.consistent(cut, congruences(observed, states))[: context.limit]
        return found


def congruences(observed: Sequence[Term], states: Sequence[Sequence[int]]) -> Iterator[Term]:
    steps = []
    for position, variable in enumerate(observed):
        step = 0
        for state in states[1:]:
            step = gcd(step, state[position] - states[0][position])
        steps.append(step)
        for modulus in _moduli(step, terms.width(variable)):
            yield equal(_remainder(variable, modulus), terms.constant(variable.sort, states[0][position] % modulus))
    for i, j in combinations(range(min(len(observed), _MOST_PAIRED)), 2):
        x, y = observed[i], observed[j]
        if x.sort != y.sort or steps[i] == 0 or steps[j] == 0:
            continue
        size = 1 << terms.width(x)
        difference, total = size, size  # of both, the part that a change of the sum or difference shows modulo 2^w
        first = states[0]
        for state in states[1:]:
            difference = gcd(difference, state[i] - state[j] - first[i] + first[j])
            total = gcd(total, state[i] + state[j] - first[i] - first[j])
        for common, operator in ((difference, "bvsub"), (total, "bvadd")):
            if 1 < common <= LARGEST_MODULUS and common > gcd(steps[i], steps[j]):
                value = first[i] - first[j] if operator == "bvsub" else first[i] + first[j]
                combined = make(operator, x.sort, x, y)
                yield equal(_remainder(combined, common), terms.constant(x.sort, value % common))


def _moduli(step: int, bits: int) -> Iterator[int]:
    """Moduli that explain a step: the power of two in it, which survives overflow, the step itself, and small divisors."""
    if step == 0 or step == 1:
        return
    power = step & -step
    if 1 < power < 1 << bits:
        yield min(power, LARGEST_MODULUS)
    if step != power:
        if step <= LARGEST_MODULUS:
            yield step
        for modulus in _SMALL:
            if step % modulus == 0 and modulus & (modulus - 1):
                yield modulus


def _remainder(term: Term, modulus: int) -> Term:
    if modulus & (modulus - 1) == 0:
        return make("bvand", term.sort, term, terms.constant(term.sort, modulus - 1))
    return make("bvurem", term.sort, term, terms.constant(term.sort, modulus))
