"""Loops."""

from __future__ import annotations

from drystone.frontend.clang.nodes import Node
from drystone.frontend.errors import NotSupported
from drystone.frontend.functions.body import FunctionBody
from drystone.ir.operations import Skip


def lower_while(lowering: FunctionBody, node: Node) -> None:
    builder = lowering.builder
    test, body = node.children
    head, inside, after = builder.location(), builder.location(), builder.location()
    _place_head(lowering, head, test)
    builder.origin = lowering.origin(test.cursor)
    lowering.branch(test, inside, after)
    builder.current = inside
    _loop_body(lowering, body, after, head)
    builder.goto(head)
    builder.current = after


def lower_do(lowering: FunctionBody, node: Node) -> None:
    builder = lowering.builder
    body, test = node.children
    head, check, after = builder.location(), builder.location(), builder.location()
    _place_head(lowering, head, node)
    _loop_body(lowering, body, after, check)
    builder.place(check)
    builder.origin = lowering.origin(test.cursor)
    lowering.branch(test, head, after)
    builder.current = after


def lower_for(lowering: FunctionBody, node: Node) -> None:
    builder = lowering.builder
    first, test, step, body = _for_parts(lowering, node)
    lowering.scopes.open()
    if first is not None:
        lowering.statement(first)
    head, inside, advance, after = builder.location(), builder.location(), builder.location(), builder.location()
    _place_head(lowering, head, test or node)
    if test is not None:
        builder.origin = lowering.origin(test.cursor)
        lowering.branch(test, inside, after)
        builder.current = inside
    _loop_body(lowering, body, after, advance)
    builder.place(advance)
    if step is not None:
        lowering.statement(step)
    builder.goto(head)
    builder.current = after
    lowering.scopes.leave()


def _place_head(lowering: FunctionBody, head: int, where: Node) -> None:
    """With --unwind, a location that is the head of this loop alone: those of nested loops would be counted together."""
    lowering.builder.place(head)
    if lowering.context.keeps_loops_apart:
        lowering.builder.origin = lowering.origin(where.cursor)
        lowering.builder.emit(Skip("loop"))


def _loop_body(lowering: FunctionBody, body: Node, on_break: int, on_continue: int) -> None:
    lowering.jumps.breaks.append((on_break, lowering.scopes.current))
    lowering.jumps.continues.append((on_continue, lowering.scopes.current))
    try:
        lowering.statement(body)
    finally:
        lowering.jumps.breaks.pop()
        lowering.jumps.continues.pop()


def _for_parts(lowering: FunctionBody, node: Node) -> tuple[Node | None, Node | None, Node | None, Node]:
    """libclang lists only the parts that are there; which ones, the text says."""
    *present, body = node.children
    if len(present) == 3:
        return present[0], present[1], present[2], body
    if not present:
        return None, None, None, body
    there = lowering.for_headers.of(node)
    if there is None:
        lowering.builder.origin = lowering.origin(node.cursor)
        raise NotSupported("for statement written through macros with parts left out")
    parts = iter(present)
    first, test, step = (next(parts) if part else None for part in there)
    return first, test, step, body
