"""``assay evaluate``, by its command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.cli import main
from assay.environments.registry import ENVIRONMENTS

ENVIRONMENT = f"{Path(__file__).parent / 'conftest.py'}:Signs"


# Its judge is interrupted, as by Ctrl-C, at the third task of the first run.
INTERRUPTED = """
import os, pathlib, signal
from assay import register

signal.signal(signal.SIGINT, signal.default_int_handler)  # a worker of pytest may ignore it, and hands that down

@register("test/stops-v1", splits={"test": 4})
class Stops:
    def load(self, split):
        for n in range(4):
            yield f"What is {n}?", str(n)
    def verify(self, completion, reference):
        mark = pathlib.Path("interrupted-once")
        if reference == "2" and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGINT)
        return completion == reference
"""


class Done(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs `assay evaluate` in ``tmp_path``, in this process."""

    def call(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["assay", "evaluate", *map(str, arguments)])
        monkeypatch.setattr(ENVIRONMENTS, "_targets", dict(ENVIRONMENTS._targets))  # not for other tests
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", "260")
        with pytest.raises(SystemExit) as caught:
            main()
        shown = capsys.readouterr()
        return Done(int(caught.value.code or 0), shown.out, shown.err)

    return call


def test_a_model_is_evaluated_and_a_missed_threshold_is_status_1(run: Run, tiny_folder: Path, tmp_path: Path) -> None:
    arguments = ["--model", tiny_folder, "--env", ENVIRONMENT, "--samples", "4", "--max-new-tokens", "3"]
    done = run(*arguments, "--limit", "6", "--k", "1", "--k", "3", "--fail-under", "pass@4=0")
    assert done.code == 0, done.err
    assert "24/24" in done.err
    rows = [line.split("│")[1].strip() for line in done.out.splitlines() if line.startswith("│")]
    assert rows == ["1", "3"]
    [folder] = (tmp_path / "runs").iterdir()
    assert folder.name == f"{tiny_folder.name}-test-signs-v1-test"
    assert json.loads((folder / "report.json").read_text())["tasks"] == 6

    again = run(*arguments, "--limit", "6", "--fail-under", "maj@3=1.0", "--fail-under", "pass@1=0.0")
    assert again.code == 1, again.err
    assert "maj@3 is" in again.out
    assert "below the 1.0 that was asked for" in again.out
    assert "pass@1 is" not in again.out

    other = run(*arguments, "--limit", "6", "--temperature", "0.5")
    assert other.code == 2
    assert "sampler.temperature: 1.0 there, 0.5 now" in other.err


def test_an_interrupt_says_where_the_samples_are_and_that_the_same_command_goes_on(
    run: Run, tiny_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "stops.py").write_text(INTERRUPTED)
    arguments = ["--model", tiny_folder, "--env", "stops.py:Stops", "--samples", "2", "--max-new-tokens", "2"]
    arguments += ["--batch-size", "2", "--output", "stopped"]
    command = [sys.executable, "-m", "assay", "evaluate", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 130
    assert done.stderr.endswith("assay: interrupted; the samples so far are in stopped, and the same command goes on\n")
    assert (tmp_path / "stopped/samples.jsonl").read_text()
    assert run(*arguments).code == 0
    assert len((tmp_path / "stopped/samples.jsonl").read_text().splitlines()) == 8


def test_several_models_and_environments_give_one_table(run: Run, tiny_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "second"
    other.symlink_to(tiny_folder)
    arguments = ["--model", tiny_folder, "--model", other, "--env", ENVIRONMENT, "--env", "math/arithmetic-v1"]
    arguments += ["--samples", "2", "--limit", "2", "--max-new-tokens", "2", "--output", tmp_path / "all"]
    done = run(*arguments)
    assert done.code == 0, done.err
    rows = [[cell.strip() for cell in line.split("│")[1:3]] for line in done.out.partition("all runs")[2].splitlines()]
    pairs = [(str(model), name) for model in (tiny_folder, other) for name in ("test/signs-v1", "math/arithmetic-v1")]
    assert [tuple(row) for row in rows if len(row) == 2] == pairs
    assert len(list((tmp_path / "all").iterdir())) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--env", "math/gsm8k-v1", "--fail-under", "accuracy=1"], "is not of the form METRIC@K=VALUE"),
        (
            ["--env", ENVIRONMENT, "--fail-under", "pass@4=50"],
            "--fail-under 'pass@4=50': 50 is more than 1; expected a share in [0, 1], such as 0.5 for 50 %",
        ),
        (["--env", ENVIRONMENT, "--fail-under", "maj@4=101"], "101 is more than 1; expected a share in [0, 1], such"),
        (
            ["--env", ENVIRONMENT, "--backend", "vllm", "--server", "http://127.0.0.1:9/v1"],
            "--backend vllm samples in this process and --server http://127.0.0.1:9/v1 elsewhere: give one of the two",
        ),
        (["--env", "math/gsm8k-v1", "--k", "8"], "K = 8 needs at least 8 samples of each task; --samples is 4"),
        (["--env", "math/gsm9k-v1"], "no environment is called 'math/gsm9k-v1'; did you mean 'math/gsm8k-v1'"),
        (["--env", ENVIRONMENT], "the model '/nowhere' could not be loaded"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(run: Run, arguments: list[str], message: str, tmp_path: Path) -> None:
    done = run("--model", "/nowhere", *arguments)
    assert done.code == 2
    assert done.err.startswith("assay: ")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_help_needs_no_torch() -> None:
    script = (
        "import sys; sys.argv = ['assay', 'evaluate', '--help']\n"
        "from assay.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('torch', 'transformers', 'matplotlib', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "--fail-under" in done.stdout
    assert done.stdout.endswith("[]\n")
