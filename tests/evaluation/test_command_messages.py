"""What the commands say at the edges: nothing varies, nothing could be judged, one task, no device, no matplotlib."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main
from assay.environments.base import Prompt
from assay.environments.registry import ENVIRONMENTS
from assay.errors import InputError, MissingExtra
from assay.evaluation import Completion, before_after, evaluate, load_report

ENVIRONMENT = f"{Path(__file__).parent / 'conftest.py'}:Signs"
Run = Callable[..., tuple[int, str, str]]


class Same:
    """Gives one text, so that no task goes both ways; or a failure."""

    batch_size = 50

    def __init__(self, text: str, failure: str = "") -> None:
        self.completion = Completion(text, failure=failure)
        self.settings: Mapping[str, Any] = {"kind": "same", "seed": 0, "text": text}

    def sample(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Completion]:
        return [self.completion] * len(prompts)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        monkeypatch.setattr(ENVIRONMENTS, "_targets", dict(ENVIRONMENTS._targets))  # not for other tests
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "260")
        code = 0
        try:
            main()
        except SystemExit as done:
            code = int(done.code or 0)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return call


@pytest.fixture
def folders(signs: Any, tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of one sign: tasks 1 to 11 hold "0", tasks 6 to 11 hold "a" among twelve."""
    for text in "0a":
        evaluate(signs, Same(text), samples=4, folder=tmp_path / text, progress=False)
    return tmp_path / "0", tmp_path / "a"


def test_a_comparison_in_which_no_task_changed_says_so(run: Run, folders: tuple[Path, Path]) -> None:
    code, out, _ = run("compare", folders[0], folders[0])
    assert code == 0
    assert "INCONCLUSIVE: No difference lies outside the band" in out
    assert "Pass@4: 0 tasks better, 0 worse, 12 the same; what difference these tasks would show cannot be told" in out
    assert "nan" not in out.lower()


def test_a_profile_in_which_no_task_varies_says_that_every_group_is_dead(
    run: Run, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    code, out, _ = run("profile", folders[0])
    assert code == 0
    assert [line.split()[1:3] for line in out.splitlines() if line.strip().startswith(("4 ", "8 "))] == [
        ["100.0", "%"]
    ] * 2
    assert "0 of 12 tasks have a pass rate between 0 and 1" in out
    code, _, err = run("profile", folders[0], "--output", tmp_path / "kept.jsonl")
    assert code == 2
    assert "no pass rate lies between 0.0 and 1.0; nothing would be left to train on" in err
    assert not (tmp_path / "kept.jsonl").exists()


def test_a_profile_of_a_run_that_was_interrupted_says_so(run: Run, folders: tuple[Path, Path]) -> None:
    assert "Note:" not in run("profile", folders[1])[1].replace("Note: All samples", "")
    file = folders[1] / "samples.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:20]))
    code, out, _ = run("profile", folders[1])
    assert code == 0
    assert "Note: Incomplete: 20 of 48 samples are there." in out


def test_one_task_and_one_sample_are_counted_as_one(signs: Any, run: Run, tmp_path: Path) -> None:
    report = evaluate(signs, Same("0"), samples=1, limit=1, folder=tmp_path / "one", progress=False)
    assert "1 task, 1 sample each;" in report.to_markdown()
    assert "1 task x 1 sample," in str(report.table().caption)
    assert "of 1 task have a pass rate" in run("profile", tmp_path / "one")[1]
    evaluate(signs, Same("z"), samples=1, limit=2, folder=tmp_path / "two", progress=False)
    out = run("compare", tmp_path / "one", tmp_path / "two", "--output", tmp_path / "change")[1]
    assert "1 task, paired" in out
    assert "1 task in one report only: left out." in out
    page = (tmp_path / "change/before_after.html").read_text()
    assert "1 task, 1 sample each" in page
    assert "1 tasks" not in page
    assert "1 samples" not in page


def test_a_run_in_which_nothing_could_be_judged_is_status_2(run: Run, tiny_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "from assay import register\n"
        "@register('mine/broken-v1', splits={'test': 2})\n"
        "class Broken:\n"
        "    def load(self, split):\n"
        "        return [('a', '1'), ('b', '2')]\n"
        "    def verify(self, completion, reference):\n"
        "        raise RuntimeError('the judge is away')\n"
    )
    code, out, err = run("evaluate", "--model", tiny_folder, "--env", "broken.py:Broken", "--max-new-tokens", "2")
    assert code == 2
    assert "Pass@K" in out
    assert f"nothing could be sampled or judged: {tiny_folder} on mine/broken-v1 (test)" in err
    assert "8 of 8 samples could not be sampled or judged" in err
    assert "the judge is away" in err


def test_a_device_that_cannot_be_used_is_named(run: Run, tiny_folder: Path) -> None:
    code, _, err = run("evaluate", "--model", tiny_folder, "--env", ENVIRONMENT, "--device", "cuda:77")
    assert code == 2
    assert "the device 'cuda:77' cannot be used: " in err
    assert "Expected 'cpu', 'cuda' or another of torch's" in err
    assert "the device 'tpu9' cannot be used: " in run(
        "evaluate", "--model", tiny_folder, "--env", ENVIRONMENT, "--device", "tpu9"
    )[2]  # fmt: skip


def test_options_reach_the_environment_and_wrong_ones_are_answered(run: Run, tiny_folder: Path, tmp_path: Path) -> None:
    arguments = ["evaluate", "--model", tiny_folder, "--env", ENVIRONMENT, "--samples", "1", "--limit", "2"]
    code, _, err = run(*arguments, "--max-new-tokens", "2", "--option", "messages=false", "--output", "texts")
    assert code == 0, err
    assert '"prompt": "say a"' in (tmp_path / "texts/tasks.jsonl").read_text()
    code, _, err = run(*arguments, "--option", "message=false")
    assert code == 2
    assert "did you mean 'messages'?; its options are messages" in err


def test_the_loading_of_a_model_says_nothing_of_its_own(tiny_folder: Path, tmp_path: Path) -> None:
    command = ["evaluate", "--model", tiny_folder, "--env", ENVIRONMENT, "--limit", "1", "--samples", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "assay", *map(str, command), "--max-new-tokens", "2", "--device", "cpu"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "Loading weights" not in done.stderr
    assert "1/1" in done.stderr  # our own bar stays
    assert "arning" not in done.stderr


def test_before_and_after_may_be_folders(folders: tuple[Path, Path], tmp_path: Path) -> None:
    change = before_after(folders[0], str(folders[1]), tmp_path / "change")
    reports = before_after(load_report(folders[0]), load_report(folders[1]), tmp_path / "again")
    assert change.to_json() == reports.to_json()
    assert (tmp_path / "change/before_after.html").read_text() == (tmp_path / "again/before_after.html").read_text()
    with pytest.raises(InputError, match=r"nowhere holds no evaluation: there is no config\.json in it"):
        before_after(folders[0], tmp_path / "nowhere", tmp_path / "change")


def test_a_plot_without_matplotlib_names_the_extra(
    run: Run, folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    said = "'matplotlib' is not installed. Install it with: pip install 'assay[report]'"
    assert said in run("compare", *folders, "--output", tmp_path / "change")[2]
    for name in ("plot.png", "page.html"):
        assert said in run("report", folders[0], "--output", tmp_path / name)[2]
    with pytest.raises(MissingExtra, match="matplotlib"):
        before_after(*folders, tmp_path / "change")
