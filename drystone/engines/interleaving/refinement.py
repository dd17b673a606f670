"""Refinement: is a way through original turns possible, and if not, what has to be tracked to exclude it?

It is looked at with the statements as they are in the program, whatever the search made of them (Telbisz 2023, section 3.3).
Variables come from an unsatisfiable core of the way's conditions and assignments, which is made smaller variable by variable;
predicates are the atoms of the weakest preconditions of the core's conditions along the way.
"""

from __future__ import annotations

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.interleaving.domains import Predicates, Values
from drystone.engines.interleaving.reachability import Abstract, OutOfTime
from drystone.engines.interleaving.transfer import Transfer
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.substitution import Substitution
from drystone.logic.terms import FALSE, TRUE, Term, make
from drystone.solvers import Answer, make_solver
from drystone.symbolic.transformers import Exit

_LARGEST_PREDICATE = 200


class _Part(msgspec.Struct, frozen=True):
    """A condition of the way, or the assignment of a variable, of its step."""

    formula: Term
    step: int
    variable: str = ""


class Way:
    """The formula of a way."""

    def __init__(self, transfer: Transfer, abstract: Abstract) -> None:
        self.exits: list[Exit] = []  # the last one leads to something bad
        sorts = transfer.system.symbolic.sorts
        for turn, node in zip(abstract.turns, (*abstract.nodes, None), strict=True):
            made = transfer.of(turn)
            guards = [each.guard for each in made.bad if each.location == abstract.bad.location]
            nowhere = Exit(terms.disjunction(guards) if node is None else FALSE, {}, sorts)
            self.exits.append(made.exits.get(node, nowhere) if node is not None else nowhere)
        self.parts = self._in_parts()

    def _in_parts(self) -> list[_Part]:
        """Every value of a variable has a symbol of its own, and so has every input of a step."""
        parts: list[_Part] = []
        latest: dict[Term, Term] = {}
        for step, exit in enumerate(self.exits):
            mapping = dict(latest)
            for symbol in terms.free_symbols([exit.guard, *exit.values.values()]):
                if symbol.operator == "input":
                    mapping[symbol] = terms.input_symbol(f"{step}|{symbol.payload}", symbol.sort)
            here = Substitution(mapping)
            parts.append(_Part(here(exit.guard), step))
            for name, value in exit.values.items():
                fresh = terms.state(f"{name}|{step}", exit.sorts[name])
                parts.append(_Part(terms.equal(fresh, here(value)), step, name))
                latest[terms.state(name, exit.sorts[name])] = fresh
        return parts


class Refuted(msgspec.Struct, frozen=True):
    variables: tuple[str, ...]  # that are enough to see it
    more: tuple[str, ...]  # of the solver's core
    conditions: frozenset[int]  # the steps whose conditions contradict each other


def refuted(way: Way, solver_name: str, seed: int, deadline: Deadline) -> Refuted | None:
    """Why the way is impossible; None if it is possible. Raises `OutOfTime`."""
    solver = make_solver(solver_name, seed)

    def core_of(parts: list[_Part]) -> list[_Part] | None:
        if any(part.formula is FALSE for part in parts):
            return [part for part in parts if part.formula is FALSE]
        wanted = [part for part in parts if part.formula is not TRUE]
        answer = solver.check([part.formula for part in wanted], deadline.remaining())
        if answer is Answer.UNKNOWN:
            raise OutOfTime
        if answer is Answer.SAT:
            return None
        core = set(solver.core())
        return [part for part in wanted if part.formula in core]

    core = core_of(way.parts)
    if core is None:
        return None
    more = tuple(dict.fromkeys(part.variable for part in core if part.variable))
    smaller = core
    for name in more:
        if any(part.variable == name for part in smaller):
            smaller = core_of([part for part in smaller if part.variable != name]) or smaller
    variables = tuple(dict.fromkeys(part.variable for part in smaller if part.variable))
    return Refuted(variables, more, frozenset(part.step for part in smaller if not part.variable))


def refine_values(domain: Values, way: Way, why: Refuted) -> bool:
    """Tracks more variables; False if all that might help are tracked already."""
    everything = [part.variable for part in way.parts if part.variable]
    return domain.add(why.variables) or domain.add(why.more) or domain.add(everything)


def refine_predicates(domain: Predicates, way: Way, why: Refuted) -> bool:
    """First the atoms, then, as these may not be enough together, what they make up."""
    formulas: list[Term] = []
    formula: Term | None = None
    for step in range(len(way.exits) - 1, -1, -1):
        exit = way.exits[step]
        after = exit.after(formula) if formula is not None else TRUE
        formula = make("and", BOOL, exit.guard, after) if step in why.conditions else after
        if formula is FALSE:
            break
        formulas.append(formula)
    atoms = [atom for each in formulas for atom in terms.atoms(each)]
    if domain.add(each for each in atoms if terms.size(each) <= _LARGEST_PREDICATE):
        return True
    return domain.add(each for each in formulas if terms.size(each) <= _LARGEST_PREDICATE)
