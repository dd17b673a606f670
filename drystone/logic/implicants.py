"""The part of a formula that a model uses: literals without inputs that together imply the formula.

Where the formula chooses (`or`, `ite`, a store that may or may not be read), the implicant follows the model and keeps
the condition of the choice as a literal of its own. So the atoms are small however large the formula is. Inputs are removed by
the equalities that determine them, then by bounds that they may be equal to, or by their values in the model (model-based
projection): each state of the implicant satisfies the formula with some inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from drystone.logic.evaluation import Value, evaluate
from drystone.logic.sorts import BOOL, Array, BitVec, Bool
from drystone.logic.substitution import substitute
from drystone.logic.terms import FALSE, TRUE, Term, constant, free_symbols, make, negate, rebuild, select, width
from drystone.logic.walks import reachable


def implicant(formulas: Iterable[Term], environment: Mapping[Term, Value]) -> list[Term]:
    """Literals that hold in the model and imply the formulas, which hold in it. Symbols it does not name are 0."""
    listed = list(formulas)
    nodes = [term for term in reachable(listed) if type(term.sort) is not Array]
    values = dict(zip(nodes, evaluate(nodes, environment, 0), strict=True))
    return without_inputs(_WithoutArrays(values).read(listed), environment)


def without_inputs(literals: list[Term], environment: Mapping[Term, Value]) -> list[Term]:
    """Literals about states whose states satisfy these ones for some inputs; the model satisfies both."""
    while True:
        definition = next(filter(None, map(_definition, literals)), None)
        if definition is None:
            break
        literals = _different(substitute(literals, dict([definition])))
    values = {symbol: constant(symbol.sort, int(cast(int, environment.get(symbol, 0)))) for symbol in _inputs(literals)}
    for symbol in [symbol for symbol in values if type(symbol.sort) is BitVec]:
        about = [literal for literal in literals if symbol in free_symbols(literal)]
        if any(each.operator == "state" for each in free_symbols(about)):  # else nothing is lost with its value
            witness = _witness(symbol, about, environment)
            if witness is not None:
                del values[symbol]
                literals = _different(substitute(literals, {symbol: witness}))
    return _different(substitute(literals, values))


def _inputs(literals: list[Term]) -> list[Term]:
    return [symbol for symbol in free_symbols(literals) if symbol.operator == "input" and type(symbol.sort) is not Array]


def _witness(symbol: Term, literals: list[Term], environment: Mapping[Term, Value]) -> Term | None:
    """A term that the input may be equal to, in the model and in many other states: the fewer literals are left, the more.

    Any term would do: what holds with it holds for some input.
    """
    best: tuple[int, Term] | None = None
    for witness in _bounds(symbol, literals):
        left = _different(substitute(literals, {symbol: witness}))
        if (best is None or len(left) < best[0]) and all(evaluate(left, environment, 0)):
            best = len(left), witness
    return best[1] if best is not None else None


def _bounds(symbol: Term, literals: list[Term]) -> list[Term]:
    """The ends of its sort, then what it is less or more than, and next to that."""
    bits = width(symbol)
    ends = [constant(symbol.sort, value) for value in ((1 << bits) - 1, 0, (1 << bits - 1) - 1, 1 << bits - 1)]
    one = constant(symbol.sort, 1)
    found: list[Term] = []
    for literal in literals:
        atom = literal.arguments[0] if literal.operator == "not" else literal
        if atom.operator in _ORDERS and symbol in atom.arguments:
            other = atom.arguments[0] if atom.arguments[1] is symbol else atom.arguments[1]
            if symbol not in free_symbols(other):
                found += [other, make("bvadd", symbol.sort, other, one), make("bvsub", symbol.sort, other, one)]
    return [*ends, *found[:_MOST_BOUNDS]] if found else []


_ORDERS = frozenset(("bvult", "bvule", "bvslt", "bvsle"))
_MOST_BOUNDS = 12


def _definition(literal: Term) -> tuple[Term, Term] | None:
    """An input and the only value that makes this equality hold."""
    if literal.operator != "=":
        return None
    for side, other in (literal.arguments, literal.arguments[::-1]):
        if side.operator == "input" and type(side.sort) is not Array and side not in free_symbols(other):
            return side, other
        if side.operator == "bvadd":
            for part, rest in (side.arguments, side.arguments[::-1]):
                if part.operator == "input" and part not in free_symbols((rest, other)):
                    return part, make("bvsub", part.sort, other, rest)
    return None


def _different(literals: list[Term]) -> list[Term]:
    found = dict.fromkeys(literals)
    found.pop(TRUE, None)
    return list(found)


class Reading:
    """Literals that a model makes true, because of which formulas hold, or terms are what they are. `values`: of all subterms."""

    def __init__(self, values: Mapping[Term, Any]) -> None:
        self.values = values
        self.waiting: list[Term] = []  # conditions to be explained
        self.resolved: dict[Term, Term] = {}
        self.literals: dict[Term, Term] = {}
        """With what each of them is in the formulas, before choices were decided."""
        self._seen: set[Term] = set()

    def chosen(self, term: Term) -> Term:
        """The term with choices decided as in the model, for the literals that there are then."""
        found = self._resolve(term)
        self.read([])
        return found

    def read(self, formulas: list[Term]) -> list[Term]:
        """The literals that imply the formulas, which hold in the model."""
        seen = self._seen
        self.waiting += formulas[::-1]
        while self.waiting:
            term = self.waiting.pop()
            if term in seen or term.operator == "const":
                continue
            seen.add(term)
            operator, arguments = term.operator, term.arguments
            holds = bool(self.values[term])
            if operator == "not":
                self.waiting.append(arguments[0])
            elif operator in ("and", "or"):
                if holds == (operator == "and"):
                    self.waiting.extend(reversed(arguments))
                else:  # one is enough
                    enough = [each for each in arguments if bool(self.values[each]) == holds]
                    self.waiting.append(next((each for each in enough if each in seen), enough[0]))
            elif operator == "ite" and term.sort == BOOL:
                self.waiting.append(arguments[1] if self.values[arguments[0]] else arguments[2])
                self.waiting.append(arguments[0])
            elif operator == "=" and type(arguments[0].sort) is Bool:
                self.waiting.extend(reversed(arguments))
            else:
                atom = self._resolve(term)
                literal = atom if holds else negate(atom)
                if literal is not TRUE:
                    assert literal is not FALSE, "the literal holds in the model"
                    self.literals[literal] = term if holds else negate(term)
        return list(self.literals)

    def _resolve(self, atom: Term) -> Term:
        """The atom with choices decided as in the model."""
        resolved = self.resolved
        stack = [atom]
        while stack:
            term = stack[-1]
            if term in resolved:
                stack.pop()
                continue
            operator, arguments = term.operator, term.arguments
            if not arguments:
                resolved[term] = term
            elif operator == "ite":
                chosen = arguments[1] if self.values[arguments[0]] else arguments[2]
                if chosen not in resolved:
                    stack.append(chosen)
                    continue
                self.waiting.append(arguments[0])
                resolved[term] = resolved[chosen]
            elif operator == "select":
                missing = self._select(term)
                if missing:
                    stack.extend(missing)
                    continue
            else:
                missing = [argument for argument in arguments if argument not in resolved]
                if missing:
                    stack.extend(missing)
                    continue
                changed = tuple(resolved[argument] for argument in arguments)
                resolved[term] = rebuild(term, changed) if changed != arguments else term
        return resolved[atom]

    def _select(self, term: Term) -> list[Term]:
        """Follows stores and choices down to the place that is read; returns what must be resolved before."""
        array, index = term.arguments
        if index not in self.resolved:
            return [index]
        place = int(self.values[index])
        while True:
            if array.operator == "store":
                array_below, at, value = array.arguments
                if at not in self.resolved:
                    return [at]
                is_here = int(self.values[at]) == place
                if is_here and value not in self.resolved:
                    return [value]
                self._note(is_here, (self.resolved[index], self.resolved[at]), (index, at))
                if is_here:
                    self.resolved[term] = self.resolved[value]
                    return []
                array = array_below
            elif array.operator == "ite":
                self.waiting.append(array.arguments[0])
                array = array.arguments[1] if self.values[array.arguments[0]] else array.arguments[2]
            else:
                self.resolved[term] = self._element(term, array, index)
                return []

    def _element(self, term: Term, array: Term, index: Term) -> Term:
        return select(array, self.resolved[index])

    def _note(self, same: bool, resolved: tuple[Term, Term], given: tuple[Term, Term]) -> None:
        """Two places are the same, or are not."""
        literal, before = (make("=", BOOL, *each) if same else negate(make("=", BOOL, *each)) for each in (resolved, given))
        if literal is not TRUE:
            self.literals[literal] = before


def choices(term: Term, values: Mapping[Term, Any]) -> set[Term]:
    """The conditions, or their negations, because of which choices inside the term are decided as in the model."""
    found: set[Term] = set()
    seen: set[Term] = set()
    waiting = [term]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.operator == "ite":
            condition, yes, no = node.arguments
            found.add(condition if values[condition] else negate(condition))
            waiting.append(yes if values[condition] else no)
        elif node.operator == "select":
            waiting += _passed(node, values, found)
        else:
            waiting += node.arguments
    return found


def _passed(read: Term, values: Mapping[Term, Any], found: set[Term]) -> list[Term]:
    """What a read depends on besides the conditions that are added."""
    array, index = read.arguments
    inside = [index]
    while array.operator in ("store", "ite"):
        if array.operator == "ite":
            condition, yes, no = array.arguments
            found.add(condition if values[condition] else negate(condition))
            array = yes if values[condition] else no
            continue
        array, at, value = array.arguments
        inside.append(at)
        same = make("=", BOOL, index, at)
        if values[at] == values[index]:
            found.add(same)
            return [*inside, value]
        found.add(negate(same))
    return inside


class _WithoutArrays(Reading):
    """An array that is an input is the one of the model, where it is read."""

    def _element(self, term: Term, array: Term, index: Term) -> Term:
        if array.operator != "input":
            return super()._element(term, array, index)
        place = constant(index.sort, int(self.values[index]))
        self._note(True, (self.resolved[index], place), (index, place))
        return constant(term.sort, int(self.values[term]))
