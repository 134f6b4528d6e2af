"""Verifiers and evaluation on a Ray cluster: the results are those of one machine, whatever is lost meanwhile."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay import make
from assay.errors import InputError
from assay.evaluation.evaluate import evaluate
from assay.evaluation.samplers.base import Completion
from assay.evaluation.samples import SampleFolder
from assay.sandbox.local.machine import machine
from assay.sandbox.ray.packing import LARGE
from assay.verifiers import CodeVerifier, MathVerifier, Result, TestSuite, Verdict, Verifier
from assay.verifiers.ray import RayVerifier

# Ray's own: sockets and files that it leaves to the collector, and notices about its next versions.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
isolating = pytest.mark.skipif("E" in machine().modes, reason="this machine cannot isolate programs at all")
WHERE: dict[str, Any] = {"resources": {"sandbox": 0.1}}


def told(results: Sequence[Result]) -> list[tuple[Any, ...]]:
    """All of a result but the time it took."""
    return [(r.verdict, r.score, r.reason, r.answer, dict(r.parts), dict(r.details)) for r in results]


def code(count: int) -> tuple[list[str], list[TestSuite]]:
    """Completions that are right, wrong, partly right, broken, hostile and none, in turn, each with a suite."""
    bodies = [
        "return x * x + {n}",
        "return x * x",
        "return 16 + {n}",
        "return x / 0",
        "import os; os._exit(0)",
        "return [",
        "raise SystemExit",
    ]
    completions, suites = [], []
    for n in range(count):
        body = bodies[n % len(bodies)].format(n=n)
        completions.append(f"```python\ndef f(x):\n    {body}\n```" if n % 10 else "I do not know.")
        suites.append(TestSuite.from_calls("f", [((2,), {}, 4 + n), ((4,), {}, 16 + n)]))
    return completions, suites


@isolating
def test_code_verdicts_are_those_of_one_machine_while_a_node_is_lost(cluster: Any) -> None:
    completions, suites = code(600)
    with CodeVerifier() as local:
        expected = told(local.verify(completions, suites))
    killer = threading.Timer(2.0, cluster.kill_a_node)
    with RayVerifier(CodeVerifier(), cpus=None, **WHERE) as spread:
        spread.verify(completions[:1], suites[:1])
        killer.start()
        found = told(spread.verify(completions, suites))
        killer.join()
        assert told(spread.verify(completions[:20], suites[:20])) == expected[:20]
    cluster.add()
    assert found == expected
    assert {verdict for verdict, *_ in found} == {
        *(Verdict.CORRECT, Verdict.PARTIAL, Verdict.INCORRECT, Verdict.NO_ANSWER),
    }


@isolating
def test_a_code_verifier_can_run_only_its_programs_there(cluster: Any) -> None:
    completions, suites = code(60)
    with CodeVerifier() as local, CodeVerifier(sandbox="ray") as spread:
        assert told(spread.verify(completions, suites)) == told(local.verify(completions, suites))


class Counting(Verifier[str]):
    """Says which process judged, and what else it was given."""

    def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
        import os

        if completion == "raise":
            raise ValueError("no such thing")
        if completion == "leave":
            raise SystemExit(3)
        return Result.correct(answer=str(os.getpid()), details={"columns": columns, "length": len(reference)})


def test_columns_arrive_failures_have_no_score_and_copies_share_the_judges(cluster: Any, until: Any) -> None:
    with RayVerifier(Counting(), cpus=1, **WHERE) as spread:
        copy = pickle.loads(pickle.dumps(spread))
        until(lambda: len(spread._opened().posts()) == 2)
        references = ["x" * LARGE] * 200
        texts = [*map(str, range(199)), "raise"]
        pids = set()
        for verifier in (spread, copy):
            results = verifier.verify(texts, references, level=list(range(200)))
            assert [result.details.get("columns") for result in results[:-1]] == [{"level": n} for n in range(199)]
            assert {result.details.get("length") for result in results[:-1]} == {LARGE}
            assert (results[-1].verdict, results[-1].score) == (Verdict.ERROR, None)
            assert "Counting failed: ValueError: no such thing" in results[-1].reason
            pids |= {result.answer for result in results[:-1]}
        [left] = spread.verify(["leave"], ["x"])
        assert (left.verdict, left.score, left.reason) == (Verdict.ERROR, None, "Counting failed: SystemExit: 3")
        copy.close()
        assert len(spread._opened().posts()) == 2
        assert len(pids) == 2
        assert spread.name == "Counting"


class Naming(Verifier[TestSuite]):
    """Counts the tests."""

    def _verify_one(self, completion: str, reference: TestSuite, **columns: Any) -> Result:
        return Result.correct(answer=f"{completion} of {len(reference.cases)}")


def test_large_references_that_occur_often_travel_once(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    suite = TestSuite.from_stdio([(f"{n}\n", f"{n}" * 12) for n in range(2000)])
    puts: list[Any] = []
    put = ray.put

    def count(value: Any) -> Any:
        puts.append(value)
        return put(value)

    monkeypatch.setattr(ray, "put", count)
    with RayVerifier(Naming(), cpus=1, **WHERE) as spread:
        texts = [f"{n}" for n in range(300)]
        assert told(spread.verify(texts, [suite] * 300)) == told(Naming().verify(texts, [suite] * 300))
    assert puts == [suite]


def test_a_reference_that_cannot_travel_costs_its_batch_and_no_host(cluster: Any) -> None:
    with RayVerifier(Counting(), cpus=1, **WHERE) as spread:
        for _ in range(5):  # more often than batches may be under way
            [result] = spread.verify(["1"], [threading.Lock()])
            assert (result.verdict, "cannot pickle" in result.reason) == (Verdict.ERROR, True)
        assert spread.verify(["1"], ["2"])[0].is_correct


def test_without_a_cluster_there_is_no_score_and_bad_arguments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    [result] = RayVerifier(MathVerifier(), cpus=1).verify([r"\boxed{1}"], ["1"])
    assert (result.verdict, result.score) == (Verdict.ERROR, None)
    assert "call ray.init(address='auto') first" in result.reason
    with pytest.raises(InputError, match="cpus is 0; expected a whole number of at least 1"):
        RayVerifier(MathVerifier(), cpus=0)
    with pytest.raises(InputError, match="expected a Verifier"):
        RayVerifier("math", cpus=1)  # type: ignore[arg-type]


class Guesser:
    """Answers every arithmetic task, now and then rightly, and by the seed alone."""

    name = "guesser"
    batch_size = 48
    settings: dict[str, Any] = {"seed": 3}

    def sample(self, prompts: Sequence[Any], seeds: Sequence[int]) -> list[Completion]:
        return [Completion(f"<think></think><answer>{seed % 40}</answer>", 3) for seed in seeds]


def test_evaluation_over_ray_writes_what_evaluation_writes(cluster: Any, tmp_path: Path) -> None:
    local = make("math/arithmetic-v1")
    spread = make("math/arithmetic-v1")
    with RayVerifier(spread.verifier, cpus=1, **WHERE) as verifier:
        spread.verifier = verifier
        reports = [
            evaluate(environment, Guesser(), samples=8, limit=24, folder=tmp_path / name, progress=False)
            for name, environment in (("local", local), ("ray", spread))
        ]
        again = evaluate(local, Guesser(), samples=8, limit=24, folder=tmp_path / "ray", progress=False)
    rows = [SampleFolder(tmp_path / name).samples() for name in ("local", "ray")]
    assert rows[0] == rows[1]
    assert reports[0].config == reports[1].config == again.config
    assert reports[0].to_json() == reports[1].to_json()
