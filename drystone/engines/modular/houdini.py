"""Claims about pairs of threads that every step preserves: weakened from below, until no step leads to a state that they exclude.

The claim of a place, or of two, is the strongest one that allows the states that were seen there (`engines.modular.abstraction`):
in runs of a few threads first, then in models of situations that break a claim. Where nothing was seen, it is FALSE. What this
comes to is what Houdini keeps of all candidates. From there, what the absence of errors needs is found backwards by unsatisfiable
cores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from drystone.base.deadline import Deadline
from drystone.engines.modular.abstraction import Abstraction
from drystone.engines.modular.runs import Row
from drystone.engines.modular.situations import Situation, Situations
from drystone.logic import terms
from drystone.logic.evaluation import evaluate
from drystone.logic.substitution import Substitution
from drystone.logic.terms import FALSE, TRUE, Term, negate
from drystone.modular.steps import Key, vocabulary
from drystone.solvers import Answer, Solver, make_solver

QUERY_SECONDS = 2.0
_MOST_ROWS = 400  # of a key; where there are more, nothing is claimed

Claims = dict[Key, list[Term]]


class Unanswered(Exception):
    """There was no time, or a solver has given up."""


class Houdini:
    """`seen`: states per key. `tell`: gets the number of queries now and then."""

    def __init__(
        self,
        situations: Situations,
        seen: dict[Key, dict[Row, None]],
        abstraction: Abstraction,
        deadline: Deadline,
        *,
        seed: int = 0,
        tell: Callable[[int], None] = lambda queries: None,
    ) -> None:
        self.meaning, self.seen, self.abstraction, self.deadline = situations, seen, abstraction, deadline
        self.seed, self.tell, self.queries = seed, tell, 0
        self.situations = list(situations.all())
        self.claims: Claims = {}
        self._vocabularies: dict[Key, list[Term]] = {}
        self._solvers: dict[int, Solver] = {}
        self._relying: dict[Key, list[Situation]] = {}
        self._meanings: dict[Situation, tuple[Term, Substitution, frozenset[Term]]] = {}
        for situation in self.situations:
            for key in {key for key, _ in situation.premises()}:
                self._relying.setdefault(key, []).append(situation)

    def claim(self, key: Key) -> list[Term]:
        known = self.claims.get(key)
        if known is None:
            rows = self.seen.get(key, {})
            known = self.abstraction.claim(key, self._vocabulary(key), list(rows)) if len(rows) <= _MOST_ROWS else []
            self.claims[key] = known
        return known

    def _vocabulary(self, key: Key) -> list[Term]:
        known = self._vocabularies.get(key)
        if known is None:
            known = self._vocabularies[key] = list(vocabulary(self.meaning.steps, key).values())
        return known

    # up to the fixed point

    def reach_fixed_point(self) -> None:
        """Raises `Unanswered`."""
        waiting = deque(self.situations)
        queued = set(waiting)
        while waiting:
            situation = waiting.popleft()
            queued.discard(situation)
            for key in self._weakened(situation):
                for relying in self._relying.get(key, ()):
                    if relying not in queued:
                        queued.add(relying)
                        waiting.append(relying)

    def _weakened(self, situation: Situation) -> set[Key]:
        """Keys whose claims this situation has broken, until it breaks none."""
        weakened: set[Key] = set()
        while True:
            open_ = self._open(situation, self.claim)
            if not open_ or not self._is_broken(situation, terms.disjunction([negate(each) for each in open_])):
                return weakened
            solver = self._solver(situation)
            for key, slots in situation.goals:
                if self._add(key, tuple(self._values(solver, situation, key, slots))):
                    weakened.add(key)

    def _values(self, solver: Solver, situation: Situation, key: Key, slots: tuple[int, ...]) -> Iterable[int]:
        """What the model says of the state after the step."""
        _, after, _ = self._meaning(situation)
        for variable in self._vocabulary(key):
            value = solver.value(after(self.meaning.renamed(variable, slots)))
            yield value if isinstance(value, int) else 0

    def _add(self, key: Key, row: Row) -> bool:
        """Does it break the claim?"""
        claim = self.claim(key)
        if all(evaluate(claim, dict(zip(self._vocabulary(key), row, strict=True)), 0)):
            return False
        self.seen.setdefault(key, {})[row] = None
        del self.claims[key]
        return True

    # questions

    def _meaning(self, situation: Situation) -> tuple[Term, Substitution, frozenset[Term]]:
        """Guard, values after the step, variables that change."""
        known = self._meanings.get(situation)
        if known is None:
            after = self.meaning.after(situation)
            known = self._meanings[situation] = self.meaning.guard(situation), Substitution(after), frozenset(after)
        return known

    def _open(self, situation: Situation, claim: Callable[[Key], Sequence[Term]]) -> list[Term]:
        """What has to hold after the step, as formulas about the state before; without what is assumed in the same words."""
        premises = situation.premises()
        if any(FALSE in claim(key) for key, _ in premises):
            return []
        _, after, changed = self._meaning(situation)
        assumed = set(premises)
        found: dict[Term, None] = {}
        for goal in situation.goals:
            key, slots = goal
            for formula in claim(key):
                renamed = self.meaning.renamed(formula, slots)
                if goal in assumed and changed.isdisjoint(terms.free_symbols(renamed)):
                    continue
                following = after(renamed)
                if following is not TRUE:
                    found[following] = None
        return list(found)

    def _premises(self, situation: Situation) -> list[tuple[Term, Key, Term]]:
        """What is assumed, and which formula of which claim it is."""
        return [
            (self.meaning.renamed(formula, slots), key, formula)
            for key, slots in situation.premises()
            for formula in self.claim(key)
        ]

    def _solver(self, situation: Situation) -> Solver:
        start = situation.places[0] if situation.places else -1
        known = self._solvers.get(start)
        if known is None:
            known = self._solvers[start] = make_solver("bitwuzla", self.seed)
            for constraint in self.meaning.steps.constraints():
                known.add(constraint)
        return known

    def _is_broken(self, situation: Situation, formula: Term) -> bool:
        guard, _, _ = self._meaning(situation)
        if formula is FALSE or guard is FALSE:
            return False
        return self._ask(situation, [guard, formula, *(each for each, _, _ in self._premises(situation))])

    def _ask(self, situation: Situation, formulas: Sequence[Term]) -> bool:
        self.queries += 1
        if self.queries % 100 == 0:
            self.tell(self.queries)
        limit = min(QUERY_SECONDS, self.deadline.remaining())
        answer = (
            self._solver(situation).check(list(dict.fromkeys(formulas)), limit_seconds=limit) if limit > 0 else Answer.UNKNOWN
        )
        if answer is Answer.UNKNOWN:
            raise Unanswered
        return answer is Answer.SAT

    # what is needed

    def reachable_bad(self) -> str:
        """Something bad that the claims do not exclude; nothing, if there is none."""
        for start in self.meaning.steps.places:
            situation = Situation((start,), None, ())
            for guard, what in self.meaning.bad(start):
                if FALSE not in self.claim((start,)) and self._ask(situation, [guard, *self.claim((start,))]):
                    return what
        return ""

    def needed(self) -> Claims:
        """The part of the claims that excludes what is bad, and is preserved by every step."""
        kept: dict[Key, dict[Term, None]] = {}
        leading: dict[Key, list[Situation]] = {}
        for situation in self.situations:
            for key, _ in situation.goals:
                leading.setdefault(key, []).append(situation)
        waiting: dict[Situation, None] = {}

        def want(wanted: Iterable[tuple[Key, Term]]) -> None:
            for key, formula in wanted:
                if formula not in kept.setdefault(key, {}):
                    kept[key][formula] = None
                    waiting.update(dict.fromkeys(leading.get(key, ())))

        for start in self.meaning.steps.places:
            for guard, _ in self.meaning.bad(start):
                want(self._core(Situation((start,), None, ()), guard))
        while waiting:
            situation = next(iter(waiting))
            del waiting[situation]
            guard, _, _ = self._meaning(situation)
            broken = self._wanted(situation, kept)
            if broken:
                want(self._core(situation, guard, terms.disjunction([negate(each) for each in broken])))
        return {key: list(formulas) for key, formulas in sorted(kept.items()) if formulas}

    def _wanted(self, situation: Situation, kept: dict[Key, dict[Term, None]]) -> list[Term]:
        """What of the kept claims has to be shown. If claims that are kept say that the situation is impossible, nothing."""
        return self._open(situation, lambda key: list(kept.get(key, ())))

    def _core(self, situation: Situation, *formulas: Term) -> list[tuple[Key, Term]]:
        if FALSE in formulas:
            return []
        premises = self._premises(situation)
        impossible = next(((key, formula) for _, key, formula in premises if formula is FALSE), None)
        if impossible is not None:
            return [impossible]
        if self._ask(situation, [*formulas, *(each for each, _, _ in premises)]):
            raise Unanswered
        core = set(self._solver(situation).core())
        return [(key, formula) for each, key, formula in premises if each in core]
