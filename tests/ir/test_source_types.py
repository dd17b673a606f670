"""How C writes parts of objects, by the members that the front end leaves for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.frontend.load import FrontendOptions, load
from drystone.ir.source_types import SourceTypes, array_of, plain, pointee

TEXT = """
typedef struct { short lo, hi; } pair_t;
union number { int i; float f; char b[4]; };
struct outer { pair_t pairs[2]; union number u; struct { int hidden; }; int (*op[2])(int); int m[2][3]; enum { ODD, EVEN } e; };
struct outer g;
int main(void) { struct outer *p = &g; p->m[1][2] = 3; p->e = EVEN; g.u.f = 1; g.pairs[1].hi = 2; return p->op[0](g.hidden); }
"""


@pytest.fixture
def types(tmp_path: Path) -> SourceTypes:
    file = tmp_path / "p.c"
    file.write_text(TEXT)
    return load([str(file)], FrontendOptions()).program.types


def test_parts(types: SourceTypes) -> None:
    for offset, size, text in (
        (0, 2, "g.pairs[0].lo"),
        (6, 2, "g.pairs[1].hi"),
        (8, 4, "g.u.i"),
        (9, 1, "g.u.b[1]"),
        (12, 4, "g.hidden"),
        (24, 8, "g.op[1]"),
        (52, 4, "g.m[1][2]"),
    ):
        last = types.parts("g", "struct outer", offset, size)[-1]
        assert (last.text, last.offset, types.size(last.ctype)) == (text, 0, size)
    assert types.parts("*p", "struct outer", 12)[-1].text == "p->hidden"
    assert types.parts("g", "struct outer", 53)[-1].offset == 1


def test_addresses(types: SourceTypes) -> None:
    for offset, target, text in (
        (0, "struct outer", "&g"),
        (0, "void", "&g"),
        (0, "short", "&g.pairs[0].lo"),
        (8, "float", "&g.u"),
        (32, "int[3]", "g.m"),
        (36, "int", "&g.m[0][1]"),
    ):
        assert types.address("g", "struct outer", offset, target) == text
    assert types.address("a", "int[4]", 8, "int") == "&a[2]"
    assert types.address("a", "int[4]", 0, "int") == "a"
    assert types.address("a", "int[4]", 16, "int") == "&a[4]"
    assert types.address("a", "int[4]", 2, "int") is None


def test_enumerators_and_typedefs(types: SourceTypes) -> None:
    (enumerators,) = types.enumerators.values()
    assert enumerators == {0: "ODD", 1: "EVEN"}
    assert types.meaning("struct outer *") == "struct outer *"


def test_texts_of_types() -> None:
    assert plain("const char *const *") == "char **"
    assert pointee("int (*)[3]") == "int[3]" and pointee("const struct s *") == "struct s" and pointee("int") == ""
    assert array_of("int[2][3]") == ("int[3]", 2)
    assert array_of("int (*[2])(int)") == ("int (*)(int)", 2)
    assert array_of("int[n + 1]") == ("int", 0) and array_of("char *") is None


def test_what_has_one_name_and_two_meanings_is_left_out(tmp_path: Path) -> None:
    one, other = tmp_path / "one.c", tmp_path / "other.c"
    one.write_text("struct s { int a; } x; struct t { int a; } y; int f(void); int main(void) { return x.a + y.a + f(); }\n")
    other.write_text("struct s { char c; int b; } z; struct t { int a; } w; int f(void) { return z.b + w.a; }\n")
    types = load([str(one), str(other)], FrontendOptions()).program.types
    assert list(types.records) == ["struct t"]
