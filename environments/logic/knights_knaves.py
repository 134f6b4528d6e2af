"""``logic/knights-and-knaves-v1``: who tells the truth on an island of knights and knaves?"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any, ClassVar

from ...errors import InputError
from ...verifiers.base import Result, Verifier
from ..answers import marked_answer
from ..base import Task
from ..datasets import DataFile, Row
from ..procedural import ProceduralEnvironment
from ..rows import RowEnvironment, asked

# About people by number: ["telling-truth", 2], ["lying", 0], ["not", s], ["and" | "or" | "->" | "<=>", s, t].
Statement = Sequence[Any]
_NAMES = (
    *("Ada", "Bela", "Carl", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jana", "Karl", "Lena", "Max", "Nina"),
    *("Otto", "Pia", "Quin", "Rosa", "Sven", "Tara", "Udo", "Vera", "Willa", "Xaver", "Yara", "Zeno"),
)
_WORDS = {"telling-truth": "a knight", "lying": "a knave"}
_JOINED = {"and": "{} and {}", "or": "{} or {}", "->": "if {} then {}", "<=>": "{} if and only if {}"}
_PIECE = re.compile(
    r"(?:\(?\d+[.):]*\s*)?(?P<name>[^\W\d_]+)(?:\s+is|\s*[:=])\s*(?:an?\s+)?(?P<kind>knight|knave)\W*\Z", re.I
)
_SEPARATOR = re.compile(r"[\n;,]+|\.\s|\band\b|(?=\(\d+\))", re.I)
_FORM = "Put the final answer in <answer></answer>, one person a line, like: (1) {name} is a knight"


def solutions(statements: Sequence[Statement]) -> list[tuple[bool, ...]]:
    """All ways in which the people can be knights (True) and knaves that fit what each of them says.

    All 2**n assignments are tried, n at most 16. Assignment number a makes person i a knight where bit i of a is set;
    a statement's truth in all assignments is one integer, so each statement is worked out once, not 2**n times.

    Args:
        statements: What person i says, for each of n people.

    Raises:
        InputError: A statement is of another form, or there are too many people.

    >>> solutions([["lying", 1], ["and", ["lying", 0], ["lying", 1]]])
    [(True, False)]
    """
    count = len(statements)
    if count > 16:
        raise InputError(f"there are {count} people; at most 16 are worked out")
    everywhere = (1 << (1 << count)) - 1
    people = _people_as_bits(count)
    fitting = everywhere
    for person, statement in zip(people, statements, strict=True):
        fitting &= everywhere ^ person ^ _truth(statement, people, everywhere)
    found = []
    while fitting:
        assignment = (fitting & -fitting).bit_length() - 1
        found.append(tuple(bool(assignment >> person & 1) for person in range(count)))
        fitting &= fitting - 1
    return found


@lru_cache
def _people_as_bits(count: int) -> tuple[int, ...]:
    """For each person in which assignments he is a knight."""
    return tuple(sum(1 << a for a in range(1 << count) if a >> person & 1) for person in range(count))


def _truth(statement: Statement, people: Sequence[int], everywhere: int) -> int:
    """In which assignments a statement holds, as a set of bits."""
    match list(statement):
        case ["telling-truth", int(person)] if 0 <= person < len(people):
            return people[person]
        case ["lying", int(person)] if 0 <= person < len(people):
            return everywhere ^ people[person]
        case ["not", inner]:
            return everywhere ^ _truth(inner, people, everywhere)
        case [("and" | "or" | "->" | "<=>") as join, first, second]:
            left, right = _truth(first, people, everywhere), _truth(second, people, everywhere)
            if join == "and":
                return left & right
            if join == "or":
                return left | right
            return (everywhere ^ left) | right if join == "->" else everywhere ^ left ^ right
    raise InputError(f"{statement!r:.100} is no statement about {len(people)} people")


class KnightsKnavesVerifier(Verifier[str]):
    r"""Correct when the marked answer says of each person, and of nobody else, what he is, once and rightly.

    The reference is JSON: names to "knight" or "knave". The answer is the last ``<answer></answer>`` or ``\boxed{}``:
    pieces like ``(1) Ada is a knight``, ``Ada: knave``, on lines of their own or joined by commas or "and". A piece of
    another form makes the answer incorrect: a hedge is no answer.

    >>> reference = '{"Ada": "knight", "Bela": "knave"}'
    >>> KnightsKnavesVerifier().verify(["<answer>Ada is a knight and Bela is a knave</answer>"], [reference])[0].score
    1.0
    """

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        people = _people(reference)
        if people is None:
            return Result.bad_reference(f"the reference {reference!r:.100} is not JSON of names to knight or knave")
        answer = marked_answer(completion)
        if answer is None:
            return Result.no_answer("there is no <answer></answer> and no \\boxed{}")
        said: dict[str, str] = {}
        for piece in _SEPARATOR.split(answer):
            if not piece.strip():
                continue
            found = _PIECE.match(piece.strip())
            if found is None:
                return Result.incorrect(answer=answer, reason=f"{piece.strip()[:60]!r} does not say who is what")
            name, kind = found["name"].casefold(), found["kind"].lower()
            if said.setdefault(name, kind) != kind:
                return Result.incorrect(answer=answer, reason=f"{found['name']} is said to be both")
        canonical = ", ".join(f"{name} {kind}" for name, kind in sorted(said.items()))
        if set(said) != set(people):
            return Result.incorrect(
                answer=canonical, reason=f"it speaks of {len(said)} people; there are {len(people)}"
            )
        wrong = [name for name, kind in people.items() if said[name] != kind]
        if wrong:
            return Result.incorrect(answer=canonical, reason=f"wrong about {', '.join(wrong)}")
        return Result.correct(answer=canonical)


def _people(reference: str) -> dict[str, str] | None:
    try:
        people = json.loads(reference)
    except (TypeError, ValueError):
        return None
    if not isinstance(people, dict) or not people or not set(people.values()) <= {"knight", "knave"}:
        return None
    return {name.casefold(): kind for name, kind in people.items()}


class KnightsKnaves(ProceduralEnvironment):
    """As many people as the level says, each with one statement; exactly one solution, proved by trying all."""

    name = "logic/knights-and-knaves-v1"
    LEVELS: ClassVar[Sequence[int]] = (3, 4, 5, 6, 7, 8)
    domain = "logic"

    def __init__(self, *, seed: int = 0, levels: Sequence[int] | None = None, train_size: int | None = 20_000) -> None:
        super().__init__(seed=seed, levels=levels, train_size=train_size)
        self.verifier = KnightsKnavesVerifier()

    def draw(self, random: Random, level: int) -> tuple[str, Task]:
        """A puzzle with one solution; its content is what is said, not how the people are called."""
        while True:
            statements = [_statement(random, level) for _ in range(level)]
            found = solutions(statements)
            if len(found) == 1:
                names = random.sample(_NAMES, level)
                return json.dumps(statements), _task(names, statements, found[0])

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The solution, one person a line."""
        return _told(task)


class LogicRL(RowEnvironment):
    """The puzzles of Logic-RL (Xie et al. 2025, https://arxiv.org/abs/2502.14768).

    900 of three people to train on, 500 of three to seven to test. That a row's solution is the only one is proved when
    the row is loaded.

    Args:
        path: A folder with ``train_3ppl.jsonl`` and ``test.jsonl``; without it ``knights_knaves/`` below the folder
            ``ASSAY_DATA``.
    """

    name = "logic/logic-rl-v1"
    splits: ClassVar[Mapping[str, int | None]] = {"train": 900, "test": 500}
    files: ClassVar[Mapping[str, DataFile]] = {
        split: DataFile(f"knights_knaves/{file}.jsonl", ("quiz", "names", "solution", "statements"))
        for split, file in (("train", "train_3ppl"), ("test", "test"))
    }
    domain = "logic"
    licence = "Apache-2.0"
    source = "Unakar/Logic-RL"

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(path)
        self.verifier = KnightsKnavesVerifier()

    def task_of(self, row: Row) -> Task:
        """The published words, with our form of the answer."""
        found = solutions(row["statements"])
        if found != [tuple(row["solution"])]:
            raise InputError(f"the puzzle has {len(found)} solutions: {found}; the row gives {row['solution']}")
        prompt = asked(f"{row['quiz']}\n\n{_FORM.format(name=row['names'][0])}")
        level = len(row["names"])
        return Task(prompt, _reference(row["names"], found[0]), float(level), {"level": level})

    def reference_completions(self, task: Task) -> Sequence[str]:
        """The solution, one person a line."""
        return _told(task)


def _statement(random: Random, people: int) -> Statement:
    """Half of the statements join two facts, the others are one fact, sometimes denied."""
    shape = random.random()
    if shape < 0.5:
        return [random.choice(("and", "or", "->", "<=>")), _fact(random, people), _fact(random, people)]
    return _fact(random, people) if shape < 0.8 else ["not", _fact(random, people)]


def _fact(random: Random, people: int) -> Statement:
    return [random.choice(("telling-truth", "lying")), random.randrange(people)]


def _task(names: Sequence[str], statements: Sequence[Statement], solution: Sequence[bool]) -> Task:
    said = "\n".join(f'{name} says: "{_sentence(s, names)}."' for name, s in zip(names, statements, strict=True))
    content = (
        "On an island live knights, who always tell the truth, and knaves, who always lie. You meet "
        f"{', '.join(names[:-1])} and {names[-1]}.\n{said}\nWho is a knight and who is a knave? "
        f"Think step by step. {_FORM.format(name=names[0])}"
    )
    level = len(names)
    return Task(asked(content), _reference(names, solution), float(level), {"level": level})


def _sentence(statement: Statement, names: Sequence[str]) -> str:
    kind, *rest = statement
    if kind in _WORDS:
        return f"{names[rest[0]]} is {_WORDS[kind]}"
    if kind == "not":
        return f"it is not true that {_sentence(rest[0], names)}"
    return _JOINED[kind].format(*(_sentence(part, names) for part in rest))


def _reference(names: Sequence[str], solution: Sequence[bool]) -> str:
    return json.dumps({name: "knight" if knight else "knave" for name, knight in zip(names, solution, strict=True)})


def _told(task: Task) -> Sequence[str]:
    people = json.loads(task.reference).items()
    lines = [f"({number}) {name} is a {kind}" for number, (name, kind) in enumerate(people, start=1)]
    return ("<answer>\n" + "\n".join(lines) + "\n</answer>",)
