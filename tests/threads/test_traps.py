"""What is easily got wrong about threads: a program for each of them, and what must be said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x, y, z;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_t t, u;
"""


def two(worker: str, main: str, before: str = "") -> str:
    return f"{HEAD}{before}\nvoid *f(void *p) {{ {worker} return 0; }}\nint main(void) {{ {main} return 0; }}\n"


START = "pthread_create(&t, 0, f, 0);"
BOTH = f"{START} pthread_create(&u, 0, f, 0);"
JOIN = "pthread_join(t, 0);"
RECURSIVE = "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_{}); pthread_mutex_init(&m, &a);"

PROGRAMS: dict[str, tuple[str, str]] = {
    "an abort does not hide the error of another thread": (two("reach_error();", f"{START} abort();"), "FALSE"),
    "nor does a failed assumption": (two("reach_error();", f"{START} __VERIFIER_assume(0);"), "FALSE"),
    "nor one behind a step that matters": (
        two("if (x == 1) reach_error();", f"int r = 1; {START} x = 1; __VERIFIER_assume(r == 0);"),
        "FALSE",
    ),
    "nor the end of main": (two("reach_error();", START), "FALSE"),
    "nor an endless loop of another thread": (two("reach_error();", f"{START} while (1) ;"), "FALSE"),
    "an abort in an atomic section does": (
        two(
            "if (x == 1) reach_error();",
            f"{START} __VERIFIER_atomic_begin(); x = 1; abort(); __VERIFIER_atomic_end();",
        ),
        "TRUE",
    ),
    "an atomic section is not interrupted": (
        two(
            "__VERIFIER_atomic_begin(); x++; x--; __VERIFIER_atomic_end();",
            f"{START} if (x != 0) reach_error();",
        ),
        "TRUE",
    ),
    "what is no atomic section is": (two("x++; x--;", f"{START} if (x != 0) reach_error();"), "FALSE"),
    "a function is an atomic section by its name": (
        two("__VERIFIER_atomic_f();", f"{START} if (x != 0) reach_error();", "void __VERIFIER_atomic_f(void) { x++; x--; }"),
        "TRUE",
    ),
    "also if a thread runs it": (
        two(
            "",
            "pthread_create(&t, 0, __VERIFIER_atomic_g, 0); if (x != 0) reach_error();",
            "void *__VERIFIER_atomic_g(void *p) { x++; x--; return 0; }",
        ),
        "TRUE",
    ),
    "two reads in one expression are two reads": (two("x = 1;", f"{START} if (x != x) reach_error();"), "FALSE"),
    "and so are a read and a write": (
        two("x++;", f"{BOTH} pthread_join(t, 0); pthread_join(u, 0); if (x == 1) reach_error();"),
        "FALSE",
    ),
    "two instances of one function see each other": (two("if (x == 1) reach_error(); x = 1;", BOTH), "FALSE"),
    "but each has its own locals": (
        two("int r = 0; int *q = &r; (*q)++; if (r != 1) reach_error();", BOTH),
        "TRUE",
    ),
    "a thread that was not joined may still run": (two("x = 1;", f"{START} if (x == 1) reach_error();"), "FALSE"),
    "one that was joined has ended": (two("x = 1;", f"{START} {JOIN} if (x != 1) reach_error();"), "TRUE"),
    "and gives its result": (
        two("return (void *)7;", f"void *r; {START} pthread_join(t, &r); if (r != (void *)7) reach_error();"),
        "TRUE",
    ),
    "also by pthread_exit": (
        two("pthread_exit((void *)7);", f"void *r; {START} pthread_join(t, &r); if (r != (void *)7) reach_error();"),
        "TRUE",
    ),
    "also a function, which is then called": (
        two(
            "return (void *)bad;",
            f"void *r; {START} pthread_join(t, &r); ((void (*)(void))r)();",
            "void bad(void) { reach_error(); }",
        ),
        "FALSE",
    ),
    "also in memory that pthread_exit gives": (
        two(
            "struct s *q = malloc(sizeof *q); q->g = bad; pthread_exit(q);",
            f"void *r; {START} pthread_join(t, &r); ((struct s *)r)->g();",
            "void bad(void) { reach_error(); } struct s { void (*g)(void); };",
        ),
        "FALSE",
    ),
    "pthread_exit in main lets others go on": (two("if (x == 1) reach_error();", f"{START} x = 1; pthread_exit(0);"), "FALSE"),
    "what follows pthread_exit does not happen": (two("pthread_exit(0); reach_error();", START), "TRUE"),
    "an argument arrives": (
        two("if (*(int *)p != 5) reach_error();", "int v = 5; pthread_create(&t, 0, f, &v); pthread_join(t, 0);"),
        "TRUE",
    ),
    "and is shared": (
        two("*(int *)p = 6;", "int v = 5; pthread_create(&t, 0, f, &v); if (v == 6) reach_error();"),
        "FALSE",
    ),
    "a lock is held by one": (
        two(
            "pthread_mutex_lock(&m); x++; x--; pthread_mutex_unlock(&m);",
            f"{START} pthread_mutex_lock(&m); if (x != 0) reach_error();",
        ),
        "TRUE",
    ),
    "the owner of a lock waits for ever": (
        two("", f"{START} pthread_mutex_lock(&m); pthread_mutex_lock(&m); reach_error();"),
        "TRUE",
    ),
    "unless it is recursive": (
        two("", f"{RECURSIVE.format('RECURSIVE')} {START} pthread_mutex_lock(&m); pthread_mutex_lock(&m); reach_error();"),
        "FALSE",
    ),
    "a recursive lock is free when it was unlocked as often": (
        two(
            "pthread_mutex_lock(&m); if (x != 0) reach_error(); pthread_mutex_unlock(&m);",
            f"{RECURSIVE.format('RECURSIVE')} {START} pthread_mutex_lock(&m); x = 1; pthread_mutex_lock(&m);"
            "pthread_mutex_unlock(&m); x = 0; pthread_mutex_unlock(&m);",
        ),
        "TRUE",
    ),
    "one that checks for errors says so": (
        two(
            "",
            f"{RECURSIVE.format('ERRORCHECK')} {START} pthread_mutex_lock(&m); if (pthread_mutex_lock(&m) != 35) reach_error();",
        ),
        "TRUE",
    ),
    "another thread may unlock": (
        two("pthread_mutex_unlock(&m);", f"pthread_mutex_lock(&m); {START} pthread_mutex_lock(&m); reach_error();"),
        "FALSE",
    ),
    "a lock that is tried may be taken": (
        two("pthread_mutex_lock(&m);", f"{START} if (pthread_mutex_trylock(&m) != 0) reach_error();"),
        "FALSE",
    ),
    "or not": (two("pthread_mutex_lock(&m);", f"{START} if (pthread_mutex_trylock(&m) == 0) reach_error();"), "FALSE"),
    "a signal that nobody waits for is lost": (
        two(
            "pthread_cond_signal(&c);",
            f"{START} {JOIN} pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); reach_error();",
        ),
        "UNKNOWN",  # a wake-up without a signal is possible, but no reason to say FALSE
    ),
    "a signal wakes who waits": (
        two(
            "pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
            f"{START} pthread_mutex_lock(&m); if (x == 0) pthread_cond_wait(&c, &m); if (x == 1) reach_error();",
        ),
        "FALSE",
    ),
    "in a loop, it does not matter who wakes": (
        two(
            "pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
            f"{START} pthread_mutex_lock(&m); while (x == 0) pthread_cond_wait(&c, &m); if (x != 1) reach_error();",
        ),
        "TRUE",
    ),
    "a semaphore counts": (
        two("x = 1; sem_post(&s);", f"sem_init(&s, 0, 0); {START} sem_wait(&s); if (x != 1) reach_error();", "sem_t s;"),
        "TRUE",
    ),
    "threads in a loop": (
        two(
            "__VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end();",
            f"for (int i = 0; i < 3; i++) {START} if (x == 3) reach_error();",
        ),
        "FALSE",
    ),
    "as many as there are": (
        two(
            "__VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end();",
            f"for (int i = 0; i < 2; i++) {START} if (x == 3) reach_error();",
        ),
        "TRUE",
    ),
    "identifiers differ": (two("", f"{BOTH} if (pthread_equal(t, u)) reach_error();"), "TRUE"),
    "operators on atomic objects are not interrupted": (
        two("k++; k += 2; --k;", f"{BOTH} pthread_join(t, 0); pthread_join(u, 0); if (k != 4) reach_error();", "_Atomic int k;"),
        "TRUE",
    ),
    "but an assignment that reads one is": (
        two("k = k + 1;", f"{BOTH} pthread_join(t, 0); pthread_join(u, 0); if (k != 2) reach_error();", "_Atomic int k;"),
        "FALSE",
    ),
    "a thread-local variable is not shared": (
        two(
            "if (k != 3) reach_error(); k = 1; if (k != 1) reach_error();",
            f"{BOTH} k = 7; pthread_join(t, 0); if (k != 7) reach_error();",
            "__thread int k = 3;",
        ),
        "TRUE",
    ),
    "and keeps its value while others run": (
        two("k++; x = k; k++; if (k == 2 && x == 5) reach_error();", f"{START} k = 5; x = k;", "_Thread_local int k;"),
        "FALSE",
    ),
    "nor is one in memory": (two("*&k = 1;", f"{START} if (k == 1) reach_error();", "__thread int k;"), "TRUE"),
    "who is alone at a barrier waits for ever": (
        two("", f"pthread_barrier_init(&b, 0, 2); {START} pthread_barrier_wait(&b); reach_error();", "pthread_barrier_t b;"),
        "TRUE",
    ),
    "a structure is not copied at once": (
        two(
            "s.a = 1; s.b = 1;",
            f"struct s r; {START} r = s; if (r.a == 0 && r.b == 1) reach_error();",
            "struct s { int a, b; } s;",
        ),
        "FALSE",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("engine", ["explicit", "bmc", "auto"])
def test_traps(name: str, engine: str, tmp_path: Path) -> None:
    text, expected = PROGRAMS[name]
    file = tmp_path / "trap.c"
    file.write_text(text)
    result = decided(file, engine=engine, timeout=60)
    if engine == "bmc" and result.verdict == "UNKNOWN" and ("while" in text or "for" in text):
        return  # it cannot prove everything about loops
    if engine == "explicit" and result.verdict == "UNKNOWN" and ("malloc" in text or "*&k" in text):
        return  # it searches no memory
    assert result.verdict == expected, result.reason
    assert any(each.kind == "memory model" for each in result.assumptions)


SECOND = "pthread_create(&u, 0, g, 0);"
G = "void *g(void *p) {{ {} return 0; }}"
MORE: dict[str, tuple[str, str]] = {
    "an identifier that is overwritten is that of another thread": (
        two("x = 1;", f"{START} pthread_create(&t, 0, g, 0); {JOIN} if (x == 0) reach_error();", G.format("")),
        "FALSE",
    ),
    "one that is copied is not": (
        two("x = 1;", f"{START} u = t; pthread_create(&t, 0, g, 0); pthread_join(u, 0); if (x == 0) reach_error();", G.format("")),
        "TRUE",
    ),
    "one that another thread changes may be another one": (
        two(
            "t = u;",
            f"pthread_create(&u, 0, g, 0); pthread_create(&t, 0, f, 0); {JOIN} if (x == 0) reach_error();",
            G.format("x = 1;"),
        ),
        "FALSE",
    ),
    "a thread may wait for main": (
        two("pthread_join(u, 0); if (x != 1) reach_error();", f"u = pthread_self(); {START} x = 1; pthread_exit(0);"),
        "TRUE",
    ),
    "which never ends if it returns": (
        two("pthread_join(u, 0); reach_error();", f"u = pthread_self(); {START} x = 1; return 0;"),
        "TRUE",
    ),
    "a local that was published is changed by others": (
        two("int v = 1; q = &v; while (!y) ; if (v == 5) reach_error();", f"{START} while (!q) ; *q = 5; y = 1; {JOIN}", "int *q;"),
        "FALSE",
    ),
    "one argument for all threads of a loop is one object": (
        two(
            "if (*(int *)p == 2) reach_error();",
            "pthread_t a[2]; int i; for (i = 0; i < 2; i++) pthread_create(&a[i], 0, f, &i); pthread_join(a[0], 0);",
        ),
        "FALSE",
    ),
    "a lock at an index that others change is two": (
        two(
            "y = 1;",
            f"{START} pthread_mutex_lock(&k[y]); pthread_mutex_unlock(&k[y]); {JOIN} if (pthread_mutex_trylock(&k[0])) reach_error();",
            "pthread_mutex_t k[2];",
        ),
        "FALSE",
    ),
    "a deadlock of two does not hide the error of a third": (
        two(
            "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
            f"{START} {SECOND} pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_join(u, 0);",
            f"pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER; {G.format('y = 1; if (y == 1) reach_error();')}",
        ),
        "FALSE",
    ),
    "a value that was chosen by a switch is read once": (
        two("x = 1; x = 2;", f"{START} int r = 0; switch (x) {{ case 1: r = 1; break; case 0: r = 2; break; case 2: r = 3; }} if (!r) reach_error();"),
        "TRUE",
    ),
    "an index is read before the element": (
        two("x = 1; a[1] = 7;", f"{START} a[x] = a[x] + 1; if (a[1] == 8) reach_error();", "int a[2];"),
        "FALSE",
    ),
    "an atomic structure is not copied member by member": (
        two(
            "struct p v = {1, 1}; s = v;",
            f"{START} struct p r = s; if (r.a != r.b) reach_error();",
            "struct p { short a, b; }; _Atomic struct p s;",
        ),
        "UNKNOWN",
    ),
    "nobody waits for the second of two threads of a loop": (
        two(
            "__VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end();",
            f"for (int i = 0; i < 2; i++) {START} {JOIN} if (x != 2) reach_error();",
        ),
        "FALSE",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MORE)
def test_more_traps(name: str, tmp_path: Path) -> None:
    text, expected = MORE[name]
    file = tmp_path / "trap.c"
    file.write_text(text)
    result = decided(file, engine="auto", timeout=20)
    assert result.verdict == expected, result.reason


def test_every_step_of_a_counterexample_names_its_thread(tmp_path: Path) -> None:
    file = tmp_path / "steps.c"
    file.write_text(two("if (x == 1) reach_error();", f"{START} x = 1; {JOIN}"))
    result = decided(file, timeout=60)
    assert result.evidence.counterexample is not None
    assert {step.thread for step in result.evidence.counterexample.steps} == {0, 1}
    assert any(each.kind == "schedule" for each in result.evidence.counterexample.inputs)


def test_without_threads_a_lock_is_only_a_variable(tmp_path: Path) -> None:
    file = tmp_path / "alone.c"
    file.write_text(two("", "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); if (x != 1) reach_error();"))
    assert decided(file, timeout=60).verdict == "TRUE"
