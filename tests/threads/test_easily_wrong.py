"""Small programs with threads, each about one thing that is easily got wrong: the verdict, and whether there is a data race."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEADER = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
extern void reach_error(void);
#define check(c) do { if (!(c)) reach_error(); } while (0)
"""

PROGRAMS = {  # the verdict, whether two accesses may race, and the program
    "locks_order_nothing_by_themselves": (
        "FALSE",
        False,
        """
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER; int x, y;
void *f(void *p) { pthread_mutex_lock(&a); x = 1; pthread_mutex_unlock(&a); pthread_mutex_lock(&b); y = 1;
    pthread_mutex_unlock(&b); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&b); int v = y;
    pthread_mutex_unlock(&b); pthread_mutex_lock(&a); int w = x; pthread_mutex_unlock(&a);
    check(!(v == 0 && w == 1)); }
""",
    ),
    "a_lock_outlives_its_owner": (
        "TRUE",
        False,
        """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;
void *f(void *p) { pthread_mutex_lock(&m); x = 1; pthread_exit(0); }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); check(x == 1); pthread_mutex_lock(&m);
    reach_error(); }
""",
    ),
    "abort_in_one_thread_hides_nothing": (
        "FALSE",
        True,
        """
int x;
void *f(void *p) { if (x == 0) abort(); reach_error(); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; pthread_join(t, 0); }
""",
    ),
    "an_index_that_changes": (
        "FALSE",
        True,
        """
int v[2], k;
void *f(void *p) { v[k] = 1; k = 1 - k; return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0);
    pthread_join(u, 0); check(v[0] == 1 && v[1] == 1); }
""",
    ),
    "a_pointer_read_twice": (
        "FALSE",
        True,
        """
int a = 1, b = 2; int *p = &a;
void *f(void *q) { p = &b; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int s = *p + *p; check(s != 3); pthread_join(t, 0); }
""",
    ),
    "a_pointer_read_once": (
        "TRUE",
        False,
        """
int a = 1, b = 2; int *_Atomic p = &a;
void *f(void *q) { p = &b; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *l = p; int s = *l + *l; check(s != 3);
    pthread_join(t, 0); }
""",
    ),
    "a_static_variable_of_a_function": (
        "FALSE",
        True,
        """
int next(void) { static int n; return ++n; }
int r[2];
void *f(void *p) { *(int *)p = next(); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, &r[0]); pthread_create(&u, 0, f, &r[1]);
    pthread_join(t, 0); pthread_join(u, 0); check(r[0] != r[1]); }
""",
    ),
    "a_signal_without_the_lock": (
        "FALSE",
        True,
        """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int done, after;
void *f(void *p) { done = 1; pthread_cond_signal(&c); after = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m);
    if (!done) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); check(after == 1); }
""",
    ),
    "threads_that_create_threads_and_join_them": (
        "TRUE",
        False,
        """
_Atomic int n;
void *f(void *p) { long d = (long)p; n++; if (d > 0) { pthread_t t; pthread_create(&t, 0, f, (void *)(d - 1));
    pthread_join(t, 0); } return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, (void *)2); pthread_join(t, 0); check(n == 3); }
""",
    ),
    "threads_that_create_threads": (
        "FALSE",
        False,
        """
_Atomic int n;
void *f(void *p) { long d = (long)p; n++; if (d > 0) { pthread_t t; pthread_create(&t, 0, f, (void *)(d - 1));
    } return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, (void *)2); pthread_join(t, 0); check(n == 3); }
""",
    ),
    "the_last_one_counts": (
        "FALSE",
        True,
        """
short x = 0;
void *f(void *p) { x = -1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; pthread_join(t, 0); check(x > 0); }
""",
    ),
    "a_variable_read_twice_by_one_expression": (
        "FALSE",
        True,
        """
int x;
void *f(void *p) { x = 1; x = 2; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int d = x - x; check(d == 0); pthread_join(t, 0); }
""",
    ),
    "the_address_of_a_thread_local_variable": (
        "FALSE",
        False,
        """
__thread int mine; int *p0;
void *f(void *p) { *p0 = 3; mine = 4; return 0; }
int main(void) { pthread_t t; p0 = &mine; pthread_create(&t, 0, f, 0); pthread_join(t, 0); check(mine == 0); }
""",
    ),
    "a_thread_outlives_its_creator": (
        "FALSE",
        True,
        """
int x;
void *inner(void *p) { x = 2; return 0; }
void *outer(void *p) { pthread_t t; pthread_create(&t, 0, inner, 0); x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, outer, 0); pthread_join(t, 0); int v = x; check(v == x); }
""",
    ),
    "main_exits_and_threads_go_on": (
        "FALSE",
        False,
        """
_Atomic int go;
void *f(void *p) { while (!go) ; reach_error(); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); go = 1; pthread_exit(0); }
""",
    ),
    "main_returns_and_threads_do_not": (
        "TRUE",
        False,
        """
_Atomic int go;
void *f(void *p) { while (!go) ; reach_error(); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }
""",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_verdict(name: str, tmp_path: Path) -> None:
    verdict, _, text = PROGRAMS[name]
    file = tmp_path / "program.c"
    file.write_text(HEADER + text)
    result = decided(file, engine="auto", timeout=60)
    assert result.verdict == verdict, result.reason


@pytest.mark.parametrize("name", PROGRAMS)
def test_whether_there_is_a_race(name: str, tmp_path: Path) -> None:
    _, is_racy, text = PROGRAMS[name]
    file = tmp_path / "program.c"
    file.write_text(HEADER + text)
    result = decided(file, engine="auto", timeout=60, check=("data-race",))
    assert result.verdict == ("FALSE" if is_racy else "TRUE"), result.reason
