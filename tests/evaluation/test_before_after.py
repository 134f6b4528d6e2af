"""Two reports, paired: the numbers, and sentences that follow them wherever they go."""

from __future__ import annotations

import json
import random
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assay.errors import InputError, MissingExtra
from assay.evaluation import Report, VoteClass, Votes, before_after
from assay.evaluation.outcomes import TaskOutcome
from assay.evaluation.pairing import pair

SAMPLES = 16


def outcome(name: str, correct: int, rivals: tuple[int, ...] = ()) -> TaskOutcome:
    """A task with ``correct`` right samples, wrong classes of the given sizes, and the rest all different."""
    sizes = [*rivals, *[1] * (SAMPLES - correct - sum(rivals))]
    classes = tuple(sorted([VoteClass(s, 0.0) for s in sizes] + ([VoteClass(correct, 1.0)] if correct else [])))
    groups = tuple(index for index, item in enumerate(classes) for _ in range(item.size))
    return TaskOutcome(name, SAMPLES, correct, 0, 0, correct / SAMPLES, Votes(groups, classes))


def report(outcomes: list[TaskOutcome], model: str = "m", **sampler: object) -> Report:
    settings = {"kind": "fixed", "model": model, "temperature": 1.0, **sampler}
    config = {"environment": "test/x-v1", "split": "test", "samples": SAMPLES, "sampler": settings}
    return Report(config, tuple(outcomes))


def counts(low: int, high: int, tasks: int = 60, *, seed: int = 0) -> list[int]:
    draw = random.Random(seed)
    return [draw.randint(low, high) for _ in range(tasks)]


def sharpened() -> tuple[Report, Report]:
    """Right answers on every task but outvoted before; dominant after; ten tasks that nobody solves."""
    hopeless = [outcome(f"hopeless {i}", 0, (6, 4)) for i in range(10)]
    before = [outcome(f"t{i}", c, (7,)) for i, c in enumerate(counts(3, 6))]
    after = [outcome(f"t{i}", c, (2,)) for i, c in enumerate(counts(9, 13, seed=1))]
    return report(before + hopeless), report(after + hopeless)


def test_the_differences_are_paired_by_task_not_by_position() -> None:
    before = report([outcome("a", 2), outcome("b", 8)])
    after = report([outcome("b", 8), outcome("a", 6)])
    change = pair(before, after)
    assert change.differences["pass@k"][1].estimate == pytest.approx((6 - 2) / 16 / 2)
    assert change.before["pass@k"][1].estimate == pytest.approx(10 / 32)
    assert change.after["pass@k"][1].estimate == pytest.approx(14 / 32)


def test_sharpening_is_told_as_a_fading_pass_and_a_persisting_maj_gain() -> None:
    change = pair(*sharpened())
    passed, voted, ceiling = change.sentences
    assert passed.startswith("Pass@K: the gain excludes zero at K = 1")
    assert "The gain fades as K grows" in passed
    assert voted.startswith("Maj@K: the gain excludes zero at every K")
    assert "The gain persists at every K" in voted or "The gain grows with K" in voted
    assert "Of 70 tasks 10 were solved by no sample before or after, so 85.7% is the ceiling" in ceiling
    assert change.solved == {"both": 60, "only_before": 0, "only_after": 0, "neither": 10}


def test_the_sentences_turn_round_when_the_reports_do() -> None:
    before, after = sharpened()
    passed, voted, _ = pair(after, before).sentences
    assert passed.startswith("Pass@K: the loss excludes zero at K = 1")
    assert voted.startswith("Maj@K: the loss excludes zero at every K")
    assert "gain" not in passed.replace("gains", "")


def test_no_change_is_told_as_undecided() -> None:
    before, _ = sharpened()
    passed, voted, _ = pair(before, before).sentences
    assert passed.startswith("Pass@K: no change can be told from zero at every K")
    assert voted.startswith("Maj@K: no change can be told from zero at every K")


def test_a_pass_gain_that_lasts_is_not_called_fading() -> None:
    before = report([outcome(f"t{i}", 0) for i in range(60)])
    after = report([outcome(f"t{i}", 1 if i % 2 else 0) for i in range(60)])
    passed = pair(before, after).sentences[0]
    assert "the gain excludes zero at every K" in passed
    assert "The gain grows with K" in passed
    assert "fades" not in passed


def test_a_gain_that_shrinks_but_stays_is_told_so() -> None:
    draw = random.Random(3)
    before = report([outcome(f"t{i}", draw.randint(0, 1)) for i in range(80)])
    after = report([outcome(f"t{i}", draw.randint(14, 16)) for i in range(80)])
    passed = pair(before, after).sentences[0]
    assert "The gain fades as K grows" in passed
    assert "but excludes zero at every K" in passed


def test_reports_of_one_sample_have_no_trend() -> None:
    def single(correct: int) -> Report:
        votes = Votes((0,), (VoteClass(1, float(correct)),))
        outcomes = tuple(TaskOutcome(f"t{i}", 1, correct, 0, 0, float(correct), votes) for i in range(8))
        return Report({**sharpened()[0].config, "samples": 1}, outcomes)

    passed = pair(single(0), single(1)).sentences[0]
    assert passed.startswith("Pass@K: the gain excludes zero at K = 1 (")
    assert "as K grows" not in passed


def test_what_differs_beside_the_weights_is_noted() -> None:
    before = report([outcome("a", 2), outcome("c", 1)], temperature=0.7)
    after = report([outcome("a", 6), outcome("b", 8)], model="other")
    notes = pair(before, after).notes
    assert "2 tasks in one report only: left out." in notes
    assert "The sampler's temperature differs: 0.7 before, 1.0 after." in notes
    assert not any("model" in note for note in notes)


def test_reports_without_a_common_task_are_refused() -> None:
    with pytest.raises(InputError, match="share no task, so nothing can be paired; evaluate both on the same tasks"):
        pair(report([outcome("a", 1)]), report([outcome("b", 1)]))


class Page(HTMLParser):
    """Collects tags and whatever would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [str(v) for k, v in attrs if k in ("src", "href", "xlink:href") and not str(v).startswith("#")]


def test_the_page_is_one_file_without_network_and_escapes_names(tmp_path: Path) -> None:
    before, after = sharpened()
    hostile = report(list(before.outcomes), model="<script>alert(1)</script>")
    change = before_after(hostile, after, tmp_path / "out", title="<b>Change</b>")
    assert change.files is not None
    text = change.files["html"].read_text()
    page = Page()
    page.feed(text)
    assert page.fetched == []
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert "&lt;b&gt;Change&lt;/b&gt;" in text
    assert page.tags.count("svg") == 1
    assert "@import" not in text
    assert "url(http" not in text
    for sentence in change.sentences:
        assert sentence.split(" (")[0] in text
    assert page.tags.count("tr") == 2 + len(change.ks)


def test_the_picture_the_table_and_the_numbers_are_written_too(tmp_path: Path) -> None:
    change = before_after(*sharpened(), tmp_path)
    assert change.files is not None
    assert change.files["png"].read_bytes().startswith(b"\x89PNG")
    table = change.files["md"].read_text()
    assert "| 16 |" in table
    stored = json.loads(change.files["json"].read_text())
    assert stored["difference"]["pass@k"]["1"]["estimate"] == change.differences["pass@k"][1].estimate
    assert stored["sentences"] == change.sentences


def test_the_page_is_the_same_twice(tmp_path: Path) -> None:
    pages = []
    for name in ("a", "b"):
        change = before_after(*sharpened(), tmp_path / name)
        assert change.files is not None
        pages.append(change.files["html"].read_bytes())
    assert pages[0] == pages[1]


def test_without_matplotlib_the_pip_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra) as caught:
        before_after(*sharpened(), tmp_path)
    assert "pip install 'assay[report]'" in str(caught.value)
