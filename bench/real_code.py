"""Functions of real C libraries: properties that hold, and the same with a planted bug.

    python bench/real_code.py [CASE…] [--timeout 60] [--json OUT] [--jobs 1] [--workers 2] [--check none] [--cache DIR]
    python bench/real_code.py --json OUT --markdown docs/real-code.md      only writes the page, from OUT
    python bench/real_code.py --gcc 1000000                                what do the compiled programs do with random inputs?

The libraries are Debian's source packages, which apt fetches into the cache. real_code/cases.toml lists the functions, their
properties and the line that is replaced to plant a bug; real_code/NAME.c is the harness of each. bench/run.py does the work: it
keeps results in OUT as they come, and does not run again what OUT has. The exit code is 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from debian_sources import planted, unpacked
from run import Result, Task, add_limits, read_results, run_all

HARNESSES = Path(__file__).resolve().parent / "real_code"
CACHE = Path(__file__).resolve().parents[1] / "build" / "real-code"
HOLDS, PLANTED = "holds", "planted"


@dataclass(frozen=True)
class Case:
    """A function of a library, with a property, and a bug to plant. Paths are relative to the package's folder."""

    name: str
    package: str
    version: str
    function: str
    claim: str  # the property
    file: str  # where the bug is planted
    original: str
    planted: str
    bug: str
    obstacle: str = ""  # what stands in the way of a verdict, where that is known
    sources: tuple[str, ...] = ()  # linked with the harness; a harness that needs static functions includes the file instead
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()

    @property
    def harness(self) -> Path:
        return HARNESSES / f"{self.name}.c"


def read_cases(path: Path = HARNESSES / "cases.toml") -> list[Case]:
    table = tomllib.loads(path.read_text())
    return [_case(row, table["versions"][row["package"]]) for row in table["case"]]


def _case(row: dict[str, Any], version: str) -> Case:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Case(version=version, **fields)


def compiler_arguments(case: Case, variant: str, cache: Path) -> tuple[str, ...]:
    """The library's files and flags. With a planted bug, a changed copy of one file is found before the original."""
    folder = unpacked(case.package, case.version, cache)
    sources = {name: folder / name for name in case.sources}
    include = [*(folder / name for name in case.include), (folder / case.file).parent]
    if variant == PLANTED:
        copy = planted(folder / case.file, case.original, case.planted, cache / "planted" / case.name / case.file)
        sources |= {case.file: copy} if case.file in sources else {}
        include.insert(0, copy.parent)
    flags = [flag for path in dict.fromkeys(include) for flag in ("-I", str(path))]
    return (*map(str, sources.values()), *flags, *(flag for name in case.define for flag in ("-D", name)))


def tasks_of(cases: Sequence[Case], cache: Path) -> list[Task]:
    return [
        Task(case.harness, variant == HOLDS, variant=variant, arguments=compiler_arguments(case, variant, cache))
        for case in cases
        for variant in (HOLDS, PLANTED)
    ]


# the compiled programs


def run_compiled(task: Task, runs: int) -> str:
    """What the compiled harness does with random inputs: `fails` (an assertion does), `passes`, or why it is neither."""
    with tempfile.TemporaryDirectory(prefix="drystone-real-code-") as folder:
        binary, driver = Path(folder) / "program", Path(folder) / "driver.o"
        flags = ["-O1", "-g", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-w"]
        unused = ["-ffunction-sections", "-Wl,--gc-sections"]  # what only functions need that are not called is not linked
        made = [
            ["gcc", *flags, "-c", str(HARNESSES / "random_inputs.c"), "-o", str(driver)],
            ["gcc", *flags, *unused, "-Dmain=harness", str(task.path), *task.arguments, str(driver), "-o", str(binary)],
        ]
        for command in made:
            built = subprocess.run(command, capture_output=True, text=True, errors="replace")
            if built.returncode != 0:
                return f"is not compiled: {shlex.join(command)}\n{built.stderr}"
        ended = subprocess.run([str(binary), str(runs)], capture_output=True, text=True, errors="replace", timeout=600)
    if ended.returncode == -signal.SIGABRT and "Assertion" in ended.stderr:
        return "fails"
    return "passes" if ended.returncode == 0 else f"ends with {ended.returncode}: {ended.stderr.strip()}"


def check_with_gcc(tasks: Sequence[Task], runs: int) -> int:
    if shutil.which("gcc") is None:
        sys.exit("--gcc needs gcc")
    contradicted = 0
    for task in tasks:
        outcome = run_compiled(task, runs)
        agrees = outcome == ("passes" if task.expected else "fails")
        contradicted += not agrees
        print(f"{'ok' if agrees else 'NOT AS EXPECTED':<3} {task.name}: {outcome}", flush=True)
    return 1 if contradicted else 0


# tables


def answer(result: Result) -> str:
    return f"{result.verdict}, wrong" if result.status == "wrong" else result.verdict


def printed(results: Sequence[Result]) -> str:
    lines = [f"{'case':<34} {'expected':<8} {'verdict':<8} {'s':>6}  what stopped it"]
    for each in results:
        stopped = (each.reason or each.errors) if each.verdict == "UNKNOWN" else "WRONG" if each.status == "wrong" else ""
        name = each.task.removeprefix("real_code/")
        lines.append(f"{name:<34} {each.expected:<8} {each.verdict:<8} {each.wall_s:6.1f}  {stopped[:160]}")
    return "\n".join([*lines, totals(results)])


def totals(results: Sequence[Result]) -> str:
    decided = sum(each.verdict != "UNKNOWN" for each in results)
    wrong = sum(each.status == "wrong" for each in results)
    return f"{decided} of {len(results)} decided, {wrong} wrong"


_PAGE = """# Real code

{functions} functions of {packages} C libraries, as Debian 12 ships them. Each is verified twice: as it is, with a property that
holds; and with a bug that the script plants by replacing one place of the library's text. **{totals}**,
in {timeout:.0f} s each with {workers} (commit {commit}, {machine}).

Made by `make bench-real` (`python bench/real_code.py --timeout 60 --json bench/results/real-code-60s.json`), then
`--markdown docs/real-code.md`. The libraries are not part of this project: `apt-get source` fetches the exact versions, which
needs `deb-src` in apt's lists. Harnesses, flags and planted bugs are in [bench/real_code](../bench/real_code/cases.toml); a
harness says in its first line what it checks, and bounds its inputs by `__VERIFIER_assume`. What is expected does not come from
drystone: `python bench/real_code.py --gcc 1000000` runs the same programs, compiled, with random inputs. With a planted bug an
assertion fails, without it none does.

A property holds for all inputs within the bounds that the table names, not beyond: most are strings or buffers of a few bytes.

**How they were chosen.** By hand, for code that a harness reaches without the rest of its library: this is no random sample.
32 functions were tried, and 20 kept. Of the other 12, with one worker, 20 of 24 cases were decided, none wrong; UNKNOWN were
strlcat of libbsd and http_parser_execute as they are (out of time), and sodium_memcmp both as it is and with a bug (it reads
through pointers to volatile). Bounds were chosen so that a minute may be enough: those of strspn, strlcpy and lwip_itoa were
made smaller after a first run, in which the larger ones had been proved in about 30 s.

| library | function | property, and what is planted | as it is | with the bug |
| --- | --- | --- | --- | --- |
{rows}

## What stopped the others

{stopped}
"""


def without_counters(reason: str) -> str:
    """`bmc was at query (bound 14, queries 26)`: the numbers are in the file of results."""
    return re.sub(r" \((?:\w+ [\d,]*\d(?:, )?)+\)", "", reason)


def page(cases: Sequence[Case], results: Sequence[Result], about: dict[str, Any]) -> str:
    """`about`: what the file of results says besides them."""
    settings, origin = about["settings"], about["origins"][-1]
    found = {each.task: each for each in results}
    rows, stopped = [], []
    for case in cases:
        cells = []
        for variant in (HOLDS, PLANTED):
            result = found.get(f"real_code/{case.name} {variant}")
            if result is None:
                sys.exit(f"no result of {case.name} ({variant}) yet: run without --markdown first")
            cells.append(f"{answer(result)}, {result.wall_s:.1f} s")
            if result.verdict == "UNKNOWN":
                known = f" ({case.obstacle})" if case.obstacle else ""
                stopped.append(f"- **{case.name}**, {variant}{known}: {without_counters(result.reason) or result.status}")
        text = f"{case.claim}. *Planted:* {case.bug}".replace("|", "\\|")
        harness = f"[{case.function}](../bench/real_code/{case.name}.c)"
        rows.append(f"| {case.package} {case.version} | {harness} | {text} | {cells[0]} | {cells[1]} |")
    return _PAGE.format(
        functions=len(cases),
        packages=len({case.package for case in cases}),
        totals=totals(results),
        timeout=settings["timeout"],
        workers="one worker" if settings["workers"] == 1 else f"{settings['workers']} workers",
        commit=origin["commit"],
        machine=f"{origin['cores']} cores, Python {origin['python']}",
        rows="\n".join(rows),
        stopped="\n".join(stopped) or "Nothing: all were decided.",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="names of cases.toml; default: all")
    add_limits(parser, timeout=60.0)
    parser.set_defaults(jobs=1, workers=2)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where packages are unpacked, default build/real-code")
    parser.add_argument("--check", default="none", metavar="LIST", help="what else is an error, as for verify; default none")
    parser.add_argument("--variant", choices=[HOLDS, PLANTED], help="only this one")
    parser.add_argument("--markdown", type=Path, metavar="PAGE", help="write the table of OUT as a page, and run nothing")
    parser.add_argument("--gcc", type=int, metavar="RUNS", help="compile each case and run it so often with random inputs")
    parser.add_argument("--show", action="store_true", help="print the commands, and run nothing")
    options = parser.parse_args()
    cases = read_cases()
    if options.markdown:
        if options.json is None:
            parser.error("--markdown needs --json OUT, which has the results")
        order = {f"real_code/{case.name} {variant}": None for case in cases for variant in (HOLDS, PLANTED)}
        results = [each for each in read_results(options.json) if each.task in order]
        options.markdown.write_text(page(cases, results, json.loads(options.json.read_text())))
        return 0
    unknown = set(options.cases) - {case.name for case in cases}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    chosen = [case for case in cases if not options.cases or case.name in options.cases]
    tasks = [task for task in tasks_of(chosen, options.cache) if options.variant in (None, task.variant)]
    if not options.gcc:
        tasks = [replace(task, arguments=(*task.arguments, "--check", options.check)) for task in tasks]
    if options.show:
        for task in tasks:
            print(shlex.join(["drystone", "verify", str(task.path), *task.arguments, "--timeout", f"{options.timeout:.0f}s"]))
        return 0
    if options.gcc:
        return check_with_gcc(tasks, options.gcc)
    place = {task.name: number for number, task in enumerate(tasks)}
    results = sorted((each for each in run_all(tasks, options) if each.task in place), key=lambda each: place[each.task])
    print(printed(results))
    return 1 if any(each.status in ("wrong", "crash") for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
