"""What a run writes, told in C: one change for each scalar, or one for a range of an array: `buf[0..3] = "ab"`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from drystone.counterexamples.known_objects import Owner
from drystone.counterexamples.values import (
    CHARACTERS,
    AddressText,
    bit_field_text,
    bytes_text,
    content_text,
    is_text,
    list_text,
    scalar_text,
    string_text,
)
from drystone.ir.source_types import Member, RecordType, SourceTypes, array_of, member_text, plain

_MOST_CHANGES = 64  # of one write


class Change(msgspec.Struct, frozen=True):
    """A place that was written, and what is there now; or elements of an array, whose first index is `first`."""

    name: str
    value: str = ""
    temporary: bool = False  # a variable that the front end made up
    elements: tuple[str, ...] = ()
    first: int = 0
    characters: bytes | None = None  # where the elements are characters: they themselves
    ctype: str = ""  # of the elements
    is_open: bool = False  # a single first element is rather `*p`


def changes_in(
    owner: Owner, offset: int, content: bytes, types: SourceTypes, address: AddressText, is_float: bool = False
) -> Iterator[Change]:
    """These bytes were written there; the type of the object is known. `is_float`: as a float, of the members of a union."""
    telling = _Telling(types, address, is_float)
    if not owner.is_pointed:
        found = telling.part(owner.text, owner.ctype, offset, content)
    elif types.size(owner.ctype) > owner.size // 2 and not owner.is_open:
        found = telling.part(f"*{owner.text}", owner.ctype, offset, content)
    else:
        found = telling.elements(owner.text, owner.ctype, offset, content, owner.is_open)
    for _, change in zip(range(_MOST_CHANGES), found, strict=False):
        yield change


class _Telling:
    def __init__(self, types: SourceTypes, address: AddressText, is_float: bool) -> None:
        self.types, self.address, self.is_float = types, address, is_float

    def part(self, text: str, ctype: str, offset: int, content: bytes) -> Iterator[Change]:
        """Of an object of this type, so many bytes from an offset on; some of them may be behind its end."""
        size, array, record = self.types.size(ctype), array_of(ctype), self.types.records.get(plain(ctype))
        is_whole = offset == 0 and len(content) >= size
        if array is not None and self.types.size(array[0]):
            yield from self.elements(f"({text})" if text.startswith("*") else text, array[0], offset, content)
        elif record is not None and record.members and (record.is_union or not is_whole or len(record.members) == 1):
            for each in [self._meant(record, offset, len(content))] if record.is_union else record.members:
                yield from self._member(text, each.name, each.ctype, each.offset, each.bits, offset, content)
        elif is_whole and size:
            yield Change(text, content_text(content[:size], ctype, self.types, self.address))
        else:
            last = offset + len(content) - 1
            yield Change(
                f"bytes {offset}..{last} of {text}" if last > offset else f"byte {offset} of {text}", bytes_text(content)
            )

    def _meant(self, union: RecordType, offset: int, size: int) -> Member:
        """The member that somebody wrote who wrote so many bytes."""
        scalars = [(each, self.types.parts("", each.ctype, offset, size)[-1]) for each in union.members]
        fitting = [(each, last.ctype) for each, last in scalars if last.offset == 0 and self.types.size(last.ctype) == size]
        floats = [each for each, ctype in fitting if (plain(ctype) in ("float", "double", "long double")) is self.is_float]
        return next(iter(floats or [each for each, _ in fitting]), union.members[0])

    def _member(self, text: str, name: str, ctype: str, place: int, bits: int, offset: int, content: bytes) -> Iterator[Change]:
        end = offset + len(content)
        if bits >= 0:
            if 8 * offset <= place and place + bits <= 8 * end and name:
                value = int.from_bytes(content, "little") >> place - 8 * offset
                yield Change(member_text(text, name), bit_field_text(value, bits, ctype, self.types))
            return
        start = place // 8
        stop = start + (self.types.size(ctype) or end)
        low, high = max(start, offset), min(stop, end)
        if low < high:
            yield from self.part(member_text(text, name), ctype, low - start, content[low - offset : high - offset])

    def elements(self, array: str, element: str, offset: int, content: bytes, is_open: bool = False) -> Iterator[Change]:
        """Of an array: scalars as a range, others one by one."""
        step = self.types.size(element)
        is_record = array_of(element) is not None or plain(element) in self.types.records
        if not is_record and offset % step == 0 and len(content) % step == 0:
            is_character = plain(element) in CHARACTERS
            starts = range(0, len(content), step)
            texts = tuple([scalar_text(content[at : at + step], element, self.types, self.address) for at in starts])
            yield Change(array, "", False, texts, offset // step, content if is_character else None, element, is_open)
            return
        position = 0
        while position < len(content):
            index, rest = divmod(offset + position, step)
            taken = min(step - rest, len(content) - position)
            name = f"*{array}" if is_open and index == 0 else f"{array}[{index}]"
            yield from self.part(name, element, rest, content[position : position + taken])
            position += taken


def joined(changes: Iterable[Change]) -> dict[str, str]:
    """By place what is there in the end; neighbouring elements of an array as one range."""
    order: dict[tuple[str, bool], None] = {}
    values: dict[str, str] = {}
    arrays: dict[str, dict[int, tuple[str, int]]] = {}
    kinds: dict[str, Change] = {}
    for change in changes:
        order.setdefault((change.name, bool(change.elements)))
        if not change.elements:
            values[change.name] = change.value
            continue
        kinds[change.name] = change
        known = arrays.setdefault(change.name, {})
        for position, text in enumerate(change.elements):
            known[change.first + position] = text, change.characters[position] if change.characters is not None else -1
    shown: dict[str, str] = {}
    for name, is_array in order:
        if is_array:
            shown.update(_ranges(kinds[name], arrays[name]))
        else:
            shown[name] = values[name]
    return {name: value for name, value in shown.items() if value != "{0}" or not _is_overwritten(name, shown)}


def _is_overwritten(name: str, shown: Iterable[str]) -> bool:
    """An initialiser clears a record before it sets its members."""
    return any(other.startswith(f"{name}.") for other in shown)


def _ranges(array: Change, elements: dict[int, tuple[str, int]]) -> Iterator[tuple[str, str]]:
    run: list[int] = []
    for index in [*sorted(elements), None]:
        if run and (index is None or index != run[-1] + 1):
            yield _range_text(array, run[0], [elements[each] for each in run])
            run = []
        if index is not None:
            run.append(index)


def _range_text(array: Change, first: int, elements: list[tuple[str, int]]) -> tuple[str, str]:
    if len(elements) == 1:
        is_pointed = array.is_open and first == 0 and array.characters is None
        return f"*{array.name}" if is_pointed else f"{array.name}[{first}]", elements[0][0]
    name = f"{array.name}[{first}..{first + len(elements) - 1}]"
    if array.characters is not None:
        content = bytes(byte for _, byte in elements)
        if is_text(content, array.ctype):
            return name, string_text(content)
    return name, list_text([text for text, _ in elements])
