"""The witness of a proof: what its certificate says of loops, as C expressions over the variables in scope.

An invariant belongs to a location of the automaton, a statement of the witness to a place of the text. They are the same where
the location is where the evaluation of the place begins (`_Places`): all that leads there comes from outside, all that goes on
from there is inside. A function that is inlined several times has several such locations, and the witness says what holds at one
of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from drystone.claims.certificates import Certificate, ContractsCertificate, InductiveCertificate, KInductiveCertificate
from drystone.frontend.clang import kinds
from drystone.frontend.options import FrontendOptions
from drystone.ir.automaton import Edge, Procedure, Program
from drystone.logic.terms import Term
from drystone.passes.inline import MAX_EDGES
from drystone.pipeline import PreparedProgram
from drystone.symbolic.source_names import Wording
from drystone.witnesses.contracts import contracts_of
from drystone.witnesses.form import Invariant, Location, Task, Witness
from drystone.witnesses.syntax import LOOPS, Element, Syntax

_LONGEST = 400
"""Characters of an alternative over copies of a loop; what is longer, nobody reads."""


def correctness_witness(
    prepared: PreparedProgram, certificate: Certificate | None, options: FrontendOptions, task: Task
) -> Witness:
    """What is claimed of executions that are all bounded, or the same, has no place in the text: then there are no invariants."""
    if isinstance(certificate, ContractsCertificate):
        return Witness(task, contracts=tuple(contracts_of(prepared.program, certificate, options, task)))
    if not isinstance(certificate, (InductiveCertificate, KInductiveCertificate)) or prepared.program.has_threads:
        return Witness(task)
    flat = prepared.flat(recursion_bound=certificate.recursion, max_edges=MAX_EDGES, sliced=False)
    wording = Wording(flat.symbolic(inductive=True))
    claimed = {each.location: each.conjuncts() for each in certificate.invariants}
    found: list[Invariant] = []
    for path in dict.fromkeys(task.files):
        if path in flat.program.files:
            syntax = Syntax(path, options)
            places = _Places(syntax, flat.program, flat.program.files.index(path))
            for type_, element, locations in places.of(claimed):
                said = [list(_expressions(wording, syntax, element, each, claimed.get(each, ()))) for each in locations]
                where = Location(path, *syntax.position(element.start), element.function)
                found += [Invariant(type_, where, text) for text in _alternatives(said)]
    return Witness(task, invariants=tuple(found))


def _expressions(wording: Wording, syntax: Syntax, place: Element, location: int, formulas: Sequence[Term]) -> Iterator[str]:
    """What C has an expression for, with names that mean the same there."""
    # the variables of its header are known where a loop begins again
    offset = syntax.for_header(place)[1][0] if place.kind == kinds.FOR_STMT and syntax.for_header(place) else place.start
    program = wording.symbolic.program
    for formula in formulas:
        if program.has_slots and _is_about_addresses(program, formula):
            continue  # where they lie in proofs about memory, they lie nowhere else
        said = wording.in_scope(location, formula)
        if said is not None and all(_means(syntax, program, *name, offset, place.function) for name in said.names):
            yield said.text


def _is_about_addresses(program: Program, formula: Term) -> bool:
    variables = {**program.variables, **program.procedures[program.entry].variables}
    stack = [formula]
    while stack:
        term = stack.pop()
        if term.operator == "state" and ((known := variables.get(term.payload)) is None or "*" in known.ctype):
            return True
        stack.extend(term.arguments)
    return False


def _means(syntax: Syntax, program: Program, plain: str, own: str, offset: int, function: str) -> bool:
    """Is the name that of the variable which drystone calls so?"""
    which = syntax.known_as(plain, offset, function)
    is_global = own == plain and (plain in program.variables or plain in program.objects)
    if which == 0:
        return is_global
    return not is_global and own == (plain if which == 1 else f"{plain}#{which}")


def _alternatives(copies: list[list[str]]) -> list[str]:
    """What is said of each copy, and that what else is said of one of them holds."""
    common = [each for each in dict.fromkeys(copies[0]) if all(each in copy for copy in copies[1:])]
    rest = [[each for each in copy if each not in common] for copy in copies]
    if all(rest):
        texts = list(dict.fromkeys(" && ".join(f"({each})" for each in copy) for copy in rest))
        text = " || ".join(f"({each})" if len(each.split(" && ")) > 1 else each for each in texts)
        if len(text) <= _LONGEST:
            return [*common, text]
    return common


class _Places:
    """Places of one file and locations of an automaton without calls."""

    def __init__(self, syntax: Syntax, program: Program, file: int) -> None:
        self.syntax, self.file = syntax, file
        self.procedure: Procedure = program.procedures[program.entry]
        self.outgoing = self.procedure.outgoing()
        self.incoming: list[list[Edge]] = [[] for _ in range(self.procedure.locations)]
        for edge in self.procedure.edges:
            self.incoming[edge.target].append(edge)
        self._spans = {edge.origin: self._span(edge) for edge in self.procedure.edges}

    def of(self, locations: Iterable[int]) -> Iterator[tuple[str, Element, list[int]]]:
        """Places where one of the locations is, with all the locations that are there."""
        wanted = set(locations)
        seen: set[tuple[int, int, str]] = set()
        for element in self.syntax.elements:
            type_ = "loop_invariant" if element.kind in (kinds.WHILE_STMT, kinds.FOR_STMT) else "location_invariant"
            if not element.is_statement or self.syntax.keyword_at(element) is None:
                continue
            if type_ == "location_invariant" and not self._is_label_or_body(element):
                continue
            region = self.syntax.first_evaluated(element, self._is_evaluated, is_head=True)
            there = self._beginning(region, element.function) if region is not None else []
            if region is not None and wanted.intersection(there) and (*region, type_) not in seen:
                seen.add((*region, type_))
                yield type_, element, there

    def _is_label_or_body(self, element: Element) -> bool:
        """What control comes back to without a head of a loop: behind a label, and the body of a `do`.

        What holds before a `do` evaluates its condition is another matter, so it has no invariant as a loop.
        """
        above = element.parent
        if above is None or element.kind == kinds.COMPOUND_STMT or element.kind in LOOPS:
            return False
        if above.kind == kinds.LABEL_STMT:
            return True
        if above.kind == kinds.COMPOUND_STMT and above.parts and above.parts[0][1:] == (element.start, element.end):
            return above.parent is not None and above.parent.kind == kinds.DO_STMT
        return above.kind == kinds.DO_STMT and above.body == (element.start, element.end)

    def _span(self, edge: Edge) -> tuple[int, int] | None:
        origin = edge.origin
        if origin.file != self.file:
            return None
        return self.syntax.offset(origin.line, origin.column), self.syntax.offset(origin.end_line, origin.end_column)

    def _is_in(self, edge: Edge, region: tuple[int, int]) -> bool:
        span = self._spans[edge.origin]
        return span is not None and region[0] <= span[0] and span[1] <= region[1]

    def _is_evaluated(self, start: int, end: int) -> bool:
        return any(self._is_in(edge, (start, end)) for edge in self.procedure.edges)

    def _beginning(self, region: tuple[int, int], function: str) -> list[int]:
        """The locations, one for each activation of the function, where the evaluation of the region begins."""
        sources = {edge.source for edge in self.procedure.edges if self._is_in(edge, region)}
        return [
            each
            for each in sorted(sources)
            if self.procedure.call_path(each)[-1] == function
            and all(self._is_in(edge, region) for edge in self.outgoing[each])
            and not any(self._comes_from_inside(edge, region) for edge in self.incoming[each])
        ]

    def _comes_from_inside(self, edge: Edge, region: tuple[int, int]) -> bool:
        """From the evaluation of the region itself, be it in a function that it calls."""
        before, here = (self._frame(each) for each in (edge.source, edge.target))
        if before == here:
            return self._is_in(edge, region)
        return before not in self._callers(here)

    def _frame(self, location: int) -> int:
        return self.procedure.frame_of[location] if self.procedure.frame_of is not None else 0

    def _callers(self, frame: int) -> set[int]:
        found = set()
        while (frame := self.procedure.frames[frame].parent) >= 0:
            found.add(frame)
        return found
