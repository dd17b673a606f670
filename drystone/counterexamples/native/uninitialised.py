"""Memory that nothing has written, in a compiled program: where an execution needs other bytes there than zeros.

A compiler can be told to start locals with zeros, but not with the bytes of a counterexample. So a copy of the text is changed:
each declaration whose object the execution found with other bytes gets a second declarator, whose initialiser fills the object:

    int x, *drystone_1 = drystone_fill((void *)&x, sizeof x, 1);

That works for every type, in every scope, also in the head of a `for`. `alloca` is called through a macro that fills what
it returns; `malloc` and external functions are the harness's anyway. The bytes are taken in the order in which the execution
came to the place. A declaration that comes out of a macro or a header is left alone: the execution then lacks its values, and
may end elsewhere; nothing is claimed that the compiled program does not do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import astuple

from drystone.base.regex import regex
from drystone.concrete.flat_memory import BEFORE_DECLARATION
from drystone.concrete.inputs import Consumed, bit_width
from drystone.ir import names
from drystone.ir.automaton import Origin, Program
from drystone.ir.expressions import Determinant, InputKind
from drystone.logic.floats import extended_to_memory
from drystone.logic.sorts import EXTENDED

_ALLOCA = frozenset(("alloca", "__builtin_alloca", "__builtin_alloca_with_align"))
_ALLOCA_CALL = regex(rb"\b(?:__builtin_)?alloca\s*\(")
_PREFIX = (
    b"#define register\n"  # its address is needed
    b"extern void *drystone_fill(void *, unsigned long, unsigned);\n"
    b"#define drystone_alloca(site, size) "
    b"({ unsigned long drystone_size = (size); drystone_fill(__builtin_alloca(drystone_size), drystone_size, site); })\n"
    b"#line 1\n"
)


_PAGE = 4096
_LOWEST, _HIGHEST = 1 << 16, 1 << 46  # addresses at which Linux gives out memory


class Place(msgspec.Struct):
    """A declaration, or a statement that calls alloca, and the bytes that the execution found there, time after time."""

    name: str
    origin: Origin
    contents: list[bytes] = []


class Unwritten(msgspec.Struct):
    """The unwritten memory of an execution."""

    places: list[Place] = []  # in files of the program; the position is the site's number
    allocated: list[bytes] = []  # by malloc, in the order of its calls
    arguments: list[bytes] = []  # strings that main is given
    external: dict[str, list[bytes]] = {}  # what the pointers that a function returns point to
    wild: dict[int, bytes] = msgspec.field(
        default_factory=dict
    )  # by address: bytes that lie in no object, read through a wild pointer
    others: list[str] = []  # that no change of the text provides
    stays_unwritten: bool = False  # the execution is about memory that has no value


def unwritten(program: Program, inputs: Iterable[Consumed], own_files: Iterable[int]) -> Unwritten:
    """Sorts the unwritten memory by what provides it, without places that are always zero; `own_files` index `program.files`."""
    own = frozenset(own_files)
    places: dict[Origin, Place] = {}
    found = Unwritten()
    for entry in inputs:
        address = wild_address(entry)
        if address is not None and isinstance(entry.value, bytes):
            found.wild[address] = entry.value
        if entry.kind is not InputKind.UNINITIALISED or entry.what == BEFORE_DECLARATION:
            continue
        content = _bytes(entry)
        if entry.determinant is Determinant.POINTEE:
            found.external.setdefault(entry.what, []).append(content)
        elif entry.determinant is Determinant.STRING:
            found.arguments.append(content.partition(b"\0")[0])
        elif entry.origin.file in own and entry.name == "malloc":
            found.allocated.append(content)
        elif entry.origin.file in own and _is_named_in_the_text(entry):
            name = entry.what.partition("#")[0]
            places.setdefault(entry.origin, Place(name, entry.origin)).contents.append(content)
        elif any(content):
            found.others.append(entry.name)
    found.places = [places[origin] for origin in sorted(places, key=astuple) if any(map(any, places[origin].contents))]
    return found


def wild_address(entry: Consumed) -> int | None:
    """The address of bytes outside every object."""
    return names.address_of_wild(entry.what) if entry.kind is InputKind.UNDEFINED else None


def _is_named_in_the_text(entry: Consumed) -> bool:
    """A local, a variable length array, or a call of alloca."""
    name = entry.what.partition("#")[0]
    return name.isidentifier() and entry.name != "realloc"


def _bytes(entry: Consumed) -> bytes:
    if isinstance(entry.value, bytes):
        return entry.value
    if entry.sort == EXTENDED:
        return extended_to_memory(entry.value).to_bytes(16, "little")
    width = bit_width(entry.sort) if entry.sort is not None else 64
    return entry.value.to_bytes((width + 7) // 8, "little")


# the text


def filling(text: str, places: Mapping[int, Place]) -> tuple[str, list[str]]:
    """The text with calls of `drystone_fill` for the places, by number, and the names of those where none could be put."""
    source = text.encode(errors="surrogateescape")
    starts = [0, *(match.end() for match in re.finditer(rb"\n", source))]

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column - 1 if 0 < line <= len(starts) else len(source)

    edits: list[tuple[int, int, bytes]] = []
    missed: list[str] = []
    for number, place in places.items():
        origin = place.origin
        begin, end = offset(origin.line, origin.column), offset(origin.end_line, origin.end_column)
        found = list(
            _calls_of_alloca(source, begin, end, number)
            if place.name in _ALLOCA
            else _declarator(source, begin, end, place.name, number)
        )
        edits += found
        if not found:
            missed.append(place.name)
    if not edits:
        return text, missed
    parts, done = [_PREFIX], 0
    for begin, end, new in sorted(edits):
        parts += [source[done:begin], new]
        done = end
    return b"".join([*parts, source[done:]]).decode(errors="surrogateescape"), missed


def _calls_of_alloca(source: bytes, begin: int, end: int, number: int) -> Iterator[tuple[int, int, bytes]]:
    for call in _ALLOCA_CALL.finditer(source, begin, end):
        yield call.start(), call.end(), b"drystone_alloca(%d, " % number


def _declarator(source: bytes, begin: int, end: int, name: str, number: int) -> Iterator[tuple[int, int, bytes]]:
    """A second declarator behind the one of `name`, which ends at `end`; none if that is no declarator without a value.

    What follows the name must not be its value, or a body: the fill would come too late, or be no C.
    """
    mention = re.compile(rb"(?<!\w)%s(?!\w)" % name.encode()).search(source, begin, end)
    if mention is None or re.search(rb"[={};#]", source[mention.end() : end]):
        return
    position = _end_of_declarator(source, end)
    if position is not None:
        word = name.encode()
        yield position, position, b", *drystone_%d = drystone_fill((void *)&%s, sizeof %s, %d)" % (number, word, word, number)


_TOKEN = regex(rb"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\]|\\.)*\"|[(),;={}]|[^\s(),;={}\"/]+|\s+|.", re.DOTALL)


def _end_of_declarator(source: bytes, start: int) -> int | None:
    """Where the comma or semicolon after a declarator is: behind its attributes."""
    depth = 0
    for token in _TOKEN.finditer(source, start, start + 4096):
        word = token[0]
        if word == b"(":
            depth += 1
        elif word == b")":
            depth -= 1
        elif depth == 0 and word in (b",", b";"):
            return token.start()
        elif depth < 0 or word in (b"=", b"{", b"}"):
            return None
    return None


# the harness


def harness_lines(memory: Unwritten) -> Iterator[str]:
    """The functions that provide the bytes: `drystone_fill` for places, `drystone_allocated` for malloc."""
    yield "struct drystone_block { const unsigned char *bytes; unsigned long size; };"
    yield "static void *drystone_put(void *object, unsigned long size, const struct drystone_block *from) {"
    yield "  unsigned char *to = object;"
    yield "  for (unsigned long at = 0; at < size; at++) to[at] = from && at < from->size ? from->bytes[at] : 0;"
    yield "  return object; }"
    for number, place in enumerate(memory.places):
        yield from blocks(f"drystone_site{number}", place.contents)
    yield from blocks("drystone_heap", memory.allocated)
    yield from blocks("drystone_arguments", memory.arguments)
    yield "void *drystone_fill(void *object, unsigned long size, unsigned site) {"
    yield f"  static unsigned next[{len(memory.places) + 1}];"
    yield "  const struct drystone_block *from = 0;"
    yield "  switch (site) {"
    for number, place in enumerate(memory.places):
        taken = f"&drystone_site{number}[next[{number}]++]"
        yield f"  case {number}: if (next[{number}] < {len(place.contents)}) from = {taken}; break;"
    yield "  } return drystone_put(object, size, from); }"
    yield "static void *drystone_allocated(unsigned long size) {"
    # small blocks from malloc, which uses addresses again where calloc does not
    yield "  static unsigned next; int small = size < 65536; void *object = small ? __real_malloc(size) : __real_calloc(1, size);"
    yield f"  const struct drystone_block *from = next < {len(memory.allocated)} ? &drystone_heap[next++] : 0;"
    puts = "0" if memory.stays_unwritten else "object && (from || small)"
    yield f"  return {puts} ? drystone_put(object, size, from) : object; }}"

    yield from _wild(memory.wild)


def _wild(wild: Mapping[int, bytes]) -> Iterator[str]:
    """`drystone_map` puts memory where wild pointers lead to, as far as the system gives it out there."""
    shown = {address: content for address, content in sorted(wild.items()) if _LOWEST <= address < _HIGHEST}
    yield from blocks("drystone_wild", list(shown.values()))
    yield "extern void *mmap(void *, unsigned long, int, int, int, long);"
    yield "static void drystone_map(void) {"
    yield f"  static const unsigned long at[] = {{{', '.join(f'{address:#x}ul' for address in shown) or '0'}}};"
    yield f"  for (unsigned block = 0; block < {len(shown)}; block++) {{"
    yield f"    unsigned long page = at[block] & ~{_PAGE - 1}ul;"
    # readable, writable; private, anonymous, at this address or nowhere (the page may be there already)
    yield f"    mmap((void *)page, {2 * _PAGE}, 3, 0x100022, -1, 0); mmap((void *)page, {_PAGE}, 3, 0x100022, -1, 0);"
    yield "    drystone_put((void *)at[block], drystone_wild[block].size, &drystone_wild[block]);"
    yield "  } }"


def blocks(name: str, contents: Sequence[bytes]) -> Iterator[str]:
    """An array of the contents, without zeros at their ends."""
    shown = [content.rstrip(b"\0") for content in contents]
    for position, content in enumerate(shown):
        if content:
            yield f"static const unsigned char {name}_{position}[] = {{{', '.join(map(str, content))}}};"
    rows = ", ".join(f"{{{f'{name}_{position}' if content else '0'}, {len(content)}}}" for position, content in enumerate(shown))
    yield f"static const struct drystone_block {name}[] = {{{rows or '{0, 0}'}}};"
