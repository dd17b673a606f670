"""The types of a program as people are told of them (`ir.source_types`): those that the front end has met."""

from __future__ import annotations

from collections.abc import Iterable

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXType, library, text_of
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import tree_of
from drystone.frontend.declarations.types import Lanes, Record, Types
from drystone.ir.source_types import Member, RecordType, SourceTypes, plain

_MOST_ENUMERATORS = 1_000  # of one type


def told_types(tables: Iterable[Types], pointer_width: int) -> SourceTypes:
    """From the types of all units. Where one name means several records or enumerations, it is left out."""
    records: dict[str, RecordType | None] = {}
    enumerators: dict[str, dict[int, str] | None] = {}
    meanings: dict[str, str] = {}
    for types in tables:
        for record in types.records():
            name, told = plain(str(record)), _record(record)
            records[name] = told if records.get(name, told) == told else None
        for text, meaning in types.spellings.items():
            meanings[text] = meaning if meanings.get(text, meaning) == meaning else ""
        for raw in types.enumerations:
            name, values = plain(text_of(library().clang_getTypeSpelling(raw))), _enumerators(raw)
            enumerators[name] = values if enumerators.get(name, values) == values else None
    return SourceTypes(
        {name: record for name, record in records.items() if record is not None},
        {name: values for name, values in enumerators.items() if values},
        {text: meaning for text, meaning in meanings.items() if text != meaning},
        pointer_width // 8,
    )


def _record(record: Record) -> RecordType:
    if isinstance(record, Lanes):
        return RecordType(record.size, ())
    members = (Member(each.name, str(each.type), each.offset, each.bits) for each in record.fields)
    return RecordType(record.size, tuple(members))


def _enumerators(raw: CXType) -> dict[int, str]:
    """By bit pattern of 32 bits; the first name of a number."""
    found: dict[int, str] = {}
    lib = library()
    children = tree_of(lib.clang_getTypeDeclaration(raw)).children
    for child in children[:_MOST_ENUMERATORS]:
        if child.kind == kinds.ENUM_CONSTANT:
            found.setdefault(lib.clang_getEnumConstantDeclValue(child.cursor) & 0xFFFF_FFFF, spelling(child.cursor))
    return found
