"""Names: which declaration a reference means, across translation units; and what the entry reaches.

The scan reads every reached function and initialiser once, before anything is lowered, because whether a
variable is a plain variable or lies in memory depends on whether its address is taken anywhere.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from drystone.frontend import clang
from drystone.frontend.clang import CXCursor, Node, TranslationUnit, library, text_of
from drystone.frontend.errors import FrontendError
from drystone.frontend.initialisers import strip
from drystone.frontend.types import Array, CType, Function, Record, Scalar, Types, Unsupported
from drystone.program import names

_REPLACEABLE = frozenset("malloc calloc realloc free aligned_alloc posix_memalign memalign".split())
"""Library functions that the library itself calls under their names, so that it calls those that a program defines."""
RESERVED = "__drystone"
"""Begins the names of what drystone's headers and models declare; C reserves names with two underscores for such use."""
BUNDLED = str(Path(__file__).parent / "include") + os.sep
_EXTERN, _STATIC = 2, 3
_LINKAGE_NONE, _LINKAGE_INTERNAL = 1, 2


class Unit(msgspec.Struct, eq=False):
    """A translation unit with its types. Models are units of library functions that drystone brings along."""

    clang: TranslationUnit
    types: Types
    is_model: bool = False
    functions: dict[str, CXCursor] = {}  # definitions
    prototypes: dict[str, list[CXCursor]] = {}  # other declarations of functions
    variables: dict[str, list[CXCursor]] = {}  # all file-scope declarations
    symbols: dict[int, Symbol] = {}  # by declaration


class FunctionSymbol(msgspec.Struct, eq=False):
    name: str
    unit: Unit
    definition: CXCursor | None
    type: Function
    tree: Node | None = None
    address_taken: bool = False
    referenced: bool = False  # called or referred to by the program itself


class Constructor(NamedTuple):
    """A function that runs before the entry, or after it."""

    function: FunctionSymbol
    priority: int
    is_destructor: bool


class VariableSymbol(msgspec.Struct, eq=False):
    """A variable, global or local. `in_memory`: it needs an address (aggregate, or its address is taken)."""

    name: str
    unit: Unit
    cursor: CXCursor
    type: CType
    is_global: bool
    is_parameter: bool = False
    in_memory: bool = False
    defined: bool = True  # false: declared extern and defined nowhere
    initialiser: Node | None = None
    spelling: str = ""


class EnumConstant(msgspec.Struct, eq=False):
    value: int


Symbol = FunctionSymbol | VariableSymbol | EnumConstant


class SymbolTable:
    """All units of the program; finds what the entry reaches."""

    def __init__(self, units: list[Unit], opaque: frozenset[str]) -> None:
        self.units = units
        self.opaque = opaque  # functions whose bodies do not matter: reaching the call is the error
        self.functions: dict[str, FunctionSymbol] = {}  # reached, by unique name
        self.globals: dict[str, VariableSymbol] = {}
        self.address_taken: list[FunctionSymbol] = []
        self.literals: set[str] = set()  # string literals of what was reached, as clang spells them
        self.labels: dict[int, tuple[int, str]] = {}  # labels whose address is taken: the number that stands for it, the function
        self._queue: list[FunctionSymbol | VariableSymbol] = []
        self._meant: dict[str, object] = {}  # what each unique name stands for
        self._lib = library()

    def collect(self, unit: Unit) -> None:
        """Registers the file-scope declarations of a unit."""
        lib = self._lib
        for cursor in unit.clang.declarations():
            if cursor.kind == clang.FUNCTION_DECL:
                if lib.clang_isCursorDefinition(cursor):
                    unit.functions[unit.clang.spelling(cursor)] = cursor
                else:
                    unit.prototypes.setdefault(unit.clang.spelling(cursor), []).append(cursor)
            elif cursor.kind == clang.VAR_DECL:
                unit.variables.setdefault(unit.clang.spelling(cursor), []).append(cursor)

    def constructors(self) -> list[Constructor]:
        """Functions that run before the entry, by attribute, in this order; destructors too, which the caller must refuse."""
        found = []
        for unit in self.units:
            if unit.is_model:
                continue
            for name, cursor in unit.functions.items():
                for declaration in (cursor, *unit.prototypes.get(name, ())):
                    around = _AROUND_MAIN.search(unit.clang.attributes(declaration))
                    if around is not None:
                        priority = int(around[2] or _LAST)
                        found.append(Constructor(self.function(unit, name, cursor), priority, around[1] == "destructor"))
                        break
        return sorted(found, key=lambda each: each.priority)

    def defining_unit(self, name: str, library: bool = False) -> Unit | None:
        """The unit with the external definition of this function; a strong one goes before weak and inline ones.

        `library`: only the models' own.
        """
        units = [unit for unit in self.units if unit.is_model or not library]
        found = [unit for unit in units if name in unit.functions and not self._is_internal(unit.functions[name])]
        if len(found) > 1:
            strong = [unit for unit in found if not self._yields(unit, unit.functions[name])]
            if len([unit for unit in strong if not unit.is_model]) > 1:
                places = " and ".join(unit.clang.path for unit in strong)
                raise FrontendError(f"function {name} is defined in {places}")
            found = strong or found
        return found[0] if found else None

    def _is_internal(self, cursor: CXCursor | None) -> bool:
        return cursor is not None and self._lib.clang_getCursorLinkage(cursor) == _LINKAGE_INTERNAL

    def _yields(self, unit: Unit, cursor: CXCursor) -> bool:
        """Does another definition of the same function go before this one?"""
        return bool(self._lib.clang_Cursor_isFunctionInlined(cursor)) or "__attribute__((weak))" in unit.clang.attributes(cursor)

    def _other_name(self, unit: Unit, cursor: CXCursor) -> str | None:
        """The name under which a declared thing is defined: __attribute__((alias("name"))), or asm("name")."""
        match = _RENAMED.search(unit.clang.attributes(cursor))
        return match[1] if match else None

    def function(self, unit: Unit, name: str, cursor: CXCursor) -> FunctionSymbol:
        """The function that `cursor`, a declaration seen in `unit`, denotes; entered into the queue when new."""
        definition: CXCursor | None = None if name in self.opaque else unit.functions.get(name)
        home = unit
        library = unit.is_model and self._is_the_programs(name)
        if name not in self.opaque and not self._is_internal(definition):
            other = self.defining_unit(name, library)
            if other is not None:
                definition, home = other.functions[name], other
        if definition is None and (known := self._other_name(unit, cursor)) not in (None, name):
            assert known is not None
            return self.function(unit, known, cursor)
        internal = self._is_internal(definition)
        unique = names.at_library(name) if library and not internal else self._unique(name, home, internal)
        self._reserve(unique, "function", home if internal else None)
        symbol = self.functions.get(unique)
        if symbol is None:
            type_ = home.types.of(definition if definition is not None else cursor)
            assert isinstance(type_, Function)
            symbol = self.functions[unique] = FunctionSymbol(unique, home, definition, type_)
            self._queue.append(symbol)
        return symbol

    def _unique(self, name: str, home: Unit, internal: bool) -> str:
        """A static name that another unit has too gets the unit's number; `f@1` is what an inlined call in line 1 is named."""
        if not internal:
            return name
        is_rival = home.is_model or any(
            name in unit.functions or name in unit.variables or name in unit.prototypes for unit in self.units if unit is not home
        )
        return names.at_unit(name, self.units.index(home)) if is_rival else name

    def _is_the_programs(self, name: str) -> bool:
        """Does the program mean something of its own by this name, which the library does not?"""
        if name in _REPLACEABLE and self.defining_unit(name) is not None:
            return False
        own = [unit for unit in self.units if not unit.is_model]
        if any(name in unit.functions for unit in own):
            return True
        return any(self._quality(unit, cursor)[0] > 0 for unit in own for cursor in unit.variables.get(name, ()))  # not extern

    def _reserve(self, unique: str, kind: str, home: Unit | None) -> None:
        """No two things have one name: a declaration inside a function may tell too late of a second one."""
        meant = (kind, id(home) if home is not None else None)
        if self._meant.setdefault(unique, meant) != meant:
            raise FrontendError(f"the files of the program declare {unique} as two different things")

    def variable(self, unit: Unit, name: str, cursor: CXCursor) -> VariableSymbol:
        """The global variable that `cursor` denotes: its best declaration over all units."""
        internal = self._is_internal(cursor)
        if self._lib.clang_Cursor_getStorageClass(cursor) == _EXTERN:
            known = self._other_name(unit, cursor)
            for declaration in unit.variables.get(known or "", ()):
                if known != name:
                    return self.variable(unit, known or "", declaration)
        unique = self._unique(name, unit, internal)
        if unit.is_model and not internal and self._is_the_programs(name):
            unique = names.at_library(name)
        self._reserve(unique, "variable", unit if internal else None)
        symbol = self.globals.get(unique)
        if symbol is not None:
            return symbol
        homes = [unit] if internal else [unit, *(other for other in self.units if other is not unit)]
        candidates = [
            (home, declaration)
            for home in homes
            for declaration in home.variables.get(name, ())
            if internal or not self._is_internal(declaration)
        ] or [(unit, cursor)]
        home, best = max(candidates, key=lambda pair: self._quality(pair[0], pair[1]))
        defined = any(self._quality(h, c)[0] > 0 for h, c in candidates)
        symbol = self._global(home, best, unique, defined)
        return symbol

    def _quality(self, unit: Unit, cursor: CXCursor) -> tuple[int, int]:
        """Initialised over tentative over extern; complete over incomplete."""
        extern = self._lib.clang_Cursor_getStorageClass(cursor) == _EXTERN
        initialised = self._lib.clang_Cursor_getVarDeclInitializer(cursor).kind >= clang.EXPR_FIRST
        return (2 if initialised else 0 if extern else 1, unit.types.of(cursor).size)

    def _global(self, unit: Unit, cursor: CXCursor, unique: str, defined: bool) -> VariableSymbol:
        type_ = unit.types.of(cursor)
        symbol = VariableSymbol(
            unique, unit, cursor, type_, is_global=True, in_memory=not isinstance(type_, Scalar), defined=defined
        )
        symbol.spelling = text_of(self._lib.clang_getTypeSpelling(self._lib.clang_getCursorType(cursor)))
        initialiser = self._lib.clang_Cursor_getVarDeclInitializer(cursor)
        if clang.EXPR_FIRST <= initialiser.kind <= clang.EXPR_LAST:
            symbol.initialiser = unit.clang.tree(initialiser)
        self.globals[unique] = symbol
        self._queue.append(symbol)
        return symbol

    def reach(self) -> list[str]:
        """Scans until nothing new is reached; returns the names of functions called or referred to but not defined."""
        undefined = []
        while self._queue:
            symbol = self._queue.pop()
            if isinstance(symbol, VariableSymbol):
                if symbol.initialiser is not None:
                    self._scan(symbol.unit, symbol.initialiser, symbol.name)
            elif symbol.definition is None:
                undefined.append(symbol.name)
            else:
                symbol.tree = symbol.unit.clang.tree(symbol.definition)
                self._scan(symbol.unit, symbol.tree, symbol.name)
        return undefined

    def define(self, name: str, unit: Unit, model: str) -> None:
        """Gives an undefined function its definition in `unit`: the library function `model`."""
        symbol = self.functions[name]
        symbol.unit = unit
        symbol.definition = unit.functions[model]
        type_ = unit.types.of(symbol.definition)
        assert isinstance(type_, Function)
        symbol.type = type_
        self._queue.append(symbol)

    def _scan(self, unit: Unit, root: Node, owner: str) -> None:
        """Resolves every reference below a node."""
        callees: set[int] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            kind = node.kind
            if kind == clang.DECL_REF_EXPR:
                symbol = self.resolve(unit, self._lib.clang_getCursorReferenced(node.cursor), owner)
                if isinstance(symbol, FunctionSymbol) and node.key not in callees and not symbol.address_taken:
                    symbol.address_taken = True
                    self.address_taken.append(symbol)
            elif kind == clang.STRING_LITERAL:
                self.literals.add(unit.clang.spelling(node.cursor))
            elif kind == clang.CALL_EXPR:
                callee = direct_callee(node)
                if callee is not None:
                    callees.add(callee.key)
            elif kind == clang.UNARY_OPERATOR and node.operator == "&":
                operand = strip(node.children[0])
                if operand.kind == clang.DECL_REF_EXPR:
                    symbol = self.resolve(unit, self._lib.clang_getCursorReferenced(operand.cursor), owner)
                    if isinstance(symbol, VariableSymbol):
                        symbol.in_memory = True
                    elif isinstance(symbol, FunctionSymbol) and operand.key not in callees and not symbol.address_taken:
                        symbol.address_taken = True
                        self.address_taken.append(symbol)
                    continue
            elif kind == clang.VAR_DECL or kind == clang.PARM_DECL:
                self.resolve(unit, node.cursor, owner)
            elif kind == clang.ADDR_LABEL:
                key = self._lib.clang_getCursorReferenced(node.children[0].cursor).d1
                self.labels.setdefault(key, (len(self.labels) + 1, owner))
            elif kind == clang.SIZEOF_EXPR and unit.clang.evaluate(node.cursor) is not None:
                continue
            stack.extend(reversed(node.children))

    def resolve(self, unit: Unit, cursor: CXCursor, owner: str) -> Symbol | None:
        """What a declaration denotes; None for what is no value (a typedef, a record)."""
        key: int = cursor.d0
        symbol = unit.symbols.get(key)
        if symbol is None:
            found = self._resolve(unit, cursor, owner)
            if found is None:
                return None
            symbol = unit.symbols[key] = found
        return symbol

    def _resolve(self, unit: Unit, cursor: CXCursor, owner: str) -> Symbol | None:
        lib = self._lib
        kind = cursor.kind
        if kind == clang.ENUM_CONSTANT:
            return EnumConstant(lib.clang_getEnumConstantDeclValue(cursor))
        name = unit.clang.spelling(cursor)
        if name.startswith(RESERVED) and lib.clang_getCursorLinkage(cursor) != _LINKAGE_NONE:
            if not unit.is_model and not unit.clang.is_written_in(cursor, BUNDLED):  # made by macros: no text shows it
                raise FrontendError(f"{unit.clang.path}: {name}: names that begin with {RESERVED} are drystone's own")
        if kind == clang.FUNCTION_DECL:
            symbol = self.function(unit, name, cursor)
            symbol.referenced = True
            return symbol
        if kind not in (clang.VAR_DECL, clang.PARM_DECL):
            return None
        type_ = unit.types.of(cursor)
        if kind == clang.VAR_DECL:
            if lib.clang_getCursorLinkage(cursor) != _LINKAGE_NONE:
                return self.variable(unit, name, cursor)
            if lib.clang_Cursor_getStorageClass(cursor) == _STATIC:
                unique, count = f"{owner}.{name}", 1
                while unique in self.globals:
                    count += 1
                    unique = f"{owner}.{name}#{count}"
                return self._global(unit, cursor, unique, True)
        if kind == clang.PARM_DECL:
            type_ = unit.types.decayed(type_)
        variable = VariableSymbol(name, unit, cursor, type_, is_global=False, is_parameter=kind == clang.PARM_DECL)
        variable.in_memory = isinstance(type_, (Array, Record, Unsupported))
        variable.spelling = text_of(lib.clang_getTypeSpelling(lib.clang_getCursorType(cursor)))
        return variable


_RENAMED = re.compile(r'\b(?:alias|asm)\("([^"]*)"\)')
_AROUND_MAIN = re.compile(r"__attribute__\(\((constructor|destructor)(?:\((\d+)\))?\)\)")
_LAST = 65535  # the priority of constructors that have none


def is_expression(node: Node) -> bool:
    return clang.EXPR_FIRST <= node.kind <= clang.EXPR_LAST


def direct_callee(call: Node) -> Node | None:
    """The reference to the called function, unless the call goes through a pointer expression."""
    node = call.children[0] if call.children else None
    while node is not None and node.kind in (clang.UNEXPOSED_EXPR, clang.PAREN_EXPR):
        node = node.children[0] if len(node.children) == 1 else None
    if node is None or node.kind != clang.DECL_REF_EXPR:
        return None
    referenced = library().clang_getCursorReferenced(node.cursor)
    return node if referenced.kind == clang.FUNCTION_DECL else None
