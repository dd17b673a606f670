"""Integers in C. Sums are put in order: what is subtracted is written so."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from drystone.logic.ctext.phrases import IF, INT, OR, PLUS, PREFIX, SHIFT, TIMES, WIDTHS, NotC, Phrase, Printer
from drystone.logic.sums import linear
from drystone.logic.terms import Term

_BITWISE = {"bvand": ("&", 7), "bvxor": ("^", 6), "bvor": ("|", 5)}
_DIVISIONS = {"bvudiv": ("/", False), "bvurem": ("%", False), "bvsdiv": ("/", True), "bvsrem": ("%", True)}
_SHIFTS = {"bvshl": ("<<", None), "bvlshr": (">>", False), "bvashr": (">>", True)}


class Integers:
    """Terms that are bit-vectors, as phrases with a sign."""

    def __init__(self, printer: Printer) -> None:
        self.printer = printer
        self.types = printer.types

    def phrase(self, term: Term, width: int) -> Phrase:
        operator, arguments = term.operator, term.arguments
        if operator in ("state", "input"):
            return self.printer.names.variable(term)
        if operator == "const":
            return self.types.literal(term.payload, width, True)
        if operator in ("bvadd", "bvsub", "bvneg", "bvmul", "scale"):
            return self._sum(term, width)
        if operator in _BITWISE:
            sign, level = _BITWISE[operator]
            left, right, signed = self.alike(arguments, width)
            texts = [each.within(level if each.level == level else PREFIX) for each in (left, right)]
            return Phrase(f" {sign} ".join(texts), level, signed)
        if operator in _DIVISIONS:
            sign, signed = _DIVISIONS[operator]
            left, right = (self.printer.as_type(argument, signed) for argument in arguments)
            quotient = Phrase(f"{left.within(TIMES)} {sign} {right.within(PREFIX)}", TIMES, signed)
            return self.types.narrowed(quotient, width, signed)
        if operator in _SHIFTS:
            return self._shift(term, width)
        match operator:
            case "bvnot":
                inner = self.printer.number(arguments[0])
                return self.types.narrowed(Phrase(f"~{inner.within(PREFIX)}", PREFIX, inner.signed), width, inner.signed)
            case "ite":
                return self._choice(term, width)
            case "zero_extend" | "sign_extend":
                return self._extended(arguments[0], width, operator == "sign_extend")
            case "truncate":
                return self._truncated(self.printer.number(arguments[0]), arguments[0], width)
            case "extract":
                inner = self.printer.number(arguments[0])
                shifted = Phrase(f"{inner.within(PREFIX)} >> {term.payload[1]}", SHIFT, inner.signed)
                return self._truncated(shifted, arguments[0], width)
            case "select":
                return self.printer.cell(term, None)
            case "fp.to_sbv" | "fp.to_ubv":
                return self.types.cast(self.printer.phrase(arguments[0]), width, operator == "fp.to_sbv")
        raise NotC

    def _sum(self, term: Term, width: int) -> Phrase:
        if term.operator in ("bvmul", "scale") and all(argument.operator != "const" for argument in term.arguments):
            left, right, signed = self.alike(term.arguments, width)
            product = Phrase(f"{left.within(TIMES)} * {right.within(PREFIX)}", TIMES, signed)
            return self.types.narrowed(product, width, signed)
        summands = linear(term)
        phrase = self.summed(summands.parts, summands.constant, width)
        return self.types.narrowed(phrase, width, phrase.signed)

    def summed(self, parts: Iterable[tuple[Term, int]], constant: int, width: int) -> Phrase:
        """Not narrowed. What is added comes first."""
        signs: list[bool | None] = [abs(constant) >> width - 1 == 0]
        total: Phrase | None = None
        for node, factor in sorted(parts, key=lambda part: part[1] < 0):
            phrase = self.printer.number(node)
            signs.append(phrase.signed and abs(factor) >> width - 1 == 0)
            if abs(factor) != 1:
                phrase = Phrase(f"{self.types.factor(abs(factor), width)} * {phrase.within(PREFIX)}", TIMES)
            if total is not None:
                total = Phrase(f"{total.within(PLUS)} {'-' if factor < 0 else '+'} {phrase.within(TIMES)}", PLUS)
            else:
                total = phrase if factor > 0 else Phrase(f"-{phrase.within(PREFIX + 1)}", PREFIX)
        if total is None:
            return self.types.literal(constant, width, True)
        if constant:
            text = f"{total.within(PLUS)} {'-' if constant < 0 else '+'} {self.types.factor(abs(constant), width)}"
            total = Phrase(text, PLUS)
        signed = False if False in signs else None if None in signs else True
        return Phrase(total.text, total.level, signed)

    def alike(self, terms: tuple[Term, ...], width: int) -> tuple[Phrase, Phrase, bool | None]:
        """Two operands of one type, after the conversions of C; and its sign."""
        a, b = terms
        if "const" in (a.operator, b.operator):
            number, other = (a, b) if a.operator == "const" else (b, a)
            phrase = self.printer.number(other)
            if phrase.signed is None:
                phrase = phrase if width >= INT else self.types.cast(phrase, width, False)
            return phrase, self.types.beside(number.payload, width, phrase.signed), phrase.signed
        left, right = self.printer.number(a), self.printer.number(b)
        if left.signed is not right.signed or left.signed is None:
            if width < INT:  # promoted to int, each with its sign
                return self.printer.as_type(a, False), self.printer.as_type(b, False), False
            return left, right, False if False in (left.signed, right.signed) else None
        return left, right, left.signed

    def _shift(self, term: Term, width: int) -> Phrase:
        value, amount = term.arguments
        sign, signed = _SHIFTS[term.operator]
        if value.operator == "const" and width > INT:
            left = self.types.cast(self.types.literal(value.payload, width, signed is True), width, signed is True)
        elif signed is None:
            left = self.printer.number(value)
        else:
            left = self.printer.as_type(value, signed)
        right = Phrase(str(amount.payload)) if amount.operator == "const" else self.printer.number(amount)
        return self.types.narrowed(
            Phrase(f"{left.within(PREFIX)} {sign} {right.within(PREFIX)}", SHIFT, left.signed), width, left.signed
        )

    def _choice(self, term: Term, width: int) -> Phrase:
        condition, yes, no = term.arguments
        signed: bool | None
        if width > INT:  # literals would be ints
            first, second, signed = self.printer.as_type(yes, True), self.printer.as_type(no, True), True
            if yes.operator == no.operator == "const":
                first = self.types.cast(first, width, True)
        elif yes.operator == no.operator == "const":
            first, second, signed = self.printer.as_type(yes, True), self.printer.as_type(no, True), True
        else:
            alike = self.alike((yes, no), width)
            signed = alike[2]
            first, second = (alike[1], alike[0]) if yes.operator == "const" else alike[:2]
        return Phrase(f"{self.printer.phrase(condition).within(OR)} ? {first.within(OR)} : {second.within(OR)}", IF, signed)

    def _extended(self, inner: Term, width: int, signed: bool) -> Phrase:
        narrow = inner.sort.width  # type: ignore[union-attr]
        phrase = self.printer.as_type(inner, signed) if narrow in WIDTHS else self.printer.phrase(inner)
        if phrase.signed is not signed or (narrow not in WIDTHS and narrow > INT):
            raise NotC
        if narrow < INT and width == INT:
            return replace(phrase, signed=True)  # promoted
        return self.types.cast(phrase, width, signed)

    def _truncated(self, phrase: Phrase, inner: Term, width: int) -> Phrase:
        """The low bits of what was computed from `inner`; of a width that no type has, as an unsigned number."""
        if width in WIDTHS:
            return self.types.cast(phrase, width, phrase.signed is True)
        if width > INT:
            raise NotC
        if inner.sort.width > INT or phrase.signed is not True:  # type: ignore[union-attr]
            phrase = self.types.cast(phrase, INT, True)
        return Phrase(f"{phrase.within(PREFIX)} & {(1 << width) - 1}", 7, False)
