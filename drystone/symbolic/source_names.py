"""Formulas about a program's state in the words of its source: C expressions over the variables in scope.

The text is for people; certificates are checked by their terms. Conjuncts about what drystone itself has added (the counter of
the heap, temporaries) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from drystone.ir import names
from drystone.ir.automaton import MemoryObject
from drystone.logic.cprinting import CPrinter
from drystone.logic.ctext.phrases import CTypes, NotC, Phrase, Printer
from drystone.logic.printing import c_text
from drystone.logic.sorts import Array, Bool, Float
from drystone.logic.substitution import substitute
from drystone.logic.sums import linear
from drystone.logic.terms import Term, free_symbols, state
from drystone.passes.one_element import is_index
from drystone.symbolic.execution import SymbolicProgram

_QUALIFIERS = re.compile(r"\b(const|volatile|register|static|restrict|_Atomic)\b")
_SIGNED_WORDS = frozenset("signed char short int long __int128".split())
_SIGNED_NAMES = frozenset("ssize_t ptrdiff_t intptr_t int8_t int16_t int32_t int64_t intmax_t off_t".split())
_UNSIGNED_NAMES = frozenset("size_t uintptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t _Bool bool".split())
_ELEMENT_BITS = {"char": 8, "short": 16, "int": 32, "long long": 64, "float": 32, "double": 64}


class Wording:
    """The words for one program."""

    def __init__(self, symbolic: SymbolicProgram) -> None:
        self.symbolic = symbolic
        program, procedure = symbolic.program, symbolic.procedure
        self.pointer_width = program.pointer_width
        self.types = {name: known.ctype for name, known in (*program.variables.items(), *procedure.variables.items())}
        self.objects = {**program.objects, **procedure.objects}

    def at(self, location: int, formulas: Sequence[Term]) -> list[str]:
        """What the formulas say at a location, each text once."""
        names = _Names(self, location, free_symbols(formulas))
        printer = CPrinter(names)
        found: dict[str, None] = {}
        for formula in formulas:
            if not any(is_own(symbol) for symbol in free_symbols(formula)):
                found[names.text(formula, printer)] = None
        return list(found)


def is_own(symbol: Term) -> bool:
    """Does the source have no name for this? People know what an index is."""
    if isinstance(symbol.sort, Array):
        return False
    name = _parts(symbol.payload)[1]
    return names.is_own(name) and not is_index(name)


def _parts(name: str) -> tuple[list[str], str, int | None]:
    """The call path of a name, what it is called in the source, and for a part of an object the offset."""
    words = name.split(".")
    path = [word for word in words[:-1] if "@" in word and not names.is_own(word)]
    own = words[len(path) :]
    offset = own[-1].partition("#")[0]
    if len(own) > 1 and offset.isdigit():
        return path, ".".join(own[:-1]), int(offset)
    return path, ".".join(own), None


class _Names:
    """The names at one location (`logic.cprinting.Names`)."""

    def __init__(self, wording: Wording, location: int, symbols: Iterable[Term]) -> None:
        self.wording = wording
        self.pointer_width = wording.pointer_width
        procedure = wording.symbolic.procedure
        scope = procedure.call_path(location)[1:]
        self.short: dict[str, str] = {}
        rivals: dict[str, list[str]] = {}
        for symbol in symbols:
            if not isinstance(symbol.sort, Array):
                rivals.setdefault(self._plain(symbol.payload), []).append(symbol.payload)
        for plain, rival in rivals.items():
            here = [name for name in rival if [word.partition("@")[0] for word in _parts(name)[0]] == scope]
            chosen = rival if len(rival) == 1 else here if len(here) == 1 else []
            self.short.update((name, plain if name in chosen else self._qualified(name)) for name in rival)

    def _qualified(self, name: str) -> str:
        """What has another meaning in scope: C has no expression for it."""
        path, own, offset = _parts(name)
        program = self.wording.symbolic.program
        owner = path[-1] if path else "" if name in program.variables or name in program.objects else program.entry
        return f"{owner}::{own}" + (f"+{offset}" if offset is not None else "")

    def _plain(self, name: str) -> str:
        """As in the source."""
        _, own, offset = _parts(name)
        own = own.partition("#")[0].partition("@")[0]
        return own if offset is None else f"{own}+{offset}"

    def text(self, formula: Term, printer: CPrinter) -> str:
        try:
            return printer.formula(formula)
        except NotC:
            return c_text(substitute(formula, {each: self._renamed(each) for each in free_symbols(formula)}))

    def _renamed(self, symbol: Term) -> Term:
        if isinstance(symbol.sort, Array):
            return state("memory", symbol.sort)
        return state(self.short.get(symbol.payload, symbol.payload), symbol.sort) if symbol.operator == "state" else symbol

    # what the printer asks

    def variable(self, symbol: Term) -> Phrase:
        name: str = symbol.payload
        ctype = self.wording.types.get(name, "")
        shown = self.short.get(name, name)
        if _parts(name)[2] is not None and "::" not in shown:
            return self._part(symbol)
        if isinstance(symbol.sort, (Bool, Float)):
            return Phrase(shown)
        signed, pointer = signedness(ctype), _is_pointer(ctype)
        is_guess = not pointer and signed is None and symbol.sort == self.wording.symbolic.pointer
        return Phrase(shown, signed=signed, is_pointer=pointer or is_guess, is_guess=is_guess)

    def _part(self, symbol: Term) -> Phrase:
        """A part of an object that became a variable: as an element of an array, otherwise by its offset."""
        path, own, offset = _parts(symbol.payload)
        owner = self.wording.objects.get(".".join([*path, own]))
        name, assumed = own.partition("#")[0].partition("@")[0], offset or 0
        width = getattr(symbol.sort, "width", 0)
        if owner is not None and _element_bits(_pointee(owner.ctype), self.pointer_width) == width and assumed * 8 % width == 0:
            return Phrase(f"{name}[{assumed * 8 // width}]", signed=signedness(_pointee(owner.ctype)))
        ctype, signed = self._access_type(symbol.sort, None)
        return Phrase(f"*({ctype} *)((char *)&{name} + {assumed})", 13, signed)

    def _access_type(self, sort: object, wanted: str | None) -> tuple[str, bool | None]:
        if wanted is not None:
            return wanted, None
        if isinstance(sort, Float):
            name = {(8, 24): "float", (11, 53): "double"}.get((sort.exponent, sort.significand))
            if name is None:
                raise NotC
            return name, None
        if isinstance(sort, Bool):
            return "_Bool", None
        return CTypes(self.pointer_width).name(sort.width, True), True  # type: ignore[attr-defined]

    def cell(self, array: str, address: Term, ctype: str | None, printer: Printer) -> Phrase:
        element = self.wording.symbolic.sorts[array].element  # type: ignore[union-attr]
        name, signed = self._access_type(element, ctype)
        subscript = self._subscript(address, element.width, name, printer)
        if subscript is not None:
            return subscript
        pointer = printer.phrase(address)
        return Phrase(f"*({name} *){pointer.within(13)}", 13, signed)

    def _subscript(self, address: Term, width: int, access: str, printer: Printer) -> Phrase | None:
        """`*p`, `p[i]` or `a[i]`, where the base is a pointer or array with elements of this width."""
        parts = linear(address)
        bytes_, rest, constant = width // 8, list(parts.parts), parts.constant
        base, pointee = None, ""
        for position, (node, factor) in enumerate(rest):
            ctype = self.wording.types.get(node.payload, "") if node.operator == "state" else ""
            if factor == 1 and _is_pointer(ctype):
                base, pointee = self.variable(node).text, _pointee(ctype)
                del rest[position]
                break
        else:
            found = self._object_at(constant)
            if found is not None:
                object_, start = found
                base, pointee, constant = self._plain(object_.name), _pointee(object_.ctype), constant - start
                if not rest and constant == 0 and object_.size == bytes_ and not pointee:
                    return Phrase(base, signed=signedness(object_.ctype), is_pointer=_is_pointer(object_.ctype))
        if base is None or _element_bits(pointee, self.pointer_width) != width:
            return None
        if access in ("float", "double") and access != pointee:
            return None
        if constant % bytes_ or any(factor % bytes_ for _, factor in rest):
            return None
        signed, is_pointer = signedness(pointee), _is_pointer(pointee)
        if not rest:
            index = constant // bytes_
            text = f"*{base}" if index == 0 and not self._is_array(address) else f"{base}[{index}]"
            return Phrase(text, 13 if text[0] == "*" else 20, signed, is_pointer)
        index_text = self._index(rest, constant // bytes_, bytes_, printer)
        return None if index_text is None else Phrase(f"{base}[{index_text}]", 20, signed, is_pointer)

    def _index(self, parts: list[tuple[Term, int]], constant: int, size: int, printer: Printer) -> str | None:
        """An index that is one variable, perhaps extended, with something added; C extends it in the same manner."""
        if len(parts) != 1 or parts[0][1] != size:
            return None
        node = parts[0][0]
        if node.operator in ("sign_extend", "zero_extend"):
            inner = printer.as_type(node.arguments[0], node.operator == "sign_extend")
        else:
            inner = printer.as_type(node, True)
        if constant == 0:
            return inner.text
        if node.operator in ("sign_extend", "zero_extend"):  # added after the extension
            inner = printer.phrase(node)
        return f"{inner.within(11)} {'+' if constant > 0 else '-'} {abs(constant)}"

    def _is_array(self, address: Term) -> bool:
        return address.operator == "const"

    def _object_at(self, value: int) -> tuple[MemoryObject, int] | None:
        """The object that has this address, and where it starts."""
        addresses = self.wording.symbolic.memory.addresses
        value &= (1 << self.pointer_width) - 1
        for name, object_ in self.wording.objects.items():
            start = addresses.get(name)
            if start is not None and start <= value < start + object_.size:
                return object_, start
        return None

    def address(self, value: int) -> str | None:
        found = self._object_at(value)
        if found is None or found[1] != value:
            return None
        name = self._plain(found[0].name)
        return name if found[0].ctype.endswith("]") else f"&{name}"


def signedness(ctype: str) -> bool | None:
    """Of an integer type as written in C; None for names that only the source can tell."""
    words = _QUALIFIERS.sub(" ", ctype).split()
    if not words or _is_pointer(ctype):
        return None
    if "unsigned" in words:
        return False
    if set(words) <= _SIGNED_WORDS:
        return True
    if len(words) == 1 and words[0] in _UNSIGNED_NAMES:
        return False
    return True if len(words) == 1 and words[0] in _SIGNED_NAMES else None


def _is_pointer(ctype: str) -> bool:
    return _QUALIFIERS.sub("", ctype).rstrip().endswith(("*", "]"))


def _pointee(ctype: str) -> str:
    """What a pointer points to, what an array has as elements; empty for anything else."""
    text = _QUALIFIERS.sub("", ctype).strip()
    if text.endswith("*"):
        return text[:-1].strip()
    return re.sub(r"\s*\[[^\]]*\]$", "", text) if re.fullmatch(r"[^\[\]]*\[[^\]]*\]", text) else ""


def _element_bits(ctype: str, pointer_width: int) -> int | None:
    """The width of a type that has a name of its own in C."""
    if _is_pointer(ctype):
        return pointer_width
    words = [word for word in _QUALIFIERS.sub(" ", ctype).split() if word not in ("signed", "unsigned")]
    if words == ["long"] or words == ["long", "int"]:
        return pointer_width
    if words == [] and ctype.strip():
        return 32
    text = " ".join(words)
    fixed = re.fullmatch(r"u?int(8|16|32|64)_t", text)
    return int(fixed[1]) if fixed else pointer_width if text == "size_t" else _ELEMENT_BITS.get(text.removesuffix(" int"))
