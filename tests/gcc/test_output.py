"""What a program prints and how it ends: the interpreter against gcc and glibc, in both data models.

One program prints all formats in three ways: arguments that the front end knows, arguments in a call, arguments in a va_list.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.concrete.interpreter import Outcome, ZeroInputs, interpret
from tests.gcc.compiler import Run, build, missing, run
from tests.gcc.interpreted import lower

pytestmark = pytest.mark.gcc
DATA_MODELS = ("LP64", "ILP32")

_INTEGERS = ("0", "1", "-1", "42", "2147483647", "-2147483647-1")
_DOUBLES = ("0.0", "-0.0", "1.0", "0.1", "-2.5", "123456789.0", "1e-5", "9.9999995e5", "1e100", "5e-324", "1e15", "0.00012345")
FORMATS: list[tuple[str, str]] = [
    *[(f"%{flags}{kind}", value) for flags in ("", "5", "-5", "05") for kind in "du" for value in _INTEGERS[:4]],
    *[(f"%{flags}d", value) for flags in ("+", " ", "+05", ".3", "8.3", "-8.3", ".0", "+.0", "08.3", "'") for value in ("0", "42", "-7")],
    *[(f"%{flags}{kind}", value) for flags in ("", "#", "#08", "#.4") for kind in "xXo" for value in ("0", "255", "-1")],
    *[("%d", value) for value in _INTEGERS],
    ("%hhd", "300"), ("%hhu", "-1"), ("%hd", "70000"), ("%hu", "-1"), ("%hhx", "-1"), ("%i", "-12"), ("%5c|", "'x'"), ("%-5c|", "'x'"),
    ("%ld", "-5L"), ("%lu", "5UL"), ("%lx", "-1L"), ("%lld", "-9223372036854775807LL-1"), ("%llu", "18446744073709551615ULL"),
    ("%jd", "(long long)-7"), ("%zu", "(unsigned long)77"), ("%td", "(long)-3"), ("%qd", "-3LL"), ("%llx", "0x123456789abcdefLL"),
    ("%20lld|", "-5LL"), ("%-20lld|", "5LL"), ("%020lld|", "-5LL"), ("%.20lld", "5LL"), ("%#llo", "8LL"),
    ("%s", '"text"'), ("%10s|", '"text"'), ("%-10s|", '"text"'), ("%.2s", '"text"'), ("%.0s|", '"text"'), ("%10.3s|", '"text"'),
    ("%.9s", '"text"'), ("%s", '""'), ("%s%s", '"a", "b"'), ("%c%c", "'a', 'b'"), ("%%", "0"), ("%d%%", "5"),
    ("%*d|", "6, 42"), ("%*d|", "-6, 42"), ("%.*d", "4, 42"), ("%.*d", "-4, 42"),
    ("%*.*f|", "10, 2, 3.14159"), ("%.*s|", '3, "abcdef"'), ("%*s|", '8, "ab"'), ("%-*s|", '8, "ab"'),
    *[(f"%{kind}", value) for kind in "feg" for value in _DOUBLES],
    *[(f"%{flags}{kind}", value) for flags in ("+", ".0", "#.0", ".3", "10.2", "-10.2", "010.2", " ") for kind in "feg"
      for value in ("1.5", "-2.5")],
    *[(f"%{kind}", value) for kind in ("F", "E", "G", "#g", ".10g", ".1g", ".15g", ".17g", ".20g", ".30f", ".25e") for value in ("0.1", "1234567.0")],
    *[(f"%{kind}", value) for kind in ("f", "5f", "-8f|", "08f", "E", "G", "+f", "a") for value in ("1.0 / zero", "-1.0 / zero", "zero / zero", "-(zero / zero)")],
    *[(f"%{kind}", value) for kind in ("a", "A", ".3a", ".0a", "20a", "#.0a", "+a", "020a") for value in ("1.0", "0.1", "-1.999", "0.0", "5e-324")],
    *[(f"%{kind}", value) for kind in ("Lf", "Le", "Lg", ".20Lf", ".21Lg", "La", ".5La", "20LA") for value in ("0.1L", "1.0L", "-1e30L", "3e-4000L", "0.0L")],
    ("%d %s %f %c %lld", '1, "two", 3.0, \'4\', 5LL'), ("%f %d %f %d", "1.5, 2, 3.5, 4"), ("%d %Lf %d", "1, 2.5L, 3"), ("%Lf %Lf", "1.5L, 2.5L"),
    ("%d %d %d %d %d %d %d %d %d", "1, 2, 3, 4, 5, 6, 7, 8, 9"), ("%lld %d %lld", "1LL, 2, 3LL"), ("no conversion", "0"), ("", "0"),
]  # fmt: skip

SHOW = """#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
double zero = 0.0;
static int show(const char *format, ...) {
  char text[700];
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int n = vsnprintf(text, sizeof text, format, list);
  if (fputs(text, stdout) < 0) return -1;
  if (vprintf(format, again) != n) return -2;
  va_end(list);
  va_end(again);
  return n;
}
"""


def native(text: str, data_model: str, folder: Path) -> Run:
    source, binary = folder / "program.c", folder / f"program.{data_model}"
    source.write_text(text)
    build([source], binary, data_model)
    return run(binary)


def interpreted(text: str, data_model: str, folder: Path) -> Outcome:
    source = folder / "program.c"
    source.write_text(text)
    return interpret(lower([source], data_model), ZeroInputs(), max_steps=3_000_000)


def table() -> str:
    lines = []
    for template, arguments in FORMATS:
        line = f"{template}\\n"
        lines.append(f'n = printf("{line}", {arguments}); printf("=%d\\n", n);')
        lines.append(f'n = show("{line}", {arguments}); printf("=%d\\n", n);')
        lines.append(f'n = sprintf(b, "{line}", {arguments}); fputs(b, stdout); printf("=%d\\n", n);')
    pieces = [lines[start : start + 100] for start in range(0, len(lines), 100)]
    functions = [
        f"static void f{number}(void) {{ int n; char b[999]; {' '.join(each)} }}\n" for number, each in enumerate(pieces)
    ]
    return (
        f"{SHOW}{''.join(functions)}int main(void) {{ {' '.join(f'f{number}();' for number in range(len(pieces)))} return 0; }}\n"
    )


@pytest.mark.parametrize("data_model", DATA_MODELS)
def test_formats(data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    assert len(FORMATS) > 250
    expected, outcome = native(table(), data_model, tmp_path), interpreted(table(), data_model, tmp_path)
    assert (outcome.kind, outcome.unprinted) == ("returned", ())
    assert outcome.output.decode().splitlines() == expected.output.splitlines()
    assert all(each.determined for each in outcome.inputs if "approximate" in each.name)


HEADERS = ("assert", "err", "signal", "stdarg", "stdio", "stdlib", "string", "unistd")
HEAD = "".join(f"#include <{name}.h>\n" for name in HEADERS)
PROGRAMS = [
    "int main(void) { return 3; }",
    "int main(void) { return 300; }",
    "int main(void) { return -1; }",
    'static int a = 5, b = 77; int main(void) { int n = printf("%d", a) + 10 * printf("%d", b); return n; }',
    'static int a1 = 5, b1 = 77; int main(void) { int v[2] = { printf("%d", a1), printf("%d", b1) }; return v[0] + 10 * v[1]; }',
    'static int a2 = 5; static int two2(int x, int y) { return x + 10 * y; } int main(void) {'
    ' return two2(printf("%d", a2), printf("%d%d", a2, a2)); }',
    'static int a3 = 5; int main(void) { int v[4] = { 1, 2, 3, 4 }; v[printf("%d", a3)] += printf("%d%d", a3, a3);'
    ' return v[1] * 10 + v[2]; }',
    'static int a4 = 5; int main(void) { int n = a4 ? printf("%d", a4) : 9; n += (printf("%d%d", a4, a4), printf("%d%d%d", a4, a4, a4));'
    ' return n; }',
    'static int a5 = 5; int main(void) { if (printf("%d", a5) == 1 && printf("%d%d", a5, a5) == 2) return 7; return 8; }',
    'static int a6 = 5; int main(void) { int n = 0; do n += printf("%d", a6); while (printf("%d", a6--) && a6 > 0); return n; }',
    'static int a7 = 5; int main(void) { switch (printf("%d", a7 * 1000)) { case 4: return 6; default: return 7; } }',
    'int main(void) { printf("%p %p %20p|%-9p|\\n", (void *)0, (void *)4660, (void *)4660, (void *)4660); return 0; }',
    "int main(void) { exit(7); }",
    "int main(void) { exit(-2); }",
    "int main(void) { exit(256 + 5); }",
    "int main(void) { _exit(9); }",
    "int main(void) { _Exit(1); }",
    "int main(void) { quick_exit(2); }",
    "static int f(int n) { if (n == 0) exit(4); return f(n - 1); } int main(void) { return f(5); }",
    "int main(void) { void (*end)(int) = exit; end(6); return 0; }",
    "int main(void) { void (*end)(void) = abort; end(); return 0; }",
    "static void h1(void) { puts(\"1\"); } static void h2(void) { puts(\"2\"); } int main(void) { atexit(h1); atexit(h2); exit(3); }",
    "static void h3(void) { puts(\"3\"); } int main(void) { atexit(h3); atexit(h3); _exit(4); }",
    "int main(void) { abort(); }",
    "int main(void) { assert(1 > 2); return 0; }",
    "int main(void) { __builtin_trap(); }",
    "int main(void) { raise(SIGABRT); return 0; }",
    "int main(void) { errx(5, \"%s\", \"text\"); }",
    "int main(void) { int *p = 0; return *p; }",
    "int main(void) { fputs(\"out\", stdout); fputs(\"err\", stderr); fputs(\"out\", stdout); return 0; }",
    "int main(void) { fprintf(stderr, \"%d\\n\", 5); fprintf(stdout, \"%d\\n\", 6); return 0; }",
    "int main(void) { puts(\"line\"); putchar('x'); putc('y', stdout); fputc('z', stderr); putchar('\\n' + 256); return 0; }",
    "int main(void) { char b[] = \"abcdef\"; fwrite(b, 2, 3, stdout); fwrite(b, 0, 3, stdout); return fwrite(b, 1, 4, stderr); }",
    "int main(void) { int n = write(1, \"abc\", 3); return n + write(2, \"de\", 2); }",
    "int main(void) { dprintf(1, \"%d\", 5); dprintf(2, \"%s\", \"e\"); return 0; }",
    "int main(void) { return printf(\"%d\\n\", printf(\"hello %d\\n\", 5)); }",
    "int main(void) { int n = printf(\"a\") + printf(\"bc\"); return n; }",
    "int main(void) { char b[9]; int n = sprintf(b, \"%d\", 77); return n + b[0]; }",
    "int main(void) { char b[9] = \"zzzzzzzz\"; int x = 0; int n = sprintf(b, \"%c%c\", x, 'q'); return n + b[0] + b[1] + b[3]; }",
    "int main(void) { char b[4] = \"zzz\"; int x = 12345; int n = snprintf(b, 4, \"%d\", x); puts(b); return n; }",
    "int main(void) { char b[4] = \"zzz\"; int n = snprintf(b, 3, \"text\"); puts(b); return n; }",
    "int main(void) { char b[4] = \"zzz\"; int n = snprintf(b, 0, \"text\"); puts(b); return n; }",
    "int main(void) { int x = 9; return snprintf(0, 0, \"%d%d\", x, x); }",
    "int main(void) { int (*p)(const char *, ...) = printf; return p(\"%d %s\\n\", 5, \"x\"); }",
    "int main(void) { int (*p)(const char *) = puts; p(\"text\"); int (*q)(int) = putchar; q('c'); return 0; }",
    "static int log2(const char *f, ...) { va_list l; va_start(l, f); int n = vfprintf(stderr, f, l); va_end(l); return n; }"
    " int main(void) { return log2(\"%d %f %s\", 1, 2.5, \"x\"); }",
    "static void two(va_list l) { vprintf(\"%d %d\\n\", l); } static void one(int n, ...) { va_list l; va_start(l, n);"
    " two(l); va_end(l); } int main(void) { one(0, 3, 4); return 0; }",
    "struct s { char name[8]; double d; }; int main(void) { struct s s = { \"abc\", 1.5 }, *p = &s;"
    " printf(\"%s %.2f\\n\", p->name, p->d); return 0; }",
    "int main(void) { char *p = malloc(8); strcpy(p, \"heap\"); printf(\"%s %zu\\n\", p, strlen(p)); free(p); return 0; }",
    "int main(void) { for (int i = 0; i < 5; i++) printf(\"%d,\", i * i); printf(\"\\n\"); return 0; }",
    "int main(void) { FILE *f = stdout; fprintf(f, \"through %s\\n\", \"a pointer\"); fflush(f); return f == stderr; }",
    "int main(void) { if (stdin == 0 || stdout == 0 || stdin == stdout || stdout == stderr) abort(); return 0; }",
    "int main(void) { char b[20]; strcpy(b, \"%d|%s\\n\"); printf(b, 5, \"x\"); return 0; }",
    "int main(void) { printf(\"%s\\n\", __func__); return 0; }",
]  # fmt: skip


@pytest.mark.parametrize("data_model", DATA_MODELS)
def test_ends_and_output(data_model: str, tmp_path: Path) -> None:
    """All in one binary, which the first argument tells the one that runs."""
    if reason := missing(data_model):
        pytest.skip(reason)
    parts = [f"#define main main{number}\n{text}\n#undef main\n" for number, text in enumerate(PROGRAMS)]
    cases = "".join(f"case {number}: return main{number}();" for number in range(len(PROGRAMS)))
    source, binary = tmp_path / "all.c", tmp_path / "all"
    source.write_text(f"{HEAD}{''.join(parts)}int main(int n, char **a) {{ switch (atoi(a[1])) {{ {cases} }} return 1; }}\n")
    build([source], binary, data_model)
    differences = []
    for number, text in enumerate(PROGRAMS):
        outcome, expected = interpreted(HEAD + text, data_model, tmp_path), run(binary, [str(number)])
        errors = "" if "errx" in text or "assert(" in text else expected.errors  # messages with the name of the program
        seen = (outcome.status, outcome.output.decode(), outcome.errors.decode())
        if seen != (expected.code, expected.output.replace(f"main{number}", "main"), errors):
            differences.append((text, seen, expected))
    assert not differences
