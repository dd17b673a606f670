"""Which thread is waited for, where the program shows it: engines need not find out what identifiers are in memory.

A thread is created once, and its identifier is stored; the thread that has created it loads it from there and waits. If whatever
else may write there cannot happen after the creation, then the identifier is that one, once the thread has been created.
"""

from __future__ import annotations

from drystone.ir.automaton import Edge
from drystone.ir.expressions import Expression, Load, Variable
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Assign, Store, ThreadAction, ThreadOperation
from drystone.threads.instances import Instance, Instances
from drystone.threads.sharing import Sharing


def known_joins(instances: Instances, sharing: Sharing) -> dict[tuple[int, int], int]:
    """Per thread and location of a wait: the thread, if it is known and has been created."""
    writers = _writers(instances, sharing)
    known: dict[tuple[int, int], int] = {}
    for instance in instances.threads:
        stored = _stored(instance, sharing, writers)
        if not stored:
            continue
        incoming = _incoming(instance)
        for edge in instance.automaton.edges:
            address = _joined_address(edge, incoming)
            if address is not None and address in stored:
                known[instance.number, edge.source] = stored[address]
    return known


def _writers(instances: Instances, sharing: Sharing) -> dict[str, list[tuple[int, Edge]]]:
    """Per cell of memory: what may write it, and the thread that does."""
    writers: dict[str, list[tuple[int, Edge]]] = {}
    for instance in instances.threads:
        for edge in instance.automaton.edges:
            for name in sharing.writes(edge.operation):
                writers.setdefault(name, []).append((instance.number, edge))
    return writers


def _stored(instance: Instance, sharing: Sharing, writers: dict[str, list[tuple[int, Edge]]]) -> dict[Expression, int]:
    """Where the identifiers of threads that this one creates are, from then on for ever."""
    stored: dict[Expression, int] = {}
    for location, created in instance.creates.items():
        (creation,) = instance.outgoing[location]
        following = instance.outgoing[creation.target]
        if len(created) != 1 or len(following) != 1:
            continue
        store, operation = following[0].operation, creation.operation
        if not isinstance(store, Store) or not isinstance(operation, ThreadOperation) or store.value != operation.result:
            continue
        cell = sharing.cell(store.address, store.value.sort)
        others = [(number, edge) for number, edge in writers[cell] if edge is not following[0]]
        later = _reachable(instance, following[0].target)
        if _is_constant(store.address) and all(n == instance.number and edge.source not in later for n, edge in others):
            stored[store.address] = created[0]
    return stored


def _joined_address(edge: Edge, incoming: dict[int, list[Edge]]) -> Expression | None:
    """Where the identifier is that a wait is about: loaded on the only way to it, behind which there is no creation."""
    operation = edge.operation
    if not isinstance(operation, ThreadOperation) or operation.action is not ThreadAction.JOIN:
        return None
    (thread,) = operation.arguments
    before = incoming.get(edge.source, [])
    while len(before) == 1:
        match before[0].operation:
            case Assign(variable, Load(address=address)) if variable == thread:
                return address
            case Assign(variable) if variable == thread:
                return None
            case ThreadOperation(action=ThreadAction.CREATE):
                return None
        before = incoming.get(before[0].source, [])
    return None


def _is_constant(address: Expression) -> bool:
    return not any(isinstance(part, (Variable, Load)) for part in subexpressions(address))


def _incoming(instance: Instance) -> dict[int, list[Edge]]:
    incoming: dict[int, list[Edge]] = {}
    for edge in instance.automaton.edges:
        incoming.setdefault(edge.target, []).append(edge)
    return incoming


def _reachable(instance: Instance, start: int) -> set[int]:
    reached, waiting = {start}, [start]
    while waiting:
        for edge in instance.outgoing[waiting.pop()]:
            if edge.target not in reached:
                reached.add(edge.target)
                waiting.append(edge.target)
    return reached
