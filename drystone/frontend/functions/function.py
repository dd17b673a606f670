"""A function as a procedure: its parameters, its body, and how the environment calls it."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import parameter_keys
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Record, Scalar
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.functions.entry_arguments import EntryArguments
from drystone.frontend.functions.parameters import lower_parameter, parameter_nodes
from drystone.frontend.functions.statements import lower_statement, statement_value
from drystone.frontend.library.assertions import assert_parameter, fail, is_failure
from drystone.frontend.library.control import run_exit_handlers
from drystone.frontend.lowering.context import Context
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, MarkKind, Procedure
from drystone.ir.expressions import Constant, Expression, InputKind, Variable
from drystone.ir.operations import Call, Skip


class FunctionLowering(FunctionBody):
    """Lowers one function."""

    def __init__(self, context: Context, symbol: FunctionSymbol, name: str | None = None) -> None:
        super().__init__(context, symbol, name)
        self.parameters: tuple[Variable, ...] = ()
        self._procedure_origin = NOWHERE

    def statement(self, node: Node) -> None:
        lower_statement(self, node)

    def statement_expression(self, node: Node) -> Expression:
        return statement_value(self, node)

    def lower_start(self, constructors: list[FunctionSymbol]) -> None:
        """A procedure that calls the function as the environment does: for an entry that the program calls, too, or that is
        followed by exit handlers or destructors."""
        builder = self.builder
        builder.emit(Skip("start"))
        self._refuse_start()
        self._run(constructors)
        entry, arguments = EntryArguments(self), list[Expression]()
        for index, type_ in enumerate(self.symbol.type.parameters):
            sort = type_.sort if isinstance(type_, Scalar) else self.context.pointer
            argument = builder.variable(f"argument{index}", sort, str(type_))
            entry.choose(argument, type_, argument.name, is_used=True, is_third=index == 2)
            arguments.append(argument)
        if isinstance(self.symbol.type.result, Scalar):
            self.result = builder.variable(names.RESULT, self.symbol.type.result.sort, str(self.symbol.type.result))
        builder.emit(Call(self.symbol.name, tuple(arguments), self.result))
        if self.symbol.name == "main":
            run_exit_handlers(self.context, builder)
        self.end_program()
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
            self.result_area = builder.variable(names.own("return"), self.context.pointer)
            builder.approved.add(self.result_area)
            if builder.shadows is not None:
                builder.shadows.results.add(self.result_area)
            parameters.append(self.result_area)
        elif isinstance(type_.result, Scalar):
            self.result = builder.variable(names.RESULT, type_.result.sort, str(type_.result))
        declared = {node.key: node for node in parameter_nodes(tree, body)}
        entry = EntryArguments(self) if is_entry else None
        for index, key in enumerate(parameter_keys(tree.cursor)):
            passed = type_.parameters[index] if index < len(type_.parameters) else None
            parameters.append(lower_parameter(self, declared[key], passed, entry))
        if type_.variadic:
            self.varargs = builder.variable(names.VARARGS, self.context.pointer)
            parameters.append(self.varargs)
        self.parameters = tuple(parameters)
        if self.context.all_errors and self.symbol.address_taken:  # calls may not show what it is
            if is_failure(self.symbol):
                fail(builder, self.symbol)
            elif names.spelled(self.symbol.name) in self.context.asserting:
                assert_parameter(builder, self.symbol, parameters)
        self.statement(body)
        if self.result is not None:
            if self.symbol.name == "main":
                builder.assign(self.result, Constant(self.result.sort, 0))
            else:
                builder.assign(self.result, builder.input(self.result.sort, InputKind.UNINITIALISED, "missing return value"))
        self.leave()
        self.jumps.resolve(self.end_unsupported)
        self.end_frame(is_entry)

    def _refuse_start(self) -> None:
        """What acts before the entry, or an initial value that is not known: the start is an unknown location."""
        for refused in self.context.refused_at_start:
            self.builder.origin = refused.origin
            self.builder.end(MarkKind.UNKNOWN, f"{refused.what}")
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
