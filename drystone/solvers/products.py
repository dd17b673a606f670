"""Contradictions that follow from the laws of rings, which solvers of bit-vectors do not know.

Products of unknowns are taken for unknowns. Where a model of this is none, because the literals that it makes true contradict
each other as polynomials modulo 2^width (`logic.identities`), the solver learns that, and looks for another one. So it does the
reasoning about cases, bounds and arrays, and multiplication is never made a circuit. What is shown in this way is a contradiction
of what was asked; where nothing is shown, nothing is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from drystone.logic import terms
from drystone.logic.evaluation import Value, evaluate, evaluate_one
from drystone.logic.identities import Factors, Form, Identities, Reasons
from drystone.logic.implicants import Reading, choices
from drystone.logic.polynomials import Polynomial, is_product, polynomial
from drystone.logic.semantics import signed
from drystone.logic.sorts import Array
from drystone.logic.terms import Term, rebuild
from drystone.logic.walks import reachable, reachable_beyond
from drystone.solvers.protocol import Answer, Solver

_MOST_MODELS = 100
_MOST_NODES = 20_000
_MOST_LITERALS = 300
_MOST_EQUALITIES = 8
_QUERY_SECONDS = 1.0
_SOON = 0.1


class Products:
    """What is learned stays; so do the symbols that stand for products. `make`: a new solver."""

    def __init__(self, make: Callable[[], Solver]) -> None:
        self._make = make
        self._done: dict[Term, Term] = {}
        self._symbols: dict[tuple[Term, Term], Term] = {}
        self._factors: dict[Term, tuple[Term, Term]] = {}
        self.learned: list[Term] = []
        self.guess: list[Term] = []
        """If nothing was shown: values for factors, with which there may be a model that is easy to find."""

    def contradiction(self, asserted: Sequence[Term], assumptions: Sequence[Term], limit_seconds: float) -> list[Term] | None:
        """Assumptions that contradict what is asserted; None if there may be none."""
        self.guess = []
        inside = reachable([*asserted, *assumptions])
        if len(inside) > _MOST_NODES:
            return None
        known = [self._abstract(each) for each in asserted]
        assumed = {self._abstract(each): each for each in assumptions}
        solver = self._told(known)
        for _ in range(_MOST_MODELS):
            answer = solver.check(list(assumed), min(_SOON, limit_seconds))
            if answer is Answer.UNKNOWN:  # one that knows from the beginning what was learned may do better
                solver = self._told(known)
                answer = solver.check(list(assumed), limit_seconds)
            if answer is Answer.UNSAT:
                return [assumed[each] for each in solver.core()]
            if answer is Answer.UNKNOWN:
                return None
            lemma = self._lemma(solver, [*known, *assumed])
            if lemma is None:
                self.guess = self._guess(solver, [each for each in inside if is_product(each)])
                return None
            self.learned.append(lemma)
            solver.add(lemma)
        return None

    def _told(self, known: Sequence[Term]) -> Solver:
        solver = self._make()
        for formula in [*known, *self.learned]:
            solver.add(formula)
        return solver

    def meanings(self) -> Iterable[tuple[Term, tuple[Term, Term]]]:
        """Of the symbols in what is learned: what they are the products of."""
        return self._factors.items()

    def _guess(self, solver: Solver, products: list[Term]) -> list[Term]:
        """One factor of each product is what it is in the model; then no product is of two unknowns."""
        fixed: dict[Term, Term] = {}
        uses = Counter(factor for each in products for factor in each.arguments)
        for each in products:
            if not any(factor in fixed for factor in each.arguments):
                factor = max(each.arguments, key=lambda one: (uses[one], -terms.size(one), one.hash))
                symbols = {one: solver.value(one) for one in terms.free_symbols(self._abstract(factor))}
                value = evaluate_one(self._abstract(factor), symbols)
                fixed[factor] = terms.equal(factor, terms.constant(factor.sort, value))
        return list(fixed.values())

    def _abstract(self, term: Term) -> Term:
        """With a symbol for each product of two unknowns."""
        done = self._done
        for node in reachable_beyond(done, (term,)):
            parts = tuple(done[each] for each in node.arguments)
            if is_product(node):
                done[node] = self._symbol(parts, node)
            else:
                done[node] = rebuild(node, parts) if parts != node.arguments else node
        return done[term]

    def _symbol(self, parts: tuple[Term, ...], node: Term) -> Term:
        one, another = sorted(parts, key=lambda each: (each.hash, each.id))
        known = self._symbols.get((one, another))
        if known is None:
            known = self._symbols[one, another] = terms.input_symbol(f"product {len(self._symbols)}", node.sort)
            self._factors[known] = one, another
        return known

    def _lemma(self, solver: Solver, formulas: list[Term]) -> Term | None:
        """Literals that hold in the model, of which one must not."""
        inside = [each for each in reachable(self._closed(formulas)) if type(each.sort) is not Array]
        symbols = {each: solver.value(each) for each in terms.free_symbols(inside)}
        values = dict(zip(inside, evaluate(inside, symbols), strict=True))
        reading = Reading(values)
        reading.read(formulas)
        factors = self._chosen(reading)
        if not factors or len(reading.literals) > _MOST_LITERALS:
            return None
        literals = {literal: frozenset({given} | choices(given, values)) for literal, given in reading.literals.items()}
        identities = Identities(literals, factors)
        because = identities.contradiction() or _Rest(self._make(), identities, symbols).contradiction()
        return None if because is None else terms.disjunction(terms.negate(each) for each in because)

    def _closed(self, formulas: list[Term]) -> list[Term]:
        """With what the symbols for products are products of."""
        found = list(formulas)
        seen: set[Term] = set()
        while new := [each for each in terms.free_symbols(found) if each in self._factors and each not in seen]:
            seen.update(new)
            found += [factor for each in new for factor in self._factors[each]]
        return found

    def _chosen(self, reading: Reading) -> dict[Term, Factors]:
        """The products in the literals, of what is chosen in the model."""
        found: dict[Term, Factors] = {}
        while True:
            used = [*reading.literals, *(factor for each in found.values() for factor in (each.one, each.another))]
            new = [each for each in terms.free_symbols(used) if each in self._factors and each not in found]
            if not new:
                return found
            for each in new:
                one, another = self._factors[each]
                because = choices(one, reading.values) | choices(another, reading.values)
                found[each] = Factors(reading.chosen(one), reading.chosen(another), frozenset(because))


class _Rest:
    """What a solver says to literals in their normal forms: about bounds, and about equalities that follow from these."""

    def __init__(self, solver: Solver, identities: Identities, symbols: Mapping[Term, Value]) -> None:
        self._solver, self._identities, self._symbols = solver, identities, symbols

    def contradiction(self) -> Reasons | None:
        found = self._excluded(None)
        if found is not None:
            return found
        for _ in range(_MOST_EQUALITIES):
            equality = self._equality()
            if equality is None:
                return None
            self._identities.add(equality)
            found = self._identities.contradiction() or self._excluded(None)
            if found is not None:
                return found
        return None

    def _excluded(self, formula: Term | None) -> Reasons | None:
        """Because of which literals this cannot hold."""
        known: dict[Term, Reasons] = {}
        for literal, because in self._identities.normal():
            known.setdefault(literal, because)
        asked = [*known, *(() if formula is None else (formula,))]
        if self._solver.check(asked, _QUERY_SECONDS) is not Answer.UNSAT:
            return None
        return frozenset().union(*(known.get(each, frozenset()) for each in self._solver.core()))

    def _equality(self) -> Form | None:
        """Something that is zero in the model, and in all others."""
        for likely in self._identities.likely():
            apart = self._value(likely)
            if apart is None or likely.is_zero():
                continue
            difference = likely.plus(polynomial(likely.bits, {(): 1}), -apart)
            if difference.is_zero():
                continue
            because = self._excluded(terms.negate(Identities.is_zero(difference)))
            if because is not None:
                return Form(difference, because)
        return None

    def _value(self, found: Polynomial) -> int | None:
        """In the model: -1, 0 or 1; None if it is another one, or not known."""
        if any(len(monomial) > 1 for monomial in found.factors):
            return None
        unknowns = sorted(found.unknowns(), key=lambda each: each.id)
        if any(each not in self._symbols for each in terms.free_symbols(unknowns)):
            return None
        values: dict[Term, Any] = dict(zip(unknowns, evaluate(unknowns, self._symbols), strict=True))
        total = sum(factor * (values[monomial[0]] if monomial else 1) for monomial, factor in found.factors.items())
        value = signed(total, found.bits)
        return value if abs(value) <= 1 else None
