"""C statements as edges."""

from __future__ import annotations

from collections.abc import Callable

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.clang.shapes import is_expression
from drystone.frontend.declarations.types import CType, Int, Record, Void
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.assignments import assign
from drystone.frontend.expressions.constants import label_key
from drystone.frontend.functions.asm_statements import lower_asm
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.functions.local_variables import lower_declarations
from drystone.frontend.functions.loops import lower_do, lower_for, lower_while
from drystone.frontend.functions.switches import lower_case, lower_default, lower_switch
from drystone.frontend.lowering.builder import Candidate
from drystone.frontend.lowering.places import InMemory, InVariable
from drystone.ir import names
from drystone.ir.automaton import ErrorKind
from drystone.ir.expressions import Address, Expression, InputKind, constant
from drystone.ir.operations import Skip


def lower_statement(lowering: FunctionBody, node: Node) -> None:
    lower = _STATEMENTS.get(node.kind)
    try:
        if lower is not None:
            lower(lowering, node)
        elif is_expression(node):
            lowering.builder.origin = lowering.origin(node.cursor)
            lowering.discard(node)
        else:
            lowering.builder.origin = lowering.origin(node.cursor)
            raise NotSupported(f"statement of libclang kind {node.kind}")
    except NotSupported as refusal:
        lowering.end_refused(refusal)


def _compound(lowering: FunctionBody, node: Node) -> None:
    lowering.scopes.open()
    for child in node.children:
        lowering.statement(child)
    lowering.scopes.leave()


def _unexposed(lowering: FunctionBody, node: Node) -> None:
    """An attributed statement, such as `[[fallthrough]];`: what clang knows of them changes no result (`vocabulary`)."""
    inner = [child for child in node.children if child.kind >= kinds.EXPR_FIRST and child.kind < kinds.ATTR_FIRST]
    if len(inner) != 1:
        lowering.builder.origin = lowering.origin(node.cursor)
        raise NotSupported("statement that libclang does not show")
    lowering.statement(inner[0])


def statement_value(lowering: FunctionBody, node: Node) -> Expression:
    """GNU `({ ... })`: the value of its last expression."""
    body = node.children[0]
    type_ = lowering.type_of(node)
    around = lowering.scopes.current
    lowering.scopes.current = around.opened()
    outer = lowering.builder.origin
    result: Expression = constant(32, 0)
    children = body.children
    last = children[-1] if children else None
    try:
        for child in children:
            if child is last and not isinstance(type_, Void):
                result = _last_value(lowering, child, type_)
            else:
                lowering.statement(child)
        lowering.scopes.leave()
    finally:
        lowering.scopes.current = around
        lowering.builder.origin = outer
    return result


def _last_value(lowering: FunctionBody, node: Node, type_: CType) -> Expression:
    while node.kind == kinds.LABEL_STMT:
        _place_label(lowering, node)
        node = node.children[-1]
    if not is_expression(node):
        raise NotSupported("statement expression whose last statement is no expression")
    lowering.builder.origin = lowering.origin(node.cursor)
    if isinstance(type_, Int) and type_.width > 32 and lowering.bit_fields.gives_narrow_field(node):
        raise NotSupported("bit-field as the value of a statement expression: gcc gives it another type")
    value = lowering.rvalue(node)
    if isinstance(type_, Record):
        address = Address(lowering.memory.temporary_object(type_, names.own("value")), lowering.context.pointer)
        lowering.memory.write(InMemory(address), value, type_)
        return address
    return lowering.builder.keep(value)


def _if(lowering: FunctionBody, node: Node) -> None:
    builder = lowering.builder
    test, then_node, *rest = node.children
    then, otherwise, join = builder.location(), builder.location(), builder.location()
    builder.origin = lowering.origin(test.cursor)
    lowering.branch(test, then, otherwise if rest else join)
    builder.current = then
    lowering.statement(then_node)
    builder.goto(join)
    if rest:
        builder.current = otherwise
        lowering.statement(rest[0])
        builder.goto(join)
    builder.current = join


def _place_label(lowering: FunctionBody, node: Node) -> None:
    location = lowering.jumps.place_label(node.key)
    if spelling(node.cursor) == "ERROR":
        lowering.builder.origin = lowering.origin(node.cursor)
        lowering.builder.candidates.append(Candidate(location, ErrorKind.LABEL, "label ERROR", lowering.builder.origin))
        lowering.builder.emit(Skip("label ERROR"))


def _label(lowering: FunctionBody, node: Node) -> None:
    _place_label(lowering, node)
    lowering.statement(node.children[-1])


def _goto(lowering: FunctionBody, node: Node) -> None:
    lowering.builder.origin = lowering.origin(node.cursor)
    lowering.jumps.goto(label_key(node.children[0]))


def _indirect_goto(lowering: FunctionBody, node: Node) -> None:
    lowering.builder.origin = lowering.origin(node.cursor)
    lowering.jumps.goto_address(lowering.builder.keep(lowering.rvalue(node.children[0])))


def _return(lowering: FunctionBody, node: Node) -> None:
    builder = lowering.builder
    builder.origin = lowering.origin(node.cursor)
    if node.children:
        operand = node.children[0]
        if lowering.result is not None:
            assign(lowering, InVariable(lowering.result), operand, lowering.symbol.type.result)
        elif lowering.result_area is not None:
            lowering.memory.write(InMemory(lowering.result_area), lowering.rvalue(operand), lowering.type_of(operand))
        else:
            lowering.discard(operand)
    elif lowering.result is not None:
        builder.assign(lowering.result, builder.input(lowering.result.sort, InputKind.UNINITIALISED, "missing return value"))
    lowering.scopes.clean_up(lowering.scopes.point(), None)
    lowering.leave()


def _break(lowering: FunctionBody, _: Node) -> None:
    lowering.jumps.leave(lowering.jumps.breaks, "break")


def _continue(lowering: FunctionBody, _: Node) -> None:
    lowering.jumps.leave(lowering.jumps.continues, "continue")


_STATEMENTS: dict[int, Callable[[FunctionBody, Node], None]] = {
    kinds.COMPOUND_STMT: _compound,
    kinds.DECL_STMT: lower_declarations,
    kinds.IF_STMT: _if,
    kinds.WHILE_STMT: lower_while,
    kinds.DO_STMT: lower_do,
    kinds.FOR_STMT: lower_for,
    kinds.SWITCH_STMT: lower_switch,
    kinds.CASE_STMT: lower_case,
    kinds.DEFAULT_STMT: lower_default,
    kinds.LABEL_STMT: _label,
    kinds.GOTO_STMT: _goto,
    kinds.INDIRECT_GOTO: _indirect_goto,
    kinds.BREAK_STMT: _break,
    kinds.CONTINUE_STMT: _continue,
    kinds.RETURN_STMT: _return,
    kinds.ASM_STMT: lower_asm,
    kinds.NULL_STMT: lambda lowering, node: None,
    kinds.UNEXPOSED_STMT: _unexposed,
}
"""Lowers a statement of a kind."""
