"""Of strcmp, isdigit and their kin, C promises the sign or the truth: nothing else is proved or refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import report

HEAD = """extern void reach_error(void); int strcmp(const char *, const char *); int memcmp(const void *, const void *, unsigned long);
int isdigit(int); int isalpha(int); char __VERIFIER_nondet_char(void);
"""
PROGRAMS = {
    "the sign": ('if (strcmp("a", "b") >= 0) reach_error();', {"TRUE"}),
    "the sign, kept": ('int c = strcmp("a", "b"); if (c >= 0) reach_error();', {"TRUE"}),
    "equality": ('char a[2] = "q", b[2] = "q"; if (memcmp(a, b, 2) != 0) reach_error();', {"TRUE"}),
    "the number": ('char a[2] = "a", b[2] = "c"; if (strcmp(a, b) != -1) reach_error();', {"UNKNOWN", "FALSE"}),
    "another number": ('char a[2] = "a", b[2] = "c"; if (strcmp(a, b) == -1) reach_error();', {"UNKNOWN"}),
    "the truth": ("if (!isdigit('3')) reach_error();", {"TRUE"}),
    "the truth, kept": ("int d = isalpha('3'); if (d) reach_error();", {"TRUE"}),
    "a truth that is one": ("if (isdigit('3') != 1) reach_error();", {"UNKNOWN", "FALSE"}),
    "the number, through a pointer": (
        'char a[2] = "a", b[2] = "c"; int (*f)(const char *, const char *) = strcmp; if (f(a, b) != -1) reach_error();',
        {"UNKNOWN", "FALSE"},
    ),
    "another number, through a pointer": (
        'char a[2] = "a", b[2] = "c"; int (*f)(const char *, const char *) = strcmp; if (f(a, b) == -1) reach_error();',
        {"UNKNOWN", "FALSE"},
    ),
    "a truth that is one, through a pointer": ("int (*f)(int) = isdigit; if (f('3') != 1) reach_error();", {"UNKNOWN", "FALSE"}),
    "the sign, through a pointer": (
        'int (*f)(const char *, const char *) = strcmp; if (f("a", "b") >= 0) reach_error();',
        {"TRUE"},
    ),
    "an error that needs the truth alone": ("int d = isdigit(__VERIFIER_nondet_char()); if (d) reach_error();", {"FALSE"}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_only_the_sign_is_known(name: str, tmp_path: Path) -> None:
    text, allowed = PROGRAMS[name]
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ {text} return 0; }}\n")
    assert report(file, "--timeout", "20s", "--workers", "1")["verdict"] in allowed
