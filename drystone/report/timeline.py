"""A picture of a trace: hosts as rows, calls as rectangles in the colour of their block. SVG, made by hand."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from drystone.base.plurals import counted
from drystone.runtime.trace import Section, Trace

_WIDTH, _LEFT, _TOP, _ROW, _GAP = 1200, 60, 40, 24, 6
_NARROWEST = 0.5  # of a rectangle of its own; narrower ones that touch are drawn as one
_TICKS = 8


def timeline(trace: Trace, name: str) -> Iterator[str]:
    """The lines of the picture."""
    hosts = max((section.begun.hosts for section in trace.sections), default=1)
    begin = trace.sections[0].begun.time if trace.sections else 0.0
    wall = trace.wall or 1.0
    scale = (_WIDTH - _LEFT - 20) / wall
    bottom = _TOP + hosts * (_ROW + _GAP)
    size = f'width="{_WIDTH}" height="{bottom + 30}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">'
    yield f"<title>{escape(name)}</title>"
    yield f'<rect {size} fill="white"/>'
    verdict = f", {trace.ended.verdict}" if trace.ended is not None else ", cut short"
    calls = counted(sum(map(len, trace.sections)), "calls")
    yield f'<text x="{_LEFT}" y="20" font-size="13">{escape(name)}: {calls}, {trace.wall:.3f} s{escape(verdict)}</text>'
    for host in range(hosts):
        y = _TOP + host * (_ROW + _GAP)
        yield f'<rect x="{_LEFT}" y="{y}" width="{wall * scale:.2f}" height="{_ROW}" fill="#f2f2f2"/>'
        yield f'<text x="4" y="{y + _ROW - 8}">host {host}</text>'
    for tick in range(_TICKS + 1):
        x = _LEFT + wall * scale * tick / _TICKS
        yield f'<line x1="{x:.2f}" y1="{bottom}" x2="{x:.2f}" y2="{bottom + 5}" stroke="black"/>'
        yield f'<text x="{x:.2f}" y="{bottom + 18}" text-anchor="middle">{wall * tick / _TICKS:.3g} s</text>'
    for number, section in enumerate(trace.sections):
        if number:
            x = _LEFT + (section.begun.time - begin) * scale
            yield f'<line x1="{x:.2f}" y1="{_TOP - 6}" x2="{x:.2f}" y2="{bottom}" stroke="black" stroke-dasharray="3 3"/>'
        yield from _calls(section, begin, scale)
    yield "</svg>"


def _calls(section: Section, begin: float, scale: float) -> Iterator[str]:
    pending: dict[int, tuple[float, float, str, str, int]] = {}  # by host: from where to where, colour, text, how many calls
    for call, host in enumerate(section.hosts):
        left = _LEFT + (section.began[call] - begin) * scale
        right = left + section.seconds[call] * scale
        block = section.blocks[call]
        colour, text = _colour(block), _text(section, call)
        before = pending.get(host)
        if before is not None:
            if right - before[0] < _NARROWEST:
                pending[host] = (before[0], right, "#888888", f"{before[4] + 1} calls", before[4] + 1)
                continue
            yield _rectangle(host, *before[:4])
        pending[host] = (left, right, colour, text, 1)
    for host, last in pending.items():
        yield _rectangle(host, *last[:4])


def _text(section: Section, call: int) -> str:
    id, line, _ = section.begun.blocks[section.blocks[call]]
    return (
        f"block {id}, line {line}: call {section.numbers[call]}, {section.seconds[call]:.4f} s, "
        f"of these {section.solving[call]:.4f} s solving"
    )


def _rectangle(host: int, left: float, right: float, colour: str, text: str) -> str:
    y, width = _TOP + host * (_ROW + _GAP), max(right - left, _NARROWEST / 2)
    return (
        f'<rect x="{left:.2f}" y="{y}" width="{width:.2f}" height="{_ROW}" fill="{colour}"><title>{escape(text)}</title></rect>'
    )


def _colour(block: int) -> str:
    """Neighbours differ: hues by the golden angle."""
    return f"hsl({block * 137.508 % 360:.0f}, 65%, {45 + block * 7 % 20}%)"
