"""From a C file to a translation unit: clang's options, its errors, and names that the program must not use."""

from __future__ import annotations

import os
import re
from pathlib import Path

from drystone.base.plurals import counted
from drystone.base.regex import regex
from drystone.base.shown_files import is_standard_input
from drystone.frontend.clang.unit import BUNDLED, Diagnostic, TranslationUnit, parsed_in_detail
from drystone.frontend.compile_commands import compile_command
from drystone.frontend.declarations import attributes
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.symbols import RESERVED
from drystone.frontend.declarations.types import Types
from drystone.frontend.errors import FrontendError
from drystone.frontend.options import TARGETS, WITHOUT_VECTORS, FrontendOptions
from drystone.frontend.source_text import pragmas
from drystone.frontend.source_text.pragmas import Pragmas

_INCLUDE = Path(__file__).parent / "include"
_TELLING_WARNINGS = ("-Wunknown-attributes", "-Wignored-attributes", "-Wsystem-headers")  # what clang ignores, gcc may not
_GNU_INLINE = regex(r"-std=(?:c89|c90|gnu89|gnu90|iso9899:1990|iso9899:199409)|-ansi|-fgnu89-inline")
_SPLICE = regex(rb"(?:\\|\?\?/)[ \t\v\f\r]*\n")
_SHADOWED = regex(r"redefinition of '(\w+)' as different kind of symbol")
_MAX_ERRORS_SHOWN = 10


def parse(path: str, options: FrontendOptions, is_model: bool = False) -> Unit:
    """A file with its types, pragmas and entities. Raises FrontendError for what is not C."""
    arguments = clang_arguments(path, options)
    unit = _parse_with(path, arguments)
    errors = [diagnostic for diagnostic in unit.diagnostics() if diagnostic.is_error]
    shadowed = sorted({match[1] for error in errors if (match := _SHADOWED.search(error.message))})
    if shadowed:  # a variable named like a library function: fine in gcc, an error in clang unless told
        unit.close()
        unit = _parse_with(path, arguments + [f"-fno-builtin-{name}" for name in shadowed])
        errors = [diagnostic for diagnostic in unit.diagnostics() if diagnostic.is_error]
    if not is_model:
        _refuse_reserved_names(unit, arguments)
    if errors:
        message = _explain(errors)
        unit.close()
        raise FrontendError(message)
    parsed = Unit(unit, Types(options.pointer_width), is_model)
    read = Pragmas() if is_model else pragmas.read(unit, lambda: parsed_in_detail(path, arguments))
    standards = [word for word in arguments if word.startswith(("-std=", "-ansi", "-fgnu89-inline", "-fno-gnu89-inline"))]
    parsed.collect(read, gnu_inline=_GNU_INLINE.fullmatch(standards[-1]) is not None)
    if not is_model:
        parsed.ignored = attributes.ignored(unit, lambda texts: TranslationUnit(path, arguments, texts))
    return parsed


def clang_arguments(path: str, options: FrontendOptions) -> list[str]:
    """What clang is told about a file."""
    target, _ = TARGETS[options.data_model]
    arguments = ["-x", "c", f"--target={target}", f"-std={options.std}", "-nostdinc", "-idirafter", str(_INCLUDE)]
    arguments += ["-include", str(_INCLUDE / "drystone_prelude.h")]
    arguments += [
        "-Wno-everything",
        *_TELLING_WARNINGS,
        "-Werror=implicitly-unsigned-literal",
        "-ferror-limit=0",
        "-fno-spell-checking",
    ]
    arguments += [*WITHOUT_VECTORS, *compile_command(path, options), *options.preprocessing]
    standard = next(word for word in reversed(arguments) if word.startswith(("-std=", "-ansi")))
    if standard in ("-std=c2x", "-std=c23", "-std=gnu2x", "-std=gnu23"):
        arguments.append("-Werror=trigraphs")  # C23 has none, but compilers differ in when they gave them up
    if is_standard_input(path):
        arguments += from_standard_input(path)
    return arguments


def from_standard_input(path: str) -> list[str]:
    """For clang and gcc: a text without a folder of its own includes what lies in the current one, and is called `<stdin>`."""
    return ["-iquote", os.getcwd(), f"-fmacro-prefix-map={os.path.dirname(path)}/="]


def _parse_with(path: str, arguments: list[str]) -> TranslationUnit:
    try:
        return TranslationUnit(path, arguments)
    except ValueError as failure:
        raise FrontendError(str(failure)) from None


def _refuse_reserved_names(unit: TranslationUnit, arguments: list[str]) -> None:
    """The macros and functions of drystone's prelude mean what they mean there only if no text of the program speaks of them."""
    for file, text in unit.inclusions():
        if file.startswith(BUNDLED) or RESERVED.encode() not in _SPLICE.sub(b"", text):
            continue
        words = (word.encode(errors="replace") for word in unit.tokens.in_file(file, len(text)))  # comments say nothing
        if any(RESERVED.encode() in _SPLICE.sub(b"", word) for word in words):
            raise FrontendError(f"{file}: names that begin with {RESERVED} are drystone's own")
    for word in arguments:
        if word.startswith(("-D" + RESERVED, "-U" + RESERVED)):
            raise FrontendError(f"{word}: names that begin with {RESERVED} are drystone's own")


def _explain(errors: list[Diagnostic]) -> str:
    """clang's errors with the line of source and a caret."""
    shown = []
    for error in errors[:_MAX_ERRORS_SHOWN]:
        where = f"{error.file}:{error.line}:{error.column}: " if error.file else ""
        shown.append(f"{where}error: {error.message}")
        shown.extend(_caret(error))
    if len(errors) > _MAX_ERRORS_SHOWN:
        shown.append(f"... and {counted(len(errors) - _MAX_ERRORS_SHOWN, 'more errors')}")
    return "\n".join(shown)


def _caret(error: Diagnostic) -> list[str]:
    if not error.file or error.line <= 0:
        return []
    try:
        with open(error.file, encoding="utf-8", errors="replace") as source:
            text = next((line.rstrip("\n") for number, line in enumerate(source, 1) if number == error.line), None)
    except OSError:
        return []
    if text is None:
        return []
    column = max(error.column, 1)
    start = max(0, column - 60)  # long lines: show the neighbourhood
    margin = re.sub(r"[^\t]", " ", text[start : column - 1])
    return ["    " + text[start : start + 120], "    " + margin + "^"]
