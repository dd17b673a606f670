"""Numbers of things in messages for people: `1 query`, `2 queries`."""

from __future__ import annotations


def counted(count: int, plural: str) -> str:
    """`plural`: what is counted, as a regular plural; its last word changes where there is one."""
    return f"{count:,} {singular(plural) if count == 1 else plural}"


def singular(plural: str) -> str:
    if plural.endswith("ies"):
        return f"{plural[:-3]}y"
    return plural[:-2] if plural.endswith("sses") else plural.removesuffix("s")
