"""Why an engine has no verdict, as facts. The words for people are made where results are (`verification.unknowns`)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from drystone.ir.automaton import Mark, OpenCall, Origin


class Met(msgspec.Struct, frozen=True):
    """An unknown location that executions can reach, as far as the engine knows."""

    mark: Mark
    calls: tuple[OpenCall, ...] = ()  # that are open there, outermost first, where that is known
    is_confirmed: bool = False  # an execution of the interpreter has reached it: there is no proof


class Obstacle(msgspec.Struct, frozen=True):
    """What stands in the way of a verdict; several things may."""

    met: Met | None = None
    is_final: bool = False  # no execution reaches an error before an unknown location, and one reaches such: nobody can know more
    checked: int | None = None  # no error is reached with so many passes of loop heads
    runs: int = 0  # executions of the interpreter that did not reach the error
    longest: int | None = None  # edges of the longest of these, if all of them came to an end
    unconfirmed: Mark | None = None  # an error to which a path was found that the interpreter does not take
    too_large: str = ""  # the function that makes up most of a program which is too large with all its calls in place
    is_unanswered: bool = False  # a solver has given up
    is_out_of_memory: bool = False  # an engine was ended for that


def merged(obstacles: Iterable[Obstacle]) -> Obstacle:
    """What several engines say about one program."""
    every = list(obstacles)
    met = [each.met for each in every if each.met is not None]
    final = next((each for each in every if each.is_final), None)
    checked = [each.checked for each in every if each.checked is not None]
    return Obstacle(
        met=final.met if final is not None else max(met, key=_weight, default=None),
        is_final=final is not None,
        checked=max(checked, default=None),
        runs=sum(each.runs for each in every),
        unconfirmed=next((each.unconfirmed for each in every if each.unconfirmed is not None), None),
        too_large=next((each.too_large for each in every if each.too_large), ""),
        is_unanswered=any(each.is_unanswered for each in every),
        is_out_of_memory=any(each.is_out_of_memory for each in every),
    )


def _weight(met: Met) -> tuple[bool, bool, int]:
    """What to tell first: a bound of recursion is drystone's own, and the larger it is, the more was done."""
    return not met.mark.is_bound, met.is_confirmed, len(met.calls) if met.mark.is_bound else 0


class UndefinedSeen(msgspec.Struct, frozen=True):
    """An execution has met undefined behaviour."""

    what: str
    origin: Origin
    calls: tuple[OpenCall, ...] = ()  # that were open, outermost first
