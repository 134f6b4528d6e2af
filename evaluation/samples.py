"""Samples on disk: one JSON line for each (task, sample), appended as they come, resumed by the same run only.

A folder holds ``config.json`` (what was asked for, and its hash), ``tasks.jsonl``, ``samples.jsonl`` and, once all is
sampled, ``votes.jsonl``. A batch is appended by one write, so a killed run loses what was in flight; a torn last line
is cut off by the next run.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..environments.wording import counted
from ..errors import InputError
from ..verifiers.base import Result, Verdict
from .appender import Appender
from .files import read_lines, write_lines, write_text, writing

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """One completion with its judgement.

    Attributes:
        task: The task's id.
        sample: Its number, from 0.
        completion: The text.
        verdict: The kind of outcome.
        score: In [0, 1]; None where the judge or the sampler failed.
        reason: One sentence.
        answer: What was extracted, None where nothing was.
        tokens: Length of the completion, None where unknown.
        truncated: Whether it was cut at the token limit.
        sampled: Whether there is a completion at all; a run that is resumed tries again where there is none.
    """

    task: str
    sample: int
    completion: str
    verdict: Verdict
    score: float | None
    reason: str = ""
    answer: str | None = None
    tokens: int | None = None
    truncated: bool = False
    sampled: bool = True

    @classmethod
    def of(cls, task: str, sample: int, completion: str, result: Result, **rest: Any) -> Sample:
        """A completion with what ``result`` says of it."""
        return cls(task, sample, completion, result.verdict, result.score, result.reason, result.answer, **rest)

    def to_json(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {name: getattr(self, name) for name in _FIELDS}

    @property
    def is_correct(self) -> bool | None:
        """As ``Result.is_correct``: None when the failure is ours."""
        return None if self.verdict.is_ours else self.verdict is Verdict.CORRECT


_FIELDS = tuple(field.name for field in fields(Sample))


class SampleFolder:
    """The folder of one run.

    Args:
        path: The folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def config_file(self) -> Path:
        """Where the configuration is."""
        return self.path / "config.json"

    @property
    def samples_file(self) -> Path:
        """Where the samples are."""
        return self.path / "samples.jsonl"

    def begin(self, config: Config, tasks: Iterable[Mapping[str, Any]]) -> tuple[int, ...]:
        """Write the configuration and the tasks, or check that the folder belongs to this run.

        A run that asks for more samples of each task, and differs in nothing else, goes on with the stored one.

        Returns:
            The numbers of samples that were asked for, growing; the last one is that of ``config``. ``extend`` stores
            them where there is a new one.

        Raises:
            InputError: The folder holds another run; the message names each setting that differs.
            StorageFailed: The folder cannot be made or written.
        """
        if self.config_file.exists():
            return self._continued(config)
        if self.samples_file.exists():
            raise InputError(f"{self.samples_file} exists without a config.json beside it; choose another folder")
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        write_lines(self.path / "tasks.jsonl", tasks)
        stages = (int(config["samples"]),)
        self._write(config, stages)
        return stages

    def discard(self) -> None:
        """Take away what ``begin`` made, where not one sample came of it; whatever else lies there stays."""
        if self.samples_file.exists() and not self.samples_file.stat().st_size:
            for name in ("config.json", "tasks.jsonl", "samples.jsonl"):
                (self.path / name).unlink(missing_ok=True)
            with suppress(OSError):  # there is something else in it
                self.path.rmdir()

    def extend(self, config: Config, stages: Sequence[int]) -> None:
        """Store what ``begin`` returned; only while ``appending``, so that no other process is at work.

        Raises:
            StorageFailed: The folder cannot be written.
        """
        if self.config()["samples"] != config["samples"]:
            self._write(config, stages)

    def config(self) -> Config:
        """What was asked for.

        Raises:
            InputError: The folder holds no run, or its configuration cannot be read.
        """
        return self._read()[0]

    def tasks(self) -> list[dict[str, Any]]:
        """The tasks, in the order in which they were given.

        Raises:
            InputError: The file is lost, or a line of it cannot be read.
        """
        file = self.path / "tasks.jsonl"
        found = list(read_lines(file))
        if not found:
            raise InputError(f"{file} is missing or empty; put it back, or evaluate again into another folder")
        return found

    def votes(self) -> list[dict[str, Any]]:
        """The classes of answers stored with a report; empty where there is none."""
        return list(read_lines(self.path / "votes.jsonl"))

    def samples(self, *, texts: bool = True) -> list[Sample]:
        """Every sample there is; one for each (task, sample): the first with a completion, else the first.

        Args:
            texts: Whether the completions are kept; else a hash stands for each, so that any run fits into memory.

        Raises:
            InputError: A line other than a torn last one is not a sample.
        """
        found: dict[tuple[str, int], Sample] = {}
        for number, row in enumerate(read_lines(self.samples_file, torn_end=True), start=1):
            try:
                if not texts:
                    row["completion"] = _digest(row["completion"])
                sample = Sample(**{**row, "verdict": Verdict(row["verdict"])})
            except (AttributeError, TypeError, ValueError, KeyError) as error:
                raise InputError(f"{self.samples_file}, line {number} is not a sample: {error}") from error
            known = found.setdefault((sample.task, sample.sample), sample)
            if sample.sampled and not known.sampled:
                found[sample.task, sample.sample] = sample
        return list(found.values())

    @contextmanager
    def appending(self) -> Iterator[Appender]:
        """Hold the samples file, alone among all processes.

        Raises:
            InputError: Another process is writing to it.
            StorageFailed: It cannot be opened.
        """
        with writing(self.samples_file):
            handle = os.open(self.samples_file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(f"another process is evaluating into {self.path}; wait for it or end it") from error
            yield Appender(handle, self.samples_file)
        finally:
            os.close(handle)

    def _read(self) -> tuple[Config, list[int]]:
        """The configuration, and the numbers of samples asked for so far."""
        try:
            stored = json.loads(self.config_file.read_text())
            config: Config = _named(stored["config"])
            return config, [int(number) for number in stored.get("stages", [config["samples"]])]
        except FileNotFoundError as error:
            raise InputError(f"{self.path} holds no evaluation: there is no config.json in it") from error
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{self.config_file} cannot be read: {error}") from error

    def _write(self, config: Config, stages: Sequence[int]) -> None:
        stored = {"hash": config_hash(config), "config": config, "stages": list(stages)}
        write_text(self.config_file, json.dumps(stored, indent=2) + "\n")

    def _continued(self, config: Config) -> tuple[int, ...]:
        stored, stages = self._read()
        before, now = _flat(stored), _flat(json.loads(json.dumps(config)))
        changed = [key for key in dict.fromkeys([*before, *now]) if before.get(key) != now.get(key)]
        if changed == ["samples"] and now["samples"] > stages[-1]:
            return (*stages, int(now["samples"]))
        if changed == ["samples"]:
            raise InputError(
                f"{self.path} holds {counted(stages[-1], 'sample')} of each task, more than the {now['samples']} asked "
                "for; its report is there already. Ask for as many or more, or choose another folder"
            )
        if changed:
            listed = "; ".join(f"{key}: {before.get(key)!r} there, {now.get(key)!r} now" for key in changed)
            raise InputError(
                f"{self.path} holds another run, which differs in {listed}. "
                "Choose another folder, or ask for the same again to resume it"
            )
        return tuple(stages)


def _named(config: Config) -> Config:
    """A configuration by today's names: runs by a server once said ``max_tokens`` for ``max_new_tokens``."""
    sampler = {"max_new_tokens" if name == "max_tokens" else name: value for name, value in config["sampler"].items()}
    return {**config, "sampler": sampler}


def _digest(text: str) -> str:
    return sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]


def config_hash(config: Config) -> str:
    """Sixteen hexadecimal digits of the configuration's content."""
    return sha256(json.dumps(config, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]


def _flat(config: Config, prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat
