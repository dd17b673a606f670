"""Global variables and objects with their initial contents."""

from __future__ import annotations

from drystone.concrete.output import STANDARD_STREAMS, stream_object
from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate, spelling
from drystone.frontend.clang.nodes import Node, tree_of
from drystone.frontend.clang.shapes import direct_callee, string_literal, strip
from drystone.frontend.declarations.initialisers import Slot, flatten
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol
from drystone.frontend.declarations.types import Array, CType, Int, Lanes, Pointer, Record, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.expressions.lanes import converted_lanes
from drystone.frontend.expressions.thread_locals import for_each_thread, is_own
from drystone.frontend.expressions.type_operands import refuse_selected_callee
from drystone.frontend.library import primitive
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.source_text.literals import string_bytes
from drystone.ir import names
from drystone.ir.automaton import ErrorKind, MemoryObject, ObjectKind, Origin
from drystone.ir.expressions import Address, Apply, Constant, Determinant, Expression, InputKind, Variable, byte_size, constant
from drystone.logic.floats import extended_to_memory
from drystone.logic.sorts import EXTENDED, Float, Sort


class GlobalLowering(ExpressionLowering):
    """Evaluates the initialiser of one global."""

    def __init__(self, context: Context, symbol: VariableSymbol) -> None:
        super().__init__(context, symbol.unit, Builder(symbol.name, context.is_global, context.word), symbol.name)
        self.symbol = symbol
        self.builder.origin = self.origin(symbol.cursor)

    def lower(self, variables: dict[str, Variable], initial: dict[str, Expression]) -> None:
        """Enters the global into the program's variables or objects."""
        symbol, type_ = self.symbol, self.symbol.type
        if symbol.is_null:
            return
        if isinstance(type_, Scalar) and not symbol.in_memory:
            variables[symbol.name] = Variable(symbol.name, type_.sort, symbol.spelling)
            initial[symbol.name] = self._initial_value(type_)
            return
        size = type_.size if type_.size >= 0 else 0
        if isinstance(type_, Array) and type_.count < 0:
            size = max(type_.element.size, 0) if symbol.defined else 4096  # `int a[];` has one element
        content, kind = b"", ObjectKind.GLOBAL if symbol.defined else ObjectKind.EXTERNAL
        relocations: list[tuple[int, Expression]] = []
        if self._is_stream():
            kind = ObjectKind.GLOBAL
            relocations.append((0, self._stream()))
        if symbol.initialiser is not None:
            try:
                content, relocations = self.image(type_, symbol.initialiser)
                size = max(size, len(content))
            except NotSupported as refusal:
                self._refuse(refusal.what)
        align = 1
        try:
            align = self.alignment(tree_of(symbol.cursor), type_)
        except NotSupported as refusal:
            self.context.refuse_at_start(f"{symbol.name}: {refusal.what}", self.builder.origin)
        image, places = content.rstrip(b"\0"), tuple(relocations)
        whole = MemoryObject(symbol.name, size, align, kind, symbol.spelling, image, places, self.builder.origin)
        self.context.objects[symbol.name] = for_each_thread(whole) if is_own(self.context, symbol) else whole
        if kind is ObjectKind.EXTERNAL:
            self.context.note("external object", f"{symbol.name} starts with any contents", self.builder.origin)

    def _is_stream(self) -> bool:
        """A standard stream of the library points to an object of its own."""
        name = names.spelled(self.symbol.name)
        return not self.symbol.defined and name in STANDARD_STREAMS and isinstance(self.symbol.type, Pointer)

    def _stream(self) -> Expression:
        """Its contents are arbitrary; where the program does not know what is in a FILE, it has no bytes to look at."""
        assert isinstance(self.symbol.type, Pointer)
        name, size = stream_object(names.spelled(self.symbol.name)), max(self.symbol.type.target.size, 0)
        kind = ObjectKind.EXTERNAL if size else ObjectKind.GLOBAL
        self.context.objects[name] = MemoryObject(name, size, 16, kind, "FILE", origin=self.builder.origin)
        return Address(name, self.context.pointer)

    def _initial_value(self, type_: Scalar) -> Expression:
        symbol = self.symbol
        if self._is_stream():
            return self._stream()
        if not symbol.defined:
            self.context.note("external object", f"{symbol.name} starts with any value", self.builder.origin)
            return self.environment.any_value(type_, InputKind.EXTERNAL, symbol.name, Determinant.OBJECT)
        if symbol.initialiser is None:
            return Constant(type_.sort, 0)
        node = symbol.initialiser
        while node.kind == kinds.INIT_LIST and node.children:
            node = node.children[0]
        if node.kind == kinds.INIT_LIST:
            return Constant(type_.sort, 0)
        try:
            return self.constant_value(type_, node)
        except NotSupported as refusal:
            self._refuse(refusal.what)
            return Constant(type_.sort, 0)

    def _refuse(self, what: str) -> None:
        """The entry of the program becomes an unknown location."""
        self.context.refuse_at_start(f"initialiser of {self.symbol.name}: {what}", self.builder.origin)

    def constant_value(self, type_: Scalar, node: Node) -> Expression:
        """A constant or an address, as C requires of static initialisers."""
        edges = len(self.builder.edges)
        value = self.rvalue(node)
        if len(self.builder.edges) == edges and is_static(value):
            if value.sort != type_.sort:
                raise NotSupported(f"initialiser {self.text(node)} that is not converted")
            return value
        known = evaluate(node.cursor)
        if isinstance(known, int) and isinstance(type_, Int):
            return Constant(type_.sort, known & ((1 << type_.width) - 1))
        raise NotSupported(f"initialiser {self.text(node)} is no constant")

    def call(self, node: Node) -> Expression:
        """Of a builtin that has a constant value, such as `__builtin_inf()`."""
        reference = direct_callee(node)
        refuse_selected_callee(self, node.children[0])
        symbol = self.denoted(reference) if reference is not None else None
        if isinstance(symbol, FunctionSymbol) and names.spelled(symbol.name).startswith("__builtin_"):
            value = primitive(self, symbol, node)
            if value is not None and not is_static(value):  # what clang says may be something else than what gcc says
                raise NotSupported(f"initialiser {self.text(node)} is no constant")
            if value is not None:
                return value
            known, type_ = evaluate(node.cursor), self.type_of(node)
            if isinstance(known, int) and isinstance(type_, Int):  # of a function of the library that clang computes
                return constant(type_.width, known)
        raise NotSupported("call outside a function")

    def made_nan(self, operator: str, a: Constant, b: Constant, value: Expression) -> Expression:
        """gcc folds it: the sign is that of a product or quotient, positive for a sum."""
        assert isinstance(value, Constant) and isinstance(value.sort, Float)
        sign = 1 << value.sort.width - 1
        is_negative = operator in ("*", "/") and bool((a.value ^ b.value) & sign)
        return Constant(value.sort, (value.value & ~sign) | (sign if is_negative else 0))

    def zero_difference(self, b: Expression, value: Expression) -> Expression:
        """All operands are constants, and gcc computes with those."""
        return value

    def fail(self, condition: Expression, kind: ErrorKind, what: str, origin: Origin) -> None:
        """C has no constants that are undefined: what a compiler makes of one is its own. It says which ones it changes."""
        if kind not in (ErrorKind.UNSIGNED_OVERFLOW, ErrorKind.CONVERSION):
            raise NotSupported(what)

    def image(self, type_: CType, node: Node) -> tuple[bytes, list[tuple[int, Expression]]]:
        """The initial bytes of an aggregate, and where addresses go."""
        content = bytearray(max(type_.size, 0))
        relocations: dict[int, Expression] = {}
        self._write(type_, node, 0, content, relocations)
        return bytes(content), sorted(relocations.items(), key=lambda item: item[0])

    def _write(self, type_: CType, node: Node, base: int, content: bytearray, relocations: dict[int, Expression]) -> None:
        for slot in flatten(self.unit.clang, self.types, type_, node):
            start = base + slot.offset
            size = max(slot.type.size, 0)
            if isinstance(slot.type, Array) and slot.type.size < 0 and slot.node is not None:
                size = 0  # a flexible array member: grows with what is written
            if len(content) < start + size:
                content.extend(bytes(start + size - len(content)))
            if slot.node is None:
                _clear(content, relocations, start, size)
                continue
            literal = string_literal(slot.node) if isinstance(slot.type, Array) else None
            if literal is not None and isinstance(slot.type, Array):
                text = string_bytes(spelling(literal.cursor), slot.type.element.size, -1)
                text = text[:size] if slot.type.size >= 0 else text
                text += bytes(max(0, size - len(text)))
                if len(content) < start + len(text):
                    content.extend(bytes(start + len(text) - len(content)))
                content[start : start + len(text)] = text
            elif isinstance(slot.type, Scalar):
                self._write_scalar(slot, slot.type, start, content, relocations)
            elif isinstance(slot.type, (Record, Array)):
                self._write_aggregate(slot.type, slot.node, start, content, relocations)
            else:
                raise NotSupported(f"initialiser of {slot.type}")

    def _write_aggregate(
        self, type_: CType, node: Node, start: int, content: bytearray, relocations: dict[int, Expression]
    ) -> None:
        inner, is_converted = strip(node), False
        while inner.kind in (kinds.UNEXPOSED_EXPR, kinds.CAST_EXPR) and inner.children:
            inner = strip(inner.children[-1])
            is_converted |= isinstance(type_, Lanes) and not type_.is_same(self.type_of(inner))
        is_literal = inner.kind == kinds.COMPOUND_LITERAL
        if isinstance(type_, Lanes) and (is_converted or not is_literal):
            for field, lane in zip(type_.fields, self._constant_lanes(type_, node), strict=True):
                data = memory_bytes(lane.sort, lane.value)
                content[start + field.offset // 8 : start + field.offset // 8 + len(data)] = data
            return
        if not is_literal:
            raise NotSupported(f"initialiser {self.text(node)} is no constant")
        _clear(content, relocations, start, max(type_.size, 0))  # what an earlier item put there
        self._write(type_, inner.children[-1], start, content, relocations)

    def _constant_lanes(self, type_: Lanes, node: Node) -> list[Constant]:
        edges = len(self.builder.edges)
        lanes = converted_lanes(self, node, type_)
        constants = [lane for lane in lanes if isinstance(lane, Constant)]
        if len(self.builder.edges) != edges or len(constants) != len(lanes):
            raise NotSupported(f"initialiser {self.text(node)} is no constant")
        return constants

    def _write_scalar(
        self, slot: Slot, type_: Scalar, start: int, content: bytearray, relocations: dict[int, Expression]
    ) -> None:
        assert slot.node is not None
        value = self.constant_value(type_, slot.node)
        if slot.field is not None:
            if not isinstance(value, Constant):
                raise NotSupported("address in a bit-field")
            first = start - slot.field.offset // 8 + slot.field.cell
            cell = int.from_bytes(content[first : first + slot.field.cell_size], "little")
            shift = slot.field.offset - slot.field.cell * 8
            mask = ((1 << slot.field.bits) - 1) << shift
            cell = (cell & ~mask) | (value.value << shift & mask)
            content[first : first + slot.field.cell_size] = cell.to_bytes(slot.field.cell_size, "little")
            return
        relocations.pop(start, None)
        if isinstance(value, Constant):
            data = memory_bytes(value.sort, value.value)
            content[start : start + len(data)] = data
        else:
            relocations[start] = value

    def compound_literal(self, node: Node) -> Expression:
        """A compound literal outside a function is a static object."""
        type_ = self.type_of(node)
        content, relocations = self.image(type_, node.children[-1])  # first, since it may contain others
        count = 1
        while (name := names.static_literal(self.symbol.name, count)) in self.context.objects:
            count += 1
        self.context.objects[name] = MemoryObject(
            name,
            len(content),
            self.alignment(node, type_),
            ObjectKind.GLOBAL,
            str(type_),
            content.rstrip(b"\0"),
            tuple(relocations),
            self.builder.origin,
        )
        return Address(name, self.context.pointer)


def _clear(content: bytearray, relocations: dict[int, Expression], start: int, size: int) -> None:
    content[start : start + size] = bytes(size)
    for position in [each for each in relocations if start <= each < start + size]:
        del relocations[position]


def memory_bytes(sort: Sort, value: int) -> bytes:
    """A value as it lies in memory."""
    if sort == EXTENDED:
        value = extended_to_memory(value)
    return value.to_bytes(byte_size(sort), "little")


def is_static(value: Expression) -> bool:
    """Is it a constant, an address, or an address plus a constant?"""
    if isinstance(value, (Constant, Address)):
        return True
    return (
        isinstance(value, Apply)
        and value.operator == "bvadd"
        and isinstance(value.arguments[0], Address)
        and isinstance(value.arguments[1], Constant)
    )
