"""A compiled program that looks for inputs which reach the error, in processes beside this one.

What it finds is a suggestion: the interpreter must reach the error with the same inputs. So it may choose badly, crash, or mean
something else where the program's behaviour is undefined; nothing wrong can come of it. So where the libraries of its data model
are not installed, it is compiled for the other one: most errors do not depend on how wide `long` is. But it runs the program:
only one that calls nothing of the system but harmless library functions, and has no assembly, is run at all.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from drystone.base.regex import regex
from drystone.concrete.inputs import bit_width
from drystone.counterexamples.native.build import Build, BuildFailure, CompilerLacks, installed_compiler, sandbox, without_network
from drystone.counterexamples.native.harness import PROVIDED, instrumented, returns_nothing, words_of
from drystone.counterexamples.native.search_harness import MALLOC, RUNS, Function, Kind, choices, compiled_harness, complete
from drystone.counterexamples.native.uninitialised import Place, filling
from drystone.frontend.load import FrontendOptions
from drystone.ir.automaton import Edge, Mark, Origin, Program, inputs
from drystone.ir.expressions import Determinant, Input, InputKind
from drystone.ir.features import expressions_of
from drystone.ir.operations import Allocate, Declare, Lifetime
from drystone.logic.sorts import EXTENDED, Float

Key = str | Origin
"""What was chosen: the result of a function, what "malloc" returns points to, or the first bytes of a local, by declaration."""
Found = Mapping[Key, Sequence[bytes]]

_SLOW_TO_OPTIMISE = 300_000  # bytes of text
_COMMON = "LP64"  # the data model that every compiler on this machine has libraries for
_HARMLESS = regex(
    "malloc|calloc|realloc|free|mem(cpy|move|set|cmp|chr)|str(n?(len|cmp|cpy|cat)|r?chr|str|spn|cspn|dup)|l{0,2}abs|ato[il]|exit"
    "|abort|v?f?printf|v?sn?printf|f?puts|putchar|f?putc|stdout|stderr|qsort|bsearch|is(alpha|digit|alnum|space|upper|lower)"
    "|to(upper|lower)|__ctype_b_loc"
    "|_*(f?abs|sqrt|floor|ceil|round|trunc|rint|nearbyint|sin|cos|tan|asin|acos|atan2?|sinh|cosh|tanh|exp2?|log(2|10)?|pow|fmod"
    "|remainder|fmax|fmin|fdim|copysign|isnan|isinf|finite|signbit|fpclassify|modf|frexp|ldexp|cbrt|hypot|fma)[fl]?"
    r"|__\w+[dtsx][if][234]|__(float|fix)\w+|__stack_chk_fail(_local)?|_GLOBAL_OFFSET_TABLE_|__x86\.get_pc_thunk\.\w+"
)


class CompiledSearch:
    """Builds and runs in the background, from `start` on; `take` gives what has been found since."""

    def __init__(
        self,
        program: Program,
        error: Mark,
        files: Sequence[str],
        options: FrontendOptions,
        *,
        integers: Sequence[int],
        floats: Sequence[float],
        seed: int,
        seconds: float,
    ) -> None:
        self.program, self.error, self.files, self.options = program, error, files, options
        self.integers, self.floats, self.seed, self.seconds = integers, floats, seed, seconds
        self.words = words_of(options)
        self.functions = list(_functions(program))
        self.found: queue.SimpleQueue[Found] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._build: Build | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self.problem = ""  # why nothing was run
        self._closed = False

    def start(self) -> None:
        compiler = installed_compiler()
        if compiler is None or any(item.kind == "asm" for item in self.program.approximations):
            return
        parent = tempfile.gettempdir()
        os.makedirs(parent, exist_ok=True)
        self._folder = tempfile.mkdtemp(prefix="drystone-compiled-", dir=parent)
        self._thread = threading.Thread(target=self._work, args=(compiler,), name="compiled runs", daemon=True)
        self._thread.start()

    def is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def take(self, seconds: float = 0.0) -> Found | None:
        """Something that was found; waits for it so long."""
        try:
            return self.found.get(timeout=seconds) if seconds > 0 else self.found.get_nowait()
        except queue.Empty:
            return None

    def close(self) -> None:
        """Ends everything that was started."""
        self._closed = True
        if self._build is not None:
            self._build.cancel()
        self._kill()
        if self._thread is not None:
            self._thread.join()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _kill(self) -> None:
        process = self._process
        if process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def _work(self, compiler: str) -> None:
        try:
            folder = Path(self._folder)
            texts = {file: Path(file).read_bytes().decode(errors="surrogateescape") for file in self.files}
            places = _places(self.program, texts)
            try:
                binary = self._binary(compiler, self.options, folder, texts, places)
            except CompilerLacks:
                if self.options.data_model == _COMMON:
                    raise
                options = msgspec.structs.replace(self.options, data_model=_COMMON)
                binary = self._binary(compiler, options, folder, texts, places)
            sites: list[Key] = ["malloc", *(function.name for function in self.functions), *(place.origin for place, _ in places)]
            assert sites[MALLOC] == "malloc"
            self._run(binary, folder, sites)
        except (BuildFailure, OSError) as failure:
            self.problem = str(failure)

    def _binary(
        self,
        compiler: str,
        options: FrontendOptions,
        folder: Path,
        texts: Mapping[str, str],
        places: Sequence[tuple[Place, Kind]],
    ) -> Path:
        quick = sum(map(len, texts.values())) > _SLOW_TO_OPTIMISE
        build = self._build = Build(options, compiler, folder, "-O0" if quick else "-O1")
        if self._closed:  # in the meantime
            build.cancel()
        try:
            objects = self._objects(build, folder, texts, places)
        except BuildFailure:
            objects = self._objects(build, folder, texts, ())  # a place that cannot be filled where it is
        missing = build.missing(objects)
        own = {*missing, *PROVIDED, *self.words.error_functions}
        strange = [name for name in build.undefined(objects) if name not in own and _HARMLESS.fullmatch(name) is None]
        if strange:
            raise BuildFailure(f"it calls {strange[0]}")
        harness = folder / "harness.c"
        harness.write_text(
            compiled_harness(
                entry=self.options.entry,
                error=self.error,
                functions=self.functions,
                places=[kind for _, kind in places],
                undefined=missing,
                void=frozenset(name for name in missing if returns_nothing(texts, name)),
                words=self.words,
                integers=self.integers,
                floats=self.floats,
            )
        )
        return build.linked(objects, harness, RUNS)

    def _objects(self, build: Build, folder: Path, texts: Mapping[str, str], places: Sequence[tuple[Place, Kind]]) -> list[Path]:
        objects = []
        numbers = _numbers(self.program, texts)
        for position, (file, text) in enumerate(texts.items()):
            here = {number: place for number, (place, _) in enumerate(places) if place.origin.file == numbers[file]}
            changed = instrumented(filling(text, here)[0], self.error, self.words)
            copy = folder / f"program{position}.c"
            copy.write_bytes(changed.encode(errors="surrogateescape"))
            objects.append(build.object(file, copy))
        return objects

    def _run(self, binary: Path, folder: Path, sites: Sequence[Key]) -> None:
        room, environment, limit = sandbox(folder, self.seconds)
        reading, writing = os.pipe()
        try:
            self._process = subprocess.Popen(
                [*without_network(), str(binary), str(self.seed), str(writing)],
                cwd=room, env=environment, preexec_fn=limit, pass_fds=(writing,), start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        finally:
            os.close(writing)
        printed = b""
        with open(reading, "rb", buffering=0) as source:
            if self._closed:  # in the meantime
                self._kill()
            while part := source.read(1 << 16):
                records, printed = complete(printed + part)
                for record in records:
                    found: dict[Key, list[bytes]] = {}
                    for site, content in choices(record):
                        found.setdefault(sites[site], []).append(content)
                    self.found.put(found)
        self._kill()
        self._process.wait()


def _numbers(program: Program, texts: Mapping[str, str]) -> dict[str, int]:
    """The position of each file in `program.files`."""
    known = {os.path.realpath(file): index for index, file in enumerate(program.files)}
    return {file: known.get(os.path.realpath(file), -1) for file in texts}


def _edges(program: Program) -> Iterator[Edge]:
    for procedure in program.procedures.values():
        yield from procedure.edges


def _inputs(edge: Edge) -> Iterator[Input]:
    for expression in expressions_of(edge.operation):
        yield from inputs(expression)


def _functions(program: Program) -> Iterator[Function]:
    """Those whose results are inputs."""
    wanted = (InputKind.NONDET, InputKind.EXTERNAL)
    found = {
        input.what: input.sort
        for edge in _edges(program)
        for input in _inputs(edge)
        if input.kind in wanted and input.determinant is Determinant.FUNCTION
    }
    for name, sort in found.items():
        if name.isidentifier() and sort != EXTENDED and bit_width(sort) <= 64:
            yield Function(name, bit_width(sort), Kind.FLOAT if isinstance(sort, Float) else Kind.INTEGER)


def _places(program: Program, texts: Mapping[str, str]) -> list[tuple[Place, Kind]]:
    """The declarations without a value, and the calls of alloca, in the program's own text."""
    own = frozenset(_numbers(program, texts).values())
    found: dict[Origin, tuple[Place, Kind]] = {}
    for edge in _edges(program):
        if edge.origin.file not in own:
            continue
        for name, kind in _unwritten(edge):
            found[edge.origin] = (Place(name.partition("#")[0], edge.origin), kind)
    return list(found.values())


def _unwritten(edge: Edge) -> Iterator[tuple[str, Kind]]:
    match edge.operation:
        case Declare(name):
            yield name, Kind.MEMORY
        case Allocate(_, _, False, Lifetime.FRAME, name):
            yield name, Kind.MEMORY
        case _:
            for input in _inputs(edge):
                if input.kind is InputKind.UNINITIALISED and input.determinant is Determinant.LOCAL and input.sort != EXTENDED:
                    yield input.what, Kind.FLOAT if isinstance(input.sort, Float) else Kind.INTEGER
