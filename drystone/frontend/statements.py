"""C statements as edges: control flow, declarations, scopes, labels, asm.

A local is an input each time its declaration is reached, and also where a jump enters its scope past the
declaration. So gotos are resolved at the end of the function, when every label's scope is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import reduce
from typing import NamedTuple

import msgspec

from drystone.frontend import clang
from drystone.frontend.assembly import Assembly, PortInput, parsed, printed_asms
from drystone.frontend.builder import Builder, Candidate, ErrorKind
from drystone.frontend.calls import CallLowering
from drystone.frontend.clang import Node
from drystone.frontend.confined import aggregate_of, confined
from drystone.frontend.context import Context
from drystone.frontend.conversions import convert, is_signed, resize
from drystone.frontend.errors import NotSupported
from drystone.frontend.initialisers import strip
from drystone.frontend.library.control import run_exit_handlers
from drystone.frontend.lowering import EXTERNAL_MEMORY, InMemory, InVariable, Place
from drystone.frontend.symbols import FunctionSymbol, VariableSymbol, is_expression
from drystone.frontend.types import Array, CType, Int, Pointer, Record, Scalar, Void, is_variably_modified, promote
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Approximation, MarkKind, MemoryObject, ObjectKind, Origin, Procedure
from drystone.ir.expressions import Address, Constant, Expression, InputKind, Variable, constant, load
from drystone.ir.operations import Allocate, Assume, Call, Declare, Lifetime, Skip, Store
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


class Point(msgspec.Struct, frozen=True):
    """A place in the text: the innermost scope and how many of its locals were declared there, outwards."""

    scope: Scope
    counts: dict[int, int]  # id(scope) -> number of declared locals, for all enclosing scopes


class Case(msgspec.Struct):
    low: int
    high: int
    location: int
    point: Point


class Switch(msgspec.Struct):
    seen: set[int] = set()  # case and default labels that were lowered
    cases: list[Case] = []
    default: Case | None = None
    is_complete: bool = True  # false: the value of a label is not known


_MOST_ARGUMENTS = 1 << 24
"""Of main: Linux passes at most 6 MB of them, with their pointers."""
_FEW_ARGUMENTS = 8


class FunctionLowering(CallLowering):
    """Lowers one function."""

    def __init__(self, context: Context, symbol: FunctionSymbol, name: str | None = None) -> None:
        super().__init__(context, symbol.unit, Builder(name or symbol.name, context.is_global, context.word), symbol.name)
        self.symbol = symbol
        self.result: Variable | None = None
        self.parameters: tuple[Variable, ...] = ()
        self._result_area: Variable | None = None
        self._scope = Scope(None)
        self._breaks: list[tuple[int, Scope]] = []  # where to go, and the scope around the loop
        self._continues: list[tuple[int, Scope]] = []
        self._switches: list[Switch] = []
        self._labels: dict[int, tuple[int, Point]] = {}  # by the label's statement
        self._gotos: list[tuple[int, int, Point, Origin]] = []
        self._computed: list[tuple[int, Expression, Point, Origin]] = []
        self._printed: list[tuple[bool, bool, bool] | None] | None = None
        self._confined: frozenset[int] | None = None  # not looked for yet
        self._procedure_origin = NOWHERE
        self._argument_count: Variable | None = None
        self._statements = {
            clang.COMPOUND_STMT: self._compound,
            clang.DECL_STMT: self._declarations,
            clang.IF_STMT: self._if,
            clang.WHILE_STMT: self._while,
            clang.DO_STMT: self._do,
            clang.FOR_STMT: self._for,
            clang.SWITCH_STMT: self._switch,
            clang.CASE_STMT: self._case,
            clang.DEFAULT_STMT: self._default,
            clang.LABEL_STMT: self._label,
            clang.GOTO_STMT: self._goto,
            clang.INDIRECT_GOTO: self._indirect_goto,
            clang.BREAK_STMT: lambda _: self._jump(self._breaks, "break"),
            clang.CONTINUE_STMT: lambda _: self._jump(self._continues, "continue"),
            clang.RETURN_STMT: self._return,
            clang.ASM_STMT: self._asm,
            clang.NULL_STMT: lambda _: None,
            clang.UNEXPOSED_STMT: self._unexposed_statement,
        }

    def block(self) -> tuple[int, ...]:
        return self._scope.path

    # the function

    def lower_start(self, constructors: list[FunctionSymbol]) -> None:
        """A procedure that calls the function as the environment does: for an entry that the program calls, too, or that is
        followed by exit handlers or destructors."""
        builder = self.builder
        builder.emit(Skip("start"))
        self._refuse_start()
        self._run(constructors)
        arguments: list[Expression] = []
        for index, type_ in enumerate(self.symbol.type.parameters):
            sort = type_.sort if isinstance(type_, Scalar) else self.context.pointer
            argument = builder.variable(f"argument{index}", sort, str(type_))
            self._choose_argument(argument, type_, argument.name, is_used=True, is_third=index == 2)
            arguments.append(argument)
        if isinstance(self.symbol.type.result, Scalar):
            self.result = builder.variable(names.RESULT, self.symbol.type.result.sort, str(self.symbol.type.result))
        builder.emit(Call(self.symbol.name, tuple(arguments), self.result))
        if self.symbol.name == "main":
            run_exit_handlers(self.context, builder)
        builder.goto(builder.exit)

    def lower(self, is_entry: bool, constructors: list[FunctionSymbol]) -> None:
        """Builds the automaton. The entry function chooses its arguments itself, after running constructors."""
        tree = self.symbol.tree
        assert tree is not None
        builder = self.builder
        self._procedure_origin = self.origin(tree.cursor)
        builder.origin = self._procedure_origin
        if is_entry:
            builder.emit(Skip("start"))  # the initial location has no incoming edge, even if the body starts with a loop
            self._refuse_start()
            self._run(constructors)
        body = next(child for child in reversed(tree.children) if child.kind == clang.COMPOUND_STMT)
        type_ = self.symbol.type
        parameters: list[Variable] = []
        if isinstance(type_.result, Record):
            self._result_area = builder.variable(names.own("return"), self.context.pointer)
            parameters.append(self._result_area)
        elif isinstance(type_.result, Scalar):
            self.result = builder.variable(names.RESULT, type_.result.sort, str(type_.result))
        declared = {node.key: node for node in self._parameter_nodes(tree, body)}
        for index, key in enumerate(self.unit.clang.parameters(tree.cursor)):
            passed = type_.parameters[index] if index < len(type_.parameters) else None
            parameters.append(self._parameter(declared[key], passed, is_entry))
        if type_.variadic:
            self.varargs = builder.variable(names.own("varargs"), self.context.pointer)
            parameters.append(self.varargs)
        self.parameters = tuple(parameters)
        self.statement(body)
        if self.result is not None:
            if self.symbol.name == "main":
                builder.assign(self.result, Constant(self.result.sort, 0))
            else:
                builder.assign(self.result, builder.input(self.result.sort, InputKind.UNINITIALISED, "missing return value"))
        self._leave_function()
        self._resolve_gotos()

    def _leave_function(self) -> None:
        if self.symbol.is_noreturn:
            self.builder.end(MarkKind.UNKNOWN, f"unsupported: return from {self.symbol.name}, which is declared not to")
        self.builder.goto(self.builder.exit)

    def _refuse_start(self) -> None:
        """What acts before the entry, or an initial value that is not known: the start is an unknown location."""
        for refused in self.context.refused_at_start:
            self.builder.origin = refused.origin
            self.builder.end(MarkKind.UNKNOWN, f"unsupported: {refused.what}")
        self.builder.origin = self._procedure_origin

    def _run(self, functions: list[FunctionSymbol]) -> None:
        """Calls constructors."""
        for function in functions:
            if function.type.parameters or function.refused or function.definition is None:
                self._unsupported(f"constructor {function.name}")
            else:
                self.builder.emit(Call(function.name, (), None))

    def finish(self) -> Procedure:
        return self.builder.finish(self.parameters, self.result, self._procedure_origin)

    def _parameter_nodes(self, tree: Node, body: Node) -> list[Node]:
        """All parameter declarations outside the body, however deep in the declarator."""
        found = []
        stack = [child for child in tree.children if child is not body]
        while stack:
            node = stack.pop()
            if node.kind == clang.PARM_DECL:
                found.append(node)
            stack.extend(node.children)
        return found

    def _parameter(self, node: Node, passed: CType | None, is_entry: bool) -> Variable:
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
            self._unsupported(refusal.what)
        if not isinstance(type_, (Scalar, Record)):
            self._unsupported(f"parameter of type {type_}")  # this function ends here, the others go on
            return builder.variable(name, self.context.pointer, symbol.spelling)
        if not isinstance(passed, Scalar) or not isinstance(type_, Scalar) or passed.sort == type_.sort:
            passed = type_
        in_memory = isinstance(type_, Record) or symbol.in_memory
        sort = passed.sort if isinstance(passed, Scalar) else self.context.pointer
        incoming = builder.variable(
            names.derived(name, "in") if in_memory or passed is not type_ else name, sort, symbol.spelling
        )
        if is_entry:
            is_third = len(self.symbol.type.parameters) == 3 and self._argument_count is None and isinstance(passed, Pointer)
            self._choose_argument(incoming, passed, symbol.name, self._mentions(symbol.name), is_third)
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
        self.write(where, value, type_)
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
        if operands and (variable or any(operand.effects == clang.EFFECTS for operand in operands)):
            raise NotSupported("typeof in the type of a parameter")
        if sum(size.effects == clang.EFFECTS for size in sizes) > 1:
            raise NotSupported("several side effects in the type of a parameter")
        if not variable:
            levels = []
        elif len(variable) < len(levels):
            values = [self.unit.clang.evaluate(size.cursor) for size in sizes]
            if values[: len(levels)] != [level.count if level.count >= 0 else None for level in levels]:
                raise NotSupported(f"size of {type_}")
        if sizes and isinstance(type_, Pointer):
            self._dimensions(sizes, type_.target)
        for size in sizes[len(levels) :]:
            self.discard(size)

    def _choose_argument(self, variable: Variable, type_: CType, name: str, is_used: bool, is_third: bool) -> None:
        """The environment calls the entry: any value; a pointer is NULL or points to fresh memory (main's: the latter).

        The number of arguments of main is not negative, and they end with NULL (C11, 5.1.2.2.1), where main has the form that the
        standard gives it.
        """
        builder = self.builder
        is_main = self.symbol.name == "main" and len(self.symbol.type.parameters) > 1
        if isinstance(type_, Record):
            builder.emit(Allocate(variable, self.pointer_constant(type_.size), False, Lifetime.HEAP, f"argument {name}"))
        elif is_main and is_used and isinstance(type_, Pointer) and self._argument_count is not None:
            self._strings(variable, self._argument_count, "argv")
        elif is_main and is_used and isinstance(type_, Pointer) and is_third:
            count = builder.variable(names.own("environment"), bitvec(32))
            builder.assign(count, self.approximated(count.sort, "environment"))
            self._strings(variable, count, "envp")
        elif isinstance(type_, Pointer):
            builder.assign(variable, self.fresh_pointer(type_, f"argument {name}", may_be_null=self.symbol.name != "main"))
        elif isinstance(type_, Scalar):
            builder.assign(variable, self.any_value(type_, InputKind.EXTERNAL, f"argument {name}"))
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
            if node.kind == clang.DECL_REF_EXPR and self.unit.clang.spelling(node.cursor) == name:
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
            builder.assign(count, self.approximated(count.sort, "argc"))
            builder.emit(Assume(make("bvult", BOOL, count, Constant(count.sort, _MOST_ARGUMENTS))))
        size = make("bvadd", word.sort, resize(count, width, False), self.pointer_constant(_FEW_ARGUMENTS))
        builder.emit(Allocate(variable, make("bvmul", word.sort, size, word), False, Lifetime.HEAP, f"argument {what}"))
        ends, are_ended = list[Expression](), list[Expression]()
        for index in range(_FEW_ARGUMENTS):
            text, room = builder.temporary(word.sort), self.pointer_constant(EXTERNAL_MEMORY)
            builder.emit(Allocate(text, room, False, Lifetime.HEAP, names.argument_string(what, index), align=1))
            builder.emit(Store(self.offset(variable, index * width // 8), text))
            ends.append(self.offset(text, EXTERNAL_MEMORY - 1))
            are_ended.append(make("=", BOOL, load(bitvec(8), ends[-1]), constant(8, 0)))
        with self._unless(reduce(lambda one, other: make("and", BOOL, one, other), are_ended)):
            for end in ends:
                builder.emit(Store(end, self.approximated(bitvec(8), "end of a string")))
        distance = make("scale", word.sort, resize(count, width, False), word)
        builder.emit(Store(make("bvadd", word.sort, variable, distance), self.pointer_constant(0)))

    # statements

    def statement(self, node: Node) -> None:
        lower = self._statements.get(node.kind)
        try:
            if lower is not None:
                lower(node)
            elif is_expression(node):
                self.builder.origin = self.origin(node.cursor)
                self.discard(node)
            else:
                self.builder.origin = self.origin(node.cursor)
                raise NotSupported(f"statement of libclang kind {node.kind}")
        except NotSupported as refusal:
            self._unsupported(refusal.what)

    def _unsupported(self, what: str) -> None:
        """Control that gets here goes on in a way that is not modelled."""
        self.context.unsupported.append(Approximation("unsupported", what, self.builder.origin))
        self.builder.end(MarkKind.UNKNOWN, f"unsupported: {what}")

    def _unexposed_statement(self, node: Node) -> None:
        """An attributed statement, such as `[[fallthrough]];`: what clang knows of them changes no result (`vocabulary`)."""
        inner = [child for child in node.children if child.kind >= clang.EXPR_FIRST and child.kind < clang.ATTR_FIRST]
        if len(inner) != 1:
            self.builder.origin = self.origin(node.cursor)
            raise NotSupported("statement that libclang does not show")
        self.statement(inner[0])

    def _compound(self, node: Node) -> None:
        self._scope = self._scope.opened()
        for child in node.children:
            self.statement(child)
        self._leave_scope()

    def _leave_scope(self) -> None:
        parent = self._scope.parent
        assert parent is not None
        self._clean_up(self._point(), Point(parent, self._point().counts))
        self._scope = parent

    def statement_expression(self, node: Node) -> Expression:
        """GNU `({ ... })`: the value of its last expression."""
        body = node.children[0]
        type_ = self.type_of(node)
        around = self._scope
        self._scope = around.opened()
        outer = self.builder.origin
        result: Expression = constant(32, 0)
        children = body.children
        last = children[-1] if children else None
        try:
            for child in children:
                if child is last and not isinstance(type_, Void):
                    result = self._last_value(child, type_)
                else:
                    self.statement(child)
            self._leave_scope()
        finally:
            self._scope = around
            self.builder.origin = outer
        return result

    def _last_value(self, node: Node, type_: CType) -> Expression:
        while node.kind == clang.LABEL_STMT:
            self._place_label(node)
            node = node.children[-1]
        if not is_expression(node):
            raise NotSupported("statement expression whose last statement is no expression")
        self.builder.origin = self.origin(node.cursor)
        if isinstance(type_, Int) and type_.width > 32 and self.gives_narrow_field(node):
            raise NotSupported("bit-field as the value of a statement expression: gcc gives it another type")
        value = self.rvalue(node)
        if isinstance(type_, Record):
            address = Address(self.temporary_object(type_, names.own("value")), self.context.pointer)
            self.write(InMemory(address), value, type_)
            return address
        return self.builder.keep(value)

    # declarations

    def _declarations(self, node: Node) -> None:
        for child in node.children:
            if child.kind == clang.TYPEDEF_DECL and child.effects == clang.EFFECTS:
                self.builder.origin = self.origin(child.cursor)
                self._unsupported("typedef whose size has side effects")
            elif child.kind == clang.TYPEDEF_DECL:
                self._typedef(child)
            if child.kind == clang.VAR_DECL:
                try:
                    self.builder.origin = self.origin(child.cursor)
                    self._variable(child)
                except NotSupported as refusal:
                    self._unsupported(refusal.what)

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
        if clang.EXPR_FIRST <= initialiser_cursor.kind <= clang.EXPR_LAST:
            initialiser = next((child for child in node.children if child.key == initialiser_cursor.d1), None)
            if initialiser is None:
                initialiser = self.unit.clang.tree(initialiser_cursor)
        if (
            initialiser is not None
            and self.own_type(initialiser) is not None
            and "__auto_type" in self.unit.clang.tokens(node.cursor)
        ):
            raise NotSupported("variable that takes its type from a bit-field")
        if isinstance(type_, Array) and type_.size < 0:
            if symbol.cleanup is not None:
                raise NotSupported("attribute cleanup of a variable length array")
            self._variable_length_array(node, symbol, type_)
            return
        where = self._local(node, symbol, type_)
        local = Local(where, type_, symbol.name)
        self._scope.declared.append(local)
        if initialiser is None or self._refers_to_itself(initialiser, node):
            self.havoc(where, type_, InputKind.UNINITIALISED, f"local {symbol.name}")
        if initialiser is not None:
            self.initialise(where, type_, initialiser)
        if symbol.cleanup is not None:
            self._scope.declared[-1] = local._replace(cleanup=self._cleanup_call(symbol.cleanup, where))

    def _cleanup_call(self, function: FunctionSymbol, where: Place) -> Call:
        parameters = function.type.parameters
        is_plain = len(parameters) == 1 and isinstance(parameters[0], Pointer) and not function.type.variadic
        if function.definition is None or function.refused or not is_plain or isinstance(function.type.result, Record):
            raise NotSupported(f"attribute cleanup with {function.name}")
        return Call(function.name, (self.address_of(where),), None)

    def _refuse_effects_in_type(self, declaration: Node) -> None:
        """`typeof(int[n++]) *p` evaluates `n++`, as the sizes of an array are; only the latter are lowered."""
        initialiser = self.lib.clang_Cursor_getVarDeclInitializer(declaration.cursor)
        type_ = self.types.of(declaration.cursor)
        if not is_variably_modified(type_):
            return  # the operands of typeof are not evaluated
        lowered = self._sizes(declaration) if isinstance(type_, Array) and type_.size < 0 else []
        for child in declaration.children:
            if child.effects == clang.EFFECTS and child.key != initialiser.d1 and child not in lowered:
                raise NotSupported(f"side effect in the type of a declaration: {self.text(child)}")

    def _refers_to_itself(self, initialiser: Node, declaration: Node) -> bool:
        """`int x = x;` reads the uninitialised x; also `struct s *p = malloc(sizeof *p)` is found, harmlessly."""
        stack = [initialiser]
        while stack:
            node = stack.pop()
            if node.kind == clang.DECL_REF_EXPR and self.lib.clang_getCursorReferenced(node.cursor).d0 == declaration.cursor.d0:
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
                name, type_.size, align, ObjectKind.LOCAL, symbol.spelling, origin=builder.origin, block=self._scope.path
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
        if not expressions or "typeof" not in unit.pretty(node.cursor):
            return expressions
        name = unit.position(self.lib.clang_getCursorLocation(node.cursor))
        places = [unit.extent(child.cursor)[:3] for child in expressions]
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

    # branches and loops

    def _if(self, node: Node) -> None:
        builder = self.builder
        test, then_node, *rest = node.children
        then, otherwise, join = builder.location(), builder.location(), builder.location()
        builder.origin = self.origin(test.cursor)
        self.branch(test, then, otherwise if rest else join)
        builder.current = then
        self.statement(then_node)
        builder.goto(join)
        if rest:
            builder.current = otherwise
            self.statement(rest[0])
            builder.goto(join)
        builder.current = join

    def _jump(self, targets: list[tuple[int, Scope]], what: str) -> None:
        if not targets:
            raise NotSupported(f"{what} outside a loop")
        location, scope = targets[-1]
        self._clean_up(self._point(), Point(scope, self._point().counts))
        self.builder.goto(location)

    def _loop_body(self, body: Node, on_break: int, on_continue: int) -> None:
        self._breaks.append((on_break, self._scope))
        self._continues.append((on_continue, self._scope))
        try:
            self.statement(body)
        finally:
            self._breaks.pop()
            self._continues.pop()

    def _while(self, node: Node) -> None:
        builder = self.builder
        test, body = node.children
        head, inside, after = builder.location(), builder.location(), builder.location()
        builder.place(head)
        builder.origin = self.origin(test.cursor)
        self.branch(test, inside, after)
        builder.current = inside
        self._loop_body(body, after, head)
        builder.goto(head)
        builder.current = after

    def _do(self, node: Node) -> None:
        builder = self.builder
        body, test = node.children
        head, check, after = builder.location(), builder.location(), builder.location()
        builder.place(head)
        self._loop_body(body, after, check)
        builder.place(check)
        builder.origin = self.origin(test.cursor)
        self.branch(test, head, after)
        builder.current = after

    def _for(self, node: Node) -> None:
        builder = self.builder
        first, test, step, body = self._for_parts(node)
        self._scope = self._scope.opened()
        if first is not None:
            self.statement(first)
        head, inside, advance, after = builder.location(), builder.location(), builder.location(), builder.location()
        builder.place(head)
        if test is not None:
            builder.origin = self.origin(test.cursor)
            self.branch(test, inside, after)
            builder.current = inside
        self._loop_body(body, after, advance)
        builder.place(advance)
        if step is not None:
            self.statement(step)
        builder.goto(head)
        builder.current = after
        self._leave_scope()

    def _for_parts(self, node: Node) -> tuple[Node | None, Node | None, Node | None, Node]:
        """libclang lists only the parts that are there; which ones, the text says."""
        *present, body = node.children
        if len(present) == 3:
            return present[0], present[1], present[2], body
        if not present:
            return None, None, None, body
        there = for_header(*self._source(node))
        if there is None or sum(there) != len(present):
            there = self._printed_header(node)
        if there is None or sum(there) != len(present):
            self.builder.origin = self.origin(node.cursor)
            raise NotSupported("for statement written through macros with parts left out")
        parts = iter(present)
        first, test, step = (next(parts) if part else None for part in there)
        return first, test, step, body

    def _printed_header(self, node: Node) -> tuple[bool, bool, bool] | None:
        """The same from clang's own print of the function, where no macro is left. Slow, so only where the text does not tell."""
        tree = self.symbol.tree
        assert tree is not None
        if self._printed is None:
            self._printed = for_headers(self.unit.clang.pretty(tree.cursor).encode())
        loops = [loop.key for loop in _preorder(tree) if loop.kind == clang.FOR_STMT]
        return self._printed[loops.index(node.key)] if len(loops) == len(self._printed) else None

    def _source(self, node: Node) -> tuple[bytes, int]:
        file, offset = self.unit.clang.start_offset(node.cursor)
        return self.unit.clang.text(file), offset

    # switch

    def _switch(self, node: Node) -> None:
        builder = self.builder
        test, body = [child for child in node.children if child.kind != clang.DECL_STMT]
        builder.origin = origin = self.origin(test.cursor)
        if self.own_type(test) is not None:
            raise NotSupported("switch on a bit-field that is wider than int")
        type_ = promote(self.type_of(test), self.types)
        value = builder.keep(self.rvalue(test))
        assert isinstance(type_, Int)
        dispatch = builder.current
        point = self._point()
        builder.current = builder.location()
        after = builder.location()
        switch = Switch()
        self._switches.append(switch)
        self._breaks.append((after, self._scope))
        try:
            self.statement(body)
        finally:
            self._switches.pop()
            self._breaks.pop()
        builder.goto(after)
        self._unseen_cases(body, switch)
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
            self._enter(point, case.point)
            builder.goto(case.location)
            builder.current = following
        if not switch.is_complete:
            builder.end(MarkKind.UNKNOWN, "unsupported: label of a switch that is no constant")
        elif switch.default is not None:
            self._enter(point, switch.default.point)
            builder.goto(switch.default.location)
        else:
            builder.goto(after)
        builder.current = after

    def _unseen_cases(self, body: Node, switch: Switch) -> None:
        """Labels inside statements that could not be lowered: what follows them is not modelled."""
        stack = [body]
        while stack:
            node = stack.pop()
            if node.kind in (clang.CASE_STMT, clang.DEFAULT_STMT) and node.key not in switch.seen:
                location = self.builder.location()
                self.builder.current = location
                self.builder.end(MarkKind.UNKNOWN, "unsupported: label inside an unsupported statement")
                if node.kind == clang.DEFAULT_STMT:
                    switch.default = Case(0, 0, location, self._point())
                else:
                    values = [self.unit.clang.evaluate(bound.cursor) for bound in node.children[:-1]]
                    if all(isinstance(value, int) for value in values):
                        switch.cases.append(Case(int(values[0] or 0), int(values[-1] or 0), location, self._point()))
                    else:
                        switch.is_complete = False
            if node.kind != clang.SWITCH_STMT or node is body:
                stack.extend(node.children)

    def _case(self, node: Node) -> None:
        *bounds, body = node.children
        self._switches[-1].seen.add(node.key)
        values = [self.unit.clang.evaluate(bound.cursor) for bound in bounds]
        location = self.builder.location()
        self.builder.place(location)
        if self._switches and all(isinstance(value, int) for value in values):
            low, high = values[0], values[-1]
            assert isinstance(low, int) and isinstance(high, int)
            if low <= high:
                self._switches[-1].cases.append(Case(low, high, location, self._point()))
        else:
            self._switches[-1].is_complete = False
            self.builder.origin = self.origin(node.cursor)
            raise NotSupported("case label that is no constant")
        self.statement(body)

    def _default(self, node: Node) -> None:
        location = self.builder.location()
        self.builder.place(location)
        self._switches[-1].seen.add(node.key)
        self._switches[-1].default = Case(0, 0, location, self._point())
        self.statement(node.children[-1])

    # jumps

    def _point(self) -> Point:
        counts = {}
        scope: Scope | None = self._scope
        while scope is not None:
            counts[id(scope)] = len(scope.declared)
            scope = scope.parent
        return Point(self._scope, counts)

    def _enter(self, source: Point, target: Point) -> None:
        """The locals whose declarations a jump from `source` to `target` skips are uninitialised there."""
        scope: Scope | None = target.scope
        while scope is not None:
            before = source.counts.get(id(scope), 0)
            for where, type_, name, _ in scope.declared[before : target.counts[id(scope)]]:
                self.havoc(where, type_, InputKind.UNINITIALISED, f"local {name}")
                if not isinstance(type_, Scalar):  # the first time that an object is declared, engines take it as untouched
                    self.havoc(where, type_, InputKind.UNINITIALISED, f"local {name}")
            scope = scope.parent

    def _clean_up(self, source: Point, target: Point | None) -> None:
        """Runs what `cleanup` asks for on the way from `source` to `target` (None: out of the function), innermost first."""
        staying: dict[int, int] = {}  # variables that stay, in the scopes that are not left
        around = target.scope if target is not None else None
        while target is not None and around is not None:
            staying[id(around)] = target.counts[id(around)]
            around = around.parent
        scope: Scope | None = source.scope
        while scope is not None:
            left = scope.declared[staying.get(id(scope), 0) : source.counts[id(scope)]]
            for local in reversed(left):
                if local.cleanup is not None:
                    self.builder.emit(local.cleanup)
            scope = scope.parent

    def _place_label(self, node: Node) -> None:
        name = self.unit.clang.spelling(node.cursor)
        location = self.builder.location()
        self.builder.place(location)
        self._labels[node.key] = (location, self._point())
        if name == "ERROR":
            self.builder.origin = self.origin(node.cursor)
            self.builder.candidates.append(Candidate(location, ErrorKind.LABEL, "label ERROR", self.builder.origin))
            self.builder.emit(Skip("label ERROR"))

    def _label(self, node: Node) -> None:
        self._place_label(node)
        self.statement(node.children[-1])

    def _goto(self, node: Node) -> None:
        self.builder.origin = self.origin(node.cursor)
        departure = self.builder.location()
        self.builder.goto(departure)
        self._gotos.append((departure, self.label_key(node.children[0]), self._point(), self.builder.origin))

    def _indirect_goto(self, node: Node) -> None:
        self.builder.origin = self.origin(node.cursor)
        pointer = self.builder.keep(self.rvalue(node.children[0]))
        departure = self.builder.location()
        self.builder.goto(departure)
        self._computed.append((departure, pointer, self._point(), self.builder.origin))

    def _resolve_gotos(self) -> None:
        builder = self.builder
        for departure, pointer, point, origin in self._computed:
            builder.current, builder.origin = departure, origin
            for key, (name, owner) in self.context.symbols.labels.items():
                if owner != self.owner:
                    continue
                chosen, other = builder.location(), builder.location()
                builder.branch(make("=", BOOL, pointer, Address(name, self.context.pointer)), chosen, other)
                self._gotos.append((chosen, key, point, origin))
                builder.current = other
            builder.end(MarkKind.UNKNOWN, "goto to an address that is no label of this function")
        for departure, key, point, origin in self._gotos:
            builder.current, builder.origin = departure, origin
            label = self._labels.get(key)
            if label is None:
                self._unsupported("goto to a label inside an unsupported statement")
                continue
            self._clean_up(point, label[1])
            self._enter(point, label[1])
            builder.goto(label[0])

    def _return(self, node: Node) -> None:
        builder = self.builder
        builder.origin = self.origin(node.cursor)
        if node.children:
            operand = node.children[0]
            if self.result is not None:
                self.assign(InVariable(self.result), operand, self.symbol.type.result)
            elif self._result_area is not None:
                self.write(InMemory(self._result_area), self.rvalue(operand), self.type_of(operand))
            else:
                self.discard(operand)
        elif self.result is not None:
            builder.assign(self.result, builder.input(self.result.sort, InputKind.UNINITIALISED, "missing return value"))
        self._clean_up(self._point(), None)
        self._leave_function()

    def is_confined(self, node: Node) -> bool:
        variable = aggregate_of(node, self.types)
        if variable is None or self.symbol.tree is None:
            return False
        declaration = self.lib.clang_getCursorReferenced(variable.cursor)
        if self._confined is None:
            self._confined = confined(self.symbol.tree, self.types)
        symbol = self.context.symbols.resolve(self.unit, declaration, self.owner)
        is_local = isinstance(symbol, VariableSymbol) and not symbol.is_global and symbol.cleanup is None
        return is_local and declaration.d0 in self._confined

    # asm

    def _assembly(self, node: Node) -> Assembly:
        found = parsed(self.unit.clang.tokens(node.cursor))
        if found is not None:
            return found
        tree = self.symbol.tree  # clang's own print of the function has no macros left
        assert tree is not None
        statements = [each.key for each in _preorder(tree) if each.kind == clang.ASM_STMT]
        printed = printed_asms(self.unit.clang.pretty(tree.cursor))
        found = parsed(printed[statements.index(node.key)]) if len(statements) == len(printed) else None
        if found is None:
            raise NotSupported("asm statement written through macros")
        return found

    def _asm(self, node: Node) -> None:
        """Outputs are approximated, unless an empty template leaves them as they are; for all else see `frontend.assembly`."""
        builder = self.builder
        builder.origin = self.origin(node.cursor)
        assembly = self._assembly(node)
        operands = [child for child in node.children if is_expression(child)]
        assembly.check(self._is_defined, lambda number: number < len(operands) and self._is_outside(operands[number]))
        outputs, inputs = operands[: len(assembly.outputs)], operands[len(assembly.outputs) :]
        if len(inputs) != len(assembly.inputs):
            raise NotSupported("asm statement with operands that are not understood")
        if (port := assembly.port_input) is not None and self._read_port(port, outputs, inputs):
            return
        pointers = [operand for operand in operands if self._holds_pointer(operand) and not self._is_outside(operand)]
        if pointers and assembly.writes_memory and assembly.follows_pointers:
            raise NotSupported("asm that writes where a pointer leads to")
        word = self.context.pointer_width // 8
        is_task = not self.context.external_may_write  # where assembly, like a function without a body, does nothing else
        if assembly.writes_memory and not is_task and any(not 0 <= self.type_of(each).size < word for each in operands):
            raise NotSupported("asm that writes memory, with an operand that may lead there")
        if not is_task and not assembly.is_empty:
            self._check_places(assembly, operands)
        places = [self.keep_place(self.place(operand)) for operand in outputs]
        for described, operand, where in zip(assembly.outputs, outputs, places, strict=True):
            type_ = self.type_of(operand)
            if described.is_kept and not assembly.is_empty and isinstance(type_, Scalar):
                self.give_away(self.read(where, type_))
        written: list[tuple[Place, CType]] = []  # that is given as a place, and not among the outputs
        given: dict[int, tuple[Expression, CType]] = {}
        for described, operand in zip(assembly.inputs, inputs, strict=True):
            type_, shared = self.type_of(operand), assembly.matched(described)
            if assembly.writes_memory and described.is_memory and strip(operand).kind in _PLACES:
                written.append((self.keep_place(self.place(operand)), type_))
                value = self.read(written[-1][0], type_)
            elif operand.effects == clang.EFFECTS or isinstance(type_, Scalar):
                value = self.rvalue(operand)
            else:
                continue
            if shared is not None and assembly.is_empty:
                value = builder.keep(value)
                given[shared] = value, type_
            if isinstance(type_, Scalar):
                self.give_away(value)
        unknown = 0
        chosen_by = InputKind.EXTERNAL if assembly.asks_outside or is_task else InputKind.APPROXIMATED
        for number, (described, operand, where) in enumerate(zip(assembly.outputs, outputs, places, strict=True)):
            type_ = self.type_of(operand)
            if assembly.is_empty and described.is_kept:
                continue
            known = given.get(number)
            if known is not None and isinstance(type_, Scalar) and known[1].size == type_.size and known[0].sort == type_.sort:
                self.write(where, known[0], type_)
                continue
            unknown += 1
            self.havoc(where, type_, chosen_by, "asm output")
        for where, type_ in written:
            self.havoc(where, type_, chosen_by, "asm output")
        if assembly.may_end:
            goes_on, ends = builder.location(), builder.location()
            chosen = builder.temporary(BOOL)
            builder.assign(chosen, builder.input(BOOL, InputKind.APPROXIMATED, "asm goes on"))
            builder.branch(chosen, goes_on, ends)
            builder.current = ends
            builder.end(MarkKind.HALT, "asm that traps")
            builder.current = goes_on
        if unknown or not assembly.is_empty:
            self.context.note("asm", f"{unknown} output(s) arbitrary, other effects ignored", builder.origin)

    def _read_port(self, port: PortInput, outputs: list[Node], inputs: list[Node]) -> bool:
        """Exactly what the instruction does; the direction flag is clear, as nothing here sets it. False if an operand is not
        as wide as the register that it is in."""
        builder, pointer = self.builder, self.context.pointer
        types = [self.type_of(operand) for operand in outputs]
        if not all(isinstance(type_, Scalar) and type_.sort == pointer for type_ in types):
            return False
        places = [self.keep_place(self.place(operand)) for operand in outputs]
        for operand in inputs:
            self.rvalue(operand)
        to, end = builder.keep(self.read(places[port.pointer], types[port.pointer])), self.pointer_constant(0)
        where, left = builder.temporary(pointer), builder.temporary(pointer)
        builder.assign(where, to)
        builder.assign(left, self.pointer_constant(1) if port.count is None else self.read(places[port.count], types[port.count]))
        head, unit, done = builder.location(), builder.location(), builder.location()
        builder.place(head)
        builder.branch(make("=", BOOL, left, end), done, unit)
        builder.current = unit
        builder.emit(Store(where, builder.input(bitvec(8 * port.size), InputKind.EXTERNAL, "read from a port")))
        builder.assign(where, self.offset(where, port.size))
        builder.assign(left, make("bvsub", pointer, left, self.pointer_constant(1)))
        builder.goto(head)
        builder.current = done
        self.write(places[port.pointer], where, types[port.pointer])
        if port.count is not None:
            self.write(places[port.count], left, types[port.count])
        self.context.note("asm", "a port gives any values", builder.origin)
        return True

    def _check_places(self, assembly: Assembly, operands: list[Node]) -> None:
        """A template that gets a place gets its address, and may reach what lies around it if it writes memory."""
        for described, operand in zip((*assembly.outputs, *assembly.inputs), operands, strict=True):
            if not described.is_memory:
                continue
            type_, inner = self.type_of(operand), self.without_conversions(operand)
            is_alone = inner.kind == clang.DECL_REF_EXPR and isinstance(type_, Scalar)
            if not isinstance(type_, Scalar) or assembly.takes_addresses or (assembly.writes_memory and not is_alone):
                raise NotSupported(f"asm with {type_} in memory")
            if inner.kind in _PLACES and isinstance(where := self.place(inner), InMemory):
                self.give_away(where.address)

    def _holds_pointer(self, operand: Node) -> bool:
        """Also if it is cast to a number."""
        node = strip(operand)
        while True:
            if isinstance(self.type_of(node), Pointer | Array):
                return True
            if node.kind not in (clang.UNEXPOSED_EXPR, clang.CAST_EXPR) or not node.children:
                return False
            node = strip(node.children[-1])

    def _is_outside(self, operand: Node) -> bool:
        """Is it the address of an object that the program declares only?"""
        symbols = self.context.symbols
        named = [node for node in _preorder(operand) if node.kind == clang.DECL_REF_EXPR]
        found = [symbols.resolve(self.unit, self.lib.clang_getCursorReferenced(node.cursor), self.owner) for node in named]
        return bool(found) and all(isinstance(each, VariableSymbol) and not each.defined for each in found)

    def _is_defined(self, name: str) -> bool:
        """Is this the name of a function of the program, or of an object?"""
        found = (unit.entities.by_symbol.get(name) for unit in self.context.symbols.units if not unit.is_model)
        return any(entity is not None and (entity.defines or not entity.is_function) for entity in found)


_PLACES = frozenset((clang.DECL_REF_EXPR, clang.MEMBER_REF_EXPR, clang.ARRAY_SUBSCRIPT, clang.UNARY_OPERATOR))


_SKIP = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL)


_FOR = re.compile(rb"for(?:\s|\\\n|//[^\n]*\n|/\*.*?\*/)*\(", re.DOTALL)
_FOR_OR_SKIP = re.compile(_SKIP.pattern + rb"|\b" + _FOR.pattern, re.DOTALL)


def for_headers(text: bytes) -> list[tuple[bool, bool, bool] | None]:
    """As `for_header`, for all loops of a text in order."""
    return [for_header(text, match.start()) for match in _FOR_OR_SKIP.finditer(text) if match[0].startswith(b"for")]


def _preorder(tree: Node) -> Iterator[Node]:
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def for_header(text: bytes, offset: int) -> tuple[bool, bool, bool] | None:
    """Which of the three parts of the `for` at `offset` are not empty; None if the text does not show them."""
    opening = _FOR.match(text, offset)
    if opening is None:
        return None
    position = opening.end()
    depth = 0
    parts: list[bool] = []
    filled = False
    while position < len(text):
        skipped = _SKIP.match(text, position)
        if skipped:
            filled = filled or text[position : position + 1] in b"\"'"
            position = skipped.end()
            continue
        character = text[position : position + 1]
        position += 1
        if character in b"([{":
            depth += 1
            filled = True
        elif character in b")]}":
            if depth == 0:
                parts.append(filled)
                break
            depth -= 1
        elif character == b";" and depth == 0:
            parts.append(filled)
            filled = False
        elif not character.isspace() and character != b"\\":
            filled = True
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else None
