"""`drystone suite`: verifies many programs side by side, with one table, one exit code, and files for people and servers."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from drystone.base.refusal import Refusal
from drystone.base.written_files import check_writable, write_file
from drystone.cli.exits import Exit
from drystone.cli.words import options_from
from drystone.report.suite import suite_display, sum_line
from drystone.suite.budget import Budget, unlimited
from drystone.suite.kept import Kept
from drystone.suite.outcome import BAD_INPUT, CRASHED, Outcome, worst
from drystone.suite.programs import SuiteProgram, programs_of
from drystone.suite.running import Suite
from drystone.verification.options import Options, reject_contradictions

if TYPE_CHECKING:
    from drystone.report.suite_pages import SuitePages

_EXITS = {
    "TRUE": Exit.OK,
    "UNKNOWN": Exit.UNKNOWN,
    BAD_INPUT: Exit.BAD_INPUT,
    "FALSE": Exit.FALSE,
    CRASHED: Exit.INTERNAL,
}


def command(words: argparse.Namespace) -> int:
    options = options_from(words, Options)
    reject_contradictions(options)
    for name in (words.json, words.summary, words.junit, words.sarif, words.report):
        if name not in (None, "-"):
            check_writable(name)
    jobs = words.jobs or len(os.sched_getaffinity(0))
    options = msgspec.structs.replace(options, workers=options.workers or 1, is_told=words.report is not None)
    programs = programs_of(words.files, words.linked, words.entries, options)
    budget = Budget(unlimited(options.timeout), words.budget, jobs)
    kept = Kept(words.results, words.fresh)
    try:
        return _run(programs, budget, kept, words)
    finally:
        kept.close()


def _run(programs: list[SuiteProgram], budget: Budget, kept: Kept, words: argparse.Namespace) -> int:
    stream = sys.stderr if words.json == "-" else sys.stdout
    widest = max(len(each.name) for each in programs)
    rows = suite_display(stream, len(programs), widest, quiet=words.quiet)
    pages = _pages(words.report, programs)
    suite = Suite(programs, budget, kept, [rows] if pages is None else [rows, pages])
    start = time.monotonic()
    try:
        suite.run()
    except KeyboardInterrupt:
        rows.close()
        done = len(suite.outcomes())
        print(f"drystone: interrupted: {done} of {len(programs)} done, the same command goes on from there", file=sys.stderr)
        return Exit.INTERRUPTED
    finally:
        rows.close()
    elapsed = time.monotonic() - start
    outcomes = suite.outcomes()
    if words.json != "-":
        print(sum_line(outcomes, elapsed), file=stream, flush=True)
    _write(outcomes, elapsed, pages, _asked(words, budget), words)
    return _EXITS[worst(outcomes)]


def _pages(file: str | None, programs: list[SuiteProgram]) -> SuitePages | None:
    if file is None:
        return None
    from drystone.report.suite_pages import SuitePages

    return SuitePages(file, [each.name for each in programs])


def _asked(words: argparse.Namespace, budget: Budget) -> list[tuple[str, str]]:
    """For people who look at the index."""
    asked = [("time limit of a program", "none" if math.isinf(budget.limit) else f"{budget.limit:g} s")]
    if budget.total is not None:
        asked.append(("time of all together", f"{budget.total:g} s"))
    return [*asked, ("programs at a time", str(budget.jobs)), ("engine", words.engine)]


def _write(
    outcomes: list[Outcome], elapsed: float, pages: SuitePages | None, asked: list[tuple[str, str]], words: argparse.Namespace
) -> None:
    """Each file that was asked for, also where another one cannot be written. A `Refusal` in the end says which."""
    problems = []
    for write in _writers(outcomes, elapsed, words):
        try:
            write()
        except Refusal as problem:
            problems.append(str(problem))
    if pages is not None:
        problems += pages.write_index(outcomes, elapsed, asked)
    if problems:
        raise Refusal("; ".join(problems))


def _writers(outcomes: list[Outcome], elapsed: float, words: argparse.Namespace) -> Iterator[Callable[[], object]]:
    if words.json is not None:
        text = msgspec.json.encode({"elapsed_s": round(elapsed, 3), "programs": outcomes}).decode() + "\n"
        yield partial(sys.stdout.write, text) if words.json == "-" else partial(write_file, words.json, text)
    if words.summary is not None:
        from drystone.report.summary import summary

        yield partial(write_file, words.summary, summary(outcomes, elapsed))
    if words.junit is not None:
        from drystone.report.junit import junit

        yield partial(write_file, words.junit, junit(outcomes, elapsed))
    if words.sarif is not None:
        from drystone.report.sarif import sarif

        yield partial(write_file, words.sarif, sarif(outcomes))
