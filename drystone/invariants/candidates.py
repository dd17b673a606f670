"""Candidate invariants of all sources. What becomes of them: `invariants.houdini`.

A candidate is a formula over the state variables at a cut point that may be an invariant there. Sources are
independent of each other; what they share is in the `Context`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from drystone.base.deadline import Deadline
from drystone.invariants.context import Candidates, Context, Proposal
from drystone.invariants.flags import Valuations
from drystone.invariants.registry import SOURCES
from drystone.logic.terms import Term, has_inputs
from drystone.symbolic.transformers import TransitionSystem

__all__ = ["Candidate", "Candidates", "Context", "Proposal", "propose", "propose_in"]


class Candidate(msgspec.Struct, frozen=True):
    cut: int
    term: Term
    source: str
    valuations: Valuations | None = None  # of which the term says the same, if it may be weakened


def propose(
    system: TransitionSystem, names: Sequence[str] = tuple(SOURCES), seed: int = 0, deadline: Deadline | None = None
) -> list[Candidate]:
    """Candidates of the named sources, each formula once per cut point, at most `Context.limit` per cut point.

    Where there are too many, sources take turns, so that none crowds out the others.
    """
    return propose_in(Context(system, seed, deadline or Deadline()), names, system.cut_points)


def propose_in(context: Context, names: Sequence[str], cuts: Iterable[int]) -> list[Candidate]:
    """For these cut points."""
    proposed: dict[str, Candidates] = {}
    for name in names:
        if not context.deadline.expired():
            source = SOURCES[name].load()()
            proposed[name] = source.propose(context.system, context)
    found: list[Candidate] = []
    for cut in cuts:
        queues = {name: iter(candidates.get(cut, ())) for name, candidates in proposed.items()}
        taken: set[Term] = set()
        while queues and len(taken) < context.limit:
            for name in list(queues):
                candidate = _next(cut, name, queues[name], taken)
                if candidate is None:
                    del queues[name]
                elif len(taken) < context.limit:
                    taken.add(candidate.term)
                    found.append(candidate)
    return found


def _next(cut: int, name: str, queue: Iterator[Proposal], taken: set[Term]) -> Candidate | None:
    """The next proposal that nothing has proposed before."""
    for proposal in queue:
        valuations = proposal if isinstance(proposal, Valuations) else None
        term = proposal.term if isinstance(proposal, Valuations) else proposal
        if term not in taken:
            assert not has_inputs(term), f"{name} proposed {term}"
            return Candidate(cut, term, name, valuations)
    return None
