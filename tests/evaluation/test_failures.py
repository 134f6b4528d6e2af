"""Samples that failed never look like a change, nor like a measurement."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.environments.base import Prompt
from assay.errors import InputError
from assay.evaluation import Completion, Report, Shift, VoteClass, Votes, compare, evaluate, load_report
from assay.evaluation.export import export
from assay.evaluation.outcomes import TaskOutcome
from assay.evaluation.pairing import pair

N = 8
Run = Callable[..., tuple[int, str, str]]


def task(name: str, correct: int, failures: int = 0) -> TaskOutcome:
    """A task whose wrong samples agree."""
    wrong = N - correct - failures
    groups = (*[0] * correct, *[1] * wrong, *[None] * failures)
    classes = tuple(VoteClass(size, score) for size, score in ((correct, 1.0), (wrong, 0.0)) if size)
    why = "ConnectionError: gone" if failures else ""
    return TaskOutcome(name, N, correct, failures, 0, correct / N, Votes(groups, classes), failure=why)


def report(tasks: Sequence[TaskOutcome], samples: int = N) -> Report:
    sampler = {"kind": "fixed", "seed": 0}
    return Report({"environment": "test/x-v1", "split": "test", "samples": samples, "sampler": sampler}, tuple(tasks))


GOOD = [task(f"t{i}", 3 + i % 4) for i in range(40)]
WORSE = [task(f"t{i}", i % 2) for i in range(40)]


def failing(tasks: Sequence[TaskOutcome], failures: int) -> list[TaskOutcome]:
    """The same tasks, of whose samples the first ones failed, whatever they would have been."""
    return [task(item.id, max(0, item.correct - failures), failures) for item in tasks]


@pytest.mark.parametrize("failures", [N, 5, 3])
def test_a_model_that_did_not_change_has_not_collapsed_because_its_server_was_down(failures: int) -> None:
    found = compare(report(GOOD), report(failing(GOOD, failures)))
    assert found.shift is Shift.INCONCLUSIVE
    assert f"0 of 320 samples before and {40 * failures} of 320 samples after could not be sampled" in found.reason
    assert found.undecided
    assert found.first_loss is None
    assert found.wins == {}
    assert found.tasks_needed == {"pass@k": None, "maj@k": None}
    back = compare(report(failing(GOOD, failures)), report(GOOD))
    assert back.shift is Shift.INCONCLUSIVE
    assert not any("excludes zero" in sentence for sentence in found.change.sentences)


def test_the_reason_names_both_verdicts_that_the_failures_could_give() -> None:
    reason = compare(report(GOOD), report(failing(GOOD, 5))).reason
    assert reason.startswith("The failed samples decide: 0 of 320 samples before and 200 of 320 samples after")
    assert "Counted as not correct they give COLLAPSE, counted otherwise" in reason
    assert reason.endswith("The same `assay evaluate` again takes those that could not be sampled.")


def test_a_change_that_no_count_of_the_failures_could_explain_stays_one() -> None:
    few = [replace(item) if i % 10 else failing([item], 1)[0] for i, item in enumerate(WORSE)]
    found = compare(report(GOOD), report(few))
    assert found.shift is Shift.COLLAPSE
    assert not found.undecided
    assert found.wins["pass@k"][1] > 0
    failures, passed, voted, ceiling = found.change.sentences
    assert failures == (
        "0 of 320 samples before and 4 of 320 samples after could not be sampled or judged; a gain or a loss is told "
        "only where it holds however these count."
    )
    assert "the loss excludes zero at every K" in voted
    assert "Pass@K: the loss excludes zero at" in passed
    assert "only before" not in ceiling


def test_failures_of_both_sides_could_hide_as_much_as_they_show() -> None:
    found = compare(report(failing(GOOD, 4)), report(failing(WORSE, 4)))
    assert found.shift is Shift.INCONCLUSIVE
    assert found.undecided


def test_a_task_whose_reference_is_broken_fails_on_both_sides_and_decides_nothing() -> None:
    broken = [task(f"b{i}", 0, N) for i in range(10)]
    found = compare(report([*GOOD, *broken]), report([*WORSE, *broken]))
    assert found.shift is Shift.COLLAPSE
    assert not found.undecided


def test_two_runs_of_which_nothing_could_be_judged_say_so() -> None:
    lost = report(failing(GOOD, N))
    found = compare(lost, lost)
    assert found.shift is Shift.INCONCLUSIVE
    said = "320 of 320 samples before and 320 of 320 samples after could not be sampled or judged."
    assert found.reason == f"Nothing can be said of a change: {said}"
    assert found.change.sentences == [found.reason]
    assert "nan" not in json.dumps(found.to_json()).lower().replace("nanmean", "")
    assert found.to_json()["band"]["pass@k"]["1"]["estimate"] is None


def test_what_more_samples_solve_is_no_change() -> None:
    """Sixteen samples solve more tasks than eight of the same model, and Pass@8 of them is rarely 0 or 1."""

    def solved(name: str, correct: int, samples: int) -> TaskOutcome:
        votes = Votes((0,) * correct + (None,) * (samples - correct), (VoteClass(correct, 1.0),) if correct else ())
        return TaskOutcome(name, samples, correct, 0, 0, correct / samples, votes)

    before = report([solved(f"t{i}", 1 + i % 3, 16) for i in range(30)], 16)
    after = report([solved(f"t{i}", i % 2, 8) for i in range(30)], 8)
    found = compare(before, after)
    assert found.wins == {}
    assert found.change.solved == {"neither": 0}
    assert found.change.ceiling == 1.0
    assert "only before" not in " ".join(found.change.sentences)
    assert "samples differs: 16 before, 8 after." in found.change.notes
    assert any(note.startswith("Tasks that got better or worse, or that one side alone") for note in found.change.notes)
    assert set(pair(before, before).solved) == {"both", "only_before", "only_after", "neither"}


class Fixed:
    """Gives one text, or fails."""

    batch_size = 50

    def __init__(self, text: str, failure: str = "") -> None:
        self.completion = Completion(text, failure=failure)
        self.settings = {"kind": "fixed", "seed": 0}

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        return [self.completion] * len(prompts)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "260")
        code = 0
        try:
            main()
        except SystemExit as done:
            code = int(done.code or 0)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return call


def test_commands_print_no_estimate_of_a_run_that_failed(signs: Any, run: Run, tmp_path: Path) -> None:
    evaluate(signs, Fixed("a"), samples=4, folder=tmp_path / "up", progress=False)
    evaluate(signs, Fixed("", "the server is down"), samples=4, folder=tmp_path / "down", progress=False)
    code, out, _ = run("compare", tmp_path / "up", tmp_path / "down")
    assert code == 0
    assert out.startswith(
        "INCONCLUSIVE: Nothing can be said of a change: 0 of 48 samples before and 48 of 48 samples after"
    )
    for claim in ("COLLAPSE", "Solved at least once", "worse", "Pass@K before", "is lost from"):
        assert claim not in out
    stored = json.loads((tmp_path / "down/report.json").read_text())
    assert stored["curves"]["pass@k"]["1"]["estimate"] is None
    assert stored["rates"] == {"failed": 1.0}
    text = (tmp_path / "down/report.md").read_text()
    said = (
        "48 of 48 samples could not be sampled or judged; nothing was measured. The first: sampling failed: the server"
    )
    assert said in text
    assert "0.0%" not in text
    report = load_report(tmp_path / "down")
    [column] = [list(one.cells) for one in report.table().columns if one.header == "Pass@K"]
    assert {str(cell).strip() for cell in column} == {"-"}
    assert run("report", tmp_path / "down")[0] == 0
    page = (tmp_path / "down/report.html").read_text()
    assert said in page
    assert "0.0%" not in page
    assert "without a gradient" not in page
    with pytest.raises(InputError, match=r"there is nothing to plot in .*down: no sample could be judged\. 48 of 48"):
        export(tmp_path / "down", tmp_path / "plot.png")


def test_a_note_after_a_failure_begins_a_sentence(signs: Any, tmp_path: Path) -> None:
    class Cut(Fixed):
        def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
            last = [Completion("", failure="KeyError: 'boom'")]
            return [Completion("a", truncated=True)] * (len(prompts) - 1) + last

    report = evaluate(signs, Cut("a"), samples=1, folder=tmp_path / "cut", progress=False)
    assert "The first: sampling failed: KeyError: 'boom'. 92% of the samples were cut" in " ".join(report.notes)
