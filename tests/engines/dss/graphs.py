"""Blocks of figures in the literature, and blocks built from automata, without slicing: the figures keep all their statements."""

from __future__ import annotations

from drystone.engines.dss.hosts import Spec
from drystone.engines.dss.predicates.analysis import PredicateAnalysis, PredicateOptions
from drystone.engines.dss.preparation import Blocks, ProgramBlock, prepare_blocks
from drystone.ir.automaton import MarkKind, Program
from drystone.ir.operations import Assign
from drystone.pipeline import PreparedProgram
from tests.blocks.test_figures import dss_2024_figure_2
from tests.building import Builder, num, op, program

__all__ = ["analysis", "blocks_of", "dss_2024_figure_2", "kettl_2022_figure_10"]


def blocks_of(automaton: Program, kind: str) -> Blocks:
    return prepare_blocks(PreparedProgram(automaton), recursion_bound=1, max_edges=1_000, sliced=False, kind=kind)


def analysis(
    block: ProgramBlock, predecessors: tuple[str, ...], exits: tuple[int, ...], options: PredicateOptions
) -> PredicateAnalysis:
    """A block on no cycle."""
    return PredicateAnalysis(Spec(block, predecessors, options, exits=exits), options)


def kettl_2022_figure_10() -> Program:
    """x = 0; x = x + 1; if (x != 1) x = x - 1; else x = x + 1; assert(x == 0);"""
    main = Builder("main")
    x = main.local("x")
    l2 = main.chain(0, Assign(x, num(0)), Assign(x, op("bvadd", x, num(1))))
    same, different = main.branch(l2, op("=", x, num(1)))
    l5 = main.edge(different, Assign(x, op("bvsub", x, num(1))))
    main.edge(same, Assign(x, op("bvadd", x, num(1))), l5)
    holds, fails = main.branch(l5, op("=", x, num(0)))
    main.edge(holds, Assign(x, num(0)), 1)
    main.mark(fails, MarkKind.ERROR)
    return program(main)
