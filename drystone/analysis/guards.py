"""Comparisons that the program makes itself: branch conditions and assertions, their negations and weaker variants.

Also `x <= y` and the like for variables that are compared anywhere, and implications `flag = c => atom` for atoms that hold in
all sampled states where the flag has that value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations

from drystone.analysis.context import Candidates, Context
from drystone.analysis.tape import Tape
from drystone.logic import terms
from drystone.logic.sorts import BOOL, BitVec, Bool
from drystone.logic.terms import Term, equal, make, negate, reachable
from drystone.program.transformers import Transformer, TransitionSystem

LARGEST_ATOM = 40
"""Nodes, as a tree."""
_MOST_ATOMS = 250  # per cut point
_MOST_FLAGS = 12
_MOST_FLAG_VALUES = 8
_MOST_PAIRED = 12
_ORDERS = {"bvult": ("bvult", "bvule"), "bvule": ("bvult", "bvule"), "bvslt": ("bvslt", "bvsle"), "bvsle": ("bvslt", "bvsle")}
_CONNECTIVES = frozenset(("not", "and", "or", "ite", "="))


class Guards:
    name = "guards"

    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        pool = _Pool(context)
        found: Candidates = {}
        for cut in system.cut_points:
            if context.deadline.expired():
                break
            atoms = pool.at(cut, system.blocks[cut])
            plain = context.consistent(cut, self._variants(atoms, context, cut))
            implied = _implications(context, cut, atoms, set(plain))
            found[cut] = [*plain, *implied][: context.limit]
        return found

    def _variants(self, atoms: Sequence[Term], context: Context, cut: int) -> Iterator[Term]:
        for atom in atoms:
            yield atom
            yield negate(atom)
        for atom in atoms:
            yield from variants(atom)
        variables = context.variables(cut, _MOST_PAIRED)
        for x, y in combinations(variables, 2):
            if x.sort == y.sort and terms.width(x) > 1:
                yield make("bvsle", BOOL, x, y)
                yield make("bvsle", BOOL, y, x)
                yield negate(equal(x, y))


def variants(atom: Term) -> Iterator[Term]:
    """Comparisons of the same sides, strict or not, in both directions, and off by one."""
    if len(atom.arguments) != 2 or not isinstance(atom.arguments[0].sort, BitVec):
        return
    a, b = atom.arguments
    if atom.operator == "=":
        orders: tuple[str, ...] = ("bvsle", "bvule")
    elif atom.operator in _ORDERS:
        orders = _ORDERS[atom.operator]
    else:
        return
    one = terms.constant(a.sort, 1)
    for order in orders:
        yield make(order, BOOL, a, b)
        yield make(order, BOOL, b, a)
    loose = orders[-1]
    yield make(loose, BOOL, a, make("bvadd", b.sort, b, one))
    yield make(loose, BOOL, b, make("bvadd", a.sort, a, one))
    yield equal(a, b)
    yield negate(equal(a, b))


class _Pool:
    """The atoms of a system that may be asked about at cut points: small, and over state variables."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._symbols: dict[Term, frozenset[Term] | None] = {}  # None: too large, or with inputs
        sizes: dict[Term, int] = {}
        for term in context.all_terms:
            size = 1
            for argument in term.arguments:
                size += sizes[argument]
            if term.operator == "input" or term.operator == "store":
                size = LARGEST_ATOM + 1
            sizes[term] = min(size, LARGEST_ATOM + 1)
        self._sizes = sizes

    @cached_property
    def _everywhere(self) -> list[Term]:
        found = [term for term in self.context.all_terms if self._is_atom(term)]
        return sorted(found, key=lambda term: (self._distance(term), term.hash))[: 4 * _MOST_ATOMS]

    def _is_atom(self, term: Term) -> bool:
        if type(term.sort) is not Bool or term.operator == "const" or self._sizes[term] > LARGEST_ATOM:
            return False
        return term.operator not in _CONNECTIVES or (term.operator == "=" and type(term.arguments[0].sort) is not Bool)

    def _distance(self, atom: Term) -> int:
        far = len(self.context.importance) + 1
        return min((self.context.importance.get(symbol, far) for symbol in self._free(atom)), default=far)

    def _free(self, atom: Term) -> frozenset[Term]:
        found = self._symbols.get(atom)
        if found is None:
            found = self._symbols[atom] = frozenset(terms.free_symbols(atom))
        return found

    def at(self, cut: int, block: Transformer) -> list[Term]:
        """The atoms of the block itself, those of its errors first, then those of others that are about live variables."""
        live = {terms.state(name, self.context.system.symbolic.sorts[name]) for name in self.context.system.live(cut)}
        own = [term for term in reachable([block.violation]) if self._is_atom(term)]
        own += [term for term in reachable([exit.guard for exit in block.exits.values()]) if self._is_atom(term)]
        found = []
        for atom in dict.fromkeys([*sorted(own, key=lambda term: term.hash)[:_MOST_ATOMS], *self._everywhere]):
            if self._free(atom) <= live:
                found.append(atom)
                if len(found) == _MOST_ATOMS:
                    break
        return found


def _implications(context: Context, cut: int, atoms: Sequence[Term], holding: set[Term]) -> list[Term]:
    """`flag = c => atom`, for flags of few values and atoms that do not hold anyway."""
    states = context.samples.at(cut)
    open_atoms = [atom for atom in atoms if atom not in holding and negate(atom) not in holding]
    if len(states) < 4 or not open_atoms:
        return []
    flags = _flags(context, cut)
    tape = Tape([*flags, *open_atoms])
    rows = [tape.values(state) for state in states]
    count = len(flags)
    found: list[Term] = []
    for position, flag in enumerate(flags):
        for value in sorted({row[position] for row in rows}):
            chosen = [row for row in rows if row[position] == value]
            for index, atom in enumerate(open_atoms):
                seen = {row[count + index] for row in chosen}
                if len(seen) == 1:
                    premise = equal(flag, terms.constant(flag.sort, value))
                    if premise is not atom:
                        found.append(terms.implies(premise, atom if 1 in seen else negate(atom)))
    return _spread(found, context.limit)


def _flags(context: Context, cut: int) -> list[Term]:
    """Variables of at least two and few values in the samples."""
    variables = context.variables(cut, 4 * _MOST_FLAGS)
    states = context.values(cut, variables)
    found = []
    for position, variable in enumerate(variables):
        if 2 <= len({state[position] for state in states}) <= _MOST_FLAG_VALUES:
            found.append(variable)
    return found[:_MOST_FLAGS]


def _spread(found: Iterable[Term], most: int) -> list[Term]:
    """Not only the first ones, where there are too many."""
    listed = [term for term in dict.fromkeys(found) if term.operator != "const"]
    if len(listed) <= most:
        return listed
    return [listed[position * len(listed) // most] for position in range(most)]
