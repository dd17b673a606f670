"""The pragmas of a unit, read from the text of its files: libclang shows none of them.

`#pragma` in parts that the preprocessor leaves out does not count. What `_Pragma` is given is known where it is a string; where
a macro makes the string (`_Pragma(#x)`), every use of that macro has to be harmless.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from drystone.base.regex import regex
from drystone.frontend.clang.unit import TranslationUnit
from drystone.frontend.source_text.vocabulary import MODELLED_PRAGMAS, REFUSED_PRAGMAS, is_harmless_pragma

_COMMENT_OR_STRING = regex(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_DIRECTIVE = regex(rb"^[ \t\v\f]*(?:#|%:|\?\?=)[ \t\v\f]*pragma\b([^\n]*)", re.MULTILINE)
_OPERATOR = regex(rb'\b_Pragma\b\s*(?:\(\s*L?"((?:\\.|[^"\\])*)"\s*\))?')
_DEFINITION = regex(rb"^[ \t\v\f]*(?:#|%:|\?\?=)[ \t\v\f]*define\s+(\w+)(?:\(\s*(\w+|\.\.\.)\s*\))?[^\n]*", re.MULTILINE)
_WORD = regex(rb"[A-Za-z_]\w*")
_REDEFINED = regex(rb"define\s+(?:push|pop|pack)\b")
_WEAK = regex(r"weak\s+([\w$]+)(?:\s*=\s*([\w$]+))?$")
_PACK = regex(r"pack\s*\(\s*(?:\d+|pop|push(?:\s*,\s*\d+)?)?\s*\)$")
_BRINGING = regex(rb"(?:#|%:|\?\?=)[ \t\v\f]*include|\b_Pragma\b")
_RENAME = regex(r"redefine_extname\s+[\w$]+\s+[\w$]+$")


class Pragma(NamedTuple):
    text: str
    file: str
    offset: int
    in_macro: bool  # takes effect where a macro is used, if at all


class Pragmas(msgspec.Struct, eq=False):
    weak: dict[str, str | None] = {}  # `#pragma weak name` and `#pragma weak name = target`
    refusals: list[tuple[str, str, int]] = []  # what, file, line
    ignored: list[tuple[str, str, int]] = []  # known to no compiler


def read(unit: TranslationUnit, in_detail: Callable[[], TranslationUnit]) -> Pragmas:
    """What the pragmas of a unit say. `in_detail` parses it again, where it matters what the preprocessor left out."""
    result = Pragmas()
    telling = [pragma for pragma in _pragmas(unit) if not is_harmless_pragma(pragma.text)]
    if not telling:
        return result
    detailed = in_detail()
    skipped = detailed.skipped()
    detailed.close()
    in_records = _packing_records(unit, [pragma for pragma in telling if pragma.text.startswith("pack")])
    for pragma in telling:
        if any(file == pragma.file and start <= pragma.offset < end for file, start, end in skipped):
            continue
        line = unit.source.text(pragma.file).count(b"\n", 0, pragma.offset) + 1
        weak = _WEAK.match(pragma.text)
        if weak is not None and not pragma.in_macro:
            result.weak[weak[1]] = weak[2]
        elif _RENAME.match(pragma.text):
            continue  # clang has done it
        elif pragma.text.startswith("pack"):
            if _PACK.match(pragma.text) is None or pragma in in_records:
                result.refusals.append((f"#pragma {pragma.text}", pragma.file, line))
        elif pragma.in_macro or MODELLED_PRAGMAS.match(pragma.text) or REFUSED_PRAGMAS.match(pragma.text):
            result.refusals.append((f"#pragma {pragma.text}", pragma.file, line))
        else:
            result.ignored.append((f"#pragma {pragma.text}", pragma.file, line))
    return result


def _packing_records(unit: TranslationUnit, packing: list[Pragma]) -> set[Pragma]:
    """The packings that may change between the braces of a structure: clang takes the one of its begin, and gcc that of its end.

    A macro may bring them there, or be named like a word of theirs, which only clang expands.
    """
    texts = {file: unit.source.text(file) for file in unit.own_files()} if packing else {}
    if any(_REDEFINED.search(text) for text in texts.values()):
        return set(packing)
    carriers = _carriers(list(texts.values()))
    found: set[Pragma] = set()
    for file, start, end in unit.record_texts() if packing else ():
        text = unit.source.text(file)[start : end + 1]
        if file in texts and _BRINGING.search(text):
            return set(packing)
        has_carrier = not carriers.isdisjoint(_WORD.findall(text))
        found.update(
            each for each in packing if (file == each.file and start <= each.offset < end) or (each.in_macro and has_carrier)
        )
    return found


def _carriers(texts: list[bytes]) -> set[bytes]:
    """The macros with a pragma in them, or with another such macro."""
    bodies = [(match[1], set(_WORD.findall(match[0]))) for text in texts for match in _DEFINITION.finditer(_spliced(text)[0])]
    found = {b"_Pragma"}
    while more := {name for name, words in bodies if words & found} - found:
        found |= more
    return found


class _Text(NamedTuple):
    file: str
    joined: bytes  # continued lines as one
    bare: bytes  # the same without comments and strings
    original: Callable[[int], int]  # a position in them -> in the file


def _pragmas(unit: TranslationUnit) -> Iterator[Pragma]:
    texts = []
    for file in unit.own_files():
        joined, original = _spliced(unit.source.text(file))
        texts.append(_Text(file, joined, _COMMENT_OR_STRING.sub(_blank, joined) if b"ragma" in joined else b"", original))
    makers: set[bytes] = set()  # macros that make pragmas of their argument
    for file, joined, bare, original in texts:
        for match in _DIRECTIVE.finditer(bare):
            whole = joined[match.start(1) : match.end(1)].decode("utf-8", "replace")
            yield Pragma(" ".join(re.sub(r"//.*|/\*.*?\*/", " ", whole).split()), file, original(match.start()), False)
        definitions = list(_DEFINITION.finditer(bare)) if b"_Pragma" in bare else []
        for match in re.finditer(rb"\b_Pragma\b", bare):
            definition = next((each for each in definitions if each.start() <= match.start() < each.end()), None)
            literal = _OPERATOR.match(joined, match.start())
            if literal is not None and literal[1] is not None:
                said = re.sub(r'\\(["\\])', r"\1", literal[1].decode("utf-8", "replace"))
                yield Pragma(" ".join(said.split()), file, original(match.start()), definition is not None)
            elif definition is not None and definition[2] is not None and _is_stringised(bare, match.end(), definition[2]):
                makers.add(definition[1])
            else:
                yield Pragma("made by a macro", file, original(match.start()), True)
    for maker in makers:
        use, itself = re.compile(rb"\b" + maker + rb"\b(\s*\()?"), re.compile(rb"#\s*(?:define|undef|ifn?def)\s+$")
        for file, joined, _, original in texts:
            for match in use.finditer(_COMMENT_OR_STRING.sub(_blank, joined)):
                if itself.search(joined, max(0, match.start() - 40), match.start()) is None:
                    said = _argument(joined, match.end()) if match[1] else "made by a macro"
                    yield Pragma(said, file, original(match.start()), True)


def _is_stringised(text: bytes, position: int, parameter: bytes) -> bool:
    name = rb"__VA_ARGS__" if parameter == b"..." else parameter
    return re.compile(rb"\s*\(\s*#\s*" + name + rb"\s*\)").match(text, position) is not None


def _argument(text: bytes, start: int) -> str:
    depth, end = 1, start
    while end < len(text) and depth:
        depth += (text[end : end + 1] == b"(") - (text[end : end + 1] == b")")
        end += 1
    return " ".join(text[start : end - 1].decode("utf-8", "replace").split())


def _blank(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n]", b" ", match[0])


def _spliced(text: bytes) -> tuple[bytes, Callable[[int], int]]:
    """The text with its continued lines joined, and where a position in it was before."""
    splices = [(match.start(), len(match[0])) for match in re.finditer(rb"\\[ \t]*\r?\n", text)]
    if not splices:
        return text, lambda position: position
    joined = re.sub(rb"\\[ \t]*\r?\n", b"", text)
    starts, removed, total = [], [], 0
    for start, length in splices:
        starts.append(start - total)
        total += length
        removed.append(total)

    def original(position: int) -> int:
        index = bisect_right(starts, position) - 1
        return position + (removed[index] if index >= 0 else 0)

    return joined, original
