"""The state of lowering one function or initialiser, and what its names, types and places in the text mean."""

from __future__ import annotations

from collections.abc import Iterable

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, library
from drystone.frontend.clang.cursors import printed_attributes
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import without_conversions
from drystone.frontend.declarations import alignment
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.symbols import FunctionSymbol, Symbol, VariableSymbol
from drystone.frontend.declarations.types import Array, CType, Function
from drystone.frontend.errors import NotSupported
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import is_signed, resize
from drystone.frontend.lowering.environment import Environment
from drystone.frontend.lowering.memory import Memory
from drystone.frontend.lowering.places import Place
from drystone.ir.automaton import NOWHERE, Origin
from drystone.ir.expressions import Constant, Expression, Variable, constant
from drystone.ir.simplify import make


class Lowering:
    """The state of lowering one function or initialiser of one unit."""

    def __init__(self, context: Context, unit: Unit, builder: Builder, owner: str) -> None:
        self.context = context
        self.unit = unit
        self.types = unit.types
        self.builder = builder
        self.owner = owner
        self.environment = Environment(context, builder)
        self.memory = Memory(context, builder, self.environment, self.block)
        self.locals: dict[int, Place] = {}  # by declaration
        self.array_sizes: dict[int, Expression] = {}  # bytes of variable length array types, by identity
        self.varargs: Variable | None = None  # where the variable arguments of this function lie
        self.evaluated: set[int] = set()  # the expressions with side effects that were lowered
        self.lib = library()

    def type_of(self, node: Node) -> CType:
        """The type of an expression. libclang gives a parameter `int a[]` its type as written; here it is a pointer."""
        type_ = self.types.of(node.cursor)
        if isinstance(type_, (Array, Function)):
            inner = without_conversions(node)
            if inner.kind == kinds.DECL_REF_EXPR:
                declaration = self.lib.clang_getCursorReferenced(inner.cursor)
                if declaration.kind == kinds.PARM_DECL:
                    return self.types.decayed(type_)
        return type_

    def origin(self, cursor: CXCursor) -> Origin:
        file, line, column, end_line, end_column = self.unit.clang.source.extent(cursor)
        return Origin(self.context.file(file), line, column, end_line, end_column) if file else NOWHERE

    def denoted(self, reference: Node) -> Symbol | None:
        """What a reference to a declaration denotes."""
        found = self.context.symbols.resolve(self.unit, self.lib.clang_getCursorReferenced(reference.cursor), self.owner)
        if isinstance(found, (FunctionSymbol, VariableSymbol)) and found.refused:
            raise NotSupported(f"{found.name}: {found.refused}")
        if isinstance(found, (FunctionSymbol, VariableSymbol)) and found.is_null:
            self.context.note("weak symbol", f"{found.name} is not defined: its address is 0", self.builder.origin)
        return found

    def size_of(self, type_: CType) -> Expression:
        """The size of a type in bytes, at the width of a pointer."""
        if type_.size >= 0:
            return constant(self.context.pointer_width, type_.size)
        known = self.array_sizes.get(id(type_))
        if known is None:
            raise NotSupported(f"size of {type_}")
        return known

    def alignment(self, declaration: Node, type_: CType) -> int:
        """Of a declared object: its type's (which a typedef may change), or what attributes and _Alignas ask for, more or less.
        A parameter lies where the caller puts it."""
        declared = self.lib.clang_Type_getAlignOf(self.lib.clang_getCursorType(declaration.cursor))
        count = sum(child.kind == kinds.ALIGNED_ATTR for child in declaration.children)
        if declaration.kind == kinds.PARM_DECL:
            return 1 if count else max(min(declared, 4 if self.context.pointer_width == 32 else 16), 1)
        if count == 0:
            return max(declared if declared > 0 else type_.align, 1)
        printed = printed_attributes(declaration.cursor)
        return alignment.asked(printed, count, self.context.pointer_width // 8) or max(declared, 1)

    def displace(
        self, base: Expression, index: Expression, index_type: CType, element: CType, negative: bool = False
    ) -> Expression:
        """`base + index` in elements."""
        wide = resize(index, self.context.pointer_width, is_signed(index_type))
        distance = make("scale", base.sort, wide, self.size_of(element))
        return make("bvsub" if negative else "bvadd", base.sort, base, distance)

    def pointer_constant(self, value: int) -> Constant:
        return constant(self.context.pointer_width, value)

    def text(self, node: Node) -> str:
        """The expression as written, shortened, for messages."""
        words = _joined(self.unit.clang.tokens.of(node.cursor))
        return words if len(words) <= 60 else words[:57] + "..."

    def block(self) -> tuple[int, ...]:
        """The blocks of the function that are open, by number."""
        return ()


def _joined(tokens: Iterable[str]) -> str:
    """As people write expressions: no space behind a unary operator, around members and within brackets."""
    text, before, is_unary = "", "", False
    for token in tokens:
        is_operand = before.isidentifier() or before[:1].isalnum() or before in (")", "]") or before[-1:] in ('"', "'")
        is_tight = not before or is_unary or before in ("(", "[", ".", "->", "!", "~") or token in (")", "]", ",", ".", "->", ";")
        text += token if is_tight or (token in ("(", "[") and is_operand) else f" {token}"
        is_unary = token in ("&", "*", "-", "+") and not is_operand
        before = token
    return text
