"""Declarations of locals."""

from __future__ import annotations

from contextlib import suppress

from drystone.frontend.clang import kinds
from drystone.frontend.clang.nodes import EFFECTS, Node, tree_of
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol
from drystone.frontend.declarations.types import Array, CType, Pointer, Record, Scalar, is_variably_modified
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.checks import is_unchecked
from drystone.frontend.expressions.initialisation import initialise
from drystone.frontend.functions.array_sizes import evaluate_dimensions, size_expressions
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.functions.scopes import Local
from drystone.frontend.lowering.places import InMemory, InVariable, Place
from drystone.ir.automaton import MemoryObject, ObjectKind
from drystone.ir.expressions import Address, Determinant, InputKind, Variable
from drystone.ir.operations import Allocate, Call, Lifetime


def lower_declarations(lowering: FunctionBody, node: Node) -> None:
    for child in node.children:
        if child.kind == kinds.TYPEDEF_DECL and child.effects == EFFECTS:
            lowering.builder.origin = lowering.origin(child.cursor)
            lowering.end_unsupported("typedef whose size has side effects")
        elif child.kind == kinds.TYPEDEF_DECL:
            _typedef(lowering, child)
        if child.kind == kinds.VAR_DECL:
            try:
                lowering.builder.origin = lowering.origin(child.cursor)
                _variable(lowering, child)
            except NotSupported as refusal:
                lowering.end_refused(refusal)


def _typedef(lowering: FunctionBody, node: Node) -> None:
    """A variable length array type has the size that it has at its typedef (C11 6.7.8), or none if that is not understood."""
    type_, is_evaluated = lowering.type_of(node), False
    lowering.builder.origin = lowering.origin(node.cursor)
    if isinstance(type_, Array) and type_.count == -2:
        with suppress(NotSupported):
            evaluate_dimensions(lowering, size_expressions(lowering, node), type_)
            is_evaluated = True
    if not is_evaluated and is_variably_modified(type_) and any(is_unchecked(lowering, child) for child in node.children):
        lowering.end_unsupported("checks of the size of a type")


def _variable(lowering: FunctionBody, node: Node) -> None:
    symbol = lowering.context.symbols.resolve(lowering.unit, node.cursor, lowering.owner)
    assert isinstance(symbol, VariableSymbol)
    if symbol.is_global:
        return  # static or extern: lives with the globals
    if symbol.refused:
        raise NotSupported(f"local {symbol.name}: {symbol.refused}")
    type_ = symbol.type
    _refuse_effects_in_type(lowering, node)
    initialiser_cursor = lowering.lib.clang_Cursor_getVarDeclInitializer(node.cursor)
    initialiser: Node | None = None
    if kinds.EXPR_FIRST <= initialiser_cursor.kind <= kinds.EXPR_LAST:
        initialiser = next((child for child in node.children if child.key == initialiser_cursor.d1), None)
        if initialiser is None:
            initialiser = tree_of(initialiser_cursor)
    if (
        initialiser is not None
        and lowering.bit_fields.own_type(initialiser) is not None
        and "__auto_type" in lowering.unit.clang.tokens.of(node.cursor)
    ):
        raise NotSupported("variable that takes its type from a bit-field")
    if isinstance(type_, Array) and type_.size < 0:
        if symbol.cleanup is not None:
            raise NotSupported("attribute cleanup of a variable length array")
        _variable_length_array(lowering, node, symbol, type_)
        return
    where = _local(lowering, node, symbol, type_)
    local = Local(where, type_, symbol.name)
    lowering.scopes.current.declared.append(local)
    lowering.scopes.begin(where, type_)
    if initialiser is None or _refers_to_itself(lowering, initialiser, node):
        lowering.memory.havoc(where, type_, InputKind.UNINITIALISED, symbol.name, Determinant.LOCAL)
    if initialiser is not None:
        initialise(lowering, where, type_, initialiser)
    if symbol.cleanup is not None:
        lowering.scopes.current.declared[-1] = local._replace(cleanup=_cleanup_call(lowering, symbol.cleanup, where))


def _cleanup_call(lowering: FunctionBody, function: FunctionSymbol, where: Place) -> Call:
    parameters = function.type.parameters
    is_plain = len(parameters) == 1 and isinstance(parameters[0], Pointer) and not function.type.variadic
    if function.definition is None or function.refused or not is_plain or isinstance(function.type.result, Record):
        raise NotSupported(f"attribute cleanup with {function.name}")
    return Call(function.name, (lowering.memory.address_of(where),), None)


def _refuse_effects_in_type(lowering: FunctionBody, declaration: Node) -> None:
    """`typeof(int[n++]) *p` evaluates `n++`, as the sizes of an array are; only the latter are lowered."""
    initialiser = lowering.lib.clang_Cursor_getVarDeclInitializer(declaration.cursor)
    type_ = lowering.types.of(declaration.cursor)
    if not is_variably_modified(type_):
        return  # the operands of typeof are not evaluated
    lowered = size_expressions(lowering, declaration) if isinstance(type_, Array) and type_.size < 0 else []
    for child in declaration.children:
        if child.key == initialiser.d1 or child in lowered:
            continue
        if child.effects == EFFECTS:
            raise NotSupported(f"side effect in the type of a declaration: {lowering.text(child)}")
        if is_unchecked(lowering, child):
            raise NotSupported(f"checks of the type of a declaration: {lowering.text(child)}")


def _refers_to_itself(lowering: FunctionBody, initialiser: Node, declaration: Node) -> bool:
    """`int x = x;` reads the uninitialised x; also `struct s *p = malloc(sizeof *p)` is found, harmlessly."""
    stack = [initialiser]
    while stack:
        node = stack.pop()
        if node.kind == kinds.DECL_REF_EXPR and lowering.lib.clang_getCursorReferenced(node.cursor).d0 == declaration.cursor.d0:
            return True
        stack.extend(node.children)
    return False


def _local(lowering: FunctionBody, node: Node, symbol: VariableSymbol, type_: CType) -> Place:
    """The place of a local, created where its declaration is lowered first."""
    builder = lowering.builder
    known = lowering.locals.get(node.cursor.d0)
    if known is not None:
        return known
    where: Place
    if symbol.in_memory:
        if type_.size < 0:
            raise NotSupported(f"local {symbol.name} of type {type_}")
        name = builder.fresh_name(symbol.name)
        align = lowering.alignment(node, type_)
        builder.objects[name] = MemoryObject(
            name, type_.size, align, ObjectKind.LOCAL, symbol.spelling, origin=builder.origin, block=lowering.scopes.current.path
        )
        where = InMemory(Address(name, lowering.context.pointer))
    elif isinstance(type_, Scalar):
        where = InVariable(builder.variable(symbol.name, type_.sort, symbol.spelling))
        if builder.shadows is not None:
            flag = builder.shadows.follow(where.variable)
            builder.variables[flag.name] = flag
    else:
        raise NotSupported(f"local {symbol.name} of type {type_}")
    lowering.locals[node.cursor.d0] = where
    return where


def _variable_length_array(lowering: FunctionBody, node: Node, symbol: VariableSymbol, type_: Array) -> None:
    builder = lowering.builder
    evaluate_dimensions(lowering, size_expressions(lowering, node), type_)
    known = lowering.locals.get(node.cursor.d0)
    if isinstance(known, InMemory) and isinstance(known.address, Variable):
        base = known.address
    else:
        base = builder.variable(symbol.name, lowering.context.pointer, symbol.spelling)
        lowering.locals[node.cursor.d0] = InMemory(base)
        lowering.scopes.current.ending.append(base)
        lowering.frame_variables.append(base)
    lowering.scopes.end(base)  # the one before, where a jump leads back
    builder.emit(Allocate(base, lowering.size_of(type_), False, Lifetime.FRAME, symbol.name))
