"""The solver z3 (https://github.com/Z3Prover/z3): the second opinion, and the one that knows every float format.

z3's C functions (`z3_library`) cost a tenth of z3py's operators. z3's solver for bit-vectors alone is
several times faster than the general one on small queries, but takes nothing else: the solver starts with it and is
made anew with a wider logic when the first array or float comes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drystone.base import clock
from drystone.logic.evaluation import Value
from drystone.logic.sorts import Array, BitVec, Bool, Float, Sort
from drystone.logic.terms import SYMBOLS, Term, width
from drystone.logic.translation import Unsupported, name_of
from drystone.solvers.protocol import Answer
from drystone.solvers.translation import TranslatingSolver
from drystone.solvers.z3_library import TRUE, held, library, new_context, pointers
from drystone.solvers.z3_model import Model

MAX_REMAINDER_EXPONENT = 8
"""fmod of formats with more exponent bits is a division of 2^exponent bits."""

BITS, ARRAYS, FLOATS = 0, 1, 2
_LOGICS = {BITS: "QF_BV", ARRAYS: "QF_AUFBV", FLOATS: "QF_FPBV"}

_LIBRARY = library()


class Z3Solver(TranslatingSolver):
    name = "z3"

    def __init__(self, seed: int = 0, context: Any = None) -> None:
        """`context`: one that belongs to somebody else."""
        super().__init__(seed)
        self._held: list[Any] = []
        self._is_owner, self._ref = context is None, context if context is not None else new_context()
        self._theories: set[int] = set()
        self._given: set[int] = set()  # the theories that the solver was made for
        self._solver = self._new_solver()
        self._asserted: list[list[Any]] = [[]]
        self._sorts: dict[Sort, Any] = {}
        self._modes = {
            name: self._kept(getattr(_LIBRARY, f"Z3_mk_fpa_{name}")(self._ref)) for name in ("rne", "rna", "rtn", "rtp", "rtz")
        }
        self._proxies: dict[Term, Any] = {}
        self._literals: dict[int, Term] = {}
        self._model: Model | None = None
        self._effort = 0  # of z3 until now, where work is counted

    def _new_solver(self) -> Any:
        if len(self._theories) > 1:
            solver = _LIBRARY.Z3_mk_solver(self._ref)
        else:
            logic = self._name(_LOGICS[max(self._theories, default=BITS)])
            solver = _LIBRARY.Z3_mk_solver_for_logic(self._ref, logic)
        _LIBRARY.Z3_solver_inc_ref(self._ref, solver)
        self._set(solver, "random_seed", self._seed)
        return solver

    def _set(self, solver: Any, parameter: str, value: int) -> None:
        with held(self._ref, "params", _LIBRARY.Z3_mk_params(self._ref)) as parameters:
            _LIBRARY.Z3_params_set_uint(self._ref, parameters, self._name(parameter), value)
            _LIBRARY.Z3_solver_set_params(self._ref, solver, parameters)

    def _name(self, text: str) -> Any:
        return _LIBRARY.Z3_mk_string_symbol(self._ref, text.encode())

    def _kept(self, ast: Any) -> Any:
        """The context counts references; these live as long as the solver does."""
        _inc_ref(self._ref, ast)
        self._held.append(ast)
        return ast

    def __del__(self) -> None:
        # Parents first, so that each node dies at its turn. Left to the context, which looks for nodes without parents
        # again and again, deep terms take minutes.
        self._model = None
        for ast in reversed(self._held):
            _dec_ref(self._ref, ast)
        _LIBRARY.Z3_solver_dec_ref(self._ref, self._solver)
        if self._is_owner:
            _LIBRARY.Z3_del_context(self._ref)

    # Terms

    def _sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self._kept(self._new_sort(sort))
        return found

    def _new_sort(self, sort: Sort) -> Any:
        ref = self._ref
        match sort:
            case Bool():
                return _LIBRARY.Z3_mk_bool_sort(ref)
            case BitVec(bits):
                return _LIBRARY.Z3_mk_bv_sort(ref, bits)
            case Array(index, element):
                self._theories.add(ARRAYS)
                return _LIBRARY.Z3_mk_array_sort(ref, self._sort(index), self._sort(element))
            case Float(exponent, significand):
                self._theories.add(FLOATS)
                return _LIBRARY.Z3_mk_fpa_sort(ref, exponent, significand)

    def _new_symbol(self, name: str, sort: Sort) -> Any:
        return self._kept(_LIBRARY.Z3_mk_const(self._ref, self._name(name), self._sort(sort)))

    def _symbol(self, symbol: Term) -> Any:
        sort = symbol.sort
        return self._new_symbol(name_of(symbol), BitVec(sort.width) if type(sort) is Float else sort)

    def _read(self, bits: Any, sort: Float) -> Any:
        return self._kept(_LIBRARY.Z3_mk_fpa_to_fp_bv(self._ref, bits, self._sort(sort)))

    def _numeral(self, sort: Sort, value: int) -> Any:
        return self._kept(_LIBRARY.Z3_mk_numeral(self._ref, str(value).encode(), self._sort(sort)))

    def _constant(self, constant: Term) -> Any:
        sort, value = constant.sort, constant.payload
        match sort:
            case Bool():
                return self._kept((_LIBRARY.Z3_mk_true if value else _LIBRARY.Z3_mk_false)(self._ref))
            case BitVec():
                return self._numeral(sort, value)
            case Array(index, element):
                self._sort(sort)
                return self._kept(_LIBRARY.Z3_mk_const_array(self._ref, self._sort(index), self._numeral(element, value)))
            case Float():
                return self._read(self._numeral(BitVec(sort.width), value), sort)

    def _apply(self, node: Term, parts: list[Any]) -> Any:
        operator = node.operator
        function = _FUNCTIONS.get(operator)
        if function is not None:
            ast = function(self._ref, *parts)
        else:
            build = _BUILD.get(operator)
            if build is None:
                raise Unsupported(operator)
            ast = build(self, node, parts)
        _inc_ref(self._ref, ast)
        self._held.append(ast)
        return ast

    def _remainder(self, node: Term, parts: list[Any]) -> Any:
        """C's fmod from the IEEE remainder of the magnitudes, which is exact, as is adding the divisor once."""
        sort = node.sort
        if sort.exponent > MAX_REMAINDER_EXPONENT:  # type: ignore[union-attr]
            raise Unsupported(f"fmod of {sort}")
        ref, keep = self._ref, self._kept
        a, b = parts
        x, y = keep(_LIBRARY.Z3_mk_fpa_abs(ref, a)), keep(_LIBRARY.Z3_mk_fpa_abs(ref, b))
        rest = keep(_LIBRARY.Z3_mk_fpa_rem(ref, x, y))
        zero = keep(_LIBRARY.Z3_mk_fpa_zero(ref, self._sort(sort), False))
        below = keep(_LIBRARY.Z3_mk_fpa_lt(ref, rest, zero))
        more = keep(_LIBRARY.Z3_mk_fpa_add(ref, self._modes["rne"], rest, y))
        positive = keep(_LIBRARY.Z3_mk_ite(ref, below, more, rest))
        negative = keep(_LIBRARY.Z3_mk_fpa_neg(ref, positive))
        return _LIBRARY.Z3_mk_ite(ref, keep(_LIBRARY.Z3_mk_fpa_is_negative(ref, a)), negative, positive)

    def _bits_of(self, operation: Term, translated: Any, nan: Any | None) -> Any:
        bits = self._kept(_LIBRARY.Z3_mk_fpa_to_ieee_bv(self._ref, translated))
        if nan is None:
            return bits
        is_nan = self._kept(_LIBRARY.Z3_mk_fpa_is_nan(self._ref, translated))
        return self._kept(_LIBRARY.Z3_mk_ite(self._ref, is_nan, nan, bits))

    # Queries

    def _assert(self, formula: Any) -> None:
        self._asserted[-1].append(formula)
        _LIBRARY.Z3_solver_assert(self._ref, self._solver, formula)

    def _push(self) -> None:
        self._asserted.append([])
        _LIBRARY.Z3_solver_push(self._ref, self._solver)

    def _pop(self) -> None:
        self._asserted.pop()
        _LIBRARY.Z3_solver_pop(self._ref, self._solver, 1)

    def _remake(self) -> None:
        """The same assertions in a solver for more theories."""
        self._given = set(self._theories)
        former, self._solver = self._solver, self._new_solver()
        _LIBRARY.Z3_solver_dec_ref(self._ref, former)
        for depth, level in enumerate(self._asserted):
            if depth:
                _LIBRARY.Z3_solver_push(self._ref, self._solver)
            for formula in level:
                _LIBRARY.Z3_solver_assert(self._ref, self._solver, formula)

    def _check(self, assumptions: list[tuple[Term, Any]], limit_seconds: float | None) -> Answer:
        self._model = None
        literals = [self._literal(term, translated) for term, translated in assumptions]
        if self._theories != self._given:
            self._remake()
        effort = clock.effort(limit_seconds)
        if effort is not None:
            self._set(self._solver, "rlimit", effort)
        else:
            milliseconds = 0xFFFFFFFF if limit_seconds is None else max(1, min(int(limit_seconds * 1000), 0xFFFFFFFE))
            self._set(self._solver, "timeout", milliseconds)
        self._literals = {
            _LIBRARY.Z3_get_ast_id(self._ref, literal): term for (term, _), literal in zip(assumptions, literals, strict=True)
        }
        result = _LIBRARY.Z3_solver_check_assumptions(self._ref, self._solver, len(literals), pointers(literals))
        if effort is not None:
            self._spend()
        if result:
            return Answer.SAT if result == TRUE else Answer.UNSAT
        self.reason = f"z3: {_LIBRARY.Z3_solver_get_reason_unknown(self._ref, self._solver).decode(errors='replace')}"
        return Answer.UNKNOWN

    def _spend(self) -> None:
        """Tells the clock what the latest check took: z3 counts all that it does in its context."""
        with held(self._ref, "stats", _LIBRARY.Z3_solver_get_statistics(self._ref, self._solver)) as counted:
            size = _LIBRARY.Z3_stats_size(self._ref, counted)
            at = next(at for at in range(size) if _LIBRARY.Z3_stats_get_key(self._ref, counted, at) == b"rlimit count")
            before, self._effort = self._effort, _LIBRARY.Z3_stats_get_uint_value(self._ref, counted, at)
        clock.spent(self._effort - before)

    def _literal(self, term: Term, translated: Any) -> Any:
        """z3 takes symbols and negated symbols as assumptions; another formula is implied by a symbol of its own."""
        inner = term.arguments[0] if term.operator == "not" else term
        if inner.operator in SYMBOLS:
            return translated
        proxy = self._proxies.get(term)
        if proxy is None:
            proxy = self._proxies[term] = self._new_symbol(f"assume {term.id}", Bool())
            self._define(self._kept(_LIBRARY.Z3_mk_implies(self._ref, proxy, translated)))
        return proxy

    def _failed(self) -> list[Term]:
        with held(self._ref, "ast_vector", _LIBRARY.Z3_solver_get_unsat_core(self._ref, self._solver)) as core:
            found = [
                _LIBRARY.Z3_ast_vector_get(self._ref, core, at) for at in range(_LIBRARY.Z3_ast_vector_size(self._ref, core))
            ]
            return [self._literals[_LIBRARY.Z3_get_ast_id(self._ref, literal)] for literal in found]

    def _model_value(self, translated: Any, term: Term) -> Value:
        if self._model is None:
            self._model = Model(self._ref, self._solver)
        return self._model.value(translated, term.sort)


_inc_ref = _LIBRARY.Z3_inc_ref
_dec_ref = _LIBRARY.Z3_dec_ref


def _chain(name: str) -> Callable[..., Any]:
    """and, or: of an array of arguments."""
    function = getattr(_LIBRARY, name)
    return lambda ref, a, b: function(ref, 2, pointers([a, b]))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "not": _LIBRARY.Z3_mk_not,
    "and": _chain("Z3_mk_and"),
    "or": _chain("Z3_mk_or"),
    "ite": _LIBRARY.Z3_mk_ite,
    "=": _LIBRARY.Z3_mk_eq,
    "scale": _LIBRARY.Z3_mk_bvmul,
    "concat": _LIBRARY.Z3_mk_concat,
    "select": _LIBRARY.Z3_mk_select,
    "store": _LIBRARY.Z3_mk_store,
    "fp.neg": _LIBRARY.Z3_mk_fpa_neg,
    "fp.abs": _LIBRARY.Z3_mk_fpa_abs,
    "fp.eq": _LIBRARY.Z3_mk_fpa_eq,
    "fp.lt": _LIBRARY.Z3_mk_fpa_lt,
    "fp.leq": _LIBRARY.Z3_mk_fpa_leq,
    "fp.isNaN": _LIBRARY.Z3_mk_fpa_is_nan,
    "fp.isInfinite": _LIBRARY.Z3_mk_fpa_is_infinite,
} | {
    f"bv{name}": getattr(_LIBRARY, f"Z3_mk_bv{name}")
    for name in "add sub mul udiv urem sdiv srem and or xor shl lshr ashr neg not ult ule slt sle".split()
}

_Build = Callable[[Z3Solver, Term, list[Any]], Any]


def _operation(name: str, mode: str = "rne") -> _Build:
    function = getattr(_LIBRARY, f"Z3_mk_fpa_{name}")
    return lambda self, node, parts: function(self._ref, self._modes[mode], *parts)


def _to_float(name: str) -> _Build:
    function = getattr(_LIBRARY, f"Z3_mk_fpa_to_fp_{name}")
    return lambda self, node, parts: function(self._ref, self._modes["rne"], parts[0], self._sort(node.sort))


def _to_integer(name: str) -> _Build:
    function = getattr(_LIBRARY, f"Z3_mk_fpa_to_{name}")
    return lambda self, node, parts: function(self._ref, self._modes["rtz"], parts[0], width(node))


def _extension(name: str) -> _Build:
    function = getattr(_LIBRARY, f"Z3_mk_{name}_ext")
    return lambda self, node, parts: function(self._ref, width(node) - width(node.arguments[0]), parts[0])


_extract = _LIBRARY.Z3_mk_extract

_BUILD: dict[str, _Build] = {
    "truncate": lambda self, node, parts: _extract(self._ref, width(node) - 1, 0, parts[0]),
    "extract": lambda self, node, parts: _extract(self._ref, *node.payload, parts[0]),
    "zero_extend": _extension("zero"),
    "sign_extend": _extension("sign"),
    "fp.add": _operation("add"),
    "fp.sub": _operation("sub"),
    "fp.mul": _operation("mul"),
    "fp.div": _operation("div"),
    "fp.sqrt": _operation("sqrt"),
    "fp.fmod": Z3Solver._remainder,
    "fp.floor": _operation("round_to_integral", "rtn"),
    "fp.ceil": _operation("round_to_integral", "rtp"),
    "fp.trunc": _operation("round_to_integral", "rtz"),
    "fp.round": _operation("round_to_integral", "rna"),
    "fp.rint": _operation("round_to_integral", "rne"),
    "fp.to_fp": _to_float("float"),
    "fp.from_sbv": _to_float("signed"),
    "fp.from_ubv": _to_float("unsigned"),
    "fp.to_sbv": _to_integer("sbv"),
    "fp.to_ubv": _to_integer("ubv"),
    "fp.from_bits": lambda self, node, parts: self._read(parts[0], node.sort),  # type: ignore[arg-type]
}
