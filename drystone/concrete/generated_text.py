"""Python text for the expressions and assignments of a program, and the names that such text uses.

`M` is the machine, `L` the current activation's variables (`L[0]` is the base of its local objects), `G` the global variables,
`B` the bytes of the static objects. A variable that the text has assigned is also kept in a Python local `vN` or `gN`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from drystone.concrete.flat_memory import NO_EXTENDED, Ended
from drystone.concrete.layout import FrameLayout, Layout
from drystone.ir.automaton import NOWHERE, Edge, inputs
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable, byte_size
from drystone.ir.features import expressions_of
from drystone.ir.operations import Operation, Skip
from drystone.logic import semantics
from drystone.logic.floats import extended_from_memory, extended_to_memory, is_extended
from drystone.logic.sorts import EXTENDED, BitVec, Bool, Float, Sort

START = Edge(-1, -1, Skip("start of the program"), NOWHERE)
"""The edge to which inputs belong that are read before the first one."""


class Namespace:
    """What generated text can mention."""

    def __init__(self) -> None:
        self.names = semantics.names()
        self.names |= {"number": int.from_bytes, "from_extended": _from_extended, "to_extended": extended_to_memory}
        self.names["is_extended"] = is_extended
        self.names["Ended"] = Ended
        self._counter = 0

    def name_for(self, value: object, prefix: str) -> str:
        """A fresh name by which generated code finds this object."""
        self._counter += 1
        name = f"{prefix}{self._counter}"
        self.names[name] = value
        return name

    def function(self, head: str, lines: list[str]) -> Callable[..., object]:
        """Compiles `def head: lines`."""
        scope: dict[str, Callable[..., object]] = {}
        exec(f"def {head}:\n" + "\n".join(" " + line for line in lines), self.names, scope)
        return next(iter(scope.values()))


class TextWriter:
    """Writes lines of one function. Without a frame, there are only global variables and static objects."""

    def __init__(self, layout: Layout, frame: FrameLayout | None, namespace: Namespace) -> None:
        self.layout, self.frame, self.namespace = layout, frame, namespace
        self.lines: list[str] = []
        self.indent = ""
        self.held: set[str] = set()  # variables that are in a Python local now
        self.operands: dict[str, str] = {}  # variables that stand for arguments of the generated function
        self.edge = START
        self.edge_name = ""
        self.several: set[int] = set()  # inputs that the current operation mentions more than once

    def begin(self, edge: Edge, operation: Operation) -> None:
        """The following text belongs to this edge; inputs that occur in it more than once are read once."""
        self.edge, self.edge_name = edge, ""
        counts = Counter(input.index for expression in expressions_of(operation) for input in inputs(expression))
        self.several = {index for index, count in counts.items() if count > 1}
        for index in self.several:
            self.write(f"{_input_name(index)} = None")

    def write(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def assign(self, target: Variable, text: str) -> None:
        place = self.place(target, short=True)
        local = local_name(place)
        self.write(f"{local} = {place} = {text}")
        self.held.add(local)

    def place(self, variable: Variable, short: bool = False) -> str:
        """Where a variable lives: `L[i]` or `G[i]`, or the same spelt as an attribute of the machine."""
        if self.frame is not None and variable.name in self.frame.slot:
            return f"{'L' if short else 'locals'}[{self.frame.slot[variable.name]}]"
        return f"{'G' if short else 'globals'}[{self.layout.global_slot[variable.name]}]"

    def edge_object(self) -> str:
        if not self.edge_name:
            self.edge_name = self.namespace.name_for(self.edge, "e")
        return self.edge_name

    def store(self, address: Expression, value: Expression) -> str:
        size = byte_size(value.sort)
        text = self.text(value)
        if isinstance(value.sort, Bool):
            text = f"int({text})"
        elif value.sort == EXTENDED:
            text = f"to_extended({text})"
        static = self.static_bytes(address, size)
        if static is None:
            return f"M.store({self.text(address)}, {text}, {size}, {self.edge_object()})"
        block, offset = static
        if size == 1:
            return f"B[{block}][{offset}] = {text}"
        return f"B[{block}][{offset}:{offset + size}] = ({text}).to_bytes({size}, 'little')"

    def text(self, expression: Expression) -> str:
        """Python text for the value, to be evaluated at most once per edge."""
        match expression:
            case Variable(name, _, _):
                if name in self.operands:
                    return self.operands[name]
                place = self.place(expression, short=True)
                local = local_name(place)
                return local if local in self.held else place
            case Constant(sort, value):
                return str(bool(value)) if isinstance(sort, Bool) else str(value)
            case Apply(operator, sort, arguments, _):
                texts = [self.text(argument) for argument in arguments]
                return semantics.source(operator, sort, [argument.sort for argument in arguments], texts, self.namespace.names)
            case Load(sort, address, _):
                return self.load(sort, address)
            case Address(target, _):
                return self.address(target)
            case Input(index, sort):
                text = f"M.value({self.namespace.name_for(expression, 'i')}, {self.edge_object()})"
                if isinstance(sort, Bool):
                    text = f"({text} == 1)"
                if index in self.several:
                    name = _input_name(index)
                    return f"({name} if {name} is not None else ({name} := {text}))"
                return text

    def address(self, target: str) -> str:
        if self.frame is not None and target in self.frame.offset:
            offset = self.frame.offset[target]
            return f"(L[0] + {offset})" if offset else "L[0]"
        return str(self.layout.address(target))

    def load(self, sort: Sort, address: Expression) -> str:
        size = byte_size(sort)
        static = self.static_bytes(address, size)
        if static is None:
            text = f"M.load({self.text(address)}, {size}, {self.edge_object()})"
        else:
            block, offset = static
            text = f"B[{block}][{offset}]" if size == 1 else f"number(B[{block}][{offset}:{offset + size}], 'little')"
        return self.from_memory(sort, text)

    def from_memory(self, sort: Sort, text: str) -> str:
        """The value whose bytes are this number."""
        match sort:
            case Bool():
                return f"({text} != 0)"
            case BitVec(width) if width % 8:
                return f"({text} & {(1 << width) - 1})"
            case Float(15, 64):
                return f"from_extended({text}, {self.edge_object()})"
            case _:
                return text

    def static_bytes(self, address: Expression, size: int) -> tuple[int, int] | None:
        """Position and offset, if the address is known to lie in a static object: then no search is needed."""
        offset = 0
        if isinstance(address, Apply) and address.operator == "bvadd" and isinstance(address.arguments[1], Constant):
            offset, address = address.arguments[1].value, address.arguments[0]
        if not isinstance(address, Address) or (self.frame is not None and address.target in self.frame.offset):
            return None
        index = self.layout.static_index.get(address.target)
        if index is None or offset + size > len(self.layout.images[index]):
            return None
        return index, offset


def local_name(place: str) -> str:
    return ("v" if place[0] == "L" else "g") + place[2:-1]


def _input_name(index: int) -> str:
    return f"input_{index}" if index >= 0 else f"input_m{-index}"


def _from_extended(bits: int, edge: Edge) -> int:
    """No value stands for bits that the machine treats as none of its numbers: the run ends."""
    if not is_extended(bits):
        raise Ended("limit", NO_EXTENDED, edge)
    return extended_from_memory(bits)
