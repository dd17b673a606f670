"""Names: which declaration a reference means, across translation units; and what the entry reaches.

The scan reads every reached function and initialiser once, before anything is lowered, because whether a
variable is a plain variable or lies in memory depends on whether its address is taken anywhere.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from drystone.concrete.output import STANDARD_STREAMS
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, library
from drystone.frontend.clang.cursors import evaluate, spelling
from drystone.frontend.clang.nodes import Node, tree_of
from drystone.frontend.clang.shapes import direct_callee, strip
from drystone.frontend.clang.unit import BUNDLED
from drystone.frontend.declarations import inline_definitions
from drystone.frontend.declarations.linking import Entity, Linker, Unit, agree, safe
from drystone.frontend.declarations.types import Array, CType, Function, Record, Scalar, Unsupported
from drystone.frontend.errors import FrontendError
from drystone.frontend.source_text.vocabulary import MADE_BY_LIBRARY, is_made_by_linker
from drystone.ir import names
from drystone.ir.conventions import names_any_value

_REPLACEABLE = frozenset("malloc calloc realloc free aligned_alloc posix_memalign memalign".split())
"""Library functions that the library itself calls under their names, so that it calls those that a program defines."""
RESERVED = "__drystone"
"""Begins the names of what drystone's headers and models declare; C reserves names with two underscores for such use."""
_STATIC = 3
_LINKAGE_NONE = 1


class FunctionSymbol(msgspec.Struct, eq=False):
    name: str
    unit: Unit
    definition: CXCursor | None
    type: Function
    tree: Node | None = None
    address_taken: bool = False
    referenced: bool = False  # called or referred to by the program itself
    is_null: bool = False  # weak and defined nowhere: its address is 0
    is_noreturn: bool = False  # one of its declarations says so
    attributes: frozenset[str] = frozenset()
    refused: str = ""  # why a use of it is not modelled
    touches: int = -1  # a `Touch`, with what it calls; -1: nobody has asked (frontend/expressions/evaluation_order.py)
    itself: tuple[int, list[FunctionSymbol]] | None = None  # a `Touch` without what it calls, and this

    @property
    def gives_any_value(self) -> bool:
        """Is it, without a body, a function of verification that returns any value and, as it is given nothing, does nothing?"""
        return names_any_value(names.spelled(self.name)) and not self.type.parameters and not self.type.variadic


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
    is_null: bool = False  # weak and defined nowhere: its address is 0
    refused: str = ""  # why a use of it is not modelled
    cleanup: FunctionSymbol | None = None  # called with its address where its scope ends


class EnumConstant(msgspec.Struct, eq=False):
    value: int


Symbol = FunctionSymbol | VariableSymbol | EnumConstant


class SymbolTable:
    """All units of the program; finds what the entry reaches."""

    def __init__(self, units: list[Unit], opaque: frozenset[str], is_library: Callable[[str], bool]) -> None:
        self.units = units
        self.opaque = opaque  # functions whose bodies do not matter: reaching the call is the error
        self.is_library = is_library  # does the C library define this name?
        self.linker = Linker(units)
        self.functions: dict[str, FunctionSymbol] = {}  # reached, by unique name
        self.globals: dict[str, VariableSymbol] = {}
        self.address_taken: list[FunctionSymbol] = []
        self.literals: set[str] = set()  # string literals of what was reached, as clang spells them
        self.labels: dict[int, tuple[str, str]] = {}  # labels whose address is taken: the name of the place, the function
        self._queue: list[FunctionSymbol | VariableSymbol] = []
        self._of_declarations: dict[tuple[Unit, int], Symbol] = {}
        self._meant: dict[str, tuple[bool, int | None]] = {}  # what each unique name stands for
        self._lib = library()

    def around_main(self, attribute: str) -> list[FunctionSymbol]:
        """The constructors in the order in which they run, or the destructors in the opposite one.

        By priority; then by unit and place: the linker sorts what each unit has in the order of its definitions. What runs is
        what the symbol means after linking, which for a weak one may be another file's function.
        """
        found = []
        for unit in self.units:
            if unit.is_model:
                continue
            defined = [unit.entities.entity(definition) for definition in unit.functions.values()]
            acting = [each for each in defined if attribute in each.attributes.names and attribute in each.attributes.arguments]
            uncertain = unit.entities.in_uncertain_order(acting, attribute)
            for entity in sorted(acting, key=unit.entities.place_of_definition):
                assert entity.definition is not None
                function = self.function(unit, entity.name, entity.definition)
                if entity.is_inline:
                    function.refused = f"{attribute} that is inline"
                elif entity in uncertain:
                    function.refused = f"{attribute} that may run before or after another one"
                found.append((entity.attributes.priority(attribute), function))
        return [function for _, function in sorted(found, key=lambda each: each[0])]

    def function(self, unit: Unit, name: str, cursor: CXCursor) -> FunctionSymbol:
        """The function that `cursor`, a declaration seen in `unit`, denotes; entered into the queue when new."""
        declared = unit.entities.entity(cursor)
        of_library = self._is_of_library(declared)
        entity = self.linker.resolve(declared, of_library)
        definition: CXCursor | None = entity.definition
        if not self.opaque.isdisjoint((name, declared.symbol, entity.symbol)):
            definition = None
        unique = self._unique(entity, definition, name if name in self.opaque else entity.symbol)
        unique = names.at_library(entity.symbol) if of_library else unique
        self._reserve(unique, entity, definition)
        symbol = self.functions.get(unique)
        if symbol is None:
            type_ = entity.unit.types.of(entity.best)
            if not isinstance(type_, Function):
                type_ = unit.types.of(cursor)
                entity.attributes.refused = f"{entity.symbol} is both a function and a variable"
            assert isinstance(type_, Function)
            symbol = self.functions[unique] = FunctionSymbol(unique, entity.unit, definition, type_)
            symbol.is_null = definition is None and self._is_null(entity)
            self._queue.append(symbol)
        symbol.attributes |= declared.attributes.names | entity.attributes.names
        symbol.is_noreturn |= declared.attributes.noreturn or entity.attributes.noreturn
        symbol.is_noreturn |= any(
            self._is_noreturn(each.unit, cursor) for each in (declared, entity) for cursor in each.declarations
        )
        symbol.refused = symbol.refused or declared.attributes.refused or entity.attributes.refused
        if declared.is_inline and declared is not entity and not inline_definitions.agree(declared, entity, self.linker.resolve):
            symbol.refused = f"{entity.symbol} has an inline definition and a different external one"
        return symbol

    @staticmethod
    def _is_noreturn(unit: Unit, cursor: CXCursor) -> bool:
        type_ = unit.types.of(cursor)
        return isinstance(type_, Function) and type_.noreturn

    def _is_of_library(self, entity: Entity) -> bool:
        """Does a library model mean its own function or variable by a name that the program gives to another one?"""
        if not entity.unit.is_model or entity.is_internal or entity.symbol in _REPLACEABLE:
            return False
        return self.linker.is_defined_by_program(entity.symbol)

    def _is_null(self, entity: Entity) -> bool:
        if entity.symbol in self.opaque or not self.linker.is_null(entity) or self.is_library(entity.symbol):
            return False
        if entity.symbol.startswith("_"):
            entity.attributes.refused = f"{entity.symbol} is weak, and the implementation may define it or not"
        return True

    def _unique(self, entity: Entity, definition: CXCursor | None, symbol: str) -> str:
        """The name in the program: of an external symbol its own, of which there is one after linking.

        A definition that only its own unit knows (static, or an alias of one that another file's goes before) has its C
        name, with the unit's number where anything else has that name, or may get it when library models are linked in.
        """
        if definition is None or (not entity.is_internal and self.linker.resolve(entity) is entity and not entity.is_inline):
            return safe(symbol)
        clashes = entity.unit.is_model or self.is_library(entity.name) or self.linker.rivals(entity)
        return names.at_unit(safe(entity.name), self.units.index(entity.unit)) if clashes else safe(entity.name)

    def _reserve(self, unique: str, entity: Entity, definition: CXCursor | None) -> None:
        """No two things have one name: what `_unique` promises is checked."""
        is_own = definition is not None and (entity.is_internal or entity.is_inline)
        meant = (entity.is_function, id(entity) if is_own else None)
        if self._meant.setdefault(unique, meant) != meant:
            raise FrontendError(f"the files of the program declare {unique} as two different things")

    def variable(self, unit: Unit, cursor: CXCursor) -> VariableSymbol:
        """The global variable that `cursor` denotes."""
        declared = unit.entities.entity(cursor)
        of_library = self._is_of_library(declared)
        entity = self.linker.resolve(declared, of_library)
        unique = names.at_library(entity.symbol) if of_library else self._unique(entity, entity.definition, entity.symbol)
        self._reserve(unique, entity, entity.definition)
        symbol = self.globals.get(unique)
        if symbol is None:
            home = entity
            if entity.definition is None:
                same = [each.entities.by_symbol[entity.symbol] for each in self.units if entity.symbol in each.entities.by_symbol]
                home = max((each for each in same if not each.is_internal), key=lambda each: each.unit.types.of(each.best).size)
            symbol = self._global(home.unit, home.best, unique, entity.definition is not None)
            if not symbol.defined:
                symbol.is_null = self._is_null(entity)
                if is_made_by_linker(entity.symbol):
                    symbol.refused = f"{entity.symbol}, which the linker defines"
                elif entity.symbol in MADE_BY_LIBRARY:
                    symbol.refused = f"{entity.symbol}, which the C library defines"
        self._compare(symbol, unit.types.of(cursor), declared, entity)
        return symbol

    def _compare(self, symbol: VariableSymbol, type_: CType, declared: Entity, entity: Entity) -> None:
        """Units may give one object different types: then it lies in memory, and if even the sizes differ, uses are refused."""
        if isinstance(type_, Function) or isinstance(symbol.type, Function) or entity.is_function:
            symbol.refused = f"{entity.symbol} is both a function and a variable"
        elif not agree(type_, symbol.type):
            symbol.refused = f"{entity.symbol} has type {type_} in one file and {symbol.type} in another"
        elif not (isinstance(type_, Scalar) and isinstance(symbol.type, Scalar) and type_.sort == symbol.type.sort):
            symbol.in_memory = True
        symbol.refused = symbol.refused or declared.attributes.refused or entity.attributes.refused
        if declared is not entity and declared.definition is not None and "const" in symbol.spelling:
            symbol.refused = (
                f"{entity.symbol} is constant, and another file's goes before its weak definition"  # gcc may use either
            )

    def _global(self, unit: Unit, cursor: CXCursor, unique: str, defined: bool) -> VariableSymbol:
        type_ = unit.types.of(cursor)
        symbol = VariableSymbol(
            unique, unit, cursor, type_, is_global=True, in_memory=not isinstance(type_, Scalar), defined=defined
        )
        symbol.spelling = unit.types.spelled(self._lib.clang_getCursorType(cursor))
        initialiser = self._lib.clang_Cursor_getVarDeclInitializer(cursor)
        if kinds.EXPR_FIRST <= initialiser.kind <= kinds.EXPR_LAST:
            symbol.initialiser = tree_of(initialiser)
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
                symbol.tree = tree_of(symbol.definition)
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
            if kind == kinds.DECL_REF_EXPR:
                symbol = self.resolve(unit, self._lib.clang_getCursorReferenced(node.cursor), owner)
                if isinstance(symbol, FunctionSymbol) and node.key not in callees:
                    self._take_address(symbol)
            elif kind == kinds.STRING_LITERAL:
                self.literals.add(spelling(node.cursor))
            elif kind == kinds.CALL_EXPR:
                callee = direct_callee(node)
                if callee is not None:
                    callees.add(callee.key)
            elif kind == kinds.UNARY_OPERATOR and node.operator == "&":
                operand = strip(node.children[0])
                if operand.kind == kinds.DECL_REF_EXPR:
                    symbol = self.resolve(unit, self._lib.clang_getCursorReferenced(operand.cursor), owner)
                    if isinstance(symbol, VariableSymbol):
                        symbol.in_memory = True
                        self._refuse_other_stream(unit, operand, owner)
                    elif isinstance(symbol, FunctionSymbol) and operand.key not in callees:
                        self._take_address(symbol)
                    continue
            elif kind == kinds.BINARY_OPERATOR and node.operator == "=":
                self._refuse_other_stream(unit, strip(node.children[0]), owner)
            elif kind == kinds.VAR_DECL or kind == kinds.PARM_DECL:
                self.resolve(unit, node.cursor, owner)
            elif kind == kinds.ADDR_LABEL:
                key = self._lib.clang_getCursorReferenced(node.children[0].cursor).d1
                self.labels.setdefault(key, (names.label(owner, len(self.labels)), owner))
            elif kind == kinds.SIZEOF_EXPR and evaluate(node.cursor) is not None:
                continue
            stack.extend(reversed(node.children))

    def _refuse_other_stream(self, unit: Unit, place: Node, owner: str) -> None:
        """Models know which stream is the standard input, and that it stays so."""
        if place.kind != kinds.DECL_REF_EXPR or unit.is_model:
            return
        symbol = self.resolve(unit, self._lib.clang_getCursorReferenced(place.cursor), owner)
        if isinstance(symbol, VariableSymbol) and not symbol.defined and names.spelled(symbol.name) in STANDARD_STREAMS:
            symbol.refused = f"another stream in {symbol.name}"

    def _take_address(self, symbol: FunctionSymbol) -> None:
        if not symbol.address_taken and not symbol.is_null:
            symbol.address_taken = True
            self.address_taken.append(symbol)

    def resolve(self, unit: Unit, cursor: CXCursor, owner: str) -> Symbol | None:
        """What a declaration denotes; None for what is no value (a typedef, a record)."""
        symbol = self.resolved(unit, cursor)
        if symbol is None:
            symbol = self._resolve(unit, cursor, owner)
            if symbol is not None:
                self._of_declarations[unit, cursor.d0] = symbol
        return symbol

    def resolved(self, unit: Unit, cursor: CXCursor) -> Symbol | None:
        """What a declaration denotes, if anybody has asked before."""
        return self._of_declarations.get((unit, cursor.d0))

    def _resolve(self, unit: Unit, cursor: CXCursor, owner: str) -> Symbol | None:
        lib = self._lib
        kind = cursor.kind
        if kind == kinds.ENUM_CONSTANT:
            return EnumConstant(lib.clang_getEnumConstantDeclValue(cursor))
        name = spelling(cursor)
        if name.startswith(RESERVED) and lib.clang_getCursorLinkage(cursor) != _LINKAGE_NONE:
            if not unit.is_model and not unit.clang.source.is_written_in(cursor, BUNDLED):  # made by macros: no text shows it
                raise FrontendError(f"{unit.clang.path}: {name}: names that begin with {RESERVED} are drystone's own")
        if kind == kinds.FUNCTION_DECL:
            symbol = self.function(unit, name, cursor)
            symbol.referenced = True
            return symbol
        if kind not in (kinds.VAR_DECL, kinds.PARM_DECL):
            return None
        type_ = unit.types.of(cursor)
        if kind == kinds.VAR_DECL:
            if lib.clang_getCursorLinkage(cursor) != _LINKAGE_NONE:
                return self.variable(unit, cursor)
            if lib.clang_Cursor_getStorageClass(cursor) == _STATIC:
                unique, count = f"{owner}.{name}", 1
                while unique in self.globals:
                    count += 1
                    unique = f"{owner}.{name}#{count}"
                static = self._global(unit, cursor, unique, True)
                given = unit.entities.of_locals.get(cursor.d0)
                if given is not None and (given.refused or "asm" in given.names):
                    static.refused = given.refused or "asm label of a static variable in a block"
                return static
        if kind == kinds.PARM_DECL:
            type_ = unit.types.decayed(type_)
        variable = VariableSymbol(name, unit, cursor, type_, is_global=False, is_parameter=kind == kinds.PARM_DECL)
        variable.in_memory = isinstance(type_, (Array, Record, Unsupported))
        variable.spelling = unit.types.spelled(lib.clang_getCursorType(cursor))
        self._apply_attributes(unit, variable)
        return variable

    def _apply_attributes(self, unit: Unit, variable: VariableSymbol) -> None:
        """What attributes say about a local: it is cleaned up, or lives in a register that other code may mean."""
        given = unit.entities.of_locals.get(variable.cursor.d0)
        if given is None:
            return
        variable.refused = given.refused or ("variable in a machine register" if "asm" in given.names else "")
        cleaner = given.text("cleanup") if "cleanup" in given.arguments else None
        if cleaner is not None:
            entity = unit.entities.names.get(cleaner)
            if entity is None or not entity.is_function:
                variable.refused = "attribute cleanup"
                return
            variable.cleanup = self.function(unit, cleaner, entity.declarations[0])
            variable.cleanup.referenced = True
            variable.in_memory = True
