"""What an environment is: ``Task`` and ``Environment``."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from itertools import islice
from operator import attrgetter
from typing import Any, ClassVar, SupportsIndex

from ..errors import AssayError, InputError
from ..registry import Registry
from ..verifiers.base import Result, Verifier
from .views import TaskView
from .wording import told

Message = Mapping[str, str]
Prompt = str | Sequence[Message]

# Trainer adapters stand above this folder: named here, not imported (docs/decisions/0003-adapters-by-name.md).
ADAPTERS: Registry[Any] = Registry("trainer adapter", {"trl": "assay.integrations.trl.spec:trl_arguments"})

# What a subclass has to bring, for the message about one that does not.
_PARTS = {
    "name": "a class attribute name = 'namespace/name-vN'",
    "splits": "a class attribute splits = {'train': 100}",
    "verifier": "self.verifier = MathVerifier(), or another one, in __init__, or a class attribute",
}


@dataclass(frozen=True, slots=True)
class Task:
    """One prompt with what is needed to judge its completions.

    Attributes:
        prompt: Text, or chat messages with ``role`` and ``content``.
        reference: What the environment's verifier judges against.
        difficulty: Any scale of the environment's own, larger is harder; None where unknown.
        metadata: Further JSON values by name; they become columns of a training data set.
        id: Sixteen hexadecimal digits of the content's SHA-256: equal tasks, equal ids, on every machine.
    """

    prompt: Prompt
    reference: Any
    difficulty: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            content = json.dumps([self.prompt, self.reference], sort_keys=True, ensure_ascii=False, default=repr)
            object.__setattr__(self, "id", sha256(content.encode()).hexdigest()[:16])


class Environment(ABC):
    """A named, versioned set of tasks with their verifier.

    Subclasses set the class attributes, give ``verifier``, and write ``load``.

    Attributes:
        name: ``namespace/name-vN``. Changed prompts or scoring mean a new version.
        splits: The names that ``tasks`` takes, with their sizes; None where a size is not known beforehand.
        endless: Those splits whose ``load`` never ends; ``tasks`` wants a limit for them.
        columns: Names of metadata that the verifier reads beside the reference, as columns.
        domain: "math", "code", "format", ...
        licence: The licence of the tasks.
        source: Where they come from.
    """

    name: ClassVar[str]
    splits: ClassVar[Mapping[str, int | None]]
    endless: ClassVar[frozenset[str]] = frozenset()
    columns: ClassVar[tuple[str, ...]] = ()
    domain: ClassVar[str] = ""
    licence: ClassVar[str] = ""
    source: ClassVar[str] = ""
    verifier: Verifier[Any]

    @abstractmethod
    def load(self, split: str) -> Iterable[Task]:
        """The tasks of one split, always the same ones in the same order. Hook: call ``tasks`` instead."""

    def tasks(self, split: str, *, limit: int | None = None) -> list[Task]:
        """The first ``limit`` tasks of a split, or all of them.

        Raises:
            InputError: There is no such split, it is endless and no limit is given, it is empty, or ``load`` raises.
            DataUnavailable: The data is neither on disk nor reachable.
        """
        self._refuse_unknown(split)
        if limit is None and split in self.endless:
            raise InputError(f"split {split!r} of {self.name} is endless; say how many tasks with limit=")
        if limit is not None and limit < 0:
            raise InputError(f"limit is {limit}; expected 0 or more")
        found = self._loaded(split, limit)
        if not found and limit != 0:
            source = self.origins.get(split) or self.source or "not given"
            raise InputError(f"split {split!r} of {self.name} is empty; its source is {source}")
        return found

    def view(self, split: str) -> TaskView:
        """The tasks of a split as a lazy view: ``env.view("train").filter(...).shuffle(0).take(100)``.

        Raises:
            InputError: There is no such split.
        """
        self._refuse_unknown(split)
        return TaskView(lambda: self.load(split), name=f"{self.name}/{split}", endless=split in self.endless)

    def reference_completions(self, task: Task) -> Sequence[str]:
        r"""Completions of which the verifier must accept at least one; empty where none is known.

        ``assay check`` reads them. The default puts a reference that is text or a number into the usual forms: itself,
        ``\boxed{}``, ``<answer>`` tags.
        """
        if not isinstance(task.reference, str | int | float) or isinstance(task.reference, bool):
            return ()
        if not str(task.reference).strip():
            return ()
        return (f"\\boxed{{{task.reference}}}", f"<answer>{task.reference}</answer>", str(task.reference))

    @property
    def origins(self) -> dict[str, str]:
        """Where the rows of each split that was loaded came from: a file's path, or ``name@revision`` on the hub."""
        found: dict[str, str] = vars(self).setdefault("_origins", {})
        return found

    def verify(self, completions: Sequence[str], tasks: Sequence[Task]) -> list[Result]:
        """Judge one completion of each task: n completions, n tasks, n results in the same order."""
        columns = {name: [task.metadata.get(name) for task in tasks] for name in self.columns}
        return self.verifier.verify(completions, [task.reference for task in tasks], **columns)

    def trl(self, split: str = "train", **options: Any) -> dict[str, Any]:
        """Keyword arguments for TRL's trainers: ``GRPOTrainer(model, **env.trl("train"))``.

        Args:
            split: Which tasks to train on.
            **options: See ``assay.integrations.trl.spec.trl_arguments``.
        """
        arguments: dict[str, Any] = ADAPTERS.get("trl")(self, split, **options)
        return arguments

    @property
    def train_dataset(self) -> Any:
        """TRL's slot: the train split as a ``datasets.Dataset``."""
        return self.trl("train")["train_dataset"]

    @property
    def reward_funcs(self) -> list[Any]:
        """TRL's slot: this environment's verifier as reward functions."""
        return list(ADAPTERS.get("trl")(self, None)["reward_funcs"])

    @property
    def environment_factory(self) -> Any:
        """TRL's slot for multi-turn environments; None for one that answers in a single turn."""
        return None

    @property
    def owns_reward(self) -> bool:
        """Whether the reward comes from the episodes of ``environment_factory`` and no reward function is needed."""
        return False

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        """By names: so this module is the first that another process imports, and it can import classes from files."""
        made_as = vars(self).get("_made_as")
        if made_as is not None:  # ``make`` found it ready-made in a module: it is found there again, rows and all
            return _found_again, (made_as,)
        cls = type(self)
        if _class(cls.__module__, cls.__qualname__) is not cls:
            raise InputError(
                f"{self.name} cannot be sent to another process: {cls.__qualname__} is not found under that name in "
                f"{cls.__module__}; define it at the top level of a module"
            )
        return _new, (cls.__module__, cls.__qualname__), self.__getstate__()

    def _loaded(self, split: str, limit: int | None) -> list[Task]:
        try:
            return list(islice(self.load(split), limit))
        except AssayError:
            raise
        except Exception as error:  # whatever the code or the data of another may raise
            raise InputError(f"split {split!r} of {self.name} cannot be loaded: {told(error)}") from error

    def __getattr__(self, name: str) -> Any:
        """Only called for what is not there: say which part of an environment somebody left out."""
        if name in _PARTS and not hasattr(type(self), name):
            raise InputError(f"the environment {type(self).__name__} has no {name}; expected {_PARTS[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _refuse_unknown(self, split: str) -> None:
        if split not in self.splits:
            raise InputError(f"{self.name} has no split {split!r}; it has {', '.join(self.splits)}")


def prompt_text(prompt: Prompt) -> str:
    """The words of a prompt: itself, or the contents of its messages, one a line."""
    return prompt if isinstance(prompt, str) else "\n".join(str(message["content"]) for message in prompt)


def _found_again(name: str) -> Environment:
    from .registry import make  # the table is built on this module

    return make(name)


def _class(module: str, name: str) -> Any:
    try:
        return attrgetter(name)(import_module(module))
    except (ImportError, AttributeError):
        return None


def _new(module: str, name: str) -> Environment:
    cls = attrgetter(name)(import_module(module))
    made: Environment = cls.__new__(cls)
    return made
