"""Switch statements: their labels are collected while the body is lowered, then the value is compared with each."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.types import Int, promote
from drystone.frontend.errors import NotSupported
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.functions.jumps import Case, Switch
from drystone.ir.automaton import MarkKind
from drystone.ir.expressions import constant
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def lower_switch(lowering: FunctionBody, node: Node) -> None:
    builder = lowering.builder
    test, body = [child for child in node.children if child.kind != kinds.DECL_STMT]
    builder.origin = origin = lowering.origin(test.cursor)
    if lowering.bit_fields.own_type(test) is not None:
        raise NotSupported("switch on a bit-field that is wider than int")
    type_ = promote(lowering.type_of(test), lowering.types)
    value = builder.keep(lowering.rvalue(test))
    assert isinstance(type_, Int)
    dispatch = builder.current
    point = lowering.scopes.point()
    builder.current = builder.location()
    after = builder.location()
    switch = Switch()
    lowering.jumps.switches.append(switch)
    lowering.jumps.breaks.append((after, lowering.scopes.current))
    try:
        lowering.statement(body)
    finally:
        lowering.jumps.switches.pop()
        lowering.jumps.breaks.pop()
    builder.goto(after)
    _unseen_cases(lowering, body, switch)
    builder.current = dispatch
    builder.origin = origin
    low_than = "bvsle" if type_.signed else "bvule"
    for case in switch.cases:
        low, high = constant(type_.width, case.low), constant(type_.width, case.high)
        if case.low == case.high:
            test_value = make("=", BOOL, value, low)
        else:
            test_value = make("and", BOOL, make(low_than, BOOL, low, value), make(low_than, BOOL, value, high))
        entry, following = builder.location(), builder.location()
        builder.branch(test_value, entry, following)
        builder.current = entry
        lowering.scopes.enter(point, case.point)
        builder.goto(case.location)
        builder.current = following
    if not switch.is_complete:
        builder.end(MarkKind.UNKNOWN, "label of a switch that is no constant")
    elif switch.default is not None:
        lowering.scopes.enter(point, switch.default.point)
        builder.goto(switch.default.location)
    else:
        builder.goto(after)
    builder.current = after


def _unseen_cases(lowering: FunctionBody, body: Node, switch: Switch) -> None:
    """Labels inside statements that could not be lowered: what follows them is not modelled."""
    stack = [body]
    while stack:
        node = stack.pop()
        if node.kind in (kinds.CASE_STMT, kinds.DEFAULT_STMT) and node.key not in switch.seen:
            location = lowering.builder.location()
            lowering.builder.current = location
            lowering.builder.end(MarkKind.UNKNOWN, "label inside an unsupported statement")
            if node.kind == kinds.DEFAULT_STMT:
                switch.default = Case(0, 0, location, lowering.scopes.point())
            else:
                values = [evaluate(bound.cursor) for bound in node.children[:-1]]
                if all(isinstance(value, int) for value in values):
                    switch.cases.append(Case(int(values[0] or 0), int(values[-1] or 0), location, lowering.scopes.point()))
                else:
                    switch.is_complete = False
        if node.kind != kinds.SWITCH_STMT or node is body:
            stack.extend(node.children)


def lower_case(lowering: FunctionBody, node: Node) -> None:
    *bounds, body = node.children
    lowering.jumps.switches[-1].seen.add(node.key)
    values = [evaluate(bound.cursor) for bound in bounds]
    location = lowering.builder.location()
    lowering.builder.place(location)
    if lowering.jumps.switches and all(isinstance(value, int) for value in values):
        low, high = values[0], values[-1]
        assert isinstance(low, int) and isinstance(high, int)
        if low <= high:
            lowering.jumps.switches[-1].cases.append(Case(low, high, location, lowering.scopes.point()))
    else:
        lowering.jumps.switches[-1].is_complete = False
        lowering.builder.origin = lowering.origin(node.cursor)
        raise NotSupported("case label that is no constant")
    lowering.statement(body)


def lower_default(lowering: FunctionBody, node: Node) -> None:
    location = lowering.builder.location()
    lowering.builder.place(location)
    lowering.jumps.switches[-1].seen.add(node.key)
    lowering.jumps.switches[-1].default = Case(0, 0, location, lowering.scopes.point())
    lowering.statement(node.children[-1])
