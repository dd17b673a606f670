"""Formulas as an SMT-LIB 2 script, for people and other solvers (`--dump-smt`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drystone.logic.sorts import Array, BitVec, Bool, Float, Sort
from drystone.logic.terms import Term, width
from drystone.logic.translation import Translation

LONG = 100
"""Parts with more characters than this become a definition, so the script is linear in the size of the graph."""


def smtlib(formulas: Sequence[Term], logic: str = "ALL", status: str = "") -> str:
    """A script that asserts the formulas and asks whether there is a model; `status`: the answer, if it is known."""
    writer = _Writer()
    for formula in formulas:
        writer.lines.append(f"(assert {writer.translate(formula)})")
    known = [f"(set-info :status {status})"] if status else []
    return "\n".join(["(set-info :smt-lib-version 2.6)", f"(set-logic {logic})", *known, *writer.lines, "(check-sat)"]) + "\n"


class _Writer(Translation):
    """Translates into text; declarations, definitions and side conditions go to `lines`."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._names: set[str] = set()

    def _symbol(self, symbol: Term) -> str:
        sort: Sort = BitVec(symbol.sort.width) if type(symbol.sort) is Float else symbol.sort
        plain = symbol.payload.replace("|", "¦").replace("\\", "/")
        name = plain if symbol.operator == "state" else f"?{plain}"
        while name in self._names:
            name += "'"
        return self._declared(f"|{name}|", sort)

    def _declared(self, name: str, sort: Sort) -> str:
        self._names.add(name.strip("|"))
        self.lines.append(f"(declare-const {name} {_sort(sort)})")
        return name

    def _read(self, bits: Any, sort: Float) -> str:
        return f"((_ to_fp {sort.exponent} {sort.significand}) {bits})"

    def _constant(self, constant: Term) -> str:
        sort, value = constant.sort, constant.payload
        match sort:
            case Bool():
                return "true" if value else "false"
            case BitVec(bits):
                return _bits(value, bits)
            case Array(_, element):
                return f"((as const {_sort(sort)}) {_bits(value, element.width)})"
            case Float():
                return self._read(_bits(value, sort.width), sort)

    def _apply(self, node: Term, parts: list[Any]) -> str:
        text = f"({_operator(node)} {' '.join(parts)})" if node.operator != "fp.fmod" else self._remainder(node, parts)
        if len(text) <= LONG:
            return text
        name = f"|#{len(self._names)}|"
        self._names.add(name.strip("|"))
        self.lines.append(f"(define-fun {name} () {_sort(node.sort)} {text})")
        return name

    def _remainder(self, node: Term, parts: list[Any]) -> str:
        """C's fmod from the IEEE remainder of the magnitudes."""
        sort = node.sort
        assert type(sort) is Float
        a, b = parts
        rest = f"(fp.rem (fp.abs {a}) (fp.abs {b}))"
        zero = f"(_ +zero {sort.exponent} {sort.significand})"
        positive = f"(ite (fp.lt {rest} {zero}) (fp.add RNE {rest} (fp.abs {b})) {rest})"
        return f"(ite (fp.isNegative {a}) (fp.neg {positive}) {positive})"

    def _bits_of(self, operation: Term, translated: Any, nan: Any | None) -> str:
        sort = operation.sort
        assert type(sort) is Float
        bits = self._declared(f"|bits #{len(self._names)}|", BitVec(sort.width))
        self.lines.append(f"(assert (= {self._read(bits, sort)} {translated}))")
        if nan is not None:
            self.lines.append(f"(assert (=> (fp.isNaN {translated}) (= {bits} {nan})))")
        return bits


def _sort(sort: Sort) -> str:
    match sort:
        case Bool():
            return "Bool"
        case BitVec(bits):
            return f"(_ BitVec {bits})"
        case Float(exponent, significand):
            return f"(_ FloatingPoint {exponent} {significand})"
        case Array(index, element):
            return f"(Array {_sort(index)} {_sort(element)})"


def _bits(value: int, bits: int) -> str:
    return f"#x{value:0{bits // 4}x}" if bits % 4 == 0 else f"#b{value:0{bits}b}"


def _operator(node: Term) -> str:
    operator = node.operator
    match operator:
        case "scale":
            return "bvmul"
        case "truncate":
            return f"(_ extract {width(node) - 1} 0)"
        case "extract":
            high, low = node.payload
            return f"(_ extract {high} {low})"
        case "zero_extend" | "sign_extend":
            return f"(_ {operator} {width(node) - width(node.arguments[0])})"
        case "fp.add" | "fp.sub" | "fp.mul" | "fp.div" | "fp.sqrt":
            return f"{operator} RNE"
        case "fp.floor" | "fp.ceil" | "fp.trunc" | "fp.round" | "fp.rint":
            return f"fp.roundToIntegral {_MODES[operator]}"
        case "fp.to_fp" | "fp.from_sbv" | "fp.from_ubv" | "fp.from_bits":
            sort = node.sort
            assert type(sort) is Float
            name = "to_fp_unsigned" if operator == "fp.from_ubv" else "to_fp"
            mode = "" if operator == "fp.from_bits" else " RNE"
            return f"(_ {name} {sort.exponent} {sort.significand}){mode}"
        case "fp.to_sbv" | "fp.to_ubv":
            return f"(_ {operator} {width(node)}) RTZ"
    return operator


_MODES = {"fp.floor": "RTN", "fp.ceil": "RTP", "fp.trunc": "RTZ", "fp.round": "RNA", "fp.rint": "RNE"}
