"""One thing is in the singular, in every message that counts."""

from __future__ import annotations

import pytest

from drystone.base.plurals import counted


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("blocks", "1 block"),
        ("queries", "1 query"),
        ("passes", "1 pass"),
        ("bytes", "1 byte"),
        ("earlier steps", "1 earlier step"),
    ],
)
def test_counted(plural: str, one: str) -> None:
    assert counted(1, plural) == one
    assert (counted(0, plural), counted(1_234, plural)) == (f"0 {plural}", f"1,234 {plural}")


def test_what_has_no_plural_stays() -> None:
    assert counted(1, "suggested") == "1 suggested"
