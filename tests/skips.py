"""Why a test may be skipped: a part that drystone does without is not there, or the test has nothing to say.

A skip that is not listed here fails the run (`conftest.py`): otherwise a module that has moved, or a folder that is looked for in
the wrong place, would hide its tests. For the same reason a part that *is* there is no reason to skip.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests import places
from tests.gcc.compiler import missing, missing_csmith, missing_sanitizers
from tests.report.page.browser import NO_CHROMIUM, chromium


@dataclass(frozen=True)
class Part:
    name: str
    is_missing: Callable[[], bool]
    reasons: str  # a regular expression for the beginning of what tests say that miss it


PARTS = (
    Part(
        "benchmarks",
        lambda: not places.has_benchmarks(),
        f"{re.escape(places.NO_BENCHMARKS)}|got empty parameter set",
    ),
    Part("suites", lambda: not places.has_suites(), re.escape(places.NO_SUITES)),
    Part("gcc", lambda: bool(missing("LP64")), "gcc is not installed|no gcc$|no gcc for|gcc cannot build|gcc has other types"),
    Part("gcc -m32", lambda: bool(missing("ILP32")), "no gcc for ILP32|gcc cannot build ILP32|gcc has other types than ILP32"),
    Part(
        "gcc's sanitizers",
        lambda: bool(missing_sanitizers("LP64") or missing_sanitizers("ILP32")),
        "gcc has no sanitizers|sanitized programs do not run",
    ),
    Part("csmith", lambda: bool(missing_csmith()), "csmith is not installed|the headers of csmith are not"),
    Part("Chromium", lambda: chromium() is None, re.escape(NO_CHROMIUM)),
    Part("Graphviz", lambda: shutil.which("dot") is None, "needs Graphviz"),
    Part("cgroups for runexec", lambda: True, "runexec does not work here"),  # only a run tells
    Part("file names that are not UTF-8", lambda: True, "the file system has names in UTF-8 only"),
    Part("/dev/full", lambda: not os.path.exists("/dev/full"), "there is no /dev/full here"),
    Part("a user who is not root", lambda: os.geteuid() == 0, "root may read everything"),
)

NOTHING_TO_SAY = re.compile(
    r"in `make test-gcc` only|for the other data model"
    r"|(the program )?has more than \d+ edges"  # tasks that a test is too slow for
    r"|does not link: |\d+ x |seed \d+: "  # no run of gcc's build that says something, for reasons that are listed
)


def missing_parts(reason: str) -> list[str] | None:
    """The parts that a test was skipped for, none if it has nothing to say; None if this is no reason to skip."""
    if NOTHING_TO_SAY.match(reason):
        return []
    return [part.name for part in PARTS if re.match(part.reasons, reason) and part.is_missing()] or None


def verdict(reasons: Iterable[tuple[str, str]]) -> tuple[str, list[str]]:
    """Of tests and why they were skipped: a line that says which parts are not there, and the skips that are not expected."""
    absent: dict[str, None] = {}
    unexpected: dict[str, None] = {}
    for test, reason in reasons:
        parts = missing_parts(reason)
        if parts is None:
            unexpected[f"{test}: {reason}"] = None
        else:
            absent.update(dict.fromkeys(parts))
    told = f"not here, so what needs it was not tested: {', '.join(absent)}" if absent else "no optional part was missed"
    return told, list(unexpected)
