"""Reached states as a formula, for a certificate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from drystone.cpa.domains.values.code import Steps
from drystone.cpa.domains.values.states import State
from drystone.logic import terms
from drystone.logic.sorts import BOOL, Array
from drystone.logic.terms import FALSE, TRUE, Term, make

Row = tuple[int | None, ...]


def invariants(steps: Steps, location: int, states: Collection[State]) -> list[Term]:
    """What the states at a location say together: first what is the same in all of them, then which ones there are."""
    columns = list(_columns(steps, location))
    rows = {tuple(_row(state)) for state in states}
    if not rows:
        return [FALSE]
    by_column = list(zip(*rows, strict=True)) if columns else []
    fixed = [number for number, values in enumerate(by_column) if len(set(values)) == 1]
    found = [literal for number in fixed if (literal := _literal(columns[number], by_column[number][0])) is not TRUE]
    others = [number for number in range(len(columns)) if number not in fixed]
    if others:
        rest = _tree([columns[number] for number in others], {tuple(row[number] for number in others) for row in rows})
        found += [rest] if rest is not TRUE else []
    return found


def _columns(steps: Steps, location: int) -> Iterator[Term]:
    """A term per variable and per cell."""
    sorts = steps.symbolic.sorts
    for name in steps.live(location):
        sort, whole = sorts[name], terms.state(name, sorts[name])
        if isinstance(sort, Array):
            for address in steps.cells.index[name]:
                yield make("select", sort.element, whole, terms.constant(sort.index, address))
        else:
            yield whole


def _row(state: State) -> Iterator[int | None]:
    for value in state[1:]:
        if isinstance(value, tuple):
            yield from value
        else:
            yield value  # type: ignore[misc]


def _literal(term: Term, value: int | None) -> Term:
    if value is None:
        return TRUE
    if term.sort == BOOL:
        return term if value else terms.negate(term)
    return terms.equal(term, terms.constant(term.sort, int(value)))


def _tree(columns: Sequence[Term], rows: Collection[Row]) -> Term:
    """The values of the first column, and under each of them those of the others."""
    suffixes: dict[Row, Term] = dict.fromkeys(rows, TRUE)
    for column in reversed(columns):
        grouped: dict[Row, list[Term]] = {}
        for row, rest in suffixes.items():
            grouped.setdefault(row[:-1], []).append(make("and", BOOL, _literal(column, row[-1]), rest))
        suffixes = {row: terms.disjunction(ways) for row, ways in grouped.items()}
    return suffixes[()]
