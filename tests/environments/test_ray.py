"""Environments inside Ray: by name, by file, and as objects that travel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import make

# Ray's own: sockets and files that it leaves to the collector, and notices about its next versions.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
FILE = """
from assay import Result
from assay.environments.base import Environment, Task
from assay.verifiers import MathVerifier

class Doubling(Environment):
    name = "test/ray-doubling-v1"
    splits = {"test": 2}
    verifier = MathVerifier()

    def load(self, split):
        for n in (1, 2):
            yield Task(f"twice {n}?", str(2 * n))
"""


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    import ray

    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=100 << 20)
    yield ray
    ray.shutdown()


def test_a_task_makes_an_environment_by_name_or_file_and_judges(ray: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FILE)

    def judge(name: str, completions: list[str]) -> list[float | None]:
        from assay import make

        environment = make(name)
        return [r.score for r in environment.verify(completions, environment.tasks("test", limit=len(completions)))]

    remote = ray.remote(judge)
    built_in = make("math/arithmetic-v1")
    answers = [f"<think></think><answer>{task.reference}</answer>" for task in built_in.tasks("test", limit=2)]
    assert ray.get(remote.remote("math/arithmetic-v1", [answers[0], "?"])) == [1.0, 0.0]
    assert ray.get(remote.remote(f"{file}:Doubling", [r"\boxed{2}", r"\boxed{5}"])) == [1.0, 0.0]


def test_an_environment_and_its_tasks_travel_to_a_task_as_objects(ray: Any, tmp_path: Path) -> None:
    file = tmp_path / "travels.py"
    file.write_text(FILE)
    environment = make(f"{file}:Doubling")

    def judge(environment: Any, tasks: Any) -> list[float | None]:
        return [result.score for result in environment.verify([r"\boxed{2}", r"\boxed{5}"], tasks)]

    assert ray.get(ray.remote(judge).remote(environment, environment.tasks("test"))) == [1.0, 0.0]
