"""`-` among the files: C text from the standard input.

It is kept in a scratch file, since it is read more than once: by the front end, the check of the proof, and the compiler that
repeats a counterexample. Whoever reads the results sees `<stdin>`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drystone.base.refusal import Refusal
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
    folder = tempfile.mkdtemp(prefix="drystone-stdin-")
    copy = os.path.join(folder, STANDARD_INPUT)
    try:
        Path(copy).write_bytes(sys.stdin.buffer.read())
        words.files = [copy if file == "-" else file for file in files]
        yield
    except Refusal as problem:
        raise BadInput(str(problem).replace(copy, STANDARD_INPUT)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
