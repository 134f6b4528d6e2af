"""Which references a verifier judges against, as its class says: ``class Mine(Verifier[str])``."""

from __future__ import annotations

from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from ..verifiers.base import Verifier


def reference_types(verifier: Verifier[Any]) -> tuple[type, ...]:
    """The classes that ``verifier`` declares for its references; empty where it declares none, or anything.

    >>> from assay.verifiers import MathVerifier
    >>> reference_types(MathVerifier())
    (<class 'str'>,)
    """
    for cls in type(verifier).__mro__:
        for base in getattr(cls, "__orig_bases__", ()):
            origin = get_origin(base)
            if isinstance(origin, type) and issubclass(origin, Verifier):
                return _classes(get_args(base)[0])
    return ()


def _classes(declared: Any) -> tuple[type, ...]:
    """The classes in an annotation; empty where one of its parts is no class."""
    if get_origin(declared) in (Union, UnionType):
        parts = [_classes(part) for part in get_args(declared)]
        return tuple(cls for part in parts for cls in part) if all(parts) else ()
    if declared is Any or isinstance(declared, TypeVar):
        return ()
    found = get_origin(declared) or declared  # of list[str] the list
    return (found,) if isinstance(found, type) and found is not object else ()
