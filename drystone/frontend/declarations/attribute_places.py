"""Attributes for layouts at places where gcc makes something else of them than clang.

- The alignment of an enumeration: gcc leaves it out.
- Attributes of a structure that is only named there (`struct [[gnu::packed]] s;`): for gcc, its definition does not have them.
- Behind the star of a member (`int *__attribute__((packed)) p;`), and in brackets behind its sizes: for gcc, they belong to the
  type of the pointer or the array, for clang to the member.
- The mode of a bit-field.
"""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, library
from drystone.frontend.clang.unit import TranslationUnit

_DECORATED = frozenset((kinds.FIELD_DECL, kinds.TYPEDEF_DECL))
_WRITTEN = regex(rb"(?:__)?(?:aligned|packed|mode|gnu|vector_size|transparent_union)(?:__)?|_Alignas|alignas")
_WORD = regex(rb"[A-Za-z_]\w*")
_DEFINED = regex(rb"#[ \t]*define[ \t]+(\w+)((?:[^\\\n]|\\.|\\\n)*)")
_POINTER, _ARRAYS = 101, (112, 114, 115, 116)  # CXTypeKind


def is_taken_otherwise(unit: TranslationUnit, attribute: CXCursor, name: str, declaration: CXCursor) -> bool:
    """Does gcc take this attribute for layouts, which has this name, otherwise than clang?"""
    lib = library()
    if declaration.kind == kinds.ENUM_DECL:
        return name not in ("packed", "mode")
    if declaration.kind in (kinds.STRUCT_DECL, kinds.UNION_DECL):
        return not lib.clang_isCursorDefinition(declaration)
    if declaration.kind not in _DECORATED:
        return False
    if declaration.kind == kinds.FIELD_DECL and lib.clang_Cursor_isBitField(declaration) and name == "mode":
        return True
    return _belongs_to_declarator(unit, attribute, declaration)


def _belongs_to_declarator(unit: TranslationUnit, attribute: CXCursor, declaration: CXCursor) -> bool:
    """Does it stand behind a star that makes a pointer, or in brackets behind the sizes of an array? What a macro hides may."""
    lib, source = library(), unit.source
    kind = lib.clang_getCanonicalType(lib.clang_getCursorType(declaration)).kind
    if kind not in (_POINTER, *_ARRAYS):
        return False
    at = lib.clang_getCursorLocation(attribute)
    file, start = source.expanded(lib.clang_getRangeStart(lib.clang_getCursorExtent(declaration)))
    place, name = source.expanded(at)[1], source.expanded(lib.clang_getCursorLocation(declaration))[1]
    text = source.text(file)
    if place > name:
        return kind in _ARRAYS and text[name:place].rstrip().endswith((b"[[", b"::"))
    word = _WORD.match(text, place)
    is_macro = word is not None and _WRITTEN.fullmatch(word[0]) is None
    return b"*" in text[start:place] or (word is not None and is_macro and _may_hold_star(unit, word[0]))


def _may_hold_star(unit: TranslationUnit, macro: bytes) -> bool:
    """Is there a star in a macro, or in one that it may use? If nobody defines it, there may be."""
    texts = b"\n".join(text for _, text in unit.inclusions())
    bodies: dict[bytes, list[bytes]] = {}
    for match in _DEFINED.finditer(texts):
        bodies.setdefault(match[1], []).append(match[2])
    seen, waiting = set[bytes](), [macro]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if any(b"*" in body for body in bodies.get(name, ())):
            return True
        waiting += [word for body in bodies.get(name, ()) for word in _WORD.findall(body)]
    return macro not in bodies
