"""Sample an environment's tasks, judge the completions as they come, and report."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from .. import __version__
from ..bounds import at_least
from ..environments.base import Environment, Task
from ..environments.episodes import MultiTurnEnvironment
from ..errors import InputError
from ..verifiers.base import Result
from .progress import SampleProgress
from .report import Report, load_report
from .samplers.base import Completion, Sampler, sample_seed
from .samples import Sample, SampleFolder, config_hash


class _Cell(NamedTuple):
    """One place in the grid of tasks and samples."""

    task: Task
    sample: int

    @property
    def key(self) -> tuple[str, int]:
        """As it is on disk."""
        return self.task.id, self.sample


def evaluate(
    environment: Environment,
    sampler: Sampler,
    *,
    split: str = "test",
    samples: int = 64,
    tasks: Sequence[Task] | None = None,
    limit: int | None = None,
    folder: str | os.PathLike[str],
    progress: bool = True,
) -> Report:
    """Take ``samples`` completions of every task, judge each, and report pass@k and maj@k.

    Samples are written to ``folder`` batch by batch. Called again with the same arguments it goes on where it was
    interrupted, even by SIGKILL, and forms the same batches; with more ``samples`` it takes those that are missing;
    with other arguments it refuses. What fails, be it the sampler or the judge, stays in the denominator as not correct
    and is counted in the report; calling again tries the sampler's failures once more.

    Args:
        environment: Whose tasks and verifier are used.
        sampler: What completes the prompts.
        split: Which tasks, where ``tasks`` is None.
        samples: Completions of each task, at least 1.
        tasks: Tasks to evaluate instead of a split. Tasks with equal content are evaluated once.
        limit: The first tasks only.
        folder: Where samples and report are kept; made where absent.
        progress: Whether a progress bar is drawn on standard error.

    Returns:
        The report, also saved in ``folder``.

    Raises:
        InputError: An argument is out of range, the folder holds another run, or the sampler refuses; where that was
            before the first sample, the folder is left as it was.
        StorageFailed: The disk is full or refuses.
    """
    if isinstance(environment, MultiTurnEnvironment):
        raise InputError(
            f"{environment.name} is played in several turns, and evaluate samples one; "
            "play its tasks with assay.environments.episodes.play"
        )
    chosen = _choose(environment, split, tasks, limit)
    at_least(1, samples=samples)
    config = _config(environment, sampler, split if tasks is None else None, samples, chosen)
    store = SampleFolder(folder)
    fresh = not store.config_file.exists()
    stages = store.begin(config, (_task_row(task) for task in chosen))
    with store.appending() as appender, SampleProgress(len(chosen) * samples, shown=progress) as bar:
        store.extend(config, stages)
        before = store.samples(texts=False)
        bar.add([sample for sample in before if sample.sampled])
        try:
            for batch, lacking in _unsampled(_batches(chosen, stages, sampler.batch_size), before):
                made = [row for row in _run(environment, sampler, config, batch) if (row.task, row.sample) in lacking]
                appender.append(made)
                bar.add(made)
        except InputError:  # the server or a setting is not what was meant: leave the folder to what is
            if fresh:
                store.discard()
            raise
    report = load_report(folder, verifier=environment.verifier)
    report.save(folder)
    return report


def _choose(environment: Environment, split: str, tasks: Sequence[Task] | None, limit: int | None) -> list[Task]:
    """The tasks, each content once, in their order."""
    if limit is not None:
        at_least(1, limit=limit)
    found = environment.tasks(split, limit=limit) if tasks is None else list(tasks)[:limit]
    if not found:
        raise InputError("there are no tasks to evaluate: the list of tasks is empty")
    return list({task.id: task for task in found}.values())


def _config(
    environment: Environment, sampler: Sampler, split: str | None, samples: int, tasks: Sequence[Task]
) -> dict[str, Any]:
    """All that decides what the samples and their verdicts are."""
    verifier = environment.verifier.deciding  # where it is done does not matter
    plain = {
        name: value
        for name, value in sorted(getattr(verifier, "__dict__", {}).items())
        if not name.startswith("_") and isinstance(value, str | int | float | bool | None)
    }
    settings = dict(sampler.settings)
    try:
        json.dumps(settings)
    except TypeError as error:
        raise InputError(f"the settings of {type(sampler).__name__} are not JSON values: {error}") from error
    return {
        "assay": __version__,
        "environment": environment.name,
        "verifier": {"class": type(verifier).__qualname__, **plain},
        "split": split,
        "tasks": {"count": len(tasks), "digest": config_hash({"ids": [task.id for task in tasks]})},
        "samples": samples,
        "sampler": settings,
    }


def _task_row(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "prompt": task.prompt,
        "reference": task.reference,
        "difficulty": task.difficulty,
        "metadata": dict(task.metadata),
    }


def _batches(tasks: Sequence[Task], stages: Sequence[int], size: int) -> Iterator[list[_Cell]]:
    """The whole grid, in batches that the arguments alone decide; prompts of like length meet, so little is padded.

    What a run is extended by makes batches of its own, so that those before it stay as they were.
    """
    for low, high in pairwise((0, *stages)):
        grid = [_Cell(task, index) for task in sorted(tasks, key=_length) for index in range(low, high)]
        for start in range(0, len(grid), size):
            yield grid[start : start + size]


def _unsampled(
    batches: Iterable[list[_Cell]], before: Sequence[Sample]
) -> Iterator[tuple[list[_Cell], set[tuple[str, int]]]]:
    """The batches that lack samples, as they are to be sampled, each with the keys of what it lacks."""
    done = {(sample.task, sample.sample) for sample in before if sample.sampled}
    failed = {(sample.task, sample.sample) for sample in before if not sample.sampled}
    for batch in batches:
        missing = [cell for cell in batch if cell.key not in done]
        if missing:
            # What only failed is tried by itself; after a kill the batch is formed again, for equal rounding.
            again = missing if all(cell.key in failed for cell in missing) else batch
            yield again, {cell.key for cell in missing}


def _length(task: Task) -> int:
    prompt = task.prompt
    return len(prompt) if isinstance(prompt, str) else sum(len(message["content"]) for message in prompt)


def _run(environment: Environment, sampler: Sampler, config: dict[str, Any], batch: Sequence[_Cell]) -> list[Sample]:
    """Sample and judge one batch."""
    seed = int(config["sampler"].get("seed", 0))
    seeds = [sample_seed(seed, *cell.key) for cell in batch]
    completions = sampler.sample([task.prompt for task, _ in batch], seeds)
    if len(completions) != len(batch):
        raise InputError(f"the sampler gave {len(completions)} completions for {len(batch)} prompts; expected one each")
    judged = [index for index, completion in enumerate(completions) if not completion.failure]
    results: dict[int, Result] = dict(
        zip(
            judged,
            environment.verify([completions[i].text for i in judged], [batch[i].task for i in judged]),
            strict=True,
        )
    )
    return [
        _row(cell, completion, results.get(index))
        for index, (cell, completion) in enumerate(zip(batch, completions, strict=True))
    ]


def _row(cell: _Cell, completion: Completion, result: Result | None) -> Sample:
    result = result or Result.error(f"sampling failed: {completion.failure}")
    return Sample.of(
        cell.task.id,
        cell.sample,
        completion.text,
        result,
        tokens=completion.tokens,
        truncated=completion.truncated,
        sampled=not completion.failure,
    )
