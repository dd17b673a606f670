"""The state of a run in symbols: who reads a variable or a piece of memory gets the symbol of what was written there last."""

from __future__ import annotations

from collections.abc import Callable

from drystone.concrete.code_generation import ProcedureCode
from drystone.concrete.machine import Machine
from drystone.ir.expressions import (
    Address,
    Apply,
    Constant,
    Expression,
    Input,
    Load,
    Variable,
    byte_size,
)
from drystone.logic import terms
from drystone.logic.evaluation import evaluate_one
from drystone.logic.sorts import EXTENDED, BitVec, Bool, Float, Sort, bitvec
from drystone.logic.terms import Term, make

Key = tuple[str, int, str]
"""Of a variable: "global" or nothing, the number of the activation, its name."""


def _nothing(anything: object) -> Term:
    raise AssertionError(anything)


class Values:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.variables: dict[Key, Term] = {}
        self.bytes: dict[int, tuple[Term, int]] = {}  # by address: the bits that were written there, and which byte of them
        self.concrete: dict[Term, int] = {}  # what symbols are in the execution
        self._count = 0

    def fresh(self, what: str, sort: Sort) -> Term:
        self._count += 1
        return terms.input_symbol(f"{what}@{self._count}", sort)

    def evaluated(self, term: Term) -> int:
        return term.payload if term.operator == "const" else evaluate_one(term, self.concrete, default=0)

    # variables

    def key(self, variable: Variable, code: ProcedureCode, activation: int) -> Key:
        return ("", activation, variable.name) if variable.name in code.frame.slot else ("global", 0, variable.name)

    def variable_value(self, variable: Variable, code: ProcedureCode, locals_: list[int]) -> int:
        slot = code.frame.slot.get(variable.name)
        layout = code.program_code.layout
        return int(locals_[slot] if slot is not None else self.machine.globals[layout.global_slot[variable.name]])

    def variable(self, variable: Variable, code: ProcedureCode, activation: int, locals_: list[int]) -> Term:
        known = self.variables.get(self.key(variable, code, activation))
        return known if known is not None else terms.constant(variable.sort, self.variable_value(variable, code, locals_))

    def assign(self, key: Key, variable: Variable, code: ProcedureCode, locals_: list[int]) -> Term:
        """A symbol for what the variable holds from here on."""
        symbol = self.variables[key] = self.fresh(variable.name, variable.sort)
        self.concrete[symbol] = self.variable_value(variable, code, locals_)
        return symbol

    # memory

    def address(self, target: str, code: ProcedureCode, locals_: list[int]) -> int:
        offset = code.frame.offset.get(target)
        return code.program_code.layout.address(target) if offset is None else int(locals_[0]) + offset

    def load(self, address: int, sort: Sort) -> Term:
        bits = self.load_bytes(address, byte_size(sort))
        match sort:
            case Bool():
                return terms.negate(terms.equal(bits, terms.constant(bits.sort, 0)))
            case Float():
                kept = terms.extract(bits, sort.width - 1, 0) if sort != EXTENDED else _extended(bits)
                return make("fp.from_bits", sort, kept)
            case _:
                return terms.extract(bits, sort.width - 1, 0)  # type: ignore[union-attr]

    def load_bytes(self, address: int, size: int) -> Term:
        """As bits, the first byte lowest."""
        first = self.bytes.get(address)
        if first is not None and first[1] == 0 and terms.width(first[0]) == 8 * size:
            if all(self.bytes.get(address + at) == (first[0], at) for at in range(1, size)):
                return first[0]
        found = self._byte(address)
        for at in range(1, size):
            found = terms.concat(self._byte(address + at), found)
        return found

    def _byte(self, address: int) -> Term:
        known = self.bytes.get(address)
        if known is not None:
            return terms.extract(known[0], 8 * known[1] + 7, 8 * known[1])
        held = self.machine.memory.peek(address, 1)
        return terms.constant(bitvec(8), held[0] if held else 0)

    def store(self, address: int, value: Term) -> Term:
        """A symbol, of the value's sort, for what is in memory from here on."""
        symbol = self.fresh("memory", value.sort)
        self.concrete[symbol] = self.evaluated(value)
        bits = _bits(symbol)
        for at in range(terms.width(bits) // 8):
            self.bytes[address + at] = bits, at
        return symbol

    def forget(self, address: int, size: int) -> None:
        """These bytes are from here on what they are in the execution."""
        if size < len(self.bytes):
            for at in range(address, address + size):
                self.bytes.pop(at, None)
        else:
            self.bytes = {at: known for at, known in self.bytes.items() if not address <= at < address + size}

    def size_behind(self, base: int) -> int:
        """Of the object that begins there; 0 if there is none."""
        found = self.machine.memory.object_at(base)
        return found[1] - found[0] if found is not None else 0

    def forget_object(self, base: int) -> None:
        self.forget(base, self.size_behind(base))

    def move_object(self, old: int, size: int, new: int) -> None:
        """realloc has made a new object, with the bytes of the old one that both have; if `new` is 0, it has not."""
        if new == 0:
            return
        moved = {at - old: known for at, known in self.bytes.items() if old <= at < old + min(size, self.size_behind(new))}
        self.forget_object(new)
        self.bytes |= {new + offset: known for offset, known in moved.items()}

    # expressions

    def term(
        self,
        expression: Expression,
        variable: Callable[[Variable], Term],
        address: Callable[[str], int] = _nothing,  # type: ignore[assignment]
        placed: Callable[[Term], int] = _nothing,  # type: ignore[assignment]
        given: Callable[[Input], Term] = _nothing,
    ) -> Term:
        """`placed`: where a load looks, in the execution."""
        match expression:
            case Variable():
                return variable(expression)
            case Constant(sort, value):
                return terms.constant(sort, value)
            case Address(target, sort):
                return terms.constant(sort, address(target))
            case Input():
                return given(expression)
            case Load(sort, where):
                return self.load(placed(self.term(where, variable, address, placed, given)), sort)
            case Apply(operator, sort, arguments):
                parts = [self.term(each, variable, address, placed, given) for each in arguments]
                return make(operator, sort, *parts)


def _bits(value: Term) -> Term:
    """As it lies in memory."""
    match value.sort:
        case Bool():
            one, zero = terms.constant(bitvec(8), 1), terms.constant(bitvec(8), 0)
            return terms.ite(value, one, zero)
        case Float():
            bits = make("fp.to_bits", bitvec(value.sort.width), value)
            return _extended_in_memory(bits) if value.sort == EXTENDED else bits
        case BitVec(width) if width % 8:
            return terms.resize(value, 8 * byte_size(value.sort))
        case _:
            return value


def _extended(bits: Term) -> Term:
    """Without the bit that says again whether the exponent is 0."""
    return terms.concat(terms.extract(bits, 79, 64), terms.extract(bits, 62, 0))


def _extended_in_memory(bits: Term) -> Term:
    exponent = terms.extract(bits, 77, 63)
    is_normal = terms.negate(terms.equal(exponent, terms.constant(exponent.sort, 0)))
    leading = terms.ite(is_normal, terms.constant(bitvec(1), 1), terms.constant(bitvec(1), 0))
    return terms.concat(terms.extract(bits, 78, 63), terms.concat(leading, terms.extract(bits, 62, 0)))
