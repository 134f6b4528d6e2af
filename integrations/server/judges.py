"""What a server judges with: a table of names that is fixed at its start. No request can name anything else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...environments.registry import make
from ...environments.rescoring import find_verifier
from ...errors import InputError
from ...registry import near_names
from ...verifiers.base import Result, Verifier
from ..by_prompt import PROMPT, ByPrompt

#: Short names for verifiers that need no argument.
SHORT = {
    "math": "assay.verifiers:MathVerifier",
    "code": "assay.verifiers:CodeVerifier",
    "choice": "assay.verifiers:ChoiceVerifier",
    "text": "assay.verifiers:TextVerifier",
}

_LONGEST_NAME = 100  # of what a request may call a judge, for the search of names that are near


class UnknownJudge(InputError):
    """A request names a judge that this server does not have."""


class LacksColumn(InputError):
    """A request lacks a column that its judge reads: without it, a right answer could be scored as a wrong one."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A verifier under the name that requests give it.

    Attributes:
        name: That name.
        verifier: What judges.
        columns: Values that it reads beside the reference.
        by_prompt: What judges instead, from the column ``prompt`` alone, where a request can have no columns; None
            where none are read.
    """

    name: str
    verifier: Verifier[Any]
    columns: tuple[str, ...] = ()
    by_prompt: Verifier[Any] | None = None


def read_judges(environments: Sequence[str], verifiers: Sequence[str]) -> dict[str, Judge]:
    """The table of judges.

    Args:
        environments: Names of environments, or ``name=environment`` to give one a name of its own.
        verifiers: "math", "code", "choice", "text", ``package.module:attribute`` or ``file.py:attribute``; or
            ``name=verifier``.

    Raises:
        InputError: Two have the same name, or a verifier has none of the short names and no path.
        RegistryError: One is not found or cannot be loaded.
    """
    found: list[Judge] = []
    for given in environments:
        name, target = _named(given)
        environment = make(target)
        by_prompt = ByPrompt(environment) if environment.columns else None
        found.append(Judge(name or environment.name, environment.verifier, environment.columns, by_prompt))
    for given in verifiers:
        name, target = _named(given)
        if ":" not in target and target not in SHORT:
            raise InputError(
                f"no verifier is called {target!r}; {near_names(target, sorted(SHORT))}; one of your own is named by "
                "'package.module:attribute' or 'file.py:attribute'"
            )
        found.append(Judge(name or target, find_verifier(SHORT.get(target, target))))
    table = {judge.name: judge for judge in found}
    if len(table) < len(found):
        names = [judge.name for judge in found]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two judges are called {twice!r}; give one of them another name: other={twice}")
    return table


def _named(given: str) -> tuple[str, str]:
    name, equals, target = given.partition("=")
    return (name, target) if equals else ("", given)


class Bench:
    """Judges in threads, at most so many requests at once.

    Args:
        judges: By name.
        threads: How many requests are judged at once.
        seconds: A request that is not judged by then gets no scores.
    """

    def __init__(self, judges: Mapping[str, Judge], *, threads: int, seconds: float) -> None:
        self.judges = dict(judges)
        self.seconds = seconds
        self._size = threads
        self._threads: ThreadPoolExecutor | None = None
        self._overdue: set[Future[list[Result]]] = set()

    @property
    def overdue(self) -> int:
        """How many threads are still at work on requests that were answered at their deadline."""
        return len(self._overdue)

    def find(self, name: str | None) -> Judge:
        """The judge of a name, or the only one where the request gives none.

        Raises:
            UnknownJudge: There is none, or the request must choose.
        """
        known = sorted(self.judges)
        if not known:
            raise UnknownJudge("this server has no judge; start it with --env or --verifier")
        if name is None and len(known) > 1:
            raise UnknownJudge(f"this server has several judges; name one of {', '.join(known)} as `judge`")
        name = known[0] if name is None else name
        judge = self.judges.get(name)
        if judge is None:
            raise UnknownJudge(
                f"no judge is called {name[:_LONGEST_NAME]!r}; {near_names(name[:_LONGEST_NAME], known)} "
                "(they are fixed when the server starts)"
            )
        return judge

    async def judge(
        self, judge: Judge, completions: Sequence[str], references: Sequence[Any], columns: Mapping[str, Sequence[Any]]
    ) -> list[Result]:
        """Judge a batch; what takes too long is a failure of ours, and its thread goes on until its verifier ends.

        Raises:
            LacksColumn: A column that the judge reads is not there.
        """
        for name in judge.columns:
            if name not in columns:
                have = ", ".join(sorted(columns)) or "none"
                raise LacksColumn(
                    f"{judge.name} reads the column {name!r} beside the reference; the request has {have}"
                )
        return await self._within(judge.verifier, completions, references, columns)

    async def judge_by_prompt(
        self, judge: Judge, completions: Sequence[str], references: Sequence[Any], prompts: Sequence[str]
    ) -> list[Result]:
        """The same for requests without columns, which the tasks of the judge's environment have."""
        if judge.by_prompt is None:
            return await self.judge(judge, completions, references, {})
        return await self._within(judge.by_prompt, completions, references, {PROMPT: prompts})

    async def _within(
        self,
        verifier: Verifier[Any],
        completions: Sequence[str],
        references: Sequence[Any],
        columns: Mapping[str, Sequence[Any]],
    ) -> list[Result]:
        """The results, or failures where the deadline passed."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._size, thread_name_prefix="assay-judge")
        work = self._threads.submit(partial(_results, verifier, list(completions), list(references), columns))
        try:
            async with asyncio.timeout(self.seconds):
                return await asyncio.wrap_future(work)
        except TimeoutError:
            if not work.cancel():
                self._overdue.add(work)
                work.add_done_callback(self._overdue.discard)
            return [Result.error(f"the request's deadline of {self.seconds:g} s passed")] * len(completions)

    def close(self) -> None:
        """End the threads, and close the verifiers that hold processes; the next request opens them again."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)
        for judge in self.judges.values():
            if isinstance(judge.verifier, AbstractContextManager):
                judge.verifier.__exit__(None, None, None)


def _results(
    verifier: Verifier[Any], completions: list[str], references: list[Any], columns: Mapping[str, Sequence[Any]]
) -> list[Result]:
    """What a verifier makes of a batch; one that raises, or wants to end the process, has failed."""
    try:
        return verifier.verify(completions, references, **columns)
    except BaseException as error:  # noqa: BLE001 - SystemExit in a thread is an exception like any other
        return [Result.error(f"{verifier.name} failed: {type(error).__name__}: {error}"[:2000])] * len(completions)
