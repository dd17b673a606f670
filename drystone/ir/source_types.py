"""What the source says of its types: the members of records, the names of enumerators. For people; nothing is decided by it.

Types are told apart by their text, as clang writes a type without typedefs: `struct node *`, `unsigned int[3][4]`. Two records
with one name and different members have no entry: what is in them is told by offsets.
"""

from __future__ import annotations

import re

import msgspec

from drystone.base.regex import regex

_QUALIFIERS = regex(r"\b(const|volatile|restrict|__restrict|register|static|_Atomic)\b")
_ARRAY = regex(r"(?P<start>[^()\[\]]*?)\s*\[(?P<count>[^\]]*)\](?P<rest>(\[[^\]]*\])*)")
_ARRAY_OF_POINTERS = regex(r"(?P<start>.*\(\*+)\[(?P<count>\d*)\](?P<rest>(\[\d*\])*\).*)")
_INTEGERS = {"char": 1, "short": 2, "int": 4, "long long": 8, "__int128": 16, "_Bool": 1, "float": 4, "double": 8}


class Member(msgspec.Struct, frozen=True):
    name: str  # empty: its members are those of the record
    ctype: str
    offset: int  # in bits
    bits: int = -1  # of a bit-field


class RecordType(msgspec.Struct, frozen=True):
    """A struct or a union."""

    size: int  # in bytes
    members: tuple[Member, ...]

    @property
    def is_union(self) -> bool:
        return len(self.members) > 1 and all(each.offset == 0 and each.bits < 0 for each in self.members)


class Place(msgspec.Struct, frozen=True):
    """A part of an object: how C writes it, its type, and where in it the byte is that was looked for."""

    text: str
    ctype: str
    offset: int


class SourceTypes(msgspec.Struct, frozen=True):
    """The types of a program that have something to tell."""

    records: dict[str, RecordType] = {}
    enumerators: dict[str, dict[int, str]] = {}  # by the type's name: names by bit pattern
    meanings: dict[str, str] = {}  # types of variables as the source writes them: without typedefs
    pointer_size: int = 8  # bytes

    def meaning(self, ctype: str) -> str:
        """The type of a variable or an object without typedefs and qualifiers."""
        return plain(self.meanings.get(ctype, ctype))

    def size(self, ctype: str) -> int:
        """In bytes; 0 if it is not known."""
        text = plain(ctype)
        if is_pointer(text):
            return self.pointer_size
        array = array_of(text)
        if array is not None:
            return self.size(array[0]) * array[1]
        if text in self.records:
            return self.records[text].size
        if text in self.enumerators or text.startswith("enum "):
            return 4
        word = re.sub(r"\b(un)?signed\b ?", "", text).strip() or ("int" if text else "")
        if word == "long":
            return self.pointer_size
        return (16 if self.pointer_size == 8 else 12) if word == "long double" else _INTEGERS.get(word, 0)

    def parts(self, text: str, ctype: str, offset: int, size: int = 0) -> list[Place]:
        """The object that C writes so, its member or element that has this byte, and so on down to a scalar. Of a union, the
        member with a scalar of `size` bytes right there is taken, if there is one."""
        here = Place(text, ctype, offset)
        known, array = self.records.get(plain(ctype)), array_of(ctype)
        if array is not None:
            step = self.size(array[0])
            return [here, *self.parts(f"{text}[{offset // step}]", array[0], offset % step, size)] if step else [here]
        if known is None:
            return [here]
        ways = [
            self.parts(member_text(text, each.name), each.ctype, offset - each.offset // 8, size)
            for each in known.members
            if each.bits < 0 and each.offset // 8 <= offset < each.offset // 8 + self._extent(each, known)
        ]
        fitting = [way for way in ways if way[-1].offset == 0 and self.size(way[-1].ctype) == size]
        return [here, *(fitting or ways)[0]] if ways else [here]

    def _extent(self, member: Member, record: RecordType) -> int:
        """Bytes; a last member `int a[]` has all that follows."""
        size = self.size(member.ctype)
        return size if size or member is not record.members[-1] else 1 << 40

    def address(self, text: str, ctype: str, offset: int, pointee: str) -> str | None:
        """A pointer to something of type `pointee` at an offset in an object, as in C: the part of this type, or the largest one
        that begins there. None: no part does."""
        array = array_of(ctype)
        if array is not None and 0 < offset == self.size(ctype):
            return f"&{text}[{array[1]}]"  # just behind it
        found = [each for each in self.parts(text, ctype, offset) if each.offset == 0]
        if not found:
            return None
        wanted = next((each for each in found if plain(each.ctype) == plain(pointee)), found[0])
        is_row = array_of(wanted.ctype) is not None and array_of(pointee) is None
        if is_row or (wanted is not found[0] and wanted.text == f"{found[0].text}[0]" and plain(pointee) not in self.records):
            return found[0].text if not is_row else wanted.text  # the array itself
        return f"&{wanted.text}"


def member_text(record: str, member: str) -> str:
    """`s.m`, or `p->m` for the record `*p`."""
    if not member:
        return record
    return f"{record[1:]}->{member}" if record.startswith("*") else f"{record}.{member}"


def plain(ctype: str) -> str:
    """Without qualifiers."""
    text = " ".join(_QUALIFIERS.sub(" ", ctype).split())
    return re.sub(r"\* (?=\*)", "*", text)


def is_pointer(ctype: str) -> bool:
    text = plain(ctype)
    return text.endswith("*") or "(*)" in text


def pointee(ctype: str) -> str:
    """What a pointer points to; empty for anything else."""
    text = plain(ctype)
    if text.endswith("*"):
        return text[:-1].strip()
    return text.replace(" (*)", "", 1).replace("(*)", "", 1) if "(*)" in text else ""


def array_of(ctype: str) -> tuple[str, int] | None:
    """The type of the elements, and how many there are: 0 if C does not say."""
    text = plain(ctype)
    found = _ARRAY.fullmatch(text) or _ARRAY_OF_POINTERS.fullmatch(text)
    if found is None:
        return None
    return found["start"] + found["rest"], int(found["count"]) if found["count"].isdigit() else 0
