"""What is chosen by its name: engines, solvers, summaries, decompositions, sources of candidates.

A registry is a dictionary from names to entries. It knows what to tell people about each of them, and where it is; importing a
registry imports nothing of what it lists, so that `--help` is fast and a run pays for what it uses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class Entry(Generic[T]):
    __slots__ = ("about", "place")

    def __init__(self, about: str, place: str) -> None:
        self.about = about  # one line for people: in --help and in README.md
        self.place = place  # module:name

    def load(self) -> T:
        """Imports it. That it is of its registry's type, tests/test_registries.py sees."""
        module, _, name = self.place.partition(":")
        return cast(T, getattr(import_module(module), name))


def told(registry: Mapping[str, Entry[Any]]) -> dict[str, str]:
    """What people are told about each of them."""
    return {name: entry.about for name, entry in registry.items()}


class UnknownName(ValueError):
    """Says which name of a list is not known, and which are."""


def named(place: str) -> Any:
    """What a user has written, by `module:NAME`. An `UnknownName` if it is not there."""
    module, _, name = place.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise UnknownName(f"{place!r} is not of the form module:NAME")
    try:
        return Entry[Any]("", place).load()
    except (ImportError, AttributeError) as problem:
        raise UnknownName(f"there is no {place!r}: {problem}") from None


def names_in(text: str, known: Collection[str], what: str) -> tuple[str, ...]:
    """As in `affine,guards`; or `none`."""
    names = tuple(name for name in text.split(",") if name and name != "none")
    for name in names:
        if name not in known:
            raise UnknownName(f"no {what} {name!r}; there are {', '.join(known)}")
    return names
