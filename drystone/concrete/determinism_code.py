"""Compiles straight pieces of a program for `concrete.determinism`: values and where they come from, many edges at a time.

The code of a segment (`concrete.code_generation`) is extended by the origins of values. It knows only the common case: nothing
that is chosen is read, every access lies within its object. Before an edge for which that does not hold has had any effect, it
returns with a `Way` that is *stuck*, and the edge is left to `determinism`, which takes it by itself.

In the generated text `S` is the follower, `O` and `P` the origins of local and global variables, `D` the origins of bytes in
memory, `H` the marks of these, by the first address of their object, `A` the living objects. Only values as wide as a pointer
can be addresses; the origin of all others is known to be `SETTLED` once it was found not to be anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from drystone.concrete.code_generation import LARGEST_SEGMENT, LONGEST_SEGMENT, ProcedureCode, Writer
from drystone.concrete.generated_text import local_name
from drystone.concrete.origins import LARGEST, SETTLED
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable, byte_size
from drystone.ir.operations import Assign, Assume, Copy, Declare, Fill, Operation, Skip, Store
from drystone.logic import semantics
from drystone.logic.sorts import EXTENDED, Bool, Sort

_SETTLED = ""  # the text of an origin that need not be looked at


class Follower(Protocol):
    """Who follows a run. The generated text uses the rest of it, too: `concrete.determinism.Following` has it all."""

    def segment(self, code: ProcedureCode, head: int) -> Callable[[Follower], Way]:
        """Takes edges from there on, as far as that is simple."""


class Way:
    """Out of a segment: how many edges were taken, and the location; if it is stuck, the edge there could not be taken."""

    __slots__ = ("code", "location", "cost", "is_stuck", "run")

    def __init__(self, code: ProcedureCode, location: int, cost: int, is_stuck: bool = False) -> None:
        self.code, self.location, self.cost, self.is_stuck = code, location, cost, is_stuck
        self.run: Callable[[Follower], Way] = self._first_run

    def _first_run(self, following: Follower) -> Way:
        self.run = following.segment(self.code, self.location)
        return self.run(following)


class SegmentWriter(Writer):
    """Writes the text of one segment with origins."""

    def __init__(self, code: ProcedureCode, head: int) -> None:
        super().__init__(code.program_code, code)
        self.procedure_code, self.head = code, head
        self.pointer = code.program_code.program.pointer
        self.temporaries = 0
        self.stuck = ""
        self.checked: set[str] = set()  # variables that the current edge has found to be settled

    def compiled(self) -> Callable[[Follower], Way]:
        self._tree(self.head, ())
        text = "\n".join(self.lines)
        used = [f"{name} = {what}" for name, what in _PROLOGUE if f"{name}[" in text or f"{name}." in text]
        return self.namespace.function(f"segment_{self.head}(S)", used + self.lines)  # type: ignore[return-value]

    def exit(self, location: int, edges: tuple[Edge, ...]) -> str:
        return self.namespace.name_for(Way(self.procedure_code, location, len(edges)), "w")

    def _is_full(self, edges: tuple[Edge, ...]) -> bool:
        return len(edges) >= LONGEST_SEGMENT or self.size >= LARGEST_SEGMENT

    def text(self, expression: Expression) -> str:
        """Of a condition: Booleans are no addresses."""
        return self.value(expression)[0]

    def operation(self, edge: Edge, edges: tuple[Edge, ...]) -> bool:
        operation = edge.operation
        if isinstance(operation, Skip):
            return False
        self.begin(edge, operation)
        match operation:
            case Assume(condition):
                self._unless(self.text(condition))
            case Assign(target, value):
                text, origin = self.value(value)
                self.assign(target, text)
                self.write(f"{self._origin_place(target)} = {origin or SETTLED}")
            case Store(address, value):
                self._store(address, value)
            case Copy(target_address, source_address, size):
                to, from_ = self._placed(target_address), self._placed(source_address)
                self._unless(f"D.copy({to}, {from_}, {size})")
            case Fill(target_address, byte, size):
                place, (text, _) = self._placed(target_address), self.value(byte)
                self._unless(f"D.fill({place}, {text}, {size})")
            case Declare(name) if self.procedure_code.procedure.objects[name].size <= LARGEST:
                place = self.address(name)
                self.write(f"M.declare({place}, {name!r}, {self.edge_object()})")
                self.write(f"S.forget({place}, {self.procedure_code.procedure.objects[name].size})")
            case _:
                self._give_up()
                return True
        return False

    def begin(self, edge: Edge, operation: Operation) -> None:
        self.edge, self.edge_name, self.stuck = edge, "", ""
        self.checked.clear()

    def _give_up(self, indent: str = "") -> None:
        """The current edge is left as it is."""
        if not self.stuck:
            cost = len(self.procedure_code.taken_before(self.head, self.edge))
            self.stuck = self.namespace.name_for(Way(self.procedure_code, self.edge.source, cost, is_stuck=True), "w")
        self.write(f"{indent}return {self.stuck}")

    def _unless(self, text: str) -> None:
        self.write(f"if not {text}:")
        self._give_up(" ")

    def _if(self, text: str) -> None:
        self.write(f"if {text}:")
        self._give_up(" ")

    def _temporary(self, text: str) -> str:
        self.temporaries += 1
        self.write(f"t{self.temporaries} = {text}")
        return f"t{self.temporaries}"

    def _origin_place(self, variable: Variable) -> str:
        place = self.place(variable, short=True)
        return ("O" if place[0] == "L" else "P") + place[1:]

    def _placed(self, address: Expression) -> str:
        """Value and origin, as arguments."""
        text, origin = self.value(address)
        return f"{text}, {origin or SETTLED}"

    # Values: Python text that has no effects, and the text of the origin, which is not `CHOSEN`

    def value(self, expression: Expression) -> tuple[str, str]:
        match expression:
            case Constant(sort, value):
                return (str(bool(value)) if isinstance(sort, Bool) else str(value)), _SETTLED
            case Variable():
                return self._variable(expression)
            case Address(target):
                text = self._temporary(self.address(target))
                return text, text
            case Input():
                self._give_up()
                return "0", _SETTLED
            case Load(sort, address):
                return self._load(sort, address)
            case Apply("and" | "or" | "ite"):
                return self._lazy(expression)
            case Apply():
                return self._apply(expression)

    def _variable(self, variable: Variable) -> tuple[str, str]:
        place = self.place(variable, short=True)
        local = local_name(place)
        text, origin = local if local in self.held else place, self._origin_place(variable)
        if variable.sort == self.pointer:
            origin = self._temporary(origin)
            self._if(f"{origin} < 0")
            return text, origin
        if origin not in self.checked:
            self.checked.add(origin)
            self._if(origin)
        return text, _SETTLED

    def _load(self, sort: Sort, address: Expression) -> tuple[str, str]:
        if sort == self.pointer:
            found = self._temporary(f"D.load_address({self._placed(address)})")
            self._if(f"{found} is None")
            return f"{found}[0]", f"{found}[1]"
        size = byte_size(sort)
        static = self.static_bytes(address, size)
        if static is None:
            text = self._temporary(f"D.load({self._placed(address)}, {size})")
            self._if(f"{text} is None")
        else:
            block, offset = static
            marks = self._temporary(f"H.get({self.layout.static_bases[block]})")
            self._if(f"{marks} is not None and any({marks}[{offset}:{offset + size}])")
            text = f"B[{block}][{offset}]" if size == 1 else f"number(B[{block}][{offset}:{offset + size}], 'little')"
        if sort == EXTENDED:
            text = self._temporary(text)
            self._if(f"not is_extended({text})")
        return self.from_memory(sort, text), _SETTLED

    def _store(self, address: Expression, value: Expression) -> None:
        text, origin = self.value(value)
        if isinstance(value.sort, Bool):
            text = f"int({text})"
        elif value.sort == EXTENDED:
            text = f"to_extended({text})"
        if origin:
            self._unless(f"D.store_address({self._placed(address)}, {text}, {origin})")
        else:
            self._unless(f"D.store({self._placed(address)}, {text}, {byte_size(value.sort)})")

    def _lazy(self, expression: Apply) -> tuple[str, str]:
        condition, *rest = expression.arguments
        decides, _ = self.value(condition)
        match expression.operator:
            case "ite":
                arms: list[Expression | None] = [rest[0], rest[1]]
            case "and":
                arms = [rest[0], None]
            case _:
                arms = [None, rest[0]]
        lines, indent, checked = self.lines, self.indent, self.checked
        written: list[list[str]] = []
        found: list[tuple[str, str]] = []
        for arm, otherwise in zip(arms, ("True", "False"), strict=True):  # what an arm finds is known only there
            self.lines, self.indent, self.checked = [], indent + " ", checked.copy()
            found.append(self.value(arm) if arm is not None else (otherwise, _SETTLED))
            written.append(self.lines)
        self.lines, self.indent, self.checked = lines, indent, checked
        (yes, yes_origin), (no, no_origin) = found
        if not any(written) and not yes_origin and not no_origin:
            return f"({yes} if {decides} else {no})", _SETTLED
        self.temporaries += 2
        result, origin = f"t{self.temporaries - 1}", f"t{self.temporaries}"
        for head, body, text, from_ in (
            (f"if {decides}:", written[0], yes, yes_origin),
            ("else:", written[1], no, no_origin),
        ):
            self.write(head)
            self.lines += body
            self.write(f" {result} = {text}")
            self.write(f" {origin} = {from_ or SETTLED}")
        return result, origin if yes_origin or no_origin else _SETTLED

    def _apply(self, expression: Apply) -> tuple[str, str]:
        arguments = expression.arguments
        operands = [self.value(argument) for argument in arguments]
        texts, origins = [text for text, _ in operands], [origin for _, origin in operands]
        origin = _SETTLED
        if any(origins):
            origin = self._origin(expression.operator, texts, origins)
        sorts = [argument.sort for argument in arguments]
        return semantics.source(expression.operator, expression.sort, sorts, texts, self.namespace.names), origin

    def _origin(self, operator: str, texts: list[str], origins: list[str]) -> str:
        """Of what is computed from values that may be addresses: as `LivingObjects.origin` has it, stuck where that is chosen."""
        left, right = origins if len(origins) == 2 else ("", "")
        match operator:
            case "position" | "pointer" | "slot_base":
                return origins[0]
            case "slot":
                return _SETTLED  # what lies in it is asked, not where it lies
            case "bvadd":
                if left and right:
                    self._if(f"{left} and {right}")
                    return f"({left} or {right})"
                return left or right
            case "bvsub" if not right:
                return left
            case "bvsub":
                self._if(f"{right} and {right} != {left or SETTLED}")
                return self._temporary(f"{SETTLED} if {right} else {left or SETTLED}")
            case "bvult" | "bvule" | "=":
                texts[:] = [self._temporary(text) for text in texts]
                operands = f"({texts[0]}, {left or SETTLED}), ({texts[1]}, {right or SETTLED})"
                is_open = (
                    f"{left or SETTLED} != {right or SETTLED}" if operator == "=" else f"({' or '.join(filter(None, origins))})"
                )
                self._if(f"{is_open} and A.origin('{operator}', [{operands}]) < 0")
                return _SETTLED
            case _:
                self._if(" or ".join(filter(None, origins)))
                return _SETTLED


_PROLOGUE = (
    ("M", "S.machine"),
    ("L", "S.machine.locals"),
    ("G", "S.machine.globals"),
    ("B", "S.machine.static_blocks"),
    ("A", "S.objects"),
    ("D", "S.bytes"),
    ("H", "S.bytes.marks"),
    ("O", "S.variables.locals"),
    ("P", "S.variables.globals"),
)
