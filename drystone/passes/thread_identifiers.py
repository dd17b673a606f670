"""What is computed from identifiers of threads, and from addresses of thread-local objects, is not modelled.

The product of threads (`threads.product`) numbers them by where they are created, the interpreter by when, and the C library
gives them addresses. All of these tell different threads apart, and none is 0 or has all bits set; a program that only moves
identifiers, compares them with each other or with these two, and gives them back does the same with all of them. Anything else
(an order, a difference, an index, a part of the bytes, a text) becomes an unknown location.

Thread-local objects are parts of one array here (decision 031), and lie anywhere in truth, also where those of a thread lay that
has ended. So their addresses are for accesses, and to be compared as pointers by `==`.

Both are followed through variables, calls and memory as points-to analysis tells it apart, whatever the order of statements is.
"""

from __future__ import annotations

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, Mark, MarkKind, Procedure, Program, Unmodelled
from drystone.ir.expressions import Address, Apply, Constant, Expression, Load, Variable
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Assign, Call, CallPointer, Copy, Report, Store, ThreadAction, ThreadOperation
from drystone.logic.sorts import Array, BitVec, Bool
from drystone.memory.pointers.classes import Cell
from drystone.memory.pointsto import PointsTo

_SELF = frozenset(("pthread_self", "thrd_current"))  # in models, others: they only rely on identifiers being small
_TEXT = "text"  # what a function of the library reports that writes a text to memory
_MOVED = frozenset(("zero_extend", "sign_extend", "pointer"))
_Name = tuple[str, str]  # of the procedure, none for a global variable, and of the variable


def without_computed_identifiers(program: Program) -> Program:
    """The program with unknown locations where something is computed from them."""
    variables = (name for each in program.procedures.values() for name in each.variables)
    kinds = (_Flow, _Addresses) if any(map(names.is_thread_number, variables)) else (_Flow,)
    for kind in kinds:
        flow = kind(program)
        flow.reach_fixed_point()
        procedures = {name: _marked(each, flow.computing(each), flow.what) for name, each in program.procedures.items()}
        program = msgspec.structs.replace(program, procedures=procedures)
    return program


def _marked(procedure: Procedure, edges: list[Edge], what: str) -> Procedure:
    if not edges:
        return procedure
    marks = {edge.source: Mark(MarkKind.UNKNOWN, what, edge.origin, unmodelled=Unmodelled.THREADS) for edge in edges}
    return msgspec.structs.replace(procedure, marks={**procedure.marks, **marks})


class _Flow:
    """Which variables and cells of memory may have identifiers."""

    what = "a computation with the identifier of a thread"

    def __init__(self, program: Program) -> None:
        self.program, self.pointers = program, PointsTo(program)
        edges = (edge for procedure in program.procedures.values() for edge in procedure.edges)
        self.has_texts = any(isinstance(edge.operation, Report) and edge.operation.name == _TEXT for edge in edges)
        self.callable = [each for name in program.functions.values() if (each := program.procedures.get(name or "")) is not None]
        self.variables: set[_Name] = set()
        self.cells: set[Cell] = set()  # where one begins
        self.parts: set[Cell] = set()  # all other bytes of one
        self.bytes = program.pointer_width // 8
        self.results = False  # may a thread end with one?

    def reach_fixed_point(self) -> None:
        edges = [(procedure, edge) for procedure in self.program.procedures.values() for edge in procedure.edges]
        while True:
            before = (len(self.variables), len(self.cells), len(self.parts), self.results)
            for procedure, edge in edges:
                self._flow(procedure, edge)
            self.cells = set(map(self.pointers.find, self.cells))
            self.parts = set(map(self.pointers.find, self.parts)) - self.cells
            if before == (len(self.variables), len(self.cells), len(self.parts), self.results):
                return

    def computing(self, procedure: Procedure) -> list[Edge]:
        return [edge for edge in procedure.edges if self._is_computing(procedure, edge)]

    # one edge

    def _flow(self, procedure: Procedure, edge: Edge) -> None:
        match edge.operation:
            case Assign(target, value):
                if self._carries(procedure, value) or self._is_source(value):
                    self._give(procedure, target)
            case Store(address, value):
                if self._carries(procedure, value):
                    self._put(self._cell(procedure, address))
            case Copy(target, source, size):
                self._copy(self._cell(procedure, target), self._cell(procedure, source), size)
            case Call(name, arguments, result):
                self._call(procedure, [self.program.procedures[name]], arguments, result)
            case CallPointer(_, arguments, result):
                self._call(procedure, self.callable, arguments, result)
            case ThreadOperation() as operation:
                self._operate(procedure, operation)

    def _operate(self, procedure: Procedure, operation: ThreadOperation) -> None:
        match operation.action:
            case ThreadAction.CREATE:
                self._begin(procedure, operation.result)
                self._call(procedure, self.callable, operation.arguments[1:], None)
            case ThreadAction.SELF if operation.name in _SELF:
                self._begin(procedure, operation.result)
            case ThreadAction.EXIT:
                self.results |= self._carries(procedure, operation.arguments[0])
            case ThreadAction.JOIN if self.results or any(self._returns(each) for each in self.callable):
                self._give(procedure, operation.result)

    def _begin(self, procedure: Procedure, result: Variable | None) -> None:
        """The result is an identifier."""
        self._give(procedure, result)

    def _is_source(self, value: Expression) -> bool:
        return False

    def _call(
        self, caller: Procedure, callees: list[Procedure], arguments: tuple[Expression, ...], result: Variable | None
    ) -> None:
        for callee in callees:
            for parameter, argument in zip(callee.parameters, arguments, strict=False):
                if self._carries(caller, argument):
                    self._give(callee, parameter)
            if self._returns(callee):
                self._give(caller, result)

    def _copy(self, target: Cell, source: Cell, size: int) -> None:
        """A cell of a node whose offsets count modulo some number may stand for any of them. Of what is copied in part, there are
        only parts."""
        has_stride = bool(self.pointers.nodes[source[0]].stride)
        for node, offset in [*self.cells, *self.parts]:
            if node == source[0] and (has_stride or source[1] <= offset < source[1] + size):
                there = target[0], target[1] + offset - source[1]
                is_whole = has_stride or offset + self.bytes <= source[1] + size
                if (node, offset) in self.cells and is_whole:
                    self._put(there)
                else:
                    self.parts.add(self.pointers.find(there))

    def _put(self, cell: Cell) -> None:
        self.cells.add(self.pointers.find(cell))
        self.parts.update(self.pointers.find((cell[0], cell[1] + each)) for each in range(1, self.bytes))

    def _give(self, procedure: Procedure, target: Variable | None) -> None:
        if target is not None and not names.is_opaque_identifier(target.name):
            self.variables.add(self._name(procedure, target))

    def _name(self, procedure: Procedure, variable: Variable) -> _Name:
        return ("" if variable.name in self.program.variables else procedure.name, variable.name)

    def _cell(self, procedure: Procedure, address: Expression) -> Cell:
        return self.pointers.find(self.pointers.in_procedure(procedure).target(address))

    def _returns(self, procedure: Procedure) -> bool:
        return procedure.result is not None and self._name(procedure, procedure.result) in self.variables

    # expressions

    def _carries(self, procedure: Procedure, expression: Expression) -> bool:
        """May its value be an identifier?"""
        match expression:
            case Variable():
                return self._name(procedure, expression) in self.variables
            case Load(address=address):
                return bool(self.cells) and self._cell(procedure, address) in self.cells
            case Apply("ite", _, (_, first, second)):
                return self._carries(procedure, first) or self._carries(procedure, second)
            case Apply():
                return self._moves(procedure, expression)
            case _:
                return False

    def _moves(self, procedure: Procedure, expression: Apply) -> bool:
        return expression.operator in _MOVED and self._carries(procedure, expression.arguments[0])

    def _is_computing(self, procedure: Procedure, edge: Edge) -> bool:
        return self._is_written_as_text(procedure, edge) or any(
            self._is_computation(procedure, part) for each in expressions_of(edge.operation) for part in subexpressions(each)
        )

    def _is_written_as_text(self, procedure: Procedure, edge: Edge) -> bool:
        """The program has the digits, and how many there are: an identifier is one of the further arguments of some function, and
        a text is made somewhere."""
        match edge.operation:
            case Store(address, value) if self.has_texts and self._carries(procedure, value):
                return any(isinstance(part, Address) and names.is_argument_list(part.target) for part in subexpressions(address))
        return False

    def _is_in_part(self, procedure: Procedure, load: Load) -> bool:
        """Does it read bytes of an identifier, and not just all of them?"""
        if not self.cells:
            return False
        node, offset = start = self._cell(procedure, load.address)
        size = 1 if isinstance(load.sort, Bool | Array) else -(-load.sort.width // 8)
        if start in self.cells and size == self.bytes:
            return False
        touched = {self.pointers.find((node, offset + each)) for each in range(size)}
        return not touched.isdisjoint(self.cells) or not touched.isdisjoint(self.parts)

    def _is_computation(self, procedure: Procedure, expression: Expression) -> bool:
        match expression:
            case Load(address=address):
                return self._carries(procedure, address) or self._is_in_part(procedure, expression)
            case Apply("=", _, (first, second)):
                others = [each for each in (first, second) if not self._carries(procedure, each)]
                return len(others) == 1 and not _is_no_identifier(others[0])
            case Apply(operator, _, arguments) if operator not in _MOVED and operator != "ite":
                return any(self._carries(procedure, each) for each in arguments)
            case _:
                return False


class _Addresses(_Flow):
    """Which ones may have addresses of thread-local objects."""

    what = "a computation with the address of a thread-local object"

    def _begin(self, procedure: Procedure, result: Variable | None) -> None:
        pass

    def _is_source(self, value: Expression) -> bool:
        """The front end computes the address from the number of the thread."""
        if not isinstance(value, Apply):
            return False
        return any(isinstance(part, Variable) and names.is_thread_number(part.name) for part in subexpressions(value))

    def _moves(self, procedure: Procedure, expression: Apply) -> bool:
        match expression:
            case Apply("bvadd", _, (first, second)):
                return self._carries(procedure, first) or self._carries(procedure, second)
            case Apply("bvsub", _, (first, second)):
                return self._carries(procedure, first) and not self._carries(procedure, second)
            case _:
                return super()._moves(procedure, expression)

    def _is_computation(self, procedure: Procedure, expression: Expression) -> bool:
        match expression:
            case Apply("=", _, (Apply("pointer"), Apply("pointer"))) | Load() | Apply("position"):
                return False
            case Apply("=", _, (first, second)):
                others = [each for each in (first, second) if not self._carries(procedure, each)]
                return len(others) == 0 or (len(others) == 1 and not _is_no_identifier(others[0]))
            case Apply() if self._moves(procedure, expression):
                return False
            case _:
                return super()._is_computation(procedure, expression)


def _is_no_identifier(expression: Expression) -> bool:
    """No thread has this one."""
    if not isinstance(expression, Constant) or not isinstance(expression.sort, BitVec):
        return False
    return expression.value in (0, (1 << expression.sort.width) - 1)
