"""`drystone verify` as people and programs call it: answers, exit codes, the JSON object, messages."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import msgspec
import pytest

from drystone.cli.main import main
from drystone.cli.options.values import duration, size
from drystone.verification.result import SCHEMA_VERSION, Result
from tests.places import EXAMPLES, PROGRAMS
from tests.running import report, verify

BANK = EXAMPLES / "bank.c"


def execute(*arguments: str | Path) -> object:
    return verify(*arguments, "--engine", "execute", "--timeout", "5s")


@pytest.mark.parametrize(
    ("file", "code", "verdict"),
    [
        (BANK, 1, "FALSE"),
        (PROGRAMS / "nontermination.c", 0, "TRUE"),
        (PROGRAMS / "no_error.c", 2, "UNKNOWN"),
        (PROGRAMS / "hidden_product.c", 2, "UNKNOWN"),
        (PROGRAMS / "thread_cancelled.c", 2, "UNKNOWN"),
    ],
)
def test_exit_codes(file: Path, code: int, verdict: str) -> None:
    done = verify(file, "--engine", "execute", "--timeout", "3s", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (code, f"{verdict}\n", "")


def test_the_answer_names_place_values_inputs_and_steps() -> None:
    done = verify(BANK, "--engine", "execute")
    assert done.stdout.startswith("FALSE  the error can be reached\n")
    assert "examples/bank.c:16: reach_error() in main" in done.stdout
    assert "values at the error: balance = 2" in done.stdout or "balance = 1" in done.stdout
    assert "replayed by the interpreter" in done.stdout
    assert "if (balance > 120)" in done.stdout
    assert [line.split()[-1] for line in done.stderr.splitlines()] == ["reading", "runs", "replaying"]


def test_the_json_object() -> None:
    result = report(BANK, "--engine", "execute", "--seed", "3")
    assert result["schema_version"] == SCHEMA_VERSION
    assert (result["verdict"], result["engine"], result["seed"]) == ("FALSE", "execute", 3)
    assert result["file"] == str(BANK)
    assert result["property"] == "all assertions that main reaches"
    (error,) = result["errors"]
    assert (error["what"], error["line"], error["function"], error["verdict"]) == ("reach_error()", 16, "main", "FALSE")
    assert result["wall_s"] > 0 and result["cpu_s"] > 0 and result["peak_mb"] > 1
    assert result["counters"]["runs"] >= 1
    example = result["evidence"]["counterexample"]
    assert [entry["name"] for entry in example["inputs"]] == ["__VERIFIER_nondet_int"] * 2
    assert example["replayed"] is True and example["native"] is None
    assert result["evidence"]["certificate"] is None
    assert {"file", "line", "source", "operations", "changes", "inputs"} <= example["steps"][0].keys()
    msgspec.convert(result, Result)  # the object is what the type says


def test_json_to_a_file_leaves_the_text(tmp_path: Path) -> None:
    done = verify(BANK, "--engine", "execute", "--json", tmp_path / "out.json")
    assert done.stdout.startswith("FALSE")
    assert json.loads((tmp_path / "out.json").read_text())["verdict"] == "FALSE"


def test_each_error_location_has_its_own_verdict() -> None:
    result = report(PROGRAMS / "two_errors.c", "--engine", "execute", "--timeout", "5s")
    assert {error["line"]: error["verdict"] for error in result["errors"]} == {8: "FALSE", 10: "FALSE", 12: "UNKNOWN"} or (
        [error["verdict"] for error in result["errors"]].count("FALSE") == 2
    )


def test_a_false_that_relies_on_undefined_behaviour_says_so() -> None:
    done = verify(PROGRAMS / "shift_too_far.c", "--engine", "execute")
    assert f"relies on undefined behaviour: x << n at {PROGRAMS / 'shift_too_far.c'}:10" in done.stdout


def test_nothing_to_prove() -> None:
    result = report(PROGRAMS / "no_error.c")
    assert (result["verdict"], result["cause"]) == ("UNKNOWN", "nothing")
    assert result["reason"] == "nothing to prove: main reaches no assertion"
    result = report(PROGRAMS / "no_error.c", "--property", EXAMPLES / "unreach-call.prp")
    assert result["verdict"] == "TRUE" and result["reason"].startswith("nothing to prove: main reaches no call of reach_error")


def test_nothing_to_prove_but_something_is_not_modelled(tmp_path: Path) -> None:
    file = tmp_path / "jump.c"
    file.write_text("#include <setjmp.h>\njmp_buf b;\nint main(void) { if (setjmp(b)) return 1; longjmp(b, 1); }\n")
    result = report(file)
    assert result["verdict"] == "UNKNOWN" and "not modelled" in result["reason"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int f(void) { return 0; }\n", "function main is not defined"),
        ("int main(void) { return x; }\n", "undeclared identifier"),
        ("", "is empty"),
    ],
)
def test_bad_input(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.c"
    file.write_text(text)
    done = verify(file)
    assert done.returncode == 3 and message in done.stderr and done.stdout == "" and "Traceback" not in done.stderr


def test_wrong_options() -> None:
    for words in (["--timeout", "soon"], ["--timeout", "0s"], ["--memory", "much"], ["--engine", "magic"], ["--seed", "-1"]):
        assert verify(BANK, *words).returncode == 3, words
    done = verify(BANK, "--harness", "h.c")
    assert done.returncode == 3 and "--replay native" in done.stderr


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("foo", "there is no decomposition 'foo', only loops, default, whole"),
        ("loops:3", "there is no decomposition 'loops:3'"),
        ("", "there is no decomposition ''"),
        ("merge:0", "merge:N takes a number of blocks of at least 1, not '0'"),
        ("import:/nope", "/nope: no such file"),
        ("import:{folder}", "is a directory"),
        ("import:{folder}/text.json", "text.json: is not a file of blocks"),
        ("import:{folder}/other.json", "other.json: edge 0 is in no block"),
    ],
)
@pytest.mark.parametrize("engine", ["dss", "auto"])
def test_wrong_decompositions(tmp_path: Path, engine: str, kind: str, message: str) -> None:
    (tmp_path / "text.json").write_text("blocks")
    (tmp_path / "other.json").write_text('{"blocks": []}')
    done = verify(EXAMPLES / "sum.c", "--engine", engine, "--decomposition", kind.format(folder=tmp_path))
    assert done.returncode == 3 and done.stdout == ""
    assert message in done.stderr and "internal error" not in done.stderr


def test_blocks_from_a_file_are_not_those_of_the_program_without_memory(tmp_path: Path) -> None:
    """`auto` looks at both."""
    source, file = tmp_path / "memory.c", tmp_path / "blocks.json"
    source.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); int a[9];"
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 9) return 0;"
        "for (int i = 0; i < n; i++) a[i] = i & 7; for (int i = 0; i < n; i++) if (a[i] > 7) reach_error(); }"
    )
    assert main(["blocks", str(source), "--slice", "--format", "json", "-o", str(file)]) == 0
    for engine in ("auto", "dss"):
        done = verify(source, "--decomposition", f"import:{file}", "--engine", engine, "--timeout", "60s")
        assert done.returncode in (0, 2), done.stderr


def test_durations_and_sizes() -> None:
    assert [duration(text) for text in ("60s", "15min", "2h", "1.5", "250ms", "3m")] == [60, 900, 7200, 1.5, 0.25, 180]
    assert [size(text) for text in ("4GB", "500MB", "1024", "2kB", "1.5GiB")] == [4 << 30, 500 << 20, 1024, 2048, 3 << 29]
    for function, text in ((duration, "x"), (duration, "-1s"), (size, "0"), (size, "4XB")):
        with pytest.raises(argparse.ArgumentTypeError):
            function(text)


def test_task_definition_and_property(tmp_path: Path) -> None:
    (tmp_path / "reach.prp").write_text("CHECK( init(main()), LTL(G ! call(failed())) )\n")
    (tmp_path / "p.c").write_text("extern void failed(void);\nint main(void) { if (sizeof(long) == 4) failed(); return 0; }\n")
    (tmp_path / "p.yml").write_text(
        "format_version: '2.0'\ninput_files: p.c\noptions: {language: C, data_model: ILP32}\n"
        "properties:\n  - property_file: reach.prp\n    expected_verdict: false\n"
    )
    result = report(tmp_path / "p.yml", "--engine", "execute")
    assert (result["verdict"], result["data_model"]) == ("FALSE", "ILP32")
    assert result["property"] == "CHECK( init(main()), LTL(G ! call(failed())) )"
