"""What a training run left on disk: the monitor's own log, or the state that every trainer saves."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import InputError
from .watch import Watch

MONITOR_LOG = "monitor.jsonl"
_STATE = "trainer_state.json"
_SETTINGS = "monitor"


def opening_line(watch: Watch, step: int) -> str:
    """The line of the monitor's log that says what is watched, and after which step it begins or goes on."""
    settings = {"strict": watch.strict, "window": watch.window, "moved": watch.moved}
    return json.dumps({_SETTINGS: settings, "step": step}) + "\n"


def find_log(folder: str | os.PathLike[str]) -> Path | None:
    """The log of the training run in a folder: the monitor's, else the trainer's state of its latest checkpoint.

    Returns:
        None where the folder holds neither.
    """
    folder = Path(folder)
    states = [folder / _STATE, *folder.glob(f"checkpoint-*/{_STATE}")]
    steps = {state: _number(state.parent.name) for state in states if state.is_file()}
    if (folder / MONITOR_LOG).is_file():
        return folder / MONITOR_LOG
    return max(steps, key=lambda state: (state.parent == folder, steps[state]), default=None)


def read_log(path: Path, *, strict: str | None = None, until: int | None = None) -> Watch:
    """Watch a run again, from its log.

    A run that was resumed, or begun again in the same folder, trains steps a second time: what came first is forgotten.

    Args:
        path: As ``find_log`` gives it.
        strict: The held-out metric of correctness; what the log says where None.
        until: Entries of later steps are left out.

    Raises:
        InputError: The file cannot be read, or a line of it is no entry.
    """
    settings, entries = _monitor_log(path) if path.name == MONITOR_LOG else ({}, _state_log(path))
    watch = Watch(**{**settings, **({} if strict is None else {"strict": strict})})
    for entry in entries:
        if until is None or entry["step"] <= until:
            watch.see(int(entry["step"]), entry)
    return watch


def _number(name: str) -> int:
    ending = name.rpartition("-")[2]
    return int(ending) if ending.isdecimal() else -1


def _monitor_log(path: Path) -> tuple[dict[str, Any], list[Mapping[str, Any]]]:
    settings: dict[str, Any] = {}
    entries: list[Mapping[str, Any]] = []
    lines = _text(path).splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
        except ValueError as error:
            if number == len(lines):
                break  # the run was killed while it wrote
            raise InputError(f"{path}, line {number} is no JSON: {error}") from error
        if isinstance(entry, dict) and _SETTINGS in entry:
            begun = _checked(entry, f"{path}, line {number}")["step"]
            settings = _checked_settings(entry[_SETTINGS], f"{path}, line {number}")
            entries = [entry for entry in entries if entry["step"] <= begun]
        else:
            entries.append(_checked(entry, f"{path}, line {number}"))
    return settings, entries


def _state_log(path: Path) -> list[Mapping[str, Any]]:
    try:
        history = json.loads(_text(path))["log_history"]
        return [_checked(entry, f"{path}, entry {number}") for number, entry in enumerate(history, start=1)]
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is no state of a trainer: expected JSON with a list 'log_history'") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _checked(entry: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(entry, dict) or not isinstance(entry.get("step"), int | float):
        raise InputError(f"{where} is {str(entry)[:100]!r}; expected an object with a number 'step'")
    return entry


def _checked_settings(settings: Any, where: str) -> dict[str, Any]:
    if not isinstance(settings, dict) or set(settings) != {"strict", "window", "moved"}:
        raise InputError(f"{where} is {str(settings)[:100]!r}; expected the settings strict, window and moved")
    return settings
