"""Data races: a program for each of the ways in which two accesses race, or do not, and what must be said of it.

ThreadSanitizer watches the compiled program: where it reports a race, there is one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.certificates.file import claimed_options, read_certificate
from drystone.cli.exits import Exit
from tests.gcc.compiler import missing_sanitizers
from tests.inside import decided
from tests.places import ROOT
from tests.running import report, verify
from tests.threads.test_traps import BOTH, HEAD, JOIN, START, two

BOTH_JOIN = f"{JOIN} pthread_join(u, 0);"
LOCK, UNLOCK = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"
LOCKED = f"{LOCK} x++; {UNLOCK}"
SECOND = "pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;"
OTHER = "void *g(void *p) { %s return 0; }"
CREATE = "pthread_create(&{}, 0, {}, {});"

RACES: dict[str, str] = {
    "two writes": two("x = 1;", f"{START} x = 2; {JOIN}"),
    "a read and a write": two("y = x;", f"{START} x = 2; {JOIN}"),
    "a lock that one of them does not take": two(LOCKED, f"{START} x = 2; {JOIN}"),
    "two different locks": two(LOCKED, f"{START} pthread_mutex_lock(&n); x++; pthread_mutex_unlock(&n); {JOIN}", before=SECOND),
    "a lock that is given back too early": two(f"{LOCK} int r = x; {UNLOCK} x = r + 1;", f"{BOTH} {BOTH_JOIN}"),
    "two instances of one function": two("x = 1;", f"{BOTH} {BOTH_JOIN}"),
    "an atomic access and one that is not": two("__atomic_store_n(&x, 1, __ATOMIC_SEQ_CST);", f"{START} x = 2; {JOIN}"),
    "an expected value that others write": two(
        "y = 1;", f"{START} __atomic_compare_exchange_n(&x, &y, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); {JOIN}"
    ),
    "an expected value that is told": two(
        "int r = y;",
        f"{START} atomic_int w = 1; atomic_compare_exchange_strong(&w, &y, 2); {JOIN}",
        before="#include <stdatomic.h>",
    ),
    "an atomic section and a plain read": two(
        "__VERIFIER_atomic_begin(); x = 1; __VERIFIER_atomic_end();", f"{START} y = x; {JOIN}"
    ),
    "an access before the end is waited for": two("x = 1;", f"{START} y = x; {JOIN} y = x;"),
    "an access of a thread that nobody waits for": two("x = 1;", f"{START} {JOIN} {START} y = x;"),
    "a write of what is there already": two("x = 0;", f"{START} y = x; {JOIN}"),
    "a race under one schedule only": two(
        f"{LOCK} if (y == 1) z = 1; {UNLOCK} if (z == 1) x = 1;", f"{START} {LOCK} y = 1; {UNLOCK} x = 2; {JOIN}"
    ),
    "a race although an assertion fails elsewhere": two("reach_error(); x = 1;", f"{START} x = 2;", before="int q;").replace(
        "reach_error(); x", "if (q == 1) reach_error(); x"
    ),
    "a race before an assertion fails": two("x = 1; reach_error();", f"{START} x = 2; reach_error();"),
    "a local variable that is handed over": two("*(int *)p = 1;", f"int r = 0; {CREATE.format('t', 'f', '&r')} r = 2; {JOIN}"),
    "an element that both threads take": two(
        "a[(long)p] = 1;",
        f"{CREATE.format('t', 'f', '(void *)1')} {CREATE.format('u', 'f', '(void *)1')} {BOTH_JOIN}",
        before="int a[3];",
    ),
    "a byte of an integer": two("x = 1;", f"{START} *((char *)&x + 2) = 1; {JOIN}"),
    "bit-fields in one byte": two("s.a = 1;", f"{START} s.b = 1; {JOIN}", before="struct { unsigned a : 3, b : 4; } s;"),
    "a structure and its member": two("s.b = 1;", f"{START} r = s; {JOIN}", before="struct s { int a, b; } s, r;"),
    "memset": two("a[3] = 1;", f"{START} memset(a, 0, 4); {JOIN}", before="#include <string.h>\nchar a[4];"),
    "memcpy": two("a[3] = 1;", f"{START} memcpy(b, a, 4); {JOIN}", before="#include <string.h>\nchar a[4], b[4];"),
    "a function of the library": two("a[0] = 1;", f"{START} y = strlen(a); {JOIN}", before="#include <string.h>\nchar a[4];"),
    "the end of an allocation": two(
        "*p0 = 1;", f"p0 = malloc(4); if (!p0) return 0; {START} free(p0); {JOIN}", before="int *p0;"
    ),
    "a volatile variable is not atomic": two("v = 1;", f"{START} v = 2; {JOIN}", before="volatile int v;"),
    "a flag that is waited for": two("x = 1; y = 1;", f"{START} while (y == 0) ; z = x; {JOIN}"),
    "a double-checked lock": two(f"if (y == 0) {{ {LOCK} if (y == 0) {{ x = 1; y = 1; }} {UNLOCK} }}", f"{BOTH} {BOTH_JOIN}"),
    "a condition variable without its lock": two(
        "y = 1; pthread_cond_signal(&c);", f"{START} {LOCK} while (y == 0) pthread_cond_wait(&c, &m); {UNLOCK} {JOIN}"
    ),
    "a local variable behind a loop without effect": two(
        "int i = 0; while (i < 3) i++; x = 1;", f"{START} int j = 0; while (j < 2) j++; x = 2; {JOIN}"
    ),
    "an atomic object that is initialised too late": two(
        "atomic_store(&w, 1);", f"{START} atomic_init(&w, 0); {JOIN}", before="#include <stdatomic.h>\natomic_int w;"
    ),
    "the body of reach_error": two("reach_error();", f"{START} x = 2; {JOIN}").replace(
        "extern void reach_error(void);", "int x; void reach_error(void) { x = 1; }"
    ),
}

RACE_FREE: dict[str, str] = {
    "the same lock": two(LOCKED, f"{BOTH} {LOCKED} {BOTH_JOIN}"),
    "reads of both": two("y = x;", f"{START} z = x; {JOIN}"),
    "an access before the creation": two("x = 1;", f"x = 2; {START} {JOIN}"),
    "an access after the end was waited for": two("x = 1;", f"{START} {JOIN} x = 2;"),
    "one thread after the other": two("x = 1;", f"{START} {JOIN} {START} {JOIN}"),
    "different variables": two("x = 1;", f"{START} y = 2; {JOIN}"),
    "neighbours in a structure": two("s.a = 1;", f"{START} s.b = 1; {JOIN}", before="struct { char a, b; } s;"),
    "a bit-field and a member that is none": two(
        "s.a = 1;", f"{START} s.b = 1; {JOIN}", before="struct { unsigned a : 3; char b; } s;"
    ),
    "elements by the number of the thread": two(
        "a[(long)p] = 1;",
        f"{CREATE.format('t', 'f', '(void *)1')} {CREATE.format('u', 'f', '(void *)2')} {BOTH_JOIN}",
        before="int a[3];",
    ),
    "atomic built-in functions": two(
        "__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);", f"{START} __sync_fetch_and_add(&x, 1); {JOIN}"
    ),
    "expected values of each thread": two(
        "int r = 0; __atomic_compare_exchange_n(&x, &r, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);",
        f"int r = 0; {START} __atomic_compare_exchange_n(&x, &r, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); {JOIN}",
    ),
    "atomic objects": two("w = 1; w++;", f"{START} int r = w; w = r + 2; {JOIN}", before="_Atomic int w;"),
    "an atomic flag that hands over": two("x = 1; w = 1;", f"{START} if (w == 1) y = x; {JOIN}", before="_Atomic int w;"),
    "atomic sections": two(
        "__VERIFIER_atomic_begin(); x = 1; __VERIFIER_atomic_end();",
        f"{START} __VERIFIER_atomic_begin(); y = x; __VERIFIER_atomic_end(); {JOIN}",
    ),
    "a condition variable that hands over": two(
        f"x = 1; {LOCK} y = 1; pthread_cond_signal(&c); {UNLOCK}",
        f"{START} {LOCK} while (y == 0) pthread_cond_wait(&c, &m); {UNLOCK} x = 2; {JOIN}",
    ),
    "a semaphore that hands over": two(
        "x = 1; sem_post(&s);", f"sem_init(&s, 0, 0); {START} sem_wait(&s); x = 2; {JOIN}", before="sem_t s;"
    ),
    "a thread-local variable": two("k = 1;", f"{START} k = 2; {JOIN}", before="__thread int k;"),
    "a local variable of each thread": two("int r = 0; int *q = &r; *q = 1;", f"{BOTH} {BOTH_JOIN}"),
    "a local variable that is given back": two("*(int *)p = 1;", f"int r = 0; {CREATE.format('t', 'f', '&r')} {JOIN} r = 2;"),
    "an allocation of each thread": two("int *q = malloc(4); if (q) { *q = 1; free(q); }", f"{BOTH} {BOTH_JOIN}"),
    "a copy of a structure under a lock": two(
        f"{LOCK} s.b = 1; {UNLOCK}",
        f"{START} {LOCK} r = s; {UNLOCK} {JOIN}",
        before="struct s { int a, b; } s, r;",
    ),
    "an access that an assumption excludes": two(
        f"{LOCK} y = 1; {UNLOCK} x = 1;", f"{START} {LOCK} __VERIFIER_assume(y == 2); {UNLOCK} x = 2; {JOIN}"
    ),
    "an error that ends the program before": two("reach_error(); x = 1;", f"{START} x = 2; {JOIN}"),
    "the contents of a lock that two threads initialise": two("pthread_mutex_init(&m, 0);", f"{BOTH} {BOTH_JOIN}"),
    "the contents of a lock": two(LOCKED, f"pthread_mutex_init(&m, 0); {BOTH} {BOTH_JOIN}"),
    "what is printed, if it is a literal": two(
        'printf("%d\\n", 1);', f'{START} puts("text"); {JOIN}', before="#include <stdio.h>"
    ),
}

REFUSED: dict[str, tuple[str, str]] = {
    "what is printed": (
        two('printf("%s", a);', f"{START} a[0] = 1; {JOIN}", before="#include <stdio.h>\nchar a[4];"),
        "printf: it may access what other threads access",
    ),
    "code without a body": (
        two("unknown(&x);", f"{START} x = 1; {JOIN}", before="void unknown(int *);"),
        "unknown, which has no body",
    ),
    "bit-fields of one memory location in two bytes": (
        two("s.a = 1;", f"{START} s.b = 1; {JOIN}", before="struct { unsigned a : 8, b : 8; } s;"),
        "bit-field in another byte than its neighbour",
    ),
    "assembly": (two('asm volatile("incl %0" : "+m"(x));', f"{START} x = 1; {JOIN}"), "asm statement with operands"),
}


def _file(folder: Path, text: str) -> Path:
    file = folder / "program.c"
    file.write_text(text)
    return file


@pytest.mark.parametrize("name", RACES)
def test_a_race_is_found(name: str, tmp_path: Path) -> None:
    result = decided(_file(tmp_path, RACES[name]), engine="auto", check=("data-race",), timeout=20)
    assert result.verdict == "FALSE", result.reason
    example = result.evidence.counterexample
    assert example is not None and len(example.race) == 2
    first, second = example.race
    assert first.thread != second.thread and first.line is not None and second.line is not None
    assert "writes" in first.what + second.what


@pytest.mark.parametrize("name", RACES)
def test_the_product_has_the_race(name: str, tmp_path: Path) -> None:
    """Which no execution has shown before."""
    result = decided(_file(tmp_path, RACES[name]), engine="bmc", check=("data-race",), timeout=20)
    assert result.verdict == "FALSE", result.reason


@pytest.mark.parametrize("engine", ["k-induction", "dss"])
@pytest.mark.parametrize("name", ["a race under one schedule only", "an element that both threads take", "two different locks"])
def test_engines_find_races(name: str, engine: str, tmp_path: Path) -> None:
    result = decided(_file(tmp_path, RACES[name]), engine=engine, check=("data-race",), timeout=20)
    assert result.verdict == "FALSE", result.reason


@pytest.mark.parametrize("name", RACE_FREE)
def test_no_race_is_proved(name: str, tmp_path: Path) -> None:
    result = decided(_file(tmp_path, RACE_FREE[name]), engine="auto", check=("data-race",), timeout=20)
    assert result.verdict == "TRUE", result.reason
    assert result.evidence.certificate is not None and result.evidence.certificate.checked


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_seen_is_refused(name: str, tmp_path: Path) -> None:
    text, reason = REFUSED[name]
    result = decided(_file(tmp_path, text), engine="bmc", check=("data-race",), timeout=20)
    assert result.verdict == "UNKNOWN" and result.unmodelled is not None
    assert reason in result.unmodelled.what


FULL = os.environ.get("DRYSTONE_FULL") == "1"
_NOT_COMPILED = re.compile(r"__VERIFIER_|reach_error")
COMPILED = [name for name, text in {**RACES, **RACE_FREE}.items() if not _NOT_COMPILED.search(text.split(HEAD)[-1])]
SOME = ("the end of an allocation", "bit-fields in one byte", "a function of the library", "neighbours in a structure")


@pytest.mark.parametrize("name", COMPILED if FULL else SOME)
def test_what_thread_sanitizer_reports_is_a_race(name: str, tmp_path: Path) -> None:
    if reason := missing_sanitizers("LP64"):
        pytest.skip(reason)
    file, program = _file(tmp_path, {**RACES, **RACE_FREE}[name]), tmp_path / "program"
    subprocess.run(["gcc", "-g", "-fsanitize=thread", "-pthread", str(file), "-o", str(program)], check=True, capture_output=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60)
    assert name in RACES or "WARNING: ThreadSanitizer" not in done.stderr, done.stderr


# the command


CHECK = ("--check", "data-race")


def _checked(*words: str | Path) -> int:
    """The exit status of the check of a certificate."""
    command = [sys.executable, "-m", "drystone", "check", *map(str, words)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, cwd=ROOT).returncode


def test_a_race_is_told_with_both_accesses(tmp_path: Path) -> None:
    file = _file(tmp_path, RACES["a structure and its member"])
    text, result = verify(file, *CHECK).stdout, report(file, *CHECK)
    assert "there is a data race" in text and "writes s.b at" in text and "reads s.b at" in text
    assert result["verdict"] == "FALSE" and result["property"] == "CHECK( init(main()), LTL(G ! data-race) )"
    accesses = result["evidence"]["counterexample"]["race"]
    assert sorted((each["thread"], each["function"], each["what"]) for each in accesses) == [
        (0, "main", "reads s.b"),
        (1, "f", "writes s.b"),
    ]
    assert {each["line"] for each in accesses} == {13, 14}


def test_property_files_and_tasks_ask_for_data_races(tmp_path: Path) -> None:
    file = _file(tmp_path, RACES["two writes"])
    (tmp_path / "no-data-race.prp").write_text("CHECK( init(main()), LTL(G ! data-race) )\n")
    (tmp_path / "reach.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    task = tmp_path / "task.yml"
    listed = ["no-data-race.prp", "reach.prp"]
    for names, words, verdict in (
        (listed[:1], (), "FALSE"),
        (listed, (), "TRUE"),  # calls come first
        (listed, CHECK, "FALSE"),
        (listed[1:], ("--property", str(tmp_path / "no-data-race.prp")), "FALSE"),
    ):
        properties = "".join(f"\n  - property_file: {name}" for name in names)
        task.write_text(f"format_version: '2.0'\ninput_files: {file.name}\nproperties:{properties}\n")
        assert report(task, *words)["verdict"] == verdict


@pytest.mark.parametrize(
    "words",
    [("--error-function", "f"), ("--assert", "f"), ("--volatile", "input"), ("--all",), ("--property", "reach.prp")],
)
def test_contradictions_are_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    file = _file(tmp_path, RACES["two writes"])
    (tmp_path / "reach.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    given = [str(tmp_path / word) if word.endswith(".prp") else word for word in words]
    assert verify(file, *CHECK, *given).returncode == Exit.BAD_INPUT


def test_a_certificate_is_about_one_property(tmp_path: Path) -> None:
    file, certificate = _file(tmp_path, RACE_FREE["the same lock"]), tmp_path / "certificate.json"
    assert verify(file, *CHECK, "--certificate", certificate).returncode == Exit.OK
    assert _checked(certificate, file, *CHECK) == Exit.OK
    assert _checked(certificate, file) == Exit.BAD_INPUT
    file.write_text(RACES["a lock that one of them does not take"])
    claimed = read_certificate(certificate.read_bytes())
    checked = check([str(file)], claimed_options(claimed.claim), claimed.certificate, Deadline.after(20))
    assert not checked.valid and "data race" in checked.reason


def test_without_threads_there_are_no_races(tmp_path: Path) -> None:
    file = _file(tmp_path, "int x; int main(void) { x = 1; return x; }\n")
    result = report(file, *CHECK)
    assert result["verdict"] == "TRUE" and "creation of a thread" in result["reason"]
