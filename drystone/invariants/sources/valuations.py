"""Which values a few flags have together: a set of tuples, from the sampled states.

Programs that are state machines need it: no formula about single flags tells which of their combinations occur. A set that
a block leaves is not dropped but grows, see `invariants.closure`. Of a variable that may have any value, only the constants
that the program compares it with are told apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.invariants.context import Candidates, Context, Proposal
from drystone.invariants.flags import MOST_TUPLES, MOST_VALUES, Flag, Valuations
from drystone.logic.sorts import BitVec, Bool
from drystone.logic.terms import Term
from drystone.symbolic.transformers import TransitionSystem

_MOST_FLAGS = 24
_FEW_VALUES = 8  # in the samples, of variables that may have more
_SIZES = (24, MOST_TUPLES // 4)  # numbers of sampled tuples up to which flags are added


class FlagValuations:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        return {cut: list(dict.fromkeys(self._at(context, cut))) for cut in system.cut_points}

    def _at(self, context: Context, cut: int) -> Iterator[Proposal]:
        symbols = [each for each in context.system.live_variables(cut) if isinstance(each.sort, (BitVec, Bool))]
        symbols = sorted(symbols, key=context.distance)[: 8 * _MOST_FLAGS]
        samples = context.values(cut, symbols)
        sure: list[Flag] = []
        still: list[Flag] = []  # that have not changed in any run, but may
        unsure: list[Flag] = []
        for position, symbol in enumerate(symbols):
            values = {row[position] for row in samples}
            domain = self._domain(context, cut, symbol)
            if domain is not None:
                flag = Flag(symbol, domain)
                if len({flag.of(value) for value in values}) > 1:
                    sure.append(flag)
                elif len(domain) > 1 and isinstance(context.interpretation.at(cut).get(symbol), frozenset):
                    still.append(flag)
            elif 2 <= len(values) <= _FEW_VALUES:
                unsure.append(Flag(symbol, None))
        places = {symbol: position for position, symbol in enumerate(symbols)}
        everything, all_sure = ([*sure, *more] for more in (unsure, still))
        everything, all_sure = (sorted(flags, key=lambda flag: places[flag.term]) for flags in (everything, all_sure))
        nearest = [[flag for flag in sure if context.distance(flag.term) <= distance] for distance in (0, 1)]
        copied = {source for flag in nearest[0] for source in context.copied.get(flag.term, ())}
        with_copies = [flag for flag in nearest[1] if flag in nearest[0] or flag.term in copied]
        for flags in (nearest[0], with_copies, nearest[1], sure[:_MOST_FLAGS], all_sure[:_MOST_FLAGS], everything[:_MOST_FLAGS]):
            rows = [[flag.of(sample[places[flag.term]]) for flag in flags] for sample in samples]
            for most in _SIZES:
                chosen = _joined(rows, most)
                if len(chosen) > 1:
                    tuples = frozenset(tuple([row[i] for i in chosen]) for row in rows)
                    yield Valuations(tuple([flags[i] for i in chosen]), tuples)

    def _domain(self, context: Context, cut: int, symbol: Term) -> frozenset[int] | None:
        """Values to tell apart: all that the variable may have, if these are few, or those that it is compared with."""
        value = context.interpretation.at(cut).get(symbol)
        if isinstance(value, frozenset) or type(symbol.sort) is Bool:
            return frozenset((0, 1)) if not isinstance(value, frozenset) else value
        compared = context.equated.get(symbol)
        return compared if compared is not None and len(compared) <= MOST_VALUES else None


def _joined(rows: list[list[int]], most: int) -> list[int]:
    """Flags, the most important first, as long as their values together make at most so many tuples."""
    chosen: list[int] = []
    for position in range(len(rows[0]) if rows else 0):
        if len({tuple([row[i] for i in (*chosen, position)]) for row in rows}) <= most:
            chosen.append(position)
    return chosen
