"""The types of expressions with bit-fields, as gcc has them where clang has others.

For gcc, a bit-field that is wider than `int` has a type of its own width, and arithmetic with it is reduced to that width; and
the value of `s.m++` is promoted like `s.m`. clang gives both the declared type. C leaves the choice (C11 6.7.2.1, 6.3.1.1);
here it is that of gcc, with which programs are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, library
from drystone.frontend.clang.nodes import Node, tree_of
from drystone.frontend.clang.shapes import is_expression, strip, without_conversions
from drystone.frontend.clang.unit import BUNDLED, TranslationUnit
from drystone.frontend.declarations.types import CType, Int, Types, promote
from drystone.frontend.errors import NotSupported
from drystone.frontend.lowering.conversions import resize
from drystone.ir.expressions import Expression

_REDUCED = frozenset(("+", "-", "*", "/", "%", "&", "|", "^"))
_SHIFTS = frozenset(("<<", ">>"))
_STEPS = frozenset(("post++", "post--"))


class BitFieldTypes:
    """Finds these types; None stands for "as clang says" throughout."""

    def __init__(self, types: Types, type_of: Callable[[Node], CType]) -> None:
        self._types = types
        self._type_of = type_of
        self._lib = library()
        self._as_clang_says: set[int] = set()  # expressions
        self._field_bits: dict[int, int] = {}  # by declaration; 0 for members that are no bit-fields

    def own_type(self, node: Node) -> Int | None:
        """The type that gcc gives an expression, if clang gives it another. Reads nothing but the tree."""
        node = without_conversions(node)
        if node.kind == kinds.MEMBER_REF_EXPR:
            return self._field_type(node, 32)
        if node.kind == kinds.STMT_EXPR:
            body = node.children[0].children
            return self.own_type(body[-1]) if body and is_expression(body[-1]) else None
        if node.kind in (kinds.UNEXPOSED_EXPR, kinds.GENERIC):  # `a ?: b`, a choice: the type is that of a part
            if any(self.own_type(child) is not None for child in node.children if is_expression(child)):
                raise NotSupported("type of a bit-field that is chosen")
            return None
        if node.kind not in _KINDS or node.key in self._as_clang_says:
            return None
        found = self._own_type(node)
        if found is None:
            self._as_clang_says.add(node.key)
        return found

    def _own_type(self, node: Node) -> Int | None:
        operator, children = node.operator, node.children
        if node.kind == kinds.CONDITIONAL:
            return self.common_own_type(children[1], children[2])
        if node.kind == kinds.UNARY_OPERATOR:
            if operator in _STEPS:
                return self._step_type(children[0])
            return self.own_type(children[0]) if operator in ("-", "~", "+", "++", "--", "__extension__") else None
        if operator in _REDUCED:
            return self.common_own_type(*children)
        if operator == ",":
            return self.own_type(children[1])
        return (
            self.own_type(children[0]) if operator in _SHIFTS or (operator.endswith("=") and operator not in _COMPARED) else None
        )

    def common_own_type(self, left: Node, right: Node) -> Int | None:
        """The type in which gcc does arithmetic with two operands, if it is not what clang takes for it: the wider one."""
        own = self.own_type(left), self.own_type(right)
        if own == (None, None):
            return None
        return wider(own[0] or self.plain_type(left), own[1] or self.plain_type(right))

    def plain_type(self, node: Node) -> CType:
        """The promoted type of an operand for which clang has the same as gcc."""
        inner = without_conversions(node)
        type_, member = self._type_of(inner), self._changed(inner)
        if member.kind == kinds.MEMBER_REF_EXPR and (field := self._field_type(member, 0)) is not None:
            return self._promoted_field(field)
        return promote(type_, self._types)

    def _changed(self, node: Node) -> Node:
        """What an assignment, a step or a comma gives its value; other expressions are themselves."""
        while True:
            is_binary = node.kind in (kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGN)
            if is_binary and node.operator == ",":
                node = without_conversions(node.children[1])
            elif (is_binary and is_assignment(node.operator)) or (
                node.kind == kinds.UNARY_OPERATOR and node.operator in ("++", "--")
            ):
                node = strip(node.children[0])
            else:
                return node

    def _promoted_field(self, field: Int) -> Int:
        if field.width < 32 or (field.width == 32 and field.signed):
            return self._types.int
        return self._types.unsigned if field.width == 32 else field

    def gives_narrow_field(self, node: Node) -> bool:
        """May the value be that of a bit-field that fits an `int`, of a wider type, or be computed from it?"""
        node = without_conversions(node)
        while node.kind == kinds.LABEL_STMT:
            node = without_conversions(node.children[-1])
        if node.kind == kinds.MEMBER_REF_EXPR:
            known = self._field_type(node, 0)
            return known is not None and known.width <= 32
        parts = [child for child in node.children if is_expression(child)]
        if node.kind == kinds.STMT_EXPR:
            parts = node.children[0].children[-1:]
        elif node.kind == kinds.CONDITIONAL:
            parts = parts[1:]
        elif node.kind in (kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGN):
            if node.operator in _DECIDING:
                return False
            parts = parts[1:] if node.operator == "," else parts[:1] if is_assignment(node.operator) else parts
        elif node.kind == kinds.UNARY_OPERATOR:
            parts = [] if node.operator in ("!", "*", "&") else parts
        elif node.kind not in (kinds.LABEL_STMT, kinds.UNEXPOSED_EXPR, kinds.GENERIC):
            return False
        return any(map(self.gives_narrow_field, parts))

    def has_narrow_statement_expression(self, node: Node) -> bool:
        """Is there a statement expression in it with such a value? clang gives it the declared type, gcc another one."""
        if node.kind == kinds.STMT_EXPR and self.gives_narrow_field(node):
            return True
        return any(map(self.has_narrow_statement_expression, node.children))

    def _field_type(self, node: Node, least: int) -> Int | None:
        """Of a bit-field of more bits than that, but fewer than its declared type has."""
        field = self._lib.clang_getCursorReferenced(node.cursor)
        bits = self._field_bits.get(field.d0)
        if bits is None:
            is_field = self._lib.clang_Cursor_isBitField(field)
            bits = self._field_bits[field.d0] = self._lib.clang_getFieldDeclBitWidth(field) if is_field else 0
        if bits <= least:
            return None
        declared = self._type_of(node)
        if not isinstance(declared, Int) or declared.width <= bits:
            return None
        return Int(f"{declared}:{bits}", bits, declared.align, declared.signed, declared.rank)

    def _step_type(self, operand: Node) -> Int | None:
        operand = strip(operand)
        if operand.kind != kinds.MEMBER_REF_EXPR:
            return None
        field = self._field_type(operand, 0)
        declared = self._type_of(operand)
        if field is None or not isinstance(declared, Int) or declared.width < 32:
            return None
        return self._promoted_field(field)


def types_of_bit_fields(unit: TranslationUnit) -> Iterator[CXCursor]:
    """Declarations and conversions in a unit that take their type from an expression with a bit-field of a type wider than `int`,
    by `typeof`: clang has another type for them. Where nobody writes `typeof`, there are none."""
    if not any(_TYPEOF.search(text) for file, text in unit.inclusions() if not file.startswith(BUNDLED)):
        return
    lib = library()
    fields: dict[int, CXCursor] = {}
    for reference in unit.member_references():
        field = lib.clang_getCursorReferenced(reference)
        fields[field.d0] = field
    wide = {
        key
        for key, field in fields.items()
        if lib.clang_Cursor_isBitField(field) and lib.clang_Type_getSizeOf(lib.clang_getCursorType(field)) > 4
    }
    if not wide:
        return
    for declaration in unit.declarations():
        stack = [tree_of(declaration)]
        while stack:
            node = stack.pop()
            stack.extend(node.children)
            if any(_mentions(operand, wide) for operand in _operands_of_types(node)):
                yield node.cursor


_TYPEOF = regex(rb"typeof|##")
_DECLARATIONS = frozenset((kinds.VAR_DECL, kinds.PARM_DECL, kinds.TYPEDEF_DECL, kinds.FIELD_DECL, kinds.FUNCTION_DECL))


def _operands_of_types(node: Node) -> Iterator[Node]:
    """Expressions among the children of a declaration or an expression that stand in its type."""
    lib = library()
    expressions = [child for child in node.children if is_expression(child)]
    if node.kind in _DECLARATIONS:
        value = lib.clang_Cursor_getVarDeclInitializer(node.cursor).d1 if node.kind == kinds.VAR_DECL else None
        yield from (child for child in expressions if child.key != value)
    elif node.kind in (kinds.CAST_EXPR, kinds.COMPOUND_LITERAL):
        yield from expressions[:-1]
    elif node.kind == kinds.GENERIC or (node.kind == kinds.UNEXPOSED_EXPR and len(expressions) > 1):
        yield from expressions  # the types of associations, of `va_arg`: which is which does not show


def _mentions(node: Node, fields: set[int]) -> bool:
    lib = library()
    stack = [node]
    while stack:
        part = stack.pop()
        if part.kind == kinds.MEMBER_REF_EXPR and lib.clang_getCursorReferenced(part.cursor).d0 in fields:
            return True
        stack.extend(part.children)
    return False


def is_assignment(operator: str) -> bool:
    return operator.endswith("=") and operator not in _COMPARED


def carrier_of(type_: Int) -> Int:
    """The type of the machine in which gcc computes with values of this one."""
    width = next(width for width in (32, 64, 128) if type_.width <= width)
    return type_ if type_.width == width else Int(f"{type_} in {width} bits", width, type_.align, type_.signed, type_.rank)


def reduced(value: Expression, type_: Int) -> Expression:
    """A value that was computed in the carrier of a type, as one of this type; in its carrier again."""
    return resize(resize(value, type_.width, type_.signed), carrier_of(type_).width, type_.signed)


def wider(first: CType, second: CType) -> Int | None:
    """The type in which gcc does arithmetic with two integers that are promoted already."""
    if not isinstance(first, Int) or not isinstance(second, Int):
        return None
    if first.width != second.width:
        return first if first.width > second.width else second
    if first.signed == second.signed:
        return first if first.rank >= second.rank else second
    return first if second.signed else second


_KINDS = frozenset((kinds.BINARY_OPERATOR, kinds.UNARY_OPERATOR, kinds.CONDITIONAL, kinds.COMPOUND_ASSIGN))
_COMPARED = frozenset(("==", "!=", "<=", ">="))
_DECIDING = _COMPARED | {"<", ">", "&&", "||"}
