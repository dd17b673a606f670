"""Random damage to C texts: what a user's half-edited file may look like."""

from __future__ import annotations

import multiprocessing
import random
import re
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|\d[\w.]*|\s+|[-+*/%<>=!&|^]+|.', re.DOTALL)


def mutated(text: bytes, chance: random.Random) -> bytes:
    """A copy with one to four changes, each to a token, a line or a character; or cut off somewhere."""
    if chance.random() < 0.05:
        return text[: chance.randrange(len(text))]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        parts = _split(text, chance)
        if parts:
            text = b"".join(_changed(parts, chance))
    return text


def _split(text: bytes, chance: random.Random) -> list[bytes]:
    """The text in lines, in characters, or (a stretch of it) in tokens."""
    match chance.randint(0, 5):
        case 0:
            return text.splitlines(keepends=True)
        case 1:
            at = chance.randrange(len(text) + 1)
            return [text[:at], *(bytes((byte,)) for byte in text[at : at + 80]), text[at + 80 :]]
        case _:
            at = chance.randrange(len(text) + 1)
            start, end = text.rfind(b"\n", 0, at) + 1, min(len(text), at + 2_000)
            return [text[:start], *TOKEN.findall(text[start:end]), text[end:]]


def _changed(parts: list[bytes], chance: random.Random) -> list[bytes]:
    """One part deleted, doubled, exchanged with another or replaced by another; the first and the last stay.

    Mostly by another of its kind, a name by a name, so that a good share of the copies is C.
    """
    if len(parts) < 4:
        return parts
    inner = range(1, len(parts) - 1)
    solid = [index for index in inner if parts[index].strip()] or list(inner)
    one = chance.choice(solid)
    alike = [index for index in solid if _kind(parts[index]) == _kind(parts[one])]
    other = chance.choice(alike if chance.random() < 0.8 else solid)
    match chance.randint(0, 6):
        case 0:
            del parts[one]
        case 1:
            parts.insert(other, parts[one])
        case 2:
            parts[one], parts[other] = parts[other], parts[one]
        case 3:
            parts[one] = chance.choice(_STRANGE)
        case _:
            parts[one] = parts[other]
    return parts


def _kind(part: bytes) -> int:
    """Name, number, text, operator or other sign."""
    for kind, firsts in enumerate((_LETTERS, b"0123456789", b"\"'", b"+-*/%<>=!&|^")):
        if part[0] in firsts:
            return kind
    return -1


_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"


_STRANGE = [
    b"0", b"-1", b"1e400", b"0x1p-1", b"'\\xff'", b'"s"', b"L'x'", b"1u", b"9223372036854775807", b"(", b")", b"{", b"}", b"[", b"]",
    b";", b",", b"*", b"&", b"...", b"->", b".", b"goto", b"case 1:", b"default:", b"break;", b"continue;", b"return", b"else",
    b"do", b"while", b"for(;;)", b"switch", b"struct", b"union", b"enum", b"static", b"extern", b"const", b"volatile", b"float",
    b"long double", b"char", b"unsigned", b"_Bool", b"_Complex", b"__int128", b"void", b"int", b"sizeof", b"_Alignof", b"typeof",
    b"__attribute__((packed))", b"__attribute__((aligned(64)))", b"__builtin_va_arg", b"asm", b"&&", b"? :", b"({", b"})",
    b"_Generic", b"_Atomic", b"inline", b"#", b"##", b"\\", b"\xff", b"\0", b"%:", b"/*", b"*/", b"//", b"typedef",
]  # fmt: skip


# Trying them out, in processes of their own: libclang may crash or hang on what nobody ever wrote.

SECONDS = 20.0


@dataclass(frozen=True)
class Case:
    """Which text is damaged how: everything follows from the number."""

    number: int
    source: Path
    data_model: str

    def text(self) -> bytes:
        return mutated(self.source.read_bytes(), random.Random(self.number))


def answers(cases: list[Case], folder: Path) -> Iterator[tuple[Case, str]]:
    """For each case what drystone made of it: "refused", "loaded" (inlined and run, too), or what went wrong."""
    worker: Worker | None = None
    for case in cases:
        path = folder / f"mutant{case.number}.c"
        path.write_bytes(case.text())
        worker = worker or Worker()
        answer = worker.ask(str(path), case.data_model)
        if answer in ("refused", "loaded"):
            path.unlink()
        else:
            worker.stop()
            worker = None
        yield case, answer
    if worker is not None:
        worker.stop()


class Worker:
    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        assert self.connection.poll(60) and self.connection.recv() == "ready"

    def ask(self, path: str, data_model: str) -> str:
        try:
            self.connection.send((path, data_model))
            if not self.connection.poll(SECONDS):
                return f"no answer after {SECONDS:g} seconds"
            return str(self.connection.recv())
        except (EOFError, OSError):
            self.process.join(10)
            return f"the process died with code {self.process.exitcode}"

    def stop(self) -> None:
        self.connection.close()
        self.process.join(0.5)
        self.process.kill()
        self.process.join()


def _work(connection: Connection) -> None:
    from drystone.concrete.interpreter import SeededInputs, interpret
    from drystone.frontend.load import FrontendError, FrontendOptions, load
    from drystone.passes.inline import TooLarge, inline
    from tests.structure import structural_faults

    connection.send("ready")
    while True:
        try:
            path, data_model = connection.recv()
        except EOFError:
            return
        try:
            program = load([path], FrontendOptions(data_model=data_model)).program
            procedures = list(program.procedures.values())
            with suppress(TooLarge):
                procedures += inline(program, max_edges=10_000).procedures.values()
            faults = [fault for procedure in procedures for fault in structural_faults(procedure)]
            interpret(program, SeededInputs(1), max_steps=2_000)
            connection.send("; ".join(faults) or "loaded")
        except FrontendError as refusal:
            connection.send("refused" if str(refusal).strip() else "refused without a message")
        except Exception:
            connection.send("\n".join(traceback.format_exc().splitlines()[-12:]))
