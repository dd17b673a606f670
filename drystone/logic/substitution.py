"""Simultaneous substitution of terms for terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from drystone.logic.terms import Term, rebuild


@overload
def substitute(terms: Term, mapping: Mapping[Term, Term]) -> Term: ...
@overload
def substitute(terms: Sequence[Term], mapping: Mapping[Term, Term]) -> list[Term]: ...
def substitute(terms: Term | Sequence[Term], mapping: Mapping[Term, Term]) -> Term | list[Term]:
    """The terms with every key of the mapping, wherever it occurs outside another key, replaced by its value.

    Replacements are not substituted into. For many calls with one mapping, keep a `Substitution`.
    """
    substitution = Substitution(mapping)
    if isinstance(terms, Term):
        return substitution(terms)
    return [substitution(term) for term in terms]


class Substitution:
    """One mapping, applied to many terms; remembers what it has done."""

    __slots__ = ("_done",)

    def __init__(self, mapping: Mapping[Term, Term]) -> None:
        self._done: dict[Term, Term] = dict(mapping)

    def __call__(self, term: Term) -> Term:
        done = self._done
        found = done.get(term)
        if found is not None:
            return found
        stack = [term]
        while stack:
            term = stack[-1]
            arguments = term.arguments
            waiting = False
            changed = False
            for argument in arguments:
                replaced = done.get(argument)
                if replaced is None:
                    if argument.arguments:
                        stack.append(argument)
                        waiting = True
                    else:
                        done[argument] = argument
                elif replaced is not argument:
                    changed = True
            if waiting:
                continue
            stack.pop()
            if term not in done:
                done[term] = rebuild(term, tuple([done[argument] for argument in arguments])) if changed else term
        return done[term]
