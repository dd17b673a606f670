"""What blocks told each other, for people: everything that was delivered, in its order, between blocks that there are."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.engines.dcpa import engine as dcpa
from drystone.engines.dcpa.options import DcpaOptions
from drystone.engines.details import Story
from drystone.engines.dss import engine as dss
from drystone.engines.dss import story as stories
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.preparation import prepare_blocks
from drystone.engines.dss.records.recording import Begun, Delivered, Frame, Sent
from drystone.engines.dss.registry import SUMMARIES, domain_of
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import EngineResult, unobserved
from drystone.pipeline import PreparedProgram
from tests.engines.dss.programs import PRELUDE
from tests.engines.dss.test_record import LOCKS, frames_of, program_of, recorded

ONE_LOCK = PRELUDE + "int main() { int l = 0; while (any()) { l = 1; if (!l) reach_error(); l = 0; } if (l) reach_error(); }\n"


def told_by(engine: str, folder: Path) -> tuple[EngineResult, Story]:
    prepared, setting = PreparedProgram(program_of(folder, ONE_LOCK if engine == "dcpa" else LOCKS)), Setting().told()
    if engine == "dcpa":
        result = dcpa.check(prepared, DcpaOptions(), Deadline.after(60.0), unobserved, setting)
    else:
        options = DssOptions(summaries=engine, candidates=())
        result = dss.check(prepared, options, Deadline.after(60.0), unobserved, setting)
    assert result.story is not None and result.details is not None
    return result, result.story


@pytest.mark.parametrize("engine", [*SUMMARIES, "dcpa"])
def test_everything_that_was_delivered_is_told(engine: str, tmp_path: Path) -> None:
    result, story = told_by(engine, tmp_path)
    assert result.details is not None and story.posts
    numbers = range(len(story.blocks))
    assert [block.id for block in story.blocks] == [block.id for block in result.details.blocks]
    assert all(follower in numbers for block in story.blocks for follower in block.followers)
    taken = [message for call in story.calls for message in call.messages]
    assert len(taken) >= sum(each.received for each in result.details.blocks) > 0  # these are without reminders
    assert [message.time for message in story.messages] == sorted(message.time for message in story.messages)
    assert all(-1 <= block < len(numbers) for each in story.messages for block in (each.sender, *each.receivers))
    assert all(story.texts[each.text] for each in story.messages if each.kind not in ("ERROR", "RESULT"))
    for call in story.calls:
        assert call.submitted <= call.began <= call.ended <= call.heard + 1e-6
        assert all(story.messages[number].sender == call.block for number in call.answers)
        assert all(call.block in story.messages[number].receivers for number in call.messages)
    assert story.omitted == story.earlier == 0 and story.trace


def test_the_edges_of_a_block_are_those_between_its_start_and_its_exits(tmp_path: Path) -> None:
    _, story = told_by("lemmas", tmp_path)
    for block in story.blocks:
        sources, targets = {edge.source for edge in block.edges}, {edge.target for edge in block.edges}
        assert sources <= targets | {block.start} and set(block.exits) <= targets
        assert block.line is not None and block.until is not None and block.line <= block.until


def again(folder: Path, frames: list[Frame], limit: float = float("inf")) -> Story:
    program = program_of(folder, LOCKS)
    blocks = prepare_blocks(PreparedProgram(program), recursion_bound=2, max_edges=1_000, sliced=True, kind="loops")
    return stories.told("dss", frames, program, blocks, domain_of("lemmas"), limit)


def test_of_a_long_run_the_beginning_and_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, data = recorded(program_of(tmp_path, LOCKS), DssOptions(candidates=()))
    frames = frames_of(data)
    whole = again(tmp_path, frames)
    monkeypatch.setattr(stories, "_MOST_DELIVERIES", 4)
    some = again(tmp_path, frames)
    deliveries = [frame for frame in frames if isinstance(frame, Delivered)]
    assert len(deliveries) > 4 and len(some.calls) <= 4
    assert len(some.messages) + some.omitted == len(whole.messages) == sum(isinstance(frame, Sent) for frame in frames)


def test_of_long_operations_only_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, data = recorded(program_of(tmp_path, LOCKS), DssOptions(candidates=()))
    whole = again(tmp_path, frames_of(data))
    monkeypatch.setattr(stories, "_MOST_OPERATIONS", 1)
    monkeypatch.setattr(stories, "_FEW", (40, 1))
    some = again(tmp_path, frames_of(data))
    assert any(len(block.edges) > 1 for block in whole.blocks) and all(len(block.edges) == 1 for block in some.blocks)
    assert [block.until for block in some.blocks] == [block.until for block in whole.blocks]


def test_what_there_was_no_time_for_and_what_was_before(tmp_path: Path) -> None:
    _, data = recorded(program_of(tmp_path, LOCKS), DssOptions(candidates=()))
    frames = frames_of(data)
    late = again(tmp_path, frames, time.monotonic() - 1)
    assert 0 < late.unworded <= len(late.messages) and "no time" in late.texts[late.messages[0].text]
    begun = next(place for place, frame in enumerate(frames) if isinstance(frame, Begun))
    twice = again(tmp_path, [*frames[:-1], *frames[begun:]])
    assert twice.earlier == 1 and len(twice.calls) == len(again(tmp_path, frames).calls)
