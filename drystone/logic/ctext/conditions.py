"""Conditions in C. In an equation, what is subtracted on one side goes to the other."""

from __future__ import annotations

from msgspec.structs import replace

from drystone.logic import semantics
from drystone.logic.ctext.integers import Integers
from drystone.logic.ctext.phrases import AND, ATOM, EQUAL, IF, INT, OR, ORDER, PREFIX, SHIFT, TIMES, NotC, Phrase, Printer
from drystone.logic.sorts import Array, BitVec, Bool, Float
from drystone.logic.sums import linear
from drystone.logic.terms import Term

_COMPARISONS = {"bvult": ("<", False), "bvule": ("<=", False), "bvslt": ("<", True), "bvsle": ("<=", True)}
_NEGATED = {"<": ">=", "<=": ">", "==": "!="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_FLOAT_COMPARISONS = {"fp.eq": ("==", EQUAL), "fp.lt": ("<", ORDER), "fp.leq": ("<=", ORDER)}


class Conditions:
    """Terms that are true or false."""

    def __init__(self, printer: Printer, integers: Integers) -> None:
        self.printer = printer
        self.integers = integers
        self.types = printer.types

    def phrase(self, term: Term) -> Phrase:
        operator, arguments = term.operator, term.arguments
        if operator in ("state", "input"):
            return replace(self.printer.names.variable(term), signed=True)
        if operator == "const":
            return Phrase(str(int(term.payload)), ATOM, True)
        if operator == "not":
            return self._negation(arguments[0])
        if operator in ("and", "or"):
            sign, level = ("&&", AND) if operator == "and" else ("||", OR)
            shown = [self.printer.phrase(argument) for argument in arguments]
            # `a && b` within `||` gets parentheses that C does not need
            texts = [each.within(level if each.level in (level, IF) else AND + 1) for each in shown]
            return Phrase(f" {sign} ".join(texts), level, True)
        if operator == "ite":
            condition, yes, no = (self.printer.phrase(argument).within(OR) for argument in arguments)
            return Phrase(f"{condition} ? {yes} : {no}", IF, True)
        if operator in _COMPARISONS or operator == "=":
            return self._comparison(term, False)
        if operator in _FLOAT_COMPARISONS:
            sign, level = _FLOAT_COMPARISONS[operator]
            left, right = (self.printer.phrase(argument) for argument in arguments)
            return Phrase(f"{left.within(level)} {sign} {right.within(level + 1)}", level, True)
        if operator in ("fp.isNaN", "fp.isInfinite"):
            name = "isnan" if operator == "fp.isNaN" else "isinf"
            return Phrase(f"{name}({self.printer.phrase(arguments[0]).text})", ATOM, True)
        raise NotC

    def _negation(self, inner: Term) -> Phrase:
        if inner.operator in _COMPARISONS or inner.operator == "=":
            return self._comparison(inner, True)
        return Phrase(f"!{self.printer.phrase(inner).within(PREFIX)}", PREFIX, True)

    def _comparison(self, term: Term, negated: bool) -> Phrase:
        a, b = term.arguments
        if term.operator == "=":
            left, right = self._equated(a, b)
            sign = "!=" if negated else "=="
            return Phrase(f"{left.within(ORDER)} {sign} {right.within(ORDER)}", EQUAL, True)
        sign, signed = _COMPARISONS[term.operator]
        sign = _NEGATED[sign] if negated else sign
        if a.operator == "const":
            a, b, sign = b, a, _MIRRORED[sign]
        left, right = self._compared(a, b, signed)
        return Phrase(f"{left.within(SHIFT)} {sign} {right.within(SHIFT)}", ORDER, True)

    def _compared(self, a: Term, b: Term, signed: bool) -> tuple[Phrase, Phrase]:
        if not signed:
            pair = self._pointers(a, b)
            if pair is not None and not any(each.is_guess for each in pair):
                return pair
        left, right = self.printer.as_type(a, signed), self.printer.as_type(b, signed)
        if not signed and b.operator == "const" and b.payload < 1 << 31 and left.level == ATOM:
            right = Phrase(str(b.payload))  # `x < 5` says the same if x is unsigned
        return left, right

    def _pointers(self, a: Term, b: Term) -> tuple[Phrase, Phrase] | None:
        """Two pointers, or a pointer and an address that has a name."""
        left, right = self._pointer(a, b), self._pointer(b, a)
        if left is None or right is None or not (left.is_pointer or right.is_pointer):
            return None
        return left, right

    def _pointer(self, term: Term, other: Term) -> Phrase | None:
        if term.operator == "const":
            target = self.printer.phrase(other).pointee if other.operator in ("state", "select") else ""
            name = "0" if term.payload == 0 else self.printer.names.address(term.payload, target)
            return Phrase(name, PREFIX) if name is not None else None
        if term.operator not in ("state", "select"):
            return None
        phrase = self.printer.phrase(term)
        return phrase if phrase.is_pointer else None

    def _equated(self, a: Term, b: Term) -> tuple[Phrase, Phrase]:
        match a.sort:
            case Bool():
                return Phrase(self.printer.phrase(a).within(PREFIX)), Phrase(self.printer.phrase(b).within(PREFIX))
            case Float() | Array():
                raise NotC
            case BitVec(width):
                pass
        pair = self._pointers(b, a) if a.operator == "const" else self._pointers(a, b)
        pair = pair or self._enumerator(a, b) or self._enumerator(b, a)
        if pair is not None:
            return pair
        if width < INT:
            if b.operator == "const" or a.operator == "const":
                number, other = (a, b) if a.operator == "const" else (b, a)
                phrase = self.printer.number(other)
                signed = phrase.signed is True
                return self.printer.as_type(other, signed), self.types.literal(number.payload, width, signed)
            left, right, _ = self.integers.alike((a, b), width)
            return left, right
        return self._balanced(a, b, width)

    def _enumerator(self, a: Term, b: Term) -> tuple[Phrase, Phrase] | None:
        """A value of an enumeration by its name."""
        if a.operator not in ("state", "select") or b.operator != "const":
            return None
        phrase = self.printer.phrase(a)
        name = dict(phrase.enumerators).get(b.payload)
        return (phrase, Phrase(name)) if name is not None else None

    def _balanced(self, a: Term, b: Term, width: int) -> tuple[Phrase, Phrase]:
        """An equation of sums: what is subtracted on one side is added on the other."""
        left, right = linear(a), linear(b)
        factors = dict(left.parts)
        for node, factor in right.parts:
            factors[node] = semantics.signed(factors.get(node, 0) - factor, width)
        half = 1 << width - 1
        constant = semantics.signed(left.constant - right.constant, width)
        parts = [(node, half if factor == -half else factor) for node, factor in factors.items() if factor]
        divisor = self._divisor(parts, constant, width)
        if divisor is not None:
            return divisor
        if parts and all(factor < 0 for _, factor in parts):  # 0 == -x + 3 is x == 3
            parts, constant = [(node, -factor) for node, factor in parts], semantics.signed(-constant, width)
        ours = [(node, factor) for node, factor in parts if factor > 0]
        theirs = [(node, -factor) for node, factor in parts if factor < 0]
        ours_constant, theirs_constant = (constant, 0) if theirs and constant > 0 else (0, semantics.signed(-constant, width))
        if not theirs and ours_constant == 0:
            shown = self.integers.summed(ours, 0, width)
            return shown, self.types.beside(theirs_constant, width, shown.signed)
        return self.integers.summed(ours, ours_constant, width), self.integers.summed(theirs, theirs_constant, width)

    def _divisor(self, parts: list[tuple[Term, int]], constant: int, width: int) -> tuple[Phrase, Phrase] | None:
        """x · 2^n == 0 says that the other bits of x are zero."""
        if len(parts) != 1 or constant:
            return None
        (node, factor) = parts[0]
        factor = abs(factor)
        if factor & factor - 1 or factor == 1:
            return None
        phrase = self.printer.number(node)
        modulus = 1 << width - factor.bit_length() + 1
        if modulus == 1 << width - 1 and phrase.signed is not False:  # no int is so large
            return None
        return Phrase(f"{phrase.within(TIMES)} % {self.types.factor(modulus, width)}", TIMES), Phrase("0")
