"""`drystone info`: what a program consists of, and every construct whose meaning is approximated."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from drystone.base.plurals import counted
from drystone.base.shown_files import shown_file
from drystone.base.written_files import write_file
from drystone.cli.exits import Exit
from drystone.cli.words import load_program
from drystone.ir.automaton import Approximation, Program
from drystone.ir.features import Features, Place, features
from drystone.ir.jsonform import place
from drystone.memory.regions import WHOLE, Region, Regions
from drystone.passes.inline import TooLarge, inline

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions, Loaded

_SHOWN = 4  # places per kind in the tables; the JSON has all


def command(options: argparse.Namespace) -> int:
    loaded, frontend_options = load_program(options)
    if options.strategy:
        _print_strategy(loaded.program)
        return Exit.OK
    facts = features(loaded.program)
    regions = _regions(loaded.program, options)
    if options.json is None:
        _print_tables(loaded, frontend_options, facts, regions, options.files)
        if options.regions:
            _print_regions(regions)
        return Exit.OK
    text = msgspec.json.encode(info_object(loaded, frontend_options, facts, regions)).decode() + "\n"
    if options.json == "-":
        sys.stdout.write(text)
    else:
        write_file(options.json, text)
    return Exit.OK


def _print_strategy(program: Program) -> None:
    from drystone.base.deadline import Deadline
    from drystone.engines.outcome import unobserved
    from drystone.engines.portfolio.auto import strategy
    from drystone.engines.question import Question, Settings
    from drystone.engines.strategy import as_text
    from drystone.pipeline import PreparedProgram

    first, turns = strategy(Question(PreparedProgram(program), Settings(), Deadline(), unobserved))
    print("# before, auto looks at some executions: " + ("they leave it open" if first.is_open else "they decide it"))
    print(as_text(turns), end="")


def _regions(program: Program, options: argparse.Namespace) -> list[Region] | None:
    """The regions of memory with all calls inlined; None if that is too large."""
    try:
        inlined = inline(program, recursion_bound=options.recursion_bound, max_edges=options.max_edges)
    except TooLarge:
        return None
    return sorted(Regions(inlined), key=lambda region: region.name)


def info_object(loaded: Loaded, options: FrontendOptions, facts: Features, regions: list[Region] | None) -> dict[str, Any]:
    program = loaded.program
    return {
        "entry": program.entry,
        "data_model": options.data_model,
        "files": list(map(shown_file, program.files)),
        "lines": loaded.lines,
        "functions": facts.functions,
        "functions_defined": loaded.functions_defined,
        "locations": facts.locations,
        "edges": facts.edges,
        "loops": _places(program, facts.loops),
        "recursive": facts.recursive,
        "pointers": facts.pointers,
        "allocations": facts.allocations,
        "pointer_calls": facts.pointer_calls,
        "floats": facts.floats,
        "threads": _places(program, facts.threads),
        "errors": _places(program, facts.errors),
        "unknowns": _places(program, facts.unknowns),
        "region_counts": _region_counts(regions) if regions is not None else None,
        "regions": [_region_object(region) for region in regions] if regions is not None else None,
        "unsupported": _approximations(program, loaded.unsupported),
        "assumptions": _approximations(program, program.approximations),
        "assumption_counts": _counts(program.approximations),
        "diagnostics": loaded.diagnostics,
    }


def _places(program: Program, places: Iterable[Place]) -> list[dict[str, Any]]:
    return [{"what": item.what, "function": item.function, **place(program, item.origin)} for item in places]


def _approximations(program: Program, items: Iterable[Approximation]) -> list[dict[str, Any]]:
    return [{"kind": item.kind, "what": item.what, **place(program, item.origin)} for item in items]


def _counts(items: Iterable[Approximation]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in items:
        counts[item.kind] = counts.get(item.kind, 0) + 1
    return dict(sorted(counts.items()))


def _region_counts(regions: list[Region]) -> dict[str, int]:
    return {kind: sum(_region_kind(region) == kind for region in regions) for kind in ("variable", "word", "byte", "collapsed")}


def _region_kind(region: Region) -> str:
    if region.is_static:
        return "variable"
    return "word" if region.is_word else "collapsed" if region.extent == WHOLE else "byte"


def _region_object(region: Region) -> dict[str, Any]:
    return {
        "name": region.name,
        "kind": _region_kind(region),
        "element_bytes": region.size,
        "members": [{"object": name, "offset": offset} for name, offset in region.members],
        "accesses": region.accesses,
        "why": region.why,
    }


def _print_regions(regions: list[Region] | None) -> None:
    _heading("regions: memory that no access straddles (variable: only accessed at known addresses)")
    if regions is None:
        print("  not computed: the program is too large with all calls inlined (see --max-edges)")
        return
    rows = [("name", "kind", "element", "accesses", "members")]
    for region in regions:
        members = _listed([f"{name}+{offset}" for name, offset in region.members], _SHOWN)
        reason = f" ({region.why})" if region.why else ""
        rows.append((region.name, _region_kind(region), counted(region.size, "bytes"), str(region.accesses), members + reason))
    _table(rows if len(rows) > 1 else [("none", "")])


def _print_tables(
    loaded: Loaded, options: FrontendOptions, facts: Features, regions: list[Region] | None, files: list[str]
) -> None:
    program = loaded.program
    _heading(" ".join(map(shown_file, files)))
    reached = f"{len(facts.functions)} reached of {loaded.functions_defined} defined: {_listed(facts.functions, 8)}"
    rows = [
        ("entry", program.entry),
        ("data model", options.data_model),
        ("lines", str(loaded.lines)),
        ("functions", reached),
        ("automata", f"{counted(facts.locations, 'locations')}, {counted(facts.edges, 'edges')}"),
        ("loops", _with_places(program, facts.loops)),
        ("recursion", _listed(facts.recursive, 8) if facts.recursive else "none"),
        ("pointers", f"{counted(facts.pointers, 'accesses')} through pointers, {counted(facts.allocations, 'allocations')}"),
        ("pointer calls", str(facts.pointer_calls)),
        ("regions", _region_summary(regions)),
        ("floats", counted(facts.floats, "operations")),
        ("threads", _with_places(program, facts.threads)),
    ]
    _table(rows)
    _heading("error locations")
    _table([(program.where(item.origin), f"{item.what} in {item.function}") for item in facts.errors] or [("none", "")])
    _heading("unknown locations (a verdict TRUE needs them unreachable)")
    _table([(program.where(item.origin), f"{item.what} in {item.function}") for item in facts.unknowns] or [("none", "")])
    _heading("unsupported")
    _table([(program.where(item.origin), f"{item.kind}: {item.what}") for item in loaded.unsupported] or [("none", "")])
    _heading("assumptions")
    _table(_assumption_rows(program) or [("none", "", "")])
    for message in loaded.diagnostics:
        print(message, file=sys.stderr)


def _region_summary(regions: list[Region] | None) -> str:
    if regions is None:
        return "not computed: too large with all calls inlined"
    counts = _region_counts(regions)
    return ", ".join(f"{number} {kind}" for kind, number in counts.items()) + " (see --regions)"


def _assumption_rows(program: Program) -> list[tuple[str, str, str]]:
    """Kind, count, first places."""
    by_kind: dict[str, list[Approximation]] = {}
    for item in program.approximations:
        by_kind.setdefault(item.kind, []).append(item)
    rows: list[tuple[str, str, str]] = []
    for kind, items in sorted(by_kind.items()):
        shown = [f"{item.what} ({program.where(item.origin)})" if item.origin.file >= 0 else item.what for item in items[:_SHOWN]]
        more = [f"and {len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
        rows.append((kind, str(len(items)), "; ".join(shown + more)))
    return rows


def _with_places(program: Program, places: list[Place]) -> str:
    if not places:
        return "none"
    named = [
        program.where(item.origin) if item.what == "loop" else f"{item.what} {program.where(item.origin)}" for item in places
    ]
    return f"{len(places)}: {_listed(named, _SHOWN)}"


def _listed(items: list[str], shown: int) -> str:
    return ", ".join(items[:shown]) + (f" and {len(items) - shown} more" if len(items) > shown else "")


def _heading(text: str) -> None:
    """Bold on a terminal, plain elsewhere."""
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        from rich.console import Console
        from rich.text import Text

        Console(highlight=False).print(Text(text, style="bold cyan"))
    else:
        print(text)


def _table(rows: Iterable[tuple[str, ...]]) -> None:
    """Columns as wide as their longest entry; the last one is free."""
    lines = list(rows)
    widths = [max(len(row[column]) for row in lines) for column in range(len(lines[0]) - 1)]
    for row in lines:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
        print("  " + "  ".join([*cells, row[-1]]).rstrip())
