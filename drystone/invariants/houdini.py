"""Houdini: the largest part of a set of candidates that holds at the entry and that every block preserves.

Flanagan, Leino 2001: assume all candidates, drop those that some block falsifies, until none is dropped. Per block one solver
context; one query asks whether the block falsifies *any* candidate at its targets, and the model's next state drops all that are
false in it. From that state concrete runs go on: where they pass a cut point, what is false falls as well, for a state that the
final invariants allow leads only to such states. A block is asked again when a candidate at its start has fallen.

Only the fixed point is sound: before it, candidates support each other that may still fall.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.invariants.candidates import Candidate
from drystone.invariants.closure import Closure
from drystone.invariants.compiled_terms import CompiledTerms
from drystone.invariants.query_limits import QueryLimits
from drystone.invariants.sampling import Constants, Inputs, ModelInputs, Runner, State
from drystone.logic import terms
from drystone.logic.polynomials import is_product
from drystone.logic.sorts import BOOL
from drystone.logic.terms import FALSE, TRUE, Term, make, negate
from drystone.logic.walks import reachable
from drystone.solvers import Answer, Solver
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem

QUERY_SECONDS = 5.0
"""After which a query counts as UNKNOWN."""
_STYLES = ("mixed", "constants", "small")  # of the runs from the state that a model leads to
_LONGEST_RUN = 30
_HARD = frozenset(("bvurem", "bvudiv", "bvsrem", "bvsdiv"))
_WORK_PER_RUN = 10_000  # evaluated terms

Observer = Callable[[Mapping[str, int]], None]
"""Receives the counters now and then."""


def unobserved(counters: Mapping[str, int]) -> None:
    """The observer that does not look."""


class Pruned(msgspec.Struct, frozen=True):
    invariants: dict[int, list[Candidate]]  # inductive together, relative to what was known
    queries: int
    rounds: int  # how often a block was asked
    unknown: int  # queries without an answer
    complete: bool  # a fixed point was reached; otherwise there are no invariants


def prune(
    system: TransitionSystem,
    candidates: Iterable[Candidate],
    *,
    known: Mapping[int, Sequence[Term]] | None = None,
    solver: str = "bitwuzla",
    seed: int = 0,
    deadline: Deadline | None = None,
    observer: Observer = unobserved,
    query_seconds: float = QUERY_SECONDS,
) -> Pruned:
    """`known`: invariants that are proved already. Before the first fixed point is reached there are no invariants.

    Candidates are added stage by stage as long as errors are not excluded, then sets of valuations, family by family; each
    time, what had fallen gets another chance.
    """
    search = _Search(system, known or {}, QueryLimits(solver, seed, deadline or Deadline(), query_seconds), observer)
    candidates = [each for each in candidates if each.term not in search.facts.get(each.cut, ())]
    multiplies = any(is_product(term) for term in reachable([each.term for each in candidates]))
    stage_of = {each: _stage(each, multiplies) for each in candidates}
    stages = sorted({stage for each, stage in stage_of.items() if each.valuations is None})
    for stage in stages or [0]:
        if stage != min(stages, default=0) and search.is_done():
            return search.result(complete=True)
        if not search.add_largest(search.missing(each for each in candidates if stage_of[each] <= stage)):
            return search.result(complete=stage != min(stages, default=0))
    for family in _families(candidates):
        if search.is_done():
            break
        search.add_closed(family, search.missing(candidates))
    return search.result(complete=True)


def _stage(candidate: Candidate, multiplies: bool) -> int:
    """When a candidate is tried: what helps most often first, what is hard to decide last.

    Where the program multiplies, equations come before all others: they follow from each other by the laws of rings.
    """
    inside = reachable([candidate.term])
    if multiplies and candidate.term.operator == "=":
        return 0
    if candidate.term.operator == "or" and len(terms.free_symbols(candidate.term)) > 1:
        return 2
    return 3 if any(term.operator in _HARD or is_product(term) for term in inside) else 1


class _Search:
    """Invariants found so far, and what it took."""

    def __init__(
        self, system: TransitionSystem, known: Mapping[int, Sequence[Term]], limits: QueryLimits, observer: Observer
    ) -> None:
        self.system, self.limits, self.observer = system, limits, observer
        self.facts: dict[int, list[Term]] = {cut: list(known.get(cut, ())) for cut in system.cut_points}
        self.invariants: dict[int, list[Candidate]] = {cut: [] for cut in system.cut_points}
        self.deadline = limits.deadline
        self.queries = self.rounds = self.unknown = 0

    def result(self, complete: bool) -> Pruned:
        invariants = {cut: found for cut, found in self.invariants.items() if found} if complete else {}
        return Pruned(invariants, self.queries, self.rounds, self.unknown, complete)

    def _houdini(self, candidates: Iterable[Candidate], limits: QueryLimits) -> _Houdini:
        return _Houdini(self.system, candidates, self.facts, limits, self.observer)

    def missing(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those that are no set of valuations and not found to be invariants yet."""
        facts = {cut: set(found) for cut, found in self.facts.items()}
        return [each for each in candidates if each.valuations is None and each.term not in facts[each.cut]]

    def is_done(self) -> bool:
        return self.deadline.expired() or self.excludes_errors()

    def add_largest(self, candidates: Iterable[Candidate]) -> bool:
        """Adds the largest inductive part of the candidates; False: there is not enough time."""
        houdini = self._houdini(candidates, self.limits)
        reached = houdini.reach_fixed_point()
        self._count(houdini)
        if reached:
            self._add(houdini)
        return reached

    def add_closed(self, family: Sequence[Candidate], candidates: Iterable[Candidate]) -> None:
        """Adds sets of valuations that no block leaves and candidates that no block falsifies, if they support each other.

        The sets grow and the candidates become fewer, each relying on the other, until neither changes.
        """
        sets = {each.cut: each.valuations for each in family if each.valuations is not None}
        limits = msgspec.structs.replace(self.limits, deadline=self.deadline.within(self.deadline.remaining() / 3))
        houdini = self._houdini(candidates, limits)
        houdini.assumed = {cut: each.term for cut, each in sets.items()}
        closure = Closure(self.system, sets, self.facts, houdini.left, limits)
        stable = False
        while not stable:
            grown = closure.reach_fixed_point()
            if grown is None:
                break
            houdini.assumed = {cut: each.term for cut, each in closure.sets.items()}
            for cut in grown:
                houdini.queue(cut)
            if not houdini.reach_fixed_point():
                break
            stable = not houdini.fallen
            for cut in houdini.fallen:
                closure.relied_on(cut)
            houdini.fallen = set()
        self._count(houdini)
        self.queries += closure.queries
        if stable:
            self._add(houdini)
            for cut, term in houdini.assumed.items():
                if term is not TRUE:
                    self.invariants[cut].append(Candidate(cut, term, family[0].source, closure.sets[cut]))
                    self.facts[cut].append(term)

    def _count(self, houdini: _Houdini) -> None:
        self.queries += houdini.queries
        self.rounds += houdini.rounds
        self.unknown += houdini.unknown

    def _add(self, houdini: _Houdini) -> None:
        for cut, left in houdini.left.items():
            self.invariants[cut] += left.values()
            self.facts[cut] += left

    def excludes_errors(self) -> bool:
        """Is no error reachable within a block from a state that the invariants allow?"""
        for block in self.system.all_blocks():
            if block.violation is FALSE:
                continue
            context = self.limits.context(self.facts.get(block.start, ()))
            self.queries += 1
            limit = min(self.limits.query_seconds, self.deadline.remaining())
            if context.check([block.violation], limit) is not Answer.UNSAT:
                return False
        return True


def _families(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    """The first sets of valuations of all cut points, the second ones, …"""
    by_cut: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.valuations is not None:
            by_cut.setdefault(candidate.cut, []).append(candidate)
    most = max(map(len, by_cut.values()), default=0)
    return [[found[position] for found in by_cut.values() if position < len(found)] for position in range(most)]


class _Houdini:
    def __init__(
        self,
        system: TransitionSystem,
        candidates: Iterable[Candidate],
        known: Mapping[int, Sequence[Term]],
        limits: QueryLimits,
        observer: Observer,
    ) -> None:
        self.system, self.known, self.limits, self.observer = system, known, limits, observer
        self.deadline = limits.deadline
        self.queries = self.rounds = self.unknown = 0
        self.left: dict[int, dict[Term, Candidate]] = {cut: {} for cut in system.cut_points}
        for candidate in candidates:
            if candidate.term is not TRUE:
                self.left[candidate.cut].setdefault(candidate.term, candidate)
        self.contexts: dict[int, Solver] = {}
        self.tests: dict[int, _Test] = {}
        self.runner = Runner(system)
        self.constants = Constants(system.all_terms())
        self.choose = random.Random(limits.seed)
        self.rank = {ENTRY: 0, **{cut: position + 1 for position, cut in enumerate(_reverse_postorder(system))}}
        self.waiting: list[tuple[int, int]] = []
        self.queued: set[int] = set()
        self.assumed: dict[int, Term] = {}  # what else is assumed at the start of blocks
        self.fallen: set[int] = set()  # cut points where something has fallen
        for block in system.all_blocks():
            self.queue(block.start)

    def reach_fixed_point(self) -> bool:
        """Drops what the blocks that wait falsify. False: there is not enough time."""
        while self.waiting:
            _, start = heapq.heappop(self.waiting)
            self.queued.discard(start)
            self.rounds += 1
            if not self._settle(self.system.initial if start == ENTRY else self.system.blocks[start]):
                return False
            self.observer(self._counters())
        return True

    def _counters(self) -> dict[str, int]:
        return {"queries": self.queries, "candidates": sum(map(len, self.left.values())), "waiting": len(self.waiting)}

    def queue(self, start: int) -> None:
        if start not in self.queued:
            self.queued.add(start)
            heapq.heappush(self.waiting, (self.rank[start], start))

    def _relied_on(self, cut: int) -> None:
        """Something has fallen at a cut point, which the block that starts there relied on."""
        self.fallen.add(cut)
        self.queue(cut)

    def _settle(self, block: Transformer) -> bool:
        """Drops candidates until the block preserves what is left at its targets. False: there is no time left.

        A candidate at the start of the block itself that is dropped here is assumed no more from the next query on.
        """
        while True:
            questions = self._questions(block)
            if not questions:
                return True
            answer = self._ask(block, [question.asked for question in questions])
            if answer is None:
                return False
            if answer is Answer.UNSAT:
                return True
            if answer is Answer.SAT:
                self._learn(block, questions)
                continue
            shown = self._split(block, questions)
            if shown is None:
                return False
            if shown:
                return True

    def _questions(self, block: Transformer) -> list[_Question]:
        """What is to be shown: not what holds as it stands, or because it is assumed at the start."""
        assumed = self.left.get(block.start, {})
        found: list[_Question] = []
        for target, exit in block.exits.items():
            for term in self.left[target]:
                after = exit.after(term)
                if after is not TRUE and after not in assumed:
                    found.append(_Question(target, term, exit.guard, after))
        return found

    def _ask(self, block: Transformer, asked: Sequence[Term]) -> Answer | None:
        """Can a candidate be falsified? None: there is no time left."""
        if self.deadline.expired():
            return None
        context = self.contexts.get(block.start)
        if context is None:
            context = self.contexts[block.start] = self.limits.context(self.known.get(block.start, ()))
        self.queries += 1
        question = terms.disjunction(asked)
        if question is FALSE:
            return Answer.UNSAT
        limit = min(self.limits.query_seconds, self.deadline.remaining() / 2)  # one hard query must not take all the time
        assumptions = [*self.left.get(block.start, ()), question]
        if block.start in self.assumed:
            assumptions.append(self.assumed[block.start])
        return context.check(assumptions, limit)

    def _learn(self, block: Transformer, questions: Sequence[_Question]) -> None:
        """Drops what is false in the state that the model's transition leads to, and in states from there on."""
        context = self.contexts[block.start]
        live = self.system.live_variables(block.start) if block.start != ENTRY else []
        before: State = {variable: context.value(variable) for variable in live}
        reached = self.runner.step(block.start, before, ModelInputs(context))
        if reached is None or not self._falsify(*reached):
            self._learn_from(context, block, questions)
            return
        for style in _STYLES:
            self._run(*reached, Inputs(self.constants, self.choose, style))

    def _run(self, cut: int, current: State, inputs: Inputs) -> None:
        work = self.runner.work + _WORK_PER_RUN
        for _ in range(_LONGEST_RUN):
            following = self.runner.step(cut, current, inputs)
            if following is None or self.runner.work > work:
                return
            cut, current = following
            self._falsify(cut, current)

    def _falsify(self, cut: int, state: State) -> bool:
        """Drops what is false in a state at a cut point; was there anything?"""
        test = self.tests.get(cut)
        if test is None or len(test.terms) > 2 * len(self.left[cut]):
            test = self.tests[cut] = _Test(self.left[cut])
        fallen = [term for term in test.falsified(state) if self.left[cut].pop(term, None) is not None]
        if fallen:
            self._relied_on(cut)
        return bool(fallen)

    def _learn_from(self, context: Solver, block: Transformer, questions: Sequence[_Question]) -> None:
        """As the solver evaluates the model itself; it may differ from the runs in what it makes of floats and arrays."""
        taken = {target for target, exit in block.exits.items() if context.value(exit.guard)}
        found = [each for each in questions if each.target in taken and not context.value(each.after)]
        self._drop(found or questions)  # a model that is none: nothing was shown

    def _split(self, block: Transformer, questions: list[_Question]) -> bool | None:
        """After UNKNOWN, two halves: True if both are shown, None where there is no time left.

        What is unknown then is dropped: it was not shown, and only what was may stay.
        """
        self.unknown += 1
        middle = (len(questions) + 1) // 2
        shown = True
        for half in (questions[:middle], questions[middle:]):
            if not half:
                continue
            answer = self._ask(block, [question.asked for question in half])
            if answer is None:
                return None
            if answer is Answer.SAT:
                self._learn(block, half)
            elif answer is Answer.UNKNOWN:
                self.unknown += 1
                self._drop(half)
            shown = shown and answer is Answer.UNSAT
        return shown

    def _drop(self, falsified: Iterable[_Question]) -> None:
        for each in falsified:
            self._relied_on(each.target)
            self.left[each.target].pop(each.candidate, None)


class _Test:
    """The candidates at one cut point, to be evaluated in many states."""

    def __init__(self, candidates: Iterable[Term]) -> None:
        self.terms = list(candidates)
        self.compiled = CompiledTerms(self.terms)

    def falsified(self, state: State) -> list[Term]:
        return [term for term, value in zip(self.terms, self.compiled.values(state), strict=True) if not value]


class _Question(msgspec.Struct, frozen=True):
    target: int
    candidate: Term
    guard: Term
    after: Term  # the candidate, as a formula at the start of the block

    @property
    def asked(self) -> Term:
        return make("and", BOOL, self.guard, negate(self.after))


def _reverse_postorder(system: TransitionSystem) -> list[int]:
    """Cut points such that blocks mostly come after those that lead to them."""
    seen: set[int] = set()
    finished: list[int] = []
    stack = [(ENTRY, iter(sorted(system.initial.exits)))]
    while stack:
        cut, remaining = stack[-1]
        for target in remaining:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(sorted(system.blocks[target].exits))))
                break
        else:
            finished.append(cut)
            stack.pop()
    return finished[-2::-1]
