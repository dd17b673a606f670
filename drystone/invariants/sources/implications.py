"""What holds under a condition only: `flag = c => x = d`, `x >= m => x = y`.

The conditions are values of flags (variables of few values in the samples) and the program's own branch conditions. What
is proposed to follow holds in the sampled states with the condition, but not in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drystone.invariants.compiled_terms import CompiledTerms
from drystone.invariants.context import Candidates, Context
from drystone.invariants.sampling import MOST_STATES
from drystone.invariants.sources.affine import relation_term, relations, sparse_relations
from drystone.invariants.sources.guards import comparisons
from drystone.logic import terms
from drystone.logic.terms import Term, equal, negate
from drystone.passes.one_element import is_element, is_index
from drystone.symbolic.transformers import TransitionSystem

FEWEST_STATES = 2
_MOST_FLAGS = 12
_MOST_FLAG_VALUES = 8
_MOST_CONDITIONS = 12  # of those from branches
_MOST_VARIABLES = 24
_MOST_DENSE = 10  # variables for which all affine relations under a condition are computed
_MOST_CONCLUSIONS = 200
_LARGEST_SET = 4

Row = Sequence[int]


class Implications:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        found: Candidates = {}
        for cut in system.cut_points:
            if context.deadline.expired():
                break
            proposed = _At(context, cut).implications() if len(context.samples.at(cut)) >= 2 else []
            found[cut] = _spread(list(dict.fromkeys(proposed)), context.limit)
        return found


class _At:
    """The samples of one cut point as rows: first variables, then truth values of atoms."""

    def __init__(self, context: Context, cut: int) -> None:
        self.context, self.cut = context, cut
        self.variables = context.observables(cut, _MOST_VARIABLES)
        compared = comparisons(context, cut, context.atoms.at(cut))
        positive = dict.fromkeys(atom.arguments[0] if atom.operator == "not" else atom for atom in compared)
        atoms = [atom for atom in positive if atom.operator != "const"]
        compiled = CompiledTerms([*self.variables, *atoms])
        rows = [compiled.values(state) for state in context.samples.at(cut)]
        count = len(self.variables)
        varying = [i for i, atom in enumerate(atoms) if len({row[count + i] for row in rows}) == 2][:_MOST_CONCLUSIONS]
        self.atoms = [atoms[i] for i in varying]
        self.fewest = 1 if len(rows) < MOST_STATES // 2 else FEWEST_STATES  # few states: they are probably all
        self.rows: list[Row] = [[*row[:count], *(row[count + i] for i in varying)] for row in rows]

    def implications(self) -> list[Term]:
        found: list[list[Term]] = []
        for condition, chosen in self._conditions():
            if self.fewest <= len(chosen) < len(self.rows):
                found.append([terms.implies(condition, each) for each in self._conclusions(condition, chosen)])
        return [term for term in in_turn(found) if term.operator != "const"]

    def _conditions(self) -> Iterator[tuple[Term, list[Row]]]:
        flags = 0
        for position, variable in enumerate(self.variables):
            values = sorted({row[position] for row in self.rows})
            if 2 <= len(values) <= _MOST_FLAG_VALUES and flags < _MOST_FLAGS and not _is_of_elements(variable):
                flags += 1
                for value in values:
                    condition = equal(variable, terms.constant(variable.sort, value))
                    yield condition, [row for row in self.rows if row[position] == value]
        index = {atom: len(self.variables) + i for i, atom in enumerate(self.atoms)}
        for atom in [atom for atom in self.context.atoms.own(self.cut) if atom in index][:_MOST_CONDITIONS]:
            yield atom, [row for row in self.rows if row[index[atom]]]
            yield negate(atom), [row for row in self.rows if not row[index[atom]]]

    def _conclusions(self, condition: Term, chosen: Sequence[Row]) -> Iterator[Term]:
        mentioned = set(terms.free_symbols(condition))
        for position, variable in enumerate(self.variables):
            values = {row[position] for row in chosen}
            if len(values) <= min(_LARGEST_SET, len(chosen) + 1 - self.fewest) and variable not in mentioned:
                if len(values) < len({row[position] for row in self.rows}):
                    yield terms.disjunction([equal(variable, terms.constant(variable.sort, value)) for value in values])
        if len(chosen) > 2 * FEWEST_STATES:
            yield from self._relations(chosen)
        count = len(self.variables)
        for i, atom in enumerate(self.atoms):
            seen = {row[count + i] for row in chosen}
            if len(seen) == 1 and not mentioned.issuperset(terms.free_symbols(atom)):
                yield atom if 1 in seen else negate(atom)

    def _relations(self, chosen: Sequence[Row]) -> Iterator[Term]:
        widths = {terms.width(variable) for variable in self.variables}
        for width in sorted(widths - {1}):
            positions = [i for i, variable in enumerate(self.variables) if terms.width(variable) == width]
            variables = [self.variables[i] for i in positions]
            states = [[row[i] for i in positions] for row in chosen]
            everything = [[row[i] for i in positions] for row in self.rows]
            learned = list(sparse_relations(states, width))
            if len(positions) <= _MOST_DENSE:
                learned += relations(states, width)
            for relation in learned:
                if sum(1 for each in relation[1:] if each) > 1 and not _holds(relation, everything, width):
                    yield relation_term(relation, variables, width)


def _is_of_elements(variable: Term) -> bool:
    """Has it few values only because runs begin in few states?"""
    return variable.operator == "state" and (is_index(variable.payload) or is_element(variable.payload))


def _holds(relation: Sequence[int], states: Sequence[Row], width: int) -> bool:
    mask = (1 << width) - 1
    return all((relation[0] + sum(a * x for a, x in zip(relation[1:], state, strict=True) if a)) & mask == 0 for state in states)


def in_turn(lists: Sequence[Sequence[Term]]) -> Iterator[Term]:
    """The first of each, then the second of each, …"""
    for position in range(max(map(len, lists), default=0)):
        for each in lists:
            if position < len(each):
                yield each[position]


def _spread(found: list[Term], most: int) -> list[Term]:
    """The first half, and of the others every so many."""
    if len(found) <= most:
        return found
    half = most // 2
    rest = found[half:]
    return found[:half] + [rest[position * len(rest) // half] for position in range(half)]
