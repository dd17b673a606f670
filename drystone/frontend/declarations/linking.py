"""Linking as `ld` does it: which definition a name of a file means.

The linker knows assembler names, not C names. So each unit has a table of *entities*, one per assembler name (an asm label,
`#pragma redefine_extname`, or the C name); an entity is a definition, an alias of another entity of its unit, or only a
reference. Local entities (`static`) mean themselves. For the others, of all definitions in all units

* a strong one goes before weak ones, and two strong ones are an error (tentative definitions are strong: -fno-common);
* of weak ones the first file's counts;
* an inline definition (C11 6.7.4) counts only in its own unit, if there is no other;
* an alias is bound by the assembler: to its own unit's definition, even if another one goes before that elsewhere.

A name that is defined nowhere is a library function or an external one, or the address 0 if every unit that refers to it
declares it weak.
"""

from __future__ import annotations

import re

import msgspec

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import CXCursor, library
from drystone.frontend.clang.cursors import assembler_name, pretty_print, spelling
from drystone.frontend.clang.unit import BUNDLED, TranslationUnit
from drystone.frontend.declarations import attributes
from drystone.frontend.declarations.attribute_places import is_taken_otherwise
from drystone.frontend.declarations.attributes import Attributes, Ignored
from drystone.frontend.declarations.types import Array, Types
from drystone.frontend.errors import FrontendError
from drystone.frontend.source_text.assembly import acting, printed_asms, templates
from drystone.frontend.source_text.pragmas import Pragmas
from drystone.frontend.source_text.vocabulary import HARMLESS, LAYOUT
from drystone.ir import names

_EXTERN, _STATIC, _REGISTER = 2, 3, 7
_ACTING = frozenset(("section", "ifunc", "constructor", "destructor", "alias", "weakref"))
"""Attributes that do something, or define a symbol, whether their declaration is used or not."""
_LINKAGE_NONE, _LINKAGE_INTERNAL = 1, 2


class Unit(msgspec.Struct, eq=False):
    """A translation unit with its types. Models are units of library functions that drystone brings along."""

    clang: TranslationUnit
    types: Types
    is_model: bool = False
    functions: dict[str, CXCursor] = {}  # definitions, by their C names
    pragmas: Pragmas = msgspec.field(default_factory=Pragmas)
    ignored: list[Ignored] = []  # attributes that clang leaves out
    _entities: Entities | None = None

    @property
    def entities(self) -> Entities:
        assert self._entities is not None
        return self._entities

    def collect(self, pragmas: Pragmas, gnu_inline: bool) -> None:
        """Reads all declarations."""
        self.pragmas = pragmas
        self._entities = Entities(self, pragmas, gnu_inline)
        for entity in self._entities.by_symbol.values():
            if entity.is_function and entity.definition is not None:
                self.functions[entity.name] = entity.definition


class Entity(msgspec.Struct, eq=False):
    """What one assembler name means in one unit."""

    name: str  # in C
    symbol: str  # for the linker
    unit: Unit
    is_function: bool
    is_internal: bool
    declarations: list[CXCursor] = []
    definition: CXCursor | None = None  # the body, or the declaration of a variable that defines it
    is_inline: bool = False  # its definition is for this unit only
    alias: str | None = None  # the entity of the same unit that it is another name of
    attributes: Attributes = msgspec.field(default_factory=Attributes)
    is_weak: bool = False

    @property
    def defines(self) -> bool:
        return self.definition is not None or self.alias is not None

    @property
    def best(self) -> CXCursor:
        """The declaration with the most complete type."""
        types = self.unit.types
        return self.definition or max(self.declarations, key=lambda cursor: types.of(cursor).size)

    def where(self) -> str:
        cursor = self.definition or self.declarations[0]
        file, line, *_ = self.unit.clang.source.extent(cursor)
        return f"{file}:{line}"


def _is_constant(variable: CXCursor) -> bool:
    lib = library()
    type_ = lib.clang_getCanonicalType(lib.clang_getCursorType(variable))
    while not (is_constant := bool(lib.clang_isConstQualifiedType(type_))) and lib.clang_getArrayElementType(type_).kind > 0:
        type_ = lib.clang_getCanonicalType(lib.clang_getArrayElementType(type_))
    return is_constant


class Entities:
    """The entities of one unit, from one pass over it; and the attributes of everything else in it."""

    def __init__(self, unit: Unit, pragmas: Pragmas, gnu_inline: bool) -> None:
        self.unit = unit
        self.by_symbol: dict[str, Entity] = {}
        self.by_declaration: dict[int, Entity] = {}
        self.names: dict[str, Entity] = {}  # by their C names
        self.of_locals: dict[int, Attributes] = {}  # variables without linkage that have attributes
        self.refusals: list[tuple[str, CXCursor]] = []  # what acts whether it is used or not
        self._places: dict[int, int] = {}  # of declarations, in their order
        self._lib = library()
        declared, given = unit.clang.survey()
        of_declaration: dict[int, list[CXCursor]] = {}
        others: list[tuple[CXCursor, CXCursor]] = []
        for attribute, declaration in given:
            if declaration.kind in (kinds.FUNCTION_DECL, kinds.VAR_DECL):
                of_declaration.setdefault(declaration.d0, []).append(attribute)
            else:
                others.append((attribute, declaration))
        for cursor in declared:
            if self._lib.clang_getCursorLinkage(cursor) != _LINKAGE_NONE:
                labels = [each for each in of_declaration.get(cursor.d0, ()) if each.kind == kinds.ASM_LABEL_ATTR]
                self._places[cursor.d0] = len(self._places)
                self._enter(cursor, bool(labels))
            elif cursor.d0 in of_declaration:
                local = self.of_locals[cursor.d0] = attributes.read(unit.clang, [cursor], of_declaration[cursor.d0])
                is_static = self._lib.clang_Cursor_getStorageClass(cursor) == _STATIC
                if local.is_placed:
                    self.refusals.append((local.refused, cursor))
                elif is_static and "asm" in local.names:
                    self.refusals.append(("asm label of a static variable in a block", cursor))
        for entity in self.by_symbol.values():
            self._complete(entity, [each for cursor in entity.declarations for each in of_declaration.get(cursor.d0, ())])
            self._define(entity, gnu_inline)
        self._apply(pragmas)
        self._refuse_others(others)

    def _enter(self, cursor: CXCursor, has_label: bool) -> None:
        symbol = assembler_name(cursor)
        if not has_label and self._lib.clang_isCursorDefinition(cursor) and spelling(cursor) not in self.names:
            if cursor.kind == kinds.FUNCTION_DECL:
                symbol = spelling(cursor)  # gcc's #pragma redefine_extname does not rename what is defined at once
        entity = self.by_symbol.get(symbol)
        internal = self._lib.clang_getCursorLinkage(cursor) == _LINKAGE_INTERNAL
        if entity is None:
            is_function = cursor.kind == kinds.FUNCTION_DECL
            entity = self.by_symbol[symbol] = Entity(spelling(cursor), symbol, self.unit, is_function, internal)
        elif entity.is_function != (cursor.kind == kinds.FUNCTION_DECL):
            entity.attributes.refused = f"{symbol} is both a function and a variable"
        before = self.names.get(spelling(cursor))
        is_in_block = self._lib.clang_getCursorLexicalParent(cursor).kind == kinds.FUNCTION_DECL
        if has_label and before is not None and before is not entity and is_in_block:  # it counts everywhere, for gcc
            self.refusals.append((f"asm label that an earlier declaration of {spelling(cursor)} does not have", cursor))
        entity.is_internal |= internal
        entity.declarations.append(cursor)
        self.by_declaration[cursor.d0] = entity
        self.names[spelling(cursor)] = entity

    def _complete(self, entity: Entity, given: list[CXCursor]) -> None:
        if not given:
            return
        conflict = entity.attributes.refused
        entity.attributes = attributes.read(self.unit.clang, entity.declarations, given)
        entity.attributes.refused = entity.attributes.refused or conflict
        entity.is_weak = entity.attributes.weak
        acts = entity.attributes.is_placed or not _ACTING.isdisjoint(entity.attributes.names)
        if entity.attributes.refused and acts:
            self.refusals.append((entity.attributes.refused, entity.declarations[0]))
        elif "alias" in entity.attributes.names:
            entity.alias = entity.attributes.text("alias")

    def _define(self, entity: Entity, gnu_inline: bool) -> None:
        lib = self._lib
        if entity.is_function:
            bodies = [cursor for cursor in entity.declarations if lib.clang_isCursorDefinition(cursor)]
            if len(bodies) > 1:
                entity.attributes.refused = f"two functions with the assembler name {entity.symbol}"
            entity.definition = bodies[0] if bodies else None
            entity.is_inline = bool(bodies) and not entity.is_internal and self._is_inline(entity, gnu_inline)
            return
        initialised = [
            each for each in entity.declarations if lib.clang_Cursor_getVarDeclInitializer(each).kind >= kinds.EXPR_FIRST
        ]
        tentative = [each for each in entity.declarations if lib.clang_Cursor_getStorageClass(each) != _EXTERN]
        if len({spelling(each) for each in initialised + tentative}) > 1:
            entity.attributes.refused = f"two variables with the assembler name {entity.symbol}"
        if any(lib.clang_Cursor_getStorageClass(each) == _REGISTER for each in entity.declarations):
            entity.attributes.refused = "variable in a machine register"
        if initialised:
            entity.definition = initialised[0]
        elif tentative and entity.alias is not None:  # gcc knows no other one than `static int y __attribute__((alias("x")));`
            if not entity.is_internal or _is_constant(tentative[0]):  # of a constant it reads zeros where it can
                entity.attributes.refused = f"alias {entity.name} that looks like a definition"
        elif tentative:
            entity.definition = max(tentative, key=lambda cursor: self.unit.types.of(cursor).size)

    def _is_inline(self, entity: Entity, gnu_inline: bool) -> bool:
        """Is the definition an inline definition, which does not make the function available to other units?"""
        lib = self._lib
        if gnu_inline or "gnu_inline" in entity.attributes.names:
            is_extern = lib.clang_Cursor_getStorageClass(entity.definition) == _EXTERN
            return bool(lib.clang_Cursor_isFunctionInlined(entity.definition)) and is_extern
        return all(
            lib.clang_Cursor_isFunctionInlined(cursor) and lib.clang_Cursor_getStorageClass(cursor) != _EXTERN
            for cursor in entity.declarations
        )

    def _apply(self, pragmas: Pragmas) -> None:
        """`#pragma weak` marks what clang's cursors do not show."""
        for name, target in pragmas.weak.items():
            entity = self.names.get(name)
            if entity is None:
                continue
            entity.is_weak = True
            if target is not None:
                entity.alias = target
            if entity.symbol != name:
                entity.attributes.refused = f"#pragma weak {name} with another assembler name"

    def _refuse_others(self, others: list[tuple[CXCursor, CXCursor]]) -> None:
        """Attributes of types, fields, parameters: what is not known to be harmless refuses the program."""
        for attribute, declaration in others:
            name = attributes.written_name(self.unit.clang, attribute, [declaration])
            if name and name not in HARMLESS:
                self.refusals.append((f"attribute {name}", declaration))
            elif name in LAYOUT and is_taken_otherwise(self.unit.clang, attribute, name, declaration):
                self.refusals.append((f"attribute {name} where gcc takes it otherwise than clang", declaration))

    def place_of_definition(self, entity: Entity) -> int:
        """Its place among all declarations of the unit."""
        assert entity.definition is not None
        return self._places[entity.definition.d0]

    def in_uncertain_order(self, functions: list[Entity], attribute: str) -> list[Entity]:
        """Those of the constructors or destructors that gcc may emit in another order than that of the definitions.

        gcc emits a function at the place where it first needs to know it: at the latest its definition; its declaration, if a
        priority, a section or another name stands there; in between, if its address is folded. So two of them
        are in order if one is defined before the other is declared, or if they have nothing of this.
        """
        places = [(self._places[each.declarations[0].d0], self.place_of_definition(each), each) for each in functions]
        overlapping = [
            (one, other)
            for first, last, one in places
            for declared, defined, other in places
            if declared < last < defined and one.attributes.priority(attribute) == other.attributes.priority(attribute)
        ]
        if not overlapping:
            return []
        referred = {id(self.by_declaration.get(key)) for key in self.unit.clang.referred()}
        return [
            each
            for pair in overlapping
            for each in pair
            if any(id(one) in referred or not self._is_emitted_where_defined(one) for one in pair)
        ]

    @staticmethod
    def _is_emitted_where_defined(entity: Entity) -> bool:
        given = entity.attributes
        timed = [name for name in ("constructor", "destructor") if name in given.names]
        plain = given.names <= HARMLESS | {"constructor", "destructor", "weak", "noreturn", "_Noreturn"}
        return plain and all(name in given.arguments and given.priority(name) == attributes.LAST for name in timed)

    def entity(self, cursor: CXCursor) -> Entity:
        """What a declaration means; one that clang made itself (an undeclared or builtin function) is a reference."""
        known = self.by_declaration.get(cursor.d0)
        if known is None:
            symbol = spelling(cursor)
            known = self.by_symbol.get(symbol)
            if known is None:
                is_function = cursor.kind == kinds.FUNCTION_DECL
                known = self.by_symbol[symbol] = Entity(symbol, symbol, self.unit, is_function, False, [cursor])
            self.by_declaration[cursor.d0] = known
        return known


class Linker:
    """Resolves entities over all units."""

    def __init__(self, units: list[Unit]) -> None:
        self.units = units  # grows as library models are linked in

    def check(self) -> None:
        """`ld` refuses two strong definitions of one symbol, used or not; gcc an alias of what is not defined."""
        first: dict[str, Entity] = {}
        for unit in self.units:
            for entity in unit.entities.by_symbol.values():
                self._own(entity)
                if entity.defines and not (entity.is_internal or entity.is_weak or entity.is_inline):
                    other = first.setdefault(entity.symbol, entity)
                    if other is not entity:
                        raise FrontendError(
                            f"{entity.where()}: error: multiple definition of {entity.symbol}; first defined at {other.where()}"
                        )

    def resolve(self, entity: Entity, of_library: bool = False) -> Entity:
        """The entity with the definition that `entity` means; one without a definition if there is none.

        `of_library`: only library models are looked at.
        """
        target = entity.attributes.text("weakref")
        if target is not None:
            return self.resolve(self._named(entity.unit, target, entity))
        if entity.is_internal:
            return self._own(entity)
        definitions = [each for each in self._definitions(entity.symbol) if each.unit.is_model or not of_library]
        if not definitions:
            return entity
        strong = [each for each in definitions if not each.is_weak and not each.unit.is_model]
        return self._own((strong or definitions)[0])

    def _definitions(self, symbol: str) -> list[Entity]:
        """All external definitions of a symbol, in the order of the units (the program's before library models)."""
        named = [unit.entities.by_symbol[symbol] for unit in self.units if symbol in unit.entities.by_symbol]
        return [each for each in named if each.defines and not each.is_internal and not each.is_inline]

    def is_defined_by_program(self, symbol: str) -> bool:
        return any(not each.unit.is_model for each in self._definitions(symbol))

    def _named(self, unit: Unit, symbol: str, like: Entity) -> Entity:
        known = unit.entities.by_symbol.get(symbol)
        if known is None:
            known = Entity(symbol, symbol, unit, like.is_function, False, like.declarations, is_weak=True)
            unit.entities.by_symbol[symbol] = known
        return known

    def _own(self, entity: Entity) -> Entity:
        """The definition behind an alias, in the alias's own unit."""
        seen = {entity.symbol}
        while entity.definition is None and entity.alias is not None:
            target = entity.unit.entities.by_symbol.get(entity.alias)
            if target is None or not target.defines or target.symbol in seen:
                raise FrontendError(f"{entity.where()}: error: {entity.name} is an alias of the undefined {entity.alias}")
            entity = target
            seen.add(entity.symbol)
        return entity

    def is_null(self, entity: Entity) -> bool:
        """Is the address of this undefined symbol 0: do all units that refer to it declare it weak?"""
        referring = [unit.entities.by_symbol[entity.symbol] for unit in self.units if entity.symbol in unit.entities.by_symbol]
        return all(each.is_weak for each in referring if not each.is_internal)

    def rivals(self, entity: Entity) -> bool:
        """Does another entity have this one's C name, in C or for the linker?"""
        for unit in self.units:
            known = unit.entities.by_symbol.get(entity.name)
            if (known is not None and known is not entity) or (unit is not entity.unit and entity.name in unit.entities.names):
                return True
        return False


def file_scope_assembly(unit: TranslationUnit) -> list[tuple[str, CXCursor]]:
    """Declarations that are no C: `asm("...")` outside of functions may define or change anything."""
    unexposed = [cursor for cursor in unit.declarations() if cursor.kind == kinds.UNEXPOSED_DECL]
    return [("assembly outside of functions", cursor) for cursor in unexposed if pretty_print(cursor).strip(" ;\n")]


def acting_assembly(unit: TranslationUnit) -> list[tuple[str, CXCursor]]:
    """Functions with an asm statement that the assembler acts upon although nothing may ever execute it."""
    texts = dict(unit.inclusions())
    written = {file: text for file, text in texts.items() if not file.startswith(BUNDLED)}
    if not any(map(_ASM.search, written.values())):
        return []
    has_asm = _asm_or_macro(b"\n".join(written.values()))
    found, lib = [], library()
    for cursor in unit.declarations():
        if cursor.kind != kinds.FUNCTION_DECL or not lib.clang_isCursorDefinition(cursor):
            continue
        extent = lib.clang_getCursorExtent(cursor)
        (file, start), (last, end) = (
            unit.source.written(each(extent)) for each in (lib.clang_getRangeStart, lib.clang_getRangeEnd)
        )
        if file != last or start >= end or has_asm.search(texts.get(file, b""), start, end) or file not in written:
            acts = filter(None, (acting(templates(words)) for words in printed_asms(pretty_print(cursor))))
            found += [(f"asm with {what}, which acts though it is not executed", cursor) for what in acts]
    return found


def _asm_or_macro(text: bytes) -> re.Pattern[bytes]:
    """The words by which asm statements are written: also macros that have one of them in their definitions."""
    definitions = [(found[1], found[2]) for found in _DEFINITION.finditer(text)]
    known = {b"asm", b"__asm", b"__asm__"}
    while True:
        words = re.compile(rb"\b(?:" + b"|".join(map(re.escape, sorted(known))) + rb")\b")
        more = {name for name, body in definitions if words.search(body)} - known
        if not more:
            return words
        known |= more


_ASM = regex(rb"\b(?:asm|__asm|__asm__)\b")
_DEFINITION = regex(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\\\n]|\\.|\\\n)*)", re.MULTILINE)
_PLAIN = regex(r"(?!\d)[\w$]+")


def safe(symbol: str) -> str:
    """A name for the program under construction: an asm label may hold any character, also those that are ours."""
    return symbol if _PLAIN.fullmatch(symbol) else names.at_label(symbol)


def agree(declared: object, defined: object) -> bool:
    """May an object of one type be declared with the other in another file?"""
    size, other = getattr(declared, "size", -1), getattr(defined, "size", -1)
    return size < 0 or other < 0 or size == other or (isinstance(declared, Array) and isinstance(defined, Array))
