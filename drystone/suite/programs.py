"""What a suite consists of: from files, folders, task definitions and a compile_commands.json to programs with a name each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from drystone.base.refusal import Refusal
from drystone.base.regex import regex
from drystone.frontend.compile_commands import read_database
from drystone.frontend.errors import FrontendError
from drystone.verification.options import Options

_TASKS, _SOURCES = (".yml", ".yaml"), (".c", ".i")
_COMMENTS = regex(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


class SuiteProgram(msgspec.Struct, frozen=True):
    name: str  # for people, and no other program has it
    files: tuple[str, ...]
    options: Options


def programs_of(given: Sequence[str], linked: Sequence[str], entries: Sequence[str], options: Options) -> list[SuiteProgram]:
    """Each file and each task definition is a program, in the order in which they are given; those of a folder in that of names.

    `linked`: files that belong to each program. `entries`: where execution starts; each that a file defines is a program of its
    own. Without any file, those of the compile_commands.json are looked at: all that define an entry.
    """
    from_database = not given
    names = list(dict.fromkeys(_of_database(options.compile_commands) if from_database else _files_of(given)))
    found = [
        SuiteProgram(_shown(name, entry, entries), (name, *(each for each in linked if each != name)), _entered(options, entry))
        for name in names
        for entry in _entries_in(name, entries, options, must_define=from_database)
    ]
    if not found:
        wanted = " or ".join(entries or [options.entry or "main"])
        raise Refusal(f"there is nothing to verify: no file defines {wanted}")
    return found


def _files_of(given: Sequence[str]) -> Iterator[str]:
    for name in given:
        if not os.path.isdir(name):
            yield name
            continue
        below = sorted(str(path) for path in Path(name).rglob("*") if path.suffix in _TASKS + _SOURCES and path.is_file())
        tasks = [each for each in below if each.endswith(_TASKS) and _is_task(each)]
        files = tasks or [each for each in below if each.endswith(_SOURCES)]
        if not files:
            raise Refusal(f"{name}: no task definitions (.yml) and no C files (.c, .i) in this folder")
        yield from files


def _is_task(name: str) -> bool:
    """Folders of tasks have other files in YAML, too. What cannot be read is left for `verify` to speak of."""
    try:
        return "input_files" in Path(name).read_text(errors="replace")
    except OSError:
        return True


def _of_database(database: str | None) -> Iterator[str]:
    if database is None:
        raise Refusal("there is nothing to verify: name files, folders or task definitions, or use --compile-commands FILE")
    try:
        entries = read_database(database)
    except FrontendError as problem:
        raise Refusal(str(problem)) from None
    for entry in entries:
        name = str(entry.get("file", ""))
        if name.endswith(_SOURCES):
            yield os.path.relpath(os.path.join(str(entry.get("directory", ".")), name))


def _entries_in(name: str, entries: Sequence[str], options: Options, must_define: bool) -> list[str | None]:
    """None: what the options say. A file that is named need not define the entry itself, one that is only found must."""
    if name.endswith(_TASKS):
        return [None]
    if not entries:
        return [None] if not must_define or _defines(name, options.entry or "main") else []
    defined: list[str | None] = [entry for entry in entries if _defines(name, entry)]
    if not defined and not must_define:
        raise Refusal(f"{name}: defines none of the functions {', '.join(entries)}")
    return defined


def _defines(name: str, function: str) -> bool:
    """By the text alone: macros are not expanded. A file that cannot be read is left for `verify` to speak of."""
    try:
        text = _COMMENTS.sub(" ", Path(name).read_text(errors="replace"))
    except OSError:
        return True
    return re.search(rf"\b{re.escape(function)}\s*\([^;{{}}]*\)[^;{{}}=]*\{{", text) is not None


def _shown(name: str, entry: str | None, entries: Sequence[str]) -> str:
    return f"{name}:{entry}" if entry is not None and len(entries) > 1 else name


def _entered(options: Options, entry: str | None) -> Options:
    return options if entry is None else msgspec.structs.replace(options, entry=entry)
