"""``code/repair`` that begins with a failing program: a mutant, or what a policy wrote before."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import make
from assay.environments.checking import check
from assay.environments.code.mutants import mutants
from assay.environments.code.repair import CodeRepair
from assay.environments.episodes import call_tool, calls_text
from assay.errors import InputError
from assay.sandbox import open_sandbox
from assay.verifiers import CodeVerifier

SOURCE = "def f(items, most):\n    kept = [x for x in items if x < most and x % 2 == 0]\n    return min(kept) + 3\n"


@pytest.fixture(scope="module")
def judge() -> Iterator[CodeVerifier]:
    with open_sandbox("auto") as sandbox:
        yield CodeVerifier(sandbox, all_or_nothing=True)


def test_mutants_differ_in_one_place_and_come_in_an_order_of_their_key() -> None:
    found = list(mutants(SOURCE, "a"))
    assert len(set(found)) == len(found) == 10
    assert found == list(mutants(SOURCE, "a"))
    assert found[:-1] != list(mutants(SOURCE, "b"))[:-1]
    assert found[-1].endswith("return None")  # the crudest comes last
    assert "max(kept) + 3" in "".join(found)
    assert "x <= most" in "".join(found)
    assert "x < most or x % 2 == 0" in "".join(found)
    assert all(compile(text, "mutant", "exec") for text in found)


@pytest.mark.parametrize("source", ["def f(:", "", "\x00", "x = 'no place to change'"])
def test_what_cannot_be_parsed_or_changed_has_no_mutants(source: str) -> None:
    assert list(mutants(source, "a")) == []


def test_a_task_begins_with_a_program_that_fails_its_tests(shared: Path, judge: CodeVerifier) -> None:
    environment = CodeRepair(shared / "data/mbpp", judge=judge, start="mutant")
    tasks = environment.tasks("validation", limit=10)
    assert [task.id for task in tasks] == [task.id for task in environment.tasks("validation", limit=10)]
    hidden = [json.loads(task.reference)["hidden"] for task in tasks]
    contents = [task.prompt[0]["content"] for task in tasks]  # type: ignore[index]
    programs = [f"```python\n{content.rpartition('```python')[2]}" for content in contents]
    assert {result.is_correct for result in judge.verify(programs, hidden)} == {False}
    assert all("Repair this program, which fails: " in c or "which passes the visible test but" in c for c in contents)
    assert "0 of 1 tests passed; wrong answer" in "".join(contents)
    # the published program repairs it; testing nothing, or the same program again, does not
    report = check(environment, "validation", limit=6, probes=1, repeats=2)
    assert report.is_clean
    assert report.without_reference == 0
    again = environment.verify([calls_text([("test", {"program": programs[0]})])], tasks[:1])[0]
    assert again.is_correct is False
    plain = CodeRepair(shared / "data/mbpp", judge=judge).tasks("validation", limit=1)[0]
    assert plain.reference == tasks[0].reference
    assert plain.id != tasks[0].id


def test_an_episode_of_such_a_task_is_played_like_any_other(shared: Path, judge: CodeVerifier) -> None:
    environment = CodeRepair(shared / "data/mbpp", judge=judge, start="mutant")
    [task] = environment.tasks("validation", limit=1)
    episode = environment.environment_factory()
    episode.reset(answer=task.reference)
    assert call_tool(episode, "test", {"program": "def wrong(): pass"}).startswith("The visible test fails: ")
    assert pickle.loads(pickle.dumps(task)) == task


def rows(environment: Any, count: int) -> list[Any]:
    tasks: list[Any] = environment.tasks("validation", limit=count)
    return tasks


def test_the_samples_of_an_evaluation_are_begun_with(shared: Path, judge: CodeVerifier, tmp_path: Path) -> None:
    mbpp = make("code/mbpp", path=shared / "data/mbpp")
    first, second, third = rows(mbpp, 3)
    right = mbpp.reference_completions(first)[0]
    samples = [
        {"task": first.id, "sample": 0, "completion": right},  # passes: nothing to repair
        {"task": first.id, "sample": 1, "completion": "Here it is:\n```python\ndef mine(): return 1\n```"},
        {"task": second.id, "sample": 0, "completion": mbpp.reference_completions(second)[0]},
        {"task": third.id, "sample": 0, "completion": ""},
    ]
    file = tmp_path / "samples.jsonl"
    file.write_text("\n".join(map(json.dumps, samples)))
    environment = CodeRepair(shared / "data/mbpp", judge=judge, start=file)
    [task] = environment.tasks("validation")
    assert task.metadata["source_id"] == first.metadata["source_id"]
    assert task.prompt[0]["content"].endswith("Here it is:\n```python\ndef mine(): return 1\n```")  # type: ignore[index]
    assert environment.splits["validation"] is None

    own = [{"source_id": second.metadata["source_id"], "program": "def mine(): return 2"}]
    file.write_text("\n".join(map(json.dumps, own)))
    [task] = CodeRepair(shared / "data/mbpp", judge=judge, start=str(file)).tasks("validation")
    assert task.prompt[0]["content"].endswith("```python\ndef mine(): return 2\n```")  # type: ignore[index]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"program": "x = 1"},
            r"row 1 has program; expected samples of code/mbpp with task and completion, or",
        ),
        ({"source_id": 3}, r"row 1 has source_id; expected samples"),
        ({"task": "a", "completion": " "}, r"begin\.jsonl holds no program to begin with"),
    ],
)
def test_a_file_without_programs_is_refused(shared: Path, tmp_path: Path, row: dict[str, Any], message: str) -> None:
    file = tmp_path / "begin.jsonl"
    file.write_text(json.dumps(row))
    with pytest.raises(InputError, match=message):
        make("code/repair", path=shared / "data/mbpp", start=file)
    with pytest.raises(InputError, match=r"no file 'mutants'"):
        make("code/repair", path=shared / "data/mbpp", start="mutants")
