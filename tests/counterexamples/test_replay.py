"""Counterexamples: replayed, tidied, told."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.inputs import ListedInputs, RecordedInputs, SeededInputs
from drystone.concrete.interpreter import Interpreter
from drystone.counterexamples import telling
from drystone.counterexamples.replay import NotReplayed, Replayed, replay, tidied
from drystone.counterexamples.telling import tell
from drystone.counterexamples.values import value_text
from drystone.engines import execute
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge, Mark, MarkKind, Program
from drystone.ir.expressions import Input
from drystone.logic.sorts import BOOL, FLOAT64, bitvec
from drystone.passes.inline import inline
from tests.places import EXAMPLES, PROGRAMS


def loaded(file: Path) -> Program:
    return load([str(file)], FrontendOptions()).program


def found(program: Program, seed: int = 0) -> EngineResult:
    result = execute.check(program, execute.Options(seed=seed), Deadline.after(10), unobserved)
    assert result.verdict is Verdict.FALSE and result.error is not None
    return result


def replayed(program: Program, seed: int = 0) -> Replayed:
    result = found(program, seed)
    assert result.error is not None
    return replay(program, result.error, result.inputs)


def test_the_same_seed_finds_the_same() -> None:
    program = loaded(EXAMPLES / "stack.c")
    assert found(program, 5).inputs == found(program, 5).inputs


def test_a_replay_that_ends_elsewhere_is_refused() -> None:
    program = loaded(EXAMPLES / "bank.c")
    result = found(program)
    assert result.error is not None
    with pytest.raises(NotReplayed, match="returned"):
        replay(program, result.error, ())


def test_a_replay_that_ends_at_another_error_is_refused() -> None:
    program = loaded(PROGRAMS / "two_errors.c")
    result = found(program)
    first, second = [each for each in result.errors if each.verdict is Verdict.FALSE]
    replay(program, second.error, second.inputs)
    with pytest.raises(NotReplayed):
        replay(program, first.error, second.inputs)


@pytest.mark.parametrize("file", sorted(PROGRAMS.glob("*.c")) + sorted(EXAMPLES.glob("*.c")), ids=lambda file: file.stem)
def test_the_trace_is_the_run(file: Path) -> None:
    """Step by step, the values at the end are those of the interpreter's run."""
    from drystone.counterexamples.steps import Execution

    program = loaded(file)
    for seed in range(5):
        outcome = Interpreter(program).run(SeededInputs(seed), max_steps=3_000, record_path=True)
        execution = Execution(program, SeededInputs(seed))
        moments = list(execution.moments(6_000))
        if outcome.kind == "limit":
            continue
        assert execution.kind == outcome.kind
        if outcome.kind == "unknown":
            continue  # the last choice of a thread has no step
        assert [entry for moment in moments for entry in moment.inputs] == list(outcome.inputs)[
            -sum(len(m.inputs) for m in moments) or len(outcome.inputs) :
        ]
        assert {
            name: int(value) for name, value in zip(program.variables, execution.machine.globals, strict=True)
        } == outcome.globals


def test_inputs_found_on_the_inlined_program_replay_on_the_original() -> None:
    program = loaded(EXAMPLES / "bank.c")
    outcome = Interpreter(inline(program)).run(ListedInputs([70, 60]))
    error = found(program).error
    assert error is not None and outcome.kind == "error"
    assert replay(program, error, outcome.inputs).outcome.kind == "error"


def test_the_values_of_the_failing_condition() -> None:
    example = tell(loaded(EXAMPLES / "stack.c"), replayed(loaded(EXAMPLES / "stack.c")))
    assert example.values["s.top"].startswith("-")
    assert example.steps[-1].source == "if (s.top < 0)"
    assert (example.line, example.function) == (25, "main")


def test_arrays_are_told_by_element() -> None:
    program = loaded(PROGRAMS / "assertion.c")
    example = tell(program, replayed(program))
    changed = {name for step in example.steps for name in step.changes}
    assert {"values[0]", "values[3]", "largest", "i"} <= changed


def test_contents_that_do_not_matter_become_zero() -> None:
    program = loaded(EXAMPLES / "stack.c")
    outcome = next(
        outcome
        for outcome in (Interpreter(program).run(SeededInputs(seed)) for seed in range(200))
        if outcome.kind == "error" and any(isinstance(entry.value, bytes) and any(entry.value) for entry in outcome.inputs)
    )
    error = found(program).error
    assert error is not None
    tidy = tidied(program, replay(program, error, outcome.inputs))
    assert not any(isinstance(entry.value, bytes) and any(entry.value) for entry in tidy.inputs)


def test_what_is_needed_stays() -> None:
    program = loaded(PROGRAMS / "uninitialised.c")
    tidy = tidied(program, replayed(program))
    assert [entry.value for entry in tidy.inputs] == [5]


def test_values_in_c_terms() -> None:
    int32 = bitvec(32)
    assert value_text(0xFFFFFFFF, int32, "int") == "-1"
    assert value_text(0xFFFFFFFF, int32, "unsigned int") == "4294967295"
    assert value_text(0xFFFFFFFF, int32, "uint32_t") == "4294967295"
    assert value_text(0xFFFFFFFF, int32, "int32_t") == "-1"
    assert value_text(0x10, bitvec(64), "struct s *") == "0x10"
    assert value_text(0, bitvec(64), "char *") == "NULL"
    assert value_text(1, BOOL) == "1"
    assert value_text(0x3FF8000000000000, FLOAT64, "double") == "1.5"


def test_inputs_have_the_values_of_their_types(tmp_path: Path) -> None:
    """Whatever the type of an input or its function is called."""
    path = tmp_path / "program.c"
    path.write_text("""extern void reach_error(void); typedef unsigned char byte; extern byte outside(void); extern signed char other(void);
extern byte *place(void); unsigned char table[2]; int main(void) { byte c = outside(); signed char d = other(); table[1] = c;
  if (table[1] != 246 || d != -10 || place()) return 0; reach_error(); return 0; }
""")
    program = loaded(path)
    by_name = {"outside": 246, "other": 246}

    class Given:
        def value(self, input: Input, edge: Edge) -> int:
            return by_name.get(input.what, 0)

        def block(self, size: int, what: str, edge: Edge) -> bytes:
            return bytes(size)

    outcome = Interpreter(program).run(Given(), max_steps=1_000)
    assert outcome.kind == "error"
    told = tell(program, replay(program, Mark(MarkKind.ERROR, outcome.what, outcome.origin), outcome.inputs))
    assert {each.name: each.value for each in told.inputs if each.name in by_name} == {"outside": "246", "other": "-10"}
    assert told.values["table[1]"] == "246"


def test_characters_of_string_literals_are_no_values(tmp_path: Path) -> None:
    """They have no name to be told by."""
    file = tmp_path / "literal.c"
    file.write_text(
        'extern void reach_error(void);\nconst char *s = "abc";\n'
        'int main(void) { const char *t = "de"; if (s[0] == 97 && t[1] == 101) reach_error(); }\n'
    )
    program = load([str(file)], FrontendOptions()).program
    outcome = Interpreter(program).run(ListedInputs(()))
    told = tell(program, replay(program, Mark(MarkKind.ERROR, outcome.what, outcome.origin), outcome.inputs))
    assert told.values == {"s": '"abc"', "t": '"de"'}


def test_a_long_execution_is_told_as_if_every_edge_was_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is skipped in the middle is not told anyway; where it would be, everything is looked at after all."""
    file = tmp_path / "long.c"
    file.write_text(
        "extern void reach_error(void);\nint a[2000];\nint twice(int n) {\n  return n + n;\n}\n"
        "int main(void) {\n  for (int i = 0; i < 2000; i++)\n    a[i] = twice(i);\n  if (a[7] == 14)\n    reach_error();\n"
        "  return 0;\n}\n"
    )
    program = loaded(file)
    run = replayed(program)
    monkeypatch.setattr(telling, "LAST_STEPS", 700)
    complete = tell(program, run)
    assert complete.omitted_steps > 1_000
    for first, last in ((5_000, 4_000), (3_000, 3_000), (10, 10)):
        monkeypatch.setattr(telling, "_DETAILED_FIRST", first)
        monkeypatch.setattr(telling, "_DETAILED_LAST", last)
        assert tell(program, run) == complete


def test_calls_do_not_move_the_part_that_is_looked_at(tmp_path: Path) -> None:
    """A return takes its time, but is no edge."""
    from drystone.counterexamples.steps import Execution

    file = tmp_path / "calls.c"
    file.write_text(
        "extern void reach_error(void);\nint twice(int n) { return n + n; }\n"
        "int main(void) { int s = 0; for (int i = 0; i < 2000; i++) s = twice(i); if (s) reach_error(); return 0; }\n"
    )
    program = loaded(file)
    run = replayed(program)
    moments = Execution(program, RecordedInputs(run.inputs)).moments(30_000, range(100, run.outcome.steps - 100))
    assert 200 <= sum(moment.detailed for moment in moments) <= 300


def test_the_last_steps_are_the_last_ones_of_a_long_run() -> None:
    program = loaded(PROGRAMS / "long_run.c")
    told = tell(program, replayed(program))
    assert [step.changes["count"] for step in told.steps if "count" in step.changes][-1] == "-32768"
    assert told.omitted_steps > 10_000
