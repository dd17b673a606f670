"""Compiles the program together with a harness, and runs the result in a sandbox.

The sandbox is a scratch folder, limits of time, memory and file size, and no network where the system lets an ordinary user have
that (`unshare`). The program is what the user wants to know about; it is not trusted.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from drystone.base.shown_files import is_standard_input
from drystone.counterexamples.native import memcheck
from drystone.counterexamples.native.baton import INSTRUMENTED, WITH_BATON
from drystone.counterexamples.native.harness import PROVIDED, RENAMED_ENTRY
from drystone.counterexamples.native.sanitizers import sanitized
from drystone.frontend.compile_commands import compile_command
from drystone.frontend.options import WITHOUT_VECTORS, FrontendOptions
from drystone.frontend.parsing import from_standard_input
from drystone.ir.automaton import Mark

FLAGS = ("-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fgnu89-inline")
_ZERO_LOCALS = "-ftrivial-auto-var-init=zero"
_MODELS = {"LP64": ("-m64",), "ILP32": ("-m32", "-msse2", "-mfpmath=sse")}
LINKING = ("-Wl,--allow-multiple-definition", "-Wl,--wrap=exit,--wrap=abort,--wrap=malloc,--wrap=calloc", "-lm", "-lpthread")
_COMPILE_SECONDS = 60.0
_MEMORY, _FILES, _MOST_ERRORS = 2 << 30, 16 << 20, 1 << 16
_SHADOWED = {"ASAN_OPTIONS": "detect_stack_use_after_return=1:hard_rss_limit_mb=2048:allocator_may_return_null=1"}
"""What AddressSanitizer is told: it reserves terabytes of addresses, and uses few of them."""

_Tool = Callable[[Sequence[str]], str]


class BuildFailure(Exception):
    """Why there is nothing to be run."""


class CompilerLacks(BuildFailure):
    """No program can be built: something has to be installed."""


def installed_compiler() -> str | None:
    return shutil.which("gcc") or shutil.which("clang") or shutil.which("cc")


class Build:
    """The steps from C files to a binary. `cancel`, called from another thread, ends them."""

    def __init__(
        self,
        options: FrontendOptions,
        compiler: str,
        folder: Path,
        optimise: str = "-O0",
        has_threads: bool = False,
        error: Mark | None = None,
    ) -> None:
        """`error`: the program shall report it, if it is one that a sanitizer finds."""
        self.options, self.compiler, self.folder = options, compiler, folder
        self.model = _MODELS[options.data_model]
        general = (optimise, *FLAGS, *self.model)
        self.general = sanitized(error, general) if error is not None else general
        self.beginning = (_ZERO_LOCALS,) if error is None or not memcheck.is_read(error) else ("-g1",)  # of locals
        self.sanitizing = tuple(flag for flag in self.general if "sanitize" in flag)
        self.instrumented = INSTRUMENTED if has_threads else ()
        self.linking = (*self.sanitizing, *WITH_BATON, *LINKING) if has_threads else (*self.sanitizing, *LINKING)
        self._running: subprocess.Popen[str] | None = None
        self._cancelled = False

    def flags(self, file: str) -> list[str]:
        """For one of the program's own files, as the front end reads it. `main` gets another name; the harness undoes the macro
        for its own."""
        options = self.options
        return [
            *self.general,
            f"-std={options.std}",
            *self.beginning,
            *self.instrumented,
            "-D__builtin_assume=__VERIFIER_assume",  # which gcc does not have
            *WITHOUT_VECTORS,
            *compile_command(file, options),
            *options.preprocessing,
            f"-Dmain={RENAMED_ENTRY if options.entry == 'main' else 'drystone_other_main'}",
        ]

    def object(self, file: str, source: Path) -> Path:
        """Compiles `source`, which is `file` or a copy of it."""
        target = self.folder / f"{len(list(self.folder.glob('*.o')))}.o"
        near = from_standard_input(file) if is_standard_input(file) else ["-iquote", os.path.dirname(os.path.abspath(file))]
        self.tool([self.compiler, *self.flags(file), *near, "-x", "c", "-c", str(source), "-o", str(target)])
        return target

    def own_object(self, source: Path) -> Path:
        """Compiles a file of drystone's."""
        target = self.folder / f"{source.stem}.object"
        self.tool([self.compiler, *self.general, "-c", str(source), "-o", str(target)])
        return target

    def undefined(self, objects: Sequence[Path]) -> set[str]:
        """Symbols that the program does not define."""
        files = [*map(str, objects)]
        return _symbols(files, "-u", self.tool) - _symbols(files, "--defined-only", self.tool)

    def missing(self, objects: Sequence[Path]) -> list[str]:
        """Symbols that neither the program nor the C library defines."""
        return sorted(
            name
            for name in self.undefined(objects) - library_symbols(self.compiler, self.model)
            if name not in PROVIDED
            and not name.startswith(("_GLOBAL_OFFSET_TABLE_", "__builtin_", "__ubsan_", "__asan_", "__lsan_"))
        )

    def linked(self, objects: Sequence[Path], *harness: Path) -> Path:
        binary = self.folder / "binary"
        files = [*map(self.own_object, harness), *objects]
        self.tool([self.compiler, *self.model, *map(str, files), "-o", str(binary), *self.linking])
        return binary

    def tool(self, command: Sequence[str]) -> str:
        name = Path(command[0]).name
        if self._cancelled:
            raise BuildFailure("cancelled")
        try:
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace",
                env={**os.environ, "TMPDIR": str(self.folder), "LC_ALL": "C"},
            ) as process:  # fmt: skip
                self._running = process
                try:
                    output, errors = process.communicate(timeout=_COMPILE_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
                    raise BuildFailure(f"{name} did not end within {_COMPILE_SECONDS:.0f} s") from None
        except OSError as problem:
            raise BuildFailure(f"{command[0]}: {problem.strerror}") from None
        finally:
            self._running = None
        if process.returncode != 0:
            complaint = next((line for line in errors.splitlines() if "error" in line or "undefined" in line), "")
            complaint = (complaint or errors.strip()).replace(f"{self.folder}/", "")
            compiler = Path(self.compiler).name
            if not can_build(self.compiler, self.model):
                bits, package = ("32", "gcc-multilib") if self.model == _MODELS["ILP32"] else ("64", "the C library's headers")
                raise CompilerLacks(f"{compiler} cannot build {bits}-bit programs here: install {package}, or use --no-native")
            raise BuildFailure(f"the program does not compile with {compiler}: {complaint[:300]}")
        return output

    def cancel(self) -> None:
        self._cancelled = True
        running = self._running
        if running is not None:
            running.kill()


def _symbols(files: Sequence[str], option: str, tool: _Tool) -> set[str]:
    lines = tool(["nm", option, *files]).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if len(line.split()) >= 2 and not line.endswith(":")}


@cache
def can_build(compiler: str, model: tuple[str, ...]) -> bool:
    """Are the headers and libraries there that every program of this data model needs?"""
    with tempfile.TemporaryDirectory(prefix="drystone-smallest-") as folder:
        smallest = '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n'
        command = [compiler, *model, "-x", "c", "-", "-o", str(Path(folder) / "binary")]
        environment = {**os.environ, "TMPDIR": folder}  # what a compiler that is killed has left there goes with it
        try:
            done = subprocess.run(
                command, input=smallest, text=True, capture_output=True, timeout=_COMPILE_SECONDS, env=environment
            )
            return done.returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            return False


@cache
def library_symbols(compiler: str, model: tuple[str, ...]) -> frozenset[str]:
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
def without_network() -> tuple[str, ...]:
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


def sandbox(folder: Path, seconds: float, has_shadow: bool = False) -> tuple[Path, dict[str, str], Callable[[], None]]:
    """Where a binary runs, its environment, and what is to be done in its process before it starts."""
    room = folder / "room"
    room.mkdir(exist_ok=True)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        if not has_shadow:
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_FILES, _FILES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = {"PATH": "/usr/bin:/bin", "HOME": str(room), "TMPDIR": str(room)}
    return room, environment | (_SHADOWED if has_shadow else {}), limit


def sandboxed(command: Sequence[str], folder: Path, seconds: float, has_shadow: bool = False) -> tuple[int | None, str]:
    """Exit code (None: out of time) and what was written to standard error."""
    room, environment, limit = sandbox(folder, seconds, has_shadow)
    errors = folder / "errors"
    with errors.open("wb") as stream:
        try:
            process = subprocess.run(
                [*without_network(), *command],
                cwd=room,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stream,
                timeout=seconds,
                preexec_fn=limit,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            return None, ""
    return process.returncode, errors.read_bytes()[-_MOST_ERRORS:].decode(errors="replace")
