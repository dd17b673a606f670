"""What a compile_commands.json says about the meaning of a file."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from drystone.base.shown_files import shown_file
from drystone.frontend.compile_flags import read_flags
from drystone.frontend.errors import FrontendError
from drystone.frontend.options import FrontendOptions


def compile_command(path: str, options: FrontendOptions) -> list[str]:
    """The options that decide what this file means, as the compile_commands.json gives them; empty if none is used.

    Raises FrontendError for options that are not understood, and where it is not known which ones are meant.
    """
    database = options.compile_commands
    if database is None:
        return []
    found: list[str] | None = None
    for entry in read_database(database):
        folder = str(entry.get("directory", "."))
        if os.path.abspath(os.path.join(folder, str(entry.get("file", "")))) != os.path.abspath(path):
            continue
        words = _words(entry, f"{database}: command of {path}")
        flags = read_flags(words[1:], folder, options.data_model, f"{database}: command of {path}")
        if found is not None and found != flags:
            raise FrontendError(f"{database}: has several commands for {path}, with different options")
        found = flags
    if found is None:
        raise FrontendError(f"{database}: has no command for {shown_file(path)}")
    return found


def _words(entry: dict[str, object], whose: str) -> list[str]:
    import shlex

    try:
        words = entry.get("arguments") or shlex.split(str(entry.get("command", "")))
    except ValueError as failure:
        raise FrontendError(f"{whose}: {failure}") from None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise FrontendError(f"{whose}: its arguments are not a list of words")
    return words


@cache
def read_database(path: str) -> list[dict[str, object]]:
    import json

    try:
        entries = json.loads(Path(path).read_text())
    except (OSError, ValueError, RecursionError) as failure:
        raise FrontendError(f"{path}: not a readable compile_commands.json: {failure}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise FrontendError(f"{path}: a compile_commands.json is a list of objects")
    return entries
