"""Witnesses as data, valid against the schema that the tests keep."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

SCHEMA = Path(__file__).with_name("witness-schema.json")
Json = dict[str, Any]


@cache
def _validator() -> Any:
    return jsonschema.Draft7Validator(json.loads(SCHEMA.read_text()))


def entry_of(file: Path) -> Json:
    """The only entry of a witness."""
    found = yaml.safe_load(file.read_text())
    assert [f"{error.json_path}: {error.message[:200]}" for error in _validator().iter_errors(found)] == []
    (entry,) = found
    assert isinstance(entry, dict)
    return entry


def waypoints_of(file: Path) -> list[Json]:
    entry = entry_of(file)
    assert entry["entry_type"] == "violation_sequence"
    return [waypoint["waypoint"] for segment in entry["content"] for waypoint in segment["segment"]]


def pointed_at(text: str, location: Json) -> str:
    """The rest of the line from there."""
    line, column = int(location["line"]), int(location["column"])
    return text.splitlines()[line - 1][column - 1 :]
