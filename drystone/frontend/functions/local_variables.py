"""Declarations: locals and their scopes, parameters, sizes of types; and what the environment passes to the entry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from typing import NamedTuple

import msgspec

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate, pretty_print, spelling
from drystone.frontend.clang.nodes import EFFECTS, Node, tree_of
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol, is_expression
from drystone.frontend.declarations.types import Array, CType, Int, Pointer, Record, Scalar, is_variably_modified
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.initialisation import initialise
from drystone.frontend.functions.calls import CallLowering
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import convert, is_signed, resize
from drystone.frontend.lowering.environment import EXTERNAL_MEMORY
from drystone.frontend.lowering.places import InMemory, InVariable, Place
from drystone.ir import names
from drystone.ir.automaton import Approximation, MarkKind, MemoryObject, ObjectKind
from drystone.ir.expressions import Address, Constant, Determinant, Expression, InputKind, Variable, constant, load
from drystone.ir.operations import Allocate, Assume, Call, Declare, Lifetime, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, BitVec, bitvec


class Local(NamedTuple):
    """A declared variable, and the call that its attribute `cleanup` asks for where its scope is left."""

    place: Place
    type: CType
    name: str
    cleanup: Call | None = None


class Scope(msgspec.Struct, eq=False):
    """A block; `declared` are its locals so far, in order."""

    parent: Scope | None
    declared: list[Local] = []
    path: tuple[int, ...] = ()  # numbers of the blocks around it and its own
    inner: int = 0  # blocks in it so far

    def opened(self) -> Scope:
        """A block in this one."""
        self.inner += 1
        return Scope(self, path=(*self.path, self.inner))


_MOST_ARGUMENTS = 1 << 24
"""Of main: Linux passes at most 6 MB of them, with their pointers."""
_FEW_ARGUMENTS = 8


class DeclarationLowering(CallLowering):
    """Lowers the declarations of one function."""

    def __init__(self, context: Context, symbol: FunctionSymbol, name: str | None = None) -> None:
        super().__init__(context, symbol.unit, Builder(name or symbol.name, context.is_global, context.word), symbol.name)
        self.symbol = symbol
        self.scope = Scope(None)
        self._argument_count: Variable | None = None

    def block(self) -> tuple[int, ...]:
        return self.scope.path

    def end_unsupported(self, what: str) -> None:
        """Control that gets here goes on in a way that is not modelled."""
        self.context.unsupported.append(Approximation("unsupported", what, self.builder.origin))
        self.builder.end(MarkKind.UNKNOWN, f"unsupported: {what}")

    # parameters

    def parameter_nodes(self, tree: Node, body: Node) -> list[Node]:
        """All parameter declarations outside the body, however deep in the declarator."""
        found = []
        stack = [child for child in tree.children if child is not body]
        while stack:
            node = stack.pop()
            if node.kind == kinds.PARM_DECL:
                found.append(node)
            stack.extend(node.children)
        return found

    def lower_parameter(self, node: Node, passed: CType | None, is_entry: bool) -> Variable:
        """The variable that receives an argument of type `passed` and the place of the parameter that it initialises.

        The two differ where the parameter lies in memory, and in old-style definitions, which receive `char`, `short`
        and `float` arguments after their default promotions.
        """
        symbol = self.context.symbols.resolve(self.unit, node.cursor, self.owner)
        assert isinstance(symbol, VariableSymbol)
        builder = self.builder
        type_, name = symbol.type, symbol.name or names.own("parameter")
        try:
            self._parameter_sizes(node, type_)
        except NotSupported as refusal:
            self.end_unsupported(refusal.what)
        if not isinstance(type_, (Scalar, Record)):
            self.end_unsupported(f"parameter of type {type_}")  # this function ends here, the others go on
            return builder.variable(name, self.context.pointer, symbol.spelling)
        if not isinstance(passed, Scalar) or not isinstance(type_, Scalar) or passed.sort == type_.sort:
            passed = type_
        if passed is not type_ and isinstance(type_, Int) and type_.is_bool:
            self.end_unsupported("parameter of type _Bool in an old-style definition")  # gcc does not convert the argument
        in_memory = isinstance(type_, Record) or symbol.in_memory
        sort = passed.sort if isinstance(passed, Scalar) else self.context.pointer
        incoming = builder.variable(
            names.derived(name, "in") if in_memory or passed is not type_ else name, sort, symbol.spelling
        )
        if is_entry:
            is_third = len(self.symbol.type.parameters) == 3 and self._argument_count is None and isinstance(passed, Pointer)
            self.choose_argument(incoming, passed, symbol.name, self._mentions(symbol.name), is_third)
        where: Place
        if in_memory:
            unique = builder.fresh_name(name)
            builder.objects[unique] = MemoryObject(
                unique,
                type_.size,
                self.alignment(node, type_),
                ObjectKind.LOCAL,
                symbol.spelling,
                origin=self.origin(node.cursor),
            )
            where = InMemory(Address(unique, self.context.pointer))
            builder.emit(Declare(unique))
        elif passed is not type_ and isinstance(type_, Scalar):
            where = InVariable(builder.variable(name, type_.sort, symbol.spelling))
        else:
            self.locals[node.cursor.d0] = InVariable(incoming)
            return incoming
        value = convert(builder, incoming, passed, type_) if isinstance(type_, Scalar) else incoming
        self.memory.write(where, value, type_)
        self.locals[node.cursor.d0] = where
        return incoming

    def _parameter_sizes(self, node: Node, type_: CType) -> None:
        """Evaluates the sizes of a parameter that is declared as an array; the outermost one only for its side effects.

        Elements that are arrays by a typedef have no size expression, and typeof may have any: what is not sure to belong
        together is refused.
        """
        sizes, levels, inner = self._sizes(node), list[Array](), type_.target if isinstance(type_, Pointer) else type_
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
            self._dimensions(sizes, type_.target)
        for size in sizes[len(levels) :]:
            self.discard(size)

    # what the environment passes

    def choose_argument(self, variable: Variable, type_: CType, name: str, is_used: bool, is_third: bool) -> None:
        """The environment calls the entry: any value; a pointer is NULL or points to fresh memory (main's: the latter).

        The number of arguments of main is not negative, and they end with NULL (C11, 5.1.2.2.1), where main has the form that the
        standard gives it.
        """
        builder = self.builder
        is_main = self.symbol.name == "main" and len(self.symbol.type.parameters) > 1
        if isinstance(type_, Record):
            size = self.pointer_constant(type_.size)
            builder.emit(Allocate(variable, size, False, Lifetime.HEAP, name, determinant=Determinant.ARGUMENT))
        elif is_main and is_used and isinstance(type_, Pointer) and self._argument_count is not None:
            self._strings(variable, self._argument_count, "argv")
        elif is_main and is_used and isinstance(type_, Pointer) and is_third:
            count = builder.variable(names.own("environment"), bitvec(32))
            builder.assign(count, self.environment.approximated(count.sort, "environment"))
            self._strings(variable, count, "envp")
        elif isinstance(type_, Pointer):
            is_there = None if self.symbol.name == "main" else (f"{name} is not NULL", Determinant.ARGUMENT)
            builder.assign(variable, self.environment.fresh_pointer(type_, name, Determinant.ARGUMENT, is_there))
        elif isinstance(type_, Scalar):
            builder.assign(variable, self.environment.any_value(type_, InputKind.EXTERNAL, name, Determinant.ARGUMENT))
            if is_main and isinstance(variable.sort, BitVec):
                builder.emit(Assume(make("bvult", BOOL, variable, Constant(variable.sort, _MOST_ARGUMENTS))))
                self._argument_count = variable
                return
        self._argument_count = None

    @contextmanager
    def _unless(self, condition: Expression) -> Iterator[None]:
        """What is lowered there happens where the condition does not hold."""
        builder, otherwise, join = self.builder, self.builder.location(), self.builder.location()
        builder.branch(condition, join, otherwise)
        builder.current = otherwise
        yield
        builder.place(join)

    def _mentions(self, name: str) -> bool:
        """Does the function refer to something of this name?"""
        stack = [self.symbol.tree] if self.symbol.tree is not None else []
        while stack:
            node = stack.pop()
            if node.kind == kinds.DECL_REF_EXPR and spelling(node.cursor) == name:
                return True
            stack.extend(node.children)
        return self.symbol.tree is None

    def _strings(self, variable: Variable, count: Variable, what: str) -> None:
        """As many pointers to strings, each of them an object of its own, then NULL.

        Only the first few are made; that there are more counts as approximated, since they might be anything here. So does what
        is at the end of such an object: the string may go on there, but it ends somewhere.
        """
        builder, width = self.builder, self.context.pointer_width
        few, word = Constant(count.sort, _FEW_ARGUMENTS), self.pointer_constant(width // 8)
        with self._unless(make("bvult", BOOL, count, few)):
            builder.assign(count, self.environment.approximated(count.sort, "argc"))
            builder.emit(Assume(make("bvult", BOOL, count, Constant(count.sort, _MOST_ARGUMENTS))))
        size = make("bvadd", word.sort, resize(count, width, False), self.pointer_constant(_FEW_ARGUMENTS))
        whole = make("bvmul", word.sort, size, word)
        builder.emit(Allocate(variable, whole, False, Lifetime.HEAP, what, determinant=Determinant.ARGUMENT))
        ends, are_ended = list[Expression](), list[Expression]()
        for index in range(_FEW_ARGUMENTS):
            text, room = builder.temporary(word.sort), self.pointer_constant(EXTERNAL_MEMORY)
            string = f"{what}[{index}]"
            builder.emit(Allocate(text, room, False, Lifetime.HEAP, string, align=1, determinant=Determinant.STRING))
            builder.emit(Store(self.memory.offset(variable, index * width // 8), text))
            ends.append(self.memory.offset(text, EXTERNAL_MEMORY - 1))
            are_ended.append(make("=", BOOL, load(bitvec(8), ends[-1]), constant(8, 0)))
        with self._unless(reduce(lambda one, other: make("and", BOOL, one, other), are_ended)):
            for end in ends:
                builder.emit(Store(end, self.environment.approximated(bitvec(8), "end of a string")))
        distance = make("scale", word.sort, resize(count, width, False), word)
        builder.emit(Store(make("bvadd", word.sort, variable, distance), self.pointer_constant(0)))

    # locals

    def lower_declarations(self, node: Node) -> None:
        for child in node.children:
            if child.kind == kinds.TYPEDEF_DECL and child.effects == EFFECTS:
                self.builder.origin = self.origin(child.cursor)
                self.end_unsupported("typedef whose size has side effects")
            elif child.kind == kinds.TYPEDEF_DECL:
                self._typedef(child)
            if child.kind == kinds.VAR_DECL:
                try:
                    self.builder.origin = self.origin(child.cursor)
                    self._variable(child)
                except NotSupported as refusal:
                    self.end_unsupported(refusal.what)

    def _typedef(self, node: Node) -> None:
        """A variable length array type has the size that it has at its typedef (C11 6.7.8), or none if that is not understood."""
        type_ = self.type_of(node)
        if isinstance(type_, Array) and type_.count == -2:
            self.builder.origin = self.origin(node.cursor)
            with suppress(NotSupported):
                self._dimensions(self._sizes(node), type_)

    def _variable(self, node: Node) -> None:
        symbol = self.context.symbols.resolve(self.unit, node.cursor, self.owner)
        assert isinstance(symbol, VariableSymbol)
        if symbol.is_global:
            return  # static or extern: lives with the globals
        if symbol.refused:
            raise NotSupported(f"local {symbol.name}: {symbol.refused}")
        type_ = symbol.type
        self._refuse_effects_in_type(node)
        initialiser_cursor = self.lib.clang_Cursor_getVarDeclInitializer(node.cursor)
        initialiser: Node | None = None
        if kinds.EXPR_FIRST <= initialiser_cursor.kind <= kinds.EXPR_LAST:
            initialiser = next((child for child in node.children if child.key == initialiser_cursor.d1), None)
            if initialiser is None:
                initialiser = tree_of(initialiser_cursor)
        if (
            initialiser is not None
            and self.bit_fields.own_type(initialiser) is not None
            and "__auto_type" in self.unit.clang.tokens.of(node.cursor)
        ):
            raise NotSupported("variable that takes its type from a bit-field")
        if isinstance(type_, Array) and type_.size < 0:
            if symbol.cleanup is not None:
                raise NotSupported("attribute cleanup of a variable length array")
            self._variable_length_array(node, symbol, type_)
            return
        where = self._local(node, symbol, type_)
        local = Local(where, type_, symbol.name)
        self.scope.declared.append(local)
        if initialiser is None or self._refers_to_itself(initialiser, node):
            self.memory.havoc(where, type_, InputKind.UNINITIALISED, symbol.name, Determinant.LOCAL)
        if initialiser is not None:
            initialise(self, where, type_, initialiser)
        if symbol.cleanup is not None:
            self.scope.declared[-1] = local._replace(cleanup=self._cleanup_call(symbol.cleanup, where))

    def _cleanup_call(self, function: FunctionSymbol, where: Place) -> Call:
        parameters = function.type.parameters
        is_plain = len(parameters) == 1 and isinstance(parameters[0], Pointer) and not function.type.variadic
        if function.definition is None or function.refused or not is_plain or isinstance(function.type.result, Record):
            raise NotSupported(f"attribute cleanup with {function.name}")
        return Call(function.name, (self.memory.address_of(where),), None)

    def _refuse_effects_in_type(self, declaration: Node) -> None:
        """`typeof(int[n++]) *p` evaluates `n++`, as the sizes of an array are; only the latter are lowered."""
        initialiser = self.lib.clang_Cursor_getVarDeclInitializer(declaration.cursor)
        type_ = self.types.of(declaration.cursor)
        if not is_variably_modified(type_):
            return  # the operands of typeof are not evaluated
        lowered = self._sizes(declaration) if isinstance(type_, Array) and type_.size < 0 else []
        for child in declaration.children:
            if child.effects == EFFECTS and child.key != initialiser.d1 and child not in lowered:
                raise NotSupported(f"side effect in the type of a declaration: {self.text(child)}")

    def _refers_to_itself(self, initialiser: Node, declaration: Node) -> bool:
        """`int x = x;` reads the uninitialised x; also `struct s *p = malloc(sizeof *p)` is found, harmlessly."""
        stack = [initialiser]
        while stack:
            node = stack.pop()
            if node.kind == kinds.DECL_REF_EXPR and self.lib.clang_getCursorReferenced(node.cursor).d0 == declaration.cursor.d0:
                return True
            stack.extend(node.children)
        return False

    def _local(self, node: Node, symbol: VariableSymbol, type_: CType) -> Place:
        """The place of a local, created where its declaration is lowered first."""
        builder = self.builder
        known = self.locals.get(node.cursor.d0)
        if known is not None:
            return known
        where: Place
        if symbol.in_memory:
            if type_.size < 0:
                raise NotSupported(f"local {symbol.name} of type {type_}")
            name = builder.fresh_name(symbol.name)
            align = self.alignment(node, type_)
            builder.objects[name] = MemoryObject(
                name, type_.size, align, ObjectKind.LOCAL, symbol.spelling, origin=builder.origin, block=self.scope.path
            )
            where = InMemory(Address(name, self.context.pointer))
        elif isinstance(type_, Scalar):
            where = InVariable(builder.variable(symbol.name, type_.sort, symbol.spelling))
        else:
            raise NotSupported(f"local {symbol.name} of type {type_}")
        self.locals[node.cursor.d0] = where
        return where

    def _variable_length_array(self, node: Node, symbol: VariableSymbol, type_: Array) -> None:
        builder = self.builder
        self._dimensions(self._sizes(node), type_)
        known = self.locals.get(node.cursor.d0)
        if isinstance(known, InMemory) and isinstance(known.address, Variable):
            base = known.address
        else:
            base = builder.variable(symbol.name, self.context.pointer, symbol.spelling)
            self.locals[node.cursor.d0] = InMemory(base)
        builder.emit(Allocate(base, self.size_of(type_), False, Lifetime.FRAME, symbol.name))

    def _sizes(self, node: Node) -> list[Node]:
        """The size expressions of a declarator: they stand behind the name (the operands of typeof before it).

        Where one macro makes the name and an expression, their places do not tell which is which.
        """
        expressions = [child for child in node.children if is_expression(child)]
        unit = self.unit.clang
        if not expressions or "typeof" not in pretty_print(node.cursor):
            return expressions
        name = unit.source.position(self.lib.clang_getCursorLocation(node.cursor))
        places = [unit.source.extent(child.cursor)[:3] for child in expressions]
        if any(place == name or place[0] != name[0] for place in places):
            raise NotSupported("typeof in a declaration that a macro makes")
        return [child for child, place in zip(expressions, places, strict=True) if place > name]

    def _dimensions(self, sizes: list[Node], type_: CType) -> None:
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
                count: Expression = self.pointer_constant(level.count)
            elif level.count == -2 and id(level) in by_level:
                node = by_level[id(level)]
                count = resize(self.rvalue(node), self.context.pointer_width, is_signed(self.type_of(node)))
            elif id(level) in self.array_sizes:
                continue  # a typedef's
            else:
                raise NotSupported(f"size of {type_}")
            self.array_sizes[id(level)] = self.builder.keep(make("bvmul", count.sort, count, self.size_of(level.element)))
