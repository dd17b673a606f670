"""Where in the user's own text something happens: what happens in a model of the library, happens where the user calls it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import msgspec

from drystone.frontend.library.models import is_in_model
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Edge, OpenCall, Origin, Program
from drystone.ir.callgraph import call_sites


class UserPlace(msgspec.Struct, frozen=True):
    origin: Origin
    function: str = ""  # of the library, which is called there; empty if the place itself is the user's

    def text(self, program: Program) -> str:
        """`file:line`."""
        return program.where(self.origin)


def user_place(program: Program, origin: Origin, calls: Sequence[OpenCall] = ()) -> UserPlace:
    """`calls`: that are open, outermost first. Where they are not known, the first call that may lead there."""
    if not is_own(program, origin):
        return UserPlace(origin)
    for call in reversed(calls):
        if not is_own(program, call.origin):
            return UserPlace(call.origin, names.spelled(call.function))
    return _first_way(program, origin) or UserPlace(origin)


def is_own(program: Program, origin: Origin) -> bool:
    """Has drystone added it?"""
    return origin.file < 0 or is_in_model(program, origin)


def _first_way(program: Program, origin: Origin) -> UserPlace | None:
    """The first call, in the order of the text, by which the user's functions may get to this place of a model."""
    waiting = deque(name for name, each in program.procedures.items() if any(edge.origin == origin for edge in each.edges))
    callers, seen = call_sites(program), set(waiting)
    while waiting:
        callee = waiting.popleft()
        if (place := _first(program, callers.get(callee, ()))) is not None:
            return UserPlace(place, names.spelled(callee))
        for caller, _ in callers.get(callee, ()):
            if caller not in seen:
                seen.add(caller)
                waiting.append(caller)
    return None


def first_call(program: Program, function: str) -> Origin:
    """Where the user's functions call it first, in the order of the text."""
    return _first(program, call_sites(program).get(function, ())) or NOWHERE


def _first(program: Program, calls: Sequence[tuple[str, Edge]]) -> Origin | None:
    places = [edge.origin for _, edge in calls if not is_own(program, edge.origin)]
    return min(places, key=lambda place: (place.file, place.line, place.column), default=None)
