"""`drystone validate`: what is true is accepted, whoever says it; what is not, never."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from drystone.verification.options import ValidateOptions
from drystone.verification.result import ValidationResult
from drystone.verification.validate import validate
from tests.places import ROOT
from tests.running import verify

HEADER = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
SAFE = (
    HEADER
    + """\
int g;
int main(void) {
  unsigned n = __VERIFIER_nondet_int(), x = 0, y = n;
  while (y > 0) {
    x++;
    y--;
  }
  g = 7;
  if (x != n) reach_error();
  return 0;
}
"""
)
UNSAFE = (
    HEADER
    + """\
int twice(int a) { return 2 * a; }
int main(void) {
  int x = __VERIFIER_nondet_int(), y;
  if (x < 0)
    x = -x;
  y = twice(__VERIFIER_nondet_int());
  if (y > 10) {
    if (x == 5) reach_error();
    reach_error();
  }
  return 0;
}
"""
)
Json = dict[str, Any]


def said(entry_type: str, content: list[Json]) -> str:
    return str(yaml.safe_dump([{"entry_type": entry_type, "metadata": {"format_version": "2.0"}, "content": content}]))


def place(text: str, line: int, word: str, file: str = "p.c") -> Json:
    return {"file_name": file, "line": line, "column": text.splitlines()[line - 1].index(word) + 1}


def invariant(text: str, line: int, word: str, value: str, type_: str = "loop_invariant") -> Json:
    return {"invariant": {"type": type_, "location": place(text, line, word), "value": value, "format": "c_expression"}}


def waypoint(text: str, type_: str, line: int, word: str, value: str = "", action: str = "follow") -> Json:
    told: Json = {"type": type_, "action": action, "location": place(text, line, word)}
    return {"waypoint": told | ({"constraint": {"value": value}} if value else {})}


def validated(text: str, witness: str, folder: Path, seconds: float = 90.0) -> ValidationResult:
    (folder / "p.c").write_text(text)
    (folder / "w.yml").write_text(witness)
    options = ValidateOptions(timeout=seconds, memory=4 << 30, workers=1)
    return validate(str(folder / "w.yml"), [str(folder / "p.c")], options).result


def of_invariants(folder: Path, *invariants: Json, text: str = SAFE) -> ValidationResult:
    return validated(text, said("invariant_set", list(invariants)), folder)


def of_waypoints(folder: Path, *waypoints: Json, text: str = UNSAFE) -> ValidationResult:
    return validated(text, said("violation_sequence", [{"segment": [each]} for each in waypoints]), folder)


@pytest.mark.parametrize(
    ("line", "word", "value", "type_", "result", "reason"),
    [
        (6, "while", "x + y == n", "loop_invariant", "valid", "the property holds, and so does 1 invariant"),
        (6, "while", "x + y == n && g == 0", "loop_invariant", "valid", "the property holds"),
        (7, "x++", "y > 0", "location_invariant", "valid", "the property holds"),
        (10, "g", "y == 0", "location_invariant", "valid", "the property holds"),
        (6, "while", "y > 0", "loop_invariant", "rejected", "y > 0 does not hold at p.c:6"),
        (6, "while", "x == n", "loop_invariant", "rejected", "x == n does not hold at p.c:6"),
        (7, "x++", "x > 0", "location_invariant", "rejected", "x > 0 does not hold"),
        (7, "x++", "x + y == n", "loop_invariant", "rejected", "p.c:7:5: no loop begins there"),
        (8, "--", "1", "location_invariant", "rejected", "no statement begins there"),
        (6, "while", "x + z == n", "loop_invariant", "rejected", "does not compile: use of undeclared identifier 'z'"),
        (6, "while", "(x = 3)", "loop_invariant", "rejected", "has an effect"),
        (6, "while", "x++ >= 0", "loop_invariant", "rejected", "p.c:6:3: an expression of the witness has an effect"),
        (6, "while", "sizeof(int[x++]) > 0", "loop_invariant", "rejected", "has an effect"),
        (6, "while", "\\forall int i; i == i", "loop_invariant", "undecided", "p.c:6:3: '\\\\forall int i; i == i' is not"),
        (6, "while", "__COUNTER__ >= 0", "loop_invariant", "undecided", "is not an expression of C alone"),
        (6, "while", "reach_error(), 1", "loop_invariant", "rejected", "has an effect"),
        (6, "while", "1) ? (void)0 : 0; (1", "loop_invariant", "rejected", "is no expression"),
        (6, "while", "1 /* ", "loop_invariant", "rejected", "is no expression"),
    ],
)
def test_invariants(line: int, word: str, value: str, type_: str, result: str, reason: str, tmp_path: Path) -> None:
    found = of_invariants(tmp_path, invariant(SAFE, line, word, value, type_))
    assert found.result == result and reason in found.reason, found.reason


def test_an_effect_that_a_macro_hides_is_seen(tmp_path: Path) -> None:
    text = "#define zero (x = 0)\n" + SAFE
    found = of_invariants(tmp_path, invariant(text, 7, "while", "zero == 0"), text=text)
    assert found.result == "rejected" and "has an effect" in found.reason


def test_a_proof_of_what_does_not_hold(tmp_path: Path) -> None:
    found = of_invariants(tmp_path, text=UNSAFE)
    assert (found.result, found.reason) == ("rejected", "the property is violated")


def test_an_invariant_of_a_function_holds_in_all_its_calls(tmp_path: Path) -> None:
    text = HEADER + "int f(int a) {\n  return a;\n}\nint main(void) { f(3);\n  if (f(4) == 5)\n    reach_error(); }\n"
    assert (
        of_invariants(tmp_path, invariant(text, 4, "return", "a == 3 || a == 4", "location_invariant"), text=text).result
        == "valid"
    )
    assert of_invariants(tmp_path, invariant(text, 4, "return", "a == 3", "location_invariant"), text=text).result == "rejected"
    assert of_invariants(tmp_path, invariant(text, 8, "reach", "0", "location_invariant"), text=text).result == "valid"


def test_waypoints_that_an_execution_passes(tmp_path: Path) -> None:
    target = waypoint(UNSAFE, "target", 10, "reach_error")
    found = of_waypoints(
        tmp_path,
        waypoint(UNSAFE, "function_return", 5, ")", "\\result == -5"),
        waypoint(UNSAFE, "branching", 6, "if", "true"),
        waypoint(UNSAFE, "assumption", 8, "y", "x == 5"),
        waypoint(UNSAFE, "function_return", 8, "))", "\\result > 6"),
        waypoint(UNSAFE, "branching", 9, "if", "true"),
        target,
    )
    assert (found.result, found.reason) == ("valid", "an execution passes all waypoints and violates the property")


@pytest.mark.parametrize(
    ("waypoints", "line"),
    [
        ([("assumption", 8, "y", "x == -5")], 10),  # it is not negative there
        ([("branching", 6, "if", "false"), ("assumption", 8, "y", "x == 5"), ("branching", 6, "if", "true")], 10),  # no loop
        ([("assumption", 8, "y", "x == 4")], 10),
        ([("assumption", 8, "y", "x == 5")], 11),  # the other error comes first
        ([("function_return", 8, "))", "\\result == 5")], 10),
    ],
)
def test_waypoints_that_no_execution_passes(waypoints: list[tuple[str, int, str, str]], line: int, tmp_path: Path) -> None:
    told = [waypoint(UNSAFE, *each) for each in waypoints]
    assert of_waypoints(tmp_path, *told, waypoint(UNSAFE, "target", line, "reach_error")).result == "rejected"


def test_what_is_to_be_avoided(tmp_path: Path) -> None:
    target = waypoint(UNSAFE, "target", 11, "reach_error")
    for line, result in ((9, "rejected"), (6, "valid")):
        avoided = waypoint(UNSAFE, "branching", line, "if", "true", "avoid")
        witness = said("violation_sequence", [{"segment": [avoided, target]}])
        assert validated(UNSAFE, witness, tmp_path).result == result


@pytest.mark.parametrize(("line", "word"), [(8, "y"), (12, "}"), (9, "if")])
def test_a_target_without_an_error(line: int, word: str, tmp_path: Path) -> None:
    found = of_waypoints(tmp_path, waypoint(UNSAFE, "target", line, word))
    assert found.result == "rejected" and "no error is there" in found.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"entry_type": "ghost_instrumentation"},
            "line 1 of the witness: entries of type ghost_instrumentation are not understood",
        ),
        (
            {"content": [{"contract": {"type": "loop_contract", "location": {"line": 3}}}]},
            "contracts of type loop_contract are not understood",
        ),
        ({"content": [{"invariant": {"type": "loop_transition_invariant"}}]}, "invariants of type loop_transition_invariant"),
        ({"content": [{"invariant": {"type": "loop_invariant", "format": "acsl_expression"}}]}, "of format acsl_expression"),
        ({"content": [{"invariant": {"type": "loop_invariant", "location": {"line": 6}}}]}, "an invariant has no expression"),
        ({"metadata": {"format_version": "3.0"}}, "version 3.0 is not understood"),
        ({"metadata": {"task": {"specification": "CHECK( init(main()), LTL(G ! overflow) )"}}}, "it is about another property"),
        ({"metadata": {"task": {"input_files": "p.c", "input_file_hashes": {"p.c": "abc"}}}}, "abc is no SHA-256 of p.c"),
    ],
)
def test_what_is_not_understood_is_undecided(change: Json, reason: str, tmp_path: Path) -> None:
    witness = yaml.safe_dump([{"entry_type": "invariant_set", "metadata": {}, "content": []} | change])
    found = validated(SAFE, witness, tmp_path)
    assert found.result == "undecided" and reason in found.reason, found.reason


def test_waypoints_that_are_not_understood(tmp_path: Path) -> None:
    target = waypoint(UNSAFE, "target", 11, "reach_error")
    for told, reason in (
        (waypoint(UNSAFE, "branching", 6, "if"), "a waypoint of type branching without constraint"),
        (waypoint(UNSAFE, "assumption", 6, "if", "x == 0", "cycle"), "type assumption with action cycle"),
    ):
        found = of_waypoints(tmp_path, told, target)
        assert found.result == "undecided" and reason in found.reason, found.reason
    later = {"segment": [waypoint(UNSAFE, "branching", 9, "if", "true", "avoid"), target]}
    witness = said("violation_sequence", [{"segment": [waypoint(UNSAFE, "branching", 6, "if", "true")]}, later])
    assert "as soon as it can be" in validated(UNSAFE, witness, tmp_path).reason


def test_what_checks_find_needs_more(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(SAFE)
    (tmp_path / "w.yml").write_text(said("invariant_set", [invariant(SAFE, 6, "while", "y == 0")]))
    options = ValidateOptions(check=("overflow",), timeout=20.0, workers=1)
    found = validate(str(tmp_path / "w.yml"), [str(tmp_path / "p.c")], options).result
    assert found.result == "undecided" and "checked for more" in found.reason


def test_a_witness_of_another_text_is_rejected(tmp_path: Path) -> None:
    task = {"input_files": ["p.c"], "input_file_hashes": {"p.c": "0" * 64}, "data_model": "LP64"}
    witness = yaml.safe_dump([{"entry_type": "invariant_set", "metadata": {"task": task}, "content": []}])
    found = validated(SAFE, witness, tmp_path)
    assert (found.result, found.reason) == ("rejected", "it is about another text of p.c")


def test_it_is_undecided_where_time_is_not_enough(tmp_path: Path) -> None:
    text = (
        HEADER
        + "int main(void) { unsigned long x = 3; while (x != 1) x = x % 2 ? 3 * x + 1 : x / 2;\n  if (x * x % 7 == 3) reach_error(); }\n"
    )
    text = text.replace("x = 3", "x = __VERIFIER_nondet_int()")
    found = validated(text, said("invariant_set", [invariant(text, 3, "while", "x != 1 || x < 2")]), tmp_path, seconds=1.5)
    assert found.result in ("undecided", "valid")


def validated_by_command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "drystone", "validate", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)


@pytest.mark.parametrize(("text", "verdict"), [(SAFE, "TRUE"), (UNSAFE, "FALSE")])
def test_our_own_are_accepted(text: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(text)
    assert verify(file, "--witness", tmp_path / "w.yml", "--quiet").stdout.split() == [verdict]
    done = validated_by_command(tmp_path / "w.yml", file, "--json", "-")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert (result["result"], result["kind"]) == ("valid", "correctness" if verdict == "TRUE" else "violation")


def test_what_is_no_witness_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(SAFE)
    for text, why in (
        ("a: [", "is not YAML"),
        ("- 3", "an entry is no map"),
        ("[]", "it has no entries"),
        ("- entry_type: a\n  entry_type: b", "a key stands twice"),
        ("- entry_type: invariant_set\n  content: 3", "line 1: content is no list"),
        (
            "- entry_type: invariant_set\n  content:\n  - invariant: {type: loop_invariant, value: x}",
            "line 3: a location without",
        ),
        (
            f"- entry_type: loop_invariant\n  location: {{line: {'9' * 5000}}}\n  loop_invariant: {{string: x}}",
            "line is no number: 9999",
        ),
        ("<?xml version='1.0'?>", "witnesses of version 1.0 (GraphML) are not read"),
    ):
        (tmp_path / "w.yml").write_text(text)
        done = validated_by_command(tmp_path / "w.yml", tmp_path / "p.c")
        assert done.returncode == 3 and f"{tmp_path / 'w.yml'}: is not a witness: " in done.stderr and why in done.stderr


def test_help_says_what_is_for_what() -> None:
    for name, others in (("check", "`drystone validate`"), ("validate", "`check`")):
        done = subprocess.run([sys.executable, "-m", "drystone", name, "--help"], capture_output=True, text=True, check=True)
        assert others in " ".join(done.stdout.split())


def test_all_assertions_of_a_user_s_program_count(tmp_path: Path) -> None:
    text = SAFE.replace("g = 7;", "g = 7; __VERIFIER_assert(y == 1);").replace("int g;", "int g; void __VERIFIER_assert(int);")
    found = of_invariants(tmp_path, invariant(text, 6, "while", "x + y == n"), text=text)
    assert (found.result, found.reason) == ("rejected", "the property is violated")


@pytest.mark.parametrize("value", ["n / g == 0", "n / (int)(x - x) == 3"])
def test_an_undefined_expression_does_not_end_executions(value: str, tmp_path: Path) -> None:
    """A division by zero traps: no invariant, and no error behind it, would be looked at."""
    for text in (SAFE.replace("x != n", "x != n + 1"), SAFE):
        found = of_invariants(tmp_path, invariant(text, 6, "while", value), text=text)
        assert found.result != "valid", found.reason
    found = of_invariants(tmp_path, invariant(SAFE, 6, "while", "(x + y) / 2 == n / 2"))
    assert found.result == "valid"


def test_a_waypoint_that_is_undefined(tmp_path: Path) -> None:
    told = (waypoint(UNSAFE, "assumption", 8, "y", "1 / (x - x) == 1"), waypoint(UNSAFE, "target", 10, "reach_error"))
    assert of_waypoints(tmp_path, *told).result == "undecided"


def test_the_program_has_its_own_includes_whatever_else_is_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "assert.h").write_text("#define assert(x)\n")
    (tmp_path / "limit.h").write_text("#define LIMIT 3\n")
    text = '#include <assert.h>\n#include "limit.h"\n'
    text += "int main(void) {\n  int i = 0;\n  while (i < LIMIT) i++;\n  assert(i == 4);\n}\n"
    found = of_invariants(tmp_path, invariant(text, 5, "while", "i <= 3"), text=text)
    assert (found.result, found.reason) == ("rejected", "the property is violated")
    text = text.replace("<assert.h>", '<assert.h>\n#define HEADER "limit.h"').replace('"limit.h"\nint', "HEADER\nint")
    found = of_invariants(tmp_path, invariant(text, 6, "while", "i <= 3"), text=text)
    assert found.result == "undecided" and "its includes depend on where it is" in found.reason


def test_an_invariant_that_cannot_fail_proves_nothing(tmp_path: Path) -> None:
    text = SAFE.replace("  return 0;\n}\n", "  return 0;\n}\n#define reach_error() (void)0\n")
    found = of_invariants(tmp_path, invariant(text, 6, "while", "y > 0"), text=text)
    assert found.result == "undecided" and "is no error at the end of the file" in found.reason


def test_other_threads_may_go_on_while_an_invariant_is_evaluated(tmp_path: Path) -> None:
    text = """\
#include <pthread.h>
extern void reach_error(void);
int a, b;
void *swap(void *none) { __VERIFIER_atomic_begin(); a++; b--; __VERIFIER_atomic_end(); return 0; }
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, swap, 0);
  int i = 0;
  pthread_join(other, 0);
  if (a + b != 0) reach_error();
}
""".replace("int a, b;", "extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void); int a, b;")
    found = of_invariants(tmp_path, invariant(text, 8, "int", "a + b == 0", "location_invariant"), text=text)
    assert found.result == "undecided", found.reason
    found = of_invariants(tmp_path, invariant(text, 10, "if", "a + b == 0", "location_invariant"), text=text)
    assert found.result == "valid", found.reason


LABELS = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (__VERIFIER_nondet_int())
    x = -x;
  if (x == 5)
    goto ERROR;
  if (x == 7) {
    ERROR: x++;
  }
  return x;
}
void other(void) { goto ERROR; ERROR: ; }
"""


@pytest.mark.parametrize(
    ("branch", "value", "line", "result"),
    [
        ("true", "-7", 9, "valid"),
        ("false", "5", 9, "valid"),
        ("true", "5", 9, "rejected"),
        ("true", "-7", 10, "rejected"),  # no error is there
        ("true", "-7", 13, "rejected"),  # nothing calls it
    ],
)
def test_a_label_as_target(branch: str, value: str, line: int, result: str, tmp_path: Path) -> None:
    found = of_waypoints(
        tmp_path,
        waypoint(LABELS, "function_return", 3, ")", f"\\result == {value}"),
        waypoint(LABELS, "function_return", 4, "))", f"\\result == {int(branch == 'true')}"),
        waypoint(LABELS, "branching", 4, "if", branch),
        waypoint(LABELS, "target", line, {9: "ERROR", 10: "}", 13: "ERROR:"}[line]),
        text=LABELS,
    )
    assert found.result == result, found.reason


@pytest.mark.parametrize(("label", "goal"), [("ERROR: next: x++;", "goto next;"), ("next: ERROR: x++;", "goto ERROR;")])
def test_labels_side_by_side(label: str, goal: str, tmp_path: Path) -> None:
    """Whoever jumps to the second one does not get to the first."""
    text = LABELS.replace("ERROR: x++;", label).replace("goto ERROR;\n  if", f"{goal}\n  if")
    target = waypoint(text, "target", 9, "ERROR:")
    told = waypoint(text, "function_return", 3, ")", "\\result == 5")
    assert of_waypoints(tmp_path, told, target, text=text).result == ("valid" if "next: E" in label else "undecided")


def test_a_condition_that_is_a_call_is_branched_on_after_its_return(tmp_path: Path) -> None:
    text = HEADER + "int main(void) {\n  if (__VERIFIER_nondet_int())\n    if(__VERIFIER_nondet_int())\n      reach_error();\n}\n"
    found = of_waypoints(
        tmp_path,
        waypoint(text, "function_return", 4, "))", "\\result == 3"),
        waypoint(text, "branching", 4, "if", "true"),
        waypoint(text, "function_return", 5, "))", "\\result == 4"),
        waypoint(text, "branching", 5, "if", "true"),
        waypoint(text, "target", 6, "reach_error"),
        text=text,
    )
    assert found.result == "valid", found.reason


def test_a_text_that_ends_with_a_continued_line(tmp_path: Path) -> None:
    """What is added after it must not become part of that line."""
    text = SAFE + "#define LAST \\"
    assert of_invariants(tmp_path, invariant(text, 6, "while", "y > 0"), text=text).result == "rejected"
    assert of_invariants(tmp_path, invariant(text, 6, "while", "x + y == n"), text=text).result == "valid"


@pytest.mark.parametrize("again", ["", "#undef __builtin_abort\n"])
def test_words_of_c_that_are_macros(again: str, tmp_path: Path) -> None:
    text = "#define __builtin_abort() (void)0\n" + UNSAFE + again
    avoided = waypoint(text, "branching", 10, "if", "true", "avoid")
    witness = said("violation_sequence", [{"segment": [avoided, waypoint(text, "target", 12, "reach_error")]}])
    found = validated(text, witness, tmp_path)
    assert found.result == "undecided" and "words of C are macros" in found.reason


def test_a_file_that_another_one_includes(tmp_path: Path) -> None:
    """Its text would be there a second time, without the witness."""
    (tmp_path / "b.c").write_text("static int f(int a) {\n  return a;\n}\nint OTHER(void) { return f(3); }\n")
    main = "extern void reach_error(void);\nint main(void) {\n  if (f(4) == 5)\n    reach_error();\n}\n"
    (tmp_path / "a.c").write_text('#define OTHER other\n#include "b.c"\n' + main)
    where = {"file_name": "b.c", "line": 2, "column": 3}
    told = {"type": "location_invariant", "location": where, "value": "a == 3", "format": "c_expression"}
    (tmp_path / "w.yml").write_text(said("invariant_set", [{"invariant": told}]))
    options = ValidateOptions(timeout=20.0, workers=1)
    found = validate(str(tmp_path / "w.yml"), [str(tmp_path / "a.c"), str(tmp_path / "b.c")], options).result
    assert found.result == "undecided" and "b.c is also included" in found.reason


@pytest.mark.parametrize(
    ("line", "column", "result"),
    [(5, 13, "valid"), (5, 16, "valid"), (5, 18, "rejected"), (5, 21, "rejected"), (6, 9, "undecided"), (7, 3, "valid")],
)
def test_columns_count_bytes_or_characters(line: int, column: int, result: str, tmp_path: Path) -> None:
    text = HEADER + "int main(void) {\n  int x = 0;\n  /* äää */ x++; x++;\n/*ää*/x;x;\n  if (x != 2) reach_error();\n}\n"
    where = {"file_name": "p.c", "line": line, "column": column}
    value = "x == 0" if line == 5 else "x == 2"
    told = {"type": "location_invariant", "location": where, "value": value, "format": "c_expression"}
    found = of_invariants(tmp_path, {"invariant": told}, text=text)
    assert found.result == result, found.reason


def test_what_an_execution_leaves_undefined(tmp_path: Path) -> None:
    text = HEADER + "int main(void) {\n  int a[2] = {1, 2}, b = 7;\n  if (b == 7)\n    reach_error();\n}\n"
    target = waypoint(text, "target", 6, "reach_error")
    for value, result in (("a[-1] != 12345", "undecided"), ("a[1] == 2", "valid")):
        found = of_waypoints(tmp_path, waypoint(text, "assumption", 5, "if", value), target, text=text)
        assert found.result == result and ("read outside every object" in found.reason) == (result == "undecided"), found.reason


def test_keys_that_are_not_known(tmp_path: Path) -> None:
    entry = {"entry_type": "invariant_set", "metadata": {}, "content": [], "ghosts": []}
    found = validated(SAFE, yaml.safe_dump([entry]), tmp_path)
    assert found.result == "undecided" and "ghosts is not understood here" in found.reason


def test_a_place_in_the_header_of_a_loop_is_not_understood(tmp_path: Path) -> None:
    text = SAFE.replace("while (y > 0)", "for (int k = 0; y > 0;)")
    found = of_invariants(tmp_path, invariant(text, 6, "int", "x == 0", "location_invariant"), text=text)
    assert found.result == "undecided" and "the header of a loop" in found.reason


def test_operands_are_evaluated_in_some_order(tmp_path: Path) -> None:
    """C leaves the order open, and what a witness adds to the operands makes it matter."""
    text = HEADER + "void f(int a, int b) { if (a == 5 && b == 6) reach_error(); }\n"
    text += "int main(void) { f(__VERIFIER_nondet_int(), __VERIFIER_nondet_int()); }\n"
    last = place(text, 4, "))")["column"]

    def told(first: int, second: int) -> list[Json]:
        made = [waypoint(text, "function_return", 4, "))", f"\\result == {value}") for value in (first, second)]
        made[0]["waypoint"]["location"]["column"] = last - len(", __VERIFIER_nondet_int()")
        return made

    target = waypoint(text, "target", 3, "reach_error")
    assert of_waypoints(tmp_path, *told(5, 6), target, text=text).result == "valid"
    assert of_waypoints(tmp_path, *told(5, 6)[::-1], target, text=text).result != "rejected"  # gcc has it like this
    assert of_waypoints(tmp_path, *told(4, 6), target, text=text).result == "rejected"


def test_a_long_execution(tmp_path: Path) -> None:
    """Each waypoint is passed at a visit of its own, and a visit does not look at all of them."""
    text = HEADER + "int main(void) {\n  int i = 0;\n  while (i < 400)\n    i++;\n  if (i == 400) reach_error();\n}\n"
    turns = [waypoint(text, "branching", 5, "while", "true")] * 400
    end = waypoint(text, "branching", 5, "while", "false"), waypoint(text, "target", 7, "reach_error")
    assert of_waypoints(tmp_path, *turns, *end, text=text).result == "valid"
    assert of_waypoints(tmp_path, *turns, turns[0], *end, text=text).result == "rejected"
