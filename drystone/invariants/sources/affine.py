"""Affine equalities modulo 2^w between variables of one width, learned from sampled states.

All relations `a0 + a1·x1 + … + an·xn = 0 (mod 2^w)` that hold in a set of states form a module over Z/2^w. Its generators are
refined state by state: of the generators that a state falsifies, the one whose value has the fewest trailing
zeros clears the others, and goes on multiplied by the power of two that makes its own value zero. This keeps all
relations, also those that hold only after scaling by 2^j (cf. Müller-Olm, Seidl 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drystone.invariants.context import Candidates, Context
from drystone.logic import terms
from drystone.logic.sorts import bitvec
from drystone.logic.terms import Term, equal, make
from drystone.symbolic.transformers import TransitionSystem

MOST_VARIABLES = 40
FEWEST_STATES = 3
LARGEST_COEFFICIENT = 1 << 10
_MOST_FACTOR = 64
_MOST_TRIPLES = 60

Relation = list[int]
"""The coefficient of 1, then of each variable."""


class Affine:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        found: Candidates = {}
        for cut in system.cut_points:
            if context.deadline.expired():
                break
            found[cut] = self._at(context, cut)[: context.limit]
        return found

    def _at(self, context: Context, cut: int) -> list[Term]:
        by_width: dict[int, list[Term]] = {}
        for observed in [
            *context.observables(cut, 4 * MOST_VARIABLES),
            *(each for each in context.atoms.expressions(cut) if not is_linear(each)),
        ]:
            by_width.setdefault(terms.width(observed), []).append(observed)
        found: list[Term] = []
        for width, variables in by_width.items():
            variables = variables[:MOST_VARIABLES]
            if width < 2:
                continue
            states = context.values(cut, variables)
            if len(states) < FEWEST_STATES:
                continue
            sparse = [relation_term(each, variables, width) for each in sparse_relations(states, width)]
            backwards = [state[::-1] for state in states]
            dense = [relation_term(each, variables, width) for each in relations(states, width)]
            dense += [relation_term(each, variables[::-1], width) for each in relations(backwards, width)]
            found += [*sparse, *dense]
        return context.consistent(cut, found)


def is_linear(term: Term) -> bool:
    """Does the term say nothing that sums of multiples of its arguments do not say?"""
    if term.operator in ("bvmul", "bvshl", "scale"):
        return any(argument.operator == "const" for argument in term.arguments)
    return term.operator in ("bvadd", "bvsub", "bvneg", "bvnot")


def relations(states: Sequence[Sequence[int]], width: int) -> list[Relation]:
    """Generators of the module of relations that hold in all states, in echelon form: the last variables by the first."""
    count = len(states[0])
    mask = (1 << width) - 1
    generators: list[Relation] = [[int(i == j) for j in range(count + 1)] for i in range(count + 1)]
    for state in states:
        values = [(each[0] + sum(a * x for a, x in zip(each[1:], state, strict=True) if a)) & mask for each in generators]
        wrong = [i for i, value in enumerate(values) if value]
        if not wrong:
            continue
        pivot = min(wrong, key=lambda i: (_trailing_zeros(values[i]), i))
        zeros = _trailing_zeros(values[pivot])
        inverse = pow(values[pivot] >> zeros, -1, 1 << width)
        lead = generators[pivot]
        for i in wrong:
            if i != pivot:
                factor = (values[i] >> zeros) * inverse & mask
                generators[i] = [(a - factor * b) & mask for a, b in zip(generators[i], lead, strict=True)]
        generators[pivot] = [a << width - zeros & mask for a in lead]
    rows = _echelon([each for each in generators if any(each)], width)
    tidied = [_tidied(lead.row, rows[number + 1 :], width) for number, lead in enumerate(rows)]
    return [each for each in tidied if each is not None]


def _trailing_zeros(value: int) -> int:
    return (value & -value).bit_length() - 1


class _Lead(NamedTuple):
    """A relation, and the last variable that it has, with 2^zeros as its coefficient."""

    row: Relation
    column: int
    zeros: int


def _echelon(rows: list[Relation], width: int) -> list[_Lead]:
    """Generators of the same module: each leads with a variable that no other row has, where its coefficient is odd."""
    mask = (1 << width) - 1
    done: list[_Lead] = []
    rest = rows
    columns = len(rows[0]) if rows else 0
    for column in range(columns - 1, 0, -1):
        having = [row for row in rest if row[column]]
        if not having:
            continue
        lead = min(having, key=lambda row: _trailing_zeros(row[column]))
        zeros = _trailing_zeros(lead[column])
        inverse = pow(lead[column] >> zeros, -1, 1 << width)
        lead_row = [a * inverse & mask for a in lead]
        cleared = []
        for row in rest:
            if row is lead:
                continue
            if row[column]:
                row = [(a - (row[column] >> zeros) * b) & mask for a, b in zip(row, lead_row, strict=True)]
            if any(row):
                cleared.append(row)
        rest = cleared
        if zeros == 0:
            done = [each._replace(row=_without(each.row, column, lead_row, mask)) for each in done]
        else:  # its multiple by 2^(w-zeros) has no such variable any more, but may say something of the others
            multiple = [a << width - zeros & mask for a in lead_row]
            if any(multiple):
                rest.append(multiple)
        done.append(_Lead(lead_row, column, zeros))
    return done


def _without(row: Relation, column: int, lead: Relation, mask: int) -> Relation:
    return [(a - row[column] * b) & mask for a, b in zip(row, lead, strict=True)] if row[column] else row


def _reduced(row: Relation, leads: Sequence[_Lead], mask: int) -> Relation:
    """Where others lead with an even coefficient, the remainder of that of the row is enough."""
    for lead, column, zeros in leads:
        modulus = 1 << zeros
        times = (row[column] + modulus // 2) // modulus
        if zeros and times:
            row = [(a - times * b) & mask for a, b in zip(row, lead, strict=True)]
    return row


def _tidied(relation: Relation, others: Sequence[_Lead], width: int) -> Relation | None:
    """An equivalent relation of small coefficients; None if there is none: it costs a solver much and helps hardly ever."""
    mask, half = (1 << width) - 1, 1 << width - 1

    def largest(row: Relation) -> int:
        return max((abs((a ^ half) - half) for a in row[1:]), default=0)

    even = [each for each in others if each.zeros]
    multiples = ([factor * a & mask for a in relation] for factor in range(1, _MOST_FACTOR, 2))
    best = min((_reduced(each, even, mask) for each in multiples), key=largest)
    power = min((_trailing_zeros(a) for a in best[1:] if a), default=0)
    return best if largest(best) >> power <= LARGEST_COEFFICIENT or width <= 8 else None


def sparse_relations(states: Sequence[Sequence[int]], width: int) -> Iterator[Relation]:
    """`x = c`, `x ± y = c` and `x + y ± z = c`, found by hashing how the variables change from the first state on."""
    count = len(states[0])
    mask = (1 << width) - 1
    first = states[0]
    changes = [tuple([(state[i] - first[i]) & mask for state in states[1:]]) for i in range(count)]
    still = [i for i in range(count) if not any(changes[i])]
    moving = [i for i in range(count) if any(changes[i])]
    for i in still:
        yield _sparse(count, mask, {i: 1}, first)
    where: dict[tuple[int, ...], list[int]] = {}
    for i in moving:
        where.setdefault(changes[i], []).append(i)
    for alike in where.values():
        for j in alike[1:]:
            yield _sparse(count, mask, {alike[0]: 1, j: -1}, first)
    for i in moving:
        opposite = tuple([-change & mask for change in changes[i]])
        for j in where.get(opposite, ()):
            if i < j:
                yield _sparse(count, mask, {i: 1, j: 1}, first)
    triples = 0
    kinds = [alike[0] for alike in where.values()]
    for position, i in enumerate(kinds):
        for j in kinds[position + 1 :]:
            total = tuple([(a + b) & mask for a, b in zip(changes[i], changes[j], strict=True)])
            negated = tuple([-a & mask for a in total])
            for k in where.get(total, ())[:1]:
                yield _sparse(count, mask, {i: 1, j: 1, k: -1}, first)
                triples += 1
            for k in where.get(negated, ())[:1]:
                if k > j:
                    yield _sparse(count, mask, {i: 1, j: 1, k: 1}, first)
                    triples += 1
            if triples > _MOST_TRIPLES:
                return


def _sparse(count: int, mask: int, coefficients: dict[int, int], state: Sequence[int]) -> Relation:
    relation = [0] * (count + 1)
    for i, a in coefficients.items():
        relation[i + 1] = a & mask
        relation[0] = (relation[0] - a * state[i]) & mask
    return relation


def relation_term(relation: Relation, variables: Sequence[Term], width: int) -> Term:
    """The relation as an equation, with coefficients that are negative as signed numbers on its right side."""
    sort = bitvec(width)
    left: list[Term] = []
    right: list[Term] = []
    constant = relation[0]
    for coefficient, variable in zip(relation[1:], variables, strict=True):
        if coefficient:
            negative = coefficient >> (width - 1) and coefficient != 1 << (width - 1)
            factor = -coefficient & (1 << width) - 1 if negative else coefficient
            part = variable if factor == 1 else make("bvmul", sort, terms.constant(sort, factor), variable)
            (right if negative else left).append(part)
    if constant >> (width - 1):
        right.append(terms.constant(sort, -constant))
    elif constant:
        left.append(terms.constant(sort, constant))
    return equal(_sum(left, width), _sum(right, width))


def _sum(parts: list[Term], width: int) -> Term:
    total = terms.constant(bitvec(width), 0)
    for part in parts:
        total = make("bvadd", bitvec(width), total, part)
    return total
