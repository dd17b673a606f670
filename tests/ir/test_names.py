"""Names that drystone gives and reads again: what was made is found, and no identifier of C is taken for one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drystone.ir import names

identifiers = st.from_regex(r"[A-Za-z_$À-ÖØ-öø-ÿ][A-Za-z_$0-9À-ÖØ-öø-ÿ]*", fullmatch=True)
numbers = st.integers(0, 1 << 64)
READINGS: list[Callable[[str], object]] = [
    names.is_temporary,
    names.is_own,
    names.is_compound_literal,
    names.is_argument_list,
    names.is_label,
    names.cell_of,
    names.address_of_wild,
]


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.__name__)
@given(identifier=identifiers)
def test_no_identifier_is_read_as_a_name_of_drystone(reading: Callable[[str], object], identifier: str) -> None:
    assert not reading(identifier)


@given(identifiers, numbers)
def test_what_is_made_is_read(identifier: str, number: int) -> None:
    assert names.is_temporary(names.temporary(number))
    assert names.is_compound_literal(names.COMPOUND_LITERAL)
    assert names.is_compound_literal(f"{identifier}@12.{names.COMPOUND_LITERAL}#2")
    assert names.is_compound_literal(names.static_literal(identifier, number))
    assert names.is_argument_list(names.VARARGS)
    assert names.is_argument_list(f"{identifier}@12.{names.VARARGS}#2")
    assert names.is_label(names.label(identifier, number))
    assert names.cell_of(names.cell(identifier, number)) == (identifier, number)
    assert names.address_of_wild(names.wild(number)) == number
    assert names.local(f"{identifier}@12.{identifier}") == names.local(identifier) == identifier


@given(identifiers, numbers)
def test_none_is_read_as_another(identifier: str, number: int) -> None:
    made = {
        names.is_temporary: names.temporary(number),
        names.is_compound_literal: names.static_literal(identifier, number),
        names.is_argument_list: names.VARARGS,
        names.is_label: names.label(identifier, number),
        names.cell_of: names.cell(identifier, number),
        names.address_of_wild: names.wild(number),
    }
    for reading, name in made.items():
        assert [each for each in made if each(name) is not False and each(name) is not None] == [reading]
