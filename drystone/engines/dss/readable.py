"""Messages as lines for people: places of the source, C expressions over its variables."""

from __future__ import annotations

from collections.abc import Sequence

from drystone.base.plurals import counted
from drystone.engines.dss.domain import Worded
from drystone.engines.dss.messages import COORDINATOR, Concrete, Failure, Kind, Message, Reached, Refined
from drystone.engines.dss.preparation import Blocks
from drystone.ir.automaton import Program
from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.symbolic.source_names import Wording, is_own
from drystone.symbolic.transformers import ENTRY

_LARGEST = 400  # nodes of a formula that anyone would read
_LONGEST_TRACE = 12  # blocks
_WITH_PLACE = frozenset((Kind.BLOCKPOSTCONDITION, Kind.ERRORCONDITION, Kind.ERRORCONDITIONUNREACHABLE))


class Readable:
    """The words for the messages between these blocks; the domain tells what a postcondition is made of."""

    def __init__(self, program: Program, blocks: Blocks, domain: Worded) -> None:
        self.program, self.blocks, self.domain = program, blocks, domain
        self.wording = Wording(blocks.system.symbolic)

    def line(self, message: Message, receiver: str = "") -> str:
        """Kind, sender -> receiver, place, level, and what it says."""
        receiver = receiver or message.receiver or "all"
        level = f"level {message.level}" if message.level else ""
        parts = [f"{message.kind.name:<25}", f"{message.sender} -> {receiver}", self.place(message, receiver), level]
        return "  ".join([*(part for part in parts if part), self.text(message)])

    def place(self, message: Message, receiver: str) -> str:
        if message.kind in _WITH_PLACE and message.location in self.blocks.starting:
            return self.where(message.location)
        block = self.blocks.blocks.get(receiver if message.sender == COORDINATOR else message.sender)
        return self.where(block.start) if block is not None else ""

    def where(self, location: int) -> str:
        """file:line of a cut point."""
        system = self.blocks.system
        known = system.symbolic.procedure.entry if location == ENTRY else location
        return self.program.where(system.origin(known))

    def text(self, message: Message) -> str:
        """What a message says."""
        match message.kind, message.content:
            case Kind.START, _:
                return "look for errors"
            case Kind.ERROR, Failure(reason):
                return reason
            case Kind.RESULT, Reached(exact):
                doubt = "" if exact else ", as far as the predicates tell"
                return f"the error is reached through {self._trace(message)}{doubt}"
            case Kind.RESULT, Refined(predicates):
                return counted(predicates, "new predicates")
            case ((Kind.ERROR | Kind.RESULT), _):
                return ""
            case Kind.ERRORCONDITION, Concrete() if message.sender == COORDINATOR:
                return f"is there an execution through {self._trace(message)}?"
            case Kind.ERRORCONDITION, _:
                return self.formulas(message.location, message.conjuncts())
            case Kind.BLOCKPOSTCONDITION, _:
                return self.formulas(message.location, [self.domain.post(message.conjuncts())])
            case _:  # a cube that no state satisfies
                return self.formulas(message.location, [terms.negate(terms.conjunction(message.conjuncts()))])

    def formulas(self, location: int, conjuncts: Sequence[Term]) -> str:
        """A conjunction as C; what the source has no name for is left out, and said to be."""
        listed = [each for each in conjuncts if each is not TRUE]
        if not listed:
            return "any state"
        if FALSE in listed:
            return "no state"
        size = terms.size(listed)
        if size > _LARGEST:
            return f"(a formula of {size} nodes)"
        known = location if location in self.blocks.starting else self.blocks.system.symbolic.procedure.entry
        shown = self.wording.at(known, listed)
        hidden = [each for each in listed if any(is_own(symbol) for symbol in terms.free_symbols(each))]
        texts = [f"({text})" if len(listed) > 1 and ("||" in text or "?" in text) else text for text in shown]
        return " && ".join([*texts, *(["(something about what drystone added)"] if hidden else [])])

    def _trace(self, message: Message) -> str:
        names = [step.block for step in message.trace]
        if len(names) > _LONGEST_TRACE:
            left_out = len(names) - _LONGEST_TRACE + 1
            names = [*names[: _LONGEST_TRACE - 2], f"{left_out} more", names[-1]]
        return ", ".join(names)
