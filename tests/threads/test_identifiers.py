"""Which numbers identify threads, and where their thread-local objects lie, is up to the implementation: nothing is decided where a
program computes with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """#include <pthread.h>
#include <stdio.h>
#include <string.h>
extern void reach_error(void);
pthread_t t, u, a, b;
struct s { int n; pthread_t t; } s;
int table[8];
char digits[32];
union { pthread_t t; struct { unsigned lo, hi; } halves; } both;
unsigned long at[2];
__thread int own;
int is_less(pthread_t v, pthread_t w) { return v < w; }
void *h(void *p) { return 0; }
void *f(void *p) { at[0] = (unsigned long)&own; pthread_create(&a, 0, h, 0); return 0; }
void *g(void *p) { at[1] = (unsigned long)&own; pthread_create(&b, 0, h, 0); return 0; }
"""
COMPUTED = {
    "order": "a > b",
    "order, by a function": "is_less(a, b)",
    "difference": "(long)a - (long)b == 1",
    "parity": "a % 2 == 0",
    "number": "a != 4",
    "index": "table[a & 7] == 0",
    "part": "(char)a == (char)b",
    "byte in the middle": "((unsigned char *)&a)[2] != 0",
    "upper half": "(both.t = a, both.halves.hi) != 0",
    "upper half of a copy": "(memcpy(table, &a, sizeof a), table[1]) != 0",
    "length of its digits": 'snprintf(digits, 32, "%lu", a) == 1',
    "order of addresses": "at[0] > at[1]",
    "distance of addresses": "at[1] - at[0] == sizeof own",
    "address that may be used again": "at[0] == at[1]",
    "copy of a structure": "(s.t = a, s.n = 1, memcpy(table, &s, sizeof s), table[2]) == 4",
}
MOVED = {
    "equal": ("a == b", "TRUE"),
    "equal, by a function": ("pthread_equal(a, b)", "TRUE"),
    "none": ("a == 0 || b == (pthread_t)-1", "TRUE"),
    "oneself": ("a == pthread_self()", "TRUE"),
    "an address": ("at[0] == 0 || (own = 3, *&own) != 3", "TRUE"),
    "in a structure": ("(s.t = a, u = s.t, u == a)", "FALSE"),
}


def verdict(condition: str, folder: Path, engine: str) -> str:
    file = folder / "identifiers.c"
    file.write_text(
        f"{HEAD}int main(void) {{ pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_join(t, 0); pthread_join(u, 0);"
        f" if ({condition}) reach_error(); return 0; }}\n"
    )
    return decided(file, engine=engine, timeout=10).verdict


@pytest.mark.parametrize("how", COMPUTED)
def test_what_is_computed_is_unknown(how: str, tmp_path: Path) -> None:
    assert verdict(COMPUTED[how], tmp_path, "bmc") == "UNKNOWN"


def test_executions_do_not_show_it_either(tmp_path: Path) -> None:
    assert verdict("a > b || a < b", tmp_path, "auto") == "UNKNOWN"


@pytest.mark.parametrize("condition", ["pthread_self() >> 20", "!(pthread_self() >> 20)", "pthread_self() == 1"])
def test_the_only_thread_may_have_any_identifier(condition: str, tmp_path: Path) -> None:
    file = tmp_path / "alone.c"
    file.write_text(
        f"#include <pthread.h>\nextern void reach_error(void);\nint main(void) {{ if ({condition}) reach_error(); return 0; }}\n"
    )
    for engine in ("bmc", "execute", "value"):
        assert decided(file, engine=engine, timeout=10, no_native=True).verdict == "UNKNOWN"


@pytest.mark.parametrize("how", MOVED)
def test_what_is_moved_and_compared_is_known(how: str, tmp_path: Path) -> None:
    condition, expected = MOVED[how]
    assert verdict(condition, tmp_path, "bmc") == expected
