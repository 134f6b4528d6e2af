"""Do two splits share tasks? Equal prompts, and prompts that share long runs of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from ..bounds import at_least, share
from ..errors import InputError
from .base import Prompt, Task, prompt_text
from .wording import counted

_WORD = re.compile(r"\w+")


class Match(NamedTuple):
    """A task of the second split that is found in the first.

    Attributes:
        train: Index of the most similar task of the first split.
        test: Index of the task in the second split.
        overlap: Share of its runs of words that the first split has; 1 for an equal prompt.
        exact: Whether a prompt of the first split is the same, but for case, white space and what ends it.
    """

    train: int
    test: int
    overlap: float
    exact: bool


@dataclass(frozen=True, slots=True)
class Contamination:
    """What two splits share.

    Attributes:
        matches: The tasks of the second split that are found in the first, in order.
        train_count: Tasks of the first split.
        test_count: Tasks of the second split.
        words: The length of the runs of words.
        threshold: The overlap from which a task counts as found.
    """

    matches: tuple[Match, ...]
    train_count: int
    test_count: int
    words: int
    threshold: float

    @property
    def exact(self) -> int:
        """How many tasks have an equal prompt in the first split."""
        return sum(match.exact for match in self.matches)

    def __str__(self) -> str:
        tasks = counted(self.test_count, "task")
        return (
            f"{len(self.matches)} of {tasks} found among {self.train_count} of the first split: "
            f"{self.exact} word for word, {len(self.matches) - self.exact} by at least {self.threshold:.0%} of their "
            f"runs of {self.words} words"
        )

    def refuse(self) -> None:
        """Raise ``InputError``, with the first matches, counted from 1, where anything is shared."""
        if self.matches:
            shown = ", ".join(
                f"row {match.test + 1} in row {match.train + 1} of the first ({match.overlap:.0%})"
                for match in self.matches[:10]
            )
            raise InputError(f"{self}. They are {shown}{', ...' if len(self.matches) > 10 else ''}; leave them out")


def contamination(
    train: Iterable[Task],
    test: Iterable[Task],
    *,
    words: int = 13,
    threshold: float = 0.5,
    text: Callable[[Prompt], str] = prompt_text,
) -> Contamination:
    """Find the tasks of ``test`` whose prompts are, or mostly are, among the prompts of ``train``.

    Words are compared in lower case, without what stands between them. What stands in half of the prompts of either
    split is the prompt's form, not its content, and counts for nothing. Prompts shorter than ``words`` are compared as
    wholes only.

    The run of 13 words is that of the GPT-3 report (Brown et al. 2020, https://arxiv.org/abs/2005.14165, appendix C).

    Args:
        train: What was, or will be, trained on.
        test: What is measured on.
        words: Length of the runs of words.
        threshold: Share, in (0, 1], of a prompt's runs from which it counts as found.
        text: Makes text of a prompt; give your own to compare a part of it alone.

    Raises:
        InputError: An argument is out of range.

    >>> contamination([Task("What is 1+1?", "2")], [Task("what is 1 + 1", "2"), Task("What is 1+2?", "3")]).exact
    1
    """
    at_least(1, words=words)
    share(threshold=threshold)
    first = [_Text.of(text(task.prompt), words) for task in train]
    second = [_Text.of(text(task.prompt), words) for task in test]
    return Contamination(tuple(_matches(first, second, threshold)), len(first), len(second), words, threshold)


def _matches(first: list[_Text], second: list[_Text], threshold: float) -> Iterator[Match]:
    form = _common(first) | _common(second)
    whole: dict[bytes, int] = {}
    runs: dict[bytes, int] = {}
    for index, known in enumerate(first):
        whole.setdefault(known.whole, index)
        for run in known.runs:
            runs.setdefault(run, index)
    for index, asked in enumerate(second):
        if asked.whole in whole:
            yield Match(whole[asked.whole], index, 1.0, True)
            continue
        own = [run for run in asked.runs if run not in form]
        found = [runs[run] for run in own if run in runs]
        if found and len(found) / len(own) >= threshold:
            yield Match(Counter(found).most_common(1)[0][0], index, len(found) / len(own), False)


class _Text(NamedTuple):
    """Digests of a prompt and of its runs of words."""

    whole: bytes
    runs: list[bytes]

    @classmethod
    def of(cls, text: str, words: int) -> _Text:
        lower = text.casefold()
        tokens = _WORD.findall(lower)
        starts = range(len(tokens) - words + 1)
        return cls(
            _digest("".join(lower.split()).rstrip(".?!:=")),
            [_digest(" ".join(tokens[start : start + words])) for start in starts],
        )


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _common(prompts: list[_Text]) -> set[bytes]:
    """The runs that stand in half of the prompts, of three prompts or more."""
    counts = Counter(run for prompt in prompts for run in set(prompt.runs))
    return {run for run, count in counts.items() if count >= max(3, len(prompts) / 2)}
