"""A plain class with ``load`` and ``verify`` as an environment."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import InputError
from ..verifiers.base import Result, Verifier
from .base import Environment, Task
from .functions import as_result


class MethodVerifier(Verifier[Any]):
    """Judges with the method ``verify(completion, reference)`` of the class that an environment was made of.

    Args:
        environment: The environment made by ``environment_of``.
    """

    def __init__(self, environment: PlainEnvironment) -> None:
        self.environment = environment

    @property
    def name(self) -> str:
        """The environment's name."""
        return self.environment.name

    def _verify_one(self, completion: str, reference: Any, **columns: Any) -> Result:
        judge = self.environment.plain.verify.__get__(self.environment)
        return as_result(judge(completion, reference), f"{self.environment.plain.__name__}.verify")


class PlainEnvironment(Environment):
    """Behind a class that was registered by ``@register("namespace/name-vN")``; see ``environment_of``.

    Attributes:
        plain: The class that was registered. It may derive from another registered one, so that ``super()`` in it
            reaches what ``environment_of`` put into that one.
    """

    plain: Any


def environment_of(cls: type, name: str, splits: Mapping[str, int | None] | Sequence[str] | None, **info: str) -> Any:
    """An environment class in the place of ``cls``, which keeps its module and its name, so that it can be pickled.

    Raises:
        InputError: ``cls`` lacks ``load``, both ``verify`` and ``verifier``, or the splits.
    """
    if not callable(getattr(cls, "load", None)):
        raise InputError(
            f"{cls.__name__} has no method load(self, split); expected one that yields (prompt, reference)"
        )
    judge = _judge_in(cls)
    if judge == "" or (judge == "verifier" and not isinstance(getattr(cls, "verifier", None), Verifier)):
        raise InputError(f"{cls.__name__} has neither a method verify(self, completion, reference) nor a verifier")
    found = splits if splits is not None else getattr(cls, "splits", None)
    if not isinstance(found, Iterable) or isinstance(found, str) or not list(found):
        raise InputError(
            f"{cls.__name__} names no splits; give splits=('train', 'test') or {{'train': 100}} with sizes"
        )
    sizes = dict(found) if isinstance(found, Mapping) else dict.fromkeys(found)
    attributes = {
        "plain": cls,
        "name": name,
        "splits": sizes,
        "__init__": _init_of(cls),
        "load": _load_of(cls),
        "verify": _verify_of(cls),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        **{key: value for key, value in info.items() if value},
    }
    return type(cls.__name__, (cls,) if issubclass(cls, PlainEnvironment) else (PlainEnvironment, cls), attributes)


def _judge_in(cls: type) -> str:
    """Which of "verify" and "verifier" the class, or the nearest of its bases, brings; empty where none does."""
    for one in cls.__mro__:
        if one not in Environment.__mro__ and "plain" not in vars(one):  # what stands here is nobody's own
            for judge in ("verify", "verifier"):
                if judge in vars(one):
                    return judge
    return ""


def _init_of(cls: Any) -> Callable[..., None]:
    def begin(self: PlainEnvironment, *arguments: Any, **options: Any) -> None:
        cls.__init__(self, *arguments, **options)
        if _judge_in(cls) == "verify":
            self.verifier = MethodVerifier(self)
        elif isinstance(vars(self).get("verifier"), MethodVerifier):  # a base judges with a method
            del self.verifier

    given = cls.__init__
    own = inspect.signature(given) if given is not object.__init__ else None
    begin.__signature__ = own or inspect.Signature(  # type: ignore[attr-defined]  # for messages about options
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    )
    return begin


def _load_of(cls: Any) -> Callable[[Any, str], Iterator[Task]]:
    def load(self: PlainEnvironment, split: str) -> Iterator[Task]:
        """Tasks as the class gives them; a pair is a prompt with its reference."""
        for number, made in enumerate(cls.load(self, split), start=1):
            if isinstance(made, Task):
                yield made
            elif isinstance(made, tuple) and len(made) == 2:
                yield Task(*made)
            else:
                raise InputError(
                    f"{cls.__name__}.load gave {made!r:.100} as item {number} of split {split!r}; "
                    "expected a Task or a pair (prompt, reference)"
                )

    return load


def _verify_of(cls: Any) -> Callable[..., Any]:
    def verify(self: PlainEnvironment, completions: Any, tasks: Any) -> Any:
        """As ``Environment.verify``; of one text the class's own, which ``super().verify`` in another one calls."""
        if isinstance(completions, str):
            return cls.verify(self, completions, tasks)
        return Environment.verify(self, completions, tasks)

    return verify
