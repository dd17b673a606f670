"""What a result relied on, in words: the most important first, a few lines, and how many more there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drystone.base.plurals import counted
from drystone.verification.result import Assumption, Result, UndefinedReport, place_text

_MOST_LINES = 10
_SHOWN_NAMES = 5
_SHOWN_PLACES = 2

_FUNCTIONS = {
    "external function": ("which has no body", "which have no body"),
    "approximated function": ("which is approximated", "which are approximated"),
}
"""Kinds of assumptions about functions, which are told together if they are the same."""
_FIRST = (
    "external function",
    "weak symbol",
    "external object",
    "asm",
    "undefined operation",
    "evaluation order",
    "address order",
    "function pointer",
    "floating point",
    "library name",
    "approximated function",
)
"""The most important first; what is not listed comes after these."""
_UNSURPRISING = frozenset(("library model", "output"))
"""That is how drystone works; only those who want to know all are told."""


def reliance_lines(result: Result) -> Iterator[str]:
    """At most ten. An UNKNOWN relies on nothing, but executions have seen what they have seen."""
    lines = [_undefined(each) for each in _seen_elsewhere(result)]
    if result.verdict != "UNKNOWN":
        lines += _assumptions(result.assumptions)
    shown = lines if len(lines) <= _MOST_LINES else lines[: _MOST_LINES - 1]
    yield from shown
    if len(shown) < len(lines):
        yield f"and {len(lines) - len(shown)} more: --verbose, --json"


def all_lines(result: Result) -> Iterator[str]:
    for seen in _seen_elsewhere(result):
        yield _undefined(seen)
    for item in result.assumptions:
        place = f" ({place_text(item.file, item.line)})" if item.file is not None else ""
        yield f"assumes {item.kind}: {item.what}{place}"


def _seen_elsewhere(result: Result) -> list[UndefinedReport]:
    """Not by the counterexample, which says it itself."""
    example = result.evidence.counterexample
    return [each for each in result.undefined_seen if example is None or not each.is_in_counterexample]


def _undefined(seen: UndefinedReport) -> str:
    return f"undefined behaviour seen: {seen.what} at {place_text(seen.file, seen.line)}"


class AssumptionGroup(NamedTuple):
    """Those that assume the same."""

    kind: str
    what: str
    items: list[Assumption]
    is_usual: bool  # how drystone works


def grouped_assumptions(assumptions: Sequence[Assumption]) -> list[AssumptionGroup]:
    """The most important first."""
    groups: dict[tuple[str, str], list[Assumption]] = {}
    for each in assumptions:
        groups.setdefault((each.kind, each.assumed if each.kind in _FUNCTIONS else each.what), []).append(each)
    ranked = sorted(groups.items(), key=lambda group: _FIRST.index(group[0][0]) if group[0][0] in _FIRST else len(_FIRST))
    return [AssumptionGroup(kind, _about(kind, what, items), items, kind in _UNSURPRISING) for (kind, what), items in ranked]


def _assumptions(assumptions: Sequence[Assumption]) -> list[str]:
    return [_with_places(group) for group in grouped_assumptions(assumptions) if not group.is_usual]


def _with_places(group: AssumptionGroup) -> str:
    places = list(dict.fromkeys(place_text(each.file, each.line) for each in group.items if each.file is not None))
    more = f" and {counted(len(places) - _SHOWN_PLACES, 'other places')}" if len(places) > _SHOWN_PLACES else ""
    where = f" ({', '.join(places[:_SHOWN_PLACES])}{more})" if places else ""
    return f"assumes {'of' if group.kind in _FUNCTIONS else f'{group.kind}:'} {group.what}{where}"


def _about(kind: str, what: str, items: Sequence[Assumption]) -> str:
    """What is assumed; of functions, of which ones."""
    if kind not in _FUNCTIONS:
        return what
    functions = list(dict.fromkeys(f"{each.name}()" for each in items))
    others = f" and {counted(len(functions) - _SHOWN_NAMES, 'others')}" if len(functions) > _SHOWN_NAMES else ""
    clause = _FUNCTIONS[kind][len(functions) > 1]
    return f"{', '.join(functions[:_SHOWN_NAMES])}{others}, {clause}: {what}"
