"""All instruction types in one table, imported when the first constraint is bound."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Mapping
from typing import Any

from ....errors import InputError
from .constraint import Checks


@functools.cache
def _tables() -> tuple[Checks, ...]:
    from .ifbench_counts import COUNTS
    from .ifbench_custom import CUSTOM
    from .ifbench_format import FORMAT
    from .ifbench_sentences import SENTENCES
    from .ifbench_words import WORDS
    from .ifeval import IFEVAL
    from .ifeval_form import IFEVAL_FORM

    return IFEVAL, IFEVAL_FORM, COUNTS, FORMAT, SENTENCES, WORDS, CUSTOM


def names() -> list[str]:
    """The names of all instruction types, sorted."""
    return sorted(name for table in _tables() for name in table.names())


def bind(name: str, arguments: Mapping[str, Any]) -> Callable[[str], str]:
    """The check of an instruction with its arguments: see ``Checks.bind``.

    Raises:
        InputError: No such instruction, or its arguments do not fit.
    """
    for table in _tables():
        if name in table:
            return table.bind(name, arguments)
    near = difflib.get_close_matches(name, names(), n=3)
    hint = (
        f"did you mean {' or '.join(map(repr, near))}?"
        if near
        else f"there are {len(names())} types, those of IFEval and IFBench"
    )
    raise InputError(f"no instruction is called {name!r}; {hint}")
