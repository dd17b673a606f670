"""`drystone repeat`: does every block, or worker of a tree, still answer as it did when a run was recorded?

They are made from the source text once more and told what was recorded, in that order (`engines.dss.repetition`,
`engines.tree.repetition`). So a change of drystone, of a solver or of the program shows at the first message that is answered in
another way.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.blocks.jsonform import CannotImport
from drystone.blocks.registry import UnknownDecomposition
from drystone.certificates.file import claimed_options, digest
from drystone.cli.exits import BadInput, Exit
from drystone.cli.words import load_program, options_from
from drystone.engines.dss.records.recording import Frame, Header, read
from drystone.engines.dss.repetition import Difference, Repetition
from drystone.engines.outcome import unobserved
from drystone.engines.recordings import OF_TREES, Ended, NotARecording, RecordedProgram, begins_with
from drystone.frontend.load import FrontendOptions
from drystone.ir.automaton import Program
from drystone.passes.inline import TooLarge
from drystone.pipeline import PreparedProgram
from drystone.verification.options import ProgramOptions
from drystone.verification.tasks import read_bytes, resolve


def command(options: argparse.Namespace) -> int:
    name = options.recording
    read_bytes(name)  # is there such a file?
    try:
        with Path(name).open("rb") as stream:
            if begins_with(stream, OF_TREES):
                return _repeat_tree(options, stream)
            return _repeat(options, read(stream))
    except NotARecording as problem:
        raise BadInput(f"{name}: {problem}") from None
    except (TooLarge, UnknownDecomposition, CannotImport, ValueError) as problem:
        raise BadInput(f"{name}: cannot be repeated: {problem}") from None


def _repeat(options: argparse.Namespace, frames: Iterator[Frame]) -> int:
    header = next(frames)
    assert isinstance(header, Header)  # `read` sees to it
    repetition = Repetition(_program(options, header.program), header.options, print if options.show else None)
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


def _repeat_tree(options: argparse.Namespace, stream: BinaryIO) -> int:
    from drystone.engines.tree import engine, recording
    from drystone.engines.tree.repetition import Differs, Over
    from drystone.engines.tree.repetition import Repetition as TreeRepetition
    from drystone.engines.tree.setting import Setting

    header, *frames = recording.read(stream)
    end = frames[-1]
    assert isinstance(header, recording.Header) and isinstance(end, Ended)  # `read` sees to it
    prepared = PreparedProgram(_program(options, header.program))
    repetition = TreeRepetition(frames, print if options.show else None)
    setting = Setting(header.hosts, repetition.hosts, repetition)
    try:
        engine.check(prepared, header.options, Deadline(), unobserved, setting)
    except Differs as difference:
        print(difference)
        return Exit.UNKNOWN
    except Over:
        pass
    calls, states = counted(repetition.calls, "calls"), counted(repetition.states, "states")
    print(f"{calls} that found {states}, and {counted(repetition.iterations, 'iterations')}, all as recorded")
    print(f"verdict of the recorded run: {end.verdict}" + (f"  {end.reason}" if end.reason else ""))
    return Exit.OK


def _program(options: argparse.Namespace, recorded: RecordedProgram) -> Program:
    """As the front end reads it now."""
    options.files = options.files or [file for file, _ in recorded.files]
    claimed = _frontend_options(recorded)
    files, _ = resolve(options.files, options_from(options, ProgramOptions), claimed)
    known = {sha256 for _, sha256 in recorded.files}
    for file in files:
        if digest(file) not in known:
            print(f"{file} has changed since the recording")
    loaded, _ = load_program(options, claimed)
    return loaded.program


def _frontend_options(program: RecordedProgram) -> FrontendOptions:
    try:
        return claimed_options(program.frontend)
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
