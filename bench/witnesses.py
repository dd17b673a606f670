"""Witnesses of solved tasks: are they in the format, do they compile where they stand, are they accepted, and what is false not?

    python bench/witnesses.py [SET…] [--json OUT] [--timeout 10] [--validation 30] [--of RESULTS --within 3] [--each N]

Each sequential task is verified by two engines with `--witness`. A witness is held against the schema of the tests, its places
against the text, its expressions against gcc, and `drystone validate` is asked. Then it is falsified: an invariant is negated,
sharpened or moved; a branch is turned, a returned value changed, the target moved; or the witness is said to be of another task,
which has the other verdict. What is accepted of these is held against compiled runs on random inputs, or on those of the witness.
With `--of`, only tasks that a file of bench/run.py has solved within some seconds of processor time; they are taken in turn from
all categories, so that a run that is interrupted has looked at all kinds. Results are kept as they come.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from provenance import provenance
from run import BENCHMARKS, Task, tasks_below

ROOT = Path(__file__).resolve().parents[1]
ENGINES = {True: ("auto", "k-induction"), False: ("auto", "bmc")}
RUNS = 200  # of a compiled program, for the reference check
Json = dict[str, Any]


def called(*words: str | Path, timeout: float) -> tuple[Json, float, str]:
    """What `--json -` says, the seconds of processor time, and what went wrong."""
    command = [sys.executable, "-m", "drystone", *map(str, words), "--timeout", f"{timeout}s", "--json", "-", "--quiet"]
    before = os.times()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout + 30, cwd=ROOT, errors="replace")
    except subprocess.TimeoutExpired:
        return {}, timeout, "does not end"
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    line = next((line for line in reversed(done.stdout.splitlines()) if line.startswith("{")), "")
    said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return (json.loads(line) if line else {}), used, "" if line and done.returncode != 4 else said


# one witness


def looked_at(task: Task, engine: str, options: argparse.Namespace, folder: Path) -> Json:
    """The row of a task and an engine."""
    from drystone.verification.tasks import read_task

    row: Json = {"task": task.name, "engine": engine, "verdict": "UNKNOWN", "problems": []}
    found, cpu, problem = called(
        "verify", task.path, "--engine", engine, "--witness", folder / "w.yml", "--workers", "1", timeout=options.timeout
    )
    row |= {"verdict": found.get("verdict", "UNKNOWN"), "cpu_s": round(cpu, 2), "crash": problem}
    row["certificate"] = ((found.get("evidence") or {}).get("certificate") or {}).get("kind", "")
    witness = (found.get("evidence") or {}).get("witness") or {}
    if row["verdict"] == "UNKNOWN" or not (folder / "w.yml").exists():
        row["none"] = witness.get("problem", "") or "; ".join(found.get("warnings", [])) if row["verdict"] != "UNKNOWN" else ""
        return row
    file = Path(read_task(str(task.path)).files[0])
    row |= checked(folder / "w.yml", file)
    row |= validated(folder / "w.yml", task.path, options)
    return row


def checked(witness: Path, file: Path) -> Json:
    """Schema, places, expressions."""
    sys.path.insert(0, str(ROOT))
    from tests.witnesses.compiling import compiles
    from tests.witnesses.reading import entry_of

    problems = []
    try:
        entry = entry_of(witness)
    except AssertionError as wrong:
        return {"problems": [f"schema: {str(wrong)[:300]}"]}
    lines = file.read_bytes().split(b"\n")
    said = list(statements(entry))
    for each in said:
        where = each["location"]
        if not (1 <= where["line"] <= len(lines) and 1 <= where["column"] <= len(lines[where["line"] - 1])):
            problems.append(f"place: {where['line']}:{where['column']}")
    invariants = [each for each in said if "_invariant" in each["type"]]
    if invariants and not problems:
        wrong_text = compiles(file, invariants)
        problems += [f"gcc: {wrong_text[:300]}"] if wrong_text else []
    kinds = Counter(each["type"] for each in said)
    return {"kind": entry["entry_type"], "problems": problems, "says": dict(kinds)}


def statements(entry: Json) -> Iterator[Json]:
    for each in entry["content"]:
        if "invariant" in each:
            yield each["invariant"]
        for item in each.get("segment", ()):
            yield item["waypoint"]


def validated(witness: Path, program: Path, options: argparse.Namespace) -> Json:
    found, cpu, problem = called("validate", witness, program, "--workers", "1", timeout=options.validation)
    return {
        "result": found.get("result", ""),
        "reason": found.get("reason", ""),
        "validation_cpu_s": round(cpu, 2),
        "validation_crash": problem,
    }


# falsified ones


def falsified(entry: Json, chance: random.Random) -> Iterator[tuple[str, Json]]:
    """What was done, and the witness, in no particular order."""
    said = list(statements(entry))
    ways = [each for each in _WAYS for _ in range(3)]
    chance.shuffle(ways)
    seen = []
    for way in ways:
        for index in chance.sample(range(len(said)), min(4, len(said))):
            made = copy.deepcopy(entry)
            statement = list(statements(made))[index]
            before = json.dumps(statement)
            _WAYS[way](statement, chance)
            if json.dumps(statement) != before and made not in seen:
                seen.append(made)
                yield f"{way} {statement['type']} {index}", made
                break


def _negate(said: Json, chance: random.Random) -> None:
    if said["type"].endswith("_invariant"):
        said["value"] = f"!({said['value']})"
    elif said["type"] == "branching":
        said["constraint"]["value"] = {"true": "false", "false": "true"}[said["constraint"]["value"]]


def _change(said: Json, chance: random.Random) -> None:
    """Another number, or another comparison."""
    holder = said if said["type"].endswith("_invariant") else said.get("constraint", {})
    if said["type"] == "branching" or "value" not in holder:
        return
    places = list(re.finditer(r"(?<![\w.])\d+|[<>]=?(?![<>])|[=!]=", holder["value"]))
    if not places:
        return
    found = chance.choice(places)
    turned = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
    new = turned.get(found[0]) or str(int(found[0]) + chance.choice((1, 7, 1000)))
    holder["value"] = holder["value"][: found.start()] + new + holder["value"][found.end() :]


def _move(said: Json, chance: random.Random) -> None:
    said["location"]["line"] = max(1, said["location"]["line"] + chance.choice((-3, -2, -1, 1, 2, 3)))
    said["location"].pop("column", None)


_WAYS = {"negated": _negate, "changed": _change, "moved": _move}


def falsifications(row: Json, task: Task, other: Path | None, options: argparse.Namespace, folder: Path) -> list[Json]:
    (entry,) = yaml.safe_load((folder / "w.yml").read_text())
    chance = random.Random(f"{task.name} {row['engine']}")
    made = [(what, each, task.path) for what, each in itertools.islice(falsified(entry, chance), options.each)]
    if other is not None:
        foreign = copy.deepcopy(entry)
        for name in ("input_files", "input_file_hashes", "data_model"):
            foreign["metadata"]["task"].pop(name, None)
        for each in statements(foreign):
            each["location"]["file_name"] = program_of(other).name
        made.append((f"of {other.stem}", foreign, other))
    rows = []
    for what, each, program in made:
        (folder / "f.yml").write_text(yaml.safe_dump([each], sort_keys=False))
        found = validated(folder / "f.yml", program, options)
        if found["result"] == "valid":
            found["reference"] = reference(each, program)
        rows.append({"what": what, **found})
    return rows


# what compiled programs say of an accepted one


def program_of(task: Path) -> Path:
    from drystone.verification.tasks import read_task

    return Path(read_task(str(task)).files[0])


def reference(entry: Json, task: Path) -> str:
    """`wrong`: an execution of the compiled program refutes it; else why it is not known to be wrong."""
    text = program_of(task).read_text(errors="replace")
    said = list(statements(entry))
    if entry["entry_type"] == "invariant_set":
        return _refuted(text, said, task)
    told = [each["constraint"]["value"] for each in said if each["type"] == "function_return"]
    if not all(each.startswith("\\result == ") for each in told):
        return "not refuted: it leaves inputs open"
    values = [each.removeprefix("\\result == ") for each in told]
    ended = _run(text, [values], task)
    return "its inputs reach the error" if ended == {77} else f"not refuted: its inputs end with {sorted(ended)}"


def _refuted(text: str, said: list[Json], task: Path) -> str:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    added: list[tuple[int, str]] = []
    for each in said:
        line, value = each["location"]["line"], each["value"]
        column = each["location"].get("column")
        offset = starts[line - 1] + (column or 1) - 1
        test = f"(({value}) ? 0 : (__reference_failed(), 0))"
        header = re.compile(r"\s*(?:while\s*\(|for\s*\([^;]*;)").match(text, offset)
        if header is None or each["type"] == "location_invariant":
            added.append((offset, f"{test}; "))
        else:
            closes = text[header.end() :].lstrip().startswith(";")
            added.append((header.end(), f"({test}, 1){'' if closes else ' && '}"))
    for offset, what in sorted(added, reverse=True):
        text = text[:offset] + what + text[offset:]
    chance = random.Random(0)
    choices = ("0", "1", "2", "-1", "3", "10", "100")
    runs = [[chance.choice(choices) for _ in range(50)] for _ in range(RUNS // 2)]
    runs += [[str(chance.randrange(-(2**31) + 1, 2**31)) for _ in range(50)] for _ in range(RUNS // 2)]
    ended = _run("extern void __reference_failed(void);\n" + text, runs, task)
    return (
        "wrong: a compiled run refutes it" if 78 in ended else f"not refuted by {len(runs)} runs, which end with {sorted(ended)}"
    )


def _run(text: str, runs: Sequence[Sequence[str]], task: Path) -> set[int]:
    """How the compiled program ends: 77 in an error, 78 where an invariant fails; -1: it is not compiled."""
    types = sorted(set(re.findall(r"\b__VERIFIER_nondet_(\w+)\s*\(", text)))
    c = {"uint": "unsigned", "ulong": "unsigned long", "ushort": "unsigned short", "uchar": "unsigned char", "bool": "_Bool"}
    c |= {"pointer": "void *", "u32": "unsigned", "u8": "unsigned char", "u16": "unsigned short", "size_t": "unsigned long"}
    stub = "#include <stdio.h>\n#include <stdlib.h>\nstatic char line[99];\n"
    stub += "static long long next(void) { return fgets(line, 99, stdin) ? strtoll(line, 0, 0) : 0; }\n"
    stub += "void __reference_failed(void) { _Exit(78); }\n"
    stub += "".join(
        f"{c.get(name, name)} __VERIFIER_nondet_{name}(void) {{ return ({c.get(name, name)})next(); }}\n" for name in types
    )
    for name in ("reach_error", "__VERIFIER_error"):
        stub += f"__attribute__((weak)) void {name}(void) {{ _Exit(77); }}\n"
    stub += "__attribute__((weak)) void __VERIFIER_assume(int c) { if (!c) _Exit(0); }\n"
    text = re.sub(r"\bERROR\s*:", "ERROR: __reference_error();", text)
    text = "extern void __reference_error(void);\n" + text
    stub += "void __reference_error(void) { _Exit(77); }\n"
    with tempfile.TemporaryDirectory(prefix="drystone-bench-") as folder:
        (Path(folder) / "p.c").write_text(text)
        (Path(folder) / "s.c").write_text(stub)
        command = ["gcc", "-O1", "-fwrapv", "-w", f"-I{task.parent}", "p.c", "s.c", "-o", "p", "-lm"]
        if subprocess.run(command, cwd=folder, capture_output=True).returncode != 0:
            return {-1}
        ended = set()
        for values in runs:
            numbers = "\n".join(str(_number(each)) for each in values) + "\n"
            try:
                done = subprocess.run(["./p"], cwd=folder, input=numbers, text=True, capture_output=True, timeout=1)
                ended.add(done.returncode if done.returncode in (77, 78) else 0)
            except subprocess.TimeoutExpired:
                ended.add(124)
        return ended


def _number(text: str) -> int:
    digits = re.sub(r"(?<=\d)[uUlL]+", "", text)
    found = re.fullmatch(r"\((-\d+) - 1\)", digits)
    return int(found[1]) - 1 if found else int(digits)


# all of them


def chosen(options: argparse.Namespace) -> list[Task]:
    sets = options.sets or ([str(BENCHMARKS)] if BENCHMARKS.is_dir() else [])
    tasks = [task for task in tasks_below(sets) if task.category != "concurrency"]
    if options.of is not None:
        solved = {row["task"]: row for row in json.loads(options.of.read_text())["results"] if row["status"] == "correct"}
        tasks = [task for task in tasks if task.name in solved and solved[task.name]["cpu_s"] <= options.within]
    chance = random.Random(options.seed)
    chance.shuffle(tasks)
    by_kind: dict[tuple[str, bool], list[Task]] = {}
    for task in tasks:
        by_kind.setdefault((task.category, task.expected), []).append(task)
    turns = itertools.zip_longest(*by_kind.values())
    found = [task for turn in turns for task in turn if task is not None]
    return found[: options.sample] if options.sample is not None else found


def summary(rows: Sequence[Json]) -> Iterator[str]:
    written = [row for row in rows if row.get("kind")]
    for kind in ("invariant_set", "violation_sequence"):
        own = [row for row in written if row["kind"] == kind]
        results = Counter(row["result"] or "crash" for row in own)
        share = 100 * results["valid"] / len(own) if own else 0
        yield f"{kind}: {len(own)} witnesses, {dict(results)}, accepted {share:.1f} %"
        yield f"  says: {dict(sum((Counter(row['says']) for row in own), Counter()))}"
    yield f"problems with schema, places or gcc: {sum(bool(row['problems']) for row in rows)}"
    for row in rows:
        name = f"{row['task']} ({row['engine']})"
        yield from (f"  PROBLEM {name}: {each}" for each in row["problems"])
        yield from [f"  CRASH {name}: {row['crash']}"] if row.get("crash") else []
        yield from [f"  NO WITNESS {name}: {row['none']}"] if row.get("none") else []
        if row.get("kind") and row["result"] != "valid":
            yield f"  {row['result'] or 'CRASH'} {name}: {row['reason'] or row['validation_crash']}"
    wrong = [(row, each) for row in rows for each in row.get("falsified", ())]
    yield f"falsified: {len(wrong)}, {dict(Counter(each['result'] or 'crash' for _, each in wrong))}"
    for row, each in wrong:
        if each["result"] == "valid":
            yield f"  accepted {row['task']} ({row['engine']}), {each['what']}: {each['reference']}"
        elif not each["result"]:
            yield f"  CRASH {row['task']} ({row['engine']}), {each['what']}: {each['validation_crash']}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help="folders, or task definitions")
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds for each verification")
    parser.add_argument("--validation", type=float, default=30.0, help="seconds for each validation")
    parser.add_argument("--of", type=Path, metavar="RESULTS", help="only what this file of bench/run.py has solved")
    parser.add_argument("--within", type=float, default=3.0, help="seconds of processor time, with --of")
    parser.add_argument("--each", type=int, default=3, help="falsified ones of each witness, but for the one of another task")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    tasks = chosen(options)
    kept: Json = json.loads(options.json.read_text()) if options.json is not None and options.json.exists() else {"rows": []}
    done = {(row["task"], row["engine"]) for row in kept["rows"]}
    others = {expected: [task for task in tasks if task.expected != expected] for expected in (True, False)}
    for number, task in enumerate(tasks, start=1):
        for engine in ENGINES[task.expected]:
            if (task.name, engine) in done:
                continue
            with tempfile.TemporaryDirectory(prefix="drystone-bench-") as made:
                folder, began = Path(made), time.monotonic()
                row = looked_at(task, engine, options, folder)
                if row.get("result"):
                    near = [each for each in others[task.expected] if each.category == task.category]
                    other = near[0].path if near else None
                    row["falsified"] = falsifications(row, task, other, options, folder)
            kept["rows"].append(row)
            told = Counter(each["result"] or "crash" for each in row.get("falsified", ()))
            print(
                f"[{number}/{len(tasks)}] {row['verdict']:<7} {row.get('result', ''):<9} {task.name} ({engine}) "
                f"falsified {dict(told)} {time.monotonic() - began:.0f} s {'; '.join(row['problems'])[:200]}",
                flush=True,
            )
            if options.json is not None:
                kept["origin"] = provenance()
                options.json.write_text(json.dumps(kept, indent=1) + "\n")
    print("\n".join(summary(kept["rows"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
