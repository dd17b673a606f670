"""Conditions of the preprocessor on names of the implementation, of which clang and the bundled headers have their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from drystone.base.regex import regex
from drystone.frontend.clang.unit import TranslationUnit

_CONDITION = regex(rb"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b((?:[^\n\\]|\\.|\\\n)*)", re.M)
_DEFINED = regex(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
_RESERVED = regex(r"\b_[A-Z_]\w*")
_SAME = regex(
    r"__(?:cplusplus|(?:amd|x86_)64(?:__)?|i[3-6]86(?:__)?|linux(?:__)?|unix(?:__)?|gnu_linux__|ELF__|LP64__|_LP64|ILP32__"
    r"|BYTE_ORDER__|ORDER_\w+|(?:SIZEOF|ALIGNOF)_\w+|CHAR_BIT__|S?CHAR_\w+|SHRT_\w+|INT(?:PTR|MAX)?_MAX__|INT_MAX__|LONG_MAX__"
    r"|OPTIMIZE\w*|STDC__|STDC_HOSTED__|ASSEMBLER__|KERNEL__|FILE__|LINE__|COUNTER__)|_LP64|_WIN\w+|_MSC_VER|__APPLE__|__\w*BSD__"
)
"""What gcc has, too, with the same value, or has not either."""


def on_the_implementation(unit: TranslationUnit) -> Iterator[tuple[str, str, int]]:
    """Names that the program's files ask for without defining them, with file and line: gcc might take the other branch."""
    texts = {file: unit.source.text(file) for file in unit.own_files()}
    own = {name.decode(errors="replace") for text in texts.values() for name in _DEFINED.findall(text)}
    for file, text in texts.items():
        for condition in _CONDITION.finditer(text):
            for name in dict.fromkeys(_RESERVED.findall(condition[1].decode(errors="replace"))):
                if name not in own and _SAME.fullmatch(name) is None:
                    yield name, file, text.count(b"\n", 0, condition.start()) + 1
