"""`-` among the files: C text from the standard input.

It is kept in a scratch file, since it is read more than once: by the front end, the check of the proof, and the compiler that
repeats a counterexample. Whoever reads the results sees `<stdin>`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from drystone.base.refusal import Refusal
from drystone.base.scratch import scratch_folder
from drystone.base.shown_files import STANDARD_INPUT
from drystone.cli.exits import BadInput


@contextmanager
def standard_input_as_file(words: argparse.Namespace) -> Iterator[None]:
    """As long as this lasts, `words.files` names a copy of the standard input instead of `-`."""
    files: list[str] = getattr(words, "files", [])
    if "-" not in files:
        yield
        return
    if files.count("-") > 1:
        raise BadInput("- is given twice: the standard input can be read only once")
    if sys.stdin is None:
        raise BadInput("-: there is no standard input")
    with scratch_folder() as folder:
        folder.mkdir(0o700)
        copy = folder / STANDARD_INPUT
        try:
            copy.write_bytes(sys.stdin.buffer.read())
            words.files = [str(copy) if file == "-" else file for file in files]
            yield
        except Refusal as problem:
            raise BadInput(str(problem).replace(str(copy), STANDARD_INPUT)) from None
