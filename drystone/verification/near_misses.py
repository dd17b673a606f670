"""Where nothing is asserted: what was looked for, and what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from drystone.base.shown_files import shown_file
from drystone.frontend.library.models import is_library
from drystone.frontend.load import FrontendOptions, Loaded
from drystone.ir.automaton import Approximation, Program
from drystone.ir.conventions import ALL, ASSERTING, ERROR_FUNCTIONS, EXCLUDED, NEAR_MISS
from drystone.verification.tasks import property_of

_SHOWN = 5
HINT = "assert what should hold, --assert NAME for a function of your own, or --entry FUNCTION to start elsewhere"


def near_misses(loaded: Loaded) -> list[str]:
    """What looks like an assertion and is none, in every program."""
    return _told(loaded.program, [each for each in loaded.near_misses if each.kind == NEAR_MISS])


def is_nothing_asserted(loaded: Loaded, files: Sequence[str], options: FrontendOptions) -> bool:
    """In the program of a user without error locations. Calls of error functions that constants or the shape of the program
    exclude are proved never to happen; an assertion that says nothing is none."""
    named = options.error_function
    is_something = _mentions(files, named) if named is not None else _excludes_calls(loaded)
    return options.errors == ALL and not is_something


def _excludes_calls(loaded: Loaded) -> bool:
    """Are there calls of error functions in what is reached, which cannot happen?"""
    return any(each.kind == EXCLUDED for each in loaded.near_misses)


def _mentions(files: Sequence[str], function: str) -> bool:
    """Does a program that never calls this function know it at all? All programs know those of the library."""
    if is_library(function):
        return True
    word = re.compile(rf"\b{re.escape(function)}\b")
    return any(word.search(_without_comments(file)) for file in files)


def nothing_reached(loaded: Loaded, files: Sequence[str], options: FrontendOptions) -> list[str]:
    """For a program that reaches no assertion: what was looked for, and what came close."""
    sought = msgspec.structs.replace(property_of(options), checks=()).errors
    lines = [f"looked for: {', '.join(sought)}", *_told(loaded.program, loaded.near_misses)]
    elsewhere = [
        f"{shown_file(file)}:{line}: {text}, which {options.entry} does not reach"
        for file in files
        for line, text in _written(file, (*ASSERTING, *ERROR_FUNCTIONS, *options.asserting))
    ]
    mentioned = {line.partition(": ")[0] for line in lines}
    return [*lines, *[each for each in elsewhere if each.partition(": ")[0] not in mentioned][:_SHOWN]]


def _told(program: Program, found: Sequence[Approximation]) -> list[str]:
    places = {each: f"{program.where(each.origin)}: " if each.origin.file >= 0 else "" for each in found}
    lines = list(dict.fromkeys(f"{place}{each.what}" for each, place in places.items()))
    more = [f"and {len(lines) - _SHOWN} more like these"] if len(lines) > _SHOWN else []
    return [*lines[:_SHOWN], *more]


def _written(file: str, functions: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines of a file, comments aside, in which one of these functions seems to be called."""
    call = re.compile(rf"\b(?:{'|'.join(map(re.escape, functions))})\s*\([^;{{]*\)\s*;")
    for number, line in enumerate(_without_comments(file).splitlines(), 1):
        declares = re.match(r"\s*(extern|void|int|static|_Noreturn|#)\b", line)
        if not declares and (found := call.search(line)) is not None:
            yield number, found[0].rstrip(";").strip()


def _without_comments(file: str) -> str:
    text = Path(file).read_text(errors="replace")
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda comment: re.sub(r"[^\n]", " ", comment[0]), text, flags=re.DOTALL)
