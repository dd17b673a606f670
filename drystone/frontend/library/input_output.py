"""printf and scanf: output has no effect, input is arbitrary."""

from __future__ import annotations

from drystone.frontend.clang import Node
from drystone.frontend.expressions import ExpressionLowering
from drystone.frontend.library.common import Handler, any_result, before_conversion
from drystone.frontend.lowering import InMemory
from drystone.frontend.symbols import FunctionSymbol
from drystone.frontend.types import Pointer, Scalar
from drystone.program.expressions import Expression, InputKind


def _print(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Output has no effect on the program; how many characters were written is not modelled."""
    lowering.arguments(node)
    return any_result(lowering, symbol, node, InputKind.EXTERNAL)


def _scan(first: int) -> Handler:
    """scanf and its kin: every pointer after the format may be written with any value of its type."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        values = lowering.arguments(node)
        for argument, value in list(zip(node.children[1:], values, strict=True))[first:]:
            type_ = lowering.type_of(before_conversion(argument, lowering))
            if isinstance(type_, Pointer) and isinstance(type_.target, Scalar):
                lowering.havoc(InMemory(value), type_.target, InputKind.EXTERNAL, symbol.name)
        lowering.context.note(
            "input function", f"{symbol.name}: objects behind its pointers become arbitrary", lowering.builder.origin
        )
        return any_result(lowering, symbol, node, InputKind.EXTERNAL)

    return handler


OUTPUT = ("printf", "fprintf", "vprintf", "vfprintf", "dprintf", "puts", "putchar", "fputs", "perror", "fflush")

PRIMITIVES: dict[str, Handler] = {
    **dict.fromkeys(OUTPUT, _print),
    **dict.fromkeys(("scanf", "__isoc99_scanf"), _scan(1)),
    **dict.fromkeys(("fscanf", "sscanf", "__isoc99_fscanf", "__isoc99_sscanf"), _scan(2)),
}
