"""`--sarif`: valid against the published schema, whatever the names and texts are; places that lead to the files; stable fingerprints."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import jsonschema
import pytest

from drystone.base.source_lines import source_lines
from drystone.report.sarif import sarif
from drystone.suite.outcome import BAD_INPUT, Outcome
from drystone.verification.result import ErrorReport, Result
from tests.running import report, verify

SCHEMA = Path(__file__).with_name("sarif") / "sarif-schema-2.1.0.json"
Json = dict[str, Any]

UNSAFE = """\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int twice(int x) {
  return x + x;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 0 && n < 9 && twice(n) == 14)
    reach_error();
  return 0;
}
"""
UNKNOWN = 'extern void reach_error(void);\nint main(void) {\n  asm goto("" : : : : out);\n  out: reach_error();\n}\n'


@cache
def _validator() -> Any:
    schema = json.loads(SCHEMA.read_text())
    return jsonschema.Draft7Validator(schema)


def valid(text: str | Path) -> Json:
    found: Json = json.loads(text if isinstance(text, str) else text.read_bytes())
    assert [f"{error.json_path}: {error.message[:200]}" for error in _validator().iter_errors(found)] == []
    return found


def run_of(file: Path, *options: str) -> Json:
    verify(file, "--sarif", file.with_suffix(".sarif"), *options)
    return only(valid(file.with_suffix(".sarif"))["runs"])


def only(found: list[Json]) -> Json:
    (one,) = found
    return one


def place(location: Json) -> tuple[str, int]:
    physical = location["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]


def a_result(file: Path | str, errors: list[ErrorReport], verdict: str = "TRUE") -> Outcome:
    result = Result(
        drystone="0",
        verdict=verdict,
        reason="found",
        engine="bmc",
        file=str(file),
        files=[str(file)],
        property="p",
        entry="main",
        data_model="LP64",
        seed=0,
        timeout_s=None,
        memory_mb=None,
        errors=errors,
    )
    return Outcome(str(file), verdict, "found", result, None)


def an_error(file: Path | str, line: int, function: str = "main", verdict: str = "TRUE") -> ErrorReport:
    return ErrorReport(f"{file}:{line}:1 reach_error()", "reach_error()", str(file), line, function, verdict, "call")


def fingerprints(file: Path | str, *lines: int) -> list[str]:
    run = only(valid(sarif([a_result(file, [an_error(file, line) for line in lines])]))["runs"])
    return [only_value(result["partialFingerprints"]) for result in run["results"]]


def only_value(found: dict[str, str]) -> str:
    (value,) = found.values()
    return value


def test_an_error_that_can_be_reached_has_its_steps_with_values(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "sub" / "p.c"
    file.parent.mkdir()
    file.write_text(UNSAFE)
    run = run_of(file)
    assert run["invocations"] == [{"executionSuccessful": True}] and run["properties"]["verdict"] == "FALSE"
    result = only(run["results"])
    assert (result["kind"], result["level"], result["ruleId"]) == ("fail", "error", "error-call")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "error-call"
    assert "__VERIFIER_nondet_int() = 7" in result["message"]["text"]
    assert place(result["locations"][0]) == ("sub/p.c", 9)
    steps = only(only(result["codeFlows"])["threadFlows"])["locations"]
    assert [place(step["location"]) for step in steps] == [("sub/p.c", line) for line in (7, 8, 4, 8, 9)]
    assert steps[0]["state"] == {"n": {"text": "7"}} and steps[2]["nestingLevel"] == 1
    assert [step["executionOrder"] for step in steps] == [1, 2, 3, 4, 5]


def test_what_is_proved_passes_and_what_is_not_decided_is_open(tmp_path: Path) -> None:
    safe, unknown = tmp_path / "safe.c", tmp_path / "unknown.c"
    safe.write_text(UNSAFE.replace("== 14", "== 15"))
    unknown.write_text(UNKNOWN)
    passed = only(run_of(safe)["results"])
    assert (passed["kind"], passed["level"]) == ("pass", "none")
    assert "certificate checked by" in passed["message"]["text"] and "codeFlows" not in passed
    left = only(run_of(safe, "--engine", "execute", "--timeout", "1s")["results"])
    assert (left["kind"], left["level"], left["ruleId"]) == ("open", "none", "error-call")
    assert left["message"]["text"].startswith("reach_error() is not decided: ")
    run = run_of(unknown)
    left = only(run["results"])
    assert (left["kind"], left["ruleId"], place(left["locations"][0])[1]) == ("open", "no-error-location", 3)
    assert f"{unknown}:3" in left["message"]["text"]
    assert [each["level"] for each in run["invocations"][0]["toolExecutionNotifications"]] == ["note"]


@pytest.mark.parametrize("name", [b"a b.c", b'it\'s "it".c', "käse 雪.c".encode(), b"100%#?:.c", b"latin-\xe9.c"])
def test_names_of_files_are_uris(tmp_path: Path, name: bytes) -> None:
    import os

    (tmp_path / ".git").write_text("gitdir: elsewhere\n")  # as in another worktree
    file = tmp_path / os.fsdecode(name)
    uri = only(only(valid(sarif([a_result(file, [an_error(file, 3)])]))["runs"])["results"])["locations"][0]["physicalLocation"]
    assert uri["artifactLocation"]["uriBaseId"] == "SRCROOT"
    encoded = uri["artifactLocation"]["uri"]
    assert encoded.isascii() and not set(encoded) & set(" \"'#?:") and unquote_to_bytes(encoded) == name


def test_a_program_with_an_odd_name_and_a_text_in_another_encoding(tmp_path: Path) -> None:
    file = tmp_path / 'so \'n "Käse".c'
    file.write_bytes(UNSAFE.replace("return x + x;", 'return x + x; /* doppelt für "alle" */').encode("latin-1"))
    result = only(run_of(file)["results"])
    messages = [step["location"]["message"]["text"] for step in result["codeFlows"][0]["threadFlows"][0]["locations"]]
    assert messages[2] == 'return x + x; /* doppelt f\N{REPLACEMENT CHARACTER}r "alle" */   return value = 14'


def test_files_elsewhere_have_whole_uris_and_the_standard_input_none(tmp_path: Path) -> None:
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    file, header = tmp_path / "repository" / "p.c", tmp_path / "in clude" / "h.h"
    run = only(valid(sarif([a_result(file, [an_error(file, 3), an_error(header, 4)])]))["runs"])
    assert place(run["results"][1]["locations"][0]) == (f"file://{tmp_path}/in%20clude/h.h", 4)
    assert "uriBaseId" not in run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]
    run = only(valid(sarif([a_result("<stdin>", [an_error("<stdin>", 3)])]))["runs"])
    assert run["results"][0]["locations"] == [{"logicalLocations": [{"name": "main", "kind": "function"}]}]


def test_a_thousand_error_locations(tmp_path: Path) -> None:
    file = tmp_path / "many.c"
    checks = "".join(f"  if (n == {number})\n    reach_error();\n" for number in range(1000))
    file.write_text(f"extern void reach_error(void);\nextern int in(void);\nint main(void) {{\n  int n = in();\n{checks}}}\n")
    results = run_of(file, "--engine", "execute")["results"]
    assert len(results) == 1000 and len({only_value(each["partialFingerprints"]) for each in results}) == 1000
    assert {each["kind"] for each in results} == {"fail", "open"}


def test_each_source_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the file costs does not depend on how many errors there are."""
    file = tmp_path / "p.c"
    file.write_text("x\n" * 3000)
    source_lines.cache_clear()
    opened, actual = [], builtins.open

    def counting(name: Any, *words: Any, **more: Any) -> Any:
        opened.append(name)
        return actual(name, *words, **more)

    monkeypatch.setattr(builtins, "open", counting)
    fingerprints(file, *range(1, 2001))
    assert opened == [str(file)]


def test_the_engines_do_the_same_with_it(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(UNSAFE)
    words: list[Path | str] = [file, "--engine", "bmc", "--counted", "10s"]
    without, with_it = report(*words), report(*words, "--sarif", tmp_path / "p.sarif")
    assert without["counters"] and without["counters"] == with_it["counters"]


@pytest.mark.parametrize(
    ("edit", "is_same"),
    [
        (lambda text: "/* a\n new\n header */\n" + text, True),
        (lambda text: text.replace("return x + x;", "int y = x;\n  return y + y;"), True),
        (lambda text: text.replace("  return 0;", "  if (n == 77)\n    reach_error();\n  return 0;"), True),
        (lambda text: text.replace("    reach_error();", "\treach_error();"), True),
        (lambda text: text.replace("== 14", "== 16"), False),
    ],
)
def test_fingerprints_stay_under_edits_elsewhere(tmp_path: Path, edit: Callable[[str], str], is_same: bool) -> None:
    file = tmp_path / "p.c"

    def looked_at(text: str) -> str:
        file.write_text(text)
        source_lines.cache_clear()
        lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip() == "reach_error();"]
        return fingerprints(file, *lines)[0]

    assert (looked_at(UNSAFE) == looked_at(edit(UNSAFE))) is is_same


def test_races_have_a_flow_for_each_thread(tmp_path: Path) -> None:
    file = tmp_path / "race.c"
    file.write_text(
        "#include <pthread.h>\nint x;\nvoid *f(void *p) {\n  x = 1;\n  return p;\n}\n"
        "int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  x = 2;\n  return 0;\n}\n"
    )
    result = only(run_of(file, "--check", "data-race")["results"])
    assert (result["kind"], result["ruleId"]) == ("fail", "data-race")
    assert sorted(place(each)[1] for each in result["relatedLocations"]) == [4, 10]
    assert "thread 0" in [each["id"] for each in result["codeFlows"][0]["threadFlows"]]


def test_a_suite_has_a_run_for_each_program(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    outcomes = [
        a_result(file, [an_error(file, 3, verdict="UNKNOWN")], "UNKNOWN"),
        Outcome("q.c", BAD_INPUT, "q.c: no such file", None, None),
    ]
    first, second = valid(sarif(outcomes))["runs"]
    assert first["automationDetails"]["id"] == f"drystone/{file}/" and len(first["results"]) == 1
    assert second["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [{"level": "error", "message": {"text": "q.c: no such file"}}],
        }
    ]
    assert second["results"] == []


def test_a_folder_that_is_not_there_is_said_before_the_work(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(UNSAFE)
    done = verify(file, "--sarif", tmp_path / "nowhere" / "p.sarif")
    assert done.returncode == 3 and "there is no folder" in done.stderr and done.stdout == ""


def test_lines_that_could_be_changed_are_related_locations(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(UNSAFE)
    (result,) = run_of(file, "--localize")["results"]
    related = result["relatedLocations"]
    assert [each["id"] for each in related] == list(range(len(related))) and 0 < len(related) <= 5
    assert ("p.c", 4) in [(Path(place(each)[0]).name, place(each)[1]) for each in related]
    assert all(each["message"]["text"].startswith("fault candidate ") for each in related)
