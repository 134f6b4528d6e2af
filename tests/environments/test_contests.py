"""Rows of APPS, CodeContests, LiveCodeBench and NeMo-Gym become problems with tests."""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

from assay import Verdict, make
from assay.environments.code.contests import apps, code_contests, format_of, livecodebench
from assay.environments.code.stdio import StdioCode
from assay.errors import InputError

APPS = {
    "problem_id": 1,
    "question": "Double the number.",
    "solutions": json.dumps(["print(2 * int(input()))"]),
    "input_output": json.dumps({"inputs": ["3\n", ["4"]], "outputs": ["6\n", ["8"]]}),
    "difficulty": "interview",
    "url": "somewhere",
    "starter_code": "",
}
APPS_CALL = {
    **APPS,
    "solutions": json.dumps(["class Solution:\n    def double(self, x):\n        return [x, x]\n"]),
    "input_output": json.dumps({"fn_name": "double", "inputs": [[3]], "outputs": [[[3, 3]]]}),
    "starter_code": "class Solution:\n    def double(self, x):\n",
}
CONTESTS = {
    "name": "1_A. Double",
    "description": "Double the number.",
    "public_tests": {"input": ["3\n"], "output": ["6\n"]},
    "private_tests": {"input": ["4\n"], "output": ["8\n"]},
    "generated_tests": {"input": ["5\n", "6\n"], "output": ["10\n", "12\n"]},
    "solutions": {"language": [2, 3], "solution": ["int main(){}", "print(int(input()) * 2)"]},
    "cf_rating": 800,
}
LIVE = {
    "question_title": "Double",
    "question_content": "Double the number.",
    "platform": "atcoder",
    "question_id": "abc1",
    "starter_code": "",
    "difficulty": "easy",
    "public_test_cases": json.dumps([{"input": "3\n", "output": "6\n", "testtype": "stdin"}]),
    "private_test_cases": json.dumps([{"input": "4\n", "output": "8\n", "testtype": "stdin"}]),
    "metadata": "{}",
}
LIVE_CALL = {
    **LIVE,
    "starter_code": "class Solution:\n    def add(self, a: int, b: List[int]) -> int:\n",
    "public_test_cases": json.dumps([{"input": "1\n[2, 3]", "output": "6", "testtype": "functional"}]),
    "private_test_cases": json.dumps([{"input": "0\n[]", "output": "0", "testtype": "functional"}]),
    "metadata": json.dumps({"func_name": "add"}),
}


def packed(value: Any) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value))).decode()


def written(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize(
    ("row", "right", "wrong", "tests", "public"),
    [
        (APPS, None, "print(6)", 2, 0),
        (APPS_CALL, None, "class Solution:\n    def double(self, x):\n        return [x]", 1, 0),
        (CONTESTS, None, "print(6)", 4, 1),
        (LIVE, "print(2 * int(input()))", "print(6)", 2, 1),
        (
            LIVE_CALL,
            "class Solution:\n    def add(self, a, b):\n        return a + sum(b)",
            "def add(a, b): return 6",
            2,
            1,
        ),
    ],
    ids=["apps", "apps-call", "code_contests", "livecodebench", "livecodebench-call"],
)
def test_a_problem_of_each_form_is_judged_by_all_its_tests(
    tmp_path: Path, row: dict[str, Any], right: str | None, wrong: str, tests: int, public: int
) -> None:
    environment = StdioCode(path=written(tmp_path, row))
    [task] = environment.tasks("test")
    given = environment.reference_completions(task)
    solution = given[0] if right is None else f"```python\n{right}\n```"
    good, bad = environment.verify([solution, f"```python\n{wrong}\n```"], [task, task])
    assert good.verdict is Verdict.CORRECT
    assert good.details["total"] == tests
    assert not bad.is_correct
    shown = task.metadata["public_tests"]
    assert (len(json.loads(shown)["cases"]) if shown else 0) == public
    prompt = task.prompt[0]["content"]  # type: ignore[index]
    assert prompt.startswith("Double the number.")
    assert ("Begin with:" in prompt) == bool(row.get("starter_code"))


def test_the_forms_are_told_apart_by_their_columns() -> None:
    assert [format_of(row) for row in (APPS, CONTESTS, LIVE)] == ["apps", "code_contests", "livecodebench"]
    with pytest.raises(
        InputError, match="its columns are question, answer; expected one of input_output, public_tests"
    ):
        format_of({"question": 1, "answer": 2})


def test_difficulty_and_source_are_kept() -> None:
    assert (apps(APPS).difficulty, apps(APPS).source) == (2.0, "somewhere")
    assert (code_contests(CONTESTS).difficulty, code_contests({**CONTESTS, "cf_rating": 0}).difficulty) == (800.0, None)
    assert (livecodebench(LIVE).difficulty, livecodebench(LIVE).source) == (1.0, "atcoder/abc1")


def test_packed_private_tests_are_unpacked() -> None:
    row = {**LIVE, "private_test_cases": packed(LIVE["private_test_cases"])}
    assert livecodebench(row) == livecodebench(LIVE)


class Bomb:
    def __reduce__(self) -> Any:
        return (Path("/should-not-exist").write_text, ("pwned",))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("private_test_cases", packed(Bomb()), "its packed tests ask to import "),
        ("private_test_cases", packed([1]), "its packed tests are no text of at most 1024 MiB"),
        ("private_test_cases", "garbage", "its tests are neither JSON nor packed JSON"),
        ("private_test_cases", "{}", "its tests are a dict; expected a list"),
        ("private_test_cases", LIVE_CALL["private_test_cases"], "its tests are of several kinds: functional, stdin"),
    ],
)
def test_private_tests_that_are_no_tests_are_refused(column: str, value: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        livecodebench({**LIVE, column: value})
    assert message in str(caught.value)


def test_a_function_without_a_name_is_refused() -> None:
    with pytest.raises(InputError, match="its tests call a function, but metadata has no func_name"):
        livecodebench({**LIVE_CALL, "metadata": "{}"})


def test_problems_without_a_test_are_left_out_and_tests_can_be_limited(tmp_path: Path) -> None:
    environment = StdioCode(path=written(tmp_path, {**APPS, "input_output": ""}, CONTESTS), most_tests=2)
    [task] = environment.tasks("train")
    assert len(json.loads(task.reference)["cases"]) == 2


def test_the_handed_rows_of_nemo_gym_are_problems(shared: Path) -> None:
    environment = make("code/stdio", path=shared / "data/nemo_gym_examples/code_gen.jsonl")
    tasks = environment.tasks("train")
    assert len(tasks) == 5
    assert all(len(json.loads(task.reference)["cases"]) for task in tasks)
    [result] = environment.verify(["no program"], tasks[:1])
    assert result.score == 0.0


def test_options_that_are_not_there_are_refused() -> None:
    with pytest.raises(InputError, match="dataset is 'taco'; expected one of apps, code_contests, livecodebench"):
        StdioCode("taco")
    with pytest.raises(InputError, match="most_tests is 0; expected at least 1, or None for all"):
        StdioCode(most_tests=0)
    assert list(StdioCode("code_contests").splits) == ["train", "validation", "test"]
