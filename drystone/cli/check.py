"""`drystone check`: does a certificate prove a program? The answer, printed."""

from __future__ import annotations

import argparse
import sys

from drystone.cli.ending import bad_end, write_report
from drystone.cli.exits import Exit
from drystone.cli.words import options_from
from drystone.report.check import check_lines
from drystone.report.progress import display
from drystone.verification.check import check
from drystone.verification.options import CheckOptions


def command(words: argparse.Namespace) -> int:
    showing = display(sys.stderr, quiet=words.quiet)
    try:
        checked = check(words.certificate, words.files, options_from(words, CheckOptions), showing.phase, showing.tick)
    finally:
        showing.close()
    result = checked.result
    code = bad_end(checked.ending, verbose=words.verbose)
    write_report(result, result.result, check_lines(result), words)
    if code is not None:
        return code
    return Exit.OK if result.result == "valid" else Exit.UNKNOWN
