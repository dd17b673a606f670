"""From translation units to a `Program`: find what the entry reaches, lower it, choose the convention for errors."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from drystone.frontend.conventions import Choice, Conventions
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.symbols import FunctionSymbol, SymbolTable
from drystone.frontend.declarations.told_types import told_types
from drystone.frontend.declarations.types import Function
from drystone.frontend.errors import FrontendError
from drystone.frontend.expressions.addresses import find_open
from drystone.frontend.expressions.disguises import find_disguises
from drystone.frontend.expressions.function_pointers import excluded_callees
from drystone.frontend.functions.checked_memory import (
    refuse_unchecked,
    separate_what_begins_again,
    with_static_objects,
    without_needless_ends,
    without_needless_entries,
)
from drystone.frontend.functions.function import FunctionLowering
from drystone.frontend.functions.library_calls import errors_at_calls
from drystone.frontend.functions.wrappers import with_any_number, wrap
from drystone.frontend.globals import GlobalLowering
from drystone.frontend.library import memory, plain_name
from drystone.frontend.library.assertions import note_missing_assertions
from drystone.frontend.library.known import is_compatible, shape_of, shapes
from drystone.frontend.library.models import is_library, model_files, model_name
from drystone.frontend.library.threads import in_atomic_section, is_synchronising, refuse_with_threads
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.options import HAVOC, INPUT, MACHINE, FrontendOptions
from drystone.frontend.parsing import parse
from drystone.frontend.refusals import refuse_unmodelled
from drystone.ir import names
from drystone.ir.automaton import CONVENTIONS, DATA_RACE, NOWHERE, Approximation, ErrorKind, MarkKind, Procedure, Program
from drystone.ir.conventions import EXCLUDED, FOLDED
from drystone.ir.expressions import Constant, Expression, Variable
from drystone.ir.operations import Call, CallPointer, ThreadOperation
from drystone.memory.known_values import with_known_values


class ProgramLowering:
    """Lowers the units of one program; models of the library are added to them as they are needed."""

    def __init__(self, units: list[Unit], options: FrontendOptions, as_written: bool) -> None:
        self.units = units
        self.as_written = as_written
        self.options = options
        self.conventions = Conventions(options)
        self.error_functions = self.conventions.error_functions
        if self.conventions.is_none:  # they are functions like others, which may do something before they end the program
            self.error_functions -= {name for unit in units for name in unit.functions}
        self.symbols = SymbolTable(units, self.error_functions, is_library)
        self.context = Context(
            self.symbols,
            options.pointer_width,
            self.error_functions,
            self.conventions.asserting,
            self.conventions.is_all,
            is_machine=options.undefined == MACHINE,
            external_may_write=options.external == HAVOC,
            volatile_is_input=options.volatile == INPUT,
            left_to_right=options.left_to_right,
            keeps_loops_apart=options.unwind is not None,
            checks=options.checks,
            failures_end=self.conventions.is_none,
            shows_accesses=options.data_race,
        )
        self._model_units: dict[Path, Unit] = {}

    def lower(self) -> Program:
        """The whole program."""
        context = self.context
        refuse_unmodelled(context, self.units)
        if not context.refused_at_start:  # otherwise a pragma may have made one of two definitions weak
            self.symbols.linker.check()
        entry = self._entry()
        constructors = self.symbols.around_main("constructor")
        context.destructors = self.symbols.around_main("destructor")[::-1]
        self._reach()
        find_open(context)
        note_missing_assertions(context)
        if context.external_may_write:
            find_disguises(context)
        refuse_with_threads(context)
        variables, initial = self._globals()
        has_start = self._has_start(entry, constructors)
        start = names.derived(entry.name, "start") if has_start else entry.name
        lowered = self._functions(entry, constructors, has_start)
        procedures, functions = self._procedures(lowered)
        if context.extents is not None:
            models = [name for name, symbol in self.symbols.functions.items() if symbol.definition and symbol.unit.is_model]
            is_error = partial(self.conventions.is_error, context.files)
            procedures = errors_at_calls(procedures, models, context.library_calls, is_error)
        for own in context.variables.values():
            variables[own.name], initial[own.name] = own, Constant(own.sort, 0)
        program = Program(
            entry=start,
            procedures=_reachable(procedures, functions, start),
            variables=variables,
            initial=initial,
            objects=context.objects,
            functions=functions,
            pointer_width=context.pointer_width,
            files=context.files,
            excluded_callees=excluded_callees(context),  # which notes approximations
            approximations=context.approximations,
            types=told_types((unit.types for unit in self.units if not unit.is_model), context.pointer_width),
            has_threads=context.has_threads,
            thread_locals=frozenset(context.thread_locals),
            synchronising=frozenset(each.builder.name for each in lowered if is_synchronising(each.unit)),
            data_race=DATA_RACE if self.options.data_race and context.has_threads else None,
            makes_pointers=any(each.builder.makes_pointers for each in lowered if not each.unit.is_model),
        )
        if context.extents is not None:
            unknown = with_static_objects(program, context.extents)
            if unknown:
                context.unchecked["memory"] = f"the size of {names.local(unknown)} is not known, or too large"
            separate_what_begins_again(program)
            without_needless_ends(program)
        return program

    def _has_start(self, entry: FunctionSymbol, constructors: list[FunctionSymbol]) -> bool:
        """Does it take a procedure of its own to call the entry?"""
        has_exit = bool(self.context.destructors) or "atexit" in map(names.spelled, self.symbols.functions)
        is_called = entry.referenced or entry in constructors or entry in self.context.destructors
        return is_called or (entry.name == "main" and has_exit)

    def _functions(self, entry: FunctionSymbol, constructors: list[FunctionSymbol], has_start: bool) -> list[FunctionLowering]:
        """All functions that are reached; the start of the program is the last, if it has one of its own."""
        lowered: list[FunctionLowering] = []
        for symbol in self.symbols.functions.values():
            if symbol.definition is not None:
                lowered.append(FunctionLowering(self.context, symbol))
                lowered[-1].lower(symbol is entry and not has_start, constructors)
                lowered[-1].order.itself(symbol)
                symbol.tree = None
                if not symbol.unit.is_model and names.spelled(symbol.name) in shapes():
                    what = f"calls of {symbol.name} mean the program's function, not what a compiler knows of the library's"
                    self.context.note("library name", what, lowered[-1].origin(symbol.definition))
        if has_start:
            lowered.append(FunctionLowering(self.context, entry, names.derived(entry.name, "start")))
            lowered[-1].lower_start(constructors)
        return lowered

    def _procedures(self, lowered: list[FunctionLowering]) -> tuple[dict[str, Procedure], dict[str, str | None]]:
        """The procedures by name; and which of them a pointer to a function or label leads to."""
        used = {candidate.kind for lowering in lowered for candidate in lowering.builder.candidates}
        if any(symbol.name in self.error_functions for symbol in self.symbols.address_taken):
            used.add(ErrorKind.CALL)
        chosen = self.conventions.choice(used, self.context.files)
        moving = self._moving() if self.context.extents is None else {}  # the model accesses byte by byte, which is checked
        width = self.context.pointer_width
        finished = _finished(lowered, chosen)
        if self.conventions.is_all and ErrorKind.LABEL in used and not any(map(_has_error, finished.values())):
            chosen = self.conventions.of_labels(self.context.files)  # of all else, constants leave nothing
            finished = _finished(lowered, chosen)
        for lowering in lowered:
            self._note_folded(lowering.builder, finished[lowering.builder.name])
        procedures = dict(finished)
        if not self.as_written:
            procedures = {name: with_known_values(procedure, moving, width) for name, procedure in finished.items()}
        functions: dict[str, str | None] = {name: None for name, _ in self.symbols.labels.values()}  # code without a name in C
        for symbol in self.symbols.address_taken:
            if symbol.name not in procedures and (wrapper := wrap(self.context, symbol, chosen)) is not None:
                procedures[symbol.name] = wrapper
            functions[symbol.name] = symbol.name if symbol.name in procedures else None
            if symbol.name in procedures and (outer := with_any_number(self.context, symbol)) is not None:
                functions[symbol.name] = outer.name
                procedures[outer.name] = outer
        return procedures, functions

    def _note_folded(self, builder: Builder, finished: Procedure) -> None:
        """Assertions of which constants leave nothing, and calls that no path leads to."""
        left = {(mark.what, mark.origin) for mark in finished.marks.values()}
        for each in builder.candidates:
            if (each.what, each.origin) not in left and each.kind in (ErrorKind.CALL, ErrorKind.ASSERTION):
                kind, what = (
                    (FOLDED, "always holds or is never reached")
                    if each.kind is ErrorKind.ASSERTION
                    else (EXCLUDED, "is never called")
                )
                self.context.near_misses.append(Approximation(kind, f"{each.what}, which {what}", each.origin))

    def _moving(self) -> dict[str, str]:
        """The procedures that are models of functions which move as many bytes as they are told, where nobody checks that."""
        if self.context.extents is not None:
            return {}
        models = {name: symbol for name, symbol in self.symbols.functions.items() if symbol.definition and symbol.unit.is_model}
        plain = {name: plain_name(names.spelled(name)) for name in models}
        return {name: known for name, known in plain.items() if known in memory.MOVING}

    def _entry(self) -> FunctionSymbol:
        name = self.options.entry
        for unit in self.units:
            if name in unit.functions:
                return self.symbols.function(unit, name, unit.functions[name])
        for unit in self.units:
            entity = unit.entities.by_symbol.get(name)  # by an asm label
            if entity is not None and entity.is_function and entity.definition is not None:
                return self.symbols.function(unit, entity.name, entity.definition)
        raise FrontendError(self._missing_entry(name))

    def _missing_entry(self, name: str) -> str:
        files = ", ".join(unit.clang.path for unit in self.units)
        available = [function for unit in self.units for function in unit.functions]
        if not available:
            return f"{files}: no function is defined here"
        some = ", ".join(available[:8]) + (", ..." if len(available) > 8 else "")
        return f"{files}: function {name} is not defined (choose another with --entry; defined are: {some})"

    def _reach(self) -> None:
        """Everything the entry reaches, library models included."""
        undefined = self.symbols.reach()
        while undefined:
            for name in undefined:
                if name in self.error_functions or self.symbols.functions[name].gives_any_value:
                    continue  # not in the library, whose files need not be looked through for it
                model = model_name(names.spelled(name))
                if model is not None:
                    unit = self._model_unit(model_files()[model])
                    if model in unit.functions and self._is_meant(name, unit, model):
                        self.symbols.define(name, unit, model)
                        self.context.note("library model", model, NOWHERE)
            undefined = self.symbols.reach()

    def _is_meant(self, name: str, unit: Unit, model: str) -> bool:
        """Is it the library's function that the program declares? One of its own may have the same name and another type."""
        type_ = unit.types.of(unit.functions[model])
        assert isinstance(type_, Function)
        declared = self.symbols.functions[name].type
        return names.spelled(name) != model or is_compatible(declared, shape_of(type_))

    def _model_unit(self, path: Path) -> Unit:
        unit = self._model_units.get(path)
        if unit is None:
            unit = parse(str(path), FrontendOptions(data_model=self.options.data_model), is_model=True)
            self._model_units[path] = unit
            self.units.append(unit)
        return unit

    def _globals(self) -> tuple[dict[str, Variable], dict[str, Expression]]:
        variables: dict[str, Variable] = {}
        initial: dict[str, Expression] = {}
        for symbol in list(self.symbols.globals.values()):
            GlobalLowering(self.context, symbol).lower(variables, initial)
        return variables, initial


def _finished(lowered: list[FunctionLowering], chosen: Choice) -> dict[str, Procedure]:
    for lowering in lowered:
        lowering.builder.choose_errors(chosen)
        refuse_unchecked(lowering, lowering.context.objects)
    finished = {each.builder.name: in_atomic_section(each.context, each.finish()) for each in lowered}
    if any(each.builder.extents is not None for each in lowered):
        finished = {name: without_needless_entries(procedure) for name, procedure in finished.items()}
    if any(each.builder.shadows is not None for each in lowered):
        from drystone.frontend.functions.definite_values import without_certain_reads  # most programs are not asked for this

        finished = {name: without_certain_reads(procedure) for name, procedure in finished.items()}
    return finished


def _has_error(procedure: Procedure) -> bool:
    return any(mark.kind is MarkKind.ERROR and mark.convention in CONVENTIONS for mark in procedure.marks.values())


def _reachable(procedures: dict[str, Procedure], functions: dict[str, str | None], entry: str) -> dict[str, Procedure]:
    """The procedures that calls lead to; a pointer call or a thread leads to every function whose address is taken."""
    kept: dict[str, Procedure] = {}
    queue = [entry]
    while queue:
        name = queue.pop()
        if name in kept or name not in procedures:
            continue
        kept[name] = procedures[name]
        for edge in procedures[name].edges:
            operation = edge.operation
            if isinstance(operation, Call):
                queue.append(operation.procedure)
            elif isinstance(operation, (CallPointer, ThreadOperation)):
                queue.extend(name for name in functions.values() if name is not None)
    return {name: procedure for name, procedure in procedures.items() if name in kept}
