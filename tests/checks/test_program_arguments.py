"""Arguments of main where memory is checked: a table that ends with NULL, and strings as large as what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

PROGRAMS = {
    "all": ("for (int i = 0; i < argc; i++) sink += argv[i][0];", "TRUE"),
    "final NULL": ("sink = argv[argc] == 0;", "TRUE"),
    "empty or longer": ("if (argc == 2 && argv[1][0]) sink = argv[1][1];", "TRUE"),
    "written": ("if (argc == 2 && argv[1][0]) argv[1][0] = 'x', argv[0] = 0;", "TRUE"),
    "behind the final NULL": ("sink = argv[argc + 1] == 0;", "FALSE: out-of-bounds read of argv[argc + 1]"),
    "before the first": ("sink = argv[-1] == 0;", "FALSE: out-of-bounds read of argv[-1]"),
    "through the final NULL": ("sink = *argv[argc];", "FALSE: null dereference: read of *argv[argc]"),
    "one too few": ("if (argc > 0) sink = *argv[1];", "FALSE: null dereference: read of *argv[1]"),
    "behind the end of a string": (
        "if (argc == 2 && argv[1][0] && !argv[1][1]) sink = argv[1][2];",
        "FALSE: out-of-bounds read of argv[1][2]",
    ),
    "longer than the buffer": (
        "char b[3]; int i = 0; if (argc == 2) { for (; argv[1][i]; i++) b[i] = argv[1][i]; b[i] = 0; }",
        "FALSE: out-of-bounds write of b[i]: 3 elements",
    ),
    "freed": ("free(argv[0]);", "UNKNOWN"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_arguments(tmp_path: Path, name: str) -> None:
    body, expected = PROGRAMS[name]
    file = tmp_path / "program.c"
    head = "#include <stdlib.h>\nint sink;\nint main(int argc, char **argv) {\nif (argc > 3) return 0;\n"
    file.write_text(f"{head}{body}\nreturn 0; }}\n")
    result = decided(file, engine="auto", timeout=30, check=("memory",))
    assert f"{result.verdict}: {result.reason}".startswith(expected)
