"""Certificates that say how many states there are, and over which variables: programs without threads."""

from __future__ import annotations

from pathlib import Path
from random import Random

from drystone.base.deadline import Deadline
from drystone.certificates.check import check_program
from drystone.claims.certificates import ExploredCertificate
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from tests.explicit.generator import decided_program

SEEDS = range(16)


def program_of(text: str, folder: Path) -> Program:
    file = folder / "program.c"
    file.write_text(text)
    return load([str(file)], FrontendOptions()).program


def names_of(program: Program) -> list[str]:
    inner = [name for procedure in program.procedures.values() for name in procedure.variables]
    return sorted({*program.variables, *inner})


def test_no_certificate_proves_a_program_with_an_error(tmp_path: Path) -> None:
    """Whatever variables it names, however many states it claims: what it says is only where the check begins to look."""
    for seed in SEEDS:
        chance, decided = Random(seed), decided_program(seed)
        if decided.enumeration.is_safe:
            continue
        program = program_of(decided.text, tmp_path)
        names = names_of(program)
        for variables in (None, [*chance.sample(names, len(names) // 2), "no such variable"]):
            certificate = ExploredCertificate(chance.choice((0, 3, 1_000_000)), 1, variables)
            assert not check_program(program, certificate, Deadline().within(20)).valid, decided.text


def test_variables_that_do_not_matter_are_left_out(tmp_path: Path) -> None:
    """The counter has more values than are looked for; the flag has two."""
    program = program_of(
        """
        extern void reach_error(void);
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
          unsigned counter = 0;
          int flag = 0;
          while (__VERIFIER_nondet_int()) {
            counter = counter * 3 + 1;
            if (flag == 2 && counter % 7 == 1) reach_error();
            flag = 1 - flag;
          }
        }
        """,
        tmp_path,
    )
    names = names_of(program)
    flag = next(name for name in names if name.endswith("flag"))
    assert check_program(program, ExploredCertificate(3, 1, [flag]), Deadline().within(20)).valid
    checked = check_program(program, ExploredCertificate(3, 1, names), Deadline().within(20))
    assert not checked.valid and "more states" in checked.reason


def test_an_input_that_is_kept_may_be_any_number(tmp_path: Path) -> None:
    """It is compared only later; it was thought to be 0, since it is compared with nothing where it is read."""
    program = program_of(
        """
        extern void reach_error(void);
        extern unsigned char __VERIFIER_nondet_uchar(void);
        extern int __VERIFIER_nondet_int(void);
        int main(void) {
          unsigned char kept = __VERIFIER_nondet_uchar();
          while (__VERIFIER_nondet_int()) if (kept == 77) reach_error();
        }
        """,
        tmp_path,
    )
    checked = check_program(program, ExploredCertificate(1_000, 1), Deadline().within(20))
    assert not checked.valid and "is not excluded" in checked.reason
