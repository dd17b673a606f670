"""Programs as transition systems, and checks of invariants that share no code with the analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.terms import Term, negate
from drystone.pipeline import Abstraction, PreparedProgram
from drystone.solvers import Answer, make_solver
from drystone.symbolic.transformers import TransitionSystem

PRELUDE = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern void *malloc(unsigned long);
void check(int condition) { if (!condition) reach_error(); }
"""

Invariants = Mapping[int, Sequence[Term]]


def system_of(
    folder: Path, body: str, name: str = "program", *, abstraction: Abstraction = Abstraction.EXACT
) -> TransitionSystem:
    path = folder / f"{name}.c"
    path.write_text(PRELUDE + body)
    program = load([str(path)], FrontendOptions(data_model="LP64")).program
    return PreparedProgram(program, abstraction).transition_system(recursion_bound=2, max_edges=200_000)


def proves(system: TransitionSystem, invariants: Invariants, solver: str = "bitwuzla") -> bool:
    """Does no block get to something bad from a state that the invariants allow?"""
    for block in system.all_blocks():
        context = make_solver(solver)
        for formula in invariants.get(block.start, ()):
            context.add(formula)
        context.add(block.violation)
        if context.check((), 20.0) is not Answer.UNSAT:
            return False
    return True


def is_inductive(system: TransitionSystem, invariants: Invariants, solver: str = "z3") -> bool:
    """Does the entry imply the invariants, and does every block preserve them?"""
    for block in system.all_blocks():
        for target, exit in block.exits.items():
            formula = terms.conjunction(invariants.get(target, ()))
            context = make_solver(solver)
            for fact in invariants.get(block.start, ()):
                context.add(fact)
            context.add(exit.pre(negate(formula)))
            if context.check((), 60.0) is not Answer.UNSAT:
                return False
    return True
