"""The words of verification: functions that say what an error is, what is assumed, and which values are arbitrary.

Those of SV-COMP, CBMC and ESBMC, and what `assert` is made of in the headers of C libraries.
"""

from __future__ import annotations

from drystone.base.regex import regex

ERROR_FUNCTIONS = ("reach_error", "__VERIFIER_error")
"""Functions whose call is the default property, which covers more than these calls: docs/soundness.md, "The error"."""

ASSERTING = frozenset(("__VERIFIER_assert", "assert", "__CPROVER_assert", "__ESBMC_assert"))
"""Functions whose first argument must hold."""

FAILED = {
    "__assert_fail": "ppip",
    "__assert_perror_fail": "ipip",
    "__assert": "ppi",  # glibc, musl
    "__assert_func": "pipp",
    "__assert_rtn": "ppip",
    "__assert2": "pipp",
    "__assert_c99": "ppip",  # newlib, macOS, Bionic, Solaris
    "_assert": "ppi",
    "_wassert": "ppi",  # Windows
    **dict.fromkeys((f"g_assertion_message{kind}" for kind in ("", "_expr", "_cmpstr", "_cmpint", "_cmpnum", "_error")), "ppipp"),
}
"""Functions that are called where an assertion does not hold, and the kinds of their first arguments: pointers and integers."""

REMOVED_ASSERT = "__drystone_removed_assert"
"""What `assert` becomes where NDEBUG is defined."""

ASSUMING = frozenset(("__VERIFIER_assume", "assume_abort_if_not", "__CPROVER_assume", "__ESBMC_assume"))
"""Functions after which their argument holds: other executions are not looked at."""

_NONDET = regex(r"(__VERIFIER_|__CPROVER_|__ESBMC_)?nondet(_\w+)?$")


def names_any_value(name: str) -> bool:
    """Is it the name of a function that returns any value of its type?"""
    return _NONDET.match(name) is not None


_WIDTHS = {
    "bool": (1, False),
    "uchar": (8, False),
    "short": (16, True),
    "ushort": (16, False),
    "int": (32, True),
    "uint": (32, False),
    "unsigned": (32, False),
    "u32": (32, False),
}


def width_of_any_value(name: str) -> tuple[int, bool] | None:
    """The width and the sign of the type that SV-COMP puts into the name of such a function, if it is one for integers."""
    return _WIDTHS.get(name.removeprefix("__VERIFIER_nondet_")) if name.startswith("__VERIFIER_nondet_") else None


NEAR_MISS, FOLDED, EXCLUDED = "near miss", "folded", "excluded"
"""What is no error after all: what only looks like an assertion; assertions whose conditions are constants that hold; calls of
error functions to which no path leads."""

STRONGEST, ALL, NONE = "strongest", "all", "none"
"""Which conventions for errors a program follows: the strongest that it uses, as tasks of SV-COMP do, all of them at once, or
none: then only checks make errors."""

LOST_BLOCKS = "lost blocks"
"""The report that asks at the end whether there are blocks that no pointer leads to, and the input that is the answer."""
