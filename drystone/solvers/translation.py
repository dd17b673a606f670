"""What the solvers share: levels, definitions, counters, limits, failures, on top of the translation of terms."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from drystone.base.clock import now
from drystone.logic.evaluation import Evaluation, Value, evaluate
from drystone.logic.sorts import Float
from drystone.logic.terms import FALSE, SYMBOLS, Term
from drystone.logic.translation import Translation, Unsupported
from drystone.solvers.products import Products
from drystone.solvers.protocol import Answer, Counters, SolverError

_SOON = 0.2  # seconds
_FOR_PRODUCTS = 2.0  # seconds for each question about them


class TranslatingSolver(Translation):
    """A solver of which a backend supplies the library's calls. `Any` is the library's own term."""

    name: str

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed
        self.counters = Counters()
        self.reason = ""
        self._definitions: list[list[Any]] = [[]]  # per level, what was asserted about symbols of the translation's own
        self._dropped: list[int] = [0]  # per level, how many assertions could not be translated
        self._why_dropped = ""
        self._answer: Answer | None = None
        self._evaluation = Evaluation()  # of what was not translated, after the latest answer
        self._assumed: Sequence[Term] = ()
        self._formulas: list[list[Term]] = [[]]  # per level
        self._products: Products | None = None
        self._contradiction: list[Term] | None = None  # assumptions, if the laws of rings have shown it

    # The protocol

    def add(self, term: Term) -> None:
        self._answer = None
        self._formulas[-1].append(term)
        try:
            self._assert(self.translate(term))
        except Unsupported as error:
            self._dropped[-1] += 1
            self._why_dropped = str(error)

    def push(self) -> None:
        self._answer = None
        self._definitions.append([])
        self._dropped.append(0)
        self._formulas.append([])
        self._push()

    def pop(self) -> None:
        if len(self._dropped) == 1:
            raise SolverError("pop without push")
        self._answer = None
        self._dropped.pop()
        self._formulas.pop()
        self._pop()
        for definition in self._definitions.pop():  # the translations that rely on it stay
            self._define(definition)

    def check(self, assumptions: Sequence[Term] = (), limit_seconds: float | None = None) -> Answer:
        start = perf_counter()
        self._assumed = assumptions
        self.reason = ""
        unsupported = any(self._dropped)
        literals: list[tuple[Term, Any]] = []
        for term in assumptions:
            try:
                literals.append((term, self.translate(term)))
            except Unsupported as error:
                unsupported = True
                self._why_dropped = str(error)
        try:
            answer = self._decide(literals, limit_seconds)
        except Exception as error:  # whatever happens inside a solver, its answer is not known
            answer, self.reason = Answer.UNKNOWN, f"{self.name}: {error}"
        if unsupported and answer is not Answer.UNSAT:  # less was asserted than asked: a contradiction is one all the same
            answer, self.reason = Answer.UNKNOWN, f"{self.name} does not support {self._why_dropped}"
        self._count(answer, unsupported, perf_counter() - start)
        self._answer = answer
        self._evaluation = Evaluation()
        return answer

    def _decide(self, literals: list[tuple[Term, Any]], limit_seconds: float | None) -> Answer:
        """Where there are products of unknowns, what is not answered soon may follow from the laws of rings."""
        self._contradiction = None
        if not self._has_products:
            return self._check(literals, limit_seconds)
        deadline = now() + (math.inf if limit_seconds is None else limit_seconds)
        answer = self._check(literals, min(_SOON, (deadline - now()) / 2))
        if answer is not Answer.UNKNOWN:
            return answer
        if self._products is None:
            self._products = Products(lambda: type(self)(self._seed))
        asserted = [each for level in self._formulas for each in level]
        self._contradiction = self._products.contradiction(asserted, self._assumed, min(_FOR_PRODUCTS, (deadline - now()) / 2))
        if self._contradiction is not None:
            return Answer.UNSAT
        if self._products.guess:
            guessed = [(each, self.translate(each)) for each in self._products.guess]
            if self._check([*literals, *guessed], min(_FOR_PRODUCTS, (deadline - now()) / 2)) is Answer.SAT:
                return Answer.SAT
        left = deadline - now()
        return self._check(literals, None if limit_seconds is None else left) if left > 0 else answer

    def _count(self, answer: Answer, unsupported: bool, seconds: float) -> None:
        counters = self.counters
        counters.queries += 1
        counters.sat += answer is Answer.SAT
        counters.unsat += answer is Answer.UNSAT
        counters.unknown += answer is Answer.UNKNOWN
        counters.unsupported += unsupported
        counters.seconds += seconds
        counters.terms = len(self._cache)

    def value(self, term: Term) -> Value:
        if self._answer is not Answer.SAT:
            raise SolverError("there is no model")
        if type(term.sort) is not Float and term in self._cache:
            return self._model_value(self._cache[term], term)
        if term in self._bits:
            return self._model_value(self._bits[term], term)
        if term.operator in SYMBOLS:
            return _nothing(term)
        return self._evaluation.values((term,), self.value)[0]

    def core(self) -> list[Term]:
        if self._answer is not Answer.UNSAT:
            raise SolverError("there is no contradiction")
        if FALSE in self._assumed:
            return [FALSE]
        return self._failed() if self._contradiction is None else self._contradiction

    def _define(self, formula: Any) -> None:
        """Asserts what is true of a symbol that the translation has made up; outlives the current level."""
        self._definitions[-1].append(formula)
        self._assert(formula)

    # The library

    @abstractmethod
    def _assert(self, formula: Any) -> None: ...

    @abstractmethod
    def _push(self) -> None: ...

    @abstractmethod
    def _pop(self) -> None: ...

    @abstractmethod
    def _check(self, assumptions: list[tuple[Term, Any]], limit_seconds: float | None) -> Answer:
        """May set `reason`, may raise."""

    @abstractmethod
    def _failed(self) -> list[Term]:
        """The assumptions of the latest check that contradict what is asserted."""

    @abstractmethod
    def _model_value(self, translated: Any, term: Term) -> Value: ...


def _nothing(symbol: Term) -> Value:
    """The value of a symbol that no query mentioned."""
    return evaluate((symbol,), {}, 0)[0]
