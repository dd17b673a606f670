"""Functions, classes and modules stay small enough to read; what is larger is listed here, with the reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.places import SOURCES

FUNCTION_LINES, CLASS_LINES, METHODS, MODULE_LINES = 60, 400, 25, 460

EXCUSED = {
    "logic/floats.py:Arithmetic": "one method for each operation of IEEE 754, most of them a line",
}


def too_large(source: str) -> Iterator[str]:
    """The names of the functions and classes that are, and of the module as a whole: an empty name."""
    if source.count("\n") > MODULE_LINES:
        yield ""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES:
                yield node.name
        elif isinstance(node, ast.ClassDef):
            methods = sum(isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) for member in node.body)
            if methods > METHODS or (node.end_lineno or 0) - node.lineno + 1 > CLASS_LINES:
                yield node.name


def test_functions_classes_and_modules_are_small() -> None:
    found = {
        f"{path.relative_to(SOURCES)}:{name}" for path in sorted(SOURCES.rglob("*.py")) for name in too_large(path.read_text())
    }
    assert found == EXCUSED.keys()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f():\n" + "    x = 1\n" * 59, []),
        ("def f():\n" + "    x = 1\n" * 60, ["f"]),
        ("class C:\n" + "".join(f"    def m{number}(self): ...\n" for number in range(26)), ["C"]),
        ("x = 1\n" * 461, [""]),
    ],
)
def test_what_is_too_large_is_found(source: str, found: list[str]) -> None:
    assert list(too_large(source)) == found
