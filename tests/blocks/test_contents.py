"""Ids and hashes: equal blocks have equal hashes wherever they stand, and an edit elsewhere changes neither."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from drystone.blocks.decompositions import default, edge, linear, whole
from drystone.blocks.flow import flow
from drystone.blocks.graph import Block, BlockGraph
from drystone.blocks.registry import decomposition
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import NOWHERE, Edge, Program
from drystone.ir.expressions import Address, Input, Variable
from drystone.ir.operations import Skip
from drystone.passes.inline import inline
from tests.blocks.automata import KINDS, LOCALS, automata
from tests.building import Builder, num, op, program


def replaced(value: Any, names: dict[str, str]) -> Any:
    """An operation or expression with variables and objects renamed."""
    match value:
        case Variable(name, sort, _):
            return Variable(names.get(name, name), sort, "renamed")
        case Address(target, sort):
            return Address(names.get(target, target), sort)
        case tuple():
            return tuple(replaced(item, names) for item in value)
        case str():
            return names.get(value, value)  # Declare
        case msgspec.Struct():
            return type(value)(*(replaced(getattr(value, field), names) for field in value.__struct_fields__))
        case _:
            return value


def shuffled(program: Program, seed: int) -> Program:
    """The same program with locals, the local object, locations, source lines and the order of the edges changed."""
    source = random.Random(seed)
    old = program.procedures["main"]
    renamed = source.sample([item.name for item in LOCALS], len(LOCALS))
    names = {item.name: f"{new}'" for item, new in zip(LOCALS, renamed, strict=True)} | {"o": "p"}
    place = list(range(old.locations))
    source.shuffle(place)
    edges = [Edge(place[item.source], place[item.target], replaced(item.operation, names), NOWHERE) for item in old.edges]
    source.shuffle(edges)
    new = msgspec.structs.replace(
        old,
        variables={names[name]: replaced(item, names) for name, item in old.variables.items()},
        objects={names[name]: msgspec.structs.replace(item, name=names[name]) for name, item in old.objects.items()},
        entry=place[old.entry],
        exit=place[old.exit],
        edges=edges,
        marks={place[location]: mark for location, mark in old.marks.items()},
        frame_of=None,
    )
    return msgspec.structs.replace(program, procedures={"main": new})


def hashes(graph: BlockGraph) -> list[str]:
    return sorted(map(graph.hash_of, graph.blocks))


@given(automata(), st.integers())
def test_names_and_order_do_not_matter(program: Program, seed: int) -> None:
    other = shuffled(program, seed)
    all_is_reached = len(flow(program).roots) == 1  # otherwise it is the order that says where unreachable blocks begin
    for decompose in (edge, linear, whole) if all_is_reached else (edge,):
        assert hashes(decompose(program)) == hashes(decompose(other))


class Correspondence:
    """Of two blocks: their locals, objects and locations, one to one."""

    def __init__(self, first: BlockGraph, second: BlockGraph) -> None:
        self.graphs = first, second
        self.forth: dict[tuple[str, object], object] = {}
        self.back: dict[tuple[str, object], object] = {}

    def same(self, kind: str, left: object, right: object) -> bool:
        return self.forth.setdefault((kind, left), right) == right and self.back.setdefault((kind, right), left) == left

    def agree(self, left: Any, right: Any) -> bool:
        if type(left) is not type(right):
            return False
        match left:
            case Variable():
                if left.name in self.graphs[0].program.variables or right.name in self.graphs[1].program.variables:
                    return bool(left.name == right.name)
                return left.sort == right.sort and self.same("variable", left.name, right.name)
            case Address():
                return left.sort == right.sort and self.same("object", left.target, right.target)
            case Input():
                return (left.sort, left.kind) == (right.sort, right.kind)
            case tuple():
                return len(left) == len(right) and all(self.agree(*pair) for pair in zip(left, right, strict=True))
            case msgspec.Struct():
                return all(self.agree(getattr(left, field), getattr(right, field)) for field in left.__struct_fields__)
            case str():
                return left == right or self.same("object", left, right)
            case _:
                return bool(left == right)

    def equal(self, left: Block, right: Block) -> bool:
        first, second = self.graphs
        if len(left.edges) != len(right.edges) or len(left.exits) != len(right.exits):
            return False
        if not self.same("location", left.entry, right.entry):
            return False
        if not all(self.same("location", *pair) for pair in zip(left.exits, right.exits, strict=True)):
            return False
        for a, b in zip(left.edges, right.edges, strict=True):
            one, two = first.procedure.edges[a], second.procedure.edges[b]
            if not self.same("location", one.source, two.source) or not self.same("location", one.target, two.target):
                return False
            if not self.agree(one.operation, two.operation):
                return False
        return True


@given(automata(), st.sampled_from(KINDS))
def test_blocks_with_equal_hashes_are_equal_edge_by_edge_and_others_are_not(program: Program, kind: str) -> None:
    """The equality of blocks, written down a second time. Ends of different kinds make blocks differ too."""
    graph = decomposition(kind)(program)
    ends = program.procedures["main"].marks
    outgoing = flow(program).outgoing

    def kinds(block: Block) -> list[str]:
        return ["cut" if outgoing[item] else ends[item].kind if item in ends else "exit" for item in block.exits]

    for first in graph.blocks:
        for second in graph.blocks:
            equal = Correspondence(graph, graph).equal(first, second) and kinds(first) == kinds(second)
            assert (graph.hash_of(first) == graph.hash_of(second)) == equal


def test_it_matters_which_exit_an_edge_leads_to() -> None:
    """Two ends of equal kind in the same order, but the last way leads to the first of them or to the second."""

    def ways_to(last: int) -> BlockGraph:
        main = Builder("main")
        x = main.local("x")
        ends = [main.new(), main.new()]
        for end in ends:
            main.mark(end)
        others = 0
        for number in range(2):
            one, others = main.branch(others, op("bvslt", x, num(number)))
            main.edge(one, Skip(), ends[number])
        main.edge(others, Skip(), ends[last])
        return whole(program(main))

    assert len(ways_to(0).blocks[0].exits) == len(ways_to(1).blocks[0].exits) == 2
    assert hashes(ways_to(0)) != hashes(ways_to(1)) and hashes(ways_to(0)) == hashes(ways_to(0))


@given(automata(), st.sampled_from(KINDS))
def test_ids_are_unique_and_say_where_a_block_is(program: Program, kind: str) -> None:
    graph = decomposition(kind)(program)
    assert len(graph.by_id()) == len(graph.blocks)
    for block in graph.blocks:
        path, _, line = block.id.rpartition(":")
        assert path.split("/")[0] == "main"
        lines = {item.origin.line for item in graph.procedure.edges if item.source == block.entry}
        assert int(line.partition("#")[0]) in lines


# Edits of C programs

PROGRAM = """
extern int nondet(void); extern void reach_error(void);
int total; const char *shown; void show(const char *text) { shown = text; }
int twice(int number) { return number + number; }
int main(void) {
  int first = nondet();
  show("begin");
  while (first < 10) { int step = twice(first); total += step; show("step"); first++; }
  int second = nondet();
  while (second < 20) { second += 3; if (second == total) reach_error(); }
  return 0;
}
"""


def of_c(folder: Path, text: str) -> BlockGraph:
    file = folder / "program.c"
    file.write_text(text)
    return default(inline(load([str(file)], FrontendOptions(data_model="LP64")).program))


def edited(*pairs: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_renaming_locals_keeps_every_hash(tmp_path: Path) -> None:
    renamed = edited(("first", "i"), ("second", "j"), ("step =", "amount ="), ("+= step", "+= amount"), ("number", "n"))
    before, after = of_c(tmp_path, PROGRAM), of_c(tmp_path, renamed)
    assert list(map(before.hash_of, before.blocks)) == list(map(after.hash_of, after.blocks))


def test_moving_the_program_keeps_every_hash(tmp_path: Path) -> None:
    moved = "int unused;\nint not_called(void) { return 7; }\n\n\n" + PROGRAM
    before, after = of_c(tmp_path, PROGRAM), of_c(tmp_path, moved)
    assert list(map(before.hash_of, before.blocks)) == list(map(after.hash_of, after.blocks))


def test_an_edit_below_keeps_the_id_and_an_edit_elsewhere_the_hash(tmp_path: Path) -> None:
    before = of_c(tmp_path, PROGRAM)
    after = of_c(tmp_path, edited(("second += 3", "second += 4"), ('show("begin")', 'show("now"); show("begin")')))
    body = [block for block in before.blocks if block.id == "main:8"]
    assert body == [block for block in before.blocks if block.exits == (block.entry,)][:1]
    assert after.hash_of(after.block("main:8")) == before.hash_of(body[0])
    pairs = zip(before.blocks, after.blocks, strict=True)
    assert [old.id for old, new in pairs if before.hash_of(old) != after.hash_of(new)] == ["main:5", "main:10"]


def test_an_edit_inside_changes_the_hash(tmp_path: Path) -> None:
    graph = of_c(tmp_path, PROGRAM)
    body = graph.hash_of(graph.block("main:8"))
    for edit in (
        ("first++;", "first += 2;"),
        ("first++;", "first++; first++;"),
        ("total += step", "total -= step"),
        ('"step"', '"stop"'),
        ("first < 10", "first <= 10"),
        ("int step", "short step"),
        ("return number + number", "return number + 1"),
        ("int total;", "int total, other;\n#define total other\n"),
    ):
        changed = of_c(tmp_path, edited(edit))
        assert all(changed.hash_of(block) != body for block in changed.blocks), edit


def test_equal_functions_called_at_two_places_are_equal_blocks(tmp_path: Path) -> None:
    graph = of_c(
        tmp_path,
        """
        extern int nondet(void);
        int count(int n) { int i = 0; while (i < n) i++; return i; }
        int main(void) { int a = count(nondet()); int b = count(nondet()); return a + b; }
        """,
    )
    bodies = [block for block in graph.blocks if block.exits == (block.entry,)]
    assert len(bodies) == 2 and len(set(map(graph.hash_of, bodies))) == 1
    assert bodies[0].id == "main/count@4:3" and bodies[1].id == "main/count@4:3#3"
