"""``format/json-schema-v1``: facts in prose, to be written as one JSON object that fits a schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from ...verifiers.format.json_format import JSONFormat
from ..base import Task
from ..procedural import ProceduralEnvironment
from ..rows import asked

_SYLLABLES = ("ba", "do", "fe", "gri", "hul", "ka", "lo", "mi", "nor", "pel", "ras", "si", "tor", "vel", "wen", "zu")
_COLOURS = ("amber", "blue", "crimson", "green", "ivory", "violet")
# Fields by the number of the level; from level 3 on some are objects, from level 4 on some are lists of objects.
_FIELDS = {1: 2, 2: 4, 3: 5, 4: 6}


class JSONSchema(ProceduralEnvironment):
    """A record in words and its JSON schema; correct is exactly one JSON object that fits and holds the given values.

    The level sets the number of fields, from 2 to 6; from level 3 on there are objects in the record, from level 4 on
    lists of objects. The schema in the prompt gives types, bounds and choices. The reference is the same schema with
    every value fixed, so that an object of the right form with other values fails.
    """

    name = "format/json-schema-v1"
    LEVELS: ClassVar[Sequence[int]] = (1, 2, 3, 4)
    domain = "format"

    def __init__(self, *, seed: int = 0, levels: Sequence[int] | None = None, train_size: int | None = 20_000) -> None:
        super().__init__(seed=seed, levels=levels, train_size=train_size)
        self.verifier = JSONFormat()

    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """A record; its content is its names and values."""
        schema, value = _record(random, level, _FIELDS[level])
        facts = "\n".join(f"- {line}" for line in _told(value))
        content = (
            f"Write one JSON object, and nothing else, that fits this JSON schema:\n{json.dumps(schema)}\n"
            f"It must hold these values:\n{facts}"
        )
        reference = json.dumps(_fixed(schema, value), sort_keys=True)
        task = Task(asked(content), reference, float(level), {"level": level})
        return json.dumps(value, sort_keys=True), task

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The object that the facts describe."""
        return (json.dumps(_value_of(json.loads(task.reference))),)


def _record(random: Random, level: int, fields: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of an object, with a value that fits."""
    properties: dict[str, Any] = {}
    value: dict[str, Any] = {}
    nested: list[Callable[[Random], tuple[dict[str, Any], Any]]] = []
    if level >= 3:
        nested.append(lambda draw: _record(draw, 1, 2))
    if level >= 4:
        nested.append(_list_of_records)
    while len(properties) < fields:
        name = _word(random)
        if name not in properties:
            kind = nested.pop() if nested else random.choice(_KINDS)
            properties[name], value[name] = kind(random)
    order = sorted(properties, key=lambda _: random.random())
    schema = {
        "type": "object",
        "properties": {name: properties[name] for name in order},
        "required": order,
        "additionalProperties": False,
    }
    return schema, {name: value[name] for name in order}


def _list_of_records(random: Random) -> tuple[dict[str, Any], list[Any]]:
    schema, _ = _record(random, 1, 2)
    names = schema["properties"]
    rows = [{name: _sample(random, kind) for name, kind in names.items()} for _ in range(random.randint(1, 3))]
    return {"type": "array", "items": schema, "minItems": 1, "maxItems": 3}, rows


def _sample(random: Random, kind: Mapping[str, Any]) -> Any:
    if "enum" in kind:
        return random.choice(kind["enum"])
    if kind["type"] == "integer":
        return random.randint(kind["minimum"], kind["maximum"])
    return random.random() < 0.5 if kind["type"] == "boolean" else _word(random).title()


def _integer(random: Random) -> tuple[dict[str, Any], int]:
    low = random.randint(0, 50)
    kind = {"type": "integer", "minimum": low, "maximum": low + random.randint(10, 900)}
    return kind, _sample(random, kind)


def _choice(random: Random) -> tuple[dict[str, Any], str]:
    kind = {"type": "string", "enum": random.sample(_COLOURS, 3)}
    return kind, _sample(random, kind)


def _text(random: Random) -> tuple[dict[str, Any], str]:
    return {"type": "string", "minLength": 2}, _word(random).title()


def _truth(random: Random) -> tuple[dict[str, Any], bool]:
    return {"type": "boolean"}, random.random() < 0.5


_KINDS: tuple[Callable[[Random], tuple[dict[str, Any], Any]], ...] = (_integer, _choice, _text, _truth)


def _word(random: Random) -> str:
    return "".join(random.choice(_SYLLABLES) for _ in range(random.randint(2, 3)))


def _told(value: Any, path: str = "") -> list[str]:
    """Every value with the way to it, as ``team.size is 4``."""
    if isinstance(value, dict):
        return [line for name, inner in value.items() for line in _told(inner, f"{path}.{name}" if path else name)]
    if isinstance(value, list):
        count = f"{path} has {len(value)} {'entry' if len(value) == 1 else 'entries'}"
        return [count, *(line for at, inner in enumerate(value, 1) for line in _told(inner, f"{path} entry {at}"))]
    return [f"{path} is {json.dumps(value)}"]


def _fixed(schema: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The same schema, with every value the only one allowed."""
    if isinstance(value, dict):
        inner = {name: _fixed(schema["properties"][name], part) for name, part in value.items()}
        return {**schema, "properties": inner}
    if isinstance(value, list):
        items = [_fixed(schema["items"], part) for part in value]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    return {"type": schema["type"], "const": value}


def _value_of(schema: Mapping[str, Any]) -> Any:
    """The only value that a fixed schema allows."""
    if "const" in schema:
        return schema["const"]
    if schema["type"] == "array":
        return [_value_of(item) for item in schema["prefixItems"]]
    return {name: _value_of(inner) for name, inner in schema["properties"].items()}
