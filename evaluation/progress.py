"""A progress bar for sampling: rate, remaining time and running pass@1."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .samples import Sample


class SampleProgress:
    """Counts samples on standard error.

    Args:
        total: How many samples there will be.
        shown: Whether anything is drawn.
    """

    def __init__(self, total: int, *, shown: bool = True) -> None:
        self._bar = Progress(
            TextColumn("[progress.description]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("pass@1 {task.fields[mean]}"),
            TextColumn("{task.fields[failures]}", style="red"),
            console=Console(stderr=True),
            disable=not shown,
        )
        self._task = self._bar.add_task("sampling", total=total, rate="", mean="-", failures="")
        self._seen = self._correct = self._failed = 0
        self._started: float | None = None
        self._fresh = 0

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def add(self, samples: Sequence[Sample]) -> None:
        """Count samples; the first call counts those of earlier runs, which say nothing about the rate."""
        now = time.monotonic()
        if self._started is None:
            self._started = now
        else:
            self._fresh += len(samples)
        self._seen += len(samples)
        self._correct += sum(bool(sample.is_correct) for sample in samples)
        self._failed += sum(sample.verdict.is_ours for sample in samples)
        elapsed = now - self._started
        self._bar.update(
            self._task,
            completed=self._seen,
            rate=f"{self._fresh / elapsed:.1f}/s" if self._fresh and elapsed else "",
            mean=f"{self._correct / self._seen:.1%}" if self._seen else "-",
            failures=f"{self._failed} failed" if self._failed else "",
        )
