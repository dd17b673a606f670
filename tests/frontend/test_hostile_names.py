"""Programs whose names are those that drystone gives, or look like them: what they are called changes nothing."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import ZeroInputs, interpret
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.engines.registry import FORGETFUL
from drystone.frontend.load import FrontendError, FrontendOptions, load
from drystone.pipeline import PreparedProgram

HEAD = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); typedef __SIZE_TYPE__ size_t;\n"
HEAD += "void *malloc(size_t); void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); int abs(int);\n"
HEAD += "char *strdup(const char *);\n"

# Every word that begins with a capital letter is a name, other than FAULT: the number that makes the program fail, or not.
PROGRAMS = {
    "bytes and copies": """struct { int A[4]; } B, C; int D = 7, E;
int main(void) { int F = __VERIFIER_nondet_int(); memset(&B, F, sizeof B); C = B; memcpy(&B.A[1], &B.A[0], 12); D++;
  if (C.A[2] != B.A[3] || D != 8 + FAULT || E != 0) reach_error(); return 0; }""",
    "parameters and results": """struct S { int x, y; }; struct S A(struct S B, int C) { int *D = &C; (*D)++; B.x += C; return B; } int E = 5;
int main(void) { struct S F = {1, 2}; int G = 3; F = A(F, G); F = A(F, G + 1);
  if (F.x != 10 || G != 3 || E != 5 + FAULT) reach_error(); return 0; }""",
    "variable arguments": """#include <stdarg.h>
int A(int B, ...) { va_list C; int D = 0; va_start(C, B); for (int E = 0; E < B; E++) D += va_arg(C, int); va_end(C); return D; }
int F = 1; int main(void) { int G = A(3, 1, 2, 3), H = A(1, F); if (G != 6 + FAULT || H != 1) reach_error(); return 0; }""",
    "statics and literals": """struct T { int *p; }; static struct T A = {(int[]){4, 5}}; int B = 9;
int C(void) { static int D = 1; D += 2; return D; } static int E(void) { static int D = 10; D++; return D; }
int main(void) { int D = C() + E() + C(), F = A.p[1]; if (D != 3 + 11 + 5 || F != 5 || B != 9 + FAULT) reach_error(); return 0; }""",
    "unions and values": """union U { int i; unsigned char c[4]; }; struct V { int z; }; int A = 2;
int main(void) { int B = 258; union U C = (union U)B; struct V D = ({ struct V E = {A}; E; }); int F = C.c[0] + C.c[1];
  if (F != 3 || D.z != 2 || A != 2 + FAULT) reach_error(); return 0; }""",
    "tail calls": """int A; int B(int C, int D) { A += C; if (C <= 0) return D; return B(C - 1, D + C); }
int main(void) { int E = B(4, 0); if (E != 10 || A != 10 + FAULT) reach_error(); return 0; }""",
    "pointers to functions": """int A(int B) { return B + 1; } int C(int B) { return B - 1; } int D = 3; int (*E[2])(int) = {A, C};
int main(void) { int F = __VERIFIER_nondet_int() != 0, G = (F ? E[0] : E[1])(D); if (G != (F ? 4 : 2 + FAULT)) reach_error(); return 0; }""",
    "an input for two": """int A(int B, int C) { int D = B - C; return D; } int E = 1;
int main(void) { int F = __VERIFIER_nondet_int(); int G = A(F, F) + abs(-E); if (G != 1 + FAULT) reach_error(); return 0; }""",
    "the heap": """struct N { struct N *next; int v; }; int A = 4;
int main(void) { struct N *B = 0; for (int C = 0; C < 3; C++) { struct N *D = malloc(sizeof *D); if (!D) return 0; D->v = C; D->next = B; B = D; }
  int E = 0; for (struct N *F = B; F; F = F->next) E += F->v; if (E != 3 || A != 4 + FAULT) reach_error(); return 0; }""",
    "the entry is called": """int A = 1; int main(int B, char **C) { int D = 6; if (A++ == 1) { D = main(2, C) + 1; if (D != 6 + FAULT) reach_error(); }
  return A + 3 - (B == 2) * 1; }""",
    "the program's own library": """int A = 2; int B(int C) { return C + 5; } unsigned long strlen(const char *D) { return 77; } int __VERIFIER_nondet_uchar(void) { return 1; }
int main(void) { char *E = strdup("abc"); if (!E) return 0; int F = B(1); if (E[0] != 'a' || E[3] != 0 || F != 6 + FAULT || strlen(E) != 77) reach_error();
  return 0; }""",
}
LOOPS = {
    "an element": """int A[100000]; int B = 3;
int main(void) { int C; for (C = 0; C < 100000; C++) A[C] = 42; B = 4;
  for (int D = 0; D < 100000; D++) if (A[D] != 42 + FAULT) reach_error(); return B; }""",
    "a contract": """int A = 1; int B(int C) { int D = C; return D <= 0 ? 0 : B(D - 1) + A; }
int main(void) { int E = __VERIFIER_nondet_int(); if (E > 0 && E < 50000 && B(E) != E + FAULT) reach_error(); return 0; }""",
}
OWN = "byte index index64 counts heap copy next 1 2 3 start in literal return result varargs value union forgotten element is parameter"
WORDS = "input1 input2 position argument0 argument1 parameter0 callee memory region result state r M a0 a1 number Ended old local"
WORDS += (
    " lambda None True class def self int32 bits choice helper drystone_error drystone_end index strcpy printf abort exit errno_"
)
HOSTILE = [
    *(f"${word}" for word in OWN.split()),
    *(f"main${word}" for word in ("start", "in", "literal", "result")),
    *(f"_${word}" for word in ("1", "2", "result")),
    *WORDS.split(),
    *(
        "$",
        "$$",
        "x$in",
        "x$in$in",
        "µ",
        "naïve",
        "Ω",
        "变量",
        "ª",
        "_Ω$1",
        "x_2",
        "__VERIFIER_nondet_approximate_int",
        "unit1",
        "_0",
    ),
]
_NAME = re.compile(r"(?<![\w'\"])[A-HJ-RT-Z](?!\w)")  # S, U, V are tags where they stand after `struct` and `union`


def renamed(text: str, choose: random.Random) -> str:
    """The program with other names, the same for the same."""
    found = sorted({match[0] for match in _NAME.finditer(text)})
    chosen = dict(zip(found, choose.sample(HOSTILE, len(found)), strict=True))
    return _NAME.sub(lambda match: chosen[match[0]], text)


def written(folder: Path, text: str, fault: int) -> str:
    file = folder / "p.c"
    file.write_text(HEAD + text.replace("FAULT", str(fault)), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("name", PROGRAMS)
def test_verdict_and_result_do_not_depend_on_names(name: str, number: int, tmp_path: Path) -> None:
    choose = random.Random(f"{name} {number}")
    other = renamed(PROGRAMS[name], choose)
    for fault in (0, 1):
        plain = load([written(tmp_path, PROGRAMS[name], fault)], FrontendOptions()).program
        hostile = load([written(tmp_path, other, fault)], FrontendOptions()).program
        first, second = interpret(plain, ZeroInputs()), interpret(hostile, ZeroInputs())
        assert (first.kind, first.what, first.result) == (second.kind, second.what, second.result), other
        expected = Verdict.FALSE if fault else Verdict.TRUE
        for program in (plain, hostile) if number == 0 else (hostile,):
            found = check("bmc", PreparedProgram(program), Settings(), Deadline.after(20), unobserved)
            assert found.verdict is expected, f"{found.verdict}: {other}"


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize(("name", "engine"), [("an element", FORGETFUL), ("a contract", "contracts")])
def test_invariants_do_not_depend_on_names(name: str, engine: str, number: int, tmp_path: Path) -> None:
    other = renamed(LOOPS[name], random.Random(f"{name} {number}"))
    program = load([written(tmp_path, other, 0)], FrontendOptions()).program
    found = check(engine, PreparedProgram(program), Settings(), Deadline.after(30), unobserved)
    assert found.verdict is Verdict.TRUE, f"{found}: {other}"
    program = load([written(tmp_path, other, 1)], FrontendOptions()).program
    assert check(engine, PreparedProgram(program), Settings(), Deadline.after(1), unobserved).verdict is not Verdict.TRUE, other


@pytest.mark.parametrize(
    "text",
    [
        "int __drystone_x; int main(void) { return 0; }",
        "int __drystone_va_arg(void) { return 0; } int main(void) { return __drystone_va_arg(); }",
        "#define __drystone_load(p) 0\nint main(void) { int x = 1; return __atomic_load_n(&x, 5); }",
        "#undef __dry\\\nstone_exchange\nint main(void) { return 0; }",
        "#undef __dry\\ \nstone_exchange\nint main(void) { return 0; }",
        "#if 0\n' /*\n#endif\n#undef __drystone_exchange\n// */\nint main(void) { return 0; }",
        'int x asm("__drystone_x"); int main(void) { return 0; }',
        "#define CAT(a, b) a##b\nint CAT(__dry, stone_p) = 1; int main(void) { return CAT(__dry, stone_p); }",
    ],
)
def test_names_of_the_prelude_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(text)
    with pytest.raises(FrontendError, match="drystone's own"):
        load([str(file)], FrontendOptions())


@pytest.mark.parametrize(
    "text", ["// __drystone_x", "/* see\n__drystone_va_arg */", "//\\\n__drystone_x", "#if 0 // __drystone\n#endif"]
)
def test_comments_may_speak_of_them(text: str, tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(f"{text}\nint main(void) {{ return 0; }}\n")
    load([str(file)], FrontendOptions())


def test_macros_of_the_prelude_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FrontendError, match="drystone's own"):
        load([written(tmp_path, "int main(void) { return 0; }", 0)], FrontendOptions(defines=("__drystone_load=0",)))


FILES = {
    "a static and an undefined function": (
        "static int f(void) { return 1; } int g(void); int main(void) { f(); if (g() == 5) reach_error(); return 0; }",
        "int f(void); int g(void) { return f(); }",
        Verdict.FALSE,
    ),
    "a static function and a variable": (
        "static int x(void) { return 1; } int g(void); int main(void) { int (*p)(void) = x; if (p() + g() != 8) reach_error(); return 0; }",
        "int x = 7; int *y = &x; int g(void) { return *y; }",
        Verdict.TRUE,
    ),
    "a static function of the library's name": (
        "static int abs(int v) { return 3; } int g(int); int main(void) { if (abs(-5) + g(-5) != 8) reach_error(); return 0; }",
        "int abs(int); int g(int v) { return abs(v); }",
        Verdict.TRUE,
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_names_of_two_files(name: str, tmp_path: Path) -> None:
    first, second, expected = FILES[name]
    (tmp_path / "a.c").write_text("extern void reach_error(void);\n" + first)
    (tmp_path / "b.c").write_text(second)
    program = load([str(tmp_path / "a.c"), str(tmp_path / "b.c")], FrontendOptions()).program
    assert check("bmc", PreparedProgram(program), Settings(), Deadline.after(20), unobserved).verdict is expected


def test_a_static_and_a_declaration_in_a_block(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("static int f(void) { return 1; } int g(void); int main(void) { return f() + g(); }")
    (tmp_path / "b.c").write_text("int g(void) { extern int f(void); return f(); }")
    program = load([str(tmp_path / "a.c"), str(tmp_path / "b.c")], FrontendOptions()).program
    assert interpret(program, ZeroInputs()).result == 1  # the other f is an external function
