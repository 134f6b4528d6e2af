"""The table of environments: built-in names, plug-ins, and everything registered at run time."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import RegistryError
from ..registry import Registry
from .base import Environment

E = TypeVar("E", bound=type[Environment])
_NAME = re.compile(r"(?P<base>[a-z0-9_-]+/[a-z0-9_-]+?)-v(?P<version>[1-9]\d*)\Z")

ENVIRONMENTS: Registry[Callable[..., Environment]] = Registry(
    "environment",
    {
        "math/arithmetic-v1": "assay.environments.arithmetic:Arithmetic",
        "math/gsm8k-v1": "assay.environments.gsm8k:GSM8K",
    },
    group="assay.environments",
)


def register(environment: E) -> E:
    """Register an environment class under its ``name``; a decorator.

    Raises:
        RegistryError: The name is not of the form ``namespace/name-vN``.
        DuplicateName: Another class has the name.
    """
    name = getattr(environment, "name", None)
    if not isinstance(name, str) or not _NAME.match(name):
        raise RegistryError(
            f"{environment.__name__}.name is {name!r}; expected 'namespace/name-vN', like 'math/sums-v1'"
        )
    ENVIRONMENTS.add(name, environment)
    return environment


def make(name: str, **options: Any) -> Environment:
    """The environment called ``name``; without ``-vN`` its newest version.

    Args:
        name: A registered name, ``package.module:Class`` or ``path/to/file.py:Class``.
        **options: Handed to the environment's constructor.

    Raises:
        UnknownName: Nobody registered it; the message lists the nearest names.
        LoadFailed: It is known but its module cannot be imported.
    """
    return ENVIRONMENTS.get(newest(name))(**options)


def newest(name: str) -> str:
    """``name`` with the highest registered version where it has none; any other name unchanged."""
    versions = [
        int(found["version"]) for known in ENVIRONMENTS if (found := _NAME.match(known)) and found["base"] == name
    ]
    return f"{name}-v{max(versions)}" if versions else name
