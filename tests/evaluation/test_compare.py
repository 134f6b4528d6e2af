"""The verdict follows the band, the band holds for all K together."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cli import main
from assay.errors import InputError
from assay.evaluation import Report, VoteClass, Votes
from assay.evaluation.band import simultaneous_band
from assay.evaluation.compare import Shift, compare
from assay.evaluation.outcomes import TaskOutcome

SAMPLES = 16


def outcome(name: str, correct: int, rival: int = 0) -> TaskOutcome:
    """A task with ``correct`` right samples, one wrong class of size ``rival``, and the rest all different."""
    sizes = [rival] * (rival > 0) + [1] * (SAMPLES - correct - rival)
    classes = tuple([VoteClass(size, 0.0) for size in sizes] + [VoteClass(correct, 1.0)] * (correct > 0))
    groups = tuple(index for index, item in enumerate(classes) for _ in range(item.size))
    return TaskOutcome(name, SAMPLES, correct, 0, 0, correct / SAMPLES, Votes(groups, classes))


def report(low: int, high: int, rival: int = 0, *, seed: int, tasks: int = 60) -> Report:
    draw = random.Random(seed)
    config = {"environment": "test/x-v1", "split": "test", "samples": SAMPLES, "sampler": {"kind": "fixed", "seed": 0}}
    return Report(config, tuple(outcome(f"t{i}", draw.randint(low, high), rival) for i in range(tasks)))


def mixed(share_zero: float, correct: int, rival: int, *, seed: int) -> Report:
    """Tasks with ``correct`` right samples, and a share with none."""
    draw = random.Random(seed)
    config = report(1, 1, seed=0).config
    return Report(
        config, tuple(outcome(f"t{i}", 0 if draw.random() < share_zero else correct, rival) for i in range(80))
    )


def noisy(share_zero: float, most: int, *, seed: int) -> Report:
    """Tasks with 2 to ``most`` right samples against rivals of 4 to 8, and a share with none."""
    draw = random.Random(seed)
    outcomes = []
    for i in range(80):
        correct = 0 if draw.random() < share_zero else draw.randint(2, most)
        outcomes.append(outcome(f"t{i}", correct, draw.randint(4, 8)))
    return Report(report(1, 1, seed=0).config, tuple(outcomes))


@pytest.mark.parametrize(
    ("before", "after", "shift", "says"),
    [
        (report(0, 1, seed=1), report(4, 9, seed=2), Shift.EXPANSION, "More tasks can be solved at all: Pass@16"),
        (report(3, 5, 7, seed=1), report(9, 12, 2, seed=2), Shift.SHARPENING, "cannot be told from unchanged"),
        (mixed(0.0, 3, 5, seed=1), mixed(0.3, 14, 0, seed=1), Shift.SHARPENING, "coverage falls"),
        (report(9, 12, 2, seed=1), report(3, 5, 7, seed=2), Shift.COLLAPSE, "Answers became worse"),
        (noisy(0.0, 4, seed=1), noisy(0.25, 5, seed=2), Shift.NARROWING, "Fewer tasks can be solved at all"),
        (report(3, 9, seed=1), report(3, 9, seed=1), Shift.INCONCLUSIVE, "No difference lies outside the band"),
    ],
)
def test_the_verdict_names_what_happened(before: Report, after: Report, shift: Shift, says: str) -> None:
    found = compare(before, after)
    assert found.shift is shift, found.reason
    assert says in found.reason


def test_the_first_lost_k_is_told() -> None:
    found = compare(mixed(0.0, 3, 5, seed=1), mixed(0.3, 14, 0, seed=1))
    assert found.first_loss is not None
    assert found.band["pass@k"][found.first_loss].high < 0
    assert all(found.band["pass@k"][k].high >= 0 for k in found.change.ks if k < found.first_loss)
    assert compare(report(3, 5, 7, seed=1), report(9, 12, 2, seed=2)).first_loss is None


def test_right_samples_without_an_answer_do_not_vote_in_the_band_either() -> None:
    """A judge that says yes or no and names no answer: Maj@1 is 0 then, and is not Pass@1."""

    def silent(correct: int) -> Report:
        votes = Votes((None,) * SAMPLES, ())
        config = report(1, 1, seed=0).config
        return Report(
            config, tuple(TaskOutcome(f"t{i}", SAMPLES, correct, 0, 0, correct / SAMPLES, votes) for i in range(9))
        )

    found = compare(silent(2), silent(4))
    assert found.band["pass@k"][1].estimate == pytest.approx(2 / SAMPLES)
    for k in found.change.ks:
        assert found.band["maj@k"][k].estimate == found.change.differences["maj@k"][k].estimate == 0.0
    assert any(note.startswith("Before: No judgement names an answer, so nothing voted") for note in found.change.notes)
    assert not any("No judgement" in note for note in compare(silent(0), report(4, 4, seed=1, tasks=9)).change.notes)


def test_tasks_that_an_interrupted_run_did_not_reach_are_left_out_and_counted() -> None:
    whole = report(4, 9, seed=1, tasks=12)

    def reached(tasks: int) -> Report:
        rest = tuple(TaskOutcome(item.id, 0, 0, 0, 0, 0.0, Votes((), ())) for item in whole.outcomes[tasks:])
        return Report(whole.config, (*whole.outcomes[:tasks], *rest))

    found = compare(whole, reached(8))
    assert found.change.tasks == 8
    assert "4 tasks without all samples on both sides: left out." in found.change.notes
    assert all(not np.isnan(found.band[metric][k].high) for metric in found.band for k in found.change.ks)
    with pytest.raises(InputError, match="has all its samples on both sides, .* the same `assay evaluate` again"):
        compare(reached(0), whole)


def test_the_band_is_wider_than_each_interval_alone() -> None:
    found = compare(report(2, 9, 3, seed=1), report(3, 11, 2, seed=2))
    for metric in ("pass@k", "maj@k"):
        for k in found.change.ks:
            alone, together = found.change.differences[metric][k], found.band[metric][k]
            assert together.estimate == pytest.approx(alone.estimate, abs=1e-12)
            if alone.method == "student-t":
                assert together.high - together.low > alone.high - alone.low


def test_the_band_covers_all_means_together_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        shared = random.normal(size=(40, 1))
        values = 0.2 + 0.1 * (shared + random.normal(size=(40, 6)))
        band = simultaneous_band(values, draws=500)
        covered += bool(np.all((band.low <= 0.2) & (band.high >= 0.2)))
    assert 0.91 <= covered / 300 <= 0.99


def test_the_band_is_repeatable_and_columns_without_change_stay_open() -> None:
    values = np.random.default_rng(1).normal(size=(30, 3)) / 10
    values[:, 1] = 0.0
    first, second = simultaneous_band(values), simultaneous_band(values)
    assert np.array_equal(first.low, second.low)
    assert first.low[1] < 0 < first.high[1]
    assert first.high[1] > 0.1135  # wider than Wilson for this column alone


def test_nothing_that_varies_has_no_critical_value() -> None:
    band = simultaneous_band(np.zeros((10, 2)))
    assert np.isnan(band.critical)
    assert np.all(band.high > 0)


def test_wins_losses_and_what_would_settle_it_are_counted() -> None:
    before, after = report(4, 4, seed=1, tasks=10), report(4, 4, seed=1, tasks=10)
    changed = Report(after.config, tuple(outcome(f"t{i}", [0, 4, 4][min(i, 2)], 9 * (i == 1)) for i in range(10)))
    found = compare(before, changed)
    assert found.wins["pass@k"] == (0, 1, 9)
    assert found.wins["maj@k"] == (0, 2, 8)
    needed = found.tasks_needed["pass@k"]
    assert needed is not None
    assert needed > 10
    # at the size that is needed, the detectable difference is about the difference found
    difference = abs(found.change.differences["pass@k"][16].estimate)
    assert found.detectable["pass@k"] * (10 / needed) ** 0.5 == pytest.approx(difference, rel=0.15)
    assert compare(before, after).tasks_needed["pass@k"] is None


@pytest.fixture
def folders(tmp_path: Path, signs: Any, tiny: tuple[Any, Any]) -> list[str]:
    from assay.evaluation import evaluate
    from assay.evaluation.samplers.transformers import TransformersSampler

    names = []
    for name, temperature in (("a", 1.0), ("b", 0.3)):
        sampler = TransformersSampler(*tiny, max_new_tokens=3, temperature=temperature)
        evaluate(signs, sampler, samples=4, folder=tmp_path / name, progress=False)
        names.append(str(tmp_path / name))
    return names


def test_the_command_prints_verdict_solved_and_what_differs(
    folders: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "argv", ["assay", "compare", *folders, "--output", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as caught:
        main()
    shown = capsys.readouterr().out
    assert not caught.value.code
    assert any(f"{shift}: " in shown for shift in Shift)
    assert "Solved at least once: " in shown
    assert "Note: The sampler's temperature differs: 1.0 before, 0.3 after." in shown
    assert "in four of five repetitions" in shown
    stored = json.loads((tmp_path / "out/comparison.json").read_text())
    assert stored["shift"] in list(Shift)
    assert (tmp_path / "out/before_after.html").exists()


def test_the_command_prints_json(
    folders: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["assay", "compare", *folders, "--json"])
    with pytest.raises(SystemExit):
        main()
    printed = json.loads(capsys.readouterr().out)
    assert set(printed["band"]) == {"pass@k", "maj@k"}


def test_a_folder_without_a_run_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["assay", "compare", str(tmp_path), str(tmp_path)])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert "holds no evaluation: there is no config.json in it" in capsys.readouterr().err
