"""_Generic: which association the text chooses."""

from __future__ import annotations

_INTEGERS = {"int", "signed", "unsigned", "long", "short", "char"}
_QUALIFIERS = {"const", "volatile", "restrict", "__const", "__volatile__", "__restrict"}


def chosen_association(tokens: list[str], control: str) -> int | None:
    """The index of the association for a controlling expression of type `control`, or of `default`."""
    parts = _split(tokens[tokens.index("(") + 1 : -1])[1:]
    names = [_normal(part[: part.index(":")]) for part in parts if ":" in part]
    wanted = _normal(control.replace("*", " * ").split())
    if wanted in names:
        return names.index(wanted)
    if "default" in names and all(_is_plain(name) for name in names):
        return names.index("default")
    return None


def _split(tokens: list[str]) -> list[list[str]]:
    """At top-level commas."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in "([{") - (token in ")]}")
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _normal(words: list[str]) -> str:
    """One spelling per type: `unsigned`, `unsigned int` and `int unsigned` are the same."""
    kept = [word for word in words if word not in _QUALIFIERS]
    base = [word for word in kept if word != "*"]
    if set(base) <= _INTEGERS and base:
        core = [word for word in base if word not in ("int", "signed")]
        if "char" in core and "signed" in base:
            core.append("signed")
        base = sorted(core) or ["int"]
    return " ".join(base + ["*"] * kept.count("*"))


def _is_plain(name: str) -> bool:
    """Is the name of the type certainly itself, no typedef of another?"""
    words = name.replace("*", "").split()
    return (
        name == "default"
        or set(words) <= _INTEGERS | {"float", "double", "_Bool", "void"}
        or words[:1] in (["struct"], ["union"], ["enum"])
    )
