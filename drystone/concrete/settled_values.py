"""Variables and expressions with where their values come from: see `concrete.determinism`."""

from __future__ import annotations

from collections.abc import Sequence

from drystone.concrete.address_origins import LivingObjects
from drystone.concrete.code_generation import ProcedureCode, ProgramCode
from drystone.concrete.inputs import bit_width
from drystone.concrete.machine import Machine
from drystone.concrete.origins import CHOSEN, SETTLED, MemoryOrigins, NotSettled, Value
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable, byte_size
from drystone.ir.operations import Call, CallPointer
from drystone.logic import semantics
from drystone.logic.floats import extended_from_memory, is_extended
from drystone.logic.sorts import EXTENDED, BitVec, Bool, Sort


class VariableOrigins:
    """Where the values of variables come from. `here`: whose variables the current edge is about."""

    def __init__(self, code: ProgramCode, machine: Machine) -> None:
        self.code = code
        self.machine = machine
        self.here: ProcedureCode = machine.code
        self.globals: list[int] = [SETTLED] * len(code.layout.global_slot)
        self.locals: list[int] = [SETTLED] * len(self.here.frame.blank)  # of the current activation
        self.callers: list[tuple[list[int], Edge, ProcedureCode]] = []
        for parameter in self.here.procedure.parameters:
            self.locals[self.here.frame.slot[parameter.name]] = CHOSEN

    def origin(self, name: str) -> int:
        slot = self.here.frame.slot.get(name)
        return self.locals[slot] if slot is not None else self.globals[self.code.layout.global_slot[name]]

    def value(self, name: str) -> int:
        """In this run."""
        slot = self.here.frame.slot.get(name)
        return int(self.machine.locals[slot] if slot is not None else self.machine.globals[self.code.layout.global_slot[name]])

    def address(self, target: str) -> int:
        """Where an object or a function is, in this run."""
        is_local = target in self.here.frame.offset
        return self.machine.locals[0] + self.here.frame.offset[target] if is_local else self.code.layout.address(target)

    def assign(self, target: Variable, origin: int) -> None:
        slot = self.here.frame.slot.get(target.name)
        if slot is not None:
            self.locals[slot] = origin
        else:
            self.globals[self.code.layout.global_slot[target.name]] = origin

    def enter(self, edge: Edge, given: Sequence[tuple[Sort, int]]) -> None:
        """The machine has taken this call, with arguments of these sorts and origins."""
        self.callers.append((self.locals, edge, self.here))
        self.here = self.machine.code
        self.locals = [SETTLED] * len(self.here.frame.blank)
        for position, parameter in enumerate(self.here.procedure.parameters):
            sort, origin = given[position] if position < len(given) else (None, CHOSEN)
            self.locals[self.here.frame.slot[parameter.name]] = _passed(origin, sort, parameter.sort)

    def leave(self) -> None:
        """The machine has returned from the current activation."""
        given = self.here.procedure.result
        origin = self.origin(given.name) if given is not None else CHOSEN
        self.locals, edge, self.here = self.callers.pop()
        operation = edge.operation
        assert isinstance(operation, Call | CallPointer)
        if operation.result is not None:
            self.assign(operation.result, _passed(origin, given.sort if given else None, operation.result.sort))


class Values:
    """Evaluates the expressions of one edge, before it is taken. Raises `NotSettled`."""

    def __init__(self, machine: Machine, variables: VariableOrigins, bytes_: MemoryOrigins, objects: LivingObjects) -> None:
        self.machine = machine
        self.variables = variables
        self.bytes = bytes_
        self.objects = objects
        self.edge: Edge | None = None
        self.is_reported = False  # does what was printed last have a result that is settled?

    def settled(self, expression: Expression, what: str) -> int:
        """Its value, the same in every run."""
        value, origin = self.value(expression)
        if origin != SETTLED:
            raise NotSettled(what, self.edge)
        return value

    def place(self, address: Expression, size: int) -> int:
        """Where an access goes: within one object, whatever was chosen."""
        place, base = self.value(address)
        if base == CHOSEN:
            raise NotSettled("the address of an access", self.edge)
        found = self.machine.memory.object_at(place)
        if found is None or place + size > found[1] or (base != SETTLED and base != found[0]):
            raise NotSettled("an access outside of the object", self.edge)
        return place

    def value(self, expression: Expression) -> Value:
        match expression:
            case Constant(_, value):
                return value, SETTLED
            case Variable(name):
                origin = self.variables.origin(name)
                return (0, CHOSEN) if origin == CHOSEN else (self.variables.value(name), origin)
            case Address(target):
                base = self.variables.address(target)
                return base, base
            case Input():
                known = self.machine.environment.known(expression) if self.is_reported else None
                return (known[-1] & (1 << bit_width(expression.sort)) - 1, SETTLED) if known else (0, CHOSEN)
            case Load(sort, address):
                return self._load(sort, address)
            case Apply("and" | "or" | "ite"):
                return self._lazy(expression)
            case Apply():
                return self._apply(expression)

    def _load(self, sort: Sort, address: Expression) -> Value:
        size = byte_size(sort)
        place = self.place(address, size)
        marks = self.bytes.marked(place, size)
        base: int = SETTLED
        if marks == self.bytes.address_word:
            base = self.bytes.words[place]
        elif any(marks):
            return 0, CHOSEN
        assert self.edge is not None
        value = int.from_bytes(self.machine.memory.read(place, size, self.edge), "little")
        match sort:
            case Bool():
                value = int(value != 0)
            case BitVec(width):
                value &= (1 << width) - 1
        if sort == EXTENDED:
            return (extended_from_memory(value), base) if is_extended(value) else (0, CHOSEN)
        return value, base

    def _lazy(self, expression: Apply) -> Value:
        condition, *rest = expression.arguments
        value, origin = self.value(condition)
        if origin != SETTLED:
            for each in rest:
                self.value(each)  # what it reads must be there in any case
            return 0, CHOSEN
        if expression.operator == "ite":
            return self.value(rest[0] if value else rest[1])
        return self.value(rest[0]) if bool(value) is (expression.operator == "and") else (value, SETTLED)

    def _apply(self, expression: Apply) -> Value:
        operands = [self.value(argument) for argument in expression.arguments]
        origins = [origin for _, origin in operands]
        if CHOSEN in origins:
            return 0, CHOSEN
        base: int = SETTLED
        if any(origin != SETTLED for origin in origins):
            base = self.objects.origin(expression.operator, operands)
            if base == CHOSEN:
                return 0, CHOSEN
        sorts = tuple([argument.sort for argument in expression.arguments])
        return semantics.function(expression.operator, expression.sort, sorts)(*(value for value, _ in operands)), base


def _passed(origin: int, given: Sort | None, wanted: Sort) -> int:
    """Of a value that is passed where another sort may be expected."""
    if given is None:
        return CHOSEN
    return origin if origin == SETTLED or given == wanted else CHOSEN
