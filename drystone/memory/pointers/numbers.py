"""Where pointers become numbers, and numbers pointers (docs/decisions/017-exposed-objects.md).

Numbers are told from pointers only when all pointers have been followed, by a *survey*: one more pass over the program during
which it is noted what the program does with addresses. Before, nothing is.
"""

from __future__ import annotations

from drystone.memory.pointers.classes import Cell


class Numbers:
    """What surveys have found."""

    def __init__(self) -> None:
        self.is_survey = False
        self._before: tuple[dict[Cell, None], dict[Cell, None]] = {}, {}
        self.exposed: dict[Cell, None] = {}
        self.guessed: dict[Cell, None] = {}  # what addresses that are numbers mean
        self.compared: dict[tuple[str, Cell, Cell, bool], None] = {}  # by an operator, and whether as numbers
        self.moved: dict[tuple[Cell, Cell], None] = {}  # what is loaded there (second) is stored here (first)

    def begin_survey(self) -> None:
        """What was exposed or guessed remains so; comparisons and moves are those of the last survey."""
        self.compared.clear()
        self.moved.clear()
        self.is_survey = True
        self._before = dict(self.exposed), dict(self.guessed)

    def abandon_survey(self) -> None:
        """Not all pointers had been followed: what was found is not what there is."""
        self.exposed, self.guessed = self._before
        self.is_survey = False

    def end_survey(self) -> None:
        self.is_survey = False

    def expose(self, cell: Cell) -> None:
        """The address of it has become a number."""
        if self.is_survey:
            self.exposed[cell] = None

    def guess(self, cell: Cell) -> None:
        """A pointer like this may be a number."""
        if self.is_survey:
            self.guessed[cell] = None

    def compare(self, operator: str, left: Cell, right: Cell, as_numbers: bool) -> None:
        if self.is_survey:
            self.compared[operator, left, right, as_numbers] = None

    def move(self, to: Cell, source: Cell) -> None:
        """What is loaded from a cell is stored in another one, unchanged."""
        if self.is_survey:
            self.moved[to, source] = None

    @property
    def are_pointers(self) -> bool:
        """May a number be a pointer to something?"""
        return bool(self.exposed and self.guessed)
