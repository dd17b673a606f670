"""Changes to certificates, most of which make them wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from drystone.claims.certificates import BoundedCertificate, InductiveCertificate, Invariant, KInductiveCertificate
from drystone.logic import terms
from drystone.logic.packing import pack
from drystone.logic.sorts import BOOL, BitVec
from drystone.logic.substitution import substitute
from drystone.logic.terms import FALSE, TRUE, Term, make
from drystone.logic.walks import reachable

Mutable = InductiveCertificate | KInductiveCertificate | BoundedCertificate


@dataclass(frozen=True)
class Places:
    """Locations of the inlined program, to move invariants to."""

    entry: int
    errors: tuple[int, ...]
    heads: tuple[int, ...]
    locations: int


@dataclass(frozen=True)
class Mutant:
    how: str
    certificate: Mutable


def mutants(certificate: Mutable, places: Places, chance: random.Random, count: int) -> list[Mutant]:
    """So many changed certificates, of different kinds as far as possible."""
    if isinstance(certificate, BoundedCertificate):
        return [_with_steps(certificate, chance) for _ in range(count)]
    result: list[Mutant] = []
    kinds: list[Callable[[_Mutation], Mutable | None]] = []
    while len(result) < count:
        if not kinds:
            kinds = list(KINDS)
            chance.shuffle(kinds)
        kind = kinds.pop()
        changed = kind(_Mutation(certificate, places, chance))
        if changed is not None and changed != certificate:
            result.append(Mutant(kind.__name__, changed))
    return result


def _with_steps(certificate: BoundedCertificate, chance: random.Random) -> Mutant:
    steps = max(0, certificate.steps + chance.choice((-100, -2, -1, -1, 1, 5)))
    return Mutant("steps", msgspec.structs.replace(certificate, steps=steps))


def with_conjuncts(invariant: Invariant, conjuncts: Sequence[Term]) -> Invariant:
    return msgspec.structs.replace(invariant, text=["?"] * len(conjuncts), packed=pack(list(conjuncts)))


class _Mutation:
    """One certificate that is to be changed once."""

    def __init__(self, certificate: InductiveCertificate | KInductiveCertificate, places: Places, chance: random.Random) -> None:
        self.certificate, self.places, self.chance = certificate, places, chance
        self.invariants = certificate.invariants

    def replaced(self, invariants: list[Invariant]) -> Mutable:
        return msgspec.structs.replace(self.certificate, invariants=invariants)

    def at_one(self, change: Callable[[list[Term], int], list[Term] | None]) -> Mutable | None:
        """Changes one conjunct of one invariant: `change` gets all conjuncts there and the position."""
        candidates = [number for number, each in enumerate(self.invariants) if each.conjuncts()]
        if not candidates:
            return None
        number = self.chance.choice(candidates)
        conjuncts = self.invariants[number].conjuncts()
        changed = change(conjuncts, self.chance.randrange(len(conjuncts)))
        if changed is None:
            return None
        invariants = list(self.invariants)
        invariants[number] = with_conjuncts(invariants[number], changed)
        return self.replaced(invariants)

    def variables(self) -> list[Term]:
        found = {
            symbol: None
            for each in self.invariants
            for symbol in terms.free_symbols(each.conjuncts())
            if isinstance(symbol.sort, BitVec)
        }
        return list(found)

    def comparison(self) -> Term | None:
        """Something about a variable that an invariant speaks of."""
        variables = self.variables()
        if not variables:
            return None
        variable = self.chance.choice(variables)
        number = terms.constant(variable.sort, self.chance.choice((0, 1, 2, 7)))
        alike = [each for each in variables if each.sort == variable.sort and each is not variable]
        other = self.chance.choice(alike) if alike and self.chance.random() < 0.5 else number
        operator = self.chance.choice(("=", "bvule", "bvult"))
        return make(operator, BOOL, variable, other)


def weaken_by_dropping(mutation: _Mutation) -> Mutable | None:
    return mutation.at_one(lambda conjuncts, position: conjuncts[:position] + conjuncts[position + 1 :])


def weaken_by_alternative(mutation: _Mutation) -> Mutable | None:
    alternative = mutation.comparison()
    if alternative is None:
        return None
    return mutation.at_one(
        lambda conjuncts, at: [*conjuncts[:at], terms.disjunction([conjuncts[at], alternative]), *conjuncts[at + 1 :]]
    )


def strengthen(mutation: _Mutation) -> Mutable | None:
    added = mutation.comparison()
    return None if added is None else mutation.at_one(lambda conjuncts, _: [*conjuncts, added])


def negate_one(mutation: _Mutation) -> Mutable | None:
    return mutation.at_one(lambda conjuncts, at: [*conjuncts[:at], terms.negate(conjuncts[at]), *conjuncts[at + 1 :]])


def change_a_number(mutation: _Mutation) -> Mutable | None:
    def change(conjuncts: list[Term], position: int) -> list[Term] | None:
        constants = [
            term for term in reachable([conjuncts[position]]) if term.operator == "const" and isinstance(term.sort, BitVec)
        ]
        if not constants:
            return None
        old = mutation.chance.choice(constants)
        value = (old.payload + mutation.chance.choice((-1, 1, 1, 2))) & ((1 << terms.width(old)) - 1)
        return [
            *conjuncts[:position],
            substitute(conjuncts[position], {old: terms.constant(old.sort, value)}),
            *conjuncts[position + 1 :],
        ]

    return mutation.at_one(change)


def exchange_variables(mutation: _Mutation) -> Mutable | None:
    def change(conjuncts: list[Term], position: int) -> list[Term] | None:
        variables = [each for each in terms.free_symbols([conjuncts[position]]) if isinstance(each.sort, BitVec)]
        if not variables:
            return None
        old = mutation.chance.choice(variables)
        others = [each for each in mutation.variables() if each.sort == old.sort and each is not old]
        if not others:
            return None
        new = mutation.chance.choice(others)
        return [*conjuncts[:position], substitute(conjuncts[position], {old: new}), *conjuncts[position + 1 :]]

    return mutation.at_one(change)


def move(mutation: _Mutation) -> Mutable | None:
    """All that is claimed of one place is claimed of another."""
    if not mutation.invariants:
        return None
    chance, places = mutation.chance, mutation.places
    number = chance.randrange(len(mutation.invariants))
    targets = [places.entry, *places.errors, *places.heads, chance.randrange(places.locations)]
    invariants = list(mutation.invariants)
    invariants[number] = msgspec.structs.replace(invariants[number], location=chance.choice(targets))
    return mutation.replaced(invariants)


def exchange_places(mutation: _Mutation) -> Mutable | None:
    if len(mutation.invariants) < 2:
        return None
    first, second = mutation.chance.sample(range(len(mutation.invariants)), 2)
    invariants = list(mutation.invariants)
    a, b = invariants[first], invariants[second]
    invariants[first] = msgspec.structs.replace(a, location=b.location)
    invariants[second] = msgspec.structs.replace(b, location=a.location)
    return mutation.replaced(invariants)


def drop_a_place(mutation: _Mutation) -> Mutable | None:
    if not mutation.invariants:
        return None
    invariants = list(mutation.invariants)
    invariants.pop(mutation.chance.randrange(len(invariants)))
    return mutation.replaced(invariants)


def nothing_gets_anywhere(mutation: _Mutation) -> Mutable | None:
    """False at one place, or at all."""
    if not mutation.invariants:
        return None
    number = mutation.chance.randrange(len(mutation.invariants))
    everywhere = mutation.chance.random() < 0.3
    return mutation.replaced(
        [with_conjuncts(each, [FALSE]) if everywhere or at == number else each for at, each in enumerate(mutation.invariants)]
    )


def claim(mutation: _Mutation) -> Mutable | None:
    """Something more about a place: that control does not get there, or nothing."""
    places, chance = mutation.places, mutation.chance
    nowhere = chance.choice((-1, -2, places.locations, 10**6))
    location = chance.choice([places.entry, *places.errors, *places.heads, chance.randrange(places.locations), nowhere])
    formula = chance.choice((FALSE, FALSE, TRUE))
    invariants = list(mutation.invariants)
    invariants.insert(chance.randrange(len(invariants) + 1), Invariant(location, "?", ["?"], pack([formula])))
    return mutation.replaced(invariants)


def claim_inputs(mutation: _Mutation) -> Mutable | None:
    """About something that is no variable of the program."""
    symbol = mutation.chance.choice((terms.input_symbol, terms.state))("nothing.of.this.name", BOOL)
    return mutation.at_one(lambda conjuncts, _: [*conjuncts, symbol])


def other_k(mutation: _Mutation) -> Mutable | None:
    certificate = mutation.certificate
    if isinstance(certificate, KInductiveCertificate):
        k = mutation.chance.choice([*range(-1, certificate.k), certificate.k + 1])
        return msgspec.structs.replace(certificate, k=k)
    k = mutation.chance.choice((-1, 0, 2))
    return KInductiveCertificate(k, certificate.invariants, certificate.recursion, certificate.found_by)


def without_k(mutation: _Mutation) -> Mutable | None:
    certificate = mutation.certificate
    if not isinstance(certificate, KInductiveCertificate):
        return None
    return InductiveCertificate(certificate.invariants, certificate.recursion, certificate.found_by)


KINDS: tuple[Callable[[_Mutation], Mutable | None], ...] = (
    weaken_by_dropping, weaken_by_alternative, strengthen, negate_one, change_a_number, exchange_variables, move, exchange_places,
    drop_a_place, nothing_gets_anywhere, claim, claim_inputs, other_k, without_k,
)  # fmt: skip
