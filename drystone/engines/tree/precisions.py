"""Predicates by location, as messages have them, and what states that are told by them mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from drystone.cpa.domains.predicates.abstraction import merged
from drystone.cpa.domains.predicates.states import Local, Precision
from drystone.engines.tree.states import Clause, Order, State
from drystone.ir.automaton import Mark
from drystone.logic import terms
from drystone.logic.packing import pack, unpack
from drystone.logic.terms import Term

NOTHING = Local()


class Told(msgspec.Struct, frozen=True):
    """`ignored`: places that may be reached, so that there is no proof any more, but perhaps an error elsewhere."""

    precision: Precision
    ignored: frozenset[Mark] = frozenset()


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    locals: tuple[tuple[int, int, int], ...]  # locations, and how many predicates and clauses they have
    terms: bytes
    ignored: tuple[Mark, ...]


_DECODER = msgspec.msgpack.Decoder(_Packed)


def pack_told(told: Told) -> bytes:
    locals = sorted(told.precision.items())
    formulas = [formula for _, local in locals for formula in (*local.predicates, *local.clauses)]
    counts = tuple((location, len(local.predicates), len(local.clauses)) for location, local in locals)
    return msgspec.msgpack.encode(_Packed(counts, pack(formulas), tuple(sorted(told.ignored, key=repr))))


def unpack_told(data: bytes) -> Told:
    packed = _DECODER.decode(data)
    formulas = iter(unpack(packed.terms))
    precision = {}
    for location, predicates, clauses in packed.locals:
        precision[location] = Local(
            tuple(next(formulas) for _ in range(predicates)), tuple(next(formulas) for _ in range(clauses))
        )
    return Told(precision, frozenset(packed.ignored))


def order_of(precision: Precision) -> Order:
    return Order({location: tuple(clause for _, clause in told_clauses(local)) for location, local in precision.items()})


def told_clauses(local: Local) -> list[tuple[Term, Clause]]:
    """The clauses as bits over the predicates. One that is not over them cannot be compared with combinations, and is left out:
    the abstraction without it is weaker."""
    number = {predicate: 1 << position for position, predicate in enumerate(local.predicates)}
    found = []
    for clause in local.clauses:
        positive = negative = 0
        is_told = True
        for literal in terms.conjuncts(terms.negate(clause)):  # of what the clause excludes
            if literal in number:
                negative |= number[literal]
            elif (atom := terms.negate(literal)) in number:
                positive |= number[atom]
            else:
                is_told = False
        if is_told:
            found.append((clause, (positive, negative)))
    return found


def meaning(state: State, local: Local) -> Term:
    """The states of the program that it stands for."""
    predicates = local.predicates
    if state.is_cartesian:
        holds, fails, kept = state.bits
        literals = [*_those(predicates, holds), *map(terms.negate, _those(predicates, fails))]
        return terms.conjunction([*literals, *_those([clause for clause, _ in told_clauses(local)], kept)])
    cubes = merged([tuple(bool(bits >> number & 1) for number in range(len(predicates))) for bits in state.bits])
    return terms.disjunction(
        terms.conjunction(
            predicate if sign else terms.negate(predicate)
            for predicate, sign in zip(predicates, cube, strict=True)
            if sign is not None
        )
        for cube in cubes
    )


def _those(formulas: Sequence[Term], bits: int) -> Iterator[Term]:
    return (each for number, each in enumerate(formulas) if bits >> number & 1)
