"""Turns calls of a function by itself, as the last thing it does, into jumps back to its start.

Program to Program, so that the interpreter can check it. Without objects in memory an activation leaves nothing behind that
the next one could see: its variables are assigned before they are read, uninitialised ones by an input each time their scope
is entered. So recursion of this kind needs no unrolling: it is a loop.
"""

from __future__ import annotations

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, Procedure, Program
from drystone.ir.expressions import Variable
from drystone.ir.operations import Assign, Call, Operation, Skip


def without_tail_calls(program: Program) -> Program:
    procedures = {name: _Rewriting(procedure).run() for name, procedure in program.procedures.items()}
    return msgspec.structs.replace(program, procedures=procedures)


class _Rewriting:
    def __init__(self, procedure: Procedure) -> None:
        self.procedure = procedure
        self.outgoing = procedure.outgoing()

    def run(self) -> Procedure:
        procedure = self.procedure
        if procedure.objects or not any(self._is_tail_call(edge) for edge in procedure.edges):
            return procedure
        variables = {**procedure.variables}
        held = [Variable(names.own(f"next {each.name}"), each.sort) for each in procedure.parameters]
        variables.update({each.name: each for each in held})
        edges: list[Edge] = []
        locations = procedure.locations
        frame_of = None if procedure.frame_of is None else list(procedure.frame_of)
        for edge in procedure.edges:
            if not self._is_tail_call(edge):
                edges.append(edge)
                continue
            assert isinstance(edge.operation, Call)
            steps: list[Operation] = [Assign(*pair) for pair in zip(held, edge.operation.arguments, strict=True)]
            steps += [Assign(parameter, value) for parameter, value in zip(procedure.parameters, held, strict=True)]
            steps = steps or [Skip("call")]
            place = edge.source
            for number, step in enumerate(steps):
                target = procedure.entry if number + 1 == len(steps) else locations
                edges.append(Edge(place, target, step, edge.origin))
                if number + 1 < len(steps):
                    place, locations = locations, locations + 1
                    if frame_of is not None:
                        frame_of.append(frame_of[edge.source])
        return msgspec.structs.replace(procedure, edges=edges, locations=locations, variables=variables, frame_of=frame_of)

    def _is_tail_call(self, edge: Edge) -> bool:
        """Does the procedure call itself here, with arguments of the right sorts, and return what it gets?"""
        call, procedure = edge.operation, self.procedure
        if not isinstance(call, Call) or call.procedure != procedure.name:
            return False
        if [each.sort for each in call.arguments] != [each.sort for each in procedure.parameters]:
            return False
        location, result = edge.target, call.result
        seen: set[int] = set()
        while location != procedure.exit:
            following = self.outgoing[location]
            if len(following) != 1 or location in seen or not self._is_own(result):
                return False
            match following[0].operation:
                case Skip():
                    pass
                case Assign(target, Variable() as value) if result is not None and value.name == result.name:
                    result = target
                case _:
                    return False
            seen.add(location)
            location = following[0].target
        expected = procedure.result
        return self._is_own(result) and (expected is None or (result is not None and result.name == expected.name))

    def _is_own(self, variable: Variable | None) -> bool:
        """What is assigned to any other variable than its own, somebody sees."""
        return variable is None or variable.name in self.procedure.variables
