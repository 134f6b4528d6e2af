"""Plain classes, functions and files become environments by name."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from assay import make, register
from assay.environments.base import Environment, Task
from assay.environments.define import make_env
from assay.environments.registry import ENVIRONMENTS
from assay.errors import InputError, LoadFailed, UnknownName
from assay.verifiers import MathVerifier

ROWS = [{"question": "1+1=", "answer": "2"}]
SUMS = '''
from assay import register
from assay.environments.define import make_env

ROWS = [{"question": f"{n}+1=", "answer": str(n + 1)} for n in range(40)]
table = make_env(ROWS, lambda row: row["question"], verifier=lambda completion, reference: completion == reference,
                 name="my/table-v1")
number = 7

def broken(x=1):
    return "nothing"

@register("my/sums-v1", splits={"train": 90, "test": 10}, domain="math")
class Sums:
    """One more."""
    def __init__(self, start=0):
        self.start = start
    def load(self, split):
        for number in range(self.splits[split]):
            yield f"{number + self.start}+1=", str(number + self.start + 1)
    def verify(self, completion, reference):
        return completion.strip() == reference
'''


def same(completion: str, reference: str) -> bool:
    return completion == reference


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("mine") / "sums.py"
    file.write_text(SUMS)
    return file


def test_a_plain_class_with_load_and_verify_is_an_environment(sums: Path) -> None:
    environment = make(f"{sums}:Sums", start=10)
    assert isinstance(environment, Environment)
    assert (environment.name, environment.domain, environment.splits["test"]) == ("my/sums-v1", "math", 10)
    tasks = environment.tasks("test", limit=2)
    assert tasks == [Task("10+1=", "11"), Task("11+1=", "12")]
    assert [result.score for result in environment.verify([" 11", "11"], tasks)] == [1.0, 0.0]
    assert environment.verifier.name == "my/sums-v1"
    assert isinstance(make("my/sums"), type(environment))
    assert type(environment).__doc__ == "One more."


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"verify": same}, "has no method load(self, split); expected one that yields (prompt, reference)"),
        ({"load": list}, "has neither a method verify(self, completion, reference) nor a verifier"),
        ({"load": list, "verify": same}, "names no splits; give splits=('train', 'test') or {'train': 100} with sizes"),
        ({"load": list, "verify": same, "splits": "train"}, "names no splits"),
    ],
)
def test_a_plain_class_that_lacks_a_part_is_refused(body: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        register("my/incomplete-v1")(type("Incomplete", (), body))
    assert f"Incomplete {message}" in str(caught.value)
    assert "my/incomplete-v1" not in ENVIRONMENTS


def test_a_plain_class_may_bring_a_verifier_and_must_give_pairs() -> None:
    class Odd:
        splits = ("train",)
        verifier = MathVerifier()

        def load(self, split: str) -> list[Any]:
            return [("1+1", "2"), "3"]

    try:
        environment: Environment = register("my/odd-v1")(Odd)()
        assert environment.verify(["\\boxed{2}"], environment.tasks("train", limit=1))[0].is_correct
        with pytest.raises(
            InputError, match=r"Odd.load gave '3' as item 2 of split 'train'; expected a Task or a pair"
        ):
            environment.tasks("train")
    finally:
        ENVIRONMENTS._targets.pop("my/odd-v1")


def test_an_environment_that_is_made_already_is_registered_and_found() -> None:
    environment = register(make_env(ROWS, "{question}", verifier=same, name="my/made-v1"))
    try:
        assert make("my/made") is environment
        assert pickle.loads(pickle.dumps(environment)).tasks("train") == environment.tasks("train")
        with pytest.raises(InputError, match="'my/made' is made already and takes no options; path was given"):
            make("my/made", path="x")
    finally:
        ENVIRONMENTS._targets.pop("my/made-v1")


def test_what_is_no_environment_is_refused(sums: Path) -> None:
    with pytest.raises(LoadFailed, match=r"sums.py:number' is 7; expected an Environment, its class, or a function"):
        make(f"{sums}:number")
    with pytest.raises(LoadFailed, match=r"sums.py:broken' made 'nothing'; expected an Environment"):
        make(f"{sums}:broken")


def test_an_option_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(
        InputError, match=r"'math/gsm8k-v1' was given pth: .*'pth'; did you mean 'path'\?; its options are p"
    ):
        make("math/gsm8k", pth="x")


def test_a_version_that_is_too_new_is_answered_with_those_that_are() -> None:
    with pytest.raises(
        UnknownName, match=r"environment 'math/gsm8k' has no version 9; this installation knows math/gsm8k-v1\. A newer"
    ):
        make("math/gsm8k-v9")


@pytest.mark.parametrize("attribute", ["Sums", "table"])
def test_an_environment_from_a_file_works_in_a_spawned_process(sums: Path, attribute: str) -> None:
    environment = make(f"{sums}:{attribute}")
    tasks = environment.tasks("train", limit=2)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert [result.score for result in pool.submit(environment.verify, ["1", "x"], tasks).result()] == [1.0, 0.0]


def test_a_class_that_only_a_function_knows_is_not_sent_anywhere() -> None:
    class Local(type(make("math/arithmetic"))):  # type: ignore[misc]
        pass

    with pytest.raises(InputError, match=r"cannot be sent to another process: .*Local is not found under that name"):
        pickle.dumps(Local())


def test_an_environment_from_a_file_is_unpickled_in_a_fresh_interpreter_in_another_folder(
    sums: Path, tmp_path: Path
) -> None:
    code = (
        "import pickle, sys, assay; env = pickle.load(sys.stdin.buffer); "
        "print(env.name, env.tasks('train')[3].reference)"
    )
    for attribute, answer in (("Sums", b"my/sums-v1 4\n"), ("table", b"my/table-v1 4\n")):
        stored = pickle.dumps(make(f"{sums}:{attribute}"))
        done = subprocess.run([sys.executable, "-c", code], input=stored, capture_output=True, cwd=tmp_path)
        assert done.stdout == answer, done.stderr.decode()


def test_a_name_that_is_no_string_is_refused() -> None:
    with pytest.raises(InputError, match="the name is None; expected a string, like 'math/gsm8k-v1'"):
        make(None)  # type: ignore[arg-type]
