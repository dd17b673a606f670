"""What turns do to states, as transformers, with statements simplified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drystone.engines.interleaving.data_flow import Simplification, Simplified
from drystone.engines.interleaving.turns import Turn
from drystone.ir.operations import Assign, Assume
from drystone.logic import terms
from drystone.pipeline import Flat
from drystone.symbolic.environment import Environment
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.operation_code import Compiled
from drystone.symbolic.region_memory import ExecutedProgram
from drystone.symbolic.transformers import Transformer, TransitionSystem


class SimplifiedProgram(SymbolicProgram):
    """A symbolic program in which some operations are not evaluated."""

    def __init__(self, flat: Flat) -> None:
        super().__init__(flat.program, flat.regions, inductive=True, shared=flat.shared)
        self.replaced: Mapping[int, Simplified] = {}

    def compiled(self, index: int) -> Compiled:
        how = self.replaced.get(index)
        return super().compiled(index) if how is None else self._replacement(index, how)

    def _replacement(self, index: int, how: Simplified) -> Compiled:
        operation = self.procedure.edges[index].operation

        def nothing(environment: Environment, program: ExecutedProgram) -> Any:
            return terms.TRUE if isinstance(operation, Assume) else None

        def havoc(environment: Environment, program: ExecutedProgram) -> Any:
            assert isinstance(operation, Assign)
            target = operation.target
            environment[target.name] = terms.input_symbol(f"{program.place()}:havoc", target.sort)

        return havoc if how is Simplified.HAVOC else nothing


class Transfer:
    """The transformers of turns; those that were made are kept. Which thread is chosen is not asked again: the turn is its."""

    def __init__(self, system: TransitionSystem, program: SimplifiedProgram) -> None:
        self.system, self.program = system, program
        self._made: dict[tuple[Turn, Simplification], Transformer] = {}

    def of(self, turn: Turn, simplification: Simplification = frozenset()) -> Transformer:
        key = (turn, simplification)
        known = self._made.get(key)
        if known is None:
            self.program.replaced = dict.fromkeys(turn.choice, Simplified.NOP) | dict(simplification)
            known = self._made[key] = self.system.transformer(turn.node, turn.choice | turn.edges)
            self.program.replaced = {}
        return known
