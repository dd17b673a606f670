"""Data races in the interpreter: what threads are about to access, as addresses in the memory of the run.

Two accesses race if they have a byte or a variable in common, one of them writes, and not both are atomic: in an atomic section,
which only the thread that runs can be in, or in an operation on a lock or the like. What cannot be told before the edge is taken
(an address that is an input) is not taken for a race.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from drystone.concrete.code_generation import Exit, Writer
from drystone.concrete.flat_memory import NULL_PAGE, Ended
from drystone.concrete.found_races import Race, RacingAccess
from drystone.concrete.machine import Activation, Machine
from drystone.ir.accesses import WHOLE, Access, accesses
from drystone.ir.automaton import Edge, inputs
from drystone.ir.operations import Skip


class Next(NamedTuple):
    """Where a thread is, and the variables that its next edge uses."""

    thread: int
    exit: Exit
    locals: list[int]
    stack: list[Activation]
    in_section: bool = False


class _Compiled(NamedTuple):
    """An access of an edge, and functions of the machine and of the thread's variables that say whether it happens, and where."""

    edge: Edge
    access: Access
    happens: Callable[[Machine, list[int]], bool]
    address: Callable[[Machine, list[int]], int] | None


class Races:
    """Of one program; `seen` are the variables that all threads share."""

    def __init__(self, seen: Container[str], synchronising: Container[str]) -> None:
        self._seen, self._synchronising = seen, synchronising
        self._known: dict[tuple[str, int], list[_Compiled]] = {}

    def between(self, machine: Machine, mine: Next, others: Iterable[Next]) -> Race | None:
        """A race of the next edge of one thread with that of another one."""
        own = list(self._accesses(machine, mine))
        for other in others if own else ():
            for theirs in self._accesses(machine, other):
                for one in own:
                    if (one.is_write or theirs.is_write) and not (one.is_atomic and theirs.is_atomic):
                        address = _common(one, theirs)
                        if address is not None:
                            return Race(one, theirs, address)
        return None

    def _accesses(self, machine: Machine, next_: Next) -> Iterator[RacingAccess]:
        procedure = next_.exit.code.procedure.name
        is_atomic = next_.in_section or procedure in self._synchronising
        for each in self._compiled(next_.exit):
            try:
                if not each.happens(machine, next_.locals):
                    continue
                address = each.address(machine, next_.locals) if each.address is not None else 0
            except Ended:
                continue  # the edge will end the run itself
            size = each.access.size
            if each.address is not None and size == WHOLE:
                extent = machine.memory.object_at(address)
                size = extent[1] - address if extent is not None else 0
            if each.address is None or (address >= NULL_PAGE and size):
                access = each.access
                calls = [(code.procedure.name, site.enter.edges[-1].origin) for _, site, code, _, _ in reversed(next_.stack)]
                places = ((procedure, each.edge.origin), *calls)
                yield RacingAccess(next_.thread, access.is_write, is_atomic, places, access.name, address, size)

    def _compiled(self, exit: Exit) -> list[_Compiled]:
        key = (exit.code.procedure.name, exit.location)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = [
                _compile(exit, edge, access)
                for edge in exit.code.outgoing[exit.location]
                for access in dict.fromkeys(accesses(edge.operation, self._seen))
                if not any(True for part in (access.guard, access.address) if part is not None for _ in inputs(part))
            ]
        return known


def _compile(exit: Exit, edge: Edge, access: Access) -> _Compiled:
    writer = Writer(exit.code.program_code, exit.code)
    writer.begin(edge, Skip())
    prologue, namespace = ["G, B = M.globals, M.static_blocks"], exit.code.program_code.namespace

    def function(text: str) -> Callable[..., object]:
        return namespace.function("value(M, L)", [*prologue, f"return {text}"])

    happens = function(writer.text(access.guard))
    address = function(writer.text(access.address)) if access.address is not None else None
    return _Compiled(edge, access, happens, address)  # type: ignore[arg-type]


def _common(one: RacingAccess, other: RacingAccess) -> int | None:
    """The first byte that both access, 0 for a variable; None if there is none."""
    if one.variable or other.variable:
        return 0 if one.variable == other.variable else None
    first = max(one.address, other.address)
    return first if first < min(one.address + one.size, other.address + other.size) else None
