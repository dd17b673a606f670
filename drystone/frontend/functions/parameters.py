"""Parameters of a function: the variables that receive its arguments, and the places that these initialise."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.symbols import VariableSymbol
from drystone.frontend.declarations.types import CType, Int, Pointer, Record, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.checks import checked_conversion
from drystone.frontend.functions.array_sizes import evaluate_parameter_sizes
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.functions.entry_arguments import EntryArguments
from drystone.frontend.lowering.conversions import convert
from drystone.frontend.lowering.places import InMemory, InVariable, Place
from drystone.ir import names
from drystone.ir.automaton import MemoryObject, ObjectKind
from drystone.ir.expressions import Address, Expression, Variable
from drystone.ir.operations import Declare


def parameter_nodes(tree: Node, body: Node) -> list[Node]:
    """All parameter declarations outside the body, however deep in the declarator."""
    found = []
    stack = [child for child in tree.children if child is not body]
    while stack:
        node = stack.pop()
        if node.kind == kinds.PARM_DECL:
            found.append(node)
        stack.extend(node.children)
    return found


def lower_parameter(lowering: FunctionBody, node: Node, passed: CType | None, entry: EntryArguments | None) -> Variable:
    """The variable that receives an argument of type `passed` and the place of the parameter that it initialises.

    The two differ where the parameter lies in memory, and in old-style definitions, which receive `char`, `short`
    and `float` arguments after their default promotions. `entry` chooses the argument, if the environment calls the function.
    """
    symbol = lowering.context.symbols.resolve(lowering.unit, node.cursor, lowering.owner)
    assert isinstance(symbol, VariableSymbol)
    builder = lowering.builder
    type_, name = symbol.type, symbol.name or names.own("parameter")
    try:
        evaluate_parameter_sizes(lowering, node, type_)
    except NotSupported as refusal:
        lowering.end_refused(refusal)
    if not isinstance(type_, (Scalar, Record)):
        lowering.end_unsupported(f"parameter of type {type_}")  # this function ends here, the others go on
        return builder.variable(name, lowering.context.pointer, symbol.spelling)
    if not isinstance(passed, Scalar) or not isinstance(type_, Scalar) or passed.sort == type_.sort:
        passed = type_
    if passed is not type_ and isinstance(type_, Int) and type_.is_bool:
        lowering.end_unsupported("parameter of type _Bool in an old-style definition")  # gcc does not convert the argument
    in_memory = isinstance(type_, Record) or symbol.in_memory
    sort = passed.sort if isinstance(passed, Scalar) else lowering.context.pointer
    incoming = builder.variable(names.derived(name, "in") if in_memory or passed is not type_ else name, sort, symbol.spelling)
    if entry is not None:
        is_third = len(lowering.symbol.type.parameters) == 3 and not entry.is_after_count and isinstance(passed, Pointer)
        entry.choose(incoming, passed, symbol.name, _mentions(lowering, symbol.name), is_third)
    where: Place
    if in_memory:
        unique = builder.fresh_name(name)
        builder.objects[unique] = MemoryObject(
            unique,
            type_.size,
            lowering.alignment(node, type_),
            ObjectKind.LOCAL,
            symbol.spelling,
            origin=lowering.origin(node.cursor),
        )
        where = InMemory(Address(unique, lowering.context.pointer))
        builder.emit(Declare(unique))
        builder.approved.add(incoming)
        lowering.scopes.begin(where, type_)
        lowering.ends_with_frame.append(where.address)
    elif passed is not type_ and isinstance(type_, Scalar):
        where = InVariable(builder.variable(name, type_.sort, symbol.spelling))
    else:
        lowering.locals[node.cursor.d0] = InVariable(incoming)
        return incoming
    value: Expression = incoming
    if isinstance(type_, Scalar):
        value = convert(builder, checked_conversion(lowering, node, value, passed, type_), passed, type_)
    lowering.memory.write(where, value, type_)
    lowering.locals[node.cursor.d0] = where
    return incoming


def _mentions(lowering: FunctionBody, name: str) -> bool:
    """Does the function refer to something of this name?"""
    stack = [lowering.symbol.tree] if lowering.symbol.tree is not None else []
    while stack:
        node = stack.pop()
        if node.kind == kinds.DECL_REF_EXPR and spelling(node.cursor) == name:
            return True
        stack.extend(node.children)
    return lowering.symbol.tree is None
