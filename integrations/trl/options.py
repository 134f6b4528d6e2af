"""Options that are misspelt, missing or too many end in an error that says what there is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, Self

from ...errors import InputError
from ...registry import near_names


class CheckedOptions:
    """A base for classes with many options: what their constructor does not take is refused as ``InputError``.

    Python's own ``TypeError`` would say the name that is wrong and not the one that was meant.
    """

    def __new__(cls, *given: Any, **options: Any) -> Self:
        """Check the call against the constructors of ``cls``; ``__init__`` follows as always."""
        if given or options:  # nothing is given where an instance is unpickled
            check_options(cls.__name__, options, _option_names(cls))
            try:
                inspect.signature(cls.__init__).bind(None, *given, **options)
            except TypeError as error:
                raise InputError(f"{cls.__name__}: {error}; it takes {', '.join(_option_names(cls))}") from error
        return super().__new__(cls)


def check_options(owner: str, options: Iterable[str], known: Iterable[str]) -> None:
    """Raise ``InputError`` for the first option that is not known, with the nearest names.

    Args:
        owner: What was called, for the message.
        options: The names given.
        known: The names there are.
    """
    known = list(known)
    for name in options:
        if name not in known:
            raise InputError(f"{owner} has no option {name!r}; {near_names(name, known)}")


def option_names(function: Callable[..., Any]) -> list[str]:
    """The names of what ``function`` takes by keyword."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [name for name, one in inspect.signature(function).parameters.items() if one.kind in named]


def _option_names(cls: type) -> list[str]:
    """Those of the constructor, and of the ones below that it hands further options to."""
    names: list[str] = []
    for base in cls.__mro__:
        if constructor := vars(base).get("__init__"):
            names += [name for name in option_names(constructor) if name != "self"]
            kinds = {one.kind for one in inspect.signature(constructor).parameters.values()}
            if inspect.Parameter.VAR_KEYWORD not in kinds:
                break
    return list(dict.fromkeys(names))
