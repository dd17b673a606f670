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
}
