"""Transformers: what an acyclic part of an automaton does to a state, as terms.

From a location c with a guard and an environment (a term per variable and memory region), the part of the
automaton up to the next cut points is executed in topological order, right-hand sides evaluated directly
under the current environment. The result has, per cut point d that is reached, the guard under which control
gets there and the environment it then has; and the guards of the error and unknown locations on the way. With
symbols for variables this is the transformer of the region; with terms it is a step of symbolic execution.

Where ways join, states are merged (`symbolic.joins`). Memory is one array per region (`symbolic.region_memory`).
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.concrete.flat_memory import NULL_PAGE
from drystone.ir.automaton import MarkKind, Procedure, Program, inputs
from drystone.ir.expressions import Expression, Input
from drystone.ir.operations import Allocate, Assume, Reallocate
from drystone.logic import terms
from drystone.logic.sorts import BOOL, Sort
from drystone.logic.terms import FALSE, TRUE, Term, make
from drystone.memory.regions import Regions
from drystone.symbolic.environment import Environment
from drystone.symbolic.heap_objects import SIZES, sizes_sort
from drystone.symbolic.joins import Joins
from drystone.symbolic.liveness import Liveness, liveness
from drystone.symbolic.operation_code import Compiled, compile_expression, compile_operation
from drystone.symbolic.region_memory import HEAP, Memory
from drystone.symbolic.states import Guard, State


class Step(msgspec.Struct):
    """What happened between two cut points."""

    stamp: str
    exits: dict[int, State] = {}
    errors: list[tuple[int, Guard]] = []
    unknowns: list[tuple[int, Guard]] = []
    refused: list[tuple[int, Guard, str]] = msgspec.field(
        default_factory=list
    )  # what symbolic execution does not model, and when
    reached: dict[int, Guard] = {}  # every location that was executed


class Request(msgspec.Struct, frozen=True):
    """An input symbol and the place that asked for it."""

    edge: int  # index in the procedure
    input: Input | None  # None: contents of memory
    stamp: str


class Shared(msgspec.Struct):
    """What does not depend on how a program is executed; for all symbolic programs of one program."""

    compiled: dict[int, Compiled] = {}  # per edge
    liveness: dict[bool, Liveness] = {}  # without and with the heap's counter


class SymbolicProgram:
    """A program of one procedure, ready for symbolic execution."""

    def __init__(
        self,
        program: Program,
        regions: Regions,
        null_ends: bool = False,
        inductive: bool = False,
        shared: Shared | None = None,
        anywhere: bool = False,
    ) -> None:
        """`null_ends`: an execution that dereferences a null pointer ends there. Only counterexamples may rely on that: it is
        undefined behaviour, after which a proof must count on anything, so for proofs execution goes on with any value.

        `inductive`: steps start from any state, not only from the initial one, so nothing may rely on what was executed before.

        `anywhere`: objects whose addresses the program computes with lie anywhere, as `memory.constraints` allow.
        """
        self.program = program
        self.regions = regions
        self.null_ends = null_ends
        self.inductive = inductive
        self.procedure: Procedure = program.procedures[program.entry]
        self.pointer = program.pointer
        self.outgoing: list[list[int]] = [[] for _ in range(self.procedure.locations)]
        for index, edge in enumerate(self.procedure.edges):
            self.outgoing[edge.source].append(index)
        self.sorts: dict[str, Sort] = {}
        for variable in (*program.variables.values(), *self.procedure.variables.values()):
            self.sorts[variable.name] = variable.sort
        self.memory = Memory(program, regions, anywhere)
        self.sorts.update(self.memory.sorts)
        kinds = {type(edge.operation) for edge in self.procedure.edges}
        if inductive and not program.has_slots and not kinds.isdisjoint((Allocate, Reallocate)):
            self.sorts[HEAP] = self.pointer
        if Reallocate in kinds:
            self.sorts[SIZES] = sizes_sort(self.pointer)
        self.requests: dict[Term, Request] = {}
        self.approximated: set[str] = set()
        self.joins = Joins(self.sorts)
        self._shared = shared if shared is not None else Shared()
        self._compiled = self._shared.compiled
        self._edge = -1
        self._stamp = ""
        self._liveness: Liveness | None = None
        self._declared: set[str] = set()
        self._required: list[Term] = []  # addresses that the edge being executed uses
        self._refusals: list[tuple[Term, str]] = []  # when the edge being executed does something that is not modelled
        self._lowest = terms.constant(self.pointer, NULL_PAGE)

    # inputs

    def refuse(self, condition: Term, what: str) -> None:
        """The edge being executed is not modelled where this holds."""
        if condition is not FALSE:
            self._refusals.append((condition, what))

    def use(self, address: Term) -> None:
        """A load or store at this address: in the page of NULL, it ends the execution, as in the interpreter."""
        if self.null_ends and (address.operator != "const" or address.payload < NULL_PAGE):
            self._required.append(make("bvule", BOOL, self._lowest, address))

    def fresh(self, request: Input | None, what: str, sort: Sort) -> Term:
        """The input symbol of a place in the current step."""
        term = terms.input_symbol(f"{self.place()}:{what}", sort)
        known = self.requests.get(term)
        if known is None:
            self.requests[term] = Request(self._edge, request, self._stamp)
        else:
            assert known.input == request, f"{request} and {known.input} are different inputs"
        return term

    def place(self) -> str:
        """A name for the edge that is being executed in this step."""
        return f"{self._stamp}:{self._edge}"

    # the start

    def initial(self) -> State:
        """The state in which the program starts."""
        self._stamp, self._edge = "start", -1
        environment = Environment(self.sorts)
        taken: set[Input] = set()
        for name, value in self.program.initial.items():
            asked = set(inputs(value))
            assert not asked & taken, f"{name} would start with the value of another variable"
            taken |= asked
            environment[name] = self.value(value, environment)
        self.memory.initialise(self, environment)
        if HEAP in self.sorts:
            environment[HEAP] = terms.constant(self.pointer, self.memory.heap)
        return State(Guard(None, TRUE), environment)

    def symbolic(self) -> State:
        """Any state: every variable and region is a state variable."""
        return State(Guard(None, TRUE), Environment(self.sorts))

    def value(self, expression: Expression, environment: Environment) -> Term:
        term: Term = compile_expression(expression, self.memory, self.regions)(environment, self)
        return term

    # execution

    def order(self, start: int, cut_points: frozenset[int]) -> list[int]:
        """The locations between `start` and the next cut points in topological order, `start` first, cut points left out."""
        seen = {start}
        finished: list[int] = []
        stack: list[tuple[int, Iterator[int]]] = [(start, iter(self.outgoing[start]))]
        while stack:
            location, remaining = stack[-1]
            for index in remaining:
                target = self.procedure.edges[index].target
                if target not in seen and target not in cut_points:
                    seen.add(target)
                    stack.append((target, iter(self.outgoing[target])))
                    break
            else:
                finished.append(location)
                stack.pop()
        return finished[::-1]

    def step(
        self,
        start: int,
        state: State,
        order: list[int],
        cut_points: frozenset[int],
        stamp: str,
        allowed: frozenset[int] | None = None,
    ) -> Step:
        """Executes from a cut point up to the next ones. `order` is `self.order(start, cut_points)`; `allowed`: only along
        these edges."""
        result = Step(stamp)
        marks, outgoing = self.procedure.marks, self.outgoing
        pending: dict[int, list[State]] = {start: [state]}
        exits: dict[int, list[State]] = {}
        self._stamp = stamp
        for location in order:
            incoming = pending.pop(location, None)
            if incoming is None:
                continue
            current = incoming[0] if len(incoming) == 1 else self.merge(incoming, location)
            result.reached[location] = current.guard
            mark = marks.get(location)
            if mark is not None:
                if mark.kind is MarkKind.ERROR:
                    result.errors.append((location, current.guard))
                elif mark.kind is MarkKind.UNKNOWN:
                    result.unknowns.append((location, current.guard))
                continue
            indices = outgoing[location]
            if allowed is not None:
                indices = [index for index in indices if index in allowed]
            for target, successor in self._successors(location, current, indices, result):
                table = exits if target in cut_points else pending
                table.setdefault(target, []).append(successor)
        for target, states in exits.items():
            result.exits[target] = states[0] if len(states) == 1 else self.merge(states, target)
        return result

    def _successors(self, location: int, current: State, indices: list[int], result: Step) -> Iterator[tuple[int, State]]:
        """Takes these edges from a location: the targets that can be reached, and the states there."""
        for position, index in enumerate(indices):
            edge = self.procedure.edges[index]
            self._edge = index
            guard, environment = current.guard, current.environment
            if type(edge.operation) is Assume:
                condition = self.compiled(index)(environment, self)
                assert condition is not None
                if self._required and position == 0:  # both branches read the same addresses
                    survived = self._survivors(guard)
                    if survived is None:
                        break
                    current.guard = guard = survived
                self._required.clear()
                narrowed = guard.and_(condition)
                if narrowed is None:
                    continue
                guard = narrowed
                if position + 1 < len(indices):
                    environment = environment.copy()
            else:
                self.compiled(index)(environment, self)
            if self._refusals:
                self._note_refusals(location, guard, result)
            if self._required:
                survived = self._survivors(guard)
                if survived is None:
                    continue
                guard = survived
            yield edge.target, State(guard, environment)

    def _note_refusals(self, location: int, guard: Guard, result: Step) -> None:
        for condition, what in self._refusals:
            refused = guard.and_(condition)
            if refused is not None:
                result.refused.append((location, refused, what))
        self._refusals.clear()

    def _survivors(self, guard: Guard) -> Guard | None:
        """The guard for executions that dereference no null pointer on this edge."""
        result: Guard | None = guard
        for condition in self._required:
            result = result.and_(condition) if result is not None else None
        self._required.clear()
        return result

    def is_first(self, name: str) -> bool:
        """Does the lifetime of this local object start for the first time since the entry?"""
        if self.inductive or name in self._declared:
            return False
        self._declared.add(name)
        return True

    def compiled(self, index: int) -> Compiled:
        function = self._compiled.get(index)
        if function is None:
            operation = self.procedure.edges[index].operation
            function = compile_operation(operation, self.memory, self.regions, self.procedure.objects)
            self._compiled[index] = function
        return function

    # joins

    def merge(self, states: list[State], location: int) -> State:
        """One state for several exclusive ones."""
        return self.joins.merge(states, self.live(location))

    def live(self, location: int) -> list[str] | None:
        """The variables and regions whose values matter at a location; None: not computed, the program is too large."""
        if self._liveness is None:
            known = self._shared.liveness.get(self.inductive)
            if known is None:
                names = list(self.sorts)
                known = self._shared.liveness[self.inductive] = Liveness(names, liveness(self.procedure, self.regions, names))
            self._liveness = known
        return self._liveness.at(location)
