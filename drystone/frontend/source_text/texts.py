"""What the compiler front end has read: which texts, by their contents.

The contents are those that clang itself has had in memory. Where a file lies and how a folder is spelled says nothing about the
program and is not compared; a text that is read twice counts once.
"""

from __future__ import annotations

import os

import msgspec

from drystone.base.plurals import counted
from drystone.base.shown_files import shown_file
from drystone.frontend.clang.unit import BUNDLED, TranslationUnit


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file: str  # for people; of a header that drystone brings along: <name>
    sha256: str


class UnitTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of one translation unit: its file, then all that was included, in the order in which it was first read."""

    file: str
    options: list[str]  # that its compile command gives, without names of files
    texts: list[Text]


class ReadUnit(msgspec.Struct, frozen=True):
    """The same with the contents themselves: hashes are made when somebody asks for them."""

    file: str
    options: list[str]
    contents: list[tuple[str, bytes]]


def read_unit(unit: TranslationUnit, options: list[str]) -> ReadUnit:
    return ReadUnit(unit.path, options, unit.inclusions())


def texts_of(unit: ReadUnit) -> UnitTexts:
    from hashlib import sha256

    found: dict[str, Text] = {}
    for file, content in unit.contents:
        name = f"<{file.removeprefix(BUNDLED)}>" if file.startswith(BUNDLED) else os.path.basename(file)
        text = Text(name, sha256(content).hexdigest())
        found.setdefault(text.sha256, text)
    return UnitTexts(shown_file(unit.file), unit.options, list(found.values()))


def difference(stated: list[UnitTexts], read: list[UnitTexts]) -> str:
    """What was read that is not what is stated, for people; empty if that is nothing."""
    if len(stated) != len(read):
        return f"the certificate was made for {counted(len(stated), 'files')}, not for {len(read)}"
    for before, now in zip(stated, read, strict=True):
        if before.options != now.options:
            return f"{now.file} was compiled with {_words(before.options)}, not with {_words(now.options)}"
        known, here = {text.sha256: text.file for text in before.texts}, {text.sha256: text.file for text in now.texts}
        for sha, file in here.items():
            if sha not in known:
                what = f"{file}, which {now.file} includes," if file != os.path.basename(now.file) else now.file
                return f"{what} is not the text that the certificate was made for"
        for sha, file in known.items():
            if sha not in here:
                return f"{now.file} no longer includes {file}"
        if list(known) != list(here):
            return f"{now.file} includes its files in another order"
    return ""


def _words(options: list[str]) -> str:
    return " ".join(options) or "no options of its own"
