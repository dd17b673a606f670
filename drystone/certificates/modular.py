"""The check of claims about pairs of threads (`ModularCertificate`), for any number of threads.

Roles, steps and formulas are made from the program anew (`modular.steps`). A thread takes a step while others stand still.
Whatever can be said after it, about one thread or two, is about some of: the thread itself, a thread that it has created, and at
most two of the others. So for each way that a step may go, and for none, one or two others at any places: all claims about these
threads before the step, alone and two by two, have to imply every claim about threads after the step in which all of these others
occur.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement

import msgspec

from drystone.certificates.questions import Checked, Means, Questions, by_both
from drystone.claims.certificates import ModularCertificate
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.substitution import substitute
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.modular.steps import Key, Steps, Way, slot_name
from drystone.passes.inline import MAX_EDGES
from drystone.threads.instances import MAIN
from drystone.threads.scalar_templates import GLOBAL, Refused

_MOVER, _FIRST, _NEW = "c", "a", "n"  # who takes the step; others are a and b; who is created


class _Thread(msgspec.Struct, frozen=True):
    name: str
    place: int


class _Obligation(msgspec.Struct, frozen=True):
    """Assumed formulas, and one that has to follow, over variables of named threads; `problem` if it does not."""

    assumed: list[Term]
    follows: Term
    problem: str


def check_modular(program: Program, certificate: ModularCertificate, means: Means) -> Checked:
    if not program.has_threads:
        return Checked(False, "reading", "the program has no threads")
    try:
        claims = _Claims(Steps(program, MAX_EDGES))
    except Refused as problem:
        return Checked(False, "reading", str(problem))
    wrong = claims.read(certificate)
    if wrong:
        return Checked(False, "reading", wrong)
    return by_both(certificate.found_by, means, lambda means: _discharged(claims, certificate.found_by, means))


def _discharged(claims: _Claims, found_by: str, means: Means) -> Checked:
    questions = Questions(found_by, means)
    for constraint in claims.steps.constraints():
        questions.add(constraint)
    for each in claims.obligations():
        if each.follows is TRUE or each.follows in each.assumed:
            continue
        if not questions.excluded(*each.assumed, terms.negate(each.follows)):
            return questions.failed(each.problem)
    return Checked(True, questions.who())


class _Claims:
    """What is claimed of the steps of a program, and what has to be shown of it."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.claims: dict[Key, Term] = {}

    def read(self, certificate: ModularCertificate) -> str:
        """What is wrong with the form of the claims; nothing, if all is well."""
        for claim in certificate.claims:
            key = tuple(claim.places)
            if not 1 <= len(key) <= 2 or list(key) != sorted(key) or any(place not in self.steps.steps for place in key):
                return f"there is a claim about {key}, where no threads can be"
            if key in self.claims:
                return f"there are two claims about {key}"
            try:
                conjuncts = claim.conjuncts()
            except ValueError:
                return f"the claim about {key} cannot be read"
            if any(each.sort != BOOL for each in conjuncts):
                return f"the claim about {key} is not a formula"
            known = {variable for slot, place in enumerate(key, 1) for variable in self._variables(place, str(slot))}
            for symbol in terms.free_symbols(conjuncts):
                if symbol not in known:
                    return f"the claim about {key} speaks of {symbol.payload}, which these threads do not have"
            self.claims[key] = terms.conjunction(conjuncts)
        return ""

    def _variables(self, place: int, thread: str) -> Iterator[Term]:
        """Global ones, and those of a thread that is there."""
        owners = {GLOBAL, self.steps.role_of(place)}
        return (self._variable(name, thread) for name, owner in self.steps.owner.items() if owner in owners)

    def _variable(self, name: str, thread: str) -> Term:
        sort = self.steps.sorts[name]
        is_global = self.steps.owner[name] == GLOBAL
        return terms.state(name if is_global else f"{thread}|{name}", sort)

    # what is claimed of threads

    def _about(self, threads: tuple[_Thread, ...]) -> list[Term]:
        """The claims about one thread, or two, over their variables. Two at one place may be taken in either order."""
        places = tuple(each.place for each in threads)
        found = []
        for order in {places, places[::-1]}:
            if order == tuple(sorted(order)):
                in_order = [threads] if places == order else []
                in_order += [threads[::-1]] if len(threads) == 2 and places[::-1] == order else []
                found += [self._named(self.claims.get(order, TRUE), each) for each in in_order]
        return [each for each in found if each is not TRUE]

    def _named(self, claim: Term, threads: tuple[_Thread, ...]) -> Term:
        mapping: dict[Term, Term] = {}
        for symbol in terms.free_symbols(claim):
            for slot, thread in enumerate(threads, 1):
                prefix = slot_name(slot, "")
                if symbol.payload.startswith(prefix):
                    mapping[symbol] = self._variable(symbol.payload.removeprefix(prefix), thread.name)
        return substitute(claim, mapping)

    def _all_about(self, threads: list[_Thread]) -> list[Term]:
        """Everything that is known while these threads are there."""
        known = [formula for count in (1, 2) for some in combinations(threads, count) for formula in self._about(some)]
        return [part for formula in known for part in terms.conjuncts(formula)] + self._identifiers(threads)

    def _identifiers(self, threads: list[_Thread]) -> list[Term]:
        """Threads of roles with several have different ones, which are nobody else's."""
        own = [
            self._variable(name, thread.name) for thread in threads if (name := self.steps.identifier(thread.place)) is not None
        ]
        pairs = list(combinations(own, 2))
        pairs += [(each, terms.constant(each.sort, number)) for each in own for number in self.steps.numbers]
        return [terms.negate(terms.equal(one, other)) for one, other in pairs]

    # what has to be shown

    def obligations(self) -> Iterator[_Obligation]:
        yield from self._at_the_start()
        for start in self.steps.places:
            yield from self._without_errors(start)
            for way in self.steps.steps[start].ways:
                for count in (0, 1, 2):
                    for places in combinations_with_replacement(self.steps.places, count):
                        others = [_Thread(name, place) for name, place in zip("ab", places, strict=False)]
                        if self._may_be([_Thread(_MOVER, start), *others]):
                            yield from self._of_step(start, way, others)

    def _may_be(self, threads: list[_Thread]) -> bool:
        """Can these be there together? The first takes a step; if others are in atomic sections, it does not."""
        roles = [self.steps.role_of(each.place) for each in threads]
        unique = [role for role in roles if self.steps.roles[role].is_unique]
        return len(unique) == len(set(unique)) and not any(self.steps.is_interior(each.place) for each in threads[1:])

    def _at_the_start(self) -> Iterator[_Obligation]:
        first = _Thread(_MOVER, self.steps.roles[MAIN].entry)
        values = {self._variable(name, _MOVER): value for name, value in self.steps.initial.items()}
        for claim in self._about((first,)):
            yield _Obligation([], substitute(claim, values), f"the claim about {self._where(first)} does not hold at the start")

    def _without_errors(self, start: int) -> Iterator[_Obligation]:
        mover = _Thread(_MOVER, start)
        for bad in self.steps.steps[start].bad:
            guard = self._of_mover(bad.guard, start)
            what = f"{bad.mark.what} at {self.steps.templates.program.where(bad.mark.origin)}"
            yield _Obligation([*self._all_about([mover]), guard], FALSE, f"{what} is not excluded after {self._where(mover)}")

    def _of_step(self, start: int, way: Way, others: list[_Thread]) -> Iterator[_Obligation]:
        """What is claimed after the step of threads among which are all the others."""
        creates = self.steps.steps[start].creates
        created = [_Thread(_NEW, self.steps.roles[creates].entry)] if creates is not None else []
        moved = [_Thread(_MOVER, way.target)] if not self.steps.is_ended(way.target) else []
        after = [*moved, *created, *others]
        if not self._may_be([*created, *others]):
            return  # there is only one thread of the role that is created
        before = [_Thread(_MOVER, start), *others]
        values = {self._after(name, start): self._of_mover(value, start) for name, value in way.values.items()}
        assumed = [*self._all_about(before), self._of_mover(way.guard, start)]
        assumed += [substitute(each, values) for each in self._identifiers([before[0], *created, *others])]
        if FALSE in assumed:
            return
        for count in (1, 2):
            for some in combinations(after, count):
                if all(each in some for each in others):
                    for claim in self._about(some):
                        for part in terms.conjuncts(claim):
                            problem = f"the claim about {' and '.join(map(self._where, some))} is not preserved"
                            problem += f" by the step from {self._where(before[0])}"
                            yield _Obligation(assumed, substitute(part, values), problem)

    def _of_mover(self, formula: Term, start: int) -> Term:
        """A formula over the names of the program, as one about the thread that takes the step and the one that it creates."""
        known = self.steps.sorts
        mapping = {
            symbol: self._after(symbol.payload, start)
            for symbol in terms.free_symbols(formula)
            if symbol.operator == "state" and symbol.payload in known and symbol.payload in self.steps.owner
        }
        return substitute(formula, mapping)

    def _after(self, name: str, start: int) -> Term:
        """Whose variable is meant, where the step from there names it?"""
        is_new = self.steps.owner[name] not in (GLOBAL, self.steps.role_of(start))
        return self._variable(name, _NEW if is_new else _MOVER)

    def _where(self, thread: _Thread) -> str:
        return self.steps.where(thread.place)
