"""Errors inside functions of the library, where memory is checked: they belong to the calls in the program's own functions.

Each such call gets a copy of the model, and of the models that this one calls, whose errors are those of the call: its place, and
its text instead of the name of a function. What is called through pointers keeps its errors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import msgspec

from drystone.checks.registry import MEMORY
from drystone.ir import names
from drystone.ir.automaton import Edge, Mark, MarkKind, Origin, Procedure
from drystone.ir.operations import Call


def errors_at_calls(
    procedures: Mapping[str, Procedure],
    models: Collection[str],
    texts: Mapping[Origin, str],
    is_error: Callable[[str, Origin], bool],
) -> dict[str, Procedure]:
    """`texts`: of the calls, by their places. `is_error`: is what is said of a place one, or where the path ends?"""
    found = dict(procedures)
    failing = _failing(procedures, models)
    number = 0
    for name, procedure in procedures.items():
        edges = list(procedure.edges)
        for index, edge in enumerate(edges):
            operation = edge.operation
            if name not in models and isinstance(operation, Call) and operation.procedure in failing and edge.origin in texts:
                number += 1
                text = texts[edge.origin]
                copies = _Copies(procedures, failing, (number, name), edge.origin, text, is_error)
                called = msgspec.structs.replace(operation, procedure=copies.of(operation.procedure))
                edges[index] = msgspec.structs.replace(edge, operation=called)
                found.update(copies.made)
        found[name] = msgspec.structs.replace(procedure, edges=edges)
    return found


def _failing(procedures: Mapping[str, Procedure], models: Collection[str]) -> set[str]:
    """Models with errors of memory, also in models that they call."""
    found = {name for name in models if name in procedures and any(map(_is_of_memory, procedures[name].marks.values()))}
    calls = {name: set(_called(procedures[name])) for name in models if name in procedures}
    while more := {name for name, called in calls.items() if name not in found and not called.isdisjoint(found)}:
        found |= more
    return found


def _called(procedure: Procedure) -> list[str]:
    return [edge.operation.procedure for edge in procedure.edges if isinstance(edge.operation, Call)]


def _is_of_memory(mark: Mark) -> bool:
    return mark.kind is MarkKind.ERROR and mark.convention in MEMORY


class _Copies:
    """Of models, for one call."""

    def __init__(
        self,
        procedures: Mapping[str, Procedure],
        failing: Collection[str],
        call: tuple[int, str],
        place: Origin,
        text: str,
        is_error: Callable[[str, Origin], bool],
    ) -> None:
        self._procedures, self._failing, self._is_error = procedures, failing, is_error
        self._call, self._place, self._text = call, place, text
        self.made: dict[str, Procedure] = {}

    def of(self, name: str) -> str:
        if name not in self._failing:
            return name
        copied = names.at_call(name, *self._call)
        if copied not in self.made:
            procedure = self._procedures[name]
            self.made[copied] = msgspec.structs.replace(procedure, name=copied)  # before the calls of itself
            marks = {location: self._moved(mark, name) for location, mark in procedure.marks.items()}
            edges = [self._edge(edge) for edge in procedure.edges]
            self.made[copied] = msgspec.structs.replace(procedure, name=copied, marks=marks, edges=edges)
        return copied

    def _edge(self, edge: Edge) -> Edge:
        operation = edge.operation
        if not isinstance(operation, Call) or operation.procedure not in self._failing:
            return edge
        return msgspec.structs.replace(edge, operation=msgspec.structs.replace(operation, procedure=self.of(operation.procedure)))

    def _moved(self, mark: Mark, owner: str) -> Mark:
        if not _is_of_memory(mark):
            return mark
        what = mark.what.removesuffix(f"{names.spelled(owner)}()") + self._text
        if not self._is_error(what, self._place):
            return Mark(MarkKind.HALT, what, self._place)
        return msgspec.structs.replace(mark, what=what, origin=self._place)
