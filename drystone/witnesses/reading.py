"""Witnesses as other tools write them: version 2.0, and of versions 0.1, 0.2 and 2.1 what means the same there.

Whatever is not understood is noted (`Read.problems`): nothing of a witness that may restrict what it says is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.base.refusal import Refusal
from drystone.witnesses.form import CORRECTNESS, VIOLATION, Contract, Invariant, Location, Task, Waypoint, Witness
from drystone.witnesses.text import Malformed, Map, entries_of

_VERSIONS = ("", "0.1", "0.2", "2.0", "2.1")
_CONTRACT = "function_contract"
_INVARIANTS = ("loop_invariant", "location_invariant")
_WAYPOINTS = ("assumption", "branching", "function_enter", "function_return", "target")
_C = ("", "C", "c_expression", "ext_c_expression")
"""Formats of expressions that are read as C. Arithmetic of ACSL is that of the integers, and so means something else."""
_CONSTRAINTS = (*_C, "acsl_expression")
"""What a function returns is compared with a constant, which is the same in ACSL."""


class NotAWitness(Refusal):
    """The complete message for people."""


class Read(msgspec.Struct, frozen=True):
    witness: Witness
    problems: tuple[str, ...] = ()  # what is not understood, if anything, with lines of the witness
    producer: str = ""
    is_violation: bool = False


def read_witness(name: str, text: str) -> Read:
    """Raises `NotAWitness`."""
    try:
        return _Reading().read(entries_of(text))
    except Malformed as problem:
        raise NotAWitness(f"{name}: is not a witness: {problem}") from None


class _Reading:
    def __init__(self) -> None:
        self.problems: list[str] = []

    def read(self, entries: list[Map]) -> Read:
        violations = [entry for entry in entries if entry.text("entry_type") == VIOLATION]
        if violations and len(entries) > 1:
            self.problem(entries[1], "it has several entries, and a violation is one")
        segments: tuple[tuple[Waypoint, ...], ...] = ()
        if violations:
            segments = tuple(self.segments(violations[0]))
        invariants: list[Invariant] = []
        contracts: list[Contract] = []
        for entry in entries:
            type_, version = entry.text("entry_type"), entry.map("metadata").text("format_version")
            if not type_:
                raise Malformed(f"line {entry.line}: an entry has no entry_type")
            if version not in _VERSIONS:
                self.problem(entry, f"version {version} is not understood")
            of_type = ("content",) if type_ in (CORRECTNESS, VIOLATION) else ("location", type_)
            self.only(entry, "entry_type", "metadata", *of_type)
            if type_ == CORRECTNESS:
                invariants += self.invariants(entry)
                contracts += self.contracts(entry)
            elif type_ in _INVARIANTS:
                invariants += self.old_invariant(entry)
            elif type_ != VIOLATION:
                self.problem(entry, f"entries of type {type_} are not understood")
        task, producer = self.metadata(entries[0].map("metadata"))
        for entry in entries[1:]:
            if self.metadata(entry.map("metadata"))[0] != task:
                self.problem(entry, "its entries are about several tasks")
        witness = Witness(task, segments, tuple(invariants), tuple(contracts))
        return Read(witness, tuple(dict.fromkeys(self.problems)), producer, bool(violations))

    def problem(self, where: Map, what: str) -> None:
        self.problems.append(f"line {where.line} of the witness: {what}")

    def only(self, told: Map, *known: str) -> None:
        for key in told:
            if key not in known:
                self.problem(told, f"{key} is not understood here")

    def metadata(self, metadata: Map) -> tuple[Task, str]:
        task, producer = metadata.map("task"), metadata.map("producer")
        files, hashes = task.get("input_files") or [], task.map("input_file_hashes")
        files = [files] if isinstance(files, str) else files
        if not isinstance(files, list) or not all(isinstance(each, str) for each in files):
            raise Malformed(f"line {task.line}: input_files is no list of names")
        model = task.text("data_model")
        found = Task(
            tuple(files),
            tuple(hashes.text(file) for file in files),
            " ".join(task.text("specification").split()),
            {"32bit": "ILP32", "64bit": "LP64"}.get(model, model),
        )
        return found, f"{producer.text('name')} {producer.text('version')}".strip()

    def segments(self, entry: Map) -> Iterator[tuple[Waypoint, ...]]:
        targets = []
        if "content" not in entry:
            self.problem(entry, "it has no content, as witnesses before version 2.0")
        for each in entry.maps("content") if "content" in entry else ():
            self.only(each, "segment")
            told = [item.map("waypoint") for item in each.maps("segment")]
            segment = tuple(map(self.waypoint, told))
            if not segment or segment[-1].action != "follow" or any(item.action != "avoid" for item in segment[:-1]):
                self.problem(each, "a segment does not end with its only waypoint that is to be followed")
            targets += [item.type == "target" for item in segment]
            yield segment
        if not targets or not targets[-1] or sum(targets) != 1:
            self.problem(entry, "the last waypoint is not the only target")

    def waypoint(self, told: Map) -> Waypoint:
        type_, action, constraint = told.text("type"), told.text("action"), told.map("constraint")
        self.only(told, "type", "action", "location", "constraint")
        self.only(constraint, "value", "format")
        if type_ not in _WAYPOINTS or action not in ("follow", "avoid"):
            self.problem(told, f"waypoints of type {type_} with action {action} are not understood")
        if constraint.text("format") not in (_CONSTRAINTS if type_ == "function_return" else _C):
            self.problem(told, f"constraints of format {constraint.text('format')} are not understood")
        value = constraint.text("value")
        if bool(value) != (type_ in ("assumption", "branching", "function_return")):
            self.problem(told, f"a waypoint of type {type_} {'with a' if value else 'without'} constraint is not understood")
        return Waypoint(type_, self.location(told), value, action)

    def invariants(self, entry: Map) -> Iterator[Invariant]:
        for each in entry.maps("content"):
            self.only(each, "invariant", "contract")
            told = each.map("invariant")
            if told and told.text("type") != _CONTRACT:
                yield from self.invariant(told, "value")

    def invariant(self, told: Map, value: str) -> Iterator[Invariant]:
        type_, format_ = told.text("type"), told.text("format")
        self.only(told, "type", "location", "format", value)
        if type_ not in _INVARIANTS:
            self.problem(told, f"invariants of type {type_} are not understood")
        elif format_ not in _C:
            self.problem(told, f"invariants of format {format_} are not understood")
        elif not told.text(value):
            self.problem(told, "an invariant has no expression")
        else:
            yield Invariant(type_, self.location(told), told.text(value))

    def contracts(self, entry: Map) -> Iterator[Contract]:
        """Earlier witnesses have them as invariants."""
        for each in entry.maps("content"):
            if "contract" in each:
                yield from self.contract(each.map("contract"))
            if each.map("invariant").text("type") == _CONTRACT:
                yield from self.contract(each.map("invariant"))

    def contract(self, told: Map) -> Iterator[Contract]:
        type_, format_ = told.text("type"), told.text("format")
        self.only(told, "type", "location", "format", "requires", "ensures")
        if type_ != _CONTRACT:
            self.problem(told, f"contracts of type {type_} are not understood")
        elif format_ not in _C:
            self.problem(told, f"contracts of format {format_} are not understood")
        else:
            yield Contract(self.location(told), self.conjuncts(told, "requires"), self.conjuncts(told, "ensures"))

    def conjuncts(self, told: Map, key: str) -> tuple[str, ...]:
        """An expression, or several of them."""
        found = told.get(key)
        if isinstance(found, list) and all(isinstance(each, str) for each in found):
            return tuple(found)
        if not told.text(key):
            self.problem(told, f"a contract has no {key}")
        return (told.text(key),)

    def old_invariant(self, entry: Map) -> Iterator[Invariant]:
        """An entry of version 0.1, whose columns count from 0, which is also written where none is known."""
        told = entry.map(entry.text("entry_type"))
        self.only(told, "string", "type", "format")
        if told.text("type") not in ("", "assertion") or told.text("format") not in _C:
            self.problem(told, f"invariants of format {told.text('format')} and type {told.text('type')} are not understood")
        elif not told.text("string"):
            self.problem(told, "an invariant has no expression")
        else:
            location = self.location(entry)
            column = location.column + 1 if location.column else None
            yield Invariant(entry.text("entry_type"), msgspec.structs.replace(location, column=column), told.text("string"))

    def location(self, told: Map) -> Location:
        location = told.map("location")
        self.only(location, "file_name", "file_hash", "line", "column", "function", "identifier")
        line = location.number("line")
        if line is None:
            raise Malformed(f"line {told.line}: a location without a line")
        return Location(location.text("file_name"), line, location.number("column"), location.text("function"))
