"""What came of one program of a suite."""

from __future__ import annotations

import msgspec

from drystone.verification.result import Result

BAD_INPUT, CRASHED = "BAD INPUT", "CRASHED"
_BETTER_TO_WORSE = ["TRUE", "UNKNOWN", BAD_INPUT, "FALSE", CRASHED]


class Outcome(msgspec.Struct, frozen=True):
    """`verdict` is one of `verify`, or what has kept it from having one."""

    name: str
    verdict: str
    said: str  # in a line, for people
    result: Result | None  # None: there is none, since the input cannot be used or drystone has crashed
    limit: float | None  # seconds that it might have had
    is_kept: bool = False  # known from an earlier run


class Totals(msgspec.Struct, frozen=True):
    true: int
    false: int
    unknown: int
    bad_input: int
    crashed: int


def totals(outcomes: list[Outcome]) -> Totals:
    verdicts = [each.verdict for each in outcomes]
    return Totals(*(verdicts.count(each) for each in ("TRUE", "FALSE", "UNKNOWN", BAD_INPUT, CRASHED)))


def worst(outcomes: list[Outcome]) -> str:
    """The verdict that the suite ends with."""
    return max((each.verdict for each in outcomes), key=_BETTER_TO_WORSE.index)
