"""What an analysis says about itself, so that one algorithm can run it (Beyer, Kettl, Lemberger 2024, section 2).

An abstract state is any value that can be hashed; it stands for a set of states of the program, all of them at one location. A
precision says how much of them the analysis tells apart; it grows by refinement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol, TypeVar

State = TypeVar("State")
Precision = TypeVar("Precision", contravariant=True)


class ConfigurableProgramAnalysis(Protocol[State, Precision]):
    """The operators. `merges`: is there anything that `merge` would join?"""

    merges: bool

    def initial(self) -> State: ...

    def location(self, state: State) -> int:
        """Where control is in all states that this one stands for."""

    def transfer(self, state: State, precision: Precision) -> Iterable[State]:
        """At least all states that follow, by one edge of the automaton or by one large block."""

    def merge(self, state: State, reached: State, precision: Precision) -> State:
        """`reached`, or a state that stands for both, which takes its place."""

    def stop(self, state: State, reached: Collection[State], precision: Precision) -> bool:
        """Do the reached states of its location cover the new one?"""

    def adjust(self, state: State, precision: Precision) -> State:
        """The state as the precision tells it: a larger one."""

    def is_target(self, state: State) -> bool:
        """Is it at a place that a proof must exclude?"""
