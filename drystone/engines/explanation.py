"""Why a proof by induction went as it did, in lines for people: `drystone verify --explain`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from drystone.base.plurals import counted
from drystone.claims.certificates import Invariant
from drystone.invariants.candidates import Candidate
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.logic.sorts import BOOL, Array, Float
from drystone.logic.terms import Term
from drystone.solvers import Solver
from drystone.symbolic.source_names import Wording, is_own
from drystone.symbolic.transformers import Bad, TransitionSystem

_SHOWN_INVARIANTS, _SHOWN_LOOPS, _SHOWN_VALUES = 8, 40, 8
_LONGEST = 160  # characters of an invariant


class Explanation(msgspec.Struct):
    """What became of the candidates and of the induction; the search notes it here as it goes."""

    program: Program
    system: TransitionSystem
    proposed: Sequence[Candidate] | None = None  # None: none were asked for
    kept: Mapping[int, Sequence[Candidate]] = {}
    out_of_time: bool = False  # before it was known which candidates hold
    failure: str = ""  # of the latest induction step

    def lines(self, is_proved: bool, proof: Sequence[Invariant]) -> tuple[str, ...]:
        """`proof`: the invariants of the certificate."""
        found: list[str] = []
        if self.proposed is None and is_proved:
            found.append("no candidate invariants were needed")
        for cut in self.system.cut_points[:_SHOWN_LOOPS] if self.proposed is not None else ():
            found += self._loop(cut, proof)
        if len(self.system.cut_points) > _SHOWN_LOOPS and self.proposed is not None:
            found.append(f"and {counted(len(self.system.cut_points) - _SHOWN_LOOPS, 'more loops')}")
        if self.out_of_time:
            found.append("time ran out before it was known which candidates hold, so none was used")
        if not is_proved and self.failure:
            found.append(self.failure)
        return tuple(found)

    def _loop(self, cut: int, proof: Sequence[Invariant]) -> list[str]:
        wording = Wording(self.system.symbolic)
        proposed = [each for each in self.proposed or () if each.cut == cut]
        kept = self.kept.get(cut, ())
        where = self.program.where(self.system.origin(cut))
        lines = [f"loop at {where}: {counted(len(proposed), 'candidates')}, {_holding(len(kept), 'of them ')}"]
        for source in dict.fromkeys(each.source for each in (*proposed, *kept)):
            count = sum(each.source == source for each in proposed)
            shown = wording.at(cut, [each.term for each in kept if each.source == source][: 2 * _SHOWN_INVARIANTS])
            held = sum(each.source == source for each in kept)
            lines.append(f"  {source}: {count} proposed, {_holding(held)}" + _listed(shown, held))
        for invariant in proof:
            if invariant.location == self.system.original[cut] and invariant.text:
                lines.append("  the proof uses" + _listed(invariant.text, len(invariant.text)))
        return lines

    def step_failed(self, k: int, solver: Solver, starts: Mapping[int, Term], bad: Sequence[Bad]) -> None:
        """The solver has a model of k blocks the last of which gets to something bad. `starts`: when they start where."""
        reached = next((each.mark for each in bad if solver.value(each.guard)), None)
        start = next((cut for cut, guard in starts.items() if solver.value(guard)), None)
        if reached is None or start is None:
            return
        values = self._values(start, solver)
        from_ = f"from {self.program.where(self.system.origin(start))}" + (f" with {', '.join(values)}" if values else "")
        before = f" after {counted(k - 1, 'blocks')} without an error" if k > 1 else ""
        self.failure = (
            f"the induction step with k = {k} fails: {from_}, {reached.what} at {self.program.where(reached.origin)} is reached"
            f"{before}; if no execution gets to that state, an invariant is missing"
        )

    def _values(self, cut: int, solver: Solver) -> list[str]:
        """The state at a cut point in the solver's model, as equations."""
        equations: list[Term] = []
        for symbol in self.system.live_variables(cut):
            if len(equations) < _SHOWN_VALUES and not is_own(symbol) and not isinstance(symbol.sort, (Array, Float)):
                value = solver.value(symbol)
                if isinstance(value, int):
                    equations.append(terms.intern("=", BOOL, (symbol, terms.constant(symbol.sort, value))))
        return Wording(self.system.symbolic).at(cut, equations)

    def step_unanswered(self, k: int, solver: str) -> None:
        self.failure = f"the induction step with k = {k} was not answered by {solver}"


def _holding(count: int, of_what: str = "") -> str:
    return f"{count} {of_what}{'holds' if count == 1 else 'hold'}"


def _listed(texts: Sequence[str], count: int) -> str:
    if not texts:
        return ""
    more = count - min(len(texts), _SHOWN_INVARIANTS)
    shown = [text if len(text) <= _LONGEST else text[:_LONGEST] + "…" for text in texts[:_SHOWN_INVARIANTS]]
    return ": " + "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
