"""Terms as C expressions that mean the same, for people to read and to paste into an assertion.

Bit-vectors have no sign, C's types do. So a phrase carries the type that C gives it, and a cast is written where an
operator needs another one: `x < 5` for signed x, `(unsigned)x < 5u` for the unsigned comparison. Sums are put in order: what is
subtracted is written so, and in an equation it goes to the other side. Signed overflow is meant to wrap around, as everywhere in
drystone. What C does not define (division by zero, shifts too far) is printed as if it could not happen.
"""

from __future__ import annotations

from drystone.logic.ctext.conditions import Conditions
from drystone.logic.ctext.floats import Floats
from drystone.logic.ctext.integers import Integers
from drystone.logic.ctext.phrases import WIDTHS, CTypes, Names, NotC, Phrase
from drystone.logic.sorts import Array, BitVec, Bool, Float
from drystone.logic.terms import Term
from drystone.logic.walks import reachable

MAX_NODES = 300
"""Of a term as a tree. What is larger, nobody reads."""


class CPrinter:
    """With these names for symbols and memory."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.types = CTypes(names.pointer_width)
        self._integers = Integers(self)
        self._conditions = Conditions(self, self._integers)
        self._floats = Floats(self)

    def formula(self, term: Term) -> str:
        """A C expression that is not zero exactly if the formula holds. Raises NotC."""
        sizes: dict[Term, int] = {}
        for node in reachable((term,)):
            sizes[node] = 1 + sum(sizes[argument] for argument in node.arguments)
        if sizes[term] > MAX_NODES:
            raise NotC
        return self.phrase(term).text

    def phrase(self, term: Term) -> Phrase:
        """The term as C would compute it: its value, in the type that the phrase says."""
        match term.sort:
            case Bool():
                return self._conditions.phrase(term)
            case BitVec(width):
                return self._integers.phrase(term, width)
            case Float():
                return self._floats.phrase(term)
            case Array():
                raise NotC

    def as_type(self, term: Term, signed: bool) -> Phrase:
        """The value with this sign."""
        width = term.sort.width  # type: ignore[union-attr]
        if term.operator == "const":
            return self.types.literal(term.payload, width, signed)
        phrase = self.phrase(term)
        return phrase if phrase.signed is signed else self.types.cast(phrase, width, signed)

    def number(self, term: Term) -> Phrase:
        """A pointer as the number that it is."""
        phrase = self.phrase(term)
        return self.types.cast(phrase, self.types.pointer_width, False) if phrase.is_pointer else phrase

    def cell(self, term: Term, ctype: str | None) -> Phrase:
        """An element of an array, read as this type if one is given."""
        array, address = term.arguments
        if array.operator != "state":
            raise NotC
        if ctype is None and term.sort.width not in WIDTHS:  # type: ignore[union-attr]
            raise NotC
        return self.names.cell(array.payload, address, ctype, self)
