"""_Generic: which association the text chooses."""

from __future__ import annotations

_INTEGERS = {"int", "signed", "unsigned", "long", "short", "char"}
_QUALIFIERS = {spelling: name for name in ("const", "volatile", "restrict") for spelling in (name, f"__{name}", f"__{name}__")}


def chosen_association(tokens: list[str], control: str) -> int | None:
    """The index of the association for a controlling expression of type `control`, or of `default`."""
    if tokens[:1] != ["_Generic"]:  # written through a macro
        return None
    parts = _split(tokens[tokens.index("(") + 1 : -1])[1:]
    names = [_normal(part[: part.index(":")]) for part in parts if ":" in part]
    wanted = _normal(_as_value(control.replace("*", " * ").split()))
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


def _as_value(words: list[str]) -> list[str]:
    """The type of a value: the qualifiers of the object that it was in are not those of the value."""
    last = len(words) - words[::-1].index("*") if "*" in words else 0
    return words[:last] + [word for word in words[last:] if word not in _QUALIFIERS]


def _normal(words: list[str]) -> str:
    """One spelling per type: `unsigned`, `unsigned int` and `int unsigned` are the same; `char *` and `const char *` are not."""
    levels: list[list[str]] = [[]]
    for word in words:
        if word == "*":
            levels.append([])
        else:
            levels[-1].append(word)
    base = [word for word in levels[0] if word not in _QUALIFIERS]
    if set(base) <= _INTEGERS and base:
        core = [word for word in base if word not in ("int", "signed")]
        if "char" in core and "signed" in base:
            core.append("signed")
        base = sorted(core) or ["int"]
    qualified = [" ".join(sorted({_QUALIFIERS[word] for word in level if word in _QUALIFIERS})) for level in levels]
    return " * ".join([" ".join(filter(None, [*base, qualified[0]])), *qualified[1:]]).strip()


def _is_plain(name: str) -> bool:
    """Is the name of the type certainly itself, no typedef of another?"""
    words = [word for word in name.replace("*", "").split() if word not in _QUALIFIERS]
    return (
        name == "default"
        or set(words) <= _INTEGERS | {"float", "double", "_Bool", "void"}
        or words[:1] in (["struct"], ["union"], ["enum"])
    )
