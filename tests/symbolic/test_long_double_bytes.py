"""Bytes that are read as a long double: those that are none of its values decide nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """#include <string.h>
void reach_error(void); int i;
union L { long double x; struct { unsigned long long m; unsigned short e; } b; };
static union L denormal = { .b = { 0x8000000000000000ull, 0 } }, unnormal = { .b = { 0x4000000000000000ull, 0x3fff } };
static union L one = { .b = { 0x8000000000000000ull, 0x3fff } };
static long double made(unsigned long long m, unsigned short e) { union L u; u.b.m = m; u.b.e = e; return u.x; }
"""

NONE = {
    "a pseudo-denormal": "made(0x8000000000000000ull, 0) == 0",
    "an unnormal": "made(0x4000000000000000ull, 0x3fff) == 1.5L",
    "an unnormal and itself": "({ long double x = made(0x4000000000000000ull, 0x3fff); x == x; })",
    "a pseudo-infinity": "made(0, 0x7fff) > 1e300L",
    "a pseudo-NaN": "({ long double x = made(1, 0x7fff); x != x; })",
    "a static pseudo-denormal": "denormal.x == 0",
    "a static unnormal": "unnormal.x == 1.5L",
    "a fill": "({ long double x; memset(&x, 1, sizeof x); x == x; })",
    "a fill of an array": "({ long double x[3]; memset(x, 0x7f, sizeof x); x[i] == x[i]; })",
    "a byte that is changed": "({ long double x = 1; ((unsigned char *)&x)[7] = 0x40; x == 1.5L; })",
    "a copy": "({ union L u, v; u.b.m = 1ull << 62; u.b.e = 0x3fff; v.x = u.x; v.b.m == u.b.m; })",
}

SOME = {
    "a number": "made(0xc000000000000000ull, 0x3fff) == 1.5L",
    "a denormal": "made(1, 0) > 0",
    "an infinity": "made(0x8000000000000000ull, 0x7fff) > 1e300L",
    "a static number": "one.x == 1",
    "a fill with zeros": "({ long double x; memset(&x, 0, sizeof x); x == 0; })",
    "a fill with ones": "({ long double x; memset(&x, 0xff, sizeof x); x != x; })",
    "a byte that is changed": "({ long double x = 1; ((unsigned char *)&x)[7] |= 0x40; x == 1.5L; })",
}


def _verdict(folder: Path, condition: str, engine: str = "bmc") -> str:
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ if ({condition}) reach_error(); return 0; }}\n")
    return str(decided(file, engine=engine, timeout=1).verdict)


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_value_decides_nothing(name: str, tmp_path: Path) -> None:
    for condition in (NONE[name], f"!({NONE[name]})"):
        assert _verdict(tmp_path, condition) == "UNKNOWN"


@pytest.mark.parametrize("name", SOME)
def test_values_are_decided(name: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, SOME[name]) == "FALSE"
    assert _verdict(tmp_path, f"!({SOME[name]})") == "TRUE"


def test_a_single_run_does_not_decide_either(tmp_path: Path) -> None:
    for condition in ("denormal.x == 0", "denormal.x != 0"):
        assert _verdict(tmp_path, condition, "execute") == "UNKNOWN"
