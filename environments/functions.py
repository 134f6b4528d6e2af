"""A plain function, or a method, as a verifier."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

from ..errors import InputError
from ..verifiers.base import Result, Verifier

#: Judges one completion against one reference: True and False, a score in [0, 1], or a whole ``Result``.
Judge = Callable[[str, Any], "Result | bool | float"]


class FunctionVerifier(Verifier[Any]):
    """Judges with a function of one completion and one reference.

    What the function raises, or returns beside the allowed values, costs the item its score and is no zero.

    Args:
        function: As ``Judge``. Defined at the top level of a module it can be sent to other processes.

    >>> FunctionVerifier(lambda completion, reference: completion == reference).verify(["a"], ["a"])[0].score
    1.0
    """

    def __init__(self, function: Judge) -> None:
        given: Any = function
        if isinstance(given, type) and issubclass(given, Verifier):
            name = given.__name__
            raise InputError(f"the verifier is the class {name}; expected an object of it: {name}()")
        if not callable(function):
            raise InputError(f"the verifier is {function!r}; expected a Verifier or a function (completion, reference)")
        self.function = function

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.function, "__name__", type(self.function).__name__)

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        return as_result(self.function(completion, reference), self.name)

    def __getstate__(self) -> dict[str, Any]:
        try:
            pickle.dumps(self.function)
        except Exception as error:
            raise InputError(
                f"the verifier {self.name!r} cannot be sent to another process ({error}); define it with def at "
                "the top level of a module"
            ) from error
        return self.__dict__


def as_result(value: Any, name: str) -> Result:
    """A ``Result`` of what a judge returned.

    Raises:
        InputError: It is neither a ``Result`` nor True, False or a number in [0, 1].
    """
    if isinstance(value, Result):
        return value
    if getattr(value, "shape", None) == ():  # a scalar of numpy, or of what is like it
        value = value.item()
    if isinstance(value, bool | int | float) and math.isfinite(value) and 0 <= value <= 1:
        if value == 1:
            return Result.correct()
        return Result.partial(float(value)) if value else Result.incorrect()
    raise InputError(f"{name} returned {value!r}; expected True, False, a number in [0, 1] or a Result")
