"""Functions of <complex.h> that compute nothing but take a number apart, or make one of its parts."""

from __future__ import annotations

from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Complex
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.expressions.lanes import COMPLEX, materialised, read_lanes
from drystone.frontend.library.common import Handler
from drystone.ir.expressions import Expression
from drystone.ir.simplify import make
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, Float

_SORTS = {"": FLOAT64, "f": FLOAT32, "l": EXTENDED}


def _parts(name: str, sort: Float) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
        types = [lowering.type_of(argument) for argument in node.children[1:]]
        if len(types) != 1 or not isinstance(types[0], Complex) or types[0].element.sort != sort:
            return None  # not the one of <complex.h>
        type_ = types[0]
        real, imaginary = read_lanes(lowering, lowering.arguments(node)[0], type_)
        match name:
            case "creal":
                return real
            case "cimag":
                return imaginary
            case _:
                return materialised(lowering, [real, make("fp.neg", sort, imaginary)], type_)

    return handler


def _complex(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    type_ = lowering.type_of(node)
    return materialised(lowering, lowering.arguments(node), type_) if isinstance(type_, Complex) else None


PRIMITIVES: dict[str, Handler] = {
    name + suffix: _parts(name, sort) for name in ("conj", "creal", "cimag") for suffix, sort in _SORTS.items()
} | {COMPLEX: _complex}
