"""Terms as Python text, on values of which some may be any: None stands for any value of a word, and an array is the pairs of
an address and a value that are known of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from drystone.base.state_steps import Function
from drystone.logic import semantics
from drystone.logic.sorts import Array, Sort
from drystone.logic.terms import Term, width
from drystone.logic.walks import reachable, reachable_beyond

Known = tuple[tuple[int, int], ...]
"""Of an array: addresses and values, in order. All other elements may be anything."""


def may_be_any(formulas: Iterable[Term], names: frozenset[str]) -> set[Term]:
    """Terms that may be any value if these variables may."""
    found: set[Term] = set()
    for term in reachable(formulas):
        if _may_be_any(term, names, found):
            found.add(term)
    return found


def _may_be_any(term: Term, names: frozenset[str], found: set[Term]) -> bool:
    """If these variables may, and these of its arguments. Of an array, some elements may always be anything."""
    if term.operator == "state" and term.payload in names:
        return True
    return term.operator in ("input", "select") or isinstance(term.sort, Array) or not found.isdisjoint(term.arguments)


class TermText:
    """The text of one function of a state: a place, and values of these variables. All others may be anything."""

    def __init__(self, variables: Sequence[str], open_: frozenset[str], sorts: Mapping[str, Sort]) -> None:
        self._place = {name: f"v{number}" for number, name in enumerate(variables)}
        self._any = open_ | (sorts.keys() - set(variables))
        self._names = semantics.names() | {
            "select": _select,
            "store": _store,
            "both": _both,
            "either": _either,
            "choose": _choose,
        }
        unpacked = ", ".join(["_", *self._place.values()])
        self._lines = [f" {unpacked}, = s"] if variables else []
        self._texts: dict[Term, str] = {}
        self._open: set[Term] = set()
        self._counter = 0

    def function(self) -> Function:
        scope: dict[str, Function] = {}
        exec("\n".join(["def step(s, seen, push):", *self._lines, " return False"]), self._names, scope)
        return scope["step"]

    def begin_case(self) -> None:
        """What follows shares no values with what came before, which may have been computed under a condition."""
        self._texts = {}

    def fail_if(self, condition: Term) -> None:
        self._compute([condition], " ", self._texts)
        self._lines.append(f" if {self._holds(condition, self._texts)}: return True")

    def go(self, guard: Term, target: int, values: list[Term]) -> None:
        self._compute([guard], " ", self._texts)
        self._lines.append(f" if {self._holds(guard, self._texts)}:")
        inside = dict(self._texts)
        self._compute(values, "  ", inside)
        parts = "".join(f"{inside[value]}, " for value in values)
        self._lines += [f"  n = ({target}, {parts})", "  if n not in seen:", "   seen[n] = s; push(n)"]

    def _holds(self, condition: Term, texts: dict[Term, str]) -> str:
        """Or may it hold?"""
        text = texts[condition]
        return f"{text} or {text} is None" if condition in self._open else text

    def _compute(self, roots: Iterable[Term], indent: str, texts: dict[Term, str]) -> None:
        for term in reachable_beyond(texts, roots):
            if _may_be_any(term, self._any, self._open):
                self._open.add(term)
            if not term.arguments:
                texts[term] = self._leaf(term)
                continue
            self._counter += 1
            texts[term] = f"t{self._counter}"
            self._lines.append(f"{indent}t{self._counter} = {self._text(term, [texts[each] for each in term.arguments])}")

    def _leaf(self, term: Term) -> str:
        if isinstance(term.sort, Array):
            return self._place.get(term.payload, "()") if term.operator == "state" else "()"
        if term.operator == "const":
            return str(int(term.payload))
        return self._place.get(term.payload, "None") if term.operator == "state" else "None"

    def _text(self, term: Term, given: list[str]) -> str:
        if term.operator in ("select", "store"):
            return f"{term.operator}({', '.join(given)})"
        if isinstance(term.sort, Array):
            return f"choose({', '.join(given)}, ())" if term.operator == "ite" else "()"
        if any(isinstance(argument.sort, Array) for argument in term.arguments):
            return "None"  # whether two arrays are the same
        open_ = [text for text, argument in zip(given, term.arguments, strict=True) if argument in self._open]
        if term.operator in ("and", "or", "ite") and open_:
            return f"{_LAZY[term.operator]}({', '.join(given)})"
        text = self._strict(term, given)
        return f"None if {' or '.join(f'{each} is None' for each in dict.fromkeys(open_))} else {text}" if open_ else text

    def _strict(self, term: Term, given: list[str]) -> str:
        if term.operator == "concat":
            return f"{given[0]} << {width(term.arguments[1])} | {given[1]}"
        if term.operator == "extract":
            high, low = term.payload
            return f"{given[0]} >> {low} & {(1 << high - low + 1) - 1}"
        sorts = [argument.sort for argument in term.arguments]
        return semantics.source(term.operator, term.sort, sorts, given, self._names)


_LAZY = {"and": "both", "or": "either", "ite": "choose"}


# Called by the text.


def _select(array: Known, address: int | None) -> int | None:
    return dict(array).get(address) if address is not None else None


def _store(array: Known, address: int | None, value: int | None) -> Known:
    if address is None:
        return ()  # any element may be another one now
    known = dict(array)
    if value is None:
        known.pop(address, None)
    else:
        known[address] = value
    return tuple(sorted(known.items()))


def _both(first: int | None, second: int | None) -> int | None:
    if first is None:
        return None if second is None or second else 0
    return second if first else 0


def _either(first: int | None, second: int | None) -> int | None:
    if first is None:
        return 1 if second else None
    return 1 if first else second


def _choose(condition: int | None, yes: object, no: object, unknown: object = None) -> object:
    if condition is None:
        return yes if yes == no else unknown
    return yes if condition else no
