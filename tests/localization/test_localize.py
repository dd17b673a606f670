"""`--localize` on programs with a seeded fault: its line, marked `// fault`, is among the first candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.counterexamples.told_faults import Localization
from drystone.verification.options import Options
from drystone.verification.result import Result
from drystone.verification.verify import verify

HEAD = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
ASSERT = "void check(int c) { if (!c) { ERROR: reach_error(); } }\n"

SEEDED = {
    "assignment": """
int main(void) {
  int x = __VERIFIER_nondet_int(), result;
  if (x < 0 || x > 1000) return 0;
  if (x > 10)
    result = x + 2; // fault
  else
    result = x + 1;
  check(result == x + 1);
}""",
    "constant": """
int main(void) {
  int a = 4;
  int b = 3; // fault
  check(a == 2 * b);
}""",
    "parameter": """
int middle(int low, int high) { return low + (high - low) / 2; }
int main(void) {
  int m = middle(2, 6); // fault
  check(m == 5);
}""",
    "memory": """
struct pair { int first; char text[4]; long second; };
int main(void) {
  struct pair p = {1, "abc", 2}, q;
  p.second = p.first; // fault
  q = p;
  check(q.second == 2 && q.text[1] == 'b');
}""",
    "realloc": """
void *malloc(unsigned long), *realloc(void *, unsigned long);
int main(void) {
  int *p = malloc(8);
  p[0] = 4;
  p[1] = 5; // fault
  p = realloc(p, 16);
  p[2] = 1;
  check(p[1] == 6);
}""",
    "array": """
int main(void) {
  int a[4];
  for (int i = 0; i < 4; i++)
    a[i] = i - 1; // fault
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += a[i];
  check(sum == 6);
}""",
    "pointer": """
void set(int *p, int value) {
  *p = value + 1; // fault
}
int main(void) {
  int x = 1, *p = &x;
  set(p, 7);
  check(x == 7);
}""",
    "global": """
int count;
int next(void) {
  return count += 2; // fault
}
int main(void) {
  next();
  check(next() == 2);
}""",
    "float": """
int main(void) {
  double x = 3.0;
  float sum = x / 2 + 1.0; // fault
  check(sum == 1.5f);
}""",
    "library": """
#include <string.h>
int main(void) {
  char text[8];
  strcpy(text, "abcd"); // fault
  check(strlen(text) == 3);
}""",
    "heap": """
#include <stdlib.h>
int main(void) {
  int *p = malloc(2 * sizeof *p);
  if (p == 0) return 0;
  p[0] = 1; // fault
  p[1] = 1;
  check(p[0] + p[1] == 3);
}""",
    "error call": """
int main(void) {
  int n = __VERIFIER_nondet_int();
  int twice = n + n + 1; // fault
  if (twice % 2 != 0)
    reach_error();
}""",
}


OTHER_WAYS = {
    "condition": """
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), least;
  if (a > b) // fault
    least = a;
  else
    least = b;
  check(least <= a && least <= b);
}""",
    "loop": """
int is_prime(int n) {
  for (int i = 2; i <= n / 2 + 1; i++) // fault
    if (n % i == 0)
      return 0;
  return 1;
}
int main(void) {
  check(is_prime(2) == 1);
}""",
    "the same for the same values": """
int divides(int a, int n) {
  while (!(n < 0)) // fault
    n -= a;
  return n == 0;
}
int main(void) {
  check(divides(2, 4) && divides(3, 9));
}""",
    "index": """
int main(void) {
  int a[3] = {5, 4, 6}, t;
  for (int i = 1; i < 2; i++) // fault
    if (a[i] > a[i + 1]) {
      t = a[i];
      a[i] = a[i + 1];
      a[i + 1] = t;
    }
  check(a[0] <= a[1] && a[1] <= a[2]);
}""",
    "in memory": """
int from = 1;
int get(int *a) { return a[from]; }
int main(void) {
  int a[3] = {5, 4, 6}, *p = &from;
  *p = 2; // fault
  check(get(a) == 4);
}""",
}


def localized(tmp_path: Path, text: str, **options: object) -> tuple[Result, Localization]:
    file = tmp_path / "p.c"
    file.write_text(text)
    result = verify([str(file)], Options(localize=True, timeout=60.0, no_native=True, check=(), **options)).result  # type: ignore[arg-type]
    assert result.verdict == "FALSE" and result.evidence.counterexample is not None
    assert result.evidence.counterexample.localization is not None
    return result, result.evidence.counterexample.localization


def fault_of(text: str) -> int:
    (line,) = [number for number, line in enumerate(text.splitlines(), start=1) if line.endswith("// fault")]
    return line


@pytest.mark.parametrize("name", SEEDED)
def test_the_seeded_fault_is_a_candidate(tmp_path: Path, name: str) -> None:
    text = HEAD + ASSERT + SEEDED[name]
    _, found = localized(tmp_path, text)
    assert fault_of(text) in [each.line for each in found.candidates[:5]], found
    assert all(each.source == text.splitlines()[each.line - 1].strip() for each in found.candidates)
    assert all(each.size <= 3 and (each.sets or each.runs) for each in found.candidates)
    assert all(each.reason.endswith(("the execution passes", "come to the assertion")) for each in found.candidates)
    assert len({each.line for each in found.candidates}) == len(found.candidates) <= found.lines


def test_sets_of_several_lines_and_what_is_sure(tmp_path: Path) -> None:
    text = (
        HEAD
        + """
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x != 1) return 0;
  int a = x;
  int b = x;
  if (a == 1 || b == 1)
    reach_error();
}"""
    )
    _, found = localized(tmp_path, text)
    assert not any("__VERIFIER_nondet_int()" in each.source for each in found.candidates)  # the environment is not wrong
    assert found.assertion.endswith(":9") and all(not each.lines[0].endswith(":9") for each in found.sets)
    assert all(each.lines for each in found.sets) and found.queries > 0


def test_without_a_condition_there_is_nothing_to_change(tmp_path: Path) -> None:
    _, found = localized(tmp_path, HEAD + "int main(void) { int i = 0; i++; reach_error(); }")
    assert found.candidates == [] and found.left_out == ["all: no condition led to the error"]


def test_long_executions_are_followed_at_their_end_only(tmp_path: Path) -> None:
    text = (
        HEAD
        + ASSERT
        + """
int main(void) {
  unsigned sum = 0;
  for (int i = 0; i < 10000; i++)
    sum += i;
  int end = sum == 49995000; // fault
  check(!end);
}"""
    )
    _, found = localized(tmp_path, text)
    assert fault_of(text) in [each.line for each in found.candidates[:5]]
    assert any(each.startswith("what the first ") for each in found.left_out)


@pytest.mark.parametrize("name", OTHER_WAYS)
def test_other_executions_find_what_no_formula_over_this_one_does(tmp_path: Path, name: str) -> None:
    text = HEAD + ASSERT + OTHER_WAYS[name]
    _, found = localized(tmp_path, text)
    by_line = {each.line: each for each in found.candidates[:5]}
    assert fault_of(text) in by_line, found
    candidate = by_line[fault_of(text)]
    assert candidate.runs >= 1 and candidate.reason.endswith("the execution passes") and found.runs >= candidate.runs


def test_what_only_keeps_executions_from_the_assertion_comes_last(tmp_path: Path) -> None:
    text = (
        HEAD
        + ASSERT
        + "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x < 3) return 0;\n  int y = x;\n  check(y < 3);\n}"
    )
    _, found = localized(tmp_path, text)
    assert [each.line for each in found.candidates] == [7, 6]
    assert found.candidates[1].reason.endswith("the execution does not come to the assertion")


def test_a_change_that_never_ends_is_no_candidate(tmp_path: Path) -> None:
    text = HEAD + ASSERT + "int main(void) {\n  int i = 0;\n  while (i != 4)\n    i++;\n  check(i == 5);\n}"
    _, found = localized(tmp_path, text)
    assert all("i = 5 instead of 4" in each.reason or each.size > 1 or each.line != 7 for each in found.candidates), found
