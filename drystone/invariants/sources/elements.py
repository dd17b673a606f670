"""What holds of the one element that is looked at (passes/one_element.py), where a loop has come past it, or has not yet.

Conditions say where the index is: `%index < i`, or `i <= %index < n` if the program compares `i` with `n`; also together with the
value of a flag or a comparison that the program makes with the element: `found = 0 && %index < i => a[%index] != x`.
What follows is about the element; the other sources have the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from drystone.invariants.context import Candidates, Context
from drystone.invariants.sampling import COMPARISONS
from drystone.invariants.sources.affine import relation_term, relations, sparse_relations
from drystone.invariants.sources.guards import comparisons
from drystone.invariants.sources.implications import in_turn
from drystone.invariants.sources.intervals import formulas
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.terms import Term, equal, make, negate
from drystone.passes.one_element import is_element, is_index
from drystone.symbolic.transformers import TransitionSystem

_MOST_VARIABLES = 16
_MOST_ORDERS = 6  # of an index and a variable
_MOST_BOUNDS = 3  # of an index
_MOST_CASES = 6  # of flags, and as many of the element
_MOST_FLAG_VALUES = 3
_FEWEST_STATES = 2
_FEWEST_FOR_RELATIONS = 4

_Rows = frozenset[int]
_Condition = tuple[Term, _Rows]
"""A formula, and the numbers of the states in which it holds."""


class Elements:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        found: Candidates = {}
        for cut in system.cut_points:
            variables = context.variables(cut, _MOST_VARIABLES)
            has_elements = any(is_element(variable.payload) for variable in variables)
            if has_elements and context.has_samples(cut) and not context.deadline.expired():
                found[cut] = _At(context, cut, variables).candidates(context.limit)
        return found


class _At:
    """The samples of one cut point."""

    def __init__(self, context: Context, cut: int, variables: Sequence[Term]) -> None:
        self.context, self.cut, self.variables = context, cut, variables
        self.elements = frozenset(variable for variable in variables if is_element(variable.payload))
        self.states = context.values(cut, variables)
        self.everywhere: _Rows = frozenset(range(len(self.states)))
        atoms = context.atoms.at(cut)
        compared = [each.arguments[0] if each.operator == "not" else each for each in comparisons(context, cut, atoms)]
        self.compared = self._conditions(atom for atom in compared if self._is_about_elements(atom))
        own = set(context.atoms.own(cut))
        self.own = [(atom, rows) for atom, rows in self.compared if atom in own]
        self.equalities = [(atom, rows) for atom, rows in self.compared if atom.operator == "="]
        self.orders = self._conditions(islice(_orders(atoms), _MOST_ORDERS))
        self.bounds = self._conditions(islice(_bounds(atoms), _MOST_BOUNDS))

    def _is_about_elements(self, atom: Term) -> bool:
        return not self.elements.isdisjoint(terms.free_symbols(atom))

    def _conditions(self, atoms: Iterable[Term]) -> list[_Condition]:
        """Those that hold in some states and not in others."""
        found = [atom for atom in dict.fromkeys(atoms) if atom.operator != "const"]
        truth = self.context.values(self.cut, found)
        pairs = [(atom, frozenset(n for n, row in enumerate(truth) if row[place])) for place, atom in enumerate(found)]
        return [(atom, rows) for atom, rows in pairs if rows and rows != self.everywhere]

    def candidates(self, most: int) -> list[Term]:
        """Half of them without cases, if there are so many."""
        places = [*self.bounds, *_sides(self.orders, self.everywhere)]
        places += [_both(place, bound) for place in places for bound in self.bounds]
        found = list(islice(dict.fromkeys(in_turn([self._implied(place) for place in places])), most // 2))
        cases = [_both(case, place) for case in self._cases() for place in places]
        return [*found, *islice(dict.fromkeys(in_turn([self._implied(case) for case in cases])), most - len(found))]

    def _cases(self) -> Iterator[_Condition]:
        """The values of flags, and what the program decides itself about the element."""
        yield from islice(self._flags(), _MOST_CASES)
        yield from islice(_sides(self.own, self.everywhere), _MOST_CASES)

    def _flags(self) -> Iterator[_Condition]:
        for position, variable in enumerate(self.variables):
            values = sorted({state[position] for state in self.states})
            if 2 <= len(values) <= _MOST_FLAG_VALUES and variable not in self.elements and not is_index(variable.payload):
                for value in values:
                    has = equal(variable, terms.constant(variable.sort, value))
                    yield has, frozenset(n for n, state in enumerate(self.states) if state[position] == value)

    def _implied(self, condition: _Condition) -> list[Term]:
        term, chosen = condition
        if len(chosen) == len(self.states):
            return []
        if len(chosen) >= _FEWEST_STATES:
            conclusions = self._conclusions(chosen)
        else:  # nothing tells what holds, so what the program asks for may
            conclusions = _which([*self.own, *self.equalities], chosen)
        return [terms.implies(term, conclusion) for conclusion in conclusions]

    def _conclusions(self, chosen: _Rows) -> Iterator[Term]:
        """What holds in these states, but not in all."""
        states = [self.states[number] for number in chosen]
        if len(chosen) >= _FEWEST_FOR_RELATIONS:
            yield from self._relations(states)
        for position, variable in enumerate(self.variables):
            if variable in self.elements:
                values = {state[position] for state in states}
                if len(values) <= len(chosen) // 2 and values != {state[position] for state in self.states}:
                    yield from formulas(variable, frozenset(values))
        yield from _which(self.compared, chosen)

    def _relations(self, chosen: Sequence[Sequence[int]]) -> Iterator[Term]:
        for width in sorted({terms.width(each) for each in self.elements} - {1}):
            positions = [i for i, variable in enumerate(self.variables) if terms.width(variable) == width]
            variables = [self.variables[i] for i in positions]
            states = [[state[i] for i in positions] for state in chosen]
            for relation in [*sparse_relations(states, width), *relations(states, width)]:
                mentioned = [variable for variable, factor in zip(variables, relation[1:], strict=True) if factor]
                if not self.elements.isdisjoint(mentioned):
                    yield relation_term(relation, variables, width)


def _orders(atoms: Sequence[Term]) -> Iterator[Term]:
    """Is the index below a variable that the program compares it with? As unsigned numbers, and as signed ones: a loop downwards
    may end below 0."""
    pairs = dict.fromkeys(pair for atom in atoms for pair in _compared_with_index(atom))
    for operator in ("bvult", "bvslt"):
        for index, other in pairs:
            if other.operator == "state":
                yield make(operator, BOOL, index, other)
                yield make(operator, BOOL, other, index)


def _bounds(atoms: Sequence[Term]) -> Iterator[Term]:
    """Is the index below what such a variable is compared with?"""
    for index, variable in dict.fromkeys(pair for atom in atoms for pair in _compared_with_index(atom)):
        for atom in atoms:
            if atom.operator in COMPARISONS and variable in atom.arguments:
                for other in atom.arguments:
                    if other.sort == index.sort and other.operator in ("state", "const") and other not in (index, variable):
                        if other.operator == "const" or not (is_index(other.payload) or is_element(other.payload)):
                            yield make("bvult", BOOL, index, other)


def _compared_with_index(atom: Term) -> Iterator[tuple[Term, Term]]:
    if atom.operator in COMPARISONS:
        for index, other in (atom.arguments, atom.arguments[::-1]):
            if index.operator == "state" and is_index(index.payload):
                yield index, other


def _sides(conditions: Sequence[_Condition], everywhere: _Rows) -> Iterator[_Condition]:
    for atom, rows in conditions:
        yield atom, rows
        yield negate(atom), everywhere - rows


def _both(one: _Condition, other: _Condition) -> _Condition:
    return make("and", BOOL, one[0], other[0]), one[1] & other[1]


def _which(conditions: Sequence[_Condition], chosen: _Rows) -> Iterator[Term]:
    """Those that hold in all chosen states, and the negations of those that hold in none."""
    for atom, rows in conditions:
        if chosen <= rows:
            yield atom
        if chosen.isdisjoint(rows):
            yield negate(atom)
