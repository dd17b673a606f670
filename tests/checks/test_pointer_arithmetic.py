"""Pointers that are computed and leave their object: programs that do it in their only execution, and the same ones repaired.

No sanitizer of gcc sees it (`-fsanitize=pointer-overflow` is about addresses that wrap around): that the interpreter repeats the
execution is the evidence.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checks.memory_programs import Pair
from tests.checks.test_memory import found, program, written
from tests.inside import decided
from tests.running import report

CHECK = ("pointer-arithmetic",)


def _pair(name: str, wrong: str, right: str, before: str = "") -> Pair:
    return Pair(name, CHECK[0], wrong, right, before, sanitizer=False)


STRUCTURE = "struct buffer { int size; int data[4]; int after; };"

PAIRS = (
    _pair("array", "int a[8], *p = a + 9; sink = !p;", "int a[8], *p = a + 8; sink = !p;"),
    _pair("before an array", "int a[8], *p = a - 1; ++p; *p = 1;", "int a[8], *p = a - 0; ++p; *p = 1;"),
    _pair("global array", "int *p = g + (sink + 5); sink = !p;", "int *p = g + (sink + 4); sink = !p;", "int g[4];"),
    _pair("index first", "int *p = (sink + 5) + g; sink = !p;", "int *p = (sink + 4) + g; sink = !p;", "int g[4];"),
    _pair("constant part", "int *p = &g[1] + 4; sink = !p;", "int *p = &g[1] + 3; sink = !p;", "int g[4];"),
    _pair("pointer", "int a[8], *p = a; p = p + sink + 9;", "int a[8], *p = a; p = p + sink + 8;"),
    _pair("difference", "int a[8], *p = a + 2; p = p - 3;", "int a[8], *p = a + 2; p = p - 2;"),
    _pair("compound", "int a[8], *p = a; p += 4; p += 5;", "int a[8], *p = a; p += 4; p += 4;"),
    _pair("compound back", "int a[8], *p = a; p += 4; p -= 5;", "int a[8], *p = a; p += 4; p -= 4;"),
    _pair("loop", "int a[4], *p = a; do p++; while (p <= a + 4);", "int a[4], *p = a; do p++; while (p < a + 4);"),
    _pair("loop back", "int a[4], *p = a + 3; while (p >= a) p--;", "int a[4], *p = a + 3; while (p > a) p--;"),
    _pair("scalar", "int x, *p = &x; p += 2;", "int x, *p = &x; p += 1;"),
    _pair("block", "int *p = malloc(8), *q = p + 3; sink = !q; free(p);", "int *p = malloc(8), *q = p + 2; sink = !q; free(p);"),
    _pair("bytes", "char *p = malloc(6); char *q = p + 7; free(p);", "char *p = malloc(6); char *q = p + 6; free(p);"),
    _pair("cast", "int x; char *p = (char *)&x; p += 5;", "int x; char *p = (char *)&x; p += 4;"),
    _pair("address of an element", "int a[4], i = 5, *p = &a[i];", "int a[4], i = 4, *p = &a[i];"),
    _pair("low element", "int a[4], i = -1, *p = &a[i];", "int a[4], i = 0, *p = &a[i];"),
    _pair("element of a pointer", "int a[4], *p = a; p = &p[5];", "int a[4], *p = a; p = &p[4];"),
    _pair("star", "int a[4], *p = a; p = &*(p + 5);", "int a[4], *p = a; p = &*(p + 4);"),
    _pair("row", "int m[2][4], *p = m[sink + 3];", "int m[2][4], *p = m[sink + 2];"),
    _pair("column", "int m[2][4], *p = &m[0][sink + 5];", "int m[2][4], *p = &m[0][sink + 4];"),
    _pair("row and column", "int m[2][4], *p = &m[sink + 2][1];", "int m[2][4], *p = &m[sink + 2][0];"),
    _pair("member", "struct buffer b; int *p = &b.data[sink + 5];", "struct buffer b; int *p = &b.data[sink + 4];", STRUCTURE),
    _pair(
        "member of an element",
        "struct buffer b[2]; int i = 2, *p = &b[i].after;",
        "struct buffer b[2]; int i = 1, *p = &b[i].after;",
        STRUCTURE,
    ),
    _pair(
        "member through a pointer",
        "struct buffer b, *q = &b; int *p = &q->data[sink + 5];",
        "struct buffer b, *q = &b; int *p = &q->data[sink + 4];",
        STRUCTURE,
    ),
    _pair("null", "int *p = 0; p = p + 1;", "int *p = 0; p = p + sink;"),
    _pair("step from null", "int *p = 0; p++;", "int x, *p = &x; p++;"),
    _pair("element of null", "char *p = 0; p = &p[sink + 2];", "char *p = 0; p = &p[sink];"),
    _pair("far", "long d = 1L << (sizeof(long) * 6); char c, *p = &c; p += d;", "long d = 1; char c, *p = &c; p += d;"),
    _pair(
        "distance that wraps around",
        "int a[4], *p = a; size_t n = ~(size_t)0 / 4 + 2; p = p + n;",
        "int a[4], *p = a; size_t n = 1; p = p + n;",
    ),
    _pair(
        "argument", "sink = !end((int[3]){0}, 4);", "sink = !end((int[3]){0}, 3);", "int *end(int *p, int n) { return p + n; }"
    ),
)
NAMED = [pytest.param(pair, id=pair.name) for pair in PAIRS]


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("pair", NAMED)
def test_executions(tmp_path: Path, pair: Pair, data_model: str) -> None:
    assert found(program(tmp_path, pair.text(pair.wrong), CHECK, data_model=data_model)) == pair.check
    assert found(program(tmp_path, pair.text(pair.right), CHECK, data_model=data_model)) is None


@pytest.mark.parametrize("pair", NAMED[::3])
def test_proofs_and_counterexamples(tmp_path: Path, pair: Pair) -> None:
    assert decided(written(tmp_path, pair.text(pair.wrong)), check=CHECK).verdict == "FALSE"
    right = decided(written(tmp_path, pair.text(pair.right)), check=CHECK)
    assert right.verdict == "TRUE", right.reason


HARMLESS = {
    "offset of an element": "struct buffer { int size; int data[4]; }; int main(void) { return (long)&((struct buffer *)0)->data[2] - 12; }",
    "member of null": "struct pair { int a, b; }; int main(void) { struct pair *p = 0; int *q = &p->b; return !q; }",
    "what was given back": "#include <stdlib.h>\nint main(void) { char *p = malloc(4); free(p); p = p + 2; return 0; }",
    "static": "int a[4], *p = a + 4; int main(void) { p -= 4; return *p; }",
    "the library's own": '#include <string.h>\nint main(void) { char a[4] = "abc"; return memchr(a, 0, 1000) != 0; }',
}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(tmp_path: Path, name: str) -> None:
    assert found(program(tmp_path, HARMLESS[name], CHECK)) is None


def test_a_constant_pointer_that_leaves(tmp_path: Path) -> None:
    text = "int a[4], *p = a + 5; int main(void) { return !p; }"
    assert decided(written(tmp_path, text), check=CHECK).verdict == "UNKNOWN"


INPUT = """extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[8], *p = a, i = __VERIFIER_nondet_int();
  if (i < 0 || i > 8) return 0;
  p = p + i;
  return p == a;
}
"""


def test_words(tmp_path: Path) -> None:
    constant = INPUT.replace("p + i", "a + 12")
    errors = report(written(tmp_path, constant), "--check", *CHECK)["errors"]
    assert [error["what"] for error in errors] == ["pointer arithmetic leaves the object: a + 12, 8 elements"]


def test_inputs(tmp_path: Path) -> None:
    assert report(written(tmp_path, INPUT), "--check", *CHECK)["verdict"] == "TRUE"
    wrong = report(written(tmp_path, INPUT.replace("i > 8", "i > 9")), "--check", *CHECK)
    assert wrong["verdict"] == "FALSE" and wrong["errors"][0]["kind"] == "pointer-arithmetic"
