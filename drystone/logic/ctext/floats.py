"""Floating-point numbers in C."""

from __future__ import annotations

from drystone.logic.ctext.phrases import ATOM, IF, OR, PLUS, PREFIX, TIMES, NotC, Phrase, Printer
from drystone.logic.floats import arithmetic
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, Sort
from drystone.logic.terms import Term

_NAMES: dict[Sort, tuple[str, str]] = {FLOAT32: ("float", "f"), FLOAT64: ("double", ""), EXTENDED: ("long double", "l")}
_BINARY = {"fp.add": ("+", PLUS), "fp.sub": ("-", PLUS), "fp.mul": ("*", TIMES), "fp.div": ("/", TIMES)}
_FUNCTIONS = {"fp.sqrt": "sqrt", "fp.abs": "fabs", "fp.floor": "floor", "fp.ceil": "ceil", "fp.trunc": "trunc"}
_FUNCTIONS |= {"fp.round": "round", "fp.rint": "rint", "fp.fmod": "fmod"}


class Floats:
    """Terms that are floats."""

    def __init__(self, printer: Printer) -> None:
        self.printer = printer

    def phrase(self, term: Term) -> Phrase:
        operator, arguments = term.operator, term.arguments
        if term.sort not in _NAMES:
            raise NotC
        name, suffix = _NAMES[term.sort]
        if operator in ("state", "input"):
            return self.printer.names.variable(term)
        if operator == "const":
            return self._literal(term, suffix)
        if operator in _BINARY:
            sign, level = _BINARY[operator]
            left, right = (self.printer.phrase(argument) for argument in arguments)
            return Phrase(f"{left.within(level)} {sign} {right.within(level + 1)}", level)
        if operator in _FUNCTIONS:
            given = ", ".join(self.printer.phrase(each).text for each in arguments)
            return Phrase(f"{_FUNCTIONS[operator]}{suffix}({given})")
        match operator:
            case "fp.neg":
                return Phrase(f"-{self.printer.phrase(arguments[0]).within(PREFIX + 1)}", PREFIX)
            case "ite":
                condition, yes, no = (self.printer.phrase(argument).within(OR) for argument in arguments)
                return Phrase(f"{condition} ? {yes} : {no}", IF)
            case "fp.to_fp":
                return Phrase(f"({name}){self.printer.phrase(arguments[0]).within(PREFIX)}", PREFIX)
            case "fp.from_sbv" | "fp.from_ubv":
                return Phrase(f"({name}){self.printer.as_type(arguments[0], operator == 'fp.from_sbv').within(PREFIX)}", PREFIX)
            case "fp.from_bits" if arguments[0].operator == "select" and term.sort != EXTENDED:
                return self.printer.cell(arguments[0], name)
        raise NotC

    def _literal(self, term: Term, suffix: str) -> Phrase:
        value = arithmetic(term.sort).to_python(term.payload)
        text = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}.get(repr(value))
        if text == "NAN" or (text is None and term.sort == EXTENDED):
            raise NotC
        return Phrase(text or repr(value) + suffix, PREFIX if value < 0 or repr(value)[0] == "-" else ATOM)
