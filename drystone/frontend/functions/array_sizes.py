"""Sizes of variable length arrays: which expressions give them, and when they are evaluated."""

from __future__ import annotations

from drystone.frontend.clang.cursors import evaluate, pretty_print
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import is_expression
from drystone.frontend.declarations.types import Array, CType, Pointer
from drystone.frontend.errors import NotSupported
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.lowering.conversions import is_signed, resize
from drystone.ir.expressions import Expression
from drystone.ir.simplify import make


def size_expressions(lowering: FunctionBody, node: Node) -> list[Node]:
    """The size expressions of a declarator: they stand behind the name (the operands of typeof before it).

    Where one macro makes the name and an expression, their places do not tell which is which.
    """
    expressions = [child for child in node.children if is_expression(child)]
    unit = lowering.unit.clang
    if not expressions or "typeof" not in pretty_print(node.cursor):
        return expressions
    name = unit.source.position(lowering.lib.clang_getCursorLocation(node.cursor))
    places = [unit.source.extent(child.cursor)[:3] for child in expressions]
    if any(place == name or place[0] != name[0] for place in places):
        raise NotSupported("typeof in a declaration that a macro makes")
    return [child for child, place in zip(expressions, places, strict=True) if place > name]


def evaluate_dimensions(lowering: FunctionBody, sizes: list[Node], type_: CType) -> None:
    """Evaluates the sizes of a variably modified type.

    libclang lists the size expressions innermost first, constant ones too, but none for a dimension that
    comes from a typedef; a parameter's outermost dimension may be listed although it is a pointer.
    """
    levels: list[Array] = []
    inner: CType = type_
    while isinstance(inner, Array):
        levels.append(inner)
        inner = inner.element
    if len(sizes) >= len(levels):
        by_level = dict(zip(map(id, reversed(levels)), sizes, strict=False))
    else:
        by_level = dict(zip(map(id, levels), reversed(sizes), strict=False))
    for level in reversed(levels):
        if level.size >= 0:
            continue
        if level.count >= 0:
            count: Expression = lowering.pointer_constant(level.count)
        elif level.count == -2 and id(level) in by_level:
            node = by_level[id(level)]
            count = resize(lowering.rvalue(node), lowering.context.pointer_width, is_signed(lowering.type_of(node)))
        elif id(level) in lowering.array_sizes:
            continue  # a typedef's
        else:
            raise NotSupported(f"size of {type_}")
        lowering.array_sizes[id(level)] = lowering.builder.keep(make("bvmul", count.sort, count, lowering.size_of(level.element)))


def evaluate_parameter_sizes(lowering: FunctionBody, node: Node, type_: CType) -> None:
    """Evaluates the sizes of a parameter that is declared as an array; the outermost one only for its side effects.

    Elements that are arrays by a typedef have no size expression, and typeof may have any: what is not sure to belong
    together is refused.
    """
    sizes, levels, inner = size_expressions(lowering, node), list[Array](), type_.target if isinstance(type_, Pointer) else type_
    while isinstance(inner, Array):
        levels, inner = [inner, *levels], inner.element
    variable = [level for level in levels if level.count < 0]
    operands = [child for child in node.children if is_expression(child) and child not in sizes]
    if operands and (variable or any(operand.effects == EFFECTS for operand in operands)):
        raise NotSupported("typeof in the type of a parameter")
    if sum(size.effects == EFFECTS for size in sizes) > 1:
        raise NotSupported("several side effects in the type of a parameter")
    if not variable:
        levels = []
    elif len(variable) < len(levels):
        values = [evaluate(size.cursor) for size in sizes]
        if values[: len(levels)] != [level.count if level.count >= 0 else None for level in levels]:
            raise NotSupported(f"size of {type_}")
    if sizes and isinstance(type_, Pointer):
        evaluate_dimensions(lowering, sizes, type_.target)
    for size in sizes[len(levels) :]:
        lowering.discard(size)
