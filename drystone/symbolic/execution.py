"""Transformers: what an acyclic part of an automaton does to a state, as terms.

From a location c with a guard and an environment (a term per variable and memory region), the part of the
automaton up to the next cut points is executed in topological order, right-hand sides evaluated directly
under the current environment. The result has, per cut point d that is reached, the guard under which control
gets there and the environment it then has; and the guards of the error and unknown locations on the way. With
symbols for variables this is the transformer of the region; with terms it is a step of symbolic execution.

Where ways join, values are merged by `ite` on the condition that tells the ways apart, not on whole guards:
a guard is a path of conditions, and the two sides of a diamond share all but one.

Memory is one array per region: `symbolic.region_memory`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

import msgspec

from drystone.ir.automaton import MarkKind, Procedure, Program, inputs
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Reallocate,
    Skip,
    Store,
)
from drystone.logic import terms
from drystone.logic.sorts import BOOL, Array, Sort
from drystone.logic.terms import FALSE, TRUE, Term, ite, make, negate, select, store
from drystone.memory.dataflow import reads_and_writes
from drystone.memory.regions import Regions
from drystone.symbolic.environment import Environment
from drystone.symbolic.region_memory import HEAP, Memory

LOWEST_ADDRESS = 4096
"""Below lies the page of NULL: an access there ends the execution, as in the interpreter."""


Compiled = Callable[[Environment, "SymbolicProgram"], Any]


class Guard:
    """A path of conditions: all of them hold."""

    __slots__ = ("depth", "literal", "parent", "term")

    def __init__(self, parent: Guard | None, literal: Term) -> None:
        self.parent = parent
        self.literal = literal
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.term: Term = literal if parent is None else make("and", BOOL, parent.term, literal)

    def and_(self, condition: Term) -> Guard | None:
        """The guard with one more condition; None where it cannot hold."""
        if condition is TRUE:
            return self
        if condition is FALSE:
            return None
        opposite = negate(condition)
        step: Guard | None = self
        for _ in range(_LOOK_BACK):
            if step is None:
                break
            if step.literal is condition:
                return self
            if step.literal is opposite:
                return None
            step = step.parent
        guard = Guard(self, condition)
        return None if guard.term is FALSE else guard


_LOOK_BACK = 64


def _divergence(a: Guard, b: Guard) -> tuple[Guard, list[Term], list[Term]]:
    """The common part of two guards and the conditions that each has beyond it, outermost first."""
    rest_a: list[Term] = []
    rest_b: list[Term] = []
    x, y = a, b
    while x is not y:
        if x.depth >= y.depth:
            rest_a.append(x.literal)
            assert x.parent is not None
            x = x.parent
        else:
            rest_b.append(y.literal)
            assert y.parent is not None
            y = y.parent
    return x, rest_a[::-1], rest_b[::-1]


class State(msgspec.Struct):
    guard: Guard
    environment: Environment


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
    liveness: dict[bool, tuple[list[str], list[int]]] = {}  # without and with the heap's counter


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
        self.guarded_stores = True  # how memory is merged at joins; otherwise by `ite` on arrays (decision 008)
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
        if inductive and any(isinstance(edge.operation, Allocate) for edge in self.procedure.edges):
            self.sorts[HEAP] = self.pointer
        self.requests: dict[Term, Request] = {}
        self.approximated: set[str] = set()
        self.ite_nodes = 0  # values merged at joins
        self._shared = shared if shared is not None else Shared()
        self._compiled = self._shared.compiled
        self._edge = -1
        self._stamp = ""
        self._live: dict[int, list[str]] = {}
        self._liveness: list[int] | None = None
        self._names: list[str] = []
        self._declared: set[str] = set()
        self._required: list[Term] = []  # addresses that the edge being executed uses
        self._refusals: list[tuple[Term, str]] = []  # when the edge being executed does something that is not modelled
        self._lowest = terms.constant(self.pointer, LOWEST_ADDRESS)

    # inputs

    def refuse(self, condition: Term, what: str) -> None:
        """The edge being executed is not modelled where this holds."""
        if condition is not FALSE:
            self._refusals.append((condition, what))

    def use(self, address: Term) -> None:
        """A load or store at this address."""
        if self.null_ends and (address.operator != "const" or address.payload < LOWEST_ADDRESS):
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
        term: Term = _compile_expression(self, expression)(environment, self)
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
        edges, marks, outgoing = self.procedure.edges, self.procedure.marks, self.outgoing
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
            for position, index in enumerate(indices):
                edge = edges[index]
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
                elif type(edge.operation) is Reallocate:
                    result.refused.append((location, guard, "realloc"))
                    continue
                else:
                    self.compiled(index)(environment, self)
                if self._refusals:
                    for condition, what in self._refusals:
                        refused = guard.and_(condition)
                        if refused is not None:
                            result.refused.append((location, refused, what))
                    self._refusals.clear()
                if self._required:
                    survived = self._survivors(guard)
                    if survived is None:
                        continue
                    guard = survived
                target = edge.target
                table = exits if target in cut_points else pending
                table.setdefault(target, []).append(State(guard, environment))
        for target, states in exits.items():
            result.exits[target] = states[0] if len(states) == 1 else self.merge(states, target)
        return result

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
            function = self._compiled[index] = _compile_operation(self, self.procedure.edges[index].operation)
        return function

    # joins

    def merge(self, states: list[State], location: int) -> State:
        """One state for several exclusive ones; ways that parted last are merged first."""
        states = list(states)
        live = self.live(location)
        while len(states) > 1:
            best = max(range(len(states) - 1), key=lambda i: _common_depth(states[i].guard, states[i + 1].guard))
            states[best : best + 2] = [self._merge_two(states[best], states[best + 1], live)]
        return states[0]

    def _merge_two(self, first: State, second: State, live: list[str] | None) -> State:
        common, rest_a, rest_b = _divergence(first.guard, second.guard)
        if not rest_a or not rest_b:  # one way includes the other: cannot happen for exclusive ways, keep it right anyway
            condition, guard = first.guard.term, Guard(None, make("or", BOOL, first.guard.term, second.guard.term))
        else:
            condition = rest_a[0] if rest_b[0] is negate(rest_a[0]) else terms.conjunction(rest_a)
            if len(rest_a) == 1 and len(rest_b) == 1 and rest_b[0] is negate(rest_a[0]):
                guard = common
            else:
                either = make("or", BOOL, terms.conjunction(rest_a), terms.conjunction(rest_b))
                guard = Guard(common, either) if either is not TRUE else common
        a, b = first.environment, second.environment
        names: Iterable[str] = live if live is not None else {**a, **b}
        merged = Environment(self.sorts)
        for name in names:
            x, y = a[name], b[name]
            if x is y:
                merged[name] = x
            elif self.guarded_stores and type(x.sort) is Array:
                merged[name] = self._merge_arrays(condition, x, y)
            else:
                merged[name] = ite(condition, x, y)
                self.ite_nodes += 1
        return State(guard, merged)

    def _merge_arrays(self, condition: Term, x: Term, y: Term) -> Term:
        """The stores of both sides on what they have in common, each under its condition (decision 008)."""
        above_x, above_y, base = _parted(x, y)
        if base is None:
            self.ite_nodes += 1
            return ite(condition, x, y)
        result = base
        for is_first, stores in ((True, above_x), (False, above_y)):
            for place, value in stores:
                old = select(result, place)
                self.ite_nodes += 1
                result = store(result, place, ite(condition, value, old) if is_first else ite(condition, old, value))
        return result

    def live(self, location: int) -> list[str] | None:
        """The variables and regions whose values matter at a location; None: not computed, the program is too large."""
        if self._liveness is None:
            known = self._shared.liveness.get(self.inductive)
            if known is None:
                known = self._shared.liveness[self.inductive] = _liveness(self)
            self._names, self._liveness = known
        if not self._liveness:
            return None
        names = self._live.get(location)
        if names is None:
            names = self._live[location] = []
            bits = bin(self._liveness[location])[:1:-1]
            place = bits.find("1")
            while place >= 0:
                names.append(self._names[place])
                place = bits.find("1", place + 1)
        return names


def _parted(x: Term, y: Term) -> tuple[list[tuple[Term, Term]], list[tuple[Term, Term]], Term | None]:
    """The stores, oldest first, by which two arrays differ from the same one; None if there is none within reach."""
    stores_x: list[tuple[Term, Term]] = []
    below_x = {x: 0}
    while x.operator == "store" and len(stores_x) < _MOST_STORES:
        x, place, value = x.arguments
        stores_x.append((place, value))
        below_x[x] = len(stores_x)
    stores_y: list[tuple[Term, Term]] = []
    while y not in below_x:
        if y.operator != "store" or len(stores_y) >= _MOST_STORES:
            return [], [], None
        y, place, value = y.arguments
        stores_y.append((place, value))
    return stores_x[: below_x[y]][::-1], stores_y[::-1], y


_MOST_STORES = 32


def _common_depth(a: Guard, b: Guard) -> int:
    while a is not b:
        if a.depth >= b.depth:
            assert a.parent is not None
            a = a.parent
        else:
            assert b.parent is not None
            b = b.parent
    return a.depth


# compiling operations into functions that build terms


class _Code:
    """The text of a function and the objects it mentions.

    Everything but operators is such an object, names of variables as well: so operations of the same shape have the same text,
    in copies of a function above all, and Python compiles it once.
    """

    def __init__(self, program: SymbolicProgram) -> None:
        self.program = program
        self.objects: dict[str, Any] = {"make": make}

    def name(self, value: object) -> str:
        name = f"k{len(self.objects)}"
        self.objects[name] = value
        return name

    def text(self, expression: Expression) -> str:
        match expression:
            case Variable(name):
                return f"E[{self.name(name)}]"
            case Constant(sort, value):
                return self.name(terms.constant(sort, value))
            case Address(target):
                return self.name(self.program.memory.address(target))
            case Input(index, sort):
                return f"P.fresh({self.name(expression)}, {self.name(f'{index}:{expression.name}')}, {self.name(sort)})"
            case Load(sort, address):
                region = self.program.regions.of(address, sort)
                return f"P.memory.load(P, E, {self.name(region)}, {self.text(address)}, {self.name(sort)})"
            case Apply(operator, sort, arguments):
                parts = ", ".join(self.text(argument) for argument in arguments)
                return f"make({operator!r}, {self.name(sort)}, {parts})"

    def function(self, body: str) -> Compiled:
        return FunctionType(_code_of(body), self.objects)


@lru_cache(maxsize=50_000)
def _code_of(body: str) -> CodeType:
    module = compile(f"def function(E, P):\n    {body}\n", "<operation>", "exec")
    code: CodeType = module.co_consts[0]
    return code


def _compile_expression(program: SymbolicProgram, expression: Expression) -> Compiled:
    code = _Code(program)
    return code.function(f"return {code.text(expression)}")


def _compile_operation(program: SymbolicProgram, operation: Operation) -> Compiled:
    code = _Code(program)
    match operation:
        case Assume(condition):
            return code.function(f"return {code.text(condition)}")
        case Assign(target, value):
            return code.function(f"E[{code.name(target.name)}] = {code.text(value)}")
        case Store(address, value):
            region = program.regions.of(address, value.sort)
            return code.function(f"P.memory.store(P, E, {code.name(region)}, {code.text(address)}, {code.text(value)})")
        case Copy(target_address, source, _):
            return code.function(f"P.memory.copy(P, E, {code.name(operation)}, {code.text(target_address)}, {code.text(source)})")
        case Fill(target_address, byte, _):
            return code.function(f"P.memory.fill(P, E, {code.name(operation)}, {code.text(target_address)}, {code.text(byte)})")
        case Declare(name):
            object_ = program.procedure.objects[name]
            return code.function(f"P.memory.declare(P, E, {code.name(object_)})")
        case Allocate(target, size, zeroed):
            body = f"size = {code.text(size)}; base = P.memory.allocate(P, E, size, {operation.align})"
            body += f"; E[{code.name(target.name)}] = base"
            if zeroed:
                body += f"; P.memory.clear(P, E, {code.name(target)}, base, size)"
            return code.function(body)
        case Free(address):
            return code.function(code.text(address))
        case Skip():
            return code.function("return None")
        case _:
            raise ValueError(f"symbolic execution works on programs without calls, not on {operation}")


# liveness

_LARGEST_LIVENESS = 1_500_000_000  # bits


def _liveness(program: SymbolicProgram) -> tuple[list[str], list[int]]:
    """Per location the variables and regions that may be read before they are assigned, as bits; empty if too large."""
    names = list(program.sorts)
    locations = program.procedure.locations
    if len(names) * locations > _LARGEST_LIVENESS:
        return names, []
    bit = {name: 1 << index for index, name in enumerate(names)}
    uses: list[int] = []
    kills: list[int] = []
    for edge in program.procedure.edges:
        reads, writes = reads_and_writes(edge.operation, program.regions)
        use = 0
        for name in reads:
            use |= bit.get(name, 0)
        kill = 0
        if isinstance(edge.operation, Allocate):
            use |= bit.get(HEAP, 0)
        if isinstance(edge.operation, (Assign, Allocate)):
            kill = bit.get(edge.operation.target.name, 0)
        else:
            for name in writes:
                use |= bit.get(name, 0)  # a region is changed in part: its old value matters
        uses.append(use)
        kills.append(~kill)
    live = [0] * locations
    incoming: list[list[int]] = [[] for _ in range(locations)]
    for index, edge in enumerate(program.procedure.edges):
        incoming[edge.target].append(index)
    work = list(range(locations))
    queued = [True] * locations
    while work:
        location = work.pop()
        queued[location] = False
        for index in incoming[location]:
            source = program.procedure.edges[index].source
            new = live[source] | uses[index] | (live[location] & kills[index])
            if new != live[source]:
                live[source] = new
                if not queued[source]:
                    queued[source] = True
                    work.append(source)
    return names, live
