"""gcc, with the flags that fix the meaning of C (docs/soundness.md).

Starting gcc and ld takes longer than compiling a generated program (measured: 70 ms for one, 9 ms each for
forty in one translation unit), so `checksums` puts many programs into one file, under different names, and
runs the binary once per program.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FLAGS = ("-O0", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-ftrivial-auto-var-init=zero", "-w")
DATA_MODELS = {"LP64": ("-m64",), "ILP32": ("-m32", "-msse2", "-mfpmath=sse")}
SANITIZERS = ("-fsanitize=undefined,address,float-cast-overflow", "-fno-sanitize-recover=all", "-g1")
CSMITH_HEADERS = (Path("/usr/include/csmith"), Path("/usr/include"))


@cache
def gcc() -> str | None:
    return shutil.which("gcc")


@cache
def missing(data_model: str = "LP64") -> str:
    """Why programs of this data model cannot be built here; empty if they can."""
    if gcc() is None:
        return "gcc is not installed"
    with tempfile.TemporaryDirectory(prefix="drystone-gcc-") as folder:
        source = Path(folder) / "probe.c"
        source.write_text('#include <stdio.h>\nint main(void) { return printf("%d", (int)sizeof(long)) < 0; }\n')
        try:
            build([source], Path(folder) / "probe", data_model)
            expected = {"LP64": "8", "ILP32": "4"}[data_model]
            return "" if run(Path(folder) / "probe").output == expected else f"gcc has other types than {data_model}"
        except BuildError as error:
            lines = str(error).splitlines()
            return f"gcc cannot build {data_model} programs: {lines[-1] if lines else ''}"


@cache
def missing_sanitizers(data_model: str = "LP64") -> str:
    if reason := missing(data_model):
        return reason
    with tempfile.TemporaryDirectory(prefix="drystone-gcc-") as folder:
        source = Path(folder) / "probe.c"
        source.write_text("int main(void) { return 0; }\n")
        try:
            build([source], Path(folder) / "probe", data_model, sanitize=True)
        except BuildError:
            return f"gcc has no sanitizers for {data_model}"
        return "" if run(Path(folder) / "probe").code == 0 else "sanitized programs do not run here"


@cache
def missing_csmith() -> str:
    if shutil.which("csmith") is None:
        return "csmith is not installed"
    return "" if csmith_headers() else "the headers of csmith are not installed"


def csmith_headers() -> Path | None:
    return next((folder for folder in CSMITH_HEADERS if (folder / "csmith.h").exists()), None)


class BuildError(Exception):
    """gcc refused; the message is what it wrote."""


@dataclass(frozen=True)
class Run:
    code: int  # negative: killed by that signal
    output: str
    errors: str
    timed_out: bool = False


def build(
    sources: Sequence[Path],
    binary: Path,
    data_model: str,
    *,
    sanitize: bool = False,
    flags: Sequence[str] = (),
    libraries: Sequence[str] = ("-lm",),
) -> None:
    command = [gcc() or "gcc", *FLAGS, *DATA_MODELS[data_model], *(SANITIZERS if sanitize else ()), *flags]
    command += [*map(str, sources), "-o", str(binary), *libraries]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    if result.returncode != 0:
        raise BuildError(result.stderr)


def run(binary: Path, arguments: Sequence[str] = (), *, seconds: float = 10, environment: dict[str, str] | None = None) -> Run:
    try:
        result = subprocess.run(
            [str(binary), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return Run(-1, "", "", timed_out=True)
    return Run(result.returncode, result.stdout, result.stderr)


# the names that a generated program has at file scope
_FILE_SCOPE = re.compile(r"\b(?:[gfse]\d+|u\d+(?![\"'])|E\d+_[ABC]|mix\w*|(?:div|rem|to)_\w+|checksum|main)\b")


def joined(programs: Sequence[str]) -> str:
    """Generated programs as one translation unit; the first argument selects the one that runs."""
    parts = ["#define NATIVE 1\n", "int atoi(const char *);\n"]
    for number, text in enumerate(programs):
        parts.append(_FILE_SCOPE.sub(lambda match, number=number: f"{match[0]}_{number}", text))  # type: ignore[misc]
        parts.append("#undef report\n#undef TYPE\n")
    cases = "".join(f"case {number}: return main_{number}();" for number in range(len(programs)))
    parts.append(f"int main(int argc, char **argv) {{ switch (atoi(argv[1])) {{ {cases} }} return 1; }}\n")
    return "".join(parts)


def checksums(
    programs: Sequence[str], data_model: str, *, sanitize: bool = False, flags: Sequence[str] = (), batch: int = 40
) -> list[int | str]:
    """What each generated program computes, or what went wrong with it."""
    results: list[int | str] = []
    with tempfile.TemporaryDirectory(prefix="drystone-gcc-") as folder:
        for start in range(0, len(programs), batch):
            part = programs[start : start + batch]
            source, binary = Path(folder) / "batch.c", Path(folder) / "batch"
            source.write_text(joined(part))
            try:
                build([source], binary, data_model, sanitize=sanitize, flags=flags)
            except BuildError as error:
                if len(part) == 1:
                    results.append(f"gcc: {error}")
                else:
                    results += [checksums([text], data_model, sanitize=sanitize, flags=flags)[0] for text in part]
                continue
            results += [_checksum(run(binary, [str(number)])) for number in range(len(part))]
    return results


def checksum_of_file(source: Path, data_model: str, folder: Path) -> int | str:
    """What one program computes, compiled as it is."""
    binary = folder / f"{source.stem}.{data_model}"
    try:
        build([source], binary, data_model, flags=["-DNATIVE"])
    except BuildError as error:
        return f"gcc: {error}"
    return _checksum(run(binary))


def _checksum(outcome: Run) -> int | str:
    if outcome.timed_out:
        return "no end within 10 s"
    if outcome.code != 0:
        return f"exit code {outcome.code}: {outcome.errors[:2000]}"
    return int(outcome.output, 16) if re.fullmatch(r"[0-9a-f]+\n", outcome.output) else f"printed {outcome.output[:80]!r}"
