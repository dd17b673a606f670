"""The two accesses of the data race in which a run ends, in the words of the source."""

from __future__ import annotations

from drystone.concrete.found_races import Race, RacingAccess
from drystone.counterexamples.changes import joined
from drystone.counterexamples.known_objects import shown_name
from drystone.counterexamples.steps import Execution
from drystone.counterexamples.told import RaceAccess
from drystone.ir import names


def told_race(execution: Execution) -> list[RaceAccess]:
    """First that of the thread that runs; nothing where the run ends otherwise."""
    race = execution.machine.race
    if race is None:
        return []
    return [_told(execution, race, each) for each in (race.first, race.second)]


def _told(execution: Execution, race: Race, access: RacingAccess) -> RaceAccess:
    """Where the program itself is, if a function of the library accesses something."""
    own = [place for place in access.places if not execution.objects.is_of_library(place[1])]
    function, origin = own[0] if own else access.places[0]
    does = "writes" if access.is_write else "reads"
    what = f"{'atomically ' if access.is_atomic else ''}{does} {_what(execution, race, access)}"
    return RaceAccess(access.thread, what, *execution.program.place(origin), names.spelled(function))


def _what(execution: Execution, race: Race, access: RacingAccess) -> str:
    """The variable, or what lies in the memory that both access."""
    if access.variable:
        return shown_name(access.variable)
    size = min(race.first.address + race.first.size, race.second.address + race.second.size) - race.address
    for code, variables in execution.machine.activations():
        found = execution.objects.at(race.address, code, variables)
        if found is not None and found[1] < found[0].size:
            told = joined(execution.changes_at(race.address, bytes(size), None, code, variables))
            return next(iter(told), found[0].text)
    return f"memory at {race.address:#x}"
