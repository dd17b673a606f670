"""A program in which nothing that is chosen decides anything is proved by its only execution; nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.claims.certificates import SingleExecution
from drystone.claims.verdicts import Verdict
from drystone.concrete.determinism import Following
from drystone.concrete.interpreter import ZeroInputs, interpret
from drystone.concrete.origins import NotSettled
from drystone.engines import execute
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from tests.gcc.generate import generate_from

HEAD = "extern void reach_error(void); extern int outside(void);\n"
FIBONACCI = "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
DETERMINED = {
    "recursion": FIBONACCI + "int main(void) { if (fib(15) != 610) reach_error(); return 0; }",
    "an array": "int a[9]; int main(void) { for (int i = 0; i < 9; i++) a[i] = i; if (a[8] != 8) reach_error(); return 0; }",
    "a local that is written before it is read": "int main(void) { int x, *p = &x; *p = 3; if (x != 3) reach_error(); return 0; }",
    "what is not looked at": "int g = 3, h; int main(void) { int x, y; y = x + 1; h = y; if (g != 3) reach_error(); return 0; }",
    "arguments": "int g = 3; int main(int argc, char **argv) { if (g != 3) reach_error(); return argc; }",
    "a list": "struct n { struct n *next; int v; } a, b = {&a, 2}; int main(void) { int s = 0; for (struct n *p = &b; p; p = p->next) s += p->v; if (s != 2) reach_error(); return 0; }",
    "the heap": "void *malloc(unsigned long); int main(void) { int *p = malloc(8); if (!p) return 0; p[1] = 4; if (p[1] != 4 || p + 1 <= p || &p[1] - p != 1) reach_error(); return 0; }",
    "a pointer in a structure that is copied": "struct s { int *p, i; } t; int main(void) { int x = 1; struct s a = {&x, 7}; t = a; *t.p = 5; if (x != 5 || t.i != 7) reach_error(); return 0; }",
    "a function that is passed": "int f(int x) { return x + 1; } int g(int (*h)(int)) { return h(1); } int main(void) { if (g(f) != 2) reach_error(); return 0; }",
    "different objects": "int a, b; int main(void) { int *p = &a, *q = &b; if (p == q || p == 0) reach_error(); return 0; }",
    "the length of a text": 'int printf(const char *, ...); int main(void) { int x = 12; char *t = "abc"; if (printf("%d %s", x, t) != 6) reach_error(); return 0; }',
    "a text that is written": 'int sprintf(char *, const char *, ...); int main(void) { char b[9]; int x = 12; sprintf(b, "%d", x); if (b[0] != 49 || b[1] != 50 || b[2]) reach_error(); return 0; }',
    "a list that is freed": "void *malloc(unsigned long); void free(void *); struct n { struct n *next; int v; }; int main(void) { struct n *l = 0; int s = 0; for (int i = 0; i < 9; i++) { struct n *x = malloc(16); if (!x) return 0; x->next = l; x->v = i; l = x; } while (l) { struct n *x = l; l = x->next; s += x->v; free(x); } if (s != 36) reach_error(); return 0; }",
    "an address that is overwritten": "int a, b, *p = &a; int main(void) { int **q = &p; *q = &b; *p = 3; *q = 0; if (b != 3 || a || p) reach_error(); return 0; }",
    "the end of the program": "extern void exit(int); int g; int main(void) { if (g == 0) exit(0); reach_error(); return 0; }",
}
OTHERS = {
    "an error": FIBONACCI + "int main(void) { if (fib(15) == 610) reach_error(); return 0; }",
    "an input": "int main(void) { if (outside() == 7) reach_error(); return 0; }",
    "no value yet": "int main(void) { int x; if (x == 7) reach_error(); return 0; }",
    "the order of addresses": "int a, b; int main(void) { if ((unsigned long)&a > (unsigned long)&b) reach_error(); return 0; }",
    "a number that is an address": "int a; long k = (long)&a; int main(void) { if (k % 512 == 0) reach_error(); return 0; }",
    "an address as an argument": "int a; int f(long k) { return k % 512 == 0; } int main(void) { if (f((long)&a)) reach_error(); return 0; }",
    "outside of an array": "int a[9], i = 9; int main(void) { if (a[i] == 7) reach_error(); return 0; }",
    "an uninitialised local behind a pointer": "int main(void) { int x, *p = &x; if (*p == 7) reach_error(); return 0; }",
    "the heap before it is written": "void *malloc(unsigned long); int main(void) { int *p = malloc(8); if (p && p[1] == 7) reach_error(); return 0; }",
    "an element of which the index is chosen": "int a[2] = {0, 7}; int main(void) { int i; if (a[i & 1] == 7) reach_error(); return 0; }",
    "what is chosen goes through memory": "int a[2]; int main(void) { int x; a[0] = x; a[1] = a[0]; if (a[1] == 7) reach_error(); return 0; }",
    "a byte of what is chosen": "int main(void) { int x; char *p = (char *)&x; p[0] = 1; if (x == 1) reach_error(); return 0; }",
    "through a result": "int f(int x) { return x; } int main(void) { int x; if (f(x) == 7) reach_error(); return 0; }",
    "through a parameter": "int g; void f(int x) { if (x == 7) reach_error(); } int main(void) { int x; f(x); return 0; }",
    "through a global": "int g; int main(void) { int x; g = x; if (g == 7) reach_error(); return 0; }",
    "which arm": "int main(void) { int x, y = x ? 7 : 3; if (y == 7) reach_error(); return 0; }",
    "which side": "int main(void) { int x, y = x == 5 && sizeof x; if (y) reach_error(); return 0; }",
    "the size of an allocation": "void *malloc(unsigned long); int main(void) { unsigned long n; char *p = malloc(n); if (!p) reach_error(); return 0; }",
    "which function": "int f(void) { return 0; } int g(void) { reach_error(); return 0; } int main(void) { int x; int (*h)(void) = x ? g : f; return h(); }",
    "an address that may begin anew": "int g; int main(void) { unsigned long u = (unsigned long)&g; if (u + 0xffffb00000000000 < u) reach_error(); return 0; }",
    "an address that may begin anew, or be the last": "int g; int main(void) { unsigned long u = (unsigned long)&g; if (!(u <= u + (1UL << 63))) reach_error(); return 0; }",
    "an address that may be the end": "void *malloc(unsigned long); int main(void) { unsigned long u = (unsigned long)malloc(8); if (u != 0 && u + 0x8000000000000000 > u) return 0; if (u) reach_error(); return 0; }",
    "what is far from an object and NULL": "int g; int main(void) { unsigned long u = (unsigned long)&g; if (u - 0x8050000 == 0) reach_error(); return 0; }",
    "what is not NULL": "int g; int main(void) { unsigned long u = (unsigned long)&g; u -= 0x7050000; if (u == 0) reach_error(); return 0; }",
    "a distance of objects": "int a, b; int main(void) { if (&b - &a == 16) reach_error(); return 0; }",
    "the end of one object and another": "int a[4], b[4]; int main(void) { if (a + 4 == b) reach_error(); return 0; }",
    "bits of an address": "int main(void) { int x; if (((unsigned long)&x & 64) == 0) reach_error(); return 0; }",
    "a byte of an address": "int x; int main(void) { int *p = &x; if (((unsigned char *)&p)[0] == 0) reach_error(); return 0; }",
    "halves of two addresses": "int a, b, *p = &a, *q = &b, *r; int main(void) { __builtin_memcpy(&r, &p, 4); __builtin_memcpy((char *)&r + 4, (char *)&q + 4, 4); if (r == &a) reach_error(); return 0; }",
    "an address of which a part is overwritten": "int a[99], *p = a; int main(void) { *(char *)&p = 0; if (p == a) reach_error(); return 0; }",
    "what was freed and allocated again": "void *malloc(unsigned long); void free(void *); int main(void) { int *p = malloc(4); if (!p) return 0; *p = 7; free(p); p = malloc(4); if (p && *p == 7) reach_error(); return 0; }",
    "a number that is chosen is converted": "int main(void) { double d; if ((int)d == 7) reach_error(); return 0; }",
    "an assumption that fails": "void __VERIFIER_assume(int); int main(void) { int x; __VERIFIER_assume(x == 7); reach_error(); return 0; }",
    "what an object holds after its function ended": "int *f(void) { int x; return &x; } int main(void) { int *p = f(); if (*p == 7) reach_error(); return 0; }",
    "an object that is declared again": "int main(void) { for (int i = 0; i < 2; i++) { int x, *p = &x; if (i && *p == 7) reach_error(); *p = 7; } return 0; }",
    "a copy of padding": "struct s { char c; int i; }; int main(void) { struct s a, b; a.c = 1; a.i = 2; b = a; if (((char *)&b)[1] == 7) reach_error(); return 0; }",
    "an extern object": "extern int e[4]; int main(void) { if (e[2] == 7) reach_error(); return 0; }",
    "an argument": "int main(int argc, char **argv) { if (argc == 7) reach_error(); return 0; }",
    "a text that is chosen": 'int printf(const char *, ...); int main(void) { int x; if (printf("%d", x) == 3) reach_error(); return 0; }',
    "a text in memory that is chosen": 'int printf(const char *, ...); int main(void) { char b[4]; b[3] = 0; if (printf("%s", b) == 3) reach_error(); return 0; }',
    "the text of an address": 'int printf(const char *, ...); int main(void) { int x; if (printf("%p", (void *)&x) == 8) reach_error(); return 0; }',
    "no end": "int main(void) { for (;;) ; reach_error(); }",
}


def executed(folder: Path, text: str) -> tuple[list[str], EngineResult]:
    path = folder / "program.c"
    path.write_text(HEAD + text + "\n")
    files = [str(path)]
    options = execute.Options(runs=100, steps=(1_000, 100_000))
    return files, execute.check(load(files, FrontendOptions()).program, options, Deadline.after(20), unobserved)


@pytest.mark.parametrize("name", DETERMINED)
def test_the_only_execution(name: str, tmp_path: Path) -> None:
    files, result = executed(tmp_path, DETERMINED[name])
    assert result.verdict is Verdict.TRUE and isinstance(result.certificate, SingleExecution)
    assert all(each.verdict is Verdict.TRUE for each in result.errors)
    assert check(files, FrontendOptions(), result.certificate, Deadline.after(20)).valid
    fewer = SingleExecution(result.certificate.steps - 2)
    assert not check(files, FrontendOptions(), fewer, Deadline.after(20)).valid


@pytest.mark.parametrize("name", OTHERS)
def test_there_may_be_others(name: str, tmp_path: Path) -> None:
    files, result = executed(tmp_path, OTHERS[name])
    assert result.verdict is not Verdict.TRUE
    assert not check(files, FrontendOptions(), SingleExecution(100_000), Deadline.after(20)).valid


def test_an_error_at_the_end_of_a_long_run_is_run_to(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(
        HEAD + "int main(void) { int s = 0; for (int i = 0; i < 30000; i++) s += i; if (s) reach_error(); return 0; }\n"
    )
    options = execute.Options(steps=(1_000,), follow_seconds=20.0)
    result = execute.check(load([str(path)], FrontendOptions()).program, options, Deadline.after(20), unobserved)
    assert result.verdict is Verdict.FALSE and result.counters["runs"] == 2


@pytest.mark.parametrize("error", ["a[5] != b[7]", "a[5] == b[7]"], ids=["other contents", "zeros"])
def test_a_long_run_that_reads_only_memory_is_repeated_at_length(error: str, tmp_path: Path) -> None:
    """It is not the only one, but what there is to choose are the contents of memory."""
    path = tmp_path / "program.c"
    text = (
        f"int main(void) {{ int a[9], b[9]; for (int i = 0; i < 30000; i++) a[i % 9] = a[i % 9]; if ({error}) reach_error(); }}\n"
    )
    path.write_text(HEAD + text)
    options = execute.Options(runs=1, steps=(1_000,), follow_seconds=20.0)
    result = execute.check(load([str(path)], FrontendOptions()).program, options, Deadline.after(20), unobserved)
    assert result.verdict is Verdict.FALSE


def followed(program: Program, by_edge: bool) -> tuple[object, ...]:
    """How following ends, and all that it knows then."""
    following = Following(program, by_edge)
    try:
        ended = following.run(200_000, lambda: False)
        if ended.kind == "limit":
            return (f"{ended.kind} {ended.what}",)  # generated code goes on to the end of its segment
        end = f"{ended.kind} {ended.what}"
    except NotSettled as choice:
        end = f"{choice} {program.where(choice.edge.origin) if choice.edge is not None else ''}"
    machine = following.machine
    memory = machine.memory
    contents = [list(zip(memory.heap_bases, memory.heap_blocks, strict=True)), memory.stack_bases, memory.stack_blocks]
    variables, bytes_ = following.variables, following.bytes
    origins = variables.locals, variables.globals, {base: marks for base, marks in bytes_.marks.items() if any(marks)}
    return end, following.steps, machine.locals, machine.globals, machine.static_blocks, contents, *origins, bytes_.words


@pytest.mark.parametrize("name", [*DETERMINED, *OTHERS])
def test_generated_code_follows_as_edge_by_edge(name: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + (DETERMINED | OTHERS)[name] + "\n")
    program = load([str(path)], FrontendOptions()).program
    assert followed(program, by_edge=False) == followed(program, by_edge=True)


@pytest.mark.parametrize("data_model", ["ILP32", "LP64"])
@pytest.mark.parametrize("seed", range(12))
def test_generated_programs_are_followed_as_edge_by_edge(seed: int, data_model: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(generate_from(7_000 + seed))
    program = load([str(path)], FrontendOptions(data_model=data_model)).program
    quick = followed(program, by_edge=False)
    assert quick == followed(program, by_edge=True)
    if str(quick[0]).startswith("returned"):  # the run is the interpreter's
        outcome = interpret(program, ZeroInputs())
        assert [bytes(block) for block in outcome.objects.values()] == [bytes(block) for block in quick[4][1:]]  # type: ignore[index]
        assert list(outcome.globals.values()) == [int(value) for value in quick[3]]  # type: ignore[attr-defined]
