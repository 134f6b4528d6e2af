"""Which answers vote together: classes of answers that the verifier itself holds to be the same.

A majority vote over strings lets ``0.5`` and ``1/2`` vote apart. Here answers meet first by the verifier's canonical
key, then pairwise through ``verify_answers`` on one representative per key, cached and bounded. What a relation of
rules can do wrong is reported: triples that are not transitive, and classes whose members were judged differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, Protocol, runtime_checkable

from ..verifiers.base import Result
from .majority import VoteClass

_MOST_REMEMBERED = 200_000


@runtime_checkable
class CanonicalKey(Protocol):
    """A verifier that can name the value of an answer."""

    def canonical_key(self, answer: str) -> str | None:
        """A text that stands for the value: two answers that have one are the same exactly when the texts are equal.

        None where the answer has no such form; it is then compared pairwise.
        """


@runtime_checkable
class AnswerVerifier(Protocol):
    """A verifier that judges answers already extracted from their completions, against gold answers that are texts."""

    def verify_answers(self, answers: Sequence[str], references: Sequence[str]) -> list[Result]:
        """Judge each answer against the reference of the same index."""


@dataclass(frozen=True, slots=True)
class Votes:
    """The classes of one task's answers.

    Attributes:
        groups: For each sample the index of its class, None where it has no vote.
        classes: The size of each class and the share of its samples that were judged correct, in descending size. The
            answers judged correct, where there are any, are in one class.
        intransitive: Triples in which a equals b and b equals c, and a does not equal c.
        unchecked: Pairs that were not compared because the bound was reached.
    """

    groups: tuple[int | None, ...]
    classes: tuple[VoteClass, ...]
    intransitive: int = 0
    unchecked: int = 0

    @classmethod
    def of(cls, groups: Sequence[int | None], correct: Sequence[bool | None], **counts: int) -> Votes:
        """Votes with classes counted from the class of each sample and whether it was judged correct."""
        sizes = Counter(group for group in groups if group is not None)
        hits = Counter(group for group, right in zip(groups, correct, strict=True) if group is not None and right)
        classes = tuple(VoteClass(sizes[group], hits[group] / sizes[group]) for group in sorted(sizes))
        return cls(tuple(groups), classes, **counts)

    @property
    def missing(self) -> int:
        """Samples without an answer, those that could not be judged among them."""
        return sum(group is None for group in self.groups)

    @property
    def mixed(self) -> int:
        """Classes with both correct and incorrect members: the verifier contradicts itself there."""
        return sum(0.0 < item.score < 1.0 for item in self.classes)

    @property
    def tied(self) -> bool:
        """Whether two or more classes share the largest size."""
        sizes = Counter(item.size for item in self.classes)
        return bool(sizes) and sizes[max(sizes)] > 1


@dataclass
class Voting:
    """Clusters answers by the equivalence of one verifier, and remembers every pair that it compared.

    Args:
        verifier: Whose equivalence counts. Without ``canonical_key`` and ``verify_answers`` equal texts vote together.
        most_pairs: Pairwise comparisons per task; further pairs vote apart and are counted as unchecked.
    """

    verifier: Any = None
    most_pairs: int = 2000
    _same: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)
    _keys: dict[str, str] = field(default_factory=dict, repr=False)

    def cluster(self, answers: Sequence[str | None], correct: Sequence[bool | None]) -> Votes:
        """The classes of one task's samples.

        Args:
            answers: The extracted answer of each of n samples, None where there is none.
            correct: Whether each was judged correct; None where the judge failed: such a sample does not vote.

        Returns:
            Classes in descending size, equal sizes in the order of the answers' texts, so that the order of the
            samples does not matter.
        """
        votes = Counter(a for a, c in zip(answers, correct, strict=True) if a is not None and c is not None)
        right = Counter(a for a, c in zip(answers, correct, strict=True) if a is not None and c)
        groups = self._by_key(votes)
        # The keys with most votes first: where the bound cuts pairs off, they matter least.
        keys = sorted(groups, key=lambda key: (-sum(votes[text] for text in groups[key]), key))
        gold = {key for key in keys if any(right[text] for text in groups[key])}
        pairs = [(a, b) for a, b in combinations(keys, 2) if not _settled(a, b, gold)]
        checked, unchecked = pairs[: self.most_pairs], pairs[self.most_pairs :]
        same = self._compare([(groups[a][0], groups[b][0]) for a, b in checked])
        edges = {pair for pair, equal in zip(checked, same, strict=True) if equal}
        joined = _components(keys, edges | set(pairwise(sorted(gold))))
        members = [[text for key in keys for text in groups[key]] for keys in joined]
        members.sort(key=lambda texts: (-sum(votes[text] for text in texts), min(texts)))
        number = {text: index for index, texts in enumerate(members) for text in texts}
        return Votes.of(
            [None if a is None or c is None else number[a] for a, c in zip(answers, correct, strict=True)],
            correct,
            intransitive=_intransitive(edges),
            unchecked=len(unchecked),
        )

    def _by_key(self, answers: Counter[str]) -> dict[str, list[str]]:
        """Distinct answers by canonical key, the shortest text first: the representative."""
        groups: dict[str, list[str]] = {}
        for answer in sorted(answers, key=lambda text: (len(text), text)):
            if answer not in self._keys:
                self._keys[answer] = self._key(answer)
            groups.setdefault(self._keys[answer], []).append(answer)
        return groups

    def _key(self, answer: str) -> str:
        key = None
        if isinstance(self.verifier, CanonicalKey):
            try:
                key = self.verifier.canonical_key(answer)
            except Exception:  # noqa: BLE001 - a stranger wrote the answer: it may lose its key, never a finished run
                key = None
        return f"text {answer.strip()}" if key is None else f"key {key}"

    def _compare(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Whether each pair is the same to the verifier in either direction; each pair is asked once."""
        if not isinstance(self.verifier, AnswerVerifier):
            return [False] * len(pairs)
        pairs = [(min(pair), max(pair)) for pair in pairs]
        if len(self._same) > _MOST_REMEMBERED:
            self._same.clear()
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._same]
        if new:
            left, right = [a for a, _ in new], [b for _, b in new]
            results = self.verifier.verify_answers(left + right, right + left)
            for index, pair in enumerate(new):
                self._same[pair] = bool(results[index].is_correct or results[index + len(new)].is_correct)
        return [self._same[pair] for pair in pairs]


def _settled(a: str, b: str, gold: set[str]) -> bool:
    """Whether nothing need be asked: two keys of the verifier tell by themselves, two right answers vote together."""
    return (a.startswith("key ") and b.startswith("key ")) or (a in gold and b in gold)


def _components(keys: Sequence[str], edges: set[tuple[str, str]]) -> list[list[str]]:
    """The connected components of a graph."""
    root = {key: key for key in keys}

    def find(key: str) -> str:
        while root[key] != key:
            root[key] = root[root[key]]
            key = root[key]
        return key

    for a, b in edges:
        root[find(a)] = find(b)
    found: dict[str, list[str]] = {}
    for key in keys:
        found.setdefault(find(key), []).append(key)
    return list(found.values())


def _intransitive(edges: set[tuple[str, str]]) -> int:
    """Triples with exactly two of their three edges: each has one key in the middle."""
    near: dict[str, set[str]] = {}
    for a, b in edges:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    return sum(b not in near[a] for others in near.values() for a, b in combinations(others, 2))
