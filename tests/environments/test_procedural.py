"""Tasks made up by rule: splits and seeds that cannot meet, levels that grow harder, firm judges."""

from __future__ import annotations

import itertools
import json
import pickle
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any, ClassVar

import pytest

from assay import Verdict, make
from assay.environments.base import Environment, Task
from assay.environments.expressions import evaluate
from assay.environments.format.json_schema import JSONSchema
from assay.environments.logic.knights_knaves import KnightsKnaves, KnightsKnavesVerifier, LogicRL, solutions
from assay.environments.math.countdown import Countdown, Countdown600, CountdownVerifier, solve
from assay.environments.procedural import ProceduralEnvironment
from assay.errors import InputError
from assay.verifiers.conformance import VerifierConformance

NAMES = ["math/countdown", "logic/knights-and-knaves", "format/json-schema"]
KNIGHTS = json.dumps({"Ada": "knight", "Bela": "knave"})


def content(task: Task) -> str:
    """What a task asks, apart from words that may differ: countdown's numbers in any order."""
    reference = task.reference
    if " -> " in reference:
        numbers, target = reference.split(" -> ")
        return f"{sorted(map(int, numbers.split()))} {target}"
    return reference if reference.startswith('{"additional') else str(task.prompt)


@pytest.mark.parametrize("name", NAMES)
def test_splits_and_seeds_share_no_task_and_no_split_repeats_one(name: str) -> None:
    drawn = {
        (split, seed): [content(task) for task in make(name, seed=seed).tasks(split, limit=200)]
        for split in ("train", "validation", "test")
        for seed in (0, 1)
    }
    for key, found in drawn.items():
        assert len(set(found)) == len(found), key
    for (left, a), (right, b) in itertools.combinations(drawn.items(), 2):
        if left[0] != right[0]:
            assert not set(a) & set(b), (left, right)
        else:  # another seed draws anew from the same split, so that small levels may meet by chance
            assert len(set(a) & set(b)) <= 2, (left, right)


@pytest.mark.parametrize("name", NAMES)
def test_sizes_levels_and_endless_training_are_as_said(name: str) -> None:
    environment = make(name)
    assert isinstance(environment, ProceduralEnvironment)
    levels = Counter(task.metadata["level"] for task in environment.tasks("test", limit=120))
    assert levels == dict.fromkeys(environment.LEVELS, 120 // len(environment.LEVELS))
    assert len(environment.tasks("validation")) == environment.splits["validation"] == 200
    assert len(make(name, train_size=7).tasks("train")) == 7
    endless = make(name, train_size=None, levels=[environment.LEVELS[0]])
    with pytest.raises(InputError, match="is endless; say how many tasks with limit="):
        endless.tasks("train")
    assert {task.difficulty for task in endless.tasks("train", limit=5)} == {float(environment.LEVELS[0])}


@pytest.mark.parametrize("name", NAMES)
def test_items_are_the_same_in_a_copy_and_bad_options_are_refused(name: str) -> None:
    environment = make(name, seed=4)
    copy = pickle.loads(pickle.dumps(environment))
    assert copy.tasks("test", limit=20) == environment.tasks("test", limit=20)
    with pytest.raises(InputError, match=r"levels is \[99\]; expected some of "):
        make(name, levels=[99])
    with pytest.raises(InputError, match="train_size is 0; expected at least 1, or None for an endless split"):
        make(name, train_size=0)


def nodes(statements: Sequence[Any]) -> int:
    """Assignments that a solver looks at who settles one person after another and stops at a contradiction."""

    def holds(statement: Any, known: list[bool]) -> bool | None:
        kind, *rest = statement
        if kind in ("telling-truth", "lying"):
            return None if rest[0] >= len(known) else known[rest[0]] == (kind == "telling-truth")
        inner = [holds(part, known) for part in rest]
        if None in inner:
            return None
        match kind, inner:
            case "not", [a]:
                return not a
            case "and", [a, b]:
                return bool(a and b)
            case "or", [a, b]:
                return bool(a or b)
            case "->", [a, b]:
                return not a or bool(b)
        return inner[0] == inner[1]

    def search(known: list[bool]) -> int:
        told = [holds(statement, known) for statement in statements[: len(known)]]
        if any(truth is not None and truth != knight for truth, knight in zip(told, known, strict=True)):
            return 1
        if len(known) == len(statements):
            return 1
        return 1 + sum(search([*known, knight]) for knight in (True, False))

    return search([])


def test_higher_levels_of_knights_and_knaves_take_a_solver_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    import assay.environments.logic.knights_knaves as module

    seen: list[Sequence[Any]] = []

    def note(names: Sequence[str], statements: Sequence[Any], solution: Sequence[bool]) -> Task:
        seen.append(statements)
        return Task("", "")

    monkeypatch.setattr(module, "_task", note)
    work = []
    for level in KnightsKnaves.LEVELS:
        seen.clear()
        KnightsKnaves(levels=[level]).tasks("train", limit=60)
        work.append(mean(map(nodes, seen)))
    assert all(low < high for low, high in itertools.pairwise(work)), work


def test_higher_levels_of_countdown_take_a_solver_longer() -> None:
    work = []
    for level in (3, 4, 5):
        puzzles = [task.reference.split(" -> ") for task in Countdown(levels=[level]).tasks("test", limit=8)]
        work.append(mean(solve([int(n) for n in numbers.split()], int(target))[1] for numbers, target in puzzles))
    assert work[0] * 3 < work[1] < work[2] / 3, work


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_solved_by_what_it_was_made_of_and_by_nothing_else(name: str) -> None:
    environment = make(name)
    tasks = environment.tasks("test", limit=60)
    answers = [environment.reference_completions(task)[0] for task in tasks]
    assert {result.verdict for result in environment.verify(answers, tasks)} == {Verdict.CORRECT}
    swapped = environment.verify([*answers[1:], answers[0]], tasks)
    assert all(result.score == 0.0 for result in swapped)


def test_every_puzzle_has_one_solution_and_the_published_ones_too(shared: Path) -> None:
    assert len(LogicRL(shared / "data/knights_knaves").tasks("train")) == 900  # loading proves each row
    published = LogicRL(shared / "data/knights_knaves")
    tasks = published.tasks("test")
    assert len(tasks) == 500
    results = published.verify([published.reference_completions(task)[0] for task in tasks], tasks)
    assert {result.verdict for result in results} == {Verdict.CORRECT}


def test_a_published_row_with_another_solution_is_refused(tmp_path: Path) -> None:
    row = {"quiz": "?", "names": ["A", "B"], "solution": [False, True], "statements": [["lying", 1], ["lying", 1]]}
    (tmp_path / "test.jsonl").write_text(json.dumps(row))
    with pytest.raises(
        InputError, match=r"test\.jsonl, row 1: the puzzle has 0 solutions: \[\]; the row gives \[False"
    ):
        LogicRL(tmp_path).tasks("test")


def test_the_published_countdown_puzzles_pass_with_their_solutions(shared: Path) -> None:
    environment = Countdown600(shared / "data/countdown")
    sizes = {}
    for split in ("train", "test"):
        tasks = environment.tasks(split)
        sizes[split] = len(tasks)
        results = environment.verify([environment.reference_completions(task)[0] for task in tasks], tasks)
        assert {result.verdict for result in results} == {Verdict.CORRECT}
    assert sizes == Countdown600.splits


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([["lying", 1], ["lying", 0]], [(True, False), (False, True)]),
        ([["lying", 0]], []),
        ([["or", ["telling-truth", 0], ["lying", 0]]], [(True,)]),
        ([["->", ["telling-truth", 0], ["telling-truth", 1]], ["telling-truth", 0]], [(True, True)]),
        ([["<=>", ["telling-truth", 0], ["telling-truth", 1]], ["not", ["telling-truth", 0]]], [(False, True)]),
        ([["not", ["and", ["telling-truth", 0], ["telling-truth", 1]]], ["lying", 0]], [(True, False)]),
    ],
)
def test_all_solutions_are_found_and_no_others(statements: Any, expected: list[tuple[bool, ...]]) -> None:
    assert sorted(solutions(statements)) == sorted(expected)


@pytest.mark.parametrize("statement", [["lying", 5], ["maybe", 0], ["and", ["lying", 0]], [], ["lying", -1]])
def test_what_is_no_statement_is_refused(statement: Any) -> None:
    with pytest.raises(InputError, match="is no statement about 1 people"):
        solutions([statement])


def test_too_many_people_are_refused() -> None:
    with pytest.raises(InputError, match="there are 17 people; at most 16 are worked out"):
        solutions([["lying", 0]] * 17)


class TestKnightsKnavesVerifier(VerifierConformance):
    verifier = KnightsKnavesVerifier()
    examples: ClassVar = [
        ("<answer>Ada is a knight and Bela is a knave</answer>", KNIGHTS, Verdict.CORRECT),
        ("<answer>\n(1) Ada is a knight\n(2) Bela is a knave\n</answer>", KNIGHTS, Verdict.CORRECT),
        ("\\boxed{Bela: knave, ada: Knight}", KNIGHTS, Verdict.CORRECT),
        (
            "<answer>Ada is a knave, Bela is a knight</answer> no <answer>Ada=knight; Bela=knave</answer>",
            KNIGHTS,
            Verdict.CORRECT,
        ),
        ("<answer>Ada is a knight</answer>", KNIGHTS, Verdict.INCORRECT),
        ("<answer>Ada is a knight, Bela is a knave, Carl is a knave</answer>", KNIGHTS, Verdict.INCORRECT),
        ("<answer>Ada is a knight or a knave, Bela is a knave</answer>", KNIGHTS, Verdict.INCORRECT),
        ("<answer>Ada is a knight, Bela is a knave, Bela is a knight</answer>", KNIGHTS, Verdict.INCORRECT),
        ("<answer>Ada is not a knave, Bela is a knave</answer>", KNIGHTS, Verdict.INCORRECT),
        ("<answer>Ada is a knight, Bela is a knave, unless I err</answer>", KNIGHTS, Verdict.INCORRECT),
        ("<answer></answer>", KNIGHTS, Verdict.INCORRECT),
        ("Ada is a knight and Bela is a knave", KNIGHTS, Verdict.NO_ANSWER),
        ("<answer>Ada is a knight</answer>", "Ada: knight", Verdict.BAD_REFERENCE),
        ("<answer>Ada is a knight</answer>", '{"Ada": "king"}', Verdict.BAD_REFERENCE),
    ]


class TestCountdownVerifier(VerifierConformance):
    verifier = CountdownVerifier()
    examples: ClassVar = [
        ("<answer>(62 - 19) * (81 - 80)</answer>", "62 80 81 19 -> 43", Verdict.CORRECT),
        ("<answer>(62 − 19) × (81 − 80) = 43</answer>", "62 80 81 19 -> 43", Verdict.CORRECT),
        ("\\boxed{\\left(62 - 19\\right) \\times (81 - 80)}", "62 80 81 19 -> 43", Verdict.CORRECT),
        ("<answer>8/(3-8/3)</answer>", "3 3 8 8 -> 24", Verdict.CORRECT),
        ("<answer>43</answer>", "62 80 81 19 -> 43", Verdict.INCORRECT),
        ("<answer>62 - 19</answer>", "62 80 81 19 -> 43", Verdict.INCORRECT),
        ("<answer>(62 - 19) * (81 - 80) * 1</answer>", "62 80 81 19 -> 43", Verdict.INCORRECT),
        ("<answer>(62 - 19) * (81 - 80) = 44</answer>", "62 80 81 19 -> 43", Verdict.INCORRECT),
        ("<answer>(62 - 19) + (81 - 80)</answer>", "62 80 81 19 -> 43", Verdict.INCORRECT),
        ("<answer>2 ** 3 - 1</answer>", "1 2 3 -> 7", Verdict.INCORRECT),
        ("<answer>23 + 1</answer>", "1 2 3 -> 24", Verdict.INCORRECT),
        ("<answer>3 + 1.0 + 2</answer>", "1 2 3 -> 6", Verdict.INCORRECT),
        ("<answer>3 / (2 - 2)</answer>", "2 2 3 -> 6", Verdict.INCORRECT),
        ("<answer>__import__('os').getpid()</answer>", "1 2 3 -> 6", Verdict.INCORRECT),
        ("3 + 2 + 1", "1 2 3 -> 6", Verdict.NO_ANSWER),
        ("<answer>1</answer>", "1, 2 = 3", Verdict.BAD_REFERENCE),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/3+1/6", "1/2"), ("-2**2", "-4"), ("2**3**2", "512"), ("2^-2", "1/4"), (".5*4", "2"), ("--3", "3"),
     ("(-1)**99999999999", "-1"), ("0**0", "1"), ("1.25 ÷ 5", "1/4"), ("[2+3]·4", "20")],
)  # fmt: skip
def test_expressions_come_to_what_mathematics_says(text: str, value: str) -> None:
    assert str(evaluate(text).value) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a number is missing before 'the end'"),
        ("1 +", "a number is missing before 'the end' in '1 +'"),
        ("(1", "a parenthesis is not closed in '(1'"),
        ("1)", "there is ')' too much in '1)'"),
        ("1 2", "there is '2' too much"),
        ("x+1", "'x+1' is neither a number nor one of + - * / ** ( )"),
        ("1/0", "'1/0' divides by zero"),
        ("0**-1", "0 to the power -1 divides by zero"),
        ("2**0.5", "the exponent 1/2 is not a whole number"),
        ("9**9**9", "a power is too large: its value would have more than 8192 bits"),
        ("(" * 60 + "1" + ")" * 60, "the expression is more than 50 levels deep"),
        ("1" * 101, "a number has 101 digits; at most 100 are read"),
        ("1" * 1001, "the expression has 1001 characters; at most 1000 are read"),
        ("*".join(["9" * 99] * 10), ""),
    ],
)
def test_what_is_no_expression_or_too_large_says_so(text: str, message: str) -> None:
    if not message:
        assert evaluate(text).value > 10**980
        return
    with pytest.raises(InputError) as caught:
        evaluate(text)
    assert message in str(caught.value)


def test_a_json_object_of_the_right_form_with_other_values_fails() -> None:
    environment: Environment = JSONSchema(levels=[4])
    [task] = environment.tasks("test", limit=1)
    right = json.loads(environment.reference_completions(task)[0])
    name = next(iter(right))
    wrong = {**right, name: "elsewhere"}
    shorter = {key: value for key, value in right.items() if key != name}
    texts = [json.dumps(right), json.dumps(wrong), json.dumps(shorter), json.dumps({**right, "more": 1}), "Sure! {}"]
    assert [result.is_correct for result in environment.verify(texts, [task] * 5)] == [True, False, False, False, False]
