"""Programs that were once proved although their error can be reached: inputs taken for one, pointers lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import RecordedInputs
from drystone.concrete.interpreter import interpret
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram

HEAD = "extern void reach_error(void);\nint x, y;\n"
PROGRAMS = {
    "two externals": "extern int a, b; int main(void) { if (a != b) reach_error(); return 0; }",
    "members of an external": "struct s { int x, y; }; extern struct s g; int main(void) { if (g.x != g.y) reach_error(); return 0; }",
    "elements of an external": "extern int v[2]; int main(void) { if (v[0] != v[1]) reach_error(); return 0; }",
    "two pointers at once": """
union U { struct { int *a; int *b; } s; WIDE v; };
int main(void) { union U u, w; u.s.a = &x; u.s.b = &y; w.v = u.v; *w.s.b = 5; if (y == 5) reach_error(); return 0; }""",
    "a packed pointer in two words": """
struct __attribute__((packed)) s { int a; int *p; int b; };
int main(void) { struct s u, w; u.a = 1; u.p = &x; u.b = 2; long *f = (long *)&u, *t = (long *)&w; t[0] = f[0]; t[1] = f[1];
  t[sizeof(struct s) / sizeof(long) - 1] = f[sizeof(struct s) / sizeof(long) - 1]; *w.p = 5; if (x == 5) reach_error(); return 0; }""",
    "two halves in variables": """
int main(void) { unsigned long v = (unsigned long)&x; unsigned short a = (unsigned short)v; unsigned long rest = v >> 16;
  int *q = (int *)((rest << 16) | a); *q = 5; if (x == 5) reach_error(); return 0; }""",
    "two halves in memory": """
int *p;
int main(void) { p = &x; unsigned short *h = (unsigned short *)&p; unsigned long v = 0;
  for (unsigned i = 0; i < sizeof p / 2; i++) v |= (unsigned long)h[i] << (16 * i);
  *(int *)v = 5; if (x == 5) reach_error(); return 0; }""",
    "a distance between objects": """
int main(void) { long d = (long)&y - (long)&x; int *q = (int *)((long)&x + d); *q = 5; if (y == 5) reach_error(); return 0; }""",
    "a function pointer in bytes": """
struct o { int k; void (*f)(void); }; void g(void) { reach_error(); } struct o a = {1, g}, b;
int main(void) { for (unsigned i = 0; i < sizeof a; i++) ((char *)&b)[i] = ((char *)&a)[i]; b.f(); return 0; }""",
    "a constructor that is declared before": """
void start(void) __attribute__((constructor)); void start(void) { x = 9; }
int main(void) { if (x == 9) reach_error(); return 0; }""",
    "a pointer as an argument that is too narrow": """
int *made(short low, unsigned long high) { return (int *)(high | (unsigned short)low); }
int main(void) { unsigned long v = (unsigned long)&x; *made((short)v, v & ~0xfffful) = 5; if (x == 5) reach_error(); return 0; }""",
}


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("engine", ["bmc", "k-induction", "dss"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_not_proved(name: str, engine: str, data_model: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    wide = "__int128" if data_model == "LP64" else "long long"
    path.write_text(HEAD + PROGRAMS[name].replace("WIDE", wide))
    program = load([str(path)], FrontendOptions(data_model=data_model)).program
    result = check(engine, PreparedProgram(program), Settings(), Deadline.after(20), unobserved)
    assert result.verdict is Verdict.FALSE, result.reason


def test_addresses_that_are_used_up_reach_no_error(tmp_path: Path) -> None:
    """Objects that were freed do not use up memory, though their addresses are not used again here."""
    path = tmp_path / "program.c"
    path.write_text(
        "extern void reach_error(void); extern void *calloc(unsigned, unsigned); extern void free(void *);\n"
        "int main(void) { for (int i = 0; i < 16; i++) free(calloc(1, 1u << 27));\n"
        "  if (!calloc(1, 1u << 27)) reach_error(); return 0; }\n"
    )
    program = load([str(path)], FrontendOptions(data_model="ILP32")).program
    outcome = interpret(program, RecordedInputs(()))
    assert outcome.kind == "limit" and "used up" in outcome.what
