"""The text of a witness as maps that know their lines.

All scalars are strings as they are written: an expression is not to be taken for a number, a date or a truth value.
"""

from __future__ import annotations

from typing import Any

_LONGEST_NUMBER = 18  # digits


class Malformed(Exception):
    """The message for people, with the line if it is known."""


class Map(dict[str, Any]):
    """A map of the text."""

    line = 0  # where it begins

    def map(self, key: str) -> Map:
        """Empty if there is none."""
        found = self.get(key)
        if found is None or found == "":
            found = Map()
            found.line = self.line
        if not isinstance(found, Map):
            raise Malformed(f"line {self.line}: {key} is no map")
        return found

    def maps(self, key: str) -> list[Map]:
        found = self.get(key, None)
        if not isinstance(found, list):
            raise Malformed(f"line {self.line}: {key} is no list")
        return _all_maps(found, f"line {self.line}: {key}")

    def text(self, key: str) -> str:
        """Empty if there is none."""
        found = self.get(key, "")
        if not isinstance(found, str):
            raise Malformed(f"line {self.line}: {key} is no text")
        return "" if found in ("~", "null") else found

    def number(self, key: str) -> int | None:
        """None if there is none."""
        found = self.text(key)
        if not found:
            return None
        if not found.isascii() or not found.isdecimal() or len(found) > _LONGEST_NUMBER:
            raise Malformed(f"line {self.line}: {key} is no number: {found[:40]}")
        return int(found)


def entries_of(text: str) -> list[Map]:
    """The maps that the text is a list of. Raises `Malformed`."""
    import yaml

    if text.lstrip().startswith(("<?xml", "<graphml")):
        raise Malformed("it is XML: witnesses of version 1.0 (GraphML) are not read, only YAML of version 2.0")
    try:
        content = yaml.load(text, Loader=_loader())
    except (yaml.YAMLError, RecursionError, ValueError) as problem:
        raise Malformed(f"it is not YAML: {' '.join(str(problem).split())[:200]}") from None
    entries = [content] if isinstance(content, Map) else content
    if not isinstance(entries, list) or not entries:
        raise Malformed("it has no entries")
    return _all_maps(entries, "an entry")


def _all_maps(found: list[Any], what: str) -> list[Map]:
    if not all(isinstance(each, Map) for each in found):
        raise Malformed(f"{what} is no map")
    return found


def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

    class Loader(base):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Map:
            found = Map(super().construct_mapping(node, deep=True))
            found.line = node.start_mark.line + 1
            if len(found) < len(node.value):
                raise yaml.constructor.ConstructorError(None, None, "a key stands twice in a map", node.start_mark)
            return found

    return Loader
