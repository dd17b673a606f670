"""The solver bitwuzla (https://bitwuzla.github.io), the default: bit-vectors, arrays, floats.

The released library knows the formats of 16, 32, 64 and 128 bits only; operations on others are unsupported.
Equality of arrays one of which is made from a constant array it may give up on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bitwuzla
from bitwuzla import Kind, Option, Result, RoundingMode

from drystone.base.clock import now
from drystone.logic.evaluation import ArrayValue, Value
from drystone.logic.sorts import Array, BitVec, Bool, Float, Sort
from drystone.logic.terms import Term, width
from drystone.logic.translation import Unsupported, name_of
from drystone.solvers.protocol import Answer
from drystone.solvers.translation import TranslatingSolver

FORMATS = frozenset(((5, 11), (8, 24), (11, 53), (15, 113)))
MAX_REMAINDER_EXPONENT = 8
"""fmod of formats with more exponent bits is a circuit of 2^exponent stages."""


class BitwuzlaSolver(TranslatingSolver):
    name = "bitwuzla"

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._terms = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(Option.PRODUCE_MODELS, True)
        options.set(Option.PRODUCE_UNSAT_ASSUMPTIONS, True)
        options.set(Option.SEED, seed)
        self._solver = bitwuzla.Bitwuzla(self._terms, options)
        self._deadline = Deadline()
        self._watched = False
        self._sorts: dict[Sort, Any] = {}
        self._modes = {mode: self._terms.mk_rm_value(mode) for mode in RoundingMode}
        self._literals: dict[Any, Term] = {}
        self._fresh = 0

    # Terms

    def _sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self._new_sort(sort)
        return found

    def _new_sort(self, sort: Sort) -> Any:
        match sort:
            case Bool():
                return self._terms.mk_bool_sort()
            case BitVec(bits):
                return self._terms.mk_bv_sort(bits)
            case Array(index, element):
                return self._terms.mk_array_sort(self._sort(index), self._sort(element))
            case Float(exponent, significand):
                self._known(sort)
                return self._terms.mk_fp_sort(exponent, significand)

    def _known(self, sort: Float) -> None:
        if (sort.exponent, sort.significand) not in FORMATS:
            raise Unsupported(f"floats of the format {sort}")

    def _symbol(self, symbol: Term) -> Any:
        sort = symbol.sort
        return self._terms.mk_const(self._sort(BitVec(sort.width) if type(sort) is Float else sort), name_of(symbol))

    def _read(self, bits: Any, sort: Float) -> Any:
        self._known(sort)
        return self._terms.mk_term(Kind.FP_TO_FP_FROM_BV, [bits], [sort.exponent, sort.significand])

    def _constant(self, constant: Term) -> Any:
        sort, value = constant.sort, constant.payload
        match sort:
            case Bool():
                return self._terms.mk_true() if value else self._terms.mk_false()
            case BitVec():
                return self._terms.mk_bv_value(self._sort(sort), value)
            case Array(_, element):
                return self._terms.mk_const_array(self._sort(sort), self._terms.mk_bv_value(self._sort(element), value))
            case Float():
                return self._read(self._terms.mk_bv_value(self._sort(BitVec(sort.width)), value), sort)

    def _apply(self, node: Term, parts: list[Any]) -> Any:
        operator = node.operator
        kind = _KINDS.get(operator)
        if kind is not None:
            return self._terms.mk_term(kind, parts)
        build = _BUILD.get(operator)
        if build is None:
            raise Unsupported(operator)
        return build(self, node, parts)

    def _rounded(self, kind: Any, mode: Any, parts: list[Any], indices: list[int]) -> Any:
        return self._terms.mk_term(kind, [self._modes[mode], *parts], indices)

    def _remainder(self, node: Term, parts: list[Any]) -> Any:
        """C's fmod from the IEEE remainder of the magnitudes, which is exact, as is adding the divisor once."""
        if node.sort.exponent > MAX_REMAINDER_EXPONENT:  # type: ignore[union-attr]
            raise Unsupported(f"fmod of {node.sort}")
        make, zero = self._terms.mk_term, self._terms.mk_fp_pos_zero(self._sort(node.sort))
        a, b = parts
        x, y = make(Kind.FP_ABS, [a]), make(Kind.FP_ABS, [b])
        rest = make(Kind.FP_REM, [x, y])
        positive = make(
            Kind.ITE, [make(Kind.FP_LT, [rest, zero]), make(Kind.FP_ADD, [self._modes[RoundingMode.RNE], rest, y]), rest]
        )
        return make(Kind.ITE, [make(Kind.FP_IS_NEG, [a]), make(Kind.FP_NEG, [positive]), positive])

    def _bits_of(self, operation: Term, translated: Any, nan: Any | None) -> Any:
        sort = operation.sort
        assert type(sort) is Float
        self._fresh += 1
        bits = self._terms.mk_const(self._sort(BitVec(sort.width)), f"bits {self._fresh}")
        make = self._terms.mk_term
        self._define(make(Kind.EQUAL, [self._read(bits, sort), translated]))
        if nan is not None:
            self._define(make(Kind.IMPLIES, [make(Kind.FP_IS_NAN, [translated]), make(Kind.EQUAL, [bits, nan])]))
        return bits

    # Queries

    def _assert(self, formula: Any) -> None:
        self._solver.assert_formula(formula)

    def _push(self) -> None:
        self._solver.push(1)

    def _pop(self) -> None:
        self._solver.pop(1)

    def _check(self, assumptions: list[tuple[Term, Any]], limit_seconds: float | None) -> Answer:
        self._literals = {literal: term for term, literal in assumptions}
        self._deadline.set(limit_seconds)
        if limit_seconds is not None and not self._watched:
            self._solver.configure_terminator(self._deadline)
            self._watched = True
        result = self._solver.check_sat(*[literal for _, literal in assumptions])
        if result == Result.SAT:
            return Answer.SAT
        if result == Result.UNSAT:
            return Answer.UNSAT
        self.reason = f"bitwuzla: no answer within {limit_seconds} s" if self._deadline() else "bitwuzla gave up"
        return Answer.UNKNOWN

    def _failed(self) -> list[Term]:
        return [self._literals[literal] for literal in self._solver.get_unsat_assumptions()]

    def _model_value(self, translated: Any, term: Term) -> Value:
        value = self._solver.get_value(translated)
        if type(term.sort) is Bool:
            return int(value.value())
        if type(term.sort) is not Array:
            return int(value.value(16), 16)
        stores: list[tuple[int, int]] = []
        while value.kind() == Kind.ARRAY_STORE:
            value, index, element = value.children()
            stores.append((int(index.value(16), 16), int(element.value(16), 16)))
        default = int(value.children()[0].value(16), 16)
        return ArrayValue(default, dict(reversed(stores)))


class Deadline:
    """Asked by bitwuzla now and then: is it time to stop?"""

    def __init__(self) -> None:
        self.at = 0.0

    def set(self, seconds: float | None) -> None:
        self.at = float("inf") if seconds is None else now() + seconds

    def __call__(self) -> bool:
        return now(is_poll=True) > self.at


_KINDS: dict[str, Any] = {
    "not": Kind.NOT,
    "and": Kind.AND,
    "or": Kind.OR,
    "ite": Kind.ITE,
    "=": Kind.EQUAL,
    "bvadd": Kind.BV_ADD,
    "bvsub": Kind.BV_SUB,
    "bvmul": Kind.BV_MUL,
    "scale": Kind.BV_MUL,
    "bvudiv": Kind.BV_UDIV,
    "bvurem": Kind.BV_UREM,
    "bvsdiv": Kind.BV_SDIV,
    "bvsrem": Kind.BV_SREM,
    "bvand": Kind.BV_AND,
    "bvor": Kind.BV_OR,
    "bvxor": Kind.BV_XOR,
    "bvshl": Kind.BV_SHL,
    "bvlshr": Kind.BV_SHR,
    "bvashr": Kind.BV_ASHR,
    "bvneg": Kind.BV_NEG,
    "bvnot": Kind.BV_NOT,
    "bvult": Kind.BV_ULT,
    "bvule": Kind.BV_ULE,
    "bvslt": Kind.BV_SLT,
    "bvsle": Kind.BV_SLE,
    "concat": Kind.BV_CONCAT,
    "select": Kind.ARRAY_SELECT,
    "store": Kind.ARRAY_STORE,
    "fp.neg": Kind.FP_NEG,
    "fp.abs": Kind.FP_ABS,
    "fp.eq": Kind.FP_EQUAL,
    "fp.lt": Kind.FP_LT,
    "fp.leq": Kind.FP_LEQ,
    "fp.isNaN": Kind.FP_IS_NAN,
    "fp.isInfinite": Kind.FP_IS_INF,
}

_Build = Callable[[BitwuzlaSolver, Term, list[Any]], Any]


def _operation(kind: Any, mode: Any = RoundingMode.RNE) -> _Build:
    return lambda self, node, parts: self._rounded(kind, mode, parts, [])


def _to_float(kind: Any) -> _Build:
    def build(self: BitwuzlaSolver, node: Term, parts: list[Any]) -> Any:
        sort = node.sort
        assert type(sort) is Float
        self._known(sort)
        return self._rounded(kind, RoundingMode.RNE, parts, [sort.exponent, sort.significand])

    return build


def _to_integer(kind: Any) -> _Build:
    return lambda self, node, parts: self._rounded(kind, RoundingMode.RTZ, parts, [width(node)])


def _extension(kind: Any) -> _Build:
    return lambda self, node, parts: self._terms.mk_term(kind, parts, [width(node) - width(node.arguments[0])])


_BUILD: dict[str, _Build] = {
    "truncate": lambda self, node, parts: self._terms.mk_term(Kind.BV_EXTRACT, parts, [width(node) - 1, 0]),
    "extract": lambda self, node, parts: self._terms.mk_term(Kind.BV_EXTRACT, parts, list(node.payload)),
    "zero_extend": _extension(Kind.BV_ZERO_EXTEND),
    "sign_extend": _extension(Kind.BV_SIGN_EXTEND),
    "fp.add": _operation(Kind.FP_ADD),
    "fp.sub": _operation(Kind.FP_SUB),
    "fp.mul": _operation(Kind.FP_MUL),
    "fp.div": _operation(Kind.FP_DIV),
    "fp.sqrt": _operation(Kind.FP_SQRT),
    "fp.fmod": BitwuzlaSolver._remainder,
    "fp.floor": _operation(Kind.FP_RTI, RoundingMode.RTN),
    "fp.ceil": _operation(Kind.FP_RTI, RoundingMode.RTP),
    "fp.trunc": _operation(Kind.FP_RTI, RoundingMode.RTZ),
    "fp.round": _operation(Kind.FP_RTI, RoundingMode.RNA),
    "fp.rint": _operation(Kind.FP_RTI, RoundingMode.RNE),
    "fp.to_fp": _to_float(Kind.FP_TO_FP_FROM_FP),
    "fp.from_sbv": _to_float(Kind.FP_TO_FP_FROM_SBV),
    "fp.from_ubv": _to_float(Kind.FP_TO_FP_FROM_UBV),
    "fp.to_sbv": _to_integer(Kind.FP_TO_SBV),
    "fp.to_ubv": _to_integer(Kind.FP_TO_UBV),
    "fp.from_bits": lambda self, node, parts: self._read(parts[0], node.sort),  # type: ignore[arg-type]
}
