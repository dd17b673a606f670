"""Small programs for what goes wrong in tools that verify block by block. The verdicts are known by construction."""

from __future__ import annotations

from typing import NamedTuple

from drystone.claims.verdicts import Verdict

TRUE, FALSE = Verdict.TRUE, Verdict.FALSE

PRELUDE = "extern int __VERIFIER_nondet_int(void); void reach_error(void);\n#define any __VERIFIER_nondet_int\n"


class Case(NamedTuple):
    name: str
    verdict: Verdict
    text: str


CASES = (
    # A block that does not touch x must still say what it is told about x.
    Case(
        "trivial summary kept", TRUE, "int main() { int x = 1, y = 0; while (any()) { y = any(); } if (x != 1) reach_error(); }"
    ),
    Case(
        "fact passes through two loops",
        TRUE,
        "int main() { int x = 7, y = 0; while (any()) y = any(); while (any()) { y = y + x; } if (x != 7) reach_error(); }",
    ),
    Case(
        "fact lost in the second loop",
        FALSE,
        "int main() { int x = 7, y = 0; while (any()) y = any(); while (any()) { if (y == 3) x = 8; } if (x != 7) reach_error(); }",
    ),
    Case(
        "true before anybody has asked, and needed after",
        TRUE,
        "int main() { int x = 7, y = any(), z; while (any()) { z = y; y = any(); } while (any()) { z = y; y = z + x; } while (any()) { y = any(); } if (y == 5 && x != 7) reach_error(); }",
    ),
    # A block that has a violation and a postcondition at the same time must send both.
    Case(
        "violation and summary in one block",
        TRUE,
        "int main() { int s = 0, n = 0; while (any()) { if (s == 2) reach_error(); if (any()) s = 1; else s = 0; n = s; } if (n > 1) reach_error(); }",
    ),
    Case(
        "violation behind a summary",
        FALSE,
        "int main() { int s = 0; while (any()) { if (s == 2) reach_error(); if (any()) s = s + 1; else s = 0; } }",
    ),
    Case(
        "violation and summary of one state",
        FALSE,
        "int main() { int s = 0, t = 0; while (any()) { if (s == 1 && any()) reach_error(); if (s == 1) t = 1; s = t ? 0 : any(); } }",
    ),
    # A weak postcondition in a cycle must not support itself.
    Case("x equals y", TRUE, "int main() { int x = 0, y = 0; while (any()) { x++; y++; } if (x != y) reach_error(); }"),
    Case(
        "x equals y in the inner loop of two",
        TRUE,
        "int main() { int x = 0, y = 0; while (any()) { x = y; while (any()) { x++; y++; } if (x != y) reach_error(); } }",
    ),
    Case(
        "x differs from y later",
        FALSE,
        "int main() { int x = 0, y = 0; while (any()) { x++; y = x == 3 ? 0 : y + 1; } if (x != y) reach_error(); }",
    ),
    Case(
        "flag in a cycle of two loops",
        TRUE,
        "int main() { int a = 0; while (any()) { while (any()) { if (a) a = 2; } if (a == 2) reach_error(); } }",
    ),
    Case(
        "two blocks of a cycle support each other",
        TRUE,
        "int main() { int x = 0, y = 0; a: x = y; if (any()) goto end; b: while (any()) { y = x; } if (x != y) reach_error(); goto a; end: ; }",
    ),
    Case(
        "two blocks of a cycle, one of them counts",
        FALSE,
        "int main() { int x = 0, y = 0; a: x = y; if (any()) goto end; while (any()) { y = x + 1; if (y == 3) reach_error(); } goto a; end: ; }",
    ),
    # A postcondition that is true, and not merely the one that was there before anything was known.
    Case(
        "true is a postcondition in a cycle",
        FALSE,
        "int main() { int x = any(); while (any()) { x = any(); } if (x == 5) reach_error(); }",
    ),
    Case(
        "true in a cycle, and harmless",
        TRUE,
        "int main() { int x = any(), y = 3; while (any()) { x = any(); y = 3; } if (x == 5 && y != 3) reach_error(); }",
    ),
    Case(
        "true in the inner of two cycles",
        FALSE,
        "int main() { int x = 0, y = 0; while (any()) { while (any()) { x = any(); } if (x == 4 && y == 1) reach_error(); y = 1; } }",
    ),
    # Two obligations in flight to one block.
    Case(
        "two obligations, both refuted",
        TRUE,
        "int main() { int x = 0, y = 1; while (any()) { x = 0; y = 1; } if (any()) { if (x) reach_error(); } else { if (!y) reach_error(); } }",
    ),
    Case(
        "two obligations, the second is met",
        FALSE,
        "int main() { int x = 0, y = 1; while (any()) { x = 0; y = any(); } if (any()) { if (x) reach_error(); } else { if (!y) reach_error(); } }",
    ),
    Case(
        "two obligations from two blocks",
        TRUE,
        "int main() { int x = 0, z = 0; while (any()) { if (x == 1) { x = 2; z = 1; } } while (any()) { if (x == 2) reach_error(); } while (any()) { if (z == 1) reach_error(); } }",
    ),
    Case(
        "two obligations to a block of the same cycle",
        TRUE,
        "int main() { int x = 0, y = 1; while (any()) { if (any()) { if (x) reach_error(); y = 1; } else { if (!y) reach_error(); x = 0; } while (any()) { x = !y; } } }",
    ),
    Case(
        "two obligations, one in a cycle and one behind it",
        FALSE,
        "int main() { int x = 0, y = 0; while (any()) { if (x == 2) reach_error(); if (x == 0) y = 1; x = 1; } if (y == 1 && x == 1) reach_error(); }",
    ),
    # Self-loops.
    Case("empty loop", FALSE, "int main() { int x = any(); while (any()); if (x == 1) reach_error(); }"),
    Case("endless loop", TRUE, "int main() { int x = 0; while (1) { x = x + 2; if (x == 1) ; } reach_error(); }"),
    Case(
        "endless loop of even numbers", TRUE, "int main() { unsigned x = 0; while (1) { x = x + 2; if (x % 2) reach_error(); } }"
    ),
    Case("loop at the entry", TRUE, "int main() { again: if (any()) goto again; int x = 0; if (x) reach_error(); }"),
    Case(
        "self-loop with an error behind a choice",
        FALSE,
        "int main() { unsigned x = any(); while (x % 2 == 0) { x = x / 2; if (x == 0) break; if (x == 7) reach_error(); } }",
    ),
    # Several error locations.
    Case(
        "several errors, none reached",
        TRUE,
        "int main() { int x = 0; if (x > 1) reach_error(); while (any()) { if (x > 2) reach_error(); x = 1; } if (x > 1) reach_error(); }",
    ),
    Case(
        "several errors, the last is reached",
        FALSE,
        "int main() { int x = 0; if (x > 1) reach_error(); while (any()) { if (x > 2) reach_error(); x = 1; } if (x == 1) reach_error(); }",
    ),
    Case(
        "one error of a function, at two call sites",
        FALSE,
        "void f(int a) { if (a == 2) reach_error(); } int main() { int x = 1; f(x); while (any()) { if (x == 1) x = 3; else x = 2; } f(x); }",
    ),
    Case(
        "one error of a function, at two call sites, not reached",
        TRUE,
        "void f(int a) { if (a == 2) reach_error(); } int main() { int x = 1; f(x); while (any()) { if (x == 1) x = 3; else x = 1; f(x); } f(x); }",
    ),
    # Errors in the first block.
    Case("error at once", FALSE, "int main() { reach_error(); }"),
    Case("error in the first block", FALSE, "int main() { int x = any(); if (x == 17) reach_error(); while (any()) x++; }"),
    Case(
        "no error in the first block",
        TRUE,
        "int main() { int x = 4; if (x == 17) reach_error(); while (any()) x = 4; if (x != 4) reach_error(); }",
    ),
    # Unreachable blocks.
    Case(
        "error in dead code",
        TRUE,
        "int main() { int x = 0; if (x) { while (any()) { x++; if (x == 9) reach_error(); } } }",
    ),
    Case(
        "error after dead code",
        FALSE,
        "int main() { int x = 0; if (x) { while (any()) { x++; } } while (any()) x++; if (x == 2) reach_error(); }",
    ),
    Case(
        "loop that is never entered",
        TRUE,
        "int main() { int x = any(); if (x > 5) { x = 5; } while (x > 5) { while (any()) { x++; } reach_error(); } }",
    ),
    Case(
        "blocks that are left for ever",
        TRUE,
        "extern void exit(int); int main() { int x = 0; while (any()) { if (x) exit(0); x = 1; if (any()) { while (any()) x = 1; exit(1); } x = 0; } if (x) reach_error(); }",
    ),
    # Irreducible loops.
    Case(
        "two entries, safe",
        TRUE,
        "int main() { int x = 0; if (any()) goto b; a: x = 1; if (any()) goto end; b: if (x > 1) reach_error(); if (any()) goto a; end: if (x > 1) reach_error(); }",
    ),
    Case(
        "two entries, unsafe through the second",
        FALSE,
        "int main() { int x = 0, y = 0; if (any()) { y = 1; goto b; } a: x = 1; if (any()) goto end; b: if (x == 1 && y == 1) reach_error(); if (any()) goto a; end: ; }",
    ),
    Case(
        "two entries, each with its own value",
        TRUE,
        "int main() { int x; if (any()) { x = 1; goto b; } x = 2; a: if (x < 1) reach_error(); if (any()) goto end; b: if (x > 2) reach_error(); if (any()) goto a; end: ; }",
    ),
    Case(
        "two entries that are never used",
        TRUE,
        "int main() { int x = 0; if (x) goto b; if (!x) goto end; a: x = 1; b: if (x > 0) reach_error(); if (any()) goto a; end: ; }",
    ),
    Case(
        "two loops that share their heads",
        TRUE,
        "int main() { int x = 0, y = 0; a: if (any()) { x = 1 - y; goto b; } if (any()) goto end; goto a; b: if (any()) { y = 1 - x; goto a; } if (x + y > 1) reach_error(); if (any()) goto b; end: if (y > 1) reach_error(); }",
    ),
    # Recursion.
    Case(
        "recursion that ends",
        TRUE,
        "int f(int n) { if (n <= 0) return 0; return f(n - 1); } int main() { if (f(3)) reach_error(); }",
    ),
    Case("recursion to an error", FALSE, "int f(int n) { if (n == 0) reach_error(); return f(n - 1); } int main() { f(3); }"),
    Case(
        "recursion that ends and adds",
        TRUE,
        "int f(int n) { if (n <= 0) return 0; return 1 + f(n - 1); } int main() { if (f(3) != 3) reach_error(); }",
    ),
    Case(
        "recursion that adds to an error",
        FALSE,
        "int f(int n) { if (n == 0) reach_error(); return 1 + f(n - 1); } int main() { f(3); }",
    ),
    Case(
        "recursion in turns",
        TRUE,
        "int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); } int main() { if (even(3)) reach_error(); }",
    ),
    Case(
        "recursion inside a loop",
        FALSE,
        "int f(int n) { if (n <= 0) return 0; return 2 + f(n - 1); } int main() { int x = 0; while (any()) { x = f(2); if (x == 4 && any()) reach_error(); } }",
    ),
    # Choices that overlap.
    Case(
        "overlapping choices",
        FALSE,
        "int main() { int p = 0, x = any(); if (x > 0 || any()) p = 1; if (x <= 0 && p) reach_error(); }",
    ),
    Case(
        "switch with two ways to one case",
        TRUE,
        "int main() { int s = 0, t = 0; while (any()) { switch (any()) { case 1: t = 1; case 2: s = t; break; default: s = 0; } if (s > t) reach_error(); } }",
    ),
    Case(
        "choice by one input",
        TRUE,
        "int main() { int c = any(), p = 0; if (c) p = 1; while (any()) { } if (!c) if (p) reach_error(); }",
    ),
    Case(
        "choices that overlap, in a loop",
        TRUE,
        "int main() { int p = 0, q = 0; while (any()) { if (any() || p) q = p; if (any() || !p) p = q; if (p != q && p) reach_error(); } }",
    ),
    # Inputs of two call sites, or of two iterations, are different.
    Case(
        "two call sites", FALSE, "int f(void) { return any(); } int main() { int a = f(), b = f(); if (a != b) reach_error(); }"
    ),
    Case(
        "two iterations",
        FALSE,
        "int main() { int last = any(), now = last; while (any()) { last = now; now = any(); if (now == last + 7) reach_error(); } }",
    ),
    Case(
        "two blocks read inputs",
        FALSE,
        "int main() { int a = any(); while (any()) { int b = any(); if (a != b) { while (any()) { if (any() == b) reach_error(); } } } }",
    ),
    Case(
        "inputs remembered",
        TRUE,
        "int main() { int a = any(), b = a; while (any()) { a = any(); b = a; } if (a != b) reach_error(); }",
    ),
    Case(
        "one input at two call sites",
        TRUE,
        "int f(int a) { int i = 0; while (i < 1) { a = a + 1; i++; } return a; } int main() { int a = any(); int b = f(a), c = f(a); if (b != c) reach_error(); }",
    ),
    Case(
        "two inputs at two call sites of a loop",
        FALSE,
        "int f(void) { int a = any(); while (any()) { a = any(); } return a; } int main() { int b = f(), c = f(); if (b == 3 && c == 4) reach_error(); }",
    ),
    Case(
        "one input in a condition and in a value",
        TRUE,
        "int main() { int x = 0; while (any()) { int a = any(); if (a > 5) x = a; else x = 6; } if (x != 0 && x < 6) reach_error(); }",
    ),
    # What was left out of a violation condition stays open.
    Case(
        "error in two states",
        FALSE,
        "int main() { int x = 0, m = 0; while (any()) { if (m == 0) { x = any(); if (x == 3) x = 4; m = 1; } } if (x == 3 || x == 9) reach_error(); }",
    ),
    Case(
        "error in two states, none reached",
        TRUE,
        "int main() { int x = 0; while (any()) { x = any(); if (x == 3 || x == 9) x = 4; } if (x == 3 || x == 9) reach_error(); }",
    ),
    Case(
        "array",
        TRUE,
        "int a[4]; int main() { int i = any(); a[1] = 1; while (any()) { a[2] = any(); } if (a[1] != 1) reach_error(); }",
    ),
    Case(
        "array at an input",
        FALSE,
        "int a[4]; int main() { unsigned i = any(); if (i < 4) { a[i] = 1; while (any()) { } if (a[2] == 1) reach_error(); } }",
    ),
    Case(
        "three iterations",
        FALSE,
        "int main() { int x = 0; while (any()) { x++; if (x == 4) reach_error(); } }",
    ),
    Case(
        "locks",
        TRUE,
        "int main() { int l = 0; while (any()) { int p = any(); if (p) { if (l) reach_error(); l = 1; } if (p) { if (!l) reach_error(); l = 0; } } }",
    ),
)
