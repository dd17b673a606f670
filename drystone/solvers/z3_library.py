"""The C interface of z3, as far as it is used: signatures, errors, the library itself.

The Python package z3 wraps it in classes of its own, whose import takes longer than most queries. What is one of z3's objects in
C is an address here, an integer. Who gets a term, a solver, ... counts a reference to it, and gives that back.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, c_bool, c_char_p, c_int, c_uint, c_void_p
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from drystone.solvers.protocol import SolverError


class Z3Error(SolverError):
    """What z3 says went wrong."""


STORE, CONST_ARRAY, AS_ARRAY = 0x300, 0x302, 0x30A  # kinds of declarations
TRUE = 1  # of three truth values, -1, 0 and 1

_TYPES = {"p": c_void_p, "u": c_uint, "i": c_int, "b": c_bool, "s": c_char_p, "a": POINTER(c_void_p), "-": None}
_BINARY = "add sub mul udiv urem sdiv srem and or xor shl lshr ashr ult ule slt sle"
_COUNTED = "params solver model func_interp func_entry ast_vector stats"

# The result and what comes after the context: pointers, unsigned and other integers, booleans, strings, arrays of pointers.

_OF_TERMS: dict[str, str] = {
    **dict.fromkeys([f"Z3_mk_bv{name}" for name in _BINARY.split()], "p pp"),
    **dict.fromkeys("Z3_mk_bvneg Z3_mk_bvnot Z3_mk_not".split(), "p p"),
    **dict.fromkeys("Z3_mk_eq Z3_mk_concat Z3_mk_select".split(), "p pp"),
    **dict.fromkeys("Z3_mk_ite Z3_mk_store".split(), "p ppp"),
    **dict.fromkeys("Z3_mk_and Z3_mk_or".split(), "p ua"),
    **dict.fromkeys("Z3_mk_zero_ext Z3_mk_sign_ext".split(), "p up"),
    "Z3_mk_extract": "p uup",
    **dict.fromkeys([f"Z3_mk_fpa_{name}" for name in "neg abs is_nan is_infinite is_negative".split()], "p p"),
    **dict.fromkeys([f"Z3_mk_fpa_{name}" for name in "eq lt leq".split()], "p pp"),
    **dict.fromkeys([f"Z3_{kind}_{way}_ref" for kind in _COUNTED.split() for way in ("inc", "dec")], "- p"),
    "Z3_inc_ref": "- p",
    "Z3_dec_ref": "- p",
}
"""These do not fail: sorts fit by construction, and what is counted is there."""

_CHECKED: dict[str, str] = {
    **dict.fromkeys("Z3_mk_true Z3_mk_false Z3_mk_bool_sort Z3_mk_params Z3_mk_solver".split(), "p "),
    **dict.fromkeys([f"Z3_mk_fpa_{name}" for name in "rne rna rtn rtp rtz".split()], "p "),
    **dict.fromkeys([f"Z3_mk_fpa_{name}" for name in "sqrt rem round_to_integral to_fp_bv".split()], "p pp"),
    **dict.fromkeys([f"Z3_mk_fpa_{name}" for name in "add sub mul div to_fp_float to_fp_signed to_fp_unsigned".split()], "p ppp"),
    **dict.fromkeys("Z3_mk_fpa_to_sbv Z3_mk_fpa_to_ubv".split(), "p ppu"),
    **dict.fromkeys("Z3_mk_implies Z3_mk_array_sort Z3_mk_const Z3_mk_const_array".split(), "p pp"),
    **dict.fromkeys("Z3_mk_solver_for_logic Z3_mk_fpa_to_ieee_bv".split(), "p p"),
    "Z3_mk_bv_sort": "p u",
    "Z3_mk_fpa_sort": "p uu",
    "Z3_mk_fpa_zero": "p pb",
    "Z3_mk_numeral": "p sp",
    "Z3_mk_string_symbol": "p s",
    "Z3_params_set_uint": "- ppu",
    "Z3_solver_set_params": "- pp",
    "Z3_solver_assert": "- pp",
    "Z3_solver_push": "- p",
    "Z3_solver_pop": "- pu",
    "Z3_solver_check_assumptions": "i pua",
    "Z3_solver_get_reason_unknown": "s p",
    **dict.fromkeys([f"Z3_solver_get_{name}" for name in "model unsat_core statistics".split()], "p p"),
    "Z3_model_eval": "b ppba",
    "Z3_model_get_func_interp": "p pp",
    "Z3_func_interp_get_num_entries": "u p",
    "Z3_func_interp_get_entry": "p pu",
    "Z3_func_interp_get_else": "p p",
    "Z3_func_entry_get_arg": "p pu",
    "Z3_func_entry_get_value": "p p",
    "Z3_ast_vector_size": "u p",
    "Z3_ast_vector_get": "p pu",
    "Z3_stats_size": "u p",
    "Z3_stats_get_key": "s pu",
    "Z3_stats_get_uint_value": "u pu",
    "Z3_get_ast_id": "u p",
    "Z3_get_app_decl": "p p",
    "Z3_get_app_num_args": "u p",
    "Z3_get_app_arg": "p pu",
    "Z3_get_decl_kind": "u p",
    "Z3_get_as_array_func_decl": "p p",
    "Z3_get_bool_value": "i p",
    "Z3_get_numeral_string": "s p",
    "Z3_ast_to_string": "s p",
    "Z3_set_error_handler": "- p",
}  # fmt: skip
"""After these z3 is asked whether there was an error."""


@cache
def library() -> Any:
    """libz3 with the signatures used here (a `CDLL`; its functions have no static types)."""
    package = find_spec("z3")
    folders = [Path(place) / "lib" for place in (package.submodule_search_locations or ())] if package is not None else []
    found = [
        path for folder in folders for name in ("libz3.so*", "libz3.dylib", "libz3.dll") for path in sorted(folder.glob(name))
    ]
    if not found:
        raise OSError("z3 is not installed: run `pip install z3-solver`")
    lib = ctypes.CDLL(str(found[-1]))  # the one with the version in its name is what the package takes, too
    _sign(lib, {"Z3_mk_config": "p", "Z3_del_config": "- p", "Z3_mk_context_rc": "p p"}, ())
    _sign(lib, {"Z3_del_context": "- ", "Z3_get_error_code": "u ", "Z3_get_error_msg": "s u"} | _OF_TERMS, (c_void_p,))
    _sign(lib, _CHECKED, (c_void_p,))

    def check(result: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
        error = lib.Z3_get_error_code(arguments[0])
        if error:
            raise Z3Error(lib.Z3_get_error_msg(arguments[0], error).decode(errors="replace"))
        return result

    for name in _CHECKED:
        getattr(lib, name).errcheck = check
    return lib


def is_in_library(function: Any) -> bool:
    """Is this `Z3_mk_not` of another binding the same?"""
    mine, other = (ctypes.cast(each, c_void_p).value for each in (library().Z3_mk_not, function))
    return mine == other


def _sign(lib: ctypes.CDLL, signatures: dict[str, str], first: tuple[Any, ...]) -> None:
    for name, letters in signatures.items():
        function = getattr(lib, name)
        result, *arguments = (_TYPES[letter] for letter in letters.replace(" ", ""))
        function.restype, function.argtypes = result, [*first, *arguments]


_UNHANDLED = CFUNCTYPE(None, c_void_p, c_uint)(lambda context, error: None)
"""z3's own handler of errors ends the process."""


def new_context() -> Any:
    lib = library()
    config = lib.Z3_mk_config()
    context = lib.Z3_mk_context_rc(config)
    lib.Z3_del_config(config)
    lib.Z3_set_error_handler(context, ctypes.cast(_UNHANDLED, c_void_p))
    return context


@contextmanager
def held(context: Any, kind: str, thing: Any) -> Iterator[Any]:
    """With a reference to something that is not a term: a model, parameters, ..."""
    lib = library()
    getattr(lib, f"Z3_{kind}_inc_ref")(context, thing)
    try:
        yield thing
    finally:
        getattr(lib, f"Z3_{kind}_dec_ref")(context, thing)


def pointers(values: list[Any]) -> Any:
    return (c_void_p * len(values))(*values)
