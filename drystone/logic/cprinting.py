"""Terms as C expressions that mean the same, for people to read and to paste into an assertion.

Bit-vectors have no sign, C's types do. So a phrase carries the type that C gives it, and a cast is written where an
operator needs another one: `x < 5` for signed x, `(unsigned)x < 5u` for the unsigned comparison. Sums are put in order: what is
subtracted is written so, and in an equation it goes to the other side. Signed overflow is meant to wrap around, as everywhere in
drystone. What C does not define (division by zero, shifts too far) is printed as if it could not happen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from drystone.logic import semantics
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, Array, BitVec, Bool, Float, Sort
from drystone.logic.terms import Term
from drystone.logic.walks import reachable

MAX_NODES = 300
"""Of a term as a tree. What is larger, nobody reads."""

_ATOM, _PREFIX, _TIMES, _PLUS, _SHIFT, _ORDER, _EQUAL, _AND, _OR, _IF = 20, 13, 12, 11, 10, 9, 8, 4, 3, 2
_INT = 32
_WIDTHS = (8, 16, 32, 64, 128)
_BITWISE = {"bvand": ("&", 7), "bvxor": ("^", 6), "bvor": ("|", 5)}
_DIVISIONS = {"bvudiv": ("/", False), "bvurem": ("%", False), "bvsdiv": ("/", True), "bvsrem": ("%", True)}
_SHIFTS = {"bvshl": ("<<", None), "bvlshr": (">>", False), "bvashr": (">>", True)}
_COMPARISONS = {"bvult": ("<", False), "bvule": ("<=", False), "bvslt": ("<", True), "bvsle": ("<=", True)}
_NEGATED = {"<": ">=", "<=": ">", "==": "!="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_FLOAT_NAMES: dict[Sort, tuple[str, str]] = {FLOAT32: ("float", "f"), FLOAT64: ("double", ""), EXTENDED: ("long double", "l")}
_FLOAT_BINARY = {"fp.add": ("+", _PLUS), "fp.sub": ("-", _PLUS), "fp.mul": ("*", _TIMES), "fp.div": ("/", _TIMES)}
_FLOAT_COMPARISONS = {"fp.eq": ("==", _EQUAL), "fp.lt": ("<", _ORDER), "fp.leq": ("<=", _ORDER)}
_FLOAT_FUNCTIONS = {"fp.sqrt": "sqrt", "fp.abs": "fabs", "fp.floor": "floor", "fp.ceil": "ceil", "fp.trunc": "trunc"}
_FLOAT_FUNCTIONS |= {"fp.round": "round", "fp.rint": "rint", "fp.fmod": "fmod"}


class NotC(Exception):
    """There is no C expression for this, or none that is worth reading."""


@dataclass(frozen=True)
class Phrase:
    """Text, how strongly it binds, and its type in C."""

    text: str
    level: int = _ATOM
    signed: bool | None = None  # of an integer; None: not known, so a cast is needed wherever the sign matters
    is_pointer: bool = False
    is_guess: bool = False  # it may be an integer after all: the source has a name for its type

    def within(self, level: int) -> str:
        return self.text if self.level >= level else f"({self.text})"


class Names(Protocol):
    """What the symbols and cells of memory are called."""

    pointer_width: int

    def variable(self, symbol: Term) -> Phrase: ...

    def cell(self, array: str, address: Term, ctype: str | None, printer: CPrinter) -> Phrase:
        """An element of an array, read as this type if one is given."""

    def address(self, value: int) -> str | None:
        """The object that has this address, as `&x`."""


@dataclass(frozen=True)
class Sum:
    """Σ factor · term + constant, modulo 2^width; factors and the constant as signed numbers, factors not zero."""

    parts: tuple[tuple[Term, int], ...]
    constant: int


def linear(term: Term) -> Sum:
    """The term as a sum."""
    width = term.sort.width  # type: ignore[union-attr]
    factors: dict[Term, int] = {}
    constant = 0
    waiting = [(term, 1)]
    while waiting:
        node, factor = waiting.pop()
        match node.operator, node.arguments:
            case "const", _:
                constant += factor * node.payload
            case "bvadd", (a, b):
                waiting += [(b, factor), (a, factor)]
            case "bvsub", (a, b):
                waiting += [(b, -factor), (a, factor)]
            case "bvneg", (a,):
                waiting.append((a, -factor))
            case "bvmul" | "scale", (a, b) if "const" in (a.operator, b.operator):
                number, other = (a, b) if a.operator == "const" else (b, a)
                waiting.append((other, factor * number.payload))
            case _:
                factors[node] = factors.get(node, 0) + factor
    parts = tuple((node, reduced) for node, factor in factors.items() if (reduced := semantics.signed(factor, width)))
    return Sum(parts, semantics.signed(constant, width))


class CPrinter:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.pointer_width = names.pointer_width

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
                return self._condition(term)
            case BitVec(width):
                return self._integer(term, width)
            case Float():
                return self._float(term)
            case Array():
                raise NotC

    # types

    def type_name(self, width: int, signed: bool) -> str:
        long = "long" if self.pointer_width == 64 else "long long"
        names = {8: "char", 16: "short", 32: "int", 64: long, 128: "__int128"}
        if width not in names:
            raise NotC
        if width == 8:
            return "signed char" if signed else "unsigned char"
        if width == 32:
            return "int" if signed else "unsigned"
        return names[width] if signed else f"unsigned {names[width]}"

    def cast(self, phrase: Phrase, width: int, signed: bool) -> Phrase:
        return Phrase(f"({self.type_name(width, signed)}){phrase.within(_PREFIX)}", _PREFIX, signed)

    def literal(self, value: int, width: int, signed: bool) -> Phrase:
        """Of this type, or of int where that is converted to the same value."""
        value = semantics.signed(value, width) if signed else value & (1 << width) - 1
        if signed and value == -1 << width - 1 and width >= _INT:
            names = {32: "INT_MIN", 64: "LONG_MIN" if self.pointer_width == 64 else "LLONG_MIN"}
            if width not in names:
                raise NotC
            return Phrase(names[width], _ATOM, True)
        if abs(value) >> 64:
            raise NotC
        suffix = "u" if not signed and width >= _INT else ""
        text = hex(value) if not signed and value >> 31 and value & value + 1 != 0 else str(value)
        return Phrase(text + suffix, _ATOM if value >= 0 else _PREFIX, signed)

    def as_type(self, term: Term, signed: bool) -> Phrase:
        """The value with this sign."""
        width = term.sort.width  # type: ignore[union-attr]
        if term.operator == "const":
            return self.literal(term.payload, width, signed)
        phrase = self.phrase(term)
        return phrase if phrase.signed is signed else self.cast(phrase, width, signed)

    def _number(self, term: Term) -> Phrase:
        """A pointer as the number that it is."""
        phrase = self.phrase(term)
        return self.cast(phrase, self.pointer_width, False) if phrase.is_pointer else phrase

    def _narrowed(self, phrase: Phrase, width: int, signed: bool | None) -> Phrase:
        """C computes narrow integers as int: back to the width, so that what is lost is lost here, too."""
        if width not in _WIDTHS:
            raise NotC
        return phrase if width >= _INT else self.cast(phrase, width, signed is True)

    # integers

    def _integer(self, term: Term, width: int) -> Phrase:
        operator, arguments = term.operator, term.arguments
        if operator in ("state", "input"):
            return self.names.variable(term)
        if operator == "const":
            return self.literal(term.payload, width, True)
        if operator in ("bvadd", "bvsub", "bvneg", "bvmul", "scale"):
            return self._sum(term, width)
        if operator in _BITWISE:
            sign, level = _BITWISE[operator]
            left, right, signed = self._alike(arguments, width)
            texts = [each.within(level if each.level == level else _PREFIX) for each in (left, right)]
            return Phrase(f" {sign} ".join(texts), level, signed)
        if operator in _DIVISIONS:
            sign, signed = _DIVISIONS[operator]
            left, right = (self.as_type(argument, signed) for argument in arguments)
            return self._narrowed(Phrase(f"{left.within(_TIMES)} {sign} {right.within(_PREFIX)}", _TIMES, signed), width, signed)
        if operator in _SHIFTS:
            return self._shift(term, width)
        match operator:
            case "bvnot":
                inner = self._number(arguments[0])
                return self._narrowed(Phrase(f"~{inner.within(_PREFIX)}", _PREFIX, inner.signed), width, inner.signed)
            case "ite":
                return self._choice(term, width)
            case "zero_extend" | "sign_extend":
                return self._extended(arguments[0], width, operator == "sign_extend")
            case "truncate":
                return self._truncated(self._number(arguments[0]), arguments[0], width)
            case "extract":
                inner = self._number(arguments[0])
                shifted = Phrase(f"{inner.within(_PREFIX)} >> {term.payload[1]}", _SHIFT, inner.signed)
                return self._truncated(shifted, arguments[0], width)
            case "select":
                return self._cell(term, None)
            case "fp.to_sbv" | "fp.to_ubv":
                return self.cast(self.phrase(arguments[0]), width, operator == "fp.to_sbv")
        raise NotC

    def _sum(self, term: Term, width: int) -> Phrase:
        if term.operator in ("bvmul", "scale") and all(argument.operator != "const" for argument in term.arguments):
            left, right, signed = self._alike(term.arguments, width)
            product = Phrase(f"{left.within(_TIMES)} * {right.within(_PREFIX)}", _TIMES, signed)
            return self._narrowed(product, width, signed)
        summands = linear(term)
        phrase = self._summed(summands.parts, summands.constant, width)
        return self._narrowed(phrase, width, phrase.signed)

    def _summed(self, parts: Iterable[tuple[Term, int]], constant: int, width: int) -> Phrase:
        """Not narrowed. What is added comes first."""
        signs: list[bool | None] = [abs(constant) >> width - 1 == 0]
        total: Phrase | None = None
        for node, factor in sorted(parts, key=lambda part: part[1] < 0):
            phrase = self._number(node)
            signs.append(phrase.signed and abs(factor) >> width - 1 == 0)
            if abs(factor) != 1:
                phrase = Phrase(f"{self._factor(abs(factor), width)} * {phrase.within(_PREFIX)}", _TIMES)
            if total is not None:
                total = Phrase(f"{total.within(_PLUS)} {'-' if factor < 0 else '+'} {phrase.within(_TIMES)}", _PLUS)
            else:
                total = phrase if factor > 0 else Phrase(f"-{phrase.within(_PREFIX + 1)}", _PREFIX)
        if total is None:
            return self.literal(constant, width, True)
        if constant:
            text = f"{total.within(_PLUS)} {'-' if constant < 0 else '+'} {self._factor(abs(constant), width)}"
            total = Phrase(text, _PLUS)
        signed = False if False in signs else None if None in signs else True
        return Phrase(total.text, total.level, signed)

    def _factor(self, value: int, width: int) -> str:
        return self.literal(value, width, value >> width - 1 == 0).text

    def _beside(self, value: int, width: int, signed: bool | None) -> Phrase:
        """A number beside an operand that gives the type."""
        if width < _INT:
            return self.literal(value, width, signed is True)
        plain = value & (1 << width) - 1
        return Phrase(str(plain), _ATOM, True) if plain < 1 << 31 else self.literal(value, width, signed is not False)

    def _alike(self, terms: tuple[Term, ...], width: int) -> tuple[Phrase, Phrase, bool | None]:
        """Two operands of one type, after the conversions of C; and its sign."""
        a, b = terms
        if "const" in (a.operator, b.operator):
            number, other = (a, b) if a.operator == "const" else (b, a)
            phrase = self._number(other)
            if phrase.signed is None:
                phrase = phrase if width >= _INT else self.cast(phrase, width, False)
            return phrase, self._beside(number.payload, width, phrase.signed), phrase.signed
        left, right = self._number(a), self._number(b)
        if left.signed is not right.signed or left.signed is None:
            if width < _INT:  # promoted to int, each with its sign
                return self.as_type(a, False), self.as_type(b, False), False
            return left, right, False if False in (left.signed, right.signed) else None
        return left, right, left.signed

    def _shift(self, term: Term, width: int) -> Phrase:
        value, amount = term.arguments
        sign, signed = _SHIFTS[term.operator]
        if value.operator == "const" and width > _INT:
            left = self.cast(self.literal(value.payload, width, signed is True), width, signed is True)
        elif signed is None:
            left = self._number(value)
        else:
            left = self.as_type(value, signed)
        right = Phrase(str(amount.payload)) if amount.operator == "const" else self._number(amount)
        return self._narrowed(
            Phrase(f"{left.within(_PREFIX)} {sign} {right.within(_PREFIX)}", _SHIFT, left.signed), width, left.signed
        )

    def _choice(self, term: Term, width: int) -> Phrase:
        condition, yes, no = term.arguments
        signed: bool | None
        if width > _INT:  # literals would be ints
            first, second, signed = self.as_type(yes, True), self.as_type(no, True), True
            if yes.operator == no.operator == "const":
                first = self.cast(first, width, True)
        elif yes.operator == no.operator == "const":
            first, second, signed = self.as_type(yes, True), self.as_type(no, True), True
        else:
            alike = self._alike((yes, no), width)
            signed = alike[2]
            first, second = (alike[1], alike[0]) if yes.operator == "const" else alike[:2]
        return Phrase(f"{self.phrase(condition).within(_OR)} ? {first.within(_OR)} : {second.within(_OR)}", _IF, signed)

    def _extended(self, inner: Term, width: int, signed: bool) -> Phrase:
        narrow = inner.sort.width  # type: ignore[union-attr]
        phrase = self.as_type(inner, signed) if narrow in _WIDTHS else self.phrase(inner)
        if phrase.signed is not signed or (narrow not in _WIDTHS and narrow > _INT):
            raise NotC
        if narrow < _INT and width == _INT:
            return replace(phrase, signed=True)  # promoted
        return self.cast(phrase, width, signed)

    def _truncated(self, phrase: Phrase, inner: Term, width: int) -> Phrase:
        """The low bits of what was computed from `inner`; of a width that no type has, as an unsigned number."""
        if width in _WIDTHS:
            return self.cast(phrase, width, phrase.signed is True)
        if width > _INT:
            raise NotC
        if inner.sort.width > _INT or phrase.signed is not True:  # type: ignore[union-attr]
            phrase = self.cast(phrase, _INT, True)
        return Phrase(f"{phrase.within(_PREFIX)} & {(1 << width) - 1}", 7, False)

    def _cell(self, term: Term, ctype: str | None) -> Phrase:
        array, address = term.arguments
        if array.operator != "state":
            raise NotC
        if ctype is None and term.sort.width not in _WIDTHS:  # type: ignore[union-attr]
            raise NotC
        return self.names.cell(array.payload, address, ctype, self)

    # conditions

    def _condition(self, term: Term) -> Phrase:
        operator, arguments = term.operator, term.arguments
        if operator in ("state", "input"):
            return replace(self.names.variable(term), signed=True)
        if operator == "const":
            return Phrase(str(int(term.payload)), _ATOM, True)
        if operator == "not":
            return self._negation(arguments[0])
        if operator in ("and", "or"):
            sign, level = ("&&", _AND) if operator == "and" else ("||", _OR)
            shown = [self.phrase(argument) for argument in arguments]
            # `a && b` within `||` gets parentheses that C does not need
            texts = [each.within(level if each.level in (level, _IF) else _AND + 1) for each in shown]
            return Phrase(f" {sign} ".join(texts), level, True)
        if operator == "ite":
            condition, yes, no = (self.phrase(argument).within(_OR) for argument in arguments)
            return Phrase(f"{condition} ? {yes} : {no}", _IF, True)
        if operator in _COMPARISONS or operator == "=":
            return self._comparison(term, False)
        if operator in _FLOAT_COMPARISONS:
            sign, level = _FLOAT_COMPARISONS[operator]
            left, right = (self.phrase(argument) for argument in arguments)
            return Phrase(f"{left.within(level)} {sign} {right.within(level + 1)}", level, True)
        if operator in ("fp.isNaN", "fp.isInfinite"):
            return Phrase(f"{'isnan' if operator == 'fp.isNaN' else 'isinf'}({self.phrase(arguments[0]).text})", _ATOM, True)
        raise NotC

    def _negation(self, inner: Term) -> Phrase:
        if inner.operator in _COMPARISONS or inner.operator == "=":
            return self._comparison(inner, True)
        return Phrase(f"!{self.phrase(inner).within(_PREFIX)}", _PREFIX, True)

    def _comparison(self, term: Term, negated: bool) -> Phrase:
        a, b = term.arguments
        if term.operator == "=":
            left, right = self._equated(a, b)
            sign = "!=" if negated else "=="
            return Phrase(f"{left.within(_ORDER)} {sign} {right.within(_ORDER)}", _EQUAL, True)
        sign, signed = _COMPARISONS[term.operator]
        sign = _NEGATED[sign] if negated else sign
        if a.operator == "const":
            a, b, sign = b, a, _MIRRORED[sign]
        left, right = self._compared(a, b, signed)
        return Phrase(f"{left.within(_SHIFT)} {sign} {right.within(_SHIFT)}", _ORDER, True)

    def _compared(self, a: Term, b: Term, signed: bool) -> tuple[Phrase, Phrase]:
        if not signed:
            pair = self._pointers(a, b)
            if pair is not None and not any(each.is_guess for each in pair):
                return pair
        left, right = self.as_type(a, signed), self.as_type(b, signed)
        if not signed and b.operator == "const" and b.payload < 1 << 31 and left.level == _ATOM:
            right = Phrase(str(b.payload))  # `x < 5` says the same if x is unsigned
        return left, right

    def _pointers(self, a: Term, b: Term) -> tuple[Phrase, Phrase] | None:
        """Two pointers, or a pointer and an address that has a name."""
        shown = [self._pointer(term) for term in (a, b)]
        left, right = shown
        if left is None or right is None or not (left.is_pointer or right.is_pointer):
            return None
        return left, right

    def _pointer(self, term: Term) -> Phrase | None:
        if term.operator == "const":
            name = "0" if term.payload == 0 else self.names.address(term.payload)
            return Phrase(name, _PREFIX) if name is not None else None
        if term.operator not in ("state", "select"):
            return None
        phrase = self.phrase(term)
        return phrase if phrase.is_pointer else None

    def _equated(self, a: Term, b: Term) -> tuple[Phrase, Phrase]:
        match a.sort:
            case Bool():
                return Phrase(self.phrase(a).within(_PREFIX)), Phrase(self.phrase(b).within(_PREFIX))
            case Float() | Array():
                raise NotC
            case BitVec(width):
                pass
        pair = self._pointers(b, a) if a.operator == "const" else self._pointers(a, b)
        if pair is not None:
            return pair
        if width < _INT:
            if b.operator == "const" or a.operator == "const":
                number, other = (a, b) if a.operator == "const" else (b, a)
                phrase = self._number(other)
                signed = phrase.signed is True
                return self.as_type(other, signed), self.literal(number.payload, width, signed)
            left, right, _ = self._alike((a, b), width)
            return left, right
        return self._balanced(a, b, width)

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
            shown = self._summed(ours, 0, width)
            return shown, self._beside(theirs_constant, width, shown.signed)
        return self._summed(ours, ours_constant, width), self._summed(theirs, theirs_constant, width)

    def _divisor(self, parts: list[tuple[Term, int]], constant: int, width: int) -> tuple[Phrase, Phrase] | None:
        """x · 2^n == 0 says that the other bits of x are zero."""
        if len(parts) != 1 or constant:
            return None
        (node, factor) = parts[0]
        factor = abs(factor)
        if factor & factor - 1 or factor == 1:
            return None
        phrase = self._number(node)
        modulus = 1 << width - factor.bit_length() + 1
        if modulus == 1 << width - 1 and phrase.signed is not False:  # no int is so large
            return None
        return Phrase(f"{phrase.within(_TIMES)} % {self._factor(modulus, width)}", _TIMES), Phrase("0")

    # floats

    def _float(self, term: Term) -> Phrase:
        operator, arguments = term.operator, term.arguments
        if term.sort not in _FLOAT_NAMES:
            raise NotC
        name, suffix = _FLOAT_NAMES[term.sort]
        if operator in ("state", "input"):
            return self.names.variable(term)
        if operator == "const":
            return self._float_literal(term, suffix)
        if operator in _FLOAT_BINARY:
            sign, level = _FLOAT_BINARY[operator]
            left, right = (self.phrase(argument) for argument in arguments)
            return Phrase(f"{left.within(level)} {sign} {right.within(level + 1)}", level)
        if operator in _FLOAT_FUNCTIONS:
            return Phrase(f"{_FLOAT_FUNCTIONS[operator]}{suffix}({', '.join(self.phrase(each).text for each in arguments)})")
        match operator:
            case "fp.neg":
                return Phrase(f"-{self.phrase(arguments[0]).within(_PREFIX + 1)}", _PREFIX)
            case "ite":
                condition, yes, no = (self.phrase(argument).within(_OR) for argument in arguments)
                return Phrase(f"{condition} ? {yes} : {no}", _IF)
            case "fp.to_fp":
                return Phrase(f"({name}){self.phrase(arguments[0]).within(_PREFIX)}", _PREFIX)
            case "fp.from_sbv" | "fp.from_ubv":
                return Phrase(f"({name}){self.as_type(arguments[0], operator == 'fp.from_sbv').within(_PREFIX)}", _PREFIX)
            case "fp.from_bits" if arguments[0].operator == "select" and term.sort != EXTENDED:
                return self._cell(arguments[0], name)
        raise NotC

    def _float_literal(self, term: Term, suffix: str) -> Phrase:
        from drystone.logic.floats import arithmetic

        value = arithmetic(term.sort).to_python(term.payload)
        text = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}.get(repr(value))
        if text == "NAN" or (text is None and term.sort == EXTENDED):
            raise NotC
        return Phrase(text or repr(value) + suffix, _PREFIX if value < 0 or repr(value)[0] == "-" else _ATOM)
