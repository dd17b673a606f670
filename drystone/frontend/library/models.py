"""The models of library functions in C: which file has which, and which functions have a meaning at all."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from drystone.frontend.library import MODELLED, PRIMITIVES, plain_name
from drystone.ir.automaton import Origin, Program

MODELS = Path(__file__).parent.parent / "models"
"""Where the C text of the library's functions lies."""


def is_model(file: str) -> bool:
    """Is it one of these files?"""
    return file.startswith(str(MODELS))


def is_in_model(program: Program, origin: Origin) -> bool:
    return origin.file >= 0 and is_model(program.files[origin.file])


@cache
def model_files() -> dict[str, Path]:
    """Library functions and the file that defines each."""
    definition = re.compile(r"^[A-Za-z_][\w \t*]*?[ *](\w+)\([^;{]*\)\s*\{", re.MULTILINE)
    for_each_float = re.compile(r"^ +[A-Za-z_][\w \t*]*?[ *](\w+)##s\([^;{]*\)\s*\{", re.MULTILINE)  # in a macro over suffixes
    approximated = re.compile(r"^ +ANY\(T, s, (\w+),", re.MULTILINE)
    found: dict[str, Path] = {}
    for path in sorted(MODELS.glob("*.c")):
        text = path.read_text()
        names = definition.findall(text)
        for_floats = [*for_each_float.findall(text), *approximated.findall(text)]
        names += [name + suffix for name in for_floats for suffix in ("", "f", "l")]
        found.update(dict.fromkeys(names, path))
    return found


def model_name(name: str) -> str | None:
    """The model function that a call of an undefined `name` means."""
    plain = plain_name(name)
    if plain in PRIMITIVES and plain not in MODELLED:
        return None
    models = model_files()
    if plain in models:
        return plain
    stripped = plain.removeprefix("__builtin_")
    return stripped if stripped in models else None


def has_meaning(name: str) -> bool:
    """Is it a library function that drystone gives a meaning, if the program does not define it?"""
    return plain_name(name) in PRIMITIVES or model_name(name) is not None


def is_library(name: str) -> bool:
    """Does the C library, or the language of verification tasks, define this function?"""
    return has_meaning(name) or name.startswith(("__VERIFIER_", "__builtin_"))
