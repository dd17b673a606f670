"""Recordings of trees: they are repeated to the letter, damage and change are noticed, and they tell who did what."""

from __future__ import annotations

import io
import json
from pathlib import Path

import msgspec
import pytest

from drystone.base.deadline import Deadline
from drystone.cli.main import main
from drystone.engines.outcome import unobserved
from drystone.engines.recordings import OF_TREES, Ended, NotARecording, RecordedProgram, chunk, first_line
from drystone.engines.tree import engine, recording
from drystone.engines.tree.hosted import Inline, Spec, name
from drystone.engines.tree.master import NAIVE
from drystone.engines.tree.options import Options
from drystone.engines.tree.post import PostOptions
from drystone.engines.tree.recording import Answered, Begun, Frame, Given, Header, Joined, Recorder, Refined, Selected, read
from drystone.engines.tree.repetition import Differs, Over, Repetition
from drystone.engines.tree.retelling import retold
from drystone.engines.tree.setting import Setting
from drystone.engines.tree.simulation import Costs, iterations, respond, spent
from drystone.engines.tree.states import State, pack_state, unpack_state
from drystone.ir.automaton import Program
from drystone.pipeline import PreparedProgram
from drystone.runtime.workers import WorkerProcesses
from tests.engines.test_predicate import HEAD
from tests.engines.tree.test_workers import FLAGS, OPTIONS, Disturbed, program_of
from tests.running import UNCHECKED


def recorded(program: Program, workers: int = 1, kills: float = 0.0, options: Options = OPTIONS) -> bytes:
    stream = io.BytesIO()
    recorder = Recorder(RecordedProgram([], {}), stream.write)
    hosts = (lambda count: Inline()) if workers == 1 else (lambda count: Disturbed(count, 3, kills))
    result = engine.check(PreparedProgram(program), options, Deadline.after(100), unobserved, Setting(workers, hosts, recorder))
    recorder.end(result.verdict.value, result.reason)
    return stream.getvalue()


def frames_of(data: bytes) -> list[Frame]:
    return list(read(io.BytesIO(data)))


def repeated(program: Program, frames: list[Frame]) -> Repetition:
    header = frames[0]
    assert isinstance(header, Header)
    repetition = Repetition(frames[1:])
    setting = Setting(header.hosts, repetition.hosts, repetition)
    engine.check(PreparedProgram(program), header.options, Deadline(), unobserved, setting)
    return repetition


@pytest.mark.parametrize(("workers", "kills"), [(1, 0.0), (3, 0.05)])
def test_a_recording_is_repeated(tmp_path: Path, workers: int, kills: float) -> None:
    program = program_of(tmp_path, FLAGS)
    frames = frames_of(recorded(program, workers, kills))
    assert any(isinstance(frame, recording.Lost) for frame in frames) == (kills > 0)
    repetition = repeated(program, frames)
    assert repetition.iterations == sum(isinstance(frame, Selected) for frame in frames) > 5
    assert repetition.calls == sum(isinstance(frame, Answered) for frame in frames)


def test_a_run_that_found_an_error_is_repeated_up_to_it(tmp_path: Path) -> None:
    program = program_of(tmp_path, "int main(void) { int n = 0; while (n < 9) { n++; if (n == 3) reach_error(); } return 0; }")
    with pytest.raises(Over):
        repeated(program, frames_of(recorded(program)))


def test_another_program_answers_differently(tmp_path: Path) -> None:
    frames = frames_of(recorded(program_of(tmp_path, FLAGS)))
    with pytest.raises(Differs, match="differs"):
        repeated(program_of(tmp_path, FLAGS.replace("n < 3", "n < 4")), frames)


def test_what_was_changed_is_noticed(tmp_path: Path) -> None:
    program = program_of(tmp_path, FLAGS)
    frames = frames_of(recorded(program))
    place = next(place for place, frame in enumerate(frames) if isinstance(frame, Selected) and frame.transitions)
    selected = frames[place]
    assert isinstance(selected, Selected) and selected.transitions
    frames[place] = msgspec.structs.replace(selected, transitions=(*selected.transitions[:-1], 0))
    with pytest.raises(Differs, match=r"iteration 1.*the counterexample"):
        repeated(program, frames)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    data = recorded(program_of(tmp_path, FLAGS))
    line = first_line(OF_TREES, recording.VERSION)
    frames = frames_of(data)
    given = next(place for place, frame in enumerate(frames) if isinstance(frame, Given))
    orders: list[list[Frame]] = [frames[:-1], frames[1:], [frames[0], *frames], frames[:given] + frames[given + 1 :]]
    orders += [[*frames, Ended("TRUE", "")], [*frames[:3], Joined(0.0, 7), *frames[3:]]]
    for order in orders:
        with pytest.raises(NotARecording):
            frames_of(line + chunk(order))
    for place in (0, 5, len(line) + 9, len(data) - 1):
        with pytest.raises(NotARecording):
            frames_of(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])


def test_it_is_told_who_did_what(tmp_path: Path) -> None:
    frames = frames_of(recorded(program_of(tmp_path, FLAGS), 3))
    told = list(retold(frames))
    selected = [frame for frame in frames if isinstance(frame, Selected)]
    assert [each.selected for each in told] == selected
    for each in told:
        assert each.selected is not None
        sizes = [each.depths[depth].states for depth in range(len(each.selected.sizes))]
        assert sizes == list(each.selected.sizes)
        if each.selected.transitions is not None:
            assert each.candidates[-1].depth == len(each.selected.transitions)
    assert sum(frame.number > 0 for frame in frames if isinstance(frame, Given)) > 0
    assert {worker for each in told for depth in each.depths.values() for worker in depth.expanded} == {0, 1, 2}


def test_responses_of_more_workers(tmp_path: Path) -> None:
    """The simulated run grows the recorded trees, whatever the number of workers; none of them is faster than the span."""
    frames = frames_of(recorded(program_of(tmp_path, FLAGS)))
    header = frames[0]
    assert isinstance(header, Header) and isinstance(frames[1], Begun)
    (search,) = iterations(frames)
    alone = respond(search, header.options, 1, Costs())
    work = sum(each.seconds for each in frames if isinstance(each, Answered))
    refining = sum(each.seconds for each in frames if isinstance(each, Refined))
    assert alone.seconds == pytest.approx(work + refining) and alone.busy == pytest.approx(work)
    before = alone.seconds
    for workers in (2, 4, 64):
        response = respond(search, header.options, workers, Costs())
        assert alone.seconds / workers - 1e-9 <= response.seconds <= before * 1.05
        before = response.seconds
    slow = respond(search, header.options, 4, Costs(latency=1.0, handling=0.1))
    assert slow.seconds > 0.1 * sum(sum(each.sizes) for each in frames if isinstance(each, Selected))
    processor = spent(frames, is_here=True)
    assert processor.latency == 0.0 < processor.master and 0.0 < processor.share() < 1.0
    assert processor.working <= work and processor.calls == sum(isinstance(each, Answered) for each in frames)


def test_states_of_many_predicates_are_messages() -> None:
    """Numbers of messages have 64 bits."""
    for state in (State(3), State(3, (1 << 90, 5), False), State(4, ((1 << 200) - 1, 0, 1 << 64), True)):
        packed = msgspec.msgpack.encode(pack_state(state))
        assert unpack_state(msgspec.msgpack.decode(packed, type=type(pack_state(state)))) == state


def test_naive_selection_does_not_lose_workers(tmp_path: Path) -> None:
    """Work that was not yet sent when an iteration ended is recalled, and its worker gets other work."""
    frames = frames_of(recorded(program_of(tmp_path, FLAGS), 3, options=msgspec.structs.replace(OPTIONS, selection=NAIVE)))
    told = list(retold(frames))
    assert {worker for depth in told[-1].depths.values() for worker in depth.expanded} == {0, 1, 2}


def test_hosts_of_a_search_before_are_used_again() -> None:
    spec = Spec(0, (), (), PostOptions())
    hosts = WorkerProcesses(2)
    try:
        for _ in range(2):
            hosts.load({name(0): spec}, {name(0): 0})
            hosts.join(name(1), spec, 1)
        assert len(hosts.processes) == 2
        first = hosts.processes
        hosts.load({name(0): spec}, {name(0): 0})
        hosts.join(name(1), spec, 1)
        assert hosts.processes == first
    finally:
        hosts.close()


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, file = tmp_path / "flags.c", tmp_path / "flags.tree"
    program.write_text(HEAD + FLAGS)
    assert (
        main(["verify", str(program), "--engine", "tree", "--encoding", "single", "--record", str(file), "--quiet", *UNCHECKED])
        == 0
    )
    capsys.readouterr()
    assert main(["repeat", str(file)]) == 0
    assert "all as recorded" in capsys.readouterr().out
    assert main(["trace", str(file), "--latency", "measured"]) == 0
    shown = capsys.readouterr().out
    assert "by workers" in shown and "selected" in shown and "waited" in shown and "256" in shown
    assert main(["trace", str(file), "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "TRUE" and len(told["iterations"]) > 3 and told["responses"][0]["workers"] == 1
