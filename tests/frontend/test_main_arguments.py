"""The strings that main is given: objects of their own, in lists that end with NULL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\nvoid reach_error(void); int a[4];\n"

NEVER = {
    "two arguments are one": "argc > 1 && argv[0] == argv[1]",
    "a store to one changes another": "argc > 1 && (argv[0][0] = 'a', argv[1][0] = 'b', argv[0][0] == 'b')",
    "an argument is a global": "argc > 0 && (void *)argv[0] == (void *)a",
    "an argument is NULL": "argc > 1 && !argv[1]",
    "the list does not end": "argv[argc] != 0",
    "arguments that are swapped are one": "argc > 2 && ({ char *t = argv[1]; argv[1] = argv[2]; argv[2] = t; argv[1] == argv[2]; })",
    "two strings of the environment are one": "envp[0] && envp[1] && envp[0] == envp[1]",
}

SOMETIMES = {
    "a character": "argc == 3 && argv[2][0] == 'a' && argv[2][1] == 'b' && !argv[2][2] && argv[1][0] == 'z'",
    "a word": 'argc == 2 && strcmp(argv[1], "-v") == 0',
    "a number": "argc == 2 && atoi(argv[1]) == 7",
    "a length": "argc > 1 && strlen(argv[1]) > 3",
}

OPEN = {  # Linux puts the strings side by side; C does not say so
    "the next argument is behind": "argc == 3 && argv[1][0] == 'a' && !argv[1][1] && argv[1] + 2 != argv[2]",
    "the next argument is behind an empty one": "argc == 3 && !argv[1][0] && (uintptr_t)argv[1] + 1 != (uintptr_t)argv[2]",
    "the next argument is not behind": "argc == 3 && argv[1][0] == 'a' && !argv[1][1] && argv[1] + 3 == argv[2]",
    "the environment is as long as the arguments": "envp[argc] != 0",
}


def _verdict(folder: Path, condition: str, before: str = "") -> str:
    file = folder / "program.c"
    main = f"int main(int argc, char **argv, char **envp) {{ {before} if ({condition}) reach_error(); return 0; }}"
    file.write_text(f"{HEAD}static void f(void) {{}}\n{main}\n")
    return str(decided(file).verdict)


@pytest.mark.parametrize("name", NEVER)
def test_what_no_system_passes(name: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, NEVER[name]) == "TRUE"


@pytest.mark.parametrize("name", SOMETIMES)
def test_what_somebody_may_pass(name: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, SOMETIMES[name]) == "FALSE"


@pytest.mark.parametrize("name", OPEN)
def test_what_is_not_said(name: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, OPEN[name]) == "UNKNOWN"


def test_the_list_ends_before_functions_that_run_at_exit(tmp_path: Path) -> None:
    assert _verdict(tmp_path, "argv[argc] != 0", "atexit(f);") == "TRUE"
