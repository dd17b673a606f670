"""Contracts of recursive procedures: they prove what has no end otherwise, and no contract proves what is wrong."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.claims.certificates import BoundedCertificate, ContractsCertificate, StatedContract
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import Interpreter, ListedInputs
from drystone.engines import bmc, contracts
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.portfolio import auto
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.logic.packing import pack
from drystone.logic.sorts import BOOL, bitvec
from drystone.logic.terms import Term
from drystone.passes.contracts import RESULT, Contract, Vocabulary, new, old, vocabularies, with_contracts
from drystone.pipeline import PreparedProgram
from tests.engines.recursive_programs import INPUTS, RecursiveProgram
from tests.running import report, verify
from tests.structure import structural_faults

HEAD = "extern void reach_error(void); extern int any(void);\n"
IDENTITY = "int f(int n) { return n == 0 ? 0 : f(n - 1) + 1; }\n"
MCCARTHY = "int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }\n"
PARITY = """int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
"""
COUNTER = "int g; void f(int n) { if (n <= 0) return; g++; f(n - 1); g--; f(n - 2); }\n"
WITHIN = """int f(int n, int low) { if (n < low) reach_error(); if (n == low) return 0;
  int a = f(n - 1, low), b = n > low + 1 ? f(n - 2, low) : 0; return (a > b ? a : b) + 1; }
"""
SHADOW = "int n = 5; int f(int k) { int n = k; return n <= 0 ? 0 : f(n - 1) + 1; }\n"
SAFE = {
    "identity": IDENTITY + "int main(void) { int n = any(); if (f(n) != n) reach_error(); return 0; }",
    "nested calls": MCCARTHY + "int main(void) { int n = any(); if (n <= 101 && f(n) != 91) reach_error(); return 0; }",
    "two procedures": PARITY + "int main(void) { int n = any(); if (n >= 0 && odd(n) != n % 2) reach_error(); return 0; }",
    "a global variable": COUNTER + "int main(void) { g = 3; f(any()); if (g != 3) reach_error(); return 0; }",
    "an error within": WITHIN + "int main(void) { int n = any(); if (n >= 0 && n < 99999) f(n, 0); return 0; }",
    "names that are elsewhere, too": SHADOW + "int main(void) { int k = any(); f(k); if (n != 5) reach_error(); return 0; }",
    "another width": "unsigned long f(unsigned n) { return n == 0 ? 0 : f(n - 1) + 2; }\n"
    "int main(void) { unsigned n = any(); if (f(n) != 2ul * n) reach_error(); return 0; }",
    "no return": "int f(int n) { return f(n + 1) + 1; }\nint main(void) { f(any()); reach_error(); return 0; }",
    "a result that nobody wants": "int f(int n) { if (n > 0) { f(n - 1); f(n - 2); } }\nint main(void) { f(any()); return 0; reach_error(); }",
}
UNSAFE = {
    "identity": IDENTITY + "int main(void) { int n = any(); if (f(n) == 3) reach_error(); return 0; }",
    "nested calls": MCCARTHY + "int main(void) { int n = any(); if (n <= 102 && f(n) != 91) reach_error(); return 0; }",
    "two procedures": PARITY
    + "int main(void) { int n = any(); if (n >= 0 && odd(n) != n % 2 + (n == 2)) reach_error(); return 0; }",
    "a global variable": "int g; void f(int n) { if (n <= 0) return; f(n - 1); g++; }\n"
    "int main(void) { g = 0; f(any()); if (g == 2) reach_error(); return 0; }",
    "an error within": WITHIN + "int main(void) { int n = any(); if (n >= -1 && n < 9) f(n, 0); return 0; }",
    "an error deep within": "int f(int n) { if (n == 3) reach_error(); return n <= 0 ? 0 : f(n - 1) + f(n - 2); }\n"
    "int main(void) { f(5); return 0; }",
    "main itself": "int g; int main(void) { if (++g == 3) reach_error(); main(); return 0; }",
    "a call that does not return": "void f(int n) { if (n == 2) reach_error(); f(n + 1); f(n); }\nint main(void) { f(0); return 0; }",
    "names with a dollar sign": "int f$(int n) { if (n == 7) reach_error(); return n; }\n"
    "int f(int n) { return n <= 0 ? 0 : f(n - 1) + f(n - 2); }\nint main(void) { f(3); f$(7); return 0; }",
    "a call through a pointer": "int f(int n) { if (n == 2) reach_error(); return f(n + 1) + 1; }\nint (*p)(int) = f;\n"
    "int main(void) { return p(0); }",
}


def read(folder: Path, text: str) -> tuple[list[str], Program]:
    path = folder / "program.c"
    path.write_text(HEAD + text + "\n")
    return [str(path)], load([str(path)], FrontendOptions()).program


def searched(program: Program, seconds: float = 30) -> EngineResult:
    return contracts.check(program, contracts.ContractOptions(), Deadline.after(seconds), unobserved)


@pytest.mark.parametrize("name", SAFE)
def test_contracts_are_found(name: str, tmp_path: Path) -> None:
    files, program = read(tmp_path, SAFE[name])
    result = searched(program)
    assert result.verdict is Verdict.TRUE, result.reason
    assert isinstance(result.certificate, ContractsCertificate)
    assert check(files, FrontendOptions(), result.certificate, Deadline.after(30)).valid


@pytest.mark.parametrize("name", UNSAFE)
def test_no_contract_is_found_for_an_error(name: str, tmp_path: Path) -> None:
    _, program = read(tmp_path, UNSAFE[name])
    assert searched(program, 10).verdict is Verdict.UNKNOWN
    result = auto.check("auto", PreparedProgram(program), Settings(), Deadline.after(20), unobserved)
    assert result.verdict is Verdict.FALSE


@pytest.mark.parametrize("name", UNSAFE)
def test_no_contract_proves_an_error_away(name: str, tmp_path: Path) -> None:
    """Whatever contracts say: the program with contracts has an error, too."""
    _, program = read(tmp_path, UNSAFE[name])
    chance = random.Random(name)
    for _ in range(12):
        known = vocabularies(program)
        replaced = with_contracts(program, known, {name: some_contract(each, chance) for name, each in known.items()})
        assert not [fault for each in replaced.procedures.values() for fault in structural_faults(each)]
        result = bmc.check(PreparedProgram(replaced), bmc.BmcOptions(), Deadline.after(10), unobserved)
        assert result.verdict is Verdict.FALSE


def some_contract(vocabulary: Vocabulary, chance: random.Random) -> Contract:
    before = [terms.state(each, variable.sort) for each, variable in vocabulary.before().items()]
    after = [terms.state(each, variable.sort) for each, variable in vocabulary.after().items()]

    def some(symbols: list[Term]) -> tuple[Term, ...]:
        found = []
        for _ in range(chance.randint(0, 2) if symbols else 0):
            symbol = chance.choice(symbols)
            other = chance.choice(
                [*symbols, *(terms.constant(symbol.sort, chance.choice((-1, 0, 1, 2, 3, 91))) for _ in symbols)]
            )
            found.append(terms.make(chance.choice(("=", "bvsle", "bvult")), BOOL, *chance.sample((symbol, other), 2)))
        return tuple(found)

    return Contract(some(before), some(after))


INT = bitvec(32)
N, R = terms.state("n", INT), terms.state(RESULT, INT)
TRUTH = terms.equal(R, N)


@pytest.mark.parametrize(
    "procedure, requires, ensures",
    [
        ("f", [], []),  # says too little
        ("f", [], [terms.equal(R, terms.constant(INT, 0))]),  # is not kept
        ("f", [terms.equal(N, terms.constant(INT, 7))], [TRUTH]),  # main calls it otherwise
        ("f", [TRUTH], [TRUTH]),  # speaks of the result too early
        ("f", [], [TRUTH, terms.state("b", BOOL)]),  # speaks of nothing
        ("f", [], [TRUTH, terms.equal(terms.state("n", bitvec(8)), terms.constant(bitvec(8), 1))]),  # of another sort
        ("f", [], [TRUTH, terms.equal(terms.input_symbol("n", INT), N)]),  # of an input
        ("f", [], [TRUTH, N]),  # is no condition
        ("f", [], [TRUTH, terms.equal(terms.state(old("g"), INT), terms.state(new("g"), INT))]),  # of what f does not use
        ("main", [], []),  # is not recursive
        ("none", [], []),
    ],
)
def test_a_contract_from_elsewhere(procedure: str, requires: list[Term], ensures: list[Term], tmp_path: Path) -> None:
    files, _ = read(tmp_path, "int g;\n" + SAFE["identity"])

    def checked(name: str, requires: list[Term], ensures: list[Term]) -> bool:
        stated = StatedContract(name, [], [], pack(requires), pack(ensures))
        certificate = ContractsCertificate([stated], BoundedCertificate(9, 1, "bitwuzla"))
        return check(files, FrontendOptions(), certificate, Deadline.after(20)).valid

    assert checked("f", [], [TRUTH])
    assert not checked(procedure, requires, ensures)


def test_broken_bytes_are_no_contract(tmp_path: Path) -> None:
    files, program = read(tmp_path, SAFE["identity"])
    certificate = searched(program).certificate
    assert isinstance(certificate, ContractsCertificate)
    bad = msgspec.structs.replace(certificate.contracts[0], packed_ensures=b"\x93\x01\x02\x03")
    changed = msgspec.structs.replace(certificate, contracts=[bad])
    assert not check(files, FrontendOptions(), changed, Deadline.after(20)).valid


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize(
    "text",
    [
        "int *f(int *p, int n) { return n <= 0 ? p : f(p, n - 1) + 1; }\nint main(void) { *f(a, any() % 3) = 7; if (a[1] == 7) reach_error(); return 0; }",
        "int *f(int *p, int n) { return n <= 0 ? p : f(p, n - 1) + n; }\nint main(void) { *f(a, 1) = 7; if (a[1] == 7) reach_error(); return 0; }",
        "long f(long p, int n) { return n <= 0 ? p : f(p, n - 1) + 4; }\n"
        "int main(void) { *(int *)f((long)a, any() % 3) = 7; if (a[1] == 7) reach_error(); return 0; }",
        "int *g; void f(int n) { if (n > 0) { f(n - 1); g++; } }\nint main(void) { g = a; f(1); *g = 7; if (a[1] == 7) reach_error(); return 0; }",
        "extern int *outside(void); int *f(int *p, int n) { return n <= 0 ? p : f(f(p, n - 1), 0); }\n"
        "int main(void) { int *p = outside(), *q = p; *f(p, 1) = 7; if (*q == 7) reach_error(); return 0; }",
        "unsigned f(unsigned x, int n) { return n <= 0 ? x : f(f(x, n - 1), 0); }\nint main(void) { unsigned long p = (unsigned long)&a[1];"
        "unsigned l = f((unsigned)p, 1), h = f((unsigned)(p >> 16 >> 16), 1); *(int *)((unsigned long)h << 16 << 16 | l) = 7;"
        "if (a[1] == 7) reach_error(); return 0; }",
        "unsigned char f(unsigned char x, int n) { return n <= 0 ? x : f(f(x, n - 1), 0); }\n"
        "int main(void) { unsigned long p = (unsigned long)&a[1], q = 0; for (int i = 0; i < sizeof p; i++) q |= (unsigned long)f(p >> 8 * i, 1) << 8 * i;"
        "*(int *)q = 7; if (a[1] == 7) reach_error(); return 0; }",
        "int b[3]; long f(long x, int n) { return n <= 0 ? x : f(f(x, n - 1), 0); }\n"
        "int main(void) { *(int *)((char *)a + f((char *)&b[1] - (char *)a, 1)) = 7; if (b[1] == 7) reach_error(); return 0; }",
        "int one(void) { reach_error(); return 1; } typedef int (*fun)(void);\n"
        "fun f(fun p, int n) { return n <= 0 ? p : f(f(p, n - 1), 0); }\nint main(void) { return f(one, 3)(); }",
    ],
)
def test_addresses_have_no_contract(text: str, data_model: str, tmp_path: Path) -> None:
    """What a contract gives points to nothing that is known."""
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int a[3];\n{text}\n")
    program = load([str(path)], FrontendOptions(data_model=data_model)).program
    assert "f" not in vocabularies(program)


def test_memory_has_no_contract(tmp_path: Path) -> None:
    _, program = read(
        tmp_path, "int a[9];\nint f(int n) { a[n] = 1; return n ? f(n - 1) + 1 : a[0]; }\nint main(void) { return f(8); }"
    )
    assert not vocabularies(program)
    assert searched(program).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("seed", range(12))
def test_random_recursion(seed: int, tmp_path: Path) -> None:
    """What contracts prove is what all inputs show."""
    path = tmp_path / "program.c"
    path.write_text(RecursiveProgram(seed).text)
    program = load([str(path)], FrontendOptions()).program
    result = searched(program, 6)
    assert result.verdict is not Verdict.FALSE
    if result.verdict is Verdict.TRUE:
        interpreter = Interpreter(program)
        assert all(interpreter.run(ListedInputs([value])).kind == "returned" for value in range(INPUTS))


def test_people_see_the_contract(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + SAFE["nested calls"] + "\n")
    done = verify(path, "--engine", "contracts", "--timeout", "30s")
    assert done.stdout.startswith("TRUE  the error cannot be reached\n") and "\n  proof: by a contract of f\n" in done.stdout
    assert r"f ensures (n < 101 || n == \result + 10) && (n >= 101 || \result == 91)" in done.stdout
    found = report(path, "--engine", "contracts", "--timeout", "30s")["evidence"]["certificate"]["contracts"]
    assert [(each["function"], each["requires"], len(each["ensures"])) for each in found] == [("f", [], 2)]


def test_a_program_that_is_too_large(tmp_path: Path) -> None:
    """Inlined twice at each of 18 levels, beside the recursion."""
    levels = "".join(f"int g{n + 1}(int x) {{ return g{n}(x) + g{n}(x + 1); }}\n" for n in range(18))
    _, program = read(
        tmp_path,
        IDENTITY
        + f"int g0(int x) {{ return any() + x; }}\n{levels}int main(void) {{ if (g18(f(3)) == 7) reach_error(); return 0; }}",
    )
    result = searched(program)
    assert result.verdict is Verdict.UNKNOWN and "edges" in result.reason
