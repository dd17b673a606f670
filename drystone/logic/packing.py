"""Terms as bytes: what messages carry.

A packed graph lists its nodes in the order of a depth-first walk from the roots, each as the number of its shape
(operator, sort, and for `extract` the bits) and the distances back to its arguments, or for a leaf the number of
its payload. Arguments are ordered by content and the walk follows them, so equal terms give equal bytes in every
process: `digest` is a hash of the content.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from drystone.logic.sorts import Sort
from drystone.logic.terms import Term, constant, input_symbol, intern, intern_extract, state
from drystone.logic.wellformed import is_application, is_sort, is_value

_LEAVES = frozenset(("const", "state", "input"))
_PLAIN, _ZSTD = b"\0", b"\1"


class _Shape(msgspec.Struct, frozen=True, array_like=True):
    operator: str
    sort: Sort
    arity: int
    bits: tuple[int, int] | None = None


class _Graph(msgspec.Struct, array_like=True):
    shapes: list[_Shape]
    payloads: list[int | str]  # names, and values; values of more than 64 bits in hexadecimal
    code: list[int]
    roots: list[int]


_encoder = msgspec.msgpack.Encoder()


@cache  # what is packed is not always unpacked
def _decoder() -> msgspec.msgpack.Decoder[_Graph]:
    return msgspec.msgpack.Decoder(_Graph)


def pack(terms: Sequence[Term], compress: bool = False) -> bytes:
    """The terms as bytes. `compress` asks for zstd, which is used if this Python has it."""
    shapes: dict[Any, int] = {}
    shape_list: list[_Shape] = []
    payloads: dict[tuple[bool, Any], int] = {}
    code: list[int] = []
    numbers: dict[Term, int] = {}
    for root in terms:
        stack = [root]
        while stack:
            term = stack[-1]
            if term in numbers:
                stack.pop()
                continue
            waiting = [argument for argument in term.arguments if argument not in numbers]
            if waiting:
                waiting.reverse()
                stack.extend(waiting)
                continue
            stack.pop()
            operator, arguments = term.operator, term.arguments
            bits = term.payload if operator == "extract" else None
            key = (operator, term.sort, bits)
            shape = shapes.get(key)
            if shape is None:
                shape = shapes[key] = len(shape_list)
                shape_list.append(_Shape(operator, term.sort, len(arguments), bits))
            code.append(shape)
            number = len(numbers)
            if arguments:
                for argument in arguments:
                    code.append(number - numbers[argument])
            else:
                payload = (operator == "const", term.payload)
                code.append(payloads.setdefault(payload, len(payloads)))
            numbers[term] = number
    texts = [hex(value) if is_value and value >> 63 else value for is_value, value in payloads]
    data = _encoder.encode(_Graph(shape_list, texts, code, [numbers[root] for root in terms]))
    zstd = _zstd() if compress else None
    return _ZSTD + zstd.compress(data) if zstd is not None else _PLAIN + data


def unpack(data: bytes, untrusted: bool = False) -> list[Term]:
    """The terms that were packed; raises ValueError on anything else.

    What is `untrusted` may come from anywhere: nothing becomes a term before every node is known to be well-formed.
    """
    body = data[1:]
    if data[:1] == _ZSTD:
        body = _decompressed(body)
    elif data[:1] != _PLAIN:
        raise ValueError("no packed terms")
    try:
        graph = _decoder().decode(body)
        if untrusted:
            _check_nodes(graph)
        nodes = _unpack_nodes(graph)
        return [nodes[root] for root in graph.roots]
    except (msgspec.DecodeError, IndexError, StopIteration, TypeError) as error:
        raise ValueError(f"no packed terms: {error}") from error


def _unpack_nodes(graph: _Graph) -> list[Term]:
    nodes: list[Term] = []
    append = nodes.append
    step = iter(graph.code).__next__
    shapes = [(shape, shape.operator, shape.sort, shape.arity) for shape in graph.shapes]
    remaining = len(graph.code)
    while remaining:
        shape, operator, sort, arity = shapes[step()]
        if arity == 2:
            append(intern(operator, sort, (nodes[-step()], nodes[-step()])))
            remaining -= 3
        elif arity == 0:
            append(_leaf(operator, sort, graph.payloads[step()]))
            remaining -= 2
        elif shape.bits is not None:
            append(intern_extract(sort, nodes[-step()], *shape.bits))
            remaining -= 2
        else:
            append(intern(operator, sort, tuple([nodes[-step()] for _ in range(arity)])))
            remaining -= arity + 1
    return nodes


def _check_nodes(graph: _Graph) -> None:
    """Raises ValueError unless every node is well-formed and every reference leads back to a node."""
    for shape in graph.shapes:
        if not is_sort(shape.sort):
            raise ValueError(f"no packed terms: {shape.sort} is no sort")
    sorts: list[Sort] = []
    step = iter(graph.code).__next__
    remaining = len(graph.code)
    while remaining > 0:
        shape = graph.shapes[_within(step(), len(graph.shapes))]
        if shape.arity > 0:
            arguments = [sorts[-_within(step() - 1, len(sorts)) - 1] for _ in range(shape.arity)]
            well_formed = is_application(shape.operator, shape.sort, arguments, shape.bits)
        else:
            payload = graph.payloads[_within(step(), len(graph.payloads))]
            well_formed = shape.arity == 0 and shape.bits is None and _is_leaf(shape, payload)
        if not well_formed:
            raise ValueError(f"no packed terms: {shape.operator} cannot be used like this")
        sorts.append(shape.sort)
        remaining -= max(shape.arity, 1) + 1
    for root in graph.roots:
        _within(root, len(sorts))


def _within(index: int, length: int) -> int:
    if not 0 <= index < length:
        raise IndexError("a reference leads nowhere")
    return index


def _is_leaf(shape: _Shape, payload: int | str) -> bool:
    if shape.operator == "const":
        return is_value(shape.sort, int(payload, 16) if isinstance(payload, str) else payload)
    return shape.operator in _LEAVES and isinstance(payload, str)


def _leaf(operator: str, sort: Sort, payload: int | str) -> Term:
    if operator == "const":
        return constant(sort, int(payload, 16) if isinstance(payload, str) else payload)
    return (state if operator == "state" else input_symbol)(str(payload), sort)


def digest(terms: Sequence[Term]) -> str:
    """A hash of the content of the terms, the same in every process."""
    from hashlib import blake2b  # loads all of OpenSSL

    return blake2b(pack(terms), digest_size=16).hexdigest()


def _decompressed(body: bytes) -> bytes:
    zstd = _zstd()
    if zstd is None:
        raise ValueError("packed with zstd, which this Python does not have")
    try:
        return bytes(zstd.decompress(body))
    except Exception as error:  # each library has a type of its own for this
        raise ValueError(f"no packed terms: {error}") from error


def _zstd() -> Any | None:
    """A module with compress and decompress, if there is one."""
    for name in ("compression.zstd", "zstandard"):
        try:
            return __import__(name, fromlist=["compress"])
        except ImportError:
            continue
    return None
