"""``RewardFunction``: any verifier as a reward function of TRL's trainers."""

from __future__ import annotations

import asyncio
import logging
import pickle
from collections.abc import Callable, Collection, Sequence, Sized
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError, VerifierFailed
from ...verifiers.base import Result, Verifier
from .columns import check_columns, refuse_reserved, take_columns
from .completions import completion_text
from .deadline import call_within
from .options import CheckedOptions
from .reporting import log_metrics, log_rows
from .reward_arguments import check_values, checked_name

if TYPE_CHECKING:
    from .lint import BadReference

_LOG = logging.getLogger("assay.trl")


class RewardFunction(CheckedOptions):
    """A verifier as a reward function: one finite float or None for each completion, never an exception by content.

    Works with every TRL trainer that takes reward functions: all arguments come by keyword, unknown ones are ignored,
    the log hooks are used where they are given. Instances are picklable and have a ``__name__``, under which TRL logs
    them: give each reward of one trainer its own name, since TRL silently merges the numbers of equal ones.

    Args:
        verifier: What judges. The reward is ``weight`` times the score of its result.
        reference: The data set column with the references; None for a verifier that needs none.
        name: The reward's name in logs.
        columns: Further columns to hand to the verifier, by name.
        task_column: In a mixture of tasks, the column that names each row's task.
        tasks: The tasks this reward judges, ``name`` where not given; other rows get None, which TRL leaves out.
        weight: Factor of the reward. 0 only logs: every reward is 0, the metrics are there.
        on_failure: What happens when the judge, not the policy, fails: "none" gives None, "raise" ``VerifierFailed``.
        decode: Makes a reference of a column's value, where the column cannot hold it; what it raises is a failure of
            ours.
        prefill: What the chat template already wrote of each answer, as ``<think>``; see ``completions.prefill_of``.
        group_column: A column that tells groups apart, for the metrics about groups; equal prompts where it is absent.
        group_size: G, where known: groups of which another process has a part are then left out of these metrics.
        deadline_seconds: Wall time for one call. What is not judged by then has no score. Keep it below
            ``ddp_timeout``, after which other processes abort while they wait. None waits for ever.
        log_columns: Whether answer, reference, verdict and reason go into TRL's table of completions.

    Raises:
        ColumnError: A column has a name that TRL keeps for itself.
        InputError: Another argument is not as described, or there is no such option.
    """

    def __init__(
        self,
        verifier: Verifier[Any],
        reference: str | None = "answer",
        name: str | None = None,
        *,
        columns: Sequence[str] = (),
        task_column: str | None = None,
        tasks: Collection[str] | None = None,
        weight: float = 1.0,
        on_failure: Literal["none", "raise"] = "none",
        decode: Callable[[Any], Any] | None = None,
        prefill: str = "",
        group_column: str = "task_id",
        group_size: int | None = None,
        deadline_seconds: float | None = 600.0,
        log_columns: bool = True,
    ) -> None:
        self.verifier = verifier
        self.name = self.__name__ = checked_name(verifier, name)
        check_values(self.name, weight, on_failure, deadline_seconds)
        self.reference = reference
        self.columns = tuple(columns)
        self.task_column = task_column
        self.tasks = frozenset((self.name,) if tasks is None else tasks)
        self.weight = float(weight)
        self.on_failure = on_failure
        self.decode = decode
        self.prefill = prefill
        self.group_column = group_column
        self.group_size = group_size
        self.deadline_seconds = deadline_seconds
        self.log_columns = log_columns
        refuse_reserved(self.wanted_columns, self.name)

    @property
    def wanted_columns(self) -> tuple[str, ...]:
        """The data set columns that this reward reads."""
        named = (self.reference, self.task_column, *self.columns)
        return tuple(dict.fromkeys(column for column in named if column is not None))

    def check(self, dataset: Any) -> list[BadReference]:
        """What is wrong with ``dataset`` for this reward, before the first step; TRL's own trainers do not ask.

        Args:
            dataset: A ``datasets.Dataset``. One that is streamed may not know its columns: nothing is said then.

        Returns:
            The rows whose reference cannot be judged against, None among them, in order; they are logged as well. Such
            a row has no reward; leave it out with ``dataset.select``.

        Raises:
            ColumnError: A column is lacking, or has a name that TRL refuses.
        """
        from .lint import lint_references, listed  # it is built on this module

        if dataset.column_names is not None:
            check_columns(dataset.column_names, self.wanted_columns, self.name)
        bad = lint_references(dataset, self) if isinstance(dataset, Sized) else []  # one that is streamed has no length
        if bad:
            message = "reward %r cannot judge %d of %d rows, which get no reward: %s"
            _LOG.warning(message, self.name, len(bad), len(dataset), listed(bad))
        return bad

    def __call__(self, completions: Sequence[Any], prompts: Sequence[Any] = (), **given: Any) -> list[float | None]:
        """The rewards of a batch; what TRL calls.

        Args:
            completions: n completions, as text or as messages.
            prompts: n prompts, or none where a caller has none.
            **given: The data set's columns, n values each, and TRL's own: ``log_extra``, ``log_metric`` and others.

        Returns:
            n rewards; None where the judge failed or the row is another task's.

        Raises:
            ColumnError: The data set lacks a column, whatever ``on_failure`` says: no batch could ever be judged.
            VerifierFailed: The judge failed and ``on_failure`` is "raise".
        """
        self._refuse_namesakes(given.get("log_extra"))
        results = self.judge(completions, prompts, given)
        self._report_failures([result for result in results if result is not None])
        if (log_metric := given.get("log_metric")) is not None:
            keys = given.get(self.group_column) or prompts
            ids = given.get("completion_ids")
            lengths = None if ids is None else [len(tokens) for tokens in ids]
            log_metrics(log_metric, self.name, results, keys, self.group_size, lengths)
        if (log_extra := given.get("log_extra")) is not None and self.log_columns:
            references = given[self.reference] if self.reference is not None else None
            log_rows(log_extra, self.name, results, references)
        return self.rewards(results, {**given, "prompts": prompts})

    def rewards(self, results: Sequence[Result | None], given: dict[str, Any]) -> list[float | None]:
        """Numbers of results: ``weight`` times the score. Hook for shaped rewards; verdicts stay what they are.

        Args:
            results: One a row; None for rows of other tasks.
            given: What the trainer passed.
        """
        return [None if r is None or r.score is None else self.weight * r.score for r in results]

    def judge(self, completions: Sequence[Any], prompts: Sequence[Any], given: dict[str, Any]) -> list[Result | None]:
        """The results behind the rewards of a batch; None for rows of other tasks."""
        columns = take_columns(given, self.wanted_columns, len(completions), self.name)
        tasks = columns[self.task_column] if self.task_column is not None else None
        rows = [i for i in range(len(completions)) if tasks is None or tasks[i] in self.tasks]
        texts = [completion_text(completions[i], prompts[i] if i < len(prompts) else None, self.prefill) for i in rows]
        judged = self._judge_rows(texts, {name: [values[i] for i in rows] for name, values in columns.items()})
        results: list[Result | None] = [None] * len(completions)
        for row, result in zip(rows, judged, strict=True):
            results[row] = result
        return results

    def _judge_rows(self, texts: list[str], columns: dict[str, list[Any]]) -> list[Result]:
        """The boundary: whatever a verifier does, there is one result for each text."""
        raw = columns[self.reference] if self.reference is not None else [None] * len(texts)
        extra = {name: columns[name] for name in self.columns}
        references: list[Any] = []
        bad: dict[int, Result] = {}
        for row, value in enumerate(raw):
            try:
                references.append(value if self.decode is None else self.decode(value))
                if value is None and self.reference is not None:
                    bad[row] = Result.bad_reference(f"column {self.reference!r} is None")
            except Exception as error:  # noqa: BLE001 - a reference that cannot be read costs its row, not the run
                references.append(None)
                bad[row] = Result.bad_reference(f"{type(error).__name__} while reading the reference: {error}")
        good = [row for row in range(len(texts)) if row not in bad]
        judged = self._verify(
            [texts[row] for row in good],
            [references[row] for row in good],
            {name: [values[row] for row in good] for name, values in extra.items()},
        )
        return [bad[row] if row in bad else next(judged) for row in range(len(texts))]

    def _verify(self, texts: list[str], references: list[Any], columns: dict[str, list[Any]]) -> Any:
        try:
            results = call_within(
                self.deadline_seconds, lambda: list(self.verifier.verify(texts, references, **columns))
            )
        except TimeoutError as error:
            return iter([Result.error(f"{self.verifier.name} passed its deadline: {error}")] * len(texts))
        except Exception as error:  # noqa: BLE001 - never raises out: a step of many hours must not end here
            return iter([Result.error(f"{self.verifier.name} raised {type(error).__name__}: {error}")] * len(texts))
        if len(results) != len(texts):
            reason = f"{self.verifier.name} returned {len(results)} results for {len(texts)} completions"
            return iter([Result.error(reason)] * len(texts))
        return iter(results)

    def _refuse_namesakes(self, log_extra: Any) -> None:
        """TRL's hooks are methods of the trainer, which knows the names of all its rewards."""
        names = getattr(getattr(log_extra, "__self__", None), "reward_func_names", [])
        if names.count(self.name) > 1:
            raise InputError(
                f"{names.count(self.name)} reward functions of this trainer are called {self.name!r}; TRL would merge "
                "their numbers. Give each a name of its own with name="
            )

    def _report_failures(self, results: Sequence[Result]) -> None:
        failed = [result for result in results if result.verdict.is_ours]
        if not failed:
            return
        message = f"reward {self.name!r} could not judge {len(failed)} of {len(results)} completions; the first: "
        if self.on_failure == "raise":
            raise VerifierFailed(message + failed[0].reason)
        _LOG.warning("%s%s", message, failed[0].reason)

    def __getstate__(self) -> dict[str, Any]:
        try:
            pickle.dumps(self.verifier)
        except Exception as error:
            raise InputError(
                f"reward {self.name!r} cannot be sent to another process: its verifier {self.verifier.name} cannot be "
                f"pickled ({type(error).__name__}: {error}). Define it at the top level of a module, without lambdas, "
                "locks or open files"
            ) from error
        return self.__dict__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.verifier.name}, reference={self.reference!r}, name={self.name!r})"


class AsyncRewardFunction(RewardFunction):
    """The same for trainers that gather ``async`` rewards: judging happens in a thread, the event loop stays free."""

    async def __call__(  # type: ignore[override]  # the asynchronous form is what TRL tells the two apart by
        self, completions: Sequence[Any], prompts: Sequence[Any] = (), **given: Any
    ) -> list[float | None]:
        """As ``RewardFunction.__call__``, awaited."""
        return await asyncio.to_thread(super().__call__, completions, prompts, **given)
