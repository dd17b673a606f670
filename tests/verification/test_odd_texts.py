"""Formats and texts that C leaves open, or of which libraries differ: never a verdict that the compiled program contradicts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.running import report

LONG = "0" * 6000

CASES = {
    "a range behind a range": ('int n = sscanf("-7", "%[a-c-f]", b); assert(n == 1);', {"UNKNOWN", "FALSE"}),
    "a range that is reversed": ('int n = sscanf("abc", "%[z-a]", b); assert(n != 5);', {"UNKNOWN", "TRUE"}),
    "a subnormal number": (
        'sprintf(b, "%La", 3.6e-4951L); assert(!strcmp(b, "0x0.000000000000001p-16385"));',
        {"UNKNOWN", "TRUE"},
    ),
    "a negative precision": ('sprintf(b, "%.-3d", 5); assert(!strcmp(b, "5"));', {"UNKNOWN", "FALSE"}),
    "a precision without digits": ('sprintf(b, "%.-d", 5); assert(b[0] != 1);', {"UNKNOWN", "TRUE"}),
    "zeros behind a power of ten": ('sprintf(b, "%#g", 999999.5); assert(!strcmp(b, "1.00000e+06"));', {"UNKNOWN", "FALSE"}),
    "many decimals": ('int n = snprintf(0, 0, "%.40000f", 1.0); assert(n == 40002);', {"UNKNOWN", "TRUE"}),
    "many digits": (f'double d = strtod("0.125{LONG}", 0); assert(d == 0.125);', {"UNKNOWN", "TRUE"}),
    "many digits of a power": (f'double d = strtod("1e{LONG}5", 0); assert(d == 1e5);', {"UNKNOWN", "TRUE"}),
    "many digits of an integer": (f'int i = 0; sscanf("{LONG}5", "%d", &i); assert(i == 5);', {"UNKNOWN", "TRUE"}),
}


@pytest.mark.parametrize("what", CASES)
def test_texts_that_are_left_open(what: str, tmp_path: Path) -> None:
    body, allowed = CASES[what]
    file = tmp_path / "program.c"
    head = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    file.write_text(f'{head}int main(void) {{ char b[60] = ""; {body} return 0; }}\n')
    assert report(file, "--timeout", "10s")["verdict"] in allowed


@pytest.mark.parametrize(("level", "verdict"), [("-O0", "TRUE"), ("-O2", "FALSE"), ("-O2 -O0", "TRUE"), ("-Os", "FALSE")])
def test_a_program_sees_whether_it_is_optimised(level: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        "#include <assert.h>\nint main(void) { int n = 0;\n#ifdef __OPTIMIZE__\nn = 1;\n#endif\nassert(n == 0); return 0; }\n"
    )
    command = {"directory": str(tmp_path), "file": "program.c", "arguments": ["gcc", *level.split(), "-c", "program.c"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([command]))
    assert report(file, "--compile-commands", tmp_path / "compile_commands.json")["verdict"] == verdict
