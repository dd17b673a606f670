"""scanf and its kin: input is arbitrary."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, Protocol

from drystone.base.regex import regex
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import CType, Int, Pointer, Real, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import check_range
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import Handler, before_conversion
from drystone.frontend.library.formats import literal_bytes, variable_name
from drystone.frontend.library.known_texts import scanned_text
from drystone.frontend.library.state import SCAN_FAILED
from drystone.frontend.library.streams import may_be_known, may_not_return, needs, of_stream
from drystone.frontend.library.string_ranges import check_string
from drystone.frontend.lowering.builder import Builder, emit_checked
from drystone.frontend.lowering.places import InMemory
from drystone.ir import names
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import FALSE, Determinant, Expression, InputKind, Variable, constant, load
from drystone.ir.operations import Store
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL, bitvec

_SPACE = b" \t\n\v\f\r"
_CONVERSION = regex(rb"(\s*)((?:[^%\s]|%%)?)%(\*)?(\d*)((?:hh?|ll?|[jztLqm])?)(\[\^?\]?[^]]*\]|[a-zA-Z])")


class _Conversion(NamedTuple):
    """What scanf stores; `after_space` and `after_text`: it begins behind white space, or a character of the format. `fits_any`:
    only the end of the input can stop it, as any character fits, and nothing has to be matched since the one before."""

    letter: str
    size: str
    length: str
    after_space: bool
    after_text: bool
    fits_any: bool


def _conversions(template: bytes) -> list[_Conversion]:
    found = []
    fits_any, end = True, 0
    for match in _CONVERSION.finditer(template):
        space, text, suppressed, size, length, letter = match.groups()
        fits_any &= not text and not template[end : match.start()].strip(_SPACE) and letter in b"cs"
        end = match.end()
        if not suppressed:
            after_space, after_text = bool(space) and not text, bool(text)
            found.append(_Conversion(letter[:1].decode(), size.decode(), length.decode(), after_space, after_text, fits_any))
            fits_any = True
    return found


def _scan(format_index: int) -> Handler:
    """scanf and its kin: conversions give their objects any values of their types, until one fails. The result is how many did
    not; -1 if the input ended before."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        is_standard = format_index == 0 or variable_name(node.children[1]) == "stdin"
        is_text = "sscanf" in symbol.name
        template = literal_bytes(node.children[1 + format_index])
        if template is None:
            raise NotSupported(f"{symbol.name} whose format is no literal", Unmodelled.LIBRARY, symbol.name)
        known = scanned_text(lowering, node, template) if is_text and lowering.builder.extents is None else None
        if known is not None:
            return known
        builder, values = lowering.builder, lowering.arguments(node)
        targets = list(zip(node.children[1:], values, strict=True))[format_index + 1 :]
        if is_text:
            values[0] = builder.keep(values[0])
            check_string(lowering, node, 1, values[0])
        else:
            may_not_return(lowering)
        if format_index and not is_standard:
            values[0] = builder.without_inputs(values[0])
            needs(lowering, values[0], symbol.name)
        stored = _conversions(template)
        if len(stored) != len(targets):
            raise NotSupported(
                f"{symbol.name} with {len(targets)} objects for {len(stored)} conversions", Unmodelled.LIBRARY, symbol.name
            )
        source = (values[0] if format_index else lowering.pointer_constant(0), constant(32, int(format_index == 0)))
        can_scan = None if is_text else of_stream(lowering, "__drystone_can_scan", source, builder.temporary(bitvec(32)))
        scan = _Scan(lowering, symbol.name, is_text or may_be_known(lowering.context, is_standard), can_scan)
        for position, (conversion, (argument, value)) in enumerate(zip(stored, targets, strict=True), format_index + 2):
            checked = partial(check_range, lowering, node, position, is_write=True)
            scan.convert(conversion, argument, value, checked)
        total = scan.result(lowering.type_of(node), has_more_than_space=bool(template.strip(_SPACE)))
        if can_scan is not None:
            consumed = make("ite", total.sort, scan.is_over, constant(32, -1), total)
            of_stream(lowering, "__drystone_scanned", (*source, consumed), None)
        return total

    return handler


class _Checked(Protocol):
    def __call__(self, pointer: Expression, size: Expression, *, behind: Expression | None = None) -> Expression: ...


class _Scan:
    """One call: the conversions so far, and whether the input goes on."""

    def __init__(self, lowering: ExpressionLowering, name: str, is_known: bool, can_scan: Variable | None) -> None:
        """`is_known`: what is read may be determined by the program; `can_scan`: what the model of the stream says."""
        self._lowering = lowering
        self._builder = lowering.builder
        self._name = name
        self._choice_by = Determinant.IMPLEMENTATION if is_known else Determinant.NOTHING
        self._value_by = Determinant.IMPLEMENTATION if is_known else Determinant.FUNCTION
        self._is_at_end: Expression = FALSE if can_scan is None else make("=", BOOL, can_scan, constant(32, 0))
        self._going: Expression = negate(self._is_at_end)
        self._failed = None if is_known else lowering.context.variable(SCAN_FAILED, BOOL)
        self._converted: list[Expression] = []
        self._has_ended = _choice(self._builder, f"{name} has no more input", self._choice_by, self._failed)
        self.is_over: Expression = FALSE
        """A conversion that any character fits has failed."""

    def convert(self, conversion: _Conversion, argument: Node, value: Expression, checked: _Checked) -> None:
        """Gives the object behind an argument any value, if the conversion succeeds. `checked`: a range of so many bytes from an
        address on."""
        builder, lowering = self._builder, self._lowering
        letter, size, length = conversion.letter, conversion.size, conversion.length
        type_ = self._lowering.type_of(before_conversion(argument, self._lowering))
        target = type_.target if isinstance(type_, Pointer) else None
        is_string = letter in "s[" and not length and isinstance(target, Int) and target.width == 8
        is_long = letter == "c" and (length or size not in ("", "1"))  # wide characters, or several
        if not is_string and (letter in "sSC[np" or is_long or not isinstance(target, Scalar)):
            raise NotSupported(f"{self._name} with %{size}{length}{letter}", Unmodelled.LIBRARY, self._name)
        address = builder.keep(value)
        before = self._going
        converts = _choice(builder, f"{self._name} converts", self._choice_by, self._failed)
        self._going = builder.keep(make("and", BOOL, before, converts))
        self._converted.append(self._going)
        if conversion.fits_any:
            self.is_over = builder.keep(make("or", BOOL, self.is_over, make("and", BOOL, before, negate(self._going))))
        if is_string:
            by = self._value_by if letter == "s" and not size else Determinant.IMPLEMENTATION
            most = int(size) if size and lowering.builder.extents is not None else None
            _any_string(lowering, self._going, address, self._name, by, letter == "s", most, checked)
        else:
            assert isinstance(target, Scalar)
            self._store(conversion, address, target, checked)

    def _store(self, conversion: _Conversion, address: Expression, target: Scalar, checked: _Checked) -> None:
        """Any number or character."""
        is_character = conversion.letter == "c"
        # a number of so many digits; a character at which an earlier conversion may have stopped
        is_rough = conversion.size if not is_character else not (conversion.after_space or conversion.after_text)
        by = Determinant.IMPLEMENTATION if is_rough else self._value_by
        new = self._lowering.environment.any_value(target, InputKind.EXTERNAL, self._name, by)
        if conversion.after_space and is_character:
            new = _without_space(self._builder.keep(new))
        if isinstance(target, Real):
            new = _without_nan(self._lowering, target, new, self._name)
        if self._builder.extents is None:
            chosen = make("ite", new.sort, self._going, new, load(target.sort, address))
            self._lowering.memory.write(InMemory(address), chosen, target)
            return
        new, stores, join = self._builder.keep(new), self._builder.location(), self._builder.location()
        self._builder.branch(self._going, stores, join)
        self._builder.current = stores
        checked(address, self._lowering.pointer_constant(target.size))
        emit_checked(self._builder, Store(address, new))
        self._builder.place(join)

    def result(self, type_: CType, has_more_than_space: bool) -> Expression:
        """How many conversions have succeeded; white space is optional, so that a format of nothing else never fails."""
        builder = self._builder
        if self._failed is not None:
            builder.assign(self._failed, make("or", BOOL, self._failed, negate(self._going)))
        if not isinstance(type_, Int) or type_.width != 32:
            raise NotSupported(f"{self._name} that is declared otherwise", Unmodelled.LIBRARY, self._name)
        zero, one = constant(32, 0), constant(32, 1)
        total: Expression = zero
        for converted in self._converted:
            total = make("bvadd", zero.sort, total, make("ite", zero.sort, converted, one, zero))
        total = builder.keep(total)
        no_input: Expression = FALSE
        if has_more_than_space:
            no_input = make("or", BOOL, make("or", BOOL, self._has_ended, self.is_over), self._is_at_end)
            no_input = make("and", BOOL, make("=", BOOL, total, zero), no_input)
        return builder.keep(make("ite", zero.sort, no_input, constant(32, -1), total))


def _choice(builder: Builder, what: str, determinant: Determinant, failed: Variable | None) -> Variable:
    """Does a conversion succeed, has the input ended? Where an earlier one did not, that depends on what stopped it."""
    if failed is None:
        return builder.choice(what, determinant)
    result = builder.temporary(BOOL)
    before, first, join = builder.location(), builder.location(), builder.location()
    builder.branch(failed, before, first)
    for place, by in ((before, Determinant.IMPLEMENTATION), (first, determinant)):
        builder.current = place
        builder.assign(result, builder.input(BOOL, InputKind.CHOICE, what, by))
        builder.goto(join)
    builder.current = join
    return result


def _any_string(
    lowering: ExpressionLowering,
    condition: Expression,
    address: Expression,
    name: str,
    determinant: Determinant,
    is_word: bool,
    most: int | None,
    checked: _Checked,
) -> None:
    """At least one character and a final zero, or nothing at all; how many is not bounded, but by `most`. A word has no white
    space."""
    builder, width = lowering.builder, lowering.context.pointer_width
    position = builder.variable(names.own("position"), bitvec(width))
    body, end, after = builder.location(), builder.location(), builder.location()
    goes_on = Determinant.NOTHING if determinant is Determinant.FUNCTION else determinant
    builder.branch(condition, converted := builder.location(), after)
    builder.current = converted
    builder.assign(position, constant(width, 0))
    builder.place(body)
    place = make("bvadd", address.sort, address, position)
    if builder.extents is not None:
        place = make("bvadd", address.sort, address, make("scale", position.sort, position, constant(width, 1)))
        checked(address, constant(width, 1), behind=position)
    character: Expression = builder.input(bitvec(8), InputKind.EXTERNAL, name, determinant)
    if is_word:
        character = _without_space(builder.keep(character))
    emit_checked(builder, Store(place, character))
    builder.assign(position, make("bvadd", position.sort, position, constant(width, 1)))
    if most is not None:
        more = builder.location()
        builder.branch(make("=", BOOL, position, constant(width, most)), end, more)
        builder.current = more
    builder.branch(builder.choice(f"{name} reads a character", goes_on), body, end)
    builder.current = end
    if builder.extents is not None:
        checked(address, constant(width, 1), behind=position)
    emit_checked(builder, Store(place, constant(8, 0)))
    builder.place(after)


def _without_nan(lowering: ExpressionLowering, target: Real, number: Expression, name: str) -> Expression:
    """Which NaN it is, the library knows."""
    builder = lowering.builder
    result = builder.temporary(target.sort)
    builder.assign(result, number)
    nan, join = builder.location(), builder.location()
    builder.branch(make("fp.isNaN", BOOL, result), nan, join)
    builder.current = nan
    other = builder.keep(lowering.environment.any_value(target, InputKind.EXTERNAL, name, Determinant.IMPLEMENTATION))
    builder.assign(result, make("ite", target.sort, make("fp.isNaN", BOOL, other), other, result))
    builder.goto(join)
    builder.current = join
    return result


def _without_space(character: Expression) -> Expression:
    """A letter instead of white space."""
    if character.sort != bitvec(8):
        return character
    from_tab = make("bvsub", character.sort, character, constant(8, 9))
    is_space = make("or", BOOL, make("bvult", BOOL, from_tab, constant(8, 5)), make("=", BOOL, character, constant(8, 32)))
    return make("ite", character.sort, is_space, constant(8, ord("x")), character)


PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(("scanf", "__isoc99_scanf"), _scan(0)),
    **dict.fromkeys(("fscanf", "sscanf", "__isoc99_fscanf", "__isoc99_sscanf"), _scan(1)),
}
