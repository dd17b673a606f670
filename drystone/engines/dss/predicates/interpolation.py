"""Whole traces of blocks, from the entry to the error: one that is possible is a counterexample; others give predicates.

A violation condition is a part of the states from which a trace leads to the error; that it is refuted may say little of the
rest. Here the whole trace is looked at. Is it possible (`traces`)? If it is refuted again and again, which predicates
would exclude it? For that there is one relation per cut point on it, and one clause per block (`solvers.horn`). The formulas
that solve the clauses hold after the blocks before and exclude what follows; their atoms become predicates. No actor knows
the blocks of a trace, so this is for the coordinator. It may find nothing, and it costs time.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence

from drystone.engines.dss.messages import COORDINATOR, Kind, Message, Reached, Step, packed
from drystone.engines.dss.predicates.traces import Trace, Traces
from drystone.engines.dss.preparation import Blocks
from drystone.logic import terms
from drystone.logic.terms import TRUE, Term
from drystone.solvers.clauses import Clause
from drystone.solvers.horn import interpolants
from drystone.symbolic.transformers import ENTRY

MOST_BLOCKS = 8  # of a trace
MOST_NODES = 4_000  # of its clauses
MOST_PREDICATES = 10  # of a location, from one trace
LARGEST_PREDICATE = 40  # nodes
PATIENCE = 64  # refuted violation conditions before interpolants are asked for; twice as many before the next time
FIRST = 4  # violation conditions before traces are looked at: where there are few, they tell all by themselves
EFFORT = 1_000_000  # of the solver, for one trace: less than a second
SECONDS = 1.0


class Interpolation:
    """What the coordinator knows of traces, and does about them."""

    def __init__(self, blocks: Blocks, limit_seconds: float = SECONDS, solver: str = "bitwuzla") -> None:
        """The limit is for one trace; with an infinite one, the answers are the same in every run."""
        self.blocks, self.limit_seconds = blocks, limit_seconds
        self.traces = Traces(blocks, solver)
        self._before = shortest_traces(blocks)
        self._behind: dict[str, Trace] = {}  # by violation condition, the blocks from its location to the error
        self._refuted: Counter[Trace] = Counter()
        self._looked_at: set[Trace] = set()  # whether they are possible
        self._asked: set[Trace] = set()  # for interpolants
        self._count, self._patience = 0, PATIENCE

    def note(self, message: Message) -> list[Message]:
        """Is told every message once; returns messages to blocks that should have more predicates, or a counterexample."""
        if message.kind is Kind.ERRORCONDITION:
            trace = self._behind[message.id] = tuple(step.block for step in message.trace)
            if len(self._behind) > FIRST and trace[0] in self._before:
                return self._followed((*self._before[trace[0]], *trace[1:]))
        elif message.parent in self._behind and message.sender in self._before:  # ERRORCONDITIONUNREACHABLE
            self._refuted[(*self._before[message.sender], *self._behind[message.parent])] += 1
            self._count += 1
            if self._count == self._patience:
                self._patience *= 2
                return self._refined(self._most_refuted())
        return []

    def last_resort(self, open_blocks: Iterable[str]) -> list[Message]:
        """When all is quiet: predicates from traces to an error that these blocks still allow; from each trace once."""
        wanted = frozenset(open_blocks)
        known = [*self._refuted, *(self._before[id] for id in self._before if id in wanted)]
        return [message for trace in known if trace[-1] in wanted for message in self._refined(trace)]

    def _followed(self, trace: Trace) -> list[Message]:
        """A result, if control can go along the trace; each trace is looked at once."""
        if trace in self._looked_at or self.blocks.blocks[trace[0]].start != ENTRY:
            return []
        self._looked_at.add(trace)
        if not self.traces.is_possible(trace, self.limit_seconds):
            return []
        steps = tuple(Step(block, "") for block in trace)
        return [Message(kind=Kind.RESULT, sender=COORDINATOR, receiver=COORDINATOR, trace=steps, content=Reached())]

    def _most_refuted(self) -> Trace:
        fit = (trace for trace in self._refuted if trace not in self._asked and len(trace) <= MOST_BLOCKS)
        return max(fit, key=self._refuted.__getitem__, default=())

    def _refined(self, trace: Trace) -> list[Message]:
        if not trace or trace in self._asked:
            return []
        self._asked.add(trace)
        found = predicates_along(self.blocks, trace, TRUE, limit_seconds=self.limit_seconds)
        return [
            Message(
                kind=Kind.ERRORCONDITIONUNREACHABLE,
                sender=COORDINATOR,
                receiver=id,
                location=location,
                id=f"interpolants {len(self._asked)}",
                terms=packed(atoms),
            )
            for location, atoms in found.items()
            for id in self.blocks.ending.get(location, ())
        ]


def shortest_traces(blocks: Blocks) -> dict[str, Trace]:
    """To each block one with the fewest blocks, from the entry or another block that nobody tells anything, up to this one."""
    found: dict[str, Trace] = {id: (id,) for id, block in blocks.blocks.items() if block.start not in blocks.ending}
    waiting = deque(found)
    while waiting:
        id = waiting.popleft()
        for location in blocks.blocks[id].transformer.exits:
            for following in blocks.starting.get(location, ()):
                if following not in found:
                    found[following] = (*found[id], following)
                    waiting.append(following)
    return found


def predicates_along(
    blocks: Blocks, trace: Sequence[str], before: Term, effort: int = EFFORT, limit_seconds: float = SECONDS
) -> dict[int, list[Term]]:
    """By location the atoms of formulas that hold there after the blocks before and keep the rest of the trace from the error.

    `trace`: blocks, each of which begins where the one before ends; the last one has the error. `before`: what holds first.
    Nothing, if the error can be reached or it is not known.
    """
    if not 1 < len(trace) <= MOST_BLOCKS:
        return {}
    clauses = _clauses(blocks, trace, before)
    if terms.size(term for clause in clauses for term in clause.terms()) > MOST_NODES:
        return {}
    found = interpolants(clauses, effort, limit_seconds)
    if found is None:
        return {}
    atoms: dict[int, dict[Term, None]] = {}
    for id, formulas in zip(trace[1:], found, strict=True):
        here = atoms.setdefault(blocks.blocks[id].start, {})
        for formula in formulas:
            here.update(dict.fromkeys(atom for atom in terms.atoms(formula) if terms.size(atom) <= LARGEST_PREDICATE))
    smallest = {location: sorted(each, key=lambda atom: (terms.size(atom), atom.hash)) for location, each in atoms.items()}
    return {location: each[:MOST_PREDICATES] for location, each in smallest.items() if each}


def _clauses(blocks: Blocks, trace: Sequence[str], before: Term) -> list[Clause]:
    """Without variables that the rest of the trace does not depend on."""

    transformers = [blocks.blocks[id].transformer for id in trace]
    clauses = [Clause(transformers[-1].violation)]
    for transformer, following in zip(transformers[-2::-1], transformers[:0:-1], strict=True):
        exit = transformer.exits[following.start]
        wanted = terms.free_symbols(clauses[-1].terms())
        clauses.append(Clause(exit.guard, {symbol: exit.after(symbol) for symbol in wanted if symbol.operator == "state"}))
    first = clauses.pop()
    return [Clause(terms.conjunction([before, first.guard]), first.values), *clauses[::-1]]
