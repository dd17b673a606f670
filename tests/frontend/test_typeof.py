"""A type that `typeof` takes from a bit-field wider than `int` is gcc's own: refused, wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.frontend.load import FrontendOptions, load

HEAD = "extern void reach_error(void); struct S { unsigned long long d : 40; unsigned e : 7; int f; } s, *q; long n;\n"
# at file scope @ in main
REFUSED = """
@ typeof(s.d + 0) v = 1; n = v;
@ __typeof__(q->d * 2) v; v = 2; n = v;
@ n = (typeof(s.d + 1))-1;
@ n = (typeof(-s.d)){5};
@ typedef typeof(s.d | 1) T; T v = 1; n = v;
@ struct { typeof(s.d + 0) x; } v = {1}; n = v.x;
@ typeof(s.d + 0) *p = 0; n = !p;
@ typeof(s.f ? s.d : s.d) v = 1; n = v;
typeof(s.d + 0) v; @ n = v;
typedef __typeof(s.d + 0) T; @ T v = 1; n = v;
struct T { typeof(s.d + 0) x; } t; @ n = t.x;
int f(typeof(s.d + 0) x) { return x; } @ n = f(1);
typeof(s.d + 0) f(void) { return -1; } @ n = f();
#define OF(a, b, x) a##b(x)<NL>OF(type, of, s.d + 0) v; @ n = v;
"""
ACCEPTED = """
@ typeof(s.e + 0) v = 1; n = v;
@ typeof(s.f) v = 1; n = v;
@ typeof(s) v = s; n = v.d + 1;
@ n = (long)(s.d + 1); long m = (s.d + 2); typeof(n) k = (s.d); n = m + k;
@ typeof(int) v = s.d; n = v;
typeof(n) m; @ m = s.d; n = sizeof(s.d + 0);
"""


def refusals(line: str, folder: Path) -> list[str]:
    outside, _, inside = line.replace("<NL>", "\n").partition("@")
    file = folder / "program.c"
    file.write_text(f"{HEAD}{outside}\nint main(void) {{ {inside} if (n == 77) reach_error(); return 0; }}\n")
    return [each.what for each in load([str(file)], FrontendOptions()).unsupported]


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_wide_bit_fields_are_refused(line: str, tmp_path: Path) -> None:
    assert "a type that is taken from a bit-field by typeof" in refusals(line, tmp_path)


@pytest.mark.parametrize("line", ACCEPTED.strip().splitlines())
def test_others_are_not(line: str, tmp_path: Path) -> None:
    assert refusals(line, tmp_path) == []
