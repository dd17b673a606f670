"""What z3 has found: the values of terms after SAT."""

from __future__ import annotations

from typing import Any

from drystone.logic.evaluation import ArrayValue, Value
from drystone.logic.sorts import Array, Bool, Sort
from drystone.solvers.protocol import SolverError
from drystone.solvers.z3_library import AS_ARRAY, CONST_ARRAY, STORE, TRUE, held, library, pointers

_LIBRARY = library()


class Model:
    """Of the latest check; the context must outlive it."""

    def __init__(self, context: Any, solver: Any) -> None:
        self._ref = context
        self._model = _LIBRARY.Z3_solver_get_model(context, solver)
        _LIBRARY.Z3_model_inc_ref(context, self._model)

    def __del__(self) -> None:
        if hasattr(self, "_model"):  # there was one
            _LIBRARY.Z3_model_dec_ref(self._ref, self._model)

    def value(self, term: Any, sort: Sort) -> Value:
        """Of one of z3's terms."""
        found = pointers([None])
        if not _LIBRARY.Z3_model_eval(self._ref, self._model, term, True, found):
            raise SolverError("z3: the model has no value of a term")
        value = found[0]
        _LIBRARY.Z3_inc_ref(self._ref, value)
        try:
            if type(sort) is Bool:
                return int(_LIBRARY.Z3_get_bool_value(self._ref, value) == TRUE)
            return self._array(value) if type(sort) is Array else self._number(value)
        finally:
            _LIBRARY.Z3_dec_ref(self._ref, value)

    def _number(self, numeral: Any) -> int:
        return int(_LIBRARY.Z3_get_numeral_string(self._ref, numeral))

    def _array(self, value: Any) -> ArrayValue:
        """Parts of a value, and of what a model says about a function, live as long as these."""
        stores: list[tuple[int, int]] = []
        while (kind := self._kind(value)) == STORE:
            value, index, element = (_LIBRARY.Z3_get_app_arg(self._ref, value, at) for at in range(3))
            stores.append((self._number(index), self._number(element)))
        if kind == CONST_ARRAY:
            return ArrayValue(self._number(_LIBRARY.Z3_get_app_arg(self._ref, value, 0)), dict(reversed(stores)))
        if kind != AS_ARRAY:
            text = _LIBRARY.Z3_ast_to_string(self._ref, value).decode(errors="replace")
            raise SolverError(f"z3: an array value of the form {text}")
        function = _LIBRARY.Z3_get_as_array_func_decl(self._ref, value)
        with held(self._ref, "func_interp", _LIBRARY.Z3_model_get_func_interp(self._ref, self._model, function)) as table:
            size = _LIBRARY.Z3_func_interp_get_num_entries(self._ref, table)
            entries = dict(self._entry(table, at) for at in range(size))
            default = self._number(_LIBRARY.Z3_func_interp_get_else(self._ref, table))
        return ArrayValue(default, entries | dict(reversed(stores)))

    def _entry(self, table: Any, at: int) -> tuple[int, int]:
        with held(self._ref, "func_entry", _LIBRARY.Z3_func_interp_get_entry(self._ref, table, at)) as entry:
            argument = self._number(_LIBRARY.Z3_func_entry_get_arg(self._ref, entry, 0))
            return argument, self._number(_LIBRARY.Z3_func_entry_get_value(self._ref, entry))

    def _kind(self, ast: Any) -> int:
        """Of the function that is applied."""
        return int(_LIBRARY.Z3_get_decl_kind(self._ref, _LIBRARY.Z3_get_app_decl(self._ref, ast)))
