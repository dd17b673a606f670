"""The value of an assignment is what was stored; every operand's side effects happen, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.facts import lines, wrong

FACTS = lines("""
int a[8]; @ int x = (a[a[0]] = 5); @ x == 5 && a[0] == 5
int a[8]; @ int x = (a[a[0]] += 5); @ x == 5 && a[0] == 5 && a[5] == 0
int a[8]; @ int x = ++a[a[0]]; @ x == 1 && a[0] == 1 && a[1] == 0
int a[8] = {1, 1}; @ int x = --a[a[1]]; @ x == 0 && a[1] == 0 && a[0] == 1
int a[8]; @ int x = a[a[0]]++; @ x == 0 && a[0] == 1
int a[8] = {2, 0, 0}; @ int x = a[a[2]]--; @ x == 2 && a[0] == 1
int a[8]; @ int x = (a[a[a[0]]] = 3); @ x == 3 && a[0] == 3 && a[3] == 0
int a[4] = {3, 2, 1, 0}; @ int x = (a[a[3]] ^= 7); @ x == 4 && a[0] == 4
int a[4] = {1, 0}; @ int x = (a[a[1]] <<= 3); @ x == 8 && a[0] == 8 && a[1] == 0
double d[3] = {1, 0, 2}; @ int x = (d[(int)d[0]] = 2.9); @ x == 2 && d[1] == 2.9 && d[0] == 1
double d[2]; @ double x = ++d[(int)d[0]]; @ x == 1 && d[0] == 1 && d[1] == 0
char c; @ int x = (c = 300); @ x == 44 && c == 44
unsigned char u; @ int x = (u = -1) + 1; @ x == 256
unsigned char u = 200; @ int x = (u += 100); @ x == 44
short s = 32767; @ int x = ++s; @ x == -32768
_Bool b; @ int x = (b = 7); @ x == 1
_Bool b; @ int x = (b += 2), y = b--, z = b--; @ x == 1 && y == 1 && z == 0 && b == 1
float f; @ double x = (f = 0.1); @ x != 0.1 && x == 0.1f
int i; @ double x = (i = 2.75); @ x == 2
int i = 3; @ int x = (i *= 1.5); @ x == 4
long long l; int i; @ l = i = 0x123456789LL; @ l == 0x23456789
struct { unsigned a : 3; int b : 3; } s; @ int x = (s.a = 13), y = (s.b = 7); @ x == 5 && y == -1
struct { unsigned a : 3; int b : 3; } s = {7, 3}; @ int x = ++s.a, y = ++s.b; @ x == 0 && y == -4
struct { unsigned a : 3; int b : 3; } s = {7, 3}; @ int x = s.a++, y = s.b--; @ x == 7 && y == 3 && s.a == 0 && s.b == 2
struct { _Bool c : 1; } s; @ int x = (s.c = 6), y = --s.c, z = --s.c; @ x == 1 && y == 0 && z == 1
struct { unsigned long long d : 40; } s; @ unsigned long long x = (s.d = 0xffffffffffffULL); @ x == 0xffffffffffULL
struct { int i : 4; } a[3] = {{1}, {2}, {0}}; @ int x = (a[a[0].i].i = 9); @ x == -7 && a[1].i == -7 && a[0].i == 1
struct { int i : 4; } a[3]; @ int x = (a[a[2].i].i += 20); @ x == 4 && a[0].i == 4
struct S { int a, b; } s = {1, 2}, t = {3, 4}, u; @ u = s = t; @ u.a == 3 && s.b == 4
struct S { int a, b; } s = {1, 2}, t = {3, 4}; @ int x = (s = t).a; @ x == 3
struct S { int a, b; } s = {1, 2}, t = {3, 4}; int n; @ int x = (n ? s : t).b; @ x == 4
struct S { int a, b; } s = {1, 2}, t = {3, 4}; int n; @ struct S u = n ? s : t; t.a = 9; @ u.a == 3
struct S { int a, b; } s = {1, 2}, t = {3, 4}; int f(struct S p, int k) { return p.a * k; } @ int x = f(s = t, 2); @ x == 6
struct S { int a, b; } s = {1, 2}; struct S f(struct S p) { p.a = 9; return p; } @ int x = f(s).a; @ x == 9 && s.a == 1
struct S { int a, b; } f(int k) { struct S s = {k, k + 1}, t = s; s.a = 99; return t; } @ int x = f(1).a + f(5).b; @ x == 7
struct S { int a[3]; } s, t = {{1, 2, 3}}; @ int x = (s = t).a[1]; @ x == 2
struct N { struct N *n; int v; } a = {&a, 1}, c = {0, 9}; @ struct N *p = &a; int x = (*p->n = c).v; @ x == 9 && a.n == 0
struct N { struct N *n; int v; } a, b = {&a, 2}; @ struct N *p = &b; int x = (p->n->v = 7); p = p->n; @ x == 7 && p->v == 7
struct N { int *q; int v; }; @ int a[3] = {1, 2, 3}; struct N s = {a, 0}, *p = &s; int x = (*p->q++ = 7); @ x == 7 && a[0] == 7 && s.q == a + 1
struct P { int x; }; @ struct P a = {1}, b = {2}, *p = &a; int x = (p = &b)->x; @ x == 2
union U { int i; unsigned char b[4]; } u, v; @ u.i = 0x01020304; int x = (v = u).b[0]; @ x == 4
union U { int i; unsigned char b[4]; } u; @ int x = (u.b[0] = 300); @ x == 44 && u.i == 44
int *p, x = 3, y = 4; @ int **pp = &p; int z = *(*pp = &y); @ z == 4
int a[4] = {1, 2, 3, 4}; @ int *p = a; int x = *(p += 2), y = *--p; @ x == 3 && y == 2
int a[4] = {1, 2, 3, 4}; @ int *p = a; int x = (p++, *p), y = *p++; @ x == 2 && y == 2 && p == a + 2
int f(int x) { return x + 1; } int g(int x) { return x * 2; } @ int (*p)(int) = g; int x = (p = f)(3); @ x == 4
int g; int f(void) { g = 7; return 1; } @ int y = ({ int z = (g = 4); f(); z; }); @ y == 4 && g == 7
int g; int f(void) { g = 7; return 1; } @ int y = (g = 3, f(), g + 1); @ y == 8
int n; int f(void) { n++; return 0; } @ int x = f() ?: 5; @ x == 5 && n == 1
int n; @ int x = n++ ?: 5; @ x == 5 && n == 1
int n; @ int x = (n = 3) ? (n = 4) : (n = 5); @ x == 4 && n == 4
int n; @ int x = (n = 0) || (n = 6); @ x == 1 && n == 6
int n; @ switch (n = 9) { case 9: n++; } @ n == 10
int n; @ int s = 0; while ((n = n + 1) < 4) s += n; @ s == 6 && n == 4
int n; @ int x = __builtin_expect(n++, 1); __builtin_prefetch((n++, &n)); @ x == 0 && n == 2
int n; @ int x = __builtin_constant_p(n++); @ n == 0 && x >= 0
int n; @ int x = sizeof(n++) + __alignof__(n++); @ n == 0 && x == 8
int n = 3; @ int i = 0, v[n][n + 1]; int x = sizeof(v[i++]); @ x == 16 && i == 1
int n = 3; @ int v[n++]; int x = sizeof v; @ x == 12 && n == 4
int n = 1; int f(int a[n++]) { return n; } @ int a[4]; int x = f(a); @ x == 2
int f(int n, int a[][n++], int k) { return n * 100 + sizeof a[0] + k; } @ int a[2][3]; int x = f(3, a, 7); @ x == 419
int n; @ int x = _Generic(n++, int: 3, default: n++); @ x == 3 && n == 0
int n; @ int x = __builtin_choose_expr(1, n++, 2.0); @ x == 0 && n == 1
int n; @ int x = __builtin_popcount(n += 7); @ x == 3 && n == 7
int n; int f(int k, ...) { __builtin_va_list l[2], *p = l; __builtin_va_start(*p, k); int x = __builtin_va_arg(*p, int); __builtin_va_end(*p++); n = p - l; return x; } @ int x = f(1, 5); @ x == 5 && n == 1
int f(int k, ...) { __builtin_va_list l[2]; int i = 0; __builtin_va_start(l[i++], k); i--; int x = __builtin_va_arg(l[i++], int); __builtin_va_copy(l[i], l[i - 1]); return x * 100 + __builtin_va_arg(l[1], int) * 10 + i; } @ int x = f(1, 5, 6); @ x == 561
struct S { char c; int x; }; int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); struct S s = __builtin_va_arg(l, struct S); return s.x * 10 + __builtin_va_arg(l, int); } struct S s, t = {1, 4}; @ int x = f(1, s = t, 7); @ x == 47
int n; @ int x = 0; for (int k = 0; k < 3; k++) { int *p = (int[]){k, k * 2}; p[0]++; x += p[0] + p[1]; } @ x == 12
_Atomic int x; @ int y = (x = 5), z = (x += 2), w = x++; @ y == 5 && z == 7 && w == 7 && x == 8
int a[2]; int i; @ __asm__ volatile("" : "+r"(a[i++])); @ i == 1
int i; @ __asm__ volatile("" : : "r"(i++)); @ i == 1
long double l[2]; @ double x = (l[(int)l[0]] = 1); @ x == 1 && l[0] == 1 && l[1] == 0
int a[3]; @ int x = (a[0] = a[1] = a[2] = 4) + a[1]; @ x == 8
""")


@pytest.mark.parametrize("data_model", ("LP64", "ILP32"))
def test_facts(data_model: str, tmp_path: Path) -> None:
    assert len(FACTS) >= 60
    found = {fact: said for fact in FACTS if (said := wrong(fact, tmp_path, data_model))}
    assert not found
