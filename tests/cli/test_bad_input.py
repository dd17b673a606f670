"""Whatever is given to the command: a normal answer, or exit code 3 and a clear message; never a traceback, a crash or a hang.

Each case calls the real command in a process of its own, with a limit of time and memory. With DRYSTONE_FULL=1 the
program of many lines is five times as long, and a thousand damaged copies of benchmark tasks are tried instead of sixty.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.mutation import Case, answers
from tests.places import BENCHMARKS, NO_BENCHMARKS, benchmark_tasks

FULL = os.environ.get("DRYSTONE_FULL") == "1"
SECONDS = 60
MEMORY = 4 << 30
MAIN = "int main(void) { return 0; }\n"


def drystone(folder: Path, *arguments: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [sys.executable, "-m", "drystone.cli.main", *arguments],
        cwd=folder,
        encoding="utf-8",
        errors="replace",
        timeout=SECONDS,
        check=False,
        preexec_fn=_limit_memory,
        **given,
    )
    assert done.returncode in (0, 1, 2, 3), f"exit code {done.returncode}\n{done.stderr}"
    assert "Traceback" not in (done.stderr or "") and "internal error" not in (done.stderr or "")
    return done


def _limit_memory() -> None:
    """Of addresses, so that a command that wants gigabytes fails instead of taking them."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def place(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


# Refused


@dataclass(frozen=True)
class Refused:
    """`arguments` on these files: exit code 3, nothing on standard output, and `words` in a short message."""

    words: tuple[str, ...]
    content: str | bytes = MAIN
    """Of a.c."""
    arguments: tuple[str, ...] = ("info", "a.c")
    files: dict[str, str | bytes] = field(default_factory=dict)


def deep(before: str, inner: str, after: str, times: int) -> str:
    return f"int main(void) {{ int a = 1; {before * times}{inner}{after * times} return a; }}\n"


def database(text: str) -> Refused:
    return Refused(("b.json",), arguments=("info", "a.c", "--compile-commands", "b.json"), files={"b.json": text})


def task(text: str | bytes, *words: str) -> Refused:
    return Refused(("b.yml", *words), arguments=("info", "b.yml"), files={"b.yml": text})


REFUSED = {
    # files
    "missing file": Refused(("nowhere.c: no such file",), arguments=("info", "nowhere.c")),
    "one of two is missing": Refused(("nowhere.c: no such file",), arguments=("run", "a.c", "nowhere.c")),
    "directory": Refused((".: is a directory",), arguments=("info", ".")),
    "binary file": Refused(("a.c: is a binary file",), bytes(range(256)) * 100),
    "object file": Refused(("a.c: is a binary file",), b"\x7fELF\2\1\1\0\0\0"),
    "NUL in the text": Refused(("a.c: is a binary file",), b"int main(void) { \0 return 0; }"),
    "UTF-16": Refused(("a.c: is a binary file",), MAIN.encode("utf-16")),
    "empty file": Refused(("a.c: is empty",), ""),
    "only white space": Refused(("a.c: is empty",), " \n\t\r\n\f "),
    "only comments": Refused(("a.c", "no function is defined"), "/* nothing */\n// at all\n"),
    "not UTF-8 in a name": Refused(("a.c:1:", "UTF-8", "^"), b"int main(void) { int \xff = 1; return 0; }\n"),
    # entry
    "no main": Refused(("a.c: function main is not defined", "f"), "int f(void) { return 0; }\n"),
    "main is declared only": Refused(("a.c", "defined"), "int main(void);\n"),
    "main is a variable": Refused(("a.c", "defined"), "int main = 3;\n"),
    "entry that is not defined": Refused(("a.c: function g is not defined", "main"), arguments=("run", "a.c", "--entry", "g")),
    "entry that is declared only": Refused(("function g is not defined",), "int g(void);" + MAIN, ("run", "a.c", "--entry", "g")),
    # text
    "syntax error": Refused(("a.c:2:11: error: expected ';'", "\n      return 0\n", "\n              ^"), "int main(void) {\n  return 0\n}\n"),
    "a hundred errors": Refused(("a.c:1:", "more errors"), "x y z;\n" * 100),
    "unknown name": Refused(("a.c:1:25: error:", "'b'", "^"), "int main(void) { return b; }\n"),
    "another language": Refused(("a.c:1:", "^"), "class A { public: int x; }; int main() { A a; return a.x; }\n"),
    "missing include": Refused(("a.c:1:10: error: 'nowhere.h' file not found", "^"), '#include "nowhere.h"\n' + MAIN),
    "a folder as include": Refused(("a.c:1:10: error:",), '#include "."\n' + MAIN),
    "a file that includes itself": Refused(("a.c:1:10: error: #include nested too deeply",), '#include "a.c"\n' + MAIN),
    "#error": Refused(("a.c:1:2: error:", "not for you"), '#error "not for you"\n' + MAIN),
    "unterminated comment": Refused(("a.c:2:1: error: unterminated",), MAIN + "/* "),
    "unterminated string": Refused(("a.c:1:",), 'int main(void) { char *s = "abc\n; return 0; }\n'),
    "lonely brace": Refused(("a.c:1:1: error:",), "}"),
    "two definitions": Refused(("a.c:1:", "redefinition of 'main'"), MAIN.strip() + MAIN),
    "two definitions in two files": Refused(("b.c:1: error: multiple definition of main", "a.c:1"), arguments=("info", "a.c", "b.c"), files={"b.c": MAIN}),
    "negative array": Refused(("a.c:1:7: error:",), "int a[-1];" + MAIN),
    "a number that is too large": Refused(("a.c:1:25: error:",), f"int main(void) {{ return {'9' * 40}; }}\n"),
    "10,000 nested parentheses": Refused(("a.c:1:", "nesting level exceeded"), deep("(", "a", ")", 10_000)),
    "5,000 nested blocks": Refused(("a.c:1:", "nesting level exceeded"), deep("{", ";", "}", 5_000)),
    "5,000 nested blocks of ifs": Refused(("a.c:1:", "nesting level exceeded"), deep("if (a) {", "a = 2;", "}", 5_000)),
    "5,000 nested blocks never closed": Refused(("a.c:1:",), deep("{", ";", "", 5_000)),
    # options
    "wrong data model": Refused(("--data-model", "LP32"), arguments=("info", "a.c", "--data-model", "LP32")),
    "seed and inputs": Refused(("--seed", "--inputs"), arguments=("run", "a.c", "--seed", "1", "--inputs", "1,2")),
    "seed that is too large": Refused(("--seed", "at most"), arguments=("verify", "a.c", "--seed", "9" * 30)),
    "number that is too large": Refused(("--max-states",), arguments=("verify", "a.c", "--engine", "dcpa", "--max-states", "9" * 30)),
    "memory that is too large": Refused(("--memory", "size"), arguments=("verify", "a.c", "--memory", "9" * 30 + "GB")),
    "domain without a module": Refused((":x",), arguments=("verify", "a.c", "--engine", "dcpa", "--domain", ":x")),
    "domain that is none": Refused(("json:loads is no",), arguments=("verify", "a.c", "--engine", "dcpa", "--domain", "json:loads")),
    "summaries that are none": Refused(("json:loads is no",), arguments=("verify", "a.c", "--engine", "dss", "--summaries", "json:loads")),
    "unknown standard": Refused(("--std", "c++17"), arguments=("info", "a.c", "--std", "c++17")),
    "no standard": Refused(("--std",), arguments=("info", "a.c", "--std", "")),
    "-D without anything": Refused(("-D",), arguments=("info", "a.c", "-D")),
    "-D with an empty name": Refused(("-D",), arguments=("info", "a.c", "-D", "")),
    "-D of a number": Refused(("-D", "1x"), arguments=("info", "a.c", "-D", "1x")),
    "-D that breaks the text": Refused(("a.c:1:", "error"), arguments=("info", "a.c", "-D", "main=(")),
    "-I without a folder": Refused(("-I",), arguments=("info", "a.c", "-I", "")),
    "inputs that are no numbers": Refused(("--inputs", "'x'"), arguments=("run", "a.c", "--inputs", "1,x")),
    "-o into a missing folder": Refused(("no/b.txt: cannot be written",), arguments=("cfa", "a.c", "-o", "no/b.txt")),
    "--json into a missing folder": Refused(("no/b: cannot be written",), arguments=("info", "a.c", "--json", "no/b")),
    "--transport without blocks": Refused(("--transport", "--engine dss"), arguments=("verify", "a.c", "--transport", "inline")),
    "--transport and a cluster": Refused(
        ("--cluster", "--transport"),
        arguments=("verify", "a.c", "--engine", "dss", "--cluster", "auto", "--transport", "inline"),
    ),
    # task definitions
    "task that is not text": task(b"\xff\xfe\0", "not a text file"),
    "task that is not YAML": task("input_files: [a, b\n: {", "not YAML"),
    "task that is nested deeply": task("[" * 20_000, "not YAML"),
    "task without input files": task("format_version: '2.0'\n", "no input_files"),
    "task that names a missing file": Refused(("nowhere.c: no such file",), arguments=("info", "b.yml"), files={"b.yml": "input_files: nowhere.c\n"}),
    "task that names a folder": Refused(("is a directory",), arguments=("info", "b.yml"), files={"b.yml": "input_files: .\n"}),
    "task that contradicts an option": Refused(
        ("b.yml", "ILP32", "LP64"),
        arguments=("info", "b.yml", "--data-model", "LP64"),
        files={"b.yml": "input_files: a.c\noptions: {data_model: ILP32}\n"},
    ),
    "tasks that contradict each other": Refused(
        ("c.yml", "ILP32", "LP64"),
        arguments=("info", "b.yml", "c.yml"),
        files={
            "b.yml": "input_files: a.c\noptions: {data_model: ILP32}\n",
            "c.yml": "input_files: a.c\noptions: {data_model: LP64}\n",
        },
    ),
    # compile_commands.json
    "compile commands: no JSON": database("{"),
    "compile commands: empty": database(""),
    "compile commands: no list": database("{}"),
    "compile commands: list of numbers": database("[1]"),
    "compile commands: nested deeply": database("[" * 100_000),
    "compile commands: unclosed quotation": database('[{"directory": ".", "file": "a.c", "command": "cc \\"a.c"}]'),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refused(case: Refused, tmp_path: Path) -> None:
    place(tmp_path, {"a.c": case.content, **case.files})
    done = drystone(tmp_path, *case.arguments)
    assert done.returncode == 3
    assert done.stdout == ""
    for word in case.words:
        assert word in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) <= 35 and max(map(len, done.stderr.splitlines())) <= 300, "a short message"


# Answered


@dataclass(frozen=True)
class Answered:
    """`run` ends with `code`; `cfa` draws the automaton or says that it is too large."""

    content: str | bytes
    code: int = 0
    result: int | None = None
    """What main returns."""


def body(text: str) -> str:
    return f"int main(void) {{ int a = 7; {text} }}\n"


def lines(count: int) -> str:
    """A program of so many lines: functions of ten lines, each of which calls the next but every tenth."""
    functions = [
        f"int f{number}(int x) {{\n  int sum = 0;\n  for (int i = 0; i < 3; i++) {{\n    if (x > i)\n      sum += x;\n"
        f"    else\n      sum -= {number};\n  }}\n  return sum{f' + f{number - 1}(x)' if number % 10 else ''};\n}}\n"
        for number in range(count // 10)
    ]
    calls = "".join(f"  sum += f{number}(sum);\n" for number in range(9, count // 10, 10))
    return "".join(functions) + f"int main(void) {{\n  unsigned sum = 1;\n{calls}  return 3;\n}}\n"


ANSWERED = {
    "200 nested parentheses": Answered(body(f"return {'(' * 200}a{')' * 200};"), result=7),
    "10,000 terms": Answered(body(f"a = {'+'.join(['a'] * 10_000)}; return a == 70000;"), result=1),
    "10,000 terms on lines of their own": Answered(body("a = " + "\n+".join(["a"] * 10_000) + "; return a == 70000;"), result=1),
    "10,000 assignments in one": Answered(body(f"{'a =' * 10_000} 3; return a;"), result=3),
    "10,000 signs": Answered(body(f"return {'- ' * 10_000} a;"), result=7),
    "10,000 conditions in one": Answered(body(f"return a > 0 {'&& a' * 10_000};"), result=1),
    "10,000 choices in one": Answered(body(f"return {'!a ? 1 :' * 10_000} 2;"), result=2),
    "5,000 nested ifs": Answered(body("if (a)\n" * 5_000 + "a = 2; return a;"), result=2),
    "5,000 nested loops": Answered(body("while (a)\n" * 5_000 + "a = 0; return a;"), code=0, result=0),
    "10,000 cases": Answered(body("switch (a) {" + "".join(f"case {n}: a += {n}; break;\n" for n in range(10_000)) + "} return a;"), result=14),
    "10,000 labels of one case": Answered(body("switch (a) {" + "".join(f"case {n}:\n" for n in range(10_000)) + "a = 3; } return a;"), result=3),
    "10,000 else ifs": Answered(body("".join(f"if (a == {n}) a += {n}; else\n" for n in range(10_000)) + "a = 1; return a;"), result=14),
    "5,000 gotos": Answered(body("".join(f"l{n}: if (!a) goto l{n * 7 % 5_000};\n" for n in range(5_000)) + "return a;"), result=7),
    "20,000 statements on one line": Answered(body("a++;" * 20_000 + "return a == 20007;"), result=1),
    "a name of 100,000 letters": Answered(body(f"int {'x' * 100_000} = 5; return {'x' * 100_000};"), result=5),
    "a string of 300,000 letters": Answered(f'char *s = "{"x" * 300_000}"; int main(void) {{ return s[299999]; }}\n', result=120),
    "an array of 30,000 numbers": Answered(f"int a[] = {{{'3,' * 30_000}}}; int main(void) {{ return a[29999]; }}\n", result=3),
    "a struct of 5,000 fields": Answered(f"struct S {{ {''.join(f'int a{n};' for n in range(5_000))} }} s; int main(void) {{ s.a4999 = 3; return s.a4999; }}\n", result=3),
    "macros that double": Answered("#define A0 1 +\n" + "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, 13)) + "int main(void) { return (A12 0) == 4096; }\n", result=1),
    "an array of 2,000 dimensions": Answered(f"int a{'[1]' * 2_000}; int main(void) {{ return a != 0; }}\n", result=1),
    "many lines": Answered(lines(100_000 if FULL else 20_000), result=3),
    "a chain of 2,000 calls": Answered("int f0(int x) { return x; }\n" + "".join(f"int f{n}(int x) {{ return f{n - 1}(x); }}\n" for n in range(1, 2_000)) + "int main(void) { return f1999(3); }\n", result=3),
    "CR and LF": Answered("#define X \\\r\n  3\r\nint main(void) {\r\n  // comment\r\n  return X;\r\n}\r\n", result=3),
    "only CR": Answered("int main(void)\r{\rreturn 3;\r}\r", result=3),
    "no end of line": Answered("int main(void) { return 3; }", result=3),
    "byte order mark": Answered(b"\xef\xbb\xbfint main(void) { return 3; }\n", result=3),
    "Latin-1 in comment and string": Answered(b'/* \xfcbung */ int main(void) { return (unsigned char)"\xff"[0]; }\n', result=255),
    "a name in UTF-8": Answered("int main(void) { int é = 3; return é; }\n", result=3),
    "an endless loop": Answered(body("for (;;) ;"), code=2),
    "endless recursion": Answered("int f(int n) { return 1 + f(n + 1); } int main(void) { return f(0); }\n", code=2),
    "recursion with an array": Answered("int f(int n) { int t[64]; int *p = t; p[n & 7] = n; return f(n + 1) + p[0]; } int main(void) { return f(0); }\n", code=2),
    "calls that double": Answered("int f0(int x) { return x; }\n" + "".join(f"int f{n}(int x) {{ return f{n - 1}(x) + f{n - 1}(x); }}\n" for n in range(1, 50)) + "int main(void) { return f49(1); }\n", code=2),
    "a function pointer that is null": Answered("int (*p)(void); int main(void) { return p(); }\n", code=2),
    "a pointer that is null": Answered("int main(void) { int *p = 0; return *p; }\n", code=2),
}  # fmt: skip


@pytest.mark.parametrize("case", ANSWERED.values(), ids=ANSWERED.keys())
def test_answered(case: Answered, tmp_path: Path) -> None:
    place(tmp_path, {"a.c": case.content})
    run = drystone(tmp_path, "run", "a.c", "--max-steps", "1000000" if case.code == 0 else "200000")
    assert run.returncode == case.code, run.stdout + run.stderr
    assert case.result is None or f"result   {case.result}\n" in run.stdout, run.stdout
    whole = drystone(tmp_path, "cfa", "a.c", "--max-edges", "20000", "-o", "a.txt")
    assert whole.returncode == 0 or "more than 20000 edges" in whole.stderr, whole.stderr


def test_recursion_that_ends(tmp_path: Path) -> None:
    """A million activations."""
    place(tmp_path, {"a.c": "int f(int n) { return n ? 1 + f(n - 1) : 0; } int main(void) { return f(1000000) == 1000000; }\n"})
    done = drystone(tmp_path, "run", "a.c", "--max-steps", "20000000")
    assert done.returncode in (0, 2) and ("result   1" in done.stdout or "limit" in done.stdout)


HUGE = {
    "global": "int a[1 << 30]; int main(void) { a[3] = 1; return a[3]; }\n",
    "static": "int main(void) { static char a[1L << 40]; a[3] = 1; return a[3]; }\n",
    "extern": "extern char a[1 << 30]; int main(void) { a[3] = 1; return a[3]; }\n",
    "local": "int main(void) { int a[1 << 30]; a[3] = 1; return a[3]; }\n",
    "initialised": "int main(void) { int a[1 << 30] = {0}; a[3] = 1; return a[3]; }\n",
    "variable length": "int main(void) { long n = 1L << 40; char a[n]; a[3] = 1; return a[3]; }\n",
    "struct by value": "struct S { int a[1 << 29]; } s; struct S f(struct S s) { return s; } int main(void) { s = f(s); return s.a[3]; }\n",
    "heap": "#include <stdlib.h>\nint main(void) { char *p = malloc(1UL << 40); if (p) p[3] = 1; return p ? p[3] : 1; }\n",
    "many": "".join(f"int a{n}[1 << 25];" for n in range(100)) + "int main(void) { return a7[3] + a8[4]; }\n",
}  # fmt: skip


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_huge_objects_do_not_take_the_memory(text: str, tmp_path: Path) -> None:
    place(tmp_path, {"a.c": text})
    assert drystone(tmp_path, "info", "a.c").returncode == 0
    done = drystone(tmp_path, "run", "a.c")
    assert done.returncode in (0, 2) and done.stderr == ""


# Output that does not arrive


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [("info", "a.c"), ("info", "a.c", "--json", "-"), ("cfa", "a.c"), ("run", "a.c")])
def test_a_full_disk(arguments: tuple[str, ...], tmp_path: Path) -> None:
    place(tmp_path, {"a.c": MAIN})
    with open("/dev/full", "w") as full:
        done = drystone(tmp_path, *arguments, stdout=full)
    assert done.returncode == 3 and "cannot be written: No space left" in done.stderr and done.stderr.count("\n") == 1


def test_closed_output(tmp_path: Path) -> None:
    """Not even open: there is nobody to tell, but the exit code is right."""
    place(tmp_path, {"a.c": MAIN})
    for command, code in (("run a.c >&-", 0), ("cfa a.c >&- 2>&-", 0), ("info a.c >&-", 0), ("run nowhere.c 2>&-", 3)):
        done = subprocess.run(
            ["sh", "-c", f'"$0" -m drystone {command}', sys.executable],
            cwd=tmp_path,
            timeout=SECONDS,
            check=False,
            capture_output=True,
        )
        assert done.returncode == code and b"Traceback" not in done.stderr


# Names of files


@pytest.mark.parametrize("name", ["with space.c", "ü.c", "-a.c", "a'b\"c.c", "new\nline.c", "%s.c", "no_ending", "a.C", "a.h"])
def test_strange_file_names(name: str, tmp_path: Path) -> None:
    place(tmp_path, {name: "int main(void) {\n  return 1 +;\n}\n"})
    done = drystone(tmp_path, "info", f"./{name}")
    assert done.returncode == 3 and f"{name}:2:" in done.stderr
    place(tmp_path, {name: MAIN})
    assert drystone(tmp_path, "run", "--", f"./{name}").returncode == 0


def test_a_file_name_that_is_not_utf8(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.c"
    try:
        with open(name, "w") as file:
            file.write(MAIN)
    except OSError:
        pytest.skip("the file system has names in UTF-8 only")
    drystone(tmp_path, "info", os.fsdecode(name))


# Damaged copies of tasks

BATCH = 30


def damaged(count: int) -> list[Case]:
    """The same cases each time; none where the benchmark set is absent."""
    rows = benchmark_tasks()
    chosen = [rows[number * 7 % len(rows)] for number in range(count if rows else 0)]
    return [Case(number, BENCHMARKS / row["file"], row["data_model"]) for number, row in enumerate(chosen)]


DAMAGED = damaged(1_000 if FULL else 60)


@pytest.mark.skipif(not DAMAGED, reason=NO_BENCHMARKS)
@pytest.mark.parametrize("first", range(0, max(len(DAMAGED), 1), BATCH))
def test_damaged_tasks_are_refused_or_loaded(first: int, tmp_path: Path) -> None:
    cases = DAMAGED[first : first + BATCH]
    found = dict(answers(cases, tmp_path))
    wrong = {
        f"{case.source.name}, mutant {case.number}": answer
        for case, answer in found.items()
        if answer not in ("refused", "loaded")
    }
    assert not wrong, "\n".join(f"{case}: {answer}" for case, answer in wrong.items())
    assert len(found) == len(cases)
