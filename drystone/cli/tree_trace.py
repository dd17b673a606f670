"""`drystone trace` of a recording of `tree`: the trees depth by depth, the candidates, and what more workers would bring."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import msgspec

from drystone.base.plurals import counted
from drystone.base.written_files import write_file
from drystone.cli.exits import BadInput, Exit
from drystone.engines.recordings import Ended
from drystone.engines.tree.master import PREDICTABLE
from drystone.engines.tree.recording import Begun, Frame, Header, read
from drystone.engines.tree.retelling import Depth, Iteration, retold
from drystone.engines.tree.simulation import WORKERS, Costs, Response, Spent, iterations, respond, spent
from drystone.engines.tree.states import ERROR
from drystone.report.columns import Line
from drystone.report.console import print_lines
from drystone.report.tables import seconds, share, table

_SCHEMA = 1
_SHOWN_TRANSITIONS = 12


class Told(msgspec.Struct, frozen=True):
    header: Header
    ended: Ended
    iterations: list[Iteration]
    processor: Spent
    costs: Costs
    responses: list[Response]  # empty, if another number of workers would have taken other counterexamples


def command(options: argparse.Namespace, stream: BinaryIO) -> int:
    if options.svg is not None:
        raise BadInput(f"{options.trace}: --svg draws blocks, and this is the recording of a tree")
    frames = list(read(stream))
    told = told_by(frames, None if options.latency == "measured" else float(options.latency))
    if options.json is None:
        print_lines(_lines(told, frames, options), sys.stdout)
        return Exit.OK
    text = msgspec.json.encode(_object(told)).decode() + "\n"
    if options.json == "-":
        sys.stdout.write(text)
    else:
        write_file(options.json, text)
    return Exit.OK


def told_by(frames: Sequence[Frame], latency: float | None) -> Told:
    """`latency`: of a message; None: as it was in this run."""
    header, ended = frames[0], frames[-1]
    assert isinstance(header, Header) and isinstance(ended, Ended)  # `read` sees to it
    processor = spent(frames, header.is_here)
    costs = processor.costs()
    if latency is not None:
        costs = msgspec.structs.replace(costs, latency=latency)
    searches = list(iterations(frames))
    responses = []
    if header.options.selection == PREDICTABLE:
        for workers in WORKERS:
            alone = msgspec.structs.replace(costs, latency=0.0)  # in one process nothing is on its way
            parts = [respond(each, header.options, workers, costs if workers > 1 else alone) for each in searches]
            responses.append(_together(workers, parts))
    return Told(header, ended, list(retold(frames)), processor, costs, responses)


def _together(workers: int, parts: Sequence[Response]) -> Response:
    """Searches come one after the other."""
    return Response(
        workers,
        sum(each.seconds for each in parts),
        sum(each.busy for each in parts),
        sum(each.spent for each in parts),
        sum(each.messages for each in parts),
    )


def _object(told: Told) -> dict[str, Any]:
    return {
        "schema_version": _SCHEMA,
        "verdict": told.ended.verdict,
        "reason": told.ended.reason,
        "options": told.header.options,
        "hosts": told.header.hosts,
        "iterations": told.iterations,
        "processor": told.processor,
        "assumed": told.costs,
        "responses": told.responses,
    }


def _lines(told: Told, frames: Sequence[Frame], options: argparse.Namespace) -> Iterator[Line]:
    yield f"{options.trace}: {told.ended.verdict}  {told.ended.reason}".rstrip(), "bold"
    expanded = sum(each.expanded for each in told.iterations)
    hosts, many = counted(told.header.hosts, "hosts"), counted(len(told.iterations), "iterations")
    yield f"  {counted(expanded, 'states')} expanded in {many}, {told.header.options.selection} selection, {hosts}", ""
    yield from _processor_lines(told.processor)
    names = _names(frames)
    for iteration in told.iterations:
        yield "", ""
        is_last = iteration is told.iterations[-1]
        yield from _iteration_lines(iteration, names[iteration.search - 1], options.verbose or is_last)
    if told.responses:
        yield "", ""
        yield from _response_lines(told)


def _processor_lines(told: Spent) -> Iterator[Line]:
    whole = told.working + told.master + told.refining
    if whole > 0:
        yield "  processor time up to the last complete iteration", ""
        parts = (("workers", told.working), ("master", told.master), ("refinement", told.refining))
        yield from table([(f"  {what}", seconds(each), share(each, whole)) for what, each in parts], right=(1, 2))


def _names(frames: Sequence[Frame]) -> list[list[str]]:
    """By search, what transitions are called: their number, and where they lead."""
    found = []
    for frame in frames:
        if isinstance(frame, Begun):
            places = dict(frame.places)
            ends = [places.get(target, "error" if target == ERROR else "?") for _, target in frame.transitions]
            found.append([f"{number} ({end.rpartition(':')[2] or end})" for number, end in enumerate(ends)])
    return found


def _way(transitions: Sequence[int], names: Sequence[str]) -> str:
    shown = [names[each] for each in transitions if 0 <= each < len(names)]
    if len(shown) > _SHOWN_TRANSITIONS:
        half = _SHOWN_TRANSITIONS // 2
        shown = [*shown[:half], "…", *shown[-half:]]
    return " ".join(shown)


def _iteration_lines(told: Iteration, names: Sequence[str], in_full: bool) -> Iterator[Line]:
    selected, states = told.selected, sum(depth.states for depth in told.depths.values())
    took = f", {seconds(told.ended - told.began)} s" if selected is not None else ", cut short"
    title = f"iteration {told.number}" + (f" of search {told.search}" if told.search > 1 else "")
    yield f"{title}: {counted(states, 'states')} to depth {max(told.depths, default=0)}{took}", "cyan"
    for worker, after in told.joined:
        yield f"  worker {worker} joined after {counted(after, 'states')}", ""
    for worker, after in told.lost:
        yield f"  worker {worker} was lost after {counted(after, 'states')}, and replaced", "yellow"
    if in_full and told.depths:
        yield from _depth_lines(told)
    for each in told.candidates:
        when, way = seconds(each.time - told.began), _way(each.transitions, names)
        yield f"  candidate of depth {each.depth} after {when} s, from worker {each.worker}, found by {way}", ""
    if selected is None or selected.transitions is None:
        return
    if told.candidates:
        waited = {depth: row.waited for depth, row in sorted(told.depths.items()) if row.waited}
        where = ", ".join(f"{count} of depth {depth}" for depth, count in waited.items()) or "nothing"
        yield f"  waited {seconds(told.ended - told.candidates[-1].time)} s; expanded meanwhile: {where}", ""
    errors = counted(selected.targets, "errors")
    yield f"  of {errors} at depth {len(selected.transitions)}, selected {_way(selected.transitions, names)}", ""
    yield f"  refined in {seconds(told.refining_s)} s", ""


def _depth_lines(told: Iteration) -> Iterator[Line]:
    rows = [("depth", "states", "found", "covered", "expanded", "by workers")]
    for depth, row in sorted(told.depths.items()):
        rows.append((str(depth), f"{row.states:,}", f"{row.found:,}", f"{row.covered:,}", _expanded(row), _by(row)))
    yield from table(rows, right=range(5))


def _expanded(row: Depth) -> str:
    return f"{row.expanded.total():,}"


def _by(row: Depth) -> str:
    return ", ".join(f"{worker}: {count}" for worker, count in sorted(row.expanded.items()))


def _response_lines(told: Told) -> Iterator[Line]:
    latency, handling = told.costs.latency * 1000, told.costs.handling * 1e6
    yield f"response by number of workers, {latency:.2f} ms per message, {handling:.0f} µs of the master per state", "cyan"
    alone = told.responses[0].seconds
    rows = [("workers", "seconds", "speed-up", "efficiency", "messages", "master")]
    for each in told.responses:
        faster = alone / each.seconds if each.seconds > 0 else 1.0
        efficiency = f"{faster / each.workers:.2f}"
        master = share(each.spent, each.seconds)
        rows.append((str(each.workers), seconds(each.seconds), f"{faster:.2f}", efficiency, f"{each.messages:,}", master))
    yield from table(rows, right=range(6))
