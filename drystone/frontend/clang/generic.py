"""_Generic: which association clang has chosen.

libclang does not say it, and the text of the associations does not tell what their types are. So the answer is read
where clang keeps it, in the syntax tree itself: a `GenericSelectionExpr` begins with the head of every expression
(16 bytes), then a word with the number of associations (15 bits), the index of the chosen one (15 bits) and whether an
expression decides (1 bit), and from byte 32 on the addresses of the deciding expression and of all associations. These
addresses are those of the node's children. Where they are not, this is another version of clang, and nothing is known.
"""

from __future__ import annotations

import ctypes

from drystone.frontend.clang.nodes import Node

_WORD, _ADDRESSES = 16, 32  # byte offsets
_FIELD = 0x7FFF


def chosen_association(node: Node) -> Node | None:
    """The expression that a generic selection means; None if that cannot be told."""
    at: int = node.cursor.d1
    word = int.from_bytes(ctypes.string_at(at + _WORD, 4), "little")
    count, index, is_decided_by_expression = word & _FIELD, word >> 15 & _FIELD, word >> 30 & 1
    by_address = {child.key: child for child in node.children}
    if not is_decided_by_expression or not index < count < len(by_address):
        return None
    raw = ctypes.string_at(at + _ADDRESSES, 8 * (count + 1))
    addresses = [int.from_bytes(raw[start : start + 8], "little") for start in range(0, len(raw), 8)]
    if len(set(addresses)) != count + 1 or addresses[0] != node.children[0].key or not set(addresses) <= by_address.keys():
        return None
    return by_address[addresses[1 + index]]
