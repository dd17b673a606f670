"""`drystone trace`: where the time of a run of dss, dcpa or tree went, and what more workers would bring."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from drystone.base.plurals import counted
from drystone.base.written_files import write_file
from drystone.cli.exits import BadInput, Exit
from drystone.engines.recordings import OF_TREES, NotARecording, begins_with
from drystone.report.columns import Line
from drystone.report.console import print_lines
from drystone.report.tables import seconds, share, table
from drystone.report.timeline import timeline
from drystone.runtime.trace import Figures, NotATrace, Trace, figures, load, total
from drystone.verification.tasks import opened

_SHOWN_BLOCKS = 10
_SCHEMA = 1


def command(options: argparse.Namespace) -> int:
    name = options.trace
    try:
        with opened(name) as stream:
            if begins_with(stream, OF_TREES):
                from drystone.cli import tree_trace

                return tree_trace.command(options, stream)
            trace = load(stream)
    except (NotATrace, NotARecording) as problem:
        raise BadInput(f"{name}: {problem}") from None
    latency = trace.latency() if options.latency == "measured" else float(options.latency)
    parts = [figures(section, latency) for section in trace.sections]
    whole = total(trace, parts)
    if options.svg is not None:
        write_file(options.svg, "\n".join(timeline(trace, Path(name).name)) + "\n")
    if options.json is None:
        print_lines(_lines(trace, parts, whole, latency, options), sys.stdout)
        return Exit.OK
    text = msgspec.json.encode(trace_object(trace, parts, whole, latency)).decode() + "\n"
    if options.json == "-":
        sys.stdout.write(text)
    else:
        write_file(options.json, text)
    return Exit.OK


def trace_object(trace: Trace, parts: Sequence[Figures], whole: Figures, latency: float) -> dict[str, Any]:
    return {
        "schema_version": _SCHEMA,
        "verdict": trace.ended.verdict if trace.ended is not None else None,
        "reason": trace.ended.reason if trace.ended is not None else trace.cut,
        "is_cut": bool(trace.cut),
        "assumed_latency_s": latency,
        "total": whole,
        "sections": parts,
    }


def _lines(trace: Trace, parts: Sequence[Figures], whole: Figures, latency: float, options: argparse.Namespace) -> Iterator[Line]:
    verdict = f"{trace.ended.verdict}  {trace.ended.reason}".rstrip() if trace.ended is not None else trace.cut
    yield f"{options.trace}: {verdict}", "bold" if trace.ended is not None else "bold yellow"
    if not parts:
        yield "  no block received a message", ""
        return
    for number, part in enumerate(parts, 1):
        if len(parts) > 1:
            yield "", ""
            yield f"blocks {number} of {len(parts)} (recursion is expanded further each time)", "bold cyan"
        yield from _part_lines(part, latency, options.verbose)
    if len(parts) > 1:
        yield "", ""
        yield "all together", "bold cyan"
        yield from _part_lines(whole, latency, options.verbose)


def _part_lines(part: Figures, latency: float, verbose: bool) -> Iterator[Line]:
    yield f"  {counted(part.calls, 'calls')} of {counted(part.blocks, 'blocks')} on {counted(part.hosts, 'hosts')}", ""
    if not part.calls:
        return
    yield from table(
        [
            ("wall", seconds(part.wall_s), ""),
            ("work", seconds(part.work_s), f"all calls, {part.work_s / (part.wall_s or 1.0):.2f} at a time"),
            ("span", seconds(part.span_s), f"the longest chain, {counted(part.span_calls, 'calls')}"),
        ],
        right=(1,),
    )
    yield "", ""
    yield "where the time of the hosts went", "cyan"
    available = part.hosts * part.wall_s
    spent = [
        ("solving", part.solving_s, ""),
        ("packing and unpacking", part.packing_s, ""),
        ("Python", part.python_s, "the rest of the calls"),
        ("in transit", part.coordinator_s, f"to the block and back; the median of a call is {part.latency_s * 1000:.2f} ms"),
        ("waiting", part.waiting_s, "for work, or for the coordinator"),
    ]
    yield from table([(what, seconds(each), share(each, available), about) for what, each, about in spent], right=(1, 2))
    yield "", ""
    in_transit = f", {latency * 1000:.2f} ms in transit per call" if latency else ""
    yield f"attainable by number of workers{in_transit} (pinned: every block stays on one worker)", "cyan"
    rows = [("workers", "seconds", "speed-up", "pinned")]
    rows += [
        (str(each.workers), seconds(each.seconds), f"{each.speedup:.2f}", f"{each.pinned_speedup:.2f}") for each in part.speedups
    ]
    yield from table(rows, right=(0, 1, 2, 3))
    if part.by_block:
        yield "", ""
        yield from _block_lines(part, verbose)


def _block_lines(part: Figures, verbose: bool) -> Iterator[Line]:
    shown = part.by_block if verbose else part.by_block[:_SHOWN_BLOCKS]
    yield "the slowest blocks", "cyan"
    rows = [("block", "line", "edges", "calls", "seconds", "share", "solving", "of the span", "queries")]
    rows += [
        (
            each.block,
            str(each.line),
            str(each.edges),
            f"{each.calls:,}",
            seconds(each.seconds),
            share(each.seconds, part.work_s),
            share(each.solving_s, each.seconds),
            share(each.span_s, part.span_s),
            f"{each.queries:,}",
        )
        for each in shown
    ]
    yield from table(rows, right=range(1, 9))
    if len(part.by_block) > len(shown):
        yield f"  and {len(part.by_block) - len(shown):,} more; --verbose and --json have all", "dim"
