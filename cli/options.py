"""Options that several commands take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..errors import InputError


def parsed_options(pairs: Sequence[str]) -> dict[str, Any]:
    """``NAME=VALUE`` texts as keyword arguments; a value that is JSON is read as such, any other is text.

    Raises:
        InputError: A text is not of that form.

    >>> parsed_options(["seed=3", "path=data/x.jsonl", "levels=[1, 2]"])
    {'seed': 3, 'path': 'data/x.jsonl', 'levels': [1, 2]}
    """
    options = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--option {pair!r} is not of the form NAME=VALUE, such as path=data/train.jsonl")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options
