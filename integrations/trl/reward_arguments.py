"""What ``RewardFunction`` refuses of its arguments."""

from __future__ import annotations

import math
from typing import Any

from ...errors import InputError
from ...verifiers.base import Verifier

# Columns of TRL's table of completions; a reward of that name would overwrite one.
_TABLE_COLUMNS = ("step", "prompt", "completion", "advantage")


def checked_name(verifier: Verifier[Any], name: str | None) -> str:
    """The name of a reward: the one given, else its verifier's; ``InputError`` where either cannot be used."""
    if not isinstance(verifier, Verifier):
        is_class = isinstance(verifier, type) and issubclass(verifier, Verifier)
        hint = f", an object of the class: {verifier.__name__}()" if is_class else ""
        raise InputError(f"the first argument of RewardFunction is {verifier!r}; expected a Verifier{hint}")
    name = verifier.name if name is None else name
    if not name or name in _TABLE_COLUMNS:
        taken = ", ".join(_TABLE_COLUMNS)
        raise InputError(f"a reward cannot be called {name!r}: TRL's table of completions has the columns {taken}")
    return name


def check_values(name: str, weight: float, on_failure: str, deadline_seconds: float | None) -> None:
    """Raise ``InputError`` where a value is not as ``RewardFunction`` describes it."""
    if not math.isfinite(weight):
        raise InputError(f"the weight of reward {name!r} is {weight!r}; expected a finite number")
    if on_failure not in ("none", "raise"):
        raise InputError(f"on_failure of reward {name!r} is {on_failure!r}; expected 'none' or 'raise'")
    if deadline_seconds is not None and not deadline_seconds > 0:
        raise InputError(f"deadline_seconds of reward {name!r} is {deadline_seconds!r}; expected more than 0")
