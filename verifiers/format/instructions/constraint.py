"""What an instruction's check is: a function of the text and the instruction's arguments, by the instruction's name."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from ....errors import InputError

Check = Callable[..., str]
"""Takes the text and keyword arguments; returns why the text fails, "" when it does what was asked."""


class Checks:
    """Checks by name, filled by decorators while the module that owns it loads.

    A check is named by its decorator; its keyword-only parameters are the arguments that a data set gives. Their types
    (``int``, ``str``, ``list[str]``) are what values are read as.
    """

    def __init__(self) -> None:
        self._checks: dict[str, tuple[Check, dict[str, Any], frozenset[str]]] = {}

    def named(self, name: str) -> Callable[[Check], Check]:
        """A decorator that enters a function under an instruction's name."""

        def enter(check: Check) -> Check:
            hints = get_type_hints(check)
            parameters = inspect.signature(check).parameters.values()
            kinds = {p.name: hints[p.name] for p in parameters if p.kind is p.KEYWORD_ONLY}
            optional = frozenset(p.name for p in parameters if p.default is not p.empty)
            self._checks[name] = (check, kinds, optional)
            return check

        return enter

    def names(self) -> list[str]:
        """All instruction names, sorted."""
        return sorted(self._checks)

    def __contains__(self, name: object) -> bool:
        return name in self._checks

    def bind(self, name: str, arguments: Mapping[str, Any]) -> Callable[[str], str]:
        """The check of one instruction with its arguments, as a function of the text alone.

        Args:
            name: The instruction's name.
            arguments: Its arguments; those that are None count as absent.

        Raises:
            InputError: An argument is missing, unknown, or not of its kind.
            KeyError: No such instruction: ask with ``in`` first.
        """
        check, kinds, optional = self._checks[name]
        given = {key: value for key, value in arguments.items() if value is not None}
        if unknown := sorted(set(given) - set(kinds)):
            raise InputError(f"{name} takes {', '.join(kinds) or 'no arguments'}, not {', '.join(unknown)}")
        if missing := sorted(set(kinds) - set(given) - optional):
            raise InputError(f"{name} needs {', '.join(missing)}")
        values = {key: _read(name, key, value, kinds[key]) for key, value in given.items()}
        return lambda text: check(text, **values)


def _read(name: str, key: str, value: Any, kind: Any) -> Any:
    """An argument as its kind: data sets write 2 as 2.0 and "2", and lists as JSON text."""
    if kind is int:
        if isinstance(value, str) and value.strip().lstrip("+-").isdecimal():
            return int(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and value == int(value):
            return int(value)
    elif kind is str and isinstance(value, str) and value.strip():
        return value
    elif kind == list[str]:
        if isinstance(value, str) and value.lstrip().startswith("["):
            try:
                value = json.loads(value)
            except ValueError as error:
                raise InputError(f"{key} of {name} is {value!r}: {error}") from error
        if isinstance(value, list | tuple) and value and all(isinstance(item, str) and item.strip() for item in value):
            return list(value)
    wanted = {int: "a whole number", str: "a text"}.get(kind, "a list of texts")
    raise InputError(f"{key} of {name} is {value!r}; expected {wanted}")


def compare(count: int, relation: str, bound: int, what: str) -> str:
    """Whether a count stands in a relation ("at least", "less than", …) to a bound; why not, or "".

    Raises:
        InputError: Another relation.
    """
    relations: Mapping[str, bool] = {
        "at least": count >= bound,
        "less than": count < bound,
        "at most": count <= bound,
        "more than": count > bound,
        "exactly": count == bound,
    }
    if relation not in relations:
        raise InputError(f"the relation is {relation!r}; expected one of {', '.join(relations)}")
    return "" if relations[relation] else f"{count} {what}, expected {relation} {bound}"


def at_least(count: int, bound: int, what: str) -> str:
    """Why a count is too small, or ""."""
    return compare(count, "at least", bound, what)
