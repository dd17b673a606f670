"""`--strategy FILE`: a line for each turn; what is wrong with the file is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.base.refusal import Refusal
from drystone.cli.main import main
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import strategy
from drystone.engines.question import Question, Settings
from drystone.engines.registry import AUTO, ENGINES
from drystone.engines.strategy import Turn, as_text
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from drystone.suite.identity import identity
from drystone.suite.programs import SuiteProgram
from drystone.verification.options import Options, reject_contradictions
from drystone.verification.strategy import OPTIONS, turns_in
from tests.inside import decided
from tests.places import EXAMPLES

SEVERAL = """# values first
value --maxenum 256     share 4
dss --decomposition=merge:3   # three blocks

dcpa --domain values,predicates --switches repeat,one-by-one   after 500ms share 0.5
k-induction --candidates none
dss --candidates all
dss without memory --seed 3 after 2min
"""
TURNS = [
    Turn("value", {"maxenum": 256}, share=4.0),
    Turn("dss", {"decomposition": "merge:3"}),
    Turn("dcpa", {"domain": "values,predicates", "switches": ("repeat", "one-by-one")}, share=0.5, after=0.5),
    Turn("k-induction", {"candidates": ()}),
    Turn("dss", {"candidates": None}),
    Turn("dss without memory", {"seed": 3}, after=120.0),
]
WRONG = {
    "foo": "no engine 'foo'; there are execute, bmc, ",
    "auto": "auto chooses engines itself",
    "bmc --domain values": "bmc has no --domain here, only --encoding, --seed",
    "bmc --encoding tiny": "--encoding tiny is not one of single, large, large+",
    "bmc --encoding": "--encoding needs a value",
    "bmc large": "'large' is not an option, nor `share N` or `after TIME`",
    "bmc share 0": "share 0 is not a number above 0",
    "bmc share nan": "share nan is not a number above 0",
    "bmc share": "share needs a value",
    "bmc share 1 share 2": "share is there twice",
    "bmc --seed 1 --seed 2": "--seed is there twice",
    "bmc --seed -1": "--seed takes a number, at least 0, not '-1'",
    "bmc after soon": "'soon' is not a time like 60s",
    "value --maxenum 0": "--maxenum takes a number, at least 1, not '0'",
    "value --maxenum many": "--maxenum takes a number, at least 1, not 'many'",
    "value 'x": "No closing quotation",
    "dss --max-cubes 3": "--max-cubes is about postconditions over predicates: use --summaries predicates",
    "dss --summaries foo": "--summaries: there is no 'foo'",
    "dss --decomposition merge:x": "--decomposition: merge:N takes a number",
    "dss --decomposition import:/no/such/file": "/no/such/file: no such file",
    "dss --candidates affine,astrology": "no source 'astrology'",
    "dcpa --domain foo": "--domain: there is no 'foo'",
    "dcpa --switches foo": "no switch 'foo'",
    "predicate --blk foo": "--blk foo is none of edge, every:N, loops, function",
    "predicate --abstraction explicit": "--abstraction explicit is one of --engine interleaving",
    "value": "value has a turn already, by line 1",
}


def test_a_line_is_a_turn(tmp_path: Path) -> None:
    file = tmp_path / "a.strategy"
    file.write_text(SEVERAL)
    assert turns_in(str(file)) == TURNS
    file.write_text(as_text(TURNS))
    assert turns_in(str(file)) == TURNS


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_said_with_its_line(line: str, tmp_path: Path) -> None:
    file = tmp_path / "a.strategy"
    file.write_text(f"value\n# others\n{line}\nbmc\n")
    with pytest.raises(Refusal) as refused:
        turns_in(str(file))
    assert str(refused.value).startswith(f"{file}:3: {WRONG[line]}")


def test_files_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "a.strategy"
    file.write_text("# nothing\n")
    with pytest.raises(Refusal, match="names no engine"):
        turns_in(str(file))
    file.write_bytes(b"bmc\n\xff")
    with pytest.raises(Refusal, match="is not text in UTF-8"):
        turns_in(str(file))
    with pytest.raises(Refusal, match="no such file"):
        turns_in(str(tmp_path / "other"))


def test_options_are_of_engines_and_of_verify() -> None:
    assert OPTIONS.keys() < ENGINES.keys() - {AUTO}
    for engine, names in OPTIONS.items():
        assert all(hasattr(Options(), name) and hasattr(Settings(), name) for name in names), engine


def test_other_engines_take_no_turns(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"--strategy .* use --engine auto"):
        reject_contradictions(Options(engine="bmc", strategy="a.strategy"))


def test_the_engines_of_the_file_are_asked_and_no_others(tmp_path: Path) -> None:
    file = tmp_path / "a.strategy"
    file.write_text("bmc --encoding large\nexplicit\n")
    found = decided(EXAMPLES / "sum.c", engine=AUTO, strategy=str(file), timeout=60)
    assert (found.verdict, found.engine) == ("TRUE", "bmc")
    assert any(line.startswith("bmc --encoding large: ") for line in found.explanation)
    assert not any(line.startswith(("execute", "dss", "value")) for line in found.explanation)
    file.write_text("explicit\ncontracts\n")
    found = decided(EXAMPLES / "sum.c", engine=AUTO, strategy=str(file), timeout=60)
    assert (found.verdict, found.engine) == ("UNKNOWN", AUTO) and found.reason


def test_one_engine_may_have_several_turns(tmp_path: Path) -> None:
    file = tmp_path / "a.strategy"
    file.write_text("dcpa --domain values --direction forward\ndcpa --decomposition linear after 100ms\nbmc after 1h\n")
    found = decided(EXAMPLES / "bank.c", engine=AUTO, strategy=str(file), timeout=60)
    assert (found.verdict, found.engine) == ("FALSE", "dcpa")
    told = [line.partition(":")[0] for line in found.explanation]
    assert told[:2] == ["dcpa --domain values --direction forward", "dcpa --decomposition linear"] and "bmc" not in told


def test_the_strategy_of_auto_is_shown_as_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = str(EXAMPLES / "lock.c")
    assert main(["info", program, "--strategy"]) == 0
    shown = capsys.readouterr().out
    prepared = PreparedProgram(load([program], FrontendOptions()).program)
    first, turns = strategy(Question(prepared, Settings(), Deadline(), unobserved))
    assert first.is_open and shown == f"# before, auto looks at some executions: they leave it open\n{as_text(turns)}"
    file = tmp_path / "a.strategy"
    file.write_text(shown)
    assert [turn.name for turn in turns_in(str(file))] == [turn.name for turn in turns]


def test_a_suite_verifies_again_when_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "a.strategy"
    program = SuiteProgram("lock", (str(EXAMPLES / "lock.c"),), Options(strategy=str(file)))
    file.write_text("bmc\n")
    before = identity(program)
    file.write_text("value\n")
    assert identity(program) != before
