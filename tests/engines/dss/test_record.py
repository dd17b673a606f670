"""A recorded run can be repeated, block by block; what is not a recording is refused."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from drystone.base.deadline import Deadline
from drystone.cli.main import main
from drystone.engines.dss import engine
from drystone.engines.dss.coordinator import inline
from drystone.engines.dss.engine import make_coordinator
from drystone.engines.dss.hosts import Inline
from drystone.engines.dss.messages import COORDINATOR, Again, Certain, Concrete, Failure, Kind, Message, Push
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.preparation import prepare_blocks
from drystone.engines.dss.records.journal import Journal
from drystone.engines.dss.records.recording import (
    Begun,
    Delivered,
    Frame,
    Header,
    Recorder,
    Sent,
    read,
)
from drystone.engines.dss.registry import SUMMARIES
from drystone.engines.dss.repetition import Difference, Repetition
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.recordings import Ended, NotARecording, RecordedProgram, chunk
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.pipeline import PreparedProgram
from tests.engines.dss.programs import CASES, PRELUDE, Case
from tests.places import ROOT
from tests.running import UNCHECKED

LOCKS = PRELUDE + (
    "int main() {\n int l = 0, n = 0;\n while (any()) {\n  int p = any();\n  if (p) { if (l) reach_error(); l = 1; }\n"
    "  n++;\n  if (p) { if (!l) reach_error(); l = 0; }\n }\n while (n < 10) { n++; if (l) reach_error(); }\n}\n"
)


def program_of(folder: Path, text: str) -> Program:
    path = folder / "program.c"
    path.write_text(text)
    return load([str(path)], FrontendOptions()).program


def recorded(program: Program, options: DssOptions) -> tuple[EngineResult, bytes]:
    stream = io.BytesIO()
    recorder = Recorder(RecordedProgram([], {}), stream.write)
    result = engine.check(PreparedProgram(program), options, Deadline.after(60.0), unobserved, Setting(recorder=recorder))
    recorder.end(result.verdict, result.reason)
    return result, stream.getvalue()


def frames_of(data: bytes) -> list[Frame]:
    return list(read(io.BytesIO(data)))


def repeated(program: Program, options: DssOptions, frames: Sequence[Frame]) -> tuple[Repetition, Difference | None]:
    repetition = Repetition(program, options)
    differences = (repetition.take(frame) for frame in frames)
    return repetition, next((each for each in differences if each is not None), None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("summaries", SUMMARIES)
def test_every_block_answers_as_recorded(case: Case, summaries: str, tmp_path: Path) -> None:
    program = program_of(tmp_path, PRELUDE + case.text)
    options = DssOptions(summaries=summaries, decomposition="default", candidates=(), query_seconds=60.0)
    result, data = recorded(program, options)
    frames = frames_of(data)
    assert frames[-1] == Ended(result.verdict, result.reason)
    repetition, difference = repeated(program, options, frames)
    assert difference is None
    messages = [frame.message for frame in frames if isinstance(frame, Sent)]
    told = [(each.receiver, messages[number]) for each in frames if isinstance(each, Delivered) for number in each.messages]
    assert repetition.count == len(told) and repetition.left_out == 0
    assert repetition.repeated == sum(receiver != COORDINATOR and not message.is_reminder for receiver, message in told)


class _SeveralHosts(Inline):
    count = 2


def test_blocks_that_become_eager_on_several_hosts_do_so_again(tmp_path: Path) -> None:
    """The first ones, in this process, are not."""
    text = PRELUDE + "int main() { int s = 0; for (int i = 0; i < 4; i++) s += 2; if (s != 8) reach_error(); }\n"
    program, stream = program_of(tmp_path, text), io.BytesIO()
    recorder = Recorder(RecordedProgram([], {}), stream.write)
    setting = Setting(workers=2, make_hosts=lambda workers: _SeveralHosts(), brief=1e-9, may_fork=False, recorder=recorder)
    options = DssOptions(candidates=(), query_seconds=60.0)
    result = engine.check(PreparedProgram(program), options, Deadline.after(60.0), unobserved, setting)
    recorder.end(result.verdict, result.reason)
    frames = frames_of(stream.getvalue())
    assert [frame.is_eager for frame in frames if isinstance(frame, Begun)][:2] == [False, True]
    assert repeated(program, options, frames)[1] is None


def test_every_message_is_written_once_and_delivered_to_its_receivers(tmp_path: Path) -> None:
    program = program_of(tmp_path, LOCKS)
    result, data = recorded(program, DssOptions(candidates=()))
    frames = frames_of(data)
    messages = [frame.message for frame in frames if isinstance(frame, Sent)]
    assert len({message.hash() for message in messages}) == len(messages)
    answered = [number for frame in frames if isinstance(frame, Delivered) for number in frame.answers]
    assert {messages[number].sender for number in answered}.isdisjoint({COORDINATOR})
    for frame in frames:
        if isinstance(frame, Delivered):
            assert all(messages[number].receiver in ("", frame.receiver) for number in frame.messages)
    assert result.details is not None
    to_blocks = [frame for frame in frames if isinstance(frame, Delivered) and frame.receiver != COORDINATOR]
    received = {block.id: block.received for block in result.details.blocks}
    assert sum(received.values()) == len(to_blocks)


def test_the_invariants_that_blocks_rely_on_are_recorded(tmp_path: Path) -> None:
    program = program_of(tmp_path, LOCKS)
    for summaries in SUMMARIES:
        options = DssOptions(summaries=summaries, candidates=())
        stream = io.BytesIO()
        recorder = Recorder(RecordedProgram([], {}), stream.write)
        journal = Journal(recorder)
        blocks = prepare_blocks(PreparedProgram(program), recursion_bound=2, max_edges=1_000, sliced=True, kind="loops")
        coordinator = make_coordinator(blocks, options, inline(unobserved, journal))
        journal.begin(options, 2)
        lock = next(each for each in blocks.system.live_variables(blocks.locations[0]) if each.payload == "l")
        coordinator.know({location: [terms.equal(lock, terms.constant(lock.sort, 0))] for location in blocks.locations})
        assert not coordinator.run(Deadline.after(60.0)).is_open
        recorder.end("TRUE", "")
        frames = frames_of(stream.getvalue())
        assert repeated(program, options, frames)[1] is None
        messages = [frame.message for frame in frames if isinstance(frame, Sent)]
        known = [number for number, message in enumerate(messages) if message.kind is Kind.INVARIANT]
        unknowing = without(frames, set(known))
        assert known and repeated(program, options, unknowing)[1] is not None


def test_blocks_that_conclude_anew_are_recorded(tmp_path: Path) -> None:
    program = program_of(tmp_path, LOCKS)
    options = DssOptions(summaries="predicates", candidates=())
    stream = io.BytesIO()
    recorder = Recorder(RecordedProgram([], {}), stream.write)
    journal = Journal(recorder)
    blocks = prepare_blocks(PreparedProgram(program), recursion_bound=2, max_edges=1_000, sliced=True, kind="loops")
    coordinator = make_coordinator(blocks, options, inline(unobserved, journal))
    journal.begin(options, 2)
    coordinator.run(Deadline.after(60.0))
    coordinator.run(Deadline.after(60.0))  # as if candidate invariants had been looked for in between
    recorder.end("TRUE", "")
    frames = frames_of(stream.getvalue())
    assert repeated(program, options, frames)[1] is None
    messages = [frame.message for frame in frames if isinstance(frame, Sent)]
    again = [number for number, message in enumerate(messages) if isinstance(message.content, Again)]
    assert again and repeated(program, options, without(frames, set(again)))[1] is not None


def without(frames: list[Frame], numbers: set[int]) -> list[Frame]:
    """As if these messages had not been delivered."""
    copy: list[Frame] = []
    for frame in frames:
        if isinstance(frame, Delivered):
            frame = Delivered(frame.receiver, [each for each in frame.messages if each not in numbers], frame.answers)
        copy.append(frame)
    return copy


def changed(frames: list[Frame], number: int, message: Message) -> list[Frame]:
    """The number-th message replaced."""
    found = -1
    copy = list(frames)
    for place, frame in enumerate(copy):
        if isinstance(frame, Sent):
            found += 1
            if found == number:
                copy[place] = Sent(message)
    return copy


def test_the_first_answer_that_differs_is_shown(tmp_path: Path) -> None:
    program = program_of(tmp_path, LOCKS)
    options = DssOptions(candidates=())
    frames = frames_of(recorded(program, options)[1])
    messages = [frame.message for frame in frames if isinstance(frame, Sent)]
    number = next(place for place, message in enumerate(messages) if message.kind is Kind.BLOCKPOSTCONDITION)
    other = msgspec.structs.replace(messages[number], level=messages[number].level + 7)
    _, difference = repeated(program, options, changed(frames, number, other))
    assert difference is not None and difference.block == messages[number].sender
    assert f"level {other.level}" in difference.expected and difference.fields == ("level",)
    assert f"level {messages[number].level}" in difference.got and "program.c:" in difference.where


def test_an_answer_that_is_missing_is_a_difference(tmp_path: Path) -> None:
    program = program_of(tmp_path, LOCKS)
    options = DssOptions(candidates=())
    frames = frames_of(recorded(program, options)[1])
    place = next(place for place, frame in enumerate(frames) if isinstance(frame, Delivered) and frame.answers)
    frames[place] = msgspec.structs.replace(frames[place], answers=[])
    _, difference = repeated(program, options, frames)
    assert difference is not None and difference.expected == "nothing" and difference.got != "nothing"


def test_another_program_answers_in_another_way(tmp_path: Path) -> None:
    options = DssOptions(candidates=())
    frames = frames_of(recorded(program_of(tmp_path, LOCKS), options)[1])
    _, difference = repeated(program_of(tmp_path, LOCKS.replace("int l = 0", "int l = 1")), options, frames)
    assert difference is not None


def test_a_block_that_gave_up_is_told_nothing_more(tmp_path: Path) -> None:
    program = program_of(tmp_path, LOCKS)
    options = DssOptions(candidates=())
    frames = frames_of(recorded(program, options)[1])
    gave_up = Message(kind=Kind.ERROR, sender="entry", receiver=COORDINATOR, content=Failure("out of time"))
    messages = sum(isinstance(frame, Sent) for frame in frames)
    place = next(place for place, frame in enumerate(frames) if isinstance(frame, Delivered) and frame.receiver == "entry")
    before = list(frames[:place])
    numbered = sum(isinstance(frame, Sent) for frame in before)
    assert numbered < messages
    answer = msgspec.structs.replace(frames[place], answers=[numbered])  # a number for the new message, others move up
    moved = [_moved(frame, numbered) for frame in frames[place + 1 :]]
    repetition, difference = repeated(program, options, [*before, Sent(gave_up), answer, *moved])
    assert difference is None and repetition.left_out > 0 and "entry" not in repetition.told


def _moved(frame: Frame, from_: int) -> Frame:
    if not isinstance(frame, Delivered):
        return frame
    messages, answers = ([each + (each >= from_) for each in numbers] for numbers in (frame.messages, frame.answers))
    return Delivered(frame.receiver, messages, answers)


# files


def damaged_at(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    data = recorded(program_of(tmp_path, LOCKS), DssOptions(candidates=()))[1]
    choose = random.Random(7)
    for place in [0, 5, 18, 19, 25, len(data) - 1, *(choose.randrange(len(data)) for _ in range(60))]:
        with pytest.raises(NotARecording):
            frames_of(damaged_at(data, place))
        with pytest.raises(NotARecording):
            frames_of(data[:place])


def test_parts_out_of_order_are_refused(tmp_path: Path) -> None:
    data = recorded(program_of(tmp_path, LOCKS), DssOptions(candidates=()))[1]
    first_line = data[: data.index(b"\n") + 1]
    header, *rest = frames_of(data)
    for frames in (
        [header, *rest[:-1]],  # no verdict
        rest,  # no header
        [header, header, *rest],
        [header, *rest, Begun(2)],
        [header, Begun(2), Delivered("entry", [0], []), rest[-1]],  # no such message
    ):
        with pytest.raises(NotARecording):
            frames_of(first_line + chunk(frames))
    with pytest.raises(NotARecording, match="version 99"):
        frames_of(b"drystone recording 99\n" + data[len(first_line) :])


def test_whatever_a_recording_says_there_is_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Well-formed files with nonsense in them: no crash, and nothing that differs is taken for the same."""
    file, out = tmp_path / "locks.c", tmp_path / "run.record"
    file.write_text(LOCKS)
    choose = random.Random(11)
    for summaries in SUMMARIES:
        assert (
            main(["verify", str(file), "--engine", "dss", "--summaries", summaries, "--record", str(out), "--quiet", *UNCHECKED])
            == 0
        )
        data = out.read_bytes()
        first_line, frames = data[: data.index(b"\n") + 1], frames_of(data)
        for _ in range(40):
            place = choose.choice([place for place, frame in enumerate(frames) if isinstance(frame, (Sent, Delivered))])
            mutant = mutated(frames[place], choose)
            out.write_bytes(first_line + chunk([*frames[:place], mutant, *frames[place + 1 :]]))
            code = main(["repeat", str(out), "--show"])
            assert code in (0, 2, 3), (mutant, capsys.readouterr().err)
            if isinstance(mutant, Sent) and mutant != frames[place] and mutant.message.sender != COORDINATOR:
                assert code != 0, mutant  # its sender would have said something else
        capsys.readouterr()


def mutated(frame: Frame, choose: random.Random) -> Frame:
    if isinstance(frame, Delivered):
        return msgspec.structs.replace(frame, receiver=choose.choice(["entry", "nobody", COORDINATOR]))
    assert isinstance(frame, Sent)
    changes: dict[str, object] = choose.choice(
        [
            {"location": choose.choice([-1, 0, 10**6])},
            {"level": choose.choice([-3, 10**6])},
            {"kind": choose.choice(list(Kind))},
            {"terms": choose.choice([b"", b"\0", b"\1x", b"nonsense", frame.message.terms[:-1]])},
            {"content": choose.choice([None, Concrete(0), Concrete(10**6), Push(), Certain()])},
            {"parent": "nothing"},
            {"epoch": choose.choice([-1, 10**6])},
            {"receiver": "nobody"},
        ]
    )
    return Sent(msgspec.structs.replace(frame.message, **changes))


# the command


def drystone(*arguments: str | Path, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "drystone", *map(str, arguments)]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT, env=environment)


@pytest.mark.parametrize("summaries", SUMMARIES)
def test_record_and_repeat_in_other_processes(summaries: str, tmp_path: Path) -> None:
    file, out = tmp_path / "locks.c", tmp_path / "run.record"
    file.write_text(LOCKS)
    done = drystone(
        "verify", file, "--engine", "dss", "--summaries", summaries, "--record", out, "--quiet", *UNCHECKED, hash_seed="1"
    )
    assert done.returncode == 0 and done.stdout == "TRUE\n", done.stderr
    again = drystone("repeat", out, hash_seed="2")
    assert again.returncode == 0, again.stdout + again.stderr
    first, verdict = again.stdout.splitlines()
    assert first.endswith("to 3 blocks, all answered as recorded") and verdict.startswith("verdict of the recorded run: TRUE")
    shown = drystone("repeat", out, file, "--show").stdout.splitlines()
    assert shown[0].split()[:5] == ["1", "START", "coordinator", "->", "entry"] and f"{file}:3" in shown[0]
    assert any("ERRORCONDITION " in line and "l != 0" in line and f"{file}:11" in line for line in shown)
    assert any("ERRORCONDITIONUNREACHABLE" in line and line.endswith("l == 0") for line in shown)
    file.write_text(LOCKS.replace("int l = 0", "int l = 1"))
    other = drystone("repeat", out)
    assert other.returncode == 2 and "has changed since the recording" in other.stdout, other.stdout
    assert "differently" in other.stdout
    assert "  expected " in other.stdout and "  got " in other.stdout


def test_wrong_uses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "locks.c", tmp_path / "run.record"
    file.write_text(LOCKS)

    def refused(*arguments: str | Path) -> str:
        assert main([str(each) for each in arguments]) == 3
        return capsys.readouterr().err

    assert "use --engine dss" in refused("verify", file, "--record", out)
    assert "there is no folder" in refused("verify", file, "--engine", "dss", "--record", tmp_path / "no" / "x")
    assert "no such file" in refused("repeat", out)
    assert "is not a recording" in refused("repeat", file)
    out.write_bytes(b"")
    assert "is not a recording" in refused("repeat", out)
    assert main(["verify", str(file), "--engine", "dss", "--record", str(out), "--quiet", *UNCHECKED]) == 0
    data = out.read_bytes()
    out.write_bytes(data[:-9])
    assert "is cut short" in refused("repeat", out)
    out.write_bytes(damaged_at(data, len(data) // 2))
    assert "is damaged" in refused("repeat", out)
    header, *frames = frames_of(data)
    assert isinstance(header, Header)
    for kind, message in (("foo", "there is no decomposition 'foo'"), ("import:/nope", "/nope: cannot be read")):
        other = msgspec.structs.replace(header, options=msgspec.structs.replace(header.options, decomposition=kind))
        out.write_bytes(data[: data.index(b"\n") + 1] + chunk([other, *frames]))
        assert message in refused("repeat", out)
    out.write_bytes(data)
    file.unlink()
    assert "no such file" in refused("repeat", out)


def test_the_options_of_predicates_reach_the_blocks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "locks.c", tmp_path / "run.record"
    file.write_text(LOCKS)
    verify = ["verify", str(file), "--engine", "dss", "--record", str(out), "--quiet"]
    chosen = ["--start", "bottom", "--max-cubes", "3", "--instantiation", "context-free"]
    assert main([*verify, "--summaries", "predicates", *chosen]) in (0, 2)
    (header,) = [frame for frame in frames_of(out.read_bytes()) if isinstance(frame, Header)]
    assert (header.options.start, header.options.max_cubes, header.options.instantiation) == ("bottom", 3, "context-free")
    capsys.readouterr()
    for option, value in zip(chosen[::2], chosen[1::2], strict=True):
        assert main([*verify, option, value]) == 3
        assert f"{option} is about postconditions over predicates" in capsys.readouterr().err


def test_a_run_that_is_cut_short_gets_its_verdict_from_the_parent(tmp_path: Path) -> None:
    program = program_of(tmp_path, LOCKS)
    stream = io.BytesIO()
    recorder = Recorder(RecordedProgram([], {}), stream.write)
    engine.check(
        PreparedProgram(program), DssOptions(candidates=()), Deadline.after(60.0), unobserved, Setting(recorder=recorder)
    )  # the last chunk is lost
    with pytest.raises(NotARecording, match="without a verdict"):
        frames_of(stream.getvalue())
    stream.write(chunk([Ended("UNKNOWN", "out of time")]))
    frames = frames_of(stream.getvalue())
    assert frames[-1] == Ended("UNKNOWN", "out of time")
    assert repeated(program, DssOptions(candidates=()), frames)[1] is None


def test_a_run_without_an_answer(tmp_path: Path) -> None:
    file, out = tmp_path / "hard.c", tmp_path / "run.record"
    file.write_text(PRELUDE + "int main() { unsigned x = 1; while (any()) x = x * x + any(); if (x * x == 7) reach_error(); }")
    done = drystone("verify", file, "--engine", "dss", "--timeout", "4s", "--record", out, "--quiet", *UNCHECKED)
    assert done.returncode in (0, 2), done.stderr
    again = drystone("repeat", out)
    assert again.returncode == 0 and again.stdout.splitlines()[-1].startswith(
        f"verdict of the recorded run: {done.stdout.strip()}"
    )


def test_nothing_to_record(tmp_path: Path) -> None:
    file, out = tmp_path / "nothing.c", tmp_path / "run.record"
    file.write_text("int main(void) { return 0; }\n")
    done = drystone("verify", file, "--engine", "dss", "--record", out, *UNCHECKED)
    assert done.returncode == 2 and "no recording is written" in done.stderr and not out.exists()
