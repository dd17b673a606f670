"""What all parts of the lowering share: the program under construction."""

from __future__ import annotations

import msgspec

from drystone.checks.registry import ENDINGS, MEMORY
from drystone.frontend.declarations.symbols import FunctionSymbol, SymbolTable, VariableSymbol
from drystone.frontend.declarations.types import CType, Record
from drystone.frontend.lowering.extents import Extents
from drystone.ir import names
from drystone.ir.automaton import Approximation, MemoryObject, ObjectKind, Origin
from drystone.ir.conventions import ASSERTING, NEAR_MISS
from drystone.ir.expressions import Address, Variable
from drystone.logic.sorts import BitVec, Sort, bitvec

Signature = tuple[object, ...]
"""How a function is called (frontend/expressions/function_pointers.py)."""

_CREATORS = frozenset({"pthread_create", "thrd_create"})


class Context(msgspec.Struct, eq=False):
    """The program being built."""

    symbols: SymbolTable
    pointer_width: int
    error_functions: frozenset[str]
    asserting: frozenset[str] = ASSERTING  # functions whose first argument must hold
    all_errors: bool = False  # every assertion counts, whatever else there is
    is_machine: bool = False  # undefined operations give what the machine gives
    external_may_write: bool = False  # functions without a body write what they are given
    volatile_is_input: bool = False  # each read of a volatile object
    left_to_right: bool = False  # the order of operands is not open
    keeps_loops_apart: bool = False  # heads of loops are different locations, for who counts iterations
    checks: tuple[str, ...] = ()  # that are asked for
    failures_end: bool = False  # error functions and failed assertions end the program, and are no errors
    shows_accesses: bool = False  # to memory that threads may share, and which of them are atomic: data races are looked for
    files: list[str] = []
    objects: dict[str, MemoryObject] = {}
    variables: dict[str, Variable] = {}  # global ones of the library's functions; zero or false at the start
    approximations: list[Approximation] = []
    unsupported: list[Approximation] = []
    destructors: list[FunctionSymbol] = []  # functions that run when the program exits, in this order
    near_misses: list[Approximation] = []  # what looks like an assertion and is none
    refused_at_start: list[Approximation] = []  # what acts before the entry, or on all of the program
    unchecked: dict[str, str] = {}  # groups of checks that know no programs like this one, and why
    _file_numbers: dict[str, int] = {}
    repeated_literals: set[bytes] = set()  # contents of literals that may be one object or several
    moved_pointers: set[str] = set()  # what the pointers point to that the program computes with
    disguise: str = ""  # where an address becomes a number or the other way round (frontend/expressions/disguises.py)
    thread_locals: set[str] = set()  # variables of which each thread has one of its own
    own_records: set[str] = set()  # structures that a file does not know, to which the program makes pointers itself
    function_conversions: dict[Signature, set[Signature]] = {}  # which pointers to functions become which others
    pointer_calls: dict[Origin, set[Signature]] = {}  # calls through pointers
    seen_records: set[Record] = set()  # whose unions were looked at for pointers to functions
    library_calls: dict[Origin, str] = {}  # the texts of calls of models, where memory is checked
    layouts: dict[CType, tuple[tuple[int, Signature], ...]] = {}  # where pointers to functions lie
    _literals: dict[tuple[object, ...], str] = {}
    _noted: set[tuple[str, str, Origin]] = set()

    @property
    def pointer(self) -> BitVec:
        return bitvec(self.pointer_width)

    @property
    def extents(self) -> Extents | None:
        """None: memory is not checked."""
        if not any(name in MEMORY for name in self.checks):
            return None
        is_end_checked = any(name in ENDINGS for name in self.checks)
        blocks = self.variable("blocks", self.pointer) if is_end_checked else None
        return Extents(self.pointer, blocks, "cleanup" in self.checks, self.failures_end)

    @property
    def word(self) -> int | None:
        """For builders: the bits of the machine that undefined operations follow; None: they give any value."""
        return self.pointer_width if self.is_machine else None

    @property
    def has_threads(self) -> bool:
        """Does the program mention a function that creates a thread? Then each read of what others may change is an edge."""
        return not _CREATORS.isdisjoint(self.symbols.functions)

    def is_global(self, name: str) -> bool:
        """Does this name mean a global variable or a function?"""
        return name in self.symbols.globals or name in self.symbols.functions

    def variable(self, what: str, sort: Sort) -> Variable:
        """A variable in which a function of the library keeps something."""
        name = names.own(what)
        return self.variables.setdefault(name, Variable(name, sort))

    def file(self, name: str) -> int:
        number = self._file_numbers.get(name)
        if number is None:
            number = self._file_numbers[name] = len(self.files)
            self.files.append(name)
        return number

    def note(self, kind: str, what: str, origin: Origin, name: str = "") -> None:
        """An assumption or approximation, once per place. `name`: of the function that it is about."""
        key = (kind, f"{name}: {what}" if name else what, origin)
        if key not in self._noted:
            self._noted.add(key)
            self.approximations.append(Approximation(*key, name, what if name else ""))

    def near_miss(self, what: str, origin: Origin) -> None:
        self.near_misses.append(Approximation(NEAR_MISS, what, origin))

    def refuse_at_start(self, what: str, origin: Origin) -> None:
        """Something that is not modelled and acts whether control gets to it or not: the start becomes an unknown location."""
        refusal = Approximation("unsupported", what, origin)
        self.unsupported.append(refusal)
        self.refused_at_start.append(refusal)

    def literal(self, content: bytes, align: int, ctype: str, origin: Origin, key: tuple[object, ...] = ()) -> Address:
        """The address of a string literal. Equal ones share one object, unless the program may compare their addresses: then each
        `key`, which tells where the literal is written, has one."""
        place = (content, *key) if content in self.repeated_literals else (content,)
        name = self._literals.get(place)
        if name is None:
            name = self._literals[place] = f'"#{len(self._literals) + 1}'
            self.objects[name] = MemoryObject(name, len(content), align, ObjectKind.LITERAL, ctype, content, (), origin)
        return Address(name, self.pointer)

    def address_of_function(self, symbol: FunctionSymbol) -> Address:
        return Address(symbol.name, self.pointer)

    def address_of_global(self, symbol: VariableSymbol) -> Address:
        return Address(symbol.name, self.pointer)
