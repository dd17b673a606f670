"""No two accesses that a run sees overlap are in different regions, nor in different elements of one word region."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drystone.concrete import code_generation as generate
from drystone.concrete.flat_memory import FlatMemory
from drystone.concrete.interpreter import SeededInputs, interpret
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Constant, Load
from drystone.ir.operations import Assign, Copy, Fill, Store
from drystone.memory.regions import Region, Regions
from drystone.passes.inline import inline
from drystone.passes.scalarise import scalarise_with_regions
from drystone.passes.slicing import slice_program
from tests.gcc.generate import generate_from
from tests.memory.pointer_programs import pointer_program
from tests.memory.three_address import three_address


class Watch:
    """Checks every access of a run against the regions."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.seen: dict[int, tuple[Region, int, int]] = {}  # byte -> region, start and size of the element
        self.accesses = 0

    def access(self, address: int, size: int, edge: Edge) -> None:
        match edge.operation:
            case Assign(_, Load(sort, pointer)):
                region = self.regions.of(pointer, sort)
            case Store(pointer, value):
                region = self.regions.of(pointer, value.sort)
            case _:
                raise AssertionError(f"an access on {edge}")
        self.accesses += 1
        for byte in range(address, address + size):
            known, start, width = self.seen.setdefault(byte, (region, address, size))
            assert known == region, f"{edge.operation} touches {region.name}, but the byte was in {known.name}"
            assert not region.is_word or (start, width) == (address, size), (
                f"{edge.operation} overlaps an element of {region.name}"
            )

    def bulk(self, address: int, size: int) -> None:
        """A copy or fill touches only whole elements of word regions."""
        for byte in (address, address + size - 1):
            if byte in self.seen:
                region, start, width = self.seen[byte]
                assert not region.is_word or (address <= start and start + width <= address + size), f"cuts {region.name}"


def watched_run(monkeypatch: pytest.MonkeyPatch, program: Program, regions: Regions, seed: int) -> Watch:
    watch = Watch(regions)
    plain_load, plain_store, plain_copy, plain_fill = FlatMemory.load, FlatMemory.store, FlatMemory.copy, FlatMemory.fill

    def watched_load(self: FlatMemory, address: int, size: int, edge: Edge) -> int:
        watch.access(address, size, edge)
        return plain_load(self, address, size, edge)

    def watched_store(self: FlatMemory, address: int, value: int, size: int, edge: Edge) -> None:
        watch.access(address, size, edge)
        plain_store(self, address, value, size, edge)

    def watched_copy(self: FlatMemory, target: int, source: int, size: int, edge: Edge) -> None:
        assert isinstance(edge.operation, Copy)
        watch.bulk(target, size)
        watch.bulk(source, size)
        plain_copy(self, target, source, size, edge)

    def watched_fill(self: FlatMemory, target: int, byte: int, size: int, edge: Edge) -> None:
        assert isinstance(edge.operation, Fill)
        watch.bulk(target, size)
        plain_fill(self, target, byte, size, edge)

    with monkeypatch.context() as patch:
        patch.setattr(FlatMemory, "load", watched_load)
        patch.setattr(FlatMemory, "store", watched_store)
        patch.setattr(FlatMemory, "copy", watched_copy)
        patch.setattr(FlatMemory, "fill", watched_fill)
        patch.setattr(generate.Writer, "static_bytes", lambda *_: None)  # every access through the memory
        outcome = interpret(program, SeededInputs(seed), max_steps=40_000)
    assert outcome.kind in ("returned", "limit", "halt", "crash", "unknown"), outcome.what
    return watch


def check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, data_model: str, seed: int) -> int:
    path = tmp_path / "program.c"
    path.write_text(text)
    program = three_address(inline(load([str(path)], FrontendOptions(data_model=data_model)).program, recursion_bound=6))
    accesses = watched_run(monkeypatch, program, Regions(program), seed).accesses
    scalar, carried = scalarise_with_regions(program, Regions(program))
    assert watched_run(monkeypatch, scalar, carried, seed).accesses <= accesses
    return accesses


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("seed", range(40))
def test_generated_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int, data_model: str) -> None:
    check(monkeypatch, tmp_path, generate_from(seed + 1000), data_model, seed)


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("seed", range(80))
def test_programs_with_wild_pointers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int, data_model: str) -> None:
    accesses = check(monkeypatch, tmp_path, pointer_program(random.Random(seed)), data_model, seed)
    assert accesses > 0


HELD_IN_MEMORY = """
int chosen(void);
void reach_error(void);
struct pair { int *first, *second; };
int main(void) {
  int a[2] = {0, 0}, b[2] = {0, 0}, c[2] = {0, 0};
  int *p, *q, *r = a;
  struct pair held = {b, c}, other = held;
  p = r; q = p; r = q;           /* one class, in a circle */
  other.second[chosen() & 1] = 1;
  q[chosen() & 1] = 2;
  held.first[chosen() & 1] = 3;
  if (*other.second == 1 || c[chosen() & 1] == 1) reach_error();
}
"""


def test_copies_are_one_and_what_cells_held_their_variables_hold(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HELD_IN_MEMORY)
    flat = inline(load([str(path)], FrontendOptions()).program)
    scalar, carried = scalarise_with_regions(flat, Regions(flat))
    places = [{name for name, _ in region.members} for region in carried]
    assert {"a"} in places
    operations = [edge.operation for edge in slice_program(scalar, carried).program.procedures["main"].edges]
    stored = [each.value.value for each in operations if isinstance(each, Store) and isinstance(each.value, Constant)]
    assert 1 in stored and 2 not in stored  # through a pointer that was copied with its struct; and not what is elsewhere
    assert not {"held", "other"} & {name for region in carried for name, _ in region.members}
