"""`drystone verify`: can the error be reached? A verdict with its evidence, printed."""

from __future__ import annotations

import argparse
import sys

import msgspec

from drystone.base.refusal import Refusal
from drystone.base.shown_files import shown_file
from drystone.cli.cfa import write_file
from drystone.cli.ending import bad_end, write_report
from drystone.cli.exits import Exit
from drystone.cli.words import options_from
from drystone.report.console import line_width, report_lines
from drystone.report.progress import display
from drystone.verification.options import Options
from drystone.verification.verify import check_writable, verify

_EXITS = {"TRUE": Exit.OK, "FALSE": Exit.FALSE, "UNKNOWN": Exit.UNKNOWN}


def command(words: argparse.Namespace) -> int:
    for name in (words.sarif, words.report):
        if name is not None:
            check_writable(name)
    showing = display(sys.stderr, quiet=words.quiet)
    try:
        options = msgspec.structs.replace(options_from(words, Options), is_told=words.report is not None)
        verified = verify(words.files, options, showing.phase, showing.tick)
    finally:
        showing.close()
    result = verified.result
    code = bad_end(verified.ending, verbose=words.verbose)
    for note in verified.notes if not words.quiet else ():
        print(f"drystone: {note}", file=sys.stderr)
    lines = report_lines(result, verbose=words.verbose, explain=words.explain, width=line_width(sys.stdout))
    write_report(result, result.verdict, lines, words)
    if words.sarif is not None:
        from drystone.report.sarif import sarif
        from drystone.suite.outcome import Outcome

        write_file(words.sarif, sarif([Outcome(result.file, result.verdict, result.reason, result, result.timeout_s)]))
    if words.report is not None:
        from drystone.report.page.contents import contents_of
        from drystone.report.page.html import page

        write_file(words.report, page(contents_of(result, {shown_file(file): file for file in words.files}, verified.told)))
    if verified.unwritten:
        raise Refusal(verified.unwritten)  # after the verdict, which is known all the same
    return code if code is not None else _EXITS[result.verdict]
