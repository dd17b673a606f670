"""What the text of steps calls where a value may be any (None)."""

from __future__ import annotations

from collections.abc import Callable, Mapping


class NotRepresented(Exception):
    """The search has come to something that states of this kind cannot tell. The message is for people."""


def load(array: tuple[int | None, ...], cells: Mapping[int, int], address: int | None) -> int | None:
    return None if address is None else array[cells[address]]


def load_told(array: tuple[int | None, ...], cells: Mapping[int, int], address: int | None) -> int | None:
    cell = cells.get(address) if address is not None else None
    return None if cell is None else array[cell]


def store(
    array: tuple[int | None, ...], cells: Mapping[int, int], address: int | None, value: int | None
) -> tuple[int | None, ...]:
    """What is not in a cell is not tracked."""
    if address is None:
        return (None,) * len(array)
    cell = cells.get(address)
    return array if cell is None else (*array[:cell], value, *array[cell + 1 :])


def both(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return None if first is not False and second is not False and first != 0 and second != 0 else 0
    return first and second


def either(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return 1 if first or second else None
    return first or second


def choose(condition: int | None, yes: int | None, no: int | None) -> int | None:
    if condition is None:
        return yes if yes == no else None
    return yes if condition else no


def stop(what: str) -> None:
    raise NotRepresented(what)


FUNCTIONS: dict[str, Callable[..., object]] = {
    "both": both,
    "either": either,
    "choose": choose,
    "stop": stop,
    "store": store,
    "load": load,
    "load_told": load_told,
}
