"""Samples on disk: resumed, torn, locked, full."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay import Result, Verdict
from assay.errors import InputError, StorageFailed
from assay.evaluation import Sample
from assay.evaluation.files import read_lines, write_text
from assay.evaluation.samples import SampleFolder

CONFIG: dict[str, Any] = {"samples": 2, "sampler": {"temperature": 1.0, "seed": 0}}


def sample(number: int, text: str = "text") -> Sample:
    return Sample.of("task", number, text, Result.correct(answer="4"), tokens=3)


def begun(path: Path) -> SampleFolder:
    folder = SampleFolder(path / "run")
    folder.begin(CONFIG, [{"id": "task", "prompt": "p"}])
    return folder


def test_what_is_appended_comes_back(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    hostile = 'a\nb\u2028c"\\ \udc80 \x00 <script>'
    with folder.appending() as appender:
        appender.append([sample(0, hostile)])
        appender.append([sample(1)])
    assert folder.samples() == [sample(0, hostile), sample(1)]
    assert folder.tasks() == [{"id": "task", "prompt": "p"}]


def test_a_retried_failure_is_replaced_and_texts_may_stay_on_disk(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    failed = Sample.of("task", 0, "", Result.error("sampling failed: gone"), sampled=False)
    with folder.appending() as appender:
        appender.append([failed, sample(1)])
        appender.append([sample(0, "second try")])
        appender.append([sample(0, "never read")])
    assert folder.samples() == [sample(0, "second try"), sample(1)]
    hashes = [row.completion for row in folder.samples(texts=False)]
    assert [len(text) for text in hashes] == [16, 16]  # so that it is known which are alike


def test_the_same_settings_go_on_and_others_are_named(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    folder.begin(CONFIG, [])
    other = {"samples": 4, "sampler": {"temperature": 0.7, "seed": 0}}
    with pytest.raises(InputError) as caught:
        folder.begin(other, [])
    message = str(caught.value)
    assert "samples: 2 there, 4 now; sampler.temperature: 1.0 there, 0.7 now" in message
    assert "Choose another folder" in message
    assert "seed" not in message


def test_a_torn_last_line_is_left_out_and_then_cut(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    with folder.appending() as appender:
        appender.append([sample(0)])
    with folder.samples_file.open("ab") as file:
        file.write(b'{"task": "task", "sample": 1, "compl')
    assert folder.samples() == [sample(0)]
    with folder.appending() as appender:
        appender.append([sample(1)])
    assert folder.samples() == [sample(0), sample(1)]


def test_a_file_that_is_one_torn_line_is_emptied(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    folder.samples_file.write_bytes(b'{"task"' + b" " * 200_000)
    with folder.appending() as appender:
        appender.append([sample(0)])
    assert folder.samples() == [sample(0)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense\n", "line 1 is not JSON"),
        ("[1]\n", "line 1 is a list, '[1]'; expected one JSON object"),
        ('{"task": "a"}\n', "line 1 is not a sample"),
        ('{"task": "a", "sample": 0, "completion": "", "verdict": "great", "score": 1}\n', "'great' is not a valid"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    folder = begun(tmp_path)
    folder.samples_file.write_text(line)
    with pytest.raises(InputError) as caught:
        folder.samples()
    assert message in str(caught.value)


def test_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no evaluation: there is no config.json in it"):
        SampleFolder(tmp_path).config()


def test_a_damaged_configuration_says_so(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    folder.config_file.write_text("{}")
    with pytest.raises(InputError, match=r"config.json cannot be read"):
        folder.config()


def test_samples_of_an_unknown_run_are_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_text("")
    with pytest.raises(InputError, match=r"exists without a config.json beside it; choose another folder"):
        SampleFolder(tmp_path).begin(CONFIG, [])


def test_two_processes_never_write_to_one_run(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    folder.samples_file.touch()
    with folder.samples_file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process is evaluating into"), folder.appending():
            pass


def test_a_full_disk_is_one_clear_error(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    folder.samples_file.symlink_to("/dev/full")
    with folder.appending() as appender, pytest.raises(StorageFailed) as caught:
        appender.append([sample(0)])
    assert "No space left on device" in str(caught.value)
    assert "make room or choose another folder" in str(caught.value)


def test_a_write_that_the_system_cuts_short_leaves_whole_lines(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    script = f"""
import resource
from assay import Result
from assay.errors import StorageFailed
from assay.evaluation import Sample
from assay.evaluation.samples import SampleFolder
def row(number, size):
    return Sample.of("task", number, "x" * size, Result.correct(answer="4"))
with SampleFolder({str(folder.path)!r}).appending() as appender:
    appender.append([row(0, 100)])
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
    try:
        appender.append([row(1, 3000), row(2, 9000)])
    except StorageFailed as error:
        print("refused:", error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "refused:" in done.stdout
    assert [row.sample for row in folder.samples()] == [0]


@pytest.mark.parametrize("below", ["file/run", "file"])
def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageFailed, match="cannot be written"):
        SampleFolder(tmp_path / below).begin(CONFIG, [])


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_missing_permission_is_one_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageFailed, match="Permission denied"):
        SampleFolder(tmp_path / "run").begin(CONFIG, [])


def test_whole_files_are_written_or_left_as_they_were(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    write_text(target, "old")
    target.with_name(f".report.json.{os.getpid()}").mkdir()
    with pytest.raises(StorageFailed):
        write_text(target, "new")
    assert target.read_text() == "old"


def test_lines_of_a_file_that_is_absent_are_none(tmp_path: Path) -> None:
    assert list(read_lines(tmp_path / "absent.jsonl")) == []
    with pytest.raises(InputError, match="cannot be read"):
        list(read_lines(tmp_path))


def test_a_sample_of_ours_is_neither_right_nor_wrong() -> None:
    assert Sample.of("t", 0, "", Result.error("gone")).is_correct is None
    assert Sample.of("t", 0, "", Result.partial(0.5)).is_correct is False
    assert Sample("t", 0, "", Verdict.CORRECT, 1.0).is_correct is True
