"""An environment as keyword arguments of TRL's trainers."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from ...environments.base import Environment, Task
from ...environments.datasets import read_file
from ...environments.views import TaskView
from ...errors import ColumnError, InputError, MissingExtra
from .columns import RESERVED
from .completions import prefill_of
from .lint import BadReference, lint_references, listed
from .options import check_options, option_names
from .rewards import RewardFunction

_LOG = logging.getLogger("assay.trl")
_OWN = ("prompt", "answer", "task_id", "difficulty", "pass_rate")
_PLAIN = (str, int, float, bool)


class TaskReferences:
    """References by task id, for those that a data set column cannot hold; picklable with its environment.

    Args:
        environment: Whose tasks; their splits are read when the first reference is asked for.
        split: The split to read; all splits where None.
        tasks: The tasks themselves, where they are chosen by hand: nothing is read then.
    """

    def __init__(self, environment: Environment, split: str | None, tasks: Sequence[Task] | None = None) -> None:
        self.environment = environment
        self.split = split
        self._chosen = None if tasks is None else {task.id: task.reference for task in tasks}
        self._by_id = self._chosen

    def __call__(self, task_id: str) -> Any:
        """The reference of the task called ``task_id``."""
        if self._by_id is None:
            splits = self.environment.splits if self.split is None else [self.split]
            finite = [split for split in splits if split not in self.environment.endless]
            self._by_id = {task.id: task.reference for split in finite for task in self.environment.load(split)}
        if task_id not in self._by_id:
            raise InputError(f"{self.environment.name} has no task with the id {task_id!r}")
        return self._by_id[task_id]

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_by_id": self._chosen}


def trl_arguments(
    environment: Environment,
    split: str | None = "train",
    *,
    tasks: Iterable[Task] | None = None,
    limit: int | None = None,
    profile: str | os.PathLike[str] | None = None,
    window: tuple[float, float] | None = None,
    processing_class: Any = None,
    bad_references: Literal["drop", "keep", "raise"] = "drop",
    **reward_options: Any,
) -> dict[str, Any]:
    """Keyword arguments for TRL's trainers: ``GRPOTrainer(model, args=…, **trl_arguments(environment, "train"))``.

    The data set has the columns ``prompt``, ``answer`` (the reference; left out where it is no plain value),
    ``task_id``, ``difficulty``, and one for each metadata name. Each call makes a new list of reward functions, since
    TRL changes the list it is given.

    Args:
        environment: What to train on.
        split: Which tasks; None makes the reward functions alone.
        tasks: Tasks of this environment to train on instead of a split: ``env.view("train").filter(...).take(500)``.
        limit: The first so many tasks.
        profile: A file that ``assay profile --output`` wrote: only its tasks are taken, with a column ``pass_rate``.
        window: Of these, tasks whose pass rate lies strictly between the two; (0, 1) by default.
        processing_class: The tokenizer, where its chat template may write ``<think>`` before every answer; the rewards
            then put it back.
        bad_references: What happens to tasks whose reference cannot be judged against: they are logged and left out
            ("drop"), logged and kept, without reward ("keep"), or refused ("raise").
        **reward_options: Handed to ``RewardFunction``.

    Returns:
        ``train_dataset`` (not where ``split`` is None), ``reward_funcs``, and ``environment_factory`` where the
        environment has one.

    Raises:
        InputError: There is no such split or option, there is a window without a profile, ``bad_references`` is "raise"
            and there are some, or all are.
        ColumnError: A metadata name is one that this function or TRL keeps for itself.
        MissingExtra: The package ``datasets`` is not installed.
    """
    if bad_references not in ("drop", "keep", "raise"):
        raise InputError(f"bad_references is {bad_references!r}; expected 'drop', 'keep' or 'raise'")
    if window is not None and profile is None:
        raise InputError(
            f"window is {window!r}, and there is no profile whose pass rates it could choose by; give profile=, a file "
            "that `assay profile --output` wrote"
        )
    window = window or (0.0, 1.0)
    check_options(f"trl() of {environment.name}", reward_options, _options())
    reward_options.setdefault("prefill", prefill_of(processing_class))
    arguments: dict[str, Any] = {}
    rates = None if profile is None or split is None else _pass_rates(profile, window)
    chosen = [] if split is None else _chosen(environment, split, tasks, limit, rates)
    if rates is not None and not chosen:
        raise InputError(f"no task of {environment.name} ({split}) is in {os.fspath(profile or '')} within {window}")
    plain = _fit_a_column([task.reference for task in chosen or _first_task(environment)])
    if not plain:
        decode = TaskReferences(environment, split, None if tasks is None else chosen)
        reward_options = {"reference": "task_id", "decode": decode, **reward_options}
    reward = _reward(environment, reward_options)
    if split is not None:
        arguments["train_dataset"] = _linted(
            environment, _dataset(environment, chosen, plain, rates), reward, bad_references
        )
    # An environment whose episodes are asked for the reward (``get_reward``) needs no function beside.
    arguments["reward_funcs"] = [] if environment.owns_reward else [reward]
    if environment.environment_factory is not None:
        arguments["environment_factory"] = environment.environment_factory
    return arguments


def _options() -> list[str]:
    """What ``trl()`` takes: its own options, and those of rewards."""
    names = [*option_names(trl_arguments), *option_names(RewardFunction.__init__)]
    return [name for name in names if name not in ("environment", "self", "verifier")]


def _pass_rates(path: str | os.PathLike[str], window: tuple[float, float]) -> dict[str, float]:
    """Pass rates by task id, those inside the window."""
    rows = list(read_file(path))
    for number, row in enumerate(rows, start=1):
        if "id" not in row or "pass_rate" not in row:
            raise ColumnError(
                f"{os.fspath(path)}, row {number} lacks id or pass_rate; expected a file of `assay profile --output`"
            )
    return {row["id"]: row["pass_rate"] for row in rows if window[0] < row["pass_rate"] < window[1]}


def _fit_a_column(references: list[Any]) -> bool:
    """Whether a data set column can hold them as they are: plain values of one type, or None."""
    kinds = {type(reference) for reference in references if reference is not None}
    return len(kinds) <= 1 and all(kind in _PLAIN for kind in kinds)


def _first_task(environment: Environment) -> list[Task]:
    split = next(iter(environment.splits))
    return environment.tasks(split, limit=1)


def _chosen(
    environment: Environment,
    split: str,
    tasks: Iterable[Task] | None,
    limit: int | None,
    rates: Mapping[str, float] | None,
) -> list[Task]:
    """The tasks of the split, or those chosen by hand; of these the ones with a pass rate, where rates are given."""
    found = environment.tasks(split, limit=limit) if tasks is None else _by_hand(tasks, limit)
    return found if rates is None else [task for task in found if task.id in rates]


def _by_hand(tasks: Iterable[Task], limit: int | None) -> list[Task]:
    if limit is None and isinstance(tasks, TaskView) and tasks.is_endless:
        raise InputError("the view of tasks is endless: end it with .take(count), or give limit=")
    found = list(islice(tasks, limit))
    strange = next((task for task in found if not isinstance(task, Task)), None)
    if strange is not None or not found:
        given = "none" if strange is None else f"{strange!r:.100}"
        raise InputError(f"tasks= holds {given}; expected tasks, as in tasks=env.view('train').take(100)")
    return found


def _reward(environment: Environment, options: Mapping[str, Any]) -> RewardFunction:
    name = environment.name.rpartition("/")[2].rpartition("-v")[0] or environment.name
    defaults: dict[str, Any] = {"reference": "answer", "name": name, "columns": environment.columns}
    return RewardFunction(environment.verifier, **{**defaults, **options})


def _dataset(environment: Environment, tasks: list[Task], plain: bool, rates: Mapping[str, float] | None) -> Any:
    """The tasks as a data set, references among them where they are plain, pass rates where they are given."""
    try:
        from datasets import Dataset
    except ImportError as error:
        raise MissingExtra("datasets", "trl") from error
    columns: dict[str, list[Any]] = {
        "prompt": [task.prompt if isinstance(task.prompt, str) else [dict(m) for m in task.prompt] for task in tasks],
        "answer": [task.reference for task in tasks],
        "task_id": [task.id for task in tasks],
        "difficulty": [task.difficulty for task in tasks],
    }
    if not plain:
        del columns["answer"]
    for name in dict.fromkeys(name for task in tasks for name in task.metadata):
        if name in RESERVED or name in _OWN:
            raise ColumnError(f"{environment.name} has metadata called {name!r}, which is a column already; rename it")
        columns[name] = [task.metadata.get(name) for task in tasks]
    if rates is not None:
        columns["pass_rate"] = [rates[task.id] for task in tasks]
    return Dataset.from_dict(columns)


def _linted(environment: Environment, dataset: Any, reward: RewardFunction, bad_references: str) -> Any:
    bad = lint_references(dataset, reward)
    if not bad:
        return dataset
    message = _complaint(environment, bad, len(dataset))
    if bad_references == "raise" or len(bad) == len(dataset):
        raise InputError(f"{message}: {listed(bad)}")
    _LOG.warning("%s, %s: %s", message, "left out" if bad_references == "drop" else "kept", listed(bad))
    if bad_references == "keep":
        return dataset
    rows = {entry.row for entry in bad}
    return dataset.select([row for row in range(len(dataset)) if row not in rows])


def _complaint(environment: Environment, bad: Sequence[BadReference], total: int) -> str:
    """What is wrong, and with what: references, or the verifier that failed on them."""
    failed = sum(entry.failed for entry in bad)
    start = f"{len(bad)} of {total} tasks of {environment.name}"
    if not failed:
        return f"{start} have references that cannot be judged against"
    verifier = environment.verifier.name
    share = "" if failed == len(bad) else f" on {failed} of them, and the other references cannot be judged against"
    return f"{start} cannot be judged: the verifier {verifier} failed{share}"
