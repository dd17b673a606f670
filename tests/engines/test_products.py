"""Loops that compute polynomials: proved by what the assertions say, and refuted where they say too much."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.claims.verdicts import Verdict
from drystone.engines import induction
from drystone.engines.induction import InductionOptions
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram

_HEAD = "extern void reach_error(void); extern int choose(void);\n#define ASSERT(c) if (!(c)) reach_error()\n"
PROVED = {
    "a sum of numbers": """int main(void) {
        long n = choose(), i = 0, sum = 0;
        while (i < n) { ASSERT(2 * sum == i * i - i); sum += i; i++; }
        ASSERT(2 * sum == i * i - i);
    }""",
    "a sum of powers": """int main(void) {
        unsigned long n = choose(), i = 0, sum = 0;
        while (i < n) { i++; sum += i * i * i; ASSERT(4 * sum == i * i * (i + 1) * (i + 1)); }
    }""",
    "coefficients of a common divisor": """int main(void) {
        int x = choose(), y = choose(), a = x, b = y, p = 1, q = 0, r = 0, s = 1;
        while (a != b) {
            ASSERT(p * s - r * q == 1 && a == y * r + x * p && b == x * q + y * s);
            if (a > b) { a -= b; p -= q; r -= s; } else { b -= a; q -= p; s -= r; }
        }
    }""",
    "a product that only the end speaks of": """int main(void) {
        unsigned a = choose(), b = choose(), product = 0;
        for (unsigned i = a; i; i--) product += b;
        ASSERT(product == a * b);
    }""",
    "an array of squares": """int table[4]; int main(void) {
        unsigned n = choose(), i = 0; table[1] = 0;
        while (i < n) { ASSERT((unsigned)table[1] == i * i); table[1] += 2 * i + 1; i++; }
    }""",
}
REFUTED = {
    "one too many": PROVED["a sum of numbers"].replace("sum += i; i++", "sum += i + (i == 5); i++"),
    "an overflow of a part": """int main(void) {
        int n = choose(), i = 0, square = 0;
        while (i < n && i < 50000) { ASSERT((long)i * i == square); square += 2 * i + 1; i += 1; if (i == 9) i = 49000, square = 49000 * 49000; }
    }""",
    "another ring": """int main(void) {
        unsigned char a = choose(), b = choose();
        unsigned x = a, y = b, twice = 0;
        while (x) { x--; twice += 2 * y; }
        ASSERT((unsigned char)twice == 2 * a * b);
    }""",
}


def _prove(path: Path, code: str) -> tuple[EngineResult, FrontendOptions]:
    path.write_text(_HEAD + code)
    options = FrontendOptions(data_model="LP64")
    prepared = PreparedProgram(load([str(path)], options).program)
    return induction.check(prepared, InductionOptions(), Deadline.after(100), unobserved), options


@pytest.mark.parametrize("name", PROVED)
def test_what_holds_is_proved(tmp_path: Path, name: str) -> None:
    result, options = _prove(tmp_path / "p.c", PROVED[name])
    assert result.verdict is Verdict.TRUE
    assert check([str(tmp_path / "p.c")], options, result.certificate, Deadline.after(100)).valid


@pytest.mark.parametrize("name", REFUTED)
def test_what_does_not_is_not(tmp_path: Path, name: str) -> None:
    result, _ = _prove(tmp_path / "p.c", REFUTED[name])
    assert result.verdict is Verdict.FALSE
