"""Which values a few flags have together: a set of tuples, from the sampled states.

Programs that are state machines need it: no formula about single flags tells which of their combinations occur. The set is
the one candidate that Houdini does not drop when a block leaves it, but weakens by the values that the block has led to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from drystone.analysis.context import Candidates, Context, Proposal
from drystone.logic import terms
from drystone.logic.sorts import BitVec, Bool
from drystone.logic.terms import Term, equal, make, negate
from drystone.program.transformers import TransitionSystem

MOST_TUPLES = 200
MOST_GROWTH = 300
_MOST_FLAGS = 24
_MOST_VALUES = 40  # of a flag
_SIZES = (24, MOST_TUPLES // 2)  # numbers of sampled tuples up to which flags are added


@dataclass(frozen=True)
class Valuations:
    """The flags have the values of one of the tuples."""

    flags: tuple[Term, ...]
    tuples: frozenset[tuple[int, ...]]
    growth: int = field(default=0, compare=False)  # how often it was weakened

    @cached_property
    def term(self) -> Term:
        """As a tree: the values of the first flag, and under each of them those of the others."""
        suffixes: dict[tuple[int, ...], Term] = dict.fromkeys(self.tuples, terms.TRUE)
        for position in range(len(self.flags) - 1, -1, -1):
            grouped: dict[tuple[int, ...], list[Term]] = {}
            for values, rest in suffixes.items():
                grouped.setdefault(values[:-1], []).append(
                    make("and", terms.TRUE.sort, _has(self.flags[position], values[-1]), rest)
                )
            suffixes = {values: terms.disjunction(ways) for values, ways in grouped.items()}
        return suffixes[()]

    def holds(self, state: Mapping[Term, int]) -> bool:
        return tuple([state[flag] for flag in self.flags]) in self.tuples

    def including(self, state: Mapping[Term, int]) -> Valuations | None:
        """A weaker formula that holds in this state as well; None if there is none that says enough.

        Where there are too many tuples, the flag goes without which there are the fewest.
        """
        flags, tuples = self.flags, self.tuples | {tuple([state[flag] for flag in self.flags])}
        while len(tuples) > MOST_TUPLES:
            if len(flags) <= 2 or self.growth > MOST_GROWTH:
                return None
            fewer = [frozenset(values[:i] + values[i + 1 :] for values in tuples) for i in range(len(flags))]
            position = min(range(len(flags)), key=lambda i: (len(fewer[i]), -i))
            flags, tuples = flags[:position] + flags[position + 1 :], fewer[position]
        return Valuations(flags, tuples, self.growth + 1)


def _has(flag: Term, value: int) -> Term:
    if type(flag.sort) is Bool:
        return flag if value else negate(flag)
    return equal(flag, terms.constant(flag.sort, value))


class FlagValuations:
    name = "valuations"

    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        found: Candidates = {}
        for cut in system.cut_points:
            flags, rows = self._flags(context, cut)
            proposed: list[Proposal] = []
            for most in _SIZES:
                chosen = _joined(rows, most)
                if len(chosen) > 1:
                    tuples = frozenset(tuple([row[i] for i in chosen]) for row in rows)
                    proposed.append(Valuations(tuple([flags[i] for i in chosen]), tuples))
            found[cut] = list(dict.fromkeys(proposed))
        return found

    def _flags(self, context: Context, cut: int) -> tuple[list[Term], list[list[int]]]:
        """Variables that have more than one value in the samples, and only few at all, and the samples."""
        symbols = [each for each in context.system.live_variables(cut) if isinstance(each.sort, (BitVec, Bool))]
        symbols = sorted(symbols, key=context.distance)[: 8 * _MOST_FLAGS]
        interpretation = context.interpretation
        if interpretation.complete:
            found = interpretation.at(cut)
            symbols = [each for each in symbols if type(each.sort) is Bool or isinstance(found.get(each), frozenset)]
        rows = context.values(cut, symbols)
        fit = [i for i in range(len(symbols)) if 2 <= len({row[i] for row in rows}) <= _MOST_VALUES][:_MOST_FLAGS]
        return [symbols[i] for i in fit], [[row[i] for i in fit] for row in rows]


def _joined(rows: list[list[int]], most: int) -> list[int]:
    """Flags, the most important first, as long as their values together make at most so many tuples."""
    chosen: list[int] = []
    for position in range(len(rows[0]) if rows else 0):
        if len({tuple([row[i] for i in (*chosen, position)]) for row in rows}) <= most:
            chosen.append(position)
    return chosen
