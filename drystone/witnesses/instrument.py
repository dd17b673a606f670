"""From a witness and a program to a program whose verification validates the witness.

Invariants and contracts become assertions: if none fails and the property holds, each of them holds. The waypoints of a violation
become a counter, which grows when the one that is next is passed, and an error counts where the target is next: an execution that
reaches it is one that the witness stands for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from drystone.base.regex import regex
from drystone.claims.property import error_marks, functions_of_marks
from drystone.frontend.clang import kinds
from drystone.frontend.load import load
from drystone.frontend.options import FrontendOptions
from drystone.ir.automaton import ErrorKind, Mark, Program
from drystone.ir.conventions import ERROR_FUNCTIONS, names_any_value
from drystone.witnesses.contract_probes import insert_contract
from drystone.witnesses.form import Invariant, Location, Waypoint, Witness
from drystone.witnesses.places import NotValidated, Unsuitable
from drystone.witnesses.probes import PREFIX, Probed, check_effects, checked_expression, with_absolute_includes
from drystone.witnesses.syntax import LABELS, LOOPS, Element

_AT = f"{PREFIX}at"
_FAILED = f"{PREFIX}failed_"
_HOLDS = f"{PREFIX}holds"
_RESULT = f"{PREFIX}result"
_RETURNED = regex(r"\\result\s*(==|!=|<=|>=|<|>)\s*(.+)")
_PLAIN = regex(r"\s*(==|!=|<=|>=|<|>)\s*[-\w.()+ ]*")
"""A comparison with a number."""
_MOST_WAYPOINTS = 2_000
_FEW = 4


class Instrumented(msgspec.Struct, frozen=True):
    """What is to be verified instead of the program."""

    files: list[str]
    options: FrontendOptions
    failures: dict[tuple[str, int], Invariant] = {}  # by the file and line of the error: which invariant does not hold
    evaluating: frozenset[tuple[str, int]] = frozenset()  # files and lines where something of the witness may be undefined
    has_threads: bool = False


class _Writing:
    """The files of a program with probes, in a folder of their own."""

    def __init__(self, files: Sequence[str], options: FrontendOptions, folder: Path) -> None:
        if options.compile_commands is not None:
            raise NotValidated("a program with a compile_commands.json: give its options by -I and -D")
        self.files, self.options, self.folder = list(files), options, folder
        self.probed = {file: Probed(file, options) for file in files}
        self.declared: list[str] = []

    def file_of(self, location: Location) -> Probed:
        """By the longest part of its path that only one of the files has."""
        wanted = Path(location.file).parts
        for length in range(len(wanted), 0, -1):
            found = [file for file in self.files if Path(file).parts[-length:] == wanted[-length:]]
            if len(found) == 1:
                return self.probed[found[0]]
        raise Unsuitable(f"{location.file} is not one of the files of the program")

    def written(self) -> tuple[list[str], FrontendOptions]:
        """Raises `Unsuitable` where an expression has an effect."""
        header = self.folder / f"{PREFIX}declarations.h"
        header.write_text("\n".join(self.declared) + "\n")
        options = msgspec.structs.replace(self.options, include_files=(*self.options.include_files, str(header)))
        made = []
        for number, (file, probed) in enumerate(self.probed.items()):
            place = self.folder / str(number) / Path(file).name
            place.parent.mkdir()
            place.write_bytes(with_absolute_includes(probed.text(), file))
            made.append(str(place))
            check_effects(str(place), options, probed)
        return made, options

    def loaded(self, made: Sequence[str], options: FrontendOptions) -> Program:
        """The program that was written, without anything of the files as they were."""
        program = load(list(made), options).program
        given = set(map(os.path.realpath, self.files))
        again = next((file for file in program.files if os.path.realpath(file) in given), None)
        if again is not None:
            raise NotValidated(f"{Path(again).name} is also included by a file of the program")
        return program

    def evaluating(self, made: Sequence[str]) -> frozenset[tuple[str, int]]:
        pairs = zip(made, self.probed.values(), strict=True)
        return frozenset((file, line) for file, probed in pairs for line in probed.evaluating_lines)


def with_invariants(witness: Witness, files: Sequence[str], options: FrontendOptions, folder: Path) -> Instrumented:
    """Raises `Unsuitable`, `NotValidated`, `FrontendError`."""
    writing = _Writing(files, options, folder)
    if options.data_race:
        raise NotValidated("invariants of a program whose property is about data races")
    if options.checks:
        raise NotValidated("invariants of a program that is checked for more than its assertions, as they are not")
    failing, options = _failing(load(list(files), options).program, writing)
    writing.options = options
    numbers: dict[tuple[str, int], Invariant] = {}

    def failing_for(probed: Probed, claimed: Invariant) -> str:
        name = f"{_FAILED}{len(numbers)}"
        writing.declared.append(f"static void {name}(void);")
        line = probed.append(f"static void {name}(void) {{ {failing} }}", name)
        numbers[probed.syntax.path, line] = claimed
        return name

    for each in witness.invariants:
        probed = writing.file_of(each.location)
        condition = probed.condition(f"({checked_expression(each.value, each.location)})")
        check = f"{condition} ? (void)0 : {failing_for(probed, each)}()"
        if each.type == "loop_invariant":
            probed.at_loop_head(probed.places.loop_at(each.location), check)
        else:
            probed.before_statement(probed.places.statement_at(each.location), check)
    for contract in witness.contracts:
        probed = writing.file_of(contract.location)
        insert_contract(probed, contract, failing_for)
    made, options = writing.written()
    new = writing.loaded(made, options)
    failing_functions = {name for mark, name in functions_of_marks(new).items() if mark in set(error_marks(new))}
    if any(name.startswith(_FAILED) and name not in failing_functions for name in new.procedures):
        raise NotValidated(f"{failing} is no error at the end of the file")
    places = dict(zip(files, made, strict=True))
    failures = {(places[path], line): each for (path, line), each in numbers.items()}
    return Instrumented(made, options, failures, writing.evaluating(made), new.has_threads)


def _failing(program: Program, writing: _Writing) -> tuple[str, FrontendOptions]:
    """A statement that is an error of the kind that the program has, or else it would change which errors count."""
    options = writing.options
    marks = error_marks(program)
    if options.error_function is not None:
        return f"{options.error_function}();", options
    if any(each.convention is ErrorKind.CALL for each in marks):
        for name in ERROR_FUNCTIONS:
            if any(each.name == name for probed in writing.probed.values() for each in probed.syntax.elements):
                return f"{name}();", options
        raise NotValidated("the error function is called in none of the given files")
    if any(each.convention is ErrorKind.LABEL for each in marks):
        return "ERROR: ;", options
    writing.declared.append(f"extern void {_HOLDS}(int);")
    return f"{_HOLDS}(0);", msgspec.structs.replace(options, asserting=(*options.asserting, _HOLDS))


def with_waypoints(
    witness: Witness, files: Sequence[str], options: FrontendOptions, folder: Path, *, is_forced: bool
) -> Instrumented:
    """`is_forced`: functions that return any value return what the waypoint that is next says, and operands are evaluated from
    left to right; these executions are among those that the witness stands for, and are found at once.

    Raises `Unsuitable`, `NotValidated`, `FrontendError`.
    """
    if options.data_race:
        raise NotValidated("a violation of a program whose property is about data races")
    if len(witness.segments) > _MOST_WAYPOINTS:
        raise NotValidated(f"it has more than {_MOST_WAYPOINTS} segments")
    writing = _Writing(files, msgspec.structs.replace(options, left_to_right=is_forced), folder)
    program = load(list(files), options).program
    if program.has_threads:
        raise NotValidated("a violation of a program with threads")
    waypoints = _Waypoints(writing, witness, is_forced)
    waypoints.insert()
    target = waypoints.insert_target(program)
    made, options = writing.written()
    places = dict(zip(files, made, strict=True))
    new = writing.loaded(made, options)
    marks = error_marks(new)
    kept = [each for each in marks if new.place(each.origin)[0] == places[target.path] and _is_in(each, *_found(places, target))]
    if not kept:
        raise Unsuitable("the statement of the target has no error")
    passed_over = tuple(new.identify(each) for each in marks if each not in kept)
    options = msgspec.structs.replace(options, passed_over=(*options.passed_over, *passed_over))
    return Instrumented(made, options, evaluating=writing.evaluating(made))


class _Target(msgspec.Struct, frozen=True):
    """What counts as the error, in the text that was made: between these words."""

    path: str
    start: str
    end: str


def _found(places: dict[str, str], target: _Target) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the target stands in the text that was made: line and column of begin and end."""
    text = Path(places[target.path]).read_bytes()
    offset = text.index(target.start.encode())
    end = text.index(target.end.encode(), offset)
    return tuple((text.count(b"\n", 0, each) + 1, each - text.rfind(b"\n", 0, each)) for each in (offset, end))  # type: ignore[return-value]


def _is_in(mark: Mark, first: tuple[int, int], last: tuple[int, int]) -> bool:
    return first <= (mark.origin.line, mark.origin.column) < last


_Link = tuple[int, str]
"""The number of a segment, and what is done while it is the next one, as the begin of a conditional expression."""


def _decided(links: list[_Link]) -> str:
    """One expression of them all, of which a visit evaluates only a few: a long execution has a thousand, and as many visits."""
    numbers = sorted({number for number, _ in links})
    if len(numbers) <= _FEW:
        return " : ".join([*(text for _, text in links), "(void)0"])
    middle = numbers[len(numbers) // 2]
    earlier, later = ([each for each in links if (each[0] < middle) is is_earlier] for is_earlier in (True, False))
    return f"{_AT} < {middle} ? ({_decided(earlier)}) : ({_decided(later)})"


class _Waypoints:
    """Each place gets conditional expressions, of which a visit takes one at most: so the next waypoint is passed at another
    visit."""

    def __init__(self, writing: _Writing, witness: Witness, is_forced: bool) -> None:
        self.writing, self.witness, self.is_forced = writing, witness, is_forced
        self.last = len(witness.segments) - 1
        self.chains: dict[tuple[str, int], tuple[Probed, str, Element, list[_Link]]] = {}
        self.forced: dict[int, list[_Link]] = {}
        self.defined = {each.function for probed in writing.probed.values() for each in probed.syntax.elements}

    def insert(self) -> None:
        self.writing.declared.append(f"extern int {_AT};")
        self.writing.probed[self.writing.files[0]].append(f"int {_AT} = 0;")
        for index, segment in enumerate(self.witness.segments):
            for waypoint in segment:
                if waypoint.type != "target":
                    self._take(index, waypoint)
        for number, (probed, kind, element, links) in enumerate(self.chains.values()):
            self._place(number, probed, kind, element, _decided(links))

    def _take(self, index: int, waypoint: Waypoint) -> None:
        probed = self.writing.file_of(waypoint.location)
        then = f"(void)({_AT} = {index + 1})" if waypoint.action == "follow" else "__builtin_abort()"
        kind, element, constraint = self._meaning(probed, waypoint)
        condition = f"{_AT} == {index}" + (f" && ({constraint})" if constraint else "")
        if waypoint.type in ("assumption", "function_return"):
            plain = waypoint.type == "function_return" and _PLAIN.fullmatch(constraint.removeprefix(_RESULT))
            probed.condition(condition, is_plain=bool(plain))
        links = self.chains.setdefault((kind, id(element)), (probed, kind, element, []))[3]
        links.append((index, f"{condition} ? {then}"))
        if kind == "return" and self.is_forced and waypoint.action == "follow" and constraint.startswith(f"{_RESULT} == "):
            if names_any_value(element.name) and element.name not in self.defined:
                value = constraint.removeprefix(f"{_RESULT} == ")
                self.forced.setdefault(id(element), []).append((index, f"{_AT} == {index} ? (void)({_RESULT} = {value})"))

    def _meaning(self, probed: Probed, waypoint: Waypoint) -> tuple[str, Element, str]:
        """Where the chain belongs, and what must hold there."""
        where = waypoint.location
        match waypoint.type:
            case "assumption":
                return "before", probed.places.statement_at(where), checked_expression(waypoint.value, where)
            case "function_return":
                match = _RETURNED.fullmatch(waypoint.value.strip())
                if match is None:
                    raise NotValidated(f"{waypoint.value!r} is no comparison of \\result with a constant")
                call = probed.places.call_at(where)
                return "return", call, f"{_RESULT} {match[1]} {checked_expression(match[2], where)}"
            case "function_enter":
                call = probed.places.call_at(where)
                if any(each.parent is call for each in probed.syntax.elements):
                    raise NotValidated(f"line {where.line}: entering a function whose arguments call others")
                return "enter", call, ""
            case _:
                return "branch", probed.places.branching_at(where), self._branch(probed.places.branching_at(where), waypoint)

    def _branch(self, element: Element, waypoint: Waypoint) -> str:
        value = waypoint.value.strip().lower()
        if element.kind == kinds.SWITCH_STMT:
            if not re.fullmatch(r"-?\d+", value):
                raise NotValidated(f"line {waypoint.location.line}: the branch {value!r} of a switch")
            return f"{_RESULT} == {value}"
        if value not in ("true", "false"):
            raise Unsuitable(f"line {waypoint.location.line}: a branch is true or false, not {value!r}")
        return _RESULT if value == "true" else f"!{_RESULT}"

    def _place(self, number: int, probed: Probed, kind: str, element: Element, chain: str) -> None:
        match kind:
            case "before":
                probed.before_statement(element, chain)
            case "enter":
                probed.wrap(element.start, element.end, f"({chain}, ", ")")
            case "return":
                forced = self.forced.get(id(element))
                first = f"{_decided(forced)}; " if forced else ""
                before = f"({{ __auto_type {_RESULT} = "
                probed.wrap(element.start, element.end, before, f"; {first}{chain}; {_RESULT}; }})")
            case _ if element.kind == kinds.SWITCH_STMT:
                start, end = probed.parentheses(element)
                probed.wrap(start, end, f"({{ __auto_type {_RESULT} = +(", f"); {chain}; {_RESULT}; }})", is_condition=True)
            case _:
                name = f"{PREFIX}branch_{number}"
                self.writing.declared.append(f"static int {name}(int);")
                probed.append(f"static int {name}(int {_RESULT}) {{ {chain}; return {_RESULT}; }}", name)
                self._at_branch(probed, element, name)

    def _at_branch(self, probed: Probed, element: Element, name: str) -> None:
        text = probed.syntax.text
        if element.kind == kinds.CONDITIONAL:
            _, start, end = element.parts[0]
            if len(element.parts) != 3:
                raise NotValidated(f"the condition in line {probed.line(element)} is also a result")
            probed.wrap(start, end, f"{name}((", ") ? 1 : 0)", is_condition=True)
            return
        start, end = probed.for_condition(element) if element.kind == kinds.FOR_STMT else probed.parentheses(element)
        if text[start:end].strip():
            probed.wrap(start, end, f"{name}((", ") ? 1 : 0)", is_condition=True)
        else:
            probed.wrap(start, end, f"{name}(1)")

    def insert_target(self, program: Program) -> _Target:
        """The statement counts as a copy of its own, which is executed where the target is next."""
        target = self.witness.segments[-1][-1]
        probed = self.writing.file_of(target.location)
        statement, convention = self._error_statement(probed, target.location, program)
        if convention is ErrorKind.LABEL:
            return self._insert_target_label(probed, statement, program)
        if statement.kind in (*LOOPS, kinds.IF_STMT, kinds.SWITCH_STMT, kinds.COMPOUND_STMT, kinds.DECL_STMT):
            raise NotValidated(f"line {target.location.line}: an error in a declaration or in the condition of a statement")
        own = probed.syntax.text[statement.start : statement.end].decode(errors="surrogateescape")
        start = f"if ({_AT} == {self.last}) {{ "
        probed.wrap(statement.start, statement.end, f"{start}{own}; }} else ", is_statement=True)
        return _Target(probed.syntax.path, start, "} else ")

    def _insert_target_label(self, target: Probed, label: Element, program: Program) -> _Target:
        """An assertion behind the label, which makes labels no errors any more. An execution ends at the others, and where the
        target is not next, as it does at an error."""
        writing, start, end = self.writing, f"{_AT} == {self.last} ? {_HOLDS}(0)", " : __builtin_abort()"
        for probed in writing.probed.values():
            for each in _statements_of_errors(probed, program):
                if (probed, each) == (target, label):
                    probed.after_label(each, f"{start}{end};")
                else:
                    probed.after_label(each, "__builtin_abort();")
        writing.declared.append(f"extern void {_HOLDS}(int);")
        writing.options = msgspec.structs.replace(writing.options, asserting=(*writing.options.asserting, _HOLDS))
        return _Target(target.syntax.path, start, end)

    def _error_statement(self, probed: Probed, location: Location, program: Program) -> tuple[Element, ErrorKind | None]:
        statements = _statements_of_errors(probed, program)

        def there(where: Location) -> Element:
            for statement in statements:
                starts = [statement.start]
                around = statement.parent
                while around is not None and (around.kind in LABELS or _begins_with(around, starts[-1])):
                    starts.append(around.start)
                    around = around.parent
                positions = [probed.syntax.position(each) for each in starts]
                if where.function in ("", statement.function) and any(
                    line == where.line and where.column in (None, column) for line, column in positions
                ):
                    return statement
            raise Unsuitable(f"{Path(where.file).name}:{where.line}: no error is there")

        statement = probed.places.either(location, there)
        return statement, statements[statement]


def _statements_of_errors(probed: Probed, program: Program) -> dict[Element, ErrorKind | None]:
    """The statements of a file in which the program has an error."""
    syntax = probed.syntax
    found: dict[Element, ErrorKind | None] = {}
    for mark in error_marks(program):
        if mark.origin.file >= 0 and program.files[mark.origin.file] == syntax.path:
            origin = mark.origin
            span = syntax.offset(origin.line, origin.column), syntax.offset(origin.end_line, origin.end_column)
            statement = syntax.statement_around(*span)
            if statement is not None:
                found[statement] = mark.convention
    return found


def _begins_with(block: Element, start: int) -> bool:
    """Is this the block's first statement?"""
    return block.kind == kinds.COMPOUND_STMT and block.parent is not None and block.parts[0][1] == start
