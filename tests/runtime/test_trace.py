"""What a run did when: the task graph is that of the run, its schedules are right, and a file that is none is refused."""

from __future__ import annotations

import io
import json
import math
import random
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.cli.main import main
from drystone.engines.dss import engine
from drystone.engines.dss.coordinator import Means
from drystone.engines.dss.engine import make_coordinator
from drystone.engines.dss.hosts import Call, Hosts, Inline, Lost, Reply, Spec
from drystone.engines.dss.messages import COORDINATOR, Kind, Message
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.preparation import prepare_blocks
from drystone.engines.dss.records.journal import Journal
from drystone.engines.dss.records.tracing import FORMAT, VERSION, Begun, Called, Ended, Record, WritingTracer
from drystone.engines.dss.registry import SUMMARIES
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import EngineResult, unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.pipeline import PreparedProgram
from drystone.runtime import trace as traces
from drystone.runtime.processes import ProcessHosts
from drystone.runtime.trace import NotATrace, Section, TaskGraph, Trace, figures, total
from tests.engines.dss.programs import CASES, PRELUDE
from tests.running import UNCHECKED

THREE_LOOPS = next(case.text for case in CASES if case.name == "two obligations from two blocks")
NESTED = """int main() { int n = 0, m = 0; while (any()) { if (n < 3) n = n + 1; while (any()) { if (m < n) m = m + 1;
  if (n > 3) reach_error(); } if (m > 3) reach_error(); } }"""
HEAD = f"{FORMAT} {VERSION}\n".encode()


def written(records: Sequence[Record]) -> bytes:
    encoded = [msgspec.msgpack.encode(record) for record in records]
    return HEAD + b"".join(len(data).to_bytes(4, "big") + data for data in encoded)


def loaded(data: bytes) -> Trace:
    return traces.load(io.BytesIO(data))


# graphs made by hand


def section(*calls: tuple[str, float, Sequence[int], int], hosts: int = 1) -> Section:
    """Calls by block, seconds, causes and barrier; in one host after the other."""
    names = sorted({block for block, _, _, _ in calls})
    records: list[Record] = [Begun(0.0, hosts, [(name, 1, 1) for name in names])]
    now = 0.0
    for number, (block, seconds, causes, barrier) in enumerate(calls, 1):
        times = (now, now, now + seconds, now + seconds)
        records.append(Called(number, number % hosts, block, [6], list(causes), barrier, *times, 0.0, 0.0, number))
        now += seconds
    return loaded(written([*records, Ended(now, "TRUE", "")])).sections[0]


def speedups(made: Section, latency: float = 0.0) -> list[float]:
    return [each.speedup for each in figures(made, latency).speedups]


def test_a_chain_is_not_faster() -> None:
    chain = section(*((name, 1.0, [number] if number else [], 0) for number, name in enumerate("abcde")))
    assert speedups(chain) == pytest.approx([1.0] * 7)
    assert TaskGraph(chain).span() == (5.0, [0, 1, 2, 3, 4])


def test_independent_calls_are_as_fast_as_there_are_workers() -> None:
    made = section(*((f"b{number}", 1.0, [], 0) for number in range(64)))
    assert speedups(made) == pytest.approx([1, 2, 4, 8, 16, 32, 64])
    assert [each.pinned_speedup for each in figures(made).speedups] == pytest.approx([1, 2, 4, 8, 16, 32, 64])


def test_a_block_does_one_call_at_a_time() -> None:
    assert speedups(section(*(("a", 1.0, [], 0) for _ in range(8)))) == pytest.approx([1.0] * 7)


def test_a_diamond() -> None:
    diamond = section(("a", 1.0, [], 0), ("b", 2.0, [1], 0), ("c", 3.0, [1], 0), ("d", 1.0, [2, 3], 0))
    assert TaskGraph(diamond).span() == (5.0, [0, 2, 3])
    assert speedups(diamond) == pytest.approx([1.0] + [7 / 5] * 6)


def test_a_barrier_waits_for_all() -> None:
    calls: list[tuple[str, float, list[int], int]] = [(f"b{number}", float(number + 1), [], 0) for number in range(4)]
    made = section(*calls, ("c", 1.0, [], 4), ("d", 1.0, [], 4), ("e", 1.0, [], 0))
    assert TaskGraph(made).span() == (5.0, [3, 4])
    assert TaskGraph(made).makespan(64) == 5.0
    assert TaskGraph(made).makespan(1) == 13.0


def test_a_pinned_block_waits_for_its_host() -> None:
    made = section(("a", 1.0, [], 0), ("b", 1.0, [], 0), hosts=2)
    graph = TaskGraph(made)
    assert graph.makespan(2, placement=[1, 1]) == 2.0
    assert graph.makespan(2, placement=[0, 1]) == 1.0
    assert figures(made).speedups[1].pinned_speedup == pytest.approx(2.0)


def test_latency_is_paid_for_every_call_but_not_by_one_worker() -> None:
    chain = section(("a", 1.0, [], 0), ("b", 1.0, [1], 0))
    assert speedups(chain, latency=0.5) == pytest.approx([1.0] + [2 / 3] * 6)


def test_schedules_keep_to_the_graph() -> None:
    """Random graphs: never faster than the span or the share of the work, never more than both together (Graham's bound)."""
    chance = random.Random(0)
    for _ in range(60):
        calls = []
        for number in range(1, chance.randint(2, 40)):
            causes = sorted({chance.randint(1, number - 1) for _ in range(chance.randint(0, 3))}) if number > 1 else []
            barrier = chance.randint(0, number - 1) if chance.random() < 0.2 else 0
            calls.append((chance.choice("abcdefgh"), chance.random(), causes, barrier))
        made = section(*calls, hosts=2)
        graph = TaskGraph(made)
        work, (span, chain) = sum(made.seconds), graph.span()
        assert sum(made.seconds[call] for call in chain) == pytest.approx(span)
        assert graph.makespan(1) == pytest.approx(work)
        for workers in (2, 3, 8):
            seconds = graph.makespan(workers)
            assert max(span, work / workers) - 1e-9 <= seconds <= work / workers + span + 1e-9
            placement = [chance.randrange(workers) for _ in made.begun.blocks]
            assert max(span, work / workers) - 1e-9 <= graph.makespan(workers, placement=placement) <= work + 1e-9
        assert graph.makespan(1000) == pytest.approx(span)


def test_the_parts_of_the_time_are_the_time_of_the_hosts() -> None:
    blocks = [("a", 3, 5), ("b", 7, 2)]
    records: list[Record] = [
        Begun(1.0, 2, blocks),
        Called(2, 1, "b", [6], [], 0, 1.0, 1.5, 2.0, 2.25, 0.25, 0.125, 7),  # replies come in any order
        Called(1, 0, "a", [6], [], 0, 1.0, 1.0, 3.0, 3.0, 1.5, 0.25, 3),
        Called(3, 1, "b", [5], [1], 0, 3.0, 3.0, 4.0, 5.0, 0.5, 0.0, 9),
        Ended(6.0, "TRUE", "proved"),
    ]
    trace = loaded(written(records))
    part = figures(trace.sections[0])
    assert (part.work_s, part.wall_s, part.span_s, part.span_calls) == (3.5, 4.0, 3.0, 2)
    assert (part.solving_s, part.packing_s, part.python_s) == (2.25, 0.375, 0.875)
    assert (part.coordinator_s, part.waiting_s, part.latency_s) == (1.75, 2.75, 0.75)
    assert [(each.block, each.line, each.edges, each.calls, each.queries) for each in part.by_block] == [
        ("a", 3, 5, 1, 3),
        ("b", 7, 2, 2, 9),
    ]
    whole = total(trace, [part])
    assert (whole.wall_s, whole.waiting_s) == (5.0, 4.75)


def test_sections_come_one_after_the_other() -> None:
    one: list[Record] = [
        Begun(0.0, 1, [("a", 1, 1), ("b", 1, 1)]),
        Called(1, 0, "a", [6], [], 0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 5),
        Called(2, 0, "b", [6], [], 0, 1.0, 1.0, 2.0, 2.0, 0.0, 0.0, 5),
    ]
    two: list[Record] = [
        Begun(2.0, 1, [("a", 1, 1)]),
        Called(1, 0, "a", [6], [], 0, 2.0, 2.0, 4.0, 4.0, 0.0, 0.0, 5),
    ]
    trace = loaded(written([*one, *two, Ended(4.0, "TRUE", "")]))
    parts = [figures(each) for each in trace.sections]
    whole = total(trace, parts)
    assert (whole.calls, whole.work_s, whole.span_s) == (3, 4.0, 3.0)
    assert whole.speedups[1].speedup == pytest.approx(4 / 3)


# the graph of real runs


class Witness(WritingTracer):
    """Keeps all messages, so that it need not rely on where they are in memory."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        super().__init__(write, time.monotonic)
        self.made: dict[int, int] = {}  # messages by identity, and the calls that answered them
        self.kept: list[object] = []
        self.messages: dict[int, tuple[Message, ...]] = {}  # by call
        self.sent_after: dict[int, int] = {}  # by message, how many calls there were
        self.asked_before: dict[int, set[int]] = {}  # pushes: by message the calls that have answered about the location

    def begun(self, blocks: list[tuple[str, int, int]], hosts: int) -> None:
        self.made.clear()
        self.messages.clear()
        super().begun(blocks, hosts)

    def sent(self, message: Message, receiver: str, cause: int) -> None:
        self.kept.append(message)
        self.sent_after[id(message)] = len(self.messages)
        if receiver != COORDINATOR and message.sender == COORDINATOR and message.kind is Kind.BLOCKPOSTCONDITION and cause:
            answers = [each for each in self.kept if isinstance(each, Message) and each.kind is Kind.ERRORCONDITIONUNREACHABLE]
            about = [each for each in answers if (each.location, each.epoch) == (message.location, message.epoch)]
            self.asked_before[id(message)] = {self.made[id(each)] for each in about if each.receiver == COORDINATOR}
        super().sent(message, receiver, cause)

    def submitted(self, call: Call, host: int) -> None:
        self.kept.append(call.messages)
        self.messages[call.number] = call.messages
        super().submitted(call, host)

    def replied(self, reply: Reply) -> None:
        for message in reply.answers:
            self.kept.append(message)
            self.made[id(message)] = reply.number
        super().replied(reply)


class Mortal(Inline):
    """Several hosts in this process, one of which dies at some calls."""

    def __init__(self, count: int, deaths: Sequence[int]) -> None:
        super().__init__()
        self.count, self.deaths = count, deaths
        self.specs: dict[str, Spec] = {}
        self.placement: dict[str, int] = {}

    def load(self, specs, placement) -> None:  # type: ignore[no-untyped-def]
        super().load(specs, placement)
        self.specs, self.placement = dict(specs), dict(placement)

    def wait(self, seconds: float) -> list[Reply | Lost]:
        call = self._waiting[0]
        if call.number not in self.deaths:
            self._waiting = self._waiting[1:]
            rest, self._waiting = self._waiting, [call]
            found = super().wait(seconds)
            self._waiting = rest
            return found
        self._waiting = self._waiting[1:]
        host = self.placement[call.block]
        for id, where in self.placement.items():
            if where == host:
                self.actors[id] = self.specs[id].actor()
        return [Lost(host, "died", call)]


def program_of(folder: Path, text: str) -> Program:
    path = folder / "program.c"
    path.write_text(PRELUDE + text)
    return load([str(path)], FrontendOptions()).program


def traced(program: Program, options: DssOptions, make_hosts: Callable[[int], Hosts]) -> tuple[EngineResult, Trace, Witness]:
    stream = io.BytesIO()
    witness = Witness(stream.write)
    setting = Setting(2, make_hosts, tracer=witness)
    result = engine.check(PreparedProgram(program), options, Deadline.after(60.0), unobserved, setting)
    return result, loaded(stream.getvalue()), witness


HOSTS: dict[str, Callable[[int], Hosts]] = {
    "inline": lambda count: Inline(),
    "processes": ProcessHosts,
    "mortal": lambda count: Mortal(3, (4,)),
}


@pytest.mark.parametrize("summaries", SUMMARIES)
@pytest.mark.parametrize("hosts", HOSTS)
@pytest.mark.parametrize("predictable", (False, True), ids=("steps", "rounds"))
def test_the_graph_is_that_of_the_run(summaries: str, hosts: str, predictable: bool, tmp_path: Path) -> None:
    options = DssOptions(summaries=summaries, candidates=(), predictable=predictable)
    text = NESTED if summaries == "lemmas" else THREE_LOOPS
    result, trace, witness = traced(program_of(tmp_path, text), options, HOSTS[hosts])
    assert result.verdict is Verdict.TRUE
    (made,) = trace.sections
    graph = TaskGraph(made)
    assert len(made) > 20
    ends = [began + seconds for began, seconds in zip(made.began, made.seconds, strict=True)]
    for call, number in enumerate(made.numbers):
        before = {*graph.waits_for[call], *range(made.barriers[call])}
        assert all(other < call for other in before), "the graph has a cycle"
        assert all(ends[other] <= made.began[call] + 1e-6 for other in before)
        numbers = {made.numbers[other] for other in before}
        assert not (predictable and graph.waits_for[call]), "a round waits for all of the round before"
        for message in witness.messages[number]:
            if id(message) in witness.made:
                assert witness.made[id(message)] in numbers, "it does not wait for the call whose answer it gets"
            assert witness.asked_before.get(id(message), set()) <= numbers
            if message.sender == COORDINATOR and witness.sent_after.get(id(message)):
                assert numbers, "the coordinator does not ask without a reason"
    assert summaries != "lemmas" or any(len(calls) > 1 for calls in witness.asked_before.values())
    lasts: dict[int, int] = {}
    for call, block in enumerate(made.blocks):
        if block in lasts:
            assert lasts[block] in {*graph.waits_for[call], *range(made.barriers[call])}
        lasts[block] = call
    assert graph.makespan(1) == pytest.approx(sum(made.seconds))
    assert graph.makespan(10_000) == pytest.approx(graph.span()[0])


@pytest.mark.parametrize("predictable", (False, True), ids=("steps", "rounds"))
def test_every_round_and_every_level_waits_for_the_one_before(predictable: bool, tmp_path: Path) -> None:
    options = DssOptions(candidates=(), predictable=predictable)
    _, trace, witness = traced(program_of(tmp_path, NESTED), options, HOSTS["inline"])
    (made,) = trace.sections
    levels: dict[int, list[int]] = {}
    for call, number in enumerate(made.numbers):
        for message in witness.messages[number]:
            if message.kind is Kind.START and made.barriers[call] and not made.starts[call + 1] - made.starts[call]:
                levels.setdefault(message.level, []).append(call)
    assert len(levels) > 1
    for calls in levels.values():
        assert made.barriers[calls[0]] == calls[0], "a level begins when all is quiet"


@pytest.mark.parametrize("summaries", SUMMARIES)
@pytest.mark.parametrize("predictable", (False, True), ids=("steps", "rounds"))
def test_an_interrupted_search_goes_on_after_it(summaries: str, predictable: bool, tmp_path: Path) -> None:
    """Invariants that are found in between are told after all that was asked before."""
    stream = io.BytesIO()
    witness = Witness(stream.write)
    blocks = prepare_blocks(
        PreparedProgram(program_of(tmp_path, THREE_LOOPS)), recursion_bound=2, max_edges=1_000, sliced=True, kind="loops"
    )
    means = Means(Inline(), unobserved, Journal(), witness, predictable)
    witness.begun([(each.id, each.line, each.edges) for each in blocks.blocks.values()], 1)
    coordinator = make_coordinator(blocks, DssOptions(summaries=summaries), means)
    coordinator.most_calls = 5
    assert coordinator.run(Deadline.after(60.0)).is_open
    before = len(witness.messages)
    coordinator.most_calls = None
    variable = next(each for each in blocks.system.live_variables(blocks.locations[0]) if each.payload == "x")
    coordinator.know({location: [terms.equal(variable, terms.constant(variable.sort, 0))] for location in blocks.locations})
    assert not coordinator.run(Deadline.after(60.0)).is_open
    (made,) = loaded(stream.getvalue()).sections
    told = [call for call, number in enumerate(made.numbers) for each in witness.messages[number] if each.kind is Kind.INVARIANT]
    assert told and all(made.barriers[call] >= before >= 5 for call in told)


# files


RECORDS: list[Record] = [
    Begun(0.0, 2, [("a", 3, 5), ("b", 7, 2)]),
    Called(1, 0, "a", [6], [], 0, 0.0, 0.0, 1.0, 1.0, 0.5, 0.25, 3),
    Called(2, 1, "b", [6], [1], 1, 1.0, 1.0, 2.0, 2.5, 0.5, 0.25, 3),
    Ended(3.0, "TRUE", "proved"),
]


@pytest.mark.parametrize("end", range(len(HEAD), len(written(RECORDS))))
def test_a_trace_that_is_cut_short_is_read_as_far_as_it_goes(end: int) -> None:
    trace = loaded(written(RECORDS)[:end])
    assert trace.ended is None and "cut short" in trace.cut
    assert all(figures(each).calls == len(each) for each in trace.sections)
    last_calls = len(written(RECORDS[:3]))
    assert sum(map(len, trace.sections)) == (2 if end >= last_calls else 1 if end >= len(written(RECORDS[:2])) else 0)


DAMAGED: dict[str, tuple[list[Record], str]] = {
    "call before blocks": (RECORDS[1:], "before there are blocks"),
    "after the end": ([*RECORDS, RECORDS[1]], "goes on after its end"),
    "twice": ([*RECORDS[:2], RECORDS[1], RECORDS[3]], "the same number"),
    "unknown block": ([RECORDS[0], msgspec.structs.replace(RECORDS[1], block="c")], "'c'"),
    "unknown host": ([RECORDS[0], msgspec.structs.replace(RECORDS[1], host=2)], "host 2"),
    "unknown cause": ([RECORDS[0], msgspec.structs.replace(RECORDS[2], number=9, causes=[4])], "waits for call 4"),
    "later cause": ([RECORDS[0], msgspec.structs.replace(RECORDS[2], causes=[2])], "waits for later"),
    "later barrier": ([RECORDS[0], msgspec.structs.replace(RECORDS[1], barrier=7)], "waits for later"),
    "no time": ([RECORDS[0], msgspec.structs.replace(RECORDS[1], began=math.nan)], "nan"),
    "backwards": ([RECORDS[0], msgspec.structs.replace(RECORDS[1], ended=-1.0)], "-1.0"),
    "two of a name": ([Begun(0.0, 1, [("a", 1, 1), ("a", 2, 1)])], "same name"),
    "no hosts": ([Begun(0.0, 0, [])], "0 hosts"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_trace_is_refused(name: str) -> None:
    records, message = DAMAGED[name]
    with pytest.raises(NotATrace, match=message):
        loaded(written(records))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a trace"),
        (b"int main(void) { return 0; }\n", "not a trace"),
        (b"drystone recording 1\n", "not a trace"),
        (f"{FORMAT} 99\n".encode(), "version 99"),
        (HEAD + b"\xff\xff\xff\xff" + b"x" * 100, "a record of 4294967295 bytes"),
        (HEAD + b"\x00\x00\x00\x05hello", "is damaged"),
    ],
)
def test_what_is_no_trace_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(NotATrace, match=message):
        loaded(data)


def test_damage_anywhere_is_no_crash() -> None:
    chance = random.Random(0)
    whole = written(RECORDS)
    for _ in range(3_000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            trace = loaded(bytes(data))
        except NotATrace:
            continue
        total(trace, [figures(each) for each in trace.sections])


# the command


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, file, picture = tmp_path / "program.c", tmp_path / "program.trace", tmp_path / "program.svg"
    program.write_text(PRELUDE + THREE_LOOPS)
    verify = [sys.executable, "-m", "drystone", "verify", str(program), "--engine", "dss", "--workers", "2", "--quiet"]
    verify += UNCHECKED
    done = subprocess.run([*verify, "--trace", str(file)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "TRUE\n"), done.stderr
    assert main(["trace", str(file), "--svg", str(picture), "--latency", "measured"]) == 0
    text = capsys.readouterr().out
    for words in (
        "TRUE  by summaries",
        "blocks on 1 host",
        "span",
        "waiting",
        "speed-up",
        "the slowest blocks",
        "in transit per call",
    ):
        assert words in text
    assert "\x1b" not in text
    drawn = xml.fromstring(picture.read_text())
    assert drawn.tag.endswith("svg")
    assert main(["trace", str(file), "--json", "-"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["verdict"] == "TRUE" and not result["is_cut"]
    (part,) = result["sections"]
    assert [each["workers"] for each in part["speedups"]] == [1, 2, 4, 8, 16, 32, 64]
    assert part["hosts"] == 1 and part["calls"] == sum(each["calls"] for each in part["by_block"])
    assert len(drawn.findall(".//{*}rect/{*}title")) <= part["calls"]
    parts = ("solving_s", "packing_s", "python_s", "coordinator_s", "waiting_s")
    assert sum(part[name] for name in parts) == pytest.approx(part["hosts"] * part["wall_s"], rel=0.01)


def test_several_recursion_bounds_are_several_sections(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.trace"
    again = [msgspec.structs.replace(RECORDS[0], time=3.0), msgspec.structs.replace(RECORDS[1], began=3.0, ended=4.0, heard=4.0)]
    file.write_bytes(written([*RECORDS[:3], *again, Ended(5.0, "TRUE", "")]))
    assert main(["trace", str(file)]) == 0
    text = capsys.readouterr().out
    assert "blocks 2 of 2" in text and "all together" in text


def test_the_command_says_that_a_trace_is_cut_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.trace"
    file.write_bytes(written(RECORDS[:3])[:-3])
    assert main(["trace", str(file)]) == 0
    text = capsys.readouterr().out
    assert "program.trace: is cut short, in the middle of a record" in text and "1 calls" not in text and "1 call of" in text
    assert main(["trace", str(file), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["is_cut"]
    file.write_bytes(HEAD)
    assert main(["trace", str(file), "--svg", str(tmp_path / "empty.svg")]) == 0
    assert "no block received a message" in capsys.readouterr().out


def test_the_command_refuses_what_is_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.trace"
    for data, message in ((b"", "is not a trace of drystone"), (written(RECORDS[1:]), "is damaged")):
        file.write_bytes(data)
        assert main(["trace", str(file)]) == 3
        assert message in capsys.readouterr().err
    assert main(["trace", str(tmp_path / "nowhere")]) == 3
    assert "no such file" in capsys.readouterr().err
    for latency in ("-1", "nan", "fast"):
        assert main(["trace", str(file), f"--latency={latency}"]) == 3
        assert "--latency" in capsys.readouterr().err
