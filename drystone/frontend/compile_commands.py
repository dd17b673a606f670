"""What a compile_commands.json says about the meaning of a file."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from drystone.frontend.errors import FrontendError


def compile_command(path: str, database: str | None) -> list[str]:
    """The -I, -D, -U, -include and -std options that a compile_commands.json gives for this file."""
    if database is None:
        return []
    import shlex

    chosen: list[str] = []
    for entry in read_database(database):
        directory = Path(str(entry.get("directory", ".")))
        file = directory / str(entry.get("file", ""))
        if os.path.abspath(file) != os.path.abspath(path):
            continue
        try:
            words = entry.get("arguments") or shlex.split(str(entry.get("command", "")))
        except ValueError as failure:
            raise FrontendError(f"{database}: command of {path}: {failure}") from None
        if isinstance(words, list):
            chosen = _relevant([str(word) for word in words], directory)
    return chosen


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


def _relevant(words: list[str], directory: Path) -> list[str]:
    """Options that change the meaning of the text; folders made absolute."""
    kept: list[str] = []
    index = 1
    while index < len(words):
        word = words[index]
        for option in ("-I", "-isystem", "-iquote", "-include", "-D", "-U"):
            if word.startswith(option):
                value = word[len(option) :]
                if not value and index + 1 < len(words):
                    index += 1
                    value = words[index]
                if option in ("-D", "-U"):
                    kept.append(option + value)
                else:
                    path = value if os.path.isabs(value) else str(directory / value)
                    kept += [option, path]
                break
        else:
            if word.startswith("-std="):
                kept.append(word)
        index += 1
    return kept
