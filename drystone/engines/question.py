"""What an engine is asked, and what it may use to find the answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.outcome import Observer
from drystone.engines.strategy import Turn
from drystone.ir.automaton import Origin, Program
from drystone.pipeline import PreparedProgram

if TYPE_CHECKING:
    from drystone.engines.input_styles import Constants


class Settings(msgspec.Struct, frozen=True):
    """What a user can set, for all engines."""

    seed: int = 0
    candidates: tuple[str, ...] | None = None  # sources of candidate invariants; None: all
    decomposition: str = "loops"  # into blocks, for `dss`
    summaries: str = "lemmas"  # of blocks, for `dss`
    workers: int = 1  # processes, for `auto`, `dss`, `dcpa`, `tree` and `explicit`
    predictable: bool = False  # `dss`: the same run for any number of workers
    broadcast: bool = False  # `dss`: every message to every block
    memory: float = math.inf  # bytes, for all processes together
    start: str = "top"  # `dss`, predicates: what a block assumes before it is told anything, `top` or `bottom`
    max_cubes: int = 16  # `dss`, predicates: of a postcondition
    instantiation: str = "context-aware"  # `dss`, predicates: or `context-free`
    domain: str = "predicates"  # `dcpa`: what workers say of states
    direction: str = "both"  # `dcpa`: or `forward`, `backward`
    switches: tuple[str, ...] = ()  # `dcpa`: of `engines.dcpa.options.SWITCHES`
    max_states: int | None = None  # `dcpa`: that are kept apart where blocks meet
    abstraction: str | None = (
        None  # `interleaving`: `explicit`, `predicates`; `predicate`, `tree`: `boolean`, `cartesian`; the first
    )
    reduction: str = "coi-por"  # `interleaving`: `none`, `por`, `coi`, `coi-por`, `por-coi`
    blk: str = "loops"  # `predicate`: where abstractions are computed, or `edge`, `every:N`, `function`
    encoding: str | None = (
        None  # `predicate`, `bmc`, `tree`: what a step is, `single`, `large`, `large+`; None: from loop head to loop head
    )
    selection: str = "predictable"  # `tree`: of counterexamples, or `naive`
    precedence: str | None = (
        None  # `dss`, `dcpa`: what blocks take first, `errors` or `postconditions`; None: as the engine has it
    )
    strategy: tuple[Turn, ...] = ()  # `auto`: who takes turns; none: as the program's features say
    maxenum: int = 64  # `value`: of an input, or of a variable behind a branch, that are tried one by one
    is_told: bool = False  # what blocks tell each other is kept, for a report


class Suggestions(Protocol):
    """Inputs that may reach an error, found by somebody else at the same time."""

    def start(self) -> None: ...

    def is_running(self) -> bool:
        """May there be more?"""

    def take(self, seconds: float = 0.0) -> Mapping[str | Origin, Sequence[bytes]] | None:
        """What `SuggestedInputs` takes, or None if nothing comes within so many seconds."""

    def close(self) -> None:
        """Ends it; nothing is left behind."""


Compiled = Callable[["Constants"], Suggestions]
MakeSetting = Callable[[int], object]  # where the work of so many workers lives: the business of the engine that has workers


class Question(msgspec.Struct, frozen=True):
    """Can the error of the program be reached?"""

    prepared: PreparedProgram
    settings: Settings
    deadline: Deadline
    observer: Observer
    compiled: Compiled | None = None  # runs the program compiled, if it may be
    setting: MakeSetting | None = None  # for `dss`, given how many workers it may have
    executed: Program | None = None  # the program as `execute` is to run it, if that is another reading
    is_brief: bool = False  # a first look, before other engines have theirs
    meanwhile: Callable[[], None] = lambda: None  # for `auto`: what this process does while engines have begun in others

    @property
    def program(self) -> Program:
        return self.prepared.program
