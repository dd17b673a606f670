"""Which checks there are, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drystone.base.registry import Entry

if TYPE_CHECKING:
    from drystone.checks.facts import Check

CHECKS: dict[str, Entry[Check]] = {
    "division": Entry("division by zero, also of `%`", "drystone.checks.division:violations"),
    "shift": Entry(
        "shifts by a negative amount or by as many bits as the value has, and of a negative value to the left",
        "drystone.checks.shift:violations",
    ),
    "overflow": Entry(
        "results that a signed integer type cannot represent, also of `/`, `%` and `<<`", "drystone.checks.overflow:violations"
    ),
    "unsigned-overflow": Entry(
        "unsigned sums, differences, products and negatives that wrap around", "drystone.checks.unsigned_overflow:violations"
    ),
    "conversion": Entry(
        "conversions that change the value of an integer without a cast, and of floating-point numbers that do not fit",
        "drystone.checks.conversion:violations",
    ),
    "null": Entry("accesses through a pointer that is NULL", "drystone.checks.null:violations"),
    "use-after-free": Entry("accesses to a block that was given back", "drystone.checks.use_after_free:violations"),
    "stack-use-after-return": Entry(
        "accesses to a variable whose block or function has ended", "drystone.checks.stack_use_after_return:violations"
    ),
    "bounds": Entry(
        "accesses outside of the object that the pointer was derived from, or of the array that has the index",
        "drystone.checks.bounds:violations",
    ),
    "string": Entry(
        "functions of the library that read or write outside of the objects that they are given: `strcpy`, `memcpy`, `fgets`, …",
        "drystone.checks.string:violations",
    ),
    "pointer-arithmetic": Entry(
        "pointers that are computed and lead neither into their object nor right behind its end, and ones computed from NULL",
        "drystone.checks.pointer_arithmetic:violations",
    ),
    "double-free": Entry("`free` and `realloc` of a block that was given back", "drystone.checks.double_free:violations"),
    "invalid-free": Entry(
        "`free` and `realloc` of what no allocation returned, also of a place inside a block",
        "drystone.checks.invalid_free:violations",
    ),
    "leak": Entry(
        "blocks that are not given back when the program ends, and that no pointer leads to", "drystone.checks.leak:violations"
    ),
    "cleanup": Entry("blocks that are not given back when the program ends", "drystone.checks.cleanup:violations"),
    "uninitialised": Entry(
        "reads of local variables and of memory from `malloc` or `alloca` that were never written",
        "drystone.checks.uninitialised:violations",
    ),
}

MEMORY = (
    *("null", "use-after-free", "stack-use-after-return", "bounds", "string", "pointer-arithmetic"),
    *("double-free", "invalid-free", "leak", "cleanup", "uninitialised"),
)
"""Those that look at what lives in memory."""

UNINITIALISED = "uninitialised"

ENDINGS = ("leak", "cleanup")
"""Those that look at the end of the program."""

GROUPS = {
    "memory": tuple(name for name in MEMORY if name not in ("pointer-arithmetic", "cleanup", "uninitialised")),
    "all": tuple(CHECKS),
}
"""Names for several."""

DEFAULT = ("memory", "division", "shift", "overflow")
"""What is looked for in the C files of a user who does not say."""
