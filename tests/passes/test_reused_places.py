"""Which comparisons of pointers become comparisons of numbers: those that a free and an allocation may come before."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.frontend.load import load
from drystone.frontend.options import FrontendOptions
from drystone.ir.expressions import Apply
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.pipeline import PreparedProgram

HEAD = """#include <stdlib.h>
int nondet(void); void reach_error(void);
struct node { struct node *next; } *list;
static struct node *made(void) { return malloc(sizeof(struct node)); }
static void gone(void *p) { free(p); }
"""

NUMBERS = {
    "in a row": "free(p); q = malloc(8); if (p == q) reach_error();",
    "the other way round": "free(p); q = malloc(8); if (q != p) reach_error();",
    "in functions": "gone(p); q = (char *)made(); if (p == q) reach_error();",
    "on one path": "if (nondet()) free(p); q = malloc(8); if (p == q) reach_error();",
    "in a loop": "while (nondet()) { q = malloc(8); if (p == q) reach_error(); free(p); p = q; }",
    "in memory": "list = made(); list->next = made(); free(list->next); q = malloc(8); if ((char *)list->next == q) reach_error();",
    "realloc": "q = realloc(p, 16); if (p == q) reach_error();",
}
POINTERS = {
    "nothing is freed": "q = malloc(8); if (p == q) reach_error();",
    "nothing follows": "q = malloc(8); free(p); if (p == q) reach_error();",
    "before": "q = malloc(8); if (p == q) reach_error(); free(p); q = malloc(8);",
    "others": "char *r = malloc(8); free(r); r = malloc(8); q = malloc(8); if (p == q) reach_error();",
}


def pointers_compared(folder: Path, body: str) -> int:
    """How many comparisons are ones of pointers."""
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ char *p = malloc(8), *q = 0; {body} return 0; }}\n")
    flat = PreparedProgram(load([str(file)], FrontendOptions()).program).flat(recursion_bound=1, max_edges=1000, sliced=False)
    procedure = flat.program.procedures[flat.program.entry]
    found = [part for edge in procedure.edges for each in expressions_of(edge.operation) for part in subexpressions(each)]
    equal = [part for part in found if isinstance(part, Apply) and part.operator == "="]
    return sum(all(isinstance(each, Apply) and each.operator == "pointer" for each in part.arguments) for part in equal)


@pytest.mark.parametrize("name", NUMBERS)
def test_compared_as_numbers(name: str, tmp_path: Path) -> None:
    assert pointers_compared(tmp_path, NUMBERS[name]) == 0


@pytest.mark.parametrize("name", POINTERS)
def test_compared_as_pointers(name: str, tmp_path: Path) -> None:
    assert pointers_compared(tmp_path, POINTERS[name]) > 0
