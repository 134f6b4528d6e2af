"""Options that several commands take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from ..errors import InputError

#: ``--option NAME=VALUE``, any number of times, as ``pairs``.
environment_options = click.option(
    "--option",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="For the environment, as path=data/x.jsonl or levels=[1,2]; repeatable.",
)


def parsed_options(pairs: Sequence[str], flag: str = "--option") -> dict[str, Any]:
    """``NAME=VALUE`` texts as keyword arguments; a value that is JSON is read as such, any other is text.

    Args:
        pairs: The texts.
        flag: What they came with, for messages.

    Raises:
        InputError: A text is not of that form.

    >>> parsed_options(["seed=3", "path=data/x.jsonl", "levels=[1, 2]"])
    {'seed': 3, 'path': 'data/x.jsonl', 'levels': [1, 2]}
    """
    options = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"{flag} {pair!r} is not of the form NAME=VALUE, such as path=data/train.jsonl")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options
