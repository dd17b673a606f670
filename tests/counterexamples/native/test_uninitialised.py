"""Declarations whose objects need bytes get a second declarator; no other text is touched."""

from __future__ import annotations

import pytest

from drystone.counterexamples.native.uninitialised import Place, filling
from drystone.ir.automaton import Origin


def filled(declaration: str, end: str, name: str) -> str:
    """The declaration after the change; `end` is the text at the end of which the declarator ends."""
    column = declaration.index(end) + len(end)
    text, _ = filling(f"/* é */\n{declaration}\n", {3: Place(name, Origin(0, 2, 1, 2, 1 + len(declaration[:column].encode())))})
    return text.split("\n")[-2]


FILL = ", *drystone_3 = drystone_fill((void *)&x, sizeof x, 3)"


@pytest.mark.parametrize(
    ("declaration", "end", "expected"),
    [
        ("int x;", "x", f"int x{FILL};"),
        ("int x, y;", "x", f"int x{FILL}, y;"),
        ("const struct x x[3] ;", "]", f"const struct x x[3] {FILL};"),
        ("int (*x)(int, char) __attribute__((unused, aligned(8)));", "char)", None),
        ("int x /* , ; */;", "x", f"int x /* , ; */{FILL};"),
        ('T é, x __asm__(";");', ", x", f'T é, x __asm__(";"){FILL};'),
        ("for (int x, y = 1; y; y--) ;", "x", f"for (int x{FILL}, y = 1; y; y--) ;"),
    ],
)
def test_filled_behind_the_declarator(declaration: str, end: str, expected: str | None) -> None:
    expected = expected or declaration[:-1] + FILL + ";"
    assert filled(declaration, end, "x") == expected


@pytest.mark.parametrize(
    ("declaration", "end"),
    [
        ("int x = 3;", "3"),  # has a value
        ("struct s x = {1, 2};", "}"),
        ("LOCAL;", "LOCAL"),  # a macro
        ("int f(int x) { return x; };", "}"),  # a function
        ("int x", "x"),  # the end of the text
    ],
)
def test_left_alone(declaration: str, end: str) -> None:
    column = declaration.index(end) + len(end)
    text = f"{declaration}\n"
    assert filling(text, {0: Place("x", Origin(0, 1, 1, 1, 1 + column))}) == (text, ["x"])


def test_alloca_is_called_through_the_macro() -> None:
    declaration = "int *p = alloca(4), *q = __builtin_alloca (n + 1)"
    text, missed = filling(declaration + ", alloca;\n", {1: Place("alloca", Origin(0, 1, 1, 1, 1 + len(declaration)))})
    assert text.endswith("int *p = drystone_alloca(1, 4), *q = drystone_alloca(1, n + 1), alloca;\n") and not missed


def test_bytes_that_are_no_text_stay() -> None:
    source = b'char *s = "\xff"; int x;\n'.decode(errors="surrogateescape")
    text, _ = filling(source, {0: Place("x", Origin(0, 1, 16, 1, 21))})
    assert text.encode(errors="surrogateescape").endswith(b"char *s = \"\xff\"; int x, *drystone_0 = "
                                                          b"drystone_fill((void *)&x, sizeof x, 0);\n")  # fmt: skip
