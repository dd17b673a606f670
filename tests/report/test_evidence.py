"""The words in which people read counterexamples and invariants: those of their C."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.running import verify

LIST = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
typedef unsigned int TickType_t;
struct xLIST;
typedef struct xLIST_ITEM {
  TickType_t xItemValue;
  struct xLIST_ITEM *pxNext, *pxPrevious;
  struct xLIST *pxContainer;
} ListItem_t;
typedef struct xMINI_LIST_ITEM { TickType_t xItemValue; struct xLIST_ITEM *pxNext, *pxPrevious; } MiniListItem_t;
typedef struct xLIST { unsigned long uxNumberOfItems; ListItem_t *pxIndex; MiniListItem_t xListEnd; } List_t;
static List_t l;
static ListItem_t it[2];
void insert(List_t *list, ListItem_t *n) {
  ListItem_t *i = (ListItem_t *)&list->xListEnd;
  while (i->pxNext->xItemValue <= n->xItemValue)
    i = i->pxNext;
  n->pxNext = i->pxNext;
  n->pxNext->pxPrevious = n;
  n->pxPrevious = i;
  i->pxNext = n;
  n->pxContainer = list;
  list->uxNumberOfItems++;
}
int main(void) {
  l.xListEnd.xItemValue = 0xffffffffu;
  l.xListEnd.pxNext = l.xListEnd.pxPrevious = l.pxIndex = (ListItem_t *)&l.xListEnd;
  it[0].xItemValue = 7;
  it[1].xItemValue = (TickType_t)__VERIFIER_nondet_int();
  if (it[1].xItemValue != 3)
    return 0;
  insert(&l, &it[0]);
  insert(&l, &it[1]);
  if (l.xListEnd.pxNext == &it[1])
    reach_error();
  return 0;
}
"""

HEAP = """\
#include <stdlib.h>
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
struct node { int v; struct node *next; };
static int twice(int n) { return 2 * n; }
int main(void) {
  struct node *head = NULL;
  int (*f)(int) = twice;
  int *a = malloc(3 * sizeof(int));
  if (!a) return 0;
  for (int i = 0; i < 2; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->v = f(i);
    n->next = head;
    head = n;
  }
  a[2] = 9;
  int *p = a + 1;
  char c = (char)__VERIFIER_nondet_uchar();
  if (head->next->v == 0 && c == 'z' && p) reach_error();
  return 0;
}
"""

RECORDS = """\
#include <assert.h>
#include <string.h>
enum color { RED, GREEN = 5, BLUE };
extern enum color pick(void);
struct rec { char name[8]; enum color c; int n[4]; unsigned flag : 3, mode : 5; };
struct rec r, q;
char out[16];
int main(void) {
  memcpy(r.name, "ab", 3);
  strcpy(out + 8, "x\\"z");
  r.c = pick();
  r.n[2] = 4;
  r.mode = 9;
  q = r;
  const char *p = out + 9, *s = "lit";
  int values[4] = {1, 2, 3};
  char text[6] = "hey";
  memset(out, 'x', 4);
  assert(q.c != GREEN || *p != '"' || values[1] != 2 || text[1] != 'e' || s[1] != 'i');
  return 0;
}
"""

ENTRY = """\
#include <assert.h>
#include <stddef.h>
struct str { size_t len; char text[4]; struct str *next; };
enum mode { OFF, ON };
int find(int *p, struct str *s, const char *name, enum mode m, int *unused) {
  if (!p || !s || !name || s->next || unused)
    return 0;
  if (*p == 3 && s->len == 7 && s->text[1] == 'z' && name[0] == 'a' && name[1] == 'b' && name[2] == 0 && m == ON)
    assert(s->len == 8);
  return 0;
}
"""


def shown(folder: Path, text: str, *arguments: str, **options: object) -> list[str]:
    """What the command prints, without the folder and the last line, which tells of times."""
    file = folder / "p.c"
    file.write_text(text)
    done = verify(file, *arguments, **options)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout.replace(f"{folder}/", "").splitlines()[:-1]


def effects(lines: list[str]) -> list[str]:
    """What each step has done, without its line of the source."""
    listed = [line for line in lines if re.match(r"  +\d+  ", line)]
    return [
        re.split(r"  +", line.strip(), maxsplit=2)[2:][0] if len(re.split(r"  +", line.strip())) > 2 else "" for line in listed
    ]


def test_a_list_in_structs(tmp_path: Path) -> None:
    lines = shown(tmp_path, LIST, "--engine", "bmc")
    assert lines[:6] == [
        "FALSE  the error can be reached",
        "  p.c:35: reach_error() in main",
        "  values at the error: l.xListEnd.pxNext = &it[1], it[1].xItemValue = 3",
        "  inputs: __VERIFIER_nondet_int() = 3",
        "  as C: int __VERIFIER_nondet_int(void) { return 3; }",
        "  execution of 24 steps, replayed by the interpreter",
    ]
    assert effects(lines)[-10:] == [
        "list = &l, n = &it[1]",
        "i = &l.xListEnd",
        "",
        "it[1].pxNext = &it[0]",
        "it[0].pxPrevious = &it[1]",
        "it[1].pxPrevious = &l.xListEnd",
        "l.xListEnd.pxNext = &it[1]",
        "it[1].pxContainer = &l",
        "l.uxNumberOfItems = 2",
        "",
    ]


def test_allocations_have_names(tmp_path: Path) -> None:
    lines = shown(tmp_path, HEAP, "--verbose")
    assert "values at the error: malloc#2->v = 0, malloc#3->next = malloc#2, head = malloc#3, c = 'z'" in lines[2]
    told = effects(lines)
    for each in (
        "head = NULL",
        "f = twice",
        "a = malloc#1",
        "n = malloc#3",
        "malloc#3->v = 2",
        "malloc#3->next = malloc#2",
        "malloc#1[2] = 9",
        "p = &malloc#1[1]",
        "c = 'z'",
    ):
        assert each in told, each


def test_strings_enumerators_and_ranges(tmp_path: Path) -> None:
    """Also of what library functions write, which have no lines of their own."""
    lines = shown(tmp_path, RECORDS)
    assert lines[3:6] == [
        "  inputs: pick() = GREEN",
        "  as C: enum color pick() { return GREEN; }",
        "  execution of 11 steps, replayed by the interpreter",
    ]
    assert effects(lines) == [
        'r.name[0..2] = "ab"',
        'out[8..11] = "x\\"z"',
        "r.c = GREEN",
        "r.n[2] = 4",
        "r.flag = 0, r.mode = 9",
        'q = {.name = "ab", .c = GREEN, .n = {0, 0, 4, 0}, .flag = 0, .mode = 9}',
        'p = &out[9], s = "lit"',
        "values[0..3] = {1, 2, 3, 0}",
        'text[0..5] = "hey"',
        'out[0..3] = "xxxx"',
        "",
    ]


def test_a_line_of_the_standard_input(tmp_path: Path) -> None:
    text = """\
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
int smaller(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  char buf[8];
  int a[3] = {3, 1, 2};
  if (!fgets(buf, sizeof buf, stdin)) return 0;
  qsort(a, 3, sizeof a[0], smaller);
  assert(buf[0] != 'q' || buf[1] != 'u' || buf[2] != 0 || a[2] != 3);
  return 0;
}
"""
    without_compiler = {**os.environ, "PATH": str(tmp_path)}
    lines = shown(tmp_path, text, "--engine", "bmc", env=without_compiler)
    (given,) = [line.removeprefix("  inputs: fgets(): ") for line in lines if "inputs" in line]
    assert re.fullmatch(r'buf\[0\.\.[2-7]\] = "qu(\\.*)?"', given)
    told = effects(lines)
    assert given in told
    assert told[told.index(given) + 1 :][:3] == [
        "a = &a[0], b = &a[1]",
        "return value = 2",
        "a[0..1] = {1, 3}, a = &a[1], b = &a[2]",
    ]
    assert not any("stdio.c" in line or "__drystone" in line for line in lines)


def test_what_the_arguments_of_the_entry_point_to(tmp_path: Path) -> None:
    lines = shown(tmp_path, ENTRY, "--entry", "find", "--engine", "bmc")
    assert lines[3:5] == [
        "  inputs: m = ON, unused = NULL, *p = 3, s->len = 7, s->text[1] = 'z', s->next = NULL, name[0..2] = \"ab\"",
        "  as C: int p = 3; struct str s = {.len = 7, .text = {'\\0', 'z', '\\0', '\\0'}, .next = NULL}; "
        'char name[] = "ab"; find(&p, &s, name, ON, NULL);',
    ]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_call_of_the_entry_fails_its_assertion_when_it_is_compiled(tmp_path: Path) -> None:
    (call,) = [line for line in shown(tmp_path, ENTRY, "--entry", "find", "--engine", "bmc") if "as C: " in line]
    pasted = f"int main(void) {{ {call.partition('as C: ')[2]} return 0; }}\n"
    (tmp_path / "pasted.c").write_text(ENTRY + pasted)
    subprocess.run(["gcc", "-o", "pasted", "pasted.c"], cwd=tmp_path, check=True)
    done = subprocess.run(["./pasted"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "s->len == 8" in done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_pasted_functions_give_the_inputs_in_their_order(tmp_path: Path) -> None:
    text = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern char __VERIFIER_nondet_char(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a == -2147483647 - 1 && b == 12 && __VERIFIER_nondet_ulonglong() == 0xfffffffffffffff0u && __VERIFIER_nondet_char() == '\\'')
    reach_error();
  return 0;
}
"""
    lines = shown(tmp_path, text, "--engine", "bmc")
    start = next(index for index, line in enumerate(lines) if "as C: " in line)
    pasted = [line[8:] for line in lines[start : start + 3]]
    assert pasted == [
        "int __VERIFIER_nondet_int(void) { static const int v[] = {-2147483648, 12}; static int i; return v[i++ % 2]; }",
        "unsigned long long __VERIFIER_nondet_ulonglong(void) { return 18446744073709551600u; }",
        "char __VERIFIER_nondet_char(void) { return '\\''; }",
    ]
    ending = "#include <stdlib.h>\nvoid reach_error(void) { exit(7); }\n"
    (tmp_path / "pasted.c").write_text("\n".join([text, *pasted, ending]))
    subprocess.run(["gcc", "-o", "pasted", "pasted.c"], cwd=tmp_path, check=True)
    assert subprocess.run(["./pasted"], cwd=tmp_path, check=False).returncode == 7


INVARIANT = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
typedef int count_t;
enum state {{ IDLE, BUSY = 4, DONE }};
struct engine {{ char *name; count_t stepcount; enum state state; }};
struct engine e;
int a[4], *p = &a[2];
{function}int main(void) {{
  {declared}
  e.stepcount = 0;
  e.state = BUSY;
  while (__VERIFIER_nondet_int()) {{
    {body}
  }}
  return 0;
}}
"""


@pytest.mark.parametrize(
    ("function", "declared", "body", "invariant"),
    [
        pytest.param(
            "",
            "",
            "if (e.stepcount < 17) e.stepcount++; if (e.stepcount > 17 || e.state != BUSY) reach_error();",
            "e.stepcount < 18 && e.state == BUSY",
            id="global",
        ),
        pytest.param(
            "void tick(struct engine *p) { if (p->stepcount < 17) p->stepcount++; }\n",
            "struct engine f; f.stepcount = 0; struct engine *q = __VERIFIER_nondet_int() ? &e : &f;",
            "tick(q); if (e.stepcount > 17) reach_error();",
            "e.stepcount < 18",
            id="memory",
        ),
        pytest.param("", "", "*p = 3; if (p != a + 2) reach_error();", "p == &a[2]", id="address"),
    ],
)
def test_invariants(tmp_path: Path, function: str, declared: str, body: str, invariant: str) -> None:
    lines = shown(tmp_path, INVARIANT.format(function=function, declared=declared, body=body), "--engine", "dss")
    (said,) = [line for line in lines if "loop invariant" in line]
    assert sorted(said.partition(": ")[2].split(" && ")) == sorted(invariant.split(" && "))
