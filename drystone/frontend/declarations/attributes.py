"""The attributes of a declaration, in every syntax and from whichever macro, and what they mean here.

libclang shows each attribute as a cursor whose text begins with the attribute's name; arguments, macros expanded and evaluated,
are in clang's own print of the declaration. Names come from the cursors and arguments from the print; where the two do not
agree about an attribute that matters (a string that looks like an attribute), the declaration is refused.
`__attribute__((noreturn))` and calling conventions belong to the type (`types.Function`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, library
from drystone.frontend.clang.cursors import printed_attributes, spelling
from drystone.frontend.clang.unit import TranslationUnit
from drystone.frontend.source_text.vocabulary import (
    HARMLESS,
    LAYOUT,
    MODELLED,
    REFUSED,
    REFUSED_OF_GCC,
    is_plain_optimisation,
    is_plain_section,
    is_plain_target,
)

_PRINTED = regex(r"__attribute__\(\((\w+)(?:\((.*?)\))?\)\)|\[\[(?:\w+::)?(\w+)(?:\((.*?)\))?\]\]", re.DOTALL)
_WITHOUT_PRINT = frozenset(("asm", "noreturn", "_Noreturn", "thread"))
_SCOPES = frozenset(("", "gnu", "clang", "__gnu__", "_Clang"))
LAST = 65535
"""The priority of constructors and destructors that name none."""


class Attributes(msgspec.Struct, eq=False):
    """What the attributes of one function or variable say, all its declarations taken together."""

    names: set[str] = set()
    arguments: dict[str, str] = {}
    refused: str = ""  # why uses of it are not modelled
    is_placed: bool = False  # in a section that does something, whether it is used or not

    @property
    def weak(self) -> bool:
        return "weak" in self.names

    @property
    def noreturn(self) -> bool:
        return "noreturn" in self.names or "_Noreturn" in self.names

    def text(self, name: str) -> str | None:
        """The argument of an attribute that names something else."""
        return self.arguments[name].strip('"') if name in self.names else None

    def priority(self, name: str) -> int:
        return int(self.arguments[name] or LAST)


def plain(word: str) -> str:
    """An attribute's name as in the vocabulary: `gnu::__weak__` is `weak`; other scopes stay."""
    scope, _, name = word.rpartition("::")
    if len(name) > 4 and name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    return name if scope in _SCOPES else f"{scope}::{name}"


def written_name(unit: TranslationUnit, attribute: CXCursor, declarations: list[CXCursor]) -> str:
    """The name of one attribute; empty for what clang itself adds to the library functions and types that it knows.

    Only its first word tells: one macro may make an attribute and the declared name, and then both stand where the macro is
    used. What clang adds stands nowhere, or begins with the name of the function, which is on no list of attributes.
    """
    if attribute.kind == kinds.ASM_LABEL_ATTR:
        return "asm"
    if not library().clang_getCursorLocation(attribute).data:
        return ""
    name = plain(unit.tokens.first_word(attribute)) or "without a name"
    if name in HARMLESS or name in MODELLED or name in REFUSED:
        return name
    functions = (declaration for declaration in declarations if declaration.kind == kinds.FUNCTION_DECL)
    return "" if name in map(spelling, functions) else name


def read(unit: TranslationUnit, declarations: list[CXCursor], attributes: list[CXCursor]) -> Attributes:
    """The meaning of all attributes of all declarations of an entity."""
    found = Attributes()
    found.names = {name for attribute in attributes if (name := written_name(unit, attribute, declarations))}
    strange = found.names - HARMLESS - MODELLED
    if strange:
        found.refused = f"attribute {min(strange)}"
    printed: dict[str, set[str]] = {}
    for declaration in declarations:
        for match in _PRINTED.finditer(printed_attributes(declaration)):
            printed.setdefault(plain(match[1] or match[3]), set()).add(match[2] or match[4] or "")
    if "weakref" in found.names and "weakref" in printed:
        printed["weakref"] = printed.pop("alias", {""})  # clang keeps the target of a weakref in an alias, and so may the program
        found.names.discard("alias")
    meant = {name for name in printed if name in MODELLED or name in REFUSED} - _WITHOUT_PRINT
    if meant != {name for name in found.names if name in MODELLED or name in REFUSED} - _WITHOUT_PRINT:
        found.refused = "attributes that clang prints otherwise than they are written"
        found.names |= meant  # any of them may act by itself
    elif any(len(values) > 1 for name, values in printed.items() if name in MODELLED):
        found.refused = "declarations whose attributes contradict each other"
    found.arguments = {name: min(values) for name, values in printed.items()}
    if "target" in found.names and not all(map(is_plain_target, printed.get("target", {""}))):
        found.refused = "attribute target, which chooses other arithmetic"
    section = found.text("section") if "section" in printed else None
    if section is not None and not is_plain_section(section):
        found.refused, found.is_placed = f"section {section}", True
    return found


_QUOTED = regex(r"'([\w:]+)'")
_HIDING = regex(rb"-W(everything|attributes|unknown-attributes|ignored-attributes)\b")
_NOWHERE = regex(r"only applies to|place it after|must precede definition")
_OPTIMIZE = regex(rb"(?:__)?optimize(?:__)?\s*(\((?:[^()\"]|\"[^\"\n]*\")*\))")


class Ignored(NamedTuple):
    """An attribute that clang leaves out."""

    name: str
    file: str
    line: int
    is_refused: bool  # gcc gives it a meaning, or may


def _is_ignored_by_gcc(layout: str, warning: str) -> bool:
    """Does gcc leave out an attribute for layout or type, too, where clang warns so? In a name of a type, as in `sizeof(int
    __attribute__((mode(QI))))`, gcc applies all of them but `packed`."""
    return layout in ("packed", "transparent_union") or _NOWHERE.search(warning) is not None


def ignored(unit: TranslationUnit, parse: Callable[[dict[str, bytes]], TranslationUnit]) -> list[Ignored]:
    """The attributes that clang does not know or does not want where they stand: its only warnings that are on.

    A program may turn them off by pragmas: then it is parsed again, with other texts in which these pragmas name no warning.
    """
    texts = {file: unit.source.text(file) for file in unit.own_files()}
    hiding = {file: _HIDING.sub(lambda match: b"-W" + b"x" * len(match[1]), text) for file, text in texts.items()}
    hiding = {file: text for file, text in hiding.items() if text != texts[file]}
    telling = parse(hiding) if hiding else unit
    found = []
    for warning in telling.diagnostics():
        if warning.is_error:
            continue
        quoted = _QUOTED.search(warning.message)
        name = plain(quoted[1] if quoted else unit.source.word_at(warning.file, warning.line, warning.column))
        is_refused = name in REFUSED_OF_GCC or not warning.message.startswith("unknown attribute")
        if name == "optimize":
            written = _OPTIMIZE.match(
                unit.source.text(warning.file), unit.source.offset(warning.file, warning.line, warning.column)
            )
            is_refused = written is None or not is_plain_optimisation(written[1].decode("utf-8", "replace"))
        if name not in HARMLESS or name == "target" or (name in LAYOUT and not _is_ignored_by_gcc(name, warning.message)):
            found.append(Ignored(name, warning.file, warning.line, is_refused))
    if telling is not unit:
        telling.close()
    return found
