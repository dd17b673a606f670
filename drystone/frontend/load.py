"""From C files to a `Program`: parse, find what the entry reaches, lower it, link it.

parse ──▶ symbols reached from the entry (library models are linked in as they are needed)
      ──▶ one automaton per function, globals with their initial contents
      ──▶ the convention for errors is chosen ──▶ Program
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable
from ctypes import ArgumentError
from functools import cache
from pathlib import Path

import msgspec

from drystone.base.plurals import counted
from drystone.frontend import attributes, pragmas
from drystone.frontend.addresses import find_open
from drystone.frontend.bitfields import types_of_bit_fields
from drystone.frontend.clang import BUNDLED, Diagnostic, TranslationUnit, parsed_in_detail
from drystone.frontend.conditions import on_the_implementation
from drystone.frontend.context import Context
from drystone.frontend.disguises import find_disguises
from drystone.frontend.errors import FrontendError
from drystone.frontend.globals import GlobalLowering
from drystone.frontend.layouts import different_layouts
from drystone.frontend.library import MODELLED, PRIMITIVES, memory, plain_name
from drystone.frontend.library.known import is_compatible, shape_of, shapes
from drystone.frontend.linking import Unit, acting_assembly, file_scope_assembly
from drystone.frontend.pragmas import Pragmas
from drystone.frontend.statements import FunctionLowering
from drystone.frontend.symbols import RESERVED, FunctionSymbol, SymbolTable
from drystone.frontend.texts import ReadUnit, read_unit
from drystone.frontend.types import Function, Types
from drystone.frontend.wrappers import with_any_number, wrap
from drystone.ir import names
from drystone.ir.automaton import ERROR_FUNCTIONS, NOWHERE, Approximation, ErrorKind, Origin, Procedure, Program
from drystone.ir.expressions import Constant, Expression, Variable
from drystone.ir.operations import Call, CallPointer, ThreadOperation
from drystone.memory.known_values import with_known_values

_HERE = Path(__file__).parent
MODELS = _HERE / "models"
"""Where the C text of the library's functions lies."""
_TARGETS = {"ILP32": ("i386-linux-gnu", 32), "LP64": ("x86_64-linux-gnu", 64)}
_TELLING_WARNINGS = ("-Wunknown-attributes", "-Wignored-attributes", "-Wsystem-headers")  # what clang ignores, gcc may not
_GNU_INLINE = re.compile(r"-std=(?:c89|c90|gnu89|gnu90|iso9899:1990|iso9899:199409)|-ansi|-fgnu89-inline")
_MAX_ERRORS_SHOWN = 10
_DEEPEST = 200_000  # Python calls
_STACK = 512 << 20  # bytes; only what is touched costs memory
_ONE_AT_A_TIME = threading.Lock()  # threads of a program: the recursion limit and the size of stacks are those of the process


ANY, MACHINE = "any", "machine"
PURE, HAVOC = "pure", "havoc"
MEMORY, INPUT = "memory", "input"


class FrontendOptions(msgspec.Struct, frozen=True):
    """How to read the input."""

    data_model: str = "LP64"
    include_directories: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "gnu11"
    entry: str = "main"
    error_function: str | None = None
    compile_commands: str | None = None
    undefined: str = ANY
    """What an undefined operation gives: ANY value, or what the code that gcc makes for it gives on the MACHINE."""
    external: str = PURE
    """Functions without a body: PURE, they only return any value; HAVOC, they also write what they are given."""
    volatile: str = MEMORY
    """A read of a volatile object gives what is in MEMORY, or any value: an INPUT."""


class Loaded(msgspec.Struct):
    program: Program
    lines: int  # non-blank lines of the input files
    functions_defined: int
    unsupported: list[Approximation]
    diagnostics: list[str]
    read: list[ReadUnit]  # unit by unit, without the library's models


def load(files: list[str], options: FrontendOptions) -> Loaded:
    """Reads C files as one program. Raises FrontendError for input that is not C or has no entry."""
    if options.data_model not in _TARGETS:
        raise FrontendError(f"unknown data model {options.data_model}: use ILP32 or LP64")
    if options.undefined not in (ANY, MACHINE):
        raise FrontendError(f"unknown reading of undefined operations {options.undefined}: use {ANY} or {MACHINE}")
    if options.external not in (PURE, HAVOC) or options.volatile not in (MEMORY, INPUT):
        raise FrontendError(f"unknown meaning of functions without a body or of volatile: {options.external}, {options.volatile}")
    if options.compile_commands is not None:
        _read_database(options.compile_commands)
    with _ONE_AT_A_TIME:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _DEEPEST))  # a chain of ten thousand `else if`s nests that deep
        try:
            return _with_large_stack(lambda: _load(files, options))
        except (RecursionError, ArgumentError) as failure:  # ctypes wraps a RecursionError that strikes in a callback
            if isinstance(failure, ArgumentError) and "RecursionError" not in str(failure):
                raise
            raise FrontendError(f"{', '.join(files)}: statements or expressions are nested too deeply") from None
        finally:
            sys.setrecursionlimit(limit)


def _with_large_stack(work: Callable[[], Loaded]) -> Loaded:
    """Runs on a thread of its own: clang's parser and the lowering recurse over nested constructs."""
    outcome: list[Loaded] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as problem:
            failure.append(problem)

    size = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=run, name="frontend")
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    if failure:
        raise failure[0]
    return outcome[0]


def _load(files: list[str], options: FrontendOptions) -> Loaded:
    units: list[Unit] = []
    try:
        for path in files:
            units.append(_parse(path, options))
        read = [read_unit(unit.clang, _compile_command(unit.clang.path, options.compile_commands)) for unit in units]
        return msgspec.structs.replace(_Linker(units, options).link(files), read=read)
    finally:
        for unit in units:
            unit.clang.close()


# parsing


def _arguments(path: str, options: FrontendOptions) -> list[str]:
    target, _ = _TARGETS[options.data_model]
    include = _HERE / "include"
    arguments = ["-x", "c", f"--target={target}", f"-std={options.std}", "-nostdinc", "-isystem", str(include)]
    arguments += ["-include", str(include / "drystone_prelude.h")]
    arguments += [
        "-Wno-everything",
        *_TELLING_WARNINGS,
        "-Werror=implicitly-unsigned-literal",
        "-ferror-limit=0",
        "-fno-spell-checking",
    ]
    if options.std in ("c2x", "c23"):  # C23 has no trigraphs, but compilers differ in when they gave them up
        arguments.append("-Werror=trigraphs")
    arguments += _compile_command(path, options.compile_commands)
    arguments += [f"-I{folder}" for folder in options.include_directories]
    arguments += [f"-D{macro}" for macro in options.defines]
    return arguments


def _parse(path: str, options: FrontendOptions, is_model: bool = False) -> Unit:
    arguments = _arguments(path, options)
    unit = _parse_with(path, arguments)
    errors = [diagnostic for diagnostic in unit.diagnostics() if diagnostic.is_error]
    shadowed = sorted({match[1] for error in errors if (match := _SHADOWED.search(error.message))})
    if shadowed:  # a variable named like a library function: fine in gcc, an error in clang unless told
        unit.close()
        unit = _parse_with(path, arguments + [f"-fno-builtin-{name}" for name in shadowed])
        errors = [diagnostic for diagnostic in unit.diagnostics() if diagnostic.is_error]
    if not is_model:
        _refuse_reserved_names(unit, arguments)
    if errors:
        message = _explain(errors)
        unit.close()
        raise FrontendError(message)
    parsed = Unit(unit, Types(unit, _TARGETS[options.data_model][1]), is_model)
    read = Pragmas() if is_model else pragmas.read(unit, lambda: parsed_in_detail(path, arguments))
    standards = [word for word in arguments if word.startswith(("-std=", "-ansi", "-fgnu89-inline", "-fno-gnu89-inline"))]
    parsed.collect(read, gnu_inline=_GNU_INLINE.fullmatch(standards[-1]) is not None)
    if not is_model:
        parsed.ignored = attributes.ignored(unit, lambda texts: TranslationUnit(path, arguments, texts))
    return parsed


def _refuse_reserved_names(unit: TranslationUnit, arguments: list[str]) -> None:
    """The macros and functions of drystone's prelude mean what they mean there only if no text of the program speaks of them."""
    for file, text in unit.inclusions():
        if file.startswith(BUNDLED) or RESERVED.encode() not in _SPLICE.sub(b"", text):
            continue
        words = (word.encode(errors="replace") for word in unit.words(file, len(text)))  # comments say nothing
        if any(RESERVED.encode() in _SPLICE.sub(b"", word) for word in words):
            raise FrontendError(f"{file}: names that begin with {RESERVED} are drystone's own")
    for word in arguments:
        if word.startswith(("-D" + RESERVED, "-U" + RESERVED)):
            raise FrontendError(f"{word}: names that begin with {RESERVED} are drystone's own")


_SPLICE = re.compile(rb"(?:\\|\?\?/)[ \t\v\f\r]*\n")
_SHADOWED = re.compile(r"redefinition of '(\w+)' as different kind of symbol")


def _parse_with(path: str, arguments: list[str]) -> TranslationUnit:
    try:
        return TranslationUnit(path, arguments)
    except ValueError as failure:
        raise FrontendError(str(failure)) from None


def _explain(errors: list[Diagnostic]) -> str:
    """clang's errors with the line of source and a caret."""
    shown = []
    for error in errors[:_MAX_ERRORS_SHOWN]:
        where = f"{error.file}:{error.line}:{error.column}: " if error.file else ""
        shown.append(f"{where}error: {error.message}")
        shown.extend(_caret(error))
    if len(errors) > _MAX_ERRORS_SHOWN:
        shown.append(f"... and {counted(len(errors) - _MAX_ERRORS_SHOWN, 'more errors')}")
    return "\n".join(shown)


def _caret(error: Diagnostic) -> list[str]:
    if not error.file or error.line <= 0:
        return []
    try:
        with open(error.file, encoding="utf-8", errors="replace") as source:
            text = next((line.rstrip("\n") for number, line in enumerate(source, 1) if number == error.line), None)
    except OSError:
        return []
    if text is None:
        return []
    column = max(error.column, 1)
    start = max(0, column - 60)  # long lines: show the neighbourhood
    margin = re.sub(r"[^\t]", " ", text[start : column - 1])
    return ["    " + text[start : start + 120], "    " + margin + "^"]


def _compile_command(path: str, database: str | None) -> list[str]:
    """The -I, -D, -U, -include and -std options that a compile_commands.json gives for this file."""
    if database is None:
        return []
    import shlex

    chosen: list[str] = []
    for entry in _read_database(database):
        directory = Path(str(entry.get("directory", ".")))
        file = directory / str(entry.get("file", ""))
        if os.path.abspath(file) != os.path.abspath(path):
            continue
        try:
            words = entry.get("arguments") or shlex.split(str(entry.get("command", "")))
        except ValueError as failure:
            raise FrontendError(f"{database}: command of {path}: {failure}") from None
        if isinstance(words, list):
            chosen = _relevant([str(word) for word in words], directory)
    return chosen


@cache
def _read_database(path: str) -> list[dict[str, object]]:
    import json

    try:
        entries = json.loads(Path(path).read_text())
    except (OSError, ValueError, RecursionError) as failure:
        raise FrontendError(f"{path}: not a readable compile_commands.json: {failure}") from None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise FrontendError(f"{path}: a compile_commands.json is a list of objects")
    return entries


def _relevant(words: list[str], directory: Path) -> list[str]:
    """Options that change the meaning of the text; folders made absolute."""
    kept: list[str] = []
    index = 1
    while index < len(words):
        word = words[index]
        for option in ("-I", "-isystem", "-iquote", "-include", "-D", "-U"):
            if word.startswith(option):
                value = word[len(option) :]
                if not value and index + 1 < len(words):
                    index += 1
                    value = words[index]
                if option in ("-D", "-U"):
                    kept.append(option + value)
                else:
                    path = value if os.path.isabs(value) else str(directory / value)
                    kept += [option, path]
                break
        else:
            if word.startswith("-std="):
                kept.append(word)
        index += 1
    return kept


# library models


@cache
def _models() -> dict[str, Path]:
    """Library functions and the file that defines each."""
    definition = re.compile(r"^[A-Za-z_][\w \t*]*?[ *](\w+)\([^;{]*\)\s*\{", re.MULTILINE)
    for_each_float = re.compile(r"^ +[A-Za-z_][\w \t*]*?[ *](\w+)##s\([^;{]*\)\s*\{", re.MULTILINE)  # in a macro over suffixes
    approximated = re.compile(r"^ +ANY\(T, s, (\w+),", re.MULTILINE)
    found: dict[str, Path] = {}
    for path in sorted(MODELS.glob("*.c")):
        text = path.read_text()
        names = definition.findall(text)
        for_floats = [*for_each_float.findall(text), *approximated.findall(text)]
        names += [name + suffix for name in for_floats for suffix in ("", "f", "l")]
        found.update(dict.fromkeys(names, path))
    return found


def _model_name(name: str) -> str | None:
    """The model function that a call of an undefined `name` means."""
    plain = plain_name(name)
    if plain in PRIMITIVES and plain not in MODELLED:
        return None
    models = _models()
    if plain in models:
        return plain
    stripped = plain.removeprefix("__builtin_")
    return stripped if stripped in models else None


def has_meaning(name: str) -> bool:
    """Is it a library function that drystone gives a meaning, if the program does not define it?"""
    return plain_name(name) in PRIMITIVES or _model_name(name) is not None


def _is_library(name: str) -> bool:
    """Does the C library, or the language of verification tasks, define this function?"""
    return has_meaning(name) or name.startswith(("__VERIFIER_", "__builtin_"))


# linking


class _Linker:
    def __init__(self, units: list[Unit], options: FrontendOptions) -> None:
        self.options = options
        self.units = units
        named = options.error_function
        self.error_functions = frozenset({named, f"__builtin_{named}"}) if named else frozenset(ERROR_FUNCTIONS)
        self.symbols = SymbolTable(units, self.error_functions, _is_library)
        self.context = Context(
            self.symbols,
            _TARGETS[options.data_model][1],
            self.error_functions,
            is_machine=options.undefined == MACHINE,
            external_may_write=options.external == HAVOC,
            volatile_is_input=options.volatile == INPUT,
        )
        self._model_units: dict[Path, Unit] = {}

    def link(self, files: list[str]) -> Loaded:
        self._refuse()
        if not self.context.refused_at_start:  # otherwise a pragma may have made one of two definitions weak
            self.symbols.linker.check()
        defined = sum(len(unit.functions) for unit in self.units)
        entry = self._entry()
        constructors = self.symbols.around_main("constructor")
        self.context.destructors = self.symbols.around_main("destructor")[::-1]
        self._reach()
        find_open(self.context)
        if self.context.external_may_write:
            find_disguises(self.context)
        variables, initial = self._globals()
        lowered = []
        has_exit = bool(self.context.destructors) or "atexit" in map(names.spelled, self.symbols.functions)
        is_called = entry.referenced or entry in constructors or entry in self.context.destructors
        has_start = is_called or (entry.name == "main" and has_exit)
        for symbol in self.symbols.functions.values():
            if symbol.definition is not None:
                lowered.append(FunctionLowering(self.context, symbol))
                lowered[-1].lower(symbol is entry and not has_start, constructors)
                lowered[-1].order.itself(symbol)
                symbol.tree = None
                if not symbol.unit.is_model and names.spelled(symbol.name) in shapes():
                    what = f"calls of {symbol.name} mean the program's function, not what a compiler knows of the library's"
                    self.context.note("library name", what, lowered[-1].origin(symbol.definition))
        start = entry.name
        if has_start:
            start = names.derived(entry.name, "start")
            lowered.append(FunctionLowering(self.context, entry, start))
            lowered[-1].lower_start(constructors)
        convention = self._convention(lowered)
        if convention is None and any(symbol.name in self.error_functions for symbol in self.symbols.address_taken):
            convention = ErrorKind.CALL
        for lowering in lowered:
            lowering.builder.choose_errors(convention)
        moving, width = self._moving(), self.context.pointer_width
        procedures = {lowering.builder.name: with_known_values(lowering.finish(), moving, width) for lowering in lowered}
        functions: dict[str, str | None] = {name: None for name, _ in self.symbols.labels.values()}  # code without a name in C
        for symbol in self.symbols.address_taken:
            if symbol.name not in procedures and (wrapper := wrap(self.context, symbol, convention)) is not None:
                procedures[symbol.name] = wrapper
            functions[symbol.name] = symbol.name if symbol.name in procedures else None
            if symbol.name in procedures and (outer := with_any_number(self.context, symbol)) is not None:
                functions[symbol.name] = outer.name
                procedures[outer.name] = outer
        for own in self.context.variables.values():
            variables[own.name], initial[own.name] = own, Constant(own.sort, 0)
        program = Program(
            entry=start,
            procedures=_reachable(procedures, functions, start),
            variables=variables,
            initial=initial,
            objects=self.context.objects,
            functions=functions,
            pointer_width=self.context.pointer_width,
            files=self.context.files,
            approximations=self.context.approximations,
            makes_pointers=any(each.builder.makes_pointers for each in lowered if not each.unit.is_model),
        )
        lines = sum(_count_lines(path) for path in files)
        return Loaded(program, lines, defined, self.context.unsupported, [], [])

    def _refuse(self) -> None:
        """What acts without being used, and is not modelled, makes the start of the program an unknown location."""
        for unit in self.units:
            types = [] if unit.is_model else types_of_bit_fields(unit.clang)
            bit_fields = [("a type that is taken from a bit-field by typeof", cursor) for cursor in types]
            layouts = [] if unit.is_model else different_layouts(unit.clang, self.context.pointer_width)
            assembly = [] if unit.is_model else [*file_scope_assembly(unit.clang), *acting_assembly(unit.clang)]
            for what, cursor in [*unit.entities.refusals, *assembly, *bit_fields, *layouts]:
                file, line, column, end_line, end_column = unit.clang.extent(cursor)
                self.context.refuse_at_start(what, Origin(self.context.file(file), line, column, end_line, end_column))
            for what, file, line in unit.pragmas.refusals:
                self.context.refuse_at_start(what, self._at(file, line))
            for name, file, line in () if unit.is_model else on_the_implementation(unit.clang):
                self.context.note("preprocessor", f"{name} is what clang and the headers of drystone say", self._at(file, line))
            for what, file, line in unit.pragmas.ignored:
                self.context.note("unknown pragma", f"{what} means nothing", self._at(file, line))
            for name, file, line, is_refused in unit.ignored:
                if is_refused:
                    self.context.refuse_at_start(f"attribute {name} where clang ignores it", self._at(file, line))
                else:
                    self.context.note("unknown attribute", f"{name} means nothing", self._at(file, line))

    def _moving(self) -> dict[str, str]:
        """The procedures that are models of functions which move as many bytes as they are told."""
        models = {name: symbol for name, symbol in self.symbols.functions.items() if symbol.definition and symbol.unit.is_model}
        plain = {name: plain_name(names.spelled(name)) for name in models}
        return {name: known for name, known in plain.items() if known in memory.MOVING}

    def _at(self, file: str, line: int) -> Origin:
        return Origin(self.context.file(file), line, 1, line, 1)

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
                model = _model_name(names.spelled(name))
                if model is not None and name not in self.error_functions:
                    unit = self._model_unit(_models()[model])
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
            unit = _parse(str(path), FrontendOptions(data_model=self.options.data_model), is_model=True)
            self._model_units[path] = unit
            self.units.append(unit)
        return unit

    def _convention(self, lowered: list[FunctionLowering]) -> ErrorKind | None:
        """The strongest convention that the reached program uses; a named error function is the only one."""
        used = {candidate.kind for lowering in lowered for candidate in lowering.builder.candidates}
        if self.options.error_function is not None:
            return ErrorKind.CALL
        return next((kind for kind in ErrorKind if kind in used), None)

    def _globals(self) -> tuple[dict[str, Variable], dict[str, Expression]]:
        variables: dict[str, Variable] = {}
        initial: dict[str, Expression] = {}
        for symbol in list(self.symbols.globals.values()):
            GlobalLowering(self.context, symbol).lower(variables, initial)
        return variables, initial


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


def _count_lines(path: str) -> int:
    with open(path, "rb") as source:
        return sum(1 for line in source if line.strip())


__all__ = ["FrontendError", "FrontendOptions", "Loaded", "load"]
