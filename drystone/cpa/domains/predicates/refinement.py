"""From a way that no execution takes to predicates that exclude it.

Backwards from the error, from abstraction to abstraction: which states of this one get to the states that were found behind it?
Some of them, of the solver's model, are told by literals that the pre-image has for it (`logic.implicants`), and so on, up to an
abstraction from which none gets on, or to the entry. The literals that contradict it, an unsatisfiable core over the pre-image,
are predicates for the next one; forwards from there, the following ones are looked for in the same way. With them the strongest
abstraction excludes the states that were found. As that is dear and looking back is cheap, it is repeated, with what has been
excluded, until no state gets along this way.

Where this is repeated for many ways, it may tell one value of a counter after the other. Then interpolants along the whole
way, as a solution of Horn clauses (`solvers.horn`), may know what all of them have in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from drystone.cpa.domains.predicates.analysis import PredicateAnalysis
from drystone.cpa.domains.predicates.states import Local, Precision, State
from drystone.logic import terms
from drystone.logic.evaluation import Value, evaluate
from drystone.logic.implicants import implicant
from drystone.logic.terms import FALSE, Term
from drystone.solvers.clauses import Clause
from drystone.solvers.horn import interpolants
from drystone.solvers.queries import Queries, shrunk
from drystone.symbolic.transformers import Bad, Exit

_MOST_CUBES = 20  # of one way, before all abstractions behind are computed anew
_SHRINK = 8  # tries to do without a literal of a core
_MOST_BLOCKS = 12  # of a way that Horn clauses are made of
_MOST_NODES = 4_000  # of these
_LARGEST_PREDICATE = 40  # nodes
_MOST_PREDICATES = 10  # of a location, from one way
_EFFORT, _SECONDS = 1_000_000, 1.0  # of the solver of Horn clauses, for one way


class Block(msgspec.Struct, frozen=True):
    """From an abstraction on the way to the next one, or to the error: `before` holds where it starts."""

    position: int  # of the state at its start, in the way
    start: int
    before: Term
    target: int
    exit: Exit


class Found(msgspec.Struct, frozen=True):
    """Literals by location, which together exclude something there; from which position of the way on there is news."""

    cubes: tuple[tuple[int, tuple[Term, ...]], ...]
    since: int


class Possible(msgspec.Struct, frozen=True):
    """The way cannot be excluded: some execution takes it, or so it seems; it ends in one of these places."""

    bad: tuple[Bad, ...]


class NotTold(Exception):
    """The states that get to the error cannot be told without inputs. The message is for people."""


def blocks_of(analysis: PredicateAnalysis, way: Sequence[State]) -> list[Block]:
    """The way, cut at abstractions."""
    found: list[Block] = []
    begin = 0
    for position in range(1, len(way)):
        state, before = way[position], way[position - 1]
        if not state.is_abstraction and not state.bad:
            continue
        if state.bad:
            guard = terms.disjunction(each.guard for each in analysis.violation(before, state))
            exit = Exit(guard, {}, analysis.symbolic.sorts)
        else:
            known = analysis.exit_into(before, state)
            assert known is not None, "the state was reached from there"
            exit = known
        found.append(Block(begin, way[begin].start, way[begin].abstraction, state.location, exit))
        begin = position
    return found


class HasQueries(Protocol):
    def queries(self, location: int) -> Queries:
        """For questions about the ways from this location."""


class Refutation:
    """Of one way: what holds where its blocks start, as far as it is needed to exclude the way."""

    def __init__(self, analysis: HasQueries, blocks: Sequence[Block], bad: Sequence[Bad]) -> None:
        self.analysis, self.blocks, self.bad = analysis, blocks, bad
        self.clauses: list[list[Term]] = [[] for _ in blocks]
        self.cubes: list[tuple[int, tuple[Term, ...]]] = []
        self.since = len(blocks) - 1
        self.is_excluded = False

    def run(self) -> Found | Possible:
        """Raises `NotTold`, and `GaveUp`."""
        for _ in range(_MOST_CUBES):
            possible = self._back()
            if possible is not None:
                return possible
            if self.is_excluded:
                break
        return Found(tuple(self.cubes), self.blocks[self.since].position)

    def _back(self) -> Possible | None:
        """From the error as far as states are found."""
        goals: list[Term] = []  # literals about the state where the block ends, which the rest of the way begins with
        behind: list[list[Term]] = []
        bad = self.bad
        for number in range(len(self.blocks) - 1, -1, -1):
            block = self.blocks[number]
            queries = self.analysis.queries(block.start)
            images = [block.exit.after(goal) for goal in goals]
            asked = [block.exit.guard, *images]
            base = [block.before, *self.clauses[number]]
            if FALSE in base or FALSE in asked or not queries.is_satisfiable([*base, *asked]):
                self.is_excluded = number == len(self.blocks) - 1
                self._forwards(number, behind[::-1])
                return None
            model = queries.model([*asked, *(each.guard for each in bad)])
            if number == len(self.blocks) - 1:
                bad = _taken(bad, model) or bad
            if number == 0:
                break
            behind.append(goals := implicant(asked, model))
            if terms.has_inputs(goals):
                raise NotTold("a way to the error depends on arbitrary memory")
        return Possible(tuple(bad))

    def _forwards(self, first: int, behind: Sequence[Sequence[Term]]) -> None:
        """The core of the first block, which is refuted, and of those that are refuted by what it excludes, and so on."""
        for number, goals in enumerate(behind, first):
            block = self.blocks[number]
            base = [block.before, *self.clauses[number], block.exit.guard]
            core = _core(self.analysis.queries(block.start), base, block.exit, goals)
            if not core:
                return
            self.cubes.append((block.target, core))
            self.clauses[number + 1].append(terms.negate(terms.conjunction(core)))
            self.since = min(self.since, number + 1)


def _taken(bad: Sequence[Bad], model: dict[Term, Value]) -> list[Bad]:
    values = evaluate([each.guard for each in bad], model, 0)
    return [each for each, value in zip(bad, values, strict=True) if value]


def _core(queries: Queries, base: list[Term], exit: Exit, goals: Sequence[Term]) -> tuple[Term, ...] | None:
    """Goals that no state of the base gets to together; None if one gets to all of them."""
    images = {exit.after(goal): goal for goal in goals}
    if FALSE in images:
        return (images[FALSE],)
    if queries.is_satisfiable([*base, *images]):
        return None
    core = queries.core()

    def core_with(fewer: list[Term]) -> set[Term] | None:
        return None if queries.is_satisfiable([*base, *fewer]) else queries.core()

    ordered = sorted((image for image in images if image in core), key=lambda image: _weight(images[image]))
    needed = shrunk(ordered, _SHRINK, core_with)
    return tuple(sorted((images[image] for image in needed), key=lambda literal: literal.hash))


def _weight(literal: Term) -> int:
    """How much its negation says: literals are dropped from a core in this order."""
    if literal.operator == "=":
        return 0  # one value is excluded
    return 2 if literal.operator == "not" and literal.arguments[0].operator == "=" else 1


def with_cubes(precision: Precision, cubes: Iterable[tuple[int, tuple[Term, ...]]]) -> Precision:
    """Their atoms become predicates, their negations clauses; the same object, if there is nothing new."""
    finer: dict[int, Local] = {}
    for location, literals in cubes:
        local = finer.get(location) or precision.get(location) or Local()
        atoms = (each.arguments[0] if each.operator == "not" else each for each in literals)
        clause = terms.negate(terms.conjunction(literals))
        clauses = local.clauses if len(literals) < 2 else _joined(local.clauses, [clause])
        finer[location] = Local(_joined(local.predicates, atoms), clauses)
    return _updated(precision, finer)


def with_atoms(precision: Precision, atoms: dict[int, list[Term]]) -> Precision:
    finer = {}
    for location, new in atoms.items():
        local = precision.get(location) or Local()
        finer[location] = Local(_joined(local.predicates, new), local.clauses)
    return _updated(precision, finer)


def _joined(known: tuple[Term, ...], more: Iterable[Term]) -> tuple[Term, ...]:
    joined = tuple(dict.fromkeys((*known, *more)))
    return joined if len(joined) > len(known) else known


def _updated(precision: Precision, finer: dict[int, Local]) -> Precision:
    if all(precision.get(location, Local()) == local for location, local in finer.items()):
        return precision
    return {**precision, **finer}


# interpolants


def interpolated(blocks: Sequence[Block], is_timed: bool = True) -> dict[int, list[Term]]:
    """By location the atoms of formulas that hold there after the blocks before and keep the rest of the way from the error.

    Nothing, if the way can be taken, is too large, or the solver does not know: by its own count of effort, and where it may be
    timed, by the clock.
    """
    if not 1 < len(blocks) <= _MOST_BLOCKS:
        return {}
    clauses = _clauses(blocks)
    if terms.size(term for clause in clauses for term in clause.terms()) > _MOST_NODES:
        return {}
    found = interpolants(clauses, _EFFORT, _SECONDS if is_timed else math.inf)
    if found is None:
        return {}
    atoms: dict[int, dict[Term, None]] = {}
    for block, formulas in zip(blocks, found, strict=False):
        here = atoms.setdefault(block.target, {})
        for formula in formulas:
            here.update(dict.fromkeys(atom for atom in terms.atoms(formula) if terms.size(atom) <= _LARGEST_PREDICATE))
    smallest = {location: sorted(each, key=lambda atom: (terms.size(atom), atom.hash)) for location, each in atoms.items()}
    return {location: each[:_MOST_PREDICATES] for location, each in smallest.items() if each}


def _clauses(blocks: Sequence[Block]) -> list[Clause]:
    """Without variables that the rest of the way does not depend on."""
    clauses = [Clause(blocks[-1].exit.guard)]
    for block in blocks[-2::-1]:
        wanted = terms.free_symbols(clauses[-1].terms())
        values = {symbol: block.exit.after(symbol) for symbol in wanted if symbol.operator == "state"}
        clauses.append(Clause(block.exit.guard, values))
    return clauses[::-1]
