"""C statements as edges: control flow, labels, the function as a whole.

A local is an input each time its declaration is reached, and also where a jump enters its scope past the
declaration. So gotos are resolved at the end of the function, when every label's scope is known.
"""

from __future__ import annotations

import msgspec

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import evaluate, parameter_keys, pretty_print, spelling
from drystone.frontend.clang.nodes import Node, preorder
from drystone.frontend.declarations.confined import aggregate_of, confined
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol, is_expression
from drystone.frontend.declarations.types import CType, Int, Record, Scalar, Void, promote
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.assignments import assign
from drystone.frontend.expressions.constants import label_key
from drystone.frontend.functions.asm_statements import AssemblyLowering
from drystone.frontend.functions.for_headers import for_header, for_headers
from drystone.frontend.functions.local_variables import Scope
from drystone.frontend.library.control import run_exit_handlers
from drystone.frontend.lowering.builder import Candidate
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory, InVariable
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, ErrorKind, MarkKind, Origin, Procedure
from drystone.ir.expressions import Address, Constant, Determinant, Expression, InputKind, Variable, constant
from drystone.ir.operations import Call, Skip
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


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


class FunctionLowering(AssemblyLowering):
    """Lowers one function."""

    def __init__(self, context: Context, symbol: FunctionSymbol, name: str | None = None) -> None:
        super().__init__(context, symbol, name)
        self.result: Variable | None = None
        self.parameters: tuple[Variable, ...] = ()
        self._result_area: Variable | None = None
        self._breaks: list[tuple[int, Scope]] = []  # where to go, and the scope around the loop
        self._continues: list[tuple[int, Scope]] = []
        self._switches: list[Switch] = []
        self._labels: dict[int, tuple[int, Point]] = {}  # by the label's statement
        self._gotos: list[tuple[int, int, Point, Origin]] = []
        self._computed: list[tuple[int, Expression, Point, Origin]] = []
        self._printed: list[tuple[bool, bool, bool] | None] | None = None
        self._confined: frozenset[int] | None = None  # not looked for yet
        self._procedure_origin = NOWHERE
        self._statements = {
            kinds.COMPOUND_STMT: self._compound,
            kinds.DECL_STMT: self.lower_declarations,
            kinds.IF_STMT: self._if,
            kinds.WHILE_STMT: self._while,
            kinds.DO_STMT: self._do,
            kinds.FOR_STMT: self._for,
            kinds.SWITCH_STMT: self._switch,
            kinds.CASE_STMT: self._case,
            kinds.DEFAULT_STMT: self._default,
            kinds.LABEL_STMT: self._label,
            kinds.GOTO_STMT: self._goto,
            kinds.INDIRECT_GOTO: self._indirect_goto,
            kinds.BREAK_STMT: lambda _: self._jump(self._breaks, "break"),
            kinds.CONTINUE_STMT: lambda _: self._jump(self._continues, "continue"),
            kinds.RETURN_STMT: self._return,
            kinds.ASM_STMT: self.lower_asm,
            kinds.NULL_STMT: lambda _: None,
            kinds.UNEXPOSED_STMT: self._unexposed_statement,
        }

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
            self.choose_argument(argument, type_, argument.name, is_used=True, is_third=index == 2)
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
        body = next(child for child in reversed(tree.children) if child.kind == kinds.COMPOUND_STMT)
        type_ = self.symbol.type
        parameters: list[Variable] = []
        if isinstance(type_.result, Record):
            self._result_area = builder.variable(names.own("return"), self.context.pointer)
            parameters.append(self._result_area)
        elif isinstance(type_.result, Scalar):
            self.result = builder.variable(names.RESULT, type_.result.sort, str(type_.result))
        declared = {node.key: node for node in self.parameter_nodes(tree, body)}
        for index, key in enumerate(parameter_keys(tree.cursor)):
            passed = type_.parameters[index] if index < len(type_.parameters) else None
            parameters.append(self.lower_parameter(declared[key], passed, is_entry))
        if type_.variadic:
            self.varargs = builder.variable(names.VARARGS, self.context.pointer)
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
                self.end_unsupported(f"constructor {function.name}")
            else:
                self.builder.emit(Call(function.name, (), None))

    def finish(self) -> Procedure:
        return self.builder.finish(self.parameters, self.result, self._procedure_origin)

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
            self.end_unsupported(refusal.what)

    def _unexposed_statement(self, node: Node) -> None:
        """An attributed statement, such as `[[fallthrough]];`: what clang knows of them changes no result (`vocabulary`)."""
        inner = [child for child in node.children if child.kind >= kinds.EXPR_FIRST and child.kind < kinds.ATTR_FIRST]
        if len(inner) != 1:
            self.builder.origin = self.origin(node.cursor)
            raise NotSupported("statement that libclang does not show")
        self.statement(inner[0])

    def _compound(self, node: Node) -> None:
        self.scope = self.scope.opened()
        for child in node.children:
            self.statement(child)
        self._leave_scope()

    def _leave_scope(self) -> None:
        parent = self.scope.parent
        assert parent is not None
        self._clean_up(self._point(), Point(parent, self._point().counts))
        self.scope = parent

    def statement_expression(self, node: Node) -> Expression:
        """GNU `({ ... })`: the value of its last expression."""
        body = node.children[0]
        type_ = self.type_of(node)
        around = self.scope
        self.scope = around.opened()
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
            self.scope = around
            self.builder.origin = outer
        return result

    def _last_value(self, node: Node, type_: CType) -> Expression:
        while node.kind == kinds.LABEL_STMT:
            self._place_label(node)
            node = node.children[-1]
        if not is_expression(node):
            raise NotSupported("statement expression whose last statement is no expression")
        self.builder.origin = self.origin(node.cursor)
        if isinstance(type_, Int) and type_.width > 32 and self.bit_fields.gives_narrow_field(node):
            raise NotSupported("bit-field as the value of a statement expression: gcc gives it another type")
        value = self.rvalue(node)
        if isinstance(type_, Record):
            address = Address(self.memory.temporary_object(type_, names.own("value")), self.context.pointer)
            self.memory.write(InMemory(address), value, type_)
            return address
        return self.builder.keep(value)

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
        self._breaks.append((on_break, self.scope))
        self._continues.append((on_continue, self.scope))
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
        self.scope = self.scope.opened()
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
            self._printed = for_headers(pretty_print(tree.cursor).encode())
        loops = [loop.key for loop in preorder(tree) if loop.kind == kinds.FOR_STMT]
        return self._printed[loops.index(node.key)] if len(loops) == len(self._printed) else None

    def _source(self, node: Node) -> tuple[bytes, int]:
        file, offset = self.unit.clang.source.start_offset(node.cursor)
        return self.unit.clang.source.text(file), offset

    # switch

    def _switch(self, node: Node) -> None:
        builder = self.builder
        test, body = [child for child in node.children if child.kind != kinds.DECL_STMT]
        builder.origin = origin = self.origin(test.cursor)
        if self.bit_fields.own_type(test) is not None:
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
        self._breaks.append((after, self.scope))
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
            if node.kind in (kinds.CASE_STMT, kinds.DEFAULT_STMT) and node.key not in switch.seen:
                location = self.builder.location()
                self.builder.current = location
                self.builder.end(MarkKind.UNKNOWN, "unsupported: label inside an unsupported statement")
                if node.kind == kinds.DEFAULT_STMT:
                    switch.default = Case(0, 0, location, self._point())
                else:
                    values = [evaluate(bound.cursor) for bound in node.children[:-1]]
                    if all(isinstance(value, int) for value in values):
                        switch.cases.append(Case(int(values[0] or 0), int(values[-1] or 0), location, self._point()))
                    else:
                        switch.is_complete = False
            if node.kind != kinds.SWITCH_STMT or node is body:
                stack.extend(node.children)

    def _case(self, node: Node) -> None:
        *bounds, body = node.children
        self._switches[-1].seen.add(node.key)
        values = [evaluate(bound.cursor) for bound in bounds]
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
        scope: Scope | None = self.scope
        while scope is not None:
            counts[id(scope)] = len(scope.declared)
            scope = scope.parent
        return Point(self.scope, counts)

    def _enter(self, source: Point, target: Point) -> None:
        """The locals whose declarations a jump from `source` to `target` skips are uninitialised there."""
        scope: Scope | None = target.scope
        while scope is not None:
            before = source.counts.get(id(scope), 0)
            for where, type_, name, _ in scope.declared[before : target.counts[id(scope)]]:
                self.memory.havoc(where, type_, InputKind.UNINITIALISED, name, Determinant.LOCAL)
                if not isinstance(type_, Scalar):  # the first time that an object is declared, engines take it as untouched
                    self.memory.havoc(where, type_, InputKind.UNINITIALISED, name, Determinant.LOCAL)
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
        name = spelling(node.cursor)
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
        self._gotos.append((departure, label_key(node.children[0]), self._point(), self.builder.origin))

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
                self.end_unsupported("goto to a label inside an unsupported statement")
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
                assign(self, InVariable(self.result), operand, self.symbol.type.result)
            elif self._result_area is not None:
                self.memory.write(InMemory(self._result_area), self.rvalue(operand), self.type_of(operand))
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
