"""`drystone validate`: is what a witness says true? The answer, printed."""

from __future__ import annotations

import argparse
import sys

from drystone.cli.ending import bad_end, write_report
from drystone.cli.exits import Exit
from drystone.cli.words import options_from
from drystone.report.progress import display
from drystone.report.validate import validation_lines
from drystone.verification.options import ValidateOptions
from drystone.verification.validate import validate


def command(words: argparse.Namespace) -> int:
    showing = display(sys.stderr, quiet=words.quiet)
    try:
        validated = validate(words.witness, words.files, options_from(words, ValidateOptions), showing.phase, showing.tick)
    finally:
        showing.close()
    result = validated.result
    code = bad_end(validated.ending, verbose=words.verbose)
    write_report(result, result.result, validation_lines(result), words)
    if code is not None:
        return code
    return Exit.OK if result.result == "valid" else Exit.UNKNOWN
