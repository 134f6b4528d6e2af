"""``Monitor``: a callback that watches a training run, says what looks wrong, and leaves one page behind."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from ...errors import MissingExtra
from .options import CheckedOptions
from .page import page
from .run_log import MONITOR_LOG, opening_line, read_log
from .watch import Watch

try:
    from transformers import TrainerCallback
except ImportError as error:
    raise MissingExtra("transformers", "trl") from error

_LOG = logging.getLogger("assay.trl")


class Monitor(CheckedOptions, TrainerCallback):  # type: ignore[misc, unused-ignore]
    """Watches what TRL logs, whatever else it logs to: TensorBoard, W&B and Trackio get the same numbers.

    Alarms are logged as warnings when they arise. Each log entry is added to ``monitor.jsonl`` in the output folder,
    and ``monitor.html`` is written there whenever training saves, evaluates or ends. A run that is resumed goes on in
    both. ``assay report FOLDER`` makes the page again. A strict metric that the first evaluation did not log is warned
    of before the next step, and again at the end, with the names that are near.

    Args:
        strict: The held-out metric of correctness in the log, such as ``eval_math/correct``; without it reward
            hacking cannot be told from learning.
        window: How many log entries a mean is of.
        moved: By how much the reward must rise to count as moved.
    """

    def __init__(self, strict: str | None = None, *, window: int = 10, moved: float = 0.05) -> None:
        self.watch = Watch(strict, window, moved)
        self._evaluated = self._looked = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Take up what a resumed run had logged before."""
        if not state.is_world_process_zero:
            return
        log = Path(args.output_dir) / MONITOR_LOG
        if state.global_step and not self.watch.history and log.is_file():
            before = read_log(log, strict=self.watch.strict, until=state.global_step)
            self.watch.history, self.watch.alarms = before.history, before.alarms
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(opening_line(self.watch, state.global_step))

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Take an entry in."""
        if not state.is_world_process_zero or not logs:
            return
        for alarm in self.watch.see(state.global_step, logs):
            _LOG.warning("step %d, %s: %s", alarm.step, alarm.kind, alarm.message)
        folder = Path(args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / MONITOR_LOG).open("a", encoding="utf-8") as file:
            file.write(json.dumps(self.watch.history[-1]) + "\n")

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the page."""
        self._write(args, state)

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the page."""
        self._evaluated = True
        self._write(args, state)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Warn of a strict metric that the first evaluation, of all its data sets, did not log."""
        if self._evaluated and not self._looked:
            self._looked = True
            self._warn_unseen(state)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write the page, and warn of a strict metric that was never there."""
        self._warn_unseen(state)
        self._write(args, state)

    def _warn_unseen(self, state: Any) -> None:
        if state.is_world_process_zero and (message := self.watch.unseen):
            _LOG.warning("step %d, strict: %s", state.global_step, message)

    def _write(self, args: Any, state: Any) -> None:
        if state.is_world_process_zero and self.watch.history:
            folder = Path(args.output_dir)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "monitor.html").write_text(page(self.watch, folder.resolve().name), encoding="utf-8")
