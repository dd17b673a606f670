"""Small programs with their verdicts, and what decides them."""

from __future__ import annotations

from typing import NamedTuple

_HEADER = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint main(void) {"


class Case(NamedTuple):
    name: str
    text: str
    verdict: str
    domains: tuple[str, ...]  # that find it out


def _case(name: str, body: str, verdict: str, *domains: str) -> Case:
    return Case(name, f"{_HEADER} {body} return 0; }}\n", verdict, domains)


CASES = (
    _case(
        "straight", "int x = 0; x = x + 1; if (x != 1) x--; else x++; if (x != 0) reach_error();", "FALSE", "predicates", "values"
    ),
    _case(
        "branches", "int x = 0; x = x + 1; if (x != 1) x--; else x++; if (x != 2) reach_error();", "TRUE", "predicates", "values"
    ),
    _case(
        "relation",
        "int x = __VERIFIER_nondet_int(), y = x; if (x > 3 && x < 9) y++; if (y < x) reach_error();",
        "TRUE",
        "predicates",
    ),
    _case("bounded", "int s = 0; for (int i = 0; i < 5; i++) s += i; if (s != 10) reach_error();", "TRUE", "predicates"),
    _case(
        "bounded bug",
        "int s = 0; for (int i = 0; i < 5; i++) s += i; if (s == 10) reach_error();",
        "FALSE",
        "predicates",
        "values",
    ),
    _case(
        "k-inductive",
        "int a = 0, b = 0; while (__VERIFIER_nondet_int()) { if (a != b) reach_error(); b = 7; a = b; }",
        "TRUE",
        "predicates",
    ),
    _case(
        "constant",
        "int mode = 3; while (__VERIFIER_nondet_int()) { if (mode == 4) mode = 5; } if (mode != 3) reach_error();",
        "TRUE",
        "values",
    ),
    _case(
        "deep bug",
        "int n = 0; while (__VERIFIER_nondet_int()) { n++; if (n == 12) reach_error(); }",
        "FALSE",
        "predicates",
    ),
    _case("any bug", "int x = __VERIFIER_nondet_int(); if (x == 77) reach_error();", "FALSE", "predicates", "values"),
)

TOGETHER = f"""{_HEADER}
  int mode = 3;
  while (__VERIFIER_nondet_int()) {{
    int y = __VERIFIER_nondet_int(), z = y;
    if (mode == 4) z = y - 1;
    if (__VERIFIER_nondet_int()) {{ if (y != z) reach_error(); }}
    if (mode == 5) mode = 4;
  }}
  return 0; }}
"""
"""Values know the mode, predicates the relation."""

EVEN = f"""{_HEADER}
  unsigned n = 0;
  while (__VERIFIER_nondet_int()) {{ n += 2; if (n == 7) reach_error(); }}
  return 0; }}
"""
