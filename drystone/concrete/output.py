"""What a run shows to the outside: the text that it prints and the status with which it ends.

A library function that prints is a `Report` in the program. The interpreter does here what the function does, without asking the
environment for anything: memory is only looked at. Where it knows what the function returns (or, for sprintf, writes), the inputs
that stand for that are *determined*: the environment is still asked, so that recorded inputs stay in step, but its answer
does not count. A replay that goes on to the error with such values needs no excuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from drystone.concrete.formatting import Unprintable, formatted
from drystone.concrete.inputs import Environment
from drystone.ir.automaton import Edge
from drystone.ir.conventions import LOST_BLOCKS, STRING_LENGTH, STRING_ROOM
from drystone.ir.operations import Report
from drystone.logic.floats import extended_from_memory
from drystone.logic.sorts import EXTENDED, FLOAT64, BitVec, Float, Sort

if TYPE_CHECKING:
    from drystone.concrete.flat_memory import FlatMemory

STANDARD_STREAMS = ("stdin", "stdout", "stderr")
PRINTED_LENGTH, PRINTED_CHARACTER = "printed_length", "printed_character"
"""The inputs of the model of sprintf: how long the text is, and its characters one after the other."""
STOPPED_BY_ABORT, STOPPED_BY_TRAP, STOPPED_BY_SEGMENTATION = -6, -4, -11
"""The status of a program that a signal ended, as Python's subprocess has it."""
_MOST_OUTPUT = 64 << 20
_ROOM = 4096
"""For strings from outside whose lengths matter: longer ones are not looked at in executions."""


def stream_object(name: str) -> str:
    """The object that a standard stream points to; no identifier of C has a space."""
    return f"stream {name}"


class Output:
    """The output of one run."""

    def __init__(
        self,
        memory: FlatMemory,
        streams: Mapping[int, int],
        environment: Environment,
        pointer_width: int,
        is_lost: Callable[[bool], bool],
    ) -> None:
        """`streams`: addresses of the objects of standard streams, and their numbers. `is_lost`: is there a block to which no
        pointer leads? Where told so, variables of functions may still hold some."""
        self.is_lost = is_lost
        self.memory, self.environment, self.pointer_width = memory, environment, pointer_width
        self.streams = streams
        self.texts = {1: bytearray(), 2: bytearray()}
        self.status: int | None = None
        self.missing: dict[str, None] = {}  # why some text is not there

    def report(self, operation: Report, values: tuple[int, ...], edge: Edge) -> None:
        self.environment.determined = {}
        try:
            _FUNCTIONS[operation.name](self, values, [argument.sort for argument in operation.arguments])
        except Unprintable as reason:
            self.missing[f"{operation.name}: {reason}"] = None

    def gives(self, name: str, stream: int, result: int) -> None:
        """What the function returns. Whether a file takes what is written to it, is not known."""
        if stream in self.texts:
            self.environment.determined = {name: [result]}

    def emit(self, stream: int, text: bytes) -> None:
        kept = self.texts.get(stream)
        if kept is not None:
            if len(kept) > _MOST_OUTPUT:
                raise Unprintable("too much text")
            kept += text

    def stream(self, address: int) -> int:
        """The number of a stream; -1 for a file."""
        return self.streams.get(address, -1)

    def string(self, address: int, most: int | None = None) -> bytes:
        found = self.memory.string(address, most)
        if found is None:
            raise Unprintable("a string that does not end within its object")
        return found

    def bytes_at(self, address: int, size: int) -> bytes:
        found = self.memory.peek(address, size)
        if found is None:
            raise Unprintable("bytes outside every object")
        return found


class _Passed:
    """The arguments of a call."""

    def __init__(self, output: Output, values: Sequence[int], sorts: Sequence[Sort]) -> None:
        self.output = output
        self.rest = list(zip(values, sorts, strict=True))[::-1]

    def _next(self) -> tuple[int, Sort]:
        if not self.rest:
            raise Unprintable("too few arguments")
        return self.rest.pop()

    def integer(self, width: int) -> int:
        value, sort = self._next()
        if not isinstance(sort, BitVec) or sort.width < width or sort.width > max(width, self.output.pointer_width):
            raise Unprintable("an argument of another type")
        return int(value) & ((1 << width) - 1)

    def floating(self, is_long: bool) -> tuple[Float, int]:
        value, sort = self._next()
        if sort != (EXTENDED if is_long else FLOAT64):
            raise Unprintable("an argument of another type")
        assert isinstance(sort, Float)
        return sort, value

    def string(self, most: int | None) -> bytes:
        return self.output.string(self.integer(self.output.pointer_width), most)


class _Listed:
    """The arguments in a va_list that is at this address."""

    def __init__(self, output: Output, address: int) -> None:
        self.output, self.address = output, address
        self.word = output.pointer_width // 8

    def _next(self, size: int, align: int) -> int:
        start = -(-self.address // align) * align
        self.address = start + -(-size // self.word) * self.word
        return int.from_bytes(self.output.bytes_at(start, size), "little")

    def integer(self, width: int) -> int:
        return self._next(width // 8, self.word)

    def floating(self, is_long: bool) -> tuple[Float, int]:
        if not is_long:
            return FLOAT64, self._next(8, self.word)
        start_align, size = (16, 16) if self.word == 8 else (4, 12)
        return EXTENDED, extended_from_memory(self._next(size, start_align) & ((1 << 80) - 1))

    def string(self, most: int | None) -> bytes:
        return self.output.string(self.integer(self.output.pointer_width), most)


_Function = Callable[[Output, tuple[int, ...], list[Sort]], None]


def _printf(name: str, is_list: bool) -> _Function:
    """Arguments: stream or number of a file where there is one, the format, and what it is about."""
    has_stream = "fprintf" in name
    position = 1 if has_stream or "dprintf" in name else 0

    def function(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
        stream = 1 if position == 0 else output.stream(values[0]) if has_stream else values[0]
        rest = position + 1
        arguments = _Listed(output, values[rest]) if is_list else _Passed(output, values[rest:], sorts[rest:])
        text = formatted(output.string(values[position]), arguments, output.pointer_width)
        output.emit(stream, text)
        output.gives(name, stream, len(text))

    return function


def _text(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    """sprintf and its kin: the format and a va_list."""
    text = formatted(output.string(values[0]), _Listed(output, values[1]), output.pointer_width)
    output.environment.determined = {PRINTED_LENGTH: [len(text)], PRINTED_CHARACTER: list(reversed(text))}


def _puts(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    text = output.string(values[0]) + b"\n"
    output.emit(1, text)
    output.gives("puts", 1, len(text))


def _fputs(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    stream = output.stream(values[1])
    output.emit(stream, output.string(values[0]))
    output.gives("fputs", stream, 1)


def _putc(name: str) -> _Function:
    def function(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
        stream = output.stream(values[1]) if len(values) > 1 else 1
        output.emit(stream, bytes((values[0] & 0xFF,)))
        output.gives(name, stream, values[0] & 0xFF)

    return function


def _fwrite(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    address, size, count, file = values
    stream = output.stream(file)
    output.emit(stream, output.bytes_at(address, size * count) if size * count else b"")
    output.gives("fwrite", stream, count if size else 0)


def _write(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    descriptor, address, size = values
    output.emit(descriptor, output.bytes_at(address, size) if size else b"")
    output.gives("write", descriptor, size)


def _unknown_text(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    raise Unprintable("the text of an error number")


def _exit(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    output.status = values[0] & 0xFF if values else 0


def _lost_blocks(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    output.environment.determined = {LOST_BLOCKS: [int(output.is_lost(bool(values[0])))]}


def _string_room(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    output.environment.determined = {STRING_ROOM: [_ROOM]}


def _string_length(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
    text = output.bytes_at(*values)
    output.environment.determined = {STRING_LENGTH: [len(text.partition(b"\0")[0])]}


def _stopped(status: int) -> _Function:
    def function(output: Output, values: tuple[int, ...], sorts: list[Sort]) -> None:
        output.status = status

    return function


_LISTED = ("vprintf", "vfprintf", "vdprintf")
TAKING_LISTS = frozenset((*_LISTED, "text"))
"""Those whose last argument is the address of a list of arguments."""

_FUNCTIONS: dict[str, _Function] = {
    **{name: _printf(name, is_list=False) for name in ("printf", "fprintf", "dprintf")},
    **{name: _printf(name, is_list=True) for name in _LISTED},
    "text": _text,
    "puts": _puts,
    "fputs": _fputs,
    **{name: _putc(name) for name in ("putchar", "putc", "fputc")},
    "fwrite": _fwrite,
    "write": _write,
    "perror": _unknown_text,
    "exit": _exit,
    LOST_BLOCKS: _lost_blocks,
    STRING_ROOM: _string_room,
    STRING_LENGTH: _string_length,
    "abort": _stopped(STOPPED_BY_ABORT),
    "trap": _stopped(STOPPED_BY_TRAP),
}
