"""Replays a counterexample with a C compiler: the program itself, compiled and run in a sandbox, must reach the error.

The harness (`counterexamples.native.harness`) gives it the recorded inputs; `counterexamples.native.build` compiles and runs it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from drystone.base.shown_files import is_standard_input
from drystone.concrete.inputs import Consumed
from drystone.counterexamples.native import memcheck
from drystone.counterexamples.native.baton import GIVEN_UP, GIVEN_UP_CODE, baton_text, schedule_lines
from drystone.counterexamples.native.build import Build, BuildFailure, CompilerLacks, installed_compiler, sandboxed
from drystone.counterexamples.native.harness import (
    ASSUMPTION_CODE,
    END_CODE,
    ERROR_CODE,
    REACHED,
    Recorded,
    from_right_to_left,
    harness_text,
    instrumented,
    recorded,
    returns_nothing,
    without_line_markers,
    words_of,
)
from drystone.counterexamples.native.sanitizers import has_sanitizer, is_check, is_of_memory, reported
from drystone.counterexamples.native.schedule import Schedule, schedule_of_run
from drystone.counterexamples.native.uninitialised import Unwritten, filling
from drystone.counterexamples.replay import Replayed
from drystone.counterexamples.told import NativeRun
from drystone.frontend.library.models import has_meaning, is_model
from drystone.frontend.load import FrontendOptions
from drystone.frontend.user_places import user_place
from drystone.ir.automaton import Origin, Program


def replay_natively(
    program: Program, replayed: Replayed, files: Sequence[str], options: FrontendOptions, *, seconds: float, harness: str | None
) -> NativeRun:
    """Compiles the C files with a harness for the recorded inputs and runs the result. `harness`: where to keep it."""
    compiler = installed_compiler()
    if compiler is None:
        return NativeRun(False, "no C compiler (gcc or clang) is installed")
    if memcheck.is_read(replayed.error):
        if memcheck.valgrind() is None:
            return NativeRun(False, "valgrind, which finds such reads, is not installed", Path(compiler).name)
    elif is_check(replayed.error) and not has_sanitizer(replayed.error):
        return NativeRun(False, f"no sanitizer of {Path(compiler).name} looks for it", Path(compiler).name)
    with tempfile.TemporaryDirectory(prefix="drystone-native-") as folder:
        attempt = _Attempt(program, replayed, files, options, compiler, Path(folder), seconds)
        try:
            return attempt.run(harness)
        except BuildFailure as failure:
            lacks = str(failure) if isinstance(failure, CompilerLacks) else ""
            return NativeRun(False, str(failure), Path(compiler).name, lacks=lacks)


class _Attempt:
    def __init__(
        self,
        program: Program,
        replayed: Replayed,
        files: Sequence[str],
        options: FrontendOptions,
        compiler: str,
        folder: Path,
        seconds: float,
    ) -> None:
        self.program, self.replayed, self.options = program, replayed, options
        self.compiler, self.folder, self.seconds = compiler, folder, seconds
        self.build = Build(options, compiler, folder, has_threads=program.has_threads, error=replayed.error)
        self.words = words_of(options)
        self.texts = {file: Path(file).read_bytes().decode(errors="surrogateescape") for file in files}
        named = {os.path.realpath(file): index for index, file in enumerate(program.files)}
        self.numbers = {file: named.get(os.path.realpath(file), -1) for file in files}  # in `program.files`
        self.sources: list[tuple[str, Path]] = []
        self.filled = False
        self.unfilled: list[str] = []  # what the text has no room to fill
        self.schedule: Schedule | None = None
        self.baton = folder / "threads.c"
        self.is_read = memcheck.is_read(replayed.error)

    def run(self, keep: str | None) -> NativeRun:
        if self.program.has_threads:
            self.schedule = schedule_of_run(self.program, self.replayed.inputs, self.replayed.outcome.steps)
            if self.schedule is None:
                return NativeRun(False, "the schedule is too long", Path(self.compiler).name)
            self.baton.write_text(baton_text())
        self._write_sources(fill=True)
        try:
            objects = self._objects()
        except BuildFailure:
            if not self.filled:
                raise
            self._write_sources(fill=False)
            objects = self._objects()
        if self.schedule is not None:
            objects.insert(0, self.build.own_object(self.baton))
        missing = self.build.missing(objects)
        modelled = next((name for name in missing if has_meaning(name) and not self.words.is_provided(name)), None)
        if modelled is not None:  # a stub would give what the function should, or less
            return NativeRun(False, f"the C library here has no {modelled}", Path(self.compiler).name)
        first: NativeRun | None = None
        inputs = self.replayed.inputs
        for order in (list(inputs), from_right_to_left(inputs)):
            if first is not None and (order == list(inputs) or self.schedule is not None):
                break
            found = self._recorded(order)
            source = self._write(found, missing, keep if first is None else None)
            outcome = self._result(self.build.linked(objects, source), found)
            if outcome.reproduced:
                if first is not None and keep is not None:
                    self._write(found, missing, keep)
                return outcome
            first = first or outcome
        assert first is not None
        return first

    def _recorded(self, inputs: Sequence[Consumed]) -> Recorded:
        takers = self.schedule.takers if self.schedule is not None else ()
        found = recorded(self.program, inputs, self.numbers.values(), takers)
        if self.is_read:
            found.memory = Unwritten(arguments=found.memory.arguments, external=found.memory.external, stays_unwritten=True)
        return found

    def _write_sources(self, *, fill: bool) -> None:
        """The program's files, or copies where the text has to be changed."""
        places = self._recorded(self.replayed.inputs).memory.places
        self.sources, self.unfilled, self.filled = [], [], False
        for position, (file, text) in enumerate(self.texts.items()):
            here = {number: place for number, place in enumerate(places) if place.origin.file == self.numbers[file]}
            counts_lines = self.schedule is not None or is_check(self.replayed.error)
            plain = without_line_markers(text) if counts_lines else text
            new, unfilled = filling(plain, here) if fill else (plain, [place.name for place in here.values()])
            self.filled |= new != plain
            self.unfilled += unfilled
            new = instrumented(new, self.replayed.error, self.words)
            if self.is_read and fill and self._place().file == self.numbers[file]:
                new, self.filled = memcheck.asking(new, self._place()), True
            copy = self.folder / f"program{position}.c"
            copy.write_bytes(new.encode(errors="surrogateescape"))
            self.sources.append((file, copy if new != text else Path(os.path.abspath(file))))

    def _objects(self) -> list[Path]:
        return [self.build.object(file, source) for file, source in self.sources]

    def _write(self, found: Recorded, missing: Sequence[str], keep: str | None) -> Path:
        text = harness_text(
            entry=self.options.entry,
            error=self.replayed.error,
            found=found,
            undefined=missing,
            void=[name for name in missing if returns_nothing(self.texts, name)],
            words=self.words,
            command=self._command(keep),
            schedule=self._schedule_lines(),
        )
        source = self.folder / "harness.c"
        source.write_text(text)
        if keep is not None:
            Path(keep).write_text(text)
            for (file, text_file), kept in zip(self.sources, self._kept(keep), strict=True):
                if self._is_copy(file, text_file):
                    shutil.copyfile(text_file, kept)
            if self.schedule is not None:
                shutil.copyfile(self.baton, _kept_baton(keep))
        return source

    def _schedule_lines(self) -> list[str]:
        if self.schedule is None:
            return []
        names = {number: file for number, file in enumerate(self.program.files) if not is_model(file)}
        names |= {self.numbers[file]: str(source) for file, source in self.sources}
        return list(schedule_lines(self.schedule.points, names))

    def _is_copy(self, file: str, source: Path) -> bool:
        """Is this text in no file that stays?"""
        return source.parent == self.folder or is_standard_input(file)

    def _kept(self, keep: str) -> list[str]:
        """The program's files as the command names them: a copy beside the harness where the text had to be changed."""
        stem = keep.removesuffix(".c")
        return [
            f"{stem}.program{position}.c" if self._is_copy(file, source) else file
            for position, (file, source) in enumerate(self.sources)
        ]

    def _command(self, keep: str | None) -> str:
        files = self._kept(keep) if keep is not None else [file for file, _ in self.sources]
        compiler, harness = Path(self.compiler).name, keep or "harness.c"
        flags = [self.build.flags(file) for file, _ in self.sources]
        if all(each == flags[0] for each in flags) and self.schedule is None:
            return shlex.join([compiler, *flags[0], harness, *files, *self.build.linking])
        objects = [f"{os.path.splitext(os.path.basename(file))[0]}.{number}.o" for number, file in enumerate(files)]
        steps = [[compiler, *own, "-c", file, "-o", made] for own, file, made in zip(flags, files, objects, strict=True)]
        own = [harness] if self.schedule is None else [harness, _kept_baton(harness)]
        return " && ".join(map(shlex.join, [*steps, [compiler, *self.build.general, *own, *objects, *self.build.linking]]))

    def _place(self) -> Origin:
        """Of the error, in the program's own text."""
        return user_place(self.program, self.replayed.error.origin, self.replayed.outcome.calls).origin

    def _result(self, binary: Path, found: Recorded) -> NativeRun:
        name = Path(self.compiler).name
        is_checked, is_hungry = is_check(self.replayed.error), is_of_memory(self.replayed.error) or self.is_read
        command = memcheck.command(str(binary)) if self.is_read else (str(binary),)
        seconds = self.seconds * (memcheck.SLOWER if self.is_read else 1)
        code, errors = sandboxed(command, self.folder, seconds, is_hungry)
        if self.is_read and (said := memcheck.seen(errors, self._place())):
            return NativeRun(True, f"compiled with {name}, of which valgrind says: {said}", name)
        if is_checked and (said := reported(errors, self.replayed.error, self._place())):
            return NativeRun(True, f"compiled with {name}, whose sanitizer says: {said}", name)
        if code == ERROR_CODE and REACHED in errors and not is_checked:
            return NativeRun(True, f"compiled with {name}, reaches the error", name)
        if code is None:
            how = f"the compiled program did not end within {self.seconds:.0f} s"
        elif code == END_CODE:
            how = "the compiled program ended without the error"
        elif code == GIVEN_UP_CODE and GIVEN_UP in errors:
            how = errors[errors.index(GIVEN_UP) :].splitlines()[0].removeprefix("drystone: ")
        elif code == ASSUMPTION_CODE:
            how = "an assumption failed in the compiled program"
        elif code < 0:
            how = f"the compiled program was ended by signal {-code}"
        else:
            how = f"the compiled program exited with {code}"
        is_whole = (
            self.schedule is None and code is not None and not found.obstacles and not found.memory.others and not self.unfilled
        )
        is_whole = is_whole and not is_hungry  # of which sanitizers miss some: far accesses above all
        return NativeRun(False, how + _because(found, self.unfilled), name, contradicts=is_whole)


def _kept_baton(harness: str) -> str:
    return f"{harness.removesuffix('.c')}.threads.c"


def _because(found: Recorded, unfilled: Sequence[str]) -> str:
    reasons = [f"the execution relies on {what}" for what in dict.fromkeys(found.obstacles)]
    missed = dict.fromkeys((*found.memory.others, *unfilled))
    if missed:
        some = ", ".join([*missed][:3]) + (", ..." if len(missed) > 3 else "")
        reasons.append(f"the execution needs uninitialised memory with other values than zero: {some}")
    return f"; {'; '.join(reasons[:3])}" if reasons else ""
