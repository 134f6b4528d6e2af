"""Tasksets of PrimeIntellect's ``verifiers``: judged by their own rewards, with our verdicts."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay import Verdict, make
from assay.environments.base import Environment
from assay.errors import InputError, MissingExtra

TASKSET = """
import verifiers.v1 as vf

class Data(vf.TaskData):
    answer: str = ""

class Add(vf.Task[Data]):
    @vf.reward(weight=1.0)
    async def right(self, trace) -> float:
        return float(trace.last_reply == self.data.answer)
    @vf.reward(weight=0.5)
    async def brief(self, trace) -> float:
        if trace.last_reply == "crash":
            raise RuntimeError("boom")
        if trace.last_reply == "nan":
            return float("nan")
        return float(len(trace.last_reply) < 5)
    @vf.metric
    async def letters(self, trace) -> float:
        return float(len(trace.last_reply))

class Config(vf.TasksetConfig):
    count: int = 40

class Sums(vf.Taskset[Add, Config]):
    def load(self):
        for number in range(self.config.count):
            yield Add(Data(prompt=f"{number}+1=", system_prompt="Be brief.", answer=str(number + 1)))

class Boxed(vf.Task[Data]):
    NEEDS_CONTAINER = True

class Heavy(vf.Taskset[Boxed, vf.TasksetConfig]):
    def load(self):
        yield Boxed(Data(prompt="?"))

number = 5
"""


def test_another_package_of_that_name_is_told_from_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "verifiers").mkdir()
    (tmp_path / "verifiers/__init__.py").write_text("")
    code = "from assay import make; make('bridge/verifiers', taskset='anything')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert f"{tmp_path}/verifiers/__init__.py is found first under that name" in done.stderr
    assert "is not installed" not in done.stderr


def test_a_missing_package_carries_its_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "verifiers.v1", None)
    with pytest.raises(
        MissingExtra, match=r"'verifiers' is not installed. Install it with: pip install 'assay\[verifiers\]'"
    ):
        make("bridge/verifiers", taskset="any")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    importlib.import_module("verifiers.v1")
    path = tmp_path_factory.mktemp("prime") / "sums.py"
    path.write_text(TASKSET)
    return path


@pytest.fixture
def sums(file: Path) -> Environment:
    return make("bridge/verifiers", taskset=f"{file}:Sums", test_share=0.25)


def test_a_tasksets_tasks_are_shared_out_by_their_keys(sums: Environment) -> None:
    train, test = sums.tasks("train"), sums.tasks("test")
    assert len(train) + len(test) == 40
    assert 2 <= len(test) <= 20
    assert not {task.id for task in train} & {task.id for task in test}
    assert train[0].prompt[0] == {"role": "system", "content": "Be brief."}
    assert train[0].prompt[1]["content"].endswith("+1=")  # type: ignore[index]


@pytest.mark.parametrize("copied", [False, True])
def test_completions_are_judged_by_the_tasks_own_rewards(sums: Environment, copied: bool) -> None:
    environment = pickle.loads(pickle.dumps(sums)) if copied else sums
    task = environment.tasks("train", limit=1)[0]
    answer = str(int(task.prompt[1]["content"].split("+")[0]) + 1)  # type: ignore[index]
    texts = [answer, f" {answer}\n", "7777", "a long wrong answer", "", "crash", "nan"]
    results = environment.verify(texts, [task] * len(texts))
    assert [result.verdict for result in results] == [
        *(Verdict.CORRECT, Verdict.CORRECT, Verdict.PARTIAL, Verdict.INCORRECT),
        *(Verdict.NO_ANSWER, Verdict.ERROR, Verdict.ERROR),
    ]
    assert results[2].score == pytest.approx(1 / 3)
    assert results[2].details == {"rewards": {"right": 0.0, "brief": 1.0}}
    assert "boom" in results[5].reason
    assert "a reward is no finite number" in results[6].reason
    assert environment.verifier.verify(["1"], ["nobody"])[0].verdict is Verdict.BAD_REFERENCE


@pytest.mark.parametrize(
    ("attribute", "options", "message"),
    [
        ("Heavy", {}, "need a container; run them with verifiers itself"),
        ("number", {}, "is 5; expected a taskset of verifiers, or its class"),
        ("Sums", {"config": {"count": "many"}}, "cannot be made with {'count': 'many'}"),
        ("Sums", {"test_share": 1.0}, "test_share is 1.0; expected a number between 0 and 1"),
    ],
)
def test_a_taskset_that_does_not_fit_is_refused(
    file: Path, attribute: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        make("bridge/verifiers", taskset=f"{file}:{attribute}", **options)
    assert message in str(caught.value)


def test_an_unknown_id_is_answered(file: Path) -> None:
    with pytest.raises(InputError, match="verifiers has no taskset 'no-such-taskset': "):
        make("bridge/verifiers", taskset="no-such-taskset")
