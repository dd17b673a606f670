"""Calls: library primitives, procedures of the program, function pointers.

A record result is written through a hidden first argument; the variable arguments of a variadic function
lie in an object whose address is a hidden argument after the named ones.
"""

from __future__ import annotations

from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import direct_callee
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol
from drystone.frontend.declarations.types import CType, Function, Pointer, Record, Scalar, Void
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import check_call
from drystone.frontend.expressions.checks import checked_arguments
from drystone.frontend.expressions.evaluation_order import EvaluationOrder
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.expressions.function_pointers import note_untyped, signature
from drystone.frontend.expressions.operands import evaluated_in, in_both_orders, in_order
from drystone.frontend.expressions.type_operands import refuse_selected_callee
from drystone.frontend.library import NOTHING, plain_name, primitive
from drystone.frontend.library.assertions import assert_value, is_asserting
from drystone.frontend.library.common import any_result
from drystone.frontend.library.known import is_library_function
from drystone.frontend.library.magnitudes import has_open_magnitude, with_any_magnitude
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory
from drystone.ir import names
from drystone.ir.automaton import MarkKind, MemoryObject, ObjectKind
from drystone.ir.expressions import Address, Expression, InputKind, Variable
from drystone.ir.operations import Call, CallPointer
from drystone.ir.simplify import coerce


class CallLowering(ExpressionLowering):
    """Lowers calls."""

    def __init__(self, context: Context, unit: Unit, builder: Builder, owner: str) -> None:
        super().__init__(context, unit, builder, owner)
        self.order = EvaluationOrder(context, is_library_function)

    def has_open_order(self, node: Node) -> bool:
        return self.order.is_open(self.unit, node, self._is_mine)

    def _is_mine(self, node: Node) -> bool:
        """Is it a local variable that nobody else can get at?"""
        symbol = self.context.symbols.resolve(self.unit, self.lib.clang_getCursorReferenced(node.cursor), self.owner)
        if not isinstance(symbol, VariableSymbol) or symbol.is_global:
            return False
        return not symbol.in_memory or self.is_confined(node)

    def call(self, node: Node) -> Expression:
        builder = self.builder
        outer = builder.origin
        builder.origin = self.origin(node.cursor)
        try:
            reference = direct_callee(node)
            if reference is None:
                return self._call_pointer(node)
            refuse_selected_callee(self, node.children[0])
            symbol = self.denoted(reference)
            assert isinstance(symbol, FunctionSymbol)
            if symbol.is_null:
                self.arguments(node)
                self.builder.end(MarkKind.UNKNOWN, f"call of the weak function {symbol.name}, which is not defined")
                return any_result(self, symbol, node, InputKind.EXTERNAL)
            handled = primitive(self, symbol, node)
            if handled is not None:
                return handled
            result = self.call_procedure(symbol, node)
            name = plain_name(names.spelled(symbol.name))
            if symbol.unit.is_model and not self.unit.is_model and has_open_magnitude(name) and node.key not in self.only_signs:
                return with_any_magnitude(self.builder, name, result)
            return result
        finally:
            builder.origin = outer

    def call_procedure(self, symbol: FunctionSymbol, node: Node) -> Expression:
        if self.order.breaks_promise(symbol):
            raise NotSupported(f"{symbol.name} is declared pure or const, but is not: gcc may leave out a call of it")
        values = self.arguments(node)
        if self.context.all_errors and is_asserting(self.context, node):
            assert_value(self, symbol, node, values)
        type_ = symbol.type
        if symbol.unit.is_model and type_.parameters:
            name = plain_name(names.spelled(symbol.name)).removeprefix("__builtin_")
            values = checked_arguments(self, node, name, values, type_.parameters[0])
        result, arguments = self._bind(type_, node, values)
        target = result if isinstance(result, Variable) else None
        self.builder.emit(Call(symbol.name, tuple(arguments), target))
        return self._as_declared(result, node)

    def _as_declared(self, result: Expression | None, node: Node) -> Expression:
        """The result in the type of the call: the caller may have seen another declaration, or none."""
        type_ = self.type_of(node)
        if isinstance(type_, Void):
            return NOTHING
        if isinstance(type_, Scalar):
            adapted = coerce(result, type_.sort) if result is not None else None
            return (
                adapted
                if adapted is not None
                else self.environment.any_value(type_, InputKind.UNDEFINED, "result of another type")
            )
        if result is None or not isinstance(result, Address):
            raise NotSupported(f"result of type {type_} from a function that is declared otherwise")
        return result

    def begin_list(self, address: Address, size: int) -> None:
        """The life of a list of arguments begins."""

    def _call_pointer(self, node: Node) -> Expression:
        callee = node.children[0]
        pointer_type = self.type_of(callee)
        type_ = pointer_type.target if isinstance(pointer_type, Pointer) else pointer_type
        if not isinstance(type_, Function):
            raise NotSupported(f"call of {pointer_type}")
        is_callee_last = -node.key
        if node.key in self.orders and is_callee_last not in self.orders and len(node.children) > 2:  # in any order to arguments
            return in_both_orders(self, node, self.type_of(node), lambda: self._call_pointer(node), is_callee_last)
        ordered = in_order(self, node, list(enumerate(node.children[1:], 1)))
        is_last = self.orders.get(is_callee_last, self.orders.get(node.key))
        known = evaluated_in(self, [*ordered, (0, callee)] if is_last else [(0, callee), *ordered])
        pointer, *values = (known[position] for position in range(len(node.children)))
        self.context.pointer_calls.setdefault(self.builder.origin, set()).add(signature(type_))
        result, arguments = self._bind(type_, node, values)
        target = result if isinstance(result, Variable) else None
        pointer = check_call(self, callee, pointer)
        self.builder.emit(CallPointer(pointer, tuple(arguments), target))
        if type_.noreturn:
            self.builder.end(MarkKind.UNKNOWN, "return from a call that is declared not to")
        return result if result is not None else NOTHING

    def _bind(self, type_: Function, node: Node, values: list[Expression]) -> tuple[Expression | None, list[Expression]]:
        """Where the result goes, and the arguments with those the convention adds."""
        arguments = values
        if type_.variadic:
            fixed = len(type_.parameters)
            area = self._variable_arguments(node.children[1 + fixed :], values[fixed:])
            arguments = [*values[:fixed], area]
        if isinstance(type_.result, Record):
            address = Address(self.memory.temporary_object(type_.result, names.RESULT), self.context.pointer)
            return address, [address, *arguments]
        if isinstance(type_.result, Void):
            return None, arguments
        if not isinstance(type_.result, Scalar):
            raise NotSupported(f"result of {type_.result}")
        return self.builder.temporary(type_.result.sort), arguments

    def _variable_arguments(self, nodes: list[Node], values: list[Expression]) -> Expression:
        word = self.context.pointer_width // 8
        offset = 0
        places: list[tuple[int, CType, Expression]] = []
        for node, value in zip(nodes, values, strict=True):
            type_ = self.type_of(node)
            align = max(word, min(type_.align, 16)) if self.context.pointer_width == 64 else word
            offset = -(-offset // align) * align
            places.append((offset, type_, value))
            note_untyped(self.context, type_)
            offset += max(type_.size, 0)
        size = -(-max(offset, 1) // 16) * 16
        name = self.builder.fresh_name(names.VARARGS)
        self.builder.objects[name] = MemoryObject(
            name, size, 16, ObjectKind.LOCAL, "variable arguments", origin=self.builder.origin
        )
        base = Address(name, self.context.pointer)
        self.begin_list(base, size)
        for position, type_, value in places:
            self.memory.write(InMemory(self.memory.offset(base, position)), value, type_)
        return base
