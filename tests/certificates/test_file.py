"""`verify --certificate` writes what `check` accepts; a damaged file is refused, never a crash."""

from __future__ import annotations

import base64
import json
import os
import random
import subprocess
import sys
import tempfile
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check_program
from drystone.certificates.file import FORMAT, NotACertificate, check_formulas, read_certificate
from drystone.claims.certificates import Certificate
from drystone.cli.main import main
from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.packing import pack
from drystone.logic.sorts import bitvec
from tests.places import EXAMPLES, PROGRAMS, ROOT
from tests.running import UNCHECKED, verify

FULL = os.environ.get("DRYSTONE_FULL") == "1"
BANK = EXAMPLES / "bank.c"

INDUCTIVE = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  unsigned n = 0, m = 0;
  while (__VERIFIER_nondet_int()) {
    n += 2;
    m++;
  }
  if (n % 2) reach_error();
  return 0;
}
"""

BOUNDED = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int a = __VERIFIER_nondet_int();
  if (a > 5 && a < 3) reach_error();
  for (int i = 0; i < 3; i++) a &= 7;
  if (a > 7) reach_error();
  return 0;
}
"""

# no invariant of one block, and none among the candidates
TWO_STEPS = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int x = 1, y = 1;
  while (__VERIFIER_nondet_int()) {
    if (y != 1) reach_error();
    y = x;
    x = 1;
  }
  return 0;
}
"""


def check(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "drystone", "check", *map(str, arguments), *UNCHECKED]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)


@lru_cache
def certificate(text: str, *options: str) -> str:
    """The certificate of a program as it is written."""
    with tempfile.TemporaryDirectory() as folder:
        file, written = Path(folder) / "p.c", Path(folder) / "p.json"
        file.write_text(text)
        engine = () if "--engine" in options else ("--engine", "k-induction")
        done = verify(file, "--certificate", written, "--timeout", "60s", *engine, *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return written.read_text()


def placed(folder: Path, text: str, content: str | bytes | dict[str, Any]) -> tuple[Path, Path]:
    """A certificate and a program as files."""
    file, written = folder / "p.c", folder / "p.json"
    file.write_text(text)
    if isinstance(content, dict):
        content = json.dumps(content)
    written.write_bytes(content if isinstance(content, bytes) else content.encode())
    return written, file


def pretending(content: str, text: str) -> str:
    """The certificate as one of this text."""
    tree = json.loads(content)
    tree["sources"][0]["texts"][0]["sha256"] = sha256(text.encode()).hexdigest()
    return json.dumps(tree)


def changed(text: str, **fields: Any) -> dict[str, Any]:
    return {**json.loads(certificate(text)), **fields}


@pytest.mark.parametrize(
    ("text", "kind", "options"),
    [
        (INDUCTIVE, "inductive", ()),
        (BOUNDED, "bounded", ("--engine", "bmc")),
        (TWO_STEPS, "k-inductive", ("--engine", "k-induction", "--candidates", "none")),
        ((PROGRAMS / "nontermination.c").read_text(), "nothing", ()),
    ],
    ids=["inductive", "bounded", "k-inductive", "nothing"],
)
@pytest.mark.parametrize("means", [(), ("--solver", "z3"), ("--solver", "bitwuzla", "--jobs", "2")], ids=["", "z3", "bitwuzla"])
def test_what_is_written_is_valid(tmp_path: Path, text: str, kind: str, options: tuple[str, ...], means: tuple[str, ...]) -> None:
    written, file = placed(tmp_path, text, certificate(text, *options))
    done = check(written, file, *means)
    assert done.returncode == 0 and done.stdout.startswith("valid  "), done.stdout + done.stderr
    assert f"certificate: {kind}" in done.stdout
    if "--solver" in means and kind != "nothing":
        assert f"checked by {means[1]}" in done.stdout or "checked by evaluation" in done.stdout
    assert "not the text" not in done.stdout


def test_what_is_in_the_file() -> None:
    content = json.loads(certificate(INDUCTIVE))
    assert (content["format"], content["version"]) == (FORMAT, 2)
    assert content["claim"]["data_model"] == "LP64" and content["claim"]["entry"] == "main"
    (source,) = content["sources"]
    assert [each["file"] for each in source["texts"]] == ["p.c", "<drystone_prelude.h>"]
    assert source["texts"][0]["sha256"] == sha256(INDUCTIVE.encode()).hexdigest() and source["options"] == []
    (invariant,) = content["certificate"]["invariants"]
    assert invariant["where"].endswith("p.c:6") and invariant["text"]
    base64.b64decode(invariant["packed"], validate=True)


def test_the_json_object(tmp_path: Path) -> None:
    written, file = placed(tmp_path, INDUCTIVE, certificate(INDUCTIVE))
    result = json.loads(check(written, file, "--json", "-").stdout)
    assert (result["result"], result["kind"], result["reason"]) == ("valid", "inductive", "")
    assert result["other_texts"] == [] and result["checked_by"] and result["cpu_s"] > 0


def test_a_certificate_of_another_program_is_rejected_with_the_place(tmp_path: Path) -> None:
    wrong = INDUCTIVE.replace("n += 2", "n += 3")
    written, file = placed(tmp_path, wrong, certificate(INDUCTIVE))
    done = check(written, file)
    assert done.returncode == 2 and done.stdout.startswith(f"rejected  {file} is not the text"), done.stdout
    placed(tmp_path, wrong, pretending(certificate(INDUCTIVE), wrong))
    for jobs in ("1", "3"):
        done = check(written, file, "--jobs", jobs)
        assert done.returncode == 2 and done.stdout.startswith("rejected  "), done.stdout
        assert f"{file}:" in done.stdout.splitlines()[0]


def test_no_time_is_undecided(tmp_path: Path) -> None:
    written, file = placed(tmp_path, INDUCTIVE, certificate(INDUCTIVE))
    done = check(written, file, "--timeout", "1ms")
    assert done.returncode == 2 and done.stdout.startswith("undecided  out of time")


def test_no_memory_is_undecided(tmp_path: Path) -> None:
    written, file = placed(tmp_path, INDUCTIVE, certificate(INDUCTIVE))
    done = check(written, file, "--memory", "1MB")
    assert done.returncode == 2 and done.stdout.startswith("undecided  out of memory")


def test_the_claim_cannot_be_changed_unnoticed(tmp_path: Path) -> None:
    written, file = placed(tmp_path, INDUCTIVE, certificate(INDUCTIVE))
    for words, what in (
        (["--data-model", "ILP32"], "data model is LP64"),
        (["--error-function", "failed"], "error function is the default, but failed is asked for"),
        (["--entry", "reach_error"], "entry is main"),
        (["-I", "."], "include directories is none"),
        (["-D", "X=1"], "defines is none"),
        (["--std", "c99"], "std is gnu11"),
    ):
        done = check(written, file, *words)
        assert done.returncode == 3 and what in done.stderr and "to check what it claims" in done.stderr, done.stderr
    assert check(written, file, "--data-model", "LP64", "--std", "gnu11").returncode == 0


def test_the_claim_has_to_be_repeated_and_is_shown(tmp_path: Path) -> None:
    text = INDUCTIVE.replace("+= 2", "+= STEP")
    written, file = placed(tmp_path, text, certificate(text, "-D", "STEP=2", "--data-model", "ILP32"))
    done = check(written, file)
    assert done.returncode == 3 and "add --data-model ILP32" in done.stderr, done.stderr
    done = check(written, file, "--data-model", "ILP32")
    assert done.returncode == 3 and "add -D STEP=2" in done.stderr, done.stderr
    done = check(written, file, "-D", "STEP=2", "--data-model", "ILP32")
    assert done.returncode == 0 and "ILP32, gnu11, -D STEP=2" in done.stdout


@pytest.mark.parametrize(("file", "verdict"), [(BANK, "FALSE"), (PROGRAMS / "thread_cancelled.c", "UNKNOWN")])
def test_only_a_true_writes_a_certificate(tmp_path: Path, file: Path, verdict: str) -> None:
    done = verify(file, "--certificate", tmp_path / "c.json", "--timeout", "10s")
    assert f"no certificate is written: the verdict is {verdict}" in done.stderr
    assert done.returncode == {"FALSE": 1, "UNKNOWN": 2}[verdict] and not (tmp_path / "c.json").exists()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    program = PROGRAMS / "nontermination.c"
    for place, why in ((tmp_path / "no" / "c.json", "there is no folder"), (tmp_path, "Is a directory")):
        done = verify(program, "--certificate", place)
        assert done.returncode == 3 and why in done.stderr and done.stdout == ""
    done = verify(program, "--certificate", "/dev/full")
    assert done.returncode == 3 and "/dev/full: cannot be written: No space left" in done.stderr
    assert done.stdout.startswith("TRUE"), "the verdict is known all the same"


# Damaged files


def raw(*nodes: Any) -> str:
    """Packed terms of any shape."""
    return base64.b64encode(b"\0" + msgspec.msgpack.encode(nodes)).decode()


BV = {"type": "bv", "width": 32}
BOOL = {"type": "bool"}
GARBAGE = {
    "empty": "",
    "no terms": base64.b64encode(b"\0\x00").decode(),
    "unknown packing": base64.b64encode(b"\x07abc").decode(),
    "zstd of nothing": base64.b64encode(b"\1abc").decode(),
    "no base64": "%%%",
    "unknown operator": raw([["state", BV, 0, None], ["magic", BOOL, 1, None]], ["n"], [0, 0, 1, 1], [1]),
    "ill-sorted": raw([["state", BV, 0, None], ["and", BOOL, 2, None]], ["n"], [0, 0, 1, 1, 1], [1]),
    "result of another sort": raw([["state", BV, 0, None], ["=", BV, 2, None]], ["n"], [0, 0, 1, 1, 1], [1]),
    "argument that does not exist": raw([["state", BV, 0, None], ["=", BOOL, 2, None]], ["n"], [0, 0, 1, 7, 1], [1]),
    "argument to come": raw([["state", BV, 0, None], ["=", BOOL, 2, None]], ["n"], [0, 0, 1, 0, -1], [1]),
    "root that does not exist": raw([["state", BV, 0, None]], ["n"], [0, 0], [4]),
    "negative root": raw([["state", BV, 0, None]], ["n"], [0, 0], [-1]),
    "negative arity": raw([["state", BV, -1, None]], ["n"], [0], []),
    "too many arguments": raw([["state", BV, 0, None], ["bvadd", BV, 3, None]], ["n"], [0, 0, 1, 1, 1, 1], [1]),
    "code cut off": raw([["state", BV, 0, None], ["=", BOOL, 2, None]], ["n"], [0, 0, 1, 1], [1]),
    "bits of no extract": raw([["state", BV, 0, None], ["bvneg", BV, 1, [3, 0]]], ["n"], [0, 0, 1, 1], [1]),
    "extract of too much": raw([["state", BV, 0, None], ["extract", BV, 1, [40, 9]]], ["n"], [0, 0, 1, 1], [1]),
    "huge width": raw([["const", {"type": "bv", "width": 1 << 40}, 0, None]], [0], [0, 0], [0]),
    "width zero": raw([["const", {"type": "bv", "width": 0}, 0, None]], [0], [0, 0], [0]),
    "float of no format": raw([["const", {"type": "fp", "exponent": 2, "significand": 900}, 0, None]], [0], [0, 0], [0]),
    "value that does not fit": raw([["const", BV, 0, None]], [1 << 40], [0, 0], [0]),
    "value that is a name": raw([["const", BV, 0, None]], ["zz"], [0, 0], [0]),
    "name that is a value": raw([["state", BV, 0, None]], [3], [0, 0], [0]),
}


def with_packed(text: str, value: Any) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(certificate(text))
    content["certificate"]["invariants"][0]["packed"] = value
    return content


@pytest.mark.parametrize("packed", GARBAGE.values(), ids=GARBAGE.keys())
def test_formulas_that_are_none(packed: str) -> None:
    with pytest.raises(NotACertificate):
        check_formulas(read_certificate(json.dumps(with_packed(INDUCTIVE, packed)).encode()).certificate)


def test_formulas_that_are_none_end_the_command_with_a_message(tmp_path: Path) -> None:
    done = check(*placed(tmp_path, INDUCTIVE, with_packed(INDUCTIVE, GARBAGE["ill-sorted"])))
    assert done.returncode == 3 and "invariant at" in done.stderr and "cannot be read" in done.stderr and done.stdout == ""


N = terms.state("n", bitvec(32))


@pytest.mark.parametrize(
    ("formulas", "why"),
    [
        ([N], "is not a formula"),
        ([terms.equal(terms.state("other", bitvec(32)), N)], "speaks of other"),
        ([terms.equal(terms.state("n", bitvec(8)), terms.constant(bitvec(8), 0))], "speaks of n"),
        ([terms.equal(terms.input_symbol("n", bitvec(32)), N)], "speaks of n"),
        ([], "not excluded"),
        ([terms.FALSE], "is not preserved by the block from the entry"),
        ([terms.equal(N, terms.constant(bitvec(32), 0))], "is not preserved"),
    ],
    ids=["number", "unknown variable", "other sort", "input", "nothing", "false", "too strong"],
)
def test_invariants_that_prove_nothing(tmp_path: Path, formulas: list[terms.Term], why: str) -> None:
    content = with_packed(INDUCTIVE, base64.b64encode(pack(formulas)).decode())
    done = check(*placed(tmp_path, INDUCTIVE, content))
    assert done.returncode == 2 and done.stdout.startswith("rejected  ") and why in done.stdout, done.stdout + done.stderr


def certificate_fields(**fields: Any) -> dict[str, Any]:
    content = json.loads(certificate(INDUCTIVE))
    return {**content, "certificate": {**content["certificate"], **fields}}


def k_inductive(k: int) -> dict[str, Any]:
    content = certificate_fields(type="k-inductive", k=k)
    del content["certificate"]["is_forgetful"]
    return content


def located(location: Any) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(certificate(INDUCTIVE))
    content["certificate"]["invariants"][0]["location"] = location
    return content


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", 3),
        (b"\xff\xfe\x00", 3),
        (b"[" * 100_000, 3),
        (b"null", 3),
        (b"{}", 3),
        (b'{"format": "drystone certificate"}', 3),
        (b'{"format": "drystone certificate", "version": 2}', 3),
        (changed(INDUCTIVE, format="witness"), 3),
        (changed(INDUCTIVE, version=1), 3),
        (changed(INDUCTIVE, version=3), 3),
        (changed(INDUCTIVE, version="1"), 3),
        (changed(INDUCTIVE, certificate={"type": "magic"}), 3),
        (changed(INDUCTIVE, certificate={"type": "nothing"}), 2),
        (changed(INDUCTIVE, certificate={"type": "bounded", "steps": 5, "recursion": 2, "found_by": "me"}), 2),
        (changed(INDUCTIVE, certificate={"type": "bounded", "steps": -5, "recursion": 2, "found_by": "me"}), 2),
        (changed(INDUCTIVE, claim={}), 3),
        (changed(INDUCTIVE, more=1), 3),
        (certificate_fields(recursion=0), 2),
        (certificate_fields(recursion=-(10**30)), 2),
        (k_inductive(0), 2),
        (k_inductive(-1), 2),
        (certificate_fields(invariants=[]), 2),
        (certificate_fields(invariants={}), 3),
        (located(-1), 2),
        (located(10**6), 2),
        (located(10**30), 2),
        (located("6"), 3),
    ],
    ids=lambda value: "" if not isinstance(value, int) else str(value),
)
def test_files_that_are_no_certificates(tmp_path: Path, content: Any, code: int, capfd: pytest.CaptureFixture[str]) -> None:
    written, file = placed(tmp_path, INDUCTIVE, content)
    assert main(["check", str(written), str(file), "--timeout", "20s", *UNCHECKED]) == code
    said = capfd.readouterr()
    assert "Traceback" not in said.err and "internal error" not in said.err
    assert str(written) in said.err if code == 3 else said.out.startswith(("rejected", "undecided"))


def damaged(choose: random.Random, text: str) -> bytes:
    """The file with something wrong: bytes, the tree of values, or the packed formulas."""
    content = text.encode()
    match choose.choice((0, 1, 2, 2, 3, 4, 4, 4)):
        case 0:
            data = bytearray(content)
            for _ in range(choose.choice((1, 1, 3))):
                data[choose.randrange(len(data))] = choose.randrange(256)
            return bytes(data)
        case 1:
            return content[: choose.randrange(len(content))]
        case 2:
            tree = json.loads(text)
            _damage_tree(choose, tree)
            return json.dumps(tree).encode()
        case 3:
            tree = json.loads(text)
            for invariant in tree["certificate"].get("invariants", ()):
                data = bytearray(base64.b64decode(invariant["packed"]))
                for _ in range(choose.choice((1, 1, 2, 4))):
                    data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
                invariant["packed"] = base64.b64encode(data).decode()
            return json.dumps(tree).encode()
        case _:
            tree = json.loads(text)
            certificate = tree["certificate"]
            number = choose.choice([key for key, value in certificate.items() if isinstance(value, int)])
            if certificate.get("invariants") and choose.random() < 0.8:
                _damage_terms(choose, choose.choice(certificate["invariants"]))
            else:
                certificate[number] += choose.choice((-1, 1, 2))
            return json.dumps(tree).encode()


def _damage_terms(choose: random.Random, invariant: dict[str, Any]) -> None:
    """Another number, operator or order in the packed formulas, or another place for them: mostly formulas still."""
    shapes, payloads, code, roots = msgspec.msgpack.decode(base64.b64decode(invariant["packed"])[1:])
    match choose.randrange(5):
        case 0:
            numbers = [index for index, value in enumerate(payloads) if isinstance(value, int)] or [0]
            payloads[choose.choice(numbers)] = choose.choice([0, 1, 2, 3, 4, 7, 255, 2**31, 2**32 - 1])
        case 1:
            code[choose.randrange(len(code))] += choose.choice((-1, 1))
        case 2:
            operators = "bvadd bvsub bvmul bvand bvor bvult bvule bvslt bvsle = and or not".split()
            shapes[choose.randrange(len(shapes))][0] = choose.choice(operators)
        case 3:
            del roots[choose.randrange(len(roots))]
        case _:
            invariant["location"] += choose.choice((-2, -1, 1, 2))
    invariant["packed"] = base64.b64encode(b"\0" + msgspec.msgpack.encode([shapes, payloads, code, roots])).decode()


def _damage_tree(choose: random.Random, tree: Any) -> None:
    """A value somewhere below goes, or becomes another."""
    while True:
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        if not keys:
            return
        key = choose.choice(keys)
        if isinstance(tree[key], (dict, list)) and tree[key] and choose.random() < 0.8:
            tree = tree[key]
            continue
        if choose.random() < 0.3:
            del tree[key]
        else:
            tree[key] = choose.choice(
                [None, True, -1, 0, 1, 3, 2**70, 1.5, "", "x", "\0", "ILP32", [], {}, [1], {"type": "nothing"}]
            )
        return


@pytest.mark.parametrize("kind", ["inductive", "bounded", "k-inductive"])
def test_damaged_files(tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    """For a program with an error no file is accepted: what damage makes of a certificate cannot be valid by chance."""
    text, options, wrong = {
        "inductive": (INDUCTIVE, (), INDUCTIVE.replace("n += 2", "n += 3")),
        "bounded": (BOUNDED, ("--engine", "bmc"), BOUNDED.replace("a > 7", "a > 6")),
        "k-inductive": (TWO_STEPS, ("--engine", "k-induction", "--candidates", "none"), TWO_STEPS.replace("y = x", "y = x + y")),
    }[kind]
    original = certificate(text, *options)
    codes = []
    for number in range(700 if FULL else 70):
        choose = random.Random(f"{kind} {number}")
        program = text if number % 2 else wrong
        written, file = placed(tmp_path, program, damaged(choose, pretending(original, program)))
        code = main(["check", str(written), str(file), "--timeout", "5s", "--memory", "1GB", *UNCHECKED])
        said = capfd.readouterr()
        allowed = (0, 2, 3) if program is text else (2, 3)
        assert code in allowed, f"{number}: exit code {code}\n{said.out}{said.err}"
        assert "Traceback" not in said.err and "internal error" not in said.err, said.err
        assert said.out.startswith("valid") == (code == 0)
        codes.append(code)
    assert {2, 3} <= set(codes)


# Claims: what the program is, the command line says


ASSERTED = """#include <assert.h>
int main(void) { int x = 3; assert(x == 4); return 0; }
"""
CORRECT = ASSERTED.replace("== 4", "== 3")
NOTHING = {"type": "nothing"}


def forged(folder: Path, **claim: Any) -> tuple[Path, Path]:
    """`nothing` for a program that fails, with the texts of the program and this claim."""
    content = json.loads(pretending(certificate(CORRECT, "--engine", "bmc"), ASSERTED))
    return placed(folder, ASSERTED, {**content, "certificate": NOTHING, "claim": {**content["claim"], **claim}})


FIELDS: dict[str, list[Any]] = {
    "data_model": ["ILP32", "LP128", "", None, 64, ["LP64"]],
    "entry": ["other", "", None, 1, "main "],
    "error_function": ["nobody", "__assert_fail", "", 0, ["x"]],
    "std": ["c99", "gnu17", "", None, 11, "gnu11 -DNDEBUG"],
    "defines": [["NDEBUG"], ["assert(x)=0"], "NDEBUG", None, {}, [1]],
    "undefines": [["NDEBUG"], ["assert"], "NDEBUG", None, {}, [1]],
    "include_files": [["inc/assert.h"], "inc/assert.h", None, {}, [None]],
    "system_directories": [["inc"], "inc", None, {}, [None]],
    "unwind": [1, 0, -1, "1", [1], True],
    "include_directories": [["inc"], ["."], "inc", None, {}, [None]],
    "compile_commands": ["compile_commands.json", "", 1, ["compile_commands.json"], {}],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in FIELDS.items() for value in values])
def test_a_claim_chooses_nothing(field: str, value: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """An empty assert.h, NDEBUG in a compile command or another entry: none of it is read unless the command line says so."""
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "assert.h").write_text("#define assert(x) ((void)0)\n")
    folder = str(tmp_path)
    command = {"directory": folder, "file": "p.c", "command": "cc -DNDEBUG -c p.c"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([command]))
    if isinstance(value, list) and value in (["inc"], ["."]):
        value = [str(tmp_path / name) for name in value]
    elif value == "compile_commands.json":
        value = str(tmp_path / value)
    written, file = forged(tmp_path, **{field: value})
    code = main(["check", str(written), str(file), "--timeout", "20s", *UNCHECKED])
    said = capfd.readouterr()
    assert code in (2, 3) and not said.out.startswith("valid") and "Traceback" not in said.err, said
    if code == 3:
        assert str(written) in said.err


@pytest.mark.parametrize("words", [("--std", "c99"), ("-D", "NDEBUG"), ("--entry", "f")])
def test_what_the_command_line_says_is_what_must_be_claimed(words: tuple[str, str], tmp_path: Path) -> None:
    text = CORRECT + "int f(void) { return 0; }\n"
    written, file = placed(tmp_path, text, certificate(text, "--engine", "bmc"))
    done = check(written, file, *words)
    assert done.returncode == 3 and "to check what it claims, " in done.stderr


def test_all_fields_are_claimed(tmp_path: Path) -> None:
    """Without one of them, or with another one, a file is no certificate."""
    content = json.loads(certificate(CORRECT, "--engine", "bmc"))
    assert set(content["claim"]) == {field.name for field in msgspec.structs.fields(FrontendOptions)}
    for field in content["claim"]:
        less = {key: value for key, value in content["claim"].items() if key != field}
        with pytest.raises(NotACertificate, match=field):
            read_certificate(json.dumps({**content, "claim": less}).encode())
    for place in ("claim", "certificate"):
        with pytest.raises(NotACertificate, match="unknown field"):
            read_certificate(json.dumps({**content, place: {**content[place], "extra": 1}}).encode())
    with pytest.raises(NotACertificate, match="unknown field"):
        read_certificate(json.dumps({**content, "sources": [{**content["sources"][0], "extra": 1}]}).encode())
    with pytest.raises(NotACertificate, match="reads version 2"):
        read_certificate(json.dumps({**content, "version": 1}).encode())


HEADER = "#define LIMIT 3\n"
INCLUDING = '#include <assert.h>\n#include "limit.h"\nint main(void) { int x = 3; assert(x == LIMIT); return 0; }\n'


def with_header(folder: Path, *words: str | Path) -> tuple[Path, Path, Path]:
    """A certificate, its program, and the header that lies in another folder."""
    (folder / "inc").mkdir()
    file, header, written = folder / "p.c", folder / "inc" / "limit.h", folder / "p.json"
    file.write_text(INCLUDING)
    header.write_text(HEADER)
    done = verify(file, "--certificate", written, *(words or ("-I", header.parent)))
    assert done.returncode == 0, done.stderr
    return written, file, header


def test_what_was_included_is_compared(tmp_path: Path) -> None:
    written, file, header = with_header(tmp_path)
    done = check(written, file)
    assert done.returncode == 3 and f"add -I {header.parent}" in done.stderr
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "limit.h").write_text(HEADER)
    done = check(written, file, "-I", elsewhere)  # the same text
    assert done.returncode == 0 and f"-I {elsewhere}" in done.stdout, done.stdout
    header.write_text(HEADER + "#define OTHER\n")
    done = check(written, file, "-I", header.parent)
    assert done.returncode == 2 and "limit.h, which" in done.stdout and "is not the text" in done.stdout, done.stdout
    (elsewhere / "assert.h").write_text("#define assert(x) ((void)0)\n")
    done = check(written, file, "-I", elsewhere)
    assert done.returncode == 2 and "assert.h, which" in done.stdout, done.stdout


def test_other_compile_commands_are_seen(tmp_path: Path) -> None:
    database = tmp_path / "compile_commands.json"
    entry = {"directory": str(tmp_path), "file": "p.c", "command": "cc -Iinc -DX=1 -c p.c"}
    database.write_text(json.dumps([entry]))
    written, file, _ = with_header(tmp_path, "--compile-commands", database)
    assert check(written, file, "--compile-commands", database).returncode == 0
    assert check(written, file).returncode == 3
    assert check(written, file, "-I", tmp_path / "inc").returncode == 3
    database.write_text(json.dumps([{**entry, "command": "cc -Iinc -DX=2 -c p.c"}]))
    done = check(written, file, "--compile-commands", database)
    assert done.returncode == 2 and "was compiled with -DX=1, not with -DX=2" in done.stdout, done.stdout


@pytest.mark.parametrize("variable", ["CPATH", "C_INCLUDE_PATH"])
def test_the_environment_chooses_no_header(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "assert.h").write_text("#define assert(x) ((void)0)\n")
    (tmp_path / "p.c").write_text(ASSERTED)
    monkeypatch.setenv(variable, str(tmp_path / "inc"))
    assert verify(tmp_path / "p.c").returncode == 1
    written, file = forged(tmp_path)
    assert check(written, file).returncode == 2


@pytest.mark.parametrize("number", range(7))
def test_other_sources(number: int, tmp_path: Path) -> None:
    """The texts that a certificate names are all compared, in their order."""
    content = json.loads(certificate(CORRECT, "--engine", "bmc"))
    (source,) = content["sources"]
    texts = source["texts"]
    wrong = [
        [],
        [source, source],
        [{**source, "texts": []}],
        [{**source, "texts": [*texts[:-1], {**texts[-1], "sha256": "0" * 64}]}],
        [{**source, "texts": [*texts, {"file": "more.h", "sha256": "0" * 64}]}],
        [{**source, "texts": [texts[0], *reversed(texts[1:])]}],
        [{**source, "options": ["-DNDEBUG"]}],
    ][number]
    done = check(*placed(tmp_path, CORRECT, {**content, "sources": wrong}))
    assert done.returncode == 2 and done.stdout.startswith("rejected  "), done.stdout + done.stderr


def test_what_is_assumed_is_shown(tmp_path: Path) -> None:
    text = "#include <assert.h>\nextern int x; int f(void); int main(void) { int y = f(); assert(x + y == y + x); return 0; }\n"
    written, file = placed(tmp_path, text, certificate(text, "--engine", "bmc"))
    done = check(written, file)
    assert done.returncode == 0 and "assumes external object: x" in done.stdout and "assumes external function: f" in done.stdout
    report = json.loads(check(written, file, "--json", "-").stdout)
    assert {each["kind"] for each in report["assumptions"]} >= {"external object", "external function"}
    assert report["options"] == json.loads(written.read_text())["claim"]


LOOPING = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int g; int down(int n) { if (n == 7) g = 1; return n <= 0 ? 0 : down(n - 1) + down(n - 2); }
int main(void) {
  int a[4] = {0}, n = 0;
  while (__VERIFIER_nondet_int() && n < 20) n++;
  a[n & 3] = n;
  down(n);
  if (a[3] == 11 && g) reach_error();
  return 0;
}
"""
_SOLVED = {"recursion": 3, "found_by": "z3"}
_PROOFS: list[dict[str, Any]] = [
    *({"type": "bounded", "steps": steps, **_SOLVED} for steps in (0, 1, 2, 5, -1)),
    *({"type": "inductive", "invariants": [], "is_forgetful": forgets, **_SOLVED} for forgets in (False, True)),
    *({"type": "k-inductive", "k": k, "invariants": [], **_SOLVED} for k in (1, 2, 4)),
]
_FALSE = base64.b64encode(pack([terms.FALSE])).decode()
_NO_TERMS = base64.b64encode(pack([])).decode()
_CONTRACTS: list[list[dict[str, Any]]] = [
    [],
    [{"procedure": "down", "requires": [], "ensures": [], "packed_requires": _NO_TERMS, "packed_ensures": _NO_TERMS}],
    [{"procedure": "down", "requires": [], "ensures": [], "packed_requires": _NO_TERMS, "packed_ensures": _FALSE}],
    [{"procedure": "down", "requires": [], "ensures": [], "packed_requires": _FALSE, "packed_ensures": _FALSE}],
    [{"procedure": "main", "requires": [], "ensures": [], "packed_requires": _NO_TERMS, "packed_ensures": _FALSE}],
]
FORGED: list[dict[str, Any]] = [
    NOTHING,
    *({"type": "execution", "steps": steps} for steps in (-1, 0, 1, 1000, 10**9)),
    *_PROOFS,
    *({"type": "contracts", "contracts": contracts, "proof": proof} for contracts in _CONTRACTS for proof in _PROOFS[2:9:3]),
]


def test_no_kind_proves_what_is_wrong(tmp_path: Path) -> None:
    for program in (ASSERTED, LOOPING):
        (tmp_path / "p.c").write_text(program)
        loaded = load([str(tmp_path / "p.c")], FrontendOptions()).program
        for content in FORGED:
            checked = check_program(loaded, msgspec.convert(content, Certificate), Deadline.after(2))
            assert not checked.valid, content
