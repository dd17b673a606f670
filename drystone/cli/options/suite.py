"""Options of `drystone suite`."""

from __future__ import annotations

import argparse

from drystone.cli.help import Parser
from drystone.cli.options.shared import add_limit_options, add_meaning_options
from drystone.cli.options.values import duration, positive
from drystone.cli.options.verify import add_analysis_options, add_trust_options

_LIMIT = 60.0  # seconds


def add_suite_options(suite: Parser) -> None:
    programs = (
        "programs, each for itself: C files, task definitions (.yml), or folders of either; with --compile-commands and no FILE, "
        "all files there that define where execution starts"
    )
    suite.add_argument("files", nargs="*", metavar="FILE", help=programs)
    _add_suite_options(suite)
    add_meaning_options(suite)
    add_analysis_options(suite)
    add_limit_options(suite, seconds=_LIMIT)
    suite.add_argument("--workers", type=positive, metavar="N", help="processes of one program, default 1")
    add_trust_options(suite)


def _add_suite_options(suite: argparse.ArgumentParser) -> None:
    group = suite.add_argument_group("the suite")
    entries = "functions where execution starts: each that a file defines is a program of its own"
    group.add_argument("--entries", type=_names, default=(), metavar="LIST", help=entries)
    linked = "a C file that belongs to each of the programs; may be repeated"
    group.add_argument("--with", dest="linked", action="append", default=[], metavar="FILE", help=linked)
    group.add_argument("--jobs", type=positive, metavar="N", help="programs at a time, default one per core")
    budget = "wall time of all programs together, which they share; those that need more than others get what is left"
    group.add_argument("--budget", type=duration, metavar="TIME", help=budget)
    results = "a folder for results: after an interruption the suite goes on, and what is decided is not verified again as long "
    results += "as no text and no option changes; default .drystone-suite"
    group.add_argument("--results", default=".drystone-suite", metavar="DIR", help=results)
    group.add_argument("--fresh", action="store_true", help="verify all programs, whatever is known")
    report = "write an index of the programs to look at, and beside it a folder with a page for each, as of `verify --report`"
    group.add_argument("--report", metavar="FILE.html", help=report)
    group.add_argument("--summary", metavar="FILE", help="write a summary in Markdown, for instance of a job")
    of_errors = "write a result for each error location of each program, as SARIF 2.1.0, for editors and servers"
    group.add_argument("--sarif", metavar="FILE", help=of_errors)
    group.add_argument("--junit", metavar="FILE", help="write the results as JUnit's XML")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    for name in names:
        if not name.isidentifier():
            raise argparse.ArgumentTypeError(f"{name!r} is not the name of a function")
    return names
