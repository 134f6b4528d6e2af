"""Repairing a program over several turns: what the hidden tests decide."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.environments.base import Task
from assay.environments.code.repair import CodeRepair, RepairEpisode
from assay.environments.episodes import (
    call_tool,
    tool_calls,
)
from assay.errors import InputError, VerifierFailed
from assay.sandbox import Execution, Sandbox, open_sandbox
from assay.verifiers.code import CodeVerifier


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("auto") as opened:
        yield opened


@pytest.fixture
def repair(shared: Path, sandbox: Sandbox) -> CodeRepair:
    return CodeRepair(shared / "data/mbpp", judge=CodeVerifier(sandbox, all_or_nothing=True))


def test_a_program_that_passes_the_visible_test_alone_fails_the_hidden_ones(repair: CodeRepair) -> None:
    [task] = repair.tasks("validation", limit=1)
    solution = tool_calls(repair.reference_completions(task)[0])
    assert solution is not None
    visible = json.loads(json.loads(task.reference)["visible"])
    name = visible["source"].split("assert ")[1].split("(")[0]
    expected = visible["source"].rpartition("==")[2].strip()
    episode = repair.environment_factory()
    assert isinstance(episode, RepairEpisode)
    episode.reset(answer=task.reference)
    assert episode.test("def other(): pass").startswith("The visible test fails: ")
    assert episode.get_reward() == 0.0
    assert episode.test(f"def {name}(*_): return {expected}") == "The visible test passes."
    assert episode.get_reward() == 0.0
    assert call_tool(episode, *solution[0]) == "The visible test passes."
    assert episode.get_reward() == 1.0


def test_attempts_run_out_and_the_last_one_counts(repair: CodeRepair) -> None:
    [task] = repair.tasks("validation", limit=1)
    episode = RepairEpisode(repair._judge, most_calls=1)
    episode.reset(answer=task.reference)
    assert episode._result().reason == "no program was tested"
    episode.test("nonsense(")
    with pytest.raises(InputError, match="all 1 attempts are used; the last program tested is your answer"):
        episode.test("nonsense(")
    with pytest.raises(InputError, match="program is 5; expected the text of a Python program"):
        RepairEpisode(repair._judge).test(5)  # type: ignore[arg-type]


def test_a_test_that_cannot_be_run_is_no_failure_of_the_program() -> None:
    class Broken:
        def run(self, programs: Any, limits: Any = None, **options: Any) -> list[Execution]:
            return [Execution(reason="out of order") for _ in programs]

    suite = '{"kind":"stdio","cases":[["1","1"]]}'
    episode = RepairEpisode(CodeVerifier(Broken()))  # type: ignore[arg-type]
    episode.reset(answer=json.dumps({"visible": suite, "hidden": suite}))
    with pytest.raises(VerifierFailed, match=r"the test could not be run: .*out of order"):
        episode.test("print(1)")
    assert episode.get_reward() is None


def test_a_task_is_a_value(repair: CodeRepair) -> None:
    [task] = repair.tasks("test", limit=1)
    assert isinstance(task, Task)
    assert task == repair.tasks("test", limit=1)[0]
