"""What a block knows of the states at its start: postconditions of the blocks before it, and invariants.

Within a strongly connected component a weak postcondition would support itself for ever. So the blocks of a component share an
*epoch*: whoever can say something stronger, or is told something stronger from outside, begins the next one, in which the
component's postconditions start again at false. They grow *stage* by stage while the epoch lasts.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.messages import Message, Version
from drystone.engines.dss.postconditions.options import CONTEXT_FREE, TOP, PostconditionOptions
from drystone.engines.dss.queries import Queries
from drystone.logic import terms
from drystone.logic.terms import FALSE, TRUE, Term
from drystone.symbolic.transformers import ENTRY

ConditionKey = tuple[int, frozenset[Term]]
"""A violation condition: the exit where it was sent to, and its literals."""


class Post(msgspec.Struct, frozen=True):
    """A postcondition that was received."""

    cubes: tuple[Term, ...]
    version: int
    epoch: int
    is_initial: bool  # made from a precondition that nobody had sent


class Stages(msgspec.Struct):
    """The preconditions of one epoch, each weaker than the one before, and how far each violation condition was looked at."""

    preconditions: list[Term] = []
    refuted_up_to: dict[ConditionKey, int] = {}  # stages that do not get to it
    reaching: dict[ConditionKey, int] = {}  # and the first one that does

    def forget(self) -> None:
        self.preconditions.clear()
        self.refuted_up_to.clear()
        self.reaching.clear()


class Context:
    def __init__(self, spec: Spec, options: PostconditionOptions, queries: Queries) -> None:
        self.start, self.predecessors = spec.block.start, spec.predecessors
        self.component, self.options, self.queries = frozenset(spec.component), options, queries
        self.epoch = 0
        self.precondition = FALSE
        self.is_initial = True  # is the precondition what is assumed before anything is known?
        self.known: list[Term] = []  # invariants
        self.stages = Stages()
        self._posts: dict[str, Post] = {}
        self._outside: Term = FALSE  # what blocks of other components say of the start
        self._is_computed = self.start == ENTRY  # was there ever a precondition that others had sent?
        self._analysed: tuple[Term, bool, int] | None = None

    def take(self, message: Message, cubes: Sequence[Term]) -> None:
        """The newest postcondition of a block counts; one of an earlier epoch of this component does not."""
        assert isinstance(message.content, Version)
        version = message.content.number
        known = self._posts.get(message.sender)
        if known is not None and known.version >= version:
            return
        if message.sender in self.component:
            if message.epoch < self.epoch:
                return
            if message.epoch > self.epoch:
                self.enter(message.epoch)
        self._posts[message.sender] = Post(tuple(cubes), version, message.epoch, message.content.is_initial)

    def compare_outside(self) -> None:
        """Begins an epoch where it is stronger than before: what the component concluded from the weaker one must not support
        itself."""
        outside = self._disjunction(inside=False)
        if self.component and outside is not self._outside and not self._implies(self._outside, outside):
            self.enter(self.epoch + 1)
        self._outside = outside

    def combine(self) -> None:
        self.precondition, self.is_initial = self._combined()

    def is_news(self) -> bool:
        """Is the precondition another one than the one that was analysed? From now on it counts as analysed."""
        situation = (self.precondition, self.is_initial, self.epoch)
        if situation == self._analysed:
            return False
        if not self.component or (self._analysed is not None and self._analysed[1]):
            self.stages.forget()  # what was assumed before anything was known is no stage of what is known
        self._analysed = situation
        stages = self.stages.preconditions
        if self.precondition is not FALSE and (not stages or stages[-1] is not self.precondition):
            stages.append(self.precondition)
        return True

    def enter(self, epoch: int) -> None:
        self.epoch = epoch
        for other in self.component:
            self._posts.pop(other, None)
        self.stages.forget()

    def begin_again(self, epoch: int) -> None:
        self._analysed = None
        if self.component and epoch > self.epoch:
            self.enter(epoch)

    def _combined(self) -> tuple[Term, bool]:
        """The precondition, and whether it is what is assumed before anything is known."""
        if self.start == ENTRY:
            return TRUE, False
        if self.options.instantiation == CONTEXT_FREE and not self.predecessors:  # nobody will ever say more of the states
            return terms.conjunction(self.known), False
        is_initial = False
        for other in self.predecessors:
            post = self._posts.get(other)
            if other in self.component:  # not yet computed: ignored, not everything
                continue
            if post is None and self.options.start == TOP:
                return terms.conjunction(self.known), True
            is_initial |= post is not None and post.is_initial
        if self.options.start == TOP and not self._is_computed and not any(map(self._counts, self.predecessors)):
            return terms.conjunction(self.known), True
        self._is_computed |= not is_initial
        return self._disjunction(inside=True), is_initial

    def _counts(self, other: str) -> bool:
        post = self._posts.get(other)
        if post is None:
            return False
        return other not in self.component or (post.epoch == self.epoch and not post.is_initial)

    def _disjunction(self, inside: bool) -> Term:
        """Of postconditions, those of the same component as well if `inside`."""
        cubes: list[Term] = []
        for other in self.predecessors:
            if self._counts(other) and (inside or other not in self.component):
                cubes += self._posts[other].cubes
        joined = terms.disjunction(cubes)
        return terms.conjunction([joined, *self.known]) if inside else joined

    def _implies(self, weak: Term, strong: Term) -> bool:
        return weak is FALSE or strong is TRUE or not self.queries.is_satisfiable([weak, terms.negate(strong)])
