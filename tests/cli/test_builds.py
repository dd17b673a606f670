"""The words of real builds: macros and included files, files with options, the standard input, compile_commands.json."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from drystone.base.refusal import Refusal
from drystone.base.response_files import expanded, words_of
from drystone.counterexamples.native.build import installed_compiler
from drystone.frontend.compile_flags import read_flags, stated
from drystone.frontend.errors import FrontendError

CHOSEN = """#include <assert.h>
int main(void) {
  int n = 2;
#ifdef BROKEN
  n = BROKEN;
#endif
  assert(n == 2);
  return 0;
}
"""
FAILING = """#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x > 5 && x < 9) assert(x != 7); return 0; }
"""
HOLDING = FAILING.replace("!= 7", "!= 9")


def drystone(folder: Path, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "drystone", *words]
    return subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, timeout=120, check=False)


# Macros and included files


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("", 0),
        ("-D BROKEN=1", 1),
        ("-DBROKEN=2", 0),
        ("-D BROKEN=1 -U BROKEN", 0),
        ("-U BROKEN -D BROKEN=1", 1),
        ("-D BROKEN=1 -D BROKEN=2", 0),
        ("-D BROKEN=2 -U OTHER -D BROKEN=1", 1),
        ("-include broken.h", 1),
        ("-include broken.h -include mended.h", 0),
        ("-D BROKEN=2 -include mended.h", 0),
        ("-I inc -include deeper.h", 1),
    ],
)
def test_the_last_word_about_a_macro_counts(words: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(CHOSEN)
    (tmp_path / "broken.h").write_text("#define BROKEN 1\n")
    (tmp_path / "mended.h").write_text("#undef BROKEN\n#define BROKEN 2\n")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "deeper.h").write_text("#define BROKEN 1\n")
    done = drystone(tmp_path, "verify", "a.c", *words.split())
    assert done.returncode == code, done.stdout + done.stderr


def test_system_folders_come_after_the_others_and_before_the_bundled_headers(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        "#include <assert.h>\n#include <n.h>\n#include <errno.h>\nint main(void) { int n = N; assert(n == EDOM); }\n"
    )
    for folder, text in (("one", "#define N 1\n"), ("two", "#define N 2\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "n.h").write_text(text)
    (tmp_path / "two" / "errno.h").write_text("#define EDOM 1\n")
    assert drystone(tmp_path, "verify", "a.c", "-isystem", "two", "-I", "one").returncode == 0
    assert drystone(tmp_path, "verify", "a.c", "-isystem", "two").returncode == 1
    assert drystone(tmp_path, "verify", "a.c", "-isystem", "one").returncode == 1


def test_what_is_claimed_has_to_be_said_again(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(HOLDING)
    (tmp_path / "more.h").write_text("#define MORE\n")
    said = ("-U", "X", "-include", "more.h", "--unwind", "3")
    assert drystone(tmp_path, "verify", "a.c", *said, "--certificate", "c.json").returncode == 0
    assert drystone(tmp_path, "check", "c.json", "a.c", *said).returncode == 0
    for left_out, hint in ((0, "add -U X"), (2, "add -include more.h"), (4, "add --unwind 3")):
        done = drystone(tmp_path, "check", "c.json", "a.c", *said[:left_out], *said[left_out + 2 :])
        assert done.returncode == 3 and hint in done.stderr, done.stderr
    (tmp_path / "more.h").write_text("#define MORE 2\n")
    done = drystone(tmp_path, "check", "c.json", "a.c", *said)
    assert done.returncode == 2 and "more.h, which a.c includes, is not the text" in done.stdout


def test_a_file_to_include_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(CHOSEN)
    done = drystone(tmp_path, "verify", "a.c", "-include", "nowhere.h")
    assert done.returncode == 3 and done.stderr == "drystone: nowhere.h: no such file\n"


def test_no_macros_of_vector_instructions(tmp_path: Path) -> None:
    names = ("MMX", "SSE", "SSE2", "SSE_MATH", "SSE2_MATH")
    lines = "".join(f"#ifdef __{name}__\n#error {name}\n#endif\n" for name in names)
    (tmp_path / "a.c").write_text(lines + FAILING)
    for model in ("LP64", "ILP32"):
        assert drystone(tmp_path, "verify", "a.c", "--data-model", model).returncode == 1
    if installed_compiler() is not None:
        done = drystone(tmp_path, "verify", "a.c", "--replay", "native")
        assert "natively reproduced: " in done.stdout, done.stdout
    done = drystone(tmp_path, "verify", "a.c", "-D", "__SSE2__")
    assert done.returncode == 3 and "error: SSE2" in done.stderr


# Files with options


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("a  b\n\tc\n", ["a", "b", "c"]),
        ("-DX='a b' \"c d\"", ["-DX=a b", "c d"]),
        (r"a\ b '\'' \"", ["a b", "'", '"']),
        ("'' x", ["", "x"]),
        ("'open end", ["open end"]),
    ],
)
def test_words_are_separated_as_gcc_does(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_files_with_options(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(CHOSEN)
    (tmp_path / "inner.txt").write_text("-D 'BROKEN=1'\n")
    (tmp_path / "outer.txt").write_text("a.c @inner.txt")
    assert drystone(tmp_path, "verify", "@outer.txt").returncode == 1
    assert drystone(tmp_path, "verify", "@outer.txt", "-U", "BROKEN").returncode == 0
    done = drystone(tmp_path, "verify", "a.c", "@nowhere.txt")
    assert done.returncode == 3
    assert done.stderr == "drystone: @nowhere.txt: the file with options cannot be read: No such file or directory\n"


def test_a_file_with_options_that_names_itself(tmp_path: Path) -> None:
    (tmp_path / "self.txt").write_text("-x @self.txt")
    with pytest.raises(Refusal, match="files with options are nested too deeply"):
        expanded(["@self.txt"], str(tmp_path))


# The standard input


def test_a_program_from_the_standard_input(tmp_path: Path) -> None:
    done = drystone(tmp_path, "verify", "-", "--json", "result.json", text=FAILING)
    assert done.returncode == 1
    assert "<stdin>:3: assertion x != 7 in main" in done.stdout and "int x = __VERIFIER_nondet_int();" in done.stdout
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["file"] == "<stdin>" and result["files"] == ["<stdin>"] and result["errors"][0]["file"] == "<stdin>"
    assert "drystone-stdin" not in done.stdout + done.stderr + (tmp_path / "result.json").read_text()


def test_a_proof_of_a_program_from_the_standard_input(tmp_path: Path) -> None:
    (tmp_path / "limit.h").write_text("#define LIMIT 9\n")  # beside: it is looked for in the current folder
    text = '#include "limit.h"\n' + HOLDING.replace("!= 9", "!= LIMIT && __FILE__[0] == '<'")
    done = drystone(tmp_path, "verify", "-", "--certificate", "c.json", text=text)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((tmp_path / "c.json").read_text())["sources"][0]["file"] == "<stdin>"
    assert drystone(tmp_path, "check", "c.json", "-", text=text).returncode == 0
    (tmp_path / "p.c").write_text(text)
    assert drystone(tmp_path, "check", "c.json", "p.c").returncode == 2  # __FILE__ is another one
    done = drystone(tmp_path, "check", "c.json", "-", text=text.replace("9", "10"))
    assert done.returncode == 2 and "<stdin> is not the text that the certificate was made for" in done.stdout


@pytest.mark.skipif(installed_compiler() is None, reason="gcc is not installed")
def test_a_program_from_the_standard_input_is_compiled(tmp_path: Path) -> None:
    done = drystone(tmp_path, "verify", "-", "--replay", "native", "--harness", "h.c", text=FAILING)
    assert "natively reproduced: " in done.stdout, done.stdout
    assert (tmp_path / "h.program0.c").read_text() and "h.program0.c" in (tmp_path / "h.c").read_text()


@pytest.mark.parametrize(
    ("words", "text", "message"),
    [
        (("verify", "-", "-"), "", "drystone: - is given twice: the standard input can be read only once\n"),
        (("info", "-"), "", "drystone: <stdin>: is empty\n"),
        (("cfa", "-"), "int main(void) { return x; }", "drystone: <stdin>:1:25: error: use of undeclared identifier 'x'\n"),
    ],
)
def test_a_standard_input_that_cannot_be_used(words: tuple[str, ...], text: str, message: str, tmp_path: Path) -> None:
    done = drystone(tmp_path, *words, text=text)
    assert done.returncode == 3 and done.stdout == "" and done.stderr.startswith(message)


def test_the_automaton_of_the_standard_input(tmp_path: Path) -> None:
    done = drystone(tmp_path, "cfa", "-", text=FAILING)
    assert done.returncode == 0 and "file <stdin>\n" in done.stdout


# compile_commands.json


def flags(text: str, data_model: str = "LP64") -> list[str]:
    return read_flags(text.split(), "/src", data_model, "db: command of a.c")


def test_flags_that_decide_what_a_text_means_are_kept() -> None:
    kept = flags(
        "-I inc -Iother -isystem /sys -iquote q -include /x.h -include y.h -DX=1 -D Y -UZ -std=c99 -funsigned-char -fshort-enums -m64"
    )
    assert kept == [
        *("-I", "/src/inc", "-I", "/src/other", "-isystem", "/sys", "-iquote", "/src/q", "-include", "/x.h", "-include", "y.h"),
        *("-DX=1", "-DY", "-UZ", "-std=c99", "-funsigned-char", "-fshort-enums"),
    ]
    assert stated(kept) == ["-DX=1", "-DY", "-UZ", "-std=c99", "-funsigned-char", "-fshort-enums"]
    assert flags("-Wp,-D_FORTIFY_SOURCE=2,-DX") == ["-D_FORTIFY_SOURCE=2", "-DX"]


def test_flags_without_meaning_are_known() -> None:
    assert (
        flags("-c -o a.o -O0 -g3 -Wall -Wextra -Werror=format -pedantic -pipe -MD -MF a.d -MT a.o -fPIC -fstack-protector-strong")
        == []
    )
    assert (
        flags("-fno-strict-aliasing -fwrapv -fno-common -fvisibility=hidden -ffunction-sections -flto=auto -march=x86-64") == []
    )
    assert (
        flags("-Wp,-MD,a.d -fdiagnostics-color=always -fmacro-backtrace-limit=0 -fno-omit-frame-pointer -mtune=native a.c") == []
    )
    assert flags("-c -Wl,--wrap=f -L /lib -lm") == []
    assert flags("-O2 -Os") == ["-D__OPTIMIZE__=1", "-U__NO_INLINE__", "-D__OPTIMIZE_SIZE__=1"]  # a program sees it by macros


@pytest.mark.parametrize(
    "flag",
    [
        *(
            "-ffast-math",
            "-Ofast",
            "-fshort-wchar",
            "-fpack-struct",
            "-fpack-struct=1",
            "-ftrapv",
            "-fopenmp",
            "-fno-signed-zeros",
        ),
        *(
            "-fsanitize=address",
            "-march=native",
            "-mfma",
            "-mlong-double-64",
            "-mfpmath=387",
            "-malign-double",
            "-fno-math-errno",
        ),
        *("-undef", "-fno-asm", "-masm=intel", "-finstrument-functions", "-fplan9-extensions", "-fsingle-precision-constant"),
        *(
            "-ftrivial-auto-var-init=zero",
            "-fhardened",
            "-fno-this-flag-exists",
            "-Wl,--wrap=f",
            "-Xclang",
            "-fmerge-all-constants",
        ),
        *(
            "-fno-hosted",
            "-funsigned-bitfields",
            "-mx32",
            "-fplugin=x.so",
            "-finput-charset=latin1",
            "-fexcess-precision=fast",
            "-fmodules",
        ),
    ],
)
def test_flags_that_are_not_modelled_are_refused(flag: str) -> None:
    with pytest.raises(FrontendError, match=r"^db: command of a\.c: "):
        flags(flag)


def test_the_width_of_a_command_must_be_that_of_the_data_model() -> None:
    assert flags("-m32", "ILP32") == []
    with pytest.raises(FrontendError, match="-m32 means --data-model ILP32, but LP64 is asked for"):
        flags("-m32")
    with pytest.raises(FrontendError, match=r"its language is c\+\+, not C"):
        flags("-x c++")


PARTS = {
    "a.c": "#include <assert.h>\n#include <limit.h>\nint f(int); extern int __VERIFIER_nondet_int(void);\n"
    "int main(void) { char c = -1; if (f(__VERIFIER_nondet_int()) == LIMIT) assert(c < 0); return 0; }\n",
    "b.c": "int f(int x) { return x + K; }\n",
}


def placed(folder: Path, first: str, second: str) -> tuple[str, ...]:
    """Two files, and their flags in a compile_commands.json."""
    for name, text in PARTS.items():
        (folder / name).write_text(text)
    (folder / "inc").mkdir(exist_ok=True)
    (folder / "inc" / "limit.h").write_text("#define LIMIT 12\n")
    commands = [
        {"directory": str(folder), "file": "a.c", "command": f"ccache gcc -Wall {first} -c a.c -o a.o"},
        {"directory": str(folder), "file": "b.c", "arguments": ["gcc", *second.split(), "-c", "b.c"]},
    ]
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    return "a.c", "b.c", "--compile-commands", "compile_commands.json"


def test_each_file_has_its_flags(tmp_path: Path) -> None:
    words = placed(tmp_path, "-isystem inc -funsigned-char", "-DK=3")
    done = drystone(tmp_path, "verify", *words, "--check", "none", "--replay", "native", "--harness", "h.c")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "values at the error: c = 255" in done.stdout
    if installed_compiler() is not None:
        assert "natively reproduced: " in done.stdout
        assert "-DK=3 -Dmain=drystone_main -c b.c -o b.1.o && " in (tmp_path / "h.c").read_text()
    assert (
        drystone(tmp_path, "verify", *placed(tmp_path, "-isystem inc -fsigned-char", "-DK=3"), "--check", "none").returncode == 0
    )
    assert drystone(tmp_path, "verify", *placed(tmp_path, "-isystem inc", "-DK=3"), "--check", "none").returncode == 0


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("-Iinc -ffast-math", "command of a.c: -ffast-math may change what the program means, and is not modelled"),
        ("-Iinc -m32", "command of a.c: -m32 means --data-model ILP32, but LP64 is asked for"),
        ("@more.txt", "@more.txt: the file with options cannot be read: No such file or directory"),
    ],
)
def test_commands_that_are_refused(first: str, message: str, tmp_path: Path) -> None:
    done = drystone(tmp_path, "verify", *placed(tmp_path, first, "-DK=3"))
    assert done.returncode == 3 and message in done.stderr, done.stderr


def test_it_must_be_known_which_command_is_meant(tmp_path: Path) -> None:
    words = placed(tmp_path, "-Iinc", "-DK=3")
    database = tmp_path / "compile_commands.json"
    commands = json.loads(database.read_text())
    database.write_text(json.dumps(commands[:1]))
    done = drystone(tmp_path, "verify", *words)
    assert done.returncode == 3 and "drystone: compile_commands.json: has no command for b.c" in done.stderr
    database.write_text(json.dumps([*commands, {**commands[1], "arguments": ["gcc", "-DK=4", "b.c"]}]))
    done = drystone(tmp_path, "verify", *words)
    assert done.returncode == 3 and "has several commands for b.c, with different options" in done.stderr


# A compiler that cannot build 32-bit programs


def test_what_has_to_be_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.c").write_text(FAILING)
    compiler = tmp_path / "gcc"
    compiler.write_text(
        '#!/bin/sh\necho "/usr/bin/ld: cannot find -lgcc" >&2\necho "collect2: error: ld returned 1" >&2\nexit 1\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    done = drystone(tmp_path, "verify", "a.c", "--data-model", "ILP32", "--replay", "native")
    lacks = "gcc cannot build 32-bit programs here: install gcc-multilib, or use --no-native"
    assert done.returncode == 1 and f"natively not reproduced: {lacks}" in done.stdout, done.stdout
    (tmp_path / "a.c").write_text("#include <assert.h>\n#include <stdlib.h>\nint main(void) { assert(rand() != 5); return 0; }\n")
    done = drystone(tmp_path, "verify", "a.c", "--data-model", "ILP32")
    assert done.returncode == 2 and f"; {lacks}" in done.stdout, done.stdout
