"""What models do not know exactly must not make an error reachable; what they know must be found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import MarkKind
from tests.places import SOURCES
from tests.running import report

HEADER = SOURCES / "frontend" / "include" / "math.h"
ERROR = "extern void reach_error(void);\n"


@pytest.mark.parametrize(
    "text",
    [
        "#include <math.h>\nint main(void) { if (pow(2.0, 10.0) != 1024.0) reach_error(); return 0; }",
        "#include <math.h>\nint main(void) { if (exp(1.0) < 2.7) reach_error(); return 0; }",
        "#include <stdlib.h>\nchar s[] = \"2.5\"; int main(void) { if (atof(s) != 2.5) reach_error(); return 0; }",
        "#include <stdio.h>\nint main(void) { int x; char s[] = \"5\"; sscanf(s, \"%d\", &x); if (x == 7) reach_error(); return 0; }",
    ],
)  # fmt: skip
def test_an_approximation_is_no_execution(text: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"{ERROR}{text}\n")
    found = report(path, "--timeout", "20s")
    assert (found["verdict"], found["cause"]) == ("UNKNOWN", "approximation"), found["reason"]


def test_what_the_interpreter_computes_is_no_excuse(tmp_path: Path) -> None:
    """For the engines sprintf writes any text; the replay knows which."""
    path = tmp_path / "program.c"
    text = "char b[20]; int x = __VERIFIER_nondet_int(); sprintf(b, \"%d\", x); if (b[0] == 'a') reach_error(); return 0;"
    path.write_text(f"#include <stdio.h>\n{ERROR}extern int __VERIFIER_nondet_int(void);\nint main(void) {{ {text} }}\n")
    assert report(path, "--timeout", "4s")["verdict"] == "UNKNOWN"


def test_an_error_that_does_not_depend_on_it(tmp_path: Path) -> None:
    """The compiled program reaches it, too, with the real function."""
    path = tmp_path / "program.c"
    path.write_text(
        f"#include <stdio.h>\n{ERROR}extern int __VERIFIER_nondet_int(void);\n"
        'int main(void) { char b[99]; int x = __VERIFIER_nondet_int(); sprintf(b, "%d", x); if (x == 77) reach_error(); return 0; }\n'
    )
    assert report(path, "--timeout", "20s")["verdict"] == "FALSE"


@pytest.mark.parametrize(
    "text",
    [
        "double x = __VERIFIER_nondet_double(), y = sin(x); if (y > 1 || y < -1) reach_error();",
        'int n = -1, r = scanf("%d", &n); if (r <= 0 && n != -1) reach_error();',
        'int a, b, r = scanf("%d %d", &a, &b); if (r > 2 || r < -1) reach_error();',
        'int a = 1, b = 2, r = scanf("%d %d", &a, &b); if (r == 1 && b != 2) reach_error();',
    ],
)
def test_what_is_known(text: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(
        f"#include <math.h>\n#include <stdio.h>\n{ERROR}extern double __VERIFIER_nondet_double(void);\n"
        f"int main(void) {{ {text} return 0; }}\n"
    )
    assert report(path, "--timeout", "20s")["verdict"] == "TRUE"


def test_every_function_of_math_h_has_a_meaning(tmp_path: Path) -> None:
    names = re.findall(r"^double (\w+)\(([^)]*)\);", HEADER.read_text(), re.MULTILINE)
    assert len(names) > 30
    calls = []
    for name, parameters in names:
        arguments = ["&n" if "int *" in each else "&d" if "*" in each else "1" for each in parameters.split(",")]
        if "char" not in parameters:
            calls.append(f"d = {name}({', '.join(arguments)});")
    path = tmp_path / "program.c"
    path.write_text(f"#include <math.h>\nint main(void) {{ int n; double d; {' '.join(calls)} return 0; }}\n")
    program = load([str(path)], FrontendOptions()).program
    assert [each.what for each in program.approximations if each.kind == "external function"] == []


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ('int n = 0; printf("abc%n", &n);', True),
        ('signed char n = 0; printf("abc%hhn", &n);', True),
        ('int n = 0; printf("%3$-5.2lln", &n);', True),
        ('int n = 0; const char *f = "abc%n"; printf(f, &n);', True),
        ('int n = 0; char b[9]; sprintf(b, "abc%n", &n);', True),
        ('int n = 0; char b[9]; snprintf(b, 9, "abc%n", &n);', True),
        ('int n = 0; __builtin_printf("abc%n", &n);', True),
        ('int n = 0; char b[9]; __builtin_sprintf(b, "abc%n", &n);', True),
        ('int n = 0; char b[9]; __builtin___sprintf_chk(b, 0, 9, "abc%n", &n);', True),
        ('int n = 0; char b[9]; __builtin___snprintf_chk(b, 9, 0, 9, "abc%n", &n);', True),
        ('char b[9]; __builtin___sprintf_chk(b, 0, -1, "%d", 7); __builtin_printf("%%n");', False),
        ('printf("100%%name %d", 7);', False),
        ('const char *f = "%s"; printf(f, "text");', False),
        ('char b[9]; sprintf(b, "%d", 7);', False),
    ],
)
def test_what_counts_characters_is_refused(text: str, is_refused: bool, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"#include <stdio.h>\nint main(void) {{ {text} return 0; }}\n")
    program = load([str(path)], FrontendOptions()).program
    marks = [mark for procedure in program.procedures.values() for mark in procedure.marks.values()]
    assert any(mark.kind is MarkKind.UNKNOWN for mark in marks) == is_refused
