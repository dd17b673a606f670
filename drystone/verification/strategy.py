"""The file of `--strategy`: which engines take turns, a line for each. What is wrong with it is refused, with its line.

# comments begin so
value --maxenum 256                        share 4
dss --decomposition linear
dss --decomposition loops --summaries predicates
bmc                                        share 0.5 after 2s
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args, get_type_hints

import msgspec

from drystone.base.durations import seconds_of
from drystone.base.refusal import Refusal
from drystone.base.registry import names_in
from drystone.engines.registry import AUTO, ENGINES, FORGETFUL
from drystone.engines.strategy import Turn, Value
from drystone.verification.options import Options, reject_contradictions
from drystone.verification.tasks import read_bytes

_OF_BLOCKS = ("decomposition", "start", "precedence")
OPTIONS: dict[str, tuple[str, ...]] = {
    "bmc": ("encoding",),
    "k-induction": ("candidates",),
    "dss": (*_OF_BLOCKS, "summaries", "candidates", "max_cubes", "instantiation"),
    "dcpa": (*_OF_BLOCKS, "domain", "direction", "switches", "max_states"),
    "value": ("maxenum",),
    "predicate": ("abstraction", "blk", "encoding"),
    "tree": ("abstraction", "encoding", "selection"),
    "interleaving": ("abstraction", "reduction"),
}
"""What a turn of an engine can be told, beside the seed; under other names than FORGETFUL, which is a `dss`."""


def turns_in(file: str) -> list[Turn]:
    try:
        text = read_bytes(file).decode()
    except UnicodeDecodeError as problem:
        raise Refusal(f"{file}: is not text in UTF-8: {problem.reason}") from None
    turns: list[Turn] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            turn = _turn(words)
            if turn.name in lines:
                raise ValueError(f"{turn.name} has a turn already, by line {lines[turn.name]}")
        except (ValueError, Refusal) as problem:
            raise Refusal(f"{file}:{number}: {problem}") from None
        lines[turn.name] = number
        turns.append(turn)
    if not turns:
        raise Refusal(f"{file}: names no engine")
    return turns


def _turn(words: Sequence[str]) -> Turn:
    engine, rest = _engine(words)
    given: dict[str, Value] = {}
    shared: dict[str, float] = {}
    for word, text in _pairs(rest):
        if word in shared or word in given:
            raise ValueError(f"{_shown(word)} is there twice")
        if word in ("share", "after"):
            shared[word] = _positive(text) if word == "share" else seconds_of(text)
        else:
            given[word] = _value(engine, word, text)
    _check(engine, given)
    return Turn(engine, given, **shared)


def _engine(words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The name of the engine, and the words behind it."""
    long = FORGETFUL.split()
    if list(words[: len(long)]) == long:
        return FORGETFUL, words[len(long) :]
    if words[0] == AUTO:
        raise ValueError(f"{AUTO} chooses engines itself: name those that are to have a turn")
    if words[0] not in ENGINES:
        known = ", ".join(each for each in [*ENGINES, FORGETFUL] if each != AUTO)
        raise ValueError(f"no engine {words[0]!r}; there are {known}")
    return words[0], words[1:]


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Fields of `Options`, `share` or `after`, and what is said about them."""
    at = 0
    while at < len(words):
        word, is_joined, text = words[at].partition("=")
        if word not in ("share", "after") and not word.startswith("--"):
            raise ValueError(f"{words[at]!r} is not an option, nor `share N` or `after TIME`")
        at += 1
        if not is_joined:
            if at == len(words):
                raise ValueError(f"{word} needs a value")
            text = words[at]
            at += 1
        yield word.removeprefix("--").replace("-", "_"), text


def _shown(field: str) -> str:
    return field if field in ("share", "after") else f"--{field.replace('_', '-')}"


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < math.inf:
        raise ValueError(f"share {text} is not a number above 0")
    return value


def _value(engine: str, field: str, text: str) -> Value:
    known = (*OPTIONS.get(_as_asked(engine), ()), "seed")
    if field not in known:
        raise ValueError(f"{engine} has no {_shown(field)} here, only {', '.join(map(_shown, known))}")
    if field in ("candidates", "switches"):
        return _names(field, text)
    kind = get_type_hints(Options, include_extras=True)[field]
    try:
        value: Value = msgspec.convert(text, kind, strict=False)
        return value
    except msgspec.ValidationError:
        named = [str(name) for part in get_args(kind) for name in (get_args(part) or (part,)) if isinstance(name, str)]
        if named:
            raise ValueError(f"{_shown(field)} {text} is not one of {', '.join(named)}") from None
        raise ValueError(f"{_shown(field)} takes a number, at least {int(field != 'seed')}, not {text!r}") from None


def _names(field: str, text: str) -> tuple[str, ...] | None:
    from drystone.engines.dcpa.registry import SWITCHES
    from drystone.invariants.registry import SOURCES

    if field == "switches":
        return names_in(text, SWITCHES, "switch")
    return None if text == "all" else names_in(text, SOURCES, "source")


def _as_asked(engine: str) -> str:
    return "dss" if engine == FORGETFUL else engine


def _check(engine: str, given: Mapping[str, Value]) -> None:
    from drystone.verification.named_parts import check_named_parts

    options = Options(engine=_as_asked(engine), **given)  # type: ignore[arg-type]
    reject_contradictions(options)
    check_named_parts(options)
