"""What acts without being used: declarations, pragmas and attributes that change what the whole program means."""

from __future__ import annotations

from drystone.frontend.declarations.layouts import different_layouts
from drystone.frontend.declarations.linking import Unit, acting_assembly, file_scope_assembly
from drystone.frontend.expressions.bitfields import types_of_bit_fields
from drystone.frontend.lowering.context import Context
from drystone.frontend.source_text.conditions import on_the_implementation
from drystone.ir.automaton import Origin


def refuse_unmodelled(context: Context, units: list[Unit]) -> None:
    """What acts without being used, and is not modelled, makes the start of the program an unknown location."""
    for unit in units:
        types = [] if unit.is_model else types_of_bit_fields(unit.clang)
        bit_fields = [("a type that is taken from a bit-field by typeof", cursor) for cursor in types]
        layouts = [] if unit.is_model else different_layouts(unit.clang, context.pointer_width)
        assembly = [] if unit.is_model else [*file_scope_assembly(unit.clang), *acting_assembly(unit.clang)]
        for what, cursor in [*unit.entities.refusals, *assembly, *bit_fields, *layouts]:
            file, line, column, end_line, end_column = unit.clang.source.extent(cursor)
            context.refuse_at_start(what, Origin(context.file(file), line, column, end_line, end_column))
        for what, file, line in unit.pragmas.refusals:
            context.refuse_at_start(what, _at(context, file, line))
        for name, file, line in () if unit.is_model else on_the_implementation(unit.clang):
            context.note("preprocessor", f"{name} is what clang and the headers of drystone say", _at(context, file, line))
        for what, file, line in unit.pragmas.ignored:
            context.note("unknown pragma", f"{what} means nothing", _at(context, file, line))
        for name, file, line, is_refused in unit.ignored:
            if is_refused:
                context.refuse_at_start(f"attribute {name} where clang ignores it", _at(context, file, line))
            else:
                context.note("unknown attribute", f"{name} means nothing", _at(context, file, line))


def _at(context: Context, file: str, line: int) -> Origin:
    return Origin(context.file(file), line, 1, line, 1)
