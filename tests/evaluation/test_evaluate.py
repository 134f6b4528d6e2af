"""``evaluate``: a real tiny model, judged, stored, killed and resumed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from assay import Result, Verdict, Verifier, make
from assay.environments.base import Environment, Prompt, Task
from assay.errors import InputError
from assay.evaluation import Completion, Sampler, evaluate, load_report
from assay.evaluation.samplers.transformers import TransformersSampler

HERE = Path(__file__).parent


class Fixed:
    """A sampler whose completions are given: one for each seed that is asked for, in turn."""

    batch_size = 5

    def __init__(self, texts: Sequence[str], failure: str = "") -> None:
        self.texts, self.failure, self.calls = texts, failure, 0
        self.settings: Mapping[str, Any] = {"kind": "fixed", "seed": 0}

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        self.calls += 1
        return [Completion(self.texts[seed % len(self.texts)], failure=self.failure) for seed in seeds]


def test_the_report_counts_what_the_samples_say(signs: Any, tiny: tuple[Any, Any], tmp_path: Path) -> None:
    sampler = TransformersSampler(*tiny, max_new_tokens=4, batch_size=20)
    report = evaluate(signs, sampler, samples=8, folder=tmp_path / "run", progress=False)
    rows = [json.loads(line) for line in (tmp_path / "run/samples.jsonl").read_text().splitlines()]
    assert len(rows) == 96
    assert report.complete
    right = sum(row["verdict"] == "correct" for row in rows) / 96
    assert 0.1 < right < 0.9
    assert report.curves["pass@k"][1].estimate == pytest.approx(right, abs=1e-12)
    assert report.curves["maj@k"][1].estimate == pytest.approx(right, abs=1e-12)
    assert list(report.curves["pass@k"]) == [1, 2, 4, 8]
    solved = {row["task"] for row in rows if row["verdict"] == "correct"}
    assert report.curves["pass@k"][8].estimate == pytest.approx(len(solved) / 12)


def test_graded_scores_and_stricter_metrics_are_in_the_report(tmp_path: Path) -> None:
    class Graded(Verifier[str]):
        def _verify_one(self, completion: str, reference: str, **columns: Any) -> Result:
            score = int(completion) / 4
            return Result.correct(answer=completion) if score == 1 else Result.partial(score, answer=completion)

    class Grades(Environment):
        name = "test/grades-v1"
        splits: ClassVar[Mapping[str, int | None]] = {"test": 1}
        verifier = Graded()

        def load(self, split: str) -> list[Task]:
            return [Task("grade", "x")]

    texts = iter("1234")

    class InTurn(Fixed):
        def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
            return [Completion(next(texts)) for _ in prompts]

    report = evaluate(Grades(), InTurn("x"), samples=4, folder=tmp_path, progress=False)
    assert report.curves["pass@k"][1].estimate == 0.25
    more = {name: {k: estimate.estimate for k, estimate in curve.items()} for name, curve in report.more_curves.items()}
    assert more["best@k"] == pytest.approx({1: 0.625, 2: (0.5 + 2 * 0.75 + 3 * 1.0) / 6, 4: 1.0})
    assert more["pass^k"] == {1: 0.25, 2: 0.0, 4: 0.0}
    assert more["g-pass@k_0.5"] == pytest.approx({1: 0.25, 2: 0.5, 4: 0.0})
    assert report.rates["mean_score"] == pytest.approx(0.625)
    with pytest.raises(InputError, match="no metric 'accuracy'; there are pass@k, maj@k"):
        report.values("accuracy", 1)
    with pytest.raises(InputError, match="no pass@k at k = 5; there are 4 samples of each task"):
        report.values("pass@k", 5)


def test_loading_recomputes_the_same_report(signs: Any, tiny: tuple[Any, Any], tmp_path: Path) -> None:
    sampler = TransformersSampler(*tiny, max_new_tokens=4)
    report = evaluate(signs, sampler, samples=4, folder=tmp_path, progress=False)
    assert load_report(tmp_path).to_json() == report.to_json()
    assert json.loads((tmp_path / "report.json").read_text()) == json.loads(json.dumps(report.to_json()))


def test_how_the_work_is_cut_changes_nothing(signs: Any, tiny: tuple[Any, Any], tmp_path: Path) -> None:
    reports = [
        evaluate(
            signs,
            TransformersSampler(*tiny, max_new_tokens=6, batch_size=size),
            samples=4,
            folder=tmp_path / str(size),
            progress=False,
        )
        for size in (1, 7, 256)
    ]
    assert reports[0].to_json() == reports[1].to_json() == reports[2].to_json()


KILLED = """
import importlib.util, sys, time
spec = importlib.util.spec_from_file_location("tiny_conftest", {conftest!r})
tiny = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tiny)
from assay.evaluation import evaluate
from assay.evaluation.samplers.transformers import TransformersSampler
class Stalls(TransformersSampler):
    calls = 0
    def sample(self, prompts, seeds):
        self.calls += 1
        if self.calls == 4:
            print("stalled", flush=True)
            time.sleep(600)
        return super().sample(prompts, seeds)
sampler = Stalls({model!r}, max_new_tokens=6, batch_size=10, device="cpu")
evaluate(tiny.Signs(), sampler, samples=8, folder={folder!r}, progress=False)
"""


def test_a_run_killed_by_sigkill_resumes_to_the_same_report(signs: Any, tiny_folder: Path, tmp_path: Path) -> None:
    script = KILLED.format(conftest=str(HERE / "conftest.py"), model=str(tiny_folder), folder=str(tmp_path / "killed"))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stalled\n"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    partial = load_report(tmp_path / "killed")
    assert not partial.complete
    assert "Incomplete: 30 of 96 samples are there." in partial.notes
    with (tmp_path / "killed/samples.jsonl").open("ab") as file:
        file.write(b'{"task": "torn')
    kept = (tmp_path / "killed/samples.jsonl").read_bytes().rpartition(b"\n")[0]

    def run(name: str) -> Any:
        sampler = TransformersSampler(str(tiny_folder), max_new_tokens=6, batch_size=10, device="cpu")
        return evaluate(signs, sampler, samples=8, folder=tmp_path / name, progress=False)

    assert run("killed").to_json() == run("whole").to_json()
    assert (tmp_path / "killed/samples.jsonl").read_bytes() == (tmp_path / "whole/samples.jsonl").read_bytes()
    assert (tmp_path / "whole/samples.jsonl").read_bytes().startswith(kept)


def test_what_is_done_is_not_sampled_again(signs: Any, tmp_path: Path) -> None:
    first, second = Fixed("ab"), Fixed("ab")
    evaluate(signs, first, samples=2, folder=tmp_path, progress=False)
    evaluate(signs, second, samples=2, folder=tmp_path, progress=False)
    assert (first.calls, second.calls) == (5, 0)


def test_another_configuration_is_refused_by_name(signs: Any, tiny: tuple[Any, Any], tmp_path: Path) -> None:
    evaluate(signs, TransformersSampler(*tiny, max_new_tokens=2), samples=2, folder=tmp_path, progress=False)
    other = TransformersSampler(*tiny, max_new_tokens=2, temperature=0.5)
    with pytest.raises(InputError) as caught:
        evaluate(signs, other, samples=2, limit=3, folder=tmp_path, progress=False)
    assert "sampler.temperature: 1.0 there, 0.5 now" in str(caught.value)
    assert "tasks.count: 12 there, 3 now" in str(caught.value)


def test_failures_of_ours_stay_in_the_denominator_and_are_shown(signs: Any, tmp_path: Path) -> None:
    tasks = [Task("one", "a"), Task("two", "broken")]
    report = evaluate(signs, Fixed("a"), samples=4, tasks=tasks, folder=tmp_path, progress=False)
    assert report.curves["pass@k"][4].estimate == 0.5
    assert report.curves["maj@k"][4].estimate == 0.5
    assert report.rates["failed"] == 0.5
    assert any(
        note.startswith("4 of 8 samples could not be sampled or judged; they count as not correct.")
        for note in report.notes
    )
    assert "4 of 8 samples" in report.to_markdown()


def test_a_sampler_that_fails_is_an_error_not_a_wrong_answer(signs: Any, tmp_path: Path) -> None:
    report = evaluate(signs, Fixed("a", failure="the server is gone"), samples=1, folder=tmp_path, progress=False)
    assert report.rates["failed"] == 1.0
    row = json.loads((tmp_path / "samples.jsonl").read_text().splitlines()[0])
    assert (row["verdict"], row["score"]) == (Verdict.ERROR, None)
    assert row["reason"] == "sampling failed: the server is gone"


def test_tasks_with_equal_content_are_evaluated_once(signs: Any, tmp_path: Path) -> None:
    report = evaluate(
        signs, Fixed("a"), samples=1, tasks=[Task("one", "a"), Task("one", "a")], folder=tmp_path, progress=False
    )
    assert len(report.outcomes) == 1


def test_anything_with_the_three_names_is_a_sampler(tiny: tuple[Any, Any]) -> None:
    assert isinstance(Fixed("a"), Sampler)
    assert isinstance(TransformersSampler(*tiny), Sampler)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"samples": 0}, "samples is 0; expected a whole number of at least 1"),
        ({"limit": 0}, "limit is 0; expected a whole number of at least 1"),
        ({"tasks": []}, "there are no tasks to evaluate"),
        ({"split": "train"}, "has no split 'train'"),
    ],
)
def test_arguments_out_of_range_are_refused(
    signs: Any, tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(signs, Fixed("a"), folder=tmp_path, progress=False, **arguments)
    assert message in str(caught.value)


def test_a_sampler_that_gives_too_few_completions_is_refused(signs: Any, tmp_path: Path) -> None:
    class Short(Fixed):
        def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
            return super().sample(prompts, seeds)[1:]

    with pytest.raises(InputError, match="gave 4 completions for 5 prompts; expected one each"):
        evaluate(signs, Short("a"), folder=tmp_path, progress=False)


def test_settings_that_cannot_be_written_down_are_refused(signs: Any, tmp_path: Path) -> None:
    sampler = Fixed("a")
    sampler.settings = {"path": tmp_path}
    with pytest.raises(InputError, match="the settings of Fixed are not JSON values"):
        evaluate(signs, sampler, folder=tmp_path, progress=False)


def test_the_progress_bar_shows_rate_and_running_pass_at_1(
    signs: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate(signs, Fixed("ab"), samples=2, folder=tmp_path)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "24/24" in shown.err
    assert "pass@1" in shown.err
    assert "/s" in shown.err


def test_results_keep_answer_and_reason(signs: Any, tmp_path: Path) -> None:
    evaluate(signs, Fixed("z."), samples=2, limit=1, folder=tmp_path, progress=False)
    rows = [json.loads(line) for line in (tmp_path / "samples.jsonl").read_text().splitlines()]
    wrong, missing = (
        Result.incorrect(answer="z"),
        Result.no_answer("the completion does not begin with a letter or digit"),
    )
    for row in rows:
        want = wrong if row["completion"] == "z" else missing
        assert (row["verdict"], row["answer"], row["reason"]) == (want.verdict, want.answer, want.reason)


def test_an_environment_that_is_played_in_turns_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="games/guess-number-v1 is played in several turns, and evaluate samples one"):
        evaluate(make("games/guess-number-v1"), None, folder=tmp_path)  # type: ignore[arg-type]
