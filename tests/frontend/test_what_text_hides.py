"""What the text of a program does not show: macros around attributes and asm, comments, braces that are left out.

Each program comes in two variants: one reaches its error when it is compiled and run, the other does not.
"""

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

HEAD = "extern void reach_error(void);\nint g;\n"
PROGRAMS = {
    "a constructor by a macro": """
#define BEFORE __attribute__((constructor))
static void BEFORE start(void) { g = 5; }
int main(void) { if (g == WHAT(5, 0)) reach_error(); return 0; }""",
    "priorities of constructors": """
__attribute__((constructor)) void last(void) { g = g * 2; }
__attribute__((constructor(102))) void second(void) { g = g + 1; }
__attribute__((__constructor__(101))) void first(void) { g = 5; }
int main(void) { if (g == WHAT(12, 6)) reach_error(); return 0; }""",
    "a function with the name of an attribute": """
__attribute__((noinline)) void constructor(void) { g = 5; }
int main(void) { if (g == WHAT(0, 5)) reach_error(); return 0; }""",
    "asm by a macro": """
#define ASM __asm__ volatile
int main(void) { int y = 0, z = 0; ASM("movl $5, %0" : "=r"(y)); if (WHAT(y, z) != 0) reach_error(); return 0; }""",
    "outputs of asm by a macro": """
#define OUT(v) "=r"(v)
int main(void) { int x = 0, y = 0, z = 0; __asm__("nop"); __asm__("movl $5, %0" : OUT(y) : "r"(x));
  if (WHAT(y, z) != 0) reach_error(); return 0; }""",
    "an alias by a macro": """
#define ALIAS(name) __attribute__((alias(#name)))
int three(void) { return 3; } int other(void) ALIAS(three);
int main(void) { if (other() == WHAT(3, 4)) reach_error(); return 0; }""",
    "an alias in a comment": """
int four(void) { return 4; } extern int outside(void /* like alias("four") */);
int main(void) { int r = outside(); if (WHAT(r, four()) == 7) reach_error(); return 0; }""",
    "a comment between designators": """
int main(void) { int a[3][3] = { [1 /* ... */][2] = 7 }; if (a[1][2] == WHAT(7, 0)) reach_error(); return 0; }""",
    "a range of bit-fields": """
struct bits { unsigned low : 4, high : 4; };
int main(void) { struct bits s[3] = { [0 ... 2].high = 3 }; if (s[1].high == WHAT(3, 0)) reach_error(); return 0; }""",
    "braces left out around a structure": """
struct point { int x, y; }; struct inner { struct point p; int k; }; struct outer { struct inner in; int z; };
int main(void) { const struct point v = { 1, 2 }; struct outer o = { v, 7, 8 };
  if (o.in.p.y == 2 && o.in.k == 7 && o.z == WHAT(8, 0)) reach_error(); return 0; }""",
    "qualifiers of what a pointer points to": """
int main(void) { const char *s = "x"; char *const t = 0;
  if (_Generic(s, char *: 0, const char *: 1) == WHAT(1, 0)) reach_error();
  if (_Generic(t, char *: 0, default: 1)) reach_error(); return 0; }""",
    "a cleanup by a macro": """
#define CLEAN(f) __attribute__((cleanup(f)))
void put(int *p) { g = *p; }
int main(void) { { int x CLEAN(put) = 3; } if (g == WHAT(3, 0)) reach_error(); return 0; }""",
    "memory with any content": """
extern void __VERIFIER_nondet_memory(void *, unsigned long);
int main(void) { struct { int a; char b[4]; } s = { 1, { 2 } }; int before = s.a; __VERIFIER_nondet_memory(&s, sizeof s);
  if (WHAT(s.a, before) == 77) reach_error(); return 0; }""",
}


@pytest.mark.parametrize("reached", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_seen(name: str, reached: bool, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"#define WHAT(yes, no) {'yes' if reached else 'no'}\n{HEAD}{PROGRAMS[name]}\n")
    result = check(
        "bmc", PreparedProgram(load([str(path)], FrontendOptions()).program), Settings(), Deadline.after(20), unobserved
    )
    assert result.verdict is (Verdict.FALSE if reached else Verdict.TRUE), result.reason
