"""Terms: immutable, interned formulas and values. Equal terms are one object, so `is` compares them.

A term has an `operator` (the names of `program.expressions.OPERATORS`, and `select`, `store`, `concat`,
`extract`, `const`, `state`, `input`), a sort, arguments, and for leaves and `extract` a payload. `id`s
grow, children come before parents: sorted by id, any set of terms closed under arguments is in an order
in which every walk is a loop. `hash` is a hash of the content, the same in every process; arguments of
commutative operators are ordered by it, never by id.

There are two kinds of symbols. A *state variable* (`state`) stands for a variable of the program or a
memory region; an *input* (`input`) for a value chosen by the environment. Only violation conditions may
contain inputs.

`make` builds a term and simplifies it by the rules of `drystone.logic.rules`, each an equivalence;
`intern` builds the node as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any
from zlib import crc32

import msgspec

from drystone.logic.semantics import function
from drystone.logic.sorts import BOOL, Array, Bool, Sort, bitvec
from drystone.logic.walks import reachable


class Term(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One node. Made by the functions of this module only; compared and hashed by identity.

    Terms form no cycles, so the garbage collector need not look at them (which would double the cost of making one).
    """

    id: int
    operator: str
    sort: Sort
    arguments: tuple[Term, ...]
    payload: Any  # the value of a constant, the name of a symbol, (high, low) of an extract
    hash: int

    def __repr__(self) -> str:
        from drystone.logic.printing import c_text

        return c_text(self)


INDEXED = frozenset(
    ("zero_extend", "sign_extend", "truncate", "fp.to_fp", "fp.from_sbv", "fp.from_ubv", "fp.to_sbv", "fp.to_ubv", "fp.from_bits")
)
"""Operators whose result sort is not given by the arguments."""

SYMBOLS = frozenset(("state", "input"))

_table: dict[tuple[object, ...], Term] = {}
_next_id = count().__next__

Rule = Callable[..., Term | None]
RULES: dict[str, Rule] = {}
"""For each operator a function of the sort and the arguments (not all constants): the simplified term, or None to build the
node as it is. Filled by the modules of `drystone.logic.rules`, which the package loads before anybody can make a term."""

_SEEDS: dict[str, int] = {}


def _seed(text: str) -> int:
    """A number for an operator, sort or name that is the same in every process."""
    seed = _SEEDS.get(text)
    if seed is None:
        data = text.encode()
        seed = _SEEDS[text] = crc32(data) << 29 ^ crc32(data[::-1], 77)
    return seed


# Nodes as they are


def intern(operator: str, sort: Sort, arguments: tuple[Term, ...]) -> Term:
    """The node itself, without rewriting. Not for leaves and `extract`."""
    key = (operator, arguments, sort) if operator in INDEXED else (operator, arguments)
    found = _table.get(key)
    if found is None:
        found = _table[key] = Term(_next_id(), operator, sort, arguments, None, _content(operator, sort, arguments))
    return found


def _content(operator: str, sort: Sort, arguments: tuple[Term, ...]) -> int:
    """CPython hashes tuples of integers alike in every process (only texts are randomised)."""
    seed = _SEEDS.get(operator) or _seed(operator)
    if len(arguments) == 2:
        return hash((seed, arguments[0].hash, arguments[1].hash))
    if operator in INDEXED:
        seed ^= _seed(str(sort))
    if len(arguments) == 1:
        return hash((seed, arguments[0].hash))
    return hash((seed, *[argument.hash for argument in arguments]))


def intern_extract(sort: Sort, argument: Term, high: int, low: int) -> Term:
    key = ("extract", argument, high, low)
    found = _table.get(key)
    if found is None:
        content = hash((_seed("extract"), argument.hash, high, low))
        found = _table[key] = Term(_next_id(), "extract", sort, (argument,), (high, low), content)
    return found


def constant(sort: Sort, value: int) -> Term:
    """The constant of a Bool, bit-vector or float (by its bits); of an array sort, the array with this value everywhere."""
    key = ("const", sort, value)
    found = _table.get(key)
    if found is None:
        if value < 0 or value.bit_length() > _value_width(sort):
            return constant(sort, value & (1 << _value_width(sort)) - 1)
        found = _table[key] = Term(_next_id(), "const", sort, (), int(value), hash((_seed("const"), _seed(str(sort)), value)))
    return found


def _value_width(sort: Sort) -> int:
    if type(sort) is Array:
        return sort.element.width
    return 1 if type(sort) is Bool else sort.width  # type: ignore[union-attr]


TRUE = constant(BOOL, 1)
FALSE = constant(BOOL, 0)


def state(name: str, sort: Sort) -> Term:
    """The state variable of this name and sort."""
    return _symbol("state", name, sort)


def input_symbol(name: str, sort: Sort) -> Term:
    """The input of this name and sort."""
    return _symbol("input", name, sort)


def _symbol(kind: str, name: str, sort: Sort) -> Term:
    key = (kind, sort, name)
    found = _table.get(key)
    if found is None:
        content = hash((_seed(kind), _seed(str(sort)), _text_hash(name)))
        found = _table[key] = Term(_next_id(), kind, sort, (), name, content)
    return found


def _text_hash(text: str) -> int:
    data = text.encode()
    return crc32(data) << 29 ^ crc32(data[::-1], 77)


# Simplifying construction


def make(operator: str, sort: Sort, *arguments: Term) -> Term:
    """The term `operator(arguments)` of this sort, simplified. (`extract` has a function of its own.)"""
    key = (operator, arguments, sort) if operator in INDEXED else (operator, arguments)
    found = _table.get(key)
    if found is not None:
        return found
    for argument in arguments:
        if argument.operator != "const":
            break
    else:
        folded = fold(operator, sort, arguments)
        if folded is not None:
            return folded
    rule = RULES.get(operator)
    if rule is not None:
        rewritten = rule(sort, *arguments)
        if rewritten is not None:
            return rewritten
    if len(arguments) == 2:  # as in _content, without a call: this is the hottest line of all
        content = hash((_SEEDS.get(operator) or _seed(operator), arguments[0].hash, arguments[1].hash))
    else:
        content = _content(operator, sort, arguments)
    found = _table[key] = Term(_next_id(), operator, sort, arguments, None, content)
    return found


def fold(operator: str, sort: Sort, arguments: tuple[Term, ...]) -> Term | None:
    """The constant that `operator` gives for constants; None for operators on arrays."""
    if operator in _UNFOLDED or type(arguments[-1].sort) is Array:
        return None
    if operator == "concat":
        a, b = arguments
        return constant(sort, a.payload << width(b) | b.payload)
    return constant(sort, function(operator, sort, tuple([a.sort for a in arguments]))(*[a.payload for a in arguments]))


_UNFOLDED = frozenset(("select", "store"))


def width(term: Term) -> int:
    """The number of bits of a bit-vector or float term."""
    return term.sort.width  # type: ignore[union-attr]


def negate(condition: Term) -> Term:
    """`not condition`."""
    if condition.operator == "not":
        return condition.arguments[0]
    if condition.operator == "const":
        return FALSE if condition.payload else TRUE
    return intern("not", BOOL, (condition,))


def ite(condition: Term, yes: Term, no: Term) -> Term:
    """`yes` if the condition holds, else `no`."""
    return make("ite", yes.sort, condition, yes, no)


def equal(a: Term, b: Term) -> Term:
    return make("=", BOOL, a, b)


def implies(a: Term, b: Term) -> Term:
    return make("or", BOOL, negate(a), b)


def select(array: Term, index: Term) -> Term:
    return make("select", array.sort.element, array, index)  # type: ignore[union-attr]


def store(array: Term, index: Term, value: Term) -> Term:
    return make("store", array.sort, array, index, value)


def concat(high: Term, low: Term) -> Term:
    return make("concat", bitvec(width(high) + width(low)), high, low)


def extract(term: Term, high: int, low: int) -> Term:
    """Bits `high` down to `low`, both included. From bit 0 on it is a `truncate`."""
    if low == 0:
        return term if high == width(term) - 1 else make("truncate", bitvec(high + 1), term)
    found = _table.get(("extract", term, high, low))
    if found is not None:
        return found
    sort = bitvec(high - low + 1)
    if term.operator == "const":
        return constant(sort, term.payload >> low & (1 << sort.width) - 1)
    rewritten = RULES["extract"](sort, term, high, low)
    return rewritten if rewritten is not None else intern_extract(sort, term, high, low)


def resize(term: Term, to: int, signed: bool = False) -> Term:
    """The bit-vector extended or truncated to `to` bits."""
    given = width(term)
    if to == given:
        return term
    return make("truncate" if to < given else "sign_extend" if signed else "zero_extend", bitvec(to), term)


def rebuild(term: Term, arguments: tuple[Term, ...]) -> Term:
    """The term's operator on other arguments of the same sorts, simplified."""
    if term.operator == "extract":
        return extract(arguments[0], *term.payload)
    return make(term.operator, term.sort, *arguments)


def conjunction(terms: Iterable[Term]) -> Term:
    """All of them: a balanced tree of `and`, the same for every order and repetition of the same terms."""
    return _join("and", terms, TRUE, FALSE)


def disjunction(terms: Iterable[Term]) -> Term:
    """At least one of them: a balanced tree of `or`, the same for every order and repetition of the same terms."""
    return _join("or", terms, FALSE, TRUE)


def _join(operator: str, terms: Iterable[Term], neutral: Term, absorbing: Term) -> Term:
    parts = set(terms)
    parts.discard(neutral)
    if absorbing in parts:
        return absorbing
    for part in parts:
        if part.operator == "not" and part.arguments[0] in parts:
            return absorbing
    level = sorted(parts, key=_by_content)
    while len(level) > 1:
        paired = [make(operator, BOOL, level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2:
            paired.append(level[-1])
        level = paired
    return level[0] if level else neutral


def _by_content(term: Term) -> int:
    return term.hash


def is_product(node: Term) -> bool:
    """Of two terms neither of which is a constant."""
    return node.operator == "bvmul" and all(each.operator != "const" for each in node.arguments)


# Walks


def free_symbols(terms: Term | Iterable[Term]) -> list[Term]:
    """The state variables and inputs in the term or terms, in the order of their names."""
    found = [term for term in reachable(_many(terms)) if term.operator in SYMBOLS]
    return sorted(found, key=lambda symbol: (symbol.payload, symbol.operator, str(symbol.sort)))


def has_inputs(terms: Term | Iterable[Term]) -> bool:
    return any(term.operator == "input" for term in reachable(_many(terms)))


def size(terms: Term | Iterable[Term]) -> int:
    """The number of nodes of the term or terms as a graph."""
    return len(reachable(_many(terms)))


def atoms(formula: Term) -> list[Term]:
    """The Boolean subterms that are no `not`, `and`, `or`, Boolean `ite` or `=`, in content order."""
    found: set[Term] = set()
    seen = {formula}
    stack = [formula]
    while stack:
        term = stack.pop()
        if term.operator == "const":
            continue
        if term.operator in _CONNECTIVES and type(term.arguments[-1].sort) is Bool:
            for argument in term.arguments:
                if argument not in seen:
                    seen.add(argument)
                    stack.append(argument)
        else:
            found.add(term)
    return sorted(found, key=_by_content)


_CONNECTIVES = frozenset(("not", "and", "or", "ite", "="))


def _many(terms: Term | Iterable[Term]) -> Iterable[Term]:
    return (terms,) if isinstance(terms, Term) else terms


def table_size() -> int:
    """How many terms this process has made, for counters."""
    return len(_table)


def conjuncts(formula: Term) -> Sequence[Term]:
    """The parts of nested `and`s, in content order."""
    found: set[Term] = set()
    stack = [formula]
    while stack:
        term = stack.pop()
        if term.operator == "and":
            stack.extend(term.arguments)
        elif term is not TRUE:
            found.add(term)
    return sorted(found, key=_by_content)
