"""Reads of what was never written: programs that do one in their only execution, and the same programs repaired."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.checks.registry import CHECKS, MEMORY
from drystone.claims.certificates import InductiveCertificate, KInductiveCertificate
from drystone.counterexamples.native.memcheck import valgrind
from drystone.engines import induction
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir import names
from drystone.ir.conventions import NONE
from drystone.ir.text import program_text
from drystone.memory.arrays import Arrays
from drystone.pipeline import PreparedProgram
from tests.certificates.mutations import mutants
from tests.certificates.test_mutants import places
from tests.checks.memory_programs import Pair
from tests.checks.test_memory import found, program, written
from tests.inside import decided
from tests.running import report

CHECK = ("uninitialised",)


def _pair(name: str, wrong: str, right: str, before: str = "") -> Pair:
    return Pair(name, CHECK[0], wrong, right, before, sanitizer=False)


PAIRS = (
    _pair("scalar", "int x; sink = x;", "int x; x = 1; sink = x;"),
    _pair("one way", "int x; if (sink) x = 1; sink = x;", "int x; if (!sink) x = 1; sink = x;"),
    _pair("operand", "int x, y = 1; sink = y + x;", "int x = 2, y = 1; sink = y + x;"),
    _pair("condition", "int x; if (x) sink = 1;", "int x = 0; if (x) sink = 1;"),
    _pair("behind and", "int x; sink = !sink && x;", "int x; sink = sink && x;"),
    _pair("arm of a choice", "int x; sink = sink ? 1 : x;", "int x; sink = sink ? x : 1;"),
    _pair("argument", "int x; use(x);", "int x = 1; use(x);", "void use(int n) { sink = n; }"),
    _pair("itself", "int x = x; sink = x;", "int x = 0; sink = x;"),
    _pair("step", "int x; x++;", "int x = 1; x++;"),
    _pair("compound", "int x; x += 2;", "int x; x = 0; x += 2;"),
    _pair("boolean", "_Bool b; if (b) sink = 1;", "_Bool b = sink; if (b) sink = 1;"),
    _pair("double", "double d; sink = d > 1;", "double d = 1; sink = d > 1;"),
    _pair("long double", "long double d, *p = &d; sink = *p > 1;", "long double d, *p = &d; d = 2; sink = *p > 1;"),
    _pair("pointer", "int *p; sink = p == 0;", "int *p = 0; sink = p == 0;"),
    _pair(
        "round of a loop",
        "for (int i = 0; i < 2; i++) { int x; if (!i) x = 1; sink = x; }",
        "for (int i = 0; i < 2; i++) { int x; x = 1; sink = x; }",
    ),
    _pair(
        "round of a loop in memory",
        "for (int i = 0; i < 2; i++) { int a[2]; if (!i) a[1] = 1; sink = a[1]; }",
        "for (int i = 0; i < 2; i++) { int a[2]; a[1] = 1; sink = a[1]; }",
    ),
    _pair(
        "jump back",
        "int i = 0; again:; int x; if (!i) x = 1; sink = x; if (i++ < 1) goto again;",
        "int i = 0; again:; int x; x = 1; sink = x; if (i++ < 1) goto again;",
    ),
    _pair("jump past the declaration", "goto on; { int x = 1; on: sink = x; }", "goto on; { int x = 1; on: x = 2; sink = x; }"),
    _pair(
        "no case",
        "int x; switch (sink) { case 1: x = 1; break; case 2: x = 2; } sink = x;",
        "int x; switch (sink) { case 1: x = 1; break; default: x = 2; } sink = x;",
    ),
    _pair("element", "int a[4]; a[1] = 1; sink = a[2];", "int a[4]; a[1] = 1; sink = a[1];"),
    _pair(
        "loop that ends early",
        "int a[4]; for (int i = 0; i < 3; i++) a[i] = i; sink = a[3 - sink];",
        "int a[4]; for (int i = 0; i < 4; i++) a[i] = i; sink = a[3 - sink];",
    ),
    _pair("row", "int m[2][3]; m[0][2] = 1; sink = m[1][2 - sink];", "int m[2][3]; m[1][2] = 1; sink = m[1][2 - sink];"),
    _pair("member", "struct pair p; p.a = 1; sink = p.b;", "struct pair p; p.b = 1; sink = p.b;", "struct pair { int a, b; };"),
    _pair(
        "copy of a structure",
        "struct pair p, q; p.a = 1; q = p; sink = q.b;",
        "struct pair p, q; p.a = 1; q = p; sink = q.a;",
        "struct pair { int a, b; };",
    ),
    _pair(
        "structure as an argument",
        "struct pair p; p.a = 1; use(p);",
        "struct pair p; p.b = 1; use(p);",
        "struct pair { int a, b; }; void use(struct pair p) { sink = p.b; }",
    ),
    _pair(
        "structure as a result",
        "sink = make().b;",
        "sink = make().a;",
        "struct pair { int a, b; }; struct pair make(void) { struct pair p; p.a = 1; return p; }",
    ),
    _pair(
        "bit-field",
        "struct bits b; b.x = 1; sink = b.y;",
        "struct bits b; b.x = 1; b.y = 2; sink = b.x + b.y;",
        "struct bits { unsigned x : 3, y : 5; };",
    ),
    _pair("union", "union u v; v.c = 1; sink = v.n;", "union u v; v.n = 1; sink = v.c;", "union u { char c; int n; };"),
    _pair(
        "partial initialiser",
        "struct pair p; p.a = 1; sink = p.b;",
        "struct pair p = { 1 }; sink = p.b;",
        "struct pair { int a, b; };",
    ),
    _pair("through a pointer", "int x, *p = &x; sink = *p;", "int x, *p = &x; *p = 1; sink = x;"),
    _pair(
        "written by a function",
        "int x; set(&x, sink); sink = x;",
        "int x; set(&x, 1); sink = x;",
        "void set(int *p, int n) { if (n) *p = n; }",
    ),
    _pair("one of two", "int x, y; *(sink ? &x : &y) = 1; sink = x;", "int x, y; *(sink ? &x : &y) = 1; sink = y;"),
    _pair("malloc", "int *p = malloc(8); p[0] = 1; sink = p[1]; free(p);", "int *p = malloc(8); p[1] = 1; sink = p[1]; free(p);"),
    _pair(
        "malloc of a size that is not known",
        "int *p = malloc(8 + sink); p[0] = 1; sink = p[1]; free(p);",
        "int *p = malloc(8 + sink); p[1] = 1; sink = p[1]; free(p);",
    ),
    _pair("calloc", "int *p = malloc(8); sink = p[1]; free(p);", "int *p = calloc(2, 4); sink = p[1]; free(p);"),
    _pair(
        "calloc of a size that is not known",
        "int *p = malloc(8); sink = p[1]; free(p);",
        "int *p = calloc(2 + sink, 4); sink = p[1]; free(p);",
    ),
    _pair("alloca", "int *p = __builtin_alloca(8); sink = *p;", "int *p = __builtin_alloca(8); *p = 1; sink = *p;"),
    _pair(
        "array of variable length",
        "int n = sink + 3, a[n]; a[0] = 1; sink = a[2];",
        "int n = sink + 3, a[n]; a[2] = 1; sink = a[2];",
    ),
    _pair(
        "realloc",
        "int *p = malloc(8); p[0] = p[1] = 1; p = realloc(p, 16); sink = p[2]; free(p);",
        "int *p = malloc(8); p[0] = p[1] = 1; p = realloc(p, 16); sink = p[1]; free(p);",
    ),
    _pair(
        "realloc of what was not written",
        "int *p = malloc(8); p[0] = 1; p = realloc(p, 16 + sink); sink = p[1]; free(p);",
        "int *p = malloc(8); p[0] = 1; p = realloc(p, 16 + sink); sink = p[0]; free(p);",
    ),
    _pair("memset", "int a[4]; memset(a, 0, 8); sink = a[2];", "int a[4]; memset(a, 0, 12); sink = a[2];"),
    _pair(
        "memcpy",
        "int a[2], b[2]; a[0] = 1; memcpy(b, a, 8); sink = b[1];",
        "int a[2], b[2]; a[0] = 1; memcpy(b, a, 8); sink = b[0];",
    ),
    _pair(
        "memcpy of a size that is not known",
        "int a[2], b[2]; a[0] = 1; memcpy(b, a, 8 + sink); sink = b[1];",
        "int a[2], b[2]; a[0] = 1; memcpy(b, a, 8 + sink); sink = b[0];",
    ),
    _pair(
        "bytes that are copied",
        "int x, y; unsigned char *p = (void *)&x, *q = (void *)&y; for (int i = 0; i < 4; i++) q[i] = p[i]; sink = y;",
        "int x, y; unsigned char *p = (void *)&x, *q = (void *)&y; for (int i = 0; i < 4; i++) q[i] = p[i]; sink = 1;",
    ),
    _pair("some of the bytes", "int x; *(char *)&x = 1; sink = x;", "int x; *(char *)&x = 1; sink = *(char *)&x;"),
    _pair("string", "char s[4]; s[0] = 'a'; sink = strlen(s);", "char s[4]; s[0] = 'a'; s[1] = 0; sink = strlen(s);"),
    _pair(
        "copied string",
        "char s[4], t[4]; s[0] = 'a'; strcpy(t, s);",
        "char s[4], t[4]; s[0] = 'a'; s[1] = 0; strcpy(t, s); sink = t[1];",
    ),
    _pair(
        "node of a list",
        "struct node *n = malloc(sizeof *n); n->value = 1; while (n) { struct node *next = n->next; free(n); n = next; }",
        "struct node *n = malloc(sizeof *n); n->value = 1; n->next = 0; while (n) { struct node *next = n->next; free(n); n = next; }",
        "struct node { struct node *next; int value; };",
    ),
    _pair(
        "again on the stack",
        "put(); sink = get();",
        "put(); sink = 1;",
        "void put(void) { int x = 3, *p = &x; sink = *p; } int get(void) { int x, *p = &x; return *p; }",
    ),
    _pair("static", "int x; sink = x;", "static int x, a[3]; int *p = a; sink = x + p[2] + g.b;", "struct { int a, b; } g;"),
    _pair(
        "variable arguments",
        "sink = sum(2, 1);",
        "sink = sum(2, 1, 2);",
        "#include <stdarg.h>\nint sum(int n, ...) { va_list l; int s = 0; va_start(l, n); while (n--) s += va_arg(l, int); va_end(l); return s; }",
    ),
    _pair(
        "compound literal",
        "struct pair p = *(struct pair *)malloc(8); sink = p.b;",
        "struct pair p = (struct pair){ 1 }; sink = p.b;",
        "struct pair { int a, b; };",
    ),
    _pair("complex", "_Complex double z; sink = __real__ z > 0;", "_Complex double z = 1; sink = __real__ z > 0;"),
)
NAMED = [pytest.param(pair, id=pair.name) for pair in PAIRS]
OTHERS = tuple(name for name in CHECKS if name not in (*CHECK, "conversion"))


@pytest.mark.parametrize("pair", NAMED)
def test_executions(tmp_path: Path, pair: Pair) -> None:
    assert found(program(tmp_path, pair.text(pair.wrong), CHECK)) == pair.check
    assert found(program(tmp_path, pair.text(pair.right), CHECK)) is None


@pytest.mark.parametrize("pair", NAMED[::9])
def test_ILP32(tmp_path: Path, pair: Pair) -> None:
    assert found(program(tmp_path, pair.text(pair.wrong), CHECK, data_model="ILP32")) == pair.check
    assert found(program(tmp_path, pair.text(pair.right), CHECK, data_model="ILP32")) is None


@pytest.mark.parametrize("pair", NAMED[1::7])
def test_no_other_check_finds_it(tmp_path: Path, pair: Pair) -> None:
    assert found(program(tmp_path, pair.text(pair.wrong), OTHERS)) is None
    assert found(program(tmp_path, pair.text(pair.wrong), (*OTHERS, *CHECK))) == pair.check


@pytest.mark.parametrize("pair", NAMED[::6])
def test_proofs_and_counterexamples(tmp_path: Path, pair: Pair) -> None:
    assert decided(written(tmp_path, pair.text(pair.wrong)), check=CHECK).verdict == "FALSE"
    right = decided(written(tmp_path, pair.text(pair.right)), check=CHECK)
    assert right.verdict == "TRUE", right.reason


INPUT = "extern unsigned __VERIFIER_nondet_uint(void);\n"
FLAG = (
    "int main(void) { int x, has = 0; for (;;) { unsigned c = __VERIFIER_nondet_uint(); if (c == 1) x = 5, has = 1;"
    " else if (c == 2) { if (has) c = x; } else if (c == 3) break; } return 0; }"
)
ARRAY = (
    "int main(void) { unsigned n = __VERIFIER_nondet_uint(); int a[50], s = 0; if (n > 50) return 0;"
    " for (unsigned i = 0; i < n; i++) a[i] = 1; for (unsigned i = 0; i < n; i++) s += a[i]; return s; }"
)


def test_proof_for_all_inputs(tmp_path: Path) -> None:
    proved = decided(written(tmp_path, INPUT + FLAG), engine="k-induction", check=CHECK)
    assert proved.verdict == "TRUE", proved.reason


@pytest.mark.parametrize("text", [FLAG.replace("if (has) ", ""), ARRAY.replace("i = 0; i < n; i++) a", "i = 1; i < n; i++) a")])
def test_counterexample_for_some_inputs(tmp_path: Path, text: str) -> None:
    assert decided(written(tmp_path, INPUT + text), check=CHECK).verdict == "FALSE"


def test_one_element_of_a_shadow_is_looked_at(tmp_path: Path) -> None:
    prepared = PreparedProgram(program(tmp_path, INPUT + ARRAY, CHECK))
    flat = prepared.flat(recursion_bound=1, max_edges=1000, sliced=False).program
    assert {"a", names.shadow("a")} <= Arrays(flat).shapes.keys()


def test_no_certificate_of_an_unsafe_program_is_accepted(tmp_path: Path) -> None:
    """Neither that of the program as it was before, nor one that was changed."""
    options = FrontendOptions(errors=NONE, checks=CHECK)
    safe, unsafe = tmp_path / "safe.c", tmp_path / "unsafe.c"
    safe.write_text(INPUT + FLAG)
    unsafe.write_text(INPUT + FLAG.replace("if (has) ", ""))
    prepared = PreparedProgram(load([str(safe)], options).program)
    claimed = induction.check(prepared, induction.InductionOptions(max_k=4), Deadline.after(60), unobserved).certificate
    assert isinstance(claimed, InductiveCertificate | KInductiveCertificate)
    assert check([str(safe)], options, claimed, Deadline.after(60)).valid
    facts = places(load([str(unsafe)], options).program, claimed.recursion)
    for each in [claimed, *(mutant.certificate for mutant in mutants(claimed, facts, Random(1), 8))]:
        assert not check([str(unsafe)], options, each, Deadline.after(60)).valid, each


HARMLESS = {
    "nothing is read": "int main(void) { int x, a[2]; (void)x; x; int *p = &x; p = a + 1; return sizeof x + !p; }",
    "padding": "struct p { char c; int n; } g; int main(void) { struct p p, q; p.c = 1; p.n = 2; q = p; g = q; return g.n; }",
    "the rest of a union": "union u { char c; int n; }; int main(void) { union u u = { 1 }; return u.n; }",
    "a character that is only copied": "int main(void) { char a, b, s[2], *p = s; b = a; a = p[1]; p[0] = a; return 0; }",
    "arguments of main": "int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'a'; }",
    "a function without a body": "void f(int *); int main(void) { int x; f(&x); return x; }",
    "a structure from a function without a body": "struct p { int a, b; } f(void); int main(void) { struct p p = f(); return p.b; }",
    "static": "static int a[3]; int main(void) { static int s; int *p = s ? a : &s; return *p + a[2]; }",
    "atomic": "#include <stdatomic.h>\nint main(void) { _Atomic int x = 1; x += 2; return atomic_load(&x); }",
    "vector": "typedef int v __attribute__((vector_size(16))); int main(void) { v a = { 1, 2, 3, 4 }, b = a + a; return b[2]; }",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(tmp_path: Path, name: str) -> None:
    result = decided(written(tmp_path, HARMLESS[name]), check=CHECK, external="havoc")
    assert result.verdict != "FALSE", result.reason
    if name not in ("vector", "atomic"):
        assert result.verdict == "TRUE", result.reason


UNKNOWN = {
    "a copy to a static object": "struct p { int a, b; } g; int main(void) { struct p p; p.a = 1; g = p; return g.b; }",
    "a character for a static object": "char g; int main(void) { char s[2], *p = s, *q = &g; *q = p[1]; return g; }",
    "a function from outside": "extern void (*f)(int *); int main(void) { int x; f(&x); return x; }",
    "a function that may write": "void f(int *); int main(void) { int x; f(&x); return x; }",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_followed(tmp_path: Path, name: str) -> None:
    assert decided(written(tmp_path, UNKNOWN[name]), check=CHECK, external="pure").verdict == "UNKNOWN"


def test_words(tmp_path: Path) -> None:
    text = "struct p { int a, b; };\nint main(void) {\n  struct p p[2];\n  p[0].a = 1;\n  return p[0].b;\n}\n"
    wrong = report(written(tmp_path, text), "--check", *CHECK)
    (error,) = wrong["errors"]
    assert (error["what"], error["line"], error["kind"]) == ("read of p[0].b, which has no value yet", 5, "uninitialised")
    told = wrong["evidence"]["counterexample"]
    assert "shadow" not in str([told["values"], *(step["changes"] for step in told["steps"])])
    flag = report(written(tmp_path, "int main(void) { int x, y = 1; if (y) y = 2; return x; }"), "--check", *CHECK)
    assert flag["errors"][0]["what"] == "read of x, which has no value yet"
    assert "shadow" not in str(flag["evidence"]["counterexample"]["values"])


def test_without_the_check_nothing_is_added(tmp_path: Path) -> None:
    pair = PAIRS[-1]
    plain = program(tmp_path, pair.text(pair.wrong), tuple(name for name in MEMORY if name not in CHECK))
    assert "shadow" not in program_text(plain)


def test_the_compiled_program_shows_it(tmp_path: Path) -> None:
    if valgrind() is None:
        pytest.skip("valgrind is not installed")
    pair = next(each for each in PAIRS if each.name == "malloc")
    result = report(written(tmp_path, pair.text(pair.wrong)), "--check", *CHECK, "--replay", "native")
    assert result["evidence"]["counterexample"]["native"]["reproduced"]
