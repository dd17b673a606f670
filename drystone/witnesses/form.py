"""What a witness consists of (Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl, Strejček 2024).

A violation witness is a sequence of segments; an execution that it stands for passes the waypoint that a segment ends with, and
none that the segment says to avoid, then those of the next one. A correctness witness is a set of invariants and contracts.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from drystone.base.version import __version__

FORMAT_VERSION, WITH_CONTRACTS = "2.0", "2.1"
VIOLATION, CORRECTNESS = "violation_sequence", "invariant_set"


class Location(msgspec.Struct, frozen=True):
    """A position in the text of a file; columns count bytes from 1."""

    file: str
    line: int
    column: int | None  # None: the first place of the line that is suitable
    function: str = ""


class Waypoint(msgspec.Struct, frozen=True):
    type: str  # assumption, branching, function_enter, function_return, target
    location: Location
    value: str = ""  # the constraint: a C expression, true or false, `\\result == 3`
    action: str = "follow"  # or avoid


class Invariant(msgspec.Struct, frozen=True):
    type: str  # loop_invariant, location_invariant
    location: Location
    value: str


class Contract(msgspec.Struct, frozen=True):
    """Of a function: what holds at every call, and what holds when it returns from one, each as conjuncts."""

    location: Location  # of its definition
    requires: tuple[str, ...]
    ensures: tuple[str, ...]  # `\\result` is what it returns, `\\at(x, Old)` what it was called with


class Task(msgspec.Struct, frozen=True):
    """What a witness is about."""

    files: tuple[str, ...]
    hashes: tuple[str, ...]
    specification: str
    data_model: str


class Witness(msgspec.Struct, frozen=True):
    task: Task
    segments: tuple[tuple[Waypoint, ...], ...] = ()  # of a violation, else none
    invariants: tuple[Invariant, ...] = ()
    contracts: tuple[Contract, ...] = ()

    @property
    def is_violation(self) -> bool:
        return bool(self.segments)


def task_of(files: Sequence[str], specification: str, data_model: str) -> Task:
    """The task with the hashes of its files."""
    hashes = []
    for file in files:
        with open(file, "rb") as text:
            hashes.append(hashlib.sha256(text.read()).hexdigest())
    return Task(tuple(files), tuple(hashes), specification, data_model)


def witness_text(witness: Witness, now: datetime | None = None) -> str:
    """The text of the file."""
    import yaml

    task = witness.task
    entry: dict[str, Any] = {
        "entry_type": VIOLATION if witness.is_violation else CORRECTNESS,
        "metadata": {
            "format_version": WITH_CONTRACTS if witness.contracts else FORMAT_VERSION,
            "uuid": str(uuid.uuid4()),
            "creation_time": (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "producer": {"name": "drystone", "version": __version__},
            "task": {
                "input_files": list(task.files),
                "input_file_hashes": dict(zip(task.files, task.hashes, strict=True)),
                "specification": task.specification,
                "data_model": task.data_model,
                "language": "C",
            },
        },
        "content": [
            *map(_segment, witness.segments),
            *map(_invariant, witness.invariants),
            *map(_contract, witness.contracts),
        ],
    }
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump([entry], Dumper=dumper, sort_keys=False, width=1_000_000, allow_unicode=True))


def _segment(waypoints: tuple[Waypoint, ...]) -> dict[str, Any]:
    return {"segment": [{"waypoint": _waypoint(each)} for each in waypoints]}


def _waypoint(waypoint: Waypoint) -> dict[str, Any]:
    told: dict[str, Any] = {"type": waypoint.type, "action": waypoint.action}
    if waypoint.value:
        told["constraint"] = {"value": waypoint.value}
        if waypoint.type == "assumption":
            told["constraint"]["format"] = "c_expression"
        elif waypoint.type == "function_return":
            told["constraint"]["format"] = "acsl_expression"
    return told | {"location": _location(waypoint.location)}


def _invariant(invariant: Invariant) -> dict[str, Any]:
    told = {"type": invariant.type, "location": _location(invariant.location)}
    return {"invariant": told | {"value": invariant.value, "format": "c_expression"}}


def _contract(contract: Contract) -> dict[str, Any]:
    told = {"type": "function_contract", "location": _location(contract.location)}
    clauses = {"requires": _conjunction(contract.requires), "ensures": _conjunction(contract.ensures)}
    return {"contract": told | clauses | {"format": "ext_c_expression"}}


def _conjunction(conjuncts: Sequence[str]) -> str:
    return conjuncts[0] if len(conjuncts) == 1 else " && ".join(f"({each})" for each in conjuncts) or "1"


def _location(location: Location) -> dict[str, Any]:
    told: dict[str, Any] = {"file_name": location.file, "line": location.line}
    if location.column is not None:
        told["column"] = location.column
    return told | ({"function": location.function} if location.function else {})
