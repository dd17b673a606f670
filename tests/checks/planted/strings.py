"""Ranges that functions of the library read and write: `string.h`, `sprintf`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.checks.planted.compose import Core, Operand
from tests.checks.planted.drafts import Draft, Lines, either, here
from tests.checks.planted.storage import an_array


def _text(draft: Draft, length: str, most: int) -> tuple[Lines, str]:
    """A string that is as long as the expression says."""
    draft.includes.add("string.h")
    name, k = draft.fresh("word"), draft.fresh("k")
    return [
        f"char {name}[{most + 1}];",
        f"for (int {k} = 0; {k} < {most}; {k}++) {name}[{k}] = {k} < {length} ? 'a' : 0;",
        f"{name}[{most}] = 0;",
    ], name


def counted(draft: Draft) -> Core:
    """So many bytes as an input says: one too many."""
    count, element = draft.number(1, 6), draft.one_of("char", "char", "int")
    function = draft.one_of("memset", "memcpy to", "memcpy from", "memmove", "memcmp", "strncpy")
    most = either(f"{count + 1}", str(count))

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        draft.includes.add("string.h")
        array, other = an_array(draft, element, count), draft.fresh("other")
        size = f"{values[0]} * sizeof({element})"
        base = array.base
        call = {
            "memset": f"memset({base}, 1, {size});",
            "memcpy to": f"memcpy({base}, {other}, {size});",
            "memcpy from": f"memcpy({other}, {base}, {size});",
            "memmove": f"memmove({base}, {other}, {size});",
            "memcmp": f"if (memcmp({base}, {other}, {size}) > 0) {other}[0] = 1;",
            "strncpy": f'strncpy((char *){base}, "abc", {size});',
        }[function]
        return [*array.before, f"{element} {other}[{count + 2}] = {{ 0 }};", here(call), *array.after]

    return Core((Operand("int", count + 1, "length"),), lambda values: f"{values[0]} >= 0 && {values[0]} <= {most}", site)


def copied(draft: Draft) -> Core:
    """A string into a buffer that has no place for its end."""
    count = draft.number(2, 6)
    bound = either(str(count), str(count - 1))

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        lines, word = _text(draft, values[0], count)
        array = an_array(draft, "char", count)
        call = f"strcpy({array.base}, {word});"
        if draft.chance(0.4):
            call = f"strcat({array.base}, {word});"
        elif draft.chance(0.3):
            draft.includes.add("stdio.h")
            call = f'sprintf({array.base}, "%s", {word});'
        return [*lines, *array.before, here(call), *array.after]

    return Core((Operand("int", count, "length"),), lambda values: f"{values[0]} >= 0 && {values[0]} <= {bound}", site)


def appended(draft: Draft) -> Core:
    """A string behind another one."""
    count = draft.number(4, 8)
    first = draft.number(1, count - 2)
    bound = either(str(count - first), str(count - first - 1))

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        lines, word = _text(draft, values[0], count)
        array = an_array(draft, "char", count)
        start = f'strcpy({array.base}, "{"x" * first}");'
        return [*lines, *array.before, start, here(f"strcat({array.base}, {word});"), *array.after]

    return Core((Operand("int", count - first, "length"),), lambda values: f"{values[0]} >= 0 && {values[0]} <= {bound}", site)


def unterminated(draft: Draft) -> Core:
    """`strlen` of an array that has no zero."""
    count = draft.number(2, 5)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        draft.includes.add("string.h")
        array, k, length = an_array(draft, "char", count), draft.fresh("k"), draft.fresh("length")
        return [
            *array.before,
            f"for (int {k} = 0; {k} < {values[0]}; {k}++) {array.base}[{k}] = 'a';",
            here(
                f"unsigned long {length} = {draft.one_of('strlen', 'strlen', '(unsigned long)strchr')}({array.base}" + ");"
            ).replace(f"(unsigned long)strchr({array.base})", f"strchr({array.base}, 'b') != 0"),
            f"if ({length} > {count}) {array.base}[0] = 'b';",
            *array.after,
        ]

    return Core(
        (Operand("int", count, "length"),),
        lambda values: f"{values[0]} >= 0 && {values[0]} <= {either(str(count), str(count - 1))}",
        site,
    )


def copied_to_the_heap(draft: Draft) -> Core:
    """A block without the place for the final zero."""
    most = draft.number(1, 5)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        draft.includes.add("stdlib.h")
        lines, word = _text(draft, values[0], most)
        copy = draft.fresh("copy")
        return [
            *lines,
            f"char *{copy} = malloc(strlen({word}) + {either('0', '1')});",
            f"if (!{copy}) {draft.leave}",
            here(f"strcpy({copy}, {word});"),
            f"free({copy});",
        ]

    return Core(
        (Operand("int", draft.number(1, most), "length"),), lambda values: f"{values[0]} >= 1 && {values[0]} <= {most}", site
    )


def by_hand(draft: Draft) -> Core:
    """A loop that copies until the end of a string."""
    count = draft.number(2, 5)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        lines, word = _text(draft, values[0], count)
        array = an_array(draft, "char", count)
        source, target = draft.fresh("from"), draft.fresh("to")
        return [
            *lines,
            *array.before,
            f"const char *{source} = {word};",
            f"char *{target} = {array.base};",
            here(f"while ((*{target}++ = *{source}++) != 0) {{"),
            "}",
            *array.after,
        ]

    return Core(
        (Operand("int", count, "length"),),
        lambda values: f"{values[0]} >= 0 && {values[0]} <= {either(str(count), str(count - 1))}",
        site,
    )


STRINGS: tuple[Callable[[Draft], Core], ...] = (counted, counted, copied, appended, unterminated, copied_to_the_heap, by_hand)
