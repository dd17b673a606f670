"""Terms as text."""
from __future__ import annotations
from drystone.logic.terms import Term
def c_text(term: Term) -> str:
    return f"<term {term.id} {term.operator} {term.payload if term.payload is not None else ''}>"
