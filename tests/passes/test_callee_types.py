"""Calls through pointers from outside exclude functions that take other arguments, unless the program makes such pointers of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.frontend.load import FrontendOptions, load
from drystone.passes.inline import inline
from tests.inside import decided

HEAD = """
extern void reach_error(void);
extern int nondet_int(void);
extern struct D *get(void);
struct O { int (*two)(int, int); int (*one)(int); };
struct D { struct D *next; struct O o; };
int bad(int a, int b) { reach_error(); return 0; }
int good(int a) { return 0; }
typedef int (*One)(int);
static One same(One p) { return p; }
static One other_result(struct D *d) { return d->o.two; }
static One second(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); One p = __builtin_va_arg(l, One); return p; }
"""
BODY = """
  struct D *d = (struct D *)((char *)get() + nondet_int());
  d->next = d;
  d->o.two = bad;
  d->o.one = good;
  {0}
  return d->o.one(1);
"""
"""Any address in the memory of `d`: for points-to, what it holds is one class with it, and comes from outside."""

PUNNED = {
    "a cast of the function": "int (*volatile p)(int) = (int (*)(int))bad;",
    "a cast of a pointer": "int (*p)(int) = 0; p = (int (*)(int))d->o.two; d->o.one = p;",
    "a number": "unsigned long n = (unsigned long)d->o.two; d->o.one = (int (*)(int))n;",
    "through a pointer to anything": "void *p = d->o.two; d->o.one = p;",
    "a function without a prototype": "int (*p)() = d->o.two; d->o.one = p;",
    "a union": "union { int (*two)(int, int); int (*one)(int); } u; u.two = d->o.two; d->o.one = u.one;",
    "a union in a structure": "struct { union { struct O o; int (*one)(int); }; } u; u.o = d->o; d->o.one = u.one;",
    "a pointer to the pointer": "int (**p)(int) = (int (**)(int))&d->o.two; d->o.one = *p;",
    "another structure": "struct P { int (*one)(int); } *p = (struct P *)&d->o; d->o.one = p->one;",
    "an initialiser": "static struct O other = {0, bad}; d->o = other;",
    "an initialiser of a local": "One p = bad; d->o.one = p;",
    "an argument": "d->o.one = same(bad);",
    "a result": "d->o.one = other_result(d);",
    "a choice": "d->o.one = nondet_int() ? good : (One)bad;",
    "an array": "One all[2] = {good, bad}; d->o.one = all[nondet_int() & 1];",
    "an unnamed argument": "d->o.one = second(1, d->o.two);",
}


def candidates(path: Path, text: str) -> set[str]:
    """The functions that calls are inlined of."""
    file = path / "program.c"
    file.write_text(text)
    inlined = inline(load([str(file)], FrontendOptions(external="pure")).program)
    return {frame.function for frame in inlined.procedures["main"].frames or ()}


def program(body: str = "") -> str:
    return f"{HEAD}int main(void) {{ {BODY.format(body)} }}\n"


def test_a_call_with_other_arguments_is_excluded(tmp_path: Path) -> None:
    assert candidates(tmp_path, program()) == {"main", "good"}


def test_it_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(program())
    noted = [each.what for each in load([str(file)], FrontendOptions()).program.approximations if each.kind == "function pointer"]
    assert noted == ["a pointer that comes from outside is called as what it is: it means no function that takes other arguments"]


def test_a_program_that_calls_functions_as_what_they_are_is_proved(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(program())
    assert decided(file, engine="dss", external="pure").verdict == "TRUE"


@pytest.mark.parametrize("how", PUNNED)
def test_not_where_the_program_takes_one_for_the_other(how: str, tmp_path: Path) -> None:
    assert "bad" in candidates(tmp_path, program(PUNNED[how]))


def test_small_integers_are_passed_alike(tmp_path: Path) -> None:
    text = HEAD.replace("int bad(int a, int b)", "int bad(char a)").replace("int (*two)(int, int)", "int (*two)(char)")
    assert "bad" in candidates(tmp_path, f"{text}int main(void) {{ {BODY.format('')} }}\n")


def test_pointers_of_the_program_itself_are_followed_whatever_their_type(tmp_path: Path) -> None:
    body = """
  struct S { int (*two)(int, int); } s = {bad};
  struct T { int (*one)(int); } *t = (void *)&s;
  return t->one(1);
"""
    assert "bad" in candidates(tmp_path, f"{HEAD}int main(void) {{ {body} }}\n")
    file = tmp_path / "program.c"
    assert decided(file, engine="bmc").verdict != "TRUE"
