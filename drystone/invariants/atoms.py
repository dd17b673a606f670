"""The comparisons that a system makes, as far as they are about states: what guards and implications are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from drystone.invariants.sampling import COMPARISONS
from drystone.logic import terms
from drystone.logic.sorts import BitVec, Bool
from drystone.logic.terms import Term
from drystone.logic.walks import reachable
from drystone.symbolic.transformers import TransitionSystem

LARGEST_ATOM = 40
"""Nodes, as a tree."""
LARGEST_EXPRESSION = 12
_MOST_ATOMS = 250  # per cut point
_MOST_EXPRESSIONS = 8
_PLAIN = frozenset(("state", "const", "ite", "zero_extend", "sign_extend"))
_CONNECTIVES = frozenset(("not", "and", "or", "ite", "="))


class Atoms:
    """The atoms of a system that may be asked about at cut points: small, and over state variables."""

    def __init__(self, system: TransitionSystem, all_terms: Sequence[Term], importance: Mapping[Term, int]) -> None:
        """Of all subterms of the system, arguments first; the less important a variable, the larger its number."""
        self.system, self.all_terms, self.importance = system, all_terms, importance
        self._symbols: dict[Term, frozenset[Term]] = {}
        sizes: dict[Term, int] = {}
        for term in all_terms:
            size = 1
            for argument in term.arguments:
                size += sizes[argument]
            if term.operator == "input" or term.operator == "store":
                size = LARGEST_ATOM + 1
            sizes[term] = min(size, LARGEST_ATOM + 1)
        self._sizes = sizes
        for term in all_terms:
            for atom in _by_cases(term):
                size = 1 + sum(sizes.get(argument, LARGEST_ATOM) for argument in atom.arguments)
                sizes.setdefault(atom, min(size, LARGEST_ATOM + 1))

    @cached_property
    def _about_state(self) -> set[Term]:
        return {term for term in _with_cases(self.all_terms) if self._is_atom(term)}

    @cached_property
    def _everywhere(self) -> list[Term]:
        return sorted(self._about_state, key=lambda term: (self._distance(term), term.hash))[: 4 * _MOST_ATOMS]

    def _is_atom(self, term: Term) -> bool:
        if type(term.sort) is not Bool or term.operator == "const" or self._sizes[term] > LARGEST_ATOM:
            return False
        return term.operator not in _CONNECTIVES or (term.operator == "=" and type(term.arguments[0].sort) is not Bool)

    def _distance(self, atom: Term) -> int:
        far = len(self.importance) + 1
        return min((self.importance.get(symbol, far) for symbol in self._free(atom)), default=far)

    def _free(self, atom: Term) -> frozenset[Term]:
        found = self._symbols.get(atom)
        if found is None:
            found = self._symbols[atom] = frozenset(terms.free_symbols(atom))
        return found

    def expressions(self, cut: int) -> list[Term]:
        """What the program compares with or assigns, beyond variables, constants and their sums; about live variables."""
        live = self._live(cut)
        return [each for each in self._expressions if self._free(each) <= live][:_MOST_EXPRESSIONS]

    @cached_property
    def _expressions(self) -> list[Term]:
        found: set[Term] = set()
        for atom in self._about_state:
            found.update(atom.arguments)
        for block in self.system.all_blocks():
            for exit in block.exits.values():
                found.update(exit.values.values())
        fit = [each for each in found if self._is_expression(each)]
        return sorted(fit, key=lambda term: (self._distance(term), term.hash))[: 4 * _MOST_EXPRESSIONS]

    def _is_expression(self, term: Term) -> bool:
        if type(term.sort) is not BitVec or term.operator in _PLAIN or self._sizes[term] > LARGEST_EXPRESSION:
            return False
        return term.operator != "bvadd" or any(argument.operator not in _PLAIN for argument in term.arguments)

    def own(self, cut: int) -> list[Term]:
        """The atoms of the block that starts here, those of its errors first."""
        block = self.system.blocks[cut]
        errors = {term for term in _with_cases(reachable([block.violation])) if self._is_atom(term)}
        rest = [term for exit in block.exits.values() for term in (exit.guard, *exit.values.values())]
        branches = {term for term in _with_cases(reachable(rest)) if self._is_atom(term)}
        found = [*sorted(errors, key=_by_content), *sorted(branches - errors, key=_by_content)]
        return [atom for atom in found if atom in self._about_state]

    def at(self, cut: int) -> list[Term]:
        """The block's own atoms, then those of others that are about live variables."""
        live = self._live(cut)
        found = []
        for atom in dict.fromkeys([*self.own(cut)[:_MOST_ATOMS], *self._everywhere]):
            if self._free(atom) <= live:
                found.append(atom)
                if len(found) == _MOST_ATOMS:
                    break
        return found

    def _live(self, cut: int) -> set[Term]:
        system = self.system
        return {terms.state(name, system.symbolic.sorts[name]) for name in system.live(cut)}


def _with_cases(found: Iterable[Term]) -> Iterator[Term]:
    for term in found:
        yield term
        yield from _by_cases(term)


def _by_cases(term: Term) -> Iterator[Term]:
    """A comparison with a value that depends on a condition, as two."""
    if term.operator in COMPARISONS:
        for position, argument in enumerate(term.arguments):
            if argument.operator == "ite":
                for case in argument.arguments[1:]:
                    arguments = [case if other == position else each for other, each in enumerate(term.arguments)]
                    yield terms.make(term.operator, term.sort, *arguments)


def _by_content(term: Term) -> int:
    return term.hash
