"""Boolean predicate abstraction of what a block does: which combinations of predicates hold at its exit?

The combinations are enumerated by models. Where there are too many, the Cartesian abstraction takes their place: the literals
that all states have in common. It is weaker, so no state is lost; clauses that earlier refutations rely on are kept if they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from drystone.engines.dss.queries import Queries
from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.program.transformers import Exit

Signs = tuple[bool | None, ...]
"""Per predicate whether it holds; None: either way."""


@dataclass(frozen=True)
class Abstraction:
    """A disjunction of cubes over predicates that holds at an exit."""

    cubes: tuple[Term, ...]
    is_cartesian: bool = False


def boolean_abstraction(
    queries: Queries, before: Sequence[Term], way: Exit, predicates: Sequence[Term], clauses: Sequence[Term], cap: int
) -> Abstraction:
    """Of the states that leave by this exit from states that satisfy `before`; the strongest if there are at most `cap` cubes."""
    base = [*before, way.guard]
    images = [way.after(each) for each in predicates]
    if FALSE in base:
        return Abstraction(())
    if not predicates:
        return Abstraction((TRUE,) if queries.is_satisfiable(base) else ())
    found: list[tuple[bool, ...]] = []
    with queries.assuming(base) as also:
        while queries.has_model():
            signs = tuple(map(bool, queries.values(images)))
            found.append(signs)
            if len(found) > cap:
                break
            also(terms.negate(terms.conjunction(_literals(images, signs))))
    if len(found) > cap:
        return Abstraction(_cartesian(queries, base, way, predicates, clauses, found), is_cartesian=True)
    cubes = {terms.conjunction(_literals(predicates, signs)) for signs in merged(found)}
    return Abstraction(tuple(sorted(cubes, key=lambda cube: cube.hash)))


def merged(cubes: Sequence[Signs]) -> list[Signs]:
    """The same states in fewer cubes: two that differ in one sign become one."""
    current = dict.fromkeys(cubes)
    changed = True
    while changed:
        changed = False
        for position in range(len(cubes[0]) if cubes else 0):
            groups: dict[Signs, list[Signs]] = {}
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


def _cartesian(
    queries: Queries,
    base: Sequence[Term],
    way: Exit,
    predicates: Sequence[Term],
    clauses: Sequence[Term],
    found: Sequence[tuple[bool, ...]],
) -> tuple[Term, ...]:
    """What all states have in common, of the literals that all models so far have in common, and the clauses."""
    candidates = list(clauses)
    for position, predicate in enumerate(predicates):
        signs = {each[position] for each in found}
        if len(signs) == 1:
            candidates.append(predicate if signs.pop() else terms.negate(predicate))
    images = {candidate: way.after(candidate) for candidate in candidates}
    while candidates and queries.is_satisfiable([*base, terms.negate(terms.conjunction(images[each] for each in candidates))]):
        values = queries.values([images[each] for each in candidates])
        candidates = [each for each, value in zip(candidates, values, strict=True) if value]
    return (terms.conjunction(candidates),)


def _literals(predicates: Sequence[Term], signs: Signs) -> list[Term]:
    return [each if sign else terms.negate(each) for each, sign in zip(predicates, signs, strict=True) if sign is not None]
