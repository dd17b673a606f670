"""What has to be shown of claims about pairs of threads, so that they hold of any number of them.

A claim says of each place what holds whenever a thread is there, and of each pair of places what holds whenever two threads are
there. A situation has up to three threads in slots: the first one takes a step, the claims about all of them and about each two
of them are assumed, and claims about the threads after the step have to follow. They hold always, if for every step of a thread c

* that thread itself, and it together with any other thread a, satisfy the claims about where the step ends;
* any other thread a, and any two other threads a and b, still satisfy theirs (interference);
* a thread that c creates, alone, with c, and with any other thread a, satisfies the claims about where it begins;

and if the first thread does at the start. Then no error is reachable, if none can be reached by a step from a place where a
thread satisfies its claim. Others may be of the same role as c, unless there is only one thread of that role.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from drystone.logic import terms
from drystone.logic.substitution import Substitution
from drystone.logic.terms import TRUE, Term
from drystone.modular.steps import Key, Step, Steps, Way, slot_name
from drystone.threads.instances import MAIN
from drystone.threads.scalar_templates import GLOBAL

Claimed = tuple[Key, tuple[int, ...]]
"""A claim, and the slots of the threads that it is about."""


class Situation(msgspec.Struct, frozen=True, eq=False):
    """Threads are at `places`; the first one takes a step, this way. The slot after the last one is that of the new thread.
    Without places: at the start of the program."""

    places: tuple[int, ...]
    way: Way | None
    goals: tuple[Claimed, ...]  # after the step
    creates: int | None = None

    def premises(self) -> list[Claimed]:
        found: list[Claimed] = []
        for first, place in enumerate(self.places, 1):
            found.append(((place,), (first,)))
            for second in range(first + 1, len(self.places) + 1):
                found += oriented((place, self.places[second - 1]), (first, second))
        return found


class Situations:
    """All that there are for one program, and what they mean."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.several = {role.number for role in steps.roles if not role.is_unique}
        self._renamed: dict[tuple[Term, tuple[int, ...]], Term] = {}
        self._movers: dict[tuple[int, int], Substitution] = {}

    # which there are

    def all(self) -> Iterator[Situation]:
        yield Situation((), None, (((self.steps.roles[MAIN].entry,), (1,)),))
        for start in self.steps.places:
            step = self.steps.steps[start]
            for way in step.ways:
                yield from self._of(step, way)

    def _of(self, step: Step, way: Way) -> Iterator[Situation]:
        creates = step.creates
        new = self.steps.roles[creates].entry if creates is not None else None
        own = (way.target,) if not self.steps.is_ended(way.target) else ()
        goals: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((place,), (1,)) for place in own]
        if new is not None:
            goals += [((new,), (2,)), *(each for place in own for each in oriented((place, new), (1, 2)))]
        yield Situation((step.start,), way, tuple(goals), creates)
        others = self._others(step.start)
        for other in others:
            goals = [each for place in own for each in oriented((place, other), (1, 2))]
            if way.changes_globals:
                goals.append(((other,), (2,)))
            if new is not None and self._is_possible(other, new):
                goals += oriented((other, new), (2, 3))
            yield Situation((step.start, other), way, tuple(goals), creates)
        for position, first in enumerate(others if way.changes_globals else ()):
            for second in others[position:]:
                if self._is_possible(first, second):
                    yield Situation((step.start, first, second), way, tuple(oriented((first, second), (2, 3))), creates)

    def _others(self, place: int) -> list[int]:
        """Where other threads may be while the one at this place takes a step."""
        return [each for each in self.steps.places if self._is_possible(place, each) and not self.steps.is_interior(each)]

    def _is_possible(self, first: int, second: int) -> bool:
        """May two threads be there?"""
        role = self.steps.role_of(first)
        return role != self.steps.role_of(second) or role in self.several

    # what they mean

    def guard(self, situation: Situation) -> Term:
        """When the step goes this way, with identifiers as they are."""
        if situation.way is None:
            return TRUE
        moved = self._mover(situation.places[0], len(situation.places) + 1)
        return terms.conjunction([moved(situation.way.guard), *self._identifiers(situation)])

    def renamed(self, formula: Term, slots: tuple[int, ...]) -> Term:
        """A claim, whose threads are in slots 1 and 2, about the threads in these slots."""
        if slots in ((1,), (1, 2)):
            return formula
        known = self._renamed.get((formula, slots))
        if known is None:
            mapping = {}
            for symbol in terms.free_symbols(formula):
                slot, bar, name = str(symbol.payload).partition("|")
                if bar:
                    mapping[symbol] = terms.state(slot_name(slots[int(slot) - 1], name), symbol.sort)
            known = self._renamed[formula, slots] = Substitution(mapping)(formula)
        return known

    def after(self, situation: Situation) -> dict[Term, Term]:
        """The values of variables after the step, as terms over those before; of what is not in there, they are the same."""
        way, steps = situation.way, self.steps
        if way is None:
            return {self._variable(name, MAIN, 0): value for name, value in steps.initial.items()}
        start, new = situation.places[0], len(situation.places) + 1
        moved = self._mover(start, new)
        return {self._variable(name, steps.role_of(start), new): moved(value) for name, value in way.values.items()}

    def bad(self, start: int) -> Iterator[tuple[Term, str]]:
        """When the step of a thread in slot 1 gets to something bad, and what that is."""
        moved = self._mover(start, 2)
        for each in self.steps.steps[start].bad:
            place = self.steps.templates.program.where(each.mark.origin)
            yield terms.conjunction([moved(each.guard), *self._distinct([start])]), f"{each.mark.what} at {place}"

    def _mover(self, start: int, new: int) -> Substitution:
        """The variables of the thread that takes the step are those of slot 1, those of a new thread of slot `new`."""
        known = self._movers.get((start, new))
        if known is None:
            steps, role = self.steps, self.steps.role_of(start)
            owned = {name: owner for name, owner in steps.owner.items() if owner in (role, steps.steps[start].creates)}
            known = self._movers[start, new] = Substitution(
                {terms.state(name, steps.sorts[name]): self._variable(name, role, new) for name in owned}
            )
        return known

    def _variable(self, name: str, mover: int, new: int) -> Term:
        owner, sort = self.steps.owner[name], self.steps.sorts[name]
        if owner == GLOBAL:
            return terms.state(name, sort)
        return terms.state(slot_name(1 if owner == mover else new, name), sort)

    def _identifiers(self, situation: Situation) -> list[Term]:
        """Every thread has one of its own, also after the step."""
        found = self._distinct(situation.places)
        if situation.creates in self.several:
            assert situation.creates is not None
            entry = self.steps.roles[situation.creates].entry
            after = Substitution(self.after(situation))
            found += [after(each) for each in self._distinct((*situation.places, entry))]
        return found

    def _distinct(self, places: Sequence[int]) -> list[Term]:
        known: list[Term] = []
        found: list[Term] = []
        for slot, place in enumerate(places, 1):
            identifier = self.steps.identifier(place)
            if identifier is not None:
                own = terms.state(slot_name(slot, identifier), self.steps.sorts[identifier])
                taken = [terms.constant(own.sort, each) for each in self.steps.numbers]
                found += [terms.negate(terms.equal(each, own)) for each in (*taken, *known)]
                known.append(own)
        return found


def oriented(places: tuple[int, int], slots: tuple[int, int]) -> list[Claimed]:
    """The claim about two places, with its slots in its order: both orders, if two threads are at one place."""
    found: list[Claimed] = [(places, slots)] if places[0] <= places[1] else []
    return [*found, (places[::-1], slots[::-1])] if places[0] >= places[1] else found
