"""The operators of summary synthesis (Kettl 2022), and what they cost: measurement is wrapped around them.

Packing and unpacking are the same in all domains; an actor's own operators are methods under `operator`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import msgspec

from drystone.engines.dss.messages import Message, packed
from drystone.logic.terms import Term

_PACKING = ("pack_post", "unpack_post", "pack_vcond", "unpack_vcond")


class OperatorCount(msgspec.Struct):
    """How often an operator was used, how long, and how many bytes it made or read."""

    calls: int = 0
    seconds: float = 0.0
    bytes: int = 0


Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class Operators:
    """Of one block: what packs and unpacks its messages, with calls, seconds and bytes of all; and the seconds in the solver."""

    def __init__(self) -> None:
        self.counts: dict[str, OperatorCount] = {}
        self.solving = 0.0

    def pack_post(self, formulas: Sequence[Term]) -> bytes:
        return self.measured("pack_post", lambda: packed(formulas))

    def unpack_post(self, message: Message) -> list[Term]:
        return self.measured("unpack_post", message.conjuncts, len(message.terms))

    def pack_vcond(self, formulas: Sequence[Term]) -> bytes:
        return self.measured("pack_vcond", lambda: packed(formulas))

    def unpack_vcond(self, message: Message) -> list[Term]:
        return self.measured("unpack_vcond", message.conjuncts, len(message.terms))

    def packing(self) -> float:
        """Seconds of packing and unpacking terms."""
        return sum(count.seconds for name, count in self.counts.items() if name in _PACKING)

    @contextmanager
    def in_solver(self) -> Iterator[None]:
        began = time.process_time()
        try:
            yield
        finally:
            self.solving += time.process_time() - began

    def measured(self, operator: str, action: Callable[[], Result], size: int = 0) -> Result:
        count = self.counts.setdefault(operator, OperatorCount())
        began = time.process_time()
        try:
            result = action()
        finally:
            count.calls += 1
            count.seconds += time.process_time() - began
        count.bytes += len(result) if isinstance(result, bytes) else size
        return result


class _HasOperators(Protocol):
    operators: Operators


Actor = TypeVar("Actor", bound=_HasOperators)


def operator(
    method: Callable[Concatenate[Actor, Parameters], Result],
) -> Callable[Concatenate[Actor, Parameters], Result]:
    """A method that is an operator, by its name."""

    @wraps(method)
    def measured(self: Actor, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        return self.operators.measured(method.__name__, lambda: method(self, *arguments, **named))

    return measured
