"""Boolean predicate abstraction of what a block does: which combinations of predicates hold at its exit?

The combinations are enumerated by models. Where there are too many, the Cartesian abstraction takes their place: the literals
that all states have in common. It is weaker, so no state is lost; clauses that earlier refutations rely on are kept if they hold.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.solvers.queries import Queries, Signs
from drystone.symbolic.transformers import Exit

Cube = tuple[bool | None, ...]
"""Per predicate whether it holds; None: either way."""


class Abstraction(msgspec.Struct, frozen=True):
    """A disjunction of cubes over predicates that holds at an exit."""

    cubes: tuple[Term, ...]
    combinations: tuple[Signs, ...] = ()  # of the predicates' values
    common: tuple[Term, ...] | None = None  # for the Cartesian one: the formulas that it is the conjunction of

    @property
    def is_cartesian(self) -> bool:
        return self.common is not None


def boolean_abstraction(
    queries: Queries,
    before: Sequence[Term],
    way: Exit,
    predicates: Sequence[Term],
    clauses: Sequence[Term],
    cap: int,
    stronger: Abstraction | None = None,
) -> Abstraction:
    """Of the states that leave by this exit from states that satisfy `before`; the strongest if `cap` combinations suffice.

    `stronger`: that of fewer states, with the same predicates and clauses; what they can do, these can do as well.
    """
    base = [*before, way.guard]
    images = [way.after(each) for each in predicates]
    if FALSE in base:
        return Abstraction(())
    if not predicates:
        return Abstraction((TRUE,) if queries.is_satisfiable(base) else ())
    if stronger is not None and stronger.common is not None:
        return _cartesian(queries, base, way, stronger.common)
    found: list[Signs] = list(stronger.combinations) if stronger is not None else []
    for signs in queries.models(base, images, known=found):
        found.append(signs)
        if len(found) > cap:
            return _cartesian(queries, base, way, [*clauses, *_common(predicates, found)])
    cubes = {terms.conjunction(_literals(predicates, cube)) for cube in merged(found)}
    return Abstraction(tuple(sorted(cubes, key=lambda cube: cube.hash)), tuple(found))


def cartesian_abstraction(
    queries: Queries, before: Sequence[Term], way: Exit, predicates: Sequence[Term], clauses: Sequence[Term]
) -> Abstraction:
    """The literals over predicates, and the clauses, that hold in all states that leave by this exit from `before`."""
    base = [*before, way.guard]
    if FALSE in base or not queries.is_satisfiable(base):
        return Abstraction(())
    literals = [literal for each in predicates for literal in (each, terms.negate(each))]
    return _cartesian(queries, base, way, [*literals, *clauses])


def merged(cubes: Sequence[Cube]) -> list[Cube]:
    """The same states in fewer cubes: two that differ in one sign become one."""
    current = dict.fromkeys(cubes)
    changed = True
    while changed:
        changed = False
        for position in range(len(cubes[0]) if cubes else 0):
            groups: dict[Cube, list[Cube]] = {}
            for cube in current:
                if cube[position] is not None:
                    groups.setdefault(cube[:position] + cube[position + 1 :], []).append(cube)
            for rest, both in groups.items():
                if len(both) == 2:
                    for cube in both:
                        del current[cube]
                    current[rest[:position] + (None,) + rest[position:]] = None
                    changed = True
    return list(current)


def _common(predicates: Sequence[Term], found: Sequence[Signs]) -> list[Term]:
    """The literals that hold in all combinations."""
    by_predicate = zip(predicates, zip(*found, strict=True), strict=True)
    return [each if signs[0] else terms.negate(each) for each, signs in by_predicate if len(set(signs)) == 1]


def _cartesian(queries: Queries, base: Sequence[Term], way: Exit, candidates: Sequence[Term]) -> Abstraction:
    """Those of the candidates that hold in all states."""
    images = {candidate: way.after(candidate) for candidate in candidates}
    implied = queries.implied(base, images.values())
    common = tuple(candidate for candidate, image in images.items() if image in implied)
    return Abstraction((terms.conjunction(common),), common=common)


def _literals(predicates: Sequence[Term], signs: Cube) -> list[Term]:
    return [each if sign else terms.negate(each) for each, sign in zip(predicates, signs, strict=True) if sign is not None]
