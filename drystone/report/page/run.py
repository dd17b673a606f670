"""How a run went, as a report shows it: blocks and what they told each other, engines and hosts in time."""

from __future__ import annotations

import io
import zlib

import msgspec

from drystone.engines.details import EngineTurn, Story, ToldCall, ToldEdge, ToldMessage
from drystone.report.page.sources import Place, Sources
from drystone.runtime.trace import Figures, NotATrace, Speedup, figures, load, total
from drystone.verification.messages import Told
from drystone.verification.result import Result

_MOST_CALLS = 50_000  # of which the attainable speed-up is found


class ShownBlock(msgspec.Struct, frozen=True):
    id: str
    place: Place
    until: int  # line
    start: int
    exits: list[int]
    leads_to_error: bool
    edges: list[ToldEdge]
    size: int  # edges, also those that are not shown
    followers: list[int]
    counters: dict[str, int]


class ShownStory(msgspec.Struct, frozen=True):
    engine: str
    posts: str
    blocks: list[ShownBlock]
    messages: list[ToldMessage]
    calls: list[ToldCall]
    texts: list[str]
    omitted: int
    unworded: int
    earlier: int


class Time(msgspec.Struct, frozen=True):
    turns: list[EngineTurn]
    operators: list[tuple[str, int, float, int]]  # calls, seconds, bytes
    spent: list[tuple[str, float, str]]  # of the hosts' time
    speedups: list[Speedup]
    summary: str = ""


def story_of(result: Result, told: Told | None, sources: Sources) -> ShownStory | None:
    if told is None or told.story is None:
        return None
    story, figures_of = told.story, {each.id: each for each in result.blocks}
    blocks = [
        ShownBlock(
            each.id,
            sources.place(each.file, each.line),
            each.until or each.line or 0,
            each.start,
            each.exits,
            each.leads_to_error,
            each.edges,
            figures_of[each.id].edges if each.id in figures_of else len(each.edges),
            each.followers,
            figures_of[each.id].counters if each.id in figures_of else {},
        )
        for each in story.blocks
    ]
    return ShownStory(
        story.engine,
        story.posts,
        blocks,
        story.messages,
        story.calls,
        story.texts,
        story.omitted,
        story.unworded,
        story.earlier,
    )


def time_of(result: Result, told: Told | None) -> Time:
    operators = [(name, each.calls, each.seconds, each.bytes) for name, each in result.operators.items() if each.calls]
    turns = list(told.turns) if told is not None else []
    whole = _figures(told.story) if told is not None and told.story is not None else None
    if whole is None:
        return Time(turns, operators, [], [])
    available = whole.hosts * whole.wall_s
    spent = [
        ("solving", whole.solving_s, ""),
        ("packing and unpacking", whole.packing_s, ""),
        ("Python", whole.python_s, "the rest of the calls"),
        ("in transit", whole.coordinator_s, "to the block and back"),
        ("waiting", whole.waiting_s, "for work, or for the coordinator"),
    ]
    summary = (
        f"{whole.calls:,} calls of {whole.blocks:,} blocks on {whole.hosts} host{'s' * (whole.hosts != 1)}: work"
        f" {whole.work_s:.3f} s in {whole.wall_s:.3f} s; the longest chain of calls that wait for each other takes"
        f" {whole.span_s:.3f} s, so no number of workers is faster"
    )
    return Time(turns, operators, spent if available else [], whole.speedups, summary)


def _figures(story: Story) -> Figures | None:
    """What `drystone trace` says; None if there is no trace, or it is too long to be looked at here."""
    if not story.trace:
        return None
    try:
        trace = load(io.BytesIO(zlib.decompress(story.trace)))
    except (NotATrace, zlib.error):
        return None
    calls = sum(map(len, trace.sections))
    return total(trace, [figures(section) for section in trace.sections]) if 0 < calls <= _MOST_CALLS else None
