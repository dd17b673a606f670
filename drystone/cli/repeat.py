"""`drystone repeat`: does every block still answer as it did when a run was recorded?

The blocks are made from the source text once more and told what was recorded, in that order (`engines.dss.records.repetition`).
So a change of drystone, of a solver or of the program shows at the first message that is answered in another way.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import msgspec

from drystone.base.plurals import counted
from drystone.blocks.jsonform import CannotImport
from drystone.blocks.registry import UnknownDecomposition
from drystone.certificates.file import claimed_options, digest
from drystone.cli.exits import BadInput, Exit
from drystone.cli.words import load_program, options_from
from drystone.engines.dss.records.recording import Ended, Frame, Header, NotARecording, read
from drystone.engines.dss.repetition import Difference, Repetition
from drystone.frontend.load import FrontendOptions
from drystone.passes.inline import TooLarge
from drystone.verification.options import ProgramOptions
from drystone.verification.tasks import read_bytes, resolve


def command(options: argparse.Namespace) -> int:
    name = options.recording
    read_bytes(name)  # is there such a file?
    try:
        with Path(name).open("rb") as stream:
            return _repeat(options, read(stream))
    except NotARecording as problem:
        raise BadInput(f"{name}: {problem}") from None
    except (TooLarge, UnknownDecomposition, CannotImport, ValueError) as problem:
        raise BadInput(f"{name}: cannot be repeated: {problem}") from None


def _repeat(options: argparse.Namespace, frames: Iterator[Frame]) -> int:
    header = next(frames)
    assert isinstance(header, Header)  # `read` sees to it
    options.files = options.files or [file for file, _ in header.program.files]
    claimed = _frontend_options(header)
    files, _ = resolve(options.files, options_from(options, ProgramOptions), claimed)
    recorded = {sha256 for _, sha256 in header.program.files}
    for file in files:
        if digest(file) not in recorded:
            print(f"{file} has changed since the recording")
    loaded, _ = load_program(options, claimed)
    repetition = Repetition(loaded.program, header.options, print if options.show else None)
    end: Ended | None = None
    for frame in frames:
        if isinstance(frame, Ended):
            end = frame
        difference = repetition.take(frame)
        if difference is not None:
            _print_difference(difference)
            return Exit.UNKNOWN
    messages, blocks = counted(repetition.repeated, "messages"), counted(len(repetition.told), "blocks")
    print(f"{messages} to {blocks}, all answered as recorded")
    if repetition.left_out:
        print(f"{counted(repetition.left_out, 'messages')} to blocks that had given up, not repeated")
    if end is not None:
        print(f"verdict of the recorded run: {end.verdict}" + (f"  {end.reason}" if end.reason else ""))
    return Exit.OK


def _frontend_options(header: Header) -> FrontendOptions:
    try:
        return claimed_options(header.program.frontend)
    except msgspec.ValidationError as problem:
        raise NotARecording(f"is damaged: {problem}") from None


def _print_difference(difference: Difference) -> None:
    place = f" at {difference.where}" if difference.where else ""
    print(f"block {difference.block}{place} answers message {difference.number} differently")
    for line in difference.received:
        print(f"  received {line}")
    print(f"  expected         {difference.expected}")
    print(f"  got              {difference.got}")
    if difference.fields:
        print(f"  they differ in   {', '.join(difference.fields)}")
