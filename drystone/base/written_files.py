"""Files that people asked for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from drystone.base.refusal import Refusal


def check_writable(name: str) -> None:
    """What can be known before the work is done. A `Refusal` if the file cannot be written."""
    if name == "-":
        raise Refusal("-: name a file: what goes to the standard output is the verdict, or --json -")
    path = Path(name)
    if path.is_dir():
        raise Refusal(f"{name}: cannot be written: Is a directory")
    if not path.parent.is_dir():
        raise Refusal(f"{name}: cannot be written: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Refusal(f"{name}: cannot be written: Permission denied")


def write_file(name: str, text: str) -> None:
    """All of it, or a `Refusal`: a part of a file would be taken for the whole."""
    try:
        with open(name, "w", encoding="utf-8") as file:
            is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            try:
                file.write(text)
                file.flush()
            except OSError:
                if is_regular:
                    os.unlink(name)
                raise
    except OSError as problem:
        raise Refusal(f"{name}: cannot be written: {problem.strerror}") from None
