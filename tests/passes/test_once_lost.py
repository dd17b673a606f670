"""Programs whose error was proved away, because a pass before all engines lost a pointer or a value. Each reaches its error."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram

HEAD = "extern void reach_error(void); extern int any(void); typedef unsigned long word;\nvoid *memset(void *, int, unsigned long);\n"
PROGRAMS = {
    "a byte that is read from what it fills": """struct s { int a, b; } s;
        int main(void) { s.a = 1; memset(&s, s.a + 1, sizeof s); if (s.b == 0x02020202) reach_error(); }""",
    "an input as a byte": """struct s { char a, b; } s;
        int main(void) { memset(&s, any(), sizeof s); if (s.a == s.b && s.a == 5) reach_error(); }""",
    "fields that a stride brings together": """int x, y; int *b[2] = {&x, &y}; struct { int a, b, c, d, e, f, g, h; } d; void *a[2];
        int main(void) { int i = any() & 1; d.a = d.b = d.c = d.d = d.e = d.f = d.g = d.h = 1;
          int *t = b[i]; a[0] = a; a[1] = &d; void **r; if (any()) r = a; else r = (void **)b;
          if (*r == 0) return 0; *b[i] = 1; if (x == 1) reach_error(); }""",
    "a number less a pointer": """int a;
        int main(void) { word k = 1000, x = k - (word)&a; int *q = (int *)(k - x); *q = 1; if (a == 1) reach_error(); }""",
    "a pointer made of pieces, or another one": """int a, x;
        int main(void) { int *p = &a; unsigned short piece[4]; for (int i = 0; i < sizeof p / 2; i++) piece[i] = (word)p >> 16 * i;
          word v = 0; for (int i = 0; i < sizeof p / 2; i++) v |= (word)piece[i] << 16 * i;
          int *r; if (any()) r = &x; else r = (int *)v; *r = 1; if (a == 1) reach_error(); }""",
    "a pointer that is a sum of pieces, or another one": """int a, x;
        int main(void) { int *p = &a; unsigned short piece[4]; for (int i = 0; i < sizeof p / 2; i++) piece[i] = (word)p >> 16 * i;
          word v = 0; for (int i = 0; i < sizeof p / 2; i++) v += (word)piece[i] << 16 * i;
          int *r; if (any()) r = &x; else r = (int *)v; *r = 1; if (a == 1) reach_error(); }""",
    "a distance that is wider than a pointer": """struct s { int a, b; } s;
        int main(void) { long long v = (long long)(word)&s.b; v -= 4; int *q = (int *)(word)v; *q = 1; if (s.a == 1) reach_error(); }""",
    "a function through a result that is too narrow": """void f(int *x) { *x = 1; } void *get(void) { return (void *)f; }
        typedef unsigned (*narrow)(void); typedef void (*function)(int *); narrow g = (narrow)get;
        int main(void) { unsigned n = g(); function h = (function)(word)n; int x = 0; h(&x); if (x) reach_error(); }""",
    "a call at the end, to a global variable": """int g; int f(int n) { if (n == 0) return 7; g = f(n - 1); return g; }
        int main(void) { f(1); if (g == 7) reach_error(); }""",
    "a call at the end, in an assignment": """int g; int f(int n) { if (n == 0) return 7; return g = f(n - 1); }
        int main(void) { f(1); if (g == 7) reach_error(); }""",
    "a call at the end, to a variable that stays": """int f(int n) { static int last; if (n == 0) return last + 7; last = f(n - 1); return last; }
        int main(void) { f(1); if (f(0) == 14) reach_error(); }""",
}


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_error_is_reached(name: str, data_model: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}{PROGRAMS[name]}\n")
    program = load([str(path)], FrontendOptions(data_model=data_model)).program
    assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(30), unobserved).verdict is Verdict.FALSE


def test_bytes_of_a_long_double(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(
        f"{HEAD}int main(void) {{ long double x = 1; int n = 0x80; memset(&x, n, sizeof x); if (x < 0) reach_error(); }}\n"
    )
    program = load([str(path)], FrontendOptions()).program
    assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(5), unobserved).verdict is not Verdict.TRUE


def test_a_call_before_an_endless_loop_is_not_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}void f(int n) {{ f(n - 1); for (;;) {{}} }} int main(void) {{ f(3); reach_error(); }}\n")
    program = load([str(path)], FrontendOptions()).program
    assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(20), unobserved).verdict is Verdict.UNKNOWN
