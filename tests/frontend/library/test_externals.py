"""Functions without a body, and volatile objects: what they may do in a user's program, and in a verification task."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.cli.parser import parser_for
from drystone.cli.words import options_from
from drystone.counterexamples.replay import relies_on_approximation, replay
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendError, FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.ir.expressions import APPROXIMATED
from drystone.pipeline import PreparedProgram
from drystone.verification.options import ProgramOptions
from drystone.verification.tasks import resolve
from tests.running import report, verify

TRUE, FALSE, UNKNOWN = Verdict.TRUE, Verdict.FALSE, Verdict.UNKNOWN
HEAD = """extern void reach_error(void);
struct opaque; struct point { int x, y; } ; struct node { struct node *next; int v; }; union word { int i; float f; };
struct text { const char *name; int n; }; typedef int (*callback)(int);
int none(void); void log_it(const char *text); int sensor(int *out); int both(int *a, int *b); void chars(char *to, int n);
void anything(void *p); void point(struct point *p); void show(const struct point *p); void list(struct node *p);
void show_list(const struct node *p); void word(union word *w); void matrix(int m[3][3]); void named(struct text *t);
void show_named(const struct text *t); void names(const char *const *list); void strings(char **list); void by_value(struct point p);
void node_by_value(struct node n); void register_it(callback f); void old(); void many(const char *format, ...);
void number(unsigned long n); void flag(_Bool *b); void real(double *d); void array(int a[], int n); void far(int (*a)[4]);
struct opaque *get(void); int use(struct opaque *o, int *out); struct opaque *next(struct opaque *o);
int *pick(int *a); const char *find(const char *text, char c); char *find_in(const char *text, char c); int *fresh(void);
struct point *made(const char *name); int *same(const int *a); void *same_memory(void *p); struct point result(int *p);
struct node linked(int *p); int hash(const void *p); struct node some(void); extern int outside, block[3]; extern const int fixed; extern int *where;
struct padded { char c; int i; }; struct bits { int a : 3; int : 5; int b : 8; }; struct { int n; int d[]; } flexible = {1, {2, 3}};
union mixed { int *p; unsigned long n; }; extern struct { int n; char *p; } far_away; extern unsigned long outer; int *__errno_location(void);
void bytes(const unsigned long *p); void more_numbers(unsigned a, unsigned b); void real_value(double d); void *get_any(void);
int handler(int v) { return v; } int g; struct point points[3]; char buffer[200];
"""
# what follows `int main(void) {`, and the verdicts if functions without a body may write, and if they do nothing
EXTERNALS: dict[str, tuple[str, Verdict, Verdict]] = {
    "no arguments": ("int x = 1; none(); if (x != 1) reach_error();", TRUE, TRUE),
    "a global that is not passed": ("g = 1; none(); if (g != 1) reach_error();", TRUE, TRUE),
    "a global that lies outside": ("outside = 1; none(); if (outside != 1) reach_error();", FALSE, TRUE),
    "an array that lies outside": ("block[1] = 1; none(); if (block[1] != 1) reach_error();", FALSE, TRUE),
    "a constant that lies outside": ("int x = fixed; none(); if (fixed != x) reach_error();", TRUE, TRUE),
    "a pointer that lies outside": ("where = &g; none(); if (where != &g) reach_error();", UNKNOWN, TRUE),
    "what a pointer outside points to": ("g = 1; where = &g; none(); if (g != 1) reach_error();", UNKNOWN, TRUE),
    "a structure with a pointer that lies outside": ("far_away.n = 1; none(); if (far_away.n != 1) reach_error();", UNKNOWN, TRUE),
    "padding": ("static struct padded s; anything(&s); if (((char *)&s)[1]) reach_error();", FALSE, TRUE),
    "members next to padding": ("static struct padded s; anything(&s); if (s.i == 4 && s.c == 3) reach_error();", FALSE, TRUE),
    "bits that have no name": ("static struct bits s; anything(&s); if (((unsigned char *)&s)[0] & 8) reach_error();", FALSE, TRUE),
    "a flexible member": ("anything(&flexible); if (flexible.d[1] != 3) reach_error();", FALSE, TRUE),
    "padding in elements": ("static struct padded s[2]; anything(s); if (((char *)s)[9]) reach_error();", FALSE, TRUE),
    "errno": ("*__errno_location() = 0; none(); if (*__errno_location()) reach_error();", FALSE, TRUE),
    "errno of another": ("*__errno_location() = 0; int n = none(); if (n == 3) reach_error();", FALSE, FALSE),
    "a pointer to the function and what lies outside": ("int (*f)(void) = none; outside = 1; f(); if (outside != 1) reach_error();", UNKNOWN, TRUE),
    "a pointer to the function and errno": ("int (*f)(void) = none; *__errno_location() = 0; f(); if (*__errno_location()) reach_error();", UNKNOWN, TRUE),
    "a pointer to the function": ("int (*f)(void) = none; g = 1; f(); if (g != 1) reach_error();", TRUE, TRUE),
    "an address in a variable": ("int x = 1; unsigned long u = (unsigned long)&x; number(u); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an address in an array": ("int x = 1; unsigned long u[1] = {(unsigned long)&x}; bytes(u); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an address in a static variable": ("static unsigned long u = (unsigned long)&g; number(u); if (g) reach_error();", UNKNOWN, TRUE),
    "an address in halves": ("int x = 1; unsigned u = (unsigned long)&x; more_numbers(u, 0); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an address in bytes": ("int x = 1, *p = &x; char u[8]; __builtin_memcpy(u, &p, sizeof p); log_it(u); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an address in a union": ("int x = 1; union mixed u; u.p = &x; number(u.n); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an address in a real number": ("int x = 1, *p = &x; double d; __builtin_memcpy(&d, &p, sizeof p); real_value(d); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an address seen as a number": ("int x = 1, *p = &x; number(*(unsigned long *)&p); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an address behind void": ("int x = 1, *p = &x; void *v = &p; unsigned long *u = v; number(*u); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "a distance from nowhere": ("int x = 1; number((char *)&x - (char *)0); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an address in a variable outside": ("outer = (unsigned long)&g; none(); if (g) reach_error();", UNKNOWN, TRUE),
    "an address in a number, and a constant": ("int x = 1; unsigned long u = (unsigned long)&x; number(7); if (x != 1) reach_error();", TRUE, TRUE),
    "an address in a number, and a text": ('int x = 1; unsigned long u = (unsigned long)&x; log_it("a"); if (x != 1) reach_error();', TRUE, TRUE),
    "an offset": ("int x = 1; number(__builtin_offsetof(struct point, y)); number(x); if (x != 1) reach_error();", TRUE, TRUE),
    "a pointer as a truth value": ("int x = 1, *p = &x; number(p != 0); number(!p); if (x != 1) reach_error();", TRUE, TRUE),
    "a distance": ("int a[4] = {0}, *p = a + 3; number(p - a); if (a[3]) reach_error();", TRUE, TRUE),
    "a member of a list": ("struct node n = {0, 1}, *p = &n; number(p->v); log_it(\"a\"); if (n.v != 1) reach_error();", TRUE, TRUE),
    "a list on the heap": ("struct node *p = __builtin_malloc(sizeof *p); p->v = 1; more_numbers(p->v, 2); if (p->v != 1) reach_error();", TRUE, TRUE),
    "an own object as a handle": ("int x = 1; struct opaque *o = (struct opaque *)&x; use(o, 0); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an own object as a handle behind void": ("int x = 1; void *v = &x; struct opaque *o = v; use(o, 0); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "no handle": ("struct opaque *o = 0; int x = 1; use(o, 0); if (x != 1) reach_error();", TRUE, TRUE),
    "a handle from outside behind void": ("struct opaque *o = get_any(); int x = 1; use(o, 0); if (x != 1) reach_error();", TRUE, TRUE),
    "any result": ("if (none() == 7) reach_error();", FALSE, FALSE),
    "text that is const": ('char t[4] = "abc"; log_it(t); if (t[1] != \'b\') reach_error();', TRUE, TRUE),
    "a literal": ('log_it("abc"); if (g) reach_error();', TRUE, TRUE),
    "a number": ("int x = 1; sensor(&x); if (x != 1) reach_error();", FALSE, TRUE),
    "another number": ("int x = 1, y = 2; sensor(&x); if (y != 2) reach_error();", TRUE, TRUE),
    "two numbers": ("int x = 1, y = 2; both(&x, &y); if (x + y == 9) reach_error();", FALSE, TRUE),
    "the same number twice": ("int x = 1; both(&x, &x); if (x == 5) reach_error();", FALSE, TRUE),
    "a constant behind a cast": ("const int x = 1; sensor((int *)&x); if (x != 1) reach_error();", TRUE, TRUE),
    "a structure with a pointer that is returned": ("int x = 1; struct node n = linked(&x); if (n.next) reach_error();", UNKNOWN, FALSE),
    "a structure with a pointer from nowhere": ("struct node n = some(); if (n.v == 1) reach_error();", FALSE, FALSE),
    "a null pointer": ("int x = 1; sensor(0); if (x != 1) reach_error();", TRUE, TRUE),
    "a null pointer that is cast": ("int x = 1; sensor((int *)0); if (x != 1) reach_error();", TRUE, TRUE),
    "a global": ("sensor(&g); if (g == 3) reach_error();", FALSE, TRUE),
    "a static local": ("static int s; sensor(&s); if (s == 3) reach_error();", FALSE, TRUE),
    "an array": ("int a[4] = {0}; sensor(a); if (a[2] == 3) reach_error();", FALSE, TRUE),
    "an element": ("int a[4] = {0}; sensor(&a[1]); if (a[1] == 3) reach_error();", FALSE, TRUE),
    "what lies before an element": ("int a[4] = {0}; sensor(&a[1]); if (a[0] == 3) reach_error();", FALSE, TRUE),
    "an element somewhere": ("int a[4] = {0}; sensor(a + (none() & 3)); if (a[3] == 3) reach_error();", FALSE, TRUE),
    "a matrix": ("int m[3][3] = {{0}}; matrix(m); if (m[2][1] == 3) reach_error();", FALSE, TRUE),
    "a row": ("int m[3][4] = {{0}}; far(&m[1]); if (m[1][3] == 3) reach_error();", FALSE, TRUE),
    "a large array": ("chars(buffer + 5, 10); if (buffer[7] == 3) reach_error();", FALSE, TRUE),
    "an array parameter": ("int a[4] = {0}; array(a, 4); if (a[2] == 3) reach_error();", FALSE, TRUE),
    "any memory": ("int x = 1; anything(&x); if (x != 1) reach_error();", FALSE, TRUE),
    "a structure": ("struct point p = {1, 2}; point(&p); if (p.y != 2) reach_error();", FALSE, TRUE),
    "a member": ("struct point p = {1, 2}; sensor(&p.x); if (p.x != 1) reach_error();", FALSE, TRUE),
    "a member in an array": ("sensor(&points[1].y); if (points[1].y == 4) reach_error();", FALSE, TRUE),
    "a member through a pointer to it": ("sensor(&(&points[1])->y); if (points[1].y == 4) reach_error();", FALSE, TRUE),
    "a constant structure": ("struct point p = {1, 2}; show(&p); if (p.y != 2) reach_error();", TRUE, TRUE),
    "a union": ("union word w = {1}; word(&w); if (w.i == 4) reach_error();", FALSE, TRUE),
    "a truth value": ("_Bool b = 0; flag(&b); if (b != 0 && b != 1) reach_error();", TRUE, TRUE),
    "a truth value that changes": ("_Bool b = 0; flag(&b); if (b) reach_error();", FALSE, TRUE),
    "a real number": ("double d = 0; real(&d); if (d > 4) reach_error();", FALSE, TRUE),
    "a list": ("struct node n = {0, 1}; list(&n); if (n.v != 1) reach_error();", UNKNOWN, TRUE),
    "a list that is const": ("struct node m = {0, 1}, n = {&m, 1}; show_list(&n); if (m.v != 1) reach_error();", UNKNOWN, TRUE),
    "a name": ('struct text t = {"a", 1}; named(&t); if (t.n != 1) reach_error();', UNKNOWN, TRUE),
    "a constant name": ('struct text t = {"a", 1}; show_named(&t); if (t.n != 1) reach_error();', TRUE, TRUE),
    "constant names": ('const char *l[2] = {"a", 0}; names(l); if (l[1]) reach_error();', TRUE, TRUE),
    "strings": ("char *l[2] = {buffer, 0}; strings(l); if (buffer[0]) reach_error();", UNKNOWN, TRUE),
    "a literal with a pointer": ("strings((char *[]){buffer, 0}); if (buffer[0]) reach_error();", UNKNOWN, TRUE),
    "a list as bytes": ("struct node m = {0, 1}, n = {&m, 1}; hash(&n); if (m.v != 1) reach_error();", UNKNOWN, TRUE),
    "numbers as bytes": ("struct point p = {1, 2}; hash(&p); if (p.x != 1) reach_error();", TRUE, TRUE),
    "a structure by value": ("struct point p = {1, 2}; by_value(p); if (p.x != 1) reach_error();", TRUE, TRUE),
    "a structure with a pointer by value": ("struct node n = {0, 1}, m = {&n, 1}; node_by_value(m); if (n.v != 1) reach_error();", UNKNOWN, TRUE),
    "a function": ("register_it(handler); if (g) reach_error();", UNKNOWN, TRUE),
    "no function": ("register_it(0); if (g) reach_error();", TRUE, TRUE),
    "a pointer": ("int x = 1, *p = &x; sensor(p); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "an element through a pointer": ("int x = 1, *p = &x; sensor(&p[0]); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "a member through a pointer": ("struct point *p = points; sensor(&p->x); if (points[0].x) reach_error();", UNKNOWN, TRUE),
    "one of two": ("int x = 1, y = 1; sensor(none() ? &x : &y); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "no prototype": ("int x = 1; old(&x); if (x != 1) reach_error();", FALSE, TRUE),
    "more arguments": ('int x = 1; many("%d", &x); if (x != 1) reach_error();', FALSE, TRUE),
    "more arguments by value": ('int x = 1; many("%d", x); if (x != 1) reach_error();', TRUE, TRUE),
    "an address as a number": ("int x = 1; number((unsigned long)&x); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "a handle": ("struct opaque *o = get(); int x = 1; use(o, 0); if (x != 1) reach_error();", TRUE, TRUE),
    "a handle and a number": ("struct opaque *o = get(); int x = 1; use(o, &x); if (x != 1) reach_error();", FALSE, TRUE),
    "a number as a handle": ("int x = 1; use((struct opaque *)&x, 0); if (x != 1) reach_error();", FALSE, TRUE),
    "a pointer as a handle": ("int x = 1, *p = &x; use((struct opaque *)p, 0); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "a function as a number": ("number((unsigned long)handler); if (g) reach_error();", UNKNOWN, TRUE),
    "the next handle": ("struct opaque *o = get(), *n = next(o); if (n && n != o) reach_error();", FALSE, FALSE),
    "the same handle": ("struct opaque *o = get(), *n = next(o); if (n && n == o) reach_error();", FALSE, TRUE),
    "a pointer into the argument": ("int a[4] = {0}, *p = pick(a); if (p) *p = 7; if (a[2] == 7) reach_error();", FALSE, TRUE),
    "nothing beyond the argument": ("int a[4] = {0}, z = 0, *p = pick(a); if (p) *p = 7; if (z) reach_error();", TRUE, TRUE),
    "a character that is found": ('char t[4] = "abc"; char *p = find_in(t, 1); if (p) *p = 7; if (t[1] == 7) reach_error();', FALSE, TRUE),
    "found somewhere": ("const char *t = buffer; const char *p = find(t, 1); if (p && g) reach_error();", UNKNOWN, TRUE),
    "memory from nowhere": ("int x = 1, *p = fresh(); if (p) *p = 7; if (x != 1) reach_error();", TRUE, TRUE),
    "memory for a name": ('struct point *p = made("a"); if (p) p->x = 7; if (points[0].x) reach_error();', TRUE, TRUE),
    "constant numbers that are returned": ("int x = 1, *p = same(&x); if (p) *p = 7; if (x != 1) reach_error();", FALSE, TRUE),
    "the same memory": ("int x = 1, *p = same_memory(&x); if (p) *p = 7; if (x == 7) reach_error();", FALSE, TRUE),
    "a structure that is returned": ("int x = 1; struct point p = result(&x); if (x == 4 && p.x == 5) reach_error();", FALSE, TRUE),
    "through a pointer to the function": ("int x = 1; int (*f)(int *) = sensor; f(&x); if (x != 1) reach_error();", UNKNOWN, TRUE),
    "a literal of its own": ("sensor((int[]){1, 2}); if (g) reach_error();", TRUE, TRUE),
    "an argument that fails": ("int x = 1; sensor((reach_error(), &x));", FALSE, FALSE),
    "what is lost is lost after the arguments": ("struct node n = {0, 1}; list((reach_error(), &n));", FALSE, FALSE),
    "not reached": ("struct node n = {0, 1}; if (g) list(&n); if (n.v != 1) reach_error();", TRUE, TRUE),
}  # fmt: skip


def program_of(folder: Path, text: str, external: str, volatile: str, data_model: str = "LP64") -> Program:
    (folder / "p.c").write_text(text)
    options = FrontendOptions(data_model=data_model, external=external, volatile=volatile)
    return load([str(folder / "p.c")], options).program


def result_of(program: Program) -> EngineResult:
    return check("bmc", PreparedProgram(program), Settings(), Deadline.after(20), unobserved)


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("name", EXTERNALS)
def test_functions_without_a_body(name: str, data_model: str, tmp_path: Path) -> None:
    body, havoc, pure = EXTERNALS[name]
    text = f"{HEAD}int main(void) {{ {body} return 0; }}\n"
    for external, expected in (("havoc", havoc), ("pure", pure)):
        found = result_of(program_of(tmp_path, text, external, "memory", data_model))
        assert found.verdict is expected, f"{external}: {found.reason}"


ENDING = {  # what an external function that does not return may have called before
    "a handler": ("int atexit(void (*)(void)); void h(void) { reach_error(); } int main(void) { atexit(h); die(); }", FALSE),
    "a destructor": ("__attribute__((destructor)) void h(void) { reach_error(); } int main(void) { die(); }", FALSE),
    "what it writes": ("int atexit(void (*)(void)); int x; void h(void) { if (x) reach_error(); } int main(void) { atexit(h); die_with(&x); }", FALSE),
    "what it does not write": ("int atexit(void (*)(void)); int x; void h(void) { if (x) reach_error(); } int main(void) { atexit(h); die(); }", TRUE),
    "through a pointer": ("int atexit(void (*)(void)); void h(void) { reach_error(); } void (*p)(void) = die; int main(void) { atexit(h); p(); }", UNKNOWN),
    "nothing": ("int main(void) { die(); reach_error(); }", TRUE),
    "nothing through a pointer": ("void (*p)(void) = die; int main(void) { p(); reach_error(); }", TRUE),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDING)
def test_functions_without_a_body_that_do_not_return(name: str, tmp_path: Path) -> None:
    text, expected = ENDING[name]
    head = "extern void reach_error(void); _Noreturn void die(void); _Noreturn void die_with(int *p);\n"
    found = result_of(program_of(tmp_path, head + text + "\n", "havoc", "memory"))
    assert found.verdict is expected, found.reason
    assert result_of(program_of(tmp_path, head + text + "\n", "pure", "memory")).verdict is TRUE


STATE_HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
extern void reach_error(void); void f(void); int g(FILE *);
"""
STATE = {  # what the library keeps, and others may change
    "a character that was pushed back": "ungetc(97, stdin); g(stdin); if (getchar() != 97) reach_error();",
    "a character, and no stream is passed": "ungetc(97, stdin); f(); if (getchar() != 97) reach_error();",
    "the end of the input": "if (getchar() != -1) return 0; g(stdin); if (getchar() != -1) reach_error();",
    "what feof says": "if (getchar() != -1) return 0; f(); if (!feof(stdin)) reach_error();",
    "the number of the process": "int p = getpid(); f(); if (p != getpid()) reach_error();",
    "a date": "time_t t = 0; struct tm *d = gmtime(&t); f(); if (d->tm_year != 70) reach_error();",
    "a seed": "srand48(1); long a = lrand48(); srand48(1); f(); if (lrand48() != a) reach_error();",
    "a text in parts": 'char b[] = "a b"; strtok(b, " "); f(); char *p = strtok(0, " "); if (*p != \'b\') reach_error();',
}


@pytest.mark.parametrize("name", STATE)
def test_what_the_library_keeps(name: str, tmp_path: Path) -> None:
    """Others may have used it, and what was there may have gone."""
    text = f"{STATE_HEAD}int main(void) {{ {STATE[name]} return 0; }}\n"
    assert result_of(program_of(tmp_path, text, "pure", "memory")).verdict is TRUE
    program = program_of(tmp_path, text, "havoc", "memory")
    result = result_of(program)
    assert result.verdict is FALSE and result.error is not None
    replayed = replay(program, result.error, result.inputs)
    assert relies_on_approximation(PreparedProgram(program), replayed, Deadline.after(20))


def test_what_is_read_after_others_may_have_read(tmp_path: Path) -> None:
    """Or not: what the program itself reaches it still reaches."""
    path = tmp_path / "program.c"
    path.write_text(f"{STATE_HEAD}int main(void) {{ f(); if (getchar() == 97) reach_error(); return 0; }}\n")
    assert report(path, *BMC, "--external", "havoc")["verdict"] == "FALSE"


def test_structures_that_another_file_knows(tmp_path: Path) -> None:
    """What one file knows only by name, another one may have defined."""
    (tmp_path / "a.c").write_text(
        "extern void reach_error(void); struct s; void f(struct s *p); struct s *get(void); int value(void);"
        "int main(void) { f(get()); if (value() != 1) reach_error(); }\n"
    )
    (tmp_path / "b.c").write_text(
        "struct s { int x; } own = {1}; struct s *get(void) { return &own; } int value(void) { return own.x; }\n"
    )
    program = load([str(tmp_path / "a.c"), str(tmp_path / "b.c")], FrontendOptions(external="havoc")).program
    assert result_of(program).verdict is UNKNOWN


VOLATILE_HEAD = """extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
volatile int v = 3; extern volatile int hardware; volatile int a[4]; extern volatile unsigned char ports[8];
struct m { volatile int status; int plain; } mixed; volatile struct m whole; volatile struct { int x; unsigned bits : 3; } all; static volatile int hidden = 1;
volatile const int fixed = 5; int plain = 2; volatile double real; volatile _Bool flag; typedef volatile int vint; vint named;
int *volatile where = &plain; volatile int *to = &v; void f(volatile int *p) { *p = 1; }
"""
# the verdict if reads are inputs, whether a FALSE rests on an object of the program itself, and the verdict if they are memory
VOLATILES: dict[str, tuple[str, Verdict, bool, Verdict]] = {
    "what is stored": ("if (v != 3) reach_error();", FALSE, True, TRUE),
    "what is stored now": ("v = 4; if (v == 4) reach_error();", FALSE, True, FALSE),
    "a value read once": ("int x = v; if (x != x) reach_error();", TRUE, False, TRUE),
    "two reads": ("if (v != v) reach_error();", FALSE, True, TRUE),
    "a range": ("int x = v & 7; if (x > 7) reach_error();", TRUE, False, TRUE),
    "nothing else changes": ("plain = 2; int x = v; if (plain != 2) reach_error();", TRUE, False, TRUE),
    "outside": ("if (hardware == 17) reach_error();", FALSE, False, FALSE),
    "outside, twice": ("hardware = 1; if (hardware != 1) reach_error();", FALSE, False, TRUE),
    "outside, an element": ("if (ports[3] == 17) reach_error();", FALSE, False, FALSE),
    "outside, within its type": ("if (ports[3] > 255) reach_error();", TRUE, False, TRUE),
    "a fixed address": ("if (*(volatile int *)0x40000 == 17) reach_error();", FALSE, False, FALSE),
    "a loop until": ("while (hardware == 0) ; if (plain != 2) reach_error();", UNKNOWN, False, UNKNOWN),
    "an element": ("if (a[1]) reach_error();", FALSE, True, TRUE),
    "an element somewhere": ("a[2] = 1; if (a[__VERIFIER_nondet_int() & 3] == 9) reach_error();", FALSE, True, TRUE),
    "a member": ("if (mixed.status) reach_error();", FALSE, True, TRUE),
    "a member that is not": ("if (mixed.plain) reach_error();", TRUE, False, TRUE),
    "a member of all": ("if (all.x) reach_error();", FALSE, True, TRUE),
    "bits": ("if (all.bits == 7) reach_error();", FALSE, True, TRUE),
    "bits that do not fit": ("if (all.bits > 7) reach_error();", TRUE, False, TRUE),
    "a copy of what has a volatile member": ("struct m c = mixed; if (c.plain) reach_error();", TRUE, False, TRUE),
    "the volatile member of a copy": (
        "struct m c; c = mixed; int x = *(int *)&c.status; if (x) reach_error();",
        FALSE,
        True,
        TRUE,
    ),
    "a copy of what is volatile in part of a structure": (
        "struct { struct m in; int x; } o = {{1, 2}, 3}, *p = &o, c = *p; if (c.x != 3) reach_error();",
        UNKNOWN,
        False,
        TRUE,
    ),
    "a copy within a volatile structure": (
        "volatile struct { struct m in; } o = {{1, 2}}; to = &o.in.status; struct m c = o.in; if (c.plain != 2) reach_error();",
        UNKNOWN,
        False,
        TRUE,
    ),
    "a copy through a pointer to volatile": (
        "volatile struct m *p = &mixed; struct m c = *p; if (c.plain) reach_error();",
        UNKNOWN,
        False,
        TRUE,
    ),
    "a copy with bits": (
        "static struct { volatile unsigned a : 3; unsigned b : 3; int c; } s = {1, 2, 3}; __typeof__(s) t = s; if (t.b != 2 || t.c != 3) reach_error();",
        TRUE,
        False,
        TRUE,
    ),
    "the volatile bits of a copy": (
        "static struct { volatile unsigned a : 3; unsigned b : 3; } s = {1, 2}; struct { unsigned a : 3, b : 3; } t; __builtin_memcpy(&t, (__typeof__(s)[]){s}, 4); if (t.a != 1) reach_error();",
        FALSE,
        True,
        TRUE,
    ),
    "a copy of a volatile structure": ("struct m c = whole; if (c.plain) reach_error();", UNKNOWN, False, TRUE),
    "static": ("if (hidden != 1) reach_error();", FALSE, True, TRUE),
    "constant": ("if (fixed != 5) reach_error();", FALSE, True, TRUE),
    "a real number": ("real = 1; if (real > 3) reach_error();", FALSE, True, TRUE),
    "a truth value": ("if (flag) reach_error();", FALSE, True, TRUE),
    "no other truth value": ("if (flag != 0 && flag != 1) reach_error();", FALSE, True, TRUE),
    "one truth value": ("int x = flag; if (x != 0 && x != 1) reach_error();", TRUE, False, TRUE),
    "by a typedef": ("if (named) reach_error();", FALSE, True, TRUE),
    "a local": ("volatile int x = 3; if (x != 3) reach_error();", TRUE, False, TRUE),
    "a local that others know": ("volatile int x = 3; f(&x); if (x != 1) reach_error();", FALSE, True, TRUE),
    "parts of a local": (
        "volatile struct { int x, y[2]; unsigned bits : 3; } s = {1, {2, 3}, 4}; s.y[plain & 1] = 5; if (s.x + s.bits != 5 || s.y[0] != 5) reach_error();",
        TRUE,
        False,
        TRUE,
    ),
    "elements of a local": (
        "volatile int b[3] = {0}; b[1] = 2; for (int i = 0; i < 3; i++) if (b[i] > 2) reach_error();",
        TRUE,
        False,
        TRUE,
    ),
    "a local of which others know a part": (
        "volatile struct { int x, y; } s = {1, 2}; f(&s.x); if (s.y != 2) reach_error();",
        FALSE,
        True,
        TRUE,
    ),
    "a local of which others know an element": (
        "volatile int b[3] = {0}; f(&(b[1])); if (b[0]) reach_error();",
        FALSE,
        True,
        TRUE,
    ),
    "a local array that others know": ("volatile int b[3] = {0}; f(b); if (b[1]) reach_error();", FALSE, True, TRUE),
    "an array within a local that others know": (
        "volatile struct { int b[3]; } s = {{0}}; f(s.b); if (s.b[1]) reach_error();",
        FALSE,
        True,
        TRUE,
    ),
    "what a member of a local points to": (
        "struct { volatile int *p; } s = {&v}; if (*s.p != 3 || s.p[0] != 3) reach_error();",
        FALSE,
        True,
        TRUE,
    ),
    "parts behind a member of a local": (
        "struct { volatile struct m *p; } s = {&whole}; if (s.p->plain) reach_error();",
        FALSE,
        True,
        TRUE,
    ),
    "a static local": ("static volatile int b[2]; if (b[1]) reach_error();", FALSE, True, TRUE),
    "a local that assembly may know": (
        'volatile int b[2] = {0}; asm volatile("" : "+m"(b[0])); if (b[1]) reach_error();',
        FALSE,
        True,
        TRUE,
    ),
    "an element from behind": ("volatile int b[2] = {0}; if (1[b]) reach_error();", FALSE, True, TRUE),
    "through a pointer": ("if (*to != 3) reach_error();", FALSE, True, TRUE),
    "through a cast": ("if (*(volatile int *)&plain != 2) reach_error();", FALSE, True, TRUE),
    "the object itself": ("if (plain != 2) reach_error();", TRUE, False, TRUE),
    "a pointer": ("*where = 5; if (plain != 5) reach_error();", UNKNOWN, False, TRUE),
    "a pointer whose error needs no change": ("*where = 5; if (plain == 5) reach_error();", FALSE, False, FALSE),
    "an increment": ("v++; if (plain != 2) reach_error();", TRUE, False, TRUE),
    "the value of an increment": ("int x = v++; if (x != 3) reach_error();", FALSE, True, TRUE),
    "a compound assignment": ("plain += v; if (plain == 9) reach_error();", FALSE, True, TRUE),
    "the address": ("if (&v == 0) reach_error();", TRUE, False, TRUE),
    "the size": ("if (sizeof v != 4) reach_error();", TRUE, False, TRUE),
    "both sides": ("if (v == 1 && v == 2) reach_error();", FALSE, True, TRUE),
    "a condition": ("int x = v ? 1 : 2; if (x == 3) reach_error();", TRUE, False, TRUE),
    "an index": ("int b[2] = {0}; if (b[v & 1]) reach_error();", TRUE, False, TRUE),
    "an argument": ("f(&v); if (plain != 2) reach_error();", TRUE, False, TRUE),
}


@pytest.mark.parametrize("name", VOLATILES)
def test_volatile_objects(name: str, tmp_path: Path) -> None:
    body, expected, own, memory = VOLATILES[name]
    text = f"{VOLATILE_HEAD}int main(void) {{ {body} return 0; }}\n"
    if UNKNOWN in (expected, memory) and "while" in body:
        return  # no bound is enough: see `test_waiting`
    found = result_of(program_of(tmp_path, text, "pure", "input"))
    assert found.verdict is expected, found.reason
    if expected is FALSE:
        assert any(each.determinant in APPROXIMATED for each in found.inputs) == own
    assert result_of(program_of(tmp_path, text, "pure", "memory")).verdict is memory


def test_waiting(tmp_path: Path) -> None:
    text = f"{VOLATILE_HEAD}int main(void) {{ while (hardware == 0) ; if (plain != 2) reach_error(); return 0; }}\n"
    for volatile in ("input", "memory"):
        found = check(
            "k-induction",
            PreparedProgram(program_of(tmp_path, text, "pure", volatile)),
            Settings(),
            Deadline.after(20),
            unobserved,
        )
        assert found.verdict is TRUE, found.reason


WRITES = HEAD + "int main(void) { int x = 1; sensor(&x); if (x != 1) reach_error(); return 0; }\n"
READS = VOLATILE_HEAD + "int main(void) { if (v != 3) reach_error(); return 0; }\n"
BMC = ("--engine", "bmc", "--timeout", "20s", "--workers", "1")
PROPERTY = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"


def test_a_task_is_read_as_ever_and_a_program_of_a_user_is_not(tmp_path: Path) -> None:
    file, task, property_ = str(tmp_path / "p.c"), str(tmp_path / "p.yml"), str(tmp_path / "p.prp")
    Path(file).write_text(WRITES)
    Path(property_).write_text(PROPERTY)
    Path(task).write_text('format_version: "2.0"\ninput_files: p.c\nproperties:\n  - property_file: p.prp\n')

    def meaning(*words: str) -> tuple[str, str]:
        parsed = parser_for(["verify", *words]).parse_args(["verify", *words])
        _, options = resolve(parsed.files, options_from(parsed, ProgramOptions))
        return options.external, options.volatile

    assert meaning(file) == meaning(file, "--entry", "main", "--error-function", "f") == ("havoc", "input")
    assert meaning(task) == meaning(file, "--property", property_) == ("pure", "memory")
    assert meaning(file, "--external", "pure") == ("pure", "input") and meaning(file, "--volatile", "memory") == (
        "havoc",
        "memory",
    )
    assert meaning(task, "--external", "havoc", "--volatile", "input") == ("havoc", "input")
    assert verify(file, *BMC).returncode == 1 and verify(task, *BMC).returncode == 0


def test_what_is_assumed_is_named(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(HEAD + "int main(void) { int x = 1; sensor(&x); log_it(0); if (g) reach_error(); return 0; }\n")
    found = report(tmp_path / "p.c")
    assert found["options"]["external"] == "havoc" and found["options"]["volatile"] == "input"
    texts = [each["what"] for each in found["assumptions"] if each["kind"] == "external function"]
    assert any(each.startswith("sensor: any result, writes x at most") for each in texts), texts
    assert any(each.startswith("log_it: any result, no side effect") for each in texts), texts


def test_what_would_decide_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(READS)
    done = verify(tmp_path / "p.c", *BMC)
    assert done.stdout.startswith("UNKNOWN  the verdict depends on volatile v, which may change at any time")
    assert "try: --volatile memory, if only the program changes it" in done.stdout
    (tmp_path / "p.c").write_text(
        HEAD + "int main(void) { int x = 1, *p = &x; sensor(p); if (x != 1) reach_error(); return 0; }\n"
    )
    done = verify(tmp_path / "p.c", *BMC)
    assert done.stdout.startswith("UNKNOWN  the analysis ends in every execution at sensor(), which has no body")
    assert "sensor, which has no body, may write through p" in done.stdout and "--external pure" in done.stdout


def test_an_error_that_the_program_itself_reaches_is_false(tmp_path: Path) -> None:
    """The compiled program shows it: nobody has to change what is volatile."""
    (tmp_path / "p.c").write_text(VOLATILE_HEAD + "int main(void) { v = 4; if (v == 4) reach_error(); return 0; }\n")
    assert verify(tmp_path / "p.c", *BMC).stdout.startswith("FALSE")


def test_a_certificate_for_one_reading_is_none_for_the_other(tmp_path: Path) -> None:
    file, written = tmp_path / "p.c", tmp_path / "p.json"
    for text, option, meaning in ((WRITES, "external", "pure"), (READS, "volatile", "memory")):
        file.write_text(text)
        assert verify(file, f"--{option}", meaning, "--certificate", written, *BMC).returncode == 0
        assert json.loads(written.read_text())["claim"][option] == meaning
        done = verify_certificate(written, file)
        assert done.returncode == 3 and f"add --{option} {meaning}" in done.stderr, done.stderr
        assert verify_certificate(written, file, f"--{option}", meaning).returncode == 0


def verify_certificate(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "drystone", "check", *map(str, words), "--check", "none"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("options", [FrontendOptions(external="maybe"), FrontendOptions(volatile="maybe")])
def test_no_other_meaning(options: FrontendOptions, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }")
    with pytest.raises(FrontendError, match="unknown meaning"):
        load([str(tmp_path / "p.c")], options)
