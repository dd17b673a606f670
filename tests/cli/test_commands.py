"""The commands as people call them: answers, exit codes, and clear messages for bad input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from drystone.claims.property import Property, parse_property
from drystone.cli.main import main
from tests.places import EXAMPLES

BANK = str(EXAMPLES / "bank.c")
REACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"


def drystone(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """In a process of its own, where nothing is loaded yet."""
    return subprocess.run(
        [sys.executable, "-m", "drystone", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Exit code 3, nothing on standard output, no traceback; returns the message."""
    assert main(list(arguments)) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err and "internal error" not in captured.err
    return captured.err


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def writer(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return writer


# The frame: help, usage, errors


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import sys; from drystone.cli.main import main; main(['--help']);"
        "print([name for name in ('clang', 'yaml', 'rich', 'msgspec', 'drystone.ir', 'drystone.frontend') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("[]")
    assert "exit codes" in done.stdout


def test_verify_imports_only_what_every_program_needs() -> None:
    """The rest is imported where it is used: start-up is what small programs pay for."""
    code = (
        "import sys; import drystone.cli.verify, drystone.verification.kernel;"
        "print([name for name in ('z3', 'bitwuzla', 'rich', 'yaml', 'json', 'hashlib', 'subprocess', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_version() -> None:
    assert drystone("--version").stdout.startswith("drystone 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["prove", BANK],
        ["info"],
        ["info", BANK, "--no-such-option"],
        ["info", BANK, "--data-model", "LP32"],
        ["cfa", BANK, "--format", "pdf"],
        ["cfa", BANK, "--max-edges", "0"],
        ["run", BANK, "--seed", "one"],
        ["run", BANK, "--seed", "1", "--inputs", "1"],
        ["run", BANK, "--inputs", "1,two"],
        ["run", BANK, "--max-steps", "-1"],
        ["cfa", BANK, "--procedures", "--format", "dot"],
    ],
)
def test_wrong_usage_is_refused(arguments: list[str]) -> None:
    done = drystone(*arguments)
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr and "Traceback" not in done.stderr


def test_an_internal_error_is_one_line_with_a_hint(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import drystone.cli.info

    def fail(options: object) -> int:
        raise KeyError("x")

    monkeypatch.setattr(drystone.cli.info, "command", fail)
    assert main(["info", BANK]) == 4
    message = capsys.readouterr().err
    assert message.count("\n") == 1 and "internal error: KeyError" in message and "--verbose" in message
    assert main(["info", BANK, "--verbose"]) == 4
    assert "Traceback" in capsys.readouterr().err


def test_control_c(monkeypatch: pytest.MonkeyPatch) -> None:
    import drystone.cli.info

    def interrupted(options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(drystone.cli.info, "command", interrupted)
    assert main(["info", BANK]) == 130


def test_a_closed_pipe_is_no_error() -> None:
    read, written = os.pipe()
    os.close(read)
    process = subprocess.Popen([sys.executable, "-m", "drystone", "cfa", BANK], stdout=written, stderr=subprocess.PIPE, text=True)
    os.close(written)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 141
    assert errors == ""


# Bad files


def test_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.c: no such file" in refused(capsys, "info", "nowhere.c")


def test_directory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "is a directory" in refused(capsys, "cfa", str(tmp_path))


def test_special_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert "not a regular file" in refused(capsys, "info", os.devnull)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    file = write("locked.c", "int main(void) { return 0; }")
    os.chmod(file, 0)
    assert "cannot be read: Permission denied" in refused(capsys, "info", file)


def test_binary_file(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    assert "binary.c: is a binary file" in refused(capsys, "info", write("binary.c", b"\x7fELF\0\0\1"))


@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_empty_file(capsys: pytest.CaptureFixture[str], write, content: str) -> None:  # type: ignore[no-untyped-def]
    assert "empty.c: is empty" in refused(capsys, "run", write("empty.c", content))


def test_a_name_that_is_no_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be read" in refused(capsys, "info", "a\0b.c")
    assert "cannot be read" in refused(capsys, "info", "x" * 5000 + ".c")


def test_no_main(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    assert "main" in refused(capsys, "info", write("f.c", "int f(void) { return 0; }\n"))


def test_syntax_error_shows_line_and_caret(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    message = refused(capsys, "info", write("broken.c", "int main(void) {\n  return 0\n}\n"))
    assert "broken.c:2:" in message and "^" in message


def test_missing_include(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    message = refused(capsys, "info", write("a.c", '#include "nowhere.h"\nint main(void) { return 0; }\n'))
    assert "nowhere.h" in message and "a.c:1" in message


def test_output_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "cannot be written" in refused(capsys, "cfa", BANK, "-o", str(tmp_path))
    assert "cannot be written" in refused(capsys, "info", BANK, "--json", str(tmp_path / "no" / "x.json"))


def test_compile_commands_that_are_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.json: no such file" in refused(capsys, "info", BANK, "--compile-commands", "nowhere.json")


# Task definitions and properties


def task(write, content: str, prp: str = REACH) -> str:  # type: ignore[no-untyped-def]
    write("a.prp", prp)
    write("a.c", Path(BANK).read_text())
    return str(write("a.yml", content))


TASK = "format_version: '2.0'\ninput_files: a.c\nproperties:\n  - property_file: a.prp\noptions:\n  data_model: ILP32\n"


def test_a_task_definition_stands_for_its_files(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    for content in (TASK, TASK.replace("input_files: a.c", "input_files:\n  - a.c")):
        assert main(["info", task(write, content), "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["data_model"] == "ILP32"


def test_the_data_model_must_not_contradict_the_task(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    file = task(write, TASK)
    message = refused(capsys, "info", file, "--data-model", "LP64")
    assert "a.yml" in message and "ILP32" in message and "LP64" in message
    assert main(["info", file, "--data-model", "ILP32"]) == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("- a\n- b\n", "not a task definition"),
        ("just text", "not a task definition"),
        ("input_files: [", "not YAML"),
        ("input_files: 3\n", "input_files must be"),
        ("input_files: []\n", "input_files must be"),
        ("input_files: nowhere.c\n", "nowhere.c: no such file"),
        ("format_version: '1.0'\ninput_files: a.c\n", "format version 1.0"),
        ("input_files: a.c\noptions:\n  data_model: LLP64\n", "LLP64 is not supported"),
        ("input_files: a.c\noptions:\n  language: Java\n", "Java"),
        ("input_files: a.c\noptions: 3\n", "options must be"),
        ("input_files: a.c\nproperties: x\n", "properties must be"),
        ("input_files: a.c\nproperties:\n  - property_file: b.prp\n", "b.prp: no such file"),
        ("input_files: a.c\nproperties:\n  - expected_verdict: true\n", "without property_file"),
    ],
)
def test_bad_task_definitions(capsys: pytest.CaptureFixture[str], write, content: str, words: str) -> None:  # type: ignore[no-untyped-def]
    assert words in refused(capsys, "info", task(write, content))


def test_properties_other_than_unreachability_are_refused(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    termination = "CHECK( init(main()), LTL(F end) )\n"
    assert "none of its properties is supported" in refused(capsys, "info", task(write, TASK, termination))
    assert "not supported" in refused(capsys, "info", BANK, "--property", write("t.prp", termination))
    assert "not supported" in refused(capsys, "info", BANK, "--property", write("e.prp", ""))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (REACH, Property("main", None)),
        ("CHECK(init(start()),LTL(G!call(__VERIFIER_error())))", Property("start", None)),
        ("CHECK( init(main()), LTL(G ! call(fail())) )", Property("main", "fail")),
        ("CHECK( init(main()), LTL(G ! overflow) )", Property("main", None, checks=("overflow",), has_conventions=False)),
        (
            "CHECK( init(main()), LTL(G valid-free) )",
            Property("main", None, checks=("double-free", "invalid-free"), has_conventions=False),
        ),
        ("CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G ! call(f())) )", None),
        ("CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(f()), LTL(G valid-deref) )", None),
        ("CHECK( init(main()), LTL(G valid-anything) )", None),
        ("", None),
    ],
)
def test_property_files(text: str, meaning: Property | None) -> None:
    assert parse_property(text) == meaning


def test_options_must_not_contradict_the_property(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    file = write("p.prp", REACH)
    assert "--entry is f" in refused(capsys, "info", BANK, "--property", file, "--entry", "f")
    assert "--error-function is f" in refused(capsys, "info", BANK, "--property", file, "--error-function", "f")


# The commands


def test_info_tells_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", BANK]) == 0
    text = capsys.readouterr().out
    for part in ("main", "deposit", "LP64", "error locations", "bank.c:16"):
        assert part in text
    assert "\x1b" not in text


def test_info_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["info", str(EXAMPLES / "sum.c"), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["functions"]) >= {"main", "sum_to"}
    assert [(item["function"], item["line"]) for item in found["loops"]] == [("sum_to", 8)]
    assert [item["line"] for item in found["errors"]] == [15]
    assert found["threads"] == [] and found["unsupported"] == [] and isinstance(found["assumptions"], list)
    assert found["recursive"] == [] and found["entry"] == "main" and found["lines"] > 10
    assert main(["info", BANK, "--json", str(tmp_path / "info.json")]) == 0
    assert json.loads((tmp_path / "info.json").read_text())["data_model"] == "LP64"


def test_cfa_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cfa", BANK]) == 0
    inlined = capsys.readouterr().out
    assert inlined.count("procedure ") == 1 and "deposit@13.amount" in inlined and "ERROR" in inlined
    assert main(["cfa", BANK, "--procedures"]) == 0
    assert "procedure deposit" in capsys.readouterr().out


def test_cfa_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cfa", BANK, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    ids = {location["id"] for location in found["locations"]}
    assert found["entry"] in ids and set(found["errors"]) <= ids and len(found["errors"]) == 1 and found["unknowns"] == []
    assert all({edge["source"], edge["target"]} <= ids for edge in found["edges"])
    assert {"id", "source", "target", "operation", "file", "line"} <= set(found["edges"][0])
    assert any(location["name"] == "main/deposit@13" for location in found["locations"])


def test_cfa_as_dot(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cfa", BANK, "--format", "dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph")


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_cfa_as_svg(tmp_path: Path) -> None:
    assert main(["cfa", BANK, "--format", "svg", "-o", str(tmp_path / "a.svg")]) == 0
    assert "</svg>" in (tmp_path / "a.svg").read_text()


def test_svg_without_graphviz_says_what_to_install(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "install" in refused(capsys, "cfa", BANK, "--format", "svg")


def test_too_many_edges(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cfa", BANK, "--max-edges", "3"]) == 2
    message = capsys.readouterr().err
    assert "more than 3 edges" in message and "--max-edges" in message


@pytest.mark.parametrize(("inputs", "code"), [("70,60", 1), ("70,20", 0), ("-5,0x3c", 0), ("", 0)])
def test_run_tells_whether_the_error_was_reached(inputs: str, code: int) -> None:
    done = drystone("run", BANK, "--inputs", inputs)
    assert done.returncode == code, done.stderr
    assert ("the error was reached" in done.stdout) == (code == 1)
    if code == 1:
        assert "bank.c:16" in done.stdout and "70" in done.stdout


def test_the_bug_in_the_stack_is_there() -> None:
    done = drystone("run", str(EXAMPLES / "stack.c"), "--inputs", "1,2,3,4,-5")
    assert done.returncode == 1 and "stack.c:25" in done.stdout


def test_the_sum_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    for number in ("0", "1", "17", "99", "4294967295"):
        assert main(["run", str(EXAMPLES / "sum.c"), "--inputs", number]) == 0, capsys.readouterr().out


def test_run_with_a_seed_is_repeatable(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for _ in range(2):
        assert main(["run", BANK, "--seed", "7", "--path"]) in (0, 1)
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] and "bank.c:13: " in outputs[0]


def test_run_stops_at_the_limit(capsys: pytest.CaptureFixture[str], write) -> None:  # type: ignore[no-untyped-def]
    assert main(["run", write("loop.c", "int main(void) { for (;;) {} }\n"), "--max-steps", "100"]) == 2
    assert "limit" in capsys.readouterr().out


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.c")), ids=lambda path: path.name)
@pytest.mark.parametrize("data_model", ["ILP32", "LP64"])
def test_all_commands_know_the_examples(example: Path, data_model: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["info"], ["cfa", "--format", "json"], ["run", "--seed", "1"]):
        assert main([arguments[0], str(example), "--data-model", data_model, *arguments[1:]]) in (0, 1), capsys.readouterr().err


PRINTING = """#include <stdio.h>
#include <stdlib.h>
int main(void) { int n = printf("one\\n"); fprintf(stderr, "%d\\n", n); puts("two"); exit(n + 3); }
"""


def test_run_shows_what_the_program_prints(write) -> None:  # type: ignore[no-untyped-def]
    done = drystone("run", write("program.c", PRINTING))
    assert done.returncode == 0
    assert "output | one\noutput | two\nstderr | 4\n" in done.stdout and "status   7\n" in done.stdout
    raw = drystone("run", "--raw", write("program.c", PRINTING))
    assert (raw.stdout, raw.stderr) == ("one\ntwo\n", "4\n")
