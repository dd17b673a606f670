"""Replays a counterexample with a C compiler: the program itself, compiled and run in a sandbox, must reach the error.

The sandbox is a scratch folder, limits of time, memory and file size, and no network where the system lets an ordinary user have
that (`unshare`). The program is what the user wants to know about; it is not trusted.
"""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import msgspec

from drystone.evidence.counterexample import Replayed
from drystone.evidence.harness import (
    ASSUMPTION_CODE,
    END_CODE,
    ERROR_CODE,
    ERROR_FUNCTIONS,
    PROVIDED,
    REACHED,
    RENAMED_ENTRY,
    Recorded,
    from_right_to_left,
    harness_text,
    instrumented,
    recorded,
    returns_nothing,
)
from drystone.frontend.load import FrontendOptions
from drystone.program.automaton import Program

FLAGS = ("-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fgnu89-inline")
_ZERO_LOCALS = "-ftrivial-auto-var-init=zero"
_MODELS = {"LP64": ("-m64",), "ILP32": ("-m32", "-msse2", "-mfpmath=sse")}
_LINKING = ("-Wl,--allow-multiple-definition", "-Wl,--wrap=exit,--wrap=abort,--wrap=malloc,--wrap=calloc", "-lm", "-lpthread")
_COMPILE_SECONDS = 60.0
_MEMORY, _FILES = 2 << 30, 16 << 20


_Tool = Callable[[Sequence[str]], str]


class NativeRun(msgspec.Struct, frozen=True):
    """What became of the attempt to reach the error natively."""

    reproduced: bool
    reason: str  # the compiler that built it, or why it was not reproduced
    compiler: str = ""


class _Failure(Exception):
    """Why nothing could be run."""


def replay_natively(
    program: Program, replayed: Replayed, files: Sequence[str], options: FrontendOptions, *, seconds: float, harness: str | None
) -> NativeRun:
    """Compiles the C files with a harness for the recorded inputs and runs the result. `harness`: where to keep it."""
    compiler = shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        return NativeRun(False, "no C compiler (gcc or clang) is installed")
    with tempfile.TemporaryDirectory(prefix="drystone-native-") as folder:
        attempt = _Attempt(program, replayed, files, options, compiler, Path(folder), seconds)
        try:
            return attempt.run(harness)
        except _Failure as failure:
            return NativeRun(False, str(failure), Path(compiler).name)


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
        self.named = (options.error_function,) if options.error_function else ERROR_FUNCTIONS
        self.texts = {file: Path(file).read_text(errors="surrogateescape") for file in files}
        self.changed = False
        self.sources: list[tuple[str, Path]] = []
        for position, (file, text) in enumerate(self.texts.items()):
            new = instrumented(text, replayed.error, self.named)
            self.changed |= new != text
            copy = folder / f"program{position}.c"
            copy.write_text(new, errors="surrogateescape")
            self.sources.append((file, copy if new != text else Path(os.path.abspath(file))))

    def run(self, keep: str | None) -> NativeRun:
        objects = [self._object(file, source) for file, source in self.sources]
        missing = self._missing(objects)
        first: NativeRun | None = None
        inputs = self.replayed.inputs
        for order in (list(inputs), from_right_to_left(inputs)):
            if first is not None and order == list(inputs):
                break
            found = recorded(self.program, order)
            source = self._write(found, missing, keep if first is None else None)
            outcome = self._result(self._linked(objects, source), found)
            if outcome.reproduced:
                if first is not None and keep is not None:
                    self._write(found, missing, keep)
                return outcome
            first = first or outcome
        assert first is not None
        return first

    def _write(self, found: Recorded, missing: Sequence[str], keep: str | None) -> Path:
        text = harness_text(
            entry=self.options.entry,
            error=self.replayed.error,
            found=found,
            undefined=missing,
            void=[name for name in missing if returns_nothing(self.texts, name)],
            error_functions=self.named,
            command=self._command(keep),
        )
        source = self.folder / "harness.c"
        source.write_text(text)
        if keep is not None:
            Path(keep).write_text(text)
            for (_, changed), kept in zip(self.sources, self._kept(keep), strict=True):
                if changed.parent == self.folder:
                    shutil.copyfile(changed, kept)
        return source

    def _kept(self, keep: str) -> list[str]:
        """The program's files as the command names them: a copy beside the harness where the text had to be changed."""
        stem = keep.removesuffix(".c")
        return [
            f"{stem}.program{position}.c" if source.parent == self.folder else file
            for position, (file, source) in enumerate(self.sources)
        ]

    def _command(self, keep: str | None) -> str:
        files = self._kept(keep) if keep is not None else [file for file, _ in self.sources]
        words = [Path(self.compiler).name, *self._flags(), *self._rename(), keep or "harness.c", *files, *_LINKING]
        return shlex.join(words)

    def _rename(self) -> list[str]:
        """`main` of the program gets another name; the harness undoes the macro for its own."""
        return [f"-Dmain={RENAMED_ENTRY}"] if self.options.entry == "main" else ["-Dmain=drystone_other_main"]

    def _flags(self) -> list[str]:
        flags = [*FLAGS, *_MODELS[self.options.data_model], f"-std={self.options.std}", _ZERO_LOCALS]
        return (
            flags
            + [f"-I{folder}" for folder in self.options.include_directories]
            + [f"-D{macro}" for macro in self.options.defines]
        )

    def _object(self, file: str, source: Path) -> Path:
        target = self.folder / f"{len(list(self.folder.glob('*.o')))}.o"
        near = ["-iquote", os.path.dirname(os.path.abspath(file))]
        self._tool([self.compiler, *self._flags(), *self._rename(), *near, "-x", "c", "-c", str(source), "-o", str(target)])
        return target

    def _missing(self, objects: Sequence[Path]) -> list[str]:
        """Symbols that neither the program nor the C library defines."""
        undefined = _symbols([*map(str, objects)], "-u", self._tool)
        defined = _symbols([*map(str, objects)], "--defined-only", self._tool)
        library = _library_symbols(self.compiler, _MODELS[self.options.data_model])
        return sorted(
            name
            for name in undefined - defined - library
            if name not in PROVIDED and not name.startswith(("_GLOBAL_OFFSET_TABLE_", "__builtin_"))
        )

    def _linked(self, objects: Sequence[Path], harness: Path) -> Path:
        binary = self.folder / "binary"
        compiled = self.folder / "harness.object"
        self._tool([self.compiler, *FLAGS, *_MODELS[self.options.data_model], "-c", str(harness), "-o", str(compiled)])
        self._tool(
            [
                self.compiler,
                *_MODELS[self.options.data_model],
                "-no-pie",
                str(compiled),
                *map(str, objects),
                "-o",
                str(binary),
                *_LINKING,
            ]
        )
        return binary

    def _tool(self, command: Sequence[str]) -> str:
        try:
            result = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=_COMPILE_SECONDS, stdin=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": str(self.folder), "LC_ALL": "C"},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise _Failure(f"{Path(command[0]).name} did not end within {_COMPILE_SECONDS:.0f} s") from None
        except OSError as problem:
            raise _Failure(f"{command[0]}: {problem.strerror}") from None
        if result.returncode != 0:
            complaint = next((line for line in result.stderr.splitlines() if "error" in line or "undefined" in line), "")
            complaint = (complaint or result.stderr.strip()).replace(f"{self.folder}/", "")
            raise _Failure(f"the program does not compile with {Path(self.compiler).name}: {complaint[:300]}")
        return result.stdout

    def _result(self, binary: Path, found: Recorded) -> NativeRun:
        name = Path(self.compiler).name
        code, errors = _sandboxed(binary, self.folder, self.seconds)
        if code == ERROR_CODE and REACHED in errors:
            return NativeRun(True, f"compiled with {name}, reaches the error", name)
        if code is None:
            how = f"the compiled program did not end within {self.seconds:.0f} s"
        elif code == END_CODE:
            how = "the compiled program ended without the error"
        elif code == ASSUMPTION_CODE:
            how = "an assumption failed in the compiled program"
        elif code < 0:
            how = f"the compiled program was ended by signal {-code}"
        else:
            how = f"the compiled program exited with {code}"
        return NativeRun(False, how + _because(found), name)


def _because(found: Recorded) -> str:
    reasons = [f"the execution relies on {what}" for what in dict.fromkeys(found.obstacles)]
    if found.uninitialised:
        reasons.append("the execution needs uninitialised memory with other values than zero, which no compiler sets")
    return f"; {'; '.join(reasons[:3])}" if reasons else ""


def _symbols(files: Sequence[str], option: str, tool: _Tool) -> set[str]:
    lines = tool(["nm", option, *files]).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if len(line.split()) >= 2 and not line.endswith(":")}


@cache
def _library_symbols(compiler: str, model: tuple[str, ...]) -> frozenset[str]:
    """What libc, libm and libgcc define."""
    names: set[str] = set()
    for library in ("libc.so.6", "libm.so.6", "libpthread.so.0", "libgcc.a"):
        found = subprocess.run([compiler, *model, f"-print-file-name={library}"], capture_output=True, text=True)
        path = found.stdout.strip()
        if os.path.isabs(path):
            dynamic = ["-D"] if ".so" in library else []
            listing = subprocess.run(["nm", "--defined-only", *dynamic, path], capture_output=True, text=True).stdout
            names |= {line.split()[-1].split("@")[0] for line in listing.splitlines() if len(line.split()) == 3}
    return frozenset(names)


@cache
def _without_network() -> tuple[str, ...]:
    """The command that runs another one without network; empty where the system does not allow it."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    command = (unshare, "--user", "--map-root-user", "--net")
    try:
        works = subprocess.run([*command, "true"], capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return command if works else ()


def _sandboxed(binary: Path, folder: Path, seconds: float) -> tuple[int | None, str]:
    """Exit code (None: out of time) and what was written to standard error."""
    room = folder / "room"
    room.mkdir(exist_ok=True)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_FILES, _FILES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    errors = folder / "errors"
    with errors.open("wb") as stream:
        try:
            process = subprocess.run(
                [*_without_network(), str(binary)],
                cwd=room,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stream,
                timeout=seconds,
                preexec_fn=limit,
                env={"PATH": "/usr/bin:/bin", "HOME": str(room), "TMPDIR": str(room)},
            )
        except subprocess.TimeoutExpired:
            return None, ""
    return process.returncode, errors.read_bytes()[-4096:].decode(errors="replace")
