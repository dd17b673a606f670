"""`drystone verify`: can the error be reached? A verdict with its evidence, printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from drystone.base.refusal import Refusal
from drystone.base.shown_files import shown_file
from drystone.base.written_files import check_writable, write_file
from drystone.cli.ending import bad_end, write_report
from drystone.cli.exits import Exit
from drystone.cli.words import options_from
from drystone.report.console import line_width, report_lines
from drystone.report.progress import Both, display
from drystone.verification.options import Options
from drystone.verification.verify import Verified, verify

if TYPE_CHECKING:
    from drystone.report.live.serving import Serving

_EXITS = {"TRUE": Exit.OK, "FALSE": Exit.FALSE, "UNKNOWN": Exit.UNKNOWN}


def command(words: argparse.Namespace) -> int:
    for name in (words.sarif, words.report):
        if name is not None:
            check_writable(name)
    texts = {shown_file(file): file for file in words.files}
    serving = _serving(words, texts)
    showing = display(sys.stderr, quiet=words.quiet)
    if serving is not None:
        showing = Both(showing, serving)
    try:
        is_told = words.report is not None or serving is not None
        options = msgspec.structs.replace(options_from(words, Options), is_told=is_told)
        on_message = serving.heard if serving is not None else lambda message: None
        verified = verify(words.files, options, showing.phase, showing.tick, on_message=on_message)
    finally:
        showing.close()
    result = verified.result
    code = bad_end(verified.ending, verbose=words.verbose)
    for note in verified.notes if not words.quiet else ():
        print(f"drystone: {note}", file=sys.stderr)
    lines = report_lines(result, verbose=words.verbose, explain=words.explain, width=line_width(sys.stdout))
    try:
        write_report(result, result.verdict, lines, words)
    finally:  # also where nobody reads the output to its end, as in `drystone verify … | head`
        _write_files(verified, texts, words, serving)
    if verified.unwritten:
        raise Refusal(verified.unwritten)  # after the verdict, which is known all the same
    return code if code is not None else _EXITS[result.verdict]


def _serving(words: argparse.Namespace, texts: Mapping[str, str]) -> Serving | None:
    if words.serve is None:
        return None
    from drystone.report.live.serving import Serving

    serving = Serving(words.serve, texts)
    print(f"drystone: the run is shown at {serving.address}", file=sys.stderr, flush=True)
    return serving


def _write_files(verified: Verified, texts: Mapping[str, str], words: argparse.Namespace, serving: Serving | None) -> None:
    """Each that was asked for, also where another one cannot be written."""
    result = verified.result
    try:
        if words.sarif is not None:
            from drystone.report.sarif import sarif
            from drystone.suite.outcome import Outcome

            write_file(words.sarif, sarif([Outcome(result.file, result.verdict, result.reason, result, result.timeout_s)]))
    finally:
        if words.report is not None or serving is not None:
            _show(verified, texts, words.report, serving)


def _show(verified: Verified, texts: Mapping[str, str], file: str | None, serving: Serving | None) -> None:
    from drystone.report.page.contents import contents_of
    from drystone.report.page.html import page

    text = page(contents_of(verified.result, texts, verified.told))
    try:
        if file is not None:
            write_file(file, text)
    finally:
        if serving is not None:
            with suppress(BrokenPipeError):
                sys.stdout.flush()
            serving.finish(text, may_wait=sys.stderr.isatty())
