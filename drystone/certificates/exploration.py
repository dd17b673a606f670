"""Finds all states of a program again, to check that none is bad: the check of `explored` certificates.

Nothing of the search that found the proof is used. Symbolic execution says what happens between two places where the schedule
chooses (`symbolic.transformers`), as it does for invariants; these terms are evaluated on values. An input of few values is
replaced by each of them, one after the other; any other is None, which stands for any value, and so is what nobody has written,
and each variable that the certificate does not name. What depends on None may be None, and a branch on it is taken both ways:
states may be found that no execution has, but none is missing. A variable is a part of a state if a term of a later step reads
it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import product
from math import prod

import msgspec

from drystone.base.closure import Closure
from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.base.state_steps import Function
from drystone.certificates.term_text import TermText, may_be_any
from drystone.ir.automaton import Procedure
from drystone.ir.expressions import Input, InputKind
from drystone.ir.operations import Assign
from drystone.logic import terms
from drystone.logic.sorts import BitVec, Bool
from drystone.logic.substitution import Substitution
from drystone.logic.terms import FALSE, Term
from drystone.logic.walks import reachable
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem

_MOST_CASES = 256  # of the inputs of one step, together
_NARROW = 8  # bits of an input of which all values are tried
_FEW_BITS = 5  # of a mask
_TIMES, _BESIDES = 4, 10_000  # more states than the certificate says: other variables are kept here


class Case(msgspec.Struct, frozen=True):
    """What a step does for one choice of its inputs: when it is bad, and per target, when it gets there with which values."""

    bad: Term
    exits: dict[int, tuple[Term, dict[str, Term]]]

    def formulas(self) -> Iterator[Term]:
        yield self.bad
        for guard, values in self.exits.values():
            yield guard
            yield from values.values()


def scheduled(procedure: Procedure) -> list[int]:
    """The places where the schedule chooses."""
    return [edge.source for edge in procedure.edges if isinstance(edge.operation, Assign) and _is_schedule(edge.operation)]


def _is_schedule(assign: Assign) -> bool:
    return isinstance(assign.value, Input) and assign.value.kind is InputKind.SCHEDULE


class _Exceeded(Exception):
    """More of something than there may be. The message is for people."""


class Exploration:
    """Of one transition system. `variables`: those that are told apart; what is in others may be anything."""

    def __init__(self, system: TransitionSystem, variables: Collection[str] | None = None) -> None:
        self.system = system
        sorts = system.symbolic.sorts
        self.told = frozenset(sorts) if variables is None else frozenset(variables) & sorts.keys()
        self.cases = {each.start: list(_cases(each)) for each in system.all_blocks()}
        self.read = self._read()
        self.open = self._open()
        self.states = 0  # that were found

    def problem(self, expected: int, deadline: Deadline, workers: int = 1) -> str:
        """Why the certificate, which says how many states to expect, does not hold; empty if it does."""
        wrong = self._is_forgotten()
        if wrong:
            return wrong
        most = _TIMES * expected + _BESIDES

        def look(states: int, memory: int) -> None:
            if deadline.expired():
                raise _Exceeded("out of time")
            if states > most:
                raise _Exceeded(f"there are more states than {expected:,}")

        closure = Closure(self, (ENTRY,), look, workers)
        try:
            for state in closure.notable():
                return f"{self._listed(state[0])} is not excluded after {counted(closure.states, 'states')}"
        except _Exceeded as problem:
            return str(problem)
        finally:
            self.states = closure.states
        return ""

    def _listed(self, cut: object) -> str:
        block = self.system.initial if cut == ENTRY else self.system.blocks[cut]  # type: ignore[index]
        return " or ".join(dict.fromkeys(each.mark.what for each in block.bad))

    # which variables make up a state

    def _read(self) -> dict[int, frozenset[str]]:
        """Per cut point, the variables that decide where a step leads, or what is in such a variable afterwards."""
        needed: dict[int, Callable[[Mapping[int, frozenset[str]]], frozenset[str]]] = {}
        read = {}
        for cut, cases in self.cases.items():
            direct = [each.bad for each in cases] + [guard for each in cases for guard, _ in each.exits.values()]
            read[cut] = _names(direct) & self.told
            needed[cut] = _Behind(cases)
        is_growing = True
        while is_growing:
            is_growing = False
            for cut in reversed(read):
                names = read[cut] | needed[cut](read) & self.told
                if names != read[cut]:
                    read[cut], is_growing = names, True
        return read

    def _is_forgotten(self) -> str:
        """Transformers leave out what data flow says is not read any more."""
        for cut, names in self.read.items():
            if cut != ENTRY and not names <= set(self.system.live(cut)):
                return "a variable is read that was thought to be dead"
        return ""

    def _open(self) -> frozenset[str]:
        """Variables that may be any value, wherever."""
        sorts = self.system.symbolic.sorts
        found = frozenset(sorts) - self.told
        while True:
            more = set(found)
            for cut, cases in self.cases.items():
                unknown = frozenset(sorts) if cut == ENTRY else found
                for case in cases:
                    for target, (_, values) in case.exits.items():
                        kept = {name: values.get(name, terms.state(name, sorts[name])) for name in self.read[target]}
                        open_ = may_be_any(kept.values(), unknown)
                        more.update(name for name, value in kept.items() if value in open_)
            if len(more) == len(found):
                return found
            found = frozenset(more)

    # steps

    def names(self, location: object) -> list[str]:
        assert isinstance(location, int)
        return sorted(self.read[location]) if location != ENTRY else []

    def function(self, cut: object) -> Function:
        """A bad state is notable."""
        assert isinstance(cut, int)
        text = TermText(self.names(cut), self.open, self.system.symbolic.sorts)
        for case in self.cases[cut]:
            text.begin_case()
            if case.bad is not FALSE:
                text.fail_if(case.bad)
            for target, (guard, values) in case.exits.items():
                sorts = self.system.symbolic.sorts
                text.go(guard, target, [values.get(name, terms.state(name, sorts[name])) for name in self.names(target)])
        return text.function()


class _Behind:
    """The names that the values of some variables at the targets of a step are computed from."""

    def __init__(self, cases: list[Case]) -> None:
        self._from: dict[int, dict[str, frozenset[str]]] = {}  # what is not in there has not changed, in no case
        for case in cases:
            for target, (_, values) in case.exits.items():
                known = self._from.setdefault(target, {})
                for name, value in values.items():
                    known[name] = known.get(name, frozenset()) | _names([value])

    def __call__(self, read: Mapping[int, frozenset[str]]) -> frozenset[str]:
        found: set[str] = set()
        for target, known in self._from.items():
            for name in read[target]:
                found |= known.get(name, {name})
        return frozenset(found)


def _names(formulas: Iterable[Term]) -> frozenset[str]:
    return frozenset(symbol.payload for symbol in terms.free_symbols(list(formulas)) if symbol.operator == "state")


# inputs


def _cases(block: Transformer) -> Iterator[Case]:
    """For all values of inputs that have few. Those that would be too many together stay as they are: any."""
    whole = Case(block.violation, {target: (each.guard, each.values) for target, each in block.exits.items()})
    tried: dict[Term, list[Term]] = {}
    for term, values in _few_valued(reachable(whole.formulas()), frozenset(whole.formulas())):
        if prod(map(len, tried.values())) * len(values) <= _MOST_CASES:
            tried[term] = values
    for chosen in product(*tried.values()):
        replaced = Substitution(dict(zip(tried, chosen, strict=True)))
        exits = {
            target: (condition, {name: replaced(value) for name, value in values.items()})
            for target, (guard, values) in whole.exits.items()
            if (condition := replaced(guard)) is not FALSE
        }
        yield Case(replaced(whole.bad), exits)


def _few_valued(formulas: list[Term], results: frozenset[Term]) -> Iterator[tuple[Term, list[Term]]]:
    """Inputs, and terms over one input and constants, with all the values that they may have, or more. Of two such terms over
    the same input, all combinations are tried, which are more than there are. `results`: formulas that are no part of others; a
    variable may have such a value afterwards."""
    for term in formulas:
        if term.operator == "input" and (isinstance(term.sort, Bool) or _is_narrow(term)):
            yield term, _all_values(term, formulas, term in results)
        elif _is_over_wide_input(term):
            values = _values_over_wide(term)
            if values is not None:
                yield term, values


def _is_narrow(term: Term) -> bool:
    return isinstance(term.sort, BitVec) and term.sort.width <= _NARROW


def _all_values(term: Term, formulas: list[Term], is_kept: bool) -> list[Term]:
    """Of an input that is only compared with some numbers, and not kept for later, these and another one."""
    if isinstance(term.sort, Bool):
        return [terms.FALSE, terms.TRUE]
    assert isinstance(term.sort, BitVec)
    users = [each for each in formulas if term in each.arguments]
    numbers = [argument.payload for each in users for argument in each.arguments if argument.operator == "const"]
    if not is_kept and all(each.operator == "=" and any(it.operator == "const" for it in each.arguments) for each in users):
        others = (number for number in range(1 << term.sort.width) if number not in numbers)
        numbers = sorted({*numbers, *[next(others, 0)]})
    else:
        numbers = list(range(1 << term.sort.width))
    return [terms.constant(term.sort, number) for number in numbers]


def _is_over_wide_input(term: Term) -> bool:
    inputs = [each for each in term.arguments if each.operator == "input"]
    others = [each for each in term.arguments if each.operator != "const"]
    return len(inputs) == 1 and len(others) == 1 and isinstance(inputs[0].sort, BitVec) and not _is_narrow(inputs[0])


def _values_over_wide(term: Term) -> list[Term] | None:
    """Of an operator applied to an input and constants; None: these may be many."""
    if isinstance(term.sort, Bool):
        return [terms.FALSE, terms.TRUE]
    if not isinstance(term.sort, BitVec):
        return None
    number = next((each.payload for each in term.arguments if each.operator == "const"), 0)
    numbers: Iterable[int] | None = None
    if term.sort.width <= _FEW_BITS:
        numbers = range(1 << term.sort.width)
    elif term.operator == "bvurem" and term.arguments[0].operator == "input" and 0 < number <= 1 << _FEW_BITS:
        numbers = range(number)
    elif term.operator == "bvand" and number.bit_count() <= _FEW_BITS:
        numbers = (part for part in range(number + 1) if part & ~number == 0) if number < 1 << _NARROW else None
    return [terms.constant(term.sort, each) for each in numbers] if numbers is not None else None
