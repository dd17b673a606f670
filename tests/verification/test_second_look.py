"""What reviews with fresh eyes found: each was TRUE or FALSE against what gcc's program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.concrete.determinism import follow
from drystone.frontend.errors import FrontendError
from drystone.frontend.load import FrontendOptions, load
from tests.inside import decided

FIELD = "struct S { unsigned long long d:35; } s;\n"
ARRAYS = "int a[4] = {1}, b[4] = {2};\n"
PROGRAMS = {  # the compiled program does not reach the error: FALSE is wrong
    "a bit-field through ?:": (FIELD, "s.d = 3; if ((s.d ?: s.d) - 100 == 3ULL - 100) reach_error();"),
    "a bit-field through a statement expression": (FIELD, "s.d = 3; if (({ s.d; }) - 100 == 3ULL - 100) reach_error();"),
    "a bit-field through __extension__": (FIELD, "s.d = 3; if ((__extension__ s.d) - 100 == 3ULL - 100) reach_error();"),
    "a bit-field through a choice": (FIELD, "s.d = 3; if (__builtin_choose_expr(1, s.d, 0) - 100 == 3ULL - 100) reach_error();"),
    "a bit-field on the right": (FIELD, "s.d = 3; int x = -1; x /= s.d; if (x == 0x55555555) reach_error();"),
    "a variable like a bit-field": (FIELD, "s.d = 3; __auto_type y = s.d + 1; y -= 100; if (y == 4ULL - 100) reach_error();"),
    "a switch on a bit-field": (FIELD, "s.d = 3; switch (s.d - 100) { case -97ULL: return 0; default: reach_error(); }"),
    "a typedef with a side effect": ("", "int n = 1; { typedef int T[n++]; } if (n == 1) reach_error();"),
    "a memory order with a side effect": (
        "int n; int f(void) { n = 5; return 5; } int x;\n",
        "__atomic_load_n(&x, f()); if (n != 5) reach_error();",
    ),
    "an operand that is only typed": (
        "int n; int f(void) { n = 5; return 5; }\n",
        "(void)__builtin_add_overflow_p(1, 2, f()); if (n != 5) reach_error();",
    ),
    "how large an atomic object may be": ("", "if (__atomic_always_lock_free(3, 0)) reach_error();"),
    "a macro like a builtin": ("#define isdigit(c) 7\n", "if (__builtin_isdigit('x')) reach_error();"),
    "a zero in a vector": (
        "typedef int V __attribute__((vector_size(16)));\n",
        "V a = {1, 1, 1, 1}, z = {1, 0, 1, 1}; V r = a / z; reach_error();",
    ),
    "the text of an assertion": (
        "",
        '_Static_assert(1, "x"); struct { int x; _Static_assert(1, "y"); } u = {1}; if (u.x != 1) reach_error();',
    ),
    "a time that is written over": (
        "#include <time.h>\n",
        "time_t t = 0, u = 86400L * 3650; struct tm *a = gmtime(&t); localtime(&u); if (a->tm_year == 70) reach_error();",
    ),
    "no bytes": ("#include <stdlib.h>\n", "int *p = calloc(2, 4), *q = realloc(p, 0); if (q != 0) reach_error();"),
    "more than the object holds": (
        "void *__memcpy_chk(void *, const void *, unsigned long, unsigned long);\n",
        'char b[16]; __memcpy_chk(b, "zzzzzzzz", 8, 4); reach_error();',
    ),
    "a union that assembly writes": (
        "",
        'union { int i; char c[4]; } u = {1}; asm("movl $9, %0" : "=m"(u)); if (u.c[0] != 9) reach_error();',
    ),
    "a truth that is computed as a bit-field": (
        "struct { unsigned long long d : 33; } w = {2};\n",
        "_Bool b = 0; b |= w.d; if (b != 1) reach_error();",
    ),
    "a bit-field and a number of 128 bits": (
        "struct { unsigned long long d : 33; } w = {1};\n",
        "__int128 q = (__int128)1 << 80; q = q + w.d; if (q >> 80 != 1) reach_error();",
    ),
    "a bit-field of a type with an alignment": (
        "typedef int T __attribute__((aligned(8))); struct U { short a; unsigned char b : 2; T c : 12; };\n",
        "if (sizeof(struct U) != 16) reach_error();",
    ),
    "assembly that nobody executes": (
        'int x; void f(void) { x = 1; }\nvoid dead(void) { asm(".pushsection .init_array,\\"aw\\"; .quad f; .popsection"); }\n',
        "if (x == 0) reach_error();",
    ),
    "an old-style parameter that is a truth": ("int f(b) _Bool b; { return b; }\n", "if (f(2) == 1) reach_error();"),
    "who calls main": ("", "if ((unsigned long)__builtin_return_address(0) < 0x7f0000000000UL) reach_error();"),
    "objects larger than the stack": ("", "volatile char c[20000000]; c[0] = 1; reach_error();"),
    "a large offset from NULL": ("struct U { char a[50000]; int b; };\n", "struct U *p = 0; p->b = 1; reach_error();"),
    "a frame larger than the stack, and an input": (
        "int getchar(void);\n",
        "char b[20000000]; b[getchar() & 255] = 1; reach_error();",
    ),
    "an undefined operation, and where an object lies": (
        "int __VERIFIER_nondet_int(void), getchar(void); int g;\n",
        "int n = __VERIFIER_nondet_int(), k = 1 << n; if (n == 35 && k == 8 && getchar() != 7 && (unsigned long)&g < 1UL << 32) reach_error();",
    ),
    "the alignment of a function": ("int f(void);\n", "if (__alignof__(f) != 1 || _Alignof(int(void)) != 1) reach_error();"),
}
OPEN = {  # C leaves it open: neither is certain, TRUE least of all
    "the end, cast": (ARRAYS, "int *p = a; p += 4; if ((void *)p == (void *)b) reach_error();"),
    "the end of the whole": (ARRAYS, "int *p = (int *)(&a + 1); if (p == b) reach_error();"),
    "the end of a member": (
        "struct T { int x; } a[4], b[4];\n",
        "struct T *p = a + 3; p++; if (&p->x == &b[0].x) reach_error();",
    ),
    "an end from the library": (
        ARRAYS + "void *mempcpy(void *, const void *, unsigned long); int c[4];\n",
        "int *p = mempcpy(a, c, 16); if (p == b) reach_error();",
    ),
    "two messages": ("char *strerror(int);\n", "if (strerror(1) != strerror(2)) reach_error();"),
}


def written(folder: Path, head: str, body: str) -> Path:
    file = folder / "program.c"
    file.write_text(f"extern void reach_error(void);\n{head}int main(void) {{ {body} return 0; }}\n")
    return file


@pytest.mark.parametrize("name", PROGRAMS)
def test_is_not_reached(name: str, tmp_path: Path) -> None:
    assert decided(written(tmp_path, *PROGRAMS[name])).verdict != "FALSE"


@pytest.mark.parametrize("name", OPEN)
def test_is_open(name: str, tmp_path: Path) -> None:
    assert decided(written(tmp_path, *OPEN[name])).verdict != "TRUE"


def test_a_piece_of_an_address_is_chosen(tmp_path: Path) -> None:
    file = written(tmp_path, "int x;\n", "int *p = &x; if (*(unsigned char *)&p) reach_error();")
    assert follow(load([str(file)], FrontendOptions()).program, 1_000).problem


def test_the_builtin_form_of_the_error_function(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("int main(void) { __builtin_abort(); }\n")
    program = load([str(file)], FrontendOptions(error_function="abort")).program
    assert [mark.what for mark in program.procedures["main"].marks.values()] == ["__builtin_abort()"]


OPEN_TO_GCC = {  # what clang and gcc see differently: refused, or as gcc
    "the name of a function": ("", "if (sizeof(__PRETTY_FUNCTION__) != 5) reach_error();", "TRUE"),
    "the class of a truth value": ("", "_Bool b = 1; if (__builtin_classify_type(b) != 1) reach_error();", "TRUE"),
    "the class of an enumeration": ("enum E { A } e;\n", "if (__builtin_classify_type(e) != 1) reach_error();", "TRUE"),
    "the class of a pointer": ("", "int b = 1; if (__builtin_classify_type(&b) != 5) reach_error();", "TRUE"),
    "a fast type": ("", "if (sizeof(__INT_FAST16_TYPE__) != sizeof(long)) reach_error();", "TRUE"),
    "other arithmetic": (
        '__attribute__((target("fpmath=387"))) double f(double x) { return x / 3; }\n',
        "if (f(1) == 0) reach_error();",
        "UNKNOWN",
    ),
    "fused arithmetic": (
        '__attribute__((target("fma"))) double f(double x) { return x / 3; }\n',
        "if (f(1) == 0) reach_error();",
        "UNKNOWN",
    ),
    "harmless instructions": (
        '__attribute__((target("sse4.2"))) double f(double x) { return x / 3; }\n',
        "if (f(1) == 0) reach_error();",
        "TRUE",
    ),
    "a narrow bit-field in a statement": (
        "struct S { unsigned long long b:32; } s = {-1};\n",
        "if ((({ s.b; }) << 8) != 0xffffff00u) reach_error();",
        "UNKNOWN",
    ),
    "a narrow bit-field that is assigned in a statement": (
        "struct S { unsigned long long b:32; } s = {-1};\n",
        "if ((({ s.b = -1; }) << 8) != 0xffffff00u) reach_error();",
        "UNKNOWN",
    ),
    "a narrow bit-field in statements in statements": (
        "struct S { unsigned long long b:32; } s = {-1};\n",
        "if ((({ 0, ({ +s.b--; }); }) << 8) != 0xffffff00u) reach_error();",
        "UNKNOWN",
    ),
    "a narrow bit-field that is chosen in a statement": (
        "struct S { unsigned long long b:32; } s = {-1};\n",
        "int c = 1; if ((({ c ? s.b : (s.b = 3); }) << 8) != 0xffffff00u) reach_error();",
        "TRUE",
    ),
    "the size of a narrow bit-field in a statement": (
        "struct S { unsigned long long b:32; } s = {-1};\n",
        "if (sizeof(({ s.b; }) + 0) != 4) reach_error();",
        "UNKNOWN",
    ),
    "the type of a narrow bit-field in a statement": (
        "struct S { unsigned long long b:32; } s = {-1};\n",
        "typeof(({ s.b; })) x = 1; if (sizeof x != 4) reach_error();",
        "UNKNOWN",
    ),
    "a function that is not pure": (
        "int n; __attribute__((pure)) int f(void) { n = 1; return 2; }\n",
        "f(); if (n == 0) reach_error();",
        "UNKNOWN",
    ),
    "a function that is pure": (
        "int n = 3; __attribute__((pure)) int f(int k) { int s = k; s += n; return s; }\n",
        "if (f(1) != 4) reach_error();",
        "TRUE",
    ),
    "a call of a null pointer": ("void (*z)(void);\n", "z(); reach_error();", "UNKNOWN"),
    "objects that the stack does not hold": ("", "volatile char a[100 << 20]; a[5] = 1; reach_error();", "UNKNOWN"),
    "a weak name of the implementation": (
        "extern int _start __attribute__((weak));\n",
        "if (&_start == 0) reach_error();",
        "UNKNOWN",
    ),
}


@pytest.mark.parametrize("name", OPEN_TO_GCC)
def test_what_clang_and_gcc_see_differently(name: str, tmp_path: Path) -> None:
    head, body, verdict = OPEN_TO_GCC[name]
    file = tmp_path / "program.c"
    file.write_text(f"{head}void reach_error(void);\nint main(void) {{ {body} return 0; }}\n")
    assert decided(file).verdict == verdict


OTHER_LAYOUTS = {  # data model, at file scope, condition that gcc and clang decide differently
    "an atomic record": ("LP64", "struct S { char a[3]; };", "sizeof(_Atomic struct S) == 4"),
    "an atomic record by another name": ("LP64", "struct S { char a[3]; }; typedef _Atomic(struct S) T;", "sizeof(T) == 4"),
    "an atomic member": ("LP64", "struct S { char a[3]; }; struct T { _Atomic struct S s[2]; } t;", "sizeof t == 8"),
    "a large atomic record": (
        "ILP32",
        "struct S { char a[16]; }; struct T { char c; _Atomic struct S s; };",
        "sizeof(struct T) == 17",
    ),
    "the alignment of a large atomic record": ("ILP32", "struct S { char a[16]; };", "_Alignof(_Atomic struct S) == 1"),
    "a small vector as a member": (
        "ILP32",
        "typedef int V __attribute__((vector_size(8))); struct S { char c; V v[2]; };",
        "_Alignof(struct S) == 8",
    ),
    "an aligned bit-field": (
        "LP64",
        "#pragma pack(2)\nstruct S { short a:2; short b:12 __attribute__((aligned(4))); };",
        "_Alignof(struct S) == 2",
    ),
    "types of wide characters": ("ILP32", "typedef __WCHAR_TYPE__ W; W w;", "__builtin_types_compatible_p(typeof(w), int)"),
    "types of wide literals": ("ILP32", "", "__builtin_types_compatible_p(typeof(L'a'), int)"),
    "a selection by wide characters": ("ILP32", "typedef __WCHAR_TYPE__ W; W w;", "_Generic(w, int: 1, default: 0)"),
}


@pytest.mark.parametrize("name", OTHER_LAYOUTS)
@pytest.mark.parametrize("negation", ("", "!"))
def test_other_layouts_and_types_of_gcc_are_refused(name: str, negation: str, tmp_path: Path) -> None:
    data_model, head, condition = OTHER_LAYOUTS[name]
    file = tmp_path / "program.c"
    file.write_text(
        f"{head}\nvoid reach_error(void);\nint main(void) {{ if ({negation}({condition})) reach_error(); return 0; }}\n"
    )
    assert decided(file, data_model).verdict == "UNKNOWN"


SAME_LAYOUTS = (
    (
        "LP64",
        "_Atomic int a; struct S { _Atomic long l; _Atomic char c; };",
        "sizeof(struct S) == 16 && sizeof(_Atomic int) == 4",
    ),
    ("ILP32", "typedef int V __attribute__((vector_size(16))); struct S { V v; };", "_Alignof(struct S) == 16"),
    ("ILP32", "int a;", "__builtin_types_compatible_p(typeof(a), int) && _Generic(a, int: 1, default: 0)"),
)


@pytest.mark.parametrize("data_model, head, condition", SAME_LAYOUTS)
def test_other_types_are_not_refused(data_model: str, head: str, condition: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(f"{head}\nvoid reach_error(void);\nint main(void) {{ if (!({condition})) reach_error(); return 0; }}\n")
    assert decided(file, data_model).verdict == "TRUE"


def test_a_literal_that_only_gcc_has_a_type_for(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text("int main(void) { return -18446744073709551615 < 0; }\n")
    with pytest.raises(FrontendError, match="too large"):
        load([str(file)], FrontendOptions())


@pytest.mark.parametrize("count, verdict", [(2, "FALSE"), (3, "TRUE")])
def test_a_constructor_may_be_main_itself(count: int, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    head = "void reach_error(void); int n; __attribute__((constructor)) "
    file.write_text(f"{head}int main(void) {{ if (++n == {count}) reach_error(); return 0; }}\n")
    assert decided(file).verdict == verdict


def test_trigraphs_are_refused_where_compilers_differ(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text('int main(void) { return sizeof "??="; }\n')
    with pytest.raises(FrontendError, match="trigraph"):
        load([str(file)], FrontendOptions(std="c2x"))
