"""The steps of threads as formulas: from where a step begins to where the next one does.

A step reads and writes global variables and those of the thread that takes it; one that creates a thread gives variables to the
new one, too. Symbols of these are the names of the program. In a claim about one thread or two, whose variable is meant is said
by the slot of the thread, 1 or 2, before its name (`slot_name`).
"""

from __future__ import annotations

import msgspec

from drystone.ir.automaton import Program
from drystone.ir.expressions import Constant, Variable
from drystone.logic import terms
from drystone.logic.sorts import Sort
from drystone.logic.terms import FALSE, Term
from drystone.passes.tailcalls import without_tail_calls
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.states import State
from drystone.symbolic.transformers import Bad, bad_places
from drystone.threads.instances import MAIN
from drystone.threads.scalar_templates import GLOBAL, Refused, ScalarTemplates, scalar
from drystone.threads.templates import templates

Key = tuple[int, ...]
"""What a claim is about: the place of a thread, or the places of two, the smaller one first."""


def slot_name(slot: int, name: str) -> str:
    """The variable of the thread in a slot; slots are counted from 1."""
    return f"{slot}|{name}"


class Way(msgspec.Struct, frozen=True):
    """One way that a step may go: to the target, exactly when the guard holds; values of what is not in there stay."""

    target: int
    guard: Term
    values: dict[str, Term]
    changes_globals: bool


class Step(msgspec.Struct, frozen=True):
    """From a location; `creates`: the role of the new thread."""

    start: int
    ways: list[Way]
    bad: list[Bad]
    creates: int | None


class Steps:
    """Of the threads of a program. Raises `TooLarge`, and `Refused` where there is something that cannot be said."""

    def __init__(self, program: Program, max_edges: int) -> None:
        self.templates: ScalarTemplates = scalar(templates(without_tail_calls(program), max_edges))
        parts = self.templates
        anywhere = bool(parts.regions.pointers.shown)
        self.symbolic = _Whole(parts.program, parts.regions, inductive=True, anywhere=anywhere)
        self.sorts: dict[str, Sort] = self.symbolic.sorts
        self.roles, self.owner = parts.roles, parts.owner
        self.initial = {name: value for name, value in self.symbolic.initial().environment.items() if name in self.owner}
        self.steps: dict[int, Step] = {}
        waiting = [self.roles[MAIN].entry]
        while waiting:
            start = waiting.pop()
            if start in self.steps or start in parts.ended:
                continue
            step = self.steps[start] = self._step(start)
            waiting += [way.target for way in step.ways]
            if step.creates is not None:
                waiting.append(self.roles[step.creates].entry)
        self.places = sorted(self.steps)

    def _step(self, start: int) -> Step:
        symbolic, starts = self.symbolic, self.templates.starts
        taken = symbolic.step(start, symbolic.symbolic(), symbolic.order(start, starts), starts, f"@{start}")
        creates = self.templates.creates.get(start)
        ways = [
            self._way(start, creates, target, state) for target, state in taken.exits.items() if state.guard.term is not FALSE
        ]
        return Step(start, ways, bad_places(symbolic, taken), creates)

    def _way(self, start: int, creates: int | None, target: int, state: State) -> Way:
        values = {
            name: value
            for name, value in state.environment.items()
            if name in self.owner and value is not terms.state(name, self.sorts[name])
        }
        if not {self.owner[name] for name in values} <= {GLOBAL, self.role_of(start), creates}:
            raise Refused("a thread is created in several steps")
        return Way(target, state.guard.term, values, any(self.owner[name] == GLOBAL for name in values))

    def role_of(self, place: int) -> int:
        return self.templates.role_of[place]

    def is_interior(self, place: int) -> bool:
        return place in self.templates.interior

    def is_ended(self, place: int) -> bool:
        return place in self.templates.ended

    def globals(self) -> list[str]:
        return [name for name, owner in self.owner.items() if owner == GLOBAL and name in self.sorts]

    def locals(self, place: int) -> list[str]:
        """What a thread that is there has and may still read."""
        role = self.role_of(place)
        live = self.symbolic.still_read(place)
        return [name for name in live if self.owner.get(name) == role]

    def identifier(self, place: int) -> str | None:
        """The variable with the number of a thread that is there, if several may be of its role, and the number matters."""
        known = self.roles[self.role_of(place)].identifier
        return known.name if isinstance(known, Variable) and known.name in self.owner else None

    @property
    def numbers(self) -> list[int]:
        """No thread of a role with several has one of these: nobody's, and those of roles with one thread."""
        return [0, *(role.identifier.value for role in self.roles if isinstance(role.identifier, Constant))]

    def where(self, place: int) -> str:
        edges = self.symbolic.outgoing[place]
        procedure = self.symbolic.procedure
        return self.templates.program.where(procedure.edges[edges[0]].origin if edges else procedure.origin)

    def constraints(self) -> list[Term]:
        """Where objects may lie."""
        return list(self.symbolic.memory.constraints)


def vocabulary(steps: Steps, key: Key) -> dict[str, Term]:
    """The variables that a claim may be about: global ones, and what the threads may still read."""
    found = {name: terms.state(name, steps.sorts[name]) for name in steps.globals()}
    for slot, place in enumerate(key, 1):
        identifier = steps.identifier(place)
        names = [*steps.locals(place), *([identifier] if identifier is not None else ())]
        found |= {slot_name(slot, name): terms.state(slot_name(slot, name), steps.sorts[name]) for name in names}
    return found


class _Whole(SymbolicProgram):
    """What a thread does not read any more others may: all is merged where ways join."""

    def live(self, location: int) -> list[str] | None:
        return None

    def still_read(self, location: int) -> list[str]:
        found = super().live(location)
        return found if found is not None else list(self.sorts)
