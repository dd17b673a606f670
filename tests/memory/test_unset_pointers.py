"""A pointer that was found in memory which nobody has set may be the one that it is compared with, wherever that memory is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """
extern void reach_error(void);
extern int nondet_int(void);
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern struct N *get(void);
int x, y;
struct N { struct N *next; int *p; };
extern struct N external, externals[4], *list;
"""

COMPARED = "if (q && {0} == q) {{ *{0} = 5; if (*q == 5) reach_error(); }}"
"""The write through the one pointer is seen through the other."""

UNSET = {
    "local": ("struct N s; if (nondet_int()) s.p = &y;", "s.p"),
    "copied": ("struct N s = {0, &y}, t; if (nondet_int()) s = t;", "s.p"),
    "external": ("if (nondet_int()) external.p = &y;", "external.p"),
    "element": ("int i = nondet_int() & 3; if (nondet_int()) externals[i].p = &y;", "externals[i].p"),
    "allocated": ("struct N *s = malloc(sizeof *s); if (!s) return 0; if (nondet_int()) s->p = &y;", "s->p"),
    "behind an external pointer": ("if (!list) return 0; if (nondet_int()) list->p = &y;", "list->p"),
    "further behind it": (
        "struct N *s = list; if (!s) return 0; s = s->next; if (!s) return 0; if (nondet_int()) s->p = &y;",
        "s->p",
    ),
    "behind the result of an external function": ("struct N *s = get(); if (!s) return 0; if (nondet_int()) s->p = &y;", "s->p"),
}


def verdict(path: Path, body: str, engine: str) -> str:
    file = path / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ int *q = nondet_int() ? &x : (int *)0; {body} return 0; }}\n")
    return decided(file, engine=engine).verdict


@pytest.mark.parametrize("engine", ["bmc", "dss"])
@pytest.mark.parametrize("where", UNSET)
def test_it_may_be_what_it_is_compared_with(where: str, engine: str, tmp_path: Path) -> None:
    setting, pointer = UNSET[where]
    assert verdict(tmp_path, setting + COMPARED.format(pointer), engine) != "TRUE"


@pytest.mark.parametrize("engine", ["bmc", "dss"])
def test_what_is_zero_from_the_beginning_is_known(engine: str, tmp_path: Path) -> None:
    zeroed = "struct N *s = calloc(1, sizeof *s); if (!s) return 0; if (nondet_int()) s->p = &y;"
    static = "static struct N s; if (nondet_int()) s.p = &y;"
    assert verdict(tmp_path, zeroed + COMPARED.format("s->p"), engine) == "TRUE"
    assert verdict(tmp_path, static + COMPARED.format("s.p"), engine) == "TRUE"
