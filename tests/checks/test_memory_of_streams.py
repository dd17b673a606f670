"""What functions that read and print access, where memory is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

PROGRAMS = {
    "fgets": ("char b[8]; if (fgets(b, sizeof b, stdin)) sink = b[0];", "TRUE"),
    "fgets too long": ("char b[8]; fgets(b, 9, stdin);", "FALSE: out-of-bounds write in fgets(b, 9, stdin)"),
    "fread": ("char b[8]; sink = fread(b, 2, 4, stdin);", "TRUE"),
    "fread too long": ("char b[8]; sink = fread(b, 2, 5, stdin);", "FALSE: out-of-bounds write in fread(b, 2, 5, stdin)"),
    "scanned number": ('int i; if (scanf("%d", &i) == 1) sink = i / 2;', "TRUE"),
    "scanned behind": (
        'int a[2]; for (int i = 0; i < 3; i++) scanf("%d", &a[i]);',
        'FALSE: out-of-bounds write in scanf("%d", &a[i])',
    ),
    "scanned into NULL": ('int *p = 0; scanf("%d", p);', 'FALSE: null dereference: write in scanf("%d", p)'),
    "scanned word": ('char b[8]; if (scanf("%7s", b) == 1) sink = b[0];', "TRUE"),
    "scanned word too long": ('char b[8]; scanf("%8s", b);', "UNKNOWN"),  # the next call would read the rest
    "scanned word of any length": ('char b[8]; scanf("%s", b);', 'FALSE: out-of-bounds write in scanf("%s", b)'),
    "scanned text": ("char b[2] = {'1', '2'}; sscanf(b, \"%d\", &sink);", "FALSE: out-of-bounds read in sscanf(b, "),
    "printed": ('char b[4] = "abc"; printf("%d %s %5.2s|", sink, b, b); puts(b); fputs(b, stdout);', "TRUE"),
    "printed without an end": ("char b[2] = {'a', 'b'}; printf(\"%d %s\", 1, b);", "FALSE: out-of-bounds read in printf("),
    "printed up to its end": ("char b[2] = {'a', 'b'}; printf(\"%d %.2s\", 1, b);", "TRUE"),
    "printed behind": ("char b[2] = {'a', 'b'}; printf(\"%d %.3s\", 1, b);", "FALSE: out-of-bounds read in printf("),
    "printed after free": ("char *p = calloc(2, 1); free(p); puts(p);", "FALSE: use after free: read in puts(p)"),
    "sprintf": ("char b[16]; sprintf(b, \"%d %c%%\", nd(), 'a');", "TRUE"),
    "sprintf too long": ('char b[4]; sprintf(b, "%d", nd());', 'FALSE: out-of-bounds write in sprintf(b, "%d", nd())'),
    "sprintf of a constant": ('char b[4]; sprintf(b, "%d", 123);', "TRUE"),
    "sprintf of a long constant": ('char b[4]; sprintf(b, "%d", 1234);', "FALSE: out-of-bounds write in sprintf("),
    "snprintf": ('char b[4], s[4] = "abc"; snprintf(b, sizeof b, "%d%s", nd(), s);', "TRUE"),
    "snprintf from no string": (
        "char b[4], s[2] = {'a', 'b'}; snprintf(b, sizeof b, \"%d%s\", nd(), s);",
        "FALSE: out-of-bounds read in snprintf(",
    ),
    "a number of a string": ('char b[4] = "12"; sink = atoi(b);', "TRUE"),
    "a number of no string": ("char b[2] = {'1', '2'}; sink = atoi(b);", "FALSE: out-of-bounds read in atoi(b)"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_streams(tmp_path: Path, name: str) -> None:
    body, expected = PROGRAMS[name]
    file = tmp_path / "program.c"
    head = "#include <stdio.h>\n#include <stdlib.h>\nextern int nd(void);\nint sink;\nint main(void) {\n"
    file.write_text(f"{head}{body}\nreturn 0; }}\n")
    result = decided(file, engine="auto", timeout=30, check=("memory",), external="pure")
    assert f"{result.verdict}: {result.reason}".startswith(expected), result.reason
