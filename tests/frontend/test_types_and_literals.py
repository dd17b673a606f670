"""Types, literals and initialisers mean what they mean in C; what C leaves open is neither proved nor refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.claims.verdicts import Verdict
from tests.facts import HEAD, bounded, lines, lowered, program, wrong
from tests.inside import decided
from tests.running import verify

FACTS = lines("""
enum E { A, B } e; @ int x = _Generic(e, unsigned: 1, default: 2); @ x == 1
enum E { A = -1 } e; @ int x = _Generic(e, int: 1, default: 2); @ x == 1
enum E { A, B } e; @ int x = _Generic(A, int: 1, default: 2); @ x == 1
enum E { A } *p; @ int x = _Generic(p, enum E *: 1, default: 2); @ x == 1
enum E { A } *p; @ int x = _Generic(p, unsigned *: 1, default: 2); @ x == 1
enum E { A } *p; @ int x = _Generic(p, int *: 1, default: 2); @ x == 2
long double l; @ int x = _Generic(l, double: 1, double long: 2, default: 3); @ x == 2
long double l; @ int x = _Generic(l, double: 1, default: 3); @ x == 3
unsigned long long u; @ int x = _Generic(u, long unsigned: 1, long int unsigned long: 2, default: 3); @ x == 2
typedef int T; T t; @ int x = _Generic(t, T: 1, default: 2); @ x == 1
typedef const int T; T t; @ int x = _Generic(t, int: 1, default: 2); @ x == 1
typedef struct S { int x; } S; const S s; @ int x = _Generic(s, struct S: 1, default: 2); @ x == 1
int a[3]; @ int x = _Generic(a, int *: 1, default: 2); @ x == 1
int a[3]; @ int x = _Generic(&a, int (*)[4]: 1, int (*)[3]: 2, default: 3); @ x == 2
int f(void); @ int x = _Generic(f, int (*)(int): 1, int (*)(void): 2, default: 3); @ x == 2
const char *p; @ int x = _Generic(p, char *: 1, const char *: 2, default: 3); @ x == 2
char *const p; @ int x = _Generic(p, const char *: 1, char *: 2, default: 3); @ x == 2
int *volatile *p; @ int x = _Generic(p, int **: 1, int *volatile *: 2, default: 3); @ x == 2
char c; @ int x = _Generic(c, signed char: 1, unsigned char: 2, char: 3); @ x == 3
char c; @ int x = _Generic(+c, char: 1, int: 2, default: 3); @ x == 2
float f; @ int x = _Generic(f * 1.0, float: 1, double: 2, default: 3); @ x == 2
int n; @ int x = _Generic("a", const char *: 1, char *: 2, default: 3); @ x == 2
int n; @ _Generic(1, int: n, default: n) = 5; @ n == 5
#define KIND(v) _Generic((v), int: 1, long: 2, default: 3)<NL> long l; @ int x = KIND(l) * 10 + KIND(1) + KIND(1.0) * 100; @ x == 321
struct A { int a, b; }; struct B { struct A *p; int k; }; static struct B *p = &(struct B){&(struct A){1, 2}, 3}; @ @ p->p->a == 1 && p->p->b == 2 && p->k == 3
struct A { int a; }; struct B { struct A *p[2]; }; struct B b = {{&(struct A){1}, &(struct A){2}}}; @ @ b.p[0]->a == 1 && b.p[1]->a == 2
struct A { int a; }; struct B { struct A *p; } *t[2] = {[1] = &(struct B){&(struct A){1}}, [0] = &(struct B){&(struct A){2}}}; @ @ t[0]->p->a == 2 && t[1]->p->a == 1
int **p = &(int *){&(int){5}}; @ @ **p == 5
int *p = &(int[]){1, 2, 3}[1]; @ @ p[0] == 2 && p[1] == 3
int *p = (int[]){1, [2] = 3} + 1; @ @ p[0] == 0 && p[1] == 3
struct A { int a; int *q; } *p = (struct A[2]){{1, (int[]){7, 8}}, {2, &(int){9}}}; @ @ p[0].q[1] == 8 && *p[1].q == 9
struct A { int a, b; }; struct C { struct A x; int y; } c = {.x.a = 5, .x = (struct A){.b = 1}, .y = 2}; @ @ c.x.a == 0 && c.x.b == 1 && c.y == 2
struct A { int a, b; }; struct C { struct A x; int y; }; @ struct C c = {.x.a = 5, .x = (struct A){.b = 1}, .y = 2}; @ c.x.a == 0 && c.x.b == 1 && c.y == 2
static char a[] = "a\\0b", b[2] = "xy", c[5] = "\\0012"; @ @ sizeof a == 4 && a[2] == 'b' && b[1] == 'y' && c[0] == 1 && c[1] == '2' && c[2] == 0
int n; @ char a[] = "a\\0b", b[2] = "xy", c[5] = {"z"}; @ sizeof a == 4 && a[2] == 'b' && b[1] == 'y' && c[1] == 0 && c[4] == 0
const char *p = "\\x41" "1"; @ @ p[0] == 'A' && p[1] == '1' && p[2] == 0
const char *p = &"abc"[1]; int k = sizeof("ab"); @ @ p[0] == 'b' && k == 3
int n; @ int x = 'ab', y = '\\377', z = '\\xff'; @ x == 0x6162 && y == -1 && z == -1
int n; @ int x = L'\\x1234', y = u'\\xffff'; @ x == 0x1234 && y == 0xffff
unsigned char u[] = u8"\\u00e9"; @ int w[] = {L"a\\u20ac"[1], u"a\\u20ac"[1]}; @ w[0] == 0x20ac && w[1] == 0x20ac && u[0] == 0xc3 && u[1] == 0xa9
unsigned short s[] = u"\\U0001F600"; @ @ s[0] == 0xd83d && s[1] == 0xde00 && sizeof s == 6
int n; @ int x = 0b101, y = 0x1F, z = 017; @ x == 5 && y == 31 && z == 15
#define PI 3.25L<NL> #define ID(x) x<NL> long double l = PI; @ @ l == 3.25L && ID(2.5L) + PI == 5.75L
long double l = 0x1.8p1L; @ @ l == 3 && .5L + 5.L == 5.5L && 1e2L == 100
float f = 0.1f; @ @ f != 0.1 && f == (float)0.1 && 0x1p-149f > 0
struct F { int n; char d[]; } f = {2, "hello"}; @ @ f.d[4] == 'o' && sizeof f == 4
struct G { int n; struct { int a, b; } d[]; } g = {1, {{1, 2}, {3, 4}}}; @ @ g.d[1].b == 4
enum E { A = 1, B = 0x100000000LL } e = B; @ @ sizeof e == 8 && sizeof A == 4 && e >> 32 == 1
enum N { P = -1, Q = 0x80000000LL } e = P; @ @ e < 0 && Q > 0 && sizeof(enum N) == 8
enum E { A, B, C }; struct S { enum E e : 2; _Bool b : 1; signed s : 3; } s = {C, 5, -1}; @ @ s.e == 2 && s.b == 1 && s.s == -1
enum E { A, B, C }; struct S { enum E e : 2; _Bool b : 1; signed s : 3; }; @ struct S s = {C, 5, -1}; @ s.e == 2 && s.b == 1 && s.s == -1
struct S { char c; int x; char d; }; @ struct S s = {1, 2, 3}, a[2] = {[1] = {4, 5}}; @ s.c == 1 && s.x == 2 && s.d == 3 && a[0].x == 0 && a[1].d == 0
struct S { char c; int x; } s = {1, 2}; @ unsigned char *p = (unsigned char *)&s; @ p[0] == 1 && p[1] == 0 && p[2] == 0 && p[3] == 0
struct S { char c; int x; }; @ static struct S s = {1, 2}; unsigned char *p = (unsigned char *)&s; @ p[1] == 0 && p[2] == 0
struct S { int a[2]; short b[2]; }; @ struct S s = {{1}, {2}}; unsigned char *p = (unsigned char *)&s; @ p[4] == 0 && p[9] == 0 && p[10] == 0
struct S { struct { char c; int x; } in; int y; }; @ struct S s = {.y = 1}; @ s.in.c == 0 && s.in.x == 0 && s.y == 1
union U { short s[2]; int i; } u = {.s = {1, 2}}; @ @ u.i == 0x20001
union U { short s[2]; int i; }; @ union U u = {.s = {1, 2}}; @ u.i == 0x20001
int a[10] = {[2 ... 5] = 7, [4] = 1, 9}; @ @ a[3] == 7 && a[4] == 1 && a[5] == 9 && a[6] == 0
struct { int a, b; } s; int a[2][3]; @ @ &s.a + 1 == &s.b && a[0] + 3 == a[1]
int x, y; @ @ &x != &y && &x == &x
const char *f(void) { return "x"; } const char *g = "y"; @ @ f() == f() && f() != g
int a[4]; @ int s = 0; for (int *p = a; p != a + 4; p++) s++; @ s == 4
char b[4] = "ab"; @ int s = 0; for (char *p = b, *e = b + 4; p != e; ++p) s++; @ s == 4
static _Bool b = 0.5, c = 256; static signed char d = (char)300; static int i = 2.9; @ @ b == 1 && c == 1 && d == 44 && i == 2
char s[2][4] = {"ab", "cdef"}; @ @ s[0][3] == 0 && s[1][3] == 'f'
struct A { unsigned char a; }; union U { struct A s; unsigned b : 5; } v[1] = {{-96}, [0].b = 276}; @ @ *(unsigned char *)v == 0x14
union U { unsigned char a[4]; unsigned char b; } v[1] = {{{1, 2, 3, 4}}, [0].b = 20}; @ @ v[0].a[0] == 20 && v[0].a[1] == 0
union U { unsigned char a[4]; unsigned char b; }; struct T { union U u; } t = {{{1, 2, 3, 4}}, .u.b = 9}; @ @ t.u.a[1] == 0
union Q { char a[6]; short b; } q = {-5, 7, 8, .b = 3}; @ @ q.b == 3 && q.a[2] == 0
union U { int a[4]; struct { char b; int c[2]; } s; }; @ union U u = {.a = {1, 2, 3, 4}, .s.c[1] = 5}; @ u.s.b == 0 && u.s.c[0] == 0 && u.s.c[1] == 5
union U { int a[4]; char b; }; @ union U u[2] = {[0 ... 1].a[1] = 3, [1].b = 7}; @ u[0].a[0] == 0 && u[0].a[1] == 3 && u[1].b == 7
union U { int a[4]; char b; }; @ union U u = {1, 2, .a[2] = 5}; @ u.a[0] == 1 && u.a[1] == 2 && u.a[2] == 5 && u.a[3] == 0
union U { double d; unsigned long long u; } g = {0.0 / 0.0}, h = {-(0.0 / 0.0)}, k = {-0.0 / 0.0}; @ @ g.u >> 63 == 0 && h.u >> 63 == 1 && k.u >> 63 == 1
double g = __builtin_inf() - __builtin_inf(), h = __builtin_inf() * -0.0; @ @ !__builtin_signbit(g) && __builtin_signbit(h) && g != g
int n; @ double d = 0.0 / 0.0, e = d + 1; @ d != d && e != e && !(d < e)
#define AL 64<NL> _Alignas(AL) char g; @ @ (unsigned long)&g % 64 == 0
__attribute__((aligned(1 << 6))) char g; @ _Alignas(0x20) char l; @ ((unsigned long)&g | (unsigned long)&l) % 32 == 0
""")

C23 = lines("""
int n; @ int x = 1'000 + 0b1'01; @ x == 1005
long double l = 1'0.5L; double d = 1'000.5; @ @ l == 10.5L && d == 1000.5
int n; @ unsigned long x = 0xFF'FFuL; @ x == 65535
""")

OPEN = lines("""
int n; @ @ "ab" == "ab"
const char *f(void) { return "x"; } const char *g = "x"; @ @ f() == g
const char *t[] = {"x", "y", "x"}; @ int i = 0; @ t[i] == t[i + 2]
int n; @ const char *p = "ab", *q = "ab"; @ (unsigned long)p == (unsigned long)q
int n; @ const char *p = "ab", *q = "ab"; @ (const void *)p == (const void *)q
int n; @ const char *p = "ab", *q = "ab"; @ (unsigned long long)p == (unsigned long long)q
int n; @ int a[4], b[4]; int *p = a + 4, *q = b; @ (unsigned long long)p == (unsigned long long)q
int n; @ const int *p = (const int *)L"a", *q = (const int *)L"a"; @ p == q
int a[4], b[4]; @ @ a + 4 == b
int n; @ int a[4], b[4]; @ b == a + 4
int n; @ int a[4], b[4]; @ &a[4] == &b[0]
int n; @ int a[4], b[4]; int *p = a + 4, *q = b; @ p == q
int a[4], b[4]; @ int *p = a; p += 4; @ p == b
int n; @ struct { int x, y; } s[1], t[1]; @ s + 1 == t
int x, y; @ @ &x + 1 == &y
int n; @ int x, y; @ (char *)(&x + 1) == (char *)&y
struct S { char c; int x; }; @ struct S s = {1, 2}; @ ((char *)&s)[1] == 0
struct S { char c; int x; }; @ struct S s = {.x = 2}; @ ((char *)&s)[3] == 0
struct S { char c; int x; }; @ unsigned char *p = (unsigned char *)&(struct S){1, 2}; @ p[2] == 0
struct S { char c; int x; }; @ struct S s[2] = {{1, 2}, {3, 4}}; @ ((char *)s)[9] == 0
struct S { int x; char c; }; @ struct S s = {1, 2}; @ ((char *)&s)[7] == 0
struct S { unsigned a : 3; unsigned : 2; unsigned b : 3; }; @ struct S s = {1, 1}; @ *(unsigned char *)&s == 33
struct S { unsigned a : 3; }; @ struct S s = {1}; @ *(unsigned char *)&s == 1
struct S { struct { char c; short x; } in; int y; }; @ struct S s = {{1, 2}, 3}; @ ((char *)&s)[1] == 0
union U { char c; int i; }; @ union U u = {1}; @ u.i == 1
union U { int a[4]; char b; }; @ union U u = {.a = {1, 2, 3, 4}, .b = 5}; @ u.a[3] == 0
struct S { char c; int x; }; @ struct S s[1] = {{1, 2}, [0] = {3, 4}}; @ ((char *)s)[1] == 0
struct S { char c; double d; }; @ struct S s = {1, 2}, t; t = s; @ ((char *)&t)[1] == 0
int n; @ @ __builtin_signbit(0.0 / 0.0)
int n; @ double d = 0.0 / 0.0; float f = (float)d; @ __builtin_signbit(f)
int n; @ @ __builtin_object_size(&n, 0) == 4
char b[8]; @ @ __builtin_object_size(b + 2, 0) == 6
""")

REFUSED = {
    "bit-precise integers": "int main(void) { _BitInt(7) x = 5; if (x != 5) reach_error(); return 0; }",
    "half floats": "int main(void) { _Float16 x = 1; if (x != 1) reach_error(); return 0; }",
    "quadruple floats": "int main(void) { __float128 x = 1; if (x != 1) reach_error(); return 0; }",
    "a bit-field in _Generic": "struct { unsigned a : 3; } s; int main(void) { if (_Generic(s.a, unsigned: 0, default: 1)) reach_error(); return 0; }",
    "labels wider than 64 bits": "int main(void) { __int128 x = -1; int y = 0; switch (x) { case -1: y = 5; } if (y != 5) reach_error(); return 0; }",
    "an array in a value": "struct S { int a[2]; } s, t; int g(void) { s.a[1] = 9; return 1; } int main(void) { if ((s = t).a[g()]) reach_error(); return 0; }",
    "effects in the type of a cast": "int n = 1; int main(void) { int a[4]; (void)(int(*)[n++])a; if (n != 2) reach_error(); return 0; }",
    "an initialiser that another one overrides": "int n; int main(void) { int a[2] = {[0] = n++, [0] = 5}; if (n + a[0] != 5) reach_error(); return 0; }",
    "a part of a record again": "struct A { int a, b; }; struct B { struct A v; }; int main(void) { struct B b = {.v = (struct A){1, 2}, .v.b = 3};"
    " if (b.v.a) reach_error(); return 0; }",
    "a designator behind an excess item": "double d[3] = {[2] = 1, 2, [1] = 3}; int main(void) { if (d[1] != 3) reach_error(); return 0; }",
    "an alignment that is no arithmetic": "_Alignas(sizeof(char[4096]) / 4096) char g; int main(void) { if (&g) reach_error(); return 0; }",
    "effects in typeof": "int n = 1; int main(void) { __typeof__(int[n++]) *p; if (n != 2) reach_error(); return 0; }",
}


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
def test_facts(data_model: str, tmp_path: Path) -> None:
    assert len(FACTS) >= 60
    found = {fact: said for fact in FACTS if (said := wrong(fact, tmp_path, data_model))}
    assert not found


def test_facts_of_newer_c(tmp_path: Path) -> None:
    found = {fact: said for fact in C23 if (said := wrong(fact, tmp_path, "LP64", "c2x"))}
    assert not found


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
def test_what_is_open_is_not_proved(data_model: str, tmp_path: Path) -> None:
    proved = []
    for fact in OPEN:
        for negated in (False, True):
            if bounded(lowered(program(fact, negated), tmp_path, data_model)) is Verdict.TRUE:
                if decided(tmp_path / "program.c", data_model).verdict == "TRUE":  # certificates know of other addresses
                    proved.append((fact, negated))
    assert not proved


@pytest.mark.parametrize("fact", (OPEN[0], OPEN[8]))
def test_what_is_open_is_refuted_only_by_the_compiled_program(fact: str, tmp_path: Path) -> None:
    """At most one of the two: the one that the compiled program shows."""
    verdicts = []
    for negated in (False, True):
        file = tmp_path / f"{negated}.c"
        file.write_text(program(fact, negated))
        verdicts.append(verify(file, "--timeout", "10s", "--workers", "1").returncode)
    assert verdicts.count(1) <= 1 and 0 not in verdicts


ALIGNMENTS = {  # of `g`: what gcc gives it, or less
    "__attribute__((aligned(64/64))) char g;": 1,
    "_Alignas(128 - 127) char g;": 1,
    "#define AL(n) __attribute__((aligned(n)))\nAL(64 / 16) int g;": 4,
    "int g __attribute__((aligned(1)));": 1,
    "typedef int T __attribute__((aligned(1))); T g;": 1,
    "typedef int T __attribute__((aligned(64))); T g;": 64,
    "struct S { long x; } g __attribute__((aligned(2)));": 2,
    "[[gnu::aligned(32)]] int g;": 32,
    "int g __attribute__((aligned));": 16,
    "int g __attribute__((aligned(2), aligned(8)));": 8,
    "char g __attribute__((aligned(sizeof(long))));": 8,
    "_Alignas(short) char g;": 2,
}


@pytest.mark.parametrize("declaration", ALIGNMENTS)
def test_alignment_is_never_more_than_the_object_has(declaration: str, tmp_path: Path) -> None:
    text = f"{HEAD}{declaration}\nint main(void) {{ if ((unsigned long)&g % 3 == 1) reach_error(); return 0; }}\n"
    assert lowered(text, tmp_path).objects["g"].align == ALIGNMENTS[declaration]


def test_alignment_of_compound_literals(tmp_path: Path) -> None:
    declaration = "typedef int T __attribute__((aligned(1))); T *p = &(T){5};"
    text = f"{HEAD}{declaration}\nint main(void) {{ T *q = &(T){{6}}; if ((unsigned long)p % 3 == (unsigned long)q % 3) reach_error(); return 0; }}\n"
    program = lowered(text, tmp_path)
    objects = [*program.objects.values(), *program.procedures["main"].objects.values()]
    assert [each.align for each in objects if "literal" in each.name] == [1, 1]


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    lowered_program = lowered(f"extern void reach_error(void);\n{REFUSED[name]}\n", tmp_path)
    assert bounded(lowered_program) is Verdict.UNKNOWN
