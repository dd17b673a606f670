"""Functions of the library that leave the objects which they are given: `bounds` of what their models access.

The error belongs to the call (`frontend.functions.library_calls`).
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.bounds import overruns
from drystone.checks.facts import Access, Fact, Subscript, Violation


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, (Access, Subscript)) and fact.in_library:
        yield from overruns(fact)
