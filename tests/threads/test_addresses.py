"""Where threads put their objects is decided by who comes first: for no order of addresses there is a proof, nor for its negation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);
int *p; unsigned long n[2];
pthread_t t, u;
"""
ALLOCATES = "n[*(int *)i] = (unsigned long)malloc(4);"
WAYS = {  # what threads do with the number that they are given, and who gets the second one
    "allocations of a thread and of main": (ALLOCATES, "f(&one);"),
    "allocations of two threads": (ALLOCATES, "pthread_create(&u, 0, f, &one); pthread_join(u, 0);"),
    "locals of two threads": (
        "int r; n[*(int *)i] = (unsigned long)&r;",
        "pthread_create(&u, 0, f, &one); pthread_join(u, 0);",
    ),
}
ENGINES = ("explicit", "bmc", "k-induction", "dss")


def text(way: str, condition: str) -> str:
    thread, other = WAYS[way]
    return (
        f"{HEAD}void *f(void *i) {{ {thread} return 0; }}\n"
        f"int main(void) {{ int zero = 0, one = 1; pthread_create(&t, 0, f, &zero); {other} pthread_join(t, 0); "
        f"if (n[0] {condition} n[1]) reach_error(); return 0; }}\n"
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("condition", ["<", ">"])
def test_no_order_is_proved(way: str, condition: str, tmp_path: Path) -> None:
    file = tmp_path / "order.c"
    file.write_text(text(way, condition))
    for engine in ENGINES:
        assert decided(file, engine=engine, timeout=10).verdict != "TRUE", engine


def test_a_thread_may_get_the_stack_of_one_that_has_ended(tmp_path: Path) -> None:
    file = tmp_path / "stack.c"
    file.write_text(text("locals of two threads", "=="))
    for engine in ENGINES:
        assert decided(file, engine=engine, timeout=10).verdict != "TRUE", engine


def test_pointers_to_living_objects_of_threads_differ(tmp_path: Path) -> None:
    file = tmp_path / "living.c"
    file.write_text(
        f"{HEAD}void *f(void *i) {{ int r = 1; if (&r == p) reach_error(); return 0; }}\n"
        "int main(void) { int v; p = &v; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0); "
        "pthread_join(u, 0); return 0; }\n"
    )
    assert decided(file, engine="bmc", timeout=10).verdict == "TRUE"
